#!/usr/bin/env bash
# test_deb.sh: Debian's packages are built in a bare root, lintian has nothing against them, and in another bare root they are installed by themselves and used.
# Only ./check long runs it. Skipped without root or debootstrap.
. "$top_srcdir/.ci/setup.sh"
. "$top_srcdir/.ci/roots.sh"
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
    echo "skipped: 1 (needs root and debootstrap)"
    exit 77
fi
set -e
roots=$top_builddir/roots
tarball=$(make -s -C "$top_builddir" dist-name)
make -C "$top_builddir" dist
bare_root "$roots/build" $BUILD_PACKAGES check debhelper lintian
rm -rf "$roots"/build/src && mkdir "$roots"/build/src && cp "$top_builddir/$tarball" "$roots/build/src/"
in_root "$roots/build" sh -ec "cd /src && tar -xf $tarball && cd \${0%.tar.xz} && autoreconf -fi && mkdir b && cd b && ../configure && make deb" "$tarball"
in_root "$roots/build" sh -ec 'cd /src/*/b/deb && lintian --fail-on warning,error --allow-root weft_*.changes'

rm -rf "$roots/use" && bare_root "$roots/use"
mkdir "$roots/use/debs" && cp "$roots"/build/src/*/b/deb/*.deb "$roots/use/debs/"
cp "$top_srcdir"/examples/mlp.c "$top_srcdir"/tests/collectives/alone.c "$top_srcdir"/examples/gpt/gpt.mlir "$roots/use/debs/"
in_root "$roots/use" sh -ec 'apt-get -qq -y --no-install-recommends install /debs/libweft-coll0_*.deb /debs/libweft-common_*.deb
    ! ls /usr/lib/*/libLLVM* 2>/dev/null'
in_root "$roots/use" sh -ec 'apt-get -qq -y --no-install-recommends install /debs/weft_*.deb
    weft --version && weft dryrun --topology=dgx-h100:1 /debs/gpt.mlir >/dev/null && weft run /debs/gpt.mlir'
in_root "$roots/use" sh -ec 'apt-get -qq -y --no-install-recommends install /debs/*.deb gcc libc6-dev pkgconf && cd /debs
    gcc -std=c17 mlp.c $(pkg-config --cflags --libs weft) -lm -o mlp && ./mlp
    gcc -std=c17 alone.c $(pkg-config --cflags --libs weft-coll) -lpthread -o alone && test "$(./alone)" = "3 3"'
