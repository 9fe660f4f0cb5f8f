/* kernel.h: the time of a kernel of a vendor's compiler or library, from its class and size.
 *
 *     time = kernel + the longer of arithmetic and traffic
 *     arithmetic of a product of f Gflop = f (1 + (product-ramp / f)^(2/3)) / (rate of its type * product-share)
 *     traffic = bytes / (bandwidth * memory-share); of a product: product-memory; of gather and scatter: gather-share
 *
 * The words are costs of the machine (topology/costs.def). bench/fit_machines fits them to measured products; the form
 * was chosen among five by the errors on both machines measured. Attention and convolutions have shares of their own
 * and no ramp. Arithmetic element by element has the rate `vector`, if the machine has one.
 */
#ifndef WEFT_COST_KERNEL_H
#define WEFT_COST_KERNEL_H

#include "base/dtype.h"
#include "topology/machine.h"

typedef enum weft_kernel_class {
    WEFT_KERNEL_PRODUCT,
    WEFT_KERNEL_ATTENTION,   /* products and a softmax whose scores stay on the chip */
    WEFT_KERNEL_CONVOLUTION,
    WEFT_KERNEL_POINTWISE,   /* element by element, with the movements that it absorbs */
    WEFT_KERNEL_REDUCTION,
    WEFT_KERNEL_GATHER,      /* and scatter */
    WEFT_KERNEL_UPDATE,      /* a slice written in place */
    WEFT_KERNEL_SORT,
    WEFT_KERNEL_CUSTOM,
    WEFT_KERNEL_CLASSES
} weft_kernel_class;

typedef struct weft_kernel {
    weft_kernel_class kind;
    weft_dtype dtype;        /* of the operands of its products */
    double flops;            /* of its products and convolutions */
    double vector_flops;     /* element by element */
    double read_bytes, write_bytes;
} weft_kernel;

/* "product", "attention", ... */
const char *weft_kernel_class_name(weft_kernel_class c);

/* The machine's rate for products of this type, in flop/s, before any share. */
double weft_kernel_rate(const weft_machine *m, weft_dtype dtype);

double weft_kernel_time_s(const weft_machine *m, const weft_kernel *k);

#endif
