"""Functions registered with jax.ffi (handlers/): compiled here with jaxlib's headers, called by programs on Weft and on
JAX's CPU, each script in a process of its own. Skipped without a compiler or the headers."""
import os
import pathlib
import shutil
import socket
import subprocess
import sys

import pytest

jax = pytest.importorskip('jax')
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
INCLUDE = pathlib.Path(jax.ffi.include_dir())


def compiler(names):
    found = next((shutil.which(n) for n in names if n and shutil.which(n)), None)
    if not found or not (INCLUDE / 'xla/ffi/api/ffi.h').exists():
        pytest.skip('there is no compiler, or jaxlib has no headers of its FFI')
    return found


@pytest.fixture(scope='module')
def handlers(tmp_path_factory):
    out = tmp_path_factory.mktemp('handlers') / 'handlers.so'
    subprocess.run([compiler([os.environ.get('CXX'), 'g++', 'clang++']), '-w', '-O1', '-std=c++17', '-shared', '-fPIC',
                    '-I', str(INCLUDE), str(HERE / 'handlers/handlers.cc'), '-o', str(out)], check=True)
    return out


@pytest.fixture
def start(library, handlers):
    def start(name, *arguments, devices=1, **more):
        mine = {k: v for k, v in os.environ.items() if not k.startswith(('JAX_', 'PYTHON'))}
        environment = dict(mine, WEFT_PJRT_LIBRARY=library, JAX_PLATFORMS='weft', WEFT_NUM_DEVICES=str(devices),
                           WEFT_TEST_HANDLERS=str(handlers), PYTHONPATH=str(ROOT / 'python'), **more)
        return subprocess.Popen([sys.executable, HERE / 'handlers' / (name + '.py'), *map(str, arguments)],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    return start


def ends_well(processes):
    try:
        said = [p.communicate(timeout=600)[0] for p in processes]
    finally:
        for p in processes:
            p.kill()
    for p, text in zip(processes, said):
        assert p.returncode == 0, text[-6000:]
        assert 'not known well enough' not in text


@pytest.fixture
def run(start):
    return lambda *arguments, **options: ends_well([start(*arguments, **options)])


def test_layout():
    """Weft's declarations of the interface are those of jaxlib."""
    subprocess.run([compiler([os.environ.get('CC'), 'gcc', 'clang']), '-std=c17', '-fsyntax-only', '-w', '-I', str(ROOT),
                    '-I', str(INCLUDE), str(HERE / 'handlers/layout.c')], check=True)


@pytest.mark.parametrize('threads', [1, 4])
def test_calls(run, threads):
    run('calls', WEFT_THREADS=str(threads))


@pytest.mark.parametrize('devices', [1, 2, 8])
def test_parts(run, devices):
    run('parts', devices=devices)


def test_job(start):
    with socket.socket() as s:
        s.bind(('localhost', 0))
        at = 'tcp:localhost:%d' % s.getsockname()[1]
    ends_well([start('job', devices=2, WEFT_PROCESS=str(p), WEFT_PROCESSES='2', WEFT_RENDEZVOUS=at) for p in range(2)])


def test_registration(run):
    run('registration')


def test_kept(run, tmp_path):
    run('kept', tmp_path / 'program', 'write')
    run('kept', tmp_path / 'program', 'read')
    run('kept', tmp_path / 'program', 'read_without')


def test_cached(run, tmp_path):
    """JAX's cache of programs: the second process finds what the first has compiled."""
    cache = dict(JAX_COMPILATION_CACHE_DIR=str(tmp_path), JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS='0',
                 JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES='0')
    kept = lambda: sorted(p.name for p in tmp_path.iterdir() if p.name.startswith('jit_program') and 'atime' not in p.name)
    run('kept', '-', 'call', **cache)
    first = kept()
    assert len(first) == 1
    run('kept', '-', 'call', **cache)
    run('kept', '-', 'call_without', **cache)
    assert kept() == first
