"""Random stencil programs: rolls, slices, pads with negative edges, pieces of one value joined, updates at known places, window sums and what is
computed of slices to be put back, which feed each other, in one to three dimensions, over permuted meshes with axes of size 1 and groups of three; in
loops, too.

On the devices of the mesh a program gives what it gives on one, and sends no more than a bound says: each op at most two parts of its result
along each sharded dimension that it moves elements along. Rotations of what the devices divide send the least there is: as many rows as the shift,
or one part. From a command line:

    python tests/partitioner/test_stencils.py FIRST COUNT     prints programs that differ or send too much
"""
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

WEFT = os.environ.get('WEFT', os.path.join(os.environ.get('top_builddir', os.getcwd()), 'weft'))
SEED = int(os.environ.get('WEFT_SEED', '1'))
CASES = 24 * int(os.environ.get('WEFT_LONG', '1'))
MESHES = [[('x', 2)], [('x', 3)], [('x', 4)], [('x', 8)], [('x', 2), ('y', 2)], [('x', 3), ('y', 2)], [('x', 2), ('one', 1), ('y', 3)], [('x', 2), ('y', 2), ('z', 2)]]


def tensor(dims, dtype):
    return 'tensor<' + ''.join('%dx' % d for d in dims) + dtype + '>'


class Program:
    """Lines of a function over one value %a and what it makes of it; `limit` bounds the bytes that a device may send."""

    def __init__(self, rng):
        self.rng, self.lines, self.dims = rng, [], {}
        self.mesh = rng.choice(MESHES)
        self.ids = rng.sample(range(self.devices()), self.devices()) if rng.random() < 0.3 else None
        self.dtype = rng.choice(['f32', 'i32', 'bf16'])
        self.width = 2 if self.dtype == 'bf16' else 4
        axes = [a for a, _ in self.mesh]
        rng.shuffle(axes)
        rank = rng.randint(1, 3)
        self.axes = [[] for _ in range(rank)]
        for a in axes:
            if rng.random() < 0.85:
                self.axes[rng.randrange(rank)].append(a)
        self.exact = rng.random() < 0.5
        self.dims['%a'] = [self.size(d) for d in range(rank)]
        self.limit = 0

    def devices(self):
        return math.prod(n for _, n in self.mesh)

    def shards(self, d):
        return math.prod(dict(self.mesh)[a] for a in self.axes[d])

    def size(self, d):
        n = self.rng.randint(2, 4) * self.shards(d)
        return n if self.exact else max(2, n + self.rng.randint(-1, 2))

    def part_bytes(self, dims, but=None):
        return self.width * math.prod(-(-n // self.shards(d)) for d, n in enumerate(dims) if d != but)

    def add(self, dims, text, *operands):
        name = '%%%d' % len(self.lines)
        types = ', '.join(tensor(self.dims[x], self.dtype) for x in operands)
        self.dims[name] = dims
        self.lines.append('  %s = %s : (%s) -> %s' % (name, text, types, tensor(dims, self.dtype)))
        return name

    def scalar(self, value):
        self.dims['%%%d' % len(self.lines)] = []
        self.lines.append('  %%%d = stablehlo.constant dense<%s> : tensor<%s>' % (len(self.lines), value if self.dtype == 'i32' else '%d.0' % value, self.dtype))
        return '%%%d' % (len(self.lines) - 1)

    def cut(self, x, d, low, high, step=1):
        dims = self.dims[x]
        at = ', '.join('%d:%d:%d' % ((low, high, step) if k == d else (0, n, 1)) for k, n in enumerate(dims))
        return self.add([(high - low + step - 1) // step if k == d else n for k, n in enumerate(dims)], 'stablehlo.slice %s [%s]' % (x, at), x)

    def join(self, pieces, d):
        dims = list(self.dims[pieces[0]])
        dims[d] = sum(self.dims[p][d] for p in pieces)
        return self.add(dims, 'stablehlo.concatenate %s, dim = %d' % (', '.join(pieces), d), *pieces)

    # Below: what a stencil is made of. Each takes a value and gives one of the same rank.

    def roll(self, x, d):
        n = self.dims[x][d]
        k = self.rng.choice([1, n - 1, self.rng.randrange(n)]) % n
        if k == 0:
            return x
        if n % self.shards(d) == 0 and self.exact:
            self.allow(x, d, min(k, n - k, n // self.shards(d)) if self.shards(d) > 2 else n // self.shards(d), 0)
        else:
            self.allow(x, d)
        return self.join([self.cut(x, d, n - k, n), self.cut(x, d, 0, n - k)], d)

    def halo(self, x, d):
        n = self.dims[x][d]
        w = self.rng.randint(1, min(2, n))
        self.allow(x, d)
        y = self.join([self.cut(x, d, n - w, n), x, self.cut(x, d, 0, w)], d)
        at = self.rng.randint(0, 2 * w)
        return self.cut(y, d, at, at + n)

    def pad(self, x, d):
        n = self.dims[x][d]
        low, high = self.rng.randint(-1, 2), self.rng.randint(-1, 2)
        if n + low + high < 1 or n + min(low, 0) + min(high, 0) < 1:
            return x
        dims, edge = list(self.dims[x]), [0] * len(self.dims[x])
        dims[d] = n + low + high
        self.allow(x, d)
        return self.add(dims, 'stablehlo.pad %s, %s, low = %s, high = %s, interior = %s' % (
            x, self.scalar(3) if not self.lines or self.rng.random() < 0.5 else self.fill(), [low if k == d else 0 for k in range(len(edge))],
            [high if k == d else 0 for k in range(len(edge))], edge), x, self.last_scalar())

    def fill(self):
        return self.last_scalar() or self.scalar(0)

    def last_scalar(self):
        return next((v for v in reversed(self.dims) if not self.dims[v]), None)

    def piece(self, x, d):
        n = self.dims[x][d]
        if n < 3:
            return x
        low = self.rng.randint(0, n // 3)
        self.allow(x, d)
        return self.cut(x, d, low, n - self.rng.randint(0, n // 3))

    def mosaic(self, x, d):
        """Pieces of one value in any order."""
        n, pieces = self.dims[x][d], []
        for _ in range(self.rng.randint(2, 3)):
            low = self.rng.randrange(n)
            pieces.append(self.cut(x, d, low, self.rng.randint(low + 1, n)))
            self.allow(x, d)
            self.allow(x, d)
        return self.join(pieces, d) if sum(self.dims[p][d] for p in pieces) <= 2 * n + 2 else x

    def ends(self, x, d):
        """Other values around the middle of one."""
        n = self.dims[x][d]
        if n < 3:
            return x
        self.allow(x, d)
        self.allow(x, d)
        one = self.add([1 if k == d else m for k, m in enumerate(self.dims[x])], 'stablehlo.broadcast_in_dim %s, dims = []' % self.scalar(5), self.last_scalar())
        return self.join([one, self.cut(x, d, 1, n - 1), self.cut(x, d, 0, 1)], d)

    def update(self, x, d):
        n = self.dims[x][d]
        w = self.rng.randint(1, n)
        u = self.cut(x, d, 0, w)
        self.allow(x, d)
        self.allow(x, d)
        return self.write(x, u, d, self.rng.randint(0, n - w))

    def scatter(self, x, d):
        """x.at[a:b].set(u) or .add(u), or of one row x.at[a].set(u): a scatter of one window at a constant."""
        dims, rank = self.dims[x], len(self.dims[x])
        w, row = self.rng.randint(1, dims[d]), self.rng.random() < 0.5
        w = 1 if row else w
        at, start = self.rng.randint(0, dims[d] - w), self.rng.randint(0, dims[d] - w)
        known = self.rng.random() < 0.2 # on every device: nothing is sent, unless rows are added of which parts are on several
        if known:
            sizes = [w if k == d else n for k, n in enumerate(dims)]
            u = self.add(sizes, 'stablehlo.broadcast_in_dim %s, dims = []' % self.scalar(3), self.last_scalar())
        else:
            u = self.cut(x, d, at, at + w)
        window = [k for k in range(rank) if not (row and k == d)]
        if row:
            flat = [dims[k] for k in window]
            u = self.add(flat, 'stablehlo.reshape %s' % u, u)
        index = '%%%d' % len(self.lines)
        self.lines.append('  %s = stablehlo.constant dense<%d> : tensor<1xi32>' % (index, start))
        for _ in range(0 if known and w == 1 else 2):
            self.allow(x, d)
        name = '%%%d' % len(self.lines)
        self.dims[name] = list(dims)
        body = '%s' if self.rng.random() < 0.7 else '    %%s = stablehlo.add %%o, %%n : tensor<%s>\n' % self.dtype
        what = '%n' if body == '%s' else '%s'
        self.lines.append('  %s = "stablehlo.scatter"(%s, %s, %s) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = %s, %s'
                          'scatter_dims_to_operand_dims = [%d]>}> ({\n  ^bb0(%%o: tensor<%s>, %%n: tensor<%s>):\n%s    stablehlo.return %s : tensor<%s>\n  }) : (%s, tensor<1xi32>, %s) -> %s' % (
                              name, x, index, u, list(range(len(window))), 'inserted_window_dims = [%d], ' % d if row else '', d, self.dtype, self.dtype,
                              '' if body == '%s' else body, what, self.dtype, tensor(dims, self.dtype), tensor(self.dims[u], self.dtype), tensor(dims, self.dtype)))
        return name

    def every_second(self, x, d):
        """x.at[a::s].set(f(x)) or .add: a scatter at a + s * iota, of slices with the same steps, or of some that have none."""
        dims, step = self.dims[x], self.rng.randint(2, 3)
        at = self.rng.randrange(step)
        n = (dims[d] - at + step - 1) // step
        if n < 1:
            return x
        self.allow(x, d)
        self.allow(x, d)
        low = self.rng.randint(0, dims[d] - (n - 1) * step - 1)
        u = self.cut(x, d, low, low + (n - 1) * step + 1, step) if self.rng.random() < 0.7 else self.cut(x, d, 0, n)
        if self.rng.random() < 0.5:
            u = self.binary('add', u, self.cut(x, d, at, at + (n - 1) * step + 1, step))
        i, kind = len(self.lines), 'tensor<%dx1xi32>' % n
        self.lines += ['  %%rise%d = stablehlo.iota dim = 0 : %s' % (i, kind), '  %%step%d = stablehlo.constant dense<%d> : %s' % (i, step, kind),
                       '  %%at%d = stablehlo.constant dense<%d> : %s' % (i, at, kind), '  %%times%d = stablehlo.multiply %%rise%d, %%step%d : %s' % (i, i, i, kind),
                       '  %%index%d = stablehlo.add %%times%d, %%at%d : %s' % (i, i, i, kind)]
        name, adds = '%%%d' % len(self.lines), self.rng.random() < 0.4
        self.dims[name] = list(dims)
        rest = [k for k in range(len(dims)) if k != d]
        self.lines.append('  %s = "stablehlo.scatter"(%s, %%index%d, %s) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = %s, inserted_window_dims = [%d], '
                          'scatter_dims_to_operand_dims = [%d], index_vector_dim = 1>}> ({\n  ^bb0(%%o: tensor<%s>, %%n: tensor<%s>):\n%s    stablehlo.return %s : tensor<%s>\n  }) : '
                          '(%s, %s, %s) -> %s' % (name, x, i, u, rest, d, d, self.dtype, self.dtype, '    %%s = stablehlo.add %%o, %%n : tensor<%s>\n' % self.dtype if adds else '',
                                                  '%s' if adds else '%n', self.dtype, tensor(dims, self.dtype), kind, tensor(self.dims[u], self.dtype), tensor(dims, self.dtype)))
        return name

    def take(self, x, d):
        """Some rows, or every second, by a gather of indices that are known, as the gradient of an update reads them; with zeros behind."""
        dims = self.dims[x]
        step = self.rng.randint(0, 2)
        n = self.rng.randint(1, dims[d]) if not step else self.rng.randint(1, (dims[d] + step - 1) // step)
        at = self.rng.randint(0, dims[d] - n if not step else dims[d] - 1 - (n - 1) * step)
        for _ in range(3):
            self.allow(x, d)
        i, rows = len(self.lines), n if step else 1
        kind = 'tensor<%dx1xi32>' % rows
        self.lines += ['  %%rise%d = stablehlo.iota dim = 0 : %s' % (i, kind), '  %%step%d = stablehlo.constant dense<%d> : %s' % (i, step, kind),
                       '  %%at%d = stablehlo.constant dense<%d> : %s' % (i, at, kind), '  %%times%d = stablehlo.multiply %%rise%d, %%step%d : %s' % (i, i, i, kind),
                       '  %%index%d = stablehlo.add %%times%d, %%at%d : %s' % (i, i, i, kind)]
        name, rest = '%%%d' % len(self.lines), [k for k in range(len(dims)) if k != d]
        taken = [n if k == d else m for k, m in enumerate(dims)]
        out = taken if step else [1] + taken
        where = 'offset_dims = %s, collapsed_slice_dims = [%d]' % (rest, d) if step else 'offset_dims = %s' % list(range(1, len(out)))
        sizes = [1 if step and k == d else m for k, m in enumerate(taken)]
        self.dims[name] = out
        self.lines.append('  %s = "stablehlo.gather"(%s, %%index%d) <{dimension_numbers = #stablehlo.gather<%s, start_index_map = [%d], index_vector_dim = 1>, '
                          'slice_sizes = array<i64: %s>}> : (%s, %s) -> %s' % (name, x, i, where, d, ', '.join(map(str, sizes)), tensor(dims, self.dtype), kind, tensor(out, self.dtype)))
        y = name if step else self.add(taken, 'stablehlo.reshape %s' % name, name)
        zero, zeros = self.scalar(0), [0] * len(dims)
        return self.add(list(dims), 'stablehlo.pad %s, %s, low = %s, high = %s, interior = %s' % (
            y, zero, zeros, [dims[d] - n if k == d else 0 for k in range(len(dims))], zeros), y, zero)

    def edge(self, x, d):
        """The first and last row again at the ends, as jnp.pad(mode='edge') writes it, cut off again."""
        dims = self.dims[x]
        ends = []
        for low in (0, dims[d] - 1):
            one = self.cut(x, d, low, low + 1)
            wide = self.dims[one][:d] + [1] + self.dims[one][d:]
            self.allow(x, d)
            wide = self.add(wide, 'stablehlo.broadcast_in_dim %s, dims = %s' % (one, [k for k in range(len(dims) + 1) if k != d]), one)
            ends.append(self.add(list(self.dims[one]), 'stablehlo.reshape %s' % wide, wide))
        y = self.join([ends[0], x, ends[1]], d)
        at = self.rng.randint(0, 2)
        return self.cut(y, d, at, at + dims[d])

    def flip(self, x, d):
        """Along d, and perhaps along others: all at once."""
        dims = sorted({d} | {k for k in range(len(self.dims[x])) if self.rng.random() < 0.4})
        uneven = [k for k in dims if self.dims[x][k] % self.shards(k)]
        for k in uneven:
            self.allow(x, k, 2 * -(-self.dims[x][k] // self.shards(k)), 0)
        if any(self.shards(k) > 1 for k in dims if k not in uneven):
            self.limit += self.part_bytes(self.dims[x])
        return self.add(list(self.dims[x]), 'stablehlo.reverse %s, dims = %s' % (x, dims), x)

    def butterfly(self, x, d):
        """Sums of two halves, or of every second element, before their differences."""
        n = self.dims[x][d] // 2
        if n < 1:
            return x
        a, b = (self.cut(x, d, 0, n), self.cut(x, d, n, 2 * n)) if self.rng.random() < 0.5 else (self.cut(x, d, 0, 2 * n, 2), self.cut(x, d, 1, 2 * n, 2))
        for _ in range(4):
            self.allow(x, d)
        return self.join([self.binary('add', a, b), self.binary('subtract', a, b)], d)

    def both(self, x, d):
        """x beside its neighbour, added: the value is read twice."""
        y = self.roll(x, d)
        return self.add(list(self.dims[x]), 'stablehlo.add %s, %s' % (x, y), x, y) if y != x else x

    def binary(self, op, x, y):
        return self.add(list(self.dims[x]), 'stablehlo.%s %s, %s' % (op, x, y), x, y)

    def computed(self, x, d, low, high, w):
        """Of elements [low, high) along d what their neighbours at a distance of up to w make, in one to three ops."""
        y = self.cut(x, d, low, high)
        for _ in range(self.rng.randint(1, 3)):
            k = self.rng.randint(max(-w, -low), min(w, self.dims[x][d] - high))
            y = self.binary(self.rng.choice(['add', 'subtract', 'maximum']), y, self.cut(x, d, low + k, high + k))
        return y

    def inside(self, x, d):
        """All but the border, computed of neighbours: x.at[w:-w].set(f(x)), beside the border, or padded."""
        n, w = self.dims[x][d], self.rng.randint(1, 2)
        if n < 2 * w + 1:
            return x
        y = self.computed(x, d, w, n - w, w)
        for _ in range(4):
            self.allow(x, d)
        how = self.rng.randrange(3)
        if how == 0:
            return self.join([self.cut(x, d, 0, w), y, self.cut(x, d, n - w, n)], d)
        if how == 1:
            return self.write(x, y, d, w)
        zero, zeros = self.scalar(2), [0] * len(self.dims[x])
        edge = [w if k == d else 0 for k in range(len(zeros))]
        return self.add(list(self.dims[x]), 'stablehlo.pad %s, %s, low = %s, high = %s, interior = %s' % (y, zero, edge, edge, zeros), y, zero)

    def core(self, x, d):
        """The same in all dimensions at once."""
        if min(self.dims[x]) < 3:
            return x
        starts, y = [1] * len(self.dims[x]), x
        for k, n in enumerate(self.dims[x]):
            y = self.cut(y, k, 1, n - 1)
        for _ in range(self.rng.randint(1, 3)):
            z, at = x, self.rng.randrange(len(starts))
            for k, n in enumerate(self.dims[x]):
                low = self.rng.choice([0, 2]) if k == at else 1
                z = self.cut(z, k, low, n - 2 + low)
                self.allow(x, k)
                self.allow(x, k)
            y = self.binary('add', y, z)
        return self.write_at(x, y, starts)

    def slope(self, x, d):
        """A gradient: other formulas for the first and the last."""
        n = self.dims[x][d]
        if n < 3:
            return x
        for _ in range(4):
            self.allow(x, d)
        two = lambda low, high: self.binary('subtract', self.cut(x, d, high, high + 1), self.cut(x, d, low, low + 1))
        middle = self.binary('subtract', self.cut(x, d, 2, n), self.cut(x, d, 0, n - 2))
        return self.join([two(0, 1), middle, two(n - 2, n - 1)], d)

    def halves(self, x, d):
        """The second half negated and put before the first."""
        n = self.dims[x][d]
        self.allow(x, d)
        self.allow(x, d)
        y = self.cut(x, d, n // 2, n)
        y = self.add(list(self.dims[y]), 'stablehlo.negate %s' % y, y)
        return self.join([y, self.cut(x, d, 0, n // 2)], d)

    def write(self, x, u, d, at):
        return self.write_at(x, u, [at if k == d else 0 for k in range(len(self.dims[x]))])

    def write_at(self, x, u, at):
        starts = []
        for a in at:
            starts.append('%%%d' % len(self.lines))
            self.lines.append('  %s = stablehlo.constant dense<%d> : tensor<i32>' % (starts[-1], a))
        name = '%%%d' % len(self.lines)
        self.dims[name] = list(self.dims[x])
        self.lines.append('  %s = stablehlo.dynamic_update_slice %s, %s, %s : (%s, %s%s) -> %s' % (
            name, x, u, ', '.join(starts), tensor(self.dims[x], self.dtype), tensor(self.dims[u], self.dtype), ', tensor<i32>' * len(starts),
            tensor(self.dims[x], self.dtype)))
        return name

    def repeat(self, x, steps):
        """The steps, which keep the shape, in a loop."""
        turns, n, known, before = self.rng.randint(2, 3), len(self.lines), dict(self.dims), self.limit
        kind, i, v = tensor(self.dims[x], self.dtype), '%%i%d' % n, '%%v%d' % n
        self.lines += ['  %%zero%d = stablehlo.constant dense<0> : tensor<i32>' % n,
                       '  %%turns%d = stablehlo.constant dense<%d> : tensor<i32>' % (n, turns),
                       '  %%one%d = stablehlo.constant dense<1> : tensor<i32>' % n,
                       '  %%loop%d:2 = stablehlo.while(%s = %%zero%d, %s = %s) : tensor<i32>, %s\n  cond {\n'
                       '    %%more = stablehlo.compare LT, %s, %%turns%d : (tensor<i32>, tensor<i32>) -> tensor<i1>\n'
                       '    stablehlo.return %%more : tensor<i1>\n  } do {' % (n, i, n, v, x, kind, i, n)]
        self.dims[v] = list(self.dims[x])
        y = v
        for step in steps:
            z = step(y, self.rng.randrange(len(self.axes)))
            y = z if self.dims[z] == self.dims[v] else y
        self.limit = before + turns * (self.limit - before)
        self.lines.append('    %%next = stablehlo.add %s, %%one%d : tensor<i32>\n    stablehlo.return %%next, %s : tensor<i32>, %s\n  }' % (i, n, y, kind))
        self.dims = known
        self.dims['%%loop%d#1' % n] = list(known[x])
        return '%%loop%d#1' % n

    def allow(self, x, d, rows=None, more=1):
        """At most so many rows along d, or two parts of all that x is; `more`: a result of another size lies in other parts."""
        if self.shards(d) == 1:
            return
        n = self.dims[x][d]
        self.limit += (-(-n // self.shards(d)) + 2 if rows is None else rows) * self.part_bytes(self.dims[x], d) * (1 + more)

    def text(self, result):
        sharding = '#sdy.sharding<@m, [%s]>' % ', '.join('{%s}' % ', '.join('"%s"' % a for a in axes) for axes in self.axes)
        mesh = ', '.join('"%s"=%d' % m for m in self.mesh)
        ids = ', device_ids=%s' % self.ids if self.ids and self.ids != sorted(self.ids) else ''
        return 'sdy.mesh @m = <[%s]%s>\nfunc.func @main(%%a: %s {sdy.sharding = %s}) -> (%s {sdy.sharding = %s}) {\n%s\n  return %s : %s\n}\n' % (
            mesh, ids, tensor(self.dims['%a'], self.dtype), sharding, tensor(self.dims[result], self.dtype), sharding, '\n'.join(self.lines), result,
            tensor(self.dims[result], self.dtype))


def program(seed):
    """(text, bound of its bytes)"""
    rng = random.Random(seed)
    p = Program(rng)
    x = '%a'
    kinds = [p.roll, p.roll, p.both, p.halo, p.pad, p.piece, p.mosaic, p.ends, p.update, p.scatter, p.edge, p.inside, p.inside, p.core, p.slope, p.halves, p.every_second, p.flip,
             p.butterfly, p.take]
    if p.exact:
        kinds = [p.roll, p.both, p.flip]
    for _ in range(rng.randint(1, 4)):
        steps = [rng.choice(kinds) for _ in range(rng.randint(1, 2))]
        x = p.repeat(x, steps) if rng.random() < 0.15 else steps[0](x, rng.randrange(len(p.axes)))
    return p.text(x), p.limit


def check(seed, folder):
    """None, or what is wrong."""
    text, limit = program(seed)
    path = os.path.join(folder, 'program.mlir')
    with open(path, 'w') as f:
        f.write(text)
    said = subprocess.run([WEFT, 'verify', path], capture_output=True, text=True)
    if said.returncode:
        return 'seed %d: verify says\n%s%s\n%s' % (seed, said.stdout, said.stderr, text)
    said = subprocess.run([WEFT, 'verify', '--shardings=%d:2' % seed, '--devices=8', path], capture_output=True, text=True)
    if said.returncode:
        return 'seed %d: verify --shardings=%d:2 --devices=8 says\n%s%s\n%s' % (seed, seed, said.stdout, said.stderr, text)
    plan = subprocess.run([WEFT, 'dryrun', '--json', path], capture_output=True, text=True)
    sent = json.loads(plan.stdout)['wire_bytes']
    return 'seed %d: sends %d bytes, more than %d\n%s' % (seed, sent, limit, text) if sent > limit else None


def test_stencils(tmp_path):
    wrong = [w for w in (check(SEED * 1000 + i, tmp_path) for i in range(CASES)) if w]
    assert not wrong, '\n'.join(wrong)


if __name__ == '__main__':
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])):
            wrong = check(seed, folder)
            if wrong:
                print(wrong, flush=True)
