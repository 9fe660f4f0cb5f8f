"""Ops with a definition of their own: random bits, transforms, normalisation, linear algebra, quantisation, calls."""
import numpy as np

from .draw import ints, tensor

RAW = ('ui8', 'ui16', 'ui32', 'ui64')     # XLA gives these whatever was asked for


def rng_bit_generator(p):
    algorithm, words = p.pick((('THREE_FRY', 2), ('PHILOX', 2), ('PHILOX', 3), ('DEFAULT', 2), ('DEFAULT', 3)))
    el, shape = p.pick(RAW), p.shape(0, 3)
    state = p.arg('ui64', (words,), 'any')
    for v in p.op('stablehlo.rng_bit_generator', [state], [('ui64', (words,)), (el, shape)], 'rng_algorithm = #stablehlo<rng_algorithm %s>' % algorithm):
        p.give(v)


def relative(n):
    """n times the largest element."""
    return lambda want: n * np.abs(want[np.isfinite(want)]).max(initial=0)


EPS = {'f32': 2.0 ** -23, 'f64': 2.0 ** -52}


def fft(p):
    kind = p.pick(('FFT', 'IFFT', 'RFFT', 'IRFFT'))
    real = p.pick(('f32', 'f64'))
    rank = p.int(1, 3)
    lengths = [p.pick((1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 31)) for _ in range(rank)]
    batch = p.shape(0, 2, most=50)
    half = lengths[:-1] + [lengths[-1] // 2 + 1]
    c = 'complex<%s>' % real
    (a, given), (b, out) = {'FFT': ((c, lengths), (c, lengths)), 'IFFT': ((c, lengths), (c, lengths)), 'RFFT': ((real, lengths), (c, half)), 'IRFFT': ((c, half), (real, lengths))}[kind]
    x = p.arg(a, batch + tuple(given), 'unit')
    v, axes = p.known[x.name].astype(np.complex128 if a == c else np.float64), tuple(range(-rank, 0))
    with np.errstate(all='ignore'):
        want = np.zeros(batch + tuple(out)) if 0 in batch else {'FFT': np.fft.fftn, 'IFFT': np.fft.ifftn, 'RFFT': np.fft.rfftn, 'IRFFT': lambda v, axes: np.fft.irfftn(v, lengths, axes)}[kind](v, axes=axes)
    p.give(p.op('stablehlo.fft', [x], [(b, batch + tuple(out))], 'fft_type = #stablehlo<fft_type %s>, fft_length = %s' % (kind, ints(lengths))),
           want.astype({'f32': np.float32, 'f64': np.float64, 'complex<f32>': np.complex64, 'complex<f64>': np.complex128}[b]), relative(8 * EPS[real] * (1 + np.log2(np.prod(lengths)))))


def batch_norm(p):
    shape = p.shape(1, 4, empty=0, most=4000)
    f, el = p.int(0, len(shape) - 1), p.pick(('f32', 'f64'))
    x, scale, offset = p.arg(el, shape, 'unit'), p.arg(el, (shape[f],), 'unit'), p.arg(el, (shape[f],), 'unit')
    attrs = 'epsilon = 0.5 : f32, feature_index = %d : i64' % f
    a, s, o = (p.known[v.name].astype(np.float64) for v in (x, scale, offset))
    over = tuple(d for d in range(len(shape)) if d != f)
    spread = lambda v: v.reshape([-1 if d == f else 1 for d in range(len(shape))])
    slack, t = relative(1e2 * EPS[el]), np.dtype({'f32': 'float32', 'f64': 'float64'}[el])
    if p.chance(0.5):
        m, v = a.mean(over), a.var(over)
        want = [(a - spread(m)) / np.sqrt(spread(v) + 0.5) * spread(s) + spread(o), m, v]
        for r, w in zip(p.op('stablehlo.batch_norm_training', [x, scale, offset], [(el, shape), (el, (shape[f],)), (el, (shape[f],))], attrs), want):
            p.give(r, w.astype(t), slack)
    else:
        mean, var = p.arg(el, (shape[f],), 'unit'), p.arg(el, (shape[f],), np.abs(p.array(el, (shape[f],), 'unit')))
        m, v = p.known[mean.name].astype(np.float64), p.known[var.name].astype(np.float64)
        p.give(p.op('stablehlo.batch_norm_inference', [x, scale, offset, mean, var], [(el, shape)], attrs), ((a - spread(m)) / np.sqrt(spread(v) + 0.5) * spread(s) + spread(o)).astype(t), slack)


def triangular_solve(p):
    """Of a matrix whose diagonal is large."""
    el, batch = p.pick(('f32', 'f64', 'complex<f32>', 'complex<f64>')), p.shape(0, 2, empty=0, most=12)
    n, m = p.pick((1, 2, 3, 5, 8, 17, 40)), p.pick((1, 2, 5, 16))
    left, lower, unit = p.chance(0.5), p.chance(0.5), p.chance(0.3)
    how = p.pick(('NO_TRANSPOSE', 'TRANSPOSE', 'ADJOINT'))
    t = np.dtype({'f32': 'float32', 'f64': 'float64', 'complex<f32>': 'complex64', 'complex<f64>': 'complex128'}[el])
    a = p.array(el, batch + (n, n), 'unit') / n
    a = (a + np.eye(n) * 3).astype(t)
    x, y = p.arg(el, a.shape, a), p.arg(el, batch + ((n, m) if left else (m, n)), 'unit')
    w = (np.tril if lower else np.triu)(a.astype(np.complex128))
    if unit:
        w = w - w * np.eye(n) + np.eye(n)
    w = w if how == 'NO_TRANSPOSE' else np.swapaxes(w, -1, -2) if how == 'TRANSPOSE' else np.conj(np.swapaxes(w, -1, -2))
    b = p.known[y.name].astype(np.complex128)
    want = np.linalg.solve(w, b) if left else np.swapaxes(np.linalg.solve(np.swapaxes(w, -1, -2), np.swapaxes(b, -1, -2)), -1, -2)
    want = (want if el[0] == 'c' else want.real).astype(t)
    p.give(p.op('stablehlo.triangular_solve', [x, y], [(el, y.shape)], 'left_side = %s, lower = %s, unit_diagonal = %s, transpose_a = #stablehlo<transpose %s>'
                % (*('true' if v else 'false' for v in (left, lower, unit)), how)), want, relative(20 * n * EPS[el.strip('complex<>')]))


def cholesky(p):
    el, batch, n, lower = p.pick(('f32', 'f64', 'complex<f32>')), p.shape(0, 2, empty=0, most=12), p.pick((1, 2, 3, 5, 8, 17, 40)), p.chance(0.5)
    t = np.dtype({'f32': 'float32', 'f64': 'float64', 'complex<f32>': 'complex64'}[el])
    a = p.array(el, batch + (n, n), 'unit').astype(np.complex128 if el[0] == 'c' else np.float64)
    a = (a @ np.conj(np.swapaxes(a, -1, -2)) / n + np.eye(n)).astype(t)
    L = np.linalg.cholesky(a.astype(np.complex128 if el[0] == 'c' else np.float64))
    w = np.tril(np.ones((n, n))) if lower else np.triu(np.ones((n, n)))
    r = p.op('stablehlo.cholesky', [p.arg(el, a.shape, a)], [(el, a.shape)], 'lower = %s' % ('true' if lower else 'false'))
    mask = p.op('stablehlo.broadcast_in_dim', [p.arg(el, (n, n), w)], [(el, a.shape)], 'broadcast_dimensions = ' + ints(range(len(batch), len(batch) + 2)))
    p.give(p.op('stablehlo.multiply', [r, mask], [(el, a.shape)]), (L if lower else np.conj(np.swapaxes(L, -1, -2))).astype(t), relative(40 * n * EPS[el.strip('complex<>')]))     # the other half is anything


def torch_index_select(p):
    shape = [max(1, n) for n in p.shape(1, 3, empty=0, most=500)]
    d = p.int(0, len(shape) - 1)
    k = p.int(0, d)
    index = tuple(shape[:k]) + tuple(p.pick((1, 2, 4)) for _ in range(p.int(0, 2)))
    x, i = p.arg('i32', shape, 'any'), p.arg('i32', index, p.rng.integers(0, shape[d], index))
    out = shape[:d] + list(index[k:]) + shape[d + 1:]
    a, at = p.known[x.name], p.known[i.name]
    want = np.empty(out, np.int32)
    for b in np.ndindex(*shape[:k]):
        want[b] = np.take(a[b], at[b], axis=d - k)
    p.give(p.op('stablehlo.torch_index_select', [x, i], [('i32', out)], 'dim = %d : i64, batch_dims = %d : i64' % (d, k)), want)


def einsum(p):
    letters = 'abcde'
    size = {c: p.pick((1, 2, 3, 5, 8)) for c in letters}
    left, right = (''.join(letters[i] for i in p.order(5)[:p.int(1, 3)]) for _ in range(2))
    both = [c for c in dict.fromkeys(left + right)]
    out = ''.join(both[i] for i in p.order(len(both)) if p.chance(0.6))
    out += ''.join(c for c in both if c not in out and (c in left) != (c in right))     # what one side alone has is kept
    x, y = p.arg('f32', [size[c] for c in left], 9), p.arg('f32', [size[c] for c in right], 9)
    p.give(p.op('stablehlo.einsum', [x, y], [('f32', [size[c] for c in out])], 'einsum_config = "%s,%s->%s"' % (left, right, out)),
           np.einsum('%s,%s->%s' % (left, right, out), p.known[x.name], p.known[y.name]), 0)


def quantised(p):
    """There and back, and a sum in between: by the spec's formulas, all in powers of two so that nothing is rounded twice."""
    shape = p.shape(0, 3)
    scale, zero = 2.0 ** p.int(-4, 1), p.int(-20, 20)
    q = 'tensor<%s>' % 'x'.join([str(n) for n in shape] + ['!quant.uniform<i8:f32, %r:%d>' % (scale, zero)])
    x = p.arg('f32', shape, np.asarray(p.rng.integers(-400, 400, shape) * (scale / 4)))
    t = x.type
    a, b, c = p.fresh(), p.fresh(), p.fresh()
    p.lines += ['%s = stablehlo.uniform_quantize %s : (%s) -> %s' % (a, x.name, t, q), '%s = stablehlo.add %s, %s : %s' % (b, a, a, q), '%s = stablehlo.uniform_dequantize %s : (%s) -> %s' % (c, b, q, t)]
    from .draw import Value
    code = np.rint(np.clip(p.known[x.name].astype(np.float64) / scale + zero, -128, 127))
    twice = np.clip(np.rint(2 * (code - zero)) + zero, -128, 127)
    p.give(Value(c, 'f32', shape), ((twice - zero) * scale).astype(np.float32), 0)


def calls(p):
    """A function called twice, one inside the other, with results in another order."""
    el, shape = p.pick(('i32', 'f32', 'ui8')), p.shape(0, 3)
    t = tensor(el, shape)
    p.functions.append('''func.func private @inner(%%x: %s, %%y: %s) -> (%s, %s) {
  %%z = stablehlo.add %%x, %%y : %s
  return %%z, %%x : %s, %s
}
func.func private @outer(%%x: %s, %%y: %s) -> (%s, %s) {
  %%a:2 = func.call @inner(%%y, %%x) : (%s, %s) -> (%s, %s)
  %%b:2 = func.call @inner(%%a#1, %%a#0) : (%s, %s) -> (%s, %s)
  return %%b#1, %%b#0 : %s, %s
}''' % ((t,) * 21))
    x, y = p.arg(el, shape, 9), p.arg(el, shape, 9)
    a, b = p.op('func.call', [x, y], [(el, shape)] * 2, 'callee = @outer')
    p.give(a, p.known[y.name])
    p.give(b, (2 * p.known[y.name] + p.known[x.name]).astype(p.known[x.name].dtype))


DRAWERS = [rng_bit_generator, rng_bit_generator, fft, batch_norm, triangular_solve, cholesky, torch_index_select, einsum, quantised, calls]
