/* device: the walk over a program's steps on one device.
 *
 * Needs: a world whose ranks all do the same, and arguments, results and temporaries in memory that the node's other
 * ranks read in place. Groups are joined once, in the order of the steps, which is the same on all. Collectives under
 * way move on after every step of code, since no other call moves them.
 */
#include <stdio.h>
#include "base/fresh.h"
#include "collectives/watch.h"
#include "runtime/device.h"
#include "runtime/group.h"

static weft_status fail(weft_device *d, weft_status st, const weft_loc *place, const char *what) {
    d->status = st;
    d->place = place;
    d->what = what;
    return st;
}

/* The handle on these members: an old one when the group was met before. */
static weft_status join_group(weft_device *d, const int *members, int n, int *const *known, uint32_t *slot) {
    for (uint32_t i = 0; i < d->comm_count; i++)
        if (weft_comm_size(d->comms[i]) == n && !memcmp(known[i], members, (size_t)n * sizeof *members)) {
            *slot = i;
            return WEFT_OK;
        }
    weft_status st = weft_comm_group(d->cx, d->all, members, n, &d->comms[d->comm_count]);
    if (st != WEFT_OK) return fail(d, st, NULL, NULL);
    *slot = d->comm_count++;
    return WEFT_OK;
}

static weft_status join_groups(weft_device *d) {
    const weft_executable *x = d->exec;
    weft_mark mark = weft_arena_mark(&d->cx->scratch);
    int *members = weft_scratch_array(d->cx, int, x->device_count);
    int **known = weft_scratch_array(d->cx, int *, x->step_count);
    weft_status st = members && known ? WEFT_OK : fail(d, WEFT_ERR_MEMORY, NULL, "out of memory");
    for (uint32_t i = 0; st == WEFT_OK && i < x->step_count; i++) {
        const weft_coll_step *c = x->steps[i].coll;
        uint32_t slot, before = d->comm_count;
        if (!c || x->steps[i].kind == WEFT_STEP_DONE) continue;
        if (c->kind == WEFT_PLAN_COLLECTIVE_PERMUTE) {
            weft_group_partners(&c->group, d->number, &d->groups[i].source, &d->groups[i].target);
            d->groups[i].comm = d->all;
            continue;
        }
        int n = weft_group_members(x, &c->group, d->number, members);
        for (int k = 0; d->order && k < n; k++) members[k] = d->order[members[k]];
        d->groups[i].outside = n == 0;
        if (n == 0 && c->kind != WEFT_PLAN_COLLECTIVE_BROADCAST)
            st = fail(d, WEFT_ERR_INVALID, x->steps[i].loc, "this device is in none of the groups of a collective");
        else if (n > 1) st = join_group(d, members, n, known, &slot);
        if (st != WEFT_OK || n < 2) continue;
        d->groups[i].comm = d->comms[slot];
        if (d->comm_count == before) continue;
        known[slot] = weft_arena_dup(&d->cx->scratch, members, (size_t)n * sizeof *members, _Alignof(int));
        if (!known[slot]) st = fail(d, WEFT_ERR_MEMORY, NULL, "out of memory");
    }
    weft_arena_reset(&d->cx->scratch, mark);
    return st;
}

