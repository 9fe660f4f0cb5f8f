"""Random sharded programs of several functions: calls, nested calls, calls of one function from several places with different
shardings, named computations, meshes by several names, groups; see control_programs.py for what functions are made of.

program(seed): functions in any order, @main among them; some are public, some are called by nobody.
"""
import control_programs
from control_programs import AXES, MATRIX, VECTOR


class Function(control_programs.Program):
    def __init__(self, r, module, name):
        super().__init__(0)
        self.r, self.module, self.fname = r, module, name

    def sharding(self, type, bound=(), closed=0.3):
        text = super().sharding(type, bound, closed)
        if not bound and self.r.random() < self.module.strange:
            kind = self.r.randrange(4)
            if kind == 0:
                return '<@device, []>'
            return text.replace('@mesh', ['', '@same', '@other', '@none'][kind]) if kind != 3 else '<@none, [%s]>' % ', '.join(
                ['{}'] * (2 if type == MATRIX else 1))
        return text

    def attribute(self, types, chance):
        """Of an op's results."""
        if self.r.random() >= chance:
            return []
        return ['sdy.sharding = #sdy.sharding_per_value<[%s]>' % ', '.join(self.sharding(t) for t in types)]

    def step(self, values, bound):
        kind = self.r.random()
        if kind < 0.25 and self.module.functions:
            self.call(values)
        elif kind < 0.35 and self.depth < 4 and self.module.computations:
            self.named(values, bound)
        elif kind < 0.45:
            x, t = self.r.choice(values)
            out = self.name()
            attrs = self.attribute([t], 1) if not bound else []
            self.put('%s = stablehlo.%s %s%s : %s' % (out, self.r.choice(['abs', 'cosine']), x, ' {%s}' % attrs[0] if attrs else '', t))
            values.append((out, t))
        else:
            super().step(values, bound)

    def call(self, values):
        f, ins, outs = self.r.choice(self.module.functions)
        xs = [self.pick(values, t) for t in ins]
        if None in xs:
            return
        out = self.name()
        attrs = self.attribute(outs, 0.5) if self.depth == 1 else []
        if self.r.random() < 0.2:
            attrs.append('mhlo.frontend_attributes = {inlineable = "%s"}' % self.r.choice(['true', 'false']))
        self.put('%s%s = func.call @%s(%s)%s : (%s) -> (%s)' % (out, ':%d' % len(outs) if len(outs) > 1 else '', f, ', '.join(xs),
                                                                ' {%s}' % ', '.join(attrs) if attrs else '', ', '.join(ins), ', '.join(outs)))
        values += [('%s#%d' % (out, i) if len(outs) > 1 else out, t) for i, t in enumerate(outs)]

    def named(self, values, bound):
        ins = [self.r.choice(values) for _ in range(self.r.randrange(1, 3))]
        args = [self.name() for _ in ins]
        out, at, types = self.name(), len(self.lines), [t for _, t in ins]
        inner = list(zip(args, types))
        self.depth += 1
        self.steps(inner, bound, self.r.randrange(1, 4))
        results = [self.r.choice(inner[-4:]) for _ in range(self.r.randrange(1, 3))]
        self.put('sdy.return %s : %s' % (', '.join(x for x, _ in results), ', '.join(t for _, t in results)))
        self.depth -= 1
        outs = [t for _, t in results]
        name = self.module.named()
        side = ''
        for what, ts in (('in', types), ('out', outs)):
            if self.r.random() < 0.5:
                side += ' %s_shardings=[%s]' % (what, ', '.join(control_programs.Program.sharding(self, t, bound) for t in ts))
        self.lines.insert(at, '  ' * self.depth + '%s%s = sdy.named_computation<"%s">(%s)%s (%s) {' % (
            out, ':%d' % len(outs) if len(outs) > 1 else '', name, ', '.join(x for x, _ in ins), side,
            ', '.join('%s: %s' % p for p in zip(args, types))))
        self.put('}%s : (%s) -> (%s)' % (' {random_attr = 1 : i32}' if self.r.random() < 0.2 else '', ', '.join(types), ', '.join(outs)))
        values += [('%s#%d' % (out, i) if len(outs) > 1 else out, t) for i, t in enumerate(outs)]


class Module:
    def __init__(self, seed, strange, groups, clash, computations):
        import random
        self.r = random.Random(seed)
        self.computations = computations
        self.strange, self.functions, self.texts, self.groups, self.clash, self.count = strange, [], [], groups, clash, 0

    def named(self):
        """Of a computation. Shardy takes those of one name for copies of one function."""
        self.count += 1
        return self.r.choice(['part', 'whole', 'f0', 'main']) if self.clash else 'named%d' % self.count

    def function(self, name, length, main):
        f = Function(self.r, self, name)
        f.groups = self.groups_so_far if self.groups else []
        values = [('%%x%d' % i, self.r.choice([MATRIX, MATRIX, VECTOR])) for i in range(self.r.randrange(1, 4))]
        if main:
            values += [('%m', MATRIX), ('%n', VECTOR)]
        ins = [t for _, t in values]
        args = ['%s: %s%s' % (x, t, ' {sdy.sharding = #sdy.sharding%s}' % f.sharding(t) if self.r.random() < 0.4 else '') for x, t in values]
        f.steps(values, (), length)
        outs = [self.r.choice(values[-6:]) for _ in range(self.r.randrange(1, 3))]
        results = ['%s%s' % (t, ' {sdy.sharding = #sdy.sharding%s}' % f.sharding(t) if self.r.random() < 0.3 else '') for _, t in outs]
        kind = 'public ' if main else self.r.choice(['private ', 'private ', ''])
        more = ''
        if not main and self.r.random() < 0.15:
            more = ' attributes {execution_thread = "thread%d"}' % self.r.randrange(2)
        self.texts.append('  func.func %s@%s(%s) -> (%s)%s {\n%s\n    return %s : %s\n  }\n' % (
            kind, name, ', '.join(args), ', '.join(results), more, '\n'.join('  ' + l for l in f.lines), ', '.join(x for x, _ in outs),
            ', '.join(t for _, t in outs)))
        self.functions.append((name, ins, [t for _, t in outs]))


def program(seed, strange=0.0, groups=False, clash=False, computations=True, length=8):
    """strange: how many shardings name other meshes than @mesh; for passes that do not ask which. clash: computations share names."""
    m = Module(seed, strange, groups, clash, computations)
    m.groups_so_far = []
    for i in range(m.r.randrange(1, 5)):
        m.function(m.r.choice(['f%d' % i, 'f%d' % i, 'part_%d' % i]), m.r.randrange(1, 5), False)
    m.function('main', length, True)
    m.r.shuffle(m.texts)
    axes = ', '.join('"%s"=%d' % a for a in AXES)
    meshes = ['@mesh = <[%s]>' % axes]
    if strange:
        meshes += ['@same = <[%s]>' % axes, '@other = <["c"=4, "a"=2, "b"=2, "one"=1]>', '@device = <[], device_ids=[3]>', '@none = <[]>']
    return 'module {\n%s\n%s}\n' % ('\n'.join('  sdy.mesh ' + s for s in meshes), ''.join(m.texts))


if __name__ == '__main__':
    import sys
    print(program(int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 0.0, len(sys.argv) > 3))
