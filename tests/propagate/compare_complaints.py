"""What Shardy and Weft say of programs with a mistake in their shardings.

    compare_complaints.py FIRST COUNT    what differs, each pair of messages once with how often and a seed; then how many were compared
    compare_complaints.py SEED           that program and both answers
"""
import collections
import re
import subprocess
import sys

import broken_programs
import shardy


def weft_complaints(text):
    r = subprocess.run([shardy.WEFT, 'opt', '-'], input=text, capture_output=True, text=True)
    found = re.findall(r'^[^\n:]*:(\d+):(\d+): error: (.*)$', r.stderr, re.M)
    return [(int(l), int(c), m) for l, c, m in found] or ([] if r.returncode == 0 else [(0, 0, r.stderr)])


def core(message):
    """Without the op's name in front, quotes around types, what numbers and names there are, and what may have been meant."""
    message = re.sub(r"; did you mean '.*'\?$", '', message.split('\n')[0])
    message = re.sub(r"^'[\w.]+' op ", '', message.split('\n')[0].strip())
    message = re.sub(r' \[\w+\]$', '', message)
    return message.replace("'", '').rstrip('.')


def told_apart(theirs, ours):
    """None where both are content, or complain of one line in the same words."""
    if not theirs or not ours:
        return None if not theirs and not ours else (core(theirs[0][2]) if theirs else 'fine', core(ours[0][2]) if ours else 'fine')
    a, b = core(theirs[0][2]), core(ours[0][2])
    if theirs[0][0] != ours[0][0]:
        return '%d: %s' % (theirs[0][0], a), '%d: %s' % (ours[0][0], b)
    return None if a == b else (a, b)


def compare(first, count):
    """{(theirs, ours): [seeds]} of those that differ; how many were refused by both."""
    apart, found, refused = shardy.Apart(), collections.defaultdict(list), 0
    for seed in range(first, first + count):
        text = broken_programs.program(seed)
        theirs, ours = apart.complaints(text), weft_complaints(text)
        if isinstance(theirs, tuple):
            continue            # Shardy crashed
        refused += bool(theirs and ours)
        difference = told_apart(theirs, ours)
        if difference:
            found[difference].append(seed)
    apart.close()
    return found, refused


def main(first, count=None):
    if count is None:
        text = broken_programs.program(int(first))
        print(text, '\nShardy:', shardy.complaints(text), '\nWeft:', weft_complaints(text))
        return
    found, refused = compare(int(first), int(count))
    for (theirs, ours), seeds in sorted(found.items(), key=lambda p: -len(p[1])):
        print('%4d, as %d\n    Shardy: %s\n    Weft:   %s' % (len(seeds), seeds[0], theirs, ours))
    print('%d differ in %d ways; %d refused by both' % (sum(map(len, found.values())), len(found), refused))


if __name__ == '__main__':
    main(*sys.argv[1:])
