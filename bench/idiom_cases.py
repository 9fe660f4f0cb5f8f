"""idiom_cases: common idioms of JAX programs for bench/idioms.

A case is (function, arguments) or (function, arguments, view): view takes the results to what is the same whoever
computes them, where signs or orders are free. Arguments are NumPy arrays.
"""


def all_cases(jax, np):
    found = {}
    for group in (indexing, moves, reductions, sorts, prefixes, segments, linalg, products, transforms, pointwise,
                  windows, networks, losses, randoms, loops):
        for name, case in group(jax, np, Some(np)).items():
            found[group.__name__ + ': ' + name] = case
    return found


class Some:
    """Random arrays, the same ones in each process."""

    def __init__(self, np):
        self.np, self.rng = np, np.random.default_rng(0)

    def __call__(self, *dims):
        return self.rng.uniform(-1, 1, dims).astype(self.np.float32)

    def places(self, below, *dims):
        return self.rng.integers(0, below, dims).astype(self.np.int32)

    def positive(self, batch, n):
        x = self(batch, n, n)
        return x @ x.transpose(0, 2, 1) + n * self.np.eye(n, dtype=self.np.float32)

    def solvable(self, batch, n):
        return self(batch, n, n) + n * self.np.eye(n, dtype=self.np.float32)

    def order(self, n):
        return self.rng.permutation(n).astype(self.np.int32)


def indexing(jax, np, some):
    jnp = jax.numpy
    x, wide, rows = some(16384, 64), some(1024, 4096), some.places(16384, 16384)
    return {
        'rows by index': (lambda x, i: x[i], [x, rows]),
        'rows by index, 3 dimensions': (lambda x, i: x[i], [some(4096, 8, 32), some.places(4096, 4096)]),
        'columns by index': (lambda x, i: x[:, i], [wide, some.places(4096, 4096)]),
        'one element of each row': (lambda x, i: x[jnp.arange(x.shape[0]), i], [x, rows % 64]),
        'take_along_axis, rows': (lambda x, i: jnp.take_along_axis(x, i, 1), [x, some.places(64, 16384, 64)]),
        'take_along_axis, columns': (lambda x, i: jnp.take_along_axis(x, i, 0), [x, some.places(16384, 16384, 64)]),
        'where by mask': (lambda x: jnp.where(x > 0, x, 0), [wide]),
        'where of two arrays': (lambda m, x, y: jnp.where(m, x, y), [wide > 0, wide, wide[::-1].copy()]),
        'set rows': (lambda x, i, y: x.at[i].set(y), [x, some.order(16384), some(16384, 64)]),
        'set a slice': (lambda x, y: x.at[100:900, 50:3000].set(y), [wide, some(800, 2950)]),
        'add to rows': (lambda x, i, y: x.at[i].add(y), [x, rows, some(16384, 64)]),
        'add to elements': (lambda x, i, j, y: x.at[i, j].add(y), [x, rows, rows % 64, some(16384)]),
        'largest at rows': (lambda x, i, y: x.at[i].max(y), [x, rows, some(16384, 64)]),
        'dynamic_slice': (lambda x, i: jax.lax.dynamic_slice(x, (i[0], i[1]), (512, 2048)), [wide, some.places(500, 2)]),
        'dynamic_update_slice': (lambda x, y, i: jax.lax.dynamic_update_slice(x, y, (i[0], i[1])),
                                 [wide, some(512, 2048), some.places(500, 2)]),
        'slices per batch': (lambda x, i: jax.vmap(lambda r, k: jax.lax.dynamic_slice(r, (k,), (128,)))(x, i),
                             [wide, some.places(3000, 1024)]),
        'one_hot': (lambda i: jax.nn.one_hot(i, 64), [rows % 64]),
        'argwhere of 20000': (lambda x: jnp.argwhere(x > 0.9, size=20000), [some(512, 1024)]),
        'nonzero': (lambda x: jnp.nonzero(x > 0.5, size=100000)[0], [some(1 << 19)]),
        'searchsorted': (lambda x, y: jnp.searchsorted(x, y), [np.sort(some(4096)), some(65536)]),
        'digitize': (lambda x, y: jnp.digitize(y, x), [np.sort(some(64)), some(262144)]),
        'diagonals': (lambda x: jnp.diagonal(x, axis1=1, axis2=2), [some(256, 128, 128)]),
        'lower triangles': (lambda x: jnp.tril(x), [some(16, 512, 512)]),
    }


