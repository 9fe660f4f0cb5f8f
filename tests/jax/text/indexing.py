"""gather and scatter: arbitrary dimension numbers, batching dimensions, index vectors anywhere, indices out of bounds and repeated."""
import numpy as np

from . import bodies
from .draw import ALL, INTS, USUAL, Value, dims, dtype, ints, is_float, largest_whole


class Numbers:
    """Dimension numbers between an operand, its indices and its slices or updates."""

    def __init__(self, p, scatter):
        self.p = p
        self.operand = [max(1, n) for n in p.shape(1, 4, empty=0, most=3000)]
        if p.chance(0.02):
            self.operand[p.int(0, len(self.operand) - 1)] = 0
        r = len(self.operand)
        self.batching = p.subset(r, 2) if p.chance(0.35) else []
        rest = [d for d in range(r) if d not in self.batching]
        self.collapsed = [d for d in rest if p.chance(0.4)]
        sizes = []
        for d in range(r):
            n = self.operand[d]
            sizes.append(min(1, n) if d in self.batching or d in self.collapsed else n if p.chance(0.4) else p.int(0 if p.chance(0.05) else min(1, n), n))
        self.collapsed = [d for d in self.collapsed if self.operand[d] > 0]
        self.sizes = sizes
        self.map = [d for d in p.order(r) if d not in self.batching and p.chance(0.7)]
        # the indices: batch dimensions in any order, those of the operand's batching among them, the vector anywhere
        batch = [('free', p.pick((1, 2, 3, 5))) for _ in range(p.int(0, 2))] + [('batch', d) for d in self.batching]
        batch = [batch[i] for i in p.order(len(batch))]
        self.index_shape = [n if kind == 'free' else self.operand[n] for kind, n in batch]
        self.index_batching = [[i for i, b in enumerate(batch) if b == ('batch', d)][0] for d in self.batching]
        batch_dims = list(self.index_shape)
        if len(self.map) == 1 and p.chance(0.4):
            self.vector = len(self.index_shape)
        else:
            self.vector = p.int(0, len(self.index_shape))
            self.index_shape.insert(self.vector, len(self.map))
            self.index_batching = [i + (i >= self.vector) for i in self.index_batching]
        window = [self.sizes[d] for d in range(r) if d not in self.batching and d not in self.collapsed]
        rank = len(batch_dims) + len(window)
        self.offset = sorted(int(i) for i in p.rng.permutation(rank)[:len(window)])
        batch_dims, window = iter(batch_dims), iter(window)
        self.slices = [next(window) if i in self.offset else next(batch_dims) for i in range(rank)]

    def indices(self, unique=False):
        p = self.p
        el = p.pick(('i32', 'i32', 'i32', 'i64', 'ui32', 'i8', 'ui8', 'i16', 'ui64'))
        a = p.rng.integers(-2 if el[0] == 'i' and p.chance(0.5) else 0, max(self.operand) + (2 if p.chance(0.5) else 0), self.index_shape)
        if p.chance(0.1):
            a = a + np.where(p.rng.random(self.index_shape) < 0.2, 100, 0)
        a = np.asarray(a).astype(dtype(el))
        if p.chance(0.1) and a.size and el in ('i32', 'i64', 'ui32', 'ui64'):
            info = np.iinfo(dtype(el))
            a = np.where(p.rng.random(self.index_shape) < 0.2, p.pick((info.min, info.max)), a).astype(dtype(el))
        return p.arg(el, self.index_shape, a) if p.chance(0.9) or el != 'i32' or not a.size else self.constant(a)

    def constant(self, a):
        p = self.p
        from .draw import tensor
        text = np.array2string(a, separator=', ', threshold=10**6).replace('\n', ' ') if a.ndim else str(int(a))
        v = Value(p.fresh(), 'i32', a.shape)
        p.lines.append('%s = stablehlo.constant dense<%s> : %s' % (v.name, text, v.type))
        p.known[v.name] = a
        return v


    def scattered(self, start, operand, updates, fold):
        """The operand after every update that lies inside: fold(old, new). By the spec, an update is an element of `updates`, not a window of it."""
        x = operand.copy()
        rank = len(self.slices)
        window_dims = [d for d in range(len(self.operand)) if d not in self.batching and d not in self.collapsed]
        spread = dict(zip(self.offset, window_dims))
        windows = np.indices([n for i, n in enumerate(self.slices) if i in self.offset]).reshape(len(self.offset), -1) if self.offset else np.zeros((0, 1), int)
        batch_dims = [i for i in range(rank) if i not in self.offset]
        for at in np.ndindex(*[self.slices[i] for i in batch_dims]):
            index = list(at)
            if self.vector < len(self.index_shape):
                index.insert(self.vector, np.s_[:])
            first = np.atleast_1d(start[tuple(index)])
            full = [np.zeros(windows.shape[1], object) for _ in self.operand]
            for i, d in enumerate(self.map):
                full[d] = full[d] + int(first[i])
            for d, i in zip(self.batching, self.index_batching):
                full[d] = full[d] + index[i]
            for k, i in enumerate(self.offset):
                full[spread[i]] = full[spread[i]] + windows[k]
            good = np.ones(windows.shape[1], bool)
            for d, n in enumerate(self.operand):
                good &= ((full[d] >= 0) & (full[d] < n)).astype(bool)
            where = tuple(f[good].astype(int) for f in full)
            source, k, b = [], iter(range(len(self.offset))), iter(at)
            source = tuple(windows[next(k)][good] if i in self.offset else np.full(good.sum(), next(b)) for i in range(rank))
            x[where] = fold(x[where], updates[source])
        return x


