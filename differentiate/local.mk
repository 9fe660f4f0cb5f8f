# differentiate/: sources and tests of this room
libweftcore_la_SOURCES += differentiate/activity.c differentiate/affine.c differentiate/affine.h \
	differentiate/append.c differentiate/append.h differentiate/append_gradients.c \
	differentiate/append_tangents.c differentiate/branch.c differentiate/build.c differentiate/call.c \
	differentiate/chlo.c differentiate/collective.c differentiate/convolution.c differentiate/custom_call.c \
	differentiate/differentiate.c \
	differentiate/differentiate.h differentiate/edit.c differentiate/expand.c differentiate/fft.c \
	differentiate/forward.c differentiate/gather.c differentiate/grad.h differentiate/lapack.c \
	differentiate/lapack.h differentiate/lapack_call.c differentiate/lapack_call.h differentiate/lapack_eig.c \
	differentiate/lapack_qr.c differentiate/lapack_svd.c differentiate/lapack_tridiagonal.c \
	differentiate/linalg.c differentiate/loop.c differentiate/manual.c differentiate/matrix.c \
	differentiate/matrix.h differentiate/pointwise.c differentiate/primal.c differentiate/product.c \
	differentiate/reduce.c differentiate/reverse.c differentiate/rules.c differentiate/rules.h \
	differentiate/shape.c differentiate/shift.c differentiate/sort.c differentiate/window.c

EXTRA_DIST += tests/differentiate/append_gradients.mlir tests/differentiate/append_tangents.mlir
EXTRA_DIST += tests/differentiate/functions.py tests/differentiate/test_jax.py
EXTRA_DIST += tests/differentiate/test_bound.py tests/differentiate/test_devices.py

suites += tests/differentiate/test_failures
suites += tests/differentiate/test_rules
