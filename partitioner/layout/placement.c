/* placement.c: atoms and placements; see placement.h. */
#include "partitioner/layout/placement.h"
#include "base/table.h"
#include "sharding/data_flow.h"
#include "sharding/rule.h"

typedef struct interned_placement { weft_placement placement; weft_placement_id id; } interned_placement;

struct weft_placements {
    weft_context *cx;
    weft_arena *arena;
    weft_shardings *shardings;
    const weft_mesh *mesh;        /* NULL when the module has none with axes */
    /* mesh, and those with its axes and another order of devices */
    const weft_mesh **orders;     size_t order_count, order_cap;
    uint32_t atom_count;
    weft_axis atom[WEFT_MAX_ATOMS];
    int64_t stride[WEFT_MAX_ATOMS];
    weft_placement **placements;  size_t count, cap; /* by id; they stay where they are */
    weft_table interned;
};

weft_context *weft_placements_context(const weft_placements *t) { return t->cx; }
weft_shardings *weft_placements_shardings(const weft_placements *t) { return t->shardings; }
const weft_mesh *weft_placements_mesh(const weft_placements *t) { return t->mesh; }
const weft_mesh *weft_placements_order(const weft_placements *t, uint32_t order) { return t->orders[order]; }
uint32_t weft_placements_atom_count(const weft_placements *t) { return t->atom_count; }
int64_t weft_atom_size(const weft_placements *t, uint32_t atom) { return t->atom[atom].size; }
int64_t weft_atom_stride(const weft_placements *t, uint32_t atom) { return t->stride[atom]; }
int64_t weft_placements_devices(const weft_placements *t) { return t->mesh ? t->mesh->device_count : 1; }
const weft_placement *weft_placement_of(const weft_placements *t, weft_placement_id id) { return t->placements[id]; }

int64_t weft_atoms_size(const weft_placements *t, weft_atoms set) {
    int64_t n = 1;
    WEFT_EACH_BIT(a, set) n *= t->atom[a].size;
    return n;
}

/* --- interning ------------------------------------------------------------------------------------------------- */

/* Four places in one word. */
static uint64_t word_at(const weft_placement *l, uint32_t i) {
    uint64_t word;
    memcpy(&word, l->at + 4 * i, sizeof word);
    return word;
}

static uint32_t word_count(const weft_placement *l) { return (l->n + 3) / 4; }

_Static_assert(sizeof(((weft_placement *)0)->at) == WEFT_MAX_ATOMS / 4 * sizeof(uint64_t), "places fill words");

static uint64_t placement_hash(const weft_placement *l) {
    uint64_t h = weft_hash_mix(l->n, l->unreduced | (uint64_t)l->order << 32);
    for (uint32_t i = 0; i < word_count(l); i++) h = weft_hash_mix(h, word_at(l, i));
    return weft_hash_end(h);
}

/* They are a word or two at most: a call to compare them would cost more than that. */
static bool placement_equal(const weft_placement *a, const weft_placement *b) {
    uint32_t i = 0;
    if (a->n != b->n || a->unreduced != b->unreduced || a->order != b->order) return false;
    while (i < word_count(a) && word_at(a, i) == word_at(b, i)) i++;
    return i == word_count(a);
}

weft_status weft_placement_intern(weft_placements *t, const weft_placement *l, weft_placement_id *id) {
    const uint64_t hash = placement_hash(l);
    size_t probe = 0;
    for (const interned_placement *old; (old = weft_table_next(&t->interned, hash, &probe));)
        if (placement_equal(&old->placement, l)) return *id = old->id, WEFT_OK;
    interned_placement *made = weft_arena_new(t->arena, interned_placement);
    if (!made || !weft_arena_grow(t->arena, (void **)&t->placements, &t->cap, t->count + 1, sizeof *t->placements) ||
        !weft_table_add(&t->interned, t->arena, hash, made))
        return weft_oom();
    *made = (interned_placement){ *l, (weft_placement_id)t->count };
    t->placements[t->count++] = &made->placement;
    *id = made->id;
    return WEFT_OK;
}

/* --- atoms ----------------------------------------------------------------------------------------------------- */

#define MAX_BORDERS 32

/* The borders inside one axis: products of major sizes, rising, 1 and the size of the axis among them; and what said so
 * first. */
