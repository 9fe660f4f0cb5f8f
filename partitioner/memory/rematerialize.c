/* rematerialize: values that are held for long are computed again before their late readers.
 *
 * Pass weft-rematerialize. Where most is held (live.h), a value that is read before and after, and not there, need not
 * be held: the ops that make it are written once more in front of its first late reader, from values that are there
 * anyway. These go through an optimization_barrier together with a value made just before, so that neither the schedule
 * nor cse joins both computations. Of the values that could go, those go first that free most for the time it takes:
 * the bytes, times the places over the limit between, per second. Then the block is looked at anew.
 *
 * Collectives, control flow, custom calls and results of @main are never computed again. Like XLA's and unlike JAX's
 * checkpointing, this needs no word in the program; chains are bounded, so it does not find a recursion as good as a
 * policy's by layers (Chen et al., "Training Deep Nets with Sublinear Memory Cost", 2016).
 */
#include "partitioner/memory/rematerialize.h"

#include <stdlib.h>
#include <string.h>
#include "cost/environment.h"
#include "cost/fuse.h"
#include "cost/op.h"
#include "ir/builder.h"
#include "ir/op.h"
#include "partitioner/memory/live.h"
#include "partitioner/partition.h"

enum {
    MOST_CHAIN = 64,    /* ops that are written once more for one value */
    SMALL_SHARE = 16,   /* an operand that is so many times smaller is held longer instead */
    MOST_ROUNDS = 1000
};

typedef struct candidate {
    weft_value *v;
    uint32_t first;     /* the place of its first late reader */
    int64_t gain;
    double score;
} candidate;

typedef struct remat {
    weft_context *cx;
    weft_module *m;
    const weft_machine *machine;
    bool keeps_products;
    weft_arena arena;   /* of a round */
    weft_live live;
    uint32_t place;     /* where most is held */
    uint32_t *next;     /* by value id: the first reader at `place` or after */
    uint32_t *over;     /* by place: the places before with more than the limit */
    bool *pinned;       /* by value id: a computation of this round reads it again */
    bool *taken;        /* by value id: it is computed again in this round */
    /* of one value, by op id: the stamp of the search that has listed the op */
    uint32_t *listed, stamp;
    weft_op *chain[MOST_CHAIN];
    uint32_t chain_count;
    weft_value *leaves[MOST_CHAIN];
    uint32_t leaf_count;
    int64_t longer;     /* bytes of operands that are held longer */
    double time_s;
} remat;

/* ---- what it takes to compute a value again ---- */

static bool has(const weft_op *op, unsigned traits) { return weft_op_kind_has((weft_op_kind)op->kind, traits); }

static bool is_outer(const remat *r, const weft_value *v) {
    return v->def ? v->def->parent == r->live.block : v->block == r->live.block;
}

static weft_status look_out(void *user, weft_op *op) {
    const remat *r = user;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (op->parent != r->live.block && is_outer(r, op->operands[i])) return WEFT_ERR_UNSUPPORTED;
    return WEFT_OK;
}

static bool may_repeat(remat *r, weft_op *op) {
    if (!has(op, WEFT_TRAIT_PURE) || has(op, WEFT_TRAIT_COLLECTIVE | WEFT_TRAIT_CONTROL | WEFT_TRAIT_TERMINATOR))
        return false;
    if (op->kind == WEFT_OP_custom_call || op->kind == WEFT_OP_other) return false;
    if (r->keeps_products && (op->kind == WEFT_OP_dot_general || op->kind == WEFT_OP_convolution)) return false;
    return !op->region_count || weft_op_walk(op, look_out, r) == WEFT_OK;
}

static double time_of(const remat *r, const weft_op *op) {
    weft_op_cost c;
    (void)weft_cost_op(op, &c); /* unknown: of its bytes alone */
    const int64_t moved = r->live.within[op->id] ? 0 : c.read_bytes + c.write_bytes;
    return weft_machine_kernel_time_s(r->machine, c.flops + c.transcendentals, moved);
}

