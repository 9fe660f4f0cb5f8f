/* overlap.c: collectives that pass beside the code around them.
 *
 * Behind cg_schedule, before memory is final. A collective becomes two units: its start, where the operands are there,
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
 * The last word has the assignment of memory: where it finds that the block needs more, another order is tried with
 * less room.
 *
 * Source: the constraints are those of XLA's latency hiding scheduler, which orders all instructions anew by them; here
 * the order of computation stays, which is what keeps memory where it was.
 */
#include "codegen/lower.h"
#include "cost/machine.h"

enum { MOST_BROUGHT = 8, MOST_TRIES = 3 };
#define WORTH 0.05            /* of its time has to be hidden for a collective to be two steps */
#define ROOM_SHARE 64         /* of what a block holds at its fullest may be added, */
#define ROOM_BYTES 65536      /* or so much: what is rounded up and packed around scratch */

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
    cg_layout *lay;
    const int32_t *alias;   /* as cg_assign got them */
    weft_arena arena;
    uint32_t *writer;       /* by node id: the unit that makes it, or CG_NONE */
    uint32_t *held;         /* by node id: the last unit during which it is in memory */
    uint32_t *taker;        /* by node id, of an argument: the unit whose result takes over its memory, or CG_NONE */
    int64_t *live;          /* per unit: bytes of the block's temporaries */
    int64_t most;
    double *free_s;         /* per unit: its time, less what passes beside it already */
    window *v; uint32_t n;
    uint32_t *window_of;    /* per unit, or CG_NONE */
} overlapper;

/* ---- time ---- */

static weft_status coll_time(cg_lowering *l, const cg_node *n, weft_coll_time *out) {
    weft_group group = { 0 };
    int64_t bytes = 0;
    weft_status st = cg_coll_group(l, n->coll, &group);
    if (st != WEFT_OK) return st;
    for (uint32_t i = 0; i < n->in_count - n->coll->rooted; i++) bytes += cg_bytes(n->in[i]);
    if (n->coll->kind == WEFT_PLAN_ALL_GATHER) bytes *= n->coll->group_size;
    *out = weft_machine_coll_time(l->machine, n->coll->kind, group.size, weft_group_stride(l->x, &group), bytes);
    return WEFT_OK;
}

static bool is_collective(const cg_unit *u) { return u->kind == CG_UNIT_STEP && u->step->cls == CG_COLLECTIVE; }

