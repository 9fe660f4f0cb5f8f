/* transport_shm: processes of one node. Each makes a memfd for its own memory and maps the others'; the first also makes
 * the one for what they have in common. A memfd is passed as a path, /proc/PID/fd/N, which its opener may use when it is
 * the same user's; it has no name in any file system, so that nothing is left behind, however the processes end.
 */
#include "collectives/comm.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What each process says of its memory. */
typedef struct memory_card {
    int64_t pid;
    weft_segment_card heap, node;   /* node: of the first process only */
    int32_t error;                  /* errno, 0: fine */
} memory_card;

typedef struct shm_state {
    int count;
    int pidfd[];                    /* -1: not watched */
} shm_state;

static void watch(weft_world *w, const memory_card *cards) {
    shm_state *s = w->memory_state;
    for (int i = 0; i < s->count; i++) {
        s->pidfd[i] = -1;
#ifdef SYS_pidfd_open
        if (i != w->node_process) s->pidfd[i] = (int)syscall(SYS_pidfd_open, (pid_t)cards[i].pid, 0);
#endif
        if (s->pidfd[i] < 0) s->pidfd[i] = -1;
    }
}

/* Maps what the others have made. Returns errno. */
static int map_others(weft_world *w, const memory_card *cards) {
    for (int i = 0; i < w->node_processes; i++) {
        if (i == w->node_process) w->segments[i] = w->heap.segment;
        else if (weft_segment_open((long)cards[i].pid, &cards[i].heap, &w->segments[i]) != WEFT_OK) return errno ? errno : EIO;
    }
    if (w->node_process == 0) return 0;
    if (weft_segment_open((long)cards[0].pid, &cards[0].node, &w->node.segment) != WEFT_OK) return errno ? errno : EIO;
    weft_node_attach(&w->node);
    return 0;
}

static weft_status exchange(weft_world *w, const weft_bootstrap *node, const memory_card *mine, memory_card *cards) {
    snprintf(w->trouble, sizeof w->trouble, "the processes of this node do not find each other");
    if (node->allgather(node, mine, sizeof *mine, cards) != WEFT_OK) return WEFT_ERR_IO;
    w->trouble[0] = 0;
    for (int i = 0; i < w->node_processes; i++)
        if (cards[i].error) {
            snprintf(w->trouble, sizeof w->trouble, "process %d of this node cannot share its memory: %s", i, strerror(cards[i].error));
            return WEFT_ERR_IO;
        }
    return WEFT_OK;
}

static weft_status open_shm(weft_world *w, const weft_bootstrap *node) {
    size_t n = (size_t)w->node_processes, room = n * sizeof(memory_card), state_bytes = sizeof(shm_state) + n * sizeof(int);
    memory_card *cards = w->alloc.resize(w->alloc.user, NULL, 0, room);
    shm_state *state = w->alloc.resize(w->alloc.user, NULL, 0, state_bytes);
    memory_card mine = { .pid = getpid() };
    if (state) state->count = 0;
    w->memory_state = state;

    /* Every process takes part in every exchange, whatever it found, so that none waits in vain. */
    weft_status st = cards && state ? weft_heap_init(&w->heap, &w->alloc, WEFT_SEGMENT_SHARED) : WEFT_ERR_MEMORY;
    if (st == WEFT_OK && w->node_process == 0) st = weft_node_create(&w->node, WEFT_SEGMENT_SHARED, w->node_processes, w->node_ranks);
    mine.error = st == WEFT_OK ? 0 : st == WEFT_ERR_MEMORY ? ENOMEM : errno ? errno : EIO;
    if (st == WEFT_OK) mine.heap = weft_segment_describe(&w->heap.segment);
    if (st == WEFT_OK && w->node_process == 0) mine.node = weft_segment_describe(&w->node.segment);
    if (!cards || !state) { /* no room even for the others' cards: nothing can be exchanged */
        st = weft_oom();
        goto out;
    }
    st = exchange(w, node, &mine, cards);
    if (st != WEFT_OK) goto out;
    state->count = w->node_processes;
    watch(w, cards);
    mine.error = map_others(w, cards);
    st = exchange(w, node, &mine, cards);
    if (st == WEFT_OK) weft_node_pids(&w->node)[w->node_process] = mine.pid;
out:
    if (cards) w->alloc.resize(w->alloc.user, cards, room, 0);
    return st;
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
    if (s->pidfd[seat] >= 0) { /* readable once the process has ended, even while nobody has waited for it */
        struct pollfd p = { .fd = s->pidfd[seat], .events = POLLIN };
        return poll(&p, 1, 0) == 1 && (p.revents & POLLIN);
    }
    return kill((pid_t)weft_node_pids(&w->node)[seat], 0) != 0 && errno == ESRCH;
}

const weft_transport weft_transport_shm = {
    .name = "shm", .offer = WEFT_TRANSPORT_MEMORY, .open = open_shm, .close = close_shm, .ended = ended,
};
