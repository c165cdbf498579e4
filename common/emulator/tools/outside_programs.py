#!/usr/bin/env python3
"""outside_programs.py - builds and runs programs that others wrote, and writes a page about it.

    make outside-programs DIR=…     a checkout of NVIDIA's cuda-samples or of HeCBench
    outside_programs.py DIR --out FOLDER --warprun FILE --nvcc FILE [OPTION…]   (--help)

NVIDIA's samples are what CMakeLists.txt files declare by add_executable(), with the arguments of
test_args.json; HeCBench's are src/*-cuda, with what `make run` would run, or with the arguments
that a file of --arguments gives them. DIR itself is only read: programs are built and run in a tree
of FOLDER, of copies of their folders and links to the rest.

FOLDER/page.md is the page, FOLDER/logs/NAME.log all that a program and its build printed. What has
a result (FOLDER/results/NAME.json) is not run again, so that an interrupted run goes on where it
stopped; --again runs it once more.

Not modelled: generated sources and libraries of a sample's own; CMake's conditions (what a
find_package() asks for, a program needs).
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

RESULTS = ["passed", "waived", "failed", "crashed", "refused", "too slow", "does not build",
           "left out"]
WAIVED = 2  # NVIDIA's EXIT_WAIVED
# Libraries that the emulator has, or that are no matter of CUDA's.
THERE = {"CUDA::cudart", "CUDA::cudart_static", "CUDA::cufft", "CUDAToolkit", "CUDA", "Threads",
         "OpenMP", "Threads::Threads", "OpenMP::OpenMP_CXX", "dl", "m", "pthread", "rt"}
FLAGS = {"CUDA::cufft": ["-lcufft"], "OpenMP": ["-Xcompiler", "-fopenmp"],
         "OpenMP::OpenMP_CXX": ["-Xcompiler", "-fopenmp"]}
NAMES = {"CUDA::cuda_driver": "the driver API"}
COUNTERS = {"instructions": "counter.inst_executed", "sectors": "counter.global_sectors"}
# In target_link_libraries(), but no library, or what a find_package() has named.
KEYWORDS = re.compile(r"PUBLIC$|PRIVATE$|INTERFACE$|.*(_LIBRAR(Y|IES)\}$|_DIRS\}/)")
SOURCE = re.compile(r"\.(cu|cpp|cc|cxx|c)$")


@dataclasses.dataclass
class Program:
    name: str
    folder: pathlib.Path  # within the checkout
    build: list = dataclasses.field(default_factory=list)  # a command
    runs: list = dataclasses.field(default_factory=list)  # commands
    lists: list = dataclasses.field(default_factory=list)  # a command that prints those to run
    arguments: list = None  # in place of those in the commands so listed
    needs: str = ""  # why it is not even built
    fails: str = ""  # an expression: a line that says so, whatever the exit status
    waives: bool = False  # by its exit status

    def key(self):
        return str(self.folder / self.name).replace("/", "-")


# ---- NVIDIA's samples ----
def words(text):
    return text.replace('"', " ").split()


def calls(text, name):
    """The arguments of each call of a CMake command."""
    for m in re.finditer(r"\b%s\s*\(" % name, text):
        depth, end = 1, m.end()
        while end < len(text) and depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield words(text[m.end():end - 1])


def libraries(text, program):
    found = [w for call in calls(text, "find_package") for w in call[:1]]
    for call in calls(text, "target_link_libraries"):
        if call[0] == program:
            found += [w.removeprefix("${").removesuffix("}") for w in call[1:]
                      if not KEYWORDS.match(w)]
    return found


def sample(root, folder, text, call, arguments, nvcc):
    name, sources = call[0], [w for w in call[1:] if SOURCE.search(w)]
    program = Program(name, folder, waives=True)
    needed = libraries(text, name)
    missing = [NAMES.get(w, w.removeprefix("CUDA::")) for w in needed if w not in THERE]
    unknown = [w for w in [name] + sources if "$" in w.replace("${CMAKE_CURRENT_SOURCE_DIR}", "")]
    sources = [w.replace("${CMAKE_CURRENT_SOURCE_DIR}", ".") for w in sources]
    gone = [w for w in sources if not (root / folder / w).exists()]
    if missing or unknown or gone:
        program.needs = ("needs " + ", ".join(dict.fromkeys(missing)) if missing
                         else "variables of CMake in " + " ".join(unknown) if unknown
                         else "there is no " + ", ".join(gone))
    flags = [f for w in needed for f in FLAGS.get(w, [])]
    for options in calls(text, "target_compile_options"):
        if options[0] == name:
            flags += re.findall(r"\$<\$<COMPILE_LANGUAGE:CUDA>:([^>]+)>", " ".join(options))
    if any(c[:1] == [name] and re.search(r"CUDA_SEPARABLE_COMPILATION ON", " ".join(c))
           for c in calls(text, "set_target_properties")):
        flags.append("-rdc=true")
    for include in calls(text, "include_directories"):
        flags += ["-I" + w for w in include if "$" not in w]
    for include in calls(text, "target_include_directories"):
        if include[0] == name:
            flags += ["-I" + w for w in include[1:] if "$" not in w and not KEYWORDS.match(w)]
    program.build = [nvcc, "-std=c++17", "-arch=sm_90", "-lineinfo", "-cudart", "shared", *flags,
                     *sources, "-o", name]
    known = arguments.get(name, {})
    if known.get("skip"):
        program.needs = program.needs or "test_args.json leaves it out"
    runs = known.get("runs", [known])
    program.runs = [["./" + name, *run.get("args", [])] for run in runs]
    return program


def samples(root, nvcc):
    path = root / "test_args.json"
    arguments = json.loads(path.read_text()) if path.exists() else {}
    for path in sorted(root.rglob("CMakeLists.txt")):
        text = re.sub(r"#.*", "", path.read_text(errors="replace"))
        for call in calls(text, "add_executable"):
            yield sample(root, path.parent.relative_to(root), text, call, arguments, nvcc)


# ---- HeCBench ----
# Its programs end with status 0 and say what is wrong.
FAILS = r"\b(FAIL|FAILED|Fail|Failed|failed|[Mm]ismatch(ed)?)\b"


def arguments_in(path):
    """Lines NAME ARGUMENT…, by name."""
    lines = path.read_text().splitlines() if path else []
    split = [shlex.split(line, comments=True) for line in lines]
    return {words[0]: words[1:] for words in split if words}


def hecbench(root, nvcc, arguments):
    for path in sorted(root.glob("src/*-cuda/Makefile")):
        program = Program(path.parent.name.removesuffix("-cuda"), path.parent.relative_to(root))
        make = ["make", "-f", path.name, f"CC={nvcc} -cudart shared", "ARCH=sm_90"]
        program.build, program.lists = make, make + ["-n", "run"]
        program.arguments, program.fails = arguments.get(program.name), FAILS
        if arguments and program.arguments is None:
            program.needs = "no arguments are given for it"
        yield program


# ---- a tree to work in ----
def shadow(root, tree, folder):
    """A copy of a folder; beside it and above links to what is there."""
    here = tree
    for part in [*folder.parent.parts, None]:
        here.mkdir(parents=True, exist_ok=True)
        for entry in (root / here.relative_to(tree)).iterdir():
            link = here / entry.name
            if not link.is_symlink() and not link.exists():
                link.symlink_to(entry.resolve())
        if part is not None:
            here = here / part
            if here.is_symlink():
                here.unlink()
    here = tree / folder
    if here.is_symlink():
        here.unlink()
    if not here.exists():
        shutil.copytree(root / folder, here)
        flatten(here)
    return here


def flatten(folder):
    """As the samples' builds do: data lie beside the program, too."""
    for path in (folder / "data").glob("*"):
        if path.is_file() and not (folder / path.name).exists():
            shutil.copy(path, folder / path.name)


