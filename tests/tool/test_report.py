"""The forms of the dry run's report: comparisons, sweeps, CSV, traces, HTML, and what would make a program fit."""
import csv
import html
import html.parser
import io
import json
import os
import re
import shutil
import subprocess

import pytest

WEFT = os.environ.get('WEFT', os.path.join(os.environ.get('top_builddir', '.'), 'weft'))

# A step with two parameters, their moments, a scan over products, and a name that must be escaped.
STEP = '''module @step {
  sdy.mesh @mesh = <["data"=4, "model"=2]>
  func.func @main(%w: tensor<1024x1024xf32> loc("params['<w>&']"), %v: tensor<1024x2048xf32> loc("params['v']"),
                  %mw: tensor<1024x1024xf32> loc("moments['w']"), %mv: tensor<1024x2048xf32> loc("moments['v']"),
                  %x: tensor<64x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>} loc("x"))
      -> (tensor<1024x1024xf32>, tensor<1024x2048xf32>, tensor<1024x1024xf32>, tensor<1024x2048xf32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %c0 = stablehlo.constant dense<0> : tensor<i32>
    %c1 = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.constant dense<TRIPS> : tensor<i32>
    %l:2 = stablehlo.while(%k = %c0, %y = %x) : tensor<i32>, tensor<64x1024xf32>
    cond {
      %p = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %a = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<64x1024xf32>, tensor<1024x1024xf32>) -> tensor<64x1024xf32>
      %b = stablehlo.tanh %a : tensor<64x1024xf32>
      %next = stablehlo.add %k, %c1 : tensor<i32>
      stablehlo.return %next, %b : tensor<i32>, tensor<64x1024xf32>
    }
    %h = stablehlo.dot_general %l#1, %v, contracting_dims = [1] x [0] : (tensor<64x1024xf32>, tensor<1024x2048xf32>) -> tensor<64x2048xf32>
    %loss = stablehlo.reduce(%h init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x2048xf32>, tensor<f32>) -> tensor<f32>
    %gv = stablehlo.dot_general %l#1, %h, contracting_dims = [0] x [0] : (tensor<64x1024xf32>, tensor<64x2048xf32>) -> tensor<1024x2048xf32>
    %gh = stablehlo.dot_general %h, %v, contracting_dims = [1] x [1] : (tensor<64x2048xf32>, tensor<1024x2048xf32>) -> tensor<64x1024xf32>
    %gw = stablehlo.dot_general %x, %gh, contracting_dims = [0] x [0] : (tensor<64x1024xf32>, tensor<64x1024xf32>) -> tensor<1024x1024xf32>
    %nmw = stablehlo.add %mw, %gw : tensor<1024x1024xf32>
    %nmv = stablehlo.add %mv, %gv : tensor<1024x2048xf32>
    %nw = stablehlo.subtract %w, %nmw : tensor<1024x1024xf32>
    %nv = stablehlo.subtract %v, %nmv : tensor<1024x2048xf32>
    return %nw, %nv, %nmw, %nmv, %loss : tensor<1024x1024xf32>, tensor<1024x2048xf32>, tensor<1024x1024xf32>, tensor<1024x2048xf32>, tensor<f32>
  }
}
'''
MATRIX = 4 * 1024 * 1024


@pytest.fixture
def step(tmp_path):
    def make(trips=3):
        path = tmp_path / ('step%d.mlir' % trips)
        path.write_text(STEP.replace('TRIPS', str(trips)))
        return str(path)
    return make


def weft(*arguments, status=0):
    run = subprocess.run([WEFT, 'dryrun', '--silence', 'memory', '--silence', 'constraint', *arguments], capture_output=True, text=True)
    assert run.returncode == status, (run.stdout, run.stderr)
    return run


def report(*arguments):
    return json.loads(weft('--json', *arguments).stdout)


# --- comparisons

