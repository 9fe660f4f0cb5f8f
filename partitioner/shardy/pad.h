/* pad.h: a program in which devices divide every size that they share.
 *
 * Every value of the new program is the old one with elements after the ends of some dimensions: its padding. A
 * dimension that is split by n devices has the next multiple of n; one that is not split is as long as the op that
 * makes it has it, and is brought back to its size where a reader asks for that. What is in the padding is unspecified,
 * but along the dimensions in `zero` it is known to be zero. So an op may do with padding what it likes as long as none
 * of it reaches an element of the old result: what adds along a padded dimension, or looks something up there, masks it
 * first. That is what local.h's column `uneven` says of each op too, where padding is a part's and not the whole's.
 *
 * Column `local` has, in `pad`, how an op is written here; without that it is by its rule: factors of `uneven` become
 * as long as the longest that has them, all others keep their size.
 */
#ifndef WEFT_PARTITIONER_PAD_H
#define WEFT_PARTITIONER_PAD_H

#include "ir/rewrite.h"
#include "partitioner/lower/local.h"

typedef struct weft_padded {
    weft_value *v;                /* of the new program; NULL after an error */
    weft_bits zero;               /* dimensions */
} weft_padded;

struct weft_padder {
    weft_context *cx;
    weft_rewrite *rewrite;
    weft_builder *b;              /* where the op goes */
    weft_shardings *shardings;
    weft_rules *rules;
    /* weft_uneven_factors; the table has this room's functions too */
    weft_bits (*uneven_factors)(const weft_op *op, const weft_rule *rule);
    const weft_sharding **of;     /* by old value id, as its readers see it; NULL: none */
    weft_bits *zero;              /* by old value id */
    enum { WEFT_PAD_INSIDE, WEFT_PAD_BORDERS } where; /* borders: arguments and results of functions too */
};

/* An op that is being written: its operands as it will read them, and the types of its results. In scratch memory. */
typedef struct weft_padding {
    weft_padded *operands;
    const weft_type **results;
} weft_padding;

/* The size of dimension d of what stands for v, as its sharding asks; the type with these sizes, NULL when memory is
 * out. */
int64_t weft_pad_size(const weft_padder *p, const weft_value *v, uint32_t d);
const weft_type *weft_pad_type(weft_padder *p, const weft_value *v);
weft_padded weft_pad_value(const weft_padder *p, const weft_value *v);
/* The type that a function's result has, or with WEFT_PAD_BORDERS gets. */
weft_status weft_pad_result_type(weft_padder *p, const weft_op *func, uint32_t result, const weft_type **out);
/* Whether x, which stands for v, has padding along d that is not known to be zero. */
bool weft_pad_is_dirty(const weft_value *v, const weft_padded *x, uint32_t d);
/* Gives x, which an op made for v, the sharding of v. x may be NULL. */
void weft_pad_shard_like(weft_padder *p, const weft_value *v, weft_value *x);

/* Brings x, which stands for v, to these sizes for op: cuts padding off, or puts zeros after. A dimension of one
 * element, as a slice leaves it, is gathered first: no devices divide it, and an op that expands it needs that element
 * everywhere. Reports any other cut that leaves parts that the devices do not divide. */
weft_status weft_pad_resize(weft_padder *p, const weft_op *op, const weft_value *v, const int64_t *dims,
                            weft_padded *x);
/* x with fill (a scalar) in its padding along dims. */
void weft_pad_mask(weft_padder *p, const weft_value *v, weft_bits dims, weft_value *fill, weft_padded *x);
/* The same with zeros, where it has others. */
void weft_pad_mask_zero(weft_padder *p, const weft_value *v, weft_bits dims, weft_padded *x);

/* Operands as they come, results as their shardings ask. */
weft_status weft_pad_open(weft_padder *p, const weft_op *op, weft_padding *out);
/* Operands and results by op's rule. */
weft_status weft_pad_by_rule(weft_padder *p, const weft_op *op, weft_padding *out);
/* Makes op with these, and maps its results; zero of the results is 0. made may be NULL. */
weft_status weft_pad_close(weft_padder *p, const weft_op *op, const weft_padding *with, weft_op **made);
/* Makes result i what its sharding asks, when op could only make it shorter or longer. */
weft_status weft_pad_finish(weft_padder *p, const weft_op *op, uint32_t i, const int64_t *dims);

/* Whether op reads or makes anything of another size. */
bool weft_pad_touches(weft_padder *p, const weft_op *op);

/* Column `pad`. pad_ops.c */
weft_status weft_pad_dot(weft_padder *p, const weft_op *op);
weft_status weft_pad_reduce(weft_padder *p, const weft_op *op);
weft_status weft_pad_gather(weft_padder *p, const weft_op *op);
weft_status weft_pad_scatter(weft_padder *p, const weft_op *op);
weft_status weft_pad_dynamic_slice(weft_padder *p, const weft_op *op);
weft_status weft_pad_constant(weft_padder *p, const weft_op *op);
weft_status weft_pad_made(weft_padder *p, const weft_op *op);       /* iota: results alone have sizes */
/* pad_windows.c */
weft_status weft_pad_slice(weft_padder *p, const weft_op *op);
weft_status weft_pad_pad(weft_padder *p, const weft_op *op);
weft_status weft_pad_convolution(weft_padder *p, const weft_op *op);
/* pad_flow.c */
/* sdy's collectives and what else has its operand for a result */
weft_status weft_pad_move(weft_padder *p, const weft_op *op);
weft_status weft_pad_through(weft_padder *p, const weft_op *op);
weft_status weft_pad_sources(weft_padder *p, const weft_op *op);    /* loops, branches, computations, terminators */

#endif
