/* sdy-remove-all-gather-reduce-scatter-for-cmv1: for compilers with their own overlap of collectives and products.
 * Removes an sdy.all_gather that only a product reads; if a product has none of these, removes an sdy.reduce_scatter
 * that is its only reader, and gives the product that sharding. Source: Shardy,
 * docs/sdy_export_passes.md. */
#include "propagate/copy.h"
#include "propagate/propagate.h"
#include "sharding/values.h"

typedef struct remover {
    weft_arena arena;
    weft_uses uses;
    weft_shardings *t;
    bool *gone;                /* by op: its operand replaces it */
    const weft_attr **becomes; /* by op: sdy.sharding of a product, or NULL */
} remover;

static bool is_product(const weft_op *op) { return op->kind == WEFT_OP_dot || op->kind == WEFT_OP_dot_general; }

static weft_status take_scatter(remover *x, weft_context *cx, const weft_op *product) {
    const weft_value *v = &product->results[0];
    const weft_op *reader = weft_use_count(&x->uses, v) == 1 ? x->uses.use[x->uses.start[v->id]].op : NULL;
    const weft_sharding *own;
    if (!reader || reader->kind != WEFT_OP_sdy_reduce_scatter) return WEFT_OK;
    weft_status st = weft_value_sharding(x->t, v, &own);
    if (st != WEFT_OK || (own && own->unreduced.n)) return st;
    const weft_attr *to = weft_value_sharding_attr(&reader->results[0]);
    x->becomes[product->id] = weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_SHARDINGS, .items = { &to, 1 } });
    x->gone[reader->id] = true;
    return x->becomes[product->id] ? WEFT_OK : weft_oom();
}

static weft_status visit_product(remover *x, weft_context *cx, const weft_op *product) {
    bool gathers = false;
    for (uint32_t i = 0; i < product->operand_count; i++) {
        const weft_op *def = product->operands[i]->def;
        if (!def || def->kind != WEFT_OP_sdy_all_gather || weft_use_count(&x->uses, product->operands[i]) != 1)
            continue;
        x->gone[def->id] = true;
        gathers = true;
    }
    return gathers ? WEFT_OK : take_scatter(x, cx, product);
}

typedef struct walk { remover *x; weft_context *cx; } walk;

static weft_status visit_op(void *user, weft_op *op) {
    walk *w = user;
    return is_product(op) ? visit_product(w->x, w->cx, op) : WEFT_OK;
}

static weft_status skip_gone(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    const remover *x = c->user;
    if (!x->gone[op->id]) return WEFT_OK;
    weft_copy_map(c, &op->results[0], weft_copy_of(c, op->operands[0]));
    *answer = WEFT_COPY_DONE;
    return WEFT_OK;
}

static weft_status reshard_product(weft_copy *c, const weft_op *op, weft_op *copy) {
    const remover *x = c->user;
    return x->becomes[op->id] ? weft_op_set(c->out, copy, WEFT_A_sdy_sharding, x->becomes[op->id]) : WEFT_OK;
}

weft_status weft_pass_remove_all_gather_reduce_scatter_for_cmv1(weft_pass *p, const weft_module *in,
                                                                weft_module **out) {
    remover x;
    walk w = { &x, p->cx };
    weft_arena_init(&x.arena, &p->cx->chunks);
    x.gone = weft_arena_array(&x.arena, bool, in->op_count);
    x.becomes = weft_arena_array(&x.arena, const weft_attr *, in->op_count);
    weft_status st = x.gone && x.becomes ? weft_uses_build(in, &x.arena, &x.uses) : weft_oom();
    if (st == WEFT_OK) st = weft_shardings_open(p->cx, in, &x.arena, &x.t);
    if (st == WEFT_OK) st = weft_module_walk(in, visit_op, &w);
    if (st == WEFT_OK)
        st = weft_copy_module(in, &(weft_copy_hooks){ .visit = skip_gone, .after = reshard_product }, &x, out);
    weft_arena_free(&x.arena);
    return st;
}
