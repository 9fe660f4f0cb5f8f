/* collective_steps.c: see collective_steps.h. */
#include "partitioner/layout/collective_steps.h"
#include "partitioner/layout/reshard_plan.h"

typedef struct walk {
    weft_context *cx;
    weft_shardings *t;
    weft_builder *b;                          /* NULL: only the price is asked for */
    weft_value *v;
    const weft_costs *costs;                  /* NULL: no price is asked for */
    weft_steps_price price;
    int64_t bytes;                            /* of a device's part now */
    const weft_type *type;
    const weft_mesh *mesh;                    /* over which v is sharded now */
    const weft_sharding *to;
    uint32_t rank;
    /* By dimension: what v is sharded by; of that, after what stays, what is there and what shall be there. */
    weft_axis_list *now, *in, *out;
    weft_axis_list *moved;                    /* by this step */
    int64_t room[WEFT_MAX_RANK];              /* parts into which a dimension may be split further in this step */
} walk;

/* --- lists ------------------------------------------------------------------------------------------------------- */

/* n empty lists on scratch memory; what is after their ends is nothing yet. */
static weft_axis_list *take_lists(weft_context *cx, size_t n) {
    weft_axis_list *lists = weft_arena_take(&cx->scratch, n * sizeof *lists, _Alignof(weft_axis_list));
    for (size_t i = 0; lists && i < n; i++) lists[i].n = 0, lists[i].full = false;
    return lists;
}

static void put_at(weft_axis_list *l, uint32_t at, weft_axis a) {
    if (l->n == WEFT_AXIS_LIST_MAX) {
        l->full = true;
        return;
    }
    memmove(l->v + at + 1, l->v + at, (l->n - at) * sizeof l->v[0]);
    l->v[at] = a;
    l->n++;
}

static void take_at(weft_axis_list *l, uint32_t at) {
    memmove(l->v + at, l->v + at + 1, (l->n - at - 1) * sizeof l->v[0]);
    l->n--;
}

static bool holds(const weft_axis_list *l, weft_axis a, uint32_t *at) {
    for (*at = 0; *at < l->n; ++*at)
        if (weft_axis_equal(l->v[*at], a)) return true;
    return false;
}

/* The dimension and place of an axis in lists. */
static bool find(const weft_axis_list *lists, uint32_t rank, weft_axis a, uint32_t *dim, uint32_t *at) {
    for (*dim = 0; *dim < rank; ++*dim)
        if (holds(&lists[*dim], a, at)) return true;
    return false;
}

static bool is_there(const walk *w, weft_axis a) {
    uint32_t dim, at;
    return find(w->in, w->rank, a, &dim, &at);
}

static int64_t parts(const weft_axis_list *l) { return weft_axes_size(weft_axes_of(l)); }

static bool divide(int64_t a, int64_t b) { return a % b == 0 || b % a == 0; }

/* The last n axes of `what` leave the end of l, where they may be parts of longer ones. */
static void drop_last(weft_axis_list *l, const weft_axis_list *what, uint32_t n) {
    for (uint32_t i = 0; i < n && l->n; i++) {
        weft_axis left;
        if (weft_axis_prefix_without(l->v[l->n - 1], what->v[what->n - 1 - i], &left)) l->v[l->n - 1] = left;
        else l->n--;
    }
}

/* Cuts the axes of l where those of sorted begin and end. */
static void align(weft_axis_list *l, const weft_axis_list *sorted) {
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t j = 0;
        while (j < sorted->n && !weft_axis_overlaps(l->v[i], sorted->v[j])) j++;
        for (; j < sorted->n; j++) {
            weft_axis a = l->v[i], with = sorted->v[j], part;
            if (!weft_axis_overlaps(a, with) || !weft_axis_can_coexist(a, with) || weft_axis_contains(with, a)) break;
            take_at(l, i);
            if (weft_axis_prefix_without(a, with, &part)) put_at(l, i++, part);
            if (weft_axis_overlap(a, with, &part)) put_at(l, i, part);
            if (!weft_axis_suffix_without(a, with, &part)) break;
            put_at(l, ++i, part);
        }
    }
}

static void put_sorted(weft_axis_list *l, weft_axis a) {
    uint32_t at = 0;
    while (at < l->n && weft_axis_compare(l->v[at], a) < 0) at++;
    put_at(l, at, a);
}

