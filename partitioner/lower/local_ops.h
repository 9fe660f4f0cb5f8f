/* local_ops.h: the functions of the column `local`, for local_table.c. Each is described where it is. */
#ifndef WEFT_PARTITIONER_LOCAL_OPS_H
#define WEFT_PARTITIONER_LOCAL_OPS_H

#include "partitioner/lower/localize.h"

/* local_families.c: what serves whole families of ops */
weft_linearity weft_linear_joint(const weft_op *op);
weft_linearity weft_linear_each(const weft_op *op);
weft_linearity weft_linear_first(const weft_op *op);
weft_linearity weft_linear_piece(const weft_op *op);
weft_linearity weft_terms_convert(const weft_op *op);
weft_linearity weft_terms_select(const weft_op *op);
weft_linearity weft_terms_pad(const weft_op *op);
weft_linearity weft_terms_update(const weft_op *op);
weft_linearity weft_linear_collective(const weft_op *op);
weft_bits weft_factors_none(const weft_op *op, const weft_rule *rule);
weft_bits weft_factors_sum(const weft_op *op, const weft_rule *rule);
weft_bits weft_factors_reshape(const weft_op *op, const weft_rule *rule);
weft_bits weft_factors_custom_call(const weft_op *op, const weft_rule *rule);
weft_bits weft_uneven_call(const weft_op *op, const weft_rule *rule);
weft_bits weft_factors_window(const weft_op *op, const weft_rule *rule);
weft_partial weft_partial_product(const weft_op *op);
weft_partial weft_partial_call(const weft_op *op);
weft_linearity weft_linear_reduce(const weft_op *op);
bool weft_talks_by_rule(const weft_op *op);

/* local_shape.c */
weft_bits weft_factors_in_all(const weft_op *op, const weft_rule *rule);
weft_status weft_lower_constant(weft_localizer *z, const weft_op *op);
weft_status weft_lower_iota(weft_localizer *z, const weft_op *op);

/* local_dynamic.c */
weft_bits weft_factors_dynamic_slice(const weft_op *op, const weft_rule *rule);
weft_bits weft_places_dynamic_slice(const weft_op *op, const weft_rule *rule);
weft_partial weft_partial_dynamic_slice(const weft_op *op);
bool weft_starts_unknown(const weft_op *op); /* no dynamic start is a constant */
double weft_talk_dynamic_slice(weft_placements *t, const weft_op *op, const weft_placement_id *placed);
weft_status weft_lower_dynamic_slice(weft_localizer *z, const weft_op *op);
weft_bits weft_factors_dynamic_update_slice(const weft_op *op, const weft_rule *rule);
weft_bits weft_places_dynamic_update_slice(const weft_op *op, const weft_rule *rule);
double weft_talk_dynamic_update_slice(weft_placements *t, const weft_op *op, const weft_placement_id *placed);
weft_status weft_lower_dynamic_update_slice(weft_localizer *z, const weft_op *op);

/* local_scan.c: a reduce_window that accumulates along dim, from the first element up or from the last down */
typedef enum weft_scan_way { WEFT_SCAN_NONE, WEFT_SCAN_UP, WEFT_SCAN_DOWN } weft_scan_way;
typedef struct weft_scan { weft_scan_way way; uint32_t dim; } weft_scan;
weft_scan weft_scan_of(const weft_op *op);
double weft_talk_scan(weft_placements *t, const weft_op *op, const weft_placement_id *operands, uint32_t d);
weft_status weft_lower_scan(weft_localizer *z, const weft_op *op, weft_scan s);

/* local_fft.c */
weft_bits weft_factors_fft(const weft_op *op, const weft_rule *rule);
double weft_talk_fft(weft_placements *t, const weft_op *op, const weft_placement_id *operands);
weft_status weft_lower_fft(weft_localizer *z, const weft_op *op);

/* local_sort.c */
weft_bits weft_factors_sort(const weft_op *op, const weft_rule *rule);
double weft_talk_sort(weft_placements *t, const weft_op *op, const weft_placement_id *operands);
double weft_room_sort(weft_placements *t, const weft_op *op, const weft_placement_id *operands);
weft_status weft_lower_sort(weft_localizer *z, const weft_op *op);
weft_bits weft_factors_top_k(const weft_op *op, const weft_rule *rule);
double weft_talk_top_k(weft_placements *t, const weft_op *op, const weft_placement_id *operands);
weft_status weft_lower_top_k(weft_localizer *z, const weft_op *op);

