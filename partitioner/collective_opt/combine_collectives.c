/* combine_collectives: small collectives of one kind and group become one call.
 *
 * Pass weft-combine-collectives. Needs: plain StableHLO on local shapes. Leaves: all_reduce and all_gather with several
 * operands in place of calls that are alike (same attributes, element type and reducer) and do not depend on one
 * another; a call holds at most the threshold of bytes. Ops move only as far as that asks: what uses a member waits for
 * the last one. Small reduce_scatters, which take one operand in StableHLO, are packed into one
 * (pack_reduce_scatter.c). collective_permute stays; so does all_to_all, of which XLA reads several operands as
 * something else.
 *
 * Calls that are alike are independent when equally many like them lie on the longest path before each: so they are
 * grouped by that number. Two groups of different kinds may still wait for each other; then the one that comes first is
 * split. Source: the combiners of XLA (REFERENCE 4.4), whose threshold for all_reduce is the default
 * machine's; thresholds are costs of the machine where no option gives them.
 */
#include "cost/environment.h"
#include "partitioner/collective_opt/combine.h"
#include "partitioner/lower/local.h"
#include "partitioner/partition.h"

#define MAX_KEYS 64       /* kinds of call told apart in one block */
#define NO_NODE UINT32_MAX

typedef struct node {     /* a call with its members, or one op */
    uint32_t first, last; /* of the chain of members, by index in the block; linked in work.next_member */
    uint32_t unmet;       /* operands not yet placed, of all members */
    uint32_t priority;    /* place of the last member */
    uint32_t members;
    int64_t bytes;
    bool placed;
} node;

typedef struct work {
    weft_arena *arena;
    const weft_op **ops;      uint32_t n;
    uint32_t *users, *user_start; /* users of op i: users[user_start[i] .. user_start[i + 1]) */
    uint32_t *unmet;          /* per op */
    uint32_t *node_of, *next_member;
    int32_t *key_of;          /* -1: not a call to combine */
    node *nodes;              uint32_t node_count;
    uint32_t *heap;           uint32_t heap_count;
    const weft_op **order;    uint32_t placed;
} work;

typedef struct combiner {
    weft_context *cx;
    weft_arena *arena;
    uint32_t *index_of;       /* by op id: index in its block */
    uint32_t *group_of;       /* by op id: the op id of its group's first member + 1; 0: alone */
    uint32_t *group_next;     /* by op id: next member + 1 */
    const weft_op **by_id;
    int64_t reduce_bytes, gather_bytes, pack_bytes;
} combiner;

/* --- which calls are alike ---------------------------------------------------------------------------------------- */

static bool combinable(const combiner *c, const weft_op *op) {
    if (op->operand_count != 1 || !weft_type_is_static(op->operands[0]->type)) return false;
    if (op->kind == WEFT_OP_reduce_scatter) return weft_type_bytes(op->operands[0]->type) <= c->pack_bytes;
    return op->kind == WEFT_OP_all_reduce || op->kind == WEFT_OP_all_gather;
}

static bool in_channel(const weft_named_attr *a) {
    return a->name->id == WEFT_A_channel_handle && a->value->kind == WEFT_ATTR_CHANNEL && a->value->channel.handle > 0;
}

static bool alike(const weft_op *a, const weft_op *b) {
    if (a->kind != b->kind || a->attr_count != b->attr_count ||
        a->operands[0]->type->dtype != b->operands[0]->type->dtype ||
        a->results[0].type->dtype != b->results[0].type->dtype)
        return false;
    if (a->region_count &&
        (weft_reducer_kind(a, 0) != weft_reducer_kind(b, 0) || weft_reducer_kind(a, 0) == WEFT_OP_other))
        return false;
    for (uint32_t i = 0; i < a->attr_count; i++) {
        if (a->attrs[i].name->id == WEFT_A_scatter_dimension) continue;
        uint32_t k = 0;
        while (k < b->attr_count && b->attrs[k].name != a->attrs[i].name) k++;
        if (k == b->attr_count) return false;
        if (in_channel(&a->attrs[i]) && in_channel(&b->attrs[k])) continue; /* a number per call */
        if (!weft_attr_equal(a->attrs[i].value, b->attrs[k].value)) return false;
    }
    return true;
}

/* --- the block as a graph ----------------------------------------------------------------------------------------- */

/* Calls f for every op of the block that op, or something in its regions, depends on. */
typedef void (*edge_fn)(combiner *c, work *w, uint32_t from, uint32_t to);

