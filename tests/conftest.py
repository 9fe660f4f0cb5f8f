"""What every test with JAX needs before JAX starts: the CPU, as eight devices. All run in one process, and the first decides."""
import os

os.environ.setdefault('JAX_PLATFORMS', 'cpu')
os.environ.setdefault('WEFT_CACHE_DIR', 'none')  # what is compiled is compiled by the code under test
try:
    import jax
except ImportError:
    pass
else:
    jax.config.update('jax_num_cpu_devices', 8)
