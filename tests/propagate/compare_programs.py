"""Random programs through Shardy and through Weft.

    compare_programs.py KIND FIRST COUNT    prints the seeds whose answers differ, then how many were compared
    compare_programs.py KIND SEED           prints that program, its passes and what differs

What a seed is taken through hangs off the seed as well: all of propagation, or as far as some pass of it, or one strategy alone.
"""
import difflib
import os
import random
import re
import subprocess
import sys

import call_programs
import control_programs
import given_programs
import mixed_programs
import op_programs
import shardy
import strange_programs

RANDOM = os.path.join(shardy.TOP, 'tests/propagate/random_programs')
# Up to where Shardy's partitioner begins.
PIPELINE = ['--weft-spread-shardings', '--weft-sink-shardings=keep-sharding-rules=true']
BATCH = 200
FLAGS = ['sub-axes', 'priorities', 'uneven', 'no-index', '60']
STRATEGIES = ['sdy-basic-propagate', 'sdy-aggressive-propagate', 'sdy-aggressive-propagate{propagation-strategy=basic-then-aggressive}',
              'sdy-aggressive-propagate{conservative-propagation=true}', 'sdy-op-priority-propagate',
              'sdy-op-priority-propagate{propagation-strategy=basic}', 'sdy-user-priority-propagate',
              'sdy-user-priority-propagate{conservative-propagation=true}']
# Alone: pipelines to their ends, and passes that are sets of patterns, whose rewriter tidies up as well.
ALONE = ['sdy-propagation-pipeline', 'sdy-propagation-pipeline{dedup-functions-fully=true}', 'func.func(sdy-explicit-gather-scatter-batching)',
         'canonicalize{enable-patterns=sdy-collective}', 'func.func(sdy-populate-op-sharding-rules{conservative-propagation=true})']
# Behind propagation, to collectives over global shapes.
EXPORT = ['func.func(sdy-insert-explicit-reshards{enable-full-version=true})', 'canonicalize{enable-patterns=sdy-reshard}',
          'func.func(sdy-reshard-to-collectives)', 'canonicalize{enable-patterns=sdy-collective}']
# Where export goes its own way on purpose (docs/shardy-differences.md): what is done on one device, reductions that are no sums at sight.
OWN_EXPORT = r'<@device|applies stablehlo\.(?!add)|reducer\(|"(stablehlo|chlo)\.(reduce|reduce_window|scatter|select_and_scatter|all_reduce|reduce_scatter)"'
# What the Shardy of jaxlib 0.10.2 does not refuse yet.
NEWER = ['without a blessed operation', 'cannot have a single-device (maximal) sharding']


def recipe(seed):
    """Of the library's own generator, which the tests of the partitioner share."""
    r = random.Random(seed)
    out = subprocess.run([RANDOM, str(seed), '1'] + [f for f in FLAGS if r.random() < 0.4], capture_output=True, text=True, check=True).stdout
    return out.split('\n', 1)[1]


def calls(seed):
    return call_programs.program(seed, computations=False)


# Named computations of the program itself get a second data-flow edge from Shardy's import of calls, which its verifier refuses.
KINDS = {
    'ops': (op_programs.program, shardy.PIPELINE),
    'recipes': (recipe, shardy.PIPELINE),
    'control': (control_programs.program, shardy.PIPELINE),
    'mixed': (mixed_programs.program, shardy.PIPELINE),
    'calls': (calls, shardy.CALLS_PIPELINE),
    'mixed-calls': (mixed_programs.calls, shardy.CALLS_PIPELINE),
    # One pass more, in front so that no part of the list is the pipeline: Weft's pipelines make functions of named computations.
    'strange': (strange_programs.program, ['symbol-dce'] + shardy.PIPELINE),
    'strange-calls': (strange_programs.calls, shardy.CALLS_PIPELINE),
    'jax': (given_programs.maker('jax'), shardy.CALLS_PIPELINE),
    'texts': (given_programs.maker('texts'), shardy.CALLS_PIPELINE),
    'testdata': (given_programs.maker('testdata'), shardy.CALLS_PIPELINE),
}


