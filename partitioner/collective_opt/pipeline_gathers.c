/* pipeline_gathers: what a loop gathers for a turn is gathered in the turn before.
 *
 * Pass weft-pipeline-gathers. Needs: plain StableHLO on local shapes. Leaves: loops over a counter in which the
 * operands of an all_gather follow from the counter and from what does not change (the weights of layer i, split over
 * the devices) gather ahead: the first gather stands before the loop, each turn gathers for the next, the last turn
 * stands after the loop and gathers nothing. So as many gathers are made as before, and each can pass beside the
 * computation of a turn (codegen/overlap.c).
 *
 *     g = gather(0)                                  while i < n - 2:
 *     while i < n: w = gather(i); x = f(x, w)   ->     g1 = gather(i + 1); x = f(x, g); g = gather(i + 2); x = f(x, g1)
 *                                                    x = f(x, g)     (or two turns: g1 = gather(i + 1); x = f(f(x, g),
 *                                                                    g1))
 *
 * Two turns are one, so that what is carried need not be copied when a turn ends: the second gather writes where the
 * first turn has read.
 *
 * A loop is rewritten where, by the cost model, enough of the gathers' time can go on during a turn (`ahead-gain`), and
 * where what is carried, which is in memory all along then, is at most memory-percent of what @main is given and
 * returns. Of nested loops the innermost one is. What is computed of the counter to get at the operand must be little:
 * indices, slices, conversions.
 *
 * Source: XLA's collective pipeliner for the idea; peeling at both ends instead of a last gather in vain is its, too.
 */
#include "cost/environment.h"
#include "cost/op.h"
#include "ir/process.h"
#include "ir/rewrite.h"
#include "ir/trips.h"
#include "partitioner/layout/group_axes.h"
#include "partitioner/lower/local.h"
#include "partitioner/partition.h"

/* The new loop needs a pair of turns, and one after it. */
enum { LEAST_TURNS = 3 };
#define MOST_COUNT (INT64_C(1) << 52) /* counters that a double has exactly */

typedef struct piped {     /* a loop to be rewritten */
    const weft_op *loop;
    weft_counter counter;
    int64_t turns;
    const weft_op **gathers; uint32_t count, values;
    bool *counts;          /* by argument: follows from the counter alone */
} piped;

typedef struct pipeliner {
    weft_context *cx;
    weft_arena *arena;
    const weft_module *in;
    const weft_machine *machine;
    int64_t room;          /* bytes that may be carried */
    piped **of;            /* by op id, of a loop; NULL: stays */
    bool *ahead;           /* by op id: a gather that is made ahead */
    bool *cone;            /* by op id: what its operands are made by */
    bool *advance;         /* by op id: what the next counter is made by */
    bool *spare;           /* by op id: used by these only */
    int64_t channel;
    bool copying;          /* a turn: its collectives get numbers of their own */
} pipeliner;

/* ---- what can be ---- */

static bool is_small(const weft_op *op, double most) {
    for (uint32_t i = 0; i < op->result_count; i++) {
        const int64_t bytes = weft_type_is_static(op->results[i].type) ? weft_type_bytes(op->results[i].type) : -1;
        if (bytes < 0 || (double)bytes > most) return false;
    }
    return true;
}

/* Little work whatever its size. */
static bool is_cheap(const weft_op *op, double small) {
    const weft_op_kind k = (weft_op_kind)op->kind;
    if (op->region_count || !weft_op_kind_has(k, WEFT_TRAIT_PURE)) return false;
    return is_small(op, small) || weft_op_kind_has(k, WEFT_TRAIT_VIEW) || k == WEFT_OP_dynamic_slice ||
           k == WEFT_OP_convert;
}

/* Whether v follows cheaply from arguments of the block that `counts` names, unchanged ones and what stands outside;
 * marks the ops on the way. *turns: a counted argument was met. */
typedef struct trace {
    const piped *p;
    const weft_block *blk;
    bool *mark;
    bool *turns;
    bool (*allowed)(const weft_op *op, double small);
    double small;          /* bytes: cost `index` */
} trace;

