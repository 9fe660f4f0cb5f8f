"""The Python package of Weft. The PJRT plugin goes with it where it is found: WEFT_PJRT_LIBRARY, else in a build folder
beside this one. Without it the package looks for an installed Weft when JAX starts.

A wheel with the library is for this platform (py3-none-linux_x86_64), one without for any."""

import os
import pathlib
import shutil

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = "libweft_pjrt.so"


def library():
    given = os.environ.get("WEFT_PJRT_LIBRARY")
    if given:
        return pathlib.Path(given)
    built = [p for where in (".libs/", "build*/.libs/") for p in HERE.parent.glob(where + LIBRARY) if p.is_file()]
    return max(built, key=lambda p: p.stat().st_mtime, default=None)


class build_with_library(build_py):
    def run(self):
        super().run()
        found = library()
        if found is None:
            return
        to = pathlib.Path(self.build_lib) / "jax_plugins" / "weft"
        to.mkdir(parents=True, exist_ok=True)
        shutil.copy2(found, to / LIBRARY)


class of_platform(Distribution):
    """With the library it is installed among what is of one platform."""

    def has_ext_modules(self):
        return library() is not None


class wheel_of_platform(bdist_wheel):
    """The library is of a platform, and of no version of Python."""

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


setup(distclass=of_platform, cmdclass={"build_py": build_with_library, "bdist_wheel": wheel_of_platform})
