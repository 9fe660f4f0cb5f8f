"""Modules that JAX keeps from past years, as bytecode: Weft runs those of the CPU and gives the results that JAX noted then.

JAX's wheel has them as tests of its own promise that old files of jax.export run. Factors that are not unique
(eigenvectors, Schur vectors) are checked by what they mean.
"""
import importlib
import os
import pkgutil
import subprocess

import numpy as np
import pytest
import jax._src.internal_test_util.export_back_compat_test_data as kept

import binding as weft
import worker

TOOL = os.path.join(os.environ.get('top_builddir', os.getcwd()), 'weft')
the_worker = worker.Worker()


def modules(of, name):
    """Every dictionary with a module in what a file of JAX's has under a name."""
    if isinstance(of, dict) and 'mlir_module_serialized' in of:
        yield name, of
    elif isinstance(of, (dict, list, tuple)):
        for key, v in of.items() if isinstance(of, dict) else enumerate(of):
            yield from modules(v, '%s.%s' % (name, key))


def of_the_cpu():
    for m in pkgutil.iter_modules(kept.__path__):
        if m.ispkg:
            continue
        file = importlib.import_module(kept.__name__ + '.' + m.name)
        for key in dir(file):
            if 'data' in key:
                yield from ((n, d) for n, d in modules(getattr(file, key), m.name + '.' + key) if d['platform'] == 'cpu')


CASES = dict(of_the_cpu())
assert len(CASES) >= 40
NEAR = {'f': 2e-3, 'd': 1e-8, 'F': 2e-3, 'D': 1e-8}


@pytest.fixture(scope='module', autouse=True)
def end():
    yield
    the_worker.end()


def close(got, want):
    np.testing.assert_allclose(got, want, rtol=NEAR.get(np.asarray(want).dtype.char, 0), atol=NEAR.get(np.asarray(want).dtype.char, 0))


def counted(like):
    """The matrix 0, 1, 2, ... that these programs make themselves."""
    return np.arange(like.size).reshape(like.shape).astype(like.dtype)


def eig(a, got, want):
    a = counted(want[1])
    w, left, right = (np.asarray(x, 'D') for x in got)
    close(np.sort_complex(w.round(2)), np.sort_complex(np.asarray(want[0], 'D').round(2)))
    for x, ours in (a @ right, right * w), (np.conj(left.T) @ a, w[:, None] * np.conj(left.T)):
        np.testing.assert_allclose(x, ours, atol=NEAR[want[1].dtype.char] * np.abs(a).max())


def eigh(a, got, want):
    v, w = got
    a = counted(want[0])
    whole = (a + np.conj(a.T)) / 2
    np.testing.assert_allclose(w, want[1], atol=NEAR[w.dtype.char] * np.abs(a).max())
    np.testing.assert_allclose(whole @ v, v * w, atol=NEAR[w.dtype.char] * np.abs(a).max())


def schur(a, got, want):
    t, z = got
    np.testing.assert_allclose(z @ t @ np.conj(z.T), a, atol=NEAR[a.dtype.char] * np.abs(a).max())
    np.testing.assert_allclose(z @ np.conj(z.T), np.eye(len(z)), atol=NEAR[a.dtype.char])


BY_MEANING = {'cpu_eig_': eig, 'cpu_eigh_': eigh, 'cpu_schur_': schur}


def run(d):
    the_worker.send(d['mlir_module_serialized'], [np.asarray(x) for x in d['inputs']])
    try:
        return the_worker.receive()[0]
    except (weft.Error, worker.Died) as e:
        pytest.fail(str(e), pytrace=False)


def run_with_sizes(d, folder):
    """The tool takes sizes that the program leaves open from the files of its arguments."""
    (folder / 'program').write_bytes(d['mlir_module_serialized'])
    for i, x in enumerate(d['inputs']):
        np.save(folder / ('in%d.npy' % i), np.asarray(x))
    p = subprocess.run([TOOL, 'run', folder / 'program', '--inputs=%s' % folder, '--outputs=%s' % folder], capture_output=True, text=True)
    assert p.returncode == 0, p.stderr
    return [np.load(folder / ('out%d.npy' % i)) for i in range(len(d['expected_outputs']))]


@pytest.mark.parametrize('name', CASES)
def test_runs(name, tmp_path):
    d = CASES[name]
    got = run_with_sizes(d, tmp_path) if name.startswith('stablehlo_dynamic_') else run(d)
    want = [np.asarray(x) for x in d['expected_outputs']]
    assert [(g.shape, g.dtype) for g in got] == [(w.shape, w.dtype) for w in want]
    check = next((f for prefix, f in BY_MEANING.items() if name.startswith(prefix)), None)
    if check:
        check(np.asarray(d['inputs'][0] if d['inputs'] else None), got, want)
        return
    for g, w in zip(got, want):
        close(g, w)