# ---- running ----
@dataclasses.dataclass
class End:
    status: int      # negative: a signal
    seconds: float   # of processor time
    late: bool       # ended by a limit of time
    output: str


ENDS = {signal.SIGINT, signal.SIGTERM}


def limit(seconds, memory):
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def execute(command, folder, log, seconds, memory=0):
    """Runs it to its end, or until it has had its processor time, or ten times that have passed."""
    with open(log, "ab") as out:
        out.write(f"$ {shlex.join(command)}\n".encode())
        out.flush()
        start, before = out.tell(), processor_time()
        # who ends us now would leave a child that we do not know of yet
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=out, start_new_session=True,
                                 preexec_fn=lambda: limit(seconds, memory))
        late = False
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)
            child.wait(timeout=10 * seconds)
        except subprocess.TimeoutExpired:
            late = True
        finally:
            try:  # what it has begun, too
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()
    used = processor_time() - before
    status = child.returncode
    late = late or status in (-signal.SIGXCPU, 128 + signal.SIGXCPU) or \
        (status in (-signal.SIGKILL, 128 + signal.SIGKILL) and used >= seconds)
    with open(log, "rb") as text:
        text.seek(start)
        return End(status, used, late, text.read().decode(errors="replace"))


def reason_of(output):
    """The emulator's first line, else the program's last."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    ours = [line for line in lines if line.startswith("warplab: ")]
    return (ours or lines[-1:] or ["it printed nothing"])[0]


def refusal(output):
    return next((line for line in output.splitlines()
                 if line.startswith("warplab: ") and "not supported" in line), None)


def judge(program, end):
    """A result of RESULTS, and its reason."""
    refused = refusal(end.output)
    if end.late:
        return "too slow", f"no end after {end.seconds:.0f} s of processor time"
    if end.status < 0 or end.status >= 128:
        number = -end.status if end.status < 0 else end.status - 128
        name = signal.Signals(number).name if number in list(signal.Signals) else str(number)
        return "crashed", f"{name}: {reason_of(end.output)}"
    wrong = program.fails and re.search(f"^.*{program.fails}.*$", end.output, re.M)
    if end.status == 0 and not wrong:
        return "passed", refused or ""
    if program.waives and end.status == WAIVED:
        return "waived", refused or reason_of(end.output)
    said = wrong[0].strip() if wrong else reason_of(end.output)
    return ("refused", refused) if refused else ("failed", said)


def read_record(path, facts, tree):
    """Adds a run's record (runtime/record.c) to facts; files of the tree by their names in it."""
    for line in path.read_text(errors="replace").splitlines() if path.exists() else []:
        name, _, value = line.partition(" ")
        if name == "finding":
            facts.setdefault("findings", []).append(json.loads(value.replace(f"{tree}/", "")))
        elif value.isdigit():
            facts[name] = facts.get(name, 0) + int(value)


