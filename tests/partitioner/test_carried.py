"""What is gathered in the order of a sort along a split dimension: on many devices as on one, to the last bit.

Random programs: one sort with the numbers of its elements, in their order or in reverse; indices that are these numbers wrapped, clamped and
converted, where that changes none and where it does; arrays of several types gathered, one of them perhaps the sorted one. Where nothing changes the
numbers, pass weft-carry-sorted leaves no gather; else it leaves all. WEFT_SEED and WEFT_CASES choose others. Then programs of JAX.
"""
import json
import os
import random
import subprocess
import sys

import pytest
from test_sorts import MESHES, SEED, layout, run, sharding, tensor

CASES = int(os.environ.get('WEFT_CASES', 4 * int(os.environ.get('WEFT_LONG', '1'))))


class Program:
    def __init__(self, rng, mesh):
        self.rng, self.mesh = rng, mesh
        self.dims, self.axes, self.d = layout(rng, mesh)
        self.n, self.lines, self.count = self.dims[self.d], [], 0
        self.number = rng.choice(['i32', 'i32', 'i64', 'ui32'])
        self.changed = False

    def add(self, text):
        self.count += 1
        self.lines.append('%%v%d = %s' % (self.count, text))
        return '%%v%d' % self.count

    def splat(self, value, type):
        return self.add('stablehlo.constant dense<%s> : %s' % (value, type))

    def reverse(self, v, type, d):
        return self.add('stablehlo.reverse %s, dims = [%d] : %s' % (v, d, type))

    def sort(self):
        """The numbers in order; their type."""
        t, x = tensor(self.dims, self.number), tensor(self.dims, 'i32')
        numbers, key = self.add('stablehlo.iota dim = %d : %s' % (self.d, t)), '%x'
        self.falls = self.rng.random() < 0.4
        if self.falls:
            numbers, key = self.reverse(numbers, t, self.d), self.reverse(key, x, self.d)
        r = self.add('''"stablehlo.sort"(%s, %s) <{dimension = %d : i64, is_stable = true}> ({
    ^bb0(%%p: tensor<i32>, %%q: tensor<i32>, %%i: tensor<%s>, %%j: tensor<%s>):
      %%g = stablehlo.compare %s, %%p, %%q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %%g : tensor<i1>
    }) : (%s, %s) -> (%s, %s)''' % (key, numbers, self.d, self.number, self.number, self.rng.choice(['LT', 'GT']), x, t, x, t))
        self.lines[-1] = self.lines[-1].replace(r, r + ':2', 1)
        return r + '#1', t

    def bounded(self, v, t, kind, low, high):
        """v as programs keep indices between low and high."""
        a, b = self.splat(low, t), self.splat(high, t)
        if kind == 'clamp':
            return self.add('stablehlo.clamp %s, %s, %s : %s' % (a, v, b, t))
        if kind == 'min':
            return self.add('stablehlo.minimum %s, %s : %s' % (v, b, t))
        if kind == 'max':
            return self.add('stablehlo.maximum %s, %s : %s' % (v, a, t))
        size = self.splat(self.n, t)
        less = self.add('stablehlo.compare LT, %s, %s : (%s, %s) -> %s' % (v, a, t, t, tensor(self.dims, 'i1')))
        more = self.add('stablehlo.add %s, %s : %s' % (v, size, t))
        return self.add('stablehlo.select %s, %s, %s : %s, %s' % (less, more, v, tensor(self.dims, 'i1'), t))

    def indices(self, v, t):
        if self.rng.random() < (0.8 if self.falls else 0.2):
            v = self.reverse(v, t, self.d)
        for _ in range(self.rng.randint(0, 3)):
            step = self.rng.choice(['wrap', 'clamp', 'min', 'max', 'convert', 'constraint'])
            if step == 'convert':
                self.number = self.rng.choice(['i32', 'i64'])
                to = tensor(self.dims, self.number)
                v, t = self.add('stablehlo.convert %s : (%s) -> %s' % (v, t, to)), to
            elif step == 'constraint':
                v = self.add('sdy.sharding_constraint %s <@mesh, [%s]> : %s' % (v, ', '.join('{}' for _ in self.dims), t))
            else:
                v = self.bounded(v, t, step, 0, self.n - 1 + self.rng.randint(0, 2))
        if self.rng.random() < 0.3:
            self.changed = True
            step = self.rng.choice(['wrap', 'clamp', 'min', 'max', 'add', 'twice'])
            if step == 'add':
                v = self.add('stablehlo.add %s, %s : %s' % (v, self.splat(1, t), t))
            elif step == 'twice':  # of a wrap, which changes what is near the end
                v = self.bounded(self.add('stablehlo.subtract %s, %s : %s' % (v, self.splat(1, t), t)), t, 'wrap', 0, 0)
            else:
                v = self.bounded(v, t, step, 1, self.n - 2)
        return v, t

    def gather(self, y, ty, v, t):
        rank = len(self.dims)
        last = self.rng.random() < 0.5  # the indices have a dimension of their own
        if last:
            to = tensor(self.dims + [1], self.number)
            v = self.add('stablehlo.%s %s%s : (%s) -> %s' % (*self.rng.choice(
                [('reshape', v, ''), ('broadcast_in_dim', v, ', dims = [%s]' % ', '.join(map(str, range(rank))))]), t, to))
            t = to
        others = ', '.join(str(k) for k in range(rank) if k != self.d)
        batching = 'operand_batching_dims = [%s], start_indices_batching_dims = [%s], ' % (others, others) if others else ''
        return self.add('"stablehlo.gather"(%s, %s) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [%d], %s'
                        'start_index_map = [%d], index_vector_dim = %d>, slice_sizes = array<i64: %s>}> : (%s, %s) -> %s'
                        % (y, v, self.d, batching, self.d, rank, ', '.join('1' for _ in self.dims), ty, t, ty))

    def text(self):
        placed, ti = sharding(self.axes), tensor(self.dims, 'i32')
        kinds = [self.rng.choice(['f32', 'bf16', 'i8', 'i1', 'complex<f32>', 'i32']) for _ in range(self.rng.randint(1, 3))]
        args = ['%%x: %s %s' % (ti, placed)] + ['%%y%d: %s %s' % (i, tensor(self.dims, k), placed) for i, k in enumerate(kinds)]
        v, t = self.indices(*self.sort())
        out, types = [], []
        for i, k in enumerate(kinds):
            y, ty = ('%x', ti) if self.rng.random() < 0.25 else ('%%y%d' % i, tensor(self.dims, k))
            out.append(self.gather(y, ty, v, t))
            types.append(ty)
        if self.rng.random() < 0.3:
            out.append(v)
            types.append(t)
        return '''sdy.mesh @mesh = <[%s]>
func.func @main(%s) -> (%s) {
    %s
    return %s : %s
}
''' % (', '.join('"%s"=%d' % a for a in self.mesh), ', '.join(args), ', '.join('%s %s' % (x, placed) for x in types),
       '\n    '.join(self.lines), ', '.join(out), ', '.join(types))


