"""What Weft refuses, as a table: a row is a command, a text and what is said. And no refusal goes without: every diagnostic that the sources can give
is in some test's words, or in unseen.txt with the reason why no test gives it.
"""
import glob
import os
import re
import subprocess

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.abspath(os.environ.get('top_srcdir', os.path.join(HERE, '..', '..')))
TOP = os.environ.get('top_builddir', os.getcwd())
WEFT = os.environ.get('WEFT', os.path.join(TOP, 'weft'))
ROOMS = 'base ir mlir sharding propagate partitioner legalize codegen exec kernels runtime collectives topology cost pipeline capi tool'.split()


def body(op):
    """A function of one matrix with one op in it."""
    return 'func.func @main(%%a: tensor<8x4xf32>) -> tensor<8x4xf32> {\n  %s\n  return %%a : tensor<8x4xf32>\n}\n' % op


def attribute(text):
    return 'module attributes {a = %s} {\n}\n' % text


def main(mesh, head, *lines):
    return mesh + 'func.func @main(%s {\n%s}\n' % (head, ''.join('  %s\n' % line for line in lines))


NONE = ''
MESH = 'sdy.mesh @mesh = <["x"=2, "y"=2]>\n'
MANY = 'sdy.mesh @mesh = <[%s]>\n' % ', '.join('"a%d"=1' % i for i in range(65))
SHARDED = main('sdy.mesh @mesh = <["x"=2]>\n', '%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32>', 'return %a : tensor<4xf32>')
CALL = body('%0 = stablehlo.custom_call @t(%a) : (tensor<8x4xf32>) -> tensor<8x4xf32>')


def called(place):
    """CALL, which is kept, at a place."""
    return CALL.replace('@t(%a)', '@t(%a) {has_side_effect = true}').replace('\n  return', ' loc(%s)\n  return' % place)


CONVOLUTION = '%%0 = stablehlo.convolution(%%a, %%a) dim_numbers = [b, f]x[i, o]->[b, f], window = {%s} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : ' \
              '(tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>'
GROUPED = '%a: tensor<4xf32>) -> tensor<4xf32>', 'sdy.sharding_group %a group_id=0 : tensor<4xf32>', \
    '%0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%b: tensor<4xf32>) {', \
    '  sdy.sharding_group %b group_id=0 : tensor<4xf32>', '  sdy.return %b : tensor<4xf32>', '} : (tensor<4xf32>) -> tensor<4xf32>', 'return %0 : tensor<4xf32>'
STRIDE_0 = main(NONE, '%a: tensor<8xf32>) -> tensor<?xf32>', '%c = stablehlo.constant dense<0> : tensor<1xi32>', '%d = stablehlo.constant dense<4> : tensor<1xi32>',
                '%0 = stablehlo.real_dynamic_slice %a, %c, %d, %c : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>', 'return %0 : tensor<?xf32>')
SHORTER = main(NONE, '%a: tensor<4xf32>) -> tensor<2xf32>', '%0 = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32>', 'return %0 : tensor<2xf32>')
PRODUCT = main('sdy.mesh @mesh = <["x"=2]>\n', '%a: tensor<8x4xf32>, %w: tensor<4x6xf32>) -> tensor<8x6xf32>',
               '%0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>',
               'return %0 : tensor<8x6xf32>')
BATCH = main('sdy.mesh @mesh = <["x"=2]>\n', '%a: tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<3x5xf32>) -> tensor<3x5xf32>',
             '%0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>',
             '%z = stablehlo.constant dense<0.0> : tensor<f32>',
             '%1 = stablehlo.pad %0, %z, low = [0, 0], high = [-1, 0], interior = [0, 0] : (tensor<4x5xf32>, tensor<f32>) -> tensor<3x5xf32>',
             'return %1 : tensor<3x5xf32>')
TWICE = main(NONE, '%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)', 'return %a, %a : tensor<4xf32>, tensor<4xf32>')

