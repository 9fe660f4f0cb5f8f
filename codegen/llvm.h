/* llvm.h: LLVM for one thread: functions to machine code, one at a time, each in a module of its own.
 *
 * A function's code depends on nothing but the function, the target and the costs, so that it can be kept, and made by
 * any thread. The passes are few because the IR is already in loops of vectors with its values hoisted: promotion of
 * accumulators to registers, cleaning up, and what the target's own pipeline does.
 */
#ifndef WEFT_CODEGEN_LLVM_H
#define WEFT_CODEGEN_LLVM_H

#include "codegen/kernel.h"
#include "codegen/strand.h"
#include "exec/image.h"

typedef enum cg_function_kind { CG_FUNCTION_KERNEL, CG_FUNCTION_BODY, CG_FUNCTION_STRAND } cg_function_kind;

/* A function of the image. */
typedef struct cg_function {
    cg_function_kind kind;
    const cg_kernel *kernel;
    bool splits;                /* of a kernel: as cg_emit_kernel has it */
    const cg_block *body;       /* call.h */
    const cg_strand *strand;    /* whose kernels are functions before this one */
    const void *key;            /* all that it computes: equal functions have equal keys */
    size_t key_bytes;
} cg_function;

typedef struct cg_llvm_target {
    const char *cpu, *features, *needs; /* needs: weft_image.needs */
    uint32_t vector_bytes;              /* of its registers */
    char version[24];                   /* LLVM's */
} cg_llvm_target;

/* cpu as in weft_compile_options. Texts are arena's. */
weft_status cg_llvm_target_of(weft_arena *arena, const char *cpu, cg_llvm_target *out);

typedef struct cg_llvm cg_llvm;
/* cx, for reports and scratch, and the others live as long; cx is of the thread that compiles. */
weft_status cg_llvm_new(weft_context *cx, const cg_llvm_target *t, const cg_code_costs *costs, cg_llvm **out);
/* all[number] as an image of one function, arena's. */
weft_status cg_llvm_compile(cg_llvm *l, const cg_function *all, uint32_t number, weft_arena *arena, weft_image *out);
void cg_llvm_free(cg_llvm *l); /* NULL is fine */

#endif