static weft_status make_tables(weft_device *d) {
    const weft_executable *x = d->exec;
    uint32_t slices = 0, operands = 0;
    int64_t updates = 0;
    for (uint32_t i = 0; i < x->step_count; i++) {
        const weft_coll_step *c = x->steps[i].coll;
        if (c && c->table_count == WEFT_RAGGED_TABLES) updates = weft_max_i64(updates, weft_ragged_updates(c));
        if (x->steps[i].slice_count > slices) slices = x->steps[i].slice_count;
        if (x->steps[i].coll && x->steps[i].coll->operand_count > operands) operands = x->steps[i].coll->operand_count;
    }
    weft_arena *a = &d->arena;
    d->args = weft_arena_array(a, void *, x->arg_count);
    d->results = weft_arena_array(a, void *, x->result_count);
    d->comms = weft_arena_array(a, weft_comm *, x->step_count);
    d->groups = weft_arena_array(a, weft_device_group, x->step_count);
    d->buffers = weft_arena_array(a, void *, slices);
    d->operands = weft_arena_array(a, weft_coll_buf, operands);
    d->under_way = weft_arena_array(a, weft_coll_request *, x->ticket_count);
    d->open = weft_arena_array(a, uint32_t, x->ticket_count);
    if (d->args && d->results && d->comms && d->groups && d->buffers && d->operands && d->under_way && d->open &&
        weft_ragged_prepare(a, updates, &d->ragged))
        return WEFT_OK;
    return fail(d, WEFT_ERR_MEMORY, NULL, "out of memory");
}

weft_status weft_device_start(weft_device *d) {
    d->forgets = weft_fresh_wanted();
    d->stop = weft_world_flag(d->world);
    weft_status st = make_tables(d);
    if (st == WEFT_OK) st = join_groups(d);
    return st;
}

/* Of an execution that failed: the world is aborted, or the others take part in what was begun. */
static void wait_for_all(weft_device *d) {
    for (uint32_t t = 0; d->under_way && t < d->exec->ticket_count; t++) {
        (void)weft_coll_wait(d->under_way[t]);
        d->under_way[t] = NULL;
    }
    d->open_count = 0;
}

void weft_device_stop(weft_device *d) {
    wait_for_all(d);
    for (uint32_t i = 0; d->comms && i < d->comm_count; i++) weft_comm_free(d->comms[i]);
    weft_arena_free(&d->arena);
}

static void *address(const weft_device *d, const weft_slice *s) {
    char *base = NULL;
    switch (s->space) {
    case WEFT_SPACE_ARGUMENT: base = d->args[s->index]; break;
    case WEFT_SPACE_RESULT: base = d->results[s->index]; break;
    case WEFT_SPACE_TEMP: base = d->temp; break;
    case WEFT_SPACE_CONSTANT: base = (char *)d->exec->constants; break;
    }
    return base + s->offset;
}

/* Another device has failed while this one was in a loop. */
static weft_status stopped(weft_device *d, const weft_loc *loop) {
    char *text = d->failure.text;
    const int n = snprintf(text, sizeof d->failure.text, "another rank failed during this loop%s",
                           weft_world_failed(d->world) ? ": " : "");
    if (weft_world_failed(d->world)) weft_world_reason(d->world, text + n, sizeof d->failure.text - (size_t)n);
    return fail(d, WEFT_ERR_PEER, loop, text);
}

static weft_status divide(const weft_run_env *env, const weft_loaded_step *s, void *const *buffers) {
    const weft_device *d = env->user;
    return weft_team_run(d->team, env, s, buffers);
}

static weft_status call(weft_device *d, uint32_t at) {
    const weft_step *s = &d->exec->steps[at];
    const int64_t partitions = d->exec->partition_count;
    const weft_run_env env = { .partition_id = d->number % partitions, .replica_id = d->number / partitions, .user = d,
                               .failure = &d->failure, .stop = d->stop, .host = d->host,
                               .partition_count = partitions, .execution = d->execution, .front = d->front,
                               WEFT_ALL_GRAINS, .divide = d->team ? divide : NULL,
                               .turns = d->profile ? weft_profile_turns(d->profile, at) : NULL };
    d->failure.text[0] = '\0';
    d->failure.loc = NULL;
    d->failure.code = 0;
    for (uint32_t i = 0; i < s->slice_count; i++) d->buffers[i] = address(d, &s->slices[i]);
    weft_status st = weft_loaded_step_run(&d->code[at], d->buffers, &env);
    if (st == WEFT_ERR_PEER) return stopped(d, s->loc); /* no code talks to peers: it was told to stop */
    return st == WEFT_OK ? WEFT_OK
                         : fail(d, st, d->failure.loc ? d->failure.loc : s->loc,
                                d->failure.text[0] ? d->failure.text : "a kernel failed");
}

