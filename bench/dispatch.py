"""What it costs to call a jitted function, and to compile a small one: on Weft's plugin and on JAX's cpu.

    JAX_PLATFORMS=weft python bench/dispatch.py        and the same with JAX_PLATFORMS=cpu
    python bench/dispatch.py --both [--rounds 5]       both in turns, each in a process of its own, and their ratio

The plugin is found as docs/jax.md says. Times are the least of several turns, in microseconds per call.
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time

os.environ.setdefault('WEFT_CACHE_DIR', 'none')  # times of compilation are of all of it
TURNS, CALLS, FUNCTIONS = 15, 1000, 30


def least(turn, calls):
    best = float('inf')
    for _ in range(TURNS):
        start = time.perf_counter()
        turn(calls)
        best = min(best, (time.perf_counter() - start) / calls)
    return best * 1e6


def measure():
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

    add = jax.jit(lambda a: a + 1)
    x = jax.device_put(np.float32(1))
    assert float(add(x)) == 2

    def chain(calls):
        y = x
        for _ in range(calls):
            y = add(y)
        y.block_until_ready()

    def block(calls):
        for _ in range(calls):
            add(x).block_until_ready()

    found = {'scalar add, chained': least(chain, CALLS), 'scalar add, waited for': least(block, CALLS)}
    many = jax.jit(lambda *a: tuple(v + 1 for v in a))
    arrays = [jax.device_put(np.ones(8, np.float32)) for _ in range(20)]
    assert float(many(*arrays)[19][0]) == 2

    def twenty(calls):
        for _ in range(calls):
            many(*arrays)[-1].block_until_ready()

    found['20 arrays, waited for'] = least(twenty, CALLS // 5)

    def to_host(calls):
        for _ in range(calls):
            np.asarray(add(x))

    found['scalar add, to NumPy'] = least(to_host, CALLS)
    devices = jax.devices()
    if len(devices) > 1:
        cut = NamedSharding(Mesh(np.array(devices), ('i',)), P('i'))
        whole = jax.device_put(np.ones(len(devices), np.float32), cut)
        add(whole)

        def all_devices(calls):
            for _ in range(calls):
                add(whole).block_until_ready()

        found['add on %d devices, waited for' % len(devices)] = least(all_devices, CALLS // 5)
    start = time.perf_counter()
    for k in range(FUNCTIONS):
        jax.jit(lambda a, k=k: jnp.tanh(a * k) + k).lower(x).compile()
    found['trace and compile a small function'] = (time.perf_counter() - start) / FUNCTIONS * 1e6
    return found


def in_turns(rounds):
    got = {'weft': {}, 'cpu': {}}
    for _ in range(rounds):
        for name, all_of in got.items():
            run = subprocess.run([sys.executable, __file__, '--json'], check=True, capture_output=True, text=True,
                                 env=dict(os.environ, JAX_PLATFORMS=name))
            for what, t in json.loads(run.stdout.splitlines()[-1]).items():
                all_of.setdefault(what, []).append(t)
    print('| what | weft us | cpu us | weft / cpu |\n|---|---|---|---|')
    for what, times in got['weft'].items():
        weft = statistics.median(times)
        if what in got['cpu']:
            cpu = statistics.median(got['cpu'][what])
            print('| %s | %.1f | %.1f | %.2f |' % (what, weft, cpu, weft / cpu))
        else:
            print('| %s | %.1f | | |' % (what, weft))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--both', action='store_true')
    parser.add_argument('--json', action='store_true')
    parser.add_argument('--rounds', type=int, default=5)
    options = parser.parse_args()
    if options.both:
        print('%s, %d cores: %s' % (platform.processor() or platform.machine(), os.cpu_count(), ' '.join(sys.argv)))
        return in_turns(options.rounds)
    found = measure()
    print(json.dumps(found) if options.json else '\n'.join('%-40s %10.1f us' % f for f in found.items()))


if __name__ == '__main__':
    main()
