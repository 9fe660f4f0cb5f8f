/* later.c: nonblocking calls: a generalized request of MPI's (MPI 3.1, section 12.2) tells when Weft's is done.
 *
 * The program's MPI_Wait, MPI_Testsome and so on are MPI's own, so such a request may be in any array beside others.
 * MPI promises that a call that was begun goes on while its process waits in any other call of MPI; so there are such
 * requests only where MPI looks after them whenever it looks after its own messages (hook.c).
 */
#include "collectives/mpi/tap.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static tap_call *first; /* of those that are not done. Under the lock */

/* --- copies ------------------------------------------------------------------------------------------------------- */

static bool own_lists(tap_call *k) {
    const int64_t *from = k->lists;
    size_t n = 4 * (size_t)k->c->size;
    if (!from) return true;
    k->lists = malloc(n * sizeof *k->lists);
    k->owns_lists = k->lists != NULL;
    if (!k->lists) return false;
    for (size_t i = 0; i < n; i++) k->lists[i] = from[i];
    int64_t **const into[] = { &k->counts, &k->in.sizes, &k->in.places, &k->out.sizes, &k->out.places };
    for (size_t i = 0; i < sizeof into / sizeof *into; i++)
        if (*into[i]) *into[i] = k->lists + (*into[i] - from);
    return true;
}

/* The program may free a datatype while a call that it was given to is under way. No MPI_Type_dup: it would call the
 * callbacks of the program's attributes. */
static void own_type(tap_side *s) {
    MPI_Datatype mine;
    if (!s->is_there || s->shape.is_dense) return;
    if (PMPI_Type_contiguous(1, s->t, &mine) != MPI_SUCCESS || PMPI_Type_commit(&mine) != MPI_SUCCESS)
        mine = MPI_DATATYPE_NULL;
    s->t = mine;
}

static void drop_type(tap_side *s) {
    if (s->is_there && !s->shape.is_dense && s->t != MPI_DATATYPE_NULL) PMPI_Type_free(&s->t);
}

bool tap_keep(tap_call *to, const tap_call *from) {
    *to = *from;
    own_type(&to->in);
    own_type(&to->out);
    if (own_lists(to)) return true;
    tap_drop(to);
    return false;
}

void tap_drop(tap_call *k) {
    drop_type(&k->in);
    drop_type(&k->out);
    if (k->owns_lists) free(k->lists);
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

void tap_later_add(tap_call *k) {
    tap_comm *c = k->c;
    k->up = NULL, k->down = first, k->after = NULL;
    if (first) first->up = k;
    first = k;
    *(c->first ? &c->last->after : &c->first) = k;
    c->last = k;
    /* Relaxed, as the load in tap_later_look(): who misses it comes again. */
    atomic_fetch_add_explicit(&tap.later, 1, memory_order_relaxed);
}

static void remove_done(tap_call *k) {
    tap_comm *c = k->c;
    *(k->up ? &k->up->down : &first) = k->down;
    if (k->down) k->down->up = k->up;
    c->first = k->after;
    if (!c->first) c->last = NULL;
    atomic_fetch_sub_explicit(&tap.later, 1, memory_order_relaxed);
    tap_comm_left(c);
}

/* The program may free k as soon as MPI knows that it is done. */
static void tell(tap_call *k) {
    if (k->again) tap_each_done(k);
    else PMPI_Grequest_complete(k->request);
}

int tap_later_look(void) {
    int done = 0;
    /* Relaxed: whoever began a call looks after it. */
    if (!atomic_load_explicit(&tap.later, memory_order_relaxed) || tap.is_inside) return 0;
    if (pthread_mutex_trylock(&tap.lock) != 0) return 0; /* by this thread, too */
    MPI_Comm failed = MPI_COMM_NULL;
    int rc = MPI_SUCCESS;
    for (tap_call *k = first, *down; k; k = down) {
        down = k->down;
        if (k->c->first != k) continue; /* Weft carries them out in order */
        while (k && tap_is_done(k)) {
            tap_call *after = k->after; /* begun later, so it stands before k in the list */
            if (k->again && k->rc != MPI_SUCCESS) failed = tap_told(k->c), rc = k->rc;
            remove_done(k); /* may free k->c, after its last call */
            tell(k);
            done++;
            k = after;
        }
    }
    pthread_mutex_unlock(&tap.lock);
    /* The program's error handler may call MPI, and so this library. */
    if (rc != MPI_SUCCESS) PMPI_Comm_call_errhandler(failed, rc);
    return done;
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

static int query(void *state, MPI_Status *status) {
    const tap_call *k = state;
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return k->rc;
}

static int let_go(void *state) {
    tap_drop(state);
    free(state);
    return MPI_SUCCESS;
}

/* MPI has no collective call cancelled. */
static int cancel(void *state, int complete) {
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

int tap_start_later(const tap_call *call, MPI_Request *request) {
    tap_call *k = malloc(sizeof *k);
    if (!k || !tap_keep(k, call)) {
        free(k);
        return tap_broken(call->c, MPI_ERR_NO_MEM);
    }
    if (PMPI_Grequest_start(query, let_go, cancel, k, &k->request) != MPI_SUCCESS) {
        let_go(k);
        return tap_broken(call->c, MPI_ERR_NO_MEM);
    }
    pthread_mutex_lock(&tap.lock);
    int rc = tap_begin(k);
    if (rc == MPI_SUCCESS) tap_later_add(k);
    pthread_mutex_unlock(&tap.lock);
    *request = k->request;
    if (rc == MPI_SUCCESS) {
        if (tap.reports) tap_note_weft();
        return rc;
    }
    const tap_comm *c = k->c;
    PMPI_Grequest_complete(*request);
    PMPI_Request_free(request);
    return tap_broken(c, rc);
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

#define PATIENCE_S 1.0 /* for calls that all ranks have begun before they came to MPI_Finalize */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void tap_later_end(void) {
    MPI_Request all;
    int here = 0;
    /* Once all ranks are here, none begins a call that another one waits for. */
    if (PMPI_Ibarrier(MPI_COMM_WORLD, &all) != MPI_SUCCESS) return;
    while (PMPI_Test(&all, &here, MPI_STATUS_IGNORE) == MPI_SUCCESS && !here) tap_later_look();
    for (double since = now(); tap.later && now() - since < PATIENCE_S;) {
        if (tap_later_look()) since = now();
        tap_idle(NULL);
    }
    if (!tap.later) return;
    tap_say("rank %d: MPI_Finalize with %d collective calls under way that other ranks have not begun", tap.rank,
            (int)tap.later);
    weft_world_abort(tap.world, "MPI_Finalize with calls under way");
    while (tap.later) {
        tap_later_look();
        usleep(100);
    }
}
