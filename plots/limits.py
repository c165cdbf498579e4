"""limits.py - how far the last rungs are from the best known code, from kept records:
common/harness/LIMITS.md.

    make limits     writes the page; exit 1 where a goal is missed without a reason

Goals are below, measured values those of plots/records/h200: `make bench-peers` (peers.txt) and two
labs' own records. A goal is missed where the whole 95 % interval is below it; each missed one has
its reason and the next step in limits.txt, and a reason that no row needs any more has to go.
"""
import csv
import fnmatch
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "common" / "harness" / "LIMITS.md"
REASONS = ROOT / "plots" / "limits.txt"
RECORDS = ROOT / "plots" / "records" / "h200"
DEVICE = "NVIDIA H200"
COPY_SHARE, FP32_SHARE, TENSOR_SHARE, DRAM_SHARE, LINE = 0.95, 0.80, 0.95, 0.95, 0.03
TENSOR_FROM = 2048
MOST_ROWS = 40  # of a goal; of more only those that are not met are shown


def read(path):
    with open(path, encoding="utf-8") as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


def device(devices=ROOT / "plots" / "devices.csv"):
    return next({k: float(v) for k, v in row.items() if k not in ("device", "source")}
                for row in read(devices) if row["device"] == DEVICE)


class Row:
    """A goal, a case of it, and what was measured: the median and its interval, low and high."""

    def __init__(self, lab, kernel, case, goal, value, low, high):
        self.lab, self.kernel, self.case, self.goal = lab, kernel, case, goal
        self.value, self.low, self.high = value, low, high

    def word(self):
        return "yes" if self.low >= self.goal else "no" if self.high < self.goal else "even"


def ratio(row, goal, how, case=None):
    return Row(row["lab"], row["variant"], f"{case or row['case']} {how}", goal,
               *(float(row[f"{how}_ratio{end}"]) for end in ("", "_lo", "_hi")))


def share(row, goal, most, what, how):
    """Of `most` per second: what the rung does by `what` (bytes or flops) a second."""
    ms = [float(row[f"{how}_{end}"]) for end in ("ms", "hi_ms", "lo_ms")]
    return Row(row["lab"], row["variant"], f"{row['case']} {how}", goal, *(float(row[what]) / (x / 1e3) / most for x in ms))


def reductions(peers, dev):
    rows = [r for r in peers if r["lab"] == "reduction"]
    sums = [r for r in rows if r["case"] == "2^30" and r["peer"].endswith("Sum")]
    named = [(r, f"{r['case']} {r['peer'].split('::')[-1].lower()} {r['dtype']}") for r in rows]
    return {
        "at least as fast as `cub::DeviceReduce`": [ratio(r, 1, how, name) for r, name in named for how in ("hot", "cold")],
        f"{DRAM_SHARE:.0%} of the memory's {dev['dram_gbps']:.0f} GB/s at 2^30": [
            share(r, DRAM_SHARE, dev["dram_gbps"] * 1e9, "bytes", "hot") for r in sums],
    }


def best(rows, goal, how="cold"):
    """Of a case the fastest rung: whoever needs the product takes that one."""
    cases = {}
    for r in rows:
        cases.setdefault(r["case"], []).append(ratio(r, goal, how))
    return [max(of, key=lambda x: x.value) for of in cases.values()]


def products(peers, _):
    fp32 = [r for r in peers if r["lab"] == "matmul" and r["dtype"] == "f32"]
    tensor = [r for r in peers if r["lab"] == "matmul" and r["dtype"] != "f32"]
    large = [r for r in tensor if int(r["n"]) >= TENSOR_FROM]
    said = {"fp32: at least cuBLAS, the faster of two rungs": best(fp32, 1)}
    for dtype in sorted({r["dtype"] for r in tensor}, reverse=True):
        said[f"{dtype}: {TENSOR_SHARE:.0%} of cublasLt from {TENSOR_FROM} on"] = best(
            [r for r in large if r["dtype"] == dtype], TENSOR_SHARE)
    return said


def convolutions(peers, dev):
    """Two goals, COPY_SHARE of a copy and FP32_SHARE of the arithmetic's peak: a width has the one that
    takes longer. (Where the arithmetic at peak takes as long as the copy, at width 64, 95 % of the
    copy would be more of the peak than is asked of any greater width.)"""
    rows = [r for r in peers if r["lab"] == "conv1d"]
    peak = dev["fp32_tflops"] * 1e12
    copied = [r for r in rows if float(r["flops"]) / (FP32_SHARE * peak) <= float(r["peer_cold_ms"]) / 1e3 / COPY_SHARE]
    return {
        f"{COPY_SHARE:.0%} of a device copy where that takes longer than {FP32_SHARE:.0%} of {dev['fp32_tflops']} TFLOP/s": [
            ratio(r, COPY_SHARE, "cold") for r in copied],
        f"{FP32_SHARE:.0%} of {dev['fp32_tflops']} TFLOP/s where that takes longer": [
            share(r, FP32_SHARE, peak, "flops", "cold") for r in rows if r not in copied],
    }


def copies(peers, _):
    rows = [r for r in peers if r["lab"] == "coalescing" and r["variant"] != "strided_copy"]
    return {f"{COPY_SHARE:.0%} of a device copy": [ratio(r, COPY_SHARE, "cold") for r in rows]}


