/* attr.h: attributes, as written.
 *
 * An attribute is an immutable node that belongs to its context and outlives modules, so passes share them between
 * modules. They are not uniqued: compare with weft_attr_equal. The meaning of shardings is in sharding/, not here.
 */
#ifndef WEFT_IR_ATTR_H
#define WEFT_IR_ATTR_H

#include "ir/type.h"

typedef enum weft_attr_kind {
    WEFT_ATTR_UNIT,
    WEFT_ATTR_BOOL,        /* i */
    WEFT_ATTR_INT,         /* i, type */
    WEFT_ATTR_FLOAT,       /* f, type */
    WEFT_ATTR_STRING,      /* s */
    WEFT_ATTR_SYMBOL,      /* names: @a::@b */
    WEFT_ATTR_TYPE,        /* type */
    WEFT_ATTR_ARRAY,       /* items */
    WEFT_ATTR_DICT,        /* entries, sorted by name as MLIR keeps them */
    WEFT_ATTR_DENSE,       /* dense<...>, type */
    WEFT_ATTR_DENSE_ARRAY, /* array<i64: ...>: ints, element type in dtype */
    WEFT_ATTR_ENUM,        /* e: a keyword of one of the closed sets in enums.def */
    WEFT_ATTR_DOT,         /* #stablehlo.dot<...> */
    WEFT_ATTR_GATHER,      /* #stablehlo.gather<...> */
    WEFT_ATTR_SCATTER,     /* #stablehlo.scatter<...> */
    WEFT_ATTR_CONV,        /* #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]> */
    WEFT_ATTR_RAGGED,      /* #chlo.ragged_dot<...> */
    WEFT_ATTR_ALGORITHM,   /* #stablehlo.dot_algorithm<...> */
    WEFT_ATTR_ACCURACY,    /* #stablehlo.result_accuracy<...> */
    WEFT_ATTR_ALIAS,       /* #stablehlo.output_operand_alias<...> */
    WEFT_ATTR_BOUNDS,      /* #stablehlo.bounds<?, 4>: ints, WEFT_DYNAMIC for ?; a tensor's encoding */
    WEFT_ATTR_CHANNEL,     /* #stablehlo.channel_handle<handle = 1, type = 0> */
    WEFT_ATTR_MESH_AXES,   /* #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [...]> */
    WEFT_ATTR_MESH,        /* #sdy.mesh<["x"=2]>, or the value of sdy.mesh */
    WEFT_ATTR_SHARDING,    /* #sdy.sharding<@mesh, [...]> */
    WEFT_ATTR_SHARDINGS,   /* #sdy.sharding_per_value<[...]>: items are SHARDING */
    WEFT_ATTR_RULE,        /* #sdy.op_sharding_rule<...> */
    /* {"x", "y":(1)2}: a list of axis references, e.g. reduction axes or manual_axes (names only) */
    WEFT_ATTR_AXES,
    WEFT_ATTR_AXES_PER_DIM,/* [{"x"}, {}]: one list of axes per dimension */
    WEFT_ATTR_A2A_PARAMS,  /* [{"x"}: 0->1, ...]: sdy.all_to_all's */
    WEFT_ATTR_EDGES,       /* #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]> */
    WEFT_ATTR_OPAQUE       /* s: text as written, e.g. #mhlo.something<...>, affine maps, loc */
} weft_attr_kind;

typedef struct weft_named_attr {
    weft_name name;
    const weft_attr *value;
} weft_named_attr;

typedef struct weft_dot_dims { weft_ints lhs_batch, rhs_batch, lhs_contract, rhs_contract; } weft_dot_dims;

typedef struct weft_gather_dims {
    weft_ints offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims, start_index_map;
    int64_t index_vector_dim;
} weft_gather_dims;

typedef struct weft_scatter_dims {
    weft_ints update_window_dims, inserted_window_dims, input_batching_dims, scatter_indices_batching_dims,
        scatter_dims_to_operand_dims;
    int64_t index_vector_dim;
} weft_scatter_dims;

typedef struct weft_conv_dims {
    int64_t input_batch, input_feature, kernel_input_feature, kernel_output_feature, output_batch, output_feature;
    weft_ints input_spatial, kernel_spatial, output_spatial;
} weft_conv_dims;

/* dot with one dimension of lhs split into groups: rhs has a matrix per group, or the result, or each batch is a group.
 */
typedef struct weft_ragged_dims {
    weft_dot_dims dot;
    weft_ints lhs_ragged, rhs_group;
} weft_ragged_dims;

/* Types are SCALAR, or OPAQUE for tf32. */
typedef struct weft_dot_algorithm {
    const weft_type *lhs, *rhs, *accumulation;
    int64_t lhs_components, rhs_components, operations;
    bool imprecise;
} weft_dot_algorithm;

