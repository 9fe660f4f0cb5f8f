"""Programs of users on the platform weft, each a script in a process of its own (programs/): it ends with 0, or says why."""
import pathlib
import sys

import pytest

pytest.importorskip('jax')
HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = sorted(p.stem for p in (HERE / 'programs').glob('*.py'))
assert PROGRAMS


@pytest.mark.parametrize('devices', [1, 2, 8])
@pytest.mark.parametrize('name', PROGRAMS)
def test_program(run_program, name, devices):
    run = run_program(sys.executable, name, devices)
    if run.returncode == 77:
        pytest.skip(run.stdout.strip())
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-4000:]
    for ends in ('Error in sys.excepthook', 'Exception ignored'):  # Python says no more where something fails at its end
        assert ends not in run.stderr, run.stderr[-4000:]
