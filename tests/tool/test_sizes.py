"""Sizes that a program of jax.export leaves open: with --set it has the figures of the program that was lowered with these sizes."""
import json
import os
import subprocess

import pytest

jax = pytest.importorskip('jax')
import jax.numpy as jnp  # noqa: E402
from jax import export  # noqa: E402

WEFT = os.environ.get('WEFT', os.path.join(os.environ.get('top_builddir', '.'), 'weft'))


def step(w, x, y):
    h = jnp.tanh(x @ w)
    scores = jnp.einsum('btd,bsd->bts', h, h)
    loss = jnp.mean(h.reshape(-1, h.shape[-1]).sum(-1) * y.reshape(-1)) + scores.mean()
    return w - 0.1 * jnp.einsum('btd,bte->de', x, h), loss


def lower(batch, seq):
    f32 = lambda *s: jax.ShapeDtypeStruct(s, jnp.float32)
    return export.export(jax.jit(step))(f32(64, 64), f32(batch, seq, 64), f32(batch, seq)).mlir_module()


@pytest.fixture(scope='module')
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp('open') / 'open.mlir'
    batch, seq = export.symbolic_shape('b, 2*half + 1')
    path.write_text(lower(batch, seq))
    return path


def run(path, *options):
    return subprocess.run([WEFT, 'dryrun', *options, str(path)], capture_output=True, text=True)


@pytest.mark.parametrize('b, half', [(8, 16), (1, 1), (16, 500)])
def test_the_figures_are_those_of_the_sizes(program, tmp_path, b, half):
    whole = tmp_path / 'whole.mlir'
    whole.write_text(lower(b, 2 * half + 1))
    want, got = run(whole, '--json'), run(program, '--json', '--set', 'b=%d' % b, '--set', 'half=%d' % half)
    assert want.returncode == 0 and got.returncode == 0, got.stderr
    want, got = json.loads(want.stdout), json.loads(got.stdout)
    for key in ['flops', 'memory', 'peak_memory_bytes', 'step_time_s']:
        assert want[key] == got[key]
    together = run(program, '--json', '--set', 'half=%d,b=%d' % (half, b), '--mesh', 'data=1', '--strategy', 'dp')
    assert json.loads(together.stdout)['flops'] == want['flops']


def test_what_is_written_is_the_program(program, tmp_path):
    written = tmp_path / 'written.mlir'
    assert run(program, '--set', 'b=4,half=3', '--write', str(written)).returncode == 0
    assert 'tensor<4x7x64xf32>' in written.read_text() and '?' not in written.read_text().split('loc(')[0]
    assert run(written).returncode == 0


REFUSED = [('b=8', "the program leaves the size 'half' open too"), ('b=8,halve=3', "no open size 'halve'"),
           ('b=x,half=1', "a size is set by NAME=NUMBER, not by 'b=x'"), ('b', "a size is set by NAME=NUMBER, not by 'b'"),
           ('b=0,half=1', "not by 'b=0'"), ('b=99999999999999999999,half=1', 'NAME=NUMBER'), ('=3', "no open size ''"),
           ('b=8,half=1,b=9', "the size 'b' is set twice")]


@pytest.mark.parametrize('text, message', REFUSED)
def test_mistakes(program, text, message):
    done = run(program, '--set', text)
    assert done.returncode == 2 and message in done.stderr, done.stderr


def test_sizes_are_set_before_a_search(program):
    """Once, before the plans of --auto and --sweep, which are of one program."""
    sizes = ['--set', 'b=16', '--set', 'half=4']
    found = run(program, '--json', '--auto', '--mesh', 'data=4', *sizes)
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)['auto']['mesh'] == 'data=4'
    swept = run(program, '--json', '--sweep', 'data=1..4', '--strategy', 'dp', *sizes)
    assert swept.returncode == 0, swept.stderr
    points = json.loads(swept.stdout)['sweep']
    alone = json.loads(run(program, '--json', '--mesh', 'data=4', '--strategy', 'dp', *sizes).stdout)
    assert [p['step_time_s'] for p in points if p['mesh'] == 'data=4'] == [alone['step_time_s']]
    for options in [['--sweep', 'data=1..4'], ['--auto', '--mesh', 'data=4']]:
        done = run(program, *options, '--set', 'b=8,halve=3')
        assert done.returncode == 2 and done.stderr.startswith("weft: error: the program has no open size 'halve'"), done.stderr


