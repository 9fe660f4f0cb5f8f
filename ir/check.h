/* check.h: shared by inference (ir/infer_*.c) and verification (ir/verify*.c), inside ir/ only: the checker, the
 * checks, their messages.
 *
 * Symbols (meshes, callees) are found through the checker: in a table when a whole module is verified, else by
 * walking the body of the root, which is op's own unless the checker names another.
 */
#ifndef WEFT_IR_CHECK_H
#define WEFT_IR_CHECK_H

#include "base/nearest.h"
#include "ir/symbols.h"

typedef struct weft_checker {
    weft_context *cx;
    weft_symbol_table symbols; /* not opened: walk */
    const weft_op *root;       /* whose body is walked; NULL: the root above the op */
    const weft_loc *at;        /* where messages point, when not at the op: an argument, a return */
    const uint32_t *uses;      /* by value id: how often it is an operand; NULL while a module is being built */
    uint32_t value_count;      /* entries of uses */
    const weft_attr *pairs;    /* the last that weft_check_pairs found valid: permutes share theirs */
} weft_checker;

/* One diagnostic: "'stablehlo.add': " and the message, at op. WEFT_ERR_INVALID. The second is of the class for
 * shardings and reads as Shardy's do: "'stablehlo.add' op ". */
weft_status weft_bad(weft_checker *c, const weft_op *op, const char *fmt, ...) WEFT_PRINTF(3, 4);
weft_status weft_bad_sharding(weft_checker *c, const weft_op *op, const char *fmt, ...) WEFT_PRINTF(3, 4);

/* Texts for messages; live on the context's scratch memory until the op is done. Never NULL. */
const char *weft_text_of(weft_checker *c, const weft_type *t);
const char *weft_text_of_element(weft_checker *c, const weft_type *t); /* of a tensor: "f32" */
const char *weft_text_of_ints(weft_checker *c, weft_ints v);
const char *weft_text_of_axis(weft_checker *c, const weft_axis_ref *a); /* "x":(1)2, with the quotes */
const char *weft_name_text(const weft_op *op); /* "stablehlo.add" */

/* ---- symbols ---- */
weft_op *weft_check_symbol(const weft_checker *c, const weft_op *at, weft_str name); /* NULL when absent */
/* for messages about a missing symbol */
weft_nearest weft_nearest_symbol(const weft_checker *c, const weft_op *at, weft_op_kind kind, weft_str name);
/* on scratch memory; reports names defined twice */
weft_status weft_symbols_build(weft_checker *c, const weft_module *m);

/* ---- types ---- */
enum weft_classes { /* sets of weft_dtype_kind, and the two kinds of quantised elements */
    WEFT_IS_BOOL = 1 << WEFT_KIND_BOOL, WEFT_IS_INT = 1 << WEFT_KIND_INT, WEFT_IS_UINT = 1 << WEFT_KIND_UINT,
    WEFT_IS_FLOAT = 1 << WEFT_KIND_FLOAT, WEFT_IS_COMPLEX = 1 << WEFT_KIND_COMPLEX,
    WEFT_IS_INTEGER = WEFT_IS_INT | WEFT_IS_UINT,
    WEFT_IS_BITS = WEFT_IS_INTEGER | WEFT_IS_BOOL,
    WEFT_IS_MATH = WEFT_IS_FLOAT | WEFT_IS_COMPLEX,
    WEFT_IS_NUMBER = WEFT_IS_INTEGER | WEFT_IS_MATH,
    WEFT_IS_PLAIN = WEFT_IS_NUMBER | WEFT_IS_BOOL,
    WEFT_IS_QUANT = 1 << 8,                        /* one scale for the whole tensor */
    WEFT_IS_QUANT_AXIS = 1 << 9,                   /* one per slice */
    WEFT_IS_INDEX = 1 << 10,                       /* tensors of index: shapes and positions */
    WEFT_IS_ANY = WEFT_IS_PLAIN | WEFT_IS_QUANT,   /* accepted by most ops */
    WEFT_IS_ANY_AXIS = WEFT_IS_ANY | WEFT_IS_QUANT_AXIS
};
unsigned weft_class_of(const weft_type *t); /* of a tensor's elements: one of the bits */

static inline bool weft_dims_agree(int64_t a, int64_t b) { return a == b || a == WEFT_DYNAMIC || b == WEFT_DYNAMIC; }
bool weft_shapes_agree(const weft_type *a, const weft_type *b);  /* two tensors; dynamic agrees with anything */
/* The same up to dynamic dimensions, encodings, and scales and zero points of quantised elements. */
bool weft_types_agree(const weft_type *a, const weft_type *b);
bool weft_elements_agree(const weft_type *a, const weft_type *b); /* two tensors' element types, likewise */

