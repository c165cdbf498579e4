"""picture.py - makes pictures of one block's execution: `make picture LAB=reduction KERNEL=2`.

Runs the lab's program on the emulator with WARPLAB_TRACE set, reads the trace, draws. Other
sources: --trace FILE draws a trace that exists; --kept draws the traces kept in
plots/records/traces, which is how decks and handouts get theirs; --keep makes those anew."""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import movies
import names
import pictures
import records
import schedule
import style
import trace as tracing

KEPT = records.HERE / "records" / "traces"
KINDS = ("lanes", "tree", "sectors", "banks")

# A block small enough to see: length, parameter, and the kinds that show what the lab is about. A
# lab that is not listed runs its first case, and all kinds are tried.
SMALL = {
    "reduction": (["--n", "2^12"], ("lanes", "banks", "tree")),
    "divergence": (["--n", "2^10", "--param", "4"], ("lanes",)),
    "coalescing": (["--n", "4093", "--param", "2"], ("sectors",)),
    "bank_conflicts": (["--n", "2^10", "--param", "2"], ("banks",)),
    "conv1d": (["--n", "2^10", "--param", "3"], ("sectors", "banks")),
    "matmul": (["--n", "64"], ("sectors", "banks")),
}

# What is kept: lab, variant, kinds, and the cases shown side by side (label: arguments).
KEEP = (
    ("reduction", "reduce1", ("lanes", "tree"), {"": ["--n", "2^12"]}),
    ("reduction", "reduce2", ("lanes", "banks"), {"": ["--n", "2^12"]}),
    ("reduction", "reduce3", ("lanes", "tree"), {"": ["--n", "2^12"]}),
    ("divergence", "branch_warp", ("lanes",), {"": ["--case", "branch-n=1001"]}),
    ("divergence", "branch_thread", ("lanes",), {"": ["--case", "branch-n=1001"]}),
    ("coalescing", "strided_copy", ("sectors",),
     {f"stride {s}": ["--n", "4093", "--param", str(s)] for s in (1, 2, 4, 8)}),
    ("bank_conflicts", "bank_loop4", ("banks",),
     {f"stride {s}": ["--n", "1000", "--param", str(s)] for s in (1, 2, 8, 33)}),
    ("matmul", "mm_naive", ("sectors",), {"": ["--case", "64x64x64"]}),
    ("matmul", "mm_coalesced", ("sectors",), {"": ["--case", "64x64x64"]}),
    ("conv1d", "conv_naive", ("sectors",), {"": ["--case", "n=127"]}),
)
# Of these, the ones that move: a GIF, and pages for the decks to step through.
MOVING = {("lanes", "reduce1"), ("tree", "reduce1"), ("tree", "reduce3"), ("lanes", "branch_thread"),
          ("sectors", "strided_copy"), ("banks", "bank_loop4")}
WHOLE = {"lanes", "tree"}  # need all of a trace; the others a thinned one


def record(build, lab, kernel, args, path, solution, block=0):
    """Runs the lab's program so that the first launch of `kernel` writes its trace to path."""
    program = Path(build) / "bin" / lab
    if not program.exists():
        raise records.RecordError(f"{program} is not there: run `make` first")
    library = str((Path(build) / "lib").resolve())
    env = os.environ | {"WARPLAB_TRACE": str(path), "WARPLAB_TRACE_BLOCK": str(block),
                        "LD_LIBRARY_PATH": ":".join(filter(None, (library, os.environ.get("LD_LIBRARY_PATH"))))}
    ran = Path(path).with_suffix(".csv")
    command = [str(program), "--kernel", kernel, "--no-time", "--no-records", f"--csv={ran}", *args,
               *(["--solution"] if solution else [])]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
    if not Path(path).exists() or Path(path).stat().st_size == 0:
        raise records.RecordError(f"{lab} kernel {kernel}: nothing was traced. The program said:\n"
                                  f"{(done.stdout + done.stderr).strip()[-1500:]}")
    if done.returncode:
        print(f"{lab} kernel {kernel}: this run's results were wrong or could not be checked; "
              "the picture shows what it did", file=sys.stderr)
    try:
        trace = tracing.read(path)
    except records.RecordError as e:
        raise records.RecordError(f"{lab} kernel {kernel}, block {block}: {str(e).partition(': ')[2]}") from None
    rows = records.read(ran) if ran.exists() else []
    if rows:  # the trace's own header says what ran, not on what, nor when
        trace.header["run"] = {k: rows[0][k] for k in ("device", "case", "seed")} | {"date": rows[0]["date"][:10]}
    return trace


def variant_of(trace):
    """'reduce2' for the kernel reduce2_i32_sum."""
    return re.sub(r"_(i32|f32|f64)_(sum|min|max)$", "", trace.header["kernel"])


def panels_of(kind, parts):
    """[(trace, access, label)] for a picture of sectors or banks. Side by side: of each trace
    the one request that the lab is about."""
    pick = pictures.requests_of if kind == "sectors" else pictures.shared_of
    panels = []
    for label, trace in parts.items():
        found = pick(trace)
        if len(parts) > 1:
            found = [a for a in found if a["kind"] == "load"] or found
            found = sorted(found, key=lambda a: -len(tracing.wavefronts(a)))[:1] if kind == "banks" else found[:1]
        for access in found:
            panels.append((trace, access, label or pictures.place(trace, access)))
    return panels


