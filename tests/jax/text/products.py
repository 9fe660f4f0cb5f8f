"""dot_general and convolution with arbitrary dimension numbers; fft and linear algebra have tables of their own."""
import math

import numpy as np

from .draw import bools, dims, dtype, ints, is_complex, is_float, largest_whole
from .reductions import padding

ELEMENTS = ('f32', 'f32', 'f32', 'f64', 'bf16', 'f16', 'i8', 'i32', 'i64', 'ui8', 'ui32', 'i16', 'complex<f32>', 'complex<f64>', 'f8E4M3FN', 'f8E5M2', 'i4')
RESULTS = {'bf16': ('bf16', 'f32'), 'f16': ('f16', 'f32'), 'i8': ('i8', 'i32'), 'ui8': ('ui8', 'ui32', 'i32'), 'f8E4M3FN': ('f32', 'bf16'), 'f8E5M2': ('f32', 'f16'), 'i4': ('i32', 'i8'), 'f32': ('f32', 'f64'), 'i16': ('i16', 'i32')}

SIGN = 0     # a sum's zero may have either sign: XLA itself begins some sums with 0 and others with their first product


def factors(p, a, b, out, terms):
    """How large whole numbers may be for sums of that many products to be exact."""
    if not is_float(out) and not is_complex(out):
        return 'any'
    return max(1, min(9, math.isqrt(largest_whole(out) // max(1, terms))))


def dot_general(p):
    sizes = lambda n: [p.pick((1, 2, 3, 4, 5, 8, 16, 17, 33)) for _ in range(n)]
    while True:
        batch, sums, left, right = sizes(p.pick((0, 0, 1, 2))), sizes(p.pick((0, 1, 1, 1, 2))), sizes(p.int(0, 2)), sizes(p.int(0, 2))
        if p.chance(0.04):
            p.pick((batch, sums, left, right))[:] = [0]
        if p.chance(0.1) and left:
            left[0] = p.int(60, 300)
        if p.chance(0.1) and sums:
            sums[0] = p.int(60, 300)
        if np.prod(batch + sums + left + right) < 400000:
            break
    el = p.pick(ELEMENTS)
    other = el
    out = p.pick(RESULTS.get(el, (el,)))
    if p.chance(0.1) and out == 'f32' and el in ('bf16', 'f16'):
        other = 'f32'

    def laid(free):
        """Batch, contracted and free dimensions in any order: shape and where each of them is."""
        parts = [('b', i, n) for i, n in enumerate(batch)] + [('c', i, n) for i, n in enumerate(sums)] + [('f', i, n) for i, n in enumerate(free)]
        parts = [parts[i] for i in p.order(len(parts))] if p.chance(0.8) else parts
        at = {(k, i): d for d, (k, i, n) in enumerate(parts)}
        return [n for _, _, n in parts], [at['b', i] for i in range(len(batch))], [at['c', i] for i in range(len(sums))], [n for k, _, n in parts if k == 'f']
    ls, lb, lc, lf = laid(left)
    rs, rb, rc, rf = laid(right)
    terms = int(np.prod(sums))
    kind = factors(p, el, other, out, terms)
    x, y = p.arg(el, ls, kind), p.arg(other, rs, kind)
    p.give(p.op('stablehlo.dot_general', [x, y], [(out, batch + lf + rf)],
                'dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = %s, rhs_batching_dimensions = %s, lhs_contracting_dimensions = %s, rhs_contracting_dimensions = %s>'
                % (dims(lb), dims(rb), dims(lc), dims(rc))), slack=SIGN)


def convolution(p):
    r = p.pick((0, 1, 1, 2, 2, 2, 3))
    while True:
        groups, batches = p.pick((1, 1, 1, 2, 3)), 1
        if groups == 1 and p.chance(0.2):
            batches = p.pick((2, 3))
        n = p.int(1, 3) * batches
        ci = p.pick((1, 2, 3, 4, 8, 16)) * groups
        co = p.pick((1, 2, 3, 8, 16)) * groups * batches
        image = [p.pick((1, 3, 4, 5, 7, 8, 12, 0 if p.chance(0.05) else 6)) for _ in range(r)]
        kernel = [p.pick((1, 1, 2, 3, 5)) for _ in range(r)]
        stride = [p.pick((1, 1, 1, 2, 3)) for _ in range(r)]
        pad = [(p.int(-2, 3), p.int(-2, 3)) if p.chance(0.6) else (0, 0) for _ in range(r)]
        ld = [p.pick((1, 1, 1, 2, 3)) for _ in range(r)]
        rd = [p.pick((1, 1, 1, 2)) for _ in range(r)]
        out, bad = [], False
        for i, k, s, (l, h), a, b in zip(image, kernel, stride, pad, ld, rd):
            wide, reach = ((i - 1) * a + 1 if i else 0) + l + h, (k - 1) * b + 1
            bad |= wide < 0
            out.append((wide - reach) // s + 1 if wide >= reach else 0)
        if not bad and np.prod(out) * np.prod(kernel) * n * co * ci < 3e6:
            break
    reversal = [p.chance(0.2) for _ in range(r)]
    el = p.pick(('f32', 'f32', 'f32', 'f64', 'bf16', 'f16', 'i32', 'i8', 'complex<f32>'))
    res = p.pick(RESULTS.get(el, (el,))) if p.chance(0.3) else el
    kind = factors(p, el, el, res, int(np.prod(kernel)) * ci // groups)

    def laid(names, sizes):
        order = p.order(len(names)) if p.chance(0.7) else range(len(names))
        return '[%s]' % ', '.join(names[i] for i in order), [sizes[i] for i in order], list(order)
    spatial = [str(i) for i in range(r)]
    lt, ls, lp = laid(['b', 'f'] + spatial, [n, ci] + image)
    rt, rs, rp = laid(['o', 'i'] + spatial, [co, ci // groups] + kernel)
    ot, os, op = laid(['b', 'f'] + spatial, [n // batches, co] + out)
    x, w = p.arg(el, ls, kind), p.arg(el, rs, kind)
    r = p.op('stablehlo.convolution', [x, w], [(res, os)],
             'dimension_numbers = #stablehlo.conv<%sx%s->%s>, window_strides = %s, padding = %s, lhs_dilation = %s, rhs_dilation = %s, window_reversal = %s, '
             'feature_group_count = %d : i64, batch_group_count = %d : i64' % (lt, rt, ot, ints(stride), padding(pad), ints(ld), ints(rd), bools(reversal), groups, batches))
    wide = np.complex128 if is_complex(el) else np.float64 if is_float(el) else np.int64
    a, k = (np.transpose(p.known[v.name].astype(wide), np.argsort(order)) for v, order in ((x, lp), (w, rp)))
    want = convolved(a, k, out, stride, pad, ld, rd, reversal, groups, batches)
    p.give(r, np.transpose(want, op).astype(dtype(res)), SIGN)


def convolved(x, w, out, stride, pad, ld, rd, reversal, groups, batches):
    """By the definition, x [batch, feature, spatial], w [out, in, spatial]: XLA forgets to crop some (f16, groups, negative padding)."""
    n, r = x.shape[0] // batches, len(out)
    wide = np.zeros(x.shape[:2] + tuple((i - 1) * d + 1 if i else 0 for i, d in zip(x.shape[2:], ld)), x.dtype)
    wide[(np.s_[:],) * 2 + tuple(np.s_[::d] for d in ld)] = x
    wide = np.pad(wide, [(0, 0)] * 2 + [(max(l, 0), max(h, 0)) for l, h in pad])
    wide = wide[(np.s_[:],) * 2 + tuple(np.s_[max(-l, 0):m - max(-h, 0)] for (l, h), m in zip(pad, wide.shape[2:]))]
    parts = max(groups, batches)
    result = np.zeros((n, w.shape[0]) + tuple(out), x.dtype)
    for g in range(parts):
        of = np.s_[g * w.shape[0] // parts:(g + 1) * w.shape[0] // parts]
        mine = wide[g * n:(g + 1) * n] if batches > 1 else wide[:, g * w.shape[1]:(g + 1) * w.shape[1]]
        for at in np.ndindex(*w.shape[2:]):
            window = mine[(np.s_[:],) * 2 + tuple(np.s_[k * d:k * d + (o - 1) * s + 1 if o else k * d:s] for k, d, o, s in zip(at, rd, out, stride))]
            tap = w[of][(np.s_[:],) * 2 + tuple(m - 1 - k if v else k for k, m, v in zip(at, w.shape[2:], reversal))]
            result[:, of] += np.moveaxis(np.tensordot(tap, window, (1, 1)), 0, 1)
    return result


DRAWERS = [dot_general, dot_general, convolution, convolution]
