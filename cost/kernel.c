/* kernel.c: see kernel.h. */
#include "cost/kernel.h"

#include <math.h>

static const char *const names[WEFT_KERNEL_CLASSES] = {
    [WEFT_KERNEL_PRODUCT] = "product",
    [WEFT_KERNEL_ATTENTION] = "attention",
    [WEFT_KERNEL_CONVOLUTION] = "convolution",
    [WEFT_KERNEL_POINTWISE] = "element-wise",
    [WEFT_KERNEL_REDUCTION] = "reduction",
    [WEFT_KERNEL_GATHER] = "gather, scatter",
    [WEFT_KERNEL_UPDATE] = "slice update",
    [WEFT_KERNEL_SORT] = "sort",
    [WEFT_KERNEL_CUSTOM] = "custom call",
};

const char *weft_kernel_class_name(weft_kernel_class c) { return names[c]; }

double weft_kernel_rate(const weft_machine *m, weft_dtype dtype) {
    const weft_costs *c = &m->costs;
    const size_t bits = weft_dtype_table[dtype].bits;
    const double rate = bits <= 8          ? c->byte_flops_per_s
                        : bits == 16       ? c->half_flops_per_s
                        : bits == 32       ? c->float_flops_per_s
                                           : c->double_flops_per_s;
    return rate > 0 ? rate : m->flops_per_s;
}

static double longer(double a, double b) { return a > b ? a : b; }

double weft_kernel_time_s(const weft_machine *m, const weft_kernel *k) {
    const weft_costs *c = &m->costs;
    const double rate = weft_kernel_rate(m, k->dtype), bytes = k->read_bytes + k->write_bytes;
    double arithmetic = 0, share = c->memory_share, passes = 1;
    switch (k->kind) {
    case WEFT_KERNEL_PRODUCT:
        share = c->product_memory;
        if (k->flops > 0)
            arithmetic = k->flops * (1 + cbrt(pow(1e9 * c->product_ramp / k->flops, 2))) / (rate * c->product_share);
        break;
    case WEFT_KERNEL_ATTENTION: arithmetic = k->flops / (rate * c->attention_share); break;
    case WEFT_KERNEL_CONVOLUTION: arithmetic = k->flops / (rate * c->convolution_share); break;
    case WEFT_KERNEL_GATHER: share = c->gather_share; break;
    case WEFT_KERNEL_SORT: passes = c->sort_passes; break;
    case WEFT_KERNEL_CUSTOM: arithmetic = k->flops / (rate * c->product_share); break;
    case WEFT_KERNEL_POINTWISE: case WEFT_KERNEL_REDUCTION: case WEFT_KERNEL_UPDATE: case WEFT_KERNEL_CLASSES: break;
    }
    if (c->vector_flops_per_s > 0) arithmetic += k->vector_flops / c->vector_flops_per_s;
    return c->kernel_s + longer(arithmetic, passes * bytes / (m->bytes_per_s * share));
}
