"""jaxlib's MLIR with the dialects that Weft reads."""
import os

os.environ.setdefault('JAX_PLATFORMS', 'cpu')
from jaxlib.mlir import ir  # noqa: E402
from jaxlib.mlir._mlir_libs import _jax_mlir_ext  # noqa: E402
from jaxlib.mlir.dialects import chlo, sdy, stablehlo  # noqa: E402


def make_context():
    cx = ir.Context()
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    cx.append_dialect_registry(registry)
    sdy.register_dialect(cx)
    stablehlo.register_dialect(cx)
    chlo.register_dialect(cx)
    cx.load_all_available_dialects()
    return cx
