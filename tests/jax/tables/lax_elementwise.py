"""jax.lax, element by element: every function, over its domain, in several types."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from cases import bf16, c64, c128, case, f16, f32, f64, i8, i16, i32, i64, maker, pred, u8, u16, u32, u64

inf, nan = np.inf, np.nan
# Without denormals: XLA on the CPU takes them for zero, Weft computes with them as IEEE 754 and the spec say.
SPECIAL = np.array([0.0, -0.0, 1, -1, 0.5, 2, inf, -inf, nan, 3, -3, 1e-37, 3.4e38, -3.4e38, 1e10, -7.5], np.float32)
MAKERS = {'f16': f16, 'f32': f32, 'f64': f64, 'bf16': bf16, 'c64': c64, 'c128': c128, 'i8': i8, 'i16': i16, 'i32': i32, 'i64': i64,
          'u8': u8, 'u16': u16, 'u32': u32, 'u64': u64, 'pred': pred}

REAL, WHOLE, ALL_WHOLE, COMPLEX = 'f32 f64 bf16 f16', 'i32 u8 i64', 'i8 i16 i32 i64 u8 u16 u32 u64', 'c64 c128'

# name, types, where the arguments lie
UNARY = [
    ('abs', REAL + ' i32 i8 c64', -3, 3), ('neg', REAL + ' i32 u32 c64', -3, 3), ('sign', REAL + ' i32 u8 c64', -3, 3),
    ('ceil', REAL, -5, 5), ('floor', REAL, -5, 5), ('round', REAL, -5, 5), ('is_finite', REAL, -3, 3),
    ('exp', REAL + ' c64', -5, 5), ('exp2', 'f32 f64', -5, 5), ('expm1', REAL + ' c64', -3, 3), ('log', REAL + ' c64', 0.01, 9),
    ('log1p', REAL + ' c64', -0.9, 5), ('sqrt', REAL + ' c64 c128', 0, 9), ('rsqrt', REAL + ' c64', 0.1, 9), ('cbrt', 'f32 f64', -9, 9),
    ('sin', REAL + ' c64', -7, 7), ('cos', REAL + ' c64', -7, 7), ('tan', REAL + ' c64', -1.5, 1.5), ('asin', 'f32 f64 c64', -1, 1),
    ('acos', 'f32 f64 c64', -1, 1), ('atan', 'f32 f64 bf16 c64', -5, 5), ('sinh', 'f32 f64 c64', -4, 4), ('cosh', 'f32 f64 c64', -4, 4),
    ('tanh', REAL + ' c64', -4, 4), ('asinh', 'f32 f64 c64', -9, 9), ('acosh', 'f32 f64 c64', 1, 9), ('atanh', 'f32 f64 c64', -0.95, 0.95),
    ('logistic', REAL + ' c64', -6, 6), ('erf', REAL, -3, 3), ('erfc', 'f32 f64 bf16', -3, 3), ('erf_inv', 'f32 f64', -0.99, 0.99),
    ('lgamma', 'f32 f64 bf16', 0.1, 9), ('digamma', 'f32 f64', 0.1, 9), ('bessel_i0e', 'f32 f64', -9, 9), ('bessel_i1e', 'f32 f64', -9, 9),
    ('square', 'f32 i32 c64', -3, 3), ('reciprocal', 'f32 f64 c64', 0.2, 4), ('conj', 'c64 c128', -3, 3), ('real', 'c64 c128', -3, 3),
    ('imag', 'c64 c128', -3, 3), ('bitwise_not', 'pred ' + ALL_WHOLE, 0, 100), ('population_count', ALL_WHOLE, 0, 127),
    ('clz', ALL_WHOLE, 0, 127),
]

# name, types, where the first and the second argument lie
BINARY = [
    ('add', REAL + ' i32 u8 c64', -3, 3, -3, 3), ('sub', REAL + ' i32 u8 c128', -3, 3, -3, 3), ('mul', REAL + ' i32 u8 i64 c64', -3, 3, -3, 3),
    ('div', REAL + ' i32 i8 u32 c64', -9, 9, 1, 5), ('rem', REAL + ' i32 i8 u32', -9, 9, 1, 5), ('max', REAL + ' i32 u8 pred', -3, 3, -3, 3),
    ('min', REAL + ' i32 u8 pred', -3, 3, -3, 3), ('pow', REAL + ' c64', 0.1, 4, -2, 2), ('atan2', 'f32 f64 bf16', -3, 3, -3, 3),
    ('nextafter', 'f32 f64', -3, 3, -3, 3), ('complex', 'f32 f64', -3, 3, -3, 3), ('bitwise_and', 'pred i32 u8 u64', 0, 99, 0, 99),
    ('bitwise_or', 'pred i32 u8 u64', 0, 99, 0, 99), ('bitwise_xor', 'pred i32 u8 u64', 0, 99, 0, 99),
    ('shift_left', 'i32 u8 i64', 0, 99, 0, 9), ('shift_right_logical', 'i32 u8 i64', -99, 99, 0, 9),
    ('shift_right_arithmetic', 'i32 u8 i64', -99, 99, 0, 9), ('eq', 'f32 i32 u8 pred c64', -2, 2, -2, 2), ('ne', 'f32 i32 pred c64', -2, 2, -2, 2),
    ('lt', 'f32 bf16 i32 u32 pred', -2, 2, -2, 2), ('le', 'f32 f64 i8', -2, 2, -2, 2), ('gt', 'f32 f16 u64', -2, 2, -2, 2),
    ('ge', 'f32 i64', -2, 2, -2, 2), ('igamma', 'f32 f64', 0.2, 5, 0.2, 9), ('igammac', 'f32 f64', 0.2, 5, 0.2, 9),
    ('igamma_grad_a', 'f32 f64', 0.2, 5, 0.2, 9), ('random_gamma_grad', 'f32 f64', 0.5, 5, 0.2, 9), ('zeta', 'f32 f64', 1.2, 8, 0.5, 9),
    ('mulhi', 'i32 u32 i64 u64', -9, 9, -9, 9),
]

# Where a few ulp of the function's own approximations meet cancellation, or both sides are approximations of that quality.
LOOSE = {'lgamma': 2e-5, 'digamma': 5e-5, 'erf_inv': 2e-5, 'igamma': 5e-5, 'igammac': 5e-5, 'igamma_grad_a': 2e-4, 'random_gamma_grad': 2e-4, 'zeta': 5e-5,
         'tan': 2e-5, 'pow': 2e-5}


def within(t, lo, hi):
    """lo to hi, less what an unsigned type cannot hold."""
    a = MAKERS[t](4, 7)
    return a.within(max(lo, 0) if t.startswith('u') else lo, hi)


def loose(name, t):
    if name not in LOOSE or t not in ('f32', 'f64'):
        return {}
    return {'rtol': LOOSE[name] if t == 'f32' else LOOSE[name] * 1e-8, 'why': 'series and cancellation on both sides'}


CASES = [case('lax.%s %s' % (name, t), getattr(lax, name), within(t, lo, hi), **loose(name, t)) for name, types, lo, hi in UNARY for t in types.split()]
CASES += [case('lax.%s %s' % (name, t), getattr(lax, name), within(t, a, b), within(t, c, d), **loose(name, t))
          for name, types, a, b, c, d in BINARY for t in types.split()]
CASES += [case('lax.%s special' % name, getattr(lax, name), SPECIAL) for name in
          'abs neg sign ceil floor round is_finite exp expm1 log log1p sqrt rsqrt cbrt tanh logistic erf erfc atan sinh asinh'.split()]
CASES += [case('lax.%s special' % name, lambda x, y, f=getattr(lax, name): f(x, y), *np.broadcast_arrays(SPECIAL[:, None], SPECIAL[None, :]))
          for name in 'add mul div rem max min eq lt ge atan2 pow nextafter'.split()]
CASES += [
    case('lax.div i32 special', lax.div, np.int32([7, -7, 7, -7, 5, -2**31, 0]), np.int32([2, 2, -2, -2, 0, -1, 0])),
    case('lax.rem i32 special', lax.rem, np.int32([7, -7, 7, -7, 5, -2**31, 0]), np.int32([2, 2, -2, -2, 0, -1, 0])),
    case('lax.div u8 by zero', lax.div, np.uint8([7, 0, 255]), np.uint8([0, 0, 2])),
    case('lax.shift_left i32 beyond', lax.shift_left, np.int32([1, 1, -1, 5]), np.int32([31, 32, 33, -1])),
    case('lax.shift_right_arithmetic i32 beyond', lax.shift_right_arithmetic, np.int32([1, -1, -9, 5]), np.int32([31, 32, 100, -1])),
    case('lax.shift_right_logical u8 beyond', lax.shift_right_logical, np.uint8([255, 255, 7]), np.uint8([7, 8, 200])),
    case('lax.abs i8 least', lax.abs, np.int8([-128, 127, 0])),
    case('lax.integer_pow f32', lambda x: [lax.integer_pow(x, n) for n in (-3, -1, 0, 1, 2, 5, 13)], f32(3, 5).within(0.5, 2)),
    case('lax.integer_pow i32', lambda x: [lax.integer_pow(x, n) for n in (0, 1, 2, 5)], i32(3, 5)),
    case('lax.pow f32 to i32', lax.pow, f32(4, 5), np.int32([[0, 1, -2, 3, 4]] * 4)),
    case('lax.round even', lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), np.float32([0.5, 1.5, 2.5, -0.5, -1.5, 2.3, -2.7])),
    case('lax.round away', lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), np.float32([0.5, 1.5, 2.5, -0.5, -1.5, 2.3, -2.7])),
    case('lax.clamp f32', lambda x: lax.clamp(-0.5, x, 0.75), f32(4, 7)),
    case('lax.clamp i32', lax.clamp, i32(6), i32(6), i32(6)),
    case('lax.clamp nan', lambda x: lax.clamp(jnp.float32(-1), x, jnp.float32(1)), SPECIAL),
    case('lax.select f32', lax.select, pred(3, 4), f32(3, 4), f32(3, 4)),
    case('lax.select scalar', lambda p, x, y: lax.select(p[0], x, y), pred(1), f32(3, 4), f32(3, 4)),
    case('lax.select_n many', lambda w, *xs: lax.select_n(w, *xs), np.int32([0, 1, 2, 1, 0]), f32(5), f32(5), f32(5)),
    case('lax.reduce_precision bf16', lambda x: lax.reduce_precision(x, 8, 7), f32(5, 5), exact=True),
    case('lax.reduce_precision f16', lambda x: lax.reduce_precision(x, 5, 10), f32(5, 5).within(-1e5, 1e5), exact=True),
    case('lax.reduce_precision tiny', lambda x: lax.reduce_precision(x, 3, 2), f32(5, 5).within(-20, 20), exact=True),
    case('lax.reduce_precision f64', lambda x: lax.reduce_precision(x, 8, 23), f64(5, 5), exact=True),
    case('lax.reduce_precision special', lambda x: lax.reduce_precision(x, 4, 3), SPECIAL, exact=True),
    case('lax.betainc f32', lax.betainc, f32(9).within(0.5, 4), f32(9).within(0.5, 4), f32(9).within(0.01, 0.99), rtol=5e-5, why='continued fraction'),
    case('lax.betainc f64', lax.betainc, f64(9).within(0.5, 4), f64(9).within(0.5, 4), f64(9).within(0.01, 0.99), rtol=1e-11, why='continued fraction'),
    case('lax.polygamma f32', lax.polygamma, np.float32([0, 1, 2, 3, 4]), f32(5).within(0.5, 6), rtol=5e-5, why='zeta series'),
    case('lax.polygamma f64', lax.polygamma, np.float64([0, 1, 2, 3, 4]), f64(5).within(0.5, 6), rtol=1e-11, why='zeta series'),
    case('lax.lgamma negative', lax.lgamma, f32(30).within(-9.9, 0), rtol=5e-5, why='reflection near zeros of lgamma'),
    case('lax.digamma negative', lax.digamma, f32(30).within(-9.4, 0), rtol=5e-5, why='reflection'),
    case('lax.sin large', lax.sin, f32(40).within(-1e4, 1e4), atol=1e-6, why='absolute: the result crosses zero'),
    case('lax.cos huge', lax.cos, np.float32([1e8, 3e20, 1e30, 3.4e38, -7e15]), atol=1e-6, why='absolute: the result crosses zero'),
    case('lax.exp wide', lax.exp, f32(60).within(-104, 89)),
    case('lax.expm1 small', lax.expm1, np.float32([1e-10, -1e-7, 1e-4, 1e-3, -1e-3]), atol=0, why='relative only'),
    case('lax.log1p small', lax.log1p, np.float32([1e-10, -1e-7, 1e-4, 1e-3, -1e-3]), atol=0, why='relative only'),
    case('lax.tanh small', lax.tanh, np.float32([1e-30, -1e-7, 1e-4, 1e-3, 30, -30]), atol=0, why='relative only'),
    case('lax.nan comparisons', lambda x, y: [x == y, x != y, x < y, x <= y, x > y, x >= y], np.float32([nan, nan, 1, inf]), np.float32([nan, 1, nan, inf])),
    case('lax.min max of nan and zeros', lambda x, y: [lax.max(x, y), lax.min(x, y)], np.float32([nan, 1, 0.0, -0.0, nan]),
         np.float32([1, nan, -0.0, 0.0, nan])),
    case('lax.add weak scalars', lambda x: 2 * x + 1 - x / 3, f32(3, 4)),
    case('lax.population_count full', lax.population_count, u64(9).full()),
    case('lax.clz full', lax.clz, i64(9).full()),
    case('lax.mul u64 full', lax.mul, u64(9).full(), u64(9).full()),
    case('lax.mul i32 overflow', lax.mul, i32(9).full(), i32(9).full()),
    case('lax.div i64 full', lax.div, i64(9).full(), i64(9)),
    case('lax.mulhi full', lambda x, y: lax.mulhi(x, y), u32(20).full(), u32(20).full()),
    case('lax.mulhi i64 full', lambda x, y: lax.mulhi(x, y), i64(20).full(), i64(20).full()),
    case('exp in accuracy mode', lambda x: lax.exp(x, accuracy=lax.AccuracyMode.HIGHEST), f32(9)),
]
