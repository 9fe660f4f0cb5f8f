/* session: the devices of a process as threads that do one job at a time, together.
 *
 * The caller hands a job to all device threads and waits until the last has done it; between jobs the threads sleep and
 * their devices may be read by the caller. The hand-over is the mutex: what the caller wrote before a job the devices
 * see, and the other way round after it.
 */
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include "base/variables.h"
#include "collectives/stay.h"
#include "collectives/watch.h"
#include "kernels/kernels.h"
#include "runtime/device.h"
#include "runtime/differ.h"
#include "runtime/locked.h"
#include "topology/topology.h"

enum { WATCH_NS = 100000000 }; /* between two looks at the peers' processes: seldom enough to cost nothing */

typedef weft_status (*device_job)(weft_session *s, weft_device *d, void *arg);

typedef struct device_thread {
    weft_session *session;
    weft_device device;
    pthread_t thread;
} device_thread;

struct weft_session {
    weft_context *cx;
    weft_locked shared;          /* the context's allocator, for what the device threads use */
    weft_context *world_cx;      /* the world's: it allocates from device threads too */
    weft_arena arena;            /* what outlives no session: tables and texts */
    weft_processes processes;
    const weft_executable *exec;
    weft_loaded *loaded;         /* exec's code */
    const weft_layout *args, *results;
    weft_world *world;
    bool is_lent;                /* the world: it stays when the session ends */
    device_thread *threads;
    int count, running;          /* devices; those whose threads could be made: all, but while an open fails */
    weft_call *calls;
    /* what the first device's calls took before the program's first one; launch_uses of them */
    weft_coll_use at_launch[4];
    int launch_uses;
    int64_t steps;
    bool broken;                 /* a device failed: only close may follow */
    /* Guarded by lock: who writes is the caller for generation, job, arg and quit, the devices for left. */
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    uint64_t generation;
    int left;
    device_job job;
    void *arg;
    bool quit;
};

/* --- threads and jobs --- */

/* Why d's last command failed: its words, or the last diagnostic of its context. */
static const char *reason(const weft_device *d) {
    const size_t n = weft_context_diag_count(d->cx);
    return d->what ? d->what : n ? weft_context_diag(d->cx, n - 1)->message : weft_status_name(d->status);
}

/* The other ranks hear who failed, where and why. */
static void tell_failure(weft_session *s, const weft_device *d) {
    weft_buf text;
    weft_buf_init(&text, &s->shared.alloc);
    weft_buf_printf(&text, "device %d failed", d->rank);
    if (d->place) weft_buf_puts(&text, " at "), weft_loc_print(&text, d->place);
    weft_buf_printf(&text, ": %s", reason(d));
    weft_world_abort(s->world, text.failed ? reason(d) : text.p);
    weft_buf_free(&text);
}

static void run_job(weft_session *s, weft_device *d, device_job job, void *arg) {
    d->status = WEFT_OK;
    d->what = NULL;
    d->place = NULL;
    weft_status st = job(s, d, arg);
    d->status = st;
    if (st != WEFT_OK && st != WEFT_ERR_PEER) tell_failure(s, d);
}

