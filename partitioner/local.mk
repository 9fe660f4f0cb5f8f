# partitioner/: sources and tests of this room
libweftcore_la_SOURCES += \
	partitioner/collective_opt/combine.h partitioner/collective_opt/combine_collectives.c partitioner/collective_opt/cse.c partitioner/layout/collective_steps.c partitioner/layout/collective_steps.h partitioner/shardy/common_axes.c partitioner/shardy/common_axes.h partitioner/shardy/explicit_reshards.c \
	partitioner/plan/choice_memory.c partitioner/plan/choice_memory.h partitioner/plan/factor_choice.c partitioner/plan/factor_choice.h partitioner/plan/worth.c partitioner/plan/worth.h partitioner/lower/global_to_local.c partitioner/plan/insert_reshards.c partitioner/plan/layout_plan.c partitioner/plan/layout_plan.h partitioner/plan/layout_planner.h partitioner/plan/make_plan.c partitioner/plan/plan_moves.c partitioner/plan/plan_moves.h partitioner/plan/plan_read.c partitioner/plan/plan_search.c partitioner/plan/plan_text.c partitioner/plan/plan_text.h partitioner/plan/write_plan.c partitioner/plan/versions.c partitioner/plan/versions.h partitioner/layout/lower_reshards.c partitioner/prepare/obey_constraints.c partitioner/plan/replicated.c partitioner/plan/unfollowed.c \
	partitioner/lower/local.h partitioner/lower/local_collective.c partitioner/lower/local_gather.c partitioner/lower/local_ops.h \
	partitioner/lower/local_shape.c partitioner/lower/local_families.c partitioner/local_table.c partitioner/lower/localize.c partitioner/lower/op_facts.c partitioner/lower/op_facts.h partitioner/lower/localize.h \
	partitioner/collective_opt/pack_reduce_scatter.c partitioner/partition.h partitioner/layout/placement.c partitioner/layout/placement.h partitioner/layout/reshard_plan.c \
	partitioner/layout/reshard_plan.h partitioner/shardy/reshard_to_collectives.c partitioner/shardy/resharder.h \
	partitioner/shardy/single_device_reshards.c partitioner/shardy/unreduced_reshards.c

libweftcore_la_SOURCES += partitioner/shardy/canonicalize.c partitioner/shardy/canonicalize.h partitioner/shardy/canonicalize_reshard.c
libweftcore_la_SOURCES += partitioner/prepare/element_order.c partitioner/prepare/element_order.h partitioner/prepare/fold_slices.c partitioner/prepare/sharded.c partitioner/prepare/sharded.h partitioner/prepare/spot.c partitioner/prepare/spot.h partitioner/prepare/widen_pieces.c partitioner/prepare/carry_sorted.c partitioner/prepare/window_scatters.c partitioner/prepare/index_batches.c partitioner/prepare/inline_named_computations.c partitioner/lower/local_computation.c partitioner/lower/local_uneven.c partitioner/layout/placement_manual.c partitioner/shardy/single_device.c partitioner/collective_opt/defer_reductions.c
libweftcore_la_SOURCES += partitioner/layout/device_number.c partitioner/layout/device_number.h partitioner/shardy/exchange.c partitioner/shardy/exchange.h partitioner/layout/reshape_cut.c partitioner/layout/reshape_cut.h \
	partitioner/shardy/resolve_permutations.c partitioner/shardy/resolve_reshape.c partitioner/shardy/resolve_reverse.c partitioner/shardy/resolve_window.c partitioner/shardy/resolver.c partitioner/shardy/resolver.h
libweftcore_la_SOURCES += partitioner/lower/index_range.c partitioner/lower/index_range.h partitioner/lower/index_steps.c partitioner/lower/index_steps.h partitioner/lower/halo.c partitioner/lower/halo.h partitioner/lower/rounds.c partitioner/lower/rounds.h partitioner/lower/local_convolution.c partitioner/lower/local_assemble.c partitioner/lower/local_reverse.c partitioner/lower/local_window.c partitioner/shardy/local_listed.c partitioner/shardy/local_listed_gather.c partitioner/shardy/local_listed_shape.c partitioner/lower/local_dynamic.c partitioner/lower/local_reduce.c partitioner/lower/local_scan.c partitioner/lower/local_select_scatter.c partitioner/lower/local_fft.c partitioner/lower/local_fft.h partitioner/lower/local_rfft.c partitioner/lower/local_sort.c partitioner/lower/splits.c partitioner/lower/splits.h partitioner/lower/window_view.c partitioner/lower/window_view.h

