"""Element-wise ops of every type at every kind of value. Floats are measured against NumPy in the next wider type, at most two
units in the last place off; integers, comparisons, conversions must be right to the last bit."""
import ml_dtypes
import numpy as np

import cases

from . import bodies
from .draw import ALL, COMPLEX, F8, FLOATS, INTS, SIGNED, UNSIGNED, WIDE, dtype, is_complex, is_float, specials


def bits(el):
    return int(ml_dtypes.iinfo(dtype(el)).bits)


def wider(a, el):
    """Floats in the type in which the truth is computed."""
    return a.astype(np.longdouble if el == 'f64' else np.float64)


def rounded(x, el):
    """Once, to nearest even."""
    if el == 'bf16':
        x = x.astype(np.float64)
        with np.errstate(all='ignore'):
            f = x.astype(np.float32)
            lost = (f.astype(np.float64) != x) & np.isfinite(f) & np.isfinite(x)
            down = np.where(lost & (np.abs(f) > np.abs(x)), np.nextafter(f, np.float32(0)), f)     # towards zero, then odd: a second rounding does no harm
            f = np.where(lost, (down.view(np.uint32) | 1).view(np.float32), f)
            return f.astype(dtype(el))
    return x.astype(dtype(el))


def ulps(n, el):
    """n units in the last place of what is wanted."""
    i = ml_dtypes.finfo(dtype(el))
    step, least = float(i.eps), float(i.smallest_subnormal)

    def slack(want):
        m = np.abs(want)
        with np.errstate(all='ignore'):
            e = np.floor(np.log2(np.where(m > 0, m, 1)))
            return n * np.maximum(np.where(np.isfinite(m), step * np.exp2(e), 0), least)
    return slack


def logistic(x):
    return 1 / (1 + np.exp(-x))


def round_afz(x):
    return np.where(np.abs(x - np.trunc(x)) == 0.5, np.trunc(x) + np.sign(x), np.copysign(np.rint(x), x))


def sign(x):
    return np.where((x == 0) | np.isnan(x), x, np.sign(x))


def maximum(a, b):
    return np.where((a == 0) & (b == 0), np.where(np.signbit(a), b, a), np.maximum(a, b))


def minimum(a, b):
    return -maximum(-a, -b)


def remainder(a, b):
    return np.fmod(a, b)


def power(a, b):
    return np.power(a, b)


# name: (function of NumPy, units in the last place of f32; None: exact)
UNARY = {'abs': (np.abs, None), 'ceil': (np.ceil, None), 'floor': (np.floor, None), 'negate': (np.negative, None), 'round_nearest_even': (np.rint, None),
         'round_nearest_afz': (round_afz, None), 'sign': (sign, None), 'sqrt': (np.sqrt, 1), 'cbrt': (np.cbrt, 2), 'cosine': (np.cos, 2), 'sine': (np.sin, 2), 'tan': (np.tan, 2),
         'exponential': (np.exp, 2), 'exponential_minus_one': (np.expm1, 2), 'log': (np.log, 2), 'log_plus_one': (np.log1p, 2), 'logistic': (logistic, 2),
         'rsqrt': (lambda x: 1 / np.sqrt(x), 2), 'tanh': (np.tanh, 2)}
CHLO = {'acos': np.arccos, 'acosh': np.arccosh, 'asin': np.arcsin, 'asinh': np.arcsinh, 'atan': np.arctan, 'atanh': np.arctanh, 'cosh': np.cosh, 'sinh': np.sinh, 'square': np.square, 'tan': np.tan}
BINARY = {'add': (np.add, None), 'subtract': (np.subtract, None), 'multiply': (np.multiply, None), 'divide': (np.divide, 1), 'maximum': (maximum, None), 'minimum': (minimum, None),
          'remainder': (remainder, None), 'power': (power, 2), 'atan2': (np.arctan2, 2)}


def operand(p, el, shape):
    return p.arg(el, shape, p.pick(('any', 'any', 'special', 'unit')))


def near(el, units):
    """As many units where they are defined; what is rounded from a wider type is off by one at most."""
    if units is None:
        return None
    return ulps(units if el == 'f32' else 4 if el == 'f64' else 1, el)