/* What a barrier's result is: a chain has a barrier of its own. */
static weft_value *source_of(weft_value *x) {
    while (x->def && x->def->kind == WEFT_OP_optimization_barrier) x = x->def->operands[x->index];
    return x;
}

static bool list_op(remat *r, weft_op *op) {
    if (r->listed[op->id] == r->stamp) return true;
    if (r->chain_count == MOST_CHAIN || !may_repeat(r, op)) return false;
    r->listed[op->id] = r->stamp;
    r->chain[r->chain_count++] = op;
    r->time_s += time_of(r, op);
    return true;
}

static bool list_leaf(remat *r, weft_value *x) {
    for (uint32_t i = 0; i < r->leaf_count; i++)
        if (r->leaves[i] == x) return true;
    if (r->leaf_count == MOST_CHAIN) return false;
    r->leaves[r->leaf_count++] = x;
    return true;
}

/* Whether x, an operand of the chain of v, will be there when v is computed again, or can be. */
static bool reach(remat *r, const candidate *c, weft_value *x) {
    x = source_of(x);
    if (!x->def) return list_leaf(r, x);
    if (has(x->def, WEFT_TRAIT_CONSTANT)) return true;
    const int64_t bytes = r->live.bytes[x->id];
    const uint32_t last = r->live.last[x->id];
    if (!r->live.within[x->def->id] && !r->taken[x->id]) {
        if (last != WEFT_LIVE_NEVER && last >= c->first) return list_leaf(r, x);
        if (bytes <= r->live.bytes[c->v->id] / SMALL_SHARE) {
            r->longer += bytes;
            return list_leaf(r, x);
        }
    }
    return list_op(r, x->def);
}

/* The ops that make c->v, the first of them last, from what will be there. */
static bool find_chain(remat *r, const candidate *c) {
    r->stamp++;
    r->chain_count = r->leaf_count = 0;
    r->longer = 0;
    r->time_s = 0;
    if (!list_op(r, c->v->def)) return false;
    for (uint32_t k = 0; k < r->chain_count; k++)
        for (uint32_t i = 0; i < r->chain[k]->operand_count; i++)
            if (!reach(r, c, r->chain[k]->operands[i])) return false;
    return r->leaf_count > 0;
}

/* Ops are numbered in the order of the block. */
static int by_place(const void *a, const void *b) {
    const weft_op *const *x = a, *const *y = b;
    return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

static int64_t bytes_of(const remat *r, const weft_op *op) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < op->result_count; i++) bytes += r->live.bytes[op->results[i].id];
    return bytes;
}

static bool reads(const weft_op *reader, const weft_op *op) {
    for (uint32_t i = 0; i < reader->operand_count; i++)
        if (source_of(reader->operands[i])->def == op) return true;
    return false;
}

/* What the chain, in the order of the block, holds at most while it runs: each op's results up to their last reader,
 * the last op's for good. */
static int64_t chain_peak(const remat *r) {
    uint32_t end[MOST_CHAIN];
    int64_t held[MOST_CHAIN] = { 0 }, most = 0;
    const uint32_t n = r->chain_count;
    for (uint32_t k = n; k-- > 0;) {
        end[k] = k + 1 == n ? k : 0;
        for (uint32_t j = k + 1; j < n; j++)
            if (reads(r->chain[j], r->chain[k])) {
                const uint32_t until = r->live.within[r->chain[j]->id] ? end[j] : j;
                if (until > end[k]) end[k] = until;
            }
        for (uint32_t j = k; j <= end[k]; j++) held[j] += bytes_of(r, r->chain[k]);
    }
    for (uint32_t k = 0; k < n; k++)
        if (held[k] > most) most = held[k];
    return most;
}

/* Whether less is held while c->v is computed again than at the peak. */
static bool is_less(remat *r, const candidate *c) {
    qsort(r->chain, r->chain_count, sizeof *r->chain, by_place);
    return r->live.kept[c->first - 1] - r->live.bytes[c->v->id] + r->longer + chain_peak(r) < r->live.held[r->place];
}

