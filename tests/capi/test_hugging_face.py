"""examples/gpt.c begins with weights in Hugging Face's layout, of GPT-2 and of Llama: its loss is that of models in
NumPy, on every mesh.

Losses of gpt.c with such weights were compared with those of the models of `transformers` 5.24.0, too: equal to
2e-5.
"""
import json
import os
import shutil
import subprocess

import numpy as np
import pytest

safetensors = pytest.importorskip('safetensors.numpy')
torch = pytest.importorskip('torch')
save_torch = pytest.importorskip('safetensors.torch').save_file

GPT = os.path.join(os.environ.get('top_builddir', '.'), 'examples/gpt/gpt')
VOCABULARY, DIM, LAYERS, HEADS, GROUPS, HIDDEN, TOKENS, BATCH = 96, 48, 3, 4, 2, 80, 32, 8


def norm(x, scale, bias=None):
    mean = 0 if bias is None else x.mean(-1, keepdims=True)
    y = (x - mean) / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * scale
    return y if bias is None else y + bias


def turned(x):
    half = x.shape[-1] // 2
    angle = np.arange(x.shape[1])[:, None] * 10000.0 ** (-np.arange(half) / half)
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * c - b * s, b * c + a * s], -1)


def attended(q, k, v):
    k, v = (np.repeat(x, q.shape[2] // x.shape[2], 2) for x in (k, v))
    p = np.einsum('bihd,bjhd->bhij', q, k) / np.sqrt(q.shape[-1])
    p = np.exp(np.where(np.tri(q.shape[1], dtype=bool), p, -np.inf) - p.max(-1, keepdims=True))
    return np.einsum('bhij,bjhd->bihd', p / p.sum(-1, keepdims=True), v).reshape(*q.shape[:2], -1)


def heads(x):
    return x.reshape(*x.shape[:2], -1, DIM // HEADS)


def gpt2(w, x):
    h = w['wte.weight'][x] + w['wpe.weight'][:x.shape[1]]
    for i in range(LAYERS):
        p = {k.removeprefix('h.%d.' % i): v for k, v in w.items() if k.startswith('h.%d.' % i)}
        a = norm(h, p['ln_1.weight'], p['ln_1.bias']) @ p['attn.c_attn.weight'] + p['attn.c_attn.bias']
        h = h + attended(*map(heads, np.split(a, 3, -1))) @ p['attn.c_proj.weight'] + p['attn.c_proj.bias']
        m = norm(h, p['ln_2.weight'], p['ln_2.bias']) @ p['mlp.c_fc.weight'] + p['mlp.c_fc.bias']
        m = m / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (m + 0.044715 * m ** 3)))
        h = h + m @ p['mlp.c_proj.weight'] + p['mlp.c_proj.bias']
    return norm(h, w['ln_f.weight'], w['ln_f.bias']) @ w['wte.weight'].T


def llama(w, x):
    h = w['embed_tokens.weight'][x]
    for i in range(LAYERS):
        layer = 'layers.%d.' % i
        p = {k.removeprefix(layer).removesuffix('.weight'): v for k, v in w.items() if k.startswith(layer)}
        a = norm(h, p['input_layernorm'])
        q, k, v = (heads(a @ p['self_attn.%s_proj' % n].T) for n in 'qkv')
        h = h + attended(turned(q), turned(k), v) @ p['self_attn.o_proj'].T
        a = norm(h, p['post_attention_layernorm'])
        gate = a @ p['mlp.gate_proj'].T
        h = h + (gate / (1 + np.exp(-gate)) * (a @ p['mlp.up_proj'].T)) @ p['mlp.down_proj'].T
    return norm(h, w['norm.weight']) @ w.get('lm_head.weight', w['embed_tokens.weight']).T


def shapes_of_gpt2():
    yield from [('wte.weight', (VOCABULARY, DIM)), ('wpe.weight', (TOKENS + 8, DIM))]
    yield from [('ln_f.weight', (DIM,)), ('ln_f.bias', (DIM,))]
    for i in range(LAYERS):
        for name, inputs, outputs in [('attn.c_attn', DIM, 3 * DIM), ('attn.c_proj', DIM, DIM),
                                      ('mlp.c_fc', DIM, 4 * DIM), ('mlp.c_proj', 4 * DIM, DIM)]:
            yield from [('h.%d.%s.weight' % (i, name), (inputs, outputs)), ('h.%d.%s.bias' % (i, name), (outputs,))]
        for name in ('ln_1', 'ln_2'):
            yield from [('h.%d.%s.weight' % (i, name), (DIM,)), ('h.%d.%s.bias' % (i, name), (DIM,))]


def shapes_of_llama(head):
    yield from [('embed_tokens.weight', (VOCABULARY, DIM)), ('norm.weight', (DIM,))]
    if head:
        yield 'lm_head.weight', (VOCABULARY, DIM)
    for i in range(LAYERS):
        shared = DIM * GROUPS // HEADS
        for name, outputs, inputs in [('self_attn.q_proj', DIM, DIM), ('self_attn.k_proj', shared, DIM),
                                      ('self_attn.v_proj', shared, DIM), ('self_attn.o_proj', DIM, DIM),
                                      ('mlp.gate_proj', HIDDEN, DIM), ('mlp.up_proj', HIDDEN, DIM),
                                      ('mlp.down_proj', DIM, HIDDEN)]:
            yield 'layers.%d.%s.weight' % (i, name), (outputs, inputs)
        for name in ('input_layernorm', 'post_attention_layernorm'):
            yield 'layers.%d.%s.weight' % (i, name), (DIM,)


def weights(shapes, dtype):
    """Values that the type holds, as torch's and as f64."""
    rng = np.random.default_rng(7)
    w = {name: torch.tensor(rng.standard_normal(shape) * 0.15 + (len(shape) == 1)).to(dtype)
         for name, shape in shapes}
    return w, {name: t.double().numpy() for name, t in w.items()}


def save(folder, w, prefix, files):
    """One file, or several with an index; the head of a model has no prefix."""
    full = {('' if name == 'lm_head.weight' else prefix) + name: t for name, t in w.items()}
    if files == 1:
        return save_torch(full, os.path.join(folder, 'model.safetensors'))
    where = {name: 'model-%05d-of-%05d.safetensors' % (i % files + 1, files) for i, name in enumerate(full)}
    for file in set(where.values()):
        save_torch({n: t for n, t in full.items() if where[n] == file}, os.path.join(folder, file))
    with open(os.path.join(folder, 'model.safetensors.index.json'), 'w') as f:
        json.dump({'metadata': {'total_size': 1}, 'weight_map': where}, f)


def tokens(folder):
    t = np.random.default_rng(3).integers(0, VOCABULARY, BATCH * TOKENS + 1).astype(np.uint16)
    np.save(os.path.join(folder, 'tokens.npy'), t)
    x = t[:-1].reshape(BATCH, TOKENS).astype(int)
    return x, t[1:].reshape(BATCH, TOKENS).astype(int)


def train(folder, flags, ranks=1):
    """The loss of the first batch, which is all windows of the file."""
    launcher = ['mpirun', '-n', str(ranks)] if ranks > 1 else []
    sizes = ['--vocabulary', VOCABULARY, '--dim', DIM, '--layers', LAYERS, '--heads', HEADS, '--tokens', TOKENS]
    steps = ['--batch', BATCH, '--steps', 3, '--stop', 1, '--peak', '1e9']
    words = [*launcher, GPT, os.path.join(folder, 'tokens.npy'), *sizes, *steps, '--load', folder, *flags]
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL)


