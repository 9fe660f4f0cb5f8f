/* norm.c: norms; see weft/nn.h. */
#include "capi/nn/nn.h"

static weft_tensor *mean_of_features(weft_source at, weft_graph *g, weft_tensor *x) {
    return weft_mean(g, x, WEFT_DIMS((int64_t)weft_tensor_rank(x) - 1));
}

/* x / sqrt(variance + epsilon), where variance lacks the features. */
static weft_tensor *divided(weft_source at, weft_graph *g, weft_tensor *x, weft_tensor *variance, double epsilon) {
    weft_tensor *root = weft_graph_rsqrt(g, weft_graph_add(g, variance, weft_graph_fill_like(g, variance, epsilon)));
    return weft_graph_multiply(g, x, nn_spread_over(at, g, root, x, (int64_t)weft_tensor_rank(x) - 1));
}

/* A parameter of the features, spread over the shape of x, in f32. */
static weft_tensor *per_feature(weft_source at, weft_graph *g, const char *name, weft_tensor *x, weft_init init) {
    const size_t last = weft_tensor_rank(x) - 1;
    const int64_t n = weft_tensor_dim(x, last);
    return nn_spread(at, g, nn_parameter(at, g, name, nn_dims(&n, 1), x, init, init), x, last);
}

weft_tensor *weft_layer_norm_at(weft_source at, weft_graph *g, const char *name, weft_tensor *x, double epsilon) {
    if (!nn_has_rank(at, g, "layer_norm", x, 1, NN_MAX_RANK) || !nn_is_float(at, g, "layer_norm", x) ||
        !nn_is_in(at, g, "layer_norm", "epsilon", epsilon, 0, INFINITY))
        return NULL;
    weft_graph_push(g, name);
    weft_tensor *wide = nn_wide(at, g, x), *mean = mean_of_features(at, g, wide);
    weft_tensor *centred =
        weft_graph_subtract(g, wide, nn_spread_over(at, g, mean, wide, (int64_t)weft_tensor_rank(x) - 1));
    weft_tensor *variance = mean_of_features(at, g, weft_graph_multiply(g, centred, centred));
    weft_tensor *y = divided(at, g, centred, variance, epsilon);
    y = weft_graph_multiply(g, y, per_feature(at, g, "scale", wide, weft_init_ones()));
    y = weft_graph_add(g, y, per_feature(at, g, "bias", wide, weft_init_zeros()));
    weft_graph_pop(g);
    return nn_as(at, g, y, x);
}

weft_tensor *weft_rms_norm_at(weft_source at, weft_graph *g, const char *name, weft_tensor *x, double epsilon) {
    if (!nn_has_rank(at, g, "rms_norm", x, 1, NN_MAX_RANK) || !nn_is_float(at, g, "rms_norm", x) ||
        !nn_is_in(at, g, "rms_norm", "epsilon", epsilon, 0, INFINITY))
        return NULL;
    weft_graph_push(g, name);
    weft_tensor *wide = nn_wide(at, g, x);
    weft_tensor *y = divided(at, g, wide, mean_of_features(at, g, weft_graph_multiply(g, wide, wide)), epsilon);
    y = weft_graph_multiply(g, y, per_feature(at, g, "scale", wide, weft_init_ones()));
    weft_graph_pop(g);
    return nn_as(at, g, y, x);
}

/* momentum * old + (1 - momentum) * now is what `old`, an input, becomes. */
static void move(weft_source at, weft_graph *g, weft_tensor *old, weft_tensor *now, double momentum) {
    weft_graph_update(g, old, weft_graph_add(g, weft_graph_scale(g, old, momentum),
                                             weft_graph_scale(g, now, 1 - momentum)));
}

weft_tensor *weft_batch_norm_at(weft_source at, weft_graph *g, const char *name, weft_tensor *x, weft_batch_norm_by by,
                                double momentum, double epsilon) {
    if (!nn_has_rank(at, g, "batch_norm", x, 2, NN_MAX_RANK) || !nn_is_float(at, g, "batch_norm", x) ||
        !nn_is_in(at, g, "batch_norm", "epsilon", epsilon, 0, INFINITY) ||
        (momentum != 1 && !nn_is_in(at, g, "batch_norm", "momentum", momentum, 0, 1)))
        return NULL;
    int64_t room[NN_MAX_RANK];
    const size_t last = weft_tensor_rank(x) - 1;
    const int64_t n = weft_tensor_dim(x, last);
    const nn_text type = nn_type(nn_dims(&n, 1), nn_kept_dtype(x));
    weft_graph_push(g, name);
    weft_tensor *wide = nn_wide(at, g, x), *mean = weft_variable(g, "mean", type.c, weft_init_zeros()),
                *variance = weft_variable(g, "variance", type.c, weft_init_ones());
    if (by == WEFT_BY_BATCH) {
        const weft_dims others = nn_range(room, 0, last);
        weft_tensor *now = weft_mean(g, wide, others);
        weft_tensor *far = weft_graph_subtract(g, wide, nn_spread(at, g, now, wide, last));
        weft_tensor *spread = weft_mean(g, weft_graph_multiply(g, far, far), others);
        move(at, g, mean, now, momentum);
        move(at, g, variance, spread, momentum);
        mean = now, variance = spread;
    } else if (by != WEFT_BY_RUNNING) {
        weft_graph_refuse(g, "batch_norm: %d is not a weft_batch_norm_by", (int)by);
    }
    weft_tensor *root = weft_graph_rsqrt(g, weft_graph_add(g, variance, weft_graph_fill_like(g, variance, epsilon)));
    weft_tensor *y = weft_graph_subtract(g, wide, nn_spread(at, g, mean, wide, last));
    y = weft_graph_multiply(g, y, nn_spread(at, g, root, wide, last));
    y = weft_graph_multiply(g, y, per_feature(at, g, "scale", wide, weft_init_ones()));
    y = weft_graph_add(g, y, per_feature(at, g, "bias", wide, weft_init_zeros()));
    weft_graph_pop(g);
    return nn_as(at, g, y, x);
}
