"""Fourier transforms along cut dimensions: on many devices as on one, to rounding, and without a gather.

Random programs of one op each, of all kinds, over one to three dimensions of which one or two are cut; WEFT_SEED and WEFT_CASES choose others. A
plan makes the op stay along the cut dimensions also where it would not pay. Those that cut the dimension in which a transform has real numbers on
one side, and half as many complex ones on the other, are compared with NumPy too.
"""
import json
import os
import random

import numpy as np
import pytest

from test_sorts import axes_text, plan_of, run, sharding, tensor

SEED = int(os.environ.get('WEFT_SEED', '20261128'))
CASES = int(os.environ.get('WEFT_CASES', 6 * int(os.environ.get('WEFT_LONG', '1'))))
MESHES = [[('x', 2)], [('x', 3)], [('x', 4)], [('x', 8)], [('x', 2), ('y', 2)], [('x', 2), ('y', 3)]]


def text_of(mesh, kind, dims, over, axes, wide):
    """One transform over the last dimensions of a value; dims: of the real numbers, where there are such."""
    x, y = list(dims), list(dims)
    if kind == 'RFFT':
        y[-1] = dims[-1] // 2 + 1
    if kind == 'IRFFT':
        x[-1] = dims[-1] // 2 + 1
    number, pair = ('f64', 'complex<f64>') if wide else ('f32', 'complex<f32>')
    tx, ty = tensor(x, number if kind == 'RFFT' else pair), tensor(y, number if kind == 'IRFFT' else pair)
    ta = tensor(x, number)
    given = '' if kind == 'RFFT' else '%%c = stablehlo.complex %%a, %%b : %s' % tx
    return '''sdy.mesh @mesh = <[%s]>
func.func @main(%%a: %s %s, %%b: %s %s) -> (%s %s) {
    %s
    %%r = stablehlo.fft %s, type = %s, length = [%s] : (%s) -> %s
    return %%r : %s
}
''' % (', '.join('"%s"=%d' % a for a in mesh), ta, sharding(axes), ta, sharding(axes), ty, sharding(axes), given, '%a' if kind == 'RFFT' else '%c', kind,
       ', '.join(map(str, dims[len(dims) - over:])), tx, ty, ty)


def program(rng, mesh):
    """Each axis is on a transformed dimension that keeps its size, or on a batch dimension; one at least is on the former."""
    kind = rng.choice(['FFT', 'FFT', 'IFFT', 'RFFT', 'IRFFT'])
    real, over = 'R' in kind, rng.randint(1, 3)
    over = max(over, 2) if real else over
    rank = over + rng.randint(0, 1)
    first, last = rank - over, rank - 1
    may = list(range(first, last if real else rank))
    axes, size = [[] for _ in range(rank)], dict(mesh)
    for n, (a, _) in enumerate(mesh):
        axes[rng.choice(may if n == 0 else may + list(range(first)))].append(a)
    total = 1
    for _, s in mesh:
        total *= s
    dims = []
    for d in range(rank):
        shards = 1
        for a in axes[d]:
            shards *= size[a]
        # in four steps a part is a multiple of the devices; to another dimension that is one
        dims.append(shards * shards * rng.randint(1, 3) if shards > 1 else rng.choice([1, total * rng.randint(1, 2), rng.randint(1, 9)]))
    return text_of(mesh, kind, dims, over, axes, rng.random() < 0.3), '<@mesh, %s>' % axes_text(axes)


@pytest.mark.parametrize('mesh', MESHES, ids=lambda m: 'x'.join(str(s) for _, s in m))
def test_as_on_one_device(tmp_path, mesh):
    done = 0
    for i in range(3 * CASES):
        rng = random.Random('%d %s %d' % (SEED, mesh, i))
        text, placed = program(rng, mesh)
        file, data, plan = tmp_path / 'p.mlir', tmp_path / 'data', tmp_path / 'plan'
        file.write_text(text)
        data.mkdir(exist_ok=True)
        plan.write_text(plan_of(file, 'stablehlo.fft', placed, placed))
        local = run('opt', '--weft-partition=plan=%s' % plan, file)
        assert local.returncode == 0, 'case %d of seed %d: %s' % (i, SEED, local.stderr + text)
        assert 'all_gather' not in local.stdout, text
        one = run('run', file, '--devices=1', '--outputs=%s' % data)
        assert one.returncode == 0, one.stderr + text
        many = run('run', file, '--plan=%s' % plan, '--compare=%s' % data)
        assert many.returncode == 0, 'case %d of seed %d: %s' % (i, SEED, many.stderr + many.stdout + text)
        done += 'all_to_all' in local.stdout
    assert done > CASES


