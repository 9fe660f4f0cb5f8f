/* ffi_pool: the tasks that handlers schedule.
 *
 * While a handler runs, the threads of its device have nothing else to do: the pool has as many but for the device's
 * own, made when the first task comes, on the same cores. A device of one thread does each task where it is scheduled,
 * as the interface allows.
 */
#include <signal.h>
#include <stdlib.h>
#include "pjrt/ffi.h"

typedef struct task { struct task *next; ffi_task *run; void *data; } task;

struct pjrt_ffi_pool {
    pthread_mutex_t lock;            /* guards what follows */
    pthread_cond_t came;
    task *first, **end;
    pthread_t *threads;
    int count;
    bool quit;
};

pjrt_ffi_pool *pjrt_ffi_pools_new(int devices) {
    pjrt_ffi_pool *pools = calloc((size_t)devices, sizeof *pools);
    for (int i = 0; pools && i < devices; i++) {
        pthread_mutex_init(&pools[i].lock, NULL);
        pthread_cond_init(&pools[i].came, NULL);
        pools[i].end = &pools[i].first;
    }
    return pools;
}

/* Under the lock, which is not held while the task runs. */
static void run_first(pjrt_ffi_pool *p) {
    task *t = p->first;
    p->first = t->next;
    if (!p->first) p->end = &p->first;
    pthread_mutex_unlock(&p->lock);
    t->run(t->data);
    free(t);
    pthread_mutex_lock(&p->lock);
}

static void *serve(void *user) {
    pjrt_ffi_pool *p = user;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->first && !p->quit) pthread_cond_wait(&p->came, &p->lock);
        if (!p->first) break;
        run_first(p);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Under the lock: as many of them as can be made. Signals are for the process's other threads. */
static void start(pjrt_ffi_pool *p, int threads) {
    sigset_t all, before;
    if (p->threads || threads < 1) return;
    p->threads = malloc((size_t)threads * sizeof *p->threads);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (p->threads && p->count < threads && !pthread_create(&p->threads[p->count], NULL, serve, p)) p->count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void pjrt_ffi_schedule(pjrt_ffi_pool *pools, int i, int threads, ffi_task *run, void *data) {
    pjrt_ffi_pool *p = &pools[i];
    task *t = threads > 0 ? malloc(sizeof *t) : NULL;
    pthread_mutex_lock(&p->lock);
    if (t) start(p, threads);
    const bool later = t && p->count;
    if (later) {
        *t = (task){ .run = run, .data = data };
        *p->end = t;
        p->end = &t->next;
        pthread_cond_signal(&p->came);
    }
    pthread_mutex_unlock(&p->lock);
    if (later) return;
    free(t);
    run(data);
}

void pjrt_ffi_help(pjrt_ffi_pool *pools, int i) {
    pthread_mutex_lock(&pools[i].lock);
    while (pools[i].first) run_first(&pools[i]);
    pthread_mutex_unlock(&pools[i].lock);
}

void pjrt_ffi_pools_free(pjrt_ffi_pool *pools, int devices) {
    for (int i = 0; pools && i < devices; i++) {
        pjrt_ffi_pool *p = &pools[i];
        pthread_mutex_lock(&p->lock);
        p->quit = true;
        pthread_cond_broadcast(&p->came);
        pthread_mutex_unlock(&p->lock);
        for (int k = 0; k < p->count; k++) pthread_join(p->threads[k], NULL);
        free(p->threads);
        pthread_cond_destroy(&p->came);
        pthread_mutex_destroy(&p->lock);
    }
    free(pools);
}
