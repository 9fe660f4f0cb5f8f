/* read_type.c: types.
 *
 * A program names the same few tensor types on every line, so the text of a plain tensor type is looked up in a map of
 * the types already read. Types that Weft does not model are kept as text.
 */
#include "base/nearest.h"
#include "mlir/reader.h"

static const weft_type *made(weft_reader *r, const weft_type *t) {
    if (!t) rd_oom(r);
    return t;
}

/* A type that Weft does not model: its text from `from` to after the brackets that follow the word at the cursor. */
static const weft_type *opaque_type(weft_reader *r, const char *from) {
    while (rd_is_ident(*r->p)) r->p++;
    if (*r->p == '<' && !rd_skip_balanced(r)) return NULL;
    weft_str text;
    if (!rd_opaque_text(r, from, &text)) return NULL;
    rd_skip(r);
    return made(r, weft_type_opaque(r->cx, text));
}

/* After !stablehlo.future: <tensor<...>, ...> */
static const weft_type *future_type(weft_reader *r) {
    size_t height = r->types.n;
    if (!rd_expect(r, '<') || !rd_enter(r)) return NULL;
    do {
        const char *at = r->p;
        const weft_type *t = rd_type(r);
        if (!t || !RD_PUSH(r, types, t)) return NULL;
        if (t->kind != WEFT_TYPE_TENSOR && t->kind != WEFT_TYPE_FOREIGN)
            return rd_fail_as(r, WEFT_D_verify, at, "a future is one of ranked tensors"), NULL;
    } while (rd_accept(r, ','));
    rd_leave(r);
    if (!rd_expect(r, '>')) return NULL;
    const weft_type *t = weft_type_future(r->cx, r->types.v + height, (uint32_t)(r->types.n - height));
    r->types.n = height;
    return made(r, t);
}

/* !alias, !dialect.type<...> */
static const weft_type *dialect_type(weft_reader *r) {
    const char *from = r->p++;
    const char *q = r->p;
    while (rd_is_ident(*q)) q++;
    weft_str name = { r->p, (size_t)(q - r->p) };
    if (!name.n) return rd_fail(r, from, "'!' without a name"), NULL;
    if (weft_str_is(name, "stablehlo.token") && *q != '<') {
        r->p = q;
        rd_skip(r);
        return made(r, weft_type_simple(r->cx, WEFT_TYPE_TOKEN));
    }
    if (name.n > 10 && !memcmp(name.p, "stablehlo.", 10)) {
        if (!weft_str_is(name, "stablehlo.future"))
            return rd_fail(r, from, "unknown type '!%.*s'", WEFT_STR_ARG(name)), NULL;
        r->p = q;
        rd_skip(r);
        return future_type(r);
    }
    if (weft_str_is(name, "quant.uniform") && *q == '<') {
        const weft_type *t;
        rd_cursor start = rd_tell(r);
        r->p = q;
        if (!rd_quant(r, &t)) return NULL;
        if (t) return t;
        rd_seek(r, start);
    }
    if (memchr(name.p, '.', name.n) || *q == '<') return opaque_type(r, from);
    rd_alias *a = rd_alias_get(r, name);
    if (!a) return NULL;
    if (!a->type) return rd_fail(r, from, "type alias '!%.*s' is not defined", WEFT_STR_ARG(name)), NULL;
    if (!rd_alias_used(r, a, from)) return NULL;
    r->p = q;
    rd_skip(r);
    return a->type;
}

/* complex<f32>: cursor after the word. NONE when it is a complex of something else. */
static bool complex_dtype(weft_reader *r, weft_dtype *out) {
    weft_str part;
    if (!rd_expect(r, '<') || !rd_ident(r, &part)) return false;
    weft_dtype t = weft_dtype_parse(part);
    *out = t == WEFT_F32 ? WEFT_C64 : t == WEFT_F64 ? WEFT_C128 : WEFT_DTYPE_NONE;
    if (!*out) return rd_fail(r, part.p, "complex numbers of '%.*s' are not known", WEFT_STR_ARG(part));
    return rd_expect(r, '>');
}

