"""docs/dryrun.md lists every key of `weft dryrun --json`, and no other."""
import json
import os
import re
import subprocess

SOURCE = os.environ.get('top_srcdir', os.path.join(os.path.dirname(__file__), '..', '..'))
WEFT = os.environ.get('WEFT', os.path.join(os.environ.get('top_builddir', '.'), 'weft'))

PROGRAM = '''sdy.mesh @mesh = <["data"=2, "model"=4]>
func.func @main(%x: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                %w: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>},
                %whole: tensor<8192x8192xf32>)
    -> (tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<8192x8192xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}]> : tensor<64x64xf32>
  %2 = stablehlo.tanh %1 : tensor<64x64xf32>
  %3 = stablehlo.add %2, %w : tensor<64x64xf32>
  %4 = stablehlo.tanh %whole : tensor<8192x8192xf32>
  return %3, %4 : tensor<64x64xf32>, tensor<8192x8192xf32>
}
'''
# A step whose arguments, donated, leave enough memory.
TRAINS = '''sdy.mesh @mesh = <["data"=4]>
func.func @main(%w: tensor<3072x4096xf32>, %x: tensor<64x3072xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<3072x4096xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x3072xf32>, tensor<3072x4096xf32>) -> tensor<64x4096xf32>
  %g = stablehlo.dot_general %x, %h, contracting_dims = [0] x [0] : (tensor<64x3072xf32>, tensor<64x4096xf32>) -> tensor<3072x4096xf32>
  %n = stablehlo.subtract %w, %g : tensor<3072x4096xf32>
  %l = stablehlo.reduce(%h init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x4096xf32>, tensor<f32>) -> tensor<f32>
  return %n, %l : tensor<3072x4096xf32>, tensor<f32>
}
'''
# Printed where the run decides how much is sent (a ragged all_to_all).
ELSEWHERE = {'at_most'}


def documented():
    with open(os.path.join(SOURCE, 'docs', 'dryrun.md')) as f:
        text = f.read()
    section = text[text.index('## JSON'):text.index('## What it does not know')]
    keys = set()
    for line in section.split('\n'):
        if line.startswith('| `'):
            name, meaning = line.strip('| ').split(' | ', 1)
            keys |= set(re.findall(r'`(\w+)`', name)) | set(re.findall(r'`(\w+)`', meaning))
    return keys - {'fused', 'unfused', 'null'}


def keys_of(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key != 'class_time_s':
                yield from keys_of(inner)
    if isinstance(value, list):
        for inner in value:
            yield from keys_of(inner)


def printed(path, *options):
    run = subprocess.run([WEFT, 'dryrun', '--json', *options, path], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_every_key_is_documented(tmp_path):
    path = tmp_path / 'program.mlir'
    path.write_text(PROGRAM)
    reports = [printed(path), printed(path, '--topology', 'dgx-h100', '--obey-constraints'),
               printed(path, '--topology', 'dgx-h100:2', '--order', 'model,data')]
    tactics = tmp_path / 'tactics'
    tactics.write_text('data %x 0\nmodel %w 0\n')
    reports.append(printed(path, '--tactics', str(tactics), '--tokens', '64'))
    reports.append(printed(path, '--auto'))
    small = 'device 100Gflop/s bandwidth 10GB/s memory 100MiB nodes 1 { cpu 8 cache 10GB/s 500ns } fabric 1GB/s 5us'
    path.write_text(TRAINS)
    reports.append(printed(path, '--topology', small))
    reports.append(json.loads(subprocess.run([WEFT, 'dryrun', '--json', '--sweep', 'data=2..1024', '--strategy', 'dp', path],
                                             capture_output=True, text=True).stdout))
    assert all(r['schema'] == 1 for r in reports)
    seen = set(keys_of(reports))
    assert seen - documented() == set(), 'keys that docs/dryrun.md does not list'
    assert documented() - seen - ELSEWHERE == set(), 'keys that docs/dryrun.md lists and the tool does not print'