/* local_select_scatter.c */
double weft_talk_select_and_scatter(weft_placements *t, const weft_op *op, const weft_placement_id *operands);
weft_status weft_lower_select_and_scatter(weft_localizer *z, const weft_op *op);

/* local_gather.c */
weft_bits weft_factors_gather(const weft_op *op, const weft_rule *rule);
weft_partial weft_partial_gather(const weft_op *op);
weft_status weft_lower_gather(weft_localizer *z, const weft_op *op);
weft_bits weft_uneven_scatter(const weft_op *op, const weft_rule *rule);
weft_bits weft_factors_scatter(const weft_op *op, const weft_rule *rule);
weft_partial weft_partial_scatter(const weft_op *op);
weft_status weft_lower_scatter(weft_localizer *z, const weft_op *op);
/* how many elements an update has of each dimension of the operand */
void weft_scatter_sizes(const weft_op *op, int64_t *sizes);

/* local_uneven.c: padding */
/* x, the part of old, with fill (a scalar; NULL: zero) in its padding along these dimensions; x itself when there is
 * none. */
weft_value *weft_local_masked(weft_localizer *z, const weft_value *old, weft_value *x, weft_bits dims,
                              weft_value *fill);
/* Indices, the part of old, with weft_scatter_nowhere in the padding. */
weft_value *weft_local_nowhere(weft_localizer *z, const weft_value *old, weft_value *indices, int64_t nowhere);
/* x with so many elements of fill (a scalar; NULL: zero) before and after those of dimension d. */
weft_value *weft_local_padded(weft_localizer *z, weft_value *x, uint32_t d, int64_t low, int64_t high,
                              weft_value *fill);
/* x with dimension d made longer by zeros, or shorter at its end; x itself when it is as long, or longer, or shorter.
 */
weft_value *weft_local_pad_to(weft_localizer *z, weft_value *x, uint32_t d, int64_t size);
weft_value *weft_local_trim_to(weft_localizer *z, weft_value *x, uint32_t d, int64_t size);
/* x from low to high along d; x where that is all of it. The type is x's with another size of d. x may be NULL after an
 * error. */
weft_value *weft_local_cut(weft_localizer *z, weft_value *x, uint32_t d, int64_t low, int64_t high);
const weft_type *weft_local_resized(weft_localizer *z, const weft_type *type, uint32_t d, int64_t size);
/* Reports a collective that cannot lead from its operand's parts to its result's (placement.h). */
weft_status weft_local_check_step(weft_localizer *z, const weft_op *op);
weft_status weft_lower_dot(weft_localizer *z, const weft_op *op);

/* local_reduce.c */
weft_partial weft_partial_reduce(const weft_op *op);
double weft_talk_reduce(weft_placements *t, const weft_op *op, const weft_placement_id *operands);
weft_status weft_lower_reduce(weft_localizer *z, const weft_op *op);

/* local_convolution.c */
weft_bits weft_factors_convolution(const weft_op *op, const weft_rule *rule);
weft_bits weft_any_parts_convolution(const weft_op *op, const weft_rule *rule);
double weft_talk_convolution(weft_placements *t, const weft_op *op, const weft_placement_id *operands);
weft_status weft_lower_convolution(weft_localizer *z, const weft_op *op);

/* local_window.c, local_reverse.c, local_assemble.c */
/* all of the results but what is summed or must be whole */
weft_bits weft_factors_moving(const weft_op *op, const weft_rule *rule);
weft_bits weft_factors_concatenate(const weft_op *op, const weft_rule *rule);
double weft_talk_pad(weft_placements *t, const weft_op *op, const weft_placement_id *operands);
double weft_talk_slice(weft_placements *t, const weft_op *op, const weft_placement_id *operands);
double weft_talk_reduce_window(weft_placements *t, const weft_op *op, const weft_placement_id *operands);
double weft_talk_reverse(weft_placements *t, const weft_op *op, const weft_placement_id *operands);
double weft_talk_assemble(weft_placements *t, const weft_op *op, const weft_placement_id *operands);
weft_status weft_lower_slice(weft_localizer *z, const weft_op *op);
weft_status weft_lower_pad(weft_localizer *z, const weft_op *op);
weft_status weft_lower_reduce_window(weft_localizer *z, const weft_op *op);
weft_status weft_lower_reverse(weft_localizer *z, const weft_op *op);
weft_status weft_lower_assemble(weft_localizer *z, const weft_op *op);

