/* sink_sums: a sum of products that a loop adds up, and does not read, is one product after the loop.
 *
 *     while i < n: c = c + dot(a, b) ...   ->   while i < n: as[i] = a; bs[i] = b ...
 *                                               c = c + dot(as, bs)     which contracts over i too
 *
 * Pass weft-sink-loop-sums. Needs: plain StableHLO on local shapes. The gradient of a scan adds up those of its weights
 * so. What is multiplied is a row (steps.h), whose array is there already, or it is written to an array that the loop
 * carries. The same for sums of sums along dimensions, as of a bias. Between c and the product there may be
 * what sums commute with: transposes, reshapes, sums along dimensions, conversions to a wider float. The one product
 * has n times the terms and adds into memory once, not n times. sink_worth.c says when it is worth the arrays: by the
 * cost model, with the costs `stack-gain` and `hold-growth`. Only the order of additions changes; integers wrap round
 * alike, and floats are added in the type of the sum or a wider one.
 *
 * A vendor's compiler rearranges no loop so, and a program for its machine stays as it is.
 */
#include "legalize/sink_sums.h"

#include "legalize/legalize.h"
#include "legalize/product.h"

/* ---- what can be ---- */

enum { MOST_CHAIN = 16 }; /* ops between a product and the addition */

/* Adds elements up, from zero. */
static bool is_sum(const weft_op *op) {
    if (op->kind != WEFT_OP_reduce || op->operand_count != 2 || op->result_count != 1) return false;
    const weft_op *zero = op->operands[1]->def;
    const weft_attr *v = zero && zero->kind == WEFT_OP_constant ? weft_op_attr(zero, WEFT_A_value) : NULL;
    if (!v || v->kind != WEFT_ATTR_DENSE || weft_dtype_load(op->results[0].type->dtype, v->dense.p) != 0) return false;
    return weft_reducer_kind(op, 0) == WEFT_OP_add;
}

static bool widens(const weft_op *op) {
    const weft_dtype from = op->operands[0]->type->dtype, to = op->results[0].type->dtype;
    return op->kind == WEFT_OP_convert && weft_dtype_is_float(from) && weft_dtype_is_float(to) &&
           weft_dtype_of(to)->bits > weft_dtype_of(from)->bits;
}

static bool fits_array(const weft_value *v) {
    return lg_is_plain(v->type) && v->type->rank < WEFT_MAX_RANK && v->type->dtype != WEFT_I1;
}

/* The op by which x, which only one op reads, is a sum; NULL: there is none. */
static const weft_op *core_of(const lg_steps *s, const weft_block *body, const weft_value *x) {
    const weft_op *core = NULL;
    for (int i = 0; i < MOST_CHAIN; i++) {
        const weft_op *op = x->def;
        if (!op || op->parent != body || weft_use_count(&s->uses, x) != 1 || !fits_array(x) ||
            weft_op_attr(op, WEFT_A_sdy_sharding))
            return core;
        if (op->kind == WEFT_OP_dot_general) return op;
        if (is_sum(op)) core = op;
        else if (op->kind != WEFT_OP_transpose && op->kind != WEFT_OP_reshape && !widens(op)) return core;
        x = op->operands[0];
    }
    return NULL;
}

/* The sum that value number i of the loop is, if it is one and nothing reads it inside. */
static bool is_carried_sum(const lg_steps *s, const lg_count *c, uint32_t i, lg_sum *out) {
    const weft_block *cond = weft_op_body(c->loop, 0), *body = weft_op_body(c->loop, 1);
    const weft_value *carried = body->args[i], *next = body->last->operands[i];
    const weft_op *add = next->def;
    if (!add || add->kind != WEFT_OP_add || add->parent != body || weft_use_count(&s->uses, next) != 1 ||
        weft_use_count(&s->uses, carried) != 1 || weft_use_count(&s->uses, cond->args[i]) || !fits_array(carried) ||
        (add->operands[0] != carried && add->operands[1] != carried))
        return false;
    *out = (lg_sum){ .index = i, .add = add, .term = add->operands[add->operands[0] == carried] };
    out->core = core_of(s, body, out->term);
    return out->core != NULL;
}

