#!/usr/bin/env python3
"""every_type.py PTXCASES - has every type that an opcode takes a case in ops.txt? (make test-cases)

Opcodes and their types are those of ../ptx/opcodes.def; what its rows abbreviate is defined in
../code/opcodes.c. Where the source's type counts (SOURCE_FORM), that one is asked for. Forms
that say nothing of types (ANY_FORM, LOOSE_FORM) are not asked.
"""
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# (opcode, type): why no case can be made
EXCEPTIONS = {('redux', 'f32'): 'ptxas takes it from sm_100a on: no GPU of that kind has run the cases'}


def blocks(text, word):
    """Arguments of each word(...), brackets matched."""
    for m in re.finditer(rf'\b{word}\(', text):
        depth, at = 1, m.end()
        while depth:
            depth += {'(': 1, ')': -1}.get(text[at], 0)
            at += 1
        yield text[m.end():at - 1]


def arguments(text):
    return re.split(r',(?![^()]*\))', text)


def types_of(expression, defined):
    """Of T(U8) | BYTES | …, as suffixes."""
    found = set()
    for word in re.findall(r'T\((\w+)\)|(\w+)', expression):
        if word[0]:
            found.add(word[0].lower())
        elif word[1] in defined:
            found |= types_of(defined[word[1]], defined)
    return found - {'notype'}


def wanted():
    source = (HERE / '../code/opcodes.c').read_text().replace('\\\n', ' ')
    defined = dict(re.findall(r'#define (\w+) +(.*T\(.*|.*\b[A-Z]{4,}.*)', source))
    table = re.sub(r'/\*.*?\*/', '', (HERE / '../ptx/opcodes.def').read_text(), flags=re.S)
    for row in blocks(table, 'OPCODE'):
        name = row.split(',')[0]
        for form, at in (('FORM', 0), ('FORM_BY', 1), ('SOURCE_FORM', 1), ('SOURCE_FORM_BY', 2)):
            for b in blocks(row, form):
                for t in types_of(arguments(b)[at], defined):
                    yield name, t


def main():
    ptx = subprocess.run([sys.argv[1], str(HERE / 'ops.txt'), '--print', 'all'], check=True,
                         stdout=subprocess.PIPE).stdout.decode()
    there = {(m.split('.')[0], t) for m in re.findall(r'(?:^|[\s;{])([a-z]\w*(?:\.[\w:]+)+)', ptx)
             for t in m.split('.')[1:]}
    pairs = sorted(set(wanted()) - set(EXCEPTIONS))
    missing = [p for p in pairs if p not in there]
    for name, t in missing:
        print(f'FAIL {name} with .{t}: no case has it; add a row')
    print(f'{len(pairs) - len(missing)} passed, {len(missing)} failed')
    return bool(missing)


if __name__ == '__main__':
    sys.exit(main())
