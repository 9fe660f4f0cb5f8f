/* explicit_reshards: reshards by Shardy's rule, so that every op has operands and results that fit together.
 *
 * Pass sdy-insert-explicit-reshards. Needs a propagated module. Leaves, with enable-full-version, for every op with a
 * rule: factors that are sharded alike in all operands and results, no axis at two factors, nothing sharded along
 * factors that must be whole; what is not so is brought there by an sdy.reshard, which has the place of the value that
 * it moves. Results of which a summed factor is sharded are finished by an sdy.all_reduce after the op, unless they are
 * declared unreduced. Values that control flow, computations, calls and returns pass on are resharded to where these
 * want them. Without the option (Shardy's default) only calls, concatenations of operands sharded otherwise, products
 * that are better resharded in their result, and unreduced values are seen to.
 *
 * Which axes an op gets: common_axes.h. Reductions by what no all-reduce does (a product, pairs compared) are not
 * split, and maxima and minima are finished as such, where Shardy sums. Weft's own way to the same end compares bytes:
 * insert_reshards.c. Authority: Shardy, docs/sdy_export_passes.md and the behaviour of its pass.
 */
#include "partitioner/shardy/common_axes.h"
#include "partitioner/partition.h"
#include "partitioner/shardy/resharder.h"

weft_builder weft_builder_before(const weft_resharder *x, weft_op *op) {
    weft_builder b;
    weft_builder_init(&b, x->r->out, op->parent);
    b.before = op;
    return b;
}

weft_builder weft_builder_behind(const weft_resharder *x, const weft_value *v) {
    weft_builder b;
    weft_builder_init(&b, x->r->out, weft_value_block(v));
    b.before = v->def ? v->def->next : v->block->first;
    return b;
}

weft_status weft_build_reshard(weft_resharder *x, weft_builder *b, weft_value *v, const weft_sharding *to,
                               weft_value **out) {
    weft_attr_pair attr = { WEFT_A_sharding, weft_sharding_to_attr(x->t, to) };
    if (!attr.value) return weft_oom();
    b->loc = weft_value_loc(v);
    *out = weft_build_1(b, WEFT_OP_sdy_reshard, v->type, &v, 1, &attr, 1);
    return b->status;
}

weft_status weft_reshard_set_result(weft_resharder *x, weft_op *copy, uint32_t i, const weft_sharding *s) {
    weft_mark mark = weft_arena_mark(&x->cx->scratch);
    const weft_sharding **of = weft_scratch_array(x->cx, const weft_sharding *, copy->result_count);
    weft_status st = of ? WEFT_OK : weft_oom();
    for (uint32_t k = 0; st == WEFT_OK && k < copy->result_count; k++)
        st = weft_value_sharding(x->t, &copy->results[k], &of[k]);
    if (st == WEFT_OK) {
        of[i] = s;
        st = weft_op_set_shardings(x->t, x->r->out, copy, of);
    }
    weft_arena_reset(&x->cx->scratch, mark);
    return st;
}

/* --- values that are passed on ------------------------------------------------------------------------------------ */

/* Operand i of op, brought to where its reader wants it (NULL: whole). As in Shardy a value of which nothing is said is
 * taken for what a reader has that shards nothing, partial or not. */
static weft_status reshard_to(weft_resharder *x, weft_builder *b, weft_op *op, uint32_t i, const weft_sharding *reader,
                              weft_reshards_in ops) {
    weft_value *v = op->operands[i];
    const weft_sharding *s;
    weft_status st = weft_reshard_sharding(x, v, &s);
    if (st == WEFT_OK) st = weft_reshard_reduce(x, b, reader, &v, &s);
    if (st == WEFT_OK) st = weft_reshard_to_unreduced(x, b, reader, &v, &s);
    bool fits = s ? weft_sharding_equivalent(s, reader) : !weft_sharding_cuts(reader);
    if (st == WEFT_OK && ops == WEFT_RESHARDS_IN_ALL && !fits) {
        const weft_sharding *to = reader ? reader : weft_sharding_empty(x->t, s->mesh, s->rank, WEFT_CLOSED);
        st = to ? weft_build_reshard(x, b, v, to, &v) : weft_oom();
    }
    op->operands[i] = v;
    return st;
}