static void *device_main(void *p) {
    device_thread *t = p;
    weft_session *s = t->session;
    uint64_t seen = 0;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        while (s->generation == seen && !s->quit) pthread_cond_wait(&s->work, &s->lock);
        if (s->generation == seen) break;
        seen = s->generation;
        device_job job = s->job;
        void *arg = s->arg;
        pthread_mutex_unlock(&s->lock);
        run_job(s, &t->device, job, arg);
        pthread_mutex_lock(&s->lock);
        if (--s->left == 0) pthread_cond_signal(&s->done);
        pthread_mutex_unlock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static weft_diag_class class_of(weft_status st) {
    switch (st) {
    case WEFT_ERR_UNSUPPORTED: return WEFT_D_unsupported;
    case WEFT_ERR_IO:
    case WEFT_ERR_MEMORY: return WEFT_D_system;
    case WEFT_ERR_PEER: return WEFT_D_peer;
    case WEFT_ERR_INVALID: return WEFT_D_verify;
    case WEFT_ERR_MISMATCH: return WEFT_D_differ;
    default: return WEFT_D_internal;
    }
}

/* The first cause among this process's devices: a failure of their own before one that a peer caused. */
static weft_status report_failure(weft_session *s) {
    const weft_device *worst = NULL;
    for (int i = 0; i < s->count; i++) {
        const weft_device *d = &s->threads[i].device;
        if (d->status != WEFT_OK && (!worst || (worst->status == WEFT_ERR_PEER && d->status != WEFT_ERR_PEER)))
            worst = d;
    }
    if (!worst) return WEFT_OK;
    const char *what = reason(worst);
    s->broken = true;
    weft_status st = worst->status;
    if (weft_world_size(s->world) == 1) weft_report(s->cx, class_of(st), worst->place, "%s", what);
    else weft_report(s->cx, class_of(st), worst->place, "device %d: %s", worst->rank, what);
    return st;
}

/* Devices that compute, perhaps in a loop without an end, do not look at their peers: the thread that waits for them
 * does. Under the lock. */
static void await_devices(weft_session *s) {
    struct timespec next;
    while (s->left) {
        clock_gettime(CLOCK_MONOTONIC, &next);
        next.tv_nsec += WATCH_NS;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&s->done, &s->lock, &next) != ETIMEDOUT) continue;
        pthread_mutex_unlock(&s->lock);
        weft_world_watch(s->world);
        pthread_mutex_lock(&s->lock);
    }
}

static weft_status do_on_all(weft_session *s, device_job job, void *arg) {
    if (s->broken) return WEFT_ERR_PEER;
    pthread_mutex_lock(&s->lock);
    s->job = job;
    s->arg = arg;
    s->left = s->running;
    s->generation++;
    pthread_cond_broadcast(&s->work);
    await_devices(s);
    pthread_mutex_unlock(&s->lock);
    return report_failure(s);
}

static void stop_threads(weft_session *s) {
    pthread_mutex_lock(&s->lock);
    s->quit = true;
    pthread_cond_broadcast(&s->work);
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < s->running; i++) pthread_join(s->threads[i].thread, NULL);
}

static weft_status start_threads(weft_session *s) {
    int first = weft_world_first(s->world);
    s->count = weft_world_local(s->world);
    s->threads = weft_arena_array(&s->arena, device_thread, s->count);
    if (!s->threads) {
        s->count = 0;
        return weft_oom();
    }
    for (int i = 0; i < s->count; i++) {
        device_thread *t = &s->threads[i];
        t->session = s;
        t->device = (weft_device){ .exec = s->exec, .code = s->loaded ? weft_loaded_steps(s->loaded) : NULL,
                                   .calls = s->calls, .world = s->world, .rank = first + i };
        t->device.cx = weft_context_new(&s->shared.alloc);
        if (!t->device.cx) return weft_oom();
    }
    for (int i = 0; i < s->count; i++) {
        int err = pthread_create(&s->threads[i].thread, NULL, device_main, &s->threads[i]);
        if (err)
            return weft_report(s->cx, WEFT_D_system, NULL, "a thread for device %d cannot be made: %s", first + i,
                               strerror(err));
        s->running++;
    }
    return WEFT_OK;
}

/* --- opening and closing --- */

enum { MOST_LOCAL = 4096 }; /* devices of a process, each a thread */

int weft_processes_share(weft_context *cx, const weft_processes *p, int64_t device_count) {
    if (device_count % p->processes == 0 && device_count / p->processes <= MOST_LOCAL)
        return (int)(device_count / p->processes);
    if (device_count % p->processes)
        (void)weft_report(cx, WEFT_D_usage, NULL,
                          "the program is for %lld devices, which %d processes cannot share evenly",
                          (long long)device_count, p->processes);
    else
        (void)weft_report(
            cx, WEFT_D_usage, NULL,
            "the program is for %lld devices, and a process runs at most %d: %lld processes or more can run it",
            (long long)device_count, MOST_LOCAL, (long long)((device_count + MOST_LOCAL - 1) / MOST_LOCAL));
    return 0;
}

