# propagate/: shardings spread over a program; the passes before and after
libweftcore_la_SOURCES += \
	propagate/add_data_flow_edges.c propagate/aggressive_propagate.c propagate/apply_sharding_constraints.c \
	propagate/auto_partition.c propagate/auto_partition.h propagate/basic_propagate.c propagate/close_shardings.c propagate/constant_or_scalar_merger.c \
	propagate/constant_or_scalar_splitter.c propagate/copy.c propagate/copy.h propagate/data_flow.c propagate/data_flow.h propagate/edit.c \
	propagate/debug_info.c propagate/debug_info.h propagate/debug_info_emit.c \
	propagate/drop_sharding_rules.c propagate/emit.c propagate/explicit_gather_scatter_batching.c propagate/factors.h propagate/factors_aggressive.c \
	propagate/factors_basic.c propagate/conflicts.c propagate/groups.c propagate/history.c propagate/history.h propagate/lift_inlined_meshes.c propagate/manual_axes_cleanup.c propagate/memo.c \
	propagate/op_priority_propagate.c propagate/op_traits.c propagate/op_traits.h propagate/options.h \
	propagate/populate_op_sharding_rules.c propagate/presence.c propagate/presence.h propagate/propagate.h propagate/remove_sharding_groups.c \
	propagate/readers.c propagate/readers.h propagate/remove_size_one_axes.c propagate/remove_sub_axes_in_input_output_shardings.c propagate/run.c \
	propagate/schedule.c propagate/sharding_constraint_to_reshard.c propagate/sharding_group_import.c \
	propagate/sink_data_flow_edges.c propagate/symbol_dce.c propagate/uneven_borders.c propagate/state.c propagate/state.h propagate/transform.c propagate/transform.h \
	propagate/update_non_divisible_input_output_shardings.c propagate/user_priority_propagate.c propagate/worklist.c propagate/worklist.h

# Functions, calls and named computations
libweftcore_la_SOURCES += \
	propagate/add_func_data_flow_edges.c propagate/calls.c propagate/calls.h propagate/call_sources.c propagate/call_sources.h propagate/export_named_computations.c \
	propagate/flatten_call_graph.c propagate/func_copies.c propagate/func_copies.h propagate/gspmd.h propagate/gspmd_manual.c propagate/gspmd_manual.h propagate/gspmd_mesh.c propagate/gspmd_text.c \
	propagate/import_func_calls.c propagate/import_gspmd.c propagate/import_gspmd.h propagate/import_gspmd_batch.c propagate/import_gspmd_manual.c \
	propagate/insert_func_call_reshards.c propagate/pre_order_funcs.c \
	propagate/propagate_sharding_from_func_to_call.c propagate/propagate_to_func_results.c propagate/sink_func_data_flow_edges.c \
	propagate/unflatten_call_graph.c

# Meshes, and what is taken off at the end
libweftcore_la_SOURCES += \
	propagate/drop_attrs.c propagate/drop_attrs.h propagate/drop_sharding_and_mesh.c propagate/inline_meshes.c \
	propagate/mesh_refs.c propagate/mesh_refs.h propagate/remove_all_gather_reduce_scatter_for_cmv1.c propagate/remove_propagation_debug_info.c \
	propagate/verify_unreduced_axes.c

helpers += tests/propagate/random_programs

# Every pass against PASS.mlir; all programs of the shared dumps.
suites += tests/propagate/test_auto_partition
suites += tests/propagate/test_call_sources
suites += tests/propagate/test_passes
suites += tests/propagate/test_shared
suites += tests/propagate/test_worklist
TESTS += tests/propagate/test_merger.sh
EXTRA_DIST += tests/propagate/test_merger.sh
EXTRA_DIST += tests/propagate/given_programs.py tests/propagate/broken_programs.py tests/propagate/compare_complaints.py tests/propagate/call_programs.py tests/propagate/calls.mlir tests/propagate/meshes.mlir tests/propagate/verify_unreduced_axes.mlir tests/propagate/control_programs.py tests/propagate/op_programs.py tests/propagate/wide_ops.py tests/propagate/mixed_programs.py tests/propagate/compare_programs.py tests/propagate/shardy.py tests/propagate/strange_programs.py tests/propagate/test_against_shardy.py
EXTRA_DIST += tests/propagate/debug_info.mlir tests/propagate/import_gspmd.mlir tests/propagate/drop_sharding_rules.mlir tests/propagate/tidy.mlir
EXTRA_DIST += \
	tests/propagate/aggressive_propagate.mlir tests/propagate/apply_sharding_constraints.mlir \
	tests/propagate/basic_propagate.mlir tests/propagate/close_shardings.mlir \
	tests/propagate/constant_or_scalar_merger.mlir tests/propagate/constant_or_scalar_splitter.mlir \
	tests/propagate/data_flow_edges.mlir \
	tests/propagate/explicit_gather_scatter_batching.mlir tests/propagate/input_output_shardings.mlir \
	tests/propagate/lift_inlined_meshes.mlir tests/propagate/manual_axes_cleanup.mlir \
	tests/propagate/op_priority_propagate.mlir tests/propagate/populate_op_sharding_rules.mlir tests/propagate/readers.mlir \
	tests/propagate/remove_size_one_axes.mlir tests/propagate/sharding_constraint_to_reshard.mlir \
	tests/propagate/sharding_groups.mlir tests/propagate/user_priority_propagate.mlir
