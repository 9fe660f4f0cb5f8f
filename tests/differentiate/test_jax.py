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


def run(case, option, inputs, results, folder):
    """Results of the case's program after this pass; the text of an error, if there is one."""
    for i, a in enumerate(inputs):
        np.save(os.path.join(folder, 'in%d.npy' % i), np.asarray(a))
    path = os.path.join(folder, 'f.mlir')
    with open(path, 'w') as f:
        f.write(jax.jit(case.function).lower(*case.arguments()).as_text())
    made = weft('opt', '--verify-each', '--%s=of=0 wrt=%s %s' % (option, ','.join(map(str, case.wrt)), case.options), path)
    if made.returncode:
        return None, made.stderr or 'exit status %d' % made.returncode
    with open(path, 'w') as f:
        f.write(made.stdout)
    ran = weft('run', '--inputs=' + folder, '--outputs=' + folder, path)
    if ran.returncode:
        return None, ran.stderr or 'exit status %d' % ran.returncode
    return [np.load(os.path.join(folder, 'out%d.npy' % i)) for i in range(results)], None


def wrong(case):
    """What is wrong with the case's gradients, or None."""
    args = case.arguments()
    value, grads = jax.jit(jax.value_and_grad(case.function, argnums=case.wrt))(*args)
    with tempfile.TemporaryDirectory() as folder:
        got, error = run(case, 'weft-differentiate', args, 1 + len(case.wrt), folder)
    return error.strip()[:600] if error else differs(case, got, [value, *grads])


def wrong_along(case):
    """What is wrong with the derivative along a random tangent, or None."""
    args = [np.asarray(a) for a in case.arguments()]
    rng = np.random.default_rng(len(args))
    tangents = [rng.standard_normal(args[i].shape).astype(args[i].dtype) for i in case.wrt]

    def varied(*some):
        every = list(args)
        for i, v in zip(case.wrt, some):
            every[i] = v
        return case.function(*every)
    want = jax.jvp(varied, tuple(args[i] for i in case.wrt), tuple(tangents))
    with tempfile.TemporaryDirectory() as folder:
        got, error = run(case, 'weft-differentiate-along', args + tangents, 2, folder)
    return error.strip()[:600] if error else differs(case, got, want)


def differs(case, got, want):
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


def test_functions_along():
    """Of three cases one, in ./check long all."""
    import pytest
    if jax is None:
        pytest.skip('JAX is not there')
    some = functions.CASES[::1 if int(os.environ.get('WEFT_LONG', '1')) > 1 else 3]
    bad = {c.name: wrong_along(c) for c in some}
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
            print(c.name, wrong(c) or wrong_along(c) or 'ok', flush=True)
