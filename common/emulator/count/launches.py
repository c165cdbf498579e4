#!/usr/bin/env python3
"""Writes testdata/launches-*.csv and schedules-h200.csv. The first: what the emulator counts and samples of every launch that the
kept records of the H200, and the lecture's table of a G80, have a time for. ladders_test.c holds
the modelled times of these launches to the measured ones. Cases that the emulator would take hours
for are left out. The second: modelled times of whole schedules, copies and cuFFT's calls among them.

    launches.py BUILD [LAB]   (make launches; LAB=… alone, the other labs' rows stay)
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

LABS = ["bank_conflicts", "black_scholes", "coalescing", "conv1d", "divergence", "latency_hiding",
        "matmul", "monte_carlo", "reduction", "reduction_uses"]
# Not schedules, whose times are of copies more than of kernels; and no kernel twice.
KERNELS = {"black_scholes": "move,direct,strided,fast,vector",
           "monte_carlo": "twister,philox,normals,price_array,price_block,price_blocks,"
                          "price_curand"}
OUT = "common/emulator/testdata/launches-%s.csv"
LEFT_OUT = {"black_scholes": ("options=2^24", "options=2^26"),
            "matmul": ("n=4096", "f16 n=4096", "bf16 n=4096"),
            "monte_carlo": ("paths=2^20", "paths=2^22", "paths=2^24"),
            "reduction": ("n=2^25",)}
# Kernels and cases from which on the host's calls, which are not modelled, do not matter.
SCHEDULES = {"transfers": ("1,2,3,4,5,6", "copy-n=2^22,copy-n=2^24"),
             "black_scholes": ("pageable,pinned,overlap", "options=2^20,options=2^22"),
             "poisson": ("transforms,solve_naive,solve_shared,read_pairs,solve_half,solve_fused",
                         "n=1024,n=2048")}
KEYS = ["lab", "variant", "case", "dtype"]
SHAPE = ["blocks", "threads", "registers", "shared"]
SAMPLED = ["l2_sectors", "dram_sectors", "l1_passes", "shared_skipped", "shared_joined", "l2_repeated", "life_l2", "life_dram", "const_visits", "const_bytes",
           "atom_chain", "cluster_sectors"]
# those that count/model.c reads
COUNTERS = """inst_executed div_ops flop_fp32 flop_fp64 flop_fp16 sfu_ops tensor_flop
    tensor_ops_fp16 tensor_ops_bf16 tensor_ops_tf32 tensor_ops_fp64 tensor_ops_fp8 tensor_ops_int8 tensor_ops_int1
    wgmma_ops tma_ld_bytes
    shared_ld_wavefronts shared_st_wavefronts shared_atom_requests shared_atom_passes
    const_ld_requests global_ld_requests global_st_requests global_atom_requests
    global_red_requests local_ld_requests local_st_requests global_ld_sectors global_st_sectors
    global_atom_sectors local_ld_sectors local_st_sectors global_atom_passes""".split()


def rows_of(path):
    with open(path, encoding="utf-8") as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


def measured_cases(lab):
    """Cases of the H200's records, in their order, each with the variants that have a time in it."""
    cases = {}
    for name in (lab, lab + "-small"):
        path = f"plots/records/h200/{name}.csv"
        for row in rows_of(path) if os.path.exists(path) else []:
            if row["case"] not in LEFT_OUT.get(lab, ()):
                cases.setdefault(row["case"], set()).add(row["variant"])
    return cases.items()


def run(build, device, lab, case, kernels, folder):
    """The record's rows of one case, and the profile's launches."""
    profile, record = os.path.join(folder, "p.json"), os.path.join(folder, "r.csv")
    env = dict(os.environ, WARPLAB_PROFILE=profile, WARPLAB_DEVICE=device,
               LD_LIBRARY_PATH=os.path.abspath(f"{build}/lib"))
    only = ["--kernel", kernels] if kernels else []
    subprocess.run([f"{build}/bin/{lab}", "--solution", *only, "--case", case, "--no-records",
                    "--steps=0", f"--csv={record}"], env=env, check=True,
                   stdout=subprocess.DEVNULL)
    with open(profile, encoding="utf-8") as f:
        return rows_of(record), [x for x in json.load(f) if x["kind"] == "kernel"]


def launches_of(lab, case, variants, rows, launches):
    """Each launch beside the record's row that it belongs to: they come in the same order. All of
    a lab's kernels run, as where its records are made, whose buffers lie as here."""
    at = 0
    for row in rows:
        mine = launches[at:at + int(row["launches"])]
        at += len(mine)
        if sum(x["inst_executed"] for x in mine) != int(row["inst_executed"]):
            sys.exit(f"{lab}, {case}: launches do not add up to {row['variant']}'s record")
        for x in mine:
            if variants and row["variant"] not in variants:
                continue
            x["blocks"] = x["grid_x"] * x["grid_y"] * x["grid_z"]
            x["threads"] = x["block_x"] * x["block_y"] * x["block_z"]
            x["shared"] = x["static_shared"] + x["dynamic_shared"]
            yield [row[k] for k in KEYS] + [f"{x[k]:.9g}" for k in SHAPE + SAMPLED + COUNTERS]
    if at != len(launches):
        sys.exit(f"{lab}, {case}: {len(launches) - at} launches of no row")


def write(build, device, cases, kernels, only):
    columns = KEYS + SHAPE + SAMPLED + COUNTERS
    kept = [[row[c] for c in columns] for row in rows_of(OUT % device)] if only else []
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for row in kept if row[0] != only]
        for lab, case, variants in cases:
            if only in (None, lab):
                print(device, lab, case, file=sys.stderr)
                rows += launches_of(lab, case, variants,
                                    *run(build, device, lab, case, kernels.get(lab), folder))
        rows.sort(key=lambda row: row[0])  # cases and launches stay in their order
        with open(OUT % device, "w", encoding="utf-8") as f:
            f.write("# command: make launches\n")
            csv.writer(f, lineterminator="\n").writerows([columns] + rows)


def write_schedules(build, only):
    path = OUT.replace("launches", "schedules") % "h200"
    columns = KEYS + ["ms"]
    kept = rows_of(path) if only else []
    rows = [[row[c] for c in columns] for row in kept if row["lab"] != only]
    with tempfile.TemporaryDirectory() as folder:
        for lab, (kernels, cases) in SCHEDULES.items():
            if only not in (None, lab):
                continue
            for row in run(build, "h200", lab, cases, kernels, folder)[0]:
                rows.append([row[k] for k in KEYS] + [row["hot_ms"]])
    rows.sort(key=lambda row: row[0])
    with open(path, "w", encoding="utf-8") as f:
        f.write("# command: make launches\n")
        csv.writer(f, lineterminator="\n").writerows([columns] + rows)


def main(build, only=None):
    if only in (None, "reduction"):
        write(build, "g80", [("reduction", "n=2^22", None)], {"reduction": "1,2,3,4,5,6,7"}, None)
    write(build, "h200", [(lab, *case) for lab in LABS for case in measured_cases(lab)], KERNELS,
          only)
    if only is None or only in SCHEDULES:
        write_schedules(build, only)


if __name__ == "__main__":
    main(*sys.argv[1:])
