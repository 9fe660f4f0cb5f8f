"""How long `weft opt --weft-differentiate` takes for the forward programs of GPT-3 (a scan over 96 layers, and the layers one by one) and
what the devices then send, beside JAX's own gradients of the same function planned by Weft.

    python bench/differentiate.py [--unrolled]          WEFT names the tool; ../shared/oracle/zoo.py has the model
"""
import json
import os
import subprocess
import sys
import tempfile
import time

os.environ['N'] = '512'
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.environ.get('WEFT_SHARED', os.path.join(here, '../../shared')), 'oracle'))
import zoo  # noqa: E402
from zoo import jax  # noqa: E402

WEFT = os.environ.get('WEFT', os.path.join(here, '../build/weft'))
RUNS = 5


def best(*args):
    """Output, and the shortest time of some runs in ms."""
    times = []
    for _ in range(RUNS):
        t = time.perf_counter()
        out = subprocess.run([WEFT, *args], capture_output=True, text=True, check=True).stdout
        times.append(1000 * (time.perf_counter() - t))
    return out, min(times)


def dryrun(path):
    plan = json.loads(subprocess.run([WEFT, 'dryrun', '--json', path], capture_output=True, text=True, check=True).stdout)
    return '%.1f GB sent, %.1f GB held' % (plan['wire_bytes'] / 1e9, plan['peak_memory_bytes'] / 1e9)


def main():
    unrolled = '--unrolled' in sys.argv
    c = dict(zoo.G3, unroll=unrolled, remat=not unrolled)
    m, rule = zoo.mk({'data': 64, 'model': 8}), zoo.RULES['fsdp_tp']
    p = zoo.gpt_params(c, m, rule, c['dtype'])
    x = zoo.sds(m, (c['B'], c['T']), zoo.i32, *rule['x'])
    wrt = ','.join(map(str, range(len(jax.tree.leaves(p)))))

    def loss(p, x, y):
        return zoo.gpt_loss(c, m, rule, p, x, y)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'forward.mlir')
        with open(path, 'w') as f:
            f.write(jax.jit(loss).lower(p, x, x).as_text())
        text, read = best('opt', path)
        print('%d ops: read and printed in %.1f ms' % (text.count(' = '), read))
        for keep in ('all', 'products', 'nothing'):
            text, took = best('opt', '--weft-differentiate=of=0 wrt=%s keep=%s' % (wrt, keep), path)
            print('keep=%s: %d ops, with the pass %.1f ms' % (keep, text.count(' = '), took), end='')
            made = os.path.join(folder, 'gradients.mlir')
            with open(made, 'w') as f:
                f.write(text)
            print('' if unrolled else '; ' + dryrun(made), flush=True)
        if not unrolled:
            shardings = jax.tree.map(lambda s: s.sharding, p)
            with open(made, 'w') as f:
                f.write(jax.jit(jax.value_and_grad(loss), out_shardings=(None, shardings)).lower(p, x, x).as_text())
            print("JAX's gradients, with jax.checkpoint:", dryrun(made))


if __name__ == '__main__':
    main()
