/* custom_assert.c: shape_assertion whose operands are known only when the program runs: a step that fails with its
 * message.
 *
 * Those about constants are gone before (stablehlo-refine-shapes). Source: jax.export, shape_poly.py.
 */
#include "codegen/custom_call.h"
#include "exec/kernels/assertion.h"

weft_status cg_custom_assert(cg_custom *c) {
    const weft_op *op = c->op;
    const weft_attr *message = weft_op_attr_named(op, "error_message");
    bool fits = message && message->kind == WEFT_ATTR_STRING && message->s.n < (1 << 20) && op->operand_count &&
                op->operand_count <= 1 + WEFT_ASSERT_INPUTS && !c->in[0]->rank && c->in[0]->dtype == WEFT_I1;
    for (uint32_t i = 1; fits && i < op->operand_count; i++)
        fits = !c->in[i]->rank && (c->in[i]->dtype == WEFT_I32 || c->in[i]->dtype == WEFT_I64);
    if (!fits) return cg_custom_bad(c, "an i1 and whole numbers of i32 or i64, and an 'error_message'");
    const size_t bytes = sizeof(weft_assert_state) + message->s.n;
    weft_assert_state *a = (weft_assert_state *)weft_arena_array(&c->im->g->arena, char, bytes);
    if (!a) return weft_oom();
    a->inputs = (int32_t)op->operand_count - 1;
    a->length = (int32_t)message->s.n;
    memcpy(a->message, message->s.p, message->s.n);
    for (uint32_t i = 1; i < op->operand_count; i++)
        a->bytes[i - 1] = (uint8_t)weft_dtype_bytes((weft_dtype)c->in[i]->dtype);
    return cg_custom_call(c, &(cg_call_spec){ .kernel = &weft_kernel_assert, .state = a, .state_bytes = bytes,
                                              .flags = CG_CALL_EFFECTS });
}
