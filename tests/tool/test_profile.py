"""`weft run --profile` and `--trace`: every step of the program is timed once, and the times add up."""
import json
import os
import re
import shutil
import subprocess

import pytest

WEFT = os.environ.get('WEFT', os.path.join(os.environ.get('top_builddir', '.'), 'weft'))

# A product and an all_reduce three times in a loop that stays one of steps, then an element-wise kernel.
PROGRAM = '''sdy.mesh @mesh = <["d"=2]>
func.func @main(%x: tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"d"}]>},
                %w: tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>})
    -> (tensor<256x256xf32>, tensor<f32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%i = %c0, %y = %x) : tensor<i32>, tensor<256x256xf32>
    cond {
      %m = stablehlo.compare LT, %i, %c3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %m : tensor<i1>
    } do {
      %n = stablehlo.add %i, %c1 : tensor<i32>
      %p = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0]
        : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
      stablehlo.return %n, %p : tensor<i32>, tensor<256x256xf32>
    }
  %t = stablehlo.tanh %r#1 : tensor<256x256xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%t init: %z) applies stablehlo.add across dimensions = [0, 1]
    : (tensor<256x256xf32>, tensor<f32>) -> tensor<f32>
  return %t, %s : tensor<256x256xf32>, tensor<f32>
}
'''
KINDS = ['products', 'library calls', 'generated code', 'collectives', 'waits']
FIGURES = r' *([\d.e+-]+) ms +([\d.]+) % +([\d.e+]+)((?: +[\d.e+]+[ kMGTP]| +-)*)'


@pytest.fixture
def program(tmp_path):
    path = tmp_path / 'program.mlir'
    path.write_text(PROGRAM)
    return str(path)


def weft(*arguments, status=0):
    run = subprocess.run([WEFT, 'run', *arguments], capture_output=True, text=True, timeout=120)
    assert run.returncode == status, run.stderr
    return run.stdout if status == 0 else run.stderr


def read(text):
    """Steps, time of a step and between kernels in ms, figures by kind, and of the lines: [ms, share, calls]."""
    head = re.search(r'profile of device (\d+): (\d+) steps? of ([\d.e+-]+) ms, of which ([\d.e+-]+) ms', text)
    kinds = {k: [float(v) for v in m.groups()[:3]] for k in KINDS
             if (m := re.search('^%s%s' % (k, FIGURES), text, re.M))}
    lines = [[float(v) for v in m.groups()[:3]] for m in re.finditer('^%s  (?!in )\\S' % FIGURES, text, re.M)]
    return int(head[2]), float(head[3]), float(head[4]), kinds, lines


@pytest.mark.parametrize('repeat', [1, 2, 5])
def test_times_add_up(program, repeat):
    steps, step, between, kinds, lines = read(weft('--repeat', str(repeat), '--profile', program))
    assert steps == max(repeat - 1, 1)
    assert between >= 0 and sum(k[0] for k in kinds.values()) + between == pytest.approx(step, rel=1e-2)
    assert sum(line[0] for line in lines) == pytest.approx(sum(k[0] for k in kinds.values()), rel=1e-2)
    assert sum(k[1] for k in kinds.values()) <= 100.5


def test_calls_are_those_of_the_program(program):
    """Three products in the loop; a sum for each, and one of the scalar."""
    _, _, _, kinds, _ = read(weft('--repeat', '4', '--profile', program))
    assert kinds['products'][2] == 3
    counted = int(re.search(r'collectives (\d+)', weft('--count', program))[1])
    assert kinds['collectives'][2] == counted


