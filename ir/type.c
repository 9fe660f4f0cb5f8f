/* type.c: the table of uniqued types, hashed over content, ids in order of creation. */
#include "ir/type.h"

#include "base/table.h"
#include "ir/attr.h"
#include "ir/prepare.h"

_Static_assert((int)WEFT_A_COUNT + (int)WEFT_OP_COUNT <= WEFT_RESERVED_NAMES,
               "more well-known names than reserved ids");

struct weft_type_table { weft_table of; };

bool weft_ir_prepare(weft_context *cx) {
    if (cx->types) return true;
    weft_type_table *t = weft_arena_new(&cx->arena, weft_type_table);
    if (!t) return false;
    for (uint32_t i = 0; i < WEFT_A_COUNT; i++)
        if (!weft_name_reserve(cx, weft_attr_names[i], i)) return false;
    for (uint32_t i = 0; i < WEFT_OP_other; i++)
        if (!weft_name_reserve(cx, weft_op_table[i].name, WEFT_A_COUNT + i)) return false;
    cx->types = t;
    return true;
}

static uint64_t hash_type(const weft_type *t) {
    uint64_t h = weft_hash_mix(weft_hash_mix(t->kind, t->dtype), t->rank);
    for (uint32_t i = 0; i < t->rank; i++) h = weft_hash_mix(h, (uint64_t)t->dims[i]);
    for (uint32_t i = 0; i < t->part_count; i++) h = weft_hash_mix(h, t->parts[i]->id);
    h = weft_hash_bytes(h, t->text.p, t->text.n);
    if (t->encoding) h = weft_hash_mix(h, weft_attr_hash(t->encoding));
    if (t->quant) h = weft_hash_mix(h, weft_quant_hash(t->quant));
    h = weft_hash_mix(h, t->input_count);
    return weft_hash_end(h);
}

static bool same_type(const weft_type *a, const weft_type *b) {
    return a->kind == b->kind && a->dtype == b->dtype && a->rank == b->rank && a->part_count == b->part_count &&
           a->input_count == b->input_count && (!a->rank || !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims)) &&
           (!a->part_count || !memcmp(a->parts, b->parts, a->part_count * sizeof *a->parts)) &&
           weft_str_equal(a->text, b->text) && weft_attr_equal(a->encoding, b->encoding) &&
           weft_quant_equal(a->quant, b->quant);
}

static const weft_quant *copy_quant(weft_context *cx, const weft_quant *q) {
    weft_quant *copy = weft_arena_dup(&cx->arena, q, sizeof *q, _Alignof(weft_quant));
    if (!copy || !q->count) return copy;
    copy->scales = weft_arena_dup(&cx->arena, q->scales, q->count * sizeof *q->scales, _Alignof(double));
    copy->zero_points =
        weft_arena_dup(&cx->arena, q->zero_points, q->count * sizeof *q->zero_points, _Alignof(int64_t));
    return copy->scales && copy->zero_points ? copy : NULL;
}

/* The dims of a scalar: copying none of them from NULL would be undefined. */
static const int64_t no_dims[1];

static const weft_type *unique(weft_context *cx, const weft_type *want) {
    if (!weft_ir_prepare(cx)) return NULL;
    weft_type_table *t = cx->types;
    const uint64_t hash = hash_type(want);
    size_t probe = 0;
    for (const weft_type *old; (old = weft_table_next(&t->of, hash, &probe));)
        if (same_type(old, want)) return old;

    weft_type *n = weft_arena_new(&cx->arena, weft_type);
    if (!n) return NULL;
    *n = *want;
    n->id = (uint32_t)t->of.count;
    if (!want->rank) n->dims = no_dims;
    if (want->rank &&
        !(n->dims = weft_arena_dup(&cx->arena, want->dims, want->rank * sizeof *want->dims, _Alignof(int64_t))))
        return NULL;
    if (want->part_count &&
        !(n->parts = weft_arena_dup(&cx->arena, want->parts, want->part_count * sizeof *want->parts, _Alignof(void *))))
        return NULL;
    if (want->text.n && !(n->text.p = weft_arena_strdup(&cx->arena, want->text.p, want->text.n))) return NULL;
    if (want->quant && !(n->quant = copy_quant(cx, want->quant))) return NULL;
    return weft_table_add(&t->of, &cx->arena, hash, n) ? n : NULL;
}

const weft_type *weft_type_tensor(weft_context *cx, weft_dtype dtype, uint32_t rank, const int64_t *dims) {
    return weft_type_tensor_encoded(cx, dtype, rank, dims, NULL);
}

