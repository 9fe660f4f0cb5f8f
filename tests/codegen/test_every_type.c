/* Every scalar instruction (scalar.def) on every element type (dtypes.def): either the verifier refuses the op, or it
 * compiles, runs and equals a reference in C: integers on 64 bits, floats and complex numbers in long double.
 * Types of up to 8 bits: all pairs of codes; of 16 bits: all codes, where there is one operand; else all pairs of a
 * list of special values. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include "codegen/graph.h"
#include "tests/codegen/elements.h"
#include "tests/support/suite.h"

typedef long double real;
typedef long double complex number;

/* --- integers: bits, sign extended or not ------------------------------------------------------------------------- */

typedef struct whole { uint64_t v; unsigned bits; bool is_signed; } whole;

static int64_t signed_of(uint64_t v, unsigned bits) { return (int64_t)(v << (64 - bits)) >> (64 - bits); }
static bool less(whole a, whole b) { return a.is_signed ? signed_of(a.v, a.bits) < signed_of(b.v, b.bits) : a.v < b.v; }
static bool lowest_by_minus_one(whole a, whole b) {
    return a.is_signed && signed_of(b.v, b.bits) == -1 && signed_of(a.v, a.bits) == INT64_MIN >> (64 - a.bits);
}

static uint64_t w_divide(whole a, whole b) {
    if (!b.v) return UINT64_MAX;
    if (!a.is_signed) return a.v / b.v;
    return lowest_by_minus_one(a, b) ? a.v : (uint64_t)(signed_of(a.v, a.bits) / signed_of(b.v, b.bits));
}
static uint64_t w_remainder(whole a, whole b) {
    if (!b.v) return a.v;
    if (!a.is_signed) return a.v % b.v;
    return lowest_by_minus_one(a, b) ? 0 : (uint64_t)(signed_of(a.v, a.bits) % signed_of(b.v, b.bits));
}
static uint64_t w_power(whole a, whole b) {
    if (b.is_signed && signed_of(b.v, b.bits) < 0) {
        const int64_t base = signed_of(a.v, a.bits);
        return base == 1 || (base == -1 && !(b.v & 1)) ? 1 : base == -1 ? UINT64_MAX : 0;
    }
    uint64_t r = 1, base = a.v;
    for (uint64_t n = b.v; n; n >>= 1, base *= base) r *= n & 1 ? base : 1;
    return r;
}
static uint64_t w_abs(whole a, whole b) { (void)b; return a.is_signed && signed_of(a.v, a.bits) < 0 ? 0 - a.v : a.v; }
static uint64_t w_sign(whole a, whole b) {
    (void)b;
    return !a.v ? 0 : a.is_signed && signed_of(a.v, a.bits) < 0 ? UINT64_MAX : 1;
}
static uint64_t w_zeros(whole a, whole b) {
    (void)b;
    unsigned n = 0;
    while (n < a.bits && !(a.v >> (a.bits - 1 - n) & 1)) n++;
    return n;
}
static uint64_t w_ones(whole a, whole b) {
    (void)b;
    uint64_t n = 0;
    for (unsigned i = 0; i < a.bits; i++) n += a.v >> i & 1;
    return n;
}
static uint64_t w_left(whole a, whole b) { return b.v < a.bits ? a.v << b.v : 0; }
static uint64_t w_right(whole a, whole b) { return b.v < a.bits ? a.v >> b.v : 0; }
static uint64_t w_right_sign(whole a, whole b) {
    return (uint64_t)(signed_of(a.v, a.bits) >> (b.v < a.bits ? b.v : a.bits - 1));
}
static uint64_t w_add(whole a, whole b) { return a.v + b.v; }
static uint64_t w_subtract(whole a, whole b) { return a.v - b.v; }
static uint64_t w_multiply(whole a, whole b) { return a.v * b.v; }
static uint64_t w_negate(whole a, whole b) { (void)b; return 0 - a.v; }
static uint64_t w_not(whole a, whole b) { (void)b; return ~a.v; }
static uint64_t w_and(whole a, whole b) { return a.v & b.v; }
static uint64_t w_or(whole a, whole b) { return a.v | b.v; }
static uint64_t w_xor(whole a, whole b) { return a.v ^ b.v; }
static uint64_t w_maximum(whole a, whole b) { return less(a, b) ? b.v : a.v; }
static uint64_t w_minimum(whole a, whole b) { return less(b, a) ? b.v : a.v; }
static uint64_t w_bool_add(whole a, whole b) { return a.v | b.v; }

