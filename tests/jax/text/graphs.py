"""Graphs of many ops that give exact results whatever is fused with what: integers that wrap, and whole numbers in floats.

A float's bound is known: no op is drawn whose result would leave what the type counts by ones, so every order of every sum gives
the same bits. Values are used several times, views are taken of views, loops carry what else is returned.
"""
import numpy as np

from . import bodies
from .draw import dims, ints, largest_whole, tensor

KINDS = ('f32', 'f32', 'f32', 'f64', 'i32', 'i32', 'i64', 'i8', 'ui8', 'ui32', 'bf16', 'f16', 'i1')
SIZES = (1, 2, 2, 3, 4, 5, 7, 8, 16, 17, 33)
LOOPS = 4


class Graph:
    """Values of a program (or of a body) from which the next op takes its operands; `bound` by name, for floats."""

    def __init__(self, p, els, depth=0):
        self.p, self.els, self.depth = p, els, depth
        self.values, self.bound = [], {}

    def whole(self, v):
        return v.el[0] in 'fb'

    def note(self, v, bound=None):
        if self.whole(v):
            self.bound[v.name] = bound
        self.values.append(v)
        return v

    def value(self, el=None, ranks=range(0, 7), shape=None):
        fit = [v for v in self.values if (el is None or v.el == el) and v.rank in ranks and (shape is None or v.shape == shape)]
        return fit[len(fit) - 1 - int(len(fit) * self.p.rng.random() ** 2)] if fit else None

    def numeric(self, **how):
        for _ in range(4):
            v = self.value(**how)
            if v and v.el != 'i1':
                return v
        return None

    def bounded(self, v, most=None):
        """v, or v clamped so that what is done with it stays countable."""
        if not self.whole(v):
            return v
        most = most or max(1, int(largest_whole(v.el) ** 0.5))
        if self.bound[v.name] <= most:
            return v
        p = self.p
        r = p.op('stablehlo.clamp', [p.constant(v.el, -most), v, p.constant(v.el, most)], [(v.el, v.shape)])
        self.bound[r.name] = most
        return r

    def fits(self, v, bound):
        return not self.whole(v) or bound <= largest_whole(v.el)

    def same(self, v):
        """Another value of v's type, often made of what there is."""
        p = self.p
        w = self.value(el=v.el, shape=v.shape)
        if w is not v or p.chance(0.3):
            return w
        for _ in range(3):
            w = self.value(el=v.el)
            if w.rank <= v.rank:
                at = p.subset(v.rank)
                if len(at) == w.rank and all(n in (1, v.shape[d]) for n, d in zip(w.shape, at)):
                    r = p.op('stablehlo.broadcast_in_dim', [w], [(v.el, v.shape)], 'broadcast_dimensions = ' + ints(at))
                    if self.whole(r):
                        self.bound[r.name] = self.bound[w.name]
                    return r
        return v

    # ---- ops ----

    def binary(self):
        p, v = self.p, self.numeric()
        if not v:
            return
        w = self.same(v)
        op = p.pick(('add', 'subtract', 'multiply', 'maximum', 'minimum'))
        if op in ('add', 'subtract', 'multiply'):
            v, w = self.bounded(v), self.bounded(w)
        a, b = self.bound.get(v.name, 0), self.bound.get(w.name, 0)
        self.note(p.op('stablehlo.' + op, [v, w] if p.chance(0.5) else [w, v], [(v.el, v.shape)]), {'multiply': a * b, 'add': a + b, 'subtract': a + b}.get(op, max(a, b)))

    def bits(self):
        p, v = self.p, self.value()
        if not v or self.whole(v):
            return
        ops = ('and', 'or', 'xor') if v.el == 'i1' else ('and', 'or', 'xor', 'shift_left', 'shift_right_logical', 'shift_right_arithmetic')
        self.note(p.op('stablehlo.' + p.pick(ops), [v, self.same(v)], [(v.el, v.shape)]))

    def unary(self):
        p, v = self.p, self.numeric()
        if v:
            ops = ('negate', 'abs', 'sign') if v.el[0] != 'u' else ('not', 'popcnt', 'count_leading_zeros')
            self.note(p.op('stablehlo.' + p.pick(ops), [v], [(v.el, v.shape)]), max(1, self.bound.get(v.name, 0)))

    def convert(self):
        p, v = self.p, self.value()
        if not v:
            return
        el = p.pick(self.els)
        if el[0] in 'fb':
            if v.el[0] in 'iu' and v.el != 'i1':     # to a float: the last bits
                v = p.op('stablehlo.remainder', [v, p.constant_like(v, 7)], [(v.el, v.shape)])
                return self.note(p.op('stablehlo.convert', [v], [(el, v.shape)]), 6)
            if self.whole(v) and not self.bound[v.name] <= largest_whole(el):
                v = self.bounded(v, largest_whole(el))
            return self.note(p.op('stablehlo.convert', [v], [(el, v.shape)]), self.bound.get(v.name, 1))
        if self.whole(v):
            v = self.bounded(v, 100) if el != 'i1' else v
            if el[0] == 'u':
                v = p.op('stablehlo.abs', [v], [(v.el, v.shape)])
        self.note(p.op('stablehlo.convert', [v], [(el, v.shape)]))

    def compare(self):
        p, v = self.p, self.value()
        if v:
            self.note(bodies.compare(p, p.pick(('LT', 'LE', 'GT', 'GE', 'EQ', 'NE')), v, self.same(v)))

    def select(self):
        p, c = self.p, self.value(el='i1')
        v = self.value(shape=c.shape) if c else None
        if v:
            w = self.same(v)
            self.note(p.op('stablehlo.select', [c, v, w], [(v.el, v.shape)]), max(self.bound.get(v.name, 0), self.bound.get(w.name, 0)))

    def moved(self, v, name, operands, shape, attrs):
        self.note(self.p.op('stablehlo.' + name, operands, [(v.el, shape)], attrs), self.bound.get(v.name))

    def transpose(self):
        v = self.value(ranks=range(2, 6))
        if v:
            order = self.p.order(v.rank)
            self.moved(v, 'transpose', [v], [v.shape[i] for i in order], 'permutation = ' + ints(order))

    def reverse(self):
        v = self.value(ranks=range(1, 6))
        if v:
            self.moved(v, 'reverse', [v], v.shape, 'dimensions = ' + ints(self.p.subset(v.rank)))

    def broadcast(self):
        p, v = self.p, self.value(ranks=range(0, 4))
        if v:
            out = list(v.shape)
            at = p.int(0, v.rank)
            out.insert(at, p.pick(SIZES))
            where = [d for d in range(len(out)) if d != at]
            if np.prod(out) < 20000:
                self.moved(v, 'broadcast_in_dim', [v], out, 'broadcast_dimensions = ' + ints(where))

    def reshape(self):
        p, v = self.p, self.value(ranks=range(0, 6))
        if v:
            out, flat = [], v.size
            while flat > 1 and len(out) < 5:
                f = p.pick([k for k in range(2, flat + 1) if flat % k == 0][:8] + [flat])
                out.append(f)
                flat //= f
            if v.size:
                out += [flat] if flat > 1 else []
                out = [out[i] for i in p.order(len(out))] + [1] * p.chance(0.2)
                self.moved(v, 'reshape', [v], out, '')

    def slice(self):
        p, v = self.p, self.value(ranks=range(1, 6))
        if v:
            lo = [p.int(0, n // 2) for n in v.shape]
            hi = [p.int((a + n + 1) // 2, n) for a, n in zip(lo, v.shape)]
            step = [p.pick((1, 1, 1, 2, 3)) for _ in v.shape]
            self.moved(v, 'slice', [v], [-(-(b - a) // s) for a, b, s in zip(lo, hi, step)], 'start_indices = %s, limit_indices = %s, strides = %s' % (ints(lo), ints(hi), ints(step)))

    def pad(self):
        p, v = self.p, self.value(ranks=range(1, 5))
        if v:
            lo, hi, between = [p.int(-1, 2) for _ in v.shape], [p.int(-1, 2) for _ in v.shape], [p.pick((0, 0, 1)) for _ in v.shape]
            out = [n + a + b + max(0, n - 1) * c for n, a, b, c in zip(v.shape, lo, hi, between)]
            if min(out) >= 0 and np.prod(out) < 20000:
                r = p.op('stablehlo.pad', [v, p.constant(v.el, 1)], [(v.el, out)], 'edge_padding_low = %s, edge_padding_high = %s, interior_padding = %s' % (ints(lo), ints(hi), ints(between)))
                self.note(r, max(1, self.bound.get(v.name, 0)))

    def concatenate(self):
        p, v = self.p, self.value(ranks=range(1, 5))
        if v:
            d = p.int(0, v.rank - 1)
            parts = [v] + [w for w in self.values if w.el == v.el and w.rank == v.rank and all(a == b for i, (a, b) in enumerate(zip(w.shape, v.shape)) if i != d)][-3:]
            parts = [parts[i] for i in p.order(len(parts))]
            out = list(v.shape)
            out[d] = sum(w.shape[d] for w in parts)
            if np.prod(out) < 20000:
                self.note(p.op('stablehlo.concatenate', parts, [(v.el, out)], 'dimension = %d : i64' % d), max(self.bound.get(w.name, 0) for w in parts))

    def iota(self):
        p = self.p
        v = self.numeric(ranks=range(1, 5))
        if v:
            d = p.int(0, v.rank - 1)
            if self.fits(v, v.shape[d]):
                self.note(p.op('stablehlo.iota', [], [(v.el, v.shape)], 'iota_dimension = %d : i64' % d), v.shape[d])

    def reduce(self):
        p, v = self.p, self.value(ranks=range(1, 6))
        if not v:
            return
        over = p.subset(v.rank) or [0]
        terms = int(np.prod([v.shape[d] for d in over]))
        name = bodies.associative(p, v.el)
        many = [v]
        w = self.value(shape=v.shape)
        if w and p.chance(0.3):
            many.append(w)
        if any(self.whole(v) and terms > largest_whole(v.el) for v in many):
            return
        names = [bodies.associative(p, v.el) for v in many]
        many = [self.bounded(v, max(1, largest_whole(v.el) // max(1, terms))) if n == 'add' else v for v, n in zip(many, names)]
        kept = [n for d, n in enumerate(v.shape) if d not in over]
        inits = [p.constant(v.el, bodies.identity(n, v.el)) if terms or n in ('add', 'and', 'or', 'xor') else p.constant(v.el, 1) for v, n in zip(many, names)]
        if not terms:
            return
        r = p.op('stablehlo.reduce', many + inits, [(v.el, kept) for v in many], 'dimensions = ' + ints(over), [bodies.several(p, [v.el for v in many], names)])
        for one, v, n in zip(r if isinstance(r, list) else [r], many, names):
            self.note(one, self.bound.get(v.name, 0) * (terms if n == 'add' else 1))

    def window(self):
        p, v = self.p, self.numeric(ranks=range(1, 4))
        if v and 0 not in v.shape:
            from .reductions import padding
            size = [min(n, p.pick((1, 2, 3))) for n in v.shape]
            pad = [(p.int(0, s - 1), p.int(0, s - 1)) for s in size]
            out = [n + a + b - s + 1 for n, s, (a, b) in zip(v.shape, size, pad)]
            name = bodies.associative(p, v.el)
            v = self.bounded(v, max(1, largest_whole(v.el) // 27)) if name == 'add' else v
            one = [1] * v.rank
            r = p.op('stablehlo.reduce_window', [v, p.constant(v.el, 0 if name == 'add' and self.whole(v) else bodies.identity(name, v.el))], [(v.el, out)],
                     'window_dimensions = %s, window_strides = %s, base_dilations = %s, window_dilations = %s, padding = %s' % (ints(size), ints(one), ints(one), ints(one), padding(pad)),
                     [bodies.one(p, v.el, name)])
            infinite = self.whole(v) and name != 'add'
            self.note(r, self.bound.get(v.name, 0) * (int(np.prod(size)) if name == 'add' else 1) if not infinite else self.bound[v.name])

    def index(self):
        """A scalar integer, of the pool or made of it."""
        p = self.p
        v = self.value(el='i32') or self.value(el='i64')
        if not v:
            return p.constant('i32', p.int(-1, 4))
        if v.rank and v.size:
            zero = p.constant('i32', 0)
            v = p.op('stablehlo.reduce', [v, p.constant(v.el, 0)], [(v.el, ())], 'dimensions = ' + ints(range(v.rank)), [bodies.one(p, v.el, 'xor')])
        elif v.rank:
            return p.constant('i32', 1)
        return p.op('stablehlo.remainder', [v, p.constant(v.el, 5)], [(v.el, ())])

    def dynamic_slice(self):
        p, v = self.p, self.value(ranks=range(1, 5))
        if v:
            sizes = [p.int(min(1, n), n) for n in v.shape]
            i = self.index()
            self.moved(v, 'dynamic_slice', [v] + [i] * v.rank, sizes, 'slice_sizes = ' + ints(sizes))

    def dynamic_update_slice(self):
        p, v = self.p, self.value(ranks=range(1, 5))
        if v:
            u = self.value(el=v.el, ranks=(v.rank,))
            if all(a <= b for a, b in zip(u.shape, v.shape)):
                i = self.index()
                self.note(p.op('stablehlo.dynamic_update_slice', [v, u] + [i] * v.rank, [(v.el, v.shape)]), max(self.bound.get(v.name, 0), self.bound.get(u.name, 0)))

    def gather(self):
        p, v, i = self.p, self.value(ranks=range(1, 4)), self.value(el='i32', ranks=range(0, 3))
        if v and i and 0 not in v.shape and i.size * v.size // v.shape[0] < 20000:
            d = p.int(0, v.rank - 1)
            sizes = [1 if k == d else n for k, n in enumerate(v.shape)]
            rest = [n for k, n in enumerate(v.shape) if k != d]
            at = p.int(0, i.rank)
            out = list(i.shape[:at]) + rest + list(i.shape[at:])
            self.moved(v, 'gather', [v, i], out, 'dimension_numbers = #stablehlo.gather<offset_dims = %s, collapsed_slice_dims = [%d], operand_batching_dims = [], start_indices_batching_dims = [], '
                       'start_index_map = [%d], index_vector_dim = %d>, slice_sizes = %s, indices_are_sorted = false' % (dims(range(at, at + len(rest))), d, d, i.rank, ints(sizes)))

    def scatter(self):
        p, v, i = self.p, self.value(ranks=range(1, 4)), self.value(el='i32', ranks=(1,))
        if not v or not i or 0 in v.shape or i.size * v.size // v.shape[0] > 20000:
            return
        shape = i.shape + v.shape[1:]
        u = self.value(el=v.el, shape=shape) or p.op('stablehlo.broadcast_in_dim', [p.constant(v.el, 1)], [(v.el, shape)], 'broadcast_dimensions = array<i64>')
        name = bodies.associative(p, v.el)
        bound = None
        if self.whole(v):
            self.bound.setdefault(u.name, 1)
            if name == 'add':
                most = largest_whole(v.el) // (i.size + 1)
                if most < 1:
                    return
                v, u = self.bounded(v, most), self.bounded(u, most)
            a, b = self.bound[v.name], self.bound[u.name]
            bound = a + b * i.size if name == 'add' else max(a, b)
        self.note(p.op('stablehlo.scatter', [v, i, u], [(v.el, v.shape)], 'scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = %s, inserted_window_dims = [0], input_batching_dims = [], '
                       'scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false' % dims(range(1, v.rank)),
                       [bodies.one(p, v.el, name)]), bound)

    def dot(self):
        p, v = self.p, self.numeric(ranks=range(1, 4))
        w = self.numeric(el=v.el, ranks=range(1, 4)) if v else None
        if not w:
            return
        pairs = [(a, b) for a in range(v.rank) for b in range(w.rank) if v.shape[a] == w.shape[b]]
        if not pairs:
            return
        a, b = p.pick(pairs)
        n = v.shape[a]
        out = [m for d, m in enumerate(v.shape) if d != a] + [m for d, m in enumerate(w.shape) if d != b]
        if np.prod(out) > 20000 or np.prod(out) * n > 400000:
            return
        if self.whole(v):
            if n > largest_whole(v.el):
                return
            most = max(1, int((largest_whole(v.el) / max(1, n)) ** 0.5))
            v, w = self.bounded(v, most), self.bounded(w, most)
        self.note(p.op('stablehlo.dot_general', [v, w], [(v.el, out)], 'dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], '
                       'lhs_contracting_dimensions = [%d], rhs_contracting_dimensions = [%d]>' % (a, b)), self.bound.get(v.name, 0) * self.bound.get(w.name, 0) * n)

    def sort(self):
        p, v = self.p, self.value(ranks=range(1, 4))
        w = self.value(shape=v.shape) if v else None
        if v and 0 not in v.shape:
            xs = [v, w] if p.chance(0.5) else [v]
            direction = p.pick(('LT', 'GT'))
            region = p.region([(x.el, ()) for x in xs for _ in range(2)], lambda a: [bodies.compare(p, direction, a[0], a[1])])
            r = p.op('stablehlo.sort', xs, [(x.el, x.shape) for x in xs], 'dimension = %d : i64, is_stable = true' % p.int(0, v.rank - 1), [region])
            for one, x in zip(r if isinstance(r, list) else [r], xs):
                self.note(one, self.bound.get(x.name))

    # ---- regions ----

    def inside(self, carried, steps):
        """A graph of the carried values and of those outside."""
        g = Graph(self.p, self.els, self.depth + 1)
        g.values, g.bound = list(self.values[-6:]), dict(self.bound)
        for v, like in carried:
            g.note(v, self.bound.get(like.name))
        for _ in range(steps):
            getattr(g, self.p.pick(OPS if self.depth else OPS_OUTSIDE))()
        return g

    def like(self, g, w, most):
        """Something of w's type made in g, within `most`; w's shape or forced into it."""
        v = g.value(el=w.el, shape=w.shape)
        p = self.p
        if v is None:
            v = w
        return g.bounded(v, most) if g.whole(v) else v

    def loop(self):
        """A counted loop whose carries change, swap, or pass through."""
        p = self.p
        if self.depth > 1 or not self.values:
            return
        carried = [self.value() for _ in range(p.int(1, 4))]
        bounds = [self.bound.get(v.name, 0) or 1 for v in carried]
        el = p.pick(('i32', 'i64', 'ui8'))
        zero, trips = p.constant(el, 0), p.constant(el, p.int(0, LOOPS))
        types = [(el, ())] + [(v.el, v.shape) for v in carried]
        condition = p.region(types, lambda a: [bodies.compare(p, 'LT', a[0], trips)])

        def body(a):
            g = self.inside(list(zip(a[1:], carried)), p.int(1, 6))
            new = [self.like(g, v, b) for v, b in zip(a[1:], bounds)]
            return [p.op('stablehlo.add', [a[0], p.constant(el, 1)], [(el, ())])] + new
        r = p.op('stablehlo.while', [zero] + carried, types, '', [condition, p.region(types, body)])
        for v, b in zip(r[1:], bounds):
            self.note(v, b)

    def branch(self):
        p, c = self.p, self.value(el='i1', ranks=(0,))
        if self.depth > 1 or not self.values:
            return
        wanted = [self.value() for _ in range(p.int(1, 3))]
        bounds = [self.bound.get(v.name, 0) or 1 for v in wanted]

        def body(_):
            g = self.inside([], p.int(0, 5))
            return [self.like(g, v, b) for v, b in zip(wanted, bounds)]
        types = [(v.el, v.shape) for v in wanted]
        if c and p.chance(0.6):
            r = p.op('stablehlo.if', [c], types, '', [p.region([], body), p.region([], body)])
        else:
            i = self.index()
            if i.el != 'i32':
                i = p.op('stablehlo.convert', [i], [('i32', ())])
            r = p.op('stablehlo.case', [i], types, '', [p.region([], body) for _ in range(p.int(1, 4))])
        for v, b in zip(r if isinstance(r, list) else [r], bounds):
            self.note(v, b)

    def barrier(self):
        p = self.p
        xs = [self.value() for _ in range(p.int(1, 3))] if self.values else []
        if xs:
            r = p.op('stablehlo.optimization_barrier', xs, [(v.el, v.shape) for v in xs])
            for v, x in zip(r if isinstance(r, list) else [r], xs):
                self.note(v, self.bound.get(x.name))


OPS_OUTSIDE = [n for n, f in vars(Graph).items() if callable(f) and not n.startswith('__') and
               n not in ('whole', 'note', 'value', 'numeric', 'bounded', 'fits', 'same', 'moved', 'index', 'inside', 'like')]
OPS_OUTSIDE += ['binary'] * 4 + ['broadcast', 'transpose', 'reduce', 'reshape']
OPS = [n for n in OPS_OUTSIDE if n not in ('sort', 'dot', 'window')] + ['loop', 'branch', 'dynamic_slice', 'dynamic_update_slice']


def graph(p):
    g = Graph(p, [p.pick(KINDS) for _ in range(p.int(1, 3))] + ['i32', 'i1'])
    for k in range(p.int(1, 4)):
        el = g.els[k % len(g.els)]
        shape = tuple(p.pick(SIZES) for _ in range(p.int(0, 3)))
        v = p.arg(el, shape, 9 if el[0] in 'fb' else 'any' if p.chance(0.4) else 6)
        g.note(v, 9)
    steps = p.int(4, 25)
    for _ in range(3 * steps):
        if len(g.values) > steps:
            break
        getattr(g, p.pick(OPS_OUTSIDE))()
    made = [v for v in g.values if v.name.startswith('%v')] or g.values
    for v in made[-6:]:
        if p.chance(0.6) or v is made[-1]:
            p.give(v)
    if p.chance(0.15):
        p.give(p.pick(g.values))
    if p.chance(0.1):
        p.give(p.results[0])


DRAWERS = [graph]
