/* signature.h: types of operands and results of routines that are known by name, as short texts; and the configuration
 * of custom calls.
 *
 * A signature is operands > results, a word for each. Its first letter is the elements: T of the routine's type, R real
 * ones and C complex ones as wide, I i32; then one letter per dimension after the batch's, two of them a column-major
 * matrix. The batch's dimensions are those before, of every value the same. A letter is the same size everywhere, but p
 * is the smaller of m and n, and q is n - 1.
 */
#ifndef WEFT_IR_SIGNATURE_H
#define WEFT_IR_SIGNATURE_H

#include "ir/module.h"

typedef struct weft_signature_dims {
    int64_t dim[26];      /* by letter; -1: the signature does not have it */
    uint32_t batch_rank;
    const int64_t *batch; /* of the op's types */
} weft_signature_dims;

/* What does not fit. */
typedef struct weft_signature_miss {
    const char *side;     /* "operand" or "result"; NULL: how many there are */
    uint32_t i;
    const char *word;     /* of the signature, up to a space */
} weft_signature_miss;

/* Whether op's operands and results have the signature's types, type being the routine's. *dims is set if they do, else
 * *miss, which may be NULL. Sizes beyond LAPACK's int do not fit. */
bool weft_signature_fits(const weft_op *op, const char *signature, weft_dtype type, weft_signature_dims *dims,
                         weft_signature_miss *miss);

/* A custom call's backend_config (API_VERSION_TYPED_FFI's dictionary, mhlo.backend_config or mhlo.attributes), or NULL;
 * and an attribute of it, NULL: none of that name. */
const weft_attr *weft_custom_call_configs(const weft_op *op);
const weft_attr *weft_custom_call_config(const weft_op *op, const char *name);

/* A letter of it, which is the number of one of `allowed`; else 0. */
char weft_custom_call_letter(const weft_op *op, const char *name, const char *allowed);

#endif
