"""weft_torch is built once, in the build folder; its tests are skipped where torch is missing."""
import importlib.util
import os

import pytest

if importlib.util.find_spec('torch') is None:
    collect_ignore_glob = []

    def pytest_collection_modifyitems(items):
        for item in items:
            if os.path.dirname(str(item.fspath)) == os.path.dirname(__file__):
                item.add_marker(pytest.mark.skip(reason='no torch here'))
else:
    import ranks

    @pytest.fixture(scope='session', autouse=True)
    def weft_torch():
        ranks.build()
