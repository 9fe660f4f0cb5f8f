"""Layers in C (include/weft/nn.h) against the same in JAX: results and gradients on one device, and the same programs on meshes.

tests/capi/models writes each program. Its result "y" is compared with the function of that name below, and "d NAME" with
jax.grad of the sum of y times cosines of the elements' numbers. `weft verify` then runs the program on a mesh, with the
annotations of models.c and with random ones.
"""
import functools
import os
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import binding as weft

BUILD = os.environ.get('top_builddir') or os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../build')
MODELS = os.path.join(BUILD, 'tests/capi/models')
WEFT = os.path.join(BUILD, 'weft')
TOLERANCE = {'linear_bf16': 2e-2}
# What is not drawn from the normal distribution: integers below a number, and a variance.
BELOW = {'rows': 8, 'labels': 16, 'positions': 50}


def text_of(name, *axes):
    return subprocess.run([MODELS, name, *axes], check=True, capture_output=True, text=True).stdout


def norm(x, axes, scale, bias=0, centre=True, mean=None, variance=None):
    if centre:
        x = x - (x.mean(axes, keepdims=True) if mean is None else mean)
    variance = (x * x).mean(axes, keepdims=True) if variance is None else variance
    return x / jnp.sqrt(variance + 1e-5) * scale + bias


def conv(x, w, **kwargs):
    n = x.ndim - 2
    letters = 'HWD'[:n]
    return jax.lax.conv_general_dilated(x, w, kwargs.pop('strides', (1,) * n), kwargs.pop('padding'),
                                        dimension_numbers=('N%sC' % letters, '%sIO' % letters, 'N%sC' % letters), **kwargs)


def window(x, init, f, size, strides, padding):
    return jax.lax.reduce_window(x, init, f, (1, *size, 1), (1, *strides, 1), padding)


def attention(q, k, v, mask=None, scale=None):
    groups = q.shape[2] // k.shape[2]
    k, v = jnp.repeat(k, groups, 2), jnp.repeat(v, groups, 2)
    scores = jnp.einsum('bthd,bshd->bhts', q, k) * (scale or q.shape[3] ** -0.5)
    if mask is not None:
        scores = jnp.where(mask, scores, -jnp.inf)
    return jnp.einsum('bhts,bshd->bthd', jax.nn.softmax(scores), v)


def rope(x, positions, base):
    half = x.shape[3] // 2
    angle = positions[:, None] * base ** (-jnp.arange(half) / half)
    turn = jnp.exp(1j * angle)[:, None, :]
    z = (x[..., :half] + 1j * x[..., half:]) * turn
    return jnp.concatenate([z.real, z.imag], -1)


@functools.partial(jax.jit, static_argnums=(1, 2, 3))
def chosen_order(p, count, chosen, places):
    """Experts of each token in their order, and which choices find a place, by counting."""
    order = jnp.argsort(-p, axis=2, stable=True)[..., :chosen]
    hot = jax.nn.one_hot(order.swapaxes(1, 2).reshape(p.shape[0], -1), count, dtype=int)    # first choices first
    before = ((jnp.cumsum(hot, 1) - hot) * hot).sum(2)
    return order, (before < places).reshape(p.shape[0], chosen, -1).swapaxes(1, 2)


def experts(a, count, chosen, capacity, expert):
    """All experts of all tokens, of which those count that are chosen and have a place."""
    x, router = a['x'], a['moe/router/weight']
    p = jax.nn.softmax(x @ router)
    order, placed = chosen_order(p, count, chosen, int(np.ceil(x.shape[1] * chosen / count * capacity)))
    weight = jnp.take_along_axis(p, order, 2)
    weight = weight / weight.sum(2, keepdims=True) * placed
    each = jnp.stack([expert(x, e) for e in range(count)], 2)
    share = jax.nn.one_hot(order[..., 0], count).mean((0, 1))
    return (jnp.take_along_axis(each, order[..., None], 2) * weight[..., None]).sum(2) + count * (share * p.mean((0, 1))).sum()


