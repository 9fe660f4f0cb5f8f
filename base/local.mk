libweftbase_la_SOURCES += \
	base/arena.c base/arena.h base/bits.h base/context.c base/context.h base/diag.c base/diag.h base/diags.def \
	base/draft.c base/draft.h base/dtype.c base/dtype.h base/dtypes.def base/entropy.c base/entropy.h base/file_read.c base/file_read.h base/floats.def base/format.c base/fresh.h base/index_set.c base/index_set.h base/glob.c base/glob.h base/nearest.c base/nearest.h base/options.c base/options.h base/quantity.c base/quantity.h base/status.c base/status.h base/str.c base/str.h base/table.c base/table.h base/variables.c base/variables.h base/whole.c base/whole.h