typedef struct border { int64_t at; const weft_sharding *by; const weft_loc *loc; } border;
typedef struct borders { border v[MAX_BORDERS]; uint32_t n; } borders;

typedef struct scan {
    weft_placements *t;
    borders *of;                  /* [axis_count] of the mesh, once there is one */
    weft_orders orders;
    bool any_order;               /* may what is being looked at have */
    const weft_mesh *inner;       /* what may not is over */
    weft_rules *rules;
    const weft_sharding *now;     /* being looked at, or NULL */
    const weft_sharding *first;   /* that the mesh was taken from, and where */
    const weft_loc *first_loc;
} scan;

/* The sharding that stands in the way of the one being looked at, and what to do. */
static void note_shardings(scan *s, const weft_loc *loc, const weft_sharding *other, const weft_loc *other_loc,
                           const char *change) {
    weft_buf b;
    weft_buf_init(&b, &s->t->cx->alloc);
    weft_sharding_print(&b, s->now);
    weft_note(s->t->cx, loc, "here something is sharded as %s", b.p ? b.p : "?");
    b.n = 0;
    weft_sharding_print(&b, other);
    weft_note(s->t->cx, other_loc, "and here as %s", b.p ? b.p : "?");
    weft_help(s->t->cx, loc, "%s", change);
    weft_buf_free(&b);
}

static weft_status add_border(scan *s, uint32_t axis, int64_t at, const weft_loc *loc) {
    borders *b = &s->of[axis];
    uint32_t i = 0;
    while (i < b->n && b->v[i].at < at) i++;
    if (i < b->n && b->v[i].at == at) return WEFT_OK;
    const border *clash = i > 0 && at % b->v[i - 1].at != 0  ? &b->v[i - 1]
                          : i < b->n && b->v[i].at % at != 0 ? &b->v[i]
                                                             : NULL;
    if (clash) {
        weft_status st = weft_report(
            s->t->cx, WEFT_D_unsupported, loc,
            "axis \"%s\" is split into parts that do not divide each other: after %lld and after %lld of its %lld",
            s->t->mesh->axes[axis].name->text, (long long)at, (long long)clash->at,
            (long long)s->t->mesh->axes[axis].size);
        note_shardings(
            s, loc, clash->by, clash->loc,
            "cut the axis at the same places, or where one divides the other; or make two axes of it in the mesh");
        return st;
    }
    if (b->n == MAX_BORDERS)
        return weft_report(s->t->cx, WEFT_D_unsupported, loc, "an axis is split into too many parts");
    memmove(b->v + i + 1, b->v + i, (b->n - i) * sizeof b->v[0]);
    b->v[i] = (border){ at, s->now, loc };
    b->n++;
    return WEFT_OK;
}

/* Adds a border that nobody asked for, where it clashes with none. */
static void offer_border(scan *s, uint32_t axis, int64_t at) {
    borders *b = &s->of[axis];
    uint32_t i = 0, atoms = 0;
    while (i < b->n && b->v[i].at < at) i++;
    for (uint32_t k = 0; k < s->t->mesh->axis_count; k++) atoms += s->of[k].n - 1;
    if (i == 0 || i == b->n || b->v[i].at == at || at % b->v[i - 1].at != 0 || b->v[i].at % at != 0) return;
    if (b->n < MAX_BORDERS && atoms < WEFT_MAX_ATOMS) add_border(s, axis, at, NULL);
}

static weft_status scan_axes(scan *s, weft_axes axes, const weft_loc *loc) {
    for (uint32_t i = 0; i < axes.n; i++) {
        weft_status st = add_border(s, axes.v[i].axis, axes.v[i].pre, loc);
        if (st == WEFT_OK) st = add_border(s, axes.v[i].axis, weft_axis_next(axes.v[i]), loc);
        if (st != WEFT_OK) return st;
    }
    return WEFT_OK;
}

/* The order of m's devices; order_count when it is not known. */
static size_t order_of(const weft_placements *t, const weft_mesh *m) {
    size_t i = 0;
    while (i < t->order_count && t->orders[i] != m && !weft_mesh_same_order(t->orders[i], m)) i++;
    return i;
}