def passes_of(seed, whole):
    """All of them mostly, with export after them or without; else the first few, or a way of propagation after those that come before
    it, or a pass alone."""
    r = random.Random(seed)
    u = r.random()
    if u < 0.4:
        return whole if u < 0.25 else whole + EXPORT
    if u < 0.5:
        return [r.choice(ALONE)]
    at = next(i for i, p in enumerate(whole) if p.startswith('sdy-user-priority-propagate'))
    return whole[:at] + [r.choice(STRATEGIES)] if u < 0.75 else whole[:r.randrange(1, len(whole))]


def options(passes):
    """Of `weft opt`, for the same passes."""
    if passes in (shardy.PIPELINE, shardy.CALLS_PIPELINE):
        return PIPELINE
    out = []
    for p in passes:
        for one in (p[len('func.func('):-1].split(',') if p.startswith('func.func(') else [p]):
            name, _, rest = one.rstrip('}').partition('{')
            out.append('--' + name + ('=' + rest if rest else ''))
    return out


def program(kind, seed):
    """To its end a pipeline reshards what is done on one device, which jaxlib's Shardy does not do yet, and it gives computations a second
    edge, which its verifier refuses."""
    make, whole = KINDS[kind]
    text, passes = make(seed), passes_of(seed, whole)
    if passes[-1] == EXPORT[-1] and re.search(OWN_EXPORT, text):
        return text, whole
    return text, whole if passes[0].startswith('sdy-propagation-pipeline') and re.search('<@device|sdy.named_computation', text) else passes


class Comparison:
    def __init__(self):
        self.apart = shardy.Apart()
        self.compared = self.refused = self.crashed = 0

    def told_apart(self, text, passes, got, why):
        """What is not the same, or None."""
        want, said = self.apart.run(text, passes)
        if said in (['crashed'], ['did not end']):
            self.crashed += 1
            return None
        self.compared += 1
        if want is not None and got is None and any(words in why for words in NEWER):
            return None
        if want is None or got is None:
            self.refused += 1
            return None if want is got else 'Shardy: %s\nWeft: %s' % (said or 'fine', why or 'fine')
        printed, said = self.apart.run(got, [])
        if printed is None:
            return 'what Weft prints is no module: %s' % said
        if printed == want:
            return None
        return '\n'.join(difflib.unified_diff(want.split('\n'), printed.split('\n'), 'shardy', 'weft', lineterm='', n=1))

    def differing(self, programs):
        """(index, difference) of those of the programs, each (text, passes), that differ."""
        alike = {}
        for i, (_, passes) in enumerate(programs):
            alike.setdefault(tuple(passes), []).append(i)
        found = []
        for passes, group in alike.items():
            answers = shardy.weft_all([programs[i][0] for i in group], '--verify-each', *options(list(passes)))
            for i, (got, why) in zip(group, answers):
                difference = self.told_apart(programs[i][0], list(passes), got, why)
                if difference:
                    found.append((i, difference))
        return sorted(found)


def compare(kind, first, count):
    """(seed, difference) of those that differ, and what was compared, in words."""
    c, found = Comparison(), []
    for seed in range(first, first + count, BATCH):
        some = range(seed, min(seed + BATCH, first + count))
        for i, difference in c.differing([program(kind, s) for s in some]):
            found.append((some[i], difference))
            print(kind, some[i], flush=True)
    c.apart.close()
    return found, '%s: seeds %d to %d: %d compared, of which both refused %d; Shardy crashed on %d more' % (
        kind, first, first + count - 1, c.compared, c.refused, c.crashed)


def main(kind, first, count=None):
    found, what = compare(kind, int(first), int(count or 1))
    if count is None:
        text, passes = program(kind, int(first))
        print('%s// %s\n' % (text, ' '.join(options(passes))), found[0][1] if found else 'the same')
    else:
        print(what, flush=True)


if __name__ == '__main__':
    main(*sys.argv[1:])
