/* assertion.c: see assertion.h. Source of the placeholders: LLVM's formatv, as jax.export's shape_poly.py uses it. */
#include <stdio.h>
#include <string.h>
#include "exec/kernels/assertion.h"

static int64_t input(const weft_assert_state *a, void *const *b, uint32_t i) {
    int64_t wide = 0;
    int32_t narrow = 0;
    if (a->bytes[i] == 8) memcpy(&wide, b[1 + i], 8);
    else memcpy(&narrow, b[1 + i], 4);
    return a->bytes[i] == 8 ? wide : narrow;
}

static weft_status assert_run(const void *state, void *const *b, const weft_run_env *env) {
    const weft_assert_state *a = state;
    char text[400];
    size_t n = 0;
    if (*(const uint8_t *)b[0]) return WEFT_OK;
    const weft_str message = { a->message, (size_t)a->length };
    for (size_t i = 0; i < message.n && n + 24 < sizeof text;) {
        uint32_t which = 0;
        size_t length = weft_str_placeholder(message, i, &which);
        if (length && which < (uint32_t)a->inputs) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%lld", (long long)input(a, b, which));
            i += length;
        } else text[n++] = message.p[i++];
    }
    return weft_step_fail(env, WEFT_ERR_INVALID, "%.*s", (int)n, text);
}

const weft_kernel weft_kernel_assert = { .name = "assert", .run = assert_run };
