/* custom_call.h: column `gen` of stablehlo.custom_call: one line of custom_calls.def per target.
 *
 * A target's memory is as the op's operand_layouts and result_layouts say (row-major where it has none): what make sees
 * are values and types whose row-major order is that layout. LAPACK's targets take whatever memory they get for columns
 * one after another, as they do in XLA: of a square matrix that comes row-major they see the transpose.
 */
#ifndef WEFT_CODEGEN_CUSTOM_CALL_H
#define WEFT_CODEGEN_CUSTOM_CALL_H

#include "codegen/call.h"
#include "codegen/import.h"

typedef struct cg_custom cg_custom;
typedef struct cg_custom_target {
    const char *name;
    weft_status (*make)(cg_custom *c);
    int operands, results;  /* -1: any number */
    weft_dtype type;        /* of LAPACK's targets, and what follows */
    const char *signature;
    const struct cg_lapack *routine; /* custom_lapack.h */
} cg_custom_target;

struct cg_custom {
    cg_import *im;
    const weft_op *op;
    const cg_custom_target *target;
    cg_node **in;           /* op->operand_count, as they lie in memory */
    const weft_type **types; /* op->result_count, likewise */
};

#define TARGET(name, make, operands, results) weft_status cg_custom_##make(cg_custom *c);
#define LAPACK(real, complex, routine, real_types, complex_types) extern const struct cg_lapack cg_lapack_##routine;
#include "codegen/custom_calls.def"
weft_status cg_custom_lapack(cg_custom *c);
weft_status cg_custom_foreign(cg_custom *c);
bool cg_custom_is_foreign(const cg_custom *c); /* the process has a function of this name (weft_foreign) */

/* Makes the call, gives its results the op's types and records them. s->label NULL: the target's name. */
weft_status cg_custom_call(cg_custom *c, const cg_call_spec *s);

/* Dimensions from slowest to fastest under operand_layouts or result_layouts, which list them from fastest to slowest.
 * false: in order, row-major. */
bool cg_custom_order(const weft_op *op, weft_attr_name layouts, uint32_t i, uint32_t rank, int64_t *order);

/* Reported at the op: what its operands, results or attributes must be. */
weft_status cg_custom_bad(const cg_custom *c, const char *what);

#endif
