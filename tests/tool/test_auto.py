"""`weft dryrun --auto`: never worse than any usual strategy nor than what is written, within memory, and as exact as the dry run."""
import itertools
import json
import os
import signal
import subprocess

import pytest

WEFT = os.environ.get('WEFT', os.path.join(os.environ.get('top_builddir', '.'), 'weft'))


def layers(n, d=256, hidden=1024, batch=512, mesh='', shardings=('', '', '')):
    """A step of n layers that are written one after another: x = tanh(x up) down, and what its gradient would be of the last."""
    w, u, x = 'tensor<%dx%dxf32>' % (d, hidden), 'tensor<%dx%dxf32>' % (hidden, d), 'tensor<%dx%dxf32>' % (batch, d)
    h = 'tensor<%dx%dxf32>' % (batch, hidden)
    args = ['%%x: %s %s' % (x, shardings[0])]
    body, results = [], []
    for i in range(n):
        args += ['%%up%d: %s %s' % (i, w, shardings[1]), '%%down%d: %s %s' % (i, u, shardings[2])]
        last = '%%y%d' % (i - 1) if i else '%x'
        body += ['%%h%d = stablehlo.dot_general %s, %%up%d, contracting_dims = [1] x [0] : (%s, %s) -> %s' % (i, last, i, x, w, h),
                 '%%t%d = stablehlo.tanh %%h%d : %s' % (i, i, h),
                 '%%y%d = stablehlo.dot_general %%t%d, %%down%d, contracting_dims = [1] x [0] : (%s, %s) -> %s' % (i, i, i, h, u, x),
                 '%%gu%d = stablehlo.dot_general %s, %%t%d, contracting_dims = [0] x [0] : (%s, %s) -> %s' % (i, last, i, x, h, w),
                 '%%gd%d = stablehlo.dot_general %%t%d, %%y%d, contracting_dims = [0] x [0] : (%s, %s) -> %s' % (i, i, i, h, x, u),
                 '%%nu%d = stablehlo.subtract %%up%d, %%gu%d : %s' % (i, i, i, w), '%%nd%d = stablehlo.subtract %%down%d, %%gd%d : %s' % (i, i, i, u)]
        results += ['%%nu%d' % i, '%%nd%d' % i]
    types = ', '.join(t for _ in range(n) for t in (w, u))
    return '%s\nfunc.func @main(%s) -> (%s) {\n  %s\n  return %s : %s\n}\n' % (mesh, ', '.join(args), types, '\n  '.join(body), ', '.join(results), types)


@pytest.fixture(scope='module')
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp('auto')

    def make(name, *args, **options):
        path = folder / (name + '.mlir')
        path.write_text(layers(*args, **options))
        return str(path)
    return make


def weft(*arguments, status=0):
    run = subprocess.run([WEFT, 'dryrun', *arguments], capture_output=True, text=True)
    assert run.returncode == status, run.stderr
    return run.stdout if status == 0 else run.stderr


def report(*arguments):
    return json.loads(weft('--json', *arguments))


MACHINES = [(), ('--topology', 'dgx-h100'), ('--topology', 'tpu-v5e:4x2')]


@pytest.mark.parametrize('machine', MACHINES, ids=['default', 'gpu', 'tpu'])
@pytest.mark.parametrize('n', [1, 4])
def test_no_strategy_is_better(program, n, machine):
    path = program('plain%d' % n, n)
    found = report('--auto', '--mesh', 'a=4,b=2', *machine, path)
    kinds = ['dp:%s', 'fsdp:%s', 'zero1:%s', 'tp:%s', 'ep:%s', 'cp:%s']
    priced = {r['strategy']: r for r in found['auto']['strategies']}
    assert all(found['step_time_s'] <= r['step_time_s'] * 1.001 for r in priced.values())
    for a, b in itertools.product(kinds, kinds):
        strategy = a % 'a' + '+' + b % 'b'
        run = subprocess.run([WEFT, 'dryrun', '--json', '--strategy', strategy, '--mesh', 'a=4,b=2', *machine, path], capture_output=True, text=True)
        if run.returncode:
            continue
        alone = json.loads(run.stdout)
        assert found['step_time_s'] <= alone['step_time_s'] * 1.001, strategy
        if strategy in priced:
            assert priced[strategy]['step_time_s'] == pytest.approx(alone['step_time_s']), strategy
            assert priced[strategy]['wire_bytes'] == alone['wire_bytes'], strategy
    assert len(priced) > 4