static void align_both(walk *w) {
    weft_axis_list in = { 0 }, out = { 0 };
    for (uint32_t d = 0; d < w->rank; d++) {
        for (uint32_t i = 0; i < w->in[d].n; i++) put_sorted(&in, w->in[d].v[i]);
        for (uint32_t i = 0; i < w->out[d].n; i++) put_sorted(&out, w->out[d].v[i]);
    }
    for (uint32_t d = 0; d < w->rank; d++) {
        align(&w->in[d], &out);
        align(&w->out[d], &in);
    }
}

/* Over an axis of size 1 nothing is split: no step can bring it to its place, and none has to. */
static void drop_axes_of_one(weft_axis_list *l) {
    for (uint32_t i = l->n; i-- > 0;)
        if (l->v[i].size == 1) take_at(l, i);
}

static void drop_common_prefix(walk *w) {
    for (uint32_t d = 0; d < w->rank; d++)
        while (w->in[d].n && w->out[d].n && weft_axis_equal(w->in[d].v[0], w->out[d].v[0])) {
            take_at(&w->in[d], 0);
            take_at(&w->out[d], 0);
        }
}

static bool arrived(const walk *w) {
    for (uint32_t d = 0; d < w->rank; d++)
        if (w->in[d].n || w->out[d].n) return false;
    return w->mesh == w->to->mesh;
}

/* --- ops --------------------------------------------------------------------------------------------------------- */

static int64_t part_bytes(const walk *w) {
    int64_t bytes = (int64_t)weft_dtype_bytes(w->type->dtype);
    for (uint32_t d = 0; d < w->rank; d++) bytes *= weft_ceil_div(w->type->dims[d], parts(&w->now[d]));
    return bytes;
}

/* Parts of different sizes may not be joined by any one step. */
static void note_place(walk *w) {
    uint32_t at;
    for (uint32_t d = 0; d < w->rank; d++) {
        w->price.even &= w->type->dims[d] % parts(&w->now[d]) == 0;
        for (uint32_t i = 0; i < w->now[d].n; i++)
            if (!holds(&w->price.along, w->now[d].v[i], &at)) weft_axis_list_push(&w->price.along, w->now[d].v[i]);
    }
}

/* A step that moves parts between `group` devices, to where `now` has them. */
static void add_price(walk *w, weft_move_kind kind, int64_t group) {
    int64_t before = w->bytes;
    w->bytes = part_bytes(w);
    if (w->costs)
        w->price.price += weft_move_price(w->costs, kind, kind == WEFT_MOVE_GATHER ? w->bytes : before, group);
    note_place(w);
}

static weft_status build(walk *w, weft_op_kind kind, weft_attr_name name, const weft_attr *value) {
    weft_dim dims[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < w->rank; d++)
        dims[d] = (weft_dim){ .axes = weft_axes_of(&w->now[d]), .priority = WEFT_NO_PRIORITY };
    const weft_sharding *s = weft_sharding_make(w->t, w->mesh, w->rank, dims, (weft_axes){ 0 }, w->to->unreduced);
    weft_attr_pair attrs[2] = { { WEFT_A_out_sharding, s ? weft_sharding_to_attr(w->t, s) : NULL }, { name, value } };
    bool has_value = kind != WEFT_OP_sdy_collective_permute;
    if (!attrs[0].value || (has_value && !value)) return weft_oom();
    w->v = weft_build_1(w->b, kind, w->type, &w->v, 1, attrs, has_value ? 2 : 1);
    return w->b->status;
}

static weft_status build_per_dim(walk *w, weft_op_kind kind, weft_attr_name name, weft_move_kind move) {
    int64_t group = 1;
    for (uint32_t d = 0; d < w->rank; d++) group *= parts(&w->moved[d]);
    bool any = false;
    for (uint32_t d = 0; d < w->rank; d++) any |= w->moved[d].n > 0;
    if (!any) return WEFT_OK;
    add_price(w, move, group);
    return !w->b ? WEFT_OK : build(w, kind, name, weft_axis_lists_to_attr(w->cx, w->mesh, w->moved, w->rank));
}

/* --- axes into room ----------------------------------------------------------------------------------------------- */

