/* graph.h: programs made in C, annotated in a line per tensor, run on many devices.
 *
 * A graph is one program under construction: inputs, operations, outputs. It builds the same module that the reader
 * makes of StableHLO text. A weft_tensor is a value of the graph: it has an element type and a shape and holds no data.
 * A job is a graph that was partitioned and compiled, the devices that run it, and the arrays they hold.
 *
 *     weft_graph *g = weft_graph_new(cx, "step");
 *     weft_tensor *x = weft_graph_input(g, "x", "64x256xf32");
 *     weft_tensor *w = weft_graph_input(g, "w", "256x512xf32");
 *     const weft_device_mesh *mesh = weft_graph_mesh(g, "data=2, model=4");
 *     weft_shard(g, x, mesh, "data, -");
 *     weft_shard(g, w, mesh, "-, model");
 *     weft_graph_output(g, "y", weft_graph_tanh(g, weft_graph_einsum(g, "bi,io->bo", x, w)));
 *
 * Errors. The makers are macros that pass the caller's file and line: every op carries them to the end, and every
 * diagnostic names them. The first error is reported to the graph's context and kept in the graph. From then on the
 * makers do nothing and return NULL, and they accept NULL tensors, so one check at the end is enough:
 * weft_graph_status, or the status of weft_job_open. Jobs report on each call. A NULL graph, which weft_graph_new
 * returns when memory is out, behaves like a graph with an error.
 *
 * Types are spelled as between the brackets of MLIR's tensor<...>: "64x256xf32", "8xi32", "f32" (a scalar). Element
 * types are those of StableHLO: i1 i8 ... i64, ui8 ... ui64, bf16, f16, f32, f64, complex<f32> ... Data is row-major,
 * little-endian, one byte per i1.
 *
 * Ownership. Tensors and meshes belong to their graph and end with it. A graph belongs to the caller and must be freed
 * before its context. Names, types and data passed in are copied.
 * Threads. A graph or job is used by one thread at a time, and so is its context.
 */
#ifndef WEFT_GRAPH_H
#define WEFT_GRAPH_H

#include <weft/weft.h>

#ifdef __cplusplus
#include <initializer_list>
extern "C" {
#endif

typedef struct weft_graph weft_graph;
typedef struct weft_value weft_tensor;
typedef struct weft_device_mesh weft_device_mesh;

/* A short list of numbers: WEFT_DIMS(0, 2). The empty list is WEFT_NO_DIMS. In C the numbers live until the end of the
 * block. In C++ they live in a temporary object: until the end of the call that contains the macro, or in a variable
 * declared auto. */
typedef struct weft_dims {
    const int64_t *v;
    size_t n;
} weft_dims;
#ifdef __cplusplus
extern "C++" {
template <size_t n> struct weft_dims_held {
    int64_t v[n];
    operator weft_dims() const { return weft_dims{ v, n }; }
};
template <typename... T> weft_dims_held<sizeof...(T)> weft_dims_hold(T... d) {
    return { { static_cast<int64_t>(d)... } };
}
}
#define WEFT_DIMS(...) (weft_dims_hold(__VA_ARGS__))
#define WEFT_NO_DIMS (weft_dims{ nullptr, 0 })
#else
#define WEFT_DIMS(...) \
    ((weft_dims){ (const int64_t[]){ __VA_ARGS__ }, sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t) })
#define WEFT_NO_DIMS ((weft_dims){ NULL, 0 })
#endif

/* ---- the graph ---- */

/* An empty graph whose module is called name (NULL: no name). NULL when memory is out. */
WEFT_API weft_graph *weft_graph_new(weft_context *cx, const char *name);
WEFT_API void weft_graph_free(weft_graph *g); /* NULL is fine; open jobs do not need their graph */

/* A graph of the StableHLO program in the file at path ("-": standard input), complete: it can be opened as a job. The
 * file is MLIR's text, MLIR bytecode (also a portable artifact of StableHLO) or a file of jax.export.
 * Inputs have the names of @main's arguments ("%w" gives "w"). Outputs have their jax.result_info as name, or "out0",
 * "out1" ... if they have none or an earlier output has the same. A donated argument is updated with its result, as
 * JAX's training state is: the result that tf.aliasing_output names, or for jax.buffer_donor the first remaining one of
 * its type. Errors: those of the reader, with line and column, or with the byte. */
