/* propagate.h: the passes of this room, for the table of passes (pipeline/passes.def) and for tests. Names and options
 * are Shardy's; the top of each file says what its pass does, needs and leaves. */
#ifndef WEFT_PROPAGATE_PROPAGATE_H
#define WEFT_PROPAGATE_PROPAGATE_H

#include "ir/pass.h"

weft_status weft_pass_basic_propagate(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_aggressive_propagate(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_op_priority_propagate(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_user_priority_propagate(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_populate_op_sharding_rules(weft_pass *p, const weft_module *in, weft_module **out);

/* From other forms than sdy's. */
weft_status weft_pass_import_gspmd(weft_pass *p, const weft_module *in, weft_module **out);

/* Before propagation, and after. */
weft_status weft_pass_lift_inlined_meshes(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_symbol_dce(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_constant_or_scalar_splitter(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_explicit_gather_scatter_batching(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_constant_or_scalar_merger(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_add_data_flow_edges(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_sink_data_flow_edges(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_apply_sharding_constraints(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_sharding_group_import(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_remove_sharding_groups(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_manual_axes_cleanup(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_remove_size_one_axes(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_close_shardings(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_drop_sharding_rules(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_sharding_constraint_to_reshard(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_update_non_divisible_input_output_shardings(weft_pass *p, const weft_module *in,
                                                                  weft_module **out);
weft_status weft_pass_remove_sub_axes_in_input_output_shardings(weft_pass *p, const weft_module *in, weft_module **out);

/* Around propagation: the user's uneven shardings. */
weft_status weft_pass_note_uneven_borders(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_keep_uneven_borders(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_note_uneven_results(weft_pass *p, const weft_module *in, weft_module **out);

/* Functions, calls and named computations. */
weft_status weft_pass_flatten_call_graph(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_unflatten_call_graph(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_import_func_calls(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_export_named_computations(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_pre_order_funcs(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_add_func_data_flow_edges(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_sink_func_data_flow_edges(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_propagate_to_func_results(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_propagate_sharding_from_func_to_call(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_auto_partition(weft_pass *p, const weft_module *in, weft_module **out); /* auto_partition.h */
weft_status weft_pass_insert_func_call_reshards(weft_pass *p, const weft_module *in, weft_module **out);

/* Meshes, and attributes removed at the end. */
weft_status weft_pass_verify_unreduced_axes(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_inline_meshes(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_drop_sharding_and_mesh(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_remove_propagation_debug_info(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_remove_all_gather_reduce_scatter_for_cmv1(weft_pass *p, const weft_module *in, weft_module **out);

#endif
