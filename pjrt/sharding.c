/* sharding: a layout as XLA's OpSharding, by which a framework learns where results are. Source: xla/xla_data.proto.
 *
 * The devices of a tile assignment are an iota over the digits of a mesh position, transposed so that the digits of
 * each dimension come in its order and those that shard nothing come last. A layout names the strides and sizes of its
 * digits only; the rest of the position is split where they leave gaps. Devices that hold terms of a sum are a
 * dimension of the tile assignment after those of the array.
 */
#include <stdlib.h>
#include "pjrt/impl.h"

enum {
    SHARDING_TYPE = 1,
    SHARDING_DIMS = 3,
    SHARDING_DEVICES = 4,
    SHARDING_TUPLE = 5,
    SHARDING_REPLICATES_LAST = 6,
    SHARDING_LAST_DIMS = 8,
    SHARDING_IOTA_SHAPE = 9,
    SHARDING_IOTA_ORDER = 10,
    TYPE_REPLICATED = 0,
    TYPE_TUPLE = 2,
    TYPE_OTHER = 3,
    TYPE_MANUAL = 4,
    TYPE_UNREDUCED = 6,
    MOST_DIGITS = 64
};

typedef struct digit { int64_t stride, size; int order; } digit;

static int by_stride(const void *a, const void *b) {
    const int64_t x = ((const digit *)a)->stride, y = ((const digit *)b)->stride;
    return (x < y) - (x > y);
}

/* Adds axes to v; -1: there are too many. */
static int add_digits(const weft_layout_axis *axes, uint32_t count, digit *v, int n) {
    for (uint32_t i = 0; i < count && n >= 0; i++) {
        if (axes[i].size < 2) continue;
        if (n == MOST_DIGITS / 2) return -1;
        v[n] = (digit){ axes[i].stride, axes[i].size, n };
        n++;
    }
    return n;
}

/* The digits that the layout names, in its order, then the gaps, all by falling stride. 0: they do not fit together. */
static int find_digits(const weft_layout *l, digit *v, int *named_count) {
    int n = 0, named;
    for (uint32_t d = 0; d < l->rank && n >= 0; d++) n = add_digits(l->dims[d].axes, l->dims[d].axis_count, v, n);
    if (n >= 0) n = add_digits(l->terms, l->term_axis_count, v, n);
    if (n < 0) return 0;
    *named_count = named = n;
    qsort(v, (size_t)n, sizeof *v, by_stride);
    int64_t above = l->device_count;
    for (int i = 0; i < named; i++) {
        const int64_t end = v[i].stride * v[i].size;
        if (end > above || above % end) return 0;
        if (above > end) v[n] = (digit){ end, above / end, n }, n++;
        above = v[i].stride;
    }
    if (above > 1) v[n] = (digit){ 1, above, n }, n++;
    qsort(v, (size_t)n, sizeof *v, by_stride);
    return n;
}

/* The same devices one by one: of a mesh with an order of its own. */
static weft_status write_devices(const weft_layout *l, const int64_t *shape, const int64_t *order, int n,
                                 weft_buf *out) {
    int64_t *devices = malloc((size_t)l->device_count * sizeof *devices), *at = calloc((size_t)n, sizeof *at);
    int64_t *device_of = malloc((size_t)l->device_count * sizeof *device_of);
    const bool fits = devices && at && device_of;
    for (int64_t d = 0; fits && d < l->device_count; d++) device_of[l->position[d]] = d;
    for (int64_t i = 0; fits && i < l->device_count; i++) {
        int64_t position = 0;
        for (int k = 0; k < n; k++) position = position * shape[k] + at[k];
        devices[i] = device_of[position];
        for (int k = n; k-- > 0;) {
            if (++at[order[k]] < shape[order[k]]) break;
            at[order[k]] = 0;
        }
    }
    if (fits) pjrt_wire_put_list(out, SHARDING_DEVICES, devices, (size_t)l->device_count);
    free(device_of);
    free(devices);
    free(at);
    return fits && !out->failed ? WEFT_OK : weft_oom();
}

