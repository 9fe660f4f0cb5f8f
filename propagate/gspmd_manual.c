/* gspmd_manual: see gspmd_manual.h. */
#include "propagate/gspmd_manual.h"

#define NO_SET UINT32_MAX

typedef struct finder {
    weft_context *cx;
    weft_arena *arena;
    manual_regions *out;
    size_t cap;
    weft_uses uses;
    uint32_t *set;        /* by op id: the set of ops that it belongs to, or NO_SET */
    uint32_t *parent;     /* of sets: union-find */
    uint32_t set_count;
    uint32_t *position;   /* by op id, in its block */
    uint32_t *stamp;      /* by op id: the last region + 1 that it was put into */
    bool *needed;         /* by op id: read outside of regions too */
} finder;

static bool is_call_of(const weft_op *op, const char *target) {
    const weft_attr *name = op->kind == WEFT_OP_custom_call ? weft_op_attr(op, WEFT_A_call_target_name) : NULL;
    return name && name->kind == WEFT_ATTR_STRING && weft_str_is(name->s, target) && op->operand_count == 1 &&
        op->result_count == 1;
}

bool manual_is_begin(const weft_op *op) { return is_call_of(op, "SPMDFullToShardShape"); }
bool manual_is_end(const weft_op *op) { return is_call_of(op, "SPMDShardToFullShape"); }

static uint32_t find(finder *f, uint32_t set) {
    while (f->parent[set] != set) set = f->parent[set] = f->parent[f->parent[set]];
    return set;
}

static uint32_t join(finder *f, uint32_t a, uint32_t b) {
    if (a == NO_SET || b == NO_SET) return a == NO_SET ? b : a;
    a = find(f, a);
    b = find(f, b);
    return f->parent[weft_max_i64(a, b)] = (uint32_t)weft_min_i64(a, b);
}

/* Visits every value that op or an op inside it reads from outside of op. */
typedef struct reads { const weft_op *op; weft_status (*visit)(void *user, const weft_value *v); void *user; } reads;

static bool is_inside(const weft_op *outer, const weft_value *v) {
    const weft_op *at = v->def ? v->def : v->block->parent->parent;
    while (at && at != outer) at = weft_op_parent(at);
    return at == outer;
}

static weft_status visit_reads(void *user, weft_op *op) {
    const reads *r = user;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++)
        if (op == r->op || !is_inside(r->op, op->operands[i])) st = r->visit(r->user, op->operands[i]);
    return st;
}

static weft_status each_read(const weft_op *op, weft_status (*visit)(void *user, const weft_value *v), void *user) {
    return weft_op_walk((weft_op *)op, visit_reads, &(reads){ op, visit, user });
}

/* --- grouping ops ------------------------------------------------------------------------------------------------- */

typedef struct gathering { finder *f; const weft_op *op; uint32_t set; } gathering;

static weft_status gather_set(void *user, const weft_value *v) {
    gathering *g = user;
    if (v->def && v->def->parent == g->op->parent && !manual_is_end(v->def))
        g->set = join(g->f, g->set, g->f->set[v->def->id]);
    return WEFT_OK;
}

static uint32_t new_set(finder *f) { return f->parent[f->set_count] = f->set_count, f->set_count++; }

/* The operand of a ShardToFull, before @Sharding: results of one op belong together even without a FullToShard. */
static const weft_op *source_of(const weft_op *end) {
    const weft_op *def = end->operands[0]->def;
    while (def && def->parent == end->parent && is_call_of(def, "Sharding")) def = def->operands[0]->def;
    return def && def->parent == end->parent ? def : NULL;
}

static weft_status find_sets(finder *f, const weft_block *block) {
    uint32_t position = 0;
    WEFT_EACH_OP(op, block) {
        gathering g = { f, op, NO_SET };
        f->position[op->id] = position++;
        if (manual_is_begin(op)) f->set[op->id] = new_set(f);
        else if (op != block->last && each_read(op, gather_set, &g) == WEFT_OK) f->set[op->id] = g.set;
        if (!manual_is_end(op) || f->set[op->id] != NO_SET) continue;
        f->set[op->id] = new_set(f);
        for (const weft_op *other = block->first; other != op; other = other->next) /* other ends of the same op */
            if (manual_is_end(other) && source_of(op) && source_of(other) == source_of(op))
                join(f, f->set[op->id], f->set[other->id]);
    }
    return WEFT_OK;
}

