"""Weft's dry run from Python: what a step costs on a machine that need not be there.

    import weft
    report = weft.dryrun(jax.jit(step), params, tokens, topology='dgx-h100:64', strategy='fsdp+tp', mesh='data=64,model=8')
    report.step_time_s, report.fits, report.peak_memory_bytes
    report                     # in a notebook: a table
    report.html('step.html')   # timeline, memory, roofline, program

and programs in the other forms that StableHLO has:

    weft.convert(jax.jit(step), params, tokens, to='vhlo=1.13.0')   # bytes, for every reader from 1.13.0 on

The tool `weft` does the work; docs/dryrun.md explains the figures, docs/bytecode.md the forms. Nothing here is compiled.
"""
import json
import os
import shutil
import subprocess
import tempfile
from html import escape

__all__ = ['Error', 'Report', 'convert', 'dryrun']


class Error(Exception):
    """What the tool says of a program or an option; `status` is its exit status."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


def _tool(path):
    found = path or os.environ.get('WEFT') or shutil.which('weft')
    if not found:
        raise Error("the tool 'weft' is not in PATH; the environment variable WEFT names it", 2)
    return found


def _lowered_module(module, arguments):
    """What torchax and JAX make of a torch module; its parameters and buffers are arguments of their names."""
    import torch
    try:
        import jax
        import torchax
        from torchax import export
        from torchax.ops.mappings import t2j_dtype
        torchax.default_env()  # which loads its ops
    except Exception as e:  # it may not fit this version of torch, too
        raise Error('a torch module needs torchax, which cannot be imported: %s' % e, 2) from e
    exported = torch.export.export(module, arguments)
    names, states, function = export.exported_program_to_jax(exported, export_raw=True)
    names = list(names) + ['constant%d' % i for i in range(len(states) - len(names))]
    params = {name: jax.ShapeDtypeStruct(tuple(t.shape), t2j_dtype(t.dtype)) for name, t in zip(names, states)}

    def forward(params, *inputs):
        return function([params[name] for name in names], inputs)
    return jax.jit(forward).lower(params, *export.extract_avals(exported))


def _is_module(what):
    return any(c.__module__ == 'torch.nn.modules.module' and c.__name__ == 'Module' for c in type(what).__mro__)


def _program(what, arguments):
    """The bytes of a path, a text, bytecode, jax.stages.Lowered, an exported function, or a jitted one or a torch module
    with its arguments."""
    if _is_module(what):
        what = _lowered_module(what, arguments)
    elif hasattr(what, 'lower') and not isinstance(what, (str, bytes, bytearray)):
        what = what.lower(*arguments)
    elif arguments:
        raise TypeError('arguments are for a function that can be lowered, such as jax.jit(f)')
    if hasattr(what, 'as_text'):
        try:
            what = what.as_text(debug_info=True)  # with the names of arguments
        except TypeError:
            what = what.as_text()
    elif hasattr(what, 'mlir_module'):
        what = what.mlir_module()
    elif isinstance(what, os.PathLike) or (isinstance(what, str) and '\n' not in what and os.path.exists(what)):
        with open(what, 'rb') as f:
            what = f.read()
    elif isinstance(what, str) and not set(what) & set('\n{='):  # no program is written without them
        raise FileNotFoundError('no file %r' % what)
    if isinstance(what, str):
        return what.encode()
    if isinstance(what, (bytes, bytearray)):
        return bytes(what)
    raise TypeError('a program is a path, a text, bytecode, a lowered or a jitted function, not %r' % type(what).__name__)


def _list(value):
    return [] if value is None else [value] if isinstance(value, str) else list(value)


def _mesh(mesh):
    return mesh if isinstance(mesh, str) else ','.join('%s=%d' % item for item in dict(mesh).items())


def dryrun(what, *arguments, topology=None, mesh=None, strategy=None, shard=None, donate=None, tokens=None, options=(), tool=None):
    """The report of one step.

    what, arguments   a jitted function and its arguments (arrays or jax.ShapeDtypeStruct); or what jax.jit(f).lower(...) or
                      jax.export gives; or StableHLO as text or bytecode, or in a file; or a torch module and its tensors
                      (by torchax), whose parameters are named as in `state_dict`
    topology          the machine: 'dgx-h100:64', 'tpu-v5p:4x4x8', a file or a description
    mesh              'data=64,model=8', or a dictionary
    strategy          'fsdp+tp', ...
    shard             {'params*wq': 'data, model'}, or a list of 'PATTERN=SHARDING'
    donate            a pattern of arguments, or several
    tokens            of a step, for report.tokens_per_s
    options           further options of `weft dryrun`
    """
    command = []
    if topology:
        command += ['--topology', topology]
    if mesh:
        command += ['--mesh', _mesh(mesh)]
    if strategy:
        command += ['--strategy', strategy]
    changes = ['%s=%s' % item for item in shard.items()] if hasattr(shard, 'items') else _list(shard)
    for change in changes:
        command += ['--shard', change]
    for pattern in _list(donate):
        command += ['--donate', pattern]
    if tokens:
        command += ['--tokens', repr(float(tokens))]
    return Report(_program(what, arguments), command + list(options), _tool(tool))


def convert(what, *arguments, to='bytecode', tool=None):
    """A program in another form, as `weft convert` writes it: 'bytecode' or 'vhlo=VERSION' as bytes, 'text' as text.

    what, arguments   as for dryrun
    """
    written = _call(_tool(tool), ['convert', '--to', to], _program(what, arguments)).stdout
    return written.decode() if to == 'text' else written


def _call(tool, command, program):
    run = subprocess.run([tool, *command, '-'], input=program, capture_output=True)
    if run.returncode:
        raise Error(run.stderr.decode(errors='replace').strip() or 'weft ended with status %d' % run.returncode, run.returncode)
    return run


def _run(tool, options, program):
    """What the dry run prints on standard output and on standard error."""
    run = _call(tool, ['dryrun', *options], program)
    return run.stdout.decode(), run.stderr.decode(errors='replace')


def _bytes(n):
    for unit in ('B', 'KiB', 'MiB', 'GiB'):
        if abs(n) < 1024:
            return '%.4g %s' % (n, unit)
        n /= 1024
    return '%.4g TiB' % n


def _seconds(s):
    return '%.4g s' % s if s >= 1 else '%.4g ms' % (1e3 * s) if s >= 1e-3 else '%.4g us' % (1e6 * s)


class Report:
    """The numbers of docs/dryrun.md as attributes and keys (report.step_time_s, report['vendor']['mfu']); `data` has all.

    warnings   what the tool says besides
    """

    def __init__(self, program, options, tool):
        self._program, self._options, self._tool = program, options, tool
        found, self.warnings = _run(tool, ['--json', *options], program)
        self.data = json.loads(found)

    def __getattr__(self, name):
        data = self.__dict__.get('data', {})
        if name in data:
            return data[name]
        raise AttributeError('the report has no %r' % name)

    def __getitem__(self, key):
        return self.data[key]

    def __contains__(self, key):
        return key in self.data

    def __dir__(self):
        return sorted(set(super().__dir__()) | set(self.data))

    def text(self):
        """The report as the tool prints it."""
        return _run(self._tool, self._options, self._program)[0]

    def html(self, path=None):
        """The page of --html: written to path, or returned."""
        with tempfile.TemporaryDirectory() as folder:
            page = path or os.path.join(folder, 'report.html')
            _run(self._tool, ['--html', os.fspath(page), *self._options], self._program)
            if path:
                return None
            with open(page, encoding='utf-8') as f:
                return f.read()

    def trace(self, path):
        """Writes the step for Perfetto."""
        _run(self._tool, ['--trace', os.fspath(path), *self._options], self._program)

    def collectives_by_axes(self):
        """{(kind, axes): (count, bytes on the wire)}"""
        sums = {}
        for c in self.data['collectives']:
            count, wire = sums.get((c['kind'], c['axes']), (0, 0))
            sums[c['kind'], c['axes']] = count + c['count'], wire + c['wire_bytes']
        return sums

    def _rows(self):
        d = self.data
        yield 'step', _seconds(d['step_time_s'])
        if 'tokens_per_s' in d:
            yield 'tokens per second', '%.6g' % d['tokens_per_s']
        if 'vendor' in d:
            yield 'MFU', '%.1f%%' % (100 * d['vendor']['mfu'])
        yield 'collectives', _seconds(d['collective_time_s'])
        yield 'bytes on the wire', _bytes(d['wire_bytes'])
        yield 'peak memory', _bytes(d['peak_memory_bytes'])
        if d['fits'] is not None:
            yield 'fits', 'yes, %s left' % _bytes(d['memory_margin_bytes']) if d['fits'] else 'no, %s missing' % _bytes(-d['memory_margin_bytes'])
        if 'relief' in d:
            yield 'smallest change that fits' if d['relief']['fits'] else 'what takes most away', d['relief']['change']
        for (kind, axes), (count, wire) in self.collectives_by_axes().items():
            yield '%s over %s' % (kind, axes), '%d, %s' % (count, _bytes(wire))

    def _title(self):
        return 'dry run on %s, %d device%s' % (self.data['machine'], self.data['devices'], '' if self.data['devices'] == 1 else 's')

    def __repr__(self):
        return '\n'.join([self._title()] + ['  %-28s %s' % row for row in self._rows()])

    def _repr_html_(self):
        rows = ''.join('<tr><td>%s</td><td style="text-align:right">%s</td></tr>' % (escape(a), escape(b)) for a, b in self._rows())
        return '<table><caption>%s</caption>%s</table>' % (escape(self._title()), rows)
