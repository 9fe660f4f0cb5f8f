/* activation.c: functions of elements, softmax, dropout; see weft/nn.h. */
#include "capi/nn/nn.h"

weft_tensor *weft_mean_at(weft_source at, weft_graph *g, weft_tensor *x, weft_dims dims) {
    if (!nn_has_rank(at, g, "mean", x, 0, NN_MAX_RANK) || !nn_is_float(at, g, "mean", x)) return NULL;
    double n = 1;
    for (size_t i = 0; i < dims.n && dims.v && x; i++)
        if (dims.v[i] >= 0) n *= (double)weft_tensor_dim(x, (size_t)dims.v[i]);
    weft_tensor *sum = weft_graph_reduce(g, "add", nn_wide(at, g, x), dims);
    return sum ? nn_as(at, g, weft_graph_scale(g, sum, 1 / n), x) : NULL;
}

weft_tensor *weft_relu_at(weft_source at, weft_graph *g, weft_tensor *x) {
    return weft_graph_maximum(g, x, weft_graph_fill_like(g, x, 0));
}

/* x * (1 + f) / 2, for f the tanh or erf of something. */
static weft_tensor *half_of(weft_source at, weft_graph *g, weft_tensor *x, weft_tensor *f) {
    return weft_graph_multiply(g, weft_graph_scale(g, x, 0.5), weft_graph_add(g, f, weft_graph_fill_like(g, f, 1)));
}

weft_tensor *weft_gelu_at(weft_source at, weft_graph *g, weft_tensor *x) {
    return half_of(at, g, x, weft_graph_pointwise(g, "chlo.erf", weft_graph_scale(g, x, sqrt(0.5))));
}

weft_tensor *weft_gelu_tanh_at(weft_source at, weft_graph *g, weft_tensor *x) {
    weft_tensor *cube = weft_graph_multiply(g, weft_graph_multiply(g, x, x), x);
    weft_tensor *inner = weft_graph_add(g, x, weft_graph_scale(g, cube, 0.044715));
    return half_of(at, g, x, weft_graph_tanh(g, weft_graph_scale(g, inner, 0.7978845608028654))); /* sqrt(2 / pi) */
}

weft_tensor *weft_silu_at(weft_source at, weft_graph *g, weft_tensor *x) {
    return weft_graph_multiply(g, x, weft_graph_logistic(g, x));
}

weft_tensor *weft_swiglu_at(weft_source at, weft_graph *g, const char *name, weft_tensor *x, int64_t hidden,
                            weft_init init) {
    if (!nn_has_rank(at, g, "swiglu", x, 1, NN_MAX_RANK)) return NULL;
    const int64_t width = weft_tensor_dim(x, weft_tensor_rank(x) - 1);
    const weft_linear_options o = { .bias = WEFT_WITHOUT_BIAS, .weight_init = init };
    weft_graph_push(g, name);
    weft_tensor *gate = weft_linear(g, "gate", x, nn_dims(&hidden, 1), &o);
    weft_tensor *up = weft_linear(g, "up", x, nn_dims(&hidden, 1), &o);
    weft_tensor *h = weft_graph_multiply(g, weft_silu(g, gate), up);
    weft_tensor *y = weft_linear(g, "down", h, nn_dims(&width, 1), &o);
    weft_graph_pop(g);
    return y;
}

/* Integers have no derivatives, so the way to them and back ends one. */
weft_tensor *weft_stop_gradient_at(weft_source at, weft_graph *g, weft_tensor *x) {
    int64_t room[NN_MAX_RANK];
    if (!nn_has_rank(at, g, "stop_gradient", x, 0, NN_MAX_RANK) || !nn_is_float(at, g, "stop_gradient", x)) return NULL;
    const char *dtype = weft_tensor_dtype(x);
    const char *bits = !strcmp(dtype, "f64")   ? "i64"
                       : !strcmp(dtype, "f32") ? "i32"
                       : strstr(dtype, "16")   ? "i16"
                                               : "i8";
    const weft_dims shape = nn_shape(x, room);
    weft_graph_op(g, "stablehlo.bitcast_convert", &x, 1, NULL, nn_type(shape, bits).c, &x, 1);
    weft_graph_op(g, "stablehlo.bitcast_convert", &x, 1, NULL, nn_type(shape, dtype).c, &x, 1);
    return x;
}

