#!/bin/sh
# deb.sh - makes a Debian package of an installed tree.
#
#   deb.sh TREE VERSION OUT     writes OUT/warplab_VERSION-1upstream_ARCH.deb; TREE/usr is installed
#
# What the binaries need is asked of dpkg-shlibdeps, where there is one (dpkg-dev).
set -eu
tree=$1 version=$2 out=$3
arch=$(dpkg --print-architecture)
doc=$tree/usr/share/doc/warplab
maintainer=$(git log -1 --format='%an <%ae>' 2>/dev/null || true)
when=$(git log -1 --format=%cD 2>/dev/null || date -R)
: "${maintainer:=The Warplab authors <warplab@localhost>}"

depends() {
    command -v dpkg-shlibdeps >/dev/null || {
        echo 'libc6, libzstd1, liblz4-1, libjansson4'
        return
    }
    work=$(mktemp -d)
    mkdir "$work/debian"
    printf 'Source: warplab\nPackage: warplab\nArchitecture: any\n' >"$work/debian/control"
    binaries="$(realpath "$tree"/usr/bin/warprun "$tree"/usr/lib/warplab/*.so.*)"
    own=$(realpath "$tree/usr/lib/warplab")
    # shellcheck disable=SC2086
    (cd "$work" && dpkg-shlibdeps -l"$own" --ignore-missing-info -O $binaries 2>/dev/null) |
        sed 's/^shlibs:Depends=//'
    rm -rf "$work"
}

mkdir -p "$doc" "$tree/DEBIAN"
gzip -9nf "$tree/usr/share/man/man1/warprun.1"
gzip -9nc common/CHANGELOG.md >"$doc/changelog.gz"
printf 'warplab (%s) unstable; urgency=medium\n\n  * What is new: changelog.gz.\n\n -- %s  %s\n' \
    "$version-1upstream" "$maintainer" "$when" | gzip -9nc >"$doc/changelog.Debian.gz"
{ echo 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'
  echo 'Upstream-Name: warplab'
  echo
  echo 'Files: *'
  sed -n '/^Copyright/p' LICENSE | sed 's/^Copyright */Copyright: /; s/(c) *//'
  echo 'License: Expat'
  sed '1,/^Copyright/d; /./,$!d; s/^$/./; s/^/ /' LICENSE; } >"$doc/copyright"
cat >"$tree/DEBIAN/control" <<END
Package: warplab
Version: $version-1upstream
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(du -sk "$tree/usr" | cut -f1)
Depends: $(depends)
Section: devel
Priority: optional
Description: run CUDA programs on machines without a GPU
 warprun runs a program that was built with "nvcc -cudart shared" on an
 emulator of the CUDA 13 runtime: it interprets the program's PTX, counts what
 a GPU would have to do (sectors, bank conflicts, active lanes), models times,
 and finds races, bad addresses and barriers in divergent code with the source
 line. A CMake package and a pkg-config file let the tests of a CUDA project
 run under it.
END
(cd "$tree" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$tree" -type d -exec chmod 755 {} +
find "$tree/usr/share/doc" "$tree/DEBIAN" -type f -exec chmod 644 {} +
dpkg-deb --root-owner-group -b "$tree" "$out/warplab_$version-1upstream_$arch.deb" >/dev/null
echo "$out/warplab_$version-1upstream_$arch.deb"
