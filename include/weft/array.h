/* array.h: arrays on devices, and programs that share them.
 *
 * A client is the devices that programs run on: the threads of one process, or of all processes of a launch. An array
 * is a global tensor on a client's devices, each of which holds its part. A program is a graph compiled for a client. A
 * state is a set of arrays by name: programs take their inputs from it, and what a graph updates goes back into it. So
 * one program initialises, another trains, a third evaluates, on the same arrays:
 *
 *     weft_client_open(cx, &(weft_client_options){ .devices = 4 }, &client);
 *     weft_state_new(client, &state);
 *     weft_program_load(client, initialise, NULL, &p0);      // outputs "w1", "w2"
 *     weft_program_load(client, train, NULL, &p1);           // inputs "x", "w1", "w2"; updates "w1", "w2"
 *     weft_program_run(p0, state);
 *     weft_program_store(p0, state);                         // its outputs are arrays of the state
 *     for (...) {
 *         weft_program_put(p1, state, "x", batch, sizeof batch);
 *         weft_program_run(p1, state);
 *         weft_array_read(weft_program_output(p1, "loss"), &loss, sizeof loss);
 *     }
 *
 * Values. No program changes an array: an update makes a new array and puts it into the state. Where the state alone
 * holds the old one, the new one takes its memory and nothing is copied. A caller that keeps an array
 * (weft_array_retain) keeps its value.
 *
 * Processes. Each process of a launch has a client, and all make the same calls in the same order: all calls are
 * collective over the processes, but retain, release, questions (type, part, text) and what only changes a state.
 * weft_array_read compares what the processes did: another number of calls ends the client, other data is a warning of
 * the flag "input". A call that fails on one process alone (a callback, a file that is missing there) fails on all.
 * After a device has failed, or another process, calls return WEFT_ERR_PEER, and only releases and closes remain.
 *
 * Errors. Most calls are macros that pass the caller's file and line, which diagnostics name, also those of damaged
 * files and of other processes. A NULL client, array, state or program, which a failed call leaves, is WEFT_ERR_USAGE
 * without a further diagnostic.
 *
 * Ownership. Arrays are counted by references; a state and a program hold references of their own. Programs, states and
 * arrays end before their client, the client before its context.
 * Threads. A client and all that belongs to it are used by one thread at a time, and so is its context.
 */
#ifndef WEFT_ARRAY_H
#define WEFT_ARRAY_H

#include <weft/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_client weft_client;
typedef struct weft_array weft_array;
typedef struct weft_state weft_state;
typedef struct weft_program weft_program;

/* ---- clients ---- */

typedef struct weft_client_options {
    weft_launch launch;
    double timeout_s;          /* how long a device waits for the others; 0: 30 s; negative: for ever */
    struct weft_world *world;  /* as weft_job_options.world: each device is a rank of it; NULL: a world is made */
    int64_t devices;           /* of all processes; 0: one in each. Not looked at for a given world */
    int threads;               /* of each device; 0: WEFT_THREADS, or else its share of the cores (weft/topo.h) */
    size_t size;               /* sizeof(weft_client_options); 0: the fields above (weft/weft.h) */
} weft_client_options;

/* Starts the devices. opt may be NULL: all zero. Collective over the processes. */
WEFT_API weft_status weft_client_open(weft_context *cx, const weft_client_options *opt, weft_client **out);
WEFT_API weft_status weft_client_open_at(weft_source at, weft_context *cx, const weft_client_options *opt,
                                         weft_client **out);
#define weft_client_open(...) weft_client_open_at(WEFT_HERE, __VA_ARGS__)
WEFT_API void weft_client_close(weft_client *c); /* NULL is fine; collective over the processes */

WEFT_API int weft_client_process(const weft_client *c);        /* this process's number; -1 for NULL */
WEFT_API int weft_client_processes(const weft_client *c);      /* 0 for NULL */
WEFT_API int64_t weft_client_devices(const weft_client *c);    /* of all processes; 0 for NULL */
/* This process has the devices first to first + local - 1. */
WEFT_API int64_t weft_client_first_device(const weft_client *c);
WEFT_API int64_t weft_client_local_devices(const weft_client *c);

/* ---- arrays ---- */

enum { WEFT_MOST_DIMS = 64 };

/* The part of an array that a device holds: the elements start[d] to start[d] + count[d] - 1 of each dimension d. Parts
 * have equal lengths, except the last ones of a dimension that the devices do not divide: those are shorter, and may be
 * empty. Several devices may hold the same part. */
