"""Optimizers in C (include/weft/optim.h) against their formulas in NumPy, step by step, and accumulated gradients against JAX.

tests/capi/models writes the program of each. It is run for some steps, what parameters and state become being the next step's; then
`weft verify` runs one step on a mesh, with annotated and with random shardings.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import binding as weft
from test_layers import text_of, tool

STEPS = 6
RATE = 0.125
SHAPES = {'w': (6, 8), 'b': (8,), 'blocks/w': (2, 8, 6)}


class State(dict):
    """Arrays that begin with zeros."""

    def of(self, name, shape):
        return self.setdefault(name, np.zeros(shape))


def sgd(s, n, p, d, t):
    return p - RATE * d


def sgd_momentum(s, n, p, d, t):
    m = s['sgd/m/' + n] = 0.9 * s.of('sgd/m/' + n, p.shape) + d
    return p - RATE * (m + (0.1 * p if n.endswith('w') else 0))


def sgd_nesterov(s, n, p, d, t):
    m = s['sgd/m/' + n] = 0.9 * s.of('sgd/m/' + n, p.shape) + d
    return p - RATE * (d + 0.9 * m)


def adam_change(s, n, p, d, t, beta2=0.95):
    m = s['adamw/m/' + n] = 0.9 * s.of('adamw/m/' + n, p.shape) + 0.1 * d
    v = s['adamw/v/' + n] = beta2 * s.of('adamw/v/' + n, p.shape) + (1 - beta2) * d * d
    return m / (1 - 0.9 ** t) / (np.sqrt(v / (1 - beta2 ** t)) + 1e-8)


def adamw(s, n, p, d, t):
    return p - RATE * (adam_change(s, n, p, d, t) + (0 if n == 'b' else 0.1 * p))


def lion(s, n, p, d, t):
    m = s.of('lion/m/' + n, p.shape)
    s['lion/m/' + n] = 0.99 * m + 0.01 * d
    return p - RATE * (np.sign(0.9 * m + 0.1 * d) + 0.1 * p)


def layer_rms(n, x):
    axes = (1, 2) if n.startswith('blocks/') else None
    return np.sqrt((x * x).mean(axes, keepdims=True))


def adafactor(s, n, p, d, t, least=6, scaled=True, clip=1):
    keep, squares = 1 - t ** -0.8, d * d + 1e-30
    if p.ndim >= 2 and min(p.shape[-2:]) >= least:
        row = s['adafactor/row/' + n] = keep * s.of('adafactor/row/' + n, p.shape[:-1]) + (1 - keep) * squares.mean(-1)
        column = s['adafactor/column/' + n] = keep * s.of('adafactor/column/' + n, p.shape[:-2] + p.shape[-1:]) + (1 - keep) * squares.mean(-2)
        v = row[..., :, None] * column[..., None, :] / row.mean(-1)[..., None, None]
    else:
        v = s['adafactor/v/' + n] = keep * s.of('adafactor/v/' + n, p.shape) + (1 - keep) * squares
    u = d / np.sqrt(v)
    u = u / np.maximum(1, layer_rms(n, u) / clip)
    if scaled:
        return p - RATE * (u * np.maximum(1e-3, layer_rms(n, p)) + 0.01 * p)
    return p - RATE * u


def adafactor_whole(s, n, p, d, t):
    return adafactor(s, n, p, d, t, 128, False, 0.5)


def orthogonal(x):
    x = x / np.linalg.norm(x)
    for _ in range(5):
        a = x @ x.T
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return x


def muon(s, n, p, d, t):
    m = s['muon/m/' + n] = 0.95 * s.of('muon/m/' + n, p.shape) + 0.05 * d
    m = 0.95 * m + 0.05 * d
    layers = m if n.startswith('blocks/') else m[None]
    x = np.stack([orthogonal(x) if x.shape[0] <= x.shape[1] else orthogonal(x.T).T for x in layers])
    change = x.reshape(p.shape) * np.sqrt(max(1, p.shape[-1] / p.shape[-2]))
    return p - RATE * (change + 0.1 * p)


def guarded_step(s, p, d):
    """All parameters at once: the norm is of all gradients."""
    scale, good = s.setdefault('loss_scale/scale', 1024.), s.setdefault('loss_scale/good', 0)
    for n in p:
        s.setdefault('ema/' + n, p[n])
    d = {n: v / scale for n, v in d.items()}
    finite = all(np.isfinite(v).all() for v in d.values())
    if not finite:
        s['loss_scale/scale'], s['loss_scale/good'] = scale / 2, 0
        return p
    s['loss_scale/scale'], s['loss_scale/good'] = (scale * 2, 0) if good + 1 >= 2 else (scale, good + 1)
    norm = np.sqrt(sum((v * v).sum() for v in d.values()))
    s['adamw/count'] = t = s.setdefault('adamw/count', 0) + 1
    p = {n: p[n] - RATE * adam_change(s, n, p[n], d[n] * min(1, 2 / norm), t, 0.999) for n in p}
    for n in p:
        s['ema/' + n] = 0.75 * s['ema/' + n] + 0.25 * p[n]
    return p


EACH = {f.__name__: f for f in (sgd, sgd_momentum, sgd_nesterov, adamw, lion, adafactor, adafactor_whole, muon)}
ACCUMULATED = {'accumulate': 1e-5, 'accumulate_scan': 1e-5, 'accumulate_once': 1e-5, 'accumulate_bf16': 3e-2}


def loaded(name):
    text = text_of(name)
    program = weft.Program(text, name)
    return program, dict(zip(text.split('\n')[0][3:].split(', '), program.inputs))


def run(program, inputs, values):
    out = program(*[np.asarray(values[n]).astype(dtype) for n, (_, dtype, _) in inputs.items()])
    return dict(zip((n.decode() for n, _, _ in program.outputs), out))


@pytest.mark.parametrize('name', [*EACH, 'guarded'])
def test_optimizer(name):
    program, inputs = loaded(name)
    rng = np.random.default_rng(1)
    p = {n: rng.standard_normal(SHAPES[n]) for n in SHAPES if n in inputs and ('c ' + n) in inputs}
    values = {n: np.zeros(shape) for n, (_, _, shape) in inputs.items()} | p
    state = State()
    if name == 'guarded':
        values |= {'loss_scale/scale': 1024} | {'ema/' + n: v for n, v in p.items()}
    for step in range(STEPS):
        d = {n: rng.standard_normal(v.shape) for n, v in p.items()}
        if name == 'guarded':
            d = {n: v * 1000 for n, v in d.items()}
            if step == 3:
                d['b'][2] = np.inf
        got = run(program, inputs, values | {'c ' + n: v for n, v in d.items()})
        if name == 'guarded':
            p = guarded_step(state, p, d)
        else:
            p = {n: EACH[name](state, n, v, d[n], step + 1) for n, v in p.items()}
        for n, want in {**p, **state}.items():
            np.testing.assert_allclose(got[n], want, rtol=1e-5, atol=1e-5 * max(1, np.abs(want).max()), err_msg='%s in step %d' % (n, step))
        values |= got


def test_state_has_names_of_its_parameters():
    names = loaded('adamw')[1]
    assert {'adamw/m/w', 'adamw/v/blocks/w', 'adamw/count'} <= set(names)


def test_schedules():
    program, inputs = loaded('schedules')
    values = {'step': 0}
    for t in range(16):
        got = run(program, inputs, values)
        x = min(1, t / 10)
        c = min(1, max(0, (t - 4) / 8))
        want = {'constant': 0.5, 'linear': 1 - 0.75 * x, 'cosine': 0.25 + 0.75 * (1 + np.cos(np.pi * x)) / 2,
                'warmup_cosine': (t + 1) / 4 if t < 4 else 0.1 + 0.9 * (1 + np.cos(np.pi * c)) / 2,
                'inverse_sqrt': min((t + 1) / 4, (4 / (t + 1)) ** 0.5), 'step': t + 1}
        for n, w in want.items():
            np.testing.assert_allclose(got[n], w, rtol=1e-6, atol=1e-7, err_msg='%s in step %d' % (n, t))
        values = got


@pytest.mark.parametrize('name', ACCUMULATED)
def test_accumulated(name):
    program, inputs = loaded(name)
    rng = np.random.default_rng(2)
    values = {n: rng.integers(0, 5, shape) if n == 'labels' else rng.standard_normal(shape).astype(np.float32) for n, (_, _, shape) in inputs.items()}
    got = run(program, inputs, values)
    dtype = jnp.bfloat16 if name.endswith('bf16') else jnp.float32
    weights = {n: jnp.asarray(v) for n, v in values.items() if n not in ('x', 'labels')}

    def loss(p):
        h = jnp.asarray(values['x']).astype(dtype)
        for i in range(2):
            w, b = (p['blocks/l/' + n][i] if 'blocks/l/' + n in p else p['blocks/%d/l/%s' % (i, n)] for n in ('weight', 'bias'))
            h = jnp.tanh(h @ w.astype(dtype) + b.astype(dtype))
        out = jax.nn.log_softmax(h.astype(jnp.float32) @ p['head/weight'] + p['head/bias'])
        return -jnp.take_along_axis(out, values['labels'][:, None], 1).mean()

    want, gradient = jax.value_and_grad(loss)(weights)
    t = ACCUMULATED[name]
    for n, w in {'loss': want, **{'d ' + n: v for n, v in gradient.items()}}.items():
        np.testing.assert_allclose(got[n], np.asarray(w), rtol=t, atol=t, err_msg=n)


def test_accumulated_gradients_are_reduced_once(tmp_path):
    """Four micro-batches on two devices: one sum over devices of all gradients and the loss."""
    out = tool(tmp_path, text_of('accumulate', 'a=2'), 'dryrun')
    rows = [line.split()[:3] for line in out.splitlines() if line.startswith(('all_', 'reduce_', 'collective_'))]
    assert rows == [['all_reduce', 'a', '1']], out


@pytest.mark.parametrize('name', [*EACH, 'guarded', *ACCUMULATED])
def test_on_mesh(tmp_path, name):
    text = text_of(name, 'a=2, b=2')
    tool(tmp_path, text, 'verify')
    tool(tmp_path, text, 'verify', '--shardings=1:1')


def test_every_optimizer_has_a_formula():
    assert text_of('optimizers').split() == [*EACH, 'guarded', 'schedules', *ACCUMULATED]
