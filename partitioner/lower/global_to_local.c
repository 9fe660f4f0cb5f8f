/* global_to_local: every value becomes one device's part of it.
 *
 * Pass sdy-convert-global-to-local. Needs: no sdy.reshard, and shardings that follow each op's rule (insert_reshards,
 * reshard_to_collectives). Leaves: plain StableHLO on local shapes, with the mesh; @main's arguments and results keep
 * their sdy.sharding, nothing else has one. How each op is written on local shapes is its column `local` (local.h).
 * All locations are kept; what is added has the location of the op that caused it.
 */
#include "ir/process.h"
#include "ir/verify.h"
#include "partitioner/layout/device_number.h"
#include "partitioner/lower/localize.h"
#include "partitioner/partition.h"

/* The listed form is Shardy's, in which all parts are whole. */
static weft_status check_even(weft_localizer *z, const weft_op *op) {
    for (uint32_t i = 0; i < op->operand_count + op->result_count; i++) {
        const weft_value *v = weft_op_value(op, i);
        if (weft_type_is_tensor(v->type) && !weft_placement_divides(z->t, weft_local_placement(z, v), v->type))
            return weft_report(z->cx, WEFT_D_unsupported, op->loc,
                               "%s has a value that is split unevenly: only compact=true writes such values", op->name->text);
    }
    return WEFT_OK;
}

/* Ops that say nothing of devices are the same over any order of them, as long as it is one. */
static weft_status check_orders(weft_localizer *z, const weft_local *l, const weft_op *op) {
    bool any = false, mixed = false;
    int order = -1;
    for (uint32_t i = 0; i < op->operand_count + op->result_count; i++) {
        const weft_placement *p = weft_local_placement(z, weft_op_value(op, i));
        if (!p->n && !p->unreduced) continue;
        any |= p->order != 0;
        mixed |= order >= 0 && order != p->order;
        order = p->order;
    }
    bool plain = weft_local_listed(z) ? !l->lower && !l->listed : !l->lower;
    if (!any || (plain && !mixed) || l->reorders) return WEFT_OK;
    return weft_report(z->cx, WEFT_D_unsupported, op->loc, "%s over meshes whose devices stand in different orders",
                       op->name->text);
}

static weft_status lower(weft_localizer *z, const weft_op *op) {
    const weft_local *l = weft_local_of((weft_op_kind)op->kind);
    weft_op *made = NULL;
    if (l->unsupported)
        return weft_report(z->cx, WEFT_D_unsupported, op->loc, "%s cannot be partitioned yet", op->name->text);
    weft_status ordered = check_orders(z, l, op);
    if (ordered != WEFT_OK) return ordered;
    if (weft_op_is_marker(op)) {
        const weft_value *x = op->operands[0];
        if (z->of[x->id] != z->of[op->results[0].id])
            return weft_report(z->cx, WEFT_D_partition, op->loc, "%s moves data: run sdy-reshard-to-collectives before",
                               op->name->text);
        weft_local_map(z, &op->results[0], weft_local_value(z, x));
        return WEFT_OK;
    }
    if (weft_local_listed(z)) {
        weft_status st = check_even(z, op);
        if (st != WEFT_OK || l->listed) return st != WEFT_OK ? st : weft_illegal(z->cx, op, l->listed(z, op));
    }
    return l->lower ? l->lower(z, op) : weft_local_clone(z, op, &made);
}

static weft_status place_results(void *user, weft_op *op) {
    weft_localizer *z = user;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++)
        st = weft_placement_of_value(z->t, &op->results[i], &z->of[op->results[i].id]);
    for (uint32_t i = 0; i < op->region_count; i++)
        WEFT_EACH_BLOCK(blk, &op->regions[i])
            for (uint32_t k = 0; st == WEFT_OK && k < blk->arg_count; k++)
                st = weft_placement_of_value(z->t, blk->args[k], &z->of[blk->args[k]->id]);
    return st;
}

