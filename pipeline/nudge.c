/* nudge: changes numbers by a few units in the last place, to find out how far a program amplifies rounding; see
 * verify_internal.h. */
#include "ir/rewrite.h"
#include "pipeline/verify_internal.h"

double weft_verify_epsilon(weft_dtype t) {
    char bytes[16];
    double e = 1;
    for (;; e /= 2) {
        weft_dtype_store(t, bytes, 1 + e / 2);
        if (weft_dtype_load(t, bytes) == 1) return e; /* ties go to even */
    }
}

void weft_numbers_nudge(void *data, size_t n, weft_dtype part) {
    const size_t bytes = weft_dtype_bytes(part);
    const double step = WEFT_VERIFY_NUDGE * weft_verify_epsilon(part);
    for (size_t i = 0; i < n; i++) {
        char *at = (char *)data + i * bytes;
        weft_dtype_store(part, at, weft_dtype_load(part, at) * (1 + (i * 0x9e3779b97f4a7c15u >> 63 ? step : -step)));
    }
}

static const weft_attr *nudged(weft_context *cx, const weft_attr *a, weft_dtype part) {
    const size_t n = a->dense.bytes / weft_dtype_bytes(part);
    weft_mark mark = weft_arena_mark(&cx->scratch);
    char *copy = weft_scratch_array(cx, char, a->dense.bytes + 1);
    const weft_attr *made = NULL;
    if (copy) {
        memcpy(copy, a->dense.p, a->dense.bytes);
        weft_numbers_nudge(copy, n, part);
        made = weft_attr_dense(cx, a->type, copy, a->dense.splat);
    }
    weft_arena_reset(&cx->scratch, mark);
    return made;
}

static weft_status visit(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const weft_attr *value =
        weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_CONSTANT) ? weft_op_attr(op, WEFT_A_value) : NULL;
    const weft_dtype part =
        value && value->kind == WEFT_ATTR_DENSE ? weft_dtype_part(op->results[0].type->dtype) : WEFT_DTYPE_NONE;
    if (!weft_dtype_is_float(part)) return WEFT_OK;
    weft_op *made = weft_clone_op(b, op, &r->map);
    const weft_attr *to = made ? nudged(r->out->cx, value, part) : NULL;
    *did = WEFT_DONE;
    return to ? weft_op_set(r->out, made, WEFT_A_value, to) : weft_oom();
}

weft_status weft_module_nudge_constants(const weft_module *m, weft_module **out) {
    weft_arena arena;
    weft_arena_init(&arena, &m->cx->chunks);
    weft_status st = weft_rewrite_module(&(weft_rewrite){ .op = visit }, m, &arena, out);
    weft_arena_free(&arena);
    return st;
}
