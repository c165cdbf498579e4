#!/bin/sh
# outside_test.sh BUILD NVCC  tries outside_programs.py on a checkout of a few programs of our own
set -u
warprun=$(realpath "$1/bin/warprun") nvcc=$2 tool=$(dirname "$0")/outside_programs.py
work=$(mktemp -d) passed=0 failed=0
trap 'rm -rf "$work"' EXIT
page=$work/out/page.md

# expect WORDS FILE: an expression in a line of it
expect() {
    if grep -qE -- "$1" "$2"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "no \"$1\" in $2:"
        sed 's/^/    /' "$2"
    fi
}

# sample NAME[.cpp] [LINE…]: a folder like NVIDIA's; its source, a .cu unless it says so, is what
# comes in: nvcc takes a tenth of the time where there is nothing of CUDA
sample() {
    name=${1%.cpp} folder=$work/dir/Samples/0_All/${1%.cpp}
    case $1 in *.cpp) source=$1 ;; *) source=$1.cu ;; esac
    shift
    mkdir -p "$folder"
    cat >"$folder/$source"
    {
        printf 'project(%s LANGUAGES CUDA)\nfind_package(CUDAToolkit REQUIRED)\n' "$name"
        printf '# add_executable(nothing nothing.cu)\ninclude_directories(../../../Common)\n'
        printf 'add_executable(%s\n    %s)\n' "$name" "$source"
        printf '%s\n' "$@"
    } >"$folder/CMakeLists.txt"
}

