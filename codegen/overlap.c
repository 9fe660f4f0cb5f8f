/* overlap.c: collectives that pass beside the code around them.
 *
 * After cg_schedule. A collective becomes two units: its start, where the operands are there,
 * and its end, where a result is read; units in between run meanwhile. By itself each stays where the schedule has it.
 * It is then stretched, first its end downwards and then its start upwards, unit by unit, until what it passes beside
 * takes as long as it does (weft_machine_coll_time; a unit's time hides one collective only, as they share a link), or
 * until
 *   - the next unit reads a result, or takes over the memory of an argument that is an operand, or makes an operand and
 *     cannot go up with it (a slice of the weights that is made to be gathered goes along),
 *   - the next unit is a loop or branch with collectives of its own: so that these find nothing under way,
 *   - memory would not do: operands live to the end, results from the start, and at no unit may the block hold more
 *     than it holds at its fullest when collectives are not stretched, and a little (ROOM_SHARE).
 * Ends go further down where that costs no memory. The same program is made on every rank, so all of them start the
 * same collectives in the same order; nothing that is computed changes, so results are equal to the bit.
 *
 * Lifetimes decide: where those of the stretched order need more memory than those of the order as scheduled, or
 * compute fewer results in their slots, another one is made with less room, and at last none. They know what the sums
 * of `live` below do not, that a result may take over the memory of an operand.
 *
 * Source: the constraints are those of XLA's latency hiding scheduler, which orders all instructions anew by them; here
 * the order of computation stays, which is what keeps memory where it was.
 */
#include <math.h>
#include "codegen/lower.h"
#include "cost/machine.h"

enum { MOST_BROUGHT = 8, MOST_TRIES = 3 };

typedef struct window {
    uint32_t unit;          /* in the order as scheduled */
    uint32_t start, done;   /* before which units, 0 .. count */
    uint32_t first, last;   /* how far up and down they may go */
    double whole_s, left_s; /* its time; what of it could pass beside something and does not yet */
    bool hides;
    /* code that makes operands for it alone and may go up with it; last first */
    uint32_t brought[MOST_BROUGHT], brought_count;
} window;

typedef struct overlapper {
    cg_lowering *l;
    const cg_layout *lay;
    const cg_lifetimes *plain; /* of the order as scheduled; units below are positions there */
    weft_arena *arena;
    const uint32_t *writer; /* by node id: the unit that makes it, or CG_NONE */
    uint32_t *held;         /* by node id: the last unit during which it is in memory */
    uint32_t *handed_on;    /* by node id: the last window's unit so far that may write where it lies */
    uint32_t *taker;        /* by node id, of an argument: the unit whose result takes over its memory, or CG_NONE */
    bool *takes;            /* per unit: it is the taker of some argument */
    int64_t *live;          /* per unit: bytes of the block's temporaries */
    int64_t most;
    double *free_s;         /* per unit: its time, less what passes beside it already */
    window *v; uint32_t n;
    uint32_t *window_of;    /* per unit, or CG_NONE */
} overlapper;

static uint32_t number(const overlapper *o, uint32_t at) { return o->plain->order->v[at].unit; }
static const cg_unit *unit(const overlapper *o, uint32_t at) { return &o->lay->units.v[number(o, at)]; }

/* ---- time ---- */

static weft_status coll_time(cg_lowering *l, const cg_node *n, weft_coll_time *out) {
    weft_group group = { 0 };
    int64_t bytes = 0;
    weft_status st = cg_coll_group(l, n, &group);
    if (st != WEFT_OK) return st;
    for (uint32_t i = 0; i < n->in_count - n->coll->tables; i++) bytes += cg_bytes(n->in[i]);
    if (n->coll->kind == WEFT_PLAN_ALL_GATHER) bytes *= n->coll->group_size;
    *out = weft_machine_coll_time(l->machine, n->coll->kind, group.size, weft_group_stride(l->x, &group), bytes);
    return WEFT_OK;
}

static bool is_collective(const cg_unit *u) { return u->kind == CG_UNIT_STEP && u->step->cls == CG_COLLECTIVE; }

/* The unit is a loop or branch with collectives inside. */
static bool holds_collectives(const cg_layout *lay, uint32_t i) {
    const cg_unit *u = &lay->units.v[i];
    for (uint32_t b = 0; lay->inner[i] && b < u->step->control.count; b++)
        if (lay->inner[i][b]->has_collectives) return true;
    return false;
}

