/* schedule.c: one order of the units, the same on every rank.
 *
 * List scheduling over the units' reads and writes. Of the units that may run, the first in program order whose run does
 * not raise the memory held is taken, else the first in program order. A unit whose result takes over an argument's
 * memory waits for the other readers of that argument as long as anything else can run.
 */
#include "codegen/fuse.h"

typedef struct scheduler {
    const cg_units *units;
    uint32_t *waits;        /* units that must come first */
    uint32_t *first_next, *next; /* edges producer -> reader as linked lists */
    uint32_t *edge_to;
    uint32_t edges;
    uint32_t *left;         /* reads still to come, by node id; counts units */
    uint32_t *soft;         /* readers that should come first, by unit */
    int64_t *alias_bytes;
    bool *done;
} scheduler;

/* What the arena gains: results made less operands that nobody reads any more. */
static int64_t growth(const scheduler *s, const cg_unit *u) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < u->write_count; i++) bytes += s->alias_bytes[u->writes[i]->id];
    for (uint32_t i = 0; i < u->read_count; i++)
        if (s->left[u->reads[i]->id] == 1) bytes -= s->alias_bytes[u->reads[i]->id];
    return bytes;
}

static uint32_t pick(const scheduler *s) {
    const cg_units *u = s->units;
    uint32_t best = CG_NONE, waiting = CG_NONE, freeing = CG_NONE;
    for (uint32_t i = 0; i < u->count; i++) {
        if (s->done[i] || s->waits[i]) continue;
        if (s->soft[i]) {
            if (waiting == CG_NONE || u->v[i].order < u->v[waiting].order) waiting = i;
            continue;
        }
        if (best == CG_NONE || u->v[i].order < u->v[best].order) best = i;
        if ((freeing == CG_NONE || u->v[i].order < u->v[freeing].order) && growth(s, &u->v[i]) <= 0) freeing = i;
    }
    return freeing != CG_NONE ? freeing : best != CG_NONE ? best : waiting;
}

static void add_edge(scheduler *s, uint32_t from, uint32_t to) {
    s->edge_to[s->edges] = to;
    s->next[s->edges] = s->first_next[from];
    s->first_next[from] = s->edges++;
    s->waits[to]++;
}

static bool make_room(scheduler *s, weft_arena *a, size_t nodes) {
    size_t edges = 1 + s->units->count;
    for (uint32_t i = 0; i < s->units->count; i++) edges += s->units->v[i].read_count;
    s->waits = weft_arena_array(a, uint32_t, s->units->count);
    s->first_next = weft_arena_array(a, uint32_t, s->units->count);
    s->soft = weft_arena_array(a, uint32_t, s->units->count);
    s->done = weft_arena_array(a, bool, s->units->count);
    s->next = weft_arena_array(a, uint32_t, edges);
    s->edge_to = weft_arena_array(a, uint32_t, edges);
    s->left = weft_arena_array(a, uint32_t, nodes);
    s->alias_bytes = weft_arena_array(a, int64_t, nodes);
    return s->waits && s->first_next && s->soft && s->done && s->next && s->edge_to && s->left && s->alias_bytes;
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

static void build(scheduler *s, const uint32_t *writer) {
    const cg_units *u = s->units;
    for (uint32_t i = 0; i < u->count; i++) s->first_next[i] = CG_NONE;
    for (uint32_t i = 0; i < u->count; i++)
        for (uint32_t k = 0; k < u->v[i].read_count; k++) {
            uint32_t id = u->v[i].reads[k]->id;
            s->left[id]++;
            if (writer[id] == CG_NONE || writer[id] == i) continue;
            s->alias_bytes[id] = cg_bytes(u->v[i].reads[k]);
            add_edge(s, writer[id], i);
        }
}

/* Readers of argument `arg` that are not unit w. */
static uint32_t other_readers(const cg_units *u, const cg_node *arg, uint32_t w) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < u->count; i++)
        for (uint32_t k = 0; i != w && k < u->v[i].read_count; k++) n += u->v[i].reads[k] == arg;
    return n;
}

static bool overwrites(const cg_block *b, const int32_t *alias, const cg_unit *u, const cg_node *arg) {
    for (uint32_t r = 0; r < b->result_count; r++) {
        if (alias[r] < 0 || b->args[alias[r]] != arg) continue;
        for (uint32_t k = 0; k < u->write_count; k++)
            if (u->writes[k] == cg_base(b->results[r])) return true;
    }
    return false;
}

weft_status cg_schedule(cg_graph *g, const cg_block *b, const int32_t *alias, cg_units *units) {
    weft_arena arena;
    weft_arena_init(&arena, &g->cx->alloc);
    scheduler s = { .units = units };
    weft_status st = weft_oom();
    uint32_t *writer = weft_arena_array(&arena, uint32_t, g->count);
    cg_unit *sorted = weft_arena_array(&g->arena, cg_unit, units->count);
    uint32_t *soft_on = weft_arena_array(&arena, uint32_t, b->arg_count); /* argument -> unit that overwrites it, + 1 */
    if (!make_room(&s, &arena, g->count) || !writer || !sorted || !soft_on) goto out;
    for (size_t i = 0; i < g->count; i++) writer[i] = CG_NONE;
    for (uint32_t i = 0; i < units->count; i++)
        for (uint32_t k = 0; k < units->v[i].write_count; k++) writer[units->v[i].writes[k]->id] = i;
    build(&s, writer);
    chain_effects(&s);
    for (uint32_t r = 0; alias && r < b->result_count; r++) {
        uint32_t w = alias[r] < 0 ? CG_NONE : writer[cg_base(b->results[r])->id];
        if (w == CG_NONE) continue;
        soft_on[alias[r]] = w + 1;
        s.soft[w] += other_readers(units, b->args[alias[r]], w);
    }
    for (uint32_t n = 0; n < units->count; n++) {
        uint32_t u = pick(&s);
        if (u == CG_NONE) {
            st = weft_report(g->cx, WEFT_D_internal, units->v[0].loc, "units of code wait for each other");
            goto out;
        }
        s.done[u] = true;
        sorted[n] = units->v[u];
        for (uint32_t e = s.first_next[u]; e != CG_NONE; e = s.next[e]) s.waits[s.edge_to[e]]--;
        for (uint32_t k = 0; k < units->v[u].read_count; k++) {
            const cg_node *x = units->v[u].reads[k];
            s.left[x->id]--;
            if (alias && x->cls == CG_ARGUMENT && x->block == b && soft_on[x->aux] && soft_on[x->aux] - 1 != u && !overwrites(b, alias, &units->v[u], x))
                s.soft[soft_on[x->aux] - 1]--;
        }
    }
    units->v = sorted;
    st = WEFT_OK;
out:
    weft_arena_free(&arena);
    return st;
}
