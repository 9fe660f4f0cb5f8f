"""The plugin in other versions of JAX, and with libraries over JAX, each in a virtual environment that is made by hand:

    python3 -m venv ENVS/jax-0.7.2 && ENVS/jax-0.7.2/bin/pip install jax==0.7.2
    python3 -m venv ENVS/flax && ENVS/flax/bin/pip install jax==0.10.2 flax optax
    python3 -m venv ENVS/others && ENVS/others/bin/pip install jax==0.10.2 optax equinox orbax-checkpoint torchax torch==2.9.1
    WEFT_JAX_ENVS=ENVS python -m pytest tests/pjrt/test_versions.py

WEFT_JAX_ENVS is the folder of these environments, ../venvs beside the source by default; their names are flax and
others, or begin with jax-.
"""
import os
import pathlib

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ENVS = pathlib.Path(os.environ.get('WEFT_JAX_ENVS', HERE.parents[2] / 'venvs'))
PROGRAMS = ['smoke', 'train', 'threads', 'memory']
LIBRARIES = {'flax': ['flax_train'], 'others': ['equinox_train', 'orbax_restore', 'torchax_train']}
FOUND = sorted(p for p in ENVS.glob('*') if (p / 'bin/python').exists() and (p.name in LIBRARIES or p.name.startswith('jax-')))
CASES = [(env, program) for env in FOUND for program in LIBRARIES.get(env.name, PROGRAMS)]


@pytest.mark.skipif(not FOUND, reason='no environments with other versions of JAX in %s' % ENVS)
@pytest.mark.parametrize('devices', [1, 2, 8])
@pytest.mark.parametrize('env,program', CASES, ids=['%s-%s' % (env.name, program) for env, program in CASES])
def test_version(run_program, env, program, devices):
    run = run_program(env / 'bin/python', program, devices)
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-4000:]
    assert 'not known well enough' not in run.stderr
