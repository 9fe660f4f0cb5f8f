"""`weft dryrun --auto` beside the annotations of the zoo's authors: python3 bench/auto.py [--topology NAME] [PROGRAM...]

One line for each program of ../shared/programs (or those named): the step as written, as --auto shards it on the same mesh and on any mesh
of as many devices, the plans tried and the time of the search. Times are the dry run's own, on the machine that is named.
"""
import argparse
import glob
import json
import os
import subprocess
import time

parser = argparse.ArgumentParser()
parser.add_argument('--topology', default='dgx-h100:64')
parser.add_argument('programs', nargs='*')
a = parser.parse_args()
here = os.path.dirname(os.path.abspath(__file__))
shared = os.environ.get('WEFT_SHARED', os.path.join(here, '..', '..', 'shared'))
weft = os.environ.get('WEFT', os.path.join(here, '..', 'build', 'weft'))


def report(*options):
    run = subprocess.run([weft, 'dryrun', '--json', '--topology', a.topology, *options], capture_output=True, text=True)
    return json.loads(run.stdout) if run.returncode == 0 else {'error': run.stderr.strip().split('\n')[-1]}


print('%-22s %8s %10s %10s %6s %10s %6s  %6s %7s  %s' % ('program', 'devices', 'written', 'same mesh', '', 'any mesh', '', 'plans', 'search', 'chosen'))
for path in a.programs or sorted(glob.glob(os.path.join(shared, 'programs', '*.mlir'))):
    name = os.path.basename(path).removesuffix('.mlir')
    written = report(path)
    if 'error' in written or written['devices'] < 2:
        print('%-22s %s' % (name, written.get('error', 'one device')))
        continue
    begin = time.monotonic()
    same = report('--auto', path)
    took = time.monotonic() - begin
    other = report('--auto', '--devices', str(written['devices']), path)
    if 'error' in same or 'error' in other:
        print('%-22s %s' % (name, same.get('error') or other.get('error')))
        continue
    ms = [1e3 * r['step_time_s'] for r in (written, same, other)]
    chosen = other['auto']
    print('%-22s %8d %8.4g ms %7.4g ms  x%.2f %7.4g ms  x%.2f  %6d %5.1f s  %s on %s, %d moves' %
          (name, written['devices'], ms[0], ms[1], ms[0] / ms[1], ms[2], ms[0] / ms[2], same['auto']['tried'], took,
           chosen['strategy'] or 'as written', chosen['mesh'], len(chosen['moves'])), flush=True)
