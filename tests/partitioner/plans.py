"""Shardy's plans and Weft's: what both cost, where they differ.

    plans.py [--shardy REPO] [--random SEED[:COUNT]]     WEFT: the tool; plan_bytes beside it (make check builds it)

Takes the functions of Shardy's lit tests of explicit reshards and of reshards to collectives out of a clone of openxla/shardy, and
random reshards, writes each with Shardy's passes (sdy-insert-explicit-reshards, sdy-reshard-to-collectives) and with Weft's
(weft-insert-reshards, weft-lower-reshards), and lists those that differ with the bytes that a device sends, the steps that it
computes, and the cost that weighs both. Where a plan of Shardy's is none, since a device that does an op to its parts gets something
else than the op, that is said with the reason and the plan is not compared. Exit status 1 when one of Weft's plans is dearer, or none.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

TOP = os.environ.get('top_builddir', os.getcwd())
WEFT = os.environ.get('WEFT', os.path.join(TOP, 'weft'))
COUNT = os.path.join(TOP, 'tests/partitioner/plan_bytes')
TESTS = 'shardy/dialect/sdy/transforms/export/test'
LOWER = ['--sdy-reshard-to-collectives'], ['--weft-lower-reshards']
INSERT = (['--sdy-insert-explicit-reshards=enable-full-version=true'] + LOWER[0], ['--weft-insert-reshards'] + LOWER[1])


def plan(text, passes):
    """(what the plan costs, None) or (None, why there is none)."""
    with tempfile.NamedTemporaryFile('w+', suffix='.mlir') as f:
        got = subprocess.run([WEFT, 'opt', '--allow-unregistered-dialect', *passes, '-'], input=text, capture_output=True, text=True)
        if got.returncode:
            return None, got.stderr.strip().split('\n')[0].split('error: ')[-1]
        f.write(got.stdout)
        f.flush()
        count = subprocess.run([COUNT, f.name], capture_output=True, text=True)
    return (json.loads(count.stdout), None) if count.returncode == 0 else (None, count.stderr.strip())


def functions(text):
    """The functions of a lit test, each a module with the meshes and with the private functions that it may call."""
    for chunk in re.split(r'^// -----.*$', text, flags=re.M):
        lines = [l for l in chunk.split('\n') if not l.lstrip().startswith('//')]
        meshes = [l for l in lines if l.startswith('sdy.mesh')]
        found = re.findall(r'^func\.func.*?^}', '\n'.join(lines), flags=re.M | re.S)
        helpers = [f for f in found if f.startswith('func.func private')]
        for f in found:
            if not f.startswith('func.func private'):
                yield re.search(r'@(\w+)', f)[1], '\n'.join(meshes + [f] + (helpers if 'call @' in f else [])) + '\n'


def lit(repo, what):
    git = ['git', '-C', repo]
    names = subprocess.run(git + ['ls-tree', '-r', '--name-only', 'HEAD', TESTS], capture_output=True, text=True, check=True).stdout.split()
    for name in names:
        short = name[len(TESTS) + 1:]
        if short.startswith(what) and short.endswith('.mlir'):
            text = subprocess.run(git + ['show', 'HEAD:' + name], capture_output=True, text=True, check=True).stdout
            for function, module in functions(text):
                yield short + ' @' + function, module


def random_sharding(r, mesh, shape):
    """Axes, whole or halved, over dimensions that they divide."""
    axes = [('"%s"' % n, s) for n, s in mesh]
    for n, s in mesh:
        if s % 2 == 0 and s > 2 and r.random() < 0.4:
            axes.remove(('"%s"' % n, s))
            axes += [('"%s":(1)2' % n, 2), ('"%s":(2)%d' % (n, s // 2), s // 2)]
    r.shuffle(axes)
    dims, left = [[] for _ in shape], list(shape)
    for name, size in axes:
        d = r.randrange(-1, len(shape))
        merges = d >= 0 and dims[d] and dims[d][-1].split(':')[0] == name.split(':')[0]
        if d >= 0 and left[d] % size == 0 and not merges:
            dims[d].append(name)
            left[d] //= size
    return '<@mesh, [%s]>' % ', '.join('{%s}' % ', '.join(a) for a in dims)


def random_reshards(seed, count):
    for k in range(seed, seed + count):
        r = random.Random(k)
        mesh = [(n, r.choice([2, 2, 4, 4, 8, 3, 6])) for n in 'xyzw'[:r.randrange(1, 5)]]
        shape = [r.choice([48, 96, 24, 72]) for _ in range(r.randrange(1, 4))]
        tensor = 'tensor<%sf32>' % ''.join('%dx' % d for d in shape)
        a, b = random_sharding(r, mesh, shape), random_sharding(r, mesh, shape)
        yield 'random %d: %s to %s' % (k, a, b), '\n'.join([
            'sdy.mesh @mesh = <[%s]>' % ', '.join('"%s"=%d' % m for m in mesh),
            'func.func @main(%%arg0: %s {sdy.sharding = #sdy.sharding%s}) -> (%s {sdy.sharding = #sdy.sharding%s}) {' % (tensor, a, tensor, b),
            '  %%0 = sdy.reshard %%arg0 %s : %s' % (b, tensor), '  return %%0 : %s' % tensor, '}', ''])


def compare(title, cases, passes, verbose=True):
    """The names of those where Weft's plan is dearer."""
    same = unplanned = 0
    cheaper, dearer, wrong, reasons = [], [], [], {}
    for name, text in cases:
        (theirs, why), (ours, why_not) = plan(text, passes[0]), plan(text, passes[1])
        if theirs and theirs['uneven']:
            theirs, why = None, 'a part does not divide: Weft cuts such a value over fewer devices, which is another program'
        elif ours and ours['wrong']:
            dearer.append((name, theirs or ours, ours))
            print('  WRONG   %s: %s' % (name, '; '.join(ours['wrong'])))
            continue
        elif theirs and theirs['wrong']:
            wrong.append((name, theirs, ours))
            continue
        if theirs is None or ours is None:
            reason = why if theirs is None else re.sub(r"\d+|'[^']*'|@\w+", '_', why_not)
            reasons[reason] = reasons.get(reason, 0) + 1
            unplanned += 1
        elif abs(theirs['cost'] - ours['cost']) < 0.5 and theirs['bytes'] == ours['bytes']:
            same += 1
        else:
            (cheaper if ours['cost'] < theirs['cost'] else dearer).append((name, theirs, ours))
    print('%s: %d cost the same, %d are cheaper by Weft, %d dearer, %d of Shardy\'s are no plans, %d do not compare'
          % (title, same, len(cheaper), len(dearer), len(wrong), unplanned))
    for word, group in (('cheaper', cheaper), ('DEARER', dearer), ('no plan', wrong)):
        for name, theirs, ours in group if verbose or word == 'DEARER' else []:
            sizes = ours or {'bytes': -1, 'steps': -1}
            print('  %s  bytes %d, Shardy %d; steps %d, Shardy %d  %s' % (word, sizes['bytes'], theirs['bytes'], sizes['steps'], theirs['steps'], name))
            for why in theirs['wrong']:
                print('             %s' % why)
    for reason, n in sorted(reasons.items(), key=lambda x: -x[1]) if verbose else []:
        print('  %5d  %s' % (n, reason))
    return [name for name, _, _ in dearer]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    arguments.add_argument('--shardy', help='a clone of openxla/shardy, for its lit tests')
    arguments.add_argument('--random', default='1:300', help='seed and count of random reshards')
    given = arguments.parse_args()
    seed, _, count = given.random.partition(':')
    dearer = compare('random reshards', random_reshards(int(seed), int(count or 1)), LOWER)
    if given.shardy:
        dearer += compare('reshard_to_collectives', lit(given.shardy, 'reshard_to_collectives'), LOWER)
        dearer += compare('insert_explicit_reshards', lit(given.shardy, 'insert_explicit_reshards'), INSERT)
    return 1 if dearer else 0


if __name__ == '__main__':
    sys.exit(main())
