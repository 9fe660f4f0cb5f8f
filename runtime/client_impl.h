/* client_impl.h: the inside of a client: devices, and the queue of what they are to do. Private to runtime/.
 *
 * A command is a function that each device's thread of this process calls once. The caller puts it at the end of the
 * queue, and each device takes the commands in their order. What the caller wrote before the device sees, and the other
 * way round once the command is done: both go through the client's lock. Fields of a device are its thread's while
 * commands are under way, and the caller's when none is.
 */
#ifndef WEFT_RUNTIME_CLIENT_IMPL_H
#define WEFT_RUNTIME_CLIENT_IMPL_H

#include <pthread.h>
#include <stdatomic.h>
#include "base/context.h"
#include "runtime/buffer.h"
#include "runtime/client.h"
#include "runtime/locked.h"
#include "runtime/memory.h"
#include "exec/team.h"

typedef struct weft_command weft_command;

typedef struct weft_client_device {
    weft_client *client;
    pthread_t thread;
    weft_command *next;              /* the one to run; NULL: none. Guarded by the client's lock */
    bool is_caller;                  /* the thread that calls runs next (WEFT_COMMAND_HERE). Guarded likewise */
    weft_context *cx;                /* its own: contexts are for one thread */
    int number, index;               /* among all devices, as programs count them, and among this process's */
    weft_comm *all;                  /* of all devices, by number */
    weft_memory memory;
    weft_team *team;                 /* for programs whose steps can be split; NULL: none was loaded, or one thread */
    void *temp;                      /* for the temporaries of whichever program runs: one runs at a time */
    int64_t temp_bytes;
    weft_str told;                   /* what one of the ranks told all others, in cx */
    size_t said;                     /* diagnostics of cx before the command */
    /* Why the command failed; what NULL: the last diagnostic of cx since then. */
    const weft_loc *place;
    const char *what;
    int code;                        /* weft_failure.code */
    bool alone;                      /* the failure leaves no peer waiting: the client goes on */
} weft_client_device;

/* Returns WEFT_OK, or a failure whose words are in d->what or in d->cx. */
typedef weft_status weft_command_fn(weft_client *c, weft_client_device *d, void *arg);

typedef enum weft_command_flags {
    WEFT_COMMAND_ALWAYS = 1, /* also on a broken client */
    /* where nothing is under way: by the thread that calls, which then is each device's in turn. Of several devices
     * none waits for another */
    WEFT_COMMAND_HERE = 2
} weft_command_flags;

struct weft_event {
    weft_client *client;
    int refs;                        /* of an execution: the caller's, and its own until it is finished */
    bool done, reported, breaks;     /* done: guarded by the client's lock; breaks: with it the client is broken */
    weft_status status;              /* the first cause: a device's own failure before one that a peer caused */
    int rank;                        /* the device that failed, */
    const weft_loc *place;           /* where, */
    char *what;                      /* and why; NULL where memory was out */
    size_t what_bytes;
    int code;                        /* weft_failure.code */
};

struct weft_command {
    weft_command *next;
    weft_command_fn *run;
    void *arg;
    unsigned flags;
    _Atomic uint32_t stop;           /* not 0: code that runs for long is to end */
    int left;                        /* devices that have not done it. Guarded by the client's lock */
    weft_buffer *garbage;            /* buffers without owners: each device gives its shards back before it runs this */
    weft_event event;
    /* Called by the last device to do it, without the lock, before it is done; NULL: nothing is called. */
    void (*tell)(weft_command *m);
    /* Called by the caller's thread when the command is done and no longer looked at; NULL: it is on the stack. */
    void (*finish)(weft_command *m);
};

struct weft_client {
    weft_context *cx;
    weft_locked shared;              /* the context's allocator, for what the device threads use */
    weft_context *world_cx;          /* the world's: it allocates from device threads too */
    weft_arena arena;                /* what outlives no client: devices and layouts */
    weft_processes processes;
    weft_world *world;
    int *order;                      /* weft_client_setup.order */
    bool heap;                       /* weft_client_setup.heap */
    weft_host host;
    bool is_lent;                    /* the world: it stays when the client ends */
    void *front;                     /* weft_client_front */
    weft_client_device *devices;
    int threads;                     /* of each device; 0: not known yet */
    int count, running;              /* devices; those whose threads could be made: all, but while an open fails */
    const weft_layout **layouts;     /* of buffers: each once */
    size_t layout_count, layout_cap;
    uint64_t executions;
    weft_buffer *garbage;            /* for the next command */
    weft_command *oldest, *newest;   /* those not finished, in order; the caller's */
    int under_way;
    /* Guarded by lock. */
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    bool quit, broken;
    weft_event cause;                /* why it is broken; status WEFT_OK: said when it was */
};

/* The world rank of a device, and its place among this process's devices: -1, it is another process's. */
int weft_client_rank_of(const weft_client *c, int64_t device);
int weft_client_index_of(const weft_client *c, int64_t device);
/* Puts m at the end of the queue. With many under way it waits for the oldest. */
void weft_client_submit(weft_client *c, weft_command *m);
/* Waits until all commands are done. */
void weft_client_drain(weft_client *c);
/* All devices call run, and the call returns when they have: the first cause of a failure, reported. On a broken client
 * as weft_client_check. */
weft_status weft_client_do(weft_client *c, weft_command_fn *run, void *arg);
/* WEFT_ERR_PEER on a broken client; reported where no call reported the cause. */
weft_status weft_client_check(weft_client *c);
/* Finishes commands that are done. */
void weft_client_reap(weft_client *c);
/* The class of a diagnostic for a status that comes from elsewhere. */
weft_diag_class weft_client_class(weft_status st);
/* Room for temporaries on a device. */
weft_status weft_client_temp(weft_client_device *d, int64_t bytes);

/* A device's part of a buffer. */
typedef struct weft_shard {
    void *at;                        /* NULL: not there yet, or no more */
    bool failed;                     /* the execution that was to write it failed */
    void (*back)(void *owner);       /* lent memory: called instead of giving it to the device's; NULL: the device's */
    void *owner;
} weft_shard;

struct weft_buffer {
    weft_client *client;
    const weft_layout *layout;       /* the client's */
    int64_t bytes;                   /* of a shard */
    int refs;
    weft_buffer_state state;
    uint64_t donated_by;             /* the execution that it was donated to, while its arguments are checked */
    weft_buffer *next;               /* of those without owners */
    weft_shard shards[];             /* per device of this process; the device's */
};

/* Without memory on the devices, which a command is to allocate. NULL when memory is out, not reported. */
weft_buffer *weft_buffer_new(weft_client *c, const weft_layout *kept);
/* By the device's thread. */
weft_status weft_shard_allocate(weft_client_device *d, weft_buffer *b);
weft_status weft_shard_no_memory(weft_client_device *d, const weft_buffer *b); /* reports to the device's context */
void weft_shard_release(weft_client_device *d, weft_buffer *b);
void weft_buffer_free(weft_buffer *b); /* once all its shards were released */
/* Reported: b's data is not there. */
weft_status weft_buffer_check(weft_client *c, const weft_buffer *b, const char *what);

#endif
