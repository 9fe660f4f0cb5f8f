"""What Weft reads from bytecode is what MLIR reads from it: jaxlib writes it and is the other side.

Every program goes through jaxlib as a portable artifact of several versions of StableHLO (dialect VHLO) and, where a
version cannot have it, through the others. StableHLO's own deserialiser reads the same bytes; both modules are printed
in the generic form with all locations and must be equal.
"""
import glob
import os
import re
import subprocess
import sys

import pytest

os.environ.setdefault('JAX_PLATFORMS', 'cpu')
pytest.importorskip('jaxlib')
from jaxlib.mlir import ir  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from make_bytecode import encode, make_context  # noqa: E402
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


def weft(data):
    p = subprocess.run([TOOL, '--generic', '--locs', '-'], input=data, capture_output=True)
    assert p.returncode == 0, p.stderr.decode()
    return p.stdout.decode()


def text_of(module):
    text = module.operation.get_asm(enable_debug_info=True, print_generic_op_form=True)
    # what the text of the pretty form does not have
    return re.sub(r'(arg|res)_attrs = \[{}(, {})*\], ', '', text)


def compare(cx, path, version):
    """Whether that version can have the program."""
    with open(path) as f:
        made = encode(cx, f.read(), version)
    if not made:
        return False
    with cx:
        want = weft(text_of(made[1]).encode())
    assert weft(made[0]).split('\n') == want.split('\n')
    return True


@pytest.mark.parametrize('path', FILES, ids=[os.path.relpath(f, SHARED if f.startswith(SHARED) else HERE) for f in FILES])
def test_file(context, path):
    try:
        taken = [v for v in VERSIONS if compare(context, path, v)]
    except ir.MLIRError as e:
        pytest.skip('MLIR refuses the text: %s' % str(e).split('\n')[1])
    if not taken:
        pytest.skip('no version of StableHLO has it')