def test_a_program_without_names(tmp_path):
    path = tmp_path / 'plain.mlir'
    path.write_text('func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }\n')
    done = run(path, '--set', 'b=3')
    assert done.returncode == 2 and 'names no open sizes' in done.stderr


def computed(path, *steps):
    """A program whose size n is what `steps` make of the dimension %n0, the last of them as %n."""
    path.write_text('func.func private @body(%n: tensor<i32> {jax.global_constant = "n"}, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {\n'
                    '  return %x : tensor<?x4xf32>\n}\n'
                    'func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {\n'
                    '  %n0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>\n' +
                    ''.join('  %s\n' % s for s in steps) +
                    '  %r = func.call @body(%n, %x) : (tensor<i32>, tensor<?x4xf32>) -> tensor<?x4xf32>\n'
                    '  return %r : tensor<?x4xf32>\n}\n')
    return path


def memory(path, *options):
    done = run(path, '--json', *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)['memory']['arguments']


def test_a_size_that_is_computed_deep(tmp_path):
    """Each step reads the one before twice: 2^40 ways lead to the dimension. And nothing ends a chain but its length."""
    steps = ['%%n%d = stablehlo.maximum %%n%d, %%n%d : tensor<i32>' % (i + 1, i, i) for i in range(40)]
    steps += ['%%n%d = stablehlo.minimum %%n%d, %%n0 : tensor<i32>' % (i + 1, i) for i in range(40, 200)]
    path = computed(tmp_path / 'deep.mlir', *steps, '%n = stablehlo.convert %n200 : tensor<i32>')
    assert memory(path, '--set', 'n=32') == 32 * 4 * 4


def test_a_size_that_functions_compute(tmp_path):
    """Each function calls the one before twice."""
    half = ('func.func private @f0(%a: tensor<i32>) -> tensor<i32> {\n  %c = stablehlo.constant dense<1> : tensor<i32>\n'
            '  %r = stablehlo.subtract %a, %c : tensor<i32>\n  return %r : tensor<i32>\n}\n')
    call = ('func.func private @f%d(%%a: tensor<i32>) -> tensor<i32> {\n  %%b = func.call @f%d(%%a) : (tensor<i32>) -> tensor<i32>\n'
            '  %%r = func.call @f%d(%%b) : (tensor<i32>) -> tensor<i32>\n  return %%r : tensor<i32>\n}\n')
    path = computed(tmp_path / 'calls.mlir', '%n = func.call @f3(%n0) : (tensor<i32>) -> tensor<i32>')
    path.write_text(half + ''.join(call % (i, i - 1, i - 1) for i in range(1, 4)) + path.read_text())
    assert memory(path, '--set', 'n=32') == (32 + 8) * 4 * 4
    path = computed(tmp_path / 'many.mlir', '%n = func.call @f40(%n0) : (tensor<i32>) -> tensor<i32>')  # 2^40 ops
    path.write_text(half + ''.join(call % (i, i - 1, i - 1) for i in range(1, 41)) + path.read_text())
    done = run(path, '--set', 'n=32')
    assert done.returncode == 2 and "no shapes of the arguments give 'n' the size 32" in done.stderr, done.stderr


def test_a_size_of_integers_that_wrap(tmp_path):
    """2^29 times 2^8 is 0 as an i32, which says nothing of small dimensions."""
    path = computed(tmp_path / 'wraps.mlir', '%c = stablehlo.constant dense<256> : tensor<i32>',
                    '%n = stablehlo.multiply %n0, %c : tensor<i32>')
    assert memory(path, '--set', 'n=2560') == 10 * 4 * 4


