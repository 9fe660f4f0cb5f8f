/* comms.c: which communicator of MPI is which group of Weft's ranks. */
#include "collectives/mpi/tap.h"

#include <stdatomic.h>
#include <stdlib.h>

static const struct { tap_when when; tap_kind kind; int64_t from, to; } takes[] = {
#define TAKE(when, kind, from, to) { TAP_##when, TAP_##kind, from, to },
#include "collectives/mpi/takes.def"
};

/* The communicators used last, for programs of one thread: MPI's attributes take longer. An entry goes with its
 * communicator. */
#define RECENT_BITS 4
static tap_comm *recent[1 << RECENT_BITS];
static tap_comm **recent_of(MPI_Comm comm) {
    return &recent[(uint64_t)(uintptr_t)comm * 0x9e3779b97f4a7c15u >> (64 - RECENT_BITS)];
}

/* Keys of the communicators in which this process is rank 0. */
static uint64_t drawn[TAP_KEYS / 64];

/* 0: none is left. Key 0 is not given. Under the lock. */
static uint32_t draw_key(void) {
    for (uint32_t i = 0; i < TAP_KEYS / 64; i++) {
        uint64_t open = ~drawn[i] & (i ? UINT64_MAX : UINT64_MAX - 1);
        if (!open) continue;
        drawn[i] |= open & -open;
        return i * 64 + (uint32_t)__builtin_ctzll(open);
    }
    return 0;
}

/* Under the lock. */
static void free_comm(tap_comm *c) {
    weft_comm_free(c->weft);
    if (c->drew) drawn[c->key / 64] &= ~((uint64_t)1 << c->key % 64);
    *c->link = c->next;
    if (c->next) c->next->link = c->link;
    free(c->lists);
    free(c);
}

void tap_comm_left(tap_comm *c) {
    if (!c->is_gone || c->first || c->held) return;
    tap_comm *program = c->of;
    free_comm(c);
    if (!program) return;
    program->held--;
    tap_comm_left(program);
}

/* Calls that are under way keep it, and persistent ones. */
static void let_go(tap_comm *c) {
    pthread_mutex_lock(&tap.lock);
    if (*recent_of(c->mpi) == c) *recent_of(c->mpi) = NULL;
    c->is_gone = true;
    tap_comm_left(c);
    pthread_mutex_unlock(&tap.lock);
}

/* MPI frees the communicator. */
static int on_free(MPI_Comm comm, int keyval, void *value, void *state) {
    (void)comm, (void)keyval, (void)state;
    let_go(value);
    return MPI_SUCCESS;
}

/* Communicators that are being freed: callbacks of their attributes may still call MPI on them, and free others. Weft's
 * attribute may have gone before, on some ranks or on all. Under the lock. */
typedef struct leaving {
    MPI_Comm comm;
    struct leaving *next;
} leaving;
static leaving *_Atomic leavings;

static bool is_leaving(MPI_Comm comm) {
    /* Relaxed: what a callback asks for was entered by its own thread. */
    if (!atomic_load_explicit(&leavings, memory_order_relaxed)) return false;
    pthread_mutex_lock(&tap.lock);
    const leaving *l = leavings;
    while (l && l->comm != comm) l = l->next;
    pthread_mutex_unlock(&tap.lock);
    return l != NULL;
}

int tap_comm_free(int frees(MPI_Comm *), MPI_Comm *comm) {
    leaving mine = { comm ? *comm : MPI_COMM_NULL, NULL };
    if (!tap.world) return frees(comm);
    pthread_mutex_lock(&tap.lock);
    *recent_of(mine.comm) = NULL;
    mine.next = leavings;
    leavings = &mine;
    pthread_mutex_unlock(&tap.lock);
    int rc = frees(comm);
    pthread_mutex_lock(&tap.lock);
    if (leavings == &mine) leavings = mine.next;
    else {
        leaving *l = leavings;
        while (l->next != &mine) l = l->next;
        l->next = mine.next;
    }
    pthread_mutex_unlock(&tap.lock);
    return rc;
}

int tap_comms_init(void) { return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_free, &tap.keyval, NULL); }

void tap_comms_end(void) {
    pthread_mutex_lock(&tap.lock);
    for (tap_comm *c = tap.comms; c; c = c->next) {
        weft_comm_free(c->weft);
        c->weft = NULL;
    }
    pthread_mutex_unlock(&tap.lock);
}

/* The members' ranks in MPI_COMM_WORLD, to be freed; NULL where one is of another world, or memory is out. */
static int *members_of(MPI_Comm comm, int size) {
    MPI_Group mine, all;
    int *from = malloc(2 * (size_t)size * sizeof *from), *to = from ? from + size : NULL;
    for (int i = 0; from && i < size; i++) from[i] = i;
    if (!from) return NULL;
    PMPI_Comm_group(comm, &mine);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Group_translate_ranks(mine, size, from, all, to);
    PMPI_Group_free(&mine);
    PMPI_Group_free(&all);
    bool here = true;
    for (int i = 0; i < size; i++) {
        here &= to[i] != MPI_UNDEFINED;
        from[i] = to[i];
    }
    if (here) return from;
    free(from);
    return NULL;
}