/* --- floats ------------------------------------------------------------------------------------------------------- */

static real r_max(real a, real b) { return isnan(a) || isnan(b) ? NAN : a == b ? (signbit(a) ? b : a) : a > b ? a : b; }
static real r_min(real a, real b) { return isnan(a) || isnan(b) ? NAN : a == b ? (signbit(a) ? a : b) : a < b ? a : b; }
static real r_add(real a, real b) { return a + b; }
static real r_subtract(real a, real b) { return a - b; }
static real r_multiply(real a, real b) { return a * b; }
static real r_divide(real a, real b) { return a / b; }
#define ONE(name, value) static real r_##name(real a, real b) { (void)b; return value; }
ONE(abs, fabsl(a)) ONE(cbrt, cbrtl(a)) ONE(ceil, ceill(a)) ONE(cosine, cosl(a)) ONE(exponential, expl(a)) ONE(expm1, expm1l(a)) ONE(floor, floorl(a))
ONE(log, logl(a)) ONE(log1p, log1pl(a)) ONE(logistic, 1 / (1 + expl(-a))) ONE(negate, -a) ONE(round, roundl(a)) ONE(even, rintl(a))
ONE(rsqrt, 1 / sqrtl(a)) ONE(sign, isnan(a) || a == 0 ? a : a > 0 ? 1 : -1) ONE(sine, sinl(a)) ONE(sqrt, sqrtl(a)) ONE(tan, tanl(a)) ONE(tanh, tanhl(a))
ONE(real, a) ONE(imag, 0 * !signbit(a))

/* --- complex numbers ---------------------------------------------------------------------------------------------- */

