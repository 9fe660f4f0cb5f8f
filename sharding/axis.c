/* axis.c: arithmetic on mesh axes; see axis.h. */
#include "sharding/axis.h"

#include <stdlib.h>

bool weft_axis_overlaps(weft_axis a, weft_axis b) {
    if (a.axis != b.axis) return false;
    return weft_axis_equal(a, b) || (a.pre < weft_axis_next(b) && b.pre < weft_axis_next(a));
}

bool weft_axis_contains(weft_axis a, weft_axis b) {
    return a.axis == b.axis && a.pre <= b.pre && weft_axis_next(a) >= weft_axis_next(b);
}

bool weft_axis_prefix_of(weft_axis a, weft_axis b) { return weft_axis_contains(b, a) && a.pre == b.pre; }
bool weft_axis_suffix_of(weft_axis a, weft_axis b) {
    return weft_axis_contains(b, a) && weft_axis_next(a) == weft_axis_next(b);
}

bool weft_axis_can_coexist(weft_axis a, weft_axis b) {
    if (a.axis != b.axis) return true;
    uint32_t lo = a.pre < b.pre ? a.pre : b.pre, hi = a.pre < b.pre ? b.pre : a.pre;
    uint32_t an = weft_axis_next(a), bn = weft_axis_next(b);
    uint32_t next_lo = an < bn ? an : bn, next_hi = an < bn ? bn : an;
    if (next_lo > hi) return next_lo % hi == 0 && hi % lo == 0 && next_hi % next_lo == 0; /* they overlap */
    return hi % next_lo == 0;                                                            /* the gap between them */
}

bool weft_axis_can_merge(weft_axis major, weft_axis minor) {
    return major.axis == minor.axis && major.size > 1 && minor.size > 1 && weft_axis_next(major) == minor.pre;
}

weft_axis weft_axis_merge(weft_axis major, weft_axis minor) {
    return (weft_axis){ major.axis, major.pre, major.size * minor.size };
}

int weft_axis_compare(weft_axis a, weft_axis b) {
    if (a.axis != b.axis) return a.axis < b.axis ? -1 : 1;
    if (a.pre != b.pre) return a.pre < b.pre ? -1 : 1;
    return a.size == b.size ? 0 : a.size < b.size ? -1 : 1;
}

bool weft_axis_overlap(weft_axis a, weft_axis b, weft_axis *out) {
    if (!weft_axis_overlaps(a, b) || !weft_axis_can_coexist(a, b)) return false;
    uint32_t pre = a.pre > b.pre ? a.pre : b.pre;
    uint32_t an = weft_axis_next(a), bn = weft_axis_next(b);
    *out = (weft_axis){ a.axis, pre, (an < bn ? an : bn) / pre };
    return true;
}

bool weft_axis_prefix_without(weft_axis a, weft_axis b, weft_axis *out) {
    if (!weft_axis_can_coexist(a, b)) return false;
    *out = a;
    if (!weft_axis_overlaps(a, b)) return true;
    if (a.pre >= b.pre) return false;
    out->size = b.pre / a.pre;
    return true;
}

bool weft_axis_suffix_without(weft_axis a, weft_axis b, weft_axis *out) {
    if (!weft_axis_can_coexist(a, b)) return false;
    *out = a;
    if (!weft_axis_overlaps(a, b)) return true;
    uint32_t an = weft_axis_next(a), bn = weft_axis_next(b);
    if (an <= bn) return false;
    *out = (weft_axis){ a.axis, bn, an / bn };
    return true;
}

bool weft_axis_common_prefix(weft_axis a, weft_axis b, weft_axis *out) {
    if (!weft_axis_can_coexist(a, b)) return false;
    if (weft_axis_prefix_of(a, b)) *out = a;
    else if (weft_axis_prefix_of(b, a)) *out = b;
    else return false;
    return true;
}

bool weft_axis_prefix_without_all(weft_axis a, weft_axes b, weft_axis *out) {
    *out = a;
    for (uint32_t i = 0; i < b.n; i++)
        if (out->axis == b.v[i].axis && !weft_axis_prefix_without(*out, b.v[i], out)) return false;
    return true;
}

weft_prefix weft_axes_prefix(weft_axes a, weft_axes b) {
    if (!a.n) return b.n ? WEFT_PREFIX_STRICT : WEFT_PREFIX_EQUAL;
    if (a.n > b.n) return WEFT_PREFIX_NOT;
    for (uint32_t i = 0; i + 1 < a.n; i++)
        if (!weft_axis_equal(a.v[i], b.v[i])) return WEFT_PREFIX_NOT;
    weft_axis last = a.v[a.n - 1], match = b.v[a.n - 1];
    if (a.n == b.n && weft_axis_equal(last, match)) return WEFT_PREFIX_EQUAL;
    return weft_axis_prefix_of(last, match) ? WEFT_PREFIX_STRICT : WEFT_PREFIX_NOT;
}

