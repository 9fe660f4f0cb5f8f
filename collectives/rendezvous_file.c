/* rendezvous_file: processes find each other by files in a folder that all of them see (rendezvous_folder.h).
 *
 * Files of an earlier, killed job must not be taken for this one's. So every process first writes a new random number
 * (hello.P). Process 0 writes a list of the numbers that it found (job). A process that finds its own number there
 * agrees to that list (yes.P), and once all have agreed to the same list process 0 says so (go). A list that contains
 * an old hello gets no agreement, and is written again when the right process arrives. From then on files carry the
 * list's hash.
 *
 * A hello also has its writer's number of processes. Another number may be from an earlier job, or an error of the
 * user; it is reported when the time is over.
 */
#include "collectives/comm.h"
#include "collectives/rendezvous.h"
#include "collectives/rendezvous_folder.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>

#define NAP_MS 5                   /* between two polls, */
#define NAP_MOST_MS 100            /* grows with the waiting time: each poll asks a file server */
#define END_NS 5000000000          /* how long process 0 waits to remove the files */

typedef struct meeting {
    weft_meeting_place *place;
    weft_folder folder;
    uint64_t job;                  /* the list's hash; 0: no agreement yet */
    unsigned round;
    uint64_t *numbers;             /* [processes]: of this job */
    char *came;                    /* [processes] */
    uint64_t mine;                 /* this process's number, */
    bool said;                     /* this process has said hello, */
    int others;                    /* and found another's in its place */
    int unproved;                  /* 1 + the process whose hello was there, but not by this job's key; 0: none */
} meeting;

/* --- the contents of files ---------------------------------------------------------------------------------------- */

static bool get_of(const meeting *m, const char *what, int process, uint64_t *out) {
    char name[64];
    snprintf(name, sizeof name, "%s.%d", what, process);
    return weft_folder_get(&m->folder, name, out, sizeof *out);
}

typedef struct hello {
    uint64_t number, processes;
} hello;

static bool get_hello(meeting *m, int process, hello *out) {
    char name[64];
    snprintf(name, sizeof name, "hello.%d", process);
    const bool got = weft_folder_get(&m->folder, name, out, sizeof *out);
    if (!got && errno == EBADMSG) m->unproved = process + 1;
    return got;
}

/* Of a process with this one's number of processes. */
static bool hello_of(meeting *m, int process, uint64_t *number) {
    hello h;
    if (!get_hello(m, process, &h) || h.processes != (uint64_t)m->place->processes) return false;
    *number = h.number;
    return true;
}

static weft_status put_own(meeting *m, const char *what, uint64_t number) {
    char name[64];
    snprintf(name, sizeof name, "%s.%d", what, m->place->process);
    return weft_folder_put(&m->folder, name, &number, sizeof number);
}

static weft_status new_number(meeting *m, uint64_t *out) {
    if (weft_random(out, sizeof *out) != WEFT_OK) {
        snprintf(m->place->trouble, sizeof m->place->trouble, "the system has no random numbers: %s", strerror(errno));
        return WEFT_ERR_IO;
    }
    *out |= 1;
    return WEFT_OK;
}

static uint64_t hash_of(const uint64_t *numbers, int n) { /* FNV-1a by words */
    uint64_t h = 14695981039346656037u;
    for (int i = 0; i < n; i++) h = (h ^ numbers[i]) * 1099511628211u;
    return h | 1;
}

/* --- waiting ------------------------------------------------------------------------------------------------------ */

typedef struct watch {
    int64_t end;
    int nap_ms;
} watch;

static watch watch_begin(const meeting *m) { return (watch){ weft_meeting_end(m->place), NAP_MS }; }

/* A pause; false when the time is over. */
static bool watch_nap(watch *w) {
    int left = weft_meeting_left(w->end, w->nap_ms);
    if (!left) return false;
    (void)poll(NULL, 0, left);
    if (w->nap_ms < NAP_MOST_MS) w->nap_ms += w->nap_ms / 4 + 1;
    return true;
}

