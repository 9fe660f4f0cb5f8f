"""Programs whose shardings are over several meshes of the same devices, and cut an axis in ways that do not fit together.

Random ones are compared with one device by `weft verify`; manual computations, which have no one-device form, with numpy.

    python tests/partitioner/test_meshes.py FIRST COUNT     more seeds
"""
import os
import random
import subprocess
import sys

import numpy as np
import pytest

TOP = os.environ.get('top_builddir', os.getcwd())
WEFT = os.environ.get('WEFT', os.path.join(TOP, 'weft'))
SEED = int(os.environ.get('WEFT_SEED', '1'))
FACTORS = {6: [[6], [2, 3], [3, 2]], 8: [[8], [2, 4], [4, 2], [2, 2, 2]], 12: [[12], [3, 4], [2, 6], [6, 2], [2, 2, 3]], 4: [[4], [2, 2]]}
DIMS = [6, 8, 12, 24, 5]


def draw_mesh(r, devices):
    sizes = r.choice(FACTORS[devices])
    names = r.sample(['x', 'y', 'z', 'w'], len(sizes))
    ids = r.sample(range(devices), devices) if r.random() < 0.3 else None
    return list(zip(names, sizes)), ids


def mesh_text(name, mesh):
    axes, ids = mesh
    return 'sdy.mesh @%s = <[%s]%s>' % (name, ', '.join('"%s"=%d' % a for a in axes), ', device_ids=%s' % ids if ids else '')


def parts_of(r, axis, size):
    """The axis whole, or cut into parts."""
    parts, before = [], 1
    while before < size:
        rest = size // before
        n = r.choice([d for d in range(2, rest + 1) if rest % d == 0])
        parts.append(('"%s"' % axis if n == size else '"%s":(%d)%d' % (axis, before, n), n))
        before *= n
    return parts


def draw_sharding(r, meshes, rank):
    name = r.choice(list(meshes))
    pieces = [p for a in meshes[name][0] for p in parts_of(r, *a)]
    neighbours = {pieces[i][0]: pieces[i + 1][0] for i in range(len(pieces) - 1)}
    r.shuffle(pieces)
    dims = [[] for _ in range(rank)]
    for text, _ in pieces:
        d = r.randrange(rank + 1)
        # what would be written as one axis is no list of two
        if d < rank and not (dims[d] and neighbours.get(dims[d][-1]) == text):
            dims[d].append(text)
    return '#sdy.sharding<@%s, [%s]>' % (name, ', '.join('{%s}' % ', '.join(d) for d in dims))


def draw_program(seed):
    r = random.Random(seed)
    devices = r.choice(list(FACTORS))
    meshes = {'m%d' % i: draw_mesh(r, devices) for i in range(r.randint(1, 3))}
    a, b, c = (r.choice(DIMS) for _ in range(3))
    t = lambda *dims: 'tensor<%sxf32>' % 'x'.join(map(str, dims))
    where = lambda rank: ' {sdy.sharding = %s}' % draw_sharding(r, meshes, rank) if r.random() < 0.8 else ''
    held = lambda x, to, kind, rank: '  %s = sdy.sharding_constraint %s %s : %s\n' % (to, x, draw_sharding(r, meshes, rank)[len('#sdy.sharding'):], kind)
    body = '  %%0 = stablehlo.dot_general %%p, %%q, contracting_dims = [1] x [0] : (%s, %s) -> %s\n' % (t(a, b), t(b, c), t(a, c))
    body += held('%0', '%1', t(a, c), 2) if r.random() < 0.6 else '  %%1 = stablehlo.tanh %%0 : %s\n' % t(a, c)
    body += '  %%2 = stablehlo.add %%1, %%s : %s\n' % t(a, c)
    body += '  %%3 = stablehlo.transpose %%2, dims = [1, 0] : (%s) -> %s\n' % (t(a, c), t(c, a))
    body += held('%3', '%4', t(c, a), 2) if r.random() < 0.5 else '  %%4 = stablehlo.negate %%3 : %s\n' % t(c, a)
    body += '  %%5 = stablehlo.reshape %%2 : (%s) -> %s\n' % (t(a, c), t(a * c))
    return '\n'.join(mesh_text(n, m) for n, m in meshes.items()) + '''
func.func @main(%%p: %s%s, %%q: %s%s, %%s: %s%s) -> (%s%s, %s%s, %s%s) {
%s  return %%4, %%5, %%s : %s, %s, %s
}
''' % (t(a, b), where(2), t(b, c), where(2), t(a, c), where(2), t(c, a), where(2), t(a * c), where(1), t(a, c), where(2), body, t(c, a), t(a * c), t(a, c))


