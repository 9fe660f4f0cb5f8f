"""Derivatives on several devices: of a manual computation with each collective, against jax.grad of the same shard_map; and the bytes that devices
send for the gradients of a sharded model, which are to be no more than XLA's for JAX's gradients.

From a command line: python tests/differentiate/test_devices.py     prints the bytes
"""
import json
import math
import os
import re
import subprocess
import sys
import tempfile

WEFT = os.environ.get('WEFT', os.path.join(os.environ.get('top_builddir', os.getcwd()), 'weft'))

try:
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
except ImportError:
    jax = None


def need_jax():
    import pytest
    if jax is None:
        pytest.skip('JAX is not there')
    jax.config.update('jax_enable_x64', True)


def mesh_of(sizes):
    return jax.make_mesh(tuple(sizes.values()), tuple(sizes), axis_types=(AxisType.Auto,) * len(sizes))


def differentiate(function, args, wrt, folder):
    path = os.path.join(folder, 'f.mlir')
    with open(path, 'w') as f:
        f.write(jax.jit(function).lower(*args).as_text())
    made = subprocess.run([WEFT, 'opt', '--verify-each', '--weft-differentiate=of=0 wrt=' + ','.join(map(str, wrt)), path],
                          capture_output=True, text=True)
    assert not made.returncode, made.stderr
    with open(path, 'w') as f:
        f.write(made.stdout)
    return path


def weighed(x):
    return jnp.sum(x * jnp.cos(jnp.arange(x.size).reshape(x.shape)))


def test_manual_computation():
    need_jax()
    mesh = mesh_of({'x': 2, 'y': 2})

    def inner(a, w, v):
        h = jnp.tanh(a @ w)
        s = jax.lax.psum(h @ v, 'y')
        g = jax.lax.all_gather(s, 'x', axis=0, tiled=True)
        r = jax.lax.psum_scatter(g * g, 'x', scatter_dimension=0, tiled=True)
        q = jax.lax.ppermute(s, 'x', [(0, 1), (1, 0)])
        t = jax.lax.all_to_all(h, 'y', 1, 0, tiled=True)
        return s * r + q, jnp.sin(t)

    f = jax.shard_map(inner, mesh=mesh, in_specs=(P('x', None), P(None, 'y'), P('y', None)),
                      out_specs=(P('x', None), P(('x', 'y'), None)))

    def loss(a, w, v):
        y, t = f(a, w, v)
        return weighed(y) + weighed(t)

    rng = np.random.default_rng(0)
    args = [rng.standard_normal(s) for s in ((4, 3), (3, 4), (4, 6))]
    value, grads = jax.jit(jax.value_and_grad(loss, argnums=(0, 1, 2)))(*args)
    with tempfile.TemporaryDirectory() as folder:
        path = differentiate(loss, args, (0, 1, 2), folder)
        for i, a in enumerate(args):
            np.save(os.path.join(folder, 'in%d.npy' % i), a)
        ran = subprocess.run([WEFT, 'run', '--inputs=' + folder, '--outputs=' + folder, path], capture_output=True, text=True)
        assert not ran.returncode, ran.stderr
        for i, want in enumerate([value, *grads]):
            np.testing.assert_allclose(np.load(os.path.join(folder, 'out%d.npy' % i)), np.asarray(want), rtol=1e-10, atol=1e-10)


# ---- bytes ----

SIZES = {'data': 2, 'model': 4}
RULES = {  # of parameters: embedding, first and second weight of a layer; of tokens; of activations
    'dp': (P(), P(), P(), P(('data', 'model')), P(('data', 'model'))),
    'tp': (P('model'), P(None, 'model'), P('model'), P('data'), P('data')),
    'fsdp': (P(None, ('data', 'model')), P(('data', 'model')), P(None, ('data', 'model')), P(('data', 'model')), P(('data', 'model'))),
}


def model(mesh, rule, e, ws, vs, x):
    def layer(h, w):
        y = jax.nn.gelu(h @ w[0]) @ w[1]
        h = jax.lax.with_sharding_constraint(h + y, NamedSharding(mesh, rule[4]))
        return h / jnp.sqrt(1 + jnp.mean(h * h, -1, keepdims=True)), None
    h, _ = jax.lax.scan(layer, e[x], (ws, vs))
    p = jax.nn.log_softmax(h @ e.T)
    return -jnp.mean(jnp.take_along_axis(p, x[..., None], -1))