/* The array of v in each iteration, in the order of the loop's rows. */
static lg_stack *stack_of(weft_arena *arena, lg_sunk *k, const weft_value *v) {
    for (lg_stack *t = k->stacks; t; t = t->next)
        if (t->v == v) return t;
    lg_stack *t = weft_arena_new(arena, lg_stack);
    if (!t) return NULL;
    *t = (lg_stack){ .v = v, .next = k->stacks };
    return k->stacks = t;
}

/* Whether each factor changes from iteration to iteration and can be in an array. */
static bool fits(const lg_steps *s, const lg_count *c, const lg_sum *sum) {
    for (uint32_t f = 0; f < lg_factors(sum); f++)
        if (lg_is_fixed(s, c, sum->core->operands[f]) || !fits_array(sum->core->operands[f])) return false;
    return true;
}

/* All sums of the loop that could be sunk. */
static weft_status list_sums(lg_sinker *z, lg_sunk *k) {
    lg_sum one, **end = &k->sums;
    k->direction = LG_FORWARD;
    bool rows = false;
    for (uint32_t i = 0; i < k->count.loop->result_count; i++) {
        if (!is_carried_sum(&z->steps, &k->count, i, &one) || !fits(&z->steps, &k->count, &one)) continue;
        lg_sum *sum = *end = weft_arena_new(z->arena, lg_sum);
        if (!sum) return weft_oom();
        *sum = one;
        end = &sum->next;
        for (uint32_t f = 0; f < lg_factors(sum) && !rows; f++) {
            const lg_row *row = lg_row_of(&z->steps, &k->count, sum->core->operands[f]);
            if (row) k->direction = row->direction, rows = true;
        }
    }
    for (lg_sum *sum = k->sums; sum; sum = sum->next)
        for (uint32_t f = 0; f < lg_factors(sum); f++) {
            const weft_value *v = sum->core->operands[f];
            const lg_row *row = lg_row_of(&z->steps, &k->count, v);
            if (row && row->direction == k->direction) continue;
            if (!(sum->stacks[f] = stack_of(z->arena, k, v))) return weft_oom();
        }
    return WEFT_OK;
}

static void leave(lg_sinker *z, lg_sunk *k) {
    const weft_block *body = weft_op_body(k->count.loop, 1);
    lg_steps *s = &z->steps;
    for (uint32_t i = 0; i < k->count.loop->result_count; i++)
        if (!k->of_value[i]) s->needed[body->last->operands[i]->id] = true;
    for (const lg_stack *t = k->stacks; t; t = t->next)
        if (t->readers) s->needed[t->v->id] = true;
    for (const lg_sum *sum = k->sums; sum; sum = sum->next)
        if (sum->taken) s->gone[sum->add->id] = true;
    s->gone[body->last->id] = true;
    lg_steps_spare(s, &k->count);
}

static weft_status consider(lg_sinker *z, const weft_op *loop) {
    lg_count c;
    bool any = false;
    if (weft_op_attr(loop, WEFT_A_sdy_sharding) || !lg_steps_of(&z->steps, loop, &c)) return WEFT_OK;
    lg_sunk *k = weft_arena_new(z->arena, lg_sunk);
    if (!k) return weft_oom();
    *k = (lg_sunk){ .count = c, .of_value = weft_arena_array(z->arena, lg_sum *, loop->result_count) };
    weft_status st = k->of_value ? list_sums(z, k) : weft_oom();
    if (st != WEFT_OK || !k->sums) return st;
    lg_sums_choose(&z->steps, k);
    for (lg_sum *sum = k->sums; sum; sum = sum->next) {
        if (!sum->taken) continue;
        k->of_value[sum->index] = sum;
        any = true;
    }
    if (!any) return WEFT_OK;
    z->of_loop[loop->id] = z->of_end[weft_op_body(loop, 1)->last->id] = k;
    leave(z, k);
    return WEFT_OK;
}

