/* workers.c: see workers.h. */
#include "tool/workers.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORKERS = 64 };

void *tool_shared_memory(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void tool_shared_free(void *p, size_t bytes) {
    if (p) (void)munmap(p, bytes);
}

static size_t count_done(const tool_work *w) {
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++) n += w->done(w->user, i);
    return n;
}

/* Waits for all; after a second says on a terminal how far it is. Returns a signal that has ended one, or 0. */
static int wait_for(const tool_work *w, const pid_t *pids, size_t n) {
    const double from_s = tool_now_s();
    const struct timespec pause = { 0, 20 * 1000 * 1000 };
    bool shown = false;
    int by = 0;
    for (size_t left = n; left;) {
        int status = 0;
        const pid_t ended = waitpid(-1, &status, isatty(2) ? WNOHANG : 0);
        for (size_t i = 0; ended > 0 && i < n; i++) {
            if (pids[i] != ended) continue;
            left--;
            if (WIFSIGNALED(status)) by = WTERMSIG(status);
        }
        if (ended < 0 && errno != EINTR) break;
        if (ended) continue;
        if (tool_now_s() - from_s > 1) {
            fprintf(stderr, "\r%zu of %zu %s", count_done(w), w->n, w->what);
            shown = true;
        }
        nanosleep(&pause, NULL);
    }
    if (shown) fprintf(stderr, "\r%*s\r", 40, "");
    return by;
}

static void work(const tool_work *w, atomic_size_t *next) {
    for (size_t i; (i = atomic_fetch_add(next, 1)) < w->n;) w->one(w->user, i);
}

weft_status tool_work_run(tool *t, const tool_work *w) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t workers = cores > 0 ? (size_t)cores : 1, started = 0;
    pid_t pids[MOST_WORKERS];
    atomic_size_t *next = tool_shared_memory(sizeof *next); /* the point that none has taken yet */
    if (!next) return weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory");
    if (workers > MOST_WORKERS) workers = MOST_WORKERS;
    if (workers > w->n) workers = w->n;
    (void)fflush(stdout);
    (void)fflush(stderr);
    for (; started < workers; started++) {
        pids[started] = fork();
        if (pids[started] < 0) break;
        if (pids[started]) continue;
        t->report = TOOL_REPORT_LATER;
        work(w, next);
        _exit(0);
    }
    const int why = errno;
    const int by = wait_for(w, pids, started);
    tool_shared_free(next, sizeof *next);
    if (started < workers)
        return weft_report(t->cx, WEFT_D_system, NULL, "no process can be started: %s", strerror(why));
    return by ? weft_report(t->cx, WEFT_D_system, NULL, "a process that made %s was ended: %s", w->what, strsignal(by))
              : WEFT_OK;
}
