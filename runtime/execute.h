/* execute.h: one compiled program on its devices, with its arguments and results: a client, a loaded program and a
 * buffer for each value, for callers that need no more.
 *
 * Across processes all of them open the same program and make the same calls in the same order; each call returns
 * when this process's devices are done. A session is used by one thread at a time.
 *
 *   weft_session_open -> put / fill every argument -> step -> get results -> feed results back -> step ... -> close
 *
 * A result that aliases an argument (weft_exec_value.alias) lives in its memory: after a step the old argument is gone
 * and the new value is the argument of the next step. When a device fails, the call returns the first cause, reported
 * once, and the session can only be closed.
 */
#ifndef WEFT_RUNTIME_EXECUTE_H
#define WEFT_RUNTIME_EXECUTE_H

#include "runtime/loaded_program.h"
#include "runtime/trace.h"

typedef struct weft_session weft_session;

typedef struct weft_session_options {
    weft_processes processes;      /* of a given world: weft_processes_of_world */
    weft_world *world;             /* lent until close; NULL: the session makes one of its own for these processes */
    const weft_executable *exec;   /* lent until close; NULL: this process could not prepare it (prepared says why) */
    const weft_kernel_set *kernels; /* looked in before Weft's own (exec/kernels/kernels.h); NULL: no others */
    const weft_layout *args, *results; /* exec->arg_count, exec->result_count; lent until close */
    weft_status prepared;          /* how this process's preparation went: compile, input files ... */
    weft_voices voices;            /* alike in all processes */
    /* The calling thread runs the program of one device, however long it takes; else only one that is quick (quick.h):
     * so steps can be timed without what waking a thread takes. Not with bound threads, nor in a given world. */
    bool here;
    const char *why;               /* prepared has failed: what the others are told; NULL: its status */
    /* the program as text with locations, to find where two differ; may be NULL */
    weft_status (*print)(void *user, weft_buf *out);
    /* may be NULL; called by weft_session_open on the one process that is to report what all */
    void (*speak)(void *user);
    void *user;                    /* of them met while preparing, before any process can end */
} weft_session_options;

/* Makes the world, compares preparation and program over all processes, allocates. When any process's preparation
 * failed, all get that status and none a session; *speaker says whether this process is the first that failed and so
 * the one to report why; with WEFT_SESSION_EACH the others say it by what that process has said. Programs that differ
 * from process 0's are WEFT_ERR_PEER: process 0 reports the first op that differs, or each process. */
weft_status weft_session_open(weft_context *cx, const weft_session_options *opt, bool *speaker, weft_session **out);
void weft_session_close(weft_session *s); /* NULL is fine; collective over processes */

/* This process's devices take their shards of a whole array, which has the argument's global type. */
weft_status weft_session_put(weft_session *s, uint32_t arg, const weft_host_array *global);

/* Values that depend on nothing but the fill, the argument's number and the element's index. */
weft_status weft_session_fill(weft_session *s, uint32_t arg, const weft_fill *fill);

/* Runs the program once on every device. */
weft_status weft_session_step(weft_session *s);

/* After the last step, by every process: waits for the others, so that each hears of one that failed after its last
 * message. */
weft_status weft_session_finish(weft_session *s);

/* After a step: result becomes argument for the next. Both are of one type and shape, and neither may share memory with
 * another. Where they lie alike no data moves; else the whole result passes through each process. The result can be
 * read until the next step. */
weft_status weft_session_feed(weft_session *s, uint32_t result, uint32_t arg);

/* n numbers of each process to process 0: of rank r to[r * n ...], which the others do not need. */
weft_status weft_session_tell(weft_session *s, const uint64_t *mine, size_t n, uint64_t *to);
int weft_session_ranks(const weft_session *s);
/* Ends the session for all processes, with this reason; returns WEFT_ERR_PEER, reported. */
weft_status weft_session_fail(weft_session *s, const char *why);

/* The whole of a result into global->data on process 0, whose type is filled in on all; data of the others is not used.
 */
weft_status weft_session_get(weft_session *s, uint32_t result, weft_host_array *global);
void weft_session_describe(const weft_layout *l, weft_host_array *out); /* global type and shape, no data */

/* weft_loaded_program_measure and its results. */
weft_status weft_session_measure(weft_session *s, uint32_t events);
const weft_profile *weft_session_profile(const weft_session *s, int device);
/* weft_client_trace: of all processes' devices, by each process. */
weft_status weft_session_trace(weft_session *s, weft_arena *arena, weft_trace **out);
int weft_session_threads(const weft_session *s);  /* of a device, for this program */
int weft_session_devices(const weft_session *s);  /* of this process */
int weft_session_first(const weft_session *s);    /* the number of the first of them */

/* What the runtime counted itself, for comparison with the plan: the most that a device of this process used. Wire
 * bytes are of all steps so far, under the bandwidth-optimal algorithm of each collective. */
typedef struct weft_session_counts {
    int64_t steps, collectives;    /* collectives: calls of one device */
    int64_t wire_bytes;
    int64_t memory_bytes;          /* arguments, results, temporaries and constants of one device */
} weft_session_counts;
weft_session_counts weft_session_count(const weft_session *s);
#define WEFT_SESSION_USES 128
/* weft_comm_uses of this process's first device, without what the launch itself did. */
int weft_session_uses(const weft_session *s, weft_coll_use *out, int room);

#endif
