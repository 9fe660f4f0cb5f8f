"""The ways in which JAX hands a program out: printed forms, exported modules, donation, dropped arguments, composites, shardings."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

import cases
import harness
import binding as weft
from cases import case, f32, i32

MESH = Mesh(np.array(jax.devices('cpu')[:1]).reshape(1, 1), ('x', 'y'))


def model(w, x):
    with jax.named_scope('layer'):
        return jnp.tanh(x @ w), lax.scan(lambda c, a: (c + a.sum(), c), jnp.float32(0), x)


MODEL = case('a model', model, f32(4, 5), f32(3, 4))
SPELLINGS = {
    'text': lambda l: l.as_text(),
    'dialect named': lambda l: l.as_text(dialect='stablehlo'),
    'with locations': lambda l: l.as_text(dialect='stablehlo', debug_info=True),
    'generic': lambda l: l.compiler_ir('stablehlo').operation.get_asm(print_generic_op_form=True),
    'generic with locations': lambda l: l.compiler_ir('stablehlo').operation.get_asm(print_generic_op_form=True, enable_debug_info=True),
    'local scope': lambda l: l.compiler_ir('stablehlo').operation.get_asm(use_local_scope=True, enable_debug_info=True),
    'names of locations': lambda l: l.compiler_ir('stablehlo').operation.get_asm(use_name_loc_as_prefix=True),
    'large constants elided': lambda l: l.compiler_ir('stablehlo').operation.get_asm(large_elements_limit=1000),
}


@pytest.mark.parametrize('how', SPELLINGS)
def test_spelling(how):
    harness.check(MODEL, spell=SPELLINGS[how])


def artifact(lowered, version):
    """The bytes that JAX hands to a PJRT plugin which knows this version of StableHLO, and jax.export writes."""
    m = lowered.compiler_ir('stablehlo')
    with m.context:
        return stablehlo.serialize_portable_artifact(ir.Module.parse(str(m)), version, True)


@pytest.mark.parametrize('version', ['1.0.0', '1.13.0', '1.17.0'])
def test_bytecode(version):
    harness.check(MODEL, spell=lambda l: artifact(l, version), source='bytecode')


def clip_composite(x, lo):
    return lax.composite(lambda a, *, bound: jnp.maximum(a, bound), name='my.clip', version=2)(x, bound=-1.0) + lo


@jax.custom_jvp
def twice(x):
    return x * 2


twice.defjvp(lambda p, t: (twice(*p), t[0] * 2))


def mapped(f, specs, out):
    return jax.shard_map(f, mesh=MESH, in_specs=specs, out_specs=out)


def constrained(x):
    return lax.with_sharding_constraint(jnp.sin(x), NamedSharding(MESH, P('x', 'y'))) + 1


ROWS = {'out_shardings': NamedSharding(MESH, P('x'))}
CASES = [
    case('donated', lambda x, y: (x + y, y * 2), f32(3, 4), f32(3, 4), jit={'donate_argnums': (0,)}),
    case('donated and unused', lambda x, y: y * 2, f32(3), f32(4), jit={'donate_argnums': (0,)}),
    case('inlined calls', lambda x: jax.jit(jnp.sin, inline=True)(x) + jax.jit(jnp.cos)(x), f32(3)),
    case('named scopes', lambda x: jax.named_call(jnp.sin, name='a "quoted" name')(x), f32(3)),
    case('custom_jvp', lambda x: jax.jvp(twice, (x,), (x,)), f32(3)),
    case('composite', lambda x: lax.composite(lambda a: jnp.sin(a) + 1, name='my.op')(x), f32(3)),
    case('composite with attributes', clip_composite, f32(3), f32(3)),
    case('composite twice', lambda x: (lambda f: f(f(x)))(lax.composite(lambda a: jnp.tanh(a) * 2, name='my.tanh')), f32(3)),
    case('shard_map', mapped(lambda x: jnp.sin(x) + lax.axis_index('x'), P('x', 'y'), P('x', 'y')), f32(4, 6)),
    case('shard_map psum', mapped(lambda x: lax.psum(x, 'x'), P('x', 'y'), P(None, 'y')), f32(4, 6)),
    case('shard_map all_gather', mapped(lambda x: lax.all_gather(x, 'y', axis=1, tiled=True), P('x', 'y'), P('x', 'y')), f32(4, 6)),
    case('shard_map ppermute', mapped(lambda x: lax.ppermute(x, 'x', [(0, 0)]), P('x'), P('x')), f32(4, 6)),
    case('shard_map psum_scatter', mapped(lambda x: lax.psum_scatter(x, 'x', tiled=True), P(None), P('x')), f32(4, 6)),
    case('shard_map all_to_all', mapped(lambda x: lax.all_to_all(x, 'x', 0, 1, tiled=True), P('x'), P('x')), f32(4, 6)),
    case('grad of shard_map', jax.grad(lambda x: (mapped(lambda a: lax.psum(jnp.sin(a), 'x'), P('x'), P())(x) ** 2).sum()), f32(4, 6)),
    case('out_shardings', lambda x: jnp.sin(x) @ x.T, f32(4, 6), jit=ROWS),
    case('in_shardings', lambda x: jnp.sin(x) @ x.T, f32(4, 6), jit=ROWS | {'in_shardings': NamedSharding(MESH, P('x', 'y'))}),
    case('with_sharding_constraint', constrained, f32(4, 6)),
]


@pytest.mark.parametrize('c', CASES, ids=[c.name for c in CASES])
def test_way(c):
    harness.check(c)


@pytest.mark.parametrize('c', CASES, ids=[c.name for c in CASES])
def test_way_with_locations(c):
    harness.check(c, spell=SPELLINGS['with locations'])


def run(text, *arrays):
    harness.the_worker.send(text, [np.asarray(a) for a in arrays])
    return harness.received(text)[0]


def agrees(got, want):
    want = jax.tree.leaves(want)
    assert len(got) == len(want)
    for g, w in zip(got, want):
        assert not cases.differences(MODEL, g, np.asarray(w))


def test_export():
    args = MODEL.arrays()
    exported = jax.export.export(jax.jit(model))(*args)
    agrees(run(exported.mlir_module(), *args), exported.call(*args))


def test_export_of_a_derivative():
    args = MODEL.arrays()
    exported = jax.export.export(jax.jit(jax.grad(lambda w, x: model(w, x)[0].sum())))(*args)
    agrees(run(exported.mlir_module(), *args), exported.call(*args))


def test_unused_arguments_are_dropped():
    lowered = jax.jit(lambda x, y, z: x + z).lower(*(args := [np.float32([1, 2]), np.float32([3]), np.float32([4, 5])]))
    agrees(run(lowered.as_text(), args[0], args[2]), args[0] + args[2])


def test_arguments_of_other_types_are_refused():
    text = jax.jit(jnp.sin).lower(np.float32([1, 2])).as_text()
    program = weft.Program(text)
    with pytest.raises(TypeError, match='input'):
        program(np.float64([1, 2]))
    with pytest.raises(TypeError, match='arguments'):
        program()


def test_a_program_runs_again_with_other_arguments():
    program = weft.Program(jax.jit(lambda x, y: x * y + 1).lower(np.float32([1, 2]), np.float32([1, 2])).as_text())
    for k in range(3):
        assert (program(np.float32([k, 2]), np.float32([3, k]))[0] == [3 * k + 1, 2 * k + 1]).all()


def test_symbolic_shapes_are_refused_in_words():
    x = jax.export.symbolic_shape('b, 3')
    exported = jax.export.export(jax.jit(lambda a: a + 1))(jax.ShapeDtypeStruct(x, np.float32))
    with pytest.raises(weft.Error, match="argument 0 of '@main' has a shape with '\\?'"):
        weft.Program(exported.mlir_module())
