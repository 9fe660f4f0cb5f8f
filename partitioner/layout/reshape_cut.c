/* reshape_cut.c: see reshape_cut.h. */
#include <stdlib.h>
#include "partitioner/layout/reshape_cut.h"

typedef struct stride {
    weft_axis axis;
    int64_t elems;      /* between a device's first element and the next one's along the axis */
    double span;        /* the same when parts were not rounded up; only to put strides in order */
    int64_t before;     /* parts into which the tensor is split by all that is major to the axis */
    int64_t dim;        /* size of the dimension */
    uint32_t order;     /* as found: strides are sorted stably */
} stride;

static int by_span(const void *a, const void *b) {
    const stride *x = a, *y = b;
    if (x->span != y->span) return x->span < y->span ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int by_elems(const void *a, const void *b) {
    const stride *x = a, *y = b;
    if (x->elems != y->elems) return x->elems < y->elems ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

#define MOST_AXES 64

/* The strides of all axes as they stand, from the last. false: not so many, or too large. */
static bool list_strides(const weft_sharding *s, const weft_type *t, stride *v, uint32_t *count) {
    int64_t inner = 1, outer = 1;
    *count = 0;
    for (uint32_t d = 0; d < t->rank; d++)
        if (t->dims[d] < 0 || !weft_mul_i64(outer, t->dims[d], &outer)) return false;
    for (uint32_t d = t->rank; d-- > 0;) {
        weft_axes axes = s->dims[d].axes;
        int64_t at, shards = weft_axes_size(axes);
        double span = (double)inner * (double)t->dims[d] / (double)shards;
        if (!weft_mul_i64(inner, weft_ceil_div(t->dims[d], shards), &at)) return false;
        if (t->dims[d]) outer /= t->dims[d];
        for (uint32_t j = axes.n; j-- > 0;) {
            if (*count == MOST_AXES) return false;
            shards /= axes.v[j].size;
            v[*count] = (stride){ .axis = axes.v[j], .elems = at, .span = span, .before = outer * shards,
                                  .dim = t->dims[d], .order = *count };
            ++*count;
            span *= (double)axes.v[j].size;
            if (!weft_mul_i64(at, axes.v[j].size, &at)) return false;
        }
        if (!weft_mul_i64(inner, t->dims[d], &inner)) return false;
    }
    return true;
}

/* Whether the axis just major to last goes on where last ends. */
static bool follows(const stride *major, const stride *last, weft_cut_match match) {
    int64_t reach;
    if (!weft_axis_can_merge(major->axis, last->axis)) return false;
    if (match == WEFT_CUT_EXACTLY) return weft_mul_i64(last->elems, last->axis.size, &reach) && reach == major->elems;
    return last->before == major->before ||
           (last->before == major->before * major->dim && major->axis.size == major->dim);
}

/* The strides, smallest first, parts of an axis that follow each other joined. */
static bool strides_of(const weft_sharding *s, const weft_type *t, weft_cut_match match, stride *v, uint32_t *count) {
    uint32_t n, m = 0;
    if (!list_strides(s, t, v, &n)) return false;
    qsort(v, n, sizeof *v, match == WEFT_CUT_EXACTLY ? by_elems : by_span);
    for (uint32_t i = 0; i < n; i++) {
        stride *last = m ? &v[m - 1] : NULL;
        if (last && follows(&v[i], last, match)) {
            last->axis = weft_axis_merge(v[i].axis, last->axis);
            last->before = weft_min_i64(last->before, v[i].before);
        } else v[m++] = v[i];
    }
    *count = m;
    return true;
}

bool weft_cut_alike(const weft_sharding *a, const weft_type *ta, const weft_sharding *b, const weft_type *tb,
                    weft_cut_match match) {
    stride x[MOST_AXES], y[MOST_AXES];
    uint32_t n, m;
    if (a == b && ta == tb) return true;
    if (a->mesh != b->mesh || !weft_axes_equal(a->replicated, b->replicated) ||
        !weft_axes_equal(a->unreduced, b->unreduced))
        return false;
    if (!weft_type_is_tensor(ta) || !weft_type_is_tensor(tb) || ta->encoding || tb->encoding || a->rank != ta->rank ||
        b->rank != tb->rank)
        return false;
    if (!strides_of(a, ta, match, x, &n) || !strides_of(b, tb, match, y, &m) || n != m) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!weft_axis_equal(x[i].axis, y[i].axis) ||
            (match == WEFT_CUT_EXACTLY ? x[i].elems != y[i].elems : x[i].before != y[i].before))
            return false;
    return true;
}

/* --- groups ------------------------------------------------------------------------------------------------------- */

static uint32_t wide(const weft_type *t, uint32_t first, uint32_t end) {
    uint32_t n = 0;
    for (uint32_t d = first; d < end; d++) n += t->dims[d] != 1;
    return n;
}

uint32_t weft_reshape_groups(const weft_type *in, const weft_type *out, weft_reshape_group *groups) {
    uint32_t i = 0, o = 0, count = 0;
    while (i < in->rank || o < out->rank) {
        weft_reshape_group g = { .in = i, .out = o };
        int64_t a = i < in->rank ? in->dims[i++] : 1, b = o < out->rank ? out->dims[o++] : 1;
        while (a != b && (a < b ? i < in->rank : o < out->rank)) {
            if (a < b) a *= in->dims[i++];
            else b *= out->dims[o++];
        }
        g.in_end = i;
        g.out_end = o;
        g.in_wide = wide(in, g.in, i);
        g.out_wide = wide(out, g.out, o);
        groups[count++] = g;
    }
    return count;
}
