"""A PyTorch model through torchax: its state and data sharded over the devices, losses are those of PyTorch's own CPU."""
import sys

try:
    import torch
    import torchax
    import optax
except ImportError as error:
    print('no torchax here: %s' % error)
    sys.exit(77)
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from torchax.interop import jax_view, torch_view

STEPS, BATCH, WIDTH, LENGTH = 20, 8, 32, 12


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(WIDTH)
        self.attention = torch.nn.MultiheadAttention(WIDTH, 4, batch_first=True)
        self.up, self.down = torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        h = self.norm(x)
        x = x + self.attention(h, h, h, need_weights=False)[0]
        return x + self.down(torch.nn.functional.gelu(self.up(x)))


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(50, WIDTH)
        self.blocks = torch.nn.Sequential(Block(), Block())
        self.head = torch.nn.Linear(WIDTH, 50)

    def forward(self, tokens):
        return self.head(self.blocks(self.embedding(tokens)))


def batches():
    rng = np.random.default_rng(0)
    for _ in range(STEPS):
        yield (rng.integers(0, 50, (BATCH, 1)) + np.arange(LENGTH + 1) * 7) % 50


def loss_of(logits, y):
    return torch.nn.functional.cross_entropy(logits.reshape(-1, 50), y.reshape(-1))


def with_torch(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for tokens in batches():
        t = torch.from_numpy(tokens)
        value = loss_of(model(t[:, :-1]), t[:, 1:])
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
        yield value.item()


def with_weft(model):
    devices = np.array(jax.devices())
    parts = 2 if len(devices) % 2 == 0 else 1
    mesh = Mesh(devices.reshape(-1, parts), ('data', 'model'))

    def sharding(name):
        if name.endswith('up.weight'): return NamedSharding(mesh, P('model'))
        if name.endswith('down.weight'): return NamedSharding(mesh, P(None, 'model'))
        return NamedSharding(mesh, P())

    environment = torchax.default_env()
    with environment:
        weights = {k: v.to('jax') for k, v in model.state_dict().items()}
        weights = {k: v.apply_jax(jax.device_put, sharding(k)) for k, v in weights.items()}
    optimizer = optax.sgd(0.1)

    def loss(weights, tokens):
        with environment:
            w, t = torch_view(weights), torch_view(tokens)
            return jax_view(loss_of(torch.func.functional_call(model, w, (t[:, :-1],)), t[:, 1:]))

    @jax.jit
    def step(weights, state, tokens):
        value, gradients = jax.value_and_grad(loss)(weights, tokens)
        updates, state = optimizer.update(gradients, state)
        return optax.apply_updates(weights, updates), state, value

    weights = jax_view(weights)
    state = optimizer.init(weights)
    for tokens in batches():
        data = jax.device_put(tokens.astype(np.int32), NamedSharding(mesh, P('data')))
        weights, state, value = step(weights, state, data)
        yield float(value)


torch.manual_seed(0)
model = Model()
got = list(with_weft(model))
want = list(with_torch(model))
print(got[0], got[-1], want[-1])
assert got[-1] < 0.7 * got[0]
np.testing.assert_allclose(got, want, rtol=1e-3)