def test_two_programs_side_by_side(step):
    out = weft(step(3), step(9)).stdout
    assert re.search(r'^ +\S*step3.mlir +\S*step9.mlir +change$', out, re.M), out
    a, b = report(step(3)), report(step(9))
    row = re.search(r'^flops +(\S+) +(\S+) +\+(\S+)%$', out, re.M)
    assert float(row[1]) == pytest.approx(a['flops'], rel=1e-5) and float(row[2]) == pytest.approx(b['flops'], rel=1e-5)
    assert float(row[3]) == pytest.approx(100 * (b['flops'] - a['flops']) / a['flops'], abs=0.06)
    assert re.search(r'^devices +8 +8 +=$', out, re.M)
    both = json.loads(weft('--json', step(3), step(9)).stdout)
    assert [r['flops'] for r in both] == [a['flops'], b['flops']]


def test_collectives_side_by_side(step):
    out = weft(step(), step()).stdout
    for c in {(c['kind'], c['axes']) for c in report(step())['collectives']}:
        assert re.search(r'^%s over %s +(\d+) x +\1 x +=$' % c, out, re.M), out


def test_a_diff_fails_when_asked(step, tmp_path):
    base = tmp_path / 'base.json'
    base.write_text(weft('--json', step(3)).stdout)
    weft('--diff', str(base), '--fail-on', 'flops>+0%', '--fail-on', 'wire_bytes>+1%', step(3))
    run = weft('--diff', str(base), '--fail-on', 'flops>+1%', '--fail-on', 'peak_memory_bytes>1', '--fail-on', 'flops<-50%', step(9), status=1)
    errors = [line for line in run.stderr.split('\n') if 'error:' in line]
    assert len(errors) == 2, run.stderr
    assert re.search(r'flops is \S+ and was \S+: --fail-on \'flops>\+1%\'', errors[0])
    assert re.search(r'peak_memory_bytes is \d+ and was \d+: --fail-on', errors[1])
    assert re.search(r'^flops ', run.stdout, re.M)
    assert json.loads(weft('--json', '--diff', str(base), '--fail-on', 'flops>+1%', step(9), status=1).stdout)['flops'] > 0
    run = weft('--fail-on', 'memory.arguments>1', step(3), status=1)
    assert re.search(r'memory.arguments is \d+: --fail-on', run.stderr)
    weft('--fail-on', 'memory.arguments>1e15', step(3))


@pytest.mark.parametrize('content, options, said', [
    ('{"schema": 1,\n "wire_bytes": }', [], "base:2:16: error: this is no JSON: "),
    ('{"schema": 2, "wire_bytes": 1}', [], "base' is no report of 'weft dryrun --json' with schema 1"),
    (None, [], "base' cannot be opened"),
    ('{"schema": 1, "wire_bytes": 1}', ['--fail-on', 'wire_bytes>+x%'], "'wire_bytes>+x%' is no condition such as 'wire_bytes>+1%'"),
    ('{"schema": 1, "wire_bytes": 1}', ['--fail-on', 'wire_byte>+1%'], "the report has no number 'wire_byte'; did you mean 'wire_bytes'?"),
])
def test_diffs_are_refused(step, tmp_path, content, options, said):
    base = tmp_path / 'base'
    if content:
        base.write_text(content)
    run = subprocess.run([WEFT, 'dryrun', '--silence', 'memory', '--diff', str(base), *options, step()], capture_output=True, text=True)
    assert run.returncode == (1 if content is None else 2) and said in run.stderr, run.stderr


@pytest.mark.parametrize('options, said', [
    (['--fail-on', 'flops>+1%'], "--fail-on 'flops>+1%' is for a change: --diff FILE or a second program"),
    (['--csv', 'rows'], '--csv is collectives or lines'),
    (['--csv', 'lines'], "--csv lines is for a vendor's machine, which 'cpu-node' is not"),
    (['--csv', 'lines', '--json'], '--csv is of one program alone, in place of --json'),
    (['--devices', '8'], '--devices is for --sweep'),
    (['--sweep', 'data=1', '--mesh', 'data=1'], '--sweep chooses the mesh, and --mesh does too'),
    (['--sweep', 'data=1', '--tactics', 'x'], '--sweep takes --strategy and no --tactics'),
    (['--sweep', 'data=1', '--fail-on', 'flops>1'], '--sweep is of one program alone'),
    (['--sweep', 'data=1', '--trace', 'x'], '--trace and --html are of one program alone'),
    (['--sweep', 'dta=1..2'], 'no mesh of the sweep can be planned: dta=1: no mesh of the program has an axis "dta"'),
])
def test_what_has_no_meaning_is_refused(step, options, said):
    run = weft(*options, step(), status=2)
    assert said in run.stderr, run.stderr
    assert '--diff compares one program with a report' in weft('--diff', 'x', step(), step(), status=2).stderr


