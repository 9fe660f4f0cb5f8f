/* presence.c: see presence.h. */
#include "propagate/presence.h"

static bool op_has(const weft_op *op, weft_op_test test, weft_op_kind kind) {
    if (test ? test(op) : op->kind == kind) return true;
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            WEFT_EACH_OP(inner, b)
                if (op_has(inner, test, kind)) return true;
    return false;
}

bool weft_module_has(const weft_module *m, weft_op_test test) { return op_has(m->root, test, WEFT_OP_COUNT); }
bool weft_module_has_kind(const weft_module *m, weft_op_kind kind) {
    return weft_module_had(m, kind) && op_has(m->root, NULL, kind);
}
