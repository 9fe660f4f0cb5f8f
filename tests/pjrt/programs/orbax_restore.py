"""Orbax's checkpoints of arrays that Weft holds: saved sharded, restored as they were, with another sharding, and on JAX's CPU."""
import sys
import tempfile

try:
    import orbax.checkpoint as ocp
except ImportError as error:
    print('no Orbax here: %s' % error)
    sys.exit(77)
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

devices = jax.devices()
mesh = Mesh(np.array(devices), ('x',))
rows, columns, whole = NamedSharding(mesh, P('x')), NamedSharding(mesh, P(None, 'x')), NamedSharding(mesh, P())
tree = {
    'w': jax.device_put(jnp.arange(8 * 16, dtype=jnp.float32).reshape(8, 16), rows),
    'half': jax.device_put(jnp.linspace(-1, 1, 64).reshape(8, 8).astype(jnp.bfloat16), columns),
    'step': jax.device_put(jnp.int32(7), whole),
    'deep': {'mask': jax.device_put(jnp.arange(16) % 3 == 0, whole)},
}
tree = jax.jit(lambda t: jax.tree.map(lambda v: v if v.dtype == bool else v + 1, t), donate_argnums=0)(tree)
want = jax.tree.map(np.asarray, tree)


def same(got):
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want)):
        np.testing.assert_array_equal(np.asarray(a).astype(np.float64), b.astype(np.float64))
        assert a.dtype == b.dtype


with tempfile.TemporaryDirectory() as folder:
    with ocp.CheckpointManager(folder, options=ocp.CheckpointManagerOptions(max_to_keep=2)) as manager:
        for step in range(3):
            manager.save(step, args=ocp.args.StandardSave(tree))
        manager.wait_until_finished()
        assert sorted(manager.all_steps()) == [1, 2]
        like = jax.tree.map(lambda v: jax.ShapeDtypeStruct(v.shape, v.dtype, sharding=v.sharding), tree)
        got = manager.restore(2, args=ocp.args.StandardRestore(like))
        same(got)
        assert all(a.sharding == b.sharding for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(tree)))
        others = dict(like, w=jax.ShapeDtypeStruct((8, 16), jnp.float32, sharding=columns))
        got = manager.restore(2, args=ocp.args.StandardRestore(others))
        same(got)
        assert got['w'].sharding == columns
        cpu = jax.sharding.SingleDeviceSharding(jax.devices('cpu')[0])
        same(manager.restore(1, args=ocp.args.StandardRestore(jax.tree.map(lambda v: jax.ShapeDtypeStruct(v.shape, v.dtype, sharding=cpu), tree))))
print('restored')
