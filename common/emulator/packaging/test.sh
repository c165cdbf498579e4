#!/bin/sh
# test.sh - the installed tree, the Debian package and the wheel, each in an empty place.
#
#   test.sh BUILD CUDA VERSION     BUILD holds the package and the wheel; CUDA is a toolkit
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) cuda=$2 version=$3
out=$(mktemp -d) passed=0 failed=0
trap 'rm -rf "$out"' EXIT

# expect WORDS COMMAND…: exit status 0, and words somewhere in what it prints
expect() {
    words=$1
    shift
    if "$@" >"$out/text" 2>&1 && { [ -z "$words" ] || grep -q -- "$words" "$out/text"; }; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$*: failed, or no \"$words\" in"
        sed 's/^/    /' "$out/text" | tail -n 12
    fi
}

# What everyone finds in a place where it was installed.
tried() { # PREFIX
    expect "warprun $version (.*$1/lib/warplab/" "$1/bin/warprun" --version
    expect '^ok' "$1/bin/warprun" --check "$out/sums"
    expect "libcufft.so.12 [0-9]* in .*$1/lib/warplab/" "$1/bin/warprun" "$out/libraries"
    expect "libnccl.so.2 [0-9]* in .*$1/lib/warplab/" "$1/bin/warprun" "$out/libraries"
    for p in $programs; do
        expect '^ok' "$1/bin/warprun" "$p"
    done
    expect 'race' "$1/bin/warprun" --check sh -c "$out/sums racy; true"
    expect "^$version" env PKG_CONFIG_PATH="$1/share/pkgconfig" pkg-config --modversion warplab
    expect '^ok' sh -c "\$(PKG_CONFIG_PATH=$1/share/pkgconfig pkg-config --variable=warprun warplab) $out/sums"
}

"$cuda/bin/nvcc" -arch=sm_90 -cudart shared -lineinfo "$here/example/sums.cu" -o "$out/sums" || exit 1
${CC:-gcc} -D_GNU_SOURCE "$here/libraries.c" -ldl -o "$out/libraries" || exit 1
# those that call the libraries, where there were headers to build them with
programs=
for p in fft nccl; do
    [ ! -e "$build/programs/$p" ] || programs="$programs $build/programs/$p"
done

expect 'installed in' sh -c "umask 077 && make -s --no-print-directory -C '$here/../../..' install DESTDIR='$out/root' PREFIX=/opt/emulator"
expect '^0$' sh -c "find '$out/root/opt/emulator' ! -perm -o=r | wc -l" # for everyone, whatever root's umask is
tried "$out/root/opt/emulator"
expect '' make -s --no-print-directory -C "$here/../../.." uninstall DESTDIR="$out/root" PREFIX=/opt/emulator
expect '^0$' sh -c "find '$out/root' -type f | wc -l"

expect '' dpkg-deb -x "$build"/warplab_"$version"-1upstream_*.deb "$out/deb"
tried "$out/deb/usr"
! command -v lintian >/dev/null || expect '' lintian --allow-root --fail-on error,warning "$build"/warplab_"$version"-1upstream_*.deb

expect '' python3 -m venv "$out/venv"
expect '' "$out/venv/bin/pip" install -q --no-index "$build"/warplab-"$version"-*.whl
tried "$out/venv"

if command -v cmake >/dev/null; then
    expect 'files have been written' cmake -S "$here/example" -B "$out/example" -DCMAKE_PREFIX_PATH="$out/venv" \
        -DCMAKE_CUDA_COMPILER="$cuda/bin/nvcc"
    expect 'Built target' cmake --build "$out/example"
    expect '100% tests passed, 0 tests failed out of 2' ctest --test-dir "$out/example"
else
    echo 'SKIPPED: no cmake here'
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
