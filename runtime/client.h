/* client.h: what a process has once, whatever programs it runs: a world, a thread for each of its devices, and their
 * memories.
 *
 * Buffers (buffer.h) hold data on a client's devices, programs are loaded onto them (loaded_program.h), and each
 * execution makes new buffers of buffers. What the devices are to do stands in one queue: each device does its part of
 * the commands in their order, without waiting for the other devices. So an execution may be given before the one whose
 * results it reads is done, and an event says when it is. docs/runtime.md has the whole picture.
 *
 * A client and all that belongs to it are used by one thread at a time. Across processes all clients of a world are
 * given the same calls in the same order. A call that fails on arguments that are alike in all processes changes
 * nothing anywhere. When a device fails in a way that its peers would wait for, the world is aborted, and the client is
 * broken: calls return WEFT_ERR_PEER, reported where no call reported why, and only releases and the close remain.
 */
#ifndef WEFT_RUNTIME_CLIENT_H
#define WEFT_RUNTIME_CLIENT_H

#include "exec/step.h"
#include "runtime/processes.h"

typedef struct weft_client weft_client;

typedef struct weft_client_setup {
    weft_processes processes;      /* of a given world: weft_processes_of_world */
    weft_world *world;             /* lent until close; NULL: the client makes one of its own for these processes */
    int64_t devices;               /* of all processes; not looked at for a given world; 0: one in this process */
    /* [ranks of a given world]: the rank that each device is; a process's devices rise with its ranks. Lent for the
     * call. NULL: device i is rank i. */
    const int *order;
    /* The devices' blocks are of the process's heap and not of the world's segment, whose blocks are whole pages: for
     * many small arrays. All devices are of this process. */
    bool heap;
    weft_host host;                /* of programs' calls into this process (exec/step.h); copied */
} weft_client_setup;

/* Collective over the processes. */
weft_status weft_client_start(weft_context *cx, const weft_client_setup *opt, weft_client **out);
/* After its buffers and programs; NULL is fine. Collective over the processes. */
void weft_client_end(weft_client *c);

weft_context *weft_client_context(const weft_client *c);
weft_world *weft_client_world(const weft_client *c);
int64_t weft_client_device_count(const weft_client *c);      /* of all processes */
/* Whether it is the parent's, in a child of fork: there it cannot be used, and its end does nothing. */
bool weft_client_is_inherited(const weft_client *c);
/* Whether a failure has ended all but releases and the close. */
bool weft_client_is_broken(const weft_client *c);
/* Ends the client for all processes, with this reason; returns WEFT_ERR_PEER, reported. */
weft_status weft_client_fail(weft_client *c, const char *why);

/* What the client's user keeps with it: NULL until it is set, and the user's to free. */
void weft_client_set_front(weft_client *c, void *front);
void *weft_client_front(const weft_client *c);

/* After a part that each process does alone: the status of the first process where it failed, on all of them. st: this
 * process's, reported; why: what the others then report (NULL: the words of the last diagnostic). */
weft_status weft_client_agree(weft_client *c, weft_status st, const char *why);

/* Waits for all processes, so that each hears of one that failed after its last message. */
weft_status weft_client_meet(weft_client *c);
/* n numbers of each process to process 0: of rank r to[r * n ...], which the others do not need. */
weft_status weft_client_tell(weft_client *c, const uint64_t *mine, size_t n, uint64_t *to);

/* Of the device of this process that has or had the most: bytes in use now, and the most at one time. What is kept for
 * the next allocation is not in use; with it a device never holds more than the most. */
typedef struct weft_client_memory { int64_t bytes, most; } weft_client_memory;
weft_client_memory weft_client_memory_used(weft_client *c);
/* weft_comm_uses of this process's first device. */
int weft_client_uses(const weft_client *c, weft_coll_use *out, int room);

/* --- events --- */

/* When an execution is done, and how it went. */
typedef struct weft_event weft_event;

/* Returns when the execution is done: WEFT_OK or why it failed, which the first wait reports. Until then the thread
 * that waits watches the other processes, so that a device that computes for long can be stopped. */
weft_status weft_event_wait(weft_event *e);
bool weft_event_is_done(weft_event *e);
void weft_event_release(weft_event *e); /* NULL is fine, and so is one that is not done: nothing is cancelled */

#endif
