# Layers and optimizers: users of the public headers.
weftinclude_HEADERS += include/weft/nn.h include/weft/optim.h
libweftcore_la_SOURCES += capi/nn/activation.c capi/nn/adafactor.c capi/nn/attention.c capi/nn/conv.c \
	capi/nn/experts.c capi/nn/linear.c capi/nn/muon.c capi/nn/nn.h capi/nn/norm.c capi/nn/optim.h capi/nn/optimizer.c \
	capi/nn/shared.c capi/nn/training.c

# Programs of layers, as text, and the same in JAX.
helpers += tests/capi/models
EXTRA_DIST += tests/jax/test_layers.py tests/jax/test_optimizers.py

# The programs of docs/training.md, tutorial.md and mpi-guide.md.
TESTS += tests/capi/test_guides.sh tests/capi/test_training.sh
EXTRA_DIST += tests/capi/test_guides.sh tests/capi/test_training.sh
