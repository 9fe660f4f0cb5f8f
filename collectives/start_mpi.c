/* start_mpi: a world over the processes of an MPI communicator, which also carries messages if UCX does not. */
#include "config.h"
#include "collectives/world.h"

#ifndef HAVE_MPI
weft_status weft_world_create_mpi(weft_context *cx, const weft_world_options *opt, weft_world **out) {
    weft_world_options asked;
    weft_status st = weft_world_asked(cx, opt, &asked, out);
    return st == WEFT_OK ? weft_report(cx, WEFT_D_unsupported, NULL, "this Weft was built without MPI") : st;
}

weft_status weft_world_create_mpi_handle(weft_context *cx, const void *comm, size_t comm_bytes,
                                         const weft_world_options *opt, weft_world **out) {
    (void)comm, (void)comm_bytes;
    return weft_world_create_mpi(cx, opt, out);
}
#else
#include "collectives/mpi.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* Weft's MPI state. A process has one MPI, however many worlds it has, so this belongs to the process, not to a
 * world. */
static struct {
    pthread_mutex_t lock;    /* guards every MPI call of Weft (MPI_THREAD_SERIALIZED), and the fields below */
    int worlds;              /* current number */
    bool is_ours;            /* Weft has initialised it, */
    pid_t owner;             /* in this process: a child of fork has no MPI */
    bool misses_a_process;   /* finalising would wait for a process that may never come */
    bool is_ending;          /* the process ends with worlds left: freeing the last one finalises MPI */
} mpi_of_process = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* At the process's end: Weft finalises MPI if it has initialised it, unless the caller has, or it would wait for ever.
 * During a world's life the others would wait for this process: the launcher ends them, as it does without Weft. But a
 * handler that runs later may still free the world. */
static void finalise_at_exit(void) {
    if (mpi_of_process.owner != getpid()) return;
    mpi_of_process.is_ending = true;
    if (!mpi_of_process.misses_a_process && !mpi_of_process.worlds && !weft_mpi_is_over()) MPI_Finalize();
}

/* Fault signals: Open MPI handles those without a handler, to print the stack. They belong to the user
 * (ucx_signals.c), unless OMPI_MCA_opal_signal gives some of them to Open MPI. */
static const int faults[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV };

static int start_quietly(int *level) {
    struct sigaction before[WEFT_COUNT(faults)];
    bool known = !getenv("OMPI_MCA_opal_signal");
    for (size_t i = 0; i < WEFT_COUNT(faults); i++) known &= sigaction(faults[i], NULL, &before[i]) == 0;
    int e = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, level);
    for (size_t i = 0; known && i < WEFT_COUNT(faults); i++) (void)sigaction(faults[i], &before[i], NULL);
    return e;
}

/* Under the lock. Weft initialises MPI only for the communicator of all processes. */
static weft_status start_mpi(weft_context *cx, const MPI_Comm *comm, int *level) {
    int there = 0;
    MPI_Initialized(&there);
    if (weft_mpi_is_over())
        return weft_report(cx, WEFT_D_usage, NULL,
                           "MPI has been finalised: this process can make no further world with it");
    if (there) {
        MPI_Query_thread(level);
        return WEFT_OK;
    }
    if (comm)
        return weft_report(cx, WEFT_D_usage, NULL,
                           "MPI is not initialised: there are no communicators before MPI_Init");
    if (start_quietly(level) != MPI_SUCCESS) return weft_report(cx, WEFT_D_system, NULL, "MPI does not start");
    mpi_of_process.is_ours = true;
    mpi_of_process.owner = getpid();
    if (atexit(finalise_at_exit) != 0) return weft_oom();
    return WEFT_OK;
}

/* Checks the communicator from which the world is made. */
static weft_status check_comm(weft_context *cx, MPI_Comm comm) {
    int between = 0;
    if (comm == MPI_COMM_NULL) return weft_report(cx, WEFT_D_usage, NULL, "MPI_COMM_NULL has no processes");
    if (MPI_Comm_test_inter(comm, &between) != MPI_SUCCESS)
        return weft_report(cx, WEFT_D_usage, NULL, "this is not an MPI communicator");
    if (between)
        return weft_report(cx, WEFT_D_usage, NULL,
                           "a world needs one group of processes: this is an inter-communicator, which has two");
    return WEFT_OK;
}

static const struct { const char *rank, *size; } launchers[] = {
#define LAUNCHER(rank, size) { rank, size },
#include "collectives/launchers.def"
};

#define PROCESSES_MOST (1 << 24)

/* A process started by another MPI's launcher is alone in this MPI: each process would do the first one's part and take
 * it for the complete result. Launchers may have started each other; then one of them is this MPI's. */
