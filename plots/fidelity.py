"""fidelity.py - the emulator beside an H200, from kept records: common/emulator/count/FIDELITY.md.

    make fidelity            writes the page; exit 1 where a disagreement has no cause
    make fidelity-small      on an H200: the same of small kernels (cases/counts_main.c)
    make fidelity-record     on an H200: what Nsight Compute counts, plots/records/h200/counts.txt;
                             LAB=matmul: of that lab, the others' counts stay
    make fidelity-again      on an H200: times of the same kernels in another session,
                             plots/records/h200/again.txt: what a time varies by

Counts: every row of the emulator's records that an H200's counters are kept for too. What differs
by more than 2 % has to have a cause in fidelity.txt, within the bounds given there; a cause that
nothing needs any more has to go. Times: common/emulator/testdata/modelled-h200.csv, which
ladders_test.c writes and holds to the model.
"""
import csv
import fnmatch
import glob
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
CAUSES = ROOT / "plots" / "fidelity.txt"
PAGE = ROOT / "common" / "emulator" / "count" / "FIDELITY.md"
COUNTS = "plots/records/h200/counts.txt"
SMALL = {"emulator": "plots/records/emulator/small-kernels.txt", "h200": "plots/records/h200/small-kernels.txt"}
SMALL_COUNTS = r"tensor_ops_|wgmma_|(ld|st)matrix_|cp_async_|tma_|shared_(ld|st)_(requests|wavefronts|bank_conflicts)$"
TIMES = "common/emulator/testdata/modelled-h200.csv"
INVERTED = "common/emulator/testdata/inverted-h200.csv"
AGAIN = "plots/records/h200/again.txt"
KEY = ("lab", "variant", "case", "dtype", "op")
WITHIN = 0.02
# What is counted anew on an H200: cases of sizes that the emulator's records have.
CASES = {
    "bank_conflicts": "stride=1,stride=2,stride=3,stride=8,stride=32,stride=33,2048x2048",
    "black_scholes": "options=10^6",
    "coalescing": "stride=1,stride=2,stride=3,stride=8,stride=32,offset=0,offset=1,offset=8,particles=2^20,2048x1024",
    "conv1d": "width=3,width=15,width=63,width=127",
    "divergence": "branch-n=2^19,paths=1,paths=4,paths=32,mixed-n=2^17,data-n=2^17",
    "latency_hiding": "steps-warps=4,steps-warps=64,walk-in-L1,walk-warps=4,walk-warps=64,copy-warps=8,copy-warps=64",
    "matmul": "n=256,f16 n=256,n=512,f16 n=512",
    "monte_carlo": "twister-m=4096,philox-n=2^16,normals-n=2^16,array-n=2^12,paths=2^10",
    "multi_gpu": "ranks=1-ball-n=2^18,ranks=1-vector-n=2^20,ranks=1-many-m=2^16-n=16",
    "poisson": "n=256",
    "reduction": "n=2^17,f64-n=2^22",
    "reduction_uses": "product-n=4096,and-n=4096,or-n=4096,dot-n=4096,tree-m=1056,count-n=2^19,bins-n=2^19,softmax-n=1024,grid=132",
    "transfers": "copy-n=2^20",
}


def read(path):
    with open(ROOT / path, encoding="utf-8") as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


def total(*columns):
    """Of a row; None where it has none of them."""
    def of(row):
        there = [float(row[c]) for c in columns if row.get(c)]
        return sum(there) if there else None
    return of


def active(row):
    lanes, warps = total("thread_inst_executed_pred_on")(row), total("inst_executed")(row)
    return lanes / (32 * warps) if lanes and warps else None


