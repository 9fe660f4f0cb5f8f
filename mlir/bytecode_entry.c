/* bytecode_entry.c: the attributes, types and locations of a bytecode file, decoded when they are first named. */
#include <stdlib.h>
#include "mlir/bytecode.h"

const weft_attr *bc_made(bc_reader *f, const weft_attr *a) {
    if (!a) bc_oom(f);
    return a;
}

const weft_type *bc_made_type(bc_reader *f, const weft_type *t) {
    if (!t) bc_oom(f);
    return t;
}

static uint64_t left(const bc_reader *f) {
    const uint64_t most = BC_FREE_NODES + BC_NODES_PER_BYTE * (uint64_t)f->size;
    return most > f->r.nodes ? most - f->r.nodes : 0;
}

bool bc_spend(bc_reader *f, const uint8_t *at, uint64_t nodes) {
    if (nodes > left(f)) return bc_fail(f, at, "attributes and types that spell out too much");
    f->r.nodes += nodes;
    return true;
}

/* MLIR's text with a NUL, as dialects without an encoding have. */
static bool text_entry(bc_reader *f, bc_entry *e, bool is_type) {
    const uint8_t *at = e->bytes.p;
    const size_t n = (size_t)(e->bytes.end - at);
    if (!n || memchr(at, 0, n) != at + n - 1) return bc_fail(f, at, "a text that does not end with a NUL");
    const weft_str text = { (const char *)at, n - 1 };
    weft_status st = is_type ? weft_read_type(f->r.cx, text, &e->as.type) : weft_read_attr(f->r.cx, text, &e->as.attr);
    if (st != WEFT_OK) {
        if (st != WEFT_ERR_MEMORY)
            weft_note(f->r.cx, NULL, "in the %s at byte %zu of '%s': %.*s", is_type ? "type" : "attribute",
                      (size_t)(at - f->begin), f->file, n > 200 ? 200 : (int)text.n, text.p);
        f->r.status = st;
        return false;
    }
    e->state = is_type ? BC_TYPE : BC_ATTR;
    return bc_spend(f, at, n);
}

static const weft_attr *encoded_attr(bc_reader *f, bc_in *in, bc_dialect dialect) {
    switch (dialect) {
    case BC_VHLO: return bc_vhlo_attr(f, in);
    case BC_SDY: return bc_sdy_attr(f, in);
    case BC_STABLEHLO: return bc_stablehlo_attr(f, in);
    case BC_CHLO: return bc_chlo_attr(f, in);
    default:
        bc_fail_as(f, WEFT_D_unsupported, in->p, "an attribute of a dialect whose encoding Weft does not know");
        return NULL;
    }
}

static const weft_type *encoded_type(bc_reader *f, bc_in *in, bc_dialect dialect) {
    switch (dialect) {
    case BC_BUILTIN: return bc_builtin_type(f, in);
    case BC_VHLO: return bc_vhlo_type(f, in);
    case BC_STABLEHLO: return bc_stablehlo_type(f, in);
    case BC_QUANT: return bc_quant_type(f, in);
    default:
        bc_fail_as(f, WEFT_D_unsupported, in->p, "a type of a dialect whose encoding Weft does not know");
        return NULL;
    }
}

static bool decode(bc_reader *f, bc_entry *e, bool is_type) {
    if (e->is_text) return text_entry(f, e, is_type);
    bc_in in = e->bytes;
    if (is_type) {
        if (!(e->as.type = encoded_type(f, &in, e->dialect))) return false;
        e->state = BC_TYPE;
    } else if (e->dialect == BC_BUILTIN) {
        if (!bc_builtin_attr(f, &in, e)) return false;
    } else {
        if (!(e->as.attr = encoded_attr(f, &in, e->dialect))) return false;
        e->state = BC_ATTR;
    }
    return in.p == in.end || bc_fail(f, in.p, "bytes after an attribute or type");
}

