"""Random gathers and scatters whose indices count along some dimensions of the operand and choose along others, as JAX's x[jnp.arange(n), i] and
cache.at[jnp.arange(n), i].set(u) do: components in any order, the vector of components in any dimension of the indices, several ways to count, and
such that only nearly count (from 1 on, backward, along a shorter dimension), over permuted meshes.

On the devices of the mesh a program gives what it gives on one. Where it counts along every sharded dimension, and its operands lie alike along it, it
sends nothing. From a command line:

    python tests/partitioner/test_lookups.py FIRST COUNT     prints programs that differ or send
"""
import json
import os
import random
import subprocess
import sys
import tempfile

WEFT = os.environ.get('WEFT', os.path.join(os.environ.get('top_builddir', os.getcwd()), 'weft'))
SEED = int(os.environ.get('WEFT_SEED', '1'))
CASES = 32 * int(os.environ.get('WEFT_LONG', '1'))
MESHES = [[('x', 2)], [('x', 3)], [('x', 4)], [('x', 2), ('y', 2)], [('x', 3), ('y', 2)], [('x', 2), ('one', 1), ('y', 3)]]


def tensor(dims, dtype):
    return 'tensor<' + ''.join('%dx' % d for d in dims) + dtype + '>'


def ints(v):
    return '[' + ', '.join(map(str, v)) + ']'


