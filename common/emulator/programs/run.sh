#!/bin/sh
# run.sh BUILD      runs the programs of this folder, and warprun's options, on the emulator
# run.sh BUILD gpu  runs the programs on a GPU: do they say the same there?
set -u
warprun=$1/bin/warprun programs=$1/programs here=$(dirname "$0")
out=$(mktemp -d) passed=0 failed=0
trap 'rm -rf "$out"' EXIT
unset WARPLAB_DEVICES WARPLAB_RECORD WARPLAB_DISTURB WARPLAB_FAIL WARPLAB_CHECK WARPLAB_PROFILE WARPLAB_DEVICE WARPLAB_THREADS WARPLAB_STEPS

# expect STATUS WORDS COMMAND…: exit status, and words somewhere in what it prints
expect() {
    status=$1 words=$2
    shift 2
    timeout 120 "$@" >"$out/text" 2>&1
    got=$?
    if [ $got -eq "$status" ] && grep -q -- "$words" "$out/text"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$*: status $got, not $status, or no \"$words\" in"
        sed 's/^/    /' "$out/text" | tail -n 12
    fi
}

# answers PROGRAM [COMMAND…]: it says what it did on an H200 (answers/PROGRAM.h200)
answers() {
    name=$1
    shift
    timeout 120 "$@" "$programs/$name" 2>/dev/null >"$out/text"
    if cmp -s "$here/answers/$name.h200" "$out/text"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name: not an H200's answers (<):"
        diff "$here/answers/$name.h200" "$out/text" | head -n 20
    fi
}

part() { # of PROGRAM:PART the part
    case $1 in *:*) echo "${1#*:}" ;; esac
}

summary() {
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ]
    exit
}

# PROGRAM:PART is one part of a program that has several.
libraries='algorithms:cub algorithms:thrust algorithms:more groups:groups groups:grid_sync groups:clusters'
anywhere="vector_add variables split language errors limits copies per_thread
          $libraries devices graphs graph_nodes children ipc waits narrow"
[ ! -e "$programs/fft" ] || anywhere="$anywhere fft"
[ ! -e "$programs/nccl" ] || anywhere="$anywhere nccl"
asked='graph_answers child_answers device_graph_answers ipc_answers'
if [ "${2:-}" = gpu ]; then
    for p in $asked; do
        answers $p
    done
    for p in $anywhere static noptx; do
        expect 0 '^ok' "$programs/${p%:*}" $(part $p)
    done
    expect 0 '^ok' "$programs/plugin_main" "$programs/plugin.so"
    summary
fi
for p in $anywhere; do
    expect 0 '^ok' "$warprun" "$programs/${p%:*}" $(part $p)
done
for p in $asked; do
    answers $p "$warprun"
done
# late, nothing is otherwise for who waits
for p in variables language copies per_thread algorithms:thrust groups:groups graphs graph_nodes \
         children waits; do
    expect 0 '^ok' "$warprun" --fail late "$programs/${p%:*}" $(part $p)
done
# what orders its accesses in the libraries' ways is left alone by the checks
for p in $libraries; do
    expect 0 '^ok' "$warprun" --check "$programs/${p%:*}" $(part $p)
    cp "$out/text" "$out/found"
    expect 0 '^0$' sh -c "grep -c ' in kernel ' '$out/found' || true"
done
expect 0 '^ok' "$warprun" "$programs/plugin_main" "$programs/plugin.so"
expect 0 '^ok' "$warprun" --check --threads 1 "$programs/vector_add"
if [ -e "$programs/fft" ]; then
    expect 0 '^ok' "$warprun" --check --profile "$out/fft.csv" "$programs/fft"
    expect 0 '^library,cufftExecR2C,' cat "$out/fft.csv"
else
    echo 'SKIPPED: fft, which needs the cuFFT of a toolkit'
fi
if [ -e "$programs/nccl" ]; then
    expect 0 '^ok 4' "$warprun" --devices 4 --check --profile "$out/nccl.csv" "$programs/nccl"
    expect 0 '^library,ncclAllReduce,' cat "$out/nccl.csv"
else
    echo 'SKIPPED: nccl, which needs NCCL'
fi
for d in g80 gtx980 a100; do
    expect 0 '^ok' "$warprun" --device $d "$programs/vector_add"
