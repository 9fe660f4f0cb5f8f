"""torch's own tests of its backends, with Weft in gloo's place. Not collected by itself: test_torchs_own.py runs it.

AS names the backend whose tests torch's decorators let run: mpi's are all of them that need no accelerator, with any
number of ranks; gloo's are those of time-outs and monitored barriers."""
import os
import tempfile

os.environ['BACKEND'] = os.environ['AS']
os.environ.setdefault('WORLD_SIZE', '4')
os.environ.setdefault('TEMP_DIR', tempfile.mkdtemp())

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
from torch.testing._internal.distributed import distributed_test  # noqa: E402

import weft_torch  # noqa: E402, F401

distributed_test.BACKEND = 'gloo'  # what the tests themselves ask
init_process_group = dist.init_process_group


def over_weft(*arguments, **given):
    return init_process_group(*arguments, **dict(given, backend='weft'))


dist.init_process_group = over_weft


class TestWeft(distributed_test.TestDistBackend, distributed_test.DistributedTest._DistTestBase):
    def setUp(self):
        super().setUp()
        # forks: each test would import torch in four processes
        self._start_processes(torch.multiprocessing.get_context('fork').Process)
