"""What each rank of test_training.py does: a small GPT, trained by each of torch's ways over Weft and over gloo."""
import datetime
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState, powerSGD_hook
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

import weft_torch  # noqa: F401

WORDS, LENGTH, WIDTH, HEADS, LAYERS = 61, 16, 32, 4, 2


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.q, self.k, self.v, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        h = self.norm1(x)
        q, k, v = (f(h).unflatten(-1, (-1, WIDTH // HEADS)).transpose(1, 2) for f in (self.q, self.k, self.v))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(a.transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS)

    def forward(self, x):
        h = self.words(x) + self.places(torch.arange(x.shape[1]))
        for block in self.blocks:
            h = block(h)
        return self.head(self.norm(h))


def ddp(model, _):
    # buckets of some kilobytes: several all_reduces are under way during the backward pass
    return DistributedDataParallel(model, bucket_cap_mb=0.02)


def low_rank(model, _):
    """Gradients of rank 2. The hook's callbacks make further calls and wait for them. With several buckets these would
    come between the buckets' own calls, on each rank elsewhere."""
    model = DistributedDataParallel(model)
    model.register_comm_hook(PowerSGDState(None, matrix_approximation_rank=2, start_powerSGD_iter=2), powerSGD_hook)
    return model


def fsdp(model, mesh):
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def mixed(model, mesh):
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for block in model.blocks:
        fully_shard(block, mesh=mesh, mp_policy=policy)
    return fully_shard(model, mesh=mesh, mp_policy=policy)


def tensor(model, mesh):
    for block in model.blocks:
        parallelize_module(block, mesh, {'q': ColwiseParallel(), 'k': ColwiseParallel(), 'v': ColwiseParallel(),
                                         'out': RowwiseParallel(), 'up': ColwiseParallel(), 'down': RowwiseParallel()})
    return model


def train(way, mesh, same_data):
    torch.manual_seed(5)
    model = way(GPT(), mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    data = torch.Generator().manual_seed(0 if same_data else dist.get_rank())
    losses = []
    for _ in range(8):
        x = torch.randint(WORDS, (4, 1), generator=data) + torch.arange(LENGTH + 1)
        x = x % WORDS
        loss = F.cross_entropy(model(x[:, :-1]).float().flatten(0, 1), x[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def check(way, mesh_of, same_data=False):
    by = {backend: train(way, mesh_of(backend), same_data) for backend in ('gloo', 'weft')}
    # Sums of gradients are in another order, and Adam's first steps have the sign of a gradient that may be near 0.
    bound = 2e-2 if way is mixed else 1e-3
    for i, (a, b) in enumerate(zip(by['gloo'], by['weft'])):
        assert abs(a - b) <= bound * abs(a), f'{way.__name__}, step {i}: {by}'
    assert by['weft'][-1] < 0.9 * by['weft'][0], by
    print(way.__name__, by['weft'][-1])


def tensors(mesh):
    """Placements of DTensor and back, by all the collectives that these take."""
    torch.manual_seed(1)
    whole = torch.randn(7, 10)
    a, b = distribute_tensor(whole, mesh, [Shard(0)]), distribute_tensor(whole.t().contiguous(), mesh, [Shard(0)])
    assert a.full_tensor().equal(whole)
    assert a.redistribute(mesh, [Shard(1)]).full_tensor().equal(whole)
    product = a.redistribute(mesh, [Shard(1)]) @ b  # a partial sum
    torch.testing.assert_close(product.full_tensor(), whole @ whole.t())
    torch.testing.assert_close(product.redistribute(mesh, [Shard(1)]).full_tensor(), whole @ whole.t())
    assert DTensor.from_local(whole, mesh, [Replicate()]).sum().full_tensor().equal(whole.sum())


def functional(group):
    import torch.distributed._functional_collectives as funcol
    n, rank = dist.get_world_size(), dist.get_rank()
    t = torch.full((2 * n, 3), float(rank + 1))
    total = n * (n + 1) / 2
    assert funcol.all_reduce(t, 'sum', group).eq(total).all()
    assert funcol.all_gather_tensor(t, 0, group).shape == (2 * n * n, 3)
    assert funcol.reduce_scatter_tensor(t, 'avg', 0, group).eq(total / n).all()
    assert funcol.all_to_all_single(t, None, None, group)[::2, 0].tolist() == [float(i + 1) for i in range(n)]
    assert funcol.broadcast(t, 1, group).eq(2).all()
    for x in funcol.all_reduce_coalesced([t, t + 1], 'sum', group):
        assert x.eq(total).all() or x.eq(total + n).all()
    ones = torch.ones(3, requires_grad=True)
    funcol.all_gather_tensor_autograd(ones, 0, group).sum().backward()
    assert ones.grad.eq(n).all()


def everything(store):
    rank, size = int(os.environ['RANK']), int(os.environ['WORLD_SIZE'])
    torch.set_num_threads(1)
    limit = datetime.timedelta(seconds=60)

    def one(backend):
        if dist.is_initialized():
            dist.destroy_process_group()
        dist.init_process_group(backend, init_method=f'file://{store}.{backend}.{one.count}', rank=rank,
                                world_size=size, timeout=limit)
        one.count += 1
        one.groups.append(dist.group.WORLD)  # gloo ends the process when a callback, of PowerSGD, lets go of it last
        return init_device_mesh('cpu', (size,), mesh_dim_names=('all',))

    one.count, one.groups = 0, []
    for way in (ddp, low_rank, fsdp, mixed, tensor):
        check(way, one, same_data=way is tensor)
    mesh = one('weft')
    tensors(mesh)
    functional(mesh.get_group())
    if size == 4:
        two = init_device_mesh('cpu', (2, 2), mesh_dim_names=('data', 'model'))
        torch.manual_seed(5)
        model = fsdp(tensor(GPT(), two['model']), two['data'])
        loss = model(torch.zeros(2, LENGTH, dtype=torch.long)).sum()
        loss.backward()
        assert all(p.grad is not None for p in model.parameters())
    dist.destroy_process_group()
