"""examples/gpt.c against the same model, batches and optimizer in JAX: the losses of 200 steps, from the same weights.

The program saves its first weights as a checkpoint of safetensors, which JAX starts from.
"""
import glob
import json
import os
import re
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get('top_builddir') or os.path.join(HERE, '../../build')
TEXT = os.path.join(HERE, '../../examples/gpt/text.txt')
STEPS, LAYERS, HEADS, DIM, TOKENS, BATCH, SEED, RATE, WARMUP = 200, 2, 4, 32, 16, 8, 1, 3e-3, 10
SHAPE = ['--layers', LAYERS, '--heads', HEADS, '--dim', DIM, '--tokens', TOKENS, '--batch', BATCH, '--steps', STEPS, '--warmup', WARMUP, '--every', 1]
KINDS = {'gpt2': [], 'llama': ['--llama', '--kv-heads', 2], 'micro-batches': ['--micro', 4], 'unrolled': ['--unrolled']}
ON_MESHES = {'gpt2': ['--mesh', 'data=2,model=2', '--strategy', 'dp,fsdp,tp,sp'], 'llama': ['--mesh', 'data=2', '--strategy', 'dp,fsdp']}

# Each strategy, alone and with others, on 2, 4 and 8 devices: in ./check long.
STRATEGIES = ['data=2 dp', 'data=2 dp,fsdp', 'data=1,model=2 tp', 'data=1,model=2 tp,sp', 'data=4 dp', 'data=4 dp,fsdp', 'data=2,model=2 dp,tp',
              'data=2,model=2 dp,tp,sp', 'data=2,model=2 dp,fsdp,tp', 'data=1,model=4 tp,sp', 'data=8 dp', 'data=8 dp,fsdp', 'data=4,model=2 dp,tp,sp',
              'data=2,model=4 dp,fsdp,tp,sp']