static weft_status make_world(weft_session *s) {
    if (s->is_lent) return WEFT_OK;
    weft_world_options o = { .local_ranks = 1, .timeout_s = s->processes.timeout_s,
                             .bind = s->processes.bind ? WEFT_BIND_CORES : WEFT_BIND_NONE };
    if (s->exec) o.local_ranks = weft_processes_share(s->cx, &s->processes, s->exec->device_count);
    if (o.local_ranks == 0) return WEFT_ERR_USAGE;
    s->world_cx = weft_context_new(&s->shared.alloc);
    if (!s->world_cx) return weft_oom();
    weft_status st = s->processes.process == 0 ? weft_variables_check(s->cx) : WEFT_OK;
    if (st != WEFT_OK) return st;
    (void)weft_warning_silence(s->world_cx, WEFT_D_environment, true); /* which has just been told */
    st = weft_processes_world(s->world_cx, &s->processes, &o, &s->world);
    const weft_diag *d = weft_context_diag(s->world_cx, 0);
    if (st != WEFT_OK && d) weft_report(s->cx, class_of(st), NULL, "%s", d->message);
    for (size_t i = 0; st == WEFT_OK && s->processes.process == 0 && (d = weft_context_diag(s->world_cx, i)); i++)
        if (d->severity == WEFT_WARNING) st = weft_report(s->cx, WEFT_D_fallback, NULL, "%s", d->message);
    if (st != WEFT_OK || !s->exec || weft_world_size(s->world) == s->exec->device_count) return st;
    return weft_report(s->cx, WEFT_D_system, NULL, "the world has %d ranks where the program is for %d devices",
                       weft_world_size(s->world), (int)s->exec->device_count);
}

static const char *const op_names[] = {
    [WEFT_PLAN_ALL_REDUCE] = "all_reduce",
    [WEFT_PLAN_ALL_GATHER] = "all_gather",
    [WEFT_PLAN_REDUCE_SCATTER] = "reduce_scatter",
    [WEFT_PLAN_ALL_TO_ALL] = "all_to_all",
    [WEFT_PLAN_COLLECTIVE_PERMUTE] = "collective_permute",
    [WEFT_PLAN_COLLECTIVE_BROADCAST] = "collective_broadcast",
};

/* Names and places of the collectives, for messages and traces. */
static weft_status describe_calls(weft_session *s) {
    const weft_executable *x = s->exec;
    s->calls = weft_arena_array(&s->arena, weft_call, x->step_count);
    if (!s->calls) return weft_oom();
    for (uint32_t i = 0; i < x->step_count; i++) {
        const weft_coll_step *c = x->steps[i].coll;
        weft_buf place;
        if (!c || x->steps[i].kind == WEFT_STEP_DONE) continue;
        weft_str axes =
            c->plan_index < x->plan.collective_count ? x->plan.collectives[c->plan_index].axes : WEFT_STR("?");
        weft_buf_init(&place, &s->cx->alloc);
        weft_loc_print(&place, x->steps[i].loc);
        s->calls[i].place = weft_arena_strdup(&s->arena, place.p ? place.p : "", place.n);
        char *axes_text = weft_arena_strdup(&s->arena, axes.p, axes.n);
        weft_buf_free(&place);
        if (!s->calls[i].place || !axes_text) return weft_oom();
        s->calls[i].site = (weft_call_site){ op_names[c->kind], axes_text, s->calls[i].place, i + 1 };
    }
    return WEFT_OK;
}

/* What every rank tells the others before the first allocation. */
typedef struct ballot { int64_t status, fingerprint; } ballot;

static weft_status vote(weft_session *s, weft_device *d, void *arg) {
    weft_status st = weft_comm_world(d->cx, s->world, d->rank, &d->all);
    if (st != WEFT_OK) return st;
    if (s->is_lent) weft_world_stay(s->world, d->rank);
    if (s->processes.bind) st = weft_world_bind(s->world, d->rank);
    if (st != WEFT_OK) return st;
    int size = weft_comm_size(d->all);
    const ballot *mine = arg;
    ballot *all = weft_arena_array(&d->cx->arena, ballot, size);
    if (!all) return weft_oom();
    weft_coll_buf b = { mine, all, weft_coll_type("i64"), 1, 1, (int64_t)(sizeof *mine / sizeof(int64_t)) };
    weft_call_site site = { "all_gather", "", "launch", 0 };
    st = weft_coll_all_gather(d->all, &b, 1, &site);
    if (st != WEFT_OK) return st;
    d->votes = all;
    return WEFT_OK;
}

/* What rank `from` tells the others: its process gives the text. */
typedef struct telling { int from; weft_str text; } telling;

