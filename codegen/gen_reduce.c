/* gen_reduce.c: column `gen` of reduce. */
#include "codegen/reduction.h"

weft_status weft_gen_reduce(cg_import *im, const weft_op *op) {
    cg_graph *g = im->g;
    cg_reduction r = { 0 };
    weft_status st = cg_reduction_read(im, op, &r);
    if (st != WEFT_OK) return st;
    weft_bits reduced = 0;
    weft_ints dims = weft_op_ints(op, WEFT_A_dimensions);
    int64_t factor = 1;
    for (uint32_t i = 0; i < dims.n; i++) {
        reduced |= weft_bit((unsigned)dims.v[i]);
        factor *= r.x[0]->dims[dims.v[i]];
    }
    const weft_type *t = op->results[0].type;
    if (factor == 1) { /* the body applied once */
        for (uint32_t i = 0; i < r.n; i++) r.x[i] = cg_reshape(g, r.x[i], t->rank, t->dims);
        st = cg_reduction_once(im, &r);
    } else if (factor == 0) { /* never */
        for (uint32_t i = 0; i < r.n; i++) r.x[i] = cg_broadcast(g, r.init[i], t->rank, t->dims, (weft_ints){ 0 });
    } else {
        st = cg_reduction_widen(im, &r);
        int64_t order[WEFT_MAX_RANK];
        if (st == WEFT_OK)
            st = cg_reduction_order(&r, reduced, order)
                     ? cg_reduction_in_order(im, &r, reduced, order)
                     : cg_reduction_along(im, &r, r.x[0]->rank, r.x[0]->dims, reduced);
    }
    return st == WEFT_OK ? cg_reduction_set(im, op, &r) : st;
}
