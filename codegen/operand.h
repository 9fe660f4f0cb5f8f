/* operand.h: the memory that a step reads for an operand.
 *
 * Products and convolutions read through strides what is below views and reshapes, so this may be another node than the
 * operand. Fusion asks here which values a step needs in memory, and a loop or branch which it takes from outside. */
#ifndef WEFT_CODEGEN_OPERAND_H
#define WEFT_CODEGEN_OPERAND_H

#include "codegen/graph.h"

/* The node that stands in memory for operand i of n, below reshapes too. Operand i itself of a node of loops. */
cg_node *cg_operand_memory(const cg_node *n, uint32_t i);
/* The same for a product or convolution, with reshapes that strides cannot say as they are. Operand i of others. */
cg_node *cg_operand_read(const cg_node *n, uint32_t i);

#endif
