/* widen_pieces: what is computed of slices, to be put back beside other elements, is computed where it is put.
 *
 * A step of a grid with borders writes u.at[1:-1].set(f(u[2:], u[:-2])): slices, arithmetic on them, and an update.
 * Each slice is a value of its own size that lies in parts of its own, so its elements move there, and the results move
 * back. Here, the arithmetic is done on values of the whole's size: f(u shifted by one, u shifted by minus one) where
 * the update goes, u elsewhere. Then elements move once, from where they are to where they are wanted, and pieces that
 * read the same neighbours (the ends of a gradient) share them.
 *
 * Pass weft-widen-pieces. Needs: shardings of values. Leaves: for concatenations, pads and updates at known places of
 * what is computed of slices along sharded dimensions, the same computation on shifted values (pads of what the slices
 * are of, with negative edges), where halo.h says that less is sent so. The ops that computed the pieces have no
 * readers; cse drops them.
 *
 * The price is arithmetic on elements that no op reads. A piece of less than half of the whole is widened only where
 * that costs less than the kernel's memory does: SPARE_OPS cheap ops an element.
 */
#include "ir/rewrite.h"
#include "cost/op.h"
#include "partitioner/prepare/element_order.h"
#include "partitioner/lower/halo.h"
#include "partitioner/lower/index_range.h"
#include "partitioner/lower/local.h"
#include "partitioner/partition.h"
#include "partitioner/prepare/spot.h"
#include "sharding/data_flow.h"

#define MAX_PIECES 16
#define MAX_NEEDS 64   /* values that one root reads in one place each */
#define MAX_BEHIND 512 /* ops before a root among which its pieces' are looked for */
/* Measured: a chain of n multiplies and adds of 2^22 f32 (`weft run --repeat 120`, processor time, one core of an AMD
 * EPYC) takes 0.118 ns an element for n = 1, 0.124 for 4 and for 16, 0.161 for 32 and 0.945 for 64: the time of up to
 * 16 is that of memory. An exponential takes 0.2 ns more than memory (bench/math), as long as 10 to 16 of these. */
#define SPARE_OPS 16

/* Elements [low, high) of base along each dimension, of which element i goes to shift + i * step of the whole. */
typedef struct need {
    const weft_value *base;
    int64_t shift[WEFT_MAX_RANK], step[WEFT_MAX_RANK], low[WEFT_MAX_RANK], high[WEFT_MAX_RANK];
    uint32_t round;            /* along this dimension all elements are moved, round the end; NO_DIM: along none */
    weft_value *made;
} need;

#define NO_DIM UINT32_MAX

typedef struct piece {
    const weft_value *value;
    weft_spot spot;
    bool widens;
} piece;

typedef struct needs { need v[MAX_NEEDS]; uint32_t n; } needs;

typedef struct widener {
    weft_context *cx;
    weft_shardings *shardings;
    weft_uses uses;
    bool *widens;              /* by op id */
    /* by op id: the root + 1 whose pieces it computes; by value id: the visit in which it was met */
    uint32_t *tree, *seen;
    uint32_t visit;
    weft_value **made;         /* by value id: in this visit */

    /* of the root that is looked at */
    const weft_op *root;
    const weft_sharding *s;
    piece pieces[MAX_PIECES];
    uint32_t count;
    /* the slices that the pieces are of, the pieces as they move now; what would move instead of both */
    needs before, moves, after;
} widener;

/* --- pieces ------------------------------------------------------------------------------------------------------- */

static void add_piece(widener *w, const weft_value *v, const weft_spot *spot) {
    w->pieces[w->count++] = (piece){ v, *spot, false };
}

static weft_spot spot_of(const weft_type *t) {
    weft_spot s;
    for (uint32_t d = 0; d < t->rank; d++) s.at[d] = 0, s.step[d] = 1, s.n[d] = t->dims[d];
    return s;
}

static bool pieces_of_concatenate(widener *w, const weft_op *op) {
    const int64_t d = weft_op_int(op, WEFT_A_dimension, 0);
    int64_t at = 0;
    if (op->operand_count > MAX_PIECES) return false;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        weft_spot s = spot_of(op->operands[i]->type);
        s.at[d] = at;
        at += s.n[d];
        add_piece(w, op->operands[i], &s);
    }
    return true;
}