const weft_type *weft_type_tensor_encoded(weft_context *cx, weft_dtype dtype, uint32_t rank, const int64_t *dims,
                                          const weft_attr *encoding) {
    return unique(cx, &(weft_type){
                          .kind = WEFT_TYPE_TENSOR, .dtype = dtype, .rank = rank, .dims = dims, .encoding = encoding });
}

const weft_type *weft_type_scalar(weft_context *cx, weft_dtype dtype) {
    return unique(cx, &(weft_type){ .kind = WEFT_TYPE_SCALAR, .dtype = dtype });
}

const weft_type *weft_type_quant_tensor(weft_context *cx, const weft_quant *quant, uint32_t rank, const int64_t *dims,
                                        const weft_attr *encoding) {
    return unique(cx, &(weft_type){ .kind = WEFT_TYPE_TENSOR, .dtype = quant->storage, .rank = rank, .dims = dims,
                                    .encoding = encoding, .quant = quant });
}

const weft_type *weft_type_quant_scalar(weft_context *cx, const weft_quant *quant) {
    return unique(cx, &(weft_type){ .kind = WEFT_TYPE_SCALAR, .dtype = quant->storage, .quant = quant });
}

const weft_type *weft_type_foreign(weft_context *cx, const weft_type *element, uint32_t rank, const int64_t *dims,
                                   const weft_attr *encoding) {
    weft_dtype held = element->kind == WEFT_TYPE_INDEX ? WEFT_I64 : WEFT_DTYPE_NONE;
    return unique(cx, &(weft_type){ .kind = WEFT_TYPE_FOREIGN, .dtype = held, .rank = rank, .dims = dims,
                                    .encoding = encoding, .parts = &element, .part_count = 1 });
}

const weft_type *weft_type_simple(weft_context *cx, weft_type_kind kind) {
    return unique(cx, &(weft_type){ .kind = kind });
}

const weft_type *weft_type_tuple(weft_context *cx, const weft_type *const *parts, uint32_t n) {
    return unique(cx, &(weft_type){ .kind = WEFT_TYPE_TUPLE, .parts = parts, .part_count = n });
}

const weft_type *weft_type_future(weft_context *cx, const weft_type *const *parts, uint32_t n) {
    return unique(cx, &(weft_type){ .kind = WEFT_TYPE_FUTURE, .parts = parts, .part_count = n });
}

const weft_type *weft_type_function(weft_context *cx, const weft_type *const *in, uint32_t n_in,
                                    const weft_type *const *out, uint32_t n_out) {
    if (n_in > UINT32_MAX - n_out) return NULL;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    const weft_type **parts = weft_scratch_array(cx, const weft_type *, n_in + n_out);
    const weft_type *t = NULL;
    if (parts) {
        if (n_in) memcpy(parts, in, n_in * sizeof *parts);
        if (n_out) memcpy(parts + n_in, out, n_out * sizeof *parts);
        t = unique(cx,
                   &(weft_type){
                       .kind = WEFT_TYPE_FUNCTION, .parts = parts, .part_count = n_in + n_out, .input_count = n_in });
    }
    weft_arena_reset(&cx->scratch, mark);
    return t;
}

const weft_type *weft_type_opaque(weft_context *cx, weft_str text) {
    return unique(cx, &(weft_type){ .kind = WEFT_TYPE_OPAQUE, .text = text });
}

bool weft_type_is_static(const weft_type *t) {
    if (t->kind != WEFT_TYPE_TENSOR && t->kind != WEFT_TYPE_FOREIGN) return false;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->dims[i] == WEFT_DYNAMIC) return false;
    return true;
}

const weft_type *weft_type_with_dims(weft_context *cx, const weft_type *t, uint32_t rank, const int64_t *dims) {
    if (t->quant) return weft_type_quant_tensor(cx, t->quant, rank, dims, t->encoding);
    if (t->kind == WEFT_TYPE_FOREIGN) return weft_type_foreign(cx, t->parts[0], rank, dims, t->encoding);
    return weft_type_tensor_encoded(cx, t->dtype, rank, dims, t->encoding);
}

const weft_type *weft_type_with_dim(weft_context *cx, const weft_type *t, uint32_t d, int64_t size) {
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t k = 0; k < t->rank; k++) dims[k] = k == d ? size : t->dims[k];
    return weft_type_with_dims(cx, t, t->rank, dims);
}

const weft_type *weft_type_with_dtype(weft_context *cx, const weft_type *t, weft_dtype dtype) {
    return weft_type_tensor_encoded(cx, dtype, t->rank, t->dims, t->encoding);
}