/* --- the list of processes ---------------------------------------------------------------------------------------- */

/* Process 0: whether all have agreed to the list; writes a new one if hellos have changed. */
static weft_status gather_all(meeting *m, bool *done) {
    int n = m->place->processes, changed = m->job == 0, all = 1;
    weft_status st = WEFT_OK;
    *done = false;
    for (int p = 1; p < n; p++) {
        uint64_t number = 0;
        m->came[p] = hello_of(m, p, &number);
        changed |= m->came[p] && number != m->numbers[p];
        if (m->came[p]) m->numbers[p] = number;
        all &= m->came[p];
    }
    if (!all) return WEFT_OK;
    if (changed) {
        st = new_number(m, &m->numbers[0]);
        if (st != WEFT_OK) return st;
        m->job = hash_of(m->numbers, n);
        st = weft_folder_put(&m->folder, "job", m->numbers, (size_t)n * sizeof *m->numbers);
    }
    for (int p = 1; p < n; p++) {
        uint64_t yes = 0;
        m->came[p] = get_of(m, "yes", p, &yes) && yes == m->job;
        all &= m->came[p];
    }
    *done = all;
    return st == WEFT_OK && all ? weft_folder_put(&m->folder, "go", &m->job, sizeof m->job) : st;
}

/* Other processes: agrees to a list that contains it; returns whether process 0 has said that all have. */
static weft_status join_all(meeting *m, uint64_t mine, bool *done) {
    int n = m->place->processes;
    weft_status st = WEFT_OK;
    uint64_t go = 0, number;
    *done = false;
    for (int p = 0; p < n; p++) m->came[p] = p == m->place->process;
    (void)hello_of(m, 0, &number); /* process 0 may be gone, and its hello, when the time is over */
    if (!weft_folder_get(&m->folder, "job", m->numbers, (size_t)n * sizeof *m->numbers) ||
        m->numbers[m->place->process] != mine)
        return WEFT_OK;
    uint64_t job = m->job = hash_of(m->numbers, n), said = 0;
    if (!get_of(m, "yes", m->place->process, &said) || said != job) st = put_own(m, "yes", job);
    *done = weft_folder_get(&m->folder, "go", &go, sizeof go) && go == job;
    m->came[0] = 1;
    for (int p = 1; p < n && !*done; p++) {
        uint64_t yes = 0;
        m->came[p] |= get_of(m, "yes", p, &yes) && yes == job;
    }
    return st;
}

/* For other processes after the time-out, without a list that names them: the ones without a hello, or else process
 * 0. */
static void find_missing(meeting *m) {
    int missing = 0;
    if (m->came[0]) return; /* a list: the ones that have not agreed to it */
    for (int p = 1; p < m->place->processes; p++) {
        uint64_t number;
        m->came[p] = p == m->place->process || (weft_folder_is_there(&m->folder) && hello_of(m, p, &number));
        missing += !m->came[p];
    }
    uint64_t number;
    m->came[0] = missing && weft_folder_is_there(&m->folder) && hello_of(m, 0, &number);
}

/* Why processes may have missed each other: whether a missing one has written a hello for a larger or smaller
 * job. */
static weft_status missed(meeting *m) {
    hello h;
    for (int p = 0; p < m->place->processes && weft_folder_is_there(&m->folder); p++) {
        if (p == m->place->process || !get_hello(m, p, &h) || h.processes == (uint64_t)m->place->processes ||
            h.processes > 1 << 24)
            continue;
        snprintf(
            m->place->trouble, sizeof m->place->trouble,
            "process %d counts %d processes at %s where process %d counts %d, unless an earlier job left that there", p,
            (int)h.processes, m->place->at, m->place->process, m->place->processes);
        return WEFT_ERR_IO;
    }
    weft_status st = weft_meeting_missed(m->place, m->came);
    size_t n = strlen(m->place->trouble);
    const int unproved = m->unproved - 1;
    if (unproved >= 0 && unproved != m->place->process && !m->came[unproved])
        snprintf(m->place->trouble + n, sizeof m->place->trouble - n,
                 "; a file of process %d was there, but not by this process's key: the two may differ in "
                 "WEFT_RENDEZVOUS_KEY, or an earlier job left it", unproved);
    else if (m->folder.is_loose)
        snprintf(m->place->trouble + n, sizeof m->place->trouble - n,
                 "; other users that may write to %s can move its files: it has no sticky bit", m->folder.path);
    return st;
}

