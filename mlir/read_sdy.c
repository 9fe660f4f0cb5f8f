/* read_sdy.c: Shardy's attributes. Spelling: Shardy, docs/sdy_dialect.md. */
#include "mlir/reader.h"

static const weft_attr *copied(weft_reader *r, const weft_attr *a) {
    const weft_attr *c = weft_attr_copy(r->cx, a);
    if (!c) rd_oom(r);
    return c;
}

/* Where the short form <...> is usual, the whole attribute (#sdy.sharding<...>, or an alias) may stand too. */
static const weft_attr *whole(weft_reader *r, weft_attr_kind kind, const char *wanted) {
    const char *at = r->p;
    const weft_attr *a = rd_attr(r);
    if (a && a->kind != kind) return rd_fail(r, at, "expected %s", wanted), NULL;
    return a;
}

/* A list local to one function: grows in the reader's arena. */
typedef RD_STACK(weft_axis_ref) axis_stack;

/* "x" or "x":(1)2 */
static bool axis_ref(weft_reader *r, axis_stack *axes) {
    weft_str name;
    weft_axis_ref ref = { 0 };
    if (!rd_string(r, &name) || !(ref.name = rd_intern(r, name))) return false;
    if (rd_accept(r, ':') && (!rd_expect(r, '(') || !rd_int(r, &ref.pre_size) || !rd_expect(r, ')') || !rd_int(r, &ref.size)))
        return false;
    if (!rd_push(r, (void **)&axes->v, &axes->n, &axes->cap, sizeof ref)) return false;
    axes->v[axes->n - 1] = ref;
    return true;
}

/* {"x", "y":(1)2} */
static bool axis_list(weft_reader *r, weft_axis_refs *out) {
    axis_stack axes = { 0 };
    if (!rd_expect(r, '{')) return false;
    if (!rd_at(r, '}')) {
        do {
            if (!axis_ref(r, &axes)) return false;
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
    while (!rd_at(r, ']')) {
        if (!rd_push(r, (void **)&lists.v, &lists.n, &lists.cap, sizeof *lists.v)) return NULL;
        if (!axis_list(r, &lists.v[lists.n - 1])) return NULL;
        if (!rd_accept(r, ',')) break;
    }
    if (!rd_expect(r, ']')) return NULL;
    a.axes_per_dim.v = lists.v;
    a.axes_per_dim.n = (uint32_t)lists.n;
    return copied(r, &a);
}

const weft_attr *rd_sdy_a2a(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_A2A_PARAMS };
    RD_STACK(weft_a2a_param) params = { 0 };
    if (rd_at(r, '#')) return whole(r, WEFT_ATTR_A2A_PARAMS, "all-to-all parameters");
    if (!rd_expect(r, '[')) return NULL;
    while (!rd_at(r, ']')) {
        weft_a2a_param p = { 0 };
        if (!axis_list(r, &p.axes) || !rd_expect(r, ':') || !rd_int(r, &p.src_dim) || !rd_expect_arrow(r) || !rd_int(r, &p.tgt_dim))
            return NULL;
        if (!rd_push(r, (void **)&params.v, &params.n, &params.cap, sizeof p)) return NULL;
        params.v[params.n - 1] = p;
        if (!rd_accept(r, ',')) break;
    }
    if (!rd_expect(r, ']')) return NULL;
    a.a2a.v = params.v;
    a.a2a.n = (uint32_t)params.n;
    return copied(r, &a);
}

static bool in_order(weft_ints ids) {
    for (uint32_t i = 0; i < ids.n; i++)
        if (ids.v[i] != i) return false;
    return true;
}

/* -1 when there are too many. */
static int64_t device_count(const weft_mesh_attr *m) {
    int64_t n = 1;
    for (uint32_t i = 0; i < m->axis_count; i++)
        if (!weft_mul_i64(n, m->axes[i].size, &n)) return -1;
    return n;
}

/* <["x"=2, "y"=4]>, <["x"=2], device_ids=[1, 0]>, <[], device_ids=[3]> */
const weft_attr *rd_sdy_mesh(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_MESH };
    RD_STACK(weft_mesh_axis) axes = { 0 };
    if (rd_at(r, '#')) return whole(r, WEFT_ATTR_MESH, "a mesh");
    if (!rd_expect(r, '<') || !rd_expect(r, '[')) return NULL;
    while (!rd_at(r, ']')) {
        weft_str name;
        weft_mesh_axis x;
        if (!rd_string(r, &name) || !(x.name = rd_intern(r, name)) || !rd_expect(r, '=') || !rd_int(r, &x.size)) return NULL;
        if (!rd_push(r, (void **)&axes.v, &axes.n, &axes.cap, sizeof x)) return NULL;
        axes.v[axes.n - 1] = x;
        if (!rd_accept(r, ',')) break;
    }
    if (!rd_expect(r, ']')) return NULL;
    size_t height = r->ints.n;
    if (rd_accept(r, ',') && (!rd_expect_word(r, "device_ids") || !rd_expect(r, '=') || !rd_int_list(r, '[', ']'))) return NULL;
    if (!rd_expect(r, '>')) return NULL;
    a.mesh.axes = axes.v;
    a.mesh.axis_count = (uint32_t)axes.n;
    a.mesh.device_ids = (weft_ints){ r->ints.v + height, (uint32_t)(r->ints.n - height) };
    if (a.mesh.axis_count && in_order(a.mesh.device_ids) && device_count(&a.mesh) == a.mesh.device_ids.n) a.mesh.device_ids.n = 0; /* the order without the list */
    r->ints.n = height;
    return copied(r, &a);
}

