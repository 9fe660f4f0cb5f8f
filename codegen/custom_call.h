/* custom_call.h: column `gen` of stablehlo.custom_call: one line of custom_calls.def per target.
 *
 * A target's memory is as the op's operand_layouts and result_layouts say (row-major where it has none): what make sees
 * are values and types whose row-major order is that layout, so matrices of a column-major target come transposed.
 */
#ifndef WEFT_CODEGEN_CUSTOM_CALL_H
#define WEFT_CODEGEN_CUSTOM_CALL_H

#include "codegen/call.h"
#include "codegen/import.h"

typedef struct cg_custom cg_custom;
typedef struct cg_custom_target {
    const char *name;
    weft_status (*make)(cg_custom *c);
    weft_dtype type;
    int operands, results;  /* -1: any number */
} cg_custom_target;

struct cg_custom {
    cg_import *im;
    const weft_op *op;
    const cg_custom_target *target;
    cg_node **in;           /* op->operand_count, as they lie in memory */
    const weft_type **types; /* op->result_count, likewise */
};

#define TARGET(name, make, type, operands, results) weft_status cg_custom_##make(cg_custom *c);
#include "codegen/custom_calls.def"

/* Makes the call, gives its results the op's types and records them. s->label NULL: the target's name. */
weft_status cg_custom_call(cg_custom *c, const cg_call_spec *s);

/* Reported at the op: what its operands, results or attributes must be. */
weft_status cg_custom_bad(const cg_custom *c, const char *what);

/* An attribute of backend_config (API_VERSION_TYPED_FFI's dictionary, or mhlo.backend_config), NULL when it has none of that
 * name. */
const weft_attr *cg_custom_attr(const cg_custom *c, const char *name);

#endif
