/* schedule.c: one order of the units, the same on every rank.
 *
 * List scheduling over the units' reads and writes and what they wait for after a barrier, by each of a few rules
 * (below) for which of the units that may run is next; the order that holds least memory at a time is taken, and the
 * first of equals. A unit whose result takes over an argument's memory waits for the other readers of that argument as
 * long as anything else can run.
 */
#include "codegen/order.h"

/* Of the units that may run: */
typedef enum rule {
    FREES_FIRST,            /* the first in program order whose run does not raise the memory held, else the first */
    FREES_OR_GROWS_LEAST,   /* the same, else the one that raises it least */
    GROWS_LEAST,            /* the one that raises it least, or lowers it most */
    PROGRAM_ORDER,
    RULE_COUNT
} rule;

typedef struct scheduler {
    weft_context *cx;
    const cg_storage *storage;
    const cg_units *units;
    uint32_t *waits;        /* units that must come first */
    uint32_t *first_next, *next; /* edges producer -> reader as linked lists */
    uint32_t *edge_to;
    uint32_t edges;
    uint32_t *reads;        /* units that read a node, by id; */
    uint32_t *reader, *first_reader; /* they, by node: from first_reader[id] on */
    uint32_t *soft;         /* readers that should come first, by unit */
    int64_t *held_bytes;    /* of a node that units read: what it takes between */
    uint32_t *overwritten;  /* by argument: 1 + the unit that overwrites it, or 0 */
} scheduler;

/* Of a unit that may run: the least one is next. */
typedef struct rank {
    int64_t growth;
    uint32_t group, order;  /* group: first; order: last */
} rank;

enum { FREES, GROWS, WAITS };  /* groups; WAITS: for readers of what the unit overwrites */

/* One order in the making. What may run is a heap, the next one on top. A unit's rank only ever falls while it is
 * there. */
typedef struct draft {
    const scheduler *s;
    rule rule;
    uint32_t *waits, *left, *soft; /* as above, for what has not run yet */
    uint32_t *ready, ready_count, *at; /* at: by unit, where it is in the heap */
    rank *rank;             /* by unit */
    uint32_t *order, count;
    int64_t held, peak;
} draft;

/* What the arena gains: results made less operands that nobody reads any more. */
static int64_t growth(const draft *t, const cg_unit *u) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < u->write_count; i++) bytes += t->s->held_bytes[u->writes[i]->id];
    for (uint32_t i = 0; i < u->read_count; i++)
        if (t->left[u->reads[i]->id] == 1) bytes -= t->s->held_bytes[u->reads[i]->id];
    return bytes;
}

static rank rank_of(const draft *t, uint32_t i) {
    const cg_unit *u = &t->s->units->v[i];
    rank r = { .group = t->soft[i] ? WAITS : GROWS, .order = u->order };
    if (t->soft[i] || t->rule == PROGRAM_ORDER) return r;
    const int64_t bytes = growth(t, u);
    if (t->rule != GROWS_LEAST && bytes <= 0) r.group = FREES;
    else if (t->rule != FREES_FIRST) r.growth = bytes;
    return r;
}

static bool before(const draft *t, uint32_t unit, uint32_t other) {
    const rank *a = &t->rank[unit], *b = &t->rank[other];
    if (a->group != b->group) return a->group < b->group;
    if (a->growth != b->growth) return a->growth < b->growth;
    return a->order != b->order ? a->order < b->order : unit < other;
}

static void put(draft *t, uint32_t place, uint32_t unit) {
    t->ready[place] = unit;
    t->at[unit] = place;
}

/* Unit i, at `place` or above it. */
static void rise(draft *t, uint32_t place, uint32_t i) {
    for (; place && before(t, i, t->ready[(place - 1) / 2]); place = (place - 1) / 2)
        put(t, place, t->ready[(place - 1) / 2]);
    put(t, place, i);
}

/* Unit i may run from now on. */
static void add_ready(draft *t, uint32_t i) {
    t->rank[i] = rank_of(t, i);
    rise(t, t->ready_count++, i);
}

/* Something that the rank of unit i depends on has changed. */
static void look_again(draft *t, uint32_t i) {
    if (t->at[i] == CG_NONE) return;
    t->rank[i] = rank_of(t, i);
    rise(t, t->at[i], i);
}

static uint32_t pick(draft *t) {
    const uint32_t next = t->ready[0], last = t->ready[--t->ready_count];
    uint32_t place = 0, child;
    t->at[next] = CG_NONE;
    if (!t->ready_count) return next;
    for (; (child = 2 * place + 1) < t->ready_count; place = child) {
        if (child + 1 < t->ready_count && before(t, t->ready[child + 1], t->ready[child])) child++;
        if (!before(t, t->ready[child], last)) break;
        put(t, place, t->ready[child]);
    }
    put(t, place, last);
    return next;
}

static void add_edge(scheduler *s, uint32_t from, uint32_t to) {
    s->edge_to[s->edges] = to;
    s->next[s->edges] = s->first_next[from];
    s->first_next[from] = s->edges++;
    s->waits[to]++;
}

