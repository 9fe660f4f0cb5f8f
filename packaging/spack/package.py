# A Spack recipe: put this folder into a repository of yours as packages/weft; `spack dev-build weft@main` in a checkout builds it.
from spack.package import *

try:  # Spack 1.0 and newer keep the build systems beside the packages
    from spack_repo.builtin.build_systems.autotools import AutotoolsPackage
except ImportError:
    pass


class Weft(AutotoolsPackage):
    """SPMD partitioning and collectives: runs one StableHLO program with sharding annotations on many devices."""

    license("Apache-2.0")

    # Releases are named here, with their checksums, once there are any.
    version("main", branch="main")

    variant("mpi", default=True, description="Ranks may be started by MPI")
    variant("crypto", default=True, description="Processes that meet without MPI may have a key (libcrypto)")
    variant("ucx", default=True, description="Messages between nodes go by UCX")

    depends_on("c", type="build")
    depends_on("autoconf", type="build")
    depends_on("automake@1.16:", type="build")
    depends_on("libtool", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2:")
    depends_on("jansson")
    depends_on("llvm@19:")
    depends_on("onednn@2:3")
    depends_on("blas")  # OpenBLAS: threads=openmp, or +locking
    depends_on("lapack")
    depends_on("openssl@3:", when="+crypto")
    depends_on("mpi", when="+mpi")
    depends_on("ucx@1.11:", when="+ucx")

    def configure_args(self):
        args = ["LLVM_CONFIG=" + join_path(self.spec["llvm"].prefix.bin, "llvm-config")]
        args += self.with_or_without("ucx") + self.with_or_without("crypto")
        if self.spec.satisfies("+mpi"):
            args.append("--with-mpi=" + self.spec["mpi"].mpicc)
        else:
            args.append("--without-mpi")
        return args
