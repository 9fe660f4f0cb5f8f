/* products.h: the products of a program that read its parameters, in program order; what tensor, sequence and expert
 * parallelism decide by. A look-up in a table (gather) along the batch counts as a product that contracts the table's
 * rows. */
#ifndef WEFT_PIPELINE_DRYRUN_PRODUCTS_H
#define WEFT_PIPELINE_DRYRUN_PRODUCTS_H

#include "pipeline/dryrun/roles.h"

enum { WEFT_PRODUCT_DIMS = 8 };

typedef struct weft_product {
    const weft_op *op;
    const weft_value *matrix;      /* the operand that is a parameter, perhaps a layer of it or in another layout */
    uint32_t argument;
    /* The matrix's dimensions, as classes; those without one are left out. Grouped are those of which each row of the
     * other operand has one alone, by a mask, as the experts of a ragged product. */
    uint32_t contracted[WEFT_PRODUCT_DIMS], free[WEFT_PRODUCT_DIMS], batched[WEFT_PRODUCT_DIMS];
    uint32_t grouped[WEFT_PRODUCT_DIMS];
    uint32_t contracted_count, free_count, batched_count, grouped_count;
} weft_product;

typedef struct weft_products {
    const weft_product *v; size_t n;
    const bool *inner;             /* by class: contracted by a product of two values that are no parameters */
    const bool *looked_up;         /* by class: rows of a table */
    const bool *sliced;            /* by class: a loop takes one at a time, as of stacked layers */
    const int64_t *divisor;        /* by class: the greatest common divisor of its dimensions' sizes */
} weft_products;

weft_status weft_products_find(const weft_module *m, const weft_dim_classes *c, const weft_roles *roles,
                               weft_arena *arena, weft_products *out);

#endif
