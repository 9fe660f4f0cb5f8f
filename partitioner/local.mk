# partitioner/: sources and tests of this room
libweftcore_la_SOURCES += \
	partitioner/combine.h partitioner/combine_collectives.c partitioner/cse.c partitioner/collective_steps.c partitioner/collective_steps.h partitioner/common_axes.c partitioner/common_axes.h partitioner/explicit_reshards.c \
	partitioner/choice_memory.c partitioner/choice_memory.h partitioner/factor_choice.c partitioner/factor_choice.h partitioner/worth.c partitioner/worth.h partitioner/global_to_local.c partitioner/insert_reshards.c partitioner/plan_search.c partitioner/inserter.h partitioner/versions.c partitioner/versions.h partitioner/lower_reshards.c partitioner/obey_constraints.c partitioner/replicated.c partitioner/unfollowed.c \
	partitioner/local.h partitioner/local_collective.c partitioner/local_gather.c partitioner/local_ops.h \
	partitioner/local_shape.c partitioner/local_families.c partitioner/local_table.c partitioner/localize.c partitioner/op_facts.c partitioner/op_facts.h partitioner/localize.h \
	partitioner/pack_reduce_scatter.c partitioner/partition.h partitioner/placement.c partitioner/placement.h partitioner/reshard_plan.c \
	partitioner/reshard_plan.h partitioner/reshard_to_collectives.c partitioner/resharder.h \
	partitioner/single_device_reshards.c partitioner/unreduced_reshards.c

libweftcore_la_SOURCES += partitioner/canonicalize.c partitioner/canonicalize.h partitioner/canonicalize_reshard.c
libweftcore_la_SOURCES += partitioner/element_order.c partitioner/element_order.h partitioner/fold_slices.c partitioner/spot.c partitioner/spot.h partitioner/widen_pieces.c partitioner/window_scatters.c partitioner/inline_named_computations.c partitioner/local_computation.c partitioner/local_uneven.c partitioner/placement_manual.c partitioner/single_device.c partitioner/defer_reductions.c
libweftcore_la_SOURCES += partitioner/device_number.c partitioner/device_number.h partitioner/exchange.c partitioner/exchange.h partitioner/reshape_cut.c partitioner/reshape_cut.h \
	partitioner/resolve_permutations.c partitioner/resolve_reshape.c partitioner/resolve_reverse.c partitioner/resolve_window.c partitioner/resolver.c partitioner/resolver.h
libweftcore_la_SOURCES += partitioner/index_range.c partitioner/index_range.h partitioner/index_steps.c partitioner/index_steps.h partitioner/halo.c partitioner/halo.h partitioner/rounds.c partitioner/rounds.h partitioner/local_convolution.c partitioner/local_assemble.c partitioner/local_reverse.c partitioner/local_window.c partitioner/local_listed.c partitioner/local_listed_gather.c partitioner/local_listed_shape.c partitioner/local_dynamic.c partitioner/local_reduce.c partitioner/local_scan.c partitioner/local_select_scatter.c partitioner/window_view.c partitioner/window_view.h

libweftcore_la_SOURCES += partitioner/collective_matmul.c partitioner/group_axes.c partitioner/group_axes.h partitioner/machine_option.c partitioner/machine_option.h partitioner/mesh_frame.c partitioner/mesh_frame.h partitioner/neutral.c partitioner/one_mesh.c partitioner/pipeline_gathers.c partitioner/pad.c partitioner/pad.h partitioner/pad_flow.c partitioner/pad_for_divisibility.c partitioner/pad_ops.c partitioner/pad_windows.c

helpers += tests/partitioner/plan_bytes
suites += tests/partitioner/test_partition
suites += tests/partitioner/test_reshape_cut
suites += tests/partitioner/test_choice_memory
suites += tests/partitioner/test_one_mesh
suites += tests/partitioner/test_reshard_plan
suites += tests/partitioner/test_resolve_permutations
suites += tests/partitioner/test_index_range
suites += tests/partitioner/test_rounds
suites += tests/partitioner/test_survey
suites += tests/partitioner/test_uneven
EXTRA_DIST += tests/partitioner/canonicalize.mlir tests/partitioner/collective_matmul.mlir tests/partitioner/combine_collectives.mlir tests/partitioner/computations.mlir tests/partitioner/cse.mlir tests/partitioner/defer_reductions.mlir tests/partitioner/explicit_reshards.mlir tests/partitioner/fold_slices.mlir tests/partitioner/insert_reshards.mlir \
	tests/partitioner/fuzz.py tests/partitioner/global_to_local.mlir tests/partitioner/listed.mlir tests/partitioner/needs_whole.mlir tests/partitioner/lower_reshards.mlir tests/partitioner/pad_for_divisibility.mlir tests/partitioner/pipeline_gathers.mlir tests/partitioner/reshard_to_collectives.mlir tests/partitioner/resolve_permutations.mlir tests/partitioner/single_device.mlir \
	tests/partitioner/spmd.py tests/partitioner/survey.py tests/partitioner/test_given.py tests/partitioner/test_stencils.py tests/partitioner/uneven.mlir tests/partitioner/widen_pieces.mlir tests/partitioner/window_scatters.mlir tests/partitioner/test_partition.py tests/partitioner/test_front_doors.py tests/partitioner/test_shard_map.py tests/partitioner/test_windows.py
TESTS += tests/partitioner/test_equal.sh tests/partitioner/test_bad.sh tests/partitioner/test_replicate.sh
EXTRA_DIST += tests/partitioner/bad.mlir tests/partitioner/test_bad.sh tests/partitioner/replicate.mlir tests/partitioner/test_replicate.sh
EXTRA_DIST += tests/partitioner/survey.mlir tests/partitioner/equal.mlir tests/partitioner/test_equal.sh
EXTRA_DIST += tests/partitioner/obey_constraints.mlir tests/partitioner/plans.py tests/partitioner/test_plans.py tests/partitioner/test_exchanges.py tests/partitioner/test_meshes.py tests/partitioner/one_mesh.mlir tests/partitioner/wide.mlir
EXTRA_DIST += tests/partitioner/test_ragged.py