/* The slot that is source k of owner's edge. */
static weft_op *source_slot(weft_op *flow, const weft_value *owner, uint32_t k, uint32_t *operand) {
    *operand = owner->index;
    switch (weft_flow_of(flow)) {
    case WEFT_FLOWS_LOOP: return k == 0 ? flow : weft_op_body(flow, 1)->last;
    case WEFT_FLOWS_BRANCH: return weft_op_body(flow, k)->last;
    case WEFT_FLOWS_COMPUTATION: return owner->def ? weft_op_body(flow, 0)->last : flow;
    case WEFT_FLOWS_STRAIGHT: case WEFT_FLOWS_NOT: break;
    }
    return flow;
}

static weft_status reshard_edge(weft_resharder *x, weft_op *flow, const weft_value *owner, weft_reshards_in ops) {
    const weft_sharding *s;
    weft_bits manual = 0;
    weft_status st = weft_value_sharding(x->t, owner, &s);
    /* out of a manual computation; into it, the operand's sharding has the manual axes */
    if (st == WEFT_OK && s && owner->def) {
        st = weft_manual_axes(x->cx, flow, s->mesh, &manual);
        if (st == WEFT_OK && !(s = weft_sharding_drop_manual(x->t, s, manual))) st = weft_oom();
    }
    for (uint32_t k = 0; st == WEFT_OK && k < weft_flow_source_count(owner); k++) {
        uint32_t operand;
        weft_op *slot = source_slot(flow, owner, k, &operand);
        weft_builder b = weft_builder_behind(x, slot->operands[operand]);
        st = reshard_to(x, &b, slot, operand, s, ops);
    }
    return st;
}

static weft_status reshard_flow(weft_resharder *x, weft_op *flow, weft_reshards_in ops) {
    const weft_block *body = weft_flow_of(flow) == WEFT_FLOWS_COMPUTATION ? weft_op_body(flow, 0) : NULL;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < flow->result_count; i++)
        st = reshard_edge(x, flow, &flow->results[i], ops);
    for (uint32_t i = 0; st == WEFT_OK && body && i < body->arg_count; i++)
        st = reshard_edge(x, flow, body->args[i], ops);
    return st;
}

static const weft_mesh *first_mesh(const weft_sharding *const *of, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (of[i] && !weft_mesh_is_maximal(of[i]->mesh)) return of[i]->mesh;
    return NULL;
}

/* Arguments go to where the function has them; to a function without shardings, whole. */
static weft_status reshard_call(weft_resharder *x, weft_op *call) {
    const weft_op *f = weft_symbol_table_find(&x->symbols, weft_op_symbol(call, WEFT_A_callee));
    uint32_t n = call->operand_count;
    const weft_sharding **of = weft_scratch_array(x->cx, const weft_sharding *, n);
    const weft_sharding **have = weft_scratch_array(x->cx, const weft_sharding *, n);
    weft_status st = of && have ? WEFT_OK : weft_oom();
    if (!f) return weft_report(x->cx, WEFT_D_verify, call->loc, "call of a function that is not there");
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++) {
        const weft_attr *a = weft_func_arg_attr(f, i, WEFT_A_sdy_sharding);
        if (a) st = weft_sharding_from_attr(x->t, a, f->loc, &of[i]);
        if (st == WEFT_OK) st = weft_reshard_sharding(x, call->operands[i], &have[i]);
    }
    if (st != WEFT_OK) return st;
    const weft_mesh *args = first_mesh(of, n), *mesh = args ? args : first_mesh(have, n);
    for (uint32_t i = 0; st == WEFT_OK && mesh && i < n; i++) {
        const weft_type *type = call->operands[i]->type;
        const weft_sharding *to = args ? of[i] : NULL;
        if (!to && !(to = weft_sharding_empty(x->t, mesh, weft_type_is_tensor(type) ? type->rank : 0,
                                              args ? WEFT_OPEN : WEFT_CLOSED)))
            return weft_oom();
        weft_builder b = weft_builder_behind(x, call->operands[i]);
        st = reshard_to(x, &b, call, i, to, WEFT_RESHARDS_IN_ALL);
    }
    return st;
}

