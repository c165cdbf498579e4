"""records.py - reads the run records of common/harness/RECORDS.md.

Interface:
    load(paths=None) -> Records     the newest row of each experiment in the given CSV files or
                                    folders (default: plots/records and build/records)
    Records.where(lab=…, …)         a subset; a value, a tuple of values or a function each
    Records.one(…)                  exactly one row, or a RecordError that names what is missing
    RecordError                     every complaint; its text begins with the file (and line)

An experiment is (machine, lab, variant, case, dtype, op). Where several records hold the
same one, the row with the newest date wins; a row that failed its check never stands for
anything. Empty cells and NaN are missing (None), never 0.
"""
import csv
import math
import os
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

TEXT = ("lab", "variant", "number", "case", "dtype", "op", "block", "grid", "device", "backend",
        "evidence", "correct", "counters_evidence", "bound", "date", "version")
NUMBERS = ("n", "m", "k", "param", "seed", "items", "launches", "reps",
           "hot_ms", "hot_lo_ms", "hot_hi_ms", "cold_ms", "cold_lo_ms", "cold_hi_ms",
           "bytes", "flops", "gbps", "gflops", "step", "cumulative", "occupancy", "clock_mhz")
REQUIRED = TEXT + NUMBERS
EVIDENCE = ("measured", "modelled", "counted", "")


class RecordError(Exception):
    """A record that cannot be used, or a figure that no record holds."""


# Ratios that figures and slides speak of: numerator, denominator.
RATIOS = {
    "sectors_per_ld": ("global_ld_sectors", "global_ld_requests"),
    "sectors_per_st": ("global_st_sectors", "global_st_requests"),
    "conflict_degree_ld": ("shared_ld_wavefronts", "shared_ld_requests"),
    "conflict_degree_st": ("shared_st_wavefronts", "shared_st_requests"),
    "active_lanes": ("thread_inst_executed", "inst_executed"),
    "active_lanes_pred_on": ("thread_inst_executed_pred_on", "inst_executed"),
}
# Sums that figures and slides speak of.
SUMS = {
    "global_sectors": ("global_ld_sectors", "global_st_sectors"),
    "shared_wavefronts": ("shared_ld_wavefronts", "shared_st_wavefronts"),
    "bank_conflicts": ("shared_ld_bank_conflicts", "shared_st_bank_conflicts"),
    "global_requests": ("global_ld_requests", "global_st_requests"),
    "flop_counted": ("flop_fp16", "flop_fp32", "flop_fp64", "tensor_flop"),
}


def slug(device):
    """'NVIDIA H200' -> 'h200'; the word slides use for a machine."""
    word = re.sub(r"^(nvidia|geforce|tesla)\s+", "", device.lower().strip())
    return re.sub(r"[^a-z0-9]+", "-", word).strip("-")


class Row(dict):
    """One line of a record. Columns are keys; `value()` knows derived figures too."""
    where = ""  # file:line

    @property
    def machine(self):
        base = slug(self["device"])
        return base if self["backend"] == "gpu" else f"emulator-{base}"

    @property
    def time_ms(self):
        return self["cold_ms"] if self["cold_ms"] is not None else self["hot_ms"]

    @property
    def experiment(self):
        return (self.machine, self["lab"], self["variant"], self["case"], self["dtype"], self["op"])

    def matches_machine(self, name):
        """`h200` is the GPU; `emulator` any emulated one; `emulator-g80` that profile."""
        if name == "emulator":
            return self["backend"] == "emulator"
        return self.machine == name or (name == "gpu" and self["backend"] == "gpu")

    def value(self, field):
        """A column, time_ms, a ratio, a sum or tflops; None when the record has none."""
        if field == "time_ms":
            return self.time_ms
        if field == "tflops":
            return None if self["gflops"] is None else self["gflops"] / 1000
        if field in RATIOS:
            top, bottom = (self.get(c) for c in RATIOS[field])
            return None if top is None or not bottom else top / bottom
        if field in SUMS:
            parts = [self.get(c) for c in SUMS[field]]
            return None if all(p is None for p in parts) else sum(p or 0 for p in parts)
        if field not in self:
            raise RecordError(f"{self.where}: no column '{field}'")
        return self[field]


class Records(list):
    """A list of rows that can be narrowed."""

    def timed(self):
        """Rows with a time: cases that were only checked have none."""
        return Records(row for row in self if row.time_ms)

    def sweeps(self, **wanted):
        """variant -> its timed rows in order of `param`, for variants that were run over
        several; where there are several lengths, the one with the most parameters, the
        longest among equals."""
        rows, out = self.where(**wanted).timed(), {}
        for variant in rows.values("variant"):
            groups = {}
            for row in rows.where(variant=variant):
                groups.setdefault(row["n"], []).append(row)
            best = max(groups.values(), key=lambda g: (len({r["param"] for r in g}), g[0]["n"] or 0))
            if len({r["param"] for r in best}) > 1:
                out[variant] = Records(sorted(best, key=lambda r: r["param"]))
        return out

    def where(self, machine=None, **wanted):
        def good(row):
            if machine is not None and not row.matches_machine(machine):
                return False
            for column, want in wanted.items():
                got = row.value(column)
                if callable(want):
                    if not want(got):
                        return False
                elif isinstance(want, (tuple, set, list)):
                    if got not in want:
                        return False
                elif got != want:
                    return False
            return True
        return Records(row for row in self if good(row))

    def counts(self, rows, field):
        """[(param, value)] of a sweep's counted field and the rows they are from: the sweep's
        own, or else the emulator's for the same device; no profiler has every counter."""
        twins = self.sweeps(machine="emulator", device=rows[0]["device"], lab=rows[0]["lab"])
        for source in (rows, twins.get(rows[0]["variant"], [])):
            values = [(r["param"], r.value(field)) for r in source if r.value(field) is not None]
            if values:
                return values, list(source)
        return [], []

    def machines(self):
        """Machines in a fixed order: GPUs first."""
        return sorted({r.machine for r in self}, key=lambda m: (m.startswith("emulator"), m))

    def values(self, column):
        """Distinct values in the order of the records."""
        return list(dict.fromkeys(r.value(column) for r in self if r.value(column) is not None))

    def one(self, **wanted):
        found = self.where(**wanted)
        said = ", ".join(f"{k}={v}" for k, v in wanted.items())
        if not found:
            raise RecordError(f"no record for {said}")
        if len(found) > 1:
            raise RecordError(f"{len(found)} records for {said}: say more (dtype, op, machine)")
        return found[0]


