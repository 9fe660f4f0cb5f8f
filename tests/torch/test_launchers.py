"""Programs under torchrun and mpirun, as torch's users start them; the stores of torch; the installed package."""
import os
import shutil
import socket
import subprocess
import sys

import pytest

import ranks

PROGRAM = str(ranks.HERE / 'program.py')


def launched(command, count, **more):
    env = dict(os.environ, **ranks.environment(), **more)
    run = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
    for rank in range(count):
        assert f'rank {rank} of {count} is done' in run.stdout, run.stdout + run.stderr


def test_torchrun():
    """The package is found by its entry point: the program does not import it."""
    launched([sys.executable, '-m', 'torch.distributed.run', '--standalone', '--nproc-per-node', '2', PROGRAM], 2)


@pytest.mark.skipif(shutil.which('mpirun') is None, reason='no mpirun here')
def test_mpirun():
    """No address, no port, no variable of torch's."""
    launched(['mpirun', '-n', '3', '--oversubscribe', sys.executable, PROGRAM, 'weft://'], 3)


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def test_stores():
    """init_method tcp:// and file://, and env:// with a store of torch's."""
    port = free_port()
    ranks.run(2, 'stores.by_address', f'tcp://127.0.0.1:{port}')
    ranks.run(2, 'stores.by_file')
    ranks.run(2, 'stores.by_environment', each=lambda rank: {'MASTER_ADDR': '127.0.0.1', 'MASTER_PORT': str(port)})


def test_one_group_after_another():
    """Process groups that begin and end again and again; a process has other descriptors and threads no more of them."""
    ranks.run(2, 'stores.again_and_again')
    ranks.run(2, 'stores.again_at_one_port', free_port())


def test_one_group_after_another_in_one_store():
    """torchrun's store outlives the groups. Gloo finds its old addresses there, and Weft found its own, with wrong sums."""
    import torch.distributed as dist
    from datetime import timedelta
    store = dist.TCPStore('127.0.0.1', 0, None, True, timedelta(seconds=60), wait_for_workers=False)
    ranks.run(3, 'stores.in_one_store', each=lambda rank: {
        'MASTER_ADDR': '127.0.0.1', 'MASTER_PORT': str(store.port), 'TORCHELASTIC_USE_AGENT_STORE': 'True'})


def test_a_fork():
    ranks.run(2, 'stores.with_a_fork')


def test_debug_mode():
    ranks.run(2, 'stores.in_debug_mode', each=lambda rank: {'TORCH_DISTRIBUTED_DEBUG': 'DETAIL'})