def unary(p):
    el, shape = p.pick(FLOATS + WIDE * 3), p.shape(0, 3)
    name = p.pick(list(UNARY))
    x = operand(p, el, shape)
    f, units = UNARY[name]
    p.give(p.op('stablehlo.' + name, [x], [(el, shape)]), rounded(f(wider(p.known[x.name], el)), el), near(el, units))


def chlo(p):
    el, shape = p.pick(WIDE), p.shape(0, 3)
    name = p.pick(list(CHLO))
    x = operand(p, el, shape)
    p.give(p.op('chlo.' + name, [x], [(el, shape)]), rounded(CHLO[name](wider(p.known[x.name], el)), el), near(el, 4))


def binary(p):
    el, shape = p.pick(FLOATS + WIDE * 3), p.shape(0, 3)
    name = p.pick(list(BINARY))
    x, y = operand(p, el, shape), operand(p, el, shape)
    f, units = BINARY[name]
    a, b = p.known[x.name], p.known[y.name]
    exact = el in ('f32', 'f64') and units is None
    p.give(p.op('stablehlo.' + name, [x, y], [(el, shape)]), f(a, b).astype(dtype(el)) if exact else rounded(f(wider(a, el), wider(b, el)), el), near(el, units))


def quotient(a, b):
    """Towards zero; by zero, all bits set; the smallest by -1, itself."""
    q = abs(a) // abs(b) if b else 0
    return -1 if b == 0 else q if (a < 0) == (b < 0) else -q


def rest(a, b):
    return a if b == 0 else a - b * quotient(a, b)


def raised(a, b, n):
    if b >= 0:
        return pow(a, b, 1 << n)
    return 1 if a == 1 else (1 if b % 2 == 0 else -1) if a == -1 else 0 if a else -1 if a == 0 and b < 0 else 0


INTEGER = {'add': lambda a, b, n: a + b, 'subtract': lambda a, b, n: a - b, 'multiply': lambda a, b, n: a * b, 'divide': lambda a, b, n: quotient(a, b), 'remainder': lambda a, b, n: rest(a, b),
           'maximum': lambda a, b, n: max(a, b), 'minimum': lambda a, b, n: min(a, b), 'and': lambda a, b, n: a & b, 'or': lambda a, b, n: a | b, 'xor': lambda a, b, n: a ^ b,
           'shift_left': lambda a, b, n: a << b if 0 <= b < n else 0, 'shift_right_arithmetic': lambda a, b, n: (signed(a, n) >> (b if 0 <= b < n else n)),
           'shift_right_logical': lambda a, b, n: (a % (1 << n)) >> b if 0 <= b < n else 0}


def signed(a, n):
    a %= 1 << n
    return a - (1 << n) if a >> (n - 1) else a


def wrapped(values, el):
    n = bits(el)
    return [signed(int(v), n) if el in SIGNED else int(v) % (1 << n) for v in values]


def integer(p):
    """All of them in Python's integers."""
    el, shape = p.pick(INTS), p.shape(0, 3, most=3000)
    name = p.pick(list(INTEGER))
    x, y = operand(p, el, shape), p.arg(el, shape, 'any' if 'shift' not in name or p.chance(0.3) else min(bits(el) + 1, int(ml_dtypes.iinfo(dtype(el)).max)))
    a, b = [p.known[v.name].astype(object if el.endswith('64') else np.int64).ravel().tolist() for v in (x, y)]
    want = np.array(wrapped([INTEGER[name](int(i), int(j), bits(el)) for i, j in zip(a, b)], el), dtype=object)
    want = (want.astype(np.uint64 if el == 'ui64' else np.int64) if want.size else np.zeros(0, np.int64)).astype(dtype(el)).reshape(shape)
    p.give(p.op('stablehlo.' + name, [x, y], [(el, shape)]), want)


