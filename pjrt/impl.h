/* impl.h: the structs of the PJRT API's handles. Private to pjrt/.
 *
 * PJRT's unit is a device: a buffer is on one, and a program runs on a list of them, which each program chooses anew.
 * The runtime's unit is a client, whose arrays and programs are on all its devices. So a pjrt_client has a runtime
 * client for each list of devices that a program was compiled for (a crew); its devices are threads of their own.
 * A crew's lock stands for the rule that a runtime client is used by one thread at a time. No other lock is taken under
 * it, no callback of the framework is called under it.
 *
 *   pjrt_job       the processes whose devices a client lists; of its own ones it makes buffers
 *   pjrt_client    devices, memories; counted: by the framework, crews' users, buffers, executables
 *   crew           a runtime client for one list of devices
 *   storage        a block of memory with one device's data; counted. Of the host, or one shard of a program's result
 *   pjrt_buffer    a device's array: type, dimensions, storage, and the event of its data
 *   pjrt_event     done or not, and how; counted
 *   pjrt_executable  a compiled program; counted
 *   pjrt_loaded    an executable on a crew
 */
#ifndef WEFT_PJRT_IMPL_H
#define WEFT_PJRT_IMPL_H

#include <pthread.h>
#include <stdatomic.h>
#include "base/context.h"
#include "pipeline/kept.h"
#include "pjrt/api.h"
#include "runtime/loaded_program.h"
#include "runtime/processes.h"

/* malloc, for texts without a context: error.c */
extern const weft_allocator pjrt_heap;

/* A text of the plugin's, for a caller that gets its size too. */
static inline pjrt_error *pjrt_give(const char *text, const char **out, size_t *size) {
    *out = text;
    *size = strlen(text);
    return NULL;
}

/* --- errors: error.c --- */

struct pjrt_error {
    const pjrt_error_table *table;
    uint32_t code;
    size_t size;                     /* of the text */
    bool heap;
    const char *text;             /* after the struct, or constant */
};

/* NULL never: where memory is out, an error that says so. */
pjrt_error *pjrt_error_new(pjrt_code code, const char *fmt, ...) WEFT_PRINTF(2, 3) __attribute__((returns_nonnull));
/* As a framework gives it; NULL for code 0. */
pjrt_error *pjrt_error_given(uint32_t code, const char *text, size_t size);
pjrt_error *pjrt_error_copy(const pjrt_error *e); /* NULL for NULL */
void pjrt_error_free(pjrt_error *e);              /* NULL is fine */
pjrt_error *pjrt_no_memory(void) __attribute__((returns_nonnull));
/* Of a call with a context: its last error and what was said with it, or the status alone. */
pjrt_error *pjrt_error_of(weft_context *cx, weft_status st) __attribute__((returns_nonnull));
pjrt_code pjrt_code_of(weft_status st);

/* --- events: event.c --- */

/* Of something that is done, without an error: nothing to count, nothing to free. */
pjrt_event *pjrt_event_ready(void);
pjrt_event *pjrt_event_new(void);                 /* not done, one reference; NULL when memory is out */
pjrt_event *pjrt_event_failed(pjrt_error *e);     /* takes e; NULL when memory is out */
pjrt_event *pjrt_event_retain(pjrt_event *e);
void pjrt_event_release(pjrt_event *e);           /* NULL is fine */
/* Once: it is done, with this error, which it takes, or none; calls what waits for it. */
void pjrt_event_end(pjrt_event *e, pjrt_error *error);
bool pjrt_event_is_done(pjrt_event *e);
/* Waits; the error is the event's. */
const pjrt_error *pjrt_event_wait(pjrt_event *e);
/* Calls back when it is done, at once if it is. false: memory is out, nothing will be called. */
bool pjrt_event_then(pjrt_event *e, void (*call)(void *user, const pjrt_error *error), void *user);

/* --- the processes: job.c --- */

enum { PJRT_MOST_DEVICES = 1024 };   /* of a process */