static weft_status hear(weft_session *s, weft_device *d, void *arg) {
    const telling *t = arg;
    (void)s;
    int64_t bytes = d->rank == t->from ? (int64_t)t->text.n : 0;
    weft_call_site site = { "broadcast", "", "launch", 0 };
    weft_coll_buf size = { .in = &bytes, .out = &bytes, .dtype = weft_coll_type("i64"), .inner = 1 };
    weft_status st = weft_coll_broadcast(d->all, t->from, &size, 1, &site);
    if (st != WEFT_OK) return st;
    char *text = weft_arena_alloc(&d->cx->arena, (size_t)bytes + 1, 1);
    if (!text) return weft_oom();
    if (d->rank == t->from && bytes) memcpy(text, t->text.p, (size_t)bytes);
    weft_coll_buf b = { .in = text, .out = text, .dtype = weft_coll_type("ui8"), .inner = bytes };
    if (bytes) st = weft_coll_broadcast(d->all, t->from, &b, 1, &site);
    if (st == WEFT_OK) d->told = (weft_str){ text, (size_t)bytes };
    return st;
}

/* Every process makes these calls, and has the same text afterwards. */
static weft_status hear_from(weft_session *s, int from, weft_str mine, weft_str *out) {
    weft_status st = do_on_all(s, hear, &(telling){ from, mine });
    if (st == WEFT_OK) *out = s->threads[0].device.told;
    return st;
}

/* A rank's preparation failed: who could prepare says by what, or only that rank's process does. */
static weft_status say_failed(weft_session *s, const weft_session_options *opt, int rank, weft_status how) {
    weft_str why = weft_str_from(opt->why ? opt->why : ""), theirs;
    weft_status st = hear_from(s, rank, why, &theirs);
    if (st != WEFT_OK) return st;
    if (opt->voices == WEFT_SESSION_EACH && s->exec)
        (void)weft_report(s->cx, class_of(how), NULL, "rank %d: %.*s", rank, (int)theirs.n, theirs.n ? theirs.p : "");
    return how;
}

/* "'stablehlo.add ...' at "mine.c":7", or where the program is over. */
static void print_line(weft_buf *b, const weft_program_line *l) {
    enum { MOST = 160 };
    if (!l->text.n) weft_buf_puts(b, "nothing more");
    else
        weft_buf_printf(b, "'%.*s%s'", (int)weft_min_i64((int64_t)l->text.n, MOST), l->text.p,
                        l->text.n > MOST ? " ..." : "");
    if (l->place.n) weft_buf_printf(b, " at %.*s", (int)l->place.n, l->place.p);
}

/* Rank `rank`'s program is not rank 0's: its processes compare theirs with rank 0's, those that have rank 0's compare
 * it with that. */
static weft_status say_differs(weft_session *s, const weft_session_options *opt, int rank, bool as_first) {
    weft_buf mine, what;
    weft_str first, other;
    weft_program_line a, b;
    weft_buf_init(&mine, &s->cx->alloc);
    weft_buf_init(&what, &s->cx->alloc);
    if (opt->print && opt->print(opt->user, &mine) != WEFT_OK) mine.n = 0;
    weft_status st = hear_from(s, 0, (weft_str){ mine.p, mine.n }, &first);
    if (st == WEFT_OK) st = hear_from(s, rank, (weft_str){ mine.p, mine.n }, &other);
    if (st != WEFT_OK || (opt->voices == WEFT_SESSION_ONE && weft_world_first(s->world) != 0)) goto out;
    if (!as_first) other = (weft_str){ mine.p, mine.n }, rank = weft_world_first(s->world);
    if (!first.n || !other.n) {
        weft_buf_puts(&what, "");
    } else if (weft_programs_differ(&s->cx->alloc, first, other, &a, &b)) {
        weft_buf_puts(&what, ": rank 0 has ");
        print_line(&what, &a);
        weft_buf_printf(&what, ", rank %d has ", rank);
        print_line(&what, &b);
    } else {
        weft_buf_puts(&what, ", of the same text: for another kind of processor, or with other options");
    }
    if (first.n && other.n) {
        weft_program_line_end(&a);
        weft_program_line_end(&b);
    }
    (void)weft_report(s->cx, WEFT_D_peer, NULL, "rank %d compiled another program than rank 0%s", rank,
                      what.p && what.n ? what.p : "");
out:
    weft_buf_free(&mine);
    weft_buf_free(&what);
    return st == WEFT_OK ? WEFT_ERR_PEER : st;
}

