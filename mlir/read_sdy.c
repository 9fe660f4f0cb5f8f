/* read_sdy.c: Shardy's attributes. Spelling: Shardy, docs/sdy_dialect.md. */
#include "ir/verify.h"
#include "mlir/reader.h"

static const weft_attr *copied(weft_reader *r, const weft_attr *a) {
    const weft_attr *c = weft_attr_copy(r->cx, a);
    if (!c) rd_oom(r);
    return c;
}

/* Where the short form <...> is usual, the full attribute (#sdy.sharding<...>, or an alias) is accepted too. */
static const weft_attr *whole(weft_reader *r, weft_attr_kind kind, const char *wanted) {
    const char *at = r->p;
    const weft_attr *a = rd_attr(r);
    if (a && a->kind != kind) return rd_fail(r, at, "expected %s", wanted), NULL;
    return a;
}

/* A list local to one function: grows in the reader's arena. */
typedef RD_STACK(weft_axis_ref) axis_stack;

/* "x" or "x":(1)2 */
static bool axis_ref(weft_reader *r, weft_axis_ref *out) {
    weft_str name;
    *out = (weft_axis_ref){ 0 };
    if (!rd_string(r, &name))
        return rd_within(r, "failed to parse Sdy_AxisRef parameter 'name' which is to be a `::llvm::StringRef`");
    if (!(out->name = rd_intern(r, name))) return false;
    if (!rd_accept(r, ':')) return true;
    const char *at = r->p;
    if (!rd_expect(r, '(') || !rd_int(r, &out->pre_size) || !rd_expect(r, ')') || !rd_int(r, &out->size)) return false;
    return out->pre_size || out->size || rd_fail(r, at, "sub-axis pre-size must be at least 1");
}

static bool axis_push(weft_reader *r, axis_stack *axes) {
    weft_axis_ref ref;
    if (!axis_ref(r, &ref) || !rd_push(r, (void **)&axes->v, &axes->n, &axes->cap, sizeof ref)) return false;
    axes->v[axes->n - 1] = ref;
    return true;
}

/* {"x", "y":(1)2} */
static bool axis_list(weft_reader *r, weft_axis_refs *out) {
    axis_stack axes = { 0 };
    if (!rd_expect(r, '{')) return false;
    if (!rd_at(r, '}')) {
        do {
            if (!axis_push(r, &axes)) return false;
        } while (rd_accept(r, ','));
    }
    *out = (weft_axis_refs){ axes.v, (uint32_t)axes.n };
    return rd_expect(r, '}');
}

const weft_attr *rd_sdy_axes(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_AXES };
    if (rd_at(r, '#')) return whole(r, WEFT_ATTR_AXES, "a list of axes");
    return axis_list(r, &a.axes) ? copied(r, &a) : NULL;
}

const weft_attr *rd_sdy_axes_per_dim(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_AXES_PER_DIM };
    RD_STACK(weft_axis_refs) lists = { 0 };
    if (rd_at(r, '#')) return whole(r, WEFT_ATTR_AXES_PER_DIM, "lists of axes");
    if (!rd_expect(r, '[')) return NULL;
    if (!rd_at(r, ']')) {
        do {
            if (!rd_push(r, (void **)&lists.v, &lists.n, &lists.cap, sizeof *lists.v)) return NULL;
            if (!axis_list(r, &lists.v[lists.n - 1])) return NULL;
        } while (rd_accept(r, ','));
    }
    if (!rd_expect(r, ']')) return NULL;
    a.axes_per_dim.v = lists.v;
    a.axes_per_dim.n = (uint32_t)lists.n;
    return copied(r, &a);
}

/* {"x"}: 0->1, with one axis at least */
static bool a2a_param(weft_reader *r, weft_a2a_param *out) {
    axis_stack axes = { 0 };
    if (!rd_expect(r, '{')) return false;
    do {
        if (!axis_push(r, &axes))
            return rd_within(
                r,
                "failed to parse Sdy_AllToAllParamAttr parameter 'axes' which is to be a `::llvm::ArrayRef<AxisRefAttr>`");
    } while (rd_accept(r, ','));
    out->axes = (weft_axis_refs){ axes.v, (uint32_t)axes.n };
    return rd_expect(r, '}') && rd_expect(r, ':') && rd_int(r, &out->src_dim) && rd_expect_arrow(r) &&
           rd_int(r, &out->tgt_dim);
}