/* hellos of others in place of this process's own: one may be from a job that was killed while it wrote it */
#define OTHERS_MOST 3

/* Process 0 of an earlier job may have removed this hello as one of its own. */
static weft_status say_hello(meeting *m, uint64_t mine) {
    hello seen = { 0 }, own = { mine, (uint64_t)m->place->processes };
    char name[64];
    bool there = get_hello(m, m->place->process, &seen);
    if (there && seen.number == mine) return WEFT_OK;
    if (there && m->said && ++m->others > OTHERS_MOST) {
        snprintf(m->place->trouble, sizeof m->place->trouble, "two processes claim to be process %d of %s",
                 m->place->process, m->place->at);
        return WEFT_ERR_IO;
    }
    snprintf(name, sizeof name, "hello.%d", m->place->process);
    weft_status st = weft_folder_put(&m->folder, name, &own, sizeof own);
    m->said |= st == WEFT_OK;
    return st != WEFT_OK && errno == ENOENT ? WEFT_OK : st; /* the directory was removed: retried at the next poll */
}

static weft_status find_each_other(meeting *m) {
    uint64_t mine;
    bool done = false;
    watch w = watch_begin(m);
    if (new_number(m, &mine) != WEFT_OK) return WEFT_ERR_IO;
    m->mine = mine;
    for (;;) {
        weft_status st = weft_folder_look(&m->folder);
        m->came[m->place->process] = 1;
        const bool there = weft_folder_is_there(&m->folder);
        if (st == WEFT_OK && there) st = say_hello(m, mine);
        if (st == WEFT_OK && there) st = m->place->process == 0 ? gather_all(m, &done) : join_all(m, mine, &done);
        if (st != WEFT_OK || done) return st;
        if (watch_nap(&w)) continue;
        if (m->place->process) find_missing(m);
        return missed(m);
    }
}

/* --- exchanges ---------------------------------------------------------------------------------------------------- */

static void name_of(const meeting *m, unsigned round, int process, char out[64]) {
    snprintf(out, 64, "%016llx.%u.%d", (unsigned long long)m->job, round, process);
}

