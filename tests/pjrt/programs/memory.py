"""Donation, deletion, views without a copy, memory statistics, and what compiled programs say of themselves."""
import gc
import pathlib
import resource

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

devices = jax.devices()
mesh = Mesh(np.array(devices), ('i',))
cut = NamedSharding(mesh, P('i'))


def raises(what, f, *types):
    try:
        f()
    except types or (Exception,) as e:
        assert what in str(e), str(e)
    else:
        raise AssertionError('no error: ' + what)


# A donated array is gone, and its memory is the result's.
step = jax.jit(lambda x, y: (x + y, y.sum()), donate_argnums=0)
for where in (devices[-1], cut):
    y = jax.device_put(np.ones(1 << 16, np.float32), where)
    x = jax.jit(lambda a: a * 0)(y)
    for k in range(5):
        at = {s.data.unsafe_buffer_pointer() for s in x.addressable_shards}
        old, (x, total) = x, step(x, y)
        assert old.is_deleted() and not x.is_deleted()
        assert {s.data.unsafe_buffer_pointer() for s in x.addressable_shards} == at
        raises('deleted', lambda: np.asarray(old))
    np.testing.assert_array_equal(np.asarray(x), np.full(1 << 16, 5, np.float32))
    assert float(total) == 1 << 16

# Memory that the host still has is not written: the argument is copied.
host = np.zeros(1 << 16, np.float32)
x = jax.device_put(host, devices[0])
x, _ = step(x, jax.device_put(np.ones(1 << 16, np.float32), devices[0]))
assert host.sum() == 0 and np.asarray(x).sum() == 1 << 16
x = jax.jit(lambda a: a + 1)(jax.device_put(host, devices[0]))
view = np.asarray(x)
z, _ = step(x, jax.device_put(np.ones(1 << 16, np.float32), devices[0]))
assert view.sum() == 1 << 16 and np.asarray(z).sum() == 2 << 16
# One array as two arguments, one of them donated, is an error as on JAX's CPU, and the array stays.
x = jax.jit(lambda a: a + 1)(host)
raises('argument 0 is donated, and argument 1 is the same buffer', lambda: step(x, x))
assert np.asarray(x).sum() == 1 << 16

# An array that is offered without a result is gone where a result is as large, whatever its shape. On one device JAX 0.6
# offers none: it pairs equal types itself.
offered = jax.jit(lambda a, b: (a.reshape(-1), b.sum()), donate_argnums=(0, 1), out_shardings=(cut, None))
a, b = (jax.device_put(np.ones((16, 4), np.float32), cut) for _ in range(2))
offered(a, b)
assert (a.is_deleted() or len(devices) == 1) and not b.is_deleted()

x = jnp.arange(3.)
x.delete()
raises('deleted', lambda: x + 1)

# Slices with any strides are taken as they are seen.
base = np.arange(60, dtype=np.int16).reshape(3, 4, 5)
for view in (base[::-1], base[:, ::2, ::-2], base.T, np.broadcast_to(base[0, 0], (2, 5)), base[1:1], base[..., :1]):
    np.testing.assert_array_equal(np.asarray(jax.device_put(view)), view)

# Many arrays leave nothing behind.
device = devices[0]
gc.collect()
before = device.memory_stats()['bytes_in_use']
for k in range(200):
    a = jax.jit(lambda v: v * 2)(jax.device_put(np.ones(1 << 12, np.float32), device))
del a
gc.collect()
assert device.memory_stats()['bytes_in_use'] <= before + (1 << 16)
assert device.memory_stats()['peak_bytes_in_use'] >= 1 << 14
big = jax.jit(lambda: jnp.zeros((1 << 14, 1 << 14))).lower().compile()  # 1 GiB
raises('RESOURCE_EXHAUSTED: the program does not fit', lambda: jax.jit(lambda: jnp.zeros((1 << 20, 1 << 22)))())
# The reason is that of this failure, not of one before.
limits = resource.getrlimit(resource.RLIMIT_AS)
used = int(pathlib.Path('/proc/self/statm').read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 28), limits[1]))
raises('RESOURCE_EXHAUSTED: device 0', lambda: big().block_until_ready())
resource.setrlimit(resource.RLIMIT_AS, limits)

# What a compiled program says.
f = jax.jit(lambda a, b: a @ b).lower(jnp.ones((64, 32)), jnp.ones((32, 16))).compile()
assert f.cost_analysis()['flops'] == 2 * 64 * 32 * 16
said = f.memory_analysis()
assert said.argument_size_in_bytes == 4 * (64 * 32 + 32 * 16) and said.output_size_in_bytes == 4 * 64 * 16
assert 'dot' in f.as_text()

# Errors have the reason in them.
assert jax.jit(lambda a: a + 1, compiler_options={'xla_embed_ir_in_executable': True})(1.) == 2
raises('No such compile option', lambda: jax.jit(lambda a: a, compiler_options={'nosuch': 1})(1.))
raises('', lambda: jnp.linalg.cholesky(jnp.ones((2, 3))))
