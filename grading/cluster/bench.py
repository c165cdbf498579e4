"""bench.py - what Slurm adds to marking a class, beside the local pool on as many cores.

Each round marks the same class by `grade batch -jN` and by `--slurm` on N nodes of one core each,
in turns, a task a node. Three things are printed, as median (least to most):

    wall    seconds of the whole command; the ratio says what a person waits longer
    cpu     processor seconds of all that ran: pool, collector, daemons, tasks; the ratio does not
            depend on what else the machine does. Daemons that only start and stop are taken off.
    begin   seconds from the command until a task is seen to have begun
    end     seconds from the last bundle until the command ends

The class is one text made another by a comment. What a large cluster would take is computed from
the row of one node, and marked so; `bench.py --model FILE` computes it again from a record.
"""
import argparse
import ctypes
import heapq
import os
import pathlib
import re
import resource
import statistics
import subprocess
import tempfile
import time

import daemons

ROOT = pathlib.Path(__file__).resolve().parents[2]
GRADE = ROOT / os.environ.get("WARPLAB_BUILD", "build") / "bin" / "grade"
PR_SET_CHILD_SUBREAPER = 36
NODES = (1, 2, 4)
COLUMNS = ("nodes submissions pool_wall_s slurm_wall_s wall_ratio pool_cpu_s cpu_ratio begin_s end_s"
           " submissions_per_s")
TASK_S, LEAST_S = 120, 60  # collect.c's


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


def files(shared, folder):
    try:
        return len(os.listdir(shared / folder))
    except OSError:
        return 0


def by_slurm(cluster, what, book, count, per_task):
    """It is looked at seldom: who looks takes time from those who mark."""
    start, shared = time.monotonic(), pathlib.Path(f"{book}.spool")
    p = command(cluster.env, what, book, "--slurm", "--per-task", str(per_task), "--shared", shared)
    run = begun = last = None
    while p.poll() is None:
        now = time.monotonic()
        run = run or next(shared.glob("warplab-*"), None)
        if run and not begun and files(run, "seen"):
            begun = now
        if begun and not last and files(run, "done") + files(run, "taken") >= count:
            last = now
        time.sleep(0.05 if not begun else 0.2)
    end = time.monotonic()
    assert p.returncode == 0 and begun
    return {"wall": end - start, "begin": begun - start, "end": end - (last or end)}


def idle(folder, nodes):
    """What daemons cost that start and stop."""
    before = used()
    with daemons.Cluster(folder, nodes=nodes):
        pass
    return used() - before


def turn(folder, what, nodes, per_task, free, r):
    """One round: the pool, then a cluster of its own. free: what its daemons cost alone."""
    book, count = folder / f"{nodes}-{r}", nodes * per_task
    pool = by_pool(what, f"{book}-pool.db", nodes)
    before = used()
    with daemons.Cluster(folder / f"c{nodes}-{r}", nodes=nodes) as c:
        slurm = by_slurm(c, what, f"{book}-slurm.db", count, per_task)
    slurm["cpu"] = used() - before - free
    return pool, slurm


def sizes_of_tasks(submissions, hosts, alone):
    """As collect.c packs: half of what is left is dealt to all nodes, within limits."""
    least, most = max(1, int(LEAST_S / alone)), max(1, int(TASK_S / alone))
    while submissions > 0:
        size = min(submissions, most, max(least, -(-submissions // (2 * hosts))))
        submissions -= size
        yield size


def model(submissions, hosts, alone, overhead):
    """A class on a large cluster, by what one submission and one task cost here: a node that is
    free takes the next task."""
    sizes, free = list(sizes_of_tasks(submissions, hosts, alone)), [0.0] * hosts
    for size in sizes:
        heapq.heapreplace(free, free[0] + overhead + size * alone)
    return (f"# computed, not measured: {submissions} submissions of {alone:.3f} processor seconds on"
            f" {hosts} nodes of one core: {len(sizes)} tasks of up to {max(sizes) * alone:.0f} s,"
            f" each behind {overhead:.2f} s: {max(free):.0f} s")


def model_of(record):
    """What is computed from the row of one node that a record has first."""
    names = COLUMNS.split()
    rows = [re.sub(r" \(.*?\)", "", line).split() for line in record.splitlines()]
    row = next(dict(zip(names, r)) for r in rows if len(r) == len(names) and r[0] == "1")
    return model(10000, 50, float(row["pool_cpu_s"]) / int(row["submissions"]),
                 float(row["begin_s"]) + float(row["end_s"]))


def middle(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def row(nodes, count, turns):
    pool, slurm = zip(*turns)

    def of(rows, key):
        return [x[key] for x in rows]

    def ratio(key):
        return middle([s[key] / q[key] for q, s in turns])

    return " ".join([str(nodes), str(count), middle(of(pool, "wall")), middle(of(slurm, "wall")),
                     ratio("wall"), middle(of(pool, "cpu")), ratio("cpu"),
                     middle(of(slurm, "begin")), middle(of(slurm, "end")),
                     f"{count / statistics.median(of(slurm, 'wall')):.2f}"])


def measure(per_node, rounds):
    cores = len(os.sched_getaffinity(0))
    text = (ROOT / "solutions/coalescing/coalescing.cu").read_text()
    yield (f"# make bench-slurm N={per_node}: coalescing's solution, a task a node, {rounds} rounds"
           f" in turns, {cores} cores\n{COLUMNS}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for nodes in NODES:
            if nodes > cores:
                yield f"# {nodes} nodes of one core: not measured, this machine has {cores}"
                continue
            what, count = folder / f"class{nodes}", nodes * per_node
            what.mkdir()
            for k in range(count):
                (what / f"s{k:05}.cu").write_text(f"{text}// {k}\n")
            free = idle(folder / f"i{nodes}", nodes)
            yield row(nodes, count, [turn(folder, what, nodes, per_node, free, r)
                                     for r in range(rounds)])


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--count", type=int, default=375, help="submissions a node; 375: 50 s")
    p.add_argument("--rounds", type=int, default=2)
    p.add_argument("--model", metavar="FILE", help="only compute, from the figures in a record")
    a = p.parse_args()
    if a.model:
        print(model_of(pathlib.Path(a.model).read_text()))
        return
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    record = ""
    for line in measure(a.count, a.rounds):
        print(line, flush=True)
        record += line + "\n"
    print(model_of(record))


if __name__ == "__main__":
    main()
