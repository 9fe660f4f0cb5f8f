/* tile_nests.c: the nests of a block: tile.h says what these are.
 *
 * A product is the source of wide values if its result has SOURCE_GAIN times the elements of its operands, and of the
 * cost `tile-least` at the least. What follows from it is marked in program order; reductions and products end a wide
 * value. Small values between two such ops, as a row's maximum on its way back to the row, belong to the nest as well.
 */
#include <stdlib.h>

#include "legalize/hoist.h"
#include "legalize/steps.h"
#include "legalize/tile.h"

enum { SOURCE_GAIN = 2, MOST_DEPTH = 16 };

typedef enum lt_mark { OUTSIDE, MAYBE, MEMBER } lt_mark;

static bool is_source(const lt_tiler *t, const weft_op *op) {
    const double n = (double)lt_elems(&op->results[0]);
    return op->kind == WEFT_OP_dot_general && lg_bytes(&op->results[0]) >= t->machine->costs.tile_least_bytes &&
           n >= SOURCE_GAIN * ((double)lt_elems(op->operands[0]) + (double)lt_elems(op->operands[1]));
}

/* ---- members ---- */

static bool follows(const lt_tiler *t, const weft_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (op->operands[i]->def && t->mark[op->operands[i]->def->id] != OUTSIDE) return true;
    return false;
}

static bool reads_wide(const lt_tiler *t, const weft_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (t->wide[op->operands[i]->id]) return true;
    return false;
}

static void mark(lt_tiler *t, const weft_op *op) {
    const weft_value *to = op->result_count == 1 ? &op->results[0] : NULL;
    if (!to || !lt_fits(op)) return;
    const bool dot = op->kind == WEFT_OP_dot_general, source = is_source(t, op), wide = reads_wide(t, op);
    if (source && (!t->least || lt_elems(to) < t->least)) t->least = lt_elems(to);
    if (source || wide) {
        t->mark[op->id] = MEMBER;
        t->wide[to->id] = source || (!dot && op->kind != WEFT_OP_reduce);
    } else if (!dot && t->least && follows(t, op)) {
        const bool widens = op->kind == WEFT_OP_broadcast_in_dim && lt_elems(to) >= t->least;
        t->mark[op->id] = widens ? MEMBER : MAYBE;
        t->wide[to->id] = widens;
    }
}

/* Small values belong to a nest if an op of a nest reads them. */
static void settle(lt_tiler *t, const weft_op *op) {
    if (t->mark[op->id] != MAYBE) return;
    const weft_value *to = &op->results[0];
    t->mark[op->id] = OUTSIDE;
    for (uint32_t u = t->uses.start[to->id]; u < t->uses.start[to->id + 1]; u++)
        if (t->uses.use[u].op->parent == op->parent && t->mark[t->uses.use[u].op->id] == MEMBER)
            t->mark[op->id] = MEMBER;
}

/* ---- stages ---- */

static uint32_t find(lt_tiler *t, uint32_t a) {
    while (t->root[a] != a) a = t->root[a] = t->root[t->root[a]];
    return a;
}

typedef struct stager { lt_tiler *t; const weft_op *op; bool apart; uint32_t member, outside; } stager;

static void raise(uint32_t *stage, uint32_t least) {
    if (*stage < least) *stage = least;
}

static bool note_stage(void *user, const weft_value *v) {
    stager *s = user;
    if (!v->def || v->def->parent != s->op->parent) return true;
    const uint32_t stage = s->t->stage[v->def->id];
    if (s->t->mark[v->def->id] != MEMBER) raise(&s->outside, stage);
    else if (s->apart && !s->t->wide[v->id]) raise(&s->outside, stage + 1);
    else raise(&s->member, stage);
    return true;
}

/* A source of wide values begins a nest of its own after what makes its operands. Effects stay in program order. */
static void set_stage(lt_tiler *t, const weft_op *op) {
    stager s = { .t = t, .op = op, .apart = t->mark[op->id] == MEMBER && is_source(t, op) };
    (void)lg_each_used(op, note_stage, &s);
    if (t->mark[op->id] != MEMBER) {
        if (s.member) raise(&s.outside, s.member + 1);
        if (lt_has_effects(op)) {
            raise(&s.outside, t->effects);
            t->effects = s.outside;
        }
        t->stage[op->id] = s.outside;
        return;
    }
    const uint32_t stage = s.member > s.outside ? s.member : s.outside;
    t->stage[op->id] = stage ? stage : 1;
    t->root[op->id] = op->id;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const weft_op *d = op->operands[i]->def;
        if (d && d->parent == op->parent && t->mark[d->id] == MEMBER && t->stage[d->id] == t->stage[op->id] &&
            !(s.apart && !t->wide[op->operands[i]->id]))
            t->root[find(t, d->id)] = op->id;
    }
}

