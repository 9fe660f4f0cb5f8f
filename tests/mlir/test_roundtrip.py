"""What Weft prints is what MLIR prints, and MLIR reads it: jaxlib's parser and printer are the other side.

Every file goes through both and the two texts must be equal byte for byte, in the pretty and in the generic form, with
and without locations on the way.
"""
import glob
import os
import subprocess

import pytest

os.environ.setdefault('JAX_PLATFORMS', 'cpu')
pytest.importorskip('jaxlib')
from jaxlib.mlir import ir  # noqa: E402
from jaxlib.mlir._mlir_libs import _jax_mlir_ext  # noqa: E402
from jaxlib.mlir.dialects import chlo, sdy, stablehlo  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = os.environ.get('WEFT_SHARED', os.path.join(HERE, '../../../shared'))
TOOL = os.path.join(os.environ.get('top_builddir', os.getcwd()), 'tests/mlir/roundtrip')
MOST_BYTES = 1000000     # larger programs repeat what smaller ones have
FOREIGN = ['check.mlir']  # of the dialect of StableHLO's tests, which jaxlib lacks; test_roundtrip.c has it
FILES = [f for pattern in (HERE + '/*.mlir', SHARED + '/programs/*.mlir', SHARED + '/propagation/*/*.mlir')
         for f in sorted(glob.glob(pattern)) if os.path.getsize(f) <= MOST_BYTES and os.path.basename(f) not in FOREIGN]

pytestmark = pytest.mark.skipif(not os.path.exists(TOOL), reason='tests/mlir/roundtrip is not built')


@pytest.fixture(scope='module')
def context():
    cx = ir.Context()
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    cx.append_dialect_registry(registry)
    sdy.register_dialect(cx)
    stablehlo.register_dialect(cx)
    chlo.register_dialect(cx)
    cx.load_all_available_dialects()
    return cx


def weft(text, *options):
    verify = ['--no-verify'] if 'nested' in text else []     # Weft takes no module inside a module further
    p = subprocess.run([TOOL, *verify, *options, '-'], input=text, capture_output=True, text=True)
    assert p.returncode == 0, p.stderr
    return p.stdout


def mlir(cx, text, **options):
    with cx:
        return ir.Module.parse(text).operation.get_asm(**options)


def same(got, want):
    assert got.split('\n') == want.split('\n')


@pytest.mark.parametrize('path', FILES, ids=[os.path.relpath(f, SHARED if f.startswith(SHARED) else HERE) for f in FILES])
def test_file(context, path):
    with open(path) as f:
        text = f.read()
    pretty = mlir(context, text)
    generic = mlir(context, text, print_generic_op_form=True)
    same(weft(text), pretty)
    same(weft(text, '--generic'), generic)
    same(weft(generic), pretty)
    same(weft(mlir(context, text, enable_debug_info=True)), pretty)   # aliases of locations behind the module
    same(mlir(context, weft(text, '--locs')), pretty)