WEFT_API weft_status weft_graph_read(weft_context *cx, const char *path, weft_graph **out);
WEFT_API weft_status weft_graph_read_at(weft_source at, weft_context *cx, const char *path, weft_graph **out);
#define weft_graph_read(...) weft_graph_read_at(WEFT_HERE, __VA_ARGS__)
/* The same from `bytes` bytes of such a file, which messages call `name`. They are not kept. */
WEFT_API weft_status weft_graph_read_text(weft_context *cx, const char *name, const char *text, size_t bytes,
                                          weft_graph **out);
WEFT_API weft_status weft_graph_read_text_at(weft_source at, weft_context *cx, const char *name, const char *text,
                                             size_t bytes, weft_graph **out);
#define weft_graph_read_text(...) weft_graph_read_text_at(WEFT_HERE, __VA_ARGS__)

/* The first error, or WEFT_OK. WEFT_ERR_USAGE for NULL. */
WEFT_API weft_status weft_graph_status(const weft_graph *g);

/* The program as StableHLO text in the allocator's memory, to be freed with weft_text_free. Its arguments have the
 * names of the inputs, which weft_graph_read_text gives them back, where MLIR takes them for names: letters, digits and
 * $._-, with no digit in front, and none that it gives itself (arg1, cst, values_0). Verifies the program. Ends
 * construction: later makers report WEFT_ERR_USAGE. Returns the graph's error if it has one. */
WEFT_API weft_status weft_graph_text(weft_graph *g, char **text);
WEFT_API weft_status weft_graph_text_at(weft_source at, weft_graph *g, char **text);
#define weft_graph_text(...) weft_graph_text_at(WEFT_HERE, __VA_ARGS__)
WEFT_API void weft_text_free(weft_context *cx, char *text);

/* The element type's MLIR name, the rank, and dimension i. "" / 0 / 0 for NULL or past the end. */
WEFT_API const char *weft_tensor_dtype(const weft_tensor *t);
WEFT_API size_t weft_tensor_rank(const weft_tensor *t);
WEFT_API int64_t weft_tensor_dim(const weft_tensor *t, size_t i);

/* Input or output i in the order in which they were made, and its name (name may be NULL). NULL past the end. */
WEFT_API weft_tensor *weft_graph_get_input(const weft_graph *g, size_t i, const char **name);
WEFT_API weft_tensor *weft_graph_get_output(const weft_graph *g, size_t i, const char **name);

/* ---- inputs and outputs ---- */

/* Argument `name` of the program. Names are unique among the inputs. */
WEFT_API weft_tensor *weft_graph_input_at(weft_source at, weft_graph *g, const char *name, const char *type);
/* Makes t a result of the program under this name. Names are unique among the outputs. */
WEFT_API void weft_graph_output_at(weft_source at, weft_graph *g, const char *name, weft_tensor *t);
/* The same with the output's sharding on the mesh, in weft_shard's spelling. An output of weft_graph_output has the
 * sharding that weft_shard gave its tensor; without one, the partitioner chooses. */
WEFT_API void weft_graph_output_sharded_at(weft_source at, weft_graph *g, const char *name, weft_tensor *t,
                                           const weft_device_mesh *mesh, const char *spelling);
/* After each step of a job, `input` takes the value `next`: parameters, optimizer state, carried sums. Both have
 * the same type; the input's buffer is donated, so no second copy is held. next can be read as an output of the
 * input's name. One update per input. */
WEFT_API void weft_graph_update_at(weft_source at, weft_graph *g, weft_tensor *input, weft_tensor *next);

/* ---- shardings ---- */

/* A mesh of named axes, the last one fastest: "data=2, model=4". Devices are numbered row-major over it. */
WEFT_API const weft_device_mesh *weft_graph_mesh_at(weft_source at, weft_graph *g, const char *axes);

