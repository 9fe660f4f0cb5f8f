# kernels/: sources and tests of this room
libweftrun_la_SOURCES += kernels/assertion.c kernels/assertion.h kernels/check.c kernels/check.h kernels/cholesky.c kernels/cholesky.h \
	kernels/conv_zeros.c kernels/conv_zeros.h kernels/convolution.c kernels/convolution.h kernels/copy.c kernels/copy.h kernels/csr.c kernels/csr.h \
	kernels/dnn.c kernels/dnn.h kernels/dnn_recode.c kernels/dnn_recode.h kernels/dnn_version.c kernels/dnn_version.h kernels/fft.c kernels/fft.h \
	kernels/fft_blocks.c kernels/fft_blocks.h kernels/gemm.c kernels/gemm.h kernels/kernels.c kernels/kernels.def kernels/kernels.h \
	kernels/lapack.c kernels/lapack.h kernels/lapack_eigen.c kernels/lapack_factor.c kernels/lapack_step.c kernels/lapack_step.h kernels/library.h \
	kernels/product.c kernels/product.h kernels/rows.c kernels/rows.h kernels/scratch.c kernels/scratch.h kernels/sort.c kernels/sort.h kernels/threads.c kernels/threads.h \
	kernels/triangular.c kernels/triangular.h kernels/tridiagonal.c kernels/tridiagonal.h
