"""Programs of the stencil family in JAX, what XLA's partitioner makes of each, and the least that a device has to send.

    python stencils.py FOLDER      writes NAME.mlir into it; prints a JSON list of {name, xla_bytes, xla_calls, least, why}

bench/partition --stencils runs it. Bytes are those that one device sends: a permute its operand, of b bytes that k devices gather or exchange
(k-1)/k b, of b bytes summed 2 (k-1)/k b; a loop's as often as it turns. `least`: what a device's part of the result is made of and lies in
other parts, each element once.
"""
import json, math, os, re, sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

LINE, GRID, CUBE = dict(x=8), dict(x=2, y=4), dict(x=2, y=2, z=2)
F32, I32 = jnp.float32, jnp.int32
PROGRAMS = []


def program(name, mesh, args, specs, least, why, function, out=None):
    PROGRAMS.append((name, mesh, args, specs, least, why, function, specs[0] if out is None else out))


def neighbours(u, axes): return sum(jnp.roll(u, s, a) for a in axes for s in (1, -1))
def laplace(u, axes): return neighbours(u, axes) - 2 * len(axes) * u


ROW, TILE, BLOCK = ((128, 64), F32), ((64, 64), F32), ((16, 16, 16), F32)
AROUND = 2 * (16 + 32) * 4  # both rows and both columns beside a part of 32 x 16

# Rotations
program("roll", LINE, [((64, 32), F32)], [P("x")], 128, "1 row", lambda u: jnp.roll(u, 1, 0))
program("roll_back", LINE, [((64, 32), F32)], [P("x")], 384, "3 rows", lambda u: jnp.roll(u, -3, 0))
program("roll_far", LINE, [((64, 32), F32)], [P("x")], 1024, "a part, 8 rows", lambda u: jnp.roll(u, 20, 0))
program("roll_any", LINE, [((64, 32), F32), ((), I32)], [P("x"), P()], 1024, "a part, 8 rows", lambda u, n: jnp.roll(u, n, 0))
program("roll_2d", GRID, [TILE], [P("x", "y")], 192, "1 row, 1 column", lambda u: jnp.roll(u, (1, 1), (0, 1)))
program("roll_3d", CUBE, [BLOCK], [P("x", "y", "z")], 1536, "1 + 2 + 3 sides", lambda u: jnp.roll(u, (1, -2, 3), (0, 1, 2)))
program("fftshift", LINE, [((64, 32), F32)], [P("x")], 1024, "a part", lambda u: jnp.fft.fftshift(u, 0))
program("stages", dict(pp=4, dp=2), [((4, 4, 16, 8), F32)], [P("pp", "dp")], 1024, "a stage's part", lambda u: jnp.roll(u, 1, 0))
program("stages_in", dict(pp=4, dp=2), [((4, 4, 16, 8), F32), ((4, 16, 8), F32)], [P("pp", "dp"), P("dp")], 1024, "a stage's part",
        lambda u, i: jnp.roll(u, 1, 0).at[0].set(i))

# Differences on periodic grids
program("laplace_1d", LINE, [ROW], [P("x")], 512, "2 rows", lambda u: laplace(u, (0, 1)))
program("laplace_2d", GRID, [TILE], [P("x", "y")], AROUND, "2 rows, 2 columns", lambda u: laplace(u, (0, 1)))
program("laplace_3d", CUBE, [BLOCK], [P("x", "y", "z")], 1536, "6 sides", lambda u: laplace(u, (0, 1, 2)))
program("laplace_4th", LINE, [ROW], [P("x")], 1024, "4 rows", lambda u: sum(c * jnp.roll(u, s, 0) for s, c in ((2, -1), (1, 16), (0, -30), (-1, 16), (-2, -1))))
program("heat_loop", GRID, [TILE], [P("x", "y")], 10 * AROUND, "10 turns", lambda u: lax.fori_loop(0, 10, lambda i, u: u + 0.1 * laplace(u, (0, 1)), u))
program("laplace_grad", GRID, [TILE], [P("x", "y")], 2 * AROUND, "there and back",
        lambda u: jax.grad(lambda u: jnp.sum(jnp.sin(laplace(u, (0, 1)))))(u))


