"""Random sharded programs over many ops, shapes and meshes, as MLIR text.

program(seed): tensors of rank 0 to 3 whose dimensions have many divisors, or few; meshes of one to four axes, some of size 1,
sometimes a second mesh of the same axes under another name and one of a single device; shardings with parts of axes, priorities,
replicated and unreduced axes; elementwise ops, and ops that reshape, resize, contract, sort, look up and cut (see wide_ops.py).
"""
import random

from wide_ops import WIDE, WideOps, text_of

SIZES = [1, 2, 3, 4, 6, 8, 12, 16]


class Program(WideOps):
    SIZES = SIZES

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.n = 0
        self.lines = []
        names = ['a', 'b', 'c', 'd'][:self.r.randrange(1, 5)]
        self.axes = [(n, self.r.choice([1, 2, 2, 2, 3, 4, 4, 6, 8])) for n in names]
        self.arguments = []
        self.bound = ()
        self.unreducible = True
        self.priorities = self.r.random() < 0.3
        u = self.r.random()
        self.meshes = ['mesh'] + (['other'] if u < 0.2 else []) + (['turned'] if u < 0.1 else []) + (['device'] if 0.07 < u < 0.13 else [])

    def name(self):
        self.n += 1
        return '%%v%d' % self.n

    def shape(self):
        return tuple(self.r.choice(SIZES) for _ in range(self.r.choice([0, 1, 1, 2, 2, 2, 3, 3])))

    def part(self, name, size):
        """The axis, or now and then a major part of it."""
        parts = [p for p in (2, 3, 4) if size % p == 0 and p < size]
        if parts and self.r.random() < 0.3:
            return '"%s":(1)%d' % (name, self.r.choice(parts))
        return '"%s"' % name

    def mesh_text(self):
        """All of one size; @turned counts its devices, or its axes, the other way round, @device is one of them."""
        count = 1
        for _, size in self.axes:
            count *= size
        axes = ['"%s"=%d' % a for a in self.axes]
        turned = axes[::-1] if len(axes) > 1 and self.priorities else axes
        ids = ', device_ids=%s' % list(range(count))[::-1] if turned is axes and count > 1 else ''
        text = {'mesh': '<[%s]>' % ', '.join(axes), 'other': '<[%s]>' % ', '.join(axes), 'turned': '<[%s]%s>' % (', '.join(turned), ids),
                'device': '<[], device_ids=[0]>'}
        return '\n'.join('  sdy.mesh @%s = %s' % (m, text[m]) for m in self.meshes)

    def sharding(self, rank, closed=0.4):
        free = [a for a in self.axes if a[0] not in self.bound]
        mesh = self.meshes[0] if self.bound else self.r.choice(self.meshes)
        if mesh == 'device':
            return '<@device, []>'
        self.r.shuffle(free)
        dims, replicated, unreduced = [[] for _ in range(rank)], [], []
        for name, size in free:
            u = self.r.random()
            if rank and u < 0.5:
                self.r.choice(dims).append(self.part(name, size))
            elif u < 0.56:
                replicated.append(name)
            elif u < 0.6 and self.unreducible:
                unreduced.append(name)
        text = []
        for d in dims:
            is_open = self.r.random() >= closed
            text.append('{%s}' % ', '.join(d + (['?'] if is_open else [])))
            if self.priorities and (d or is_open) and self.r.random() < 0.5:
                text[-1] += 'p%d' % self.r.randrange(3)
        more = ''.join(', %s={%s}' % (what, ', '.join('"%s"' % n for n in sorted(names)))
                       for what, names in (('replicated', replicated), ('unreduced', unreduced)) if names)
        return '<@%s, [%s]%s>' % (mesh, ', '.join(text), more)

    def line(self, text, *args):
        self.lines.append('    ' + text % args)

    def put(self, values, shape, line, *args):
        out = self.name()
        self.line('%s = %s', out, line % args)
        values.append((out, tuple(shape)))
        return out

    def pick(self, values, test=lambda s: True):
        found = [v for v in values if test(v[1])]
        return self.r.choice(found[-8:] if self.r.random() < 0.7 else found) if found else None

    def scalar(self, text, element='f32'):
        out = self.name()
        self.line('%s = stablehlo.constant dense<%s> : tensor<%s>', out, text, element)
        return out

    def argument(self, shape, element='f32'):
        """One more of the function's."""
        x = '%%y%d' % len(self.arguments)
        self.arguments.append((x, tuple(shape), element))
        return x

    def operand(self, values, shape):
        """A value of that shape: one that is there, or an argument more."""
        found = self.pick(values, lambda t: t == tuple(shape))
        if found and self.r.random() < 0.8:
            return found[0]
        x = self.argument(shape)
        values.append((x, tuple(shape)))
        return x

    def on_result(self, shape):
        """A sharding of an op's one result, now and then."""
        return ' {sdy.sharding = #sdy.sharding_per_value<[%s]>}' % self.sharding(len(shape)) if self.r.random() < 0.15 else ''

    def step(self, values):
        if self.r.random() < 0.45:
            getattr(self, self.r.choice(WIDE))(values)
            return
        kind = self.r.choice(['unary', 'binary', 'binary', 'binary', 'transpose', 'reshape', 'reshape', 'concatenate', 'slice', 'pad', 'reverse',
                              'reduce', 'broadcast', 'dot', 'dot', 'sort', 'dynamic_slice', 'update', 'constraint', 'constant', 'call', 'rule'])
        getattr(self, kind)(values)

    def unary(self, values):
        x, s = self.pick(values)
        self.put(values, s, 'stablehlo.%s %s : %s', self.r.choice(['tanh', 'exponential', 'negate']), x, text_of(s))

    def binary(self, values):
        x, s = self.pick(values)
        y, _ = self.pick(values, lambda t: t == s)
        self.put(values, s, 'stablehlo.%s %s, %s : %s', self.r.choice(['add', 'multiply', 'maximum']), x, y, text_of(s))

    def constraint(self, values):
        x, s = self.pick(values)
        self.put(values, s, 'sdy.sharding_constraint %s %s : %s', x, self.sharding(len(s), 0.6), text_of(s))

    def constant(self, values):
        s = self.shape()
        self.put(values, s, 'stablehlo.constant dense<%d.0> : %s', self.r.randrange(3), text_of(s))

    def transpose(self, values):
        x, s = self.pick(values)
        p = list(range(len(s)))
        self.r.shuffle(p)
        to = [s[i] for i in p]
        self.put(values, to, 'stablehlo.transpose %s, dims = [%s] : (%s) -> %s', x, ', '.join(map(str, p)), text_of(s), text_of(to))

    def reshape(self, values):
        x, s = self.pick(values)
        left, to = 1, []
        for d in s:
            left *= d
        while left > 1 and len(to) < 3:
            d = self.r.choice([k for k in range(1, left + 1) if left % k == 0])
            to.append(d)
            left //= d
        if left > 1:
            to.append(left)
        self.put(values, to, 'stablehlo.reshape %s : (%s) -> %s', x, text_of(s), text_of(to))

    def concatenate(self, values):
        found = self.pick(values, lambda t: t)
        if not found:
            return
        x, s = found
        y, t = self.pick(values, lambda t: t == s)
        d = self.r.randrange(len(s))
        to = s[:d] + (2 * s[d],) + s[d + 1:]
        self.put(values, to, 'stablehlo.concatenate %s, %s, dim = %d : (%s, %s) -> %s', x, y, d, text_of(s), text_of(t), text_of(to))

    def slice(self, values):
        x, s = self.pick(values)
        to = [self.r.choice([d, d, max(1, d // 2)]) for d in s]
        at = ', '.join('%d:%d' % (d - t, d) for d, t in zip(s, to))
        self.put(values, to, 'stablehlo.slice %s [%s] : (%s) -> %s', x, at, text_of(s), text_of(to))

    def pad(self, values):
        x, s = self.pick(values)
        more = [self.r.choice([0, 0, 1, 4]) for _ in s]
        to = [d + m for d, m in zip(s, more)]
        zeros = ', '.join('0' for _ in s)
        z = self.scalar('0.0')
        self.put(values, to, 'stablehlo.pad %s, %s, low = [%s], high = [%s], interior = [%s] : (%s, tensor<f32>) -> %s', x, z, zeros,
                 ', '.join(map(str, more)), zeros, text_of(s), text_of(to))

    def reverse(self, values):
        x, s = self.pick(values)
        dims = [d for d in range(len(s)) if self.r.random() < 0.5]
        self.put(values, s, 'stablehlo.reverse %s, dims = [%s] : %s', x, ', '.join(map(str, dims)), text_of(s))

    def reduce(self, values):
        found = self.pick(values, lambda t: t)
        if not found:
            return
        x, s = found
        dims = [d for d in range(len(s)) if self.r.random() < 0.5] or [0]
        to = [k for d, k in enumerate(s) if d not in dims]
        z = self.scalar('0.0')
        self.put(values, to, 'stablehlo.reduce(%s init: %s) applies stablehlo.add across dimensions = [%s] : (%s, tensor<f32>) -> %s', x, z,
                 ', '.join(map(str, dims)), text_of(s), text_of(to))

    def broadcast(self, values):
        found = self.pick(values, lambda t: len(t) < 3)
        if not found:
            return
        x, s = found
        at = sorted(self.r.sample(range(len(s) + 1), len(s)))
        to = [self.r.choice(SIZES) for _ in range(len(s) + 1)]
        for i, d in enumerate(at):
            if s[i] != 1 or self.r.random() < 0.5:
                to[d] = s[i]
        self.put(values, to, 'stablehlo.broadcast_in_dim %s, dims = [%s] : (%s) -> %s', x, ', '.join(map(str, at)), text_of(s), text_of(to))

    def dot(self, values):
        found = self.pick(values, lambda t: t)
        if not found:
            return
        x, s = found
        pairs = [(v, t, i, k) for v, t in values for i in range(len(s)) for k in range(len(t)) if s[i] == t[k]]
        y, t, i, k = self.r.choice(pairs)
        batch = [(d, e) for d in range(len(s)) for e in range(len(t)) if d != i and e != k and s[d] == t[e]]
        b = self.r.choice(batch) if batch and self.r.random() < 0.4 else None
        to = ([s[b[0]]] if b else []) + [n for d, n in enumerate(s) if d != i and (not b or d != b[0])] + [
            n for e, n in enumerate(t) if e != k and (not b or e != b[1])]
        if len(to) > 3:
            return
        batching = 'batching_dims = [%d] x [%d], ' % b if b else ''
        self.put(values, to, 'stablehlo.dot_general %s, %s, %scontracting_dims = [%d] x [%d] : (%s, %s) -> %s', x, y, batching, i, k, text_of(s),
                 text_of(t), text_of(to))

    def sort(self, values):
        found = self.pick(values, lambda t: t)
        if not found:
            return
        x, s = found
        self.put(values, s, '"stablehlo.sort"(%s) <{dimension = %d : i64}> ({\n    ^bb0(%%l: tensor<f32>, %%r: tensor<f32>):\n'
                 '      %%c = stablehlo.compare LT, %%l, %%r : (tensor<f32>, tensor<f32>) -> tensor<i1>\n'
                 '      stablehlo.return %%c : tensor<i1>\n    }) : (%s) -> %s', x, self.r.randrange(len(s)), text_of(s), text_of(s))

    def indices(self, s):
        return [self.scalar('0', 'i32') for _ in s]

    def dynamic_slice(self, values):
        found = self.pick(values, lambda t: t)
        if not found:
            return
        x, s = found
        to = [self.r.choice([d, max(1, d // 2), 1]) for d in s]
        self.put(values, to, 'stablehlo.dynamic_slice %s, %s, sizes = [%s] : (%s) -> %s', x, ', '.join(self.indices(s)), ', '.join(map(str, to)),
                 ', '.join([text_of(s)] + ['tensor<i32>'] * len(s)), text_of(to))

    def update(self, values):
        pairs = [(v, s, w, t) for v, s in values for w, t in values if s and len(s) == len(t) and all(a >= b for a, b in zip(s, t))]
        if not pairs:
            return
        x, s, y, t = self.r.choice(pairs)
        self.put(values, s, 'stablehlo.dynamic_update_slice %s, %s, %s : (%s) -> %s', x, y, ', '.join(self.indices(s)),
                 ', '.join([text_of(s), text_of(t)] + ['tensor<i32>'] * len(s)), text_of(s))

    def call(self, values):
        x, s = self.pick(values)
        target = self.r.choice(['sdy_testonly', 'MoveToHost', 'mhlo.erf'])
        self.put(values, s, 'stablehlo.custom_call @%s(%s) : (%s) -> %s', target, x, text_of(s), text_of(s))

    def rule(self, values):
        """A rule of the user's, with factors of every kind."""
        found = self.pick(values, lambda t: t)
        if not found:
            return
        x, s = found
        letters = 'ijkl'[:len(s)]
        kinds = {}
        for c in letters:
            kinds.setdefault(self.r.choice(['', 'need_replication', 'permutation', 'blocked_propagation']), []).append(c)
        dims = '[%s]' % ', '.join(letters)
        more = ''.join(' %s={%s}' % (k, ', '.join(kinds[k])) for k in ('need_replication', 'permutation', 'blocked_propagation') if k in kinds)
        self.put(values, s, 'stablehlo.custom_call @mine(%s) {sdy.sharding_rule = #sdy.op_sharding_rule<(%s)->(%s) {%s}%s, custom>} : (%s) -> %s', x,
                 dims, dims, ', '.join('%s=%d' % p for p in zip(letters, s)), more, text_of(s), text_of(s))


def argument_text(p, x, shape, element='f32'):
    return '%s: %s%s' % (x, text_of(shape, element), ' {sdy.sharding = #sdy.sharding%s}' % p.sharding(len(shape)) if p.r.random() < 0.7 else '')


def program(seed, length=16):
    p = Program(seed)
    values = [('%%x%d' % i, p.shape()) for i in range(p.r.randrange(2, 5))]
    args = [argument_text(p, *v) for v in values]
    for _ in range(length):
        p.step(values)
    args += [argument_text(p, *a) for a in p.arguments]
    outs = [p.r.choice(values[-8:]) for _ in range(p.r.randrange(1, 4))]
    results = ['%s%s' % (text_of(s), ' {sdy.sharding = #sdy.sharding%s}' % p.sharding(len(s)) if p.r.random() < 0.3 else '') for _, s in outs]
    return 'module {\n%s\n  func.func public @main(%s) -> (%s) {\n%s\n    return %s : %s\n  }\n}\n' % (
        p.mesh_text(), ', '.join(args), ', '.join(results), '\n'.join(p.lines), ', '.join(x for x, _ in outs), ', '.join(text_of(s) for _, s in outs))
