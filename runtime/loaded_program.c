/* loaded_program: an executable on a client's devices. */
#include <stdlib.h>
#include "base/table.h"
#include "collectives/watch.h"
#include "exec/kernels/kernels.h"
#include "runtime/program_impl.h"
#include "runtime/votes.h"
#include "topology/topology.h"

static const char *const op_names[] = {
    [WEFT_PLAN_ALL_REDUCE] = "all_reduce",
    [WEFT_PLAN_ALL_GATHER] = "all_gather",
    [WEFT_PLAN_REDUCE_SCATTER] = "reduce_scatter",
    [WEFT_PLAN_ALL_TO_ALL] = "all_to_all",
    [WEFT_PLAN_COLLECTIVE_PERMUTE] = "collective_permute",
    [WEFT_PLAN_COLLECTIVE_BROADCAST] = "collective_broadcast",
};

/* Another program's step is another site. Equal programs have equal ones: threads of two processes may load several of
 * these in other orders. */
static uint64_t id_of(const weft_executable *x, uint32_t step) {
    return weft_hash_end(weft_hash_bytes(x->fingerprint, &step, sizeof step)) | 1; /* 0 would be none */
}

/* Names and places of the collectives, for messages and traces. */
static weft_status describe_calls(weft_loaded_program *p) {
    const weft_executable *x = p->exec;
    p->calls = weft_arena_array(&p->arena, weft_call, x->step_count);
    if (!p->calls) return weft_oom();
    for (uint32_t i = 0; i < x->step_count; i++) {
        const weft_coll_step *c = x->steps[i].coll;
        weft_buf place;
        if (!c || x->steps[i].kind == WEFT_STEP_DONE) continue;
        weft_str axes =
            c->plan_index < x->plan.collective_count ? x->plan.collectives[c->plan_index].axes : WEFT_STR("?");
        weft_buf_init(&place, &p->client->cx->alloc);
        weft_loc_print(&place, x->steps[i].loc);
        p->calls[i].place = weft_arena_strdup(&p->arena, place.p ? place.p : "", place.n);
        char *axes_text = weft_arena_strdup(&p->arena, axes.p, axes.n);
        weft_buf_free(&place);
        if (!p->calls[i].place || !axes_text) return weft_oom();
        const uint64_t id = id_of(x, i);
        p->calls[i].site = (weft_call_site){ op_names[c->kind], axes_text, p->calls[i].place, id };
    }
    return WEFT_OK;
}

/* Refuses, before anything is allocated, what a node, or the cgroup there, has less memory for than its devices take;
 * one process of each node does. The system would kill one of them in the middle. A caller that wants to try (there is
 * swap, or arrays stay zeros) silences the class `memory`. */
static weft_status check_memory(weft_client *c, const weft_executable *x) {
    const double memory = weft_topology_memory(), each = (double)weft_plan_peak_bytes(&x->plan);
    const int first = weft_world_first(c->world), node = weft_world_node_of(c->world, first);
    int here = 0;
    for (int r = 0; r < weft_world_size(c->world); r++) {
        if (weft_world_node_of(c->world, r) != node) continue;
        if (r < first) return WEFT_OK;
        here++;
    }
    if (memory <= 0 || each * here <= memory || !weft_warning_wanted(c->cx, WEFT_D_memory)) return WEFT_OK;
    weft_buf need, all, have;
    weft_buf_init(&need, &c->cx->alloc);
    weft_buf_init(&all, &c->cx->alloc);
    weft_buf_init(&have, &c->cx->alloc);
    weft_buf_bytes(&need, each);
    weft_buf_bytes(&all, each * here);
    weft_buf_bytes(&have, memory);
    if (!need.failed && !all.failed && !have.failed) {
        (void)weft_report(c->cx, WEFT_D_room, NULL,
                          "the program does not fit: %s of memory may be used here, and %d device%s %s", have.p, here,
                          here == 1 ? " needs" : "s together need", all.p);
        if (here > 1) weft_note(c->cx, NULL, "each device needs %s", need.p);
        weft_help(c->cx, NULL, "warnings of the flag 'memory' silenced, it runs all the same");
    }
    weft_buf_free(&need);
    weft_buf_free(&all);
    weft_buf_free(&have);
    return weft_oom();
}

/* How many threads each device has. Found when a program can use them: that asks hwloc. */
static weft_status find_threads(weft_client *c) {
    const char *text = getenv("WEFT_THREADS");
    if (c->threads) return WEFT_OK;
    c->threads = c->processes.threads;
    if (!c->threads && text && *text && (!weft_count_read(text, WEFT_THREADS_MOST, &c->threads) || c->threads < 1)) {
        c->threads = 0;
        return weft_report(c->cx, WEFT_D_usage, NULL, "WEFT_THREADS is '%s', not a number of threads from 1 to %d",
                           text, WEFT_THREADS_MOST);
    }
    if (!c->threads) c->threads = weft_world_threads(c->world, weft_world_first(c->world));
    return WEFT_OK;
}

weft_status weft_client_threads(weft_client *c, int *out) {
    const weft_status st = find_threads(c);
    *out = c->threads;
    return st;
}

