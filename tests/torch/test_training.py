"""DDP, FSDP2, tensor parallelism, DTensor and the functional collectives over Weft: the losses are those over gloo."""
import pytest

import ranks


@pytest.mark.parametrize('size', [2, 4])
def test_a_small_gpt(size):
    for output in ranks.run(size, 'training.everything', seconds=240):
        assert all(way in output for way in ('ddp', 'low_rank', 'fsdp', 'mixed', 'tensor')), output