static weft_status find(lg_sinker *z, const weft_op *op, bool *any) {
    weft_status st = op->kind == WEFT_OP_while ? consider(z, op) : WEFT_OK;
    *any = *any || z->of_loop[op->id];
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r])
            for (const weft_op *inner = blk->first; inner && st == WEFT_OK; inner = inner->next)
                st = find(z, inner, any);
    return st;
}

/* ---- the rewriting ---- */

/* After the loop: all rows of a factor. */
static weft_value *all_of(weft_rewrite *r, weft_builder *b, lg_sunk *k, const lg_sum *sum, uint32_t f) {
    lg_sinker *z = r->user;
    return sum->stacks[f] ? sum->stacks[f]->all
                          : lg_build_outside(&z->steps, &k->count, b, &r->map, sum->core->operands[f]);
}

static weft_value *product(weft_rewrite *r, weft_builder *b, lg_sunk *k, const lg_sum *sum, weft_dtype t) {
    int64_t memory[4][WEFT_MAX_RANK];
    const weft_dot_dims *d = &weft_op_attr(sum->core, WEFT_A_dot_dimension_numbers)->dot;
    const weft_dot_dims all = { .lhs_batch = lg_after_step(d->lhs_batch, LG_WITHOUT_STEP, memory[0]),
                                .rhs_batch = lg_after_step(d->rhs_batch, LG_WITHOUT_STEP, memory[1]),
                                .lhs_contract = lg_after_step(d->lhs_contract, LG_WITH_STEP, memory[2]),
                                .rhs_contract = lg_after_step(d->rhs_contract, LG_WITH_STEP, memory[3]) };
    weft_value *lhs = all_of(r, b, k, sum, 0), *rhs = all_of(r, b, k, sum, 1);
    b->loc = sum->core->loc;
    return lg_build_product(b, sum->core, lhs, rhs, &all, t);
}

static weft_value *summed(weft_rewrite *r, weft_builder *b, lg_sunk *k, const lg_sum *sum, weft_dtype t) {
    int64_t memory[WEFT_MAX_RANK];
    weft_value *x = all_of(r, b, k, sum, 0);
    b->loc = sum->core->loc;
    return lg_sum_over(b, lg_convert(b, x, t),
                       lg_after_step(weft_op_ints(sum->core, WEFT_A_dimensions), LG_WITH_STEP, memory));
}

/* What the ops from the core to v make of the core's sum over all iterations. */
static weft_value *follow(weft_builder *b, const lg_sum *sum, const weft_value *v, weft_value *all) {
    const weft_op *op = v->def;
    if (op == sum->core) return all;
    weft_value *x = follow(b, sum, op->operands[0], all);
    b->loc = op->loc;
    if (op->kind == WEFT_OP_transpose) return lg_transpose(b, x, weft_op_ints(op, WEFT_A_permutation).v);
    if (op->kind == WEFT_OP_reshape) return lg_reshape(b, x, v->type->rank, v->type->dims);
    return op->kind == WEFT_OP_reduce ? lg_sum_over(b, x, weft_op_ints(op, WEFT_A_dimensions)) : x;
}

static weft_status finish(weft_rewrite *r, weft_builder *b, lg_sunk *k, const lg_sum *sum) {
    const weft_op *loop = k->count.loop;
    const weft_dtype t = loop->results[sum->index].type->dtype;
    weft_value *all = sum->core->kind == WEFT_OP_reduce ? summed(r, b, k, sum, t) : product(r, b, k, sum, t);
    weft_value *x = follow(b, sum, sum->term, all);
    b->loc = sum->add->loc;
    r->map.to[loop->results[sum->index].id] =
        weft_build_binary(b, WEFT_OP_add, r->map.to[loop->operands[sum->index]->id], x);
    return b->status;
}

