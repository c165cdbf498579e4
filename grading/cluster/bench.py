"""bench.py - what Slurm adds to marking a class, beside the local pool on as many cores.

Each round marks the same class by `grade batch -jN` and by `--slurm` on N nodes of one core each,
in turns; the ratio's median and range are printed, and submissions a second. The class is one text
made another by a comment. What a large cluster would take is computed from these figures, and
marked so: tasks of two minutes, each with what a task costs beside marking.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import daemons

ROOT = pathlib.Path(__file__).resolve().parents[2]
GRADE = ROOT / os.environ.get("WARPLAB_BUILD", "build") / "bin" / "grade"


def mark(cluster, what, book, *more):
    start = time.monotonic()
    subprocess.run([GRADE, "batch", what, "--lab", "coalescing", "--no-secret", "--quiet", "--fresh",
                    "--book", book, *more], env=cluster.env, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)
    return time.monotonic() - start


def middle(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--count", type=int, default=240, help="submissions in the class")
    p.add_argument("--rounds", type=int, default=3)
    a = p.parse_args()
    cores = len(os.sched_getaffinity(0))
    text = (ROOT / "solutions/coalescing/coalescing.cu").read_text()
    print(f"# make bench-slurm N={a.count}: coalescing's solution, {a.rounds} rounds in turns,"
          f" {cores} cores")
    print("nodes per_task pool_s slurm_s ratio submissions_per_s")
    alone = overhead = 0.0
    with tempfile.TemporaryDirectory() as folder:
        what = pathlib.Path(folder) / "class"
        what.mkdir()
        for k in range(a.count):
            (what / f"s{k:05}.cu").write_text(f"{text}// {k}\n")
        for nodes in [n for n in (1, 2, 4) if n <= cores]:
            per_task = -(-a.count // nodes)
            pool, slurm = [], []
            with daemons.Cluster(pathlib.Path(folder) / f"c{nodes}", nodes=nodes) as c:
                for r in range(a.rounds):
                    book = pathlib.Path(folder) / f"{nodes}-{r}"
                    pool.append(mark(c, what, f"{book}-pool.db", f"-j{nodes}"))
                    slurm.append(mark(c, what, f"{book}-slurm.db", "--slurm", "--per-task",
                                      str(per_task)))
            ratios = [s / q for s, q in zip(slurm, pool)]
            print(f"{nodes} {per_task} {middle(pool)} {middle(slurm)} {middle(ratios)}"
                  f" {a.count / statistics.median(slurm):.2f}")
            if nodes == 1:
                alone = statistics.median(pool) / a.count
                overhead = max(0.0, statistics.median(s - q for s, q in zip(slurm, pool)))
    for submissions, hosts in ((10000, 50),):
        tasks = -(-submissions * alone // 120)
        waves = -(-tasks // hosts)
        seconds = waves * (120 + overhead)
        print(f"# computed, not measured: {submissions} submissions at {alone:.3f} s on {hosts} nodes"
              f" of one core: {tasks:.0f} tasks of 120 s and {overhead:.1f} s each: {seconds:.0f} s")


if __name__ == "__main__":
    main()