/* A framework that knows its processes fills in the first fields. */
typedef struct pjrt_job {
    int process, processes;
    pjrt_kv_get *get; void *get_user;
    pjrt_kv_put *put; void *put_user;
    int *devices;                    /* of each process */
    weft_context *cx;                /* of control, */
    weft_world *control;      /* in which each process is a rank; NULL: there is a store, or one process */
    weft_comm *comm;          /* used by one thread at a time, under the client's lock */
} pjrt_job;

/* Collective over the processes: finds them, and how many devices each has. */
pjrt_error *pjrt_job_begin(pjrt_job *j, int devices);
void pjrt_job_end(pjrt_job *j);      /* also of a job that did not begin */

/* Some of the job's processes: this one is number me, and has so many devices among theirs. */
typedef struct pjrt_members { const int *processes; int count, me, devices; } pjrt_members;
/* Collective over them: a world of their devices. name: equal in all of them, and of no other world. */
weft_status pjrt_job_world(pjrt_job *j, weft_context *cx, const pjrt_members *m, const char *name,
                           weft_world **out);

/* --- clients: client.c --- */

struct pjrt_device_description {
    int id, process;
    char name[48];                   /* "weft:0" */
    char full[96];
};

typedef enum pjrt_memory_kind {
    PJRT_MEMORY_DEVICE,
    PJRT_MEMORY_PINNED,
    PJRT_MEMORY_UNPINNED,
    PJRT_MEMORY_KINDS
} pjrt_memory_kind;

typedef struct pjrt_user_data {
    const void *key;
    void *data;
    void (*end)(void *data);
} pjrt_user_data;

struct pjrt_memory {
    const pjrt_memory_table *table;
    pjrt_device *device;
    pjrt_memory_kind kind;
    int id;
    char name[72];
    pthread_mutex_t lock;            /* guards the fields below */
    pjrt_user_data *data;
    size_t data_count;
};

typedef struct pjrt_crew pjrt_crew;

/* --- functions of the process: ffi.h --- */

typedef struct pjrt_ffi_pool pjrt_ffi_pool;
typedef struct pjrt_ffi_program pjrt_ffi_program;
typedef struct pjrt_ffi_sites pjrt_ffi_sites;

/* --- calls back: callback.c --- */

/* Calls function `id` of the interpreter. Not 0: it failed; why, a text. operand_count PJRT_PYTHON_HOLD: a program that
 * calls it was loaded; PJRT_PYTHON_LET_GO: and is gone. The interpreter keeps the function in between.
 * PJRT_PYTHON_INSPECT: operands[0] is an OpSharding of result_count bytes, which a program is compiled with. */
enum { PJRT_PYTHON_HOLD = -1, PJRT_PYTHON_LET_GO = -2, PJRT_PYTHON_INSPECT = -3 };
typedef int pjrt_python_call(int64_t id, int operand_count, void *const *operands, int result_count,
                             void *const *results, char *why, size_t room);
typedef struct pjrt_callbacks pjrt_callbacks;

/* What the interpreter has to know when it ends, in memory of its own that stays (client option python_calls): how many
 * executions of programs that call it are under way. It writes `ending`, and then no other one begins, and it is told
 * nothing more. A thread that wants the interpreter's lock after its end is ended, and a program whose device was this
 * thread is never over. */
typedef struct pjrt_python_calls { _Atomic int64_t under_way, ending; } pjrt_python_calls;

/* Of a crew of which this process has these places (pjrt_crew.mine), lent for its life. call may be NULL; NULL: no
 * memory */
pjrt_callbacks *pjrt_callbacks_new(pjrt_python_call *call, const int *mine, int local);
void pjrt_callbacks_free(pjrt_callbacks *c);
/* Whether a device of the crew is in a call, so that its queue waits for the interpreter; whether this thread is. */
bool pjrt_callbacks_within(pjrt_callbacks *c);
bool pjrt_callbacks_here(pjrt_callbacks *c);
bool pjrt_callbacks_has(const weft_executable *x);
pjrt_python_call *pjrt_client_python(const pjrt_client *c); /* NULL: there is none, or it ends */
/* Tells the interpreter of each function that x calls; call may be NULL. */
void pjrt_callbacks_tell(pjrt_python_call *call, const weft_executable *x, int what);
weft_status pjrt_callback(void *callbacks, const weft_host_call *h, const weft_run_env *env); /* weft_host.call */