def life(u):
    n = sum(jnp.roll(u, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
    return ((n == 3) | ((u == 1) & (n == 2))).astype(I32)


def ising(u, r):
    colour = (jnp.arange(64)[:, None] + jnp.arange(64)) % 2
    for c in (0, 1): u = jnp.where((colour == c) & (r < jnp.exp(-0.8 * neighbours(u, (0, 1)) * u)), -u, u)
    return u


program("life", GRID, [((64, 64), I32)], [P("x", "y")], AROUND + 16, "2 rows, 2 columns, 4 corners", life)
program("ising", GRID, [TILE, TILE], [P("x", "y")] * 2, AROUND, "half of what is around, twice", ising)


# Borders: padded, filled, or held
def five_points(mode):
    def step(u):
        p = jnp.pad(u, 1, mode=mode)
        return p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * u
    return step


def reflected(u):
    p = jnp.pad(u, ((1, 1), (0, 0)), mode="reflect")
    return p[2:] + p[:-2] - 2 * u


def inside(u): return 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])


for mode in ("constant", "wrap", "edge"): program("pad_" + mode, GRID, [TILE], [P("x", "y")], AROUND, "2 rows, 2 columns", five_points(mode))
program("pad_reflect", LINE, [ROW], [P("x")], 512, "2 rows", reflected)
program("interior", GRID, [TILE], [P("x", "y")], AROUND, "2 rows, 2 columns", lambda u: u.at[1:-1, 1:-1].set(inside(u)))
program("interior_add", GRID, [TILE], [P("x", "y")], AROUND, "2 rows, 2 columns", lambda u: u.at[1:-1, 1:-1].add(inside(u)))
program("ghost_rows", LINE, [ROW], [P("x")], 256, "1 row, of the first and the last", lambda u: u.at[0].set(u[-2]).at[-1].set(u[1]))
program("ghost_frame", GRID, [TILE], [P("x", "y")], 192, "1 row and 1 column of those at the border",
        lambda u: u.at[0].set(u[-2]).at[-1].set(u[1]).at[:, 0].set(u[:, -2]).at[:, -1].set(u[:, 1]))
program("boundary_rows", LINE, [ROW, ((1, 64), F32)], [P("x"), P()], 0, "all have them", lambda u, b: jnp.concatenate([b, u[1:-1], b], 0))
program("gradient", LINE, [ROW], [P("x")], 512, "2 rows", lambda u: jnp.gradient(u, axis=0))
program("difference", LINE, [ROW], [P("x")], 256, "1 row", lambda u: u - jnp.concatenate([jnp.zeros_like(u[:1]), u[:-1]], 0))
program("difference_grad", LINE, [ROW], [P("x")], 512, "there and back", lambda u: jax.grad(lambda u: jnp.sum((u[1:] - u[:-1]) ** 2))(u))
program("wrap_conv", LINE, [((1, 128, 16), F32), ((3, 16, 16), F32)], [P(None, "x"), P()], 128, "2 rows", lambda u, k: lax.conv_general_dilated(
    jnp.pad(u, ((0, 0), (1, 1), (0, 0)), mode="wrap"), k, (1,), "VALID", dimension_numbers=("NWC", "WIO", "NWC")))

# Pieces put elsewhere
TOKENS = ((4, 256), I32)
program("labels", LINE, [TOKENS], [P(None, "x")], 16, "1 column", lambda t: jnp.concatenate([t[:, 1:], jnp.full((4, 1), -1, I32)], 1))
program("shift_right", LINE, [TOKENS], [P(None, "x")], 16, "1 column", lambda t: jnp.concatenate([jnp.full((4, 1), 1, I32), t[:, :-1]], 1))
program("shift_pad", LINE, [TOKENS], [P(None, "x")], 16, "1 column", lambda t: jnp.pad(t, ((0, 0), (1, 0)))[:, :-1])
program("at_set", GRID, [((128, 64), F32), ((108, 64), F32)], [P("x", "y")] * 2, 320, "5 rows of the update", lambda u, v: u.at[5:113].set(v))
program("red_black", LINE, [((128, 32), F32)], [P("x")], 0, "pairs of rows are in one part", lambda u: u.at[::2].set(u[1::2]))
program("rotate_half", LINE, [((4, 16, 64), F32)], [P(None, None, "x")], 2048, "a part", lambda u: jnp.concatenate([-u[..., 32:], u[..., :32]], -1))


# Mirrors, halves, and what is put together of both
HALVES = ((4, 16, 64), F32)


