/* bytecode_write_type.c: types in bytecode, those of builtin, StableHLO and quant, and VHLO's. */
#include <assert.h>
#include "mlir/bytecode_write.h"
#include "mlir/read.h"

/* The entry that a type becomes. */
typedef struct encoder {
    bc_writer *w;
    bw_side side;
    weft_buf b;
    const char *dialect;
    bw_encoding encoding;
} encoder;

static const weft_type *made(bc_writer *w, const weft_type *t) {
    if (!t) bw_oom(w);
    return t;
}

static void part(encoder *e, const weft_type *t) {
    if (t) bw_int(&e->b, bw_type(e->w, e->side, t));
}

static void parts(encoder *e, const weft_type *const *v, uint32_t n) {
    bw_int(&e->b, n);
    for (uint32_t i = 0; i < n; i++) part(e, v[i]);
}

static void code(encoder *e, int builtin, int vhlo) { bw_int(&e->b, (uint64_t)(e->side == BW_VHLO ? vhlo : builtin)); }

static void stablehlo(encoder *e, stablehlo_type own, int vhlo) {
    if (e->side == BW_OWN) e->dialect = "stablehlo";
    code(e, own, vhlo);
}

static void as_text(encoder *e, const weft_type *t) {
    e->dialect = "builtin";
    e->encoding = BW_TEXT;
    weft_type_print(&e->b, t);
    weft_buf_putc(&e->b, 0);
}

static void needs(encoder *e, const weft_type *t, unsigned since) {
    if (e->side != BW_VHLO || since <= e->w->vhlo) return;
    weft_buf text;
    weft_buf_init(&text, &e->w->cx->alloc);
    weft_type_print(&text, t);
    bw_refuse_newer(e->w, since, "type '%.*s'", (int)text.n, text.p ? text.p : "");
    weft_buf_free(&text);
}

/* Signless integers are VHLO's signed ones. */
static void scalar(encoder *e, const weft_type *t) {
    enum { SIGNLESS = 0, UNSIGNED = 2 };
    const bc_scalar *s = bc_scalar_of(t->dtype);
    const weft_dtype_info *info = weft_dtype_of(t->dtype);
    if (!s) {
        assert(weft_dtype_is_complex(t->dtype));
        code(e, BUILTIN_T_COMPLEX, VHLO_T_COMPLEX);
        part(e, made(e->w, weft_type_scalar(e->w->cx, weft_dtype_part(t->dtype))));
        return;
    }
    needs(e, t, s->since);
    if (e->side == BW_OWN && s->builtin < 0) {
        bw_int(&e->b, BUILTIN_T_INTEGER);
        bw_int(&e->b, (uint64_t)info->bits << 2 | (info->kind == WEFT_KIND_UINT ? UNSIGNED : SIGNLESS));
    } else {
        code(e, s->builtin, s->vhlo);
    }
}

static void quant(encoder *e, const weft_type *t) {
    const weft_quant *q = t->quant;
    const bool per_axis = weft_quant_per_axis(q);
    const weft_dtype storage = bc_quant_storage(q->storage, true);
    weft_context *cx = e->w->cx;
    if (e->side == BW_OWN) e->dialect = "quant";
    if (per_axis) needs(e, t, BC_VHLO(0, 18));
    code(e, per_axis ? QUANT_T_UNIFORM_PER_AXIS : QUANT_T_UNIFORM, per_axis ? VHLO_T_QUANT_PER_AXIS : VHLO_T_QUANT);
    bw_int(&e->b, storage == q->storage);
    part(e, made(e->w, weft_type_scalar(cx, storage)));
    part(e, made(e->w, weft_type_scalar(cx, q->expressed)));
    if (per_axis) bw_int(&e->b, (uint64_t)q->axis);
    else bw_real(&e->b, q->scales[0]);
    if (!per_axis) bw_signed(&e->b, q->zero_points[0]);
    bw_signed(&e->b, q->min);
    bw_signed(&e->b, q->max);
    if (!per_axis) return;
    bw_int(&e->b, q->count);
    for (uint32_t i = 0; i < q->count; i++) bw_real(&e->b, q->scales[i]);
    bw_ints(&e->b, (weft_ints){ q->zero_points, q->count });
}

static const weft_type *element(bc_writer *w, const weft_type *t) {
    if (t->kind == WEFT_TYPE_FOREIGN) return t->parts[0];
    return made(w, t->quant ? weft_type_quant_scalar(w->cx, t->quant) : weft_type_scalar(w->cx, t->dtype));
}

static void tensor(encoder *e, const weft_type *t) {
    if (!t->encoding) {
        code(e, BUILTIN_T_TENSOR, VHLO_T_RANKED);
    } else {
        code(e, BUILTIN_T_TENSOR_ENCODED, VHLO_T_RANKED_ENCODED);
        if (e->side == BW_VHLO && t->encoding->kind != WEFT_ATTR_BOUNDS)
            bw_refuse(e->w, "VHLO has no such encoding of a tensor as '%.*s'", WEFT_STR_ARG(t->encoding->s));
        bw_int(&e->b, e->side == BW_VHLO ? bw_vhlo_attr(e->w, t->encoding) : bw_attr(e->w, t->encoding));
    }
    bw_ints(&e->b, (weft_ints){ t->dims, t->rank });
    part(e, element(e->w, t));
}

