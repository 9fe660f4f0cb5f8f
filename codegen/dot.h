/* dot.h: a CG_DOT as the matrix product that oneDNN or we (gemm.h) compute, its operands read where they lie. */
#ifndef WEFT_CODEGEN_DOT_H
#define WEFT_CODEGEN_DOT_H

#include "codegen/graph.h"

enum { CG_DOT_BATCH = 8, CG_DOT_AXES = 8 };

/* Dimensions counted through as one index, major first. */
typedef struct cg_axes {
    int64_t rank;
    int64_t size[CG_DOT_AXES], stride[CG_DOT_AXES];
} cg_axes;

/* One matrix per batch index: element (row, column) of batch (b0, b1, ...) at offset + sum of index * stride. Plain
 * bytes, like all of cg_matmul. */
typedef struct cg_matrix {
    weft_dtype dtype;
    uint32_t buffer;        /* of an operand: 0 the dot's first, 1 its second */
    int64_t offset;
    int64_t batch[CG_DOT_BATCH], row, column;
    cg_axes rows, columns;  /* of an operand of our own products, instead of row and column: any strides, so that the
                            * windows of a convolution are read out of the image */
} cg_matrix;

typedef struct cg_matmul {
    int64_t batch_rank;
    int64_t batch[CG_DOT_BATCH], m, n, k;
    cg_matrix a, b, c;      /* c[m][n] = sum over k of a[m][k] * b[k][n] */
} cg_matmul;

/* The node that must stand in memory for operand i: below views and reshapes where strides can say the same. */
cg_node *cg_dot_operand(const cg_node *dot, uint32_t i);
/* Can a dot with these dimensions read operand i when it lies in row-major order? */
bool cg_dot_reads(const cg_node *x, weft_ints batch, weft_ints contract);
/* Can the product be written with these strides? */
bool cg_dot_writes(const cg_node *dot, const int64_t *stride);
/* Gives products that are only used transposed strides of their own. */
weft_status cg_choose_layouts(cg_graph *g);
void cg_dot_matmul(const cg_node *dot, cg_matmul *out);

#endif