static number c_of(real re, real im) { return elements_wide_complex(re, im); }
static number c_add(number a, number b) { return a + b; }
static number c_subtract(number a, number b) { return a - b; }
static number c_multiply(number a, number b) {
    return c_of(creall(a) * creall(b) - cimagl(a) * cimagl(b), creall(a) * cimagl(b) + cimagl(a) * creall(b));
}
static number c_divide(number a, number b) { return a / b; }
static number c_power(number a, number b) { return a == 0 ? (b == 0 ? 1 : creall(b) > 0 ? 0 : NAN) : cpowl(a, b); }
static number c_atan2(number a, number b) {
    const number square = a * a + b * b;
    /* either root, on the cut */
    return cimagl(square) == 0 && creall(square) < 0 ? NAN : -I * clogl((b + I * a) / csqrtl(square));
}
static bool c_less(number a, number b) {
    return creall(a) < creall(b) || (creall(a) == creall(b) && cimagl(a) < cimagl(b));
}
static number c_maximum(number a, number b) { return c_less(a, b) ? b : a; }
static number c_minimum(number a, number b) { return c_less(b, a) ? b : a; }
#define COMPLEX_ONE(name, value) static number c_##name(number a, number b) { (void)b; return value; }
COMPLEX_ONE(abs, cabsl(a))
COMPLEX_ONE(cosine, ccosl(a)) COMPLEX_ONE(sine, csinl(a)) COMPLEX_ONE(tan, ctanl(a)) COMPLEX_ONE(tanh, ctanhl(a))
    COMPLEX_ONE(exponential, cexpl(a))
        COMPLEX_ONE(expm1, c_of(expm1l(creall(a)) * cosl(cimagl(a)) - 2 * powl(sinl(cimagl(a) / 2), 2),
                                cimagl(cexpl(a)))) COMPLEX_ONE(log, clogl(a)) COMPLEX_ONE(log1p, clogl(1 + a))
            COMPLEX_ONE(sqrt, csqrtl(a)) COMPLEX_ONE(rsqrt, 1 / csqrtl(a))
                COMPLEX_ONE(cbrt, a == 0 ? 0 : cexpl(clogl(a) / 3)) COMPLEX_ONE(logistic, 1 / (1 + cexpl(-a)))
                    COMPLEX_ONE(negate, -a) COMPLEX_ONE(sign, a == 0 ? a : a / cabsl(a)) COMPLEX_ONE(real, creall(a))
                        COMPLEX_ONE(imag, cimagl(a))

    /* --- the table: what each instruction gives, NULL where the verifier refuses the kind; units in the last place
       allowed  */

    static const struct reference {
    uint64_t (*whole)(whole, whole), (*boolean)(whole, whole);
    real (*real)(real, real);
    number (*number)(number, number);
    double ulps;
} references[CG_OP_COUNT] = {
    [CG_OP_abs] = { w_abs, NULL, r_abs, c_abs, 1 },
    [CG_OP_cbrt] = { NULL, NULL, r_cbrt, c_cbrt, 2 },
    [CG_OP_ceil] = { NULL, NULL, r_ceil, NULL, 0 },
    [CG_OP_cosine] = { NULL, NULL, r_cosine, c_cosine, 2 },
    [CG_OP_count_leading_zeros] = { w_zeros, NULL, NULL, NULL, 0 },
    [CG_OP_exponential] = { NULL, NULL, r_exponential, c_exponential, 2 },
    [CG_OP_exponential_minus_one] = { NULL, NULL, r_expm1, c_expm1, 2 },
    [CG_OP_floor] = { NULL, NULL, r_floor, NULL, 0 },
    [CG_OP_log] = { NULL, NULL, r_log, c_log, 2 },
    [CG_OP_log_plus_one] = { NULL, NULL, r_log1p, c_log1p, 2 },
    [CG_OP_logistic] = { NULL, NULL, r_logistic, c_logistic, 3 },
    [CG_OP_negate] = { w_negate, NULL, r_negate, c_negate, 0 },
    [CG_OP_popcnt] = { w_ones, NULL, NULL, NULL, 0 },
    [CG_OP_round_nearest_afz] = { NULL, NULL, r_round, NULL, 0 },
    [CG_OP_round_nearest_even] = { NULL, NULL, r_even, NULL, 0 },
    [CG_OP_rsqrt] = { NULL, NULL, r_rsqrt, c_rsqrt, 3 },
    [CG_OP_sign] = { w_sign, NULL, r_sign, c_sign, 2 },
    [CG_OP_sine] = { NULL, NULL, r_sine, c_sine, 2 },
    [CG_OP_sqrt] = { NULL, NULL, r_sqrt, c_sqrt, 1 },
    [CG_OP_tan] = { NULL, NULL, r_tan, c_tan, 3 },
    [CG_OP_tanh] = { NULL, NULL, r_tanh, c_tanh, 3 },
    [CG_OP_not] = { w_not, w_not, NULL, NULL, 0 },
    [CG_OP_real] = { NULL, NULL, r_real, c_real, 0 },
    [CG_OP_imag] = { NULL, NULL, r_imag, c_imag, 0 },
    [CG_OP_add] = { w_add, w_bool_add, r_add, c_add, 0.5 },
    [CG_OP_atan2] = { NULL, NULL, atan2l, c_atan2, 8 },
    [CG_OP_divide] = { w_divide, NULL, r_divide, c_divide, 2 },
    [CG_OP_maximum] = { w_maximum, w_maximum, r_max, c_maximum, 0 },
    [CG_OP_minimum] = { w_minimum, w_minimum, r_min, c_minimum, 0 },
    [CG_OP_multiply] = { w_multiply, w_multiply, r_multiply, c_multiply, 0.5 },
    [CG_OP_power] = { w_power, NULL, powl, c_power, 64 },
    [CG_OP_remainder] = { w_remainder, NULL, fmodl, NULL, 0 },
    [CG_OP_shift_left] = { w_left, NULL, NULL, NULL, 0 },
    [CG_OP_shift_right_arithmetic] = { w_right_sign, NULL, NULL, NULL, 0 },
    [CG_OP_shift_right_logical] = { w_right, NULL, NULL, NULL, 0 },
    [CG_OP_subtract] = { w_subtract, w_xor, r_subtract, c_subtract, 0.5 },
    [CG_OP_and] = { w_and, w_and, NULL, NULL, 0 },
    [CG_OP_or] = { w_or, w_or, NULL, NULL, 0 },
    [CG_OP_xor] = { w_xor, w_xor, NULL, NULL, 0 },
};

static const double numbers[] = { 0,     -0.0, 1,  -1,  0.5,  -0.5, 1.5,   -2.5, 2,        3,         -3.25, 0.1,
                                  -0.75, 6,    12, -30, 1e-3, 1e30, -1e30, 3e-5, INFINITY, -INFINITY, NAN };