/* --- one region --------------------------------------------------------------------------------------------------- */

typedef struct collecting {
    finder *f;
    manual_region *r;
    uint32_t index;
    const weft_op **waiting;  /* ops put into the region with unvisited operands */
    uint32_t waiting_count;
} collecting;

static weft_status collect_read(void *user, const weft_value *v) {
    collecting *c = user;
    const weft_op *def = v->def && v->def->parent == c->r->block ? v->def : NULL;
    if (def && manual_is_begin(def)) return WEFT_OK;
    if (!def || manual_is_end(def)) c->r->unread = "it reads a value that no SPMDFullToShardShape gives it";
    else if (c->f->stamp[def->id] != c->index + 1)
        c->f->stamp[def->id] = c->index + 1, c->waiting[c->waiting_count++] = def;
    return WEFT_OK;
}

static weft_status collect_members(finder *f, manual_region *r, uint32_t index, uint32_t set, uint32_t block_ops) {
    collecting c = { f, r, index, weft_arena_array(f->arena, const weft_op *, block_ops), 0 };
    r->inputs = weft_arena_array(f->arena, const weft_op *, block_ops);
    r->outputs = weft_arena_array(f->arena, const weft_op *, block_ops);
    r->members = weft_arena_array(f->arena, const weft_op *, block_ops);
    if (!c.waiting || !r->inputs || !r->outputs || !r->members) return weft_oom();
    weft_status st = WEFT_OK;
    WEFT_EACH_OP(op, r->block) {
        if (f->set[op->id] == NO_SET || find(f, f->set[op->id]) != set) continue;
        if (manual_is_begin(op)) r->inputs[r->input_count++] = op;
        else if (manual_is_end(op)) r->outputs[r->output_count++] = op;
        else f->stamp[op->id] = index + 1, c.waiting[c.waiting_count++] = op;
    }
    for (uint32_t i = 0; st == WEFT_OK && i < r->output_count; i++) st = collect_read(&c, r->outputs[i]->operands[0]);
    for (uint32_t i = 0; st == WEFT_OK && i < c.waiting_count; i++) st = each_read(c.waiting[i], collect_read, &c);
    WEFT_EACH_OP(op, r->block)
        if (f->stamp[op->id] == index + 1) r->members[r->member_count++] = op;
    return st;
}

/* The op of the block that is op or contains it. */
static const weft_op *in_block(const weft_op *op, const weft_block *block) {
    while (op && op->parent != block) op = weft_op_parent(op);
    return op;
}

/* Parts of values may be read inside the region and by its ShardToFull only. */
static bool leaks(const finder *f, const manual_region *r, const weft_op *op, uint32_t set) {
    for (uint32_t i = 0; i < op->result_count; i++)
        for (uint32_t u = f->uses.start[op->results[i].id]; u < f->uses.start[op->results[i].id + 1]; u++) {
            const weft_op *user = in_block(f->uses.use[u].op, r->block);
            if (!user || user == r->block->last || f->set[user->id] == NO_SET ||
                find((finder *)f, f->set[user->id]) != set || manual_is_begin(user)) return true;
        }
    return false;
}

static weft_status add_region(finder *f, const weft_block *block, uint32_t set, uint32_t block_ops) {
    manual_regions *all = f->out;
    if (!weft_arena_grow(f->arena, (void **)&all->v, &f->cap, all->count + 1, sizeof *all->v)) return weft_oom();
    manual_region *r = &all->v[all->count];
    *r = (manual_region){ .block = block };
    weft_status st = collect_members(f, r, all->count, set, block_ops);
    if (st != WEFT_OK) return st;
    r->place = r->output_count ? r->outputs[0] : r->member_count ? r->members[r->member_count - 1] : r->inputs[0];
    for (uint32_t i = 0; i < r->input_count; i++) {
        if (r->place != r->inputs[i] && f->position[r->inputs[i]->id] > f->position[r->place->id])
            r->unread = "a SPMDFullToShardShape follows its first SPMDShardToFullShape";
        if (leaks(f, r, r->inputs[i], set)) r->unread = "a device's part of a value is read outside of it";
        all->of_op[r->inputs[i]->id] = all->count;
    }
    for (uint32_t i = 0; i < r->output_count; i++) all->of_op[r->outputs[i]->id] = all->count;
    for (uint32_t i = 0; i < r->member_count; i++) {
        const weft_op *op = r->members[i];
        if (f->set[op->id] != NO_SET && leaks(f, r, op, set))
            r->unread = "a device's part of a value is read outside of it";
    }
    all->count++;
    return WEFT_OK;
}

