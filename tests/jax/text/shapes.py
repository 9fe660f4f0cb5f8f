"""Ops that move elements: every element type, arbitrary attributes."""
import numpy as np

from .draw import ALL, COMPLEX, FLOATS, INTS, USUAL, bools, dims, dtype, ints, tensor


def element(p):
    return p.pick(ALL if p.chance(0.5) else USUAL)


def broadcast_in_dim(p):
    el = element(p)
    out = p.shape(0, 5)
    at = p.subset(len(out))
    if p.chance(0.5):
        at = [at[i] for i in p.order(len(at))]
    x = p.arg(el, [1 if p.chance(0.3) else out[d] for d in at])
    p.give(p.op('stablehlo.broadcast_in_dim', [x], [(el, out)], 'broadcast_dimensions = ' + ints(at)))


def transpose(p):
    el, shape = element(p), p.shape(0, 5)
    order = p.order(len(shape))
    p.give(p.op('stablehlo.transpose', [p.arg(el, shape)], [(el, [shape[i] for i in order])], 'permutation = ' + ints(order)))


def reverse(p):
    el, shape = element(p), p.shape(0, 5)
    p.give(p.op('stablehlo.reverse', [p.arg(el, shape)], [(el, shape)], 'dimensions = ' + ints(p.subset(len(shape)))))


