#!/usr/bin/env python3
"""bank.py - are the causes of wrong kernels told right? Tries the bank of faults.

    common/harness/bank.py --bin build/bin [--lab LAB] [--only WORD] [--every N] [--show]

labs/LAB/faulty.txt holds faults, each an edit of the lab's solution (or of its skeleton):

    ## the halving stops at two
    kernel: reduce3
    cause: left-out
    says: out[0] never adds
    - half > 0
    + half > 1

The lines after "- " are replaced by those after "+ ", where they first occur behind the kernel's
name, or behind the text of "at: "; there can be several edits. "cause" is one word of diagnose.h's,
or several any of which is right, and "right" where all results are; "says" must be in what a student
reads, any of several lines, or, where a change is told that mends it, in what is left out beside that
(lines "unsaid KERNEL"); "never" must not be in what is read. "base: skeleton" edits the skeleton; "kernel: all" runs the whole file.
"args" are options of the run, in place of --untimed ("--n 25").
A line "one kernel a variant" before the first fault
says that no other kernel of the file is needed then, and none is compiled ("one kernel a variant, and
KERNEL": but that one), or those of a fault's "beside". A fault is named right, or no cause was found, or a
wrong one was told: the test fails on any of the last, and when less than nine of ten are right.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEAST = 0.9


class Fault:
    def __init__(self, lab, title):
        self.lab, self.title = lab, title
        self.kernel, self.base, self.case, self.at, self.args = "all", "solution", None, None, None
        self.beside = []  # kernels compiled beside its own; None: all of them
        self.causes, self.says, self.never, self.edits = [], [], [], []


def read_bank(lab):
    """The faults of a lab's file, in order."""
    path = ROOT / "labs" / lab / "faulty.txt"
    faults, last, beside = [], "", None
    for number, line in enumerate(path.read_text().splitlines(), 1) if path.exists() else []:
        if line.startswith("## "):
            faults.append(Fault(lab, line[3:]))
        elif faults and (line.startswith("- ") or line == "-"):
            if last != "-":
                faults[-1].edits.append([[], []])
            faults[-1].edits[-1][0].append(line[2:])
        elif faults and (line.startswith("+ ") or line == "+"):
            faults[-1].edits[-1][1].append(line[2:])
        elif faults and re.match(r"(kernel|cause|says|never|base|case|at|args|beside): ", line):
            key, value = line.split(": ", 1)
            if key == "cause":
                faults[-1].causes = value.split()
            elif key in ("says", "never"):
                getattr(faults[-1], key).append(value)
            elif key == "beside":
                faults[-1].beside += value.split()
            else:
                setattr(faults[-1], key, value)
        elif re.fullmatch(r"one kernel a variant(, and \w+)?", line) and not faults:
            beside = line.split()[5:]
        elif line.strip() and not line.startswith("# "):
            sys.exit(f"{path}:{number}: not understood: {line}")
        last = line[:1]
    for fault in faults:
        fault.beside = None if beside is None else fault.beside + beside
        if not fault.causes:
            sys.exit(f"{path}: {fault.title}: it has no cause")
    return faults


def without(text, pattern):
    """The text with what matches made empty lines: what is not compiled takes no time, and lines stay
    where they are."""
    return re.sub(pattern, lambda m: "\n" * m[0].count("\n"), text, flags=re.M | re.S)


def source_of(fault):
    name = f"{fault.lab}/{fault.lab}.cu"
    folder = "solutions" if fault.base == "solution" else "labs"
    text = (ROOT / folder / name).read_text()
    for old, new in fault.edits:
        anchor = fault.at or fault.kernel + "("
        start = text.find(anchor) if fault.at or fault.kernel != "all" else 0
        at = text.find("\n".join(old), max(start, 0))
        if at < 0:
            at = text.find("\n".join(old))
        if at < 0:
            sys.exit(f"labs/{fault.lab}/faulty.txt: {fault.title}: not in the file: {old}")
        text = text[:at] + "\n".join(new) + text[at + len("\n".join(old)):]
    if fault.kernel != "all":
        text = without(text, r"^KERNELS\w*\((?!" + fault.kernel + r"\))[^\n]*$")
        if fault.kernel != "reduce9":
            text = without(text, r"^KERNEL9\([^\n]*$")
        if fault.beside is not None:
            attributes = r"(?:\w+\([^)]*\)\s+)*"
            text = without(text, r"^KERNEL " + attributes + r"(?!(?:" + "|".join([fault.kernel, *fault.beside]) +
                           r")\(|__launch_bounds__|CLUSTER)\w+\(.*?^}$")
        text = text.replace("__has_include(<curand_kernel.h>)", "0")  # as where it is not installed
    return text


