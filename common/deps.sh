#!/bin/sh
# deps.sh - installs what is missing, or says exactly what to install.
#
#   common/deps.sh build FILE   what `make` needs; writes FILE (make variables) when all is there
#   common/deps.sh grade FILE   what the grader needs beyond that
#   common/deps.sh test FILE    what `make test` needs beyond both
#   common/deps.sh sandbox -    can bubblewrap make the grader's sandbox? If not, how to let it
#   common/deps.sh slides FILE  pandoc and LaTeX
#   common/deps.sh pages FILE   a browser, for `make test-pages`
#   common/deps.sh slurm FILE   Slurm's daemons, for `make test-slurm` (19 MB)
#   common/deps.sh arm64 FILE   a compiler and an emulator for arm64, and libraries (test-arm64)
#
# Debian packages come with apt (as root, or through sudo). matplotlib and, where there is no
# CUDA toolkit 13, NVIDIA's compiler and runtime come from PyPI into .venv; .venv/cuda then
# looks like a toolkit. Nothing is installed that is already there; NO_DEPS=1 leaves the
# Debian packages to you. Where root is needed and not to be had, the message's one line is
# for build, grader and tests together. What apt and pip said is in build/deps.log.
set -eu
tier=$1 out=$2
cd "$(dirname "$0")/.."

build="gcc g++ libc6-dev libzstd-dev liblz4-dev libjansson-dev nettle-dev python3 python3-venv"
grade="libsqlite3-dev libarchive-dev zlib1g-dev libseccomp-dev libyaml-dev bubblewrap"
test="libcriterion-dev cppcheck git procps python3-yaml pkg-config"
slides="poppler-utils pandoc texlive-latex-recommended texlive-latex-extra lmodern tex-gyre"
arm64="gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user-static
       libzstd-dev:arm64 liblz4-dev:arm64 libjansson-dev:arm64 libstdc++6:arm64"
pages="chromium"
slurm="slurmctld slurmd slurm-client munge"
cuda_wheels="nvidia-cuda-nvrtc==13.0.* nvidia-cuda-runtime==13.0.* nvidia-cuda-nvcc==13.0.*
             nvidia-cuda-crt==13.0.* nvidia-nvvm==13.0.* nvidia-cuda-cccl==13.0.*"
curand_wheel="nvidia-curand==10.4.0.*" # CUDA 13.0's
python_wheels="matplotlib numpy pytest"
formatter_version=14.0.6 # each version lays code out its own way: one is the judge

[ -w . ] || { echo "deps: the folder $PWD cannot be written by this user: copy it to one of your own" >&2; exit 1; }

say() { echo "deps: $*" >&2; }

# One at a time, as apt and pip want it; make asks for several at once.
if [ -z "${DEPS_LOCKED:-}" ] && [ "$tier" != sandbox ] && command -v flock >/dev/null; then
    mkdir -p build
    DEPS_LOCKED=1 exec flock --close build/deps.lock common/deps.sh "$tier" "$out"
fi

installed() { dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed; }

missing_of() {
    missing=
    for p in "$@"; do
        installed "$p" || missing="$missing $p"
    done
    [ -n "$missing" ]
}

# What is said from here on is what failed() looks at.
begin() {
    mkdir -p build
    since=$(($(wc -l 2>/dev/null <build/deps.log || echo 0) + 1))
}

# Why, where apt or pip have said it; else it is the network, as a rule.
failed() {
    reason=$(tail -n +$since build/deps.log | grep -E -m 1 -o \
        'No space left on device|Disk quota exceeded|Permission denied|Read-only file system|Could not get lock [^ ]*') ||
        reason=${2:-no network, perhaps}
    say "$1: $reason. Run the same make again when that is mended: it goes on where it stopped." \
        "(All that was said: build/deps.log)"
    exit 1
}

