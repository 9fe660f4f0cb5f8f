"""JAX's cache of compiled programs: a program that the environment has compiled otherwise is another one."""
import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip('jax')
ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
import jax
import jax.numpy as jnp
jax.config.update('jax_compilation_cache_dir', sys.argv[1])
jax.config.update('jax_persistent_cache_min_compile_time_secs', 0)
jax.config.update('jax_persistent_cache_min_entry_size_bytes', -1)
def product(a): return jnp.tanh(a @ a)
jax.jit(product)(jnp.ones((24, 24), jnp.float32)).block_until_ready()
print(jax.devices()[0].client.platform_version)
"""


@pytest.fixture
def entries(library, tmp_path):
    """(variables): a process with these compiles a program; how many programs JAX has kept then, or what went wrong."""
    def run(**variables):
        theirs = ('JAX_', 'PYTHON', 'VIRTUAL_ENV', 'WEFT_COSTS', 'WEFT_MEMORY')
        mine = {k: v for k, v in os.environ.items() if not k.startswith(theirs)}
        environment = dict(mine, WEFT_PJRT_LIBRARY=library, JAX_PLATFORMS='weft', PYTHONPATH=str(ROOT / 'python'),
                           WEFT_CACHE_DIR='none', **variables)
        done = subprocess.run([sys.executable, '-c', PROGRAM, str(tmp_path / 'cache')], capture_output=True, text=True,
                              timeout=300, env=environment)
        if done.returncode:
            return done.stderr
        return len(list((tmp_path / 'cache').glob('jit_product-*-cache')))
    return run


def test_costs_and_memory_are_in_the_key(entries, tmp_path):
    (tmp_path / 'loops.costs').write_text('loop-product 65536  # the same, in a file\n')
    assert entries() == 1
    assert entries() == 1
    assert entries(WEFT_COSTS='loop-product 65536') == 2
    assert entries(WEFT_COSTS=str(tmp_path / 'loops.costs')) == 2
    assert entries(WEFT_COSTS='loop-product 65537') == 3
    assert entries(WEFT_MEMORY='1GiB') == 4
    assert entries(WEFT_MEMORY='1024MiB') == 4


def test_variables_that_cannot_be_read_are_errors(entries):
    assert "'missing.costs' cannot be opened" in entries(WEFT_COSTS='missing.costs')
    assert "WEFT_MEMORY is a size, as 8GiB, not 'much'" in entries(WEFT_MEMORY='much')
    assert 'does not fit' in entries(WEFT_MEMORY='1KiB') or 'memory' in entries(WEFT_MEMORY='1KiB')
