/* lifetimes.c: see lifetimes.h.
 *
 * A result takes over the memory of an operand that dies at the position that writes it, where storage says that it
 * may.
 *
 * The memory of a result of @main is there during the whole step, though the result comes late. So a value that the
 * result may take over lies there from its birth, and other values lie there while nothing else does, rather than in
 * the arena (buffers.c). In memory that a result shares with a donated argument that begins when the argument has been
 * read for the last time, or with the unit that does so element by element: what a loop or an update of a part begins
 * with is then no copy of the argument, but the argument.
 */
#include "codegen/slots.h"

static const cg_unit *unit_at(const cg_lifetimes *l, uint32_t position) {
    return &l->storage->units->v[l->order->v[position].unit];
}

/* --- where each value is used ------------------------------------------------------------------------------------- */

static void list_uses(cg_lifetimes *l) {
    const cg_block *b = l->storage->block;
    for (uint32_t i = 0; i < l->order->count; i++) {
        const cg_unit *u = unit_at(l, i);
        const bool done = l->order->v[i].phase == CG_PHASE_DONE;
        for (uint32_t k = 0; k < u->read_count; k++) {
            l->held[u->reads[k]->id] = i;
            if (!done) l->last[u->reads[k]->id] = i;
        }
        for (uint32_t k = 0; k < u->write_count; k++) {
            if (done) l->last[u->writes[k]->id] = l->held[u->writes[k]->id] = i;
            else l->writer[u->writes[k]->id] = i;
        }
    }
    for (uint32_t r = 0; r < b->result_count; r++) l->last[cg_base(b->results[r])->id] = l->order->count;
}

weft_status cg_uses_of(const cg_graph *g, const cg_storage *s, const cg_order *o, weft_arena *a, cg_lifetimes *out) {
    *out = (cg_lifetimes){ .storage = s, .order = o };
    out->writer = weft_arena_array(a, uint32_t, g->count);
    out->last = weft_arena_array(a, uint32_t, g->count);
    out->held = weft_arena_array(a, uint32_t, g->count);
    if (!out->writer || !out->last || !out->held) return weft_oom();
    for (size_t i = 0; i < g->count; i++) out->writer[i] = out->last[i] = out->held[i] = CG_NONE;
    list_uses(out);
    return WEFT_OK;
}

uint32_t cg_last_use_but(const cg_lifetimes *l, const cg_node *n, uint32_t by) {
    const uint32_t all = l->held[n->id] == CG_NONE ? 0 : l->held[n->id];
    if (by == CG_NONE || l->order->v[by].phase != CG_PHASE_START || all != l->order->v[by].other) return all;
    uint32_t last = 0;
    for (uint32_t i = 0; i < l->order->count; i++) {
        const cg_unit *u = unit_at(l, i);
        const bool done = l->order->v[i].phase == CG_PHASE_DONE;
        if ((i != l->order->v[by].other && cg_unit_reads(u, n)) || (done && cg_unit_writes(u, n))) last = i;
    }
    return last;
}

/* --- what lies in the memory of results --------------------------------------------------------------------------- */

static void find_homes(cg_lifetimes *l) {
    const cg_storage *s = l->storage;
    cg_keep_slots(l);
    for (uint32_t r = 0; r < s->block->result_count; r++) {
        if (s->results == CG_RESULTS_GIVEN) l->home[cg_base(s->block->results[r])->id] = 1 + r;
        for (uint32_t i = 0; l->in_slot[r] && i < s->chain[r].n; i++) l->home[s->chain[r].v[i]->id] = 1 + r;
    }
}

/* Result r may take over an argument's memory when nothing reads the argument after the unit that writes the result,
 * and that unit itself reads each element before it writes it, or its branches do. */
