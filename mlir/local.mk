# mlir/: sources and tests of this room
libweftcore_la_SOURCES += \
	mlir/attr_names.c mlir/forms.c mlir/names.c mlir/print.c mlir/print.h mlir/print_aliases.c mlir/print_attr.c mlir/print_dense.c mlir/print_groups.c mlir/print_loc.c \
	mlir/print_names.c mlir/print_sdy.c mlir/print_stablehlo.c mlir/read.c mlir/read.h mlir/read_attr.c mlir/read_dense.c \
	mlir/read_loc.c mlir/read_number.c mlir/read_op.c mlir/read_quant.c mlir/read_sdy.c mlir/read_stablehlo.c mlir/read_type.c mlir/reader.h \
	mlir/syntax.c mlir/syntax.h mlir/syntax_control.c mlir/syntax_dot.c mlir/syntax_func.c mlir/syntax_reduce.c \
	mlir/syntax_sdy.c mlir/syntax_values.c mlir/text.c mlir/writer.h
libweftcore_la_SOURCES += mlir/read_sdy_rule.c
libweftcore_la_SOURCES += \
	mlir/bytecode.c mlir/bytecode.h mlir/bytecode_builtin.c mlir/bytecode_convert.c mlir/bytecode_entry.c mlir/bytecode_names.c \
	mlir/bytecode_op.c mlir/bytecode_resource.c mlir/bytecode_sdy.c mlir/bytecode_codes.h mlir/bytecode_stablehlo.c mlir/bytecode_tables.c mlir/bytecode_vhlo.c mlir/jax_export.c mlir/vhlo.def
libweftcore_la_SOURCES += \
	mlir/bytecode_write.c mlir/bytecode_write.h mlir/bytecode_write_attr.c mlir/bytecode_write_op.c mlir/bytecode_write_sdy.c \
	mlir/bytecode_write_type.c mlir/bytecode_write_vhlo.c mlir/write.h
libweftcore_la_SOURCES += mlir/read_resource.c mlir/syntax_check.c

helpers += tests/mlir/roundtrip
suites += tests/mlir/test_roundtrip
suites += tests/mlir/test_limits
suites += tests/mlir/test_attr
suites += tests/mlir/test_read
suites += tests/mlir/test_bytecode
suites += tests/mlir/test_write
suites += tests/mlir/test_read_sdy
tests_mlir_roundtrip_LDADD = $(weft_rooms)
tests_support_libsupport_la_SOURCES += tests/mlir/text.h

EXTRA_DIST += \
	tests/mlir/attributes.mlir tests/mlir/check.mlir tests/mlir/chlo.mlir tests/mlir/collectives.mlir tests/mlir/control.mlir tests/mlir/dot.mlir \
	tests/mlir/linalg.mlir tests/mlir/literals.mlir tests/mlir/names.mlir tests/mlir/nested.mlir tests/mlir/pointwise.mlir \
	tests/mlir/reduce.mlir tests/mlir/sdy.mlir tests/mlir/shape.mlir tests/mlir/sharded.mlir
EXTRA_DIST += tests/mlir/bytecode tests/mlir/jaxlib_context.py tests/mlir/make_bytecode.py tests/mlir/test_bytecode.py
EXTRA_DIST += tests/mlir/random_sdy.py tests/mlir/test_roundtrip.py tests/fuzz/mlir.dict tests/fuzz/corpus tests/fuzz/seeds.sh

if FUZZERS
noinst_PROGRAMS += tests/fuzz/fuzz_read tests/fuzz/fuzz_compile
tests_fuzz_fuzz_read_SOURCES = tests/fuzz/fuzz_read.c tests/fuzz/seeds.h
tests_fuzz_fuzz_read_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_read_LDADD = $(weft_rooms)
tests_fuzz_fuzz_compile_SOURCES = tests/fuzz/fuzz_compile.c tests/fuzz/seeds.h
tests_fuzz_fuzz_compile_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_compile_LDADD = $(weft_rooms)
endif
