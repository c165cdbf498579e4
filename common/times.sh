#!/bin/sh
# times.sh - how long README's commands take here, as rows of its table.
#
#   common/times.sh        in a clean clone of what is committed; downloads are not counted:
#                          packages must be installed, and .venv is this one
#
# --keep: on a machine that does nothing else. The rows go into common/times.txt, and from there
# into README's table.
# Times are of the clock, with processor time beside them: on a machine that does nothing else.
# TEST=1: of `make test`, too, and of its suites, which run side by side.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)

# The time of the n-th row of a command in times.txt: "55 s" or "10 min".
time_of() { # COMMAND N
    awk -F'|' -v command=" \`$1\` " -v n="$2" '$2 == command && ++seen == n {
        if ($4 !~ /exit status 0/) exit
        t = $4 + 0
        print t < 1 ? "under 1 s" : t < 180 ? t " s" : int(t / 60 + 0.5) " min" }' "$here/common/times.txt"
}

# README's row that begins so gets this time; one that failed keeps what it has.
tell() { # ROW COMMAND N
    took=$(time_of "$2" "$3")
    [ -z "$took" ] || sed -i "s/^\(| $1 |[^|]*|\).*/\1 $took |/" "$here/README.md"
}

if [ "${1:-}" = --keep ]; then
    { echo "# common/times.sh --keep, $(date +%F), of $(git -C "$here" describe --always --dirty)"
      TEST=${TEST:-} "$0"; } | tee "$here/common/times.txt"
    cores=$(sed -n 's/^on \([0-9]*\) cores.*/\1/p' "$here/common/times.txt")
    sed -i "s/^| command | loads | took.*/| command | loads | took, on $cores cores, without what it loads |/" "$here/README.md"
    tell '`make`, the first time' make 1
    tell '`make`, nothing changed' make 2
    tell '`make grade LAB=reduction`' 'make grade LAB=reduction SOLUTION=1' 1
    tell '`make check`' 'make check' 1
    tell '`make test`' 'make test' 1
    exit
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone -q --no-hardlinks "$here" "$work/warplab"
[ ! -e "$here/.venv" ] || ln -s "$(readlink -f "$here/.venv")" "$work/warplab/.venv"
cd "$work/warplab"

row() { # COMMAND
    start=$(date +%s) ended=0
    # shellcheck disable=SC2016
    bash -c 'TIMEFORMAT="%U %S"; time make $1 >"$2/log" 2>&1' sh "${1#make}" "$work" 2>"$work/spent" || ended=$?
    seconds=$(($(date +%s) - start))
    spent=$(awk '{ printf "%.0f", $1 + $2 }' "$work/spent")
    echo "| \`$1\` | | $seconds s; $spent s of processor time, exit status $ended |"
    sed -n 's/^suite .* of [0-9]*: \(.* of processor time\)$/    \1/p' "$work/log"
}

echo "on $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg)"
for command in make make 'make grade LAB=reduction SOLUTION=1' 'make check' ${TEST:+'make test'}; do
    row "$command"
done
