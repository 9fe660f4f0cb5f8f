"""What the other tables leave of jax.numpy, jax.lax, jax.scipy and jax.nn: every function of theirs that computes."""
import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
from jax import lax, nn

from cases import bf16, c64, case, f16, f32, f64, f8, i8, i32, pred, u8, u32

nan = np.nan
HOLES = np.float32([[1, nan, 3, -2], [nan, 5, -1, 0.5], [2, 2, nan, 7]])


def raw(x):
    """Householder vectors as LAPACK stores them, and their factors."""
    h, tau = jnp.linalg.qr(x, mode='raw')
    return h.mT, tau


CASES = [case('jnp.%s of holes' % n, getattr(jnp, n), HOLES) for n in 'nanmin nanmax nanprod nanvar nanstd nanmedian nancumprod nancumsum nanmean nansum'.split()]
CASES += [case('jnp.%s of holes by axis' % n, lambda x, n=n: getattr(jnp, n)(x, axis=1), HOLES) for n in 'nanmin nanprod nanvar nanargmin nanargmax nanmedian'.split()]
CASES += [case('jnp.%s' % n, getattr(jnp, n), f32(3, 4)) for n in 'amax amin around degrees radians logical_not isreal iscomplex ones_like copy'.split()]
CASES += [case('jnp.%s i32' % n, getattr(jnp, n), i32(3, 4), i32(3, 4).within(0, 9)) for n in 'bitwise_left_shift bitwise_right_shift greater less_equal'.split()]
CASES += [
    case('jnp.bitwise_invert', jnp.bitwise_invert, u8(5)), case('jnp.array_equiv', jnp.array_equiv, f32(3), f32(1, 3)), case('jnp.cumulative_prod', lambda x: jnp.cumulative_prod(x, axis=1, include_initial=True), f32(3, 4)),
    case('jnp.atleast_1d', lambda x: [jnp.atleast_1d(x), jnp.atleast_2d(x)], np.float32(3)), case('jnp.concat', lambda x, y: jnp.concat([x, y], axis=None), f32(2, 3), f32(4)),
    case('jnp.splits', lambda x: [jnp.dsplit(x, 2), jnp.hsplit(x, [1, 3]), jnp.vsplit(x, 2), jnp.unstack(x, axis=1)], f32(2, 4, 6)), case('jnp.rollaxis', lambda x: jnp.rollaxis(x, 2), f32(2, 3, 4)),
    case('jnp.fill_diagonal', lambda x, v: jnp.fill_diagonal(x, v, inplace=False), f32(4, 4), f32(4)), case('jnp.histogramdd', lambda x: jnp.histogramdd(x, bins=4), f32(30, 2)),
    case('jnp.histogram_bin_edges', lambda x: jnp.histogram_bin_edges(x, 7), f32(30)), case('jnp.kaiser', lambda: [jnp.kaiser(9, 5.0), jnp.kaiser(8, 14)]), case('jnp.ix_', lambda x: x[jnp.ix_(jnp.array([0, 2]), jnp.array([1, 0]))], f32(3, 4)),
    case('jnp.indices of triangles', lambda x: [x[jnp.tril_indices_from(x)], x[jnp.triu_indices(4, 1)], x[jnp.diag_indices_from(x)]], f32(4, 4)),
    case('jnp.nanquantile', lambda x: jnp.nanquantile(x, jnp.array([0.2, 0.7]), axis=1), HOLES), case('jnp.nanpercentile of rows', lambda x: jnp.nanpercentile(x, 30, axis=1), HOLES),
    case('jnp.unique_all', lambda x: jnp.unique_all(x, size=6), i32(9).within(0, 4)), case('jnp.unique_counts', lambda x: jnp.unique_counts(x, size=6, fill_value=-1), i32(9).within(0, 4)),
    case('jnp.unique_inverse', lambda x: jnp.unique_inverse(x, size=6), i32(9).within(0, 4)), case('jnp.unique_values', lambda x: jnp.unique_values(x, size=9), f32(9)),
    case('jnp.vecmat', jnp.vecmat, c64(2, 3), c64(2, 3, 4)), case('jnp.matvec', jnp.matvec, f32(2, 3, 4), f32(4)), case('jnp.vecdot', jnp.vecdot, c64(2, 3), c64(3)),
    case('jnp.fromfunction', lambda: jnp.fromfunction(lambda i, j: i * 2 - j, (3, 4))), case('jnp.frompyfunc', lambda x, y: jnp.frompyfunc(lambda a, b: a * 2 + b, 2, 1, identity=0).outer(x, y), f32(3), f32(4)),
    case('jnp.ufunc methods', lambda x, i: [jnp.add.reduce(x, 1), jnp.multiply.accumulate(x, 0), jnp.add.at(x, i, 1, inplace=False), jnp.maximum.outer(x[0], x[1]), jnp.add.reduceat(x, i, 0)], f32(5, 4), np.int32([0, 2, 1])),
    case('jnp.linalg.norms', lambda x: [jnp.linalg.matrix_norm(x), jnp.linalg.matrix_norm(x, ord=1), jnp.linalg.vector_norm(x, axis=1, ord=3), jnp.linalg.vector_norm(x, ord=np.inf), jnp.linalg.matrix_norm(x, ord=2)], f32(2, 3, 4)),
    # lax
    case('lax.reduces', lambda x: [lax.reduce_min(x, (0,)), lax.reduce_sum(x, (1,)), lax.reduce_xor(x, (0, 1)), lax.reduce_and(x, (1,)), lax.reduce_or(x, (0,)), lax.reduce_max(x, (0, 1)), lax.reduce_prod(x, (1,))], i32(4, 5)),
    case('lax.broadcasts', lambda x: [lax.broadcast_to_rank(x, 4), lax.broadcast(x, (2,)), lax.expand_dims(x, (0, 2))], f32(3, 4)), case('lax.index_in_dim', lambda x: [lax.index_in_dim(x, 1, 0), lax.dynamic_index_in_dim(x, 2, 1)], f32(3, 4)),
    case('lax.dynamic_update_slice_in_dim', lambda x, u, i: lax.dynamic_update_slice_in_dim(x, u, i, 1), f32(3, 6), f32(3, 2), np.int32(5)), case('lax.index_take', lambda x, i, j: lax.index_take(x, (i, j), (0, 1)), f32(4, 5, 2), i32(3).within(0, 3), i32(3).within(0, 4)),
    case('lax.conv_with_general_padding', lambda x, w: lax.conv_with_general_padding(x, w, (2, 1), ((1, 2), (0, -1)), (1, 2), (2, 1)), f32(2, 3, 7, 6), f32(4, 3, 2, 3)),
    case('lax.unstack', lambda x: lax.reshape(x, (4, 3), (1, 0)), f32(3, 4)), case('lax.composite', lambda x: lax.composite(lambda y: jnp.sin(y) * 2, 'my.op')(x), f32(5)), case('lax.rng_uniform', lambda: lax.rng_uniform(jnp.float32(2), jnp.float32(2), (3,)) * 0),
    case('lax.convert_element_type', lambda x: [lax.convert_element_type(x, t) for t in (np.int8, np.float16, jnp.bfloat16, np.uint32, np.bool_)], f32(20).within(0, 100)),
    case('lax.reduce_precision', lambda x: lax.reduce_precision(x, 5, 3), f32(40)),
    case('lax.ragged_dot_general', lambda x, w, n: lax.ragged_dot_general(x, w, n, lax.RaggedDotDimensionNumbers((([1], [1]), ([], [])), [0], [0])), f32(9, 4), f32(3, 4, 5), np.int32([2, 4, 3])),
    case('lax.ragged_dot_general over contracted', lambda x, w, n: lax.ragged_dot_general(x, w, n, lax.RaggedDotDimensionNumbers((([0], [0]), ([], [])), [0], [])), f32(9, 4), f32(9, 5), np.int32([2, 4, 3])),
    case('lax.linalg.lu_pivots_to_permutation', lambda p: lax.linalg.lu_pivots_to_permutation(p, 5), np.int32([[2, 2, 4, 3], [0, 1, 2, 4]])), case('lax.linalg.qdwh', lambda x: lax.linalg.qdwh(x)[:2], f32(5, 3), rtol=1e-3, atol=1e-4, why='an iteration'),
    case('lax.linalg.householder_product', lambda x: lax.linalg.householder_product(*raw(x)), f32(5, 3)),
    case('lax.linalg.ormqr', lambda x, c, d: [lax.linalg.ormqr(*raw(x), c, left=True, transpose=False), lax.linalg.ormqr(*raw(x), c, left=True, transpose=True),
                                              lax.linalg.ormqr(*raw(x), d, left=False, transpose=False)], f32(5, 3), f32(5, 4), f32(4, 5)),
    case('lax.linalg.ormqr c64', lambda x, c: lax.linalg.ormqr(*raw(x), c, left=True, transpose=True), c64(5, 3), c64(5, 4)),
    # nn
    case('nn.log1mexp', nn.log1mexp, f32(9).within(0.01, 5)), case('nn.logmeanexp', lambda x: nn.logmeanexp(x, 1), f32(3, 5)), case('nn.hard_swish', nn.hard_swish, f32(9)),
    # scipy
    case('scipy.linalg.special matrices', lambda: [jsp.linalg.hilbert(5), jsp.linalg.pascal(5), jsp.linalg.hadamard(8), jsp.linalg.helmert(4), jsp.linalg.invpascal(4), jsp.linalg.dft(4)]),
    case('scipy.linalg.matrices of vectors', lambda x, y: [jsp.linalg.circulant(x), jsp.linalg.companion(y), jsp.linalg.hankel(x, y), jsp.linalg.fiedler(x), jsp.linalg.leslie(x, y[:3]), jsp.linalg.convolution_matrix(x, 5), jsp.linalg.toeplitz(x, y), jsp.linalg.fiedler_companion(y)], f32(4), f32(4).within(1, 2)),
    case('scipy.linalg.invhilbert', lambda: jsp.linalg.invhilbert(4)), case('scipy.linalg.expm_frechet', jsp.linalg.expm_frechet, f32(4, 4), f32(4, 4), rtol=1e-4, why='powers of a matrix of norm 5'),
    case('scipy.linalg.qr_multiply', lambda a, c: jsp.linalg.qr_multiply(a, c)[0], f32(5, 3), f32(4, 5)), case('scipy.linalg.solve_sylvester', jsp.linalg.solve_sylvester, f32(3, 3).within(1, 2), f32(4, 4).within(1, 2), f32(3, 4), rtol=1e-3, why='Schur forms of both'),
    case('scipy.linalg.block_diag', lambda x, y: jsp.linalg.block_diag(x, y, jnp.ones((1, 2))), f32(2, 2), f32(3, 1)), case('scipy.signal.correlate2d', lambda x, y: [jsp.signal.correlate2d(x, y, m) for m in ('full', 'same', 'valid')], f32(6, 7), f32(3, 2)),
    case('scipy.fft.idctn', lambda x: jsp.fft.idctn(x, norm='ortho'), f32(4, 6)), case('image.scale_and_translate', lambda x: jax.image.scale_and_translate(x, (7, 9), (0, 1), jnp.float32([1.5, 2.1]), jnp.float32([-0.5, 1]), 'cubic'), f32(5, 4)),
    case('image.resize f16', lambda x: jax.image.resize(x, (2, 7, 3), 'linear'), f16(2, 5, 6)), case('image.resize bf16', lambda x: jax.image.resize(x, (9, 4), 'lanczos3', antialias=False), bf16(5, 6)),
]
