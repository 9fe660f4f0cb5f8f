"""The plugin in other versions of JAX, each in a virtual environment that is made by hand:

    python3 -m venv ENVS/jax-0.7.2 && ENVS/jax-0.7.2/bin/pip install jax==0.7.2
    WEFT_JAX_ENVS=ENVS python -m pytest tests/pjrt/test_versions.py

WEFT_JAX_ENVS is the folder of these environments, ../venvs beside the source by default; their names begin with jax-.
"""
import os
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ENVS = pathlib.Path(os.environ.get('WEFT_JAX_ENVS', HERE.parents[2] / 'venvs'))
FOUND = sorted(p for p in ENVS.glob('jax-*') if (p / 'bin/python').exists())
PROGRAMS = ['smoke', 'train', 'threads', 'memory']


@pytest.mark.skipif(not FOUND, reason='no environments with other versions of JAX in %s' % ENVS)
@pytest.mark.parametrize('devices', [1, 8])
@pytest.mark.parametrize('program', PROGRAMS)
@pytest.mark.parametrize('env', FOUND, ids=[p.name for p in FOUND])
def test_version(library, env, program, devices):
    mine = {k: v for k, v in os.environ.items() if not k.startswith(('JAX_', 'PYTHON', 'VIRTUAL_ENV'))}
    environment = dict(mine, WEFT_PJRT_LIBRARY=library, JAX_PLATFORMS='weft', WEFT_NUM_DEVICES=str(devices),
                       PYTHONPATH=str(HERE.parents[1] / 'python'))
    run = subprocess.run([env / 'bin/python', HERE / 'programs' / (program + '.py')], capture_output=True, text=True, timeout=600,
                         env=environment)
    if run.returncode == 77:
        pytest.skip(run.stdout.strip())
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-4000:]
    assert 'not known well enough' not in run.stderr