/* Dimensions in front of the element type, each with its x: pushed on ints. */
static bool dimensions(weft_reader *r) {
    for (;;) {
        int64_t d;
        const char *at = r->p;
        if (*r->p == '?') {
            r->p++;
            d = WEFT_DYNAMIC;
        } else if (rd_is_digit(*r->p)) {
            const char *q = r->p;
            for (d = 0; rd_is_digit(*q); q++)
                if (!weft_mul_i64(d, 10, &d) || !weft_add_i64(d, *q - '0', &d))
                    return rd_fail(r, at, "dimension does not fit 64 bits");
            r->p = q;
        } else {
            return true;
        }
        if (*r->p != 'x') return rd_unexpected(r, "'x' after a dimension");
        r->p++;
        if (!RD_PUSH(r, ints, d)) return false;
    }
}

/* Quantised elements must fit the shape. */
static bool fits(weft_reader *r, const char *at, const weft_type *elem, uint32_t rank, const int64_t *dims) {
    char why[160];
    if (!elem->quant || weft_quant_valid(elem->quant, rank, dims, why, sizeof why)) return true;
    return rd_fail_as(r, WEFT_D_verify, at, "%s", why);
}

/* A bound, or '?', per dimension, and bounds only of dynamic ones. */
static bool bounds_fit(weft_reader *r, const char *at, const weft_attr *encoding, uint32_t rank, const int64_t *dims) {
    if (encoding->kind != WEFT_ATTR_BOUNDS) return true;
    if (encoding->ints.n != rank)
        return rd_fail_as(r, WEFT_D_verify, at, "%u bounds for a tensor of rank %u", encoding->ints.n, rank);
    for (uint32_t i = 0; i < rank; i++)
        if (encoding->ints.v[i] != WEFT_DYNAMIC && (dims[i] != WEFT_DYNAMIC || encoding->ints.v[i] < 0))
            return rd_fail_as(r, WEFT_D_verify, at, "dimension %u of size %lld has the bound %lld", i,
                              dims[i] == WEFT_DYNAMIC ? -1LL : (long long)dims[i], (long long)encoding->ints.v[i]);
    return true;
}

/* Bounds, or kept as text. */
static const weft_attr *encoding_of(weft_reader *r) {
    const char *at = r->p;
    const weft_attr *a = rd_attr(r);
    if (!a || a->kind == WEFT_ATTR_OPAQUE || a->kind == WEFT_ATTR_BOUNDS) return a;
    const size_t n = (size_t)(r->p - at); /* more than that: by an alias */
    bool too_long;
    const weft_attr *text = rd_printed(r, a, n + (size_t)rd_left(r), &too_long);
    if (too_long) (void)rd_spend(r, rd_left(r) + 1, at); /* reports it */
    return text && (text->s.n <= n || rd_spend(r, text->s.n - n, at)) ? text : NULL;
}

/* From the element type on; the dimensions are those on ints from height on. */
static const weft_type *finish_tensor(weft_reader *r, rd_cursor from, const char *dims_at, size_t height) {
    uint32_t rank = (uint32_t)(r->ints.n - height);
    if (rank > WEFT_MAX_RANK) return rd_fail(r, dims_at, "more than %d dimensions", WEFT_MAX_RANK), NULL;
    bool empty = false;
    int64_t elems = 1; /* without sizes of 0, so that the order of the sizes does not matter and strides fit, too */
    for (uint32_t i = 0; i < rank; i++) {
        const int64_t d = r->ints.v[height + i];
        empty = empty || !d;
        if (d == WEFT_DYNAMIC || !d || weft_mul_i64(elems, d, &elems)) continue;
        for (uint32_t k = i; k < rank; k++) empty = empty || !r->ints.v[height + k];
        return rd_fail(r, from.p, "the tensor has more than 2^63-1 elements%s",
                       empty ? ", sizes of 0 not counted" : ""),
               NULL;
    }
    const char *at = r->p;
    bool unranked = *at == '*' && at[1] == 'x' && !rank; /* *xf32 */
    if (unranked) r->p = at + 2;
    const weft_type *elem = rd_type(r);
    if (!elem) return NULL;
    const int64_t *dims = r->ints.v + height;
    if (unranked) { /* the whole text */
        rd_seek(r, from);
        return opaque_type(r, from.p);
    }
    if (!fits(r, at, elem, rank, dims)) return NULL;
    const weft_attr *encoding = NULL;
    if (rd_accept(r, ',')) {
        const char *encoding_at = r->p;
        if (!(encoding = encoding_of(r))) return NULL;
        dims = r->ints.v + height;
        if (!bounds_fit(r, encoding_at, encoding, rank, dims)) return NULL;
    }
    if (!rd_expect(r, '>')) return NULL;
    if (elem->kind != WEFT_TYPE_SCALAR) return made(r, weft_type_foreign(r->cx, elem, rank, dims, encoding));
    return made(r, elem->quant ? weft_type_quant_tensor(r->cx, elem->quant, rank, dims, encoding)
                               : weft_type_tensor_encoded(r->cx, elem->dtype, rank, dims, encoding));
}

