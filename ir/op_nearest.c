/* op_nearest.c: see op_nearest.h. */
#include "ir/op_nearest.h"

#include "ir/op.h"

/* The part after the dialect's name. */
static weft_str after_dialect(weft_str op) {
    const char *dot = memchr(op.p, '.', op.n);
    return dot ? (weft_str){ dot + 1, op.n - (size_t)(dot + 1 - op.p) } : op;
}

weft_nearest weft_op_nearest(weft_str name) {
    weft_nearest near = weft_nearest_to(name);
    for (uint32_t k = 0; k < WEFT_OP_COUNT; k++)
        if (k != WEFT_OP_other) weft_nearest_offer(&near, weft_str_from(weft_op_table[k].name));
    for (uint32_t k = 0; k < WEFT_OP_COUNT && !near.best.n; k++)
        if (k != WEFT_OP_other &&
            weft_str_equal(after_dialect(weft_str_from(weft_op_table[k].name)), after_dialect(name)))
            near.best = weft_str_from(weft_op_table[k].name);
    return near;
}