def haar(u): return jnp.concatenate([u[::2] + u[1::2], u[::2] - u[1::2]], 0)
def rope(u, c): return jnp.concatenate([u[..., :32] * c - u[..., 32:] * (1 - c), u[..., 32:] * c + u[..., :32] * (1 - c)], -1)


program("flip", LINE, [((64, 32), F32)], [P("x")], 1024, "a part", lambda u: jnp.flip(u, 0))
program("flip_2d", GRID, [TILE], [P("x", "y")], 2048, "a part", lambda u: jnp.flip(u, (0, 1)))
program("haar", LINE, [((64, 32), F32)], [P("x")], 1024, "a part, of sums or differences", haar)
program("rope", LINE, [HALVES, ((16, 32), F32)], [P(None, None, "x"), P(None, "x")], 2560, "a part, and of the angles one", rope)
program("swap_halves", LINE, [((64, 32), F32)], [P("x")], 1024, "a part", lambda u: jnp.concatenate([u[32:], u[:32]], 0))
program("roll_flat", LINE, [((512,), F32)], [P("x")], 256, "a part, 64 elements", lambda u: jnp.roll(u, 70))
program("roll_all", GRID, [TILE], [P("x", "y")], 808, "6 columns, and of a row the other 10", lambda u: jnp.roll(u, 70))

# Staggered grids, wider and coarser ones
def staggered(e, h):
    h = h.at[:-1].add(0.5 * (e[1:] - e[:-1]))
    return e.at[1:].add(0.5 * (h[1:] - h[:-1])), h


def staggered_2d(e, hx, hy):
    hx, hy = hx.at[:, :-1].add(-0.5 * (e[:, 1:] - e[:, :-1])), hy.at[:-1].add(0.5 * (e[1:] - e[:-1]))
    return e.at[1:, 1:].add(0.5 * (hy[1:, 1:] - hy[:-1, 1:] - hx[1:, 1:] + hx[1:, :-1])), hx, hy


def wide(u): return sum(c * jnp.roll(u, s, a) for a in (0, 1) for s, c in ((2, -1), (1, 16), (-1, 16), (-2, -1))) - 60 * u
def heat(u): return u.at[1:-1, 1:-1].set(inside(u))


program("staggered", LINE, [((64, 32), F32)] * 2, [P("x")] * 2, 256, "1 row of each", staggered, (P("x"), P("x")))
program("staggered_2d", GRID, [TILE] * 3, [P("x", "y")] * 3, AROUND, "1 row and 1 column of both", staggered_2d, (P("x", "y"),) * 3)
program("wide_2d", GRID, [TILE], [P("x", "y")], 2 * AROUND, "4 rows, 4 columns", wide)
program("upwind", LINE, [((64, 32), F32)], [P("x")], 128, "1 row", lambda u: u.at[1:].add(-0.3 * (u[1:] - u[:-1])))
program("prolong", LINE, [((32, 32), F32)], [P("x")], 128, "1 row", lambda u: jnp.stack([u, 0.5 * (u + jnp.roll(u, -1, 0))], 1).reshape(64, 32))
program("every_third", LINE, [((96, 32), F32)], [P("x")], 0, "each part has its own", lambda u: u[1::3])
program("ends_add", LINE, [((64, 32), F32)], [P("x")], 128, "1 row, of the first and the last", lambda u: u.at[0].add(u[-1]).at[-1].add(u[0]))
program("heat_scan", GRID, [TILE], [P("x", "y")], 10 * AROUND, "10 turns", lambda u: lax.scan(lambda u, _: (heat(u), None), u, None, length=10)[0])
program("heat_grad", GRID, [TILE], [P("x", "y")], 2 * AROUND, "there and back", lambda u: jax.grad(lambda u: jnp.sum(heat(u) ** 2))(u))
program("variation", GRID, [TILE], [P("x", "y")], 199, "1 row, 1 column, the sum", lambda u: jnp.sum(jnp.abs(u[1:] - u[:-1])) + jnp.sum(jnp.abs(u[:, 1:] - u[:, :-1])), P())


