"""The survey's programs under random shardings, both run by XLA: the partitioned program on CPU devices without its partitioner.

    python survey.py SEED DRAWS [PART]      PART: only programs with this in their names

Prints one line per program and seed that differs, is not partitioned or not compiled, and how many were right.
"""
import os
import re
import subprocess
import sys

os.environ['JAX_ENABLE_X64'] = '1'  # states of random numbers are 64 bits
import fuzz  # noqa: E402
import spmd  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SIZE = 8
# Dialects and targets that XLA for CPUs does not know, and an op that random numbers are no arguments of.
FOREIGN = ['top_k', 'assemble', 'custom call that takes the k largest', 'cholesky']
# Of a window that hangs over the end XLA drops all, StableHLO and Weft what is outside: indices up to here have none.
HIGHEST = {'scatter of windows': SIZE - 2}


def programs():
    text = open(os.path.join(HERE, 'survey.mlir')).read()
    for part in text.split('// ----- ')[1:]:
        name, program = part.split('\n', 1)
        yield name, re.sub(r'\$n(?:([-+*/])(\d+))?', lambda m: str(eval('%d %s %s' % (SIZE, (m.group(1) or '+').replace('/', '//'), m.group(2) or 0))), program)


def draw(text, seed):
    passes = ['--weft-prepare', '--weft-draw-shardings=seed=%d mesh=x=2,y=2,z=2 uneven=false' % seed]
    p = subprocess.run([fuzz.WEFT, 'opt'] + passes + ['-'], input=text, capture_output=True, text=True)
    return p.stdout if p.returncode == 0 else None


def main(argv):
    seed, draws, part = int(argv[1]), int(argv[2]), argv[3] if len(argv) > 3 else ''
    spmd.want_devices(8)
    right = count = 0
    for name, text in programs():
        if part not in name or name in FOREIGN:
            continue
        for k in range(draws):
            count += 1
            try:
                why = fuzz.check(draw(text, seed + k), seed + k, HIGHEST.get(name))
            except Exception as e:  # what XLA or the harness could not do
                why = '%s: %s' % (type(e).__name__, str(e).split('\n')[0][:200])
            if why:
                print('%s, seed %d: %s' % (name, seed + k, why), flush=True)
            right += why is None
    print('%d of %d right' % (right, count))
    return right != count


if __name__ == '__main__':
    sys.exit(main(sys.argv))