# told COMMAND…: all it says goes to build/deps.log, sizes of what is loaded here too; on a
# terminal also a line that moves. The exit status is the command's.
told() {
    moves=
    [ ! -t 2 ] || moves=1
    { "$@" 2>&1 || echo "deps-failed: $?"; } | tee -a build/deps.log | awk -v moves="$moves" '
        /^deps-failed:/ { failed = 1 }
        /^Need to get|^ *Downloading / { sub(/^ */, ""); say = $0; sub(/ of archives\./, "", say)
            printf "%sdeps: %s\n", moves ? "\r\033[K" : "", say >"/dev/stderr"; next }
        /^(Get:|Selecting|Setting up|Installing)/ && moves {
            printf "\r\033[K%s", substr($0, 1, 78) >"/dev/stderr" }
        END { if (moves) printf "\r\033[K" >"/dev/stderr"; exit failed }'
}

# How to be root: $sudo is "" or "sudo"; false where that cannot be.
as_root() {
    sudo=
    [ "$(id -u)" = 0 ] && return 0
    sudo=sudo
    command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }
}

refuse() { # the line for who is root
    say "packages are missing and this user cannot install them. As root, run:"
    echo "    $1" >&2
    exit 1
}

packages() {
    missing_of "$@" || return 0
    if [ -n "${NO_DEPS:-}" ]; then
        say "not installed, as NO_DEPS is set:$missing"
        return 0
    fi
    if ! command -v apt-get >/dev/null; then
        say "this is not Debian or Ubuntu: if the build fails, install what is called there:$missing"
        return 0
    fi
    if ! as_root; then
        # shellcheck disable=SC2086
        case $tier in
        build | grade | test) missing_of $build $grade $test ;;
        esac
        refuse "apt-get update && apt-get install -y --no-install-recommends$missing"
    fi
    say "installing$missing"
    DEBIAN_FRONTEND=noninteractive
    export DEBIAN_FRONTEND
    begin
    # shellcheck disable=SC2086
    told $sudo apt-get install -y -q --no-install-recommends -o Acquire::Retries=0 -o DPkg::Lock::Timeout=300 $missing ||
        { say "asking for newer lists of packages" &&
          told $sudo apt-get update -q &&
          told $sudo apt-get install -y -q --no-install-recommends -o Acquire::Retries=1 -o DPkg::Lock::Timeout=300 $missing; } ||
        failed "apt-get could not install$missing"
}

venv() {
    .venv/bin/python -m pip --version >/dev/null 2>&1 && return 0
    rm -rf .venv
    python3 -m venv .venv >>build/deps.log 2>&1 || failed "python3 could not make .venv" "it and python3-venv are needed"
}

# As a module: the script pip names the folder that it was made in, and folders are moved.
pip() {
    begin
    venv
    say "installing into .venv: $*"
    if [ -t 2 ]; then # a bar a download, with its size
        .venv/bin/python -m pip install --disable-pip-version-check --progress-bar on "$@" >&2
    else
        told .venv/bin/python -m pip install --disable-pip-version-check --progress-bar off "$@"
    fi || failed "pip could not install $*"
}

# Whether bubblewrap may make namespaces here; what to do where it may not.
sandbox() {
    bwrap --unshare-all --unshare-user --ro-bind / / --dev /dev --proc /proc true >/dev/null 2>&1 && return 0
    command -v bwrap >/dev/null || { say "bubblewrap (bwrap) is not installed: nothing can be marked"; return 1; }
    say "bubblewrap may not make namespaces here, and without its sandbox nothing can be marked."
    if [ "$(cat /proc/sys/kernel/apparmor_restrict_unprivileged_userns 2>/dev/null)" = 1 ]; then
        echo "AppArmor keeps it from that, as Ubuntu has it since 23.10; a profile for bwrap allows it. As root, once:" >&2
        echo "    cp grading/bwrap.apparmor /etc/apparmor.d/bwrap && apparmor_parser -r /etc/apparmor.d/bwrap" >&2
    elif [ "$(cat /proc/sys/kernel/unprivileged_userns_clone 2>/dev/null)" = 0 ]; then
        echo "The kernel keeps it from users. As root: sysctl kernel.unprivileged_userns_clone=1" >&2
    else
        echo "In a container: start that with the right to make user namespaces (docker run --privileged), or grade outside." >&2
    fi
    return 1
}

# A folder that can stand for a toolkit 13: headers, runtime and NVRTC.
is_toolkit() {
    [ -e "$1/lib64/libnvrtc.so.13" ] && [ -e "$1/lib64/libcudart.so.13" ] &&
        [ -e "$1/include/nvrtc.h" ] &&
        grep -q '#define CUDART_VERSION *13' "$1/include/cuda_runtime_api.h" 2>/dev/null
}