# go STATUS [OPTION…]
go() {
    status=$1
    shift
    "$tool" "$work/dir" --out "$work/out" --warprun "$warprun" --nvcc "$nvcc" "$@" >"$work/said" 2>&1
    got=$?
    if [ $got -eq "$status" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$*: status $got, not $status:"
        sed 's/^/    /' "$work/said"
    fi
}

# ---- a checkout ----
mkdir -p "$work/dir/Common" "$work/dir/src/bench-cuda" "$work/dir/src/include"
echo '#define MORE 1' >"$work/dir/Common/more.h"
echo '#define TIMES 3' >"$work/dir/src/include/times.h"
cat >"$work/dir/test_args.json" <<'END'
{"adds": {"runs": [{"args": ["numbers.txt"]}, {"args": ["data/numbers.txt"]}]}, "skips": {"skip": true}}
END
sample adds 'set_target_properties(adds PROPERTIES CUDA_SEPARABLE_COMPILATION ON)' \
    'target_compile_options(adds PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda>)' \
    'target_include_directories(adds PRIVATE inc)' <<'END'
#include <stdio.h>
#include <more.h>
#include <own.h>
__global__ void add(int *x)
{
    __shared__ volatile int never;
    x[threadIdx.x] += MORE;
    int unknown = never;
    (void)unknown;
}
int main(int argc, char **argv)
{
    FILE *f = argc > OWN ? fopen(argv[1], "r") : NULL;
    int *x;
    if (!f)
        return 1;
    cudaMallocManaged(&x, 32 * sizeof(int));
    for (int i = 0; i < 32; i++)
        x[i] = i;
    add<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    fopen("written.txt", "w");
    return x[31] != 32; /* and x is a leak */
}
END
mkdir "$work/dir/Samples/0_All/adds/data" "$work/dir/Samples/0_All/adds/inc"
echo '#define OWN 1' >"$work/dir/Samples/0_All/adds/inc/own.h"
echo 1 >"$work/dir/Samples/0_All/adds/data/numbers.txt"
sample breaks <<'END'
int main() { return undeclared; }
END
sample crashes.cpp <<'END'
#include <stdlib.h>
int main() { abort(); }
END
sample draws 'find_package(OpenGL)' 'target_link_libraries(draws PRIVATE CUDA::cuda_driver)' <<'END'
int main() { return 0; }
END
sample encodes 'target_link_libraries(encodes PUBLIC m ${OpenMP_LIBRARIES} ${CODEC_LIB})' <<'END'
int main() { return 0; }
END
sample fails.cpp <<'END'
#include <stdio.h>
int main() { return puts("3 | 4 differ") < 0 || 1; }
END
sample hoards.cpp <<'END'
#include <stdlib.h>
int main() { return malloc((size_t)40 << 30) == NULL; }
END
sample refuses <<'END'
int main() { return cudaGraphicsUnmapResources(0, NULL, 0) == cudaErrorNotSupported; }
END
sample skips <<'END'
int main() { return 0; }
END
sample slow.cpp <<'END'
int main() { for (volatile int i = 0;; i++); }
END
sample waives.cpp <<'END'
#include <stdio.h>
int main() { return puts("only one GPU") < 0 ? 1 : 2; }
END
cat >"$work/dir/src/bench-cuda/Makefile" <<'END'
CC = nvcc
main: main.cu ../include/times.h
	$(CC) $(EXTRA_CFLAGS) -arch=$(ARCH) -I../include $< -o $@
run: main
	$(LAUNCHER) ./main 3
END
cat >"$work/dir/src/bench-cuda/main.cu" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <times.h>
int main(int argc, char **argv) { return argc < 2 || atoi(argv[1]) != TIMES ? puts("FAIL") < 0 : 0; }
END
git -C "$work/dir" init -q
git -C "$work/dir" -c user.name=a -c user.email=a@b commit -q --allow-empty -m one
cp -r "$work/dir" "$work/before"

# ---- interrupted, then on to the end ----
"$tool" "$work/dir" --out "$work/out" --warprun "$warprun" --nvcc "$nvcc" --limit 1000 --memory 30 \
    >"$work/said" 2>&1 &
child=$!
for i in $(seq 600); do
    ! grep -q './slow' "$work"/out/logs/*-slow.log 2>/dev/null || break
    sleep 0.5
done
kill -TERM $child && wait $child # sh starts it deaf to Ctrl-C
if ls -l /proc/[0-9]*/cwd 2>/dev/null | grep -F "$work/out"; then
    failed=$((failed + 1)) && echo 'a program goes on after the tool has ended'
fi
expect 'so far: .*page.md' "$work/said"
expect '\(so far\)' "$page"
expect '^\| adds \| passed' "$page"
sed -i 's/"reason": ""/"reason": "kept"/' "$work"/out/results/*-adds.json
go 0 --limit 2 --memory 30
expect '^\| adds \| passed \| [0-9.]+ \| 2 \| [1-9][0-9]* \| 16 \| 4 \| kept \|$' "$page"
expect '^\| breaks \| does not build \|.*"undeclared" is undefined' "$page"
expect '^\| crashes \| crashed \|.*SIGABRT' "$page"
expect '^\| fails \| failed \|.*3 .\| 4 differ' "$page"
expect '^\| hoards \| failed \|' "$page"
expect '^\| refuses \| refused \|.*cudaGraphicsUnmapResources: .*not supported' "$page"
expect '^\| slow \| too slow \|.*no end after 2 s' "$page"
expect '^\| waives \| waived \|.*only one GPU' "$page"
expect '^\| bench \| passed \|' "$page"
expect "of commit $(git -C "$work/dir" rev-parse HEAD), 20" "$page"
expect '^- adds: leak of 128 bytes$' "$page"
expect '^- adds: uninitialised-read .*, Samples/0_All/adds/adds.cu:8$' "$page"
expect '^- needs CODEC_LIB: encodes$' "$page"
expect '^- needs OpenGL, the driver API: draws$' "$page"
expect '^- test_args.json leaves it out: skips$' "$page"
expect '^\*\*9 programs: 2 passed, 1 waived, 2 failed, 1 crashed, 1 refused, 1 too slow, 1 does not build; 3 left out\*\*$' "$page"
expect '^9 programs' "$work/said"

# ---- all is kept but what is asked for; the checkout is as it was ----
go 0 --limit 2 --again 'fails|passed'
expect '6 of 12: fails: failed' "$work/said"
[ "$(grep -c ' of 12: ' "$work/said")" = 3 ] || { failed=$((failed + 1)) && cat "$work/said"; }
diff -r "$work/before" "$work/dir" >"$work/said" || { failed=$((failed + 1)) && cat "$work/said"; }
echo 'bench 4 # is wrong' >"$work/few"
go 0 --limit 2 --arguments "$work/few" --only bench --again bench
expect '^\| bench \| failed \|' "$page"
go 1 --only nothing
expect 'neither CMakeLists.txt .* of that name' "$work/said"
rm -r "$work/dir"
go 1
expect 'no such folder: DIR=' "$work/said"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
