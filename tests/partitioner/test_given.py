"""Programs of others with shardings all over them, on their meshes against one device: JAX's functions and models, and random StableHLO.

WEFT_SEED chooses them. From a command line:

    python tests/partitioner/test_given.py KIND FIRST COUNT     kinds: jax, texts, testdata; prints what differs and what is refused
"""
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../propagate'))

import given_programs  # noqa: E402

TOP = os.environ.get('top_builddir', os.getcwd())
WEFT = os.environ.get('WEFT', os.path.join(TOP, 'weft'))
SEED = int(os.environ.get('WEFT_SEED', '1'))
COUNTS = {'jax': 60, 'texts': 60}
LONG = int(os.environ.get('WEFT_LONG', '1'))
MOST_DEVICES = 600    # each a thread: of more, those that come first wait longer than they may where the machine is busy
# One device has nothing to compare; what is drawn for the axes of one mesh is no sharding over another where it lists them out of order.
FINE = ['--shardings SEED draws', 'axes are not ordered w.r.t. mesh']


def devices(text):
    return max((int(np.prod([int(n) for n in re.findall(r'"=(\d+)', axes)])) for axes in re.findall(r'sdy\.mesh @\S+ = <\[(.*?)\]', text)), default=1)


def wrong(kind, seed):
    """What is not as it should be, or None. A function of JAX gets its own arguments: with any others some solvers go astray."""
    text, arguments = given_programs.drawn(seed, given_programs.KINDS[kind], given_programs.Partitionable)
    if devices(text) > MOST_DEVICES:
        return None
    with tempfile.TemporaryDirectory() as folder:
        for i, a in enumerate(arguments or []):
            np.save('%s/in%d.npy' % (folder, i), np.asarray(a))
        r = subprocess.run([WEFT, 'verify'] + (['--inputs=' + folder] if arguments else []) + ['-'], input=text, capture_output=True, text=True)
    return None if r.returncode == 0 or any(words in r.stderr for words in FINE) else '%s %d: exit status %d\n%s%s' % (kind, seed, r.returncode, r.stderr[:2000], text[:6000])


@pytest.mark.parametrize('kind', COUNTS)
def test_given(kind):
    found = [w for w in (wrong(kind, seed) for seed in range(10000 * SEED, 10000 * SEED + COUNTS[kind] * LONG)) if w]
    assert not found, '\n'.join(found)


def main(kind, first, count):
    found = 0
    for seed in range(int(first), int(first) + int(count)):
        w = wrong(kind, seed)
        if w:
            found += 1
            print(w, flush=True)
    print('%s: seeds %s to %d: %d wrong' % (kind, first, int(first) + int(count) - 1, found))


if __name__ == '__main__':
    main(*sys.argv[1:])
