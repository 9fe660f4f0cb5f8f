"""Factorisations and solvers at random shapes, batches, types and options, each seed a case.

WEFT_SEED is the first seed and WEFT_FACTORISATIONS how many. Matrices are kept far from singular and the values far from each other where
a factor depends on the gaps between them, so that what is compared is determined by the argument; free signs are taken out as in
tables/linear_algebra.py, whose functions these are.
"""
import os

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.scipy import linalg as sl

import cases
import harness
from tables.linear_algebra import T, eigh, qr, spd, sym, whole

la, ll = jnp.linalg, lax.linalg
FIRST = int(os.environ.get('WEFT_SEED', '1'))
COUNT = int(os.environ.get('WEFT_FACTORISATIONS', '42'))
TYPES = {'float32': cases.f32, 'float64': cases.f64, 'complex64': cases.c64, 'complex128': cases.c128}
WHY = 'backward stable factorisations differ by their condition'


def dominant(x):
    """Far from singular at any size."""
    n = x.shape[-1]
    return x + (2 * n + 4) * jnp.eye(n, dtype=x.dtype)


def some(r, *values):
    return values[r.integers(len(values))]


def options(r, **of):
    return {name: some(r, *values) for name, values in of.items()}


def lu(x):
    packed, pivots, permutation = ll.lu(x)
    return packed, pivots, permutation


def least_squares(x):
    return la.lstsq(x, x[:, :1] + 1)[0]


def schur(x, **how):
    t, z = ll.schur(x, **how)
    return z @ t @ T(z), T(z) @ z, jnp.tril(t, -2)


def hessenberg(x):
    a, taus = ll.hessenberg(x)
    return jnp.abs(jnp.triu(a, -1))


def tridiagonal(x, lower):
    _, d, e, _ = ll.tridiagonal(sym(x), lower=lower)
    return d, jnp.abs(e)


def pivoted(x):
    # Columns of very different norms: their order is then no matter of rounding.
    scaled = x * (2.0 ** jnp.arange(x.shape[-1])[::-1]).astype(x.dtype)
    q, r, p = ll.qr(scaled, full_matrices=False, pivoting=True)
    return q @ r, T(q) @ q, p


def eigenvalues(x):
    n = x.shape[-1]
    w = la.eigvals(x / 8 + jnp.diag(4.0 * jnp.arange(n)).astype(x.dtype))
    return jnp.sort(w.real), jnp.sort(jnp.abs(w))


def tridiagonal_solve(x):
    band = x.at[..., 0].set(0), x + 9, jnp.concatenate([x[..., 1:], jnp.zeros_like(x[..., :1])], -1)
    return ll.tridiagonal_solve(*band, jnp.stack([x, x * x], -1))


def product_of_reflectors(x):
    return ll.householder_product(x, x[..., 0, :] * 0.1)


# name, what the matrix is (square, tall, any, row), whether batches are taken, the function of (random generator)
TABLE = [
    ('cholesky', 'square', True, lambda r: lambda x, o=options(r, upper=(True, False)): la.cholesky(spd(x), **o)),
    ('qr', 'any', True, lambda r: lambda x, o=options(r, mode=('reduced', 'complete')): qr(x, **o)),
    ('qr pivoting', 'tall', False, lambda r: pivoted),
    ('svd', 'any', True, lambda r: lambda x, o=options(r, full_matrices=(True, False)): whole(*la.svd(x, **o))),
    ('svdvals', 'any', True, lambda r: la.svdvals),
    ('eigh', 'square', True, lambda r: lambda x, o=options(r, UPLO=('U', 'L')): eigh(x, **o)),
    ('eigvalsh', 'square', True, lambda r: lambda x: la.eigvalsh(sym(x))),
    ('eigvals', 'square', False, lambda r: eigenvalues),
    ('lu', 'any', True, lambda r: lu),
    ('solve', 'square', True, lambda r: lambda x: la.solve(dominant(x), x)),
    ('inv', 'square', True, lambda r: lambda x: la.inv(dominant(x))),
    ('slogdet', 'square', True, lambda r: lambda x: la.slogdet(dominant(x))),
    ('lstsq', 'tall', False, lambda r: least_squares),
    ('pinv', 'tall', True, lambda r: la.pinv),
    ('schur', 'square', True, lambda r: schur),
    ('hessenberg', 'square', True, lambda r: hessenberg),
    ('tridiagonal', 'square', True, lambda r: lambda x, o=options(r, lower=(True, False)): tridiagonal(x, **o)),
    ('tridiagonal_solve', 'row', True, lambda r: tridiagonal_solve),
    ('householder_product', 'tall', True, lambda r: product_of_reflectors),
    ('expm', 'square', False, lambda r: lambda x: sl.expm(x / (x.shape[-1] + 1))),
    ('triangular_solve', 'square', True, lambda r: lambda x, o=options(r, left_side=(True, False), lower=(True, False), transpose_a=(True, False),
                                                                       conjugate_a=(True, False), unit_diagonal=(True, False)):
     ll.triangular_solve(x / (x.shape[-1] + 1) if o['unit_diagonal'] else dominant(x), x, **o)),
]


def shape_of(r, kind, batches):
    n, more = int(some(r, 1, 2, 3, 5, 8, 13, 31, 40)), int(r.integers(0, 9))
    batch = tuple(int(b) for b in r.integers(1, 4, r.integers(0, 3))) if batches else ()
    return batch + {'square': (n, n), 'tall': (n + more, n), 'any': some(r, (n + more, n), (n, n + more)), 'row': (max(n, 3),)}[kind]


def drawn(seed):
    r = np.random.default_rng(seed)
    name, kind, batches, make = TABLE[seed % len(TABLE)]
    dtype = some(r, *TYPES)
    wide = dtype in ('float64', 'complex128')
    shape = shape_of(r, kind, batches)
    f = make(r)
    step = (1e-11 if wide else 1e-4) * (1 if max(shape) < 20 else 3)
    return cases.case('%s %s%s, seed %d' % (name, dtype, list(shape), seed), f, TYPES[dtype](*shape), rtol=step, atol=step, why=WHY)


@pytest.mark.parametrize('seed', range(FIRST, FIRST + COUNT))
def test_factorisation(seed):
    c = drawn(seed)
    harness.check(c, source=c.name)