def line(lab, points, times):
    """Every further path, or pass, takes what the second one does: how much of that a measured
    time is. The goal is to be within LINE on either side; what is over 1 is turned round."""
    (x0, y0), (x1, y1) = sorted(times)[:2]
    for x, y in sorted(times)[2:]:
        one = (y - y0) / (x - x0) / ((y1 - y0) / (x1 - x0))
        off = min(one, 1 / one)
        yield Row(lab, points, f"{x}", 1 - LINE, off, off, off)


def paths(_, __):
    rows = [r for r in read(RECORDS / "divergence.csv") if r["variant"] == "paths"]
    return {f"each further path takes what the second does, within {LINE:.0%}": list(
        line("divergence", "paths", [(int(r["param"]), float(r["hot_ms"])) for r in rows]))}


# Words of 4 bytes meet 32 times at stride 32, of 8 bytes 16 times, of 16 bytes 8 times.
WORDS = {"bank_loop4": 32, "bank_loop8": 16, "bank_loop16": 8}


def conflicts(_, dev):
    rows = read(RECORDS / "bank_conflicts.csv")
    said, rate = [], []
    for kernel, most in WORDS.items():
        of = [r for r in rows if r["variant"] == kernel and int(r["param"]) <= most and int(r["param"]) & (int(r["param"]) - 1) == 0]
        times = [(int(r["param"]), float(r["hot_ms"])) for r in of]
        said += line("bank_conflicts", kernel, times)
        (x0, y0), (x1, y1) = min(times), max(times)
        floor = float(of[0]["bytes"]) / (dev["l1_gbps"] * 1e9) * 1e3
        one = floor / ((y1 - y0) / (x1 - x0))
        rate.append(Row("bank_conflicts", kernel, "a pass", 1 - LINE, one, one, one))
    return {f"each further pass takes what the second does, within {LINE:.0%}": said,
            f"a pass takes no more than {LINE:.0%} above 128 bytes a clock and SM": rate}


LABS = {"reduction": reductions, "matmul": products, "conv1d": convolutions, "coalescing": copies,
        "bank_conflicts": conflicts, "divergence": paths}


class Reasons:
    """Lines `lab kernel case = text`, blanks of a case's name as `_`, patterns allowed."""

    def __init__(self, text):
        self.rules, self.used = [], set()
        for said in text.splitlines():
            if not said.strip() or said.startswith("#"):
                continue
            where, _, why = said.partition(" = ")
            fields = where.split()
            if len(fields) != 3 or not why.strip():
                raise ValueError(f"limits.txt: not `lab kernel case = reason; next step`: {said}")
            self.rules.append((fields, why.strip()))

    def of(self, row):
        names = (row.lab, row.kernel, row.case.replace(" ", "_"))
        for i, (fields, why) in enumerate(self.rules):
            if all(map(fnmatch.fnmatchcase, names, fields)):
                self.used.add(i)
                return why
        return None

    def unused(self):
        return [" ".join(fields) for i, (fields, _) in enumerate(self.rules) if i not in self.used]


def shown(x):
    return f"{x:.3f}" if x < 0.9995 else f"{x:.2f}"


def section(goal, rows, reasons, problems):
    words = [r.word() for r in rows]
    yield f"**{goal}**: {words.count('yes')} of {len(rows)}" + (
        f", {words.count('even')} even" if "even" in words else "") + (
        f", {words.count('no')} missed." if "no" in words else ".")
    yield ""
    if not rows:
        problems.append(f"{goal}: nothing measured")
        return
    if len(rows) > MOST_ROWS:
        met = [r.value for r in rows if r.word() == "yes"]
        rows = [r for r in rows if r.word() != "yes"]
        yield f"Those met have {shown(min(met))} to {shown(max(met))}; the others are:"
        yield ""
    yield "| kernel | case | measured | goal | met | |"
    yield "| --- | --- | ---: | ---: | --- | --- |"
    for r in rows:
        why = reasons.of(r) if r.word() == "no" else ""
        if why is None:
            problems.append(f"{r.lab} {r.kernel} {r.case}: missed, and limits.txt has no reason")
        spread = f" ({shown(r.low)} to {shown(r.high)})" if r.low != r.high else ""
        yield f"| `{r.kernel}` | {r.case} | {shown(r.value)}{spread} | {r.goal:.2f} | {r.word()} | {why or ''} |"
    yield ""


def page(peers=None, reasons=None):
    """The page's text, and what is wrong with it."""
    peers = peers or read(RECORDS / "peers.txt")
    reasons = reasons or Reasons(REASONS.read_text(encoding="utf-8"))
    dev, problems = device(), []
    out = ["# The last rungs beside the best known code", "Written by `make limits` from the kept records: do not edit.", "",
           f"One {DEVICE}; `plots/records/h200/peers.txt` (`make bench-peers RECORD_AS=h200`) and the two labs' own records. "
           "Measured is the peer's time over ours, or a share of what the device can do: 1 is as fast. In brackets the 95 % "
           "interval of the median; `even`: the goal lies within it. Times are of data that no cache holds (cold) or that the "
           "launch before has left where it was (hot).", ""]
    for lab, goals in LABS.items():
        out += [f"## {lab}"]
        for goal, rows in goals(peers, dev).items():
            out += section(goal, rows, reasons, problems)
    problems += [f"limits.txt: no missed row needs `{where}`" for where in reasons.unused()]
    return "\n".join(out).rstrip() + "\n", problems


def main():
    text, problems = page()
    PAGE.write_text(text, encoding="utf-8")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
