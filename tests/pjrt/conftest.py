"""The plugin under test: WEFT_PJRT_LIBRARY, else that of the build that $top_builddir or build/ has."""
import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def plugin():
    given = os.environ.get('WEFT_PJRT_LIBRARY')
    folders = [os.environ.get('top_builddir'), ROOT / 'build-check', ROOT / 'build']
    candidates = [pathlib.Path(given)] if given else [pathlib.Path(f) / '.libs/libweft_pjrt.so' for f in folders if f]
    found = [c for c in candidates if c.exists()]
    return str(found[0].resolve()) if found else None


@pytest.fixture(scope='session')
def library():
    path = plugin()
    if path is None:
        pytest.skip('libweft_pjrt.so is not built')
    return path