/* As much of an axis as room has place for, which is then less. Returns false when they have no whole ratio; rest has
 * size 0 when all of the axis fits. */
static bool fit(weft_axis a, int64_t *room, weft_axis *fits, weft_axis *rest) {
    if (*room <= 1 || !divide(a.size, *room)) return false;
    *fits = a;
    *rest = (weft_axis){ 0 };
    if (*room >= a.size) {
        *room /= a.size;
        return true;
    }
    fits->size = (uint32_t)*room;
    *rest = (weft_axis){ a.axis, weft_axis_next(*fits), a.size / fits->size };
    *room = 1;
    return true;
}

typedef enum end { AT_FRONT, AT_BACK } end;

/* Axes of `from` go into in[d], at one end in their order, as long as there is room. */
static void fill_dim(walk *w, uint32_t d, weft_axis_list *from, end where, weft_axis_list *cut, weft_axis_list *taken) {
    uint32_t at = where == AT_FRONT ? 0 : w->in[d].n;
    for (uint32_t i = 0; i < from->n && w->room[d] > 1;) {
        weft_axis fits, rest;
        if (!fit(from->v[i], &w->room[d], &fits, &rest)) {
            i++;
            continue;
        }
        take_at(from, i);
        put_at(&w->in[d], at++, fits);
        if (taken) weft_axis_list_push(taken, fits);
        if (!rest.size) continue;
        put_sorted(cut, fits);
        put_at(from, 0, rest);
        i++;
    }
}

static void align_out(walk *w, const weft_axis_list *cut) {
    for (uint32_t d = 0; cut->n && d < w->rank; d++) align(&w->out[d], cut);
}

static void fill_all(walk *w, weft_axis_list *from, end where) {
    weft_axis_list cut = { 0 };
    for (uint32_t d = 0; d < w->rank; d++) fill_dim(w, d, from, where, &cut, NULL);
    align_out(w, &cut);
}

/* --- slice -------------------------------------------------------------------------------------------------------- */

static void slice_by(walk *w, uint32_t d, weft_axis a) {
    weft_axis_list_push_merged(&w->moved[d], a);
    weft_axis_list_push_merged(&w->now[d], a);
}

/* Axes wanted after those that an exchange will bring from d are sliced at d, and go along, if they have room there:
 * else the exchange would come to stand after them. */
static void slice_to_exchange(walk *w, uint32_t d) {
    uint32_t to, at, dim;
    const weft_axis_list *in = &w->in[d], *out;
    if (!in->n || w->out[d].n || !find(w->out, w->rank, in->v[in->n - 1], &to, &at) || w->in[to].n) return;
    out = &w->out[to];
    uint32_t first = at + 1, last = first, i = in->n;
    if (first == out->n || is_there(w, out->v[first])) return;
    int64_t along = 1, added = 1;
    for (uint32_t j = first; i > 0 && j > 0 && weft_axis_equal(in->v[i - 1], out->v[j - 1]); i--, j--)
        along *= in->v[i - 1].size;
    for (; i > 0; i--)
        if (find(w->out, w->rank, in->v[i - 1], &dim, &at) && dim == to) return;
    for (; last < out->n && !is_there(w, out->v[last]); last++) added *= out->v[last].size;
    if (w->type->dims[d] % (parts(&w->now[d]) * added) != 0) return;
    w->room[to] /= along * added;
    for (uint32_t k = first; k < last; k++) {
        weft_axis_list_push(&w->in[d], out->v[k]);
        slice_by(w, d, out->v[k]);
    }
}

/* Axes wanted in d, sliced there; those without room go to left. */
static void slice_in_place(walk *w, uint32_t d, weft_axis_list *left) {
    weft_axis_list *out = &w->out[d];
    for (uint32_t i = 0; i < out->n;) {
        weft_axis fits, rest;
        if (is_there(w, out->v[i])) {
            i++;
            continue;
        }
        if (!fit(out->v[i], &w->room[d], &fits, &rest)) {
            weft_axis_list_push(left, out->v[i++]);
            continue;
        }
        slice_by(w, d, fits);
        if (!w->in[d].n && i == 0) take_at(out, 0);
        else {
            weft_axis_list_push(&w->in[d], fits);
            out->v[i++] = fits;
        }
        if (!rest.size) continue;
        put_at(out, i++, rest);
        weft_axis_list_push(left, rest);
    }
}