struct pjrt_device {
    pjrt_client *client;
    pjrt_device_description description;
    int local;                       /* its number among this process's; -1: another process's */
    pjrt_memory memories[PJRT_MEMORY_KINDS];
    pjrt_memory *memory_list[PJRT_MEMORY_KINDS];
    /* of the arrays on it */
    _Atomic int64_t bytes, most, largest, allocations;
};

/* environment.c */
enum { PJRT_VERSION_ROOM = 64 };
/* The platform's version: Weft's, and a hash of what programs are compiled by here. */
pjrt_error *pjrt_version_write(char *out, size_t room);
/* WEFT_MEMORY, the bytes that a device has; 0: any number. Reports. */
weft_status pjrt_memory_asked(weft_context *cx, int64_t *bytes);

struct pjrt_topology {
    bool is_clients;                 /* of a client: it lives and ends with that */
    char platform[32], version[PJRT_VERSION_ROOM];
    int device_count;
    pjrt_device_description **descriptions;
    pjrt_device_description *owned;  /* of a topology by itself */
};

struct pjrt_client {
    _Atomic int refs;
    char platform[32];
    pjrt_job job;
    int device_count, local_count, first_local;
    pjrt_python_call *python;
    pjrt_python_calls *calls;        /* the interpreter's; NULL: it has not said where */
    pjrt_device **devices;           /* of all processes, by id */
    pjrt_memory **memories;          /* of this process's devices */
    pjrt_topology topology;
    pthread_mutex_t lock;            /* guards crews */
    pjrt_crew *crews;
    /* what the framework has not been told yet: blocks that are its own again, programs that call it no more */
    _Atomic(struct pjrt_storage *) finished;
    _Atomic(pjrt_loaded *) gone;
};

pjrt_client *pjrt_client_retain(pjrt_client *c);
void pjrt_client_release(pjrt_client *c);
const char *pjrt_memory_kind_name(pjrt_memory_kind kind);
pjrt_memory_kind pjrt_memory_kind_named(const char *name, size_t size); /* the device's for names of none */
/* A memory by either handle; NULL: neither is given or of this client's own process. */
pjrt_memory *pjrt_client_memory(pjrt_client *c, pjrt_device *d, pjrt_memory *m);

/* --- places in a list of devices: seats.c --- */

typedef struct pjrt_seats {
    int *processes, *member;         /* of each member of the world; of each of the job's processes, -1: none */
    int *rank;                       /* of each place */
    pjrt_members world;
} pjrt_seats;

/* process: of each place. All of out but the fields of one process; false: no memory. It is freed in any case. */
bool pjrt_seats_find(const int *process, int places, int processes, pjrt_seats *out);
void pjrt_seats_free(pjrt_seats *s);
/* How many of a process's places come before this one. */
int pjrt_places_before(const int *mine, int local, int64_t place);

/* --- crews: crew.c --- */

struct pjrt_crew {
    pjrt_crew *next;
    pjrt_client *client;
    pthread_mutex_t lock;            /* held for every call of runtime; guards cx */
    weft_context *cx;
    weft_client *runtime;            /* NULL: no place is this process's */
    weft_world *world;        /* lent to runtime; NULL: its own, of this process's threads */
    pjrt_callbacks *callbacks;
    pjrt_ffi_pool *pools;            /* of each of this process's devices */
    int count, local;                /* places in the list of devices; how many are this process's, */
    int *mine;                       /* [local] and which, rising */
    int *devices;                    /* place r is device devices[r] */
    /* buffers that were let go where the lock could not be taken; each takes away one reference */
    _Atomic(struct pjrt_storage *) returned;
    _Atomic int under_way;           /* executions that are not over, or whose end is being told */
    _Atomic(pjrt_loaded *) dead;     /* programs that were let go meanwhile: linked by next */
};

/* Takes programs that were let go from the runtime, where no execution is under way: to wait for one could be to wait
 * for the interpreter, whose lock the caller may hold. They go onto the client's list. Under the lock. */
