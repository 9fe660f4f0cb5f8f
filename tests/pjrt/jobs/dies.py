"""The last process of a job ends in the middle of it: the others get an exception that says so."""
import os
import time

import job

jax = job.begin()
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P  # noqa: E402

n = jax.device_count()
mesh = Mesh(np.array(jax.devices()), ('x',))
a = jax.make_array_from_callback((n,), NamedSharding(mesh, P('x')), lambda i: np.arange(n, dtype=np.float32)[i])
f = jax.jit(jnp.sum, out_shardings=NamedSharding(mesh, P()))
assert float(f(a)) == n * (n - 1) / 2
if job.PROCESS == job.COUNT - 1:
    time.sleep(1)
    os._exit(3)
begun = time.time()
try:
    f(a).block_until_ready()
    raise SystemExit('a sum over processes of which one is gone was computed')
except jax.errors.JaxRuntimeError as e:
    said = str(e)
assert time.time() - begun < 60, time.time() - begun
assert 'rank' in said or 'process' in said, said
# What is of this process alone still works; a new program over all processes does not, and says why.
assert float(jax.jit(lambda v: v + 1)(np.float32(1))) == 2
try:
    jax.jit(lambda v: jnp.max(v), out_shardings=NamedSharding(mesh, P()))(a).block_until_ready()
    raise SystemExit('a maximum over processes of which one is gone was computed')
except jax.errors.JaxRuntimeError as e:
    print(said, '|', e)
job.end()
os._exit(0)  # the framework's own end waits for all processes
