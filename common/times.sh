#!/bin/sh
# times.sh - how long README's commands take here, as rows of its table.
#
#   common/times.sh        in a clean clone of what is committed; downloads are not counted:
#                          packages must be installed, and .venv is this one
#
# Times are of the clock, with processor time beside them: on a machine that does nothing else.
# TEST=1: of `make test`, too, and of its suites, which run side by side.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
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