/* Elements of the whole tensor that a step's operands make up: of the gathered, scattered or exchanged one. */
static int64_t full_bytes(const weft_coll_step *c) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < c->operand_count; i++) {
        const weft_coll_operand *o = &c->operands[i];
        int64_t n = o->outer * o->middle * o->inner * (int64_t)weft_dtype_bytes(o->dtype);
        bool per_shard =
            c->kind == WEFT_PLAN_ALL_GATHER || c->kind == WEFT_PLAN_REDUCE_SCATTER || c->kind == WEFT_PLAN_ALL_TO_ALL;
        bytes += per_shard ? n * c->group.size : n;
    }
    return bytes;
}

/* Bytes that a device sends: all_reduce 2(n-1)/n, all_gather, reduce_scatter and all_to_all (n-1)/n of the full tensor,
 * a permute and a broadcast all of it (Patarasuk and Yuan, JPDC 2009; the bound of any algorithm). */
static void count(weft_device *d, const weft_coll_step *c) {
    int64_t bytes = full_bytes(c), n = c->group.size;
    d->collectives++;
    switch (c->kind) {
    case WEFT_PLAN_ALL_REDUCE: d->wire_bytes += 2 * (n - 1) * bytes / n; break;
    case WEFT_PLAN_ALL_GATHER:
    case WEFT_PLAN_REDUCE_SCATTER:
    case WEFT_PLAN_ALL_TO_ALL: d->wire_bytes += (n - 1) * bytes / n; break;
    case WEFT_PLAN_COLLECTIVE_PERMUTE:
    case WEFT_PLAN_COLLECTIVE_BROADCAST: d->wire_bytes += bytes; break;
    }
}

static const weft_op_reduce reduction_of[] = {
    [WEFT_REDUCE_SUM] = WEFT_SUM, [WEFT_REDUCE_PRODUCT] = WEFT_PRODUCT, [WEFT_REDUCE_MIN] = WEFT_MIN,
    [WEFT_REDUCE_MAX] = WEFT_MAX, [WEFT_REDUCE_AND] = WEFT_AND,         [WEFT_REDUCE_OR] = WEFT_OR,
    [WEFT_REDUCE_XOR] = WEFT_XOR,
};

/* Operands that split before they join go in one call, the others in a second. */
static weft_status all_to_all(weft_comm *comm, const weft_coll_step *c, weft_coll_buf *b, const weft_call_site *site) {
    for (uint32_t i = 0, n; i < c->operand_count; i += n) {
        for (n = 1; i + n < c->operand_count && c->operands[i + n].split_first == c->operands[i].split_first; n++) {}
        weft_status st = weft_coll_all_to_all(comm, c->operands[i].split_first, b + i, (int)n, site);
        if (st != WEFT_OK) return st;
    }
    return WEFT_OK;
}

/* Each operand by itself: they may have different roots. */
static weft_status broadcast(weft_device *d, const weft_step *s, weft_comm *comm, const weft_coll_buf *b,
                             const weft_call_site *site) {
    const weft_coll_step *c = s->coll;
    const int32_t *roots = c->table_count ? address(d, &c->tables[0]) : NULL;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < c->operand_count && st == WEFT_OK; i++) {
        int root = roots ? roots[i] : 0;
        if (root < 0 || root >= weft_comm_size(comm))
            return fail(d, WEFT_ERR_INVALID, s->loc, "the root of a collective_broadcast is no place in its group");
        st = weft_coll_broadcast(comm, root, &b[i], 1, site);
    }
    return st;
}

