#!/usr/bin/env python3
"""Holds C files to what of the house's dialect clang-format does not see.

    common/dialect.py FILE…     prints each place that speaks otherwise; exit status 1 when there is one

- `sizeof(x)`, never `sizeof x`.
- A variable is declared where it gets its first value: not a declaration without one whose first
  use is an assignment further down in the same block.
- A comment that names a .c file names one that is there.

Lines are looked at, not tokens: a block is what is indented as far, which clang-format sees to.
"""
import os
import re
import sys

BARE_SIZEOF = re.compile(r'\bsizeof [^(]')
DECLARATION = re.compile(r'( +)((?:(?:const|unsigned|signed|struct|enum|union|volatile)\s+)*[A-Za-z_]\w*)\s+'
                         r'([^;=(){}]*);\s*(?:/\*.*)?$')
NAME = re.compile(r'\**\s*([A-Za-z_]\w*)')
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
FILE = re.compile(r'(?<![\w.])(?:[\w-]+/)*([\w-]+\.c)\b')
GENERATED = {'labs.c', 'tables.c'}
NO_TYPES = {'return', 'goto', 'break', 'continue', 'typedef', 'extern', 'static'}


def first_use(lines, start, indent, name):
    """The first line after `start`, in the same block, that holds the name; None when there is none."""
    word = re.compile(r'\b%s\b' % name)
    for i in range(start + 1, len(lines)):
        if lines[i] and not lines[i].startswith(indent):
            return None
        if word.search(lines[i]):
            return i
    return None


def declared_early(lines):
    for i, line in enumerate(lines):
        m = DECLARATION.match(line)
        if not m or m[2].split()[0] in NO_TYPES:
            continue
        for part in m[3].split(','):
            name = NAME.fullmatch(part.strip())
            use = name and first_use(lines, i, m[1], name[1])
            if use and lines[use].startswith('%s%s = ' % (m[1], name[1])):
                yield i, '"%s" gets its first value in line %d: declare it there' % (name[1], use + 1)


def files_that_are_no_more(text, there):
    for comment in COMMENT.finditer(text):
        for name in FILE.finditer(comment[0]):
            if name[1] not in there:
                yield text.count('\n', 0, comment.start() + name.start()), 'there is no ' + name[1]


def problems(text, there):
    lines = text.split('\n')
    for i, line in enumerate(lines):
        if BARE_SIZEOF.search(line):
            yield i, 'sizeof without parentheses'
    yield from declared_early(lines)
    yield from files_that_are_no_more(text, there)


def main(paths):
    found = 0
    there = {os.path.basename(p) for p in paths} | GENERATED
    for path in paths:
        with open(path, encoding='utf-8') as f:
            for i, what in problems(f.read(), there):
                print('%s:%d: %s' % (path, i + 1, what), file=sys.stderr)
                found += 1
    return found > 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
