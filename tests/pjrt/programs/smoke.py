"""What most programs use of JAX, in calls that JAX 0.5 to 0.10 have: test_versions.py runs it in each that is there."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

try:
    from jax import shard_map
except ImportError:
    from jax.experimental.shard_map import shard_map

devices = jax.devices()
n = len(devices)
assert all(d.platform == 'weft' for d in devices), devices
mesh = Mesh(np.array(devices), ('d',))
x = np.arange(64, dtype=np.float32).reshape(8, 8) / 64
rows = NamedSharding(mesh, P('d'))
sharded = jax.device_put(x, rows)


def near(got, want):
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-5, atol=1e-5)


# programs, on one device and on all, with the sharding of results given, kept and chosen
near(jax.jit(lambda a: jnp.sin(a) @ a.T)(x), np.sin(x) @ x.T)
near(jax.jit(lambda a: a @ a.T, out_shardings=NamedSharding(mesh, P(None, 'd')))(sharded), x @ x.T)
same = jax.jit(lambda a: (a * 2, a.sum(0)))(sharded)
near(same[0], x * 2)
near(same[1], x.sum(0))
assert n == 1 or same[0].sharding.is_equivalent_to(rows, 2), same[0].sharding
near(jax.jit(shard_map(lambda a: jax.lax.psum(a, 'd'), mesh=mesh, in_specs=P('d'), out_specs=P()))(sharded), x.reshape(n, 8 // n, 8).sum(0))
near(jax.jit(jnp.zeros_like)(sharded), np.zeros_like(x))

# derivatives, batches, loops
near(jax.grad(lambda a: (jnp.tanh(a)**2).sum())(sharded), 2 * np.tanh(x) * (1 - np.tanh(x)**2))
near(jax.vmap(jnp.dot)(x, x), (x * x).sum(1))
near(jax.jit(lambda c: jax.lax.scan(lambda c, _: (c * 2, c), c, None, length=4))(1.0)[1], [1, 2, 4, 8])
near(jax.lax.fori_loop(0, 5, lambda i, c: c + i, 0), 10)

# the CPU's lowerings and random bits
near(jnp.linalg.solve(jnp.eye(3) * 2 + 1, jnp.ones(3)), np.full(3, 0.2))
with jax.default_device(jax.devices('cpu')[0]):
    want = np.asarray(jax.random.normal(jax.random.PRNGKey(0), (3,)))
near(jax.random.normal(jax.random.PRNGKey(0), (3,)), want)

# donation, callbacks, what a compiled program says of itself
given = jax.device_put(np.ones((64, 64), np.float32), devices[0])
jax.jit(lambda a: a + 1, donate_argnums=0)(given)
assert given.is_deleted()
seen = []
jax.jit(lambda a: jax.debug.callback(lambda v: seen.append(float(v)), a.sum()))(sharded)
jax.effects_barrier()
near(seen, [x.sum()])
compiled = jax.jit(lambda a: a + 1).lower(sharded).compile()
assert 'add' in compiled.as_text() and compiled.memory_analysis().argument_size_in_bytes > 0

# errors are exceptions
try:
    jax.ffi.ffi_call('there_is_none', jax.ShapeDtypeStruct((4,), jnp.float32))(jnp.ones(4))
except RuntimeError as error:
    assert "no code for custom call target 'there_is_none'" in str(error), error
else:
    raise AssertionError('no error')
