/* emit.h: LLVM IR from kernels.
 *
 * Values in registers: an element is an LLVM scalar, or a vector of `lanes` of them. Booleans are i1, integers iN
 * without sign, f32 and f64 themselves; narrower floats are computed as f32 and rounded after each instruction. A
 * complex element is a vector of its two parts, lanes of them lie one after another as in memory. In memory a boolean
 * takes a byte. Emission cannot fail but for memory, which LLVM does not report; unsupported types are rejected before
 * (gen_pointwise.c).
 */
#ifndef WEFT_CODEGEN_EMIT_H
#define WEFT_CODEGEN_EMIT_H

#include <llvm-c/Core.h>
#include "codegen/kernel.h"

typedef struct cg_emit {
    LLVMContextRef cx;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    uint32_t vector_bytes;  /* of the target's registers */
    const cg_code_costs *costs;
} cg_emit;

/* What an instruction of scalar.def knows besides its operands. */
typedef struct cg_form {
    weft_dtype in, out;
    int64_t aux;
    unsigned lanes;         /* 0: scalar */
} cg_form;

typedef LLVMValueRef (*cg_emit_fn)(cg_emit *e, const cg_form *f, const LLVMValueRef *a);
#define NAME(name) LLVMValueRef cg_emit_##name(cg_emit *e, const cg_form *f, const LLVMValueRef *a);
#include "codegen/scalar-name.def"

/* The instruction, its result rounded to out; a[] are of f->lanes. */
LLVMValueRef cg_emit_op(cg_emit *e, cg_op op, const cg_form *f, const LLVMValueRef *a);

/* Types in registers and in memory; lanes 0: scalar. */
LLVMTypeRef cg_type(cg_emit *e, weft_dtype t, unsigned lanes);
LLVMTypeRef cg_memory_type(cg_emit *e, weft_dtype t, unsigned lanes);
LLVMValueRef cg_from_memory(cg_emit *e, weft_dtype t, unsigned lanes, LLVMValueRef v);
LLVMValueRef cg_to_memory(cg_emit *e, weft_dtype t, unsigned lanes, LLVMValueRef v);
LLVMTypeRef cg_vector(LLVMTypeRef scalar, unsigned lanes);
LLVMTypeRef cg_int(cg_emit *e, unsigned bits, unsigned lanes);

/* `count` lanes of v from `first` on; count 0: the one as a scalar. */
LLVMValueRef cg_lanes(cg_emit *e, weft_dtype t, LLVMValueRef v, unsigned first, unsigned count);
/* `count` lanes of v, every second one from `first` on. */
LLVMValueRef cg_every_second(cg_emit *e, weft_dtype t, LLVMValueRef v, unsigned first, unsigned count);
/* A mask of lanes as loads, stores and selections of type t need it. */
LLVMValueRef cg_mask(cg_emit *e, weft_dtype t, LLVMValueRef mask);
/* Reads a vector at p, whose alignment is that of elements of t, where mask says so (zero elsewhere). */
LLVMValueRef cg_load_masked(cg_emit *e, weft_dtype t, unsigned lanes, LLVMValueRef p, LLVMValueRef mask);
/* Reads lanes of t at p[index], where mask says so (zero elsewhere). */
LLVMValueRef cg_gather_lanes(cg_emit *e, weft_dtype t, unsigned lanes, LLVMValueRef p, LLVMValueRef index,
                             LLVMValueRef mask);

/* n vectors of n elements of t as they lie in memory: row[i] becomes what was element i of each. n is a power of two.
 */
void cg_turn_tile(cg_emit *e, weft_dtype t, unsigned n, LLVMValueRef *row);
/* The same in memory, for elements of `size` bytes, n of which take a multiple of 16: the columns in the 16 bytes at
 * `from` of each row become rows at `to`. emit_lanes.c */
void cg_turn_columns(cg_emit *e, unsigned size, unsigned n, LLVMValueRef from, LLVMValueRef to);

/* emit_lanes.c: vectors of n elements in memory's form. Every step-th element, 2 or more and CG_MOST_STEP at most, of
 * what lies side by side: from[i] are the n from first[i] on, which cg_every_begins sets, and of which it returns how
 * many. None is outside of the elements wanted. */
enum { CG_MOST_STEP = 8 };
unsigned cg_every_begins(unsigned n, unsigned step, unsigned *first);
LLVMValueRef cg_every(cg_emit *e, unsigned n, unsigned step, const LLVMValueRef *from);
LLVMValueRef cg_reversed(cg_emit *e, unsigned n, LLVMValueRef v);
/* v, and then anything, as a vector `times` as long. */
LLVMValueRef cg_widened(cg_emit *e, LLVMValueRef v, unsigned times);
/* The first elements of v on lanes phase, phase + step and so on, anything on the others; and a mask of these lanes.
 * phase: an i64 below step. */
