"""Random sharded programs of everything at once: the ops, shapes and meshes of op_programs.py in loops, branches, barriers, groups,
manual computations whose bodies have local shapes, and functions that call each other.

program(seed): one function. calls(seed): several.
"""
import op_programs
from wide_ops import text_of

CONSTANTS = {'f32': '0.0', 'i32': '0', 'ui64': '0'}


class Mixed(op_programs.Program):
    def __init__(self, seed):
        super().__init__(seed)
        self.depth, self.isolated, self.groups, self.functions = 0, False, [], []

    def argument(self, shape, element='f32'):
        """A body that sees nothing from outside makes itself a constant."""
        if not self.isolated:
            return super().argument(shape, element)
        out = self.name()
        self.line('%s = stablehlo.constant dense<%s> : %s', out, CONSTANTS[element], text_of(shape, element))
        return out

    def step(self, values):
        u = self.r.random()
        if u < 0.7:
            super().step(values)
            return
        kinds = ['barrier', 'optimization', 'group'] + (['while_', 'case', 'manual'] if self.depth < 3 else []) + (['call_function'] if self.functions else [])
        getattr(self, self.r.choice(kinds))(values)

    def steps(self, values, n):
        for _ in range(n):
            self.step(values)

    def some(self, values, least=1):
        return [self.pick(values) for _ in range(self.r.randrange(least, 4))]

    def barrier(self, values):
        x, s = self.pick(values)
        self.put(values, s, 'sdy.propagation_barrier %s allowed_direction=%s : %s', x, self.r.choice(['NONE', 'FORWARD', 'BACKWARD']), text_of(s))

    def optimization(self, values):
        some, out = self.some(values), self.name()
        types = [text_of(s) for _, s in some]
        self.line('%s:%d = stablehlo.optimization_barrier %s : %s', out, len(some), ', '.join(x for x, _ in some), ', '.join(types))
        values += [('%s#%d' % (out, i), s) for i, (_, s) in enumerate(some)]

    def group(self, values):
        """Outside of loops, in whose bodies Shardy's groups work one way only for what an edge stands for."""
        if self.bound or self.depth:
            return
        x, s = self.pick(values)
        alike = [g for g, t in self.groups if t == s]
        if alike and self.r.random() < 0.8:
            g = self.r.choice(alike)
        else:
            g = len(self.groups)
            self.groups.append((g, s))
        self.line('sdy.sharding_group %s group_id=%d : %s', x, g, text_of(s))

    def while_(self, values):
        some, out, i = self.some(values), self.name(), self.name()
        args = [self.name() for _ in some]
        types = ', '.join(['tensor<i32>'] + [text_of(s) for _, s in some])
        self.line('%s:%d = stablehlo.while(%s) : %s cond {', out, len(some) + 1,
                  ', '.join('%s = %s' % p for p in zip([i] + args, [self.scalar('0', 'i32')] + [x for x, _ in some])), types)
        n, c = self.scalar('3', 'i32'), self.name()
        self.line('%s = stablehlo.compare LT, %s, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>', c, i, n)
        self.line('stablehlo.return %s : tensor<i1>\n    } do {', c)
        self.depth += 1
        inner = list(values) + [(a, s) for a, (_, s) in zip(args, some)]
        self.steps(inner, self.r.randrange(1, 5))
        one, more = self.scalar('1', 'i32'), self.name()
        self.line('%s = stablehlo.add %s, %s : tensor<i32>', more, i, one)
        back = [self.pick(inner, lambda t, s=s: t == s)[0] for _, s in some]
        self.line('stablehlo.return %s : %s\n    }', ', '.join([more] + back), types)
        self.depth -= 1
        values += [('%s#%d' % (out, k + 1), s) for k, (_, s) in enumerate(some)]

    def case(self, values):
        shapes, out, which = [s for _, s in self.some(values)], self.name(), self.scalar('1', 'i32')
        types = ', '.join(text_of(s) for s in shapes)
        self.line('%s:%d = "stablehlo.case"(%s) ({', out, len(shapes), which)
        self.depth += 1
        for k in range(2):
            inner = list(values)
            self.steps(inner, self.r.randrange(0, 3))
            self.line('stablehlo.return %s : %s', ', '.join(self.pick(inner, lambda t, s=s: t == s)[0] for s in shapes), types)
            self.line('}, {' if k == 0 else '}) : (tensor<i32>) -> (%s)', *([] if k == 0 else [types]))
        self.depth -= 1
        values += [('%s#%d' % (out, k), s) for k, s in enumerate(shapes)]

    def manual(self, values):
        """Over some axes that are free here; a dimension is cut by those that divide it, before the free ones."""
        free = [a for a in self.axes if a[0] not in self.bound]
        if not free or 'device' in self.meshes:
            return
        axes = [a for a in free if self.r.random() < 0.6] or [self.r.choice(free)]

        def cut(shape):
            dims, local = [[] for _ in shape], list(shape)
            for name, size in self.r.sample(axes, len(axes)):
                fit = [d for d in range(len(shape)) if local[d] % size == 0]
                if fit and self.r.random() < 0.6:
                    d = self.r.choice(fit)
                    dims[d].append('"%s"' % name)
                    local[d] //= size
            return dims, tuple(local)

        def sharding(dims):
            used = [n for d in dims for n in d]
            rest = [n for n, _ in free if (n, _) not in axes]
            more = [[] for _ in dims]
            for n in rest:
                if dims and self.r.random() < 0.4:
                    self.r.choice(more).append('"%s"' % n)
            # Others that are manual are to be listed as replicated; import does it where the program does not.
            unused = ['"%s"' % a for a, _ in self.axes if (a, _) in axes and '"%s"' % a not in used] if self.r.random() < 0.7 else []
            text = ', '.join('{%s}' % ', '.join(d + m + (['?'] if self.r.random() < 0.5 else [])) for d, m in zip(dims, more))
            return '<@mesh, [%s]%s>' % (text, ', replicated={%s}' % ', '.join(unused) if unused else '')
        some, out = self.some(values), self.name()
        cuts = [cut(s) for _, s in some]
        args = [self.name() for _ in some]
        at, around = len(self.lines), (self.bound, self.isolated)
        self.bound, self.isolated = tuple(self.bound) + tuple(n for n, _ in axes), True
        self.depth += 1
        inner = [(a, local) for a, (_, local) in zip(args, cuts)]
        self.steps(inner, self.r.randrange(1, 6))
        results = [self.pick(inner) for _ in range(self.r.randrange(1, 3))]
        self.line('sdy.return %s : %s', ', '.join(x for x, _ in results), ', '.join(text_of(s) for _, s in results))
        self.depth -= 1
        self.bound, self.isolated = around
        outs, shapes = [], []
        for _, s in results:
            dims, shape = [[] for _ in s], list(s)
            for name, size in axes:
                if s and self.r.random() < 0.5:
                    d = self.r.randrange(len(s))
                    dims[d].append('"%s"' % name)
                    shape[d] *= size
            outs.append(dims)
            shapes.append(tuple(shape))
        self.lines.insert(at, '    %s = sdy.manual_computation(%s) in_shardings=[%s] out_shardings=[%s] manual_axes={%s} (%s) {' % (
            '%s:%d' % (out, len(results)) if len(results) > 1 else out, ', '.join(x for x, _ in some), ', '.join(sharding(d) for d, _ in cuts),
            ', '.join(sharding(d) for d in outs), ', '.join('"%s"' % n for n, _ in axes), ', '.join('%s: %s' % (a, text_of(s)) for a, s in inner[:len(args)])))
        self.line('} : (%s) -> (%s)', ', '.join(text_of(s) for _, s in some), ', '.join(text_of(s) for s in shapes))
        values += [('%s#%d' % (out, i) if len(results) > 1 else out, s) for i, s in enumerate(shapes)]

    # Functions.

    def call_function(self, values):
        name, ins, outs = self.r.choice(self.functions)
        xs = [self.operand(values, s) if e == 'f32' else self.argument(s, e) for s, e in ins]
        out = self.name()
        attr = ' {sdy.sharding = #sdy.sharding_per_value<[%s]>}' % ', '.join(self.sharding(len(s)) for s in outs) if self.r.random() < 0.4 else ''
        self.line('%s%s = func.call @%s(%s)%s : (%s) -> (%s)', out, ':%d' % len(outs) if len(outs) > 1 else '', name, ', '.join(xs), attr,
                  ', '.join(text_of(*i) for i in ins), ', '.join(text_of(s) for s in outs))
        values += [('%s#%d' % (out, i) if len(outs) > 1 else out, s) for i, s in enumerate(outs)]

    def function(self, name, kind, length):
        self.lines, self.arguments = [], []
        values = [('%%x%d' % i, self.shape()) for i in range(self.r.randrange(1, 4))]
        ins = [(x, s, 'f32') for x, s in values]
        self.steps(values, length)
        ins += self.arguments
        outs = [self.r.choice(values[-8:]) for _ in range(self.r.randrange(1, 4))]
        results = ['%s%s' % (text_of(s), ' {sdy.sharding = #sdy.sharding%s}' % self.sharding(len(s)) if self.r.random() < 0.3 else '') for _, s in outs]
        text = '  func.func %s @%s(%s) -> (%s) {\n%s\n    return %s : %s\n  }\n' % (
            kind, name, ', '.join(op_programs.argument_text(self, *i) for i in ins), ', '.join(results), '\n'.join(self.lines),
            ', '.join(x for x, _ in outs), ', '.join(text_of(s) for _, s in outs))
        self.functions.append((name, [(s, e) for _, s, e in ins], [s for _, s in outs]))
        return text


def program(seed, length=18):
    p = Mixed(seed)
    text = p.function('main', 'public', length)
    return 'module {\n%s\n%s}\n' % (p.mesh_text(), text)


def calls(seed, length=12):
    p = Mixed(seed)
    p.unreducible = False    # jaxlib's Shardy does not tell sums that are still to be reduced from others where a call is resharded
    texts = [p.function('f%d' % i, 'private', p.r.randrange(2, 7)) for i in range(p.r.randrange(1, 4))]
    texts.append(p.function('main', 'public', length))
    p.r.shuffle(texts)
    return 'module {\n%s\n%s}\n' % (p.mesh_text(), ''.join(texts))
