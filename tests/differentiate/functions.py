"""Functions of JAX whose gradients Weft's are compared with: a scalar of the arguments, and the arguments to differentiate by."""
import zlib

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


class Case:
    def __init__(self, name, function, shapes, wrt, options='', rtol=1e-9):
        self.name, self.function, self.shapes, self.wrt, self.options, self.rtol = name, function, shapes, wrt, options, rtol

    def arguments(self):
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        return [s(rng) if callable(s) else rng.standard_normal(s) for s in self.shapes]


CASES = []


def case(*shapes, wrt=None, options='', rtol=1e-9):
    def add(f):
        CASES.append(Case(f.__name__, f, shapes, tuple(range(len(shapes))) if wrt is None else wrt, options, rtol))
        return f
    return add


def integers(low, high, shape):
    return lambda rng: rng.integers(low, high, shape).astype('i4')


def positive(*shape):
    return lambda rng: rng.uniform(0.3, 2, shape)


def weighed(x):
    """A scalar in which no two elements of x have the same weight."""
    return jnp.sum(x * jnp.sin(jnp.arange(x.size, dtype=x.dtype).reshape(x.shape) + 1))


# ---- element by element ----

@case((5, 7), (5, 7))
def arithmetic(x, y):
    return weighed(x * y + x / (2 + y * y) - (x - y) ** 3)


@case((40,))
def unary(x):
    return weighed(jnp.exp(x) + jnp.sin(x) * jnp.cos(x) + jnp.tanh(x) + jax.nn.sigmoid(x) + jnp.abs(x) + jnp.expm1(x) + jnp.arctan(x) + jnp.cbrt(x))


@case(positive(40))
def roots(x):
    return weighed(jnp.sqrt(x) + lax.rsqrt(x) + jnp.log(x) + jnp.log1p(x) + jnp.tan(x / 3))


@case(positive(40), (40,))
def powers(x, e):
    return weighed(x ** e + jnp.arctan2(x, e) + jnp.remainder(x, 0.7))


@case((6, 6), (6, 6))
def extremes(x, y):
    return weighed(jnp.maximum(x, y) + jnp.minimum(x, 0.3) + jnp.clip(y, -0.5, 0.5) + jax.nn.relu(x) + lax.clamp(-0.4, y, 0.4))


@case(lambda rng: np.array([1., 2, 2, 0, -1]), lambda rng: np.array([2., 2, 1, 0, -1]))
def ties(x, y):
    return weighed(jnp.maximum(x, y) + jnp.minimum(x, y) * 3 + jnp.abs(x - y)) + jnp.max(x) * 2


@case((9,))
def rounding(x):
    return weighed(jnp.floor(x) * x + jnp.round(x) + jnp.sign(x) * x)


@case((8, 4))
def functions_of_chlo(x):
    return weighed(lax.erf(x) + jnp.sinh(x) + jnp.cosh(x) + jnp.arcsinh(x) + lax.erf_inv(jnp.tanh(x) / 2) + lax.erfc(x) + jnp.arcsin(jnp.tanh(x)) +
                   jnp.arccos(jnp.tanh(x) / 2) + jnp.arctanh(jnp.tanh(x) / 2) + jnp.square(x) + jnp.arccosh(2 + x * x))


@case(positive(20))
def gammas(x):
    return weighed(lax.lgamma(x) + lax.digamma(x))


@case((4, 3), (4, 3))
def complex_numbers(x, y):
    z = lax.complex(x, y)
    w = jnp.exp(z) * z / (z + 3)
    return weighed(jnp.real(w) + jnp.imag(w) * 2 + jnp.abs(z * w) + jnp.real(jnp.conj(z) * w))


@case(lambda rng: rng.standard_normal((5,)).astype('f4'), (5,), rtol=1e-5)
def mixed_types(x, y):
    return weighed((x.astype('f8') * y).astype('f4') * x).astype('f8') + weighed(y)


# ---- shapes ----

@case((3, 4), (4,), (1, 4))
def shapes(x, y, z):
    a = jnp.broadcast_to(y, (3, 4)) * x + z
    b = jnp.transpose(a).reshape(2, 6)[:, ::2]
    c = jnp.pad(b, ((1, 2), (0, 1)), constant_values=0.5)
    return weighed(jnp.concatenate([c, jnp.flip(c, 0)], 1)) + weighed(jnp.roll(x, 1, 1)) + weighed(lax.pad(x, 0.1, ((-1, 1, 2), (2, -1, 0))))