WAVEFRONTS = total("shared_ld_wavefronts", "shared_st_wavefronts")
QUANTITIES = {
    "instructions": total("inst_executed"),
    "active": active,
    "requests": total("global_ld_requests", "global_st_requests"),
    "atomics": total("global_atom_requests", "global_red_requests"),
    "sectors": total("global_ld_sectors", "global_st_sectors"),
    "shared": total("shared_ld_requests", "shared_st_requests"),
    "wavefronts": WAVEFRONTS,
    "conflicts": total("shared_ld_bank_conflicts", "shared_st_bank_conflicts"),
    "occupancy": total("occupancy"),
}


def pairs():
    """[(emulator's row, H200's row)], each experiment of a record once."""
    mine = {}
    for path in sorted(glob.glob("plots/records/emulator/*.csv", root_dir=ROOT)):
        for row in read(path) if "g80" not in path else []:
            mine[tuple(row[k] for k in KEY)] = row
    found = {}
    for path in sorted(glob.glob("plots/records/h200/*.counters.csv", root_dir=ROOT)) + [COUNTS]:
        for row in read(path):
            key = tuple(row[k] for k in KEY)
            if key in mine and row["inst_executed"]:
                found[key] = (mine[key], row)
    return [found[key] for key in sorted(found)]


def metrics():
    """{counter: Nsight Compute's metric} of those that small kernels are compared by."""
    text = (ROOT / "common/emulator/base/counters.h").read_text(encoding="utf-8")
    found = re.findall(r'X\((\w+),[\s\\]*"([\w.]+)"', text)
    return {name: metric for name, metric in found if re.match(SMALL_COUNTS, name)}


def small_rows():
    """[(kernel, emulator's counts, H200's counts)]; no H200's: None."""
    there = {row["kernel"]: row for row in read(SMALL["h200"])}
    return [(row["kernel"], row, there.get(row["kernel"])) for row in read(SMALL["emulator"])]


class Causes:
    """fidelity.txt: `name = sentence`, and rows of quantity, lab, variant, case, bounds, name."""

    def __init__(self, text):
        self.sentences, self.rules, self.used = {}, [], set()
        for line in text.splitlines():
            line = line.split("#")[0].strip()
            if " = " in line:
                name, sentence = line.split(" = ", 1)
                self.sentences[name.strip()] = sentence.strip()
            elif line:
                what, lab, variant, case, low, high, name = line.split()
                if what not in QUANTITIES and what not in metrics() or name not in self.sentences:
                    raise ValueError(f"fidelity.txt: {line}")
                self.rules.append((what, lab, variant, case, float(low), float(high), name))

    def of(self, what, row, by):
        for rule in self.rules:
            kind, lab, variant, case, low, high, name = rule
            if (kind == what and low <= by <= high and fnmatch.fnmatchcase(row["lab"], lab)
                    and fnmatch.fnmatchcase(row["variant"], variant)
                    and fnmatch.fnmatchcase(row["case"].replace(" ", "_"), case)):
                self.used.add(rule)
                return name
        return None


def differ(what, emulator, h200):
    """(both values, by how much they disagree); None for the latter within 2 %. Conflicts are told
    in parts of all wavefronts, other things as the H200's over the emulator's."""
    a, b = QUANTITIES[what](emulator), QUANTITIES[what](h200)
    if a is None or b is None or (what == "occupancy" and not b):
        return a, None, None
    if what == "conflicts":
        of = max(WAVEFRONTS(h200) or 0, WAVEFRONTS(emulator) or 0)
        return a, b, (b - a) / of if of and abs(b - a) > WITHIN * of else None
    if abs(a - b) <= WITHIN * b:
        return a, b, None
    return a, b, b / a if a else float("inf")


def number(what, x):
    return f"{x:.2f}" if what in ("active", "occupancy") else f"{x:,.0f}"


def cell(what, emulator, h200, causes, problems):
    a, b, by = differ(what, emulator, h200)
    if a is None or b is None:
        return "" if not a else number(what, a)
    if by is None:
        return number(what, a)
    name = causes.of(what, h200, by)
    if name is None:
        problems.append(f"{h200['lab']}, {h200['variant']} on {h200['case']}: {what} {a:g}, on the H200 {b:g}"
                        f" ({by:.3f}): no cause in fidelity.txt")
    return f"{number(what, a)} / {number(what, b)} {name}"


