"""Processes of torch.distributed for tests: `run` starts them, each of which calls a function of a test module."""
import fcntl
import importlib
import os
import pathlib
import subprocess
import sys
import tempfile
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
        env = dict(os.environ, WEFT_COLL_LIBRARY=str(BUILD / '.libs' / 'libweft-coll.so.0'))
        run = subprocess.run([sys.executable, 'setup.py', '-q', 'build', '-b', str(PLACE / 'temporary'),
                              '--build-lib', str(PLACE / 'lib'), 'egg_info', '-e', str(PLACE)],
                             cwd=SOURCE / 'python' / 'weft_torch', env=env, capture_output=True, text=True)
        assert run.returncode == 0, run.stdout + run.stderr


def environment(**more):
    """Of a process that finds the package. The library is the one beside the extension."""
    path = os.pathsep.join([str(PLACE / 'lib'), str(HERE)] + os.environ.get('PYTHONPATH', '').split(os.pathsep))
    return dict(os.environ, PYTHONPATH=path.rstrip(os.pathsep), OMP_NUM_THREADS='1', TORCH_NUM_THREADS='1',
                PYTHONWARNINGS='ignore', **{k: str(v) for k, v in more.items()})


class Ended:
    """A process that has ended: its exit status, what it printed."""

    def __init__(self, status, output):
        self.status, self.output = status, output


def start(count, function, *arguments, each=lambda rank: {}, store=None):
    """`function` is 'module.name'; it is called with the store's file and the arguments, as texts."""
    store = store or tempfile.mktemp(prefix='weft-torch-')
    return [subprocess.Popen([sys.executable, str(HERE / 'ranks.py'), function, store, *map(str, arguments)],
                             env=environment(RANK=rank, WORLD_SIZE=count, LOCAL_RANK=rank, **each(rank)),
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for rank in range(count)]


def end(processes, seconds=120):
    ended = []
    for p in processes:
        try:
            output, _ = p.communicate(timeout=seconds)
            ended.append(Ended(p.returncode, output))
        except subprocess.TimeoutExpired:
            for q in processes:
                q.kill()
            output, _ = p.communicate()
            ended.append(Ended('no end', output))
    return ended


def run(count, function, *arguments, seconds=120, **options):
    """All processes must end well; what they printed, by rank."""
    ended = end(start(count, function, *arguments, **options), seconds)
    bad = [f'rank {i}: {e.status}\n{e.output}' for i, e in enumerate(ended) if e.status != 0]
    assert not bad, '\n'.join(bad)
    return [e.output for e in ended]


if __name__ == '__main__':
    module, name = sys.argv[1].rsplit('.', 1)
    try:
        getattr(importlib.import_module(module), name)(*sys.argv[2:])
    except BaseException:
        traceback.print_exc()
        sys.stdout.flush()
        sys.exit(1)