static bool talks(const cg_layout *lay, uint32_t i) {
    const cg_unit *u = &lay->units.v[i];
    for (uint32_t b = 0; lay->inner[i] && b < u->step->control.count; b++)
        if (lay->inner[i][b]->talks) return true;
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

static int64_t room(int64_t bytes) { return weft_max_i64(bytes / ROOM_SHARE, ROOM_BYTES); }

/* Made by unit i and among the block's temporaries. */
static bool temporary(const overlapper *o, const cg_node *n) {
    return o->writer[n->id] != CG_NONE && !o->l->place[n->id].absolute;
}

static void lifetimes(overlapper *o) {
    const cg_units *u = &o->lay->units;
    const cg_block *b = o->lay->block;
    for (uint32_t i = 0; i < u->count; i++)
        for (uint32_t k = 0; k < u->v[i].write_count; k++)
            o->writer[u->v[i].writes[k]->id] = o->held[u->v[i].writes[k]->id] = i;
    for (uint32_t i = 0; i < u->count; i++)
        for (uint32_t k = 0; k < u->v[i].read_count; k++) o->held[u->v[i].reads[k]->id] = i;
    for (uint32_t r = 0; r < b->result_count; r++) o->held[cg_base(b->results[r])->id] = u->count - 1;
    for (uint32_t r = 0; o->alias && r < b->result_count; r++)
        if (o->alias[r] >= 0) o->taker[b->args[o->alias[r]]->id] = o->writer[cg_memory_begins(b, r)->id];
    for (uint32_t i = 0; i < u->count; i++)
        for (uint32_t k = 0; k < u->v[i].write_count; k++) { /* what comes and goes, then added up */
            const cg_node *w = u->v[i].writes[k];
            if (!temporary(o, w)) continue;
            o->live[i] += cg_align(cg_bytes(w));
            if (o->held[w->id] + 1 < u->count) o->live[o->held[w->id] + 1] -= cg_align(cg_bytes(w));
        }
    for (uint32_t i = 1; i < u->count; i++) o->live[i] += o->live[i - 1];
    for (uint32_t i = 0; i < u->count; i++) o->most = weft_max_i64(o->most, o->live[i] += o->lay->scratch_bytes[i]);
    o->most += room(o->most);
}

/* An operand that dies in the sum over devices becomes its result. */
static bool becomes_result(const cg_unit *u, const cg_node *read) {
    for (uint32_t k = 0; k < u->write_count; k++)
        if (cg_may_overwrite(u, read, u->writes[k])) return true;
    return false;
}

/* What holding w's operands during unit `at`, too, adds. */
static int64_t operands_at(const overlapper *o, const window *w, uint32_t at) {
    const cg_unit *u = &o->lay->units.v[w->unit];
    int64_t bytes = 0;
    for (uint32_t k = 0; k < u->read_count; k++) {
        const cg_node *r = u->reads[k];
        if (!temporary(o, r) || o->held[r->id] >= at || (o->held[r->id] == w->unit && becomes_result(u, r))) continue;
        bytes += cg_align(cg_bytes(r));
    }
    return bytes;
}

static int64_t results_of(const overlapper *o, uint32_t unit) {
    const cg_unit *u = &o->lay->units.v[unit];
    int64_t bytes = 0;
    for (uint32_t k = 0; k < u->write_count; k++)
        if (temporary(o, u->writes[k])) bytes += cg_align(cg_bytes(u->writes[k]));
    return bytes;
}

/* ---- how far each may go ---- */

static bool reads(const cg_unit *u, const cg_node *n) {
    for (uint32_t k = 0; k < u->read_count; k++)
        if (u->reads[k] == n) return true;
    return false;
}

static bool writes(const cg_unit *u, const cg_node *n) {
    for (uint32_t k = 0; k < u->write_count; k++)
        if (u->writes[k] == n) return true;
    return false;
}

static void limit_end(const overlapper *o, window *w) {
    const cg_units *units = &o->lay->units;
    const cg_unit *u = &units->v[w->unit];
    for (w->last = w->unit + 1; w->last < units->count; w->last++) {
        if (talks(o->lay, w->last)) return;
        for (uint32_t k = 0; k < u->write_count; k++)
            if (reads(&units->v[w->last], u->writes[k])) return;
        for (uint32_t k = 0; k < u->read_count; k++)
            if (o->taker[u->reads[k]->id] == w->last) return;
    }
}

/* Behind the end of what unit i is, if that is a collective under way. */
static uint32_t behind(const overlapper *o, uint32_t i) {
    return o->window_of[i] == CG_NONE ? i + 1 : o->v[o->window_of[i]].done;
}

/* Unit i reads an argument whose memory a result of unit `by` takes over. */
static bool frees_argument(const overlapper *o, uint32_t by, uint32_t i) {
    const cg_unit *u = &o->lay->units.v[i];
    for (uint32_t k = 0; k < u->read_count; k++)
        if (o->taker[u->reads[k]->id] == by) return true;
    return false;
}

/* Unit i makes something that `by` reads. */
static bool serves(const overlapper *o, uint32_t i, uint32_t by) {
    const cg_unit *u = &o->lay->units.v[by];
    for (uint32_t k = 0; k < u->read_count; k++)
        if (writes(&o->lay->units.v[i], u->reads[k])) return true;
    return false;
}

/* Code that makes temporaries, which only the collective reads. */
static bool can_bring(const overlapper *o, const window *w, uint32_t i) {
    const cg_unit *u = &o->lay->units.v[i];
    if (u->kind != CG_UNIT_KERNEL || w->brought_count == MOST_BROUGHT || !serves(o, i, w->unit)) return false;
    for (uint32_t k = 0; k < u->write_count; k++) {
        if (!temporary(o, u->writes[k]) || o->held[u->writes[k]->id] != w->unit) return false;
        for (uint32_t between = i + 1; between < w->unit; between++)
            if (reads(&o->lay->units.v[between], u->writes[k])) return false;
    }
    return true;
}

/* Unit i makes something that w's collective reads, or the code that goes up with it. */
static bool feeds(const overlapper *o, const window *w, uint32_t i) {
    bool yes = serves(o, i, w->unit);
    for (uint32_t k = 0; k < w->brought_count; k++) yes = yes || serves(o, i, w->brought[k]);
    return yes;
}

/* w cannot start before unit i is over. */
static bool needs(const overlapper *o, const window *w, uint32_t i) {
    return frees_argument(o, w->unit, i) || feeds(o, w, i);
}

/* Collectives before this one have their ends by now. The first unit upwards that it cannot pass limits it, and so does
 * each collective that it cannot pass: one further up than that unit may end further down. */
static void limit_start(const overlapper *o, window *w) {
    w->first = 0;
    for (uint32_t i = w->unit; i-- > 0 && !w->first;) {
        const bool must = talks(o->lay, i) || frees_argument(o, w->unit, i);
        if (!must && serves(o, i, w->unit) && can_bring(o, w, i)) w->brought[w->brought_count++] = i;
        else if (must || feeds(o, w, i)) w->first = behind(o, i);
    }
    for (const window *v = o->v; v < w; v++)
        if (v->done > w->first && needs(o, w, v->unit)) w->first = v->done;
}

/* ---- stretching ---- */

static void pass_beside(overlapper *o, window *w, uint32_t unit) {
    const double s = w->left_s < o->free_s[unit] ? w->left_s : o->free_s[unit];
    if (s <= 0) return;
    w->left_s -= s;
    o->free_s[unit] -= s;
}

static void stretch_end(overlapper *o, window *w) {
    const cg_unit *u = &o->lay->units.v[w->unit];
    for (; w->done < w->last; w->done++) {
        const int64_t bytes = operands_at(o, w, w->done);
        if (bytes && (w->left_s <= 0 || bytes > o->most - o->live[w->done])) return;
        o->live[w->done] += bytes;
        for (uint32_t k = 0; bytes && k < u->read_count; k++)
            if (o->held[u->reads[k]->id] < w->done) o->held[u->reads[k]->id] = w->done;
        pass_beside(o, w, w->done);
    }
}

static bool brings(const window *w, uint32_t unit) {
    for (uint32_t k = 0; k < w->brought_count; k++)
        if (w->brought[k] == unit) return true;
    return false;
}

/* What it passes with it is made earlier, too. */
static void stretch_start(overlapper *o, window *w) {
    int64_t bytes = results_of(o, w->unit);
    for (; w->start > w->first && w->left_s > 0; w->start--) {
        const uint32_t unit = w->start - 1;
        if (brings(w, unit)) {
            bytes += results_of(o, unit);
            continue;
        }
        if (bytes > o->most - o->live[unit]) return;
        o->live[unit] += bytes;
        pass_beside(o, w, unit);
    }
}

/* ---- the new order ---- */

static weft_status end_unit(overlapper *o, const cg_unit *start, cg_unit *out) {
    const uint32_t n = start->read_count;
    *out = (cg_unit){
        .kind = CG_UNIT_STEP, .step = start->step, .phase = CG_PHASE_DONE, .order = start->order, .loc = start->loc
    };
    out->reads = weft_arena_array(&o->l->g->arena, cg_node *, n + start->write_count);
    if (!out->reads) return weft_oom();
    if (n) memcpy(out->reads, start->reads, n * sizeof *out->reads);
    for (uint32_t k = 0; k < start->write_count; k++) out->reads[n + k] = start->writes[k];
    out->read_count = n + start->write_count;
    out->held_count = n;
    return WEFT_OK;
}

/* start_of: per window; placed: per unit as scheduled */
typedef struct order { cg_layout lay; uint32_t *start_of; bool *placed; } order;

static void put(const overlapper *o, order *to, uint32_t from, cg_unit_phase phase) {
    cg_layout *lay = &to->lay;
    const uint32_t at = lay->units.count++;
    to->placed[from] = true;
    lay->units.v[at] = o->lay->units.v[from];
    lay->units.v[at].phase = phase;
    lay->scratch_bytes[at] = o->lay->scratch_bytes[from];
    lay->inner[at] = o->lay->inner[from];
    if (phase == CG_PHASE_START) to->start_of[o->window_of[from]] = at;
}

/* Ends before starts: one may need what another brings. */
static weft_status put_gap(overlapper *o, order *to, uint32_t gap) {
    cg_units *u = &to->lay.units;
    for (uint32_t i = 0; i < o->n; i++) {
        if (!o->v[i].hides || o->v[i].done != gap) continue;
        cg_unit *start = &u->v[to->start_of[i]];
        weft_status st = end_unit(o, start, &u->v[u->count]);
        if (st != WEFT_OK) return st;
        start->mate = u->count;
        u->v[u->count++].mate = to->start_of[i];
    }
    for (uint32_t i = 0; i < o->n; i++) {
        const window *w = &o->v[i];
        if (!w->hides || w->start != gap) continue;
        for (uint32_t k = w->brought_count; k-- > 0;)
            if (w->brought[k] >= gap) put(o, to, w->brought[k], CG_PHASE_WHOLE);
        put(o, to, w->unit, CG_PHASE_START);
    }
    return WEFT_OK;
}

static weft_status new_order(overlapper *o, order *to) {
    weft_arena *a = &o->l->g->arena;
    const uint32_t n = o->lay->units.count;
    to->lay = *o->lay;
    to->lay.units = (cg_units){ weft_arena_array(a, cg_unit, n + o->n), 0 };
    to->lay.scratch = weft_arena_array(a, weft_slice, n + o->n);
    to->lay.scratch_bytes = weft_arena_array(a, int64_t, n + o->n);
    to->lay.inner = weft_arena_array(a, cg_layout **, n + o->n);
    to->start_of = weft_arena_array(&o->arena, uint32_t, o->n);
    to->placed = weft_arena_array(&o->arena, bool, n);
    if (!to->placed || !to->lay.units.v || !to->lay.scratch || !to->lay.scratch_bytes || !to->lay.inner ||
        !to->start_of)
        return weft_oom();
    for (uint32_t i = 0; i <= n; i++) {
        weft_status st = put_gap(o, to, i);
        if (st != WEFT_OK) return st;
        if (i < n && !to->placed[i] && (o->window_of[i] == CG_NONE || !o->v[o->window_of[i]].hides))
            put(o, to, i, CG_PHASE_WHOLE);
    }
    return WEFT_OK;
}

/* Temporaries, and results that have memory of their own instead of an argument's. */
static int64_t bytes_needed(const cg_layout *lay, const int32_t *alias) {
    int64_t bytes = lay->temp_bytes;
    for (uint32_t r = 0; alias && r < lay->block->result_count; r++)
        if (alias[r] < 0) bytes += cg_align(cg_bytes(lay->block->results[r]));
    return bytes;
}

/* The layout without, with its memory assigned anew. */
weft_status cg_overlap_undo(cg_lowering *l, cg_layout *lay, int32_t *alias) {
    *lay = *lay->plain;
    return cg_assign(l, lay, alias);
}

/* *good: memory does for it; else all is as it was. */
static weft_status try_order(overlapper *o, order *to, int32_t *alias, bool *good) {
    const uint32_t n = o->lay->block->result_count;
    const int64_t needed = bytes_needed(o->lay, alias);
    if (alias && n) memcpy(alias, o->alias, n * sizeof *alias);
    to->lay.plain = weft_arena_dup(&o->l->g->arena, o->lay, sizeof *o->lay, _Alignof(cg_layout));
    if (!to->lay.plain) return weft_oom();
    *o->lay = to->lay;
    weft_status st = cg_assign(o->l, o->lay, alias);
    *good = bytes_needed(o->lay, alias) <= needed + room(needed);
    if (st != WEFT_OK || *good) return st;
    if (alias && n) memcpy(alias, o->alias, n * sizeof *alias);
    return cg_overlap_undo(o->l, o->lay, alias);
}

/* ---- */

/* A broadcast reads its root when it runs, and may be several calls. */
static bool can_start(const cg_unit *u) {
    return is_collective(u) && u->step->coll->kind != WEFT_PLAN_COLLECTIVE_BROADCAST;
}

static weft_status make_tables(overlapper *o) {
    const uint32_t n = o->lay->units.count;
    const size_t nodes = o->l->g->count;
    weft_arena *a = &o->arena;
    o->writer = weft_arena_array(a, uint32_t, nodes);
    o->held = weft_arena_array(a, uint32_t, nodes);
    o->taker = weft_arena_array(a, uint32_t, nodes);
    o->live = weft_arena_array(a, int64_t, n);
    o->free_s = weft_arena_array(a, double, n);
    o->v = weft_arena_array(a, window, n);
    o->window_of = weft_arena_array(a, uint32_t, n);
    if (!o->writer || !o->held || !o->taker || !o->live || !o->free_s || !o->v || !o->window_of) return weft_oom();
    for (size_t i = 0; i < nodes; i++) o->writer[i] = o->taker[i] = CG_NONE;
    for (uint32_t i = 0; i < n; i++) {
        const cg_unit *u = &o->lay->units.v[i];
        weft_coll_time t = { 0, 0 };
        o->window_of[i] = CG_NONE;
        weft_status st = is_collective(u) ? coll_time(o->l, u->step, &t) : unit_time(o->l, o->lay, i, &o->free_s[i]);
        if (st != WEFT_OK) return st;
        if (!can_start(u) || t.beside_s <= 0) continue;
        o->window_of[i] = o->n;
        o->v[o->n++] =
            (window){ .unit = i, .start = i, .done = i + 1, .whole_s = t.beside_s + t.own_s, .left_s = t.beside_s };
    }
    return WEFT_OK;
}

static weft_status sum_up(cg_lowering *l, cg_layout *lay) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < lay->units.count && st == WEFT_OK; i++) {
        double s = 0;
        st = unit_time(l, lay, i, &s);
        lay->time_s += s;
        lay->talks = lay->talks || is_collective(&lay->units.v[i]) || talks(lay, i);
    }
    return st;
}