static void each_dependence(combiner *c, work *w, const weft_op *op, const weft_block *blk, uint32_t to, edge_fn f) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const weft_op *def = op->operands[i]->def;
        if (def && def->parent == blk) f(c, w, c->index_of[def->id], to);
    }
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(inner, &op->regions[r])
            WEFT_EACH_OP(o, inner) each_dependence(c, w, o, blk, to, f);
}

static void count_edge(combiner *c, work *w, uint32_t from, uint32_t to) {
    (void)c, (void)to;
    w->user_start[from + 1]++;
    w->unmet[to]++;
}

static void put_edge(combiner *c, work *w, uint32_t from, uint32_t to) {
    (void)c;
    w->users[--w->user_start[from + 1]] = to;
}

/* Ops with effects stay in order among themselves. */
static bool ordered(const weft_op *op) {
    return !weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_PURE) &&
           !weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_COLLECTIVE) &&
           !weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_TERMINATOR);
}

static void all_edges(combiner *c, work *w, const weft_block *blk, edge_fn f) {
    uint32_t before = NO_NODE;
    for (uint32_t i = 0; i < w->n; i++) {
        each_dependence(c, w, w->ops[i], blk, i, f);
        if (!ordered(w->ops[i])) continue;
        if (before != NO_NODE) f(c, w, before, i);
        before = i;
    }
}

static weft_status build_graph(combiner *c, work *w, const weft_block *blk) {
    for (const weft_op *op = blk->first; op; op = op->next) w->n++;
    uint32_t n = w->n;
    w->ops = weft_arena_array(w->arena, const weft_op *, n);
    w->unmet = weft_arena_array(w->arena, uint32_t, n);
    w->user_start = weft_arena_array(w->arena, uint32_t, n + 2);
    w->node_of = weft_arena_array(w->arena, uint32_t, n);
    w->next_member = weft_arena_array(w->arena, uint32_t, n);
    w->key_of = weft_arena_array(w->arena, int32_t, n);
    w->nodes = weft_arena_array(w->arena, node, 2 * n + 1);
    w->heap = weft_arena_array(w->arena, uint32_t, 2 * n + 1);
    w->order = weft_arena_array(w->arena, const weft_op *, n);
    if (!w->ops || !w->unmet || !w->user_start || !w->node_of || !w->next_member || !w->key_of || !w->nodes ||
        !w->heap || !w->order)
        return weft_oom();
    uint32_t i = 0;
    for (const weft_op *op = blk->first; op; op = op->next) {
        c->index_of[op->id] = i;
        c->by_id[op->id] = op;
        w->ops[i++] = op;
    }
    all_edges(c, w, blk, count_edge);
    for (i = 0; i <= n; i++) w->user_start[i + 1] += w->user_start[i];
    w->users = weft_arena_array(w->arena, uint32_t, w->user_start[n] + 1);
    if (!w->users) return weft_oom();
    all_edges(c, w, blk, put_edge); /* counts each range down from its end to its beginning */
    return WEFT_OK;
}

/* user_start[i + 1] was counted down to the range's beginning while filling. */
static uint32_t users_begin(const work *w, uint32_t i) { return w->user_start[i + 1]; }
static uint32_t users_end(const work *w, uint32_t i) {
    return i + 1 < w->n ? w->user_start[i + 2] : w->user_start[w->n + 1];
}

/* --- groups ------------------------------------------------------------------------------------------------------- */

static uint32_t find_keys(const combiner *c, work *w, const weft_op **keys) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        w->key_of[i] = -1;
        if (!combinable(c, w->ops[i])) continue;
        uint32_t k = 0;
        while (k < count && !alike(keys[k], w->ops[i])) k++;
        if (k == count && count == MAX_KEYS) continue;
        if (k == count) keys[count++] = w->ops[i];
        w->key_of[i] = (int32_t)k;
    }
    return count;
}

static void join(work *w, node *g, uint32_t i, uint32_t id) {
    if (g->members) w->next_member[g->last] = i; else g->first = i;
    w->next_member[i] = NO_NODE;
    w->node_of[i] = id;
    g->last = g->priority = i;
    g->members++;
}