# What a run does is known by its data: turns, and which branch each turn took. Expected: flops of products and of
# generated code; by hand.
COUNTED = {
    # i < n turns of 64 sums and one of the counter
    'turns': ('''func.func @main(%n: tensor<i32>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %c0, %y = %x) : tensor<i32>, tensor<64xf32>
    cond {
      %m = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %m : tensor<i1>
    } do {
      %j = stablehlo.add %i, %c1 : tensor<i32>
      %z = stablehlo.add %y, %x : tensor<64xf32>
      stablehlo.return %j, %z : tensor<i32>, tensor<64xf32>
    }
  return %r#1 : tensor<64xf32>
}''', ['--fill', '0=1000'], 0, 1000 * (64 + 2)),
    # every tenth of 200 turns a loop of 8 turns of 4096 sums, else one of 4096 products; of each turn the counter, its
    # remainder and their tests
    'branches': ('''func.func @main(%n: tensor<i32>, %x: tensor<4096xf32>) -> tensor<4096xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c8 = stablehlo.constant dense<8> : tensor<i32>
  %c10 = stablehlo.constant dense<10> : tensor<i32>
  %r:2 = stablehlo.while(%i = %c0, %y = %x) : tensor<i32>, tensor<4096xf32>
    cond {
      %m = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %m : tensor<i1>
    } do {
      %j = stablehlo.add %i, %c1 : tensor<i32>
      %q = stablehlo.remainder %i, %c10 : tensor<i32>
      %is = stablehlo.compare EQ, %q, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %z = "stablehlo.if"(%is) ({
        %s:2 = stablehlo.while(%k = %c0, %v = %y) : tensor<i32>, tensor<4096xf32>
          cond {
            %m = stablehlo.compare LT, %k, %c8 : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %m : tensor<i1>
          } do {
            %l = stablehlo.add %k, %c1 : tensor<i32>
            %w = stablehlo.add %v, %x : tensor<4096xf32>
            stablehlo.return %l, %w : tensor<i32>, tensor<4096xf32>
          }
        stablehlo.return %s#1 : tensor<4096xf32>
      }, {
        %w = stablehlo.multiply %y, %x : tensor<4096xf32>
        stablehlo.return %w : tensor<4096xf32>
      }) : (tensor<i1>) -> tensor<4096xf32>
      stablehlo.return %j, %z : tensor<i32>, tensor<4096xf32>
    }
  return %r#1 : tensor<4096xf32>
}''', ['--fill', '0=200'], 0, 200 * 4 + 20 * 8 * (4096 + 2) + 180 * 4096),
    # four real products, and sums of their results that cost nothing of their own
    'complex': ('''func.func @main(%a: tensor<100x300xcomplex<f32>>, %b: tensor<300x200xcomplex<f32>>)
    -> tensor<100x200xcomplex<f32>> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<100x300xcomplex<f32>>, tensor<300x200xcomplex<f32>>) -> tensor<100x200xcomplex<f32>>
  return %0 : tensor<100x200xcomplex<f32>>
}''', [], 8 * 100 * 300 * 200, 0),
    # converted before and after
    'f16': ('''func.func @main(%a: tensor<100x300xf16>, %b: tensor<300x200xf16>) -> tensor<100x200xf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<100x300xf16>, tensor<300x200xf16>) -> tensor<100x200xf16>
  return %0 : tensor<100x200xf16>
}''', [], 2 * 100 * 300 * 200, 0),
}


@pytest.mark.parametrize('name', COUNTED)
def test_work_is_as_it_was_done(name, tmp_path):
    """By the trace, which has the figures themselves, and by the profile, whose rates times the time they are."""
    text, options, products, code = COUNTED[name]
    path, out = tmp_path / 'program.mlir', tmp_path / 'trace.json'
    path.write_text(text)
    printed = weft('--repeat', '3', '--threads', '1', '--profile', '--trace', str(out), *options, str(path))
    spans = [e for e in json.loads(out.read_text())['traceEvents'] if e['ph'] == 'X']
    want = {'products': products, 'generated code': code}
    done = {k: sum(e['args']['flops'] for e in spans if e['name'].startswith('dot') == (k == 'products')) for k in want}
    assert done == pytest.approx(want, rel=1e-3)
    for kind, flops in want.items():
        m = re.search('^%s%s' % (kind, FIGURES), printed, re.M)
        rate = re.match(' +([\\d.e+]+)([ kMGTP])', m[4]) if m else None
        got = float(m[1]) * 1e-3 * float(rate[1]) * 1000 ** ' kMGTP'.index(rate[2]) if rate else 0
        assert got == pytest.approx(flops, rel=1e-2)


