/* local_assemble.c: concatenate and weft.assemble along a dimension that is split.
 *
 * Both are pieces of their operands, one after the other. A device's part of the result is made of segments, each of
 * which lies in one part of one operand. Where these are the same on all devices, seen from each and counted round (a
 * rotation of what the devices divide), what comes from one distance comes in one call, and the segments are joined.
 * Otherwise each device fetches from each operand what of its piece falls into the part (halo.h), and takes, element by
 * element, the piece that has it.
 */
#include "partitioner/lower/halo.h"
#include "partitioner/lower/local_ops.h"

/* Elements [start, start + size) of operand `of`, which are the result's from `at` on. */
typedef struct piece { uint32_t of; int64_t start, size, at; } piece;

static piece piece_of(const weft_op *op, uint32_t i, int64_t at) {
    const int64_t d = weft_op_int(op, WEFT_A_dimension, 0);
    if (op->kind == WEFT_OP_concatenate) return (piece){ i, 0, op->operands[i]->type->dims[d], at };
    const int64_t start = weft_op_ints(op, WEFT_A_start_indices).v[i];
    return (piece){ i, start, weft_op_ints(op, WEFT_A_limit_indices).v[i] - start, at };
}

/* Other operands than neighbours' slices keep the dimension whole while shardings spread, but not here. */
weft_bits weft_factors_concatenate(const weft_op *op, const weft_rule *rule) {
    weft_rule_dim d = rule->tensors[0].dims[weft_op_int(op, WEFT_A_dimension, 0)];
    weft_bits set = weft_factors_moving(op, rule);
    for (uint32_t k = 0; k < d.n; k++) set |= weft_bit(rule->factors[d.first + k]);
    return set;
}

/* --- what is the same everywhere ---------------------------------------------------------------------------------- */

/* A number that all elements of a value are: no device needs any of it from another. */
typedef struct number { const weft_value *scalar; const weft_attr *dense; } number;

static bool puts_elsewhere(const weft_op *op) {
    static const weft_op_kind kinds[] = { WEFT_OP_broadcast_in_dim,      WEFT_OP_reshape,        WEFT_OP_sdy_reshard,
                                          WEFT_OP_sdy_all_slice,         WEFT_OP_sdy_all_gather, WEFT_OP_sdy_all_to_all,
                                          WEFT_OP_sdy_collective_permute };
    for (size_t i = 0; i < WEFT_COUNT(kinds); i++)
        if (op->kind == kinds[i]) return true;
    return weft_op_is_marker(op);
}

static bool number_of(const weft_value *v, number *n) {
    while (v->type->rank && v->def && puts_elsewhere(v->def)) v = v->def->operands[0];
    *n = (number){ v->type->rank ? NULL : v, weft_value_splat(v) };
    return n->scalar || n->dense;
}

static weft_value *number_as(weft_localizer *z, const number *n, const weft_type *type) {
    if (!type) return NULL;
    if (!n->dense) return weft_local_broadcast(z, weft_local_value(z, n->scalar), type);
    const weft_attr *a = weft_attr_dense(z->cx, type, n->dense->dense.p, true);
    return a ? weft_build_constant(z->b, a) : NULL;
}

/* --- the same on all devices -------------------------------------------------------------------------------------- */

#define MAX_SEGMENTS 32

/* Elements [low, high) of the part of `of` that lies `hop` devices on, counted round. */
typedef struct segment { const weft_value *of; int64_t hop, low, high; } segment;

typedef struct layout {
    segment segment[MAX_SEGMENTS];
    uint32_t n;
    /* what comes from elsewhere; segments of one operand and distance that touch share one */
    segment call[MAX_SEGMENTS];
    uint32_t calls;
} layout;

/* The segment that begins at `o` of the result, on device k, of which no more than `room` elements are wanted; pieces
 * from *i on. */
