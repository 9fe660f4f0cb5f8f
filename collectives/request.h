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

/* A run of that call, before it begins. Of mail and course only the fields that mark them as not open are written:
 * zeroing them takes as long as a cache line takes to move between cores, which matters for a small call. */
void weft_run_init(weft_run *r, weft_comm *c, const weft_call_args *call);

/* Whether a blocking call, too, needs a run that owns memory. */
int weft_call_owns(const weft_comm *c, const weft_call_args *call);
/* A run on the heap, checked; the caller enters it. */
weft_status weft_run_make(weft_comm *c, const weft_call_args *call, weft_run **out);
void weft_run_free(weft_run *r);

/* Reports an error for a call before it has a run: under its own name and place. Under the rank's lock.
 */
weft_status weft_call_refuse(weft_comm *c, const weft_call_args *call, const char *why);

/* call.c: computes the job's sizes and reports errors of this rank alone. */
weft_status weft_call_check(weft_run *r);

#endif
