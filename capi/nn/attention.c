/* attention.c: rotary positions and attention; see weft/nn.h. */
#include "capi/nn/nn.h"

/* The half of x's last dimension from `from` on. */
static weft_tensor *half(weft_source at, weft_graph *g, weft_tensor *x, int64_t from, int64_t size) {
    int64_t start[4] = { 0 }, limit[4];
    for (size_t d = 0; d < 4; d++) limit[d] = weft_tensor_dim(x, d);
    start[3] = from;
    limit[3] = from + size;
    return weft_graph_slice(g, x, nn_dims(start, 4), nn_dims(limit, 4), WEFT_NO_DIMS);
}

weft_tensor *weft_rope_at(weft_source at, weft_graph *g, weft_tensor *x, weft_tensor *positions, double base) {
    if (!nn_has_rank(at, g, "rope", x, 4, 4) || !nn_is_float(at, g, "rope", x)) return NULL;
    const int64_t tokens = weft_tensor_dim(x, 1), size = weft_tensor_dim(x, 3);
    if (size % 2) return weft_graph_refuse(g, "rope: a head of %lld elements has no halves", (long long)size);
    if (positions && (!nn_has_rank(at, g, "rope", positions, 1, 1) || !nn_is_integer(at, g, "rope", positions)))
        return NULL;
    if (!nn_is_in(at, g, "rope", "base", base, 0, INFINITY)) return NULL;
    const char *dtype = nn_kept_dtype(x);
    const int64_t angles[] = { tokens, size / 2 };
    const nn_text type = nn_type(nn_dims(angles, 2), dtype);
    weft_tensor *turn = weft_graph_scale(g, weft_graph_iota(g, type.c, 1),
                                         -2 * log(base > 0 ? base : 10000) / (double)size);
    weft_tensor *position = positions ? nn_spread(at, g, weft_graph_convert(g, positions, dtype), turn, 0)
                                      : weft_graph_iota(g, type.c, 0);
    turn = weft_graph_multiply(g, position, weft_graph_exponential(g, turn));
    weft_tensor *wide = nn_wide(at, g, x);
    weft_tensor *a = half(at, g, wide, 0, size / 2), *b = half(at, g, wide, size / 2, size / 2);
    weft_tensor *cos = weft_graph_broadcast_like(g, weft_graph_cosine(g, turn), a, WEFT_DIMS(1, 3));
    weft_tensor *sin = weft_graph_broadcast_like(g, weft_graph_sine(g, turn), a, WEFT_DIMS(1, 3));
    weft_tensor *const turned[] = {
        weft_graph_subtract(g, weft_graph_multiply(g, a, cos), weft_graph_multiply(g, b, sin)),
        weft_graph_add(g, weft_graph_multiply(g, b, cos), weft_graph_multiply(g, a, sin)),
    };
    return nn_as(at, g, weft_graph_concatenate(g, turned, 2, 3), x);
}

/* Scores, [..., tokens of q, tokens of k], with those that the mask hides at a number that no softmax notices. */
static weft_tensor *masked(weft_source at, weft_graph *g, weft_tensor *scores, const weft_attention_options *o) {
    if (o->mask == WEFT_MASK_NONE && !o->window) return scores;
    const size_t rank = weft_tensor_rank(scores);
    const int64_t sizes[] = { weft_tensor_dim(scores, rank - 2), weft_tensor_dim(scores, rank - 1) };
    const nn_text type = nn_type(nn_dims(sizes, 2), "i32");
    /* How far a key is before its query; with more keys than queries the last of both belong together. */
    weft_tensor *row = weft_graph_iota(g, type.c, 0), *column = weft_graph_iota(g, type.c, 1);
    weft_tensor *more = weft_graph_fill_like(g, row, (double)(sizes[1] - sizes[0]));
    weft_tensor *before = weft_graph_subtract(g, weft_graph_add(g, row, more), column);
    weft_tensor *seen = weft_graph_compare(g, "GE", before, weft_graph_fill_like(g, before, 0));
    if (o->window > 0) {
        weft_tensor *near = weft_graph_compare(g, "LT", before, weft_graph_fill_like(g, before, (double)o->window));
        seen = weft_graph_and(g, seen, near);
    }
    return weft_graph_select(g, nn_spread(at, g, seen, scores, rank - 2), scores,
                             weft_graph_fill_like(g, scores, -1e30));
}

weft_tensor *weft_attention_at(weft_source at, weft_graph *g, weft_tensor *q, weft_tensor *k, weft_tensor *v,
                               const weft_attention_options *options) {
    weft_attention_options o;
    NN_OPTIONS(weft_attention_options, options, &o);
    if (!nn_has_rank(at, g, "attention", q, 4, 4) || !nn_has_rank(at, g, "attention", k, 4, 4) ||
        !nn_has_rank(at, g, "attention", v, 4, 4) || !nn_is_float(at, g, "attention", q))
        return NULL;
    const int64_t heads = weft_tensor_dim(q, 2), groups = weft_tensor_dim(k, 2), size = weft_tensor_dim(q, 3);
    if (groups < 1 || heads % groups)
        return weft_graph_refuse(g, "attention: %lld heads are not divided by %lld groups of keys", (long long)heads,
                                 (long long)groups);
    if (o.window < 0 || (unsigned)o.mask > WEFT_MASK_NONE || (o.window && o.mask == WEFT_MASK_NONE))
        return weft_graph_refuse(g, "attention: a window is above 0, and of a causal mask");
    if (o.mask == WEFT_MASK_CAUSAL && weft_tensor_dim(k, 1) < weft_tensor_dim(q, 1))
        return weft_graph_refuse(g, "attention: the mask is causal, and %lld keys are fewer than %lld queries",
                                 (long long)weft_tensor_dim(k, 1), (long long)weft_tensor_dim(q, 1));
    if (!nn_is_in(at, g, "attention", "scale", o.scale, -INFINITY, INFINITY)) return NULL;
    const bool grouped = heads != groups;
    const int64_t batch = weft_tensor_dim(q, 0), tokens = weft_tensor_dim(q, 1);
    if (grouped) q = weft_graph_reshape(g, q, WEFT_DIMS(batch, tokens, groups, heads / groups, size));
    q = weft_graph_scale(g, q, o.scale != 0 ? o.scale : 1 / sqrt((double)size));
    weft_tensor *scores = weft_graph_einsum(g, grouped ? "btgrd,bsgd->bgrts" : "btgd,bsgd->bgts", q, k);
    if (!scores) return NULL;
    scores = masked(at, g, nn_wide(at, g, scores), &o);
    weft_tensor *weights = nn_as(at, g, weft_softmax(g, scores, (int64_t)weft_tensor_rank(scores) - 1), v);
    weft_tensor *y = weft_graph_einsum(g, grouped ? "bgrts,bsgd->btgrd" : "bgts,bsgd->btgd", weights, v);
    return grouped ? weft_graph_reshape(g, y, WEFT_DIMS(batch, tokens, heads, weft_tensor_dim(v, 3))) : y;
}
