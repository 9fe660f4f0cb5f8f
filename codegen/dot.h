/* dot.h: a CG_DOT as the matrix product that oneDNN or we (exec/kernels/gemm.h) compute, its operands read where they
 * lie.
 */
#ifndef WEFT_CODEGEN_DOT_H
#define WEFT_CODEGEN_DOT_H

#include "codegen/graph.h"
#include "exec/kernels/product.h"

/* The node that must stand in memory for operand i: below views and reshapes where strides can say the same. */
cg_node *cg_dot_operand(const cg_node *dot, uint32_t i);
/* Can a dot with these dimensions read operand i when it lies in row-major order? */
bool cg_dot_reads(const cg_node *x, weft_ints batch, weft_ints contract);
/* Can it read x where it lies, below views? */
bool cg_dot_follows(cg_node *x, weft_ints batch, weft_ints contract);
/* Can dot, with what it has lifted, read operand i? written_out: not before it is written out. */
bool cg_dot_reads_operand(const cg_node *dot, uint32_t i, bool *written_out);
/* Can the product be written with these strides? */
bool cg_dot_writes(const cg_node *dot, const int64_t *stride);
/* The first dimension of its result that is of its columns: batch and rows are before it. */
uint32_t cg_dot_columns(const cg_node *dot);
/* Gives products that are only used transposed strides of their own, and chooses the dimensions that are counted as
 * batch. */
weft_status cg_choose_layouts(cg_graph *g);
void cg_dot_matmul(const cg_node *dot, weft_matmul *out);

#endif
