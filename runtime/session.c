/* session: one program with a buffer for each of its arguments and results. */
#include "runtime/execute.h"
#include "base/context.h"
#include "collectives/stay.h"
#include "runtime/quick.h"

struct weft_session {
    weft_context *cx;
    weft_arena arena;
    weft_client *client;
    weft_loaded_program *program;
    const weft_executable *exec;
    weft_buffer **args, **results;   /* NULL: not there (yet) */
    /* Arguments that are donated in the program but share no memory with a result: who feeds nothing back finds them as
     * they were. */
    uint32_t *kept, kept_count;
    /* what the first device's calls took before the program's first one; launch_uses of them */
    weft_coll_use at_launch[4];
    int launch_uses;
    bool runs_here;                  /* the calling thread runs steps: it waits for them anyway, and is awake */
    bool broken;                     /* a device failed: only close may follow */
};

/* --- opening and closing --- */

static weft_status make_tables(weft_session *s) {
    const weft_executable *x = s->exec;
    s->args = weft_arena_array(&s->arena, weft_buffer *, x->arg_count);
    s->results = weft_arena_array(&s->arena, weft_buffer *, x->result_count);
    s->kept = weft_arena_array(&s->arena, uint32_t, x->arg_count);
    if (!s->args || !s->results || !s->kept) return weft_oom();
    for (uint32_t i = 0; i < x->arg_count; i++) {
        bool aliased = false;
        for (uint32_t r = 0; r < x->result_count && !aliased; r++) aliased = x->results[r].alias == (int32_t)i;
        if (!aliased && weft_loaded_program_donates(s->program, i)) s->kept[s->kept_count++] = i;
    }
    return WEFT_OK;
}

static weft_status open_client(weft_session *s, const weft_session_options *opt, bool is_prepared) {
    const weft_client_setup o = { .processes = opt->processes, .world = opt->world,
                                    .devices = is_prepared ? opt->exec->device_count : 0 };
    weft_status st = weft_client_start(s->cx, &o, &s->client);
    if (st != WEFT_OK && opt->speak) opt->speak(opt->user); /* before the others can end */
    return st;
}

weft_status weft_session_open(weft_context *cx, const weft_session_options *opt, bool *speaker, weft_session **out) {
    const bool failed = opt->prepared != WEFT_OK || !opt->exec;
    *speaker = true;
    if (failed && opt->processes.processes == 1) {
        if (opt->speak) opt->speak(opt->user);
        return opt->prepared;
    }
    weft_session *s = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *s);
    if (!s) return weft_oom();
    *s = (weft_session){ .cx = cx, .exec = failed ? NULL : opt->exec };
    if (s->exec && !opt->world && !opt->processes.bind)
        s->runs_here = opt->here ? s->exec->device_count == 1 : weft_executable_is_quick(s->exec);
    weft_arena_init(&s->arena, &cx->alloc);
    const weft_load_options load = { .exec = s->exec, .kernels = opt->kernels, .args = opt->args,
                                     .results = opt->results, .prepared = opt->prepared, .voices = opt->voices,
                                     .why = opt->why, .print = opt->print, .speak = opt->speak, .user = opt->user };
    weft_status st = open_client(s, opt, !failed);
    if (st == WEFT_OK) st = weft_client_load(s->client, &load, speaker, &s->program);
    if (st == WEFT_OK) st = make_tables(s);
    if (st == WEFT_OK) st = weft_loaded_program_reserve(s->program);
    if (st != WEFT_OK) {
        weft_session_close(s);
        return st;
    }
    s->launch_uses = (int)weft_min_i64(weft_client_uses(s->client, s->at_launch, WEFT_COUNT(s->at_launch)),
                                       WEFT_COUNT(s->at_launch));
    *out = s;
    return WEFT_OK;
}

