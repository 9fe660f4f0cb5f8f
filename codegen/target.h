/* target.h: what the processor that a program is compiled for can do, as far as plans depend on it. */
#ifndef WEFT_CODEGEN_TARGET_H
#define WEFT_CODEGEN_TARGET_H

#include <stdbool.h>

/* Whether it has instructions for products of bf16 (AVX512_BF16). cpu as in weft_compile_options. */
bool cg_target_multiplies_bf16(const char *cpu);

#endif
