/* optimizer.c: what optimizers share, and those of a formula per element; see weft/optim.h. */
#include "capi/nn/optim.h"

double nn_or(double given, double otherwise) { return given > 0 ? given : given < 0 ? 0 : otherwise; }

bool nn_is_option(weft_source at, weft_graph *g, const char *name, const char *what, double v, double most) {
    return nn_is_in(at, g, name, what, v, -INFINITY, most);
}

weft_tensor *nn_mix(weft_source at, weft_graph *g, double a, weft_tensor *x, double b, weft_tensor *y) {
    return weft_graph_add(g, weft_graph_scale(g, x, a), weft_graph_scale(g, y, b));
}

weft_tensor *nn_times(weft_source at, weft_graph *g, weft_tensor *x, weft_tensor *scalar) {
    if (!x || !scalar) return NULL;
    return weft_graph_multiply(g, x, weft_graph_broadcast_like(g, nn_as(at, g, scalar, x), x, WEFT_NO_DIMS));
}

bool nn_optimizer_begin(weft_source at, weft_graph *g, const char *name, nn_optimizer *o, const char *decayed) {
    if (weft_graph_status(g) != WEFT_OK) return false;
    bool equal = o->p.n == o->d.n && o->p.n;
    for (size_t i = 0; equal && i < o->p.n; i++) {
        const weft_tensor *p = o->p.v[i], *d = o->d.v[i];
        equal = p && d && weft_tensor_rank(p) == weft_tensor_rank(d);
        for (size_t k = 0; equal && k < weft_tensor_rank(p); k++)
            equal = weft_tensor_dim(p, k) == weft_tensor_dim(d, k);
    }
    if (!equal) {
        weft_graph_refuse(g, "%s: %zu parameters and %zu gradients: there is one of its shape for each", name, o->p.n,
                          o->d.n);
        return false;
    }
    if (!nn_has_rank(at, g, name, o->rate, 0, 0) || !nn_is_float(at, g, name, o->rate) ||
        !nn_is_option(at, g, name, "decay", o->decay, INFINITY))
        return false;
    o->next = weft_tensors_new(g, o->p.n);
    if (o->decay > 0 && decayed) o->decayed = weft_parameters(g, decayed);
    else if (o->decay > 0) o->decayed = o->p;
    if (o->next.n != o->p.n || weft_graph_status(g) != WEFT_OK) return false;
    weft_graph_push(g, name);
    return true;
}

static bool is_in(weft_tensors list, const weft_tensor *t) {
    for (size_t i = 0; i < list.n; i++)
        if (list.v[i] == t) return true;
    return false;
}

void nn_optimizer_step(weft_source at, weft_graph *g, nn_optimizer *o, size_t i, weft_tensor *change) {
    weft_tensor *p = o->p.v[i], *wide = nn_wide(at, g, p);
    if (is_in(o->decayed, p)) {
        weft_tensor *decay = weft_graph_scale(g, nn_times(at, g, wide, o->rate), o->decay);
        change = weft_graph_add(g, change, decay);
    }
    o->next.v[i] = nn_become(at, g, p, nn_as(at, g, weft_graph_subtract(g, wide, change), p), o->when);
}

weft_tensor *nn_state(weft_source at, weft_graph *g, const char *what, weft_tensor *p, weft_dims dims) {
    weft_graph_push(g, what);
    weft_tensor *v = weft_variable_of(g, p, dims, nn_kept_dtype(p), weft_init_zeros());
    weft_graph_pop(g);
    return v;
}

weft_tensor *nn_state_like(weft_source at, weft_graph *g, const char *what, weft_tensor *p) {
    int64_t room[NN_MAX_RANK];
    return nn_state(at, g, what, p, nn_range(room, 0, weft_tensor_rank(p)));
}

weft_tensor *nn_become(weft_source at, weft_graph *g, weft_tensor *input, weft_tensor *next, weft_tensor *when) {
    if (when) next = weft_graph_select(g, when, next, input);
    weft_graph_update(g, input, next);
    return next;
}

weft_tensor *nn_count(weft_source at, weft_graph *g, weft_tensor *when) {
    weft_tensor *count = weft_variable(g, "count", "i32", weft_init_zeros());
    weft_tensor *next = weft_graph_add(g, count, weft_graph_fill(g, "i32", 1));
    nn_become(at, g, count, next, when);
    return weft_graph_convert(g, next, "f32");
}

/* ---- SGD ---- */

weft_tensors weft_sgd_at(weft_source at, weft_graph *g, weft_tensors p, weft_tensors d, weft_tensor *rate,
                         const weft_sgd_options *options) {
    weft_sgd_options s;
    NN_OPTIONS(weft_sgd_options, options, &s);
    nn_optimizer o = { .p = p, .d = d, .decay = s.decay, .rate = rate, .when = s.when };
    if (!nn_is_option(at, g, "sgd", "momentum", s.momentum, 1) ||
        !nn_is_one_of(at, g, "sgd", "weft_nesterov", s.nesterov, 2) ||
        !nn_optimizer_begin(at, g, "sgd", &o, s.decayed))
        return o.next;
    for (size_t i = 0; i < p.n; i++) {
        weft_tensor *change = nn_wide(at, g, d.v[i]);
        if (s.momentum > 0) {
            weft_tensor *m = nn_state_like(at, g, "m", p.v[i]);
            weft_tensor *next = weft_graph_add(g, weft_graph_scale(g, m, s.momentum), change);
            nn_become(at, g, m, next, s.when);
            change = s.nesterov == WEFT_NESTEROV
                         ? weft_graph_add(g, change, weft_graph_scale(g, next, s.momentum)) : next;
        }
        nn_optimizer_step(at, g, &o, i, nn_times(at, g, change, rate));
    }
    weft_graph_pop(g);
    return o.next;
}