/* Every process counts the same votes, so all come to the same end. */
static weft_status count_votes(weft_session *s, const weft_session_options *opt, const ballot *mine, bool *speaker) {
    weft_status st = do_on_all(s, vote, (void *)mine);
    if (st != WEFT_OK) return st;
    const ballot *all = s->threads[0].device.votes;
    s->launch_uses = (int)weft_min_i64(weft_comm_uses(s->threads[0].device.all, s->at_launch, WEFT_COUNT(s->at_launch)),
                                       WEFT_COUNT(s->at_launch));
    int size = weft_world_size(s->world), first = weft_world_first(s->world);
    for (int r = 0; r < size; r++)
        if (all[r].status != WEFT_OK) {
            *speaker = r == first;
            return say_failed(s, opt, r, (weft_status)all[r].status);
        }
    for (int r = 0; r < size; r++)
        if (all[r].fingerprint != all[0].fingerprint) {
            *speaker = first == 0;
            return say_differs(s, opt, r, mine->fingerprint == all[0].fingerprint);
        }
    return WEFT_OK;
}

static weft_status start_device(weft_session *s, weft_device *d, void *arg) {
    (void)s;
    (void)arg;
    return weft_device_start(d);
}

static weft_status stop_device(weft_session *s, weft_device *d, void *arg) {
    (void)s;
    (void)arg;
    if (d->all && d->exec) weft_device_stop(d);
    weft_comm_free(d->all);
    d->all = NULL;
    return WEFT_OK;
}

/* Says before anything is allocated when a node, or the cgroup there, has less memory than its devices take; one
 * process of each node does. */
static weft_status warn_short(weft_session *s) {
    const double memory = weft_topology_memory(), each = (double)weft_plan_peak_bytes(&s->exec->plan);
    const int first = weft_world_first(s->world), node = weft_world_node_of(s->world, first);
    int here = 0;
    for (int r = 0; r < weft_world_size(s->world); r++) {
        if (weft_world_node_of(s->world, r) != node) continue;
        if (r < first) return WEFT_OK;
        here++;
    }
    if (memory <= 0 || each * here <= memory) return WEFT_OK;
    weft_buf need, all, have;
    weft_buf_init(&need, &s->cx->alloc);
    weft_buf_init(&all, &s->cx->alloc);
    weft_buf_init(&have, &s->cx->alloc);
    weft_buf_bytes(&need, each);
    weft_buf_bytes(&all, each * here);
    weft_buf_bytes(&have, memory);
    weft_status st = need.failed || all.failed || have.failed ? weft_oom() : WEFT_OK;
    if (st == WEFT_OK)
        st = weft_report(s->cx, WEFT_D_memory, NULL,
                         "the program does not fit: %s of memory may be used here, and %d device%s %s", have.p, here,
                         here == 1 ? " needs" : "s together need", all.p);
    if (st == WEFT_OK && here > 1 && weft_warning_wanted(s->cx, WEFT_D_memory))
        weft_note(s->cx, NULL, "each device needs %s", need.p);
    weft_buf_free(&need);
    weft_buf_free(&all);
    weft_buf_free(&have);
    return st;
}

static weft_status load(weft_session *s, const weft_kernel_set *kernels) {
    const weft_kernel_set all = { kernels ? kernels->kernels : NULL, kernels ? kernels->count : 0, &weft_kernels };
    return weft_load(s->cx, s->exec, &all, &s->loaded);
}

