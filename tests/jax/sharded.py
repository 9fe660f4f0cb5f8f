"""Sharded JAX programs, as people write them, with arguments and what XLA makes of them on as many devices:

    python tests/jax/sharded.py DIR     NAME.mlir, and a folder NAME with in0.npy, ... and out0.npy, ... for each

A program is a function of a mesh and arrays; what stands in the decorator is the mesh, and how each argument lies on it ("d m": the first
dimension along d, the second along m; "-": whole).
"""
import os
import sys

if __name__ == '__main__':
    os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=8'
    os.environ['JAX_PLATFORMS'] = 'cpu'

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

LINE, GRID, CUBE, SIX = {'x': 8}, {'d': 2, 'm': 4}, {'a': 2, 'b': 2, 'c': 2}, {'p': 3, 'q': 2}
PROGRAMS = {}
RANDOM = np.random.default_rng(24)


def f32(*shape): return RANDOM.uniform(-1, 1, shape).astype(np.float32)
def i32(below, *shape): return RANDOM.integers(0, below, shape).astype(np.int32)
def zeros(*shape): return np.zeros(shape, np.float32)


def program(mesh, *arguments, donates=()):
    """arguments: (how it lies, array)."""
    def keep(f):
        PROGRAMS[f.__name__] = (mesh, arguments, donates, f)
        return f
    return keep


def spec(text): return P(*(None if d == '-' else d for d in text.split()))
def lie(mesh, x, text): return lax.with_sharding_constraint(x, NamedSharding(mesh, spec(text)))


def mapped(mesh, ins, out):
    return lambda f: jax.shard_map(f, mesh=mesh, in_specs=tuple(map(spec, ins)), out_specs=spec(out), check_vma=False)


# ---- training steps ----

@program(LINE, ('x', f32(24, 40)), ('x', zeros(24, 40)), ('x', zeros(24, 40)), ('x', f32(16, 24)), donates=(0, 1, 2))
def adamw_clipped(mesh, w, m, v, x):
    g = jax.grad(lambda w: jnp.sum(jax.nn.softmax(x @ w) ** 2))(w)
    g = g * jnp.minimum(1, 1 / jnp.sqrt(jnp.sum(g * g)))
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return w - 0.01 * (m / (jnp.sqrt(v) + 1e-8) + 0.1 * w), m, v


@program(GRID, ('d m', f32(16, 12)))
def adafactor(mesh, w):
    g = jax.grad(lambda w: jnp.sum(jnp.sin(w) ** 3))(w)
    rows, columns = jnp.mean(g * g, 1, keepdims=True), jnp.mean(g * g, 0, keepdims=True)
    return w - 0.1 * g * lax.rsqrt(rows * columns / jnp.mean(rows) + 1e-6)


@program(GRID, ('- m', f32(4, 8, 8)), ('d', f32(16, 8)))
def scan_of_checkpoints(mesh, ws, x):
    def layer(h, w): return lie(mesh, jax.nn.silu(h @ w), 'd m'), h.sum()

    def loss(ws):
        h, sums = lax.scan(jax.checkpoint(layer), x, ws)
        return jnp.sum(h ** 2) + sums.sum()
    return jax.value_and_grad(loss)(ws)


@program(LINE, ('x', f32(16, 8)), ('- x', f32(8, 8)))
def steps_in_a_loop(mesh, x, w):
    def step(i, state):
        w, m = state
        m = 0.9 * m + jax.grad(lambda w: jnp.mean((jnp.tanh(x @ w) - x) ** 2))(w)
        return w - 0.1 * m, m
    return lax.fori_loop(0, 5, step, (w, jnp.zeros_like(w)))


@program(GRID, ('d', f32(32, 8)), ('-', f32(8, 4)), ('m', f32(4, 8, 16)), ('m', f32(4, 16, 8)))
def experts(mesh, x, router, up, down):
    weight, chosen = lax.top_k(jax.nn.softmax(x @ router), 2)
    hot = jax.nn.one_hot(chosen, 4)
    place = jnp.cumsum(hot.reshape(-1, 4), 0).reshape(32, 2, 4) - 1
    sent = jnp.einsum('tke,tkec->tec', (place < 12) * hot, jax.nn.one_hot(place.astype(int), 12))
    h = lie(mesh, jnp.einsum('tec,td->ecd', sent, x), 'm')
    return jnp.einsum('tec,ecd->td', sent * weight.sum(-1)[:, None, None], jax.nn.relu(h @ up) @ down)