typedef struct weft_part {
    int64_t device;
    size_t rank;
    int64_t start[WEFT_MOST_DIMS], count[WEFT_MOST_DIMS];
    /* The element at start, and the distance of two neighbours along each dimension, in elements, where this process
     * has the device; else data is NULL. */
    void *data;
    int64_t stride[WEFT_MOST_DIMS];
} weft_part;

/* Fills a part, in place: its data is zeros. Not WEFT_OK: the array is not made, on any process. */
typedef weft_status weft_part_filler(void *user, const weft_part *part);

/* A new array, with one reference, the caller's. type is spelled as in weft/graph.h ("64x256xf32"), mesh as in
 * weft_graph_mesh ("data=2, model=2", as many devices as the client has) and sharding as in weft_shard ("data, -").
 * mesh NULL: each device has all of it; sharding is then not looked at.
 * of_zeros: all elements are 0.
 * from: of `bytes` bytes of data, the whole array in row-major order, which all processes pass. They are copied.
 * make: by a callback for each part of this process's devices, in the order of devices, on the caller's thread. A part
 * that several of them hold is filled once. So no process needs the whole array. */
WEFT_API weft_status weft_array_of_zeros_at(weft_source at, weft_client *c, const char *type, const char *mesh,
                                            const char *sharding, weft_array **out);
WEFT_API weft_status weft_array_from_at(weft_source at, weft_client *c, const char *type, const char *mesh,
                                        const char *sharding, const void *data, size_t bytes, weft_array **out);
WEFT_API weft_status weft_array_make_at(weft_source at, weft_client *c, const char *type, const char *mesh,
                                        const char *sharding, weft_part_filler *fill, void *user, weft_array **out);
/* The array in a .npy file, row-major or column-major, of which each process reads the ranges of bytes that its parts
 * need. Those in safetensors files: weft_checkpoint_load. */
WEFT_API weft_status weft_array_from_npy_at(weft_source at, weft_client *c, const char *path, const char *mesh,
                                            const char *sharding, weft_array **out);
WEFT_API weft_array *weft_array_retain(weft_array *a);  /* returns a */
WEFT_API void weft_array_release(weft_array *a);        /* NULL is fine */

/* Texts are in the spelling of the makers, and live as long as the client. A replicated array has "-" for each
 * dimension, and the mesh "" if there is none. "" for NULL. */
WEFT_API const char *weft_array_type(const weft_array *a);
WEFT_API const char *weft_array_mesh(const weft_array *a);
WEFT_API const char *weft_array_sharding(const weft_array *a);
WEFT_API const char *weft_array_dtype(const weft_array *a);         /* "f32" */
WEFT_API size_t weft_array_rank(const weft_array *a);
WEFT_API int64_t weft_array_dim(const weft_array *a, size_t i);     /* 0 past the end */
WEFT_API size_t weft_array_bytes(const weft_array *a);              /* of the whole array */

/* The part of a device, with its data if the device is this process's: no copy. The data may also be written, as long
 * as no run that reads it is under way; devices that hold the same part are then written alike. It is there until the
 * array's last release, or until a program takes the memory for an update. */
WEFT_API weft_status weft_array_part_at(weft_source at, weft_array *a, int64_t device, weft_part *out);

/* The whole array in row-major order to data, of `bytes` bytes: on process 0, where the others' data is not used; and
 * on all processes. */
WEFT_API weft_status weft_array_read_at(weft_source at, weft_array *a, void *data, size_t bytes);
WEFT_API weft_status weft_array_read_all_at(weft_source at, weft_array *a, void *data, size_t bytes);

/* A new array of the same elements, sharded otherwise. Devices send each other the pieces that they lack: none holds
 * more than its two parts and those pieces twice. */
WEFT_API weft_status weft_array_move_at(weft_source at, weft_array *a, const char *mesh, const char *sharding,
                                        weft_array **out);

/* The array's type, mesh and sharding, and a line for each part with the devices that hold it, in the allocator's
 * memory, to be freed with weft_text_free. */
WEFT_API weft_status weft_array_text(const weft_array *a, char **text);
WEFT_API weft_status weft_array_text_at(weft_source at, const weft_array *a, char **text);
#define weft_array_text(...) weft_array_text_at(WEFT_HERE, __VA_ARGS__)

/* ---- states ---- */

/* An empty state. Not collective. */
WEFT_API weft_status weft_state_new(weft_client *c, weft_state **out);
WEFT_API weft_status weft_state_new_at(weft_source at, weft_client *c, weft_state **out);
#define weft_state_new(...) weft_state_new_at(WEFT_HERE, __VA_ARGS__)
WEFT_API void weft_state_free(weft_state *s); /* NULL is fine */

