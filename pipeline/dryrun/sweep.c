/* sweep.c: see sweep.h. */
#include "pipeline/dryrun/sweep.h"

#include <stdlib.h>

typedef struct range { weft_str name; int64_t low, high; } range;

static weft_status bad(weft_context *cx, const char *text) {
    return weft_report(cx, WEFT_D_usage, NULL, "'%s' is no sweep such as 'data=8..512,model=1..16'", text);
}

/* "data=8..512" or "data=8"; the end, or NULL. */
static const char *read_range(const char *p, range *r) {
    const size_t n = strcspn(p, "=,");
    char *end;
    if (!n || p[n] != '=') return NULL;
    r->name = (weft_str){ p, n };
    p += n + 1;
    r->low = r->high = strtoll(p, &end, 10);
    if (end == p) return NULL;
    if (!strncmp(end, "..", 2)) {
        p = end + 2;
        r->high = strtoll(p, &end, 10);
        if (end == p) return NULL;
    }
    return r->low >= 1 && r->high >= r->low && r->high <= (int64_t)1 << 40 && (!*end || *end == ',') ? end : NULL;
}

typedef struct sweeping {
    weft_context *cx;
    weft_arena *arena;
    range axes[WEFT_SWEEP_AXES];
    int64_t size[WEFT_SWEEP_AXES];
    uint32_t n;
    int64_t devices;
    weft_sweep_point *v;
    size_t count, cap;
} sweeping;

static weft_status add_point(sweeping *x, int64_t devices) {
    weft_buf b;
    if (x->count == x->cap && !weft_arena_grow(x->arena, (void **)&x->v, &x->cap, x->count + 1, sizeof *x->v))
        return weft_oom();
    weft_buf_init(&b, &x->cx->alloc);
    for (uint32_t i = 0; i < x->n; i++)
        weft_buf_printf(&b, "%s%.*s=%lld", i ? "," : "", WEFT_STR_ARG(x->axes[i].name), (long long)x->size[i]);
    char *mesh = b.failed ? NULL : weft_arena_strdup(x->arena, b.p, b.n);
    weft_buf_free(&b);
    if (!mesh) return weft_oom();
    x->v[x->count++] = (weft_sweep_point){ mesh, devices };
    return WEFT_OK;
}

/* All sizes of axis i and those after it. */
static weft_status add_points(sweeping *x, uint32_t i, int64_t devices) {
    weft_status st = WEFT_OK;
    if (i == x->n) return x->devices && devices != x->devices ? WEFT_OK : add_point(x, devices);
    for (int64_t size = x->axes[i].low; size <= x->axes[i].high && st == WEFT_OK; size *= 2) {
        int64_t all;
        if (!weft_mul_i64(devices, size, &all) || (x->devices && all > x->devices)) break;
        if (x->count == WEFT_SWEEP_POINTS)
            return weft_report(x->cx, WEFT_D_usage, NULL, "the sweep has more than %d points", WEFT_SWEEP_POINTS);
        x->size[i] = size;
        st = add_points(x, i + 1, all);
    }
    return st;
}

weft_status weft_sweep_read(weft_context *cx, const char *text, int64_t devices, weft_arena *arena,
                            const weft_sweep_point **out, size_t *count) {
    sweeping x = { .cx = cx, .arena = arena, .devices = devices };
    for (const char *p = text;;) {
        if (x.n == WEFT_SWEEP_AXES)
            return weft_report(cx, WEFT_D_usage, NULL, "a sweep has at most %d axes", WEFT_SWEEP_AXES);
        p = read_range(p, &x.axes[x.n]);
        if (!p) return bad(cx, text);
        for (uint32_t i = 0; i < x.n; i++)
            if (weft_str_equal(x.axes[i].name, x.axes[x.n].name)) return bad(cx, text);
        x.n++;
        if (!*p++) break;
    }
    weft_status st = add_points(&x, 0, 1);
    if (st == WEFT_OK && !x.count)
        st = weft_report(cx, WEFT_D_usage, NULL, "no mesh of the sweep '%s' has %lld devices", text,
                         (long long)devices);
    *out = x.v;
    *count = x.count;
    return st;
}

static bool is_below(const weft_sweep_cost *x, const weft_sweep_cost *y, double share) {
    if (!x->known || !y->known) return x->known;
    if (x->fits != y->fits) return x->fits;
    return x->fits ? x->step_s < share * y->step_s : x->bytes < share * y->bytes;
}

bool weft_cost_is_less(const weft_sweep_cost *x, const weft_sweep_cost *y) {
    return is_below(x, y, 1 - WEFT_LEAST_GAIN);
}

bool weft_cost_is_lower(const weft_sweep_cost *x, const weft_sweep_cost *y) { return is_below(x, y, 1); }

void weft_sweep_frontier(weft_sweep_cost *v, size_t n) {
    for (size_t i = 0; i < n; i++) {
        v[i].best = v[i].known;
        for (size_t k = 0; k < n && v[i].best; k++) {
            if (k == i || !v[k].known || v[k].fits < v[i].fits) continue;
            const bool as_good = v[k].step_s <= v[i].step_s && v[k].bytes <= v[i].bytes;
            const bool better = v[k].step_s < v[i].step_s || v[k].bytes < v[i].bytes || v[k].fits > v[i].fits;
            if (as_good && better) v[i].best = false;
        }
    }
}