/* Operand i (or every operand) is a tensor of an element kind in classes. */
weft_status weft_check_operand(weft_checker *c, const weft_op *op, uint32_t i, unsigned classes);
weft_status weft_check_operands(weft_checker *c, const weft_op *op, unsigned classes);
weft_status weft_check_result(weft_checker *c, const weft_op *op, uint32_t i, unsigned classes);
/* Result i, a tensor, has a static shape, or one dynamic dimension with a bound. */
weft_status weft_check_static_result(weft_checker *c, const weft_op *op, uint32_t i);
/* Operand i has the same element type as operand j. */
weft_status weft_check_same_dtype(weft_checker *c, const weft_op *op, uint32_t i, uint32_t j);
/* Operand i has the same type, or shape, as operand j. */
weft_status weft_check_same_type(weft_checker *c, const weft_op *op, uint32_t i, uint32_t j);
weft_status weft_check_same_shape(weft_checker *c, const weft_op *op, uint32_t i, uint32_t j);
weft_status weft_check_rank(weft_checker *c, const weft_op *op, uint32_t i, uint32_t rank);

/* *slot = tensor of dims and of plain elements, or of the elements of `like` (quantised ones too); or WEFT_ERR_MEMORY.
 */
weft_status weft_set_type(weft_checker *c, const weft_type **slot, weft_dtype dtype, uint32_t rank,
                          const int64_t *dims);
weft_status weft_set_like(weft_checker *c, const weft_type **slot, const weft_type *like, uint32_t rank,
                          const int64_t *dims);

/* ---- attributes ---- */
weft_status weft_check_count(weft_checker *c, const weft_op *op, weft_attr_name name, weft_ints v, uint32_t want);
/* Each of v is in [0, rank), without duplicates. what is the word for messages ("dimensions"). */
weft_status weft_check_dims(weft_checker *c, const weft_op *op, const char *what, weft_ints v, uint32_t rank);
weft_status weft_check_sorted(weft_checker *c, const weft_op *op, const char *what, weft_ints v);
weft_status weft_check_at_least(weft_checker *c, const weft_op *op, const char *what, weft_ints v, int64_t least);
weft_status weft_check_dim(weft_checker *c, const weft_op *op, weft_attr_name name, int64_t dim, uint32_t rank);
/* The attribute, if present, is a keyword of set. */
weft_status weft_check_enum(weft_checker *c, const weft_op *op, weft_attr_name name, weft_enum_set set);

weft_status weft_check_precision(weft_checker *c, const weft_op *op); /* precision_config; ir/infer_dot.c */
/* source_target_pairs, when given; ir/infer_collective.c */
weft_status weft_check_pairs(weft_checker *c, const weft_op *op);

/* ---- operands that are constants ---- */
/* The elements of operand i if it is a constant of integers of rank 1 or 2: on scratch memory. False if it is not, or
 * when memory is out (the checks that need them are then skipped). */
bool weft_known_ints(weft_checker *c, const weft_op *op, uint32_t i, weft_ints *out);

/* ---- quantised elements ---- (ir/infer_quant.c); all accept elements that are not quantised */
/* Result 0 has the element type of operand 0; with a per-axis type along dimension `axis`, -1: along any. */
weft_status weft_check_quant_moved(weft_checker *c, const weft_op *op, int64_t axis);
weft_status weft_check_quant_reshaped(weft_checker *c, const weft_op *op);
/* map: from operand dimensions to the result's */
weft_status weft_check_quant_broadcast(weft_checker *c, const weft_op *op, weft_ints map);
/* Shared by dot_general and convolution: operands 0 and 1 and result 0. */
weft_status weft_check_quant_product(weft_checker *c, const weft_op *op);

/* ---- windows ---- */
typedef struct weft_window {     /* one per dimension; absent attributes give 1 and 0 */
    int64_t size, stride, base_dilation, dilation, low, high;
} weft_window;
/* Reads window sizes and the optional attributes of that number of dimensions into w[0..n) and checks their counts and
 * signs. The name WEFT_A_COUNT means an attribute that the op does not have. */
typedef struct weft_window_names { weft_attr_name strides, base_dilations, dilations, padding; } weft_window_names;
weft_status weft_check_window(weft_checker *c, const weft_op *op, weft_ints sizes, const weft_window_names *names,
                              weft_window *w);
int64_t weft_window_count(int64_t dim, const weft_window *w); /* windows along a dimension; WEFT_DYNAMIC stays */

/* ---- regions ---- */
/* Region r has one block with arguments of types want[0..n), ending in an op of kind end; *yields is that op. The
 * words for messages: "region 0 argument 1". want may be NULL: the caller checks the arguments. */
