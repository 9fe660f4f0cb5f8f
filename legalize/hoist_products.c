/* hoist_products: a product of a loop's row and a fixed value is made for all rows at once, before the loop.
 *
 *     while i < n: y = dot(xs[i], w) ...    ->    ys = dot(xs, w)
 *                                                 while i < n: y = ys[i] ...
 *
 * Pass weft-hoist-loop-products. Needs: plain StableHLO on local shapes, invariants outside of loops
 * (weft-hoist-loop-invariants). steps.h says what rows and fixed values are; loops are those of a recurrent network:
 * what an input adds to the state depends on no other step. The one product reads w once and not n times, and has n
 * times the rows. It is made where that saves enough by the cost model (cost `stack-gain`): products of many rows gain
 * nothing, since arithmetic limits both. All rows of the result are in memory through the loop, which may not hold much
 * more by it (cost `hold-growth`). Elements are the same sums of the same terms; a library may add them in another
 * order.
 *
 * A vendor's compiler rearranges no loop so, and a program for its machine stays as it is.
 */
#include "cost/op.h"
#include "legalize/legalize.h"
#include "legalize/product.h"
#include "legalize/steps.h"

typedef struct product {
    const weft_op *op;
    uint32_t row;            /* the operand that is one */
    uint32_t dim;            /* of all products, along which a step takes one */
    lg_count count;
    weft_value *all;         /* in the new module */
    struct product *next;    /* of the same loop */
} product;

typedef struct hoister {
    weft_arena *arena;
    lg_steps steps;
    product **of_loop;       /* by op id, of a loop: its products */
    product **of_op;         /* by op id, of a product that moves */
    bool any;
} hoister;

/* ---- what moves ---- */

/* The seconds that one product for all rows saves, and those of the products in the loop. */
static double saved(const lg_steps *s, const product *p, double *before) {
    const weft_op *op = p->op;
    const double n = (double)p->count.n, row = lg_bytes(op->operands[p->row]), w = lg_bytes(op->operands[!p->row]),
                 result = lg_bytes(&op->results[0]);
    weft_op_cost c;
    (void)weft_cost_op(op, &c);
    *before = n * lg_seconds(s->machine, c.flops, row + w + result);
    return *before - lg_seconds(s->machine, n * c.flops, n * (row + result) + w);
}

static bool can_move(const lg_steps *s, const lg_count *c, const weft_op *op, product *out) {
    if (op->kind != WEFT_OP_dot_general || weft_op_attr(op, WEFT_A_sdy_sharding)) return false;
    const weft_type *result = op->results[0].type;
    if (result->rank >= WEFT_MAX_RANK || !lg_is_plain(result) || !lg_is_plain(op->operands[0]->type) ||
        !lg_is_plain(op->operands[1]->type))
        return false;
    *out = (product){ .op = op, .row = lg_row_of(s, c, op->operands[0]) ? 0 : 1, .count = *c };
    if (!lg_row_of(s, c, op->operands[out->row]) || !lg_is_fixed(s, c, op->operands[!out->row])) return false;
    const weft_dot_dims *d = &weft_op_attr(op, WEFT_A_dot_dimension_numbers)->dot;
    out->dim = out->row ? op->operands[0]->type->rank - d->lhs_contract.n : d->lhs_batch.n;
    return true;
}

static weft_status consider(hoister *h, const weft_op *loop) {
    lg_steps *s = &h->steps;
    lg_count c;
    if (!lg_steps_of(s, loop, &c)) return WEFT_OK;
    double room = lg_loop_room(s, &c);
    WEFT_EACH_OP(op, weft_op_body(loop, 1)) {
        product p;
        double before;
        if (!can_move(s, &c, op, &p)) continue;
        const weft_value *row = op->operands[p.row];
        const double bytes = (double)c.n * lg_bytes(&op->results[0]) + lg_rows_bytes(s, &c, row);
        if (saved(s, &p, &before) < s->machine->costs.stack_gain * before || bytes > room) continue;
        product *kept = weft_arena_new(h->arena, product);
        if (!kept) return weft_oom();
        room -= bytes;
        *kept = p;
        kept->next = h->of_loop[loop->id];
        h->of_loop[loop->id] = h->of_op[op->id] = kept;
        const lg_row *from = lg_row_of(s, &c, row);
        s->gone[op->id] = s->needed[from->slice->operands[1 + from->dim]->id] = h->any = true;
    }
    if (h->of_loop[loop->id]) lg_steps_spare(s, &c);
    return WEFT_OK;
}