def _number(text, where, column):
    if text.strip() == "":
        return None
    try:
        value = float(text)
    except ValueError:
        raise RecordError(f"{where}: column '{column}' should be a number, is '{text}'") from None
    if math.isnan(value):
        return None
    if math.isinf(value):
        raise RecordError(f"{where}: column '{column}' is infinite")
    return int(value) if value.is_integer() and abs(value) < 2**63 else value


def _heading(cells, where):
    missing = [c for c in REQUIRED if c not in cells]
    if missing:
        raise RecordError(f"{where}: missing column{'s' if len(missing) > 1 else ''} "
                          f"{', '.join(missing)} (see common/harness/RECORDS.md)")
    twice = sorted({c for c in cells if cells.count(c) > 1})
    if twice:
        raise RecordError(f"{where}: column {', '.join(twice)} appears twice")


def _row(cells, heading, where):
    if len(cells) != len(heading):
        raise RecordError(f"{where}: {len(cells)} cells where the heading has {len(heading)} "
                          "(damaged, or cut off while being written)")
    row = Row()
    for column, text in zip(heading, cells):
        row[column] = text if column in TEXT else _number(text, where, column)
    row.where = where
    for column in ("lab", "variant", "case", "device", "backend"):
        if not row[column]:
            raise RecordError(f"{where}: column '{column}' is empty")
    for column in ("evidence", "counters_evidence"):
        if row[column] not in EVIDENCE:
            raise RecordError(f"{where}: column '{column}' is '{row[column]}', not one of "
                              f"{', '.join(e for e in EVIDENCE if e)}")
    return row


def shown(path):
    """A path as messages print it: relative to the repository where possible."""
    try:
        return str(Path(path).resolve().relative_to(ROOT))
    except ValueError:
        return str(path)


def read(path):
    """All rows of one CSV file, whatever their check said."""
    name = shown(path)
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as e:
        raise RecordError(f"{name}: {e.strerror}") from None
    except UnicodeDecodeError as e:
        raise RecordError(f"{name}: not text (byte {e.start}): damaged") from None
    if not text.strip():
        raise RecordError(f"{name}: empty file")
    lines = text.split("\n")
    if lines[-1] != "":
        raise RecordError(f"{name}:{len(lines)}: the last line has no end: cut off while being written?")
    heading, rows = None, []
    for number, line in enumerate(lines[:-1], 1):
        where = f"{name}:{number}"
        if line.startswith("#") or not line.strip():
            continue
        try:
            cells = next(csv.reader([line], strict=True))
        except (csv.Error, StopIteration) as e:
            raise RecordError(f"{where}: not CSV: {e}") from None
        if heading is None:
            heading = cells
            _heading(heading, where)
        else:
            rows.append(_row(cells, heading, where))
    if heading is None:
        raise RecordError(f"{name}: no heading, only comments")
    return rows


def find(paths=None):
    """The CSV files under the given files and folders. build/records/mine, the student's own
    runs, are taken only when asked for: they would stand for the solutions' otherwise."""
    files = []
    for path in map(Path, paths or (HERE / "records", ROOT / "build" / "records")):
        if path.is_dir():
            found = sorted(path.rglob("*.csv"))
            files += found if paths else [f for f in found if f.parent.name != "mine"]
        elif path.exists() or paths:
            files.append(path)
    return files


def _with_counters(row, old):
    """A run without counters keeps those of the run before it: they come by separate passes."""
    if old is not None and not row["counters_evidence"] and old["counters_evidence"]:
        row.update({c: v for c, v in old.items() if c not in REQUIRED or c == "counters_evidence"})
    return row


def load(paths=None):
    """The newest good row of every experiment. RECORDS in the environment stands for paths."""
    if paths is None and os.environ.get("RECORDS"):
        paths = os.environ["RECORDS"].split()
    files = find(paths)
    if not files and paths:
        raise RecordError(f"{', '.join(shown(p) for p in paths)}: no .csv in there")
    if not files:
        raise RecordError("no records: run `make` (or `make run LAB=…`) first, or say RECORDS=FILE.csv")
    newest = {}
    for path in files:
        for row in read(path):
            if row["correct"] == "fail":
                continue
            old = newest.get(row.experiment)
            if old is not None and row["date"] < old["date"]:
                row, old = old, row
            newest[row.experiment] = _with_counters(row, old)
    return Records(newest.values())
