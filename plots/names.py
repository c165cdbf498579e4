"""names.py - words for people: what a variant is called beside its curve, and what a device
can do at most. Anything not listed is shown under its own name."""
import csv
import functools
import json
import re
from pathlib import Path

import records


@functools.lru_cache(maxsize=None)
def labels():
    """{variant: what it is called beside its curve}, as the labs' shown.json say."""
    found = {}
    for path in sorted((records.ROOT / "labs").glob("*/shown.json")):
        try:
            found |= json.loads(path.read_text(encoding="utf-8")).get("labels", {})
        except ValueError as e:
            raise records.RecordError(f"{records.shown(path)}: {e}") from None
    return found


@functools.lru_cache(maxsize=None)
def _labels_of_cases():
    """{variant: its name in a picture of one case, with {} for the case's parameter}."""
    found = {}
    for path in sorted((records.ROOT / "labs").glob("*/shown.json")):
        found |= json.loads(path.read_text(encoding="utf-8")).get("of_a_case", {})
    return found


@functools.lru_cache(maxsize=None)
def by_map():
    """The variants that load by tensor maps: Nsight Compute's requests and sectors are of the
    load/store units and leave out what the TMA brings, so that they say nothing of their traffic."""
    return {variant for path in (records.ROOT / "labs").glob("*/shown.json")
            for variant in json.loads(path.read_text(encoding="utf-8")).get("by_map", ())}


def compared(lab):
    """Of cases that machines share equally, the one that shows what the lab is about; None if it says none."""
    path = records.ROOT / "labs" / lab / "shown.json"
    return json.loads(path.read_text(encoding="utf-8")).get("compared") if path.exists() else None


def of_a_case(name, number, param):
    """'4 paths' where the curve over all cases is called '1 to 32 paths'."""
    words = _labels_of_cases().get(name)
    if not words or param in (None, "", 0):
        return variant(name, number)
    return f"{number} {words.format(param)}" if number else words.format(param)


def variant(row_or_name, number=None):
    """'3 sequential' for a row; the plain name where nothing better is known."""
    if isinstance(row_or_name, dict):
        number, name = row_or_name["number"], row_or_name["variant"]
    else:
        name = row_or_name
    words = labels().get(name, name.replace("_", " "))
    return f"{number} {words}" if number else words


def ladder(row):
    """Sorts by number, 2 before 2a before 10; of the two kernels 7, the one with the G80's grid comes first."""
    return (re.sub(r"\d+", lambda m: m[0].zfill(4), row["number"]), -len(row["variant"]))


def beside(kernels):
    """Of [(number, variant)] in the ladder's order, the variants that are no step of it: of several
    with one number the last is the step, as 7 is and the same with the G80's 64 blocks is not."""
    step = dict(kernels)
    return {variant for number, variant in kernels if number and step[number] != variant}


def machine(row):
    """'NVIDIA H200' or 'NVIDIA H200, emulated'."""
    return row["device"] if row["backend"] == "gpu" else f"{row['device']}, emulated"


def counted(what, rows):
    """'wavefronts: NVIDIA H200, emulated (counted)', or nothing when nothing was counted."""
    sources = dict.fromkeys(f"{machine(r)} ({r['counters_evidence']})" for r in rows)
    return f"{what}: {'; '.join(sources)}" if sources else ""


def device(name):
    """The row of devices.csv for a device, numbers as floats; RecordError if there is none."""
    path = Path(__file__).with_name("devices.csv")
    with open(path, encoding="utf-8") as f:
        for row in csv.DictReader(line for line in f if not line.startswith("#")):
            if records.slug(row["device"]) == records.slug(name):
                return {k: v if k in ("device", "source") else float(v) for k, v in row.items()}
    raise records.RecordError(f"{records.shown(path)}: no row for device '{name}'")