/* ---- its late readers ---- */

typedef struct readers {
    weft_op **within; uint32_t within_count; /* computed within later readers, before the first of them: made anew */
    weft_op **late; uint32_t late_count;     /* they read what was made anew */
} readers;

/* Whether a reader after the peak reads what `use` is computed for: of a barrier, the result of the same operand. */
static bool is_read_late(const remat *r, const weft_use *use) {
    const uint32_t n = use->op->result_count, i = n > 1 ? use->operand : 0;
    return r->next[use->op->results[i].id] != WEFT_LIVE_NEVER;
}

/* A reader of v, or of what is computed within its readers. False: it cannot be changed. A barrier, which an earlier
 * round made, stands just before what waits for it: then v is made before the barrier, and *first is its place. */
static bool add_reader(remat *r, uint32_t *first, readers *to, const weft_use *use) {
    weft_op *op = use->op;
    const uint32_t at = r->live.at[op->id];
    const bool is_within = op->parent == r->live.block && r->live.within[op->id];
    if (r->listed[op->id] == r->stamp || (is_within ? !is_read_late(r, use) : at < *first)) return true;
    if (op->parent != r->live.block || has(op, WEFT_TRAIT_TERMINATOR)) return false;
    r->listed[op->id] = r->stamp;
    if (op->kind == WEFT_OP_optimization_barrier && at > r->place && at < *first) *first = at;
    if (at >= *first) to->late[to->late_count++] = op;
    else to->within[to->within_count++] = op;
    return true;
}

static bool walk_readers(remat *r, const weft_value *v, uint32_t *first, readers *to) {
    r->stamp++;
    to->within_count = to->late_count = 0;
    for (uint32_t k = 0, i = 0;;) {
        for (uint32_t u = r->live.uses.start[v->id]; u < r->live.uses.start[v->id + 1]; u++)
            if (!add_reader(r, first, to, &r->live.uses.use[u])) return false;
        while (k < to->within_count && i == to->within[k]->result_count) k++, i = 0;
        if (k == to->within_count) return true;
        v = &to->within[k]->results[i++];
    }
}

/* Both lists have room for the block's ops. c->first may become less. */
static bool find_readers(remat *r, candidate *c, readers *to) {
    for (uint32_t first = c->first;; c->first = first) {
        if (!walk_readers(r, c->v, &first, to)) return false;
        if (first == c->first) return true;
    }
}

/* ---- writing it ---- */

/* The last value with memory that is made after the peak and before the first late reader: what is computed again waits
 * for it. */
static weft_value *made_before(const remat *r, const candidate *c) {
    for (uint32_t k = c->first; k-- > r->place;)
        for (uint32_t i = 0; i < r->live.ops[k]->result_count; i++)
            if (r->live.bytes[r->live.ops[k]->results[i].id]) return &r->live.ops[k]->results[i];
    return NULL;
}

static weft_status hold_back(remat *r, weft_builder *b, weft_map *map, weft_value *late) {
    const weft_type *types[MOST_CHAIN + 1];
    weft_value *in[MOST_CHAIN + 1];
    const uint32_t n = r->leaf_count;
    for (uint32_t i = 0; i < n; i++) in[i] = r->leaves[i];
    in[n] = late;
    for (uint32_t i = 0; i <= n; i++) types[i] = in[i]->type;
    weft_op *barrier = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_optimization_barrier, .operands = in,
                                                         .operand_count = n + 1, .types = types,
                                                         .result_count = n + 1 });
    if (!barrier) return b->status;
    for (uint32_t i = 0; i < n; i++) map->to[r->leaves[i]->id] = &barrier->results[i];
    return WEFT_OK;
}

