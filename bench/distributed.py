"""What torch.distributed's calls take over Weft and over gloo, in one run, and the steps of a small GPT.

    python bench/distributed.py [--ranks 2] [--turns 40]

Both backends have a group in the same processes, and take turns; a time is the least of the turns' means over calls, of
rank 0, in microseconds: the turns are short, so that a machine that others use too disturbs some and not all.
weft_torch is the installed one, or that of PYTHONPATH (docs/torch.md).
"""
import argparse
import os
import platform
import tempfile
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

SIZES = (1 << 10, 1 << 16, 1 << 20, 1 << 24)


def calls(size, bytes_, group):
    """A function of each call. bytes_: of the tensor that a rank gives, or gets."""
    n = bytes_ // 4
    x, part, whole = torch.ones(n), torch.ones(n // size), torch.ones(n // size * size)
    get, other = torch.empty_like(whole), torch.empty(n)
    rank = dist.get_rank()

    def ping_pong():
        if rank == 0:
            dist.send(x, 1, group=group)
            dist.recv(other, 1, group=group)
        elif rank == 1:
            dist.recv(other, 0, group=group)
            dist.send(x, 0, group=group)

    return {
        'all_reduce': lambda: dist.all_reduce(x, group=group),
        'all_reduce, async': lambda: dist.all_reduce(x, group=group, async_op=True).wait(),
        'all_gather_into_tensor': lambda: dist.all_gather_into_tensor(whole, part, group=group),
        'reduce_scatter_tensor': lambda: dist.reduce_scatter_tensor(part, whole, group=group),
        'all_to_all_single': lambda: dist.all_to_all_single(get, whole, group=group),
        'broadcast': lambda: dist.broadcast(x, 0, group=group),
        'send and recv, there and back': ping_pong,
    }


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (4, -1)).transpose(1, 2) for t in self.qkv(self.norms[0](x)).chunk(3, -1))
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norms[1](x))))


def steps(group, width, layers):
    """Training steps by DDP and by FSDP2. One sequence a rank: much to exchange for little to compute."""
    from torch.distributed.device_mesh import DeviceMesh
    from torch.distributed.fsdp import fully_shard

    def model():
        return nn.Sequential(nn.Embedding(256, width), *(Block(width) for _ in range(layers)), nn.Linear(width, 256))

    def step(m):
        optimizer = torch.optim.SGD(m.parameters(), lr=0.1)
        x = torch.randint(256, (1, 33))

        def once():
            loss = F.cross_entropy(m(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return once

    sharded = model()
    mesh = DeviceMesh.from_group(group, 'cpu')
    for block in sharded[1:-1]:
        fully_shard(block, mesh=mesh)
    return {'DDP': step(nn.parallel.DistributedDataParallel(model(), process_group=group)),
            'FSDP2': step(fully_shard(sharded, mesh=mesh))}


def compare(groups, what, make, turns, count):
    """Rows of `what`: the least mean of each backend."""
    both = {backend: make(group) for backend, group in groups.items()}
    for name in next(iter(both.values())):
        best = dict.fromkeys(groups, float('inf'))
        for turn in range(turns + 1):
            for backend, group in groups.items():
                one = both[backend][name]
                n = 2 if turn == 0 else count  # the first turn warms up
                dist.barrier(group=group)
                start = time.perf_counter()
                for _ in range(n):
                    one()
                mean = (time.perf_counter() - start) / n * 1e6
                best[backend] = min(best[backend], mean) if turn else best[backend]
        if dist.get_rank() == 0:
            print(f'| {name} | {what} | {best["gloo"]:.1f} | {best["weft"]:.1f} | {best["gloo"] / best["weft"]:.1f} |',
                  flush=True)


def work(rank, size, store, turns):
    import weft_torch  # noqa: F401
    torch.set_num_threads(1)
    dist.init_process_group('gloo', init_method='file://' + store, rank=rank, world_size=size)
    groups = {'gloo': dist.group.WORLD, 'weft': dist.new_group(backend='weft')}
    if rank == 0:
        print(f'{size} ranks, {os.cpu_count()} cores, {platform.machine()}, torch {torch.__version__}, '
              f'load {os.getloadavg()[0]:.1f}\n\n| call | bytes | gloo, us | weft, us | ratio |\n|---|---|---|---|---|')
    for bytes_ in SIZES:
        compare(groups, bytes_, lambda group: calls(size, bytes_, group), turns, max(1, min(20, (2 << 20) // bytes_)))
    for width, layers in ((64, 4), (256, 4)):
        torch.manual_seed(0)
        compare(groups, f'{layers} layers of width {width}', lambda group: steps(group, width, layers), turns // 2, 2)
    dist.destroy_process_group()


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--ranks', type=int, default=2)
    parser.add_argument('--turns', type=int, default=40)
    given = parser.parse_args()
    torch.multiprocessing.spawn(work, args=(given.ranks, tempfile.mktemp(), given.turns), nprocs=given.ranks)
