"""Calls of handlers in programs of several devices: inside of shard_map each device's with its part, outside of it each
with the whole."""
import jax
import jax.extend
import jax.numpy as jnp
import numpy as np
from jax.interpreters import mlir
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from handlers import F32, S32, error_of, like, log, register_all

devices = jax.devices()
register_all()  # after JAX has made its clients
n = len(devices)
mesh = Mesh(np.array(devices), ('i',))
S = jax.ShapeDtypeStruct
call = jax.ffi.ffi_call
x = jax.device_put(np.arange(16., dtype=F32), NamedSharding(mesh, P('i')))


def scale(v):
    return call('Scale', like(v))(v, factor=F32(2), offset=np.int64(1))


def in_place(v):
    return call('AddInPlace', like(v), input_output_aliases={0: 0})(v, by=F32(1))


def parts(function, out=P('i')):
    return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=P('i'), out_specs=out, check_vma=False))


np.testing.assert_array_equal(np.asarray(parts(scale)(x)), np.arange(16) * 2 + 1)
np.testing.assert_array_equal(np.asarray(parts(lambda v: jax.lax.psum(in_place(v), 'i'), P())(x)),
                              (np.arange(16.) + 1).reshape(n, -1).sum(0))
given = x + 0
np.testing.assert_array_equal(np.asarray(jax.jit(jax.shard_map(in_place, mesh=mesh, in_specs=P('i'), out_specs=P('i')),
                                                 donate_argnums=0)(given)), np.arange(16) + 1)

# Each device's call: with its number, at the same time as the others', in one run.
got = parts(lambda v: call('Ordinal', like(v))(v))(jnp.zeros(16, S32, device=x.sharding))
np.testing.assert_array_equal(np.asarray(got), np.repeat(np.arange(n), 16 // n))
log()
together = parts(lambda v: call('Together', like(v), has_side_effect=True)(v, devices=S32(n)))
for _ in range(3):
    np.testing.assert_array_equal(np.asarray(together(x)), np.arange(16))
runs = log()
assert len(runs) == 3 * n and len(set(runs)) == 3, runs
for d in reversed(devices):
    np.testing.assert_array_equal(np.asarray(jax.jit(scale)(jax.device_put(np.ones(3, F32), d))), [3, 3, 3])
    on = jax.jit(lambda v: call('Ordinal', like(v))(v))(jax.device_put(np.zeros(2, S32), d))
    assert int(on[0]) == d.id and on.devices() == {d}, (on, d)

# Outside the handler sees the whole.
whole = jax.jit(lambda v: call('Describe', S((60,), np.uint8))(v))(x)
assert bytes(np.asarray(whole)).decode().startswith('stage 3 (11 16) -> (6 60)')
assert len(log()) == n  # each device's
np.testing.assert_array_equal(np.asarray(jax.jit(lambda v: scale(v) + v, out_shardings=x.sharding)(x)), np.arange(16) * 3 + 1)
y = jax.device_put(np.arange(32., dtype=F32).reshape(8, 4), NamedSharding(mesh, P('i')))
rows, most, at = jax.jit(lambda v: call('Sums', (S((8,), F32), S((), F32), S((), S32)))(v * 1))(y)
np.testing.assert_array_equal(np.asarray(rows), np.arange(32.).reshape(8, 4).sum(1))
assert (float(most), int(at)) == (31, 31)

# The first dimensions may be a batch, whose parts devices compute.
batched = jax.extend.core.Primitive('batched')
batched.def_abstract_eval(lambda v: v)
mlir.register_lowering(batched, lambda ctx, v: jax.ffi.ffi_lowering('Scale', extra_attributes={
    'mhlo.frontend_attributes': mlir.ir_attribute({'num_batch_dims': '1'})})(ctx, v, factor=F32(2), offset=np.int64(1)))
split = jax.jit(batched.bind, out_shardings=y.sharding).lower(y).compile()
np.testing.assert_array_equal(np.asarray(split(y)), np.arange(32).reshape(8, 4) * 2 + 1)
assert 'all-gather' not in split.as_text()
assert n == 1 or 'all-gather' in jax.jit(scale, out_shardings=y.sharding).lower(y).compile().as_text()
log()

# One instance for all devices.
count = parts(lambda v: v.astype(S32) * 0 + call('Count', S((), S32))(begin=S32(0)))
assert sorted(set(np.asarray(count(x)).tolist())) == list(range(n))
assert sorted(set(np.asarray(count(x)).tolist())) == list(range(n, 2 * n))
assert log() == ['instance made']

# Failures: of all devices, of one; then the devices go on.
said = error_of(parts(lambda v: call('Fail', like(v))(v, code=S32(11), text='each device')), x)
assert said.startswith('OUT_OF_RANGE: ') and 'each device' in said, said


def first_fails(v):
    return jax.lax.cond(jax.lax.axis_index('i') == n - 1, lambda u: call('Fail', like(u))(u, code=S32(5), text='the last'),
                        scale, v)


said = error_of(parts(first_fails), x)
assert said.startswith('NOT_FOUND: ') and 'device %d: the last' % (n - 1) in said, said
np.testing.assert_array_equal(np.asarray(parts(scale)(x)), np.arange(16) * 2 + 1)
np.testing.assert_array_equal(np.asarray(parts(lambda v: call('SquaresLater', like(v))(v, tasks=S32(3)))(x)), np.arange(16.) ** 2)