void weft_session_close(weft_session *s) {
    if (!s || (s->client && weft_world_is_inherited(weft_client_world(s->client)))) return;
    const weft_allocator alloc = s->cx->alloc;
    for (uint32_t i = 0; s->args && i < s->exec->arg_count; i++) weft_buffer_release(s->args[i]);
    for (uint32_t r = 0; s->results && r < s->exec->result_count; r++) weft_buffer_release(s->results[r]);
    weft_loaded_program_release(s->program);
    weft_client_end(s->client);
    weft_arena_free(&s->arena);
    alloc.resize(alloc.user, s, sizeof *s, 0);
}

/* --- data in --- */

static void replace(weft_buffer **place, weft_buffer *by) {
    weft_buffer_release(*place);
    *place = by;
}

/* The old value's memory is there for the new one, also where a result has it. */
static void forget_argument(weft_session *s, uint32_t arg) {
    replace(&s->args[arg], NULL);
    for (uint32_t r = 0; r < s->exec->result_count; r++)
        if (s->exec->results[r].alias == (int32_t)arg) replace(&s->results[r], NULL);
}

weft_status weft_session_put(weft_session *s, uint32_t arg, const weft_host_array *global) {
    if (s->broken) return WEFT_ERR_PEER;
    forget_argument(s, arg);
    return weft_buffer_put(s->client, weft_loaded_program_argument(s->program, arg), global, &s->args[arg]);
}

weft_status weft_session_fill(weft_session *s, uint32_t arg, const weft_fill *how) {
    if (s->broken) return WEFT_ERR_PEER;
    forget_argument(s, arg);
    return weft_buffer_fill(s->client, weft_loaded_program_argument(s->program, arg), how, arg, &s->args[arg]);
}

/* --- running --- */

/* What was given no value is zeros. */
static weft_status complete_arguments(weft_session *s) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < s->exec->arg_count; i++)
        if (!s->args[i]) st = weft_session_fill(s, i, &(weft_fill){ .kind = WEFT_FILL_CONSTANT });
    return st;
}

/* What lies otherwise than the argument needs a feed, which moves it. */
static void take_over(weft_session *s, uint32_t result, uint32_t arg) {
    const bool alike =
        weft_loaded_program_result(s->program, result) == weft_loaded_program_argument(s->program, arg);
    replace(&s->args[arg], alike ? weft_buffer_retain(s->results[result]) : NULL);
}

weft_status weft_session_step(weft_session *s) {
    const weft_executable *x = s->exec;
    const weft_execute_options opt = { .kept = s->kept, .kept_count = s->kept_count, .here = s->runs_here };
    if (s->broken) return WEFT_ERR_PEER;
    weft_status st = complete_arguments(s);
    if (st != WEFT_OK) return st;
    for (uint32_t r = 0; r < x->result_count; r++) replace(&s->results[r], NULL);
    st = weft_loaded_program_execute(s->program, s->args, &opt, s->results, NULL);
    s->broken = st != WEFT_OK;
    for (uint32_t r = 0; st == WEFT_OK && r < x->result_count; r++)
        if (x->results[r].alias >= 0) take_over(s, r, (uint32_t)x->results[r].alias);
    return st;
}

weft_status weft_session_finish(weft_session *s) { return s->broken ? WEFT_ERR_PEER : weft_client_meet(s->client); }

/* --- data out --- */

void weft_session_describe(const weft_layout *l, weft_host_array *out) {
    *out = (weft_host_array){ .dtype = l->dtype, .rank = l->rank };
    for (uint32_t d = 0; d < l->rank; d++) out->dims[d] = l->dims[d].global;
}

weft_status weft_session_get(weft_session *s, uint32_t result, weft_host_array *global) {
    if (s->broken) return WEFT_ERR_PEER;
    if (!s->results[result]) return weft_report(s->cx, WEFT_D_usage, NULL, "result %u is not there: no step has made it, or its argument was replaced",
                                                    result);
    return weft_buffer_get(s->results[result], global);
}

weft_status weft_session_tell(weft_session *s, const uint64_t *mine, size_t n, uint64_t *to) {
    return s->broken ? WEFT_ERR_PEER : weft_client_tell(s->client, mine, n, to);
}

int weft_session_ranks(const weft_session *s) { return (int)weft_client_device_count(s->client); }