/* Output `output_indices` (a path through tuples) shares memory with part `operand_indices` of an operand lies. */
typedef struct weft_alias {
    weft_ints output_indices, operand_indices;
    int64_t operand;
} weft_alias;

typedef struct weft_channel { int64_t handle, type; } weft_channel;

/* "x", or "x":(pre_size)size. size 0 means the whole axis (pre_size is then 0 too). */
typedef struct weft_axis_ref {
    weft_name name;
    int64_t pre_size, size;
} weft_axis_ref;

typedef struct weft_axis_refs {
    const weft_axis_ref *v;
    uint32_t n;
} weft_axis_refs;

typedef struct weft_mesh_axis { weft_name name; int64_t size; } weft_mesh_axis;

/* No axes and one device id: a maximal mesh. No device ids: iota. */
typedef struct weft_mesh_attr {
    const weft_mesh_axis *axes;
    uint32_t axis_count;
    weft_ints device_ids;
} weft_mesh_attr;

#define WEFT_NO_PRIORITY (-1)

typedef struct weft_dim_sharding {
    weft_axis_refs axes;
    bool open;         /* {"x", ?} */
    int32_t priority;  /* {"x"}p1, or WEFT_NO_PRIORITY */
} weft_dim_sharding;

/* The operation that combines the partial values along unreduced axes. */
typedef enum weft_unreduced_by { WEFT_BY_SUM, WEFT_BY_MAX, WEFT_BY_MIN } weft_unreduced_by;

typedef struct weft_sharding_attr {
    const weft_attr *mesh; /* SYMBOL or MESH */
    const weft_dim_sharding *dims;
    uint32_t rank;
    weft_axis_refs replicated, unreduced;
    weft_unreduced_by unreduced_by;  /* unreduced=max{"x"}; SUM if nothing is unreduced */
} weft_sharding_attr;

/* Factors are numbered; dims[t][d] lists the factors of dimension d of tensor t, major to minor. */
typedef struct weft_rule_attr {
    weft_ints factor_sizes;
    uint32_t operand_count, result_count;
    const uint32_t *ranks;           /* per tensor, operands first */
    const weft_ints *const *dims;    /* [tensor][dim] */
    weft_ints reduction, need_replication, permutation, blocked; /* factor indices, ascending */
    bool custom;
} weft_rule_attr;

typedef struct weft_mesh_axes_attr {
    const weft_attr *mesh; /* SYMBOL or MESH */
    weft_axis_refs axes;
} weft_mesh_axes_attr;

typedef struct weft_a2a_param { weft_axis_refs axes; int64_t src_dim, tgt_dim; } weft_a2a_param;

/* The steps of propagation: from which operand or result an axis spread to which others. */
typedef struct weft_edge_ref { enum { WEFT_EDGE_OPERAND, WEFT_EDGE_RESULT } of; int64_t index; } weft_edge_ref;
typedef struct weft_edge_axis {
    weft_axis_ref axis;
    weft_edge_ref source;
    const weft_edge_ref *targets;
    uint32_t target_count;
} weft_edge_axis;
typedef struct weft_edge_step { int64_t step; const weft_edge_axis *axes; uint32_t axis_count; } weft_edge_step;

/* The closed sets of keywords: comparison directions, fft types, ... (enums.def). */
typedef enum weft_enum_set {
#define ENUM_SET(set, dialect, mnemonic) WEFT_ENUM_##set,
#define ENUM(set, keyword)
#include "ir/enums.def"
    WEFT_ENUM_SET_COUNT
} weft_enum_set;

/* Values are numbered over all sets: WEFT_comparison_direction_LT. */
typedef enum weft_enum_value {
#define ENUM_SET(set, dialect, mnemonic)
#define ENUM(set, keyword) WEFT_##set##_##keyword,
#include "ir/enums.def"
    WEFT_ENUM_COUNT
} weft_enum_value;

typedef struct weft_accuracy {
    double atol, rtol;
    int64_t ulps;
    weft_enum_value mode;
} weft_accuracy;

typedef struct weft_enum_info { weft_enum_set set; const char *keyword; } weft_enum_info;
typedef struct weft_enum_set_info { const char *name, *dialect, *mnemonic; } weft_enum_set_info;
extern const weft_enum_info weft_enum_table[WEFT_ENUM_COUNT];
extern const weft_enum_set_info weft_enum_sets[WEFT_ENUM_SET_COUNT];
/* The value of the set that is written so; WEFT_ENUM_COUNT: there is none. */
weft_enum_value weft_enum_find(weft_enum_set set, weft_str keyword);