static bool pieces_of_pad(widener *w, const weft_op *op) {
    weft_spot s = spot_of(op->operands[0]->type);
    for (uint32_t d = 0; d < op->results[0].type->rank; d++) {
        s.at[d] = weft_op_int_at(op, WEFT_A_edge_padding_low, d, 0);
        s.step[d] = s.n[d] > 1 ? weft_op_int_at(op, WEFT_A_interior_padding, d, 0) + 1 : 1;
        if (s.at[d] < 0 || weft_op_int_at(op, WEFT_A_edge_padding_high, d, 0) < 0) return false;
    }
    add_piece(w, op->operands[0], &s);
    return true;
}

static bool pieces_of_update(widener *w, const weft_op *op) {
    weft_spot s = spot_of(op->operands[1]->type);
    for (uint32_t d = 0; d < op->results[0].type->rank; d++) {
        const weft_range at = weft_index_range(op->operands[2 + d], 0, 0);
        if (at.low != at.high || at.low < 0 || at.low > op->results[0].type->dims[d] - s.n[d]) return false;
        s.at[d] = at.low;
    }
    add_piece(w, op->operands[1], &s);
    return true;
}

/* Whether op puts pieces into spots. */
static bool pieces_of(widener *w, const weft_op *op) {
    w->count = 0;
    if (op->kind != WEFT_OP_concatenate && op->kind != WEFT_OP_pad && op->kind != WEFT_OP_dynamic_update_slice)
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!weft_type_is_static(op->operands[i]->type) || weft_type_elems(op->operands[i]->type) <= 0) return false;
    if (!weft_type_is_static(op->results[0].type)) return false;
    return op->kind == WEFT_OP_concatenate ? pieces_of_concatenate(w, op)
           : op->kind == WEFT_OP_pad       ? pieces_of_pad(w, op)
                                           : pieces_of_update(w, op);
}

/* --- what computes them ------------------------------------------------------------------------------------------- */

static bool computes(const weft_op *op) {
    return op->result_count == 1 && op->region_count == 0 && op->operand_count > 0 &&
           weft_type_is_static(op->results[0].type) &&
           (weft_op_kind_has(op->kind, WEFT_TRAIT_POINTWISE | WEFT_TRAIT_PURE) ||
            (op->kind == WEFT_OP_reshape && weft_op_keeps_order(op)));
}

static bool in_tree(const widener *w, const weft_value *v) { return v->def && w->tree[v->def->id] == w->root->id + 1; }

/* Whether all readers of v are the root or compute its pieces. */
static bool is_read_there_only(const widener *w, const weft_value *v) {
    for (uint32_t i = w->uses.start[v->id]; i < w->uses.start[v->id + 1]; i++) {
        const weft_op *by = w->uses.use[i].op;
        if (by != w->root && w->tree[by->id] != w->root->id + 1) return false;
    }
    return w->uses.start[v->id] < w->uses.start[v->id + 1];
}

static void find_tree(widener *w) {
    uint32_t left = MAX_BEHIND;
    for (const weft_op *op = w->root->prev; op && left; op = op->prev, left--)
        if (computes(op) && is_read_there_only(w, &op->results[0])) w->tree[op->id] = w->root->id + 1;
}

static bool is_number(const weft_value *v) {
    return !v->type->rank || weft_value_splat(v) ||
           (v->def && v->def->kind == WEFT_OP_broadcast_in_dim && !v->def->operands[0]->type->rank);
}

/* v is one value along dimensions in which the spot is not full: a row or column that is the same for all of the piece.
 */
static bool is_spread(const widener *w, const weft_value *v, const weft_spot *spot) {
    const weft_op *op = v->def;
    if (!op || op->kind != WEFT_OP_broadcast_in_dim || v->type->rank != w->root->results[0].type->rank) return false;
    const weft_ints dims = weft_op_ints(op, WEFT_A_broadcast_dimensions);
    for (uint32_t i = 0; i < dims.n; i++)
        if (op->operands[0]->type->dims[i] != 1 &&
            !weft_spot_is_full(spot, w->root->results[0].type, (uint32_t)dims.v[i]))
            return false;
    return true;
}