/* Ops of one stage that read wide values of one earlier nest belong together: these are computed again once. */
static void join_readers(lt_tiler *t, const weft_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const weft_value *v = op->operands[i];
        if (!t->wide[v->id] || t->mark[v->def->id] != MEMBER || t->stage[v->def->id] == t->stage[op->id]) continue;
        const uint32_t from = find(t, v->def->id);
        if (t->reader_stage[from] == t->stage[op->id]) t->root[find(t, t->reader[from])] = find(t, op->id);
        t->reader_stage[from] = t->stage[op->id];
        t->reader[from] = op->id;
    }
}

/* ---- nests ---- */

static weft_status add(lt_tiler *t, lt_nest *nest, const weft_op *op) {
    if (nest->op_count == nest->room) {
        const uint32_t room = nest->room ? 2 * nest->room : 32;
        const weft_op **ops = weft_arena_array(t->arena, const weft_op *, room);
        if (!ops) return weft_oom();
        if (nest->op_count) memcpy(ops, nest->ops, nest->op_count * sizeof *ops);
        nest->ops = ops, nest->room = room;
    }
    t->holder[op->id] = nest->id;
    nest->ops[nest->op_count++] = op;
    return WEFT_OK;
}

/* Whether v is one number in all places; or, of as many elements as a wide value, is made of such and of small values.
 */
static bool is_spread(const lt_tiler *t, const weft_value *v, int depth) {
    const weft_op *d = v->def;
    if (!d || depth == MOST_DEPTH || !v->type->rank || !lg_is_plain(v->type)) return false;
    if (d->kind == WEFT_OP_constant) return weft_op_attr(d, WEFT_A_value)->dense.splat;
    if (d->kind == WEFT_OP_broadcast_in_dim && !d->operands[0]->type->rank) return lt_fits(d);
    if (lt_elems(v) < t->least) return false;
    if (d->kind == WEFT_OP_iota) return true;
    if (t->mark[d->id] == MEMBER || !lt_fits(d) || d->kind == WEFT_OP_dot_general || d->kind == WEFT_OP_reduce)
        return false;
    for (uint32_t i = 0; i < d->operand_count; i++)
        if (lt_elems(d->operands[i]) >= lt_elems(v) && !is_spread(t, d->operands[i], depth + 1)) return false;
    return true;
}

/* Copies of what op reads that is wide and was made before, or is made of small values. */
static weft_status add_sources(lt_tiler *t, lt_nest *nest, const weft_op *op) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < op->operand_count && st == WEFT_OK; i++) {
        const weft_value *v = op->operands[i];
        if (!v->def || v->def->parent != op->parent || lt_makes(t, nest, v)) continue;
        if (t->mark[v->def->id] == MEMBER ? t->wide[v->id] : is_spread(t, v, 0)) st = add(t, nest, v->def);
    }
    return st;
}

static int by_place(const void *a, const void *b) {
    const uint32_t x = (*(const weft_op *const *)a)->id, y = (*(const weft_op *const *)b)->id;
    return (x > y) - (x < y);
}

/* Drops what nothing reads, and lists inputs. */
static weft_status close_nest(lt_tiler *t, lt_nest *nest) {
    uint32_t n = 0, inputs = 0;
    for (uint32_t i = nest->op_count; i-- > 0;) {
        const weft_op *op = nest->ops[i];
        const weft_value *to = &op->results[0];
        bool read = t->nest[op->id] == nest && t->needed[to->id];
        for (uint32_t u = t->uses.start[to->id]; u < t->uses.start[to->id + 1] && !read; u++)
            read = t->holder[t->uses.use[u].op->id] == nest->id;
        if (!read) t->holder[op->id] = 0;
    }
    for (uint32_t i = 0; i < nest->op_count; i++) {
        if (t->holder[nest->ops[i]->id] != nest->id) continue;
        t->at[nest->ops[i]->id] = n;
        nest->ops[n++] = nest->ops[i];
        inputs += nest->ops[i]->operand_count;
    }
    nest->op_count = n;
    nest->in = weft_arena_array(t->arena, lt_input, inputs);
    nest->out = weft_arena_array(t->arena, const weft_value *, n);
    if (!nest->in || !nest->out) return weft_oom();
    for (uint32_t i = 0; i < n; i++) {
        const weft_op *op = nest->ops[i];
        for (uint32_t k = 0; k < op->operand_count; k++)
            if (!lt_makes(t, nest, op->operands[k])) nest->in[nest->in_count++] = (lt_input){ op, k };
        if (t->nest[op->id] == nest && t->needed[op->results[0].id]) nest->out[nest->out_count++] = &op->results[0];
    }
    return WEFT_OK;
}

