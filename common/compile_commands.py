#!/usr/bin/env python3
"""compile_commands.py - what clangd and other tools want to know: how each C file is compiled.

    make -Bn V=1 TARGET… | common/compile_commands.py > compile_commands.json

Reads the commands that make would run and keeps those that compile one .c to one .o; of a file
that is built several times (exec/ops, once an instruction-set level), the first.
"""
import json
import os
import shlex
import sys


def entries(lines, folder):
    seen = set()
    for line in lines:
        if " -c " not in line:
            continue
        try:
            words = shlex.split(line)
        except ValueError:  # a shell's line, not a compiler's
            continue
        if words.count("-c") != 1 or words.index("-c") + 1 == len(words):
            continue
        source = words[words.index("-c") + 1]
        if source.endswith(".c") and source not in seen:
            seen.add(source)
            yield {"directory": folder, "file": source, "arguments": words}


def main():
    found = sorted(entries(sys.stdin, os.getcwd()), key=lambda e: e["file"])
    if not found:
        sys.exit("compile_commands: no compiler's command among what make would run")
    json.dump(found, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
