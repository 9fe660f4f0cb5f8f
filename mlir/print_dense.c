/* print_dense.c: dense<...>: one element for a splat, nested lists up to a hundred elements, raw bytes beyond. */
#include "mlir/writer.h"

#define MOST_IN_LISTS 100 /* MLIR's own limit */

void pr_element(weft_buf *b, weft_dtype t, const void *p) {
    switch (weft_dtype_of(t)->kind) {
    case WEFT_KIND_BOOL: weft_buf_puts(b, *(const char *)p ? "true" : "false"); break;
    case WEFT_KIND_FLOAT: weft_float_print(b, t, p); break;
    case WEFT_KIND_COMPLEX: {
        weft_dtype part = t == WEFT_C64 ? WEFT_F32 : WEFT_F64;
        weft_buf_putc(b, '(');
        weft_float_print(b, part, p);
        weft_buf_putc(b, ',');
        weft_float_print(b, part, (const char *)p + weft_dtype_bytes(part));
        weft_buf_putc(b, ')');
        break;
    }
    case WEFT_KIND_UINT: {
        uint64_t u = 0;
        memcpy(&u, p, weft_dtype_bytes(t));
        weft_buf_printf(b, "%llu", (unsigned long long)u);
        break;
    }
    case WEFT_KIND_INT: {
        int64_t v = 0;
        size_t n = weft_dtype_bytes(t);
        memcpy(&v, p, n);
        v = (int64_t)((uint64_t)v << (64 - 8 * n)) >> (64 - 8 * n);
        weft_buf_i64(b, v);
        break;
    }
    }
}

static const char *list(weft_buf *b, const weft_type *t, uint32_t dim, const char *p) {
    weft_buf_putc(b, '[');
    for (int64_t i = 0; i < t->dims[dim]; i++) {
        if (i) weft_buf_puts(b, ", ");
        if (dim + 1 < t->rank) {
            p = list(b, t, dim + 1, p);
        } else {
            pr_element(b, t->dtype, p);
            p += weft_dtype_bytes(t->dtype);
        }
    }
    weft_buf_putc(b, ']');
    return p;
}

/* Integers under a byte have a byte each, with the value's bits only. */
static void hex(weft_buf *b, weft_dtype dtype, const unsigned char *p, size_t n) {
    const unsigned keep = weft_dtype_value_bits(dtype);
    static const char digits[] = "0123456789ABCDEF";
    char text[4096];
    weft_buf_puts(b, "\"0x");
    for (size_t at = 0; at < n;) {
        size_t filled = 0;
        for (; at < n && filled < sizeof text; at++) {
            text[filled++] = digits[(p[at] & keep) >> 4];
            text[filled++] = digits[p[at] & keep & 15];
        }
        weft_buf_put(b, text, filled);
    }
    weft_buf_putc(b, '"');
}

bool pr_dense_is_long(const weft_attr *a) { return !a->dense.splat && weft_type_elems(a->type) > MOST_IN_LISTS; }

void pr_dense_literal(weft_buf *b, const weft_attr *a) {
    int64_t elems = weft_type_elems(a->type);
    weft_buf_puts(b, "dense<");
    if (a->dense.splat || elems == 1) {
        pr_element(b, a->type->dtype, a->dense.p);
    } else if (pr_dense_is_long(a)) {
        hex(b, a->type->dtype, a->dense.p, a->dense.bytes);
    } else if (elems) {
        list(b, a->type, 0, a->dense.p);
    }
    weft_buf_putc(b, '>');
}

void pr_dense(weft_writer *w, const weft_attr *a) {
    pr_dense_literal(w->b, a);
    weft_buf_puts(w->b, " : ");
    pr_type(w, a->type);
}
