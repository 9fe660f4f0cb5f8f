"""Shardy's own answers, out of the jaxlib that PyPI has, and Weft's for the same module.

run(text, passes): the module after Shardy's passes, printed by MLIR, or None and what it complained of.
Apart().run(text, passes): the same, where Shardy may crash.
normal(text): the module as MLIR prints it, so that two texts can be compared line by line.
"""
import multiprocessing
import os
import re
import subprocess
import sys

os.environ.setdefault('JAX_PLATFORMS', 'cpu')
import jax._src.lib  # noqa: E402,F401  registers Shardy's passes
from jaxlib.mlir import ir, passmanager  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../mlir'))
from jaxlib_context import make_context  # noqa: E402

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
    cx = make_context()
    cx.enable_multithreading(False)
    return cx


_contexts = []


def shared_context():
    """One for many programs, as its making costs more than most of them; a new one now and then, as it keeps all it has seen."""
    if not _contexts or _contexts[0][1] == 200:
        _contexts[:] = [[context(), 0]]
    _contexts[0][1] += 1
    return _contexts[0][0]


def run(text, passes, verify=True):
    said = []
    cx = shared_context()
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


def complaints(text):
    """[(line, column, message)] of the errors for which Shardy refuses the module."""
    said = []
    cx = shared_context()
    cx.emit_error_diagnostics = True     # to the handler, not into the exception

    def note(d):
        if str(d.severity).endswith('ERROR'):
            place = re.search(r':(\d+):(\d+)', str(d.location))
            said.append((int(place.group(1)), int(place.group(2)), d.message) if place else (0, 0, d.message))
        return True
    handler = cx.attach_diagnostic_handler(note)
    with cx:
        try:
            ir.Module.parse(text)
        except (ir.MLIRError, ValueError) as e:
            said = said or [(0, 0, str(e))]
    handler.detach()
    return said


def serve(pipe):
    while True:
        what, question = pipe.recv()
        pipe.send(what(*question))


class Apart:
    """The same in a process of its own, for programs on which Shardy may crash or not end; a new one then takes its place. The process
    is a fresh interpreter: one forked from this would hold JAX's threads by half."""

    def __init__(self, seconds=60):
        self.seconds, self.child = seconds, None

    def run(self, text, passes, verify=True):
        return self.asked(run, text, passes, verify)

    def complaints(self, text):
        return self.asked(complaints, text)

    def asked(self, what, *question):
        if not self.child:
            apart = multiprocessing.get_context('spawn')
            self.pipe, there = apart.Pipe()
            self.child = apart.Process(target=serve, args=(there,), daemon=True)
            self.child.start()
            there.close()
            self.ask(run, ('module {}', [], True), 600)   # wait for its start
        return self.ask(what, question, self.seconds)

    def ask(self, what, question, seconds):
        try:
            self.pipe.send((what, question))
            if self.pipe.poll(seconds):
                return self.pipe.recv()
            said = 'did not end'
        except (EOFError, BrokenPipeError, ConnectionResetError):
            said = 'crashed'
        self.close()
        return None, [said]

    def close(self):
        if self.child:
            self.child.kill()
            self.child.join()
            self.pipe.close()
        self.child = None


def normal(text):
    out, said = run(text, [])
    assert out is not None, said
    return out


def weft(text, *options):
    r = subprocess.run([WEFT, 'opt', *options, '-'], input=text, capture_output=True, text=True)
    return (r.stdout, '') if r.returncode == 0 else (None, r.stderr)


def weft_all(texts, *options):
    """weft() of each, in one process where all go well."""
    if len(texts) > 1:
        out, _ = weft('// -----\n'.join(texts), '-split-input-file', *options)
        parts = out.split('// -----\n') if out else []
        if len(parts) == len(texts):
            return [(part, '') for part in parts]
    return [weft(t, *options) for t in texts]
