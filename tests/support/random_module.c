/* random_module.c: the frame of a random program: values to choose from, arguments, results. */
#include "tests/support/random_internal.h"

#include <stdlib.h>

#define LARGE 32.0 /* beyond this a value goes through tanh */

void keep(gen *g, item x) {
    if (!x.v) return;
    if (g->item_count < MOST_ITEMS) g->items[g->item_count++] = x;
    else g->items[weft_rng_below(&g->rng, MOST_ITEMS)] = x;
}

const weft_type *tensor(gen *g, weft_dtype dtype, uint32_t rank, const int64_t *dims) {
    return weft_type_tensor(g->cx, dtype, rank, dims);
}
const weft_attr *ints(gen *g, const int64_t *v, uint32_t n) { return weft_attr_ints(g->cx, WEFT_I64, v, n); }

void shuffle(gen *g, int64_t *v, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = weft_rng_below(&g->rng, i + 1);
        v[i] = v[j];
        v[j] = i;
    }
}

/* A line of its own for every op. */
const weft_loc *place(gen *g, uint32_t column) {
    weft_name file = weft_name_from(g->cx, "random.mlir");
    const weft_loc *loc = file ? weft_loc_file(g->cx, file, 2 + g->m->op_count, column) : &weft_loc_unknown;
    if (!file) g->b.status = WEFT_ERR_MEMORY;
    return loc;
}

item build(gen *g, weft_op_kind k, const weft_type *t, const item *in, uint32_t n, const weft_attr_pair *attrs,
           uint32_t attr_count) {
    weft_value *operands[16];
    item r = { NULL, 0, true };
    for (uint32_t i = 0; i < n; i++) {
        operands[i] = in[i].v;
        r.exact = r.exact && in[i].exact;
        if (in[i].bound > r.bound) r.bound = in[i].bound;
    }
    g->b.loc = place(g, 5);
    r.v = weft_build_1(&g->b, k, t, operands, n, attrs, attr_count);
    return r;
}

item splat(gen *g, const weft_type *t, double v) {
    return (item){ weft_build_splat(&g->b, t, v), v < 0 ? -v : v, true };
}

item unary(gen *g, weft_op_kind k, item x, double bound) {
    item r = build(g, k, x.v ? x.v->type : NULL, &x, 1, NULL, 0);
    r.bound = bound;
    r.exact = false;
    return r;
}

item binary(gen *g, weft_op_kind k, item x, item y, double bound) {
    item in[] = { x, y }, r = build(g, k, x.v ? x.v->type : NULL, in, 2, NULL, 0);
    r.bound = bound;
    r.exact = r.exact && x.v && !weft_dtype_is_float(x.v->type->dtype);
    return r;
}

item tame(gen *g, item x) {
    return x.v && x.bound > LARGE && weft_dtype_is_float(x.v->type->dtype) ? unary(g, WEFT_OP_tanh, x, 1) : x;
}

static int64_t random_dim(gen *g) {
    static const int64_t usual[] = { 1, 2, 2, 3, 4, 4, 5, 6, 7, 8, 8, 12, 16, 16, 24 };
    return usual[weft_rng_below(&g->rng, WEFT_COUNT(usual))];
}

int64_t step_of(const gen *g, int64_t d) { return g->opt.unit > 1 && d >= g->opt.unit ? g->opt.unit : 1; }
int64_t steps(const gen *g, int64_t d) { return d / step_of(g, d); }

int64_t room_of(const gen *g, uint32_t rank, const int64_t *dims) {
    int64_t n = 1;
    for (uint32_t i = 0; i < rank; i++) n *= steps(g, dims[i]);
    return n;
}

bool fits(const gen *g, uint32_t rank, const int64_t *dims) {
    uint32_t wide = 0;
    for (uint32_t i = 0; i < rank; i++) wide += step_of(g, dims[i]) > 1;
    return wide <= 1 && room_of(g, rank, dims) <= g->opt.max_elems;
}

uint32_t random_shape(gen *g, int64_t *dims, uint32_t max_rank) {
    uint32_t rank = weft_rng_below(&g->rng, max_rank + 1);
    int64_t n = 1;
    for (uint32_t i = 0; i < rank; i++) {
        do dims[i] = random_dim(g); while (dims[i] * n > g->opt.max_elems);
        n *= dims[i];
    }
    if (g->opt.unit > 1 && rank && weft_rng_chance(&g->rng, 0.5))
        dims[weft_rng_below(&g->rng, rank)] = g->opt.unit * weft_rng_range(&g->rng, 1, 4);
    return rank;
}