LINE = '''sdy.mesh @mesh = <["x"=%d]>
func.func @main(%%a: %s {sdy.sharding = #sdy.sharding<@mesh, %s>}) -> (%s {sdy.sharding = #sdy.sharding<@mesh, %s>}) {
  %%r = stablehlo.fft %%a, type = FFT, length = [%s] : (%s) -> %s
  return %%r : %s
}
'''


@pytest.mark.parametrize('devices, dims, axes, over, moves', [(4, [4096], '[{"x"}]', 1, 3), (8, [4096], '[{"x"}]', 1, 3), (4, [64, 64], '[{"x"}, {}]', 2, 2),
                                                              (4, [8, 256], '[{}, {"x"}]', 1, 2)])
def test_bytes(tmp_path, devices, dims, axes, over, moves):
    """Two all_to_alls where there is another dimension, three of a line; a gather sends the parts of all others."""
    file, t = tmp_path / 'p.mlir', tensor(dims, 'complex<f32>')
    file.write_text(LINE % (devices, t, axes, t, axes, ', '.join(map(str, dims[-over:])), t, t, t))
    whole = 8
    for n in dims:
        whole *= n
    said = run('dryrun', '--json', file)
    assert 'warning' not in said.stderr
    assert json.loads(said.stdout)['wire_bytes'] == moves * whole * (devices - 1) // devices ** 2 < whole * (devices - 1) // devices
    verified = run('verify', file)
    assert verified.returncode == 0, verified.stdout + verified.stderr


def shards_of(mesh, dim):
    return int(np.prod([dict(mesh)[a] for a in dim], dtype=int))


def uneven_program(rng, mesh):
    """The last dimension, mostly of real numbers, has the first axis at least; its size is anything."""
    over = rng.choice([1, 1, 2])
    rank = over + rng.choice([0, 0, 1])
    axes = [[] for _ in range(rank)]
    for n, (a, _) in enumerate(mesh):
        axes[-1 if n == 0 or rng.random() < 0.5 else rng.randint(0, rank - 1)].append(a)
    if rng.random() < 0.3:
        axes[-1].reverse()
    dims = []
    for d in range(rank - 1):
        shards = shards_of(mesh, axes[d])
        dims.append(shards * shards * rng.randint(1, 2) if shards > 1 else rng.randint(1, 9))
    shards = shards_of(mesh, axes[-1])
    dims.append(rng.choice([2 * shards * rng.randint(1, 80), shards * rng.randint(2, 160), rng.randint(8, 900), 4 * shards * shards * rng.randint(1, 12),
                            rng.choice([1024, 4096, 1000, 2310, 3003, 945])]))
    return rng.choice(['RFFT', 'RFFT', 'IRFFT', 'IRFFT', 'FFT', 'IFFT']), dims, over, axes, rng.random() < 0.4


