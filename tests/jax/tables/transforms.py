"""Derivatives, batching, checkpoints, custom rules."""
import jax
import jax.flatten_util
import jax.numpy as jnp
import numpy as np

from cases import bf16, c64, case, f32, f64, i32


@jax.custom_jvp
def soft(x):
    return jnp.log1p(jnp.exp(x))


@soft.defjvp
def _(primals, tangents):
    return soft(*primals), jax.nn.sigmoid(primals[0]) * tangents[0]


@jax.custom_vjp
def clipped(x):
    return x * 2


clipped.defvjp(lambda x: (clipped(x), x), lambda x, g: (jnp.clip(g * x, -1, 1),))


def mlp(p, x):
    for w, b in p:
        x = jnp.tanh(x @ w + b)
    return x


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


TWICE = dict(rtol=1e-4, why='second derivatives of a polynomial with factors of 100')

CASES = [case('grad of jnp.' + name, jax.grad(lambda x, f=getattr(jnp, name): (f(x) ** 2).sum()), f32(4, 5)) for name in
          'sin cos tan exp sinh cosh tanh arctan arcsinh abs square cumsum cumprod sort max min sum prod mean var std median sinc'.split()]
CASES += [case('grad of jnp.' + name, jax.grad(lambda x, f=getattr(jnp, name): (f(x) ** 2).sum()), f32(4, 5).within(0.5, 0.9)) for name in
          'log sqrt arcsin arccos arctanh log1p cbrt reciprocal'.split()]
