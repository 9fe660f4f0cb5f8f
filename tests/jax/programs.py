"""Random JAX programs: a pool of values that ops chosen at random read and add to.

Values are kept in [-4, 4] so that no function leaves its domain and no sum hides another: an op whose result may be larger is
followed by a bounded one. Each step is drawn first and written down as Python, so that a program is a function of its seed alone,
and what failed can be read: print(programs.Program(seed).source).
"""
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

SIZES = (1, 2, 3, 4, 5, 7, 8, 16)
FLOATS = ('float32', 'float32', 'float32', 'float32', 'float64', 'float16', 'bfloat16')
INTS = ('int32', 'int32', 'int8', 'int16', 'uint8', 'uint32', 'int64')

# Bounded, smooth and without zeros of their derivative's denominators: errors do not grow through them.
UNARY = ('jnp.sin({})', 'jnp.cos({})', 'jnp.tanh({})', '{} * 0.5', 'jnp.abs({})', '-{}', 'jax.nn.sigmoid({})', 'jnp.exp(-jnp.abs({}))', 'jnp.sqrt(jnp.abs({}) + 1)',
         'jnp.log1p(jnp.abs({}))', 'jnp.arctan({})', 'jnp.minimum({}, 1)', 'jnp.clip({}, -1, 2)', '1 / (1 + {} * {})', 'lax.rsqrt({} * {} + 0.5)', 'jax.nn.relu({})',
         'jnp.where({} > 0, {}, 0.25 * {})', 'jax.nn.softmax({}, -1)', 'jax.nn.gelu({})', 'jnp.expm1(-jnp.abs({}))')
BINARY = ('({} + {}) * 0.5', '({} - {}) * 0.5', 'jnp.tanh({} * {})', 'jnp.maximum({}, {})', 'jnp.minimum({}, {})', '{0} / (2 + jnp.abs({1}))', 'jnp.where({0} > {1}, {0}, -{1})',
          'jnp.arctan2({0}, 1 + jnp.abs({1}))')
INT_UNARY = ('-{}', '~{}', '{} + 1', '{} * 3', '{} // 2', '{} % 5', 'jnp.abs({})', '{} ^ ({} << 1)', 'jnp.sign({})', 'lax.population_count({})', 'lax.clz({})', 'jnp.clip({}, 0, 5)')
INT_BINARY = ('{} + {}', '{} - {}', '{} * {}', '{} & {}', '{} | {}', '{} ^ {}', 'jnp.maximum({}, {})', 'jnp.minimum({}, {})', '{0} // (1 + abs({1} % 4))',
              '{0} % (1 + abs({1} % 4))', 'jnp.where({0} < {1}, {0}, {1} + 1)', '{0} >> ({1} & 3)')


