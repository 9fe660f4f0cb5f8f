"""Runs cases: JAX lowers, Weft runs in its worker while XLA compiles and runs the same module, results are compared."""
import time

import jax
import numpy as np
import pytest

import cases
import binding as weft
import worker

the_worker = worker.Worker()
times = []       # (name, lowering, XLA compile, Weft compile, Weft run) in seconds, for the summary
excused = []     # names of those whose differences were asked about

# The reference compiles fast (XLA's emitters of fusions take three times as long as all else), and rounds where the program says.
XLA = {'xla_backend_optimization_level': 0, 'xla_cpu_parallel_codegen_split_count': 1, 'xla_cpu_use_fusion_emitters': False, 'xla_allow_excess_precision': False}


def lower(c, arrays):
    with jax.enable_x64(c.x64):
        return jax.jit(c.f, **({'keep_unused': True} | c.jit)).lower(*arrays)


def reference(c, lowered, arrays):
    with jax.enable_x64(c.x64):
        start = time.perf_counter()
        compiled = lowered.compile(compiler_options=XLA)
        return [np.asarray(r) for r in jax.tree.leaves(compiled(*arrays))], time.perf_counter() - start


def shown(text):
    return text if len(text) < 4000 else text[:4000] + '...'


def fail(why, text):
    pytest.fail(why + '\n' + shown(text), pytrace=False)


def received(text):
    why = None
    try:
        return the_worker.receive()
    except (weft.Error, worker.Died) as e:
        why = str(e)
    fail(why, text)


def check(c, spell=lambda lowered: lowered.as_text(), excuse=None, source=None):
    """Runs case c both ways and fails where they differ. excuse(want), asked only then, gives per result and element what more is allowed."""
    arrays = c.arrays()
    start = time.perf_counter()
    lowered = lower(c, arrays)
    text = spell(lowered)
    lowering = time.perf_counter() - start
    the_worker.send(text, arrays)
    try:
        want, xla = reference(c, lowered, arrays)
    except BaseException:
        the_worker.end()
        raise
    shown = source or text
    got, compiling, running = received(shown)
    times.append((c.name, lowering, xla, compiling, running))
    if len(got) != len(want):
        fail('%d results, not %d' % (len(got), len(want)), shown)
    wrong = differing(c, got, want, None)
    if wrong and excuse:
        wrong = differing(c, got, want, excuse(want))
        excused.append(c.name)
    if wrong:
        fail('\n'.join(wrong), shown)


def differing(c, got, want, slack):
    found = [cases.differences(c, g, w, slack[i] if slack else None) for i, (g, w) in enumerate(zip(got, want))]
    return ['result %d %s' % (i, d) for i, d in enumerate(found) if d]