/* {"x", ?}p1 */
static bool dim_sharding(weft_reader *r, weft_dim_sharding *out) {
    axis_stack axes = { 0 };
    *out = (weft_dim_sharding){ .priority = WEFT_NO_PRIORITY };
    if (!rd_expect(r, '{')) return false;
    while (!rd_at(r, '}')) {
        if (rd_accept(r, '?')) {
            out->open = true;
            break;
        }
        if (!axis_ref(r, &axes)) return false;
        if (!rd_accept(r, ',')) break;
    }
    out->axes = (weft_axis_refs){ axes.v, (uint32_t)axes.n };
    if (!rd_at(r, '}')) return rd_unexpected(r, "'}'");
    r->p++; /* p1 stands right behind, but blanks are allowed */
    rd_skip(r);
    if (rd_is_ident_start(*r->p)) {
        const char *at = r->p;
        weft_str word;
        if (!rd_ident(r, &word)) return false;
        int64_t v = 0;
        bool ok = word.n >= 2 && word.n <= 9 && word.p[0] == 'p' && (word.p[1] != '0' || word.n == 2);
        for (size_t i = 1; ok && i < word.n; i++) {
            ok = rd_is_digit(word.p[i]);
            v = v * 10 + (word.p[i] - '0');
        }
        if (!ok) return rd_fail(r, at, "expected a priority such as p1, found '%.*s'", WEFT_STR_ARG(word));
        out->priority = (int32_t)v;
    }
    return true;
}

static bool named_axes(weft_reader *r, weft_axis_refs *out, const char *at, const char *what) {
    if (out->v) return rd_fail(r, at, "'%s' is given twice", what);
    return rd_expect(r, '=') && axis_list(r, out);
}

const weft_attr *rd_sdy_sharding(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_SHARDING };
    weft_sharding_attr *s = &a.sharding;
    RD_STACK(weft_dim_sharding) dims = { 0 };
    if (rd_at(r, '#')) return whole(r, WEFT_ATTR_SHARDING, "a sharding");
    if (!rd_expect(r, '<')) return NULL;
    if (!(s->mesh = rd_word(r, "mesh") ? rd_sdy_mesh(r) : rd_symbol(r))) return NULL;
    if (!rd_expect(r, ',') || !rd_expect(r, '[')) return NULL;
    while (!rd_at(r, ']')) {
        if (!rd_push(r, (void **)&dims.v, &dims.n, &dims.cap, sizeof *dims.v)) return NULL;
        if (!dim_sharding(r, &dims.v[dims.n - 1])) return NULL;
        if (!rd_accept(r, ',')) break;
    }
    if (!rd_expect(r, ']')) return NULL;
    while (rd_accept(r, ',')) {
        const char *at = r->p;
        if (rd_word(r, "replicated")) {
            if (!named_axes(r, &s->replicated, at, "replicated")) return NULL;
        } else if (rd_word(r, "unreduced")) {
            if (r->p[0] == '=' && (r->p[1] == 'm' || r->p[1] == 's')) /* unreduced=max{...} */
                return rd_fail_as(r, WEFT_D_unsupported, r->p + 1, "values left unreduced by max or min are not supported; only sums are, unreduced={...}"), NULL;
            if (!named_axes(r, &s->unreduced, at, "unreduced")) return NULL;
        } else {
            return rd_unexpected(r, "'replicated' or 'unreduced'"), NULL;
        }
    }
    s->dims = dims.v;
    s->rank = (uint32_t)dims.n;
    return rd_expect(r, '>') ? copied(r, &a) : NULL;
}