const weft_attr *rd_sdy_a2a(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_A2A_PARAMS };
    RD_STACK(weft_a2a_param) params = { 0 };
    if (rd_at(r, '#')) return whole(r, WEFT_ATTR_A2A_PARAMS, "all-to-all parameters");
    if (!rd_expect(r, '[')) return NULL;
    if (!rd_at(r, ']')) {
        do {
            weft_a2a_param p = { 0 };
            if (!a2a_param(r, &p))
                return rd_within(
                           r,
                           "failed to parse Sdy_AllToAllParamList parameter 'value' which is to be a `::llvm::ArrayRef<AllToAllParamAttr>`"),
                       NULL;
            if (!rd_push(r, (void **)&params.v, &params.n, &params.cap, sizeof p)) return NULL;
            params.v[params.n - 1] = p;
        } while (rd_accept(r, ','));
    }
    if (!rd_expect(r, ']')) return NULL;
    a.a2a.v = params.v;
    a.a2a.n = (uint32_t)params.n;
    return copied(r, &a);
}

/* "x"=2, "y"=4. op: as below. */
static bool mesh_axes(weft_reader *r, const char *op, weft_mesh_attr *mesh) {
    RD_STACK(weft_mesh_axis) axes = { 0 };
    if (!rd_at(r, ']')) {
        do {
            weft_str name;
            weft_mesh_axis x;
            if (!rd_string(r, &name))
                return rd_within(r,
                                 "failed to parse Sdy_MeshAxis parameter 'name' which is to be a `::llvm::StringRef`");
            if (!(x.name = rd_intern(r, name)) || !rd_expect(r, '=') || !rd_int(r, &x.size)) return false;
            if (x.size < 1) return rd_fail(r, r->p, "%saxis size must be at least 1, got: %lld", op, (long long)x.size);
            if (!rd_push(r, (void **)&axes.v, &axes.n, &axes.cap, sizeof x)) return false;
            axes.v[axes.n - 1] = x;
        } while (rd_accept(r, ','));
    }
    mesh->axes = axes.v;
    mesh->axis_count = (uint32_t)axes.n;
    return true;
}

static bool in_order(weft_ints ids) {
    for (uint32_t i = 0; i < ids.n; i++)
        if (ids.v[i] != i) return false;
    return true;
}

weft_status rd_mesh_check(weft_context *cx, weft_mesh_attr *mesh, char *why, size_t size) {
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_status st = weft_mesh_explain(cx, mesh, why, size);
    weft_arena_reset(&cx->scratch, mark);
    if (mesh->axis_count && in_order(mesh->device_ids)) mesh->device_ids.n = 0; /* the order without the list */
    return st;
}

/* <["x"=2, "y"=4]>, <["x"=2], device_ids=[1, 0]>, <[], device_ids=[3]>. op: the prefix of messages for an op's
 * mesh. */
static const weft_attr *mesh(weft_reader *r, const char *op) {
    weft_attr a = { .kind = WEFT_ATTR_MESH };
    char why[512];
    if (rd_at(r, '#')) return whole(r, WEFT_ATTR_MESH, "a mesh");
    const char *at = r->p;
    if (!rd_expect(r, '<') || !rd_expect(r, '[')) return NULL;
    if (!mesh_axes(r, op, &a.mesh))
        return rd_within(
                   r, "%sfailed to parse Sdy_Mesh parameter 'axes' which is to be a `::llvm::ArrayRef<MeshAxisAttr>`",
                   op),
               NULL;
    if (!rd_expect(r, ']')) return NULL;
    size_t height = r->ints.n;
    const bool listed = rd_accept(r, ',');
    if (listed && (!rd_expect_word(r, "device_ids") || !rd_expect(r, '=') || !rd_int_list(r, '[', ']'))) return NULL;
    if (listed && r->ints.n == height) return rd_fail(r, r->p - 1, "%sexpected integer value", op), NULL;
    if (!rd_expect(r, '>')) return NULL;
    a.mesh.device_ids = (weft_ints){ r->ints.v + height, (uint32_t)(r->ints.n - height) };
    r->ints.n = height;
    weft_status st = rd_mesh_check(r->cx, &a.mesh, why, sizeof why);
    if (st == WEFT_ERR_INVALID) return rd_fail_as(r, WEFT_D_sharding, at, "%s%s", op, why), NULL;
    return st == WEFT_OK ? copied(r, &a) : (rd_oom(r), NULL);
}

const weft_attr *rd_sdy_mesh(weft_reader *r) { return mesh(r, ""); }
const weft_attr *rd_sdy_mesh_op(weft_reader *r) { return mesh(r, "custom op 'sdy.mesh' "); }

/* p1 after a dimension's axes; blanks may come between. */
static bool priority(weft_reader *r, int32_t *out) {
    const char *at = r->p;
    weft_str word;
    int64_t v = 0;
    if (!rd_ident(r, &word)) return false;
    bool digits = word.n >= 2 && word.p[0] == 'p';
    for (size_t i = 1; digits && i < word.n; i++) digits = rd_is_digit(word.p[i]);
    if (!digits) return rd_fail(r, at, "expecting priority in format 'p<number>', got: %.*s", WEFT_STR_ARG(word));
    if (word.p[1] == '0' && word.n > 2)
        return rd_fail(r, at, "priorities with leading zeros are not allowed, got: %.*s", WEFT_STR_ARG(word));
    for (size_t i = 1; i < word.n && v <= INT32_MAX; i++) v = v * 10 + (word.p[i] - '0');
    if (v > INT32_MAX) return rd_fail(r, at, "expecting integer priority, got: %.*s", WEFT_STR_ARG(word));
    *out = (int32_t)v;
    return true;
}

