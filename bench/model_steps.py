"""The steps that bench/models times, in JAX: each a function of (state, data) whose first result is a number or an array that says whether it is
right, and whose others replace the state, which is donated. The same models in PyTorch are in model_steps_torch.py.

    build(name, dtype) -> (step, state, data): state and data are trees of NumPy arrays
"""
import math
import jax, jax.numpy as jnp, ml_dtypes, numpy as np
from jax import lax
from model_sizes import SIZES, STAGES

f32 = np.float32

def norm(x, g, b):
    m = x.mean(-1, keepdims=True)
    v = ((x - m) ** 2).mean(-1, keepdims=True)
    return (x - m) * lax.rsqrt(v + 1e-5) * g + b


def rms(x, g):
    return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * g


def attention(q, k, v, causal):
    """q: B T H d; k, v: B T K d, of which each serves H / K heads of q."""
    b, t, h, d = q.shape
    q = q.reshape(b, t, k.shape[2], h // k.shape[2], d)
    s = jnp.einsum("btkgd,bskd->bkgts", q, k) / math.sqrt(d)
    if causal:
        s = jnp.where(jnp.tril(jnp.ones((t, t), bool)), s, jnp.finfo(s.dtype).min)
    a = jax.nn.softmax(s.astype(f32), -1).astype(v.dtype)
    return jnp.einsum("bkgts,bskd->btkgd", a, v).reshape(b, t, h * d)


def cross_entropy(logits, y):
    lp = jax.nn.log_softmax(logits.astype(f32), -1)
    return -jnp.take_along_axis(lp, y[..., None], -1).mean()


def block(w, x, heads, causal):
    b, t, d = x.shape
    q, k, v = jnp.split(norm(x, w["g1"], w["b1"]) @ w["qkv"] + w["qkvb"], 3, -1)
    q, k, v = (z.reshape(b, t, heads, d // heads) for z in (q, k, v))
    x = x + attention(q, k, v, causal) @ w["o"] + w["ob"]
    return x + jax.nn.gelu(norm(x, w["g2"], w["b2"]) @ w["up"] + w["upb"]) @ w["down"] + w["downb"]


def block_shapes(c):
    d, f = c["D"], c["F"]
    return dict(g1=(d,), b1=(d,), qkv=(d, 3 * d), qkvb=(3 * d,), o=(d, d), ob=(d,), g2=(d,), b2=(d,), up=(d, f), upb=(f,), down=(f, d), downb=(d,))


def gpt(c):
    def loss(p, x, y):
        h = p["wte"][x] + p["wpe"][: c["T"]]
        for w in p["h"]:
            h = block(w, h, c["H"], True)
        return cross_entropy(norm(h, p["g"], p["b"]) @ p["wte"].T, y)
    shapes = dict(wte=(c["V"], c["D"]), wpe=(c["T"], c["D"]), g=(c["D"],), b=(c["D"],), h=[block_shapes(c) for _ in range(c["L"])])
    return loss, shapes, dict(x=("tokens", c["V"], c["B"], c["T"]), y=("tokens", c["V"], c["B"], c["T"]))


def bert(c):
    def loss(p, x):
        for w in p["h"]:
            x = block(w, x, c["H"], False)
        return (x.astype(f32) ** 2).mean()
    return loss, dict(h=[block_shapes(c) for _ in range(c["L"])]), dict(x=("numbers", c["B"], c["T"], c["D"]))


def llama(c):
    d = c["D"] // c["H"]

    def rope(x, cos, sin):
        a, b = jnp.split(x, 2, -1)
        return x * cos + jnp.concatenate([-b, a], -1) * sin

    def loss(p, x):
        b, t, _ = x.shape
        angle = jnp.arange(t)[:, None] / 10000.0 ** (jnp.arange(d // 2) / (d // 2))
        cos, sin = (jnp.tile(f(angle), 2)[:, None].astype(x.dtype) for f in (jnp.cos, jnp.sin))
        z = rms(x, p["g1"])
        q, k, v = (rope((z @ p["q"]).reshape(b, t, c["H"], d), cos, sin), rope((z @ p["k"]).reshape(b, t, c["K"], d), cos, sin),
                   (z @ p["v"]).reshape(b, t, c["K"], d))
        x = x + attention(q, k, v, True) @ p["o"]
        z = rms(x, p["g2"])
        x = x + (jax.nn.silu(z @ p["gate"]) * (z @ p["up"])) @ p["down"]
        return (x.astype(f32) ** 2).mean()
    shapes = dict(g1=(c["D"],), q=(c["D"], c["D"]), k=(c["D"], c["K"] * d), v=(c["D"], c["K"] * d), o=(c["D"], c["D"]), g2=(c["D"],),
                  gate=(c["D"], c["F"]), up=(c["D"], c["F"]), down=(c["F"], c["D"]))
    return loss, shapes, dict(x=("numbers", c["B"], c["T"], c["D"]))


def moe(c):
    """Each token to the two experts of the highest score, each expert with room for 1.25 times its share; tokens over it are left as they are."""
    n, e = c["B"] * c["T"], c["E"]
    room = 5 * n // (2 * e)

    def loss(p, x):
        x = x.reshape(n, c["D"])
        top, which = lax.top_k(jax.nn.softmax((x @ p["router"]).astype(f32), -1), 2)
        chosen = jax.nn.one_hot(which, e, dtype=f32)                                    # n 2 e
        place = (jnp.cumsum(chosen.reshape(2 * n, e), 0).reshape(n, 2, e) - 1) * chosen
        slot = jax.nn.one_hot(place.sum(-1).astype(jnp.int32), room, dtype=f32)         # n 2 room: nothing where there is no room
        send = jnp.einsum("nke,nkr->ner", chosen, slot).astype(x.dtype)
        back = jnp.einsum("nk,nke,nkr->ner", top, chosen, slot).astype(x.dtype)
        z = jnp.einsum("ner,nd->erd", send, x)
        z = jnp.einsum("erf,efd->erd", jax.nn.gelu(jnp.einsum("erd,edf->erf", z, p["up"])), p["down"])
        return ((x + jnp.einsum("ner,erd->nd", back, z)).astype(f32) ** 2).mean()
    return loss, dict(router=(c["D"], e), up=(e, c["D"], c["F"]), down=(e, c["F"], c["D"])), dict(x=("numbers", c["B"], c["T"], c["D"]))


def lstm(c):
    def loss(p, x):
        def cell(state, x):
            h, s = state
            i, f, g, o = jnp.split(x @ p["x"] + h @ p["h"] + p["b"], 4, -1)
            s = jax.nn.sigmoid(f) * s + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(s)
            return (h, s), h
        zero = jnp.zeros((c["B"], c["D"]), x.dtype)
        return (lax.scan(cell, (zero, zero), x)[1].astype(f32) ** 2).mean()
    return loss, dict(x=(c["D"], 4 * c["D"]), h=(c["D"], 4 * c["D"]), b=(4 * c["D"],)), dict(x=("numbers", c["T"], c["B"], c["D"]))


def resnet_shapes():
    shapes = dict(stem=(7, 7, 3, 64), stemn=(2, 64), fc=(2048, 1000), stages=[])
    before = 64
    for n, width in STAGES:
        stage = []
        for k in range(n):
            w = dict(a=(1, 1, before, width), an=(2, width), b=(3, 3, width, width), bn=(2, width), c=(1, 1, width, 4 * width), cn=(2, 4 * width))
            if k == 0:
                w |= dict(s=(1, 1, before, 4 * width), sn=(2, 4 * width))
            stage.append(w)
            before = 4 * width
        shapes["stages"].append(stage)
    return shapes


def resnet50(c):
    def conv(x, w, stride=1):
        return lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def batch_norm(x, n):
        y = x.astype(f32)
        m = y.mean((0, 1, 2))
        v = (y * y).mean((0, 1, 2)) - m * m
        return ((y - m) * lax.rsqrt(v + 1e-5) * (1 + n[0]) + n[1]).astype(x.dtype)

    def loss(p, x, y):
        x = jax.nn.relu(batch_norm(conv(x, p["stem"], 2), p["stemn"]))
        x = lax.reduce_window(x, np.array(-np.inf, x.dtype), lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        for s, stage in enumerate(p["stages"]):
            for k, w in enumerate(stage):
                stride = 2 if k == 0 and s else 1
                z = jax.nn.relu(batch_norm(conv(x, w["a"]), w["an"]))
                z = jax.nn.relu(batch_norm(conv(z, w["b"], stride), w["bn"]))
                z = batch_norm(conv(z, w["c"]), w["cn"])
                x = jax.nn.relu(z + (batch_norm(conv(x, w["s"], stride), w["sn"]) if k == 0 else x))
        return cross_entropy(x.mean((1, 2)) @ p["fc"], y)
    return loss, resnet_shapes(), dict(x=("numbers", c["B"], c["size"], c["size"], 3), y=("tokens", 1000, c["B"]))


def decode(c, dtype, rng):
    """One more token: the rows of its keys and values are put into the caches, which are donated."""
    shapes = gpt(c)[1]

    def step(caches, p, token, at):
        b, d, heads = c["B"], c["D"], c["H"]
        h = p["wte"][token] + p["wpe"][at]
        kept = []
        for w, (keys, values) in zip(p["h"], caches):
            q, k, v = jnp.split(norm(h, w["g1"], w["b1"]) @ w["qkv"] + w["qkvb"], 3, -1)
            row = lambda t: t.reshape(b, 1, heads, d // heads)
            keys, values = lax.dynamic_update_slice(keys, row(k), (0, at, 0, 0)), lax.dynamic_update_slice(values, row(v), (0, at, 0, 0))
            s = jnp.einsum("bhd,bshd->bhs", row(q)[:, 0], keys) / math.sqrt(d // heads)
            s = jnp.where(jnp.arange(c["T"]) <= at, s, jnp.finfo(s.dtype).min)
            a = jnp.einsum("bhs,bshd->bhd", jax.nn.softmax(s.astype(f32), -1).astype(values.dtype), values)
            h = h + a.reshape(b, d) @ w["o"] + w["ob"]
            h = h + jax.nn.gelu(norm(h, w["g2"], w["b2"]) @ w["up"] + w["upb"]) @ w["down"] + w["downb"]
            kept.append((keys, values))
        return norm(h, p["g"], p["b"]) @ p["wte"].T, kept

    cache = (c["B"], c["T"], c["H"], c["D"] // c["H"])
    caches = [tuple(numbers(rng, cache, dtype) for _ in range(2)) for _ in range(c["L"])]
    return step, caches, (draw(shapes, dtype, rng), np.full(c["B"], 7, np.int32), np.int32(c["T"] - 2))


def numbers(rng, shape, dtype, scale=1.0):
    return (rng.standard_normal(shape, f32) * f32(scale)).astype(dtype)


def draw(shapes, dtype, rng):
    """Parameters: products scaled by the root of what they sum over, vectors near zero but for gains, whose names begin with g."""
    def one(path, s):
        if len(s) == 1 or (len(s) == 2 and s[0] == 2):
            gain = f32(1 if str(getattr(path[-1], "key", "")).startswith("g") else 0)
            return (gain + numbers(rng, s, f32, 0.02)).astype(dtype)
        return numbers(rng, s, dtype, 0.02 if s[0] > 4096 else 1 / math.sqrt(np.prod(s[:-1]) if len(s) != 3 else s[1]))
    return jax.tree_util.tree_map_with_path(one, shapes, is_leaf=lambda s: isinstance(s, tuple))


def adamw(p, g, m, v, t):
    """Moments have the type of their parameters, as in PyTorch."""
    t = t + 1
    m = jax.tree.map(lambda a, b: (0.9 * a + 0.1 * b).astype(a.dtype), m, g)
    v = jax.tree.map(lambda a, b: (0.999 * a + 0.001 * b * b).astype(a.dtype), v, g)
    c1, c2 = 1 - 0.9 ** t.astype(f32), 1 - 0.999 ** t.astype(f32)
    p = jax.tree.map(lambda w, a, b: (w - 1e-3 * (a / c1 / (jnp.sqrt(b / c2) + 1e-8) + 0.01 * w)).astype(w.dtype), p, m, v)
    return p, m, v, t


def build(name, dtype):
    c, rng = SIZES[name], np.random.default_rng(0)
    dtype = {"f32": f32, "bf16": ml_dtypes.bfloat16}[dtype]
    if name == "decode":
        return decode(c, dtype, rng)
    loss, shapes, data = globals()[name.split("-")[0].replace("gpt2", "gpt")](c)

    def step(state, data):
        p, m, v, t = state
        l, g = jax.value_and_grad(lambda p: loss(p, **data))(p)
        return l, adamw(p, g, m, v, t)

    p = draw(shapes, dtype, rng)
    # Second moments above zero: the first steps would divide rounding by rounding.
    state = (p, jax.tree.map(np.zeros_like, p), jax.tree.map(lambda a: np.full_like(a, 1e-4), p), np.int32(3))
    values = {k: rng.integers(0, how[1], how[2:]).astype(np.int32) if how[0] == "tokens" else numbers(rng, how[1:], dtype) for k, how in data.items()}
    return step, state, (values,)