static int64_t size_of(const weft_layout_axis *axes, uint32_t count) {
    int64_t size = 1;
    for (uint32_t i = 0; i < count; i++) size *= axes[i].size;
    return size;
}

weft_status pjrt_sharding_write(const weft_layout *l, weft_buf *out) {
    digit v[MOST_DIGITS];
    int64_t shape[MOST_DIGITS], order[MOST_DIGITS], dims[WEFT_HOST_ARRAY_MAX_RANK + 2], shards = 1, terms, last[2];
    int named = 0, n = find_digits(l, v, &named), at;
    uint32_t rank = l->rank, last_count = 0;
    for (uint32_t d = 0; d < rank; d++) shards *= dims[d] = size_of(l->dims[d].axes, l->dims[d].axis_count);
    terms = size_of(l->terms, l->term_axis_count);
    if (shards * terms == 1) return WEFT_OK; /* replicated: the message without a field */
    if (!n) return WEFT_ERR_UNSUPPORTED;
    if (terms > 1) dims[rank++] = terms, last[last_count++] = TYPE_UNREDUCED;
    shards *= terms;
    for (int i = 0; i < n; i++) shape[i] = v[i].size;
    at = named;
    for (int i = 0; i < n; i++) order[v[i].order < named ? v[i].order : at++] = i;
    const bool replicates = shards < l->device_count;
    if (replicates) dims[rank++] = l->device_count / shards, last[last_count++] = TYPE_REPLICATED;
    pjrt_wire_put_number(out, SHARDING_TYPE, TYPE_OTHER);
    pjrt_wire_put_list(out, SHARDING_DIMS, dims, rank);
    if (l->position) {
        weft_status st = write_devices(l, shape, order, n, out);
        if (st != WEFT_OK) return st;
    }
    if (terms > 1) pjrt_wire_put_list(out, SHARDING_LAST_DIMS, last, last_count);
    else if (replicates) pjrt_wire_put_number(out, SHARDING_REPLICATES_LAST, 1);
    if (!l->position) {
        pjrt_wire_put_list(out, SHARDING_IOTA_SHAPE, shape, (size_t)n);
        pjrt_wire_put_list(out, SHARDING_IOTA_ORDER, order, (size_t)n);
    }
    return out->failed ? weft_oom() : WEFT_OK;
}

weft_status pjrt_sharding_write_manual(weft_buf *out) {
    pjrt_wire_put_number(out, SHARDING_TYPE, TYPE_MANUAL);
    return out->failed ? weft_oom() : WEFT_OK;
}

/* --- the extension --- */

static pjrt_error *give(const pjrt_texts *t, pjrt_shardings_args *a) {
    a->count = t->n;
    a->shardings = t->n ? (const char *const *)t->v : NULL; /* of none, nothing is known */
    a->sizes = t->sizes;
    return NULL;
}

static pjrt_error *check(const pjrt_shardings_args *a) {
    if (a && a->struct_size >= sizeof *a && a->executable) return NULL;
    return pjrt_error_new(PJRT_INVALID_ARGUMENT, "the shardings of a program need the program");
}

static pjrt_error *parameters(pjrt_shardings_args *a) {
    pjrt_error *e = check(a);
    return e ? e : give(&a->executable->parameter_shardings, a);
}

static pjrt_error *outputs(pjrt_shardings_args *a) {
    pjrt_error *e = check(a);
    return e ? e : give(&a->executable->output_shardings, a);
}

const pjrt_shardings_extension pjrt_shardings = {
    .base = { .struct_size = sizeof pjrt_shardings, .type = PJRT_EXTENSION_SHARDINGS },
    .parameters = parameters,
    .outputs = outputs,
};

void pjrt_sharding_of_all(const pjrt_texts *of, weft_buf *out) {
    if (of->n == 1) {
        weft_buf_put(out, of->v[0], of->sizes[0]);
        return;
    }
    pjrt_wire_put_number(out, SHARDING_TYPE, TYPE_TUPLE);
    for (size_t i = 0; i < of->n; i++) pjrt_wire_put_bytes(out, SHARDING_TUPLE, of->v[i], of->sizes[i]);
}
