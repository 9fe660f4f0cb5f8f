/* target.h: the processor that a program is compiled for, and what it can do, as far as plans depend on it.
 *
 * A processor is NULL, which is the host's, or LLVM's name, a comma, and its features: "haswell,+avx2,+fma". Users give
 * a name of targets.def instead. */
#ifndef WEFT_CODEGEN_TARGET_H
#define WEFT_CODEGEN_TARGET_H

#include <stdbool.h>
#include "base/context.h"

/* name as weft_compile_options.cpu; *cpu gets LLVM's form of it, or NULL for NULL. A static string or name itself.
 * WEFT_ERR_USAGE, with the nearest name, if there is no such processor. */
weft_status cg_target_find(weft_context *cx, const char *name, const char **cpu);

/* The features of a processor as LLVM gets them: those of `list`, but none that exec/cpu.h does not know, since the
 * loader could not tell whether a machine has it. whole: the list has all that code may use, so that what LLVM's name
 * of the processor adds is left out. 16-bit floats have no arithmetic: they are computed as f32, and LLVM 19 gets masks
 * of 16 lanes wrong where it narrows comparisons of widened numbers (test_math_ulp's zeta of f16 showed it). evex512,
 * by which LLVM names AVX-512 of 512 bits, stays as the processor has it. *needs gets those that are wanted, for
 * weft_image.needs. Both texts are arena's; WEFT_ERR_MEMORY. */
weft_status cg_target_features(weft_arena *arena, const char *list, bool whole, char **features, char **needs);

/* Whether it has instructions for products of bf16 (AVX512_BF16). cpu in LLVM's form. */
bool cg_target_multiplies_bf16(const char *cpu);

#endif
