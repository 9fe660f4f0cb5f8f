/* local_listed.c: sdy's collectives in the listed form, as Shardy's pass writes them.
 *
 * A collective over several dimensions is one call over a leading dimension of all its devices, with reshapes and
 * transposes around it; a reduce_scatter over several is an all_reduce and a slice unless one call is asked for. Every
 * device has its pair in a collective_permute. Source: Shardy, sdy-convert-global-to-local.
 */
#include "partitioner/lower/local_ops.h"

/* What a collective over several dimensions splits and joins. */
typedef struct parts {
    uint32_t count;                   /* dimensions taken part in */
    uint32_t dim[WEFT_MAX_RANK];
    int64_t factor[WEFT_MAX_RANK];    /* devices along them */
    uint8_t atoms[WEFT_MAX_ATOMS];    /* of all of them, in order */
    uint32_t atom_count;
    int64_t total;                    /* product of the factors */
} parts;

static void take_part(const weft_localizer *z, parts *p, uint32_t dim, const uint8_t *atoms, uint32_t n) {
    int64_t size = 1;
    for (uint32_t i = 0; i < n; i++) {
        size *= weft_atom_size(z->t, atoms[i]);
        p->atoms[p->atom_count++] = atoms[i];
    }
    p->dim[p->count] = dim;
    p->factor[p->count++] = size;
    p->total *= size;
}

/* What `more` has after `less`, dimension by dimension. */
static parts tails(const weft_localizer *z, const weft_placement *less, const weft_placement *more, uint32_t rank) {
    parts p = { .total = 1 };
    uint8_t atoms[WEFT_MAX_ATOMS];
    for (uint32_t d = 0; d < rank; d++) {
        uint32_t n = weft_placement_dim_tail(less, more, d, atoms);
        if (n) take_part(z, &p, d, atoms, n);
    }
    return p;
}

static bool find_dim(const parts *p, uint32_t d, uint32_t *at) {
    for (uint32_t i = 0; i < p->count; i++)
        if (p->dim[i] == d) {
            *at = i;
            return true;
        }
    return false;
}

/* The factors of x's parts in front, as one dimension, and what is left of each dimension after. */
static weft_value *split_to_front(weft_localizer *z, weft_value *x, const parts *p) {
    int64_t dims[2 * WEFT_MAX_RANK] = { 0 }, permutation[2 * WEFT_MAX_RANK];
    uint32_t n = 0, front = 0, back = p->count, at;
    if (!x) return NULL;
    for (uint32_t d = 0; d < x->type->rank; d++) {
        int64_t left = x->type->dims[d];
        if (find_dim(p, d, &at)) {
            permutation[front++] = n;
            dims[n++] = p->factor[at];
            left /= p->factor[at];
        }
        permutation[back++] = n;
        dims[n++] = left;
    }
    x = weft_local_transposed(z, weft_local_reshaped(z, x, n, dims), permutation);
    if (!x) return NULL;
    dims[0] = p->total;
    for (uint32_t d = p->count; d < n; d++) dims[1 + d - p->count] = x->type->dims[d];
    return weft_local_reshaped(z, x, 1 + n - p->count, dims);
}

/* The leading dimension of x as factors, each in front of the dimension that it is joined with. */
static weft_value *join_from_front(weft_localizer *z, weft_value *x, const parts *p, const uint32_t *target) {
    int64_t dims[2 * WEFT_MAX_RANK], permutation[2 * WEFT_MAX_RANK], joined[WEFT_MAX_RANK];
    uint32_t rank, n = 0;
    if (!x) return NULL;
    rank = x->type->rank - 1;
    for (uint32_t i = 0; i < p->count; i++) dims[i] = p->factor[i];
    for (uint32_t d = 0; d < rank; d++) {
        dims[p->count + d] = joined[d] = x->type->dims[1 + d];
        for (uint32_t i = 0; i < p->count; i++)
            if (target[i] == d) {
                permutation[n++] = i;
                joined[d] *= p->factor[i];
            }
        permutation[n++] = p->count + d;
    }
    x = weft_local_transposed(z, weft_local_reshaped(z, x, n, dims), permutation);
    return weft_local_reshaped(z, x, rank, joined);
}

weft_status weft_listed_all_gather(weft_localizer *z, const weft_op *op) {
    weft_value *x = weft_local_value(z, op->operands[0]);
    const weft_placement *from = weft_local_placement(z, op->operands[0]),
                         *to = weft_local_placement(z, &op->results[0]);
    parts p = tails(z, to, from, op->operands[0]->type->rank);
    if (x && p.count > 1 && !(z->form & WEFT_FORM_GATHER_PER_DIM)) {
        int64_t dims[1 + WEFT_MAX_RANK] = { 1 };
        memcpy(dims + 1, x->type->dims, x->type->rank * sizeof dims[0]);
        x = weft_local_gathered(z, weft_local_reshaped(z, x, 1 + x->type->rank, dims), 0, p.atoms, p.atom_count);
        x = join_from_front(z, x, &p, p.dim);
    } else {
        uint32_t end = p.atom_count;
        for (uint32_t i = p.count; i-- > 0;) {
            uint8_t atoms[WEFT_MAX_ATOMS];
            uint32_t n = weft_placement_dim_tail(to, from, p.dim[i], atoms);
            x = weft_local_gathered(z, x, p.dim[i], p.atoms + (end -= n), n);
        }
    }
    weft_local_map(z, &op->results[0], x);
    return z->b->status;
}

