/* gspmd_mesh: see gspmd.h. */
#include <stdio.h>

#include "propagate/gspmd.h"

/* The digits, minor to major, by which places[0 .. n) count, as few as possible; false if they do not. Changes
 * places. */
static bool find_digits(int64_t *places, int64_t n, gspmd_digits *digits, uint32_t *count) {
    if (places[0] != 0) return false;
    for (*count = 0; n > 1;) {
        const int64_t stride = places[1];
        int64_t size = 2;
        if (stride <= 0 || *count == 64) return false;
        while (size < n && places[size] == size * stride) size++;
        if (n % size) return false;
        for (int64_t i = 0; i < n; i++)
            if (places[i] != places[i - i % size] + i % size * stride) return false;
        for (int64_t i = 0; i < n / size; i++) places[i] = places[i * size];
        digits[(*count)++] = (gspmd_digits){ size, stride };
        n /= size;
    }
    return true;
}

/* Adds the cuts of digits to m's, if each then divides the next. m changes only on success. */
static bool add_cuts(gspmd_mesh *m, const gspmd_digits *digits, uint32_t count) {
    gspmd_mesh with = *m;
    for (uint32_t i = 0; i < 2 * count; i++) {
        const int64_t cut = i % 2 ? digits[i / 2].stride * digits[i / 2].size : digits[i / 2].stride;
        uint32_t at = 0;
        while (at < with.cut_count && with.cuts[at] < cut) at++;
        if (at < with.cut_count && with.cuts[at] == cut) continue;
        if (with.cut_count == WEFT_COUNT(with.cuts)) return false;
        memmove(&with.cuts[at + 1], &with.cuts[at], (with.cut_count - at) * sizeof *with.cuts);
        with.cuts[at] = cut;
        with.cut_count++;
        if ((at && cut % with.cuts[at - 1]) || (at + 1 < with.cut_count && with.cuts[at + 1] % cut)) return false;
    }
    *m = with;
    return true;
}

/* Distributes the digits, major to minor, over the dimensions of the grid; false if a dimension would need part of a
 * digit. */
static bool deal(gspmd_meshes *all, gspmd_sharding *s, gspmd_digits *digits, uint32_t count, gspmd_digits *flat,
                 uint32_t *flat_count, weft_status *st) {
    *flat_count = 0;
    for (uint32_t d = 0; d < s->rank; d++) {
        int64_t left = s->dims[d];
        const uint32_t first = *flat_count;
        while (left > 1) {
            gspmd_digits *at = &digits[count - 1];
            if (!count || *flat_count == 64) return false;
            const int64_t size = left % at->size == 0 ? at->size : at->size % left == 0 ? left : 0;
            if (!size) return false;
            at->size /= size;
            flat[(*flat_count)++] = (gspmd_digits){ size, at->stride * at->size };
            left /= size;
            if (at->size == 1) count--;
        }
        s->digit_count[d] = *flat_count - first;
        s->digits[d] = weft_arena_dup(all->arena, flat + first, s->digit_count[d] * sizeof *flat,
                                      _Alignof(gspmd_digits));
        if (!s->digits[d]) return *st = weft_oom(), false;
    }
    return true;
}

/* Whether s can be expressed over m, which then has the axes for it. places and inverse have room for all devices. */
static bool fits(gspmd_meshes *all, gspmd_sharding *s, gspmd_mesh *m, int64_t *places, int64_t *inverse,
                 weft_status *st) {
    gspmd_digits digits[64], flat[64];
    uint32_t count, flat_count;
    if (m->device_count != s->device_count) return false;
    for (int64_t i = 0; m->order && i < m->device_count; i++) inverse[m->order[i]] = i;
    for (int64_t i = 0; i < s->device_count; i++) places[i] = m->order ? inverse[s->devices[i]] : s->devices[i];
    return find_digits(places, s->device_count, digits, &count) && deal(all, s, digits, count, flat, &flat_count, st) &&
        add_cuts(m, flat, flat_count);
}

static gspmd_mesh *add_mesh(gspmd_meshes *all, const int64_t *order, int64_t devices) {
    gspmd_mesh *m = weft_arena_new(all->arena, gspmd_mesh);
    if (!m || !weft_arena_grow(all->arena, (void **)&all->v, &all->cap, all->count + 1, sizeof *all->v)) return NULL;
    *m = (gspmd_mesh){ .order = order, .device_count = devices, .cut_count = devices > 1 ? 2 : 1,
                       .cuts = { 1, devices } };
    return all->v[all->count++] = m;
}

static bool same_axes(const gspmd_mesh *m, const gspmd_sharding *s) {
    bool same = m->axis_count == s->axis_count && !m->order == !s->devices &&
        (!m->order || !memcmp(m->order, s->devices, (size_t)s->device_count * sizeof *m->order));
    for (uint32_t i = 0; same && i < s->axis_count; i++)
        same = m->axes[i].size == s->axes[i].size && weft_str_equal(m->axes[i].name, s->axes[i].name);
    return same;
}

/* Texts that name the same axes have one mesh. */
static weft_status place_named(gspmd_meshes *all, gspmd_sharding *s) {
    for (size_t i = 0; !s->mesh && i < all->count; i++)
        if (all->v[i]->device_count == s->device_count && same_axes(all->v[i], s)) s->mesh = all->v[i];
    if (s->mesh) return WEFT_OK;
    gspmd_mesh *m = add_mesh(all, s->devices, s->device_count);
    if (!m) return weft_oom();
    m->axes = s->axes;
    m->axis_count = s->axis_count;
    m->cut_count = 0;
    for (uint32_t i = s->axis_count; i-- > 0;)
        if (s->axes[i].size > 1) m->cuts[m->cut_count++] = s->axes[i].stride;
    m->cuts[m->cut_count++] = s->device_count;
    s->mesh = m;
    return WEFT_OK;
}