/* The text between the angles of a tensor's type, which begins at `start`. */
static const weft_type *tensor_inside(weft_reader *r, rd_cursor start) {
    if (!rd_enter(r)) return NULL;
    const char *dims_at = r->p;
    size_t height = r->ints.n;
    const weft_type *t = dimensions(r) ? finish_tensor(r, start, dims_at, height) : NULL;
    r->ints.n = height;
    rd_leave(r);
    return t;
}

/* A complete tensor<...>, cursor at its t. */
static const weft_type *tensor_type(weft_reader *r) {
    rd_cursor start = rd_tell(r);
    const char *from = r->p, *q = from + 7;
    while (rd_is_ident(*q) || *q == '?') q++;
    uint32_t number = 0;
    bool fresh, plain = *q == '>' && q[-1] != '<';
    if (plain) {
        if (!rd_map_get(r, &r->type_texts, from, (size_t)(q - from), &number, &fresh)) return NULL;
        if (!fresh && r->type_cache.v[number]) {
            r->p = q + 1;
            rd_skip(r);
            return r->type_cache.v[number];
        }
        if (fresh && !RD_PUSH(r, type_cache, NULL)) return NULL;
    }
    r->p = from + 7;
    rd_skip(r);
    const weft_type *t = tensor_inside(r, start);
    if (t && plain && t->kind == WEFT_TYPE_TENSOR) r->type_cache.v[number] = t;
    return t;
}

static const weft_type *tuple_type(weft_reader *r) {
    size_t height = r->types.n;
    if (!rd_expect(r, '<') || !rd_enter(r)) return NULL;
    if (!rd_at(r, '>') && !rd_type_list(r)) return NULL;
    rd_leave(r);
    if (!rd_expect(r, '>')) return NULL;
    const weft_type *t = weft_type_tuple(r->cx, r->types.v + height, (uint32_t)(r->types.n - height));
    r->types.n = height;
    return made(r, t);
}

static bool unknown_type(weft_reader *r, const char *at, weft_str word) {
    static const char *const others[] = { "tensor", "tuple", "complex", "index", "none" };
    static const struct { const char *of, *here; } elsewhere[] = { /* names of element types in C, NumPy and XLA */
        { "float", "f32" }, { "double", "f64" }, { "half", "f16" }, { "float16", "f16" }, { "float32", "f32" }, { "float64", "f64" }, { "bfloat16", "bf16" },
        { "bool", "i1" }, { "pred", "i1" }, { "int", "i32" }, { "long", "i64" }, { "int4", "i4" }, { "int8", "i8" }, { "int16", "i16" }, { "int32", "i32" },
        { "int64", "i64" }, { "uint4", "ui4" }, { "uint8", "ui8" }, { "uint16", "ui16" }, { "uint32", "ui32" }, { "uint64", "ui64" }, { "u4", "ui4" },
        { "u8", "ui8" }, { "u16", "ui16" }, { "u32", "ui32" }, { "u64", "ui64" }, { "s4", "i4" }, { "s8", "i8" }, { "s16", "i16" }, { "s32", "i32" },
        { "s64", "i64" }, { "complex64", "complex<f32>" }, { "complex128", "complex<f64>" }, { "c64", "complex<f32>" }, { "c128", "complex<f64>" },
    };
    weft_nearest near = weft_nearest_to(word);
    for (int t = 1; t < WEFT_DTYPE_COUNT; t++)
        weft_nearest_offer(&near, weft_str_from(weft_dtype_of((weft_dtype)t)->name));
    for (size_t i = 0; i < WEFT_COUNT(others); i++) weft_nearest_offer(&near, weft_str_from(others[i]));
    for (size_t i = 0; i < WEFT_COUNT(elsewhere); i++)
        if (weft_str_is(word, elsewhere[i].of)) near.best = weft_str_from(elsewhere[i].here);
    return rd_fail(r, at, "unknown type '%.*s'" WEFT_NEAREST, WEFT_STR_ARG(word), WEFT_NEAREST_ARG(near));
}