class Program:
    def __init__(self, rng):
        self.rng, self.lines, self.values = rng, [], 0
        mesh = rng.choice(MESHES)
        self.mesh = '<[' + ', '.join('"%s"=%d' % a for a in mesh) + ']>'
        self.sizes = dict(mesh)
        axes = [a for a, n in mesh]
        rng.shuffle(axes)
        self.index = rng.choice(['i32', 'i64', 'ui32'])
        exact = rng.random() < 0.7
        # Dimensions of the operand: counted ones, of which each is a dimension of the indices as well; chosen ones; windows.
        counted, chosen, windows = rng.randint(1, 2), rng.randint(1, 2), rng.randint(0, 2)
        kinds = ['count'] * counted + ['choose'] * chosen + ['window'] * windows
        rng.shuffle(kinds)
        self.axes = [[] for _ in kinds]
        to_counted = rng.random() < 0.7
        for a in axes:
            places = [d for d, k in enumerate(kinds) if k == 'count' or not to_counted]
            self.axes[rng.choice(places)].append(a)
        self.dims = [self.size(d, exact) for d in range(len(kinds))]
        # Dimensions of the indices, without that of the vector: counted ones, and perhaps one of their own.
        self.batches = [d for d, k in enumerate(kinds) if k == 'count'] + ['own'] * rng.randint(0, 1)
        rng.shuffle(self.batches)
        self.components = [d for d, k in enumerate(kinds) if k != 'window']
        rng.shuffle(self.components)
        self.vector = rng.randint(0, len(self.batches))
        self.spoiled = {d for d in self.batches if d != 'own' and rng.random() < 0.1}
        self.shape = [3 if d == 'own' else self.dims[d] - (d in self.spoiled) for d in self.batches]
        self.windows = [d for d, k in enumerate(kinds) if k == 'window']
        self.local = exact and to_counted and not self.spoiled
        self.kinds = kinds
        self.scatter = rng.random() < 0.5

    def size(self, d, exact):
        shards = 1
        for a in self.axes[d]:
            shards *= self.sizes[a]
        return max(2, shards * self.rng.randint(1, 3) + (0 if exact else self.rng.randint(0, 2)))

    def op(self, text, dims, dtype):
        self.values += 1
        self.lines.append('%%v%d = %s' % (self.values, text.replace('RESULT', tensor(dims, dtype))))
        return '%%v%d' % self.values

    def with_vector(self, shape):
        return shape[:self.vector] + [1] + shape[self.vector:]

    def in_vector(self, b):
        return b + (b >= self.vector)

    def count(self, d):
        """A value of one component that counts along the dimension of the indices that is the operand's d."""
        b = self.batches.index(d)
        n, shape, rng, t = self.shape[b], self.with_vector(self.shape), self.rng, self.index
        step, start = 1, 0
        if d in self.spoiled:
            step, start = rng.choice([(1, 1), (-1, n - 1), (1, 0)])
        if rng.random() < 0.3:
            row = self.op('stablehlo.constant dense<%s> : RESULT' % ints(start + step * i for i in range(n)), [n], t)
        else:
            row = self.op('stablehlo.iota dim = 0 : RESULT', [n], t)
            if step < 0:
                last = self.op('stablehlo.constant dense<%d> : RESULT' % start, [n], t)
                row = self.op('stablehlo.subtract %s, %s : RESULT' % (last, row), [n], t)
            elif start or rng.random() < 0.3:
                first = self.op('stablehlo.constant dense<%d> : RESULT' % start, [n], t)
                row = self.op('stablehlo.add %s, %s : RESULT' % (row, first), [n], t)
        if t != 'ui32' and rng.random() < 0.5:
            zero = self.op('stablehlo.constant dense<0> : RESULT', [n], t)
            less = self.op('stablehlo.compare LT, %s, %s : (%s, %s) -> RESULT' % (row, zero, tensor([n], t), tensor([n], t)), [n], 'i1')
            size = self.op('stablehlo.constant dense<%d> : RESULT' % self.dims[d], [n], t)
            more = self.op('stablehlo.add %s, %s : RESULT' % (row, size), [n], t)
            row = self.op('stablehlo.select %s, %s, %s : %s, RESULT' % (less, more, row, tensor([n], 'i1')), [n], t)
        return self.op('stablehlo.broadcast_in_dim %s, dims = [%d] : (%s) -> RESULT' % (row, self.in_vector(b), tensor([n], t)), shape, t)

    def sharding(self, dims):
        return '#sdy.sharding<@m, [%s]>' % ', '.join('{' + ', '.join('"%s"' % a for a in self.axes[d]) + '}' if d in self.batches or d in self.windows else '{}' for d in dims)

    def text(self):
        parts, arguments = [], []
        shape = self.with_vector(self.shape)
        for d in self.components:
            if self.kinds[d] == 'count':
                parts.append(self.count(d))
            else:
                dims = ', '.join('{}' if b == 'own' else '{' + ', '.join('"%s"' % a for a in self.axes[b]) + '}' for b in self.batches)
                arguments.append('%%i%d: %s {sdy.sharding = #sdy.sharding<@m, [%s]>}' % (d, tensor(self.shape, self.index), dims))
                parts.append(self.op('stablehlo.broadcast_in_dim %%i%d, dims = %s : (%s) -> RESULT' %
                                     (d, ints(self.in_vector(b) for b in range(len(self.batches))), tensor(self.shape, self.index)), shape, self.index))
        whole = shape[:self.vector] + [len(parts)] + shape[self.vector + 1:]
        indices = self.op('stablehlo.concatenate %s, dim = %d : (%s) -> RESULT' %
                          (', '.join(parts), self.vector, ', '.join(tensor(shape, self.index) for _ in parts)), whole, self.index)
        # The result of a gather, or the updates of a scatter: dimensions of the indices and of windows, these in any places.
        places = list(self.batches) + [('window', d) for d in self.windows]
        at = sorted(self.rng.sample(range(len(places)), len(self.windows)))
        order, b, w = [], 0, 0
        for i in range(len(places)):
            if i in at:
                order.append(('window', self.windows[w]))
                w += 1
            else:
                order.append(self.batches[b])
                b += 1
        sizes = [self.dims[p[1]] if isinstance(p, tuple) else self.shape[self.batches.index(p)] for p in order]
        axes = ', '.join('{' + ', '.join('"%s"' % a for a in ([] if p == 'own' else self.axes[p[1] if isinstance(p, tuple) else p])) + '}' for p in order)
        sharding = '#sdy.sharding<@m, [%s]>' % axes
        single = sorted(self.components)
        operand = '%%a: %s {sdy.sharding = #sdy.sharding<@m, [%s]>}' % (
            tensor(self.dims, 'i32'), ', '.join('{' + ', '.join('"%s"' % a for a in self.axes[d]) + '}' for d in range(len(self.dims))))
        if self.scatter:
            arguments.append('%%u: %s {sdy.sharding = %s}' % (tensor(sizes, 'i32'), sharding))
            # Of updates of one element none is known to be last.
            body = self.rng.choice(['stablehlo.add %p, %q', 'stablehlo.maximum %q, %p'])
            result = self.dims
            self.lines.append('%%r = "stablehlo.scatter"(%%a, %s, %%u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = %s, inserted_window_dims = %s, '
                              'scatter_dims_to_operand_dims = %s, index_vector_dim = %d>}> ({\n    ^bb0(%%p: tensor<i32>, %%q: tensor<i32>):\n'
                              '      %%s = %s : tensor<i32>\n      stablehlo.return %%s : tensor<i32>\n    }) : (%s, %s, %s) -> %s' %
                              (indices, ints(at), ints(single), ints(self.components), self.vector, body, tensor(self.dims, 'i32'), tensor(whole, self.index),
                               tensor(sizes, 'i32'), tensor(result, 'i32')))
        else:
            result = sizes
            self.lines.append('%%r = "stablehlo.gather"(%%a, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = %s, collapsed_slice_dims = %s, '
                              'start_index_map = %s, index_vector_dim = %d>, slice_sizes = array<i64: %s>}> : (%s, %s) -> %s' %
                              (indices, ints(at), ints(single), ints(self.components), self.vector,
                               ', '.join(str(n if d in self.windows else 1) for d, n in enumerate(self.dims)), tensor(self.dims, 'i32'), tensor(whole, self.index),
                               tensor(result, 'i32')))
        return 'module {\n  sdy.mesh @m = %s\n  func.func public @main(%s) -> %s {\n    %s\n    return %%r : %s\n  }\n}\n' % (
            self.mesh, ', '.join([operand] + arguments), tensor(result, 'i32'), '\n    '.join(self.lines), tensor(result, 'i32'))


def run(*args):
    return subprocess.run([WEFT, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=120)


def fails(seed, folder):
    """None, or what is wrong with the program of this seed."""
    program = Program(random.Random(seed))
    path = os.path.join(folder, 'p%d.mlir' % seed)
    with open(path, 'w') as f:
        f.write(program.text())
    verified = run('verify', '--seed=%d' % seed, path)
    if verified.returncode:
        return '%s: %s%s' % (path, verified.stdout, verified.stderr)
    if program.local:
        sent = json.loads(run('dryrun', '--json', path).stdout)['wire_bytes']
        if sent:
            return '%s: sends %d bytes' % (path, sent)
    return None


def test_random_lookups(tmp_path):
    found = [f for f in (fails(1000 * SEED + i, str(tmp_path)) for i in range(CASES)) if f]
    assert not found, '\n'.join(found)


if __name__ == '__main__':
    folder = tempfile.mkdtemp()
    for i in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])):
        what = fails(i, folder)
        if what:
            print(i, what)
    print('programs are in', folder)
