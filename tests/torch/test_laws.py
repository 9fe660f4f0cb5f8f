"""Every collective of torch.distributed over Weft against gloo's result: types, reductions, sizes, views."""
import pytest

import ranks


@pytest.mark.parametrize('size', [2, 3, 4])
def test_results_are_gloos(size):
    for output in ranks.run(size, 'laws.everything', seconds=300):
        assert int(output.split(' checks')[0].split()[-1]) > 300


def test_results_between_nodes_are_gloos():
    """Processes of one machine that are told to be on two nodes: messages carry everything."""
    ranks.run(3, 'laws.everything', seconds=300, each=lambda rank: {'WEFT_NODE': 'ab'[rank // 2]})


def test_a_group_of_one():
    ranks.run(1, 'alone.everything')
