/* check.h: steps that compare two tensors and fail where they differ. */
#ifndef WEFT_CODEGEN_CHECK_H
#define WEFT_CODEGEN_CHECK_H

#include "codegen/import.h"
#include "exec/kernels/check.h"

/* c->kind and its limits are set; the rest is set here. */
weft_status cg_check_make(cg_import *im, const weft_op *op, weft_check_state *c, cg_node *actual, cg_node *expected);

#endif
