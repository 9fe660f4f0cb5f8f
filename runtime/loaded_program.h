/* loaded_program.h: an executable on a client's devices, and its executions.
 *
 * A client may have several programs; buffers go from one to the other. An execution takes a buffer for each argument,
 * which lies as the program says, and makes one for each result. Arguments are read where they are. An argument whose
 * memory a result takes (weft_exec_value.alias), or that was donated in the program (becomes), is donated to the
 * execution: its buffer is dead from the call on, unless the call says that it is kept; a kept argument is never
 * written.
 *
 * When a device fails, the execution and its results have failed, and donated arguments are gone. Where all devices are
 * of one process and none would wait for the one that failed, the client goes on, and so do its other programs and
 * buffers. That is so unless the program has a collective inside a loop or a branch, or one that goes by a table of
 * numbers: then, and across processes, the client is broken.
 */
#ifndef WEFT_RUNTIME_LOADED_PROGRAM_H
#define WEFT_RUNTIME_LOADED_PROGRAM_H

#include "exec/executable.h"
#include "exec/kernel.h"
#include "runtime/buffer.h"
#include "runtime/profile.h"

typedef struct weft_loaded_program weft_loaded_program;

/* The processes that report that another's preparation failed, or that its program differs. WEFT_VOICES_ONE: one, for a
 * tool of several processes that reports everything once. WEFT_VOICES_EACH: every process to its own context. */
typedef enum weft_voices { WEFT_VOICES_ONE, WEFT_VOICES_EACH } weft_voices;

typedef struct weft_load_options {
    const weft_executable *exec;    /* lent until release; NULL: it could not be prepared here (prepared says why) */
    const weft_kernel_set *kernels; /* looked in before Weft's own (exec/kernels/kernels.h); NULL: no others */
    void *front;                    /* what the user keeps with the program, for its calls into the process */
    const weft_layout *args, *results; /* exec->arg_count, exec->result_count; copied */
    weft_status prepared;           /* how this process's preparation went: compile, input files ... */
    weft_voices voices;             /* alike in all processes */
    const char *why;                /* prepared has failed: what the others are told; NULL: its status */
    /* the program as text with locations, to find where two differ; may be NULL */
    weft_status (*print)(void *user, weft_buf *out);
    /* may be NULL; called on the one process that is to report what all of them met while preparing, before any process
     * can end */
    void (*speak)(void *user);
    void *user;
} weft_load_options;

/* Compares preparation and program over all processes, then joins the program's groups.
 * When any process's preparation failed, all get that status and none a program; *speaker says whether this process is
 * the first that failed and so the one to report why; with WEFT_VOICES_EACH the others say it by what that process has
 * said. Programs that differ from process 0's are WEFT_ERR_PEER: process 0 reports the first op that differs, or each
 * process. The client stays as it was. */
weft_status weft_client_load(weft_client *c, const weft_load_options *opt, bool *speaker, weft_loaded_program **out);
/* After its executions, for which it waits; NULL is fine. Collective over processes. */
void weft_loaded_program_release(weft_loaded_program *p);

/* How many threads each of the client's devices has for a program that can use them. Reports a wrong WEFT_THREADS. */
weft_status weft_client_threads(weft_client *c, int *out);

const weft_executable *weft_loaded_program_executable(const weft_loaded_program *p);
const weft_layout *weft_loaded_program_argument(const weft_loaded_program *p, uint32_t i);
const weft_layout *weft_loaded_program_result(const weft_loaded_program *p, uint32_t r);
/* Whether an execution takes argument i's memory unless told otherwise. */
bool weft_loaded_program_donates(const weft_loaded_program *p, uint32_t i);

/* How an execution ended, as weft_event_wait would report it. Texts are only lent. */
typedef struct weft_outcome_of_execution {
    weft_status status;
    int device;                    /* that failed */
    const weft_loc *place;         /* or NULL */
    const char *what;              /* or NULL */
    int code;                      /* weft_failure.code */
} weft_outcome_of_execution;

typedef struct weft_execute_options {
    const uint32_t *kept; uint32_t kept_count; /* arguments that are not donated, though the program would take them */
    /* Where nothing is under way, and there is one device or none waits for another: the thread that calls runs the
     * program, and the call returns when it is done. A program of a few microseconds is done before another thread
     * could be woken. */
    bool here;
    /* Called once an accepted execution is over, by the thread of the last device, maybe before the call returns;
     * it takes no lock that is held during a call of the client. NULL: not wanted. */
    void (*over)(void *user, const weft_outcome_of_execution *how);
    void *user;
} weft_execute_options;

/* Runs the program once on every device: args[arg_count] into results[result_count], each with one reference, the
 * caller's. done NULL: the call returns when the execution is done, with its status. Else it returns at once, and *done
 * is the caller's to release. opt may be NULL. Refused with WEFT_ERR_USAGE, nothing having changed: a buffer of another
 * client, that lies otherwise, that was donated or whose execution failed; one that is donated and given twice. */
weft_status weft_loaded_program_execute(weft_loaded_program *p, weft_buffer *const *args,
                                        const weft_execute_options *opt, weft_buffer **results, weft_event **done);

/* What the runtime counted itself: the most that a device of this process has. Wire bytes are under the
 * bandwidth-optimal algorithm of each collective. */
typedef struct weft_program_counts { int64_t executions, collectives, wire_bytes; } weft_program_counts;
weft_program_counts weft_loaded_program_count(weft_loaded_program *p);

/* Measures every execution from here on, on each device of this process: two looks at the clock per step. events: how
 * many steps of the last execution are kept, for a drawing. What was measured before is gone. */
weft_status weft_loaded_program_measure(weft_loaded_program *p, uint32_t events);
int weft_loaded_program_threads(const weft_loaded_program *p); /* of a device: 1 where no step can be split */
/* Of device i of this process, once its executions are done; NULL: nothing is measured. */
const weft_profile *weft_loaded_program_profile(weft_loaded_program *p, int i);

/* Makes room for the temporaries, and takes blocks for one argument and result each and gives them back at once: so the
 * first execution finds them, and a lack of memory is found before it. */
weft_status weft_loaded_program_reserve(weft_loaded_program *p);

#endif
