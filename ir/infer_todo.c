/* infer_unsupported: no rules are written down for the op; what it says is taken as it is. */
#include "ir/infer.h"
weft_status weft_infer_unsupported(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)c, (void)op, (void)types;
    return WEFT_OK;
}