def moves(jax, np, some):
    jnp = jax.numpy
    tall, square, wide = some(16384, 64), some(1024, 1024), some(2048, 2048)
    return {
        'transpose 16384x64': (lambda x: x.T, [tall]),
        'transpose 64x16384': (lambda x: x.T, [tall.T.copy()]),
        'transpose 2048x2048': (lambda x: x.T, [wide]),
        'heads to the front': (lambda x: x.transpose(0, 2, 1, 3), [some(8, 512, 12, 64)]),
        'channels last': (lambda x: x.transpose(0, 2, 3, 1), [some(16, 64, 56, 56)]),
        'three axes turned': (lambda x: x.transpose(2, 1, 0), [some(128, 128, 128)]),
        'concatenate rows': (lambda x, y: jnp.concatenate([x, y], 0), [wide, wide]),
        'concatenate columns': (lambda x, y: jnp.concatenate([x, y], 1), [wide, wide]),
        'stack, last': (lambda x, y: jnp.stack([x, y], -1), [wide, wide]),
        'split and swap': (lambda x: jnp.concatenate(jnp.split(x, 4, 1)[::-1], 1), [wide]),
        'roll': (lambda x: jnp.roll(x, 37, 1), [wide]),
        'flip': (lambda x: jnp.flip(x, 1), [wide]),
        'rotate half': (lambda x: jnp.concatenate([-x[..., 32:], x[..., :32]], -1), [some(8, 12, 512, 64)]),
        'pad': (lambda x: jnp.pad(x, ((1, 1), (3, 3))), [wide]),
        'pad, reflected': (lambda x: jnp.pad(x, ((2, 2), (2, 2)), mode='reflect'), [wide]),
        'tile': (lambda x: jnp.tile(x, (2, 3)), [square]),
        'repeat': (lambda x: jnp.repeat(x, 3, axis=1), [square]),
        'every second column': (lambda x: x[:, ::2], [wide]),
        'broadcast and add': (lambda x, v: x + v[:, None], [wide, wide[0]]),
        'to bf16': (lambda x: x.astype(jnp.bfloat16), [wide]),
        'to int8': (lambda x: (x * 127).astype(jnp.int8), [wide]),
        'meshgrid': (lambda x, y: jnp.stack(jnp.meshgrid(x, y)), [some(1024), some(1024)]),
        'patches of 16': (lambda x: x.reshape(8, 14, 16, 14, 16, 3).transpose(0, 1, 3, 2, 4, 5).reshape(8, 196, 768),
                          [some(8, 224, 224, 3)]),
    }


def reductions(jax, np, some):
    jnp = jax.numpy
    x, tall, cube = some(2048, 2048), some(16384, 64), some(64, 256, 256)
    return {
        'sum of all': (lambda x: x.sum(), [x]),
        'sum along rows': (lambda x: x.sum(1), [x]),
        'sum along columns': (lambda x: x.sum(0), [x]),
        'sum of short rows': (lambda x: x.sum(1), [tall]),
        'sum of tall columns': (lambda x: x.sum(0), [tall]),
        'sum of the middle': (lambda x: x.sum(1), [cube]),
        'mean and variance': (lambda x: (x.mean(1), x.var(1)), [x]),
        'standard deviation of all': (lambda x: x.std(), [x]),
        'largest of rows': (lambda x: x.max(1), [x]),
        'argmax of rows': (lambda x: x.argmax(1), [x]),
        'argmax of columns': (lambda x: x.argmax(0), [x]),
        'argmax of all': (lambda x: x.argmax(), [x]),
        'argmin of short rows': (lambda x: x.argmin(1), [tall]),
        'norms of rows': (lambda x: jnp.linalg.norm(x, axis=1), [x]),
        'logsumexp of rows': (lambda x: jax.nn.logsumexp(x, axis=1), [x]),
        'logsumexp of columns': (lambda x: jax.nn.logsumexp(x, axis=0), [x]),
        'any and all': (lambda x: ((x > 0.99).any(1), (x > -1).all(1)), [x]),
        'how many': (lambda x: (x > 0.5).sum(), [x]),
        'product of rows': (lambda x: x.prod(1), [tall]),
        'trapezoid along rows': (lambda x: jnp.trapezoid(x, axis=1), [tall]),
        'trapezoid along columns': (lambda x: jnp.trapezoid(x, axis=0), [tall]),
        'median of rows': (lambda x: jnp.median(x, axis=1), [tall]),
        'ptp': (lambda x: jnp.ptp(x, axis=1), [x]),
        'covariance': (lambda x: jnp.cov(x.T), [tall]),
        'histogram': (lambda x: jnp.histogram(x, bins=64, range=(-1, 1))[0], [some(262144)]),
        'bincount': (lambda i: jnp.bincount(i, length=1000), [some.places(1000, 262144)]),
    }


