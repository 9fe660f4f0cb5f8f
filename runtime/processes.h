/* processes.h: where the devices of a program are: in this process, or spread over several. */
#ifndef WEFT_RUNTIME_PROCESSES_H
#define WEFT_RUNTIME_PROCESSES_H

#include <weft/coll.h>
#include "base/diag.h"

enum { WEFT_THREADS_MOST = 1024 }; /* of a device */

/* Where the devices are. processes > 1: started by MPI, or they meet at a rendezvous; devices are spread evenly over
 * the processes in order. */
typedef struct weft_processes {
    int process, processes;
    double timeout_s;              /* how long a device waits for its peers; 0: the default */
    bool bind;                     /* bind device threads to cores */
    int threads;                   /* of each device; 0: WEFT_THREADS, or else the cores that a device has to itself */
    const char *rendezvous;        /* the rendezvous (weft/coll.h); NULL: MPI brings them together; lent */
    int unmet;                     /* processes that were started at once, this one first, and do not know each other */
} weft_processes;

/* This process's place in the launch that started it (mpirun, srun), by its environment; alone: 0 of 1. Reads the
 * environment: for the tool and the C API, once. */
weft_processes weft_processes_of_launch(void);

/* Warns of processes that are each a job of their own, where they were surely meant to be one. */
weft_status weft_processes_check(weft_context *cx, const weft_processes *p);

/* This process's place in a world that there is already. Its threads are bound, or not, as the world's options said. */
weft_processes weft_processes_of_world(const weft_world *w);

/* The world of these processes, or of this one's threads. */
weft_status weft_processes_world(weft_context *cx, const weft_processes *p, const weft_world_options *opt,
                                 weft_world **out);

/* Devices per process, or 0 with a diagnostic when they cannot be spread evenly. */
int weft_processes_share(weft_context *cx, const weft_processes *p, int64_t device_count);

#endif