# Convolutions of what is padded, running sums, losses, stages
def convolved(mode):
    def run(u, k):
        p = jnp.pad(u, ((0, 0), (1, 1), (1, 1), (0, 0)), mode=mode)
        return lax.conv_general_dilated(p, k, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return run


def stage_loop(w, x):
    def turn(c, i):
        s = jnp.roll(c[0], 1, 0).at[0].set(lax.dynamic_index_in_dim(x, i, 0, False))
        s = jnp.tanh(jnp.einsum("pbd,pde->pbe", s, w))
        return (s, c[1].at[i].set(s[-1])), None
    return lax.scan(turn, (jnp.zeros((4, 8, 16)), jnp.zeros((6, 8, 16))), jnp.arange(6))[0][1]


def lags(u): return jnp.stack([jnp.sum(u * jnp.roll(u, i, 0)) for i in range(4)])
def shifted_loss(l, t): return -jnp.take_along_axis(jax.nn.log_softmax(l[:, :-1]), t[:, 1:, None], -1).mean()


PIPE = (dict(pp=4, dp=2), [((4, 16, 16), F32), ((6, 8, 16), F32)], [P("pp"), P(None, "dp")])
program("wrap_conv_2d", GRID, [((1, 32, 32, 8), F32), ((3, 3, 8, 8), F32)], [P(None, "x", "y"), P()], 1664, "52 elements of 8 channels around", convolved("wrap"))
program("reflect_conv", LINE, [((1, 64, 16, 4), F32), ((3, 3, 4, 4), F32)], [P(None, "x"), P()], 512, "2 rows", convolved("reflect"))
program("cumsum", LINE, [((64, 32), F32)], [P("x")], 128, "1 row, the sum of all before", lambda u: jnp.cumsum(u, 0))
program("cumsum_grad", LINE, [((64, 32), F32)], [P("x")], 256, "there and back", lambda u: jax.grad(lambda u: jnp.sum(jnp.cumsum(u, 0) ** 2))(u))
program("lags", LINE, [((64, 16), F32)], [P("x")], 220, "3 rows, 4 sums", lags, P())
program("shifted_loss", LINE, [((4, 256, 32), F32), TOKENS], [P(None, "x")] * 2, 23, "1 column, the sum", shifted_loss, P())
program("stage_loop", *PIPE, 6 * 256 + 1536, "6 turns, and the results from the last stage", stage_loop, P(None, "dp"))
program("stage_grad", *PIPE, 2 * 6 * 256, "there and back", lambda w, x: jax.grad(lambda w: jnp.sum(stage_loop(w, x) ** 2))(w), P("pp"))


# Windows
def swin(x, wq):
    (h, w, c), m = x.shape, 8
    y = jnp.roll(x, (-m // 2, -m // 2), (0, 1)).reshape(h // m, m, w // m, m, c).transpose(0, 2, 1, 3, 4).reshape(h // m, w // m, m * m, c)
    y = jnp.einsum("abij,abjc->abic", jax.nn.softmax(jnp.einsum("abic,abjc->abij", y @ wq, y), -1), y)
    return jnp.roll(y.reshape(h // m, w // m, m, m, c).transpose(0, 2, 1, 3, 4).reshape(h, w, c), (m // 2, m // 2), (0, 1))


def attention(near):
    """Attention of blocks of 16 tokens to blocks near them: near(t) joins those, along dimension 2."""
    def attend(q, k, v):
        b, t, h, c = q.shape
        q, k, v = (x.reshape(b, t // 16, 16, h, c) for x in (q, k, v))
        weights = jax.nn.softmax(jnp.einsum("bnihc,bnjhc->bnhij", q, near(k)), -1)
        return jnp.einsum("bnhij,bnjhc->bnihc", weights, near(v)).reshape(b, t, h, c)
    return attend


def padded(t, low, high): return jnp.pad(t, ((0, 0), (low, high)) + ((0, 0),) * (t.ndim - 2))
def before(t): return jnp.concatenate([padded(t, 1, 0)[:, :-1], t], 2)
def both_sides(t): return (lambda p: jnp.concatenate([p[:, :-2], p[:, 1:-1], p[:, 2:]], 2))(padded(t, 1, 1))
def around(t): return jnp.concatenate([jnp.roll(t, 1, 1), t, jnp.roll(t, -1, 1)], 2)
def gradients(attend): return lambda *a: jax.grad(lambda a: jnp.sum(jnp.sin(attend(*a))))(a)


SEQUENCE, SPLIT = [((2, 256, 4, 8), F32)] * 3, [P(None, "x")] * 3
program("swin", dict(x=4, y=2), [((64, 64, 16), F32), ((16, 16), F32)], [P("x", "y"), P()], 24576, "4 rows and 4 columns, there and back", swin)
program("swin_rows", LINE, [((64, 64, 16), F32), ((16, 16), F32)], [P("x"), P()], 32768, "4 rows, there and back", swin)
for name, near, blocks in (("window_before", before, 1), ("window_both", both_sides, 2), ("window_around", around, 2)):
    program(name, LINE, SEQUENCE, SPLIT, blocks * 8192, f"{blocks} of keys and values", attention(near))
    program(name + "_grad", LINE, SEQUENCE, SPLIT, blocks * 16384, f"{blocks} of keys and values, and of their gradients", gradients(attention(near)), tuple(SPLIT))


# XLA's plan

BYTES = {"pred": 1, "s8": 1, "u8": 1, "bf16": 2, "f16": 2, "s32": 4, "u32": 4, "f32": 4, "s64": 8, "u64": 8, "f64": 8, "c64": 8, "c128": 16}
SHARE = {"collective-permute": lambda k: 1, "all-gather": lambda k: (k - 1) / k, "all-to-all": lambda k: (k - 1) / k, "all-reduce": lambda k: 2 * (k - 1) / k,
         "reduce-scatter": lambda k: k - 1}


def size(types): return sum(BYTES[t] * int(np.prod([int(n) for n in dims.split(",") if n])) for t, dims in re.findall(r"(\w+)\[([\d,]*)\]", types) if t in BYTES)


def group_of(line):
    """Devices of a group, of those that a line lists, counts, or names by axes of a mesh: mesh['a'=2,'b'=4] {'b', 'a':(1)2}."""
    if "source_target_pairs" in line: return 2
    listed, counted = re.search(r"replica_groups=\{\{([\d,]*)\}", line), re.search(r"replica_groups=\[\d+,(\d+)\]", line)
    if listed or counted: return int(counted[1]) if counted else len(listed[1].split(","))
    mesh, axes = re.search(r"replica_groups=mesh\[([^\]]*)\][^{]*\{([^}]*)\}", line).groups()
    sizes = {axis: int(n) for axis, n in re.findall(r"'(\w+)'=(\d+)", mesh)}
    return math.prod(int(part) if part else sizes[axis] for axis, part in re.findall(r"'(\w+)'(?::\(\d+\)(\d+))?", axes))


def traffic(hlo):
    """(bytes, calls) of a device in the compiled module."""
    bodies, entry, name = {}, None, None
    for line in hlo.split("\n"):
        head = re.match(r"(ENTRY )?%?([\w.\-]+) .*\{$", line)
        if head:
            name = head[2]
            bodies[name] = []
            entry = name if head[1] else entry
        elif name:
            bodies[name].append(line)

    def count(body):
        sent = calls = 0
        for line in bodies.get(body, []):
            done = re.search(r"= (.*?) (%s)(-start)?\(" % "|".join(SHARE), line)
            if done:
                sent, calls = sent + size(done[1]) * SHARE[done[2]](group_of(line)), calls + 1
            loop, called = re.search(r" while\(.*body=%?([\w.\-]+)", line), re.search(r" call\(.*to_apply=%?([\w.\-]+)", line)
            turns = re.search(r'known_trip_count":\{"n":"(\d+)"', line)
            if loop or called:
                more = count((loop or called)[1])
                times = int(turns[1]) if loop and turns else 1
                sent, calls = sent + times * more[0], calls + times * more[1]
        return sent, calls
    return count(entry)


def main(folder):
    jax.config.update("jax_use_shardy_partitioner", True)
    found = []
    for name, axes, args, specs, least, why, function, out in PROGRAMS:
        mesh = Mesh(np.array(jax.devices()[:int(np.prod(list(axes.values())))]).reshape(tuple(axes.values())), tuple(axes))
        put = lambda s: jax.tree.map(lambda p: NamedSharding(mesh, p), s, is_leaf=lambda p: isinstance(p, P))
        lowered = jax.jit(function, in_shardings=tuple(put(specs)), out_shardings=put(out)).lower(*(jax.ShapeDtypeStruct(*a) for a in args))
        with open(os.path.join(folder, name + ".mlir"), "w") as f: f.write(lowered.as_text())
        sent, calls = traffic(lowered.compile().as_text())
        found.append(dict(name=name, xla_bytes=sent, xla_calls=calls, least=least, why=why))
    print(json.dumps(found))


if __name__ == "__main__": main(sys.argv[1])