# --- sweeps

def test_a_sweep_is_a_dry_run_of_each_mesh(step):
    points = json.loads(weft('--json', '--sweep', 'data=1..8,model=1..4', '--devices', '8', step()).stdout)['sweep']
    assert {p['mesh'] for p in points} == {'data=2,model=4', 'data=4,model=2', 'data=8,model=1'}
    for p in points:
        alone = report('--mesh', p['mesh'], step())
        assert p['devices'] == 8
        for key in ['wire_bytes', 'step_time_s', 'peak_memory_bytes', 'collective_calls']:
            assert p[key] == alone[key], (p, key)
    for p in points:
        beaten = any(q['step_time_s'] <= p['step_time_s'] and q['peak_memory_bytes'] <= p['peak_memory_bytes'] and
                     (q['step_time_s'], q['peak_memory_bytes']) != (p['step_time_s'], p['peak_memory_bytes']) for q in points)
        assert p['frontier'] == (not beaten)
    assert [p['step_time_s'] for p in points] == sorted(p['step_time_s'] for p in points)


def test_a_sweep_of_a_strategy(step):
    arguments = ['--sweep', 'data=8..128,model=2', '--strategy', 'dp+tp', step()]
    points = json.loads(weft('--json', *arguments).stdout)['sweep']
    failed = {p['mesh']: p['error'] for p in points if 'error' in p}
    assert failed == {'data=128,model=2': "axis 'data' of 128 does not divide the batch of 64 further"}
    rows = list(csv.DictReader(io.StringIO(weft('--csv', 'collectives', *arguments).stdout)))
    assert [r['mesh'] for r in rows] == [p['mesh'] for p in points]
    assert [r['error'] for r in rows if r['error']] == list(failed.values())
    assert [int(r['wire_bytes']) for r in rows if not r['error']] == [p['wire_bytes'] for p in points if 'error' not in p]
    out = weft(*arguments).stdout
    assert out.count(' ms ') == 4 and "data=128,model=2: axis 'data' of 128" in out and ' *' in out


# --- lists

def test_csv_has_what_json_has(step):
    rows = list(csv.DictReader(io.StringIO(weft('--csv', 'collectives', step()).stdout)))
    want = report(step())['collectives']
    assert [(r['kind'], r['axes'], int(r['count']), int(r['wire_bytes']), r['location']) for r in rows] == [
        (c['kind'], c['axes'], c['count'], c['wire_bytes'], c['location']) for c in want]
    machine = ['--topology', 'dgx-h100']
    rows = list(csv.DictReader(io.StringIO(weft('--csv', 'lines', *machine, step()).stdout)))
    want = report(*machine, step())['vendor']['lines']
    assert [(r['what'], int(r['count']), r['location']) for r in rows] == [(w['what'], w['count'], w['location']) for w in want]


# --- traces

@pytest.mark.parametrize('trips', [2, 40])
@pytest.mark.parametrize('options', [[], ['--topology', 'dgx-h100'], ['--topology', 'dgx-h100', '--no-overlap'], ['--topology', 'tpu-v4:2x2x2'],
                                     ['--no-overlap']])