/* {"x", ?}p1 */
static bool dim_sharding(weft_reader *r, weft_dim_sharding *out) {
    axis_stack axes = { 0 };
    *out = (weft_dim_sharding){ .priority = WEFT_NO_PRIORITY };
    if (!rd_expect(r, '{')) return false;
    while (!rd_at(r, '}')) {
        if (axes.n && !rd_expect(r, ',')) return false;
        if (rd_accept(r, '?')) {
            out->open = true;
            break;
        }
        if (!axis_push(r, &axes)) return false;
    }
    out->axes = (weft_axis_refs){ axes.v, (uint32_t)axes.n };
    return rd_expect(r, '}') && (!rd_is_ident_start(*r->p) || priority(r, &out->priority));
}

static bool dim_shardings(weft_reader *r, weft_sharding_attr *s) {
    RD_STACK(weft_dim_sharding) dims = { 0 };
    if (!rd_at(r, ']')) {
        do {
            if (!rd_push(r, (void **)&dims.v, &dims.n, &dims.cap, sizeof *dims.v)) return false;
            if (!dim_sharding(r, &dims.v[dims.n - 1]))
                return rd_within(
                    r,
                    "failed to parse Sdy_TensorSharding parameter 'dim_shardings' which is to be a `::llvm::ArrayRef<DimensionShardingAttr>`");
        } while (rd_accept(r, ','));
    }
    s->dims = dims.v;
    s->rank = (uint32_t)dims.n;
    return rd_expect(r, ']');
}

/* {"x", "y"} after replicated= or unreduced=: one axis at least */
static bool named_axes(weft_reader *r, weft_axis_refs *out) {
    axis_stack axes = { 0 };
    if (!rd_expect(r, '{')) return false;
    do {
        if (!axis_push(r, &axes))
            return rd_within(r, "failed to parse axis list which is expected to be an `ArrayRef<AxisRefAttr>`");
    } while (rd_accept(r, ','));
    *out = (weft_axis_refs){ axes.v, (uint32_t)axes.n };
    return rd_expect(r, '}');
}

/* replicated={"x"}, unreduced={"x"} or unreduced=max{"x"}: each once, in any order */
static bool replicated_or_unreduced(weft_reader *r, weft_sharding_attr *s) {
    if (!s->replicated.n && rd_word(r, "replicated")) {
        if (rd_expect(r, '=') && named_axes(r, &s->replicated)) return true;
        return rd_within(r, "failed to parse Sdy_TensorSharding parameter 'replicated_axes'");
    }
    if (s->unreduced.n || !rd_word(r, "unreduced"))
        return rd_fail(r, r->p, "failed to parse Sdy_TensorSharding, expected valid named axis list after comma");
    if (rd_accept(r, '=') && !rd_word(r, "sum"))
        s->unreduced_by = rd_word(r, "max") ? WEFT_BY_MAX : rd_word(r, "min") ? WEFT_BY_MIN : WEFT_BY_SUM;
    return named_axes(r, &s->unreduced) ||
           rd_within(r, "failed to parse Sdy_TensorSharding parameter 'unreduced_axes'");
}

const weft_attr *rd_sdy_sharding(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_SHARDING };
    weft_sharding_attr *s = &a.sharding;
    if (rd_at(r, '#')) return whole(r, WEFT_ATTR_SHARDING, "a sharding");
    if (!rd_expect(r, '<')) return NULL;
    if (!(s->mesh = rd_word(r, "mesh") ? rd_sdy_mesh(r) : rd_symbol(r))) return NULL;
    if (!rd_expect(r, ',') || !rd_expect(r, '[') || !dim_shardings(r, s)) return NULL;
    while (rd_accept(r, ','))
        if (!replicated_or_unreduced(r, s)) return NULL;
    return rd_expect(r, '>') ? copied(r, &a) : NULL;
}

const weft_attr *rd_sdy_shardings(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_SHARDINGS };
    size_t height = r->items.n;
    if (rd_at(r, '#')) return whole(r, WEFT_ATTR_SHARDINGS, "shardings");
    if (!rd_expect(r, '[')) return NULL;
    if (!rd_at(r, ']')) {
        do {
            const weft_attr *s = rd_sdy_sharding(r);
            if (!s || !RD_PUSH(r, items, s)) return NULL;
        } while (rd_accept(r, ','));
    }
    if (!rd_expect(r, ']')) return NULL;
    a.items.v = r->items.v + height;
    a.items.n = (uint32_t)(r->items.n - height);
    r->items.n = height;
    return copied(r, &a);
}