def sorts(jax, np, some):
    jnp = jax.numpy
    x = some(1024, 1024)
    return {
        'rows': (lambda x: jnp.sort(x, 1), [x]),
        'columns': (lambda x: jnp.sort(x, 0), [x]),
        'one long row': (lambda x: jnp.sort(x), [some(1 << 19)]),
        'argsort of rows': (lambda x: jnp.argsort(x, 1), [x]),
        'argsort of a long row': (lambda x: jnp.argsort(x), [some(1 << 18)]),
        'integers': (lambda x: jnp.sort(x), [some.places(1 << 30, 1 << 19)]),
        'short rows': (lambda x: jnp.sort(x, 1), [some(16384, 32)]),
        'top 8': (lambda x: jax.lax.top_k(x, 8), [some(1024, 4096)]),
        'top 256': (lambda x: jax.lax.top_k(x, 256)[0], [some(256, 4096)]),
        'unique': (lambda x: jnp.unique(x, size=1000), [some.places(1000, 1 << 18)]),
        'lexsort': (lambda x, y: jnp.lexsort((x, y)), [some(1 << 17), some.places(100, 1 << 17)]),
        'quantiles': (lambda x: jnp.quantile(x, jnp.array([0.1, 0.5, 0.9]), axis=1), [x]),
        'permutation': (lambda x: jax.random.permutation(jax.random.key(0), x), [some(1 << 17)]),
    }


def prefixes(jax, np, some):
    jnp, lax = jax.numpy, jax.lax
    x, tall = some(1024, 2048), some(16384, 64)
    return {
        'cumsum along rows': (lambda x: jnp.cumsum(x, 1), [x]),
        'cumsum along columns': (lambda x: jnp.cumsum(x, 0), [x]),
        'cumsum of short rows': (lambda x: jnp.cumsum(x, 1), [tall]),
        'cumsum of a long row': (lambda x: jnp.cumsum(x), [some(1 << 20)]),
        'cumprod': (lambda x: jnp.cumprod(1 + x / 1000, 1), [tall]),
        'cummax': (lambda x: lax.cummax(x, 1), [x]),
        'cumlogsumexp': (lambda x: lax.cumlogsumexp(x, 1), [tall]),
        'diff': (lambda x: jnp.diff(x, axis=1), [x]),
        'linear recurrence, associative_scan': (
            lambda a, b: lax.associative_scan(lambda x, y: (x[0] * y[0], y[0] * x[1] + y[1]), (a, b))[1],
            [some(1024, 256) / 2, some(1024, 256)]),
        'interp': (lambda x, y, z: jnp.interp(z, x, y), [np.sort(some(1024)), some(1024), some(131072)]),
    }


