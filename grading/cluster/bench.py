"""bench.py - what Slurm adds to marking a class, beside the local pool on as many cores.

Each round marks the same class by `grade batch -jN` and by `--slurm` on N nodes of one core each,
in turns, a task a node. Three things are printed, as median (least to most):

    wall    seconds of the whole command; the ratio says what a person waits longer
    cpu     processor seconds of all that ran: pool, collector, daemons, tasks; the ratio does not
            depend on what else the machine does. Daemons that only start and stop are taken off.
    begin   seconds from the command until a task is seen to have begun
    end     seconds from the last bundle until the command ends

The class is one text made another by a comment. What a large cluster would take is computed from
these figures, and marked so: tasks of two minutes, each with what begin and end take.
"""
import argparse
import ctypes
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

import daemons

ROOT = pathlib.Path(__file__).resolve().parents[2]
GRADE = ROOT / os.environ.get("WARPLAB_BUILD", "build") / "bin" / "grade"
PR_SET_CHILD_SUBREAPER = 36
TASK_S = 120


def used():
    """Processor seconds of all that has ended below this process: tasks whose daemon left them
    come to it (main() asked for that)."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def command(env, what, book, *more):
    return subprocess.Popen([GRADE, "batch", what, "--lab", "coalescing", "--no-secret", "--quiet",
                             "--fresh", "--book", book, *more], env=env,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def by_pool(what, book, nodes):
    start, before = time.monotonic(), used()
    assert command(os.environ, what, book, f"-j{nodes}").wait() == 0
    return {"wall": time.monotonic() - start, "cpu": used() - before}


def files(shared, *folders):
    return sum(len(list(shared.glob(f"*/{f}/*"))) for f in folders)


def by_slurm(cluster, what, book, count, per_task):
    start, shared = time.monotonic(), pathlib.Path(f"{book}.spool")
    p = command(cluster.env, what, book, "--slurm", "--per-task", str(per_task), "--shared", shared)
    begun = last = None
    while p.poll() is None:
        now = time.monotonic()
        if not begun and files(shared, "seen"):
            begun = now
        if not last and files(shared, "done", "taken") >= count:
            last = now
        time.sleep(0.1)
    end = time.monotonic()
    assert p.returncode == 0 and begun
    return {"wall": end - start, "begin": begun - start, "end": end - (last or end)}


def idle(folder, nodes):
    """What daemons cost that start and stop."""
    before = used()
    with daemons.Cluster(folder, nodes=nodes):
        pass
    return used() - before


def turn(folder, what, nodes, per_task, r):
    """One round: the pool, then a cluster of its own."""
    book, count = folder / f"{nodes}-{r}", nodes * per_task
    pool = by_pool(what, f"{book}-pool.db", nodes)
    free = idle(folder / f"i{nodes}-{r}", nodes)
    before = used()
    with daemons.Cluster(folder / f"c{nodes}-{r}", nodes=nodes) as c:
        slurm = by_slurm(c, what, f"{book}-slurm.db", count, per_task)
    slurm["cpu"] = used() - before - free
    return pool, slurm


def model(submissions, hosts, alone, overhead):
    """A class on a large cluster, by what one submission and one task cost here."""
    tasks = -(-submissions * alone // TASK_S)
    waves = -(-tasks // hosts)
    seconds = waves * (min(TASK_S, submissions * alone / tasks) + overhead)
    return (f"# computed, not measured: {submissions} submissions of {alone:.3f} processor seconds on"
            f" {hosts} nodes of one core: {tasks:.0f} tasks of up to {TASK_S} s, each behind"
            f" {overhead:.1f} s: {seconds:.0f} s")


def middle(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--count", type=int, default=400, help="submissions a node; 400: a minute")
    p.add_argument("--rounds", type=int, default=2)
    a = p.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    cores = len(os.sched_getaffinity(0))
    text = (ROOT / "solutions/coalescing/coalescing.cu").read_text()
    print(f"# make bench-slurm N={a.count}: coalescing's solution, a task a node, {a.rounds} rounds"
          f" in turns, {cores} cores")
    print("nodes submissions pool_wall_s slurm_wall_s wall_ratio pool_cpu_s cpu_ratio begin_s end_s"
          " submissions_per_s", flush=True)
    alone = overhead = 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for nodes in [n for n in (1, 2, 4) if n <= cores]:
            what, count = folder / f"class{nodes}", nodes * a.count
            what.mkdir()
            for k in range(count):
                (what / f"s{k:05}.cu").write_text(f"{text}// {k}\n")
            turns = [turn(folder, what, nodes, a.count, r) for r in range(a.rounds)]
            pool, slurm = zip(*turns)

            def of(rows, key):
                return [x[key] for x in rows]

            def ratio(key):
                return middle([s[key] / q[key] for q, s in turns])

            print(nodes, count, middle(of(pool, "wall")), middle(of(slurm, "wall")), ratio("wall"),
                  middle(of(pool, "cpu")), ratio("cpu"), middle(of(slurm, "begin")),
                  middle(of(slurm, "end")),
                  f"{count / statistics.median(of(slurm, 'wall')):.2f}", flush=True)
            if nodes == 1:
                alone = statistics.median(of(pool, "cpu")) / count
                overhead = statistics.median(s["begin"] + s["end"] for s in slurm)
    print(model(10000, 50, alone, overhead))


if __name__ == "__main__":
    main()