/* --- a block ------------------------------------------------------------------------------------------------------ */

static weft_status note_needed(void *user, const weft_value *v) {
    finder *f = user;
    if (v->def) f->needed[v->def->id] = true;
    return WEFT_OK;
}

/* Ops that only regions first .. count need, and no other reader, move into them. */
static weft_status give_away(finder *f, const weft_block *block, uint32_t first) {
    weft_status st = WEFT_OK;
    for (const weft_op *op = block->last; op && st == WEFT_OK; op = op->prev) {
        const bool taken = f->stamp[op->id] > first;
        const uint32_t region = taken ? f->stamp[op->id] - 1 : f->out->of_op[op->id];
        const bool fails = region != WEFT_NO_REGION && f->out->v[region].unread;
        if (taken && !f->needed[op->id] && !fails) f->out->of_op[op->id] = region;
        else if (fails || !manual_is_end(op)) st = each_read(op, note_needed, f);
    }
    return st;
}

static weft_status find_in_block(finder *f, const weft_block *block) {
    uint32_t ops = 0, first_set = f->set_count;
    WEFT_EACH_OP(op, block) ops += op != NULL;
    weft_status st = find_sets(f, block);
    const uint32_t last = f->set_count, first = f->out->count;
    for (uint32_t set = first_set; st == WEFT_OK && set < last; set++)
        if (find(f, set) == set) st = add_region(f, block, set, ops);
    return st == WEFT_OK ? give_away(f, block, first) : st;
}

typedef struct block_list { weft_arena *arena; const weft_block **v; size_t count, cap; } block_list;

static weft_status note_block(void *user, weft_op *op) {
    block_list *l = user;
    if (!manual_is_begin(op) && !manual_is_end(op)) return WEFT_OK;
    for (size_t i = l->count; i-- > 0;)
        if (l->v[i] == op->parent) return WEFT_OK;
    if (!weft_arena_grow(l->arena, (void **)&l->v, &l->cap, l->count + 1, sizeof *l->v)) return weft_oom();
    l->v[l->count++] = op->parent;
    return WEFT_OK;
}

weft_status manual_regions_find(const weft_module *m, weft_arena *arena, manual_regions *out) {
    finder f = { .cx = m->cx, .arena = arena, .out = out };
    block_list blocks = { .arena = arena };
    *out = (manual_regions){ .of_op = weft_arena_array(arena, uint32_t, m->op_count) };
    weft_status st = out->of_op ? weft_module_walk(m, note_block, &blocks) : weft_oom();
    for (uint32_t i = 0; out->of_op && i < m->op_count; i++) out->of_op[i] = WEFT_NO_REGION;
    if (st != WEFT_OK || !blocks.count) return st;
    f.set = weft_arena_array(arena, uint32_t, m->op_count);
    f.parent = weft_arena_array(arena, uint32_t, m->op_count);
    f.position = weft_arena_array(arena, uint32_t, m->op_count);
    f.stamp = weft_arena_array(arena, uint32_t, m->op_count);
    f.needed = weft_arena_array(arena, bool, m->op_count);
    if (!f.set || !f.parent || !f.position || !f.stamp || !f.needed) return weft_oom();
    for (uint32_t i = 0; i < m->op_count; i++) f.set[i] = NO_SET;
    st = weft_uses_build(m, arena, &f.uses);
    for (size_t i = 0; st == WEFT_OK && i < blocks.count; i++) st = find_in_block(&f, blocks.v[i]);
    return st;
}
