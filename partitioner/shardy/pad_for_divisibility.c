/* pad_for_divisibility: tensors that devices do not divide are padded until they do.
 *
 * Pass sdy-pad-for-divisibility. Needs: sdy's collectives in place of reshards, arguments and results of functions that
 * the devices divide. Leaves: the same program on longer tensors (pad.h), still with global shapes, for
 * sdy-convert-global-to-local. What is brought together or handed out loses its padding. Source: Shardy, the pass of
 * the same name; docs/shardy-differences.md says where it makes another program of one and this does not.
 *
 * With borders=true, which Shardy does not have, functions without a caller may take and give what the devices do not
 * divide: these arguments and results become longer too. Callers hand in zeros after the old ends, and find anything
 * there.
 */
#include "partitioner/shardy/pad.h"
#include "partitioner/partition.h"
#include "sharding/data_flow.h"

static weft_status pad_plainly(weft_padder *p, const weft_op *op) {
    weft_padding with;
    weft_status st = weft_pad_by_rule(p, op, &with);
    return st == WEFT_OK ? weft_pad_close(p, op, &with, NULL) : st;
}

/* What callers hand in and get back is not ours to make longer. */
static weft_status check_borders(weft_padder *p, const weft_op *f) {
    const weft_type *type = weft_func_type(f);
    const weft_block *body = weft_op_body(f, 0);
    for (uint32_t i = 0; body && i < body->arg_count; i++)
        if (weft_type_is_tensor(body->args[i]->type) && weft_pad_type(p, body->args[i]) != body->args[i]->type)
            return weft_report(p->cx, WEFT_D_partition, f->loc,
                               "argument #%u has a non-divisible sharding. Shardy expects function IO to be divisible.",
                               i);
    for (uint32_t i = 0; i + type->input_count < type->part_count; i++) {
        const weft_type *part = type->parts[type->input_count + i];
        const weft_sharding *s = NULL;
        weft_status st = weft_func_result_sharding(p->shardings, f, i, &s);
        if (st != WEFT_OK) return st;
        if (s && weft_type_is_tensor(part) && s->rank == part->rank && !weft_sharding_divides(s, part->dims))
            return weft_report(p->cx, WEFT_D_partition, f->loc,
                               "result #%u has a non-divisible sharding. Shardy expects function IO to be divisible.",
                               i);
    }
    return WEFT_OK;
}

static weft_status pad_func(weft_padder *p, weft_builder *b, const weft_op *f) {
    const weft_type *type = weft_func_type(f);
    const weft_block *body = weft_op_body(f, 0);
    weft_mark mark = weft_arena_mark(&p->cx->scratch);
    const weft_type **parts =
        weft_arena_dup(&p->cx->scratch, type->parts, type->part_count * sizeof *parts, _Alignof(const weft_type *));
    weft_status st = parts ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < type->input_count; i++) {
        p->zero[body->args[i]->id] = ~(weft_bits)0;
        if (!(parts[i] = weft_pad_type(p, body->args[i]))) st = weft_oom();
    }
    for (uint32_t i = type->input_count; st == WEFT_OK && i < type->part_count; i++)
        st = weft_pad_result_type(p, f, i - type->input_count, &parts[i]);
    const weft_type *longer = st == WEFT_OK
                                  ? weft_type_function(p->cx, parts, type->input_count, parts + type->input_count,
                                                       type->part_count - type->input_count)
                                  : NULL;
    const weft_attr *a = longer ? weft_attr_type(p->cx, longer) : NULL;
    weft_op *made = a ? weft_clone_shell(b, f, &p->rewrite->map, NULL) : NULL;
    weft_arena_reset(&p->cx->scratch, mark);
    if (st != WEFT_OK || !made) return st != WEFT_OK ? st : b->status != WEFT_OK ? b->status : weft_oom();
    st = weft_op_set(p->rewrite->out, made, WEFT_A_function_type, a);
    return st == WEFT_OK ? weft_rewrite_regions(p->rewrite, f, made) : st;
}

static weft_status note_shardings(void *user, weft_op *op) {
    weft_padder *p = user;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++)
        st = weft_value_sharding_inside(p->cx, p->shardings, &op->results[i], &p->of[op->results[i].id]);
    for (uint32_t i = 0; i < op->region_count; i++)
        WEFT_EACH_BLOCK(blk, &op->regions[i])
            for (uint32_t k = 0; st == WEFT_OK && k < blk->arg_count; k++)
                st = weft_value_sharding_inside(p->cx, p->shardings, blk->args[k], &p->of[blk->args[k]->id]);
    return st;
}

static weft_status pad_op(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    weft_padder *p = r->user;
    const weft_local *l = weft_local_of((weft_op_kind)op->kind);
    if (op->kind == WEFT_OP_func && p->where == WEFT_PAD_BORDERS && weft_op_body(op, 0)) {
        *did = WEFT_DONE;
        return pad_func(p, b, op);
    }
    if (op->kind == WEFT_OP_func) return weft_illegal(p->cx, op, check_borders(p, op));
    bool ends = weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_TERMINATOR);
    if (!ends && !weft_pad_touches(p, op)) return WEFT_OK;
    weft_builder *outer = p->b;
    weft_mark mark = weft_arena_mark(&p->cx->scratch);
    p->b = b;
    *did = WEFT_DONE;
    weft_status st = l->pad ? l->pad(p, op) : pad_plainly(p, op);
    p->b = outer;
    weft_arena_reset(&p->cx->scratch, mark);
    return st;
}

static const weft_type *padded_type(weft_rewrite *r, const weft_value *old) { return weft_pad_type(r->user, old); }

weft_status weft_pass_pad_for_divisibility(weft_pass *pass, const weft_module *in, weft_module **out) {
    weft_arena arena;
    weft_arena_init(&arena, &pass->cx->chunks);
    weft_padder p = { .cx = pass->cx, .uneven_factors = weft_uneven_factors,
                      .where = weft_pass_flag(pass, "borders", false) ? WEFT_PAD_BORDERS : WEFT_PAD_INSIDE };
    weft_rewrite r = { .user = &p, .op = pad_op, .type = padded_type };
    p.rewrite = &r;
    p.of = weft_arena_array(&arena, const weft_sharding *, in->value_count);
    p.zero = weft_arena_array(&arena, weft_bits, in->value_count);
    weft_status st = p.of && p.zero ? weft_shardings_open(pass->cx, in, &arena, &p.shardings) : weft_oom();
    if (st == WEFT_OK) st = weft_rules_open(pass->cx, &arena, &p.rules);
    if (st == WEFT_OK) st = weft_module_walk(in, note_shardings, &p);
    if (st == WEFT_OK) st = weft_rewrite_module(&r, in, &arena, out);
    weft_arena_free(&arena);
    return st;
}