static bool follows(const trace *t, const weft_value *v) {
    if (!v->def && v->block == t->blk) {
        if (weft_loop_unchanged(t->p->loop, v->index)) return true;
        *t->turns = *t->turns || t->p->counts[v->index];
        return t->p->counts[v->index];
    }
    if (!weft_block_is_within(weft_value_block(v), t->p->loop)) return true;
    if (!v->def || v->def->parent != t->blk || !t->allowed(v->def, t->small)) return false;
    if (t->mark[v->def->id]) return true;
    for (uint32_t i = 0; i < v->def->operand_count; i++)
        if (!follows(t, v->def->operands[i])) return false;
    t->mark[v->def->id] = true;
    return true;
}

/* Whether v follows so, without marks: they are made once it is known that it does. */
static bool check(pipeliner *z, const piped *p, const weft_block *blk, const weft_value *v,
                  bool (*allowed)(const weft_op *, double), bool *turns) {
    const weft_mark scratch = weft_arena_mark(&z->cx->scratch);
    bool *seen = weft_scratch_array(z->cx, bool, z->in->op_count), met = false;
    const trace t = { p, blk, seen, &met, allowed, z->machine->costs.index_bytes };
    const bool yes = seen && follows(&t, v);
    if (turns) *turns = *turns || met;
    weft_arena_reset(&z->cx->scratch, scratch);
    return yes;
}

static bool small_and_cheap(const weft_op *op, double small) { return is_cheap(op, small) && is_small(op, small); }

/* Arguments whose next value follows from the counter and its like: by taking out those that do not, until none is left
 * to take. */
static bool find_counters(pipeliner *z, piped *p) {
    const weft_block *body = weft_op_body(p->loop, 1);
    p->counts = weft_arena_array(z->arena, bool, body->arg_count);
    if (!p->counts) return false;
    for (uint32_t i = 0; i < body->arg_count; i++)
        p->counts[i] = !weft_loop_unchanged(p->loop, i) && weft_type_is_static(body->args[i]->type) &&
                       (double)weft_type_bytes(body->args[i]->type) <= z->machine->costs.index_bytes;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < body->arg_count; i++)
            if (p->counts[i] && !check(z, p, body, body->last->operands[i], small_and_cheap, NULL))
                p->counts[i] = false, again = true;
    }
    return p->counts[p->counter.index];
}

static bool can_be_ahead(pipeliner *z, const piped *p, const weft_op *op) {
    bool turns = false;
    if (op->kind != WEFT_OP_all_gather) return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!weft_type_is_static(op->results[i].type) || !check(z, p, op->parent, op->operands[i], is_cheap, &turns))
            return false;
    return turns;
}

/* ---- what is worth it ---- */

static int64_t bytes_of(const weft_op *op) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < op->result_count; i++) bytes += weft_type_bytes(op->results[i].type);
    return bytes;
}

static weft_status time_of(const pipeliner *z, const weft_op *op, weft_coll_time *out) {
    const int64_t d = weft_op_int(op, WEFT_A_all_gather_dim, 0), in = op->operands[0]->type->dims[d];
    weft_group_axes group;
    bool found;
    weft_status st = weft_group_axes_of(z->in, op, &group, &found);
    *out = weft_machine_coll_time(z->machine, WEFT_PLAN_ALL_GATHER, in ? op->results[0].type->dims[d] / in : 1,
                                  found ? group.stride : 1, bytes_of(op));
    return st;
}

static weft_status weigh(pipeliner *z, const piped *p, bool *worth_it) {
    double beside_s = 0, gather_s = 0;
    int64_t bytes = 0;
    weft_op_cost work;
    (void)weft_cost_block(weft_op_body(p->loop, 1), &work);
    const double turn_s =
        weft_machine_kernel_time_s(z->machine, work.flops + work.transcendentals, work.read_bytes + work.write_bytes);
    for (uint32_t i = 0; i < p->count; i++) {
        weft_coll_time t;
        weft_status st = time_of(z, p->gathers[i], &t);
        if (st != WEFT_OK) return st;
        beside_s += t.beside_s;
        gather_s += t.beside_s + t.own_s;
        bytes += bytes_of(p->gathers[i]);
    }
    const double hidden_s = beside_s < turn_s ? beside_s : turn_s;
    *worth_it = bytes <= z->room && hidden_s >= z->machine->costs.ahead_gain * (turn_s + gather_s);
    return WEFT_OK;
}

