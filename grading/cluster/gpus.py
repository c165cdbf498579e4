"""gpus.py - grade --slurm --gpu on this host's GPUs, against real daemons (make test-slurm-gpu).

First a node for each of at most two GPUs, which sees that one alone, as on machines of their own;
then, where there are two, one node with both, where Slurm deals them out. Each time: every mark is
a local run's, its evidence names a node and a device that belong together, each node and device
has marked, and no moment was seen at which two tasks had one device open.

It needs root and a GPU. What was seen is printed, a line a submission.
"""
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

import daemons

ROOT = pathlib.Path(__file__).resolve().parents[2]
GRADE = ROOT / os.environ.get("WARPLAB_BUILD", "build") / "bin" / "grade"
LAB, COUNT = "bank_conflicts", 6
MARK = ("id", "kind", "status", "points", "max", "evidence")  # of a row whose words are times

# A /dev in which of all GPUs only $1 is: the others' files are not in it.
ONE_GPU = """
mkdir -p {dir} && mount -t tmpfs none {dir}
for f in /dev/*; do
    n={dir}/$(basename $f)
    case $f in {gpu}) ;; /dev/nvidia[0-9]*) continue ;; esac
    if [ -L $f ]; then cp -P $f $n
    elif [ -d $f ]; then mkdir $n && mount --rbind $f $n
    else : >$n && mount --bind $f $n; fi
done
mount --rbind {dir} /dev
"""


def devices():
    return sorted(str(f) for f in pathlib.Path("/dev").glob("nvidia[0-9]*"))


def class_of(folder):
    folder.mkdir()
    text = (ROOT / f"solutions/{LAB}/{LAB}.cu").read_text()
    for k in range(COUNT):
        (folder / f"s{k}.cu").write_text(f"{text}// {k}\n")
    return folder


def command(what, book, *more):
    return [GRADE, "batch", what, "--lab", LAB, "--no-secret", "--book", book, "--gpu", *more]


def verdicts(book):
    db = sqlite3.connect(f"file:{book}?mode=ro", uri=True)
    return {s: json.loads(v) for s, v in db.execute("SELECT student, verdict FROM item")}


def places(book):
    db = sqlite3.connect(f"file:{book}?mode=ro", uri=True)
    return dict(db.execute("SELECT student, node FROM made_on"))


def without_times(verdict):
    """The whole verdict, but for what a clock says."""
    rows = [{k: r.get(k) for k in MARK} if r["kind"] == "speed" else r for r in verdict["rows"]]
    return {**verdict, "rows": rows}


def environment(pid):
    try:
        pairs = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return {}
    return dict(p.decode(errors="replace").split("=", 1) for p in pairs if b"=" in p)


def task_of(pid):
    """The task that a process is below: a box's own environment does not tell."""
    while pid > 1:
        task = environment(pid).get("SLURM_ARRAY_TASK_ID")
        if task:
            return task
        try:
            stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return None
        pid = int(stat.rsplit(")", 1)[1].split()[1])
    return None


def users():
    """Which tasks have which device open now."""
    found = {}
    for p in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            held = {os.readlink(f) for f in (p / "fd").iterdir()}
        except OSError:
            continue
        for device in held & set(devices()):
            task = task_of(int(p.name))
            if task:
                found.setdefault(device, set()).add(task)
    return found


def mark(folder, what, cluster):
    """By the cluster: the gradebook, and which tasks were seen on each device."""
    book, seen = folder / "slurm.db", {}
    with open(folder / "said", "w+") as said:
        p = subprocess.Popen(command(what, book, "--slurm", "--per-task", "1"), env=cluster.env,
                             stdout=said, stderr=said)
        while p.poll() is None:
            for device, tasks in users().items():
                assert len(tasks) == 1, f"{device} is open in tasks {tasks}"
                seen.setdefault(device, set()).update(tasks)
            time.sleep(0.05)
        said.seek(0)
        words = said.read()
    logs = "".join(f"{f}: {f.read_text()}" for f in folder.glob("warplab-cluster/*/log/*"))
    assert p.returncode == 0, words + logs
    return book, seen


def check(folder, what, local, nodes):
    """nodes: the devices of each. The class marked by them equals the local run."""
    folder.mkdir()
    mounts = {n: ONE_GPU.format(dir=folder / f"dev-{n}", gpu=files[0])
              for n, files in nodes.items() if len(files) < len(devices())}
    start = time.monotonic()
    with daemons.Cluster(folder / "c", nodes=len(nodes), gpus=nodes, mounts=mounts) as c:
        print(c.run("sinfo", "-N", "-o", "%N %G %T"), end="")
        book, seen = mark(folder, what, c)
    marked, at = verdicts(book), places(book)
    for s in sorted(marked):
        times = [f"{r['id']} {r['status']}, {len(r['samples'])} samples"
                 for r in marked[s]["rows"] if r["kind"] == "speed" and r.get("samples")]
        print(f"{s}: {at[s]}; {marked[s]['score']:g} of {marked[s]['max']:g}; {'; '.join(times)}")
        assert without_times(marked[s]) == without_times(local[s]), s
        assert times, f"{s}: nothing was measured"
    own = {f"{n}, {f}" for n, files in nodes.items() for f in files}
    assert set(at.values()) == own, (at, own)
    assert set(seen) == {f for files in nodes.values() for f in files}, seen
    print(f"seen open, one task at a time: {({d: sorted(t) for d, t in seen.items()})};"
          f" {time.monotonic() - start:.0f} s", flush=True)


def main():
    gpus = devices()
    if not gpus or os.geteuid() != 0:
        sys.exit("error: this test needs a GPU (/dev/nvidia0) and root")
    if daemons.missing():
        sys.exit("error: not installed: " + " ".join(daemons.missing()))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        what = class_of(folder / "class")
        subprocess.run(command(what, folder / "local.db", f"-j{min(2, len(gpus))}"), check=True)
        local = verdicts(folder / "local.db")
        check(folder / "nodes", what, local, {f"n{k + 1}": [f] for k, f in enumerate(gpus[:2])})
        if len(gpus) > 1:
            check(folder / "both", what, local, {"n1": gpus[:2]})
    print("ok: marks are a local run's, on every node and device")


if __name__ == "__main__":
    main()
