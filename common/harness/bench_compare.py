#!/usr/bin/env python3
"""bench_compare.py OLD NEW - is the emulator of one build faster than that of another?

    bench_compare.py OLD NEW [--rounds N] [--kernel NAME]

OLD and NEW are build folders (make bench-emulator BUILDS='OLD NEW'), each of a tree of its own,
with bin/emubench and lib/libcudart.so.13 in them. They take turns, the other first each round:
what else the machine does falls on both. Of each kernel and mode: the median of the rounds'
ratios of times, NEW by OLD, and between which two the middle half of them lie.
"""
import argparse
import collections
import csv
import os
import pathlib
import statistics
import subprocess
import sys


def one_round(build, kernel):
    """{(kernel, mode): seconds}"""
    env = dict(os.environ, LD_LIBRARY_PATH=str(build / 'lib'))
    command = [str(build / 'bin/emubench'), '--csv', *(['--kernel', kernel] if kernel else [])]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f'bench_compare: {command[0]} failed, with what stands above')
    return {(row[0], row[1]): float(row[3]) for row in csv.reader(done.stdout.splitlines())}


def main():
    p = argparse.ArgumentParser(description='Two builds of the emulator, by turns.')
    p.add_argument('builds', nargs=2, type=pathlib.Path, metavar='BUILD')
    p.add_argument('--rounds', type=int, default=5)
    p.add_argument('--kernel')
    o = p.parse_args()
    builds = [b.resolve() for b in o.builds]
    ratios = collections.defaultdict(list)
    for n in range(o.rounds):
        times = {b: one_round(builds[b], o.kernel) for b in ((0, 1), (1, 0))[n % 2]}
        for what, seconds in times[0].items():
            ratios[what].append(times[1][what] / seconds)
    print(f'time of {o.builds[1]} by that of {o.builds[0]}, {o.rounds} rounds')
    for (kernel, mode), r in ratios.items():
        low, _, high = statistics.quantiles(r, n=4) if len(r) > 1 else (r[0], r[0], r[0])
        print(f'{kernel:18} {mode:24} {statistics.median(r):6.3f}  [{low:.3f}, {high:.3f}]')


if __name__ == '__main__':
    main()
