/* unreduced_reshards.c: partial values in pass sdy-insert-explicit-reshards; see resharder.h. */
#include "partitioner/lower/local.h"
#include "partitioner/lower/local_ops.h"
#include "partitioner/shardy/resharder.h"

static weft_status same_mesh(const weft_resharder *x, const weft_sharding *a, const weft_sharding *b,
                             const weft_value *v) {
    if (weft_mesh_same_devices(a->mesh, b->mesh)) return WEFT_OK;
    return weft_report(x->cx, WEFT_D_partition, weft_value_loc(v),
                       "a partial value and its reader are sharded over different meshes");
}

weft_status weft_reshard_reduce(weft_resharder *x, weft_builder *b, const weft_sharding *reader, weft_value **v,
                                const weft_sharding **s) {
    weft_axis_list reduce, rest;
    if (!*s || !(*s)->unreduced.n) return WEFT_OK;
    weft_status st = reader ? same_mesh(x, *s, reader, *v) : WEFT_OK;
    if (st != WEFT_OK) return st;
    weft_axis_list_difference(&reduce, (*s)->unreduced, reader ? reader->unreduced : (weft_axes){ 0 });
    if (!reduce.n) return WEFT_OK;
    weft_axis_list_difference(&rest, (*s)->unreduced, weft_axes_of(&reduce));
    weft_axes kept = weft_axes_of(&rest);
    kept.by = rest.n ? (*s)->unreduced.by : WEFT_BY_SUM;
    const weft_sharding *to = weft_sharding_with_unreduced(x->t, *s, kept);
    if (!to) return weft_oom();
    st = weft_build_all_reduce(x, b, *v, weft_axes_of(&reduce), (*s)->unreduced.by, to, v);
    *s = to;
    return st;
}

/* --- from whole to partial --------------------------------------------------------------------------------------- */

typedef struct to_unreduced {
    weft_axis_list added;                    /* unreduced in the end, and not yet */
    weft_axis_list from_shards;              /* of these, what shards the value now */
    weft_axis_list given[WEFT_MAX_RANK];     /* the same by dimension */
    weft_dim dims[WEFT_MAX_RANK];            /* just before */
    bool moves;                              /* the dimensions are not so now */
} to_unreduced;

static bool within(weft_axes a, weft_axes b) {
    weft_axis_list left;
    weft_axis_list_difference(&left, a, b);
    return left.n == 0;
}

/* A dimension whose axes begin as wanted gives up the others to the sum, where these are wanted there. */
static void plan_dim(to_unreduced *u, uint32_t d, weft_dim now, weft_dim wanted) {
    weft_axis_list rest = { 0 };
    weft_axis suffix;
    weft_prefix how = weft_axes_prefix(wanted.axes, now.axes);
    u->dims[d] = wanted;
    if (how == WEFT_PREFIX_EQUAL) return;
    u->moves |= how == WEFT_PREFIX_NOT;
    if (how == WEFT_PREFIX_NOT) return;
    uint32_t n = wanted.axes.n;
    if (n && !weft_axis_equal(wanted.axes.v[n - 1], now.axes.v[n - 1]) &&
        weft_axis_suffix_without(now.axes.v[n - 1], wanted.axes.v[n - 1], &suffix))
        weft_axis_list_push(&rest, suffix);
    for (uint32_t i = n; i < now.axes.n; i++) weft_axis_list_push(&rest, now.axes.v[i]);
    if (!within(weft_axes_of(&rest), weft_axes_of(&u->added))) {
        u->moves = true;
        return;
    }
    u->given[d] = rest;
    u->dims[d] = now;
    for (uint32_t i = 0; i < rest.n; i++) weft_axis_list_push(&u->from_shards, rest.v[i]);
}

