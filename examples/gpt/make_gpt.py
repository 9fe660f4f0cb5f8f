"""Writes gpt.mlir: one training step of a small GPT (forward, backward, Adam), annotated for a mesh data=2, model=1.

    python make_gpt.py > gpt.mlir            needs jax; gpt.mlir is committed, so running Weft needs neither

Characters are one-byte codes 32..127. Arguments are named after what they are: a parameter `w`, its Adam moments `w_m` and
`w_v`, the step count `step`, the characters `x` and those that follow them, `y`. Results are the loss and the new state;
each piece of state is donated to the result that replaces it.
"""
import os, re, sys
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax, jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

LAYERS, WIDTH, HEADS, VOCAB, CONTEXT, BATCH = 2, 64, 4, 96, 32, 16
RATE, DECAY_M, DECAY_V = 3e-3, 0.9, 0.99

# name: shape, and how it is split. Batches go over "data"; heads and the hidden layer over "model".
PARAMETERS = {"embed": ((VOCAB, WIDTH), P()), "position": ((CONTEXT, WIDTH), P())}
for i in range(LAYERS):
    PARAMETERS |= {
        f"l{i}_norm1": ((WIDTH,), P()),
        f"l{i}_qkv": ((WIDTH, 3, HEADS, WIDTH // HEADS), P(None, None, "model", None)),
        f"l{i}_out": ((HEADS, WIDTH // HEADS, WIDTH), P("model", None, None)),
        f"l{i}_norm2": ((WIDTH,), P()),
        f"l{i}_up": ((WIDTH, 4 * WIDTH), P(None, "model")),
        f"l{i}_down": ((4 * WIDTH, WIDTH), P("model", None)),
    }
PARAMETERS["norm"] = ((WIDTH,), P())


def normalize(h, scale):
    return h * jax.lax.rsqrt(jnp.mean(h * h, -1, keepdims=True) + 1e-5) * scale


def loss(p, x, y):
    h = p["embed"][x] + p["position"]
    mask = jnp.tril(jnp.ones((CONTEXT, CONTEXT), bool))
    for i in range(LAYERS):
        q, k, v = jnp.moveaxis(jnp.einsum("btd,dnhk->btnhk", normalize(h, p[f"l{i}_norm1"]), p[f"l{i}_qkv"]), 2, 0)
        scores = jnp.where(mask, jnp.einsum("bthk,bshk->bhts", q, k) * (WIDTH // HEADS) ** -0.5, -1e9)
        h = h + jnp.einsum("bhts,bshk,hkd->btd", jax.nn.softmax(scores, -1), v, p[f"l{i}_out"])
        h = h + jnp.tanh(normalize(h, p[f"l{i}_norm2"]) @ p[f"l{i}_up"]) @ p[f"l{i}_down"]
    logits = normalize(h, p["norm"]) @ p["embed"].T
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits, -1), y[..., None], -1)
    return -jnp.mean(picked)


def step(state, x, y):
    p = {n: state[n] for n in PARAMETERS}
    value, gradient = jax.value_and_grad(loss)(p, x, y)
    t = state["step"] + 1
    new = {"step": t}
    for n, g in gradient.items():
        m = new[f"{n}_m"] = DECAY_M * state[f"{n}_m"] + (1 - DECAY_M) * g
        v = new[f"{n}_v"] = DECAY_V * state[f"{n}_v"] + (1 - DECAY_V) * g * g
        new[n] = p[n] - RATE * (m / (1 - DECAY_M**t)) / (jnp.sqrt(v / (1 - DECAY_V**t)) + 1e-8)
    return value, new


def main():
    mesh = jax.make_mesh((2, 1), ("data", "model"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    arg = lambda shape, dtype, spec: jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, spec))
    state = {"step": arg((), jnp.float32, P())}
    for n, (shape, spec) in PARAMETERS.items():
        state |= {m: arg(shape, jnp.float32, spec) for m in (n, f"{n}_m", f"{n}_v")}
    tokens = arg((BATCH, CONTEXT), jnp.int32, P("data", None))
    placed = {n: a.sharding for n, a in state.items()}
    text = jax.jit(step, out_shardings=(None, placed)).lower(state, tokens, tokens).as_text()

    # Names for arguments and results, and the donations.
    names = sorted(state) + ["x", "y"]
    results = ["loss"] + sorted(state)
    text = text.replace("module @jit_step", "module @gpt")
    head, main_, rest = re.match(r"(.*?)(  func\.func public @main.*?\n  \}\n)(.*)", text, re.S).groups()
    main_ = re.sub(r"jax\.result_info = \"[^\"]*\"", lambda m, it=iter(results): f'jax.result_info = "{next(it)}"', main_)
    for i, n in enumerate(sorted(state)):
        main_ = re.sub(rf"(%arg{i}: tensor<[^>]*> \{{sdy\.sharding = #sdy\.sharding<[^>]*>)", rf"\1, tf.aliasing_output = {i + 1} : i32", main_)
    main_ = re.sub(r"%arg(\d+)\b", lambda m: f"%{names[int(m[1])]}" if int(m[1]) < len(names) else m[0], main_)
    sys.stdout.write("// Made by make_gpt.py.\n" + head + main_ + rest)


if __name__ == "__main__":
    main()