/* Decodes e unless that is done, and accounts for what it spells out. */
static bool resolve(bc_reader *f, const uint8_t *at, bc_entry *e, bool is_type) {
    weft_reader *r = &f->r;
    if (e->state == BC_BEING_READ) return bc_fail(f, at, "an attribute or type that is a part of itself");
    if (e->state != BC_UNREAD) {
        if (r->depth + e->depth > RD_MAX_DEPTH) return bc_fail(f, at, "nested more than %d deep", RD_MAX_DEPTH);
        if (r->depth + e->depth > r->deepest) r->deepest = r->depth + e->depth;
        return bc_spend(f, at, e->nodes);
    }
    if (r->depth == RD_MAX_DEPTH) return bc_fail(f, at, "nested more than %d deep", RD_MAX_DEPTH);
    const unsigned outer = r->deepest;
    const uint64_t before = r->nodes;
    e->state = BC_BEING_READ;
    r->deepest = ++r->depth;
    if (!bc_spend(f, at, 1) || !decode(f, e, is_type)) return false;
    r->depth--;
    e->depth = (uint16_t)(r->deepest - r->depth);
    e->nodes = r->nodes - before;
    if (outer > r->deepest) r->deepest = outer;
    return true;
}

static bc_entry *attr_entry(bc_reader *f, const uint8_t *at, uint64_t index) {
    if (index >= f->attr_count)
        return bc_fail(f, at, "attribute %llu of %u", (unsigned long long)index, f->attr_count), NULL;
    return &f->attrs[index];
}

const weft_attr *bc_attr_at(bc_reader *f, const uint8_t *at, uint64_t index) {
    bc_entry *e = attr_entry(f, at, index);
    if (!e || !resolve(f, at, e, false)) return NULL;
    if (e->state != BC_ATTR) return bc_fail(f, at, "a location in place of an attribute"), NULL;
    return e->as.attr;
}

const weft_attr *bc_attr(bc_reader *f, bc_in *in) {
    const uint8_t *at = in->p;
    uint64_t index;
    return bc_int(f, in, &index) ? bc_attr_at(f, at, index) : NULL;
}

bool bc_attr_optional(bc_reader *f, bc_in *in, const weft_attr **out) {
    const uint8_t *at = in->p;
    uint64_t index;
    bool present;
    *out = NULL;
    if (!bc_flagged(f, in, &index, &present)) return false;
    return !present || (*out = bc_attr_at(f, at, index));
}

const weft_loc *bc_loc(bc_reader *f, bc_in *in) {
    const uint8_t *at = in->p;
    uint64_t index;
    bc_entry *e;
    if (!bc_int(f, in, &index) || !(e = attr_entry(f, at, index)) || !resolve(f, at, e, false)) return NULL;
    if (e->state != BC_LOC) return bc_fail(f, at, "an attribute in place of a location"), NULL;
    return e->as.loc;
}

const weft_type *bc_type_at(bc_reader *f, const uint8_t *at, uint64_t index) {
    if (index >= f->type_count)
        return bc_fail(f, at, "type %llu of %u", (unsigned long long)index, f->type_count), NULL;
    return resolve(f, at, &f->types[index], true) ? f->types[index].as.type : NULL;
}

const weft_type *bc_type(bc_reader *f, bc_in *in) {
    const uint8_t *at = in->p;
    uint64_t index;
    return bc_int(f, in, &index) ? bc_type_at(f, at, index) : NULL;
}

bool bc_open_at(bc_reader *f, const uint8_t *at, uint64_t index, bc_dialect dialect, uint64_t code, const char *what,
                bc_in *out) {
    bc_entry *e = attr_entry(f, at, index);
    uint64_t has;
    if (!e || !bc_spend(f, at, 1)) return false;
    *out = e->bytes;
    if (e->is_text || e->dialect != dialect) return bc_fail(f, at, "expected %s", what);
    return bc_int(f, out, &has) && (has == code || bc_fail(f, at, "expected %s", what));
}

bool bc_open(bc_reader *f, bc_in *in, bc_dialect dialect, uint64_t code, const char *what, bc_in *out) {
    const uint8_t *at = in->p;
    uint64_t index;
    return bc_int(f, in, &index) && bc_open_at(f, at, index, dialect, code, what, out);
}

