/* transport_shm: processes of one node. Each makes a memfd for its own memory and maps the others'; the first also
 * makes the one for their common data. A memfd is passed as a path, /proc/PID/fd/N, which processes of the same user
 * may open; it has no name in any file system, so nothing is left over, however the processes end.
 */
#include "collectives/reach.h"
#include "collectives/wire.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct shm_state {
    int count;
    int pidfd[];                    /* -1: not watched */
} shm_state;

/* Makes this process's memory, and its node's if it is the node's first process. */
static weft_status share_memory(weft_world *w, weft_memory_card *mine) {
    shm_state *state = w->alloc.resize(w->alloc.user, NULL, 0, sizeof *state + (size_t)w->node_processes * sizeof(int));
    if (!state) return WEFT_ERR_MEMORY;
    state->count = 0;
    w->memory_state = state;
    weft_status st = weft_heap_init(&w->heap, &w->alloc, WEFT_SEGMENT_SHARED, w->node_processes);
    if (st == WEFT_OK && w->node_process == 0)
        st = weft_node_create(&w->node, WEFT_SEGMENT_SHARED, w->node_processes, w->node_ranks);
    if (st == WEFT_ERR_IO)
        snprintf(w->trouble, sizeof w->trouble, "process %d cannot share its memory: %s", w->process,
                 strerror(errno ? errno : EIO));
    if (st != WEFT_OK) return st;
    mine->pid = getpid();
    mine->heap = weft_segment_describe(&w->heap.segment);
    if (w->node_process == 0) mine->node = weft_segment_describe(&w->node.segment);
    weft_reach_offer(w, mine);
    return WEFT_OK;
}

static int watch(long pid) {
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
#else
    (void)pid;
    return -1;
#endif
}

static weft_status cannot_map(weft_world *w, int process) {
    snprintf(w->trouble, sizeof w->trouble, "process %d cannot share the memory of process %d: %s", w->process, process,
             strerror(errno ? errno : EIO));
    return WEFT_ERR_IO;
}

/* Maps the memory of the others of this node. */
static weft_status join_memory(weft_world *w, const weft_memory_card *cards) {
    shm_state *s = w->memory_state;
    for (int i = 0; i < w->node_processes; i++) s->pidfd[i] = -1;
    s->count = w->node_processes;
    for (int p = 0; p < w->processes; p++) {
        int seat = w->seat_of[p];
        const weft_memory_card *c = &cards[p];
        if (w->node_of[p] != w->node_of[w->process]) continue;
        if (p == w->process) {
            w->segments[seat] = w->heap.segment;
            continue;
        }
        errno = EINVAL;
        if (!weft_memory_card_is_sound(c, seat == 0)) return cannot_map(w, p);
        if (weft_segment_open((long)c->pid, &c->heap, &w->segments[seat]) != WEFT_OK) return cannot_map(w, p);
        if (seat == 0 && weft_segment_open((long)c->pid, &c->node, &w->node.segment) != WEFT_OK)
            return cannot_map(w, p);
        s->pidfd[seat] = watch((long)c->pid);
        if (s->pidfd[seat] < 0) s->pidfd[seat] = -1; /* not watched */
    }
    weft_node_attach(&w->node);
    errno = EINVAL;
    if (!weft_node_is_sound(&w->node, w->node_processes, w->node_ranks)) return cannot_map(w, w->process);
    weft_node_pids(&w->node)[w->node_process] = getpid();
    weft_reach_probe(w, cards);
    return WEFT_OK;
}

static void close_shm(weft_world *w) {
    shm_state *s = w->memory_state;
    for (int i = 0; s && i < s->count; i++) {
        if (s->pidfd[i] >= 0) close(s->pidfd[i]);
        if (i != w->node_process) weft_segment_close(&w->segments[i]);
    }
    weft_node_close(&w->node);
    weft_heap_free(&w->heap);
    if (s) w->alloc.resize(w->alloc.user, s, sizeof *s + (size_t)w->node_processes * sizeof(int), 0);
    w->memory_state = NULL;
}

static bool ended(weft_world *w, int seat) {
    shm_state *s = w->memory_state;
    if (s->pidfd[seat] >= 0) { /* readable once the process has ended, even as a zombie */
        struct pollfd p = { .fd = s->pidfd[seat], .events = POLLIN };
        return poll(&p, 1, 0) == 1 && (p.revents & POLLIN);
    }
    return kill((pid_t)weft_node_pids(&w->node)[seat], 0) != 0 && errno == ESRCH;
}

const weft_transport weft_transport_shm = {
    .name = "shm",
    .offer = WEFT_TRANSPORT_MEMORY,
    .share = share_memory,
    .join = join_memory,
    .close = close_shm,
    .ended = ended,
};