static const double parts[] = { 0, 1, -1, 0.5, -0.75, 2, -3.25, 1e-3, 12, -0.0 };
static const uint64_t wholes[] = { 0, 1, UINT64_MAX, 2, 3, 7, 5, 8, 31, 32, 63, 64, 0x7f, 0x80, 0x7fff, 0x8000,
                                   INT32_MAX, (uint64_t)1 << 31, INT64_MAX, (uint64_t)1 << 63, 0x123456789abcdef };

enum { MOST = 65536 + 3 };

/* Complex: every number whose parts are of `parts`, each with another one. */
static int64_t fill(weft_dtype t, int arity, void *a, void *b) {
    int64_t n = 0;
    const size_t size = weft_dtype_bytes(t);
    const unsigned bits = weft_dtype_of(t)->bits;
    if (bits <= (arity == 1 ? 16 : 8)) {
        const uint64_t codes = (uint64_t)1 << bits;
        for (uint64_t i = 0; i < codes; i++)
            for (uint64_t j = 0; j < (arity == 1 ? 1 : codes); j++, n++)
                elements_store_bits(t, a, n, i), elements_store_bits(t, b, n, j);
        return n;
    }
    if (weft_dtype_is_complex(t)) {
        const weft_dtype part = weft_dtype_part(t);
        const size_t half = size / 2, k = WEFT_COUNT(parts);
        for (size_t i = 0; i < k * k; i++, n++) {
            weft_dtype_store(part, (char *)a + i * size, parts[i / k]),
                weft_dtype_store(part, (char *)a + i * size + half, parts[i % k]);
            weft_dtype_store(part, (char *)b + i * size, parts[(i * 7 + 3) % k]),
                weft_dtype_store(part, (char *)b + i * size + half, parts[(i / 3 + 5) % k]);
        }
        return n;
    }
    const bool is_float = weft_dtype_is_float(t);
    const size_t k = is_float ? WEFT_COUNT(numbers) : WEFT_COUNT(wholes);
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++, n++) {
            if (is_float)
                weft_dtype_store(t, (char *)a + (size_t)n * size, numbers[i]),
                    weft_dtype_store(t, (char *)b + (size_t)n * size, numbers[j]);
            else elements_store_bits(t, a, n, wholes[i]), elements_store_bits(t, b, n, wholes[j]);
        }
    return n;
}

/* Half the distance to the next number counts as right. Narrow floats are computed as f32 and rounded then. */
static bool near(weft_dtype t, real got, real want, real size, double ulps) {
    uint8_t element[16];
    if (isnan(want) && weft_dtype_is_narrow_float(t) && weft_float_format_of(t)->top == WEFT_TOP_FINITE)
        return got == 0;
    if (isnan(want)) return isnan(got);
    weft_dtype_store(t, element, weft_dtype_is_narrow_float(t) ? (double)(float)want : (double)want);
    const real rounded = weft_dtype_load(t, element);
    if (got == rounded || (isnan(got) && isnan(rounded))) return true;
    /* at the border of overflow */
    if (!isfinite(got) || !isfinite(rounded)) return !isnan(got) && isfinite(got) != isfinite(rounded) && ulps > 0.5;
    const int digits = t == WEFT_F64 ? 52 : t == WEFT_F32 ? 23 : weft_float_format_of(t)->mantissa_bits;
    const int lowest = t == WEFT_F64 ? -1022 : t == WEFT_F32 ? -126 : 1 - weft_float_format_of(t)->bias;
    int e;
    frexpl(fabsl(size), &e);
    const real unit = ldexpl(1, (size == 0 || e - 1 < lowest ? lowest : e - 1) - digits);
    return fabsl(got - want) <= ulps * unit;
}