static weft_status check_launcher(weft_context *cx, int process, int processes) {
    int rank, size, said[2] = { 0, 0 };
    for (size_t i = 0; i < WEFT_COUNT(launchers); i++) {
        if (!weft_count_read(getenv(launchers[i].rank), PROCESSES_MOST, &rank) ||
            !weft_count_read(getenv(launchers[i].size), PROCESSES_MOST, &size) || size < 1)
            continue;
        if (rank == process && size == processes) return WEFT_OK;
        if (!said[1]) said[0] = rank, said[1] = size;
    }
    if (!said[1]) return WEFT_OK;
    return weft_report(cx, WEFT_D_system, NULL,
                       "the launcher started process %d of %d, but in MPI this is process %d of %d: Weft was built with another MPI than the launcher's. Use that MPI's mpirun, or set "
                       "WEFT_RENDEZVOUS", said[0], said[1], process, processes);
}

static void free_mpi(weft_mpi *m) {
    const weft_allocator a = m->alloc;
    if (m->came) a.resize(a.user, m->came, (size_t)m->place.processes, 0);
    a.resize(a.user, m, sizeof *m, 0);
}

/* comm: NULL is MPI_COMM_WORLD. */
static weft_status enter_mpi(weft_context *cx, const MPI_Comm *comm, weft_mpi *m) {
    MPI_Comm theirs = MPI_COMM_NULL;
    pthread_mutex_lock(m->lock);
    weft_status st = start_mpi(cx, comm, &m->level);
    if (st == WEFT_OK) st = check_comm(cx, theirs = comm ? *comm : MPI_COMM_WORLD);
    if (st == WEFT_OK) {
        MPI_Comm_rank(theirs, &m->place.process);
        MPI_Comm_size(theirs, &m->place.processes);
        m->owner = mpi_of_process.is_ours ? WEFT_MPI_OURS : WEFT_MPI_THEIRS;
        m->came = m->alloc.resize(m->alloc.user, NULL, 0, (size_t)m->place.processes);
        if (!m->came) st = weft_oom();
        else if (!comm) st = check_launcher(cx, m->place.process, m->place.processes);
    }
    pthread_mutex_unlock(m->lock);
    if (st == WEFT_OK && weft_mpi_meet(m, theirs) != WEFT_OK)
        st = weft_report(cx, WEFT_D_system, NULL, "%s", m->place.trouble);
    return st;
}

/* the program may take long before it makes a world, but the launcher has started all its processes */
#define JOIN_LEAST_S 120

static weft_status begin_mpi(weft_context *cx, const MPI_Comm *comm, const weft_world_options *opt, weft_mpi **out) {
    weft_mpi *m = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *m);
    int64_t ns = weft_timeout_ns(opt->join_timeout_s != 0 ? opt->join_timeout_s : opt->timeout_s);
    if (!m) return weft_oom();
    if (opt->join_timeout_s == 0 && ns >= 0) ns = weft_max_i64(ns, JOIN_LEAST_S * (int64_t)1000000000);
    *m = (weft_mpi){ .alloc = cx->alloc, .lock = &mpi_of_process.lock,
                     .place = { .alloc = cx->alloc, .at = "the meeting of MPI's processes", .timeout_ns = ns } };
    weft_status st = enter_mpi(cx, comm, m);
    pthread_mutex_lock(m->lock);
    mpi_of_process.worlds += st == WEFT_OK;
    mpi_of_process.misses_a_process |= m->misses_one;
    pthread_mutex_unlock(m->lock);
    if (st == WEFT_OK) *out = m;
    else if (!m->misses_one) free_mpi(m);
    return st;
}

/* How a world leaves MPI: with all of its processes, before one that is still running, or with one missing. */
typedef enum parting { PART_TOGETHER, PART_BEFORE, PART_ALONE } parting;