/* The array of this name is a from now on; the state holds a reference. a NULL: there is none. */
WEFT_API weft_status weft_state_set_at(weft_source at, weft_state *s, const char *name, weft_array *a);
/* The array of this name, the state's: to keep it over a run, retain it. NULL, reported, if there is none. */
WEFT_API weft_array *weft_state_get_at(weft_source at, weft_state *s, const char *name);
WEFT_API int weft_state_has(const weft_state *s, const char *name);
/* The names, in the order in which they were set first; NULL past the end. They live as long as the client. */
WEFT_API size_t weft_state_count(const weft_state *s);
WEFT_API const char *weft_state_name(const weft_state *s, size_t i);

/* ---- programs ---- */

typedef struct weft_program_options {
    weft_constraints constraints;  /* alike in all processes */
    int64_t memory_bytes;          /* as weft_job_options' (weft/graph.h) */
    weft_precision precision;      /* of products (weft/graph.h); alike in all processes */
    size_t size;                   /* sizeof(weft_program_options); 0: the fields above (weft/weft.h) */
} weft_program_options;

/* Partitions the graph over its mesh, which has as many devices as the client (a graph without one runs whole on each
 * device), compiles it and loads it on the client's devices. Ends the graph's construction; the program does not need
 * it further. opt may be NULL. All processes give equal graphs; if one fails, all do, and the client goes on. */
WEFT_API weft_status weft_program_load_at(weft_source at, weft_client *c, weft_graph *g,
                                          const weft_program_options *opt, weft_program **out);
WEFT_API void weft_program_close(weft_program *p); /* NULL is fine; collective over the processes */

/* Writes the program to a file, as 'weft compile' does: with machine code for this process's processor, and the names,
 * types and shardings of inputs and outputs. A file is written as a whole or not at all. Any process may write one;
 * programs are equal in all. */
WEFT_API weft_status weft_program_write_at(weft_source at, weft_program *p, const char *path);
/* Loads a program from such a file on as many devices as it was compiled for, without a graph and without compilation.
 * Inputs that the graph updated are updated. Refused: a file that is damaged, that another build of Weft wrote, or with
 * code that this processor cannot run. The file has machine code: read files that you trust. All processes read the
 * same file or equal ones; if one fails, all do, and the client goes on. */
WEFT_API weft_status weft_program_read_at(weft_source at, weft_client *c, const char *path, weft_program **out);

/* Runs the program once, with the arrays of the state that have its inputs' names. Inputs that the graph updates are
 * replaced in the state. An array that lies otherwise than the program wants is moved first, which a warning of the
 * flag "fallback" says once for each input. The state's other arrays do not matter. Refused, nothing having changed: an
 * input that the state lacks, or of another type or shape. If the run fails, the arrays that it was to update are
 * gone. */
WEFT_API weft_status weft_program_run_at(weft_source at, weft_program *p, weft_state *s);

/* The output of this name of the last run; updates are outputs of their inputs' names. It is the program's until its
 * next run or close: to keep it longer, retain it. NULL, reported, if there is none. */
WEFT_API weft_array *weft_program_output_at(weft_source at, weft_program *p, const char *name);
/* Puts the outputs of the last run into the state, by their names: those of a program that initialises. The program
 * then has them no more. */
WEFT_API weft_status weft_program_store_at(weft_source at, weft_program *p, weft_state *s);

/* An array of the type and sharding of input `name`, into the state, under this name: as weft_array_from, and as
 * weft_array_make. */
WEFT_API weft_status weft_program_put_at(weft_source at, weft_program *p, weft_state *s, const char *name,
                                         const void *data, size_t bytes);
WEFT_API weft_status weft_program_make_at(weft_source at, weft_program *p, weft_state *s, const char *name,
                                          weft_part_filler *fill, void *user);
/* Zeros for each input that the state lacks. */
WEFT_API weft_status weft_program_put_zeros(weft_program *p, weft_state *s);
WEFT_API weft_status weft_program_put_zeros_at(weft_source at, weft_program *p, weft_state *s);
#define weft_program_put_zeros(...) weft_program_put_zeros_at(WEFT_HERE, __VA_ARGS__)

/* Input or output i, in the order in which they were made: its name; NULL past the end. Then the type, mesh and
 * sharding of the input or output of a name, as weft_array_type's. NULL, reported, if there is none. */