static int by_id(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

bool bc_attrs_differ(bc_reader *f, const uint8_t *at, size_t height) {
    const size_t n = f->r.attrs.n - height;
    uint32_t *ids = weft_arena_array(&f->r.arena, uint32_t, n);
    if (!ids) return bc_oom(f);
    for (size_t i = 0; i < n; i++) ids[i] = f->r.attrs.v[height + i].name->id;
    qsort(ids, n, sizeof *ids, by_id);
    for (size_t i = 1; i < n; i++)
        if (ids[i] == ids[i - 1])
            return bc_fail(f, at, "attribute '%s' is given twice", weft_name_at(f->r.cx, ids[i])->text);
    return true;
}

bool bc_attr_list(bc_reader *f, bc_in *in) {
    uint32_t n;
    if (!bc_count(f, in, &n)) return false;
    while (n--) {
        const weft_attr *a = bc_attr(f, in);
        if (!a || !RD_PUSH(&f->r, items, a)) return false;
    }
    return true;
}

bool bc_type_list(bc_reader *f, bc_in *in) {
    uint32_t n;
    if (!bc_count(f, in, &n)) return false;
    while (n--) {
        const weft_type *t = bc_type(f, in);
        if (!t || !RD_PUSH(&f->r, types, t)) return false;
    }
    return true;
}

bool bc_signed_list(bc_reader *f, bc_in *in) {
    uint32_t n;
    if (!bc_count(f, in, &n) || !bc_spend(f, in->p, n)) return false;
    while (n--) {
        int64_t v;
        if (!bc_signed(f, in, &v) || !RD_PUSH(&f->r, ints, v)) return false;
    }
    return true;
}

bool bc_ints(bc_reader *f, bc_in *in, weft_ints *out) {
    const size_t height = f->r.ints.n;
    if (!bc_signed_list(f, in)) return false;
    const uint32_t n = (uint32_t)(f->r.ints.n - height);
    int64_t *v = weft_arena_dup(&f->r.arena, f->r.ints.v + height, n * sizeof *v, _Alignof(int64_t));
    f->r.ints.n = height;
    *out = (weft_ints){ v, n };
    return v || bc_oom(f);
}

bool bc_bits(bc_reader *f, bc_in *in, uint32_t width, uint64_t *out) {
    int64_t v;
    uint8_t byte;
    if (width <= 8) {
        if (!bc_byte(f, in, &byte)) return false;
        *out = byte & ((1u << width) - 1);
        return true;
    }
    if (!bc_signed(f, in, &v)) return false;
    *out = (uint64_t)v;
    return true;
}

/* 5 : si8, as text: of a type that is kept as text itself, i24 or ui3 */
static const weft_attr *odd_int(bc_reader *f, bc_in *in, const weft_type *type) {
    const uint8_t *at = in->p;
    const char *p = type->text.p;
    const char sign = type->kind == WEFT_TYPE_OPAQUE && type->text.n ? *p : 0;
    uint32_t width = 0;
    uint64_t bits;
    for (size_t i = 0; i < type->text.n; i++)
        if (rd_is_digit(p[i]) && width < 1 << 24) width = width * 10 + (uint32_t)(p[i] - '0');
    if ((sign != 'i' && sign != 's' && sign != 'u') || !width || width > 64)
        return bc_fail_as(f, WEFT_D_unsupported, at, "an integer attribute of a type that Weft does not know"), NULL;
    if (!bc_bits(f, in, width, &bits)) return NULL;
    const unsigned unused = 64 - width;
    weft_buf text;
    weft_buf_init(&text, &f->r.cx->alloc);
    if (sign == 'u') weft_buf_printf(&text, "%llu", (unsigned long long)(bits << unused >> unused));
    else weft_buf_i64(&text, (int64_t)(bits << unused) >> unused);
    weft_buf_printf(&text, " : %.*s", WEFT_STR_ARG(type->text));
    const weft_attr *a = bc_text_attr(f, &text, NULL);
    weft_buf_free(&text);
    return a;
}

const weft_attr *bc_int_attr(bc_reader *f, bc_in *in, const weft_type *type) {
    const bool index = type->kind == WEFT_TYPE_INDEX;
    const weft_dtype dtype = index ? WEFT_I64 : type->dtype;
    char stored[16];
    uint64_t bits;
    const bool scalar = type->kind == WEFT_TYPE_SCALAR && !type->quant;
    if (!index && !(scalar && (weft_dtype_is_integer(dtype) || dtype == WEFT_I1))) return odd_int(f, in, type);
    if (!bc_bits(f, in, weft_dtype_of(dtype)->bits, &bits)) return NULL;
    if (dtype == WEFT_I1) return bc_made(f, weft_attr_bool(f->r.cx, bits & 1));
    weft_dtype_store_int(dtype, stored, (int64_t)bits);
    return bc_made(f, weft_attr_int(f->r.cx, weft_dtype_load_int(dtype, stored), type));
}

const weft_attr *bc_float_attr(bc_reader *f, bc_in *in, const weft_type *type) {
    const uint8_t *at = in->p;
    uint64_t bits;
    if (type->kind != WEFT_TYPE_SCALAR || type->quant || !weft_dtype_is_float(type->dtype))
        return bc_fail_as(f, WEFT_D_unsupported, at, "a float attribute of a type that Weft does not know"), NULL;
    if (!bc_bits(f, in, weft_dtype_of(type->dtype)->bits, &bits)) return NULL;
    return bc_made(f, weft_attr_float(f->r.cx, weft_dtype_load(type->dtype, &bits), type));
}

/* Bools are a byte each, or packed eight to a byte; one of all ones is a splat of true. */
static bool unpack(bc_reader *f, int64_t elems, bc_in *blob) {
    const size_t n = (size_t)(blob->end - blob->p), packed = (size_t)elems / 8 + (elems % 8 != 0);
    if ((n == 1 && *blob->p == 0xFF) || n != packed || n == (size_t)elems) return true;
    uint8_t *each = weft_arena_alloc(&f->r.arena, (size_t)elems, 1);
    if (!each) return bc_oom(f);
    for (int64_t i = 0; i < elems; i++) each[i] = blob->p[i / 8] >> (i % 8) & 1;
    *blob = (bc_in){ each, each + elems };
    return true;
}

const weft_attr *bc_dense(bc_reader *f, const uint8_t *at, const weft_type *type, bc_in blob) {
    const bool tensor = type->kind == WEFT_TYPE_TENSOR || type->kind == WEFT_TYPE_FOREIGN;
    if (!tensor || !type->dtype || !weft_type_is_static(type))
        return bc_fail_as(f, WEFT_D_unsupported, at, "elements of a type that Weft does not know"), NULL;
    const int64_t elems = weft_type_elems(type), bytes = weft_type_bytes(type);
    if (elems < 0 || bytes < 0) return bc_fail(f, at, "a tensor of more than 2^63-1 bytes"), NULL;
    if (type->dtype == WEFT_I1 && !unpack(f, elems, &blob)) return NULL;
    const size_t n = (size_t)(blob.end - blob.p), one = weft_dtype_bytes(type->dtype);
    if (n != (uint64_t)elems * one && n != one)
        return bc_fail(f, at, "%zu bytes of elements, the type needs %lld", n, (long long)elems * (long long)one), NULL;
    const void *p = blob.p;
    if (weft_dtype_value_bits(type->dtype) != 0xFF) {
        char *copy = weft_arena_dup(&f->r.arena, p, n, 1);
        if (!copy) return bc_oom(f), NULL;
        rd_narrow(type->dtype, copy, n);
        p = copy;
    }
    bool splat = n >= one;
    for (size_t i = one; splat && i < n; i += one) splat = !memcmp(p, (const char *)p + i, one);
    return bc_made(f, weft_attr_dense(f->r.cx, type, p, splat));
}

const weft_attr *bc_text_attr(bc_reader *f, const weft_buf *text, const weft_type *type) {
    weft_attr a = { .kind = WEFT_ATTR_OPAQUE, .type = type };
    a.s = (weft_str){ text->p, text->n };
    return bc_made(f, text->failed ? NULL : weft_attr_copy(f->r.cx, &a));
}

const weft_type *bc_text_type(bc_reader *f, const char *fmt, ...) {
    va_list ap;
    weft_buf text;
    weft_buf_init(&text, &f->r.cx->alloc);
    va_start(ap, fmt);
    weft_buf_vprintf(&text, fmt, ap);
    va_end(ap);
    const weft_type *t = text.failed ? NULL : weft_type_opaque(f->r.cx, (weft_str){ text.p, text.n });
    weft_buf_free(&text);
    return bc_made_type(f, t);
}

/* Sizes, or -2^63 for a dynamic one, and no more than 2^63-1 elements, sizes of 0 not counted. */
static bool sizes_fit(bc_reader *f, const uint8_t *at, const int64_t *dims, uint32_t rank) {
    int64_t elems = 1;
    if (rank > WEFT_MAX_RANK) return bc_fail(f, at, "more than %d dimensions", WEFT_MAX_RANK);
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] == WEFT_DYNAMIC || !dims[i]) continue;
        if (dims[i] < 0) return bc_fail(f, at, "dimension %u has the size %lld", i, (long long)dims[i]);
        if (!weft_mul_i64(elems, dims[i], &elems)) return bc_fail(f, at, "a tensor of more than 2^63-1 elements");
    }
    return true;
}

