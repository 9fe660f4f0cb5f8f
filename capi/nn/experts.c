/* experts.c: a mixture of experts with places, by products (Lepikhin et al.: GShard, 2020); see weft/nn.h. */
#include <math.h>

#include "capi/nn/nn.h"

/* Letters: b batch, t tokens, e experts, c places of an expert, d features, h hidden ones. */
typedef struct routing {
    weft_tensor *dispatch;    /* [b, t, e, c]: 1 where the token has the place */
    weft_tensor *combine;     /* the same, times the weight of the expert */
    weft_tensor *first;       /* [b, t, e]: 1 at the first choice */
} routing;

/* [b, t, e]: 1 at the largest along e. */
static weft_tensor *one_hot_of_largest(weft_source at, weft_graph *g, weft_tensor *p) {
    int64_t room[NN_MAX_RANK];
    weft_tensor *index = weft_graph_argmax(g, p, 2);
    weft_tensor *is_it = weft_graph_compare(g, "EQ", weft_graph_iota(g, nn_type(nn_shape(p, room), "i32").c, 2),
                                            nn_spread_over(at, g, index, p, 2));
    return weft_graph_convert(g, is_it, weft_tensor_dtype(p));
}

/* Adds one choice of expert, `hot` ([b, t, e]), of weights [b, t], to r. *taken, [b, e], counts the places. */
static void place(weft_source at, weft_graph *g, routing *r, weft_tensor *hot, weft_tensor *weight, int64_t capacity,
                  weft_tensor **taken) {
    const int64_t sizes[] = { weft_tensor_dim(hot, 0), weft_tensor_dim(hot, 1), weft_tensor_dim(hot, 2), capacity };
    weft_tensor *order = weft_graph_subtract(g, weft_graph_cumulative(g, "add", hot, 1), hot); /* tokens before it */
    if (*taken) order = weft_graph_add(g, order, nn_spread_over(at, g, *taken, order, 1));
    weft_tensor *all = weft_graph_reduce(g, "add", hot, WEFT_DIMS(1));
    *taken = *taken ? weft_graph_add(g, *taken, all) : all;
    const nn_text type = nn_type(nn_dims(sizes, 4), weft_tensor_dtype(hot));
    weft_tensor *places = weft_graph_iota(g, type.c, 3);
    weft_tensor *mine = weft_graph_compare(g, "EQ", places, nn_spread_over(at, g, order, places, 3));
    weft_tensor *chosen = nn_spread_over(at, g, hot, places, 3);
    weft_tensor *dispatch = weft_graph_select(g, mine, chosen, weft_graph_fill_like(g, places, 0));
    weft_tensor *combine =
        weft_graph_multiply(g, dispatch, weft_graph_broadcast_like(g, weight, dispatch, WEFT_DIMS(0, 1)));
    r->dispatch = r->dispatch ? weft_graph_add(g, r->dispatch, dispatch) : dispatch;
    r->combine = r->combine ? weft_graph_add(g, r->combine, combine) : combine;
}

/* The choices of each token, by probabilities p, [b, t, e]. */
static routing route(weft_source at, weft_graph *g, weft_tensor *p, int64_t chosen, int64_t capacity) {
    enum { MOST = 16 };
    routing r = { NULL, NULL, NULL };
    weft_tensor *hot[MOST], *weight[MOST], *left = weft_stop_gradient(g, p), *sum = NULL, *taken = NULL;
    for (int64_t i = 0; i < chosen; i++) {
        hot[i] = one_hot_of_largest(at, g, left);
        weight[i] = weft_graph_reduce(g, "add", weft_graph_multiply(g, p, hot[i]), WEFT_DIMS(2));
        sum = sum ? weft_graph_add(g, sum, weight[i]) : weight[i];
        left = weft_graph_subtract(g, left, weft_graph_scale(g, hot[i], 2)); /* below every probability */
    }
    for (int64_t i = 0; i < chosen; i++)
        place(at, g, &r, hot[i], weft_graph_divide(g, weight[i], sum), capacity, &taken);
    r.first = hot[0];
    return r;
}

