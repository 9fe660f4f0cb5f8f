/* jit.h: kernels to machine code, all of a program in one LLVM module. */
#ifndef WEFT_CODEGEN_JIT_H
#define WEFT_CODEGEN_JIT_H

#include "codegen/call.h"
#include "codegen/kernel.h"

typedef struct cg_jit cg_jit;
struct cg_strand;

/* cpu as in weft_compile_options. */
weft_status cg_jit_new(weft_context *cx, const char *cpu, cg_jit **out);
/* Adds a kernel's function under a name of its own, "k" and a number. */
weft_status cg_jit_add(cg_jit *j, const cg_kernel *k, uint32_t number);
/* A body's function (call.h), "b" and a number. */
weft_status cg_jit_add_body(cg_jit *j, const cg_block *body, uint32_t number);
/* A strand's function, "s" and a number; its kernels were added before. */
weft_status cg_jit_add_strand(cg_jit *j, const struct cg_strand *s, uint32_t number);
/* Optimises and compiles what was added; then functions can be asked for. */
weft_status cg_jit_finish(cg_jit *j);
weft_status cg_jit_find(cg_jit *j, uint32_t number, weft_step_fn *out);
weft_status cg_jit_find_strand(cg_jit *j, uint32_t number, weft_step_fn *out);
weft_status cg_jit_find_body(cg_jit *j, uint32_t number, cg_body_fn *out);
void cg_jit_free(cg_jit *j);  /* the code is gone then */

#endif
