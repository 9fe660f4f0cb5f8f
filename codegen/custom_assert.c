/* custom_assert.c: shape_assertion whose operands are known only when the program runs: a step that fails with its
 * message.
 *
 * Those about constants are gone before (stablehlo-refine-shapes). Source: jax.export, shape_poly.py; LLVM's formatv
 * for {0}.
 */
#include <stdio.h>
#include "codegen/custom_call.h"

enum { MOST_INPUTS = 32 };

typedef struct assertion {
    uint8_t bytes[MOST_INPUTS]; /* of each number for the message */
    int32_t inputs, length;
    char message[];
} assertion;

static int64_t input(const assertion *a, void *const *b, uint32_t i) {
    int64_t wide = 0;
    int32_t narrow = 0;
    if (a->bytes[i] == 8) memcpy(&wide, b[1 + i], 8);
    else memcpy(&narrow, b[1 + i], 4);
    return a->bytes[i] == 8 ? wide : narrow;
}

static weft_status assert_run(const void *state, void *const *b, const weft_run_env *env) {
    const assertion *a = state;
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

weft_status cg_custom_assert(cg_custom *c) {
    const weft_op *op = c->op;
    const weft_attr *message = weft_op_attr_named(op, "error_message");
    bool fits = message && message->kind == WEFT_ATTR_STRING && message->s.n < (1 << 20) && op->operand_count &&
                op->operand_count <= 1 + MOST_INPUTS && !c->in[0]->rank && c->in[0]->dtype == WEFT_I1;
    for (uint32_t i = 1; fits && i < op->operand_count; i++)
        fits = !c->in[i]->rank && (c->in[i]->dtype == WEFT_I32 || c->in[i]->dtype == WEFT_I64);
    if (!fits) return cg_custom_bad(c, "an i1 and whole numbers of i32 or i64, and an 'error_message'");
    const size_t bytes = sizeof(assertion) + message->s.n;
    assertion *a = (assertion *)weft_arena_array(&c->im->g->arena, char, bytes);
    if (!a) return weft_oom();
    a->inputs = (int32_t)op->operand_count - 1;
    a->length = (int32_t)message->s.n;
    memcpy(a->message, message->s.p, message->s.n);
    for (uint32_t i = 1; i < op->operand_count; i++)
        a->bytes[i - 1] = (uint8_t)weft_dtype_bytes((weft_dtype)c->in[i]->dtype);
    return cg_custom_call(c, &(cg_call_spec){ .kernel = &weft_kernel_assert, .state = a, .state_bytes = bytes,
                                              .flags = CG_CALL_EFFECTS });
}