/* As the simulator will count it; of branches the one that takes longest. */
static weft_status unit_time(cg_lowering *l, const cg_layout *lay, uint32_t i, double *out) {
    const cg_unit *u = &lay->units.v[i];
    *out = 0;
    if (lay->inner[i]) {
        const int64_t trips = u->step->cls == CG_WHILE ? cg_trip_count(u->step) : 1;
        for (uint32_t b = 0; b < u->step->control.count; b++) {
            const double one_s = lay->inner[i][b]->time_s * (double)(trips < 0 ? 1 : trips);
            if (u->step->cls == CG_WHILE) *out += one_s;
            else if (one_s > *out) *out = one_s;
        }
        return WEFT_OK;
    }
    if (is_collective(u)) {
        weft_coll_time t = { 0, 0 };
        weft_status st = coll_time(l, u->step, &t);
        *out = t.beside_s + t.own_s;
        return st;
    }
    *out = weft_machine_kernel_time_s(l->machine, u->flops, u->read_bytes + u->write_bytes);
    return WEFT_OK;
}

/* ---- memory ---- */

/* What may be added to what a block holds at its fullest. */
static int64_t room(const cg_lowering *l, int64_t bytes) {
    const weft_costs *c = &l->machine->costs;
    return (int64_t)fmax((double)bytes * c->beside_memory, c->beside_room_bytes);
}

/* Made by a unit and among the block's temporaries. */
static bool temporary(const overlapper *o, const cg_node *n) {
    return o->writer[n->id] != CG_NONE && !o->plain->home[n->id];
}

/* Until when the plain order holds each value, and what takes over which argument. */
static void find_uses(overlapper *o) {
    const cg_lifetimes *l = o->plain;
    const cg_storage *s = &o->lay->storage;
    const uint32_t count = o->plain->order->count;
    for (size_t i = 0; i < o->l->g->count; i++) {
        o->held[i] = l->held[i] == CG_NONE && l->writer[i] != CG_NONE ? l->writer[i] : l->held[i];
        o->taker[i] = o->handed_on[i] = CG_NONE;
    }
    for (uint32_t r = 0; r < s->block->result_count; r++) {
        o->held[cg_base(s->block->results[r])->id] = count - 1;
        if (s->donor[r] < 0) continue;
        const uint32_t by = l->writer[s->chain[r].begins->id];
        o->taker[s->block->args[s->donor[r]]->id] = by;
        if (by != CG_NONE) o->takes[by] = true;
    }
}

/* How much each unit of the plain order finds in memory. */
static void add_up_memory(overlapper *o) {
    const uint32_t count = o->plain->order->count;
    for (uint32_t i = 0; i < count; i++) {
        const cg_unit *u = unit(o, i);
        for (uint32_t k = 0; k < u->write_count; k++) { /* what comes and goes, then added up */
            const cg_node *w = u->writes[k];
            if (!temporary(o, w)) continue;
            o->live[i] += cg_align(cg_bytes(w));
            if (o->held[w->id] + 1 < count) o->live[o->held[w->id] + 1] -= cg_align(cg_bytes(w));
        }
    }
    for (uint32_t i = 1; i < count; i++) o->live[i] += o->live[i - 1];
    for (uint32_t i = 0; i < count; i++)
        o->most = weft_max_i64(o->most, o->live[i] += o->lay->scratch_bytes[number(o, i)]);
    o->most += room(o->l, o->most);
}

/* Marks the operands in whose memory a result of w may lie. */
static void mark_handed_on(const overlapper *o, const window *w) {
    const cg_storage *s = &o->lay->storage;
    const uint32_t n = number(o, w->unit);
    for (uint32_t i = s->first_share[n]; i < s->first_share[n + 1]; i++)
        o->handed_on[s->units->v[n].reads[s->share[i].read]->id] = w->unit;
}

/* What holding w's operands during unit `at`, too, adds. */
static int64_t operands_at(const overlapper *o, const window *w, uint32_t at) {
    const cg_unit *u = unit(o, w->unit);
    int64_t bytes = 0;
    for (uint32_t k = 0; k < u->read_count; k++) {
        const cg_node *r = u->reads[k];
        if (!temporary(o, r) || o->held[r->id] >= at) continue;
        /* one that dies in a sum over devices becomes its result */
        if (o->held[r->id] == w->unit && o->handed_on[r->id] == w->unit) continue;
        bytes += cg_align(cg_bytes(r));
    }
    return bytes;
}

static int64_t results_of(const overlapper *o, uint32_t at) {
    const cg_unit *u = unit(o, at);
    int64_t bytes = 0;
    for (uint32_t k = 0; k < u->write_count; k++)
        if (temporary(o, u->writes[k])) bytes += cg_align(cg_bytes(u->writes[k]));
    return bytes;
}