/* The loop with arrays in place of sums, its regions empty. */
static weft_op *shell(weft_rewrite *r, weft_builder *b, lg_sunk *k) {
    const weft_op *loop = k->count.loop;
    weft_context *cx = r->out->cx;
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    uint32_t n = 0, room = loop->operand_count;
    for (const lg_stack *t = k->stacks; t; t = t->next) room++;
    weft_value **operands = weft_scratch_array(cx, weft_value *, room);
    const weft_type **types = weft_scratch_array(cx, const weft_type *, room);
    if (!operands || !types) b->status = weft_oom();
    for (uint32_t i = 0; b->status == WEFT_OK && i < loop->operand_count; i++)
        if (!k->of_value[i]) types[n] = loop->results[i].type, operands[n++] = r->map.to[loop->operands[i]->id];
    for (lg_stack *t = k->stacks; t && b->status == WEFT_OK; t = t->next) {
        if (!t->readers) continue;
        int64_t dims[WEFT_MAX_RANK] = { k->count.n };
        for (uint32_t d = 0; d < t->v->type->rank; d++) dims[1 + d] = t->v->type->dims[d];
        types[n] = weft_type_tensor(cx, t->v->type->dtype, t->v->type->rank + 1, dims);
        if (!types[n]) b->status = weft_oom();
        operands[n] = types[n] ? weft_build_splat(b, types[n], 0) : NULL;
        n++;
    }
    weft_op *made = b->status == WEFT_OK
                        ? weft_build_op(b, &(weft_op_spec){ .kind = loop->kind, .operands = operands,
                                                            .operand_count = n, .types = types, .result_count = n,
                                                            .attrs = loop->attrs, .attr_count = loop->attr_count,
                                                            .region_count = loop->region_count })
                        : NULL;
    weft_arena_reset(&cx->scratch, mark);
    return made;
}

static void map_results(weft_rewrite *r, lg_sunk *k, weft_op *made) {
    const weft_op *loop = k->count.loop;
    uint32_t n = 0;
    for (uint32_t i = 0; i < loop->result_count; i++) {
        if (k->of_value[i]) continue;
        made->results[n].hint = loop->results[i].hint;
        r->map.to[loop->results[i].id] = &made->results[n++];
    }
    for (lg_stack *t = k->stacks; t; t = t->next)
        if (t->readers) t->all = &made->results[n++];
}

static weft_status region(weft_rewrite *r, lg_sunk *k, weft_op *made, uint32_t which) {
    const weft_block *old = weft_op_body(k->count.loop, which);
    weft_builder b;
    weft_builder_init(&b, r->out, NULL);
    weft_block *blk = weft_build_block(&b, &made->regions[which]);
    for (uint32_t i = 0; blk && i < old->arg_count; i++) {
        if (k->of_value[i]) continue;
        weft_value *arg = weft_build_block_arg(&b, blk, old->args[i]->type, old->args[i]->loc);
        if (!arg) return b.status;
        arg->hint = old->args[i]->hint;
        r->map.to[old->args[i]->id] = arg;
    }
    for (lg_stack *t = k->stacks; blk && t; t = t->next)
        if (t->readers && !(t->arg = weft_build_block_arg(&b, blk, t->all->type, k->count.loop->loc))) return b.status;
    return blk ? weft_rewrite_block(r, old, blk) : b.status;
}

static weft_status rewrite_loop(weft_rewrite *r, weft_builder *b, lg_sunk *k) {
    b->loc = k->count.loop->loc;
    weft_op *made = shell(r, b, k);
    if (!made) return b->status;
    map_results(r, k, made);
    weft_status st = WEFT_OK;
    for (uint32_t w = 0; w < 2 && st == WEFT_OK; w++) st = region(r, k, made, w);
    for (const lg_sum *sum = k->sums; sum && st == WEFT_OK; sum = sum->next)
        if (sum->taken) st = finish(r, b, k, sum);
    return st;
}

