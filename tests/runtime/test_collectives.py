"""Random collectives on grids of replicas and partitions against a model of StableHLO's text in NumPy.

Each program cuts its operands out of a table by the device's number, does one collective, and checks what came out against
another table, so that every device is looked at. A seed is printed with each failure: WEFT_SEED=N runs others.
"""
import os
import subprocess

import numpy as np
import pytest

TOP = os.environ.get('top_builddir', os.getcwd())
WEFT = os.environ.get('WEFT', os.path.join(TOP, 'weft'))
SEED = int(os.environ.get('WEFT_SEED', '1'))

INTEGERS = ['i2', 'i4', 'ui4', 'i8', 'ui8', 'i16', 'i32', 'ui32', 'i64', 'ui64']
FLOATS = ['f8E4M3FN', 'f8E5M2', 'f16', 'bf16', 'f32', 'f64']
COMPLEX = ['complex<f32>', 'complex<f64>']
BITS = {'i2': 2, 'i4': 4, 'ui4': 4, 'i8': 8, 'ui8': 8, 'i16': 16, 'i32': 32, 'ui32': 32, 'i64': 64, 'ui64': 64}
WIDER = {'i8': 'i32', 'f16': 'f32', 'bf16': 'f32', 'f32': 'f64', 'i32': 'i64'}


def wrap(x, t):
    """What integer arithmetic leaves in type t."""
    if t not in BITS:
        return x
    n = BITS[t]
    return (x & ((1 << n) - 1)) if t.startswith('u') else ((x + (1 << (n - 1))) & ((1 << n) - 1)) - (1 << (n - 1))


def literal(x, t):
    if isinstance(x, np.ndarray) or isinstance(x, list):
        return '[%s]' % ', '.join(literal(v, t) for v in x)
    if t == 'i1':
        return 'true' if x else 'false'
    if t in BITS:
        return str(int(x))
    if t in COMPLEX:
        return '(%.1f, %.1f)' % (x.real, x.imag)
    return '%.1f' % x


def tensor(dims, t):
    return 'tensor<%s%s>' % (''.join('%dx' % d for d in dims), t)


# Bodies: text of the value of %a and %b, its meaning, and for which types. `mine`: no single op says it, and the order counts.
def op(name):
    return lambda t: '%%c = stablehlo.%s %%a, %%b : tensor<%s>' % (name, t)


BODIES = {
    'add': (op('add'), lambda a, b: a + b, INTEGERS + FLOATS + COMPLEX),
    'multiply': (op('multiply'), lambda a, b: a * b, INTEGERS + ['f32', 'f64'] + COMPLEX),
    'maximum': (op('maximum'), np.maximum, INTEGERS + FLOATS + ['i1']),
    'minimum': (op('minimum'), np.minimum, INTEGERS + FLOATS + ['i1']),
    'and': (op('and'), np.bitwise_and, INTEGERS + ['i1']),
    'or': (op('or'), np.bitwise_or, INTEGERS + ['i1']),
    'xor': (op('xor'), np.bitwise_xor, INTEGERS + ['i1']),
    'the last': (lambda t: '%%z = stablehlo.subtract %%a, %%a : tensor<%s>\n%%c = stablehlo.add %%z, %%b : tensor<%s>' % (t, t), lambda a, b: b + 0 * a,
                 ['i8', 'i32', 'f32', 'bf16', 'f64'] + COMPLEX),
    'sum and one': (lambda t: '%%o = stablehlo.constant dense<1> : tensor<%s>\n%%s = stablehlo.add %%a, %%b : tensor<%s>\n%%c = stablehlo.add %%s, %%o : tensor<%s>' % (t, t, t),
                    lambda a, b: a + b + 1, ['i4', 'i16', 'i32', 'ui64']),
}


def values(rng, dims, t, devices):
    if t == 'i1':
        return rng.integers(0, 2, (devices,) + dims).astype(bool)
    if t in BITS:
        lo = 0 if t.startswith('u') else -(1 << (BITS[t] - 1))
        hi = (1 << BITS[t]) - 1 if t.startswith('u') else -lo - 1
        return rng.integers(max(lo, -9), min(hi, 9), (devices,) + dims, endpoint=True).astype(object)
    if t in COMPLEX:
        return rng.integers(-3, 4, (devices,) + dims) + 1j * rng.integers(-3, 4, (devices,) + dims)
    return rng.integers(-1, 2, (devices,) + dims).astype(float)


def partition_into(rng, ids, sizes):
    """Groups of these sizes, in random order."""
    ids = list(rng.permutation(ids))
    out = []
    for n in sizes:
        out.append([int(i) for i in ids[:n]])
        ids = ids[n:]
    return out


