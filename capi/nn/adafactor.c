/* adafactor.c: second moments of rows and columns (Shazeer and Stern, 2018); see weft/optim.h. */
#include "capi/nn/optim.h"

typedef struct factors {
    weft_adafactor_options s;
    weft_tensor *keep;               /* 1 - count^-decay_exponent, f32 */
    weft_tensor *when;
} factors;

/* keep old + (1 - keep) now, for a scalar `keep`: what the variable `old` becomes. */
static weft_tensor *moment(weft_source at, weft_graph *g, const factors *f, weft_tensor *old, weft_tensor *now) {
    weft_tensor *change = nn_times(at, g, weft_graph_subtract(g, old, now), f->keep);
    return nn_become(at, g, old, weft_graph_add(g, now, change), f->when);
}

/* The dimensions of one layer of p, from `layers` on. */
static weft_dims of_layer(int64_t *room, const weft_tensor *p, size_t layers) {
    return nn_range(room, (int64_t)layers, weft_tensor_rank(p) - layers);
}

/* x over the root of its second moment, for squares of rows (the last dimension summed) and columns. */
static weft_tensor *by_factors(weft_source at, weft_graph *g, const factors *f, weft_tensor *p, weft_tensor *x,
                               weft_tensor *squares) {
    int64_t room[NN_MAX_RANK];
    const size_t rank = weft_tensor_rank(p);
    const int64_t last = (int64_t)rank - 1;
    weft_tensor *row = nn_state(at, g, "row", p, nn_but(room, rank, last));
    weft_tensor *column = nn_state(at, g, "column", p, nn_but(room, rank, last - 1));
    row = moment(at, g, f, row, weft_mean(g, squares, nn_dims(&last, 1)));
    const int64_t before = last - 1;
    column = moment(at, g, f, column, weft_mean(g, squares, nn_dims(&before, 1)));
    /* row_i column_j / mean of rows */
    weft_tensor *mean = weft_mean(g, row, nn_dims(&before, 1));
    weft_tensor *of_row = weft_graph_rsqrt(g, weft_graph_divide(g, row, nn_spread_over(at, g, mean, row, before)));
    x = weft_graph_multiply(g, x, nn_spread_over(at, g, of_row, x, last));
    return weft_graph_multiply(g, x, nn_spread_over(at, g, weft_graph_rsqrt(g, column), x, before));
}

/* The root of each layer's mean square, with the layers' dimensions alone. */
static weft_tensor *root_mean_square(weft_source at, weft_graph *g, weft_tensor *x, size_t layers) {
    int64_t room[NN_MAX_RANK];
    return weft_graph_sqrt(g, weft_mean(g, weft_graph_multiply(g, x, x), of_layer(room, x, layers)));
}

static weft_tensor *change_of(weft_source at, weft_graph *g, const factors *f, weft_tensor *p, weft_tensor *d) {
    size_t layers, summed;
    weft_parameter_dims(g, p, &layers, &summed);
    const size_t rank = weft_tensor_rank(p);
    const int64_t least = f->s.least_factored;
    weft_tensor *x = nn_wide(at, g, d), *squares = weft_graph_multiply(g, x, x);
    squares = weft_graph_add(g, squares, weft_graph_fill_like(g, squares, f->s.epsilon));
    if (rank >= layers + 2 && weft_tensor_dim(p, rank - 1) >= least && weft_tensor_dim(p, rank - 2) >= least)
        x = by_factors(at, g, f, p, x, squares);
    else x = weft_graph_multiply(g, x, weft_graph_rsqrt(g, moment(at, g, f, nn_state_like(at, g, "v", p), squares)));
    weft_tensor *size = weft_graph_scale(g, root_mean_square(at, g, x, layers), 1 / f->s.clip);
    size = weft_graph_maximum(g, size, weft_graph_fill_like(g, size, 1));
    x = weft_graph_divide(g, x, nn_spread(at, g, size, x, 0));
    if (f->s.least_scale <= 0) return x;
    weft_tensor *scale = root_mean_square(at, g, nn_wide(at, g, p), layers);
    scale = weft_graph_maximum(g, scale, weft_graph_fill_like(g, scale, f->s.least_scale));
    return weft_graph_multiply(g, x, nn_spread(at, g, scale, x, 0));
}

weft_tensors weft_adafactor_at(weft_source at, weft_graph *g, weft_tensors p, weft_tensors d, weft_tensor *rate,
                               const weft_adafactor_options *options) {
    factors f = { .keep = NULL };
    NN_OPTIONS(weft_adafactor_options, options, &f.s);
    f.when = f.s.when;
    if (!nn_is_in(at, g, "adafactor", "clip", f.s.clip, 0, INFINITY) ||
        !nn_is_option(at, g, "adafactor", "decay_exponent", f.s.decay_exponent, INFINITY) ||
        !nn_is_option(at, g, "adafactor", "epsilon", f.s.epsilon, INFINITY) ||
        !nn_is_option(at, g, "adafactor", "least_scale", f.s.least_scale, INFINITY))
        return (weft_tensors){ NULL, 0 };
    f.s.epsilon = nn_or(f.s.epsilon, 1e-30);
    f.s.clip = nn_or(f.s.clip, 1);
    f.s.least_scale = nn_or(f.s.least_scale, 1e-3);
    if (!f.s.least_factored) f.s.least_factored = 128;
    nn_optimizer o = { .p = p, .d = d, .decay = f.s.decay, .rate = rate, .when = f.when };
    if (!nn_optimizer_begin(at, g, "adafactor", &o, f.s.decayed)) return o.next;
    weft_tensor *count = nn_count(at, g, f.when);
    f.keep = weft_graph_power(g, count, weft_graph_fill_like(g, count, -nn_or(f.s.decay_exponent, 0.8)));
    f.keep = weft_graph_subtract(g, weft_graph_fill_like(g, count, 1), f.keep);
    for (size_t i = 0; i < p.n; i++)
        nn_optimizer_step(at, g, &o, i, nn_times(at, g, change_of(at, g, &f, p.v[i], d.v[i]), rate));
    weft_graph_pop(g);
    return o.next;
}
