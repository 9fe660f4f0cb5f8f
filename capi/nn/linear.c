/* linear.c: linear maps and embeddings; see weft/nn.h. */
#include "capi/nn/nn.h"

static int64_t product_of(weft_dims d) {
    int64_t n = 1;
    for (size_t i = 0; i < d.n; i++)
        if (__builtin_mul_overflow(n, d.v[i], &n)) return INT64_MAX;
    return n;
}

weft_tensor *weft_linear_at(weft_source at, weft_graph *g, const char *name, weft_tensor *x, weft_dims out,
                            const weft_linear_options *options) {
    weft_linear_options o;
    NN_OPTIONS(weft_linear_options, options, &o);
    const size_t summed = o.summed > 0 ? (size_t)o.summed : 1, rank = weft_tensor_rank(x);
    int64_t of_x[NN_MAX_RANK], sizes[NN_MAX_RANK];
    if (!nn_has_rank(at, g, "linear", x, summed, NN_MAX_RANK) || !nn_is_float(at, g, "linear", x)) return NULL;
    if (o.summed < 0 || !out.n || !out.v || summed + out.n > NN_MAX_RANK || rank - summed + out.n > NN_MAX_RANK)
        return weft_graph_refuse(g, "linear: %lld dimensions are summed and %zu made, of a tensor that has %zu",
                                 (long long)(o.summed ? o.summed : 1), out.n, rank);
    for (size_t d = 0; d < out.n; d++)
        if (!nn_is_positive(at, g, "linear", "a dimension of the outputs", (double)out.v[d])) return NULL;
    if (!nn_is_one_of(at, g, "linear", "weft_bias", o.bias, 2)) return NULL;
    nn_shape(x, of_x);
    memcpy(sizes, of_x + (rank - summed), summed * sizeof *sizes);
    memcpy(sizes + summed, out.v, out.n * sizeof *sizes);
    weft_init own = weft_init_lecun();
    own.fan_in = product_of(nn_dims(sizes, summed));
    own.fan_out = product_of(out);
    weft_graph_push(g, name);
    weft_tensor *w = nn_parameter(at, g, "weight", nn_dims(sizes, summed + out.n), x, o.weight_init, own);
    weft_tensor *y = nn_product(at, g, x, w, summed);
    if (o.bias == WEFT_WITH_BIAS) {
        weft_tensor *b = nn_parameter(at, g, "bias", out, x, o.bias_init, nn_no_sum());
        y = weft_graph_add(g, y, nn_spread(at, g, b, y, rank - summed));
    }
    weft_graph_pop(g);
    return y;
}

weft_tensor *weft_embedding_at(weft_source at, weft_graph *g, const char *name, weft_tensor *rows, int64_t count,
                               int64_t width, weft_init init, weft_tensor **table) {
    if (table) *table = NULL;
    if (!nn_has_rank(at, g, "embedding", rows, 0, NN_MAX_RANK - 1)) return NULL;
    const int64_t sizes[] = { count, width };
    if (init.kind == WEFT_INIT_DEFAULT) init = weft_init_normal(0.02);
    weft_graph_push(g, name);
    weft_tensor *w = weft_parameter(g, "weight", nn_type(nn_dims(sizes, 2), "f32").c, init);
    weft_tensor *y = weft_graph_gather_rows(g, w, rows);
    weft_graph_pop(g);
    if (table) *table = w;
    return y;
}

weft_tensor *weft_unembed_at(weft_source at, weft_graph *g, weft_tensor *x, weft_tensor *table) {
    if (!nn_has_rank(at, g, "unembed", x, 1, NN_MAX_RANK) || !nn_has_rank(at, g, "unembed", table, 2, 2)) return NULL;
    if (!nn_is_float(at, g, "unembed", x) || !nn_is_float(at, g, "unembed", table)) return NULL;
    weft_tensor *w = nn_as(at, g, table, x);
    char spelling[NN_MAX_RANK * 2 + 16];
    const int n = (int)weft_tensor_rank(x);
    static const char letters[] = "abcdefghijklmnopqrstu";
    char *end = spelling;
    memcpy(end, letters, (size_t)n), end += n;
    *end++ = ',', *end++ = 'v', *end++ = letters[n - 1], *end++ = '-', *end++ = '>';
    memcpy(end, letters, (size_t)n - 1), end += n - 1;
    *end++ = 'v', *end = 0;
    return weft_graph_einsum(g, spelling, x, w);
}
