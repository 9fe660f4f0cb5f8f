/* storage: blocks of memory with one device's data.
 *
 * The thread that drops the last reference frees a block: one of the framework, or a device's in the middle of a
 * command. A shard goes back to its crew under the crew's lock, or, where that is taken, onto a list that the holder of
 * the lock empties. A block that the framework waits for goes onto a list of the client's, since what it calls then
 * may wait for the interpreter, whose holder may wait for the crew.
 */
#include <stdlib.h>
#include "pjrt/impl.h"

static void count(pjrt_device *d, int64_t bytes) {
    const int64_t now = atomic_fetch_add(&d->bytes, bytes) + bytes;
    if (bytes < 0) return;
    atomic_fetch_add(&d->allocations, 1);
    for (int64_t most = atomic_load(&d->most); now > most && !atomic_compare_exchange_weak(&d->most, &most, now);) {}
    for (int64_t most = atomic_load(&d->largest);
         bytes > most && !atomic_compare_exchange_weak(&d->largest, &most, bytes);) {}
}

static pjrt_storage *make(pjrt_client *c, pjrt_device *counted, int64_t bytes) {
    pjrt_storage *s = malloc(sizeof *s);
    if (!s) return NULL;
    *s = (pjrt_storage){ .refs = 1, .client = c, .counted = counted, .bytes = bytes };
    if (counted) count(counted, bytes);
    return s;
}

pjrt_storage *pjrt_storage_allocate(pjrt_device *d, int64_t bytes) {
    void *at;
    if (posix_memalign(&at, WEFT_BUFFER_ALIGN, bytes ? (size_t)bytes : 1)) return NULL;
    pjrt_storage *s = make(d->client, d, bytes);
    if (s) s->at = at;
    else free(at);
    return s;
}

pjrt_storage *pjrt_storage_foreign(pjrt_device *d, void *at, int64_t bytes, void (*done)(void *user), void *user) {
    pjrt_storage *s = make(d->client, d, bytes);
    if (!s) return NULL;
    s->at = at;
    s->done = done;
    s->user = user;
    s->is_foreign = true;
    return s;
}

pjrt_storage *pjrt_storage_of_shard(pjrt_crew *crew, weft_buffer *whole, int index, pjrt_device *counted,
                                    int64_t bytes) {
    pjrt_storage *s = make(crew->client, counted, bytes);
    if (!s) {
        weft_buffer_release(whole);
        return NULL;
    }
    s->crew = crew;
    s->whole = whole;
    s->index = index;
    return s;
}

pjrt_storage *pjrt_storage_retain(pjrt_storage *s) {
    atomic_fetch_add(&s->refs, 1);
    return s;
}

static void push(_Atomic(pjrt_storage *) *list, pjrt_storage *s) {
    s->next = atomic_load(list);
    while (!atomic_compare_exchange_weak(list, &s->next, s)) {}
}

void pjrt_storage_back(void *storage) {
    pjrt_storage *s = storage;
    if (atomic_fetch_sub(&s->refs, 1) != 1) return;
    if (s->counted) count(s->counted, -s->bytes);
    if (s->whole) {
        pjrt_crew *crew = s->crew;
        push(&crew->returned, s);
        if (!pthread_mutex_trylock(&crew->lock)) pjrt_crew_unlock(crew);
    } else if (s->is_foreign) {
        push(&s->client->finished, s);
    } else {
        free(s->at);
        free(s);
    }
}

void pjrt_storage_release(pjrt_storage *s) {
    if (!s) return;
    pjrt_client *c = s->client;
    pjrt_storage_back(s);
    pjrt_client_tell(c);
}

void pjrt_storage_free_returned(pjrt_crew *crew) {
    if (!atomic_load(&crew->returned)) return;
    for (pjrt_storage *s = atomic_exchange(&crew->returned, NULL), *next; s; s = next) {
        next = s->next;
        weft_buffer_release(s->whole);
        free(s);
    }
}

void pjrt_client_tell(pjrt_client *c) {
    pjrt_storage *finished = atomic_load(&c->finished) ? atomic_exchange(&c->finished, NULL) : NULL;
    pjrt_loaded *gone = atomic_load(&c->gone) ? atomic_exchange(&c->gone, NULL) : NULL;
    for (pjrt_storage *s = finished, *next; s; s = next) {
        next = s->next;
        if (s->done) s->done(s->user);
        free(s);
    }
    for (pjrt_loaded *l = gone, *next; l; l = next) {
        next = l->next;
        pjrt_callbacks_tell(pjrt_client_python(c), l->executable->exec, PJRT_PYTHON_LET_GO);
        pjrt_loaded_free(l);
    }
}

void *pjrt_storage_at(const pjrt_storage *s) {
    return s->whole ? weft_buffer_shard_done(s->whole, s->index) : s->at;
}