weft_status weft_session_open(weft_context *cx, const weft_session_options *opt, bool *speaker, weft_session **out) {
    bool failed = opt->prepared != WEFT_OK || !opt->exec;
    *speaker = true;
    if (failed && opt->processes.processes == 1) {
        if (opt->speak) opt->speak(opt->user);
        return opt->prepared;
    }
    pthread_condattr_t steady;
    weft_session *s = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *s);
    if (!s) return weft_oom();
    *s = (weft_session){ .cx = cx, .processes = opt->processes, .exec = failed ? NULL : opt->exec, .args = opt->args,
                         .results = opt->results, .world = opt->world, .is_lent = opt->world != NULL };
    weft_arena_init(&s->arena, &cx->alloc);
    weft_locked_init(&s->shared, &cx->alloc);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->work, NULL);
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&s->done, &steady);
    pthread_condattr_destroy(&steady);
    ballot mine = { failed ? (int64_t)opt->prepared : WEFT_OK, failed ? 0 : (int64_t)opt->exec->fingerprint };
    weft_status st = failed ? WEFT_OK : describe_calls(s);
    if (st == WEFT_OK) st = make_world(s);
    const weft_status fits = st == WEFT_OK && s->exec ? warn_short(s) : WEFT_OK;
    if (fits == WEFT_ERR_INVALID) mine.status = fits; /* a warning that is an error: all hear of it by the votes */
    else if (fits != WEFT_OK) st = fits;
    if (st == WEFT_OK && fits == WEFT_OK && s->exec) mine.status = load(s, opt->kernels);
    if (st == WEFT_OK) st = start_threads(s);
    if (st != WEFT_OK) weft_world_abort(s->world, "a process could not start"); /* the others may have */
    if (st == WEFT_OK) st = count_votes(s, opt, &mine, speaker);
    if (st == WEFT_OK) *speaker = s->processes.process == 0;
    if (*speaker && opt->speak) opt->speak(opt->user); /* before any other can end: MPI's end waits for this process */
    if (st == WEFT_OK) st = do_on_all(s, start_device, NULL);
    if (st != WEFT_OK) {
        weft_session_close(s);
        return st;
    }
    *out = s;
    return WEFT_OK;
}

void weft_session_close(weft_session *s) {
    if (!s || (s->world && weft_world_is_inherited(s->world))) return;
    weft_allocator alloc = s->cx->alloc;
    s->broken = false; /* stopping talks to nobody */
    if (s->running) (void)do_on_all(s, stop_device, NULL);
    stop_threads(s);
    for (int i = 0; i < s->count; i++) weft_context_free(s->threads[i].device.cx);
    if (!s->is_lent) weft_world_free(s->world);
    weft_unload(s->loaded);
    weft_context_free(s->world_cx);
    weft_locked_end(&s->shared);
    pthread_cond_destroy(&s->done);
    pthread_cond_destroy(&s->work);
    pthread_mutex_destroy(&s->lock);
    weft_arena_free(&s->arena);
    alloc.resize(alloc.user, s, sizeof *s, 0);
}

/* --- data in --- */

typedef struct input { uint32_t arg; const weft_array *global; const weft_fill *fill; } input;

static weft_status put(weft_session *s, weft_device *d, void *arg) {
    const input *in = arg;
    weft_layout_cut(&s->args[in->arg], d->rank, in->global->data, d->args[in->arg]);
    return WEFT_OK;
}

weft_status weft_session_put(weft_session *s, uint32_t arg, const weft_array *global) {
    return do_on_all(s, put, &(input){ arg, global, NULL });
}

typedef struct filler { const input *in; weft_dtype dtype; char *to; } filler;

static void fill_run(void *user, int64_t global, int64_t local, int64_t elems) {
    const filler *f = user;
    size_t bytes = weft_dtype_bytes(f->dtype);
    for (int64_t i = 0; i < elems; i++)
        weft_fill_element(f->in->fill, f->dtype, f->in->arg, global + i, f->to + (size_t)(local + i) * bytes);
}

static weft_status fill(weft_session *s, weft_device *d, void *arg) {
    const input *in = arg;
    const weft_layout *l = &s->args[in->arg];
    filler f = { in, l->dtype, d->args[in->arg] };
    memset(f.to, 0, (size_t)weft_layout_local_bytes(l));
    weft_layout_walk(l, d->rank, fill_run, &f);
    return WEFT_OK;
}

weft_status weft_session_fill(weft_session *s, uint32_t arg, const weft_fill *how) {
    return do_on_all(s, fill, &(input){ arg, NULL, how });
}

/* --- running --- */

static weft_status step(weft_session *s, weft_device *d, void *arg) {
    (void)s;
    (void)arg;
    return weft_device_step(d);
}

weft_status weft_session_step(weft_session *s) {
    weft_status st = do_on_all(s, step, NULL);
    if (st == WEFT_OK) s->steps++;
    return st;
}

