"""Element types and shapes at the edges: conversions, narrow floats and integers, empty arrays, high ranks."""
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from cases import bf16, c64, c128, case, f8, f16, f32, f64, i4, i8, i16, i32, i64, pred, u4, u8, u16, u32, u64

inf, nan = np.inf, np.nan
MAKERS = {'f16': f16, 'f32': f32, 'f64': f64, 'bf16': bf16, 'i8': i8, 'i16': i16, 'i32': i32, 'i64': i64, 'u8': u8, 'u16': u16, 'u32': u32, 'u64': u64,
          'pred': pred, 'c64': c64, 'c128': c128, 'i4': i4, 'u4': u4, 'f8e4m3fn': f8['e4m3fn'], 'f8e5m2': f8['e5m2']}
NARROW = [getattr(ml_dtypes, 'float8_' + n) for n in f8]
EDGES = np.float32([0, -0.0, 1, -1, 0.4, 0.5, 1.5, 2.5, 3.9, 200, -200, 300, 1e5, -1e5, 1e-3, 1e-8, 448, 464, 480, 57344, 65504, 65520, 3e38])
NOT_FINITE = np.float32([inf, -inf, nan])


def targets(a):
    """Types that values of type a are converted to: not complex to real, nor negative floats to what is unsigned."""
    names = ('f32', 'f64', 'bf16', 'i32', 'i8', 'u8', 'pred', 'c64', 'f16', 'i64')
    return [MAKERS[b](1).dtype for b in names if a != b and not (a.startswith('c') and b[0] != 'c') and not (a[0] in 'fb' and b[0] == 'u')]