# Command (the text follows it), text, what is said.
ROWS = [
    # the text
    ('opt', attribute('#foo.bar<(]>'), "expected ')', found ']'"),
    ('opt', body('%0 = stablehlo.compare FOO, %a, %a : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xi1>'), "'FOO' is no comparison_direction"),
    ('opt', attribute('array<tensor: 1>'), "'tensor' is no element type of an array"),
    ('opt', attribute('1 : tensor<2xi32>'), 'a number cannot be of this type'),
    ('opt', attribute('1.5 : i32'), "a float where 'i32' is wanted"),
    ('opt', attribute('dense<[1]> : tensor<i32>'), 'a list where the type is one element'),
    ('opt', attribute('dense<0x> : tensor<i32>'), "'0x' without digits"),
    ('opt', attribute('dense<-0x7F800000> : tensor<f32>'), 'a bit pattern has no sign'),
    ('opt', body('%0:2 = stablehlo.negate %a : tensor<8x4xf32>'), "'stablehlo.negate' has 1 result, but 2 are named"),
    ('opt', body('%0 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = 3>} : tensor<8x4xf32>'),
     'expected #stablehlo.result_accuracy_mode<...>'),
    ('opt', attribute('#stablehlo.gather<offset_dim = [1]>'), "unknown field 'offset_dim'"),
    ('opt', attribute('#stablehlo.scatter<foo = [1]>'), "unknown field 'foo'"),
    ('opt', body('%0 = stablehlo.pad %a, %a, low = [1], hi = [1], interior = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>'), "expected 'high', found 'hi'"),
    ('opt', body(CONVOLUTION % 'pad = [[0]]'), 'expected a pair of integers'),
    ('opt', body(CONVOLUTION % 'padding = [[0, 0]]'), "unknown window field 'padding'"),
    ('opt', body('%0 = stablehlo.reduce_precision %a, format = m3e4 : tensor<8x4xf32>'), "expected a format such as e5m10, found 'm3e4'"),
    ('opt', body('%0 = 3'), "expected an op, found '3'"),
    ('opt', 'module {\n', 'expected an op, found the end of the text'),
    ('opt', 'module {\n module {\n }\n}\n', 'a module inside a module'),
    # passes and their options
    ('opt --weft-propagate', main(MANY, '%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a1"}]>})', 'return'), 'a mesh of 65 axes; at most 64 can be handled'),
    ('opt --sdy-aggressive-propagate=propagation-strategy=fast', CALL, "propagation-strategy is basic, aggressive or basic-then-aggressive, not 'fast'"),
    ('opt --sdy-sharding-group-import', main(MESH, *GROUPED), 'ShardingGroupOps values cannot cross ManualComputationOp boundaries for groupId: 0'),
    ('opt --sdy-convert-global-to-local', main(MESH, '%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32>',
                                               '%0 = sdy.reshard %a <@mesh, [{}]> : tensor<4xf32>', 'return %0 : tensor<4xf32>'),
     'sdy.reshard moves data: run sdy-reshard-to-collectives before'),
    ('opt --sdy-basic-propagate', main(MESH, '%a: tensor<?xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<?xf32>',
                                       '%0 = stablehlo.negate %a : tensor<?xf32>', 'return %0 : tensor<?xf32>'), 'shardings propagate only through tensors of static shape'),
    ('opt --sdy-basic-propagate', main(MESH, '%a: tensor<4xf32>) -> tensor<4xf32>', '%0 = sdy.data_flow_edge %a : tensor<4xf32>', 'return %0 : tensor<4xf32>'),
     'sdy.data_flow_edge of a value that owns no edge'),
    ('opt --stablehlo-refine-shapes --stablehlo-canonicalize-dynamism', STRIDE_0, "'stablehlo.real_dynamic_slice': stride 0 is 0"),
    ('opt --stablehlo-refine-arguments=types=tensor<3xf32>', CALL, "refinement rank must match operand rank in 'tensor<8x4xf32>' -> 'tensor<3xf32>'"),
    ('opt --stablehlo-refine-arguments=types=tensor<8x4xf32>,tensor<8x4xf32>', CALL, 'number of refinements must match number of op operands 2 vs 1'),
    ('opt --weft-draw-shardings=mesh=q', CALL, "'q' is not a mesh of at most 8 axes, such as 'x=2,y=4'"),
    ('opt --weft-propagate --rule t=ab', CALL, "the rule for 't': expected a letter, ',' or '->' at column 3"),
    ('opt --pass-pipeline=cse,,', CALL, "',' in --pass-pipeline is not PASS, PASS{options} or OP(passes)"),
    ('opt --pass-pipeline=builtin.module(cse)cse', CALL, "expected ',' in --pass-pipeline, found 'cse'"),
    ('opt --pass-pipeline=sdy-aggressive-propagate{propagation-strategy="basic}', CALL, "the value of option 'propagation-strategy' of pass 'sdy-aggressive-propagate' is not closed"),
    ('opt --cse==x', CALL, "pass 'cse' has an option without a name: '=x'"),
    ('opt --sdy-resolve-permutation-factors=enable-halo-exchange=maybe', CALL,
     "option 'enable-halo-exchange' of pass 'sdy-resolve-permutation-factors' takes true or false, not 'maybe'"),
    # what Shardy wrote as texts
    ('opt --weft-import', 'module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = 3}"}} {\n}\n', "'mesh' of 'xla.sdy.meshes' is not a mesh"),
    ('opt --weft-import', main(NONE, '%a: tensor<4xf32>)', 'stablehlo.custom_call @xla.sdy.ShardingGroup(%a) {has_side_effect = true} : (tensor<4xf32>) -> ()', 'return'),
     "this call has no 'xla.sdy.sharding_group_id'"),
    ('opt --weft-import', main(NONE, '%a: tensor<4xf32>) -> tensor<4xf32>', '%0 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%a) : (tensor<4xf32>) -> tensor<4xf32>',
                               'return %0 : tensor<4xf32>'), "this call has no 'xla.sdy.allowed_direction'"),
    ('opt --weft-import', main(MESH, '%a: tensor<4xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\\22q\\22}]>]>"}})', 'return'),
     "'xla.sdy.sharding' has an unexpected value"),
    # places: names where no file is given, and what a terminal would obey written in digits
    ('run', called('fused[unknown, "layer"]'), "no code for custom call target 't' (at \"layer\")"),
    ('run', called('callsite(unknown at "step")'), "no code for custom call target 't' (at \"step\")"),
    ('run', called('"":0:0'), ":2:8: error: no code for custom call target 't'"),
    ('run', called(r'"a\1B[31m\0Ab"'), r'(at "a\1B[31m\0Ab")'),
    # what is run or priced
    ('run', main(NONE, '%a: tensor<4xf32>, %t: !stablehlo.token) -> tensor<4xf32>',
                 '%0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)', 'return %0#0 : tensor<4xf32>'),
     "'stablehlo.infeed' exchanges data with a host program, which a run does not have"),
    ('run --feed 0:7', CALL, "--feed takes RESULT:ARGUMENT of a program with 1 results and 1 arguments, not '0:7'"),
    ('run --repeat 2 --feed 0:0', SHORTER, 'result 0 cannot become argument 0: they differ in type or shape'),
    ('run --repeat 2 --feed 0:0 --feed 1:0', TWICE, 'result 1 cannot become argument 0: result 0 becomes argument 0 already'),
    ('run --fill 0', CALL, "--fill takes A=HOW or A-B=HOW, not '0'"),
    ('run --mesh x=2', CALL, 'no mesh of the program has an axis "x"; it has no mesh'),
    ('run --fill 7=zeros', CALL, "--fill takes arguments that @main has, not 7 in '7=zeros': it has 1, from 0 on"),
    ('run --print 3', CALL, "--print takes the number of a result that is a scalar, not '3'"),
    ('run --rule t', CALL, "option '--rule' takes TARGET=RULE, not 't'"),
    ('run --order x', CALL, 'a program without a mesh has no device order'),
    ('run --order x,x', SHARDED, "'x,x' does not say once where each part of axis"),
    ('verify --shardings x', CALL, "--shardings takes SEED or SEED:COUNT, not 'x'"),
    ('dryrun --mesh x', SHARDED, "'x' is not a mesh such as 'data=64,model=8'"),
    ('dryrun --mesh x=4,q=3', SHARDED, 'no mesh of the program has an axis "q"'),
    ('run --dump steps --repeat 3', CALL, '--dump runs nothing, so --repeat is of no use with it'),
    ('run --dump=order --fill 0=ones', CALL, '--dump runs nothing, so --fill is of no use with it'),
    ('run --dump stepz', CALL, "--dump takes clusters, storage, order, buffers or steps, not 'stepz'; did you mean 'steps'?"),
    ('dryrun --batch 8', BATCH, 'the batch of 4 cannot become 8: this op does more than to pass it on'),
    ('dryrun --mesh x=', CALL, 'a size above 0 is missing at column 3 of "x="'),
    ('dryrun --shard a=y', SHARDED, "the mesh has no axis 'y'"),
    ('dryrun --shard a', SHARDED, "'a' is no change of shardings such as 'params*wq=[{\"data\"}, {\"model\"}]' or 'x=data, -'"),
    ('dryrun --shard b=x', SHARDED, "no argument matches 'b'; there are 'a'"),
    ('dryrun --shard 1=x', SHARDED, 'there is no argument 1: the program has 1'),
    ('dryrun --shard 0=x', main(NONE, '%a: tensor<4xf32>) -> tensor<4xf32>', 'return %a : tensor<4xf32>'),
     'the program has no mesh for this sharding; --mesh gives it one'),
    ('dryrun --shard a=[]', main(MESH, '%a: !stablehlo.token) -> !stablehlo.token', 'return %a : !stablehlo.token'), 'argument 0 is no tensor'),
    ('dryrun --shard @/nowhere', SHARDED, "'/nowhere' cannot be opened"),
    ('dryrun --donate b', SHARDED, "no argument matches 'b'"),
    ('dryrun --strategy dq', SHARDED, "there is no strategy 'dq'; did you mean 'dp'? (there are dp, fsdp, zero1, zero2, tp, sp, ep, cp)"),
    ('dryrun --strategy dp:y', SHARDED, "the mesh has no axis 'y'"),
    ('dryrun --strategy dp+tp', PRODUCT, "no axis of the mesh is left for strategy tp; 'tp:AXIS' names one that another has"),
    ('dryrun --strategy sp', PRODUCT, 'strategy sp is for the axis of tp, which comes before it'),
    ('dryrun --strategy ep', PRODUCT, "strategy ep finds nothing that it can split over axis 'x' of 2"),
    ('dryrun --strategy fsdp', main('sdy.mesh @mesh = <["x"=2]>\n', '%w: tensor<3x3xf32> {tf.aliasing_output = 0 : i32}, %t: tensor<4xi32>) -> (tensor<3x3xf32>, tensor<f32>)',
     '%z = stablehlo.constant dense<0.0> : tensor<f32>\n%l = stablehlo.reduce(%w init: %z) applies stablehlo.add across dimensions = [0, 1] : '
     '(tensor<3x3xf32>, tensor<f32>) -> tensor<f32>\nreturn %w, %l : tensor<3x3xf32>, tensor<f32>'),
     "strategy fsdp finds no parameter that it can split over axis 'x' of 2"),
    ('dryrun --strategy dp', main(NONE, '%a: tensor<4xf32>) -> tensor<4xf32>', 'return %a : tensor<4xf32>'),
     'a strategy needs a mesh: --mesh data=8,model=4 gives the program one'),
    ('dryrun --tactics /nowhere', SHARDED, "'/nowhere' cannot be opened"),
    ('dryrun --bare', main('sdy.mesh @mesh = <["x"=2]>\n', *GROUPED), 'a manual computation over a mesh, which cannot be removed'),
    ('dryrun --order q', SHARDED, "'q' is not an order of the mesh's axes"),
    ('dryrun --topology nowhere', CALL, "there is no machine 'nowhere'"),
    ('dryrun --topology /nowhere.machine', CALL, "'/nowhere.machine' cannot be opened"),
    ('dryrun --attention flash', CALL, "--attention is fused or unfused, not 'flash'"),
    ('dryrun --topology tpu-v4:2x(4', CALL, "'2x(4' is not the size of this machine; write 64, 4x4x8 or, of slices, 2x(4x4x8)"),
    ('dryrun --topology dgx-h100:ab', CALL, "'ab' is not the size of a machine; write 64 or 4x4x8"),
    ('dryrun --topology dgx-h100:64x3x3', CALL, "'gpu' is described by 1 size, not 3"),
    ('dryrun --topology dgx-h100:2 --mesh x=100000', SHARDED, "100000 devices are asked for; machine 'dgx-h100' has 16"),
    ('dryrun --custom-call t', CALL, "the cost of a custom call is TARGET=flops:N,bytes:N, not 't'"),
    ('dryrun --custom-call t=flops:1,flops:2', CALL, "the cost of custom call 't' has flops twice"),
    ('dryrun --custom-call t=flops:1,words:2', CALL, "the cost of custom call 't' has flops: and bytes:, not 'words:2'"),
    ('dryrun --custom-call t=flops:i,bytes:1', CALL, 'a number is missing'),
    ('dryrun --custom-call t=flops:i0,bytes:1', CALL, 'the dimension is missing, as in i0.1,'),
    ('dryrun --custom-call t=flops:2i,bytes:1', CALL, "'+' or '*' is missing"),
    ('dryrun --custom-call t=flops:2*x,bytes:1', CALL, 'a number, iK.D or oK.D is missing'),
]


