# roots.sh: Debian 12 in folders: one for another machine's programs, and bare ones that have nothing of this machine's. Sourced by bash after setup.sh.

# What it takes to build for aarch64 and to run that here.
ARM64_PACKAGES="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static"
# ... and what the programs need there: what setup.sh's BUILD_PACKAGES are here, without MPI.
ARM64_LIBRARIES="libc6-dev libstdc++-12-dev libhwloc-dev llvm-19-dev libdnnl-dev libopenblas-openmp-dev libjansson-dev libssl-dev libucx-dev check"
DEBIAN_MIRROR=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

# arm64_root DIR: ARM64_LIBRARIES and all that they need, taken apart in DIR/root and not installed, since their scripts would be programs of that machine.
# DIR/llvm-config is that root's.
arm64_root() {
    local dir=$1 apt=$1/apt link target
    local options="-o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::Etc=$apt/etc -o Dir::State=$apt/state -o Dir::State::status=$apt/status"
    [ -e "$dir/root.made" ] && return 0
    rm -rf "$dir/root" "$apt"
    mkdir -p "$dir/root" "$apt"/state/lists/partial "$apt"/cache/archives/partial "$apt"/etc/{apt.conf.d,preferences.d,sources.list.d} && : >"$apt/status"
    options="$options -o Dir::Cache=$apt/cache -o Debug::NoLocking=1"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $DEBIAN_MIRROR bookworm main" >"$apt/etc/sources.list"
    apt-get $options -qq update && apt-get $options -qq -y --no-install-recommends --download-only install $ARM64_LIBRARIES || return 1
    for deb in "$apt"/cache/archives/*.deb; do dpkg-deb -x "$deb" "$dir/root" || return 1; done
    rm -rf "$apt"
    # Links that begin at / would lead out of the root; libopenblas is one of several by alternatives.
    (cd "$dir/root" && find . -type l -lname '/*' | while read -r link; do
        target=.$(readlink "$link")
        [ ! -e "$target" ] || ln -sfn "$(realpath -s --relative-to="$(dirname "$link")" "$target")" "$link"
    done)
    ln -sfn openblas-openmp/libopenblas.so.0 "$dir/root/usr/lib/aarch64-linux-gnu/libopenblas.so.0"
    ln -sfn openblas-openmp/libopenblas.so "$dir/root/usr/lib/aarch64-linux-gnu/libopenblas.so"
    printf '#!/bin/sh\nexec qemu-aarch64-static -L "%s/root" "%s/root/usr/lib/llvm-19/bin/llvm-config" "$@"\n' "$dir" "$dir" >"$dir/llvm-config"
    chmod +x "$dir/llvm-config"
    touch "$dir/root.made"
}

# in_root DIR COMMAND...: a command of DIR, with /proc, /dev and /sys for as long as it runs, and with nothing of this environment.
in_root() {
    local dir=$1
    shift
    unshare -m bash -c 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount --rbind /sys "$0/sys" &&
        exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"' "$dir" "$@"
}

# bare_root DIR PACKAGES...: Debian 12 with these packages and no more; no /etc/hosts.
bare_root() {
    local dir=$1
    shift
    [ -e "$dir/root.made" ] && return 0
    rm -rf "$dir" && mkdir -p "$dir" &&
        debootstrap --variant=minbase bookworm "$dir" "$DEBIAN_MIRROR" && cp /etc/resolv.conf "$dir/etc/" || return 1
    printf '#!/bin/sh\nexit 101\n' >"$dir/usr/sbin/policy-rc.d" && chmod +x "$dir/usr/sbin/policy-rc.d" # starts no services
    in_root "$dir" apt-get -qq update || return 1
    [ $# -eq 0 ] || in_root "$dir" apt-get -qq -y --no-install-recommends install "$@" || return 1
    rm -f "$dir/etc/hosts"
    touch "$dir/root.made"
}
