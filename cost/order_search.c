/* order_search.c: the cheapest device order. It tries all orders of whole axes, then all orders of their smallest parts
 * if there are few enough (up to seven parts, 128 places); else, from the best so far, it moves one part of an axis at
 * a time while that helps. The number of evaluations is bounded; candidates come in a fixed order and ties keep the
 * earlier one, so that the answer depends on the input alone. */
#include "base/context.h"
#include "cost/order.h"

#define WORK 2e8       /* steps of weft_machine_reach in all: a second at most */
#define MOST_TRIED 20000
#define LEAST_GAIN 1e-3

typedef struct search {
    weft_context *cx;
    const weft_machine *machine;
    const weft_order_mesh *mesh;
    const weft_loads *loads;
    int32_t *device_of;
    weft_order best;
    double best_s;
    int64_t tried, most;
    weft_status status;
} search;

/* Joins neighbours that are one part of an axis into one piece. */
static weft_order join(const weft_order *o) {
    weft_order out = { .n = 0 };
    for (uint32_t i = 0; i < o->n; i++) {
        weft_order_piece *last = out.n ? &out.pieces[out.n - 1] : NULL, p = o->pieces[i];
        if (last && last->axis == p.axis && last->pre * last->size == p.pre) last->size *= p.size;
        else out.pieces[out.n++] = p;
    }
    return out;
}

/* Prices an order and keeps it when it is better. */
static bool try_order(search *s, const weft_order *o) {
    double time_s = 0;
    if (s->status != WEFT_OK || s->tried >= s->most) return false;
    s->tried++;
    weft_order_devices(s->mesh, o, s->device_of);
    s->status = weft_order_time(s->cx, s->machine, s->loads, s->device_of, &time_s);
    if (s->status != WEFT_OK || (s->tried > 1 && time_s >= s->best_s * (1 - LEAST_GAIN))) return false;
    s->best = join(o);
    s->best_s = time_s;
    return true;
}

/* Every order of the pieces from `at` on, the given one first. */
static void permute(search *s, weft_order *o, uint32_t at) {
    if (at + 1 >= o->n) {
        try_order(s, o);
        return;
    }
    for (uint32_t i = at; i < o->n && s->tried < s->most; i++) {
        weft_order next = *o;
        for (uint32_t k = i; k > at; k--) next.pieces[k] = o->pieces[k - 1];
        next.pieces[at] = o->pieces[i];
        permute(s, &next, at + 1);
    }
}

/* Whether the remaining work is enough for every order of n pieces. */
static bool all_fit(const search *s, uint32_t n) {
    int64_t orders = 1;
    for (uint32_t i = 2; i <= n && orders <= s->most; i++) orders *= i;
    return orders <= s->most - s->tried;
}

static int64_t smallest_factor(int64_t n) {
    for (int64_t f = 2; f * f <= n; f++)
        if (n % f == 0) return f;
    return n;
}

/* The same order with every piece split into its prime factors, as far as there is room. */
static weft_order cut(const weft_order *o) {
    weft_order out = { .n = 0 };
    for (uint32_t i = 0; i < o->n; i++) {
        weft_order_piece p = o->pieces[i];
        while (p.size > 1 && out.n + (o->n - i) < WEFT_ORDER_PIECES) {
            int64_t f = smallest_factor(p.size);
            if (f == p.size) break;
            out.pieces[out.n++] = (weft_order_piece){ p.axis, p.pre, f };
            p.pre *= f;
            p.size /= f;
        }
        out.pieces[out.n++] = p;
    }
    return out;
}

/* One improvement by moving a run of pieces (of length `run`) somewhere else; false when there is none. */
static bool improve(search *s, const weft_order *o, uint32_t run) {
    for (uint32_t from = 0; from + run <= o->n; from++) {
        for (uint32_t to = 0; to + run <= o->n; to++) {
            weft_order next = { .n = 0 };
            if (to == from) continue;
            for (uint32_t i = 0, k = 0; next.n < o->n;) {
                if (k == 0 && next.n == to)
                    for (; k < run; k++) next.pieces[next.n++] = o->pieces[from + k];
                else if (i == from) i += run;
                else next.pieces[next.n++] = o->pieces[i++];
            }
            if (try_order(s, &next)) return true;
        }
    }
    return false;
}

/* Merges equal loads: a plan of many layers has few different ones. */
static weft_status merge(weft_context *cx, const weft_loads *in, weft_loads *out) {
    weft_load *v = weft_scratch_array(cx, weft_load, in->load_count);
    uint32_t n = 0;
    if (!v) return weft_oom();
    for (uint32_t i = 0; i < in->load_count; i++) {
        const weft_load *l = &in->loads[i];
        uint32_t k = 0;
        if (l->count <= 0 || l->group_size < 2) continue;
        while (k < n && (v[k].kind != l->kind || v[k].pattern != l->pattern || v[k].bytes != l->bytes ||
                         v[k].group_size != l->group_size))
            k++;
        if (k == n) v[n++] = *l;
        else v[k].count += l->count;
    }
    *out = (weft_loads){ in->patterns, in->pattern_count, v, n };
    return WEFT_OK;
}

weft_status weft_order_search(weft_context *cx, const weft_machine *m, const weft_order_mesh *mesh,
                              const weft_loads *all_loads, weft_order_found *out) {
    weft_loads loads;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    search s = { .cx = cx, .machine = m, .mesh = mesh, .loads = &loads,
                 .device_of = weft_scratch_array(cx, int32_t, weft_order_places(mesh)) };
    s.status = merge(cx, all_loads, &loads);
    if (s.status == WEFT_OK && !s.device_of) s.status = weft_oom();
    if (s.status != WEFT_OK) goto out;
    double work = (double)weft_order_places(mesh) * m->level_count + 400.0 * loads.load_count;
    for (uint32_t i = 0; i < loads.pattern_count; i++)
        work += (double)(loads.patterns[i].rows * loads.patterns[i].size) * (m->level_count + 1);
    s.most = weft_min_i64(MOST_TRIED, (int64_t)(WORK / work) + 100);
    weft_order all = weft_order_contiguous(mesh), o = { .n = 0 };
    for (uint32_t i = 0; i < all.n; i++)
        if (all.pieces[i].size > 1) o.pieces[o.n++] = all.pieces[i];
    try_order(&s, &o);
    *out = (weft_order_found){ .contiguous_s = s.best_s };
    permute(&s, &o, 0);
    weft_order parts = cut(&o);
    const bool few = all_fit(&s, parts.n);
    if (few && parts.n > o.n) permute(&s, &parts, 0);
    for (bool better = s.status == WEFT_OK && !few; better;) {
        weft_order fine = cut(&s.best);
        better = improve(&s, &fine, 1) || improve(&s, &fine, 2) || improve(&s, &fine, 3);
    }
    out->order = s.best;
    out->time_s = s.best_s;
    out->tried = s.tried;
out:
    weft_arena_reset(&cx->scratch, mark);
    return s.status;
}
