"""JAX on Weft: the platform "weft" (docs/jax.md).

JAX imports this module when it looks for its platforms and calls initialize(), whichever platform is then used. So
that costs little and raises nothing: what goes wrong is a warning, and JAX goes on without Weft.

    JAX_PLATFORMS=weft WEFT_NUM_DEVICES=8 python train.py
"""

import logging
import os
import pathlib
import subprocess

_log = logging.getLogger(__name__)
_LIBRARY = "libweft_pjrt.so"
_NAME = "weft"


def library():
    """The path of Weft's plugin: WEFT_PJRT_LIBRARY, else the one in this package, else that of an installed Weft."""
    given = os.environ.get("WEFT_PJRT_LIBRARY")
    if given:
        return given
    own = pathlib.Path(__file__).with_name(_LIBRARY)
    if own.exists():
        return str(own)
    try:
        folder = subprocess.run(["pkg-config", "--variable=libdir", "weft"], capture_output=True, text=True, timeout=10)
        found = pathlib.Path(folder.stdout.strip()) / _LIBRARY
        if folder.returncode == 0 and found.exists():
            return str(found)
    except (OSError, subprocess.SubprocessError):
        pass
    return None


def initialize():
    path = library()
    if path is None:
        _log.warning("Weft's plugin %s was found nowhere: set WEFT_PJRT_LIBRARY to its path", _LIBRARY)
        return
    changes = os.environ.get("WEFT_JAX_PATCH", "1") != "0"
    options = {}
    try:
        import jax._src.xla_bridge as bridge

        if changes:
            from . import callbacks, rules

            options["python_callback"] = callbacks.address()
            options["python_calls"] = callbacks.counts()
            rules.before(_NAME)
        bridge.register_plugin(_NAME, priority=50, library_path=path, options=options)
    except Exception as error:  # JAX goes on with its other platforms
        _log.warning("JAX does not take Weft's plugin %s: %s", path, error)
        return
    if changes:
        rules.after(_NAME, path)
