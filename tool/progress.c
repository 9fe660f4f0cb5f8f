/* progress.c: see progress.h. A thread writes the line and leaves the cursor before it, so that a message takes its
 * place. */
#include "tool/progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct tool_progress {
    const char *what;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool ended;
};

static void *show(void *user) {
    tool_progress *p = user;
    struct timespec at;
    bool shown = false;
    clock_gettime(CLOCK_REALTIME, &at);
    pthread_mutex_lock(&p->lock);
    for (int seconds = 1; !p->ended; seconds++) {
        at.tv_sec++;
        while (!p->ended && pthread_cond_timedwait(&p->changed, &p->lock, &at) != ETIMEDOUT) {}
        if (p->ended) break;
        fprintf(stderr, "\r\033[K%s: %d s\r", p->what, seconds);
        fflush(stderr);
        shown = true;
    }
    pthread_mutex_unlock(&p->lock);
    if (shown) fprintf(stderr, "\r\033[K");
    return NULL;
}

tool_progress *tool_progress_begin(const char *what) {
    tool_progress *p = isatty(2) ? calloc(1, sizeof *p) : NULL;
    if (!p) return NULL;
    p->what = what;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    if (pthread_create(&p->thread, NULL, show, p) == 0) return p;
    free(p);
    return NULL;
}

void tool_progress_end(tool_progress *p) {
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->ended = true;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}
