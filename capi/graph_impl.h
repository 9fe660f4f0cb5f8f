/* graph_impl.h: the inside of a weft_graph, for the files of this room.
 *
 * A graph holds a module under construction: @main, whose block's arguments are the inputs, a function per
 * weft_graph_function, and one sdy.mesh per mesh. While a callback makes a body, the builder is at the end of that
 * body, whose op is a shell: an op outside of the module with the body's region, which gives the region to the real op
 * once the body has told the types of its results. Names and shardings of inputs and outputs are kept here until
 * weft_graph_finish writes them into @main's attributes. Everything lives in the module's arena.
 */
#ifndef WEFT_CAPI_GRAPH_IMPL_H
#define WEFT_CAPI_GRAPH_IMPL_H

#include <weft/parameters.h>
#include "base/table.h"
#include "ir/builder.h"
#include "ir/verify.h"
#include "pipeline/pipeline.h"

struct weft_device_mesh {
    weft_name name;                  /* of the sdy.mesh */
    const weft_mesh_attr *attr;
    struct weft_graph *graph;
};

/* An input that is a parameter or a variable (weft/parameters.h). */
typedef struct weft_graph_kept {
    enum { WEFT_KEPT_PARAMETER, WEFT_KEPT_VARIABLE } role;
    weft_init init;                  /* with its fans */
    const weft_value *of;            /* a variable's parameter, or NULL */
    weft_dims dims;                  /* of `of`: those that the variable has */
    uint32_t layers;                 /* its first dimensions that are layers' */
} weft_graph_kept;

typedef struct weft_graph_port {
    weft_name name;
    weft_value *value;
    const weft_graph_kept *kept;     /* NULL: any other input, and outputs */
    const weft_attr *sharding;       /* SHARDING, or NULL */
    const weft_loc *loc;
    int64_t update;                  /* an input: the output that replaces it after a step, or -1 */
} weft_graph_port;

typedef struct weft_graph_ports {
    weft_graph_port *v;
    size_t n, cap;
    weft_table names;                /* of all that were added */
} weft_graph_ports;

/* A block that makers may add to, or read values of: @main's, and those of the bodies that callbacks are making. */
typedef struct weft_graph_open {
    weft_block *block;
    const struct weft_graph_open *outer;
    enum { WEFT_SEES_OUTER, WEFT_SEES_NOTHING } sees; /* of outer's values; nothing in a function */
} weft_graph_open;

typedef struct weft_graph_scope {
    weft_name path;                  /* "block 1/attention" */
    const struct weft_graph_scope *outer;
} weft_graph_scope;

/* The layers whose body is being made (weft_layers). */
typedef struct weft_graph_stack {
    int64_t count;
    weft_value *layer;               /* its number, in the body */
    const struct weft_graph_stack *outer;
} weft_graph_stack;

/* What weft_strategy_sp says of activations. */
typedef struct weft_graph_sequence {
    const char *pattern;
    const weft_device_mesh *mesh;
    weft_name axis;
    const weft_loc *loc;
    bool used;
    struct weft_nearest *near;       /* the activation whose name is nearest to the pattern */
    struct weft_graph_sequence *next;
} weft_graph_sequence;

struct weft_graph {
    weft_context *cx;
    weft_module *m;
    weft_op *func;
    weft_builder b;                  /* at the end of @main; holds the first failure */
    weft_graph_ports inputs, outputs;
    weft_graph_open main;
    const weft_graph_open *open;     /* the block of b; &main outside of callbacks */
    const weft_graph_scope *scope;   /* NULL: none */
    const weft_graph_stack *stack;   /* NULL: none */
    weft_graph_sequence *sequences;
    uint32_t mesh_count;
    bool finished;
};

/* True if makers may go on: there is a graph, without error and not finished (which is reported). Sets the source place
 * of the next ops. */
bool weft_graph_begin(weft_graph *g, weft_source at);

/* The place of the ops being made, for a maker in terms of others. */
weft_source weft_graph_source(const weft_graph *g);

/* Reports at the builder's place, keeps the status, and returns NULL. */
weft_value *weft_graph_fail(weft_graph *g, weft_diag_class cls, const char *fmt, ...) WEFT_PRINTF(3, 4);
/* Keeps a status that was reported already. */
weft_value *weft_graph_keep(weft_graph *g, weft_status st);

/* An input of this whole name, wherever the builder is. NULL with the failure kept. */
weft_graph_port *weft_graph_add_input(weft_graph *g, const char *name, const weft_type *type);
/* sharding NULL: the one that weft_shard gave t, if any. */
void weft_graph_add_output(weft_graph *g, const char *name, weft_tensor *t, const weft_attr *sharding);
/* Slice i of x, along dimension 0, which it lacks. NULL with the failure kept. */
weft_value *weft_graph_slice_of(weft_graph *g, weft_value *x, weft_value *i);
/* Variables get the shardings of their parameters, as far as these are known. */
void weft_graph_share_shardings(weft_graph *g);
/* A parameter's first dimensions that layers or experts have, and those after them that an output sums. */
void weft_graph_kept_dims(const weft_graph_port *p, size_t *stacked, size_t *summed);
/* The name in the scopes that are open, on scratch memory; NULL with the failure kept. */
const char *weft_graph_path(weft_graph *g, const char *what, const char *name);
/* Reports a strategy of activations that none was made for. */
void weft_graph_check_sequences(weft_graph *g);
/* The mesh under its name in the module. */
weft_status weft_graph_add_mesh(weft_graph *g, weft_name name, const weft_attr *attr);

/* Whether what (an input, say) is made outside of bodies; reports. */
bool weft_graph_at_main(weft_graph *g, const char *what);

