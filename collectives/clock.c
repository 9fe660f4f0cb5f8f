/* clock.c: the clock for waits, and the pause between two polls. */
#include "collectives/comm.h"

#include <sched.h>
#include <time.h>

int64_t weft_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void weft_wait_pause(const weft_world *w) {
    if (w->cores == WEFT_CORES_SHARED) {
        sched_yield(); /* the rank that is waited for may need this core */
        return;
    }
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}
