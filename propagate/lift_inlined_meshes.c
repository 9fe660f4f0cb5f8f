/* sdy-lift-inlined-meshes: makes every mesh an sdy.mesh of the module, once. Meshes written inside shardings get a
 * symbol, equal meshes become the first of them, and each has its StableHLO spelling as stablehlo.mesh.
 * Needs: nothing. Leaves: no mesh inside a sharding. Source: Shardy, docs/sdy_import_passes.md. */
#include <stdio.h>

#include "ir/attr_numbers.h"
#include "propagate/calls.h"
#include "propagate/copy.h"
#include "propagate/mesh_refs.h"
#include "propagate/propagate.h"

typedef struct lifted { /* an old or a new mesh */
    const weft_attr *mesh, *symbol;
    bool fresh;
} lifted;

typedef struct lifter {
    weft_context *cx;
    weft_arena arena;
    weft_attr_numbers known;   /* meshes, numbered as in `meshes` */
    lifted *meshes;
    size_t count, cap;
    const weft_attr **instead; /* by name id: the symbol of the earlier mesh that one of this name equals, or NULL */
    size_t instead_cap;
    weft_symbols symbols;
    const weft_op *last_mesh;  /* fresh ones come after it; NULL: first of all */
    weft_name stablehlo_mesh;
    bool changes;              /* some reference to a mesh changes */
} lifter;

static weft_status add_mesh(lifter *l, const weft_attr *mesh, weft_name name, bool fresh) {
    char base[64] = "mesh";
    if (fresh && mesh->mesh.axis_count == 0)
        snprintf(base, sizeof base, mesh->mesh.device_ids.n == 1 ? "maximal_mesh_%lld" : "empty_mesh",
                 mesh->mesh.device_ids.n ? (long long)mesh->mesh.device_ids.v[0] : 0);
    if (fresh) {
        name = weft_name_from(l->cx, base);
        name = name ? weft_symbols_add(&l->symbols, name) : NULL;
    }
    const weft_attr *symbol = name ? weft_attr_symbol(l->cx, name) : NULL;
    if (!symbol || !weft_arena_grow(&l->arena, (void **)&l->meshes, &l->cap, l->count + 1, sizeof *l->meshes))
        return weft_oom();
    l->meshes[l->count++] = (lifted){ mesh, symbol, fresh };
    return WEFT_OK;
}

static weft_status enter_symbols(lifter *l, const weft_module *in) {
    weft_status st = WEFT_OK;
    for (const weft_op *op = weft_module_body(in)->first; op && st == WEFT_OK; op = op->next) {
        if (op->kind != WEFT_OP_sdy_mesh) continue;
        const weft_attr *mesh = weft_op_attr(op, WEFT_A_mesh);
        weft_name name = weft_symbol_name(l->cx, op);
        uint32_t i;
        if (!name || !weft_attr_number_of(&l->known, mesh, &i)) return weft_oom();
        if (i == l->count) {
            st = add_mesh(l, mesh, name, false);
            l->last_mesh = op;
            continue;
        }
        if (!weft_arena_grow(&l->arena, (void **)&l->instead, &l->instead_cap, (size_t)name->id + 1,
                             sizeof *l->instead))
            return weft_oom();
        l->instead[name->id] = l->meshes[i].symbol;
        weft_symbols_remove(&l->symbols, name);
    }
    return st;
}

static const weft_attr *instead_of(const lifter *l, weft_name name) {
    return name->id < l->instead_cap ? l->instead[name->id] : NULL;
}

/* The replacement of a reference to a mesh; a new mesh gets its symbol. NULL: memory is out. */
static const weft_attr *lift_ref(void *user, const weft_attr *ref) {
    lifter *l = user;
    uint32_t i;
    if (ref->kind == WEFT_ATTR_SYMBOL) {
        const weft_attr *to = instead_of(l, ref->names.v[ref->names.n - 1]);
        return to ? to : ref;
    }
    if (ref->kind != WEFT_ATTR_MESH) return ref;
    if (!weft_attr_number_of(&l->known, ref, &i) || (i == l->count && add_mesh(l, ref, NULL, true) != WEFT_OK))
        return NULL;
    return l->meshes[i].symbol;
}

/* Names meshes in the order in which the program mentions them. */
static weft_status meet_meshes(void *user, weft_op *op) {
    lifter *l = user;
    for (uint32_t i = 0; op->kind != WEFT_OP_sdy_mesh && i < op->attr_count; i++) {
        const weft_attr *to = weft_map_mesh_refs(l->cx, op->attrs[i].value, lift_ref, l);
        if (!to) return weft_oom();
        l->changes |= to != op->attrs[i].value;
    }
    return WEFT_OK;
}