/* ---- finding ---- */

static void mark_used(pipeliner *z, const piped *p) {
    const weft_block *body = weft_op_body(p->loop, 1);
    const double small = z->machine->costs.index_bytes;
    bool turns = false;
    for (uint32_t i = 0; i < body->arg_count; i++)
        if (p->counts[i])
            (void)follows(&(trace){ p, body, z->advance, &turns, small_and_cheap, small }, body->last->operands[i]);
    for (uint32_t i = 0; i < p->count; i++) {
        z->ahead[p->gathers[i]->id] = true;
        for (uint32_t k = 0; k < p->gathers[i]->operand_count; k++)
            (void)follows(&(trace){ p, body, z->cone, &turns, is_cheap, small }, p->gathers[i]->operands[k]);
    }
}

static void note_uses(bool *used, const weft_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (op->operands[i]->def) used[op->operands[i]->def->id] = true;
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r]) WEFT_EACH_OP(inner, blk) note_uses(used, inner);
}

/* Ops of the cones that nothing else uses. */
static weft_status find_spare(pipeliner *z, const piped *p) {
    bool *used = weft_scratch_array(z->cx, bool, z->in->op_count);
    if (!used) return weft_oom();
    for (const weft_op *op = weft_op_body(p->loop, 1)->last; op; op = op->prev) {
        z->spare[op->id] = z->ahead[op->id] || (z->cone[op->id] && !used[op->id]);
        if (!z->spare[op->id]) note_uses(used, op);
    }
    return WEFT_OK;
}

/* Limits and steps that twice the step leaves exact; a counter that wraps round has turns between its start and its
 * limit that nobody counts. */
static bool exact(const weft_counter *c) {
    return !weft_counter_wraps(c) && c->to > -MOST_COUNT && c->to < MOST_COUNT && c->by > -MOST_COUNT / 4 &&
           c->by < MOST_COUNT / 4;
}

/* The condition is the comparison of the counter and nothing else. */
static bool only_tests(const weft_op *loop) {
    const weft_block *cond = weft_op_body(loop, 0);
    WEFT_EACH_OP(op, cond)
        if (op != cond->last && op != cond->last->operands[0]->def &&
            !weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_CONSTANT))
            return false;
    return true;
}

static weft_status consider(pipeliner *z, const weft_op *loop) {
    const weft_block *body = weft_op_body(loop, 1);
    piped *p = weft_arena_new(z->arena, piped);
    if (!p) return weft_oom();
    p->loop = loop;
    p->turns = weft_loop_trips(loop);
    if (p->turns < LEAST_TURNS || !weft_loop_counter(loop, &p->counter) || !exact(&p->counter) || !only_tests(loop) ||
        !find_counters(z, p))
        return WEFT_OK;
    p->gathers = weft_arena_array(z->arena, const weft_op *, z->in->op_count);
    if (!p->gathers) return weft_oom();
    WEFT_EACH_OP(op, body)
        if (can_be_ahead(z, p, op)) p->gathers[p->count++] = op, p->values += op->result_count;
    bool worth_it = false;
    weft_status st = p->count ? weigh(z, p, &worth_it) : WEFT_OK;
    if (st != WEFT_OK || !worth_it) return st;
    mark_used(z, p);
    z->of[loop->id] = p;
    return find_spare(z, p);
}

/* *found: some loop inside is rewritten. */
static weft_status find(pipeliner *z, const weft_op *op, bool *found) {
    bool inside = false;
    weft_status st = WEFT_OK;
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r])
            for (const weft_op *inner = blk->first; inner && st == WEFT_OK; inner = inner->next)
                st = find(z, inner, &inside);
    if (st == WEFT_OK && op->kind == WEFT_OP_while && !inside) {
        const weft_mark scratch = weft_arena_mark(&z->cx->scratch);
        st = consider(z, op);
        weft_arena_reset(&z->cx->scratch, scratch);
        inside = z->of[op->id] != NULL;
    }
    *found = *found || inside;
    return st;
}