def test_rates_of_a_machine(program):
    machine = 'device 100Gflop/s bandwidth 10GB/s nodes 1 { cpu 8 cache 10GB/s 500ns } fabric 1GB/s 5us'
    text = weft('--repeat', '3', '--profile', '--topology', machine, program)
    of_rate = re.search(r'^products.* (\d+) %$', text, re.M)
    assert of_rate and int(of_rate[1]) > 0 and 'of rate' in text


# 2 * 200 * 300 * 400 flops at the rate of the type, or its bytes: what takes longer.
RATES = 'weft-tune 1\nproduct f32 1Gflop/s\nproduct bf16 2Gflop/s\nproduct f64 0.5Gflop/s\nmemory %s\n'


@pytest.mark.parametrize('dtype, memory, least', [
    ('f32', '1000GB/s 1000GB/s', 48e-3), ('bf16', '1000GB/s 1000GB/s', 24e-3), ('f64', '1000GB/s 1000GB/s', 96e-3),
    ('f32', '0.001GB/s 0.001GB/s', 1.04), ('f64', '0.001GB/s 0.001GB/s', 2.08)])
def test_measured_rates(dtype, memory, least, tmp_path, monkeypatch):
    path, table = tmp_path / 'program.mlir', tmp_path / 'table'
    table.write_text(RATES % memory)
    path.write_text('''func.func @main(%%a: tensor<200x300x%(t)s>, %%b: tensor<300x400x%(t)s>) -> tensor<200x400x%(t)s> {
  %%0 = stablehlo.dot_general %%a, %%b, contracting_dims = [1] x [0]
    : (tensor<200x300x%(t)s>, tensor<300x400x%(t)s>) -> tensor<200x400x%(t)s>
  return %%0 : tensor<200x400x%(t)s>
}''' % {'t': dtype})
    monkeypatch.setenv('WEFT_TUNE', str(table))
    for threads in (1, 2):
        text = weft('--repeat', '3', '--threads', str(threads), '--profile', str(path))
        ms, share = re.search(r'^ *([\d.e+-]+) ms .* (\d+) %  dot ', text, re.M).groups()
        # memory of all cores is no more than that of one here
        want = least / threads if memory.startswith('1000') else least
        assert int(share) == pytest.approx(100 * want / (float(ms) * 1e-3), rel=0.02)
    table.write_text('weft-tune 1\n')
    assert 'of rate' not in weft('--profile', str(path))
    monkeypatch.setenv('WEFT_TUNE', 'none')
    assert 'of rate' not in weft('--profile', str(path))


def test_trace(program, tmp_path):
    out = tmp_path / 'trace.json'
    weft('--repeat', '3', '--trace', str(out), program)
    events = json.loads(out.read_text())['traceEvents']
    assert {e['args']['name'] for e in events if e['ph'] == 'M'} == {'process 0', 'device 0', 'device 1'}
    spans = [e for e in events if e['ph'] == 'X']
    for device in (0, 1):
        mine = sorted((e['ts'], e['dur']) for e in spans if e['tid'] == device)
        assert len(mine) > 6 and mine[0][0] >= 0
        assert all(a[0] + a[1] <= b[0] + 1e-3 for a, b in zip(mine, mine[1:])), 'steps of a device overlap'
    kinds = {e['cat'] for e in spans}
    assert {'kernel', 'collective'} <= kinds
    collectives = [e for e in spans if e['cat'] == 'collective']
    counted = weft('--count', program)
    assert all(e['args']['axes'] == 'd' for e in collectives)
    for device in (0, 1):
        sent = sum(e['args']['wire_bytes'] for e in collectives if e['tid'] == device)
        assert sent == int(re.search(r'wire_bytes (\d+)', counted)[1])
    assert {e['args']['algorithm'] for e in collectives} == set(re.findall(r'by (\w+):', counted))
    assert any('program.mlir' in e['args']['location'] for e in spans)
    assert all(re.fullmatch(r'[\w.]+\[program\.mlir:\d+:\d+\]', e['name']) for e in spans), 'as debuggers have it'


