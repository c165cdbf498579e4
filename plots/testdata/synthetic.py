"""synthetic.py - SYNTHETIC records for the tests of plots and slides. Nothing here was measured;
the device is named so, and no figure or slide that is kept may come from it."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import records  # noqa: E402

LADDER = (*(f"reduce{v}" for v in range(1, 7)), "reduce7_g80", "reduce7", "reduce8", "reduce9")

COUNTERS = ("inst_executed", "thread_inst_executed", "thread_inst_executed_pred_on",
            "global_ld_requests", "global_ld_sectors", "global_ld_bytes", "global_st_requests",
            "global_st_sectors", "global_st_bytes", "shared_ld_requests", "shared_ld_wavefronts",
            "shared_ld_bank_conflicts", "shared_ld_bytes", "shared_st_requests", "shared_st_wavefronts",
            "shared_st_bank_conflicts", "barriers")
HEADING = ["lab", "variant", "number", "case", "n", "m", "k", "param", "dtype", "op", "seed", "block", "grid",
           "items", "launches", "device", "backend", "evidence", "correct", "reps", "hot_ms", "hot_lo_ms",
           "hot_hi_ms", "cold_ms", "cold_lo_ms", "cold_hi_ms", "bytes", "flops", "gbps", "gflops", "step",
           "cumulative", "counters_evidence", *COUNTERS, "occupancy", "bound", "date", "version", "clock_mhz"]
BASE = {"seed": 1, "block": "128", "grid": "64", "items": 1, "launches": 1, "correct": "pass", "reps": 21,
        "dtype": "i32", "op": "0", "date": "2026-01-02T03:04:05Z", "version": "synthetic", "m": "", "k": "",
        "param": "", "number": ""}


def row(machine, **kw):
    """A line; `machine` is 'gpu' or 'emulator'."""
    out = dict.fromkeys(HEADING, "") | BASE | {
        "device": "NVIDIA H200" if machine in ("h200-like", "h200-emulated") else "Synthetic S1",
        "backend": "emulator" if machine in ("emulator", "h200-emulated") else "gpu",
        "evidence": "modelled" if machine in ("emulator", "h200-emulated") else "measured",
        "counters_evidence": "counted" if machine in ("emulator", "h200-emulated") else "measured"} | kw
    if out["hot_ms"] != "" and out["bytes"] != "":
        out["gbps"] = out["bytes"] / out["hot_ms"] / 1e6
    if out["hot_ms"] != "" and out["flops"] != "":
        out["gflops"] = out["flops"] / out["hot_ms"] / 1e6
    return out


def reduction(machine):
    for v, variant in enumerate(LADDER, 1):
        for p in range(17, 26):
            n = 2**p
            yield row(machine, lab="reduction", variant=variant, number=variant[6], case=f"n=2^{p}", n=n,
                      bytes=4 * n, hot_ms=0.004 + 4 * n / (v * 2e8), inst_executed=n, thread_inst_executed=n * 20,
                      thread_inst_executed_pred_on=n * 18, global_ld_requests=n // 32, global_ld_sectors=n // 8,
                      global_st_requests=n // 4096, global_st_sectors=n // 4096,
                      shared_ld_requests=n // 16, shared_ld_wavefronts=n // 16 * (2 if v == 2 else 1))


def sweeps(machine):
    for i, s in enumerate((1, 2, 4, 8, 16, 32)):
        sectors = min(4 * s, 32)
        yield row(machine, lab="coalescing", variant="copy_stride", number="1", case=f"stride={s}", n=2**20,
                  param=s, dtype="f32", op="0", bytes=8 * 2**20, hot_ms=0.004 * sectors / 4,
                  global_ld_requests=2**15, global_ld_sectors=2**15 * sectors)
        yield row(machine, lab="coalescing", variant="copy_offset", number="2", case=f"offset={i}", n=2**20, param=i,
                  dtype="f32", op="0", bytes=8 * 2**20, hot_ms=0.004 + 0.001 * (i % 8 > 0),
                  global_ld_requests=2**15, global_ld_sectors=2**15 * (5 if i else 4))
        for v in ("bank_f32", "bank_f64"):
            yield row(machine, lab="bank_conflicts", variant=v, case=f"stride={s}", n=2**16, param=s,
                      dtype="f32" if v == "bank_f32" else "f64", op="0", bytes=2**20, hot_ms=0.07 * s,
                      shared_ld_requests=1000, shared_ld_wavefronts=1000 * s)
        yield row(machine, lab="divergence", variant="paths", case=f"paths={s}", n=2**20, param=s, dtype="f32", op="0",
                  bytes=2**22, hot_ms=0.1 * s, inst_executed=1000, thread_inst_executed_pred_on=32000 // s,
                  thread_inst_executed=32000 // s)
    for v in ("aos", "soa", "transpose_naive", "transpose_shared"):
        yield row(machine, lab="coalescing", variant=v, case="n=2^20", n=2**20, dtype="f32", op="0",
                  bytes=8 * 2**20, hot_ms=0.01, global_ld_requests=2**15, global_ld_sectors=2**17)
    for w in (3, 15, 63, 255):
        for j, v in enumerate(("conv_naive", "conv_shared")):
            yield row(machine, lab="conv1d", variant=v, number=str(j + 1), case=f"width={w}", n=2**20, param=w,
                      dtype="f32", op="0", bytes=8 * 2**20, flops=2 * w * 2**20, hot_ms=0.005 + w * 1e-4 / (j + 1),
                      global_ld_requests=2**15, global_ld_sectors=2**17 * (1 if j else w))


def matmul(machine):
    for j, v in enumerate(("mm_naive", "mm_coalesced", "mm_tiled")):
        for n in (256, 512, 1024):
            yield row(machine, lab="matmul", variant=v, number=str(j + 1), case=f"n={n}", n=n, m=n, k=n, dtype="f32",
                      op="0", bytes=12 * n * n, flops=2 * n**3, hot_ms=2 * n**3 / (0.5e9 * 10**j),
                      global_ld_requests=2 * n**3 // 32 // (16 if j == 2 else 1),
                      global_ld_sectors=2 * n**3 // 8 // (16 if j == 2 else 1),
                      global_ld_bytes=8 * n**3 // (16 if j == 2 else 1),
                      shared_ld_bytes=8 * n**3 if j == 2 else 0)


def rows(machine):
    return [*reduction(machine), *sweeps(machine), *matmul(machine)]


def write(path, lines, heading=None):
    """A record file; returns its path."""
    heading = heading or HEADING
    text = "# command: none, SYNTHETIC data of a test\n" + ",".join(heading) + "\n"
    text += "".join(",".join(str(r[c]) for c in heading) + "\n" for r in lines)
    Path(path).write_text(text, encoding="utf-8")
    return Path(path)


if __name__ == "__main__":  # python synthetic.py FOLDER: for looking at figures while they are made
    for m in ("h200-like", "emulator"):
        write(Path(sys.argv[1]) / f"synthetic-{m}.csv", rows(m))
