/* conv_zeros.c: see conv_zeros.h.
 *
 * r runs over the places of the result, t over those of rhs; together they say where lhs is read. All three are numbers
 * with a digit for each spatial dimension. Of the features, `kept` are those that rhs and the result share, in all
 * groups.
 */
#include "exec/kernels/conv_zeros.h"

/* of a tensor: its first spatial dimension, and their product */
typedef struct side { uint32_t first; int64_t places; } side;

static side side_of(const weft_conv_task *c, uint32_t i) {
    side s = { c->tensors[i].rank - c->spatial, 1 };
    for (uint32_t d = 0; d < c->spatial; d++) s.places *= c->tensors[i].dims[s.first + d];
    return s;
}

static void digits(const weft_conv_task *c, uint32_t i, int64_t place, int64_t *out) {
    const uint32_t first = c->tensors[i].rank - c->spatial;
    for (uint32_t d = c->spatial; d-- > 0; place /= c->tensors[i].dims[first + d])
        out[d] = place % c->tensors[i].dims[first + d];
}

static bool reads_zero(const weft_conv_task *c, uint32_t d, int64_t r, int64_t t) {
    const int64_t size = c->tensors[0].dims[2 + d];
    if (c->kind == WEFT_CONV_DATA) {
        const int64_t at = r + c->low[d] - t * c->dilation[d];
        return at < 0 || at % c->stride[d] || at / c->stride[d] >= size;
    }
    const int64_t at = (c->kind == WEFT_CONV_FORWARD ? r : t) * c->stride[d] +
                       (c->kind == WEFT_CONV_FORWARD ? t : r) * c->dilation[d] - c->low[d];
    return at < 0 || at >= size;
}

/* How many of the places t along d read a zero for r. */
static int64_t zeros_along(const weft_conv_task *c, uint32_t d, int64_t r) {
    int64_t n = 0, size = c->tensors[1].dims[side_of(c, 1).first + d];
    for (int64_t t = 0; t < size; t++) n += reads_zero(c, d, r, t);
    return n;
}

static int64_t offset_at(const weft_conv_task *c, uint32_t i, const int64_t *place) {
    const weft_conv_tensor *t = &c->tensors[i];
    int64_t at = t->offset;
    for (uint32_t d = 0; d < c->spatial; d++) at += place[d] * t->strides[t->rank - c->spatial + d];
    return at;
}

/* A tensor's dimensions besides places: the kept features, as groups of a number each, and what it has of its own. */
typedef struct plane { int64_t groups, kept, own, group_stride, kept_stride, own_stride; } plane;

static plane plane_of(const weft_conv_task *c, uint32_t i) {
    const weft_conv_tensor *t = &c->tensors[i], *kernel = &c->tensors[c->kind == WEFT_CONV_WEIGHTS ? 2 : 1];
    const int64_t groups = kernel->dims[0], kept = kernel->dims[c->kind == WEFT_CONV_DATA ? 2 : 1];
    if (t == kernel) {
        const uint32_t k = c->kind == WEFT_CONV_DATA ? 2 : 1, own = 3 - k;
        return (plane){ groups, kept, t->dims[own], t->strides[0], t->strides[k], t->strides[own] };
    }
    return (plane){ groups, kept, t->dims[0], kept * t->strides[1], t->strides[1], t->strides[0] };
}

static bool is_finite(const void *p, int64_t at, weft_dtype type) {
    return type == WEFT_BF16 ? (((const uint16_t *)p)[at] & 0x7f80) != 0x7f80
                             : (((const uint32_t *)p)[at] & 0x7f800000) != 0x7f800000;
}

static void put_nan(void *p, int64_t at, weft_dtype type) {
    if (type == WEFT_BF16) ((uint16_t *)p)[at] = 0x7fc0;
    else ((uint32_t *)p)[at] = 0x7fc00000;
}

int64_t weft_conv_zeros_room(const weft_conv_task *c) {
    const side result = side_of(c, 2), rhs = side_of(c, 1);
    const plane p = plane_of(c, 1);
    bool any = false;
    for (uint32_t d = 0; d < c->spatial; d++)
        for (int64_t r = 0; r < c->tensors[2].dims[result.first + d] && !any; r++) any = zeros_along(c, d, r) > 0;
    return any ? rhs.places * p.groups * p.kept : 0;
}

/* A place of the result whose windows are all of real elements. */
static bool find_whole(const weft_conv_task *c, int64_t *place) {
    const side result = side_of(c, 2);
    for (uint32_t d = 0; d < c->spatial; d++) {
        const int64_t size = c->tensors[2].dims[result.first + d];
        place[d] = 0;
        while (place[d] < size && zeros_along(c, d, place[d])) place[d]++;
        if (place[d] == size) return false;
    }
    return true;
}

/* What is infinite in rhs is so in every result that meets it over what is no zero. */
static bool all_finite_there(const weft_conv_task *c, const void *result, const int64_t *place) {
    const plane p = plane_of(c, 2);
    const int64_t base = offset_at(c, 2, place);
    for (int64_t g = 0; g < p.groups; g++)
        for (int64_t k = 0; k < p.kept; k++)
            if (!is_finite(result, base + g * p.group_stride + k * p.kept_stride, c->result)) return false;
    return true;
}

/* room[(t * groups + g) * kept + k]: whether rhs has anything there that is not finite. Returns whether it has
 * anywhere. */
static bool look_through(const weft_conv_task *c, const void *rhs, uint8_t *room) {
    const plane p = plane_of(c, 1);
    const int64_t places = side_of(c, 1).places;
    int64_t place[WEFT_CONV_SPATIAL];
    bool any = false;
    for (int64_t t = 0; t < places; t++) {
        digits(c, 1, t, place);
        const int64_t base = offset_at(c, 1, place);
        for (int64_t f = 0; f < p.groups * p.kept; f++) {
            const int64_t at = base + f / p.kept * p.group_stride + f % p.kept * p.kept_stride;
            bool found = false;
            for (int64_t o = 0; o < p.own && !found; o++) found = !is_finite(rhs, at + o * p.own_stride, c->dtype);
            room[t * p.groups * p.kept + f] = found;
            any |= found;
        }
    }
    return any;
}

static void spoil(const weft_conv_task *c, void *result, const int64_t *place, const uint8_t *which) {
    const plane p = plane_of(c, 2);
    const int64_t base = offset_at(c, 2, place);
    for (int64_t f = 0; f < p.groups * p.kept; f++)
        for (int64_t o = 0; which[f] && o < p.own; o++)
            put_nan(result, base + f / p.kept * p.group_stride + f % p.kept * p.kept_stride + o * p.own_stride,
                    c->result);
}

void weft_conv_zeros(const weft_conv_task *c, void *const *buffers, uint8_t *room) {
    const plane p = plane_of(c, 1);
    const int64_t results = side_of(c, 2).places, places = side_of(c, 1).places;
    int64_t at[WEFT_CONV_SPATIAL], t_at[WEFT_CONV_SPATIAL];
    if (find_whole(c, at) && all_finite_there(c, buffers[2], at)) return;
    if (!look_through(c, buffers[1], room)) return;
    for (int64_t r = 0; r < results; r++) {
        digits(c, 2, r, at);
        for (int64_t t = 0; t < places; t++) {
            bool zero = false;
            digits(c, 1, t, t_at);
            for (uint32_t d = 0; d < c->spatial && !zero; d++) zero = reads_zero(c, d, at[d], t_at[d]);
            if (zero) spoil(c, buffers[2], at, room + t * p.groups * p.kept);
        }
    }
}
