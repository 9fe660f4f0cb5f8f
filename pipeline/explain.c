/* explain.c: builds a program up to its propagation, which then runs with a history that can be queried; see
 * explain.h. */
#include "pipeline/explain.h"

#include "ir/given_name.h"
#include "propagate/options.h"

static bool comes_before_propagation(void *user, const char *pass) {
    (void)user;
    return strcmp(pass, "sdy-user-priority-propagate") != 0;
}

/* Chains of long programs have common ends: the root of (slot, axis) is cached. */
typedef struct weft_roots {
    uint32_t axes;               /* of the widest mesh */
    struct known { weft_axis axis; weft_slot_axis root; } *of; /* [slot * axes + axis]; an axis of size 0: not known */
} weft_roots;

static weft_status open_roots(weft_explanation *e) {
    weft_roots *r = weft_arena_new(&e->p.arena, weft_roots);
    if (!r) return weft_oom();
    for (uint32_t i = 0; i < weft_shardings_mesh_count(e->p.shardings); i++) {
        uint32_t n = weft_shardings_mesh_at(e->p.shardings, i)->axis_count;
        if (n > r->axes) r->axes = n;
    }
    r->of = weft_arena_array(&e->p.arena, struct known, (size_t)e->p.slot_count * r->axes);
    e->roots = r;
    return r->of ? WEFT_OK : weft_oom();
}

weft_status weft_explanation_open(weft_context *cx, const weft_module *m, weft_explanation *out) {
    const weft_pipeline_observer observer = { .before = comes_before_propagation };
    const weft_pipeline_call call = { .spec = WEFT_STR("weft-propagate"), .observer = &observer };
    *out = (weft_explanation){ 0 };
    weft_status st = weft_module_clone(m, &out->imported);
    if (st == WEFT_OK) st = weft_pipeline_call_run(cx, &call, &out->imported);
    if (st == WEFT_OK) st = weft_propagation_explain(cx, out->imported, &out->p, &out->loosened);
    if (st == WEFT_OK) st = weft_history_conflicts(&out->p, &out->p.arena, &out->conflicts, &out->conflict_count);
    return st == WEFT_OK ? open_roots(out) : st;
}

void weft_explanation_close(weft_explanation *e) {
    if (e->p.cx) weft_propagation_close(&e->p);
    weft_module_free(e->loosened);
    weft_module_free(e->imported);
}

static struct known *known_of(const weft_explanation *e, weft_slot_axis of) {
    return &e->roots->of[(size_t)of.slot * e->roots->axes + of.axis.axis];
}

/* One step back from *at; false if the axis was written there. */
static bool step_back(const weft_explanation *e, weft_slot_axis *at, uint32_t *moment) {
    weft_origin o = weft_history_origin(&e->p, *at, *moment);
    if (o.cause == WEFT_CAUSE_WRITTEN || o.cause == WEFT_CAUSE_PRIORITY) return false;
    *at = o.from;
    *moment = o.moment;
    return true;
}

weft_slot_axis weft_explanation_root(weft_explanation *e, weft_slot_axis of) {
    weft_slot_axis root = of, at = of;
    uint32_t moment = WEFT_NOW;
    do {
        const struct known *k = known_of(e, root);
        if (k->axis.size && weft_axis_equal(k->axis, root.axis)) {
            root = k->root;
            break;
        }
    } while (step_back(e, &root, &moment));
    /* The same path again, storing the root. */
    moment = WEFT_NOW;
    do {
        struct known *k = known_of(e, at);
        if (k->axis.size) break;
        *k = (struct known){ at.axis, root };
    } while (step_back(e, &at, &moment));
    return root;
}

const weft_op *weft_explanation_writer(const weft_explanation *e, uint32_t slot) {
    const weft_value *v = e->p.owner[slot];
    if (!v) return e->p.main;
    for (uint32_t i = e->p.uses.start[v->id]; i < e->p.uses.start[v->id + 1]; i++)
        if (e->p.uses.use[i].op->kind == WEFT_OP_sdy_sharding_constraint) return e->p.uses.use[i].op;
    return v->def ? v->def : v->block->parent->parent;
}

weft_str weft_explanation_given_name(const weft_explanation *e, uint32_t slot) {
    const weft_propagation *p = &e->p;
    const uint32_t values = p->in->value_count;
    const weft_value *v = slot < values ? p->owner[slot] : NULL;
    if (!p->main) return (weft_str){ NULL, 0 };
    if (slot >= values) return weft_result_given_name(p->main, slot - values);
    return v && v->block && v->block == weft_op_body(p->main, 0) ? weft_argument_given_name(p->main, v->index)
                                                                 : (weft_str){ NULL, 0 };
}
