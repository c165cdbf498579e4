#!/bin/sh
# test.sh - runs test suites one after another and adds up what they say.
#
#   common/test.sh LOGS SUITE…     runs `make test-SUITE` for each, output in LOGS/SUITE.log
#
# Counts come from Criterion's synthesis lines, from pytest's and from lines "N passed,
# N failed". A suite that ends badly without a count is one failure; one that ends well
# without a count is a failure too: it tested nothing. The last line is the sum.
set -u
logs=$1
shift
mkdir -p "$logs"
passed=0 failed=0

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

all=$# at=0
for suite in "$@"; do
    at=$((at + 1))
    printf 'suite %2d of %d: %-12s ' "$at" "$all" "$suite"
    log=$logs/$suite.log
    start=$(date +%s)
    ${MAKE:-make} --no-print-directory "test-$suite" >"$log" 2>&1
    status=$?
    # shellcheck disable=SC2046
    set -- $(count "$log")
    ok=$1 bad=$2
    if [ $status -ne 0 ] && [ "$bad" -eq 0 ]; then
        bad=1
    elif [ $((ok + bad)) -eq 0 ]; then
        echo "$suite: ran no test" >>"$log"
        bad=1
    fi
    passed=$((passed + ok)) failed=$((failed + bad))
    printf '%5d ok %4d bad %5d s\n' "$ok" "$bad" $(($(date +%s) - start))
    if [ "$bad" -ne 0 ]; then # the words of a count would be counted again by who reads this
        { grep -E '^\[(FAIL|CRASH)|^ *FAIL|: (fatal )?error:|\*\*\*' "$log" | head -n 20
          echo '…'; tail -n 20 "$log"; } | cut -c1-160 |
            sed 's/^/    /; s/\([0-9]\) passed/\1 ok/g; s/\([0-9]\) failed/\1 bad/g
                 s/Synthesis/synthesis/'
        echo "    (all of it: $log)"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
