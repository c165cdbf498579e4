#!/bin/sh
# package_test.sh - the students' package: package_test.sh PACKAGE.tar.gz CC
#
# Nothing that is to stay with the instructor is in it, by name and by text, and in an empty
# folder, alone, it builds and smokes. Packages of the system are taken as they are (NO_DEPS).
set -u
package=$(realpath "$1") cc=$2
home=$(pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0

say() { # WHAT STATUS
    if [ "$2" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$1"
    fi
}

tar -C "$folder" -xzf "$package"
cd "$folder"/* || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
[ ! -e "$home/.venv" ] || ln -s "$home/.venv" .venv
! find . -path './solutions*' -o -path './grading*' -o -path './slides*' -o -name right -o -name wrong -o -name 'faulty*' \
    -o -name grader.c -o -path '*/testdata/*' -o -name FIDELITY.md -o -name LIMITS.md -o -name '*_test.*' -o -name '*.claims' -o -path './plots/records/*' | grep .
say 'the package holds what it is not to' $?
[ "$(find labs -name '*.cu' | wc -l)" = "$(find labs -name harness.c | wc -l)" ]
say 'the package holds kernels beside the skeletons' $?
! grep -rE 'make grade|SOLUTION=1|solutions/' README.md labs/*/README.md
say 'a handout names what is not there' $?
"$home/common/named.py" . README.md labs/*/README.md >"$folder/log" 2>&1
status=$?
say "a document names what is not there: $(cat "$folder/log")" $status
! for lab in labs/*/harness.c; do
    grep -q "(${lab%harness.c}README.md)" README.md || echo "$lab"
done | grep .
say 'the README does not know a lab' $?
! make -s help | grep -E 'grade|test|slides|student'
say 'make help names what is not there' $?
# What it is built of is asked here, and not how fast that runs: the plain build shows the levels.
set -- NO_DEPS=1 CC="$cc" OPT='-O0 -w' LEVELS=base LEVEL_base=-O1
make -s "$@" >"$folder/log" 2>&1
status=$?
say "make: $(tail -5 "$folder/log")" $status
make -s "$@" smoke >"$folder/log" 2>&1
status=$?
say "make smoke: $(cat "$folder/log")" $status
make -s "$@" picture LAB=reduction KERNEL=1 >"$folder/log" 2>&1
status=$?
say "make picture: $(tail -5 "$folder/log")" $status
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
