"""Whole programs as their users write them: models with their gradients and updates, filters, searches, solvers."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn

from cases import bf16, c64, case, f16, f32, f64, i32, i64, pred, u8, u32

TRAINED = dict(rtol=1e-4, why='a gradient through some tens of roundings')


def trained(loss, n):
    """Loss and a step of gradient descent for the first n arguments."""
    def step(*a):
        value, grads = jax.value_and_grad(loss, tuple(range(n)))(*a)
        return value, [p - jnp.asarray(0.01, p.dtype) * g for p, g in zip(a[:n], grads)]
    return step


def cross_entropy(logits, labels):
    return -jnp.take_along_axis(nn.log_softmax(logits), labels[:, None], 1).mean()


def cnn(w1, g, b, w2, w3, x, y):
    """Convolution, batch norm, pooling, dropout, a dense layer."""
    conv = functools.partial(lax.conv_general_dilated, window_strides=(1, 1), padding='SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))
    h = conv(x, w1)
    m, v = h.mean((0, 1, 2)), h.var((0, 1, 2))
    h = nn.relu((h - m) * lax.rsqrt(v + 1e-5) * g + b)
    h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID')
    h = jnp.where(jax.random.bernoulli(jax.random.key(7), 0.7, h.shape), h / 0.7, 0)
    h = nn.relu(conv(h, w2, window_strides=(2, 2)))
    return cross_entropy(h.reshape(h.shape[0], -1) @ w3, y)


def cnn_args(n, size, c, k):
    return f32(3, 3, 3, c).within(-.3, .3), f32(c), f32(c), f32(3, 3, c, 2 * c).within(-.3, .3), f32((size // 2 + 1) // 2 * ((size // 2 + 1) // 2) * 2 * c, k).within(-.2, .2), f32(n, size, size, 3), i32(n).within(0, k - 1)


def depthwise(w, p, x):
    h = lax.conv_general_dilated(x, w, (2, 1), ((1, 2), (2, 2)), rhs_dilation=(1, 2), dimension_numbers=('NHWC', 'HWIO', 'NHWC'), feature_group_count=x.shape[-1])
    return (nn.silu(h) @ p).sum()


def upsample(w, x):
    return (nn.gelu(lax.conv_transpose(x, w, (2, 2), 'SAME')) ** 2).mean()


def lstm(wx, wh, b, wo, x):
    def cell(s, x):
        h, c = s
        i, f, g, o = jnp.split(x @ wx + h @ wh + b, 4, -1)
        c = nn.sigmoid(f + 1) * c + nn.sigmoid(i) * jnp.tanh(g)
        h = nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    zero = jnp.zeros((x.shape[1], wh.shape[0]), x.dtype)
    (_, c), hs = lax.scan(cell, (zero, zero), x)
    return ((hs @ wo) ** 2).mean() + (c ** 2).mean()


def gru(wx, wh, x):
    def cell(h, x):
        z, r, n = jnp.split(x @ wx, 3, -1)
        uz, ur, un = jnp.split(h @ wh, 3, -1)
        z, r = nn.sigmoid(z + uz), nn.sigmoid(r + ur)
        return (1 - z) * jnp.tanh(n + r * un) + z * h, None
    return (lax.scan(cell, jnp.zeros((x.shape[1], wh.shape[0]), x.dtype), x, reverse=True)[0] ** 2).sum()


def norm(x):
    return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def rotary(x):
    t = jnp.arange(x.shape[1])[:, None] * 10000.0 ** (-jnp.arange(0, x.shape[-1], 2) / x.shape[-1])
    s, c = jnp.sin(t)[:, None, :].astype(x.dtype), jnp.cos(t)[:, None, :].astype(x.dtype)
    a, b = x[..., ::2], x[..., 1::2]
    return jnp.stack([a * c - b * s, a * s + b * c], -1).reshape(x.shape)


def block(x, qkv, out, up, down, heads):
    q, k, v = jnp.moveaxis((norm(x) @ qkv).reshape(x.shape[0], x.shape[1], 3, heads, -1), 2, 0)
    s = jnp.einsum('bqhd,bkhd->bhqk', rotary(q), rotary(k)) / q.shape[-1] ** 0.5
    s = jnp.where(jnp.tril(jnp.ones((x.shape[1],) * 2, bool)), s, jnp.finfo(s.dtype).min)
    x = x + jnp.einsum('bhqk,bkhd->bqhd', nn.softmax(s), v).reshape(x.shape) @ out
    return x + nn.gelu(norm(x) @ up) @ down


def transformer(e, qkv, out, up, down, ids):
    """Layers by scan, tied embeddings."""
    x = e[ids]
    x, _ = lax.scan(lambda x, w: (jax.checkpoint(functools.partial(block, heads=2))(x, *w), None), x, (qkv, out, up, down))
    logits = norm(x)[:, :-1] @ e.T
    return cross_entropy(logits.reshape(-1, e.shape[0]), ids[:, 1:].reshape(-1))


def transformer_args(vocabulary, d, layers, n, length, t=f32):
    return (t(vocabulary, d), t(layers, d, 3 * d).within(-.3, .3), t(layers, d, d).within(-.3, .3), t(layers, d, 4 * d).within(-.3, .3), t(layers, 4 * d, d).within(-.3, .3),
            i32(n, length).within(0, vocabulary - 1))


def patches(w, cls, pos, x):
    n, h, _, c = x.shape
    p = 4
    t = x.reshape(n, h // p, p, h // p, p, c).transpose(0, 1, 3, 2, 4, 5).reshape(n, (h // p) ** 2, p * p * c) @ w
    t = jnp.concatenate([jnp.broadcast_to(cls, (n, 1, w.shape[1])), t], 1) + pos
    return (norm(t)[:, 0] ** 3).sum()


def unet(w1, w2, wt, x, t):
    """Down, up by nearest neighbours, a skip, group norm, an embedding of the time."""
    conv = functools.partial(lax.conv_general_dilated, window_strides=(1, 1), padding='SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))
    f = jnp.exp(-jnp.arange(4) * 0.5)
    emb = jnp.concatenate([jnp.sin(t[:, None] * f), jnp.cos(t[:, None] * f)], 1) @ wt
    h = conv(x, w1) + emb[:, None, None, :]
    g = h.reshape(h.shape[:3] + (2, -1))
    g = (g - g.mean((1, 2, 4), keepdims=True)) * lax.rsqrt(g.var((1, 2, 4), keepdims=True) + 1e-5)
    h = nn.silu(g.reshape(h.shape))
    low = lax.reduce_window(h, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID') / 4
    up = jax.image.resize(nn.silu(low), h.shape, 'nearest')
    return ((conv(jnp.concatenate([h, up], -1), w2) - x) ** 2).mean()


def gnn(w, u, x, edges):
    """Attention over edges: softmax by segment, messages added up."""
    s, r = edges
    n = x.shape[0]
    h = x @ w
    e = nn.leaky_relu((h[s] * u).sum(-1) + (h[r] * u[::-1]).sum(-1))
    top = jax.ops.segment_max(e, r, n)
    e = jnp.exp(e - jnp.where(jnp.isfinite(top), top, 0)[r])
    e = e / (jax.ops.segment_sum(e, r, n)[r] + 1e-9)
    return (nn.elu(jax.ops.segment_sum(e[:, None] * h[s], r, n)) ** 2).sum()


def kalman(F, H, q, r, z):
    def step(s, z):
        x, P = s
        x, P = F @ x, F @ P @ F.T + q * jnp.eye(F.shape[0])
        S = H @ P @ H.T + r * jnp.eye(H.shape[0])
        K = jnp.linalg.solve(S, H @ P).T
        y = z - H @ x
        x, P = x + K @ y, P - K @ H @ P
        return (x, P), (x, jnp.linalg.slogdet(S)[1] + y @ jnp.linalg.solve(S, y))
    _, (xs, ll) = lax.scan(step, (jnp.zeros(F.shape[0]), jnp.eye(F.shape[0])), z)
    return xs, ll.sum()


def rk45(y0):
    """Adaptive steps until t = 1, in a while loop."""
    f = lambda t, y: jnp.stack([y[1], (1 - y[0] ** 2) * y[1] - y[0]]) * (1 + 0.1 * t)

    def step(s):
        t, y, h, n = s
        k1 = f(t, y)
        k2 = f(t + h / 4, y + h / 4 * k1)
        k3 = f(t + 3 * h / 8, y + h * (3 * k1 + 9 * k2) / 32)
        k4 = f(t + h / 2, y + h / 2 * k3)
        fine, coarse = y + h * (k1 + 2 * k2 + 2 * k3 + k4) / 6, y + h * k2
        error = jnp.abs(fine - coarse).max()
        good = error < 0.05
        return jnp.where(good, t + h, t), jnp.where(good, fine, y), jnp.minimum(jnp.where(good, h * 1.2, h * 0.5), 1 - t), n + 1
    return lax.while_loop(lambda s: (s[0] < 1 - 1e-6) & (s[3] < 200), step, (jnp.float32(0), y0, jnp.float32(0.1), 0))[1]


def newton(a):
    return lax.while_loop(lambda s: (jnp.abs(s[0] ** 2 - a) > 1e-4 * a).any() & (s[1] < 50), lambda s: (0.5 * (s[0] + a / s[0]), s[1] + 1), (a, 0))


def power_iteration(A):
    v = lax.fori_loop(0, 60, lambda i, v: (lambda w: w / jnp.linalg.norm(w))(A @ v), jnp.ones(A.shape[0], A.dtype))
    return v @ A @ v


def conjugate_gradient(A, b):
    def step(s):
        x, r, p, k = s
        Ap = A @ p
        alpha = r @ r / (p @ Ap)
        n = r - alpha * Ap
        return x + alpha * p, n, n + (n @ n) / (r @ r) * p, k + 1
    return lax.while_loop(lambda s: (s[1] @ s[1] > 1e-8) & (s[3] < 40), step, (jnp.zeros_like(b), b, b, 0))[0]


def sample(logits, steps):
    """Top-k sampling from a table of bigrams."""
    def step(s, key):
        top, ids = lax.top_k(logits[s], 5)
        s = jnp.take_along_axis(ids, jax.random.categorical(key, top)[:, None], 1)[:, 0]
        return s, s
    return lax.scan(step, jnp.arange(4) % logits.shape[0], jax.random.split(jax.random.key(3), steps))[1]


def beam(logits, steps, width=3):
    n = logits.shape[0]

    def step(s, _):
        score, last = s
        all = (score[:, None] + nn.log_softmax(logits)[last]).reshape(-1)
        score, at = lax.top_k(all, width)
        return (score, at % n), (at // n, at % n)
    (score, last), (parents, ids) = lax.scan(step, (jnp.array([0.0] + [-jnp.inf] * (width - 1)), jnp.zeros(width, jnp.int32)), None, steps)
    _, path = lax.scan(lambda k, pi: (pi[0][k], pi[1][k]), jnp.argmax(score), (parents, ids), reverse=True)
    return score, path


def viterbi(start, move, emit):
    def step(v, e):
        all = v[:, None] + move
        return all.max(0) + e, all.argmax(0)
    v, back = lax.scan(step, start + emit[0], emit[1:])
    last = v.argmax()
    return v.max(), jnp.append(lax.scan(lambda s, b: (b[s], s), last, back, reverse=True)[1], last)


def ctc(logits, labels):
    """Log-likelihood of labels over extended states with blanks."""
    lp = nn.log_softmax(logits)
    ext = jnp.zeros(2 * labels.shape[0] + 1, labels.dtype).at[1::2].set(labels)
    skip = jnp.concatenate([jnp.zeros(2, bool), (ext[2:] != 0) & (ext[2:] != ext[:-2])])
    low = -1e30

    def step(a, p):
        b = jnp.concatenate([jnp.full(1, low), a[:-1]])
        c = jnp.where(skip, jnp.concatenate([jnp.full(2, low), a[:-2]]), low)
        return nn.logsumexp(jnp.stack([a, b, c]), 0) + p[ext], None
    a = jnp.full(ext.shape, low).at[0].set(lp[0, 0]).at[1].set(lp[0, labels[0]])
    a, _ = lax.scan(step, a, lp[1:])
    return -jnp.logaddexp(a[-1], a[-2])


def fft_convolve(x, w):
    n = x.shape[-1] + w.shape[-1] - 1
    return jnp.fft.irfft(jnp.fft.rfft(x, n) * jnp.fft.rfft(w, n), n)


def lamb(p, g, m, v):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    u = m / (1 - 0.9) / (jnp.sqrt(v / (1 - 0.999)) + 1e-6) + 0.01 * p
    a, b = jnp.linalg.norm(p), jnp.linalg.norm(u)
    return p - 1e-2 * jnp.where((a > 0) & (b > 0), a / b, 1) * u, m, v


def adafactor(p, g, r, c):
    s = g * g + 1e-30
    r, c = 0.9 * r + 0.1 * s.mean(1), 0.9 * c + 0.1 * s.mean(0)
    u = g * lax.rsqrt(r / r.mean())[:, None] * lax.rsqrt(c)
    return p - 0.01 * u / jnp.maximum(1, jnp.sqrt((u * u).mean())), r, c


def gaussian_process(x, y, l):
    k = jnp.exp(-0.5 * ((x[:, None] - x[None]) / l) ** 2) + 0.1 * jnp.eye(x.shape[0])
    L = jnp.linalg.cholesky(k)
    a = jax.scipy.linalg.cho_solve((L, True), y)
    return 0.5 * y @ a + jnp.log(jnp.diag(L)).sum()


def kmeans(x, c):
    def step(c, _):
        near = ((x[:, None] - c[None]) ** 2).sum(-1).argmin(1)
        n = jax.ops.segment_sum(jnp.ones(x.shape[0]), near, c.shape[0])
        return jax.ops.segment_sum(x, near, c.shape[0]) / jnp.maximum(n, 1)[:, None], near
    return lax.scan(step, c, None, 4)


def mixture_of_experts(gate, w, x):
    p, at = lax.top_k(nn.softmax(x @ gate), 2)
    h = jnp.einsum('td,tkdf->tkf', x, w[at])
    return (jnp.einsum('tkf,tk->tf', nn.relu(h), p) ** 2).sum()


def life(x):
    return lax.fori_loop(0, 6, lambda _, x: (lambda n: ((n == 3) | ((n == 2) & (x == 1))).astype(x.dtype))(sum(jnp.roll(x, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)), x)


def sieve(n):
    def strike(i, p):
        return jnp.where((jnp.arange(n) % i == 0) & (jnp.arange(n) > i), False, p)
    return lax.fori_loop(2, 12, strike, jnp.ones(n, bool)).sum()


def edit_distance(a, b):
    def row(d, x):
        def cell(left, c):
            up, diagonal, y = c
            best = jnp.minimum(jnp.minimum(left + 1, up + 1), diagonal + (x != y))
            return best, best
        _, r = lax.scan(cell, d[0] + 1, (d[1:], d[:-1], b))
        return jnp.append(d[0] + 1, r), None
    return lax.scan(row, jnp.arange(b.shape[0] + 1), a)[0][-1]


def mandelbrot(c):
    return lax.fori_loop(0, 30, lambda i, s: (jnp.where(jnp.abs(s[0]) <= 2, s[0] ** 2 + c, s[0]), s[1] + (jnp.abs(s[0]) <= 2)), (jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int32)))[1]


def crc(data):
    """A check sum bit by bit, in unsigned words."""
    def byte(c, b):
        return lax.fori_loop(0, 8, lambda i, c: jnp.where(c & 1, (c >> 1) ^ jnp.uint32(0xEDB88320), c >> 1), c ^ b.astype(jnp.uint32)), None
    return ~lax.scan(byte, jnp.uint32(0xFFFFFFFF), data)[0]


def heat(u):
    return lax.scan(lambda u, _: (u.at[1:-1, 1:-1].add(0.2 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])), u[u.shape[0] // 2]), u, None, 10)


def n_body(x, v):
    def force(x):
        d = x[:, None] - x[None]
        return -(d / ((d ** 2).sum(-1) + 0.1)[..., None] ** 1.5).sum(1)

    def leap(s, _):
        x, v = s
        v = v + 0.01 * force(x)
        return (x + 0.02 * v, v + 0.01 * force(x + 0.02 * v)), (v ** 2).sum()
    return lax.scan(leap, (x, v), None, 8)


def metropolis(x):
    def step(s, key):
        a, b = jax.random.split(key)
        y = s + jax.random.normal(a, s.shape)
        take = jnp.log(jax.random.uniform(b, s.shape)) < 0.5 * (s ** 2 - y ** 2)
        return jnp.where(take, y, s), take.mean()
    return lax.scan(step, x, jax.random.split(jax.random.key(0), 12))


def quantised(x, w):
    """Weights and activations in eight bits, sums in 32."""
    a, b = jnp.abs(x).max() / 127, jnp.abs(w).max(0) / 127
    q = lax.dot(jnp.round(x / a).astype(jnp.int8), jnp.round(w / b).astype(jnp.int8), preferred_element_type=jnp.int32)
    return q.astype(jnp.float32) * a * b


def nms(boxes, score):
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    low, high = jnp.maximum(boxes[:, None, :2], boxes[None, :, :2]), jnp.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    both = jnp.maximum(high - low, 0).prod(-1)
    over = both / (area[:, None] + area[None] - both + 1e-9)
    order = jnp.argsort(-score)
    o = over[order][:, order]
    return jnp.zeros(score.shape, bool).at[order].set(lax.fori_loop(0, score.shape[0], lambda i, k: k & ~(k[i] & (o[i] > 0.3) & (jnp.arange(k.shape[0]) > i)), jnp.ones(score.shape, bool)))


def boxes(*s):
    x = np.random.default_rng(1).uniform(0, 1, s + (4,)).astype(np.float32)
    return np.concatenate([x[..., :2], x[..., :2] + x[..., 2:]], -1)


def random_edges(nodes, n):
    return np.random.default_rng(2).integers(0, nodes, (2, n)).astype(np.int32)


def symmetric(n, dtype=np.float32):
    a = np.random.default_rng(3).standard_normal((n, n))
    return (a @ a.T / n + np.eye(n)).astype(dtype)


def spectrogram(x):
    frames = x[np.arange(0, x.shape[0] - 31, 16)[:, None] + np.arange(32)]
    return jnp.log1p(jnp.abs(jnp.fft.rfft(frames * jnp.hanning(32).astype(x.dtype))) ** 2)


def bilinear(image, at):
    return jax.vmap(lambda c: jax.scipy.ndimage.map_coordinates(c, list(at), 1, mode='nearest'), -1, -1)(image)


CASES = []
for n, size, c, k in ((2, 8, 4, 3), (3, 11, 5, 7)):
    CASES.append(case('training cnn %dx%d' % (size, size), trained(cnn, 5), *cnn_args(n, size, c, k), **TRAINED))
for vocabulary, d, layers, n, length in ((11, 8, 2, 2, 5), (50, 32, 3, 2, 17)):
    CASES.append(case('training transformer d=%d' % d, trained(transformer, 5), *transformer_args(vocabulary, d, layers, n, length), **TRAINED))
    CASES.append(case('transformer bf16 d=%d' % d, transformer, *transformer_args(vocabulary, d, layers, n, length, bf16), rtol=5e-2, why='some tens of bf16 roundings'))
for steps, n, d, h in ((5, 2, 3, 4), (17, 3, 8, 16)):
    CASES.append(case('training lstm %d steps' % steps, trained(lstm, 4), f32(d, 4 * h).within(-.5, .5), f32(h, 4 * h).within(-.5, .5), f32(4 * h), f32(h, 3), f32(steps, n, d), **TRAINED))
    CASES.append(case('training gru %d steps' % steps, trained(gru, 2), f32(d, 3 * h).within(-.5, .5), f32(h, 3 * h).within(-.5, .5), f32(steps, n, d), **TRAINED))
for n in (5, 40):
    CASES.append(case('training gnn %d nodes' % n, trained(gnn, 2), f32(6, 4), f32(4), f32(n, 6), random_edges(n, 3 * n), **TRAINED))
    CASES.append(case('gaussian process %d' % n, jax.value_and_grad(gaussian_process, 2), f32(n).within(-1, 1), f32(n), np.float32(0.7), rtol=1e-3, why='an inverse of condition 100'))
    CASES.append(case('power iteration %d' % n, power_iteration, symmetric(n), rtol=1e-4, why='sixty products'))
    CASES.append(case('conjugate gradient %d' % n, conjugate_gradient, symmetric(n), f32(n), rtol=1e-3, why='as exact as its own limit'))
    CASES.append(case('kmeans %d' % n, kmeans, f32(4 * n, 3), f32(3, 3)))
    CASES.append(case('nms %d' % n, nms, boxes(n), f32(n)))
    CASES.append(case('n body %d' % n, n_body, f32(n, 3), f32(n, 3), rtol=1e-4, why='a chain of steps'))
CASES += [
    case('training depthwise', trained(depthwise, 2), f32(3, 3, 1, 6), f32(6, 2), f32(2, 7, 6, 6), **TRAINED),
    case('training upsample', trained(upsample, 1), f32(3, 3, 4, 2), f32(2, 5, 6, 4), **TRAINED),
    case('training vit patches', trained(patches, 3), f32(48, 8), f32(1, 1, 8), f32(1, 10, 8), f32(2, 12, 12, 3), **TRAINED),
    case('training unet', trained(unet, 3), f32(3, 3, 3, 4), f32(3, 3, 8, 3), f32(8, 4), f32(2, 8, 8, 3), f32(2), **TRAINED),
    case('training mixture of experts', trained(mixture_of_experts, 2), f32(6, 4), f32(4, 6, 5), f32(9, 6), **TRAINED),
    case('kalman filter', kalman, np.eye(3, dtype=np.float32) + 0.1 * np.eye(3, k=1, dtype=np.float32), np.eye(2, 3, dtype=np.float32), np.float32(0.1), np.float32(0.5), f32(9, 2), **TRAINED),
    case('grad of kalman filter', jax.grad(lambda q, r, *a: kalman(*a[:2], q, r, a[2])[1], (0, 1)), np.float32(0.1), np.float32(0.5),
         np.eye(3, dtype=np.float32) + 0.1 * np.eye(3, k=1, dtype=np.float32), np.eye(2, 3, dtype=np.float32), f32(9, 2), rtol=1e-3, why='derivatives of inverses'),
    case('rk45', rk45, f32(2), **TRAINED), case('vmap of rk45', jax.vmap(rk45), f32(5, 2), **TRAINED),
    case('newton', newton, f32(7).within(1, 9)), case('vmap of newton to the end', jax.vmap(newton), f32(7).within(1, 900)),
    case('sample', lambda l: sample(l, 9), f32(11, 11), exact=True), case('beam', lambda l: beam(l, 7), f32(9, 9)),
    case('viterbi', viterbi, f32(5), f32(5, 5), f32(12, 5)), case('vmap of viterbi', jax.vmap(viterbi, (None, None, 0)), f32(5), f32(5, 5), f32(3, 12, 5)),
    case('ctc', jax.value_and_grad(ctc), f32(12, 6), np.int32([1, 2, 2, 5]), **TRAINED),
    case('vmap of ctc', jax.vmap(jax.grad(ctc), (0, 0)), f32(3, 12, 6), i32(3, 4).within(1, 5), **TRAINED),
    case('convolution by fft', fft_convolve, f32(3, 50), f32(3, 9)), case('grad of fft convolution', jax.grad(lambda x, w: (fft_convolve(x, w) ** 2).sum(), (0, 1)), f32(3, 50), f32(3, 9)),
    case('lamb', lamb, f32(5, 6), f32(5, 6), f32(5, 6), f32(5, 6).within(0, 1)), case('adafactor', adafactor, f32(5, 6), f32(5, 6), f32(5).within(0, 1), f32(6).within(0, 1)),
    case('life', life, u8(16, 17).within(0, 1)), case('life i32', life, i32(40, 33).within(0, 1)), case('sieve', lambda: sieve(130)),
    case('edit distance', edit_distance, i32(9).within(0, 3), i32(12).within(0, 3)), case('vmap of edit distance', jax.vmap(edit_distance), i32(5, 9).within(0, 3), i32(5, 7).within(0, 3)),
    case('mandelbrot', mandelbrot, (np.linspace(-2, 1, 24)[:, None] + 1j * np.linspace(-1.03, 1.01, 17)).astype(np.complex64)),
    case('crc', crc, np.frombuffer(b'123456789', np.uint8)), case('heat', heat, f32(12, 13)), case('grad of heat', jax.grad(lambda u: (heat(u)[0] ** 3).sum()), f32(12, 13)),
    case('metropolis', metropolis, f32(33)), case('quantised', quantised, f32(9, 17), f32(17, 5)), case('spectrogram', spectrogram, f32(200)),
    case('bilinear', bilinear, f32(9, 8, 3), f32(2, 5, 6).within(0, 7)), case('grad of bilinear', jax.grad(lambda i, a: (bilinear(i, a) ** 2).sum(), (0, 1)), f32(9, 8, 3), f32(2, 5, 6).within(0, 7), **TRAINED),
    case('hessian of a network', jax.hessian(lambda w, x: (jnp.tanh(x @ w.reshape(4, 3)) ** 2).sum()), f32(12), f32(5, 4), **TRAINED),
    case('jacobians of a network', lambda w, x: (jax.jacfwd(lambda w: nn.softmax(x @ w))(w), jax.jacrev(lambda w: nn.softmax(x @ w))(w)), f32(4, 3), f32(5, 4), **TRAINED),
    case('per example gradients', jax.vmap(jax.grad(lambda w, x: jnp.log(jnp.sum(jnp.exp(w @ x)))), (None, 0)), f32(4, 5), f32(7, 5)),
    case('meta gradient', jax.grad(lambda w, x: (lambda g: ((w - 0.1 * g) @ x).sum() ** 2)(jax.grad(lambda w: jnp.tanh(w @ x).sum())(w))), f32(4, 5), f32(5, 3), **TRAINED),
    case('implicit layer', jax.grad(lambda w, x: lax.custom_root(lambda z: z - jnp.tanh(w @ z + x), x, lambda f, z: lax.fori_loop(0, 40, lambda i, z: z - f(z), z),
                                                                 lambda g, y: jnp.linalg.solve(jax.jacobian(g)(y), y)).sum()), (np.eye(4) * 0.3).astype(np.float32), f32(4), **TRAINED),
    case('training lstm f64', trained(lstm, 4), f64(3, 16).within(-.5, .5), f64(4, 16).within(-.5, .5), f64(16), f64(4, 3), f64(6, 2, 3), rtol=1e-12, why='a gradient through some tens of roundings'),
    case('lstm f16', lstm, f16(3, 16).within(-.5, .5), f16(4, 16).within(-.5, .5), f16(16), f16(4, 3), f16(6, 2, 3), rtol=2e-2, why='some tens of f16 roundings'),
]