static item new_arg(gen *g, const weft_type *t) {
    g->args[g->arg_count++] = t;
    return (item){ weft_build_block_arg(&g->b, g->body, t, place(g, 9 + g->arg_count)), 1, true };
}

static item random_iota(gen *g, const weft_type *t) {
    int64_t dim = weft_rng_below(&g->rng, t->rank);
    const weft_type *of = tensor(g, t->dtype == WEFT_I1 ? WEFT_I32 : t->dtype, t->rank, t->dims);
    item r =
        build(g, WEFT_OP_iota, of, NULL, 0, &(weft_attr_pair){ WEFT_A_iota_dimension, weft_attr_i64(g->cx, dim) }, 1);
    r.bound = (double)t->dims[dim];
    if (t->dtype == WEFT_F32) return binary(g, WEFT_OP_divide, r, splat(g, of, r.bound), 1);
    return t->dtype == WEFT_I1 ? build(g, WEFT_OP_convert, t, &r, 1, NULL, 0) : r;
}

/* A scalar or lower-rank value repeated along new dimensions. */
static item random_broadcast(gen *g, const weft_type *t) {
    int64_t dims[WEFT_MAX_RANK], map[WEFT_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->rank; i++)
        if (weft_rng_chance(&g->rng, 0.5)) {
            map[n] = i;
            dims[n++] = weft_rng_chance(&g->rng, 0.2) ? 1 : t->dims[i];
        }
    if (n == t->rank) n--;
    item x = make(g, t->dtype, n, dims);
    return build(g, WEFT_OP_broadcast_in_dim, t, &x, 1,
                 &(weft_attr_pair){ WEFT_A_broadcast_dimensions, ints(g, map, n) }, 1);
}

static item random_constant(gen *g, const weft_type *t) {
    if (t->dtype == WEFT_F32) return splat(g, t, (double)weft_rng_range(&g->rng, -8, 8) / 8);
    return splat(g, t, (double)weft_rng_range(&g->rng, 0, t->dtype == WEFT_I1 ? 1 : 5));
}

item make(gen *g, weft_dtype dtype, uint32_t rank, const int64_t *dims) {
    const weft_type *t = tensor(g, dtype, rank, dims);
    if (!t) {
        g->b.status = WEFT_ERR_MEMORY;
        return (item){ 0 };
    }
    uint32_t from = g->item_count ? weft_rng_below(&g->rng, g->item_count) : 0;
    if (weft_rng_chance(&g->rng, 0.8))
        for (uint32_t i = 0; i < g->item_count; i++)
            if (g->items[(from + i) % g->item_count].v->type == t) return g->items[(from + i) % g->item_count];
    item x;
    if (dtype != WEFT_I1 && g->arg_count < g->opt.max_args && weft_rng_chance(&g->rng, 0.6)) x = new_arg(g, t);
    else if (rank && weft_rng_chance(&g->rng, 0.3)) x = random_iota(g, t);
    else if (rank && weft_rng_chance(&g->rng, 0.6)) x = random_broadcast(g, t);
    else x = random_constant(g, t);
    keep(g, x);
    return x;
}

item pick(gen *g, weft_dtype dtype) {
    uint32_t from = g->item_count ? weft_rng_below(&g->rng, g->item_count) : 0;
    /* rather a late one */
    if (weft_rng_chance(&g->rng, 0.5) && g->item_count > 4) from = g->item_count - 1 - weft_rng_below(&g->rng, 4);
    for (uint32_t i = 0; i < g->item_count; i++) {
        item x = g->items[(from + i) % g->item_count];
        if (x.v->type->dtype == dtype) return x;
    }
    int64_t dims[WEFT_MAX_RANK];
    uint32_t rank = random_shape(g, dims, 3);
    return make(g, dtype, rank, dims);
}

/* ---- the frame ---- */