static void check_whole(cg_op op, weft_dtype t, uint64_t (*f)(whole, whole), const void *a, const void *b,
                        const void *out, int64_t n) {
    const unsigned bits = weft_dtype_of(t)->bits;
    const bool is_signed = weft_dtype_of(t)->kind == WEFT_KIND_INT;
    for (int64_t i = 0; i < n; i++) {
        const whole x = { elements_bits(t, a, i), bits, is_signed }, y = { elements_bits(t, b, i), bits, is_signed };
        const uint64_t want = f(x, y) & UINT64_MAX >> (64 - bits), got = elements_bits(t, out, i);
        ASSERT_EACH(got == want, "%s of %s: %#llx, %#llx gives %#llx, not %#llx", cg_op_table[op].name,
                    weft_dtype_of(t)->name, (unsigned long long)x.v, (unsigned long long)y.v, (unsigned long long)got,
                    (unsigned long long)want);
        if (bits < 8) { /* the byte holds the extended value, so that moving it moves the number */
            uint8_t byte = ((const uint8_t *)out)[i], whole_byte = 0;
            elements_store_bits(t, &whole_byte, 0, want);
            ASSERT_EACH(byte == whole_byte, "%s of %s: byte %#x, not %#x", cg_op_table[op].name, weft_dtype_of(t)->name, byte, whole_byte);
        }
    }
}

static void check_real(cg_op op, weft_dtype t, const void *a, const void *b, const void *out, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        const real x = elements_load(t, a, i).re, y = elements_load(t, b, i).re, got = elements_load(t, out, i).re;
        real want = references[op].real(x, y);
        const bool exact = op == CG_OP_divide || op == CG_OP_abs || op == CG_OP_sign;
        ASSERT_EACH(near(t, got, want, want, exact ? 0.5 : references[op].ulps), "%s of %s: %Lg, %Lg gives %.12Lg, not %.12Lg", cg_op_table[op].name, weft_dtype_of(t)->name, x, y, got, want);
    }
}

/* Parts are right within units of the larger one: what cancels in one part is not asked for here (test_complex.c does).
 */
static void check_complex(cg_op op, weft_dtype t, weft_dtype to, const void *a, const void *b, const void *out,
                          int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        const element_value x = elements_load(t, a, i), y = elements_load(t, b, i), got = elements_load(to, out, i);
        number want = references[op].number(c_of(x.re, x.im), c_of(y.re, y.im));
        /* on the cut */
        if (op == CG_OP_atan2 && fabsl(creall(want)) > 3.14159L && got.re * creall(want) < 0)
            want -= copysignl(2 * acosl(-1), creall(want));
        real size = fmaxl(fabsl(creall(want)), fabsl(cimagl(want)));
        if (op == CG_OP_atan2) size = fmaxl(size, 1); /* a logarithm of a quotient near 1 */
        if (!isfinite(creall(want)) || !isfinite(cimagl(want))) continue;
        const weft_dtype part = weft_dtype_part(to);
        const bool right = near(part, got.re, creall(want), size, references[op].ulps) &&
                           (part == to || near(part, got.im, cimagl(want), size, references[op].ulps));
        ASSERT_EACH(right, "%s of %s: (%Lg, %Lg), (%Lg, %Lg) gives (%.18Lg, %.18Lg), not (%.18Lg, %.18Lg)",
                    cg_op_table[op].name, weft_dtype_of(t)->name, x.re, x.im, y.re, y.im, got.re, got.im, creall(want),
                    cimagl(want));
    }
}

/* A reference for every kind that the verifier lets through, none for what it refuses. */
START_TEST(test_op) {
    const cg_op op = (cg_op)_i;
    const struct reference *r = &references[op];
    if (!r->whole && !r->real && !r->number) return; /* of several types: below, and in test_convert.c */
    char name[64];
    snprintf(name, sizeof name, "stablehlo.%s", cg_op_table[op].name);
    for (int k = 1; k < WEFT_DTYPE_COUNT; k++) {
        const weft_dtype t = (weft_dtype)k,
                         to = op == CG_OP_abs || op == CG_OP_real || op == CG_OP_imag ? weft_dtype_part(t) : t;
        const weft_dtype_kind kind = weft_dtype_of(t)->kind;
        char *a = walk_buffer(MOST * 16), *b = walk_buffer(MOST * 16), *out = walk_buffer(MOST * 16);
        const int64_t n = fill(t, cg_op_table[op].arity, a, b);
        const weft_status st =
            elements_op(name, "", cg_op_table[op].arity, (weft_dtype[]){ t, t }, to, n, (void *[]){ a, b }, out);
        uint64_t (*const whole)(struct whole, struct whole) = kind == WEFT_KIND_BOOL ? r->boolean : r->whole;
        const bool known = kind == WEFT_KIND_FLOAT     ? r->real != NULL
                           : kind == WEFT_KIND_COMPLEX ? r->number != NULL
                                                       : whole != NULL;
        ck_assert_msg((st == WEFT_OK) <= known, "%s of %s is let through", name, weft_dtype_of(t)->name);
        /* the one without a meaning */
        ck_assert_int_eq(st == WEFT_ERR_UNSUPPORTED, op == CG_OP_remainder && kind == WEFT_KIND_COMPLEX);
        if (st == WEFT_OK && kind == WEFT_KIND_FLOAT) check_real(op, t, a, b, out, n);
        else if (st == WEFT_OK && kind == WEFT_KIND_COMPLEX) check_complex(op, t, to, a, b, out, n);
        else if (st == WEFT_OK) check_whole(op, t, whole, a, b, out, n);
        free(a), free(b), free(out);
    }
}
END_TEST