static bool keeps_alias(const cg_lifetimes *l, uint32_t r) {
    const cg_block *b = l->storage->block;
    const cg_node *w = cg_base(b->results[r]), *arg = b->args[l->storage->donor[r]];
    const uint32_t writer = l->writer[w->id], read = l->held[arg->id];
    if (cg_bytes(w) != cg_bytes(arg) || writer == CG_NONE) return false;
    if (read == CG_NONE || read < writer) return true;
    const cg_unit *u = unit_at(l, writer);
    return read == writer && (u->kind == CG_UNIT_KERNEL || u->step->cls == CG_CASE) &&
           cg_may_share(l->storage, l->order->v[writer].unit, arg, w);
}

static weft_status find_aliases(cg_lifetimes *l, weft_arena *a) {
    const int32_t *donor = l->storage->donor;
    bool *given = weft_arena_array(a, bool, l->storage->block->arg_count); /* to a result before */
    if (!given) return weft_oom();
    for (uint32_t r = 0; r < l->storage->block->result_count; r++) {
        l->alias[r] = donor[r] >= 0 && !given[donor[r]] && keeps_alias(l, r) ? donor[r] : -1;
        if (l->alias[r] >= 0) given[l->alias[r]] = true;
    }
    return WEFT_OK;
}

/* --- ranges ------------------------------------------------------------------------------------------------------- */

static uint32_t new_range(cg_lifetimes *l, int64_t bytes, uint32_t from, uint32_t to) {
    l->range[l->range_count] = (cg_range){ .bytes = bytes, .from = from, .to = to, .handed_on = CG_NONE };
    return l->range_count++;
}

/* The range of an operand that dies at position i, for its result number w, unless another result has it by now;
 * CG_NONE when there is none. */
static uint32_t taken_over(const cg_lifetimes *l, uint32_t i, uint32_t w) {
    const cg_storage *s = l->storage;
    const uint32_t unit = l->order->v[i].unit;
    for (uint32_t k = s->first_share[unit]; k < s->first_share[unit + 1]; k++) {
        if (s->share[k].write != w) continue;
        const cg_node *r = s->units->v[unit].reads[s->share[k].read];
        const uint32_t range = l->of[r->id];
        if (range == CG_NONE || l->last[r->id] != i || l->range[range].to != i) continue;
        if (l->range[range].handed_on != i) return range;
    }
    return CG_NONE;
}

/* Operands of a collective under way stay until its end, unless a result has their memory by now. */
static void hold(cg_lifetimes *l, uint32_t start) {
    const cg_unit *u = unit_at(l, start);
    const uint32_t end = l->order->v[start].other;
    for (uint32_t k = 0; k < u->read_count; k++) {
        const uint32_t range = l->of[u->reads[k]->id];
        if (range != CG_NONE && l->range[range].to < end) l->range[range].to = end;
    }
}

/* The position after which nothing reads what the caller has put into the memory of result r; CG_NONE when nothing does
 * at all. */
static uint32_t last_read(const cg_lifetimes *l, uint32_t r) {
    const int32_t donor = l->storage->donor[r];
    return donor >= 0 ? l->held[l->storage->block->args[donor]->id] : CG_NONE;
}

/* The unit at that position reads the argument that result r may overwrite, for the last time, and writes the first
 * value of the range: it may do so where that argument lies. A copy then has nothing to do. */
static bool begins_in_place(const cg_lifetimes *l, uint32_t position, uint32_t range, uint32_t r) {
    const cg_node *const arg = l->storage->block->args[l->storage->donor[r]];
    const cg_unit *u = unit_at(l, position);
    for (uint32_t k = 0; k < u->write_count; k++) {
        const cg_node *const w = u->writes[k];
        if (l->of[w->id] == range)
            return cg_copied(w) == arg || cg_may_share(l->storage, l->order->v[position].unit, arg, w);
    }
    return false;
}

/* Whether the memory of result r is free when the range begins. */
static bool is_free(const cg_lifetimes *l, uint32_t range, uint32_t r) {
    const uint32_t read = last_read(l, r), from = l->range[range].from;
    if (l->range[range].home != CG_ARENA) return false;
    return read == CG_NONE || read < from || (read == from && begins_in_place(l, from, range, r));
}