def segments(jax, np, some):
    jnp, ops = jax.numpy, jax.ops
    x, ids = some(16384, 64), some.places(1000, 16384)
    return {
        'segment_sum': (lambda x, i: ops.segment_sum(x, i, 1000), [x, ids]),
        'segment_sum, sorted': (lambda x, i: ops.segment_sum(x, i, 1000, indices_are_sorted=True), [x, np.sort(ids)]),
        'segment_max': (lambda x, i: ops.segment_max(x, i, 1000), [x, ids]),
        'segment_mean': (lambda x, i: ops.segment_sum(x, i, 1000) / jnp.maximum(
            ops.segment_sum(jnp.ones_like(i), i, 1000), 1)[:, None], [x, ids]),
        'segment_sum of numbers': (lambda x, i: ops.segment_sum(x, i, 1000), [some(1 << 18), some.places(1000, 1 << 18)]),
        'segment softmax': (lambda x, i: softmax_of(jax, x, i), [some(1 << 16), some.places(1000, 1 << 16)]),
        'messages of a graph': (lambda x, i, k: ops.segment_sum(x[i], k, 16384),
                                [x, some.places(16384, 65536), some.places(16384, 65536)]),
    }


def softmax_of(jax, x, i):
    top = jax.ops.segment_max(x, i, 1000)
    e = jax.numpy.exp(x - top[i])
    return e / jax.ops.segment_sum(e, i, 1000)[i]


def linalg(jax, np, some):
    jnp, la = jax.numpy, jax.numpy.linalg
    from jax.scipy import linalg as sla
    small, positive, b = some.solvable(512, 16), some.positive(512, 16), some(512, 16, 4)
    large = some.positive(1, 512)[0]
    return {
        'eigh of 512': (lambda x: la.eigh(x), [positive], lambda r: r[:1]),
        'eigvalsh of 512': (lambda x: la.eigvalsh(x), [positive]),
        'eig of 64': (lambda x: la.eig(x), [some(64, 16, 16)], lambda r: [np.sort(abs(r[0]), -1)]),
        'svd of 512': (lambda x: la.svd(x), [small], lambda r: r[1:2]),
        'svd, thin': (lambda x: la.svd(x, full_matrices=False), [some(128, 64, 8)], lambda r: r[1:2]),
        'qr of 512': (lambda x: la.qr(x), [small], lambda r: [abs(r[1])]),
        'cholesky of 512': (lambda x: la.cholesky(x), [positive]),
        'cho_solve of 512': (lambda x, y: sla.cho_solve((la.cholesky(x), True), y), [positive, b]),
        'solve of 512': (lambda x, y: la.solve(x, y), [small, b]),
        'inv of 512': (lambda x: la.inv(x), [small]),
        'det of 512': (lambda x: la.det(x / 16), [small]),
        'slogdet of 512': (lambda x: la.slogdet(x)[1], [small]),
        'pinv of 512': (lambda x: la.pinv(x), [small]),
        'lstsq of 128': (lambda x, y: jax.vmap(lambda a, c: la.lstsq(a, c)[0])(x, y), [some(128, 32, 8), some(128, 32, 2)]),
        'expm of 512': (lambda x: sla.expm(x / 16), [small]),
        'triangular solve of 512': (lambda x, y: sla.solve_triangular(x, y, lower=True), [small, b]),
        'matrix_power 5': (lambda x: la.matrix_power(x / 16, 5), [some(256, 64, 64)]),
        '3x3 det of 65536': (lambda x: la.det(x), [some(65536, 3, 3)]),
        '3x3 inv of 16384': (lambda x: la.inv(x), [some.solvable(16384, 3)]),
        'solve, 512x512': (lambda x, y: la.solve(x, y), [large, some(512, 8)]),
        'cholesky, 512x512': (lambda x: la.cholesky(x), [large]),
        'eigh, 128x128': (lambda x: la.eigh(x), [large[:128, :128].copy()], lambda r: r[:1]),
        'qr, 512x64': (lambda x: la.qr(x), [some(512, 64)], lambda r: [abs(r[1])]),
        'newton-schulz 512x1024': (lambda x: newton_schulz(jnp, x), [some(512, 1024)]),
    }


def newton_schulz(jnp, x):
    x = x / jnp.linalg.norm(x)
    for _ in range(5):
        a = x @ x.T
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return x