/* ---- how far each may go ---- */

static void limit_end(const overlapper *o, window *w) {
    const cg_unit *u = unit(o, w->unit);
    for (w->last = w->unit + 1; w->last < o->plain->order->count; w->last++) {
        if (holds_collectives(o->lay, number(o, w->last))) return;
        for (uint32_t k = 0; k < u->write_count; k++)
            if (cg_unit_reads(unit(o, w->last), u->writes[k])) return;
        for (uint32_t k = 0; k < u->read_count; k++)
            if (o->taker[u->reads[k]->id] == w->last) return;
    }
}

/* The unit after the end of unit i, which may be a collective under way. */
static uint32_t after(const overlapper *o, uint32_t i) {
    return o->window_of[i] == CG_NONE ? i + 1 : o->v[o->window_of[i]].done;
}

/* Unit i reads an argument whose memory a result of unit `by` takes over. */
static bool frees_argument(const overlapper *o, uint32_t by, uint32_t i) {
    const cg_unit *u = unit(o, i);
    for (uint32_t k = 0; o->takes[by] && k < u->read_count; k++)
        if (o->taker[u->reads[k]->id] == by) return true;
    return false;
}

/* Unit i makes something that `by` reads. */
static bool serves(const overlapper *o, uint32_t i, uint32_t by) {
    const cg_unit *u = unit(o, by);
    for (uint32_t k = 0; k < u->read_count; k++)
        if (o->writer[u->reads[k]->id] == i) return true;
    return false;
}

/* Code that makes temporaries, which only the collective reads. */
static bool can_bring(const overlapper *o, const window *w, uint32_t i) {
    const cg_unit *u = unit(o, i);
    if (u->kind != CG_UNIT_KERNEL || w->brought_count == MOST_BROUGHT || !serves(o, i, w->unit)) return false;
    for (uint32_t k = 0; k < u->write_count; k++) {
        if (!temporary(o, u->writes[k]) || o->held[u->writes[k]->id] != w->unit) return false;
        for (uint32_t between = i + 1; between < w->unit; between++)
            if (cg_unit_reads(unit(o, between), u->writes[k])) return false;
    }
    return true;
}

/* Unit i makes something that w's collective reads, or the code that goes up with it. */
static bool feeds(const overlapper *o, const window *w, uint32_t i) {
    bool yes = serves(o, i, w->unit);
    for (uint32_t k = 0; k < w->brought_count; k++) yes = yes || serves(o, i, w->brought[k]);
    return yes;
}

/* The last end of collectives before w that make what unit `at` reads; `first` if that is later. */
static uint32_t last_done(const overlapper *o, const window *w, uint32_t at, uint32_t first) {
    const cg_unit *u = unit(o, at);
    for (uint32_t k = 0; k < u->read_count; k++) {
        const uint32_t by = o->writer[u->reads[k]->id], v = by == CG_NONE ? CG_NONE : o->window_of[by];
        if (v != CG_NONE && &o->v[v] < w && o->v[v].done > first) first = o->v[v].done;
    }
    return first;
}

/* Collectives before this one have their ends by now. The first unit upwards that it cannot pass limits it, and so does
 * each collective that it cannot pass: one further up than that unit may end further down. */
static void limit_start(const overlapper *o, window *w) {
    w->first = 0;
    for (uint32_t i = w->unit; i-- > 0 && !w->first;) {
        const bool must = holds_collectives(o->lay, number(o, i)) || frees_argument(o, w->unit, i);
        if (!must && serves(o, i, w->unit) && can_bring(o, w, i)) w->brought[w->brought_count++] = i;
        else if (must || feeds(o, w, i)) w->first = after(o, i);
    }
    w->first = last_done(o, w, w->unit, w->first);
    for (uint32_t k = 0; k < w->brought_count; k++) w->first = last_done(o, w, w->brought[k], w->first);
    for (const window *v = o->v; v < w && o->takes[w->unit]; v++)
        if (v->done > w->first && frees_argument(o, w->unit, v->unit)) w->first = v->done;
}

/* ---- stretching ---- */

static void pass_beside(overlapper *o, window *w, uint32_t at) {
    const double s = w->left_s < o->free_s[at] ? w->left_s : o->free_s[at];
    if (s <= 0) return;
    w->left_s -= s;
    o->free_s[at] -= s;
}

