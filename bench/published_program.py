"""published_program: the training step of a published decoder as StableHLO text, written by JAX.

    $WEFT_PYTHON bench/published_program.py SPEC.json...      writes SPEC.mlir beside each

SPEC: layers d_model heads kv_heads head_dim d_ff ff_mats vocab seq batch accum dp fsdp tp, and
    bias, norm ("layer" or "rms"), act ("gelu", "relu", "silu"), position ("table", "rope", "none"), tied,
    flash: the backward pass computes scores again, as FlashAttention does (the scores are then no residual),
    remat: none | full | dots (products without batch dimensions are kept) | selective (one block in two),
    whole: what is computed again is the whole block, as by PyTorch; else only what the backward pass needs, as by JAX,
    eager: each function of the framework is a kernel of its own (a norm, an activation, a sum), as without a compiler,
    weights: "f32" (cast to bf16 where used) or "bf16"; zero: 1 (optimizer sharded over data) or 3; sp: activations between
    blocks are sharded along the sequence over `model`, embed: false leaves the embedding table out (a later pipeline stage),
    head: false leaves the logits out.

One step: forward, backward, global norm, AdamW in f32. Layers are a scan over stacked parameters; accumulation is a scan
around it. The mesh is data x fsdp x model, the last the fastest. Nothing is compiled or run.
"""
import json, sys
from functools import partial

try:
    import jax, jax.numpy as jnp
    from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P
except ImportError:
    sys.exit("published_program: this Python has no JAX, which writes the programs: set WEFT_PYTHON to one that has")

BF16, F32 = jnp.bfloat16, jnp.float32


@jax.custom_vjp
def needed(y):
    """y, which the backward pass then needs: a whole block is computed again for it, as torch.utils.checkpoint does."""
    return y


needed.defvjp(lambda y: (y, y), lambda y, g: (jax.lax.optimization_barrier((g, y))[0],))


