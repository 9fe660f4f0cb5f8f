/* conv.c: convolutions and pools; see weft/nn.h. */
#include "capi/nn/nn.h"

static int64_t entry(weft_dims d, size_t i, int64_t otherwise) { return d.n ? d.v[i] : otherwise; }

/* Whether a list has an entry above 0 for each of n dimensions, or may be empty and is; refuses. */
static bool is_list(weft_source at, weft_graph *g, const char *layer, weft_dims d, size_t n, size_t least) {
    bool ok = d.n == n || (!d.n && !least);
    for (size_t i = 0; ok && i < d.n; i++) ok = d.v && d.v[i] > 0;
    if (!ok) weft_graph_refuse(g, "%s: a list of sizes has not %zu entries above 0", layer, n);
    return ok;
}

/* The padding of one dimension. */
static bool pad(weft_source at, weft_graph *g, weft_padding padding, int64_t size, int64_t window, int64_t stride,
                int64_t *low, int64_t *high) {
    *low = *high = 0;
    if (padding == WEFT_PADDING_NONE && window > size) {
        weft_graph_refuse(g, "a window of %lld elements is longer than the %lld of its dimension, which has no padding",
                          (long long)window, (long long)size);
        return false;
    }
    if (padding == WEFT_PADDING_CAUSAL) *low = window - 1;
    else if (padding == WEFT_PADDING_SAME) {
        const int64_t results = (size + stride - 1) / stride;
        const int64_t all = (results - 1) * stride + window - size;
        *low = all > 0 ? all / 2 : 0;
        *high = all > 0 ? all - *low : 0;
    } else if (padding != WEFT_PADDING_NONE) {
        weft_graph_refuse(g, "the padding %d is not a weft_padding", (int)padding);
        return false;
    }
    return true;
}

/* "bxyf,xyio->bxyo", for n spatial dimensions. */
static void conv_spelling(size_t n, char *to) {
    static const char spatial[] = "xyzuvw";
    to[0] = 'b';
    memcpy(to + 1, spatial, n);
    memcpy(to + 1 + n, "f,", 2);
    memcpy(to + 3 + n, spatial, n);
    memcpy(to + 3 + 2 * n, "io->b", 5);
    memcpy(to + 8 + 2 * n, spatial, n);
    memcpy(to + 8 + 3 * n, "f", 2);
}

weft_tensor *weft_conv_at(weft_source at, weft_graph *g, const char *name, weft_tensor *x, weft_dims size, int64_t out,
                          const weft_conv_options *options) {
    weft_conv_options o;
    NN_OPTIONS(weft_conv_options, options, &o);
    enum { MOST = 6 };
    if (!nn_has_rank(at, g, "conv", x, 3, MOST + 2) || !nn_is_float(at, g, "conv", x)) return NULL;
    const size_t n = weft_tensor_rank(x) - 2;
    const int64_t features = weft_tensor_dim(x, n + 1), groups = o.groups ? o.groups : 1;
    if (!is_list(at, g, "conv", size, n, n) || !is_list(at, g, "conv", o.strides, n, 0) ||
        !is_list(at, g, "conv", o.dilation, n, 0))
        return NULL;
    if (groups < 1 || features % groups || out < 1 || out % groups)
        return weft_graph_refuse(g, "conv: %lld features in and %lld out are not divided by %lld groups",
                                 (long long)features, (long long)out, (long long)groups);
    if (!nn_is_one_of(at, g, "conv", "weft_bias", o.bias, 2)) return NULL;
    int64_t sizes[MOST + 2], low[MOST], high[MOST];
    weft_init own = weft_init_lecun();
    own.fan_in = features / groups;
    own.fan_out = out;
    for (size_t d = 0; d < n; d++) {
        sizes[d] = size.v[d];
        own.fan_in *= size.v[d];
        if (!pad(at, g, o.padding, weft_tensor_dim(x, d + 1), (size.v[d] - 1) * entry(o.dilation, d, 1) + 1,
                 entry(o.strides, d, 1), &low[d], &high[d]))
            return NULL;
    }
    sizes[n] = features / groups;
    sizes[n + 1] = out;
    char spelling[3 * MOST + 16];
    conv_spelling(n, spelling);
    const weft_window_dims window = { .strides = o.strides, .dilation = o.dilation, .low = { low, n },
                                      .high = { high, n } };
    weft_graph_push(g, name);
    weft_tensor *w = nn_parameter(at, g, "weight", nn_dims(sizes, n + 2), x, o.weight_init, own);
    weft_tensor *y = weft_graph_convolution(g, spelling, x, w, window, groups);
    if (o.bias == WEFT_WITH_BIAS) {
        weft_tensor *b = nn_parameter(at, g, "bias", nn_dims(&out, 1), x, o.bias_init, nn_no_sum());
        y = weft_graph_add(g, y, nn_spread(at, g, b, y, n + 1));
    }
    weft_graph_pop(g);
    return y;
}