def products(jax, np, some):
    jnp = jax.numpy
    return {
        'square 512': (lambda x, y: x @ y, [some(512, 512), some(512, 512)]),
        'thin 4096x64x64': (lambda x, y: x @ y, [some(4096, 64), some(64, 64)]),
        'transposed left': (lambda x, y: x.T @ y, [some(4096, 128), some(4096, 128)]),
        'matrix by vector': (lambda x, y: x @ y, [some(2048, 2048), some(2048)]),
        'vector by matrix': (lambda x, y: y @ x, [some(2048, 2048), some(2048)]),
        'batch of 256': (lambda x, y: x @ y, [some(256, 32, 32), some(256, 32, 32)]),
        'batch of 4x4': (lambda x, y: x @ y, [some(16384, 4, 4), some(16384, 4, 4)]),
        'outer': (lambda x, y: jnp.outer(x, y), [some(2048), some(2048)]),
        'rows by rows': (lambda x, y: jnp.einsum('ij,ij->i', x, y), [some(16384, 64), some(16384, 64)]),
        'bilinear': (lambda x, w, y: jnp.einsum('bi,ij,bj->b', x, w, y), [some(4096, 64), some(64, 64), some(4096, 64)]),
        'einsum of heads': (lambda x, w: jnp.einsum('btd,dhk->bthk', x, w), [some(8, 128, 256), some(256, 8, 32)]),
        'scores': (lambda q, k: jnp.einsum('bthd,bshd->bhts', q, k), [some(4, 128, 8, 64), some(4, 128, 8, 64)]),
        'bf16 512': (lambda x, y: x @ y, [some(512, 512).astype(jnp.bfloat16), some(512, 512).astype(jnp.bfloat16)]),
        'int32 256': (lambda x, y: x @ y, [some.places(99, 256, 256), some.places(99, 256, 256)]),
        'distances': (lambda x, y: ((x[:, None] - y[None]) ** 2).sum(-1), [some(512, 16), some(512, 16)]),
        'kron': (lambda x, y: jnp.kron(x, y), [some(32, 32), some(32, 32)]),
        'polyval': (lambda c, x: jnp.polyval(c, x), [some(8), some(1 << 19)]),
        'tensordot': (lambda x, y: jnp.tensordot(x, y, [[1, 2], [0, 1]]), [some(128, 32, 32), some(32, 32, 128)]),
    }


def transforms(jax, np, some):
    fft = jax.numpy.fft
    z = some(256, 1024) + 1j * some(256, 1024)
    return {
        'fft of rows': (lambda x: fft.fft(x), [z]),
        'rfft of rows': (lambda x: fft.rfft(x), [z.real.copy()]),
        'irfft of rows': (lambda x: fft.irfft(x), [z[:, :513].copy()]),
        'fft of columns': (lambda x: fft.fft(x, axis=0), [z]),
        'fft2': (lambda x: fft.fft2(x), [some(4, 256, 256) + 0j * some(4, 256, 256)]),
        'fft of 1000': (lambda x: fft.fft(x), [z[:, :1000].copy()]),
        'fft of a prime': (lambda x: fft.fft(x), [z[:, :1009].copy()]),
        'one long fft': (lambda x: fft.fft(x), [z.reshape(-1)]),
        'convolution by fft': (lambda x, k: fft.irfft(fft.rfft(x) * fft.rfft(k)), [z.real.copy(), z.imag.copy()]),
        'dct': (lambda x: jax.scipy.fft.dct(x), [z.real.copy()]),
    }