def gpt(*flags):
    command = [os.path.join(BUILD, 'examples/gpt/gpt'), TEXT, *map(str, SHAPE), *map(str, flags)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout + done.stderr
    return [float(x) for x in re.findall(r'loss ([0-9.]+)', done.stdout)]


def arrays(folder):
    """All arrays of a folder of safetensors: a length, JSON, data."""
    found = {}
    for path in glob.glob(os.path.join(folder, '*.safetensors')):
        data = open(path, 'rb').read()
        n = int.from_bytes(data[:8], 'little')
        for name, a in json.loads(data[8:8 + n]).items():
            if name != '__metadata__':
                dtype = {'F32': np.float32, 'I32': np.int32}[a['dtype']]
                found[name] = np.frombuffer(data[8 + n:][slice(*a['data_offsets'])], dtype).reshape(a['shape'])
    return found


def mixed(x):
    mask = 2 ** 64 - 1
    x = (x + 0x9e3779b97f4a7c15) & mask
    x = ((x ^ (x >> 30)) * 0xbf58476d1ce4e5b9) & mask
    x = ((x ^ (x >> 27)) * 0x94d049bb133111eb) & mask
    return x ^ (x >> 31)


def batch(text, step):
    places = len(text) - len(text) // 10 - TOKENS
    at = [mixed(SEED << 40 ^ (step * BATCH + b)) % places for b in range(BATCH)]
    return np.stack([text[a:a + TOKENS] for a in at]), np.stack([text[a + 1:a + 1 + TOKENS] for a in at])


def norm(x, p, name):
    if name + '/bias' not in p:
        return x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * p[name + '/scale']
    x = x - x.mean(-1, keepdims=True)
    return x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * p[name + '/scale'] + p[name + '/bias']


def rope(x):
    half = x.shape[3] // 2
    angle = jnp.arange(x.shape[1])[:, None] * 1e4 ** (-jnp.arange(half) / half)
    cos, sin = jnp.cos(angle)[:, None], jnp.sin(angle)[:, None]
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def block(h, p, llama):
    n = norm(h, p, 'norm1')
    bias = (lambda x: 0) if llama else lambda x: p[x + '/bias']
    q, k, v = (jnp.einsum('bti,ihd->bthd', n, p[x + '/weight']) + bias(x) for x in 'qkv')
    if llama:
        q, k = rope(q), rope(k)
    k, v = (jnp.repeat(x, q.shape[2] // x.shape[2], 2) for x in (k, v))
    scores = jnp.where(jnp.tril(jnp.ones((TOKENS, TOKENS), bool)), jnp.einsum('bthd,bshd->bhts', q, k) * q.shape[3] ** -0.5, -jnp.inf)
    h = h + jnp.einsum('bhts,bshd,hdo->bto', jax.nn.softmax(scores), v, p['out/weight']) + bias('out')
    n = norm(h, p, 'norm2')
    up = n @ p['mlp/up/weight'] + bias('mlp/up')
    up = jax.nn.silu(n @ p['mlp/gate/weight']) * up if llama else jax.nn.gelu(up)
    return h + up @ p['mlp/down/weight'] + bias('mlp/down')


def layer(p, i):
    stacked = {n[7:]: v[i] for n, v in p.items() if re.match(r'blocks/[^0-9]', n)}
    return stacked or {n[len('blocks/%d/' % i):]: v for n, v in p.items() if n.startswith('blocks/%d/' % i)}


def loss(p, x, y):
    llama = 'head/weight' in p
    h = p['embed/weight'][x] + (0 if llama else p['positions'])
    for i in range(LAYERS):
        h = block(h, layer(p, i), llama)
    h = norm(h, p, 'norm')
    out = jax.nn.log_softmax(h @ (p['head/weight'] if llama else p['embed/weight'].T))
    return -jnp.take_along_axis(out, y[..., None], -1).mean()


@jax.jit
def train(p, m, v, t, x, y):
    """Step t, from 0: the loss before it, and the state after it."""
    value, d = jax.value_and_grad(loss)(p, x, y)
    size = jnp.sqrt(sum((g * g).sum() for g in d.values()))
    rate = jnp.where(t < WARMUP, RATE * (t + 1) / WARMUP,
                     RATE / 10 + RATE * 0.9 * (1 + jnp.cos(jnp.pi * jnp.minimum(1, (t - WARMUP) / (STEPS - WARMUP)))) / 2)
    for n in p:
        g = d[n] / jnp.maximum(1, size)
        m, v = m | {n: 0.9 * m[n] + 0.1 * g}, v | {n: 0.95 * v[n] + 0.05 * g * g}
        change = m[n] / (1 - 0.9 ** (t + 1)) / (jnp.sqrt(v[n] / (1 - 0.95 ** (t + 1))) + 1e-8)
        p = p | {n: p[n] - rate * (change + (0.1 * p[n] if n.endswith('weight') else 0))}
    return value, p, m, v


def by_jax(folder):
    text = np.frombuffer(open(TEXT, 'rb').read(), np.uint8).astype(np.int32)
    p = {n: jnp.asarray(a) for n, a in arrays(folder).items() if n != 'step' and not n.startswith('adamw/')}
    m = {n: jnp.zeros_like(a) for n, a in p.items()}
    v, losses = m, []
    for step in range(STEPS):
        value, p, m, v = train(p, m, v, jnp.float32(step), *batch(text, step))
        losses.append(float(value))
    return losses


@pytest.mark.parametrize('kind', KINDS)
def test_losses_are_those_of_jax(kind, tmp_path):
    gpt(*KINDS[kind], '--save', tmp_path, '--stop', 0)
    want = by_jax(tmp_path / 'step-00000000')
    got = gpt(*KINDS[kind])
    assert len(got) == STEPS and got[-1] < got[0] / 1.5
    np.testing.assert_allclose(got, want, rtol=1e-3)
    if kind in ON_MESHES:
        np.testing.assert_allclose(gpt(*KINDS[kind], *ON_MESHES[kind]), got, rtol=1e-5, atol=2e-6)


@pytest.mark.skipif(int(os.environ.get('WEFT_LONG', '1')) <= 1, reason='in ./check long')
@pytest.mark.parametrize('kind', ['gpt2', 'llama'])
def test_every_strategy(kind, tmp_path):
    """Of JAX within 1e-3, of one device and so of each other within 1e-5."""
    gpt(*KINDS[kind], '--save', tmp_path, '--stop', 0)
    want, alone = by_jax(tmp_path / 'step-00000000'), gpt(*KINDS[kind])
    for mesh, strategy in map(str.split, STRATEGIES):
        got = gpt(*KINDS[kind], '--mesh', mesh, '--strategy', strategy)
        np.testing.assert_allclose(got, want, rtol=1e-3, err_msg=f'{mesh} {strategy}, and JAX')
        np.testing.assert_allclose(got, alone, rtol=1e-5, atol=2e-6, err_msg=f'{mesh} {strategy}, and one device')