def gathered(mesh, kind, dims, axes, wide):
    """Bytes that a device sends to have the last dimension of the operand whole."""
    shards = shards_of(mesh, axes[-1])
    part = -(-dims[-1] // shards) if kind == 'RFFT' else 2 * -(-(dims[-1] // 2 + 1) // shards)
    return int(np.prod(dims[:-1], dtype=int)) * part * (shards - 1) * (8 if wide else 4)


def check_error(got, given, kind, dims, over, wide, what):
    """As tests/codegen/test_fft.c: by the largest number of the transform."""
    over_axes = list(range(len(dims) - over, len(dims)))
    real, imag = (x.astype(np.longdouble) for x in given)
    transform = {'FFT': np.fft.fftn, 'IFFT': np.fft.ifftn, 'RFFT': np.fft.rfftn, 'IRFFT': np.fft.irfftn}[kind]
    want = transform(real if kind == 'RFFT' else real + 1j * imag, dims[-over:], over_axes)
    limit = (16 * 2.0 ** -53 if wide else 8 * 2.0 ** -24) * np.abs(want).max()
    off = np.abs(got - want).max()
    assert off <= limit, '%s: %g is more than %g' % (what, off, limit)


@pytest.mark.parametrize('mesh', MESHES + [[('x', 5)], [('x', 6)], [('x', 7)], [('x', 4), ('y', 2)]], ids=lambda m: 'x'.join(str(s) for _, s in m))
def test_any_sizes(tmp_path, mesh):
    """On many devices as in exact arithmetic, without a gather and with no more bytes; where that cannot be it is gathered."""
    file, plan, given_at, got_at = tmp_path / 'p.mlir', tmp_path / 'plan', tmp_path / 'in', tmp_path / 'out'
    given_at.mkdir()
    ways = {'columns': 0, 'steps': 0, 'moved': 0, 'gathered': 0}
    for i in range(3 * CASES):
        rng = random.Random('%d %s any %d' % (SEED, mesh, i))
        kind, dims, over, axes, wide = uneven_program(rng, mesh)
        text, placed = text_of(mesh, kind, dims, over, axes, wide), '<@mesh, %s>' % axes_text(axes)
        what = 'case %d of seed %d: %s' % (i, SEED, text)
        real = 'R' in kind
        shape = dims if kind != 'IRFFT' else dims[:-1] + [dims[-1] // 2 + 1]
        normal = np.random.default_rng(SEED + i).standard_normal
        given = [normal(shape).astype(np.float64 if wide else np.float32) for _ in range(2)]
        for k in range(2):
            np.save(given_at / ('in%d.npy' % k), given[k])
        file.write_text(text)
        plan.write_text(plan_of(file, 'stablehlo.fft', placed, placed))
        local = run('opt', '--weft-partition=plan=%s' % plan, file)
        follow = ['--plan=%s' % plan]
        if local.returncode:
            assert 'cannot have its operands and results so' in local.stderr, local.stderr + what
            local, follow = run('opt', '--weft-partition', file), []
            assert local.returncode == 0, local.stderr + what
            ways['gathered'] += 1
        else:
            assert 'all_gather' not in local.stdout, what
            ways['moved' if local.stdout.count('stablehlo.all_to_all') <= 2 else 'columns' if real else 'steps'] += 1
            sent = json.loads(run('dryrun', '--json', *follow, file).stdout)['wire_bytes']
            assert any(axes[:-1]) or not real or sent <= gathered(mesh, kind, dims, axes, wide), what
        ran = run('run', file, *follow, '--inputs=%s' % given_at, '--outputs=%s' % got_at)
        assert ran.returncode == 0, ran.stderr + what
        check_error(np.load(got_at / 'out0.npy'), given, kind, dims, over, wide, what)
    devices = int(np.prod([s for _, s in mesh]))
    assert (devices == 2 or ways['moved']) and (devices < 5 or ways['columns']), ways


REAL = '''sdy.mesh @mesh = <["x"=%d]>
func.func @main(%%a: %s {sdy.sharding = #sdy.sharding<@mesh, %s>}) -> (%s {sdy.sharding = #sdy.sharding<@mesh, %s>}) {
  %%r = stablehlo.fft %%a, type = %s, length = [%s] : (%s) -> %s
  return %%r : %s
}
'''


@pytest.mark.parametrize('kind', ['RFFT', 'IRFFT'])
@pytest.mark.parametrize('devices, dims, axes, over, moves', [(4, [65536], '[{"x"}]', 1, 3), (8, [65536], '[{"x"}]', 1, 3), (6, [65520], '[{"x"}]', 1, 3),
                                                              (4, [64, 4096], '[{}, {"x"}]', 2, 2), (8, [64, 4096], '[{}, {"x"}]', 2, 2),
                                                              (8, [64, 4096], '[{}, {"x"}]', 1, 2), (4, [6, 4096], '[{}, {"x"}]', 2, 8 / 3)])
def test_bytes_of_real_numbers(tmp_path, kind, devices, dims, axes, over, moves):
    """Parts as often as complex numbers, of half of their bytes, but for a hundredth that ends between parts; and no warning."""
    file = tmp_path / 'p.mlir'
    real, half = tensor(dims, 'f32'), tensor(dims[:-1] + [dims[-1] // 2 + 1], 'complex<f32>')
    x, y = (real, half) if kind == 'RFFT' else (half, real)
    file.write_text(REAL % (devices, x, axes, y, axes, kind, ', '.join(map(str, dims[-over:])), x, y, y))
    said = run('dryrun', '--json', file)
    assert 'warning' not in said.stderr
    all_but_one = 4 * int(np.prod(dims)) * (devices - 1) / devices
    sent = json.loads(said.stdout)['wire_bytes']
    assert sent <= 1.015 * moves * all_but_one / devices < all_but_one
    verified = run('verify', file)
    assert verified.returncode == 0, verified.stdout + verified.stderr


@pytest.mark.parametrize('kind', ['RFFT', 'IRFFT'])
@pytest.mark.parametrize('devices, n, why', [(2, 65536, 'three times half of the parts are more than the other part'), (3, 65536 * 3, 'three times two thirds'),
                                             (4, 65537, 'a prime has no columns'), (8, 64, 'a short line is more halo than line')])
def test_gathered_and_told(tmp_path, kind, devices, n, why):
    """What does not pay, or cannot be, is gathered, and told where it takes longer than a call."""
    file = tmp_path / 'p.mlir'
    real, half = tensor([n], 'f32'), tensor([n // 2 + 1], 'complex<f32>')
    x, y = (real, half) if kind == 'RFFT' else (half, real)
    file.write_text(REAL % (devices, x, '[{"x"}]', y, '[{"x"}]', kind, n, x, y, y))
    local = run('opt', '--weft-partition', file)
    assert 'all_gather' in local.stdout and 'all_to_all' not in local.stdout
    told = "'stablehlo.fft' gathers '%s' over \"x\"=%d" % (x, devices) in local.stderr and 'for it needs dimension 0 whole [fallback]' in local.stderr
    assert told if n > 64 else not local.stderr


PRODUCT = '''sdy.mesh @mesh = <%(mesh)s>
func.func @main(%%a: %(real)s %(at)s, %%b: %(real)s %(at)s) -> (%(real)s %(at)s) {
  %%p = stablehlo.fft %%a, type = RFFT, length = [%(n)d] : (%(real)s) -> %(half)s
  %%q = stablehlo.fft %%b, type = RFFT, length = [%(n)d] : (%(real)s) -> %(half)s
  %%s = stablehlo.multiply %%p, %%q : %(half)s
  %%r = stablehlo.fft %%s, type = IRFFT, length = [%(n)d] : (%(half)s) -> %(real)s
  return %%r : %(real)s
}
'''


@pytest.mark.parametrize('mesh, axes, devices', [('["x"=8]', '"x"', 8), ('["x"=2, "y"=4], device_ids=[3, 1, 0, 2, 7, 5, 6, 4]', '"y", "x"', 8),
                                                 ('["x"=12]', '"x":(1)6', 6)])
def test_of_a_product_of_transforms(tmp_path, mesh, axes, devices):
    """What is between two transforms has no sharding of its own and stays in parts, over any devices."""
    n, file = 65520, tmp_path / 'p.mlir'
    real, half = tensor([n], 'f32'), tensor([n // 2 + 1], 'complex<f32>')
    file.write_text(PRODUCT % {'mesh': mesh, 'real': real, 'half': half, 'n': n, 'at': '{sdy.sharding = #sdy.sharding<@mesh, [{%s}]>}' % axes})
    assert 'all_gather' not in run('opt', '--weft-partition', file).stdout
    assert json.loads(run('dryrun', '--json', file).stdout)['wire_bytes'] <= 1.015 * 3 * 3 * 4 * n * (devices - 1) // devices ** 2
    verified = run('verify', file)
    assert verified.returncode == 0, verified.stdout + verified.stderr


SQUARES = '''sdy.mesh @mesh = <["x"=8]>
func.func @main(%%a: %(real)s {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<f32> {
  %%p = stablehlo.fft %%a, type = RFFT, length = [%(n)d] : (%(real)s) -> %(half)s
  %%q = stablehlo.multiply %%p, %%p : %(half)s
  %%r = stablehlo.fft %%q, type = IRFFT, length = [%(n)d] : (%(half)s) -> %(real)s
  %%s = stablehlo.multiply %%r, %%r : %(real)s
  %%z = stablehlo.constant dense<0.0> : tensor<f32>
  %%l = stablehlo.reduce(%%s init: %%z) applies stablehlo.add across dimensions = [0] : (%(real)s, tensor<f32>) -> tensor<f32>
  return %%l : tensor<f32>
}
'''


def test_gradients(tmp_path):
    """The gradient of transforms of real numbers is transforms of real and of complex ones, in parts as they are."""
    n, file, both = 65536, tmp_path / 'p.mlir', tmp_path / 'both.mlir'
    file.write_text(SQUARES % {'real': tensor([n], 'f32'), 'half': tensor([n // 2 + 1], 'complex<f32>'), 'n': n})
    made = run('opt', '--weft-differentiate=of=0 wrt=0', file)
    assert made.returncode == 0, made.stderr
    both.write_text(made.stdout)
    assert 'all_gather' not in run('opt', '--weft-partition', both).stdout
    verified = run('verify', both)
    assert verified.returncode == 0, verified.stdout + verified.stderr