def slice(p):
    el, shape = element(p), p.shape(0, 5)
    lo = [p.int(0, n) for n in shape]
    hi = [p.int(a, n) for a, n in zip(lo, shape)]
    step = [p.pick((1, 1, 2, 3, 7)) for _ in shape]
    out = [max(0, -(-(b - a) // s)) for a, b, s in zip(lo, hi, step)]
    p.give(p.op('stablehlo.slice', [p.arg(el, shape)], [(el, out)], 'start_indices = %s, limit_indices = %s, strides = %s' % (ints(lo), ints(hi), ints(step))))


def pad(p):
    el, shape = element(p), p.shape(0, 4, most=4000)
    while True:
        lo = [p.int(-3, 4) for _ in shape]
        hi = [p.int(-3, 4) for _ in shape]
        between = [p.pick((0, 0, 1, 2)) for _ in shape]
        out = [n + max(0, n - 1) * b + l + h for n, l, h, b in zip(shape, lo, hi, between)]
        if all(n >= 0 for n in out) and np.prod(out) < 100000:
            break
    p.give(p.op('stablehlo.pad', [p.arg(el, shape), p.arg(el, ())], [(el, out)],
                'edge_padding_low = %s, edge_padding_high = %s, interior_padding = %s' % (ints(lo), ints(hi), ints(between))))


def concatenate(p):
    el, shape = element(p), list(p.shape(1, 4, most=5000))
    d, many = p.int(0, len(shape) - 1), p.pick((1, 2, 3, 5, 20))
    parts = [p.arg(el, shape[:d] + [p.int(0, 5)] + shape[d + 1:]) for _ in range(many)]
    p.give(p.op('stablehlo.concatenate', parts, [(el, shape[:d] + [sum(a.shape[d] for a in parts)] + shape[d + 1:])], 'dimension = %d : i64' % d))


def iota(p):
    el, shape = p.pick([e for e in INTS + FLOATS + COMPLEX]), p.shape(1, 4)
    d = p.int(0, len(shape) - 1)
    if el in FLOATS and shape[d] > 16:
        el = 'f32'
    p.give(p.op('stablehlo.iota', [], [(el, shape)], 'iota_dimension = %d : i64' % d))


def reshape(p):
    el, shape = element(p), p.shape(0, 4)
    flat, out = int(np.prod(shape)), []
    if flat:
        while flat > 1:
            f = p.pick([k for k in range(2, flat + 1) if flat % k == 0][:20])
            out.append(f)
            flat //= f
        out = [out[i] for i in p.order(len(out))]
        while p.chance(0.3):
            out.insert(p.int(0, len(out)), 1)
    else:
        out = [shape[i] for i in p.order(len(shape))]
    p.give(p.op('stablehlo.reshape', [p.arg(el, shape)], [(el, out)]))


def bits_of(el):
    bits = ''.join(c for c in el.split('E')[0].split('<')[-1] if c.isdigit())
    return int(bits) * (2 if el in COMPLEX else 1)


def bitcast_convert(p):
    """i1 and complex have no place in it; narrower than a byte only in XLA's half of the types."""
    a = p.pick(INTS + FLOATS)
    b = p.pick([e for e in INTS + FLOATS if bits_of(e) != 6 and bits_of(a) in (bits_of(e) * k for k in (0.125, 0.25, 0.5, 1, 2, 4, 8))])
    m, n = bits_of(a), bits_of(b)
    shape = p.shape(0, 3, most=3000)
    given = shape + (n // m,) if n > m else shape
    out = shape + (m // n,) if m > n else shape
    x = p.arg(a, given, 'any' if a != 'f16' else 'unit')     # a signalling NaN of f16 may come out quiet
    p.give(p.op('stablehlo.bitcast_convert', [x], [(b, out)]))


def starts(p, shape, sizes):
    el = p.pick(('i32', 'i32', 'i64', 'i8', 'ui8', 'ui32', 'i16', 'ui64'))
    found = []
    for n, m in zip(shape, sizes):
        at = p.int(-3, n + 3) if p.chance(0.8) else p.pick((-2**31, 2**31 - 1, -128, 127, 255, 2**32 - 1, 2**63 - 1, -2**63))
        low, high = (0, 2 ** int(el[2:]) - 1) if el[0] == 'u' else (-2 ** (int(el[1:]) - 1), 2 ** (int(el[1:]) - 1) - 1)
        found.append(p.arg(el, (), np.array(min(max(at, low), high), object).astype(dtype(el))))
    return found


def dynamic_slice(p):
    el, shape = element(p), p.shape(0, 4)
    sizes = [p.int(0, n) for n in shape]
    x, at = p.arg(el, shape), starts(p, shape, sizes)
    p.give(p.op('stablehlo.dynamic_slice', [x] + at, [(el, sizes)], 'slice_sizes = ' + ints(sizes)), p.known[x.name][window(p, at, shape, sizes)])


def window(p, at, shape, sizes):
    """Where a slice lies, clamped."""
    first = [min(max(int(p.known[v.name]), 0), n - m) for v, n, m in zip(at, shape, sizes)]
    return tuple(np.s_[a:a + m] for a, m in zip(first, sizes))


def dynamic_update_slice(p):
    el, shape = element(p), p.shape(0, 4)
    sizes = [p.int(0, n) for n in shape]
    x, u, at = p.arg(el, shape), p.arg(el, sizes), starts(p, shape, sizes)
    want = p.known[x.name].copy()
    want[window(p, at, shape, sizes)] = p.known[u.name]
    p.give(p.op('stablehlo.dynamic_update_slice', [x, u] + at, [(el, shape)]), want)


def select(p):
    el, shape = element(p), p.shape(0, 4)
    c = p.arg('i1', shape if p.chance(0.7) else ())
    p.give(p.op('stablehlo.select', [c, p.arg(el, shape), p.arg(el, shape)], [(el, shape)]))


def results(p):
    """What is returned: arguments, one value twice, constants, an argument and its copy, nothing."""
    el, shape = element(p), p.shape(0, 3)
    x, y = p.arg(el, shape), p.arg(el, shape)
    values = [x, y, p.op('stablehlo.reshape', [x], [(el, shape)]), p.op('stablehlo.optimization_barrier', [y], [(el, shape)]), p.constant('i32', 7, (3,)),
              p.op('stablehlo.transpose', [x], [(el, shape[::-1])], 'permutation = ' + ints(range(len(shape))[::-1]))]
    for _ in range(p.int(0, 6)):
        p.give(p.pick(values))


def dynamic_shapes(p):
    """The dynamic ops where the shape is a constant."""
    el, shape = element(p), p.shape(1, 3, empty=0)
    x = p.arg(el, shape)
    kind = p.pick(('iota', 'reshape', 'broadcast', 'pad', 'slice'))

    def numbers(values):
        v = p.op('stablehlo.constant', [], [('i64', (len(values),))], 'value = dense<%s> : %s' % (dims(values), tensor('i64', (len(values),))))
        return v
    r = len(shape)
    if kind == 'iota':
        p.give(p.op('stablehlo.dynamic_iota', [numbers(shape)], [('i32', shape)], 'iota_dimension = %d : i64' % p.int(0, r - 1)))
    elif kind == 'reshape':
        p.give(p.op('stablehlo.dynamic_reshape', [x, numbers([int(np.prod(shape))])], [(el, [int(np.prod(shape))])]))
    elif kind == 'broadcast':
        p.give(p.op('stablehlo.dynamic_broadcast_in_dim', [x, numbers((3,) + shape)], [(el, (3,) + shape)], 'broadcast_dimensions = ' + ints(range(1, r + 1))))
    elif kind == 'pad':
        lo, hi, between = [p.int(-1, 2) for _ in shape], [p.int(0, 2) for _ in shape], [p.int(0, 2) for _ in shape]
        out = [n + a + b + (n - 1) * c for n, a, b, c in zip(shape, lo, hi, between)]
        p.give(p.op('stablehlo.dynamic_pad', [x, p.arg(el, ()), numbers(lo), numbers(hi), numbers(between)], [(el, out)]))
    else:
        lo = [p.int(0, n) for n in shape]
        hi = [p.int(a, n) for a, n in zip(lo, shape)]
        step = [p.int(1, 3) for _ in shape]
        p.give(p.op('stablehlo.real_dynamic_slice', [x, numbers(lo), numbers(hi), numbers(step)], [(el, [-(-(b - a) // s) for a, b, s in zip(lo, hi, step)])]))


DRAWERS = [broadcast_in_dim, transpose, reverse, slice, pad, concatenate, iota, reshape, bitcast_convert, dynamic_slice, dynamic_update_slice, select, results, dynamic_shapes]