static weft_status add_order(weft_placements *t, const weft_mesh *m, const weft_loc *loc) {
    if (order_of(t, m) < t->order_count) return WEFT_OK;
    if (t->order_count > UINT8_MAX)
        return weft_report(t->cx, WEFT_D_unsupported, loc, "more than %d orders of the devices", UINT8_MAX + 1);
    if (!weft_arena_grow(t->arena, (void **)&t->orders, &t->order_cap, t->order_count + 1, sizeof *t->orders))
        return weft_oom();
    t->orders[t->order_count++] = m;
    return WEFT_OK;
}

static weft_status report_meshes(scan *s, const weft_mesh *m, const weft_mesh *other, const weft_loc *loc) {
    weft_status st =
        weft_report(s->t->cx, WEFT_D_unsupported, loc,
                    "shardings over two meshes of different devices in one program: @%s with %lld and @%s with %lld",
                    m->name ? m->name->text : "", (long long)m->device_count, other->name ? other->name->text : "",
                    (long long)other->device_count);
    if (s->now && s->first)
        note_shardings(s, loc, s->first, s->first_loc, "write all shardings over one mesh that has the axes of both");
    return st;
}

static weft_status adopt_mesh(scan *s, const weft_mesh *m, const weft_loc *loc) {
    weft_placements *t = s->t;
    if (m->axis_count == 0) return WEFT_OK;
    if (!s->any_order && s->inner && !weft_mesh_same_devices(m, s->inner)) return report_meshes(s, m, s->inner, loc);
    if (!s->any_order) s->inner = m;
    if (t->mesh) {
        if (m == t->mesh || weft_mesh_same_devices(m, t->mesh)) return WEFT_OK;
        return weft_mesh_same_axes(m, t->mesh) ? add_order(t, m, loc) : report_meshes(s, m, t->mesh, loc);
    }
    t->mesh = m;
    s->first = s->now;
    s->first_loc = loc;
    s->of = weft_arena_array(t->arena, borders, m->axis_count);
    if (!s->of) return weft_oom();
    if (add_order(t, m, loc) != WEFT_OK) return weft_oom();
    for (uint32_t i = 0; i < m->axis_count; i++) {
        s->of[i].v[0] = (border){ .at = 1 };
        s->of[i].n = 1;
        weft_status st = add_border(s, i, m->axes[i].size, loc);
        if (st != WEFT_OK) return st;
    }
    return WEFT_OK;
}

static weft_status scan_attr(scan *s, const weft_attr *a, const weft_loc *loc) {
    if (a->kind == WEFT_ATTR_SHARDINGS || a->kind == WEFT_ATTR_ARRAY) {
        weft_status st = WEFT_OK;
        for (uint32_t i = 0; i < a->items.n && st == WEFT_OK; i++) st = scan_attr(s, a->items.v[i], loc);
        return st;
    }
    if (a->kind == WEFT_ATTR_DICT) {
        const weft_attr *v = weft_dict_get(a, WEFT_A_sdy_sharding);
        return v ? scan_attr(s, v, loc) : WEFT_OK;
    }
    if (a->kind != WEFT_ATTR_SHARDING) return WEFT_OK;
    const weft_sharding *sh = NULL;
    weft_status st = weft_sharding_from_attr(s->t->shardings, a, loc, &sh);
    s->now = sh;
    if (st == WEFT_OK) st = adopt_mesh(s, sh->mesh, loc);
    if (st != WEFT_OK || sh->mesh->axis_count == 0) return st;
    for (uint32_t d = 0; d < sh->rank && st == WEFT_OK; d++) st = scan_axes(s, sh->dims[d].axes, loc);
    if (st == WEFT_OK && sh->unreduced.n && sh->unreduced.by != WEFT_BY_SUM) {
        weft_buf b;
        weft_buf_init(&b, &s->t->cx->alloc);
        weft_sharding_print(&b, sh);
        st = weft_report(s->t->cx, WEFT_D_unsupported, loc,
                         "values left unreduced by max or min cannot be partitioned; only sums can: %s",
                         b.p ? b.p : "?");
        weft_help(s->t->cx, loc, "take unreduced=... from the sharding: then the op that reduces finishes its result");
        weft_buf_free(&b);
    }
    if (st == WEFT_OK) st = scan_axes(s, sh->unreduced, loc);
    return st;
}

