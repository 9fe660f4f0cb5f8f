/* relief.c: see relief.h. */
#include "pipeline/dryrun/relief.h"

#include "ir/builder.h"
#include "pipeline/dryrun/annotate.h"
#include "pipeline/pipeline.h"

weft_status weft_module_roles(const weft_module *m, weft_arena *arena, weft_roles *out) {
    weft_dim_classes classes;
    weft_module *prepared = NULL;
    weft_arena scratch;
    weft_arena_init(&scratch, &m->cx->alloc);
    /* the program's own build gives the warnings */
    const uint32_t was = weft_warnings_silence(m->cx, WEFT_EVERY_WARNING);
    weft_status st = weft_module_clone(m, &prepared);
    if (st == WEFT_OK) st = weft_pipeline_run(m->cx, WEFT_STR("weft-prepare"), 0, &prepared);
    (void)weft_warnings_silence(m->cx, was);
    if (st == WEFT_OK) st = weft_dim_classes_find(prepared, &scratch, &classes);
    if (st == WEFT_OK) st = weft_roles_find(prepared, &classes, arena, out);
    weft_arena_free(&scratch);
    weft_module_free(prepared);
    return st;
}

/* ---- meshes ---- */

typedef struct meshes { const weft_mesh_attr *first; const weft_attr *ref; } meshes;

static bool find_mesh(const weft_module *m, meshes *out) {
    WEFT_EACH_OP(op, weft_module_body(m)) {
        const weft_attr *mesh = op->kind == WEFT_OP_sdy_mesh ? weft_op_attr(op, WEFT_A_mesh) : NULL;
        if (!mesh || !mesh->mesh.axis_count) continue;
        out->first = &mesh->mesh;
        out->ref = weft_attr_symbol(m->cx, weft_name_intern(m->cx, weft_op_symbol(op, WEFT_A_sym_name)));
        return out->ref != NULL;
    }
    return false;
}

static int64_t axis_size(const meshes *x, weft_name name) {
    for (uint32_t i = 0; i < x->first->axis_count; i++)
        if (x->first->axes[i].name == name) return x->first->axes[i].size;
    return 0;
}

static bool is_of_mesh(const meshes *x, const weft_attr *sharding) {
    const weft_attr *ref = sharding->sharding.mesh;
    return ref->kind == WEFT_ATTR_SYMBOL && weft_attr_equal(ref, x->ref);
}

/* ---- changes ---- */

static bool uses(weft_axis_refs refs, weft_name axis) {
    for (uint32_t i = 0; i < refs.n; i++)
        if (refs.v[i].name == axis) return true;
    return false;
}

/* The sharding of an argument of this type with the axis too; NULL: there is no dimension for it. */
static const weft_attr *split_further(weft_module *m, const meshes *x, const weft_type *t, const weft_attr *old,
                                      weft_name axis, weft_status *st) {
    weft_dim_sharding dims[WEFT_MAX_RANK];
    weft_attr a = { .kind = WEFT_ATTR_SHARDING, .sharding = { .mesh = x->ref, .dims = dims, .rank = t->rank } };
    const weft_axis_ref one = { .name = axis };
    int64_t most = 0;
    uint32_t best = 0;
    if (old && (old->kind != WEFT_ATTR_SHARDING || !is_of_mesh(x, old))) return NULL;
    if (old) {
        a.sharding = old->sharding;
        if (uses(old->sharding.replicated, axis) || uses(old->sharding.unreduced, axis)) return NULL;
    }
    for (uint32_t d = 0; d < t->rank; d++) {
        dims[d] = old ? old->sharding.dims[d] : (weft_dim_sharding){ .priority = WEFT_NO_PRIORITY };
        if (uses(dims[d].axes, axis)) return NULL;
        if (dims[d].axes.n || t->dims[d] % axis_size(x, axis) || t->dims[d] <= most) continue;
        most = t->dims[d];
        best = d;
    }
    if (!most) return NULL;
    dims[best].axes = (weft_axis_refs){ &one, 1 };
    a.sharding.dims = dims;
    const weft_attr *made = weft_attr_copy(m->cx, &a);
    if (!made) *st = weft_oom();
    return made;
}