weft_status gspmd_add_alone(gspmd_meshes *all, int64_t device) {
    const int64_t *order = weft_arena_dup(all->arena, &device, sizeof device, _Alignof(int64_t));
    return order && add_mesh(all, order, 1) ? WEFT_OK : weft_oom();
}

/* Tries these orders: those of the existing meshes, then by number, then the grid's own, over which it always
 * fits. */
static weft_status place_grid(gspmd_meshes *all, gspmd_sharding *s) {
    weft_status st = WEFT_OK;
    int64_t *places = weft_arena_array(all->arena, int64_t, s->device_count),
        *inverse = weft_arena_array(all->arena, int64_t, s->device_count);
    if (!places || !inverse) return weft_oom();
    for (size_t i = 0; !s->mesh && st == WEFT_OK && i < all->count; i++)
        if (fits(all, s, all->v[i], places, inverse, &st)) s->mesh = all->v[i];
    const int64_t *const orders[] = { NULL, s->devices };
    for (size_t i = 0; !s->mesh && st == WEFT_OK && i < WEFT_COUNT(orders); i++) {
        gspmd_mesh *m = add_mesh(all, orders[i], s->device_count);
        if (!m) return weft_oom();
        if (fits(all, s, m, places, inverse, &st)) s->mesh = m;
        else all->count--;
    }
    return st;
}

weft_status gspmd_place(gspmd_meshes *all, gspmd_sharding *s) {
    return s->axes ? place_named(all, s) : place_grid(all, s);
}

static weft_name axis_name(weft_context *cx, uint32_t i) {
    char text[32];
    snprintf(text, sizeof text, "axis_%u", i);
    return weft_name_from(cx, text);
}

/* Axis i is the i-th from the major end. Without a name it extends from cuts[k - i] down to the cut before. */
static gspmd_axis axis_of(const gspmd_mesh *m, uint32_t i) {
    const uint32_t n = m->cut_count - 1;
    return m->axes ? m->axes[i] : (gspmd_axis){ { NULL, 0 }, m->cuts[n - i] / m->cuts[n - i - 1], m->cuts[n - i - 1] };
}

static uint32_t axis_count(const gspmd_mesh *m) { return m->axes ? m->axis_count : m->cut_count - 1; }

static weft_name name_of(weft_context *cx, const gspmd_mesh *m, uint32_t i) {
    return m->axes ? weft_name_intern(cx, m->axes[i].name) : axis_name(cx, i);
}

const weft_attr *gspmd_mesh_attr(weft_context *cx, const gspmd_mesh *m) {
    weft_mesh_axis axes[64];
    const uint32_t n = axis_count(m);
    for (uint32_t i = 0; i < n; i++) {
        axes[i] = (weft_mesh_axis){ name_of(cx, m, i), axis_of(m, i).size };
        if (!axes[i].name) return NULL;
    }
    return weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_MESH,
                                            .mesh =
                                                { axes, n, { m->order, m->order ? (uint32_t)m->device_count : 0 } } });
}

/* The axes, and parts of axes, between these two strides; each axis contains both or neither, or is divided
 * by them. */
static uint32_t axes_between(weft_context *cx, const gspmd_mesh *m, int64_t low, int64_t high, weft_axis_ref *refs,
                             uint32_t n, bool *oom) {
    for (uint32_t i = 0; i < axis_count(m) && n < 64; i++) {
        const gspmd_axis axis = axis_of(m, i);
        const int64_t end = axis.stride * axis.size, from = axis.stride > low ? axis.stride : low,
            to = end < high ? end : high;
        if (from >= to) continue;
        const bool whole = from == axis.stride && to == end;
        refs[n++] = (weft_axis_ref){ name_of(cx, m, i), whole ? 0 : end / to, whole ? 0 : to / from };
        *oom |= !refs[n - 1].name;
    }
    return n;
}

uint32_t gspmd_all_axes(weft_context *cx, const gspmd_mesh *m, weft_axis_ref *refs, uint32_t n, bool *oom) {
    return axes_between(cx, m, 1, m->device_count, refs, n, oom);
}

uint32_t gspmd_axes(weft_context *cx, const gspmd_sharding *s, uint32_t d, weft_axis_ref *refs, uint32_t n, bool *oom) {
    for (uint32_t k = 0; k < s->digit_count[d]; k++) {
        const gspmd_digits *at = &s->digits[d][k];
        n = axes_between(cx, s->mesh, at->stride, at->stride * at->size, refs, n, oom);
    }
    return n;
}

/* All digits of these dimensions, each place of the mesh at most once, as ranges of strides from the major end. */
uint32_t gspmd_axes_for(weft_context *cx, const gspmd_sharding *s, gspmd_use use, weft_axis_ref *refs, bool *oom) {
    gspmd_digits all[64];
    uint32_t count = 0, n = 0;
    for (uint32_t d = s->value_rank; d < s->rank; d++)
        for (uint32_t k = 0; s->use[d] == use && k < s->digit_count[d] && count < WEFT_COUNT(all); k++) {
            uint32_t at = count++;
            for (; at && all[at - 1].stride < s->digits[d][k].stride; at--) all[at] = all[at - 1];
            all[at] = s->digits[d][k];
        }
    for (uint32_t i = 0; i < count; i++) {
        const int64_t end = all[i].stride * all[i].size;
        while (i + 1 < count && all[i + 1].stride * all[i + 1].size == all[i].stride) i++;
        n = axes_between(cx, s->mesh, all[i].stride, end, refs, n, oom);
    }
    return n;
}
