/* read_dense.c: dense<...> : type.
 *
 * The type follows the data, so the reader looks ahead for it and then reads the data straight into elements of
 * that type: nested lists, one splat value, a hex string of raw bytes, or nothing for a tensor without elements.
 */
#include "mlir/reader.h"
#include "mlir/writer.h"

typedef struct dense {
    const weft_type *type;
    char *data;
    size_t elem_bytes;
    int64_t elems, filled;
    const char *end; /* of the literal */
} dense;

/* After the '>' that ends the literal. */
static bool skip_literal(weft_reader *r) {
    const char *at = r->p;
    for (const char *q = at;; q++) {
        if (q[0] == '/' && q[1] == '/')
            while (*q != '\n' && q < r->end) q++;
        if (*q == '\n') {
            r->line++;
            r->line_start = q + 1;
        } else if (*q == '"') {
            for (q++; *q != '"'; q++)
                if (*q == '\n' || q >= r->end) return rd_fail(r, at, "string without its closing '\"'");
        } else if (*q == '>') {
            r->p = q + 1;
            rd_skip(r);
            return true;
        } else if (q >= r->end) {
            return rd_fail(r, at, "'dense<' without its closing '>'");
        }
    }
}

static bool scalar(weft_reader *r, weft_dtype dtype, void *out) {
    const weft_dtype_info *info = weft_dtype_of(dtype);
    if (info->kind == WEFT_KIND_BOOL && (rd_at(r, 't') || rd_at(r, 'f'))) {
        char v = rd_at(r, 't');
        if (!rd_expect_word(r, v ? "true" : "false")) return false;
        memcpy(out, &v, 1);
        return true;
    }
    rd_number n;
    return rd_number_read(r, &n) && rd_number_store(r, &n, dtype, out);
}

static bool element(weft_reader *r, weft_dtype dtype, void *out) {
    if (!weft_dtype_is_complex(dtype)) return scalar(r, dtype, out);
    weft_dtype part = dtype == WEFT_C64 ? WEFT_F32 : WEFT_F64;
    return rd_expect(r, '(') && scalar(r, part, out) && rd_expect(r, ',') &&
           scalar(r, part, (char *)out + weft_dtype_bytes(part)) && rd_expect(r, ')');
}

static bool list(weft_reader *r, dense *d, uint32_t dim) {
    const char *at = r->p;
    if (!rd_expect(r, '[')) return false;
    int64_t want = d->type->dims[dim], n = 0;
    while (!rd_at(r, ']')) {
        if (n == want) return rd_fail(r, r->p, "more than %lld elements in dimension %u", (long long)want, dim);
        if (dim + 1 < d->type->rank) {
            if (!list(r, d, dim + 1)) return false;
        } else {
            if (!element(r, d->type->dtype, d->data + (size_t)d->filled * d->elem_bytes)) return false;
            d->filled++;
        }
        n++;
        if (!rd_accept(r, ',')) break;
    }
    if (n != want)
        return rd_fail(r, at, "%lld elements in dimension %u, the type has %lld", (long long)n, dim, (long long)want);
    return rd_expect(r, ']');
}