def wire_bytes(hlo, devices):
    """What a device sends in a compiled module by the best algorithms; bodies of loops as often as they run."""
    bodies, name, entry = {}, None, None
    for line in hlo.splitlines():
        head = re.match(r'(ENTRY )?%?([\w.\-]+) .*\{$', line)
        if head and not line.startswith(' '):
            name = head.group(2)
            bodies[name] = []
            entry = name if head.group(1) else entry
        elif name:
            bodies[name].append(line)
    width = {'f32': 4, 's32': 4, 'pred': 1, 'f64': 8, 's64': 8, 'u32': 4}

    def size(text):
        return sum(width[t] * math.prod(int(n) for n in dims.split(',') if n) for t, dims in re.findall(r'\b([a-z]+\d*)\[([\d,]*)\]', text))

    def group(line):
        listed = re.search(r'replica_groups=\{\{([\d,]+)\}', line)
        tiled = re.search(r'replica_groups=\[(\d+),(\d+)\]', line)
        return len(listed.group(1).split(',')) if listed else int(tiled.group(2)) if tiled else devices

    def visit(body, times):
        total = 0
        for line in bodies.get(body, []):
            op = re.match(r'\s+(?:ROOT )?%?[\w.\-]+ = (.*?) ([\w\-]+)\(', line)
            if not op:
                continue
            b, n, kind = size(op.group(1)), group(line), op.group(2)
            total += times * {'all-reduce': 2 * b * (n - 1) / n, 'all-gather': b * (n - 1) / n, 'reduce-scatter': b * (n - 1),
                              'all-to-all': b * (n - 1) / n, 'collective-permute': b}.get(kind, 0)
            if kind == 'while':
                trips = re.search(r'known_trip_count[^\d]*(\d+)', line)
                total += visit(re.search(r'body=%?([\w.\-]+)', line).group(1), times * (int(trips.group(1)) if trips else 1))
        return total
    return visit(entry, 1)


def bytes_of(strategy):
    mesh, rule = mesh_of(SIZES), RULES[strategy]

    def of(shape, dtype, spec):
        return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, spec))
    args = (of((64, 32), 'f4', rule[0]), of((3, 32, 128), 'f4', P(None, *rule[1])), of((3, 128, 32), 'f4', P(None, *rule[2])), of((16, 8), 'i4', rule[3]))

    def loss(*a):
        return model(mesh, rule, *a)
    compiled = jax.jit(jax.value_and_grad(loss, (0, 1, 2)), out_shardings=(None, tuple(a.sharding for a in args[:3]))).lower(*args).compile()
    with tempfile.TemporaryDirectory() as folder:
        path = differentiate(loss, args, (0, 1, 2), folder)
        plan = subprocess.run([WEFT, 'dryrun', '--json', path], capture_output=True, text=True)
        assert not plan.returncode, plan.stderr
        return json.loads(plan.stdout)['wire_bytes'], wire_bytes(compiled.as_text(), math.prod(SIZES.values()))


def test_bytes():
    need_jax()
    more = {s: b for s, b in ((s, bytes_of(s)) for s in RULES) if b[0] > b[1] or not b[0]}
    assert not more, 'bytes of Weft and of XLA: %s' % more


def sharded_wrong(case, seed, folder):
    """What is wrong with a case's gradients on devices, its values in random shardings; or None."""
    path = os.path.join(folder, 'f.mlir')
    text = jax.jit(case.function).lower(*case.arguments()).as_text()
    of = '--weft-differentiate=of=0 wrt=%s %s' % (','.join(map(str, case.wrt)), case.options)
    for step in (['--weft-import', '--weft-draw-shardings=seed=%d' % seed], [of]):
        with open(path, 'w') as f:
            f.write(text)
        made = subprocess.run([WEFT, 'opt', *step, path], capture_output=True, text=True)
        if made.returncode:
            return made.stderr[:600]
        text = made.stdout
    with open(path, 'w') as f:
        f.write(text)
    ran = subprocess.run([WEFT, 'verify', path], capture_output=True, text=True)
    return (ran.stdout + ran.stderr)[:600] if ran.returncode else None


def test_random_shardings():
    """Of four functions one, in ./check long all with several seeds."""
    need_jax()
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import functions
    long = int(os.environ.get('WEFT_LONG', '1'))
    first = int(os.environ.get('WEFT_SEED', '1'))
    with tempfile.TemporaryDirectory() as folder:
        bad = ['%s, seed %d: %s' % (case.name, first + i, why)
               for k, case in enumerate(functions.CASES) if long > 1 or k % 4 == 0
               for i in range(min(long, 4)) for why in [sharded_wrong(case, first + i, folder)] if why]
    assert not bad, '\n'.join(bad)


if __name__ == '__main__':
    jax.config.update('jax_num_cpu_devices', 8)
    for s in RULES:
        print(s, *bytes_of(s))
