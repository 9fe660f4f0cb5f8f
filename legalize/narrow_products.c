/* narrow_products: products of f32 from operands that are rounded to bf16; the sums stay f32.
 *
 * Pass weft-narrow-products, which runs only where a user asks for it: results differ by the rounding of operands, and
 * products take half the memory and, on processors with instructions for bf16, a fraction of the time. Its option is
 * to=bf16. It takes dot, dot_general and convolution of two f32 operands with an f32 result, whose precision is DEFAULT
 * for both and which name no algorithm: where the program says HIGH or HIGHEST it gets f32. Runs before propagation, so
 * that an operand that has to travel does so in its narrow type. Needs nothing; other ops are left alone.
 */
#include "ir/expr.h"
#include "ir/rewrite.h"
#include "legalize/legalize.h"

/* The narrow form of each value of the old module, and the block that it was made in: later ops of that block, and no
 * others, are sure to come after it. */
typedef struct narrowed { weft_value *v; const weft_block *in; } narrowed;

static bool is_product(const weft_op *op) {
    return op->kind == WEFT_OP_dot || op->kind == WEFT_OP_dot_general || op->kind == WEFT_OP_convolution;
}

static bool is_default(const weft_op *op) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_precision_config);
    for (uint32_t i = 0; a && i < a->items.n; i++)
        if (a->items.v[i]->kind != WEFT_ATTR_ENUM || a->items.v[i]->e != WEFT_precision_DEFAULT)
            return false;
    return !weft_op_attr(op, WEFT_A_algorithm);
}

static bool wanted(const weft_op *op) {
    return is_product(op) && op->operands[0]->type->dtype == WEFT_F32 && op->operands[1]->type->dtype == WEFT_F32 &&
           op->results[0].type->dtype == WEFT_F32 && is_default(op);
}

static weft_value *narrow(weft_rewrite *r, weft_builder *b, const weft_value *old) {
    narrowed *n = &((narrowed *)r->user)[old->id];
    if (!n->v || n->in != b->block) *n = (narrowed){ lg_convert(b, r->map.to[old->id], WEFT_BF16), b->block };
    return n->v;
}

static weft_status multiply(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    if (!wanted(op)) return WEFT_OK;
    weft_value *wide[2], *x[2];
    for (uint32_t i = 0; i < 2; i++) {
        wide[i] = r->map.to[op->operands[i]->id];
        x[i] = narrow(r, b, op->operands[i]);
        if (!x[i]) return b->status;
    }
    for (uint32_t i = 0; i < 2; i++) r->map.to[op->operands[i]->id] = x[i];
    (void)weft_clone_op(b, op, &r->map);
    for (uint32_t i = 0; i < 2; i++) r->map.to[op->operands[i]->id] = wide[i];
    *did = WEFT_DONE;
    return b->status;
}

weft_status weft_pass_narrow_products(weft_pass *p, const weft_module *in, weft_module **out) {
    const weft_str to = weft_pass_text(p, "to", WEFT_STR("bf16"));
    if (!weft_str_equal(to, WEFT_STR("bf16")))
        return weft_report(p->cx, WEFT_D_usage, NULL, "products of f32 can be made of bf16, not of '%.*s'",
                           WEFT_STR_ARG(to));
    weft_arena arena;
    weft_arena_init(&arena, &p->cx->alloc);
    weft_rewrite r = { .user = weft_arena_array(&arena, narrowed, in->value_count + 1), .op = multiply };
    const weft_status st = r.user ? weft_rewrite_module(&r, in, &arena, out) : weft_oom();
    weft_arena_free(&arena);
    return st;
}