def pointwise(jax, np, some):
    jnp, nn = jax.numpy, jax.nn
    x = some(1024, 1024)
    return {
        'exp': (lambda x: jnp.exp(x), [x]),
        'log1p': (lambda x: jnp.log1p(abs(x)), [x]),
        'tanh': (lambda x: jnp.tanh(x), [x]),
        'sin and cos': (lambda x: (jnp.sin(x), jnp.cos(x)), [x]),
        'power': (lambda x: jnp.power(abs(x), 1.7), [x]),
        'sqrt and division': (lambda x, y: x / jnp.sqrt(y * y + 1), [x, x.T.copy()]),
        'arctan2': (lambda x, y: jnp.arctan2(x, y), [x, x.T.copy()]),
        'erf': (lambda x: jax.scipy.special.erf(x), [x]),
        'gammaln': (lambda x: jax.scipy.special.gammaln(abs(x) + 1), [x]),
        'gelu': (lambda x: nn.gelu(x), [x]),
        'silu': (lambda x: nn.silu(x), [x]),
        'softplus': (lambda x: nn.softplus(x), [x]),
        'complex product': (lambda x, y: x * y, [x + 1j * x.T, x.T - 1j * x]),
        'abs of complex': (lambda x: abs(x), [x + 1j * x.T]),
        'clip and round': (lambda x: jnp.round(jnp.clip(x * 9, -5, 5)), [x]),
        'integer division': (lambda x: x // 7 + x % 7, [some.places(1 << 20, 1024, 1024)]),
        'bits': (lambda x: (x ^ (x >> 3)) & 255, [some.places(1 << 30, 1024, 1024)]),
        'int8 add': (lambda x, y: x + y, [some.places(50, 2048, 2048).astype(np.int8)] * 2),
        'bf16 gelu': (lambda x: nn.gelu(x), [x.astype(jnp.bfloat16)]),
        'gradient of a sum': (jax.grad(lambda x: jnp.sum(jnp.sin(x) * x)), [x]),
    }


def windows(jax, np, some):
    jnp, lax = jax.numpy, jax.lax
    image = some(8, 56, 56, 64)

    def conv(x, k, stride=1, groups=1):
        return lax.conv_general_dilated(x, k, (stride, stride), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'),
                                        feature_group_count=groups)

    def pool(x, op, init):
        return lax.reduce_window(x, init, op, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID')
    return {
        'conv 3x3': (conv, [image, some(3, 3, 64, 64)]),
        'conv 1x1': (conv, [image, some(1, 1, 64, 64)]),
        'conv 7x7, stride 2, 3 channels': (lambda x, k: conv(x, k, 2), [some(4, 224, 224, 3), some(7, 7, 3, 64)]),
        'conv, depthwise': (lambda x, k: conv(x, k, 1, 64), [image, some(3, 3, 1, 64)]),
        'conv of NCHW': (lambda x, k: lax.conv(x, k, (1, 1), 'SAME'), [some(8, 64, 28, 28), some(64, 64, 3, 3)]),
        'conv of lines': (lambda x, k: lax.conv_general_dilated(x, k, (1,), 'SAME', dimension_numbers=('NWC', 'WIO', 'NWC')),
                          [some(16, 1024, 64), some(5, 64, 64)]),
        'jnp.convolve': (lambda x, k: jnp.convolve(x, k, mode='same'), [some(65536), some(31)]),
        'max pool': (lambda x: pool(x, lax.max, -jnp.inf), [image]),
        'average pool': (lambda x: pool(x, lax.add, 0.) / 4, [image]),
        'max pool, gradient': (jax.grad(lambda x: (pool(x, lax.max, -jnp.inf) ** 2).sum()), [image]),
        'moving average': (lambda x: lax.reduce_window(x, 0., lax.add, (1, 9), (1, 1), 'SAME') / 9, [some(1024, 1024)]),
        'five-point stencil': (lambda x: x[1:-1, 1:-1] * -4 + x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2],
                               [some(1024, 1024)]),
        'resize, bilinear': (lambda x: jax.image.resize(x, (8, 112, 112, 16), 'bilinear'), [image[..., :16].copy()]),
        'resize, nearest': (lambda x: jax.image.resize(x, (8, 112, 112, 16), 'nearest'), [image[..., :16].copy()]),
    }


def networks(jax, np, some):
    jnp, nn = jax.numpy, jax.nn
    x, w1, w2 = some(512, 256), some(256, 1024) / 16, some(1024, 256) / 32
    q = [some(4, 256, 8, 64) for _ in range(3)]

    def norm(x):
        return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)

    def rms(x):
        return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6)

    def batch_norm(x):
        return (x - x.mean((0, 1, 2))) * jax.lax.rsqrt(x.var((0, 1, 2)) + 1e-5)

    def group_norm(x):
        return norm(x.reshape(8, 28 * 28, 8, 8).transpose(0, 2, 1, 3).reshape(8, 8, -1))

    def attention(q, k, v):
        return nn.dot_product_attention(q, k, v, is_causal=True)

    def mlp(x, w1, w2):
        return nn.gelu(x @ w1) @ w2

    def rotary(x, a):
        y = x.reshape(*x.shape[:-1], -1, 2)
        c, s = jnp.cos(a)[:, None], jnp.sin(a)[:, None]
        return jnp.stack([y[..., 0] * c - y[..., 1] * s, y[..., 0] * s + y[..., 1] * c], -1).reshape(x.shape)

    def adam(p, m, v, g):
        m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
        return p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), m, v
    wide = some(4096, 1024)
    return {
        'softmax': (lambda x: nn.softmax(x), [wide]),
        'log_softmax': (lambda x: nn.log_softmax(x), [wide]),
        'softmax of columns': (lambda x: nn.softmax(x, 0), [wide]),
        'layer norm': (norm, [wide]),
        'layer norm, gradient': (jax.grad(lambda x: (norm(x) ** 3).sum()), [wide]),
        'rms norm': (rms, [wide]),
        'batch norm': (batch_norm, [some(8, 28, 28, 64)]),
        'group norm': (group_norm, [some(8, 28, 28, 64)]),
        'attention': (lambda q, k, v: nn.dot_product_attention(q, k, v), q),
        'attention, causal': (attention, q),
        'attention, gradient': (jax.grad(lambda q, k, v: (attention(q, k, v) ** 2).sum(), (0, 1, 2)), q),
        'mlp': (mlp, [x, w1, w2]),
        'mlp, gradient': (jax.grad(lambda w1, w2, x: (mlp(x, w1, w2) ** 2).mean(), (0, 1)), [w1, w2, x]),
        'glu': (lambda x: nn.glu(x), [wide]),
        'rotary embedding': (rotary, [some(4, 256, 8, 64), some(256, 32)]),
        'embedding, gradient': (jax.grad(lambda t, i: (t[i] ** 2).sum()), [some(8192, 128), some.places(8192, 4096)]),
        'dropout': (lambda x: jnp.where(jax.random.bernoulli(jax.random.key(1), 0.9, x.shape), x / 0.9, 0), [some(1024, 1024)]),
        'adam': (adam, [some(1 << 20), some(1 << 20), abs(some(1 << 20)), some(1 << 20)]),
        'clip by global norm': (lambda *g: [x / jnp.maximum(1., jnp.sqrt(sum((y * y).sum() for y in g))) for x in g],
                                [some(512, 512) for _ in range(4)]),
        'moe gates': (lambda x: nn.softmax(jax.lax.top_k(x, 2)[0]), [some(16384, 16)]),
    }