def worst(ends):
    return max(ends, key=lambda e: RESULTS.index(e[0]))


def run_all(program, commands, folder, log, options, check):
    """(result, reason), seconds and the facts of all of a program's commands together."""
    record, facts, ends, used = folder / "warplab.record", {}, [], 0.0
    for command in commands:
        record.unlink(missing_ok=True)
        warprun = [options.warprun, *(["--check"] if check else []), "--record", str(record)]
        end = execute([*warprun, *command], folder, log, options.limit, options.memory << 30)
        used += end.seconds
        ends.append(judge(program, end))
        read_record(record, facts, options.out / "tree")
        if ends[-1][0] not in ("passed", "waived"):
            break
    return worst(ends), used, facts


def commands_of(program, folder, log, options):
    if not program.lists:
        return program.runs
    end = execute(program.lists, folder, log, options.limit)
    lines = [line.strip() for line in end.output.splitlines()]
    lines = [line for line in lines if line.startswith("./")]
    if program.arguments is not None:
        lines = [shlex.join([line.split()[0], *program.arguments]) for line in lines[:1]]
    return [["sh", "-c", line] for line in lines]


def try_program(program, options):
    """A result: what goes into results/NAME.json."""
    result = {"name": program.name, "folder": str(program.folder), "limit": options.limit,
              "memory": options.memory}
    if program.needs:
        return {**result, "result": "left out", "reason": program.needs}
    log = options.out / "logs" / (program.key() + ".log")
    log.unlink(missing_ok=True)
    folder = shadow(options.dir, options.out / "tree", program.folder)
    end = execute(program.build, folder, log, options.build_limit)
    if end.late or end.status:
        line = re.search(r"^.*\b(error|Error|undefined reference|fatal|not found)\b.*$", end.output,
                         re.M)
        why = "too long to build" if end.late else line[0] if line else reason_of(end.output)
        return {**result, "result": "does not build", "reason": why}
    commands = commands_of(program, folder, log, options)
    if not commands:
        return {**result, "result": "left out", "reason": "its Makefile says not how to run it"}
    (result["result"], result["reason"]), seconds, facts = run_all(program, commands, folder, log,
                                                                   options, False)
    result.update(seconds=round(seconds, 2), launches=facts.get("launches", 0),
                  **{k: facts.get(v, 0) for k, v in COUNTERS.items()})
    if options.check and result["result"] in ("passed", "waived", "failed"):
        (checked, why), _, facts = run_all(program, commands, folder, log, options, True)
        result.update(checked=checked, checked_reason=why, findings=facts.get("findings", []))
    return result