/* {axes = [{name = "x", size = 2 : i64}], device_ids = dense<...>} */
static const weft_attr *stablehlo_form(weft_context *cx, const weft_mesh_attr *mesh) {
    weft_name axes = weft_name_from(cx, "axes"), name = weft_name_from(cx, "name"), size = weft_name_from(cx, "size"),
              ids = weft_name_from(cx, "device_ids");
    const weft_attr **v = weft_scratch_array(cx, const weft_attr *, mesh->axis_count);
    if (!axes || !name || !size || !ids || !v) return NULL;
    for (uint32_t i = 0; i < mesh->axis_count; i++) {
        weft_named_attr entry[2] = { { name, weft_attr_string(cx, weft_name_str(mesh->axes[i].name)) },
                                     { size, weft_attr_i64(cx, mesh->axes[i].size) } };
        if (!entry[0].value || !entry[1].value || !(v[i] = weft_attr_dict(cx, entry, 2))) return NULL;
    }
    weft_named_attr entries[2] = { { axes, weft_attr_array(cx, v, mesh->axis_count) }, { ids, NULL } };
    int64_t n = mesh->device_ids.n;
    if (n) entries[1].value = weft_attr_dense_i64(cx, 1, &n, mesh->device_ids.v);
    return entries[0].value && (!n || entries[1].value) ? weft_attr_dict(cx, entries, n ? 2 : 1) : NULL;
}

static weft_status add_stablehlo_form(lifter *l, weft_module *m, weft_op *op) {
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (op->attrs[i].name == l->stablehlo_mesh) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&l->cx->scratch);
    const weft_attr *form = stablehlo_form(l->cx, &weft_op_attr(op, WEFT_A_mesh)->mesh);
    weft_arena_reset(&l->cx->scratch, mark);
    return form ? weft_op_set_attr(m, op, l->stablehlo_mesh, form) : weft_oom();
}

static weft_status put_fresh(weft_copy *c) {
    lifter *l = c->user;
    c->b.loc = c->in->root->loc;
    for (size_t i = 0; i < l->count; i++) {
        if (!l->meshes[i].fresh) continue;
        weft_named_attr attrs[2] = { { weft_name_at(l->cx, WEFT_A_sym_name),
                                       weft_attr_string(l->cx, weft_name_str(l->meshes[i].symbol->names.v[0])) },
                                     { weft_name_at(l->cx, WEFT_A_mesh), l->meshes[i].mesh } };
        weft_op *op =
            weft_build_op(&c->b, &(weft_op_spec){ .kind = WEFT_OP_sdy_mesh, .attrs = attrs, .attr_count = 2 });
        weft_status st = op ? add_stablehlo_form(l, c->out, op) : c->b.status;
        if (st != WEFT_OK) return st;
    }
    return WEFT_OK;
}

static weft_status drop_equal(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    const lifter *l = c->user;
    weft_name name = op->kind == WEFT_OP_sdy_mesh ? weft_symbol_name(l->cx, op) : NULL;
    if (name && instead_of(l, name)) *answer = WEFT_COPY_DONE;
    return WEFT_OK;
}

static weft_status lift_op(weft_copy *c, const weft_op *op, weft_op *copy) {
    lifter *l = c->user;
    if (op->kind == WEFT_OP_sdy_mesh) {
        weft_status st = add_stablehlo_form(l, c->out, copy);
        return st == WEFT_OK && op == l->last_mesh ? put_fresh(c) : st;
    }
    return l->changes ? weft_map_mesh_refs_of(c->out, copy, lift_ref, l) : WEFT_OK;
}

static weft_status begin(weft_copy *c, const weft_op *op, const weft_block *blk, weft_block *copy) {
    const lifter *l = c->user;
    (void)blk;
    (void)copy;
    return op == c->in->root && !l->last_mesh ? put_fresh(c) : WEFT_OK;
}

weft_status weft_pass_lift_inlined_meshes(weft_pass *p, const weft_module *in, weft_module **out) {
    lifter l = { .cx = p->cx, .stablehlo_mesh = weft_name_from(p->cx, "stablehlo.mesh") };
    weft_arena_init(&l.arena, &p->cx->chunks);
    l.known = weft_attr_numbers_in(&l.arena);
    weft_status st = l.stablehlo_mesh ? weft_symbols_open(in, &l.arena, &l.symbols) : weft_oom();
    if (st == WEFT_OK) st = enter_symbols(&l, in);
    if (st == WEFT_OK) st = weft_module_walk(in, meet_meshes, &l);
    if (st == WEFT_OK)
        st = weft_edit_module(p, in, &(weft_copy_hooks){ .visit = drop_equal, .after = lift_op, .entered = begin }, &l,
                              out);
    weft_arena_free(&l.arena);
    return st;
}