/* What a whole value is reduced over is in no sharding. */
static weft_status scan_reduction(scan *s, const weft_op *op) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_reduction_axes);
    weft_axis axis;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && s->t->mesh && i < a->axes.n; i++)
        if (weft_axis_from_ref(s->t->mesh, a->axes.v[i], &axis)) st = scan_axes(s, weft_axes_at(&axis, 1), op->loc);
    return st;
}

static weft_status scan_op(void *user, weft_op *op) {
    scan *s = user;
    const weft_block *body = op->kind == WEFT_OP_func ? weft_op_body(op, 0) : NULL;
    s->now = NULL;
    s->any_order =
        s->orders == WEFT_ORDERS_ANY || op->kind == WEFT_OP_func || op->kind == WEFT_OP_sdy_collective_permute;
    for (uint32_t i = 0; i < op->attr_count; i++) {
        const weft_attr *a = op->attrs[i].value;
        weft_status st = WEFT_OK;
        if (body && op->attrs[i].name->id == WEFT_A_arg_attrs && a->kind == WEFT_ATTR_ARRAY)
            for (uint32_t k = 0; st == WEFT_OK && k < a->items.n && k < body->arg_count; k++)
                st = scan_attr(s, a->items.v[k], weft_value_loc(body->args[k]));
        else if (weft_op_attr_says_sharding(op, op->attrs[i].name) ||
                 (body && op->attrs[i].name->id == WEFT_A_res_attrs))
            st = scan_attr(s, a, op->loc);
        if (st != WEFT_OK) return st;
    }
    return op->kind == WEFT_OP_sdy_all_reduce ? scan_reduction(user, op) : WEFT_OK;
}

/* Axes of a dimension that is several factors end where these do: then what cuts one can go on cutting it. */
static void cut_at_factors(scan *s, const weft_rule *rule, uint32_t tensor, const weft_sharding *sh) {
    const weft_rule_tensor *rt = &rule->tensors[tensor];
    for (uint32_t d = 0; d < rt->rank && d < sh->rank; d++) {
        const weft_rule_dim dim = rt->dims[d];
        const weft_axes axes = sh->dims[d].axes;
        if (dim.n < 2) continue;
        uint32_t k = 0;
        int64_t left = rule->sizes[rule->factors[dim.first]], common = 0;
        for (uint32_t i = 0; i < axes.n && common != 1; i++) {
            int64_t at = axes.v[i].pre, rest = axes.v[i].size;
            while (rest > 1 && common != 1) {
                while (left == 1 && ++k < dim.n) left = rule->sizes[rule->factors[dim.first + k]];
                common = weft_gcd(left, rest);
                at *= common;
                rest /= common;
                left /= common;
                if (rest > 1) offer_border(s, axes.v[i].axis, at);
            }
        }
    }
}

static weft_status scan_reshape(void *user, weft_op *op) {
    scan *s = user;
    const weft_rule *rule = NULL;
    const weft_value *sides[2] = { op->operand_count ? op->operands[0] : NULL,
                                   op->result_count ? &op->results[0] : NULL };
    if (op->kind != WEFT_OP_reshape) return WEFT_OK;
    for (uint32_t i = 0; i < 2; i++) {
        const weft_sharding *sh = NULL;
        weft_status st = weft_value_sharding_inside(s->t->cx, s->t->shardings, sides[i], &sh);
        if (st == WEFT_OK && sh && weft_sharding_cuts(sh) && !rule)
            st = weft_rule_of(s->rules, op, WEFT_RULE_WORK, NULL, &rule);
        if (st != WEFT_OK) return st;
        if (rule && sh && weft_sharding_cuts(sh)) cut_at_factors(s, rule, i, sh);
    }
    return WEFT_OK;
}

static weft_status make_atoms(scan *s) {
    weft_placements *t = s->t;
    if (!t->mesh) return WEFT_OK;
    int64_t after = t->mesh->device_count; /* devices in one step of the axes so far */
    for (uint32_t i = 0; i < t->mesh->axis_count; i++) {
        const borders *b = &s->of[i];
        for (uint32_t k = 0; k + 1 < b->n; k++) {
            if (t->atom_count == WEFT_MAX_ATOMS)
                return weft_report(t->cx, WEFT_D_unsupported, NULL, "the mesh has more than %d pieces", WEFT_MAX_ATOMS);
            int64_t size = b->v[k + 1].at / b->v[k].at;
            after /= size;
            t->atom[t->atom_count] = (weft_axis){ i, (uint32_t)b->v[k].at, (uint32_t)size };
            t->stride[t->atom_count++] = after;
        }
    }
    return WEFT_OK;
}