def with_state(batch, d):
    """A step with momentum: its state can be split alone."""
    w, x = 'tensor<%dx%dxf32>' % (d, d), 'tensor<%dx%dxf32>' % (batch, d)
    return '''func.func @main(%%x: %s, %%w: %s, %%m: %s) -> (%s, %s) {
  %%y = stablehlo.dot_general %%x, %%w, contracting_dims = [1] x [0] : (%s, %s) -> %s
  %%g = stablehlo.dot_general %%x, %%y, contracting_dims = [0] x [0] : (%s, %s) -> %s
  %%n = stablehlo.add %%m, %%g : %s
  %%v = stablehlo.subtract %%w, %%n : %s
  return %%v, %%n : %s, %s
}
''' % (x, w, w, w, w, x, w, x, x, x, w, w, w, w, w)


@pytest.mark.parametrize('machine', MACHINES, ids=['default', 'gpu', 'tpu'])
def test_both_ways_to_split_state_are_tried(tmp_path, machine):
    """zero1 was the best by hand of bert_large_dp, and was not among the strategies."""
    path = tmp_path / 'state.mlir'
    path.write_text(with_state(4096, 1024))
    found = report('--auto', '--mesh', 'a=4', *machine, str(path))
    priced = {r['strategy'] for r in found['auto']['strategies']}
    for strategy in ('zero1:a', 'zero2:a'):
        assert strategy in priced
        alone = report('--strategy', strategy, '--mesh', 'a=4', *machine, str(path))
        assert found['step_time_s'] <= alone['step_time_s'] * 1.001


@pytest.mark.parametrize('machine', MACHINES[1:], ids=['gpu', 'tpu'])
@pytest.mark.parametrize('attention', ['fused', 'unfused'])
def test_no_plan_is_below_the_floor(program, machine, attention):
    path = program('floor', 2, d=2048, hidden=8192, batch=8192)
    last = 0
    for mesh in ('a=2', 'a=4', 'a=4,b=2'):
        found = report('--auto', '--mesh', mesh, '--attention', attention, *machine, path)
        floor = found['auto']['floor_s']
        assert floor > 0 and (not last or floor < last)
        assert floor <= found['step_time_s']
        assert all(floor <= r['step_time_s'] for r in found['auto']['strategies'])
        last = floor
    assert found['auto']['one_device_time_s'] >= floor
    text = weft('--auto', '--mesh', mesh, *machine, path)
    assert 'no plan for 8 devices takes less than' in text and 'runner-up: ' in text


def test_no_floor_is_told_where_none_is_known(program):
    """Weft's own machines, whose loops may do more arithmetic on one device; and what one device alone computes again."""
    path = program('floorless', 1)
    for options in (), ('--topology', 'dgx-h100', '--remat', 'full'):
        assert report('--auto', '--mesh', 'a=4', *options, path)['auto']['floor_s'] == 0
        assert 'no plan for' not in weft('--auto', '--mesh', 'a=4', *options, path)


def test_what_reads_the_same_is_planned_once(program):
    """A batch that is split along an axis of 1 is whole: the strategies of such axes are one program."""
    path, mesh = program('same_text', 2), 'a=4,b=1'
    found = report('--auto', '--mesh', mesh, path)
    figures = {}
    for r in found['auto']['strategies']:
        alone = report('--strategy', r['strategy'], '--mesh', mesh, path)
        assert r['step_time_s'] == pytest.approx(alone['step_time_s']) and r['wire_bytes'] == alone['wire_bytes']
        figures.setdefault((r['step_time_s'], r['wire_bytes']), []).append(r['strategy'])
    assert max(map(len, figures.values())) > 1


