# Examples see what users see: include/weft and libweft.
noinst_PROGRAMS += examples/cg examples/conv examples/heat examples/mlp examples/moe examples/pipeline \
	examples/sort examples/gpt/gpt examples/gpt/train
examples_cg_SOURCES = examples/cg.c examples/example.h
examples_cg_LDADD = libweft.la
examples_conv_SOURCES = examples/conv.c examples/train_run.c examples/train_run.h examples/example.h
examples_conv_LDADD = libweft.la
examples_heat_SOURCES = examples/heat.c examples/example.h
examples_heat_LDADD = libweft.la
examples_mlp_SOURCES = examples/mlp.c
examples_mlp_LDADD = libweft.la
examples_moe_SOURCES = examples/moe.c examples/train_run.c examples/train_run.h examples/example.h
examples_moe_LDADD = libweft.la
examples_pipeline_SOURCES = examples/pipeline.c examples/example.h
examples_pipeline_LDADD = libweft.la
examples_sort_SOURCES = examples/sort.c examples/example.h
examples_sort_LDADD = libweft.la
examples_gpt_gpt_SOURCES = examples/gpt.c examples/gpt_run.c examples/gpt_run.h examples/gpt_weights.c \
	examples/example.h
examples_gpt_gpt_LDADD = libweft.la
examples_gpt_train_SOURCES = examples/gpt/train.c
examples_gpt_train_LDADD = libweft.la
# What the examples of the same names do, by hand for MPI.
if HAVE_MPI
noinst_PROGRAMS += examples/mpi/cg examples/mpi/heat examples/mpi/sort
examples_mpi_cg_CPPFLAGS = $(MPI_CFLAGS)
examples_mpi_cg_LDADD = $(MPI_LIBS) -lm
examples_mpi_heat_CPPFLAGS = $(MPI_CFLAGS)
examples_mpi_heat_LDADD = $(MPI_LIBS)
examples_mpi_sort_CPPFLAGS = $(MPI_CFLAGS)
examples_mpi_sort_LDADD = $(MPI_LIBS)
endif
TESTS += tests/programs/test_examples.sh tests/programs/test_gpt.sh \
	tests/programs/test_gpt_flags.sh tests/programs/test_layers.sh \
	tests/programs/test_order.sh tests/programs/test_programs.sh tests/programs/test_strategies.sh
EXTRA_DIST += tests/jax/test_gpt.py tests/programs/test_gpt.sh tests/programs/test_gpt_flags.sh examples/gpt/gpt.mlir \
	examples/gpt/text.txt \
	examples/gpt/make_gpt.py \
	tests/programs/layers.mlir tests/programs/order.mlir tests/programs/test_examples.sh \
	tests/programs/test_layers.sh tests/programs/test_order.sh tests/programs/test_programs.sh \
	tests/programs/test_strategies.sh