def swiglu_expert(a):
    return lambda x, e: (jax.nn.silu(x @ a['moe/gate/weight'][e]) * (x @ a['moe/up/weight'][e])) @ a['moe/down/weight'][e]


def gelu_expert(a):
    return lambda x, e: jax.nn.gelu(x @ a['moe/up/weight'][e]) @ a['moe/down/weight'][e]


def bf16(x):
    return x.astype(jnp.bfloat16)


causal = jnp.tril(jnp.ones((6, 6), bool))
JAX = {
    'linear': lambda a: a['x'] @ a['l/weight'] + a['l/bias'],
    'linear_heads': lambda a: jnp.einsum('bthd,hdo->bto', jnp.einsum('bti,ihd->bthd', a['x'], a['in/weight']) + a['in/bias'], a['out/weight']),
    'linear_bf16': lambda a: (bf16(a['x']) @ bf16(a['l/weight']) + bf16(a['l/bias'])).astype(jnp.float32),
    'embedding': lambda a: jnp.tanh(a['e/weight'][a['rows']]) @ a['e/weight'].T,
    'conv1d': lambda a: conv(a['x'], a['c/weight'], padding=[(4, 0)], rhs_dilation=(2,)) + a['c/bias'],
    'conv2d': lambda a: conv(a['x'], a['c/weight'], padding='SAME', strides=(2, 2), feature_group_count=2),
    'max_pool': lambda a: window(a['x'], -jnp.inf, jax.lax.max, (3, 2), (2, 2), 'SAME'),
    'average_pool': lambda a: window(a['x'], 0., jax.lax.add, (2,), (2,), 'VALID') / 2,
    'layer_norm': lambda a: norm(a['x'], -1, a['n/scale'], a['n/bias']),
    'rms_norm': lambda a: norm(a['x'], -1, a['n/scale'], centre=False),
    'batch_norm': lambda a: norm(a['x'], (0, 1), a['n/scale'], a['n/bias']),
    'batch_norm_running': lambda a: norm(a['x'], (0, 1), a['n/scale'], a['n/bias'], mean=a['n/mean'], variance=a['n/variance']),
    'relu': lambda a: jax.nn.relu(a['x']),
    'gelu': lambda a: jax.nn.gelu(a['x'], approximate=False),
    'gelu_tanh': lambda a: jax.nn.gelu(a['x']),
    'silu': lambda a: jax.nn.silu(a['x']),
    'swiglu': lambda a: (jax.nn.silu(a['x'] @ a['mlp/gate/weight']) * (a['x'] @ a['mlp/up/weight'])) @ a['mlp/down/weight'],
    'softmax': lambda a: jax.nn.softmax(a['x'], 1),
    'log_softmax': lambda a: jax.nn.log_softmax(a['x']),
    'stopped': lambda a: a['x'] * jax.lax.stop_gradient(jnp.tanh(a['x'])),
    'dropout': lambda a: jnp.where(jax.random.bernoulli(jax.random.key(7), 0.75, a['x'].shape), a['x'] / 0.75, 0),
    'rope': lambda a: rope(a['x'], jnp.arange(6), 1e4),
    'rope_positions': lambda a: rope(a['x'], a['positions'], 500.),
    'attention': lambda a: attention(a['q'], a['k'], a['v'], causal),
    'attention_full': lambda a: attention(a['q'], a['k'], a['v'], scale=0.5),
    'attention_grouped': lambda a: attention(a['q'], a['k'], a['v'], causal & ~jnp.tril(causal, -3)),
    'cross_entropy': lambda a: -jnp.take_along_axis(jax.nn.log_softmax(a['x']), a['labels'][..., None], -1)[..., 0],
    'narrow_labels': lambda a: -jnp.take_along_axis(jax.nn.log_softmax(a['x']), a['labels'][:, None].astype(int), -1)[:, 0],
    'experts': lambda a: experts(a, 4, 2, 1.25, swiglu_expert(a)),
    'experts_tight': lambda a: experts(a, 4, 1, 0.75, gelu_expert(a)),
}


