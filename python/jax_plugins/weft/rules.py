"""What JAX decides by the name of a platform, for Weft as for the CPU.

JAX has tables of lowerings, and lists of what a platform can do, in modules that are its own. Weft computes what the
CPU's lowerings ask for: LAPACK's calls, loops instead of unrolled code. Each step is by itself: where a version of JAX
has no such table, a warning says what is missing, and the rest works.
"""

import logging

_log = logging.getLogger(__name__)


def _no_experiment(name):
    from jax._src import xla_bridge

    xla_bridge._nonexperimental_plugins.add(name)


def _lowerings(name):
    """The CPU's, those too that modules imported later and users add."""
    from collections import ChainMap

    from jax._src.interpreters import mlir

    tables = mlir._platform_specific_lowerings
    tables[name] = ChainMap(tables[name], tables["cpu"])


def _branches(name):
    """jax.lax.platform_dependent takes the CPU's branch, unless Weft has one of its own."""
    from jax._src.interpreters import mlir
    from jax._src.lax.control_flow import conditionals

    def with_ours(platforms):
        if platforms is None or any(name in (of or ()) for of in platforms):
            return platforms
        return tuple((*of, name) if of and "cpu" in of else of for of in platforms)

    def index(ctx, *, platforms, _theirs=conditionals._platform_index_lowering, **rest):
        return _theirs(ctx, platforms=with_ours(platforms), **rest)

    def cond(ctx, *args, _theirs=conditionals._cond_lowering, **params):
        if "branches_platforms" in params:
            params = dict(params, branches_platforms=with_ours(params["branches_platforms"]))
        return _theirs(ctx, *args, **params)

    mlir.register_lowering(conditionals.platform_index_p, index, platform=name)
    mlir.register_lowering(conditionals.cond_p, cond, platform=name)


def _exports(name):
    """What was exported for the CPU (jax.export) runs on Weft."""
    import dataclasses

    from jax._src.export import _export
    from jax._src.interpreters import mlir

    class Platforms(tuple):
        """In which Weft's place is the CPU's."""

        def __contains__(self, platform):
            return tuple.__contains__(self, "cpu" if platform == name else platform)

        def index(self, platform, *bounds):
            return tuple.index(self, "cpu" if platform == name else platform, *bounds)

    def call(ctx, *args, exported, _theirs=_export._call_exported_lowering):
        if name not in exported.platforms and "cpu" in exported.platforms:
            exported = dataclasses.replace(exported, platforms=Platforms(exported.platforms))
        return _theirs(ctx, *args, exported=exported)

    mlir.register_lowering(_export.call_exported_p, call, platform=name)


def _callbacks(name):
    from . import callbacks

    callbacks.install(name)


def _buffer_callbacks(name):
    import importlib.util

    if importlib.util.find_spec("jax._src.buffer_callback"):
        from . import callbacks

        callbacks.install_buffers(name)


def _custom_partitioning(name):
    """A function that has rules for XLA's partitioner is what it computes; Weft partitions that."""
    from jax._src import core, custom_partitioning
    from jax._src.interpreters import mlir

    def lowering(ctx, *operands, call, **_):
        return mlir.lower_fun(core.jaxpr_as_fun(call), multiple_results=True)(ctx, *operands)

    mlir.register_lowering(custom_partitioning.custom_partitioning_p, lowering, platform=name)


def _inspection(name):
    from . import callbacks

    callbacks.install_inspection(name)


def _donation(name):
    from jax._src.interpreters import mlir

    if name not in mlir._platforms_with_donation:
        mlir._platforms_with_donation.append(name)


def _cache(name):
    """JAX's cache of compiled programs is for platforms that it lists inside of this function."""
    from jax._src import compilation_cache

    theirs = compilation_cache.is_cache_used

    class AsCpu:
        platform = "cpu"

        def __init__(self, backend):
            self._backend = backend

        def __getattr__(self, what):
            return getattr(self._backend, what)

    def is_cache_used(backend):
        return theirs(AsCpu(backend) if backend.platform == name else backend)

    compilation_cache.is_cache_used = is_cache_used


def _dlpack(name):
    """Weft's memory is the host's: an array is exported as NumPy's view of it is."""
    import jax
    import numpy as np
    from jax._src import array

    for method in ("__dlpack__", "__dlpack_device__"):
        theirs = getattr(array.ArrayImpl, method)

        def ours(self, *args, _theirs=theirs, _method=method, **options):
            devices = self.devices() if isinstance(self, jax.Array) else ()
            if len(devices) != 1 or next(iter(devices)).platform != name:
                return _theirs(self, *args, **options)
            view = np.asarray(self)
            if _method == "__dlpack__" and "max_version" not in options:
                options = dict(options, max_version=(1, 0))  # it is read-only, which older versions cannot say
            return getattr(view, _method)(*args, **options)

        setattr(array.ArrayImpl, method, ours)


def _host_too(name):
    """jax.debug and callbacks, run outside of jit, need a device of the CPU's backend beside Weft's."""
    import jax

    if jax.config.jax_platforms == name:
        jax.config.update("jax_platforms", name + ",cpu")


def _try(name, steps):
    for step, what in steps:
        try:
            step(name)
        except Exception as error:
            _log.warning("this version of JAX is not known well enough: Weft is without %s (%s)", what, error)


def before(name):
    """What JAX reads when the plugin is registered."""
    _try(name, [(_no_experiment, "its place among the platforms without a warning")])


def after(name, library):
    """What it knows the plugin's name for."""

    def foreign(name):
        from . import foreign

        foreign.install(name, library)

    _try(
        name,
        [
            (_lowerings, "linear algebra"),
            (_branches, "branches for the CPU"),
            (_exports, "calls of what was exported for the CPU"),
            (_callbacks, "callbacks"),
            (_buffer_callbacks, "callbacks on buffers"),
            (_inspection, "jax.debug.inspect_array_sharding"),
            (_custom_partitioning, "functions with rules for XLA's partitioner"),
            (foreign, "functions registered with jax.ffi"),
            (_donation, "donation"),
            (_cache, "the cache of compiled programs"),
            (_dlpack, "DLPack"),
            (_host_too, "the CPU beside it"),
        ],
    )