void pjrt_crew_free_dead(pjrt_crew *crew);
void pjrt_loaded_free(pjrt_loaded *l);       /* all but the runtime's program and the client */
/* The crew of this list of devices, made where there is none yet. It lives as long as the client. What a callback
 * compiles and runs gets another one than the program that called it, whose devices wait for the callback; not so of
 * several processes. */
pjrt_error *pjrt_crew_get(pjrt_client *c, const int *devices, int count, pjrt_crew **out);
/* Whether the crew is in a callback that waits for what this thread, of a callback too, has it do. Not so of several
 * processes. */
bool pjrt_crew_awaits_me(pjrt_crew *crew);
void pjrt_crew_lock(pjrt_crew *crew);
void pjrt_crew_unlock(pjrt_crew *crew);
void pjrt_crews_end(pjrt_client *c);

/* --- storage and buffers: buffer.c --- */

typedef struct pjrt_storage {
    _Atomic int refs;
    pjrt_client *client;
    pjrt_device *counted;            /* the device whose bytes in use it adds to; NULL: none */
    int64_t bytes;
    /* Memory of the host: the block, and what to call when it is needed no more (NULL: free). */
    void *at;
    void (*done)(void *user);
    void *user;
    bool is_foreign;                 /* it may not be written */
    /* Or shard `index` of an array of `crew`; whole NULL: of the host. */
    pjrt_crew *crew;
    weft_buffer *whole;
    int index;
    struct pjrt_storage *next;       /* of a crew's returned ones, or of the client's finished ones */
} pjrt_storage;

/* NULL when memory is out. */
pjrt_storage *pjrt_storage_allocate(pjrt_device *d, int64_t bytes);
/* A block that is the framework's until done(user) was called. */
pjrt_storage *pjrt_storage_foreign(pjrt_device *d, void *at, int64_t bytes, void (*done)(void *user), void *user);
/* Takes the reference of whole, also when it fails; counted may be NULL. Under the crew's lock. */
pjrt_storage *pjrt_storage_of_shard(pjrt_crew *crew, weft_buffer *whole, int index, pjrt_device *counted,
                                    int64_t bytes);
pjrt_storage *pjrt_storage_retain(pjrt_storage *s);
void pjrt_storage_release(pjrt_storage *s);       /* under no lock of pjrt/; NULL is fine */
void pjrt_storage_back(void *s);                  /* the same from anywhere: weft_lent_shard.back */
void pjrt_storage_free_returned(pjrt_crew *crew); /* under the crew's lock */
/* Tells the framework what it has not been told; under no lock. */
void pjrt_client_tell(pjrt_client *c);
void *pjrt_storage_at(const pjrt_storage *s);     /* of data that is there */

typedef enum pjrt_buffer_state { PJRT_BUFFER_LIVE, PJRT_BUFFER_DELETED, PJRT_BUFFER_DONATED } pjrt_buffer_state;

struct pjrt_buffer {
    pjrt_client *client;
    pjrt_memory *memory;
    pjrt_event *ready;               /* never NULL */
    weft_dtype dtype;
    int64_t bytes;
    pthread_mutex_t lock;            /* guards the fields below */
    pjrt_buffer_state state;
    int external;                    /* references of others to the memory: it stays until they are gone */
    pjrt_storage *storage;           /* NULL: gone */
    /* the same data as part of an array of a crew that it was lent to; NULL: none */
    pjrt_storage *lent;
    uint32_t rank;
    int64_t dims[];
};

/* Takes the references of storage and ready also when it fails. NULL when memory is out. */
pjrt_buffer *pjrt_buffer_new(pjrt_memory *m, weft_dtype t, uint32_t rank, const int64_t *dims, pjrt_storage *storage,
                             pjrt_event *ready);
void pjrt_buffer_free(pjrt_buffer *b);         /* under no lock; NULL is fine */
/* A reference to its storage; an error: it was deleted or donated. */
pjrt_error *pjrt_buffer_hold(pjrt_buffer *b, pjrt_storage **out);
/* A buffer is DONATED from before the execution that takes it, so that no other thread begins to read it. Then the
 * execution has its memory, or did not begin: */