/* Whether elements of n go where m takes them. */
static bool is_same_move(const need *m, const need *n, uint32_t rank) {
    if (m->base != n->base || memcmp(m->step, n->step, rank * sizeof *m->step)) return false;
    for (uint32_t d = 0; d < rank; d++)
        if (m->shift[d] != n->shift[d] && (d != m->round || (m->shift[d] - n->shift[d]) % m->base->type->dims[d]))
            return false;
    return true;
}

/* Adds what is read of a value in one place; wider where it is read there already. NULL when there are too many. */
static need *add_need(needs *all, const need *n, uint32_t rank) {
    for (uint32_t i = 0; i < all->n; i++) {
        need *m = &all->v[i];
        if (!is_same_move(m, n, rank)) continue;
        for (uint32_t d = 0; d < rank; d++) {
            m->low[d] = weft_min_i64(m->low[d], n->low[d]);
            m->high[d] = weft_max_i64(m->high[d], n->high[d]);
        }
        return m;
    }
    if (all->n == MAX_NEEDS) return NULL;
    all->v[all->n] = *n;
    return &all->v[all->n++];
}

/* What v, of a piece in this spot, is read of: as slices of a value that take the spot's steps, of that value. False
 * where shapes do not fit. */
static bool need_of(const weft_value *v, const weft_spot *spot, uint32_t rank, need *n) {
    const weft_value *first = weft_value_first_alike(v);
    *n = (need){ .base = first, .round = NO_DIM };
    if (v->type->rank != rank || !weft_type_is_tensor(v->type)) return false;
    for (uint32_t d = 0; d < rank; d++) {
        if (v->type->dims[d] != spot->n[d]) return false;
        n->shift[d] = spot->at[d];
        n->step[d] = spot->step[d];
        n->high[d] = spot->n[d];
    }
    const weft_op *op = first->def;
    if (!op || op->kind != WEFT_OP_slice) return true;
    const weft_ints start = weft_op_ints(op, WEFT_A_start_indices), stride = weft_op_ints(op, WEFT_A_strides);
    for (uint32_t d = 0; d < rank; d++)
        if (spot->n[d] > 1 && stride.v[d] != spot->step[d]) return true;
    n->base = weft_value_first_alike(op->operands[0]);
    for (uint32_t d = 0; d < rank; d++) {
        n->shift[d] = spot->at[d] - start.v[d];
        n->step[d] = 1;
        n->low[d] = start.v[d];
        n->high[d] = start.v[d] + (spot->n[d] - 1) * spot->step[d] + 1;
    }
    return true;
}

static bool lie_alike(const widener *w, const weft_value *v, weft_status *st) {
    const weft_sharding *there;
    *st = weft_value_sharding_inside(w->cx, w->shardings, v, &there);
    return *st == WEFT_OK && there && there->mesh == w->s->mesh && weft_sharding_equivalent(there, w->s);
}

/* --- what is sent ------------------------------------------------------------------------------------------------- */

/* Bytes that a device sends, with one more for each call, as elements [low, high) of a value of type come from parts of
 * one length to where parts of another begin at begin(k): along each dimension by itself. */
typedef int64_t begin_fn(const need *n, uint32_t d, int64_t k, int64_t made);

static int64_t begin_of_shifted(const need *n, uint32_t d, int64_t k, int64_t made) {
    return n->step[d] == 1 ? k * made - n->shift[d]
                           : weft_floor_div(k * made - n->shift[d] + n->step[d] - 1, n->step[d]);
}

static int64_t begin_of_slice(const need *n, uint32_t d, int64_t k, int64_t made) {
    return n->low[d] + k * made * n->step[d];
}

/* Elements that a device sends in a rotation of what the devices divide: those of the shift, either way round, or a
 * part. */
static int64_t sent_round(int64_t shift, int64_t size, int64_t shards, int64_t *calls) {
    const int64_t part = size / shards, by = ((shift % size) + size) % size;
    *calls = by <= part || by >= size - part || by % part == 0 ? 1 : 2;
    return weft_min_i64(part, weft_min_i64(by, size - by));
}

