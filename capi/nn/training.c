/* training.c: gradients of lists, clipping, schedules, loss scaling; see weft/optim.h. */
#include "capi/nn/optim.h"

weft_tensors weft_gradients_at(weft_source at, weft_graph *g, weft_tensor *loss, weft_tensors p,
                               const weft_gradient_options *options) {
    weft_tensors d = weft_tensors_new(g, p.n);
    if (d.n == p.n && p.n) weft_graph_gradients_at(at, g, loss, p.v, p.n, options, d.v);
    return d;
}

/* ---- clipping ---- */

weft_tensor *weft_global_norm_at(weft_source at, weft_graph *g, weft_tensors d) {
    weft_tensor *sum = NULL;
    for (size_t i = 0; i < d.n && weft_graph_status(g) == WEFT_OK; i++) {
        int64_t room[NN_MAX_RANK];
        weft_tensor *wide = nn_wide(at, g, d.v[i]);
        weft_tensor *squares = weft_graph_multiply(g, wide, wide);
        squares = weft_graph_reduce(g, "add", squares, nn_range(room, 0, weft_tensor_rank(wide)));
        sum = sum ? weft_graph_add(g, sum, nn_as(at, g, squares, sum)) : squares;
    }
    if (!d.n) return weft_graph_refuse(g, "global_norm: the list is empty");
    return weft_graph_sqrt(g, sum);
}

weft_tensors weft_clip_by_global_norm_at(weft_source at, weft_graph *g, weft_tensors d, double most,
                                         weft_tensor **norm) {
    weft_tensors clipped = weft_tensors_new(g, d.n);
    weft_tensor *now = nn_is_positive(at, g, "clip_by_global_norm", "the norm", most) ? weft_global_norm(g, d) : NULL;
    if (norm) *norm = now;
    if (!now || clipped.n != d.n) return clipped;
    /* most / max(norm, most): 1 where the norm is small, and no division by 0 */
    weft_tensor *limit = weft_graph_fill_like(g, now, most);
    weft_tensor *factor = weft_graph_divide(g, limit, weft_graph_maximum(g, now, limit));
    for (size_t i = 0; i < d.n; i++) clipped.v[i] = nn_times(at, g, d.v[i], factor);
    return clipped;
}

/* ---- schedules ---- */

weft_tensor *weft_training_step_at(weft_source at, weft_graph *g) {
    weft_tensor *step = weft_variable(g, "step", "i32", weft_init_zeros());
    weft_graph_update(g, step, weft_graph_add(g, step, weft_graph_fill(g, "i32", 1)));
    return step;
}

static bool is_number(weft_source at, weft_graph *g, double v) {
    return nn_is_in(at, g, "schedule", "a number", v, -INFINITY, INFINITY);
}

static weft_tensor *number(weft_source at, weft_graph *g, double v) {
    return is_number(at, g, v) ? weft_graph_fill(g, "f32", v) : NULL;
}

/* The step as f32, plus `more`; NULL with the graph's error. */
static weft_tensor *at_step(weft_source at, weft_graph *g, weft_tensor *step, double more) {
    if (!nn_has_rank(at, g, "schedule", step, 0, 0)) return NULL;
    return weft_graph_add(g, weft_graph_convert(g, step, "f32"), number(at, g, more));
}

/* x / steps, from 0 to 1. */
static weft_tensor *part(weft_source at, weft_graph *g, weft_tensor *x, double steps) {
    if (!(steps > 0)) return weft_graph_refuse(g, "schedule: %g steps are not above 0", steps);
    return weft_graph_clamp(g, number(at, g, 0), weft_graph_scale(g, x, 1 / steps), number(at, g, 1));
}

weft_tensor *weft_schedule_constant_at(weft_source at, weft_graph *g, double rate) {
    return number(at, g, rate);
}

weft_tensor *weft_schedule_linear_at(weft_source at, weft_graph *g, weft_tensor *step, double from, double to,
                                     double steps) {
    weft_tensor *x = part(at, g, at_step(at, g, step, 0), steps);
    if (!is_number(at, g, to)) return NULL;
    return weft_graph_add(g, weft_graph_scale(g, x, to - from), number(at, g, from));
}

/* to + (from - to) (1 + cos(pi x)) / 2 */
static weft_tensor *cosine(weft_source at, weft_graph *g, weft_tensor *x, double from, double to) {
    weft_tensor *c = weft_graph_cosine(g, weft_graph_scale(g, x, 3.141592653589793));
    return weft_graph_add(g, weft_graph_scale(g, c, (from - to) / 2), number(at, g, (from + to) / 2));
}

weft_tensor *weft_schedule_cosine_at(weft_source at, weft_graph *g, weft_tensor *step, double from, double to,
                                     double steps) {
    return cosine(at, g, part(at, g, at_step(at, g, step, 0), steps), from, to);
}

