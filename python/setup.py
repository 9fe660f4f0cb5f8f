"""The Python package of Weft. The PJRT plugin goes with it where it is found: WEFT_PJRT_LIBRARY, else in a build folder
beside this one. Without it the package looks for an installed Weft when JAX starts."""

import os
import pathlib
import shutil

from setuptools import setup
from setuptools.command.build_py import build_py

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


setup(cmdclass={"build_py": build_with_library})