/* depth[i]: calls like key on the longest path to op i. Calls of equal depth join while they fit. */
static weft_status group_key(combiner *c, work *w, int32_t key, const weft_op *example, uint32_t *depth) {
    int64_t limit = example->kind == WEFT_OP_all_reduce ? c->reduce_bytes : c->gather_bytes;
    uint32_t most = 0;
    memset(depth, 0, w->n * sizeof *depth);
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t after = depth[i] + (w->key_of[i] == key);
        for (uint32_t u = users_begin(w, i); u < users_end(w, i); u++)
            if (depth[w->users[u]] < after) depth[w->users[u]] = after;
        if (after > most) most = after;
    }
    /* by depth: the node that still takes members, + 1 */
    uint32_t *open = weft_arena_array(w->arena, uint32_t, most + 1);
    if (!open) return weft_oom();
    for (uint32_t i = 0; i < w->n; i++) {
        if (w->key_of[i] != key) continue;
        int64_t bytes =
            weft_max_i64(weft_type_bytes(w->ops[i]->operands[0]->type), weft_type_bytes(w->ops[i]->results[0].type));
        node *g = open[depth[i]] ? &w->nodes[open[depth[i]] - 1] : NULL;
        if (!g || g->members == WEFT_MAX_COMBINED || g->bytes + bytes > limit) {
            open[depth[i]] = ++w->node_count;
            g = &w->nodes[w->node_count - 1];
        }
        join(w, g, i, open[depth[i]] - 1);
        g->bytes += bytes;
    }
    return WEFT_OK;
}

/* --- the order ---------------------------------------------------------------------------------------------------- */

static void heap_push(work *w, uint32_t id) {
    uint32_t at = w->heap_count++;
    for (; at > 0 && w->nodes[w->heap[(at - 1) / 2]].priority > w->nodes[id].priority; at = (at - 1) / 2)
        w->heap[at] = w->heap[(at - 1) / 2];
    w->heap[at] = id;
}

static uint32_t heap_pop(work *w) {
    uint32_t top = w->heap[0], id = w->heap[--w->heap_count], at = 0;
    for (uint32_t child; (child = 2 * at + 1) < w->heap_count; at = child) {
        if (child + 1 < w->heap_count && w->nodes[w->heap[child + 1]].priority < w->nodes[w->heap[child]].priority)
            child++;
        if (w->nodes[w->heap[child]].priority >= w->nodes[id].priority) break;
        w->heap[at] = w->heap[child];
    }
    w->heap[at] = id;
    return top;
}

static void place(combiner *c, work *w, uint32_t id) {
    node *g = &w->nodes[id];
    uint32_t head = w->ops[g->first]->id;
    g->placed = true;
    for (uint32_t i = g->first; i != NO_NODE; i = w->next_member[i]) {
        const weft_op *op = w->ops[i];
        w->order[w->placed++] = op;
        if (g->members > 1) {
            c->group_of[op->id] = head + 1;
            c->group_next[op->id] = w->next_member[i] == NO_NODE ? 0 : w->ops[w->next_member[i]]->id + 1;
        }
    }
    for (uint32_t i = g->first; i != NO_NODE; i = w->next_member[i])
        for (uint32_t u = users_begin(w, i); u < users_end(w, i); u++) {
            uint32_t user = w->users[u], of = w->node_of[user];
            w->unmet[user]--;
            if (--w->nodes[of].unmet == 0) heap_push(w, of);
        }
}

/* Nothing is ready: takes the ready members out of the first group that has some. */
static bool split(work *w) {
    uint32_t best = NO_NODE;
    for (uint32_t id = 0; id < w->node_count; id++) {
        if (w->nodes[id].placed || (best != NO_NODE && w->nodes[best].priority <= w->nodes[id].priority)) continue;
        for (uint32_t i = w->nodes[id].first; i != NO_NODE; i = w->next_member[i])
            if (w->unmet[i] == 0) best = id;
    }
    if (best == NO_NODE) return false;
    node old = w->nodes[best], *rest = &w->nodes[best], *ready = &w->nodes[w->node_count];
    *rest = (node){ .unmet = old.unmet };
    for (uint32_t i = old.first, next; i != NO_NODE; i = next) {
        next = w->next_member[i];
        if (w->unmet[i] == 0) join(w, ready, i, w->node_count); else join(w, rest, i, best);
    }
    heap_push(w, w->node_count++);
    return true;
}