def wrong(seed):
    text = draw_program(seed)
    r = subprocess.run([WEFT, 'verify', '--fill', '0-2=normal', '-'], input=text, capture_output=True, text=True)
    return None if r.returncode == 0 else 'seed %d: exit status %d\n%s%s' % (seed, r.returncode, r.stderr[:3000], text)


def test_random():
    found = [w for w in (wrong(seed) for seed in range(1000 * SEED, 1000 * SEED + 60)) if w]
    assert not found, '\n'.join(found)


# A ring along "y", whose places on the devices another mesh says; the device's own number; a sum of every second device.
MANUAL = '''
sdy.mesh @first = <["x"=2, "y"=4]>
%s
func.func @main(%%w: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@first, [{"x"}, {"y"}]>}, %%q: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@other, [{"y"}, {}]>})
    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@first, [{"x"}, {"y"}]>}, tensor<8xui32>, tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@other, [{"y"}, {}]>}, tensor<64x8xf32>) {
  %%0:3 = sdy.manual_computation(%%q) in_shardings=[<@other, [{"y"}, {}]>] out_shardings=[<@other, [{"y"}, {}]>, <@other, [{"y", "x"}]>, <@other, [{"y"}, {}]>]
      manual_axes={%s} (%%l: tensor<2x4xf32>) {
    %%p = stablehlo.partition_id : tensor<ui32>
    %%r = stablehlo.reshape %%p : (tensor<ui32>) -> tensor<1xui32>
    %%1 = "stablehlo.collective_permute"(%%l) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<%s> : tensor<8x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %%2 = "stablehlo.all_reduce"(%%l) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = %s, use_global_device_ids}> ({
    ^bb0(%%x: tensor<f32>, %%y: tensor<f32>):
      %%s = stablehlo.add %%x, %%y : tensor<f32>
      stablehlo.return %%s : tensor<f32>
    }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    sdy.return %%1, %%r, %%2 : tensor<2x4xf32>, tensor<1xui32>, tensor<2x4xf32>
  } : (tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8xui32>, tensor<8x4xf32>)
  %%3 = stablehlo.add %%w, %%w : tensor<64x8xf32>
  return %%0#0, %%0#1, %%0#2, %%3 : tensor<8x4xf32>, tensor<8xui32>, tensor<8x4xf32>, tensor<64x8xf32>
}
'''
AXES = '#stablehlo.replica_group_mesh_axes<mesh = @other, axes = [#stablehlo.axis_ref<name = "y">]>'
ORDERS = {
    'axes the other way': ('sdy.mesh @other = <["y"=4, "x"=2]>', '"x", "y"', np.arange(8)),
    'axes and devices': ('sdy.mesh @other = <["y"=4, "x"=2], device_ids=[3, 1, 4, 0, 5, 7, 2, 6]>', '"x", "y"', np.array([3, 1, 4, 0, 5, 7, 2, 6])),
    'devices backwards': ('sdy.mesh @other = <["y"=4, "x"=2], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>', '"x", "y"', np.arange(8)[::-1]),
}


@pytest.mark.parametrize('groups', ['listed', 'by axes'])
@pytest.mark.parametrize('name', ORDERS)
def test_manual(tmp_path, name, groups):
    mesh, axes, ids = ORDERS[name]
    rows = ids.reshape(4, 2)
    pairs = [[int(rows[y, x]), int(rows[(y + 1) % 4, x])] for y in range(4) for x in range(2)]
    listed = 'dense<%s> : tensor<2x4xi64>' % rows.T.tolist()
    path = tmp_path / 'program.mlir'
    path.write_text(MANUAL % (mesh, axes, pairs, AXES if groups == 'by axes' else listed))
    w, q = np.random.default_rng(0).random((64, 8), np.float32), np.arange(32, dtype=np.float32).reshape(8, 4)
    np.save(tmp_path / 'in0.npy', w)
    np.save(tmp_path / 'in1.npy', q)
    subprocess.run([WEFT, 'run', '--inputs=%s' % tmp_path, '--outputs=%s' % tmp_path, str(path)], check=True, capture_output=True)
    got = [np.load(tmp_path / ('out%d.npy' % i)) for i in range(4)]
    np.testing.assert_array_equal(got[0], np.roll(q, 2, 0))
    np.testing.assert_array_equal(got[1], ids)
    np.testing.assert_array_equal(got[2], np.tile(q.reshape(4, 2, 4).sum(0), (4, 1)))
    np.testing.assert_array_equal(got[3], 2 * w)


if __name__ == '__main__':
    found = 0
    for seed in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])):
        w = wrong(seed)
        if w:
            found += 1
            print(w, flush=True)
    print('seeds %s to %d: %d wrong' % (sys.argv[1], int(sys.argv[1]) + int(sys.argv[2]) - 1, found))
