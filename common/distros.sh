#!/bin/sh
# distros.sh - the README's commands in bare systems: what a newcomer meets, as a table.
#
#   common/distros.sh OUT SUITE…      bookworm trixie noble …; roots and logs in OUT
#   common/distros.sh --script FILE OUT SUITE…
#                                     instead of COMMANDS a shell script, as root, in a system with
#                                     nothing added; /source is a clone of what is committed here
#
# For each SUITE, debootstrap makes a minimal system, once (OUT/SUITE.base); a copy of it gets
# git, make and sudo, as README asks, a user with sudo, and a clean clone of what is committed
# here. COMMANDS run there one after another, as that user; none stops the ones behind it.
# Debian's mirror is the one of this system's own apt; other mirrors are told:
# UBUNTU_MIRROR=…, DEBIAN_MIRROR=…. A suite without a mirror is said and left out: exit status 3.
# The network is this machine's: its resolver, certificates, proxies and pip's settings.
# KEEP=1 keeps the roots. Needs root, debootstrap, and some 4 GB a suite.
set -eu
unset MAKEFLAGS MAKELEVEL MFLAGS # of the make that started this: there, make is the first
: "${COMMANDS:=make;test ! -e build/deps-grade.ok;make;make grade LAB=reduction SOLUTION=1;make check;make test;mv ../warplab ../moved && cd ../moved && make run LAB=divergence SOLUTION=1}"
script=
[ "$1" != --script ] || { script=$2 && shift 2; }
out=$1
shift
here=$(cd "$(dirname "$0")/.." && pwd)
table=$out/table.txt

say() { echo "distros: $*" >&2; }

# The first mirror of this system's apt that is called so: "debian", "ubuntu".
own_mirror() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
        sed -n 's/^deb \(\[[^]]*\] \)\?\([^ ]*\).*/\2/p; s/^URIs: *\([^ ]*\).*/\1/p' | grep "/$1/*$" | head -n 1
}

mirror_of() {
    case $1 in
    noble | jammy | plucky | questing) echo "${UBUNTU_MIRROR:-$(own_mirror ubuntu)}" ;;
    *) echo "${DEBIAN_MIRROR:-$(own_mirror debian)}" ;;
    esac
}

# enter ROOT COMMAND…: with the root as / and namespaces of its own. No chroot: in one, nobody
# could make the namespaces that the grader's sandbox is made of.
enter() {
    # shellcheck disable=SC2016
    unshare --mount --pid --fork sh -c '
        root=$1 && shift && mount --make-rprivate / && mount --bind "$root" "$root" && cd "$root" &&
        mount -t proc proc proc && mount --rbind /dev dev && mkdir -p .old && pivot_root . .old &&
        umount -l /.old && cd / && exec "$@"' sh "$@"
}

base() { # SUITE
    [ -e "$out/$1.base/etc/debian_version" ] && [ -e "$out/$1.ok" ] && return 0
    mirror=$(mirror_of "$1")
    [ -n "$mirror" ] || { say "$1: no mirror of it is known here (UBUNTU_MIRROR=…, DEBIAN_MIRROR=…)"; return 3; }
    say "$1: making a minimal system"
    rm -rf "$out/$1.base"
    components=main
    case $mirror in *ubuntu*) components=main,universe ;; esac
    debootstrap --variant=minbase --include=ca-certificates --components=$components \
        "$1" "$out/$1.base" "$mirror" >"$out/$1-debootstrap.log" 2>&1 ||
        { tail -n 3 "$out/$1-debootstrap.log" >&2; return 1; }
    : >"$out/$1.ok"
}

network() { # ROOT
    cp /etc/resolv.conf "$1/etc/resolv.conf"
    cp /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/ca-certificates.crt"
    [ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$1/etc/pip.conf"
    mkdir -p "$1/etc/sudoers.d"
    echo 'student ALL=(ALL) NOPASSWD: ALL' >"$1/etc/sudoers.d/student"
    env | sed -n 's/^\([A-Za-z_]*_proxy\|[A-Z_]*_PROXY\|PIP_[A-Z_]*\|SSL_CERT_FILE\)=\(.*\)/export \1="\2"/p' \
        >"$1/etc/profile.d/network.sh"
}

bare() { # SUITE
    root=$out/$1
    rm -rf "$root"
    cp -a "$out/$1.base" "$root"
    network "$root"
}

fresh() { # SUITE: a system as README takes it for granted
    bare "$1"
    enter "$root" sh -c 'export DEBIAN_FRONTEND=noninteractive
        apt-get update -q && apt-get install -y -q --no-install-recommends git make sudo &&
        useradd -m student' >"$out/$1-start.log" 2>&1 || { tail -n 3 "$out/$1-start.log" >&2; return 1; }
    git clone -q --no-hardlinks "$here" "$root/home/student/warplab"
    enter "$root" chown -R student: /home/student
}

row() { printf '%-10s %-36s %7s %5s\n' "$@" | tee -a "$table"; }

run() { # SUITE COMMAND NUMBER
    log=$out/$1-$3.log
    start=$(date +%s) ended=0
    enter "$out/$1" su - student -c "cd warplab && $2" >"$log" 2>&1 </dev/null || ended=$?
    row "$1" "$2" $(($(date +%s) - start)) $ended
    [ $ended = 0 ] || failed=1
}

# The script's exit status is the row's, what it prints is seen.
scripted() { # SUITE
    bare "$1"
    git clone -q --depth 1 "file://$here" "$root/source"
    cp "$script" "$root/script"
    start=$(date +%s) ended=0
    enter "$root" bash --login /script </dev/null || ended=$?
    row "$1" "$(basename "$script")" $(($(date +%s) - start)) $ended
    [ $ended = 0 ] || failed=1
}

commands() { # SUITE
    fresh "$1" || return $?
    number=0
    rest=$COMMANDS
    while [ -n "$rest" ]; do
        number=$((number + 1))
        run "$1" "${rest%%;*}" $number
        case $rest in *';'*) rest=${rest#*;} ;; *) rest= ;; esac
    done
}

suite() {
    base "$1" && if [ -n "$script" ]; then scripted "$1"; else commands "$1"; fi || return $?
    [ -n "${KEEP:-}" ] || rm -rf "${out:?}/$1"
}

for tool in debootstrap unshare git; do
    command -v $tool >/dev/null || { say "$tool is missing: apt-get install $tool"; exit 2; }
done
[ "$(id -u)" = 0 ] || { say "only root can make systems: sudo make test-distros"; exit 2; }
mkdir -p "$out"
out=$(cd "$out" && pwd) table=$out/table.txt
failed=0 missing=0
: >"$table"
row distribution command seconds exit
for s in "$@"; do
    status=0
    suite "$s" || status=$?
    case $status in
    0) ;;
    3) missing=1 && row "$s" "(not reachable from here)" - - ;;
    *) failed=1 && row "$s" "(no system could be made)" - $status ;;
    esac
done
[ $failed = 0 ] || exit 1
[ $missing = 0 ] || exit 3