def losses(jax, np, some):
    jnp, nn = jax.numpy, jax.nn
    logits, labels = some(2048, 2048), some.places(2048, 2048)

    def cross_entropy(x, y):
        return -jnp.take_along_axis(nn.log_softmax(x), y[:, None], 1).mean()
    return {
        'cross entropy': (cross_entropy, [logits, labels]),
        'cross entropy, gradient': (jax.grad(cross_entropy), [logits, labels]),
        'cross entropy of one_hot': (lambda x, y: -(nn.one_hot(y, 2048) * nn.log_softmax(x)).sum(1).mean(), [logits, labels]),
        'binary cross entropy': (lambda x, y: (jnp.maximum(x, 0) - x * y + jnp.log1p(jnp.exp(-abs(x)))).mean(),
                                 [logits, (logits > 0).astype(np.float32)]),
        'mean squared error': (lambda x, y: ((x - y) ** 2).mean(), [logits, logits.T.copy()]),
        'huber': (lambda x, y: jnp.where(abs(x - y) < 0.5, (x - y) ** 2, abs(x - y) - 0.25).mean(), [logits, logits.T.copy()]),
        'cosine similarity': (lambda x, y: (x * y).sum(1) / jnp.linalg.norm(x, axis=1) / jnp.linalg.norm(y, axis=1),
                              [logits, logits.T.copy()]),
        'contrastive': (lambda x, y: nn.log_softmax(x @ y.T * 10).trace(), [some(512, 128), some(512, 128)]),
        'kl divergence': (lambda x, y: (nn.softmax(x) * (nn.log_softmax(x) - nn.log_softmax(y))).sum(1).mean(),
                          [logits, logits.T.copy()]),
        'accuracy': (lambda x, y: (x.argmax(1) == y).mean(), [logits, labels]),
    }


