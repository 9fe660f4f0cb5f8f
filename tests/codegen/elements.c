/* elements.c: see elements.h. */
#include <stdio.h>
#include <check.h>
#include "mlir/read.h"
#include "tests/codegen/elements.h"

weft_status elements_run(const char *text, void *const *args, void *const *out) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_executable *x = NULL;
    ck_assert(cx);
    weft_status st = weft_read_text(cx, weft_str_from(text), "test", 0, &m);
    if (st == WEFT_OK) {
        st = weft_codegen_compile(cx, m, NULL, &x);
        if (st == WEFT_OK) st = walk_run(x, args, out, NULL);
        ck_assert_msg(st == WEFT_OK || st == WEFT_ERR_UNSUPPORTED, "%s\n%s", text,
                      weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "does not run");
    }
    weft_executable_free(x);
    weft_module_free(m);
    weft_context_free(cx);
    return st;
}

weft_status elements_op(const char *op, const char *attrs, uint32_t arity, const weft_dtype *in, weft_dtype to,
                        int64_t n, void *const *args, void *out) {
    char text[2048], params[512] = "", names[64] = "", types[512] = "";
    const long long count = (long long)n;
    for (uint32_t i = 0; i < arity; i++) {
        const char *comma = i ? ", " : "", *type = weft_dtype_of(in[i])->name;
        snprintf(params + strlen(params), sizeof params - strlen(params), "%s%%%c: tensor<%lldx%s>", comma,
                 'a' + (char)i, count, type);
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%%%c", comma, 'a' + (char)i);
        snprintf(types + strlen(types), sizeof types - strlen(types), "%stensor<%lldx%s>", comma, count, type);
    }
    const char *result = weft_dtype_of(to)->name;
    snprintf(
        text, sizeof text,
        "func.func @main(%s) -> tensor<%lldx%s> {\n  %%0 = \"%s\"(%s) %s : (%s) -> tensor<%lldx%s>\n  return %%0 : tensor<%lldx%s>\n}\n",
        params, count, result, op, names, attrs, types, count, result, count, result);
    return elements_run(text, args, (void *[]){ out });
}

uint64_t elements_bits(weft_dtype t, const void *p, int64_t i) {
    const size_t size = weft_dtype_bytes(t);
    const unsigned bits = weft_dtype_of(t)->bits;
    uint64_t v = 0;
    memcpy(&v, (const char *)p + (size_t)i * size, size);
    return bits < 64 ? v & (((uint64_t)1 << bits) - 1) : v;
}

void elements_store_bits(weft_dtype t, void *p, int64_t i, uint64_t bits) {
    const size_t size = weft_dtype_bytes(t);
    const unsigned above = 64 - weft_dtype_of(t)->bits;
    bits = weft_dtype_of(t)->kind == WEFT_KIND_INT ? (uint64_t)((int64_t)(bits << above) >> above)
                                                   : bits << above >> above;
    memcpy((char *)p + (size_t)i * size, &bits, size);
}

element_value elements_load(weft_dtype t, const void *p, int64_t i) {
    const weft_dtype part = weft_dtype_part(t);
    const char *at = (const char *)p + (size_t)i * weft_dtype_bytes(t);
    if (weft_dtype_is_complex(t))
        return (element_value){ weft_dtype_load(part, at), weft_dtype_load(part, at + weft_dtype_bytes(part)) };
    if (t == WEFT_UI64) return (element_value){ (long double)elements_bits(t, p, i), 0 };
    if (t == WEFT_I64) return (element_value){ (long double)(int64_t)elements_bits(t, p, i), 0 };
    return (element_value){ weft_dtype_load(t, at), 0 };
}