def draw(rng, name, dtype, shape):
    if np.issubdtype(dtype, np.integer):
        return rng.integers(0, BELOW[name], shape).astype(dtype)
    a = rng.standard_normal(shape).astype(dtype)
    return np.abs(a) if name.endswith('variance') else a


@pytest.mark.parametrize('name', JAX)
def test_layer(name):
    text = text_of(name)
    program = weft.Program(text, name)
    names = text.split('\n')[0][3:].split(', ')
    for seed in range(2):
        rng = np.random.default_rng(seed)
        a = {n: draw(rng, n, dtype, shape) for n, (_, dtype, shape) in zip(names, program.inputs)}
        got = dict(zip((n.decode() for n, _, _ in program.outputs), program(*a.values())))
        floats = {n: v for n, v in a.items() if v.dtype == np.float32}

        def loss(floats):
            y = JAX[name](a | floats)
            return jnp.sum(y.ravel() * jnp.cos(jnp.arange(y.size))), y

        (_, y), gradient = jax.value_and_grad(loss, has_aux=True)({n: jnp.asarray(v) for n, v in floats.items()})
        want = {'y': y} | {'d ' + n: gradient[n] for n in floats}
        if name == 'batch_norm':                # the variables are not read, but moved
            x = a['x'].reshape(-1, 8)
            want |= {'n/mean': 0.9 * a['n/mean'] + 0.1 * x.mean(0), 'n/variance': 0.9 * a['n/variance'] + 0.1 * x.var(0)}
        for n, w in want.items():
            t = TOLERANCE.get(name, 2e-5)
            w = np.asarray(w)
            np.testing.assert_allclose(got[n], w, rtol=t, atol=t * max(1, np.abs(w).max()), err_msg='%s of %s, seed %d' % (n, name, seed))


def test_every_model_has_a_function():
    assert text_of('list').split() == list(JAX) + ['experts_wide']


def tool(tmp_path, text, *command):
    path = tmp_path / 'program.mlir'
    path.write_text(text)
    done = subprocess.run([WEFT, *command, str(path)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize('name', JAX)
def test_on_mesh(tmp_path, name):
    text = text_of(name, 'a=2, b=2')
    tool(tmp_path, text, 'verify')
    tool(tmp_path, text, 'verify', '--shardings=1:1')


def collectives(tmp_path, name):
    """Bytes that a device sends of each collective over each axis."""
    out = tool(tmp_path, text_of(name, 'a=2, b=2'), 'dryrun')
    rows = [line.split() for line in out.splitlines()]
    return {(row[0], row[1]): int(row[4]) for row in rows if len(row) == 5 and row[2].isdigit()}


def test_sharded_classes_send_no_logits(tmp_path):
    """Classes over b: a maximum, and a sum with the label's logit, for each of a device's 2 x 6 labels."""
    sent = collectives(tmp_path, 'cross_entropy')
    assert sent[('all_reduce', 'b')] == 3 * 12 * 4
    assert set(op for op, _ in sent) == {'all_reduce'}


def test_sharded_heads_send_nothing(tmp_path):
    """But the loss."""
    for name in ('attention', 'attention_grouped', 'rope'):
        assert all(op == 'all_reduce' and sent <= 8 for (op, _), sent in collectives(tmp_path, name).items())


def test_dropout_sends_nothing(tmp_path):
    assert all(op == 'all_reduce' and sent <= 8 for (op, _), sent in collectives(tmp_path, 'dropout').items())


def test_tokens_travel_to_experts(tmp_path):
    """Experts on the batch's axis, with more weights than tokens: there and back, forward and backward."""
    out = tool(tmp_path, text_of('experts_wide', 'a=4'), 'dryrun')
    rows = [line.split() for line in out.splitlines() if line.startswith('all_')]
    assert [row[:3] for row in rows if row[0] == 'all_to_all'] == [['all_to_all', 'a', '4']], out