def divisors(n):
    return [k for k in range(1, n + 1) if n % k == 0]


def random_sizes(rng, n):
    out = []
    while sum(out) < n:
        out.append(int(rng.integers(1, n - sum(out) + 1)))
    return out


def processes(mode, groups, replicas, partitions):
    """Rows of devices."""
    if mode == 'cross_replica':
        return [[r * partitions + p for r in g] for g in groups for p in range(partitions)]
    if mode == 'cross_partition':
        return [[r * partitions + p for p in g] for g in groups for r in range(replicas)]
    if mode == 'cross_replica_and_partition':
        return [[r * partitions + p for p in range(partitions) for r in g] for g in groups]
    return groups


def fold(f, xs, t):
    out = xs[0]
    for x in xs[1:]:
        out = wrap(f(out, x), t)
    return out


class Program:
    """One collective: its text, its operands by device, and what each device must get."""

    def __init__(self, rng):
        self.replicas, self.partitions = [(1, 1), (1, 4), (4, 1), (2, 2), (3, 2), (1, 3), (2, 1), (1, 6)][rng.integers(8)]
        self.devices = self.replicas * self.partitions
        kind = self.kind = str(rng.choice(['all_reduce', 'all_gather', 'reduce_scatter', 'all_to_all', 'collective_permute', 'collective_broadcast', 'collective_reduce']))
        flagged = kind in ('all_reduce', 'all_gather', 'reduce_scatter', 'collective_reduce')
        modes = ['cross_replica'] + (['cross_replica_and_partition', 'flattened_ids'] if flagged else ['cross_partition'])
        mode = self.mode = str(rng.choice(modes))
        ids = {'cross_replica': self.replicas, 'cross_replica_and_partition': self.replicas, 'cross_partition': self.partitions, 'flattened_ids': self.devices}[mode]
        if kind == 'collective_permute':
            k = int(rng.integers(0, ids + 1))
            pairs = list(zip((int(i) for i in rng.permutation(ids)[:k]), (int(i) for i in rng.permutation(ids)[:k])))
            self.groups = [list(p) for p in pairs]
        elif kind == 'all_reduce':
            self.groups = partition_into(rng, range(ids), random_sizes(rng, ids)) if rng.random() < 0.4 else self.even(rng, ids)
        elif kind in ('collective_broadcast', 'collective_reduce'):
            some = rng.permutation(ids)[:rng.integers(1, ids + 1)]
            n = int(rng.choice(divisors(len(some))))
            self.groups = partition_into(rng, some, [n] * (len(some) // n))
        else:
            self.groups = self.even(rng, ids)
        self.rows = processes(mode, self.groups, self.replicas, self.partitions)
        self.size = max([len(r) for r in self.rows], default=0)
        if mode == 'cross_replica_and_partition' and kind == 'all_reduce' and len({len(g) for g in self.groups}) > 1:
            self.groups = self.even(rng, ids)
            self.rows = processes(mode, self.groups, self.replicas, self.partitions)
        self.body = None
        types = INTEGERS + FLOATS + COMPLEX + ['i1']
        if kind in ('all_reduce', 'reduce_scatter', 'collective_reduce'):
            self.body = str(rng.choice(list(BODIES)))
            types = BODIES[self.body][2]
        self.type = str(rng.choice(types))
        self.result = self.type
        if self.body and rng.random() < 0.2 and self.type in WIDER and WIDER[self.type] in types:
            self.result = WIDER[self.type]
        self.count = 1 if kind in ('reduce_scatter', 'collective_permute') else int(rng.choice([1, 1, 2, 3]))
        self.rooted = kind in ('collective_broadcast', 'collective_reduce') and rng.random() < 0.5
        self.attrs(rng)

    def even(self, rng, ids):
        n = int(rng.choice(divisors(ids)))
        return partition_into(rng, range(ids), [n] * (ids // n))

    def attrs(self, rng):
        rank = int(rng.integers(1, 4)) if self.kind in ('all_gather', 'reduce_scatter', 'all_to_all') else int(rng.integers(0, 4))
        dims = [int(rng.integers(1, 4)) for _ in range(rank)]
        extra = []
        self.dim = self.concat = 0
        if rank:
            self.dim, self.concat = int(rng.integers(rank)), int(rng.integers(rank))
        if self.kind == 'all_gather':
            extra.append('all_gather_dim = %d : i64' % self.dim)
        if self.kind == 'reduce_scatter':
            dims[self.dim] *= self.size
            extra.append('scatter_dimension = %d : i64' % self.dim)
        if self.kind == 'all_to_all':
            dims[self.dim] *= self.size
            extra += ['split_dimension = %d : i64' % self.dim, 'concat_dimension = %d : i64' % self.concat, 'split_count = %d : i64' % self.size]
        self.dims = tuple(dims)
        width = max([len(g) for g in self.groups], default=2)
        padded = [g + [-1] * (width - len(g)) for g in self.groups]
        text = 'dense<%s> : tensor<%dx%dxi64>' % (literal([list(g) for g in padded], 'i64') if padded else '', len(padded), width)
        extra.append(('source_target_pairs' if self.kind == 'collective_permute' else 'replica_groups') + ' = ' + text)
        if self.mode != 'cross_replica' or rng.random() < 0.3:
            extra.append('channel_handle = #stablehlo.channel_handle<handle = %d, type = 1>' % (self.mode != 'cross_replica'))
        if self.mode == 'flattened_ids':
            extra.append('use_global_device_ids')
        if self.rooted:
            extra.append('has_dynamic_root')
        self.text_attrs = '{%s}' % ', '.join(extra)
        self.operands = [values(rng, self.dims, self.type, self.devices) for _ in range(self.count)]
        self.roots = [int(rng.integers(self.size)) if self.rooted else 0 for _ in range(self.count)]

    def expected(self, x, root):
        group = {d: row for row in self.rows for d in row}
        zero = np.zeros_like(x[0])
        f = BODIES[self.body][1] if self.body else None
        out = []
        for d in range(self.devices):
            row = group.get(d)
            if self.kind == 'collective_permute':
                source = [a for a, b in self.rows if b == d]
                out.append(x[source[0]] if source else zero)
            elif row is None:
                out.append(zero)
            elif self.kind == 'all_reduce':
                out.append(fold(f, [x[i] for i in row], self.result))
            elif self.kind == 'collective_reduce':
                out.append(fold(f, [x[i] for i in row], self.result) if row.index(d) == root else zero)
            elif self.kind == 'collective_broadcast':
                out.append(x[row[root]])
            elif self.kind == 'all_gather':
                out.append(np.concatenate([x[i] for i in row], self.dim))
            elif self.kind == 'reduce_scatter':
                out.append(np.split(fold(f, [x[i] for i in row], self.result), self.size, self.dim)[row.index(d)])
            else:
                parts = [np.split(x[i], self.size, self.dim)[row.index(d)] for i in row]
                out.append(np.concatenate(parts, self.concat))
        return np.array(out)

    def text(self):
        lines, n = [], self.devices

        def cut(name, table, t):
            dims = table.shape[1:]
            zeros = ''.join(', %zero' for _ in dims)
            lines.append('%%%s_all = stablehlo.constant dense<%s> : %s' % (name, literal(table, t), tensor(table.shape, t)))
            lines.append('%%%s_row = stablehlo.dynamic_slice %%%s_all, %%device%s, sizes = [%s] : (%s%s) -> %s' % (
                name, name, zeros, ', '.join(map(str, (1,) + dims)), tensor(table.shape, t), ', tensor<i32>' * table.ndim, tensor((1,) + dims, t)))
            lines.append('%%%s = stablehlo.reshape %%%s_row : (%s) -> %s' % (name, name, tensor((1,) + dims, t), tensor(dims, t)))
        results = [self.expected(x, r) for x, r in zip(self.operands, self.roots)]
        for i, (x, r) in enumerate(zip(self.operands, results)):
            cut('x%d' % i, x, self.type)
            cut('want%d' % i, r, self.result)
        names = ['%%x%d' % i for i in range(self.count)]
        types = [tensor(self.dims, self.type)] * self.count
        if self.rooted:
            lines.append('%%roots = stablehlo.constant dense<%s> : tensor<%dxi32>' % (self.roots, self.count))
            names.append('%roots')
            types.append('tensor<%dxi32>' % self.count)
        region = ''
        if self.body:
            e = self.result
            region = '({\n^bb0(%%a: tensor<%s>, %%b: tensor<%s>):\n%s\nstablehlo.return %%c : tensor<%s>\n}) ' % (e, e, BODIES[self.body][0](e), e)
        out = tensor(results[0].shape[1:], self.result)
        lines.append('%%r%s = "stablehlo.%s"(%s) %s%s : (%s) -> (%s)' % (':%d' % self.count if self.count > 1 else '', self.kind, ', '.join(names), region, self.text_attrs,
                                                                     ', '.join(types), ', '.join([out] * self.count)))
        for i in range(self.count):
            lines.append('check.expect_eq %%r%s, %%want%d : %s' % ('#%d' % i if self.count > 1 else '', i, out))
        return '''// %s over %s of %d x %d, %s
module attributes {mhlo.num_replicas = %d : i32, mhlo.num_partitions = %d : i32} {
  func.func @main() {
    %%replica = stablehlo.replica_id : tensor<ui32>
    %%partition = stablehlo.partition_id : tensor<ui32>
    %%width = stablehlo.constant dense<%d> : tensor<ui32>
    %%first = stablehlo.multiply %%replica, %%width : tensor<ui32>
    %%sum = stablehlo.add %%first, %%partition : tensor<ui32>
    %%device = stablehlo.convert %%sum : (tensor<ui32>) -> tensor<i32>
    %%zero = stablehlo.constant dense<0> : tensor<i32>
    %s
    return
  }
}
''' % (self.kind, self.mode, self.replicas, self.partitions, self.body, self.replicas, self.partitions, self.partitions, '\n    '.join(lines))


@pytest.mark.parametrize('chunk', range(8))
def test_random_collectives(chunk, tmp_path):
    for k in range(12):
        seed = SEED * 1000 + chunk * 12 + k
        program = Program(np.random.default_rng(seed))
        path = tmp_path / 'p.mlir'
        path.write_text(program.text())
        p = subprocess.run([WEFT, 'run', str(path)], capture_output=True, text=True)
        assert p.returncode == 0, 'seed %d: %s\n%s' % (seed, p.stderr[-800:], program.text())


WRONG = [
    ('stablehlo.all_reduce', 'replica_groups = dense<[[0, 1, 2, 3, 4]]> : tensor<1x5xi64>', "names id 4, but the program runs on 4"),
    ('stablehlo.all_reduce', 'replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>', 'in none of the groups'),
    ('stablehlo.collective_broadcast', 'replica_groups = dense<[[0, 7]]> : tensor<1x2xi64>', 'names id 7'),
    ('stablehlo.collective_permute', 'source_target_pairs = dense<[[0, 4]]> : tensor<1x2xi64>', 'names id 4'),
    ('rooted', 'replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>', 'no place in its group'),
]


@pytest.mark.parametrize('op, attr, message', WRONG, ids=[w[2] for w in WRONG])
def test_wrong_groups(op, attr, message, tmp_path):
    body = '({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%c = stablehlo.add %a, %b : tensor<f32>\nstablehlo.return %c : tensor<f32>\n}) ' if 'reduce' in op else ''
    call = '"%s"(%%x) %s{%s} : (tensor<2xf32>) -> tensor<2xf32>' % (op, body, attr)
    if op == 'rooted':
        call = '"stablehlo.collective_broadcast"(%%x, %%root) {%s, has_dynamic_root} : (tensor<2xf32>, tensor<1xi32>) -> tensor<2xf32>' % attr
    path = tmp_path / 'p.mlir'
    path.write_text('func.func @main(%%x: tensor<2xf32>, %%root: tensor<1xi32>) -> tensor<2xf32> {\n  %%r = %s\n  return %%r : tensor<2xf32>\n}\n' % call)
    p = subprocess.run([WEFT, 'run', str(path), '--devices', '4', '--fill', '1=9'], capture_output=True, text=True)
    assert p.returncode == 1 and message in p.stderr and p.stderr.count('error: ') == 1, p.stderr
    assert 'p.mlir:2:' in p.stderr


ON_AXES = [
    ('"stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, {groups}}>', 'tensor<4xf32>', 'over groups of 2 devices: operand 0 has 4 in dimension 0, the result 4'),
    ('"stablehlo.all_to_all"(%x) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, {groups}}>', 'tensor<4xf32>',
     'splits for 4 devices, a group has 2'),
]


@pytest.mark.parametrize('op, type, message', ON_AXES, ids=['gather', 'exchange'])
def test_axes_of_another_size(op, type, message, tmp_path):
    groups = ('replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, '
              'channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>')
    path = tmp_path / 'p.mlir'
    path.write_text('sdy.mesh @mesh = <["x"=2]>\nfunc.func @main(%%x: tensor<4xf32>) -> %s {\n  %%r = %s : (tensor<4xf32>) -> %s\n  return %%r : %s\n}\n' % (
        type, op.replace('{groups}', groups), type, type))
    p = subprocess.run([WEFT, 'run', str(path)], capture_output=True, text=True)
    assert p.returncode == 1 and message in p.stderr and p.stderr.count('error: ') == 1, p.stderr
    assert 'p.mlir:3:' in p.stderr