def loss(logits, y):
    logits = logits - logits.max(-1, keepdims=True)
    return (np.log(np.exp(logits).sum(-1)) - np.take_along_axis(logits, y[..., None], -1)[..., 0]).mean()


OF_LLAMA = ['--llama', '--kv-heads', GROUPS, '--hidden', HIDDEN]
EVERY = ['--mesh', 'data=2,model=2', '--strategy', 'dp,fsdp,tp,sp']
CASES = {
    'gpt2': (gpt2, shapes_of_gpt2(), 'transformer.', 'float32', 1, [], 1),
    'gpt2_one_by_one': (gpt2, shapes_of_gpt2(), '', 'float16', 3, ['--unrolled', *EVERY], 1),
    'gpt2_sharded': (gpt2, shapes_of_gpt2(), '', 'bfloat16', 5, EVERY, 4),
    'gpt2_in_three': (gpt2, shapes_of_gpt2(), 'transformer.', 'bfloat16', 2,
                      ['--mesh', 'data=1,model=3', '--strategy', 'tp'], 3),
    'llama': (llama, shapes_of_llama(True), 'model.', 'float32', 1, OF_LLAMA, 1),
    'llama_tied': (llama, shapes_of_llama(False), 'model.', 'bfloat16', 4, [*OF_LLAMA, *EVERY], 4),
    'llama_one_by_one': (llama, shapes_of_llama(True), '', 'float16', 2,
                         [*OF_LLAMA, '--unrolled', '--mesh', 'data=2', '--strategy', 'fsdp'], 2),
}


@pytest.mark.parametrize('name', CASES)
def test_loss(tmp_path, name):
    model, shapes, prefix, dtype, files, flags, ranks = CASES[name]
    if ranks > 1 and not shutil.which('mpirun'):
        pytest.skip('no mpirun')
    stored, w = weights(shapes, getattr(torch, dtype))
    save(str(tmp_path), stored, prefix, files)
    x, y = tokens(str(tmp_path))
    done = train(str(tmp_path), flags, ranks)
    assert done.returncode == 0, done.stderr
    assert abs(float(done.stdout.split()[3]) - loss(model(w, x), y)) < 2e-5


@pytest.mark.parametrize('change, said', [
    (lambda w: w.pop('h.1.mlp.c_fc.weight'),
     "has no array 'h.{}.mlp.c_fc.weight' of number 1, which is part of 'blocks/mlp/up/weight', 3x48x192xf32"),
    (lambda w: w.pop('wte.weight'), "has no array 'wte.weight', which 'embed/weight' is stored as"),
    (lambda w: w.update({'wpe.weight': torch.zeros(TOKENS - 1, DIM)}),
     "is 31x48xf32: the elements that its row takes are not in it"),
    (lambda w: w.update({'h.2.ln_1.weight': torch.zeros(DIM + 1)}), "is 49xf32: it is not like the one of number 0"),
    (lambda w: w.update({'h.3.ln_1.weight': torch.zeros(DIM)}), "is 48xf32: there are more of them"),
    (lambda w: w.update({'wte.weight': torch.zeros(VOCABULARY, DIM, dtype=torch.int32)}),
     "is 96x48xi32: only floats are converted"),
])
def test_other_models(tmp_path, change, said):
    stored, _ = weights(shapes_of_gpt2(), torch.float32)
    change(stored)
    save(str(tmp_path), stored, '', 1)
    tokens(str(tmp_path))
    done = train(str(tmp_path), [])
    assert done.returncode == 1 and said in done.stderr and done.stderr.count('error:') == 1, done.stderr
