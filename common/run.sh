#!/bin/sh
# run.sh - what `make` and `make run` do with the labs' programs.
#
#   run.sh all ENV BUILD BACKEND QUICK LAB…   every lab's solution, one after another: right or
#                                  not, and no counts, for students are to predict them; what has
#                                  not changed since it was right there is not run again. FRESH=1:
#                                  all of them again, with their tables
#   run.sh one PROGRAM OPTION…     one lab; $BACKEND, $CHECK and $PROFILE say how
#   run.sh tests ENV BIN LAB…      solutions must be right and clean, skeletons must not
#   run.sh gpu-tests GPU ENV BIN LAB…   the same on a GPU, under compute-sanitizer too; $JOBS labs
#                                  at once, where the GPU's and the host's memory are large
#   run.sh gpu-test ENV BIN LAB    of these, one
set -u

# One of compute-sanitizer's tools. The harness counts a kernel's parameters by asking until
# the runtime says no: that is no error.
tools="memcheck racecheck synccheck initcheck"
sanitize_with() { # TOOL PROGRAM OPTION…
    tool=$1 copies=yes
    shift
    # What a store by tensor map writes, initcheck does not see (CUDA 13.0): to it the results of
    # mm_store, mm_bf16 and mm_cluster, as they are copied back, are as nobody wrote them.
    [ "$tool ${1##*/}" != 'initcheck matmul' ] || copies=no
    echo "== compute-sanitizer --tool $tool"
    compute-sanitizer --tool "$tool" --check-api-memory-access $copies --report-api-errors no --error-exitcode 9 "$@" --check
}

# One tool after another; the first that complains decides the exit status.
sanitize() {
    command -v compute-sanitizer >/dev/null || {
        echo "CHECK=1 on a GPU needs compute-sanitizer (part of the CUDA toolkit);" \
             "BACKEND=emulator CHECK=1 needs nothing" >&2
        return 2
    }
    for t in $tools; do
        sanitize_with "$t" "$@" || return $?
    done
}

count() { # METRICS PROGRAM OPTION…: into $csv; false when that holds no counts
    wanted=$1
    shift
    ncu --clock-control none --csv --page raw --metrics "$wanted" "$@" --profile-pass >"$csv" 2>&1
    grep -q '^"ID"' "$csv"
}

known() { # METRICS: those of them that there are on this GPU
    names=$(ncu --query-metrics 2>/dev/null | cut -d' ' -f1)
    echo "$1" | tr , '\n' | while read -r m; do
        echo "$names" | grep -qx "${m%.sum}" && echo "$m"
    done | paste -sd, -
}

# Nsight Compute watches one launch of everything, then its counts join a timed run's table.
profile() {
    csv=build/ncu-$(basename "$1").csv
    command -v ncu >/dev/null || {
        echo "PROFILE=1 on a GPU needs ncu (Nsight Compute);" \
             "BACKEND=emulator counts without it" >&2
        exec "$@"
    }
    metrics=$("$1" --ncu-metrics) || exec "$@" # a whole program: it has said why
    count "$metrics" "$@" || grep -q ERR_NVGPUCTRPERM "$csv" || count "$(known "$metrics")" "$@"
    if grep -q ERR_NVGPUCTRPERM "$csv"; then
        echo "This machine does not let users read hardware counters (ERR_NVGPUCTRPERM):" \
             "times only. BACKEND=emulator counts the same things without permission." >&2
        exec "$@"
    fi
    exec "$@" --ncu "$csv"
}

one() {
    if [ "$BACKEND" = gpu ] && [ -n "${CHECK:-}" ]; then
        sanitize "$@"
        exit $?
    fi
    [ "$BACKEND" = gpu ] && [ -n "${PROFILE:-}" ] && profile "$@"
    [ -z "${PROFILE:-}" ] || echo "PROFILE=1 is for a GPU's hardware counters (BACKEND=gpu);" \
        "the emulator counts in every run"
    exec "$@" ${CHECK:+--check}
}

