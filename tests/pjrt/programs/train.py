"""A small transformer, 50 steps of Adam with data and tensor parallelism: losses are those of one device of JAX's CPU."""
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

VOCABULARY, WIDTH, HEADS, LAYERS, LENGTH, BATCH, STEPS = 61, 32, 4, 2, 16, 8, 50


def parameters():
    rng = np.random.default_rng(0)

    def normal(*shape):
        return (rng.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)

    return {'embedding': normal(VOCABULARY, WIDTH), 'position': normal(LENGTH, WIDTH) * 0.1,
            'layers': [{'qkv': normal(WIDTH, 3, HEADS, WIDTH // HEADS), 'out': normal(WIDTH, WIDTH).reshape(HEADS, -1, WIDTH),
                        'up': normal(WIDTH, 4 * WIDTH), 'down': normal(4 * WIDTH, WIDTH),
                        'scale': np.ones((2, WIDTH), np.float32)} for _ in range(LAYERS)]}


def placed(tree, mesh):
    def where(path, _):
        spec = {'qkv': P(None, None, 'model'), 'out': P('model'), 'up': P(None, 'model'), 'down': P('model')}
        return NamedSharding(mesh, spec.get(path[-1].key, P()))

    return jax.tree_util.tree_map_with_path(lambda p, x: jax.device_put(x, where(p, x)), tree)


def norm(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale


def loss(p, tokens):
    x = p['embedding'][tokens[:, :-1]] + p['position']
    mask = jnp.tril(jnp.ones((LENGTH, LENGTH), bool))
    for layer in p['layers']:
        q, k, v = jnp.einsum('btw,wchd->cbhtd', norm(x, layer['scale'][0]), layer['qkv'])
        scores = jnp.where(mask, jnp.einsum('bhtd,bhsd->bhts', q, k) / np.sqrt(WIDTH // HEADS), -1e30)
        x = x + jnp.einsum('bhts,bhsd,hdw->btw', jax.nn.softmax(scores), v, layer['out'])
        x = x + jax.nn.gelu(norm(x, layer['scale'][1]) @ layer['up']) @ layer['down']
    logits = jax.nn.log_softmax(x @ p['embedding'].T)
    return -jnp.mean(jnp.take_along_axis(logits, tokens[:, 1:, None], -1))


def step(state, tokens):
    p, m, v, t = state
    value, g = jax.value_and_grad(loss)(p, tokens)
    t = t + 1
    m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, m, g)
    v = jax.tree.map(lambda a, b: 0.99 * a + 0.01 * b * b, v, g)
    p = jax.tree.map(lambda a, b, c: a - 3e-3 * (b / (1 - 0.9**t)) / (jnp.sqrt(c / (1 - 0.99**t)) + 1e-8), p, m, v)
    return (p, m, v, t), value


def train(mesh):
    rng = np.random.default_rng(1)
    p = placed(parameters(), mesh)
    state = (p, jax.tree.map(jnp.zeros_like, p), jax.tree.map(jnp.zeros_like, p), jnp.float32(0))
    f = jax.jit(step, donate_argnums=0)
    losses = []
    for _ in range(STEPS):
        start = rng.integers(0, VOCABULARY, (BATCH, 1))
        tokens = (start + np.arange(LENGTH + 1) * 3) % VOCABULARY
        state, value = f(state, jax.device_put(tokens.astype(np.int32), NamedSharding(mesh, P('data'))))
        losses.append(float(value))
    return losses


devices = jax.devices()
n = len(devices)
model = 2 if n >= 4 else 1
got = train(Mesh(np.array(devices).reshape(n // model, model), ('data', 'model')))
want = train(Mesh(np.array(jax.devices('cpu')[:1]).reshape(1, 1), ('data', 'model')))
print(got[0], got[-1], want[-1])
assert got[-1] < 0.2 * got[0]
# Sums are taken in other orders, and 50 steps add up what that rounds.
np.testing.assert_allclose(got, want, rtol=2e-4)
