/* graph_impl.h: the inside of a weft_graph, for the files of this room.
 *
 * A graph holds a module under construction: @main, whose block's arguments are the inputs, and one sdy.mesh per mesh.
 * Names and shardings of inputs and outputs are kept here until weft_graph_finish writes them into @main's attributes.
 * Everything lives in the module's arena.
 */
#ifndef WEFT_CAPI_GRAPH_IMPL_H
#define WEFT_CAPI_GRAPH_IMPL_H

#include <weft/graph.h>
#include "ir/builder.h"
#include "ir/verify.h"
#include "pipeline/pipeline.h"

struct weft_device_mesh {
    weft_name name;                  /* of the sdy.mesh */
    const weft_mesh_attr *attr;
    struct weft_graph *graph;
};

typedef struct weft_graph_port {
    weft_name name;
    weft_value *value;
    const weft_attr *sharding;       /* SHARDING, or NULL */
    const weft_loc *loc;
    int64_t update;                  /* an input: the output that replaces it after a step, or -1 */
} weft_graph_port;

typedef struct weft_graph_ports {
    weft_graph_port *v;
    size_t n, cap;
} weft_graph_ports;

struct weft_graph {
    weft_context *cx;
    weft_module *m;
    weft_op *func;
    weft_builder b;                  /* at the end of @main; holds the first failure */
    weft_graph_ports inputs, outputs;
    uint32_t mesh_count;
    bool finished;
};

/* True if makers may go on: there is a graph, without error and not finished (which is reported). Sets the source place
 * of the next ops. */
bool weft_graph_begin(weft_graph *g, weft_source at);

/* Reports at the builder's place, keeps the status, and returns NULL. */
weft_value *weft_graph_fail(weft_graph *g, weft_diag_class cls, const char *fmt, ...) WEFT_PRINTF(3, 4);
/* Keeps a status that was reported already. */
weft_value *weft_graph_keep(weft_graph *g, weft_status st);

/* Whether x[0..n) are tensors of this graph; reports, naming the maker. */
bool weft_graph_owns(weft_graph *g, const char *what, weft_tensor *const *x, size_t n);

/* Whether every non-empty list of dimensions is not NULL; reports. */
bool weft_graph_lists(weft_graph *g, const char *what, const weft_dims *d, size_t n);

/* "64x256xf32" as a tensor type; reports and returns NULL if it is invalid. */
const weft_type *weft_graph_type(weft_graph *g, weft_str text);

/* One op without regions: verified, result types inferred where types[i] is NULL on entry (types may be NULL: all). */
weft_op *weft_graph_build(weft_graph *g, weft_op_kind kind, weft_value *const *x, size_t n, const weft_attr_pair *attrs,
                          size_t attr_count, const weft_type **types, size_t result_count);
/* The same with one result, inferred (type NULL) or of this type. */
weft_value *weft_graph_build_1(weft_graph *g, weft_op_kind kind, weft_value *const *x, size_t n,
                               const weft_attr_pair *attrs, size_t attr_count, const weft_type *type);

/* The tensor's sharding in attribute form from its spelling (weft_shard); reports and returns NULL. */
const weft_attr *weft_graph_sharding(weft_graph *g, const weft_device_mesh *mesh, uint32_t rank, weft_str spelling);

/* The inverse: the spelling of an argument's or result's sharding, in arena. NULL, reported, when memory is out. */
const char *weft_sharding_spelling(weft_context *cx, weft_arena *arena, const weft_io *io);

/* Writes inputs, outputs and shardings into @main and verifies the module. May be called again. */
weft_status weft_graph_finish(weft_graph *g);

#endif