static weft_status repeat(weft_builder *b, weft_map *map, const weft_op *op, const weft_loc *loc) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
        weft_value *x = op->operands[i], *y = source_of(x);
        if (!map->to[x->id]) map->to[x->id] = map->to[y->id] ? map->to[y->id] : x;
    }
    weft_op *made = weft_clone_op(b, op, map);
    if (!made) return b->status;
    made->loc = loc;
    return WEFT_OK;
}

/* By its name the dry run knows work that is repeated. */
static const weft_loc *repeated_loc(weft_context *cx, const weft_loc *loc) {
    weft_name name = weft_name_from(cx, WEFT_REPEATED_SCOPE);
    return name ? weft_loc_named(cx, name, loc) : NULL;
}

static weft_status write_chain(remat *r, weft_builder *b, weft_map *map, const candidate *c) {
    weft_value *late = made_before(r, c);
    weft_status st = hold_back(r, b, map, late);
    for (uint32_t k = 0; k < r->chain_count && st == WEFT_OK; k++) {
        const weft_loc *loc = repeated_loc(r->cx, r->chain[k]->loc);
        st = loc ? repeat(b, map, r->chain[k], loc) : weft_oom();
    }
    return st;
}

static weft_status write_readers(remat *r, weft_builder *b, const weft_map *chain, const candidate *c,
                                 const readers *found) {
    weft_map map;
    weft_status st = weft_map_init(&map, &r->arena, r->m);
    if (st != WEFT_OK) return st;
    map.to[c->v->id] = chain->to[c->v->id];
    qsort(found->within, found->within_count, sizeof *found->within, by_place);
    for (uint32_t k = 0; k < found->within_count && st == WEFT_OK; k++)
        st = repeat(b, &map, found->within[k], found->within[k]->loc);
    for (uint32_t k = 0; k < found->late_count && st == WEFT_OK; k++)
        for (uint32_t i = 0; i < found->late[k]->operand_count; i++) {
            weft_value **x = &found->late[k]->operands[i], *to = (*x)->id < map.count ? map.to[(*x)->id] : NULL;
            if (to) *x = to;
        }
    return st;
}

static weft_status write(remat *r, const candidate *c, const readers *found) {
    weft_builder b;
    weft_map map;
    weft_builder_init(&b, r->m, r->live.ops[c->first]->parent);
    b.before = r->live.ops[c->first];
    b.loc = c->v->def->loc;
    weft_status st = weft_map_init(&map, &r->arena, r->m);
    if (st == WEFT_OK) st = write_chain(r, &b, &map, c);
    if (st == WEFT_OK) st = write_readers(r, &b, &map, c, found);
    for (uint32_t i = 0; i < r->leaf_count; i++) r->pinned[r->leaves[i]->id] = true;
    r->taken[c->v->id] = true;
    return st;
}

/* ---- a round ---- */

/* A value that is held at the peak for nobody there. */
static bool is_candidate(remat *r, weft_value *v, candidate *out) {
    const uint32_t at = r->live.at[v->def->id], first = r->next[v->id];
    if (!r->live.bytes[v->id] || at >= r->place || first == WEFT_LIVE_NEVER || first <= r->place) return false;
    *out = (candidate){ .v = v, .first = first };
    if (!find_chain(r, out) || !is_less(r, out) || !made_before(r, out)) return false;
    out->gain = r->live.bytes[v->id] - r->longer;
    out->score = (double)out->gain * (r->over[first] - r->over[at + 1]) / (r->time_s + 1e-12);
    return out->gain > 0;
}

static int by_score(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? 1 : -1;
    return (x->v->id > y->v->id) - (x->v->id < y->v->id);
}

