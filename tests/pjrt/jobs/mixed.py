"""One process of a job: meshes that have the devices of the processes in other orders than JAX lists them."""
import os

import job

jax = job.begin()
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.experimental import io_callback, multihost_utils  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P  # noqa: E402

n, me = jax.device_count(), jax.process_index()
seed = int(os.environ.get('WEFT_SEED', 20261130))
random = np.random.default_rng(seed)
print(f'WEFT_SEED={seed}', flush=True)
devices = np.array(jax.devices())


def orders():
    """In turns by process, backwards, and any."""
    turns = sorted(range(n), key=lambda i: (i % jax.local_device_count(), i))
    return [turns, list(range(n))[::-1]] + [list(random.permutation(n)) for _ in range(3)]


def shards_equal(got, want, mesh):
    """Each device has the part of its place in the mesh."""
    assert {s.device for s in got.addressable_shards} == set(jax.local_devices()) & set(mesh.devices.flat)
    for s in got.addressable_shards:
        np.testing.assert_allclose(np.asarray(s.data), want[s.index], rtol=1e-5)


def put(mesh, spec, value):
    return jax.make_array_from_callback(value.shape, NamedSharding(mesh, spec), lambda i: value[i])


for order in orders():
    # One axis: a product whose columns are split, and what shard_map's collectives give by place.
    line = Mesh(devices[order], ('x',))
    value = np.arange(8 * n * n, dtype=np.float32).reshape(8 * n, n) / 10
    a = put(line, P('x'), value)
    shards_equal(a, value, line)
    shards_equal(jax.jit(lambda v: v @ v.T, out_shardings=NamedSharding(line, P(None, 'x')))(a), value @ value.T, line)
    shards_equal(jax.jit(lambda v: jnp.sort(v[::-1] * 2, axis=0))(a), np.sort(value * 2, axis=0), line)

    def places(v):
        x = jax.lax.axis_index('x')
        right = jax.lax.ppermute(x, 'x', [(i, (i + 1) % n) for i in range(n)])
        return jnp.stack([x, right, jax.lax.psum(x, 'x'), jax.lax.all_gather(x, 'x')[1],
                          jax.lax.all_to_all(jnp.full(n, x), 'x', 0, 0)[n - 1]]).reshape(1, 5) + 0 * v

    got = jax.jit(jax.shard_map(places, mesh=line, in_specs=P('x', None), out_specs=P('x', None)))(
        put(line, P('x', None), np.zeros((n, 1), np.int32)))
    shards_equal(got, np.array([[i, (i - 1) % n, n * (n - 1) // 2, 1, n - 1] for i in range(n)]), line)

    # Two axes: groups of several processes along both.
    plane = Mesh(devices[order].reshape(2, n // 2), ('x', 'y'))
    b = put(plane, P('x', 'y'), value)
    shards_equal(jax.jit(lambda v: jnp.tanh(v / 100) @ jnp.ones((n, 4)), out_shardings=NamedSharding(plane, P('y')))(b),
                 np.tanh(value / 100) @ np.ones((n, 4), np.float32), plane)
    shards_equal(jax.jit(jax.shard_map(lambda v: jax.lax.psum(v, 'y') + 10 * jax.lax.axis_index('x'), mesh=plane,
                                       in_specs=P('x', 'y'), out_specs=P('x')))(b),
                 value.reshape(8 * n, n // 2, -1).sum(1) + 10 * (np.arange(8 * n) // (4 * n))[:, None], plane)
    shards_equal(jax.jit(lambda v: v.T, out_shardings=NamedSharding(plane, P(('y', 'x'))))(b), value.T, plane)
    np.testing.assert_allclose(multihost_utils.process_allgather(b, tiled=True), value)

    # A callback of all devices is called once by each process, one of each device by each.
    calls = []
    jax.block_until_ready(jax.jit(lambda v: jax.debug.callback(lambda t: calls.append(float(t)), jnp.sum(v)))(a))
    jax.effects_barrier()
    assert len(calls) == 1 and np.allclose(calls, [value.sum()], rtol=1e-5), calls
    kept = []
    jax.block_until_ready(jax.jit(jax.shard_map(
        lambda v: io_callback(lambda t: kept.append(int(t[0])) or t, jax.ShapeDtypeStruct((1,), np.int32), v),
        mesh=line, in_specs=P('x'), out_specs=P('x')))(put(line, P('x'), np.arange(n, dtype=np.int32))))
    assert sorted(kept) == [i for i in range(n) if line.devices[i].process_index == me], kept

    # Linear algebra by the functions that jax.ffi's interface calls, and random numbers by place.
    square = put(line, P('x'), np.stack([np.eye(3, dtype=np.float32) * (i + 2) for i in range(n)]))
    shards_equal(jax.jit(jnp.linalg.inv)(square), np.stack([np.eye(3) / (i + 2) for i in range(n)]), line)
    shards_equal(jax.jit(lambda k: jax.random.uniform(k, (4 * n,)), out_shardings=NamedSharding(line, P('x')))(
        jax.random.key(3)), np.asarray(jax.random.uniform(jax.random.key(3), (4 * n,))), line)

# A mesh of a part of the devices: one of each process.
one = Mesh(devices[[p * jax.local_device_count() + p % jax.local_device_count()
                    for p in range(jax.process_count())][::-1]], ('p',))
total = jax.jit(lambda v: jnp.cumsum(v), out_shardings=NamedSharding(one, P()))(
    put(one, P('p'), np.arange(2 * jax.process_count(), dtype=np.float32)))
shards_equal(total, np.arange(2 * jax.process_count()).cumsum(), one)
job.end()
