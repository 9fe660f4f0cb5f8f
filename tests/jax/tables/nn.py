"""jax.nn and small models."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import nn

from cases import bf16, case, f16, f32, i32, pred

ACTIVATIONS = ('relu relu6 sigmoid softplus sparse_plus sparse_sigmoid soft_sign silu swish log_sigmoid leaky_relu hard_sigmoid hard_silu '
               'hard_tanh elu celu selu gelu glu squareplus mish identity softmax log_softmax logsumexp standardize').split()


def norm(x, g, b):
    m = x.mean(-1, keepdims=True)
    return (x - m) * jax.lax.rsqrt(((x - m) ** 2).mean(-1, keepdims=True) + 1e-5) * g + b


def attention(q, k, v):
    s = jnp.einsum('bqhd,bkhd->bhqk', q, k) / np.sqrt(q.shape[-1])
    return jnp.einsum('bhqk,bkhd->bqhd', nn.softmax(jnp.where(jnp.tri(q.shape[1], dtype=bool), s, -1e9)), v)


def loss(w1, w2, x, y):
    return -(nn.one_hot(y, w2.shape[1]) * nn.log_softmax(nn.gelu(x @ w1) @ w2)).sum(-1).mean()


CASES = [case('nn.%s %s' % (name, n), getattr(nn, name), t(4, 6)) for name in ACTIVATIONS for n, t in (('f32', f32), ('bf16', bf16))]
CASES += [case('grad of nn.' + name, jax.grad(lambda x, f=getattr(nn, name): jnp.sin(f(x)).sum()), f32(4, 6)) for name in ACTIVATIONS]
CASES += [
    case('nn.gelu exact', lambda x: nn.gelu(x, approximate=False), f32(4, 6)),
    case('nn.softmax where', lambda x, p: nn.softmax(x, where=p), f32(3, 5), np.tri(3, 5, 1, bool)),
    case('nn.softmax axis 0', lambda x: nn.softmax(x, 0), f16(3, 5)),
    case('nn.one_hot', lambda i: nn.one_hot(i, 5), np.int32([0, 4, -1, 7])),
    case('nn.one_hot bf16', lambda i: nn.one_hot(i, 5, dtype=jnp.bfloat16, axis=0), i32(2, 3).within(0, 4)),
    case('nn.dot_product_attention', nn.dot_product_attention, f32(2, 5, 4, 8), f32(2, 7, 4, 8), f32(2, 7, 4, 8)),
    case('nn.dot_product_attention causal', lambda q, k, v: nn.dot_product_attention(q, k, v, is_causal=True), f32(2, 5, 4, 8), f32(2, 5, 2, 8), f32(2, 5, 2, 8)),
    case('nn.initializers', lambda: [nn.initializers.glorot_normal()(jax.random.PRNGKey(0), (4, 5)), nn.initializers.he_uniform()(jax.random.PRNGKey(1), (4, 5)),
                                     nn.initializers.lecun_normal()(jax.random.PRNGKey(2), (4, 5))]),
    case('nn.initializers.orthogonal', lambda: (lambda q: q @ q.T)(nn.initializers.orthogonal()(jax.random.PRNGKey(0), (4, 4))), atol=1e-5, why='the identity from rounded factors'),
    case('layer norm', norm, f32(4, 16), f32(16), f32(16)),
    case('grad of layer norm', jax.grad(lambda *a: (norm(*a) ** 3).sum(), (0, 1, 2)), f32(4, 16), f32(16), f32(16)),
    case('attention', attention, f32(2, 6, 2, 4), f32(2, 6, 2, 4), f32(2, 6, 2, 4)),
    case('grad of attention', jax.grad(lambda *a: (attention(*a) ** 2).sum(), (0, 1, 2)), f32(2, 6, 2, 4), f32(2, 6, 2, 4), f32(2, 6, 2, 4)),
    case('grad of a classifier', jax.value_and_grad(loss, (0, 1)), f32(6, 8), f32(8, 5), f32(7, 6), i32(7).within(0, 4)),
    case('grad of a classifier bf16', jax.value_and_grad(loss, (0, 1)), bf16(6, 8), bf16(8, 5), bf16(7, 6), i32(7).within(0, 4),
         rtol=5e-2, why='a chain of some ten bf16 roundings'),
    case('adam step', lambda p, m, v, g: (lambda m, v: (p - 1e-3 * (m / (1 - 0.9)) / (jnp.sqrt(v / (1 - 0.999)) + 1e-8), m, v))(0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g),
         f32(5, 6), f32(5, 6), f32(5, 6).within(0, 1), f32(5, 6)),
    case('conv net', lambda x, w, b: nn.relu(jax.lax.conv_general_dilated(x, w, (1, 1), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC')) + b).mean((1, 2)),
         f32(2, 8, 8, 3), f32(3, 3, 3, 4), f32(4)),
    case('grad of conv net', jax.grad(lambda x, w, b: (jax.lax.reduce_window(nn.relu(jax.lax.conv_general_dilated(x, w, (1, 1), 'SAME',
         dimension_numbers=('NHWC', 'HWIO', 'NHWC')) + b), -np.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID') ** 2).sum(), (1, 2)),
         f32(2, 8, 8, 3), f32(3, 3, 3, 4), f32(4)),
    case('dropout', lambda x: jnp.where(jax.random.bernoulli(jax.random.PRNGKey(3), 0.8, x.shape), x / 0.8, 0), f32(5, 6)),
]
