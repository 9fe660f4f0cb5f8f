/* bytecode_sdy.c: Shardy's attributes in bytecode. */
#include "mlir/bytecode.h"

static const weft_attr *copied(bc_reader *f, const weft_attr *a) { return bc_made(f, weft_attr_copy(f->r.cx, a)); }

/* An array of n items of this type in the reader's arena, after their number. */
static void *items(bc_reader *f, bc_in *in, uint32_t *n, size_t size, size_t align) {
    if (!bc_count(f, in, n) || !bc_spend(f, in->p, *n)) return NULL;
    void *v = weft_arena_calloc(&f->r.arena, *n, size, align);
    if (!v) bc_oom(f);
    return v;
}
#define ITEMS(f, in, n, T) ((T *)items((f), (in), (n), sizeof(T), _Alignof(T)))

/* name, and a sub-axis or none */
static bool axis_ref(bc_reader *f, bc_in *in, weft_axis_ref *out) {
    const uint8_t *at = in->p;
    bc_in body, sub;
    bool has;
    uint64_t index;
    if (!bc_open(f, in, BC_SDY, SDY_AXIS_REF, "an axis", &body) || !(out->name = bc_name(f, &body))) return false;
    if (!bc_flagged(f, &body, &index, &has)) return false;
    return !has || (bc_open_at(f, at, index, BC_SDY, SDY_SUB_AXIS, "a sub-axis", &sub) && bc_sub_axis(f, at, sub, out));
}

static bool axis_refs(bc_reader *f, bc_in *in, weft_axis_refs *out) {
    uint32_t n;
    weft_axis_ref *v = ITEMS(f, in, &n, weft_axis_ref);
    if (!v) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!axis_ref(f, in, &v[i])) return false;
    *out = (weft_axis_refs){ v, n };
    return true;
}

/* names only */
static const weft_attr *manual_axes(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_AXES };
    uint32_t n;
    weft_axis_ref *v = ITEMS(f, in, &n, weft_axis_ref);
    if (!v) return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (!(v[i].name = bc_attr_name(f, in))) return NULL;
    a.axes = (weft_axis_refs){ v, n };
    return copied(f, &a);
}

static const weft_attr *mesh(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_MESH };
    const uint8_t *at = in->p;
    char why[512];
    uint32_t n;
    weft_mesh_axis *axes = ITEMS(f, in, &n, weft_mesh_axis);
    if (!axes) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        bc_in body;
        if (!bc_open(f, in, BC_SDY, SDY_MESH_AXIS, "an axis of a mesh", &body) || !(axes[i].name = bc_name(f, &body)) ||
            !bc_signed(f, &body, &axes[i].size))
            return NULL;
        if (axes[i].size < 1)
            return bc_fail(f, at, "axis size must be at least 1, got: %lld", (long long)axes[i].size), NULL;
    }
    a.mesh.axes = axes;
    a.mesh.axis_count = n;
    if (!bc_ints(f, in, &a.mesh.device_ids)) return NULL;
    weft_status st = rd_mesh_check(f->r.cx, &a.mesh, why, sizeof why);
    if (st == WEFT_ERR_INVALID) return bc_fail_as(f, WEFT_D_sharding, at, "%s", why), NULL;
    return st == WEFT_OK ? copied(f, &a) : (bc_oom(f), NULL);
}

/* axes, closed or not, and a priority or none */
static bool dim_sharding(bc_reader *f, bc_in *in, weft_dim_sharding *out) {
    const uint8_t *at = in->p;
    bc_in body;
    uint8_t closed;
    uint64_t priority;
    bool has;
    if (!bc_open(f, in, BC_SDY, SDY_DIM_SHARDING, "the sharding of a dimension", &body) ||
        !axis_refs(f, &body, &out->axes) || !bc_byte(f, &body, &closed) || !bc_flagged(f, &body, &priority, &has))
        return false;
    if (has && priority > INT32_MAX) return bc_fail(f, at, "priority %llu", (unsigned long long)priority);
    out->open = !closed;
    out->priority = has ? (int32_t)priority : WEFT_NO_PRIORITY;
    return true;
}

/* Version 2 has unreduced axes, version 3 what combines them. */
static const weft_attr *sharding(bc_reader *f, bc_in *in, int version) {
    weft_attr a = { .kind = WEFT_ATTR_SHARDING };
    weft_sharding_attr *s = &a.sharding;
    const uint8_t *at = in->p;
    int64_t by = WEFT_BY_SUM;
    if (!(s->mesh = bc_attr(f, in))) return NULL;
    if (s->mesh->kind != WEFT_ATTR_MESH && s->mesh->kind != WEFT_ATTR_SYMBOL)
        return bc_fail(f, at, "expected a mesh"), NULL;
    weft_dim_sharding *dims = ITEMS(f, in, &s->rank, weft_dim_sharding);
    if (!dims) return NULL;
    for (uint32_t i = 0; i < s->rank; i++)
        if (!dim_sharding(f, in, &dims[i])) return NULL;
    s->dims = dims;
    if (!axis_refs(f, in, &s->replicated) || (version > 1 && !axis_refs(f, in, &s->unreduced)) ||
        (version > 2 && !bc_signed(f, in, &by)))
        return NULL;
    if (by < WEFT_BY_SUM || by > WEFT_BY_MIN) return bc_fail(f, at, "reduction %lld", (long long)by), NULL;
    s->unreduced_by = s->unreduced.n ? (weft_unreduced_by)by : WEFT_BY_SUM;
    return copied(f, &a);
}