/* wide: elements that a part of the result spans. */
static double sent_along(const widener *w, const need *n, uint32_t d, int64_t made, int64_t wide, begin_fn *begin) {
    const int64_t shards = weft_dim_shards(w->s, d), size = n->base->type->dims[d];
    double bytes = 1;
    if (shards == 1) return 0;
    weft_mark mark = weft_arena_mark(&w->cx->scratch);
    int64_t *at = weft_scratch_array(w->cx, int64_t, shards), elems = -1, calls = 0;
    for (int64_t k = 0; at && k < shards; k++) at[k] = begin(n, d, k, made);
    if (d == n->round) elems = sent_round(n->shift[d], size, shards, &calls);
    else if (at) {
        const weft_halo h = { shards, weft_ceil_div(size, shards), wide, at, n->low[d], n->high[d] };
        elems = weft_halo_sent(w->cx, &h);
        calls = weft_halo_calls(w->cx, &h);
    }
    weft_arena_reset(&w->cx->scratch, mark);
    for (uint32_t e = 0; e < w->s->rank; e++)
        if (e != d) bytes *= (double)weft_ceil_div(n->base->type->dims[e], weft_dim_shards(w->s, e));
    bytes *= (double)weft_dtype_of(n->base->type->dtype)->bits / 8;
    return elems < 0 ? (double)size * bytes : (double)elems * bytes + (double)calls;
}

static double sent_shifting(const widener *w, const need *all, uint32_t count) {
    double sent = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t d = 0; d < w->s->rank; d++) {
            const int64_t made = weft_ceil_div(w->root->results[0].type->dims[d], weft_dim_shards(w->s, d));
            sent += sent_along(w, &all[i], d, made, weft_ceil_div(made, all[i].step[d]), begin_of_shifted);
        }
    return sent;
}

/* What slices send, to parts of their own, as the program has them. */
static double sent_slicing(const widener *w, const needs *all) {
    double sent = 0;
    for (uint32_t i = 0; i < all->n; i++)
        for (uint32_t d = 0; d < w->s->rank; d++) {
            const need *n = &all->v[i];
            const int64_t size = weft_ceil_div(n->high[d] - n->low[d], n->step[d]),
                          made = weft_ceil_div(size, weft_dim_shards(w->s, d));
            sent += sent_along(w, n, d, made, (made - 1) * n->step[d] + 1, begin_of_slice);
        }
    return sent;
}

/* A slice that only the pieces read: without them, nothing of it is sent. */
static bool add_slice(widener *w, const weft_value *v) {
    const weft_op *op = v->def;
    need n = { .round = NO_DIM };
    if (!op || op->kind != WEFT_OP_slice || !is_read_there_only(w, v)) return true;
    n.base = op->operands[0];
    for (uint32_t d = 0; d < v->type->rank; d++) {
        n.low[d] = n.shift[d] = weft_op_ints(op, WEFT_A_start_indices).v[d];
        n.step[d] = weft_op_ints(op, WEFT_A_strides).v[d];
        n.high[d] = n.low[d] + (v->type->dims[d] - 1) * n.step[d] + 1;
    }
    for (uint32_t i = 0; i < w->before.n; i++)
        if (!memcmp(&w->before.v[i], &n, sizeof n)) return true;
    if (w->before.n == MAX_NEEDS) return false;
    w->before.v[w->before.n++] = n;
    return true;
}

/* --- looking ------------------------------------------------------------------------------------------------------ */

typedef struct work { double ops; bool fits; } work;

/* Adds what v is computed of to the needs, and what that takes for an element. */
static weft_status look_into(widener *w, const weft_value *v, const weft_spot *spot, work *done) {
    const uint32_t rank = w->root->results[0].type->rank;
    need n;
    weft_op_cost cost;
    weft_status st = WEFT_OK;
    if (!done->fits || w->seen[v->id] == w->visit || is_number(v)) return WEFT_OK;
    w->seen[v->id] = w->visit;
    if (in_tree(w, v)) {
        if (v->def->kind != WEFT_OP_reshape && weft_cost_op(v->def, &cost) == WEFT_OK)
            done->ops += cost.transcendentals > 0 ? SPARE_OPS : 1;
        for (uint32_t i = 0; st == WEFT_OK && i < v->def->operand_count; i++)
            st = look_into(w, v->def->operands[i], spot, done);
        return st;
    }
    if (is_spread(w, v, spot)) return WEFT_OK;
    done->fits =
        need_of(v, spot, rank, &n) && lie_alike(w, n.base, &st) && add_need(&w->after, &n, rank) && add_slice(w, v);
    return st;
}

