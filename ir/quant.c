/* quant.c: compares, checks and prints quantised element types. */
#include "ir/quant.h"

#include <math.h>
#include <stdio.h>

#include "ir/type.h"

bool weft_quant_is_storage(weft_dtype t) { return weft_dtype_is_integer(t) && weft_dtype_of(t)->bits <= 32; }

static bool is_signed(weft_dtype storage) { return weft_dtype_of(storage)->kind == WEFT_KIND_INT; }

int64_t weft_quant_least(weft_dtype storage) {
    return is_signed(storage) ? -(INT64_C(1) << (weft_dtype_of(storage)->bits - 1)) : 0;
}

int64_t weft_quant_most(weft_dtype storage) {
    return (INT64_C(1) << (weft_dtype_of(storage)->bits - is_signed(storage))) - 1;
}

bool weft_quant_agree(const weft_quant *a, const weft_quant *b) {
    if (!a || !b) return a == b;
    return a->storage == b->storage && a->expressed == b->expressed && a->min == b->min && a->max == b->max &&
           weft_quant_per_axis(a) == weft_quant_per_axis(b);
}

bool weft_quant_equal(const weft_quant *a, const weft_quant *b) {
    if (a == b) return true;
    return a && b && weft_quant_agree(a, b) && a->axis == b->axis && a->count == b->count &&
           (!a->count || (!memcmp(a->scales, b->scales, a->count * sizeof *a->scales) &&
                          !memcmp(a->zero_points, b->zero_points, a->count * sizeof *a->zero_points)));
}

uint64_t weft_quant_hash(const weft_quant *q) {
    uint64_t h = weft_hash_mix(weft_hash_mix(q->storage, q->expressed), (uint64_t)q->min);
    h = weft_hash_mix(weft_hash_mix(h, (uint64_t)q->max), (uint64_t)q->axis);
    for (uint32_t i = 0; i < q->count; i++) {
        uint64_t bits;
        memcpy(&bits, &q->scales[i], sizeof bits);
        h = weft_hash_mix(weft_hash_mix(h, bits), (uint64_t)q->zero_points[i]);
    }
    return h;
}

/* The smallest number over zero of a float type: of the lowest code but zero's. */
static double least_of(weft_dtype t) {
    const uint64_t zero = 0, one = 1;
    double least = weft_dtype_load(t, &zero);
    return least > 0 ? least : weft_dtype_load(t, &one);
}

/* One scale and its zero point. A scale is a number of the expressed type, which zero and infinity are not (C4) to
 * (C7). */
static bool valid_parameter(const weft_quant *q, uint32_t i, char *why, size_t size) {
    double scale = q->scales[i];
    char element[8] = { 0 };
    if (!(scale > 0) || isinf(scale)) {
        snprintf(why, size, "scale %g is not a finite number over 0", scale);
        return false;
    }
    weft_dtype_store(q->expressed, element, scale);
    double rounded = weft_dtype_load(q->expressed, element);
    if (isinf(rounded) || scale < least_of(q->expressed)) {
        snprintf(why, size, "scale %g is out of the range of %s", scale, weft_dtype_of(q->expressed)->name);
        return false;
    }
    if (q->zero_points[i] >= q->min && q->zero_points[i] <= q->max) return true;
    snprintf(why, size, "zero point %lld is not within the storage's %lld to %lld", (long long)q->zero_points[i],
             (long long)q->min, (long long)q->max);
    return false;
}

static bool valid_element(const weft_quant *q, char *why, size_t size) {
    if (!weft_quant_is_storage(q->storage)) {
        snprintf(why, size, "the storage type is not an integer of up to 32 bits");
        return false;
    }
    if (!weft_dtype_is_float(q->expressed)) {
        snprintf(why, size, "the expressed type is not a float");
        return false;
    }
    int64_t least = weft_quant_least(q->storage), most = weft_quant_most(q->storage);
    if (q->min < least || q->max > most || q->min >= q->max) {
        snprintf(why, size, "storage range %lld:%lld is not a rising pair within %lld:%lld of %s", (long long)q->min,
                 (long long)q->max, (long long)least, (long long)most, weft_dtype_of(q->storage)->name);
        return false;
    }
    if (q->axis < WEFT_PER_TENSOR) {
        snprintf(why, size, "quantisation dimension %d is negative", q->axis);
        return false;
    }
    for (uint32_t i = 0; i < q->count; i++)
        if (!valid_parameter(q, i, why, size)) return false;
    return true;
}

bool weft_quant_valid(const weft_quant *q, uint32_t rank, const int64_t *dims, char *why, size_t size) {
    if (!valid_element(q, why, size)) return false;
    if (!dims || !weft_quant_per_axis(q)) return true;
    if ((uint32_t)q->axis >= rank) {
        snprintf(why, size, "quantisation dimension %d does not exist in a tensor of %u dimension%s", q->axis, rank,
                 rank == 1 ? "" : "s");
        return false;
    }
    int64_t d = dims[q->axis];
    if (d == WEFT_DYNAMIC || d == q->count) return true;
    snprintf(why, size, "%u scale%s for dimension %d of size %lld", q->count, q->count == 1 ? "" : "s", q->axis,
             (long long)d);
    return false;
}

static void print_parameter(weft_buf *b, const weft_quant *q, uint32_t i) {
    weft_float_print(b, WEFT_F64, &q->scales[i]);
    if (!q->zero_points[i]) return;
    weft_buf_putc(b, ':');
    weft_buf_i64(b, q->zero_points[i]);
}

void weft_quant_print(weft_buf *b, const weft_quant *q) {
    weft_buf_printf(b, "!quant.uniform<%c%u", is_signed(q->storage) ? 'i' : 'u', weft_dtype_of(q->storage)->bits);
    if (q->min != weft_quant_least(q->storage) || q->max != weft_quant_most(q->storage))
        weft_buf_printf(b, "<%lld:%lld>", (long long)q->min, (long long)q->max);
    weft_buf_printf(b, ":%s", weft_dtype_of(q->expressed)->name);
    if (!weft_quant_per_axis(q)) {
        weft_buf_puts(b, ", ");
        print_parameter(b, q, 0);
    } else {
        weft_buf_printf(b, ":%d, {", q->axis);
        for (uint32_t i = 0; i < q->count; i++) {
            if (i) weft_buf_putc(b, ',');
            print_parameter(b, q, i);
        }
        weft_buf_putc(b, '}');
    }
    weft_buf_putc(b, '>');
}