/* ---- the rewriting ---- */

/* What a turn works on: a value for each argument, and one for each result of the gathers. */
typedef struct turn { weft_value **args, **gathered; } turn;

static bool new_turn(pipeliner *z, const piped *p, turn *out) {
    /* one list, as the loop carries them */
    out->args = weft_arena_array(z->arena, weft_value *, p->loop->operand_count + p->values);
    out->gathered = out->args ? out->args + p->loop->operand_count : NULL;
    return out->args != NULL;
}

static void set_args(weft_rewrite *r, const piped *p, const turn *t) {
    const weft_block *body = weft_op_body(p->loop, 1);
    for (uint32_t i = 0; i < body->arg_count; i++) r->map.to[body->args[i]->id] = t->args[i];
}

/* A number of its own for each copy of a collective. */
static weft_status renumber(pipeliner *z, weft_rewrite *r, weft_op *made) {
    const weft_attr *old = weft_op_attr(made, WEFT_A_channel_handle);
    if (!old || old->kind != WEFT_ATTR_CHANNEL || old->channel.handle <= 0) return WEFT_OK;
    weft_attr channel = *old;
    channel.channel.handle = ++z->channel;
    const weft_attr *attr = weft_attr_copy(z->cx, &channel);
    return attr ? weft_op_set(r->out, made, WEFT_A_channel_handle, attr) : weft_oom();
}

static weft_status copy_marked(weft_rewrite *r, weft_builder *b, const weft_block *blk, const bool *mark) {
    WEFT_EACH_OP(op, blk) {
        if (!mark[op->id]) continue;
        b->loc = op->loc;
        if (!weft_clone_op(b, op, &r->map)) return b->status;
    }
    return WEFT_OK;
}

/* The counters of the turn after `now` into next->args; its other arguments are left unset. */
static weft_status advance(weft_rewrite *r, weft_builder *b, const piped *p, const turn *now, turn *next) {
    const pipeliner *z = r->user;
    const weft_block *body = weft_op_body(p->loop, 1);
    set_args(r, p, now);
    weft_status st = copy_marked(r, b, body, z->advance);
    for (uint32_t i = 0; i < body->arg_count && st == WEFT_OK; i++)
        next->args[i] = p->counts[i] ? r->map.to[body->last->operands[i]->id] : now->args[i];
    return st;
}

/* What turn t gathers, into its list. */
static weft_status gather(weft_rewrite *r, weft_builder *b, const piped *p, turn *t) {
    pipeliner *z = r->user;
    uint32_t n = 0;
    set_args(r, p, t);
    weft_status st = copy_marked(r, b, weft_op_body(p->loop, 1), z->cone);
    for (uint32_t i = 0; i < p->count && st == WEFT_OK; i++) {
        b->loc = p->gathers[i]->loc;
        weft_op *made = weft_clone_op(b, p->gathers[i], &r->map);
        st = made ? renumber(z, r, made) : b->status;
        for (uint32_t k = 0; made && k < made->result_count; k++) t->gathered[n++] = &made->results[k];
    }
    return st;
}

/* Turn t itself; what it returns is what the next one works on. */
static weft_status compute(weft_rewrite *r, weft_builder *b, const piped *p, const turn *t, turn *next) {
    const weft_block *body = weft_op_body(p->loop, 1);
    uint32_t n = 0;
    set_args(r, p, t);
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t k = 0; k < p->gathers[i]->result_count; k++)
            r->map.to[p->gathers[i]->results[k].id] = t->gathered[n++];
    ((pipeliner *)r->user)->copying = true;
    weft_status st = weft_rewrite_inline(r, b, body);
    ((pipeliner *)r->user)->copying = false;
    for (uint32_t i = 0; i < body->arg_count && st == WEFT_OK; i++)
        next->args[i] = r->map.to[body->last->operands[i]->id];
    return st;
}

