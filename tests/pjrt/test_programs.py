"""Programs of users on the platform weft, each a script in a process of its own (programs/): it ends with 0, or says why."""
import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip('jax')
HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = sorted(p.stem for p in (HERE / 'programs').glob('*.py'))
assert PROGRAMS


@pytest.mark.parametrize('devices', [1, 2, 8])
@pytest.mark.parametrize('name', PROGRAMS)
def test_program(library, name, devices):
    mine = {k: v for k, v in os.environ.items() if not k.startswith('JAX_')}  # other tests of this process set them
    environment = dict(mine, WEFT_PJRT_LIBRARY=library, JAX_PLATFORMS='weft', WEFT_NUM_DEVICES=str(devices),
                       PYTHONPATH=str(HERE.parents[1] / 'python'))
    run = subprocess.run([sys.executable, HERE / 'programs' / (name + '.py')], capture_output=True, text=True, timeout=600,
                         env=environment)
    if run.returncode == 77:
        pytest.skip(run.stdout.strip())
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-4000:]