@case((6, 5), integers(0, 4, ()), (2, 2), wrt=(0, 2))
def dynamic_slices(x, i, u):
    a = lax.dynamic_slice(x, (i, i // 2), (3, 2))
    return weighed(jnp.sin(lax.dynamic_update_slice(x, u, (i, i)))) + weighed(a * a)


# ---- sums of products, reductions, windows ----

@case((3, 4, 5), (3, 5, 6), (6, 2))
def products(x, y, w):
    return weighed(jnp.sin(jnp.einsum('bij,bjk->bik', x, y) @ w)) + weighed(jnp.einsum('bij,cij->cbj', x, x))


@case((5,), (5, 3), (3,))
def vectors(x, m, y):
    return jnp.dot(jnp.dot(x, m), y) ** 2 + weighed(jnp.outer(x, y))


@case((4, 5, 3))
def reductions(x):
    return weighed(jnp.max(x, (0, 2))) + weighed(jnp.prod(x, 1)) + weighed(jnp.min(x, 1)) + weighed(jnp.var(x, 0)) + jnp.linalg.norm(x)


@case((3, 4))
def maximum_alone(x):
    return jnp.max(x)


@case((3, 4))
def minimum_by_sum(x):
    return jnp.min(x) + 2.5


@case((3, 4))
def maximum_of_a_sum_of_exponentials(x):
    m = jnp.max(x)
    return jnp.log(jnp.sum(jnp.exp(x - m))) + m + 2 * m


@case(lambda rng: np.array([[1., 0, 2], [0, 0, 3], [1, 2, 3]]))
def product_with_zeros(x):
    return weighed(jnp.prod(x, 1))


@case(lambda rng: np.array([[1., 0, 2, 3], [0, 0, 3, 1], [1, 2, 3, 0]]))
def gradient_of_a_product_with_zeros(x):
    return weighed(jax.grad(lambda v: weighed(jnp.prod(v, 1)))(x) ** 2 + x) + weighed(jnp.cumprod(x, 1))


@case((5, 7))
def windows_over_gaps(x):
    a = lax.reduce_window(x, -jnp.inf, lax.max, (2, 3), (1, 2), ((1, 0), (0, 2)), (1, 2))
    b = lax.reduce_window(x, jnp.inf, lax.min, (3, 2), (2, 1), ((0, 1), (2, 0)), (2, 1))
    return weighed(a) + weighed(b * b)


@case((9, 5))
def cumulative(x):
    return weighed(jnp.cumsum(x, 0)) + weighed(lax.cummax(x, 0)) + weighed(lax.cumlogsumexp(x, 0))


@case((2, 9, 10, 3))
def pooling(x):
    a = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 2, 1), (1, 2, 2, 1), 'SAME')
    b = lax.reduce_window(x, 0., lax.add, (1, 2, 3, 1), (1, 2, 1, 1), ((0, 0), (1, 0), (0, 2), (0, 0)), window_dilation=(1, 2, 1, 1))
    return weighed(a) + weighed(b * b)


# ---- models ----

@case((4, 8), (8,), (8, 3), (5, 4), integers(0, 3, (5,)), wrt=(0, 1, 2))
def mlp(w, b, v, x, labels):
    y = jnp.tanh(x @ w + b) @ v
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(y) * jax.nn.one_hot(labels, 3, dtype=y.dtype), 1))


@case((2, 6, 3, 4), (2, 6, 3, 4), (2, 6, 3, 4))
def attention(q, k, v):
    s = jnp.einsum('bthd,bshd->bhts', q, k) / 2
    p = jax.nn.softmax(jnp.where(jnp.tril(jnp.ones((6, 6), bool)), s, -1e30))
    return weighed(jnp.einsum('bhts,bshd->bthd', p, v))


@case((5, 8), (8,), (8,))
def layer_norm(x, scale, bias):
    m = jnp.mean(x, -1, keepdims=True)
    return weighed((x - m) * lax.rsqrt(jnp.var(x, -1, keepdims=True) + 1e-5) * scale + bias)


