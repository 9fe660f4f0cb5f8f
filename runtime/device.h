/* device.h: a loaded program on one device: its groups, its scratch and its counters. Private to runtime/.
 *
 * Everything here is touched by the device's own thread only, while it runs a command (client_impl.h).
 */
#ifndef WEFT_RUNTIME_DEVICE_H
#define WEFT_RUNTIME_DEVICE_H

#include <weft/coll.h>
#include "base/context.h"
#include "exec/load.h"
#include "runtime/profile.h"
#include "runtime/ragged.h"
#include "exec/team.h"

/* How one collective step runs on one device. */
typedef struct weft_device_group {
    weft_comm *comm;       /* NULL: the device is alone, a copy will do */
    bool outside;          /* of all groups: zeros will do */
    int source, target;    /* of a permute */
} weft_device_group;

/* What all devices of a process share about a collective step. */
typedef struct weft_call {
    weft_call_site site;
    char *place;           /* in the program's arena */
} weft_call;

typedef struct weft_device {
    weft_arena arena;                /* tables */
    const weft_executable *exec;
    const weft_loaded_step *code;    /* per step of exec */
    const weft_call *calls;          /* per step of exec; only collectives' are set */
    weft_world *world;
    weft_context *cx;                /* the device's */
    int number;                      /* its rank in all */
    const int *order;                /* the devices' ranks in the world; NULL: their numbers */
    weft_comm *all;
    weft_comm **comms;               /* distinct groups, in the order made */
    uint32_t comm_count;
    weft_device_group *groups;       /* per step */
    /* Of an execution: addresses; a result that aliases an argument has the argument's. */
    void **args, **results;
    void *temp;
    void **buffers;                  /* scratch for one step's slices */
    weft_coll_buf *operands;         /* scratch for one step's operands */
    weft_ragged_scratch ragged;
    weft_coll_request **under_way;   /* by ticket: what a start began and no end has waited for; NULL: nothing */
    uint32_t *open, open_count;      /* tickets of those that were not done when last looked at */
    int64_t collectives, wire_bytes;
    const _Atomic uint32_t *stop;    /* not 0 when another device has failed: for code that runs for long */
    /* the step of the list that runs, not one of a loop or branch; exec->step_count: none has begun */
    uint32_t at;
    const weft_host *host;           /* of calls into the process, */
    void *front;                     /* and what the program's user keeps for them */
    weft_team *team;                 /* the client's device's threads; NULL: one */
    uint64_t execution;              /* the number of this one */
    weft_profile *profile;           /* NULL: nothing is measured */
    bool forgets;                    /* memory of a step before holds a pattern (base/fresh.h) */
    weft_failure failure;            /* of the step that failed */
    /* Why the last execution failed. */
    weft_status status;
    const weft_loc *place;
    const char *what;                /* constant text or the failure's, or NULL: the last diagnostic of cx */
} weft_device;

/* On the device's thread, in this order. Failures set status, place and what. */
weft_status weft_device_start(weft_device *d);          /* makes tables and joins its groups */
weft_status weft_device_step(weft_device *d);           /* runs the program once, on args, results and temp */
/* For peers that wait, after a failure: takes part in the collectives that are left of the execution, with whatever
 * lies in memory. Only of a program that weft_device_can_drain. False: it was a collective that failed. */
bool weft_device_drain(weft_device *d);
void weft_device_stop(weft_device *d);                  /* fine after a failed start */

/* Whether what collectives a device makes does not depend on data: none is in a loop or branch or goes by a table. */
bool weft_device_can_drain(const weft_executable *x);

#endif
