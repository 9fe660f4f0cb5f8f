"""Processes of torch.distributed for tests: `run` starts them, each of which calls a function of a test module."""
import fcntl
import importlib
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
BUILD = pathlib.Path(os.environ.get('top_builddir') or SOURCE / 'build').resolve()
PLACE = BUILD / 'weft_torch'


def build():
    """The package in the build folder, made again if its sources or the library are newer. Several pytests may ask."""
    PLACE.mkdir(exist_ok=True)
    with open(PLACE / 'lock', 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        (PLACE / 'lib').mkdir(exist_ok=True)
        env = dict(os.environ, WEFT_COLL_LIBRARY=str(BUILD / '.libs' / 'libweft-coll.so.0'),
                   TORCH_DEVICE_BACKEND_AUTOLOAD='0')
        run = subprocess.run([sys.executable, 'setup.py', '-q', 'build', '-b', str(PLACE / 'temporary'),
                              '--build-lib', str(PLACE / 'lib'), 'egg_info', '-e', str(PLACE / 'lib')],
                             cwd=SOURCE / 'python' / 'weft_torch', env=env, capture_output=True, text=True)
        assert run.returncode == 0, run.stdout + run.stderr


def environment():
    """Of processes that find the package and these modules."""
    path = [str(PLACE / 'lib'), str(HERE)] + os.environ.get('PYTHONPATH', '').split(os.pathsep)
    return {'PYTHONPATH': os.pathsep.join(p for p in path if p), 'OMP_NUM_THREADS': '1', 'PYTHONWARNINGS': 'ignore'}


def server():
    """Ranks are forks of a process that has imported torch: an import takes longer than most tests."""
    context = multiprocessing.get_context('forkserver')
    os.environ.update(environment())
    context.set_forkserver_preload(['laws', 'failures', 'stores', 'training'])
    return context


class Rank:
    """A process: its exit status and what it printed, once it has ended."""

    def __init__(self, function, arguments, variables):
        self.file = tempfile.mktemp(prefix='weft-torch-output-')
        self.process = server().Process(target=call, args=(function, arguments, variables, self.file), daemon=True)
        self.process.start()

    def end(self, seconds):
        self.process.join(max(seconds, 0.1))
        late = self.process.exitcode is None
        if late:
            self.process.kill()
            self.process.join()
        self.status = 'no end' if late else self.process.exitcode
        with open(self.file) as output:
            self.output = output.read()
        os.unlink(self.file)
        return self


def call(function, arguments, variables, output):
    os.environ.update(variables)
    with open(output, 'w') as to:
        os.dup2(to.fileno(), 1)
        os.dup2(to.fileno(), 2)
    sys.stdout = sys.stderr = open(1, 'w', buffering=1, closefd=False)
    module, name = function.rsplit('.', 1)
    try:
        getattr(importlib.import_module(module), name)(*arguments)
    except Exception:
        traceback.print_exc()
        sys.exit(1)


def start(count, function, *arguments, each=lambda rank: {}, of=None):
    """Ranks of a job of `count`, all or the first `of`. `function` is 'module.name'; it is called with the store's file
    and the arguments."""
    store = tempfile.mktemp(prefix='weft-torch-store-')
    return [Rank(function, (store, *arguments),
                 {'RANK': str(rank), 'WORLD_SIZE': str(count), 'LOCAL_RANK': str(rank), **each(rank)})
            for rank in range(of or count)]


def end(ranks, seconds=120):
    over = time.monotonic() + seconds
    return [r.end(over - time.monotonic()) for r in ranks]


def run(count, function, *arguments, seconds=120, **options):
    """All processes must end well; what they printed, by rank."""
    ended = end(start(count, function, *arguments, **options), seconds)
    bad = [f'rank {i}: {e.status}\n{e.output}' for i, e in enumerate(ended) if e.status != 0]
    assert not bad, '\n'.join(bad)
    return [e.output for e in ended]