static bool need(void *user, const weft_value *v) {
    ((lt_tiler *)user)->needed[v->id] = true;
    return true;
}

/* What nest reads is needed; of a nest that is not computed in tiles, all that its own ops do. */
static void need_inputs(lt_tiler *t, const lt_nest *nest, const weft_op *const *own, uint32_t own_count) {
    for (uint32_t i = 0; i < nest->in_count && nest->taken; i++) need(t, nest->in[i].op->operands[nest->in[i].operand]);
    for (uint32_t i = 0; i < own_count && !nest->taken; i++) {
        (void)lg_each_used(own[i], need, t);
        t->nest[own[i]->id] = NULL;
    }
}

static weft_status settle_nest(lt_tiler *t, lt_nest *nest) {
    weft_status st = WEFT_OK;
    const uint32_t own_count = nest->op_count;
    const weft_op *const *own =
        weft_arena_dup(t->arena, nest->ops, own_count * sizeof *nest->ops, _Alignof(const weft_op *));
    if (!own) return weft_oom();
    for (uint32_t i = 0; i < nest->op_count; i++) t->holder[nest->ops[i]->id] = nest->id;
    for (uint32_t i = 0; i < nest->op_count && st == WEFT_OK; i++) st = add_sources(t, nest, nest->ops[i]);
    if (st != WEFT_OK) return st;
    qsort(nest->ops, nest->op_count, sizeof *nest->ops, by_place);
    st = close_nest(t, nest);
    if (st == WEFT_OK && nest->op_count) st = lt_choose(t, nest);
    t->any = t->any || nest->taken;
    need_inputs(t, nest, own, own_count);
    return st;
}

/* Nests of their own ops only, linked with the latest stage first. */
static weft_status gather(lt_tiler *t, const weft_block *blk, lt_nest **out) {
    WEFT_EACH_OP(op, blk) {
        if (t->mark[op->id] != MEMBER) continue;
        const uint32_t root = find(t, op->id);
        lt_nest *nest = t->nest[root], **at = out;
        if (!nest) {
            nest = weft_arena_new(t->arena, lt_nest);
            if (!nest) return weft_oom();
            *nest = (lt_nest){ .id = ++t->nests, .stage = t->stage[op->id] };
            while (*at && (*at)->stage > nest->stage) at = &(*at)->next;
            nest->next = *at, *at = nest;
            t->nest[root] = nest;
        }
        t->nest[op->id] = nest;
        nest->last = op;
        const weft_status st = add(t, nest, op);
        if (st != WEFT_OK) return st;
    }
    return WEFT_OK;
}

/* Members of later stages after those of earlier ones, which join_readers leaves as they are then. */
static weft_status join_all(lt_tiler *t, const weft_block *blk, uint32_t stages) {
    uint32_t *next = weft_arena_array(t->arena, uint32_t, stages + 2), n = 0;
    if (!next) return weft_oom();
    WEFT_EACH_OP(op, blk)
        if (t->mark[op->id] == MEMBER) next[t->stage[op->id] + 1]++, n++;
    for (uint32_t s = 0; s <= stages; s++) next[s + 1] += next[s];
    const weft_op **members = weft_arena_array(t->arena, const weft_op *, n);
    if (!members) return weft_oom();
    WEFT_EACH_OP(op, blk)
        if (t->mark[op->id] == MEMBER) members[next[t->stage[op->id]]++] = op;
    for (uint32_t i = 0; i < n; i++) join_readers(t, members[i]);
    return WEFT_OK;
}

weft_status lt_nests_find(lt_tiler *t, const weft_block *blk, lt_nest **out) {
    uint32_t stages = 0;
    *out = NULL;
    t->least = 0;
    t->effects = 0;
    WEFT_EACH_OP(op, blk) mark(t, op);
    if (!t->least) return WEFT_OK;
    for (const weft_op *op = blk->last; op; op = op->prev) settle(t, op);
    WEFT_EACH_OP(op, blk) {
        set_stage(t, op);
        if (t->stage[op->id] > stages) stages = t->stage[op->id];
    }
    weft_status st = join_all(t, blk, stages);
    if (st == WEFT_OK) st = gather(t, blk, out);
    WEFT_EACH_OP(op, blk)
        if (t->mark[op->id] != MEMBER) (void)lg_each_used(op, need, t);
    for (lt_nest *nest = *out; nest && st == WEFT_OK; nest = nest->next) st = settle_nest(t, nest);
    return st;
}
