/* muon.c: momentum made nearly orthogonal (Jordan et al.: Muon, 2024); see weft/optim.h. */
#include "capi/nn/optim.h"

static int64_t product_of(const weft_tensor *p, size_t from, size_t to) {
    int64_t n = 1;
    for (size_t d = from; d < to; d++) n *= weft_tensor_dim(p, d);
    return n;
}

/* x[n, rows, columns], rows <= columns, each matrix near the orthogonal one of its polar decomposition: five steps of
 * X = a X + (b A + c A A) X with A = X X^T, which brings singular values of at most 1 to about 1. The coefficients are
 * Jordan's. */
static weft_tensor *orthogonal(weft_source at, weft_graph *g, weft_tensor *x) {
    weft_tensor *norm = weft_graph_sqrt(g, weft_graph_reduce(g, "add", weft_graph_multiply(g, x, x), WEFT_DIMS(1, 2)));
    norm = weft_graph_maximum(g, norm, weft_graph_fill_like(g, norm, 1e-7));
    x = weft_graph_divide(g, x, weft_graph_broadcast_like(g, norm, x, WEFT_DIMS(0)));
    for (int step = 0; step < 5; step++) {
        weft_tensor *a = weft_graph_einsum(g, "nij,nkj->nik", x, x);
        weft_tensor *b = nn_mix(at, g, -4.7750, a, 2.0315, weft_graph_einsum(g, "nij,njk->nik", a, a));
        x = weft_graph_add(g, weft_graph_scale(g, x, 3.4445), weft_graph_einsum(g, "nij,njk->nik", b, x));
    }
    return x;
}

/* The change's direction for a parameter of p's shape. */
static weft_tensor *direction(weft_source at, weft_graph *g, weft_tensor *p, weft_tensor *m) {
    int64_t room[NN_MAX_RANK];
    size_t layers, summed;
    weft_parameter_dims(g, p, &layers, &summed);
    const size_t rank = weft_tensor_rank(p), split = layers + summed;
    if (!summed || split >= rank)
        return weft_graph_refuse(g, "muon: '%s' is a vector: it is another optimizer's", weft_tensor_name(g, p));
    const int64_t n = product_of(p, 0, layers), in = product_of(p, layers, split), out = product_of(p, split, rank);
    weft_tensor *x = weft_graph_reshape(g, m, WEFT_DIMS(n, in, out));
    const bool turned = in > out;
    if (turned) x = weft_graph_transpose(g, x, WEFT_DIMS(0, 2, 1));
    x = orthogonal(at, g, x);
    if (turned) x = weft_graph_transpose(g, x, WEFT_DIMS(0, 2, 1));
    /* An output's sum of `in` terms. In Jordan's notation a weight is [out, in]. */
    const double factor = sqrt(fmax(1, (double)out / (double)in));
    return weft_graph_scale(g, weft_graph_reshape(g, x, nn_shape(p, room)), factor);
}

weft_tensors weft_muon_at(weft_source at, weft_graph *g, weft_tensors p, weft_tensors d, weft_tensor *rate,
                          const weft_muon_options *options) {
    weft_muon_options s;
    NN_OPTIONS(weft_muon_options, options, &s);
    const double momentum = nn_or(s.momentum, 0.95);
    nn_optimizer o = { .p = p, .d = d, .decay = s.decay, .rate = rate, .when = s.when };
    if (!nn_is_option(at, g, "muon", "momentum", s.momentum, 1) ||
        !nn_is_one_of(at, g, "muon", "weft_nesterov", s.nesterov, 2) ||
        !nn_optimizer_begin(at, g, "muon", &o, s.decayed))
        return o.next;
    for (size_t i = 0; i < p.n && weft_graph_status(g) == WEFT_OK; i++) {
        weft_tensor *m = nn_state_like(at, g, "m", p.v[i]), *wide = nn_wide(at, g, d.v[i]);
        weft_tensor *next = nn_become(at, g, m, nn_mix(at, g, momentum, m, 1 - momentum, wide), s.when);
        if (s.nesterov == WEFT_NESTEROV) next = nn_mix(at, g, momentum, next, 1 - momentum, wide);
        nn_optimizer_step(at, g, &o, i, nn_times(at, g, direction(at, g, p.v[i], next), rate));
    }
    weft_graph_pop(g);
    return o.next;
}
