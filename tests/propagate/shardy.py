"""Shardy's own answers, out of the jaxlib that PyPI has, and Weft's for the same module.

run(text, passes): the module after Shardy's passes, printed by MLIR, or None and what it complained of.
normal(text): the module as MLIR prints it, so that two texts can be compared line by line.
"""
import os
import subprocess

os.environ.setdefault('JAX_PLATFORMS', 'cpu')
import jax._src.lib  # noqa: E402,F401  registers Shardy's passes
from jaxlib.mlir import ir, passmanager  # noqa: E402
from jaxlib.mlir._mlir_libs import _jax_mlir_ext  # noqa: E402
from jaxlib.mlir.dialects import chlo, sdy, stablehlo  # noqa: E402

TOP = os.environ.get('top_builddir', os.getcwd())
WEFT = os.environ.get('WEFT', os.path.join(TOP, 'weft'))

# Propagation as Shardy does it for a program without calls, up to where its partitioner begins.
BEFORE = ['sdy-import-pipeline', 'sdy-apply-sharding-constraints', 'sdy-sharding-group-import']
AFTER = ['func.func(sdy-constant-or-scalar-merger,sdy-sink-data-flow-edges)', 'sdy-remove-sharding-groups',
         'func.func(sdy-sharding-constraint-to-reshard)', 'sdy-update-non-divisible-input-output-shardings',
         'sdy-remove-sub-axes-in-input-output-shardings', 'sdy-close-shardings']
PIPELINE = BEFORE + ['sdy-user-priority-propagate{keep-sharding-rules=true}'] + AFTER

CALLS_PIPELINE = ['sdy-import-pipeline', 'sdy-flatten-call-graph', 'symbol-dce', 'sdy-import-func-calls', 'symbol-dce',
                  'sdy-apply-sharding-constraints', 'sdy-sharding-group-import', 'sdy-pre-order-funcs',
                  'sdy-user-priority-propagate{keep-sharding-rules=true}', 'sdy-export-named-computations', 'sdy-propagate-to-func-results',
                  'sdy-unflatten-call-graph', 'symbol-dce', 'sdy-insert-func-call-reshards'] + AFTER


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


def run(text, passes, verify=True):
    said = []
    cx = context()
    handler = cx.attach_diagnostic_handler(lambda d: said.append(d.message) or True)
    out = None
    with cx:
        try:
            module = ir.Module.parse(text)
            if passes:
                manager = passmanager.PassManager.parse('builtin.module(%s)' % ','.join(passes), cx)
                manager.enable_verifier(verify)
                manager.run(module.operation)
            out = module.operation.get_asm()
        except (ir.MLIRError, ValueError) as e:
            said.append(str(e))
    handler.detach()
    return out, said


def run_apart(text, passes, seconds=20, verify=True):
    """The same in a process of its own: where Shardy crashes or does not end, which it does on a few odd programs."""
    from multiprocessing import get_context
    apart = get_context('fork')
    here, there = apart.Pipe(False)

    def work():
        there.send(run(text, passes, verify))
    child = apart.Process(target=work)
    child.start()
    there.close()
    answer = None, ['crashed']
    try:
        answer = here.recv() if here.poll(seconds) else (None, ['did not end'])
    except EOFError:
        pass
    child.kill()
    child.join()
    return answer


def normal(text):
    out, said = run(text, [])
    assert out is not None, said
    return out


def weft(text, *options):
    r = subprocess.run([WEFT, 'opt', *options, '-'], input=text, capture_output=True, text=True)
    return (r.stdout, '') if r.returncode == 0 else (None, r.stderr)
