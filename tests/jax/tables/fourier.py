"""jnp.fft."""
import jax
import jax.numpy as jnp

from cases import c64, c128, case, f32, f64, i32

fft = jnp.fft
SUMS = dict(rtol=1e-5, atol=2e-5, why='sums of all elements, some near zero')

CASES = [case('fft.%s %d' % (name, n), getattr(fft, name), c64(3, n), **SUMS) for name in ('fft', 'ifft') for n in (1, 2, 7, 8, 12, 31, 64, 100)]
CASES += [case('fft.rfft %d' % n, fft.rfft, f32(3, n), **SUMS) for n in (1, 2, 7, 8, 30, 64)]
CASES += [case('fft.irfft %d' % n, lambda x, n=n: fft.irfft(x, n), c64(3, n // 2 + 1), **SUMS) for n in (2, 7, 8, 30, 64)]
CASES += [
    case('fft.hfft', fft.hfft, c64(5), **SUMS), case('fft.ihfft', fft.ihfft, f32(8), **SUMS), case('fft.fft2', fft.fft2, c64(2, 4, 6), **SUMS),
    case('fft.ifft2', fft.ifft2, c64(4, 5), **SUMS), case('fft.rfft2', fft.rfft2, f32(4, 6), **SUMS), case('fft.irfft2', fft.irfft2, c64(4, 4), **SUMS),
    case('fft.fftn', fft.fftn, c64(3, 4, 5), **SUMS), case('fft.ifftn', fft.ifftn, c64(3, 4, 5), **SUMS), case('fft.rfftn', fft.rfftn, f32(3, 4, 6), **SUMS),
    case('fft.irfftn', fft.irfftn, c64(3, 4, 4), **SUMS), case('fft.fft axis 0', lambda x: fft.fft(x, axis=0), c64(6, 3), **SUMS),
    case('fft.fft n', lambda x: [fft.fft(x, 4), fft.fft(x, 9)], c64(6), **SUMS), case('fft.fft ortho', lambda x: fft.fft(x, norm='ortho'), c64(6), **SUMS),
    case('fft.fft of reals', fft.fft, f32(9), **SUMS), case('fft.fft of i32', fft.fft, i32(9), **SUMS), case('fft.fft c128', fft.fft, c128(3, 15)),
    case('fft.rfft f64', fft.rfft, f64(3, 16)), case('fft.irfft c128', fft.irfft, c128(3, 9)), case('fft.fftfreq', lambda: [fft.fftfreq(7), fft.rfftfreq(8)]),
    case('fft.fftshift', lambda x: [fft.fftshift(x), fft.ifftshift(x)], f32(5, 4)), case('grad of rfft', jax.grad(lambda x: (jnp.abs(fft.rfft(x)) ** 2).sum()), f32(8), **SUMS),
    case('grad of irfft', jax.grad(lambda x: (fft.irfft(x + 0j) ** 2).sum()), f32(5), **SUMS), case('vmap of fft', jax.vmap(fft.fft, 1), c64(5, 3), **SUMS),
    case('fft convolution', lambda x, y: fft.irfft(fft.rfft(x, 20) * fft.rfft(y, 20), 20), f32(12), f32(9), **SUMS),
    case('fft.fft 1000', fft.fft, c64(1000), rtol=1e-5, atol=1e-3, why='sums of a thousand elements'),
    case('fft of a prime', fft.fft, c64(251), rtol=1e-5, atol=3e-4, why='sums of 251 elements'),
]
