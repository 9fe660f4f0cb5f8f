"""The plugin under test: WEFT_PJRT_LIBRARY, else that of the build that $top_builddir or build/ has."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def plugin():
    given = os.environ.get('WEFT_PJRT_LIBRARY')
    folders = [os.environ.get('top_builddir'), ROOT / 'build-check', ROOT / 'build']
    candidates = [pathlib.Path(given)] if given else [pathlib.Path(f) / '.libs/libweft_pjrt.so' for f in folders if f]
    found = [c for c in candidates if c.exists()]
    return str(found[0].resolve()) if found else None


@pytest.fixture(scope='session')
def library():
    path = plugin()
    if path is None:
        pytest.skip('libweft_pjrt.so is not built')
    return path


@pytest.fixture(scope='session')
def run_program(library):
    """(python, name, devices): the run of programs/NAME.py on the platform weft. Other tests of this process set JAX's
    variables, and those of Python are another environment's."""
    def run(python, name, devices):
        mine = {k: v for k, v in os.environ.items() if not k.startswith(('JAX_', 'PYTHON', 'VIRTUAL_ENV'))}
        environment = dict(mine, WEFT_PJRT_LIBRARY=library, JAX_PLATFORMS='weft', WEFT_NUM_DEVICES=str(devices),
                           PYTHONPATH=str(ROOT / 'python'))
        return subprocess.run([python, ROOT / 'tests/pjrt/programs' / (name + '.py')], capture_output=True, text=True,
                              timeout=600, env=environment)
    return run
