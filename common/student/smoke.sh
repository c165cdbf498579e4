#!/bin/sh
# smoke.sh - does every lab go? smoke.sh ENV BIN LAB…
#
# Each skeleton is run and checked: it ends with status 1 and not with a fault, says how many of
# its kernels are right, has some that are (or none that is wrong: one kernel that all need is still
# to be written), misses none, and names the command to try next. On the smallest cases: what is
# right there is for `make run` to say of the others.
set -u
env=$1 bin=$2
shift 2
passed=0 failed=0

say() { # WHAT STATUS
    if [ "$2" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$1"
    fi
}

for lab in "$@"; do
    for how in '' --check; do
        out=$(env "$env" "$bin/$lab" --quick --untimed --no-records $how 2>&1)
        [ $? = 1 ]
        say "$lab $how: the skeleton is to end with status 1: $out" $?
        echo "$out" | grep -q ': not right yet: of \([0-9]* kernels [1-9][0-9]* right\|1 program 0 right\|\([0-9]*\) kernels 0 right, \2 still\)' &&
            ! echo "$out" | grep -q '[0-9] missing' && echo "$out" | grep -q '^next: '
        say "$lab $how: does not say what is right and what to do next: $out" $?
        ! echo "$out" | grep -q 'of 1 program' || echo "$out" | grep -q '^next: write what the TODO in line [0-9]'
        say "$lab $how: does not say where in the program the next TODO stands: $out" $?
    done
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