/* Sets t's sharding on the mesh, and returns the tensor to use from here on: t itself for an input, the constrained
 * value for others. The spelling has one item per dimension, separated by commas:
 *     -               not split                     {}
 *     ?               open; propagation decides     {?}
 *     model           split over the axis           {"model"}
 *     data*model      over both, data major         {"data", "model"}
 *     model:(1)2      over a sub-axis               {"model":(1)2}
 *     data?           at least over data            {"data", ?}
 *     data p1         with a priority, 0 first      {"data"}p1
 * and then, if needed, "; replicated AXES" and "; unreduced AXES". A scalar's spelling is "". Propagation shards
 * tensors without annotation. Errors: an axis that the mesh lacks or that is used twice, the wrong number of items. */
WEFT_API weft_tensor *weft_shard_at(weft_source at, weft_graph *g, weft_tensor *t, const weft_device_mesh *mesh,
                                    const char *spelling);

/* How custom calls of a target are sharded, for all programs of the context: an einsum's text, in which dimensions of
 * one letter are sharded alike.
 *     weft_rule_register(cx, "my_matmul", "ij,jk->ik");
 *     ij,jk->ik               a letter in no result (j) may be sharded too: the results are added up
 *     b(hd)->bhd              a dimension of several factors, major to minor
 *     ij->ij; replicated j    what sharding a letter costs: replicated (gathered first), permuted (moved between
 *                             neighbours), reduced, passing (nothing), or blocked (it does not propagate)
 * Errors: text that is no rule, with the column; a second, different rule for the target. Each call is checked against
 * the rule's ranks and sizes. */
WEFT_API weft_status weft_rule_register_at(weft_source at, weft_context *cx, const char *target, const char *rule);

/* ---- constants ---- */

/* data holds every element, in `bytes` bytes. */
WEFT_API weft_tensor *weft_graph_constant_at(weft_source at, weft_graph *g, const char *type, const void *data,
                                             size_t bytes);
/* Every element is v, rounded to the type; integers saturate. */
WEFT_API weft_tensor *weft_graph_fill_at(weft_source at, weft_graph *g, const char *type, double v);
/* The same with the type of t. */
WEFT_API weft_tensor *weft_graph_fill_like_at(weft_source at, weft_graph *g, const weft_tensor *t, double v);
/* Element [.., i, ..] is i, counted along dimension dim. */
WEFT_API weft_tensor *weft_graph_iota_at(weft_source at, weft_graph *g, const char *type, int64_t dim);

/* ---- element by element ---- x[0..n) have one shape, which the result has too (select's predicate and clamp's bounds
 * may be scalars). op is a pointwise op of the op table, without "stablehlo.": "add", "tanh", "chlo.erf". Those that
 * need an attribute have calls of their own below. StableHLO's spec defines each op. The macro takes the operands one
 * by one: weft_graph_pointwise(g, "chlo.erf", x), weft_graph_pointwise(g, "add", a, b). */
WEFT_API weft_tensor *weft_graph_pointwise_at(weft_source at, weft_graph *g, const char *op, weft_tensor *const *x,
                                              size_t n);
/* direction: "EQ" "NE" "GE" "GT" "LE" "LT". Result: i1, same shape. Floats compare with NaN unequal to all, integers
 * by their signedness. */
WEFT_API weft_tensor *weft_graph_compare_at(weft_source at, weft_graph *g, const char *direction, weft_tensor *a,
                                            weft_tensor *b);
/* To another element type ("bf16"), same shape. */
WEFT_API weft_tensor *weft_graph_convert_at(weft_source at, weft_graph *g, weft_tensor *x, const char *dtype);
/* x * factor. */
WEFT_API weft_tensor *weft_graph_scale_at(weft_source at, weft_graph *g, weft_tensor *x, double factor);

/* ---- shapes ---- */

/* x of rank r becomes `shape`; dimension i of x is dimension dims[i] of the result, of equal size or 1. dims ascend. */
WEFT_API weft_tensor *weft_graph_broadcast_at(weft_source at, weft_graph *g, weft_tensor *x, weft_dims shape,
                                              weft_dims dims);
/* The same with the shape of `like`. */
WEFT_API weft_tensor *weft_graph_broadcast_like_at(weft_source at, weft_graph *g, weft_tensor *x,
                                                   const weft_tensor *like, weft_dims dims);