/* Each function may have a mesh of its own. Its type follows from its arguments and what it returns. */
static weft_status lower_func(weft_localizer *z, weft_op *f) {
    const weft_type *old = weft_func_type(f);
    weft_status placed = weft_placements_open_in(z->in, f, weft_local_listed(z) ? WEFT_ORDERS_ANY : WEFT_ORDERS_AT_ENDS,
                                                 z->arena, &z->t);
    if (placed == WEFT_OK) placed = weft_op_walk(f, place_results, z);
    if (placed != WEFT_OK) return placed;
    uint32_t n = old->part_count - old->input_count;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    const weft_type **parts = weft_scratch_array(z->cx, const weft_type *, old->part_count);
    weft_status st = parts ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < old->part_count; i++) {
        bool arg = i < old->input_count;
        weft_placement_id id;
        const weft_attr *a = arg ? weft_func_arg_attr(f, i, WEFT_A_sdy_sharding)
                                 : weft_func_result_attr(f, i - old->input_count, WEFT_A_sdy_sharding);
        st = weft_placement_from_attr(z->t, a, old->parts[i], f->loc, &id);
        if (st == WEFT_OK && !(parts[i] = weft_placement_local_type(z->t, id, old->parts[i]))) st = weft_oom();
    }
    const weft_type *type =
        st == WEFT_OK ? weft_type_function(z->cx, parts, old->input_count, parts + old->input_count, n) : NULL;
    weft_arena_reset(&z->cx->scratch, mark);
    if (st != WEFT_OK) return st;
    const weft_attr *attr = type ? weft_attr_type(z->cx, type) : NULL;
    weft_op *made = weft_clone_shell(z->b, f, &z->rewrite->map, NULL);
    if (!attr || !made) return weft_oom();
    st = weft_op_set(z->rewrite->out, made, WEFT_A_function_type, attr);
    return st == WEFT_OK ? weft_rewrite_regions(z->rewrite, f, made) : st;
}

static weft_status lower_op(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    weft_localizer *z = r->user;
    weft_builder *outer = z->b;
    weft_status st = WEFT_OK;
    z->b = b;
    if (op->kind == WEFT_OP_func) {
        *did = WEFT_DONE;
        st = lower_func(z, (weft_op *)op); /* walked, not changed */
    } else if (z->entry) { /* inside a function */
        *did = WEFT_DONE;
        st = lower(z, op);
    }
    z->b = outer;
    return st;
}

/* The block of a function is where the arithmetic of device numbers goes. */
static weft_status enter_block(weft_rewrite *r, const weft_block *old, weft_block *made) {
    weft_localizer *z = r->user;
    const weft_op *parent = old->parent->parent;
    if (parent && parent->kind == WEFT_OP_func) {
        z->entry = made;
        z->last_index = NULL;
        z->index_count = 0;
        z->permutations = NULL;
    }
    return WEFT_OK;
}

static const weft_type *local_type_of(weft_rewrite *r, const weft_value *old) { return weft_local_type(r->user, old); }

static weft_form form_of(const weft_pass *p, weft_op_kind id) {
    weft_form form = WEFT_FORM_LISTED;
    if (weft_pass_flag(p, "compact", false)) return WEFT_FORM_COMPACT;
    if (weft_pass_flag(p, "per-dim-all-gather", false)) form |= WEFT_FORM_GATHER_PER_DIM;
    if (weft_pass_flag(p, "combine-multi-dimension-reduce-scatter", false)) form |= WEFT_FORM_SCATTER_AT_ONCE;
    if (weft_pass_flag(p, "enable-rgv3", false)) form |= WEFT_FORM_GROUPS_BY_AXES;
    if (id == WEFT_OP_replica_id) form |= WEFT_FORM_REPLICAS;
    return form;
}

/* Operands that do not agree with their op's sharding, where no pass has inserted reshards, become parts that do not
 * fit each other. weft-export, which asks for the compact form, has inserted them and need not look. */
static weft_status check_made(weft_context *cx, const weft_module *in, weft_module **out) {
    weft_status st = weft_verify_module(cx, *out);
    if (st == WEFT_OK) return st;
    if (st != WEFT_ERR_MEMORY)
        weft_help(cx, in->root->loc, "one device's parts do not fit each other: insert reshards, by "
                                     "sdy-insert-explicit-reshards=enable-full-version=true, and lower them first");
    weft_module_free(*out);
    *out = NULL;
    return st;
}

weft_status weft_pass_convert_global_to_local(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    weft_op_kind id;
    weft_status st = weft_device_id_op(p, in->root->loc, &id);
    if (st != WEFT_OK) return st;
    weft_arena_init(&arena, &p->cx->chunks);
    weft_localizer z = {
        .cx = p->cx, .in = in, .arena = &arena, .form = form_of(p, id), .index_dtype = weft_module_index_dtype(in)
    };
    weft_rewrite r = { .user = &z, .op = lower_op, .type = local_type_of, .enter = enter_block };
    z.rewrite = &r;
    if (!(z.of = weft_arena_array(&arena, weft_placement_id, in->value_count))) st = weft_oom();
    if (st == WEFT_OK) st = weft_last_channel(in, &z.channel);
    if (st == WEFT_OK) st = weft_rewrite_module(&r, in, &arena, out);
    weft_arena_free(&arena);
    return st == WEFT_OK && z.form != WEFT_FORM_COMPACT ? check_made(p->cx, in, out) : st;
}