@case((5, 8), (8, 6))
def activations(x, w):
    y = x @ w
    return weighed(jax.nn.gelu(y) + jax.nn.gelu(y, approximate=False) + jax.nn.silu(y) + jax.nn.softplus(y) + jax.nn.elu(y) + jax.nn.leaky_relu(y))


# ---- loops ----

@case((6, 4, 4), (5, 4))
def scan(w, x):
    def layer(c, wi):
        c = jnp.tanh(c @ wi)
        return c, jnp.sum(c)
    c, ys = lax.scan(layer, x, w)
    return weighed(c * c) + weighed(jnp.sin(ys))


@case((6, 4), (4,), (4,))
def scan_reversed(xs, b, x):
    def step(c, v):
        c = jnp.sin(c) * v + b
        return c, c * v
    c, ys = lax.scan(step, x, xs, reverse=True)
    return weighed(c) + weighed(ys)


@case((3, 5), (4, 5))
def nested_scans(w, x):
    def outer(c, wi):
        def inner(d, xj):
            d = jnp.sin(d * wi) + xj
            return d, d * d
        d, ys = lax.scan(inner, c, x)
        return d, jnp.sum(ys, 0)
    c, ys = lax.scan(outer, x[0], w)
    return weighed(c) + weighed(ys)


@case((4,), (4,))
def fori(x, y):
    return weighed(lax.fori_loop(2, 7, lambda i, c: jnp.sin(c) * y + c[i % 4] * i, x))


@case((7, 4), (4, 4), options='keep=nothing')
def scan_kept_nothing(w, x):
    def layer(c, wi):
        c = jnp.tanh(jax.nn.softmax(c @ x) * wi) @ x + c
        return c, jnp.max(c)
    c, ys = lax.scan(layer, x[0], w)
    return weighed(c) + weighed(ys)


@case((3, 4, 4), (5, 4), options='keep=products')
def scan_kept_products(w, x):
    def layer(c, wi):
        y = jnp.tanh(c @ wi)
        y = lax.fori_loop(0, 3, lambda i, v: jnp.sin(v * wi[0]) + v, y)
        return y / jnp.sqrt(1 + jnp.sum(y * y, 1, keepdims=True)), None
    return weighed(lax.scan(layer, x, w)[0])


# ---- branches and functions ----

@case((4,), (4,), integers(0, 3, ()), wrt=(0, 1))
def switch(x, y, i):
    return weighed(lax.switch(i, [lambda a, b: jnp.sin(a) * b, lambda a, b: a, lambda a, b: jnp.exp(b) * y], x, y) + x)


@case((5, 4), (4,))
def cond_in_scan(xs, x):
    def step(c, v):
        c = lax.cond(jnp.sum(c) > 0, lambda c: jnp.sin(c) * v, lambda c: jnp.cos(c * v) + x, c)
        return c, c
    c, ys = lax.scan(step, x, xs)
    return weighed(c) + weighed(ys)


@jax.jit
def block(x, w, b):
    y = jnp.tanh(x @ w + b)
    m = jnp.mean(y, -1, keepdims=True)
    y = (y - m) / jnp.sqrt(jnp.var(y, -1, keepdims=True) + 1e-5)
    return x + jax.nn.softmax(y) * jnp.sin(x)


@case((3, 4), (4, 4), (4,))
def functions(x, w, b):
    return weighed(block(block(x, w, b), w * 2, b) + block(x, w, jnp.ones(4)))


# ---- indices ----

@case((6, 4), integers(0, 6, (5,)), integers(-9, 12, (3, 2)), wrt=(0,))
def gathers(x, i, j):
    return weighed(x[i] ** 2) + weighed(jnp.take_along_axis(x, jnp.argsort(x, 0), 0) * x) + weighed(jnp.take(x, j, axis=1, mode='clip') ** 2)


@case((6, 4), (5, 4), integers(0, 8, (5,)), wrt=(0, 1))
def scatters(x, u, i):
    return weighed(x.at[i].add(u) ** 2) + weighed(x.at[i].set(u) ** 2) + weighed(jax.ops.segment_sum(u * u, i % 3, 4))