static bool bounds_fit(bc_reader *f, const uint8_t *at, const weft_attr *encoding, const int64_t *dims, uint32_t rank) {
    if (!encoding || encoding->kind != WEFT_ATTR_BOUNDS) return true;
    if (encoding->ints.n != rank)
        return bc_fail_as(f, WEFT_D_verify, at, "%u bounds for a tensor of rank %u", encoding->ints.n, rank);
    for (uint32_t i = 0; i < rank; i++)
        if (encoding->ints.v[i] != WEFT_DYNAMIC && (dims[i] != WEFT_DYNAMIC || encoding->ints.v[i] < 0))
            return bc_fail_as(f, WEFT_D_verify, at, "dimension %u has a bound that is no bound of its size", i);
    return true;
}

/* The element type with the sizes on r.ints from height on. */
static const weft_type *tensor_of(bc_reader *f, const uint8_t *at, const weft_type *elem, size_t height,
                                  const weft_attr *encoding) {
    const uint32_t rank = (uint32_t)(f->r.ints.n - height);
    const int64_t *dims = f->r.ints.v + height;
    weft_context *cx = f->r.cx;
    char why[160];
    if (!sizes_fit(f, at, dims, rank) || !bounds_fit(f, at, encoding, dims, rank)) return NULL;
    if (elem->quant && !weft_quant_valid(elem->quant, rank, dims, why, sizeof why))
        return bc_fail_as(f, WEFT_D_verify, at, "%s", why), NULL;
    if (encoding && encoding->kind != WEFT_ATTR_OPAQUE && encoding->kind != WEFT_ATTR_BOUNDS) {
        bool too_long;
        encoding = rd_printed(&f->r, encoding, (size_t)left(f) + 1, &too_long);
        if (too_long) (void)bc_spend(f, at, left(f) + 1); /* reports it */
        if (!encoding || !bc_spend(f, at, encoding->s.n)) return NULL;
    }
    if (elem->kind != WEFT_TYPE_SCALAR) return bc_made_type(f, weft_type_foreign(cx, elem, rank, dims, encoding));
    return bc_made_type(f, elem->quant ? weft_type_quant_tensor(cx, elem->quant, rank, dims, encoding)
                                       : weft_type_tensor_encoded(cx, elem->dtype, rank, dims, encoding));
}

