/* progress.h: calls that were started move on while their ranks compute.
 *
 * A call moves when somebody looks at it: its rank, in test and wait, or a thread of the process that looks at the
 * started calls of all its ranks in turn. That thread is worth a core: it is there where each process has one to spare,
 * or where the user asks for it (weft_world_options.progress), is bound to such a core, is made when the first call is
 * started, and sleeps while none is under way.
 *
 * With it a rank's calls, communicators and counts are guarded by the rank's lock, which every public call holds: a
 * rank that waits moves its calls itself, and the thread passes by. What fails in the thread's hands is kept, and told
 * by the call that the rank makes next (weft_run_tell), since nobody but the rank may use its context.
 */
#ifndef WEFT_COLLECTIVES_PROGRESS_H
#define WEFT_COLLECTIVES_PROGRESS_H

#include "collectives/comm.h"

/* Decides whether there is to be one, which moves a rank's calls by `advance`: once the world's transports are there.
 */
void weft_progress_open(weft_world *w, const weft_world_options *opt, weft_advance advance);
/* Ends the thread. */
void weft_progress_close(weft_world *w);

/* A rank's list of calls has one more, or one less. */
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