def subject(kind, variant, parts):
    """What a picture of this kind is drawn from, and its name. parts: {label: trace}."""
    name = names.variant(variant, (re.findall(r"^reduce(\d)", variant) or [None])[0])
    return (next(iter(parts.values())) if kind in ("lanes", "tree") else panels_of(kind, parts)), name


def draw(kind, variant, parts):
    return getattr(pictures, kind)(*subject(kind, variant, parts))


def make(kinds, lab, parts, out, asked, moving=()):
    """Draws and saves, those in `moving` as animations too; a kind that the trace holds nothing
    for is an error only when asked for."""
    variant, made = variant_of(next(iter(parts.values()))), []
    for kind in kinds:
        name = f"{kind}-{lab}-{variant}"
        try:
            made.append(style.save(draw(kind, variant, parts), name, out)[-1])
        except records.RecordError as e:
            if asked:
                raise
            print(f"{kind}: {e}", file=sys.stderr)
            continue
        if kind in moving:
            made += style.animate(movies.frames(kind, *subject(kind, variant, parts)), name, out, movies.SECONDS[kind])
    return made


def kept_parts(lab, variant, labels):
    """{label: trace} of kept files; those not there are left out."""
    out = {}
    for label in labels:
        path = KEPT / f"{lab}-{variant}{'@' + label.split()[-1] if label else ''}.jsonl"
        if path.exists():
            out[label] = tracing.read(path)
    return out


def draw_kept(out):
    made = [style.save(schedule.draw(), "schedule-two-sm", out)[-1]]
    made += style.animate(schedule.movie(), "schedule-two-sm", out)
    for lab, variant, kinds, cases in KEEP:
        parts = kept_parts(lab, variant, cases)
        if parts:
            made += make(kinds, lab, parts, out, True, [k for k in kinds if (k, variant) in MOVING])
    return made


def keep(build):
    KEPT.mkdir(parents=True, exist_ok=True)
    for lab, variant, kinds, cases in KEEP:
        for label, args in cases.items():
            with tempfile.TemporaryDirectory() as folder:
                trace = record(build, lab, variant, args, Path(folder) / "t.jsonl", True)
            if not WHOLE & set(kinds):
                trace.thin()
            path = KEPT / f"{lab}-{variant}{'@' + label.split()[-1] if label else ''}.jsonl"
            tracing.write(trace, path)
            print(records.shown(path), path.stat().st_size, "bytes")


def one(args):
    """The picture of a run or of a given trace."""
    if args.trace:
        trace, lab = tracing.read(args.trace), args.lab or Path(args.trace).stem.partition("-")[0]
    else:
        labs = sorted(p.parent.name for p in (records.ROOT / "labs").glob("*/harness.c"))
        if args.lab not in labs:
            raise records.RecordError(f"which lab? LAB=… is one of: {', '.join(labs)}")
        if not args.kernel:
            raise records.RecordError("which kernel? KERNEL=… is a variant's number or name")
        given = list(SMALL.get(args.lab, ([],))[0])
        for flag, value in (("--n", args.n), ("--param", args.param)):
            if value and flag in given:
                given[given.index(flag) + 1] = value
            elif value:
                given += [flag, value]
        with tempfile.TemporaryDirectory() as folder:
            trace = record(args.build, args.lab, args.kernel, given, Path(folder) / "trace.jsonl", args.solution,
                           args.block)
        lab = args.lab
    kinds = [args.kind] if args.kind else SMALL.get(lab, (None, KINDS))[1]
    return make(kinds, lab, {"": trace}, args.out, bool(args.kind), kinds if args.animate else ())


def main():
    parser = argparse.ArgumentParser(description="draws what one block of a kernel did on the emulator")
    parser.add_argument("--build", default="build")
    parser.add_argument("--out", help="folder (default build/plots)")
    parser.add_argument("--lab")
    parser.add_argument("--kernel")
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--n")
    parser.add_argument("--param")
    parser.add_argument("--block", type=int, default=0)
    parser.add_argument("--solution", action="store_true", help="the reference solution's kernel")
    parser.add_argument("--animate", action="store_true", help="step by step too: KIND-LAB-KERNEL.gif, -frames.pdf")
    parser.add_argument("--trace", help="draw this trace instead of running")
    parser.add_argument("--kept", action="store_true", help="draw the kept traces and the schedule")
    parser.add_argument("--keep", action="store_true", help="record the kept traces anew (plots/records/traces)")
    args = parser.parse_args()
    try:
        if args.keep:
            keep(args.build)
            return
        made = draw_kept(args.out) if args.kept else one(args)
    except records.RecordError as e:
        sys.exit(f"picture: {e}")
    except subprocess.TimeoutExpired:
        sys.exit("picture: the run took longer than five minutes: take a smaller N")
    print("\n".join(records.shown(p) for p in made))


if __name__ == "__main__":
    main()