libweftcore_la_SOURCES += partitioner/collective_opt/collective_matmul.c partitioner/layout/group_axes.c partitioner/layout/group_axes.h partitioner/layout/mesh_frame.c partitioner/layout/mesh_frame.h partitioner/lower/neutral.c partitioner/prepare/one_mesh.c partitioner/collective_opt/pipeline_gathers.c partitioner/shardy/pad.c partitioner/shardy/pad.h partitioner/shardy/pad_flow.c partitioner/shardy/pad_for_divisibility.c partitioner/shardy/pad_ops.c partitioner/shardy/pad_windows.c
libweftcore_la_SOURCES += partitioner/memory/live.c partitioner/memory/live.h partitioner/memory/rematerialize.c partitioner/memory/rematerialize.h

helpers += tests/partitioner/plan_bytes
suites += tests/partitioner/test_partition
suites += tests/partitioner/layout/test_reshape_cut
suites += tests/partitioner/plan/test_choice_memory
suites += tests/partitioner/prepare/test_one_mesh
suites += tests/partitioner/layout/test_reshard_plan
suites += tests/partitioner/shardy/test_resolve_permutations
suites += tests/partitioner/lower/test_index_range
suites += tests/partitioner/lower/test_rounds
suites += tests/partitioner/test_survey
suites += tests/partitioner/test_uneven
EXTRA_DIST += tests/partitioner/shardy/canonicalize.mlir tests/partitioner/collective_opt/collective_matmul.mlir tests/partitioner/collective_opt/combine_collectives.mlir tests/partitioner/computations.mlir tests/partitioner/collective_opt/cse.mlir tests/partitioner/collective_opt/defer_reductions.mlir tests/partitioner/shardy/explicit_reshards.mlir tests/partitioner/prepare/fold_slices.mlir tests/partitioner/plan/insert_reshards.mlir \
	tests/partitioner/fuzz.py tests/partitioner/lower/global_to_local.mlir tests/partitioner/listed.mlir tests/partitioner/memory/rematerialize.mlir tests/partitioner/needs_whole.mlir tests/partitioner/layout/lower_reshards.mlir tests/partitioner/shardy/pad_for_divisibility.mlir tests/partitioner/collective_opt/pipeline_gathers.mlir tests/partitioner/shardy/reshard_to_collectives.mlir tests/partitioner/shardy/resolve_permutations.mlir tests/partitioner/shardy/single_device.mlir \
	tests/partitioner/spmd.py tests/partitioner/survey.py tests/partitioner/test_given.py tests/partitioner/test_lookups.py tests/partitioner/test_stencils.py tests/partitioner/uneven.mlir tests/partitioner/prepare/widen_pieces.mlir tests/partitioner/prepare/window_scatters.mlir tests/partitioner/prepare/index_batches.mlir tests/partitioner/prepare/carry_sorted.mlir tests/partitioner/test_carried.py tests/partitioner/test_terms.py tests/partitioner/test_partition.py tests/partitioner/test_front_doors.py tests/partitioner/test_shard_map.py tests/partitioner/test_sorts.py tests/partitioner/test_transforms.py tests/partitioner/test_windows.py
TESTS += tests/partitioner/test_equal.sh tests/partitioner/test_bad.sh tests/partitioner/test_plan_text.sh tests/partitioner/test_replicate.sh
EXTRA_DIST += tests/partitioner/bad.mlir tests/partitioner/test_bad.sh tests/partitioner/test_plan_text.sh tests/partitioner/replicate.mlir tests/partitioner/test_replicate.sh
EXTRA_DIST += tests/partitioner/survey.mlir tests/partitioner/equal.mlir tests/partitioner/test_equal.sh
EXTRA_DIST += tests/partitioner/prepare/obey_constraints.mlir tests/partitioner/plans.py tests/partitioner/test_plans.py tests/partitioner/test_exchanges.py tests/partitioner/test_meshes.py tests/partitioner/prepare/one_mesh.mlir tests/partitioner/wide.mlir
EXTRA_DIST += tests/partitioner/test_ragged.py