weft_status weft_check_body(weft_checker *c, const weft_op *op, uint32_t r, const weft_type *const *want, uint32_t n,
                            weft_op_kind end, const weft_op **yields);
weft_status weft_check_yields(weft_checker *c, const weft_op *op, const weft_op *yields, const weft_type *const *want,
                              uint32_t n);
/* A reducer over n values: takes 2n scalars and yields n. Their types are those of the body's first n arguments, to
 * which the element types of values[i] must be promotable. These types are written to scalars[0..n). */
weft_status weft_check_reducer(weft_checker *c, const weft_op *op, uint32_t r, weft_value *const *values, uint32_t n,
                               const weft_type **scalars);
bool weft_promotes(const weft_type *from, const weft_type *to); /* the element types of tensors */

/* ---- shardings ---- (ir/verify_sharding.c). what is the beginning of a message: "" if the op has one sharding, else
 * as in Shardy's messages "arg 0 - ", "result - ". */
weft_status weft_check_mesh(weft_checker *c, const weft_op *op, const weft_mesh_attr *mesh);
/* The mesh of a SYMBOL or MESH attribute; the second function reports before it returns NULL. */
const weft_mesh_attr *weft_find_mesh(weft_checker *c, const weft_op *op, const weft_attr *ref);
const weft_mesh_attr *weft_check_mesh_ref(weft_checker *c, const weft_op *op, const char *what, const weft_attr *ref);
/* type NULL: for an op without results, which may still name its one device. */
weft_status weft_check_sharding(weft_checker *c, const weft_op *op, const char *what, const weft_attr *sharding,
                                const weft_type *type);
/* One sharding per value; what is "result", followed by the value's number if there are several. */
weft_status weft_check_shardings(weft_checker *c, const weft_op *op, const char *what, const weft_attr *list,
                                 const weft_type *const *types, uint32_t n);
/* The axes exist in mesh, without duplicates, with valid sub-axes. */
weft_status weft_check_axes(weft_checker *c, const weft_op *op, const char *what, const weft_mesh_attr *mesh,
                            const weft_axis_refs *lists, uint32_t list_count);
weft_status weft_check_axis_order(weft_checker *c, const weft_op *op, const char *what, const char *axes_name,
                                  const weft_mesh_attr *mesh, weft_axis_refs axes);
int64_t weft_mesh_axis_size(const weft_mesh_attr *mesh, weft_name axis); /* 0 when absent */
int64_t weft_mesh_axis_index(const weft_mesh_attr *mesh, weft_name axis); /* -1 when absent */
/* reports one of sdy's collectives that is wrong: both shardings, and the requirement */
void weft_help_collective(weft_checker *c, const weft_op *op);
const char *weft_text_of_axes(weft_checker *c, weft_axis_refs axes);            /* {"x", "y"} */
/* <@mesh, [{"x"}, {?}]>; NULL: no sharding */
const char *weft_text_of_sharding(weft_checker *c, const weft_attr *sharding);
const char *weft_text_of_mesh(weft_checker *c, const weft_mesh_attr *mesh); /* #sdy.mesh<["x"=2]> */

/* The manual computation around op in which axis is manual, or NULL; and the error that an op inside uses it. */
const weft_op *weft_manual_owner(const weft_op *op, weft_name axis);
weft_status weft_report_manual(weft_checker *c, const weft_op *op, const char *what, weft_name axis,
                               const weft_op *owner);

/* ir/verify_rule.c, ir/verify_edges.c */
weft_status weft_check_rule(weft_checker *c, const weft_op *op, const weft_rule_attr *rule);
weft_status weft_check_edges(weft_checker *c, const weft_op *op, const weft_attr *edges);
weft_status weft_check_edges_per_value(weft_checker *c, const weft_op *op, const weft_attr *list);

/* ir/written_sharding.c: the SHARDING of v in the program's text, or NULL. May be in scratch memory. */
weft_status weft_written_sharding(weft_checker *c, const weft_value *v, const weft_attr **out);

/* From in to out, which are on one mesh, axes may become unreduced only if add says so, and then by sums, maxima or
 * minima as in added_by; axes that are no longer unreduced were so by removed_by; the others keep their kind. */
typedef struct weft_unreduced_change { bool add; weft_unreduced_by added_by, removed_by; } weft_unreduced_change;
weft_status weft_check_unreduced_change(weft_checker *c, const weft_op *op, const weft_mesh_attr *mesh,
                                        const weft_sharding_attr *in, const weft_sharding_attr *out,
                                        const weft_unreduced_change *may);

#endif
