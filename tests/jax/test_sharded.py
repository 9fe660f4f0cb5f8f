"""Sharded programs of JAX (sharded.py) through each door of the tool: run on the devices of their meshes and compared with XLA, explained, and dry-run
to the bytes that the run counts."""
import os
import re
import subprocess
import sys

import pytest

import sharded

WEFT = os.environ.get('WEFT') or os.path.join(os.environ.get('top_builddir', os.getcwd()), 'weft')

# How often a loop turns, or which branch is taken, only the run knows.
DECIDED_BY_DATA = ('until_all_converge', 'branches_lie_apart', 'collectives_in_branches')


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    """Programs, arguments and XLA's results: made by a process that has eight devices."""
    path = str(tmp_path_factory.mktemp('sharded'))
    subprocess.run([sys.executable, sharded.__file__, path], check=True, timeout=600)
    return path


def said(folder, *command):
    ran = subprocess.run([WEFT, *command], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert 'error' not in ran.stderr and 'warning' not in ran.stderr, ran.stderr
    return ran.stdout


def number(pattern, text):
    return int(re.search(pattern, text).group(1))


@pytest.mark.parametrize('name', sharded.PROGRAMS)
def test_program(folder, name):
    ran = said(folder, 'run', name + '.mlir', '--inputs', name, '--compare', name, '--count')
    outputs = sum(f.startswith('out') for f in os.listdir(os.path.join(folder, name)))
    assert '%d outputs agree' % outputs in ran
    predicted = said(folder, 'dryrun', name + '.mlir', '--silence=cost')
    if name not in DECIDED_BY_DATA:
        assert number(r'bytes on the wire +(\d+) B', predicted) == number(r'wire_bytes (\d+)', ran)
    assert said(folder, 'explain', name + '.mlir')
