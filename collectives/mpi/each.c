/* each.c: persistent calls. MPI has no persistent request that a library could complete. So the program gets one of
 * MPI's own, to receive a message of no bytes from this process itself, which is sent when Weft's call is done. It is
 * in any array with others, started, waited for and freed, as any of MPI's. MPI_Start and MPI_Request_free, which have
 * to know it, are taken here.
 */
#include "collectives/mpi/tap.h"

#include <stdlib.h>

#define TAGS 32768 /* the least that MPI has; two of one tag are told apart by order, and both are done then */

typedef struct tap_again {
    tap_call call;
    MPI_Request request;
    int tag;
    struct tap_again *next;
} tap_again;

#define LISTS 64
static tap_again *lists[LISTS]; /* Under the lock */
static _Atomic int count;
static int last_tag;

static tap_again **list_of(MPI_Request r) {
    return &lists[(uint64_t)(uintptr_t)r * 0x9e3779b97f4a7c15u >> 58];
}

static tap_again *find(MPI_Request r) {
    tap_again *a = *list_of(r);
    while (a && a->request != r) a = a->next;
    return a;
}

bool tap_each_apart(tap_call *k) {
    k->c = tap_comm_again(k->c);
    return k->c != NULL;
}

/* The request that had it is gone, or was never made. Under the lock. */
static void leave(tap_comm *c) {
    c->is_gone = true;
    tap_comm_left(c);
}

/* Its call cannot be kept. */
static int refuse(tap_again *a, tap_comm *c) {
    free(a);
    pthread_mutex_lock(&tap.lock);
    tap_comm *program = c->of;
    program->held++; /* for the error handler's sake */
    leave(c);
    pthread_mutex_unlock(&tap.lock);
    int rc = tap_broken(program, MPI_ERR_NO_MEM);
    pthread_mutex_lock(&tap.lock);
    program->held--;
    tap_comm_left(program);
    pthread_mutex_unlock(&tap.lock);
    return rc;
}

bool tap_each_any(void) { return count > 0; }

int tap_each(const tap_call *k, MPI_Request *request) {
    tap_again *a = calloc(1, sizeof *a);
    if (!a || !tap_keep(&a->call, k)) return refuse(a, k->c);
    pthread_mutex_lock(&tap.lock);
    a->tag = last_tag = (last_tag + 1) % TAGS;
    pthread_mutex_unlock(&tap.lock);
    if (PMPI_Recv_init(NULL, 0, MPI_BYTE, 0, a->tag, tap.self, &a->request) != MPI_SUCCESS) {
        tap_drop(&a->call);
        return refuse(a, k->c);
    }
    a->call.again = a;
    pthread_mutex_lock(&tap.lock);
    a->next = *list_of(a->request);
    *list_of(a->request) = a;
    count++;
    pthread_mutex_unlock(&tap.lock);
    if (tap.reports) tap_note_weft();
    *request = a->request;
    return MPI_SUCCESS;
}

bool tap_each_start(MPI_Request *request, int *rc) {
    if (!count) return false;
    pthread_mutex_lock(&tap.lock);
    tap_again *a = find(*request);
    if (a) {
        *rc = tap_begin(&a->call);
        /* the lock keeps its end from coming before this */
        if (*rc == MPI_SUCCESS) *rc = PMPI_Start(request);
        if (*rc == MPI_SUCCESS) tap_later_add(&a->call);
    }
    pthread_mutex_unlock(&tap.lock);
    if (a && *rc != MPI_SUCCESS) tap_broken(a->call.c, *rc);
    return a != NULL;
}

void tap_each_done(tap_call *k) {
    PMPI_Send(NULL, 0, MPI_BYTE, 0, k->again->tag, tap.self);
}

bool tap_each_free(MPI_Request *request, int *rc) {
    if (!count) return false;
    pthread_mutex_lock(&tap.lock);
    tap_again *a = find(*request), **at = list_of(*request);
    while (a && *at != a) at = &(*at)->next;
    if (a) {
        *at = a->next;
        count--;
        leave(a->call.c);
    }
    pthread_mutex_unlock(&tap.lock);
    if (!a) return false;
    *rc = PMPI_Request_free(request);
    tap_drop(&a->call);
    free(a);
    return true;
}
