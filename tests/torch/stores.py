"""What each rank of test_launchers.py does."""
import os
import pathlib
import time

import torch
import torch.distributed as dist

import weft_torch  # noqa: F401


def work():
    t = torch.ones(3)
    dist.all_reduce(t)
    assert t.eq(dist.get_world_size()).all()
    dist.destroy_process_group()


def numbers():
    return {'rank': int(os.environ['RANK']), 'world_size': int(os.environ['WORLD_SIZE'])}


def by_address(_, at):
    dist.init_process_group('weft', init_method=at, **numbers())
    work()


def by_file(store):
    dist.init_process_group('weft', init_method='file://' + store, **numbers())
    work()


def in_one_store(_):
    """Groups after each other, with what the earlier ones have left in the store."""
    for i in range(5):
        dist.init_process_group('weft')
        for n in (1, 70000):
            t = torch.full((n,), i + 1.0)
            dist.all_reduce(t)
            assert t.eq((i + 1) * dist.get_world_size()).all(), (i, n, t[0])
        pair = dist.new_group([0, 1])
        if dist.get_rank() < 2:
            dist.all_reduce(t, group=pair)
            assert t.eq(2 * (i + 1) * dist.get_world_size()).all(), (i, t[0])
        dist.monitored_barrier()
        dist.destroy_process_group()


def by_environment(_):
    dist.init_process_group('weft')
    work()


def resources():
    return len(os.listdir('/proc/self/fd')), len(os.listdir('/proc/self/task'))


def again_and_again(store):
    for i in range(12):
        dist.init_process_group('weft', init_method=f'file://{store}.{i}', **numbers())
        t = torch.ones(70000)
        dist.all_reduce(t, async_op=True).wait()
        if i == 3:
            first = resources()
        work()
    assert resources()[0] <= first[0] and resources()[1] <= first[1], (first, resources())
    # groups of one world: a thousand of them need no more of its memory than one
    dist.init_process_group('weft', init_method=f'file://{store}.x', **numbers())
    for _ in range(1000):
        g = dist.new_group([0, 1])
        dist.all_reduce(t, group=g)
        dist.destroy_process_group(g)
    work()


def all_have_come(place):
    """A barrier by files."""
    pathlib.Path(f'{place}.{numbers()["rank"]}').touch()
    while not all(os.path.exists(f'{place}.{rank}') for rank in range(numbers()['world_size'])):
        time.sleep(0.01)


def again_at_one_port(store, port):
    """The first group's store ends with it: its port is free for the second. A rank that comes before the store's own
    process has ended it would find the old one, whatever the backend; so all wait."""
    for i in range(3):
        dist.init_process_group('weft', init_method=f'tcp://127.0.0.1:{port}', **numbers())
        dist.new_group([0, 1])
        work()
        all_have_come(f'{store}.{i}')


def with_a_fork(store):
    """A forked child, as of a DataLoader, ends without harm to its parent's group."""
    dist.init_process_group('weft', init_method='file://' + store, **numbers())
    dist.all_reduce(torch.ones(3), async_op=True).wait()
    child = os.fork()
    if child == 0:
        dist.destroy_process_group()
        os._exit(5)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
    work()


def in_debug_mode(store):
    """TORCH_DISTRIBUTED_DEBUG=DETAIL puts torch's checks between the program and the backend."""
    dist.init_process_group('weft', init_method='file://' + store, **numbers())
    t = torch.ones(3)
    dist.all_reduce(t)
    dist.all_gather_into_tensor(torch.empty(6), t)
    work()