/* The mesh that values are over but for the ends: where none says so, the one that the module names first. */
static void put_inner_mesh_first(weft_placements *t, const weft_mesh *inner) {
    for (size_t i = 1; i < t->order_count; i++) {
        const weft_mesh *m = t->orders[i];
        if (inner ? !weft_mesh_same_order(m, inner) : m->id > t->orders[0]->id) continue;
        t->orders[i] = t->orders[0];
        t->mesh = t->orders[0] = m;
    }
}

weft_status weft_placements_open(const weft_module *m, weft_arena *arena, weft_placements **out) {
    return weft_placements_open_in(m, m->root, WEFT_ORDERS_AT_ENDS, arena, out);
}

weft_status weft_placements_open_in(const weft_module *m, weft_op *within, weft_orders orders, weft_arena *arena,
                                    weft_placements **out) {
    weft_placements *t = weft_arena_new(arena, weft_placements);
    if (!t) return weft_oom();
    t->cx = m->cx;
    t->arena = arena;
    weft_status st = weft_shardings_open(m->cx, m, arena, &t->shardings);
    if (st != WEFT_OK) return st;
    scan s = { .t = t, .orders = orders };
    st = weft_op_walk(within, scan_op, &s);
    /* A program without any sharding still runs on the devices of its mesh. */
    for (uint32_t i = 0; st == WEFT_OK && !t->mesh && i < weft_shardings_mesh_count(t->shardings); i++)
        st = adopt_mesh(&s, weft_shardings_mesh_at(t->shardings, i), NULL);
    if (orders == WEFT_ORDERS_AT_ENDS) put_inner_mesh_first(t, s.inner);
    if (st == WEFT_OK && t->mesh) st = weft_rules_open(m->cx, arena, &s.rules);
    if (st == WEFT_OK && t->mesh) st = weft_op_walk(within, scan_reshape, &s);
    if (st == WEFT_OK) st = make_atoms(&s);
    weft_placement replicated = { 0 };
    weft_placement_id id;
    if (st == WEFT_OK) st = weft_placement_intern(t, &replicated, &id);
    if (st == WEFT_OK) *out = t;
    return st;
}

/* --- places ---------------------------------------------------------------------------------------------------- */

uint32_t weft_placement_dim_atoms(const weft_placement *l, uint32_t d, uint8_t *atoms) {
    weft_placement_range r = weft_placement_dim(l, d);
    for (uint32_t i = 0; i < r.n; i++) atoms[i] = l->at[r.first + i].atom;
    return r.n;
}

uint32_t weft_placement_dim_tail(const weft_placement *less, const weft_placement *more, uint32_t d, uint8_t *atoms) {
    weft_placement_range a = weft_placement_dim(less, d), b = weft_placement_dim(more, d);
    uint32_t n = 0;
    for (uint32_t i = a.n; i < b.n; i++) atoms[n++] = more->at[b.first + i].atom;
    return n;
}

int64_t weft_placement_dim_shards(const weft_placements *t, const weft_placement *l, uint32_t d) {
    int64_t n = 1;
    for (uint32_t i = 0; i < l->n; i++)
        if (l->at[i].dim == d) n *= t->atom[l->at[i].atom].size;
    return n;
}

int64_t weft_placement_dim_part(const weft_placements *t, const weft_placement *l, uint32_t d, int64_t n) {
    return weft_ceil_div(n, weft_placement_dim_shards(t, l, d));
}

bool weft_placement_dim_same(const weft_placement *a, const weft_placement *b, uint32_t d) {
    const weft_placement_range x = weft_placement_dim(a, d), y = weft_placement_dim(b, d);
    bool same = x.n == y.n;
    for (uint32_t i = 0; same && i < x.n; i++) same = a->at[x.first + i].atom == b->at[y.first + i].atom;
    return same;
}

int64_t weft_placement_shards(const weft_placements *t, const weft_placement *l) { return weft_atoms_size(t, l->used); }

