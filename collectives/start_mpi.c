/* start_mpi: a world over the processes of MPI_COMM_WORLD, grouped by node. */
#include "config.h"
#include "collectives/world.h"

#ifndef HAVE_MPI
weft_status weft_world_create_mpi(weft_context *cx, const weft_world_options *opt, weft_world **out) {
    (void)opt;
    *out = NULL;
    return weft_report(cx, WEFT_D_unsupported, NULL, "this Weft was built without MPI");
}
#else
#include "collectives/mpi.h"

#include <stdlib.h>

static weft_status gather(const weft_bootstrap *b, const void *in, size_t bytes, void *out) {
    MPI_Comm comm;
    memcpy(&comm, &b->state, sizeof comm);
    int e = MPI_Allgather(in, (int)bytes, MPI_BYTE, out, (int)bytes, MPI_BYTE, comm);
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

static void end_mpi(weft_mpi *m) {
    MPI_Comm_free(&m->all);
    if (m->owner == WEFT_MPI_OURS) MPI_Finalize();
    pthread_mutex_destroy(&m->lock);
    weft_allocator a = m->alloc;
    a.resize(a.user, m, sizeof *m, 0);
}

typedef enum sharing { BY_NODE, BY_PROCESS } sharing;

static weft_status sharing_of(weft_context *cx, const weft_world_options *opt, sharing *out) {
    const char *name = opt->transport ? opt->transport : getenv("WEFT_TRANSPORT");
    weft_str s = weft_str_from(name ? name : "");
    *out = BY_NODE;
    if (s.n == 0 || weft_str_is(s, weft_transport_shm.name)) return WEFT_OK;
    *out = BY_PROCESS;
    if (weft_str_is(s, weft_transport_mpi.name)) return WEFT_OK;
    return weft_report(cx, WEFT_D_usage, NULL, "no transport '%s' between processes; there are shm and mpi", name);
}

/* The world with its memory, over nodes as `how` says; *shared says whether every process could share its memory. */
static weft_status open_over(weft_context *cx, weft_mpi *m, const weft_world_options *opt, sharing how, weft_world **out, int *shared) {
    weft_bootstrap all = bootstrap_of(m->all);
    MPI_Comm node = MPI_COMM_NULL;
    weft_process_card mine = weft_world_card(opt);
    size_t bytes = (size_t)all.size * sizeof mine;
    weft_process_card *cards = cx->alloc.resize(cx->alloc.user, NULL, 0, bytes);
    *out = NULL;
    if (!cards) return weft_oom(); /* the others wait for this process in MPI, until the launcher ends them */
    if (how == BY_NODE) MPI_Comm_split_type(m->all, MPI_COMM_TYPE_SHARED, all.rank, MPI_INFO_NULL, &node);
    else MPI_Comm_split(m->all, all.rank, 0, &node);
    mine.node = all.rank;
    MPI_Bcast(&mine.node, 1, MPI_INT32_T, 0, node);
    weft_status st = all.allgather(&all, &mine, sizeof mine, cards);
    if (st != WEFT_OK) st = weft_report(cx, WEFT_D_system, NULL, "the processes do not find each other");
    if (st == WEFT_OK) st = weft_world_lay_out(cx, opt, cards, all.rank, all.size, out); /* fails alike everywhere */
    if (st == WEFT_OK) {
        weft_bootstrap b = bootstrap_of(node);
        st = weft_world_open(*out, b.size > 1 ? &weft_transport_shm : &weft_transport_threads, &b);
        int mine_ok = st == WEFT_OK;
        MPI_Allreduce(&mine_ok, shared, 1, MPI_INT, MPI_MIN, m->all);
    }
    for (int p = 0; p < all.size; p++) m->max_local = m->max_local > cards[p].local ? m->max_local : cards[p].local;
    MPI_Comm_free(&node);
    cx->alloc.resize(cx->alloc.user, cards, bytes, 0);
    return st;
}

/* What messages need of MPI: tags for all pairs of ranks, calls from the ranks' threads. */
static weft_status check_messages(weft_context *cx, weft_mpi *m) {
    int *ub = NULL, found = 0, main_thread = 0;
    MPI_Comm_get_attr(m->all, MPI_TAG_UB, &ub, &found);
    int64_t tags = found && ub ? *ub : 32767; /* what the standard promises */
    m->channels = (int)((tags - 1) / ((int64_t)m->max_local * m->max_local));
    if (m->channels < 1)
        return weft_report(cx, WEFT_D_unsupported, NULL, "%d ranks in one process are too many for MPI's tags", m->max_local);
    MPI_Is_thread_main(&main_thread);
    if (m->level < MPI_THREAD_SERIALIZED && (m->max_local > 1 || !main_thread))
        return weft_report(cx, WEFT_D_unsupported, NULL, "MPI was started without MPI_THREAD_SERIALIZED, which several ranks per process need");
    return WEFT_OK;
}

weft_status weft_world_create_mpi(weft_context *cx, const weft_world_options *opt, weft_world **out) {
    weft_mpi *m = NULL;
    sharing how;
    int shared = 1;
    *out = NULL;
    weft_status st = sharing_of(cx, opt, &how);
    if (st == WEFT_OK) st = begin_mpi(cx, &m);
    if (st != WEFT_OK) return st;
    st = open_over(cx, m, opt, how, out, &shared);
    if (!shared && how == BY_NODE) {
        st = weft_report(cx, WEFT_D_fallback, NULL, "%s: messages carry everything",
                         *out && (*out)->trouble[0] ? (*out)->trouble : "the processes of a node cannot share memory");
        weft_world_free(*out);
        *out = NULL;
        if (st == WEFT_OK) st = open_over(cx, m, opt, BY_PROCESS, out, &shared);
    }
    if (st != WEFT_OK && *out) st = weft_world_not_opened(cx, *out, st);
    if (st == WEFT_OK && (*out)->nodes > 1) st = check_messages(cx, m);
    if (st == WEFT_OK) {
        (*out)->messages = &weft_transport_mpi;
        (*out)->messages_state = m;
        return WEFT_OK;
    }
    weft_world_free(*out);
    *out = NULL;
    end_mpi(m);
    return st;
}
#endif