# A toolkit that was meant, and is none: said, for what comes instead is 0.7 GB.
no_toolkit() {
    for d in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda; do
        [ -z "$d" ] || [ ! -e "$d" ] || say "$d is not CUDA 13 with its headers, runtime and NVRTC (libnvrtc.so.13)"
    done
    say "no toolkit of CUDA 13 here: NVIDIA's own packages go into .venv"
}

find_toolkit() {
    for d in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda /usr/local/cuda-13* .venv/cuda; do
        [ -n "$d" ] && is_toolkit "$d" && (cd "$d" && pwd) && return 0
    done
    return 1
}

# The wheels lie in site-packages/nvidia/cu13 without the names that a linker looks for. Hard
# links, not symbolic ones: nvcc looks beside itself, and the grader's box shows this folder alone.
make_toolkit() {
    # shellcheck disable=SC2086
    pip $cuda_wheels
    from=$(echo "$PWD"/.venv/lib/python3*/site-packages/nvidia/cu13)
    rm -rf .venv/cuda
    cp -al "$from" .venv/cuda 2>/dev/null || { rm -rf .venv/cuda; cp -a "$from" .venv/cuda; }
    mv .venv/cuda/lib .venv/cuda/lib64
    ln -s lib64 .venv/cuda/lib
    for name in cudart nvrtc; do
        ln -sf "lib$name.so.13" .venv/cuda/lib64/lib$name.so
    done
}

# For lab monte_carlo's price_curand, where the toolkit is ours: headers, without the library (130 MB).
curand_headers() {
    [ -d .venv/cuda ] && [ ! -e .venv/cuda/include/curand_kernel.h ] || return 0
    pip --no-deps "$curand_wheel"
    from=$(echo "$PWD"/.venv/lib/python3*/site-packages/nvidia/cu13)
    cp -a "$from"/include/curand*.h .venv/cuda/include/
    rm -f "$from"/lib/libcurand.so.*
}

python_for_plots() {
    for py in .venv/bin/python python3; do
        command -v $py >/dev/null && MPLCONFIGDIR=$PWD/build/mpl $py -c 'import matplotlib, numpy, pytest' 2>/dev/null &&
            echo $py && return 0
    done
    return 1
}

formatter() {
    for f in .venv/bin/clang-format clang-format; do
        command -v $f >/dev/null && $f --version | grep -q " $formatter_version" && return 0
    done
    return 1
}

ready() {
    mkdir -p "$(dirname "$out")"
    : >"$out"
}

# shellcheck disable=SC2086
case $tier in
build)
    packages $build
    cuda=$(find_toolkit) || { no_toolkit; make_toolkit; cuda=$(find_toolkit); } ||
        { say "no CUDA 13 toolkit, and none could be made in .venv"; exit 1; }
    py=$(python_for_plots) || { pip $python_wheels; py=$(python_for_plots); } ||
        { say "matplotlib was installed but cannot be imported"; exit 1; }
    mkdir -p "$(dirname "$out")"
    printf 'CUDA := %s\nPY := %s\n' "$cuda" "$py" >"$out"
    ;;
grade)
    packages $grade
    sandbox || true # building goes on without
    ready
    ;;
test)
    packages $grade $test
    formatter || pip --force-reinstall "clang-format==$formatter_version"
    curand_headers
    ready
    ;;
arm64)
    if [ -z "${NO_DEPS:-}" ] && command -v dpkg >/dev/null &&
        ! dpkg --print-foreign-architectures | grep -qx arm64; then
        # shellcheck disable=SC2116
        as_root || refuse "dpkg --add-architecture arm64 && apt-get update && apt-get install -y --no-install-recommends $(echo $arm64)"
        $sudo dpkg --add-architecture arm64
    fi
    packages $arm64
    ready
    ;;
pages)
    packages $pages
    ready
    ;;
slurm)
    # Debian starts what it installs; the test starts daemons of its own
    packages $slurm
    ready
    ;;
sandbox)
    sandbox
    ;;
slides)
    packages $slides
    ready
    ;;
*)
    say "unknown tier $tier"
    exit 2
    ;;
esac
