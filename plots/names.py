"""names.py - words for people: what a variant is called beside its curve, and what a device
can do at most. Anything not listed is shown under its own name."""
import csv
import re
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
    "reduce7_g80": "many per thread, 64 blocks",
    "reduce9": "one launch, wide loads",
    "branch_warp": "branch per warp",
    "branch_thread": "branch per thread",
    "paths": "1 to 32 paths",
    "mixed": "mixed, by place",
    "coherent": "coherent, by place",
    "mixed_data": "mixed, in the data",
    "coherent_data": "sorted in the block",
    "energy_aos": "array of structures",
    "energy_soa": "structure of arrays",
    "energy_aos_vec": "array of structures, 16-byte loads",
    "transpose_naive": "transpose, naive",
    "transpose_shared": "transpose, shared memory",
    "bank_once": "doubles, one read",
    "bank_loop4": "4-byte words",
    "bank_loop8": "8-byte words",
    "bank_loop16": "16-byte words",
    "bank_fixed": "4-byte words, rearranged",
    "transpose_conflict": "tile, 32 × 32",
    "transpose_padded": "tile, padded",
    "transpose_swizzled": "tile, swizzled",
    "conv3_naive": "width 3, naive",
    "conv3_shared": "width 3, shared memory",
    "conv_naive": "naive",
    "conv_shared": "shared memory",
    "conv_const": "constant weights",
    "conv_multi": "several outputs",
    "mm_naive": "naive as printed",
    "mm_coalesced": "coalesced",
    "mm_registers": "register tiling",
    "mm_shared": "shared tile",
    "mm_tiled": "both tilings",
    "mm_vector": "16-byte loads",
    "mm_pipeline": "double-buffered",
    "mm_tensor": "tensor cores",
}


def variant(row_or_name, number=None):
    """'3 sequential' for a row; the plain name where nothing better is known."""
    if isinstance(row_or_name, dict):
        number, name = row_or_name["number"], row_or_name["variant"]
    else:
        name = row_or_name
    words = VARIANTS.get(name, name.replace("_", " "))
    return f"{number} {words}" if number else words


def ladder(row):
    """Sorts by number, 2 before 2a before 10; of the two kernels 7, the one with the G80's grid comes first."""
    return (re.sub(r"\d+", lambda m: m[0].zfill(4), row["number"]), -len(row["variant"]))


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