static weft_status reshard_return(weft_resharder *x, const weft_op *func) {
    weft_op *end = weft_op_body(func, 0) ? weft_op_body(func, 0)->last : NULL;
    if (!end) return WEFT_OK;
    weft_builder b = weft_builder_before(x, end);
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < end->operand_count; i++) {
        const weft_sharding *to;
        st = weft_func_result_sharding(x->t, func, i, &to);
        if (st == WEFT_OK) st = reshard_to(x, &b, end, i, to, x->ops);
    }
    return st;
}

/* --- ops with a rule --------------------------------------------------------------------------------------------- */

static weft_status sharding_behind_barriers(weft_resharder *x, const weft_value *v, const weft_sharding **out) {
    while (v->def && v->def->kind == WEFT_OP_sdy_propagation_barrier) v = v->def->operands[0];
    return weft_reshard_sharding(x, v, out);
}

/* The mesh in which the tensors meet: all are over meshes of the same axes, and this is the one that shards most
 * tensors. NULL when nothing is sharded, or over meshes that do not compare. */
static const weft_mesh *meeting_mesh(const weft_sharding *const *of, uint32_t n) {
    const weft_mesh *mesh = NULL;
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++) {
        const weft_mesh *m = of[i] ? of[i]->mesh : NULL;
        if (!m || (mesh && !weft_mesh_is_empty(mesh) && weft_mesh_is_empty(m))) continue;
        if (mesh && !weft_mesh_is_empty(mesh) && !weft_mesh_same_axes(mesh, m)) return NULL;
        if (!mesh || weft_mesh_is_empty(mesh) || m->device_ids.n == 0) mesh = m;
    }
    if (!mesh || weft_mesh_is_maximal(mesh)) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t count = 0;
        if (!weft_sharding_cuts(of[i])) continue;
        for (uint32_t k = 0; k <= i; k++) count += weft_sharding_cuts(of[k]) && of[k]->mesh == of[i]->mesh;
        if (count > most) {
            most = count;
            mesh = of[i]->mesh;
        }
    }
    return mesh;
}

static int64_t elems_of(const weft_type *type) {
    int64_t n = 1;
    if (!weft_type_is_tensor(type)) return 0;
    for (uint32_t d = 0; d < type->rank; d++) {
        if (type->dims[d] < 0) return 0;
        n *= type->dims[d];
    }
    return n;
}

weft_status weft_meeting_open(weft_resharder *x, weft_meeting *m) {
    uint32_t n = m->rule->tensor_count;
    m->of = weft_scratch_array(x->cx, const weft_sharding *, n);
    m->elems = weft_scratch_array(x->cx, int64_t, n);
    m->changed = weft_scratch_array(x->cx, bool, n);
    m->axes = weft_scratch_array(x->cx, weft_axis_list, m->rule->factor_count);
    if (!m->of || !m->elems || !m->changed || !m->axes) return weft_oom();
    for (uint32_t i = 0; i < n; i++) {
        weft_value *v =
            i < m->copy->operand_count ? m->copy->operands[i] : &m->copy->results[i - m->copy->operand_count];
        weft_status st = sharding_behind_barriers(x, v, &m->of[i]);
        if (st != WEFT_OK) return st;
        m->elems[i] = elems_of(v->type);
    }
    if (!(m->mesh = meeting_mesh(m->of, n))) return WEFT_OK;
    return weft_project(x->cx, &x->cx->scratch, m->rule, m->mesh, m->of, WEFT_CLOSED, &m->p);
}

static bool moves(const weft_meeting *m, uint32_t tensor) {
    const weft_sharding *s = m->of[tensor];
    return m->changed[tensor] || (weft_sharding_cuts(s) && !weft_mesh_same_order(s->mesh, m->mesh));
}

