"""sdy-resolve-permutation-factors: what its exchanges and reshards make of random pads, slices and reshapes is what numpy makes.

The operand of each op is a piece of an argument that the devices divide, so that it is itself of any size. Programs run on the
threads of `weft run`. WEFT_SEED and WEFT_CASES choose other programs.
"""
import math
import os
import random
import subprocess

import numpy as np
import pytest

from test_windows import WEFT, ints, tensor

SEED = int(os.environ.get('WEFT_SEED', '20261122'))
CASES = int(os.environ.get('WEFT_CASES', 2 * int(os.environ.get('WEFT_LONG', '1'))))
MESHES = ['"x"=2', '"x"=3', '"x"=4', '"x"=2, "y"=2', '"x"=4, "y"=2', '"x"=2, "y"=2], device_ids=[2, 0, 3, 1', '"x"=8']


def axes_of(mesh):
    return [(a.split('=')[0].strip(), int(a.split('=')[1])) for a in mesh.split(']')[0].split(', ')]


def sharding(dims):
    return '<@mesh, [%s]>' % ', '.join('{' + ', '.join(d) + '}' for d in dims)


def cut_dims(rng, mesh):
    """Axes of two dimensions; shards of both. Now and then part of an axis."""
    axes = axes_of(mesh)
    rng.shuffle(axes)
    if len(axes) == 1:
        a, s = axes[0]
        if s % 2 == 0 and s > 2 and rng.random() < 0.4:
            axes = rng.choice([[('%s:(1)2' % a, 2), ('%s:(2)%d' % (a, s // 2), s // 2)], [('%s:(2)%d' % (a, s // 2), s // 2)]])
    dims = [[], []]
    first = rng.randint(0, 1)
    for i, a in enumerate(axes):  # two parts of an axis side by side would have to be written as one
        dims[(first + i) % 2 if ':' in a[0] else rng.randint(0, 1)].append(a)
    return [[a for a, _ in d] for d in dims], [math.prod(s for _, s in d) for d in dims]


def piece(rng, shards, high=12):
    """(of the argument, of its piece): both have parts of one size."""
    part = rng.randint(1, max(1, high // shards))
    return shards * part, rng.randint(shards * (part - 1) + 1, shards * part)


def pad(rng, shapes, dtype):
    low, high, inner = zip(*[(rng.randint(-2, 7), rng.randint(-2, 9), rng.choice([0, 0, 1, 2])) for _ in shapes])
    out = [(n - 1) * (i + 1) + 1 + l + h for n, l, h, i in zip(shapes, low, high, inner)]
    if min(out) < 1:
        return pad(rng, shapes, dtype)

    def numpy(x, fill):
        wide = np.full([(n - 1) * (i + 1) + 1 for n, i in zip(shapes, inner)], fill, x.dtype)
        wide[tuple(slice(None, None, i + 1) for i in inner)] = x
        y = np.pad(wide, [(max(l, 0), max(h, 0)) for l, h in zip(low, high)], constant_values=fill)
        return y[tuple(slice(max(-l, 0), n - max(-h, 0)) for l, h, n in zip(low, high, y.shape))]
    return out, 'stablehlo.pad %%s, %%v, low = %s, high = %s, interior = %s' % (ints(low), ints(high), ints(inner)), numpy


def slice_(rng, shapes, dtype):
    where, out = [], []
    for n in shapes:
        start, by = rng.randint(0, n - 1), rng.choice([1, 1, 1, 2, 3])
        limit = rng.randint(start + 1, n)
        where.append('%d:%d:%d' % (start, limit, by))
        out.append(-(-(limit - start) // by))
    return out, 'stablehlo.slice %%s [%s]' % ', '.join(where), lambda x, fill: x[tuple(slice(*map(int, w.split(':'))) for w in where)]


OPS = {f.__name__.strip('_'): f for f in [pad, slice_]}


def program(rng, mesh, make):
    """(text, the same in numpy)"""
    cut, shards = cut_dims(rng, mesh)
    dtype = rng.choice(['f32', 'i32'])
    whole, shapes = zip(*[piece(rng, s) for s in shards])
    out, op, numpy = make(rng, shapes, dtype)
    s = '{sdy.sharding = #sdy.sharding_per_value<[%s]>}' % sharding(cut)
    t = [tensor(d, dtype) for d in (whole, shapes, out)]
    kind = {'pad': '(%s, tensor<%s>) -> %s' % (t[1], dtype, t[2]), 'slice': '(%s) -> %s' % (t[1], t[2])}.get(op.split()[0][10:], t[1])
    fill = rng.choice(['0', '7'])
    text = module(mesh, whole, out, dtype, cut, '''    %%v = stablehlo.constant dense<%s> : tensor<%s>
    %%s = stablehlo.slice %%a [%s] %s : (%s) -> %s
    %%r = %s %s : %s
''' % (fill + ('.0' if dtype == 'f32' else ''), dtype, ', '.join('0:%d' % n for n in shapes), s, t[0], t[1], op, s, kind))
    return text, lambda x: numpy(x[tuple(slice(n) for n in shapes)], int(fill))


def module(mesh, whole, out, dtype, cut, body):
    t, y = tensor(whole, dtype), tensor(out, dtype)
    return '''module {
  sdy.mesh @mesh = <[%s]>
  func.func public @main(%%a: %s {sdy.sharding = #sdy.sharding%s}) -> (%s {sdy.sharding = #sdy.sharding%s}) {
%s    %%w = sdy.reshard %%r %s : %s
    return %%w : %s
  }
}
''' % (mesh, t, sharding(cut), y, sharding([[]] * len(out)), body, sharding([[]] * len(out)), y, y)


def round_up(n, parts):
    return -(-n // parts) * parts


def reshape_program(rng):
    """One dimension over an axis becomes two over its parts; another beside it stays."""
    outer, inner = rng.choice([(2, 2), (2, 3), (2, 4), (3, 2), (4, 2)])
    second, beside, n = rng.randint(2, 12), rng.randint(1, 5), outer * inner
    size = outer * second
    mesh = '"x"=%d' % n if n > 4 else '"x"=%d, "y"=2' % n
    cut = [['"x"'], ['"y"'] if 'y' in mesh and rng.random() < 0.5 else []]
    whole = [round_up(size, n), round_up(beside, 2) if cut[1] else beside]
    split = [['"x":(1)%d' % outer], ['"x":(%d)%d' % (outer, inner)], cut[1]]
    out = [outer, second, beside]
    s, to = ('{sdy.sharding = #sdy.sharding_per_value<[%s]>}' % sharding(d) for d in (cut, split))
    t = [tensor(d, 'i32') for d in (whole, [size, beside], out)]
    text = module(mesh, whole, out, 'i32', cut, '''    %%s = stablehlo.slice %%a [0:%d, 0:%d] %s : (%s) -> %s
    %%r = stablehlo.reshape %%s %s : (%s) -> %s
''' % (size, beside, s, t[0], t[1], to, t[1], t[2]))
    return text, lambda x: x[:size, :beside].reshape(out)


def run(*args, stdin=None):
    return subprocess.run([WEFT] + [str(a) for a in args], input=stdin, capture_output=True, text=True)


def check(tmp_path, case, option):
    """Behind the pass."""
    text, numpy = case
    file, data = tmp_path / 'p.mlir', tmp_path / 'data'
    file.write_text(text)
    data.mkdir(exist_ok=True)
    t = text.split('@main(%a: tensor<')[1].split('>')[0].split('x')
    x = np.arange(1, 1 + math.prod(map(int, t[:-1]))).reshape([int(n) for n in t[:-1]]).astype({'f32': np.float32, 'i32': np.int32}[t[-1]])
    np.save(data / 'in0.npy', x)
    want = numpy(x)
    np.save(data / 'out0.npy', want)
    resolve = '--sdy-resolve-permutation-factors=enable-halo-exchange=%s' % option
    resolved = run('opt', resolve, file)
    assert resolved.returncode == 0, resolved.stderr + text
    many = run('run', '-', '--inputs=%s' % data, '--compare=%s' % data, stdin=resolved.stdout)
    assert many.returncode == 0, many.stderr + many.stdout + text + resolved.stdout


@pytest.mark.parametrize('option', ['true', 'false'])
@pytest.mark.parametrize('mesh', MESHES)
@pytest.mark.parametrize('name', OPS)
def test_as_numpy(tmp_path, name, mesh, option):
    for i in range(CASES):
        seed = '%d %s %s %d' % (SEED, name, mesh, i)
        try:
            check(tmp_path, program(random.Random(seed), mesh, OPS[name]), option)
        except AssertionError as e:
            raise AssertionError('seed "%s": %s' % (seed, e))


@pytest.mark.parametrize('option', ['true', 'false'])
def test_reshape(tmp_path, option):
    for i in range(6 * CASES):
        seed = '%d reshape %d' % (SEED, i)
        try:
            check(tmp_path, reshape_program(random.Random(seed)), option)
        except AssertionError as e:
            raise AssertionError('seed "%s": %s' % (seed, e))
