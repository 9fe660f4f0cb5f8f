/* sdy-update-non-divisible-input-output-shardings: makes the shardings of arguments and results even. In each dimension
 * of an argument or result of a function, or result of a call, the axes end where they would no longer divide it; the
 * last one may be truncated to a part. The same for operands and results of manual computations, whose bodies are
 * written for even parts. Needs: a finished propagation. Source: Shardy, docs/sdy_export_passes.md. */
#include "propagate/copy.h"
#include "propagate/data_flow.h"
#include "propagate/presence.h"
#include "propagate/propagate.h"
#include "propagate/transform.h"

static weft_axes even_prefix(weft_axes a, int64_t size, weft_axis *store) {
    uint32_t n = 0;
    for (; n < a.n; n++) {
        int64_t common = weft_gcd(size, a.v[n].size);
        if (common == 1) break;
        store[n] = a.v[n];
        size /= common;
        if (common == a.v[n].size) continue;
        store[n++].size = (uint32_t)common;
        break;
    }
    return weft_axes_at(store, n);
}

static const weft_sharding *make_even(weft_shardings *t, const weft_sharding *s, const weft_type *type) {
    weft_axis store[WEFT_MAX_MESH_AXES + 32];
    weft_dim dims[WEFT_MAX_RANK];
    uint32_t used = 0;
    if (!weft_type_is_tensor(type) || !weft_type_is_static(type) || type->rank != s->rank ||
        weft_sharding_divides(s, type->dims))
        return s;
    for (uint32_t d = 0; d < s->rank; d++) {
        dims[d] = s->dims[d];
        if (type->dims[d] % weft_dim_shards(s, d) == 0) continue;
        dims[d].axes = even_prefix(s->dims[d].axes, type->dims[d], store + used);
        dims[d].priority = WEFT_NO_PRIORITY;
        used += dims[d].axes.n;
    }
    return weft_sharding_make(t, s->mesh, s->rank, dims, s->replicated, s->unreduced);
}

/* Arguments of the body have no manual axes; these come first in in_shardings and stay. */
static weft_status even_args(weft_shardings *t, weft_module *m, const weft_op *op, weft_op *copy) {
    const weft_block *body = weft_op_body(op, 0);
    const weft_sharding **of = weft_scratch_array(m->cx, const weft_sharding *, body->arg_count);
    weft_status st = of ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < body->arg_count; i++) {
        const weft_sharding *outer, *inner;
        weft_bits manual;
        if ((st = weft_value_sharding(t, body->args[i], &outer)) != WEFT_OK) break;
        if (!outer) return weft_report(m->cx, WEFT_D_sharding, op->loc, "operand %u has no sharding", i);
        if ((st = weft_manual_axes(m->cx, op, outer->mesh, &manual)) != WEFT_OK) break;
        inner = weft_sharding_drop_manual(t, outer, manual);
        inner = inner ? make_even(t, inner, body->args[i]->type) : NULL;
        of[i] = inner ? weft_sharding_add_free(t, outer, inner, manual) : NULL;
        if (!of[i]) st = weft_oom();
    }
    return st == WEFT_OK && body->arg_count
               ? weft_op_set_shardings_attr(t, m, copy, WEFT_A_in_shardings, of, body->arg_count)
               : st;
}

static weft_status even_results(weft_shardings *t, weft_module *m, const weft_op *op, weft_op *copy) {
    const weft_sharding **of = weft_scratch_array(m->cx, const weft_sharding *, op->result_count);
    weft_status st = of ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) {
        st = weft_value_sharding(t, &op->results[i], &of[i]);
        if (st == WEFT_OK && !of[i])
            return weft_report(m->cx, WEFT_D_sharding, op->loc, "result %u has no sharding", i);
        if (st == WEFT_OK && !(of[i] = make_even(t, of[i], op->results[i].type))) st = weft_oom();
    }
    return st == WEFT_OK && op->result_count ? weft_op_set_shardings(t, m, copy, of) : st;
}

static weft_status even_manual(weft_copy *c, const weft_op *op, weft_op *copy) {
    if (op->kind != WEFT_OP_sdy_manual_computation) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&c->b.m->cx->scratch);
    weft_status st = even_args(c->user, c->out, op, copy);
    if (st == WEFT_OK) st = even_results(c->user, c->out, op, copy);
    weft_arena_reset(&c->b.m->cx->scratch, mark);
    return st;
}

weft_status weft_pass_update_non_divisible_input_output_shardings(weft_pass *p, const weft_module *in,
                                                                  weft_module **out) {
    weft_module *borders = NULL;
    weft_arena arena;
    weft_shardings *t;
    weft_status st = weft_transform_borders(p, in, WEFT_BORDERS_OF_ALL, make_even, &borders);
    if (st != WEFT_OK || !weft_module_has_kind(in, WEFT_OP_sdy_manual_computation)) {
        *out = borders;
        return st;
    }
    weft_arena_init(&arena, &p->cx->chunks);
    st = weft_shardings_open(p->cx, in, &arena, &t);
    if (st == WEFT_OK)
        st = weft_edit_module(p, borders ? borders : in, &(weft_copy_hooks){ .after = even_manual }, t, out);
    weft_arena_free(&arena);
    if (borders != p->own) weft_module_free(borders);
    return st;
}