const weft_type *rd_type(weft_reader *r) {
    const char *at = r->p;
    if (!strncmp(at, "tensor<", 7)) return tensor_type(r);
    if (*at == '(') return rd_function_type(r);
    if (*at == '!') return dialect_type(r);
    if (!rd_is_ident_start(*at)) return rd_unexpected(r, "a type"), NULL;
    weft_str word;
    const rd_cursor start = rd_tell(r);
    if (!rd_ident(r, &word)) return NULL;
    weft_dtype dtype = weft_dtype_parse(word);
    if (dtype) return made(r, weft_type_scalar(r->cx, dtype));
    if (weft_str_is(word, "index")) return made(r, weft_type_simple(r->cx, WEFT_TYPE_INDEX));
    if (weft_str_is(word, "none")) return made(r, weft_type_simple(r->cx, WEFT_TYPE_NONE));
    if (weft_str_is(word, "tuple")) return tuple_type(r);
    /* space before the angle */
    if (weft_str_is(word, "tensor")) return rd_expect(r, '<') ? tensor_inside(r, start) : NULL;
    if (weft_str_is(word, "complex")) return complex_dtype(r, &dtype) ? made(r, weft_type_scalar(r->cx, dtype)) : NULL;
    size_t digits = word.n && word.p[0] == 'i'                                                 ? 1
                    : word.n > 1 && (word.p[0] == 's' || word.p[0] == 'u') && word.p[1] == 'i' ? 2
                                                                                               : word.n;
    bool other_int = digits < word.n; /* i128, si8 */
    for (size_t i = digits; i < word.n; i++) other_int = other_int && rd_is_digit(word.p[i]);
    static const char *const kept[] = { "vector", "memref", "tf32", "f80", "f128" };
    bool keep = other_int;
    for (size_t i = 0; i < WEFT_COUNT(kept); i++) keep |= weft_str_is(word, kept[i]);
    if (keep) {
        r->p = at;
        return opaque_type(r, at);
    }
    return unknown_type(r, at, word), NULL;
}

bool rd_type_list(weft_reader *r) {
    do {
        const weft_type *t = rd_type(r);
        if (!t || !RD_PUSH(r, types, t)) return false;
    } while (rd_accept(r, ','));
    return true;
}

bool rd_type_list_parens(weft_reader *r) {
    if (!rd_expect(r, '(')) return false;
    if (rd_accept(r, ')')) return true;
    return rd_type_list(r) && rd_expect(r, ')');
}

const weft_type *rd_function_type(weft_reader *r) {
    size_t height = r->types.n;
    const weft_type *t = NULL;
    if (!rd_enter(r)) return NULL;
    if (!rd_type_list_parens(r) || !rd_expect_arrow(r)) return NULL;
    size_t middle = r->types.n;
    if (rd_at(r, '(')) {
        if (!rd_type_list_parens(r)) return NULL;
    } else {
        const weft_type *one = rd_type(r);
        if (!one || !RD_PUSH(r, types, one)) return NULL;
    }
    rd_leave(r);
    t = weft_type_function(r->cx, r->types.v + height, (uint32_t)(middle - height), r->types.v + middle,
                           (uint32_t)(r->types.n - middle));
    r->types.n = height;
    return made(r, t);
}