CASES += [
    case('grad', jax.grad(lambda x, y: (jnp.sin(x) * y).sum(), (0, 1)), f32(3, 4), f32(4)),
    case('grad of grad', jax.vmap(jax.grad(jax.grad(lambda x: jnp.sin(x) * x ** 3))), f32(9)),
    case('third derivative', jax.vmap(jax.grad(jax.grad(jax.grad(jnp.tanh)))), f32(9)),
    case('value_and_grad', jax.value_and_grad(rosenbrock), f32(6), **TWICE),
    case('hessian', jax.hessian(rosenbrock), f32(5), **TWICE),
    case('jacfwd', jax.jacfwd(lambda x: jnp.sin(x) * x[::-1]), f32(5)),
    case('jacrev', jax.jacrev(lambda x: jnp.sin(x) * x[::-1]), f32(5)),
    case('jvp', lambda x, t: jax.jvp(lambda y: jnp.exp(y) @ y.T, (x,), (t,)), f32(3, 4), f32(3, 4)),
    case('vjp', lambda x, g: jax.vjp(lambda y: jnp.exp(y) @ y.T, x)[1](g), f32(3, 4), f32(3, 3)),
    case('linearize', lambda x, t: jax.linearize(lambda y: jnp.tanh(y) ** 2, x)[1](t), f32(4), f32(4)),
    case('linear_transpose', lambda g: jax.linear_transpose(lambda y: jnp.cumsum(y[::-1]) * 2, jnp.zeros(5))(g), f32(5)),
    case('hvp', lambda x, v: jax.jvp(jax.grad(rosenbrock), (x,), (v,))[1], f32(5), f32(5), **TWICE),
    case('grad of an mlp', lambda w, b, v, c, x: jax.grad(lambda p: (mlp(p, x) ** 2).sum())([(w, b), (v, c)]), f32(4, 6), f32(6), f32(6, 3), f32(3), f32(5, 4)),
    case('checkpoint', jax.grad(lambda x: jax.checkpoint(lambda y: jnp.sin(jnp.sin(y)))(x).sum()), f32(4)),
    case('checkpoint policy', jax.grad(lambda x, w: jax.checkpoint(lambda y: jnp.sin(y @ w) @ w, policy=jax.checkpoint_policies.dots_saveable)(x).sum()), f32(4, 4), f32(4, 4)),
    case('checkpoint of scan', jax.grad(lambda x: jax.lax.scan(jax.checkpoint(lambda c, a: (jnp.sin(c * a), c)), jnp.float32(1), x)[0]), f32(6)),
    case('custom_jvp', jax.value_and_grad(lambda x: soft(x).sum()), f32(4)),
    case('custom_vjp', jax.value_and_grad(lambda x: clipped(x).sum()), f32(4)),
    case('vmap', jax.vmap(lambda x, y: x @ y, (0, None)), f32(3, 4), f32(4)),
    case('vmap of vmap', jax.vmap(jax.vmap(lambda x, y: jnp.outer(x, y), (0, None)), (None, 0)), f32(3, 4), f32(2, 5)),
    case('vmap out_axes', jax.vmap(lambda x: x * 2, 1, 1), f32(3, 4)),
    case('vmap of grad', jax.vmap(jax.grad(lambda w, x: jnp.tanh(w @ x)), (None, 0)), f32(4), f32(6, 4)),
    case('vmap of sort', jax.vmap(jnp.sort, 1), f32(3, 4)),
    case('vmap of conv', jax.vmap(lambda x, w: jnp.convolve(x, w)), f32(3, 8), f32(3, 3)),
    case('vmap of dot_general', jax.vmap(lambda a, b: a @ b), f32(3, 4, 5), f32(3, 5, 2)),
    case('vmap of argmax', jax.vmap(jnp.argmax), f32(3, 7)),
    case('vmap of searchsorted', jax.vmap(lambda a, v: jnp.searchsorted(jnp.sort(a), v)), f32(3, 9), f32(3, 4)),
    case('vmap axis_name', jax.vmap(lambda x: x - jax.lax.pmean(x, 'i'), axis_name='i'), f32(4, 3)),
    case('vmap psum', jax.vmap(lambda x: (jax.lax.psum(x, 'i'), jax.lax.axis_index('i'), jax.lax.ppermute(x, 'i', [(0, 1), (1, 2), (2, 0)])), axis_name='i'), f32(3, 2)),
    case('grad c64', jax.grad(lambda x: jnp.abs(jnp.exp(x * (1 + 2j))).sum()), f32(4)),
    case('holomorphic grad', jax.vmap(jax.grad(lambda z: jnp.sin(z) * z, holomorphic=True)), c64(5)),
    case('jacfwd f64', jax.jacfwd(lambda x: jnp.sin(x) * x[::-1]), f64(5)),
    case('grad bf16', jax.grad(lambda x: (jnp.sin(x) * x).sum()), bf16(9), rtol=3e-2, why='four bf16 roundings'),
    case('grad of where', jax.grad(lambda x: jnp.where(x > 0, jnp.sqrt(jnp.abs(x) + 1), x ** 2).sum()), f32(9)),
    case('grad of gather and dot', jax.grad(lambda t, i: (t[np.array([0, 2, 1])] @ t.T).max()), f32(4, 3), i32(2)),
    case('grad of logsumexp', jax.grad(lambda x: jax.nn.logsumexp(x, 1).sum()), f32(4, 5)),
    case('grad of norm', jax.grad(jnp.linalg.norm), f32(4, 5)),
    case('grad of interp', jax.grad(lambda x: jnp.interp(x, np.float32([-2, 0, 2]), np.float32([1, 5, 3])).sum()), f32(7)),
    case('grad of cumlogsumexp', jax.grad(lambda x: (jax.lax.cumlogsumexp(x) ** 2).sum()), f32(7)),
    case('grad of reduce_window sum', jax.grad(lambda x: (jax.lax.reduce_window(x, 0.0, jax.lax.add, (2, 2), (1, 2), 'SAME') ** 2).sum()), f32(5, 6)),
    case('grad of pad', jax.grad(lambda x: (jax.lax.pad(x, 0.0, ((1, -1, 2), (0, 2, 0))) ** 2).sum()), f32(4, 5)),
    case('grad of dynamic_slice', jax.grad(lambda x, i: (jax.lax.dynamic_slice(x, (i,), (3,)) ** 2).sum()), f32(7), np.int32(2)),
    case('grad of einsum', jax.grad(lambda a, b: (jnp.einsum('ijk,kl->jil', a, b) ** 2).sum(), (0, 1)), f32(2, 3, 4), f32(4, 5)),
    case('grad of concatenate', jax.grad(lambda a, b: (jnp.concatenate([a, b, a]) ** 3).sum(), (0, 1)), f32(2, 3), f32(1, 3)),
    case('jvp of sort', lambda x, t: jax.jvp(jnp.sort, (x,), (t,)), f32(9), f32(9)),
    case('jvp of top_k', lambda x, t: jax.jvp(lambda y: jax.lax.top_k(y, 3)[0], (x,), (t,)), f32(9), f32(9)),
    case('ravel_pytree', lambda a, b: jax.flatten_util.ravel_pytree((a, {'b': b}))[0], f32(2, 3), f32(4)),
    case('pure numpy constants', lambda x: x + np.arange(6, dtype=np.float32).reshape(2, 3) * np.float32(np.pi), f32(2, 3)),
    case('large constant', lambda x: x + jnp.asarray(np.random.default_rng(0).standard_normal((40, 50)).astype(np.float32)), f32(50)),
    case('many results', lambda x: [x + i for i in range(40)], f32(3)),
    case('many arguments', lambda *a: sum(a), *[f32(2) for _ in range(40)]),
    case('unused argument', lambda x, y: x + 1, f32(3), f32(4)),
    case('argument returned', lambda x, y: (y, x, x), f32(3), i32(4)),
    case('constant returned', lambda: (jnp.arange(5), jnp.float32(2))),
    case('nothing returned', lambda x: (), f32(3)),
]
