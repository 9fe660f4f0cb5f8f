"""Arrays that are left unreduced between programs: each device has a term, and their sum is the array."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

n = jax.device_count()
mesh = Mesh(np.array(jax.devices()), ('x',), axis_types=(AxisType.Explicit,))
terms = P(None, None, unreduced={'x'})


def total(a):
    """The sum of what the devices have."""
    return sum(np.asarray(s.data, np.float64) for s in a.addressable_shards)


def check(a, want):
    assert a.sharding == NamedSharding(mesh, terms), a.sharding
    np.testing.assert_allclose(total(a), want, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(np.asarray(jax.reshard(a, P())), want, rtol=1e-5, atol=1e-5)


rng = np.random.default_rng(1)
left, right = (rng.standard_normal(s).astype(np.float32) for s in ((6, 4 * n), (4 * n, 8)))
with jax.set_mesh(mesh):
    x, y = jax.device_put(left, P(None, 'x')), jax.device_put(right, P('x', None))
    product = jax.jit(lambda x, y: jnp.einsum('ij,jk->ik', x, y, out_sharding=terms))(x, y)
    check(product, left @ right)
    if n > 1:  # no device has the sum: nothing was sent
        for i, s in enumerate(product.addressable_shards):
            part = slice(4 * i, 4 * i + 4)
            np.testing.assert_allclose(np.asarray(s.data), left[:, part] @ right[part], rtol=1e-5, atol=1e-5)

    # Into a program and out of it, and through ops that are linear.
    check(jax.jit(lambda a: a + a)(product), 2 * left @ right)
    check(jax.jit(lambda a, b: jnp.concatenate([a[:3], b[3:]]))(product, product), left @ right)
    check(jax.jit(lambda p, a: jax.lax.select(p, a, a + a))(False, product), 2 * left @ right)
    donated = jax.jit(lambda a: a + a, donate_argnums=0)(jax.jit(lambda a: a + a)(product))
    check(donated, 4 * left @ right)
    whole = jax.jit(lambda a: jnp.tanh(jax.reshard(a, P())))(product)
    np.testing.assert_allclose(np.asarray(whole), np.tanh(left @ right), rtol=1e-4, atol=1e-5)

    # Complete values as terms: of one device, or of each its part.
    ones = np.arange(2 * 8 * n, dtype=np.float32).reshape(2, 8 * n)
    check(jax.device_put(jnp.asarray(ones), terms), ones)
    check(jax.reshard(jax.device_put(ones, P(None, 'x')), terms), ones)
    check(jnp.zeros((3, 4), np.float32, out_sharding=terms), np.zeros((3, 4)))

    # Gradients that pile up without being summed.
    w = jax.device_put(right[:4], P(None, None, reduced={'x'}))
    batch = jax.device_put(rng.standard_normal((2 * n, 4)).astype(np.float32), P('x', None))
    grad = jax.jit(jax.grad(lambda w, b: jnp.sum((b @ w) ** 2)))
    g = grad(w, batch)
    check(g, np.asarray(jax.jit(jax.grad(lambda w: jnp.sum((np.asarray(batch) @ w) ** 2)))(right[:4])))

    # The gradient of a slice is a pad, of terms around which there are zeros.
    cut = jax.jit(jax.grad(lambda w, b: jnp.sum((b @ jax.lax.slice(w, (0, 1), (4, 7))) ** 2)))
    want = jax.grad(lambda w: jnp.sum((np.asarray(batch) @ w[:, 1:7]) ** 2))(jnp.asarray(right[:4]))
    check(cut(w, batch), np.asarray(want))
