"""XLA's CPU compiler from Python, with the interface of weft.Program: StableHLO text in, arrays out, in this process."""
import os

os.environ.setdefault('JAX_PLATFORMS', 'cpu')
import jax
import numpy as np
from jax._src import compiler
from jax._src.lib import _jax

jax.config.update('jax_enable_x64', True)

# The reference compiles fast and rounds where the program says. With its emitters of fusions: without, a reverse of f8E5M2FNUZ changes denormals.
OPTIONS = {'xla_backend_optimization_level': 0, 'xla_allow_excess_precision': False}


class Error(Exception):
    """XLA refused the program."""


class Program:
    def __init__(self, text):
        device = jax.devices()[0]
        try:
            options = compiler.get_compile_options(num_replicas=1, num_partitions=1, env_options_overrides=OPTIONS)
            self.executable = device.client.compile_and_load(text.encode(), _jax.DeviceList((device,)), options)
        except Exception as e:
            raise Error(str(e).split('\n')[0]) from None

    def __call__(self, *arrays):
        try:
            return [np.asarray(r[0]) for r in self.executable.execute_sharded([jax.device_put(a) for a in arrays]).disassemble_into_single_device_arrays()]
        except Exception as e:
            raise Error(str(e).split('\n')[0]) from None

    def close(self):
        self.executable = None
