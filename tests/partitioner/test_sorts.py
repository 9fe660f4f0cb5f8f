"""Sorts and the k largest along a cut dimension: on many devices as on one, to the last bit, equal elements in their order.

Random programs of one op each: several operands, comparators of keys and others, numbers that are equal, NaNs, sizes that the devices divide and
others, down to fewer elements than devices; WEFT_SEED and WEFT_CASES choose others. A plan makes the op stay along the cut dimension also where
it would not pay. Each sort carries the numbers of its elements, which are compared too.
"""
import json
import os
import random
import re
import subprocess

import pytest

WEFT = os.environ.get('WEFT', os.path.join(os.environ.get('top_builddir', os.getcwd()), 'weft'))
SEED = int(os.environ.get('WEFT_SEED', '20261128'))
MESHES = [[('x', 2)], [('x', 3)], [('x', 4)], [('x', 8)], [('x', 2), ('y', 2)], [('x', 2), ('y', 3)]]
CASES = int(os.environ.get('WEFT_CASES', 6 * int(os.environ.get('WEFT_LONG', '1'))))


def run(*args):
    return subprocess.run([WEFT] + [str(a) for a in args], capture_output=True, text=True)


def tensor(dims, dtype):
    return 'tensor<' + ''.join('%dx' % d for d in dims) + dtype + '>'


def axes_text(axes):
    return '[%s]' % ', '.join('{%s}' % ', '.join('"%s"' % a for a in dim) for dim in axes)


def sharding(axes):
    return '{sdy.sharding = #sdy.sharding<@mesh, %s>}' % axes_text(axes)


def layout(rng, mesh):
    """Sizes, the axes of each dimension, and the dimension that is sorted along; it has at least one axis."""
    rank = rng.randint(1, 3)
    d = rng.randint(0, rank - 1)
    axes = [[] for _ in range(rank)]
    for a, _ in mesh:
        axes[d if rank == 1 or not axes[d] or rng.random() < 0.5 else rng.randint(0, rank - 1)].append(a)
    if rng.random() < 0.3:
        axes[d].reverse()
    dims = [rng.choice([1, 2, 4, 6]) for _ in range(rank)]
    sizes = dict(mesh)
    for k in range(rank):
        for a in axes[k]:
            if k != d and dims[k] % sizes[a]:
                dims[k] *= sizes[a]
    shards = 1
    for a in axes[d]:
        shards *= sizes[a]
    most = rng.choice([1, 3, 40, 300])
    dims[d] = max(2 if len(axes[d]) == 1 else 4, rng.choice([shards * rng.randint(1, most), rng.randint(1, shards * most)]))
    return dims, axes, d


# The key's element type, how it is made of the whole numbers %a from 0 to 7, and "%p before %q"
LESS = {
    'lower': ('i32', '', '%g = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>'),
    'higher': ('i8', '', '%g = stablehlo.compare GT, %p, %q : (tensor<i8>, tensor<i8>) -> tensor<i1>'),
    'unsigned': ('ui16', '', '%g = stablehlo.compare LT, %p, %q : (tensor<ui16>, tensor<ui16>) -> tensor<i1>'),
    'float': ('f32', 'root', '%g = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>'),
    'half': ('bf16', 'root', '%g = stablehlo.compare GT, %p, %q, TOTALORDER : (tensor<bf16>, tensor<bf16>) -> tensor<i1>'),
    'double': ('f64', 'root', '%g = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f64>, tensor<f64>) -> tensor<i1>'),
    'of a remainder': ('i32', '', '''%three = stablehlo.constant dense<3> : tensor<i32>
    %x = stablehlo.remainder %p, %three : tensor<i32>
    %y = stablehlo.remainder %q, %three : tensor<i32>
    %g = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>'''),
    'never': ('i32', '', '%g = stablehlo.compare LT, %p, %p : (tensor<i32>, tensor<i32>) -> tensor<i1>'),
}
NEEDS = {'root': '''%c{0} = stablehlo.convert %a : ({1}) -> {2}
    %three{0} = stablehlo.constant dense<3.0> : {2}
    %s{0} = stablehlo.subtract %c{0}, %three{0} : {2}
    %k{0} = stablehlo.sqrt %s{0} : {2}''', '': '%k{0} = stablehlo.convert %a : ({1}) -> {2}'}