/* x less its maximum along dim, which changes no softmax and keeps its powers in range. */
static weft_tensor *lowered(weft_source at, weft_graph *g, weft_tensor *x, int64_t dim) {
    weft_tensor *most = weft_stop_gradient(g, weft_graph_reduce(g, "maximum", x, nn_dims(&dim, 1)));
    return weft_graph_subtract(g, x, nn_spread_over(at, g, most, x, dim));
}

static bool has_dim(weft_source at, weft_graph *g, const char *layer, weft_tensor *x, int64_t dim) {
    if (!nn_has_rank(at, g, layer, x, 1, NN_MAX_RANK) || !nn_is_float(at, g, layer, x)) return false;
    if (dim >= 0 && dim < (int64_t)weft_tensor_rank(x)) return true;
    weft_graph_refuse(g, "%s: there is no dimension %lld", layer, (long long)dim);
    return false;
}

weft_tensor *weft_softmax_at(weft_source at, weft_graph *g, weft_tensor *x, int64_t dim) {
    if (!has_dim(at, g, "softmax", x, dim)) return NULL;
    weft_tensor *power = weft_graph_exponential(g, lowered(at, g, nn_wide(at, g, x), dim));
    weft_tensor *sum = weft_graph_reduce(g, "add", power, nn_dims(&dim, 1));
    return nn_as(at, g, weft_graph_divide(g, power, nn_spread_over(at, g, sum, power, dim)), x);
}

weft_tensor *weft_log_softmax_at(weft_source at, weft_graph *g, weft_tensor *x, int64_t dim) {
    if (!has_dim(at, g, "log_softmax", x, dim)) return NULL;
    weft_tensor *low = lowered(at, g, nn_wide(at, g, x), dim);
    weft_tensor *sum = weft_graph_reduce(g, "add", weft_graph_exponential(g, low), nn_dims(&dim, 1));
    weft_tensor *log = weft_graph_log(g, sum);
    return nn_as(at, g, weft_graph_subtract(g, low, nn_spread_over(at, g, log, low, dim)), x);
}

/* The label's logit is picked by comparing, class by class: where classes are sharded each device has the one or none
 * of them, and sums of numbers per label are all that is sent. */
weft_tensor *weft_cross_entropy_at(weft_source at, weft_graph *g, weft_tensor *logits, weft_tensor *labels) {
    int64_t room[NN_MAX_RANK];
    const size_t rank = weft_tensor_rank(logits);
    if (!nn_has_rank(at, g, "cross_entropy", logits, 1, NN_MAX_RANK) ||
        !nn_is_float(at, g, "cross_entropy", logits) ||
        !nn_has_rank(at, g, "cross_entropy", labels, rank - 1, rank - 1) ||
        !nn_is_integer(at, g, "cross_entropy", labels))
        return NULL;
    /* The numbers of the classes are counted in the labels' type, which may not hold them all. */
    if (!strstr(weft_tensor_dtype(labels), "32") && !strstr(weft_tensor_dtype(labels), "64"))
        labels = weft_graph_convert(g, labels, "i32");
    const int64_t classes = (int64_t)rank - 1;
    weft_tensor *low = lowered(at, g, nn_wide(at, g, logits), classes);
    weft_tensor *sum = weft_graph_reduce(g, "add", weft_graph_exponential(g, low), nn_dims(&classes, 1));
    const nn_text type = nn_type(nn_shape(logits, room), weft_tensor_dtype(labels));
    weft_tensor *is_label = weft_graph_compare(g, "EQ", weft_graph_iota(g, type.c, classes),
                                               nn_spread_over(at, g, labels, logits, classes));
    weft_tensor *own = weft_graph_select(g, is_label, low, weft_graph_fill_like(g, low, 0));
    weft_tensor *picked = weft_graph_reduce(g, "add", own, nn_dims(&classes, 1));
    return weft_graph_subtract(g, weft_graph_log(g, sum), picked);
}

weft_tensor *weft_dropout_at(weft_source at, weft_graph *g, weft_tensor *x, weft_tensor *key, double rate) {
    int64_t room[NN_MAX_RANK];
    if (!nn_has_rank(at, g, "dropout", x, 0, NN_MAX_RANK) || !nn_is_float(at, g, "dropout", x)) return NULL;
    if (!(rate >= 0 && rate < 1)) return weft_graph_refuse(g, "dropout: the rate %g is not from 0 to below 1", rate);
    if (rate == 0) return x;
    weft_tensor *stays = weft_graph_random_bernoulli(g, key, nn_type(nn_shape(x, room), "i1").c, 1 - rate);
    return weft_graph_select(g, stays, weft_graph_scale(g, x, 1 / (1 - rate)), weft_graph_fill_like(g, x, 0));
}
