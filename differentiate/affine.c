/* affine.c: see affine.h. */
#include "differentiate/affine.h"

#include "ir/line.h"

static const weft_value *origin(void *user, const weft_value *v) { return gd_origin(user, (weft_value *)v); }

bool gd_disjoint(const gd_range *of, weft_value *v, int64_t size, int64_t dim) {
    const weft_lines in = { .counter = of->counter, .from = of->from, .by = of->by, .trips = of->trips,
                            .origin = origin, .user = of->g };
    weft_line l;
    int64_t last;
    if (!weft_line_of(&in, v, &l) || !weft_line_last(&in, l, &last)) return false;
    const int64_t low = l.by < 0 ? last : l.from, high = l.by < 0 ? l.from : last;
    return (l.by >= size || -l.by >= size) && low >= 0 && high <= dim - size;
}
