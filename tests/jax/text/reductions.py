"""reduce, reduce_window, select_and_scatter, sort, map, cumulative sums: arbitrary bodies, operands, windows."""
import numpy as np

import cases

from . import bodies, draw
from .draw import ALL, COMPLEX, FLOATS, INTS, UNSIGNED, USUAL, WIDE, ints, is_complex, is_float, largest_whole, tensor

ELEMENTS = ('i1', 'i4', 'ui4') + tuple(e for e in INTS if e[-1] not in '24' or e.endswith(('32', '64'))) + WIDE + COMPLEX + ('f8E4M3FN', 'f8E5M2')


def element(p):
    return p.pick(ELEMENTS if p.chance(0.5) else USUAL)


def operand(p, el, shape, name, terms):
    """An argument whose every partial sum is exact."""
    if name == 'add' and not (el in INTS or el == 'i1'):
        return p.arg(el, shape, max(1, min(100, largest_whole(el) // max(1, terms))))
    return p.arg(el, shape, 'normal' if is_float(el) and name != 'add' and p.chance(0.3) else 'any' if not is_float(el) and not is_complex(el) else 50)


def initial(p, el, name):
    """What changes nothing: how often another would be taken is not said."""
    return p.constant(el, bodies.identity(name, el))


def reduce(p):
    shape = p.shape(0, 5)
    over = p.subset(len(shape))
    kept = [n for d, n in enumerate(shape) if d not in over]
    terms = int(np.prod([shape[d] for d in over]))
    many = p.pick((1, 1, 1, 2, 3))
    if p.chance(0.2) and over:
        el, index = p.pick([e for e in ELEMENTS if not is_complex(e) and e != 'i1']), p.pick(('i32', 'i64', 'ui32'))
        x, i = p.arg(el, shape, 9 if p.chance(0.5) else 'any' if el in INTS else 1000), p.op('stablehlo.iota', [], [(index, shape)], 'iota_dimension = %d : i64' % p.int(0, len(shape) - 1)) if shape else p.arg(index, shape, 100)
        xs, inits, els = [x, i], [p.arg(el, (), 3), p.constant(index, 0)], [el, index]
        region, wants = bodies.arg_max(p, el, index), [None, None]
    else:
        els = [element(p) for _ in range(many)]
        names = [bodies.associative(p, el) for el in els]
        xs = [operand(p, el, shape, n, terms) for el, n in zip(els, names)]
        inits = [initial(p, el, n) for el, n in zip(els, names)]
        region = bodies.several(p, els, names)
        wants = [folded(p.known[x.name], el, n, tuple(over)) for x, el, n in zip(xs, els, names)]
    r = p.op('stablehlo.reduce', xs + inits, [(el, kept) for el in els], 'dimensions = ' + ints(over), [region])
    for v, want in zip(r if isinstance(r, list) else [r], wants):
        p.give(v, want)


def folded(a, el, name, over):
    """A reduction by NumPy: exact, so in any type that is wide enough; integers wrap."""
    f = bodies.FOLDS[name]
    wide = {'f': np.float64, 'b': np.float64, 'i': np.int64, 'u': np.uint64}[el[0]] if not is_complex(el) and el != 'i1' else a.dtype
    w = f.reduce(a.astype(wide), axis=over, dtype=wide, initial=bodies.identity(name, el)) if over else a.astype(wide)
    if el[0] in 'iu' and el != 'i1':
        bits = int(el.lstrip('ui'))
        w = np.asarray(w).astype(np.uint64) << np.uint64(64 - bits)
        w = (w.view(np.int64) >> np.int64(64 - bits)) if el[0] == 'i' else w >> np.uint64(64 - bits)
    return np.asarray(w).astype(draw.dtype(el))


def window(p, shape, largest=4):
    """Window attributes for a shape, and the result's shape; every window meets bounds where padding is at hand."""
    r = len(shape)
    while True:
        size = [p.pick((1, 1, 2, 3, largest)) for _ in range(r)]
        stride = [p.pick((1, 1, 2, 3)) for _ in range(r)]
        base = [p.pick((1, 1, 1, 2, 3)) for _ in range(r)]
        dilation = [p.pick((1, 1, 1, 2, 3)) for _ in range(r)]
        pad = [(p.int(-2, 3), p.int(-2, 3)) if p.chance(0.6) else (0, 0) for _ in range(r)]
        out = []
        for n, s, t, b, d, (l, h) in zip(shape, size, stride, base, dilation, pad):
            wide = ((n - 1) * b + 1 if n else 0) + l + h
            reach = (s - 1) * d + 1
            out.append(0 if wide <= 0 or reach > wide else (wide - reach) // t + 1)
            if wide < 0:
                break
        else:
            if int(np.prod(out)) * int(np.prod(size)) < 300000:
                return size, stride, base, dilation, pad, out


def padding(pad):
    if not pad:
        return 'dense<> : tensor<0x2xi64>'
    return 'dense<[%s]> : tensor<%dx2xi64>' % (', '.join('[%d, %d]' % p for p in pad), len(pad))


def reduce_window(p):
    shape = p.shape(0, 4, most=6000)
    size, stride, base, dilation, pad, out = window(p, shape)
    if shape and p.chance(0.25):     # as JAX spells cumulative sums
        d = p.int(0, len(shape) - 1)
        n = max(1, shape[d])
        size, stride, base, dilation = [n if i == d else 1 for i in range(len(shape))], [1] * len(shape), [1] * len(shape), [1] * len(shape)
        pad = [((n - 1, 0) if p.chance(0.5) else (0, n - 1)) if i == d else (0, 0) for i in range(len(shape))]
        out = shape
        if n > 200:
            return reduce_window(p)
    terms = int(np.prod(size))
    els = [element(p)] + [p.pick(('i32', 'i8', 'i1', 'ui64'))] * p.chance(0.25)      # XLA takes one floating-point type only
    names = [bodies.associative(p, el) for el in els]
    xs = [operand(p, el, shape, n, terms + 2) for el, n in zip(els, names)]
    inits = [p.constant(el, bodies.identity(n, el)) for el, n in zip(els, names)]
    r = p.op('stablehlo.reduce_window', xs + inits, [(el, out) for el in els],
             'window_dimensions = %s, window_strides = %s, base_dilations = %s, window_dilations = %s, padding = %s' % (ints(size), ints(stride), ints(base), ints(dilation), padding(pad)),
             [bodies.several(p, els, names)])
    for v in r if isinstance(r, list) else [r]:
        p.give(v)


def select_and_scatter(p):
    shape = p.shape(0, 4, most=3000)
    r = len(shape)
    size = [min(max(n, 1), p.pick((1, 2, 2, 3))) for n in shape]
    stride = [p.pick((1, 2, 2, 3)) for _ in shape]
    pad = [(p.int(0, 1), p.int(0, 1)) if p.chance(0.4) else (0, 0) for _ in shape]
    pad = [(min(l, s - 1), min(h, s - 1)) for (l, h), s in zip(pad, size)]
    out = [max(0, (n + l + h - s) // t + 1) if n else 0 for n, s, t, (l, h) in zip(shape, size, stride, pad)]
    el = p.pick(('f32', 'f32', 'f64', 'i32', 'i8', 'bf16', 'f16', 'ui32'))
    x = p.arg(el, shape, 4 if p.chance(0.5) else 100)
    source = p.arg(el, out, 2)
    direction, fold = p.pick(('GE', 'LE', 'GT', 'LT')), p.pick(('add', 'add', 'maximum', 'minimum'))
    select = p.region([(el, ())] * 2, lambda v: [bodies.compare(p, direction, v[0], v[1])])
    scatter = bodies.one(p, el, fold)
    init = p.pick((0, 0, 1))
    r = p.op('stablehlo.select_and_scatter', [x, source, p.constant(el, init)], [(el, shape)],
             'window_dimensions = %s, window_strides = %s, padding = %s' % (ints(size), ints(stride), padding(pad)), [select, scatter])
    want = np.full(shape, init).astype(draw.dtype(el))
    a, b = p.known[x.name], p.known[source.name]
    keep = {'GE': np.greater_equal, 'LE': np.less_equal, 'GT': np.greater, 'LT': np.less}[direction]
    for at in np.ndindex(*out):
        best = None
        for w in np.ndindex(*size):
            i = tuple(o * t + k - l for o, t, k, (l, _) in zip(at, stride, w, pad))
            if all(0 <= j < n for j, n in zip(i, shape)) and (best is None or not keep(a[best], a[i])):
                best = i
        if best is not None:
            want[best] = bodies.FOLDS[fold](want[best], b[at])
    p.give(r, want)


def sort(p):
    shape = p.shape(1, 4)
    d = p.int(0, len(shape) - 1)
    els = [p.pick([e for e in ALL if not is_complex(e) and not e.startswith('f8')]) for _ in range(p.pick((1, 1, 2, 3, 4)))]
    xs = [p.arg(el, shape, p.pick(('any', 'special', 5))) for el in els]
    key, direction = p.int(0, len(els) - 1), p.pick(('LT', 'GT', 'LT', 'GT'))
    kind = 'TOTALORDER' if is_float(els[key]) else None     # with NaNs the others do not order
    second = p.int(0, len(els) - 1) if p.chance(0.4) else None

    def body(v):
        less = bodies.compare(p, direction, v[2 * key], v[2 * key + 1], kind)
        if second is None:
            return [less]
        same = bodies.compare(p, 'EQ', v[2 * key], v[2 * key + 1], kind)
        then = bodies.compare(p, 'GT', v[2 * second], v[2 * second + 1], 'TOTALORDER' if is_float(els[second]) else None)
        return [p.op('stablehlo.or', [less, p.op('stablehlo.and', [same, then], [('i1', ())])], [('i1', ())])]
    region = p.region([(el, ()) for el in els for _ in range(2)], body)
    r = p.op('stablehlo.sort', xs, [(el, shape) for el in els], 'dimension = %d : i64, is_stable = true' % (d - len(shape) * p.int(0, 1)), [region])
    keys = [ordered(x, descending=direction == 'GT') for x in [p.known[xs[key].name]]]
    if second is not None:
        keys = [ordered(p.known[xs[second].name], descending=True)] + keys
    order = np.lexsort(keys, d) if shape[d] else np.zeros(shape, int)
    for v, x in zip(r if isinstance(r, list) else [r], xs):
        p.give(v, np.take_along_axis(p.known[x.name], order, d))


def ordered(a, descending):
    """Integers in the total order of a's elements, -NaN first."""
    if a.dtype.kind == 'b':
        k = a.astype(np.int64)
    elif not cases.is_float(a.dtype):
        k = a.astype(np.uint64 if a.dtype == np.uint64 else np.int64)
    else:
        k = a.view('i%d' % a.dtype.itemsize)
        k = np.where(k < 0, k ^ np.iinfo(k.dtype).max, k)
    return ~k if descending else k


def top_k(p):
    el, shape = p.pick(('f32', 'f64', 'i32', 'ui8', 'i8', 'bf16', 'f16', 'i64', 'ui32')), p.shape(1, 3, empty=0)
    k = p.int(0, shape[-1])
    v, i = p.op('chlo.top_k', [p.arg(el, shape, p.pick(('any', 5)) if el in INTS else 9)], [(el, shape[:-1] + (k,)), ('i32', shape[:-1] + (k,))], 'k = %d : i64' % k)
    p.give(v)
    p.give(i)


def map_(p):
    els = [p.pick(USUAL)] + [p.pick(('i32', 'i8', 'i1', 'ui32')) for _ in range(p.int(0, 2))]
    shape = p.shape(0, 3)

    def body(v):
        a = v[0]
        for b in v[1:]:
            c = p.op('stablehlo.convert', [b], [(a.el, ())]) if a.el != b.el and not is_complex(b.el) else a
            a = p.op('stablehlo.add' if a.el != 'i1' else 'stablehlo.xor', [a, c], [(a.el, ())])
        return [a]
    p.give(p.op('stablehlo.map', [p.arg(el, shape, 20) for el in els], [(els[0], shape)], 'dimensions = ' + ints(range(len(shape))), [p.region([(el, ()) for el in els], body)]))


DRAWERS = [reduce, reduce, reduce_window, reduce_window, select_and_scatter, sort, sort, top_k, map_]
