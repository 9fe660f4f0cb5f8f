"""The collectives of the usual strategies on transformers of several depths, against the formulas of their papers:

  dp     one sum of all gradients: 2 (n-1)/n P
  fsdp   every matrix gathered and its gradient scattered: all_gather and reduce_scatter of P each (Zhao et al. 2023); in a loop
         over layers gathered in both passes
  zero1  gradients summed whole and new parameters gathered: 3 (n-1)/n P
  zero2  gradients scattered, new parameters gathered: P each, as much as dp (Rajbhandari et al. 2020)
  tp     four sums of the activations a layer, two in each pass (Shoeybi et al. 2019, section 3)
"""
import json
import os
import re
import subprocess

import pytest

jax = pytest.importorskip('jax')
import jax.numpy as jnp  # noqa: E402

WEFT = os.environ.get('WEFT', os.path.join(os.environ.get('top_builddir', '.'), 'weft'))
BATCH, SEQ, MODEL, HEADS, HIDDEN, VOCAB = 16, 32, 64, 8, 256, 512


def shapes(layers, scanned):
    layer = dict(qkv=(MODEL, 3, HEADS, MODEL // HEADS), out=(HEADS, MODEL // HEADS, MODEL), up=(MODEL, HIDDEN), bias=(HIDDEN,),
                 down=(HIDDEN, MODEL), norm=(MODEL,))
    f32 = lambda s: jax.ShapeDtypeStruct(s, jnp.float32)
    blocks = {k: f32((layers, *s)) for k, s in layer.items()} if scanned else [{k: f32(s) for k, s in layer.items()} for _ in range(layers)]
    return dict(embed=f32((VOCAB, MODEL)), head=f32((MODEL, VOCAB)), blocks=blocks)


def block(x, p):
    def norm(x):
        return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5) * p['norm']
    q, k, v = jnp.moveaxis(jnp.einsum('btd,dnhk->btnhk', norm(x), p['qkv']), 2, 0)
    scores = jnp.where(jnp.tril(jnp.ones((SEQ, SEQ), bool)), jnp.einsum('bthk,bshk->bhts', q, k), -1e9)
    x = x + jnp.einsum('bthk,hkd->btd', jnp.einsum('bhts,bshk->bthk', jax.nn.softmax(scores), v), p['out'])
    return x + jnp.einsum('btf,fd->btd', jax.nn.relu(jnp.einsum('btd,df->btf', norm(x), p['up']) + p['bias']), p['down'])


def loss(params, tokens, targets, halves=False):
    """halves: layers in bf16, whose scan keeps the converted weights of each layer for its backward pass."""
    x = params['embed'][tokens]
    if halves:
        x, _ = jax.lax.scan(lambda x, p: (block(x, jax.tree.map(lambda w: w.astype(jnp.bfloat16), p)), None), x.astype(jnp.bfloat16),
                            params['blocks'])
        x = x.astype(jnp.float32)
    elif isinstance(params['blocks'], dict):
        x, _ = jax.lax.scan(lambda x, p: (block(x, p), None), x, params['blocks'])
    else:
        for p in params['blocks']:
            x = block(x, p)
    logits = jax.nn.log_softmax(jnp.einsum('btd,dv->btv', x, params['head']))
    return -jnp.mean(jnp.take_along_axis(logits, targets[..., None], -1))


def step(params, moments, tokens, targets, halves=False):
    value, grads = jax.value_and_grad(loss)(params, tokens, targets, halves)
    moments = jax.tree.map(lambda m, g: 0.9 * m + g, moments, grads)
    return jax.tree.map(lambda p, m: p - 0.1 * m, params, moments), moments, value


def size(params):
    return sum(4 * s.size for s in jax.tree.leaves(params))


@pytest.fixture(scope='module')
def program(tmp_path_factory):
    folder, made = tmp_path_factory.mktemp('transformers'), {}

    def make(layers, scanned, batch=BATCH, halves=False):
        path = folder / ('%d%s-%d%s.mlir' % (layers, 'scanned' if scanned else '', batch, 'halves' if halves else ''))
        if path not in made:
            params = shapes(layers, scanned)
            tokens = jax.ShapeDtypeStruct((batch, SEQ), jnp.int32)
            jitted = jax.jit(step, donate_argnums=(0, 1), static_argnums=4)
            lowered = jitted.lower(params, params, tokens, tokens, halves)
            path.write_text(lowered.as_text(debug_info=True))
            made[path] = size(params)
        return path, made[path]
    return make