const weft_type *bc_tensor(bc_reader *f, bc_in *in, const weft_attr *encoding) {
    const uint8_t *at = in->p;
    const size_t height = f->r.ints.n;
    const weft_type *elem = bc_signed_list(f, in) ? bc_type(f, in) : NULL;
    const weft_type *t = elem ? tensor_of(f, at, elem, height, encoding) : NULL;
    f->r.ints.n = height;
    return t;
}

const weft_type *bc_shaped_text(bc_reader *f, bc_in *in, const char *word) {
    const size_t height = f->r.ints.n;
    const weft_type *elem = bc_signed_list(f, in) ? bc_type(f, in) : NULL;
    if (!elem) return NULL;
    weft_buf text;
    weft_buf_init(&text, &f->r.cx->alloc);
    for (size_t i = height; i < f->r.ints.n; i++) {
        if (f->r.ints.v[i] == WEFT_DYNAMIC) weft_buf_putc(&text, '?');
        else weft_buf_i64(&text, f->r.ints.v[i]);
        weft_buf_putc(&text, 'x');
    }
    weft_type_print(&text, elem);
    f->r.ints.n = height;
    const weft_type *t = text.failed ? bc_made_type(f, NULL) : bc_text_type(f, "%s<%.*s>", word, (int)text.n, text.p);
    weft_buf_free(&text);
    return t;
}