def sort_program(rng, mesh):
    dims, axes, d = layout(rng, mesh)
    dtype, made, less = LESS[rng.choice(list(LESS))]
    ta, tk, ti = tensor(dims, 'i32'), tensor(dims, dtype), tensor(dims, 'i32')
    more = [rng.choice(['f32', 'i8', 'i64', 'complex<f32>', 'i1']) for _ in range(rng.randint(0, 2))]
    order = list(range(2 + len(more)))
    rng.shuffle(order)
    names, types = ['%k0', '%i'], [tk, ti]
    lines = [NEEDS[made].format(0, ta, tk), '%%i = stablehlo.iota dim = %d : %s' % (d, ti)]
    for n, m in enumerate(more):
        t = tensor(dims, m)
        real = tensor(dims, 'f32')
        lines.append('%%m%d = stablehlo.convert %%a : (%s) -> %s' % (n, ta, real if 'complex' in m else t))
        if 'complex' in m:
            lines.append('%%z%d = stablehlo.complex %%m%d, %%m%d : %s' % (n, n, n, t))
        names.append('%%z%d' % n if 'complex' in m else '%%m%d' % n)
        types.append(t)
    args = []
    for o in order:
        scalar = re.sub(r'<(\d+x)+', '<', types[o])
        args += ['%%p%s: %s' % (o or '', scalar), '%%q%s: %s' % (o or '', scalar)]
    kinds = ', '.join(types[o] for o in order)
    cut = sharding(axes)
    text = '''sdy.mesh @mesh = <[%s]>
func.func @main(%%a: %s %s) -> (%s) {
    %s
    %%r:%d = "stablehlo.sort"(%s) <{dimension = %d : i64, is_stable = %s}> ({
    ^bb0(%s):
    %s
    stablehlo.return %%g : tensor<i1>
    }) : (%s) -> (%s)
    return %s : %s
}
''' % (', '.join('"%s"=%d' % a for a in mesh), ta, cut, ', '.join('%s %s' % (types[o], cut) for o in order), '\n    '.join(lines), len(order),
       ', '.join(names[o] for o in order), d, rng.choice(['true', 'true', 'false']), ', '.join(args), less, kinds, kinds,
       ', '.join('%%r#%d' % i for i in range(len(order))), kinds)
    placed = ', '.join('<@mesh, %s>' % axes_text(axes) for _ in order)
    return text, 'stablehlo.sort', placed, placed


def top_k_program(rng, mesh):
    dims, axes, d = layout(rng, mesh)
    dims.append(dims.pop(d))
    axes.append(axes.pop(d))
    dtype = rng.choice(['f32', 'i32', 'ui8', 'f64', 'bf16', 'i8'])
    k = rng.choice([1, rng.randint(1, dims[-1] - 1), dims[-1] - 1])
    ta, tk, few = tensor(dims, 'i32'), tensor(dims, dtype), dims[:-1] + [k]
    out = axes[:-1] + [[]]
    made = NEEDS['root' if 'f' in dtype else ''].format(0, ta, tk)
    text = '''sdy.mesh @mesh = <[%s]>
func.func @main(%%a: %s %s) -> (%s %s, %s %s) {
    %s
    %%v, %%i = chlo.top_k(%%k0, k = %d) : %s -> (%s, %s)
    return %%v, %%i : %s, %s
}
''' % (', '.join('"%s"=%d' % a for a in mesh), ta, sharding(axes), tensor(few, dtype), sharding(out), tensor(few, 'i32'), sharding(out), made, k, tk,
       tensor(few, dtype), tensor(few, 'i32'), tensor(few, dtype), tensor(few, 'i32'))
    return text, 'chlo.top_k', '<@mesh, %s>' % axes_text(axes), ', '.join(['<@mesh, %s>' % axes_text(out)] * 2)


def plan_of(file, op, operands, results):
    """The plan of the program, with the op's operands and results so."""
    lines = run('explain', '--plan', file).stdout.split('\n')
    out, inside = [], False
    for line in lines:
        if not line.startswith(' '):
            inside = ' = %s at ' % op in line
        if inside and line.startswith('  operands'):
            line = '  operands ' + operands
        if inside and line.startswith('  results'):
            line = '  results ' + results
        out.append(line)
    return '\n'.join(out)


