"""`weft run --repeat`: random programs whose results become arguments of the next step, against NumPy.

Arguments are donated by tf.aliasing_output or fed by --feed, each result to any argument of its type: to itself, crosswise, in rings, under
another sharding, evenly or not, while other results and other ops still read the old value. Elements are integers, so that results are equal
to the bit. WEFT_SEED=S runs seed S alone; WEFT_LONG=N makes N times as many programs.
"""
import os
import random
import subprocess

import numpy as np
import pytest

TOP = os.environ.get('top_builddir', os.getcwd())
WEFT = os.environ.get('WEFT', os.path.join(TOP, 'weft'))
MESHES = [{'x': 2}, {'x': 3}, {'x': 8}, {'x': 2, 'y': 2}, {'y': 1, 'x': 4}, {'x': 2, 'y': 3}, {'a': 2, 'b': 2, 'c': 2}]
NUMPY = {'i32': np.int32, 'ui8': np.uint8, 'i16': np.int16, 'i64': np.int64, 'i8': np.int8}
PROGRAMS = 40
DEFAULT = 26000


class Program:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.mesh = self.r.choice(MESHES)
        self.lines = []
        shapes = [tuple(self.r.choice([1, 2, 3, 4, 6, 8, 12]) for _ in range(self.r.randint(0, 3))) for _ in range(self.r.randint(1, 2))]
        types = [(self.r.choice(shapes), self.r.choice(list(NUMPY))) for _ in range(self.r.randint(1, 2))]
        self.args = [self.r.choice(types) for _ in range(self.r.randint(1, 5))]
        # values: (name, shape, type, function of the list of all values before)
        self.values = [('%%a%d' % i, s, t, None) for i, (s, t) in enumerate(self.args)]
        for _ in range(self.r.randint(1, 12)):
            self.op()
        wanted = [t for t in self.args if self.r.random() < 0.9] + [self.r.choice(self.args) for _ in range(self.r.randint(0, 1))]
        self.results = [self.r.choice([k for k, v in enumerate(self.values) if v[1:3] == t]) for t in wanted]
        self.donate()

    def text_type(self, s, t): return 'tensor<%s>' % 'x'.join([*map(str, s), t])

    def sharding(self, s):
        free = list(self.mesh)
        self.r.shuffle(free)
        dims = []
        for n in s:
            axes = []
            while free and n > 1 and self.r.random() < 0.5: axes.append(free.pop())
            dims.append('{%s}' % ', '.join('"%s"' % a for a in axes))
        return '#sdy.sharding<@mesh, [%s]>' % ', '.join(dims)

    def add(self, text, s, t, function):
        name = self.next_name()
        self.lines.append('  %s = %s' % (name, text))
        self.values.append((name, s, t, function))

    def op(self):
        k = self.r.randrange(len(self.values))
        name, s, t, _ = self.values[k]
        like = [i for i, v in enumerate(self.values) if v[1:3] == (s, t)]
        ty = self.text_type(s, t)
        kind = self.r.choice(['two', 'two', 'two', 'negate', 'reverse', 'roll', 'sum', 'constraint', 'transpose', 'constant'])
        if kind == 'two':
            j, op = self.r.choice(like), self.r.choice(['add', 'subtract', 'multiply', 'maximum', 'xor'])
            f = {'add': np.add, 'subtract': np.subtract, 'multiply': np.multiply, 'maximum': np.maximum, 'xor': np.bitwise_xor}[op]
            self.add('stablehlo.%s %s, %s : %s' % (op, name, self.values[j][0], ty), s, t, lambda v: f(v[k], v[j]))
        elif kind == 'negate':
            self.add('stablehlo.negate %s : %s' % (name, ty), s, t, lambda v: np.negative(v[k]))
        elif kind == 'constraint':
            self.add('sdy.sharding_constraint %s %s : %s' % (name, self.sharding(s).replace('#sdy.sharding', ''), ty), s, t, lambda v: v[k])
        elif kind == 'constant':
            c = self.r.randrange(100)
            j = len(self.values)
            self.add('stablehlo.constant dense<%d> : %s' % (c, ty), s, t, lambda v: np.full(s, c, NUMPY[t]))
            self.add('stablehlo.add %s, %s : %s' % (name, self.values[j][0], ty), s, t, lambda v: np.add(v[k], v[j]))
        elif kind == 'reverse' and s:
            d = self.r.randrange(len(s))
            self.add('stablehlo.reverse %s, dims = [%d] : %s' % (name, d, ty), s, t, lambda v: np.flip(v[k], d))
        elif kind == 'roll' and s and max(s) > 1:
            d = self.r.choice([d for d, n in enumerate(s) if n > 1])
            cut = self.r.randrange(1, s[d])
            halves = [(cut, s[d]), (0, cut)]
            names = []
            for low, high in halves:
                part = s[:d] + (high - low,) + s[d + 1:]
                bounds = ', '.join('%d:%d' % ((low, high) if i == d else (0, n)) for i, n in enumerate(s))
                names.append((self.next_name(), part))
                self.add('stablehlo.slice %s [%s] : (%s) -> %s' % (name, bounds, ty, self.text_type(part, t)), part, t,
                         lambda v, low=low, high=high: np.take(v[k], range(low, high), d))
            self.add('stablehlo.concatenate %s, dim = %d : (%s) -> %s' % (', '.join(n for n, _ in names), d,
                     ', '.join(self.text_type(p, t) for _, p in names), ty), s, t, lambda v: np.roll(v[k], -cut, d))
        elif kind == 'transpose' and len(s) == 2 and s[0] == s[1]:
            self.add('stablehlo.transpose %s, dims = [1, 0] : (%s) -> %s' % (name, ty, ty), s, t, lambda v: v[k].T)
        elif kind == 'sum' and s:
            d = self.r.randrange(len(s))
            part = s[:d] + s[d + 1:]
            j = len(self.values)
            self.add('stablehlo.constant dense<0> : tensor<%s>' % t, (), t, lambda v: np.zeros((), NUMPY[t]))
            self.add('stablehlo.reduce(%s init: %s) applies stablehlo.add across dimensions = [%d] : (%s, tensor<%s>) -> %s' %
                     (name, self.values[j][0], d, ty, t, self.text_type(part, t)), part, t, lambda v: np.sum(v[k], d, dtype=NUMPY[t]))
            where = ', '.join(str(i) for i in range(len(s)) if i != d)
            self.add('stablehlo.broadcast_in_dim %s, dims = [%s] : (%s) -> %s' % (self.values[j + 1][0], where, self.text_type(part, t), ty), s, t,
                     lambda v: np.broadcast_to(np.expand_dims(v[j + 1], d), s))

    def next_name(self): return '%%v%d' % len(self.values)

    def donate(self):
        """to[r]: the argument that result r becomes; alias[a]: by an attribute, the others by --feed."""
        self.to, self.alias = {}, {}
        order = list(range(len(self.results)))
        self.r.shuffle(order)
        for r in order:
            _, s, t, _ = self.values[self.results[r]]
            free = [a for a, ty in enumerate(self.args) if ty == (s, t) and a not in self.to.values()]
            if not free or self.r.random() < 0.15: continue
            self.to[r] = self.r.choice(free)
            if self.r.random() < 0.75: self.alias[self.to[r]] = r

    def text(self):
        head = 'sdy.mesh @mesh = <[%s]>\n' % ', '.join('"%s"=%d' % a for a in self.mesh.items())
        args = []
        for i, (s, t) in enumerate(self.args):
            attrs = ['sdy.sharding = ' + self.sharding(s)] if self.r.random() < 0.8 else []
            if i in self.alias: attrs.append('tf.aliasing_output = %d : i32' % self.alias[i])
            args.append('%%a%d: %s%s' % (i, self.text_type(s, t), ' {%s}' % ', '.join(attrs) if attrs else ''))
        outs = []
        for k in self.results:
            ty = self.text_type(*self.values[k][1:3])
            outs.append('%s {sdy.sharding = %s}' % (ty, self.sharding(self.values[k][1])) if self.r.random() < 0.7 else ty)
        given = ', '.join(self.values[k][0] for k in self.results)
        types = ', '.join(self.text_type(*self.values[k][1:3]) for k in self.results)
        return '%sfunc.func @main(%s) -> (%s) {\n%s\n  return %s%s\n}\n' % (
            head, ', '.join(args), ', '.join(outs), '\n'.join(self.lines), given, ' : ' + types if types else '')

    def step(self, args):
        values = list(args)
        with np.errstate(over='ignore'):
            for _, s, t, f in self.values[len(self.args):]: values.append(np.asarray(f(values), NUMPY[t]).reshape(s))
        return [values[k] for k in self.results]