void pjrt_buffer_donate(pjrt_buffer *b);
void pjrt_buffer_keep(pjrt_buffer *b);
weft_dtype pjrt_dtype_of(uint32_t type);       /* WEFT_DTYPE_NONE: Weft has none */
uint32_t pjrt_type_of(weft_dtype t);
/* Bytes of a tensor; -1: not a size. */
int64_t pjrt_bytes_of(weft_dtype t, size_t rank, const int64_t *dims);
/* The type and bytes of an array; refused: a type that Weft has not, too many dimensions, no size. transfer.c */
pjrt_error *pjrt_check_shape(uint32_t type, const int64_t *dims, size_t rank, weft_dtype *t, int64_t *bytes);

/* --- copies: copy.c --- */

/* Elements from strided memory to dense, and from dense to strided; strides in bytes. */
void pjrt_gather(size_t item, size_t rank, const int64_t *dims, const int64_t *strides, const void *from, void *to);
void pjrt_scatter(size_t item, size_t rank, const int64_t *dims, const int64_t *strides, const void *from, void *to);
bool pjrt_is_dense(size_t item, size_t rank, const int64_t *dims, const int64_t *strides);
/* The byte strides that a layout says; an error: it is none that memory of the host has. */
pjrt_error *pjrt_layout_strides(const pjrt_memory_layout *l, size_t item, size_t rank, const int64_t *dims,
                                int64_t *strides);

/* --- compile options: options.c --- */

typedef struct pjrt_options {
    int64_t replicas, partitions;
    int64_t *assignment;             /* [replica * partitions + partition]; NULL: none was given */
} pjrt_options;

pjrt_error *pjrt_options_read(const char *bytes, size_t size, pjrt_options *out);
void pjrt_options_end(pjrt_options *o);
/* The same message with the device assignment of `count` devices alone: DeviceAssignmentProto. */
weft_status pjrt_assignment_write(int64_t replicas, int64_t partitions, const int *devices, weft_buf *out);

/* --- protobuf: wire.c --- */

/* The fields of a message, one after another. A submessage is a field of kind bytes. */
typedef enum pjrt_wire_kind { PJRT_WIRE_NUMBER = 0, PJRT_WIRE_FIXED64 = 1, PJRT_WIRE_BYTES = 2, PJRT_WIRE_FIXED32 = 5 }
pjrt_wire_kind;
typedef struct pjrt_wire {
    const uint8_t *p, *end;
    uint32_t field;
    pjrt_wire_kind kind;
    uint64_t number;                 /* of a number or fixed field */
    const uint8_t *bytes;
    size_t size;
    bool bad;                        /* the message is damaged */
} pjrt_wire;

pjrt_wire pjrt_wire_of(const void *bytes, size_t size);
bool pjrt_wire_next(pjrt_wire *w);   /* false at the end and where it is damaged */
bool pjrt_wire_number(pjrt_wire *w, uint64_t *out); /* of a packed list: the next; false as above */
void pjrt_wire_put_number(weft_buf *b, uint32_t field, uint64_t v);
void pjrt_wire_put_bytes(weft_buf *b, uint32_t field, const void *bytes, size_t size);
void pjrt_wire_put_list(weft_buf *b, uint32_t field, const int64_t *v, size_t n);

/* --- executables: executable.c, compile.c, layout.c, sharding.c --- */

typedef struct pjrt_texts { char **v; size_t *sizes; size_t n; } pjrt_texts;

