"""Random sharded programs with loops, branches, barriers, manual computations, constraints and groups, as MLIR text.

program(seed): elementwise ops, transposes, products, reductions and broadcasts over 8x8 and 8 tensors, nested in control flow.
"""
import random

AXES = [('a', 2), ('b', 2), ('c', 4)]
MATRIX, VECTOR = 'tensor<8x8xf32>', 'tensor<8xf32>'


class Program:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.n = 0
        self.lines = []
        self.depth = 1
        self.groups = []

    def name(self):
        self.n += 1
        return '%%v%d' % self.n

    def put(self, line):
        self.lines.append('  ' * self.depth + line)

    def sharding(self, type, bound=(), closed=0.3):
        """Axes dealt to the dimensions at random, whole or in parts; bound ones left out."""
        free = [a for a in AXES if a[0] not in bound]
        self.r.shuffle(free)
        dims = [[] for _ in range(2 if type == MATRIX else 1)]
        for name, size in free:
            if self.r.random() < 0.45:
                part = ':(1)2' if size == 4 and self.r.random() < 0.3 else ''
                self.r.choice(dims).append('"%s"%s' % (name, part))
        text = []
        for d in dims:
            if self.r.random() >= closed:
                d.append('?')
            text.append('{%s}' % ', '.join(d))
        used = ' '.join(text)
        replicated = [n for n, _ in AXES if n not in bound and '"%s"' % n not in used and self.r.random() < 0.1]
        more = ', replicated={%s}' % ', '.join('"%s"' % n for n in replicated) if replicated else ''
        return '<@mesh, [%s]%s>' % (', '.join(text), more)

    def pick(self, values, type):
        found = [v for v, t in values if t == type]
        return self.r.choice(found[-6:] if self.r.random() < 0.7 else found) if found else None

    def step(self, values, bound):
        kind = self.r.choice(['unary', 'binary', 'binary', 'binary', 'transpose', 'dot', 'reduce', 'broadcast', 'constant', 'constraint',
                              'while', 'case', 'barrier', 'optimization', 'manual', 'group', 'select'])
        m, v = self.pick(values, MATRIX), self.pick(values, VECTOR)
        out = self.name()
        if kind in ('while', 'case', 'manual') and self.depth > 3:
            kind = 'binary'
        if kind == 'unary':
            x, t = self.r.choice(values)
            self.put('%s = stablehlo.%s %s : %s' % (out, self.r.choice(['tanh', 'exponential', 'negate']), x, t))
            values.append((out, t))
        elif kind == 'binary':
            x, t = self.r.choice(values)
            self.put('%s = stablehlo.%s %s, %s : %s' % (out, self.r.choice(['add', 'multiply', 'maximum']), x, self.pick(values, t), t))
            values.append((out, t))
        elif kind == 'select' and m:
            c = self.name()
            self.put('%s = stablehlo.compare LT, %s, %s : (%s, %s) -> tensor<8x8xi1>' % (c, m, self.pick(values, MATRIX), MATRIX, MATRIX))
            self.put('%s = stablehlo.select %s, %s, %s : tensor<8x8xi1>, %s' % (out, c, m, self.pick(values, MATRIX), MATRIX))
            values.append((out, MATRIX))
        elif kind == 'transpose' and m:
            self.put('%s = stablehlo.transpose %s, dims = [1, 0] : (%s) -> %s' % (out, m, MATRIX, MATRIX))
            values.append((out, MATRIX))
        elif kind == 'dot' and m:
            self.put('%s = stablehlo.dot_general %s, %s, contracting_dims = [%d] x [%d] : (%s, %s) -> %s' % (
                out, m, self.pick(values, MATRIX), self.r.randrange(2), self.r.randrange(2), MATRIX, MATRIX, MATRIX))
            values.append((out, MATRIX))
        elif kind == 'reduce' and m:
            z = self.name()
            self.put('%s = stablehlo.constant dense<0.0> : tensor<f32>' % z)
            self.put('%s = stablehlo.reduce(%s init: %s) applies stablehlo.add across dimensions = [%d] : (%s, tensor<f32>) -> %s' % (
                out, m, z, self.r.randrange(2), MATRIX, VECTOR))
            values.append((out, VECTOR))
        elif kind == 'broadcast' and v:
            self.put('%s = stablehlo.broadcast_in_dim %s, dims = [%d] : (%s) -> %s' % (out, v, self.r.randrange(2), VECTOR, MATRIX))
            values.append((out, MATRIX))
        elif kind == 'constant':
            t = self.r.choice([MATRIX, VECTOR])
            self.put('%s = stablehlo.constant dense<%d.0> : %s' % (out, self.r.randrange(3), t))
            values.append((out, t))
        elif kind == 'constraint':
            x, t = self.r.choice(values)
            self.put('%s = sdy.sharding_constraint %s %s : %s' % (out, x, self.sharding(t, bound, 0.6), t))
            values.append((out, t))
        elif kind == 'barrier':
            x, t = self.r.choice(values)
            self.put('%s = sdy.propagation_barrier %s allowed_direction=%s : %s' % (
                out, x, self.r.choice(['NONE', 'FORWARD', 'BACKWARD']), t))
            values.append((out, t))
        elif kind == 'optimization':
            xs = [self.r.choice(values) for _ in range(2)]
            self.put('%s:2 = stablehlo.optimization_barrier %s : %s' % (out, ', '.join(x for x, _ in xs), ', '.join(t for _, t in xs)))
            values += [('%s#%d' % (out, i), t) for i, (_, t) in enumerate(xs)]
        elif kind == 'group' and not bound and self.depth == 1:
            if self.groups and self.r.random() < 0.7:
                group, t = self.r.choice(self.groups)
            else:
                group, t = len(self.groups), self.r.choice([MATRIX, VECTOR])
                self.groups.append((group, t))
            x = self.pick(values, t)
            if x:
                self.put('sdy.sharding_group %s group_id=%d : %s' % (x, group, t))
        elif kind == 'while':
            self.loop(values, bound, out)
        elif kind == 'case':
            self.branch(values, bound, out)
        elif kind == 'manual':
            self.manual(values, bound, out)

    def steps(self, values, bound, n):
        for _ in range(n):
            self.step(values, bound)

    def loop(self, values, bound, out):
        inits = [self.r.choice(values) for _ in range(self.r.randrange(1, 4))]
        args = [self.name() for _ in inits]
        i, zero = self.name(), self.name()
        types = ['tensor<i32>'] + [t for _, t in inits]
        self.put('%s = stablehlo.constant dense<0> : tensor<i32>' % zero)
        self.put('%s:%d = stablehlo.while(%s) : %s' % (out, len(types), ', '.join(
            '%s = %s' % p for p in zip([i] + args, [zero] + [x for x, _ in inits])), ', '.join(types)))
        self.depth += 1
        c, n = self.name(), self.name()
        self.put('cond {')
        self.put('  %s = stablehlo.constant dense<3> : tensor<i32>' % n)
        self.put('  %s = stablehlo.compare LT, %s, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>' % (c, i, n))
        self.put('  stablehlo.return %s : tensor<i1>' % c)
        self.put('} do {')
        self.depth += 1
        inner = list(values) + [(a, t) for a, (_, t) in zip(args, inits)] * 2
        self.steps(inner, bound, self.r.randrange(1, 5))
        one, nxt = self.name(), self.name()
        self.put('%s = stablehlo.constant dense<1> : tensor<i32>' % one)
        self.put('%s = stablehlo.add %s, %s : tensor<i32>' % (nxt, i, one))
        back = [self.pick(inner, t) for _, t in inits]
        self.put('stablehlo.return %s : %s' % (', '.join([nxt] + back), ', '.join(types)))
        self.depth -= 1
        self.put('}')
        self.depth -= 1
        values += [('%s#%d' % (out, k + 1), t) for k, (_, t) in enumerate(inits)]

    def branch(self, values, bound, out):
        which = self.name()
        types = [t for _, t in [self.r.choice(values) for _ in range(self.r.randrange(1, 3))]]
        self.put('%s = stablehlo.constant dense<1> : tensor<i32>' % which)
        self.put('%s:%d = "stablehlo.case"(%s) ({' % (out, len(types), which))
        for k in range(2):
            self.depth += 1
            inner = list(values)
            self.steps(inner, bound, self.r.randrange(0, 3))
            self.put('stablehlo.return %s : %s' % (', '.join(self.pick(inner, t) for t in types), ', '.join(types)))
            self.depth -= 1
            self.put('}, {' if k == 0 else '}) : (tensor<i32>) -> (%s)' % ', '.join(types))
        values += [('%s#%d' % (out, k), t) for k, t in enumerate(types)]

    def manual(self, values, bound, out):
        """Over one axis that no dimension uses, so that inner shapes are the outer ones."""
        free = [n for n, _ in AXES if n not in bound]
        if len(free) < 2:
            return
        axis = self.r.choice(free)
        ins = [self.r.choice(values) for _ in range(self.r.randrange(1, 3))]
        args = [self.name() for _ in ins]
        types = [t for _, t in ins]
        inner = list(zip(args, types))

        def with_axis(s):
            body = s[:-1]
            if 'replicated={' in body:
                names = sorted(body.split('replicated={')[1].rstrip('}').replace('"', '').split(', ') + [axis])
                return body.split('replicated={')[0] + 'replicated={%s}>' % ', '.join('"%s"' % n for n in names)
            return body + ', replicated={"%s"}>' % axis
        at = len(self.lines)
        self.depth += 1
        self.steps(inner, tuple(bound) + (axis,), self.r.randrange(1, 5))
        result, rtype = self.r.choice(inner)
        self.put('sdy.return %s : %s' % (result, rtype))
        self.depth -= 1
        shard = [with_axis(self.sharding(t, tuple(bound) + (axis,))) for t in types]
        self.lines.insert(at, '  ' * self.depth + '%s = sdy.manual_computation(%s) in_shardings=[%s] out_shardings=[%s] manual_axes={"%s"} (%s) {' % (
            out, ', '.join(x for x, _ in ins), ', '.join(shard), with_axis(self.sharding(rtype, tuple(bound) + (axis,))), axis,
            ', '.join('%s: %s' % p for p in zip(args, types))))
        self.put('} : (%s) -> %s' % (', '.join(types), rtype))
        values.append((out, rtype))


