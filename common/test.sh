#!/bin/sh
# test.sh - runs test suites, some at once, and adds up what they say.
#
#   common/test.sh LOGS SUITE…     runs `make test-SUITE` for each, output in LOGS/SUITE.log;
#                                  two more at once than there are cores, at most 4, as each waits
#                                  now and then: begin with those that take long
#
# Counts come from Criterion's synthesis lines, from pytest's and from lines "N passed,
# N failed". A suite that ends badly without a count is one failure; one that ends well
# without a count is a failure too: it tested nothing. The last line is the sum.
set -u
logs=$1
shift
mkdir -p "$logs"
sums=$(mktemp -d) || exit 1
trap 'rm -rf "$sums"' EXIT
trap 'trap - INT TERM; kill 0' INT TERM # what runs in the background hears no Ctrl-C

# "PASSED FAILED" of a log: every line with counts adds up.
count() {
    awk '
    { gsub(/\033\[[0-9;]*m/, "") }
    /Synthesis: Tested:/ {
        for (i = 1; i < NF; i++) {
            if ($i == "Passing:") p += $(i + 1)
            if ($i == "Failing:" || $i == "Crashing:") f += $(i + 1)
        }
        next
    }
    /[0-9]+ (passed|failed|errors?)/ && !/Synthesis/ {
        line = $0
        while (match(line, /[0-9]+ (passed|failed|errors?)/)) {
            split(substr(line, RSTART, RLENGTH), w, " ")
            if (w[2] == "passed") p += w[1]; else f += w[1]
            line = substr(line, RSTART + RLENGTH)
        }
    }
    END { print p + 0, f + 0 }' "$1"
}

run() { # SUITE TITLE
    suite=$1 title=$2 log=$logs/$1.log
    echo "$title begins"
    start=$(date +%s)
    (
        ${MAKE:-make} --no-print-directory "test-$suite" >"$log" 2>&1
        status=$?
        times >"$sums/$suite/times" # the second line: of what it started, "1m2.50s 0m3.25s"
        exit $status
    )
    status=$?
    spent=$(awk 'NR == 2 { gsub(/[ms]/, " "); printf "%d", 60 * ($1 + $3) + $2 + $4 }' "$sums/$suite/times")
    # shellcheck disable=SC2046
    set -- $(count "$log")
    ok=$1 bad=$2
    if [ $status -ne 0 ] && [ "$bad" -eq 0 ]; then
        bad=1
    elif [ $((ok + bad)) -eq 0 ]; then
        echo "$suite: ran no test" >>"$log"
        bad=1
    fi
    echo "$ok $bad" >"$sums/$suite/sum"
    {
        printf '%s %5d ok %4d bad %5d s, %4d s of processor time\n' "$title" "$ok" "$bad" \
            $(($(date +%s) - start)) "$spent"
        if [ "$bad" -ne 0 ]; then # the words of a count would be counted again by who reads this
            { grep -E '^\[(FAIL|CRASH)|^ *FAIL|: (fatal )?error:|\*\*\*' "$log" | head -n 20
              echo '…'; tail -n 20 "$log"; } | cut -c1-160 |
                sed 's/^/    /; s/\([0-9]\) passed/\1 ok/g; s/\([0-9]\) failed/\1 bad/g
                     s/Synthesis/synthesis/'
            echo "    (all of it: $log)"
        fi
    } >"$sums/$suite/told"
    cat "$sums/$suite/told"
}

# Takes one suite after another that nobody has taken.
lane() {
    at=0 all=$#
    for name in "$@"; do
        at=$((at + 1))
        ! mkdir "$sums/$name" 2>/dev/null || run "$name" "$(printf 'suite %2d of %d: %-12s' $at $all "$name")"
    done
}

lanes=$(($(nproc 2>/dev/null || echo 2) + 2))
[ "$lanes" -le 4 ] || lanes=4
while [ "$lanes" -gt 0 ]; do
    lane "$@" &
    lanes=$((lanes - 1))
done
wait
cat "$sums"/*/sum | awk '{ p += $1; f += $2 } END { print p + 0 " passed, " f + 0 " failed"; exit f > 0 || NR < suites }' suites=$#