/* With at most `most` bytes at once. *any: some collective is worth stretching. */
static weft_status stretch_all(overlapper *o, int64_t most, bool *any) {
    weft_status st = make_tables(o);
    *any = false;
    if (st != WEFT_OK) return st;
    lifetimes(o);
    o->most = weft_min_i64(o->most, most);
    for (uint32_t i = 0; i < o->n; i++) {
        window *w = &o->v[i];
        const double before_s = w->left_s;
        limit_end(o, w);
        limit_start(o, w);
        stretch_end(o, w);
        stretch_start(o, w);
        w->hides = before_s - w->left_s >= WORTH * w->whole_s;
        if (!w->hides) w->start = w->unit, w->done = w->unit + 1;
        *any = *any || w->hides;
    }
    return WEFT_OK;
}

weft_status cg_overlap(cg_lowering *l, cg_layout *lay, const int32_t *wanted, int32_t *alias) {
    weft_status st = sum_up(l, lay);
    bool good = false;
    int64_t most = INT64_MAX;
    for (uint32_t tries = 0; st == WEFT_OK && lay->talks && !good && tries < MOST_TRIES; tries++) {
        overlapper o = { .l = l, .lay = lay, .alias = wanted };
        order to = { 0 };
        weft_arena_init(&o.arena, &l->cx->alloc);
        st = stretch_all(&o, most, &good);
        if (st == WEFT_OK && !good) tries = MOST_TRIES;
        if (st == WEFT_OK && good) st = new_order(&o, &to);
        if (st == WEFT_OK && good) st = try_order(&o, &to, alias, &good);
        most = o.most - o.most / 8;
        weft_arena_free(&o.arena);
    }
    return st;
}