/* local_collective.c; a group is the value of replica_groups and its number of members */
typedef struct weft_group { const weft_attr *attr; int64_t size; } weft_group;
weft_group weft_local_group(weft_localizer *z, const uint8_t *atoms, uint32_t n);
const weft_attr *weft_local_channel(weft_localizer *z);                 /* the next one */
/* Atoms that dimension d of more has after those of less. */
const weft_type *weft_local_scaled(weft_localizer *z, const weft_type *type, uint32_t d, int64_t times, int64_t over);
weft_value *weft_local_gathered(weft_localizer *z, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n);
weft_value *weft_local_exchange(weft_localizer *z, weft_value *x, const uint8_t *atoms, uint32_t n, uint32_t from,
                                uint32_t to);
/* of devices; one attribute for all equal lists */
const weft_attr *weft_local_pairs(weft_localizer *z, const int64_t *pairs, int64_t n);
/* pairs: NULL passes the failure on */
weft_value *weft_local_permute(weft_localizer *z, weft_value *x, const weft_attr *pairs);
weft_value *weft_local_reduction(weft_localizer *z, const weft_op *op, weft_op_kind kind, weft_value *x,
                                 const weft_type *type, const uint8_t *atoms, uint32_t n,
                                 int64_t scatter_dim); /* kind: all_reduce or reduce_scatter */
weft_status weft_lower_all_slice(weft_localizer *z, const weft_op *op);
weft_status weft_lower_all_gather(weft_localizer *z, const weft_op *op);
weft_status weft_lower_all_to_all(weft_localizer *z, const weft_op *op);
weft_status weft_lower_collective_permute(weft_localizer *z, const weft_op *op);
weft_status weft_lower_all_reduce(weft_localizer *z, const weft_op *op);
weft_status weft_lower_reduce_scatter(weft_localizer *z, const weft_op *op);
weft_status weft_lower_replicated_to_unreduced(weft_localizer *z, const weft_op *op);
weft_status weft_lower_sharded_to_unreduced(weft_localizer *z, const weft_op *op);
weft_status weft_lower_grouped(weft_localizer *z, const weft_op *op);

/* local_listed.c */
weft_status weft_listed_all_gather(weft_localizer *z, const weft_op *op);
weft_status weft_listed_reduce_scatter(weft_localizer *z, const weft_op *op);
weft_status weft_listed_all_to_all(weft_localizer *z, const weft_op *op);
weft_status weft_listed_collective_permute(weft_localizer *z, const weft_op *op);

/* local_listed_gather.c */
weft_status weft_listed_gather(weft_localizer *z, const weft_op *op);
weft_status weft_listed_scatter(weft_localizer *z, const weft_op *op);

/* local_listed_shape.c */
weft_status weft_listed_concatenate(weft_localizer *z, const weft_op *op);
weft_status weft_listed_slice(weft_localizer *z, const weft_op *op);
weft_status weft_listed_dynamic_update_slice(weft_localizer *z, const weft_op *op);
weft_status weft_listed_pad(weft_localizer *z, const weft_op *op);

/* resolve_window.c, resolve_reshape.c, resolve_reverse.c */
weft_status weft_resolve_slice(weft_resolver *z, weft_builder *b, const weft_op *op, weft_resolved *how);
weft_status weft_resolve_pad(weft_resolver *z, weft_builder *b, const weft_op *op, weft_resolved *how);
weft_status weft_resolve_reshape(weft_resolver *z, weft_builder *b, const weft_op *op, weft_resolved *how);
weft_status weft_resolve_reverse(weft_resolver *z, weft_builder *b, const weft_op *op, weft_resolved *how);
weft_status weft_alone_slice(weft_context *cx, const weft_op *op, const weft_sharding *s, uint32_t d, bool *yes);
weft_status weft_alone_pad(weft_context *cx, const weft_op *op, const weft_sharding *s, uint32_t d, bool *yes);

/* local_computation.c */
weft_status weft_lower_manual_computation(weft_localizer *z, const weft_op *op);

#endif