bool weft_axes_equal(weft_axes a, weft_axes b) {
    if (a.n != b.n) return false;
    for (uint32_t i = 0; i < a.n; i++)
        if (!weft_axis_equal(a.v[i], b.v[i])) return false;
    return true;
}

bool weft_axes_overlap(weft_axes a, weft_axes b) {
    for (uint32_t i = 0; i < a.n; i++)
        for (uint32_t j = 0; j < b.n; j++)
            if (weft_axis_overlaps(a.v[i], b.v[j])) return true;
    return false;
}

int64_t weft_axes_size(weft_axes a) {
    int64_t size = 1;
    for (uint32_t i = 0; i < a.n; i++) size *= a.v[i].size;
    return size;
}

weft_bits weft_axes_mask(weft_axes a) {
    weft_bits mask = 0;
    for (uint32_t i = 0; i < a.n; i++) mask |= weft_bit(a.v[i].axis);
    return mask;
}

void weft_axis_list_set(weft_axis_list *l, weft_axes a) {
    l->full = a.n > WEFT_AXIS_LIST_MAX;
    l->n = l->full ? WEFT_AXIS_LIST_MAX : a.n;
    for (uint32_t i = 0; i < l->n; i++) l->v[i] = a.v[i];
}

void weft_axis_list_push(weft_axis_list *l, weft_axis a) {
    if (l->n == WEFT_AXIS_LIST_MAX) l->full = true;
    else l->v[l->n++] = a;
}

void weft_axis_list_push_merged(weft_axis_list *l, weft_axis a) {
    if (l->n && weft_axis_can_merge(l->v[l->n - 1], a)) l->v[l->n - 1] = weft_axis_merge(l->v[l->n - 1], a);
    else weft_axis_list_push(l, a);
}

void weft_axis_list_append_merged(weft_axis_list *l, weft_axes a) {
    for (uint32_t i = 0; i < a.n; i++) weft_axis_list_push_merged(l, a.v[i]);
}

void weft_axis_list_cut_overlap(weft_axis_list *l, weft_axes other) {
    for (uint32_t i = 0; i < l->n; i++) {
        weft_axis kept;
        if (!weft_axis_prefix_without_all(l->v[i], other, &kept)) {
            l->n = i;
        } else if (!weft_axis_equal(kept, l->v[i])) {
            l->v[i] = kept;
            l->n = i + 1;
        }
    }
}

void weft_axis_list_common_prefix(weft_axis_list *l, weft_axes other) {
    uint32_t i = 0;
    while (i < l->n && i < other.n && weft_axis_equal(l->v[i], other.v[i])) i++;
    if (i < l->n && i < other.n && weft_axis_common_prefix(l->v[i], other.v[i], &l->v[i])) i++;
    l->n = i;
}

static int compare_axes(const void *a, const void *b) {
    return weft_axis_compare(*(const weft_axis *)a, *(const weft_axis *)b);
}

void weft_axis_list_sort_merge(weft_axis_list *l) {
    qsort(l->v, l->n, sizeof l->v[0], compare_axes); /* no equal elements: any sort is stable */
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        if (n && weft_axis_can_merge(l->v[n - 1], l->v[i])) l->v[n - 1] = weft_axis_merge(l->v[n - 1], l->v[i]);
        else l->v[n++] = l->v[i];
    }
    l->n = n;
}

/* The member of sorted b with the smallest pre that overlaps a, or NULL. */
static const weft_axis *first_overlap(weft_axis a, const weft_axis_list *sorted) {
    for (uint32_t i = 0; i < sorted->n; i++)
        if (weft_axis_overlaps(a, sorted->v[i])) return &sorted->v[i];
    return NULL;
}

void weft_axis_list_difference(weft_axis_list *l, weft_axes a, weft_axes b) {
    weft_axis_list sorted;
    weft_axis_list_set(&sorted, b);
    qsort(sorted.v, sorted.n, sizeof sorted.v[0], compare_axes);
    l->n = 0;
    l->full = sorted.full;
    for (uint32_t i = 0; i < a.n; i++) {
        weft_axis rest = a.v[i], part;
        for (;;) {
            const weft_axis *hit = first_overlap(rest, &sorted);
            if (!hit) {
                weft_axis_list_push(l, rest);
                break;
            }
            if (weft_axis_prefix_without(rest, *hit, &part)) weft_axis_list_push(l, part);
            if (!weft_axis_suffix_without(rest, *hit, &rest)) break;
        }
    }
}
