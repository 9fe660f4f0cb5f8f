/* chlo_gamma: the logarithm of the gamma function, its derivatives, and the Hurwitz zeta function, in f64.
 *
 * From 2.5 on lgamma and digamma are Stirling's formula, with a polynomial of least error (codegen/coefficients.py) for
 * the remainder after its first terms; around 2 they are polynomials, to which 1/2 to 3/2 is brought by a step of the
 * recurrence; the rest by reflection. M. Abramowitz and I. Stegun, 6.1.17, 6.1.40, 6.3.7, 6.3.18. Values at poles are
 * XLA's: lgamma infinite, digamma NaN. Near the zeros f32 needs all of f64's digits, so there is one polynomial for
 * both.
 */
#include <math.h>
#include "legalize/chlo.h"

#define POLY(g, x, c) lg_polynomial(g, x, c, (uint32_t)WEFT_COUNT(c))

/* lgamma(x) / ((x - 1) (x - 2)) in x - 2, 3/2 <= x <= 5/2; x (lgamma(x) - Stirling's terms) in 1 / x^2, x >= 5/2. */
static const double lgamma_near[] = { 0.422784335098467139,      -0.100317301674353937,    0.0329650006211558675,
                                      -0.0123841921933674236,    0.00499864116469184561,   -0.00210813083422588203,
                                      0.000915376922529724481,   -0.000405707388916123286, 0.000182552631899860311,
                                      -0.0000830952740850132178, 0.0000381689954422134695, -0.0000176601877335370516,
                                      8.22123718698566313e-6,    -3.85634070955059302e-6,  1.81336617626701998e-6,
                                      -8.20836736362693444e-7,   3.86330381041191103e-7,   -2.52606949001668958e-7,
                                      1.22167940279054462e-7 };
static const double lgamma_far[] = { 0.083333333333333331,    -0.00277777777777161248, 0.000793650790933117351,
                                     -0.00059523762038582164, 0.000841707042164948778, -0.00191506113167405471,
                                     0.00631763323767466626,  -0.0270757586737774096,  0.129904113246359294,
                                     -0.5925073219504711,     2.23025314112564567,     -6.12439015021478714,
                                     10.58571996998638,       -8.5208202971268225 };
/* digamma(x) in x - 2; x^2 (log x - 1 / (2x) - digamma(x)) in 1 / x^2; as above. */
static const double digamma_near[] = { 0.422784335098467155,     0.644934066848226639,     -0.202056903159604797,
                                       0.082323233711082224,     -0.0369277551422266096,   0.0173430619888016017,
                                       -0.00834927743006685394,  0.00407735604807174349,   -0.00200839180270862631,
                                       0.000994577871242027605,  -0.000494200962979678269, 0.000246057495260551585,
                                       -0.000122624080053654375, 0.0000614315148977590615, -0.0000309761380630229887,
                                       0.0000146066050311597854, -6.66644676370403542e-6,  5.13416261794312834e-6,
                                       -3.13001019541341229e-6 };
static const double digamma_far[] = { 0.0833333333333333235,   -0.00833333333330333914, 0.00396825395301618503,
                                      -0.00416666359243622331, 0.00757542916440544439,  -0.0210712937184343764,
                                      0.0823891231512128898,   -0.413602047551432884,   2.3501056777522087,
                                      -13.0870723617716815,    62.9873660170557277,     -236.928286357077746,
                                      632.729254073562351,     -1050.59622012572365,    808.592538459038947 };

/* Derived from x, for both functions: */
typedef struct place {
    lg_value reflect;   /* x < 1/2 */
    lg_value y;         /* 1 - x then, else x */
    lg_value step;      /* y < 3/2: its function is that of y + 1 and a term */
    lg_value near, t;   /* y < 5/2, and y or y + 1 less 2 then */
    lg_value inverse;   /* 1 / y */
    lg_value v;         /* its square, at most 0.16 */
    lg_value part;      /* x minus the nearest integer */
} place;

static place find_place(lg *g, lg_value x) {
    place a;
    a.reflect = lg_lt(g, x, lg_const(g, x, 0.5));
    a.y = lg_select(g, a.reflect, lg_sub(g, lg_const(g, x, 1), x), x);
    a.step = lg_lt(g, a.y, lg_const(g, x, 1.5));
    a.near = lg_lt(g, a.y, lg_const(g, x, 2.5));
    a.t = lg_select(g, a.step, lg_add_c(g, a.y, -1), lg_add_c(g, a.y, -2));
    a.inverse = lg_div(g, lg_const(g, x, 1), a.y);
    a.v = lg_min(g, lg_mul(g, a.inverse, a.inverse), lg_const(g, x, 0.16));
    a.part = lg_sub(g, x, lg_unary(g, WEFT_OP_round_nearest_even, x));
    return a;
}