def seeds():
    one = os.environ.get('WEFT_SEED')
    return [int(one)] if one else range(DEFAULT, DEFAULT + PROGRAMS * int(os.environ.get('WEFT_LONG', '1')))


@pytest.mark.parametrize('seed', seeds())
def test_steps_equal_numpy(seed, tmp_path):
    p = Program(seed)
    text, steps = p.text(), p.r.randint(2, 5)
    rng = np.random.default_rng(seed)
    args = [np.asarray(rng.integers(0, 100, s), NUMPY[t]) for s, t in p.args]
    for i, a in enumerate(args): np.save(tmp_path / ('in%d.npy' % i), a)
    (tmp_path / 'p.mlir').write_text(text)
    feeds = [x for r, a in p.to.items() if a not in p.alias for x in ('--feed', '%d:%d' % (r, a))]
    got = subprocess.run([WEFT, 'run', 'p.mlir', '--inputs', '.', '--outputs', '.', '--repeat', str(steps), *feeds], cwd=tmp_path,
                         capture_output=True, text=True, timeout=300)
    assert got.returncode == 0, 'WEFT_SEED=%d\n%s%s' % (seed, text, got.stderr)
    for k in range(steps):
        results = p.step(args)
        for r, a in p.to.items(): args[a] = results[r]
    for r, want in enumerate(results):
        out = np.load(tmp_path / ('out%d.npy' % r))
        assert np.array_equal(out, want), 'WEFT_SEED=%d, result %d after %d steps %s\n%s' % (seed, r, steps, ' '.join(feeds), text)