weft_status weft_meeting_apply(weft_resharder *x, weft_meeting *m) {
    weft_op *copy = m->copy;
    weft_status st = WEFT_OK;
    weft_builder before = weft_builder_before(x, copy), after;
    weft_builder_init(&after, x->r->out, copy->parent);
    for (uint32_t i = 0; st == WEFT_OK && i < copy->operand_count; i++) {
        if (!moves(m, i)) continue;
        const weft_sharding *to = weft_unproject(x->t, &m->p, i);
        st = to ? weft_build_reshard(x, &before, copy->operands[i], to, &copy->operands[i]) : weft_oom();
    }
    for (uint32_t i = 0; st == WEFT_OK && i < copy->result_count; i++) {
        if (!moves(m, copy->operand_count + i)) continue;
        weft_value *v = &copy->results[i], *placed = NULL;
        const weft_sharding *to = weft_unproject(x->t, &m->p, copy->operand_count + i), *was;
        if (!to) return weft_oom();
        st = weft_reshard_sharding(x, v, &was);
        if (st == WEFT_OK && !was && !(was = weft_sharding_empty(x->t, m->mesh, to->rank, WEFT_CLOSED)))
            st = weft_oom();
        if (st == WEFT_OK) st = weft_build_reshard(x, &after, v, was, &placed);
        if (st == WEFT_OK) st = weft_reshard_set_result(x, copy, i, to);
        weft_reshard_replace(x, m->op, i, placed);
    }
    return st;
}

static bool overflows(const weft_projection *p) {
    for (uint32_t t = 0; t < p->rule->tensor_count; t++)
        WEFT_EACH_BIT(f, p->tensors[t].factors)
            if (weft_cell_of(p, t, (uint32_t)f)->overflow.n) return true;
    return false;
}

/* A reshape whose axes do not fit its factors gets, on both sides, those that fit on both. */
static weft_status meet_in_reshape(weft_resharder *x, weft_meeting *m) {
    const weft_sharding *now[2];
    weft_projection fit;
    weft_reshape_redistribute(&m->p);
    for (uint32_t t = 0; t < 2; t++)
        if (!(now[t] = weft_unproject(x->t, &m->p, t))) return weft_oom();
    weft_status st = weft_project(x->cx, &x->cx->scratch, m->rule, m->mesh, now, WEFT_OPEN, &fit);
    if (st != WEFT_OK) return st;
    for (uint32_t f = 0; f < m->rule->factor_count; f++) {
        const weft_cell *a = weft_cell_of(&fit, 0, f), *b = weft_cell_of(&fit, 1, f);
        if (a || b) m->axes[f] = a ? a->axes : b->axes;
        if (a && b) weft_axis_list_common_prefix(&m->axes[f], weft_axes_of(&b->axes));
    }
    weft_projection_set(&m->p, m->axes, m->changed);
    for (uint32_t t = 0; t < 2; t++) {
        const weft_sharding *to = weft_unproject(x->t, &m->p, t);
        if (!to) return weft_oom();
        m->changed[t] = !weft_sharding_equivalent(m->of[t], to);
    }
    return weft_meeting_apply(x, m);
}

static weft_status meet(weft_resharder *x, weft_meeting *m) {
    if (m->op->kind == WEFT_OP_reshape && overflows(&m->p)) return meet_in_reshape(x, m);
    weft_status st = weft_common_axes(x->cx, &m->p, m->elems, m->axes);
    if (st != WEFT_OK) return st;
    if (m->rule->reduction && !weft_reduction_is_expressible(m->op))
        WEFT_EACH_BIT(f, m->rule->reduction) m->axes[f].n = 0;
    weft_projection_set(&m->p, m->axes, m->changed);
    return weft_meeting_apply(x, m);
}

/* --- the short version: products that are better resharded in their result ---------------------------------------- */

/* The factor at which the result of a product is otherwise sharded than the operands, when that is the only
 * disagreement, the result is no larger than the operand, and it has there what shards the summed factors: then the
 * product can be done where the operands are, and the smaller result be moved. */
