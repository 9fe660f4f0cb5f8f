# exec/kernels/: sources and tests of this room
libweftrun_la_SOURCES += exec/kernels/assertion.c exec/kernels/assertion.h exec/kernels/callback.c exec/kernels/callback.h exec/kernels/check.c exec/kernels/check.h exec/kernels/cholesky.c exec/kernels/cholesky.h \
	exec/kernels/conv_zeros.c exec/kernels/conv_zeros.h exec/kernels/convolution.c exec/kernels/convolution.h exec/kernels/copy.c exec/kernels/copy.h exec/kernels/csr.c exec/kernels/csr.h \
	exec/kernels/dnn.c exec/kernels/dnn.h exec/kernels/dnn_blas.c exec/kernels/dnn_blas.h exec/kernels/dnn_recode.c exec/kernels/dnn_recode.h exec/kernels/dnn_version.c exec/kernels/dnn_version.h exec/kernels/ffi.c exec/kernels/ffi.h exec/kernels/fft.c exec/kernels/fft.h \
	exec/kernels/fft_blocks.c exec/kernels/fft_blocks.h exec/kernels/gemm.c exec/kernels/gemm.h exec/kernels/kernels.c exec/kernels/kernels.def exec/kernels/kernels.h \
	exec/kernels/lapack.c exec/kernels/lapack.h exec/kernels/lapack_eigen.c exec/kernels/lapack_factor.c exec/kernels/lapack_small.c exec/kernels/lapack_small.h exec/kernels/lapack_step.c exec/kernels/lapack_step.h exec/kernels/library.h exec/kernels/library_parts.c \
	exec/kernels/product.c exec/kernels/product.h exec/kernels/rows.c exec/kernels/rows.h exec/kernels/scratch.c exec/kernels/scratch.h exec/kernels/sort.c exec/kernels/sort.h exec/kernels/threads.c exec/kernels/threads.h \
	exec/kernels/triangular.c exec/kernels/triangular.h exec/kernels/tridiagonal.c exec/kernels/tridiagonal.h \
	exec/kernels/fft_f32.c exec/kernels/fft_f64.c exec/kernels/fft_lines.h