static segment segment_at(const weft_op *op, uint32_t d, int64_t shards, int64_t k, int64_t o, int64_t room, piece *p) {
    while (o >= p->at + p->size) *p = piece_of(op, p->of + 1, p->at + p->size);
    const weft_value *of = op->operands[p->of];
    const int64_t part = weft_ceil_div(of->type->dims[d], shards), from = p->start + o - p->at, owner = from / part;
    const int64_t size = weft_min_i64(room, weft_min_i64(p->at + p->size - o, (owner + 1) * part - from));
    return (segment){ of, (owner - k + shards) % shards, from - owner * part, from - owner * part + size };
}

static bool same_segment(const segment *a, const segment *b) {
    return a->of == b->of && a->hop == b->hop && a->low == b->low && a->high == b->high;
}

/* A call brings what lies side by side, or overlaps. */
static void add_call(layout *l, const segment *s) {
    for (uint32_t i = 0; i < l->calls; i++) {
        segment *c = &l->call[i];
        if (c->of != s->of || c->hop != s->hop || s->low > c->high || c->low > s->high) continue;
        c->low = weft_min_i64(c->low, s->low);
        c->high = weft_max_i64(c->high, s->high);
        return;
    }
    l->call[l->calls++] = *s;
}

/* False where devices differ. */
static bool layout_of(const weft_op *op, uint32_t d, int64_t shards, layout *l) {
    const int64_t size = op->results[0].type->dims[d], part = size / shards;
    number same;
    if (size <= 0 || size % shards) return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (op->operands[i]->type->dims[d] <= 0 || op->operands[i]->type->dims[d] % shards ||
            number_of(op->operands[i], &same))
            return false;
    *l = (layout){ .n = 0 };
    piece p = piece_of(op, 0, 0);
    for (int64_t k = 0; k < shards; k++) {
        uint32_t i = 0;
        for (int64_t done = 0; done < part; i++) {
            if (i == MAX_SEGMENTS || (k && i == l->n)) return false;
            const segment s = segment_at(op, d, shards, k, k * part + done, part - done, &p);
            if (!k) l->segment[l->n++] = s;
            else if (!same_segment(&s, &l->segment[i])) return false;
            done += s.high - s.low;
        }
    }
    for (uint32_t i = 0; i < l->n; i++)
        if (l->segment[i].hop) add_call(l, &l->segment[i]);
    return true;
}

