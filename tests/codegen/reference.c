/* reference.c: see reference.h. */
#include <math.h>
#include "tests/codegen/reference.h"

typedef long double real;
#define PI 3.14159265358979323846264338327950288L

real ref_logistic(real x) { return 1 / (1 + expl(-x)); }
real ref_rsqrt(real x) { return 1 / sqrtl(x); }

real ref_erf_inv(real x) {
    if (!(fabsl(x) < 1)) return fabsl(x) == 1 ? x * HUGE_VALL : (real)NAN;
    if (x == 0) return x;
    const real a = fabsl(x);
    real low = 0, high = 10;
    for (int i = 0; i < 30; i++) {
        const real mid = (low + high) / 2;
        if (a < 0.5L ? erfl(mid) < a : erfcl(mid) > 1 - a) low = mid;
        else high = mid;
    }
    real y = a < 1e-6L ? a * sqrtl(PI) / 2 : (low + high) / 2;
    for (int i = 0; i < 4; i++) {
        const real over = a < 0.5L ? erfl(y) - a : (1 - a) - erfcl(y);
        y -= over * sqrtl(PI) / 2 * expl(y * y);
    }
    return copysignl(y, x);
}

/* sin(pi x) and cos(pi x) of what is left of x beside the nearest whole number. */
static real part_of(real x) { return x - rintl(x); }

/* The zeros beside which relative accuracy counts are where lgammal is good: 1 and 2; between negative whole numbers
 * two nearly equal terms are left, right to 2^-64 of the larger. */
real ref_lgamma(real x) {
    if (isinf(x)) return HUGE_VALL;
    if (x <= 0 && x == floorl(x)) return HUGE_VALL;
    if (x > 0) return lgammal(x);
    return logl(PI / fabsl(sinl(PI * part_of(x)))) - lgammal(1 - x);
}

real ref_digamma(real x) {
    static const real b[] = { 1 / 12.0L, -1 / 120.0L, 1 / 252.0L, -1 / 240.0L, 1 / 132.0L, -691 / 32760.0L, 1 / 12.0L };
    if (isnan(x) || (x <= 0 && x == floorl(x))) return NAN;
    if (x < 0) return ref_digamma(1 - x) - PI / tanl(PI * part_of(x));
    if (isinf(x)) return x;
    real less = 0;
    for (; x < 40; x += 1) less += 1 / x;
    real v = 1 / (x * x), tail = 0;
    for (int i = 6; i >= 0; i--) tail = (tail + b[i]) * v;
    return logl(x) - 1 / (2 * x) - tail - less;
}

/* Euler and Maclaurin, 60 terms before. */
real ref_zeta(real s, real q) {
    static const real b[] = { 1 / 6.0L,       -1 / 30.0L, 1 / 42.0L,      -1 / 30.0L,     5 / 66.0L,
                              -691 / 2730.0L, 7 / 6.0L,   -3617 / 510.0L, 43867 / 798.0L, -174611 / 330.0L };
    if (isnan(s) || isnan(q) || s < 1 || (q <= 0 && s != floorl(s))) return s == 1 && !isnan(q) ? HUGE_VALL : (real)NAN;
    if (s == 1) return HUGE_VALL;
    if (q <= 0 && q == floorl(q)) return fmodl(s, 2) == 0 ? HUGE_VALL : (real)NAN;
    if (isinf(q)) return 0;
    if (isinf(s) && q < 0) return NAN; /* two terms of any sign may be the largest */
    real sum = 0, lost = 0; /* A. Neumaier's: large terms of both signs may cancel */
    for (int k = 0; k < 60; k++) {
        const real t = powl(q + k, -s), next = sum + t;
        lost += fabsl(sum) >= fabsl(t) ? sum - next + t : t - next + sum;
        sum = next;
    }
    if (isfinite(sum)) sum += lost;
    const real a = q + 60, last = powl(a, -s);
    if (last < 1e-40L * fabsl(sum) || last == 0) return sum;
    real f = s / a / 2, tail = a / (s - 1) + 0.5L;
    for (int j = 1; j <= 10; j++) {
        tail += b[j - 1] * f;
        f *= (s + 2 * j - 1) * (s + 2 * j) / ((2 * j + 1) * (2 * j + 2) * a * a);
    }
    return sum + last * tail;
}

real ref_polygamma(real n, real x) {
    if (isnan(n) || isnan(x) || n < 0 || n != floorl(n) || isinf(n)) return NAN;
    if (n == 0) return ref_digamma(x);
    if (x <= 0 && x == floorl(x)) return fmodl(n, 2) == 0 ? (real)NAN : HUGE_VALL;
    const real z = ref_zeta(n + 1, x),
               y = n > 1500 ? (z == 0 ? 0 : expl(lgammal(n + 1) + logl(fabsl(z)))) : tgammal(n + 1) * z;
    if (z == 0 && !isinf(x)) { /* beyond long double's range: the first term decides */
        const real first = expl(lgammal(n + 1) - (n + 1) * logl(fabsl(x)));
        return fmodl(n, 2) == 0 ? -first : first;
    }
    return fmodl(n, 2) == 0 ? -y : y;
}

real ref_bessel_i1e(real x) {
    const real a = fabsl(x);
    if (isinf(x)) return copysignl(0, x);
    if (!(a > 30)) {
        real term = a / 2, sum = term;
        for (int k = 1; term > sum * 1e-22L; k++) sum += term *= a * a / 4 / k / (k + 1);
        return copysignl(expl(-a) * sum, x);
    }
    real term = 1, sum = 1; /* Abramowitz and Stegun, 9.7.1 */
    for (int k = 1; k < 40 && fabsl(term) > 1e-22L; k++)
        sum += term *= -(4 - (2.0L * k - 1) * (2.0L * k - 1)) / (k * 8 * a);
    return copysignl(sum / sqrtl(2 * PI * a), x);
}