/* Whether x[0..n) are tensors of this graph that the block under construction may use; reports, naming the maker. */
bool weft_graph_owns(weft_graph *g, const char *what, weft_tensor *const *x, size_t n);

/* Whether every non-empty list of dimensions is not NULL; reports. */
bool weft_graph_lists(weft_graph *g, const char *what, const weft_dims *d, size_t n);
/* Such a list as IR has it, and as an attribute. */
static inline weft_ints weft_ints_of(weft_dims d) { return (weft_ints){ d.v, (uint32_t)d.n }; }
static inline const weft_attr *weft_graph_ints(weft_graph *g, weft_dims d) {
    return weft_attr_ints(g->cx, WEFT_I64, d.v, (uint32_t)d.n);
}

/* "64x256xf32" as a tensor type; reports and returns NULL if it is invalid. */
const weft_type *weft_graph_type(weft_graph *g, weft_str text);

/* "8xf32" in weft's spelling, or a type in MLIR's whole spelling ("tensor<?xf32>", "!stablehlo.token"); reports. */
const weft_type *weft_graph_any_type(weft_graph *g, weft_str text);
/* An attribute or a type as MLIR spells it; what is wrong with it is reported at the call under way, "WHERE 'NAME', at
 * character 3: ...". */
weft_status weft_graph_parse(weft_graph *g, const char *where, const char *name, weft_str text, const weft_attr **attr,
                            const weft_type **type);
/* n of them, separated by ';' outside of brackets, into types; reports. */
bool weft_graph_types(weft_graph *g, const char *text, const weft_type **types, size_t n);
/* How many there are in text. */
size_t weft_graph_count_types(const char *text);

/* A body to be made by a callback (weft/control.h). */
typedef struct weft_graph_late {
    weft_tensor **y;
    size_t n;
} weft_graph_late;
typedef struct weft_graph_body {
    weft_body *fn;
    void *user;
    const weft_graph_late *late;     /* not NULL: the results, in place of y, known once the body is made */
    const weft_type *const *args;    /* of the region's arguments */
    size_t arg_count, result_count;
} weft_graph_body;

/* An op outside of the module, with so many empty regions, above which is the block under construction. NULL with the
 * failure kept. */
weft_op *weft_graph_shell(weft_graph *g, weft_op_kind kind, size_t region_count);
/* Makes region r of the shell: calls fn with the builder inside, and ends the block with what it returns. False with
 * the failure kept, after a note that names the place of the op. */
bool weft_graph_fill_region(weft_graph *g, weft_op *shell, size_t r, const weft_graph_body *body);
/* What the body of region r returned. */
weft_value *const *weft_graph_yields(const weft_op *shell, size_t r, size_t *n);
/* As weft_graph_build, with the regions of the shell, which is of the op's kind. */
weft_op *weft_graph_build_shell(weft_graph *g, weft_op *shell, weft_value *const *x, size_t n,
                                const weft_attr_pair *attrs, size_t attr_count, const weft_type **types,
                                size_t result_count);

/* weft_graph_begin for a maker that writes its results to out[0..n), which may be where its operands are: only a
 * failure empties it. Reports where it is NULL. */
bool weft_graph_begin_to(weft_graph *g, weft_source at, const char *what, weft_tensor **out, size_t n);
/* The results of op to out, which NULL for a failure empties; the second from result `first` on. */
void weft_graph_results_from(const weft_op *op, size_t first, weft_tensor **out, size_t n);
void weft_graph_results(const weft_op *op, weft_tensor **out, size_t n);

/* One op without regions: verified, result types inferred where types[i] is NULL on entry (types may be NULL: all). */
weft_op *weft_graph_build(weft_graph *g, weft_op_kind kind, weft_value *const *x, size_t n, const weft_attr_pair *attrs,
                          size_t attr_count, const weft_type **types, size_t result_count);
/* The same with one result, inferred (type NULL) or of this type. */
weft_value *weft_graph_build_1(weft_graph *g, weft_op_kind kind, weft_value *const *x, size_t n,
                               const weft_attr_pair *attrs, size_t attr_count, const weft_type *type);

/* [[low, high], ...] of `rank` dimensions, on the context; an empty list is zeros; reports. */
const weft_attr *weft_graph_padding(weft_graph *g, const char *what, weft_dims low, weft_dims high, size_t rank);
const weft_attr *weft_graph_scatter_numbers(weft_graph *g, const weft_scatter_numbers *d); /* NULL: no memory */
weft_value *weft_graph_build_compare(weft_graph *g, weft_enum_value direction, weft_value *a, weft_value *b);

/* The tensor's sharding in attribute form from its spelling (weft_shard); reports and returns NULL. */
const weft_attr *weft_graph_sharding(weft_graph *g, const weft_device_mesh *mesh, uint32_t rank, weft_str spelling);

/* ---- calls ---- */

/* From here to the end of a call, what is reported to the context without a place (a damaged file, a peer that
 * has ended) is at the caller's line. Calls within it have that of the outer one. */
typedef struct weft_call { weft_context *cx; weft_from outer; } weft_call;
weft_call weft_call_begin(weft_context *cx, weft_source at);
weft_status weft_call_end(weft_call call, weft_status st); /* st */

/* For weft_load_options.print: the graph as the caller wrote it, to find the difference of two. user: a weft_graph, or
 * NULL. */
weft_status weft_graph_print(void *user, weft_buf *out);
/* This process's error for the other processes: its last diagnostic, with the place. */
weft_status weft_error_print(const weft_context *cx, weft_status st, weft_buf *out);

/* Writes inputs, outputs and shardings into @main and verifies the module. May be called again. */
weft_status weft_graph_finish(weft_graph *g);

#endif