def run(fault, program, folder):
    """(what was printed, the cause that was told)"""
    file = pathlib.Path(folder) / (re.sub(r"\W+", "_", fault.title) + ".cu")
    file.write_text(source_of(fault))
    command = [program, "--file", str(file), "--quick", "--no-records", "--no-time", "--causes"]
    command += ["--steps", "2^22"] if fault.causes != ["right"] else []
    command += ["--case", fault.case] if fault.case else fault.args.split() if fault.args else ["--untimed"]
    if fault.kernel != "all":
        command += ["--kernel", fault.kernel]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    out = done.stdout + done.stderr
    told = re.findall(r"^cause \S+ (\S+)$", out, re.M)
    if done.returncode == 0 and not told:
        return out, "right"
    return out, told[0] if told else "none"


def judge(fault, out, cause):
    cause = "race" if cause == "collision" else cause
    if cause not in fault.causes:
        return "none" if cause in ("none", "right") else "wrong"
    said = not fault.says or any(s in out for s in fault.says)
    read = re.sub(r"^unsaid .*\n", "", out, flags=re.M)
    return "right" if said and not any(s in read for s in fault.never) else "wrong"


UNMET = "'s results are right, but "


def goals(lab):
    """(step, case, steps whose counts are asked for, does it take a run) of each goal that the lab has (lab.h)."""
    text = (ROOT / "labs" / lab / "harness.c").read_text()
    table = re.search(r"struct lab_goal goals\[\] = \{\n(.*?)\n\};", text, re.S)
    rows = re.findall(r'\{"(\w+)",\s*"([^"]+)",\s*"([^"]+)"', table[1]) if table else []
    return [(step, case, sorted({step, *re.findall(r"([a-z]\w*)\.", goal)}), "influence(" in goal)
            for step, case, goal in rows]


def said_of_right(lab, folder):
    """What is said of steps that do what they are for: the solution's, and those of right/."""
    files = [ROOT / "solutions" / lab / f"{lab}.cu", *sorted((ROOT / "labs" / lab / "right").glob("*.cu"))]
    rows, n, lines = goals(lab), 0, []
    program = ".program = true" in (ROOT / "labs" / lab / "harness.c").read_text()
    for file in files:
        text = file.read_text()
        asked = [row for row in rows if re.search(r"\b" + row[0] + r"\b", text)]
        # as a solution: nobody looks for what a right one does by luck, which is the next run's
        words = ["--solution", "--kernel", ",".join(sorted({k for row in asked for k in row[2]})),
                 "--case", ",".join(sorted({row[1] for row in asked}))]
        runs = [["--untimed"] if program else words] if asked else []  # a program's, in any run
        for step, case in sorted({row[:2] for row in asked if row[3]}):
            runs.append(["--kernel", step, "--case", case])
        if re.search(r"^LAUNCH\(\w+,[^,)]+,[^,)]+,", text, re.M):  # whose blocks may have nothing to do
            runs.append(["--untimed"])
        for words in runs:
            done = subprocess.run([f"{folder}/{lab}", "--file", str(file), "--no-records", *words],
                                  capture_output=True, text=True, errors="replace")
            lines += [f"{file.name}: {l}" for l in done.stdout.splitlines() if UNMET in l]
            if done.returncode == 2:
                lines.append(f"{file.name}: was not run: {' '.join(words)}")
        n += len(asked)
    return n, lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--lab", action="append")
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="of each lab's faults every N-th alone")
    parser.add_argument("--show", action="store_true", help="what is printed of each")
    args = parser.parse_args()
    labs = args.lab or sorted(p.parent.name for p in (ROOT / "labs").glob("*/faulty.txt"))
    faults = [f for lab in labs for f in read_bank(lab)[::args.every] if args.only in f.title]
    counts = {"right": 0, "none": 0, "wrong": 0}
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folders = {lab: pathlib.Path(folder) / lab for lab in labs}
        for f in folders.values():
            f.mkdir()
        results = pool.map(lambda f: run(f, f"{args.bin}/{f.lab}", folders[f.lab]), faults)
        for fault, (out, cause) in zip(faults, results):
            verdict = judge(fault, out, cause)
            counts[verdict] += 1
            if verdict != "right" or args.show:
                print(f"{verdict}: {fault.lab}: {fault.title}: told \"{cause}\", "
                      f"it is {' or '.join(fault.causes)}")
                print("\n".join("    " + l for l in out.splitlines()[1:12]))
    print(f"{len(faults)} faults: {counts['right']} named right, {counts['none']} without a cause, "
          f"{counts['wrong']} with a wrong one")
    if not args.only:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            right = list(pool.map(lambda lab: said_of_right(lab, args.bin), labs))
        for line in [l for _, lines in right for l in lines]:
            print(line)
        counts["wrong"] += sum(len(l) for _, l in right)
        print(f"{sum(n for n, _ in right)} steps that are what they are for: {sum(len(l) for _, l in right)} said not to be")
    ok = not counts["wrong"] and counts["right"] >= LEAST * len(faults) and faults
    print(f"{1 if ok else 0} passed, {0 if ok else 1} failed")
    return 0 if ok else 1


sys.exit(main())