def test_a_trace_adds_up(step, tmp_path, trips, options):
    path = tmp_path / 'trace.json'
    weft('--trace', str(path), *options, step(trips))
    with open(path) as f:
        trace = json.load(f)
    says = report(*options, step(trips))
    spans = [e for e in trace['traceEvents'] if e['ph'] == 'X']
    names = {e['tid']: e['args']['name'] for e in trace['traceEvents'] if e['ph'] == 'M' and e['name'] == 'thread_name'}
    assert names[0] == 'device' and all(name.startswith('link ') for tid, name in names.items() if tid)
    assert {e['tid'] for e in spans} <= set(names)
    # the last event ends with the step, and events of a track do not overlap
    ends = max(e['ts'] + e['dur'] for e in spans)
    assert ends * 1e-6 == pytest.approx(says['step_time_s'], rel=1e-6)
    for tid in names:
        track = sorted((e['ts'], e['ts'] + e['dur']) for e in spans if e['tid'] == tid)
        assert all(b[0] >= a[1] - 1e-6 * ends for a, b in zip(track, track[1:]))
    points = [e['ts'] for e in trace['traceEvents'] if e['ph'] == 'C']
    assert points == sorted(points)
    memory = [e['args']['bytes'] for e in trace['traceEvents'] if e['ph'] == 'C']
    assert memory and max(memory) == pytest.approx(says['peak_memory_bytes'], rel=1e-6)
    if trips > 5 or (trips > 1 and '--topology' not in options):  # iterations that are not drawn are one event
        assert [e['args']['iterations'] for e in spans if e['cat'] == 'loop'] == [trips - (5 if '--topology' in options else 1)]
        return
    assert sum(e['args'].get('wire_bytes', 0) for e in spans) == says['wire_bytes']
    assert 1e-6 * sum(e['dur'] for e in spans if e['cat'] == 'collective') == pytest.approx(says['collective_time_s'], rel=1e-6)
    if '--no-overlap' in options:
        assert sum(e['dur'] for e in spans) == pytest.approx(ends, rel=1e-6)
        if 'vendor' in says:
            classes = {}
            for e in spans:
                if e['cat'] == 'kernel':
                    classes[e['name']] = classes.get(e['name'], 0) + 1e-6 * e['dur']
            for name, seconds in classes.items():
                assert seconds == pytest.approx(says['vendor']['class_time_s'][name], rel=1e-6)


SHARED = os.path.join(os.environ.get('WEFT_SHARED', '../shared'), 'programs')


@pytest.mark.skipif(not os.path.isdir(SHARED), reason='no shared programs')
@pytest.mark.parametrize('name', ['gpt_s_scan_fsdp', 'gpt_s_tp', 'moe', 'pipeline', 'decode', 'conv_dp'])
@pytest.mark.parametrize('machine', ['dgx-h100', 'tpu-v4:2x2x2', 'cpu-node'])
def test_drawings_of_whole_programs(tmp_path, name, machine):
    program, path, page = os.path.join(SHARED, name + '.mlir'), tmp_path / 'trace.json', tmp_path / 'page.html'
    out = weft('--json', '--topology', machine, '--silence', 'replicate', '--trace', str(path), '--html', str(page), program).stdout
    with open(path) as f:
        spans = [e for e in json.load(f)['traceEvents'] if e['ph'] == 'X']
    assert max(e['ts'] + e['dur'] for e in spans) * 1e-6 == pytest.approx(json.loads(out)['step_time_s'], rel=1e-6)
    assert all(e['dur'] >= 0 and e['ts'] >= 0 for e in spans)
    assert Page(page.read_text(encoding='utf-8')).open == []


# --- memory

def test_padding_is_told(tmp_path):
    """12 rows over 8 devices are 2 for each; 10 over a part of the axes 3."""
    path = tmp_path / 'uneven.mlir'
    path.write_text('''sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @main(%x: tensor<12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}, %w: tensor<10x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>})
    -> (tensor<12x16xf32>, tensor<10x16xf32>) {
  %y = stablehlo.tanh %x : tensor<12x16xf32>
  %z = stablehlo.tanh %w : tensor<10x16xf32>
  return %y, %z : tensor<12x16xf32>, tensor<10x16xf32>
}
''')
    says = report(str(path))
    assert sum(says['padding_bytes'].values()) == (2 - 1.5) * 16 * 4 + (3 - 2.5) * 8 * 4
    assert sum(says['replicated_bytes'].values()) == 0
    assert re.search(r'^padding +.*\(\d+% of it\), for axes that do not divide a dimension$', weft(str(path)).stdout, re.M)
    even = report('--mesh', 'a=2,b=2', str(path))
    assert set(even['padding_bytes'].values()) == {0}