static bool make_room(scheduler *s, weft_arena *a, size_t nodes, uint32_t args) {
    size_t edges = 1 + s->units->count, reads = 0;
    for (uint32_t i = 0; i < s->units->count; i++)
        reads += s->units->v[i].read_count, edges += s->units->v[i].after_count;
    edges += reads;
    s->waits = weft_arena_array(a, uint32_t, s->units->count);
    s->first_next = weft_arena_array(a, uint32_t, s->units->count);
    s->soft = weft_arena_array(a, uint32_t, s->units->count);
    s->next = weft_arena_array(a, uint32_t, edges);
    s->edge_to = weft_arena_array(a, uint32_t, edges);
    s->reads = weft_arena_array(a, uint32_t, nodes);
    s->reader = weft_arena_array(a, uint32_t, reads);
    s->first_reader = weft_arena_array(a, uint32_t, nodes);
    s->held_bytes = weft_arena_array(a, int64_t, nodes);
    s->overwritten = weft_arena_array(a, uint32_t, args);
    return s->waits && s->first_next && s->soft && s->next && s->edge_to && s->reads && s->reader && s->first_reader &&
           s->held_bytes && s->overwritten;
}

/* Steps with effects stay in program order, in which steps stand in the list: one waits for the one before. */
static void chain_effects(scheduler *s) {
    uint32_t last = CG_NONE;
    for (uint32_t i = 0; i < s->units->count; i++) {
        if (s->units->v[i].kind != CG_UNIT_STEP || !s->units->v[i].step->effects) continue;
        if (last != CG_NONE) add_edge(s, last, i);
        last = i;
    }
}

static void list_readers(scheduler *s, size_t nodes) {
    const cg_units *u = s->units;
    uint32_t at = 0;
    for (uint32_t i = 0; i < u->count; i++)
        for (uint32_t k = 0; k < u->v[i].read_count; k++) s->reads[u->v[i].reads[k]->id]++;
    for (size_t id = 0; id < nodes; id++) at += s->reads[id], s->first_reader[id] = at;
    for (uint32_t i = u->count; i-- > 0;)
        for (uint32_t k = u->v[i].read_count; k-- > 0;) s->reader[--s->first_reader[u->v[i].reads[k]->id]] = i;
}

/* Results have memory of their own, so that they hold none. */
static void build(scheduler *s, const uint32_t *writer) {
    const cg_units *u = s->units;
    const cg_block *b = s->storage->block;
    for (uint32_t i = 0; i < u->count; i++) s->first_next[i] = CG_NONE;
    for (uint32_t i = 0; i < u->count; i++)
        for (uint32_t k = 0; k < u->v[i].read_count; k++) {
            uint32_t id = u->v[i].reads[k]->id;
            if (writer[id] == CG_NONE || writer[id] == i) continue;
            s->held_bytes[id] = cg_bytes(u->v[i].reads[k]);
            add_edge(s, writer[id], i);
        }
    for (uint32_t i = 0; i < u->count; i++)
        for (uint32_t k = 0; k < u->v[i].after_count; k++) add_edge(s, u->v[i].after[k], i);
    for (uint32_t r = 0; r < b->result_count; r++) s->held_bytes[cg_base(b->results[r])->id] = 0;
}

/* Readers of argument `arg` that are not unit w. */
static uint32_t other_readers(const scheduler *s, const cg_node *arg, uint32_t w) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->reads[arg->id]; k++) n += s->reader[s->first_reader[arg->id] + k] != w;
    return n;
}

/* Units that overwrite arguments wait for the others that read these. */
static void wait_for_readers(scheduler *s, const uint32_t *writer) {
    const cg_block *b = s->storage->block;
    const int32_t *donor = s->storage->donor;
    for (uint32_t r = 0; r < b->result_count; r++) {
        uint32_t w = donor[r] < 0 ? CG_NONE : writer[s->storage->chain[r].begins->id];
        if (w == CG_NONE) continue;
        s->overwritten[donor[r]] = w + 1;
        s->soft[w] += other_readers(s, b->args[donor[r]], w);
    }
}

/* --- one order --------------------------------------------------------------------------------------------------- */

/* A result of unit i that is held later may lie where x lies. */
static bool is_reused(const scheduler *s, uint32_t i, const cg_node *x) {
    const cg_unit *u = &s->units->v[i];
    for (uint32_t k = s->storage->first_share[i]; k < s->storage->first_share[i + 1]; k++) {
        const cg_share *share = &s->storage->share[k];
        if (u->reads[share->read] == x && s->held_bytes[u->writes[share->write]->id]) return true;
    }
    return false;
}