/* Value number w of position i, which is result r of @main: what it may take over lies there from the start, if that
 * memory is free by then. */
static void hold_result(cg_lifetimes *l, uint32_t i, uint32_t w, uint32_t r) {
    const int64_t bytes = cg_bytes(unit_at(l, i)->writes[w]);
    const uint32_t read = last_read(l, r);
    uint32_t range = taken_over(l, i, w);
    if (range != CG_NONE && !is_free(l, range, r)) range = CG_NONE;
    if (range == CG_NONE) range = new_range(l, bytes, i, i);
    l->range[range].to = l->order->count;
    l->range[range].home = 1 + r;
    if (read != CG_NONE) l->range[new_range(l, bytes, 0, read)].home = 1 + r;
}

static void make_range(cg_lifetimes *l, uint32_t i, uint32_t w) {
    const cg_node *n = unit_at(l, i)->writes[w];
    const uint32_t home = l->home[n->id];
    if (home && l->storage->results == CG_RESULTS_GIVEN) hold_result(l, i, w, home - 1);
    if (home) return;
    const uint32_t to = l->last[n->id] == CG_NONE ? i : l->last[n->id], range = taken_over(l, i, w);
    if (range != CG_NONE) l->range[range].to = to, l->range[range].handed_on = i;
    l->of[n->id] = range != CG_NONE ? range : new_range(l, cg_bytes(n), i, to);
}

static void make_ranges(cg_lifetimes *l, const int64_t *scratch_bytes) {
    for (uint32_t i = 0; i < l->order->count; i++) {
        const cg_position *p = &l->order->v[i];
        if (p->phase == CG_PHASE_DONE) continue;
        for (uint32_t w = 0; w < unit_at(l, i)->write_count; w++) make_range(l, i, w);
        if (p->phase == CG_PHASE_START) hold(l, i);
        l->scratch[p->unit] = scratch_bytes[p->unit] ? new_range(l, scratch_bytes[p->unit], i, i) : CG_NONE;
    }
}

/* What begins and ends at each position, then added up. */
static weft_status find_peak(cg_lifetimes *l, weft_arena *a) {
    int64_t *live = weft_arena_array(a, int64_t, l->order->count + 2);
    if (!live) return weft_oom();
    for (uint32_t i = 0; i < l->range_count; i++) {
        const cg_range *r = &l->range[i];
        if (r->home != CG_ARENA) continue;
        live[r->from] += cg_align(r->bytes);
        live[r->to + 1] -= cg_align(r->bytes);
    }
    int64_t bytes = 0;
    for (uint32_t i = 0; i < l->order->count; i++) l->peak_bytes = weft_max_i64(l->peak_bytes, bytes += live[i]);
    return WEFT_OK;
}

weft_status cg_lifetimes_of(const cg_graph *g, const cg_storage *s, const cg_order *o, const int64_t *scratch_bytes,
                            weft_arena *a, cg_lifetimes *out) {
    weft_status st = cg_uses_of(g, s, o, a, out);
    size_t most = s->units->count + 2 * (size_t)s->block->result_count;
    for (uint32_t i = 0; i < s->units->count; i++) most += s->units->v[i].write_count;
    out->home = weft_arena_array(a, uint32_t, g->count);
    out->in_slot = weft_arena_array(a, bool, s->block->result_count);
    out->alias = weft_arena_array(a, int32_t, s->block->result_count);
    out->range = weft_arena_array(a, cg_range, most);
    out->of = weft_arena_array(a, uint32_t, g->count);
    out->scratch = weft_arena_array(a, uint32_t, s->units->count);
    if (st != WEFT_OK || !out->home || !out->in_slot || !out->alias || !out->range || !out->of || !out->scratch)
        return weft_oom();
    for (size_t i = 0; i < g->count; i++) out->of[i] = CG_NONE;
    find_homes(out);
    st = find_aliases(out, a);
    if (st != WEFT_OK) return st;
    make_ranges(out, scratch_bytes);
    return find_peak(out, a);
}