weft_tensor *weft_schedule_warmup_cosine_at(weft_source at, weft_graph *g, weft_tensor *step, double rate,
                                            double warmup, double steps, double last) {
    if (!(warmup >= 0 && warmup < steps))
        return weft_graph_refuse(g, "schedule: %g steps of warm-up are not fewer than %g", warmup, steps);
    weft_tensor *after = cosine(at, g, part(at, g, at_step(at, g, step, -warmup), steps - warmup), rate, last);
    if (warmup == 0) return after;
    weft_tensor *rising = weft_graph_scale(g, at_step(at, g, step, 1), rate / warmup);
    weft_tensor *early = weft_graph_compare(g, "LT", at_step(at, g, step, 0), number(at, g, warmup));
    return weft_graph_select(g, early, rising, after);
}

weft_tensor *weft_schedule_inverse_sqrt_at(weft_source at, weft_graph *g, weft_tensor *step, double rate,
                                           double warmup) {
    if (!(warmup > 0)) return weft_graph_refuse(g, "schedule: %g steps are not above 0", warmup);
    if (!is_number(at, g, rate)) return NULL;
    weft_tensor *n = weft_graph_scale(g, at_step(at, g, step, 1), 1 / warmup);
    return weft_graph_scale(g, weft_graph_minimum(g, n, weft_graph_rsqrt(g, n)), rate);
}

/* ---- loss scaling ---- */

weft_tensor *weft_loss_scale_at(weft_source at, weft_graph *g, double first) {
    if (weft_graph_status(g) == WEFT_OK && !nn_is_positive(at, g, "loss_scale", "the scale", first)) return NULL;
    weft_graph_push(g, "loss_scale");
    weft_tensor *scale = weft_variable(g, "scale", "f32", weft_init_constant(first));
    weft_graph_pop(g);
    return scale;
}

/* Whether all elements are finite. */
static weft_tensor *all_finite(weft_source at, weft_graph *g, weft_tensors d) {
    weft_tensor *all = NULL;
    for (size_t i = 0; i < d.n; i++) {
        int64_t room[NN_MAX_RANK];
        weft_tensor *each = weft_graph_is_finite(g, d.v[i]);
        each = weft_graph_reduce(g, "and", each, nn_range(room, 0, weft_tensor_rank(d.v[i])));
        all = all ? weft_graph_and(g, all, each) : each;
    }
    return all;
}

weft_tensors weft_unscale_at(weft_source at, weft_graph *g, weft_tensors d, weft_tensor *scale,
                             const weft_unscale_options *options, weft_tensor **finite) {
    weft_unscale_options s;
    NN_OPTIONS(weft_unscale_options, options, &s);
    const double growth = nn_or(s.growth, 2), backoff = nn_or(s.backoff, 0.5);
    const int64_t interval = s.interval > 0 ? s.interval : 2000;
    weft_tensors out = weft_tensors_new(g, d.n);
    if (finite) *finite = NULL;
    if (!d.n) weft_graph_refuse(g, "unscale: the list is empty");
    if (weft_graph_status(g) != WEFT_OK || out.n != d.n || !nn_has_rank(at, g, "unscale", scale, 0, 0) ||
        (s.growth != 0 && !nn_is_in(at, g, "unscale", "growth", s.growth, 1, INFINITY)) ||
        !nn_is_in(at, g, "unscale", "backoff", s.backoff, 0, 1) ||
        !nn_is_in(at, g, "unscale", "interval", (double)s.interval, 0, INFINITY))
        return out;
    weft_tensor *factor = weft_graph_divide(g, number(at, g, 1), scale);
    for (size_t i = 0; i < d.n; i++) out.v[i] = nn_times(at, g, nn_wide(at, g, d.v[i]), factor);
    weft_tensor *is_finite = all_finite(at, g, out);
    weft_graph_push(g, "loss_scale");
    weft_tensor *good = weft_variable(g, "good", "i32", weft_init_zeros()), *none = weft_graph_fill(g, "i32", 0);
    weft_graph_pop(g);
    weft_tensor *more = weft_graph_add(g, good, weft_graph_fill(g, "i32", 1));
    weft_tensor *enough = weft_graph_compare(g, "GE", more, weft_graph_fill(g, "i32", (double)interval));
    weft_tensor *grown = weft_graph_select(g, enough, weft_graph_scale(g, scale, growth), scale);
    weft_graph_update(g, scale, weft_graph_select(g, is_finite, grown, weft_graph_scale(g, scale, backoff)));
    weft_tensor *goes_on = weft_graph_and(g, is_finite, weft_graph_not(g, enough));
    weft_graph_update(g, good, weft_graph_select(g, goes_on, more, none));
    if (finite) *finite = is_finite;
    return out;
}