def count_tables(rows, causes, problems):
    yield "| lab | kernel | case | " + " | ".join(QUANTITIES) + " |"
    yield "| --- | --- | --- |" + " ---: |" * len(QUANTITIES)
    for emulator, h200 in rows:
        cells = [cell(q, emulator, h200, causes, problems) for q in QUANTITIES]
        yield f"| {h200['lab']} | {h200['variant']} | {h200['case']} | " + " | ".join(cells) + " |"


def small_table(causes, problems):
    """A row a kernel: how many counters agree, and those that do not."""
    yield "| kernel | the same | emulator / H200, and why |"
    yield "| --- | ---: | --- |"
    for kernel, mine, theirs in small_rows():
        same, others = [], []
        for name in metrics() if theirs else []:
            a, b = int(mine[name]), int(theirs[name])
            if a == b:
                same += [name] if a else []
                continue
            row = {"lab": "small", "variant": kernel, "case": "_"}
            cause = causes.of(name, row, b / a if a else float("inf"))
            if cause is None:
                problems.append(f"{kernel}: {name} {a}, on the H200 {b}: no cause in fidelity.txt")
            others.append(f"`{name}` {a} / {b} {cause}")
        yield f"| {kernel} | {', '.join(f'`{n}` {mine[n]}' for n in same)} | {'; '.join(others)} |"


def agreement(rows):
    yield "| | compared | within 2 % |"
    yield "| --- | ---: | ---: |"
    for what in QUANTITIES:
        by = [differ(what, *row) for row in rows]
        by = [x for x in by if x[0] is not None and x[1] is not None]
        yield f"| {what} | {len(by)} | {sum(x[2] is None for x in by)} |"


def error(row, column):
    return abs(float(row[column]) / float(row["measured_ms"]) - 1)


def per_cent(rows, column):
    return f"{100 * median(error(row, column) for row in rows):.1f} %"


def time_table(times):
    labs = sorted({row["lab"] for row in times})
    yield "| lab | kernels | median error | by the other half's constants | pairs in order |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for lab in labs + [None]:
        rows = [row for row in times if lab in (None, row["lab"])]
        asked = sum(int(row["pairs"]) for row in rows)
        wrong = sum(int(row["inverted"]) for row in rows)
        yield (f"| {lab or 'all'} | {len(rows)} | {per_cent(rows, 'modelled_ms')} | {per_cent(rows, 'other_half_ms')}"
               f" | {asked - wrong} of {asked} |")


def halves(times):
    for half in ("1", "2"):
        rows = [row for row in times if row["half"] == half]
        names = sorted({row["lab"] for row in rows})
        other = "2" if half == "1" else "1"
        yield (f"- {', '.join(names)}: {per_cent(rows, 'other_half_ms')} with the constants of the other half"
               f" ({other}), {per_cent(rows, 'modelled_ms')} with the profile's.")


def absent(rows):
    """Kernels that the emulator's records have, and no H200's counters are kept of."""
    there = {(h200["lab"], h200["variant"]) for _, h200 in rows}
    for path in sorted(glob.glob("plots/records/emulator/*.csv", root_dir=ROOT)):
        for row in read(path):
            if (row["lab"], row["variant"]) not in there:
                there.add((row["lab"], row["variant"]))
                yield f"{row['lab']}, {row['variant']}"


def inverted(pairs):
    """A row a cause and slower kernel: the faster ones that it is taken to be faster than."""
    yield "| slower | µs, modelled | than | µs, modelled | why |"
    yield "| --- | ---: | --- | ---: | --- |"
    for row in pairs:
        ms = {k: f"{1e3 * float(row[k + '_ms']):.4g}, {1e3 * float(row[k + '_modelled_ms']):.4g}" for k in ("slow", "fast")}
        other = row["fast_case"] if row["fast_case"] != row["slow_case"] else ""
        yield (f"| `{row['slow']}` on {row['slow_case']} | {ms['slow']} | `{row['fast']}`{other and ' on ' + other} "
               f"| {ms['fast']} | {row['why']} |")


