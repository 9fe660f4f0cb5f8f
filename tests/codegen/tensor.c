/* tensor.c: see tensor.h. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include "mlir/read.h"
#include "tests/codegen/tensor.h"
#include "tests/codegen/walk.h"

num tensor_get(weft_dtype t, const void *p, int64_t i) {
    switch (t) {
    case WEFT_F64: return ((const double *)p)[i];
    case WEFT_C64: return tensor_num(((const float *)p)[2 * i], ((const float *)p)[2 * i + 1]);
    case WEFT_C128: return tensor_num(((const double *)p)[2 * i], ((const double *)p)[2 * i + 1]);
    default: return weft_dtype_load(t, (const char *)p + (size_t)i * weft_dtype_bytes(t));
    }
}

void tensor_put(weft_dtype t, void *p, int64_t i, num v) {
    switch (t) {
    case WEFT_F64: ((double *)p)[i] = creal(v); break;
    case WEFT_C64: ((float *)p)[2 * i] = (float)creal(v), ((float *)p)[2 * i + 1] = (float)cimag(v); break;
    case WEFT_C128: ((double *)p)[2 * i] = creal(v), ((double *)p)[2 * i + 1] = cimag(v); break;
    default: weft_dtype_store(t, (char *)p + (size_t)i * weft_dtype_bytes(t), creal(v));
    }
}

static double uniform(uint64_t *s) {
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (double)(*s >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

void *tensor_random(weft_dtype t, int64_t n, uint64_t seed) {
    void *p = walk_buffer((size_t)n * weft_dtype_bytes(t));
    uint64_t s = seed * 2654435769u + 12345;
    for (int64_t i = 0; i < n; i++) {
        const double re = uniform(&s), im = weft_dtype_is_complex(t) ? uniform(&s) : 0;
        tensor_put(t, p, i, tensor_num(re, im));
    }
    return p;
}

double tensor_epsilon(weft_dtype t) {
    return t == WEFT_F64 || t == WEFT_C128 ? 0x1p-52 : t == WEFT_BF16 ? 0x1p-7 : t == WEFT_F16 ? 0x1p-10 : 0x1p-23;
}

void tensor_run(const char *text, void *const *args, void **results) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    const weft_status st = walk_compile(cx, text, NULL, &x);
    const weft_diag *d = weft_context_diag(cx, 0);
    ck_assert_msg(st == WEFT_OK, "%s\n%s", text, d ? d->message : "?");
    for (uint32_t r = 0; r < x->result_count; r++) results[r] = walk_buffer((size_t)x->results[r].bytes);
    ck_assert_int_eq(walk_run(x, args, results, NULL), WEFT_OK);
    weft_executable_free(x);
    weft_context_free(cx);
}

void tensor_error(const char *text, char *out, size_t n) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    const weft_status st = walk_compile(cx, text, NULL, &x);
    const weft_diag *d = weft_context_diag(cx, 0);
    snprintf(out, n, "%s", d ? d->message : "");
    weft_executable_free(x);
    ck_assert_msg(st != WEFT_OK && st != WEFT_ERR_INTERNAL, "%s\n%s", text, out);
    weft_context_free(cx);
}