@case((6, 4), (5, 4), integers(0, 8, (5,)), wrt=(0, 1))
def scatters_that_choose(x, u, i):
    e = jnp.round(u * 2) / 2  # some meet and are equal
    y = jnp.zeros((6, 4)).at[i].max(e) + x.at[i].min(u) * x + e.sum() * 0
    return weighed(y) + weighed(jax.ops.segment_max(u * u, i % 3, 3)) + weighed(x.at[i % 6].multiply(2.5) ** 2)


@case((6, 4), (5, 4), integers(0, 8, (5,)), wrt=(0, 1))
def scatters_that_subtract(x, u, i):
    return weighed(x.at[i].subtract(u) ** 2)


@case((6, 4), (3, 4), wrt=(0, 1))
def scatters_that_multiply(x, u):
    return weighed(x.at[jnp.array([4, 0, 3])].multiply(u, unique_indices=True) ** 2)


@case((5, 7))
def sorts(x):
    a, b = lax.sort((x, x * x), dimension=1, num_keys=1)
    v, _ = lax.top_k(x, 3)
    return weighed(jnp.sort(x, 0)) + weighed(a * b) + weighed(v * v) + jnp.median(x)


@case((6, 5))
def arg_extremes(x):
    return weighed(jnp.take_along_axis(x, jnp.argmax(x, 1)[:, None], 1)) + weighed(jnp.cumprod(x, 0)) + jnp.sum(jax.nn.logsumexp(x, 1) ** 2)


# ---- convolutions ----

@case((2, 8, 9, 4), (3, 3, 2, 6))
def convolution(x, w):
    y = lax.conv_general_dilated(x, w, (2, 1), ((1, 2), (0, 1)), (1, 2), (2, 1), ('NHWC', 'HWIO', 'NHWC'), feature_group_count=2)
    return weighed(y * y)


@case((4, 3, 7), (6, 3, 3))
def convolution_of_batch_groups(x, w):
    y = lax.conv_general_dilated(x, w, (1,), ((1, 1),), batch_group_count=2)
    return weighed(y * y)


@case((2, 3, 2), (4, 3, 3))
def results_without_elements(x, w):
    y = lax.conv_general_dilated(x, w, (1,), 'VALID')
    return weighed(y * y) + weighed(x) + weighed(lax.reduce_window(x[:, :0], -jnp.inf, lax.max, (1, 1, 2), (1, 1, 1), 'VALID'))


@case((4, 6), (4, 6))
def transforms(x, y):
    return weighed(jnp.abs(jnp.fft.fft(lax.complex(x, y))) ** 2)


@case((3, 8), (2, 5, 9), (4, 6, 5))
def transforms_of_real_numbers(x, y, z):
    a = jnp.fft.irfft(jnp.fft.rfft(x) * (1 + 2j))
    b = jnp.fft.irfftn(jnp.fft.rfftn(y) ** 2, s=(5, 9))
    c = jnp.fft.irfft2(lax.complex(z, z * z), s=(6, 8))
    return weighed(a) + weighed(b * b) + weighed(c) + weighed(jnp.abs(jnp.fft.rfft2(z)) ** 2)


# ---- linear algebra, as jaxlib writes it for CPUs ----

def definite(*shape):
    return lambda rng: np.eye(shape[-1]) * shape[-1] + rng.standard_normal(shape)


@case(definite(2, 4, 4), definite(3, 3), (3, 3))
def factors(x, y, z):
    h = lax.complex(y, z) * 0.3
    a = jnp.linalg.cholesky(x @ jnp.swapaxes(x, -1, -2))
    b = jnp.linalg.cholesky(y @ y.T, upper=True)
    c = jnp.linalg.cholesky(h @ jnp.conj(h.T) + 4 * jnp.eye(3))
    return weighed(a) + weighed(b * b) + weighed(jnp.real(c) + 2 * jnp.imag(c))


