/* elements.h: programs on lists of elements, for the tests of instructions. */
#ifndef WEFT_TESTS_CODEGEN_ELEMENTS_H
#define WEFT_TESTS_CODEGEN_ELEMENTS_H

#include "tests/codegen/walk.h"

/* Reads, compiles and runs text; results into out[], whose buffers are large enough. Returns the reader's status if it
 * refuses the text, or WEFT_ERR_UNSUPPORTED; any other failure fails the test with the message. */
weft_status elements_run(const char *text, void *const *args, void *const *out);

/* @main(%a, %b, %c) of the first `arity` of args of types in[], each n elements, and the one op in generic form with
 * attributes attrs ("" or "<{..}>"), whose result has type to. */
weft_status elements_op(const char *op, const char *attrs, uint32_t arity, const weft_dtype *in, weft_dtype to,
                        int64_t n, void *const *args, void *out);

/* CMPLX and CMPLXL, which not every compiler has. */
static inline double _Complex elements_complex(double re, double im) {
    const double parts[2] = { re, im };
    double _Complex z;
    memcpy(&z, parts, sizeof z);
    return z;
}
static inline long double _Complex elements_wide_complex(long double re, long double im) {
    const long double parts[2] = { re, im };
    long double _Complex z;
    memcpy(&z, parts, sizeof z);
    return z;
}

/* Every element type as the widest of its kind. Complex: both parts. */
typedef struct element_value { long double re, im; } element_value;
element_value elements_load(weft_dtype t, const void *p, int64_t i);
/* for types up to 64 bits; sub-byte types without the bits above them */
uint64_t elements_bits(weft_dtype t, const void *p, int64_t i);
void elements_store_bits(weft_dtype t, void *p, int64_t i, uint64_t bits);

#endif
