"""What Weft prints is what MLIR prints, and MLIR reads it: jaxlib's parser and printer are the other side.

Every file goes through both and the two texts must be equal byte for byte, in the pretty and in the generic form, with
and without locations on the way.
"""
import glob
import os
import random
import re
import subprocess
import sys

import pytest

os.environ.setdefault('JAX_PLATFORMS', 'cpu')
pytest.importorskip('jaxlib')
from jaxlib.mlir import ir  # noqa: E402
from jaxlib.mlir.dialects import sdy  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from jaxlib_context import make_context  # noqa: E402
from random_sdy import Maker  # noqa: E402
SHARED = os.environ.get('WEFT_SHARED', os.path.join(HERE, '../../../shared'))
TOOL = os.path.join(os.environ.get('top_builddir', os.getcwd()), 'tests/mlir/roundtrip')
MOST_BYTES = 1000000     # larger programs repeat what smaller ones have
FOREIGN = ['check.mlir']  # of the dialect of StableHLO's tests, which jaxlib lacks; test_roundtrip.c has it
FILES = [f for pattern in (HERE + '/*.mlir', SHARED + '/programs/*.mlir', SHARED + '/propagation/*/*.mlir')
         for f in sorted(glob.glob(pattern)) if os.path.getsize(f) <= MOST_BYTES and os.path.basename(f) not in FOREIGN]

pytestmark = pytest.mark.skipif(not os.path.exists(TOOL), reason='tests/mlir/roundtrip is not built')


@pytest.fixture(scope='module')
def context():
    return make_context()


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
    same(weft(mlir(context, text, enable_debug_info=True)), pretty)   # aliases of locations after the module
    same(mlir(context, weft(text, '--locs')), pretty)


def reason(message):
    """The message without the op that it is about."""
    return re.sub(r"^'[a-z_.]+' op |^custom op '[a-z_.]+' ", '', message).strip()


# A rule that Shardy has since a version newer than jaxlib's; and sub-axes that no axis has, which Shardy lets pass in what a
# collective says in front of its operand.
OURS = re.compile(r"cannot add new unreduced axis|'sdy.(all|reduce|sharded|replicated)_[a-z_]*' op sub-axis")


# Of several wrong sub-axes of one sharding Shardy names the one that its hash table has first.
SUB_AXES = re.compile('(^| - )(sub-axis|overlapping sub-axes|both sub-axis)')


def compare(cx, text):
    """Whether both sides take the program; text that differs, or a reason that only one gives, fails."""
    p = subprocess.run([TOOL, '-'], input=text, capture_output=True, text=True)
    if OURS.search(p.stderr):
        return False
    try:
        want = mlir(cx, text)
    except ir.MLIRError as e:
        assert p.returncode != 0, 'MLIR refuses it:\n%s\n%s' % (e, text)
        ours, theirs = reason(re.search(r'error: (.*)', p.stderr)[1]), reason(e.error_diagnostics[0].message)
        # One may say more: what was found instead, which attribute it is.
        assert (SUB_AXES.search(ours) and SUB_AXES.search(theirs)) or ours.startswith(theirs.rstrip('.')) or theirs.startswith(ours), '%s\nMLIR: %s\n%s' % (ours, theirs, text)
        return False
    assert p.returncode == 0, p.stderr + text
    same(p.stdout, want)
    same(weft(mlir(cx, text, print_generic_op_form=True)), want)
    same(weft(text, '--generic'), mlir(cx, text, print_generic_op_form=True))
    return True


def test_random_shardy(context):
    seed, count = int(os.environ.get('WEFT_SEED', random.randrange(1 << 30))), int(os.environ.get('WEFT_COUNT', 200))
    print('WEFT_SEED=%d WEFT_COUNT=%d' % (seed, count))
    taken = sum(compare(context, Maker(seed + i).program()) for i in range(count))
    assert count < 100 or count // 5 < taken < count - count // 20, 'a generator that makes both kinds'
