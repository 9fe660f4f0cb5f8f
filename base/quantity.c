/* quantity.c: units and their prefixes. */
#include "base/quantity.h"

#include <string.h>

static const struct { const char *about; double least, most; } quantities[WEFT_QUANTITIES] = {
    [WEFT_RATE] = { "a bandwidth, as 450GB/s or 400Gbit/s", 1, 1e18 },
    [WEFT_TIME] = { "a time, as 2us", 1e-12, 1e3 },
    [WEFT_FLOPS] = { "an arithmetic rate, as 989Tflop/s", 1, 1e18 },
    [WEFT_SIZE] = { "a size, as 80GB", 1, 1e18 },
    [WEFT_NUMBER] = { "a number, as 1.5", 1e-3, 1e8 }, /* what %.9g prints without an exponent */
};

/* Units after their prefix. `by` is the value of one unit. */
static const struct { const char *unit; weft_quantity q; double by; } units[] = {
    { "B/s", WEFT_RATE, 1 }, { "bit/s", WEFT_RATE, 0.125 }, { "flop/s", WEFT_FLOPS, 1 }, { "B", WEFT_SIZE, 1 },
};
static const struct { const char *prefix; double by; } prefixes[] = {
    { "", 1 }, { "k", 1e3 }, { "M", 1e6 }, { "G", 1e9 }, { "T", 1e12 }, { "P", 1e15 },
    { "Ki", 0x1p10 }, { "Mi", 0x1p20 }, { "Gi", 0x1p30 }, { "Ti", 0x1p40 },
};
static const struct {
    const char *unit;
    double by;
} times[] = { { "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 }, { "ns", 1e-9 } };

/* The quantity of a unit, and its value. */
static weft_quantity unit_of(weft_str s, double *by) {
    if (!s.n) return WEFT_NUMBER;
    for (size_t i = 0; i < WEFT_COUNT(times); i++)
        if (weft_str_is(s, times[i].unit)) return *by = times[i].by, WEFT_TIME;
    for (size_t i = 0; i < WEFT_COUNT(prefixes); i++) {
        size_t n = strlen(prefixes[i].prefix);
        if (s.n < n || memcmp(s.p, prefixes[i].prefix, n) != 0) continue;
        weft_str rest = { s.p + n, s.n - n };
        for (size_t k = 0; k < WEFT_COUNT(units); k++)
            if (weft_str_is(rest, units[k].unit)) return *by = prefixes[i].by * units[k].by, units[k].q;
    }
    return WEFT_QUANTITIES;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The number at the beginning of *s, which goes on after it; false: there is none. */
static bool take_number(weft_str *s, double *out) {
    double v = 0, scale = 1;
    size_t i = 0;
    for (; i < s->n && is_digit(s->p[i]); i++) v = v * 10 + (s->p[i] - '0');
    if (i == 0) return false;
    if (i + 1 < s->n && s->p[i] == '.' && is_digit(s->p[i + 1]))
        for (i++; i < s->n && is_digit(s->p[i]); i++) v = v * 10 + (s->p[i] - '0'), scale *= 10;
    *s = (weft_str){ s->p + i, s->n - i };
    *out = v / scale;
    return true;
}

weft_quantity weft_quantity_read(weft_str s, double *out) {
    double v, by = 1;
    if (!take_number(&s, &v)) return WEFT_QUANTITIES;
    weft_quantity q = unit_of(s, &by);
    if (q != WEFT_QUANTITIES) *out = v * by;
    return q;
}

/* The unit of a size at the beginning of *s, which goes on after it; 1 where there is none. */
static double take_size_unit(weft_str *s) {
    static const char alone[] = "KMGT";
    for (size_t i = 0; i < WEFT_COUNT(prefixes); i++) {
        const size_t n = strlen(prefixes[i].prefix);
        if (s->n <= n || memcmp(s->p, prefixes[i].prefix, n) != 0 || s->p[n] != 'B') continue;
        *s = (weft_str){ s->p + n + 1, s->n - n - 1 };
        return prefixes[i].by;
    }
    const char *at = s->n ? memchr(alone, s->p[0], sizeof alone - 1) : NULL;
    if (!at) return 1;
    *s = (weft_str){ s->p + 1, s->n - 1 };
    return (double)((int64_t)1 << 10 * (at - alone + 1));
}

bool weft_size_take(weft_str *s, int64_t *out) {
    weft_str rest = *s;
    double v;
    if (!take_number(&rest, &v)) return false;
    v *= take_size_unit(&rest);
    if (!(v < 0x1p53)) return false;
    *out = (int64_t)v;
    *s = rest;
    return true;
}

bool weft_quantity_fits(weft_quantity q, double v) {
    return (v >= quantities[q].least && v <= quantities[q].most) || (q == WEFT_TIME && v == 0);
}

const char *weft_quantity_about(weft_quantity q) { return quantities[q].about; }

void weft_scaled_print(weft_buf *b, double v, const char *unit) {
    static const struct {
        double at;
        const char *prefix;
    } steps[] = { { 1e15, "P" }, { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" } };
    for (size_t i = 0; i < WEFT_COUNT(steps); i++) {
        if (v < steps[i].at) continue;
        weft_buf_printf(b, "%.9g%s%s", v / steps[i].at, steps[i].prefix, unit);
        return;
    }
    weft_buf_printf(b, "%.9g%s", v, unit);
}

void weft_time_print(weft_buf *b, double s) {
    if (s < 1e-6) weft_buf_printf(b, "%.9gns", s * 1e9);
    else if (s < 1e-3) weft_buf_printf(b, "%.9gus", s * 1e6);
    else weft_buf_printf(b, "%.9gms", s * 1e3);
}