struct pjrt_executable {
    _Atomic int refs;
    weft_context *cx;                /* of the program; used by one thread at a time: lock */
    pthread_mutex_t lock;            /* guards cx and optimized */
    weft_arena arena;                /* the arrays and texts below */
    weft_built_program *built;       /* as it was compiled here; NULL: read, as bytes that another process wrote */
    weft_executable *read;
    const weft_executable *exec;     /* of either */
    const weft_layout *arg_layouts, *result_layouts;
    char *name;
    char *options; size_t options_size; /* how it was to be compiled, */
    pjrt_options asked;                 /* and the same as read */
    bool quick;                      /* a thread's wake-up takes longer than a run */
    char fingerprint[20];
    pjrt_ffi_sites *foreign;         /* calls of the process's functions; NULL: it has none */
    bool *tokens;                    /* arguments that are tokens in the program, here an i1 */
    bool *donors;                    /* arguments that the caller gives up, also where no result takes the memory */
    uint32_t *output_types;
    int64_t *output_dims; size_t *output_ranks;
    pjrt_memory_kind *output_kinds;
    const char **output_memories, **parameter_memories; size_t *output_memory_sizes, *parameter_memory_sizes;
    pjrt_texts output_shardings, parameter_shardings;
    const pjrt_layout **output_lies, **parameter_lies; /* NULL: not known */
    weft_buf optimized;              /* the partitioned program as text, once it was asked for */
    pjrt_named_value costs[3];
};

/* A new one without a program. */
pjrt_error *pjrt_executable_new(const char *options, size_t options_size, pjrt_executable **out);
/* Fills in all that follows from exec, but tokens and donors. main: the program's, for the memories of its arguments
 * and results, or NULL. */
pjrt_error *pjrt_executable_note(pjrt_executable *x, const weft_op *main);
pjrt_error *pjrt_executable_compile(const pjrt_program *program, const char *options, size_t options_size,
                                    pjrt_executable **out);
pjrt_executable *pjrt_executable_retain(pjrt_executable *x);
void pjrt_executable_release(pjrt_executable *x); /* NULL is fine */
pjrt_error *pjrt_optimized_print(pjrt_executable *x); /* under its lock */
const pjrt_layout *pjrt_layout_of(size_t rank); /* row-major; NULL: none has so many dimensions */
/* The one that text asks for, in a; row-major for any other text. NULL: no memory. */
const pjrt_layout *pjrt_layout_asked(weft_arena *a, weft_str text, size_t rank);
/* Appends the message; WEFT_ERR_UNSUPPORTED: no such message says it. */
weft_status pjrt_sharding_write(const weft_layout *l, weft_buf *out);
weft_status pjrt_sharding_write_manual(weft_buf *out); /* of values inside of a manual computation */
/* Tells the interpreter the shardings that the program asks for (inspect.c). */
pjrt_error *pjrt_inspect(pjrt_client *c, pjrt_executable *x, const pjrt_program *program);
void pjrt_sharding_of_all(const pjrt_texts *of, weft_buf *out); /* of one result itself, of several a tuple */

struct pjrt_loaded {
    pjrt_executable *executable;
    pjrt_client *client;
    pjrt_crew *crew;
    weft_loaded_program *program;    /* NULL: deleted. Under the crew's lock */
    pjrt_ffi_program *foreign;       /* of the executable's; NULL: it has none */
    bool calls_back;                 /* it calls the interpreter */
    _Atomic bool deleted;
    pjrt_device **devices;           /* this process's, by rank of the crew */
    pjrt_logical_ids *logical;       /* of these */
    weft_buf assignment;             /* DeviceAssignmentProto */
    pthread_mutex_t lock;            /* guards others */
    pjrt_loaded *others;             /* the same on another device, of a portable program, or by another crew */
    pjrt_loaded *next;               /* in such a list */
};

pjrt_error *pjrt_load(pjrt_client *c, pjrt_executable *x, pjrt_loaded **out); /* retains x */
pjrt_error *pjrt_load_on(pjrt_client *c, pjrt_executable *x, const int *devices, pjrt_loaded **out);
/* The same program on these devices, by a crew that is in no callback: loaded when it is first asked for, freed with
 * l. */
pjrt_error *pjrt_load_again(pjrt_loaded *l, const int *devices, pjrt_loaded **out);

/* --- the functions of the API --- */

#define CALL(name, ...) pjrt_error *pjrt_##name(pjrt_##name##_args *args);
#include "pjrt/calls.def"
extern const pjrt_shardings_extension pjrt_shardings;
extern const pjrt_layouts_extension pjrt_layouts; /* the first of the extensions */

#endif
