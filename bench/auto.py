"""`weft dryrun --auto` beside the annotations of the zoo's authors: python3 bench/auto.py [--topology NAME] [PROGRAM...]

One line for each program of ../shared/programs (or those named): the step as written, as --auto shards it on the same mesh and on any mesh
of as many devices, the plans tried on any mesh, the processor time of that search, and the step as a multiple of the bound of
all plans (0: none is known). Times of steps are the dry run's own, on the machine that is named.
"""
import argparse
import glob
import json
import os
import resource
import subprocess

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


def processor_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


print('%-22s %8s %10s %10s %6s %10s %6s  %6s %7s %7s  %s' %
      ('program', 'devices', 'written', 'same mesh', '', 'any mesh', '', 'plans', 'search', 'bound', 'chosen'))
for path in a.programs or sorted(glob.glob(os.path.join(shared, 'programs', '*.mlir'))):
    name = os.path.basename(path).removesuffix('.mlir')
    written = report(path)
    if 'error' in written or written['devices'] < 2:
        print('%-22s %s' % (name, written.get('error', 'one device')))
        continue
    same = report('--auto', path)
    begin = processor_s()
    other = report('--auto', '--devices', str(written['devices']), path)
    took = processor_s() - begin
    if 'error' in same or 'error' in other:
        print('%-22s %s' % (name, same.get('error') or other.get('error')))
        continue
    ms = [1e3 * r['step_time_s'] for r in (written, same, other)]
    chosen = other['auto']
    bound = other['step_time_s'] / chosen['floor_s'] if chosen['floor_s'] else 0
    print('%-22s %8d %8.4g ms %7.4g ms  x%.2f %7.4g ms  x%.2f  %6d %5.1f s %7.3g  %s on %s, %d moves' %
          (name, written['devices'], ms[0], ms[1], ms[0] / ms[1], ms[2], ms[0] / ms[2], chosen['tried'], took, bound,
           chosen['strategy'] or 'as written', chosen['mesh'], len(chosen['moves'])), flush=True)
