libweftcore_la_SOURCES += \
	pipeline/autotune.c pipeline/autotune.def pipeline/autotune.h pipeline/race.c pipeline/race.h pipeline/bare.c pipeline/build.c pipeline/draw_shardings.c pipeline/dump.c pipeline/dump.h pipeline/explain.c pipeline/explain.h pipeline/explain_plan.c pipeline/fills.c pipeline/fit_memory.c pipeline/fit_memory.h pipeline/import_round_trip.c pipeline/import_round_trip.h pipeline/import_round_trip_manual.c pipeline/inline.c pipeline/instruction_filter.c pipeline/instruction_filter.h pipeline/kept.c pipeline/kept.h pipeline/layout.c pipeline/memory.c pipeline/memory.h pipeline/mesh.c pipeline/nudge.c pipeline/ordered.c pipeline/ordered.h pipeline/passes.def pipeline/peel.c pipeline/placement.c pipeline/placement.h pipeline/per_instruction.c pipeline/pipeline.h pipeline/print_plan.c pipeline/print_plan.h \
	pipeline/refine_arguments.c pipeline/return_values.c pipeline/variants.h pipeline/verify.c pipeline/verify.h pipeline/verify_internal.h pipeline/verify_locate.c \
	pipeline/registry.c pipeline/registry.h pipeline/run.c pipeline/said.c pipeline/said.h pipeline/spec.c pipeline/store.c pipeline/sum_unreduced.c pipeline/support.c

libweftcore_la_SOURCES += pipeline/checkpoint_reshard.c pipeline/checkpoint_reshard.h
libweftcore_la_SOURCES += pipeline/dryrun/annotate.c pipeline/dryrun/annotate.h pipeline/dryrun/arguments.c pipeline/dryrun/arguments.h pipeline/dryrun/batch.c pipeline/dryrun/batch.h pipeline/dryrun/sizes.c pipeline/dryrun/sizes.h pipeline/dryrun/gradients.c pipeline/dryrun/gradients.h pipeline/dryrun/changes.c pipeline/dryrun/changes.h pipeline/dryrun/condition.c pipeline/dryrun/condition.h pipeline/dryrun/relief.c pipeline/dryrun/relief.h pipeline/dryrun/report.c pipeline/dryrun/report.h pipeline/dryrun/report_explain.c pipeline/dryrun/report_vendor.c pipeline/dryrun/moves.c pipeline/dryrun/moves.h pipeline/dryrun/search.c pipeline/dryrun/search.h pipeline/dryrun/sweep.c pipeline/dryrun/sweep.h pipeline/dryrun/dims.c pipeline/dryrun/dims.h pipeline/dryrun/memory_use.c pipeline/dryrun/memory_use.h pipeline/dryrun/products.c pipeline/dryrun/products.h pipeline/dryrun/roles.c pipeline/dryrun/roles.h pipeline/dryrun/strategy.c pipeline/dryrun/strategy_impl.h pipeline/dryrun/strategy_write.c pipeline/dryrun/strategy.h

suites += tests/pipeline/test_annotate
suites += tests/pipeline/test_autotune
suites += tests/pipeline/test_checkpoint_reshard
suites += tests/pipeline/test_condition tests/pipeline/test_gradients tests/pipeline/test_search
suites += tests/pipeline/test_donation
suites += tests/pipeline/test_dump
suites += tests/pipeline/test_explain
suites += tests/pipeline/test_locations
suites += tests/pipeline/test_held
suites += tests/pipeline/test_import
suites += tests/pipeline/test_memory
suites += tests/pipeline/test_mesh
suites += tests/pipeline/test_placement
suites += tests/pipeline/test_wide
suites += tests/pipeline/test_wide_plan
suites += tests/pipeline/test_random_shardings
suites += tests/pipeline/test_shardy_options
suites += tests/pipeline/test_spec
TESTS += tests/pipeline/test_fit.sh tests/pipeline/test_passes.sh
EXTRA_DIST += tests/pipeline/test_fit.sh tests/pipeline/test_passes.sh tests/pipeline/export_pipeline.mlir tests/pipeline/foreign_ops.mlir tests/pipeline/import_round_trip.mlir tests/pipeline/inline.mlir tests/pipeline/per_instruction.mlir tests/pipeline/refine_arguments.mlir tests/pipeline/alone.mlir
