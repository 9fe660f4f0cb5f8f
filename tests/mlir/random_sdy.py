"""Random programs in Shardy's words, right ones and wrong ones: what MLIR takes Weft takes and prints alike, what MLIR
refuses Weft refuses for the same reason. MLIR's side is jaxlib's parser with Shardy's verifier; test_roundtrip.py compares.
"""
import random

MESHES = {'m': {'a': 4, 'b': 2, 'c': 6}, 'n': {'a': 2, 'b': 2}, 'same': {'a': 4, 'b': 2, 'c': 6}}


class Maker:
    """One program. `slip` is the chance of doing something else than what is right at each choice."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.slip = self.r.choice([0, 0, 0.02, 0.1])
        self.one_mesh = self.r.random() < 0.8

    def slips(self):
        return self.r.random() < self.slip

    def mesh(self):
        if self.slips():
            return self.r.choice(['n', 'same', 'nowhere', 'one'])
        return 'm' if self.one_mesh else self.r.choice(['m', 'n', 'same'])

    def part(self, name, size):
        """A sub-axis of name, or all of it."""
        r = self.r
        if self.slips():
            return '"%s":(%d)%d' % (name, r.choice([0, 1, 2, 3, -1]), r.choice([1, 2, 3, 4]))
        whole = [(p, s) for p in range(1, size) for s in range(2, size) if size % (p * s) == 0 and s != size]
        if not whole or r.random() < 0.7:
            return '"%s"' % name
        return '"%s":(%d)%d' % ((name,) + r.choice(whole))

    def axes(self, mesh, most=3):
        """A list of axes, each used once unless it slips."""
        names = list(MESHES.get(mesh, MESHES['m']).items())
        self.r.shuffle(names)
        out = [self.part(n, s) for n, s in names[:self.r.randint(0, min(most, len(names)))]]
        if self.slips() and out:
            out.append(self.r.choice(out))
        if self.slips():
            out.append('"z"')
        return out

    def split(self, mesh, groups):
        """Axes of one mesh dealt out to lists."""
        lists = [[] for _ in range(groups)]
        for a in self.axes(mesh) if groups else []:
            lists[self.r.randrange(groups)].append(a)
        return lists

    def order(self, mesh, axes):
        if self.slips():
            return axes
        names = list(MESHES.get(mesh, {}))
        name = lambda a: a.split('"')[1]  # noqa: E731
        return sorted(axes, key=lambda a: names.index(name(a)) if name(a) in names else 9)

    def dim(self, axes):
        r = self.r
        inside = list(axes) + (['?'] if r.random() < 0.3 else [])
        level = 'p%d' % r.randint(0, 3) if r.random() < 0.15 and (inside or self.slips()) else ''
        return '{%s}%s' % (', '.join(inside), level)

    def sharding(self, rank, mesh=None, mark='', lists=None):
        r = self.r
        mesh = mesh or self.mesh()
        if self.slips():
            rank += r.choice([-1, 1]) if rank else 1
        lists = lists or self.split(mesh, rank + 2)
        dims, replicated, unreduced = lists[:rank], lists[rank] if rank < len(lists) else [], lists[rank + 1] if rank + 1 < len(lists) else []
        where = '@' + mesh
        if mesh in MESHES and r.random() < 0.1:
            where = 'mesh<[%s]>' % ', '.join('"%s"=%d' % x for x in MESHES[mesh].items())
        text = '%s<%s, [%s]' % (mark, where, ', '.join(self.dim(d) for d in dims))
        if replicated and r.random() < 0.5:
            text += ', replicated={%s}' % ', '.join(self.order(mesh, replicated))
        if unreduced and r.random() < 0.5:
            text += ', unreduced={%s}' % ', '.join(self.order(mesh, unreduced))
        return text + '>'

    def factor(self, i):
        return chr(ord('i') + i) if i < 18 else 'z_%d' % (i - 17)

    def rule(self, rank, size):
        r = self.r
        n = rank + r.randint(0, 1)
        factors = [self.factor(i) for i in range(n + (1 if self.slips() else 0))]
        if self.slips():
            r.shuffle(factors)
        tensor = [factors[i] for i in range(rank)]
        if n > rank and rank and r.random() < 0.8:
            tensor[-1] += factors[rank]
        if self.slips() and rank:
            tensor[r.randrange(rank)] = r.choice(['', 'i', 'ii', 'y', 'z_0', 'q_'])
        one = '[%s]' % ', '.join(tensor)
        text = '<(%s, %s)->(%s) {%s}' % (one, one, one if not self.slips() else '[i]', ', '.join('%s=%d' % (f, r.choice([1, 2, 4])) for f in factors))
        for kind in ['reduction', 'need_replication', 'permutation', 'blocked_propagation']:
            if r.random() < (0.15 if kind != 'reduction' or self.slips() else 0):
                text += ' %s={%s}' % (kind, ', '.join(r.sample(factors, min(len(factors), r.randint(1, 2)))))
        return text + (', custom>' if r.random() < 0.2 else '>')

    def lists(self, mesh, rank):
        return '[%s]' % ', '.join('{%s}' % ', '.join(l) for l in self.split(mesh, rank + (1 if self.slips() else 0)))

    def collective(self, rank):
        """Mostly refused: the axes are dealt out without looking at the operand's."""
        r, mesh = self.r, self.mesh()
        kind = r.choice(['all_gather', 'all_slice', 'all_reduce', 'reduce_scatter', 'all_to_all', 'collective_permute',
                         'sharded_to_unreduced', 'replicated_to_unreduced'])
        before = self.split(mesh, rank)
        plain = '[%s]' % ', '.join('{%s}' % ', '.join(l) for l in before)
        none = '[%s]' % ', '.join(['{}'] * rank)
        if kind == 'all_gather' and not self.slips():
            return before, kind, plain, '<@%s, %s>' % (mesh, none)
        if kind == 'all_slice' and not self.slips():
            return [[] for _ in before], kind, plain, '<@%s, %s>' % (mesh, plain)
        if kind == 'collective_permute' and not self.slips():
            return before, kind, '', '<@%s, %s>' % (mesh, '[%s]' % ', '.join('{%s}' % ', '.join(reversed(l)) for l in before))
        if kind == 'all_to_all' and rank > 1:
            said = '[{%s}: %d->%d]' % (', '.join(self.axes(mesh, 1)), r.randint(0, rank - 1), r.randint(0, rank if self.slips() else rank - 1))
        elif kind in ('all_reduce', 'replicated_to_unreduced'):
            said = '{%s}' % ', '.join(self.order(mesh, self.axes(mesh, 2)))
        else:
            said = '' if kind == 'collective_permute' else self.lists(mesh, rank)
        if kind == 'all_to_all' and rank < 2:
            said = '[]'
        return before, kind, said, self.sharding(rank, mesh, lists=before + [[], []] if r.random() < 0.7 else None)

    def manual(self, rank, dims):
        r, mesh = self.r, self.mesh()
        lists = self.split(mesh, rank) + [[], []]
        names = [a.split('"')[1] for l in lists for a in l]
        manual = names if r.random() < 0.6 else r.sample(names, r.randint(0, len(names)))
        if self.slips():
            manual = manual + ['z']
        sizes = MESHES.get(mesh, MESHES['m'])
        local = list(dims)
        for d, axes in enumerate(lists[:rank]):
            axes.sort(key=lambda a: a.split('"')[1] not in manual if not self.slips() else 0)
            for a in axes:
                if a.split('"')[1] in manual:
                    local[d] //= int(a.split(')')[1]) if ')' in a else sizes.get(a.split('"')[1], 1)
        if self.slips() and rank:
            local[0] += 1
        sharding = self.sharding(rank, mesh, lists=lists)
        inner = 'x'.join(map(str, local)) + ('x' if rank else '') + 'f32'
        outer = 'x'.join(map(str, dims)) + ('x' if rank else '') + 'f32'
        hold = '      %%w = sdy.sharding_constraint %%v %s : tensor<%s>\n' % (self.sharding(rank, mesh, lists=[[] for _ in lists]), inner)
        return ('  %%9 = sdy.manual_computation(%%y) in_shardings=[%s] out_shardings=[%s] manual_axes={%s} (%%v: tensor<%s>) {\n%s'
                '      sdy.return %%w : tensor<%s>\n  } : (tensor<%s>) -> tensor<%s>\n'
                % (sharding, sharding, ', '.join('"%s"' % n for n in manual), inner, hold, inner, outer, outer))

    def program(self):
        r = self.r
        rank = r.randint(0, 3)
        dims = [r.choice([24, 48, 96]) for _ in range(rank)]
        t = 'tensor<%s>' % ('x'.join(map(str, dims)) + ('x' if rank else '') + 'f32')
        text = 'sdy.mesh @m = <["a"=4, "b"=2, "c"=6]>\nsdy.mesh @n = <["a"=2, "b"=2]>\nsdy.mesh @one = <[], device_ids=[%d]>\n' % r.randint(0, 3)
        ids = list(range(48))
        if r.random() < 0.5:
            r.shuffle(ids)
        if self.slips():
            ids[r.randrange(48)] = r.choice([-1, 0, 48])
        text += 'sdy.mesh @same = <["a"=4, "b"=2, "c"=6], device_ids=%s>\n' % ids
        form = r.choice(['value', 'value', 'rule', 'collective', 'manual'])
        mark = '#sdy.sharding'
        if form == 'collective':
            before, kind, said, out = self.collective(rank)
            arg = self.sharding(rank, out.split('@')[1].split(',')[0] if '@' in out else 'm', mark, before + [[], []])
        else:
            arg = self.sharding(rank, None, mark)
        text += 'func.func @f(%%x: %s {sdy.sharding = %s}, %%y: %s) -> (%s {sdy.sharding = %s}) {\n' % (t, arg, t, t, self.sharding(rank, None, mark))
        if form == 'collective':
            text += '  %%9 = sdy.%s %s%%x out_sharding=%s : %s\n' % (kind, said + ' ' if said else '', out, t)
        elif form == 'manual':
            text += self.manual(rank, dims)
        elif form == 'rule':
            text += '  %%9 = stablehlo.add %%x, %%y {sdy.sharding_rule = #sdy.op_sharding_rule%s} : %s\n' % (self.rule(rank, dims), t)
        else:
            kind = r.choice(['add', 'constraint', 'reshard', 'barrier', 'group', 'named'])
            if kind == 'add':
                n = 1 if not self.slips() else r.choice([0, 2])
                text += '  %%9 = stablehlo.add %%x, %%y {sdy.sharding = #sdy.sharding_per_value<[%s]>} : %s\n' % (', '.join(self.sharding(rank) for _ in range(n)), t)
            elif kind == 'constraint' or kind == 'reshard':
                text += '  %%9 = sdy.%s %%y %s : %s\n' % ('sharding_constraint' if kind == 'constraint' else kind, self.sharding(rank), t)
            elif kind == 'barrier':
                text += '  %%9 = sdy.propagation_barrier %%x allowed_direction=%s : %s\n' % (r.choice(['NONE', 'FORWARD', 'BACKWARD'] + ['BOTH'] * self.slips()), t)
            elif kind == 'group':
                text += '  sdy.sharding_group %%x group_id=%d : %s\n  %%9 = stablehlo.negate %%x : %s\n' % (r.randint(0, 9), t, t)
            else:
                text += ('  %%9 = sdy.named_computation<"g">(%%y) in_shardings=[%s] out_shardings=[%s] (%%v: %s) {\n    sdy.return %%v : %s\n  } : (%s) -> %s\n'
                         % (self.sharding(rank), self.sharding(rank), t, t, t, t))
        return text + '  return %%9 : %s\n}\n' % t