/* The place of this iteration in the arrays: the number of iterations before it, or after it. */
static weft_value *place(weft_rewrite *r, weft_builder *b, const lg_sunk *k) {
    const weft_counter *c = &k->count.counter;
    weft_value *i = r->map.to[weft_op_body(k->count.loop, 1)->args[c->index]->id];
    const bool up = (c->by > 0) == (k->direction == LG_FORWARD);
    const int64_t first = k->direction == LG_FORWARD ? 0 : k->count.n - 1; /* of the first iteration */
    /* i32 has all numbers here that a loop could count in years from near zero */
    const bool narrow = c->dtype != WEFT_I64 && (c->dtype != WEFT_I32 || c->from <= -(1 << 30) || c->to >= 1 << 30);
    if (narrow) i = lg_convert(b, i, WEFT_I64);
    const int64_t offset = up ? first - c->from : first + c->from;
    if (!i || (up && !offset)) return i;
    weft_value *k0 = weft_build_integer(b, i->type, offset);
    return up ? weft_build_binary(b, WEFT_OP_add, i, k0) : weft_build_binary(b, WEFT_OP_subtract, k0, i);
}

static weft_value *write(weft_builder *b, const weft_map *map, const lg_stack *t, weft_value *at) {
    const weft_type *each = t->v->type;
    int64_t dims[WEFT_MAX_RANK] = { 1 };
    weft_value *in[2 + WEFT_MAX_RANK] = { t->arg, NULL, at }, *zero = at ? weft_build_integer(b, at->type, 0) : NULL;
    for (uint32_t d = 0; d < each->rank; d++) dims[1 + d] = each->dims[d], in[3 + d] = zero;
    in[1] = lg_reshape(b, map->to[t->v->id], each->rank + 1, dims);
    return zero && in[1] ? weft_build_1(b, WEFT_OP_dynamic_update_slice, t->arg->type, in, 3 + each->rank, NULL, 0)
                         : NULL;
}

/* What the body returns: without the sums, with the arrays. */
static weft_status end_turn(weft_rewrite *r, weft_builder *b, const weft_op *end, const lg_sunk *k) {
    weft_context *cx = r->out->cx;
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    uint32_t n = 0, room = end->operand_count;
    for (const lg_stack *t = k->stacks; t; t = t->next) room++;
    weft_value **v = weft_scratch_array(cx, weft_value *, room), *at = NULL;
    if (!v) b->status = weft_oom();
    for (uint32_t i = 0; v && i < end->operand_count; i++)
        if (!k->of_value[i]) v[n++] = r->map.to[end->operands[i]->id];
    for (const lg_stack *t = k->stacks; v && t; t = t->next) {
        if (!t->readers) continue;
        if (!at) at = place(r, b, k);
        v[n++] = write(b, &r->map, t, at);
    }
    if (b->status == WEFT_OK)
        weft_build_op(b, &(weft_op_spec){ .kind = end->kind, .operands = v, .operand_count = n, .attrs = end->attrs,
                                          .attr_count = end->attr_count });
    weft_arena_reset(&cx->scratch, mark);
    return b->status;
}

static weft_status offered(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const lg_sinker *z = r->user;
    *did = z->steps.gone[op->id] || z->of_loop[op->id] ? WEFT_DONE : WEFT_KEEP;
    if (z->of_end[op->id]) return end_turn(r, b, op, z->of_end[op->id]);
    return z->of_loop[op->id] ? rewrite_loop(r, b, z->of_loop[op->id]) : WEFT_OK;
}

weft_status weft_pass_sink_loop_sums(weft_pass *p, const weft_module *in, weft_module **out) {
    const weft_machine *machine = weft_pass_machine(p);
    weft_arena arena;
    bool any = false;
    if (machine->compiler == WEFT_COMPILER_VENDOR || !weft_module_had(in, WEFT_OP_while)) return WEFT_OK;
    weft_arena_init(&arena, &p->cx->alloc);
    lg_sinker z = { .arena = &arena };
    weft_status st = lg_steps_open(in, machine, &arena, &z.steps);
    z.of_loop = weft_arena_array(&arena, lg_sunk *, in->op_count);
    z.of_end = weft_arena_array(&arena, lg_sunk *, in->op_count);
    if (st == WEFT_OK && (!z.of_loop || !z.of_end)) st = weft_oom();
    if (st == WEFT_OK) st = find(&z, in->root, &any);
    if (st == WEFT_OK && any)
        st = weft_rewrite_module(&(weft_rewrite){ .user = &z, .op = offered }, in, &arena, out);
    weft_arena_free(&arena);
    return st;
}
