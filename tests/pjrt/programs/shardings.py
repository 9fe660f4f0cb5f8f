"""Arrays and programs on several devices: shardings in and out, meshes over parts of the devices and in other orders."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P, SingleDeviceSharding

devices = jax.devices()
n = len(devices)
assert all(d.platform == 'weft' for d in devices)


def equal(got, want):
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-5, atol=1e-5)


def shards(x):
    """Each shard is the part of the whole that its index says, on the device that the sharding says."""
    whole = np.asarray(x)
    assert len(x.addressable_shards) == len(x.sharding.device_set)
    for s in x.addressable_shards:
        np.testing.assert_array_equal(np.asarray(s.data), whole[s.index])
        assert s.data.devices() == {s.device}


A = np.arange(16 * 24, dtype=np.float32).reshape(16, 24)
shapes = sorted({(n, 1), (1, n), (2, n // 2) if n > 1 else (1, 1), (n // 2, 2) if n > 1 else (1, 1)})
specs = [P(), P('x'), P(None, 'x'), P('x', 'y'), P('y', 'x'), P(('x', 'y')), P(('y', 'x')), P(None, ('x', 'y')), P('y')]
for shape in shapes:
    for order in (devices, devices[::-1]):
        mesh = Mesh(np.array(order).reshape(shape), ('x', 'y'))
        for i, spec in enumerate(specs):
            here, there = NamedSharding(mesh, spec), NamedSharding(mesh, specs[(i * 5 + 2) % len(specs)])
            x = jax.device_put(A, here)
            shards(x)
            y = jax.jit(lambda a: a * 2 + 1)(x)
            equal(y, A * 2 + 1)
            assert y.sharding.is_equivalent_to(here, 2), (y.sharding, here)
            z = jax.jit(lambda a: (a @ a.T, a.sum(1)), out_shardings=(there, None))(x)
            equal(z[0] / 1e4, A @ A.T / 1e4)
            equal(z[1], A.sum(1))
            assert z[0].sharding.is_equivalent_to(there, 2)
            shards(z[0])
            w = jax.device_put(y, there)
            equal(w, A * 2 + 1)
            assert w.sharding.is_equivalent_to(there, 2)

# Programs on parts of the devices, one after another and at the same time.
for k in range(1, n + 1):
    mesh = Mesh(np.array(devices[n - k:]), ('i',))
    x = jax.device_put(np.arange(4. * k, dtype=np.float32), NamedSharding(mesh, P('i')))
    equal(jax.jit(jnp.cumsum)(x), np.cumsum(np.arange(4. * k)))
for d in devices:
    x = jax.device_put(A, d)
    y = jax.jit(lambda a: a - 1)(x)
    assert y.sharding == SingleDeviceSharding(d)
    equal(y, A - 1)

# An array of one device's program goes into a program of all, and back.
mesh = Mesh(np.array(devices), ('i',))
parts = [jax.jit(lambda a: a + 1)(jax.device_put(np.full((2, 3), float(i), np.float32), d)) for i, d in enumerate(devices)]
whole = jax.make_array_from_single_device_arrays((2 * n, 3), NamedSharding(mesh, P('i')), parts)
equal(jax.jit(lambda a: a.sum())(whole), sum(6. * (i + 1) for i in range(n)))
for s in jax.jit(lambda a: a * 3)(whole).addressable_shards:
    equal(jax.jit(lambda a: a / 3)(s.data), np.asarray(parts[s.device.id]))
made = jax.make_array_from_callback((8, n), NamedSharding(mesh, P(None, 'i')), lambda index: np.arange(8. * n).reshape(8, n)[index])
equal(made, np.arange(8. * n).reshape(8, n))

# By hand: shard_map and pmap.
f = jax.jit(jax.shard_map(lambda a: (jax.lax.psum(a, 'i'), jax.lax.axis_index('i')[None], jax.lax.all_gather(a, 'i'),
                                     jax.lax.ppermute(a, 'i', [(k, (k + 1) % n) for k in range(n)])),
                          mesh=mesh, in_specs=P('i'), out_specs=(P(), P('i'), P('i'), P('i')), check_vma=False))
x = np.arange(4. * n, dtype=np.float32)
total, index, _, moved = f(jax.device_put(x, NamedSharding(mesh, P('i'))))
equal(total, x.reshape(n, 4).sum(0))
assert np.asarray(index).tolist() == list(range(n))
equal(moved, np.roll(x.reshape(n, 4), 1, 0).ravel())
equal(jax.pmap(lambda a: jax.lax.psum(a, 'i') + a, axis_name='i')(x.reshape(n, 4)), x.reshape(n, 4) + x.reshape(n, 4).sum(0))
equal(jax.pmap(lambda a: a * 2)(x.reshape(n, 4)), x.reshape(n, 4) * 2)

# Results whose dimension the axes do not divide are in one piece there.
if n > 1:
    odd = jax.jit(lambda a: jax.lax.with_sharding_constraint(a * 2, NamedSharding(mesh, P('i'))) + 1)
    x = np.arange(4 * n + 1, dtype=np.float32)
    equal(odd(x), x * 2 + 1)
    shards(odd(x))

# Explicit sharding mode.
if hasattr(jax.sharding, 'AxisType'):
    explicit = jax.make_mesh((n,), ('i',), axis_types=(jax.sharding.AxisType.Explicit,))
    with jax.sharding.use_mesh(explicit) if hasattr(jax.sharding, 'use_mesh') else jax.set_mesh(explicit):
        x = jax.device_put(A, NamedSharding(explicit, P('i')))
        equal(jax.jit(lambda a: jnp.sin(a) @ jnp.ones((24, 2)))(x), np.sin(A) @ np.ones((24, 2)))
        equal(jax.grad(jax.jit(lambda a: jnp.sum(a * a)))(x), 2 * A)  # a program of replicated values alone

# What inspect_array_sharding is told when a program is compiled: of arguments, of values on the way, inside of shard_map; errors of its function.
if hasattr(jax, 'shard_map') and n > 1:
    told = {}

    def ask(name, value):
        jax.debug.inspect_array_sharding(value, callback=lambda s: told.update({name: s}))
        return value

    def refuse(sharding):
        raise ValueError('no such luck')

    for mesh in (Mesh(np.array(devices), ('i',)), Mesh(np.array(devices[::-1]), ('i',))):
        x = jax.device_put(A, NamedSharding(mesh, P('i')))
        equal(jax.jit(lambda a: ask('sum', ask('value', jnp.sin(a)).sum()) + ask('argument', a).T)(x), np.sin(A).sum() + A.T)
        equal(jax.jit(jax.shard_map(lambda a: ask('part', a) * 2, mesh=mesh, in_specs=P('i'), out_specs=P('i')))(x), 2 * A)
        for name, spec in (('argument', P('i')), ('value', P('i')), ('sum', P()), ('part', P())):
            s = told.pop(name)
            assert s.is_equivalent_to(NamedSharding(mesh, spec), 0 if name == 'sum' else 2), (name, s)
    try:
        jax.jit(lambda a: jax.debug.inspect_array_sharding(a, callback=refuse) or a + 1)(x)
    except jax.errors.JaxRuntimeError as error:
        assert 'no such luck' in str(error), error
    else:
        raise AssertionError('the error of a function was lost')