/* As many rows as the tables say; its bytes are counted as they are. */
static weft_status ragged(weft_device *d, const weft_step *s, const weft_device_group *g, const weft_call_site *site) {
    const weft_coll_step *c = s->coll;
    const weft_coll_operand *o = &c->operands[0];
    weft_ragged_call r = { .in = address(d, &o->in), .out = address(d, &o->out), .before = address(d, &c->tables[0]),
                           .in_bytes = o->in.bytes, .out_bytes = o->out.bytes, .row_elems = o->inner, .dtype = o->dtype,
                           .updates = weft_ragged_updates(c) };
    for (uint32_t i = 0; i < WEFT_COUNT(r.table); i++) r.table[i] = address(d, &c->tables[1 + i]);
    if (g->comm) d->collectives++;
    d->failure.text[0] = '\0';
    const weft_status st = weft_ragged_run(&r, g->comm, &d->ragged, site, &d->failure);
    if (g->comm && st == WEFT_OK) d->wire_bytes += r.wire_bytes;
    return st == WEFT_OK ? st : fail(d, st, s->loc, d->failure.text[0] ? d->failure.text : NULL);
}

/* The operands into d->operands; of a device that has nobody to talk to, the results too. */
static void set_operands(weft_device *d, const weft_coll_step *c, const weft_device_group *g) {
    weft_coll_buf *b = d->operands;
    for (uint32_t i = 0; i < c->operand_count; i++) {
        const weft_coll_operand *o = &c->operands[i];
        b[i] = (weft_coll_buf){ address(d, &o->in), address(d, &o->out), weft_coll_type(weft_dtype_of(o->dtype)->name),
                                o->outer,           o->middle,           o->inner };
        if (g->outside) memset(b[i].out, 0, (size_t)o->out.bytes);
        else if (!g->comm && b[i].in != b[i].out) memmove(b[i].out, b[i].in, (size_t)o->in.bytes);
    }
}

static weft_status collective(weft_device *d, uint32_t at) {
    const weft_step *s = &d->exec->steps[at];
    const weft_coll_step *c = s->coll;
    const weft_device_group *g = &d->groups[at];
    const weft_call_site *site = &d->calls[at].site;
    weft_op_reduce op = reduction_of[c->reduction];
    weft_coll_buf *b = d->operands;
    int n = (int)c->operand_count;
    weft_status st = WEFT_OK;
    if (c->table_count == WEFT_RAGGED_TABLES) return ragged(d, s, g, site);
    set_operands(d, c, g);
    if (!g->comm) return WEFT_OK;
    count(d, c);
    switch (c->kind) {
    case WEFT_PLAN_ALL_REDUCE: st = weft_coll_all_reduce(g->comm, op, b, n, site); break;
    case WEFT_PLAN_ALL_GATHER: st = weft_coll_all_gather(g->comm, b, n, site); break;
    case WEFT_PLAN_REDUCE_SCATTER: st = weft_coll_reduce_scatter(g->comm, op, b, n, site); break;
    case WEFT_PLAN_ALL_TO_ALL: st = all_to_all(g->comm, c, b, site); break;
    case WEFT_PLAN_COLLECTIVE_PERMUTE: st = weft_coll_permute(g->comm, g->source, g->target, b, n, site); break;
    case WEFT_PLAN_COLLECTIVE_BROADCAST:
        st = broadcast(d, s, g->comm, b, site);
        if (st == WEFT_ERR_INVALID) return st;
        break;
    }
    return st == WEFT_OK ? WEFT_OK : fail(d, st, s->loc, NULL);
}

/* --- under way --- */

