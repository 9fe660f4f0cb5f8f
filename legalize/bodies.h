/* bodies.h: shared by the files of weft-expand-bodies (inside legalize/ only): loops over elements, written as
 * StableHLO.
 *
 * Tensors are handled as lists of their elements in row-major order. Element numbers are i64.
 */
#ifndef WEFT_LEGALIZE_BODIES_H
#define WEFT_LEGALIZE_BODIES_H

#include "ir/rewrite.h"
#include "legalize/expand.h"
#include "ir/expr.h"

enum { LG_MOST_VALUES = 64 };       /* operands of one op */

/* A loop of `count` iterations that carries values. */
typedef struct lg_turns lg_turns;
struct lg_turns {
    weft_rewrite *r;
    int64_t count;
    /* before: initial values; in an iteration: current values, to be replaced by the next; after: results */
    weft_value **carried;
    uint32_t n;
    void *user;
    weft_status (*turn)(lg_turns *t, weft_builder *b, weft_value *i);
};
/* No loop is made when count is 0. */
weft_status lg_turn(lg_turns *t, weft_builder *b);

/* The ops of a region on args; its results into out. */
weft_status lg_apply(weft_rewrite *r, weft_builder *b, const weft_block *body, weft_value *const *args,
                     weft_value **out);

weft_value *lg_flat(weft_builder *b, weft_value *x);                                   /* x as a list */
/* and back, converted to t's elements */
weft_value *lg_shaped(weft_builder *b, weft_value *list, const weft_type *t);
weft_value *lg_spread(weft_builder *b, weft_value *element, int64_t n);                /* a list of n copies */
weft_value *lg_element(weft_builder *b, weft_value *list, weft_value *i);
weft_value *lg_with_element(weft_builder *b, weft_value *list, weft_value *i, weft_value *v);
/* The digits of i in numbers of these sizes, row-major. */
void lg_digits(weft_builder *b, weft_value *i, uint32_t rank, const int64_t *sizes, weft_value **digits);
void lg_row_major(uint32_t rank, const int64_t *dims, int64_t *steps);

/* bodies_scatter.c, bodies_sort.c */
weft_status lg_scatter_in_turns(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in,
                                weft_value **out);
weft_status lg_select_and_scatter_in_turns(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in,
                                           weft_value **out);
weft_status lg_sort_in_turns(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in,
                             weft_value **out);

#endif
