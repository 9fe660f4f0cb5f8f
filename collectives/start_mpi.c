/* start_mpi: a world over the processes of MPI_COMM_WORLD, which carries messages too where UCX does not. */
#include "config.h"
#include "collectives/world.h"

#ifndef HAVE_MPI
weft_status weft_world_create_mpi(weft_context *cx, const weft_world_options *opt, weft_world **out) {
    weft_status st = weft_world_asked(cx, opt, out);
    return st == WEFT_OK ? weft_report(cx, WEFT_D_unsupported, NULL, "this Weft was built without MPI") : st;
}
#else
#include "collectives/mpi.h"

#include <unistd.h>

static weft_status gather(const weft_bootstrap *b, const void *in, size_t bytes, void *out) {
    MPI_Comm comm;
    memcpy(&comm, &b->state, sizeof comm);
    weft_mpi_bytes n;
    int e = weft_mpi_bytes_open(bytes, &n);
    if (e == MPI_SUCCESS) e = MPI_Allgather(in, n.count, n.type, out, n.count, n.type, comm);
    weft_mpi_bytes_close(&n);
    return e == MPI_SUCCESS ? WEFT_OK : WEFT_ERR_IO;
}

_Static_assert(sizeof(MPI_Comm) <= sizeof(void *), "a communicator fits the bootstrap's state");

static weft_bootstrap bootstrap_of(MPI_Comm comm) {
    weft_bootstrap b = { .allgather = gather };
    MPI_Comm_rank(comm, &b.rank);
    MPI_Comm_size(comm, &b.size);
    memcpy(&b.state, &comm, sizeof comm);
    return b;
}

static weft_status begin_mpi(weft_context *cx, weft_mpi **out) {
    weft_mpi *m = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *m);
    if (!m) return weft_oom();
    *m = (weft_mpi){ .alloc = cx->alloc, .owner = WEFT_MPI_THEIRS };
    int there = 0, over = 0;
    MPI_Initialized(&there);
    MPI_Finalized(&over);
    weft_status st = WEFT_OK;
    if (over) {
        st = weft_report(cx, WEFT_D_usage, NULL, "MPI has been finalised: there is no second world in a process that Weft or its user started MPI for");
    } else if (there) {
        MPI_Query_thread(&m->level);
    } else if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &m->level) == MPI_SUCCESS) {
        m->owner = WEFT_MPI_OURS;
    } else {
        st = weft_report(cx, WEFT_D_system, NULL, "MPI does not start");
    }
    if (st == WEFT_OK && MPI_Comm_dup(MPI_COMM_WORLD, &m->all) != MPI_SUCCESS) st = weft_report(cx, WEFT_D_system, NULL, "MPI has no communicator left");
    if (st != WEFT_OK) {
        cx->alloc.resize(cx->alloc.user, m, sizeof *m, 0);
        return st;
    }
    MPI_Comm_set_errhandler(m->all, MPI_ERRORS_RETURN);
    pthread_mutex_init(&m->lock, NULL);
    *out = m;
    return WEFT_OK;
}

static void drop(weft_mpi *m) {
    pthread_mutex_destroy(&m->lock);
    /* m->telling is kept for the message under way. */
    weft_allocator a = m->alloc;
    a.resize(a.user, m, sizeof *m, 0);
}

/* No world came of it. */
static void end_mpi(weft_mpi *m) {
    MPI_Comm_free(&m->all);
    if (m->owner == WEFT_MPI_OURS) MPI_Finalize();
    drop(m);
}

/* --- the end --------------------------------------------------------------------------------------------------------------------- */

#define FAREWELL_NS 2000000000 /* how long who has failed waits for the others: 2 s */
#define TELL_NS 100000000      /* and until the others can know that it does no longer: 0.1 s */

static bool has_failed(const weft_world *w) { return w->node.note && weft_node_failed(&w->node); }

/* That this process waits no longer. */
static void say_gone(const weft_world *w, const weft_mpi *m) {
    int64_t end = weft_now_ns() + TELL_NS;
    for (int p = 0; p < w->processes; p++) {
        MPI_Request q;
        if (p != w->process && MPI_Isend(NULL, 0, MPI_BYTE, p, WEFT_MPI_TAG_GONE, m->all, &q) == MPI_SUCCESS && !weft_mpi_done_by(&q, end)) MPI_Request_free(&q);
    }
}

/* Whether one has waited in vain. What it sent to come together has arrived all the same, so that this has to be asked afterwards as well. */
static bool is_one_gone(const weft_mpi *m) {
    int there = 0;
    return MPI_Iprobe(MPI_ANY_SOURCE, WEFT_MPI_TAG_GONE, m->all, &there, MPI_STATUS_IGNORE) != MPI_SUCCESS || there;
}

/* Whether all processes come here: then MPI can end as it should, and none is killed before it has said why. Who has failed does not wait for ever, for the
 * others may be dead; who has not waits for them here as it would in MPI_Finalize, but out of that it could not be called back. */
static bool all_come(weft_world *w, const weft_mpi *m) {
    MPI_Request q;
    bool come = false, gone = false;
    if (MPI_Ibarrier(m->all, &q) != MPI_SUCCESS) return false;
    for (int64_t end = INT64_MAX; !come && !gone;) {
        int64_t now = weft_now_ns();
        if (end == INT64_MAX && has_failed(w)) end = now + FAREWELL_NS;
        if (now >= end) {
            say_gone(w, m);
            return false;
        }
        come = weft_mpi_done_by(&q, now);
        gone = is_one_gone(m);
        if (!come) usleep(100);
    }
    return come && !is_one_gone(m);
}

/* Where a process is missing MPI is left as it is: to finalise it would wait for ever. The launcher ends the rest. */
static void end_world(weft_world *w) {
    weft_mpi *m = w->end_state;
    bool whole = m->owner == WEFT_MPI_THEIRS && !has_failed(w);
    if (whole || (weft_mpi_may_call(m) && all_come(w, m))) end_mpi(m);
    else drop(m);
    w->end_state = NULL;
}

weft_status weft_world_create_mpi(weft_context *cx, const weft_world_options *opt, weft_world **out) {
    weft_mpi *m = NULL;
    weft_status st = weft_world_asked(cx, opt, out);
    if (st == WEFT_OK) st = begin_mpi(cx, &m);
    if (st != WEFT_OK) return st;
    weft_start start = { .all = bootstrap_of(m->all), .messages = &weft_transport_mpi, .messages_state = m };
    st = weft_world_start(cx, opt, &start, out);
    if (st != WEFT_OK) {
        end_mpi(m);
        return st;
    }
    (*out)->end = end_world;
    (*out)->end_state = m;
    return WEFT_OK;
}
#endif
