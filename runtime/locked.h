/* locked.h: an allocator that several threads may use, on top of one that is for one thread at a time. Private to
 * runtime/. */
#ifndef WEFT_RUNTIME_LOCKED_H
#define WEFT_RUNTIME_LOCKED_H

#include <pthread.h>
#include <weft/weft.h>

typedef struct weft_locked {
    weft_allocator inner;
    pthread_mutex_t lock;      /* held around every call of inner */
    weft_allocator alloc;      /* hand this out; points here, so the struct must stay where it is */
} weft_locked;

void weft_locked_init(weft_locked *l, const weft_allocator *inner);
void weft_locked_end(weft_locked *l);

#endif
