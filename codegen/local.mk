# codegen/: sources and tests of this room
libweftcore_la_SOURCES += \
	codegen/buffers.c codegen/compile.c codegen/compile.h codegen/dot.c codegen/dot.h codegen/dot_run.c \
	codegen/emit.h codegen/emit_arith.c codegen/emit_kernel.c codegen/emit_math.c codegen/emit_types.c \
	codegen/executable.c codegen/executable.h codegen/fuse.c codegen/fuse.h codegen/fuse_internal.h codegen/fuse_merge.c \
	codegen/fuse_prepare.c codegen/fuse_recompute.c codegen/gen_collective.c codegen/gen_control.c codegen/gen_dot.c \
	codegen/gen_pointwise.c codegen/gen_reduce.c codegen/gen_scatter.c codegen/gen_shape.c codegen/graph.c codegen/graph.h \
	codegen/graph_simplify.c codegen/import.c codegen/import.h codegen/jit.c codegen/jit.h codegen/kernel.c codegen/kernel.h \
	codegen/lower.c codegen/lower.h codegen/lower_collective.c codegen/scalar.def codegen/schedule.c codegen/trace.c \
	codegen/trace.h codegen/trace_class.c codegen/trace_scatter.c
