"""Builds weft_torch: its extension over libweft-coll, and the library beside it.

The library is WEFT_COLL_LIBRARY, else the newest in a build folder of Weft's sources, else an installed one, which is
not copied. The headers are those of the sources."""

import filecmp
import os
import pathlib
import shutil

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
WEFT = HERE.parent.parent
LIBRARY = "libweft-coll.so.0"


def library():
    given = os.environ.get("WEFT_COLL_LIBRARY")
    if given:
        return pathlib.Path(given).resolve()
    built = [p for where in (".libs/", "build*/.libs/") for p in WEFT.glob(where + LIBRARY) if p.is_file()]
    return max(built, key=lambda p: p.stat().st_mtime, default=None)


def extension():
    from torch.utils.cpp_extension import include_paths, library_paths

    found = library()
    return Extension(
        "weft_torch._C",
        ["csrc/unit.cpp"],
        depends=[os.path.relpath(p, HERE) for p in (HERE / "csrc").iterdir()],
        include_dirs=include_paths() + [str(WEFT / "include")],
        library_dirs=library_paths(),
        libraries=["c10", "torch", "torch_cpu", "torch_python"] + ([] if found else ["weft-coll"]),
        extra_objects=[str(found)] if found else [],
        extra_compile_args=["-std=c++20", "-O2", "-g0", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-unused-parameter"],
        runtime_library_dirs=["$ORIGIN", "$ORIGIN/../torch/lib"] + library_paths(),
        language="c++",
    )


def copy(found, to):
    """Puts another file in its place: processes that run may have mapped the one that is there."""
    if to.exists() and filecmp.cmp(found, to, shallow=False):
        return
    part = to.with_suffix(".part")
    shutil.copy2(found, part)
    os.replace(part, to)


class build_with_library(build_ext):
    def run(self):
        super().run()
        found = library()
        if found is None:
            return
        to = pathlib.Path(self.get_ext_fullpath("weft_torch._C")).parent
        to.mkdir(parents=True, exist_ok=True)
        copy(found, to / LIBRARY)


setup(ext_modules=[extension()], cmdclass={"build_ext": build_with_library})