def check(tmp_path, text, op, operands, results):
    file, data, plan = tmp_path / 'p.mlir', tmp_path / 'data', tmp_path / 'plan'
    file.write_text(text)
    data.mkdir(exist_ok=True)
    for old in data.iterdir():
        old.unlink()
    plan.write_text(plan_of(file, op, operands, results))
    local = run('opt', '--weft-partition=plan=%s' % plan, file)
    assert local.returncode == 0, local.stderr + text
    assert local.stdout.count('all_gather') or 'ragged_all_to_all' in local.stdout
    assert ('ragged_all_to_all' in local.stdout) == (op == 'stablehlo.sort'), text
    one = run('run', file, '--devices=1', '--outputs=%s' % data)
    assert one.returncode == 0, one.stderr + text
    many = run('run', file, '--plan=%s' % plan, '--compare=%s' % data, '--rtol=0', '--atol=0')
    assert many.returncode == 0, many.stderr + many.stdout + text + plan.read_text()


@pytest.mark.parametrize('mesh', MESHES, ids=lambda m: 'x'.join(str(s) for _, s in m))
@pytest.mark.parametrize('make', [sort_program, top_k_program], ids=['sort', 'top_k'])
def test_as_on_one_device(tmp_path, make, mesh):
    for i in range(CASES):
        rng = random.Random('%d %s %s %d' % (SEED, make.__name__, mesh, i))
        try:
            check(tmp_path, *make(rng, mesh))
        except AssertionError as e:
            raise AssertionError('case %d of seed %d: %s' % (i, SEED, e))


LINE = '''sdy.mesh @mesh = <["x"=%d]>
func.func @main(%%a: tensor<%dxf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<%dxf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %%r = "stablehlo.sort"(%%a) <{dimension = 0 : i64}> ({
  ^bb0(%%p: tensor<f32>, %%q: tensor<f32>):
    %%g = stablehlo.compare LT, %%p, %%q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %%g : tensor<i1>
  }) : (tensor<%dxf32>) -> tensor<%dxf32>
  return %%r : tensor<%dxf32>
}
'''


@pytest.mark.parametrize('devices, n', [(2, 1 << 16), (4, 1 << 16), (8, 1 << 16), (3, 50001), (16, 400003)])
def test_a_long_line_is_not_gathered(tmp_path, devices, n):
    """The planner chooses the exchange; a device sends about its part, where a gather sends the parts of all others, and says nothing of it."""
    file = tmp_path / 'p.mlir'
    file.write_text(LINE % ((devices,) + (n,) * 5))
    done = run('run', '--count', file)
    assert done.returncode == 0 and 'warning' not in done.stderr, done.stderr
    sent = int(re.search(r'wire_bytes (\d+)', done.stdout)[1])
    part = -(-n // devices) * 4
    assert sent < 2 * part, sent
    assert sent < (devices - 1) * part
    verified = run('verify', '--rtol=0', '--atol=0', file)
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_the_k_largest_send_k(tmp_path):
    file = tmp_path / 'p.mlir'
    file.write_text('''sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xi32>) {
  %v, %i = chlo.top_k(%a, k = 8) : tensor<4096xf32> -> (tensor<8xf32>, tensor<8xi32>)
  return %v, %i : tensor<8xf32>, tensor<8xi32>
}
''')
    assert json.loads(run('dryrun', '--json', file).stdout)['wire_bytes'] == 3 * 8 * (4 + 4)
    verified = run('verify', '--rtol=0', '--atol=0', file)
    assert verified.returncode == 0, verified.stdout + verified.stderr


@pytest.mark.parametrize('ends', ['ascending', 'descending', 'equal', 'one device has all of the least'])
def test_orders_that_are_uneven(tmp_path, ends):
    """Parts that go whole to other devices, or to one."""
    import numpy as np
    n, devices = 8192, 4
    file, data = tmp_path / 'p.mlir', tmp_path / 'data'
    file.write_text(LINE % ((devices,) + (n,) * 5))
    x = np.arange(n, dtype='float32')
    x = {'ascending': x, 'descending': x[::-1], 'equal': x * 0, 'one device has all of the least': np.roll(x, n // 4)}[ends]
    data.mkdir()
    np.save(data / 'in0.npy', np.ascontiguousarray(x))
    verified = run('verify', '--rtol=0', '--atol=0', '--inputs=%s' % data, file)
    assert verified.returncode == 0, verified.stdout + verified.stderr