def page():
    """(text, problems)"""
    problems = []
    causes = Causes(CAUSES.read_text(encoding="utf-8"))
    rows, times = pairs(), read(TIMES)
    table = list(count_tables(rows, causes, problems))
    small = list(small_table(causes, problems))
    problems += [f"fidelity.txt: nothing needs {' '.join(map(str, rule))}"
                 for rule in causes.rules if rule not in causes.used]
    lines = ["# The emulator beside an H200",
             "Written by `make fidelity` from the kept records: do not edit. [COUNTERS.md](COUNTERS.md) defines "
             "what is counted, [MODEL.md](MODEL.md) how times are modelled.", "",
             "## Times",
             "`median error` is of modelled against measured times of one launch or a few, data where the launch "
             "before left them. Of any two kernels of a ladder the model should have the slower one slower; ties are "
             "not asked for ([MODEL.md](MODEL.md)).", "",
             *time_table(times), "",
             "Two constants of the profile are fitted. Fitted on half of the labs and tested on the other half:", "",
             *halves(times), "",
             "### Pairs out of order", "All of them, with the cause as far as it is known:", "",
             *inverted(read(INVERTED)), "",
             "## Counts",
             "One number: the emulator's, and Nsight Compute's is within 2 %. Two: the emulator's, the H200's, and "
             "the cause. Requests and sectors are of global loads and stores, active lanes of 32, occupancy the "
             "theoretical one; conflicts differ when they do by more than 2 % of the wavefronts.", "",
             *agreement(rows), "",
             "No counters of an H200 are kept of: " + "; ".join(absent(rows)) + ".", "",
             *(f"- **{name}**: {sentence}" for name, sentence in causes.sentences.items()), "",
             *table, "",
             "## Small kernels",
             "Each executes one kind of instruction a few times ([counts_main.c](../cases/counts_main.c)); here "
             "counts are the same or the difference has a cause. Counters that are 0 on both are left out.", "",
             *small]
    return "\n".join(lines) + "\n", problems


def kept():
    """(counts by lab, the command of each lab) of the file there is."""
    path, rows, commands = ROOT / COUNTS, {}, {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:] if path.exists() else []:
        if line.startswith("# "):
            commands[line.split()[1]] = line[2:]
    for row in read(COUNTS) if path.exists() else []:
        rows.setdefault(row["lab"], []).append(row)
    return rows, commands


def counted(build, lab, args):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "counts.csv")
        subprocess.run(["common/run.sh", "one", f"{build}/bin/{lab}", *args, f"--csv={out}"], check=True,
                       cwd=ROOT, stdout=subprocess.DEVNULL, env=dict(os.environ, BACKEND="gpu", PROFILE="1"))
        with open(out, encoding="utf-8") as f:
            return list(csv.DictReader(line for line in f if not line.startswith("#")))


def small_text(command, rows):
    """rows: {kernel: {counter: number}}"""
    lines = [",".join(["kernel", *metrics()])]
    lines += [",".join([kernel, *(str(row[name]) for name in metrics())]) for kernel, row in rows.items()]
    return f"# command: {command}\n" + "\n".join(lines) + "\n"


def small_emulator(build):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "profile.csv")
        subprocess.run([f"{build}/bin/warprun", "--profile", out, f"{build}/bin/ptxcounts"], check=True, cwd=ROOT,
                       stdout=subprocess.DEVNULL)
        with open(out, encoding="utf-8") as f:
            rows = {row["method"]: row for row in csv.DictReader(f) if row["kind"] == "kernel"}
    return small_text("warprun --profile profile.csv ptxcounts", rows)


