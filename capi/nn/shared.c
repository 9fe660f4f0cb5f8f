/* shared.c: see nn.h. */
#include <stdio.h>

#include "capi/nn/nn.h"

void nn_options(weft_source at, weft_graph *g, const char *name, const void *given, size_t size, size_t least, void *to,
                size_t known) {
    switch (weft_options_copy(given, size, least, to, known)) {
    case WEFT_OPTIONS_BAD_SIZE: weft_graph_refuse(g, WEFT_OPTIONS_BAD_SIZE_TEXT, name, size, name); break;
    case WEFT_OPTIONS_NEWER: weft_graph_refuse(g, WEFT_OPTIONS_NEWER_TEXT, name, weft_version()); break;
    default: break;
    }
}

nn_text nn_type(weft_dims dims, const char *dtype) {
    nn_text t;
    size_t n = 0;
    for (size_t d = 0; d < dims.n && d < NN_MAX_RANK; d++)
        n += (size_t)snprintf(t.c + n, sizeof t.c - n, "%lldx", (long long)dims.v[d]);
    snprintf(t.c + n, sizeof t.c - n, "%s", dtype);
    return t;
}

weft_dims nn_shape(const weft_tensor *x, int64_t room[NN_MAX_RANK]) {
    size_t n = weft_tensor_rank(x);
    if (n > NN_MAX_RANK) n = NN_MAX_RANK;
    for (size_t d = 0; d < n; d++) room[d] = weft_tensor_dim(x, d);
    return nn_dims(room, n);
}

weft_dims nn_range(int64_t room[NN_MAX_RANK], int64_t first, size_t n) {
    for (size_t i = 0; i < n; i++) room[i] = first + (int64_t)i;
    return nn_dims(room, n);
}

weft_dims nn_but(int64_t room[NN_MAX_RANK], size_t rank, int64_t dim) {
    size_t n = 0;
    for (size_t d = 0; d < rank; d++)
        if ((int64_t)d != dim) room[n++] = (int64_t)d;
    return nn_dims(room, n);
}

bool nn_has_rank(weft_source at, weft_graph *g, const char *layer, const weft_tensor *x, size_t least, size_t most) {
    const size_t rank = weft_tensor_rank(x);
    if (weft_graph_status(g) != WEFT_OK) return false;
    if (x && rank >= least && rank <= most) return true;
    if (!x) weft_graph_refuse(g, "%s: an operand is NULL", layer);
    else if (least == most) weft_graph_refuse(g, "%s: an operand has %zu dimensions, not %zu", layer, rank, least);
    else weft_graph_refuse(g, "%s: an operand has %zu dimensions, not %zu to %zu", layer, rank, least, most);
    return false;
}

bool nn_is_float(weft_source at, weft_graph *g, const char *layer, const weft_tensor *x) {
    const char *dtype = weft_tensor_dtype(x);
    if (*dtype == 'f' || !strcmp(dtype, "bf16")) return true;
    weft_graph_refuse(g, "%s: an operand is of '%s', not of floats", layer, dtype);
    return false;
}

bool nn_is_integer(weft_source at, weft_graph *g, const char *layer, const weft_tensor *x) {
    const char *dtype = weft_tensor_dtype(x);
    if ((*dtype == 'i' || !strncmp(dtype, "ui", 2)) && strcmp(dtype, "i1")) return true;
    weft_graph_refuse(g, "%s: an operand is of '%s', not of integers", layer, dtype);
    return false;
}

bool nn_is_in(weft_source at, weft_graph *g, const char *layer, const char *what, double v, double least, double most) {
    if (isfinite(v) && v >= least && v < most) return true;
    if (!isfinite(v)) weft_graph_refuse(g, "%s: %s is %g, not a finite number", layer, what, v);
    else if (v < least) weft_graph_refuse(g, "%s: %s is %g, not at least %g", layer, what, v, least);
    else weft_graph_refuse(g, "%s: %s is %g, not below %g", layer, what, v, most);
    return false;
}

bool nn_is_positive(weft_source at, weft_graph *g, const char *layer, const char *what, double v) {
    if (isfinite(v) && v > 0) return true;
    weft_graph_refuse(g, "%s: %s is %g, not a number above 0", layer, what, v);
    return false;
}

bool nn_is_one_of(weft_source at, weft_graph *g, const char *layer, const char *type, unsigned v, unsigned count) {
    if (v < count) return true;
    weft_graph_refuse(g, "%s: %d is not a %s", layer, (int)v, type);
    return false;
}

const char *nn_kept_dtype(const weft_tensor *x) { return strcmp(weft_tensor_dtype(x), "f64") ? "f32" : "f64"; }

weft_tensor *nn_wide(weft_source at, weft_graph *g, weft_tensor *x) {
    return x && strcmp(weft_tensor_dtype(x), nn_kept_dtype(x)) ? weft_graph_convert(g, x, nn_kept_dtype(x)) : x;
}

weft_tensor *nn_as(weft_source at, weft_graph *g, weft_tensor *x, const weft_tensor *like) {
    return x && strcmp(weft_tensor_dtype(x), weft_tensor_dtype(like))
               ? weft_graph_convert(g, x, weft_tensor_dtype(like)) : x;
}

weft_tensor *nn_parameter(weft_source at, weft_graph *g, const char *name, weft_dims dims, const weft_tensor *x,
                          weft_init init, weft_init own) {
    if (init.kind == WEFT_INIT_DEFAULT) init.kind = own.kind, init.a = own.a, init.b = own.b;
    if (!init.fan_in) init.fan_in = own.fan_in;
    if (!init.fan_out) init.fan_out = own.fan_out;
    if (!init.stacked) init.stacked = own.stacked;
    return nn_as(at, g, weft_parameter(g, name, nn_type(dims, nn_kept_dtype(x)).c, init), x);
}

weft_init nn_no_sum(void) {
    weft_init init = weft_init_zeros();
    init.fan_in = 1;
    return init;
}

weft_tensor *nn_spread(weft_source at, weft_graph *g, weft_tensor *x, const weft_tensor *like, size_t dim) {
    int64_t room[NN_MAX_RANK];
    return weft_graph_broadcast_like(g, x, like, nn_range(room, (int64_t)dim, weft_tensor_rank(x)));
}

weft_tensor *nn_spread_over(weft_source at, weft_graph *g, weft_tensor *x, const weft_tensor *like, int64_t dim) {
    int64_t room[NN_MAX_RANK];
    return weft_graph_broadcast_like(g, x, like, nn_but(room, weft_tensor_rank(like), dim));
}

weft_tensor *nn_product(weft_source at, weft_graph *g, weft_tensor *a, weft_tensor *w, size_t summed) {
    const size_t n = weft_tensor_rank(a), m = weft_tensor_rank(w);
    char left[27], right[27], result[27], spelling[84];
    if (n < summed || m < summed || n + m - summed > 26 || n > NN_MAX_RANK) return NULL;
    for (size_t i = 0; i < n; i++) left[i] = (char)('a' + i);
    for (size_t i = 0; i < m; i++) right[i] = (char)('a' + (n - summed) + i);
    memcpy(result, left, n - summed);
    memcpy(result + (n - summed), right + summed, m - summed);
    snprintf(spelling, sizeof spelling, "%.*s,%.*s->%.*s", (int)n, left, (int)m, right, (int)(n + m - 2 * summed),
             result);
    return weft_graph_einsum(g, spelling, a, w);
}