done
expect 0 '^ok 4' "$warprun" --devices 4 --check --profile "$out/d.csv" "$programs/devices"
expect 0 '^memcpyPtoP,' cat "$out/d.csv"
expect 0 '^ok 3' "$warprun" --devices 3 --check "$programs/ipc"
expect 0 '^ok' "$warprun" --check "$programs/graph_nodes"
cp "$out/text" "$out/found"
expect 0 '^0$' sh -c "grep -c 'warplab' '$out/found' || true"
expect 2 'from 1 to 16' "$warprun" --devices 17 "$programs/devices"
expect 0 'cudaErrorLaunchTimeout' "$warprun" --steps 100000 "$programs/endless"
expect 0 'wait_for.* waits for what nobody is left to write' "$warprun" "$programs/waits" vain
expect 0 'wait_for.* waits for what nobody is left to write: a graph' "$warprun" "$programs/waits" graph
expect 0 'wait_for.*more than 100000 steps' "$warprun" --steps 100000 "$programs/waits" vain
expect 0 '^0$' sh -c "'$warprun' '$programs/waits' end; echo \$?"
expect 0 '^ok' "$warprun" --check --threads 2 --profile "$out/w.csv" "$programs/waits"
expect 0 '^kernel,_Z5twicePi,' cat "$out/w.csv"
expect 0 'thread 31 round 99' "$warprun" "$programs/limits"
expect 0 'oldest .* are lost' "$warprun" "$programs/limits"
expect 0 'stack overflow: .*cudaLimitStackSize' "$warprun" "$programs/limits"
expect 1 'cudaMalloc, call 2: made to fail with cudaErrorMemoryAllocation' "$warprun" --fail cudaMalloc:2 "$programs/vector_add"
expect 1 'out of memory' "$warprun" --fail cudaMalloc:3 "$programs/vector_add"
expect 1 'too many resources' "$warprun" --fail cudaLaunchKernel "$programs/vector_add"
expect 1 'invalid argument' "$warprun" --fail cudaMemcpy:1=cudaErrorInvalidValue "$programs/vector_add"
expect 0 'cudaMalloc:99 was not made to fail: 3 calls' "$warprun" --fail cudaMalloc:99 "$programs/vector_add"
expect 1 'word 100000 that came back from the device: made wrong' "$warprun" --fail back:100000 "$programs/vector_add"
expect 0 'back:100001 was not made wrong: 400000 bytes came back' "$warprun" --fail back:100001 "$programs/vector_add"
expect 1 'c.99999. = 299741' "$warprun" --fail back:slight "$programs/vector_add"
expect 1 'c.0. = 299997' "$warprun" --fail back:swapped "$programs/vector_add"
expect 1 'c.0. = -5.87747e-39' "$warprun" --fail back:many "$programs/vector_add"
expect 1 'c.1. = 0\>' "$warprun" --fail back:zero "$programs/vector_add"
expect 1 'c.99999. = -299997' "$warprun" --fail back:sign "$programs/vector_add"
expect 1 'c.0. = 1\>' "$warprun" --fail back:small "$programs/vector_add"
expect 1 'c.0. = -1\>' "$warprun" --fail back:below "$programs/vector_add"
expect 1 'c.99999. = nan' "$warprun" --fail back:nan "$programs/vector_add"
expect 1 'c.16. = 49\>' "$warprun" --fail back:17=evened "$programs/vector_add"
expect 1 'c.16. = 231\>' "$warprun" --fail back:17=78 "$programs/vector_add"
for f in back back:0 back:1=cudaErrorUnknown back:1=1 back:1=0 cudaMaloc cudaMalloc:0 cudaMalloc:x cudaMalloc:1=oops free; do
    expect 2 "WARPLAB_FAIL: $f: " "$warprun" --fail $f "$programs/vector_add"
done
expect 139 'host code touched device memory' "$warprun" "$programs/host_touch"
expect 127 'nvcc -cudart shared' "$warprun" "$programs/static"
expect 1 'no PTX' "$warprun" "$programs/noptx"
expect 0 'waits_for_child.* waits for what nobody is left to write: what a kernel' "$warprun" "$programs/children" vain
expect 0 'can run' "$warprun" --support "$programs/vector_add"
expect 0 'can run' "$warprun" --support "$programs/split"
expect 0 'can run' "$warprun" --support "$programs/children"
expect 0 '^ok' "$warprun" --check "$programs/children"
expect 0 ',_Z8in_orderPi,"*void apply<int>' sh -c "'$warprun' --threads 3 --profile '$out/c.csv' '$programs/children' && cat '$out/c.csv'"
expect 0 'WARPLAB_STEPS' "$warprun" --help
expect 2 'Usage: warprun' "$warprun"
expect 127 "unrecognized option '--bogus'" "$warprun" --bogus "$programs/vector_add"
expect 127 'no program' "$warprun" "$out/none"
expect 2 'there are g80' "$warprun" --device none "$programs/vector_add"
expect 2 'expected a number' "$warprun" --threads x "$programs/vector_add"

expect 0 '^ok' "$warprun" --profile "$out/p.csv" "$programs/vector_add"
expect 0 '^3$' grep -c '^memcpy' "$out/p.csv"
expect 0 '^kernel,_Z3addPKfS0_Pfi,' cat "$out/p.csv"
expect 0 '"add(float const\*, float const\*, float\*, int)"$' cat "$out/p.csv"
expect 0 '^ok' "$warprun" --profile="$out/p.json" "$programs/vector_add"
expect 0 '"global_ld_sectors":25000' cat "$out/p.json"

expect 0 '^ok' "$warprun" --record "$out/r" "$programs/vector_add"
for fact in 'calls.cudaMalloc 3' 'launches 1' 'left 0' 'counter.global_ld_sectors 25000'; do
    expect 0 "^$fact$" cat "$out/r"
done
expect 1 'out of memory' "$warprun" --record "$out/r" --fail cudaMalloc:3 "$programs/vector_add"
expect 0 '^made_to_fail 1$' cat "$out/r"
expect 0 '^left 2$' cat "$out/r"
expect 1 'cudaDeviceReset() gives cudaErrorUnknown' "$warprun" --fail cudaDeviceReset:1 "$programs/limits"
expect 1 '^c.0. = ' env WARPLAB_DISTURB=global_ld "$warprun" "$programs/vector_add"
expect 2 'no such class' env WARPLAB_DISTURB=nothing "$warprun" "$programs/vector_add"
summary
