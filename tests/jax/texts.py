"""Random StableHLO programs, Weft against XLA: long runs, and what test_texts.py calls.

    python tests/jax/texts.py --count 20000 --seed 1            prints what differs, at the end how many there were of each kind
    python tests/jax/texts.py --only gather --count 500
    python tests/jax/texts.py --show --seed 17                  the program that a seed stands for

What XLA refuses to compile is compared where the drawer knows the result itself, and counted otherwise.
"""
import argparse
import collections
import importlib
import sys

import numpy as np

import text
import binding as weft
import worker
from text import draw

FAMILIES = ('elements', 'shapes', 'reductions', 'indexing', 'products', 'others', 'graphs')
DRAWERS = [d for f in FAMILIES for d in importlib.import_module('text.' + f).DRAWERS]


def draw_program(seed, only=None):
    """The kind's name and the program."""
    rng = np.random.default_rng(seed)
    drawers = [d for d in DRAWERS if not only or d.__name__.startswith(only) or d.__module__.endswith('.' + only)]
    drawer = drawers[int(rng.integers(len(drawers)))]
    p = draw.Program([seed, 1])
    with np.errstate(all='ignore'):
        drawer(p)
    return drawer.__name__, p


class Pair:
    """Weft's process and XLA's."""

    def __init__(self):
        self.weft, self.xla = worker.Worker('weft'), worker.Worker('xla')

    def end(self):
        self.weft.end()
        self.xla.end()

    def check(self, p):
        """None where both agree, 'refused ...' where there is nothing to compare with, or what is wrong."""
        known = all(w is not None for w in p.wants)
        self.weft.send(p.text, p.args)
        if not known:
            self.xla.send(p.text, p.args)
        got = wrong = want = None
        try:
            got, *_ = self.weft.receive()
        except (weft.Error, worker.Died) as e:
            wrong = str(e)
        if not known:
            try:
                want, *_ = self.xla.receive()
            except (weft.Error, worker.Died) as e:
                if wrong is None or 'INVALID' in str(e):
                    return 'refused: ' + str(e).split('\n')[0]
        if wrong:
            return wrong
        if len(got) != len(p.results):
            return '%d results, not %d' % (len(got), len(p.results))
        found = [draw.differences(g, w if w is not None else want[i], s) for i, (g, w, s) in enumerate(zip(got, p.wants, p.slack))]
        return '\n'.join('result %d %s' % (i, d) for i, d in enumerate(found) if d) or None


def main():
    a = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    a.add_argument('--seed', type=int, default=1)
    a.add_argument('--count', type=int, default=1000)
    a.add_argument('--only', help='drawers or families whose names begin so')
    a.add_argument('--show', action='store_true')
    a.add_argument('--stop', type=int, default=20, help='after so many differences')
    o = a.parse_args()
    if o.show:
        name, p = draw_program(o.seed, o.only)
        print('// %s' % name)
        print(p.text)
        return 0
    pair, count = Pair(), collections.Counter()
    for seed in range(o.seed, o.seed + o.count):
        name, p = draw_program(seed, o.only)
        count[name, 'drawn'] += 1
        why = pair.check(p)
        if why and why.startswith('refused'):
            count[name, why[:110]] += 1
        elif why:
            count[name, 'DIFFER'] += 1
            print('seed %d %s: %s\n%s' % (seed, name, why, p.text if len(p.text) < 3000 else p.text[:3000]), flush=True)
            if sum(n for (_, kind), n in count.items() if kind == 'DIFFER') >= o.stop:
                break
    pair.end()
    for (name, kind), n in sorted(count.items()):
        print('%6d %-24s %s' % (n, name, kind))
    return 1 if any(kind == 'DIFFER' for _, kind in count) else 0


if __name__ == '__main__':
    sys.exit(main())