/* What moves when the piece is put into its spot. */
static bool add_move(widener *w, const piece *p) {
    const uint32_t rank = w->root->results[0].type->rank;
    need n = { .base = p->value, .round = NO_DIM };
    if (p->value->type->rank != rank) return false;
    memcpy(n.shift, p->spot.at, rank * sizeof *n.shift);
    memcpy(n.step, p->spot.step, rank * sizeof *n.step);
    memcpy(n.high, p->spot.n, rank * sizeof *n.high);
    return add_need(&w->moves, &n, rank);
}

/* Reads of nearly all that can come from there are reads of all of it, where that sends no more: one pad does. */
static void round_up(const widener *w, need *n) {
    const weft_type *whole = w->root->results[0].type;
    for (uint32_t d = 0; d < whole->rank; d++) {
        need wide = *n;
        if (n->step[d] != 1) continue;
        wide.low[d] = weft_max_i64(0, -n->shift[d]);
        wide.high[d] = weft_min_i64(n->base->type->dims[d], whole->dims[d] - n->shift[d]);
        if (sent_shifting(w, &wide, 1) <= sent_shifting(w, n, 1)) *n = wide;
    }
}

/* n and m as one: what leaves the whole at one end along a dimension that the devices divide comes in at the other.
 * False where they are none such. */
static bool rotated(const widener *w, const need *n, const need *m, need *both) {
    const weft_type *whole = w->root->results[0].type;
    *both = *n;
    for (uint32_t d = 0; d < whole->rank; d++) {
        const int64_t size = whole->dims[d], apart = n->shift[d] - m->shift[d];
        if (n->step[d] != 1 || m->step[d] != 1) return false;
        both->low[d] = weft_min_i64(n->low[d], m->low[d]);
        both->high[d] = weft_max_i64(n->high[d], m->high[d]);
        if (!apart) continue;
        if (both->round != NO_DIM || n->base->type->dims[d] != size || (apart != size && apart != -size) ||
            size % weft_dim_shards(w->s, d))
            return false;
        both->round = d;
        both->shift[d] = weft_max_i64(n->shift[d], m->shift[d]);
        both->low[d] = 0;
        both->high[d] = size;
    }
    return n->base == m->base && n->round == NO_DIM && m->round == NO_DIM && both->round != NO_DIM;
}

/* A slice that a concatenation puts beside widened pieces, where it and what they read are one rotation. */
static void join_slices(widener *w) {
    const uint32_t rank = w->root->results[0].type->rank;
    for (uint32_t i = 0; i < w->count; i++) {
        piece *p = &w->pieces[i];
        need n, both;
        if (p->widens || !need_of(p->value, &p->spot, rank, &n)) continue;
        for (uint32_t j = 0; j < w->after.n && !p->widens; j++)
            p->widens =
                rotated(w, &w->after.v[j], &n, &both) && add_need(&w->moves, &n, rank) && add_need(&w->after, &n, rank);
    }
}

static void join_rotations(widener *w) {
    for (uint32_t i = 0; i < w->after.n; i++)
        for (uint32_t j = i + 1; j < w->after.n; j++) {
            need both;
            const need *n = &w->after.v[i], *m = &w->after.v[j];
            if (!rotated(w, n, m, &both) ||
                sent_shifting(w, &both, 1) >= sent_shifting(w, n, 1) + sent_shifting(w, m, 1))
                continue;
            w->after.v[i] = both;
            w->after.v[j] = w->after.v[--w->after.n];
            break;
        }
}

/* Whether a widened piece has less than the whole along a sharded dimension, and whether one has less elements there
 * than there are devices. */
static void sizes_of(const widener *w, bool *small, bool *thin) {
    *small = *thin = false;
    for (uint32_t i = 0; i < w->count; i++)
        for (uint32_t d = 0; d < w->s->rank && w->pieces[i].widens; d++) {
            const int64_t n = w->pieces[i].spot.n[d], shards = weft_dim_shards(w->s, d);
            *small = *small || (shards > 1 && n < w->root->results[0].type->dims[d]);
            *thin = *thin || n < shards;
        }
}

