"""Ops that the program wants as terms of a sum: each device has a term, and the op of the sum is the sum of the ops. Nothing is sent within."""
import pytest
from test_sorts import run

TERMS = '{sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced={"x"}>]>}'
OPS = {
    'reverse': ('stablehlo.reverse %d, dims = [0] TERMS : tensor<4x6xf32>', '4x6'),
    'slice': ('stablehlo.slice %d [1:3, 0:6:2] TERMS : (tensor<4x6xf32>) -> tensor<2x3xf32>', '2x3'),
    'pad with zeros': ('stablehlo.pad %d, %zero, low = [1, 0], high = [0, 2], interior = [1, 0] TERMS : (tensor<4x6xf32>, tensor<f32>) -> tensor<8x8xf32>', '8x8'),
    'gather': ('"stablehlo.gather"(%d, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], '
               'index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> TERMS : (tensor<4x6xf32>, tensor<3xi32>) -> tensor<3x6xf32>', '3x6'),
    'pad with ones': ('stablehlo.pad %d, %one, low = [1, 0], high = [0, 2], interior = [1, 0] TERMS : (tensor<4x6xf32>, tensor<f32>) -> tensor<8x8xf32>', '8x8'),
}


@pytest.mark.parametrize('name', OPS)
def test_op_of_terms(tmp_path, name):
    op, shape = OPS[name]
    file = tmp_path / 'p.mlir'
    file.write_text(('''sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
                %i: tensor<3xi32>) -> (tensor<SHAPExf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x"}>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %d = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] TERMS : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %r = ''' + op + '''
  return %r : tensor<SHAPExf32>
}
''').replace('TERMS', TERMS).replace('SHAPE', shape))
    verified = run('verify', file)
    if name == 'pad with ones':
        assert verified.returncode == 1 and "'stablehlo.pad' cannot leave a partial sum" in verified.stderr, verified.stderr
        return
    assert verified.returncode == 0, verified.stderr + verified.stdout
    local = run('opt', '--weft-partition', file)
    assert local.returncode == 0 and 'all_reduce' not in local.stdout, local.stderr + local.stdout