def integer_unary(p):
    el, shape = p.pick(INTS), p.shape(0, 3, most=3000)
    name = p.pick(('negate', 'not', 'popcnt', 'count_leading_zeros') + (('abs', 'sign') if el in SIGNED else ()))
    x, n = operand(p, el, shape), bits(el)
    f = {'negate': lambda a: -a, 'not': lambda a: ~a, 'popcnt': lambda a: (a % (1 << n)).bit_count(), 'count_leading_zeros': lambda a: n - (a % (1 << n)).bit_length(), 'abs': abs,
         'sign': lambda a: (a > 0) - (a < 0)}[name]
    want = np.array(wrapped([f(int(i)) for i in p.known[x.name].ravel()], el), dtype=object)
    want = (want.astype(np.uint64 if el == 'ui64' else np.int64) if want.size else np.zeros(0, np.int64)).astype(dtype(el)).reshape(shape)
    p.give(p.op('stablehlo.' + name, [x], [(el, shape)]), want)


def compare(p):
    el, shape = p.pick(ALL), p.shape(0, 3)
    direction = p.pick(('EQ', 'NE') if is_complex(el) else ('EQ', 'NE', 'LT', 'LE', 'GT', 'GE'))
    x = operand(p, el, shape)
    y = operand(p, el, shape)
    a, b = p.known[x.name], p.known[y.name]
    kind = None
    if is_float(el) and p.chance(0.4) and el in WIDE:
        from .reductions import ordered
        kind, a, b = 'TOTALORDER', ordered(a, False), ordered(b, False)
    elif a.dtype.kind == 'V':
        a, b = a.astype(np.float32 if is_float(el) else np.int32), b.astype(np.float32 if is_float(el) else np.int32)
    f = {'EQ': np.equal, 'NE': np.not_equal, 'LT': np.less, 'LE': np.less_equal, 'GT': np.greater, 'GE': np.greater_equal}[direction]
    p.give(bodies.compare(p, direction, x, y, kind), f(a, b))


def clamp(p):
    el, shape = p.pick([e for e in ALL if not is_complex(e)]), p.shape(0, 3)
    x = operand(p, el, shape)
    lo, hi = (operand(p, el, shape if p.chance(0.5) else ()) for _ in range(2))
    if is_float(el):
        a, l, h = (wider(p.known[v.name], el) for v in (x, lo, hi))
        want = minimum(maximum(l, a), h)
    else:
        a, l, h = (p.known[v.name] for v in (x, lo, hi))
        if a.dtype.kind in 'Vb':
            a, l, h = (v.astype(np.int8) for v in (a, l, h))
        want = np.minimum(np.maximum(l, a), h)
    p.give(p.op('stablehlo.clamp', [lo, x, hi], [(el, shape)]), want.astype(dtype(el)), 0)     # which of two zeros is not said


def convert(p):
    """Integers wrap, floats are cut to integers where these hold them, and rounded once to floats."""
    a, b = p.pick(ALL), p.pick(ALL)
    shape = p.shape(0, 3)
    x = operand(p, a, shape)
    v = p.known[x.name]
    want = converted(v, a, b)
    p.give(p.op('stablehlo.convert', [x], [(b, shape)]), want)


def converted(v, a, b):
    if is_complex(a):
        if is_complex(b):
            return v.astype(dtype(b))
        v, a = v.real, a[8:-1]
    if is_complex(b):
        return converted(v, a, b[8:-1]).astype(dtype(b))
    if b == 'i1':
        return (v.astype(np.float64) if is_float(a) else v.astype(np.int64) if a != 'ui64' else v) != 0
    if is_float(b):
        if is_float(a) or a == 'i1':
            return rounded(wider(v.astype(np.int8) if a == 'i1' else v, a), b) if not (a == 'f64' and b in WIDE and b != 'bf16') else v.astype(dtype(b))
        v = v.astype(np.uint64 if a[0] == 'u' else np.int64)
        if b in ('f32', 'f64'):
            return v.astype(dtype(b))
        return rounded(odd(v), b)
    if is_float(a):
        i, w = ml_dtypes.iinfo(dtype(b)), v.astype(np.float64)
        lo, hi = int(i.min), int(i.max)
        return np.array([0 if np.isnan(f) else lo if f <= lo else hi if f >= hi else int(f) for f in w.ravel()], dtype=object).astype(np.uint64 if lo == 0 else np.int64).astype(dtype(b)).reshape(v.shape) if v.size else np.zeros(v.shape, dtype(b))
    if a == 'i1':
        return np.where(v, 1, 0).astype(dtype(b)) if b not in ('i2',) else np.where(v, 1, 0).astype(np.int8).astype(dtype(b))
    w = np.array(wrapped([int(n) for n in v.ravel()], b), dtype=object)
    return (w.astype(np.uint64 if b[0] == 'u' else np.int64) if w.size else np.zeros(0, np.int64)).astype(dtype(b)).reshape(v.shape)