static weft_status build_to_unreduced(weft_resharder *x, weft_builder *b, weft_op_kind kind, weft_value **v,
                                      const weft_attr *axes, const weft_sharding *to) {
    weft_attr_pair attrs[] = { { WEFT_A_axes, axes },
                               { WEFT_A_out_sharding, to ? weft_sharding_to_attr(x->t, to) : NULL } };
    if (!attrs[0].value || !attrs[1].value) return weft_oom();
    b->loc = weft_value_loc(*v);
    *v = weft_build_1(b, kind, (*v)->type, v, 1, attrs, WEFT_COUNT(attrs));
    return b->status;
}

static weft_status run_plan(weft_resharder *x, weft_builder *b, const to_unreduced *u, const weft_sharding *reader,
                            weft_value **v, const weft_sharding **s) {
    const weft_sharding *now = *s;
    weft_axis_list whole, unreduced;
    weft_status st = WEFT_OK;
    if (u->moves) {
        *s = weft_sharding_make(x->t, now->mesh, now->rank, u->dims, now->replicated, now->unreduced);
        st = *s ? weft_build_reshard(x, b, *v, *s, v) : weft_oom();
    }
    weft_axis_list_difference(&whole, weft_axes_of(&u->added), weft_axes_of(&u->from_shards));
    if (st == WEFT_OK && whole.n) {
        weft_axis_list_set(&unreduced, now->unreduced);
        for (uint32_t i = 0; i < whole.n; i++) weft_axis_list_push(&unreduced, whole.v[i]);
        weft_axis_list_sort_merge(&unreduced);
        weft_axes axes = weft_axes_of(&unreduced);
        axes.by = reader->unreduced.by;
        *s = weft_sharding_make(x->t, now->mesh, now->rank, u->dims, reader->replicated, axes);
        st = build_to_unreduced(x, b, WEFT_OP_sdy_replicated_to_unreduced, v,
                                weft_axes_to_attr(x->cx, now->mesh, weft_axes_of(&whole)), *s);
    }
    if (st == WEFT_OK && u->from_shards.n) {
        *s = reader;
        st = build_to_unreduced(x, b, WEFT_OP_sdy_sharded_to_unreduced, v,
                                weft_axis_lists_to_attr(x->cx, now->mesh, u->given, now->rank), *s);
    }
    return st;
}

weft_status weft_reshard_to_unreduced(weft_resharder *x, weft_builder *b, const weft_sharding *reader, weft_value **v,
                                      const weft_sharding **s) {
    if (!*s || !reader || !reader->unreduced.n) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&x->cx->scratch);
    to_unreduced *u = weft_arena_new(&x->cx->scratch, to_unreduced);
    weft_status st = u ? same_mesh(x, *s, reader, *v) : weft_oom();
    if (st != WEFT_OK) goto out;
    weft_axis_list_difference(&u->added, reader->unreduced, (*s)->unreduced);
    if (!u->added.n) goto out;
    if (!within((*s)->unreduced, reader->unreduced)) {
        st = weft_report(x->cx, WEFT_D_partition, weft_value_loc(*v),
                         "a value is partial along axes that its reader has not unreduced, and the other way round");
        goto out;
    }
    for (uint32_t d = 0; d < (*s)->rank; d++) plan_dim(u, d, (*s)->dims[d], reader->dims[d]);
    st = run_plan(x, b, u, reader, v, s);
out:
    weft_arena_reset(&x->cx->scratch, mark);
    return st;
}

/* --- reductions --------------------------------------------------------------------------------------------------- */

/* What combines argument i of a reducer's body with its partner; WEFT_OP_other where the body is not that simple. */
static weft_op_kind combiner(const weft_op *op, uint32_t i, uint32_t count) {
    const weft_block *body = op->region_count ? weft_op_body(op, 0) : NULL;
    if (!body || body->arg_count != 2 * count || !body->last || i >= body->last->operand_count) return WEFT_OP_other;
    const weft_op *f = body->last->operands[i]->def;
    if (!f || f->operand_count != 2) return WEFT_OP_other;
    const weft_value *a = body->args[i], *b = body->args[count + i];
    bool pair = (f->operands[0] == a && f->operands[1] == b) || (f->operands[0] == b && f->operands[1] == a);
    return pair ? (weft_op_kind)f->kind : WEFT_OP_other;
}