/* Whether less is sent than now. Where nothing would be, small pieces along sharded dimensions are widened too: alone,
 * they may be shared otherwise. So are those of less elements than devices where no more is sent: work on these is
 * shared along another dimension, to which they move. */
static bool is_less(const widener *w) {
    const double after = sent_shifting(w, w->after.v, w->after.n),
                 now = sent_slicing(w, &w->before) + sent_shifting(w, w->moves.v, w->moves.n);
    bool small, thin;
    sizes_of(w, &small, &thin);
    return after < now || (after == 0 && small) || (after == now && thin);
}

/* Decides which pieces of the root are widened; *yes: some. */
static weft_status look_at_root(widener *w, bool *yes) {
    const weft_type *whole = w->root->results[0].type;
    weft_status st = WEFT_OK;
    *yes = false;
    w->before.n = w->moves.n = w->after.n = 0;
    find_tree(w);
    for (uint32_t i = 0; st == WEFT_OK && i < w->count; i++) {
        piece *p = &w->pieces[i];
        work done = { 0, true };
        const uint32_t before = w->before.n, after = w->after.n;
        w->visit++;
        if (!in_tree(w, p->value)) continue;
        st = look_into(w, p->value, &p->spot, &done);
        p->widens = done.fits && done.ops > 0 &&
                    (done.ops <= SPARE_OPS || 2 * weft_type_elems(p->value->type) >= weft_type_elems(whole)) &&
                    add_move(w, p);
        *yes = *yes || p->widens;
        if (p->widens) continue;
        w->before.n = before; /* those that stay may have grown: more is priced than will be sent */
        w->after.n = after;
    }
    if (*yes && w->root->kind == WEFT_OP_concatenate) join_slices(w);
    for (uint32_t i = 0; i < w->after.n; i++) round_up(w, &w->after.v[i]);
    join_rotations(w);
    if (*yes) *yes = is_less(w);
    return st;
}

static weft_status look_at(widener *w, const weft_op *op, bool *yes) {
    weft_status st = WEFT_OK;
    *yes = false;
    if (!pieces_of(w, op)) return WEFT_OK;
    st = weft_value_sharding_inside(w->cx, w->shardings, &op->results[0], &w->s);
    w->root = op;
    return st == WEFT_OK && weft_sharding_cuts(w->s) ? look_at_root(w, yes) : st;
}

static weft_status look(void *user, weft_op *op) {
    widener *w = user;
    return look_at(w, op, &w->widens[op->id]);
}

/* --- making it ---------------------------------------------------------------------------------------------------- */

/* x, moved round the end of dimension d by so many elements. */
static weft_value *rotation(const widener *w, weft_builder *b, weft_value *x, uint32_t d, int64_t by) {
    const int64_t size = x->type->dims[d], from = size - by;
    weft_value *ends[2] = { weft_sharded_like(b, w->root, weft_build_cut(b, x, d, from, size)),
                            weft_sharded_like(b, w->root, weft_build_cut(b, x, d, 0, from)) };
    return ends[0] && ends[1] ? weft_sharded_like(b, w->root, weft_build_concatenate(b, ends, 2, d)) : NULL;
}