/* --- operands or results of other types --------------------------------------------------------------------------- */

/* The reference for (a, b) as -1, 0, 1; 2 where they have no order. Total: -NaN, -0 and 0, NaN. */
static int order_of(weft_dtype t, const void *a, const void *b, int64_t i, bool total) {
    if (!weft_dtype_is_float(t)) {
        const unsigned bits = weft_dtype_of(t)->bits;
        const bool is_signed = weft_dtype_of(t)->kind == WEFT_KIND_INT;
        const whole x = { elements_bits(t, a, i), bits, is_signed }, y = { elements_bits(t, b, i), bits, is_signed };
        return less(x, y) ? -1 : less(y, x);
    }
    const real x = elements_load(t, a, i).re, y = elements_load(t, b, i).re;
    if (!total) return isnan(x) || isnan(y) ? 2 : x < y ? -1 : x > y;
    if (isnan(x) && isnan(y) && !signbit(x) == !signbit(y)) { /* by what else their bits say */
        const uint64_t p = elements_bits(t, a, i), q = elements_bits(t, b, i);
        return p == q ? 0 : (p < q) == !signbit(x) ? -1 : 1;
    }
    if (isnan(x)) return signbit(x) ? -1 : 1;
    if (isnan(y)) return signbit(y) ? 1 : -1;
    if (x == y) return signbit(x) == signbit(y) ? 0 : signbit(x) ? -1 : 1;
    return x < y ? -1 : 1;
}

static const struct { const char *name; bool on[4]; } directions[] = { /* for -1, 0, 1 and no order */
    { "EQ", { false, true, false, false } }, { "NE", { true, false, true, true } },  { "LT", { true, false, false, false } },
    { "LE", { true, true, false, false } },  { "GT", { false, false, true, false } }, { "GE", { false, true, true, false } },
};

START_TEST(test_compare) {
    const weft_dtype t = (weft_dtype)(_i + 1);
    const weft_dtype_kind kind = weft_dtype_of(t)->kind;
    char *a = walk_buffer(MOST * 16), *b = walk_buffer(MOST * 16), *out = walk_buffer(MOST), attrs[160];
    const int64_t n = fill(t, 2, a, b);
    for (size_t d = 0; d < WEFT_COUNT(directions); d++)
        for (int total = 0; total <= (kind == WEFT_KIND_FLOAT); total++) {
            const char *how = kind == WEFT_KIND_FLOAT || kind == WEFT_KIND_COMPLEX ? total ? "TOTALORDER" : "FLOAT"
                              : kind == WEFT_KIND_INT                              ? "SIGNED"
                                                                                   : "UNSIGNED";
            snprintf(
                attrs, sizeof attrs,
                "<{comparison_direction = #stablehlo<comparison_direction %s>, compare_type = #stablehlo<comparison_type %s>}>",
                directions[d].name, how);
            const weft_status st =
                elements_op("stablehlo.compare", attrs, 2, (weft_dtype[]){ t, t }, WEFT_I1, n, (void *[]){ a, b }, out);
            if (kind == WEFT_KIND_COMPLEX && d > 1) {
                ck_assert_int_ne(st, WEFT_OK);
                continue;
            }
            ck_assert_int_eq(st, WEFT_OK);
            for (int64_t i = 0; i < n; i++) {
                const element_value x = elements_load(t, a, i), y = elements_load(t, b, i);
                const bool want = kind == WEFT_KIND_COMPLEX ? (x.re == y.re && x.im == y.im) == (d == 0)
                                                            : directions[d].on[order_of(t, a, b, i, total) + 1];
                ASSERT_EACH(out[i] == want, "compare %s, %s of %s: %Lg, %Lg gives %d", directions[d].name, how, weft_dtype_of(t)->name, x.re, y.re, out[i]);
            }
        }
    free(a), free(b), free(out);
}
END_TEST