/* t gathers for the turn after it, then works; the two lists of `next` are complete. */
static weft_status gather_and_compute(weft_rewrite *r, weft_builder *b, const piped *p, const turn *t, turn *next) {
    weft_status st = advance(r, b, p, t, next);
    if (st == WEFT_OK) st = gather(r, b, p, next);
    return st == WEFT_OK ? compute(r, b, p, t, next) : st;
}

static weft_value *counter_constant(weft_builder *b, const piped *p, int64_t v) {
    return weft_build_integer(b, weft_op_body(p->loop, 1)->args[p->counter.index]->type, v);
}

static weft_block *open_region(weft_rewrite *r, const piped *p, weft_op *made, uint32_t w, turn *t) {
    const weft_block *old = weft_op_body(p->loop, w);
    weft_builder b;
    weft_builder_init(&b, r->out, NULL);
    weft_block *blk = weft_build_block(&b, &made->regions[w]);
    for (uint32_t i = 0; blk && i < made->result_count; i++) {
        t->args[i] =
            weft_build_block_arg(&b, blk, made->results[i].type, i < old->arg_count ? old->args[i]->loc : p->loop->loc);
        if (!t->args[i]) return NULL;
        if (i < old->arg_count) t->args[i]->hint = old->args[i]->hint;
    }
    return blk;
}

/* While at least two turns follow: the limit is that many steps nearer. */
static weft_status condition(weft_rewrite *r, const piped *p, weft_op *made, turn *t) {
    const weft_block *old = weft_op_body(p->loop, 0);
    const weft_op *test = old->last->operands[0]->def;
    weft_block *blk = open_region(r, p, made, 0, t);
    weft_builder b;
    if (!blk) return weft_oom();
    weft_builder_init(&b, r->out, blk);
    b.loc = test->loc;
    /* it may stand outside, and be used there */
    weft_value **limit = &r->map.to[test->operands[1]->id], *old_limit = *limit;
    r->map.to[test->operands[0]->id] = t->args[p->counter.index];
    *limit = counter_constant(&b, p, p->counter.to - 2 * p->counter.by);
    weft_op *more = b.status == WEFT_OK ? weft_clone_op(&b, test, &r->map) : NULL;
    *limit = old_limit;
    weft_value *out = more ? &more->results[0] : NULL;
    if (more)
        weft_build_op(&b,
                      &(weft_op_spec){ .kind = (weft_op_kind)old->last->kind, .operands = &out, .operand_count = 1 });
    return b.status;
}

static weft_status two_turns(weft_rewrite *r, const piped *p, weft_op *made, turn *t, turn *second, turn *end) {
    const weft_op *last = weft_op_body(p->loop, 1)->last;
    weft_block *blk = open_region(r, p, made, 1, t);
    weft_builder b;
    if (!blk) return weft_oom();
    weft_builder_init(&b, r->out, blk);
    weft_status st = gather_and_compute(r, &b, p, t, second);
    if (st == WEFT_OK) st = gather_and_compute(r, &b, p, second, end);
    if (st != WEFT_OK) return st;
    b.loc = last->loc;
    /* a loop over a counter still */
    end->args[p->counter.index] =
        weft_build_binary(&b, WEFT_OP_add, t->args[p->counter.index], counter_constant(&b, p, 2 * p->counter.by));
    if (b.status == WEFT_OK)
        weft_build_op(&b, &(weft_op_spec){ .kind = (weft_op_kind)last->kind, .operands = end->args,
                                           .operand_count = made->result_count });
    return b.status;
}

static weft_op *shell(weft_rewrite *r, weft_builder *b, const piped *p, const turn *t) {
    const weft_op *loop = p->loop;
    const uint32_t n = loop->operand_count + p->values;
    const weft_type **types = weft_arena_array(((pipeliner *)r->user)->arena, const weft_type *, n);
    if (!types) return NULL;
    for (uint32_t i = 0; i < n; i++) types[i] = t->args[i]->type;
    weft_op *made = weft_build_op(b, &(weft_op_spec){ .kind = (weft_op_kind)loop->kind, .operands = t->args,
                                                      .operand_count = n, .types = types, .result_count = n,
                                                      .attrs = loop->attrs, .attr_count = loop->attr_count,
                                                      .region_count = 2 });
    /* of fewer results; shapes are local by now */
    if (made) b->status = weft_op_set(r->out, made, WEFT_A_sdy_sharding, NULL);
    return b->status == WEFT_OK ? made : NULL;
}

