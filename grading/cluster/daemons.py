"""daemons.py - a Slurm cluster of several nodes on this host, of real daemons, for tests.

    with Cluster(folder, nodes=4) as c: c.run("sinfo")

munged, slurmctld and a slurmd a node run in the foreground as children of this process, with
ports, a key and all their files of their own in `folder`: an installed Slurm is not touched. A
node can have a file system of its own (`slurmd(name, mount=…)`, root only): what is on another
machine in truth is made so by mounts.
"""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

README = pathlib.Path(__file__).with_name("README.md")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "sinfo", "scancel")
os.environ["PATH"] += ":/usr/sbin:/sbin"


def missing():
    """Programs of Slurm and MUNGE that are not installed."""
    return [p for p in PROGRAMS if not shutil.which(p)]


def free_ports(n):
    """The first of n ports in a row that nobody listens on."""
    for base in range(17000, 30000, 64):
        if all(_is_free(base + k) for k in range(n)):
            return base
    raise RuntimeError("no free ports")


def _is_free(port):
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind(("", port))
        except OSError:
            return False
    return True


def version():
    """(22, 5) and the like."""
    said = subprocess.run(["slurmctld", "-V"], capture_output=True, text=True, check=True).stdout
    return tuple(int(x) for x in re.findall(r"\d+", said)[:2])


def excerpt():
    """What the page for who runs a cluster says that slurm.conf should have."""
    return re.search(r"`slurm.conf` should have:\n```\n(.*?)```", README.read_text(), re.S)[1]


class Cluster:
    def __init__(self, folder, nodes=4, gpus=None, mounts=None):
        self.dir = pathlib.Path(folder)
        self.nodes = [f"n{k + 1}" for k in range(nodes)]
        self.gpus = gpus or {}  # nodes that say they have some: a node's files of devices
        self.mounts = mounts or {}  # as slurmd() takes them
        self.children = {}
        self.conf = self.dir / "slurm.conf"
        self.env = dict(os.environ, SLURM_CONF=str(self.conf))
        self.env.pop("SLURM_JOB_ID", None)

    # ---- daemons ----

    def __enter__(self):
        (self.dir / "state").mkdir(parents=True)
        munge = self.dir / "munge"
        munge.mkdir(mode=0o700)
        key = munge / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self.start("munged", "munged", "--foreground", "--force", f"--key-file={key}",
                   f"--socket={munge}/socket", f"--pid-file={munge}/pid",
                   f"--log-file={munge}/log", f"--seed-file={munge}/seed")
        self.write_conf()
        self.controller()
        for n in self.nodes:
            self.slurmd(n, self.mounts.get(n, ""))
        try:
            self.all_idle(True)
        except AssertionError as e:
            words = self.last_words()
            self.__exit__()
            raise AssertionError(f"{e}\n{words}") from None
        return self

    def __exit__(self, *_):
        self.run("scancel", "--me", check=False)
        for name in sorted(self.children, key=lambda n: (n == "munged", n == "slurmctld")):
            self.stop(name)

    def write_conf(self):
        user = subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip()
        host, base, d = socket.gethostname().split(".")[0], free_ports(1 + len(self.nodes)), self.dir
        conf = f"""
ClusterName=warplab
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={base}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={d}/munge/socket
StateSaveLocation={d}/state
SlurmdSpoolDir={d}/spool.%n
SlurmctldPidFile={d}/slurmctld.pid
SlurmdPidFile={d}/slurmd.%n.pid
SlurmctldLogFile={d}/slurmctld.log
SlurmdLogFile={d}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
{excerpt()}
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1
MaxJobCount=20000
ReturnToService=2
SlurmdTimeout=5
SlurmctldTimeout=10
BatchStartTimeout=5
KillWait=2
UnkillableStepTimeout=100
"""
        (d / "gres.conf").write_text("".join(f"NodeName={n} Name=gpu File={f}\n"
                                             for n, files in self.gpus.items() for f in files))
        for k, n in enumerate(self.nodes):
            gpus = len(self.gpus.get(n, ()))
            conf += (f"NodeName={n} NodeHostname={host} NodeAddr=127.0.0.1 Port={base + 1 + k}"
                     f" CPUs={gpus or 1} RealMemory=2000{f' Gres=gpu:{gpus}' if gpus else ''}"
                     " State=UNKNOWN\n")
        conf += f"PartitionName=main Nodes={','.join(self.nodes)} Default=YES State=UP\n"
        self.conf.write_text(conf)
        # Nothing here uses control groups, but slurmd asks for those of version 2 where the host
        # has them, and ends in a container, where no systemd answers.
        plugin = "disabled" if version() >= (23, 2) else "cgroup/v1"
        (d / "cgroup.conf").write_text(f"CgroupPlugin={plugin}\n")

    def start(self, name, *command):
        log = open(self.dir / f"{name}.out", "ab")
        self.children[name] = subprocess.Popen(
            command, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True, cwd=self.dir)  # where one that breaks leaves its core

    def controller(self):
        self.start("slurmctld", "slurmctld", "-D")

    def slurmd(self, node, mount=""):
        """Starts a node. mount: shell commands that change what it sees of the file system."""
        command = ["slurmd", "-D", "-N", node]
        if mount:
            command = ["unshare", "-m", "sh", "-c", f"set -e\n{mount}\nexec " + " ".join(command)]
        self.start(node, *command)

    def stop(self, name, number=signal.SIGTERM):
        child = self.children.pop(name)
        child.send_signal(number)
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()

    def lose(self, node):
        """The node is gone, and with it all that ran there."""
        self.stop(node, signal.SIGKILL)
        subprocess.run(["pkill", "-KILL", "-f", f"slurmstepd.*{self.dir}"], check=False)
        for pid in self.pids_of(node):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def pids_of(self, node):
        """Processes of tasks on that node, by their environment."""
        found = []
        for p in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                env = (p / "environ").read_bytes()
            except OSError:
                continue
            if f"SLURMD_NODENAME={node}\0".encode() in env and str(self.conf).encode() in env:
                found.append(int(p.name))
        return found

    # ---- questions ----

    def run(self, *command, check=True):
        r = subprocess.run(command, env=self.env, capture_output=True, text=True, check=False)
        assert not check or r.returncode == 0, f"{command}: {r.stdout}{r.stderr}"
        return r.stdout

    def states(self):
        out = self.run("sinfo", "-h", "-N", "-o", "%N %T", check=False)
        return dict(line.split() for line in out.splitlines())

    def last_words(self):
        """What each daemon said last, and whether it ended."""
        return "\n".join(f"---- {name}, {'runs' if c.poll() is None else f'ended: {c.returncode}'}\n"
                         + (self.dir / f"{name}.out").read_text(errors="replace")[-3000:]
                         for name, c in self.children.items())

    def all_idle(self, alive=False):
        """Nodes that were lost or could not end a task in time serve again. alive: no daemon ends
        meanwhile."""
        def idle():
            ended = [n for n, c in self.children.items() if alive and c.poll() is not None]
            assert not ended, f"ended at once: {', '.join(ended)}"
            states = self.states()
            for n, state in states.items():
                if state.startswith(("drain", "down")):
                    self.run("scontrol", "update", f"NodeName={n}", "State=RESUME", check=False)
            return states == {n: "idle" for n in self.nodes}
        self.wait(idle, 60 if alive else 120)

    def wait(self, true, seconds, every=0.2):
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, f"not in {seconds} s; {self.states()}"
            time.sleep(every)
