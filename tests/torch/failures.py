"""What each rank of test_failures.py does. A rank prints the error that it got."""
import datetime
import os
import sys
import time

import torch
import torch.distributed as dist

import weft_torch  # noqa: F401


RANK = SIZE = 0  # set by begin


def begin(store, seconds=20.):
    global RANK, SIZE
    RANK, SIZE = int(os.environ['RANK']), int(os.environ['WORLD_SIZE'])
    dist.init_process_group('weft', init_method='file://' + store, rank=RANK, world_size=SIZE,
                            timeout=datetime.timedelta(seconds=seconds))


def told(function, *arguments, kind=dist.DistBackendError):
    try:
        function(*arguments)
    except kind as e:
        print('told:', str(e).splitlines()[0], flush=True)
    else:
        print('nothing was told')


def dies(store):
    begin(store)
    t = torch.ones(100000)
    dist.all_reduce(t)
    if RANK == 2:
        os._exit(7)
    told(dist.all_reduce, t)
    told(dist.barrier)  # and ever after
    dist.destroy_process_group()


def dies_while_others_wait_for_a_future(store):
    begin(store)
    dist.barrier()
    if RANK == 1:
        os._exit(7)
    told(dist.all_reduce(torch.ones(5), async_op=True).get_future().wait, kind=RuntimeError)


def does_not_come(store):
    begin(store, 2)
    dist.barrier()
    if RANK == 1:
        time.sleep(6)
    else:
        told(dist.all_reduce, torch.ones(5))


def never_starts(store):
    told(begin, store, 2.)


def differ(store):
    begin(store)
    told(dist.all_reduce, torch.ones(3 + RANK))


def differ_in_type(store):
    begin(store)
    told(dist.all_reduce, torch.ones(4, dtype=torch.int32 if RANK else torch.float32))


def differ_in_call(store):
    begin(store)
    told(lambda: dist.barrier() if RANK else dist.broadcast(torch.ones(3), 0))


def short_receive(store):
    begin(store)
    if RANK == 0:
        for n in (3, 30000):
            dist.send(torch.ones(n), 1)
    else:
        for _ in range(2):
            told(dist.recv, torch.ones(5), 0)
    dist.barrier()  # the group goes on
    if RANK == 0:
        dist.send(torch.ones(5), 1)
    else:
        dist.recv(torch.zeros(5), 0)
    dist.destroy_process_group()


def impatient(store):
    """Time-outs of one wait, of one group, and of a receive from any rank."""
    begin(store)
    short = dist.new_group(timeout=datetime.timedelta(seconds=1))
    t = torch.ones(3)
    if RANK == 0:
        told(dist.irecv(t, 1).wait, datetime.timedelta(seconds=1))
        told(dist.irecv(t, group=short).wait)
        told(dist.irecv(t).wait, datetime.timedelta(seconds=1))
    dist.barrier()  # none of these has failed the group
    if RANK == 0:
        told(dist.all_reduce, t, dist.ReduceOp.SUM, short)
    else:
        time.sleep(5)


def impatient_wait(store):
    begin(store, 60)
    dist.barrier()
    if RANK == 0:
        told(dist.all_reduce(torch.ones(3), async_op=True).wait, datetime.timedelta(seconds=1))
    else:
        time.sleep(4)


def monitored(store):
    begin(store)
    group = dist.group.WORLD
    dist.monitored_barrier(timeout=datetime.timedelta(seconds=10))
    if RANK == 0:
        told(group.monitored_barrier, datetime.timedelta(seconds=1), True)
        told(group.monitored_barrier, datetime.timedelta(seconds=1), False)
    elif RANK == 1:
        told(group.monitored_barrier, datetime.timedelta(seconds=1))
        told(group.monitored_barrier, datetime.timedelta(seconds=1))
    dist.barrier()  # ranks 2 and 3 come here
    dist.destroy_process_group()


def misused(store):
    """Errors of one rank alone are found before a peer is involved, so the group goes on."""
    begin(store)
    t = torch.ones(4)
    if RANK == 0:
        told(dist.all_gather, [t.clone()], t, kind=ValueError)
        told(dist.all_gather, [t.clone(), torch.ones(4, dtype=torch.int32)], t, kind=(ValueError, RuntimeError))
        told(dist.all_gather_into_tensor, torch.ones(7), t, kind=ValueError)
        told(dist.reduce_scatter_tensor, torch.ones(3), t, kind=ValueError)
        told(dist.all_reduce, t, dist.ReduceOp.BAND, kind=RuntimeError)
        told(dist.all_reduce, torch.ones(3, dtype=torch.bool), dist.ReduceOp.AVG, kind=RuntimeError)
        told(dist.all_to_all_single, torch.ones(4), t, [3, 3], [2, 2], kind=RuntimeError)
        told(dist.scatter, t, [t, torch.ones(5)], 0, kind=ValueError)
        told(dist.group.WORLD.send, [t], 0, 0, kind=(RuntimeError, ValueError))
        told(dist.group.WORLD.send, [t], 9, 0, kind=(RuntimeError, ValueError))
    dist.all_reduce(t)
    assert t.eq(SIZE).all()
    dist.destroy_process_group()


def left_behind(store):
    """Calls under way when the group is destroyed end; later ones are refused."""
    begin(store)
    group = dist.group.WORLD
    backend = group._get_backend(torch.device('cpu'))
    t = torch.ones(5)
    work = group.recv([t], 1 - RANK, 3)
    sum_ = dist.all_reduce(torch.ones(3), async_op=True)
    dist.destroy_process_group()
    backend.shutdown()
    told(work.wait)
    sum_.wait()
    told(backend.barrier, kind=RuntimeError)


def exits_without_end(store):
    begin(store)
    dist.all_reduce(torch.ones(3))
    dist.all_reduce(torch.ones(3), async_op=True).wait()
    sys.exit(0)