/* In a group of its own, so that the program's calls are counted without it. */
static weft_status meet(weft_session *s, weft_device *d, void *arg) {
    const int size = weft_world_size(s->world);
    const weft_call_site site = { "barrier", "", "end", 0 };
    int *ranks = weft_arena_array(&d->cx->arena, int, size);
    weft_comm *all;
    (void)arg;
    if (!ranks) return weft_oom();
    for (int r = 0; r < size; r++) ranks[r] = r;
    weft_status st = weft_comm_group(d->cx, d->all, ranks, size, &all);
    if (st != WEFT_OK) return st;
    st = weft_coll_barrier(all, &site);
    weft_comm_free(all);
    return st;
}

weft_status weft_session_finish(weft_session *s) {
    return weft_world_local(s->world) == weft_world_size(s->world) ? WEFT_OK : do_on_all(s, meet, NULL);
}

/* --- data out --- */

void weft_session_describe(const weft_layout *l, weft_array *out) {
    *out = (weft_array){ .dtype = l->dtype, .rank = l->rank };
    for (uint32_t d = 0; d < l->rank; d++) out->dims[d] = l->dims[d].global;
}

typedef struct output { uint32_t result; void *to; } output;

/* Rank 0 takes the shard of each owner: in place from its own process, over a group of two from others. */
static weft_status collect(weft_session *s, weft_device *d, void *arg) {
    const output *o = arg;
    const weft_layout *l = &s->results[o->result];
    int64_t bytes = weft_layout_local_bytes(l);
    weft_status st = WEFT_OK;
    void *shard = NULL;
    for (int owner = 0; st == WEFT_OK && owner < weft_world_size(s->world); owner++) {
        if (!weft_layout_owns(l, owner) || (d->rank != 0 && d->rank != owner)) continue;
        if (weft_world_first(s->world) == 0 && owner < weft_world_local(s->world)) { /* of process 0, as this one */
            if (d->rank == 0) weft_layout_join(l, owner, s->threads[owner].device.results[o->result], o->to);
            continue;
        }
        weft_comm *pair;
        weft_call_site site = { "broadcast", "", "result", o->result + 1 };
        if (d->rank == 0 && !shard) shard = weft_comm_alloc(d->all, (size_t)bytes + 1);
        if (d->rank == 0 && !shard) return weft_oom();
        st = weft_comm_group(d->cx, d->all, (const int[]){ 0, owner }, 2, &pair);
        if (st != WEFT_OK) break;
        void *at = d->rank == 0 ? shard : d->results[o->result];
        weft_coll_buf b = { at, at, weft_coll_type("ui8"), 1, 1, bytes };
        st = weft_coll_broadcast(pair, 1, &b, 1, &site);
        if (st == WEFT_OK && d->rank == 0) weft_layout_join(l, owner, shard, o->to);
        weft_comm_free(pair);
    }
    if (shard) weft_comm_dealloc(d->all, shard);
    return st;
}

weft_status weft_session_get(weft_session *s, uint32_t result, weft_array *global) {
    void *data = global->data;
    weft_session_describe(&s->results[result], global);
    global->data = data;
    return do_on_all(s, collect, &(output){ result, data });
}

/* --- what processes have to agree on --- */

typedef struct numbers { const uint64_t *mine; size_t n; uint64_t *to; } numbers;

static weft_status tell_numbers(weft_session *s, weft_device *d, void *arg) {
    const numbers *w = arg;
    (void)s;
    const weft_coll_buf b = {
        .in = w->mine, .out = d->rank == 0 ? w->to : NULL, .dtype = weft_coll_type("ui64"), .inner = (int64_t)w->n
    };
    const weft_call_site site = { "gather", "", "read", 0 };
    return weft_coll_gather(d->all, 0, &b, 1, &site);
}

weft_status weft_session_tell(weft_session *s, const uint64_t *mine, size_t n, uint64_t *to) {
    return do_on_all(s, tell_numbers, &(numbers){ mine, n, to });
}

int weft_session_ranks(const weft_session *s) { return weft_world_size(s->world); }

