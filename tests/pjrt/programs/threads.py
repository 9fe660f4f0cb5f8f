"""Threads that call at once, work in flight when the interpreter ends, errors in one thread that are not another's."""
import threading

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

devices = jax.devices()
mesh = Mesh(np.array(devices), ('i',))
problems = []


def work(k):
    try:
        rng = np.random.default_rng(k)
        f = jax.jit(lambda a: jnp.sort(a @ a.T, axis=0) + k)
        for turn in range(12):
            a = rng.standard_normal((16, 8)).astype(np.float32)
            where = [devices[turn % len(devices)], NamedSharding(mesh, P('i'))][turn % 2]
            got = f(jax.device_put(a, where))
            np.testing.assert_allclose(np.asarray(got), np.sort(a @ a.T, axis=0) + k, rtol=2e-4, atol=1e-4)
            x = jax.device_put(a, devices[0])
            x.delete()
            try:
                f(x)
                problems.append('a deleted array was taken')
            except (RuntimeError, ValueError):
                pass
    except BaseException as e:
        problems.append(repr(e))


threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert not problems, problems

# Not waited for: the process ends all the same.
big = jax.device_put(np.ones((1024, 1024), np.float32), NamedSharding(mesh, P('i')))
g = jax.jit(lambda a: jax.lax.fori_loop(0, 50, lambda _, b: jnp.tanh(b @ b), a))
left = [g(big) for _ in range(3)]
