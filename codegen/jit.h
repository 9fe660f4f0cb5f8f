/* jit.h: kernels to machine code, all of a program in one LLVM module. */
#ifndef WEFT_CODEGEN_JIT_H
#define WEFT_CODEGEN_JIT_H

#include "codegen/call.h"
#include "codegen/kernel.h"
#include "exec/image.h"

typedef struct cg_jit cg_jit;
struct cg_strand;

/* cpu as in weft_compile_options; costs live as long as the jit. */
weft_status cg_jit_new(weft_context *cx, const char *cpu, const weft_costs *costs, cg_jit **out);
/* Each adds function number `number`, counted from 0 in the order of the calls: a kernel, a body (call.h), or a strand,
 * whose kernels were added before. */
weft_status cg_jit_add(cg_jit *j, const cg_kernel *k, uint32_t number);
weft_status cg_jit_add_body(cg_jit *j, const cg_block *body, uint32_t number);
weft_status cg_jit_add_strand(cg_jit *j, const struct cg_strand *s, uint32_t number);
/* Optimises and compiles what was added: `functions` functions. Nothing can be added after that. */
weft_status cg_jit_finish(cg_jit *j, uint32_t functions, weft_arena *arena, weft_image *out);
void cg_jit_free(cg_jit *j);

#endif
