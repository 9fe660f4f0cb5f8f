"""jnp.linalg and lax.linalg. Where a factor is free up to signs, what is made of the factors is compared, and that they are
orthogonal."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import linalg as sl

from cases import c64, c128, case, f32, f64

la, ll = jnp.linalg, lax.linalg
T = lambda x: jnp.conj(jnp.swapaxes(x, -1, -2))     # noqa: E731
spd = lambda x: x @ T(x) + 3 * jnp.eye(x.shape[-1], dtype=x.dtype)     # noqa: E731
well = lambda x: x + 4 * jnp.eye(x.shape[-1], dtype=x.dtype)     # noqa: E731
sym = lambda x: x + T(x)     # noqa: E731
FACTORS = dict(rtol=2e-4, atol=5e-5, why='backward stable factorisations differ by their condition')
FACTORS64 = dict(rtol=1e-10, atol=1e-11, why=FACTORS['why'])


def whole(u, s, vt):
    return s, (u[..., :, :s.shape[-1]] * s[..., None, :].astype(u.dtype)) @ vt[..., :s.shape[-1], :], T(u) @ u, vt @ T(vt)


def eigh(x, **how):
    w, v = la.eigh(sym(x), **how)
    return w, (v * w[..., None, :].astype(v.dtype)) @ T(v), T(v) @ v


def eig(x):
    w, v = la.eig(x)
    order = jnp.lexsort((w.imag.round(2), w.real.round(2)))
    return w[order], x @ v - v * w


def qr(x, **how):
    q, r = la.qr(x, **how)
    return q @ r, jnp.abs(r), T(q) @ q


def lu(x):
    p, l, u = sl.lu(x)
    return p @ l @ u, l, u


def schur(x):
    t, z = ll.schur(x)
    return z @ t @ T(z), jnp.tril(t, -2)


def tridiagonal(x):
    a, d, e, taus = ll.tridiagonal(sym(x))
    return jnp.abs(d), jnp.abs(e)


def hessenberg(x):
    h, q = sl.hessenberg(x, calc_q=True)
    return q @ h @ T(q), jnp.abs(h), T(q) @ q


BOTH = [    # name, function, shape
    ('cholesky', lambda x: la.cholesky(spd(x)), (5, 5)), ('cholesky batch', lambda x: la.cholesky(spd(x)), (2, 3, 4, 4)),
    ('cholesky upper', lambda x: la.cholesky(spd(x), upper=True), (4, 4)), ('qr', qr, (6, 4)), ('qr complete', lambda x: qr(x, mode='complete'), (6, 4)),
    ('qr wide', qr, (3, 5)), ('qr batch', qr, (2, 5, 3)), ('svd', lambda x: whole(*la.svd(x, full_matrices=False)), (5, 3)),
    ('svd full', lambda x: whole(*la.svd(x)), (3, 5)), ('svd batch', lambda x: whole(*la.svd(x, full_matrices=False)), (2, 4, 3)),
    ('svdvals', la.svdvals, (4, 6)), ('eigh', eigh, (5, 5)), ('eigh batch', eigh, (3, 4, 4)), ('eigh upper', lambda x: eigh(x, UPLO='U'), (4, 4)),
    ('eigvalsh', lambda x: la.eigvalsh(sym(x)), (5, 5)), ('eig', eig, (5, 5)), ('eigvals', lambda x: jnp.sort(jnp.abs(la.eigvals(x))), (5, 5)),
    ('solve', lambda x: la.solve(well(x), x[..., :2]), (5, 5)), ('solve batch', lambda x: la.solve(well(x), x[..., :2]), (3, 4, 4)),
    ('solve vector', lambda x: la.solve(well(x), x[0]), (5, 5)), ('inv', lambda x: la.inv(well(x)), (5, 5)), ('inv batch', lambda x: la.inv(well(x)), (2, 3, 3)),
    ('det', la.det, (4, 4)), ('det 3x3', la.det, (3, 3)), ('slogdet', la.slogdet, (5, 5)), ('det batch', la.det, (3, 4, 4)),
    ('lstsq', lambda x: la.lstsq(x, x[:, 0] + 1)[0], (7, 3)), ('pinv', la.pinv, (5, 3)), ('matrix_rank', la.matrix_rank, (5, 3)),
    ('matrix_power', lambda x: [la.matrix_power(x, n) for n in (0, 1, 3, 5)], (3, 3)), ('matrix_power negative', lambda x: la.matrix_power(well(x), -2), (3, 3)),
    ('norm', lambda x: [la.norm(x), la.norm(x, 1), la.norm(x, np.inf), la.norm(x, 'nuc'), la.norm(x, 2), la.norm(x[0]), la.norm(x[0], 3)], (4, 3)),
    ('cond', lambda x: la.cond(well(x)), (4, 4)), ('multi_dot', lambda x: la.multi_dot([x, x, x[:, :2]]), (4, 4)), ('expm', sl.expm, (4, 4)),
    ('lu', lu, (5, 5)), ('lu tall', lu, (6, 3)), ('lu_solve', lambda x: sl.lu_solve(sl.lu_factor(well(x)), x[0]), (5, 5)),
    ('lax.linalg.lu', ll.lu, (4, 4)), ('lu_solve transposed', lambda x: sl.lu_solve(sl.lu_factor(well(x)), x[0], trans=1), (5, 5)),
    ('cho_solve', lambda x: sl.cho_solve(sl.cho_factor(spd(x)), x[0]), (5, 5)), ('triangular_solve', lambda x: sl.solve_triangular(well(x), x[:, :2], lower=True), (5, 5)),
    ('triangular_solve transposed', lambda x: sl.solve_triangular(well(x), x[:, :2], trans='T'), (5, 5)),
    ('triangular_solve unit', lambda x: sl.solve_triangular(x * 0.3, x[:, :2], unit_diagonal=True, lower=True), (5, 5)),
    ('triangular_solve right', lambda x: ll.triangular_solve(well(x), x[:3], left_side=False, lower=True), (5, 5)),
    ('triangular_solve batch', lambda x: ll.triangular_solve(well(x), x[..., :1], left_side=True, lower=False), (3, 4, 4)),
    ('sl.solve pos', lambda x: sl.solve(spd(x), x[:, 0], assume_a='pos'), (5, 5)), ('sl.sqrtm', lambda x: sl.sqrtm(spd(x)), (4, 4)),
    ('sl.funm', lambda x: sl.funm(spd(x), jnp.log), (3, 3)), ('schur', schur, (4, 4)), ('hessenberg', hessenberg, (4, 4)), ('tridiagonal', tridiagonal, (5, 5)),
    ('sl.polar', lambda x: sl.polar(well(x)), (4, 4)), ('sl.block_diag', lambda x: sl.block_diag(x, x[:1]), (2, 3)), ('sl.toeplitz', lambda x: sl.toeplitz(x[0], x[1]), (2, 4)),
    ('sl.rsf2csf', lambda x: jnp.abs(sl.rsf2csf(*sl.schur(x))[0].diagonal()), (3, 3)), ('tensorinv', lambda x: la.tensorinv(well(x).reshape(2, 2, 4)), (4, 4)),
    ('tensorsolve', lambda x: la.tensorsolve(well(x).reshape(4, 2, 2), x[0]), (4, 4)), ('householder_product', lambda x: ll.householder_product(x, x[0] * 0.2), (4, 3)),
    ('matrix_transpose', la.matrix_transpose, (2, 3, 4)), ('trace', la.trace, (4, 4)), ('cross', lambda x: la.cross(x[0], x[1]), (2, 3)),
]
CASES = [case('linalg.%s f32' % name, f, f32(*shape), **FACTORS) for name, f, shape in BOTH]
CASES += [case('linalg.%s f64' % name, f, f64(*shape), **FACTORS64) for name, f, shape in BOTH
          if name in ('cholesky', 'qr', 'svd', 'eigh', 'eig', 'solve', 'det', 'expm', 'lu', 'triangular_solve', 'pinv', 'schur')]
CASES += [case('linalg.%s c64' % name, f, c64(*shape), **FACTORS) for name, f, shape in BOTH
          if name in ('cholesky', 'qr', 'svd', 'eigh', 'eig', 'solve', 'inv', 'det', 'slogdet', 'lu', 'triangular_solve', 'expm', 'cholesky batch', 'sl.sqrtm')]
CASES += [case('linalg.%s c128' % name, f, c128(*shape), **FACTORS64) for name, f, shape in BOTH if name in ('qr', 'svd', 'eigh', 'solve', 'eig')]
CASES += [
    case('grad of cholesky', jax.grad(lambda x: (la.cholesky(spd(x)) ** 2).sum()), f32(4, 4), **FACTORS),
    case('grad of solve', jax.grad(lambda x: (la.solve(well(x), x[:, :1]) ** 2).sum()), f32(4, 4), **FACTORS),
    case('grad of det', jax.grad(la.det), f32(4, 4), **FACTORS),
    case('grad of slogdet', jax.grad(lambda x: la.slogdet(well(x))[1]), f32(4, 4), **FACTORS),
    case('grad of eigvalsh', jax.grad(lambda x: (la.eigvalsh(sym(x)) ** 2).sum()), f32(4, 4), **FACTORS),
    case('grad of svdvals', jax.grad(lambda x: (la.svdvals(x) ** 3).sum()), f32(4, 3), **FACTORS),
    case('grad of qr', jax.grad(lambda x: (la.qr(x)[1] ** 2).sum()), f32(4, 3), **FACTORS),
    case('grad of inv', jax.grad(lambda x: (la.inv(well(x)) ** 2).sum()), f32(4, 4), **FACTORS),
    case('grad of expm', jax.grad(lambda x: sl.expm(x).sum()), f32(3, 3), **FACTORS),
    case('vmap of solve', jax.vmap(lambda a, b: la.solve(well(a), b), (0, None)), f32(3, 4, 4), f32(4), **FACTORS),
    case('vmap of cholesky', jax.vmap(lambda a: la.cholesky(spd(a))), f32(3, 4, 4), **FACTORS),
    case('cholesky of an indefinite matrix', lambda x: la.cholesky(x), np.float32([[1, 2], [2, 1]])),
    case('solve of a singular matrix', lambda x: jnp.isfinite(la.solve(x, x[0])), np.float32([[1, 2], [2, 4]])),
    case('linalg of nothing', lambda x: [la.cholesky(x), la.inv(x), la.det(x)], f32(2, 0, 0)),
    case('eigh of one', lambda x: la.eigh(x), f32(1, 1).within(1, 2)),
    case('eigh of thirty', eigh, f32(30, 30), **FACTORS),
    case('svd of thirty', lambda x: whole(*la.svd(x, full_matrices=False)), f32(30, 20), **FACTORS),
    case('lax.linalg.symmetric_product', lambda a, c: ll.symmetric_product(a, sym(c)), f32(4, 3), f32(4, 4)),
    case('lax.linalg.tridiagonal_solve', lambda d, b: ll.tridiagonal_solve(d[0].at[0].set(0), d[1] + 5, d[2].at[-1].set(0), b), f32(3, 6), f32(6, 2), **FACTORS),
    case('lax.linalg.cholesky_update', lambda x, v: ll.cholesky_update(la.cholesky(spd(x)).T, v), f32(4, 4), f32(4), **FACTORS),
    case('lax.linalg.qr pivoting', lambda x: (lambda q, r, p: (q @ r, jnp.abs(r), p))(*ll.qr(x, full_matrices=False, pivoting=True)), f32(5, 3), **FACTORS),
    case('sl.eigh_tridiagonal', lambda d, e: sl.eigh_tridiagonal(d, e, eigvals_only=True), f32(6), f32(5), **FACTORS),
]
