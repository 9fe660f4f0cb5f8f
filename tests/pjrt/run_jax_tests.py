"""Runs files of JAX's own tests on JAX's cpu and on Weft, and says what fails on Weft only.

    git clone --depth 1 --branch jax-v0.10.2 https://github.com/jax-ml/jax     # outside of this project
    WEFT_PJRT_LIBRARY=build/.libs/libweft_pjrt.so python tests/pjrt/run_jax_tests.py jax fft_test array_test:8 ...

A name may be followed by the number of devices (1 by default) and, after a second colon, by a pattern for names of cases
(pjit_test:8:unreduced). JAX itself is the one that Python imports, and should be of the checkout's version. Each file
runs on weft first, and what does not pass there on cpu. A case fails on Weft only if it failed, or ended the process, on
weft and passes on cpu. A file that takes longer than --seconds is stopped; what had ended counts. Exit status 1: there
are cases that fail on Weft only.

Generated cases are reduced to one of each kind and slow cases left out, unless --full is given.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

PYTHON_PATH = str(pathlib.Path(__file__).resolve().parents[2] / 'python')
LINE = re.compile(r'^\[ +(RUN|OK|FAILED|SKIPPED) +\] (\S+)')


def environment(platform, devices, pattern, full):
    e = {k: v for k, v in os.environ.items() if not k.startswith('JAX_')}
    e['JAX_PLATFORMS'] = 'cpu' if platform == 'cpu' else 'weft,cpu'
    e['WEFT_NUM_DEVICES'] = str(devices)
    if 'WEFT_PJRT_LIBRARY' in e:  # files run in the checkout
        e['WEFT_PJRT_LIBRARY'] = os.path.abspath(e['WEFT_PJRT_LIBRARY'])
    e['PYTHONPATH'] = os.pathsep.join([PYTHON_PATH, e.get('PYTHONPATH', '')]).rstrip(os.pathsep)
    e['JAX_NUM_CPU_DEVICES'] = str(devices)
    if pattern:
        e['TESTBRIDGE_TEST_ONLY'] = pattern
    if not full:
        e.update(JAX_NUM_GENERATED_CASES='1', JAX_SKIP_SLOW_TESTS='1')
    return e


def outcomes(text):
    """Of each case what became of it; a case that began and did not end has ended the process, or was stopped."""
    found = {}
    for line in text.splitlines():
        m = LINE.match(line)
        if m and not (m[1] == 'RUN' and m[2] in found):
            found[m[2]] = m[1]
    return found


def output(name, platform, cases, spec, options):
    """What a file prints, and how it ended; cases: their names, or none for all that the pattern chooses."""
    _, devices, pattern = spec
    file = options.checkout / 'tests' / (name + '.py')
    command = [options.python, str(file)]
    if platform == 'weft' and 'parse_flags_with_absl' in file.read_text():  # other files know no flags of JAX's
        command.append('--jax_test_dut=cpu')
    try:
        done = subprocess.run(command + cases, env=environment(platform, devices, pattern, options.full),
                              cwd=options.checkout, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=options.seconds)
        return done.stdout.decode(errors='replace'), done.returncode
    except subprocess.TimeoutExpired as e:
        return (e.stdout or b'').decode(errors='replace'), 'stopped'


LISTED = """
import sys, unittest
sys.argv = sys.argv[:1]
import importlib, jax
def names(suite):
    for t in suite:
        yield from names(t) if isinstance(t, unittest.TestSuite) else ['.'.join(t.id().split('.')[1:])]
from jax._src import test_util
print('\\n'.join(names(test_util.JaxTestLoader().loadTestsFromModule(importlib.import_module(%r)))))
"""


def listed(name, spec, options):
    e = environment('cpu', spec[1], spec[2], options.full)
    e['PYTHONPATH'] = os.pathsep.join([str(options.checkout / 'tests'), e['PYTHONPATH']])
    done = subprocess.run([options.python, '-c', LISTED % name], env=e, cwd=options.checkout, stdout=subprocess.PIPE)
    return [x for x in done.stdout.decode().split() if not spec[2] or spec[2] in x]


def run(name, platform, cases, spec, options):
    """Outcomes of a file's cases. Where a case ends the process, another process runs what has not begun."""
    found, texts = {}, []
    while True:
        text, how = output(name, platform, cases, spec, options)
        new = outcomes(text)
        texts.append(text)
        if not new:
            print('%s on %s ran no case:\n%s' % (name, platform, text[-3000:]), flush=True)
            return found, how, text
        if how == 'stopped':  # what was under way is nobody's failure
            new = {case: what for case, what in new.items() if what != 'RUN'}
        found.update(new)
        if how in (0, 1, 'stopped'):
            break
        cases = [case for case in cases or listed(name, spec, options) if case not in found]
        if not cases:
            break
    text = '\n'.join(texts)
    if options.logs:
        (options.logs / ('%s.%s.log' % (name, platform))).write_text(text)
    return found, how, text


def reason(text, case):
    """The last line of the case's traceback, or that it ended the process."""
    at = re.search(r'^(?:FAIL|ERROR): %s \(' % re.escape(case.split('.')[-1]), text, re.MULTILINE)
    if not at:
        return 'the process ended'
    part = text[at.end():].split('\n' + '=' * 70)[0]
    lines = [x for x in part.splitlines() if re.match(r'^[A-Za-z_.]+(Error|Exception|Interrupt)\b', x)]
    return lines[-1][:300] if lines else part.strip().splitlines()[-1][:300]


def compare(spec, options):
    name, devices, pattern = spec
    weft, how, text = run(name, 'weft', [], spec, options)
    not_passed = [case for case, what in weft.items() if what in ('FAILED', 'RUN')]
    cpu = run(name, 'cpu', not_passed, spec, options)[0] if not_passed else {}
    worse = [case for case in not_passed if cpu.get(case) == 'OK']
    passed = sum(what == 'OK' for what in weft.values())
    print('%-32s %d devices: %d pass on weft, %d fail there, %d of them on weft only%s'
          % (name + (' ' + pattern if pattern else ''), devices, passed, len(not_passed), len(worse),
             '; stopped' if how == 'stopped' else ''), flush=True)
    for case in worse:
        print('    %s: %s' % (case, reason(text, case)), flush=True)
    return passed + len(worse), len(worse)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('checkout', type=pathlib.Path)
    p.add_argument('files', nargs='+', metavar='FILE[:DEVICES[:PATTERN]]')
    p.add_argument('--seconds', type=float, default=600, help='for a file on a platform')
    p.add_argument('--full', action='store_true', help="JAX's own number of generated cases, slow ones too")
    p.add_argument('--logs', type=pathlib.Path, help='a folder for the outputs')
    p.add_argument('--python', default=sys.executable)
    options = p.parse_args()
    options.checkout = options.checkout.resolve()
    if options.logs:
        options.logs = options.logs.resolve()
        options.logs.mkdir(parents=True, exist_ok=True)
    total = worse = 0
    for spec in options.files:
        name, devices, pattern = (spec.split(':', 2) + ['', ''])[:3]
        if not (options.checkout / 'tests' / (name + '.py')).exists():
            raise SystemExit('%s has no tests/%s.py' % (options.checkout, name))
        n, k = compare((name, int(devices or 1), pattern), options)
        total, worse = total + n, worse + k
    print('%d of %d cases that pass on cpu pass on weft: %.2f%%' % (total - worse, total, 100 * (1 - worse / max(total, 1))))
    return 1 if worse else 0


if __name__ == '__main__':
    sys.exit(main())