static weft_status start(weft_device *d, uint32_t at) {
    const weft_step *s = &d->exec->steps[at];
    const weft_coll_step *c = s->coll;
    const weft_device_group *g = &d->groups[at];
    const weft_call_site *site = &d->calls[at].site;
    weft_op_reduce op = reduction_of[c->reduction];
    weft_coll_request **r = &d->under_way[s->ticket];
    const weft_coll_buf *b = d->operands;
    int n = (int)c->operand_count;
    weft_status st = WEFT_OK;
    *r = NULL;
    /* several calls, or tables whose mistakes are told at once */
    if (c->kind == WEFT_PLAN_COLLECTIVE_BROADCAST || c->table_count == WEFT_RAGGED_TABLES) return collective(d, at);
    set_operands(d, c, g);
    if (!g->comm) return WEFT_OK;
    count(d, c);
    switch (c->kind) {
    case WEFT_PLAN_ALL_REDUCE: st = weft_coll_start_all_reduce(g->comm, op, b, n, site, r); break;
    case WEFT_PLAN_ALL_GATHER: st = weft_coll_start_all_gather(g->comm, b, n, site, r); break;
    case WEFT_PLAN_REDUCE_SCATTER: st = weft_coll_start_reduce_scatter(g->comm, op, b, n, site, r); break;
    case WEFT_PLAN_ALL_TO_ALL:
        st = weft_coll_start_all_to_all(g->comm, c->operands[0].split_first, b, n, site, r);
        break; /* alike in all operands */
    case WEFT_PLAN_COLLECTIVE_PERMUTE:
        st = weft_coll_start_permute(g->comm, g->source, g->target, b, n, site, r);
        break;
    case WEFT_PLAN_COLLECTIVE_BROADCAST: break;
    }
    if (st != WEFT_OK) return fail(d, st, s->loc, NULL);
    d->open[d->open_count++] = s->ticket;
    return WEFT_OK;
}

static weft_status done(weft_device *d, const weft_step *s) {
    weft_coll_request *r = d->under_way[s->ticket];
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->open_count; i++)
        if (d->open[i] != s->ticket) d->open[n++] = d->open[i];
    d->open_count = n;
    d->under_way[s->ticket] = NULL;
    weft_status st = weft_coll_wait(r);
    return st == WEFT_OK ? WEFT_OK : fail(d, st, s->loc, NULL);
}

/* Calls move when their rank looks at one that is not done. A failure is met again by the end. */
static void move_on(weft_device *d) {
    int is_done = 1;
    while (d->open_count && is_done) {
        (void)weft_coll_test(d->under_way[d->open[0]], &is_done);
        if (is_done) d->open[0] = d->open[--d->open_count];
    }
}

static weft_status walk(weft_device *d, uint32_t from, uint32_t to);

/* A loop without collectives in it meets the failure of another rank nowhere else, and it may have no end: each turn
 * looks. */
static weft_status repeat(weft_device *d, const weft_step *s, uint32_t at) {
    uint32_t cond = at + 1, body = cond + s->cond_steps, end = body + s->body_steps;
    for (;;) {
        weft_status st = walk(d, cond, body);
        if (st != WEFT_OK || !*(const uint8_t *)address(d, &s->slices[0])) return st;
        st = walk(d, body, end);
        if (st != WEFT_OK) return st;
        /* Relaxed: a word that says to look, and a turn later will do. */
        if (atomic_load_explicit(d->stop, memory_order_relaxed)) return stopped(d, s->loc);
    }
}

static weft_status choose(weft_device *d, const weft_step *s, uint32_t at) {
    int32_t which;
    memcpy(&which, address(d, &s->slices[0]), sizeof which);
    uint32_t branch = which < 0 || (uint32_t)which >= s->branch_count ? s->branch_count - 1 : (uint32_t)which,
             from = at + 1;
    for (uint32_t b = 0; b < branch; b++) from += s->branch_steps[b];
    return walk(d, from, from + s->branch_steps[branch]);
}

/* How many steps of the list belong to the one at `at`, itself included. */
static uint32_t span(const weft_step *s) {
    uint32_t n = 1;
    if (s->kind == WEFT_STEP_WHILE) n += s->cond_steps + s->body_steps;
    for (uint32_t b = 0; s->kind == WEFT_STEP_CASE && b < s->branch_count; b++) n += s->branch_steps[b];
    return n;
}

static weft_status run_step(weft_device *d, uint32_t i) {
    const weft_step *s = &d->exec->steps[i];
    switch (s->kind) {
    case WEFT_STEP_COLLECTIVE: return collective(d, i);
    case WEFT_STEP_START: return start(d, i);
    case WEFT_STEP_DONE: return done(d, s);
    case WEFT_STEP_WHILE: return repeat(d, s, i);
    case WEFT_STEP_CASE: return choose(d, s, i);
    case WEFT_STEP_CALL: break;
    }
    weft_status st = call(d, i);
    if (d->open_count) move_on(d);
    return st;
}

