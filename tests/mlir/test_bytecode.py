"""What Weft reads from bytecode is what MLIR reads from it, and MLIR reads what Weft writes: jaxlib is the other side.

Every program goes through jaxlib as a portable artifact of several versions of StableHLO (dialect VHLO) and, where a
version cannot have it, through the others. StableHLO's own deserialiser reads the same bytes; both modules are printed
in the generic form with all locations and must be equal.
"""
import glob
import importlib
import os
import pkgutil
import re
import subprocess
import sys

import pytest

os.environ.setdefault('JAX_PLATFORMS', 'cpu')
pytest.importorskip('jaxlib')
from jaxlib.mlir import ir  # noqa: E402
from jaxlib.mlir.dialects import stablehlo  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from jaxlib_context import make_context  # noqa: E402
from make_bytecode import encode  # noqa: E402
SHARED = os.environ.get('WEFT_SHARED', os.path.join(HERE, '../../../shared'))
TOOL = os.path.join(os.environ.get('top_builddir', os.getcwd()), 'tests/mlir/roundtrip')
MOST_BYTES = 1000000     # larger programs repeat what smaller ones have
UNREAD = ['check.mlir', 'nested.mlir']   # a dialect that jaxlib lacks; a module in a module, which Weft refuses
FILES = [f for pattern in (HERE + '/*.mlir', SHARED + '/programs/*.mlir', SHARED + '/stablehlo-testdata/*.mlir',
                           SHARED + '/propagation/*/*.mlir')
         for f in sorted(glob.glob(pattern)) if os.path.getsize(f) <= MOST_BYTES and os.path.basename(f) not in UNREAD]
VERSIONS = ['0.9.0', '0.14.0', '1.0.0', '1.8.0', '1.13.0', '1.17.0', 'native']

pytestmark = pytest.mark.skipif(not os.path.exists(TOOL), reason='tests/mlir/roundtrip is not built')


@pytest.fixture(scope='module')
def context():
    return make_context()


def run(data, *options):
    p = subprocess.run([TOOL, *options, '-'], input=data, capture_output=True)
    assert p.returncode == 0, p.stderr.decode()
    return p.stdout


def weft(data):
    return run(data, '--generic', '--locs').decode()


def write(text, version):
    return run(text.encode(), '--to', 'bytecode' if version == 'native' else version)


def text_of(module):
    text = module.operation.get_asm(enable_debug_info=True, print_generic_op_form=True)
    # what the text of the pretty form does not have
    return re.sub(r'(arg|res)_attrs = \[{}(, {})*\], ', '', text)


def as_mlir(cx, data):
    """The text that jaxlib prints for bytecode, VHLO's ops as they are. Casts between dialects have no one order: with
    such the text is of the ops after StableHLO's deserialiser."""
    with cx:
        text = text_of(ir.Module.parse(data))
    if 'unrealized_conversion_cast' in text:
        text = text_of(stablehlo.deserialize_portable_artifact(cx, data))
    return text.split('\n')


def compare(cx, path, version):
    """Whether that version can have the program."""
    with open(path) as f:
        made = encode(cx, f.read(), version)
    if not made:
        return False
    with cx:
        text = text_of(made[1])
    want = weft(text.encode())
    assert weft(made[0]).split('\n') == want.split('\n')
    written = write(text, version)
    assert as_mlir(cx, written) == as_mlir(cx, made[0])
    assert weft(written).split('\n') == want.split('\n')
    return True


@pytest.mark.parametrize('path', FILES, ids=[os.path.relpath(f, SHARED if f.startswith(SHARED) else HERE) for f in FILES])
def test_file(context, path):
    try:
        taken = [v for v in VERSIONS if compare(context, path, v)]
    except ir.MLIRError as e:
        pytest.skip('MLIR refuses the text: %s' % str(e).split('\n')[1])
    if not taken:
        pytest.skip('no version of StableHLO has it')


def back_compat():
    """Modules that JAX keeps from past years, in its wheel: (name, bytes)."""
    kept = pytest.importorskip('jax._src.internal_test_util.export_back_compat_test_data')

    def modules(of, name):
        if isinstance(of, dict) and 'mlir_module_serialized' in of:
            yield name, of['mlir_module_serialized']
        elif isinstance(of, (dict, list, tuple)):
            for key, v in of.items() if isinstance(of, dict) else enumerate(of):
                yield from modules(v, '%s.%s' % (name, key))

    for m in pkgutil.walk_packages(kept.__path__, kept.__name__ + '.'):
        if not m.ispkg:
            file = importlib.import_module(m.name)
            for key in dir(file):
                if 'data' in key:
                    yield from modules(getattr(file, key), m.name[len(kept.__name__) + 1:] + '.' + key)