/* ---- AdamW ---- */

/* 1 - beta^count */
static weft_tensor *correction(weft_source at, weft_graph *g, double beta, weft_tensor *count) {
    return weft_graph_subtract(g, weft_graph_fill_like(g, count, 1),
                               weft_graph_power(g, weft_graph_fill_like(g, count, beta), count));
}

weft_tensors weft_adamw_at(weft_source at, weft_graph *g, weft_tensors p, weft_tensors d, weft_tensor *rate,
                           const weft_adamw_options *options) {
    weft_adamw_options s;
    NN_OPTIONS(weft_adamw_options, options, &s);
    const double beta1 = nn_or(s.beta1, 0.9), beta2 = nn_or(s.beta2, 0.999), epsilon = nn_or(s.epsilon, 1e-8);
    nn_optimizer o = { .p = p, .d = d, .decay = s.decay, .rate = rate, .when = s.when };
    if (!nn_is_option(at, g, "adamw", "beta1", s.beta1, 1) || !nn_is_option(at, g, "adamw", "beta2", s.beta2, 1) ||
        !nn_is_option(at, g, "adamw", "epsilon", s.epsilon, INFINITY) ||
        !nn_optimizer_begin(at, g, "adamw", &o, s.decayed))
        return o.next;
    weft_tensor *count = nn_count(at, g, s.when);
    /* The corrections are scalars: rate / c1 * m / (sqrt(v / c2) + epsilon), with one division per element. */
    weft_tensor *first = weft_graph_divide(g, nn_as(at, g, rate, count), correction(at, g, beta1, count));
    weft_tensor *second = weft_graph_rsqrt(g, correction(at, g, beta2, count));
    for (size_t i = 0; i < p.n; i++) {
        weft_tensor *m = nn_state_like(at, g, "m", p.v[i]), *v = nn_state_like(at, g, "v", p.v[i]);
        weft_tensor *wide = nn_wide(at, g, d.v[i]);
        weft_tensor *mean = nn_mix(at, g, beta1, m, 1 - beta1, wide);
        weft_tensor *square = nn_mix(at, g, beta2, v, 1 - beta2, weft_graph_multiply(g, wide, wide));
        nn_become(at, g, m, mean, s.when);
        nn_become(at, g, v, square, s.when);
        weft_tensor *root = nn_times(at, g, weft_graph_sqrt(g, square), second);
        root = weft_graph_add(g, root, weft_graph_fill_like(g, root, epsilon));
        nn_optimizer_step(at, g, &o, i, weft_graph_divide(g, nn_times(at, g, mean, first), root));
    }
    weft_graph_pop(g);
    return o.next;
}

/* ---- Lion ---- */

weft_tensors weft_lion_at(weft_source at, weft_graph *g, weft_tensors p, weft_tensors d, weft_tensor *rate,
                          const weft_lion_options *options) {
    weft_lion_options s;
    NN_OPTIONS(weft_lion_options, options, &s);
    const double beta1 = nn_or(s.beta1, 0.9), beta2 = nn_or(s.beta2, 0.99);
    nn_optimizer o = { .p = p, .d = d, .decay = s.decay, .rate = rate, .when = s.when };
    if (!nn_is_option(at, g, "lion", "beta1", s.beta1, 1) || !nn_is_option(at, g, "lion", "beta2", s.beta2, 1) ||
        !nn_optimizer_begin(at, g, "lion", &o, s.decayed))
        return o.next;
    for (size_t i = 0; i < p.n; i++) {
        weft_tensor *m = nn_state_like(at, g, "m", p.v[i]), *wide = nn_wide(at, g, d.v[i]);
        weft_tensor *sign = weft_graph_sign(g, nn_mix(at, g, beta1, m, 1 - beta1, wide));
        nn_become(at, g, m, nn_mix(at, g, beta2, m, 1 - beta2, wide), s.when);
        nn_optimizer_step(at, g, &o, i, nn_times(at, g, sign, rate));
    }
    weft_graph_pop(g);
    return o.next;
}

/* ---- averages ---- */

weft_tensors weft_ema_at(weft_source at, weft_graph *g, weft_tensors p, weft_tensors next, double decay,
                         weft_tensor *when) {
    int64_t room[NN_MAX_RANK];
    weft_tensors averages = weft_tensors_new(g, p.n);
    if (weft_graph_status(g) == WEFT_OK && p.n != next.n)
        weft_graph_refuse(g, "ema: %zu parameters and %zu next values", p.n, next.n);
    if (weft_graph_status(g) != WEFT_OK || averages.n != p.n ||
        (decay != 1 && !nn_is_in(at, g, "ema", "decay", decay, 0, 1)))
        return averages;
    weft_graph_push(g, "ema");
    for (size_t i = 0; i < p.n; i++) {
        const weft_dims all = nn_range(room, 0, weft_tensor_rank(p.v[i]));
        weft_tensor *e = weft_variable_of(g, p.v[i], all, nn_kept_dtype(p.v[i]), weft_init_copy());
        averages.v[i] = nn_become(at, g, e, nn_mix(at, g, decay, e, 1 - decay, nn_wide(at, g, next.v[i])), when);
    }
    weft_graph_pop(g);
    return averages;
}