static weft_status look(remat *r, int64_t limit, candidate **out, uint32_t *count) {
    const weft_op *main = weft_module_main(r->m);
    uint32_t n = 0;
    *count = 0;
    weft_status st = weft_live_find(r->m, weft_op_body(main, 0), &r->arena, &r->live);
    if (st != WEFT_OK) return st;
    r->place = r->live.peak;
    r->next = weft_arena_array(&r->arena, uint32_t, r->m->value_count);
    r->over = weft_arena_array(&r->arena, uint32_t, r->live.n + (size_t)1);
    r->pinned = weft_arena_array(&r->arena, bool, r->m->value_count);
    r->taken = weft_arena_array(&r->arena, bool, r->m->value_count);
    r->listed = weft_arena_array(&r->arena, uint32_t, r->m->op_count);
    for (uint32_t k = 0; k < r->live.n; k++) n += r->live.ops[k]->result_count;
    *out = weft_arena_array(&r->arena, candidate, n);
    if (!r->next || !r->over || !r->pinned || !r->taken || !r->listed || !*out) return weft_oom();
    memset(r->pinned, 0, r->m->value_count * sizeof *r->pinned);
    memset(r->taken, 0, r->m->value_count * sizeof *r->taken);
    memset(r->listed, 0, r->m->op_count * sizeof *r->listed);
    r->stamp = 0;
    r->over[0] = 0;
    for (uint32_t k = 0; k < r->live.n; k++) r->over[k + 1] = r->over[k] + (r->live.held[k] > limit);
    if (!r->place || r->live.held[r->place] <= limit) return WEFT_OK;
    weft_live_next(&r->live, r->place - 1, r->next);
    for (uint32_t k = 0; k < r->place; k++)
        for (uint32_t i = 0; i < r->live.ops[k]->result_count; i++)
            *count += is_candidate(r, &r->live.ops[k]->results[i], &(*out)[*count]);
    qsort(*out, *count, sizeof **out, by_score);
    return WEFT_OK;
}

/* Chains are found again: earlier ones of this round may have what they would read computed again. */
static weft_status round_of(remat *r, int64_t limit, uint32_t *values) {
    candidate *c;
    uint32_t n;
    weft_status st = look(r, limit, &c, &n);
    if (st != WEFT_OK || !n) return st;
    readers found = { weft_arena_array(&r->arena, weft_op *, r->live.n), 0,
                      weft_arena_array(&r->arena, weft_op *, r->live.n), 0 };
    if (!found.within || !found.late) return weft_oom();
    int64_t held = r->live.held[r->place];
    for (uint32_t i = 0; i < n && held > limit && st == WEFT_OK; i++) {
        if (r->pinned[c[i].v->id] || !find_readers(r, &c[i], &found) || !find_chain(r, &c[i]) ||
            !is_less(r, &c[i]))
            continue;
        st = write(r, &c[i], &found);
        held -= c[i].gain;
        *values += 1;
    }
    return st;
}

weft_status weft_rematerialize(weft_module *m, const weft_machine *machine, int64_t limit, bool keeps_products,
                               weft_rematerialized *out) {
    remat r = { .cx = m->cx, .m = m, .machine = machine, .keeps_products = keeps_products };
    weft_status st = WEFT_OK;
    *out = (weft_rematerialized){ 0 };
    if (!weft_module_main(m) || !weft_op_body(weft_module_main(m), 0)) return WEFT_OK;
    for (uint32_t round = 0, made = 1; round < MOST_ROUNDS && made && st == WEFT_OK; round++) {
        made = 0;
        weft_arena_init(&r.arena, &m->cx->alloc);
        weft_module_renumber(m);
        st = round_of(&r, limit, &made);
        if (st == WEFT_OK && !round) out->before = r.live.held[r.live.peak];
        if (st == WEFT_OK) out->after = r.live.held[r.live.peak];
        out->values += made;
        weft_arena_free(&r.arena);
    }
    weft_module_renumber(m);
    return st;
}

weft_status weft_pass_rematerialize(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_rematerialized done;
    weft_status st = p->own ? (*out = p->own, WEFT_OK) : weft_module_clone(in, out);
    if (st != WEFT_OK) return st;
    st = weft_rematerialize(*out, weft_pass_machine(p), weft_pass_int(p, "memory", 0),
                            weft_pass_flag(p, "keep-products", false), &done);
    if (st != WEFT_OK && *out != p->own) weft_module_free(*out), *out = NULL;
    return st;
}
