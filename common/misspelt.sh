#!/bin/sh
# misspelt.sh - is a variable of make's command line one of the makefiles', misspelt?
#
#     common/misspelt.sh 'FIEL LAB' Makefile labs/labs.mk
#
# Prints the first that is none of theirs and nearly one of them, and that one; else nothing: others
# may be a compiler's, a script's or a package's.
given=$1
shift
grep -ohE '\$[({](origin )?[A-Z][A-Z0-9_]*|^[A-Z][A-Z0-9_]* *[:?+]?=' "$@" | awk -v given="$given" '
function least(a, b) { return a < b ? a : b }
# Letters that differ, lack, are too many, or have changed places with their neighbour.
function distance(a, b,    i, j, same, d) {
    for (i = 0; i <= length(a); i++) d[i, 0] = i
    for (j = 0; j <= length(b); j++) d[0, j] = j
    for (i = 1; i <= length(a); i++)
        for (j = 1; j <= length(b); j++) {
            same = substr(a, i, 1) == substr(b, j, 1)
            d[i, j] = least(least(d[i - 1, j], d[i, j - 1]) + 1, d[i - 1, j - 1] + !same)
            if (i > 1 && j > 1 && substr(a, i, 1) == substr(b, j - 1, 1) && substr(a, i - 1, 1) == substr(b, j, 1))
                d[i, j] = least(d[i, j], d[i - 2, j - 2] + 1)
        }
    return d[length(a), length(b)]
}
{ gsub(/[^A-Z0-9_ ]/, ""); gsub(/^ +| +$/, ""); if ($0 != "") known[$0] = 1 }
END {
    split("AR AS CC CFLAGS CPP CPPFLAGS CXX CXXFLAGS DESTDIR LD LDFLAGS LDLIBS MAKE MAKEFLAGS NVCC PREFIX SHELL", usual)
    for (i in usual) known[usual[i]] = 1
    n = split(given, words)
    for (i = 1; i <= n; i++) {
        if (words[i] in known) continue
        best = length(words[i]) < 3 ? 1 : length(words[i]) < 6 ? 2 : 3
        like = ""
        for (k in known)
            if (length(k) > 2 || k == toupper(words[i])) {
                d = distance(toupper(words[i]), k)
                if (d < best || (d == best && like != "" && k < like)) { best = d; like = k }
            }
        if (like != "") { print words[i], like; exit }
    }
}'