def small_h200(text):
    """From what ncu said: comments, then a heading, units, a row a launch."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    rows = {row["Kernel Name"]: {name: int(float(row[metric].replace(",", ""))) for name, metric in metrics().items()}
            for row in list(csv.DictReader(lines))[1:]}
    return small_text("ncu --clock-control none --csv --page raw --metrics ... ptxcounts", rows)


def small_record(build):
    ncu = ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--metrics", ",".join(metrics().values())]
    said = subprocess.run([*ncu, f"{build}/bin/ptxcounts"], check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    (ROOT / SMALL["h200"]).write_text(small_h200(said.stdout), encoding="utf-8")


def small(build, keep):
    """Is the kept record what the emulator counts now?"""
    now, path = small_emulator(build), ROOT / SMALL["emulator"]
    if keep:
        path.write_text(now, encoding="utf-8")
    if now != path.read_text(encoding="utf-8"):
        print(f"{SMALL['emulator']} is not what the emulator counts: make fidelity writes it", file=sys.stderr)
        return 1
    return 0


def record(build, labs):
    """Nsight Compute's counters of CASES, lab after lab, in one file; the other labs' stay."""
    rows, commands = kept()
    for lab in labs or CASES:
        args = ["--solution", "--no-time", "--no-records", "--case", CASES[lab]]
        rows[lab] = counted(build, lab, args)
        commands[lab] = " ".join([lab, *args])
        columns = list(rows[lab][0])
    with open(ROOT / COUNTS, "w", encoding="utf-8", newline="") as f:
        f.write("# command: make fidelity-record\n" + "".join(f"# {commands[lab]}\n" for lab in sorted(commands)))
        out = csv.DictWriter(f, columns, restval="", extrasaction="ignore", lineterminator="\n")
        out.writeheader()
        out.writerows(row for lab in sorted(rows) for row in rows[lab])


def again_commands():
    """{lab: arguments} that time each kernel of TIMES once more."""
    cases, variants = {}, {}
    for row in read(TIMES):
        cases.setdefault(row["lab"], {})[row["case"]] = None
        variants.setdefault(row["lab"], {})[row["variant"]] = None
    return {lab: ["--solution", "--no-records", "--kernel", ",".join(variants[lab]), "--case", ",".join(cases[lab])]
            for lab in cases}


def again_text(records):
    """From the records' rows, by lab, those of TIMES."""
    columns = [*KEY[:4], "hot_ms", "hot_lo_ms", "hot_hi_ms"]
    wanted = {tuple(row[k] for k in KEY[:4]) for row in read(TIMES)}
    lines = ["# command: make fidelity-again", ",".join(columns)]
    for lab in sorted(records):
        lines += [",".join(row[c] for c in columns) for row in records[lab]
                  if tuple(row[k] for k in KEY[:4]) in wanted]
    return "\n".join(lines) + "\n"


def again(build):
    records = {}
    with tempfile.TemporaryDirectory() as folder:
        for lab, args in again_commands().items():
            out = os.path.join(folder, lab + ".csv")
            subprocess.run([f"{build}/bin/{lab}", *args, f"--csv={out}"], check=True, cwd=ROOT,
                           stdout=subprocess.DEVNULL)
            with open(out, encoding="utf-8") as f:
                records[lab] = list(csv.DictReader(line for line in f if not line.startswith("#")))
    (ROOT / AGAIN).write_text(again_text(records), encoding="utf-8")


def main(argv):
    if argv[:1] == ["--record"]:
        return record(argv[1], argv[2:])
    if argv[:1] == ["--small-record"]:
        return small_record(argv[1])
    if argv[:1] == ["--again"]:
        return again(argv[1])
    if argv[:1] == ["--small-check"]:
        return small(argv[1], False)
    if argv:
        small(argv[0], True)
    text, problems = page()
    PAGE.write_text(text, encoding="utf-8")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
