/* spot.c: see spot.h. */
#include "partitioner/prepare/spot.h"

bool weft_spot_is_full(const weft_spot *s, const weft_type *whole, uint32_t d) { return s->n[d] == whole->dims[d]; }

/* A vector along dimension d of what lies at s, or a place in it. */
typedef struct row {
    weft_shardings *t;
    weft_builder *b;
    const weft_sharding *s;
    const weft_type *type;
    uint32_t d;
} row;

static weft_value *placed(const row *r, weft_value *v) {
    const weft_sharding *s = r->s;
    if (!v || !s) return v;
    s = weft_sharding_make(r->t, s->mesh, 1, &s->dims[r->d], s->replicated, (weft_axes){ 0 });
    r->b->status = s ? weft_op_set_shardings(r->t, r->b->m, v->def, &s) : weft_oom();
    return r->b->status == WEFT_OK ? v : NULL;
}

static weft_value *number(const row *r, int64_t n) {
    weft_context *cx = r->b->m->cx;
    weft_value *v = weft_build_integer(r->b, weft_type_tensor(cx, r->type->dtype, 0, NULL), n);
    return v ? placed(r, weft_build_broadcast(r->b, v, r->type, NULL)) : NULL;
}

static weft_value *binary(const row *r, weft_op_kind kind, weft_value *x, weft_value *y) {
    return x && y ? placed(r, weft_build_binary(r->b, kind, x, y)) : NULL;
}

static weft_value *compared(const row *r, weft_value *x, weft_enum_value way, weft_value *y) {
    weft_context *cx = r->b->m->cx;
    const weft_attr_pair attrs[] = { { WEFT_A_comparison_direction, weft_attr_enum(cx, way) } };
    weft_value *operands[] = { x, y };
    if (!x || !y) return NULL;
    return placed(r, weft_build_1(r->b, WEFT_OP_compare, weft_type_with_dtype(cx, r->type, WEFT_I1), operands, 2, attrs,
                                  1));
}

/* Whether elements of the row are the spot's. NULL when memory is out. */
static weft_value *inside_of(const row *r, const weft_spot *spot) {
    const int64_t at = spot->at[r->d], step = spot->step[r->d], end = at + (spot->n[r->d] - 1) * step + 1;
    const weft_attr_pair along[] = { { WEFT_A_iota_dimension, weft_attr_i64(r->b->m->cx, 0) } };
    weft_value *i = placed(r, weft_build_1(r->b, WEFT_OP_iota, r->type, NULL, 0, along, 1)), *in = NULL;
    if (at >= step) in = compared(r, i, WEFT_comparison_direction_GE, number(r, at));
    if (end + step <= r->type->dims[0]) {
        weft_value *before = compared(r, i, WEFT_comparison_direction_LT, number(r, end));
        in = in ? binary(r, WEFT_OP_and, in, before) : before;
    }
    if (step > 1) {
        weft_value *left = binary(r, WEFT_OP_remainder, i, number(r, step));
        weft_value *meets = compared(r, left, WEFT_comparison_direction_EQ, number(r, at % step));
        in = in ? binary(r, WEFT_OP_and, in, meets) : meets;
    }
    return in ? in : compared(r, i, WEFT_comparison_direction_GE, number(r, 0));
}

weft_value *weft_spot_select(weft_shardings *t, weft_builder *b, const weft_op *op, const weft_sharding *s,
                             const weft_spot *spot, weft_value *inside, weft_value *outside) {
    const weft_type *whole = op->results[0].type, *truth = weft_type_with_dtype(b->m->cx, whole, WEFT_I1);
    weft_value *pred = NULL;
    for (uint32_t d = 0; truth && d < whole->rank; d++) {
        const int64_t size = whole->dims[d], dim = d;
        const row r = { t, b, s, weft_type_tensor(b->m->cx, size > INT32_MAX ? WEFT_I64 : WEFT_I32, 1, &size), d };
        if (weft_spot_is_full(spot, whole, d)) continue;
        weft_value *in = r.type ? inside_of(&r, spot) : NULL;
        if (in) in = weft_sharded_like(b, op, weft_build_broadcast(b, in, truth, &dim));
        if (!in) return NULL;
        pred = pred ? weft_sharded_like(b, op, weft_build_binary(b, WEFT_OP_and, pred, in)) : in;
    }
    if (!pred || !inside || !outside) return truth && !pred ? inside : NULL;
    weft_value *operands[] = { pred, inside, outside };
    return weft_sharded_like(b, op, weft_build_1(b, WEFT_OP_select, whole, operands, 3, NULL, 0));
}