class Program:
    """Arguments, and source of `def program(...)` over them."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.x64 = bool(self.rng.random() < 0.15)
        self.float = self.pick([f for f in FLOATS if self.x64 or f != 'float64'])
        self.int = self.pick([i for i in INTS if self.x64 or i != 'int64'])
        self.lines, self.values, self.args = [], [], []
        for _ in range(self.rng.integers(1, 4)):
            self.argument(self.shape(), self.float)
        if self.rng.random() < 0.5:
            self.argument(self.shape(), self.int)
        steps = int(self.rng.integers(3, 12))
        while len(self.lines) < steps:
            getattr(self, self.pick(OPS))()
        self.source = self.spelled()

    # ---- drawing ----

    def pick(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def shape(self, most=3):
        return tuple(int(self.pick(SIZES)) for _ in range(self.rng.integers(0, most + 1)))

    def argument(self, shape, dtype):
        name = 'a%d' % len(self.args)
        if dtype in INTS:
            lo = 0 if dtype.startswith('u') else -9
            array = self.rng.integers(lo, 10, shape).astype(dtype)
        else:
            array = self.rng.uniform(-2, 2, shape).astype(np.dtype(getattr(ml_dtypes, dtype, dtype)))
        self.args.append(array)
        self.values.append((name, shape, 'int' if dtype in INTS else 'float'))

    def value(self, kind='float', ranks=range(0, 6)):
        """One of the values, latest likeliest, or None."""
        fit = [v for v in self.values if v[2] == kind and len(v[1]) in ranks]
        return fit[len(fit) - 1 - int(len(fit) * self.rng.random() ** 2)] if fit else None

    def add(self, text, shape, kind='float'):
        name = 'v%d' % len(self.lines)
        self.lines.append('%s = %s' % (name, text))
        self.values.append((name, tuple(int(n) for n in shape), kind))

    # ---- ops: each adds a line, or none where no value fits ----

    def unary(self):
        v = self.value()
        if v and v[1]:
            self.add(self.pick(UNARY).format(*[v[0]] * 3), v[1])

    def binary(self):
        v, w = self.value(), self.value()
        if not v:
            return
        try:
            shape = np.broadcast_shapes(v[1], w[1])
        except ValueError:
            w, shape = v, v[1]
        self.add(self.pick(BINARY).format(v[0], w[0]), shape)

    def int_unary(self):
        v = self.value('int')
        if v:
            self.add(self.pick(INT_UNARY).format(v[0], v[0]), v[1], 'int')

    def int_binary(self):
        v, w = self.value('int'), self.value('int')
        if v:
            w = w if w[1] in ((), v[1]) else v
            self.add(self.pick(INT_BINARY).format(v[0], w[0]), v[1], 'int')

    def to_int(self):
        v = self.value()
        if v:
            self.add('jnp.floor(%s * 4).astype(jnp.int32).astype(I)' % v[0], v[1], 'int')

    def to_float(self):
        v = self.value('int')
        if v:
            self.add('jnp.sin((%s %% 7).astype(F))' % v[0], v[1])

    def reduce(self):
        v = self.value(ranks=range(1, 6))
        if v:
            axis = int(self.rng.integers(len(v[1])))
            keep = bool(self.rng.random() < 0.3)
            op = self.pick(('jnp.mean', 'jnp.max', 'jnp.min', 'jnp.sum', 'jnp.prod', 'jax.nn.logsumexp', 'jnp.std', 'jnp.median'))
            inner = v[0] if op not in ('jnp.sum', 'jnp.std') else '%s + jnp.arange(%d).astype(F).reshape(%r) * 0.125' % (v[0], v[1][axis], [v[1][axis] if i == axis else 1 for i in range(len(v[1]))])
            if op == 'jnp.std' and v[1][axis] < 2:
                op = 'jnp.mean'
            shape = v[1][:axis] + ((1,) if keep else ()) + v[1][axis + 1:]
            self.add('jnp.tanh(%s(%s, axis=%d, keepdims=%s))' % (op, inner, axis, keep), shape)

    def int_reduce(self):
        v = self.value('int', range(1, 6))
        if v:
            axis = int(self.rng.integers(len(v[1])))
            self.add('jnp.%s(%s, axis=%d).astype(I)' % (self.pick(('sum', 'max', 'min', 'argmax', 'argmin', 'prod')), v[0], axis), v[1][:axis] + v[1][axis + 1:], 'int')

    def transpose(self):
        v = self.value(ranks=range(2, 6))
        if v:
            p = self.rng.permutation(len(v[1]))
            self.add('jnp.transpose(%s, %r)' % (v[0], tuple(int(i) for i in p)), [v[1][i] for i in p])

    def reshape(self):
        v = self.value(ranks=range(1, 6))
        if v:
            shape, axis = list(v[1]), int(self.rng.integers(len(v[1])))
            n = shape[axis]
            cut = next((k for k in (2, 3, 5, 7) if n % k == 0), 1)
            self.add('%s.reshape(%r)' % (v[0], new := shape[:axis] + [cut, n // cut] + shape[axis + 1:] if self.rng.random() < 0.5 and len(shape) < 4 else [int(np.prod(shape))]), new)

    def broadcast(self):
        v = self.value(ranks=range(0, 4))
        if v:
            n = int(self.pick(SIZES))
            self.add('jnp.broadcast_to(%s, %r) * 0.5' % (v[0], (n,) + v[1]), (n,) + v[1])

    def slice(self):
        v = self.value(self.pick(('float', 'int')), range(1, 6))
        if v:
            parts, shape = [], []
            for n in v[1]:
                lo = int(self.rng.integers(0, n))
                hi, step = int(self.rng.integers(lo + 1, n + 1)), int(self.pick((1, 1, 2, 3, -1)))
                parts.append('%d:%d:%d' % (lo, hi, step) if step > 0 else '::-1')
                shape.append(len(range(lo, hi, step)) if step > 0 else n)
            self.add('%s[%s]' % (v[0], ', '.join(parts)), shape, v[2])

    def dynamic_slice(self):
        v, i = self.value(ranks=range(1, 6)), self.value('int', (0,))
        if v:
            shape = [int(self.rng.integers(1, n + 1)) for n in v[1]]
            at = i[0] if i and self.rng.random() < 0.7 else 'jnp.argmax(%s)' % v[0]
            self.add('lax.dynamic_slice(%s, [jnp.int32(%s)] * %d, %r)' % (v[0], at, len(shape), shape), shape)

    def dynamic_update_slice(self):
        v, i = self.value(ranks=range(1, 6)), self.value('int', (0,))
        if v:
            shape = [int(self.rng.integers(1, n + 1)) for n in v[1]]
            at = i[0] if i else '1'
            self.add('lax.dynamic_update_slice(%s, lax.slice(jnp.cos(%s), %r, %r), [jnp.int32(%s)] * %d)' % (v[0], v[0], [0] * len(shape), shape, at, len(shape)), v[1])

    def gather(self):
        v, i = self.value(ranks=range(1, 4)), self.value('int', range(0, 3))
        if v and i:
            axis = int(self.rng.integers(len(v[1])))
            self.add('jnp.take(%s, jnp.int32(%s), axis=%d, mode="%s")' % (v[0], i[0], axis, self.pick(('clip', 'wrap'))), v[1][:axis] + i[1] + v[1][axis + 1:])

    def scatter(self):
        v, i = self.value(ranks=range(1, 4)), self.value('int', (1,))
        if v and i:
            rows = i[1] + v[1][1:]
            op = self.pick(('add', 'max', 'min', 'multiply'))
            self.add('jnp.tanh(%s.at[jnp.int32(%s)].%s(jnp.linspace(-1, 1, %d, dtype=F).reshape(%r)))' % (v[0], i[0], op, int(np.prod(rows)), list(rows)), v[1])

    def sort(self):
        v = self.value(self.pick(('float', 'int')), range(1, 6))
        if v:
            self.add('jnp.sort(%s, axis=%d)' % (v[0], int(self.rng.integers(len(v[1])))), v[1], v[2])

    def argsort(self):
        v = self.value('int', range(1, 6))
        if v:
            self.add('jnp.argsort(%s, axis=%d).astype(I)' % (v[0], int(self.rng.integers(len(v[1])))), v[1], 'int')

    def cumulative(self):
        v = self.value(ranks=range(1, 6))
        if v:
            self.add('jnp.tanh(%s(%s, axis=%d))' % (self.pick(('jnp.cumsum', 'jnp.cumprod', 'lax.cummax', 'lax.cummin')), v[0], int(self.rng.integers(len(v[1])))), v[1])

    def concatenate(self):
        v, w = self.value(ranks=range(1, 6)), self.value(ranks=range(1, 6))
        if v:
            axis = int(self.rng.integers(len(v[1])))
            w = w if len(w[1]) == len(v[1]) and all(a == b for d, (a, b) in enumerate(zip(v[1], w[1])) if d != axis) else v
            self.add('jnp.concatenate([%s, %s], %d)' % (v[0], w[0], axis), [n + w[1][d] if d == axis else n for d, n in enumerate(v[1])])

    def pad(self):
        v = self.value(ranks=range(1, 6))
        if v:
            p = tuple((int(self.rng.integers(0, 3)), int(self.rng.integers(0, 3)), int(self.rng.integers(0, 2))) for _ in v[1])
            self.add('lax.pad(%s, jnp.array(0.5, F), %r)' % (v[0], p), [n + a + b + (n - 1) * c for n, (a, b, c) in zip(v[1], p)])

    def dot(self):
        v = self.value(ranks=(1, 2, 3))
        if v:
            n = int(self.pick(SIZES))
            self.add('jnp.tanh(%s @ jnp.sin(jnp.arange(%d).astype(F)).reshape(%d, %d))' % (v[0], v[1][-1] * n, v[1][-1], n), v[1][:-1] + (n,))

    def gram(self):
        v = self.value(ranks=(2, 3))
        if v:
            self.add('jnp.tanh(jnp.einsum("...ij,...kj->...ik", %s, %s) * 0.25)' % (v[0], v[0]), v[1][:-1] + (v[1][-2],))

    def conv(self):
        v = self.value(ranks=(1,))
        if v:
            self.add('jnp.tanh(jnp.convolve(%s, jnp.array([0.5, -1, 0.25], F), "same"))' % v[0], (max(v[1][0], 3),))

    def window(self):
        v = self.value(ranks=(2, 3))
        if v:
            r = len(v[1])
            init, op = self.pick((('-jnp.inf', 'lax.max'), ('jnp.inf', 'lax.min'), ('0.0', 'lax.add')))
            self.add('jnp.tanh(lax.reduce_window(%s, jnp.array(%s, F), %s, %r, %r, "SAME"))' % (v[0], init, op, [2] * r, [1] * r), v[1])

    def scan(self):
        v = self.value(ranks=(1, 2, 3))
        if v:
            body = self.pick(('(jnp.tanh(c + x), c * 0.5 + x)', '(jnp.sin(c * x), jnp.maximum(c, x))', '(jnp.where(x > 0, x, c * 0.5), c)', '(lax.cond(jnp.sum(x) > 0, jnp.sin, jnp.cos, c), c - x)'))
            self.add('jnp.tanh(lax.scan(lambda c, x: %s, jnp.zeros(%r, F), %s)[1])' % (body, list(v[1][1:]), v[0]), v[1])

    def loop(self):
        v, i = self.value(ranks=range(1, 6)), self.value('int', (0,))
        if v:
            n = 'jnp.int32(%s) %% 5' % i[0] if i else '3'
            self.add('lax.fori_loop(0, %s, lambda i, c: %s, %s)' % (n, self.pick(('jnp.sin(c) + i.astype(F) * 0.1', 'jnp.tanh(c * c)', 'c[::-1] * 0.5')), v[0]), v[1])

    def while_(self):
        v = self.value('int', (0,))
        if v:
            self.add('lax.while_loop(lambda c: c < 50, lambda c: c * 2 + 3, jnp.int32(%s) %% 9).astype(I)' % v[0], (), 'int')

    def branch(self):
        v, i = self.value(ranks=range(0, 6)), self.value('int', (0,))
        if v and i:
            self.add('lax.switch(jnp.int32(%s), [jnp.sin, lambda a: a * 0.5, jnp.tanh], %s)' % (i[0], v[0]), v[1])

    def derivative(self):
        v = self.value(ranks=range(1, 6))
        if v:
            f = self.pick(('jnp.sin(a) * a', 'jnp.tanh(a) ** 2', 'jax.nn.softmax(a, 0) * jnp.cos(a)', 'jnp.cumsum(jnp.sin(a), 0) * 0.3', 'jnp.where(a > 0, a * a, jnp.sin(a))', 'jnp.sort(a, 0) * 0.5 * a'))
            self.add('jnp.tanh(jax.grad(lambda a: jnp.sum(%s))(%s))' % (f, v[0]), v[1])

    def mapped(self):
        v = self.value(ranks=(2, 3))
        if v:
            f = self.pick(('jnp.sin(a) - a[0]', 'jnp.roll(a, 1, 0)', 'a[jnp.argmax(a.reshape(-1)) % a.shape[0]] + a', 'jnp.cumsum(a, 0) * 0.2', 'jnp.flip(a, 0)'))
            self.add('jnp.tanh(jax.vmap(lambda a: %s, 1, 1)(%s))' % (f, v[0]), v[1])

    def compare(self):
        v = self.value()
        if v:
            self.add('(%s > 0.3).astype(I)' % v[0], v[1], 'int')

    def int_gather(self):
        v, i = self.value('int', range(1, 4)), self.value('int', range(0, 3))
        if v and i:
            self.add('%s[jnp.int32(%s) %% %d]' % (v[0], i[0], v[1][0]), i[1] + v[1][1:], 'int')

    def int_scatter(self):
        v, i = self.value('int', range(1, 4)), self.value('int', (1,))
        if v and i:
            self.add('%s.at[jnp.int32(%s)].%s(3)' % (v[0], i[0], self.pick(('add', 'max', 'min', 'multiply'))), v[1], 'int')

    def int_cumulative(self):
        v = self.value('int', range(1, 6))
        if v:
            self.add('jnp.cumsum(%s, axis=%d, dtype=I)' % (v[0], int(self.rng.integers(len(v[1])))), v[1], 'int')

    # ---- the program ----

    def spelled(self):
        """The last value, and every float one that is not large."""
        results = [v[0] for v in self.values if v[0].startswith('v') and int(np.prod(v[1])) <= 100000][-4:]
        head = 'def program(%s):' % ', '.join('a%d' % i for i in range(len(self.args)))
        return '\n    '.join([head] + self.lines + ['return [%s]' % ', '.join(results)])

    def function(self, float=None):
        """The program; floats of another type when one is named."""
        scope = {'jax': jax, 'jnp': jnp, 'lax': lax, 'F': jnp.dtype(float or self.float), 'I': jnp.dtype(self.int)}
        exec(self.source, scope)
        return scope['program']


OPS = [name for name, f in vars(Program).items() if callable(f) and not name.startswith('__') and
       name not in ('pick', 'shape', 'argument', 'value', 'add', 'spelled', 'function')]
OPS += ['unary', 'binary'] * 4
