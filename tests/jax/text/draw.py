"""A StableHLO program while it is being drawn: its arguments, its lines, what is known about its results.

    p = Program(seed)
    x = p.arg('f32', (2, 3), 'any')
    y = p.op('stablehlo.negate', [x], [('f32', (2, 3))])
    p.give(y)
    p.text, p.args

A result is compared to the last bit (all NaNs are one, zeros have signs) unless `give` says by how much it may differ; then
`want` or, without it, XLA's result is what it is measured against. Sums are made of integers whose every partial sum the type
holds (`whole`), so that they too are exact in whatever order they are taken.
"""
import ml_dtypes
import numpy as np

import cases
import binding as weft

SIGNED = ('i2', 'i4', 'i8', 'i16', 'i32', 'i64')
UNSIGNED = tuple('u' + i for i in SIGNED)
INTS = SIGNED + UNSIGNED
F8 = tuple(n for n in weft.DTYPES if n.startswith('f8') and n != 'f8E8M0FNU')
WIDE = ('bf16', 'f16', 'f32', 'f64')
FLOATS = F8 + WIDE
COMPLEX = ('complex<f32>', 'complex<f64>')
NUMBERS = INTS + FLOATS + COMPLEX
ALL = ('i1',) + NUMBERS
USUAL = ('i1', 'i8', 'i32', 'i64', 'ui8', 'ui32', 'bf16', 'f16', 'f32', 'f32', 'f32', 'f64', 'complex<f32>')

SIZES = (1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 33)
MOST = 40000     # elements of a value


class Value:
    """An SSA value: name, element type, shape."""

    def __init__(self, name, el, shape):
        self.name, self.el, self.shape = name, el, tuple(int(n) for n in shape)

    @property
    def type(self):
        return tensor(self.el, self.shape)

    @property
    def rank(self):
        return len(self.shape)

    @property
    def size(self):
        return int(np.prod(self.shape))


def tensor(el, shape):
    return 'tensor<%s>' % 'x'.join([str(int(n)) for n in shape] + [el])


def ints(values):
    """An array attribute."""
    values = [str(int(v)) for v in values]
    return 'array<i64: %s>' % ', '.join(values) if values else 'array<i64>'


def bools(values):
    return 'array<i1: %s>' % ', '.join('true' if v else 'false' for v in values) if len(values) else 'array<i1>'


def dims(values):
    return '[%s]' % ', '.join(str(int(v)) for v in values)


def dtype(el):
    return np.dtype(weft.DTYPES[el])


def is_float(el):
    return el.startswith(('f', 'bf'))


def is_complex(el):
    return el.startswith('complex')


def largest_whole(el):
    """The largest integer up to which every one is a value of the type."""
    if el in COMPLEX:
        el = el[8:-1]
    return 2 ** (ml_dtypes.finfo(dtype(el)).nmant + 1) if is_float(el) else 1 if el == 'i1' else int(ml_dtypes.iinfo(dtype(el)).max)


def specials(el):
    d = dtype(el)
    if el == 'i1':
        return np.array([False, True])
    if el in INTS:
        i = ml_dtypes.iinfo(d)
        lo, hi = int(i.min), int(i.max)
        bits = i.bits
        return np.array([v for v in (0, 1, 2, 3, hi, hi - 1, lo, lo + 1, -1, -2, bits, bits - 1, bits + 1) if lo <= v <= hi], dtype=object).astype(d)
    if is_complex(el):
        parts = specials(el[8:-1])
        return (parts[:, None] + 1j * parts[None, :]).ravel().astype(d)
    i = ml_dtypes.finfo(d)
    values = [0, 1, 2, 3, 0.5, 1.5, 2.5, float(i.max), float(i.tiny), float(i.smallest_subnormal), float(i.eps), 1 + float(i.eps), 1 - float(i.eps) / 2, 1e-3, 10, 127.5, 88.7, 100, 0.1]
    values = np.array([v for v in values if v <= float(i.max)] + [-v for v in values if v <= float(i.max)]).astype(d)
    rest = np.array([np.inf, -np.inf, np.nan]).astype(d) if el != 'f4E2M1FN' else values[:0]
    return np.concatenate([values, rest])


