"""What a case is: a JAX function, what it is called with, and how near Weft's results must come to JAX's.

    case('dot', jnp.dot, f32(3, 4), f32(4, 5))

Arguments written as f32(3, 4) are filled with random numbers that depend on the case's name alone. Integers, booleans and
whatever is asked to be `exact` must be equal to the last bit (NaNs of any payload are one); floats must be within rtol of JAX's
value or within atol, by default the tolerance of their type times the largest finite result: a sum's error grows with its
terms, not with what is left of them. Where a case needs a wider tolerance, `why` says so.
"""
import zlib
from dataclasses import dataclass, field
from typing import Callable

import ml_dtypes
import numpy as np

# About a hundred roundings of each type; bf16 and f8 are compared in steps of theirs.
RTOL = {'float64': 1e-13, 'float32': 1e-5, 'float16': 2e-3, 'bfloat16': 1.6e-2, 'complex64': 1e-5, 'complex128': 1e-13}


@dataclass(frozen=True)
class Arg:
    """A random array: elements uniform in [lo, hi], which for integers may be the whole range of the type."""
    dtype: np.dtype
    shape: tuple
    lo: float
    hi: float

    def within(self, lo, hi):
        return Arg(self.dtype, self.shape, lo, hi)

    def array(self, rng):
        if self.dtype == np.bool_:
            return rng.random(self.shape) < 0.5
        if self.dtype.kind in 'iu':
            return rng.integers(int(self.lo), int(self.hi), self.shape, self.dtype, endpoint=True)
        if self.dtype.name in ('int2', 'int4', 'uint2', 'uint4'):
            return rng.integers(int(self.lo), int(self.hi), self.shape, endpoint=True).astype(self.dtype)
        x = rng.uniform(self.lo, self.hi, self.shape)
        if np.issubdtype(self.dtype, np.complexfloating):
            x = x + 1j * rng.uniform(self.lo, self.hi, self.shape)
        return np.asarray(x).astype(self.dtype)

    def full(self):
        info = ml_dtypes.iinfo(self.dtype)
        return self.within(int(info.min), int(info.max))


def maker(dtype, lo, hi):
    return lambda *shape: Arg(np.dtype(dtype), shape, lo, hi)


f16, f32, f64 = maker('float16', -2, 2), maker('float32', -2, 2), maker('float64', -2, 2)
bf16, c64, c128 = maker(ml_dtypes.bfloat16, -2, 2), maker('complex64', -2, 2), maker('complex128', -2, 2)
i8, i16, i32, i64 = (maker('int%d' % n, -9, 9) for n in (8, 16, 32, 64))
u8, u16, u32, u64 = (maker('uint%d' % n, 0, 9) for n in (8, 16, 32, 64))
i4, u4 = maker(ml_dtypes.int4, -7, 7), maker(ml_dtypes.uint4, 0, 15)
f8 = {n: maker(getattr(ml_dtypes, 'float8_' + n), -2, 2) for n in 'e3m4 e4m3 e4m3fn e4m3fnuz e4m3b11fnuz e5m2 e5m2fnuz'.split()}
pred = maker('bool', 0, 1)


@dataclass
class Case:
    name: str
    f: Callable
    args: tuple
    rtol: float = None       # None: the result's type says
    atol: float = None
    exact: bool = False
    x64: bool = False        # lowered with jax_enable_x64
    why: str = ''            # the reason for a tolerance of its own
    jit: dict = field(default_factory=dict)     # more arguments of jax.jit

    def arrays(self):
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        return [a.array(rng) if isinstance(a, Arg) else np.asarray(a) for a in self.args]


WIDE = {np.dtype(t) for t in ('int64', 'uint64', 'float64', 'complex128')}


def case(name, f, *args, **how):
    wide = any(np.dtype(a.dtype) in WIDE for a in args if hasattr(a, 'dtype'))
    how.setdefault('x64', wide)
    assert how.get('why') or not (how.get('rtol') or how.get('atol')), name + ': a tolerance needs its reason'
    return Case(name, f, args, **how)


# ---- comparison ----

def wide(a):
    """Floats of any type as float64, complex as complex128."""
    return a.astype(np.complex128 if np.issubdtype(a.dtype, np.complexfloating) else np.float64)


def is_float(dtype):
    return dtype.kind in 'fc' or (dtype.kind == 'V' and not dtype.name.startswith(('int', 'uint')))


def same_bits(got, want):
    bits = got.view(np.dtype('u%d' % got.dtype.itemsize) if got.dtype.itemsize <= 8 else np.uint64) == \
        want.view(np.dtype('u%d' % want.dtype.itemsize) if want.dtype.itemsize <= 8 else np.uint64)
    return bits.reshape(got.shape + (-1,)).all(-1) if got.size else np.ones(got.shape, bool)


def close(got, want, rtol, atol):
    with np.errstate(all='ignore'):
        if np.issubdtype(got.dtype, np.complexfloating):
            # Each part by itself where one is not finite, else by the distance in the plane.
            finite = np.isfinite(got) & np.isfinite(want)
            parts = close(got.real, want.real, rtol, atol) & close(got.imag, want.imag, rtol, atol)
            return np.where(finite, np.abs(got - want) <= atol + rtol * np.abs(want), parts)
        return (got == want) | (np.isnan(got) & np.isnan(want)) | (np.abs(got - want) <= atol + rtol * np.abs(want))


def differences(c, got, want, slack=None):
    """What is wrong with one result, as text, or None. slack: how much each element may differ beside the tolerance."""
    want = np.asarray(want)
    if got.dtype != want.dtype or got.shape != want.shape:
        return 'is %s%s, not %s%s' % (got.dtype, got.shape, want.dtype, want.shape)
    floats = is_float(want.dtype)
    if want.dtype.kind == 'V' and not floats:
        got, want = got.astype(np.int8), want.astype(np.int8)     # a nibble's byte has bits that mean nothing
    a, b = (wide(got), wide(want)) if floats else (got, want)
    if c.exact or not floats:
        good = same_bits(got, want) | (np.isnan(a) & np.isnan(b) if floats else False)
    else:
        with np.errstate(all='ignore'):
            step = c.rtol or RTOL.get(want.dtype.name) or 2 * float(ml_dtypes.finfo(want.dtype).eps)
            finite = np.abs(b[np.isfinite(b)])
            atol = step * finite.max(initial=0) / 10 if c.atol is None else c.atol
            good = close(a, b, step, atol)
    if slack is not None:
        with np.errstate(all='ignore'):
            good |= np.abs(wide(got) - wide(want)) <= 4 * slack
    if good.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~good)[0])
    return '%d of %d elements differ, first at %s: got %s, JAX %s' % ((~good).sum(), good.size, list(at), got[at], want[at])