CASES = [case('convert %s' % a, lambda x, a=a: [x.astype(t) for t in targets(a)], MAKERS[a](3, 5), x64=True, exact=True) for a in MAKERS]
CASES += [case('convert f32 to %s' % n.__name__, lambda x, n=n: x.astype(n).astype(np.float32), EDGES, exact=True) for n in NARROW]
CASES += [case('convert f16 to %s' % n.__name__, lambda x, n=n: x.astype(n), f16(30).within(-500, 500), exact=True) for n in NARROW[:3]]
CASES += [case('convert infinities to %s' % n.__name__, lambda x, n=n: x.astype(n).astype(np.float32), NOT_FINITE) for n in NARROW]
CASES += [case('every %s to f32' % n.__name__, lambda x, n=n: jax.lax.bitcast_convert_type(x, n).astype(np.float32), np.arange(256, dtype=np.uint8), exact=True) for n in NARROW]
CASES += [case('arithmetic in %s' % n, lambda x, y: [x + y, x * y, x - y, jnp.maximum(x, y), x < y, -x, abs(x)], f8[n](9), f8[n](9), exact=True) for n in f8]
CASES += [
    case('convert f32 to f16 edges', lambda x: x.astype(np.float16), EDGES, exact=True),
    case('convert f32 to bf16 edges', lambda x: x.astype(jnp.bfloat16), np.concatenate([EDGES, NOT_FINITE]), exact=True),
    # XLA rounds to f32 on the way, so nothing here lies between.
    case('convert f64 to bf16 full', lambda x: x.astype(jnp.bfloat16), np.float64([1 + 2**-8, 1 + 3 * 2**-8, 1e39, -1e-300, np.pi]), exact=True),
    case('convert f64 to f16 full', lambda x: x.astype(np.float16), np.float64([1 + 2**-11 + 2**-20, 1 + 2**-11, 65519.9, 65520, 3e-8]), exact=True),
    case('convert u64 to f32 full', lambda x: x.astype(np.float32), u64(20).full(), exact=True),
    case('convert i64 to f32 full', lambda x: x.astype(np.float32), i64(20).full(), exact=True),
    case('convert u32 to f32 full', lambda x: x.astype(np.float32), u32(20).full(), exact=True),
    case('convert i32 to bf16 full', lambda x: x.astype(jnp.bfloat16), i32(20).full(), exact=True),
    case('convert i64 to i8 full', lambda x: x.astype(np.int8), i64(20).full()),
    case('convert i8 to u32 full', lambda x: x.astype(np.uint32), i8(20).full()),
    case('convert c64 to f32', lambda x: x.real.astype(np.float32), c64(5)),
    case('i4 sums', lambda x, y: [x + y, x * y, x - y, -x, x < y, x & y], i4(20), i4(20)),
    case('u4 sums', lambda x, y: [x + y, x * y, x - y, x < y, x | y, x >> y], u4(20), u4(20)),
    case('i4 reductions', lambda x: [x.max(), x.min(), x.astype(np.int32).sum()], i4(20)),
    case('i4 dot', lambda x, y: jax.lax.dot(x.astype(np.int8), y.astype(np.int8), preferred_element_type=np.int32), i4(3, 5), i4(5, 2)),
    case('f8 dot', lambda x, y: jax.lax.dot(x, y, preferred_element_type=np.float32), f8['e4m3fn'](3, 5), f8['e4m3fn'](5, 2)),
    case('f8 sort and gather', lambda x: [jnp.sort(x), x[np.array([2, 0])], x[::-1]], f8['e5m2'](7), exact=True),
    case('f8 sum', lambda x: x.astype(np.float32).sum(), f8['e4m3fn'](40)),
    case('f4 conversion', lambda x: x.astype(ml_dtypes.float4_e2m1fn).astype(np.float32), EDGES, exact=True),
    case('f8e8m0 conversion', lambda x: x.astype(ml_dtypes.float8_e8m0fnu).astype(np.float32), np.float32([1, 2, 0.5, 3, 1e10, 1e-10]), exact=True),
    case('finfo', lambda x: x * 0 + jnp.array([jnp.finfo(t).max for t in (np.float32, np.float32, np.float32)]), f32(3)),
    case('u8 wraps', lambda x, y: [x + y, x - y, x * y, -x], u8(20).full(), u8(20).full()),
    case('i16 wraps', lambda x, y: [x + y, x - y, x * y], i16(20).full(), i16(20).full()),
    case('u64 arithmetic', lambda x, y: [x + y, x // (y + 1), x % (y + 1), x >> 3, x.max()], u64(20).full(), u64(20)),
    case('f64 of everything', lambda x, y: [jnp.sin(x) @ y.T, x.sum(0), jnp.sort(y), jnp.exp(x).mean(), jnp.cumsum(x, 1)], f64(3, 4), f64(3, 4)),
    case('f16 of everything', lambda x, y: [jnp.sin(x), x.max(0), jnp.sort(y), jnp.exp(x), x * y + 1], f16(3, 4), f16(3, 4)),
    case('bf16 of everything', lambda x, y: [jnp.sin(x), x.max(0), jnp.sort(y), jnp.exp(x), x * y + 1], bf16(3, 4), bf16(3, 4)),
    case('c128 of everything', lambda x, y: [jnp.sin(x) @ y.T, x.sum(0), jnp.exp(x).mean(), jnp.cumsum(x, 1), x / y], c128(3, 4), c128(3, 4)),
    case('c64 division edges', lambda x, y: x / y, np.complex64([1 + 1j, 1e20 + 1e20j, 0, inf]), np.complex64([1e-20 + 1e-20j, 1e20, 1, 2])),
    case('c64 comparisons', lambda x, y: [x == y, x != y], np.complex64([1 + 1j, 2, 3]), np.complex64([1 + 1j, 2j, 3])),
    case('promotion', lambda a, b, c, d: [a + b, b + c, c + d, a * d], i8(4), u8(4), bf16(4), f16(4)),
    case('pred arithmetic', lambda p, q: [p & q, p | q, p ^ q, ~p, p + q, p.sum(), p.astype(np.float32).mean(), p < q], pred(9), pred(9)),
    # shapes
    case('empty add', lambda x, y: x + y, f32(0, 3), f32(3)),
    case('empty reductions', lambda x: [x.sum(), x.sum(1), x.prod(0), x.all()], f32(3, 0)),
    case('empty max with initial', lambda x: x.max(initial=-3), f32(0)),
    case('empty sort', lambda x: [jnp.sort(x), jnp.cumsum(x)], f32(0)),
    case('empty dot', lambda x, y: x @ y, f32(0, 4), f32(4, 3)),
    case('empty concatenate', lambda x, y: jnp.concatenate([x, y]), f32(0, 2), f32(3, 2)),
    case('empty gather', lambda x, i: x[i], f32(4, 2), i32(0)),
    case('empty scatter', lambda x, i, v: x.at[i].add(v), f32(4), i32(0), f32(0)),
    case('empty slice', lambda x: x[2:2], f32(4)),
    case('empty conv', lambda x, w: jax.lax.conv(x, w, (1, 1), 'SAME'), f32(0, 3, 5, 5), f32(2, 3, 3, 3)),
    case('empty transpose', lambda x: x.T.reshape(0, 5), f32(3, 0)),
    case('empty pad', lambda x: jnp.pad(x, ((0, 2), (1, 0)), constant_values=3), f32(0, 2)),
    case('empty scan', lambda x: jax.lax.scan(lambda c, a: (c + a.sum(), a), jnp.float32(0), x), f32(0, 3)),
    case('scalars', lambda x, y: [x + y, jnp.sin(x), x < y, x.reshape(1, 1)], np.float32(2), np.float32(3)),
    case('rank 8', lambda x: x.transpose(7, 0, 6, 1, 5, 2, 4, 3).sum((1, 4)), f32(2, 1, 3, 1, 2, 2, 1, 3)),
    case('rank 6 broadcast', lambda x, y: x * y, f32(2, 1, 3, 1, 2, 1), f32(1, 2, 1, 3, 1, 2)),
    case('ones everywhere', lambda x: x.sum((0, 2)) + x.max(1), f32(1, 1, 1)),
    case('prime sizes', lambda x, y: (x @ y).max(0) + x.sum(), f32(17, 23), f32(23, 13)),
    case('long vector', lambda x: [x.sum(), x.max(), jnp.sort(x)[::1000], (x * 2)[-3:]], f32(70001)),
    case('tall', lambda x: x.sum(0), f32(20011, 3)),
    case('wide', lambda x: x.sum(1), f32(3, 20011)),
    case('transpose large', lambda x: x.T, f32(301, 257)),
    case('rank 4 transpose', lambda x: x.transpose(0, 2, 1, 3), f32(3, 17, 5, 16)),
]
