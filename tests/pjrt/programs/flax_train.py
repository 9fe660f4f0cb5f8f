"""A transformer of Flax's layers, 50 steps of Optax's AdamW, data and tensor parallelism: losses are those of JAX's CPU."""
import sys

try:
    import flax.linen as nn
    import optax
except ImportError as error:
    print('no Flax or no Optax here: %s' % error)
    sys.exit(77)
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

VOCABULARY, WIDTH, HEADS, LAYERS, LENGTH, BATCH, STEPS = 61, 32, 4, 2, 16, 8, 50


def split(*axes):
    return nn.with_partitioning(nn.initializers.lecun_normal(), axes)


class Block(nn.Module):
    @nn.compact
    def __call__(self, x):
        mask = nn.make_causal_mask(jnp.ones(x.shape[:2]))
        # its kernels are [width, heads, width / heads], and the output's [heads, width / heads, width]
        x = x + nn.MultiHeadDotProductAttention(HEADS, kernel_init=split(None, 'model', None),
                                                out_kernel_init=split('model', None, None))(nn.LayerNorm()(x), mask=mask)
        h = nn.gelu(nn.Dense(4 * WIDTH, kernel_init=split(None, 'model'))(nn.LayerNorm()(x)))
        return x + nn.Dense(WIDTH, kernel_init=split('model', None))(h)


class Model(nn.Module):
    @nn.compact
    def __call__(self, tokens):
        embedding = nn.Embed(VOCABULARY, WIDTH)
        position = self.param('position', nn.initializers.normal(0.02), (LENGTH, WIDTH))
        x = embedding(tokens) + position
        for _ in range(LAYERS):
            x = nn.remat(Block)()(x)
        return embedding.attend(nn.LayerNorm()(x))


model, optimizer = Model(), optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(3e-3))


def loss(parameters, tokens):
    logits = model.apply(parameters, tokens[:, :-1])
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


def step(parameters, state, tokens):
    value, gradients = jax.value_and_grad(loss)(parameters, tokens)
    updates, state = optimizer.update(gradients, state, parameters)
    return optax.apply_updates(parameters, updates), state, value


def train(mesh):
    def start(key):
        parameters = model.init(key, jnp.zeros((1, LENGTH), jnp.int32))
        return parameters, optimizer.init(parameters)

    key = jax.random.key(0)
    where = jax.tree.map(lambda spec: NamedSharding(mesh, spec), nn.get_partition_spec(jax.eval_shape(start, key)))
    parameters, state = nn.unbox(jax.jit(start, out_shardings=where)(key))
    f = jax.jit(step, donate_argnums=(0, 1))
    rng = np.random.default_rng(1)
    losses = []
    for _ in range(STEPS):
        tokens = (rng.integers(0, VOCABULARY, (BATCH, 1)) + np.arange(LENGTH + 1) * 3) % VOCABULARY
        parameters, state, value = f(parameters, state, jax.device_put(tokens.astype(np.int32), NamedSharding(mesh, P('data'))))
        losses.append(float(value))
    return losses


devices = jax.devices()
n = len(devices)
parts = 2 if n >= 4 else 1
got = train(Mesh(np.array(devices).reshape(n // parts, parts), ('data', 'model')))
want = train(Mesh(np.array(jax.devices('cpu')[:1]).reshape(1, 1), ('data', 'model')))
print(got[0], got[-1], want[-1])
assert got[-1] < 0.3 * got[0]
# Sums are taken in other orders, and 50 steps add up what that rounds.
np.testing.assert_allclose(got, want, rtol=5e-4)