@pytest.mark.parametrize('mesh', MESHES, ids=lambda m: 'x'.join(str(s) for _, s in m))
def test_as_on_one_device(tmp_path, mesh):
    file = tmp_path / 'p.mlir'
    left = 0
    for i in range(CASES):
        p = Program(random.Random('%d carried %s %d' % (SEED, mesh, i)), mesh)
        file.write_text(p.text())
        done = run('opt', '--weft-carry-sorted', file)
        assert done.returncode == 0, done.stderr + p.text()
        gathers = done.stdout.count('"stablehlo.gather"')
        assert bool(gathers) == p.changed, 'case %d of seed %d: %s%s' % (i, SEED, p.text(), done.stdout)
        left += gathers
        verified = run('verify', '--rtol=0', '--atol=0', file)
        assert verified.returncode == 0, 'case %d of seed %d: %s' % (i, SEED, verified.stderr + verified.stdout + p.text())


JAX = r'''
import sys
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
split = NamedSharding(Mesh(np.array(jax.devices()[:8]), ('d',)), P('d'))
n = 1 << 16
programs = {
    'unique': (lambda x: jnp.unique(x, size=100), 'int32'),
    'unique with counts': (lambda x: jnp.unique(x, size=100, return_counts=True, return_index=True), 'int32'),
    'in descending order': (lambda x: x[jnp.argsort(x, descending=True)][:100], 'float32'),
    'compress': (lambda x: jnp.compress(x > 0, x, size=1000), 'float32'),
    'by keys': (lambda x: jnp.take_along_axis(x, jnp.argsort(x % 7), 0).sum(), 'int32'),
    'by two keys': (lambda x: x[jnp.lexsort((x, x % 5))][::1000], 'int32'),
}
for i, (name, (f, dtype)) in enumerate(programs.items()):
    lowered = jax.jit(f, in_shardings=split).lower(jax.ShapeDtypeStruct((n,), dtype))
    open('%s/%d.mlir' % (sys.argv[1], i), 'w').write('// %s\n%s' % (name, lowered.as_text()))
'''


def test_programs_of_jax_gather_nothing_whole(tmp_path):
    """Each sends less than a gather of the array by each device would; the exchange is exact."""
    env = dict(os.environ, JAX_PLATFORMS='cpu', JAX_NUM_CPU_DEVICES='8')
    made = subprocess.run([sys.executable, '-c', JAX, str(tmp_path)], env=env, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    files = sorted(tmp_path.glob('*.mlir'))
    assert len(files) == 6
    for file in files:
        done = run('dryrun', '--json', file)
        assert done.returncode == 0, done.stderr
        assert 'holds a large value' not in done.stderr, file.read_text()[:40] + done.stderr
        assert json.loads(done.stdout)['wire_bytes'] < 7 * (1 << 16) * 4 / 8, file.read_text()[:40] + done.stdout
        verified = run('verify', '--rtol=0', '--atol=0', file)
        assert verified.returncode == 0, verified.stdout + verified.stderr