/* How the devices' results combine when a factor that op sums over is split; false when no all-reduce does that. */
static bool partial_by(const weft_op *op, uint32_t i, weft_unreduced_by *by) {
    static const weft_unreduced_by bys[] = {
        [WEFT_PARTIAL_SUM] = WEFT_BY_SUM, [WEFT_PARTIAL_MAX] = WEFT_BY_MAX, [WEFT_PARTIAL_MIN] = WEFT_BY_MIN
    };
    weft_partial p = WEFT_PARTIAL_SUM; /* without a body: products and gathers */
    if (op->region_count) p = weft_partial_of_kind(combiner(op, i, op->result_count), op->results[i].type->dtype);
    *by = bys[p];
    /* an initial value would be added once per device */
    if (op->kind == WEFT_OP_reduce && p == WEFT_PARTIAL_SUM)
        return weft_value_is_zero(op->operands[op->result_count + i]);
    return p != WEFT_PARTIAL_NONE;
}

bool weft_reduction_is_expressible(const weft_op *op) {
    weft_unreduced_by by;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!partial_by(op, i, &by)) return false;
    return true;
}

weft_status weft_reshard_finish_results(weft_resharder *x, const weft_op *op, weft_op *copy, const weft_mesh *mesh,
                                        weft_axes axes) {
    const weft_sharding *first;
    weft_axis_list reduce;
    weft_status st = copy->result_count ? weft_reshard_sharding(x, &copy->results[0], &first) : WEFT_OK;
    if (st != WEFT_OK || !copy->result_count) return st;
    weft_axis_list_difference(&reduce, axes, first ? first->unreduced : (weft_axes){ 0 });
    if (!reduce.n) return WEFT_OK;
    weft_axis_list_sort_merge(&reduce);
    weft_builder b;
    weft_builder_init(&b, x->r->out, copy->parent);
    b.before = copy->next;
    for (uint32_t i = 0; i < copy->result_count; i++) {
        weft_value *result = &copy->results[i], *reader = x->r->map.to[op->results[i].id], *whole = NULL;
        const weft_sharding *s;
        weft_unreduced_by by;
        if ((st = weft_reshard_sharding(x, result, &s)) != WEFT_OK) return st;
        if (!s && !(s = weft_sharding_empty(x->t, mesh, result->type->rank, WEFT_CLOSED))) return weft_oom();
        partial_by(op, i, &by);
        if ((st = weft_build_all_reduce(x, &b, result, weft_axes_of(&reduce), by, s, &whole)) != WEFT_OK) return st;
        if (reader == result) weft_reshard_replace(x, op, i, whole);
        else reader->def->operands[0] = whole; /* the reshard made for this result */
    }
    return WEFT_OK;
}

weft_status weft_build_all_reduce(weft_resharder *x, weft_builder *b, weft_value *v, weft_axes axes,
                                  weft_unreduced_by by, const weft_sharding *to, weft_value **out) {
    static const weft_enum_value op[] = {
        [WEFT_BY_MAX] = WEFT_reduction_op_max, [WEFT_BY_MIN] = WEFT_reduction_op_min
    };
    weft_attr_pair attrs[3] = { { WEFT_A_reduction_axes, weft_axes_to_attr(x->cx, to->mesh, axes) },
                                { WEFT_A_out_sharding, weft_sharding_to_attr(x->t, to) } };
    uint32_t n = 2;
    if (by != WEFT_BY_SUM) attrs[n++] = (weft_attr_pair){ WEFT_A_reduction_op, weft_attr_enum(x->cx, op[by]) };
    for (uint32_t i = 0; i < n; i++)
        if (!attrs[i].value) return weft_oom();
    b->loc = weft_value_loc(v);
    *out = weft_build_1(b, WEFT_OP_sdy_all_reduce, v->type, &v, 1, attrs, n);
    return b->status;
}