const weft_attr *rd_sdy_shardings(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_SHARDINGS };
    size_t height = r->items.n;
    if (rd_at(r, '#')) return whole(r, WEFT_ATTR_SHARDINGS, "shardings");
    if (!rd_expect(r, '[')) return NULL;
    while (!rd_at(r, ']')) {
        const weft_attr *s = rd_sdy_sharding(r);
        if (!s || !RD_PUSH(r, items, s)) return NULL;
        if (!rd_accept(r, ',')) break;
    }
    if (!rd_expect(r, ']')) return NULL;
    a.items.v = r->items.v + height;
    a.items.n = (uint32_t)(r->items.n - height);
    r->items.n = height;
    return copied(r, &a);
}

/* i .. z, then z_1, z_2, ...: one factor off the front of [*p, end) */
static bool factor(weft_reader *r, const char **p, const char *end, int64_t *out) {
    const char *q = *p;
    if (q >= end || *q < 'i' || *q > 'z') return rd_fail(r, q, "expected a factor from 'i' to 'z'");
    *out = *q - 'i';
    if (*q == 'z' && q + 1 < end && q[1] == '_') {
        int64_t v = 0;
        q += 2;
        if (q >= end || !rd_is_digit(*q) || *q == '0') return rd_fail(r, *p, "expected a positive number behind 'z_'");
        for (; q < end && rd_is_digit(*q); q++) {
            v = v * 10 + (*q - '0');
            if (v > 1000000) return rd_fail(r, *p, "more than a million factors");
        }
        *out = 'z' - 'i' + v;
        *p = q;
        return true;
    }
    *p = q + 1;
    return true;
}

/* {i, k}: pushed on ints */
static bool factor_list(weft_reader *r, weft_ints *out) {
    size_t height = r->ints.n;
    if (!rd_expect(r, '=') || !rd_expect(r, '{')) return false;
    while (!rd_at(r, '}')) {
        weft_str word;
        int64_t f;
        if (!rd_ident(r, &word)) return false;
        const char *q = word.p;
        if (!factor(r, &q, word.p + word.n, &f)) return false;
        if (q != word.p + word.n) return rd_fail(r, q, "expected one factor");
        if (!RD_PUSH(r, ints, f)) return false;
        if (!rd_accept(r, ',')) break;
    }
    uint32_t n = (uint32_t)(r->ints.n - height);
    int64_t *v = weft_arena_array(&r->arena, int64_t, n);
    if (!v) return rd_oom(r);
    if (n) memcpy(v, r->ints.v + height, n * sizeof *v);
    r->ints.n = height;
    *out = (weft_ints){ v, n };
    return rd_expect(r, '}');
}

/* [i, jk]: one tensor's dimensions */
static bool tensor_mapping(weft_reader *r, uint32_t *rank, const weft_ints **out) {
    RD_STACK(weft_ints) dims = { 0 };
    if (!rd_expect(r, '[')) return false;
    while (!rd_at(r, ']')) {
        weft_str word;
        size_t height = r->ints.n;
        if (!rd_ident(r, &word)) return false;
        for (const char *q = word.p, *end = word.p + word.n; q < end;) {
            int64_t f;
            if (!factor(r, &q, end, &f) || !RD_PUSH(r, ints, f)) return false;
        }
        uint32_t n = (uint32_t)(r->ints.n - height);
        int64_t *v = weft_arena_dup(&r->arena, r->ints.v + height, n * sizeof *v, _Alignof(int64_t));
        if (!v || !rd_push(r, (void **)&dims.v, &dims.n, &dims.cap, sizeof *dims.v)) return rd_oom(r);
        r->ints.n = height;
        dims.v[dims.n - 1] = (weft_ints){ v, n };
        if (!rd_accept(r, ',')) break;
    }
    *rank = (uint32_t)dims.n;
    *out = dims.v;
    return rd_expect(r, ']');
}

typedef struct mappings {
    RD_STACK(uint32_t) ranks;
    RD_STACK(const weft_ints *) dims;
} mappings;

/* ([i, k], [k, j]) */
static bool mapping_list(weft_reader *r, mappings *m, uint32_t *count) {
    size_t before = m->dims.n;
    if (!rd_expect(r, '(')) return false;
    while (!rd_at(r, ')')) {
        if (!rd_push(r, (void **)&m->ranks.v, &m->ranks.n, &m->ranks.cap, sizeof *m->ranks.v) ||
            !rd_push(r, (void **)&m->dims.v, &m->dims.n, &m->dims.cap, sizeof *m->dims.v) ||
            !tensor_mapping(r, &m->ranks.v[m->ranks.n - 1], &m->dims.v[m->dims.n - 1]))
            return false;
        if (!rd_accept(r, ',')) break;
    }
    *count = (uint32_t)(m->dims.n - before);
    return rd_expect(r, ')');
}

