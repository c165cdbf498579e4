"""test_cluster.py - grade --slurm against real daemons: four nodes on this host (make test-slurm).

What a cluster does to a class is done here: nodes die, refuse, see no shared folder; the controller
restarts; the collector is killed; disks fill. After each the same command goes on, and the marks
are those of a local run, byte for byte.
"""
import fcntl
import json
import os
import pathlib
import pty
import random
import re
import select
import shutil
import signal
import sqlite3
import struct
import subprocess
import tempfile
import termios
import time

import pytest

import bench
import daemons

ROOT = pathlib.Path(__file__).resolve().parents[2]
GRADE = ROOT / os.environ.get("WARPLAB_BUILD", "build") / "bin" / "grade"
SECRET = ROOT / "grading/sample/secret.txt"
ROOTLY = pytest.mark.skipif(os.geteuid() != 0, reason="mounts need root")
FULL = pytest.mark.skipif(not os.environ.get("FULL"), reason="takes minutes: FULL=1")

if daemons.missing():
    pytest.exit("not installed: " + " ".join(daemons.missing()), 1)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with daemons.Cluster(tmp_path_factory.mktemp("slurm") / "c", gpus={"n4": ["/dev/null"]}) as c:
        yield c


@pytest.fixture(autouse=True)
def ready(cluster):
    """No test begins in what the one before it has left."""
    cluster.run("scancel", "--me", check=False)
    cluster.wait(lambda: not cluster.run("squeue", "-h").strip(), 120)
    cluster.all_idle()


def arguments(book, what, *more, lab="coalescing"):
    return [str(GRADE), "batch", str(what), "--lab", lab, "--secret", str(SECRET), "--book",
            str(book), *more]


def batch(c, book, what, *more, slurm=True, code=None, env=None, timeout=300):
    r = subprocess.run(arguments(book, what, *(["--slurm"] if slurm else []), *more),
                       env={**c.env, **(env or {})}, capture_output=True, text=True,
                       timeout=timeout)
    assert r.returncode in ((0, 1) if code is None else (code,)), r.stdout + r.stderr
    return r


def rows(book):
    db = sqlite3.connect(f"file:{book}?mode=ro", uri=True)
    return db.execute("SELECT student, original, status, score, verdict FROM item"
                      " ORDER BY student").fetchall()


def nodes_of(book):
    db = sqlite3.connect(f"file:{book}?mode=ro", uri=True)
    return [n for n, in db.execute("SELECT DISTINCT node FROM made_on ORDER BY node")]


def class_of(folder, n, text=None):
    """n submissions, each another text; by default the lab's solution."""
    folder.mkdir()
    text = text or (ROOT / "solutions/coalescing/coalescing.cu").read_text() + "// {}\n"
    for k in range(n):
        (folder / f"s{k:04}.cu").write_text(text.replace("// {}", f"// {k}") if "// {}" in text
                                            else text.format(k))
    return folder


@pytest.fixture(scope="module")
def few(tmp_path_factory, cluster):
    """Six submissions, and a local run's marks of them."""
    folder = tmp_path_factory.mktemp("few")
    what = class_of(folder / "class", 6)
    batch(cluster, folder / "local.db", what, slurm=False)
    marks = rows(folder / "local.db")
    assert [score for _, _, _, score, _ in marks] == [24] * 6, "the solution is not right here"
    return what, marks