def test_a_process_that_dies_is_an_error(program):
    """Nothing is chosen from the plans that are left: they depend on which process it was."""
    search = subprocess.Popen([WEFT, 'dryrun', '--auto', '--mesh', 'a=4,b=2', program('long', 40)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    children = []
    while not children:
        assert search.poll() is None
        with open('/proc/%d/task/%d/children' % (search.pid, search.pid)) as f:
            children = f.read().split()
    os.kill(int(children[0]), signal.SIGKILL)
    assert 'a process that made plans was ended: Killed' in search.communicate()[1]
    assert search.returncode == 1


def test_the_program_is_written(program, tmp_path):
    path, out = program('written', 3), str(tmp_path / 'out.mlir')
    found = report('--auto', '--devices', '8', '--topology', 'dgx-h100', '--write', out, path)
    again = report('--topology', 'dgx-h100', out)
    for key in ('devices', 'wire_bytes', 'peak_memory_bytes', 'step_time_s', 'collective_calls'):
        assert again[key] == pytest.approx(found[key]), key
    assert again['devices'] == 8
    assert subprocess.run([WEFT, 'verify', out], capture_output=True).returncode == 0


def test_it_is_the_same_in_every_run(program):
    path = program('same', 2)
    first, second = (weft('--auto', '--mesh', 'a=4,b=2', path) for _ in range(2))
    assert first == second


def test_what_is_written_may_be_best(program):
    """Data that is split, with parameters that are whole where they are small: dp, which no move makes faster."""
    mesh = 'sdy.mesh @mesh = <["a"=4]>'
    split, whole = ('{sdy.sharding = #sdy.sharding<@mesh, [%s, {}]>}' % d for d in ('{"a"}', '{}'))
    path = program('annotated', 1, d=8, hidden=8, batch=65536, mesh=mesh, shardings=(split, whole, whole))
    found = report('--auto', path)
    assert found['step_time_s'] <= report(path)['step_time_s'] * 1.001


@pytest.mark.parametrize('machine', MACHINES, ids=['default', 'gpu', 'tpu'])
def test_memory(program, machine):
    """Parameters that no device can hold whole are split, though that takes longer."""
    path = program('memory', 4, d=1024, hidden=4096, batch=65536)
    options = ['--auto', '--mesh', 'a=8', '--donate', '*', *machine]
    free = report(*options, path)
    least = min(r['peak_memory_bytes'] for r in free['auto']['strategies'])
    tight = report(*options, '--memory', '%dB' % (least * 1.02), path)
    assert tight['fits'] and tight['peak_memory_bytes'] <= least * 1.02
    assert tight['step_time_s'] >= free['step_time_s'] * 0.999
    none = report('--auto', '--mesh', 'a=8', '--memory', '1MB', *machine, path)
    assert not none['fits']


def test_equal_layers_move_together(program):
    """As many kinds of moves for 8 layers as for 2: the search takes no more plans."""
    few, many = (report('--auto', '--mesh', 'a=4', program('deep%d' % n, n))['auto']['tried'] for n in (3, 8))
    assert many <= 2 * few


@pytest.mark.parametrize('arguments, said', [
    (['--auto'], '--auto needs a mesh'),
    (['--auto', '--strategy', 'dp', '--mesh', 'a=2'], '--auto chooses the shardings'),
    (['--auto', '--shard', '0=a', '--mesh', 'a=2'], '--auto chooses the shardings'),
    (['--auto', '--sweep', 'a=2'], '--auto chooses the shardings'),
    (['--auto', '--devices', '8', '--mesh', 'a=2'], '--devices is for all meshes'),
    (['--devices', '8'], '--devices is for --sweep and --auto'),
    (['--auto', '--mesh', 'a=2,b=2,c=2,d=2,e=2'], 'meshes of at most 4 axes'),
    (['--auto', '--mesh', 'a=nonsense'], 'a=nonsense'),
    (['--auto', '--mesh', 'a=2', '--memory', '80'], "--memory is a size, as 80GB, not '80'"),
    (['--memory', '-1GB'], '--memory is a size'),
])
def test_bad_input(program, arguments, said):
    assert said in weft(*arguments, program('bad', 1), status=2)


def test_a_program_without_a_strategy_begins_with_nothing_split(tmp_path):
    """Neither of the axes divides the batch, and there are no products: moves split images and channels."""
    image = 'tensor<5x255x256x128xf32>'
    path = tmp_path / 'conv.mlir'
    path.write_text('''func.func @main(%%x: %s, %%k: tensor<3x3x128x128xf32>) -> %s {
  %%y = "stablehlo.convolution"(%%x, %%k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, padding = dense<1> : tensor<2x2xi64>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (%s, tensor<3x3x128x128xf32>) -> %s
  return %%y : %s
}
''' % ((image,) * 5))
    machine = ['--topology', 'dgx-h100']
    for size in (['--devices', '4'], ['--mesh', 'a=4']):
        found = report('--auto', *size, *machine, str(path))
        assert {r['strategy'] for r in found['auto']['strategies']} == {''} and found['auto']['moves']
        assert found['step_time_s'] < found['auto']['one_device_time_s']
    assert '(nothing split)' in weft('--auto', '--devices', '4', *machine, str(path))
    alone = report('--auto', '--devices', '1', *machine, str(path))
    assert alone['devices'] == 1 and alone['step_time_s'] == alone['auto']['one_device_time_s']


def test_nothing_to_split(tmp_path):
    path = tmp_path / 'scalar.mlir'
    path.write_text('func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %y = stablehlo.tanh %x : tensor<f32>\n  return %y : tensor<f32>\n}\n')
    assert 'no strategy can be planned: strategy' in weft('--auto', '--mesh', 'a=2', str(path), status=2)
