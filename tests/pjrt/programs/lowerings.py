"""What a program says for the CPU holds for Weft, unless it says something for Weft: lowerings that are registered after Weft has started, by modules
of JAX that are imported late and by users; branches by platform; what was exported."""
import jax
import jax.export
import jax.extend
import jax.numpy as jnp
import numpy as np

jax.block_until_ready(jnp.zeros(1) + 1)  # Weft's tables are made

from jax.experimental import sparse  # noqa: E402
from jax.experimental.sparse.linalg import spsolve  # noqa: E402
from jax.interpreters import mlir  # noqa: E402

dense = np.diag(np.arange(1.0, 7.0)).astype(np.float32)
dense[0, 3], dense[4, 1] = 2, -1
m, b = sparse.BCSR.fromdense(jnp.asarray(dense)), jnp.arange(6.0)
solve = jax.jit(lambda data, b: spsolve(data, m.indices, m.indptr, b))
try:
    import scipy  # noqa: F401
except ImportError:
    pass
else:  # it calls SciPy
    np.testing.assert_allclose(solve(m.data, b), np.linalg.solve(dense, np.arange(6.0)), rtol=1e-5, atol=1e-6)
    grad = jax.jit(jax.grad(lambda b: solve(m.data, b).sum()))(b)
    np.testing.assert_allclose(grad, np.linalg.solve(dense.T, np.ones(6)), rtol=1e-5, atol=1e-6)

# A primitive of a user that has a rule for the CPU only, and one with a rule of its own for Weft.
for platform, factor in (('cpu', 2.0), ('weft', 3.0)):
    times = jax.extend.core.Primitive('times_on_' + platform)
    times.def_abstract_eval(lambda x: x)
    rule = mlir.lower_fun(lambda x, factor=factor: x * factor, multiple_results=False)
    mlir.register_lowering(times, rule, platform=platform)
    np.testing.assert_array_equal(jax.jit(times.bind)(b), factor * np.arange(6.0))

# A function with rules for XLA's partitioner is what it computes, on however many devices.
from jax.experimental.custom_partitioning import custom_partitioning  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P  # noqa: E402


@custom_partitioning
def softened(x):
    return jax.nn.softmax(x, axis=-1)


softened.def_partition(
    infer_sharding_from_operands=lambda mesh, given, result: given[0].sharding,
    partition=lambda mesh, given, result: (mesh, softened.fun, result.sharding, (given[0].sharding,)),
    sharding_rule='i j -> i j')
rows = jnp.arange(32.0).reshape(8, 4)
cut = NamedSharding(Mesh(np.array(jax.devices()), ('i',)), P('i'))
np.testing.assert_allclose(jax.jit(softened, in_shardings=cut, out_shardings=cut)(rows), jax.nn.softmax(rows), rtol=1e-6)

# Branches by platform: the CPU's, or Weft's own, or the default's; under vmap and grad, and outside of jit.
def branch(x, **by):
    return jax.lax.platform_dependent(x, **by)


def times_(factor):
    return lambda x: x * factor


for by, factor in (({'cpu': 2, 'tpu': 5}, 2), ({'cpu': 2, 'weft': 3}, 3), ({'tpu': 5, 'default': 7}, 7), ({'cpu': 2, 'default': 7}, 2)):
    by = {k: times_(v) for k, v in by.items()}
    np.testing.assert_array_equal(jax.jit(lambda x: branch(x, **by))(b), factor * np.arange(6.0))
    np.testing.assert_array_equal(branch(b, **by), factor * np.arange(6.0))
    np.testing.assert_array_equal(jax.vmap(lambda x: branch(x, **by))(b), factor * np.arange(6.0))
    np.testing.assert_array_equal(jax.grad(lambda x: branch(x, **by).sum())(b), np.full(6, factor))

# What was exported for the CPU, alone or with others, is called on Weft; what was exported for others only is not.
by = {'cpu': times_(2), 'tpu': times_(5), 'cuda': times_(7)}
f = jax.jit(lambda x: branch(x, **by) + 1)
for platforms in (['cpu'], ['tpu', 'cpu'], ['cpu', 'tpu', 'cuda'], ['weft', 'cpu']):
    np.testing.assert_array_equal(jax.jit(jax.export.export(f, platforms=platforms)(b).call)(b), 2 * np.arange(6.0) + 1)
try:
    jax.jit(jax.export.export(f, platforms=['tpu'])(b).call)(b)
except ValueError as e:
    assert 'was exported for platforms' in str(e)
else:
    raise AssertionError('a program for TPUs was called')