def test_memory_is_for_something(step):
    for options in [[], ['--topology', 'dgx-h100']]:
        says = report(*options, step())
        use = says['memory_use']
        assert sum(use.values()) == pytest.approx(says['peak_memory_bytes'], rel=1e-6)
        assert use['parameters'] == use['state'] == 3 * MATRIX
        assert use['data'] == 64 * 1024 * 4 // 4
    assert use['gradients'] >= 2 * MATRIX  # of v, when the other is made


def test_replication_is_what_a_split_would_save(step):
    whole, split = report(step())['replicated_bytes'], report('--strategy', 'fsdp+tp', step())
    assert whole['parameters'] == whole['state'] == 3 * MATRIX * 7 // 8
    assert split['replicated_bytes']['parameters'] == split['replicated_bytes']['state'] == 0
    before = report(step())['memory_use']
    assert before['parameters'] - split['memory_use']['parameters'] == whole['parameters']
    assert re.search(r'^held beyond its share +parameter 10.5 MiB, state 10.5 MiB', weft(step()).stdout, re.M)


def test_the_smallest_change_that_fits(step):
    def machine(mib):
        return ['--topology', 'device 100Gflop/s bandwidth 10GB/s memory %dMiB nodes 1 { cpu 8 cache 10GB/s 500ns } fabric 1GB/s 5us' % mib]
    need = report(step())['peak_memory_bytes'] // 2**20
    roomy = report(*machine(need + 2), step())
    assert roomy['fits'] is True and 'relief' not in roomy
    first = report(*machine(need - 4), step())
    assert first['fits'] is False and first['relief']['fits'] is True
    assert first['relief']['change'] == 'donate the updated arguments'
    assert first['relief']['peak_memory_bytes'] < first['peak_memory_bytes']
    assert first['relief']['peak_memory_bytes'] == report('--donate', '*w*', '--donate', '*v*', step())['peak_memory_bytes']
    tight = report(*machine(24), step())['relief']
    assert re.fullmatch(r"(donate the updated arguments, )?split (the optimizer's state|parameters and state) over (data|model)", tight['change'])
    assert tight['fits'] is True and tight['peak_memory_bytes'] <= 24 * 2**20 and tight['wire_bytes'] > 0
    hopeless = report(*machine(8), step())
    assert hopeless['fits'] is False and hopeless.get('relief', {'fits': False})['fits'] is False
    text = weft(*machine(need - 4), step()).stdout
    assert re.search(r'^smallest change that fits +donate the updated arguments: .*, step ', text, re.M)
    assert re.search(r'^memory is for +parameters 12.0 MiB, state 12.0 MiB, ', text, re.M)


def test_tokens_per_second(step):
    says = report('--tokens', '4096', step())
    assert says['tokens_per_s'] == pytest.approx(4096 / says['step_time_s'])
    assert 'tokens_per_s' not in report(step())
    assert re.search(r'^tokens +\S+ /s ', weft('--tokens', '4096', step()).stdout, re.M)


# --- terminals

@pytest.mark.parametrize('options', [[], ['--sweep', 'data=1..8,model=1..4']])
def test_a_terminal_gets_the_same_report(step, options):
    """Whatever is shown of the progress is taken away again, and none of it is in the report."""
    import pty
    ours, its = pty.openpty()
    run = subprocess.Popen([WEFT, 'dryrun', '--silence', 'memory', *options, step()], stdout=subprocess.PIPE, stderr=its, text=True)
    out = run.communicate(timeout=60)[0]
    os.close(its)
    try:
        shown = os.read(ours, 65536).decode()
    except OSError:  # nothing was written, and nobody is left who could
        shown = ''
    os.close(ours)
    assert run.returncode == 0 and out == weft(*options, step()).stdout
    assert re.fullmatch(r'(\r(\033\[K)?(planning: \d+ s|\d+ of \d+ meshes|\s*)\r?)*', shown), repr(shown)


# --- HTML

