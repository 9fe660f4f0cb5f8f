/* team: pieces of a step, taken by whichever thread comes first.
 *
 * `open` holds the number of the step and how many of its pieces are not taken. A thread takes one by counting that
 * down; from then until it counts `done` up the step stays, since its caller waits for all pieces. So what describes
 * the step is read after a piece is taken, and needs no lock.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/context.h"
#include "exec/team.h"

enum {
    PIECES = 4,          /* for each thread: one that comes late leaves the others little to wait for */
    LOOKS = 1000,        /* of a helper for the next step before it sleeps: some ten microseconds */
    CACHE_LINE = 64,
    MOST_BUFFERS = 64,   /* of a step with scratch memory: the last */
    PATIENCE = 2000      /* looks of the caller for the last piece before it gives up its core for a moment */
};

#define LEFT 0xffffffffu /* of open: pieces; above: the step's number */

typedef struct helper {
    pthread_t id;
    weft_team *team;
    void *scratch;                   /* its own, for steps that need some */
    int64_t scratch_bytes;
} helper;

struct weft_team {
    weft_allocator alloc;
    int threads, helpers;            /* those wanted; those running */
    char gap[CACHE_LINE];            /* gaps: lines that different threads write are not one; blocks are not aligned */
    _Atomic uint64_t open;
    _Atomic uint32_t steps;          /* futex: how many have been opened */
    _Atomic uint32_t sleepers;
    _Atomic bool closing;
    char next_gap[CACHE_LINE];
    _Atomic uint32_t done;           /* pieces of the step */
    _Atomic uint32_t failed;         /* a weft_status */
    /* The step, while it has pieces that are not done. */
    const weft_loaded_step *step;
    void *const *buffers;
    const weft_run_env *env;
    int64_t pieces;
    weft_team_log *logs;             /* NULL: they are not wanted */
    uint32_t number;
    helper thread[];
};

static size_t bytes_of(int threads) { return sizeof(weft_team) + (size_t)threads * sizeof(helper); }