@case(definite(2, 4, 4), (2, 4, 3), (2, 3, 4), definite(4, 4), (4, 4))
def triangular_systems(a, b, c, p, q):
    total = 0
    for left, rhs in ((True, b), (False, c)):
        for lower in (True, False):
            for unit in (True, False):
                total += weighed(lax.linalg.triangular_solve(a, rhs, left_side=left, lower=lower, unit_diagonal=unit)) * (1 + lower)
            total += weighed(lax.linalg.triangular_solve(a, rhs, left_side=left, lower=lower, transpose_a=True) ** 2)
    z = lax.complex(p, q * 0.1)
    x = lax.linalg.triangular_solve(z, z[:, :2], left_side=True, lower=True, transpose_a=True, conjugate_a=True)
    return total + weighed(jnp.real(x) * jnp.imag(x))


@case(definite(2, 4, 4), (2, 4, 3), (5, 5), (5, 5), rtol=1e-8)
def systems(a, b, p, q):
    z = lax.complex(p, q)
    lu, _, _ = lax.linalg.lu(z)
    return (weighed(jnp.linalg.solve(a, b)) + weighed(jnp.linalg.inv(p)) + jnp.linalg.slogdet(p)[1] + jnp.linalg.det(q) +
            weighed(jnp.real(lu) + jnp.imag(lu) ** 2))


@case(definite(2, 4, 4), (3, 3), (3, 3), rtol=1e-8)
def eigenvalues(x, p, q):
    w, v = jnp.linalg.eigh(x + jnp.swapaxes(x, -1, -2))
    z = lax.complex(p, q)
    u, y = jnp.linalg.eigh(z + jnp.conj(z.T))
    return weighed(w * w) + weighed(v * v) + weighed(u) + weighed(jnp.abs(y) ** 2)


@case((4, 3), (3, 3), (2, 5, 3), rtol=1e-8)
def orthogonal_factors(x, y, z):
    q, r = jnp.linalg.qr(x)
    p, t = jnp.linalg.qr(y)
    return weighed(q) * 2 + weighed(r ** 2) + weighed(p * p @ t) + weighed(jnp.linalg.qr(z)[1]) + weighed(jnp.linalg.qr(z + 1)[0])


@case((4, 3), (3, 5), (2, 3, 3), rtol=1e-7)
def singular_values(x, y, z):
    u, s, v = jnp.linalg.svd(x, full_matrices=False)
    w, t, h = jnp.linalg.svd(y, full_matrices=False)
    return (weighed((u * u) @ (v * v)) + weighed(s) + weighed((w * t) @ h) + weighed(h * h) + jnp.linalg.norm(x, 'nuc') + weighed(jnp.linalg.pinv(y)) +
            weighed(jnp.linalg.svd(z, compute_uv=False)))


def parts(z):
    return weighed(jnp.real(z)) + 2 * weighed(jnp.imag(z))


@case((2, 5, 5), (4, 4), (4, 4), rtol=1e-7)
def eigenvalues_of_any_matrix(x, p, q):
    return parts(jnp.linalg.eigvals(x)) + parts(jnp.linalg.eigvals(lax.complex(p, q)))


@case((2, 5, 5), (4, 4), (4, 4), rtol=1e-6)
def eigenvectors_of_any_matrix(x, p, q):
    of_real = lax.linalg.eig(x, enable_eigvec_derivs=True)
    right = lax.linalg.eig(lax.complex(p, q), compute_left_eigenvectors=False, enable_eigvec_derivs=True)
    left = lax.linalg.eig(lax.complex(p, q), compute_right_eigenvectors=False, enable_eigvec_derivs=True)
    return sum(parts(z) for z in [*of_real, *right, left[1]])


@case((2, 5), (2, 5), (2, 5), (2, 5, 3), (2, 5, 3), rtol=1e-8)
def tridiagonal_systems(dl, d, du, p, q):
    x = lax.linalg.tridiagonal_solve(dl, d + 4, du, p)
    y = lax.linalg.tridiagonal_solve(lax.complex(dl, d), lax.complex(du + 4, d), lax.complex(d, dl), lax.complex(p, q))
    return weighed(x * x) + parts(y) + weighed(lax.linalg.tridiagonal_solve(dl, d + 4, du, q, perturb_singular=True))


