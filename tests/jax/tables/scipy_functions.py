"""jax.scipy: special, stats, signal, and the rest."""
import jax
import jax.numpy as jnp
import jax.scipy as sp
import jax.scipy.cluster.vq
import jax.scipy.optimize
import numpy as np

from cases import c64, case, f32, f64, i32

s, stats, signal = sp.special, sp.stats, sp.signal
SERIES = dict(rtol=1e-4, atol=1e-5, why='series and continued fractions, cancelling')
SERIES64 = dict(rtol=1e-10, atol=1e-11, why=SERIES['why'])

SPECIAL = [     # names, where the arguments lie
    ('erf erfc expit sici fresnel i0 i0e i1 i1e dawsn erfcx wofz log_ndtr ndtr', [(-3, 3)]), ('digamma gamma gammaln gammasgn exp1 expi factorial spence', [(0.3, 5)]),
    ('erfinv', [(-0.9, 0.9)]), ('logit ndtri entr', [(0.05, 0.95)]), ('beta betaln xlogy xlog1py kl_div rel_entr poch', [(0.5, 4)] * 2), ('gammainc gammaincc', [(0.5, 4)] * 2),
    ('zeta', [(1.5, 5), (0.5, 4)]), ('betainc', [(0.5, 4), (0.5, 4), (0.05, 0.95)]), ('boxcox boxcox1p', [(0.5, 4), (-1, 2)]), ('owens_t', [(-2, 2)] * 2),
    ('hyp1f1', [(0.5, 2), (1, 3), (-2, 2)]), ('hyp2f1', [(0.5, 2), (0.5, 2), (2, 3), (-0.5, 0.5)]), ('softmax log_softmax logsumexp', [(-3, 3)]),
]
DISTRIBUTIONS = [   # distribution, where x lies, parameters
    ('norm', (-3, 3), (0.5, 1.5)), ('beta', (0.05, 0.95), (2.0, 3.0)), ('cauchy', (-3, 3), ()), ('chi2', (0.1, 5), (3.0,)), ('expon', (0.1, 3), ()),
    ('gamma', (0.1, 5), (2.0,)), ('gumbel_l', (-2, 2), ()), ('gumbel_r', (-2, 2), ()), ('laplace', (-3, 3), ()), ('logistic', (-3, 3), ()), ('pareto', (1.1, 4), (2.0,)), ('uniform', (-1, 2), ()),
    ('truncnorm', (-0.9, 0.9), (-1.0, 1.0)), ('wrapcauchy', (0.1, 3), (0.5,)), ('t', (-3, 3), (3.0,)), ('gennorm', (-2, 2), (1.5,)), ('vonmises', (-3, 3), (1.5,)),
]


def args(make, domains):
    return [make(3, 4).within(*d) for d in domains]


CASES = [case('special.%s %s' % (name, t), getattr(s, name), *args(make, domains), **how)
         for names, domains in SPECIAL for name in names.split() for t, make, how in (('f32', f32, SERIES), ('f64', f64, SERIES64))]
CASES += [case('stats.%s.%s' % (name, kind), lambda x, f=getattr(getattr(stats, name), kind), p=p: f(x, *p), f32(12).within(*at), **SERIES)
          for name, at, p in DISTRIBUTIONS for kind in ('pdf', 'logpdf', 'cdf', 'logcdf', 'sf') if hasattr(getattr(stats, name), kind)]
