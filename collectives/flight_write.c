/* flight_write.c: the flight recorder written to a file, for `weft doctor`: one JSON object a line.
 *
 * A process writes the contents of its node's memory, including ranks whose process has ended: a line for the file, one
 * for each group, one for each rank, and one for each call that is kept, oldest first.
 */
#include "collectives/flight.h"
#include "cost/algorithm_id.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void put_text(FILE *f, const char *key, const char *text) {
    fprintf(f, ", \"%s\": \"", key);
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        int n = weft_utf8_bytes(p);
        if (n == 0) fprintf(f, "\\ufffd");
        else if (*p < 0x20) fprintf(f, "\\u%04x", *p);
        else if (*p == '"' || *p == '\\') fprintf(f, "\\%c", *p);
        else fwrite(p, 1, (size_t)n, f);
        p += n ? n : 1;
    }
    putc('"', f);
}

static void put_group(void *user, const weft_group_note *g, const int32_t *members) {
    FILE *f = user;
    fprintf(f, "{\"group\": \"%016" PRIx64 "\", \"members\": [", g->hash);
    for (int32_t i = 0; i < g->size; i++) fprintf(f, "%s%d", i ? ", " : "", (int)members[i]);
    fprintf(f, "]}\n");
}

static const char *const states[] = {
    [WEFT_FLIGHT_UNDER_WAY] = "under way", [WEFT_FLIGHT_DONE] = "done", [WEFT_FLIGHT_FAILED] = "failed"
};

static void put_call(FILE *f, const weft_world *w, int rank, const weft_flight *c) {
    int64_t age_ms = (weft_now_ns() - c->began_ns) / 1000000;
    if (age_ms < 0) age_ms = 0; /* its clock may be off by a few ms */
    const weft_site_note *site = c->site ? weft_node_at(&w->node, c->site) : NULL;
    fprintf(f,
            "{\"rank\": %d, \"call\": %" PRIu64
            ", \"op\": \"%s\", \"algorithm\": \"%s\", \"type\": \"%s\", \"bytes\": %" PRId64,
            rank, c->number, weft_coll_kind_name(c->kind), c->alg < WEFT_ALG_COUNT ? weft_alg_table[c->alg].name : "",
            c->dtype && c->dtype < WEFT_DTYPE_COUNT ? weft_dtype_of(c->dtype)->name : "", c->bytes);
    fprintf(f,
            ", \"in_group\": \"%016" PRIx64 "\", \"group_call\": %" PRIu64 ", \"state\": \"%s\", \"age_s\": %" PRId64
            ".%03d",
            c->group, c->turn, states[c->state], age_ms / 1000, (int)(age_ms % 1000));
    if (c->kind < WEFT_PLAN_COLL_COUNT && weft_coll_table[c->kind].adding == WEFT_COLL_ADDS)
        put_text(f, "reduction", weft_reduction_name(c->reduce));
    if (site) put_text(f, "axes", site->axes), put_text(f, "place", site->place);
    fprintf(f, "}\n");
}

static const char *state_of(weft_world *w, int rank) {
    if (weft_rank_ended(w, rank)) return "process ended";
    /* Pairs with the release in weft_world_leave. */
    uint32_t state =
        atomic_load_explicit(&weft_node_rank(&w->node, w->node_rank_of[rank])->state, memory_order_acquire);
    static const char *const names[] = { [WEFT_RANK_NOT_YET] = "not yet", [WEFT_RANK_HERE] = "here",
                                         [WEFT_RANK_AWAY] = "away", [WEFT_RANK_LEFT] = "left" };
    return state < WEFT_COUNT(names) ? names[state] : "?";
}