/* The same elements in row-major order under another shape. */
WEFT_API weft_tensor *weft_graph_reshape_at(weft_source at, weft_graph *g, weft_tensor *x, weft_dims shape);
/* Dimension i of the result is dimension permutation[i] of x. */
WEFT_API weft_tensor *weft_graph_transpose_at(weft_source at, weft_graph *g, weft_tensor *x, weft_dims permutation);
/* Elements start, start + stride, ... below limit, in each dimension. strides may be WEFT_NO_DIMS: all 1. */
WEFT_API weft_tensor *weft_graph_slice_at(weft_source at, weft_graph *g, weft_tensor *x, weft_dims start,
                                          weft_dims limit, weft_dims strides);
/* x[0..n) one after another along dim; their other dimensions agree. */
WEFT_API weft_tensor *weft_graph_concatenate_at(weft_source at, weft_graph *g, weft_tensor *const *x, size_t n,
                                                int64_t dim);

/* ---- sums of products, reductions ---- */

/* Einstein's notation over two tensors, one letter per dimension: "bi,io->bo" is a matrix product, "bhqd,bhkd->bhqk"
 * batched scores. A letter in both operands and not in the result is summed. Every letter of the result occurs in an
 * operand, and a letter of only one operand occurs in the result. Becomes one dot_general, and a transpose if the order
 * needs it. The operands have one element type, which the result has too; weft_graph_convert makes them equal. */
WEFT_API weft_tensor *weft_graph_einsum_at(weft_source at, weft_graph *g, const char *spelling, weft_tensor *a,
                                           weft_tensor *b);
/* Reduces over dims, which the result lacks. op: "add" "multiply" "maximum" "minimum" "and" "or" "xor". */
WEFT_API weft_tensor *weft_graph_reduce_at(weft_source at, weft_graph *g, const char *op, weft_tensor *x,
                                           weft_dims dims);

/* ---- any op of the table ---- name as in MLIR ("stablehlo.dynamic_slice"); attributes as a dictionary in MLIR's
 * spelling ("{slice_sizes = array<i64: 1, 8>}") or NULL; types of the results separated by ';', or NULL to infer them.
 * Results are written to out[0..out_n). A type is spelled as above, or as all of
 * MLIR's, which tokens, tuples and dynamic shapes need: "!stablehlo.token", "tensor<?xf32>". Ops with regions:
 * weft_graph_op_with (control.h). Refused: what ends a body, functions and meshes. */
WEFT_API void weft_graph_op_at(weft_source at, weft_graph *g, const char *name, weft_tensor *const *x, size_t n,
                               const char *attributes, const char *types, weft_tensor **out, size_t out_n);

/* ---- running ---- */

typedef struct weft_job weft_job;

typedef enum weft_launch {
    WEFT_LAUNCH_AUTO,    /* at a rendezvous if WEFT_RENDEZVOUS is set (weft/coll.h); by MPI if the environment shows
                          * that a launcher (mpirun, srun) started this process; else as WEFT_LAUNCH_THREADS */
    WEFT_LAUNCH_THREADS /* every device is a thread of this process */
} weft_launch;

/* How the plan treats sharding constraints: weft_shard on values that are not inputs, and those of a program that was
 * read. */
typedef enum weft_constraints {
    WEFT_CONSTRAINTS_WEIGHED, /* a constraint is one more layout in which the value may be read. A plan that is cheaper
                               * without it ignores it, with a warning of the flag "constraint" */
    WEFT_CONSTRAINTS_OBEYED   /* the value is resharded to it, whatever that costs, as XLA does */
} weft_constraints;

struct weft_world;
/* The type to which products of f32 round their operands: bf16 takes half the memory, and on processors with
 * instructions for it a fraction of the time; sums stay f32. A product that asks for a higher precision has f32. */
typedef enum weft_precision { WEFT_PRECISION_F32, WEFT_PRECISION_BF16 } weft_precision;

