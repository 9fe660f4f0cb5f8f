/* event: what a framework waits for.
 *
 * An event ends once. What waits for it by callback is called by the thread that ends it, or at once where it has
 * ended; never under its lock. Most events have ended when they are made: those without an error are one constant.
 */
#include <stdlib.h>
#include "pjrt/impl.h"

typedef struct waiting {
    struct waiting *next;
    void (*call)(void *user, const pjrt_error *error);
    void *user;
} waiting;

struct pjrt_event {
    _Atomic int refs;
    _Atomic bool done;               /* set once, after error */
    bool constant;
    pjrt_error *error;
    pthread_mutex_t lock;            /* guards waiting */
    pthread_cond_t ended;
    waiting *waiting;                /* the last first */
};

pjrt_event *pjrt_event_ready(void) {
    static const pjrt_event ready = { .done = true, .constant = true };
    return (pjrt_event *)&ready;
}

pjrt_event *pjrt_event_new(void) {
    pjrt_event *e = malloc(sizeof *e);
    if (!e) return NULL;
    *e = (pjrt_event){ .refs = 1 };
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->ended, NULL);
    return e;
}

pjrt_event *pjrt_event_failed(pjrt_error *error) {
    pjrt_event *e = pjrt_event_new();
    if (e) pjrt_event_end(e, error);
    else pjrt_error_free(error);
    return e;
}

pjrt_event *pjrt_event_retain(pjrt_event *e) {
    if (!e->constant) atomic_fetch_add(&e->refs, 1);
    return e;
}

void pjrt_event_release(pjrt_event *e) {
    if (!e || e->constant || atomic_fetch_sub(&e->refs, 1) != 1) return;
    for (waiting *w = e->waiting, *next; w; w = next) { /* of an event that was never set */
        next = w->next;
        free(w);
    }
    pjrt_error_free(e->error);
    pthread_cond_destroy(&e->ended);
    pthread_mutex_destroy(&e->lock);
    free(e);
}

void pjrt_event_end(pjrt_event *e, pjrt_error *error) {
    waiting *first = NULL;
    pjrt_event_retain(e); /* a callback may let it go */
    pthread_mutex_lock(&e->lock);
    const bool again = atomic_load(&e->done);
    if (!again) e->error = error;
    atomic_store(&e->done, true);
    for (waiting *w = e->waiting, *next; w; w = next) { /* in the order in which they came */
        next = w->next;
        w->next = first;
        first = w;
    }
    e->waiting = NULL;
    pthread_cond_broadcast(&e->ended);
    pthread_mutex_unlock(&e->lock);
    for (waiting *w = first, *next; w; w = next) {
        next = w->next;
        w->call(w->user, error);
        free(w);
    }
    if (again) pjrt_error_free(error);
    pjrt_event_release(e);
}

bool pjrt_event_is_done(pjrt_event *e) { return atomic_load(&e->done); }

const pjrt_error *pjrt_event_wait(pjrt_event *e) {
    if (!atomic_load(&e->done)) {
        pthread_mutex_lock(&e->lock);
        while (!atomic_load(&e->done)) pthread_cond_wait(&e->ended, &e->lock);
        pthread_mutex_unlock(&e->lock);
    }
    return e->error;
}

bool pjrt_event_then(pjrt_event *e, void (*call)(void *user, const pjrt_error *error), void *user) {
    if (!atomic_load(&e->done)) {
        waiting *w = malloc(sizeof *w);
        if (!w) return false;
        pthread_mutex_lock(&e->lock);
        const bool waits = !atomic_load(&e->done);
        if (waits) {
            *w = (waiting){ e->waiting, call, user };
            e->waiting = w;
        }
        pthread_mutex_unlock(&e->lock);
        if (waits) return true;
        free(w);
    }
    call(user, e->error);
    return true;
}

/* --- the API --- */

pjrt_error *pjrt_Event_Destroy(pjrt_Event_Destroy_args *a) {
    pjrt_event_release(a->event);
    return NULL;
}

pjrt_error *pjrt_Event_IsReady(pjrt_Event_IsReady_args *a) {
    a->is_ready = pjrt_event_is_done(a->event);
    return NULL;
}

pjrt_error *pjrt_Event_Error(pjrt_Event_Error_args *a) {
    if (!pjrt_event_is_done(a->event))
        return pjrt_error_new(PJRT_FAILED_PRECONDITION, "the event is not ready: it has no error yet");
    return pjrt_error_copy(a->event->error);
}

pjrt_error *pjrt_Event_Await(pjrt_Event_Await_args *a) { return pjrt_error_copy(pjrt_event_wait(a->event)); }

typedef struct callback { pjrt_on_ready *call; void *user; } callback;

static void call_back(void *user, const pjrt_error *error) {
    callback c = *(callback *)user;
    free(user);
    c.call(pjrt_error_copy(error), c.user);
}

pjrt_error *pjrt_Event_OnReady(pjrt_Event_OnReady_args *a) {
    if (!a->callback) return pjrt_error_new(PJRT_INVALID_ARGUMENT, "PJRT_Event_OnReady: callback is NULL");
    if (pjrt_event_is_done(a->event)) {
        a->callback(pjrt_error_copy(a->event->error), a->user_arg);
        return NULL;
    }
    callback *c = malloc(sizeof *c);
    if (!c) return pjrt_no_memory();
    *c = (callback){ a->callback, a->user_arg };
    if (pjrt_event_then(a->event, call_back, c)) return NULL;
    free(c);
    return pjrt_no_memory();
}

pjrt_error *pjrt_Event_Create(pjrt_Event_Create_args *a) {
    a->event = pjrt_event_new();
    return a->event ? NULL : pjrt_no_memory();
}

pjrt_error *pjrt_Event_Set(pjrt_Event_Set_args *a) {
    if (pjrt_event_is_done(a->event)) return pjrt_error_new(PJRT_FAILED_PRECONDITION, "the event was set before");
    pjrt_event_end(a->event, pjrt_error_given(a->error_code, a->error_message, a->error_message_size));
    return NULL;
}