@case((2, 4, 6), (2, 4, 3), (2, 4, 3), (3, 5), (3, 5), rtol=1e-7)
def orthogonal_factors_of_any_size(w, x, y, p, q):
    tall, wide = lax.complex(x, y), lax.complex(p, q)
    total = sum(weighed(v) for v in jnp.linalg.qr(w)) + weighed(jnp.linalg.qr(w, mode='r'))
    for z in (tall, wide):
        total += sum(parts(v) for v in jnp.linalg.qr(z)) + sum(parts(v) for v in jnp.linalg.qr(z, mode='complete'))
    pivoted, r, _ = jax.scipy.linalg.qr(tall[0], pivoting=True, mode='economic')
    whole = jax.scipy.linalg.qr(x[1], pivoting=True)
    return total + parts(pivoted) + parts(r) + weighed(whole[0]) + weighed(whole[1])


@case((2, 4, 3), (2, 4, 3), (2, 3, 5), rtol=1e-7)
def singular_values_in_batches(x, y, w):
    total = weighed(jnp.linalg.svd(lax.complex(x, y), compute_uv=False))
    for z in (lax.complex(x, y), jnp.swapaxes(lax.complex(y, x), -1, -2), w):
        u, s, v = jnp.linalg.svd(z, full_matrices=False)
        total += parts(u) + weighed(s) + parts(v)
    u, s, v = lax.linalg.svd(w, algorithm=lax.linalg.SvdAlgorithm.QR, full_matrices=False)
    return total + weighed(u) + weighed(s * s) + weighed(v) + parts(jnp.linalg.pinv(lax.complex(x, y)))


@case((2, 5, 3), (3, 5), (3, 5), rtol=1e-8)
def triangular_factors_of_any_size(x, p, q):
    z = lax.complex(p, q)
    return weighed(lax.linalg.lu(x)[0]) + parts(lax.linalg.lu(z)[0]) + parts(lax.linalg.lu(z.T)[0])


@case((5, 3), (5,), rtol=1e-7)
def least_squares(a, b):
    return weighed(jnp.linalg.lstsq(a, b)[0])


# ---- derivatives of derivatives, and what only they need ----

@case((6, 6), (2, 3, 8), (4, 3, 3), (3, 4))
def gradients_of_gradients(x, y, w, z):
    pooled = jax.grad(lambda v: jnp.sum(lax.reduce_window(v, -jnp.inf, lax.max, (2, 2), (2, 2), 'VALID') ** 2))(x)
    least = jax.grad(lambda v: jnp.sum(lax.reduce_window(v, jnp.inf, lax.min, (3, 2), (1, 2), 'SAME') ** 3))(x)
    convolved = jax.grad(lambda v: jnp.sum(lax.conv_general_dilated(v, w, (2,), 'SAME') ** 3))(y)
    scanned = jax.grad(lambda v: jnp.sum(lax.scan(lambda c, u: (jnp.sin(c) * u, c), v[0], v)[1]))(z)
    return weighed(pooled) + weighed(least) + weighed(convolved) + weighed(scanned)


@case((40,), lambda rng: np.array([0., -0., 1e-9, -30, 8, -8, 7.99, 100, 1e5]).astype('f4'), rtol=1e-5)
def bessel_functions_in_f32(x, y):
    return weighed(jax.scipy.special.i1e(x.astype('f4') * 9)).astype('f8') + weighed(jax.scipy.special.i1e(y)).astype('f8')


@case((40,), lambda rng: np.array([0., -0., 1e-9, -30, 8, -8, 7.99, 100, 1e5]), rtol=1e-11)
def bessel_functions(x, y):
    s = jax.scipy.special
    return weighed(s.i1e(x * 9)) + weighed(s.i1e(y)) + weighed(s.i1(x) + s.i0(x) + s.i0e(x * 3)) + weighed(jax.grad(lambda v: jnp.sum(s.i1e(v)))(x))


@case((8,), (8, 8), rtol=1e-6)
def conjugate_gradients(b, a):
    """Until it converges, but at most 20 times: a loop with a bound, forward too."""
    a = a @ a.T / 8 + 8 * jnp.eye(8)
    return weighed(jax.scipy.sparse.linalg.cg(lambda v: a @ v, b, tol=1e-12, maxiter=20)[0])


@case(positive(4, 5))
def special(x):
    return weighed(jax.scipy.special.zeta(3., x)) + weighed(jax.scipy.special.polygamma(1, x)) + weighed(lax.approx_max_k(x, 2)[0])