static weft_status order_block(weft_rewrite *r, const weft_block *blk, const weft_op *const **ops, uint32_t *count) {
    combiner *c = r->user;
    work w = { .arena = c->arena };
    const weft_op *keys[MAX_KEYS];
    weft_status st = build_graph(c, &w, blk);
    if (st != WEFT_OK) return st;
    uint32_t *depth = weft_arena_array(w.arena, uint32_t, w.n);
    if (!depth) return weft_oom();
    uint32_t key_count = find_keys(c, &w, keys);
    for (uint32_t k = 0; k < key_count && st == WEFT_OK; k++) st = group_key(c, &w, (int32_t)k, keys[k], depth);
    if (st != WEFT_OK) return st;
    for (uint32_t i = 0; i < w.n; i++) {
        if (w.key_of[i] < 0) {
            join(&w, &w.nodes[w.node_count], i, w.node_count);
            w.node_count++;
        }
        w.nodes[w.node_of[i]].unmet += w.unmet[i];
    }
    for (uint32_t id = 0; id < w.node_count; id++)
        if (w.nodes[id].unmet == 0) heap_push(&w, id);
    while (w.placed < w.n) {
        bool only_end = w.heap_count == 1 && w.placed + 1 < w.n && w.nodes[w.heap[0]].priority == w.n - 1;
        if ((w.heap_count == 0 || only_end) && !split(&w))
            return weft_report(c->cx, WEFT_D_internal, blk->first->loc,
                               "the ops of a block depend on one another in a circle");
        place(c, &w, heap_pop(&w));
    }
    *ops = w.order;
    *count = w.n;
    return WEFT_OK;
}

/* --- the pass ----------------------------------------------------------------------------------------------------- */

static weft_status build_group(combiner *c, weft_rewrite *r, weft_builder *b, const weft_op *first) {
    weft_value *operands[WEFT_MAX_COMBINED];
    const weft_type *types[WEFT_MAX_COMBINED];
    const weft_loc *locs[WEFT_MAX_COMBINED];
    const weft_op *members[WEFT_MAX_COMBINED];
    uint32_t n = 0;
    for (uint32_t id = first->id + 1; id; id = c->group_next[id - 1]) {
        const weft_op *op = c->by_id[id - 1];
        members[n] = op;
        operands[n] = r->map.to[op->operands[0]->id];
        types[n] = op->results[0].type;
        locs[n++] = op->loc;
    }
    b->loc = weft_loc_fused(c->cx, locs, n);
    if (!b->loc) return weft_oom();
    if (first->kind == WEFT_OP_reduce_scatter) return weft_pack_reduce_scatters(r, b, members, n);
    weft_op *made = weft_build_op(b, &(weft_op_spec){ .kind = (weft_op_kind)first->kind, .operands = operands,
                                                      .operand_count = n, .types = types, .result_count = n,
                                                      .attrs = first->attrs, .attr_count = first->attr_count,
                                                      .region_count = first->region_count });
    if (!made) return b->status;
    for (uint32_t i = 0; i < n; i++) {
        made->results[i].hint = members[i]->results[0].hint;
        r->map.to[members[i]->results[0].id] = &made->results[i];
    }
    return weft_rewrite_regions(r, first, made);
}

static weft_status combine_op(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    combiner *c = r->user;
    if (!c->group_of[op->id]) return WEFT_OK;
    *did = WEFT_DONE;
    return c->group_of[op->id] == op->id + 1 ? build_group(c, r, b, op) : WEFT_OK;
}

/* What the user gave, else the machine's. */
static int64_t threshold(const weft_pass *p, const char *key, double cost) {
    const int64_t given = weft_pass_int(p, key, -1);
    return given < 0 ? (int64_t)cost : given;
}

weft_status weft_pass_combine_collectives(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    weft_arena_init(&arena, &p->cx->chunks);
    const weft_costs *costs = &weft_pass_machine(p)->costs;
    combiner c = { .cx = p->cx, .arena = &arena,
                   .reduce_bytes = threshold(p, "reduce-threshold-bytes", costs->combine_reduce_bytes),
                   .gather_bytes = threshold(p, "gather-threshold-bytes", costs->combine_gather_bytes),
                   .pack_bytes = threshold(p, "pack-threshold-bytes", costs->combine_pack_bytes) };
    weft_rewrite r = { .user = &c, .op = combine_op, .order = order_block };
    c.index_of = weft_arena_array(&arena, uint32_t, in->op_count);
    c.group_of = weft_arena_array(&arena, uint32_t, in->op_count);
    c.group_next = weft_arena_array(&arena, uint32_t, in->op_count);
    c.by_id = weft_arena_array(&arena, const weft_op *, in->op_count);
    weft_status st = c.index_of && c.group_of && c.group_next && c.by_id ? WEFT_OK : weft_oom();
    if (st == WEFT_OK) st = weft_rewrite_module(&r, in, &arena, out);
    weft_arena_free(&arena);
    return st;
}
