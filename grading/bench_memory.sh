#!/bin/sh
# bench_memory.sh - memory of `grade batch` over N distinct submissions: make bench-memory N=5000
#
# The class is the lab's known kernels, each made another by a comment. Every tenth of it: seconds,
# submissions marked, and the resident MiB of the program and of its largest worker, boxes aside
# (each has a limit of its own). At the end the largest that each ever was (VmHWM).
set -eu
grade=$1 lab=$2 n=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/class"

i=0
while [ $i -lt "$n" ]; do
    for f in solutions/"$lab"/*.cu labs/"$lab"/*.cu labs/"$lab"/right/*.cu labs/"$lab"/wrong/*.cu; do
        [ $i -lt "$n" ] || break
        { cat "$f"; echo "// submission $i"; } >"$folder/class/s$(printf %05d $i).cu"
        i=$((i + 1))
    done
done

mib() { # FIELD PID…: the largest, in MiB
    field=$1; shift
    for p in "$@"; do
        sed -n "s/^$field:[[:space:]]*\([0-9]*\) kB/\1/p" "/proc/$p/status" 2>/dev/null || true
    done | sort -n | tail -n 1 | awk '{printf "%.1f", $1 / 1024}'
}

marked() { # progress lines: "272 of 5000 marked, …"
    sed -n 's/^\([0-9]*\) of [0-9]* marked.*/\1/p' "$folder/progress" | tail -n 1
}

echo "# grade batch --lab $lab, $n distinct submissions, $(nproc) cores, $(uname -m)"
echo "seconds marked program_MiB worker_MiB"
start=$(date +%s) next=0 top='' worker_top=''
"$grade" batch "$folder/class" --lab "$lab" --no-secret --book "$folder/grades.db" \
    >"$folder/out" 2>"$folder/progress" &
pid=$!
while kill -0 $pid 2>/dev/null; do
    sleep 2
    workers=$(cat /proc/$pid/task/$pid/children 2>/dev/null || true)
    done_now=$(marked)
    now=$(mib VmRSS $pid) peak=$(mib VmHWM $pid)
    # shellcheck disable=SC2086 # several PIDs
    worker_now=$(mib VmRSS $workers) worker_peak=$(mib VmHWM $workers)
    if [ -n "$peak" ]; then top=$peak; fi
    if [ -n "$worker_peak" ]; then worker_top=$worker_peak; fi
    if [ "${done_now:-0}" -lt $next ] || [ -z "$now" ]; then continue; fi
    echo "$(($(date +%s) - start)) ${done_now:-0} $now $worker_now"
    next=$((${done_now:-0} / (n / 10) * (n / 10) + n / 10))
done
wait $pid || [ $? -eq 1 ]
tail -n 1 "$folder/out"
echo "largest ever: program $top MiB, worker $worker_top MiB"