def program(seed, length=14):
    p = Program(seed)
    values = [('%%x%d' % i, p.r.choice([MATRIX, MATRIX, VECTOR])) for i in range(p.r.randrange(2, 5))]
    if not any(t == MATRIX for _, t in values):
        values[0] = (values[0][0], MATRIX)
    args = []
    for x, t in values:
        s = ' {sdy.sharding = #sdy.sharding%s}' % p.sharding(t) if p.r.random() < 0.6 else ''
        args.append('%s: %s%s' % (x, t, s))
    p.steps(values, (), length)
    outs = [p.r.choice(values[-8:]) for _ in range(p.r.randrange(1, 4))]
    results = ['%s%s' % (t, ' {sdy.sharding = #sdy.sharding%s}' % p.sharding(t) if p.r.random() < 0.3 else '') for _, t in outs]
    mesh = '  sdy.mesh @mesh = <[%s]>' % ', '.join('"%s"=%d' % a for a in AXES)
    return 'module {\n%s\n  func.func public @main(%s) -> (%s) {\n%s\n    return %s : %s\n  }\n}\n' % (
        mesh, ', '.join(args), ', '.join(results), '\n'.join('  ' + l for l in p.lines), ', '.join(x for x, _ in outs), ', '.join(t for _, t in outs))