typedef struct weft_job_options {
    weft_launch launch;
    double timeout_s;         /* how long a device waits for the others; 0: 30 s; negative: for ever */
    /* lent until the job is closed: each device is a rank of this world (weft/coll.h, weft/mpi.h), and launch and
     * timeout_s are ignored. NULL: the job makes a world of its own */
    struct weft_world *world;
    weft_constraints constraints; /* alike in all processes */
    int threads;         /* of each device; 0: WEFT_THREADS, or else its share of the cores (weft/topo.h) */
    /* bytes that a device may hold: values are computed again and less is fused rather than held, and a program that
     * takes more all the same is refused. 0: any number. Alike in all processes */
    int64_t memory_bytes;
    weft_precision precision; /* of products; alike in all processes */
    size_t size;         /* sizeof(weft_job_options); 0: the fields above (weft/weft.h) */
} weft_job_options;

/* Partitions the graph over its mesh (one device without one), compiles it and starts the devices, whose arrays are
 * zeros. Ends the graph's construction. opt may be NULL: all zero. Under MPI all processes call it with equal graphs;
 * if one fails, all do, and *out is NULL. Errors: those of the graph; WEFT_ERR_USAGE if the number of processes does
 * not divide the number of devices, or a given world has not as many ranks as there are devices. A given world carries
 * any number of jobs, one after another or at once, beside the program's own handles; its processes then make the calls
 * of all of them in one order. A job that fails while it runs makes the world fail, as a failed collective does. */
WEFT_API weft_status weft_job_open(weft_context *cx, weft_graph *g, const weft_job_options *opt, weft_job **out);
WEFT_API weft_status weft_job_open_at(weft_source at, weft_context *cx, weft_graph *g, const weft_job_options *opt,
                                      weft_job **out);
#define weft_job_open(...) weft_job_open_at(WEFT_HERE, __VA_ARGS__)
WEFT_API void weft_job_close(weft_job *j); /* NULL is fine; collective over processes */

/* The calls below return WEFT_ERR_USAGE for a NULL job, which weft_job_open leaves when it fails. */

/* Sets input `name` to a global value: `bytes` bytes, the size of its type. Every process passes the same data. If one
 * does not, or has left out a step, process 0's next weft_job_read warns of it, by a hash of the data (of samples, over
 * 64 KiB). */
WEFT_API weft_status weft_job_write(weft_job *j, const char *name, const void *data, size_t bytes);
WEFT_API weft_status weft_job_write_at(weft_source at, weft_job *j, const char *name, const void *data, size_t bytes);
#define weft_job_write(...) weft_job_write_at(WEFT_HERE, __VA_ARGS__)
/* One execution. The updates take effect before the next. Collective over processes. */
WEFT_API weft_status weft_job_step(weft_job *j);
WEFT_API weft_status weft_job_step_at(weft_source at, weft_job *j);
#define weft_job_step(...) weft_job_step_at(WEFT_HERE, __VA_ARGS__)
/* Copies the global value of output `name` after the last step to data, which has `bytes` bytes, on process 0; the
 * other processes' data is not touched. Collective over processes. WEFT_ERR_USAGE before the first step, and for an
 * update whose input was written since. */
WEFT_API weft_status weft_job_read(weft_job *j, const char *name, void *data, size_t bytes);
WEFT_API weft_status weft_job_read_at(weft_source at, weft_job *j, const char *name, void *data, size_t bytes);
#define weft_job_read(...) weft_job_read_at(WEFT_HERE, __VA_ARGS__)

/* The sharding of input or output `name`, in weft_shard's spelling: "data, -", annotated or chosen by propagation. A
 * replicated array has "-" for each dimension. The text belongs to the job. Reports an error and returns NULL if there
 * is no such name. */
WEFT_API const char *weft_job_input_sharding(weft_job *j, const char *name);
WEFT_API const char *weft_job_input_sharding_at(weft_source at, weft_job *j, const char *name);
#define weft_job_input_sharding(...) weft_job_input_sharding_at(WEFT_HERE, __VA_ARGS__)
WEFT_API const char *weft_job_output_sharding(weft_job *j, const char *name);
WEFT_API const char *weft_job_output_sharding_at(weft_source at, weft_job *j, const char *name);
#define weft_job_output_sharding(...) weft_job_output_sharding_at(WEFT_HERE, __VA_ARGS__)
/* The part of it that a device holds: the elements start[d] to start[d] + count[d] - 1 of each dimension d. start and
 * count have `rank` entries, the array's rank (0 for a scalar; both may then be NULL). Parts have equal lengths, except
 * the last ones of a dimension that the devices do not divide: those are shorter, and may be empty. Several devices may
 * hold the same part. In a world of P processes that the job has made for D devices, process p has the devices p * D /
 * P to (p + 1) * D / P - 1; in a given world device d is rank d. WEFT_ERR_USAGE for an unknown name, device or wrong
 * rank. */
