/* team.h: the threads of one device: its own, and helpers that take part in steps whose work can be split.
 *
 * A step is divided into a few more pieces than there are threads, and each thread takes the next one. So the device
 * never waits for a helper that sleeps, or whose core has other work: the device's thread does all pieces that are not
 * taken. Which thread does a piece changes nothing of the results. Between steps helpers look out for the next one for
 * some ten microseconds, then sleep.
 */
#ifndef WEFT_EXEC_TEAM_H
#define WEFT_EXEC_TEAM_H

#include "base/diag.h"
#include "exec/step.h"

typedef struct weft_team weft_team;

/* On the device's thread, whose cores the helpers run on: threads - 1 of them, 1 or more. alloc: for one thread at a
 * time, until the free. Helpers have all signals blocked: these are for the caller's threads. */
weft_status weft_team_new(weft_context *cx, const weft_allocator *alloc, int threads, weft_team **out);
void weft_team_free(weft_team *t); /* NULL is fine */

/* Does all grains of s on the team's threads, on the thread that made the team. env: of a call that does them all; the
 * pieces' words for a failure are lost, since they may fail at the same time. Returns the status of one that failed. */
weft_status weft_team_run(weft_team *t, const weft_run_env *env, const weft_loaded_step *s, void *const *buffers);

double weft_team_now_s(void); /* of the monotonic clock */

/* When a helper did pieces of a step: from the first to the end of the last, by weft_team_now_s. number: what
 * the device said of the step. */
typedef struct weft_team_stretch { uint32_t number; double begin_s, end_s; } weft_team_stretch;
typedef struct weft_team_log {
    weft_team_stretch *v; uint32_t n, room;
    uint64_t of;               /* the run of the last one */
    bool is_cut;               /* there was no room */
} weft_team_log;

/* From now on helper i writes what it does into logs[i], for the number that is said here; NULL: no more. On the
 * device's thread, between runs. The logs may be read there, too. */
void weft_team_watch(weft_team *t, weft_team_log *logs, uint32_t number);

#endif
