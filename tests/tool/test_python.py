"""The package of python/: what it says is what the tool prints."""
import ast
import html.parser
import json
import os
import subprocess
import sys

import pytest

jax = pytest.importorskip('jax')
import jax.numpy as jnp  # noqa: E402

SOURCE = os.path.abspath(os.environ.get('top_srcdir', os.path.join(os.path.dirname(__file__), '..', '..')))
WEFT = os.environ.get('WEFT', os.path.join(os.environ.get('top_builddir', '.'), 'weft'))
sys.path.insert(0, os.path.join(SOURCE, 'python'))
import weft  # noqa: E402


def step(params, x):
    loss = lambda p: jnp.mean(jnp.tanh(x @ p['up']) @ p['down'])
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params))


PARAMS = {'up': jax.ShapeDtypeStruct((64, 256), jnp.float32), 'down': jax.ShapeDtypeStruct((256, 64), jnp.float32)}
X = jax.ShapeDtypeStruct((32, 64), jnp.float32)


def dryrun(*what, **options):
    return weft.dryrun(*what, tool=WEFT, **options)


def printed(text, *options):
    run = subprocess.run([WEFT, 'dryrun', '--json', *options, '-'], input=text, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_functions_texts_and_files(tmp_path):
    lowered = jax.jit(step).lower(PARAMS, X)
    text = lowered.as_text(debug_info=True)
    path = tmp_path / 'step.mlir'
    path.write_text(text)
    want = printed(text, '--strategy', 'fsdp', '--mesh', 'data=4')
    for what in [(jax.jit(step), PARAMS, X), (lowered,), (text,), (path,), (str(path),)]:
        report = dryrun(*what, strategy='fsdp', mesh={'data': 4})
        assert report.data == want
    assert report.wire_bytes == want['wire_bytes'] and report['memory'] == want['memory'] and 'vendor' not in report
    assert 'wire_bytes' in dir(report)
    with pytest.raises(AttributeError):
        report.nothing
    with pytest.raises(TypeError):
        dryrun(lowered, X)
    with pytest.raises(TypeError):
        dryrun(7)


def test_convert(tmp_path):
    lowered = jax.jit(step).lower(PARAMS, X)
    text = weft.convert(lowered, to='text', tool=WEFT)
    native, portable = weft.convert(lowered, tool=WEFT), weft.convert(jax.jit(step), PARAMS, X, to='vhlo=1.13.0', tool=WEFT)
    assert native[:4] == portable[:4] == b'ML\xefR' and b'StableHLO_v1.13.0' in portable
    path = tmp_path / 'step.mlirbc'
    path.write_bytes(portable)
    assert weft.convert(native, to='text', tool=WEFT) == text
    for what in (portable, bytearray(portable), path):   # without what is so by default
        assert weft.convert(what, to='text', tool=WEFT) == text.replace(', precision = [DEFAULT, DEFAULT]', '')
    assert dryrun(path).data == dryrun(lowered).data
    with pytest.raises(weft.Error, match='no version of StableHLO'):
        weft.convert(lowered, to='vhlo=x', tool=WEFT)


def test_options_reach_the_tool():
    text = jax.jit(step).lower(PARAMS, X).as_text(debug_info=True)
    report = dryrun(text, mesh='data=2,model=2', shard={'params*up': '-, model', 'x': '[{"data"}, {}]'}, donate='params*', tokens=32,
                    topology='dgx-h100', options=['--no-overlap'])
    want = printed(text, '--mesh', 'data=2,model=2', '--shard', 'params*up=-, model', '--shard', 'x=[{"data"}, {}]', '--donate', 'params*',
                   '--tokens', '32', '--topology', 'dgx-h100', '--no-overlap')
    assert report.data == want and report.tokens_per_s == want['tokens_per_s'] and report.devices == 4
    sums = report.collectives_by_axes()
    assert sum(wire for _, wire in sums.values()) == report.wire_bytes


def test_errors_are_the_tools():
    with pytest.raises(weft.Error) as e:
        dryrun(jax.jit(step), PARAMS, X, mesh='data=2', shard='params*upp=-, -')
    assert "no argument matches 'params*upp'; the nearest: 'params.up'" in str(e.value) and e.value.status == 2
    with pytest.raises(weft.Error):
        dryrun('not a program\n')
    with pytest.raises(FileNotFoundError, match='no file .nowhere/step.mlir.'):
        dryrun('nowhere/step.mlir')


def test_torch_modules():
    """Parameters have their names; without torchax, or with one that does not fit this torch, the error says so."""
    torch = pytest.importorskip('torch')
    module = torch.nn.Sequential(torch.nn.Linear(16, 24), torch.nn.ReLU(), torch.nn.Linear(24, 8))
    try:
        from torchax import export  # noqa: F401
    except Exception:
        with pytest.raises(weft.Error, match='a torch module needs torchax'):
            dryrun(module, torch.ones(4, 16))
        return
    report = dryrun(module, torch.ones(4, 16), topology='dgx-h100', mesh={'m': 2}, shard={'*2.weight': '-, m'})
    assert report.memory['arguments'] == 4 * (16 * 24 // 2 + 24 // 2 + 24 * 8 // 2 + 8 + 4 * 16)  # the sharding spreads


class Table(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)


def test_forms(tmp_path):
    report = dryrun(jax.jit(step), PARAMS, X, strategy='dp', mesh='data=4', topology='dgx-h100')
    assert 'dry run on dgx-h100, 4 devices' in repr(report) and ' over data' in repr(report) and 'fits' in repr(report)
    assert Table(report._repr_html_()).tags.count('tr') >= 6
    assert 'estimated step time' in report.text()
    report.trace(tmp_path / 'trace.json')
    assert json.loads((tmp_path / 'trace.json').read_text())['traceEvents']
    page = report.html()
    report.html(tmp_path / 'page.html')
    assert page == (tmp_path / 'page.html').read_text() and page.startswith('<!DOCTYPE html>')


def test_the_readme_shows_python():
    """Its example has each statement on lines of its own, and names only what weft.dryrun takes and its report has."""
    with open(os.path.join(SOURCE, 'README.md')) as f:
        code = f.read().split('```python\n')[1].split('```')[0]
    assert len(compile(code, 'README.md', 'exec', ast.PyCF_ONLY_AST).body) == 3
    here = {'params': PARAMS, 'tokens': X, 'step': step, 'jax': jax, 'weft': weft}
    exec(code.replace("'fsdp+tp'", "'dp'").replace("{'data': 64, 'model': 8}", "{'data': 4}"), here)  # of a small step
    assert here['report'].step_time_s > 0 and here['report'].peak_memory_bytes > 0