WEFT_API weft_status weft_job_input_part(weft_job *j, const char *name, int64_t device, int64_t *start, int64_t *count,
                                         size_t rank);
WEFT_API weft_status weft_job_input_part_at(weft_source at, weft_job *j, const char *name, int64_t device,
                                            int64_t *start, int64_t *count, size_t rank);
#define weft_job_input_part(...) weft_job_input_part_at(WEFT_HERE, __VA_ARGS__)
WEFT_API weft_status weft_job_output_part(weft_job *j, const char *name, int64_t device, int64_t *start, int64_t *count,
                                          size_t rank);
WEFT_API weft_status weft_job_output_part_at(weft_source at, weft_job *j, const char *name, int64_t device,
                                             int64_t *start, int64_t *count, size_t rank);
#define weft_job_output_part(...) weft_job_output_part_at(WEFT_HERE, __VA_ARGS__)

/* this process's number; -1 for NULL. Process 0 receives what weft_job_read reads, and is the one to print it */
WEFT_API int weft_job_process(const weft_job *j);
WEFT_API int64_t weft_job_devices(const weft_job *j); /* 0 for NULL */

/* ---- the makers as they are called: with the caller's place. Operands may be compound literals ---- */

#define weft_graph_input(...)                weft_graph_input_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_output(...)               weft_graph_output_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_output_sharded(...)       weft_graph_output_sharded_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_update(...)               weft_graph_update_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_mesh(...)                 weft_graph_mesh_at(WEFT_HERE, __VA_ARGS__)
#define weft_shard(...)                      weft_shard_at(WEFT_HERE, __VA_ARGS__)
#define weft_rule_register(...)              weft_rule_register_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_constant(...)             weft_graph_constant_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_fill(...)                 weft_graph_fill_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_fill_like(...)            weft_graph_fill_like_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_iota(...)                 weft_graph_iota_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_compare(...)              weft_graph_compare_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_convert(...)              weft_graph_convert_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_scale(...)                weft_graph_scale_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_broadcast(...)            weft_graph_broadcast_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_broadcast_like(...)       weft_graph_broadcast_like_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_reshape(...)              weft_graph_reshape_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_transpose(...)            weft_graph_transpose_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_slice(...)                weft_graph_slice_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_concatenate(...)          weft_graph_concatenate_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_einsum(...)               weft_graph_einsum_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_reduce(...)               weft_graph_reduce_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_op(...)                   weft_graph_op_at(WEFT_HERE, __VA_ARGS__)

#ifdef __cplusplus
extern "C++" {
inline weft_tensor *weft_graph_pointwise_of(weft_source at, weft_graph *g, const char *op,
                                            std::initializer_list<weft_tensor *> x) {
    return weft_graph_pointwise_at(at, g, op, x.begin(), x.size());
}
}
#define weft_graph_pointwise(g, op, ...) weft_graph_pointwise_of(WEFT_HERE, g, op, { __VA_ARGS__ })
#else
#define weft_graph_pointwise(g, op, ...) \
    weft_graph_pointwise_at(WEFT_HERE, g, op, (weft_tensor *const[]){ __VA_ARGS__ }, \
                            sizeof((weft_tensor *const[]){ __VA_ARGS__ }) / sizeof(weft_tensor *))
#endif