static bool product_conflict(const weft_meeting *m, uint32_t *conflict) {
    const weft_projection *p = &m->p;
    weft_axis_list summed = { 0 }, seen = { 0 };
    bool found = false;
    for (uint32_t f = 0; f < m->rule->factor_count; f++) {
        const weft_cell *l = weft_cell_of(p, 0, f), *r = weft_cell_of(p, 1, f), *out = weft_cell_of(p, 2, f),
                        *in = l ? l : r;
        int64_t larger = l && (!r || m->elems[0] >= m->elems[1]) ? m->elems[0] : m->elems[1];
        if (!in) return false;
        weft_axes axes = weft_axes_of(&in->axes);
        if (l && r && !weft_axes_equal(weft_axes_of(&l->axes), weft_axes_of(&r->axes))) return false;
        if (l && r && weft_bits_has(m->rule->reduction, f)) {
            weft_axis_list_append_merged(&summed, axes);
            continue;
        }
        if (!(l && r)) {
            if (weft_axes_overlap(axes, weft_axes_of(&seen))) return false;
            for (uint32_t i = 0; i < axes.n; i++) weft_axis_list_push(&seen, axes.v[i]);
        }
        if (!out || weft_axes_equal(weft_axes_of(&out->axes), axes)) continue;
        if (!axes.n || found || m->elems[2] > larger) return false;
        found = true;
        *conflict = f;
    }
    if (!found) return false;
    weft_axes has = weft_axes_of(&weft_cell_of(p, 2, *conflict)->axes);
    return has.n && weft_axes_equal(has, weft_axes_of(&summed));
}

static weft_status reshard_product(weft_resharder *x, weft_meeting *m) {
    uint32_t f;
    if (!m->of[2] || !product_conflict(m, &f)) return WEFT_OK;
    const weft_cell *in = weft_cell_of(&m->p, 0, f) ? weft_cell_of(&m->p, 0, f) : weft_cell_of(&m->p, 1, f);
    weft_cell_of(&m->p, 2, f)->axes = in->axes;
    weft_builder b;
    weft_builder_init(&b, x->r->out, m->copy->parent);
    const weft_sharding *to = weft_unproject(x->t, &m->p, 2);
    weft_value *placed = NULL;
    weft_status st = to ? weft_build_reshard(x, &b, &m->copy->results[0], m->of[2], &placed) : weft_oom();
    if (st == WEFT_OK) st = weft_reshard_set_result(x, m->copy, 0, to);
    weft_reshard_replace(x, m->op, 0, placed);
    return st;
}

/* The axes of the summed factors of an op whose result is declared unreduced. */
static weft_status declared_partial(weft_resharder *x, weft_meeting *m, weft_axis_list *axes) {
    const weft_sharding *s;
    *axes = (weft_axis_list){ 0 };
    weft_status st = weft_reshard_sharding(x, &m->copy->results[0], &s);
    if (st != WEFT_OK || !s || !s->unreduced.n) return st;
    WEFT_EACH_BIT(f, m->rule->reduction) {
        weft_axes agreed;
        if (!weft_factor_agreed(&m->p, (uint32_t)f, &agreed))
            return weft_report(
                x->cx, WEFT_D_partition, m->op->loc,
                "the result is unreduced while the operands are sharded differently along the summed dimensions");
        for (uint32_t i = 0; i < agreed.n; i++) weft_axis_list_push(axes, agreed.v[i]);
    }
    return WEFT_OK;
}

/* --- one op ------------------------------------------------------------------------------------------------------ */

