"""Calls of handlers in programs of several processes' devices: each process calls its own functions."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from handlers import F32, S32, like, register_all

register_all()
n = len(jax.devices())
mesh = Mesh(np.array(jax.devices()), ('i',))
cut = NamedSharding(mesh, P('i'))
call = jax.ffi.ffi_call
x = jax.make_array_from_callback((16,), cut, lambda at: np.arange(16, dtype=F32)[at])


def scale(v):
    return call('Scale', like(v))(v, factor=F32(2), offset=np.int64(1))


def parts(function, out):
    return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=P('i'), out_specs=out, check_vma=False))


total = parts(lambda v: jax.lax.psum(scale(v), 'i'), P())(x)
np.testing.assert_array_equal(np.asarray(total.addressable_data(0)), (np.arange(16) * 2 + 1).reshape(n, -1).sum(0))
assert float(jax.jit(lambda v: scale(v).sum())(x)) == 256
numbers = parts(lambda v: call('Ordinal', like(v))(v), P('i'))(jnp.zeros(n, S32, device=cut))
assert [int(s.data[0]) for s in numbers.addressable_shards] == list(range(len(jax.local_devices())))
print('done')