def odd(v):
    """Integers as f64 whose last bit tells that more was lost."""
    f = v.astype(np.float64)
    exact = np.array([int(a) == int(b) for a, b in zip(v.ravel(), f.ravel())], bool).reshape(v.shape)
    grew = np.array([abs(int(b)) > abs(int(a)) for a, b in zip(v.ravel(), f.ravel())], bool).reshape(v.shape)
    down = np.where(grew, np.nextafter(f, 0), f)
    return np.where(exact, f, (down.view(np.uint64) | 1).view(np.float64))


def reduce_precision(p):
    el, shape = p.pick(('f32', 'f64', 'bf16', 'f16')), p.shape(0, 3)
    x = operand(p, el, shape)
    e, m = p.int(1, 11), p.pick((0, 1, 2, 3, 7, 10, 23, 30, 52))
    p.give(p.op('stablehlo.reduce_precision', [x], [(el, shape)], 'exponent_bits = %d : i32, mantissa_bits = %d : i32' % (e, m)))


def is_finite(p):
    el, shape = p.pick(FLOATS), p.shape(0, 3)
    x = operand(p, el, shape)
    p.give(p.op('stablehlo.is_finite', [x], [('i1', shape)]), np.isfinite(p.known[x.name].astype(np.float64)))


COMPLEX_UNARY = {'negate': np.negative, 'cosine': np.cos, 'sine': np.sin, 'exponential': np.exp, 'log': np.log, 'sqrt': np.sqrt, 'tanh': np.tanh, 'tan': np.tan,
                 'exponential_minus_one': np.expm1, 'log_plus_one': np.log1p, 'rsqrt': lambda z: 1 / np.sqrt(z), 'logistic': lambda z: 1 / (1 + np.exp(-z))}
COMPLEX_BINARY = {'add': np.add, 'subtract': np.subtract, 'multiply': np.multiply, 'divide': np.divide}


def complex_(p):
    """Of moderate size, where every part is defined; special points have tables."""
    shape = p.shape(0, 3)
    el = 'complex<f32>'
    scale = 10.0 ** p.int(-3, 1)

    def arg():
        a = p.array(el, shape, 'unit') * scale
        return p.arg(el, shape, np.asarray(a))
    x = arg()
    a = p.known[x.name].astype(np.complex128)
    slack = lambda want: 16 * 2.0 ** -23 * np.abs(want) + 1e-40
    if p.chance(0.5):
        name = p.pick(list(COMPLEX_UNARY))
        p.give(p.op('stablehlo.' + name, [x], [(el, shape)]), COMPLEX_UNARY[name](a).astype(np.complex64), slack)
    else:
        name, y = p.pick(list(COMPLEX_BINARY)), arg()
        p.give(p.op('stablehlo.' + name, [x, y], [(el, shape)]), COMPLEX_BINARY[name](a, p.known[y.name].astype(np.complex128)).astype(np.complex64), slack)


def broadcasting(p):
    """CHLO's ops that broadcast by themselves."""
    shape = list(p.shape(0, 3))
    a, b = ([1 if p.chance(0.3) else n for n in shape] for _ in range(2))
    b = b[p.int(0, len(b)):]
    name = p.pick(('add', 'subtract', 'multiply', 'maximum', 'minimum', 'and', 'or', 'xor', 'shift_left'))
    el = p.pick(('i8', 'i32', 'ui32', 'i64', 'ui8'))
    if p.chance(0.5):
        a, b = b, a
    out = np.broadcast_shapes(tuple(a), tuple(b))
    p.give(p.op('chlo.broadcast_' + name, [p.arg(el, a), p.arg(el, b)], [(el, out)]))


DRAWERS = [unary, unary, chlo, binary, binary, integer, integer, integer_unary, compare, clamp, convert, convert, convert, reduce_precision, is_finite, complex_, broadcasting]
