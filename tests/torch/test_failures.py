"""A rank that dies, does not come, or calls something else: an exception that names it, never a hang."""
import re
import time

import pytest

import ranks


def told(count, function, seconds=60):
    """What each process was told, by rank, in their order."""
    ended = ranks.end(ranks.start(count, 'failures.' + function), seconds)
    return [(e.status, re.findall(r'told: (.*)', e.output) if 'nothing was told' not in e.output else e.output, e.output)
            for e in ended]


def test_a_rank_that_dies():
    ended = told(3, 'dies')
    assert ended[2][0] == 7
    for status, texts, output in ended[:2]:
        assert status == 0 and len(texts) == 2, output
        assert all('the process of rank 2 has ended' in t for t in texts), output


def test_a_rank_that_dies_before_a_future():
    status, texts, output = told(2, 'dies_while_others_wait_for_a_future')[0]
    assert status == 0 and re.search('rank 1 has ended', texts[0]), output


def test_a_rank_that_does_not_come():
    status, texts, output = told(2, 'does_not_come')[0]
    assert status == 0 and re.search(r'Timed out in all_reduce, call \d+ of 20 B: waited 2 s for rank 1', texts[0]), output


def test_a_rank_that_never_starts():
    begun = time.monotonic()
    [e] = ranks.end(ranks.start(2, 'failures.never_starts', of=1), 60)
    assert e.status == 0 and 'rank 1 of the group did not come within 2 s' in e.output, e.output
    assert time.monotonic() - begun < 50


@pytest.mark.parametrize('function, text', [
    ('differ', 'rank 1 calls all_reduce of 4 x f32 by sum where rank 0 calls all_reduce of 3 x f32 by sum'),
    ('differ_in_type', 'rank 1 calls all_reduce of 4 x i32 by sum where rank 0 calls all_reduce of 4 x f32 by sum'),
    ('differ_in_call', 'rank 1 calls barrier where rank 0 calls collective_broadcast of 3 x f32 from 0 to 0'),
])
def test_calls_that_differ(function, text):
    for status, texts, output in told(2, function):
        assert status == 0 and texts and text.split(' where ')[0] in texts[0], output
        assert 'where rank 0 calls' in texts[0], output


def test_a_message_of_another_size():
    (status, none, output), (status_1, texts, output_1) = told(2, 'short_receive')
    assert status == 0 and not none, output
    assert status_1 == 0, output_1
    assert [re.search(r'rank 0 of the group has sent (\d+) B to rank 1, which receives 20 B', t)[1] for t in texts] == [
        '12', '120000'], output_1


def test_time_outs_of_groups_and_waits():
    status, texts, output = told(2, 'impatient')[0]
    assert status == 0 and len(texts) == 4, output
    assert 'Timed out in recv from rank 1 of the group' in texts[0] and 'waited 1 s' in texts[0], output
    assert 'no rank has sent within 1 s' in texts[1], output
    assert 'recv from any rank' in texts[2], output
    assert 'waited 1 s for rank 1' in texts[3], output


def test_a_time_out_of_one_wait():
    status, texts, output = told(2, 'impatient_wait')[0]
    assert status == 0 and 'waited 1 s for rank 1' in texts[0], output


def test_monitored_barrier():
    ended = told(4, 'monitored')
    assert all(status == 0 for status, _, _ in ended), ended
    assert 'Ranks 2, 3 failed to pass monitoredBarrier in 1000 ms' in ended[0][1][0], ended[0]
    assert 'Rank 2 failed to pass monitoredBarrier in 1000 ms' in ended[0][1][1], ended[0]
    assert 'Ranks 2, 3 failed' in ended[1][1][0] and 'Rank 2 failed' in ended[1][1][1], ended[1]


def test_errors_of_one_rank():
    (status, texts, output), (status_1, _, output_1) = told(2, 'misused')
    assert status == 0 and len(texts) == 10, output
    assert status_1 == 0, output_1


def test_calls_under_way_at_the_end():
    for status, texts, output in told(2, 'left_behind'):
        assert status == 0 and len(texts) == 2 and all('was destroyed' in t for t in texts), output


def test_an_end_without_destroy():
    for e in ranks.end(ranks.start(2, 'failures.exits_without_end')):
        assert e.status == 0, e.output
