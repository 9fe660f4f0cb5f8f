"""jax.random: equal bits, and what is made of them."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import random

from cases import case, f32, i32, u32

# Draws by rejection compare floats to decide; the functions they compare must round alike for the counts to be equal, which the seeds
# here give and a wrong function would not.
DRAWS = {
    'bits': lambda k: random.bits(k, (7,)), 'bits u8': lambda k: random.bits(k, (7,), np.uint8), 'bits u16': lambda k: random.bits(k, (5,), np.uint16),
    'uniform': lambda k: random.uniform(k, (3, 5)), 'uniform range': lambda k: random.uniform(k, (9,), minval=-2, maxval=7),
    'uniform bf16': lambda k: random.uniform(k, (9,), jnp.bfloat16), 'uniform f16': lambda k: random.uniform(k, (9,), np.float16),
    'normal': lambda k: random.normal(k, (4, 5)), 'normal bf16': lambda k: random.normal(k, (9,), jnp.bfloat16), 'normal c64': lambda k: random.normal(k, (5,), np.complex64),
    'randint': lambda k: random.randint(k, (9,), -5, 17), 'randint i8': lambda k: random.randint(k, (9,), -128, 127, np.int8),
    'bernoulli': lambda k: random.bernoulli(k, 0.3, (20,)), 'categorical': lambda k: random.categorical(k, jnp.log(jnp.array([0.1, 0.5, 0.4])), shape=(9,)),
    'permutation': lambda k: random.permutation(k, 20), 'permutation of rows': lambda k: random.permutation(k, jnp.arange(24.0).reshape(8, 3)),
    'permutation independent': lambda k: random.permutation(k, jnp.arange(24).reshape(8, 3), independent=True),
    'choice': lambda k: random.choice(k, 20, (6,)), 'choice without replacement': lambda k: random.choice(k, 20, (6,), replace=False),
    'choice weighted': lambda k: random.choice(k, jnp.arange(4.0), (9,), p=jnp.array([0.1, 0.2, 0.3, 0.4])),
    'choice weighted without replacement': lambda k: random.choice(k, 5, (3,), replace=False, p=jnp.array([0.1, 0.2, 0.3, 0.3, 0.1])),
    'truncated_normal': lambda k: random.truncated_normal(k, -1, 2, (9,)), 'exponential': lambda k: random.exponential(k, (9,)),
    'gumbel': lambda k: random.gumbel(k, (9,)), 'laplace': lambda k: random.laplace(k, (9,)), 'logistic': lambda k: random.logistic(k, (9,)),
    'cauchy': lambda k: random.cauchy(k, (9,)), 'pareto': lambda k: random.pareto(k, 2.0, (9,)), 'rayleigh': lambda k: random.rayleigh(k, 2.0, (9,)),
    'weibull_min': lambda k: random.weibull_min(k, 1.5, 2.0, (9,)), 'maxwell': lambda k: random.maxwell(k, (9,)),
    'double_sided_maxwell': lambda k: random.double_sided_maxwell(k, 0.0, 1.0, (9,)), 'rademacher': lambda k: random.rademacher(k, (9,)),
    'triangular': lambda k: random.triangular(k, -1.0, 0.5, 2.0, (9,)), 'wald': lambda k: random.wald(k, 2.0, (9,)), 'lognormal': lambda k: random.lognormal(k, 0.5, (9,)),
    'gamma': lambda k: random.gamma(k, 2.5, (9,)), 'gamma small': lambda k: random.gamma(k, 0.3, (9,)), 'loggamma': lambda k: random.loggamma(k, 0.5, (9,)),
    'beta': lambda k: random.beta(k, 2.0, 0.5, (9,)), 'chisquare': lambda k: random.chisquare(k, 3.0, shape=(9,)), 't': lambda k: random.t(k, 3.0, (9,)),
    'f': lambda k: random.f(k, 3.0, 5.0, shape=(9,)), 'dirichlet': lambda k: random.dirichlet(k, jnp.array([1.0, 2.0, 3.0]), (4,)),
    'generalized_normal': lambda k: random.generalized_normal(k, 1.5, (9,)), 'ball': lambda k: random.ball(k, 3, 2, (4,)),
    'orthogonal': lambda k: (lambda q: q @ q.T)(random.orthogonal(k, 3)), 'geometric': lambda k: random.geometric(k, 0.3, (9,)),
    'binomial': lambda k: random.binomial(k, 9.0, 0.4, (9,)), 'binomial large': lambda k: random.binomial(k, 200.0, 0.4, (9,)),
    'multinomial': lambda k: random.multinomial(k, 10.0, jnp.array([0.2, 0.3, 0.5])),
    'multivariate_normal': lambda k: random.multivariate_normal(k, jnp.zeros(3), jnp.eye(3) + 0.3, (4,)),
    'split': lambda k: random.key_data(random.split(k, 5)), 'fold_in': lambda k: random.key_data(random.fold_in(k, 77)),
    'loop of splits': lambda k: jax.lax.fori_loop(0, 4, lambda i, c: (random.split(c[0])[0], c[1] + random.normal(c[0], (3,))), (k, jnp.zeros(3)))[1],
}
CLOSE = dict(rtol=1e-4, atol=1e-5, why='uniform bits through inverse functions with steep ends; sums about zero')

CASES = [case('random.%s' % name, lambda seed, f=f: f(random.key(seed)), np.int32(42), **CLOSE) for name, f in DRAWS.items()]
CASES += [case('random.%s rbg' % name, lambda seed, f=DRAWS[name]: f(random.key(seed, impl='rbg')), np.int32(7), **CLOSE) for name in
          ('bits', 'bits u8', 'uniform', 'normal', 'randint', 'bernoulli', 'categorical', 'permutation', 'split', 'fold_in', 'truncated_normal', 'loop of splits')]
CASES += [case('random.%s unsafe_rbg' % name, lambda seed, f=DRAWS[name]: f(random.key(seed, impl='unsafe_rbg')), np.int32(7), **CLOSE) for name in ('normal', 'split', 'fold_in')]
CASES += [
    case('random.poisson', lambda seed: random.poisson(random.key(seed), 3.5, (9,)), np.int32(3)),
    case('random.poisson large', lambda seed: random.poisson(random.key(seed), 50.0, (9,)), np.int32(3)),
    case('random.PRNGKey', lambda seed: random.PRNGKey(seed), np.int32(-5)),
    case('random.normal f64', lambda seed: random.normal(random.key(seed), (9,), np.float64), np.int32(3), x64=True, rtol=1e-12, why='inverse error function'),
    case('random.uniform f64', lambda seed: random.uniform(random.key(seed), (9,), np.float64), np.int32(3), x64=True),
    case('random.randint i64', lambda seed: random.randint(random.key(seed), (9,), -2**40, 2**50, np.int64), np.int32(3), x64=True),
    case('random.bits u64', lambda seed: random.bits(random.key(seed), (9,), np.uint64), np.int32(3), x64=True),
    case('random.gamma f64', lambda seed: random.gamma(random.key(seed), 2.5, (9,), np.float64), np.int32(3), x64=True, rtol=1e-11, why='logs and roots of rejection'),
    case('grad of random.gamma', lambda a: jax.grad(lambda b: random.gamma(random.key(1), b).sum())(a), f32(5).within(0.5, 3), rtol=1e-3, why='implicit derivative by series'),
    case('vmap of random.normal', jax.vmap(lambda s: random.normal(random.key(s), (3,))), i32(4), **CLOSE),
    case('random.uniform large', lambda seed: random.uniform(random.key(seed), (1001,)), np.int32(1)),
    case('random.normal moments', lambda seed: (lambda x: (x.mean(), x.std()))(random.normal(random.key(seed), (5000,))), np.int32(1), atol=1e-6, why='the mean is near zero'),
    case('random.wrap_key_data', lambda d: random.normal(random.wrap_key_data(d), (3,)), u32(2).full(), **CLOSE),
    case('random.clone', lambda seed: random.key_data(random.clone(random.key(seed))), np.int32(1)),
]