static void end_mpi(weft_mpi *m, parting how) {
    pthread_mutex_lock(m->lock);
    bool over = weft_mpi_is_over();
    if (m->misses_one) how = PART_ALONE;
    if (how == PART_TOGETHER && !over) MPI_Comm_free(&m->all);
    if (how == PART_ALONE) mpi_of_process.misses_a_process = true;
    if (!--mpi_of_process.worlds && mpi_of_process.is_ending) finalise_at_exit();
    pthread_mutex_unlock(m->lock);
    /* m->telling is kept for the message in progress. */
    if (!m->misses_one) free_mpi(m);
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

#define FAREWELL_NS 2000000000 /* how long a failed process waits for the others: 2 s */
#define TELL_NS 100000000      /* and until the others can know that it stopped waiting: 0.1 s */

static bool has_failed(const weft_world *w) { return w->node.note && weft_node_failed(&w->node); }

/* Tells the others that this process stops waiting. */
static void say_gone(const weft_world *w, const weft_mpi *m) {
    int64_t end = weft_now_ns() + TELL_NS;
    for (int p = 0; p < w->processes; p++) {
        MPI_Request q;
        if (p != w->process && MPI_Isend(NULL, 0, MPI_BYTE, p, WEFT_MPI_TAG_GONE, m->all, &q) == MPI_SUCCESS &&
            !weft_mpi_done_by(&q, end))
            MPI_Request_free(&q);
    }
}

/* Whether a process has waited in vain. Its arrival message came through all the same, so this has to be asked
 * afterwards as well. */
static bool is_one_gone(const weft_mpi *m) {
    int there = 0;
    return MPI_Iprobe(MPI_ANY_SOURCE, WEFT_MPI_TAG_GONE, m->all, &there, MPI_STATUS_IGNORE) != MPI_SUCCESS || there;
}

/* Waits until all processes arrive here: then MPI can end properly, and the launcher kills none before it has reported
 * its error. A process with a failed world waits for a short while, for the others may be dead; one without a failure
 * waits as long as a rank waits for its peers. Then the others are taken to be running, and the end of the process
 * waits for them, in MPI_Finalize. */
static parting all_come(const weft_world *w, const weft_mpi *m) {
    MPI_Request q;
    bool come = false, gone = false, failed = false;
    if (MPI_Ibarrier(m->all, &q) != MPI_SUCCESS) return PART_ALONE;
    for (int64_t begin = weft_now_ns(), end = w->timeout_ns < 0 ? INT64_MAX : begin + w->timeout_ns; !come && !gone;) {
        int64_t now = weft_now_ns();
        if (!failed && has_failed(w)) failed = true, end = now + FAREWELL_NS;
        if (now >= end) {
            if (failed) say_gone(w, m);
            return failed ? PART_ALONE : PART_BEFORE;
        }
        come = weft_mpi_done_by(&q, now);
        gone = is_one_gone(m);
        if (!come) usleep(100);
    }
    return come && !is_one_gone(m) ? PART_TOGETHER : PART_ALONE;
}

/* If a process is missing MPI is left alone: finalising would wait for ever. The launcher ends the rest. */
static void end_world(weft_world *w) {
    weft_mpi *m = w->end_state;
    parting how = PART_TOGETHER;
    if (weft_mpi_is_over()) how = PART_TOGETHER; /* that was done together */
    else if (!weft_mpi_may_call(m)) how = PART_ALONE;
    else if (m->owner == WEFT_MPI_OURS || has_failed(w)) how = all_come(w, m);
    end_mpi(m, how);
    w->end_state = NULL;
}

static weft_status create(weft_context *cx, const MPI_Comm *comm, const weft_world_options *opt, weft_world **out) {
    weft_mpi *m = NULL;
    weft_status st = begin_mpi(cx, comm, opt, &m);
    if (st != WEFT_OK) return st;
    const weft_bootstrap all = { .rank = m->place.process, .size = m->place.processes, .allgather = weft_mpi_gather,
                                 .state = m, .trouble = m->place.trouble };
    weft_start start = { .all = all, .messages = &weft_transport_mpi, .messages_state = m };
    st = weft_world_start(cx, opt, &start, out);
    if (st != WEFT_OK) {
        end_mpi(m, PART_TOGETHER);
        return st;
    }
    (*out)->end = end_world;
    (*out)->end_state = m;
    return WEFT_OK;
}

weft_status weft_world_create_mpi(weft_context *cx, const weft_world_options *opt, weft_world **out) {
    weft_world_options asked;
    weft_status st = weft_world_asked(cx, opt, &asked, out);
    return st == WEFT_OK ? create(cx, NULL, &asked, out) : st;
}

weft_status weft_world_create_mpi_handle(weft_context *cx, const void *comm, size_t comm_bytes,
                                         const weft_world_options *opt, weft_world **out) {
    weft_world_options asked;
    MPI_Comm theirs;
    weft_status st = weft_world_asked(cx, opt, &asked, out);
    if (st != WEFT_OK) return st;
    if (!comm || comm_bytes != sizeof theirs)
        return weft_report(
            cx, WEFT_D_usage, NULL,
            "a communicator has %zu bytes here and %zu in the caller: they were built for different MPIs",
            sizeof theirs, comm_bytes);
    memcpy(&theirs, comm, sizeof theirs);
    return create(cx, &theirs, &asked, out);
}
#endif
