"""Fourier transforms along cut dimensions: on many devices as on one, to rounding, and without a gather.

Random programs of one op each, of all kinds, over one to three dimensions of which one or two are cut; WEFT_SEED and WEFT_CASES choose others. A
plan makes the op stay along the cut dimensions also where it would not pay.
"""
import os
import random

import pytest

from test_sorts import axes_text, plan_of, run, sharding, tensor

SEED = int(os.environ.get('WEFT_SEED', '20261128'))
CASES = int(os.environ.get('WEFT_CASES', 6 * int(os.environ.get('WEFT_LONG', '1'))))
MESHES = [[('x', 2)], [('x', 3)], [('x', 4)], [('x', 8)], [('x', 2), ('y', 2)], [('x', 2), ('y', 3)]]


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
    x, y = list(dims), list(dims)
    if kind == 'RFFT':
        y[-1] = dims[-1] // 2 + 1
    if kind == 'IRFFT':
        x[-1] = dims[-1] // 2 + 1
    wide = rng.random() < 0.3
    number, pair = ('f64', 'complex<f64>') if wide else ('f32', 'complex<f32>')
    tx, ty = tensor(x, number if kind == 'RFFT' else pair), tensor(y, number if kind == 'IRFFT' else pair)
    ta = tensor(x, number)
    given = '' if kind == 'RFFT' else '%%c = stablehlo.complex %%a, %%b : %s' % tx
    text = '''sdy.mesh @mesh = <[%s]>
func.func @main(%%a: %s %s, %%b: %s %s) -> (%s %s) {
    %s
    %%r = stablehlo.fft %s, type = %s, length = [%s] : (%s) -> %s
    return %%r : %s
}
''' % (', '.join('"%s"=%d' % a for a in mesh), ta, sharding(axes), ta, sharding(axes), ty, sharding(axes), given, '%a' if kind == 'RFFT' else '%c', kind,
       ', '.join(map(str, dims[first:])), tx, ty, ty)
    return text, '<@mesh, %s>' % axes_text(axes)


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
    import json
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
