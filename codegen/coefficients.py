"""coefficients.py: where the polynomials of codegen/emit_math*.c, legalize/chlo_*.c and differentiate/chlo.c come from.

For each table: the polynomial of least maximal error (Remez' exchange algorithm, as in J.-M. Muller, Elementary Functions,
3rd edition, 3.6) of the function named, over the interval named, in 60 digits; lowest power first. The weight says what
the error is measured in. Prints a C array and the error reached. Needs mpmath; part of no build:

    python3 codegen/coefficients.py [NAME...]
"""
import sys
import mpmath as mp

mp.mp.dps = 60


def remez(f, lo, hi, degree, weight=lambda x: mp.mpf(1), grid=600):
    """Coefficients c[0..degree] that minimise max |weight (f - p)| over [lo, hi], and that maximum."""
    lo, hi = mp.mpf(lo), mp.mpf(hi)
    n = degree + 2
    cheb = lambda k, m: (lo + hi) / 2 - (hi - lo) / 2 * mp.cos(mp.pi * k / m)
    xs = [cheb(k, grid) for k in range(grid + 1)]
    fs = [f(x) for x in xs]
    ws = [max(abs(weight(x)), mp.mpf(10) ** -6) for x in xs]
    at = [round(k * grid / (n - 1)) for k in range(n)]
    for _ in range(40):
        a = mp.matrix(n, n)
        b = mp.matrix(n, 1)
        for row, i in enumerate(at):
            for k in range(degree + 1):
                a[row, k] = xs[i] ** k
            a[row, degree + 1] = (-1) ** row / ws[i]
            b[row] = fs[i]
        s = mp.lu_solve(a, b)
        c = [s[k] for k in range(degree + 1)]
        e = [w * (y - mp.polyval(c[::-1], x)) for x, y, w in zip(xs, fs, ws)]
        peaks = []
        for i in range(grid + 1):  # of each stretch of one sign, the largest
            if peaks and mp.sign(e[i]) == mp.sign(e[peaks[-1]]):
                if abs(e[i]) > abs(e[peaks[-1]]):
                    peaks[-1] = i
            else:
                peaks.append(i)
        while len(peaks) > n:
            peaks.pop(0 if abs(e[peaks[0]]) < abs(e[peaks[-1]]) else -1)
        worst = max(abs(v) for v in e)
        if len(peaks) < n or peaks == at:
            break
        at = peaks
    return c, worst


def tail(f, z0, terms):
    """f(z) by its own formula, or by its series near 0, where the formula cancels."""
    return lambda z: f(z) if abs(z) > z0 else mp.polyval(terms[::-1], z)


def odd(f, at, n):  # (f(x) - x) / x^3 in z = x^2; at: the coefficients of x^3, x^5, ...
    def g(z):
        if z < mp.mpf(10) ** -12:
            return mp.polyval([at(k) for k in range(n)][::-1], z)
        x = mp.sqrt(z)
        return (f(x) - x) / (x * z)
    return g


LN2 = mp.log(2)
TABLES = {}


def table(name, f, lo, hi, degree, weight=lambda x: mp.mpf(1)):
    TABLES[name] = (f, lo, hi, degree, weight)


def exp_tail(r):
    return mp.mpf(1) / 2 + r / 6 if abs(r) < mp.mpf(10) ** -20 else (mp.expm1(r) - r) / r ** 2


def log_tail(f):
    return mp.mpf(1) / 3 - f / 4 if abs(f) < mp.mpf(10) ** -15 else (mp.log1p(f) - f + f * f / 2) / f ** 3


