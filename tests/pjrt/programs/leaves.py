"""The script ends while programs that call back are under way: the interpreter waits for them."""
import atexit
import os
import time

calls = []


@atexit.register
def last():  # registered before JAX, so it runs after what JAX and Weft do at the end
    if len(calls) != 6 * programs:
        print(len(calls), 'calls were made of', 6 * programs, flush=True)
        os._exit(1)


import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P  # noqa: E402

devices = jax.devices()
cut = NamedSharding(Mesh(np.array(devices), ('i',)), P('i'))


def slow(i):
    time.sleep(0.02)
    calls.append(int(i))
    return i


@jax.jit
def loop(x):
    return jax.lax.fori_loop(0, 6, lambda i, a: a + jax.pure_callback(slow, jax.ShapeDtypeStruct((), np.int32), i), x)


programs = 2
loop(jax.device_put(jnp.arange(8 * len(devices), dtype=jnp.int32), cut))
loop(jax.device_put(jnp.arange(8 * len(devices), dtype=jnp.int32), devices[-1]))