def test_threads_have_tracks(tmp_path):
    """What a device's helpers do lies within the steps of its own thread, whose names it has; a loop's kernels too."""
    path, out = tmp_path / 'program.mlir', tmp_path / 'trace.json'
    path.write_text('''func.func @main(%n: tensor<i32>, %x: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %a = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]
    : (tensor<1000x1000xf32>, tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
  %r:2 = stablehlo.while(%i = %c0, %y = %a) : tensor<i32>, tensor<1000x1000xf32>
    cond {
      %m = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %m : tensor<i1>
    } do {
      %j = stablehlo.add %i, %c1 : tensor<i32>
      %z = stablehlo.sine %y : tensor<1000x1000xf32>
      stablehlo.return %j, %z : tensor<i32>, tensor<1000x1000xf32>
    }
  return %r#1 : tensor<1000x1000xf32>
}''')
    for repeat in range(5):     # a helper may come late to all pieces of a run
        weft('--devices', '2', '--threads', '3', '--fill', '0=20', '--repeat', '2', '--trace', str(out), str(path))
        events = json.loads(out.read_text())['traceEvents']
        tracks = {e['tid']: e['args']['name'] for e in events if e['name'] == 'thread_name'}
        spans = [e for e in events if e['ph'] == 'X']
        assert {'device 0', 'device 1'} <= set(tracks.values()) and {e['tid'] for e in spans} == set(tracks)
        helped = [(tracks[e['tid']].split(', ')[0], e) for e in spans if ', thread ' in tracks[e['tid']]]
        for device, e in helped:
            assert 'flops' not in e['args'], 'they count once'
            assert any(tracks[o['tid']] == device and o['name'] == e['name'] and o['ts'] - 1 <= e['ts']
                       and e['ts'] + e['dur'] <= o['ts'] + o['dur'] + 1 for o in spans)
        if {e['name'].split('[')[0] for _, e in helped} == {'dot.0', 'loop'}:
            return
    pytest.fail('no helper helped')


def test_results_stay(program, tmp_path):
    weft('--outputs', str(tmp_path), program)
    assert 'agree' in weft('--compare', str(tmp_path), '--profile', '--rtol', '0', '--atol', '0', program)


def test_bad_input(program, tmp_path):
    assert '--profile is of no use' in weft('--dump=steps', '--profile', program, status=2)
    assert '--trace is of no use' in weft('--dump=steps', '--trace', 'x', program, status=2)
    assert 'nowhere' in weft('--trace', str(tmp_path / 'nowhere' / 'x.json'), program, status=1)


@pytest.mark.skipif(not shutil.which('mpirun'), reason='no mpirun')
def test_processes(program, tmp_path):
    out = tmp_path / 'trace.json'
    run = subprocess.run(['mpirun', '-n', '2', WEFT, 'run', '--repeat', '3', '--profile', '--trace', str(out), program],
                         capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count('profile of device 0: 2 steps') == 1 and run.stdout.count('profile of') == 1
    events = json.loads(out.read_text())['traceEvents']
    spans = {p: [e for e in events if e['ph'] == 'X' and (e['pid'], e['tid']) == (p + 1, p)] for p in (0, 1)}
    assert len(spans[0]) == len(spans[1]) > 6 and len(spans[0] + spans[1]) == sum(e['ph'] == 'X' for e in events)
    assert min(e['ts'] for e in spans[0] + spans[1]) == 0, 'one clock'
    last = {p: [e['ts'] + e['dur'] for e in spans[p] if e['cat'] == 'collective'][-1] for p in (0, 1)}
    assert abs(last[0] - last[1]) < 1e5, 'a collective ends at about the same time'
    names = {(e['pid'], e['tid'], e['name'], e['args']['name']) for e in events if e['ph'] == 'M'}
    assert names == {(p + 1, tid, name, text) for p in (0, 1) for tid, name, text in
                     [(0, 'process_name', 'process %d' % p), (p, 'thread_name', 'device %d' % p)]}
