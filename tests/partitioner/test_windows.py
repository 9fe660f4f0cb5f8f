"""Windows, pads, slices, reverses and concatenations along cut dimensions: on many devices as on one, without gathering.

Random programs of one op each, with sizes that the devices divide and with such that they do not; WEFT_SEED and WEFT_CASES choose others. The
devices are threads of `weft run`, which compares with the same program on one device. Where an op needs only neighbours, its collectives are
counted too.
"""
import json
import math
import os
import random
import re
import subprocess

import pytest

WEFT = os.environ.get('WEFT', os.path.join(os.environ.get('top_builddir', os.getcwd()), 'weft'))
SEED = int(os.environ.get('WEFT_SEED', '20261122'))
MESHES = [[('x', 2)], [('x', 3)], [('x', 4)], [('x', 8)], [('x', 2), ('y', 2)], [('x', 2), ('y', 4)]]


def ints(v):
    return '[' + ', '.join(map(str, v)) + ']'


def array(v):
    return 'array<i64: ' + ', '.join(map(str, v)) + '>'


def tensor(dims, dtype):
    return 'tensor<' + ''.join('%dx' % d for d in dims) + dtype + '>'


class Shapes(random.Random):
    """Sizes that the devices divide, or any."""
    ragged = False


def even(rng, shards, high):
    return rng.randint(1, high) if rng.ragged else shards * rng.randint(1, max(1, high // shards))


def pad(rng, shards):
    """(operand dims, result dims, lines that make %r of %a)"""
    inner, low = rng.choice([0, 0, 1, 2]), rng.randint(-4, 9)
    size = even(rng, shards, 24)
    wide = (size - 1) * (inner + 1) + 1
    out = even(rng, shards, 40)
    return size, out, ('pad', low, out - wide - low, inner)


def slice_(rng, shards):
    stride, out = rng.choice([1, 1, 2, 3]), even(rng, shards, 16)
    start = rng.randint(0, 6)
    size = start + (out - 1) * stride + 1 + rng.randint(0, 5)
    size += 0 if rng.ragged else -size % shards
    return size, out, ('slice', start, start + (out - 1) * stride + 1, stride)


def window(rng, shards, with_base):
    """Sizes that fit: the result first, then what padding makes the operand divide."""
    stride, dilation, base = rng.choice([1, 1, 2, 3]), rng.choice([1, 1, 2]), rng.choice([1, 1, 2]) if with_base else 1
    w, out, size = rng.randint(1, 4), even(rng, shards, 16), even(rng, shards, 24)
    low = rng.randint(0, 3)
    span = (out - 1) * stride + (w - 1) * dilation + 1
    high = span - ((size - 1) * base + 1) - low
    return size, out, (w, stride, dilation, base, low, high)


def module(mesh, body):
    return 'module {\n  sdy.mesh @mesh = <[%s]>\n%s}\n' % (', '.join('"%s"=%d' % a for a in mesh), body)


def sharding(axes):
    return '{sdy.sharding = #sdy.sharding<@mesh, [%s]>}' % ', '.join('{' + ', '.join('"%s"' % a for a in dim) + '}' for dim in axes)


def per_dim(rng, mesh, make):
    """One case for each of two dimensions, each over its axes."""
    axes = [[mesh[0][0]], [mesh[1][0]]] if len(mesh) > 1 and rng.random() < 0.5 else [[a for a, _ in mesh], []]
    if rng.random() < 0.5:
        axes.reverse()
    sizes = dict(mesh)
    return axes, [make(rng, math.prod(sizes[a] for a in d)) for d in axes]


def pad_program(rng, mesh):
    axes, cases = per_dim(rng, mesh, pad)
    x, y = [c[0] for c in cases], [c[1] for c in cases]
    low, high, inner = zip(*[c[2][1:] for c in cases])
    return module(mesh, '''  func.func @main(%%a: %s %s, %%v: tensor<f32>) -> (%s %s) {
    %%r = stablehlo.pad %%a, %%v, low = %s, high = %s, interior = %s : (%s, tensor<f32>) -> %s
    return %%r : %s
  }
''' % (tensor(x, 'f32'), sharding(axes), tensor(y, 'f32'), sharding(axes), ints(low), ints(high), ints(inner), tensor(x, 'f32'), tensor(y, 'f32'),
       tensor(y, 'f32')))


def slice_program(rng, mesh):
    axes, cases = per_dim(rng, mesh, slice_)
    x, y = [c[0] for c in cases], [c[1] for c in cases]
    where = ', '.join('%d:%d:%d' % c[2][1:] for c in cases)
    return module(mesh, '''  func.func @main(%%a: %s %s) -> (%s %s) {
    %%r = stablehlo.slice %%a [%s] : (%s) -> %s
    return %%r : %s
  }
''' % (tensor(x, 'i32'), sharding(axes), tensor(y, 'i32'), sharding(axes), where, tensor(x, 'i32'), tensor(y, 'i32'), tensor(y, 'i32')))


def reverse_program(rng, mesh):
    axes, sizes = per_dim(rng, mesh, lambda rng, shards: even(rng, shards, 24))
    dims = rng.choice([[0], [1], [0, 1]])
    t = tensor(sizes, 'f32')
    return module(mesh, '''  func.func @main(%%a: %s %s) -> (%s %s) {
    %%r = stablehlo.reverse %%a, dims = %s : %s
    return %%r : %s
  }
''' % (t, sharding(axes), t, sharding(axes), ints(dims), t, t))


def concatenate_program(rng, mesh):
    along, n = rng.randint(0, 1), rng.randint(2, 4)
    axes, sizes = per_dim(rng, mesh, lambda rng, shards: [even(rng, shards, 16) for _ in range(n)])
    other = 1 - along
    shapes = [[0, 0] for _ in range(n)]
    for i in range(n):
        shapes[i][along], shapes[i][other] = sizes[along][i], sizes[other][0]
    out = list(shapes[0])
    out[along] = sum(sizes[along])
    types = [tensor(s, 'i32') for s in shapes]
    return module(mesh, '''  func.func @main(%s) -> (%s %s) {
    %%r = stablehlo.concatenate %s, dim = %d : (%s) -> %s
    return %%r : %s
  }
''' % (', '.join('%%a%d: %s %s' % (i, t, sharding(axes)) for i, t in enumerate(types)), tensor(out, 'i32'), sharding(axes),
       ', '.join('%%a%d' % i for i in range(n)), along, ', '.join(types), tensor(out, 'i32'), tensor(out, 'i32')))


def reduce_window_program(rng, mesh):
    axes, cases = per_dim(rng, mesh, lambda rng, shards: window(rng, shards, True))
    x, y = [c[0] for c in cases], [c[1] for c in cases]
    w, stride, dilation, base, low, high = zip(*[c[2] for c in cases])
    padding = ', '.join('[%d, %d]' % p for p in zip(low, high))
    tx, ty = tensor(x, 'i32'), tensor(y, 'i32')
    return module(mesh, '''  func.func @main(%%a: %s %s, %%v: tensor<i32>) -> (%s %s) {
    %%r = "stablehlo.reduce_window"(%%a, %%v) <{window_dimensions = %s, window_strides = %s, base_dilations = %s, window_dilations = %s, padding = dense<[%s]> : tensor<2x2xi64>}> ({
    ^bb0(%%p: tensor<i32>, %%q: tensor<i32>):
      %%s = stablehlo.%s %%p, %%q : tensor<i32>
      stablehlo.return %%s : tensor<i32>
    }) : (%s, tensor<i32>) -> %s
    return %%r : %s
  }
''' % (tx, sharding(axes), ty, sharding(axes), array(w), array(stride), array(base), array(dilation), padding, rng.choice(['add', 'maximum']), tx, ty, ty))


def convolution_program(rng, mesh):
    axes, cases = per_dim(rng, mesh, lambda rng, shards: window(rng, shards, True))
    x, y = [c[0] for c in cases], [c[1] for c in cases]
    w, stride, dilation, base, low, high = zip(*[c[2] for c in cases])
    batch, features, out = rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 3)
    tx, tk, ty = tensor([batch] + x + [features], 'f32'), tensor(list(w) + [features, out], 'f32'), tensor([batch] + y + [out], 'f32')
    cut = [[]] + axes + [[]]
    padding = ', '.join('[%d, %d]' % p for p in zip(low, high))
    return module(mesh, '''  func.func @main(%%a: %s %s, %%k: %s) -> (%s %s) {
    %%r = stablehlo.convolution(%%a, %%k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = %s, pad = [%s], lhs_dilate = %s, rhs_dilate = %s, reverse = [%s, %s]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (%s, %s) -> %s
    return %%r : %s
  }
''' % (tx, sharding(cut), tk, ty, sharding(cut), ints(stride), padding, ints(base), ints(dilation), rng.choice(['true', 'false']), rng.choice(['true', 'false']),
       tx, tk, ty, ty))


def inside(rng, shards):
    """As `window`, of a window that is an image: sizes of the input and the window, then the result's."""
    stride, dilation, base = rng.choice([1, 1, 2]), rng.choice([1, 1, 2, 3]), rng.choice([1, 1, 1, 2])
    w, out = even(rng, shards, 24), rng.randint(1, 5)
    size = max(1, w * dilation // base + rng.randint(-3, 3))
    size += 0 if rng.ragged else -size % shards
    low = rng.randint(0, 3)
    high = (out - 1) * stride + (w - 1) * dilation + 1 - ((size - 1) * base + 1) - low
    return size, out, (w, stride, dilation, base, low, high)


def kernel_gradient_program(rng, mesh):
    """The window is cut as the input is; grouped as gradients of grouped convolutions are."""
    axes, cases = per_dim(rng, mesh, inside)
    x, y = [c[0] for c in cases], [c[1] for c in cases]
    w, stride, dilation, base, low, high = zip(*[c[2] for c in cases])
    groups, batch, features, out = rng.choice([1, 1, 2, 3]), rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 3)
    tx, tk, ty = tensor([features] + x + [batch * groups], 'i32'), tensor([features] + list(w) + [out * groups], 'i32'), tensor(y + [batch, out * groups], 'i32')
    cut = sharding([[]] + axes + [[]])
    padding = ', '.join('[%d, %d]' % p for p in zip(low, high))
    return module(mesh, '''  func.func @main(%%a: %s %s, %%k: %s %s) -> %s {
    %%r = stablehlo.convolution(%%a, %%k) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = %s, pad = [%s], lhs_dilate = %s, rhs_dilate = %s, reverse = [%s, %s]} {batch_group_count = %d : i64, feature_group_count = 1 : i64} : (%s, %s) -> %s
    return %%r : %s
  }
''' % (tx, cut, tk, cut, ty, ints(stride), padding, ints(base), ints(dilation), rng.choice(['true', 'false', 'false']), rng.choice(['true', 'false', 'false']),
       groups, tx, tk, ty, ty))


def select_and_scatter_program(rng, mesh):
    """Windows may overlap, touch, leave gaps or see padding; the source is cut as the operand is, or whole."""
    padded = rng.random() < 0.5

    def make(rng, shards):
        size, stride, out = rng.randint(1, 4), rng.randint(1, 4), even(rng, shards, 12)
        low, high = [rng.randint(0, size - 1) if padded else 0 for _ in range(2)]
        n = (out - 1) * stride + size + rng.randint(0, stride - 1) - low - high
        if n < 1:
            n, low, high = n + low + high, 0, 0
        while n % shards and not rng.ragged:
            n, out = n + stride, out + 1
            if out > 200:
                n, size, stride, out, low, high = shards, 1, 1, shards, 0, 0
        return n, out, (size, stride, [low, high])
    axes, cases = per_dim(rng, mesh, make)
    x, y = [c[0] for c in cases], [c[1] for c in cases]
    size, stride, padding = zip(*[c[2] for c in cases])
    tx, ty = tensor(x, 'i32'), tensor(y, 'i32')
    return module(mesh, '''  func.func @main(%%a: %s %s, %%u: %s %s) -> (%s %s) {
    %%z = stablehlo.constant dense<%d> : tensor<i32>
    %%r = "stablehlo.select_and_scatter"(%%a, %%u, %%z) <{window_dimensions = %s, window_strides = %s, padding = dense<%s> : tensor<2x2xi64>}> ({
    ^bb0(%%p: tensor<i32>, %%q: tensor<i32>):
      %%s = stablehlo.compare %s, %%p, %%q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %%s : tensor<i1>
    }, {
    ^bb0(%%p: tensor<i32>, %%q: tensor<i32>):
      %%s = stablehlo.%s %%p, %%q : tensor<i32>
      stablehlo.return %%s : tensor<i32>
    }) : (%s, %s, tensor<i32>) -> %s
    return %%r : %s
  }
''' % (tx, sharding(axes), ty, rng.choice([sharding(axes), '']), tx, sharding(axes), rng.choice([0, 7]), array(size), array(stride), list(padding),
       rng.choice(['GE', 'LT']), rng.choice(['add', 'add', 'maximum', 'multiply']), tx, ty, tx, tx))


def pieces(rng, mesh):
    """Sizes of a tensor and of a piece of it, and where it starts: also before and after what can be."""
    axes, x = per_dim(rng, mesh, lambda rng, shards: even(rng, shards, 24))
    y = [rng.choice([n, max(n - rng.randint(1, 3), 1), rng.randint(1, n), rng.randint(1, (n + 1) // 2)]) for n in x]
    dtype = rng.choice(['i32', 'i64', 'ui8', 'i16'])
    return axes, x, y, dtype, [rng.randint(0 if dtype[0] == 'u' else -3, n + 3) for n in x]


def dynamic_slice_program(rng, mesh):
    axes, x, y, dtype, starts = pieces(rng, mesh)
    truth, tx, ty = rng.random() < 0.3, tensor(x, 'i32'), tensor(y, 'i32')
    bx, by = (tensor(x, 'i1'), tensor(y, 'i1')) if truth else (tx, ty)
    return module(mesh, '''  func.func @main(%%a: %s %s) -> (%s %s) {
    %%c = stablehlo.constant dense<3> : %s
    %%i = stablehlo.constant dense<%d> : tensor<%s>
    %%j = stablehlo.constant dense<%d> : tensor<%s>
    %%x = %s
    %%v = stablehlo.dynamic_slice %%x, %%i, %%j, sizes = %s : (%s, tensor<%s>, tensor<%s>) -> %s
    %%r = %s
    return %%r : %s
  }
''' % (tx, sharding(axes), ty, rng.choice([sharding(axes), '']), tx, starts[0], dtype, starts[1], dtype,
       'stablehlo.compare GT, %%a, %%c : (%s, %s) -> %s' % (tx, tx, bx) if truth else 'stablehlo.add %%a, %%c : %s' % tx,
       ints(y), bx, dtype, dtype, by, 'stablehlo.convert %%v : (%s) -> %s' % (by, ty) if truth else 'stablehlo.negate %%v : %s' % ty, ty))


def dynamic_update_slice_program(rng, mesh):
    axes, x, y, dtype, starts = pieces(rng, mesh)
    tx, ty = tensor(x, 'f32'), tensor(y, 'f32')
    return module(mesh, '''  func.func @main(%%a: %s %s, %%u: %s %s) -> (%s %s) {
    %%i = stablehlo.constant dense<%d> : tensor<%s>
    %%j = stablehlo.constant dense<%d> : tensor<%s>
    %%r = stablehlo.dynamic_update_slice %%a, %%u, %%i, %%j : (%s, %s, tensor<%s>, tensor<%s>) -> %s
    return %%r : %s
  }
''' % (tx, sharding(axes), ty, rng.choice([sharding(axes), '']), tx, sharding(axes), starts[0], dtype, starts[1], dtype, tx, ty, dtype, dtype, tx, tx))


def sort_program(rng, mesh):
    axes, x = per_dim(rng, mesh, lambda rng, shards: even(rng, shards, 24))
    tx = tensor(x, 'f32')
    return module(mesh, '''  func.func @main(%%a: %s %s) -> (%s %s) {
    %%r = "stablehlo.sort"(%%a) <{dimension = %d : i64, is_stable = true}> ({
    ^bb0(%%p: tensor<f32>, %%q: tensor<f32>):
      %%s = stablehlo.compare LT, %%p, %%q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %%s : tensor<i1>
    }) : (%s) -> %s
    return %%r : %s
  }
''' % (tx, sharding(axes), tx, sharding(axes), rng.randint(0, 1), tx, tx, tx))


PROGRAMS = {f.__name__[:-8]: f for f in
            [pad_program, slice_program, reverse_program, concatenate_program, reduce_window_program, convolution_program, kernel_gradient_program,
             select_and_scatter_program, dynamic_slice_program, dynamic_update_slice_program, sort_program]}


def run(*args):
    return subprocess.run([WEFT] + [str(a) for a in args], capture_output=True, text=True)


def check(tmp_path, text):
    file, data = tmp_path / 'p.mlir', tmp_path / 'data'
    file.write_text(text)
    data.mkdir(exist_ok=True)
    fill = ['--fill=0=normal'] if 'xf32>' in text else []
    one = run('run', file, '--devices=1', '--outputs=%s' % data, *fill)
    assert one.returncode == 0, one.stderr + text
    many = run('run', file, '--compare=%s' % data, *fill)
    assert many.returncode == 0, many.stderr + many.stdout + text


@pytest.mark.parametrize('mesh', MESHES, ids=lambda m: 'x'.join(str(s) for _, s in m))
@pytest.mark.parametrize('name', PROGRAMS)
def test_as_on_one_device(tmp_path, name, mesh):
    for i in range(int(os.environ.get('WEFT_CASES', 4 * int(os.environ.get('WEFT_LONG', '1'))))):
        rng = Shapes('%d %s %s %d' % (SEED, name, mesh, i))
        rng.ragged = i % 2 == 1
        try:
            check(tmp_path, PROGRAMS[name](rng, mesh))
        except AssertionError as e:
            raise AssertionError('%s, case %d of seed %d: %s' % (name, i, SEED, e))


# On four devices: the op on %a, %a's dimensions, the result's, and the bytes that a device sends (f32). A gather of %a sends three parts.
COUNTED = [
    ('stablehlo.pad %a, %z, low = [2, 0], high = [-2, 0], interior = [0, 0]', [16, 3], [16, 3], 2 * 3 * 4),
    ('stablehlo.pad %a, %z, low = [0, 1], high = [0, 1], interior = [0, 0]', [16, 3], [16, 5], 0),
    ('stablehlo.pad %a, %z, low = [4, 0], high = [4, 0], interior = [0, 0]', [8, 3], [16, 3], 2 * 3 * 4),
    ('stablehlo.slice %a [0:16:2, 0:3]', [16, 3], [8, 3], 0),
    ('stablehlo.slice %a [4:12, 0:3]', [16, 3], [8, 3], 2 * 3 * 4),
    ('stablehlo.reverse %a, dims = [0]', [16, 3], [16, 3], 4 * 3 * 4),
    ('stablehlo.reverse %a, dims = [0, 1]', [16, 3], [16, 3], 4 * 3 * 4),
    ('stablehlo.reverse %a, dims = [0]', [15, 3], [15, 3], (3 + 1) * 3 * 4),
    ('stablehlo.concatenate %a, %a, dim = 0', [8, 3], [16, 3], 2 * 2 * 3 * 4),
]


@pytest.mark.parametrize('op, x, y, sent', COUNTED, ids=lambda v: v.split()[0].split('.')[1] if isinstance(v, str) else None)
def test_bytes(tmp_path, op, x, y, sent):
    """What the dry run says and a run counts."""
    file, cut = tmp_path / 'p.mlir', sharding([['x'], []])
    tx, ty = tensor(x, 'f32'), tensor(y, 'f32')
    operands = {'pad': tx + ', tensor<f32>', 'concatenate': tx + ', ' + tx}.get(op.split()[0][10:], tx)
    kind = tx if 'reverse' in op else '(%s) -> %s' % (operands, ty)
    file.write_text(module([('x', 4)], """  func.func @main(%%a: %s %s) -> (%s %s) {
    %%z = stablehlo.constant dense<1.5> : tensor<f32>
    %%r = %s : %s
    return %%r : %s
  }
""" % (tx, cut, ty, cut, op, kind, ty)))
    counted = run('run', '--count', file)
    assert counted.returncode == 0, counted.stderr
    assert 'counted per device: wire_bytes %d,' % sent in counted.stdout
    assert json.loads(run('dryrun', '--json', file).stdout)['wire_bytes'] == sent
    check(tmp_path, file.read_text())


# Rows and columns of an image, its padding, window strides and dilations of a gradient of a kernel, and what of it a device fetches.
GRADIENTS = [
    ('as large', 32, 32, (1, 1), 1, 1, 3, 2),
    ('smaller by a kernel', 32, 30, (0, 0), 1, 1, 3, 2),
    ('of every second pixel', 32, 16, (1, 2), 1, 2, 5, 3),
    ('of a dilated kernel', 32, 32, (2, 2), 2, 1, 3, 4),
]


@pytest.mark.parametrize('what, size, window, pad, stride, dilation, out, rows', GRADIENTS, ids=lambda v: v.replace(' ', '_') if isinstance(v, str) else '')
def test_gradient_of_a_kernel_is_a_sum(tmp_path, what, size, window, pad, stride, dilation, out, rows):
    """Four devices fetch rows of the image from their neighbours and add up small results; nothing is gathered."""
    file, cut = tmp_path / 'p.mlir', sharding([[], ['x'], [], []])
    tx, tk, ty = tensor([4, size, 8, 2], 'f32'), tensor([4, window, 8, 3], 'f32'), tensor([out, 1, 2, 3], 'f32')
    file.write_text(module([('x', 4)], """  func.func @main(%%a: %s %s, %%k: %s %s) -> %s {
    %%r = stablehlo.convolution(%%a, %%k) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [%d, 1], pad = [[%d, %d], [0, 0]], rhs_dilate = [%d, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (%s, %s) -> %s
    return %%r : %s
  }
""" % (tx, cut, tk, cut, ty, stride, *pad, dilation, tx, tk, ty, ty)))
    sent = rows * 4 * 8 * 2 * 4 + 2 * 3 * out * 2 * 3 * 4 // 4
    assert 'all_gather' not in run('opt', '--weft-partition', file).stdout
    assert json.loads(run('dryrun', '--json', file).stdout)['wire_bytes'] == sent
    check(tmp_path, file.read_text())


# What need not go to one device: on four, %a f32, the op, its result's sizes, whether that is cut, and the bytes that a device sends.
MOVED = {
    'a slice of 2 rows, summed': ([64, 6], '''%r = stablehlo.dynamic_slice %a, %i, %z, sizes = [2, 6] : (tensor<64x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>''', [2, 6], False,
                                  2 * 3 * 2 * 6 * 4 // 4),
    'an update of 3 rows': ([64, 6], '''%u = stablehlo.constant dense<2.0> : tensor<3x6xf32>
    %r = stablehlo.dynamic_update_slice %a, %u, %i, %z : (tensor<64x6xf32>, tensor<3x6xf32>, tensor<i32>, tensor<i32>) -> tensor<64x6xf32>''', [64, 6], True, 0),
    'a sort, by way of the columns': ([64, 8], '''%r = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
    }) : (tensor<64x8xf32>) -> tensor<64x8xf32>''', [64, 8], True, 2 * 3 * 16 * 8 * 4 // 4),
    'a rotation of what four do not divide': ([30, 6], '''%p = stablehlo.slice %a [29:30, 0:6] : (tensor<30x6xf32>) -> tensor<1x6xf32>
    %q = stablehlo.slice %a [0:29, 0:6] : (tensor<30x6xf32>) -> tensor<29x6xf32>
    %r = stablehlo.concatenate %p, %q, dim = 0 : (tensor<1x6xf32>, tensor<29x6xf32>) -> tensor<30x6xf32>''', [30, 6], True, 6 * 4),
    'sums before differences': ([64, 6], '''%p = stablehlo.slice %a [0:64:2, 0:6] : (tensor<64x6xf32>) -> tensor<32x6xf32>
    %q = stablehlo.slice %a [1:64:2, 0:6] : (tensor<64x6xf32>) -> tensor<32x6xf32>
    %s = stablehlo.add %p, %q : tensor<32x6xf32>
    %d = stablehlo.subtract %p, %q : tensor<32x6xf32>
    %r = stablehlo.concatenate %s, %d, dim = 0 : (tensor<32x6xf32>, tensor<32x6xf32>) -> tensor<64x6xf32>''', [64, 6], True, 2 * 8 * 6 * 4),
    'the last row added to the first': ([64, 6], '''%p = stablehlo.slice %a [0:1, 0:6] : (tensor<64x6xf32>) -> tensor<1x6xf32>
    %q = stablehlo.slice %a [63:64, 0:6] : (tensor<64x6xf32>) -> tensor<1x6xf32>
    %s = stablehlo.add %p, %q : tensor<1x6xf32>
    %r = stablehlo.dynamic_update_slice %a, %s, %z, %z : (tensor<64x6xf32>, tensor<1x6xf32>, tensor<i32>, tensor<i32>) -> tensor<64x6xf32>''', [64, 6], True, 6 * 4),
    'sums so far': ([62, 3], '''%c = stablehlo.constant dense<0.0> : tensor<f32>
    %r = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 62, 1>, padding = dense<[[61, 0], [0, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<62x3xf32>, tensor<f32>) -> tensor<62x3xf32>''', [62, 3], True, 3 * 3 * 4),
}


@pytest.mark.parametrize('what', MOVED)
def test_bytes_of_what_moves(tmp_path, what):
    x, op, y, cut, sent = MOVED[what]
    file, tx, ty = tmp_path / 'p.mlir', tensor(x, 'f32'), tensor(y, 'f32')
    file.write_text(module([('x', 4)], """  func.func @main(%%a: %s %s) -> (%s %s) {
    %%i = stablehlo.constant dense<29> : tensor<i32>
    %%z = stablehlo.constant dense<0> : tensor<i32>
    %s
    return %%r : %s
  }
""" % (tx, sharding([['x'], []]), ty, sharding([['x'], []]) if cut else '', op, ty)))
    assert json.loads(run('dryrun', '--json', file).stdout)['wire_bytes'] == sent
    check(tmp_path, file.read_text())


NEIGHBOURS = ['pad', 'slice', 'reverse', 'concatenate', 'reduce_window', 'convolution', 'select_and_scatter']


@pytest.mark.parametrize('name', NEIGHBOURS)
def test_nothing_is_gathered(tmp_path, name):
    """Windows of a dilated operand are left out: their strides may not lead from part to part. So are a few elements, which are as well gathered."""
    for i in range(12):
        file, rng = tmp_path / 'p.mlir', Shapes('%d %s %d' % (SEED, name, i))
        rng.ragged = i % 2 == 1
        text = PROGRAMS[name](rng, [('x', 4)])
        if 'dilate = ' in text and 'lhs_dilate = [1, 1]' not in text or 'base_dilations' in text and 'base_dilations = array<i64: 1, 1>' not in text:
            continue
        if math.prod(int(d) for d in re.search(r'tensor<((?:\d+x)+)', text).group(1).split('x')[:-1]) < 16:
            continue
        file.write_text(text)
        out = run('opt', '--weft-partition', file)
        assert out.returncode == 0, out.stderr
        assert 'all_gather' not in out.stdout, text