weft_status weft_session_fail(weft_session *s, const char *why) {
    s->broken = true;
    weft_world_abort(s->world, why);
    return weft_report(s->cx, WEFT_D_peer, NULL, "%s", why);
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

/* The whole result into o->to, in each process: its first device puts the shards together as their owners send them. */
static weft_status collect_everywhere(weft_session *s, weft_device *d, void *arg) {
    const output *o = arg;
    const weft_layout *l = &s->results[o->result];
    const int first = weft_world_first(s->world), size = weft_world_size(s->world);
    const bool alone = weft_world_local(s->world) == size;
    const int64_t bytes = weft_layout_local_bytes(l);
    weft_call_site site = { "broadcast", "", "result", o->result + 1 };
    weft_status st = WEFT_OK;
    if (alone && d->rank != first) return WEFT_OK;
    void *shard = alone ? NULL : weft_comm_alloc(d->all, (size_t)bytes + 1);
    if (!alone && !shard) return weft_oom();
    for (int owner = 0; owner < size && st == WEFT_OK; owner++) {
        if (!weft_layout_owns(l, owner)) continue;
        void *at = d->rank == owner ? d->results[o->result] : shard;
        weft_coll_buf b = { at, at, weft_coll_type("ui8"), 1, 1, bytes };
        if (alone) at = s->threads[owner - first].device.results[o->result];
        else st = weft_coll_broadcast(d->all, owner, &b, 1, &site);
        if (st == WEFT_OK && d->rank == first) weft_layout_join(l, owner, at, o->to);
    }
    if (shard) weft_comm_dealloc(d->all, shard);
    return st;
}

/* A result that lies otherwise than the argument: through memory that holds the whole of it. */
static weft_status feed_moved(weft_session *s, uint32_t result, uint32_t arg) {
    weft_allocator *a = &s->cx->alloc;
    const size_t bytes = (size_t)weft_layout_global_bytes(&s->results[result]) + 1;
    weft_array whole;
    weft_session_describe(&s->results[result], &whole);
    whole.data = a->resize(a->user, NULL, 0, bytes);
    if (!whole.data) {
        weft_world_abort(s->world, "a process has no memory for a result that moves");
        return weft_oom();
    }
    weft_status st = do_on_all(s, collect_everywhere, &(output){ result, whole.data });
    if (st == WEFT_OK) st = weft_session_put(s, arg, &whole);
    a->resize(a->user, whole.data, bytes, 0);
    return st;
}

weft_status weft_session_feed(weft_session *s, uint32_t result, uint32_t arg) {
    const weft_executable *x = s->exec;
    if (result >= x->result_count || arg >= x->arg_count)
        return weft_report(s->cx, WEFT_D_usage, NULL,
                           "result %u cannot become argument %u: the program has %u results and %u arguments", result,
                           arg, x->result_count, x->arg_count);
    if (!weft_layout_same_array(&s->results[result], &s->args[arg]))
        return no_feed(s, result, arg, "they differ in type or shape");
    const bool alike = weft_layout_equal(&s->results[result], &s->args[arg]);
    if (x->results[result].alias == (int32_t)arg && alike) return WEFT_OK;
    if (x->results[result].alias != (int32_t)arg && (x->results[result].alias >= 0 || shares_memory(x, arg)))
        return no_feed(s, result, arg, "one of them shares its memory with another");
    if (!alike) return feed_moved(s, result, arg);
    for (int i = 0; i < s->count; i++) {
        weft_device *d = &s->threads[i].device;
        void *p = d->args[arg];
        d->args[arg] = d->results[result];
        d->results[result] = p;
    }
    return WEFT_OK;
}

/* --- counts --- */

weft_session_counts weft_session_count(const weft_session *s) {
    weft_session_counts c = { .steps = s->steps };
    for (int i = 0; i < s->count; i++) {
        const weft_device *d = &s->threads[i].device;
        c.collectives = weft_max_i64(c.collectives, d->collectives);
        c.wire_bytes = weft_max_i64(c.wire_bytes, d->wire_bytes);
        c.memory_bytes = weft_max_i64(c.memory_bytes, d->memory.most + s->exec->constant_bytes);
    }
    return c;
}

int weft_session_uses(const weft_session *s, weft_coll_use *out, int room) {
    weft_coll_use all[WEFT_SESSION_USES];
    int found = s->count ? weft_comm_uses(s->threads[0].device.all, all, WEFT_SESSION_USES) : 0, n = 0;
    for (int i = 0; i < found && i < WEFT_SESSION_USES; i++) {
        for (int k = 0; k < s->launch_uses; k++)
            if (all[i].op == s->at_launch[k].op && all[i].algorithm == s->at_launch[k].algorithm)
                all[i].calls -= s->at_launch[k].calls;
        if (all[i].calls && n < room) out[n] = all[i];
        n += all[i].calls != 0;
    }
    return n;
}