static weft_status exchange(const weft_bootstrap *b, const void *in, size_t bytes, void *out) {
    meeting *m = b->state;
    char name[64];
    watch w = watch_begin(m);
    name_of(m, ++m->round, b->rank, name);
    memset(m->came, 0, (size_t)b->size);
    weft_status st = weft_folder_put(&m->folder, name, in, bytes);
    for (int missing = b->size; st == WEFT_OK && missing;) {
        for (int p = 0; p < b->size; p++) {
            if (m->came[p]) continue;
            name_of(m, m->round, p, name);
            m->came[p] = weft_folder_get(&m->folder, name, (char *)out + (size_t)p * bytes, bytes);
            missing -= m->came[p];
        }
        if (missing && !watch_nap(&w)) st = weft_meeting_missed(m->place, m->came);
    }
    /* All have reached this round, so none needs the last one's files. */
    name_of(m, m->round - 1, b->rank, name);
    if (st == WEFT_OK && m->round > 1) weft_folder_drop(&m->folder, name);
    return st;
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

/* When all have said that they no longer need the files: removes those of the job, and earlier ones. */
static void clear(meeting *m) {
    static const char *const kinds[] = { "hello", "yes", "gone" };
    char name[64];
    for (int p = 0; p < m->place->processes; p++) {
        for (size_t k = 0; k < WEFT_COUNT(kinds); k++) {
            snprintf(name, sizeof name, "%s.%d", kinds[k], p);
            weft_folder_drop(&m->folder, name);
        }
        for (unsigned r = m->round ? m->round - 1 : 0; r <= m->round + 1; r++) {
            name_of(m, r, p, name);
            weft_folder_drop(&m->folder, name);
        }
    }
    weft_folder_drop(&m->folder, "job");
    weft_folder_drop(&m->folder, "go");
    weft_folder_remove(&m->folder);
}

/* Without a diagnostic: the reason why there is no world was reported. */
static weft_status put_gone(meeting *m) {
    char why[WEFT_RENDEZVOUS_TROUBLE];
    memcpy(why, m->place->trouble, sizeof why);
    weft_status st = put_own(m, "gone", m->mine);
    memcpy(m->place->trouble, why, sizeof why);
    return st;
}

/* No world was made. Files stay for the other processes, which have yet to report the missing ones; the last one
 * removes them all. */
static void give_up(meeting *m) {
    hello h;
    uint64_t gone;
    if (!get_hello(m, m->place->process, &h) || h.number != m->mine || put_gone(m) != WEFT_OK) return;
    for (int p = 0; p < m->place->processes; p++)
        if (get_hello(m, p, &h) && (!get_of(m, "gone", p, &gone) || gone != h.number)) return;
    clear(m);
}

static void part(meeting *m) {
    char name[64];
    int missing = m->place->processes;
    watch w = { weft_now_ns() + END_NS, NAP_MS };
    name_of(m, m->round + 1, m->place->process, name); /* one more round, without data */
    if (weft_folder_put(&m->folder, name, "", 0) != WEFT_OK || m->place->process != 0) return;
    memset(m->came, 0, (size_t)m->place->processes);
    do {
        for (int p = 0; p < m->place->processes; p++) {
            if (m->came[p]) continue;
            name_of(m, m->round + 1, p, name);
            m->came[p] = weft_folder_get(&m->folder, name, NULL, 0);
            missing -= m->came[p];
        }
    } while (missing && watch_nap(&w));
    if (!missing) clear(m);
}

weft_status weft_rendezvous_file_open(weft_meeting_place *place, const char *where, weft_bootstrap *out) {
    const weft_allocator *a = &place->alloc;
    size_t n = (size_t)place->processes;
    meeting *m = a->resize(a->user, NULL, 0, sizeof *m);
    if (!m) return WEFT_ERR_MEMORY;
    *m = (meeting){ .place = place, .folder = weft_folder_at(place, where) };
    *out = (weft_bootstrap){
        .rank = place->process, .size = place->processes, .allgather = exchange, .state = m, .trouble = place->trouble
    };
    m->numbers = a->resize(a->user, NULL, 0, n * sizeof *m->numbers);
    m->came = a->resize(a->user, NULL, 0, n);
    weft_status st = m->numbers && m->came ? WEFT_OK : WEFT_ERR_MEMORY;
    if (st == WEFT_OK) {
        memset(m->numbers, 0, n * sizeof *m->numbers);
        memset(m->came, 0, n);
        st = find_each_other(m);
    }
    if (st != WEFT_OK) {
        m->job = 0;
        weft_rendezvous_file_close(out);
    }
    return st;
}

void weft_rendezvous_file_close(weft_bootstrap *b) {
    meeting *m = b->state;
    const weft_allocator a = m->place->alloc;
    size_t n = (size_t)m->place->processes;
    if (weft_folder_is_there(&m->folder) && m->job) part(m);
    else if (weft_folder_is_there(&m->folder)) give_up(m);
    weft_folder_close(&m->folder);
    if (m->numbers) a.resize(a.user, m->numbers, n * sizeof *m->numbers, 0);
    if (m->came) a.resize(a.user, m->came, n, 0);
    a.resize(a.user, m, sizeof *m, 0);
    *b = (weft_bootstrap){ 0 };
}