/* select, clamp, is_finite, complex: moved bits, or what other instructions make of them. */
START_TEST(test_mixed) {
    const weft_dtype t = (weft_dtype)(_i + 1);
    const size_t size = weft_dtype_bytes(t);
    const bool is_complex = weft_dtype_is_complex(t);
    char *p = walk_buffer(MOST), *a = walk_buffer(MOST * 16), *b = walk_buffer(MOST * 16),
         *out = walk_buffer(MOST * 16), *want = walk_buffer(MOST * 16);
    const int64_t n = fill(t, 2, a, b);
    for (int64_t i = 0; i < n; i++) p[i] = i % 3 == 1;
    ck_assert_int_eq(elements_op("stablehlo.select", "", 3, (weft_dtype[]){ WEFT_I1, t, t }, t, n,
                                 (void *[]){ p, a, b }, out),
                     WEFT_OK);
    for (int64_t i = 0; i < n; i++) {
        const element_value x = elements_load(t, p[i] ? a : b, i), got = elements_load(t, out, i);
        ASSERT_EACH(!memcmp(out + (size_t)i * size, (p[i] ? a : b) + (size_t)i * size, size) || (isnan(x.re) && isnan(got.re)) || (isnan(x.im) && isnan(got.im)),
                      "select of %s: element %lld", weft_dtype_of(t)->name, (long long)i);
    }
    ck_assert_int_eq(elements_op("stablehlo.clamp", "", 3, (weft_dtype[]){ t, t, t }, t, n, (void *[]){ a, b, a }, out),
                     WEFT_OK);
    ck_assert_int_eq(elements_op("stablehlo.maximum", "", 2, (weft_dtype[]){ t, t }, t, n, (void *[]){ a, b }, want),
                     WEFT_OK);
    ck_assert_int_eq(elements_op("stablehlo.minimum", "", 2, (weft_dtype[]){ t, t }, t, n, (void *[]){ want, a }, want),
                     WEFT_OK);
    for (int64_t i = 0; i < n; i++) {
        const element_value x = elements_load(t, out, i), y = elements_load(t, want, i);
        ASSERT_EACH((x.re == y.re || (isnan(x.re) && isnan(y.re))) && (x.im == y.im || (isnan(x.im) && isnan(y.im))), "clamp of %s: element %lld", weft_dtype_of(t)->name, (long long)i);
    }
    const weft_status st = elements_op("stablehlo.is_finite", "", 1, &t, WEFT_I1, n, (void *[]){ a }, out);
    ck_assert_int_eq(st == WEFT_OK, weft_dtype_is_float(t));
    for (int64_t i = 0; i < n && st == WEFT_OK; i++)
        ASSERT_EACH(out[i] == (isfinite(elements_load(t, a, i).re) != 0), "is_finite of %s: element %lld",
                    weft_dtype_of(t)->name, (long long)i);
    const weft_dtype whole = t == WEFT_F32 ? WEFT_C64 : WEFT_C128;
    const weft_status made =
        is_complex ? WEFT_OK
                   : elements_op("stablehlo.complex", "", 2, (weft_dtype[]){ t, t }, whole, n, (void *[]){ a, b }, out);
    if (!is_complex) ck_assert_int_eq(made == WEFT_OK, t == WEFT_F32 || t == WEFT_F64);
    for (int64_t i = 0; i < n && !is_complex && made == WEFT_OK; i++) {
        ASSERT_EACH(!memcmp(out + (size_t)i * 2 * size, a + (size_t)i * size, size), "the real part of element %lld", (long long)i);
        ASSERT_EACH(!memcmp(out + (size_t)i * 2 * size + size, b + (size_t)i * size, size), "the imaginary part of element %lld", (long long)i);
    }
    free(p), free(a), free(b), free(out), free(want);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/every_type");
    TCase *tc = tcase_create("every_type");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_op, 0, CG_OP_COUNT);
    tcase_add_loop_test(tc, test_compare, 0, WEFT_DTYPE_COUNT - 1);
    tcase_add_loop_test(tc, test_mixed, 0, WEFT_DTYPE_COUNT - 1);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
