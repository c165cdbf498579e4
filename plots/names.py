"""names.py - words for people: what a variant is called beside its curve, and what a device
can do at most. Anything not listed is shown under its own name."""
import csv
from pathlib import Path

import records

VARIANTS = {
    "reduce1": "interleaved, divergent",
    "reduce2": "interleaved, strided",
    "reduce3": "sequential",
    "reduce4": "add during load",
    "reduce5": "last warp unrolled",
    "reduce6": "all unrolled",
    "reduce7": "many per thread",
    "reduce8": "shuffles",
    "reduce9": "one launch, wide loads",
}

MACHINES = {"backend gpu": "{device}", "backend emulator": "emulated {device}"}


def variant(row_or_name, number=None):
    """'3 sequential' for a row; the plain name where nothing better is known."""
    if isinstance(row_or_name, dict):
        number, name = row_or_name["number"], row_or_name["variant"]
    else:
        name = row_or_name
    words = VARIANTS.get(name, name.replace("_", " "))
    return f"{number} {words}" if number else words


def machine(row):
    """'NVIDIA H200' or 'NVIDIA H200, emulated'."""
    return row["device"] if row["backend"] == "gpu" else f"{row['device']}, emulated"


def device(name):
    """The row of devices.csv for a device, numbers as floats; RecordError if there is none."""
    path = Path(__file__).with_name("devices.csv")
    with open(path, encoding="utf-8") as f:
        for row in csv.DictReader(line for line in f if not line.startswith("#")):
            if records.slug(row["device"]) == records.slug(name):
                return {k: v if k in ("device", "source") else float(v) for k, v in row.items()}
    raise records.RecordError(f"{records.shown(path)}: no row for device '{name}'")