table("exp_f32", exp_tail, -LN2 / 2 * 1.001, LN2 / 2 * 1.001, 5, lambda r: r * r / mp.expm1(r) if r else r)
table("exp_f64", exp_tail, -LN2 / 2 * 1.001, LN2 / 2 * 1.001, 10, lambda r: r * r / mp.expm1(r) if r else r)
table("log_f32", log_tail, mp.sqrt(0.5) - 1, mp.sqrt(2) - 1, 8, lambda f: f ** 3 / mp.log1p(f) if f else f)
SQ = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * 1.001
table("log_f64", tail(lambda z: (2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 2) / z, 1e-12, [mp.mpf(2) / 3, mp.mpf(2) / 5, mp.mpf(2) / 7]), 0, SQ, 6)
table("log_pow", tail(lambda z: (2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 2 - 2 * z / 3) / z ** 2, 1e-9, [mp.mpf(2) / 5, mp.mpf(2) / 7, mp.mpf(2) / 9]), 0, SQ, 6)
table("log2_f32", tail(lambda z: (2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z)) / LN2, 1e-14, [2 / LN2, 2 / LN2 / 3]), 0, SQ, 4)
table("exp2_f32", lambda r: 2 ** r, -0.5, 0.5, 6, lambda r: 2 ** -r)
table("tanh_f32", odd(mp.tanh, lambda k: [mp.mpf(-1) / 3, mp.mpf(2) / 15, mp.mpf(-17) / 315][k], 3), 0, 0.625 ** 2, 5)
P4 = (mp.pi / 4 * 1.001) ** 2
table("sin_f32", odd(mp.sin, lambda k: (-1) ** (k + 1) / mp.factorial(2 * k + 3), 4), 0, P4, 2)
table("sin_f64", odd(mp.sin, lambda k: (-1) ** (k + 1) / mp.factorial(2 * k + 3), 4), 0, P4, 5)
cos_tail = tail(lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z ** 2, 1e-9, [1 / mp.factorial(4), -1 / mp.factorial(6), 1 / mp.factorial(8), -1 / mp.factorial(10)])
table("cos_f32", cos_tail, 0, P4, 2)
table("cos_f64", cos_tail, 0, P4, 5)
atan_odd = odd(mp.atan, lambda k: mp.mpf((-1) ** (k + 1)) / (2 * k + 3), 6)
atan_weight = lambda z: z * mp.sqrt(z) / mp.atan(mp.sqrt(z)) if z else z
table("atan_f32", atan_odd, 0, 1, 8, atan_weight)
table("atan_f64", atan_odd, 0, (mp.sqrt(2) - 1) ** 2 * 1.001, 10, atan_weight)
table("asin_f32", odd(mp.asin, lambda k: [mp.mpf(1) / 6, mp.mpf(3) / 40, mp.mpf(15) / 336, mp.mpf(105) / 3456][k], 4), 0, 0.5625 ** 2, 5)


# legalize/: functions of one variable that are flat over their interval, so that the error is relative to them
def flat(name, f, lo, hi, degree):
    table(name, f, lo, hi, degree, lambda x: 1 / f(x))


erf_tail = tail(lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1, mp.mpf(10) ** -40, [2 / mp.sqrt(mp.pi) - 1])
for kind, degree in (("short", 7), ("full", 11)):
    table("erf_near_" + kind, erf_tail, 0, 1.25**2 if kind == "short" else 1, degree)
table("erf_far_short", lambda t: mp.erfc(t + 2.6), -1.36, 1.36, 13)
ERFC_K = 4
x_of_t = lambda t: ERFC_K * (1 + t) / (1 - t)  # t = (x - K) / (x + K)
t_of_x = lambda x: (mp.mpf(x) - ERFC_K) / (mp.mpf(x) + ERFC_K)
erfcx_flat = lambda t: mp.erfc(x_of_t(t)) * mp.exp(x_of_t(t) ** 2) * (x_of_t(t) + ERFC_K)
flat("erfc_short", erfcx_flat, t_of_x(0.5), t_of_x(10.1), 10)
flat("erfc_full", erfcx_flat, t_of_x(0.5), t_of_x(27.3), 20)


def erf_inv_of(w):  # erf_inv(x) / x where w = -log(1 - x^2)
    if w < mp.mpf(10) ** -25:
        return mp.sqrt(mp.pi) / 2
    x = mp.sqrt(-mp.expm1(-w))
    y = mp.erfinv(x) if w < 5 else None
    if y is None:  # Newton's method on log erfc, which does not cancel near 1
        rest = mp.exp(-w) / (1 + x)
        y = mp.sqrt(-mp.log(rest))
        for _ in range(60):
            e = mp.erfc(y)
            step = (mp.log(e) - mp.log(rest)) * e * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
            y += step
            if abs(step) < mp.mpf(10) ** -50:
                break
    return y / x