# Nothing that a lab's verdict comes from is newer than its last run that was right.
unchanged() { # STAMP BUILD LAB
    for f in "$2/bin/$3" "$2/lib/libcudart.so.13" "solutions/$3/$3.cu" common/device/*.cuh; do
        [ "$1" -nt "$f" ] || return 1
    done
}

# A solution's run: its tables with FRESH=1 or where it is not right, its last line otherwise.
told_briefly() { # LOG COMMAND…
    log=$1
    shift
    if [ -n "${FRESH:-}" ]; then
        "$@"
        return
    fi
    if "$@" >"$log"; then
        tail -n 1 "$log"
    else
        cat "$log"
        return 1
    fi
}

all() {
    env=$1 build=$2 backend=$3 quick=$4 failed='' at=0
    shift 4
    mkdir -p "$build/runs"
    for lab in "$@"; do
        at=$((at + 1)) ok=$build/runs/$lab-$backend.ok # right here says nothing of the other machine
        if [ ! -e "solutions/$lab/$lab.cu" ]; then # the students' package has none
            echo "lab $at of $#: $lab is built: make run LAB=$lab"
            continue
        fi
        if [ -z "${FRESH:-}" ] && unchanged "$ok" "$build" "$lab"; then
            echo "lab $at of $#: $lab was right, and nothing of it has changed (make labs: again)"
            continue
        fi
        echo "lab $at of $#: $lab"
        if told_briefly "$build/runs/$lab-$backend.txt" \
            env "$env" "$build/bin/$lab" --solution ${quick:+"$quick"}; then
            : >"$ok"
        else
            failed="$failed $lab"
        fi
    done
    [ -z "$failed" ] || { echo "not right:$failed" >&2; exit 1; }
}

passed=0 failed=0
note() { # WHAT STATUS EXPECTED
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$1: exit status $2, expected $3"
    fi
}

# Mistakes at the command line are told before anything is built.
mistakes() {
    while IFS='|' read -r words says; do
        # shellcheck disable=SC2086 # they are words
        said=$(env -u MAKELEVEL -u MAKEFLAGS make -n $words 2>&1) && said="exit status 0, $said"
        case $said in
        *"$says"*) note "make $words" 0 0 ;;
        *) note "make $words said \"$(echo "$said" | head -n 1)\", not \"$says\"" 0 2 ;;
        esac
    done <<'END'
run|which lab? LAB=… is one of: 
run LAB=nosuch|which lab is "nosuch"? LAB=… is one of: 
run|next: make run LAB=first_program is understood
run LAB=redu|next: make run LAB=reduction is understood
run LAB=conf|next: make run LAB=conv1d is understood
run LAB=reduction BACKEND=cuda|BACKEND=cuda: it is gpu or emulator
run BACKEND=cuda|next: make run BACKEND=emulator is understood
run FIEL=my.cu|next: make run FILE=my.cu is understood
run LAB=reduction FIEL=my.cu|FIEL=… is no variable of this Makefile: did you mean FILE=…?
run LAB=reduction n=4|did you mean N=…?
grade|which lab? LAB=… is one of: 
grade LAB=nosuch|which lab is "nosuch"?
labs LAB=nosuch|which lab is "nosuch"?
mutate LAB=nosuch|which lab is "nosuch"?
records LAB=nosuch|which lab is "nosuch"?
test-diagnosis LAB=nosuch|which lab is "nosuch"?
END
}

# A skeleton has to fail with status 1: 0 would be a check that sees nothing.
tests() {
    env=$1 bin=$2
    shift 2
    mistakes
    for lab in "$@"; do
        env "$env" "$bin/$lab" --solution --quick --no-records
        note "$lab, solution" $? 0
        env "$env" "$bin/$lab" --solution --quick --untimed --check --no-records
        note "$lab, solution, checks" $? 0
        env "$env" "$bin/$lab" --quick --no-records
        note "$lab, skeleton" $? 1
    done
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ]
}

# The four tools at once: each is slow on the host, and leaves the GPU idle meanwhile.
sanitize_at_once() {
    pids='' complaint=0
    for t in $tools; do
        sanitize_with "$t" "$@" >"$logs/$t" 2>&1 &
        pids="$pids $!"
    done
    for pid in $pids; do
        wait "$pid" || complaint=$?
    done
    (cd "$logs" && cat $tools)
    return $complaint
}

gpu_test() {
    env=$1 bin=$2 lab=$3
    env "$env" "$bin/$lab" --solution
    note "$lab, solution" $? 0
    env "$env" "$bin/$lab" --no-time --quick
    note "$lab, skeleton" $? 1
    if command -v compute-sanitizer >/dev/null; then
        logs=$(mktemp -d) || exit 1
        trap 'rm -r "$logs"' EXIT
        (LD_LIBRARY_PATH=${env#LD_LIBRARY_PATH=}; export LD_LIBRARY_PATH
         sanitize_at_once "$bin/$lab" --solution --quick)
        note "$lab, compute-sanitizer" $? 0
    fi
    echo "$lab: $passed passed, $failed failed"
}

gpu_tests() {
    gpu=$1 env=$2 bin=$3
    shift 3
    if [ -z "$gpu" ]; then
        echo "SKIPPED: no GPU on this machine; make test runs everything else"
        exit 0
    fi
    command -v compute-sanitizer >/dev/null || echo "SKIPPED: no compute-sanitizer here"
    mkdir -p "$bin/../test/gpu-logs"
    # shellcheck disable=SC2016
    printf '%s\n' "$@" | xargs -P "${JOBS:-1}" -I LAB sh -c '"$1" gpu-test "$2" "$3" LAB >"$3/../test/gpu-logs/LAB" 2>&1
        cat "$3/../test/gpu-logs/LAB"' sh "$0" "$env" "$bin"
    for lab in "$@"; do tail -n 1 "$bin/../test/gpu-logs/$lab"; done | awk -v labs=$# '
        $3 == "passed," { passed += $2; failed += $4; told++ }
        END { failed += labs - told; print passed + 0 " passed, " failed " failed"; exit failed > 0 }'
}

case $1 in
one) shift; one "$@" ;;
tests) shift; tests "$@" ;;
gpu-tests) shift; gpu_tests "$@" ;;
gpu-test) shift; gpu_test "$@" ;;
all) shift; all "$@" ;;
*) echo "run.sh: what is \"$1\"?" >&2; exit 2 ;;
esac