static void nothing_moved(walk *w) {
    for (uint32_t d = 0; d < w->rank; d++) w->moved[d].n = 0;
}

static weft_status try_slice(walk *w) {
    weft_axis_list left = { 0 }, cut = { 0 };
    nothing_moved(w);
    for (uint32_t d = 0; d < w->rank; d++)
        w->room[d] = parts(&w->out[d]) / weft_gcd(parts(&w->in[d]), parts(&w->out[d]));
    for (uint32_t d = 0; d < w->rank; d++) slice_to_exchange(w, d);
    for (uint32_t d = 0; d < w->rank; d++) slice_in_place(w, d, &left);
    for (uint32_t d = 0; d < w->rank; d++) {
        weft_axis_list taken = { 0 };
        fill_dim(w, d, &left, AT_BACK, &cut, &taken);
        for (uint32_t i = 0; i < taken.n; i++) slice_by(w, d, taken.v[i]);
    }
    align_out(w, &cut);
    return build_per_dim(w, WEFT_OP_sdy_all_slice, WEFT_A_slicing_axes, WEFT_MOVE_SLICE);
}

/* --- permute ------------------------------------------------------------------------------------------------------ */

/* Whether the axes of d must change their order before exchanges can take them away: those that go to one dimension lie
 * apart or in another order than there, or in front of one to be gathered. *gone: an axis that nobody wants. */
static bool out_of_order(const walk *w, uint32_t d, weft_axis *gone) {
    bool had = false, seen[WEFT_MAX_RANK] = { false };
    uint32_t last_dim = 0, last_at = 0;
    for (uint32_t i = 0; i < w->in[d].n; i++) {
        uint32_t dim, at;
        bool wanted = find(w->out, w->rank, w->in[d].v[i], &dim, &at);
        if (wanted) {
            if ((dim == d || seen[dim]) && (!had || last_dim != dim || at != last_at + 1)) return true;
            seen[dim] = true;
            last_at = at;
            last_dim = dim;
        } else if (had && !w->out[d].n) {
            return true;
        } else {
            *gone = w->in[d].v[i];
        }
        had = wanted;
    }
    return false;
}

static bool should_permute(const walk *w) {
    weft_axis gone = { 0 }, missing = { 0 };
    for (uint32_t d = 0; d < w->rank; d++) {
        if (w->in[d].n && w->out[d].n && divide(w->in[d].v[0].size, w->out[d].v[0].size)) return true;
        for (uint32_t i = 0; i < w->out[d].n; i++)
            if (!is_there(w, w->out[d].v[i])) missing = w->out[d].v[i];
        if (out_of_order(w, d, &gone)) return true;
    }
    return gone.size && missing.size && divide(gone.size, missing.size);
}

/* Puts wanted axes at their places in d in place of those there. What was there and is not wanted comes into spare:
 * first what was not replaced, which may then go back to where it was. */
static void replace_in_place(walk *w, uint32_t d, const weft_axis_list *wanted, weft_axis_list *spare) {
    weft_axis fits, rest;
    weft_axis_list *in = &w->in[d], *out = &w->out[d], used = { 0 };
    int64_t before = w->room[d] = parts(in);
    drop_last(&w->now[d], in, in->n);
    while (w->room[d] > 1 && out->n && fit(out->v[0], &w->room[d], &fits, &rest)) {
        take_at(out, 0);
        weft_axis_list_push_merged(&w->now[d], fits);
        if (rest.size) put_at(out, 0, rest);
    }
    before /= w->room[d];
    for (uint32_t i = in->n; i-- > 0;) {
        uint32_t dim, at;
        if (find(wanted, w->rank, in->v[i], &dim, &at)) take_at(in, i);
    }
    while (before > 1 && in->n && fit(in->v[0], &before, &fits, &rest)) {
        take_at(in, 0);
        weft_axis_list_push(&used, fits);
        if (rest.size) put_at(in, 0, rest);
    }
    *spare = *in;
    for (uint32_t i = 0; i < used.n; i++) weft_axis_list_push(spare, used.v[i]);
    in->n = 0;
}

