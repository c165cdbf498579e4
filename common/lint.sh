#!/bin/sh
# lint.sh - cppcheck, judged by its version.
#
#   common/lint.sh LOG OPTION… FILE…    cppcheck's options and files
#
# One version is the judge, that of Debian 12: what it finds fails. Each newer one finds more,
# some of it true (mended when met), some not (that functions do not return, it does not see): what
# another version says is counted in one line and kept in LOG, and fails nothing.
set -u
judge=2.10
log=$1
shift
version=$(cppcheck --version | sed 's/^[^0-9]*//; s/ .*//')
mkdir -p "$(dirname "$log")"
cppcheck "$@" >"$log" 2>&1
status=$?
case $version in
"$judge" | "$judge".*)
    cat "$log"
    [ $status = 0 ] || exit 1
    ;;
*)
    said=$(grep -cE '^[^ ]+:[0-9]+:[0-9]+: (error|warning|portability): ' "$log")
    # it must have looked: a version that knows an option no more says so and reads nothing
    if [ $status != 0 ] && [ "$said" = 0 ]; then
        cat "$log"
        exit 1
    fi
    [ "$said" = 0 ] || echo "lint: cppcheck $version says $said things; $judge is the judge here ($log)"
    ;;
esac
echo '1 passed, 0 failed'