LLVMValueRef cg_spaced(cg_emit *e, unsigned n, unsigned step, LLVMValueRef v, LLVMValueRef phase);
LLVMValueRef cg_spaced_lanes(cg_emit *e, unsigned n, unsigned step, LLVMValueRef phase);
/* Vector number `which` of the `width` that hold element 0 of each of from[0 .. width), then element 1 of each, and so
 * on. */
LLVMValueRef cg_woven(cg_emit *e, unsigned n, unsigned width, const LLVMValueRef *from, unsigned which);

/* The first `count` lanes of v[r], of each of f's results, to one value, a scalar: neighbours first, in order.
 * emit_fold.c */
weft_status cg_emit_neighbours(cg_emit *e, weft_arena *scratch, const cg_fold *f, LLVMValueRef *v, unsigned count);

/* Complex values and their parts, as scalars or vectors of lanes. */
typedef struct cg_pair { LLVMValueRef re, im; } cg_pair;
cg_pair cg_parts(cg_emit *e, unsigned lanes, LLVMValueRef v);
LLVMValueRef cg_join(cg_emit *e, unsigned lanes, cg_pair p);
/* The instruction on complex operands or with a complex result. */
LLVMValueRef cg_emit_complex_op(cg_emit *e, cg_op op, const cg_form *f, const LLVMValueRef *a);
/* The elementary functions on parts of f64, which were of type f64->aux; NULL for ops that are none.
 * emit_complex_math.c */
typedef cg_pair (*cg_complex_fn)(cg_emit *e, const cg_form *f64, const cg_pair *z);
cg_complex_fn cg_complex_math(cg_op op);

/* Constants, spread over the lanes. */
LLVMValueRef cg_float(cg_emit *e, weft_dtype t, unsigned lanes, double v);
LLVMValueRef cg_integer(cg_emit *e, unsigned bits, unsigned lanes, int64_t v);
LLVMValueRef cg_splat_const(cg_emit *e, weft_dtype t, const uint8_t *bytes);
LLVMValueRef cg_splat_bits(cg_emit *e, weft_dtype t, const uint8_t *bytes); /* of a narrow float, in memory's form */
LLVMValueRef cg_spread(cg_emit *e, weft_dtype t, LLVMValueRef v, unsigned lanes);

/* Floats narrower than f32, which are f32 in registers (emit_float.c). cg_round: v as t holds it, v itself for wider
 * types. */
LLVMValueRef cg_narrow_from_memory(cg_emit *e, weft_dtype t, unsigned lanes, LLVMValueRef v);
LLVMValueRef cg_narrow_to_memory(cg_emit *e, weft_dtype t, unsigned lanes, LLVMValueRef v);
/* what NaNs v may be: any of f32, or only such as t holds */
typedef enum cg_nans { CG_NANS_ANY, CG_NANS_OF_TYPE } cg_nans;
LLVMValueRef cg_round(cg_emit *e, weft_dtype t, unsigned lanes, LLVMValueRef v, cg_nans nans);
/* f64 to f32 such that cg_round makes of it what it would make of v. */
LLVMValueRef cg_round_to_odd(cg_emit *e, unsigned lanes, LLVMValueRef v);

/* Calls an LLVM intrinsic overloaded on `overload`. */
LLVMValueRef cg_intrinsic(cg_emit *e, const char *name, LLVMTypeRef *overload, unsigned overloads, LLVMValueRef *args,
                          unsigned n);
LLVMValueRef cg_intrinsic1(cg_emit *e, const char *name, LLVMTypeRef overload, LLVMValueRef *args, unsigned n);
/* The C function of that name on f32 ("f" is added) or f64, lane by lane. */
LLVMValueRef cg_libm(cg_emit *e, const char *name, const cg_form *f, const LLVMValueRef *a, unsigned n);

/* The instructions of a body on lanes (0: scalars): out[r] from args[i]. Scratch lies in arena. */
weft_status cg_emit_body(cg_emit *e, weft_arena *arena, const cg_block *body, const LLVMValueRef *args, unsigned lanes,
                         LLVMValueRef *out);
/* The body as a function of cg_body_fn's type (call.h). */
weft_status cg_emit_body_function(cg_emit *e, weft_arena *arena, const cg_block *body, const char *name);

/* An empty function of weft_step_fn's type, the builder in its first block. */
LLVMValueRef cg_step_function(cg_emit *e, const char *name);
/* A strand as one; the kernels that it calls are in the module. */
struct cg_strand;
weft_status cg_emit_strand(cg_emit *e, weft_arena *arena, const struct cg_strand *s, const char *name);

/* A function of weft_step_fn's type in the module. splits: it does the grains that it is told (weft_run_env), as
 * cg_kernel_split counts them; else all that there is. */
weft_status cg_emit_kernel(cg_emit *e, weft_context *cx, const cg_kernel *k, bool splits, const char *name);

#endif