/* ---- pools ---- */

/* The body's op is the user's word; its place is the pool's, which a body does not get. */
typedef struct reduction { weft_source at; const char *op; } reduction;
static void combine(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    const reduction *r = user;
    y[0] = weft_graph_pointwise_at(r->at, g, r->op, x, 2);
}

static weft_tensor *pool(weft_source at, weft_graph *g, const char *layer, const char *op, double init, weft_tensor *x,
                         weft_dims size, weft_dims strides, weft_padding padding) {
    if (!nn_has_rank(at, g, layer, x, 3, NN_MAX_RANK) || !nn_is_float(at, g, layer, x)) return NULL;
    const size_t rank = weft_tensor_rank(x), n = rank - 2;
    if (!is_list(at, g, layer, size, n, n) || !is_list(at, g, layer, strides, n, 0)) return NULL;
    int64_t sizes[NN_MAX_RANK], steps[NN_MAX_RANK], low[NN_MAX_RANK] = { 0 }, high[NN_MAX_RANK] = { 0 };
    sizes[0] = steps[0] = sizes[rank - 1] = steps[rank - 1] = 1;
    for (size_t d = 0; d < n; d++) {
        sizes[d + 1] = size.v[d];
        steps[d + 1] = entry(strides, d, size.v[d]);
        if (!pad(at, g, padding, weft_tensor_dim(x, d + 1), size.v[d], steps[d + 1], &low[d + 1], &high[d + 1]))
            return NULL;
    }
    const weft_window_dims window = { .size = { sizes, rank }, .strides = { steps, rank }, .low = { low, rank },
                                      .high = { high, rank } };
    weft_tensor *start = weft_graph_fill(g, weft_tensor_dtype(x), init), *y = NULL;
    reduction r = { at, op };
    weft_graph_reduce_window(g, &x, &start, 1, window, combine, &r, &y);
    return y;
}

/* Of the narrower types some have no infinity. */
static bool has_infinity(const weft_tensor *x) {
    static const char *const types[] = { "f64", "f32", "f16", "bf16" };
    bool has = !x;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) has = has || !strcmp(weft_tensor_dtype(x), types[i]);
    return has;
}

weft_tensor *weft_max_pool_at(weft_source at, weft_graph *g, weft_tensor *x, weft_dims size, weft_dims strides,
                              weft_padding padding) {
    weft_tensor *in = has_infinity(x) ? x : nn_wide(at, g, x);
    return nn_as(at, g, pool(at, g, "max_pool", "maximum", -INFINITY, in, size, strides, padding), x);
}

weft_tensor *weft_average_pool_at(weft_source at, weft_graph *g, weft_tensor *x, weft_dims size, weft_dims strides,
                                  weft_padding padding) {
    if (!nn_has_rank(at, g, "average_pool", x, 3, NN_MAX_RANK) || !nn_is_float(at, g, "average_pool", x)) return NULL;
    weft_tensor *sum = pool(at, g, "average_pool", "add", 0, nn_wide(at, g, x), size, strides, padding);
    double count = 1;
    for (size_t d = 0; sum && d < size.n; d++) count *= (double)size.v[d];
    return nn_as(at, g, weft_graph_scale(g, sum, 1 / count), x);
}
