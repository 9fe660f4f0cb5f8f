"""torch's own tests of a backend (torch.testing._internal.distributed), over Weft: own.py. ./check long runs them."""
import importlib.util
import os
import re
import subprocess
import sys

import pytest

import ranks

# What torch says of any backend that it does not have itself; each with the reason.
EXPECTED = {
    'test_ddp_logging_data_cpu': "DDP's log names every backend of others 'custom'",
    'test_get_backend': "the backend's name is weft's",
    'test_monitored_barrier_gloo': 'gloo tells the ranks that came of rank 0, Weft of the rank that did not come',
}


@pytest.mark.skipif('WEFT_LONG' not in os.environ, reason='./check long runs them')
@pytest.mark.skipif(importlib.util.find_spec('expecttest') is None, reason="torch's tests need the package expecttest")
@pytest.mark.parametrize('backend, chosen', [('mpi', ''), ('gloo', 'timeout or monitored or batch_isend')])
def test_torchs_own(backend, chosen):
    env = dict(os.environ, **ranks.environment(), AS=backend)
    run = subprocess.run([sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-rf', '-k', chosen,
                          str(ranks.HERE / 'own.py')], env=env, capture_output=True, text=True, timeout=3600)
    failed = set(re.findall(r'^FAILED \S*::(\w+)', run.stdout, re.M)) - set(EXPECTED)
    passed = int((re.findall(r'(\d+) passed', run.stdout) or ['0'])[-1])
    assert not failed and passed > 5, run.stdout[-20000:]