@pytest.mark.parametrize('command, text, said', ROWS, ids=[' '.join(r[2].split()[:6]) for r in ROWS])
def test_row(command, text, said):
    p = subprocess.run([WEFT, *command.split(' '), '-'], input=text, capture_output=True, text=True, timeout=60)
    assert p.returncode in (1, 2) and said in p.stderr, p.stderr
    assert p.stderr.count('error: ') == 1, p.stderr


# ---- what would be without effect and is warned of ----

TWO = 'sdy.mesh @mesh = <["x"=2]>\n'
NOTED = main(TWO, '%%a: tensor<4xf32> {%s}) -> tensor<4xf32>', '%%0 = stablehlo.negate %%a {%s} : tensor<4xf32>', 'return %%0 : tensor<4xf32>')
PARTIAL = main(TWO, '%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced={"x"}>})',
               '%z = stablehlo.constant dense<0.0> : tensor<f32>',
               '%0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>', 'return %0 : tensor<f32>')
GIVEN = main(TWO, '%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<4xf32>', '%0 = stablehlo.negate %a : tensor<4xf32>',
             'return %0 : tensor<4xf32>')
COUNTED = 'module attributes {mhlo.num_partitions = 4 : i32} {\n%s}\n' % main(TWO, '%a: tensor<4xf32>) -> tensor<4xf32>', 'return %a : tensor<4xf32>')
SIGNED = main(NONE, '%a: tensor<4xf32>) -> tensor<4xf32>', '%0 = stablehlo.custom_call @InspectSharding(%a) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>',
              'return %0 : tensor<4xf32>')