@program(GRID, ('d m', f32(32, 16)), ('d', i32(32, 24, 5)))
def embedding_gradient(mesh, table, tokens):
    return jax.grad(lambda t: jnp.sum(jnp.sin(t[tokens]).sum(1) ** 2))(table)


@program(GRID, ('d m', f32(2, 16, 8)), ('d', f32(2, 1, 8)))
def decoding(mesh, cache, new):
    def step(cache, t):
        cache = lax.dynamic_update_slice(cache, new * t, (0, t.astype(int), 0))
        return cache, jax.nn.softmax(jnp.einsum('bsd,bod->bs', cache, new)).max()
    return lax.scan(step, cache, jnp.arange(6.0))


# ---- control flow ----

@program(LINE, ('x', f32(16, 5)))
def until_all_converge(mesh, x):
    def goes_on(s): return (s[1] < 20) & (jnp.max(jnp.abs(s[0] * s[0] - jnp.abs(x) - 1)) > 1e-5)
    return lax.while_loop(goes_on, lambda s: (0.5 * (s[0] + (jnp.abs(x) + 1) / s[0]), s[1] + 1), (3 + 0 * x, 0))


@program(GRID, ('d m', f32(16, 8)), ('', np.int32(1)))
def branches_lie_apart(mesh, x, k):
    return lax.switch(k, [lambda x: x.sum(0), lambda x: lie(mesh, x, 'm -').max(0), lambda x: (x @ x.T)[:8].sum(1)], x)


# ---- shard_map ----

@program(LINE, ('x', f32(16, 32)), ('- x', f32(32, 24)))
def product_in_a_ring(mesh, a, b):
    @mapped(mesh, ('x', '- x'), 'x')
    def product(a, b):
        def turn(i, state):
            sums, b = state
            sums = lax.dynamic_update_slice(sums, a @ b, (0, (lax.axis_index('x') + i) % 8 * 3))
            return sums, lax.ppermute(b, 'x', [(j, (j - 1) % 8) for j in range(8)])
        return lax.fori_loop(0, 8, turn, (jnp.zeros((2, 24)), b))[0]
    return product(a, b)


@program(LINE, ('- x', f32(2, 32, 8)), ('- x', f32(2, 32, 8)), ('- x', f32(2, 32, 8)))
def attention_in_a_ring(mesh, q, k, v):
    @mapped(mesh, ('- x',) * 3, '- x')
    def attention(q, k, v):
        def turn(state, _):
            out, total, most, k, v = state
            score = jnp.einsum('bqd,bkd->bqk', q, k)
            now = jnp.maximum(most, score.max(-1))
            p, old = jnp.exp(score - now[..., None]), jnp.exp(most - now)
            ring = [(j, (j + 1) % 8) for j in range(8)]
            return (out * old[..., None] + p @ v, total * old + p.sum(-1), now, lax.ppermute(k, 'x', ring), lax.ppermute(v, 'x', ring)), None
        begin = jnp.zeros_like(q), jnp.zeros(q.shape[:2]), jnp.full(q.shape[:2], -jnp.inf), k, v
        out, total, *_ = lax.scan(turn, begin, None, length=8)[0]
        return out / total[..., None]
    return attention(q, k, v)


@program(LINE, ('x', f32(16, 8)), ('', np.int32(1)))
def collectives_in_branches(mesh, x, k):
    @mapped(mesh, ('x', ''), 'x')
    def f(x, k):
        y = lax.switch(k, [lambda x: lax.psum(x, 'x'), lambda x: lax.all_gather(x, 'x', tiled=True)[2:4], lambda x: x], x)
        return lax.while_loop(lambda s: lax.psum(jnp.sum(s * s), 'x') > 0.1, lambda s: s * 0.5, y)
    return f(x, k)


