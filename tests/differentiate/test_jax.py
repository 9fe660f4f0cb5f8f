"""Gradients of StableHLO programs against jax.grad of the functions that JAX wrote them from.

Each function is lowered, differentiated by `weft opt --weft-differentiate`, verified after each pass, and run. From a command line:

    python tests/differentiate/test_jax.py NAME...     prints what differs, for all functions without names
"""
import os
import subprocess
import sys
import tempfile

WEFT = os.environ.get('WEFT', os.path.join(os.environ.get('top_builddir', os.getcwd()), 'weft'))

try:
    import jax
    import numpy as np
except ImportError:
    jax = None
else:
    jax.config.update('jax_enable_x64', True)
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import functions


def weft(*args):
    return subprocess.run([WEFT, *args], capture_output=True, text=True)


def gradients(case, folder):
    """Results and gradients by Weft; the text of an error, if there is one."""
    args = case.arguments()
    for i, a in enumerate(args):
        np.save(os.path.join(folder, 'in%d.npy' % i), np.asarray(a))
    text = jax.jit(case.function).lower(*args).as_text()
    path = os.path.join(folder, 'f.mlir')
    with open(path, 'w') as f:
        f.write(text)
    made = weft('opt', '--verify-each', '--weft-differentiate=of=0 wrt=%s %s' % (','.join(map(str, case.wrt)), case.options), path)
    if made.returncode:
        return None, made.stderr
    with open(path, 'w') as f:
        f.write(made.stdout)
    ran = weft('run', '--inputs=' + folder, '--outputs=' + folder, path)
    if ran.returncode:
        return None, ran.stderr
    n = 1 + len(case.wrt)
    return [np.load(os.path.join(folder, 'out%d.npy' % i)) for i in range(n)], None


def wrong(case):
    """What is wrong with the case, or None."""
    args = case.arguments()
    value, grads = jax.jit(jax.value_and_grad(case.function, argnums=case.wrt))(*args)
    want = [value, *grads]
    with tempfile.TemporaryDirectory() as folder:
        got, error = gradients(case, folder)
    if error:
        return error.strip()[:600]
    for i, (g, w) in enumerate(zip(got, want)):
        w = np.asarray(w)
        if g.shape != w.shape:
            return 'result %d: shape %s, not %s' % (i, g.shape, w.shape)
        if w.dtype.name == 'bfloat16':
            g, w = g.astype('f4'), w.astype('f4')
        if not np.allclose(g, w, rtol=case.rtol, atol=case.rtol * max(1e-12, np.abs(w).max(initial=0)), equal_nan=True):
            return 'result %d: differs by %g of %g' % (i, np.abs(g - w).max(), np.abs(w).max())
    return None


def test_functions():
    import pytest
    if jax is None:
        pytest.skip('JAX is not there')
    bad = {c.name: wrong(c) for c in functions.CASES}
    bad = {k: v for k, v in bad.items() if v}
    assert not bad, '\n'.join('%s: %s' % b for b in bad.items())


def test_twice():
    """The pass over its own result: the second derivative, through a loop and a branch."""
    import pytest
    if jax is None:
        pytest.skip('JAX is not there')
    jnp = jax.numpy

    def f(x):
        def step(c, v):
            c = jnp.sin(c * v) * x + jax.lax.cond(c > 0, lambda c: jnp.cos(c), lambda c: c * c, c)
            return c, c
        c, ys = jax.lax.scan(step, x, jnp.arange(1., 5.))
        return c + jnp.sum(jax.nn.softmax(ys) * ys)
    x = 0.7
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'f.mlir')
        text = jax.jit(f).lower(x).as_text()
        for of in range(2):
            with open(path, 'w') as out:
                out.write(text)
            made = weft('opt', '--verify-each', '--weft-differentiate=of=%d' % of, path)
            assert not made.returncode, made.stderr
            text = made.stdout
        with open(path, 'w') as out:
            out.write(text)
        np.save(os.path.join(folder, 'in0.npy'), np.float64(x))
        ran = weft('run', '--inputs=' + folder, '--outputs=' + folder, path)
        assert not ran.returncode, ran.stderr
        got = [float(np.load(os.path.join(folder, 'out%d.npy' % i))) for i in range(3)]
    np.testing.assert_allclose(got, [f(x), jax.grad(f)(x), jax.grad(jax.grad(f))(x)], rtol=1e-12)


if __name__ == '__main__':
    for c in functions.CASES:
        if len(sys.argv) < 2 or c.name in sys.argv[1:]:
            print(c.name, wrong(c) or 'ok', flush=True)
