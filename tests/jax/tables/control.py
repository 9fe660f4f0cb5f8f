"""Control flow and transformations of it."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from cases import bf16, c64, case, f32, f64, i32, pred, u32


def collatz(n):
    return lax.while_loop(lambda c: c[0] != 1, lambda c: (jnp.where(c[0] % 2 == 0, c[0] // 2, 3 * c[0] + 1), c[1] + 1), (n, 0))


def newton(x):
    return lax.while_loop(lambda y: jnp.abs(y * y - x) > 1e-3, lambda y: 0.5 * (y + x / y), x)


def rnn(w, xs, h):
    return lax.scan(lambda h, x: (jnp.tanh(w @ h + x),) * 2, h, xs)


CASES = [
    case('while_loop', lambda x: lax.while_loop(lambda c: c < 100, lambda c: c * 2 + 1, x), np.int32(3)),
    case('while_loop collatz', collatz, np.int32(27)),
    case('while_loop newton', newton, np.float32(7)),
    case('while_loop never', lambda x: lax.while_loop(lambda c: c.sum() > 1e9, lambda c: c * 2, x), f32(3)),
    case('while_loop array condition', lambda x: lax.while_loop(lambda c: jnp.any(jnp.abs(c) < 50), lambda c: c * 3, x), f32(5).within(1, 2)),
    case('while_loop closure', lambda x, w: lax.while_loop(lambda c: c[0] < 4, lambda c: (c[0] + 1, jnp.sin(w @ c[1])), (0, x)), f32(4), f32(4, 4)),
    case('while_loop in while_loop', lambda x: lax.while_loop(lambda c: c[0] < 4, lambda c: (c[0] + 1, lax.while_loop(lambda d: d[0] < c[0],
         lambda d: (d[0] + 1, d[1] + d[0]), (0, c[1]))[1]), (0, x)), np.int32(5)),
    case('while_loop swapping', lambda x, y: lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[2], c[1] + c[2]), (0, x, y)), f32(3), f32(3)),
    case('while_loop constant carry', lambda x, y: lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1], c[2] + c[1]), (0, x, y)), f32(3), f32(3)),
    case('while_loop bool', lambda x: lax.while_loop(lambda c: c[1], lambda c: (c[0] + 1, c[0] < 5), (x, True)), np.int32(0)),
    case('vmap of while_loop', jax.vmap(collatz), np.int32([27, 1, 6, 97])),
    case('vmap of newton', jax.vmap(newton), f32(6).within(1, 9)),
    case('fori_loop', lambda x: lax.fori_loop(0, 10, lambda i, c: c + i * x, x), f32(3)),
    case('fori_loop dynamic bounds', lambda n, x: lax.fori_loop(2, n, lambda i, c: c * 1.1 + i, x), np.int32(9), f32(3)),
    case('fori_loop nothing', lambda n, x: lax.fori_loop(5, n, lambda i, c: c * 2, x), np.int32(3), f32(3)),
    case('fori_loop update', lambda x: lax.fori_loop(0, 5, lambda i, c: c.at[i].set(c[i - 1] + i), x), f32(5)),
    case('fori_loop unrolled', lambda x: lax.fori_loop(0, 6, lambda i, c: jnp.sin(c), x, unroll=3), f32(3)),
    case('fori_loop u32', lambda x: lax.fori_loop(np.uint32(0), np.uint32(9), lambda i, c: c ^ (c << 3) ^ i, x), u32(4).full()),
    case('fori_loop matrix power', lambda a: lax.fori_loop(0, 5, lambda i, c: c @ a * 0.3, a), f32(4, 4)),
    case('scan sum', lambda xs: lax.scan(lambda c, x: (c + x, c * x), 0.0, xs), f32(9)),
    case('scan rnn', rnn, f32(4, 4), f32(6, 4), f32(4)),
    case('scan reverse', lambda xs: lax.scan(lambda c, x: (c * 0.5 + x, c), 0.0, xs, reverse=True), f32(7)),
    case('scan unroll', lambda xs: lax.scan(lambda c, x: (c * 0.5 + x, c), 0.0, xs, unroll=3), f32(7)),
    case('scan fully unrolled', lambda xs: lax.scan(lambda c, x: (c * 0.5 + x, c), 0.0, xs, unroll=True), f32(4)),
    case('scan without inputs', lambda c: lax.scan(lambda c, _: (c * 1.5, c), c, None, length=5), f32(2)),
    case('scan of nothing', lambda xs: lax.scan(lambda c, x: (c + x, x), np.float32(0), xs), f32(0)),
    case('scan without outputs', lambda xs: lax.scan(lambda c, x: (c + x.sum(), None), np.float32(0), xs), f32(5, 3)),
    case('scan tree', lambda xs, n: lax.scan(lambda c, x: ({'a': c['a'] + x[0], 'b': ~c['b']}, (x[1], c['b'])), {'a': jnp.float32(0), 'b': jnp.array(True)}, (xs, n)), f32(5), i32(5)),
    case('scan bf16', lambda xs: lax.scan(lambda c, x: (c + x, c), jnp.bfloat16(0), xs), bf16(7)),
    case('scan c64', lambda xs: lax.scan(lambda c, x: (c * x, c), jnp.complex64(1), xs), c64(5)),
    case('scan f64', lambda xs: lax.scan(lambda c, x: (c + jnp.sin(x), c), jnp.float64(0), xs), f64(9)),
    case('scan in scan', lambda xs: lax.scan(lambda c, r: lax.scan(lambda d, x: (d + x, d * x), c, r), np.float32(0), xs), f32(4, 5)),
    case('scan with cond', lambda xs: lax.scan(lambda c, x: (lax.cond(x > 0, lambda: c + x, lambda: c * 0.5), c), np.float32(1), xs), f32(9)),
    case('scan with gather', lambda t, i: lax.scan(lambda c, k: (t[k], c + t[k]), t[0], i), f32(6, 3), i32(9).within(0, 5)),
    case('scan with sort', lambda xs: lax.scan(lambda c, x: (jnp.sort(c + x), c[0]), xs[0], xs), f32(5, 4)),
    case('scan of what is computed outside of its turns', lambda w, b, xs: lax.scan(lambda c, x: (jnp.tanh((w @ w.T) @ c + jnp.exp(b) * x), (b - c).sum()), xs[0], xs), f32(4, 4), f32(4), f32(6, 4)),
    case('scan in scan of what is outside of both', lambda w, xs: lax.scan(lambda c, r: lax.scan(lambda d, x: (jnp.sin(w) * d + x * c.max(), jnp.cumsum(w) + d), c, r), w, xs), f32(5), f32(3, 4, 5)),
    case('while_loop whose limit is computed', lambda n, x, w: lax.while_loop(lambda c: c[0] < c[3] * c[3] + n, lambda c: (c[0] + 1, c[1] * 0.9 + jnp.sqrt(c[2]), c[2], c[3]), (0, x, w, 2)),
         np.int32(3), f32(6), f32(6).within(1, 4)),
    case('while_loop of no turn with much to compute', lambda n, x: lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] // (n - n) + jnp.linalg.inv(x).astype(int).sum()), (0, n)), np.int32(-3), f32(3, 3)),
    case('fori_loop of a mask', lambda x: lax.fori_loop(0, 4, lambda i, c: jnp.where(jnp.tril(jnp.ones((5, 5), bool)), c @ x, c + i), x), f32(5, 5)),
    case('grad of scan with outer products', jax.grad(lambda w, xs: lax.scan(lambda c, x: (jnp.outer(w, jnp.cos(w)) @ c * 0.1 + x, c.sum()), xs[0], xs)[1].sum()), f32(4), f32(5, 4)),
    case('scan with random', lambda seed: lax.scan(lambda k, _: (lambda a, b: (a, jax.random.uniform(b)))(*jax.random.split(k)), jax.random.key(seed), None, length=5)[1], np.int32(1)),
    case('grad of scan rnn', jax.grad(lambda w, xs, h: (rnn(w, xs, h)[1] ** 2).sum(), (0, 1, 2)), f32(4, 4), f32(6, 4), f32(4), rtol=1e-4, why='six steps back, terms cancel'),
    case('vmap of scan', jax.vmap(lambda xs: lax.scan(lambda c, x: (c + x, c * x), np.float32(0), xs)), f32(3, 5)),
    case('grad of fori_loop', jax.grad(lambda x: lax.fori_loop(0, 4, lambda i, c: jnp.sin(c) * x, x).sum()), f32(3)),
    case('jvp of while_loop', lambda x: jax.jvp(newton, (x,), (jnp.float32(1),)), np.float32(7)),
    case('cond true', lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), np.bool_(True), f32(3)),
    case('cond false', lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), np.bool_(False), f32(3)),
    case('cond of i32', lambda n, x: lax.cond(n > 2, lambda a: (a.sum(), a), lambda a: (a.max(), a * 2), x), np.int32(3), f32(3, 4)),
    case('cond nested', lambda n, x: lax.cond(n > 2, lambda a: lax.cond(n > 5, jnp.sin, jnp.cos, a), lambda a: a, x), np.int32(4), f32(3)),
    case('cond without operands', lambda p: lax.cond(p, lambda: 1.5, lambda: 2.5), np.bool_(False)),
    case('switch', lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.tanh, lambda a: a], x), np.int32(2), f32(3)),
    case('switch clamps', lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.tanh], x), np.int32(99), f32(3)),
    case('switch negative', lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.tanh], x), np.int32(-7), f32(3)),
    case('vmap of cond', jax.vmap(lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x)), pred(5), f32(5, 2)),
    case('vmap of switch', jax.vmap(lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.tanh], x)), i32(5).within(0, 2), f32(5, 2)),
    case('grad of cond', lambda p, x: jax.grad(lambda y: lax.cond(p, lambda a: jnp.sin(a) ** 2, jnp.cos, y).sum())(x), np.bool_(True), f32(3)),
    case('grad of switch', lambda i, x: jax.grad(lambda y: lax.switch(i, [jnp.sin, jnp.exp, jnp.tanh], y).sum())(x), np.int32(1), f32(3)),
    case('associative_scan', lambda x: lax.associative_scan(jnp.add, x), f32(9)),
    case('associative_scan matrices', lambda x: lax.associative_scan(jnp.matmul, x), f32(5, 3, 3), rtol=1e-4, why='products of five matrices'),
    case('associative_scan reverse', lambda x: lax.associative_scan(jnp.maximum, x, reverse=True, axis=1), f32(2, 8)),
    case('custom_root', lambda a: lax.custom_root(lambda y: y * y - a, jnp.float32(1), lambda f, y: newton(a), lambda g, y: y / g(1.0)), np.float32(5)),
    case('custom_linear_solve', lambda a, b: lax.custom_linear_solve(lambda v: (a @ a.T + 5 * jnp.eye(4)) @ v, b, lambda mv, r: jnp.linalg.solve(a @ a.T + 5 * jnp.eye(4), r), symmetric=True),
         f32(4, 4), f32(4), rtol=1e-4, why='a linear solve'),
    case('platform_dependent', lambda x: lax.platform_dependent(x, cpu=jnp.sin, default=jnp.cos), f32(3)),
    case('call twice', lambda x: (lambda f: f(f(x)))(jax.jit(lambda a: jnp.sin(a) + 1)), f32(3)),
    case('nested jits', lambda x: functools.reduce(lambda a, _: jax.jit(lambda b: b * 2 + jnp.sin(a).sum())(a), range(3), x), f32(3)),
]