/* The base where the needs have it, with zeros beside it. */
static weft_value *shifted(widener *w, const weft_map *map, weft_builder *b, need *n) {
    const weft_type *whole = w->root->results[0].type;
    int64_t by[WEFT_MAX_RANK], low[WEFT_MAX_RANK], high[WEFT_MAX_RANK], steps[WEFT_MAX_RANK], ones[WEFT_MAX_RANK];
    weft_value *x = map->to[n->base->id];
    bool cuts = false, moves = false;
    if (n->made) return n->made;
    for (uint32_t d = 0; d < whole->rank; d++) by[d] = d == n->round ? 0 : n->shift[d];
    if (n->round != NO_DIM) x = rotation(w, b, x, n->round, n->shift[n->round]);
    if (!x) return NULL;
    for (uint32_t d = 0; d < whole->rank; d++) {
        const int64_t size = n->base->type->dims[d];
        /* What falls out of the whole is split by the pad's edges. */
        const int64_t all_low = weft_max_i64(0, -by[d]),
                      all_high = n->step[d] == 1 ? weft_min_i64(size, whole->dims[d] - by[d]) : size;
        low[d] = n->low[d] == all_low ? 0 : n->low[d];
        high[d] = n->high[d] == all_high ? size : n->high[d];
        ones[d] = 1;
        cuts = cuts || low[d] || high[d] != size;
    }
    if (cuts) x = weft_sharded_like(b, w->root, weft_build_slice(b, x, low, high, ones));
    for (uint32_t d = 0; x && d < whole->rank; d++) {
        low[d] += by[d];
        steps[d] = n->step[d] - 1;
        high[d] = whole->dims[d] - low[d] - (x->type->dims[d] - 1) * n->step[d] - 1;
        moves = moves || low[d] || high[d] || steps[d];
    }
    weft_value *zero = x && moves ? weft_build_splat(b, weft_type_tensor(w->cx, x->type->dtype, 0, NULL), 0) : NULL;
    n->made = moves ? zero ? weft_sharded_like(b, w->root, weft_build_pad(b, x, zero, low, high, steps)) : NULL : x;
    return n->made;
}

static weft_value *widened(widener *w, const weft_map *map, weft_builder *b, const weft_value *v,
                           const weft_spot *spot);

static weft_value *widened_op(widener *w, const weft_map *map, weft_builder *b, const weft_op *op,
                              const weft_spot *spot) {
    const weft_type *type = weft_type_with_dtype(w->cx, w->root->results[0].type, op->results[0].type->dtype);
    weft_mark mark = weft_arena_mark(&w->cx->scratch);
    weft_value **operands = weft_scratch_array(w->cx, weft_value *, op->operand_count), *v = NULL;
    bool all = operands && type;
    for (uint32_t i = 0; all && i < op->operand_count; i++) {
        operands[i] = op->operands[i]->type->rank || !op->results[0].type->rank
                          ? widened(w, map, b, op->operands[i], spot)
                          : map->to[op->operands[i]->id];
        all = operands[i];
    }
    if (all) {
        weft_op *made = weft_build_op(b, &(weft_op_spec){ .kind = op->kind, .name = op->name, .operands = operands,
                                                          .operand_count = op->operand_count, .types = &type,
                                                          .result_count = 1, .attrs = op->attrs,
                                                          .attr_count = op->attr_count });
        v = made ? weft_sharded_like(b, w->root, &made->results[0]) : NULL;
    }
    weft_arena_reset(&w->cx->scratch, mark);
    return v;
}

static weft_value *widened_number(widener *w, const weft_map *map, weft_builder *b, const weft_value *v) {
    const weft_type *type = weft_type_with_dtype(w->cx, w->root->results[0].type, v->type->dtype);
    const weft_attr *splat = weft_value_splat(v);
    if (!type) return NULL;
    if (splat) {
        const weft_attr *scalar =
            weft_attr_dense(w->cx, weft_type_tensor(w->cx, v->type->dtype, 0, NULL), splat->dense.p, true);
        weft_value *x = scalar ? weft_build_constant(b, scalar) : NULL;
        return x ? weft_sharded_like(b, w->root, weft_build_broadcast(b, x, type, NULL)) : NULL;
    }
    weft_value *x = map->to[v->type->rank ? v->def->operands[0]->id : v->id];
    return weft_sharded_like(b, w->root, weft_build_broadcast(b, x, type, NULL));
}

/* v, of a piece in the spot, as a value of the whole's size. */
static weft_value *widened(widener *w, const weft_map *map, weft_builder *b, const weft_value *v,
                           const weft_spot *spot) {
    const weft_type *whole = w->root->results[0].type;
    need n;
    if (w->seen[v->id] == w->visit) return w->made[v->id];
    weft_value *x = NULL;
    if (is_number(v)) x = widened_number(w, map, b, v);
    else if (in_tree(w, v) && v->def->kind == WEFT_OP_reshape) x = widened(w, map, b, v->def->operands[0], spot);
    else if (in_tree(w, v)) x = widened_op(w, map, b, v->def, spot);
    else if (is_spread(w, v, spot))
        x = weft_sharded_like(b, w->root,
                              weft_build_broadcast(b, map->to[v->def->operands[0]->id],
                                                   weft_type_with_dtype(w->cx, whole, v->type->dtype),
                                                   weft_op_ints(v->def, WEFT_A_broadcast_dimensions).v));
    else if (need_of(v, spot, whole->rank, &n)) x = shifted(w, map, b, add_need(&w->after, &n, whole->rank));
    w->seen[v->id] = w->visit;
    w->made[v->id] = x;
    return x;
}

