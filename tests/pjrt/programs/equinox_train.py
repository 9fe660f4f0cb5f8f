"""A network of Equinox's layers, filter_jit and filter_grad, donated state: losses are those of JAX's CPU."""
import sys

try:
    import equinox as eqx
    import optax
except ImportError as error:
    print('no Equinox or no Optax here: %s' % error)
    sys.exit(77)
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

STEPS, BATCH = 60, 16


class Net(eqx.Module):
    convolution: eqx.nn.Conv2d
    norm: eqx.nn.BatchNorm
    gru: eqx.nn.GRUCell
    mlp: eqx.nn.MLP
    dropout: eqx.nn.Dropout

    def __init__(self, key):
        a, b, c = jax.random.split(key, 3)
        self.convolution = eqx.nn.Conv2d(1, 4, 3, stride=2, key=a)
        self.norm = eqx.nn.BatchNorm(4, 'batch', mode='batch')
        self.gru = eqx.nn.GRUCell(4 * 5, 16, key=b)
        self.mlp = eqx.nn.MLP(16, 3, 32, 2, activation=jax.nn.silu, key=c)
        self.dropout = eqx.nn.Dropout(0.1)

    def __call__(self, x, state, key):
        h, state = self.norm(self.convolution(x), state)
        rows = jnp.moveaxis(jax.nn.relu(h), 1, 0).reshape(h.shape[1], -1)
        last, _ = jax.lax.scan(lambda carry, row: (self.gru(row, carry), None), jnp.zeros(16), rows)
        return self.mlp(self.dropout(last, key=key)), state


def loss(model, state, x, y, keys):
    logits, state = jax.vmap(model, axis_name='batch', in_axes=(0, None, 0), out_axes=(0, None))(x, state, keys)
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean(), state


def train(mesh):
    model, state = eqx.nn.make_with_state(Net)(jax.random.key(0))
    optimizer = optax.adamw(1e-2)
    optimized = optimizer.init(eqx.filter(model, eqx.is_inexact_array))

    @eqx.filter_jit(donate='all')
    def step(model, state, optimized, x, y, key):
        (value, state), grads = eqx.filter_value_and_grad(loss, has_aux=True)(model, state, x, y, jax.random.split(key, BATCH))
        updates, optimized = optimizer.update(grads, optimized, eqx.filter(model, eqx.is_inexact_array))
        return eqx.apply_updates(model, updates), state, optimized, value

    whole, split = NamedSharding(mesh, P()), NamedSharding(mesh, P('data'))
    model, state, optimized = eqx.filter_shard((model, state, optimized), whole)
    rng = np.random.default_rng(0)
    losses = []
    for i in range(STEPS):
        y = rng.integers(0, 3, BATCH)
        x = 0.5 * rng.standard_normal((BATCH, 1, 12, 12)).astype(np.float32) + 2 * (y[:, None, None, None] - 1).astype(np.float32)
        model, state, optimized, value = step(model, state, optimized, jax.device_put(x, split), jax.device_put(y, split),
                                              jax.device_put(jax.random.key(i), whole))
        losses.append(float(value))
    return losses


n = len(jax.devices())
got = train(Mesh(np.array(jax.devices()), ('data',)))
with jax.default_device(jax.devices('cpu')[0]):
    want = train(Mesh(np.array(jax.devices('cpu')[:1]), ('data',)))
print(got[0], got[-1], want[-1])
assert got[-1] < 0.6 * got[0]
np.testing.assert_allclose(got, want, rtol=5e-3)