# Command, environment, text, what is warned of; the last: how often.
WARNED = [
    ('opt', {}, NOTED % ('sdy.shardng = 1', 'a = 1'), "'sdy.shardng' has no effect: no attribute has this name; did you mean 'sdy.sharding'?", 1),
    ('opt', {}, NOTED % ('jax.buffer_donr = true', 'a = 1'), "did you mean 'jax.buffer_donor'?", 1),
    ('opt', {}, NOTED % ('tf.aliasing_ouput = 0', 'a = 1'), "did you mean 'tf.aliasing_output'?", 1),
    ('opt', {}, NOTED % ('mhlo.shardng = "{replicated}"', 'mhlo.shardng = "{replicated}"'), "did you mean 'mhlo.sharding'?", 1),
    ('opt', {}, NOTED % ('a = 1', 'mhlo.frontend_atributes = {}'), "did you mean 'mhlo.frontend_attributes'?", 1),
    ('opt', {}, NOTED % ('a = 1', 'mhlo.frontend_attributes = {xla.sdy.shardng = "1"}'), "did you mean 'xla.sdy.sharding'?", 1),
    ('opt', {}, 'module attributes {mhlo.num_partitons = 2 : i32} {\n}\n', "did you mean 'mhlo.num_partitions'?", 1),
    # notes of the owner's, and names that others read
    ('opt', {}, NOTED % ('my.shardng = 1', 'mhlo.layout_mode = "default", mhlo.memory_kind = "device", jax.global_constant = "a", sdy.mine = 1'), 'did you mean', 0),
    ('run', {}, COUNTED, "mhlo.num_partitions is 4, but the program's largest mesh has 2 devices: the mesh counts", 1),
    ('dryrun', {}, COUNTED, 'mhlo.num_partitions is 4', 1),
    ('run', {}, COUNTED.replace('= 4 :', '= 2 :'), 'mhlo.num_partitions', 0),
    ('dryrun --mesh x=4', {}, COUNTED.replace('= 4 :', '= 2 :'), 'mhlo.num_partitions', 0),
    ('opt --rule t=i->i', {}, NOTED % ('a = 1', 'a = 1'), "'--rule t=i->i' has no effect: no custom call of the program has this target", 1),
    ('run --rule my_cal=i->i', {}, SIGNED, "'--rule my_cal=i->i' has no effect", 1),
    ('explain --rule InspctSharding=i->i', {}, SIGNED, "did you mean 'InspectSharding'?", 1),
    ('run --rule InspectSharding=i->i', {}, SIGNED, 'has no effect', 0),
    ('run', {'WEFT_TRANSPROT': 'tcp'}, COUNTED, 'the environment variable WEFT_TRANSPROT has no effect: Weft reads none of this name; '
     "did you mean 'WEFT_TRANSPORT'? [environment]", 1),
    ('opt', {'WEFT_RENDEZVOUS_KY': 'a'}, COUNTED, "did you mean 'WEFT_RENDEZVOUS_KEY'?", 1),
    ('run', {'WEFT_MINE': '1', 'WEFT_SEED': '3', 'WEFT_TUNE': '/nowhere'}, COUNTED, '[environment]', 0),
    # JAX lets a program hand on partial sums; here what comes out is whole
    ('run', {}, PARTIAL, "result 0 is left unreduced: the program's arguments and results are complete sums, so Weft reduces it here", 1),
    ('dryrun', {}, GIVEN, 'argument 0 is left unreduced', 1),
    ('verify', {}, PARTIAL, 'differ', 0),
    ('verify', {}, GIVEN, 'differ', 0),
]