static weft_value *call_of(weft_localizer *z, const segment *c, uint32_t d, const uint8_t *atoms, uint32_t n,
                           int64_t shards) {
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *source = weft_scratch_array(z->cx, int64_t, shards);
    for (int64_t k = 0; source && k < shards; k++) source[k] = (k + c->hop) % shards;
    weft_value *v = source ? weft_local_cut(z, weft_local_value(z, c->of), d, c->low, c->high) : NULL;
    if (v) v = weft_halo_send(z, v, atoms, n, source);
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

static weft_value *lay_out(weft_localizer *z, const layout *l, uint32_t d, const uint8_t *atoms, uint32_t n,
                           int64_t shards) {
    weft_value *come[MAX_SEGMENTS], *pieces[MAX_SEGMENTS];
    for (uint32_t i = 0; i < l->calls; i++)
        if (!(come[i] = call_of(z, &l->call[i], d, atoms, n, shards))) return NULL;
    for (uint32_t i = 0; i < l->n; i++) {
        const segment *s = &l->segment[i];
        weft_value *v = weft_local_value(z, s->of);
        int64_t from = 0;
        for (uint32_t c = 0; s->hop && c < l->calls; c++) {
            if (l->call[c].of != s->of || l->call[c].hop != s->hop || l->call[c].low > s->low ||
                l->call[c].high < s->high)
                continue;
            v = come[c];
            from = l->call[c].low;
        }
        if (!(pieces[i] = weft_local_cut(z, v, d, s->low - from, s->high - from))) return NULL;
    }
    return l->n > 1 ? weft_build_concatenate(z->b, pieces, l->n, d) : pieces[0];
}

/* --- each its own ------------------------------------------------------------------------------------------------- */

/* What device k needs of the operand for the piece, whose result has parts of `made`. */
static bool share_of(const weft_op *op, uint32_t d, const piece *p, int64_t made, int64_t shards, int64_t *begin,
                     weft_halo *h) {
    const int64_t size = op->operands[p->of]->type->dims[d];
    if (size <= 0) return false;
    *h = (weft_halo){ shards, weft_ceil_div(size, shards), made, begin, p->start, p->start + p->size };
    for (int64_t k = 0; k < shards; k++) begin[k] = k * made + p->start - p->at;
    return true;
}

/* What devices need of each operand: of one that is a number, nothing. */
typedef struct shares {
    weft_halo *h;
    const weft_halo **all;      /* of those that are none */
    uint32_t *of, n;            /* which operands these are */
} shares;

/* On scratch memory; false when that is out, or an operand has nothing along the dimension (*empty: which). */
static bool shares_of(weft_context *cx, const weft_op *op, uint32_t d, int64_t shards, shares *s, uint32_t *empty) {
    const uint32_t n = op->operand_count;
    const int64_t made = weft_ceil_div(op->results[0].type->dims[d], shards);
    int64_t *begin = weft_scratch_array(cx, int64_t, n * shards), at = 0;
    *s = (shares){ weft_scratch_array(cx, weft_halo, n), weft_scratch_array(cx, const weft_halo *, n),
                   weft_scratch_array(cx, uint32_t, n), 0 };
    *empty = n;
    if (!begin || !s->h || !s->all || !s->of) return false;
    for (uint32_t i = 0; i < n; i++) {
        const piece p = piece_of(op, i, at);
        number same;
        if (!share_of(op, d, &p, made, shards, begin + i * shards, &s->h[i])) {
            *empty = i;
            return false;
        }
        at += p.size;
        if (number_of(op->operands[i], &same)) continue;
        s->all[s->n] = &s->h[i];
        s->of[s->n++] = i;
    }
    return true;
}

static double talk_of_shares(weft_placements *t, const weft_op *op, uint32_t d, int64_t shards,
                             const weft_placement_id *operands) {
    shares s;
    uint32_t empty;
    if (!shares_of(weft_placements_context(t), op, d, shards, &s, &empty)) return -1;
    if (!s.n) return 0;
    const int64_t elems = weft_halo_sent_by_all(weft_placements_context(t), s.all, s.n);
    const uint32_t i = s.of[0];
    return elems < 0 ? -1
                     : (double)weft_placement_local_bytes(t, weft_placement_of(t, operands[i]), op->operands[i]->type) *
                           (double)elems / (double)s.h[i].part;
}

double weft_talk_assemble(weft_placements *t, const weft_op *op, const weft_placement_id *operands) {
    const uint32_t d = (uint32_t)weft_op_int(op, WEFT_A_dimension, 0);
    weft_context *cx = weft_placements_context(t);
    const int64_t shards = weft_placement_dim_shards(t, weft_placement_of(t, operands[0]), d);
    layout l;
    if (shards == 1) return 0;
    if (op->results[0].type->dims[d] <= 0) return -1;
    if (layout_of(op, d, shards, &l)) {
        double sent = 0;
        for (uint32_t i = 0; i < l.calls; i++) {
            const weft_type *type = l.call[i].of->type;
            sent += (double)weft_placement_local_bytes(t, weft_placement_of(t, operands[0]), type) *
                    (double)(l.call[i].high - l.call[i].low) / (double)(type->dims[d] / shards);
        }
        return sent;
    }
    weft_mark mark = weft_arena_mark(&cx->scratch);
    const double sent = talk_of_shares(t, op, d, shards, operands);
    weft_arena_reset(&cx->scratch, mark);
    return sent;
}

/* The elements of the result that have come so far, and from `at` on those of x. */
static weft_value *put_behind(weft_localizer *z, weft_value *so_far, weft_value *x, uint32_t d, const uint8_t *atoms,
                              uint32_t n, int64_t shards, int64_t at) {
    if (!so_far || !x) return NULL;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *from = weft_scratch_array(z->cx, int64_t, shards);
    for (int64_t k = 0; from && k < shards; k++) from[k] = k * x->type->dims[d];
    weft_value *before = from ? weft_halo_inside(z, x->type, d, atoms, n, from, shards, 0, at) : NULL;
    weft_value *v = !from ? NULL : before ? weft_local_select(z, before, so_far, x) : so_far;
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

static weft_status join_shares(weft_localizer *z, const weft_op *op, uint32_t d, const uint8_t *atoms, uint32_t n,
                               int64_t shards, const shares *s, weft_value **all) {
    const int64_t made = weft_ceil_div(op->results[0].type->dims[d], shards);
    weft_value **x = weft_scratch_array(z->cx, weft_value *, s->n),
               **come = weft_scratch_array(z->cx, weft_value *, s->n);
    if (!x || !come) return weft_oom();
    for (uint32_t j = 0; j < s->n; j++)
        if (!(x[j] = weft_local_value(z, op->operands[s->of[j]])))
            return z->b->status != WEFT_OK ? z->b->status : weft_oom();
    weft_status st = s->n ? weft_halo_fetch_all(z, x, d, atoms, n, s->all, s->n, come) : WEFT_OK;
    int64_t at = 0;
    for (uint32_t i = 0, j = 0; st == WEFT_OK && i < op->operand_count; i++) {
        number same;
        weft_value *v = weft_local_value(z, op->operands[i]);
        if (j < s->n && s->of[j] == i) v = come[j++];
        else if (v && number_of(op->operands[i], &same))
            v = number_as(z, &same, weft_local_resized(z, v->type, d, made));
        *all = i ? put_behind(z, *all, v, d, atoms, n, shards, at) : v;
        at += piece_of(op, i, at).size;
        st = z->b->status;
    }
    return st;
}

static weft_status fetch_shares(weft_localizer *z, const weft_op *op, uint32_t d, const uint8_t *atoms, uint32_t n,
                                int64_t shards, weft_value **all) {
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    shares s;
    uint32_t empty;
    weft_status st =
        shares_of(z->cx, op, d, shards, &s, &empty) ? join_shares(z, op, d, atoms, n, shards, &s, all)
        : empty < op->operand_count
            ? weft_report(z->cx, WEFT_D_partition, op->loc,
                          "operand %u of %s has size 0 along the dimension that is split", empty, op->name->text)
            : weft_oom();
    weft_arena_reset(&z->cx->scratch, mark);
    return st;
}

/* --- the op ------------------------------------------------------------------------------------------------------- */

/* The dimension is whole: slices, joined. */
static weft_status assemble_here(weft_localizer *z, const weft_op *op, uint32_t d) {
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_value **pieces = weft_scratch_array(z->cx, weft_value *, op->operand_count);
    weft_op *made;
    if (!pieces) return weft_oom();
    if (op->kind == WEFT_OP_concatenate) return weft_local_clone(z, op, &made);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const piece p = piece_of(op, i, 0);
        pieces[i] = weft_local_cut(z, weft_local_value(z, op->operands[i]), d, p.start, p.start + p.size);
    }
    if (z->b->status == WEFT_OK)
        weft_local_map(z, &op->results[0],
                       op->operand_count > 1 ? weft_build_concatenate(z->b, pieces, op->operand_count, d) : pieces[0]);
    weft_arena_reset(&z->cx->scratch, mark);
    return z->b->status;
}

weft_status weft_lower_assemble(weft_localizer *z, const weft_op *op) {
    const uint32_t d = (uint32_t)weft_op_int(op, WEFT_A_dimension, 0);
    const weft_placement *placed = weft_local_placement(z, &op->results[0]);
    uint8_t atoms[WEFT_MAX_ATOMS];
    const uint32_t n = weft_placement_dim_atoms(placed, d, atoms);
    const int64_t shards = weft_placement_dim_shards(z->t, placed, d);
    weft_value *all = NULL;
    weft_status st = WEFT_OK;
    layout l;
    if (!n) return assemble_here(z, op, d);
    if (layout_of(op, d, shards, &l)) all = lay_out(z, &l, d, atoms, n, shards);
    else st = fetch_shares(z, op, d, atoms, n, shards, &all);
    if (st == WEFT_OK) st = z->b->status;
    weft_local_map(z, &op->results[0], all);
    return st;
}
