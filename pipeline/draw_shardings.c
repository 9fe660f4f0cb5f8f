/* draw_shardings: the program with random shardings.
 *
 * Pass weft-draw-shardings. The program's own shardings are removed; then @main's arguments and results get random
 * shardings, and intermediate values, also those of loops and branches, get random sharding constraints: several
 * axes per dimension, in any order, parts of axes, dimensions that do not divide and dimensions smaller than their
 * number of shards. The same seed and program give the same result.
 *
 * The mesh: `mesh`, else a random one of `devices` devices, else the program's own first, else one of the small ones
 * below. Needs: any module; weft-prepare's has the most values in reach. Leaves: the same program,
 * sharded.
 */
#include <stdlib.h>
#include "ir/rewrite.h"
#include "pipeline/registry.h"
#include "pipeline/variants.h"
#include "sharding/values.h"

weft_status weft_pass_draw_shardings(weft_pass *p, const weft_module *in, weft_module **out);

#define MOST_AXES 8
#define MOST_PARTS 32 /* of all axes: a mesh has less than 2^31 devices */

typedef struct drawer {
    weft_context *cx;
    uint64_t state;
    bool uneven, failed;     /* failed: memory ran out while drawing */
    double density;          /* of constraints */
    weft_shardings *table;
    const weft_mesh *mesh;
} drawer;

/* ---- chance ---- */

/* splitmix64: Steele, Lea and Flood, OOPSLA 2014. */
static uint64_t next(drawer *d) {
    uint64_t x = d->state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}
static uint32_t below(drawer *d, uint32_t n) { return (uint32_t)(next(d) % n); }
static bool chance(drawer *d, double p) { return (double)(next(d) >> 11) * 0x1p-53 < p; }

/* ---- the mesh ---- */

typedef struct sizes { char name[MOST_AXES][32]; int64_t size[MOST_AXES]; uint32_t n; } sizes;

static void add_axis(sizes *s, int64_t size) {
    static const char *const names[MOST_AXES] = { "x", "y", "z", "w", "v", "u", "t", "s" };
    strcpy(s->name[s->n], names[s->n]);
    s->size[s->n++] = size;
}

/* "x=2,y=4" */
static weft_status read_mesh(weft_context *cx, weft_str text, sizes *s) {
    size_t at = 0;
    while (at < text.n) {
        size_t eq = at, end;
        long long size = 0;
        while (eq < text.n && text.p[eq] != '=' && text.p[eq] != ',') eq++;
        for (end = eq + 1; end < text.n && text.p[end] >= '0' && text.p[end] <= '9' && size < 1 << 20; end++)
            size = 10 * size + (text.p[end] - '0');
        const bool good = eq > at && eq < text.n && text.p[eq] == '=' && eq - at < sizeof s->name[0] && size > 0 &&
                          (end == text.n || text.p[end] == ',');
        if (!good || s->n == MOST_AXES)
            return weft_report(cx, WEFT_D_usage, NULL, "'%.*s' is not a mesh of at most %d axes, such as 'x=2,y=4'",
                               WEFT_STR_ARG(text), MOST_AXES);
        memcpy(s->name[s->n], text.p + at, eq - at);
        s->size[s->n++] = size;
        at = end + 1;
    }
    return WEFT_OK;
}

/* n as a product of up to three factors. */
static void split_devices(drawer *d, int64_t n, sizes *s) {
    while (n > 1) {
        int64_t divisors[64];
        uint32_t count = 0;
        for (int64_t k = 2; k <= n && count < WEFT_COUNT(divisors); k++)
            if (n % k == 0) divisors[count++] = k;
        const int64_t size = s->n == 2 || !count ? n : divisors[below(d, count)];
        add_axis(s, size);
        n /= size;
    }
    if (!s->n) add_axis(s, 1);
}

static const weft_attr *own_mesh(const weft_module *m) {
    WEFT_EACH_OP(op, weft_module_body(m)) {
        const weft_attr *mesh = op->kind == WEFT_OP_sdy_mesh ? weft_op_attr(op, WEFT_A_mesh) : NULL;
        if (mesh && mesh->mesh.axis_count) return mesh;
    }
    return NULL;
}