@pytest.mark.parametrize('command, environment, text, said, times', WARNED, ids=['%s %s' % (r[0].split()[0], ' '.join(r[3].split()[:5])) for r in WARNED])
def test_warning(command, environment, text, said, times):
    p = subprocess.run([WEFT, *command.split(' '), '-'], input=text, capture_output=True, text=True, timeout=60, env={**os.environ, **environment})
    assert p.returncode == 0 and p.stderr.count(said) == times, p.stderr


def test_more_devices_than_a_machine_may_have():
    text = main('sdy.mesh @mesh = <["x"=33554432]>\n', '%a: tensor<4xf32>) -> tensor<4xf32>', 'return %a : tensor<4xf32>')
    p = subprocess.run([WEFT, 'dryrun', '-'], input=text, capture_output=True, text=True, timeout=60)
    assert p.returncode == 2 and '<stdin>:1:1: error: the program is for 33554432 devices; a machine has at most 16777216 devices' in p.stderr, p.stderr


# ---- diagnostics without a test ----

CALLS = re.compile(r'\b(weft_report|weft_report_once|rd_fail|rd_fail_as|fail|wrong|refuse|refused|report|trace_fail|malformed|weft_\w*(?:fail|refuse|report)\w*)\s*\(')
LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"(?:\s*(?:PRI\w+\s*)?"(?:[^"\\]|\\.)*")*')
CONVERSION = re.compile(r'%[-+0# ]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:hh|h|ll|l|z|j|t)?[a-zA-Z%]')


def arguments(text, at):
    """What stands in the brackets that open at `at`."""
    depth, i, quoted = 0, at, False
    while True:
        if quoted and text[i] == '\\':
            i += 1
        elif quoted:
            quoted = text[i] != '"'
        elif text[i] == '"':
            quoted = True
        else:
            depth += (text[i] in '([{') - (text[i] in ')]}')
        if not depth:
            return text[at + 1:i]
        i += 1


def formats():
    """(file, text) of every diagnostic that has two words in a row of its own; others are all values."""
    for room in ROOMS:
        for path in sorted(glob.glob(os.path.join(SOURCE, room, '**', '*.c'), recursive=True)):
            with open(path) as f:
                text = re.sub(r'/\*.*?\*/', ' ', f.read(), flags=re.S)
            for call in CALLS.finditer(text):
                inside = arguments(text, call.end() - 1)
                if re.match(r'\s*(const |weft_\w+ \*)', inside):
                    continue  # its declaration
                for literal in LITERAL.finditer(inside):
                    said = re.sub(r'"\s*(PRI\w+)?\s*"', '', literal.group(0)[1:-1]).replace('\\"', '"').replace('\\n', ' ')
                    if len(said) >= 12 and any(len(run) >= 10 for run in runs(said)):
                        yield os.path.relpath(path, SOURCE), said


def words_of_tests():
    words = []
    for folder, _, files in os.walk(os.path.join(SOURCE, 'tests')):
        for name in files:
            if name.endswith(('.c', '.h', '.sh', '.py', '.mlir', '.txt')) and name != 'unseen.txt':
                with open(os.path.join(folder, name), errors='replace') as f:
                    words.append(f.read())
    return re.sub(r'\s+', ' ', re.sub(r'"\s*\n\s*"', '', '\n'.join(words).replace('\\"', '"')))


def runs(said):
    """Three words of it in a row, or two where there are no more between two values."""
    for part in CONVERSION.split(said):
        part = part.strip().strip("'\"").split(' ')
        n = min(3, len(part))
        for i in range(len(part) - n + 1):
            if n > 1:
                yield ' '.join(part[i:i + n])


def is_seen(said, words):
    return any(len(run) >= 10 and run in words for run in runs(said))


def test_every_diagnostic_is_seen():
    words = words_of_tests()
    unseen = sorted({'%s: %s' % found for found in formats() if not is_seen(found[1], words)})
    with open(os.path.join(HERE, 'unseen.txt')) as f:
        named = sorted(line.rstrip('\n') for line in f if line.strip() and not line.startswith('#'))
    assert sorted(set(unseen) - set(named)) == [], 'no test gives these: add a row, or a line of unseen.txt below its reason'
    assert sorted(set(named) - set(unseen)) == [], 'a test gives these, or nothing does any more: take them out of unseen.txt'
