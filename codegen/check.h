/* check.h: a step that compares two tensors and fails where they differ; see check.c for what equal means. */
#ifndef WEFT_CODEGEN_CHECK_H
#define WEFT_CODEGEN_CHECK_H

#include "codegen/import.h"

typedef enum cg_check_kind { CG_CHECK_EXACT, CG_CHECK_ALMOST, CG_CHECK_CLOSE } cg_check_kind;

typedef struct cg_check {
    uint16_t kind;          /* cg_check_kind */
    uint16_t dtype;         /* and what follows: set by cg_check_make */
    uint32_t rank;
    uint64_t min_ulp, max_ulp; /* CLOSE */
    double tolerance;       /* ALMOST */
    int64_t dims[WEFT_MAX_RANK];
} cg_check;

weft_status cg_check_make(cg_import *im, const weft_op *op, cg_check *c, cg_node *actual, cg_node *expected);

#endif
