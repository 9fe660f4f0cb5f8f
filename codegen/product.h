/* product.h: sums of products as nodes, of any types. */
#ifndef WEFT_CODEGEN_PRODUCT_H
#define WEFT_CODEGEN_PRODUCT_H

#include "codegen/graph.h"

/* CG_SUM_IN_ORDER: the terms are written out and added one by one, each product rounded, as the spec's formula reads.
 */
typedef enum cg_sum_order { CG_SUM_ANY, CG_SUM_IN_ORDER } cg_sum_order;

/* What may be asked of cg_product besides its result. */
typedef struct cg_product_spec {
    weft_dtype least;       /* float type that products and sums are at least as precise as, or NONE */
    cg_sum_order order;
} cg_product_spec;

/* The dot_general of a and b: dims batch, a's free, b's free; elements of type t. Operands of other types than t are
 * converted: sums are taken in t or in a type at least as wide, integers wrap around. spec may be NULL. NULL after a
 * failure. */
cg_node *cg_product(cg_graph *g, cg_node *a, cg_node *b, const weft_dot_dims *d, weft_dtype t,
                    const cg_product_spec *spec);

/* The type in which products of x and y elements for a result of type t are computed: operands are converted to *in,
 * the sums have type *sum. */
void cg_product_types(weft_dtype x, weft_dtype y, weft_dtype t, weft_dtype least, weft_dtype *in, weft_dtype *sum);

#endif
