/* copy: elements between dense memory and memory with strides, which may be zero or negative. */
#include "pjrt/impl.h"

typedef struct walk {
    size_t item, rank;
    const int64_t *dims, *strides;
    bool gathers;
} walk;

/* The dense side moves on by what was copied. */
static void copy_item(size_t item, char *to, const char *from) {
    switch (item) {
    case 1: *to = *from; break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, item);
    }
}

static void copy(const walk *w, size_t d, char *strided, char **dense) {
    if (d + 1 < w->rank) {
        for (int64_t i = 0; i < w->dims[d]; i++) copy(w, d + 1, strided + i * w->strides[d], dense);
        return;
    }
    const int64_t n = d < w->rank ? w->dims[d] : 1, step = d < w->rank ? w->strides[d] : 0;
    if (step == (int64_t)w->item || n == 1) {
        memcpy(w->gathers ? *dense : strided, w->gathers ? strided : *dense, (size_t)n * w->item);
    } else {
        for (int64_t i = 0; i < n; i++) {
            char *a = strided + i * step, *b = *dense + (size_t)i * w->item;
            copy_item(w->item, w->gathers ? b : a, w->gathers ? a : b);
        }
    }
    *dense += (size_t)n * w->item;
}

/* Inner dimensions that lie densely are copied as one. */
static size_t dense_from(size_t item, size_t rank, const int64_t *dims, const int64_t *strides, size_t *bytes) {
    int64_t inner = (int64_t)item;
    while (rank > 0 && (strides[rank - 1] == inner || dims[rank - 1] == 1)) inner *= dims[--rank];
    *bytes = (size_t)inner;
    return rank;
}

static bool is_empty(size_t rank, const int64_t *dims) {
    for (size_t i = 0; i < rank; i++)
        if (!dims[i]) return true;
    return false;
}

static void run(size_t item, size_t rank, const int64_t *dims, const int64_t *strides, void *strided, void *dense,
                bool gathers) {
    if (is_empty(rank, dims)) return;
    walk w = { .dims = dims, .strides = strides, .gathers = gathers };
    char *at = dense;
    w.rank = dense_from(item, rank, dims, strides, &w.item);
    copy(&w, 0, strided, &at);
}

void pjrt_gather(size_t item, size_t rank, const int64_t *dims, const int64_t *strides, const void *from, void *to) {
    run(item, rank, dims, strides, (void *)from, to, true);
}

void pjrt_scatter(size_t item, size_t rank, const int64_t *dims, const int64_t *strides, const void *from, void *to) {
    run(item, rank, dims, strides, to, (void *)from, false);
}

bool pjrt_is_dense(size_t item, size_t rank, const int64_t *dims, const int64_t *strides) {
    size_t bytes;
    return !strides || is_empty(rank, dims) || dense_from(item, rank, dims, strides, &bytes) == 0;
}

static pjrt_error *of_order(const int64_t *order, size_t n, size_t item, size_t rank, const int64_t *dims,
                            int64_t *strides) {
    int64_t stride = (int64_t)item;
    for (size_t i = 0; i < rank; i++) strides[i] = 0;
    for (size_t i = 0; i < n; i++) {
        if (n != rank || order[i] < 0 || order[i] >= (int64_t)rank || strides[order[i]])
            return pjrt_error_new(PJRT_INVALID_ARGUMENT, "minor_to_major does not name each of %zu dimensions once",
                                  rank);
        strides[order[i]] = stride;
        stride *= weft_max_i64(dims[order[i]], 1);
    }
    return NULL;
}

pjrt_error *pjrt_layout_strides(const pjrt_memory_layout *l, size_t item, size_t rank, const int64_t *dims,
                                int64_t *strides) {
    int64_t stride = (int64_t)item;
    if (!l || (l->type == PJRT_LAYOUT_TILED && !l->tiled.minor_to_major_size)) {
        for (size_t i = rank; i-- > 0; stride *= weft_max_i64(dims[i], 1)) strides[i] = stride;
        return NULL;
    }
    if (l->type == PJRT_LAYOUT_TILED) {
        if (l->tiled.num_tiles) return pjrt_error_new(PJRT_UNIMPLEMENTED, "Weft has no tiled layouts");
        if (!l->tiled.minor_to_major) return pjrt_error_new(PJRT_INVALID_ARGUMENT, "minor_to_major is NULL");
        return of_order(l->tiled.minor_to_major, l->tiled.minor_to_major_size, item, rank, dims, strides);
    }
    if (l->type != PJRT_LAYOUT_STRIDES || l->strides.num_byte_strides != rank || (rank && !l->strides.byte_strides))
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "a layout has an order of dimensions, or a stride for each");
    for (size_t i = 0; i < rank; i++) strides[i] = l->strides.byte_strides[i];
    return NULL;
}