class Page(html.parser.HTMLParser):
    EMPTY = {'meta', 'input', 'br', 'rect', 'line', 'path', 'polyline', 'circle'}

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.text, self.attributes = [], [], {}, []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        if tag not in self.EMPTY:
            assert self.open and self.open[-1] == tag, (tag, self.open)
            self.open.pop()

    def handle_data(self, data):
        if self.open:
            self.text[self.open[-1]] = self.text.get(self.open[-1], '') + data


@pytest.mark.parametrize('options', [[], ['--topology', 'dgx-h100']])
def test_one_page_with_everything(step, tmp_path, options):
    path = tmp_path / 'report.html'
    weft('--html', str(path), *options, step())
    text = path.read_text(encoding='utf-8')
    page = Page(text)
    assert page.open == []
    ids = {value for name, value in page.attributes if name == 'id'}
    assert {'timeline', 'memory', 'roofline', 'program', 'q'} <= ids
    assert not [a for a in page.attributes if a[0] in ('src', 'href')] and '://' not in text  # needs nothing else
    assert '<w>' not in text and '&lt;w&gt;&amp;' in text
    program = page.text['pre']
    assert 'sdy.sharding' in program and 'stablehlo.dot_general' in program
    assert page.tags.count('rect') > 5 and page.tags.count('circle') >= 4
    assert "params['<w>&']" in ' '.join(page.text.values())


# --- in a browser

CHROMIUM = next((path for path in map(shutil.which, ['chromium', 'chromium-browser', 'google-chrome']) if path), None)
# Uses the page as a reader does, and says in its title what it then shows.
USE = '''<script>
var errors = []; window.onerror = function (m) { errors.push(m) };
var q = document.getElementById('q'), t = document.getElementById('timeline'), before = t.viewBox.baseVal.width;
q.value = 'stablehlo.dot_general'; q.dispatchEvent(new Event('input'));
var lines = document.getElementById('program').textContent.trim().split('\\n');
t.dispatchEvent(new WheelEvent('wheel', { deltaY: -1, clientX: 300, clientY: 300, cancelable: true }));
document.title = JSON.stringify({ errors: errors, found: document.getElementById('found').textContent, lines: lines.length,
    all: lines.every(function (l) { return l.indexOf('dot_general') > 0 }), zoomed: t.viewBox.baseVal.width / before,
    wide: document.documentElement.scrollWidth <= window.innerWidth,
    drawn: ['timeline', 'memory', 'roofline'].map(function (id) { return document.getElementById(id).getBBox().width }) });
</script></body>'''


def browse(page, *options):
    run = subprocess.run([CHROMIUM, '--headless', '--no-sandbox', '--disable-gpu', '--window-size=1280,1600', '--virtual-time-budget=5000',
                          '--user-data-dir=' + os.path.join(os.path.dirname(page), 'profile'), *options, 'file://' + page],
                         capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.skipif(CHROMIUM is None, reason='no chromium')
def test_the_page_works_in_a_browser(step, tmp_path):
    page, used, picture = str(tmp_path / 'page.html'), str(tmp_path / 'used.html'), str(tmp_path / 'page.png')
    weft('--topology', 'dgx-h100', '--html', page, step())
    with open(page, encoding='utf-8') as f:
        text = f.read()
    with open(used, 'w', encoding='utf-8') as f:
        f.write(text.replace('</body>', USE))
    dom = browse(used, '--dump-dom')
    told = json.loads(html.unescape(re.search(r'<title>(.*?)</title>', dom, re.S).group(1)))
    products = sum('stablehlo.dot_general' in line for line in STEP.split('\n'))
    assert told['errors'] == [] and told['all'] and told['lines'] == products and told['found'] == '%d lines' % products
    assert told['zoomed'] == pytest.approx(0.8) and told['wide'] and min(told['drawn']) > 100
    assert '&lt;w&gt;&amp;' in dom and '<w>' not in dom  # what the program is called is text
    browse(page, '--screenshot=' + picture)
    with open(picture, 'rb') as f:
        assert f.read(8) == b'\x89PNG\r\n\x1a\n' and os.path.getsize(picture) > 10000
