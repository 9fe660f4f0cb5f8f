/* operand.c: asks the class of the step. */
#include "codegen/conv.h"
#include "codegen/dot.h"
#include "codegen/operand.h"

cg_node *cg_operand_read(const cg_node *n, uint32_t i) {
    return n->cls == CG_DOT ? cg_dot_operand(n, i) : n->cls == CG_CONV ? cg_conv_operand(n, i) : n->in[i];
}

cg_node *cg_operand_memory(const cg_node *n, uint32_t i) {
    return cg_is(n, CG_STEP) ? cg_base(cg_operand_read(n, i)) : n->in[i];
}
