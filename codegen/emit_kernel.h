/* emit_kernel.h: a kernel that is being emitted, how its loads are (emit_load.c), and its tiles (emit_tile.c). For
 * these files and emit_kernel.c only. */
#ifndef WEFT_CODEGEN_EMIT_KERNEL_H
#define WEFT_CODEGEN_EMIT_KERNEL_H

#include "codegen/emit.h"

enum { CG_MAX_LANES = 64, CG_MAX_COPIES = 4 }; /* of a vector; accumulators of a fold */

typedef struct cg_emitter {
    cg_emit *e;
    weft_context *cx;
    weft_arena *arena;
    const cg_kernel *k;
    LLVMValueRef fn, env;
    LLVMValueRef pointer[CG_MAX_PARAMS];
    LLVMValueRef var[CG_MAX_VARS];      /* i64, lane 0 */
    LLVMValueRef *value;                /* by instruction; NULL: not computed where the builder stands */
    bool *needed;                       /* in the phase being emitted */
    /* 1 + the phase that keeps the value in `cache` for later phases; 0: none does */
    uint8_t *kept;
    LLVMValueRef *cache;
    unsigned lanes;                     /* 0: no loop to run lanes along */
    LLVMValueRef mask;                  /* lanes inside the row; NULL: all */
    unsigned inside;                    /* so many, while a row is passed over */
    /* allocas, per fold; neighbouring vectors use one each */
    LLVMValueRef accumulator[CG_MAX_FOLDS][16][CG_MAX_COPIES];
    unsigned copies, copy;              /* in the phase being emitted; the one that is used now */
    LLVMValueRef folded[CG_MAX_FOLDS][16];
    LLVMValueRef carry[CG_MAX_FOLDS][16];         /* allocas, per running fold */
    cg_pieces pieces;                   /* where loops are split */
    cg_split split;                     /* the loop of which a call does a part */
    LLVMValueRef part_begin, part_end;  /* of its variable: the first element and the one after the last, not none */
    int64_t first[CG_MAX_VARS], last[CG_MAX_VARS]; /* the piece of each variable that is being emitted */
    int8_t *known;                      /* of instructions, there */
    bool *bits;                         /* of instructions: the value is in memory's form */
    LLVMValueRef *tile;                 /* by load: the row of its tile where the builder stands; NULL: none */
    /* by what is stored, where that is turned afterwards: two tiles; the row of the first where the builder stands */
    LLVMValueRef kept_tile[CG_MAX_PARAMS], kept_row[CG_MAX_PARAMS];
    weft_status status;                 /* the first failure */
} cg_emitter;

static inline LLVMValueRef i64(cg_emitter *t, int64_t v) { return cg_integer(t->e, 64, 0, v); }
static inline bool is_vector(LLVMValueRef v) { return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind; }
static inline uint32_t top(const cg_emitter *t) { return t->k->var_count; }
static inline bool per_lane(const cg_emitter *t, uint32_t level) { return t->lanes && level == top(t); }
static inline weft_dtype param_type(const cg_emitter *t, uint32_t param) {
    return (weft_dtype)t->k->params[param]->dtype;
}
static inline unsigned element_bytes(const cg_emitter *t, uint32_t param) {
    return (unsigned)weft_dtype_bytes(param_type(t, param));
}
static inline LLVMValueRef both_masks(cg_emitter *t, LLVMValueRef a, LLVMValueRef b) {
    if (a) a = cg_spread(t->e, WEFT_I1, a, t->lanes);
    return !a ? b : !b ? a : LLVMBuildAnd(t->e->b, a, b, "");
}

/* Values of instructions: the index itself, whether it lies in a range, an element that is loaded. */
LLVMValueRef cg_index_value(cg_emitter *t, const cg_ins *i);
LLVMValueRef cg_range_value(cg_emitter *t, const cg_ins *i);
LLVMValueRef cg_load_value(cg_emitter *t, const cg_ins *i);

/* An index without its lanes: a scalar. with_sym: with the part that is known only when the kernel runs. */
LLVMValueRef cg_scalar_index(cg_emitter *t, const cg_ix *x, bool with_sym);
LLVMValueRef cg_element_pointer(cg_emitter *t, uint32_t param, LLVMValueRef index);
/* `at`, or 0 where none of the lanes from there on is an element of param: the processor looks up the page of a lane
 * that is masked off. */
LLVMValueRef cg_kept_inside(cg_emitter *t, uint32_t param, LLVMValueRef at);
LLVMValueRef cg_load_contiguous(cg_emitter *t, uint32_t param, LLVMValueRef at, LLVMValueRef mask);
LLVMValueRef cg_load_scalar(cg_emitter *t, uint32_t param, LLVMValueRef at, LLVMValueRef guard);
/* Memory of the function's own, reserved where it begins. */
LLVMValueRef cg_alloca_at_entry(cg_emitter *t, LLVMTypeRef type);
/* A mask of the first n lanes; NULL: that is all. */
LLVMValueRef cg_first_lanes(cg_emitter *t, int64_t n);

/* The loop over v is shared by threads: the function's call does a part. */
static inline bool is_shared(const cg_emitter *t, uint32_t v) { return t->split.var == v; }
/* From begin to end as far as the part goes, for code that may find nothing to do; cg_when skips the code up to
 * cg_when_end then. */
typedef struct cg_range { LLVMValueRef begin, end; } cg_range;
cg_range cg_part_of(cg_emitter *t, LLVMValueRef begin, LLVMValueRef end);
LLVMBasicBlockRef cg_when(cg_emitter *t, LLVMValueRef condition);
static inline LLVMBasicBlockRef cg_when_some(cg_emitter *t, const cg_range *r) {
    return cg_when(t, LLVMBuildICmp(t->e->b, LLVMIntULT, r->begin, r->end, ""));
}
void cg_when_end(cg_emitter *t, LLVMBasicBlockRef after);

/* do { } while (++iv < end): end is known and positive. */
typedef struct cg_loop { LLVMBasicBlockRef head; LLVMValueRef iv, end; int64_t step; } cg_loop;
cg_loop cg_loop_between(cg_emitter *t, LLVMValueRef begin, LLVMValueRef end, int64_t step);
cg_loop cg_loop_begin(cg_emitter *t, int64_t begin, int64_t end, int64_t step);
void cg_loop_end(cg_emitter *t, const cg_loop *l);

/* Everything of one level, known before or in the phase `ready`. */
void cg_compute_level(cg_emitter *t, uint32_t level, uint32_t ready);
/* What phase's folds and stores need, into t->needed; and of that what is of one level. */
void cg_need_phase(cg_emitter *t, uint32_t phase);
void cg_compute_needed(cg_emitter *t, uint32_t level, uint32_t phase);
/* The values, folds and stores of one vector of elements, or of one element. */
void cg_innermost(cg_emitter *t, uint32_t phase);
/* What a plain store writes, in memory's form; and a vector in that form at element `at`. */
LLVMValueRef cg_stored(cg_emitter *t, const cg_store *s, unsigned lanes);
void cg_store_vector(cg_emitter *t, uint32_t param, LLVMValueRef at, LLVMValueRef v, LLVMValueRef mask);

/* emit_tile.c: the loops over the last two variables: kernels that are tiled, scanned, narrow. */
void cg_tile_loops(cg_emitter *t);
void cg_scan_loops(cg_emitter *t);
void cg_woven_loops(cg_emitter *t);

#endif