static weft_status find(hoister *h, const weft_op *op) {
    weft_status st = op->kind == WEFT_OP_while ? consider(h, op) : WEFT_OK;
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r])
            for (const weft_op *inner = blk->first; inner && st == WEFT_OK; inner = inner->next) st = find(h, inner);
    return st;
}

/* ---- the rewriting ---- */

/* Before the loop: the product for all rows. */
static weft_status make_all(weft_rewrite *r, weft_builder *b, product *p) {
    hoister *h = r->user;
    int64_t memory[2][WEFT_MAX_RANK];
    const weft_dot_dims *d = &weft_op_attr(p->op, WEFT_A_dot_dimension_numbers)->dot;
    weft_dot_dims all = *d;
    weft_ints *batch = p->row ? &all.rhs_batch : &all.lhs_batch,
              *contract = p->row ? &all.rhs_contract : &all.lhs_contract;
    *batch = lg_after_step(*batch, LG_WITHOUT_STEP, memory[0]);
    *contract = lg_after_step(*contract, LG_WITHOUT_STEP, memory[1]);
    weft_value *in[2];
    for (uint32_t i = 0; i < 2; i++)
        in[i] = lg_build_outside(&h->steps, &p->count, b, &r->map, p->op->operands[i]);
    b->loc = p->op->loc;
    p->all = lg_build_product(b, p->op, in[0], in[1], &all, p->op->results[0].type->dtype);
    return b->status;
}

/* In the body: this step's part of it. */
static weft_status take_one(weft_rewrite *r, weft_builder *b, const product *p) {
    hoister *h = r->user;
    const lg_row *row = lg_row_of(&h->steps, &p->count, p->op->operands[p->row]);
    const weft_type *type = p->op->results[0].type, *all = p->all->type;
    weft_value *at = r->map.to[row->slice->operands[1 + row->dim]->id], *in[1 + WEFT_MAX_RANK] = { p->all };
    if (row->low) at = weft_build_binary(b, WEFT_OP_subtract, at, weft_build_integer(b, at->type, row->low));
    weft_value *zero = at ? weft_build_integer(b, at->type, 0) : NULL;
    for (uint32_t d = 0; d < all->rank; d++) in[1 + d] = d == p->dim ? at : zero;
    const weft_type *one = weft_type_with_dim(b->m->cx, all, p->dim, 1);
    const weft_attr_pair sizes = { WEFT_A_slice_sizes, one ? weft_attr_ints(b->m->cx, WEFT_I64, one->dims, one->rank)
                                                           : NULL };
    if (!one || !sizes.value) b->status = weft_oom();
    weft_value *slice = zero ? weft_build_1(b, WEFT_OP_dynamic_slice, one, in, 1 + all->rank, &sizes, 1) : NULL;
    r->map.to[p->op->results[0].id] = lg_reshape(b, slice, type->rank, type->dims);
    return b->status;
}

static weft_status offered(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    hoister *h = r->user;
    weft_status st = WEFT_OK;
    *did = h->steps.gone[op->id] ? WEFT_DONE : WEFT_KEEP;
    for (product *p = h->of_loop[op->id]; p && st == WEFT_OK; p = p->next) st = make_all(r, b, p);
    b->loc = op->loc;
    return st == WEFT_OK && h->of_op[op->id] ? take_one(r, b, h->of_op[op->id]) : st;
}

weft_status weft_pass_hoist_loop_products(weft_pass *p, const weft_module *in, weft_module **out) {
    const weft_machine *machine = weft_pass_machine(p);
    weft_arena arena;
    if (machine->compiler == WEFT_COMPILER_VENDOR || !weft_module_had(in, WEFT_OP_while)) return WEFT_OK;
    weft_arena_init(&arena, &p->cx->alloc);
    hoister h = { .arena = &arena };
    weft_status st = lg_steps_open(in, machine, &arena, &h.steps);
    h.of_loop = weft_arena_array(&arena, product *, in->op_count);
    h.of_op = weft_arena_array(&arena, product *, in->op_count);
    if (st == WEFT_OK && (!h.of_loop || !h.of_op)) st = weft_oom();
    if (st == WEFT_OK) st = find(&h, in->root);
    if (st == WEFT_OK && h.any)
        st = weft_rewrite_module(&(weft_rewrite){ .user = &h, .op = offered }, in, &arena, out);
    weft_arena_free(&arena);
    return st;
}
