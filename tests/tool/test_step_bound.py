"""The bound of bench/step: the rates of `weft tune`'s table and the work that `weft run --profile` counts, by programs whose work is known."""
import os
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.join(os.environ.get('top_srcdir', '.'), 'bench'))
sys.dont_write_bytecode = True
import bound  # noqa: E402

WEFT = os.environ.get('WEFT', os.path.join(os.environ.get('top_builddir', '.'), 'weft'))
TABLE = 'weft-tune 1\nproduct f32 98.4Gflop/s\nproduct f64 900Mflop/s\nmemory 27.5GB/s 30GB/s\n'

# A product of 2 * 128^3 flops, then tanh of it; the same four times in a loop that is one function.
STEP = '''    %{d} = stablehlo.dot_general %{x}, %w, contracting_dims = [1] x [0] : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %{t} = stablehlo.tanh %{d} : tensor<128x128xf32>
'''
ONCE = ('func.func @main(%x: tensor<128x128xf32>, %w: tensor<128x128xf32>) -> tensor<128x128xf32> {\n' +
        STEP.format(d='d', x='x', t='t') + '  return %t : tensor<128x128xf32> }\n')
LOOP = '''func.func @main(%x: tensor<128x128xf32>, %w: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c4 = stablehlo.constant dense<4> : tensor<i32>
  %r:2 = stablehlo.while(%i = %c0, %y = %x) : tensor<i32>, tensor<128x128xf32>
    cond {
      %m = stablehlo.compare LT, %i, %c4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %m : tensor<i1>
    } do {
      %n = stablehlo.add %i, %c1 : tensor<i32>
''' + STEP.format(d='d', x='y', t='t') + '''      stablehlo.return %n, %t : tensor<i32>, tensor<128x128xf32>
    }
  return %r#1 : tensor<128x128xf32> }
'''


@pytest.mark.parametrize('program, times, passes', [(ONCE, 1, 1), (LOOP, 4, 5)])  # the loop first copies %x
def test_work(tmp_path, program, times, passes):
    (tmp_path / 'p.mlir').write_text(program)
    out = subprocess.run([WEFT, 'run', str(tmp_path / 'p.mlir'), '--repeat', '3', '--profile'], check=True, capture_output=True, text=True).stdout
    flops, moved = bound.read_work(out)
    assert flops == times * 2 * 128 ** 3
    assert moved == pytest.approx(passes * 2 * 4 * 128 ** 2, rel=0.001)  # the loop's counter beside


def test_rates():
    assert bound.read_rates(TABLE, 't') == (98.4e9, 27.5e9, 30e9)
    assert bound.read_rates(TABLE, 't', 'f64') == (900e6, 27.5e9, 30e9)
    assert bound.read_rates(TABLE.replace(' 30GB/s', ''), 't') == (98.4e9, 27.5e9, 27.5e9)
    for line in TABLE.splitlines()[1:2] + TABLE.splitlines()[3:]:
        with pytest.raises(SystemExit, match='t has no rates'):
            bound.read_rates(TABLE.replace(line, ''), 't')


def test_bound():
    rates = 100e9, 20e9, 30e9
    assert bound.bound(rates, (1e9, 3e9), 1, 1) == pytest.approx((0.01, 0.15))
    assert bound.bound(rates, (1e9, 3e9), 1, 2) == pytest.approx((0.005, 0.1))  # all memory gives is 30 GB/s
    assert bound.bound(rates, (1e9, 3e9), 2, 2) == pytest.approx((0.01, 0.2))   # each device does as much
    assert bound.bound(rates, (1e9, 3e9), 4, 2) == pytest.approx((0.02, 0.4))   # on two cores, one after the other
    assert bound.bound(rates, (1e9, 3e9), 2, 3) == pytest.approx((0.01, 0.2))   # the third has nothing to do
