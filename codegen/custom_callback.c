/* custom_callback.c: weft_callback, a call of a function of the process that runs the program: a step in C.
 *
 * Its backend_config has `id`, the number by which the process knows the function, and `once`: whether it is called
 * for one partition only, on behalf of all. exec/step.h says how the process gets the call.
 */
#include "codegen/custom_call.h"
#include "exec/kernels/callback.h"
#include "ir/signature.h"

static bool read_int(const weft_op *op, const char *name, int64_t *out) {
    const weft_attr *a = weft_custom_call_config(op, name);
    if (!a || a->kind != WEFT_ATTR_INT) return false;
    *out = a->i;
    return true;
}

weft_status cg_custom_callback(cg_custom *c) {
    const uint32_t n = c->op->result_count;
    int64_t id, once;
    if (!read_int(c->op, "id", &id) || !read_int(c->op, "once", &once))
        return cg_custom_bad(c, "whole numbers 'id' and 'once' in its backend_config");
    const size_t bytes = sizeof(weft_callback_state) + n * sizeof(int64_t);
    weft_callback_state *s =
        (weft_callback_state *)weft_arena_array(&c->im->g->arena, int64_t, bytes / sizeof(int64_t));
    if (!s) return weft_oom();
    *s = (weft_callback_state){ .id = id, .operands = (int32_t)c->op->operand_count, .results = (int32_t)n,
                                .once = once != 0 };
    for (uint32_t r = 0; r < n; r++) {
        s->result_bytes[r] = weft_type_bytes(c->types[r]);
        s->bytes += s->result_bytes[r];
    }
    return cg_custom_call(c, &(cg_call_spec){ .kernel = &weft_kernel_callback, .state = s, .state_bytes = bytes });
}
