"""One process of a job: global arrays, programs over all processes' devices, collectives of multihost_utils."""
import job

jax = job.begin()
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.experimental import multihost_utils  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P  # noqa: E402

me, count, local = jax.process_index(), jax.process_count(), jax.local_device_count()
assert (me, count) == (job.PROCESS, job.COUNT), (me, count)
assert jax.device_count() == count * local == len(jax.devices())
assert [d.id for d in jax.devices()] == list(range(count * local))
assert [d.process_index for d in jax.devices()] == [i // local for i in range(count * local)]
assert jax.local_devices() == jax.devices()[me * local:(me + 1) * local]

n = jax.device_count()
mesh = Mesh(np.array(jax.devices()).reshape(n), ('x',))
rows = NamedSharding(mesh, P('x'))
whole = NamedSharding(mesh, P())
want = np.arange(4 * n * 3, dtype=np.float32).reshape(4 * n, 3)

# From a callback, and from each process's part.
a = jax.make_array_from_callback(want.shape, rows, lambda i: want[i])
assert len(a.addressable_shards) == local and not a.is_fully_addressable
b = jax.make_array_from_process_local_data(rows, want[4 * local * me:4 * local * (me + 1)])
for got in (a, b):
    for s in got.addressable_shards:
        np.testing.assert_array_equal(np.asarray(s.data), want[s.index])

# A program with collectives, several times and with another program in between.
f = jax.jit(lambda v: (jnp.sum(v, axis=0), v @ v.T), out_shardings=(whole, rows))
g = jax.jit(lambda v: jnp.cumsum(v, axis=0), out_shardings=whole)
for _ in range(5):
    total, product = f(a)
    np.testing.assert_allclose(np.asarray(total), want.sum(0), rtol=1e-6)
    for s in product.addressable_shards:
        np.testing.assert_allclose(np.asarray(s.data), (want @ want.T)[s.index], rtol=1e-5)
    np.testing.assert_allclose(np.asarray(g(b)), want.cumsum(0), rtol=1e-5)

# A program of this process's devices alone, and one donated argument.
mine = Mesh(np.array(jax.local_devices()), ('y',))
part = jax.device_put(np.arange(8 * local), NamedSharding(mine, P('y')))
np.testing.assert_array_equal(np.asarray(jax.jit(lambda v: v * 2 + me)(part)), np.arange(8 * local) * 2 + me)
d = jax.jit(lambda v: v + 1, donate_argnums=0)(a)
assert a.is_deleted()
np.testing.assert_array_equal(np.asarray(d.addressable_shards[0].data), want[d.addressable_shards[0].index] + 1)

# multihost_utils
multihost_utils.sync_global_devices('here')
np.testing.assert_array_equal(multihost_utils.process_allgather(np.array([me, 7])), [[p, 7] for p in range(count)])
assert int(multihost_utils.broadcast_one_to_all(np.int32(41 + me))) == 41
np.testing.assert_array_equal(multihost_utils.process_allgather(product, tiled=True), np.asarray(want @ want.T))

# shard_map, and a callback.
s = jax.shard_map(lambda v: jax.lax.psum(v, 'x') + jax.lax.axis_index('x'), mesh=mesh, in_specs=P('x'), out_specs=P('x'))
out = jax.jit(s)(jax.device_put(np.arange(n, dtype=np.int32), rows))
assert [int(o.data[0]) for o in out.addressable_shards] == [n * (n - 1) // 2 + d.id for d in jax.local_devices()]
seen = []


@jax.jit
def says(v):
    jax.debug.callback(lambda t: seen.append(float(t)), jnp.sum(v))
    return v + 1


jax.block_until_ready(says(b))
jax.effects_barrier()
assert seen == [float(want.sum())], seen

np.testing.assert_allclose(np.asarray(f(b)[0]), want.sum(0), rtol=1e-6)

# Processes load equal programs in any order, as threads that compile do.
def summed(v):
    return jnp.sum(v, 0)


order = range(5) if me % 2 else reversed(range(5))
loaded = {i: jax.jit(lambda v: summed(v), out_shardings=whole).lower(b).compile() for i in order}
for i in range(5):
    np.testing.assert_allclose(np.asarray(loaded[i](b)), want.sum(0), rtol=1e-6)

# A program for the devices of one process: the others have no part of its results, and their programs go on.
for p in range(count):
    theirs = jax.local_devices(process_index=p)
    cut = NamedSharding(Mesh(np.array(theirs), ('x',)), P('x'))
    one = jax.sharding.SingleDeviceSharding(theirs[-1])
    numbers = np.arange(6. * local, dtype=np.float32).reshape(2 * local, 3)
    mine = len(theirs) if p == me else 0
    for sharding, shards in [(cut, mine), (one, min(mine, 1))]:
        v = jax.device_put(numbers, sharding)
        for g, result in [(lambda v: v * 2, numbers * 2), (summed, numbers.sum(0)),
                          (lambda v: jax.pure_callback(np.negative, jax.ShapeDtypeStruct(v.shape, v.dtype), v), -numbers)]:
            out = jax.jit(g)(v).block_until_ready()
            assert len(out.addressable_shards) == shards and out.shape == result.shape
            for s in out.addressable_shards:
                np.testing.assert_allclose(np.asarray(s.data), result[s.index], rtol=1e-6)
        compiled = jax.jit(summed, donate_argnums=0).lower(v).compile()
        assert compiled.memory_analysis() is not None and compiled.as_text()
        compiled(v).block_until_ready()
    np.testing.assert_allclose(np.asarray(f(b)[0]), want.sum(0), rtol=1e-6)
job.end()