void weft_placement_append(weft_placement *l, uint32_t d, uint32_t atom) {
    uint32_t i = l->n;
    while (i > 0 && l->at[i - 1].dim > d) i--;
    if (i < l->n) memmove(l->at + i + 1, l->at + i, (l->n - i) * sizeof l->at[0]);
    l->at[i] = (weft_atom_place){ (uint8_t)d, (uint8_t)atom };
    l->n++;
    l->used |= (weft_atoms)weft_bit(atom);
}

void weft_placement_remove(weft_placement *l, uint32_t first, uint32_t n) {
    for (uint32_t i = first; i < first + n; i++) l->used &= ~(weft_atoms)weft_bit(l->at[i].atom);
    memmove(l->at + first, l->at + first + n, (l->n - first - n) * sizeof l->at[0]);
    l->n -= n;
    memset(l->at + l->n, 0, n * sizeof l->at[0]);
}

/* --- attributes ------------------------------------------------------------------------------------------------ */

/* The atoms that part a of an axis covers, major to minor. */
static uint32_t atoms_of_axis(const weft_placements *t, weft_axis a, uint8_t *out) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->atom_count; i++)
        if (t->atom[i].axis == a.axis && t->atom[i].pre >= a.pre && t->atom[i].pre < weft_axis_next(a))
            out[n++] = (uint8_t)i;
    return n;
}

static bool is_prime_power(uint32_t n) {
    uint32_t p = 2;
    while (p <= n / p && n % p) p++;
    if (p > n / p) return true;
    while (n % p == 0) n /= p;
    return n == 1;
}

/* Nobody cuts inside of an atom, or its pieces fit together whoever splits it. */
static bool may_cut_at(const weft_placements *t, uint32_t axis, uint32_t at) {
    for (uint32_t i = 0; i < t->atom_count; i++)
        if (t->atom[i].axis == axis && t->atom[i].pre < at && at < weft_axis_next(t->atom[i]))
            return at % t->atom[i].pre == 0 && weft_axis_next(t->atom[i]) % at == 0 && is_prime_power(t->atom[i].size);
    return true;
}

bool weft_placements_may_cut(const weft_placements *t, const weft_axis_list *axes) {
    for (uint32_t i = 0; i < axes->n; i++)
        if (!may_cut_at(t, axes->v[i].axis, axes->v[i].pre) ||
            !may_cut_at(t, axes->v[i].axis, weft_axis_next(axes->v[i])))
            return false;
    return !axes->full;
}

static weft_status place_from(weft_placements *t, const weft_attr *attr, const weft_type *type, weft_fit fit,
                              const weft_loc *loc, weft_placement_id *id) {
    *id = WEFT_REPLICATED;
    if (!attr || !t->mesh || !weft_type_is_tensor(type)) return WEFT_OK;
    const weft_sharding *s = NULL;
    weft_status st = weft_sharding_from_attr(t->shardings, attr, loc, &s);
    if (st != WEFT_OK) return st;
    weft_placement l = { 0 };
    uint8_t atoms[WEFT_MAX_ATOMS];
    for (uint32_t d = 0; d < s->rank && d < type->rank; d++) {
        int64_t left = type->dims[d];
        for (uint32_t i = 0; i < s->dims[d].axes.n; i++) {
            uint32_t n = atoms_of_axis(t, s->dims[d].axes.v[i], atoms);
            for (uint32_t k = 0; k < n; k++) {
                int64_t size = t->atom[atoms[k]].size;
                if (left <= 0 || (fit == WEFT_FIT_TRIM && left % size != 0)) goto next_dim;
                left = weft_ceil_div(left, size);
                weft_placement_append(&l, d, atoms[k]);
            }
        }
    next_dim:;
    }
    for (uint32_t i = 0; i < s->unreduced.n; i++) {
        uint32_t n = atoms_of_axis(t, s->unreduced.v[i], atoms);
        for (uint32_t k = 0; k < n; k++) l.unreduced |= (weft_atoms)weft_bit(atoms[k]);
    }
    if (l.n || l.unreduced) l.order = (uint8_t)order_of(t, s->mesh);
    return weft_placement_intern(t, &l, id);
}

weft_status weft_placement_from_attr(weft_placements *t, const weft_attr *attr, const weft_type *type,
                                     const weft_loc *loc, weft_placement_id *id) {
    return place_from(t, attr, type, WEFT_FIT_EXACT, loc, id);
}