WEFT_API const char *weft_program_input_name(const weft_program *p, size_t i);
WEFT_API const char *weft_program_output_name(const weft_program *p, size_t i);
WEFT_API const char *weft_program_input_type_at(weft_source at, weft_program *p, const char *name);
WEFT_API const char *weft_program_input_mesh_at(weft_source at, weft_program *p, const char *name);
WEFT_API const char *weft_program_input_sharding_at(weft_source at, weft_program *p, const char *name);
WEFT_API const char *weft_program_output_type_at(weft_source at, weft_program *p, const char *name);
WEFT_API const char *weft_program_output_mesh_at(weft_source at, weft_program *p, const char *name);
WEFT_API const char *weft_program_output_sharding_at(weft_source at, weft_program *p, const char *name);

/* ---- where the time goes ---- */

/* Steps of a program's device of one kind, name and place, in an average run; those of a loop that is one piece of
 * generated code are one. */
typedef struct weft_program_time {
    const char *kind;              /* "products", "library calls", "generated code", "collectives", "waits" */
    const char *name;              /* "dot", "fusion", "all_reduce" */
    const char *place;             /* of the program: the file and line of the call that made the op */
    double time_s, calls;
    double flops;
    double bytes;                  /* that code touches; that the device sends in a collective */
} weft_program_time;

/* Measures each later run, on each device: two looks at the clock per step. What was measured before is gone. */
WEFT_API weft_status weft_program_measure(weft_program *p);
WEFT_API weft_status weft_program_measure_at(weft_source at, weft_program *p);
#define weft_program_measure(...) weft_program_measure_at(WEFT_HERE, __VA_ARGS__)
/* Of this process's first device, the slowest first; *run_s is the time of a run, with that between
 * the steps. Nothing measured: *n and *run_s are 0. *out is the program's, until its close. A collective's time
 * has the wait for the other ranks in it. */
WEFT_API weft_status weft_program_times(weft_program *p, const weft_program_time **out, size_t *n, double *run_s);
WEFT_API weft_status weft_program_times_at(weft_source at, weft_program *p, const weft_program_time **out, size_t *n,
                                           double *run_s);
#define weft_program_times(...) weft_program_times_at(WEFT_HERE, __VA_ARGS__)

/* ---- the calls as they are written: with the caller's place, and then the arguments above ---- */

#define weft_array_of_zeros(...) weft_array_of_zeros_at(WEFT_HERE, __VA_ARGS__)
#define weft_array_from(...) weft_array_from_at(WEFT_HERE, __VA_ARGS__)
#define weft_array_make(...) weft_array_make_at(WEFT_HERE, __VA_ARGS__)
#define weft_array_from_npy(...) weft_array_from_npy_at(WEFT_HERE, __VA_ARGS__)
#define weft_array_part(...) weft_array_part_at(WEFT_HERE, __VA_ARGS__)
#define weft_array_read(...) weft_array_read_at(WEFT_HERE, __VA_ARGS__)
#define weft_array_read_all(...) weft_array_read_all_at(WEFT_HERE, __VA_ARGS__)
#define weft_array_move(...) weft_array_move_at(WEFT_HERE, __VA_ARGS__)
#define weft_state_set(...) weft_state_set_at(WEFT_HERE, __VA_ARGS__)
#define weft_state_get(...) weft_state_get_at(WEFT_HERE, __VA_ARGS__)
#define weft_program_load(...) weft_program_load_at(WEFT_HERE, __VA_ARGS__)
#define weft_program_write(...) weft_program_write_at(WEFT_HERE, __VA_ARGS__)
#define weft_program_read(...) weft_program_read_at(WEFT_HERE, __VA_ARGS__)
#define weft_program_run(...) weft_program_run_at(WEFT_HERE, __VA_ARGS__)
#define weft_program_output(...) weft_program_output_at(WEFT_HERE, __VA_ARGS__)
#define weft_program_store(...) weft_program_store_at(WEFT_HERE, __VA_ARGS__)
#define weft_program_put(...) weft_program_put_at(WEFT_HERE, __VA_ARGS__)
#define weft_program_make(...) weft_program_make_at(WEFT_HERE, __VA_ARGS__)
#define weft_program_input_type(...) weft_program_input_type_at(WEFT_HERE, __VA_ARGS__)
#define weft_program_input_mesh(...) weft_program_input_mesh_at(WEFT_HERE, __VA_ARGS__)
#define weft_program_input_sharding(...) weft_program_input_sharding_at(WEFT_HERE, __VA_ARGS__)
#define weft_program_output_type(...) weft_program_output_type_at(WEFT_HERE, __VA_ARGS__)
#define weft_program_output_mesh(...) weft_program_output_mesh_at(WEFT_HERE, __VA_ARGS__)
#define weft_program_output_sharding(...) weft_program_output_sharding_at(WEFT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
