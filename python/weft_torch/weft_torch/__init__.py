"""torch.distributed over Weft's collectives: `import weft_torch`, then `init_process_group("weft")`.

The import registers the backend "weft" for tensors of the processor. Weft itself is loaded with the first process
group. Where the package is installed, `import torch` finds it by itself (entry point `torch.backends`)."""

import atexit

import torch.distributed as _dist

__all__ = ["__version__"]
__version__ = "0.1.0"


def _create(options, _given):
    from . import _C

    return _C.create(
        options.store,
        options.group_rank,
        options.group_size,
        options.timeout.total_seconds(),
        list(options.global_ranks_in_group),
    )


def _rest():
    import sys

    if "weft_torch._C" in sys.modules:
        sys.modules["weft_torch._C"].rest()


def _register():
    if "weft" in _dist.Backend.backend_list:
        return
    _dist.Backend.register_backend("weft", _create, extended_api=True, devices=["cpu"])
    atexit.register(_rest)


def _autoload():
    """Called by `import torch` (entry point torch.backends)."""


if _dist.is_available():
    _register()
