/* host_array.h: whole tensors in host memory, and NumPy's .npy files.
 *
 * An array's elements are in row-major order, little-endian, laid out as in base/dtype.h. It does not own its data
 * unless it came from weft_npy_open, which is given back by weft_npy_close. Source: numpy.lib.format,
 * versions 1.0 to 3.0. Types without a NumPy name (bf16, f8 ...) are stored as NumPy stores ml_dtypes' ones: raw bytes,
 * "V2".
 */
#ifndef WEFT_RUNTIME_HOST_ARRAY_H
#define WEFT_RUNTIME_HOST_ARRAY_H

#include "base/diag.h"
#include "base/dtype.h"

#define WEFT_HOST_ARRAY_MAX_RANK 64

typedef struct weft_host_array {
    weft_dtype dtype;
    uint32_t rank;
    int64_t dims[WEFT_HOST_ARRAY_MAX_RANK];
    void *data;
} weft_host_array;

int64_t weft_host_array_elems(const weft_host_array *a); /* -1 when it does not fit */
int64_t weft_host_array_bytes(const weft_host_array *a);
void weft_host_array_type_print(weft_buf *b, const weft_host_array *a); /* "tensor<2x3xf32>" */

typedef struct weft_npy {
    weft_host_array array;
    void *owned;      /* the elements, from the context's allocator */
    size_t owned_bytes;
} weft_npy;

/* Opens path, which must hold what `expected` says (its data is not looked at; a negative size stands for any).
 * Reports, naming the file and what was expected and found. Column-major and big-endian files are converted. A
 * file that becomes shorter while it is read is an error; what becomes of it afterwards does not matter. */
weft_status weft_npy_open(weft_context *cx, const char *path, const weft_host_array *expected, weft_npy *out);
/* What path holds, by its header alone: type and shape, where the data begins, and how it lies. Reports a type that
 * Weft lacks. */
typedef struct weft_npy_form {
    size_t at;
    bool is_column_major, is_big_endian;
} weft_npy_form;
weft_status weft_npy_describe(weft_context *cx, const char *path, weft_host_array *out, weft_npy_form *form);
void weft_npy_close(weft_context *cx, weft_npy *npy); /* a zeroed one is fine */

/* The file appears whole or not at all. */
weft_status weft_npy_write(weft_context *cx, const char *path, const weft_host_array *a);

/* Compares got with want, which have the same type and shape: |got - want| <= atol + rtol * |want| for floats, equality
 * for integers and bools; NaN equals NaN and an infinity itself. WEFT_ERR_MISMATCH and *at (row-major) at the first
 * difference; no diagnostic. */
weft_status weft_host_array_compare(const weft_host_array *got, const weft_host_array *want, double rtol, double atol,
                                    int64_t *at);

/* Element i in plain text: "0.25", "-3", "true", "(1, 2)". */
void weft_host_array_element_print(weft_buf *b, const weft_host_array *a, int64_t i);

/* "[1, 2, 3]" for row-major index i. */
void weft_host_array_index_print(weft_buf *b, const weft_host_array *a, int64_t i);

#endif