flat("erf_inv_near_short", lambda t: erf_inv_of(t + 3), -3, 3, 10)
flat("erf_inv_far_short", lambda t: erf_inv_of((t + 3.25) ** 2), -0.801, 0.85, 8)
flat("erf_inv_near_full", lambda t: erf_inv_of(t + 3), -3, 3, 21)
flat("erf_inv_middle_full", lambda t: erf_inv_of((t + 3.25) ** 2), -0.801, 0.85, 19)
flat("erf_inv_far_full", lambda t: erf_inv_of((t + 5.1) ** 2), -1.01, 1.01, 17)


def lgamma_near(t):  # lgamma(x) / ((x - 1) (x - 2)), x = t + 2
    t = t if abs(t) > mp.mpf(10) ** -25 else mp.mpf(10) ** -25
    return mp.loggamma(2 + t).real / ((1 + t) * t)


def stirling_rest(v):  # x (lgamma(x) - its first terms), v = 1 / x^2
    if v < mp.mpf(10) ** -14:
        return mp.mpf(1) / 12 - v / 360
    x = 1 / mp.sqrt(v)
    return x * (mp.loggamma(x).real - ((x - 0.5) * mp.log(x) - x + mp.log(2 * mp.pi) / 2))


def digamma_rest(v):  # x^2 (log x - 1 / (2x) - digamma(x)), v = 1 / x^2
    if v < mp.mpf(10) ** -14:
        return mp.mpf(1) / 12 - v / 120
    x = 1 / mp.sqrt(v)
    return (mp.log(x) - 1 / (2 * x) - mp.digamma(x)) / v


flat("lgamma_near", lgamma_near, -0.5, 0.5, 18)
flat("lgamma_far", stirling_rest, 0, 0.16, 13)
flat("digamma_near", lambda t: mp.digamma(2 + t), -0.5, 0.5, 18)
flat("digamma_far", digamma_rest, 0, 0.16, 14)


def i1e_near(t):  # e^-x I1(x) / x, x = 4 + 4t
    x = 4 + 4 * t
    return mp.exp(-x) * (mp.besseli(1, x) / x if x > 1e-20 else mp.mpf(1) / 2)


def i1e_far(t):  # e^-x sqrt(x) I1(x), 8 / x = (1 + t) / 2
    u = (1 + t) / 16
    if u < 1e-6:
        return (1 - 3 * u / 8 - 15 * u * u / 128 - 105 * u ** 3 / 1024) / mp.sqrt(2 * mp.pi)
    return mp.exp(-1 / u) * mp.besseli(1, 1 / u) / mp.sqrt(u)


for kind, a, b in (("short", 18, 6), ("full", 30, 20)):
    flat("i1e_near_" + kind, i1e_near, -1, 1, a)
    flat("i1e_far_" + kind, i1e_far, -1, 1, b)

def i1e_slope(x):
    return mp.exp(-x) * (mp.besseli(0, x) - mp.besseli(1, x) * (1 + 1 / x)) if x > 1e-20 else mp.mpf(1) / 2


def i1e_slope_far(t):  # x^(3/2) (e^-x I1(x))', 8 / x = (1 + t) / 2
    u = (1 + t) / 16
    if u < 1e-6:
        return (mp.mpf(-1) / 2 + 9 * u / 16 + 75 * u * u / 256 + 735 * u ** 3 / 2048) / mp.sqrt(2 * mp.pi)
    return i1e_slope(1 / u) / u ** mp.mpf(1.5)


flat("i1e_slope_near", lambda t: i1e_slope(4 + 4 * t), -1, 1, 30)
flat("i1e_slope_far", i1e_slope_far, -1, 1, 26)

if __name__ == "__main__":
    for name in sys.argv[1:] or TABLES:
        f, lo, hi, degree, weight = TABLES[name]
        c, worst = remez(f, lo, hi, degree, weight)
        print("/* %s: error %s */" % (name, mp.nstr(worst, 3)))
        print("{ " + ", ".join(mp.nstr(v, 18) for v in c) + " }", flush=True)