static void put_rank(FILE *f, weft_world *w, int rank) {
    const weft_rank_note *r = weft_node_rank(&w->node, w->node_rank_of[rank]);
    weft_flight call;
    /* Relaxed: for human readers. */
    fprintf(f, "{\"rank\": %d, \"state\": \"%s\", \"calls\": %" PRIu64 "}\n", rank, state_of(w, rank),
            atomic_load_explicit(&r->calls, memory_order_relaxed));
    for (uint64_t back = WEFT_FLIGHT_CALLS; back-- > 0;)
        if (weft_flight_read(&w->node, r, back, &call)) put_call(f, w, rank, &call);
}

/* Others may know the name, in a folder where they may create files. So a link is not followed, and a file that is not
 * a plain one of this user with this one name is left alone. */
static FILE *open_own(const char *path) {
    struct stat is;
    int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0) return NULL;
    int why = fstat(fd, &is) != 0                                                  ? errno
              : !S_ISREG(is.st_mode) || is.st_uid != geteuid() || is.st_nlink != 1 ? EPERM
                                                                                   : 0;
    if (!why && (fchmod(fd, 0600) != 0 || ftruncate(fd, 0) != 0)) why = errno;
    FILE *f = why ? NULL : fdopen(fd, "w");
    if (!f) {
        if (!why) why = errno;
        close(fd);
        errno = why;
    }
    return f;
}

weft_status weft_world_record(weft_world *w, const char *path) {
    char reason[WEFT_REASON_BYTES] = "";
    errno = EINVAL;
    FILE *f = w && path ? open_own(path) : NULL;
    if (!f) return WEFT_ERR_IO;
    if (weft_node_failed(&w->node)) weft_node_reason(&w->node, reason);
    fprintf(f, "{\"weft_flight\": 1, \"run\": \"%016" PRIx64 "\", \"process\": %d, \"ranks\": %d", w->run, w->process,
            w->size);
    put_text(f, "reason", reason);
    fprintf(f, "}\n");
    weft_node_each_group(&w->node, put_group, f);
    for (int rank = 0; rank < w->size; rank++)
        if (w->node_rank_of[rank] >= 0) put_rank(f, w, rank);
    int bad = ferror(f);
    return fclose(f) == 0 && !bad ? WEFT_OK : WEFT_ERR_IO;
}

static void write_own(weft_world *w) {
    char path[4096];
    /* best effort: there is an error already */
    if (snprintf(path, sizeof path, "%s.%d", w->flight, w->process) < (int)sizeof path)
        (void)weft_world_record(w, path);
}

void weft_flight_failed(weft_world *w) {
    int no = 0;
    /* Relaxed: only one of the process's ranks is to write; what it writes is read by the rules of flight.h. */
    if (w->flight &&
        atomic_compare_exchange_strong_explicit(&w->flown, &no, 1, memory_order_relaxed, memory_order_relaxed))
        write_own(w);
}

/* The signal that requests a record. */
static sigset_t asking(void) {
    sigset_t asked;
    sigemptyset(&asked);
    sigaddset(&asked, SIGUSR1);
    return asked;
}

void weft_flight_asked(weft_world *w) {
    if (!w->flight) return;
    sigset_t asked = asking();
    if (sigtimedwait(&asked, NULL, &(struct timespec){ 0 }) == SIGUSR1) write_own(w);
}

void weft_flight_listen(weft_world *w) {
    if (!w->flight) return;
    sigset_t asked = asking(), before;
    w->holds_back = pthread_sigmask(SIG_BLOCK, &asked, &before) == 0 && sigismember(&before, SIGUSR1) == 0;
    w->maker = pthread_self();
}

/* Restores the thread's mask. Only the thread that made the world can do so. A pending request is discarded with the
 * world: the signal would end the process. */
void weft_flight_unlisten(const weft_world *w) {
    sigset_t asked = asking();
    if (!w->flight || !w->holds_back || !pthread_equal(w->maker, pthread_self())) return;
    while (sigtimedwait(&asked, NULL, &(struct timespec){ 0 }) == SIGUSR1) continue;
    pthread_sigmask(SIG_UNBLOCK, &asked, NULL);
}
