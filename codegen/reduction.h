/* reduction.h: what reduce, reduce_window and scans have in common: operands and initial values in the types of a body.
 */
#ifndef WEFT_CODEGEN_REDUCTION_H
#define WEFT_CODEGEN_REDUCTION_H

#include "codegen/import.h"

typedef struct cg_reduction {
    cg_block *body;
    cg_node **x, **init;    /* x is replaced as the reduction goes on */
    uint32_t n;
    cg_op op;               /* CG_OP_COUNT: any body */
    cg_fold_order order;
} cg_reduction;

/* Operands, initial values and region 0 of op, converted to what the body takes (spec, reduce: is_promotable). */
weft_status cg_reduction_read(cg_import *im, const weft_op *op, cg_reduction *r);
/* Sums of 16-bit floats are taken in f32 from here on; results are converted by cg_reduction_set. */
weft_status cg_reduction_widen(cg_import *im, cg_reduction *r);

/* The neutral elements of r's body as r->init would be; false when not all are known. */
bool cg_reduction_neutral(cg_import *im, const cg_reduction *r, cg_node **out);
/* True when the initial value is known to change nothing. */
bool cg_reduction_starts_neutral(const cg_reduction *r);

/* r->x reduced along `reduced` of dims, which may be grouped anew; results, of the other dimensions, into r->x. */
weft_status cg_reduction_along(cg_import *im, cg_reduction *r, uint32_t rank, const int64_t *dims, weft_bits reduced);
/* An order of the dimensions of r->x in which a reduction along `reduced` reads memory row after row, in order[rank];
 * false: as they are is as good. reduction_order.c */
bool cg_reduction_order(const cg_reduction *r, weft_bits reduced, int64_t *order);
/* cg_reduction_along of r->x in that order; results in the order of r->x. */
weft_status cg_reduction_in_order(cg_import *im, cg_reduction *r, weft_bits reduced, int64_t *order);
/* The body applied to the initial values and r->x, element by element; into r->x. */
weft_status cg_reduction_once(cg_import *im, cg_reduction *r);
/* One node of class CG_REDUCE (which: reduced dimensions) or CG_SCAN (which: the dimension) on r->x; results into r->x.
 */
weft_status cg_reduction_node(cg_import *im, cg_reduction *r, cg_class cls, int64_t which, uint32_t rank,
                              const int64_t *dims);

/* r->x as the op's results. */
weft_status cg_reduction_set(cg_import *im, const weft_op *op, const cg_reduction *r);

#endif
