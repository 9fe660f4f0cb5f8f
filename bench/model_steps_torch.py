"""The steps of model_steps.py in PyTorch, timed: model_steps_torch.py NAME f32|bf16 eager|compile STEPS prints one line of JSON.

Parameters are random: times do not depend on them. Written as PyTorch's users would: its own layers, attention, LSTM, batch norm and fused AdamW.
"""
import json, math, sys, time
import torch, torch.nn as nn, torch.nn.functional as F
from model_sizes import SIZES, STAGES


class Block(nn.Module):
    def __init__(self, d, heads, hidden, causal):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.o, self.up, self.down = nn.Linear(d, 3 * d), nn.Linear(d, d), nn.Linear(d, hidden), nn.Linear(hidden, d)

    def heads_of(self, x):
        b, t, d = x.shape
        return x.view(b, t, self.heads, d // self.heads).transpose(1, 2)

    def forward(self, x):
        q, k, v = map(self.heads_of, self.qkv(self.n1(x)).chunk(3, -1))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        x = x + self.o(a.transpose(1, 2).reshape(x.shape))
        return x + self.down(F.gelu(self.up(self.n2(x)), approximate="tanh"))

    def one(self, x, keys, values, at):
        b, d = x.shape
        q, k, v = (z.view(b, self.heads, 1, d // self.heads) for z in self.qkv(self.n1(x)).chunk(3, -1))
        keys[:, :, at], values[:, :, at] = k[:, :, 0], v[:, :, 0]
        a = F.scaled_dot_product_attention(q, keys[:, :, : at + 1], values[:, :, : at + 1])
        x = x + self.o(a.reshape(b, d))
        return x + self.down(F.gelu(self.up(self.n2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.wte, self.wpe, self.norm = nn.Embedding(c["V"], c["D"]), nn.Embedding(c["T"], c["D"]), nn.LayerNorm(c["D"])
        self.h = nn.ModuleList(Block(c["D"], c["H"], c["F"], True) for _ in range(c["L"]))

    def forward(self, x, y):
        h = self.wte(x) + self.wpe.weight[: x.shape[1]]
        for b in self.h:
            h = b(h)
        return F.cross_entropy((self.norm(h) @ self.wte.weight.T).flatten(0, 1).float(), y.flatten())

    def one(self, token, caches, at):
        h = self.wte(token) + self.wpe.weight[at]
        for b, (keys, values) in zip(self.h, caches):
            h = b.one(h, keys, values, at)
        return self.norm(h) @ self.wte.weight.T


class Bert(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.h = nn.Sequential(*(Block(c["D"], c["H"], c["F"], False) for _ in range(c["L"])))

    def forward(self, x):
        return self.h(x).float().pow(2).mean()


class Llama(nn.Module):
    def __init__(self, c):
        super().__init__()
        line = lambda m, n: nn.Linear(m, n, bias=False)
        self.c, d, self.d = c, c["D"], c["D"] // c["H"]
        self.n1, self.n2 = nn.RMSNorm(d, 1e-5), nn.RMSNorm(d, 1e-5)
        self.q, self.k, self.v, self.o = line(d, d), line(d, c["K"] * self.d), line(d, c["K"] * self.d), line(d, d)
        self.gate, self.up, self.down = line(d, c["F"]), line(d, c["F"]), line(c["F"], d)
        angle = torch.arange(c["T"])[:, None] / 10000 ** (torch.arange(self.d // 2) / (self.d // 2))
        self.register_buffer("cos", angle.cos().tile(2))
        self.register_buffer("sin", angle.sin().tile(2))

    def rope(self, x):
        a, b = x.chunk(2, -1)
        return x * self.cos + torch.cat([-b, a], -1) * self.sin

    def forward(self, x):
        z = self.n1(x)
        q, k, v = (f(z).view(*x.shape[:2], -1, self.d).transpose(1, 2) for f in (self.q, self.k, self.v))
        a = F.scaled_dot_product_attention(self.rope(q), self.rope(k), v, is_causal=True, enable_gqa=True)
        x = x + self.o(a.transpose(1, 2).reshape(x.shape))
        z = self.n2(x)
        return (x + self.down(F.silu(self.gate(z)) * self.up(z))).float().pow(2).mean()


class Moe(nn.Module):
    """Each expert multiplies the tokens that were sent to it, as many as there are."""
    def __init__(self, c):
        super().__init__()
        self.router = nn.Linear(c["D"], c["E"], bias=False)
        self.up = nn.Parameter(torch.randn(c["E"], c["D"], c["F"]) / math.sqrt(c["D"]))
        self.down = nn.Parameter(torch.randn(c["E"], c["F"], c["D"]) / math.sqrt(c["F"]))

    def forward(self, x):
        x = x.flatten(0, 1)
        top, which = self.router(x).float().softmax(-1).topk(2)
        out = x
        for e in range(self.up.shape[0]):
            token, k = (which == e).nonzero(as_tuple=True)
            z = F.gelu(x[token] @ self.up[e], approximate="tanh") @ self.down[e]
            out = out.index_add(0, token, z * top[token, k, None].to(z.dtype))
        return out.float().pow(2).mean()


class Lstm(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.cell = nn.LSTM(c["D"], c["D"])

    def forward(self, x):
        return self.cell(x)[0].float().pow(2).mean()


class Bottleneck(nn.Module):
    def __init__(self, before, width, stride, first):
        super().__init__()
        conv = lambda m, n, k, s=1: nn.Sequential(nn.Conv2d(m, n, k, s, k // 2, bias=False), nn.BatchNorm2d(n))
        self.a, self.b, self.c = conv(before, width, 1), conv(width, width, 3, stride), conv(width, 4 * width, 1)
        self.side = conv(before, 4 * width, 1, stride) if first else nn.Identity()

    def forward(self, x):
        return F.relu(self.c(F.relu(self.b(F.relu(self.a(x))))) + self.side(x))


class Resnet(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        blocks, before = [], 64
        for s, (n, width) in enumerate(STAGES):
            for k in range(n):
                blocks.append(Bottleneck(before, width, 2 if k == 0 and s else 1, k == 0))
                before = 4 * width
        self.blocks, self.fc = nn.Sequential(*blocks), nn.Linear(before, 1000)

    def forward(self, x, y):
        return F.cross_entropy(self.fc(self.blocks(self.stem(x)).mean((2, 3))).float(), y)


def model_of(name, c):
    return {"gpt": Gpt, "gpt2": Gpt, "decode": Gpt, "resnet50": Resnet, "bert": Bert, "llama": Llama, "moe": Moe, "lstm": Lstm}[name.split("-")[0]](c)


def data_of(name, c, dtype):
    if name.startswith("gpt"):
        return [torch.randint(0, c["V"], (c["B"], c["T"])) for _ in range(2)]
    if name == "resnet50":
        x = torch.randn(c["B"], 3, c["size"], c["size"], dtype=dtype).to(memory_format=torch.channels_last)
        return [x, torch.randint(0, 1000, (c["B"],))]
    return [torch.randn(*((c["T"], c["B"]) if name == "lstm" else (c["B"], c["T"])), c["D"], dtype=dtype)]


def steps_of(name, dtype, compiled):
    c = SIZES[name]
    torch.manual_seed(0)
    model = model_of(name, c).to(dtype)
    if name == "resnet50":
        model = model.to(memory_format=torch.channels_last)
    wrap = torch.compile if compiled else lambda f: f
    if name == "decode":
        caches = [tuple(torch.randn(c["B"], c["H"], c["T"], c["D"] // c["H"], dtype=dtype) for _ in range(2)) for _ in range(c["L"])]
        token, one = torch.full((c["B"],), 7), wrap(model.one)

        def step():
            with torch.no_grad():
                return one(token, caches, c["T"] - 2)
        return step
    data, forward = data_of(name, c, dtype), wrap(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = forward(*data)
        loss.backward()
        optimizer.step()
        return loss.item()
    return step


def main():
    name, dtype, mode, steps = sys.argv[1:]
    step = steps_of(name, {"f32": torch.float32, "bf16": torch.bfloat16}[dtype], mode == "compile")
    times = []
    for _ in range(int(steps) + 2):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    print(json.dumps({"first_s": times[0], "step_s": times[2:]}))


main()