static const weft_attr *mesh_of(weft_context *cx, const sizes *s) {
    weft_mesh_axis axes[MOST_AXES];
    for (uint32_t i = 0; i < s->n; i++) {
        axes[i] = (weft_mesh_axis){ weft_name_from(cx, s->name[i]), s->size[i] };
        if (!axes[i].name) return NULL;
    }
    return weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_MESH, .mesh = { .axes = axes, .axis_count = s->n } });
}

static weft_status choose_mesh(drawer *d, const weft_draw *how, const weft_module *in, const weft_attr **out) {
    static const struct {
        uint32_t n;
        int64_t size[3];
    } small[] = { { 1, { 2 } }, { 1, { 3 } }, { 1, { 4 } }, { 2, { 2, 2 } }, { 2, { 2, 4 } }, { 3, { 2, 2, 2 } } };
    sizes s = { .n = 0 };
    weft_status st = WEFT_OK;
    if (how->mesh.n) st = read_mesh(d->cx, how->mesh, &s);
    else if (how->devices > 0) split_devices(d, how->devices, &s);
    else if ((*out = own_mesh(in))) return WEFT_OK;
    else {
        const uint32_t k = below(d, WEFT_COUNT(small));
        for (uint32_t i = 0; i < small[k].n; i++) add_axis(&s, small[k].size[i]);
    }
    if (st != WEFT_OK) return st;
    return (*out = mesh_of(d->cx, &s)) ? WEFT_OK : weft_oom();
}

/* The mesh as the module's first op, @mesh; the count of partitions where the module has one. */
static weft_status put_mesh(weft_module *m, const weft_attr *mesh) {
    weft_context *cx = m->cx;
    weft_builder b;
    const weft_named_attr attrs[] = { { weft_name_at(cx, WEFT_A_sym_name), weft_attr_string(cx, WEFT_STR("mesh")) },
                                      { weft_name_at(cx, WEFT_A_mesh), mesh } };
    const weft_attr *partitions = weft_op_attr(m->root, WEFT_A_mhlo_num_partitions);
    if (!attrs[0].value) return weft_oom();
    weft_builder_init(&b, m, weft_module_body(m));
    b.before = b.block->first;
    b.loc = m->root->loc;
    weft_build_op(&b, &(weft_op_spec){ .kind = WEFT_OP_sdy_mesh, .attrs = attrs, .attr_count = WEFT_COUNT(attrs) });
    if (b.status != WEFT_OK || !partitions) return b.status;
    int64_t n = 1;
    for (uint32_t i = 0; i < mesh->mesh.axis_count; i++) n *= mesh->mesh.axes[i].size;
    const weft_attr *now = weft_attr_int(cx, n, partitions->type);
    return now ? weft_op_set(m, m->root, WEFT_A_mhlo_num_partitions, now) : weft_oom();
}

/* ---- one sharding ---- */

/* The axes in random order, some of them in parts. Borders are products of an axis's smallest primes, so that the parts
 * of any two shardings fit one splitting. */
static uint32_t draw_parts(drawer *d, weft_axis *parts) {
    uint32_t n = 0;
    for (uint32_t a = 0; a < d->mesh->axis_count; a++) {
        const bool cuts = chance(d, 0.35);
        uint32_t left = (uint32_t)d->mesh->axes[a].size, pre = 1, size = 1;
        for (uint32_t prime = 2; left > 1 && n < MOST_PARTS - 1;) {
            while (left % prime) prime++;
            left /= prime;
            size *= prime;
            if (left > 1 && !(cuts && chance(d, 0.6))) continue;
            parts[n++] = (weft_axis){ a, pre, size };
            pre *= size;
            size = 1;
        }
    }
    for (uint32_t i = n; i > 1; i--) {
        const uint32_t k = below(d, i);
        const weft_axis x = parts[i - 1];
        parts[i - 1] = parts[k];
        parts[k] = x;
    }
    return n;
}