/* Of y >= 1/2. */
static lg_value lgamma_right(lg *g, const place *a) {
    const double half_log_two_pi = 0.918938533204672741780;
    lg_value l = lg_log(g, a->y), t = a->t;
    lg_value near = lg_mul(g, lg_mul(g, t, lg_add_c(g, t, 1)), POLY(g, t, lgamma_near));
    near = lg_sub(g, near, lg_select(g, a->step, l, lg_const(g, l, 0)));
    lg_value rest =
        lg_mul_add(g, a->inverse, POLY(g, a->v, lgamma_far), lg_add_c(g, lg_mul_c(g, l, -0.5), half_log_two_pi));
    lg_value far = lg_mul_add(g, a->y, lg_add_c(g, l, -1), rest);
    return lg_select(g, a->near, near, far);
}

lg_value lg_lgamma(lg *g, const lg_value *x, lg_precision p) {
    (void)p;
    place a = find_place(g, x[0]);
    lg_value right = lgamma_right(g, &a), inf = lg_const(g, x[0], INFINITY);
    /* -log(|sin(pi x)| / pi) - lgamma(1 - x); the quotient is the part itself if that is small, even denormal */
    lg_value size = lg_abs(g, a.part),
             sine = lg_mul_c(g, lg_abs(g, lg_unary(g, WEFT_OP_sine, lg_mul_c(g, a.part, M_PI))), M_1_PI);
    sine = lg_select(g, lg_lt(g, size, lg_const(g, size, 0x1p-30)), size, sine);
    lg_value left = lg_sub(g, lg_neg(g, lg_log(g, sine)), right);
    lg_value y = lg_select(g, a.reflect, left, right);
    lg_value pole = lg_and(g, a.reflect, lg_eq(g, a.part, lg_const(g, y, 0)));
    return lg_select(g, lg_or(g, pole, lg_eq(g, lg_abs(g, x[0]), inf)), inf, y);
}

lg_value lg_digamma(lg *g, const lg_value *x, lg_precision p) {
    (void)p;
    place a = find_place(g, x[0]);
    lg_value zero = lg_const(g, x[0], 0);
    lg_value near = lg_sub(g, POLY(g, a.t, digamma_near), lg_select(g, a.step, a.inverse, zero));
    lg_value rest = lg_mul_add(g, a.v, POLY(g, a.v, digamma_far), lg_mul_c(g, a.inverse, 0.5));
    lg_value right = lg_select(g, a.near, near, lg_sub(g, lg_log(g, a.y), rest));
    /* digamma(1 - x) - pi / tan(pi x) */
    lg_value tangent = lg_unary(g, WEFT_OP_tan, lg_mul_c(g, a.part, M_PI));
    lg_value left = lg_sub(g, right, lg_div(g, lg_const(g, x[0], M_PI), tangent)),
             y = lg_select(g, a.reflect, left, right);
    lg_value floor = lg_unary(g, WEFT_OP_floor, x[0]), pole = lg_and(g, lg_le(g, x[0], zero), lg_eq(g, x[0], floor));
    return lg_select(g, pole, lg_const(g, x[0], NAN), y);
}

/* ---- zeta(s, q) = sum of (q + k)^-s over k >= 0 ----
 *
 * TERMS terms, and the Euler-Maclaurin formula for the others: F. Johansson, Rigorous high-precision computation of the
 * Hurwitz zeta function and its derivatives, 2015, formula 5. Divided by q^-s, so that no term overflows before the sum
 * does. As in XLA, what q <= -TERMS gives is no good: the terms near zero are not among the first. */
enum { TERMS = 10, CORRECTIONS = 12 };

/* |r|^-s, with the sign of r where s is odd. odd is NULL when no r is negative. */
static lg_value term(lg *g, lg_value r, lg_value s, lg_value odd) {
    lg_value y = lg_binary(g, WEFT_OP_power, lg_abs(g, r), lg_neg(g, s));
    return lg_select(g, lg_and(g, odd, lg_lt(g, r, lg_const(g, r, 0))), lg_neg(g, y), y);
}

/* Infinity is not even. */
static lg_value is_odd(lg *g, lg_value whole) {
    lg_value half = lg_mul_c(g, whole, 0.5), infinite = lg_eq(g, half, lg_const(g, half, INFINITY));
    return lg_or(g, infinite, lg_ne(g, half, lg_unary(g, WEFT_OP_floor, half)));
}

