/* locked: a mutex around an allocator. */
#include "runtime/locked.h"

static void *resize(void *user, void *p, size_t old_bytes, size_t new_bytes) {
    weft_locked *l = user;
    pthread_mutex_lock(&l->lock);
    void *q = l->inner.resize(l->inner.user, p, old_bytes, new_bytes);
    pthread_mutex_unlock(&l->lock);
    return q;
}

void weft_locked_init(weft_locked *l, const weft_allocator *inner) {
    l->inner = *inner;
    pthread_mutex_init(&l->lock, NULL);
    l->alloc = (weft_allocator){ resize, l };
}

void weft_locked_end(weft_locked *l) { pthread_mutex_destroy(&l->lock); }