static weft_status rewrite_loop(weft_rewrite *r, weft_builder *b, const piped *p) {
    pipeliner *z = r->user;
    const weft_op *loop = p->loop;
    turn now, second, end;
    if (!new_turn(z, p, &now) || !new_turn(z, p, &second) || !new_turn(z, p, &end)) return weft_oom();
    for (uint32_t i = 0; i < loop->operand_count; i++) now.args[i] = r->map.to[loop->operands[i]->id];
    weft_status st = gather(r, b, p, &now);
    b->loc = loop->loc;
    weft_op *made = st == WEFT_OK ? shell(r, b, p, &now) : NULL;
    if (!made) return st != WEFT_OK ? st : b->status != WEFT_OK ? b->status : weft_oom();
    st = condition(r, p, made, &now);
    if (st == WEFT_OK) st = two_turns(r, p, made, &now, &second, &end);
    for (uint32_t i = 0; i < made->result_count; i++) now.args[i] = &made->results[i];
    if (st == WEFT_OK && p->turns % 2 == 0) {
        st = gather_and_compute(r, b, p, &now, &second);
        now = second;
    }
    if (st == WEFT_OK) st = compute(r, b, p, &now, &end);
    for (uint32_t i = 0; i < loop->result_count && st == WEFT_OK; i++) r->map.to[loop->results[i].id] = end.args[i];
    return st;
}

static weft_status offered(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    pipeliner *z = r->user;
    const bool copied = z->copying && weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_COLLECTIVE) &&
                        weft_op_attr(op, WEFT_A_channel_handle);
    *did = z->spare[op->id] || z->of[op->id] || copied ? WEFT_DONE : WEFT_KEEP;
    if (z->of[op->id]) return rewrite_loop(r, b, z->of[op->id]);
    if (z->spare[op->id] || !copied) return WEFT_OK;
    weft_op *made = weft_clone_op(b, op, &r->map);
    return made ? renumber(z, r, made) : b->status;
}

/* ---- the pass ---- */

static int64_t share_of_main(const weft_module *m, int64_t percent) {
    const weft_op *main = weft_module_main(m);
    const weft_type *t = main ? weft_func_type(main) : NULL;
    int64_t bytes = 0;
    for (uint32_t i = 0; t && i < t->part_count; i++)
        if (t->parts[i]->kind == WEFT_TYPE_TENSOR && weft_type_is_static(t->parts[i]))
            bytes += weft_type_bytes(t->parts[i]);
    return (int64_t)((double)bytes * (double)percent / 100);
}

weft_status weft_pass_pipeline_gathers(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    bool any = false;
    weft_arena_init(&arena, &p->cx->chunks);
    pipeliner z = { .cx = p->cx, .arena = &arena, .in = in, .machine = weft_pass_machine(p),
                    .room = share_of_main(in, weft_pass_int(p, "memory-percent", 25)) };
    weft_rewrite r = { .user = &z, .op = offered };
    z.of = weft_arena_array(&arena, piped *, in->op_count);
    z.ahead = weft_arena_array(&arena, bool, in->op_count);
    z.cone = weft_arena_array(&arena, bool, in->op_count);
    z.advance = weft_arena_array(&arena, bool, in->op_count);
    z.spare = weft_arena_array(&arena, bool, in->op_count);
    weft_status st = z.of && z.ahead && z.cone && z.advance && z.spare ? weft_last_channel(in, &z.channel) : weft_oom();
    if (st == WEFT_OK) st = find(&z, in->root, &any);
    if (st == WEFT_OK && any) st = weft_rewrite_module(&r, in, &arena, out);
    weft_arena_free(&arena);
    return st;
}