# ---- the page ----
def cell(text):
    text = str(text).replace("|", "\\|").replace("\n", " ")
    return text if len(text) <= 200 else text[:199] + "…"


def found(result):
    """The column of the checks."""
    if "checked" not in result:
        return ""
    here = len(result["findings"])
    if result["checked"] != result["result"]:
        return f"{here}; {result['checked']}"
    return str(here)


def summary(results):
    tried = [r for r in results if r["result"] != "left out"]
    by = [f"{n} {word}" for word in RESULTS[:-1] if (n := sum(r["result"] == word for r in tried))]
    return f"{len(tried)} programs: {', '.join(by) or 'none'}; {len(results) - len(tried)} left out"


def finding_text(f):
    size = f" of {f['size']} bytes" if "size" in f else ""
    kernel = f" in kernel {f['kernel']}" if f.get("kernel") else ""
    line = f", {f['file']}:{f['line']}" if f.get("file") else ""
    often = f", {f['count']} times" if f.get("count", 1) > 1 else ""
    return cell(f"{f['kind']}{size}{kernel}{line}{often}")


def commit(folder):
    """Which one of theirs it is, where git knows."""
    git = subprocess.run(["git", "-C", str(folder), "log", "-1", "--format=%H, %as"],
                         capture_output=True, text=True, check=False)
    known = (folder / ".git").exists() and git.returncode == 0
    return f"The checkout is of commit {git.stdout.strip()}. " if known else ""


COLUMNS = ["program", "result", "seconds", "launches", "instructions", "sectors", "findings",
           "reason"]


def page(results, options, whole):
    tried = [r for r in results if r["result"] != "left out"]
    lines = [f"# Programs of {options.dir.name} on the emulator", "",
             f"Written by `make outside-programs`. {commit(options.dir)}A run has "
             f"{options.limit} s of processor time and {options.memory or 'unlimited'} GiB of "
             "addresses. Seconds are of processor time on "
             "this machine; *launches*, warp *instructions* and *sectors* (of all ways to "
             "global memory) are counted; *findings* are those of `warprun --check`, in a "
             "run of its own. Logs are in `logs`.", "",
             "**" + summary(results) + "**" + ("" if whole else " (so far)"), "",
             "| " + " | ".join(COLUMNS) + " |", "|" + " --- |" * len(COLUMNS)]
    for r in tried:
        row = {**r, "program": r["name"], "findings": found(r)}
        lines.append("| " + " | ".join(cell(row.get(c, "")) for c in COLUMNS) + " |")
    told = [(r["name"], f) for r in tried for f in r.get("findings", [])]
    if told:
        lines += ["", "## Findings", ""] + [f"- {name}: {finding_text(f)}" for name, f in told]
    reasons = {}
    for r in results:
        if r["result"] == "left out":
            reasons.setdefault(r["reason"], []).append(r["name"])
    if reasons:
        lines += ["", "## Left out", ""]
        lines += [f"- {why}: {', '.join(names)}" for why, names in sorted(reasons.items())]
    return "\n".join(lines) + "\n"