static int nibble(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void rd_narrow(weft_dtype dtype, char *p, size_t n) {
    const unsigned keep = weft_dtype_value_bits(dtype);
    if (keep == 0xFF) return;
    for (size_t i = 0; i < n; i++)
        if (weft_dtype_is_float(dtype)) p[i] = (char)(p[i] & keep);
        else weft_dtype_store_int(dtype, p + i, p[i]);
}

/* The bytes of all elements, or of one if that is allowed. Bools are a byte each, or packed eight to a byte as older
 * MLIR wrote them. */
static bool hex_digits(weft_reader *r, dense *d, weft_str s, bool splat, const char *from, const weft_attr **out) {
    size_t n = s.n / 2;
    char *bytes = weft_arena_alloc(&r->arena, n + 1, 16);
    if (!bytes) return rd_oom(r);
    for (size_t i = 0; i < n; i++) {
        int hi = nibble(s.p[2 * i]), lo = nibble(s.p[2 * i + 1]);
        if (hi < 0 || lo < 0) return rd_fail(r, from, "a character that is no hexadecimal digit");
        bytes[i] = (char)(hi * 16 + lo);
    }
    size_t whole = (size_t)d->elems * d->elem_bytes;
    if (d->type->dtype == WEFT_I1 && n != whole && n == ((size_t)d->elems + 7) / 8) {
        char *each = weft_arena_alloc(&r->arena, (size_t)d->elems, 16);
        if (!each) return rd_oom(r);
        for (int64_t i = 0; i < d->elems; i++) each[i] = bytes[i / 8] >> (i % 8) & 1;
        bytes = each;
        n = whole;
    }
    if (n != whole && (n != d->elem_bytes || !splat))
        return rd_fail(r, from, "%zu bytes of data, the type needs %zu", n, whole);
    rd_narrow(d->type->dtype, bytes, n);
    *out = weft_attr_dense(r->cx, d->type, bytes, n != whole || d->elems == 1);
    return *out || rd_oom(r);
}

/* "0x..." */
static bool hex_string(weft_reader *r, dense *d, const char *from, const weft_attr **out) {
    weft_str s;
    if (!rd_string(r, &s)) return false;
    if (s.n < 2 || s.p[0] != '0' || s.p[1] != 'x' || s.n % 2)
        return rd_fail(r, from, "expected a string of the form \"0x...\"");
    return hex_digits(r, d, (weft_str){ s.p + 2, s.n - 2 }, true, from, out);
}

/* MLIR stores and prints a list of equal elements as a splat. */
static bool all_equal(const dense *d) {
    for (int64_t i = 1; i < d->elems; i++)
        if (memcmp(d->data, d->data + (size_t)i * d->elem_bytes, d->elem_bytes)) return false;
    return true;
}

static const weft_attr *literal(weft_reader *r, dense *d) {
    const char *at = r->p;
    const weft_attr *a = NULL;
    if (rd_at(r, '>')) {
        if (d->elems) return rd_fail(r, at, "no elements, the type has %lld", (long long)d->elems), NULL;
        a = weft_attr_dense(r->cx, d->type, "", false);
    } else if (rd_at(r, '"')) {
        return hex_string(r, d, at, &a) ? a : NULL;
    } else if (rd_at(r, '[')) {
        if (!d->type->rank) return rd_fail(r, at, "a list where the type is one element"), NULL;
        if (d->elems > d->end - at) /* every element takes a character */
            return rd_fail(r, at, "fewer elements than the %lld of the type", (long long)d->elems), NULL;
        d->data = weft_arena_calloc(&r->arena, (size_t)d->elems, d->elem_bytes, 16);
        if (!d->data) return rd_oom(r), NULL;
        if (!list(r, d, 0)) return NULL;
        bool splat = d->elems && all_equal(d);
        a = weft_attr_dense(r->cx, d->type, d->data, splat);
    } else {
        char one[16];
        if (!element(r, d->type->dtype, one)) return NULL;
        a = weft_attr_dense(r->cx, d->type, one, true);
    }
    if (!a) rd_oom(r);
    return a;
}

const weft_attr *rd_dense(weft_reader *r, const char *from) {
    if (!rd_expect(r, '<')) return NULL;
    rd_cursor data = rd_tell(r);
    if (!skip_literal(r)) return NULL;
    const char *end = r->p;
    if (!rd_expect(r, ':')) return NULL;
    const char *type_at = r->p;
    dense d = { .type = rd_type(r), .end = end };
    if (!d.type) return NULL;
    if (d.type->kind == WEFT_TYPE_OPAQUE && d.type->text.n > 8 && !memcmp(d.type->text.p, "tensor<*", 8))
        return rd_fail(r, type_at, "elements literal type must have static shape"), NULL;
    if (d.type->kind == WEFT_TYPE_OPAQUE || (d.type->kind == WEFT_TYPE_FOREIGN && !d.type->dtype))
        return rd_opaque_typed(r, from, d.type);
    if (!weft_type_is_static(d.type))
        return rd_fail(r, type_at, "elements literal type must have static shape"), NULL;
    d.elems = weft_type_elems(d.type);
    d.elem_bytes = weft_dtype_bytes(d.type->dtype);
    if (weft_type_bytes(d.type) < 0) return rd_fail(r, type_at, "the tensor has more than 2^63-1 bytes"), NULL;

    rd_cursor behind = rd_tell(r);
    rd_seek(r, data);
    const weft_attr *a = literal(r, &d);
    if (!a || !rd_expect(r, '>')) return NULL;
    rd_seek(r, behind);
    return a;
}

/* dense_resource<name> : type */
const weft_attr *rd_dense_resource(weft_reader *r, const char *from) {
    weft_str name, digits;
    const weft_attr *a = NULL;
    if (!rd_expect(r, '<')) return NULL;
    const char *at = r->p;
    if (!(rd_at(r, '"') ? rd_string(r, &name) : rd_ident(r, &name)) || !rd_expect(r, '>') || !rd_expect(r, ':'))
        return NULL;
    dense d = { .type = rd_type(r) };
    if (!d.type || !rd_resource(r, name, &digits)) return NULL;
    if (!digits.p || !weft_type_is_tensor(d.type) || !weft_type_is_static(d.type))
        return rd_opaque_typed(r, from, d.type);
    d.elems = weft_type_elems(d.type);
    d.elem_bytes = weft_dtype_bytes(d.type->dtype);
    if (weft_type_bytes(d.type) < 0) return rd_fail(r, at, "the tensor has more than 2^63-1 bytes"), NULL;
    if (digits.n % 2) return rd_fail(r, at, "resource '%.*s' ends within a byte", WEFT_STR_ARG(name)), NULL;
    return hex_digits(r, &d, digits, false, at, &a) ? a : NULL;
}