def gather(p):
    n = Numbers(p, False)
    el = p.pick(ALL if p.chance(0.4) else USUAL)
    attrs = ('dimension_numbers = #stablehlo.gather<offset_dims = %s, collapsed_slice_dims = %s, operand_batching_dims = %s, start_indices_batching_dims = %s, start_index_map = %s, '
             'index_vector_dim = %d>, slice_sizes = %s, indices_are_sorted = false')
    p.give(p.op('stablehlo.gather', [p.arg(el, n.operand), n.indices()], [(el, n.slices)],
                attrs % (dims(n.offset), dims(n.collapsed), dims(n.batching), dims(n.index_batching), dims(n.map), n.vector, ints(n.sizes))))


def scatter(p):
    n = Numbers(p, True)
    els = [p.pick(('i1', 'i4', 'i8', 'i32', 'i64', 'ui8', 'ui32', 'ui64', 'bf16', 'f16', 'f32', 'f32', 'f64', 'complex<f32>', 'complex<f64>')) for _ in range(p.pick((1, 1, 1, 2)))]
    indices = n.indices()
    xs, updates, names = [], [], []
    for el in els:
        name = bodies.associative(p, el)
        whole = max(1, min(50, largest_whole(el) // max(8, int(np.prod(n.slices)))))
        kind = 'any' if el in INTS or el == 'i1' else whole
        xs.append(p.arg(el, n.operand, kind))
        updates.append(p.arg(el, n.slices, kind))
        names.append(name)
    last = len(els) == 1 and p.chance(0.2)
    if last:
        region = p.region([(els[0], ())] * 2, lambda v: [v[1]])
        one = p.arg(els[0], (), 5)       # in no order that matters
        updates = [p.op('stablehlo.broadcast_in_dim', [one], [(els[0], n.slices)], 'broadcast_dimensions = array<i64>')]
        p.known[updates[0].name] = p.known[one.name]
    else:
        region = bodies.several(p, els, names)
    attrs = ('scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = %s, inserted_window_dims = %s, input_batching_dims = %s, scatter_indices_batching_dims = %s, '
             'scatter_dims_to_operand_dims = %s, index_vector_dim = %d>, indices_are_sorted = false, unique_indices = false')
    r = p.op('stablehlo.scatter', xs + [indices] + updates, [(el, n.operand) for el in els],
             attrs % (dims(n.offset), dims(n.collapsed), dims(n.batching), dims(n.index_batching), dims(n.map), n.vector), [region])
    start = p.known[indices.name]
    for v, x, u, name, el in zip(r if isinstance(r, list) else [r], xs, updates, names, els):
        new = np.broadcast_to(p.known[u.name], n.slices)
        with np.errstate(all='ignore'):
            p.give(v, n.scattered(start, p.known[x.name], new, (lambda a, b: b) if last else bodies.folded(name, el)))


DRAWERS = [gather, gather, scatter, scatter]
