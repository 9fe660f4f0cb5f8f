/* builder.h: the one way to make ops.
 *
 * A builder points at the end of a block. Making an op appends it. The first failure is kept in status; later calls do
 * nothing and return NULL, so a caller may check once. A NULL op must not be dereferenced, but the helpers here accept
 * NULL values and pass the failure on.
 */
#ifndef WEFT_IR_BUILDER_H
#define WEFT_IR_BUILDER_H

#include "ir/module.h"

typedef struct weft_builder {
    weft_module *m;
    weft_block *block;      /* ops are appended here */
    weft_op *before;        /* or inserted before this op of it; NULL: at the end */
    const weft_loc *loc;    /* of the new ops */
    weft_status status;
} weft_builder;

void weft_builder_init(weft_builder *b, weft_module *m, weft_block *block);

/* The description of an op; arrays are copied. Names may be NULL for table ops. */
typedef struct weft_op_spec {
    weft_op_kind kind;
    weft_name name;                          /* needed for WEFT_OP_other only */
    weft_value *const *operands;  uint32_t operand_count;
    const weft_type *const *types; uint32_t result_count;
    const weft_named_attr *attrs; uint32_t attr_count;
    uint32_t region_count;                   /* made empty */
} weft_op_spec;

weft_op *weft_build_op(weft_builder *b, const weft_op_spec *spec);

/* Removes op, whose results have no readers, from its block; it keeps its memory, and its ids are not reused. */
void weft_op_remove(weft_op *op);

/* For the common ops: with result types, and attributes as pairs (well-known name, value), ended by the count. */
typedef struct weft_attr_pair { weft_attr_name name; const weft_attr *value; } weft_attr_pair;
weft_value *weft_build_1(weft_builder *b, weft_op_kind kind, const weft_type *type, weft_value *const *operands,
                         uint32_t n, const weft_attr_pair *attrs, uint32_t attr_count);
weft_value *weft_build_unary(weft_builder *b, weft_op_kind kind, weft_value *x);                  /* type of x */
weft_value *weft_build_binary(weft_builder *b, weft_op_kind kind, weft_value *x, weft_value *y);  /* type of x */
/* stablehlo.constant */
weft_value *weft_build_constant(weft_builder *b, const weft_attr *dense);
/* stablehlo.constant */
weft_value *weft_build_splat(weft_builder *b, const weft_type *type, double v);
/* The same for an integer that type (of integers) can hold: exact where a double would round. */
weft_value *weft_build_integer(weft_builder *b, const weft_type *type, int64_t v);

/* Ops that move elements, with static shapes and one number for each dimension of x; they infer their types
 * (build_shape.c). */
weft_value *weft_build_pad(weft_builder *b, weft_value *x, weft_value *fill, const int64_t *low, const int64_t *high,
                           const int64_t *interior);
weft_value *weft_build_slice(weft_builder *b, weft_value *x, const int64_t *starts, const int64_t *limits,
                             const int64_t *strides);
weft_value *weft_build_concatenate(weft_builder *b, weft_value *const *values, uint32_t n, uint32_t d);
/* Elements [low, high) along dimension d, all elements along the others. */
weft_value *weft_build_cut(weft_builder *b, weft_value *x, uint32_t d, int64_t low, int64_t high);
/* stablehlo.broadcast_in_dim to type: dimension i of x is dims[i] of type. */
/* The numbers of elements along dimension d. */
weft_value *weft_build_iota(weft_builder *b, const weft_type *type, int64_t d);
weft_value *weft_build_broadcast(weft_builder *b, weft_value *x, const weft_type *type, const int64_t *dims);

/* appended to r; does not move the builder */
weft_block *weft_build_block(weft_builder *b, weft_region *r);
weft_value *weft_build_block_arg(weft_builder *b, weft_block *blk, const weft_type *type, const weft_loc *loc);

/* Adds or replaces an attribute (value NULL: removes). For ops of a module under construction only. */
weft_status weft_op_set_attr(weft_module *m, weft_op *op, weft_name name, const weft_attr *value);
weft_status weft_op_set(weft_module *m, weft_op *op, weft_attr_name name, const weft_attr *value);
weft_status weft_op_set_ints(weft_module *m, weft_op *op, weft_attr_name name, const int64_t *v, uint32_t n);

/* Renumbers values and ops without gaps, in the order in which a copy of the module would make them. */
void weft_module_renumber(weft_module *m);

/* Copying from one module to another: map[old value id] is the new value. A map has room for in->value_count. */
typedef struct weft_map {
    weft_value **to;   /* by old id; NULL until mapped */
    uint32_t count;
} weft_map;
weft_status weft_map_init(weft_map *map, weft_arena *arena, const weft_module *in);

/* A copy of op at the builder with operands mapped, its results mapped, regions copied deeply (their values mapped as
 * they appear). NULL on failure. */
weft_op *weft_clone_op(weft_builder *b, const weft_op *op, weft_map *map);
/* As above, but regions are left empty and block arguments unmapped: for passes that change result types. types may
 * be NULL: op's types. */
weft_op *weft_clone_shell(weft_builder *b, const weft_op *op, weft_map *map, const weft_type *const *types);
/* As above, with the caller's operands instead of mapped ones, and op's types. */
weft_op *weft_clone_shell_over(weft_builder *b, const weft_op *op, weft_map *map, weft_value *const *operands);
/* The same program in a new module. */
weft_status weft_module_clone(const weft_module *in, weft_module **out);

#endif