static void stretch_end(overlapper *o, window *w) {
    const cg_unit *u = unit(o, w->unit);
    mark_handed_on(o, w);
    for (; w->done < w->last; w->done++) {
        const int64_t bytes = operands_at(o, w, w->done);
        if (bytes && (w->left_s <= 0 || bytes > o->most - o->live[w->done])) return;
        o->live[w->done] += bytes;
        for (uint32_t k = 0; bytes && k < u->read_count; k++)
            if (o->held[u->reads[k]->id] < w->done) o->held[u->reads[k]->id] = w->done;
        pass_beside(o, w, w->done);
    }
}

static bool brings(const window *w, uint32_t at) {
    for (uint32_t k = 0; k < w->brought_count; k++)
        if (w->brought[k] == at) return true;
    return false;
}

/* What it passes with it is made earlier, too. */
static void stretch_start(overlapper *o, window *w) {
    int64_t bytes = results_of(o, w->unit);
    for (; w->start > w->first && w->left_s > 0; w->start--) {
        const uint32_t at = w->start - 1;
        if (brings(w, at)) {
            bytes += results_of(o, at);
            continue;
        }
        if (bytes > o->most - o->live[at]) return;
        o->live[at] += bytes;
        pass_beside(o, w, at);
    }
}

/* ---- the new order ---- */

/* start_of: per window; placed: per unit as scheduled. Windows that start or end in a gap are listed in rising order:
 * the first by gap and the next by window, plus one; 0: there is none. */
typedef struct draft {
    cg_order order;
    uint32_t *start_of;
    bool *placed;
    struct { uint32_t *first, *next; } starts, ends;
} draft;

static void put(const overlapper *o, draft *to, uint32_t from, cg_phase phase) {
    const uint32_t at = to->order.count++;
    to->placed[from] = true;
    to->order.v[at] = (cg_position){ number(o, from), phase, CG_NONE };
    if (phase == CG_PHASE_START) to->start_of[o->window_of[from]] = at;
}

/* Ends before starts: one may need what another brings. */
static void put_gap(const overlapper *o, draft *to, uint32_t gap) {
    cg_order *order = &to->order;
    for (uint32_t at = to->ends.first[gap]; at; at = to->ends.next[at - 1]) {
        const uint32_t i = at - 1;
        cg_position *start = &order->v[to->start_of[i]];
        start->other = order->count;
        order->v[order->count++] = (cg_position){ start->unit, CG_PHASE_DONE, to->start_of[i] };
    }
    for (uint32_t at = to->starts.first[gap]; at; at = to->starts.next[at - 1]) {
        const window *w = &o->v[at - 1];
        for (uint32_t k = w->brought_count; k-- > 0;)
            if (w->brought[k] >= gap) put(o, to, w->brought[k], CG_PHASE_WHOLE);
        put(o, to, w->unit, CG_PHASE_START);
    }
}

static void list_gaps(const overlapper *o, draft *to) {
    for (uint32_t i = o->n; i-- > 0;) {
        const window *w = &o->v[i];
        if (!w->hides) continue;
        to->starts.next[i] = to->starts.first[w->start], to->starts.first[w->start] = i + 1;
        to->ends.next[i] = to->ends.first[w->done], to->ends.first[w->done] = i + 1;
    }
}

static weft_status new_order(const overlapper *o, cg_order *out) {
    const uint32_t n = o->plain->order->count;
    draft to = { .order.v = weft_arena_array(&o->l->g->arena, cg_position, n + o->n),
                 .start_of = weft_arena_array(o->arena, uint32_t, o->n),
                 .placed = weft_arena_array(o->arena, bool, n),
                 .starts = { weft_arena_array(o->arena, uint32_t, n + 1), weft_arena_array(o->arena, uint32_t, o->n) },
                 .ends = { weft_arena_array(o->arena, uint32_t, n + 1), weft_arena_array(o->arena, uint32_t, o->n) } };
    if (!to.order.v || !to.start_of || !to.placed || !to.starts.first || !to.starts.next || !to.ends.first ||
        !to.ends.next)
        return weft_oom();
    list_gaps(o, &to);
    for (uint32_t i = 0; i <= n; i++) {
        put_gap(o, &to, i);
        if (i < n && !to.placed[i] && (o->window_of[i] == CG_NONE || !o->v[o->window_of[i]].hides))
            put(o, &to, i, CG_PHASE_WHOLE);
    }
    *out = to.order;
    return WEFT_OK;
}

/* Temporaries, and results that have memory of their own instead of an argument's. */
static int64_t bytes_needed(const cg_lifetimes *l) {
    const cg_storage *s = l->storage;
    int64_t bytes = l->peak_bytes;
    for (uint32_t r = 0; s->results != CG_RESULTS_TEMPORARY && r < s->block->result_count; r++)
        if (l->alias[r] < 0) bytes += cg_align(cg_bytes(s->block->results[r]));
    return bytes;
}