def test_back_compat(context):
    kept = list(back_compat())
    assert len(kept) > 100
    for name, data in kept:
        want = weft(text_of(stablehlo.deserialize_portable_artifact(context, data)).encode())
        assert weft(data).split('\n') == want.split('\n'), name
        written = stablehlo.deserialize_portable_artifact(context, write(want, '1.17.0'))
        assert weft(text_of(written).encode()).split('\n') == want.split('\n'), name


RESOURCE = 'dense_resource<%s> : tensor<2xi32>'
DATA = '\n{-#\n  dialect_resources: { builtin: { here: "0x040000000100000002000000", here_2: "0x080000000300000004000000" } }\n#-}\n'
ATTRIBUTES = [
    '5 : si8', '-3 : si24', '200 : ui8', '3 : ui40', '-1 : i64', '1.5 : f8E4M3FN', '1.5 : f8E8M0FNU', '0x7FC00001 : f32', '0xFF : f8E5M2',
    'dense<[1, -2]> : tensor<2xi4>', 'dense<[3, 1]> : tensor<2xui2>', 'dense<[true, false, true]> : tensor<3xi1>', 'dense<true> : tensor<30xi1>',
    'dense<> : tensor<0x2xi1>', 'dense<1> : tensor<2xindex>', 'dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>', 'array<i1: true, false>',
    'array<i8: 1, -2>', '"text" : i32', '@a::@b::@c', 'affine_map<(d0) -> (d0)>', 'tf32', 'f80', 'i128', 'vector<2x3xf32>', 'tensor<*xf32>',
    'tensor<?x4xf32, #stablehlo.bounds<8, ?>>', 'tensor<2xf32, "abc">', 'tensor<2xf32, 3 : i32>', 'tensor<2xf32, 3>', 'tensor<2xf32, unit>',
    'tensor<2xf32, @a>', 'tensor<2xf32, [1 : i32, {a = 2.0}]>', 'tensor<2xf32, #sdy.sharding<@a, [{}]>>', 'tuple<tensor<f32>, !stablehlo.token>', '(i32, f32) -> index', 'none',
    '!quant.uniform<u8:f32, 0.5:128>', 'tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25:3}>>',
    '[0x7FF8000000000000 : f64, 25165825.0, 0x3FF0000000000001 : f64]', RESOURCE % 'declared', RESOURCE % 'here' + DATA, '[%s, %s]' % (RESOURCE % 'here_2', RESOURCE % 'here') + DATA,
]


@pytest.mark.parametrize('text', ATTRIBUTES)
def test_attribute(context, text):
    """One attribute of the module. Portable artifacts have few of these, and keep them as they are."""
    attribute, data = (text[:-len(DATA)], DATA) if text.endswith(DATA) else (text, '')
    stablehlo.deserialize_portable_artifact(context, encode(context, 'module {}', '1.0.0')[0])   # loads MLIR's dialect of quantised types
    made = encode(context, 'module attributes {a.b = %s} {}%s' % (attribute, data), 'native')
    with context:
        text = made[1].operation.get_asm(enable_debug_info=True)
        want = weft(text.encode())
        assert weft(made[0]) == want
        if attribute.startswith('dense<'):
            assert run(text.encode()).decode() == str(made[1])
        if 'resource' not in attribute:     # MLIR names them anew in each module of a context
            assert weft(ir.Module.parse(write(text, 'native')).operation.get_asm(enable_debug_info=True).encode()) == want


MANUAL = 'xla.sdy.manual_axes = #sdy<manual_axes{"x"}>'
AXES = ['func.func private @f() attributes {%s}' % MANUAL,
        'func.func @f() {\n  %%0 = stablehlo.after_all {%s} : !stablehlo.token\n  return\n}' % MANUAL,
        'func.func private @f() attributes {a.b = {%s, c = #sdy<axis_ref_list{"x"}>}}' % MANUAL]


@pytest.mark.parametrize('text', AXES)
@pytest.mark.parametrize('version', ['1.17.0', 'native'])
def test_lists_of_axes(context, text, version):
    """Shardy has two kinds of them, which VHLO keeps."""
    written = write(text, version)
    with context:
        want = text_of(ir.Module.parse(text))
        got = text_of(ir.Module.parse(written) if version == 'native'
                      else stablehlo.deserialize_portable_artifact(context, written))
    assert re.findall('#sdy<.*?>', got) == re.findall('#sdy<.*?>', want) != []