def dry_run(path, strategy, mesh, *options):
    run = subprocess.run([WEFT, 'dryrun', '--json', '--strategy', strategy, '--mesh', mesh, *options, str(path)], capture_output=True,
                         text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def totals(report):
    """By kind and axes: calls, bytes of the full tensors, bytes on the wire."""
    sums = {}
    for c in report['collectives']:
        calls, of, wire = sums.get((c['kind'], c['axes']), (0, 0, 0))
        sums[c['kind'], c['axes']] = calls + c['count'], of + c['bytes'], wire + c['wire_bytes']
    return sums


def assert_sums_whole(sums, parameters):
    """All gradients, and the loss, over 8 devices."""
    _, whole, wire = sums['all_reduce', 'data']
    assert whole == parameters + 4 and wire == 2 * 7 * whole // 8


DEPTHS = [1, 2, 3, 5]
BOTH = pytest.mark.parametrize('scanned', [False, True])
DEEP = pytest.mark.parametrize('layers', DEPTHS)


@BOTH
@DEEP
def test_dp_sums_gradients_once(program, layers, scanned):
    path, parameters = program(layers, scanned)
    sums = totals(dry_run(path, 'dp', 'data=8'))
    assert set(sums) == {('all_reduce', 'data')}
    assert_sums_whole(sums, parameters)


@BOTH
@DEEP
def test_fsdp_gathers_and_scatters(program, layers, scanned):
    path, parameters = program(layers, scanned)
    report = dry_run(path, 'fsdp', 'data=8')
    sums = totals(report)
    stacked = 4 * layers * (4 * MODEL * MODEL + 2 * MODEL * HIDDEN + HIDDEN + MODEL)
    gathered, scattered = sums['all_gather', 'data'][1], sums['reduce_scatter', 'data'][1]
    # what is too small to be split is summed whole; the plan may move activations of the table's rows in place of the table
    small = 4 * BATCH * SEQ * MODEL
    assert parameters - 2 * small <= scattered <= parameters
    assert parameters - 2 * small <= gathered <= parameters + (stacked if scanned else 0) + 4 * layers * MODEL
    assert report['wire_bytes'] <= 7 * (gathered + scattered) // 8 + 8 * small
    # every device holds an eighth of parameters and moments, but for what no axis divides
    data = 2 * 4 * BATCH * SEQ // 8
    assert 2 * parameters // 8 + data <= report['memory']['arguments'] <= 2 * parameters // 8 + data + 64


@BOTH
@DEEP
def test_zero2_sends_as_much_as_dp(program, layers, scanned):
    path, parameters = program(layers, scanned)
    report = dry_run(path, 'zero2', 'data=8')
    sums = totals(report)
    small = 4 * BATCH * SEQ * MODEL
    assert abs(sums['reduce_scatter', 'data'][1] - parameters) <= 2 * small
    assert abs(sums['all_gather', 'data'][1] - parameters) <= 2 * small
    assert report['memory']['arguments'] < parameters + parameters // 8 + 2 * 4 * BATCH * SEQ // 8 + 64


@BOTH
@DEEP
def test_zero1_sums_gradients_whole(program, layers, scanned):
    """Half as much again as zero2: all gradients are summed as under dp, and the new parameters are gathered."""
    path, parameters = program(layers, scanned)
    report = dry_run(path, 'zero1', 'data=8')
    sums = totals(report)
    assert set(sums) == {('all_reduce', 'data'), ('all_gather', 'data')}
    assert_sums_whole(sums, parameters)
    assert sums['all_gather', 'data'][1] == parameters
    assert sums['all_gather', 'data'][2] == 7 * parameters // 8
    zero2 = dry_run(path, 'zero2', 'data=8')
    assert report['memory']['arguments'] == zero2['memory']['arguments']
    assert report['wire_bytes'] > 1.3 * zero2['wire_bytes']


@BOTH
def test_tp_sums_four_times_a_layer(program, scanned):
    calls = {}
    for layers in DEPTHS:
        path, parameters = program(layers, scanned)
        report = dry_run(path, 'tp', 'model=4')
        sums = totals(report)
        assert set(sums) == {('all_reduce', 'model')}
        calls[layers] = sums['all_reduce', 'model'][0]
        activations = 4 * BATCH * SEQ * MODEL
        whole = [c for c in report['collectives'] if c['bytes'] == c['count'] * activations]
        # and one for the table of the vocabulary, one for the gradient out of the logits
        assert sum(c['count'] for c in whole) == 4 * layers + 2
    assert all(calls[n] - calls[1] == 4 * (n - 1) for n in DEPTHS)


@DEEP
def test_weights_that_a_scan_keeps_in_bf16_are_parameters(program, layers):
    """Strategies split what they split where the backward pass reads the weights themselves."""
    (path, _), (same, _) = program(layers, True, halves=True), program(layers, True)
    for strategy, mesh in [('fsdp', 'data=8'), ('zero1', 'data=8'), ('tp', 'model=4'), ('fsdp+tp', 'data=2,model=4')]:
        assert dry_run(path, strategy, mesh)['memory']['arguments'] == dry_run(same, strategy, mesh)['memory']['arguments']
    sums = [c for c in dry_run(path, 'tp', 'model=4')['collectives'] if c['bytes'] == c['count'] * 2 * BATCH * SEQ * MODEL]
    assert sum(c['count'] for c in sums) == 4 * layers


@pytest.mark.parametrize('scanned', [False, True])
def test_a_decoder_has_a_batch_and_caches(tmp_path, scanned):
    """Its tokens come back as the next ones, and its caches, of which a scan gets and gives one for each layer."""
    layers, batch, seq, d, v = 3, 8, 40, 64, 96
    f32 = lambda *s: jax.ShapeDtypeStruct(s, jnp.float32)

    def layer(x, inputs):
        w, cache = inputs
        cache = jax.lax.dynamic_update_slice(cache, (x @ w)[:, None], (0, 3, 0))
        p = jax.nn.softmax(jnp.einsum('bd,btd->bt', x, cache))
        return x + jnp.einsum('bt,btd->bd', p, cache), cache

    def decode(table, weights, caches, tokens):
        x = table[tokens]
        if scanned:
            x, caches = jax.lax.scan(layer, x, (weights, caches))
        else:
            pairs = []
            for w, cache in zip(weights, caches):
                x, cache = layer(x, (w, cache))
                pairs.append(cache)
            caches = pairs
        return caches, jnp.argmax(x @ table.T, -1).astype(jnp.int32)

    many = (lambda *s: f32(layers, *s)) if scanned else (lambda *s: [f32(*s)] * layers)
    lowered = jax.jit(decode, donate_argnums=2).lower(f32(v, d), many(d, d), many(batch, seq, d), jax.ShapeDtypeStruct((batch,), jnp.int32))
    path = tmp_path / 'decode.mlir'
    path.write_text(lowered.as_text(debug_info=True))
    parameters, caches = 4 * (v * d + layers * d * d), 4 * layers * batch * seq * d
    report = dry_run(path, 'dp', 'data=8')
    assert report['wire_bytes'] == 0
    use = report['memory_use']
    assert (use['parameters'], use['state'], use['data']) == (parameters, caches // 8, 4)


def test_the_batch_is_no_dimension_that_a_loop_goes_through(tmp_path):
    """Micro-batches and steps of time come one by one: an axis along them would leave each device all the work."""
    d, size, many = 64, 16, 6
    f32 = lambda *s: jax.ShapeDtypeStruct(s, jnp.float32)

    def accumulate(w, batches):
        def add(sums, x):
            return sums + jax.grad(lambda w: jnp.sum(jnp.tanh(jnp.tanh(x @ w) @ w)))(w), None
        sums, _ = jax.lax.scan(add, jnp.zeros_like(w), batches)
        return w - 0.1 * sums, jnp.sum(sums)

    def recur(w, steps):
        def loss(w):
            _, ys = jax.lax.scan(lambda h, x: (jnp.tanh(x + h @ w),) * 2, jnp.zeros(steps.shape[1:]), steps)
            return jnp.sum(ys)
        value, grad = jax.value_and_grad(loss)(w)
        return w - 0.1 * grad, value

    for function in accumulate, recur:
        path, other = (tmp_path / ('%s%d.mlir' % (function.__name__, n)) for n in (1, 3))
        for file, batch in (path, size), (other, 3 * size):
            lowered = jax.jit(function, donate_argnums=0).lower(f32(d, d), f32(many, batch, d))
            file.write_text(lowered.as_text(debug_info=True))
        report, alone = dry_run(path, 'dp', 'data=8'), dry_run(path, 'dp', 'data=1')
        assert report['memory_use']['data'] == alone['memory_use']['data'] // 8
        assert report['flops'] < 0.5 * alone['flops']  # what is not of the batch is each device's own
        changed = dry_run(path, 'dp', 'data=8', '--batch', str(3 * size))
        assert changed['flops'] == dry_run(other, 'dp', 'data=8')['flops']


@DEEP
def test_axes_are_of_one_strategy_each(program, layers):
    path, parameters = program(layers, False)
    both, tp = totals(dry_run(path, 'dp+tp', 'data=2,model=4')), totals(dry_run(path, 'tp', 'model=4'))
    assert set(both) == {('all_reduce', 'data'), ('all_reduce', 'model')}
    assert both['all_reduce', 'model'][0] == tp['all_reduce', 'model'][0]
    assert 2 * both['all_reduce', 'model'][1] == tp['all_reduce', 'model'][1]
    assert both == totals(dry_run(path, 'tp:model+dp:data', 'data=2,model=4'))
    mixed = totals(dry_run(path, 'fsdp+tp', 'data=2,model=4'))
    assert mixed['all_reduce', 'model'] == both['all_reduce', 'model']
    assert mixed['reduce_scatter', 'data'][0] > 0


@DEEP
def test_sp_splits_what_tp_sums(program, layers):
    path, parameters = program(layers, False)
    activations = 4 * BATCH // 2 * SEQ * MODEL
    tp, sp = dry_run(path, 'dp+tp', 'data=2,model=4'), dry_run(path, 'dp+tp+sp', 'data=2,model=4')
    assert ('reduce_scatter', 'model') in totals(sp)
    # no activations are summed whole; what was gathered forward may be gathered again for gradients of matrices
    assert all(c['bytes'] < c['count'] * activations for c in sp['collectives'] if c['kind'] == 'all_reduce' and c['axes'] == 'model')
    assert any(c['bytes'] == c['count'] * activations for c in tp['collectives'] if c['kind'] == 'all_reduce' and c['axes'] == 'model')
    assert sp['wire_bytes'] <= 1.5 * tp['wire_bytes']


@BOTH
def test_another_batch_is_the_program_of_that_batch(program, scanned):
    path, _ = program(2, scanned)
    other, _ = program(2, scanned, 3 * BATCH)
    for strategy in ['dp', 'fsdp+tp', 'dp+tp+sp']:
        mesh = 'data=2,model=4'
        changed, written = dry_run(path, strategy, mesh, '--batch', str(3 * BATCH)), dry_run(other, strategy, mesh)
        for key in ['flops', 'wire_bytes', 'peak_memory_bytes', 'memory', 'collective_calls', 'step_time_s']:
            assert changed[key] == written[key], (strategy, key)
        same = dry_run(path, strategy, mesh, '--batch', str(BATCH))
        assert same['flops'] == dry_run(path, strategy, mesh)['flops'] < changed['flops']


def test_a_strategy_is_another_annotation_of_the_same_program(program, tmp_path):
    """Weft's own check that a partitioned program computes what the program does."""
    path, parameters = program(2, True)
    for strategy in ['dp', 'fsdp', 'zero1', 'zero2', 'tp', 'cp', 'fsdp+tp', 'dp+tp+sp']:
        written = tmp_path / (strategy + '.mlir')
        dry_run(path, strategy, 'data=2,model=2', '--write', str(written))
        run = subprocess.run([WEFT, 'verify', '--rtol', '1e-3', '--atol', '1e-4', str(written)], capture_output=True, text=True)
        assert run.returncode == 0, (strategy, run.stdout, run.stderr)


@pytest.mark.parametrize('platform', ['cpu', 'tpu'])
def test_experts_of_ragged_products(tmp_path, platform):
    """Tokens sorted by their experts: JAX writes masked products for the CPU, and chlo.ragged_dot as a composite else."""
    experts, d, hidden, tokens = 4, 16, 32, 24
    f32 = lambda *s: jax.ShapeDtypeStruct(s, jnp.float32)

    def moe(p, x):
        gates = jax.nn.softmax(x @ p['gate'])
        expert = jnp.argmax(gates, -1)
        order, sizes = jnp.argsort(expert), jnp.bincount(expert, length=experts)
        y = jax.lax.ragged_dot(jax.nn.gelu(jax.lax.ragged_dot(x[order], p['up'], sizes)), p['down'], sizes)
        return jnp.zeros_like(x).at[order].set(y) * jnp.max(gates, -1, keepdims=True)

    def train(p, x, t):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((moe(p, x) - t) ** 2))(p)
        return jax.tree.map(lambda a, b: a - .1 * b, p, grads), loss

    params = {'gate': f32(d, experts), 'up': f32(experts, d, hidden), 'down': f32(experts, hidden, d)}
    exported = jax.export.export(jax.jit(train), platforms=[platform])(params, f32(tokens, d), f32(tokens, d))
    path = tmp_path / 'moe.mlir'
    path.write_text(exported.mlir_module())
    for strategy in ['ep', 'dp+ep', 'fsdp+ep', 'dp+ep+tp']:
        written = tmp_path / (strategy + '.mlir')
        dry_run(path, strategy, 'data=2,expert=2,model=2', '--write', str(written))
        main = written.read_text().split('@main(')[1].split('->')[0]
        assert len(re.findall(r'tensor<4x(?:16x32|32x16)xf32> {[^}]*\[{"expert"', main)) == 2, main
        run = subprocess.run([WEFT, 'verify', str(written)], capture_output=True, text=True)
        assert run.returncode == 0, (strategy, run.stdout, run.stderr)


def test_tactics_say_what_they_add(program, tmp_path):
    path, parameters = program(3, False)
    tactics = tmp_path / 'tactics'
    tactics.write_text('# Megatron\ndata dp\n\nmodel, *up, 1\nmodel *down 0\n')
    run = subprocess.run([WEFT, 'dryrun', '--json', '--tactics', str(tactics), '--mesh', 'data=2,model=4', str(path)], capture_output=True,
                         text=True)
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    stages = report['tactics']
    assert [s['tactic'] for s in stages] == ['(none)', 'data dp', 'model, *up, 1', 'model *down 0']
    assert stages[0]['wire_bytes'] == 0 and stages[0]['changes'] == []
    assert [(c['kind'], c['axes'], c['count'] > 0) for c in stages[1]['changes']] == [('all_reduce', 'data', True)]
    have = {}
    for s in stages:
        for c in s['changes']:
            have[c['kind'], c['axes']] = have.get((c['kind'], c['axes']), 0) + c['count']
    assert {k: v for k, v in have.items() if v} == {k: v[0] for k, v in totals(report).items()}
    last = stages[-1]
    assert (last['wire_bytes'], last['peak_memory_bytes'], last['step_time_s']) == (
        report['wire_bytes'], report['peak_memory_bytes'], report['step_time_s'])
    text = subprocess.run([WEFT, 'dryrun', '--tactics', str(tactics), '--mesh', 'data=2,model=4', str(path)], capture_output=True, text=True)
    assert 'model *down 0 ' in text.stdout and ' all_reduce over data\n' in text.stdout


def test_tactics_are_priced_as_the_program_is(program, tmp_path):
    """On a machine of the user's folder, and with as many threads."""
    path, _ = program(1, False)
    (tmp_path / 'mine.machine').write_text('device 100Gflop/s bandwidth 10GB/s\ncores 8 cache 10GB/s 500ns\n')
    tactics = tmp_path / 'tactics'
    tactics.write_text('data dp\n')
    run = subprocess.run([WEFT, 'dryrun', '--json', '--tactics', str(tactics), '--mesh', 'data=8', '--topology', 'mine', '--threads', '4',
                          str(path)], capture_output=True, text=True, env=dict(os.environ, WEFT_MACHINES=str(tmp_path)))
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report['tactics'][-1]['step_time_s'] == report['step_time_s']


@pytest.mark.parametrize('line, column, said', [
    ('dataa dp', 3, "the mesh has no axis 'dataa'; did you mean 'data'?"),
    ('data', 3, "a tactic is 'AXIS STRATEGY' or 'AXIS PATTERN DIMENSION', such as 'model params*wq 1'"),
    ('data a b c', 3, "a tactic is 'AXIS STRATEGY'"),
    ('data *upp 1', 3, "no argument matches '*upp'; the nearest: "),
    ('data *up one', 3, "'one' is no number of a dimension"),
    ('data params*up 2', 3, 'has no dimension 2'),
    ('data params*embed 0\n  data params*embed 1', 3, "is split along axis 'data' already"),
    ('three params*embed 0', 3, "axis 'three' of 3 does not divide dimension 0 of argument"),
    ('data dpp', 3, "there is no strategy 'dpp'"),
])
def test_tactics_are_refused_at_their_places(program, tmp_path, line, column, said):
    path, parameters = program(1, False)
    tactics = tmp_path / 'tactics'
    tactics.write_text('# comment\n  %s\n' % line)
    run = subprocess.run([WEFT, 'dryrun', '--tactics', str(tactics), '--mesh', 'data=2,three=3', str(path)], capture_output=True, text=True)
    number = 2 + line.count('\n')
    assert run.returncode == 2, run.stderr
    assert run.stderr.startswith('%s:%d:%d: error: ' % (tactics, number, column)), run.stderr
    assert said in run.stderr.split('\n')[0]
