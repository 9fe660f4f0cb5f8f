"""Makes the files of tests/mlir/bytecode from those of tests/mlir, with jaxlib.

    python3 make_bytecode.py

NAME.VERSION.mlirbc is NAME.mlir as a portable artifact of that version of StableHLO, and NAME.mlir beside it what
StableHLO's own deserialiser makes of all of them, as MLIR prints it. NAME.native.mlirbc is the module in the dialects
that it is in, and so the same as tests/mlir/NAME.mlir. NAME.jaxexport is a file of jax.export, made where package
flatbuffers is installed, with the text of its module. test_bytecode.c compares them.
"""
import glob
import io
import os

os.environ.setdefault('JAX_PLATFORMS', 'cpu')
os.environ.setdefault('XLA_FLAGS', '--xla_force_host_platform_device_count=8')
from jaxlib.mlir import ir  # noqa: E402
from jaxlib.mlir.dialects import stablehlo  # noqa: E402
from jaxlib_context import make_context  # noqa: E402

VERSIONS = ['0.9.0', '1.0.0', '1.17.0', 'native']
HERE = os.path.dirname(os.path.abspath(__file__))


def encode(cx, text, version):
    """The bytecode of the module, and the module that MLIR reads from it; None: that version cannot have it."""
    with cx:
        m = ir.Module.parse(text)    # serialising changes it
        try:
            if version == 'native':
                out = io.BytesIO()
                m.operation.write_bytecode(out)
                return out.getvalue(), m
            data = stablehlo.serialize_portable_artifact(m, version, True)
            return data, stablehlo.deserialize_portable_artifact(cx, data)
        except (ir.MLIRError, ValueError):
            return None


def exports():
    """Files of jax.export by name, and the texts of their modules."""
    import jax
    import jax.numpy as jnp
    from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
    mesh = jax.make_mesh((2, 4), ('x', 'y'), axis_types=(AxisType.Auto,) * 2)
    by = [NamedSharding(mesh, s) for s in (P('x', 'y'), P('y', None), P('x', None))]
    f32 = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)  # noqa: E731
    a, b = jax.export.symbolic_shape('a, b')
    made = {
        'exported_sharded': jax.export.export(jax.jit(jnp.matmul, in_shardings=by[:2], out_shardings=by[2]))(f32(8, 16), f32(16, 8)),
        'exported_symbolic': jax.export.export(jax.jit(jnp.matmul), platforms=['cpu', 'tpu'])(f32(a, b), f32(b, 5)),
    }
    return {name: (bytes(e.serialize()), e.mlir_module()) for name, e in made.items()}


def main():
    cx = make_context()
    try:
        import flatbuffers  # noqa: F401
        for name, (data, text) in exports().items():
            with open('%s/bytecode/%s.jaxexport' % (HERE, name), 'wb') as f:
                f.write(data)
            with open('%s/bytecode/%s.mlir' % (HERE, name), 'w') as f:
                f.write(text)
    except ImportError:
        print('without files of jax.export: package flatbuffers is missing')
    for path in sorted(glob.glob(HERE + '/*.mlir')):
        name = os.path.basename(path)[:-5]
        with open(path) as f:
            text = f.read()
        want = None
        for version in VERSIONS:
            try:
                made = encode(cx, text, version)
            except ir.MLIRError:
                continue
            if not made:
                continue
            out = '%s/bytecode/%s.%s.mlirbc' % (HERE, name, version)
            with open(out, 'wb') as f:
                f.write(made[0])
            if version == 'native':
                continue
            got = made[1].operation.get_asm()
            assert want in (None, got), out
            want = got
        if want:
            with open('%s/bytecode/%s.mlir' % (HERE, name), 'w') as f:
                f.write(want)


if __name__ == '__main__':
    main()
