/* jit.h: the functions of a program to machine code: those that a cache has are taken from it, the others are compiled
 * on several threads, each by itself, and kept. */
#ifndef WEFT_CODEGEN_JIT_H
#define WEFT_CODEGEN_JIT_H

#include "codegen/compile.h"
#include "codegen/llvm.h"

typedef struct cg_jit cg_jit;

/* opt: cpu, in LLVM's form, cache, process. It lives as long as the jit. */
weft_status cg_jit_new(weft_context *cx, const weft_compile_options *opt, const weft_costs *costs, cg_jit **out);
/* Each adds function number `number`, counted from 0 in the order of the calls: a kernel, a body (call.h), or a strand,
 * whose kernels were added before. What is added, and its key, live as long as the jit; a strand is copied, but not
 * what it points to. splits: as cg_emit_kernel has it. */
weft_status cg_jit_add(cg_jit *j, const cg_kernel *k, bool splits, uint32_t number, const void *key, size_t key_bytes);
weft_status cg_jit_add_body(cg_jit *j, const cg_block *body, uint32_t number, const void *key, size_t key_bytes);
weft_status cg_jit_add_strand(cg_jit *j, const cg_strand *s, uint32_t number);
/* The image of all functions; those for which wanted[] is false, which no step calls, are empty. Once. */
weft_status cg_jit_finish(cg_jit *j, const bool *wanted, weft_arena *arena, weft_image *out);
void cg_jit_free(cg_jit *j);

#endif
