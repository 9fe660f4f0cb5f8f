"""Jobs of several processes (jobs/): brought together by jax.distributed, a rendezvous of Weft's, or mpirun."""
import os
import pathlib
import shutil
import socket
import subprocess
import sys

import pytest

pytest.importorskip('jax')
HERE = pathlib.Path(__file__).resolve().parent
LONG = int(os.environ.get('WEFT_LONG') or 1) > 1


def port():
    with socket.socket() as s:
        s.bind(('localhost', 0))
        return s.getsockname()[1]


def environment(library, devices, **more):
    mine = {k: v for k, v in os.environ.items() if not k.startswith(('JAX_', 'JOB_'))}
    return dict(mine, WEFT_PJRT_LIBRARY=library, JAX_PLATFORMS='weft', WEFT_NUM_DEVICES=str(devices),
                PYTHONPATH=str(HERE.parents[1] / 'python'), **more)


def run_all(commands):
    """Ends with what each process has printed; every process that outlives the time is ended."""
    running = [subprocess.Popen(c, env=e, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for c, e in commands]
    said = []
    try:
        for p in running:
            said.append(p.communicate(timeout=300)[0])
    finally:
        for p in running:
            p.kill()
    return [(p.returncode, text) for p, text in zip(running, said)]


def run_job(library, program, processes, devices, by):
    at = 'localhost:%d' % port()
    commands = []
    for p in range(processes):
        more = {'JOB_PROCESS': str(p), 'JOB_COUNT': str(processes), 'JOB_COORDINATOR': at} if by == 'jax' else \
               {'WEFT_PROCESS': str(p), 'WEFT_PROCESSES': str(processes), 'WEFT_RENDEZVOUS': 'tcp:' + at}
        commands.append(([sys.executable, HERE / 'jobs' / program], environment(library, devices, **more)))
    return run_all(commands)


@pytest.mark.parametrize('processes,devices,by', [(2, 2, 'jax'), (4, 1, 'jax'), (2, 1, 'rendezvous')])
def test_arrays(library, processes, devices, by):
    for code, text in run_job(library, 'arrays.py', processes, devices, by):
        assert code == 0 and 'done' in text, text[-4000:]


@pytest.mark.parametrize('processes,devices', [(2, 4), (3, 2)])
def test_meshes_in_any_order(library, processes, devices):
    for code, text in run_job(library, 'mixed.py', processes, devices, 'jax'):
        assert code == 0 and 'done' in text, text[-4000:]


@pytest.mark.parametrize('transport', ['shm', 'tcp'])
def test_a_process_that_dies(library, transport, monkeypatch):
    monkeypatch.setenv('WEFT_TRANSPORT', transport)
    *others, dead = run_job(library, 'dies.py', 3, 1, 'jax')
    assert dead[0] == 3, dead
    for code, text in others:
        assert code == 0 and 'done' in text, text[-4000:]
        assert 'rank 2' in text or 'process 2' in text, text[-4000:]


@pytest.mark.skipif(not shutil.which('mpirun'), reason='mpirun is not there')
@pytest.mark.parametrize('processes', [2, pytest.param(8, marks=pytest.mark.skipif(not LONG, reason='./check long'))])
def test_mpirun(library, processes):
    (code, text), = run_all([(['mpirun', '--oversubscribe', '-n', str(processes), sys.executable,
                               HERE / 'jobs' / 'arrays.py'], environment(library, 1))])
    assert code == 0 and text.count('done') == processes, text[-4000:]


def test_alone_under_mpirun(library):
    """A process that wants to be alone is, whatever started it."""
    program = 'import jax; assert jax.device_count() == 2 and jax.process_count() == 1, jax.devices()'
    run = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True, timeout=300,
                         env=environment(library, 2, WEFT_PJRT_ALONE='1', OMPI_COMM_WORLD_RANK='0', OMPI_COMM_WORLD_SIZE='2'))
    assert run.returncode == 0, run.stderr[-3000:]
