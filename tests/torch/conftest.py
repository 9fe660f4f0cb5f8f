"""weft_torch is built once, in the build folder; its tests are skipped where torch is missing."""
import importlib.util
import os

import pytest

# Without torch its name finds this folder, as a namespace package, which has no origin.
spec = importlib.util.find_spec('torch')
if spec is None or spec.origin is None:

    def pytest_collection_modifyitems(items):
        for item in items:
            if os.path.dirname(str(item.fspath)) == os.path.dirname(__file__):
                item.add_marker(pytest.mark.skip(reason='no torch here'))
else:
    import ranks

    @pytest.fixture(scope='session', autouse=True)
    def weft_torch():
        ranks.build()
