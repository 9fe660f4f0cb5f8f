/* request.h: how a public call becomes a run. */
#ifndef WEFT_COLLECTIVES_REQUEST_H
#define WEFT_COLLECTIVES_REQUEST_H

#include "collectives/run.h"

/* A call as its caller describes it, lent for as long as the call's function runs. */
typedef struct weft_call_args {
    weft_coll_kind kind;
    weft_op_reduce reduce;
    const weft_coll_buf *bufs;
    const weft_coll_uneven *uneven;  /* instead of bufs */
    int n, split_first, source, target; /* as in weft_job */
    const weft_call_site *site;
} weft_call_args;

/* A run of that call, before it begins. Of mail and course only what says that they are not open is written: to zero
 * them takes a small call as long as a cache line takes from another core. */
void weft_run_init(weft_run *r, weft_comm *c, const weft_call_args *call);

/* Whether a blocking call needs a run that owns memory, too. */
int weft_call_owns(const weft_comm *c, const weft_call_args *call);
/* A run on the heap, checked; its caller enters it. */
weft_status weft_run_make(weft_comm *c, const weft_call_args *call, weft_run **out);
void weft_run_free(weft_run *r);

/* Reports a call that no run can be made of: its own name and place, whatever else is under way. Under the rank's lock.
 */
weft_status weft_call_refuse(weft_comm *c, const weft_call_args *call, const char *why);

/* call.c: measures the job and reports what only this rank did wrong. */
weft_status weft_call_check(weft_run *r);

#endif
