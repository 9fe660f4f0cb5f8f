"""Callbacks that compile and run programs on the devices of the program that called them."""
import functools
import threading

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

devices = jax.devices()
n = len(devices)
mesh = Mesh(np.array(devices), ('i',))
cut = NamedSharding(mesh, P('i'))
big = jax.device_put(np.arange(8. * n, dtype=np.float32).reshape(n, 8), cut)
total = float(np.asarray(big).sum())
one = jax.device_put(np.float32(2), devices[0])


def called(function, *operands):
    return jax.pure_callback(lambda *given: function(*map(np.asarray, given)), jax.ShapeDtypeStruct((), np.float32), *operands)


# Compiled in the callback; compiled before; by the devices together, and by one of them.
summed, known = jax.jit(lambda v: jnp.sin(v).sum() * 0 + v.sum()), jax.jit(lambda v: (v @ v.T).sum() * 0 + v.sum() + 1)
np.testing.assert_allclose(known(big), total + 1)
for inner, want in [(summed, total), (summed, total), (known, total + 1), (known, total + 1)]:
    outer = jax.jit(lambda v: v.sum() + called(lambda x: np.float32(inner(big)) + x, v[0, 0]))
    np.testing.assert_allclose(outer(big), total + want)
np.testing.assert_allclose(jax.jit(lambda v: called(lambda x: np.asarray(one * 3 + x), v))(one), 8)
np.testing.assert_allclose(known(big), total + 1)

# A callback in a program that a callback runs: of the same function, too.
@jax.jit
def countdown(v):
    return called(lambda x: np.float32(x) if x < 1 else np.float32(countdown(jax.device_put(x - 1, cut0))) + x, v)


cut0 = NamedSharding(mesh, P())
np.testing.assert_allclose(countdown(jax.device_put(np.float32(4), cut0)), 10)

# Each device calls; what was made in a callback is used, and donated, after it.
kept = {}


def keep(x):
    kept[float(x)] = summed(big)
    return x


each = jax.jit(jax.shard_map(lambda v: called(keep, v[0, 0])[None], mesh=mesh, in_specs=P('i'), out_specs=P('i')))
np.testing.assert_allclose(each(big), np.arange(n) * 8.)
assert len(kept) == n and all(abs(float(v) - total) <= 1e-6 * total for v in kept.values())


@functools.partial(jax.jit, donate_argnums=0)
def step(weights):
    return weights + 1


state = {'w': step(jax.device_put(np.zeros((n, 4), np.float32), cut))}


def advance(x):
    state['w'] = step(state['w'])
    return np.float32(state['w'].sum()) + x


for i in range(3):
    np.testing.assert_allclose(jax.jit(lambda v: called(advance, v))(big[0, 0]), 4 * n * (i + 2))
    state['w'] = step(state['w']) - 1
np.testing.assert_allclose(state['w'], 4)

# Threads do the same at once; an error in the inner program is the callback's.
outer = jax.jit(lambda v: v.sum() + called(lambda x: np.float32(summed(big)) + x, v[0, 0]))
got = []
threads = [threading.Thread(target=lambda: got.append(float(outer(big)))) for _ in range(6)]
for t in threads:
    t.start()
for t in threads:
    t.join(120)
np.testing.assert_allclose(got, [2 * total] * 6)


def fails(x):
    raise ValueError('of the inner one')


failing = jax.jit(lambda v: called(fails, v.sum()))
try:
    jax.jit(lambda v: called(lambda x: np.asarray(failing(big)), v.sum()))(big).block_until_ready()
except jax.errors.JaxRuntimeError as error:
    assert 'of the inner one' in str(error), error
else:
    raise AssertionError('an error in a callback of a callback is lost')
np.testing.assert_allclose(known(big), total + 1)