/* Of the collective that step i began; NULL: it is none, or the device was alone in it. */
static const char *algorithm_of(const weft_device *d, uint32_t i) {
    const weft_step_kind kind = d->exec->steps[i].kind;
    weft_coll_record last;
    if ((kind != WEFT_STEP_COLLECTIVE && kind != WEFT_STEP_START) || !d->groups[i].comm) return NULL;
    return weft_comm_last(d->groups[i].comm, &last) ? last.algorithm : NULL;
}

static weft_status run(weft_device *d, uint32_t i) {
    if (!d->profile) return run_step(d, i);
    const weft_step_kind kind = d->exec->steps[i].kind;
    const int64_t sent = d->wire_bytes;
    if (d->team && d->profile->helper_count) weft_team_watch(d->team, d->profile->helpers, i);
    const double begin_s = weft_team_now_s();
    const weft_status st = run_step(d, i);
    if (kind == WEFT_STEP_WHILE || kind == WEFT_STEP_CASE) weft_profile_control(d->profile, i);
    else weft_profile_step(d->profile, i, begin_s, d->wire_bytes - sent, algorithm_of(d, i));
    return st;
}

static weft_status walk(weft_device *d, uint32_t from, uint32_t to) {
    weft_status st = WEFT_OK;
    for (uint32_t i = from; st == WEFT_OK && i < to; i += span(&d->exec->steps[i])) st = run(d, i);
    return st;
}

/* What a step leaves is nobody's in the next one: results that take no argument's memory, and temporaries. */
static void forget(weft_device *d) {
    const weft_executable *x = d->exec;
    if (!d->forgets) return;
    for (uint32_t i = 0; i < x->result_count; i++)
        if (x->results[i].alias < 0) weft_fresh_fill(d->results[i], (size_t)x->results[i].bytes);
    weft_fresh_fill(d->temp, (size_t)x->temp_bytes);
}

weft_status weft_device_step(weft_device *d) {
    const weft_executable *x = d->exec;
    weft_status st = WEFT_OK;
    forget(d);
    const double begin_s = d->profile ? weft_team_now_s() : 0;
    if (d->profile) weft_profile_begin(d->profile);
    for (d->at = 0; d->at < x->step_count; d->at += span(&x->steps[d->at]))
        if ((st = run(d, d->at)) != WEFT_OK) break;
    if (d->profile) weft_profile_end(d->profile, begin_s);
    if (d->profile && d->team) weft_team_watch(d->team, NULL, 0);
    return st;
}

/* --- after a failure --- */

bool weft_device_can_drain(const weft_executable *x) {
    for (uint32_t i = 0; i < x->step_count; i++) {
        const weft_step *s = &x->steps[i];
        if (s->coll && s->coll->table_count) return false;
        if (s->kind != WEFT_STEP_WHILE && s->kind != WEFT_STEP_CASE) continue;
        for (uint32_t end = i + span(s); i + 1 < end; i++)
            if (x->steps[i + 1].coll) return false;
    }
    return true;
}

bool weft_device_drain(weft_device *d) {
    const weft_executable *x = d->exec;
    weft_status st = WEFT_OK;
    const bool begun = d->at < x->step_count;
    if (begun && x->steps[d->at].coll) return false;
    for (uint32_t i = begun ? d->at : 0; st == WEFT_OK && i < x->step_count; i += span(&x->steps[i])) {
        const weft_step *s = &x->steps[i];
        if (s->kind == WEFT_STEP_COLLECTIVE) st = collective(d, i);
        else if (s->kind == WEFT_STEP_START) st = start(d, i);
        else if (s->kind == WEFT_STEP_DONE) st = done(d, s);
    }
    wait_for_all(d);
    return st == WEFT_OK;
}
