"""A wheel with the plugin is for this platform, one without it for any; both are for every version of Python 3."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

import pytest

pytest.importorskip('setuptools')
# pip brings its own to a build; here it is this Python's, whose setuptools makes wheels from 70.1 on, or with `wheel`.
if not any(importlib.util.find_spec(name) for name in ('setuptools.command.bdist_wheel', 'wheel')):
    pytest.skip('no bdist_wheel here: pip install wheel', allow_module_level=True)
ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize('has_library', [False, True])
def test_tag(library, has_library, tmp_path):
    shutil.copytree(ROOT / 'python', tmp_path / 'python', ignore=shutil.ignore_patterns('build', '*.egg-info'))
    mine = {k: v for k, v in os.environ.items() if k != 'WEFT_PJRT_LIBRARY'}
    if has_library:
        mine['WEFT_PJRT_LIBRARY'] = library
    run = subprocess.run([sys.executable, 'setup.py', '-q', 'bdist_wheel', '-d', tmp_path / 'out'], env=mine,
                         cwd=tmp_path / 'python', capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr[-3000:]
    platform = sysconfig.get_platform().replace('-', '_').replace('.', '_') if has_library else 'any'
    assert [p.name for p in (tmp_path / 'out').iterdir()] == ['weft-0.1.0-py3-none-%s.whl' % platform]
    listed = subprocess.run([sys.executable, '-m', 'zipfile', '-l', next((tmp_path / 'out').iterdir())],
                            capture_output=True, text=True, check=True).stdout
    assert ('libweft_pjrt.so' in listed) == has_library
