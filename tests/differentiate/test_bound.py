"""Loops whose iterations only the run knows, with a bound that the user gives: gradients are right up to the bound, and
NaN beyond it."""
import os
import subprocess

import numpy as np
import pytest

WEFT = os.environ.get('WEFT', os.path.join(os.environ.get('top_builddir', os.getcwd()), 'weft'))

# x is multiplied by w until it is 100 or more
PROGRAM = """
func.func @main(%x: tensor<f64>, %w: tensor<f64>) -> tensor<f64> {
  %limit = stablehlo.constant dense<100.0> : tensor<f64>
  %r = stablehlo.while(%a = %x) : tensor<f64>
   cond {
    %more = stablehlo.compare LT, %a, %limit : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %n = stablehlo.multiply %a, %w : tensor<f64>
    stablehlo.return %n : tensor<f64>
  }
  return %r : tensor<f64>
}
"""


def run(folder, option, inputs, results):
    (folder / 'f.mlir').write_text(PROGRAM)
    made = subprocess.run([WEFT, 'opt', '--verify-each', option, str(folder / 'f.mlir')], capture_output=True,
                          text=True)
    assert made.returncode == 0, made.stderr
    (folder / 'g.mlir').write_text(made.stdout)
    for i, v in enumerate(inputs):
        np.save(folder / ('in%d.npy' % i), np.float64(v))
    ran = subprocess.run([WEFT, 'run', '--inputs=%s' % folder, '--outputs=%s' % folder, str(folder / 'g.mlir')],
                         capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return [float(np.load(folder / ('out%d.npy' % i))) for i in range(results)]


# 2 becomes 128 by six factors of 2, and 150 is not multiplied
@pytest.mark.parametrize('x, w, bound, trips', [
    (2, 2, 6, 6), (2, 2, 40, 6), (2, 2, 5, 6), (2, 2, 1, 6), (150, 2, 1, 0), (2, 50, 1, 1), (1, 50, 1, 2)])
def test_bound(tmp_path, x, w, bound, trips):
    y, dx, dw = run(tmp_path, '--weft-differentiate=of=0 wrt=0,1 bound=%d' % bound, [x, w], 3)
    assert y == x * w ** trips
    want = (w ** trips, trips * x * w ** (trips - 1)) if trips <= bound else (np.nan, np.nan)
    np.testing.assert_allclose((dx, dw), want, rtol=1e-14)


@pytest.mark.parametrize('bound, want', [(6, 64 + 0.5 * 384), (5, np.nan)])
def test_bound_along(tmp_path, bound, want):
    y, along = run(tmp_path, '--weft-differentiate-along=of=0 wrt=0,1 bound=%d' % bound, [2, 2, 1, 0.5], 2)
    assert y == 128
    np.testing.assert_allclose(along, want, rtol=1e-14)