/* Whether a dimension of n elements in `shards` may be split into `size` times as many. */
static bool may_cut(drawer *d, int64_t n, int64_t shards, int64_t size) {
    if (n % (shards * size) == 0) return n > 0;
    if (!d->uneven || n < 2) return false;
    return chance(d, n >= shards * size ? 0.5 : 0.1);
}

/* NULL: none was drawn. */
static const weft_attr *draw(drawer *d, const weft_type *t, double p) {
    weft_axis parts[MOST_PARTS];
    weft_axis_list lists[WEFT_MAX_RANK], replicated = { 0 };
    weft_dim dims[WEFT_MAX_RANK];
    if (!weft_type_is_tensor(t) || !weft_type_is_static(t) || t->quant || !t->rank || !chance(d, p)) return NULL;
    const uint32_t n = draw_parts(d, parts);
    for (uint32_t i = 0; i < t->rank; i++) lists[i].n = 0, lists[i].full = false;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t k = below(d, t->rank);
        if (chance(d, 0.75) && may_cut(d, t->dims[k], weft_axes_size(weft_axes_of(&lists[k])), parts[i].size))
            weft_axis_list_push_merged(&lists[k], parts[i]);
        else if (chance(d, 0.1)) weft_axis_list_push(&replicated, parts[i]);
    }
    weft_axis_list_sort_merge(&replicated);
    for (uint32_t i = 0; i < t->rank; i++)
        dims[i] = (weft_dim){ weft_axes_of(&lists[i]), chance(d, 0.3), WEFT_NO_PRIORITY };
    const weft_sharding *s =
        weft_sharding_make(d->table, d->mesh, t->rank, dims, weft_axes_of(&replicated), (weft_axes){ 0 });
    const weft_attr *a = s ? weft_sharding_to_attr(d->table, s) : NULL;
    d->failed |= !a;
    return a;
}

/* ---- the rewriting ---- */

/* Values of functions and of control flow; not those inside reducers. */
static bool is_open(const weft_block *blk) {
    const weft_op *owner = blk->parent->parent;
    if (owner->kind == WEFT_OP_func) return true;
    return weft_op_kind_has((weft_op_kind)owner->kind, WEFT_TRAIT_CONTROL) &&
           owner->kind != WEFT_OP_sdy_manual_computation && is_open(owner->parent);
}

static weft_status constrain(drawer *d, weft_rewrite *r, weft_builder *b, const weft_value *old) {
    weft_value *v = r->map.to[old->id];
    const weft_attr *s = draw(d, v->type, d->density);
    if (!s) return WEFT_OK;
    v = weft_build_1(b, WEFT_OP_sdy_sharding_constraint, v->type, &v, 1, &(weft_attr_pair){ WEFT_A_sharding, s }, 1);
    r->map.to[old->id] = v;
    return b->status;
}

static weft_status enter(weft_rewrite *r, const weft_block *old, weft_block *made) {
    weft_builder b;
    weft_status st = WEFT_OK;
    /* arguments of functions have shardings of their own */
    if (old->parent->parent->kind == WEFT_OP_func || !is_open(old)) return WEFT_OK;
    weft_builder_init(&b, r->out, made);
    for (uint32_t i = 0; i < old->arg_count && st == WEFT_OK; i++) {
        b.loc = weft_value_loc(old->args[i]);
        st = constrain(r->user, r, &b, old->args[i]);
    }
    return st;
}