static weft_status open_main(gen *g) {
    weft_name name = weft_name_from(g->cx, "sym_name"), access = weft_name_from(g->cx, "sym_visibility");
    if (!name || !access) return WEFT_ERR_MEMORY;
    const weft_named_attr attrs[] = { { name, weft_attr_string(g->cx, WEFT_STR("main")) },
                                      { access, weft_attr_string(g->cx, WEFT_STR("public")) } };
    g->func =
        weft_build_op(&g->b,
                      &(weft_op_spec){ .kind = WEFT_OP_func, .attrs = attrs, .attr_count = 2, .region_count = 1 });
    g->body = g->func ? weft_build_block(&g->b, &g->func->regions[0]) : NULL;
    g->b.block = g->body;
    return g->b.status;
}

/* A dictionary with a sharding, or an empty one, per value. */
static const weft_attr *value_attrs(gen *g, const weft_type *const *types, uint32_t n, double chance) {
    const weft_attr *dicts[64];
    weft_name name = weft_name_from(g->cx, "sdy.sharding");
    for (uint32_t i = 0; name && i < n; i++) {
        const weft_attr *s =
            g->axes && weft_rng_chance(&g->rng, chance) ? random_sharding(g, types[i], EVEN_ONLY) : NULL;
        dicts[i] = weft_attr_dict(g->cx, &(weft_named_attr){ name, s }, s ? 1 : 0);
        if (!dicts[i]) return NULL;
    }
    return name ? weft_attr_array(g->cx, dicts, n) : NULL;
}

/* Unused values are returned, the latest first. */
static weft_status close_main(gen *g) {
    weft_value *out[8];
    const weft_type *types[8];
    weft_uses uses;
    uint32_t n = 0;
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    weft_status st = weft_uses_build(g->m, &g->cx->scratch, &uses);
    for (uint32_t i = g->item_count; st == WEFT_OK && i-- > 0 && n < WEFT_COUNT(out);)
        if (g->items[i].v->def && weft_use_count(&uses, g->items[i].v) == 0) out[n++] = g->items[i].v;
    weft_arena_reset(&g->cx->scratch, mark);
    if (st != WEFT_OK) return st;
    if (!n && g->item_count) out[n++] = g->items[g->item_count - 1].v;
    for (uint32_t i = 0; i < n; i++) types[i] = out[i]->type;
    weft_build_op(&g->b, &(weft_op_spec){ .kind = WEFT_OP_func_return, .operands = out, .operand_count = n });
    const weft_type *f = weft_type_function(g->cx, g->args, g->arg_count, types, n);
    const weft_attr *type = f ? weft_attr_type(g->cx, f) : NULL;
    if (!type) return WEFT_ERR_MEMORY;
    st = weft_op_set(g->m, g->func, WEFT_A_function_type, type);
    const weft_attr *args = value_attrs(g, g->args, g->arg_count, 0.7), *results = value_attrs(g, types, n, 0.3);
    if (!args || !results) return WEFT_ERR_MEMORY;
    if (st == WEFT_OK && g->axes) st = weft_op_set(g->m, g->func, WEFT_A_arg_attrs, args);
    if (st == WEFT_OK && g->axes) st = weft_op_set(g->m, g->func, WEFT_A_res_attrs, results);
    return st == WEFT_OK ? g->b.status : st;
}

weft_status weft_random_module(weft_context *cx, const weft_random_options *opt, weft_module **out) {
    gen *g = calloc(1, sizeof *g);
    if (!g) return WEFT_ERR_MEMORY;
    *g = (gen){ .cx = cx, .opt = *opt, .rng = { opt->seed } };
    if (!g->opt.ops) g->opt.ops = 20;
    if (!g->opt.max_args) g->opt.max_args = 5;
    if (g->opt.max_args > MOST_ARGS) g->opt.max_args = MOST_ARGS;
    if (!g->opt.max_elems) g->opt.max_elems = 4096;
    if (!g->opt.devices) g->opt.devices = 8;
    g->m = weft_module_new(cx);
    weft_status st = g->m ? WEFT_OK : WEFT_ERR_MEMORY;
    if (st == WEFT_OK) {
        weft_builder_init(&g->b, g->m, weft_module_body(g->m));
        if (opt->flags & WEFT_RANDOM_MESH) st = random_mesh(g);
    }
    if (st == WEFT_OK) st = open_main(g);
    for (uint32_t i = 0; i < g->opt.ops && st == WEFT_OK; i++) {
        take_step(g);
        st = g->b.status;
    }
    if (st == WEFT_OK) st = close_main(g);
    if (st == WEFT_OK) *out = g->m;
    else weft_module_free(g->m);
    free(g);
    return st;
}
