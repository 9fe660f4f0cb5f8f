# The C API: graphs built in C, and jobs that run them.
weftinclude_HEADERS += include/weft/control.h include/weft/dryrun.h include/weft/gradients.h \
	include/weft/graph.h include/weft/ops.h \
	include/weft/parameters.h include/weft/random.h include/weft/strategy.h
libweftcore_la_SOURCES += capi/accumulate.c capi/agreement.c capi/algebra.c capi/agreement.h capi/bodies.c \
	capi/build.c capi/control.c capi/dryrun.c \
	capi/function.c capi/gradients.c capi/graph.c capi/graph_impl.h capi/initialiser.c capi/job.c capi/launch.c \
	capi/launch.h capi/layers.c \
	capi/maker.c capi/moves.c capi/ops.c capi/parameters.c capi/pattern.c capi/pattern.h capi/random.c capi/read.c \
	capi/reduce.c capi/region.c capi/rule.c capi/scan.c capi/shard.c capi/strategy.c capi/words.c

# Arrays, states and programs that share them.
weftinclude_HEADERS += include/weft/array.h include/weft/checkpoint.h include/weft/data.h include/weft/tokenizer.h
libweftcore_la_SOURCES += capi/array.c capi/array_file.c capi/array_impl.h capi/array_spec.c capi/checkpoint.c \
	capi/client.c capi/data.c \
	capi/journal.c capi/program.c capi/program_file.c capi/program_impl.h capi/program_times.c capi/restore.c \
	capi/restore_as.c capi/restore_as.h capi/state.c \
	capi/tokenizer.c capi/tokenizer.h capi/tokenizer_merge.c capi/tokenizer_split.c capi/unicode.def
EXTRA_DIST += capi/unicode_classes.py

suites += tests/capi/test_array
suites += tests/capi/test_checkpoint
suites += tests/capi/test_control
suites += tests/capi/test_data
suites += tests/capi/test_dryrun
suites += tests/capi/test_gradients
suites += tests/capi/test_every_op
suites += tests/capi/test_graph
suites += tests/capi/test_job
suites += tests/capi/test_misuse
suites += tests/capi/test_moves
suites += tests/capi/test_parameters
suites += tests/capi/test_process
suites += tests/capi/test_kept tests/capi/test_program tests/capi/test_program_file
suites += tests/capi/test_refusals
suites += tests/capi/test_stored_as
suites += tests/capi/test_strategy

# Users' programs, linked as such.
helpers += tests/capi/tokens
tests_capi_tokens_CPPFLAGS = $(AM_CPPFLAGS)
tests_capi_tokens_LDADD = libweft.la
EXTRA_DIST += tests/capi/test_tokenizer.py
helpers += tests/capi/arrays
tests_capi_arrays_CPPFLAGS = $(AM_CPPFLAGS)
tests_capi_arrays_LDADD = libweft.la
helpers += tests/capi/checkpoints
tests_capi_checkpoints_CPPFLAGS = $(AM_CPPFLAGS)
tests_capi_checkpoints_LDADD = libweft.la
TESTS += tests/capi/test_arrays.sh tests/capi/test_checkpoints.sh tests/capi/test_kills.sh
EXTRA_DIST += tests/capi/ranks.sh tests/capi/test_arrays.sh tests/capi/test_checkpoints.sh \
	tests/capi/test_kills.sh tests/capi/test_checkpoint.py tests/capi/test_hugging_face.py
if HAVE_MPI
helpers += tests/capi/mpi_worlds
tests_capi_mpi_worlds_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_capi_mpi_worlds_LDADD = libweft.la $(MPI_LIBS)
endif
TESTS += tests/capi/test_docs.sh tests/capi/test_makers.sh tests/capi/test_mpi_worlds.sh tests/capi/test_unload.sh
EXTRA_DIST += tests/capi/makers.txt tests/capi/test_docs.sh tests/capi/test_makers.sh \
	tests/capi/test_mpi_worlds.sh tests/capi/test_unload.sh tests/capi/unload.c

# JAX's functions through the C API.
EXTRA_DIST += tests/jax/cases.py tests/jax/conftest.py tests/jax/test_back_compat.py tests/jax/export.py \
	tests/jax/harness.py tests/jax/programs.py tests/jax/test_front_doors.py \
	tests/jax/test_functions.py tests/jax/test_linear_algebra.py tests/jax/sharded.py tests/jax/test_random.py \
	tests/jax/test_sharded.py tests/jax/test_texts.py tests/jax/test_fft_errors.py tests/jax/texts.py \
	tests/jax/binding.py tests/jax/worker.py \
	tests/jax/xla.py tests/jax/text/__init__.py tests/jax/text/bodies.py tests/jax/text/draw.py \
	tests/jax/text/elements.py \
	tests/jax/text/graphs.py tests/jax/text/indexing.py tests/jax/text/others.py tests/jax/text/products.py \
	tests/jax/text/reductions.py tests/jax/text/shapes.py \
	tests/jax/tables/__init__.py \
	tests/jax/tables/control.py tests/jax/tables/dtypes.py tests/jax/tables/fourier.py \
	tests/jax/tables/further_functions.py tests/jax/tables/indexing.py \
	tests/jax/tables/lax_elementwise.py tests/jax/tables/lax_structure.py tests/jax/tables/linear_algebra.py \
	tests/jax/tables/models.py tests/jax/tables/nn.py \
	tests/jax/tables/numpy_functions.py tests/jax/tables/random_numbers.py tests/jax/tables/scipy_functions.py \
	tests/jax/tables/transforms.py
