#!/bin/sh
# package.sh - what students are given, as one archive: package.sh OUT.tar.gz
#
# A list of what goes in, not of what stays out: what is new to the repository is not handed out
# by mistake. Handouts lose the lines that name solutions and marks.
set -eu
out=$1
cd "$(dirname "$0")/../.."
name=$(basename "$out" .tar.gz)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
to=$work/$name

files() { # of the repository; of a copy without git, all that is there
    git ls-files -co --exclude-standard -- "$@" 2>/dev/null || find "$@" -type f
}

put() { # FILE…
    for f in "$@"; do
        mkdir -p "$to/$(dirname "$f")"
        cp "$f" "$to/$f"
    done
}

put Makefile LICENSE common/VERSION common/deps.sh common/misspelt.sh common/run.sh \
    common/student/smoke.sh common/student/student.mk
for f in $(files common/base common/lab common/run common/harness common/device common/emulator); do
    case $f in
    *_test.* | *_fuzz.* | */testlab.c | */test*.cu | */bank.py | */readme_tables) ;;
    */testdata/* | */FIDELITY.md | */LIMITS.md) ;; # counts, which students are to predict
    */cases/* | */programs/* | */packaging/* | */arm64/* | */fuzz.mk | */mutants/*) ;;
    *) put "$f" ;;
    esac
done
for f in labs/*/harness.c; do
    lab=$(dirname "$f")
    put "$f" "$lab/README.md" "$lab/$(basename "$lab").cu"
    for more in "$lab"/*.h "$lab/shown.json"; do
        [ ! -e "$more" ] || put "$more"
    done
    # what a handout says of records that stay here goes: in brackets, or a sentence with a link
    sed '/SOLUTION=1/d; /^make grade /d; s, (`plots/records/[^)]*),,g
         s, [^.]*\[[^]]*\](\.\./\.\./plots/records/[^)]*)\.,,' "$lab/README.md" >"$to/$lab/README.md"
done
for f in $(files plots); do
    case $f in
    plots/test* | plots/conftest.py | plots/records/* | plots/figures/*) ;;
    plots/*.py | plots/*.csv | plots/plots.mk) put "$f" ;;
    esac
done
for f in $(grep -ho 'plots/figures/[A-Za-z0-9_.-]*' labs/*/README.md | sort -u); do
    put "$f"
done
# The labs' table is README's.
grep '^| \[[a-z_0-9]*\](labs/' README.md >"$work/labs"
sed "/^| --- /r $work/labs" common/student/HANDED_OUT.md >"$to/README.md"
rm "$work/labs"
# Help names only what is there.
awk '/^#h make/ { kept = /^#h make (run|picture|plots|smoke) / }
     /^#h make  / { print "#h make                 install what is missing, build"; next }
     !/^#h/ || kept || /^#h V=1/ { gsub(/SOLUTION=1 the reference, /, ""); print }' Makefile >"$to/Makefile"
mkdir -p "$(dirname "$out")"
tar -C "$work" --owner=0 --group=0 --sort=name -czf "$out.new" "$name"
mv "$out.new" "$out"
