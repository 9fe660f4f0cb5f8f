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

/* A conversion to a narrower float type: where a program of wider arguments rounds. */
static bool narrows(const weft_op *op) {
    if (op->kind != WEFT_OP_convert) return false;
    const weft_dtype from = weft_dtype_part(op->operands[0]->type->dtype);
    const weft_dtype to = weft_dtype_part(op->results[0].type->dtype);
    return weft_dtype_is_float(from) && weft_dtype_is_float(to) && weft_verify_epsilon(from) < weft_verify_epsilon(to);
}

static weft_status nudge_rounding(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    if (!narrows(op)) return WEFT_OK;
    weft_value *x = r->map.to[op->operands[0]->id];
    const double half = weft_verify_epsilon(weft_dtype_part(op->results[0].type->dtype)) / 2;
    weft_value *by = weft_build_splat(b, x->type, 1 + half);
    x = by ? weft_build_binary(b, WEFT_OP_multiply, x, by) : NULL;
    weft_value *to = x ? weft_build_1(b, WEFT_OP_convert, op->results[0].type, &x, 1, NULL, 0) : NULL;
    r->map.to[op->results[0].id] = to;
    *did = WEFT_DONE;
    return to ? WEFT_OK : weft_oom();
}

static weft_status nudge_constant(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
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

static weft_status finds_narrowing(void *user, weft_op *op) {
    *(bool *)user |= narrows(op);
    return WEFT_OK;
}

weft_status weft_module_nudge(const weft_module *m, bool constants, weft_module **out) {
    bool rounds = false;
    *out = NULL;
    weft_status st = constants ? WEFT_OK : weft_module_walk(m, finds_narrowing, &rounds);
    if (st != WEFT_OK || (!constants && !rounds)) return st;
    weft_arena arena;
    weft_arena_init(&arena, &m->cx->chunks);
    st = weft_rewrite_module(&(weft_rewrite){ .op = constants ? nudge_constant : nudge_rounding }, m, &arena, out);
    weft_arena_free(&arena);
    return st;
}