def begin(c, book, what, *more):
    return subprocess.Popen(arguments(book, what, "--slurm", *more), env=c.env,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def done_files(shared):
    return list(pathlib.Path(shared).glob("warplab-*/done/*.jsonl")) + \
        list(pathlib.Path(shared).glob("warplab-*/taken/*.jsonl"))


# ---- the same marks ----


def test_sample_class_with_a_node_lost_equals_a_local_run(cluster, tmp_path):
    what = ROOT / "grading/sample/class.zip"
    more = ("--roster", str(ROOT / "grading/sample/roster.csv"), "--late-per-day", "10")
    book, local = tmp_path / "slurm.db", tmp_path / "local.db"
    p = begin(cluster, book, what, "--per-task", "4", *more)
    shared = tmp_path / "warplab-cluster"
    cluster.wait(lambda: cluster.pids_of("n2") and len(done_files(shared)) > 4, 60)
    cluster.lose("n2")
    said, _ = p.communicate(timeout=600)
    cluster.slurmd("n2")
    assert p.returncode in (0, 1), said
    batch(cluster, local, what, *more, slurm=False)
    assert rows(book) == rows(local)
    assert set(nodes_of(book)) >= {"n1", "n3", "n4"}
    for b in (book, local):
        subprocess.run([GRADE, "report", "--lab", "coalescing", "--book", b, f"{b}.pages"],
                       check=True, stdout=subprocess.DEVNULL)
    assert pages(f"{book}.pages") == pages(f"{local}.pages")
    assert not list(shared.glob("*")), "the run's folder is left behind"


def pages(folder):
    """Each student's page under a name that is the same in two books: aliases are random."""
    out = []
    for f in pathlib.Path(folder).rglob("*.html"):
        out.append(mask_aliases(f.read_text()))
    return sorted(out)


def mask_aliases(text):
    text = re.sub(r"s-[0-9a-f]{8}", "ALIAS", text)
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?( UTC)?", "TIME", text)


def test_regrade(cluster, tmp_path, few):
    what, marks = few
    book = tmp_path / "g.db"
    batch(cluster, book, what, slurm=False)
    r = subprocess.run([GRADE, "regrade", "--slurm", "--lab", "coalescing", "--book", book,
                        "--secret", SECRET, "--why", "again", "--all", "--per-task", "2"],
                       env=cluster.env, capture_output=True, text=True)
    assert r.returncode == 0 and "6 marked again, 0 changed" in r.stdout, r.stdout + r.stderr
    assert rows(book) == marks


# ---- killed ----


def test_collector_killed_over_and_over(cluster, tmp_path, few):
    what, marks = few
    book, rng = tmp_path / "g.db", random.Random(7)
    for _ in range(int(os.environ.get("KILLS", "30"))):
        p = begin(cluster, book, what, "--per-task", "1", "--at-once", "2")
        try:
            p.communicate(timeout=rng.uniform(0.02, 0.5))
            break
        except subprocess.TimeoutExpired:
            p.send_signal(signal.SIGKILL)
            p.communicate()
    names = set(cluster.run("squeue", "-h", "-o", "%F").split())
    assert len(names) <= 1, "a job was submitted twice"
    r = batch(cluster, book, what, "--per-task", "1")
    assert rows(book) == marks, r.stderr
    db = sqlite3.connect(book)
    assert db.execute("SELECT count(*) FROM run").fetchone() == (1,)


def test_controller_restarts(cluster, tmp_path, few):
    what, marks = few
    p = begin(cluster, tmp_path / "g.db", what, "--per-task", "2")
    cluster.wait(lambda: done_files(tmp_path / "warplab-cluster"), 60)
    cluster.stop("slurmctld")  # it saves its state: killed, it would give job numbers out twice
    time.sleep(3)
    cluster.controller()
    said, _ = p.communicate(timeout=300)
    assert rows(tmp_path / "g.db") == marks, said


def test_tasks_that_slurm_ends_are_run_again(cluster, tmp_path, few):
    """As past their time limit: the task and all below it are gone, and no bundle of it is half."""
    what, marks = few
    book = tmp_path / "g.db"
    p = begin(cluster, book, what, "--per-task", "6")
    cluster.wait(lambda: done_files(tmp_path / "warplab-cluster"), 60)
    cluster.run("scancel", "--me", "--signal=KILL", "--full")
    cluster.run("scancel", "--me")
    said, _ = p.communicate(timeout=300)
    assert rows(book) == marks and "again" in said, said


def test_tasks_that_cannot_start_are_submitted_again(cluster, tmp_path, few):
    """Slurm holds them, "launch failed requeued held", until somebody comes."""
    what, marks = few
    spool = cluster.dir / "spool.n1"
    spool.rename(cluster.dir / "spool.n1.away")
    spool.write_text("no folder")
    try:
        r = subprocess.run(arguments(tmp_path / "g.db", what, "--slurm", "--per-task", "1"),
                           env=cluster.env, capture_output=True, text=True)
    finally:
        spool.unlink()
        (cluster.dir / "spool.n1.away").rename(spool)
    assert "could not start" in r.stderr, r.stderr
    if r.returncode:  # what was left went to that node each time: nobody has a mark by it
        assert r.returncode == 2 and "Mend or drain that node" in r.stderr, r.stderr
        assert all(v is None or v == w for (*_, v), (*_, w) in zip(rows(tmp_path / "g.db"), marks))
        cluster.all_idle()
        batch(cluster, tmp_path / "g.db", what)
    assert rows(tmp_path / "g.db") == marks, r.stderr


def test_detached_and_taken_in_later(cluster, tmp_path, few):
    what, marks = few
    book, shared = tmp_path / "g.db", tmp_path / "100%done %A, it's"
    more = ("--shared", str(shared))
    r = batch(cluster, book, what, "--per-task", "4", "--detach", *more, code=0)
    assert "the job goes on" in r.stderr
    cluster.wait(lambda: len(done_files(shared)) == 6, 120)
    assert list(shared.glob("*/log/*_0.txt")), list(shared.glob("*/log/*"))
    r = batch(cluster, book, what, *more)
    assert rows(book) == marks and "submissions in" not in r.stderr, "all was finished"


def test_two_that_collect(cluster, tmp_path, few):
    what, marks = few
    p = begin(cluster, tmp_path / "g.db", what, "--per-task", "2")
    cluster.wait(lambda: list(tmp_path.glob("warplab-cluster/*/round-1/*")), 60)
    p.send_signal(signal.SIGSTOP)  # else it could be done before the second one is so far
    r = batch(cluster, tmp_path / "g.db", what, code=2)
    p.send_signal(signal.SIGCONT)
    assert "another grade takes in" in r.stderr, r.stderr
    said, _ = p.communicate(timeout=300)
    assert rows(tmp_path / "g.db") == marks, said


def test_a_bundle_that_comes_twice_or_broken(cluster, tmp_path, few):
    what, marks = few
    book = tmp_path / "g.db"
    batch(cluster, book, what, "--per-task", "4", "--detach", code=0)
    run = next((tmp_path / "warplab-cluster").glob("warplab-*"))
    cluster.wait(lambda: len(done_files(run.parent)) == 6, 120)
    files = sorted((run / "done").glob("*.jsonl"))
    shutil.copy(files[0], run / "taken" / files[0].name)
    files[1].write_text("{\"node\":\"n1\"")
    files[2].write_text("")
    shutil.copy(files[4], files[3])  # of another submission
    tools = json.loads(files[5].read_text().splitlines()[0])["tools"]
    files[5].write_text(files[5].read_text().replace(tools, "0" * len(tools), 1))
    (run / "done" / ("0" * 32 + ".jsonl")).write_text("{}")
    r = batch(cluster, book, what)
    assert rows(book) == marks and r.stderr.count("it is marked again") == 4, r.stderr
    assert "is of another submission" in r.stderr and "another grader, rubric" in r.stderr


@ROOTLY
def test_a_folder_that_others_can_write_to(cluster, tmp_path, few):
    """Who can write there can make marks: in a folder that all may use, it may be another's."""
    what, marks = few
    book = tmp_path / "g.db"
    batch(cluster, book, what, "--per-task", "6", "--detach", code=0)
    run = next((tmp_path / "warplab-cluster").glob("warplab-*"))
    assert run.stat().st_mode & 0o777 == 0o700
    assert all(f.stat().st_mode & 0o077 == 0 for f in (run / "secret", *(run / "todo").iterdir()))
    run.chmod(0o777)
    assert "is open to others (mode 777)" in batch(cluster, book, what, code=2).stderr
    run.chmod(0o700)
    os.chown(run, 12345, -1)
    assert "belongs to another user (number 12345" in batch(cluster, book, what, code=2).stderr
    os.chown(run, os.geteuid(), -1)
    batch(cluster, book, what)
    assert rows(book) == marks


def test_nothing_of_a_box_outlives_its_task(cluster, tmp_path):
    """proctrack/linuxproc does not see who left the session, as a box does: it has to end itself."""
    loop = (ROOT / "grading/threats/gpu/coalescing/18_endless.cu").read_text()
    what = class_of(tmp_path / "class", 1, loop + "// {}\n")
    p = begin(cluster, tmp_path / "g.db", what)
    boxed, away = set(), False

    def in_box():
        """Somebody runs there who is of another session and other processes than its task."""
        nonlocal away
        tasks = [pid for n in cluster.nodes for pid in cluster.pids_of(n)]
        for pid in descendants(tasks):
            try:
                sessions = {os.getsid(t) for t in tasks if name_of(t) == "grade"}
                if name_of(pid) == "grade-runner":
                    boxed.add(pid)
                    own = os.readlink(f"/proc/{pid}/ns/pid") != os.readlink("/proc/self/ns/pid")
                    away = away or (own and os.getsid(pid) not in sessions)
            except OSError:
                pass  # it has ended
        return away

    cluster.wait(in_box, 60, every=0.02)
    p.send_signal(signal.SIGTERM)
    p.communicate(timeout=60)
    cluster.run("scancel", "--me", "--signal=KILL", "--full")
    cluster.wait(lambda: not [pid for pid in boxed if name_of(pid) == "grade-runner"], 20)
    cluster.run("scancel", "--me")


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def descendants(pids):
    parents = {}
    for p in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            stat = (p / "stat").read_text()
        except OSError:
            continue
        parents.setdefault(int(stat.rsplit(")", 1)[1].split()[1]), []).append(int(p.name))
    found, queue = set(), list(pids)
    while queue:
        pid = queue.pop()
        found.add(pid)
        queue += [c for c in parents.get(pid, []) if c not in found]
    return found


@FULL
def test_a_task_past_its_time_limit(cluster, tmp_path, few):
    """Slurm's limits are minutes: a stopped task waits for its own, with no work done meanwhile."""
    what, marks = few
    p = begin(cluster, tmp_path / "g.db", what, "--per-task", "6", "--time-limit", "1")
    cluster.wait(lambda: done_files(tmp_path / "warplab-cluster"), 60)
    for n in cluster.nodes:
        for pid in cluster.pids_of(n):
            if name_of(pid) == "grade":
                os.kill(pid, signal.SIGSTOP)
    said, _ = p.communicate(timeout=300)
    assert rows(tmp_path / "g.db") == marks, said
    assert "ended early on n" in said and "past the time limit (--time-limit" in said, said
    assert re.search(r"[1-5] submissions? in [1-5] tasks? of at most 1, .*again", said), said


# ---- thousands ----


@pytest.fixture
def in_memory():
    """A folder whose files are in memory, where there is such a one: each is synchronised."""
    shm = pathlib.Path("/dev/shm")
    room = shm.is_dir() and shutil.disk_usage(shm).free > 1 << 30
    folder = pathlib.Path(tempfile.mkdtemp(dir=shm if room else None))
    yield folder
    shutil.rmtree(folder)


def memory_of(pid):
    """Resident KiB; None: it has ended."""
    try:
        found = re.search(r"VmRSS:\s*(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return None
    return int(found[1]) if found else None


def finish_all(run, small, large):
    """What nodes would write: a bundle for each submission, every fifth of it a large one."""
    made = [(text, json.loads(text.splitlines()[0])["of"]) for text in (large, small, small, small, small)]
    ids = [f.name for f in (run / "todo").iterdir()]
    for i, k in enumerate(ids):
        text, of = made[i % len(made)]
        (run / "done" / f"{k}.jsonl").write_text(text.replace(of, f"{run.name}/{k}"))
    return len(ids)


def look_at_sizes(run, n, most):
    """All of it, each once; the first tasks are the largest, and the last half as long at least,
    but for what is left over."""
    tasks = sorted((run / "round-1").iterdir(), key=lambda f: int(f.name))
    ids = [f.read_text().split() for f in tasks]
    sizes = [len(x) for x in ids]
    assert sum(sizes) == n == len({i for x in ids for i in x})
    assert sizes == sorted(sizes, reverse=True) and sizes[0] <= most, sizes
    assert min(sizes[:-1], default=most) >= (most - 1) // 2, (sizes, most)


def test_thousands_in_flat_memory(cluster, in_memory):
    """5,000 bundles that came from a node; the job's tasks find all done. Memory after the first
    500 is what it is at the end: less than a tenth of the large verdicts would be seen."""
    n, book, shared = 5000, in_memory / "g.db", in_memory / "warplab-cluster"
    two = class_of(in_memory / "two", 1)
    (two / "nothing.cu").write_text("// nothing\n")
    batch(cluster, in_memory / "two.db", two, "--detach", code=0)
    cluster.wait(lambda: len(done_files(shared)) == 2, 60)
    small, large = sorted((f.read_text() for f in done_files(shared)), key=len)
    shutil.rmtree(next(shared.glob("*")))
    what = class_of(in_memory / "class", n, "// nothing {}\n")
    cluster.run("scontrol", "update", "PartitionName=main", "State=DOWN")
    said = batch(cluster, book, what, "--detach", code=0).stderr
    run = next(shared.glob("*"))
    look_at_sizes(run, n, int(re.search(r"tasks? of at most (\d+)", said)[1]))
    assert finish_all(run, small, large) == n
    cluster.run("scontrol", "update", "PartitionName=main", "State=UP")
    p = subprocess.Popen(arguments(book, what, "--slurm"), env=cluster.env,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    early, late = None, 0
    while p.poll() is None:
        now = memory_of(p.pid)
        taken = len(os.listdir(run / "taken")) if (run / "taken").exists() else n
        if taken >= n // 10 and now:
            early, late = early or now, max(late, now)
        time.sleep(0.1)
    assert p.returncode == 0 and early, "it was too quick to be seen"
    db = sqlite3.connect(book)
    assert db.execute("SELECT count(*), count(verdict) FROM item").fetchone() == (n, n)
    assert late - early < n / 5 / 10 * len(large) / 1024, (early, late)


# ---- nodes that do not fit ----


@ROOTLY
def test_nodes_that_cannot_mark_are_named(cluster, tmp_path, few):
    what, marks = few
    other = tmp_path / "grade-runner"
    shutil.copy(GRADE.parent / "grade-runner", other)
    other.write_bytes(other.read_bytes() + b"\0")
    cluster.stop("n1"), cluster.stop("n2")
    cluster.slurmd("n1", f"mount --bind /dev/null {shutil.which('bwrap')}")
    cluster.slurmd("n2", f"mount --bind {other} {GRADE.parent}/grade-runner")
    cluster.all_idle()
    book = tmp_path / "g.db"
    r = batch(cluster, book, what, "--per-task", "1")
    again(cluster, "n1", "n2")
    assert "node n1 does not mark" in r.stderr and "sandbox" in r.stderr, r.stderr
    assert "node n2 does not mark" in r.stderr and "another than the submitting" in r.stderr
    assert r.stderr.count("does not mark") == 2, "each is told once"
    assert rows(book) == marks and set(nodes_of(book)) <= {"n3", "n4"}


@ROOTLY
def test_tasks_that_no_node_is_left_for(cluster, tmp_path, few):
    """Slurm would keep them for ever."""
    for n in cluster.nodes:
        cluster.stop(n)
        cluster.slurmd(n, f"mount --bind /dev/null {shutil.which('bwrap')}")
    cluster.all_idle()
    r = batch(cluster, tmp_path / "g.db", few[0], "--per-task", "1", code=2)
    again(cluster, *cluster.nodes)
    assert r.stderr.count("does not mark") == 4 and "no node is left" in r.stderr, r.stderr
    assert "ended early" not in r.stderr, r.stderr
    assert not cluster.run("squeue", "-h").strip()


def again(cluster, *nodes):
    for n in nodes:
        cluster.stop(n)
        cluster.slurmd(n)
    cluster.all_idle()


CLOCK = """
#define _GNU_SOURCE
#include <time.h>
time_t time(time_t *t)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_sec += 180;
    if (t)
        *t = now.tv_sec;
    return now.tv_sec;
}
"""


@ROOTLY
def test_a_clock_that_is_wrong(cluster, tmp_path, few):
    what, marks = few
    (tmp_path / "clock.c").write_text(CLOCK)
    subprocess.run(["gcc", "-shared", "-fPIC", tmp_path / "clock.c", "-o", tmp_path / "clock.so"],
                   check=True)
    shutil.copy(GRADE, tmp_path / "grade")
    late = tmp_path / "late"
    late.write_text(f"#!/bin/sh\nLD_PRELOAD={tmp_path}/clock.so exec {tmp_path}/grade \"$@\"\n")
    late.chmod(0o755)
    cluster.stop("n1")
    cluster.slurmd("n1", f"mount --bind {late} {GRADE}")
    cluster.all_idle()
    r = batch(cluster, tmp_path / "g.db", what, "--per-task", "1")
    again(cluster, "n1")
    assert "node n1 does not mark" in r.stderr, r.stderr
    assert re.search(r"18\d s ahead of", r.stderr), r.stderr  # the file's time is taken a bit before
    assert rows(tmp_path / "g.db") == marks


@ROOTLY
def test_a_shared_folder_that_nodes_do_not_see(cluster, tmp_path, few):
    """Such a node fails each task at once, and is free for the next: it would take them all."""
    what, marks = few
    book = tmp_path / "g.db"
    for k, n in enumerate(cluster.nodes):
        cluster.stop(n)
        cluster.slurmd(n, f"mount {'--bind -o ro' if k else '-t tmpfs'} {tmp_path} {tmp_path}")
    cluster.all_idle()
    r = batch(cluster, book, what, "--per-task", "1", code=2)
    again(cluster, "n3", "n4")
    assert r.stderr.count("its tasks fail before they begin") == 4, r.stderr
    assert "no node is left that can mark" in r.stderr and "--shared" in r.stderr, r.stderr
    r = batch(cluster, book, what, "--per-task", "1")  # two are mended
    again(cluster, "n1", "n2")
    assert rows(book) == marks and set(nodes_of(book)) <= {"n3", "n4"}, r.stderr


def test_no_gpu_where_one_is_needed(cluster, tmp_path, few):
    """n4 says that it has a GPU, and has none."""
    r = batch(cluster, tmp_path / "g.db", few[0], "--gpu", code=2)
    assert "node n4 does not mark" in r.stderr and "a GPU is needed" in r.stderr, r.stderr
    run = next((tmp_path / "warplab-cluster").glob("warplab-*"))
    r = subprocess.run([GRADE, "task", run, "1"], env={**cluster.env, "SLURM_ARRAY_TASK_ID": "0",
                                                       "SLURMD_NODENAME": "n9"},
                       capture_output=True, text=True)
    assert r.returncode == 4 and "node n9: Slurm gives its tasks no GPU" in r.stderr, r.stderr
    assert (run / "refused" / "n9").exists()
    r = batch(cluster, tmp_path / "h.db", few[0], "--gpu", "--gres", "gpu:2", code=2)
    assert "Slurm does not take the job" in r.stderr, r.stderr


@ROOTLY
def test_full_disk_and_going_on(cluster, tmp_path, few):
    """The shared folder's; the gradebook is this host's alone, no node can open it."""
    what, marks = few
    disk, own = tmp_path / "disk", tmp_path / "own"
    disk.mkdir(), own.mkdir()
    book = own / "g.db"
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", disk], check=True)
    try:
        for n in cluster.nodes:  # they see the disk, and not where the gradebook is
            cluster.stop(n)
            cluster.slurmd(n, f"mount -t tmpfs none {own}")
        cluster.all_idle()
        (disk / "other").write_bytes(bytes(2 * 1024 * 1024 - 600 * 1024))
        fill = disk / "filling"
        p = begin(cluster, book, what, "--shared", str(disk), "--per-task", "4")
        cluster.wait(lambda: list(disk.glob("warplab-*/seen/*")), 60)
        with open(fill, "wb", buffering=0) as f:
            try:
                while True:
                    f.write(bytes(4096))
            except OSError:
                pass
        said, _ = p.communicate(timeout=300)
        assert p.returncode == 2 and "No space left on device; make room there" in said, said
        half = rows(book)
        assert all(v is None or v == w for (_, _, _, _, v), (_, _, _, _, w) in zip(half, marks))
        fill.unlink()
        batch(cluster, book, what, "--shared", str(disk))
        assert rows(book) == marks
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


QUOTA = """
#include <errno.h>
int syncfs(int fd)
{
    (void)fd;
    errno = EDQUOT;
    return -1;
}
"""


def test_quota_that_is_reached(cluster, tmp_path, few):
    """On a network file system it can show when a file is synchronised, and not before."""
    what, marks = few
    (tmp_path / "quota.c").write_text(QUOTA)
    subprocess.run(["gcc", "-shared", "-fPIC", tmp_path / "quota.c", "-o", tmp_path / "quota.so"],
                   check=True)
    r = batch(cluster, tmp_path / "g.db", what, code=2, env={"LD_PRELOAD": f"{tmp_path}/quota.so"})
    assert "Disk quota exceeded; make room there" in r.stderr and "--shared" in r.stderr, r.stderr
    assert not cluster.run("squeue", "-h").strip()
    assert all(v is None for *_, v in rows(tmp_path / "g.db"))
    batch(cluster, tmp_path / "g.db", what)
    assert rows(tmp_path / "g.db") == marks


# ---- what is said ----


def test_bad_input(cluster, tmp_path, few):
    def said(*more, env=None):
        return batch(cluster, tmp_path / "g.db", few[0], *more, code=2, env=env).stderr

    assert "there is no Slurm here" in said(env={"PATH": "/nowhere"})
    assert "no partition elsewhere" in said("--partition", "elsewhere")
    assert "cannot be made" in said("--shared", "/proc/nowhere")
    assert "--gres=gpu:1, not shard:1" in said("--gpu", "--gres", "shard:1")
    settings = tmp_path / "settings"
    settings.write_text("# the course's\nslurm = yes\nparition = main\n")
    assert 'settings:3: there is no option "parition"' in said("--settings", str(settings))
    settings.write_text("slurm = perhaps\n")
    assert "say yes or no" in said("--settings", str(settings))
    assert "Slurm does not take the job" in said("--time-limit", "soon")
    assert not (tmp_path / "g.db").exists() or all(v is None for *_, v in rows(tmp_path / "g.db"))


def test_why_tasks_wait_is_told(cluster, tmp_path, few):
    what, marks = few
    book = tmp_path / "g.db"
    cluster.run("scontrol", "update", "PartitionName=main", "MaxTime=5")
    p = begin(cluster, book, what)
    for line in p.stdout:
        if "tasks wait: PartitionTimeLimit" in line:
            break
    cluster.run("scontrol", "update", "PartitionName=main", "MaxTime=UNLIMITED")
    p.send_signal(signal.SIGTERM)
    p.communicate(timeout=60)
    assert "--time-limit" in line, line
    batch(cluster, book, what)
    assert rows(book) == marks


def read_until(fd, pattern, seconds=60):
    """What a terminal shows until the pattern is there."""
    said, end = "", time.monotonic() + seconds
    while not re.search(pattern, said):
        assert time.monotonic() < end, said
        if select.select([fd], [], [], 1)[0]:
            said += os.read(fd, 65536).decode(errors="replace")
    return said


def test_progress_and_ctrl_c_on_a_terminal(cluster, tmp_path, few):
    """It asks; "n" leaves the job, "y" cancels it; what is marked is kept."""
    what, marks = few
    book = tmp_path / "g.db"
    command = arguments(book, what, "--slurm", "--per-task", "1", "--at-once", "1")

    def interrupted(pattern, answer, last):
        pid, fd = pty.fork()
        if not pid:
            os.execvpe(command[0], command, cluster.env)
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("4H", 24, 200, 0, 0))
        read_until(fd, pattern)
        os.write(fd, b"\x03")
        read_until(fd, r"cancel the job\? \[y")
        os.write(fd, answer)
        read_until(fd, last)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.close(fd)
        return code

    line = (r"[2-5] of 6 marked, tasks: \d running, \d waiting.*, about \d+ s left,"
            r" slowest: s000\d.cu \(\d+\.\d s\)")
    assert interrupted(line, b"n\n", "left: the job goes on without us") == 0
    assert cluster.run("squeue", "-h").strip()
    assert interrupted("job .* is there: going on with it", b"y\n", r"cancelled; \d of \d are marked") == 2
    cluster.wait(lambda: not cluster.run("squeue", "-h").strip(), 60)
    batch(cluster, book, what, "--per-task", "6")
    assert rows(book) == marks


def test_settings_file(cluster, tmp_path, few):
    what, marks = few
    settings, sbatch = tmp_path / "settings", tmp_path / "bin" / "sbatch"
    settings.write_text("slurm = yes\npartition = main # all nodes\nper-task = 3\nat-once = 1\n"
                        "account = course\nqos = class\ntime-limit = 7\n")
    sbatch.parent.mkdir()
    sbatch.write_text(f"#!/bin/sh\necho \"$@\" >{tmp_path}/asked\nexec {shutil.which('sbatch')} \"$@\"\n")
    sbatch.chmod(0o755)
    own = {"PATH": f"{sbatch.parent}:{os.environ['PATH']}", "LD_PRELOAD": "", "TMPDIR": "/nowhere","SQUEUE_STATES": "all", "SLURM_JOB_ID": "77", "SLURM_CPUS_PER_TASK": "7",
           "SINFO_FORMAT": "%T"}  # of a person who likes it so, and works in a job of their own
    r = batch(cluster, tmp_path / "g.db", what, "--settings", str(settings), slurm=False, env=own)
    assert "in 2 tasks of at most 3" in r.stderr and rows(tmp_path / "g.db") == marks
    asked = (tmp_path / "asked").read_text().split()
    assert {"--partition=main", "--account=course", "--qos=class", "--time=7",
            "--array=0-1%1"} <= set(asked), asked


def test_what_is_computed_is_of_the_record():
    """The model of a large class stands beside the figures that it is computed from."""
    record = (ROOT / "grading/cluster/bench.txt").read_text()
    assert bench.model_of(record) in record.splitlines()