static weft_status reshard_by_rule(weft_resharder *x, const weft_op *op, weft_op *copy, const weft_rule *rule,
                                   weft_reshards_in ops) {
    weft_meeting m = { .op = op, .copy = copy, .rule = rule };
    weft_axis_list summed = { 0 };
    weft_status st = weft_meeting_open(x, &m);
    if (st != WEFT_OK || !m.mesh) return st;
    if (ops == WEFT_RESHARDS_IN_ALL) st = meet(x, &m);
    else if (op->kind == WEFT_OP_dot || op->kind == WEFT_OP_dot_general) st = reshard_product(x, &m);
    if (st != WEFT_OK || !copy->result_count) return st;
    if (ops == WEFT_RESHARDS_IN_ALL) {
        WEFT_EACH_BIT(f, rule->reduction)
            for (uint32_t i = 0; i < m.axes[f].n; i++) weft_axis_list_push(&summed, m.axes[f].v[i]);
    } else st = declared_partial(x, &m, &summed);
    return st == WEFT_OK && summed.n ? weft_reshard_finish_results(x, op, copy, m.mesh, weft_axes_of(&summed)) : st;
}

/* A reshard to a partial value is written as the ops that make one. */
static weft_status reshard_of_reshard(weft_resharder *x, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const weft_sharding *to, *s;
    weft_value *from = x->r->map.to[op->operands[0]->id], *v = from;
    weft_status st = weft_value_sharding(x->t, &op->results[0], &to);
    if (st == WEFT_OK) st = weft_reshard_sharding(x, from, &s);
    if (st == WEFT_OK) st = weft_reshard_to_unreduced(x, b, to, &v, &s);
    if (v == from) return st;
    *did = WEFT_DONE;
    weft_reshard_replace(x, op, 0, v);
    return st;
}

/* Operands partial along axes that the results are not unreduced along are finished first. */
static weft_status finish_operands(weft_resharder *x, weft_op *copy) {
    const weft_sharding *first = NULL, *s;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < copy->result_count; i++) {
        st = weft_reshard_sharding(x, &copy->results[i], i ? &s : &first);
        if (st != WEFT_OK || !i) continue;
        weft_axes a = first ? first->unreduced : (weft_axes){ 0 }, b = s ? s->unreduced : (weft_axes){ 0 };
        if (!weft_axes_equal(a, b))
            st =
                weft_report(x->cx, WEFT_D_partition, copy->loc, "results of one op are unreduced along different axes");
    }
    weft_builder b = weft_builder_before(x, copy);
    for (uint32_t i = 0; st == WEFT_OK && i < copy->operand_count; i++) {
        st = weft_reshard_sharding(x, copy->operands[i], &s);
        if (st == WEFT_OK && !copy->result_count && s && s->unreduced.n)
            return weft_report(x->cx, WEFT_D_partition, copy->loc, "an op without results reads a partial value");
        if (st == WEFT_OK) st = weft_reshard_reduce(x, &b, first, &copy->operands[i], &s);
    }
    return st;
}

/* Ops in which the short version does all that the full one does: pieces sharded otherwise than the whole would be
 * gathered later. */
static weft_status reshards_in(weft_resharder *x, const weft_op *copy, weft_reshards_in *out) {
    *out = x->ops;
    if (copy->kind != WEFT_OP_concatenate) return WEFT_OK;
    for (uint32_t i = 0; i < copy->operand_count; i++) {
        const weft_sharding *a, *b;
        weft_status st = weft_reshard_sharding(x, copy->operands[i], &a);
        if (st == WEFT_OK) st = weft_reshard_sharding(x, &copy->results[0], &b);
        if (st != WEFT_OK) return st;
        if (a != b) *out = WEFT_RESHARDS_IN_ALL;
    }
    return WEFT_OK;
}

/* Whether anything is to be done by op's rule: the short version sees to products, and to results that are declared
 * unreduced. */
static weft_status asks_for_rule(weft_resharder *x, const weft_op *op, weft_op *copy, weft_reshards_in ops,
                                 bool *asks) {
    const weft_sharding *s = NULL;
    weft_status st = WEFT_OK;
    *asks = ops == WEFT_RESHARDS_IN_ALL || op->kind == WEFT_OP_dot || op->kind == WEFT_OP_dot_general;
    if (*asks || !copy->result_count || !x->partial) return WEFT_OK;
    st = weft_reshard_sharding(x, &copy->results[0], &s);
    *asks = s && s->unreduced.n;
    return st;
}

