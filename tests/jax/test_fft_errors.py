"""Transforms of f32 are as near to those of exact arithmetic as XLA's, which are in single precision, too.

Both are compared with NumPy's in double precision: the error of a case is the norm of the difference over its numbers, of which the ratio
of two such errors is uncertain by about one over the root of their count; three times that is let pass. Lengths are drawn at random, smooth
ones, primes and any; WEFT_SEED repeats a seed.
"""
import os

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import harness

FIRST, COUNT = int(os.environ.get('WEFT_SEED', '1')), 3 * int(os.environ.get('WEFT_LONG', '1'))
NUMBERS = 1 << 14


def is_prime(n):
    return n > 1 and all(n % d for d in range(2, int(n ** 0.5) + 1))


def lengths(r):
    """Powers of two and numbers without large factors; primes that sums of products are for, and some that are too large; any."""
    primes = [n for n in range(3, 127) if is_prime(n)], [n for n in range(131, 3000) if is_prime(n)]
    smooth = [a * b for a in (1, 3, 5, 7, 9, 11, 15) for b in (8, 16, 32, 64, 128, 256)]
    return [2 ** int(r.integers(3, 15)), *r.choice(smooth, 2), *r.choice(primes[0], 2), *r.choice(primes[1], 2), *r.integers(4, 4000, 2)]


def ours(f, x):
    harness.the_worker.send(jax.jit(f).lower(x).as_text(), [x])
    return harness.the_worker.receive()[0][0]


def error(got, want):
    return np.linalg.norm((got - want).ravel()) / np.linalg.norm(want.ravel()) * 2 ** 24


@pytest.mark.parametrize('seed', range(FIRST, FIRST + COUNT))
def test_as_near_as_xla(seed):
    r = np.random.default_rng(seed)
    for n in map(int, lengths(r)):
        lines = int(r.choice([1, max(1, NUMBERS // n)])) if n > 500 else NUMBERS // n
        x = (r.standard_normal((lines, n)) + 1j * r.standard_normal((lines, n))).astype(np.complex64)
        exact = x.astype(np.complex128)
        for name, f, given, want in (('fft', jnp.fft.fft, x, np.fft.fft(exact)), ('ifft', jnp.fft.ifft, x, np.fft.ifft(exact)),
                                     ('rfft', jnp.fft.rfft, x.real, np.fft.rfft(exact.real)),
                                     ('irfft', lambda v: jnp.fft.irfft(v, n), x[:, :n // 2 + 1], np.fft.irfft(exact[:, :n // 2 + 1], n))):
            given = np.ascontiguousarray(given)
            a, b = error(ours(f, given), want), error(np.asarray(jax.jit(f)(given)), want)
            print(f'seed {seed}: {name} of {lines} x {n}: {a:.3f} of 2^-24, XLA {b:.3f}')
            assert a <= b * (1 + 3 * want.size ** -0.5), f'seed {seed}: {name} of {lines} lines of {n}: {a:.3f} of 2^-24 off, XLA {b:.3f}'