static weft_status split_arguments(weft_module *m, const meshes *x, const weft_roles *roles, const weft_relief *r,
                                   uint32_t *changes) {
    const weft_op *main = weft_module_main(m);
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < roles->argument_count && st == WEFT_OK; i++) {
        const weft_type *t = weft_func_type(main)->parts[i];
        const unsigned wanted = roles->of[i] == WEFT_ROLE_STATE       ? WEFT_RELIEF_STATE | WEFT_RELIEF_PARAMETERS
                                : roles->of[i] == WEFT_ROLE_PARAMETER ? WEFT_RELIEF_PARAMETERS
                                                                      : 0;
        if (!(r->kinds & wanted) || !weft_type_is_tensor(t) || !t->rank) continue;
        const weft_attr *old = weft_func_arg_attr(main, i, WEFT_A_sdy_sharding);
        const weft_attr *made = split_further(m, x, t, old, r->axis, &st);
        if (!made) continue;
        ++*changes;
        st = weft_module_set_sharding(m, WEFT_A_arg_attrs, i, made);
        if (st == WEFT_OK && roles->result[i] >= 0)
            st = weft_module_set_sharding(m, WEFT_A_res_attrs, (uint32_t)roles->result[i], made);
    }
    return st;
}

static weft_status donate(weft_module *m, const weft_roles *roles, uint32_t *changes) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < roles->argument_count && st == WEFT_OK; i++) {
        char number[16];
        const weft_op *main = weft_module_main(m);
        if (roles->result[i] < 0 || weft_func_arg_attr(main, i, WEFT_A_tf_aliasing_output) ||
            weft_func_arg_attr(main, i, WEFT_A_jax_buffer_donor)) continue;
        (void)weft_format(number, sizeof number, "%u", i);
        st = weft_module_donate_arguments(m, NULL, weft_str_from(number));
        ++*changes;
    }
    return st;
}

/* Appends the change if it changes something. */
static weft_status try_one(const weft_module *m, const meshes *x, const weft_roles *roles, weft_relief r,
                           weft_relief *v,
                           size_t *n) {
    uint32_t donated = 0, split = 0;
    if (*n == WEFT_RELIEFS) return WEFT_OK;
    weft_status st = weft_module_clone(m, &r.m);
    if (st != WEFT_OK) return st;
    if (r.kinds & WEFT_RELIEF_DONATE) st = donate(r.m, roles, &donated);
    if (st == WEFT_OK && r.axis) st = split_arguments(r.m, x, roles, &r, &split);
    const bool whole = (!(r.kinds & WEFT_RELIEF_DONATE) || donated) && (!r.axis || split);
    if (st == WEFT_OK && whole) v[(*n)++] = r;
    else weft_module_free(r.m);
    return st;
}

weft_status weft_reliefs_find(const weft_module *m, const weft_roles *roles, weft_relief *out, size_t *count) {
    static const unsigned kinds[] = { WEFT_RELIEF_STATE, WEFT_RELIEF_PARAMETERS,
                                      WEFT_RELIEF_STATE | WEFT_RELIEF_DONATE,
                                      WEFT_RELIEF_PARAMETERS | WEFT_RELIEF_DONATE };
    meshes x = { NULL, NULL };
    *count = 0;
    weft_status st = try_one(m, &x, roles, (weft_relief){ WEFT_RELIEF_DONATE, NULL, NULL }, out, count);
    if (!find_mesh(m, &x)) return st;
    for (size_t k = 0; k < WEFT_COUNT(kinds) && st == WEFT_OK; k++)
        for (uint32_t a = 0; a < x.first->axis_count && st == WEFT_OK; a++)
            if (x.first->axes[a].size > 1)
                st = try_one(m, &x, roles, (weft_relief){ kinds[k], x.first->axes[a].name, NULL }, out, count);
    return st;
}

void weft_reliefs_free(weft_relief *v, size_t count) {
    for (size_t i = 0; i < count; i++) weft_module_free(v[i].m);
}

void weft_relief_print(weft_buf *b, const weft_relief *r) {
    if (r->kinds & WEFT_RELIEF_DONATE) weft_buf_puts(b, "donate the updated arguments");
    if (!r->axis) return;
    weft_buf_printf(b, "%ssplit %s over %s", r->kinds & WEFT_RELIEF_DONATE ? ", " : "",
                    r->kinds & WEFT_RELIEF_PARAMETERS
                        ? "parameters and state" : "the optimizer's state", r->axis->text);
}