/* q^s zeta(s, q) */
static lg_value zeta_over_first(lg *g, lg_value s, lg_value q, lg_value odd) {
    /* B(2j) / (2j)!, highest first */
    static const double bernoulli[CORRECTIONS] = {
        -1.3954464685812523341e-19, 5.5090028283602295153e-18, -2.1748686985580618731e-16, 8.5860620562778445641e-15,
        -3.3896802963225828668e-13, 1.3382536530684678833e-11, -5.2841901386874931848e-10, 2.0876756987868098979e-8,
        -8.2671957671957671958e-7,  3.3068783068783068783e-5,  -1.3888888888888888889e-3,  8.3333333333333333333e-2
    };
    lg_value sum = lg_const(g, s, 1), a = lg_add_c(g, q, TERMS), last = term(g, lg_div(g, a, q), s, odd);
    for (int k = 1; k < TERMS; k++) sum = lg_add(g, sum, term(g, lg_div(g, lg_add_c(g, q, k), q), s, odd));
    lg_value inverse = lg_div(g, lg_const(g, s, 1), lg_mul(g, a, a)), h = lg_const(g, s, bernoulli[0]);
    for (int j = 1; j < CORRECTIONS; j++) { /* (s + 2i - 1) (s + 2i) / a^2 from term i to the one below */
        const int i = CORRECTIONS - j;
        lg_value f = lg_mul(g, lg_mul(g, lg_add_c(g, s, 2 * i - 1), lg_add_c(g, s, 2 * i)), inverse);
        h = lg_mul_add(g, h, f, lg_const(g, s, bernoulli[j]));
    }
    lg_value tail = lg_add(g, lg_div(g, a, lg_add_c(g, s, -1)), lg_add_c(g, lg_mul(g, lg_div(g, s, a), h), 0.5));
    lg_value y, whole = lg_mul_add(g, last, tail, sum),
                tiny = lg_lt(g, lg_abs(g, last), lg_mul_c(g, lg_abs(g, sum), 0x1p-120));
    y = lg_select(g, tiny, sum, whole);
    /* For q > 0 it is at least 1, also if the series for the tail diverges because s is far larger than a. */
    lg_value least = lg_const(g, s, 1), sound = lg_or(g, lg_le(g, q, lg_const(g, q, 0)), lg_ge(g, y, least));
    return lg_select(g, sound, y, least);
}

/* If s < 1, or q <= 0 and s is not an integer: NaN. Infinite at s = 1, and at the poles of an even s; NaN at
 * those of an odd one. */
static lg_value zeta_ends(lg *g, lg_value s, lg_value q, lg_value odd, lg_value y) {
    lg_value nan = lg_const(g, s, NAN), inf = lg_const(g, s, INFINITY), zero = lg_const(g, s, 0),
             one = lg_const(g, s, 1);
    lg_value below = lg_le(g, q, zero),
             fraction = lg_or(g, lg_eq(g, s, inf), lg_ne(g, s, lg_unary(g, WEFT_OP_floor, s)));
    lg_value pole = lg_and(g, below, lg_eq(g, q, lg_unary(g, WEFT_OP_floor, q)));
    /* for infinite s */
    lg_value limit = lg_select(g, lg_lt(g, q, one), inf, lg_select(g, lg_eq(g, q, one), one, zero));
    y = lg_select(g, lg_eq(g, s, inf), limit, y);
    y = lg_select(g, pole, lg_select(g, odd, nan, inf), y);
    y = lg_select(g, lg_or(g, lg_lt(g, s, one), lg_and(g, below, fraction)), nan, y);
    y = lg_select(g, lg_eq(g, s, one), inf, y);
    return lg_select(g, lg_or(g, lg_ne(g, s, s), lg_ne(g, q, q)), nan, y);
}

lg_value lg_zeta(lg *g, const lg_value *x, lg_precision p) {
    (void)p;
    lg_value s = x[0], q = x[1], odd = is_odd(g, s), less = lg_add_c(g, s, -1);
    /* of order s - 1: for large q that is the sum's own order */
    lg_value first = term(g, q, less, lg_unary(g, WEFT_OP_not, odd));
    lg_value y = lg_mul(g, first, lg_div(g, zeta_over_first(g, s, q, odd), q));
    return zeta_ends(g, s, q, odd, y);
}

/* (-1)^(n + 1) n! zeta(n + 1, x): n! times a power of x as one exponential. n = 0: digamma. NaN unless n = 0, 1, 2, ...
 */
lg_value lg_polygamma(lg *g, const lg_value *x, lg_precision p) {
    (void)p;
    lg_value n = x[0], q = x[1], s = lg_add_c(g, n, 1), zero = lg_const(g, n, 0);
    lg_value odd = lg_unary(g, WEFT_OP_not, is_odd(g, n));
    place a = find_place(g, lg_max(g, s, lg_const(g, s, 1)));
    lg_value first = lg_exp(g, lg_sub(g, lgamma_right(g, &a), lg_mul(g, n, lg_log(g, lg_abs(g, q))))); /* n! |q|^-n */
    lg_value flip = lg_or(g, odd, lg_lt(g, q, zero)); /* (-1)^s q^-s = (-1)^s sign(q)^n |q|^-n / q */
    lg_value y = lg_mul(g, first, lg_div(g, zeta_over_first(g, s, q, odd), q));
    y = zeta_ends(g, s, q, odd, lg_select(g, flip, lg_neg(g, y), y));
    y = lg_select(g, lg_eq(g, n, zero), lg_digamma(g, &q, p), y);
    lg_value natural = lg_and(g, lg_ge(g, n, zero), lg_eq(g, n, lg_unary(g, WEFT_OP_floor, n)));
    natural = lg_and(g, natural, lg_lt(g, n, lg_const(g, n, INFINITY)));
    return lg_select(g, natural, y, lg_const(g, n, NAN));
}
