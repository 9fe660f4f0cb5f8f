"""A group of one rank, without a store that others see."""
import torch
import torch.distributed as dist

import weft_torch  # noqa: F401


def everything(_):
    dist.init_process_group('weft', store=dist.HashStore(), rank=0, world_size=1)
    t = torch.arange(5.)
    for op in (dist.ReduceOp.SUM, dist.ReduceOp.AVG, dist.ReduceOp.MAX):
        dist.all_reduce(t, op)
    dist.broadcast(t, 0)
    dist.barrier()
    out = torch.zeros(1, 5)
    dist.all_gather_into_tensor(out, t)
    whole = torch.zeros(5)
    dist.all_to_all_single(whole, t, [5], [5])
    dist.reduce_scatter_tensor(whole, t)
    assert t.equal(torch.arange(5.)) and out[0].equal(t) and whole.equal(t)
    got = [None]
    dist.all_gather_object(got, 'me')
    assert got == ['me']
    dist.destroy_process_group()