static uint32_t merge_axes(const weft_placements *t, const uint8_t *atoms, uint32_t n, weft_axis *out) {
    uint32_t m = 0;
    for (uint32_t i = 0; i < n; i++) {
        weft_axis a = t->atom[atoms[i]];
        if (m && weft_axis_can_merge(out[m - 1], a)) out[m - 1] = weft_axis_merge(out[m - 1], a);
        else out[m++] = a;
    }
    return m;
}

uint32_t weft_atoms_to_refs(const weft_placements *t, const uint8_t *atoms, uint32_t n, weft_axis_ref *refs) {
    weft_axis axes[WEFT_MAX_ATOMS];
    uint32_t m = merge_axes(t, atoms, n, axes);
    for (uint32_t i = 0; i < m; i++) refs[i] = weft_axis_to_ref(t->mesh, axes[i]);
    return m;
}

uint32_t weft_atom_set_to_refs(const weft_placements *t, weft_atoms set, weft_axis_ref *refs) {
    uint8_t atoms[WEFT_MAX_ATOMS];
    uint32_t n = 0;
    WEFT_EACH_BIT(a, set) atoms[n++] = (uint8_t)a;
    return weft_atoms_to_refs(t, atoms, n, refs);
}

weft_status weft_atoms_from_refs(weft_placements *t, weft_axis_refs refs, const weft_loc *loc, uint8_t *out,
                                 uint32_t *n) {
    *n = 0;
    for (uint32_t i = 0; i < refs.n; i++) {
        weft_axis a;
        if (!t->mesh || !weft_axis_from_ref(t->mesh, refs.v[i], &a))
            return weft_report(t->cx, WEFT_D_sharding, loc, "\"%s\" is not an axis of the mesh", refs.v[i].name->text);
        *n += atoms_of_axis(t, a, out + *n);
    }
    return WEFT_OK;
}

const weft_sharding *weft_placement_sharding(weft_placements *t, weft_placement_id id, uint32_t rank) {
    const weft_placement *l = t->placements[id];
    weft_dim dims[WEFT_MAX_RANK];
    weft_axis axes[WEFT_MAX_ATOMS], unreduced[WEFT_MAX_ATOMS];
    uint8_t atoms[WEFT_MAX_ATOMS];
    uint32_t used = 0;
    if (!t->mesh) return NULL;
    for (uint32_t d = 0; d < rank; d++) {
        uint32_t n = merge_axes(t, atoms, weft_placement_dim_atoms(l, d, atoms), axes + used);
        dims[d] = (weft_dim){ weft_axes_at(axes + used, n), false, WEFT_NO_PRIORITY };
        used += n;
    }
    uint32_t n = 0;
    WEFT_EACH_BIT(a, l->unreduced) atoms[n++] = (uint8_t)a;
    n = merge_axes(t, atoms, n, unreduced);
    return weft_sharding_make(t->shardings, t->orders[l->order], rank, dims, (weft_axes){ 0 },
                              weft_axes_at(unreduced, n));
}

const weft_attr *weft_placement_to_attr(weft_placements *t, weft_placement_id id, uint32_t rank) {
    const weft_sharding *s = weft_placement_sharding(t, id, rank);
    return s ? weft_sharding_to_attr(t->shardings, s) : NULL;
}

weft_status weft_placement_print(weft_placements *t, weft_buf *b, weft_placement_id id, uint32_t rank) {
    const weft_sharding *s = weft_placement_sharding(t, id, rank);
    if (!s && t->mesh) return weft_oom();
    weft_sharding_print(b, s);
    return WEFT_OK;
}

/* --- sizes ----------------------------------------------------------------------------------------------------- */

const weft_type *weft_placement_local_type(weft_placements *t, weft_placement_id id, const weft_type *global) {
    const weft_placement *l = t->placements[id];
    if (l->n == 0 || !weft_type_is_tensor(global)) return global;
    int64_t dims[WEFT_MAX_RANK];
    memcpy(dims, global->dims, global->rank * sizeof dims[0]);
    for (uint32_t i = 0; i < l->n; i++)
        dims[l->at[i].dim] = weft_ceil_div(dims[l->at[i].dim], t->atom[l->at[i].atom].size);
    return weft_type_with_dims(t->cx, global, global->rank, dims);
}