CASES += [
    case('special.polygamma', lambda x: s.polygamma(2, x), f32(9).within(0.5, 5), **SERIES),
    case('special.multigammaln', lambda x: s.multigammaln(x, 3), f32(9).within(2, 5), **SERIES),
    case('special.expn', lambda x: s.expn(3, x), f32(9).within(0.1, 5), **SERIES),
    case('special.bessel_jn', lambda x: s.bessel_jn(x, v=3), f32(5).within(0.5, 5), **SERIES),
    case('special.bernoulli', lambda: s.bernoulli(6)),
    case('special.comb', lambda x: s.comb(x, 2.0), f32(5).within(3, 9), **SERIES),
    case('special.logsumexp weights', lambda x, b: s.logsumexp(x, 1, b=b), f32(3, 5), f32(3, 5).within(0.1, 1)),
    case('special.sph_harm_y', lambda t, p: s.sph_harm_y(np.array([2]), np.array([1]), t, p, n_max=2), f32(1).within(0.1, 3), f32(1), **SERIES),
    case('grad of lgamma', jax.vmap(jax.grad(s.gammaln)), f32(9).within(0.5, 5), **SERIES),
    case('grad of digamma', jax.vmap(jax.grad(s.digamma)), f32(9).within(0.5, 5), **SERIES),
    case('grad of erfinv', jax.vmap(jax.grad(s.erfinv)), f32(9).within(-0.9, 0.9), **SERIES),
    case('grad of gammainc', jax.vmap(jax.grad(s.gammainc, (0, 1))), f32(9).within(0.5, 4), f32(9).within(0.5, 4), rtol=1e-3, why='derivative by series'),
    case('grad of betainc', jax.vmap(jax.grad(lambda a, x: s.betainc(2.0, 3.0, x) + a, 1)), f32(9), f32(9).within(0.1, 0.9), **SERIES),
    case('grad of i0e', jax.vmap(jax.grad(s.i0e)), f32(9).within(0.5, 4), **SERIES),
    case('grad of i1e', jax.vmap(jax.grad(s.i1e)), f32(9).within(0.5, 4), **SERIES),
    case('special.i1', s.i1, f64(9), **SERIES64),
    case('stats.poisson.pmf', lambda k: [stats.poisson.pmf(k, 3.5), stats.poisson.cdf(k, 3.5)], i32(9).within(0, 9), **SERIES),
    case('stats.binom.pmf', lambda k: stats.binom.pmf(k, 9, 0.4), i32(9).within(0, 9), **SERIES),
    case('stats.bernoulli', lambda k: [stats.bernoulli.logpmf(k, 0.3), stats.bernoulli.cdf(k, 0.3)], i32(9).within(0, 1)),
    case('stats.nbinom.pmf', lambda k: stats.nbinom.pmf(k, 4, 0.4), i32(9).within(0, 9), **SERIES),
    case('stats.geom.pmf', lambda k: stats.geom.pmf(k, 0.4), i32(9).within(1, 9), **SERIES),
    case('stats.betabinom.pmf', lambda k: stats.betabinom.pmf(k, 9, 2.0, 3.0), i32(9).within(0, 9), **SERIES),
    case('stats.multinomial.pmf', lambda k: stats.multinomial.pmf(k, 6, np.float32([0.2, 0.3, 0.5])), np.int32([1, 2, 3]), **SERIES),
    case('stats.dirichlet.pdf', lambda x: stats.dirichlet.pdf(x, np.float32([1.5, 2, 3])), np.float32([0.2, 0.3, 0.5]), **SERIES),
    case('stats.multivariate_normal', lambda x: stats.multivariate_normal.logpdf(x, np.zeros(3, np.float32), np.eye(3, dtype=np.float32) + 0.3), f32(4, 3), **SERIES),
    case('stats.norm.ppf', lambda q: [stats.norm.ppf(q), stats.norm.isf(q), stats.expon.ppf(q), stats.logistic.ppf(q)], f32(9).within(0.05, 0.95), **SERIES),
    case('stats.gaussian_kde', lambda x, y: stats.gaussian_kde(x)(y), f32(12), f32(4), **SERIES),
    case('stats.mode', lambda x: stats.mode(x), i32(20).within(0, 4)),
    case('stats.rankdata', stats.rankdata, i32(20).within(0, 9)),
    case('stats.sem', stats.sem, f32(9)),
    case('signal.convolve', lambda x, y: [signal.convolve(x, y, m) for m in ('full', 'same', 'valid')], f32(6, 7), f32(3, 2)),
    case('signal.correlate', lambda x, y: signal.correlate(x, y), f32(9), f32(4)),
    case('signal.fftconvolve', signal.fftconvolve, f32(20), f32(5), atol=2e-5, why='through Fourier space'),
    case('signal.convolve2d', lambda x, y: signal.convolve2d(x, y, 'same'), f32(6, 7), f32(3, 2)),
    case('signal.detrend', signal.detrend, f32(12), rtol=1e-4, atol=1e-5, why='least squares'),
    case('signal.stft', lambda x: signal.stft(x, nperseg=16)[2], f32(64), atol=1e-5, why='sums near zero'),
    case('signal.istft', lambda x: signal.istft(signal.stft(x, nperseg=16)[2], nperseg=16)[1], f32(64), atol=1e-5, why='sums near zero'),
    case('signal.welch', lambda x: signal.welch(x, nperseg=16), f32(64), rtol=1e-4, atol=1e-6, why='squares of sums'),
    case('signal.csd', lambda x, y: signal.csd(x, y, nperseg=16), f32(64), f32(64), rtol=1e-4, atol=1e-5, why='products of sums'),
    case('ndimage.map_coordinates', lambda x, c: sp.ndimage.map_coordinates(x, [c[0], c[1]], order=1), f32(5, 6), f32(2, 7).within(0, 4)),
    case('interpolate grid', lambda x, p: sp.interpolate.RegularGridInterpolator((np.arange(4.0), np.arange(5.0)), x)(p), f32(4, 5), f32(6, 2).within(0, 3)),
    case('cluster.vq', lambda x, c: sp.cluster.vq.vq(x, c), f32(9, 2), f32(3, 2)),
    case('integrate.trapezoid', lambda y: sp.integrate.trapezoid(y, dx=0.1), f32(9)),
    case('fft.dct', lambda x: [sp.fft.dct(x), sp.fft.idct(x)], f32(9), atol=2e-5, why='sums near zero'),
    case('fft.dctn', lambda x: sp.fft.dctn(x), f32(4, 6), atol=5e-5, why='sums near zero'),
    case('sparse.linalg.cg', lambda a, b: sp.sparse.linalg.cg(a @ a.T + 9 * jnp.eye(5), b, maxiter=20)[0], f32(5, 5), f32(5), **SERIES),
    case('sparse.linalg.gmres', lambda a, b: sp.sparse.linalg.gmres(a + 9 * jnp.eye(5), b, maxiter=5)[0], f32(5, 5), f32(5), **SERIES),
    case('sparse.linalg.bicgstab', lambda a, b: sp.sparse.linalg.bicgstab(a + 9 * jnp.eye(5), b, maxiter=20)[0], f32(5, 5), f32(5), **SERIES),
    case('optimize.minimize', lambda x: sp.optimize.minimize(lambda v: ((v - 1) ** 2).sum(), x, method='BFGS').x, f32(3), rtol=1e-3, why='stops at a small gradient'),
    case('jax.image.resize', lambda x: [jax.image.resize(x, (7, 9), m) for m in ('nearest', 'linear', 'cubic', 'lanczos3')], f32(4, 5)),
]
