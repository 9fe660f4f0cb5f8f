"""A program as users write them: it does not import weft_torch where the package is installed. The loss is printed."""
import sys

import torch
import torch.distributed as dist

if len(sys.argv) > 1:
    import weft_torch  # noqa: F401
dist.init_process_group('weft', **({'init_method': sys.argv[1]} if len(sys.argv) > 1 else {}))
torch.manual_seed(0)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 1))
loss = model(torch.full((4, 8), float(dist.get_rank() + 1))).pow(2).mean()
loss.backward()
t = model.module.weight.grad.clone()
dist.all_reduce(t, dist.ReduceOp.MAX)
assert t.equal(model.module.weight.grad)
print(f'rank {dist.get_rank()} of {dist.get_world_size()} is done', flush=True)
dist.destroy_process_group()
