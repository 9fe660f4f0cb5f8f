/* op.h: the columns of the op table (ops.def) that every room may read. */
#ifndef WEFT_IR_OP_H
#define WEFT_IR_OP_H

#include "base/bits.h"
#include "ir/attr.h"

typedef enum weft_op_kind {
#define NAME(id) WEFT_OP_##id,
#include "ir/ops-name.def"
    WEFT_OP_COUNT
} weft_op_kind;

/* Well-known attribute names; equal to the id of the interned name. */
typedef enum weft_attr_name {
#define NAME(id) WEFT_A_##id,
#include "ir/attrs-name.def"
    WEFT_A_COUNT
} weft_attr_name;

typedef enum weft_traits {
    WEFT_TRAIT_NONE = 0,
    WEFT_TRAIT_PURE = 1 << 0, /* no side effect: unused results may be dropped, equal ops merged */
    WEFT_TRAIT_POINTWISE = 1 << 1, /* result element i depends on element i of same-shaped (or scalar) operands only */
    WEFT_TRAIT_COMMUTES = 1 << 2, /* op(a, b) == op(b, a) */
    WEFT_TRAIT_CONSTANT = 1 << 3, /* no operands, the value is an attribute */
    WEFT_TRAIT_CONTROL = 1 << 4, /* regions that are executed as control flow */
    WEFT_TRAIT_TERMINATOR = 1 << 5, /* ends a block */
    WEFT_TRAIT_COLLECTIVE = 1 << 6, /* exchanges data with other devices */
    WEFT_TRAIT_SYMBOL = 1 << 7, /* lives in a module and has a sym_name */
    WEFT_TRAIT_ISOLATED = 1 << 8, /* regions cannot use values from outside */
    WEFT_TRAIT_QUANT = 1 << 9, /* works on per-tensor quantised elements as on the numbers they represent */
    /* no arithmetic on elements: each is one of an operand's, or follows from its index */
    WEFT_TRAIT_VIEW = 1 << 10,
    WEFT_TRAIT_MARKER =
        1 << 11 /* the result is the operand, possibly in another sharding: sdy.reshard, a barrier of propagation */
} weft_traits;

/* The kind of a name's inherent attribute (third column of attrs.def). */
typedef enum weft_attr_spec_kind {
    WEFT_SPEC_any,
    WEFT_SPEC_i64,
    WEFT_SPEC_i32,
    WEFT_SPEC_ints,
    WEFT_SPEC_i32s,
    WEFT_SPEC_bools,
    WEFT_SPEC_bool,
    WEFT_SPEC_unit,
    WEFT_SPEC_string,
    WEFT_SPEC_symbol,
    WEFT_SPEC_type,
    WEFT_SPEC_dense,
    WEFT_SPEC_f32,
    WEFT_SPEC_array,
    WEFT_SPEC_dict,
    WEFT_SPEC_enum,
    WEFT_SPEC_dot,
    WEFT_SPEC_scatter,
    WEFT_SPEC_channel,
    WEFT_SPEC_mesh,
    WEFT_SPEC_sharding,
    WEFT_SPEC_shardings,
    WEFT_SPEC_axes,
    WEFT_SPEC_axes_per_dim,
    WEFT_SPEC_a2a_params,
    WEFT_SPEC_algorithm,
    WEFT_SPEC_accuracy,
    WEFT_SPEC_ragged
} weft_attr_spec_kind;

typedef enum weft_presence { WEFT_END_OF_ATTRS, WEFT_REQUIRED, WEFT_OPTIONAL } weft_presence;

typedef struct weft_attr_spec {
    uint16_t name;      /* weft_attr_name */
    uint16_t presence;  /* weft_presence; WEFT_END_OF_ATTRS ends the list */
} weft_attr_spec;

#define WEFT_VARIADIC (-1)

typedef struct weft_op_info {
    const char *name;             /* "stablehlo.add"; "" for WEFT_OP_other */
    int8_t operands, results, regions; /* or WEFT_VARIADIC */
    uint16_t traits;
    const weft_attr_spec *attrs;  /* inherent attributes */
} weft_op_info;

extern const weft_op_info weft_op_table[WEFT_OP_COUNT];
extern const char *const weft_attr_names[WEFT_A_COUNT];
extern const uint8_t weft_attr_specs[WEFT_A_COUNT]; /* weft_attr_spec_kind */

static inline const weft_op_info *weft_op_info_of(weft_op_kind k) { return &weft_op_table[k]; }
static inline bool weft_op_kind_has(weft_op_kind k, unsigned traits) {
    return (weft_op_table[k].traits & traits) == traits;
}

/* WEFT_OP_other when the table has no such op. Costs a hash lookup: parse time only. */
weft_op_kind weft_op_kind_find(weft_context *cx, weft_name name);
bool weft_op_kind_has_attr(weft_op_kind k, unsigned name_id); /* inherent */

#endif