def write(path, text):
    new = path.with_name(path.name + ".new")
    new.write_text(text)
    new.rename(path)


# ---- all of them ----
def path_of(program, options):
    return options.out / "results" / (program.key() + ".json")


def kept(program, options):
    """The result of an earlier run, unless another is wanted."""
    path = path_of(program, options)
    if not path.exists():
        return None
    result = json.loads(path.read_text())
    stale = (result["result"] == "too slow" and result["limit"] < options.limit) or \
        (program.needs and result["reason"] != program.needs)
    again = options.again and re.search(options.again, f"{program.name} {result['result']}")
    return None if stale or again else result


def go(programs, options):
    whole = False
    try:
        for number, p in enumerate(programs, 1):
            if kept(p, options) is None:
                start = time.monotonic()
                result = try_program(p, options)
                write(path_of(p, options), json.dumps(result, indent=1) + "\n")
                if not p.needs:
                    print(f"{number} of {len(programs)}: {p.name}: {result['result']}"
                          f" ({time.monotonic() - start:.0f} s)", flush=True)
        whole = True
    finally:
        options.again = ""
        done = [r for p in programs if (r := kept(p, options))]
        write(options.out / "page.md", page(done, options, whole))
        print(f"{summary(done)}{'' if whole else ', so far'}: {options.out / 'page.md'}")


def main():
    parser = argparse.ArgumentParser(description="Builds and runs others' CUDA programs.")
    parser.add_argument("dir", type=pathlib.Path, help="a checkout of cuda-samples or HeCBench")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="where all goes")
    parser.add_argument("--warprun", required=True)
    parser.add_argument("--nvcc", required=True)
    parser.add_argument("--only", default="", help="an expression: of these folders or names")
    parser.add_argument("--again", default="", help="an expression: of these names or results")
    parser.add_argument("--limit", type=int, default=120,
                        help="seconds of processor time a run (120)")
    parser.add_argument("--build-limit", type=int, default=600)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 30
    parser.add_argument("--memory", type=int, default=max(memory, 4),
                        help="GiB of addresses a run (%(default)s); 0: no limit")
    parser.add_argument("--arguments", type=pathlib.Path,
                        help="a file of lines NAME ARGUMENT…: HeCBench's programs to run, and how")
    parser.add_argument("--no-check", dest="check", action="store_false",
                        help="no second run, with --check")
    options = parser.parse_args()
    options.dir, options.out = options.dir.resolve(), options.out.resolve()
    options.warprun = os.path.abspath(options.warprun)
    if not options.dir.is_dir():
        sys.exit(f"{options.dir}: no such folder: DIR=… is a checkout of NVIDIA's cuda-samples "
                 "or HeCBench")
    programs = [*samples(options.dir, options.nvcc),
                *hecbench(options.dir, options.nvcc, arguments_in(options.arguments))]
    programs = [p for p in programs if re.search(options.only, str(p.folder / p.name))]
    if not programs:
        sys.exit(f"{options.dir}: neither CMakeLists.txt with add_executable() nor "
                 f"src/*-cuda/Makefile{' of that name' if options.only else ''}")
    for part in ("logs", "results", "tree"):
        (options.out / part).mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        go(programs, options)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