struct weft_attr {
    weft_attr_kind kind : 16;
    weft_dtype dtype : 16;     /* DENSE_ARRAY */
    uint32_t hash;             /* weft_attr_hash, once it is in a context; 0 before, and for a DICT */
    const weft_type *type;     /* INT, FLOAT, TYPE, DENSE; OPAQUE if the text is a literal with a type, else NULL */
    union {
        int64_t i;
        double f;
        weft_str s;
        weft_enum_value e;
        weft_ints ints;
        struct { const weft_attr *const *v; uint32_t n; } items;
        struct { const weft_named_attr *v; uint32_t n; } entries;
        struct { const weft_name *v; uint32_t n; } names;
        struct { const void *p; size_t bytes; bool splat; } dense; /* a splat stores one element */
        weft_dot_dims dot;
        weft_gather_dims gather;
        weft_scatter_dims scatter;
        weft_conv_dims conv;
        weft_channel channel;
        weft_ragged_dims ragged;
        weft_dot_algorithm algorithm;
        weft_accuracy accuracy;
        weft_alias alias;
        weft_mesh_attr mesh;
        weft_sharding_attr sharding;
        weft_rule_attr rule;
        weft_mesh_axes_attr mesh_axes;
        weft_axis_refs axes;
        struct { const weft_axis_refs *v; uint32_t n; } axes_per_dim;
        struct { const weft_a2a_param *v; uint32_t n; } a2a;
        struct { const weft_edge_step *v; uint32_t n; } edges;
    };
};

/* Constructors. Arguments are copied into the context; NULL only when memory is out. */
const weft_attr *weft_attr_unit(weft_context *cx);
const weft_attr *weft_attr_bool(weft_context *cx, bool v);
const weft_attr *weft_attr_int(weft_context *cx, int64_t v, const weft_type *type); /* type SCALAR or INDEX */
const weft_attr *weft_attr_i64(weft_context *cx, int64_t v);
const weft_attr *weft_attr_float(weft_context *cx, double v, const weft_type *type);
const weft_attr *weft_attr_string(weft_context *cx, weft_str s);
const weft_attr *weft_attr_symbol(weft_context *cx, weft_name name);
const weft_attr *weft_attr_type(weft_context *cx, const weft_type *type);
const weft_attr *weft_attr_array(weft_context *cx, const weft_attr *const *v, uint32_t n);
const weft_attr *weft_attr_dict(weft_context *cx, const weft_named_attr *v, uint32_t n); /* sorts by name */
const weft_attr *weft_attr_ints(weft_context *cx, weft_dtype dtype, const int64_t *v, uint32_t n); /* array<i64: ...> */
const weft_attr *weft_attr_enum(weft_context *cx, weft_enum_value e);
/* p holds every element, or one when splat; layout as in dtype.h. */
const weft_attr *weft_attr_dense(weft_context *cx, const weft_type *type, const void *p, bool splat);
/* Equal elements make a splat, as they do where text is read. */
const weft_attr *weft_attr_dense_i64(weft_context *cx, uint32_t rank, const int64_t *dims, const int64_t *v);
/* For the kinds with a struct of their own: copies a node (kind and union member set) deeply. */
const weft_attr *weft_attr_copy(weft_context *cx, const weft_attr *a);

/* Whether a is a keyword of the set. */
static inline bool weft_attr_is_keyword(const weft_attr *a, weft_enum_set set) {
    return a->kind == WEFT_ATTR_ENUM && weft_enum_table[a->e].set == set;
}

/* @a, as ops name functions, and not @a::@b. */
static inline bool weft_attr_is_flat_symbol(const weft_attr *a) {
    return a->kind == WEFT_ATTR_SYMBOL && a->names.n == 1;
}

bool weft_attr_equal(const weft_attr *a, const weft_attr *b); /* either may be NULL */
/* equal attributes have equal hashes; independent of addresses; 0 only for NULL */
uint32_t weft_attr_hash(const weft_attr *a);
const weft_attr *weft_dict_get(const weft_attr *dict, uint32_t name_id); /* NULL when absent or dict is NULL */
const weft_attr *weft_dict_get_named(const weft_attr *dict, const char *name);

/* How many elements a dense attribute stores: 1 for a splat. */
static inline int64_t weft_dense_stored(const weft_attr *a) {
    const int64_t n = weft_type_elems(a->type);
    return a->dense.splat && n > 1 ? 1 : n;
}
/* Element i of a DENSE of integers or bools (a splat repeats). */
int64_t weft_dense_int(const weft_attr *dense, int64_t i);

bool weft_axis_refs_equal(weft_axis_refs a, weft_axis_refs b);
bool weft_mesh_attr_equal(const weft_mesh_attr *a, const weft_mesh_attr *b);

#endif