/* Of each expert: [e, b, c, d] to the same. */
static weft_tensor *work(weft_source at, weft_graph *g, weft_tensor *x, const weft_experts_options *o) {
    const int64_t features = weft_tensor_dim(x, 3), in[] = { o->experts, features, o->hidden },
                  out[] = { o->experts, o->hidden, features };
    weft_init own = weft_init_lecun(), back = weft_init_lecun();
    own.stacked = back.stacked = 1;
    own.fan_in = back.fan_out = features;
    own.fan_out = back.fan_in = o->hidden;
    weft_tensor *h = NULL;
    for (int i = 0; i < (o->kind == WEFT_EXPERTS_SWIGLU ? 2 : 1); i++) {
        weft_graph_push(g, i ? "gate" : "up");
        weft_tensor *w = nn_parameter(at, g, "weight", nn_dims(in, 3), x, o->weight_init, own);
        weft_tensor *y = weft_graph_einsum(g, "ebcd,edh->ebch", x, w);
        weft_graph_pop(g);
        h = i ? weft_graph_multiply(g, h, weft_silu(g, y)) : y;
    }
    if (o->kind == WEFT_EXPERTS_GELU) h = weft_gelu_tanh(g, h);
    weft_graph_push(g, "down");
    weft_tensor *w = nn_parameter(at, g, "weight", nn_dims(out, 3), x, o->weight_init, back);
    weft_tensor *y = weft_graph_einsum(g, "ebch,ehd->ebcd", h, w);
    weft_graph_pop(g);
    return y;
}

/* experts * sum over experts of (share of first choices) * (mean probability). */
static weft_tensor *balance_of(weft_source at, weft_graph *g, weft_tensor *first, weft_tensor *p) {
    weft_tensor *share = weft_mean(g, first, WEFT_DIMS(0, 1)), *mean = weft_mean(g, p, WEFT_DIMS(0, 1));
    return weft_graph_scale(g, weft_graph_reduce(g, "add", weft_graph_multiply(g, share, mean), WEFT_DIMS(0)),
                            (double)weft_tensor_dim(p, 2));
}

static bool is_valid(weft_source at, weft_graph *g, const weft_experts_options *o) {
    if (o->experts > 0 && o->hidden > 0 && o->chosen > 0 && o->chosen <= 16 && o->chosen <= o->experts &&
        o->capacity > 0 && (unsigned)o->kind <= WEFT_EXPERTS_GELU)
        return true;
    weft_graph_refuse(g, "experts: %lld experts of %lld hidden features, %lld of them chosen (16 at most), capacity %g",
                      (long long)o->experts, (long long)o->hidden, (long long)o->chosen, o->capacity);
    return false;
}

weft_tensor *weft_experts_at(weft_source at, weft_graph *g, const char *name, weft_tensor *x,
                             const weft_experts_options *options, weft_tensor **balance) {
    weft_experts_options o;
    NN_OPTIONS(weft_experts_options, options, &o);
    if (balance) *balance = NULL;
    if (!o.chosen) o.chosen = 2;
    if (o.capacity == 0) o.capacity = 1.25;
    if (!nn_has_rank(at, g, "experts", x, 3, 3) || !nn_is_float(at, g, "experts", x) || !is_valid(at, g, &o))
        return NULL;
    const double even = (double)weft_tensor_dim(x, 1) * (double)o.chosen / (double)o.experts;
    int64_t capacity = (int64_t)ceil(even * o.capacity);
    if (capacity > weft_tensor_dim(x, 1)) capacity = weft_tensor_dim(x, 1);
    weft_graph_push(g, name);
    weft_tensor *wide = nn_wide(at, g, x);
    weft_tensor *p = weft_linear(g, "router", wide, nn_dims(&o.experts, 1),
                                 &(weft_linear_options){ .bias = WEFT_WITHOUT_BIAS });
    p = weft_softmax(g, p, 2);
    const routing r = route(at, g, p, o.chosen, capacity);
    weft_tensor *sent = weft_graph_einsum(g, "btec,btd->ebcd", nn_as(at, g, r.dispatch, x), x);
    weft_tensor *y = sent ? work(at, g, sent, &o) : NULL;
    y = weft_graph_einsum(g, "btec,ebcd->btd", nn_as(at, g, r.combine, x), y);
    if (balance) *balance = balance_of(at, g, r.first, p);
    weft_graph_pop(g);
    return y;
}