static const weft_attr *shardings(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_SHARDINGS };
    const uint8_t *at = in->p;
    const size_t height = f->r.items.n;
    if (!bc_attr_list(f, in)) return NULL;
    a.items.v = f->r.items.v + height;
    a.items.n = (uint32_t)(f->r.items.n - height);
    f->r.items.n = height;
    for (uint32_t i = 0; i < a.items.n; i++)
        if (a.items.v[i]->kind != WEFT_ATTR_SHARDING) return bc_fail(f, at, "expected a sharding"), NULL;
    return copied(f, &a);
}

/* Factors by number. */
static bool factors(bc_reader *f, bc_in *in, weft_ints *out) {
    const uint8_t *at = in->p;
    if (!bc_ints(f, in, out)) return false;
    for (uint32_t i = 0; i < out->n; i++)
        if (out->v[i] < 0) return bc_fail(f, at, "factor %lld", (long long)out->v[i]);
    return true;
}

/* The factors of each dimension of a tensor. */
static bool tensor_mapping(bc_reader *f, bc_in *in, uint32_t *rank, const weft_ints **out) {
    bc_in body, dim;
    if (!bc_open(f, in, BC_SDY, SDY_TENSOR_MAPPING, "the factors of a tensor", &body)) return false;
    weft_ints *dims = ITEMS(f, &body, rank, weft_ints);
    if (!dims) return false;
    for (uint32_t i = 0; i < *rank; i++)
        if (!bc_open(f, &body, BC_SDY, SDY_DIM_MAPPING, "the factors of a dimension", &dim) ||
            !factors(f, &dim, &dims[i]))
            return false;
    *out = dims;
    return true;
}

/* Of all tensors of a rule, operands first: the rank, and the factors of each dimension. */
typedef struct mappings {
    RD_STACK(uint32_t) ranks;
    RD_STACK(const weft_ints *) dims;
} mappings;

static bool mapping_list(bc_reader *f, bc_in *in, mappings *m, uint32_t *count) {
    weft_reader *r = &f->r;
    if (!bc_count(f, in, count)) return false;
    for (uint32_t i = 0; i < *count; i++)
        if (!rd_push(r, (void **)&m->ranks.v, &m->ranks.n, &m->ranks.cap, sizeof *m->ranks.v) ||
            !rd_push(r, (void **)&m->dims.v, &m->dims.n, &m->dims.cap, sizeof *m->dims.v) ||
            !tensor_mapping(f, in, &m->ranks.v[m->ranks.n - 1], &m->dims.v[m->dims.n - 1]))
            return false;
    return true;
}

static const weft_attr *rule(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_RULE };
    weft_rule_attr *rule = &a.rule;
    mappings m = { 0 };
    uint8_t custom;
    if (!bc_ints(f, in, &rule->factor_sizes) || !mapping_list(f, in, &m, &rule->operand_count) ||
        !mapping_list(f, in, &m, &rule->result_count) || !factors(f, in, &rule->reduction) ||
        !factors(f, in, &rule->need_replication) || !factors(f, in, &rule->permutation) ||
        !factors(f, in, &rule->blocked) || !bc_byte(f, in, &custom))
        return NULL;
    rule->custom = custom;
    rule->ranks = m.ranks.v;
    rule->dims = m.dims.v;
    return copied(f, &a);
}

static const weft_attr *axes(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_AXES };
    return axis_refs(f, in, &a.axes) ? copied(f, &a) : NULL;
}

static const weft_attr *axes_per_dim(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_AXES_PER_DIM };
    weft_axis_refs *v = ITEMS(f, in, &a.axes_per_dim.n, weft_axis_refs);
    bc_in body;
    if (!v) return NULL;
    for (uint32_t i = 0; i < a.axes_per_dim.n; i++)
        if (!bc_open(f, in, BC_SDY, SDY_AXES, "a list of axes", &body) || !axis_refs(f, &body, &v[i])) return NULL;
    a.axes_per_dim.v = v;
    return copied(f, &a);
}

static const weft_attr *a2a_params(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_A2A_PARAMS };
    weft_a2a_param *v = ITEMS(f, in, &a.a2a.n, weft_a2a_param);
    bc_in body;
    if (!v) return NULL;
    if (!a.a2a.n) return bc_fail(f, in->p, "an all-to-all without parameters"), NULL;
    for (uint32_t i = 0; i < a.a2a.n; i++)
        if (!bc_open(f, in, BC_SDY, SDY_A2A_PARAM, "a parameter of an all-to-all", &body) ||
            !axis_refs(f, &body, &v[i].axes) || !bc_signed(f, &body, &v[i].src_dim) ||
            !bc_signed(f, &body, &v[i].tgt_dim))
            return NULL;
    a.a2a.v = v;
    return copied(f, &a);
}

const weft_attr *bc_sdy_attr(bc_reader *f, bc_in *in) {
    const uint8_t *at = in->p;
    uint64_t code;
    if (!bc_int(f, in, &code)) return NULL;
    switch (code) {
    case SDY_MANUAL_AXES: return manual_axes(f, in);
    case SDY_MESH: return mesh(f, in);
    case SDY_SHARDING: return sharding(f, in, 1);
    case SDY_SHARDING_V2: return sharding(f, in, 2);
    case SDY_SHARDING_V3: return sharding(f, in, 3);
    case SDY_SHARDINGS:
    case SDY_SHARDINGS_V2: return shardings(f, in);
    case SDY_RULE: return rule(f, in);
    case SDY_AXES: return axes(f, in);
    case SDY_AXES_PER_DIM: return axes_per_dim(f, in);
    case SDY_A2A_PARAMS: return a2a_params(f, in);
    default: break;
    }
    bc_fail(f, at, "an sdy attribute of the unknown kind %llu", (unsigned long long)code);
    return NULL;
}