/* Spellings of weft_graph_pointwise, one per op of the table; tests/capi compares them with the table. */
#define weft_graph_abs(g, x)                         weft_graph_pointwise(g, "abs", x)
#define weft_graph_cbrt(g, x)                        weft_graph_pointwise(g, "cbrt", x)
#define weft_graph_ceil(g, x)                        weft_graph_pointwise(g, "ceil", x)
#define weft_graph_cosine(g, x)                      weft_graph_pointwise(g, "cosine", x)
#define weft_graph_count_leading_zeros(g, x)         weft_graph_pointwise(g, "count_leading_zeros", x)
#define weft_graph_exponential(g, x)                 weft_graph_pointwise(g, "exponential", x)
#define weft_graph_exponential_minus_one(g, x)       weft_graph_pointwise(g, "exponential_minus_one", x)
#define weft_graph_floor(g, x)                       weft_graph_pointwise(g, "floor", x)
#define weft_graph_log(g, x)                         weft_graph_pointwise(g, "log", x)
#define weft_graph_log_plus_one(g, x)                weft_graph_pointwise(g, "log_plus_one", x)
#define weft_graph_logistic(g, x)                    weft_graph_pointwise(g, "logistic", x)
#define weft_graph_negate(g, x)                      weft_graph_pointwise(g, "negate", x)
#define weft_graph_popcnt(g, x)                      weft_graph_pointwise(g, "popcnt", x)
#define weft_graph_round_nearest_afz(g, x)           weft_graph_pointwise(g, "round_nearest_afz", x)
#define weft_graph_round_nearest_even(g, x)          weft_graph_pointwise(g, "round_nearest_even", x)
#define weft_graph_rsqrt(g, x)                       weft_graph_pointwise(g, "rsqrt", x)
#define weft_graph_sign(g, x)                        weft_graph_pointwise(g, "sign", x)
#define weft_graph_sine(g, x)                        weft_graph_pointwise(g, "sine", x)
#define weft_graph_sqrt(g, x)                        weft_graph_pointwise(g, "sqrt", x)
#define weft_graph_tan(g, x)                         weft_graph_pointwise(g, "tan", x)
#define weft_graph_tanh(g, x)                        weft_graph_pointwise(g, "tanh", x)
#define weft_graph_not(g, x)                         weft_graph_pointwise(g, "not", x)
#define weft_graph_imag(g, x)                        weft_graph_pointwise(g, "imag", x)
#define weft_graph_real(g, x)                        weft_graph_pointwise(g, "real", x)
#define weft_graph_is_finite(g, x)                   weft_graph_pointwise(g, "is_finite", x)
#define weft_graph_add(g, a, b)                      weft_graph_pointwise(g, "add", a, b)
#define weft_graph_atan2(g, a, b)                    weft_graph_pointwise(g, "atan2", a, b)
#define weft_graph_divide(g, a, b)                   weft_graph_pointwise(g, "divide", a, b)
#define weft_graph_maximum(g, a, b)                  weft_graph_pointwise(g, "maximum", a, b)
#define weft_graph_minimum(g, a, b)                  weft_graph_pointwise(g, "minimum", a, b)
#define weft_graph_multiply(g, a, b)                 weft_graph_pointwise(g, "multiply", a, b)
#define weft_graph_power(g, a, b)                    weft_graph_pointwise(g, "power", a, b)
#define weft_graph_remainder(g, a, b)                weft_graph_pointwise(g, "remainder", a, b)
#define weft_graph_shift_left(g, a, b)               weft_graph_pointwise(g, "shift_left", a, b)
#define weft_graph_shift_right_arithmetic(g, a, b)   weft_graph_pointwise(g, "shift_right_arithmetic", a, b)
#define weft_graph_shift_right_logical(g, a, b)      weft_graph_pointwise(g, "shift_right_logical", a, b)
#define weft_graph_subtract(g, a, b)                 weft_graph_pointwise(g, "subtract", a, b)
#define weft_graph_and(g, a, b)                      weft_graph_pointwise(g, "and", a, b)
#define weft_graph_or(g, a, b)                       weft_graph_pointwise(g, "or", a, b)
#define weft_graph_xor(g, a, b)                      weft_graph_pointwise(g, "xor", a, b)
#define weft_graph_complex(g, re, im)                weft_graph_pointwise(g, "complex", re, im)
#define weft_graph_select(g, pred, on_true, on_false) weft_graph_pointwise(g, "select", pred, on_true, on_false)
#define weft_graph_clamp(g, low, x, high)            weft_graph_pointwise(g, "clamp", low, x, high)

#ifdef __cplusplus
}
#endif
#endif