static bool spans_nodes(const int *members, int size) {
    for (int i = 1; i < size; i++)
        if (weft_world_node_of(tap.world, members[i]) != weft_world_node_of(tap.world, members[0])) return true;
    return false;
}

/* Collective over the communicator: rank 0 draws the key, and all have their group or none. */
static void join(tap_comm *c) {
    int *members = members_of(c->mpi, c->size);
    int fine = members != NULL;
    if (c->rank == 0) {
        pthread_mutex_lock(&tap.lock);
        c->key = draw_key();
        pthread_mutex_unlock(&tap.lock);
        c->drew = c->key != 0;
    }
    c->lists = malloc(4 * (size_t)c->size * sizeof *c->lists);
    if (PMPI_Bcast(&c->key, 1, MPI_UINT32_T, 0, c->mpi) != MPI_SUCCESS) fine = 0;
    if (fine && c->key && c->lists) {
        c->is_far = spans_nodes(members, c->size);
        pthread_mutex_lock(&tap.lock);
        fine = weft_comm_group_apart(tap.cx, tap.all, members, c->size, c->key, &c->weft) == WEFT_OK;
        pthread_mutex_unlock(&tap.lock);
    } else fine = 0;
    free(members);
    int all = 0;
    if (PMPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, c->mpi) == MPI_SUCCESS && all) return;
    pthread_mutex_lock(&tap.lock);
    weft_comm_free(c->weft);
    c->weft = NULL;
    pthread_mutex_unlock(&tap.lock);
}

static tap_comm *add(MPI_Comm comm) {
    tap_comm *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->mpi = comm;
    pthread_mutex_lock(&tap.lock);
    c->next = tap.comms;
    c->link = &tap.comms;
    if (c->next) c->next->link = &c->next;
    tap.comms = c;
    pthread_mutex_unlock(&tap.lock);
    return c;
}

/* What all its members know of a communicator, and with it whether they join. A member that has no memory for that
 * cannot be waited for by the others: MPI has its call, and says so. */
static tap_comm *make(MPI_Comm comm) {
    int between = 0;
    tap_comm *c = add(comm);
    if (!c) return NULL;
    if (PMPI_Comm_test_inter(comm, &between) == MPI_SUCCESS && !between) {
        PMPI_Comm_rank(comm, &c->rank);
        PMPI_Comm_size(comm, &c->size);
        if (c->size > 1) join(c);
    }
    if (PMPI_Comm_set_attr(comm, tap.keyval, c) == MPI_SUCCESS) return c;
    let_go(c);
    return NULL;
}

tap_comm *tap_comm_again(tap_comm *c) {
    tap_comm *again = add(c->mpi);
    if (!again) return NULL;
    again->rank = c->rank, again->size = c->size;
    join(again);
    pthread_mutex_lock(&tap.lock);
    bool fine = again->weft != NULL;
    again->is_gone = !fine;
    if (fine) again->of = c, c->held++;
    tap_comm_left(again);
    pthread_mutex_unlock(&tap.lock);
    return fine ? again : NULL;
}

static tap_comm *look_up(MPI_Comm comm, tap_when when) {
    tap_comm *c = NULL;
    int there = 0;
    if (comm == MPI_COMM_NULL || is_leaving(comm)) return NULL;
    if (PMPI_Comm_get_attr(comm, tap.keyval, &c, &there) != MPI_SUCCESS) return NULL;
    return there ? c : when == TAP_NOW ? make(comm) : NULL;
}

tap_comm *tap_comm_of(MPI_Comm comm, tap_when when) {
    tap_comm **last = recent_of(comm), *c = tap.threads ? NULL : *last;
    if (when != TAP_NOW && !tap.is_hooked) return NULL;
    if (!c || c->mpi != comm) {
        c = look_up(comm, when);
        if (c && !tap.threads) *last = c;
    }
    return c && c->weft ? c : NULL;
}

void tap_comm_made(MPI_Comm comm) {
    if (tap.world && tap.is_hooked) look_up(comm, TAP_NOW);
}

/* With a report every 32nd call of a communicator goes to MPI, so that what Weft saves is measured. */
#define SAMPLED 32

bool tap_takes(tap_comm *c, tap_kind kind, tap_when when, int64_t bytes) {
    if (tap.reports) tap_note_bytes(bytes);
    if (tap.reports && ++c->calls % SAMPLED == 0) return false;
    if (tap.takes_all || c->is_far) return tap.takes_all || kind != TAP_ALLTOALLV;
    tap_when form = when == TAP_NOW ? TAP_NOW : TAP_LATER;
    for (size_t i = 0; i < sizeof takes / sizeof *takes; i++)
        if (takes[i].when == form && takes[i].kind == kind && bytes >= takes[i].from && bytes <= takes[i].to)
            return true;
    return false;
}
