/* host_array: sizes, printing and comparing of host tensors. */
#include "runtime/host_array.h"
#include <math.h>

int64_t weft_host_array_elems(const weft_host_array *a) {
    int64_t n = 1;
    for (uint32_t d = 0; d < a->rank; d++)
        if (!weft_mul_i64(n, a->dims[d], &n)) return -1;
    return n;
}

int64_t weft_host_array_bytes(const weft_host_array *a) {
    int64_t n = weft_host_array_elems(a);
    return n >= 0 && weft_mul_i64(n, (int64_t)weft_dtype_bytes(a->dtype), &n) ? n : -1;
}

void weft_host_array_type_print(weft_buf *b, const weft_host_array *a) {
    weft_buf_puts(b, "tensor<");
    for (uint32_t d = 0; d < a->rank; d++) {
        weft_buf_i64(b, a->dims[d]);
        weft_buf_putc(b, 'x');
    }
    weft_buf_puts(b, weft_dtype_of(a->dtype)->name);
    weft_buf_putc(b, '>');
}

static const char *element(const weft_host_array *a, int64_t i) {
    return (const char *)a->data + (size_t)i * weft_dtype_bytes(a->dtype);
}

/* The parts of a complex number; the whole of any other. */
static uint32_t parts_of(weft_dtype t) { return weft_dtype_is_complex(t) ? 2 : 1; }

static double part(weft_dtype t, const char *p, uint32_t k) {
    if (!weft_dtype_is_complex(t)) return weft_dtype_load(t, p);
    return weft_dtype_load(t == WEFT_C64 ? WEFT_F32 : WEFT_F64, p + k * weft_dtype_bytes(t) / 2);
}

static bool near(double got, double want, double rtol, double atol) {
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got);
    if (isinf(want) || isinf(got)) return got == want;
    return fabs(got - want) <= atol + rtol * fabs(want);
}

weft_status weft_host_array_compare(const weft_host_array *got, const weft_host_array *want, double rtol, double atol,
                                    int64_t *at) {
    int64_t n = weft_host_array_elems(got);
    size_t bytes = weft_dtype_bytes(got->dtype);
    bool exact = !weft_dtype_is_float(got->dtype) && !weft_dtype_is_complex(got->dtype);
    for (int64_t i = 0; i < n; i++) {
        const char *g = element(got, i), *w = element(want, i);
        if (!memcmp(g, w, bytes)) continue;
        bool same = !exact;
        for (uint32_t k = 0; same && k < parts_of(got->dtype); k++)
            same = near(part(got->dtype, g, k), part(got->dtype, w, k), rtol, atol);
        if (same) continue;
        *at = i;
        return WEFT_ERR_MISMATCH;
    }
    return WEFT_OK;
}

/* Integers of 64 bits do not all fit into a double. */
static void print_integer(weft_buf *b, weft_dtype t, const char *p) {
    const int64_t v = weft_dtype_load_int(t, p);
    if (t == WEFT_UI64) weft_buf_printf(b, "%llu", (unsigned long long)v);
    else weft_buf_i64(b, v);
}

void weft_host_array_element_print(weft_buf *b, const weft_host_array *a, int64_t i) {
    const char *p = element(a, i);
    int digits = a->dtype == WEFT_F64 || a->dtype == WEFT_C128 ? 17 : 9;
    switch (weft_dtype_of(a->dtype)->kind) {
    case WEFT_KIND_BOOL: weft_buf_puts(b, *p ? "true" : "false"); break;
    case WEFT_KIND_INT:
    case WEFT_KIND_UINT: print_integer(b, a->dtype, p); break;
    case WEFT_KIND_FLOAT: weft_buf_printf(b, "%.*g", digits, part(a->dtype, p, 0)); break;
    case WEFT_KIND_COMPLEX:
        weft_buf_printf(b, "(%.*g, %.*g)", digits, part(a->dtype, p, 0), digits, part(a->dtype, p, 1));
        break;
    }
}

void weft_host_array_index_print(weft_buf *b, const weft_host_array *a, int64_t i) {
    int64_t index[WEFT_HOST_ARRAY_MAX_RANK];
    for (uint32_t d = a->rank; d-- > 0;) {
        index[d] = i % a->dims[d];
        i /= a->dims[d];
    }
    weft_buf_putc(b, '[');
    for (uint32_t d = 0; d < a->rank; d++) {
        if (d) weft_buf_puts(b, ", ");
        weft_buf_i64(b, index[d]);
    }
    weft_buf_putc(b, ']');
}