static bool has_splits(const weft_executable *x) {
    for (uint32_t i = 0; i < x->step_count; i++) {
        const weft_code *c = &x->steps[i].code;
        if (c->split.grains > 1 || c->divides) return true;
        for (uint32_t k = 0; k < c->call_count; k++)
            if (c->calls[k].split.grains > 1) return true;
    }
    return false;
}

static weft_status choose_threads(weft_loaded_program *p) {
    p->threads = 1;
    if (!has_splits(p->exec)) return WEFT_OK;
    const weft_status st = find_threads(p->client);
    if (st == WEFT_OK) p->threads = p->client->threads;
    return st;
}

static weft_status load_code(weft_loaded_program *p, const weft_kernel_set *kernels) {
    const weft_kernel_set all = { kernels ? kernels->kernels : NULL, kernels ? kernels->count : 0, &weft_kernels };
    return weft_load(p->client->cx, p->exec, &all, p->threads, &p->loaded);
}

static weft_status keep_layouts(weft_client *c, weft_arena *arena, const weft_layout *from, uint32_t n,
                                const weft_layout ***out) {
    *out = weft_arena_array(arena, const weft_layout *, n);
    if (!*out) return weft_oom();
    for (uint32_t i = 0; i < n; i++)
        if (!((*out)[i] = weft_client_layout(c, &from[i]))) return weft_oom();
    return WEFT_OK;
}

static weft_status note_donors(weft_loaded_program *p) {
    const weft_executable *x = p->exec;
    p->donors = weft_arena_array(&p->arena, bool, x->arg_count);
    if (!p->donors) return weft_oom();
    for (uint32_t r = 0; r < x->result_count; r++) {
        if (x->results[r].alias >= 0) p->donors[x->results[r].alias] = true;
        if (x->results[r].becomes >= 0) p->donors[x->results[r].becomes] = true;
    }
    return WEFT_OK;
}

static weft_status make_devices(weft_loaded_program *p) {
    weft_client *c = p->client;
    p->devices = weft_arena_array(&p->arena, weft_device, c->count);
    if (!p->devices) return weft_oom();
    for (int i = 0; i < c->count; i++) {
        p->devices[i] = (weft_device){ .exec = p->exec, .code = weft_loaded_steps(p->loaded), .calls = p->calls,
                                       .world = c->world, .host = &c->host, .front = p->front,
                                       .cx = c->devices[i].cx, .number = c->devices[i].number,
                                       .order = c->order, .all = c->devices[i].all };
        weft_arena_init(&p->devices[i].arena, &c->shared.alloc);
    }
    return WEFT_OK;
}

/* What this process does alone; a warning that is an error is the last of it. */
static weft_status prepare(weft_loaded_program *p, const weft_load_options *opt) {
    weft_client *c = p->client;
    if (opt->prepared != WEFT_OK || !opt->exec) return opt->prepared;
    weft_status st = describe_calls(p);
    if (st == WEFT_OK) st = note_donors(p);
    if (st == WEFT_OK) st = keep_layouts(c, &p->arena, opt->args, p->exec->arg_count, &p->args);
    if (st == WEFT_OK) st = keep_layouts(c, &p->arena, opt->results, p->exec->result_count, &p->results);
    if (st == WEFT_OK) st = check_memory(c, p->exec);
    if (st == WEFT_OK) st = choose_threads(p);
    if (st == WEFT_OK) st = load_code(p, opt->kernels);
    return st == WEFT_OK ? make_devices(p) : st;
}

static weft_status start_device(weft_client *c, weft_client_device *d, void *arg) {
    weft_loaded_program *p = arg;
    weft_device *run = &p->devices[d->index];
    weft_status st = WEFT_OK;
    if (p->threads > 1 && !d->team) st = weft_team_new(d->cx, &c->shared.alloc, p->threads, &d->team);
    if (st != WEFT_OK) return st;
    run->team = p->threads > 1 ? d->team : NULL;
    st = weft_device_start(run);
    d->place = run->place;
    d->what = run->what;
    return st;
}

static weft_status stop_device(weft_client *c, weft_client_device *d, void *arg) {
    weft_loaded_program *p = arg;
    (void)c;
    weft_device_stop(&p->devices[d->index]);
    return WEFT_OK;
}

static weft_status check_size(weft_client *c, const weft_executable *x) {
    if (weft_world_size(c->world) == x->device_count) return WEFT_OK;
    return weft_report(c->cx, WEFT_D_system, NULL, "the world has %d ranks where the program is for %d devices",
                       weft_world_size(c->world), (int)x->device_count);
}

/* A device that fails, for whatever reason, leaves no other waiting: there is none, or nothing is sent. */
static bool is_quiet(const weft_client *c, const weft_executable *x) {
    if (weft_world_size(c->world) == 1) return true;
    for (uint32_t i = 0; i < x->step_count; i++)
        if (x->steps[i].coll) return false;
    return c->count == weft_world_size(c->world);
}

