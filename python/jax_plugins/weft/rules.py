"""What JAX decides by the name of a platform, for Weft as for the CPU.

JAX has tables of lowerings, and lists of what a platform can do, in modules that are its own. Weft computes what the
CPU's lowerings ask for: LAPACK's calls, loops instead of unrolled code. Each step is by itself: where a version of JAX
has no such table, a warning says what is missing, and the rest works.
"""

import logging

_log = logging.getLogger(__name__)

# Lowerings that call back into Python through XLA's own runtime, which Weft is not.
_XLA_ONLY = {"debug_callback", "debug_print", "pure_callback", "io_callback", "check"}


def _lowerings(name):
    from jax._src.interpreters import mlir

    mine = mlir._platform_specific_lowerings[name]
    for primitive, rule in mlir._platform_specific_lowerings["cpu"].items():
        if primitive.name not in _XLA_ONLY:
            mine.setdefault(primitive, rule)


def _donation(name):
    from jax._src.interpreters import mlir

    if name not in mlir._platforms_with_donation:
        mlir._platforms_with_donation.append(name)


def _no_experiment(name):
    from jax._src import xla_bridge

    xla_bridge._nonexperimental_plugins.add(name)


def _host_too(name):
    """jax.debug and callbacks, run outside of jit, need a device of the CPU's backend beside Weft's."""
    import jax

    if jax.config.jax_platforms == name:
        jax.config.update("jax_platforms", name + ",cpu")


def install(name):
    for step, what in (
        (_lowerings, "linear algebra"),
        (_donation, "donation"),
        (_no_experiment, "its place among the platforms without a warning"),
        (_host_too, "the CPU beside it"),
    ):
        try:
            step(name)
        except Exception as error:
            _log.warning("this version of JAX is not known well enough: Weft is without %s (%s)", what, error)