def test_a_size_that_no_shape_has(tmp_path):
    twice = computed(tmp_path / 'twice.mlir', '%n = stablehlo.add %n0, %n0 : tensor<i32>')
    assert memory(twice, '--set', 'n=32') == 16 * 4 * 4
    done = run(twice, '--set', 'n=33')
    assert done.returncode == 2 and "no shapes of the arguments give 'n' the size 33" in done.stderr, done.stderr
    by_zero = computed(tmp_path / 'zero.mlir', '%c = stablehlo.constant dense<0> : tensor<i32>',
                         '%n = stablehlo.divide %n0, %c : tensor<i32>')
    done = run(by_zero, '--set', 'n=1')
    assert done.returncode == 2 and "no shapes of the arguments give 'n' the size 1" in done.stderr, done.stderr


@pytest.mark.parametrize('options, message', [(['--batch', '0'], 'at least 1'), (['--batch', '-3'], 'at least 1')])
def test_batches_that_are_none(tmp_path, options, message):
    path = tmp_path / 'whole.mlir'
    path.write_text(lower(4, 7))
    done = run(path, *options)
    assert done.returncode == 2 and message in done.stderr, done.stderr


def test_a_part_of_the_batch_elsewhere(tmp_path):
    """Dimensions that share a part of the batch as their major factor: 6 x 4 as 8 x 3."""
    path = tmp_path / 'parts.mlir'
    path.write_text('func.func @main(%w: tensor<4x4xf32>, %x: tensor<6x4xf32>) -> tensor<8x3xf32> {\n'
                    '  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x4xf32>, tensor<4x4xf32>) -> tensor<6x4xf32>\n'
                    '  %r = stablehlo.reshape %p : (tensor<6x4xf32>) -> tensor<8x3xf32>\n  return %r : tensor<8x3xf32>\n}\n')
    assert run(path, '--batch', '12').returncode == 0
    done = run(path, '--batch', '1')
    assert done.returncode == 2 and 'a dimension here would not be whole' in done.stderr, done.stderr
    for batch in ['9223372036854775806', '9223372036854775807']:  # 8 x 3 becomes 4/3 of it, and none of it
        done = run(path, '--batch', batch)
        text = 'would have too many elements' if batch.endswith('6') else 'a dimension here would not be whole'
        assert done.returncode == 2 and text in done.stderr, done.stderr
    assert run(path, '--batch', '6000000000000').returncode == 0


def test_a_program_that_needs_its_batch(tmp_path):
    path = tmp_path / 'needs.mlir'
    path.write_text('func.func @main(%w: tensor<8x8xf32>, %x: tensor<4x8xf32>) -> tensor<4x8xf32> {\n'
                    '  %c = stablehlo.constant dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>\n'
                    '  %b = stablehlo.broadcast_in_dim %c, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>\n'
                    '  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>\n'
                    '  %s = stablehlo.add %p, %b : tensor<4x8xf32>\n  return %s : tensor<4x8xf32>\n}\n')
    done = run(path, '--batch', '8')
    assert done.returncode == 2 and 'needs.mlir:2:' in done.stderr and 'a constant of that size' in done.stderr, done.stderr


CHANGES = [['--batch', '3'], ['--set', 'b=2'], ['--strategy', 'dp', '--mesh', 'data=2'], ['--auto', '--mesh', 'data=2'],
           ['--sweep', 'data=1..2', '--strategy', 'dp'], ['--bare'], ['--donate', 'x'], ['--remat', 'full']]


@pytest.mark.parametrize('options', CHANGES)
@pytest.mark.parametrize('text', ['module {}\n', 'func.func private @main(tensor<4xf32>) -> tensor<4xf32>\n'])
def test_nothing_to_change(tmp_path, text, options):
    path = tmp_path / 'nothing.mlir'
    path.write_text(text)
    done = run(path, *options)
    assert done.returncode in (1, 2) and '@main' in done.stderr.splitlines()[0], done.stderr