static void pause_core(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Takes a piece, if there is one: number *piece of the step. */
static bool take(weft_team *t, int64_t *piece) {
    uint64_t open = atomic_load_explicit(&t->open, memory_order_acquire);
    while (open & LEFT)
        if (atomic_compare_exchange_weak_explicit(&t->open, &open, open - 1, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            *piece = t->pieces - (int64_t)(open & LEFT);
            return true;
        }
    return false;
}

/* The step's buffers, with the helper's own scratch memory. */
static weft_status own_buffers(const weft_team *t, helper *h, void **own, void *const **buffers) {
    const weft_split *s = &t->step->split;
    if (s->scratch >= MOST_BUFFERS) return WEFT_ERR_INTERNAL;
    if (h->scratch_bytes < s->scratch_bytes) {
        free(h->scratch);
        h->scratch_bytes = weft_ceil_div(s->scratch_bytes, WEFT_BUFFER_ALIGN) * WEFT_BUFFER_ALIGN;
        h->scratch = aligned_alloc(WEFT_BUFFER_ALIGN, (size_t)h->scratch_bytes);
        if (!h->scratch) {
            h->scratch_bytes = 0;
            return WEFT_ERR_MEMORY;
        }
    }
    memcpy(own, t->buffers, s->scratch * sizeof *own);
    own[s->scratch] = h->scratch;
    *buffers = own;
    return WEFT_OK;
}

/* h: NULL on the device's own thread. */
static weft_status run_piece(const weft_team *t, int64_t piece, helper *h) {
    const int64_t grains = t->step->split.grains;
    void *own[MOST_BUFFERS], *const *buffers = t->buffers;
    const weft_status st = h && t->step->split.scratch ? own_buffers(t, h, own, &buffers) : WEFT_OK;
    if (st != WEFT_OK) return st;
    weft_run_env env = *t->env;
    env.first_grain = (int64_t)((__int128)grains * piece / t->pieces);
    env.end_grain = (int64_t)((__int128)grains * (piece + 1) / t->pieces);
    env.failure = NULL;
    env.divide = NULL;
    return t->step->fn(t->step->state, buffers, &env);
}

double weft_team_now_s(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Before the piece counts as done: then the caller may read the log. */
static void note(weft_team *t, const helper *h, double begin_s) {
    weft_team_log *l = &t->logs[h - t->thread];
    const uint64_t run = atomic_load_explicit(&t->open, memory_order_relaxed) >> 32;
    if (l->n && l->of == run) {
        l->v[l->n - 1].end_s = weft_team_now_s();
    } else if (l->n < l->room) {
        l->v[l->n++] = (weft_team_stretch){ t->number, begin_s, weft_team_now_s() };
        l->of = run;
    } else {
        l->is_cut = true;
    }
}

/* Pieces until none is left. */
static bool work(weft_team *t, helper *h) {
    int64_t piece;
    bool any = false;
    while (take(t, &piece)) {
        const bool noted = h && t->logs;
        const double begin_s = noted ? weft_team_now_s() : 0;
        const weft_status st = run_piece(t, piece, h);
        uint32_t before = WEFT_OK;
        if (noted) note(t, h, begin_s);
        if (st != WEFT_OK) atomic_compare_exchange_strong(&t->failed, &before, (uint32_t)st);
        atomic_fetch_add_explicit(&t->done, 1, memory_order_release);
        any = true;
    }
    return any;
}

/* The count of steps and of sleepers are read in the same order by all threads: either the helper sees the step, or
 * the step's caller sees the sleeper. */
static void sleep_until_step(weft_team *t) {
    const uint32_t seen = atomic_load(&t->steps);
    atomic_fetch_add(&t->sleepers, 1);
    if (!(atomic_load(&t->open) & LEFT) && !atomic_load(&t->closing))
        syscall(SYS_futex, &t->steps, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0); /* then it looks, whatever woke it */
    atomic_fetch_sub(&t->sleepers, 1);
}

static void *help(void *p) {
    helper *h = p;
    weft_team *t = h->team;
    int looks = 0;
    while (!atomic_load_explicit(&t->closing, memory_order_acquire)) {
        if (work(t, h)) looks = 0;
        else if (looks++ < LOOKS) pause_core();
        else {
            sleep_until_step(t);
            looks = 0;
        }
    }
    return NULL;
}

static void wake(weft_team *t) {
    atomic_fetch_add(&t->steps, 1);
    if (atomic_load(&t->sleepers)) syscall(SYS_futex, &t->steps, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

weft_status weft_team_run(weft_team *t, const weft_run_env *env, const weft_loaded_step *s, void *const *buffers) {
    const int64_t least = weft_max_i64(s->split.least, 1), most = s->split.grains / least;
    const int64_t pieces = weft_min_i64(most, (int64_t)(s->split.apart ? 1 : PIECES) * t->threads);
    if (pieces < 2) return s->fn(s->state, buffers, env);
    t->step = s;
    t->buffers = buffers;
    t->env = env;
    t->pieces = pieces;
    atomic_store_explicit(&t->failed, WEFT_OK, memory_order_relaxed);
    atomic_store_explicit(&t->done, 0, memory_order_relaxed);
    const uint64_t number = (uint64_t)atomic_load_explicit(&t->steps, memory_order_relaxed) + 1;
    atomic_store(&t->open, number << 32 | (uint64_t)pieces);
    wake(t);
    (void)work(t, NULL);
    for (int looks = 0; (int64_t)atomic_load_explicit(&t->done, memory_order_acquire) < pieces; looks++) {
        if (looks < PATIENCE) pause_core();
        else sched_yield();
    }
    return (weft_status)atomic_load_explicit(&t->failed, memory_order_relaxed);
}

void weft_team_watch(weft_team *t, weft_team_log *logs, uint32_t number) {
    t->logs = logs;
    t->number = number;
}

static int start_helpers(weft_team *t) {
    sigset_t all, kept;
    sigfillset(&all);
    int failed = pthread_sigmask(SIG_SETMASK, &all, &kept);
    if (failed) return failed;
    while (!failed && t->helpers < t->threads - 1) {
        t->thread[t->helpers].team = t;
        failed = pthread_create(&t->thread[t->helpers].id, NULL, help, &t->thread[t->helpers]);
        if (!failed) t->helpers++;
    }
    pthread_sigmask(SIG_SETMASK, &kept, NULL);
    return failed;
}

weft_status weft_team_new(weft_context *cx, const weft_allocator *alloc, int threads, weft_team **out) {
    *out = NULL;
    weft_team *t = alloc->resize(alloc->user, NULL, 0, bytes_of(threads));
    if (!t) return weft_oom();
    memset(t, 0, bytes_of(threads));
    t->alloc = *alloc;
    t->threads = threads;
    const int failed = start_helpers(t);
    if (!failed) {
        *out = t;
        return WEFT_OK;
    }
    const int made = t->helpers;
    weft_team_free(t);
    return weft_report(cx, WEFT_D_system, NULL, "a thread cannot be made, after %d of the %d that help a device: %s",
                       made, threads - 1, strerror(failed));
}

void weft_team_free(weft_team *t) {
    if (!t) return;
    atomic_store(&t->closing, true);
    wake(t);
    for (int i = 0; i < t->helpers; i++) {
        pthread_join(t->thread[i].id, NULL);
        free(t->thread[i].scratch);
    }
    t->alloc.resize(t->alloc.user, t, bytes_of(t->threads), 0);
}
