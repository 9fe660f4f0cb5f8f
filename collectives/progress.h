/* progress.h: the thread that advances started calls while their ranks compute.
 *
 * A call advances only when it is polled: by its rank, in test and wait, or by a thread of the process that polls the
 * started calls of all its ranks in turn. That thread needs a core. It exists if each process has one to spare, or if
 * the user asks for it (weft_world_options.progress). It is bound to such a core, is made when the first call is
 * started, and sleeps while no started call is in progress.
 *
 * With the thread, a rank's calls, communicators and counts are guarded by the rank's lock, which every public call
 * holds: a rank that waits advances its calls itself, and the thread skips it. An error in the thread is kept, and
 * reported by the rank's next call (weft_run_tell), since only the rank may use its context.
 */
#ifndef WEFT_COLLECTIVES_PROGRESS_H
#define WEFT_COLLECTIVES_PROGRESS_H

#include "collectives/comm.h"

/* Decides whether there is to be a thread, which advances a rank's calls by `advance`. After the transports are open.
 */
void weft_progress_open(weft_world *w, const weft_world_options *opt, weft_advance advance);
/* Ends the thread. */
void weft_progress_close(weft_world *w);

/* Tells the thread that a rank's list of calls has grown, or shrunk, by one. */
void weft_progress_entered(weft_world *w);
void weft_progress_left(weft_world *w);

static inline void weft_rank_lock(const weft_comm *c) {
    if (c->world->progress.wanted) pthread_mutex_lock(&c->rank_state->lock);
}
static inline int weft_rank_try_lock(const weft_comm *c) {
    return !c->world->progress.wanted || pthread_mutex_trylock(&c->rank_state->lock) == 0;
}
static inline void weft_rank_unlock(const weft_comm *c) {
    if (c->world->progress.wanted) pthread_mutex_unlock(&c->rank_state->lock);
}

#endif
