/* sdy-manual-axes-cleanup: sorts the manual axes of manual computations in mesh order, and lists in each of their
 * shardings the unused manual axes as replicated, so that propagation does not use them. Needs: one mesh per
 * computation. Reports manual axes if no sharding names a mesh and the body is not empty. Source: Shardy,
 * docs/sdy_import_passes.md. */
#include <stdlib.h>

#include "propagate/copy.h"
#include "propagate/presence.h"
#include "propagate/propagate.h"
#include "sharding/values.h"

static const weft_sharding *with_manual(weft_shardings *t, const weft_sharding *s, const weft_mesh *mesh,
                                        weft_axes manual) {
    weft_axis_list used, unused, replicated;
    weft_sharding_dim_axes(s, &used);
    for (uint32_t i = 0; i < s->replicated.n; i++) weft_axis_list_push(&used, s->replicated.v[i]);
    for (uint32_t i = 0; i < s->unreduced.n; i++) weft_axis_list_push(&used, s->unreduced.v[i]);
    weft_axis_list_difference(&unused, manual, weft_axes_of(&used));
    if (!unused.n) return s;
    weft_axis_list_set(&replicated, s->replicated);
    for (uint32_t i = 0; i < unused.n; i++) weft_axis_list_push(&replicated, unused.v[i]);
    weft_axis_list_sort_merge(&replicated);
    return weft_sharding_make(t, mesh, s->rank, s->dims, weft_axes_of(&replicated), s->unreduced);
}

static weft_status clean_list(weft_shardings *t, weft_copy *c, const weft_op *op, weft_op *copy, weft_attr_name name,
                              const weft_mesh *mesh, weft_axes manual) {
    const weft_attr *all = weft_op_attr(op, name);
    if (!all || !all->items.n) return WEFT_OK;
    weft_context *cx = c->b.m->cx;
    const weft_sharding **of = weft_scratch_array(cx, const weft_sharding *, all->items.n);
    weft_status st = of ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < all->items.n; i++) {
        const weft_type *type = name == WEFT_A_in_shardings ? op->operands[i]->type : op->results[i].type;
        st = weft_sharding_from_attr(t, all->items.v[i], op->loc, &of[i]);
        if (st == WEFT_OK && weft_type_is_tensor(type) && !(of[i] = with_manual(t, of[i], mesh, manual)))
            st = weft_oom();
    }
    return st == WEFT_OK ? weft_op_set_shardings_attr(t, c->out, copy, name, of, all->items.n) : st;
}

static int compare_axes(const void *a, const void *b) {
    return weft_axis_compare(*(const weft_axis *)a, *(const weft_axis *)b);
}

/* The first mesh that an in or out sharding names, unless it is empty and another is not. */
static weft_status common_mesh(weft_shardings *t, const weft_op *op, const weft_mesh **out) {
    static const weft_attr_name names[] = { WEFT_A_in_shardings, WEFT_A_out_shardings };
    *out = NULL;
    for (size_t n = 0; n < WEFT_COUNT(names); n++) {
        const weft_attr *all = weft_op_attr(op, names[n]);
        for (uint32_t i = 0; all && i < all->items.n; i++) {
            const weft_sharding *s;
            weft_status st = weft_sharding_from_attr(t, all->items.v[i], op->loc, &s);
            if (st != WEFT_OK) return st;
            if (!*out || weft_mesh_is_empty(*out)) *out = s->mesh;
        }
    }
    return WEFT_OK;
}

static weft_status clean_op(weft_copy *c, const weft_op *op, weft_op *copy) {
    weft_shardings *t = c->user;
    weft_context *cx = c->b.m->cx;
    const weft_attr *names = op->kind == WEFT_OP_sdy_manual_computation ? weft_op_attr(op, WEFT_A_manual_axes) : NULL;
    const weft_mesh *mesh;
    weft_axis_list manual = { 0 };
    weft_axis_ref refs[WEFT_AXIS_LIST_MAX];
    if (!names) return WEFT_OK;
    weft_status st = common_mesh(t, op, &mesh);
    if (st == WEFT_OK && !mesh && names->axes.n && weft_op_body(op, 0)->first->kind != WEFT_OP_sdy_return)
        return weft_report(cx, WEFT_D_sharding, op->loc,
                           "op has manual_axes when there are no in/out shardings and the body is not empty");
    if (st != WEFT_OK || !mesh) return st;
    for (uint32_t i = 0; i < names->axes.n && i < WEFT_AXIS_LIST_MAX; i++) {
        weft_axis a;
        if (!weft_axis_from_ref(mesh, names->axes.v[i], &a))
            return weft_report(cx, WEFT_D_sharding, op->loc, "manual axis \"%s\" is not in the mesh",
                               names->axes.v[i].name->text);
        weft_axis_list_push(&manual, a);
    }
    qsort(manual.v, manual.n, sizeof manual.v[0], compare_axes);
    for (uint32_t i = 0; i < manual.n; i++) refs[i] = weft_axis_to_ref(mesh, manual.v[i]);
    const weft_attr *sorted = weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_AXES, .axes = { refs, manual.n } });
    st = sorted ? weft_op_set(c->out, copy, WEFT_A_manual_axes, sorted) : weft_oom();
    weft_mark mark = weft_arena_mark(&cx->scratch);
    if (st == WEFT_OK) st = clean_list(t, c, op, copy, WEFT_A_in_shardings, mesh, weft_axes_of(&manual));
    if (st == WEFT_OK) st = clean_list(t, c, op, copy, WEFT_A_out_shardings, mesh, weft_axes_of(&manual));
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

weft_status weft_pass_manual_axes_cleanup(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    weft_shardings *t;
    if (!weft_module_has_kind(in, WEFT_OP_sdy_manual_computation)) return WEFT_OK;
    weft_arena_init(&arena, &p->cx->chunks);
    weft_status st = weft_shardings_open(p->cx, in, &arena, &t);
    if (st == WEFT_OK) st = weft_copy_module(in, &(weft_copy_hooks){ .after = clean_op }, t, out);
    weft_arena_free(&arena);
    return st;
}
