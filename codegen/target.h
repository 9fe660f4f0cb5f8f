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

/* Whether it has instructions for products of bf16 (AVX512_BF16). cpu in LLVM's form. */
bool cg_target_multiplies_bf16(const char *cpu);

#endif