/* Dictionaries of arguments or results with drawn shardings. */
static weft_status draw_values(drawer *d, weft_module *m, weft_op *f, weft_attr_name name,
                               const weft_type *const *types, uint32_t n, double p) {
    weft_context *cx = d->cx;
    const weft_attr *old = weft_op_attr(f, name), *all = NULL;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    const weft_attr **dicts = weft_scratch_array(cx, const weft_attr *, n);
    for (uint32_t i = 0; dicts && i < n; i++) {
        const weft_attr *had = old && i < old->items.n ? old->items.v[i] : NULL, *s = draw(d, types[i], p);
        const uint32_t count = had ? had->entries.n : 0;
        weft_named_attr *v = weft_scratch_array(cx, weft_named_attr, count + 1);
        if (v && count) memcpy(v, had->entries.v, count * sizeof *v);
        if (v && s) v[count] = (weft_named_attr){ weft_name_at(cx, WEFT_A_sdy_sharding), s };
        dicts[i] = v ? weft_attr_dict(cx, v, count + (s != NULL)) : NULL;
        if (!dicts[i]) dicts = NULL;
    }
    if (dicts) all = weft_attr_array(cx, dicts, n);
    weft_arena_reset(&cx->scratch, mark);
    return all ? weft_op_set(m, f, name, all) : weft_oom();
}

static weft_status visit(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    drawer *d = r->user;
    if (!op->result_count || !is_open(op->parent)) return WEFT_OK;
    weft_op *made = weft_clone_shell(b, op, &r->map, NULL);
    weft_status st = made ? weft_rewrite_regions(r, op, made) : b->status;
    for (uint32_t i = 0; i < op->result_count && st == WEFT_OK; i++) st = constrain(d, r, b, &op->results[i]);
    *did = WEFT_DONE;
    return st;
}

static weft_status annotate(drawer *d, const weft_module *m, weft_arena *arena, weft_module **out) {
    static const double densities[] = { 0.15, 0.4, 0.8 };
    d->density = densities[below(d, WEFT_COUNT(densities))];
    weft_status st = weft_rewrite_module(&(weft_rewrite){ .user = d, .op = visit, .enter = enter }, m, arena, out);
    if (st != WEFT_OK) return st;
    weft_op *main = weft_module_main(*out);
    const weft_type *t = main ? weft_func_type(main) : weft_type_function(d->cx, NULL, 0, NULL, 0);
    if (t && t->input_count) st = draw_values(d, *out, main, WEFT_A_arg_attrs, t->parts, t->input_count, 0.8);
    if (st == WEFT_OK && t && t->part_count > t->input_count)
        st = draw_values(d, *out, main, WEFT_A_res_attrs, t->parts + t->input_count, t->part_count - t->input_count,
                         0.6);
    if (st == WEFT_OK && (d->failed || !t)) st = weft_oom();
    if (st != WEFT_OK) {
        weft_module_free(*out);
        *out = NULL;
    }
    return st;
}

weft_status weft_module_draw_shardings(const weft_module *in, const weft_draw *how, weft_module **out) {
    weft_context *cx = in->cx;
    drawer d = { .cx = cx, .state = how->seed, .uneven = how->evenness == WEFT_DRAW_ANY };
    const weft_attr *mesh = NULL;
    weft_module *bare = NULL;
    weft_arena arena;
    weft_arena_init(&arena, &cx->chunks);
    weft_status st = choose_mesh(&d, how, in, &mesh);
    if (st == WEFT_OK) st = weft_module_bare(in, &bare);
    if (st == WEFT_OK) st = put_mesh(bare, mesh);
    if (st == WEFT_OK) st = weft_shardings_open(cx, bare, &arena, &d.table);
    if (st == WEFT_OK) d.mesh = weft_shardings_mesh_at(d.table, 0);
    if (st == WEFT_OK) st = annotate(&d, bare, &arena, out);
    weft_arena_free(&arena);
    weft_module_free(bare);
    return st;
}

weft_status weft_pass_draw_shardings(weft_pass *p, const weft_module *in, weft_module **out) {
    const weft_draw how = { (uint64_t)weft_pass_int(p, "seed", 0), weft_pass_text(p, "mesh", WEFT_STR("")),
                            weft_pass_int(p, "devices", 0),
                            weft_pass_flag(p, "uneven", true) ? WEFT_DRAW_ANY : WEFT_DRAW_EVEN };
    return weft_module_draw_shardings(in, &how, out);
}