/* {i=8, j=4}: in order from i on */
static bool factor_sizes(weft_reader *r, weft_ints *out) {
    size_t height = r->ints.n;
    if (!rd_accept(r, '{')) return true;
    while (!rd_at(r, '}')) {
        weft_str word;
        int64_t f, size;
        if (!rd_ident(r, &word)) return false;
        const char *q = word.p;
        if (!factor(r, &q, word.p + word.n, &f)) return false;
        if (q != word.p + word.n) return rd_fail(r, q, "expected one factor");
        if (f != (int64_t)(r->ints.n - height)) return rd_fail(r, word.p, "factors must come in order, starting with 'i'");
        if (!rd_expect(r, '=') || !rd_int(r, &size) || !RD_PUSH(r, ints, size)) return false;
        if (!rd_accept(r, ',')) break;
    }
    uint32_t n = (uint32_t)(r->ints.n - height);
    int64_t *v = weft_arena_dup(&r->arena, r->ints.v + height, n * sizeof *v, _Alignof(int64_t));
    if (!v) return rd_oom(r);
    r->ints.n = height;
    *out = (weft_ints){ v, n };
    return rd_expect(r, '}');
}

/* Every factor named in list must have a size. */
static bool factors_known(weft_reader *r, const char *at, weft_ints list, const weft_rule_attr *rule) {
    for (uint32_t i = 0; i < list.n; i++)
        if (list.v[i] >= rule->factor_sizes.n) return rd_fail(r, at, "a factor without a size");
    return true;
}

/* <([i, k], [k, j])->([i, j]) {i=8, j=4, k=2} reduction={k}, custom> */
static const weft_attr *sharding_rule(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_RULE };
    weft_rule_attr *rule = &a.rule;
    mappings m = { 0 };
    const char *at = r->p;
    if (!rd_expect(r, '<') || !mapping_list(r, &m, &rule->operand_count) || !rd_expect_arrow(r) ||
        !mapping_list(r, &m, &rule->result_count) || !factor_sizes(r, &rule->factor_sizes))
        return NULL;
    if (rd_word(r, "reduction") && !factor_list(r, &rule->reduction)) return NULL;
    if (rd_word(r, "need_replication") && !factor_list(r, &rule->need_replication)) return NULL;
    if (rd_word(r, "permutation") && !factor_list(r, &rule->permutation)) return NULL;
    if (rd_word(r, "blocked_propagation") && !factor_list(r, &rule->blocked)) return NULL;
    if (rd_accept(r, ',')) {
        if (!rd_expect_word(r, "custom")) return NULL;
        rule->custom = true;
    }
    if (!rd_expect(r, '>')) return NULL;
    rule->ranks = m.ranks.v;
    rule->dims = m.dims.v;
    for (size_t t = 0; t < m.dims.n; t++)
        for (uint32_t d = 0; d < m.ranks.v[t]; d++)
            if (!factors_known(r, at, m.dims.v[t][d], rule)) return NULL;
    if (!factors_known(r, at, rule->reduction, rule) || !factors_known(r, at, rule->need_replication, rule) ||
        !factors_known(r, at, rule->permutation, rule) || !factors_known(r, at, rule->blocked, rule))
        return NULL;
    return copied(r, &a);
}

static const weft_attr *sharding_per_value(weft_reader *r) {
    if (!rd_expect(r, '<')) return NULL;
    const weft_attr *a = rd_sdy_shardings(r);
    return a && rd_expect(r, '>') ? a : NULL;
}

const weft_attr *rd_sdy_attr(weft_reader *r, weft_str mnemonic) {
    static const struct { const char *name; const weft_attr *(*read)(weft_reader *r); } known[] = {
        { "sharding", rd_sdy_sharding },
        { "sharding_per_value", sharding_per_value },
        { "op_sharding_rule", sharding_rule },
        { "mesh", rd_sdy_mesh },
        { "axis_ref_list", rd_sdy_axes },
        { "manual_axes", rd_sdy_axes },
        { "list_of_axis_ref_lists", rd_sdy_axes_per_dim },
        { "all_to_all_param_list", rd_sdy_a2a },
    };
    for (size_t i = 0; i < WEFT_COUNT(known); i++)
        if (weft_str_is(mnemonic, known[i].name)) return known[i].read(r);
    return NULL;
}
