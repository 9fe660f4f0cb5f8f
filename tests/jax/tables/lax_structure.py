"""jax.lax: shapes, windows, sums of products, slices, gathers, scatters, sorts."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from cases import bf16, c64, case, f16, f32, f64, i8, i16, i32, i64, pred, u8, u32

inf = np.inf
DN = ('NHWC', 'HWIO', 'NHWC')


def conv(dn=None, **how):
    return lambda x, w: lax.conv_general_dilated(x, w, dimension_numbers=dn, **({'window_strides': (1, 1), 'padding': 'SAME'} | how))


def conv1(**how):
    return lambda x, w: lax.conv_general_dilated(x, w, **({'window_strides': (1,), 'padding': [(0, 0)]} | how))


def dot(contract, batch=((), ()), **how):
    return lambda x, y: lax.dot_general(x, y, (contract, batch), **how)


def gather(slice_sizes, offset, collapsed, start_map, mode=None, **how):
    dn = lax.GatherDimensionNumbers(offset_dims=offset, collapsed_slice_dims=collapsed, start_index_map=start_map, **how)
    return lambda x, i: lax.gather(x, i, dn, slice_sizes, mode=mode)


def scatter(op, window, inserted, to, mode=None, **how):
    dn = lax.ScatterDimensionNumbers(update_window_dims=window, inserted_window_dims=inserted, scatter_dims_to_operand_dims=to)
    return lambda x, i, u: op(x, i, u, dn, mode=mode, **how)


CASES = [
    # shapes
    case('lax.broadcast', lambda x: lax.broadcast(x, (2, 3)), f32(4, 1)),
    case('lax.broadcast_in_dim', lambda x: lax.broadcast_in_dim(x, (3, 5, 4), (0, 2)), f32(3, 1)),
    case('lax.broadcasted_iota', lambda: [lax.broadcasted_iota(t, (3, 4), 1) for t in (np.int32, np.float32, np.uint8, jnp.bfloat16, np.complex64)]),
    case('lax.reshape', lambda x: lax.reshape(x, (6, 4)), f32(2, 3, 4)),
    case('lax.reshape dimensions', lambda x: lax.reshape(x, (6, 4), dimensions=(2, 0, 1)), i16(2, 3, 4)),
    case('lax.transpose', lambda x: lax.transpose(x, (2, 0, 1)), f32(2, 3, 4)),
    case('lax.transpose pred', lambda x: lax.transpose(x, (1, 0)), pred(5, 7)),
    case('lax.rev', lambda x: lax.rev(x, (0, 2)), f32(2, 3, 4)),
    case('lax.squeeze', lambda x: lax.squeeze(x, (0, 2)), f32(1, 3, 1, 2)),
    case('lax.expand_dims', lambda x: lax.expand_dims(x, (0, 3)), f32(3, 2)),
    case('lax.concatenate', lambda x, y, z: lax.concatenate([x, y, z], 1), f32(2, 3), f32(2, 0), f32(2, 4)),
    case('lax.concatenate i8', lambda x, y: lax.concatenate([x, y], 0), i8(2, 3), i8(5, 3)),
    case('lax.pad', lambda x: lax.pad(x, 1.5, ((1, 2, 0), (0, 3, 2))), f32(3, 4)),
    case('lax.pad negative', lambda x: lax.pad(x, np.float32(-1), ((-1, 2, 1), (1, -2, 0))), f32(4, 5)),
    case('lax.pad i32', lambda x: lax.pad(x, np.int32(7), ((2, 0, 3),)), i32(5)),
    case('lax.pad to nothing', lambda x: lax.pad(x, np.float32(7), ((-3, -2, 0),)), f32(5)),
    case('lax.slice', lambda x: lax.slice(x, (1, 0), (4, 5), (2, 3)), f32(5, 6)),
    case('lax.slice_in_dim', lambda x: lax.slice_in_dim(x, 1, 6, 2, axis=1), f32(2, 7)),
    case('lax.split', lambda x: lax.split(x, (1, 3, 2), axis=1), f32(2, 6)),
    case('lax.dynamic_slice', lambda x, i, j: lax.dynamic_slice(x, (i, j), (2, 3)), f32(5, 6), np.int32(1), np.int32(2)),
    case('lax.dynamic_slice clamps', lambda x, i, j: lax.dynamic_slice(x, (i, j), (2, 3)), f32(5, 6), np.int32(100), np.int32(-100)),
    case('lax.dynamic_slice u8 index', lambda x, i: lax.dynamic_slice(x, (i,), (3,)), f32(200), np.uint8(190)),
    case('lax.dynamic_slice_in_dim', lambda x, i: lax.dynamic_slice_in_dim(x, i, 2, axis=1), i32(3, 7), np.int32(-2)),
    case('lax.dynamic_index_in_dim', lambda x, i: lax.dynamic_index_in_dim(x, i, 0, keepdims=False), f32(5, 4), np.int32(3)),
    case('lax.dynamic_update_slice', lambda x, u, i: lax.dynamic_update_slice(x, u, (i, 1)), f32(5, 6), f32(2, 3), np.int32(2)),
    case('lax.dynamic_update_slice clamps', lambda x, u, i: lax.dynamic_update_slice(x, u, (i, i)), f32(5, 6), f32(2, 3), np.int32(99)),
    case('lax.dynamic_update_index_in_dim', lambda x, u, i: lax.dynamic_update_index_in_dim(x, u, i, 1), f32(3, 4), f32(3), np.int32(2)),
    case('lax.bitcast_convert f32 to i32', lambda x: lax.bitcast_convert_type(x, np.int32), f32(3, 4)),
    case('lax.bitcast_convert i32 to u8', lambda x: lax.bitcast_convert_type(x, np.uint8), i32(3, 2).full()),
    case('lax.bitcast_convert u8 to f32', lambda x: lax.bitcast_convert_type(x, np.float32), u8(3, 4).full(), exact=True),
    case('lax.bitcast_convert bf16', lambda x: lax.bitcast_convert_type(x, np.uint16), bf16(5)),
    case('lax.bitcast_convert f64', lambda x: lax.bitcast_convert_type(x, np.uint32), f64(5)),
    case('lax.optimization_barrier', lambda x, y: lax.optimization_barrier((x + 1, y)), f32(3), i32(2)),
    case('lax.stop_gradient', lax.stop_gradient, f32(3)),
    case('lax.full like', lambda x: lax.full_like(x, 3), i16(2, 2)),
    case('lax.tile', lambda x: jnp.tile(x, (2, 1, 3)), f32(2, 3)),
    case('lax.collapse', lambda x: lax.collapse(x, 1, 3), f32(2, 3, 4, 5)),
    # reductions
    case('lax.reduce add', lambda x: lax.reduce(x, np.float32(1), lax.add, (0, 2)), f32(4, 5, 6)),
    case('lax.reduce mul', lambda x: lax.reduce(x, np.float32(1), lax.mul, (1,)), f32(4, 5)),
    case('lax.reduce and', lambda x: lax.reduce(x, np.bool_(True), lax.bitwise_and, (1,)), pred(6, 3)),
    case('lax.reduce xor', lambda x: lax.reduce(x, np.int32(0), lax.bitwise_xor, (0,)), i32(6, 3)),
    case('lax.reduce own body', lambda x: lax.reduce(x, np.float32(0), lambda a, b: jnp.where(jnp.abs(a) > jnp.abs(b), a, b), (1,)), f32(3, 5)),
    case('lax.reduce two operands', lambda x, i: lax.reduce((x, i), (np.float32(-inf), np.int32(0)),
         lambda a, b: (jnp.maximum(a[0], b[0]), jnp.where(a[0] >= b[0], a[1], b[1])), (1,)), f32(4, 9), np.int32(np.arange(36).reshape(4, 9))),
    case('lax.reduce_max', lambda x: lax.reduce_max(x, (0,)), f32(5, 6)),
    case('lax.reduce_or', lambda x: lax.reduce_or(x, (1,)), i32(5, 6)),
    case('lax.reduce_prod c64', lambda x: lax.reduce_prod(x, (1,)), c64(3, 5)),
    case('lax.argmax', lambda x: lax.argmax(x, 1, np.int32), f32(4, 7)),
    case('lax.argmin i64 index', lambda x: lax.argmin(x, 0, np.int64), i32(4, 7), x64=True),
    case('lax.argmax nan', lambda x: lax.argmax(x, 0, np.int32), np.float32([1, 5, np.nan, 7, np.nan])),
    case('lax.cumsum', lambda x: lax.cumsum(x, 1), f32(3, 9)),
    case('lax.cumsum reverse', lambda x: lax.cumsum(x, 0, reverse=True), i32(7, 2)),
    case('lax.cumprod', lambda x: lax.cumprod(x, 0), f32(6, 3)),
    case('lax.cummax', lambda x: lax.cummax(x, 0), f32(9)),
    case('lax.cummin', lambda x: lax.cummin(x, 1, reverse=True), i32(2, 9)),
    case('lax.cumlogsumexp', lambda x: lax.cumlogsumexp(x, 0), f32(9)),
    case('lax.cumsum long', lambda x: lax.cumsum(x, 0), f32(1000).within(0, 1)),
    case('lax.reduce_window sum', lambda x: lax.reduce_window(x, np.float32(0), lax.add, (2, 3), (1, 2), 'VALID'), f32(6, 9)),
    case('lax.reduce_window max same', lambda x: lax.reduce_window(x, np.float32(-inf), lax.max, (1, 3, 3, 1), (1, 2, 2, 1), 'SAME'), f32(2, 7, 7, 3)),
    case('lax.reduce_window min dilated', lambda x: lax.reduce_window(x, np.int32(99), lax.min, (2, 2), (1, 1), ((0, 1), (2, 0)), (2, 1), (1, 3)), i32(6, 7)),
    case('lax.reduce_window mul', lambda x: lax.reduce_window(x, np.float32(1), lax.mul, (3,), (1,), ((1, 1),)), f32(8)),
    case('lax.reduce_window own body', lambda x: lax.reduce_window(x, np.float32(0), lambda a, b: jnp.maximum(a, b) + 0.0, (3,), (2,), 'VALID'), f32(9)),
    case('lax.reduce_window or', lambda x: lax.reduce_window(x, np.bool_(False), lax.bitwise_or, (3,), (2,), 'SAME'), pred(9)),
    case('lax.reduce_window bf16', lambda x: lax.reduce_window(x, jnp.bfloat16(0), lax.add, (2, 2), (2, 2), 'VALID'), bf16(4, 6)),
    case('select_and_scatter add', jax.grad(lambda x: (lax.reduce_window(x, -inf, lax.max, (2, 2), (2, 2), 'VALID') ** 2).sum()), f32(4, 6)),
    case('select_and_scatter overlapping', jax.grad(lambda x: (lax.reduce_window(x, -inf, lax.max, (3, 3), (2, 2), 'SAME') ** 2).sum()), f32(7, 7)),
    case('select_and_scatter min', jax.grad(lambda x: (lax.reduce_window(x, inf, lax.min, (1, 3), (1, 1), 'VALID') ** 2).sum()), f32(3, 8)),
    case('select_and_gather add', lambda x: jax.jvp(lambda y: lax.reduce_window(y, -inf, lax.max, (3,), (2,), 'VALID'), (x,), (x * 3,)), f32(11)),
    # sums of products
    case('lax.dot', lax.dot, f32(5, 7), f32(7, 3)),
    case('lax.dot vectors', lax.dot, f32(9), f32(9)),
    case('lax.dot i32', lax.dot, i32(5, 7), i32(7, 3)),
    case('lax.dot i8 to i32', lambda x, y: lax.dot(x, y, preferred_element_type=np.int32), i8(5, 7).full(), i8(7, 3).full()),
    case('lax.dot u8', lax.dot, u8(5, 7), u8(7, 3)),
    case('lax.dot f64', lax.dot, f64(5, 7), f64(7, 3)),
    case('lax.dot c64', lax.dot, c64(5, 7), c64(7, 3)),
    case('lax.dot bf16', lax.dot, bf16(5, 7), bf16(7, 3)),
    case('lax.dot bf16 to f32', lambda x, y: lax.dot(x, y, preferred_element_type=np.float32), bf16(5, 7), bf16(7, 3)),
    case('lax.dot f16', lax.dot, f16(5, 7), f16(7, 3), rtol=4e-3, why='f16 sums are rounded by XLA at each step or not'),
    case('lax.dot highest', lambda x, y: lax.dot(x, y, precision=lax.Precision.HIGHEST), f32(16, 16), f32(16, 16)),
    case('lax.dot_general batch', dot(((2,), (1,)), ((0,), (0,))), f32(3, 4, 5), f32(3, 5, 2)),
    case('lax.dot_general two batches', dot(((3,), (2,)), ((0, 2), (1, 0))), f32(2, 3, 4, 5), f32(4, 2, 5)),
    case('lax.dot_general two sums', dot(((0, 2), (1, 0))), f32(3, 4, 5), f32(5, 3)),
    case('lax.dot_general outer', dot(((), ())), f32(3, 2), f32(4)),
    case('lax.dot_general only batch', dot(((), ()), ((0,), (0,))), f32(5), f32(5)),
    case('lax.dot_general pred', lambda x, y: lax.dot_general(x, y, (((1,), (0,)), ((), ()))), pred(3, 5), pred(5, 2)),
    case('lax.dot_general mixed', lambda x, y: lax.dot_general(x, y, (((1,), (0,)), ((), ())), preferred_element_type=np.float32), bf16(3, 5), f32(5, 2)),
    case('lax.dot_general algorithm', dot(((1,), (0,)), precision=lax.DotAlgorithmPreset.F32_F32_F32), f32(3, 5), f32(5, 2)),
    case('lax.dot nothing summed', lax.dot, f32(3, 0), f32(0, 4)),
    case('lax.batch_matmul', lax.batch_matmul, f32(2, 3, 4, 5), f32(2, 3, 5, 2)),
    case('lax.ragged_dot', lambda x, y, g: lax.ragged_dot(x, y, g), f32(9, 4), f32(3, 4, 5), np.int32([2, 4, 3])),
    case('lax.ragged_dot short', lambda x, y, g: lax.ragged_dot(x, y, g), f32(9, 4), f32(3, 4, 5), np.int32([2, 0, 3])),
    # convolutions
    case('lax.conv', lambda x, w: lax.conv(x, w, (1, 1), 'SAME'), f32(2, 3, 8, 9), f32(4, 3, 3, 3)),
    case('lax.conv strides', lambda x, w: lax.conv(x, w, (2, 3), 'VALID'), f32(2, 3, 8, 9), f32(4, 3, 3, 2)),
    case('lax.conv nhwc', conv(DN), f32(2, 8, 9, 3), f32(3, 3, 3, 4)),
    case('lax.conv padding', conv(padding=((2, 0), (1, 3))), f32(1, 2, 5, 6), f32(3, 2, 3, 3)),
    case('lax.conv negative padding', conv(padding=((-1, 0), (1, -2))), f32(1, 2, 6, 7), f32(3, 2, 3, 3)),
    case('lax.conv lhs dilation', conv(padding=((0, 0), (0, 0)), lhs_dilation=(2, 3)), f32(1, 2, 5, 6), f32(3, 2, 3, 3)),
    case('lax.conv rhs dilation', conv(rhs_dilation=(2, 2)), f32(1, 2, 9, 9), f32(3, 2, 3, 3)),
    case('lax.conv groups', conv(feature_group_count=2), f32(1, 4, 5, 6), f32(6, 2, 3, 3)),
    case('lax.conv depthwise', conv(DN, feature_group_count=4), f32(1, 6, 6, 4), f32(3, 3, 1, 4)),
    case('lax.conv batch groups', conv(batch_group_count=2), f32(4, 3, 5, 6), f32(6, 3, 3, 3)),
    case('lax.conv 1d', conv1(), f32(2, 3, 9), f32(4, 3, 3)),
    case('lax.conv 3d', lambda x, w: lax.conv_general_dilated(x, w, (1, 1, 1), 'SAME'), f32(1, 2, 4, 5, 3), f32(3, 2, 2, 3, 2)),
    case('lax.conv 0d', lambda x, w: lax.conv_general_dilated(x, w, (), 'SAME'), f32(2, 3), f32(4, 3)),
    case('lax.conv bf16', conv(), bf16(1, 3, 6, 6), bf16(4, 3, 3, 3)),
    case('lax.conv f64', conv(), f64(1, 3, 6, 6), f64(4, 3, 3, 3)),
    case('lax.conv i32', conv(), i32(1, 3, 6, 6), i32(4, 3, 3, 3)),
    case('lax.conv c64', conv1(), c64(1, 2, 7), c64(3, 2, 3)),
    case('lax.conv_transpose', lambda x, w: lax.conv_transpose(x, w, (2, 2), 'SAME'), f32(1, 5, 6, 3), f32(3, 3, 3, 2)),
    case('lax.conv_general_dilated_local', lambda x, w: lax.conv_general_dilated_local(x, w, (1,), 'VALID', (3,)), f32(2, 3, 7), f32(4, 9, 5)),
    case('lax.conv_general_dilated_patches', lambda x: lax.conv_general_dilated_patches(x, (2, 3), (1, 2), 'SAME'), f32(1, 2, 5, 7)),
    case('grad of lax.conv', jax.grad(lambda x, w: (lax.conv(x, w, (2, 1), 'SAME') ** 2).sum(), (0, 1)), f32(2, 3, 8, 7), f32(4, 3, 3, 3)),
    case('grad of lax.conv dilated', jax.grad(lambda x, w: (conv(padding=((2, 1), (0, 2)), rhs_dilation=(2, 1), lhs_dilation=(1, 2))(x, w) ** 2).sum(), (0, 1)), f32(2, 3, 8, 7), f32(4, 3, 3, 3)),
    case('grad of lax.conv groups', jax.grad(lambda x, w: (conv(feature_group_count=3)(x, w) ** 2).sum(), (0, 1)), f32(2, 3, 5, 5), f32(6, 1, 3, 3)),
    # gathers and scatters
    case('lax.gather rows', gather((1, 4), (1,), (0,), (0,)), f32(6, 4), np.int32([[0], [5], [2]])),
    case('lax.gather clip', gather((1, 4), (1,), (0,), (0,), mode='clip'), f32(6, 4), np.int32([[0], [9], [-2]])),
    case('lax.gather fill', gather((1, 4), (1,), (0,), (0,), mode='fill'), f32(6, 4), np.int32([[0], [9], [-2]])),
    case('lax.gather fill i32', gather((1, 4), (1,), (0,), (0,), mode='fill'), i32(6, 4), np.int32([[0], [9], [-2]])),
    case('lax.gather windows', gather((2, 3), (1, 2), (), (0, 1), mode='clip'), f32(6, 7), i32(5, 2).within(-2, 8)),
    case('lax.gather permuted', gather((2, 1), (0,), (1,), (1, 0), mode='clip'), f32(6, 7), i32(3, 4, 2).within(0, 6)),
    case('lax.gather batching', gather((1, 1, 3), (1,), (1,), (1,), mode='clip', operand_batching_dims=(0,), start_indices_batching_dims=(0,)), f32(4, 5, 3), np.int32([[0], [4], [2], [1]])),
    case('lax.gather u8', gather((2,), (1,), (), (0,), mode='clip'), u8(9), np.uint8([[0], [200], [3]])),
    case('lax.scatter', scatter(lax.scatter, (1,), (0,), (0,)), f32(6, 4), np.int32([[0], [5], [2]]), f32(3, 4)),
    case('lax.scatter_add', scatter(lax.scatter_add, (1,), (0,), (0,)), f32(6, 4), np.int32([[0], [5], [0]]), f32(3, 4)),
    case('lax.scatter_add out of bounds', scatter(lax.scatter_add, (1,), (0,), (0,)), f32(6, 4), np.int32([[-1], [6], [0]]), f32(3, 4)),
    case('lax.scatter_add clip', scatter(lax.scatter_add, (1,), (0,), (0,), mode='clip'), f32(6, 4), np.int32([[-1], [6], [0]]), f32(3, 4)),
    case('lax.scatter_sub', scatter(lax.scatter_sub, (), (0,), (0,)), f32(6), np.int32([[0], [5], [0]]), f32(3)),
    case('lax.scatter_mul', scatter(lax.scatter_mul, (), (0,), (0,)), f32(6), np.int32([[0], [5], [0]]), f32(3)),
    case('lax.scatter_min', scatter(lax.scatter_min, (), (0,), (0,)), i32(6), np.int32([[0], [5], [0]]), i32(3)),
    case('lax.scatter_max', scatter(lax.scatter_max, (), (0,), (0,)), f32(6), np.int32([[0], [5], [0]]), f32(3)),
    case('lax.scatter windows', scatter(lax.scatter_add, (1, 2), (), (0, 1)), f32(6, 7), i32(4, 2).within(0, 4), f32(4, 2, 3)),
    case('lax.scatter_apply', lambda x, i: lax.scatter_apply(x, i, lambda v: v * 3 + 1, lax.ScatterDimensionNumbers((), (0,), (0,)), update_shape=(3,)), f32(6), np.int32([[1], [4], [2]])),
    # order
    case('lax.sort', lambda x: lax.sort(x), f32(5, 9)),
    case('lax.sort axis 0', lambda x: lax.sort(x, 0), f32(9, 5)),
    case('lax.sort specials', lax.sort, np.float32([3, np.nan, -0.0, 0.0, -inf, inf, -np.nan, 1, -3]), exact=True),
    case('lax.sort bf16', lax.sort, bf16(40)),
    case('lax.sort u8', lax.sort, u8(50).full()),
    case('lax.sort i64', lax.sort, i64(50).full()),
    case('lax.sort c64', lax.sort, c64(20)),
    case('lax.sort pred', lax.sort, pred(9)),
    case('lax.sort two keys', lambda a, b, c: lax.sort((a, b, c), num_keys=2), i32(30).within(0, 3), f32(30), i32(30)),
    case('lax.sort stable', lambda a, b: lax.sort((a, b), num_keys=1), i32(60).within(0, 3), np.arange(60, dtype=np.int32)),
    case('lax.sort_key_val', lax.sort_key_val, f32(4, 9), i32(4, 9)),
    case('lax.sort large', lax.sort, f32(5000)),
    case('lax.top_k', lambda x: lax.top_k(x, 3), f32(4, 9)),
    case('lax.top_k i32 ties', lambda x: lax.top_k(x, 5), i32(40)),
    case('lax.top_k bf16', lambda x: lax.top_k(x, 2), bf16(3, 5)),
    case('lax.top_k u8 all', lambda x: lax.top_k(x, 6), u8(6)),
    case('lax.approx_max_k', lambda x: lax.approx_max_k(x, 3), f32(4, 20)),
    case('lax.approx_min_k', lambda x: lax.approx_min_k(x, 3), f32(4, 20)),
    case('lax.fft', lambda x: lax.fft(x, lax.FftType.FFT, (8,)), c64(3, 8)),
    case('lax.fft irfft', lambda x: lax.fft(x, lax.FftType.IRFFT, (6, 9)), c64(2, 6, 5)),
    case('lax.rng_bit_generator', lambda k: lax.rng_bit_generator(k, (5, 3), np.uint32), u32(4).full()),
    case('lax.rng_bit_generator u8', lambda k: lax.rng_bit_generator(k, (5,), np.uint8), u32(4).full()),
    case('lax.rng_bit_generator u64', lambda k: lax.rng_bit_generator(k, (5,), np.uint64), u32(4).full(), x64=True),
    case('lax.rng_bit_generator threefry', lambda k: lax.rng_bit_generator(k, (6,), np.uint32, algorithm=lax.RandomAlgorithm.RNG_THREE_FRY), u32(4).full()),
    case('lax.rng_bit_generator philox', lambda k: lax.rng_bit_generator(k, (7, 3), np.uint32, algorithm=lax.RandomAlgorithm.RNG_PHILOX), u32(4).full()),
    case('lax.map', lambda x: lax.map(lambda r: jnp.sin(r).sum(), x), f32(5, 3)),
    case('lax.map batched', lambda x: lax.map(lambda r: jnp.sin(r).sum(), x, batch_size=2), f32(5, 3)),
    case('lax.convert i32 to f32', lambda x: x.astype(np.float32), i32(9).full()),
    case('lax.reduce_and', lambda x: lax.reduce_and(x, (0,)), pred(4, 3)),
]
