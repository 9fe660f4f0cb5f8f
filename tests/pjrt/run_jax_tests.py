"""Runs files of JAX's own tests on JAX's cpu and on Weft, and says what fails on Weft only.

    git clone --depth 1 --branch jax-v0.10.2 https://github.com/jax-ml/jax     # outside of this project
    WEFT_PJRT_LIBRARY=build/.libs/libweft_pjrt.so python tests/pjrt/run_jax_tests.py jax fft_test array_test:8 ...

A name may be followed by the number of devices (1 by default) and, after a second colon, by a pattern for names of cases
(pjit_test:8:unreduced). JAX itself is the one that Python imports, and should be of the checkout's version. A file that
takes longer than --seconds on a platform is stopped; only cases that ended on both are compared. A case fails on Weft
only if it passed on cpu and failed, or ended the process, on weft. Exit status 1: there are such cases.

Each file runs in a process with the generated cases reduced to one and slow cases left out, unless --full is given.
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


def run(python, checkout, name, platform, devices, pattern, options):
    command = [python, str(checkout / 'tests' / (name + '.py'))]
    if platform == 'weft':
        command.append('--jax_test_dut=cpu')
    try:
        done = subprocess.run(command, env=environment(platform, devices, pattern, options.full), cwd=checkout,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=options.seconds)
        text, how = done.stdout.decode(errors='replace'), done.returncode
    except subprocess.TimeoutExpired as e:
        text, how = (e.stdout or b'').decode(errors='replace'), 'stopped'
    if options.logs:
        (options.logs / ('%s.%s.log' % (name, platform))).write_text(text)
    found = outcomes(text)
    if not found:
        raise SystemExit('%s on %s ran no case:\n%s' % (name, platform, text[-3000:]))
    if how == 'stopped':  # what was under way is nobody's failure
        found = {case: what for case, what in found.items() if what != 'RUN'}
    return found, how, text


def reason(text, case):
    """The last line of the case's traceback, or that it ended the process."""
    at = re.search(r'^(?:FAIL|ERROR): %s \(' % re.escape(case.split('.')[-1]), text, re.MULTILINE)
    if not at:
        return 'the process ended'
    part = text[at.end():].split('\n' + '=' * 70)[0]
    lines = [x for x in part.splitlines() if re.match(r'^[A-Za-z_.]+(Error|Exception|Interrupt)\b', x)]
    return lines[-1][:300] if lines else part.strip().splitlines()[-1][:300]


def compare(name, devices, pattern, options):
    cpu, how_cpu, _ = run(options.python, options.checkout, name, 'cpu', devices, pattern, options)
    weft, how_weft, text = run(options.python, options.checkout, name, 'weft', devices, pattern, options)
    both = [case for case in cpu if case in weft]
    passed = [case for case in both if cpu[case] == 'OK']
    worse = [case for case in passed if weft[case] in ('FAILED', 'RUN')]
    stopped = ', '.join(p + ' was stopped' for p, how in (('cpu', how_cpu), ('weft', how_weft)) if how == 'stopped')
    count = {p: sum(v == 'OK' for v in x.values()) for p, x in (('cpu', cpu), ('weft', weft))}
    print('%-32s %d devices: %d pass on cpu, %d on weft; of %d compared %d fail on weft only%s'
          % (name + (' ' + pattern if pattern else ''), devices, count['cpu'], count['weft'], len(passed), len(worse),
             '; ' + stopped if stopped else ''), flush=True)
    for case in worse:
        print('    %s: %s' % (case, reason(text, case)), flush=True)
    return len(passed), len(worse)


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
        n, k = compare(name, int(devices or 1), pattern, options)
        total, worse = total + n, worse + k
    print('%d of %d cases that pass on cpu pass on weft: %.2f%%' % (total - worse, total, 100 * (1 - worse / max(total, 1))))
    return 1 if worse else 0


if __name__ == '__main__':
    sys.exit(main())
