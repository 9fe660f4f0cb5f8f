"""What users seldom write, at random: meshes written out in shardings, meshes of other devices, axes dealt out in several parts, tensors
of rank 4 or without elements, shardings on loops and branches, branches of any number, conditions that compute, named computations, large
priorities, values returned twice. On top of mixed_programs.py.

program(seed): one function. calls(seed): several.
"""
import mixed_programs
from wide_ops import text_of


class Strange(mixed_programs.Mixed):
    def __init__(self, seed):
        super().__init__(seed)
        self.count = 0
        self.named_in_programs = True
        self.far = [(n, self.r.choice([2, 3, 5])) for n in ['a', 'e'][:self.r.randrange(1, 3)]]
        self.far_chance = self.r.choice([0, 0, 0.1])
        self.inline_chance = self.r.choice([0, 0, 0.3])
        self.empty_chance = self.r.choice([0, 0, 0.05])

    def shape(self):
        if self.r.random() < 0.1:
            return tuple(self.r.choice([1, 2, 4, 6]) for _ in range(4))
        return tuple(0 if self.r.random() < self.empty_chance else d for d in super().shape())

    def written(self, axes):
        return 'mesh<[%s]>' % ', '.join('"%s"=%d' % a for a in axes)

    def mesh_text(self):
        text = super().mesh_text()
        return text + '\n  sdy.mesh @far = <[%s]>' % ', '.join('"%s"=%d' % a for a in self.far) if self.far_chance else text

    def parts(self, name, size):
        """The axis whole, or in parts that are dealt out one by one."""
        out, pre = [], 1
        while self.r.random() < 0.4 and size // pre > 3:
            cut = [p for p in range(2, size // pre) if size // pre % p == 0]
            if not cut:
                break
            p = self.r.choice(cut)
            out.append((name, pre, p))
            pre *= p
        if not out:
            return [(name, 0, 0)]
        return out + [(name, pre, size // pre)]

    def sharding(self, rank, closed=0.4):
        text = super().sharding(rank, closed)
        if self.bound or self.r.random() < 0.5:
            return self.respelled(text)
        far = self.r.random() < self.far_chance
        dims, rest = [[] for _ in range(rank)], []
        parts = [p for a in (self.far if far else self.axes) for p in self.parts(*a)]
        self.r.shuffle(parts)
        for p in parts:
            u = self.r.random()
            if u < 0.15:
                rest.append(p)
            elif u < 0.7 and rank:
                d = self.r.choice(dims)
                if not (d and d[-1][0] == p[0] and d[-1][1] * d[-1][2] == p[1]):   # these two would be one
                    d.append(p)
        rest.sort()
        rest = [p for i, p in enumerate(rest) if not (i and rest[i - 1][0] == p[0] and rest[i - 1][1] * rest[i - 1][2] == p[1])]
        words = ['{%s}' % ', '.join([self.axis(p) for p in d] + (['?'] if self.r.random() >= closed else [])) for d in dims]
        if self.priorities:
            words = [w + 'p%d' % self.r.choice([0, 1, 7, 1000]) if w != '{}' and self.r.random() < 0.5 else w for w in words]
        more = ', replicated={%s}' % ', '.join(self.axis(p) for p in rest) if rest else ''
        return self.respelled('<@%s, [%s]%s>' % ('far' if far else 'mesh', ', '.join(words), more))

    @staticmethod
    def axis(p):
        return '"%s":(%d)%d' % p if p[1] else '"%s"' % p[0]

    def respelled(self, text):
        if self.r.random() < self.inline_chance and text.startswith('<@mesh,'):
            return text.replace('@mesh', self.written(self.axes), 1)
        return text

    def attribute(self, shapes, chance=0.3):
        """Of an op's results; those of a loop begin with its counter."""
        if self.r.random() >= chance:
            return ''
        return ' {sdy.sharding = #sdy.sharding_per_value<[%s]>}' % ', '.join(self.sharding(len(s)) for s in shapes)

    def step(self, values):
        u = self.r.random()
        if u < 0.85 or self.depth >= 3:
            super().step(values)
        elif u < 0.88 and self.named_in_programs:
            self.named(values)
        elif u < 0.92:
            self.if_(values)
        elif u < 0.96:
            self.case(values)
        else:
            self.long_while(values)

    def regions(self, values, shapes, n, joint):
        self.depth += 1
        for k in range(n):
            inner = list(values)
            self.steps(inner, self.r.randrange(0, 4))
            self.line('stablehlo.return %s : %s', ', '.join(self.pick(inner, lambda t, s=s: t == s)[0] for s in shapes), ', '.join(map(text_of, shapes)))
            if k + 1 < n:
                self.line(joint)
        self.depth -= 1

    def branches(self, values, op, on, n):
        shapes, out = [s for _, s in self.some(values)], self.name()
        self.line('%s:%d = "stablehlo.%s"(%s) ({', out, len(shapes), op, on[0])
        self.regions(values, shapes, n, '}, {')
        self.line('})%s : (%s) -> (%s)', self.attribute(shapes), on[1], ', '.join(map(text_of, shapes)))
        values += [('%s#%d' % (out, k), s) for k, s in enumerate(shapes)]

    def case(self, values):
        self.branches(values, 'case', (self.scalar('1', 'i32'), 'tensor<i32>'), self.r.choice([1, 2, 3, 5]))

    def if_(self, values):
        self.branches(values, 'if', (self.scalar('true', 'i1'), 'tensor<i1>'), 2)

    def long_while(self, values):
        """The condition adds something up; the loop says how its values are sharded."""
        some, out = self.some(values), self.name()
        args, other = [self.name() for _ in some], [self.name() for _ in some]
        shapes = [s for _, s in some]
        types = ', '.join(map(text_of, shapes))
        self.line('%s:%d = "stablehlo.while"(%s) ({', out, len(some), ', '.join(x for x, _ in some))
        self.line('^bb0(%s):', ', '.join('%s: %s' % (a, text_of(s)) for a, s in zip(args, shapes)))
        self.depth += 1
        inner = list(values) + list(zip(args, shapes))
        self.steps(inner, self.r.randrange(0, 3))
        (x, s), zero, total, c = self.pick(inner), self.scalar('0.0'), self.name(), self.name()
        self.line('%s = stablehlo.reduce(%s init: %s) applies stablehlo.add across dimensions = [%s] : (%s, tensor<f32>) -> tensor<f32>', total, x, zero,
                  ', '.join(map(str, range(len(s)))), text_of(s))
        self.line('%s = stablehlo.compare LT, %s, %s : (tensor<f32>, tensor<f32>) -> tensor<i1>', c, total, zero)
        self.line('stablehlo.return %s : tensor<i1>', c)
        self.line('}, {')
        self.line('^bb0(%s):', ', '.join('%s: %s' % (a, text_of(s)) for a, s in zip(other, shapes)))
        inner = list(values) + list(zip(other, shapes))
        self.steps(inner, self.r.randrange(0, 4))
        self.line('stablehlo.return %s : %s', ', '.join(self.pick(inner, lambda t, s=s: t == s)[0] for s in shapes), types)
        self.depth -= 1
        self.line('})%s : (%s) -> (%s)', self.attribute(shapes), types, types)
        values += [('%s#%d' % (out, k), s) for k, s in enumerate(shapes)]

    def named(self, values):
        if 'device' in self.meshes:
            return
        some, out = self.some(values), self.name()
        args, at, around = [self.name() for _ in some], len(self.lines), self.isolated
        self.count += 1
        self.isolated = True
        self.depth += 1
        inner = [(a, s) for a, (_, s) in zip(args, some)]
        self.steps(inner, self.r.randrange(1, 4))
        self.depth -= 1
        self.isolated = around
        outs = [self.pick(inner) for _ in range(self.r.randrange(1, 3))]
        self.line('sdy.return %s : %s', ', '.join(x for x, _ in outs), ', '.join(text_of(s) for _, s in outs))
        side = ''.join(' %s_shardings=[%s]' % (what, ', '.join(self.sharding(len(s)) for _, s in of))
                       for what, of in (('in', some), ('out', outs)) if self.r.random() < 0.4)
        self.lines.insert(at, '    %s = sdy.named_computation<"part%d">(%s)%s (%s) {' % (
            '%s:%d' % (out, len(outs)) if len(outs) > 1 else out, self.count, ', '.join(x for x, _ in some), side,
            ', '.join('%s: %s' % (a, text_of(s)) for a, (_, s) in zip(args, some))))
        self.line('} : (%s) -> (%s)', ', '.join(text_of(s) for _, s in some), ', '.join(text_of(s) for _, s in outs))
        values += [('%s#%d' % (out, i) if len(outs) > 1 else out, s) for i, (_, s) in enumerate(outs)]


def program(seed, length=14):
    p = Strange(seed)
    text = p.function('main', 'public', length)
    return 'module {\n%s\n%s}\n' % (p.mesh_text(), text)


def calls(seed, length=10):
    """Without named computations; see compare_programs.KINDS."""
    p = Strange(seed)
    p.unreducible = p.named_in_programs = False
    texts = [p.function('f%d' % i, p.r.choice(['private', 'private', 'public']), p.r.randrange(2, 7)) for i in range(p.r.randrange(1, 5))]
    texts.append(p.function('main', 'public', length))
    p.r.shuffle(texts)
    return 'module {\n%s\n%s}\n' % (p.mesh_text(), ''.join(texts))


if __name__ == '__main__':
    import sys
    print(program(int(sys.argv[1])))
