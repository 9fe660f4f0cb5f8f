"""What each rank of test_launchers.py does."""
import os

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
