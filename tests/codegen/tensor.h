/* tensor.h: for tests that compare tensors of any float or complex type with a calculation in double complex. */
#ifndef WEFT_TESTS_CODEGEN_TENSOR_H
#define WEFT_TESTS_CODEGEN_TENSOR_H

#include <complex.h>
#include "codegen/compile.h"

typedef double complex num;

/* CMPLX, which glibc gives to gcc only; infinities and NaNs stay in their part. */
static inline num tensor_num(double re, double im) {
    union { double part[2]; num v; } n = { { re, im } };
    return n.v;
}

num tensor_get(weft_dtype t, const void *p, int64_t i);
void tensor_put(weft_dtype t, void *p, int64_t i, num v);
/* Memory for n elements, aligned as buffers are, filled from seed with values in [-1, 1). Fails the test when memory is
 * out. */
void *tensor_random(weft_dtype t, int64_t n, uint64_t seed);
/* 2^-23 and the like. */
double tensor_epsilon(weft_dtype t);

/* Compiles text and runs @main; fails the test if either fails. results are allocated, to be freed by the
 * caller. */
void tensor_run(const char *text, void *const *args, void **results);
/* The first diagnostic of a text that does not compile, in out; fails the test if it compiles. */
void tensor_error(const char *text, char *out, size_t n);

#endif