static weft_value *reduce_and_slice(weft_localizer *z, const weft_op *op, weft_value *x, const parts *p) {
    const weft_type *type = weft_local_type(z, &op->results[0]);
    weft_value *starts[WEFT_MAX_RANK] = { NULL };
    uint32_t at = 0;
    x = weft_local_reduction(z, op, WEFT_OP_all_reduce, x, x->type, p->atoms, p->atom_count, 0);
    for (uint32_t d = 0; type && d < type->rank; d++) {
        uint32_t n = 0, i;
        if (find_dim(p, d, &i))
            for (int64_t size = 1; size < p->factor[i]; n++) size *= weft_atom_size(z->t, p->atoms[at + n]);
        starts[d] = weft_local_start(z, p->atoms + at, n, type->dims[d]);
        at += n;
    }
    return weft_local_part(z, x, type, starts);
}

weft_status weft_listed_reduce_scatter(weft_localizer *z, const weft_op *op) {
    weft_value *x = weft_local_value(z, op->operands[0]);
    parts p = tails(z, weft_local_placement(z, op->operands[0]), weft_local_placement(z, &op->results[0]),
                    op->operands[0]->type->rank);
    const weft_type *type = weft_local_type(z, &op->results[0]);
    if (!x || !type) return weft_oom();
    if (p.count == 1) x = weft_local_reduction(z, op, WEFT_OP_reduce_scatter, x, type, p.atoms, p.atom_count, p.dim[0]);
    else if (p.count && !(z->form & WEFT_FORM_SCATTER_AT_ONCE)) x = reduce_and_slice(z, op, x, &p);
    else if (p.count) {
        x = split_to_front(z, x, &p);
        x = x ? weft_local_reduction(z, op, WEFT_OP_reduce_scatter, x, weft_local_scaled(z, x->type, 0, 1, p.total),
                                     p.atoms, p.atom_count, 0)
              : NULL;
        x = weft_local_reshaped(z, x, type->rank, type->dims);
    }
    weft_local_map(z, &op->results[0], x);
    return z->b->status;
}

/* One exchange along a leading dimension: parts of the target dimensions go in front, and come back to the source
 * dimensions. Parameters are taken in the order of their targets. */
weft_status weft_listed_all_to_all(weft_localizer *z, const weft_op *op) {
    const weft_attr *params = weft_op_attr(op, WEFT_A_params);
    weft_value *x = weft_local_value(z, op->operands[0]);
    uint32_t source[WEFT_MAX_RANK];
    parts p = { .total = 1 };
    if (params->a2a.n < 2) return weft_lower_all_to_all(z, op);
    for (uint32_t d = 0; d < op->operands[0]->type->rank; d++)
        for (uint32_t i = 0; i < params->a2a.n; i++) {
            uint8_t atoms[WEFT_MAX_ATOMS];
            uint32_t n;
            if (params->a2a.v[i].tgt_dim != d) continue;
            weft_status st = weft_atoms_from_refs(z->t, params->a2a.v[i].axes, op->loc, atoms, &n);
            if (st != WEFT_OK) return st;
            source[p.count] = (uint32_t)params->a2a.v[i].src_dim;
            take_part(z, &p, d, atoms, n);
        }
    x = split_to_front(z, x, &p);
    if (x) {
        weft_group g = weft_local_group(z, p.atoms, p.atom_count);
        weft_attr_pair attrs[] = {
            { WEFT_A_split_dimension, weft_attr_i64(z->cx, 0) },
            { WEFT_A_concat_dimension, weft_attr_i64(z->cx, 0) },
            { WEFT_A_split_count, weft_attr_i64(z->cx, g.size) },
            { WEFT_A_replica_groups, g.attr },
            { WEFT_A_channel_handle, weft_local_channel(z) },
        };
        x = weft_build_1(z->b, WEFT_OP_all_to_all, x->type, &x, 1, attrs, WEFT_COUNT(attrs));
    }
    weft_local_map(z, &op->results[0], join_from_front(z, x, &p, source));
    return z->b->status;
}

/* The atoms of l dimension by dimension, then those that it does not use in mesh order: a number for every place. */
static void all_atoms(const weft_localizer *z, const weft_placement *l, uint8_t *atoms) {
    uint32_t n = 0, count = weft_placements_atom_count(z->t);
    for (uint32_t i = 0; i < l->n; i++) atoms[n++] = l->at[i].atom;
    for (uint32_t a = 0; a < count; a++)
        if (!weft_bits_has(l->used, a)) atoms[n++] = (uint8_t)a;
}

/* What a place holds before, its namesake in number holds after. Both have the same shards of each dimension. */
weft_status weft_listed_collective_permute(weft_localizer *z, const weft_op *op) {
    uint8_t before[WEFT_MAX_ATOMS], after[WEFT_MAX_ATOMS];
    const weft_placement *from = weft_local_placement(z, op->operands[0]),
                         *to = weft_local_placement(z, &op->results[0]);
    uint32_t count = weft_placements_atom_count(z->t);
    int64_t n = weft_placements_devices(z->t);
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *pairs = weft_scratch_array(z->cx, int64_t, 2 * n), *target = weft_scratch_array(z->cx, int64_t, n);
    if (!pairs || !target) return weft_oom();
    all_atoms(z, from, before);
    all_atoms(z, to, after);
    for (int64_t place = 0; place < n; place++) target[weft_local_number(z, after, count, place)] = place;
    for (int64_t place = 0; place < n; place++) {
        int64_t device = weft_local_device_of(z, from, place);
        pairs[2 * device] = device;
        pairs[2 * device + 1] = weft_local_device_of(z, to, target[weft_local_number(z, before, count, place)]);
    }
    weft_local_map(z, &op->results[0],
                   weft_local_permute(z, weft_local_value(z, op->operands[0]), weft_local_pairs(z, pairs, n)));
    weft_arena_reset(&z->cx->scratch, mark);
    return z->b->status;
}