weft_status weft_client_load(weft_client *c, const weft_load_options *opt, bool *speaker, weft_loaded_program **out) {
    weft_loaded_program *p = c->cx->alloc.resize(c->cx->alloc.user, NULL, 0, sizeof *p);
    *out = NULL;
    *speaker = true;
    if (!p) {
        weft_world_abort(c->world, "a process has no memory to load a program");
        return weft_oom();
    }
    *p = (weft_loaded_program){ .client = c, .exec = opt->exec, .front = opt->front };
    weft_arena_init(&p->arena, &c->cx->alloc);
    const weft_status prepared = prepare(p, opt);
    weft_status st = weft_client_vote(c, opt, prepared, p->exec ? p->exec->fingerprint : 0, speaker);
    if (st == WEFT_OK) st = check_size(c, p->exec);
    if (st == WEFT_OK) *speaker = c->processes.process == 0;
    if (*speaker && opt->speak) opt->speak(opt->user);
    if (st == WEFT_OK) {
        p->quiet = is_quiet(c, p->exec);
        p->drains = c->count == weft_world_size(c->world) && weft_device_can_drain(p->exec);
        p->started = true;
        st = weft_client_do(c, start_device, p);
    }
    if (st == WEFT_OK) *out = p;
    else weft_loaded_program_release(p);
    return st;
}

void weft_loaded_program_release(weft_loaded_program *p) {
    if (!p) return;
    weft_client *c = p->client;
    if (p->started) {
        weft_command stop = { .run = stop_device, .arg = p, .flags = WEFT_COMMAND_ALWAYS }; /* it talks to nobody */
        weft_client_submit(c, &stop);
        weft_client_drain(c);
    }
    weft_unload(p->loaded);
    weft_arena_free(&p->arena);
    c->cx->alloc.resize(c->cx->alloc.user, p, sizeof *p, 0);
}

const weft_executable *weft_loaded_program_executable(const weft_loaded_program *p) { return p->exec; }
const weft_layout *weft_loaded_program_argument(const weft_loaded_program *p, uint32_t i) { return p->args[i]; }
const weft_layout *weft_loaded_program_result(const weft_loaded_program *p, uint32_t r) { return p->results[r]; }
bool weft_loaded_program_donates(const weft_loaded_program *p, uint32_t i) { return p->donors[i]; }

weft_program_counts weft_loaded_program_count(weft_loaded_program *p) {
    weft_program_counts n = { .executions = p->executions };
    weft_client_drain(p->client);
    for (int i = 0; i < p->client->count; i++) {
        n.collectives = weft_max_i64(n.collectives, p->devices[i].collectives);
        n.wire_bytes = weft_max_i64(n.wire_bytes, p->devices[i].wire_bytes);
    }
    return n;
}

/* Room for the turns of any step. */
static int64_t *room_for_turns(weft_loaded_program *p) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < p->exec->step_count; i++) most = p->works[i].turns > most ? p->works[i].turns : most;
    return weft_arena_array(&p->arena, int64_t, most + 1u);
}

/* Of the helpers of each device, with room for so many stretches. */
static weft_team_log *new_logs(weft_loaded_program *p, uint32_t room) {
    weft_team_log *logs = weft_arena_array(&p->arena, weft_team_log, p->threads);
    for (int i = 0; logs && i < p->threads - 1; i++) {
        logs[i] = (weft_team_log){ .v = weft_arena_array(&p->arena, weft_team_stretch, room), .room = room };
        if (!logs[i].v) return NULL;
    }
    return logs;
}

weft_status weft_loaded_program_measure(weft_loaded_program *p, uint32_t events) {
    if (!p->works) p->works = weft_step_works(&p->arena, p->exec);
    if (!p->works) return weft_oom();
    weft_client_drain(p->client);
    for (int i = 0; i < p->client->count; i++) {
        weft_profile *made = p->devices[i].profile;
        if (!made) made = weft_arena_new(&p->arena, weft_profile);
        if (!made) return weft_oom();
        const bool is_new = !p->devices[i].profile;
        weft_step_time *steps = is_new ? weft_arena_array(&p->arena, weft_step_time, p->exec->step_count) : made->steps;
        weft_step_event *room = is_new || made->event_room < events
                                    ? weft_arena_array(&p->arena, weft_step_event, events + 1u) : made->events;
        int64_t *turns = is_new ? room_for_turns(p) : made->turns;
        weft_team_log *logs = events && (is_new || !made->helpers) ? new_logs(p, events) : made->helpers;
        if (!steps || !room || !turns || (events && !logs)) return weft_oom();
        for (uint32_t k = 0; k < p->exec->step_count; k++) steps[k] = (weft_step_time){ 0 };
        *made = (weft_profile){ .steps = steps, .events = room, .event_room = events, .works = p->works,
                                .turns = turns, .helpers = logs,
                                .helper_count = events ? p->threads - 1 : 0 };
        p->devices[i].profile = made;
    }
    return WEFT_OK;
}

int weft_loaded_program_threads(const weft_loaded_program *p) { return p->threads; }

const weft_profile *weft_loaded_program_profile(weft_loaded_program *p, int i) {
    weft_client_drain(p->client);
    return i >= 0 && i < p->client->count ? p->devices[i].profile : NULL;
}