/* Needs hardly more memory than the plain order, and no more copies. */
static bool is_good(const overlapper *o, const cg_lifetimes *l) {
    const cg_lifetimes *plain = o->plain;
    const int64_t needed = bytes_needed(plain);
    for (uint32_t r = 0; r < l->storage->block->result_count; r++)
        if (plain->in_slot[r] && !l->in_slot[r]) return false;
    return bytes_needed(l) <= needed + room(o->l, needed);
}

/* ---- */

/* A broadcast reads its root when it runs, and may be several calls. */
static bool can_start(const cg_unit *u) {
    return is_collective(u) && u->step->coll->kind != WEFT_PLAN_COLLECTIVE_BROADCAST;
}

static weft_status list_windows(overlapper *o) {
    for (uint32_t i = 0; i < o->plain->order->count; i++) {
        const cg_unit *u = unit(o, i);
        weft_coll_time t = { 0, 0 };
        o->window_of[i] = CG_NONE;
        weft_status st = is_collective(u) ? coll_time(o->l, u->step, &t)
                                          : unit_time(o->l, o->lay, number(o, i), &o->free_s[i]);
        if (st != WEFT_OK) return st;
        if (!can_start(u) || t.beside_s <= 0) continue;
        o->window_of[i] = o->n;
        o->v[o->n++] =
            (window){ .unit = i, .start = i, .done = i + 1, .whole_s = t.beside_s + t.own_s, .left_s = t.beside_s };
    }
    return WEFT_OK;
}

static weft_status make_tables(overlapper *o) {
    const uint32_t n = o->plain->order->count;
    const size_t nodes = o->l->g->count;
    weft_arena *a = o->arena;
    o->writer = o->plain->writer;
    o->held = weft_arena_array(a, uint32_t, nodes);
    o->handed_on = weft_arena_array(a, uint32_t, nodes);
    o->taker = weft_arena_array(a, uint32_t, nodes);
    o->takes = weft_arena_array(a, bool, n);
    o->live = weft_arena_array(a, int64_t, n);
    o->free_s = weft_arena_array(a, double, n);
    o->v = weft_arena_array(a, window, n);
    o->window_of = weft_arena_array(a, uint32_t, n);
    if (!o->held || !o->handed_on || !o->taker || !o->takes || !o->live || !o->free_s || !o->v || !o->window_of)
        return weft_oom();
    find_uses(o);
    add_up_memory(o);
    return list_windows(o);
}

weft_status cg_time_block(cg_lowering *l, cg_layout *lay) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < lay->units.count && st == WEFT_OK; i++) {
        double s = 0;
        st = unit_time(l, lay, i, &s);
        lay->time_s += s;
        lay->has_collectives = lay->has_collectives || is_collective(&lay->units.v[i]) || holds_collectives(lay, i);
    }
    return st;
}

/* With at most `most` bytes at once. A collective whose time is hidden by less than the machine's beside_gain stays one
 * step. False: no collective is worth stretching. */
static bool stretch_all(overlapper *o, int64_t most) {
    bool any = false;
    o->most = weft_min_i64(o->most, most);
    for (uint32_t i = 0; i < o->n; i++) {
        window *w = &o->v[i];
        const double before_s = w->left_s;
        limit_end(o, w);
        limit_start(o, w);
        stretch_end(o, w);
        stretch_start(o, w);
        w->hides = before_s - w->left_s >= o->l->machine->costs.beside_gain * w->whole_s;
        if (!w->hides) w->start = w->unit, w->done = w->unit + 1;
        any = any || w->hides;
    }
    return any;
}

weft_status cg_overlap(cg_lowering *l, const cg_layout *lay, const cg_lifetimes *plain, weft_arena *a, cg_order *out) {
    int64_t most = INT64_MAX;
    *out = *plain->order;
    for (uint32_t tries = 0; tries < MOST_TRIES; tries++) {
        const weft_mark mark = weft_arena_mark(a);
        overlapper o = { .l = l, .lay = lay, .plain = plain, .arena = a };
        cg_order order;
        cg_lifetimes next;
        weft_status st = make_tables(&o);
        if (st != WEFT_OK || !stretch_all(&o, most)) return st;
        st = new_order(&o, &order);
        if (st == WEFT_OK) st = cg_lifetimes_of(l->g, &lay->storage, &order, lay->scratch_bytes, a, &next);
        if (st != WEFT_OK) return st;
        if (is_good(&o, &next)) {
            *out = order;
            return WEFT_OK;
        }
        most = o.most - o.most / 8;
        weft_arena_reset(a, mark);
    }
    return WEFT_OK;
}
