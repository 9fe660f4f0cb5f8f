"""Calls back into Python: with results, with effects, in order, for one device or each; errors in them."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

devices = jax.devices()
n = len(devices)
mesh = Mesh(np.array(devices), ('i',))
cut = NamedSharding(mesh, P('i'))
x = jax.device_put(np.arange(8., dtype=np.float32), cut)


def double(v):
    return np.asarray(v) * 2


def twice(v):
    return jax.pure_callback(double, jax.ShapeDtypeStruct(v.shape, v.dtype), v)


np.testing.assert_array_equal(np.asarray(jax.jit(lambda a: twice(a) + 1)(x)), np.arange(8.) * 2 + 1)
np.testing.assert_array_equal(np.asarray(jax.jit(lambda a: twice(a.sum()))(x)), 56.)
np.testing.assert_array_equal(np.asarray(jax.jit(jax.vmap(lambda v: jax.pure_callback(
    double, jax.ShapeDtypeStruct((), np.float32), v, vmap_method='sequential')))(jnp.arange(3.))), [0, 2, 4])

# Callbacks on buffers write into the results' memory, which is an operand's where they are aliases.
def onto(context, out, given):
    assert not given.writeable and out.writeable and np.shares_memory(np.asarray(given), np.asarray(out))
    assert np.from_dlpack(given).shape == out.shape == (8,) and np.asarray(out, np.float64).dtype == np.float64
    np.asarray(out)[...] += 1


def fails(context, out, given):
    np.asarray(given)[...] = 0


try:
    from jax.experimental.buffer_callback import buffer_callback
except ImportError:
    pass
else:
    plus_one = buffer_callback(onto, jax.ShapeDtypeStruct((8,), np.float32), input_output_aliases={0: 0})
    np.testing.assert_array_equal(np.asarray(jax.jit(plus_one)(x)), np.arange(8.) + 1)
    try:
        jax.block_until_ready(jax.jit(buffer_callback(fails, jax.ShapeDtypeStruct((8,), np.float32)))(x))
    except jax.errors.JaxRuntimeError as error:
        assert 'read-only' in str(error), error
    else:
        raise AssertionError('a callback wrote into its operand')

seen = []
counter = iter(range(1000))


def count(v):
    seen.append(float(np.asarray(v).sum()))
    return np.int32(next(counter))


def counting(v):
    a = io_callback(count, jax.ShapeDtypeStruct((), np.int32), v, ordered=True)
    b = io_callback(count, jax.ShapeDtypeStruct((), np.int32), v + 1, ordered=True)
    return a, b


# Effects happen once, whatever the number of devices, and in their order.
one = jax.device_put(np.float32(3), devices[0])
a, b = jax.jit(counting)(one)
assert (int(a), int(b)) == (0, 1) and seen == [3, 4], (a, b, seen)


def unordered(v):
    return io_callback(count, jax.ShapeDtypeStruct((), np.int32), v) + jnp.int32(v.sum() * 0)


seen.clear()
assert int(jax.jit(unordered)(x)) == 2 and seen == [28.], seen


def loop(v):
    def body(k, s):
        jax.debug.callback(lambda q: seen.append(int(q)), k)
        return s + k

    return jax.lax.fori_loop(0, 5, body, v)


seen.clear()
jax.jit(loop)(x).block_until_ready()
jax.effects_barrier()
assert sorted(seen) == [0, 1, 2, 3, 4], seen
jax.jit(lambda v: jax.debug.print('a line: {}', v.sum()))(x)
jax.effects_barrier()

# Inside of shard_map it is called for each device, with its part.
seen.clear()


def mine(v):
    seen.append(np.asarray(v).tolist())
    return np.asarray(v) + 1


f = jax.shard_map(lambda v: jax.pure_callback(mine, jax.ShapeDtypeStruct(v.shape, v.dtype), v), mesh=mesh, in_specs=P('i'),
                  out_specs=P('i'), check_vma=False)
np.testing.assert_array_equal(np.asarray(jax.jit(f)(x)), np.arange(8.) + 1)
assert sorted(sum(seen, [])) == list(range(8)), seen


def bad(v):
    raise ValueError('no such luck')


for where in (one, x):
    try:
        jax.jit(lambda v: jax.pure_callback(bad, jax.ShapeDtypeStruct((), np.float32), v.sum()))(where).block_until_ready()
    except Exception as e:
        assert 'no such luck' in str(e), e
    else:
        raise AssertionError('no error')
# The devices go on.
np.testing.assert_array_equal(np.asarray(jax.jit(lambda a: a + 1)(x)), np.arange(8.) + 1)