class Program:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.args, self.lines, self.inputs, self.results, self.wants, self.slack, self.count = [], [], [], [], [], [], 0
        self.functions, self.known = [], {}     # known: arrays of arguments and constants by name

    # ---- drawing ----

    def pick(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def chance(self, p):
        return bool(self.rng.random() < p)

    def int(self, lo, hi):
        """lo .. hi, both possible."""
        return int(self.rng.integers(lo, hi + 1))

    def shape(self, lo=0, hi=4, empty=0.03, most=MOST):
        """A shape of lo to hi dimensions; now and then one is 0, or one is long."""
        while True:
            s = [int(self.pick(SIZES)) for _ in range(self.int(lo, hi if self.chance(0.9) else max(hi, min(6, hi + 2))))]
            if s and self.chance(empty):
                s[self.int(0, len(s) - 1)] = 0
            if s and self.chance(0.06):
                s[self.int(0, len(s) - 1)] = self.int(60, 3000) if self.chance(0.8) else 17000
            if int(np.prod(s)) <= most:
                return tuple(s)

    def subset(self, n, most=None):
        """Some of 0 .. n-1, ascending."""
        k = self.int(0, n if most is None else min(n, most))
        return sorted(int(i) for i in self.rng.permutation(n)[:k])

    def order(self, n):
        return [int(i) for i in self.rng.permutation(n)]

    def array(self, el, shape, kind='normal'):
        """any: every bit pattern, with special values between; normal: without denormals, which XLA flushes to zero; special; unit: within [-2, 2];
        a number: integers of at most that size; or an array."""
        d, n = dtype(el), int(np.prod(shape))
        rng = self.rng
        if isinstance(kind, str) and kind == 'normal':
            a = self.array(el, shape, 'any')
            return np.where(np.abs(a.astype(np.float64)) < float(ml_dtypes.finfo(d).tiny), np.zeros(shape, d), a).astype(d) if is_float(el) else a
        if isinstance(kind, np.ndarray):
            return kind.astype(d).reshape(shape)
        if isinstance(kind, (int, np.integer)):
            lo = 0 if el in UNSIGNED or el == 'i1' else -min(kind, largest_whole(el))
            a = rng.integers(lo, min(kind, largest_whole(el)) + 1, shape)
            if is_complex(el):
                a = a + 1j * rng.integers(lo, min(kind, largest_whole(el)) + 1, shape)
            return np.asarray(a).astype(d)
        if kind == 'unit':
            a = rng.uniform(-2, 2, shape)
            return np.asarray(a + 1j * rng.uniform(-2, 2, shape) if is_complex(el) else a).astype(d)
        s = specials(el)
        if kind == 'special':
            return s[rng.integers(0, len(s), shape)].reshape(shape)
        if d.kind == 'V' and el in INTS:
            i = ml_dtypes.iinfo(d)
            a = rng.integers(int(i.min), int(i.max) + 1, shape)
            return np.asarray(a).astype(d)
        if el == 'i1':
            return np.asarray(rng.random(shape) < 0.5)
        if el in ('f4E2M1FN', 'f6E2M3FN', 'f6E3M2FN'):
            a = rng.integers(0, 2 ** int(el[1]), n).astype(np.uint8).view(d).reshape(shape)
        else:
            a = np.frombuffer(rng.bytes(n * d.itemsize), d).reshape(shape).copy()
        if n:
            where = rng.random(shape) < 0.15
            a = np.where(where, s[rng.integers(0, len(s), shape)], a).astype(d)
            near = rng.random(shape) < 0.5
            if el not in INTS:
                a = np.where(near, self.array(el, shape, 'unit'), a).astype(d)
        return a.reshape(shape)

    # ---- writing ----

    def fresh(self):
        self.count += 1
        return '%%v%d' % self.count

    def arg(self, el, shape, kind='normal'):
        a = self.array(el, shape, kind)
        self.args.append(np.ascontiguousarray(a).reshape(shape))
        v = Value('%%a%d' % len(self.inputs), el, shape)
        self.inputs.append(v)
        self.known[v.name] = self.args[-1]
        return v

    def constant(self, el, value, shape=()):
        """Integers, floats that are, and infinities."""
        v = Value(self.fresh(), el, shape)
        if is_float(el) and np.isinf(value):
            a = np.array(value).astype(dtype(el))
            value = '0x%0*X' % (2 * a.itemsize, int(a.view('u%d' % a.itemsize)))
        else:
            value = ('true' if value else 'false') if el == 'i1' else '(%s, 0.0)' % float(value) if is_complex(el) else repr(float(value)) if is_float(el) else str(int(value))
        self.lines.append('%s = stablehlo.constant dense<%s> : %s' % (v.name, value, v.type))
        return v

    def constant_like(self, v, value):
        """A constant of v's type."""
        return self.constant(v.el, value, v.shape)

    def op(self, name, operands, results, attrs='', regions=()):
        """One op in generic form; its one result, or all."""
        made = [Value(self.fresh(), el, shape) for el, shape in results]
        self.lines.append('%s"%s"(%s)%s%s : (%s) -> (%s)' % (
            ', '.join(v.name for v in made) + ' = ' if made else '', name, ', '.join(v.name for v in operands),
            ' (%s)' % ', '.join(regions) if regions else '', ' {%s}' % attrs if attrs else '', ', '.join(v.type for v in operands), ', '.join(v.type for v in made)))
        return made[0] if len(made) == 1 else made

    def region(self, types, body):
        """Text of a region: body(arguments) writes ops and returns what the region returns."""
        outside, self.lines = self.lines, []
        arguments = [Value(self.fresh(), el, shape) for el, shape in types]
        returned = body(arguments)
        lines, self.lines = self.lines, outside
        head = ['^bb0(%s):' % ', '.join('%s: %s' % (v.name, v.type) for v in arguments)] if arguments else []
        lines.append('"stablehlo.return"(%s) : (%s) -> ()' % (', '.join(v.name for v in returned), ', '.join(v.type for v in returned)))
        return '{\n    %s\n  }' % '\n    '.join('\n'.join(head + lines).split('\n'))

    def give(self, value, want=None, slack=None):
        """A result. want: what it is, where that is known better than by XLA; slack: by how much each element may differ, or a function of want."""
        self.results.append(value)
        self.wants.append(want)
        self.slack.append(slack)

    @property
    def text(self):
        head = 'func.func public @main(%s) -> (%s) {' % (', '.join('%s: %s' % (v.name, v.type) for v in self.inputs), ', '.join(v.type for v in self.results))
        tail = 'return %s : %s' % (', '.join(v.name for v in self.results), ', '.join(v.type for v in self.results)) if self.results else 'return'
        return '\n'.join(self.functions + [head] + ['  ' + line for line in self.lines] + ['  ' + tail, '}', ''])


def differences(got, want, slack):
    """What is wrong with one result, as text, or None."""
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype != want.dtype or got.shape != want.shape:
        return 'is %s%s, not %s%s' % (got.dtype, got.shape, want.dtype, want.shape)
    floats = cases.is_float(want.dtype)
    if want.dtype.kind == 'V' and not floats:
        got, want = got.astype(np.int8), want.astype(np.int8)     # a nibble's byte has bits that mean nothing
    if not floats:
        good = got == want
    else:
        a, b = cases.wide(got), cases.wide(want)
        if want.dtype.kind == 'c':
            good = same(a.real, b.real) & same(a.imag, b.imag)
        else:
            good = same(a, b)
        if slack is not None:
            with np.errstate(all='ignore'):
                good = good | (a == b) | (np.abs(a - b) <= (slack(b) if callable(slack) else slack))
    if good.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~good)[0])
    return '%d of %d elements differ, first at %s: got %s, want %s' % ((~good).sum(), good.size, list(at), got[at], want[at])


def same(a, b):
    return (np.isnan(a) & np.isnan(b)) | ((a == b) & (np.signbit(a) == np.signbit(b)))