weft_status weft_session_fail(weft_session *s, const char *why) {
    s->broken = true;
    return weft_client_fail(s->client, why);
}

/* --- a result becomes an argument --- */

static bool shares_memory(const weft_executable *x, uint32_t arg) {
    for (uint32_t r = 0; r < x->result_count; r++)
        if (x->results[r].alias == (int32_t)arg) return true;
    return false;
}

static weft_status no_feed(weft_session *s, uint32_t result, uint32_t arg, const char *why) {
    return weft_report(s->cx, WEFT_D_usage, NULL, "result %u cannot become argument %u: %s", result, arg, why);
}

weft_status weft_session_feed(weft_session *s, uint32_t result, uint32_t arg) {
    const weft_executable *x = s->exec;
    if (result >= x->result_count || arg >= x->arg_count)
        return weft_report(s->cx, WEFT_D_usage, NULL,
                           "result %u cannot become argument %u: the program has %u results and %u arguments", result,
                           arg, x->result_count, x->arg_count);
    const weft_layout *to = weft_loaded_program_argument(s->program, arg),
                      *from = weft_loaded_program_result(s->program, result);
    weft_buffer *moved;
    if (!weft_layout_same_array(from, to)) return no_feed(s, result, arg, "they differ in type or shape");
    if (x->results[result].alias != (int32_t)arg && (x->results[result].alias >= 0 || shares_memory(x, arg)))
        return no_feed(s, result, arg, "one of them shares its memory with another");
    if (s->broken) return WEFT_ERR_PEER;
    if (!s->results[result]) return no_feed(s, result, arg, "no step was done");
    if (s->args[arg] == s->results[result]) return WEFT_OK;
    if (from != to) replace(&s->args[arg], NULL);
    weft_status st = weft_buffer_move(s->results[result], to, &moved);
    if (st == WEFT_OK) replace(&s->args[arg], moved);
    return st;
}

/* --- measuring --- */

weft_status weft_session_measure(weft_session *s, uint32_t events) {
    return weft_loaded_program_measure(s->program, events);
}

int weft_session_threads(const weft_session *s) { return weft_loaded_program_threads(s->program); }

weft_status weft_session_trace(weft_session *s, weft_arena *arena, weft_trace **out) {
    const int n = weft_session_devices(s);
    const weft_profile **of = weft_arena_array(arena, const weft_profile *, n);
    if (!of) return weft_oom();
    for (int i = 0; i < n; i++) of[i] = weft_session_profile(s, i);
    return s->broken ? WEFT_ERR_PEER : weft_client_trace(s->client, arena, of, out);
}

const weft_profile *weft_session_profile(const weft_session *s, int device) {
    return weft_loaded_program_profile(s->program, device);
}

int weft_session_devices(const weft_session *s) { return weft_world_local(weft_client_world(s->client)); }
int weft_session_first(const weft_session *s) { return weft_world_first(weft_client_world(s->client)); }

/* --- counts --- */

weft_session_counts weft_session_count(const weft_session *s) {
    const weft_program_counts n = weft_loaded_program_count(s->program);
    return (weft_session_counts){ .steps = n.executions, .collectives = n.collectives, .wire_bytes = n.wire_bytes,
                                  .memory_bytes =
                                      weft_client_memory_used(s->client).most + s->exec->constant_bytes };
}

int weft_session_uses(const weft_session *s, weft_coll_use *out, int room) {
    weft_coll_use all[WEFT_SESSION_USES];
    int found = weft_client_uses(s->client, all, WEFT_SESSION_USES), n = 0;
    for (int i = 0; i < found && i < WEFT_SESSION_USES; i++) {
        for (int k = 0; k < s->launch_uses; k++)
            if (all[i].op == s->at_launch[k].op && all[i].algorithm == s->at_launch[k].algorithm)
                all[i].calls -= s->at_launch[k].calls;
        if (all[i].calls && n < room) out[n] = all[i];
        n += all[i].calls != 0;
    }
    return n;
}
