/* rematerialize.h: a program that holds less memory at a time, for computing some values again. */
#ifndef WEFT_PARTITIONER_MEMORY_REMATERIALIZE_H
#define WEFT_PARTITIONER_MEMORY_REMATERIALIZE_H

#include "cost/machine.h"
#include "ir/module.h"

typedef struct weft_rematerialized {
    uint32_t values;        /* that are computed again */
    int64_t before, after;  /* bytes held at most, by live.h */
} weft_rematerialized;

/* Changes @main of m, one device's program, until its values hold at most `limit` bytes at a time, or as few as this
 * pass can do. keeps_products: results of products and convolutions are never computed again. The times that decide
 * are machine's. On failure m is still valid. */
weft_status weft_rematerialize(weft_module *m, const weft_machine *machine, int64_t limit, bool keeps_products,
                               weft_rematerialized *out);

#endif