/* The type in the text of another, at p. */
static const weft_type *inner(bc_writer *w, const weft_type *whole, const char *before, weft_str p) {
    const weft_type *t = NULL;
    weft_buf text;
    weft_buf_init(&text, &w->cx->alloc);
    weft_buf_puts(&text, before);
    weft_buf_str(&text, p);
    const weft_status st = text.failed ? weft_oom() : weft_read_type(w->cx, (weft_str){ text.p, text.n }, &t);
    if (st != WEFT_OK && st != WEFT_ERR_MEMORY)
        weft_note(w->cx, w->op->loc, "in the type '%.*s'", WEFT_STR_ARG(whole->text));
    if (w->status == WEFT_OK) w->status = st;
    weft_buf_free(&text);
    return t;
}

static bool begins(weft_str text, const char *with) {
    return text.n > strlen(with) && !memcmp(text.p, with, strlen(with));
}

static void no_such_type(encoder *e, const weft_type *t) {
    bw_refuse(e->w, "VHLO has no type '%.*s'", WEFT_STR_ARG(t->text));
}

/* Types that Weft keeps as text, of which VHLO has some. Those of other dialects pass. */
static void text_in_vhlo(encoder *e, const weft_type *t) {
    static const char unranked[] = "tensor<*x", buffer[] = "memref<";
    const size_t u = sizeof unranked - 1, m = sizeof buffer - 1;
    if (weft_str_is(t->text, "tf32")) {
        needs(e, t, BC_VHLO(1, 6));
        bw_int(&e->b, VHLO_T_TF32);
    } else if (weft_str_is(t->text, "!shape.witness")) {
        bw_int(&e->b, VHLO_T_WITNESS);
    } else if (begins(t->text, unranked)) {
        bw_int(&e->b, VHLO_T_UNRANKED);
        part(e, inner(e->w, t, "", (weft_str){ t->text.p + u, t->text.n - u - 1 }));
    } else if (begins(t->text, buffer) && !memchr(t->text.p, ',', t->text.n)) {
        const weft_type *like = inner(e->w, t, "tensor<", (weft_str){ t->text.p + m, t->text.n - m });
        if (!like) return;
        if (like->kind == WEFT_TYPE_OPAQUE) {
            no_such_type(e, t);
            return;
        }
        needs(e, t, BC_VHLO(1, 13));
        bw_int(&e->b, VHLO_T_BUFFER);
        bw_ints(&e->b, (weft_ints){ like->dims, like->rank });
        part(e, element(e->w, like));
    } else if (begins(t->text, "!")) {
        as_text(e, t);
    } else {
        no_such_type(e, t);
    }
}

static void encode(encoder *e, const weft_type *t) {
    switch (t->kind) {
    case WEFT_TYPE_TENSOR:
    case WEFT_TYPE_FOREIGN: tensor(e, t); break;
    case WEFT_TYPE_SCALAR:
        if (t->quant) quant(e, t);
        else scalar(e, t);
        break;
    case WEFT_TYPE_INDEX: code(e, BUILTIN_T_INDEX, VHLO_T_INDEX); break;
    case WEFT_TYPE_TOKEN: stablehlo(e, STABLEHLO_T_TOKEN, VHLO_T_TOKEN); break;
    case WEFT_TYPE_TUPLE:
        code(e, BUILTIN_T_TUPLE, VHLO_T_TUPLE);
        parts(e, t->parts, t->part_count);
        break;
    case WEFT_TYPE_FUTURE:
        needs(e, t, BC_VHLO(1, 15));
        stablehlo(e, STABLEHLO_T_FUTURE, VHLO_T_FUTURE);
        parts(e, t->parts, t->part_count);
        break;
    case WEFT_TYPE_FUNCTION:
        code(e, BUILTIN_T_FUNCTION, VHLO_T_FUNCTION);
        parts(e, t->parts, t->input_count);
        parts(e, t->parts + t->input_count, t->part_count - t->input_count);
        break;
    case WEFT_TYPE_NONE:
        needs(e, t, BC_VHLO(1, 6));
        code(e, BUILTIN_T_NONE, VHLO_T_NONE);
        break;
    case WEFT_TYPE_OPAQUE:
        if (e->side == BW_VHLO) text_in_vhlo(e, t);
        else as_text(e, t);
        break;
    }
}

static bool has_room(bc_writer *w, bw_side side, uint32_t id) {
    if (id < w->known_cap[side]) return true;
    if (weft_arena_grow(&w->arena, (void **)&w->known_types[side], &w->known_cap[side], (size_t)id + 1,
                        sizeof **w->known_types))
        return true;
    bw_oom(w);
    return false;
}

uint32_t bw_type(bc_writer *w, bw_side side, const weft_type *t) {
    if (t->id < w->known_cap[side] && w->known_types[side][t->id]) return w->known_types[side][t->id] - 1;
    encoder e = { .w = w, .side = side, .dialect = side == BW_VHLO ? "vhlo" : "builtin", .encoding = BW_ENCODED };
    weft_buf_init(&e.b, &w->cx->alloc);
    encode(&e, t);
    const uint32_t number = bw_add(w, &w->types, e.dialect, e.encoding, &e.b);
    if (has_room(w, side, t->id)) w->known_types[side][t->id] = number + 1;
    return number;
}