static weft_status permute(walk *w) {
    weft_context *cx = w->cx;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_axis_list *wanted = take_lists(cx, 2 * w->rank), *spare, left = { 0 }, cut = { 0 };
    if (!wanted) return weft_oom();
    spare = wanted + w->rank;
    memcpy(wanted, w->out, w->rank * sizeof wanted[0]);
    for (uint32_t d = 0; d < w->rank; d++) {
        replace_in_place(w, d, wanted, &spare[d]);
        for (uint32_t i = 0; i < w->out[d].n; i++) weft_axis_list_push(&left, w->out[d].v[i]);
    }
    fill_all(w, &left, AT_BACK);
    for (uint32_t d = 0; d < w->rank; d++) fill_dim(w, d, &spare[d], AT_FRONT, &cut, NULL);
    align_out(w, &cut);
    left.n = 0;
    for (uint32_t d = 0; d < w->rank; d++)
        for (uint32_t i = 0; i < spare[d].n; i++) weft_axis_list_push(&left, spare[d].v[i]);
    fill_all(w, &left, AT_FRONT);
    for (uint32_t d = 0; d < w->rank; d++) weft_axis_list_append_merged(&w->now[d], weft_axes_of(&w->in[d]));
    weft_arena_reset(&cx->scratch, mark);
    return WEFT_OK;
}

static weft_status try_permute(walk *w) {
    weft_status st = WEFT_OK;
    if (should_permute(w)) st = permute(w);
    else if (w->mesh == w->to->mesh) return WEFT_OK;
    w->mesh = w->to->mesh; /* devices in another order are a permute too */
    if (st != WEFT_OK) return st;
    add_price(w, WEFT_MOVE_PERMUTE, 2);
    return !w->b ? WEFT_OK : build(w, WEFT_OP_sdy_collective_permute, WEFT_A_COUNT, NULL);
}

/* --- exchange and gather ------------------------------------------------------------------------------------------ */

typedef enum order { IN_ORDER, ANY_ORDER } order;

/* The last axes of d that go to one other dimension, there at their place or, in any order, just there. */
static weft_status try_exchange(walk *w, uint32_t d, order o, bool *did) {
    weft_axis_list *in = &w->in[d], *in_there, *out_there;
    uint32_t to = 0, dim, at, n = 0;
    *did = false;
    while (n < in->n && find(w->out, w->rank, in->v[in->n - 1 - n], &dim, &at) && dim != d && (n == 0 || dim == to)) {
        to = dim;
        n++;
    }
    if (!n) return WEFT_OK;
    in_there = &w->in[to];
    out_there = &w->out[to];
    uint32_t first = in->n - n;
    for (uint32_t i = 0; o == IN_ORDER && i < n; i++)
        if (i >= out_there->n || !weft_axis_equal(in->v[first + i], out_there->v[i])) return WEFT_OK;
    weft_axis_list axes = { 0 };
    drop_last(&w->now[d], in, n);
    for (uint32_t i = 0; i < n; i++) {
        weft_axis a = in->v[first + i];
        weft_axis_list_push_merged(&axes, a);
        weft_axis_list_push_merged(&w->now[to], a);
        if (!in_there->n && weft_axis_equal(out_there->v[0], a)) take_at(out_there, 0);
        else weft_axis_list_push(in_there, a);
    }
    in->n = first;
    *did = true;
    add_price(w, WEFT_MOVE_ALL_TO_ALL, parts(&axes));
    if (!w->b) return WEFT_OK;
    weft_axis_ref refs[WEFT_AXIS_LIST_MAX];
    for (uint32_t i = 0; i < axes.n; i++) refs[i] = weft_axis_to_ref(w->mesh, axes.v[i]);
    weft_a2a_param param = { { refs, axes.n }, d, to };
    return build(w, WEFT_OP_sdy_all_to_all, WEFT_A_params,
                 weft_attr_copy(w->cx, &(weft_attr){ .kind = WEFT_ATTR_A2A_PARAMS, .a2a = { &param, 1 } }));
}

static weft_status try_exchanges(walk *w, order o) {
    weft_status st = WEFT_OK;
    for (uint32_t d = 0; st == WEFT_OK && d < w->rank; d++)
        for (bool did = true; did && st == WEFT_OK;) st = try_exchange(w, d, o, &did);
    return st;
}