int64_t weft_placement_local_bytes(const weft_placements *t, const weft_placement *l, const weft_type *global) {
    if (!weft_type_is_tensor(global)) return 0;
    int64_t bytes = weft_type_bytes(global);
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t d = l->at[i].dim;
        if (i > 0 && l->at[i - 1].dim == d) continue;
        int64_t n = global->dims[d];
        if (n > 0) bytes = bytes / n * weft_placement_dim_part(t, l, d, n);
    }
    return bytes;
}

bool weft_placement_fits_step(const weft_placements *t, const weft_placement *a, const weft_placement *b,
                              const weft_type *type) {
    for (uint32_t d = 0; d < type->rank; d++) {
        int64_t x = weft_placement_dim_shards(t, a, d), y = weft_placement_dim_shards(t, b, d);
        int64_t few = weft_min_i64(x, y), many = weft_max_i64(x, y), n = type->dims[d];
        if (few == many || few == 1) continue;
        if (many % few != 0 || weft_ceil_div(n, many) * (many / few) != weft_ceil_div(n, few)) return false;
    }
    return true;
}

bool weft_placement_divides(const weft_placements *t, const weft_placement *l, const weft_type *type) {
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t d = l->at[i].dim;
        if (d >= type->rank) return false;
        if (i > 0 && l->at[i - 1].dim == d) continue;
        int64_t shards = weft_placement_dim_shards(t, l, d);
        if (type->dims[d] <= 0 || type->dims[d] % shards != 0) return false;
    }
    return true;
}

/* --- what the module says -------------------------------------------------------------------------------------- */

static const weft_attr *item(const weft_attr *list, uint32_t i) {
    return list && list->kind == WEFT_ATTR_SHARDINGS && i < list->items.n ? list->items.v[i] : NULL;
}

static bool is_computation(const weft_op *op) {
    return op->kind == WEFT_OP_sdy_manual_computation || op->kind == WEFT_OP_sdy_named_computation;
}

weft_status weft_placement_of_operand(weft_placements *t, const weft_op *op, uint32_t i, weft_placement_id *id) {
    return place_from(t, item(weft_op_attr(op, WEFT_A_in_shardings), i), op->operands[i]->type, WEFT_FIT_TRIM, op->loc,
                      id);
}

weft_status weft_placement_of_result(weft_placements *t, const weft_op *op, uint32_t i, weft_placement_id *id) {
    return place_from(t, item(weft_op_attr(op, WEFT_A_out_shardings), i), op->results[i].type, WEFT_FIT_TRIM, op->loc,
                      id);
}

static weft_status place_of_argument(weft_placements *t, const weft_op *op, uint32_t i, weft_placement_id *id) {
    weft_atoms manual;
    weft_status st = weft_placement_of_operand(t, op, i, id);
    if (st == WEFT_OK) st = weft_manual_atoms(t, op, &manual);
    return st == WEFT_OK ? weft_placement_inside(t, *id, manual, id) : st;
}

weft_status weft_placement_of_value(weft_placements *t, const weft_value *v, weft_placement_id *id) {
    const weft_attr *a = NULL;
    const weft_op *op = v->def;
    if (!op && v->block->parent->parent && is_computation(v->block->parent->parent))
        return place_of_argument(t, v->block->parent->parent, v->index, id);
    if (op && is_computation(op)) return weft_placement_of_result(t, op, v->index, id);
    if (op) {
        a = weft_op_attr(op, WEFT_A_sharding);
        if (!a) a = weft_op_attr(op, WEFT_A_out_sharding);
        if (!a) a = item(weft_op_attr(op, WEFT_A_sdy_sharding), v->index);
    } else {
        const weft_op *parent = v->block->parent->parent;
        if (parent && parent->kind == WEFT_OP_func) a = weft_func_arg_attr(parent, v->index, WEFT_A_sdy_sharding);
        else if (parent && parent->kind == WEFT_OP_while) a = item(weft_op_attr(parent, WEFT_A_sdy_sharding), v->index);
    }
    if (a && a->kind != WEFT_ATTR_SHARDING) a = NULL;
    return weft_placement_from_attr(t, a, v->type, weft_value_loc(v), id);
}