static weft_status reshard_copied(weft_resharder *x, const weft_op *op, weft_op *copy) {
    weft_reshards_in ops;
    bool did = false, asks;
    const weft_rule *rule = NULL;
    if (op->kind == WEFT_OP_func) return reshard_return(x, copy);
    if (weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_TERMINATOR)) return WEFT_OK;
    /* A collective of sdy takes its operand as it lies: what is partial is for a reduce_scatter to sum. */
    if (weft_op_kind_has_attr((weft_op_kind)op->kind, WEFT_A_out_sharding)) return WEFT_OK;
    weft_status st = reshards_in(x, copy, &ops);
    if (st != WEFT_OK) return st;
    if (weft_flow_of(copy) != WEFT_FLOWS_NOT) return reshard_flow(x, copy, ops);
    if (op->kind == WEFT_OP_func_call) return reshard_call(x, copy);
    if (x->partial) st = finish_operands(x, copy);
    if (st == WEFT_OK && x->single) st = weft_single_device_op(x, op, copy, &did);
    if (st != WEFT_OK || did) return st;
    if ((st = asks_for_rule(x, op, copy, ops, &asks)) != WEFT_OK || !asks) return st;
    st = weft_rule_of(x->rules, op, WEFT_RULE_LIBERAL, &x->uses, &rule);
    return st == WEFT_OK && rule && !rule->custom ? reshard_by_rule(x, op, copy, rule, ops) : st;
}

static weft_status copy_op(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    weft_resharder *x = r->user;
    weft_status st = op->kind == WEFT_OP_func ? weft_single_device_check(x, op) : WEFT_OK;
    if (st == WEFT_OK && op->kind == WEFT_OP_sdy_reshard) st = reshard_of_reshard(x, b, op, did);
    if (st != WEFT_OK || *did == WEFT_DONE) return st;
    weft_op *copy = weft_clone_shell(b, op, &r->map, NULL);
    st = copy ? weft_rewrite_regions(r, op, copy) : b->status;
    *did = WEFT_DONE;
    if (st != WEFT_OK) return st;
    weft_mark mark = weft_arena_mark(&x->cx->scratch);
    st = reshard_copied(x, op, copy);
    weft_arena_reset(&x->cx->scratch, mark);
    return st;
}

static const weft_mesh *global_mesh(const weft_shardings *t) {
    for (uint32_t i = 0; i < weft_shardings_mesh_count(t); i++)
        if (weft_shardings_mesh_at(t, i)->axis_count) return weft_shardings_mesh_at(t, i);
    return NULL;
}

static bool may_be_single(const weft_shardings *t, unsigned mentions) {
    for (uint32_t i = 0; i < weft_shardings_mesh_count(t); i++)
        if (weft_mesh_is_maximal(weft_shardings_mesh_at(t, i))) return true;
    return mentions & WEFT_MENTIONS_WRITTEN_MESH;
}

weft_status weft_pass_insert_explicit_reshards(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    weft_resharder x = { .cx = p->cx,
                         .in = in,
                         .ops = weft_pass_flag(p, "enable-full-version", false) ? WEFT_RESHARDS_IN_ALL
                                                                                : WEFT_RESHARDS_IN_FEW };
    weft_rewrite r = { .user = &x, .op = copy_op };
    x.r = &r;
    weft_arena_init(&arena, &p->cx->chunks);
    weft_status st = weft_shardings_open(p->cx, in, &arena, &x.t);
    if (st == WEFT_OK) st = weft_rules_open(p->cx, &arena, &x.rules);
    if (st == WEFT_OK) st = weft_uses_build(in, &arena, &x.uses);
    if (st == WEFT_OK) st = weft_symbol_table_open(in, &arena, &x.symbols, NULL);
    x.global = st == WEFT_OK ? global_mesh(x.t) : NULL;
    const unsigned mentions = weft_module_mentions(in);
    x.partial = mentions & WEFT_MENTIONS_UNREDUCED;
    x.single = st == WEFT_OK && may_be_single(x.t, mentions);
    if (st == WEFT_OK) st = weft_rewrite_module(&r, in, &arena, out);
    weft_arena_free(&arena);
    return st;
}