@program(GRID, ('d m', f32(8, 16)))
def some_axes_manual(mesh, x):
    @jax.shard_map(mesh=mesh, in_specs=P('d'), out_specs=P('d'), axis_names={'d'})
    def f(x): return jnp.tanh(x @ x.T) + lax.psum(x.sum(), 'd')
    return f(x)


# ---- types and shapes ----

@program(GRID, ('d m', RANDOM.integers(-127, 127, (16, 32)).astype(np.int8)), ('m d', RANDOM.integers(-127, 127, (32, 24)).astype(np.int8)), ('d m', f32(16, 32)))
def narrow_products(mesh, a, b, x):
    scale = 448 / jnp.max(jnp.abs(x))
    q = (x * scale).astype(jnp.float8_e4m3fn)
    return lax.dot(a, b, preferred_element_type=jnp.int32), lax.dot_general(q, q, (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32) / scale / scale


@program(GRID, ('d m', (f32(8, 16) + 1j * f32(8, 16)).astype(np.complex64)), ('d m', f32(16, 16)), donates=(0,))
def complex_and_transforms(mesh, z, x):
    return jnp.exp(z) * jnp.conj(z).sum(0), jnp.abs(jnp.fft.fft(x, axis=0)), jnp.linalg.eigvalsh(x @ x.T + jnp.eye(16))


@program(SIX, ('-', f32(13, 10)), ('-', f32(2, 13, 10, 3)))
def nothing_divides(mesh, a, x):
    a, x = lie(mesh, a, 'q p'), lie(mesh, x, 'q p')
    kernel = jnp.full((3, 3, 3, 5), 0.1)
    conv = lax.conv_general_dilated(x, kernel, (2, 1), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))
    return jax.nn.softmax(a, 1), jnp.cumsum(a, 1), jnp.sort(a, 0), conv


@program(CUBE, ('a - b c', f32(2, 16, 4, 8)), ('a - b c', f32(2, 16, 2, 8)), ('a - b c', f32(2, 16, 2, 8)))
def grouped_queries(mesh, q, k, v):
    k, v = jnp.repeat(k, 2, 2), jnp.repeat(v, 2, 2)
    score = jnp.where(jnp.tril(jnp.ones((16, 16), bool)), jnp.einsum('bqhd,bkhd->bhqk', q, k), -1e9)
    return jnp.einsum('bhqk,bkhd->bqhd', jax.nn.softmax(score), v)


@program(GRID, ('d', f32(16, 8)), ('-', np.array([1, 2], np.uint32)))
def random_and_ragged(mesh, x, key):
    one, two = jax.random.split(jax.random.wrap_key_data(key))
    kept = jnp.where(jax.random.bernoulli(one, 0.7, x.shape), x / 0.7, 0)
    w = jax.random.normal(two, (4, 8, 6))
    return kept, jax.grad(lambda w: jnp.sum(lax.ragged_dot(kept, w, jnp.array([3, 5, 0, 8])) ** 2))(w)


def write(folder, name):
    axes, arguments, donates, f = PROGRAMS[name]
    mesh = Mesh(np.array(jax.devices()[:np.prod(list(axes.values()))]).reshape(tuple(axes.values())), tuple(axes))
    arrays = [a for _, a in arguments]
    places = [NamedSharding(mesh, spec(text)) for text, _ in arguments]
    lowered = jax.jit(lambda *a: f(mesh, *a), in_shardings=tuple(places), donate_argnums=donates, keep_unused=True).lower(*arrays)
    os.makedirs(os.path.join(folder, name), exist_ok=True)
    with open(os.path.join(folder, name + '.mlir'), 'w') as out:
        out.write(lowered.as_text(debug_info=True))
    for i, a in enumerate(arrays):
        np.save(os.path.join(folder, name, 'in%d.npy' % i), a)
    compiled = lowered.compile(compiler_options={'xla_backend_optimization_level': 0})
    for i, r in enumerate(jax.tree.leaves(compiled(*map(jax.device_put, arrays, places)))):
        np.save(os.path.join(folder, name, 'out%d.npy' % i), np.asarray(r))


if __name__ == '__main__':
    for each in PROGRAMS:
        write(sys.argv[1], each)