/* operand-0 or result-1 */
static bool edge_ref(weft_reader *r, weft_edge_ref *out) {
    bool result = !strncmp(r->p, "result", 6), operand = !strncmp(r->p, "operand", 7);
    if (!result && !operand) return rd_unexpected(r, "'operand' or 'result'");
    r->p += result ? 6 : 7;
    rd_skip(r);
    out->of = result ? WEFT_EDGE_RESULT : WEFT_EDGE_OPERAND;
    return rd_expect(r, '-') && rd_int(r, &out->index);
}

/* {"x" = operand-0 -> [result-0, operand-1]} */
static bool edge_axis(weft_reader *r, weft_edge_axis *out) {
    RD_STACK(weft_edge_ref) targets = { 0 };
    if (!rd_expect(r, '{') || !axis_ref(r, &out->axis) || !rd_expect(r, '=') || !edge_ref(r, &out->source) ||
        !rd_expect_arrow(r) || !rd_expect(r, '['))
        return false;
    do {
        if (!rd_push(r, (void **)&targets.v, &targets.n, &targets.cap, sizeof *targets.v) ||
            !edge_ref(r, &targets.v[targets.n - 1]))
            return false;
    } while (rd_accept(r, ','));
    out->targets = targets.v;
    out->target_count = (uint32_t)targets.n;
    return rd_expect(r, ']') && rd_expect(r, '}');
}

/* {step-0 = [{...}, {...}]} */
static bool edge_step(weft_reader *r, weft_edge_step *out) {
    RD_STACK(weft_edge_axis) axes = { 0 };
    if (!rd_expect(r, '{') || strncmp(r->p, "step", 4)) return rd_unexpected(r, "'step'");
    r->p += 4;
    rd_skip(r);
    if (!rd_expect(r, '-') || !rd_int(r, &out->step) || !rd_expect(r, '=') || !rd_expect(r, '[')) return false;
    do {
        if (!rd_push(r, (void **)&axes.v, &axes.n, &axes.cap, sizeof *axes.v) || !edge_axis(r, &axes.v[axes.n - 1]))
            return false;
    } while (rd_accept(r, ','));
    out->axes = axes.v;
    out->axis_count = (uint32_t)axes.n;
    return rd_expect(r, ']') && rd_expect(r, '}');
}

static const weft_attr *propagation_edges(weft_reader *r) {
    RD_STACK(weft_edge_step) steps = { 0 };
    weft_attr a = { .kind = WEFT_ATTR_EDGES };
    const char *at = r->p;
    char why[256];
    if (!rd_expect(r, '<') || !rd_expect(r, '[')) return NULL;
    if (!rd_at(r, ']')) {
        do {
            if (!rd_push(r, (void **)&steps.v, &steps.n, &steps.cap, sizeof *steps.v) ||
                !edge_step(r, &steps.v[steps.n - 1]))
                return NULL;
        } while (rd_accept(r, ','));
    }
    if (!rd_expect(r, ']') || !rd_expect(r, '>')) return NULL;
    a.edges.v = steps.v;
    a.edges.n = (uint32_t)steps.n;
    if (!weft_edges_explain(&a, why, sizeof why)) return rd_fail_as(r, WEFT_D_sharding, at, "%s", why), NULL;
    return copied(r, &a);
}

static const weft_attr *sharding_per_value(weft_reader *r) {
    if (!rd_expect(r, '<')) return NULL;
    const weft_attr *a = rd_sdy_shardings(r);
    if (!a)
        rd_within(
            r,
            "failed to parse Sdy_TensorShardingPerValue parameter 'shardings' which is to be a `::llvm::ArrayRef<TensorShardingAttr>`");
    return a && rd_expect(r, '>') ? a : NULL;
}

const weft_attr *rd_sdy_attr(weft_reader *r, weft_str mnemonic) {
    static const struct { const char *name; const weft_attr *(*read)(weft_reader *r); } known[] = {
        { "sharding", rd_sdy_sharding },
        { "sharding_per_value", sharding_per_value },
        { "op_sharding_rule", rd_sdy_rule },
        { "mesh", rd_sdy_mesh },
        { "propagation_edges", propagation_edges },
        { "axis_ref_list", rd_sdy_axes },
        { "manual_axes", rd_sdy_axes },
        { "list_of_axis_ref_lists", rd_sdy_axes_per_dim },
        { "all_to_all_param_list", rd_sdy_a2a },
    };
    for (size_t i = 0; i < WEFT_COUNT(known); i++)
        if (weft_str_is(mnemonic, known[i].name)) return known[i].read(r);
    return NULL;
}
