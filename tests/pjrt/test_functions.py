"""The functions of tests/jax through the plugin: JAX compiles and runs each on Weft and on its own CPU.

They run in a process of their own, since JAX chooses its platforms once. A case that ends that process is a failure of
that case, and another process goes on with the next.
"""
import importlib
import json
import os
import pathlib
import pkgutil
import subprocess
import sys

import pytest

pytest.importorskip('jax')
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'jax'))
import tables  # noqa: E402

# Every third function of the tables, all of them in ./check long.
EACH = 1 if int(os.environ.get('WEFT_LONG', 1)) > 1 else 3
NAMES = [c.name for m in pkgutil.iter_modules(tables.__path__) for c in importlib.import_module('tables.' + m.name).CASES]


def lines(first, library, log):
    """What run_cases.py says from case `first` on."""
    environment = dict(os.environ, WEFT_PJRT_LIBRARY=library, JAX_PLATFORMS='weft,cpu')
    with subprocess.Popen([sys.executable, HERE / 'run_cases.py', str(first), str(EACH)], stdout=subprocess.PIPE, stderr=log, text=True,
                          env=environment) as process:
        for line in process.stdout:
            yield json.loads(line)


@pytest.fixture(scope='module')
def verdicts(library, tmp_path_factory):
    log = tmp_path_factory.mktemp('functions') / 'stderr'
    found, first = {}, 0
    while first < len(NAMES):
        begun = first
        with open(log, 'w') as said:
            for line in lines(first, library, said):
                if 'begins' in line:
                    begun = line['begins']
                else:
                    found[line['case']] = line['wrong']
        if begun not in found:
            found[begun] = 'the process ended: ' + log.read_text()[-2000:]
        first = begun + EACH
    return found


@pytest.mark.parametrize('i', range(0, len(NAMES), EACH), ids=NAMES[::EACH])
def test_function(verdicts, i):
    assert verdicts[i] is None, verdicts[i]
