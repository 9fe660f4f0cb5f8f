/* Convolutions of every kind against a serial reference: tables of the shapes with code of their own, and random
 * windows whose seed is printed when they fail; WEFT_SEED sets it. */
#include <math.h>
#include <stdio.h>
#include "mlir/read.h"
#include "tests/codegen/walk.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { SPATIAL = 4, RANK = SPATIAL + 2, RANDOM = 400 };

/* Sizes, [0] of lhs and so on; orders: where batch, feature, spatial... of each tensor are. */
typedef struct conv {
    const char *type;
    int n;
    int64_t batch, in, out;                 /* in: lhs features */
    int64_t image[SPATIAL], kernel[SPATIAL], stride[SPATIAL], low[SPATIAL], high[SPATIAL], base[SPATIAL], dilation[SPATIAL];
    int reversed[SPATIAL];
    int64_t feature_groups, batch_groups;
    int order[3][RANK];                     /* where the parts (first, second, spatial 0, ...) lie; all 0: in order */
} conv;

static const conv table[] = {
    { "f32", 2, 2, 3, 5, { 9, 8 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, 1, 1, { { 0, 3, 1, 2 }, { 2, 3, 0, 1 }, { 0, 3, 1, 2 } } },
    { "f32", 2, 2, 3, 5, { 9, 8 }, { 3, 3 }, { 2, 2 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, 1, 1, { { 0 } } },
    { "f32", 2, 2, 32, 32, { 9, 9 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, 32, 1, { { 0, 3, 1, 2 }, { 2, 3, 0, 1 }, { 0, 3, 1, 2 } } },
    { "f32", 2, 2, 16, 32, { 7, 7 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, 4, 1, { { 0, 3, 1, 2 }, { 2, 3, 0, 1 }, { 0, 3, 1, 2 } } },
    /* gradient by the image: holes, a kernel that is turned round or not */
    { "f32", 2, 2, 16, 8, { 5, 5 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 2, 2 }, { 2, 2 }, { 1, 1 }, { 1, 1 }, 1, 1, { { 0, 3, 1, 2 }, { 3, 2, 0, 1 }, { 0, 3, 1, 2 } } },
    { "f32", 2, 2, 16, 8, { 5, 5 }, { 3, 3 }, { 1, 1 }, { 2, 0 }, { 1, 1 }, { 3, 2 }, { 1, 2 }, { 0, 1 }, 4, 1, { { 0 } } },
    /* gradient by the kernel: a kernel as large as the image; batch groups */
    { "f32", 2, 8, 2, 16, { 9, 9 }, { 7, 7 }, { 1, 1 }, { 0, 0 }, { 0, 0 }, { 1, 1 }, { 1, 1 }, { 0 }, 1, 1, { { 3, 0, 1, 2 }, { 0, 3, 1, 2 }, { 2, 3, 0, 1 } } },
    { "f32", 2, 8, 2, 16, { 9, 9 }, { 4, 4 }, { 1, 1 }, { 1, 1 }, { 0, 0 }, { 1, 1 }, { 2, 2 }, { 0 }, 1, 8, { { 3, 0, 1, 2 }, { 0, 3, 1, 2 }, { 2, 3, 0, 1 } } },
    { "f32", 2, 8, 3, 4, { 5, 5 }, { 2, 2 }, { 1, 1 }, { 0, 0 }, { 0, 0 }, { 1, 1 }, { 1, 1 }, { 0 }, 1, 4, { { 0 } } },
    /* negative padding, cut inside a hole; padding far beyond the kernel; all of the image cut away */
    { "f32", 1, 2, 3, 4, { 9 }, { 3 }, { 1 }, { -2 }, { -1 }, { 1 }, { 1 }, { 0 }, 1, 1, { { 0 } } },
    { "f32", 1, 2, 3, 4, { 9 }, { 3 }, { 1 }, { -4 }, { 3 }, { 3 }, { 2 }, { 0 }, 1, 1, { { 0 } } },
    { "f32", 1, 2, 3, 4, { 5 }, { 2 }, { 2 }, { 6 }, { 7 }, { 1 }, { 1 }, { 0 }, 1, 1, { { 0 } } },
    { "f32", 1, 2, 3, 4, { 4 }, { 1 }, { 1 }, { -5 }, { 3 }, { 1 }, { 1 }, { 0 }, 1, 1, { { 0 } } },
    { "f32", 3, 1, 4, 6, { 4, 5, 6 }, { 2, 3, 3 }, { 1, 2, 1 }, { 1, 1, 1 }, { 0, 1, 1 }, { 1, 1, 1 }, { 1, 1, 2 }, { 0 }, 2, 1, { { 0 } } },
    { "f32", 4, 1, 2, 3, { 3, 4, 3, 4 }, { 2, 2, 2, 2 }, { 1, 2, 1, 1 }, { 0, 1, 0, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1, 1 }, { 1, 1, 1, 2 }, { 0 }, 1, 1, { { 0 } } },
    { "f32", 0, 4, 6, 8, { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, 1, 1, { { 0 } } },
    { "f32", 0, 4, 6, 8, { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, 2, 1, { { 1, 0 }, { 0, 1 }, { 1, 0 } } },
    { "bf16", 2, 2, 16, 16, { 8, 8 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, 1, 1, { { 0, 3, 1, 2 }, { 2, 3, 0, 1 }, { 0, 3, 1, 2 } } },
    { "bf16", 2, 2, 16, 8, { 5, 5 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 2, 2 }, { 2, 2 }, { 1, 1 }, { 1, 1 }, 1, 1, { { 0 } } },
    { "bf16", 2, 8, 2, 16, { 9, 9 }, { 7, 7 }, { 1, 1 }, { 0, 0 }, { 0, 0 }, { 1, 1 }, { 1, 1 }, { 0 }, 1, 1, { { 3, 0, 1, 2 }, { 0, 3, 1, 2 }, { 2, 3, 0, 1 } } },
    { "f16", 2, 2, 3, 5, { 9, 8 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, 1, 1, { { 0 } } },
    { "f64", 2, 2, 3, 5, { 9, 8 }, { 3, 3 }, { 2, 1 }, { 1, -1 }, { 1, 1 }, { 1, 2 }, { 1, 2 }, { 0, 1 }, 1, 1, { { 0 } } },
    /* windows that our own product reads out of the image: in panels and in place, of several depths, groups, one feature to a group */
    { "f64", 2, 2, 40, 130, { 9, 8 }, { 3, 3 }, { 1, 2 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, 1, 1, { { 0, 3, 1, 2 }, { 2, 3, 0, 1 }, { 0, 3, 1, 2 } } },
    { "f64", 2, 2, 40, 20, { 9, 8 }, { 3, 3 }, { 1, 1 }, { 1, 2 }, { 1, 0 }, { 1, 1 }, { 2, 1 }, { 1, 0 }, 1, 1, { { 0, 3, 1, 2 }, { 2, 3, 0, 1 }, { 0, 3, 1, 2 } } },
    { "f64", 2, 3, 12, 18, { 9, 9 }, { 3, 2 }, { 2, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, 3, 1, { { 0 } } },
    { "f64", 2, 2, 24, 24, { 9, 9 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, 24, 1, { { 0, 3, 1, 2 }, { 2, 3, 0, 1 }, { 0, 3, 1, 2 } } },
    { "f64", 2, 2, 24, 48, { 9, 9 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, 24, 1, { { 0, 3, 1, 2 }, { 2, 3, 0, 1 }, { 0, 3, 1, 2 } } },
    { "f64", 2, 8, 4, 16, { 9, 9 }, { 7, 7 }, { 1, 1 }, { 0, 0 }, { 0, 0 }, { 1, 1 }, { 1, 1 }, { 0 }, 1, 1, { { 3, 0, 1, 2 }, { 0, 3, 1, 2 }, { 2, 3, 0, 1 } } },
    { "f64", 2, 8, 4, 16, { 9, 9 }, { 4, 4 }, { 1, 1 }, { 1, 1 }, { 0, 0 }, { 1, 1 }, { 2, 2 }, { 0 }, 1, 8, { { 3, 0, 1, 2 }, { 0, 3, 1, 2 }, { 2, 3, 0, 1 } } },
    { "f64", 2, 2, 16, 24, { 5, 5 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 2, 2 }, { 2, 2 }, { 1, 1 }, { 1, 1 }, 1, 1, { { 0, 3, 1, 2 }, { 3, 2, 0, 1 }, { 0, 3, 1, 2 } } },
    { "i64", 3, 2, 8, 17, { 5, 6, 5 }, { 2, 3, 2 }, { 1, 2, 1 }, { 1, 1, 0 }, { 0, 1, 1 }, { 1, 1, 2 }, { 1, 1, 1 }, { 0 }, 1, 1, { { 0, 4, 1, 2, 3 }, { 0 }, { 1, 0, 2, 3, 4 } } },
    { "i32", 2, 2, 4, 6, { 9, 8 }, { 3, 3 }, { 2, 1 }, { 1, -1 }, { 1, 1 }, { 1, 2 }, { 1, 2 }, { 0, 1 }, 2, 1, { { 0 } } },
    { "i8", 2, 4, 3, 6, { 9, 8 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, 1, 2, { { 0 } } },
    { "ui64", 1, 2, 3, 5, { 9 }, { 3 }, { 1 }, { 1 }, { 1 }, { 1 }, { 1 }, { 0 }, 1, 1, { { 0 } } },
    { "complex<f32>", 2, 2, 4, 6, { 7, 6 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, 2, 1, { { 0 } } },
    { "complex<f64>", 1, 2, 3, 5, { 9 }, { 3 }, { 1 }, { 1 }, { 1 }, { 2 }, { 1 }, { 0 }, 1, 1, { { 0 } } },
    /* nothing to sum, nothing to give */
    { "f32", 1, 2, 0, 5, { 9 }, { 3 }, { 1 }, { 1 }, { 1 }, { 1 }, { 1 }, { 0 }, 1, 1, { { 0 } } },
    { "f32", 1, 0, 3, 5, { 9 }, { 3 }, { 1 }, { 1 }, { 1 }, { 1 }, { 1 }, { 0 }, 1, 1, { { 0 } } },
    { "f32", 1, 2, 3, 5, { 2 }, { 3 }, { 1 }, { 0 }, { 0 }, { 1 }, { 1 }, { 0 }, 1, 1, { { 0 } } },
};

static int at(const conv *c, int tensor, int part) {
    const int *o = c->order[tensor];
    bool given = false;
    for (int i = 0; i < c->n + 2; i++) given = given || o[i];
    return given ? o[part] : part;
}

static int64_t windows(const conv *c, int d) {
    int64_t image = c->image[d] ? (c->image[d] - 1) * c->base[d] + 1 : 0, padded = c->low[d] + image + c->high[d];
    int64_t kernel = c->kernel[d] ? (c->kernel[d] - 1) * c->dilation[d] + 1 : 0;
    return padded <= 0 || kernel > padded ? 0 : (padded - kernel) / c->stride[d] + 1;
}

/* Dimensions of a tensor in its own order: lhs [batch, in], rhs [in, out], result [batch, out]. */
static void dims_of(const conv *c, int tensor, int64_t *dims) {
    const int64_t first[3] = { c->batch, c->in / c->feature_groups, c->batch / c->batch_groups }, second[3] = { c->in, c->out, c->out };
    dims[at(c, tensor, 0)] = first[tensor];
    dims[at(c, tensor, 1)] = second[tensor];
    for (int d = 0; d < c->n; d++) dims[at(c, tensor, 2 + d)] = tensor == 0 ? c->image[d] : tensor == 1 ? c->kernel[d] : windows(c, d);
}

static int64_t number(const conv *c, int tensor, int64_t first, int64_t second, const int64_t *spatial) {
    int64_t dims[RANK], index[RANK], n = 0;
    dims_of(c, tensor, dims);
    index[at(c, tensor, 0)] = first;
    index[at(c, tensor, 1)] = second;
    for (int d = 0; d < c->n; d++) index[at(c, tensor, 2 + d)] = spatial[d];
    for (int d = 0; d < c->n + 2; d++) n = n * dims[d] + index[d];
    return n;
}

static bool next(int n, const int64_t *dims, int64_t *i) {
    for (int d = n; d-- > 0; i[d] = 0)
        if (++i[d] < dims[d]) return true;
    return false;
}

typedef struct sum { double re, im; uint64_t bits; double size; } sum;

/* One element: a and b as numbers of the type at p. */
static void add_product(weft_dtype t, const char *a, const char *b, sum *s) {
    if (weft_dtype_is_complex(t)) {
        const weft_dtype part = weft_dtype_part(t);
        const size_t half = weft_dtype_bytes(part);
        double ar = weft_dtype_load(part, a), ai = weft_dtype_load(part, a + half), br = weft_dtype_load(part, b), bi = weft_dtype_load(part, b + half);
        s->re += ar * br - ai * bi;
        s->im += ar * bi + ai * br;
        s->size += fabs(ar * br) + fabs(ai * bi) + fabs(ar * bi) + fabs(ai * br);
    } else if (weft_dtype_is_integer(t)) {
        uint64_t x = 0, y = 0;
        memcpy(&x, a, weft_dtype_bytes(t)), memcpy(&y, b, weft_dtype_bytes(t));
        s->bits += x * y; /* the low bits of the product depend on the low bits of its factors only */
    } else {
        const double p = weft_dtype_load(t, a) * weft_dtype_load(t, b);
        s->re += p;
        s->size += fabs(p);
    }
}

/* Of a zero and b, which may be infinite. */
static void add_zero(weft_dtype t, const char *b, sum *s) {
    if (!weft_dtype_is_integer(t) && !weft_dtype_is_complex(t)) s->re += 0 * weft_dtype_load(t, b);
}

static sum reference(const conv *c, weft_dtype t, const char *lhs, const char *rhs, int64_t batch, int64_t out, const int64_t *y) {
    const int64_t size = (int64_t)weft_dtype_bytes(t), in = c->in / c->feature_groups;
    const int64_t b = batch + out / (c->out / c->batch_groups) * (c->batch / c->batch_groups), f = out / (c->out / c->feature_groups) * in;
    int64_t k[SPATIAL] = { 0 }, x[SPATIAL], turned[SPATIAL];
    sum s = { 0 };
    do {
        bool inside = true;
        for (int d = 0; d < c->n; d++) {
            int64_t p = y[d] * c->stride[d] + k[d] * c->dilation[d] - c->low[d];
            inside = inside && p >= 0 && p % c->base[d] == 0 && p / c->base[d] < c->image[d];
            x[d] = p / c->base[d];
            turned[d] = c->reversed[d] ? c->kernel[d] - 1 - k[d] : k[d];
        }
        for (int64_t i = 0; i < in; i++)
            if (inside) add_product(t, lhs + number(c, 0, b, f + i, x) * size, rhs + number(c, 1, i, out, turned) * size, &s);
            else add_zero(t, rhs + number(c, 1, i, out, turned) * size, &s);
    } while (next(c->n, c->kernel, k));
    return s;
}

static void put_ints(char **p, const char *name, const int64_t *v, int n) {
    *p += sprintf(*p, ", %s = array<i64", name);
    for (int i = 0; i < n; i++) *p += sprintf(*p, "%s %lld", i ? "," : ":", (long long)v[i]);
    *p += sprintf(*p, ">");
}

static void put_type(char **p, const conv *c, int tensor) {
    int64_t dims[RANK];
    dims_of(c, tensor, dims);
    *p += sprintf(*p, "tensor<");
    for (int d = 0; d < c->n + 2; d++) *p += sprintf(*p, "%lldx", (long long)dims[d]);
    *p += sprintf(*p, "%s>", c->type);
}

static void put_order(char **p, const conv *c, int tensor, char first, char second) {
    for (int d = 0; d < c->n + 2; d++) {
        *p += sprintf(*p, "%s", d ? ", " : "[");
        for (int part = 0; part < c->n + 2; part++) {
            if (at(c, tensor, part) != d) continue;
            if (part < 2) *p += sprintf(*p, "%c", part ? second : first);
            else *p += sprintf(*p, "%d", part - 2);
        }
    }
    *p += sprintf(*p, "]");
}

static void text_of(const conv *c, char *p) {
    p += sprintf(p, "func.func @main(%%a: ");
    put_type(&p, c, 0), p += sprintf(p, ", %%b: "), put_type(&p, c, 1), p += sprintf(p, ") -> "), put_type(&p, c, 2);
    p += sprintf(p, " {\n%%r = \"stablehlo.convolution\"(%%a, %%b) <{dimension_numbers = #stablehlo.conv<");
    put_order(&p, c, 0, 'b', 'f'), p += sprintf(p, "x"), put_order(&p, c, 1, 'i', 'o'), p += sprintf(p, "->"), put_order(&p, c, 2, 'b', 'f');
    p += sprintf(p, ">, feature_group_count = %lld : i64, batch_group_count = %lld : i64", (long long)c->feature_groups, (long long)c->batch_groups);
    put_ints(&p, "window_strides", c->stride, c->n), put_ints(&p, "lhs_dilation", c->base, c->n), put_ints(&p, "rhs_dilation", c->dilation, c->n);
    if (c->n) p += sprintf(p, ", window_reversal = array<i1");
    for (int d = 0; d < c->n; d++) p += sprintf(p, "%s %s", d ? "," : ":", c->reversed[d] ? "true" : "false");
    if (c->n) p += sprintf(p, ">, padding = dense<[");
    for (int d = 0; d < c->n; d++) p += sprintf(p, "%s[%lld, %lld]", d ? ", " : "", (long long)c->low[d], (long long)c->high[d]);
    if (c->n) p += sprintf(p, "]> : tensor<%dx2xi64>", c->n);
    p += sprintf(p, "}> : ("), put_type(&p, c, 0), p += sprintf(p, ", "), put_type(&p, c, 1), p += sprintf(p, ") -> "), put_type(&p, c, 2);
    p += sprintf(p, "\nreturn %%r : "), put_type(&p, c, 2), sprintf(p, "\n}\n");
}

/* Floats in [-1, 1] with few bits, integers of all bits. */
static void fill(weft_dtype t, void *p, int64_t bytes, weft_rng *r) {
    const weft_dtype part = weft_dtype_part(t);
    const int64_t size = (int64_t)weft_dtype_bytes(part);
    for (int64_t i = 0; i < bytes; i += size) {
        uint64_t bits = weft_rng_next(r);
        if (weft_dtype_is_integer(t)) memcpy((char *)p + i, &bits, (size_t)size);
        else weft_dtype_store(part, (char *)p + i, (double)weft_rng_range(r, -64, 64) / 64);
    }
}

/* A few elements of floats become infinite. */
static void put_infinities(weft_dtype t, void *p, int64_t bytes, weft_rng *r) {
    const int64_t size = (int64_t)weft_dtype_bytes(t), n = bytes / size;
    for (int64_t i = 0; n && i < 1 + n / 40; i++) weft_dtype_store(t, (char *)p + weft_rng_range(r, 0, n - 1) * size, weft_rng_chance(r, 0.5) ? INFINITY : -INFINITY);
}

static bool same_special(double got, double want) { return isnan(want) ? isnan(got) != 0 : isinf(want) && got == want; }

/* Of the sum of magnitudes: rounding of the sum in f32 or f64, and of the result to its type. */
static double tolerance(weft_dtype t) {
    const weft_dtype part = weft_dtype_part(t);
    return part == WEFT_BF16 ? 1.0 / 256 : part == WEFT_F16 ? 1.0 / 2048 : part == WEFT_F32 ? 4e-7 : 1e-15;
}

static int64_t differing(const conv *c, weft_dtype t, void *const *args, const char *got) {
    int64_t dims[SPATIAL], y[SPATIAL] = { 0 }, bad = 0;
    const weft_dtype part = weft_dtype_part(t);
    const size_t size = weft_dtype_bytes(t);
    for (int d = 0; d < c->n; d++)
        if (!(dims[d] = windows(c, d))) return 0;
    do {
        for (int64_t b = 0; b < c->batch / c->batch_groups; b++)
            for (int64_t o = 0; o < c->out; o++) {
                const char *p = got + (size_t)number(c, 2, b, o, y) * size;
                const sum s = reference(c, t, args[0], args[1], b, o, y);
                const double most = tolerance(t) * s.size;
                if (weft_dtype_is_integer(t)) bad += memcmp(&s.bits, p, size) != 0;
                else bad += !isfinite(s.re) ? !same_special(weft_dtype_load(part, p), s.re) : !(fabs(weft_dtype_load(part, p) - s.re) <= most);
                if (weft_dtype_is_complex(t)) bad += !(fabs(weft_dtype_load(part, p + size / 2) - s.im) <= most);
            }
    } while (next(c->n, dims, y));
    return bad;
}

typedef enum elements { FINITE, INFINITE } elements;

static void check(const conv *c, uint64_t seed, elements e) {
    char text[4096];
    weft_rng r = { seed };
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_executable *x = NULL;
    text_of(c, text);
    weft_status st = weft_read_text(cx, weft_str_from(text), "test", 0, &m);
    if (st == WEFT_OK) st = weft_codegen_compile(cx, m, NULL, &x);
    const weft_diag *d = st == WEFT_OK ? NULL : weft_context_diag(cx, 0);
    ck_assert_msg(st == WEFT_OK, "seed %llu: %s\n%s", (unsigned long long)seed, d ? d->message : "?", text);
    const weft_dtype t = x->args[0].dtype;
    void *args[2] = { walk_buffer((size_t)x->args[0].bytes), walk_buffer((size_t)x->args[1].bytes) };
    void *result = walk_buffer((size_t)x->results[0].bytes);
    for (int i = 0; i < 2; i++) fill(t, args[i], x->args[i].bytes, &r);
    if (e == INFINITE && !weft_dtype_is_integer(t) && !weft_dtype_is_complex(t)) put_infinities(t, args[1], x->args[1].bytes, &r);
    memset(result, 0x55, (size_t)x->results[0].bytes);
    ck_assert_int_eq(walk_run(x, args, &result, NULL), WEFT_OK);
    const int64_t bad = differing(c, t, args, result);
    ck_assert_msg(!bad, "seed %llu: %lld elements differ\n%s", (unsigned long long)seed, (long long)bad, text);
    for (int i = 0; i < 2; i++) free(args[i]);
    free(result);
    weft_executable_free(x);
    weft_module_free(m);
    weft_context_free(cx);
}

START_TEST(test_table) { check(&table[_i], 1, FINITE); }
END_TEST

/* What is outside of the image and in its holes is zero: by an infinite element no number. */
START_TEST(test_infinite) { check(&table[_i], 1, INFINITE); }
END_TEST

static void shuffle(int *v, int n, weft_rng *r) {
    for (int i = 0; i < n; i++) v[i] = i;
    for (int i = n; i > 1; i--) {
        int k = (int)weft_rng_below(r, (uint32_t)i), x = v[i - 1];
        v[i - 1] = v[k], v[k] = x;
    }
}

static conv random_conv(weft_rng *r) {
    static const char *const types[] = { "f32", "f32", "f32", "f32", "bf16", "f16", "f64", "f64", "f64", "i32", "i64", "i8", "complex<f32>" };
    conv c = { .type = types[weft_rng_below(r, WEFT_COUNT(types))], .n = (int)weft_rng_range(r, 0, 3), .feature_groups = 1, .batch_groups = 1 };
    const int64_t groups = weft_rng_chance(r, 0.4) ? weft_rng_range(r, 2, 4) : 1;
    *(weft_rng_chance(r, 0.5) ? &c.feature_groups : &c.batch_groups) = groups;
    c.batch = weft_rng_range(r, 1, 3) * c.batch_groups;
    c.in = weft_rng_range(r, 1, weft_rng_chance(r, 0.2) ? 20 : 4) * c.feature_groups;
    c.out = weft_rng_range(r, 1, weft_rng_chance(r, 0.2) ? 20 : 4) * groups;
    for (int d = 0; d < c.n; d++) {
        c.image[d] = weft_rng_range(r, 1, 9);
        c.kernel[d] = weft_rng_range(r, 1, weft_rng_chance(r, 0.3) ? 7 : 3);
        c.stride[d] = weft_rng_chance(r, 0.3) ? weft_rng_range(r, 2, 3) : 1;
        c.base[d] = weft_rng_chance(r, 0.25) ? weft_rng_range(r, 2, 3) : 1;
        c.dilation[d] = weft_rng_chance(r, 0.25) ? weft_rng_range(r, 2, 3) : 1;
        c.low[d] = weft_rng_range(r, weft_rng_chance(r, 0.2) ? -3 : 0, 3);
        c.high[d] = weft_rng_range(r, weft_rng_chance(r, 0.2) ? -3 : 0, 3);
        c.reversed[d] = weft_rng_chance(r, 0.2);
    }
    for (int i = 0; i < 3; i++) shuffle(c.order[i], c.n + 2, r);
    return c;
}

START_TEST(test_any) {
    const char *text = getenv("WEFT_SEED");
    const uint64_t first = text ? strtoull(text, NULL, 0) : 20261;
    for (uint64_t seed = first; seed < first + (text ? 1 : (uint64_t)weft_test_sample(RANDOM)); seed++) {
        weft_rng r = { seed };
        conv c = random_conv(&r);
        check(&c, seed, FINITE);
        check(&c, seed, INFINITE);
    }
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/convolution");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 600);
    tcase_add_loop_test(tc, test_table, 0, WEFT_COUNT(table));
    tcase_add_loop_test(tc, test_infinite, 0, WEFT_COUNT(table));
    tcase_add_test(tc, test_any);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
