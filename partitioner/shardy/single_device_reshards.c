/* single_device_reshards.c: ops whose results are on one device only, in pass sdy-insert-explicit-reshards; see
 * resharder.h.
 *
 * Such an op runs there on whole values: every operand is brought there, by way of being replicated over the mesh of
 * the module, and every result is replicated again and then sharded as its readers expect. Tokens are replicated
 * throughout. Authority: the behaviour of Shardy's pass.
 */
#include "partitioner/shardy/resharder.h"

static bool is_single(const weft_sharding *s) { return s && weft_mesh_is_maximal(s->mesh); }

static weft_status check_border(weft_resharder *x, const weft_op *func, const weft_attr *a, const char *what,
                                uint32_t i) {
    const weft_sharding *s = NULL;
    weft_status st = a ? weft_sharding_from_attr(x->t, a, func->loc, &s) : WEFT_OK;
    if (st != WEFT_OK || !is_single(s)) return st;
    return weft_report(x->cx, WEFT_D_sharding, func->loc,
                       "'func.func' op function %s %u cannot have a single-device (maximal) sharding attribute", what,
                       i);
}

weft_status weft_single_device_check(weft_resharder *x, const weft_op *func) {
    const weft_type *type = weft_func_type(func);
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < type->input_count; i++)
        st = check_border(x, func, weft_func_arg_attr(func, i, WEFT_A_sdy_sharding), "argument", i);
    for (uint32_t i = 0; st == WEFT_OK && i < type->part_count - type->input_count; i++)
        st = check_border(x, func, weft_func_result_attr(func, i, WEFT_A_sdy_sharding), "result", i);
    return st;
}

static const weft_sharding *replicated(weft_resharder *x, const weft_type *type) {
    return weft_sharding_empty(x->t, x->global, weft_type_is_tensor(type) ? type->rank : 0, WEFT_CLOSED);
}

static weft_status bring_operand(weft_resharder *x, weft_op *copy, uint32_t i, const weft_sharding *there) {
    weft_builder b = weft_builder_before(x, copy);
    weft_value *v = copy->operands[i];
    const weft_sharding *s, *all = replicated(x, v->type);
    weft_status st = weft_reshard_sharding(x, v, &s);
    if (st != WEFT_OK || !weft_type_is_tensor(v->type)) return st;
    if (!all) return weft_oom();
    if (!s) s = all;
    if (s->mesh == there->mesh && weft_sharding_equivalent(s, there)) return WEFT_OK;
    if (s->mesh != x->global || !weft_sharding_is_replicated(s)) st = weft_build_reshard(x, &b, v, all, &v);
    return st == WEFT_OK ? weft_build_reshard(x, &b, v, there, &copy->operands[i]) : st;
}

static weft_status bring_result(weft_resharder *x, weft_builder *b, const weft_op *op, weft_op *copy, uint32_t i,
                                const weft_sharding *s) {
    weft_value *v = &copy->results[i];
    const weft_sharding *all = replicated(x, v->type);
    if (!weft_type_is_tensor(v->type)) return WEFT_OK;
    if (!all) return weft_oom();
    weft_status st = weft_build_reshard(x, b, v, all, &v);
    if (st == WEFT_OK && s && !is_single(s) && s != all) st = weft_build_reshard(x, b, v, s, &v);
    weft_reshard_replace(x, op, i, v);
    return st;
}

static weft_status run_there(weft_resharder *x, const weft_op *op, weft_op *copy, const weft_sharding *const *of,
                             const weft_sharding *there) {
    weft_status st = WEFT_OK;
    weft_builder b;
    weft_builder_init(&b, x->r->out, copy->parent);
    for (uint32_t i = 0; st == WEFT_OK && i < copy->operand_count; i++) st = bring_operand(x, copy, i, there);
    for (uint32_t i = 0; st == WEFT_OK && i < copy->result_count; i++) st = bring_result(x, &b, op, copy, i, of[i]);
    for (uint32_t i = 0; st == WEFT_OK && i < copy->result_count; i++) {
        const weft_sharding *s =
            weft_type_is_tensor(copy->results[i].type) ? there : replicated(x, copy->results[i].type);
        st = s ? weft_reshard_set_result(x, copy, i, s) : weft_oom();
    }
    return st;
}

weft_status weft_single_device_op(weft_resharder *x, const weft_op *op, weft_op *copy, bool *did) {
    weft_mark mark = weft_arena_mark(&x->cx->scratch);
    const weft_sharding **of = weft_scratch_array(x->cx, const weft_sharding *, copy->result_count), *single = NULL;
    weft_status st = of ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < copy->result_count; i++) {
        st = weft_reshard_sharding(x, &copy->results[i], &of[i]);
        if (st != WEFT_OK || !is_single(of[i])) continue;
        if (single && single->mesh->device_ids.v[0] != of[i]->mesh->device_ids.v[0])
            st = weft_report(x->cx, WEFT_D_sharding, op->loc, "'%s' op has conflicting single-device result shardings",
                             op->name->text);
        single = of[i];
    }
    *did = single != NULL;
    if (st == WEFT_OK && single && x->global) {
        const weft_sharding *there = weft_sharding_empty(x->t, single->mesh, 0, WEFT_CLOSED);
        st = there ? run_there(x, op, copy, of, there) : weft_oom();
    }
    weft_arena_reset(&x->cx->scratch, mark);
    return st;
}