class Model:
    def __init__(self, s):
        self.s, self.names = s, ("data", "fsdp", "model")
        self.mesh = AbstractMesh((s["dp"], s["fsdp"], s["tp"]), self.names)
        self.batch = ("data", "fsdp")
        self.seq = "model" if s["sp"] else None
        self.master = BF16 if s["weights"] == "bf16" else F32

    def sharded(self, *spec):
        return NamedSharding(self.mesh, P(*spec))

    def hold(self, x, *spec):
        return jax.lax.with_sharding_constraint(x, self.sharded(*spec))

    # Shapes of parameters, and how each is split: over fsdp and model.
    def shapes(self):
        s = self.s
        L, D, H, K, hd, F, V = (s[k] for k in "layers d_model heads kv_heads head_dim d_ff vocab".split())
        layer = {"wq": ((L, D, H, hd), (None, "fsdp", "model", None)),
                 "wk": ((L, D, K, hd), (None, "fsdp", "model", None)),
                 "wv": ((L, D, K, hd), (None, "fsdp", "model", None)),
                 "wo": ((L, H, hd, D), (None, "model", None, "fsdp")),
                 "w1": ((L, D, F), (None, "fsdp", "model")), "w2": ((L, F, D), (None, "model", "fsdp")),
                 "n1": ((L, D), (None, None)), "n2": ((L, D), (None, None))}
        if s["ff_mats"] == 3: layer["w3"] = ((L, D, F), (None, "fsdp", "model"))
        if K % s["tp"]:  # fewer heads of keys than devices of `model`: these have them all
            layer["wk"], layer["wv"] = (((L, D, K, hd), (None, "fsdp", None, None)),) * 2
        if s["bias"]:
            layer |= {"bq": ((L, H, hd), (None, "model", None)), "bk": ((L, K, hd), (None, "model", None)),
                      "bv": ((L, K, hd), (None, "model", None)), "bo": ((L, D), (None, None)),
                      "b1": ((L, F), (None, "model")), "b2": ((L, D), (None, None))}
        if s["norm"] == "layer" and s["bias"]: layer |= {"m1": ((L, D), (None, None)), "m2": ((L, D), (None, None))}
        top = {"layers": layer, "fnorm": ((D,), (None,))}
        if s["embed"] or (s["tied"] and s["head"]): top["embed"] = ((V, D), ("model", "fsdp"))
        if s["head"] and not s["tied"]: top["head"] = ((D, V), ("fsdp", "model"))
        if s["embed"] and s["position"] == "table": top["wpe"] = ((s["seq"], D), (None, "fsdp"))
        return top

    def norm(self, x, g, b):
        y = x.astype(F32)
        if self.s["norm"] == "layer": y = y - y.mean(-1, keepdims=True)
        y = y * jax.lax.rsqrt((y * y).mean(-1, keepdims=True) + 1e-5)
        y = y.astype(BF16) * g
        return y if b is None else y + b

    def apart(self, y, *spec):
        return self.hold(jax.lax.optimization_barrier(y), *spec) if self.s.get("eager") else y

    def normed(self, *a):  # the backward pass keeps a norm's or an activation's operand, not its steps
        return self.apart(jax.checkpoint(self.norm)(*a), self.batch, self.seq, None)

    def rope(self, x):
        half, pos = x.shape[-1] // 2, jnp.arange(x.shape[1], dtype=F32)
        angle = pos[:, None] / (10000 ** (jnp.arange(half, dtype=F32) / half))
        c, s = jnp.cos(angle)[None, :, None], jnp.sin(angle)[None, :, None]
        a, b = jnp.split(x.astype(F32), 2, -1)
        return jnp.concatenate([a * c - b * s, b * c + a * s], -1).astype(x.dtype)

    def attend(self, q, k, v):
        T, hd = q.shape[1], q.shape[-1]
        G = q.shape[2] // k.shape[2]
        if G > 1: k, v = (jnp.repeat(x, G, axis=2) for x in (k, v))
        s = jnp.einsum("bthk,bshk->bhts", q, k, preferred_element_type=F32) * hd ** -0.5
        at = partial(jax.lax.broadcasted_iota, jnp.int32, (T, T))
        s = jnp.where(at(0) >= at(1), s, -1e30)
        return jnp.einsum("bhts,bshk->bthk", jax.nn.softmax(s, -1).astype(BF16), v)

    def layer(self, x, p):
        s = self.s
        p = jax.tree.map(lambda w: w.astype(BF16), p)
        heads, wide, flat = ((self.batch, None, "model", None), (self.batch, None, "model"), (self.batch, self.seq, None))
        add = lambda y, b, at: self.apart(y + p[b] if b in p else y, *at)
        h = self.normed(x, p["n1"], p.get("m1"))
        q = add(jnp.einsum("btd,dhk->bthk", h, p["wq"]), "bq", heads)
        k = add(jnp.einsum("btd,dhk->bthk", h, p["wk"]), "bk", heads)
        v = add(jnp.einsum("btd,dhk->bthk", h, p["wv"]), "bv", heads)
        q = self.hold(q, self.batch, None, "model", None)
        if s["position"] == "rope": q, k = self.rope(q), self.rope(k)
        attend = jax.checkpoint(self.attend) if s["flash"] else self.attend
        o = self.hold(attend(q, k, v), self.batch, None, "model", None)
        x = self.apart(x + self.hold(add(jnp.einsum("bthk,hkd->btd", o, p["wo"]), "bo", flat), *flat), *flat)
        h = self.normed(x, p["n2"], p.get("m2"))
        act = {"gelu": jax.nn.gelu, "relu": jax.nn.relu, "silu": jax.nn.silu}[s["act"]]
        u = self.apart(jax.checkpoint(act)(add(jnp.einsum("btd,df->btf", h, p["w1"]), "b1", wide)), *wide)
        if s["ff_mats"] == 3: u = u * jnp.einsum("btd,df->btf", h, p["w3"])
        u = self.hold(u, self.batch, None, "model")
        y = jnp.einsum("btf,fd->btd", u, p["w2"])
        if s["whole"] and s["remat"] != "none": y = needed(y)
        return self.apart(x + self.hold(add(y, "b2", flat), *flat), *flat), None

    def blocks(self, x, layers):
        remat = self.s["remat"]
        if remat == "selective":  # every second block keeps nothing
            pairs = jax.tree.map(lambda w: w.reshape(w.shape[0] // 2, 2, *w.shape[1:]), layers)
            again = jax.checkpoint(self.layer)
            def pair(x, p):
                x, _ = self.layer(x, jax.tree.map(lambda w: w[0], p))
                return again(x, jax.tree.map(lambda w: w[1], p))
            return jax.lax.scan(pair, x, pairs)[0]
        policy = {"dots": jax.checkpoint_policies.dots_with_no_batch_dims_saveable}.get(remat)
        f = self.layer if remat == "none" else jax.checkpoint(self.layer, policy=policy)
        return jax.lax.scan(f, x, layers)[0]

    def loss(self, p, x, target):
        s = self.s
        if s["embed"]:
            x = p["embed"].astype(BF16)[x]
            if "wpe" in p: x = x + p["wpe"].astype(BF16)
        x = self.hold(x, self.batch, self.seq, None)
        x = self.blocks(x, p["layers"])
        if not s["head"]: return (x.astype(F32) * target).sum()  # what the next stage sends back
        x = self.normed(x, p["fnorm"].astype(BF16), None)
        table = p["embed"].T if s["tied"] else p["head"]
        logits = self.hold((x @ table.astype(BF16)).astype(F32), self.batch, None, "model")
        picked = jnp.take_along_axis(logits, target[..., None], -1)[..., 0]
        return (jax.nn.logsumexp(logits, -1) - picked).mean()

    def gradients(self, p, x, y):
        accum = self.s["accum"]
        if accum == 1: return jax.value_and_grad(self.loss)(p, x, y)
        if self.s["zero"] == 1 and self.s["dp"] > 1: return self.gradients_by_group(p, x, y)
        parts = jax.tree.map(lambda v: v.reshape(accum, v.shape[0] // accum, *v.shape[1:]), (x, y))
        parts = jax.tree.map(lambda v: self.hold(v, None, self.batch), parts)
        def one(sums, part):
            l, g = jax.value_and_grad(self.loss)(p, *part)
            return jax.tree.map(lambda a, b: a + b.astype(F32), sums, (l, g)), None
        zero = jax.tree.map(lambda w: jnp.zeros(w.shape, F32), p)
        return jax.lax.scan(one, (jnp.zeros(()), zero), parts)[0]

    def gradients_by_group(self, p, x, y):
        """Each data-parallel group adds up its own gradients; they are reduced once, after the last micro-batch."""
        accum, dp = self.s["accum"], self.s["dp"]
        self.batch = ("fsdp",)
        parts = jax.tree.map(lambda v: v.reshape(dp, accum, v.shape[0] // accum // dp, *v.shape[1:]).swapaxes(0, 1), (x, y))
        parts = jax.tree.map(lambda v: self.hold(v, None, "data", "fsdp"), parts)
        each = jax.vmap(jax.value_and_grad(self.loss), (None, 0, 0), spmd_axis_name="data")
        split = lambda v, spec: self.hold(v, "data", *spec)
        specs = jax.tree.map(lambda v: v[1], self.shapes(), is_leaf=lambda v: isinstance(v, tuple))
        at = jax.tree.unflatten(jax.tree.structure(p), jax.tree.leaves(specs, is_leaf=lambda v: isinstance(v, tuple)))
        def one(sums, part):
            l, g = each(p, *part)
            g = jax.tree.map(lambda a, b, s: split(a + b.astype(F32), s), sums[1], g, at)
            return (sums[0] + l, g), None
        zero = jax.tree.map(lambda w, s: split(jnp.zeros((dp, *w.shape), F32), s), p, at)
        l, g = jax.lax.scan(one, (jnp.zeros((dp,)), zero), parts)[0]
        self.batch = ("data", "fsdp")
        return l.sum(), jax.tree.map(lambda v: v.sum(0), g)

    def step(self, p, state, x, y):
        loss, g = self.gradients(p, x, y)
        norm = jnp.sqrt(sum((v.astype(F32) ** 2).sum() for v in jax.tree.leaves(g)))
        scale = jnp.minimum(1.0, 1.0 / (norm + 1e-6))
        def adam(w, g, m, v, at):
            g = jax.lax.with_sharding_constraint(g.astype(F32), at) * scale
            m, v = 0.9 * m + 0.1 * g, 0.95 * v + 0.05 * g * g
            new = w.astype(F32) - 3e-4 * (m / (jnp.sqrt(v) + 1e-8) + 0.1 * w.astype(F32))
            return new.astype(w.dtype), m, v
        leaves, tree = jax.tree.flatten(p)
        done = [adam(*z) for z in zip(leaves, *(jax.tree.leaves(t) for t in (g, *state, self.state_at)))]
        return tuple(tree.unflatten([d[i] for d in done]) for i in range(3)) + (loss,)

    def lower(self):
        s = self.s
        leaf = lambda x: isinstance(x, tuple)
        value = lambda v, dtype, spec: jax.ShapeDtypeStruct(v[0], dtype, sharding=self.sharded(*spec))
        params = jax.tree.map(lambda v: value(v, self.master, v[1]), self.shapes(), is_leaf=leaf)

        def spread(v):  # ZeRO-1: the optimizer's state is also split over data, along the first dimension that divides
            spec = list(v[1])
            for i, n in enumerate(v[0]):
                if s["zero"] == 1 and spec[i] is None and n % s["dp"] == 0 and n >= s["dp"] > 1:
                    spec[i] = "data"
                    break
                if s["zero"] == 1 and spec[i] == "fsdp" and s["fsdp"] == 1 and n % s["dp"] == 0:
                    spec[i] = "data"
                    break
            return value(v, F32, spec)
        state = jax.tree.map(spread, self.shapes(), is_leaf=leaf)
        self.state_at = jax.tree.map(lambda v: v.sharding, state)
        B, T, D = s["batch"], s["seq"], s["d_model"]
        ids = jax.ShapeDtypeStruct((B, T), jnp.int32, sharding=self.sharded(self.batch))
        wide = lambda t: jax.ShapeDtypeStruct((B, T, D), t, sharding=self.sharded(self.batch, self.seq))
        args = (params, (state, state), ids if s["embed"] else wide(BF16), ids if s["head"] else wide(F32))
        at = lambda t: jax.tree.map(lambda v: v.sharding, t)
        step = lambda p, s, x, y: (lambda a, m, v, l: (a, (m, v), l))(*self.step(p, s, x, y))
        f = jax.jit(step, donate_argnums=(0, 1), out_shardings=(at(params), at((state, state)), self.sharded()))
        return f.trace(*args).lower(lowering_platforms=("tpu",))


def main():
    for path in sys.argv[1:]:
        try:
            text = Model(json.load(open(path))).lower().as_text(debug_info=True)
        except Exception as e:  # JAX refuses the sizes: the others are still written
            print(f"{path}: {str(e).splitlines()[0]}", file=sys.stderr)
            continue
        open(path.removesuffix(".json") + ".mlir", "w").write(text)


if __name__ == "__main__":
    main()