def randoms(jax, np, some):
    r = jax.random
    key = lambda n: r.key(n[0])
    n = np.array([3], np.uint32)
    return {
        'bits': (lambda n: r.bits(key(n), (1 << 20,)), [n]),
        'uniform': (lambda n: r.uniform(key(n), (1 << 20,)), [n]),
        'normal': (lambda n: r.normal(key(n), (1 << 20,)), [n]),
        'randint': (lambda n: r.randint(key(n), (1 << 19,), 0, 1000), [n]),
        'bernoulli': (lambda n: r.bernoulli(key(n), 0.3, (1 << 20,)), [n]),
        'categorical': (lambda n, x: r.categorical(key(n), x), [n, some(4096, 256)]),
        'gumbel': (lambda n: r.gumbel(key(n), (1 << 19,)), [n]),
        'exponential': (lambda n: r.exponential(key(n), (1 << 19,)), [n]),
        'split into 4096': (lambda n: r.key_data(r.split(key(n), 4096)), [n]),
        'choice': (lambda n, x: r.choice(key(n), x, (65536,)), [n, some(4096)]),
        'truncated normal': (lambda n: r.truncated_normal(key(n), -2., 2., (1 << 18,)), [n]),
        'gamma': (lambda n: r.gamma(key(n), 2., (4096,)), [n]),
    }


def loops(jax, np, some):
    jnp, lax = jax.numpy, jax.lax

    def rnn(h, w, x):
        return lax.scan(lambda h, x: (jnp.tanh(h @ w + x),) * 2, h, x)[1]

    def power(x, v):
        return lax.fori_loop(0, 50, lambda _, v: (lambda y: y / jnp.linalg.norm(y))(x @ v), v)

    def newton(x):
        return lax.while_loop(lambda s: (s[1] < 20), lambda s: (s[0] - (s[0] ** 2 - x) / (2 * s[0]), s[1] + 1),
                              (x, 0))[0]

    def heat(x):
        def step(_, x):
            inner = x[1:-1, 1:-1] + 0.1 * (x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2] - 4 * x[1:-1, 1:-1])
            return x.at[1:-1, 1:-1].set(inner)
        return lax.fori_loop(0, 50, step, x)

    def kalman(x):
        def step(s, z):
            m, p = s
            k = p / (p + 0.1)
            return (m + k * (z - m), (1 - k) * p + 0.01), m
        return lax.scan(step, (x[0], jnp.ones_like(x[0])), x)[1]
    return {
        'rnn by scan': (rnn, [some(64, 128), some(128, 128) / 8, some(64, 64, 128)]),
        'power iteration': (power, [some(512, 512), some(512)]),
        'newton, while': (newton, [abs(some(1 << 18)) + 1]),
        'heat, 50 steps': (heat, [some(512, 512)]),
        'kalman by scan': (kalman, [some(1000, 64)]),
        'map': (lambda x: lax.map(lambda r: jnp.sort(r)[:4], x), [some(256, 256)]),
        'cond': (lambda x: lax.cond(x[0, 0] > 9, jnp.sin, jnp.cos, x), [some(1024, 1024)]),
        'vmap of a dot': (lambda x, y: jax.vmap(jnp.dot)(x, y), [some(16384, 64), some(16384, 64)]),
        'jacobian': (jax.jacfwd(lambda x: jnp.tanh(x @ np.ones((64, 64), np.float32) / 64)), [some(64)]),
    }
