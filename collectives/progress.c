/* progress.c: see progress.h. */
#include "collectives/progress.h"
#include "collectives/world.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define IDLE_TURNS 1000  /* iterations without progress before it naps: some 50 us */
#define NAP_NS 20000

/* The last core of those that the process's last rank has to itself, if there are several: ranks are bound from the
 * first one on. */
static void bind_self(weft_world *w) {
    /* binding is optional: its diagnostics do not reach the caller */
    weft_context *cx = w->bind == WEFT_BIND_NONE ? NULL : weft_context_new(&w->alloc);
    int first = 0, count = 0;
    if (!cx) return;
    if (weft_world_cores(cx, w, w->first + w->local - 1, &first, &count) == WEFT_OK && count > 1)
        (void)weft_topology_bind(cx, w->topology, first + count - 1, 1);
    weft_context_free(cx);
}

static void move(weft_world *w, weft_local_rank *rank) {
    if (pthread_mutex_trylock(&rank->lock) != 0) return; /* the rank advances them itself */
    rank->moved = 1;
    w->progress.advance(rank);
    rank->moved = 0;
    pthread_mutex_unlock(&rank->lock);
}

static void *work(void *p) {
    weft_world *w = p;
    int idle = 0;
    bind_self(w);
    while (!atomic_load_explicit(&w->progress.closing, memory_order_acquire)) {
        const int open = atomic_load_explicit(&w->progress.open, memory_order_acquire);
        if (!open) {
            sem_wait(&w->progress.wake); /* an interruption causes one needless poll */
            idle = 0;
            continue;
        }
        for (int i = 0; i < w->local; i++) move(w, &w->ranks[i]);
        idle = atomic_load_explicit(&w->progress.open, memory_order_relaxed) == open ? idle + 1 : 0;
        if (idle > IDLE_TURNS) nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
        else weft_wait_pause(w);
    }
    return NULL;
}

/* With signals blocked, which are for the caller's threads. */
static int make_thread(weft_world *w) {
    sigset_t all, kept;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &kept) != 0) return 0;
    int made = pthread_create(&w->progress.thread, NULL, work, w) == 0;
    pthread_sigmask(SIG_SETMASK, &kept, NULL);
    return made;
}

void weft_progress_open(weft_world *w, const weft_world_options *opt, weft_advance advance) {
    const char *text = opt->progress ? NULL : getenv("WEFT_PROGRESS");
    int wanted = opt->progress   ? opt->progress > 0
                 : text && *text ? weft_switch_read(text) > 0
                                 : w->spare_core && w->size > 1;
    if (!wanted || w->one_thread || sem_init(&w->progress.wake, 0, 0) != 0) return;
    for (int i = 0; i < w->local; i++) pthread_mutex_init(&w->ranks[i].lock, NULL);
    w->progress.advance = advance;
    w->progress.wanted = 1;
}

void weft_progress_close(weft_world *w) {
    if (!w->progress.wanted) return;
    atomic_store_explicit(&w->progress.closing, 1, memory_order_release);
    sem_post(&w->progress.wake);
    if (w->progress.runs) pthread_join(w->progress.thread, NULL);
    for (int i = 0; i < w->local; i++) pthread_mutex_destroy(&w->ranks[i].lock);
    sem_destroy(&w->progress.wake);
    w->progress.wanted = 0;
}

/* If the thread cannot be created, ranks advance their calls themselves, as without it. */
static void start_thread(weft_world *w) {
    pthread_mutex_lock(&w->lock);
    if (!w->progress.runs && !w->progress.failed) {
        w->progress.runs = make_thread(w);
        w->progress.failed = !w->progress.runs;
    }
    pthread_mutex_unlock(&w->lock);
}

void weft_progress_entered(weft_world *w) {
    if (!w->progress.wanted || atomic_fetch_add_explicit(&w->progress.open, 1, memory_order_acq_rel) != 0) return;
    start_thread(w);
    sem_post(&w->progress.wake);
}

void weft_progress_left(weft_world *w) {
    if (w->progress.wanted) atomic_fetch_sub_explicit(&w->progress.open, 1, memory_order_acq_rel);
}
