"""Sorts, selections, counts, running sums and transforms of a sharded line in JAX, as stencils.py has the stencils: bench/partition --sorts.

`least` of a sort: of numbers in any order, all but an eighth of a part belongs elsewhere, and each is sent once. Of a selection: eight devices
have eight times k candidates. Of a transform: each result depends on all numbers, so all but an eighth of a part leaves it.
"""
import sys

from stencils import F32, I32, LINE, P, PROGRAMS, jax, jnp, lax, main, program

PROGRAMS.clear()
N = 1 << 16
NUMBERS, WHOLE, COMPLEX = ((N,), F32), ((N,), I32), ((N,), jnp.complex64)
PART, X, ALL = N // 8 * 4, P("x"), P()

program("sort", LINE, [NUMBERS], [X], PART * 7 // 8, "7/8 of a part", jnp.sort)
program("argsort", LINE, [NUMBERS], [X], 2 * PART * 7 // 8, "7/8 of a part of keys and places", jnp.argsort)
program("sort_rows", LINE, [((4, N // 4), F32)], [P(None, "x")], PART * 7 // 8, "7/8 of a part", lambda x: jnp.sort(x, axis=1))
program("median", LINE, [NUMBERS], [X], 4, "a number", jnp.median, ALL)
program("top_k", LINE, [NUMBERS], [X], 7 * 16 * 8, "16 numbers and places of 7 devices", lambda x: lax.top_k(x, 16), [ALL, ALL])
program("unique", LINE, [WHOLE], [X], 2 * 256 * 4 * 7 // 8, "256 numbers and counts", lambda x: jnp.unique(x, size=256, return_counts=True), (ALL, ALL))
program("bincount", LINE, [WHOLE], [X], 2 * 1024 * 4 * 7 // 8, "1024 sums", lambda x: jnp.bincount(x, length=1024), ALL)
program("histogram", LINE, [NUMBERS], [X], 2 * 100 * 4 * 7 // 8, "100 sums", lambda x: jnp.histogram(x, bins=100, range=(0, 1))[0], ALL)
program("cumsum", LINE, [NUMBERS], [X], 4, "the sum of all before", jnp.cumsum)
program("cumprod", LINE, [NUMBERS], [X], 4, "the product of all before", jnp.cumprod)
program("cummax", LINE, [NUMBERS], [X], 4, "the largest of all before", lambda x: lax.cummax(x))
program("scan", LINE, [NUMBERS, NUMBERS], [X, X], 8, "two numbers of all before",
        lambda a, b: lax.associative_scan(lambda p, q: (p[0] * q[0], p[1] * q[0] + q[1]), (a, b))[1])
program("fft", LINE, [COMPLEX], [X], 2 * PART * 7 // 8, "7/8 of a part", jnp.fft.fft)
program("fft2", LINE, [((256, 256), jnp.complex64)], [X], 2 * PART * 7 // 8, "7/8 of a part", jnp.fft.fft2)
program("rfft2", LINE, [((256, 256), F32)], [X], 256 // 8 * 129 * 8 * 7 // 8, "7/8 of a part", jnp.fft.rfft2)
program("rfft2_rows", LINE, [((256, 256), F32)], [P(None, "x")], 256 // 8 * 129 * 8 * 7 // 8, "7/8 of a part", lambda x: jnp.fft.rfft2(x)[:, :-1])
program("rfft", LINE, [NUMBERS], [X], PART * 7 // 8, "7/8 of a part", lambda x: jnp.fft.rfft(x)[:-1])
program("irfft", LINE, [((N // 2,), jnp.complex64)], [X], PART * 7 // 8, "7/8 of a part", lambda x: jnp.fft.irfft(x, N))
program("convolve_real", LINE, [NUMBERS, NUMBERS], [X, X], 2 * PART * 7 // 8, "7/8 of a part, there and back",
        lambda a, b: jnp.fft.irfft(jnp.fft.rfft(a) * jnp.fft.rfft(b), N))
program("convolve", LINE, [COMPLEX, COMPLEX], [X, X], 2 * 2 * PART * 7 // 8, "7/8 of a part, there and back",
        lambda a, b: jnp.fft.ifft(jnp.fft.fft(a) * jnp.fft.fft(b)))

if __name__ == "__main__": main(sys.argv[1])
