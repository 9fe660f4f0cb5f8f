/* custom_hint.c: custom calls that compute nothing: where or how a value is to lie, or that it is wanted. */
#include "codegen/custom_call.h"

weft_status cg_custom_hint(cg_custom *c) {
    const weft_op *op = c->op;
    if (op->results[0].type != op->operands[0]->type) return cg_custom_bad(c, "a result of its operand's type");
    return cg_set(c->im, op, 0, cg_of(c->im, op, 0));
}

/* Memory whose contents do not matter yet: zeros, so that every run is the same. */
weft_status cg_custom_allocate(cg_custom *c) {
    static const uint8_t zero[16] = { 0 };
    const weft_type *t = c->op->results[0].type;
    return cg_set(c->im, c->op, 0, cg_splat(c->im->g, t->dtype, t->rank, t->dims, zero));
}

weft_status cg_custom_nothing(cg_custom *c) {
    (void)c;
    return WEFT_OK;
}

/* Some versions of JAX go on with its result, others have none. */
weft_status cg_custom_inspect(cg_custom *c) {
    if (c->op->result_count > 1) return cg_custom_bad(c, "one result at most");
    return c->op->result_count ? cg_custom_hint(c) : WEFT_OK;
}
