/* index_type.c: see index_type.h. */
#include "ir/index_type.h"

static int64_t longest(const weft_type *t, int64_t most) {
    for (uint32_t d = 0; t && weft_type_is_tensor(t) && d < t->rank; d++) most = weft_max_i64(most, t->dims[d]);
    return most;
}

static weft_status visit(void *user, weft_op *op) {
    int64_t *most = user;
    for (uint32_t i = 0; i < op->result_count; i++) *most = longest(op->results[i].type, *most);
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            for (uint32_t i = 0; i < b->arg_count; i++) *most = longest(b->args[i]->type, *most);
    return WEFT_OK;
}

weft_dtype weft_module_index_dtype(const weft_module *m) {
    int64_t most = 0;
    (void)weft_module_walk(m, visit, &most); /* visit does not fail */
    return weft_index_dtype(most);
}