int64_t weft_type_elems(const weft_type *t) {
    int64_t n = 1;
    if (t->kind != WEFT_TYPE_TENSOR && t->kind != WEFT_TYPE_FOREIGN) return t->kind == WEFT_TYPE_SCALAR ? 1 : -1;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->dims[i] < 0 || !weft_mul_i64(n, t->dims[i], &n)) return -1;
    return n;
}

static int64_t elems_before(const weft_type *t, uint32_t d) {
    int64_t p = 1;
    for (uint32_t i = 0; i < d; i++) p *= t->dims[i];
    return p;
}

int64_t weft_type_dim_before(const weft_type *from, const weft_type *to, uint32_t d) {
    for (uint32_t i = 0; i < from->rank; i++)
        if (from->dims[i] == to->dims[d] && elems_before(from, i) == elems_before(to, d)) return i;
    return -1;
}

int64_t weft_type_bytes(const weft_type *t) {
    if (t->kind == WEFT_TYPE_TOKEN) return 0;
    int64_t n = weft_type_elems(t);
    return n < 0 || !t->dtype || !weft_mul_i64(n, (int64_t)weft_dtype_bytes(t->dtype), &n) ? -1 : n;
}

static void print_dims(weft_buf *b, const weft_type *t) {
    for (uint32_t i = 0; i < t->rank; i++) {
        if (t->dims[i] == WEFT_DYNAMIC) weft_buf_putc(b, '?');
        else weft_buf_i64(b, t->dims[i]);
        weft_buf_putc(b, 'x');
    }
}

static void print_parts(weft_buf *b, const weft_type *const *parts, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (i) weft_buf_puts(b, ", ");
        weft_type_print(b, parts[i]);
    }
}

/* A single result is printed without parentheses unless it is a function itself. */
static void print_function(weft_buf *b, const weft_type *t) {
    uint32_t out = t->part_count - t->input_count;
    bool bare = out == 1 && t->parts[t->input_count]->kind != WEFT_TYPE_FUNCTION;
    weft_buf_putc(b, '(');
    print_parts(b, t->parts, t->input_count);
    weft_buf_puts(b, bare ? ") -> " : ") -> (");
    print_parts(b, t->parts + t->input_count, out);
    if (!bare) weft_buf_putc(b, ')');
}

void weft_bounds_print(weft_buf *b, weft_ints bounds) {
    weft_buf_puts(b, "#stablehlo.bounds<");
    for (uint32_t i = 0; i < bounds.n; i++) {
        if (i) weft_buf_puts(b, ", ");
        if (bounds.v[i] == WEFT_DYNAMIC) weft_buf_putc(b, '?');
        else weft_buf_i64(b, bounds.v[i]);
    }
    weft_buf_putc(b, '>');
}

void weft_element_print(weft_buf *b, const weft_type *t) {
    if (t->quant) weft_quant_print(b, t->quant);
    else if (t->kind == WEFT_TYPE_FOREIGN) weft_type_print(b, t->parts[0]);
    else weft_buf_puts(b, weft_dtype_of(t->dtype)->name);
}

void weft_type_print(weft_buf *b, const weft_type *t) {
    switch (t->kind) {
    case WEFT_TYPE_TENSOR:
    case WEFT_TYPE_FOREIGN:
        weft_buf_puts(b, "tensor<");
        print_dims(b, t);
        weft_element_print(b, t);
        if (t->encoding) {
            weft_buf_puts(b, ", ");
            if (t->encoding->kind == WEFT_ATTR_BOUNDS) weft_bounds_print(b, t->encoding->ints);
            else weft_buf_str(b, t->encoding->s);
        }
        weft_buf_putc(b, '>');
        break;
    case WEFT_TYPE_SCALAR: weft_element_print(b, t); break;
    case WEFT_TYPE_INDEX: weft_buf_puts(b, "index"); break;
    case WEFT_TYPE_TOKEN: weft_buf_puts(b, "!stablehlo.token"); break;
    case WEFT_TYPE_NONE: weft_buf_puts(b, "none"); break;
    case WEFT_TYPE_TUPLE:
    case WEFT_TYPE_FUTURE:
        weft_buf_puts(b, t->kind == WEFT_TYPE_TUPLE ? "tuple<" : "!stablehlo.future<");
        print_parts(b, t->parts, t->part_count);
        weft_buf_putc(b, '>');
        break;
    case WEFT_TYPE_FUNCTION: print_function(b, t); break;
    case WEFT_TYPE_OPAQUE: weft_buf_str(b, t->text); break;
    }
}