typedef enum gathered { UNWANTED, ALL } gathered;

/* The last axes of each dimension that nobody wants, or all. */
static weft_status try_gather(walk *w, gathered what) {
    nothing_moved(w);
    for (uint32_t d = 0; d < w->rank; d++) {
        weft_axis_list *in = &w->in[d];
        uint32_t n = 0, dim, at;
        while (n < in->n && (what == ALL || !find(w->out, w->rank, in->v[in->n - 1 - n], &dim, &at))) n++;
        drop_last(&w->now[d], in, n);
        for (uint32_t i = in->n - n; i < in->n; i++) weft_axis_list_push_merged(&w->moved[d], in->v[i]);
        in->n -= n;
    }
    return build_per_dim(w, WEFT_OP_sdy_all_gather, WEFT_A_gathering_axes, WEFT_MOVE_GATHER);
}

static weft_status go(walk *w) {
    weft_status st = WEFT_OK;
    for (uint32_t round = 0; round < 3 && st == WEFT_OK && !arrived(w); round++) {
        /* the third: sizes without a common divisor may hold each other up, until nothing is there */
        if (round == 2) st = try_gather(w, ALL);
        if (st == WEFT_OK) st = try_slice(w);
        if (st == WEFT_OK) st = try_permute(w);
        if (st == WEFT_OK) st = try_exchanges(w, IN_ORDER);
        if (st == WEFT_OK) st = try_exchanges(w, ANY_ORDER);
        if (st == WEFT_OK) st = try_gather(w, UNWANTED);
    }
    if (st == WEFT_OK && !arrived(w))
        st = weft_report(w->cx, WEFT_D_internal, w->b ? w->b->loc : NULL,
                         "collectives did not bring a value to its sharding");
    return st;
}

static weft_status walk_from(walk *w, const weft_sharding *from) {
    bool full = false;
    w->mesh = from->mesh;
    w->rank = from->rank;
    w->price.even = true;
    for (uint32_t d = 0; d < w->rank; d++) {
        weft_axis_list_set(&w->now[d], from->dims[d].axes);
        weft_axis_list_set(&w->in[d], from->dims[d].axes);
        weft_axis_list_set(&w->out[d], w->to->dims[d].axes);
        drop_axes_of_one(&w->in[d]);
        drop_axes_of_one(&w->out[d]);
    }
    align_both(w);
    for (uint32_t d = 0; d < w->rank; d++) full |= w->in[d].full || w->out[d].full;
    drop_common_prefix(w);
    note_place(w);
    w->bytes = part_bytes(w);
    if (!full) return go(w);
    return weft_report(w->cx, WEFT_D_unsupported, w->b ? w->b->loc : NULL, "a dimension sharded over more than %d axes",
                       WEFT_AXIS_LIST_MAX);
}

/* b and v NULL: only the price is asked for, by costs. */
static weft_status whole_walk(weft_context *cx, weft_shardings *t, weft_builder *b, const weft_sharding *from,
                              const weft_sharding *to, const weft_type *type, weft_value **v, const weft_costs *costs,
                              weft_steps_price *price) {
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_axis_list *lists = take_lists(cx, 4 * (size_t)from->rank); /* too large for the stack */
    if (!lists) return weft_oom();
    walk w = { .cx = cx, .t = t, .b = b, .v = v ? *v : NULL, .type = type, .to = to, .costs = costs, .now = lists,
               .in = lists + from->rank, .out = lists + 2 * (size_t)from->rank,
               .moved = lists + 3 * (size_t)from->rank };
    weft_status st = walk_from(&w, from);
    if (v) *v = w.v;
    if (price) *price = w.price;
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

weft_status weft_insert_collectives(weft_shardings *t, weft_builder *b, const weft_sharding *from,
                                    const weft_sharding *to, weft_value **v) {
    return whole_walk(b->m->cx, t, b, from, to, (*v)->type, v, NULL, NULL);
}

weft_status weft_price_collectives(weft_context *cx, weft_shardings *t, const weft_sharding *from,
                                   const weft_sharding *to, const weft_type *type, const weft_costs *costs,
                                   weft_steps_price *out) {
    return whole_walk(cx, t, NULL, from, to, type, NULL, costs, out);
}