/* What dies in unit i, and what it leaves behind; a result that takes over an operand's memory needs none beside it. */
static void account(draft *t, uint32_t i) {
    const cg_unit *u = &t->s->units->v[i];
    int64_t made = 0, freed = 0, reused = 0;
    for (uint32_t k = 0; k < u->write_count; k++) made += t->s->held_bytes[u->writes[k]->id];
    for (uint32_t k = 0; k < u->read_count; k++) {
        const cg_node *x = u->reads[k];
        if (t->left[x->id] != 1 || !t->s->held_bytes[x->id]) continue;
        freed += t->s->held_bytes[x->id];
        if (is_reused(t->s, i, x)) reused += t->s->held_bytes[x->id];
    }
    t->peak = weft_max_i64(t->peak, t->held + made - weft_min_i64(reused, made));
    t->held += made - freed;
}

static bool overwrites(const cg_storage *s, const cg_unit *u, const cg_node *arg) {
    const cg_block *b = s->block;
    for (uint32_t r = 0; r < b->result_count; r++)
        if (s->donor[r] >= 0 && b->args[s->donor[r]] == arg && cg_unit_writes(u, s->chain[r].begins)) return true;
    return false;
}

/* One unit that reads x has run. The last one that is left will free it. */
static void count_reader(draft *t, const cg_node *x) {
    const scheduler *s = t->s;
    if (--t->left[x->id] != 1 || !s->held_bytes[x->id]) return;
    for (uint32_t k = 0; k < s->reads[x->id]; k++) look_again(t, s->reader[s->first_reader[x->id] + k]);
}

static void run(draft *t, uint32_t i) {
    const scheduler *s = t->s;
    const cg_unit *u = &s->units->v[i];
    account(t, i);
    t->order[t->count++] = i;
    for (uint32_t e = s->first_next[i]; e != CG_NONE; e = s->next[e])
        if (!--t->waits[s->edge_to[e]]) add_ready(t, s->edge_to[e]);
    for (uint32_t k = 0; k < u->read_count; k++) {
        const cg_node *x = u->reads[k];
        count_reader(t, x);
        const uint32_t by = x->cls == CG_ARGUMENT && x->block == s->storage->block ? s->overwritten[x->aux] : 0;
        if (!by || by - 1 == i || overwrites(s->storage, u, x)) continue;
        t->soft[by - 1]--;
        look_again(t, by - 1);
    }
}

static weft_status make_order(const scheduler *s, rule by, weft_arena *a, size_t nodes, draft *t) {
    const uint32_t n = s->units->count;
    *t = (draft){ .s = s, .rule = by };
    t->waits = weft_arena_dup(a, s->waits, n * sizeof *s->waits, _Alignof(uint32_t));
    t->soft = weft_arena_dup(a, s->soft, n * sizeof *s->soft, _Alignof(uint32_t));
    t->left = weft_arena_dup(a, s->reads, nodes * sizeof *s->reads, _Alignof(uint32_t));
    t->ready = weft_arena_array(a, uint32_t, n);
    t->at = weft_arena_array(a, uint32_t, n);
    t->rank = weft_arena_array(a, rank, n);
    t->order = weft_arena_array(a, uint32_t, n);
    if (!t->waits || !t->soft || !t->left || !t->ready || !t->at || !t->rank || !t->order) return weft_oom();
    for (uint32_t i = 0; i < n; i++) t->at[i] = CG_NONE;
    for (uint32_t i = 0; i < n; i++)
        if (!t->waits[i]) add_ready(t, i);
    while (t->ready_count) run(t, pick(t));
    return t->count == n ? WEFT_OK
                         : weft_report(s->cx, WEFT_D_internal, s->units->v[0].loc, "units of code wait for each other");
}

weft_status cg_schedule(cg_graph *g, const cg_storage *storage, cg_order *out) {
    const cg_units *units = storage->units;
    weft_arena arena;
    weft_arena_init(&arena, &g->cx->alloc);
    scheduler s = { .cx = g->cx, .storage = storage, .units = units };
    weft_status st = weft_oom();
    uint32_t *writer = weft_arena_array(&arena, uint32_t, g->count);
    *out = (cg_order){ weft_arena_array(&g->arena, cg_position, units->count), units->count };
    if (!make_room(&s, &arena, g->count, storage->block->arg_count) || !writer || !out->v) goto out;
    for (size_t i = 0; i < g->count; i++) writer[i] = CG_NONE;
    for (uint32_t i = 0; i < units->count; i++)
        for (uint32_t k = 0; k < units->v[i].write_count; k++) writer[units->v[i].writes[k]->id] = i;
    list_readers(&s, g->count);
    build(&s, writer);
    chain_effects(&s);
    wait_for_readers(&s, writer);
    draft best = { .s = &s };
    for (rule by = 0; by < RULE_COUNT; by++) {
        draft t;
        st = make_order(&s, by, &arena, g->count, &t);
        if (st != WEFT_OK) goto out;
        if (by == 0 || t.peak < best.peak) best = t;
    }
    for (uint32_t n = 0; n < units->count; n++) out->v[n] = (cg_position){ best.order[n], CG_PHASE_WHOLE, CG_NONE };
out:
    weft_arena_free(&arena);
    return st;
}