/* Of a concatenation, the widened pieces as slices of what they were widened to: no element of these moves. */
static weft_status concatenated(widener *w, const weft_map *map, weft_builder *b, weft_value **out) {
    const uint32_t d = (uint32_t)weft_op_int(w->root, WEFT_A_dimension, 0);
    weft_value *pieces[MAX_PIECES];
    for (uint32_t i = 0; i < w->count; i++) {
        const piece *p = &w->pieces[i];
        pieces[i] = map->to[p->value->id];
        if (!p->widens) continue;
        w->visit++;
        weft_value *v = widened(w, map, b, p->value, &p->spot);
        pieces[i] =
            v ? weft_sharded_like(b, w->root, weft_build_cut(b, v, d, p->spot.at[d], p->spot.at[d] + p->spot.n[d]))
              : NULL;
        if (!pieces[i]) return b->status != WEFT_OK ? b->status : weft_oom();
    }
    *out = weft_sharded_like(b, w->root, weft_build_concatenate(b, pieces, w->count, d));
    return b->status;
}

static weft_status offered(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    widener *w = r->user;
    bool yes;
    weft_value *made = NULL;
    if (!w->widens[op->id]) return WEFT_OK;
    weft_status st = look_at(w, op, &yes);
    if (st == WEFT_OK && op->kind == WEFT_OP_concatenate) st = concatenated(w, &r->map, b, &made);
    else if (st == WEFT_OK) {
        const bool pads = op->kind == WEFT_OP_pad;
        weft_value *around = r->map.to[op->operands[pads ? 1 : 0]->id];
        if (pads) around = weft_sharded_like(b, op, weft_build_broadcast(b, around, op->results[0].type, NULL));
        w->visit++;
        made = weft_spot_select(w->shardings, b, op, w->s, &w->pieces[0].spot,
                                widened(w, &r->map, b, w->pieces[0].value, &w->pieces[0].spot), around);
    }
    if (st == WEFT_OK) st = b->status;
    if (st == WEFT_OK && !made) st = weft_oom();
    if (st != WEFT_OK) return st;
    made->hint = op->results[0].hint;
    r->map.to[op->results[0].id] = made;
    *did = WEFT_DONE;
    return WEFT_OK;
}

weft_status weft_pass_widen_pieces(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    if (!weft_module_had(in, WEFT_OP_concatenate) && !weft_module_had(in, WEFT_OP_pad) &&
        !weft_module_had(in, WEFT_OP_dynamic_update_slice))
        return WEFT_OK;
    weft_arena_init(&arena, &p->cx->chunks);
    widener *w = weft_arena_array(&arena, widener, 1);
    bool any = false;
    weft_status st = w ? WEFT_OK : weft_oom();
    if (st == WEFT_OK) {
        w->cx = p->cx;
        w->widens = weft_arena_array(&arena, bool, in->op_count);
        w->tree = weft_arena_array(&arena, uint32_t, in->op_count);
        w->seen = weft_arena_array(&arena, uint32_t, in->value_count);
        w->made = weft_arena_array(&arena, weft_value *, in->value_count);
        st = w->widens && w->tree && w->seen && w->made ? weft_uses_build(in, &arena, &w->uses) : weft_oom();
    }
    if (st == WEFT_OK) st = weft_shardings_open(p->cx, in, &arena, &w->shardings);
    if (st == WEFT_OK) st = weft_module_walk(in, look, w);
    for (uint32_t i = 0; st == WEFT_OK && i < in->op_count; i++) any = any || w->widens[i];
    if (any) st = weft_rewrite_module(&(weft_rewrite){ .user = w, .op = offered }, in, &arena, out);
    weft_arena_free(&arena);
    return st;
}
