"""picture.py - makes pictures of one block's execution: `make picture LAB=reduction KERNEL=2`.

Runs the lab's program on the emulator with WARPLAB_TRACE set, reads the trace, draws. Other
sources: --trace FILE draws a trace that exists; --kept draws the traces kept in
plots/records/traces, which is how decks and handouts get theirs; --keep makes those anew."""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import diagrams
import movies
import names
import pictures
import records
import schedule
import style
import trace as tracing

KEPT = records.HERE / "records" / "traces"
KINDS = ("lanes", "tree", "sectors", "banks")


class Kept(NamedTuple):
    """A picture that is kept: its kinds, those of them that move (a GIF, and pages for the decks to
    step through), and the cases shown side by side, {label: arguments}."""
    lab: str
    variant: str
    kinds: tuple
    moving: tuple
    cases: dict


def shown(lab):
    """What is shown of a lab, as its own shown.json says:
    labels  what each variant is called beside its curve (names.py), and of_a_case in a picture of one
    by_map  variants that load by tensor maps, which a GPU's counters of sectors leave out
    compared  of cases that machines share equally, the one that shows what the lab is about
    small   arguments for a block small enough to see, others of a kernel (by name or number) where it
            needs them, and the kinds that show what the lab is about
    kept    variant, kinds, moving, cases of each picture in handouts and decks (class Kept)
    beside  arguments for the cases that the emulator counts beside a GPU's counters
    A lab without the file runs its first case, and all kinds are tried."""
    path = records.ROOT / "labs" / lab / "shown.json"
    facts = {"small": {"args": [], "kinds": KINDS}, "kept": [], "beside": []}
    try:
        facts |= json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return facts | {"kept": [Kept(lab, k["variant"], tuple(k["kinds"]), tuple(k.get("moving", ())), k["cases"])
                                 for k in facts["kept"]]}
    except (ValueError, KeyError, TypeError) as e:
        raise records.RecordError(f"{records.shown(path)}: {type(e).__name__}: {e}") from None


def small_args(lab, kernel):
    small = shown(lab)["small"]
    return list(small.get("of", {}).get(kernel, small["args"]))


def labs():
    return sorted(p.parent.name for p in (records.ROOT / "labs").glob("*/harness.c"))


def every_kept():
    return [k for lab in labs() for k in shown(lab)["kept"]]


WHOLE = {"lanes", "tree"}  # need all of a trace; the others a thinned one


def is_traced(path):
    return Path(path).exists() and Path(path).stat().st_size > 0


def run_traced(program, env, kernel, args, path):
    """The variant's own kernel where one has its name, else the first that is launched; on cases of its
    own where it does not have that of the arguments."""
    listed = subprocess.run([str(program), "--list"], env=env, capture_output=True, text=True, timeout=60).stdout
    name = re.search(rf"^  {re.escape(kernel)} +(\w+)", listed, re.M)
    name = name[1] if name and kernel[0].isdigit() else kernel
    for given in (args, [a for a in args if re.match("--(solution|csv|module)", a)] + ["--untimed"]):
        for only in ({"WARPLAB_TRACE_KERNEL": name}, {}):
            done = subprocess.run([str(program), "--kernel", kernel, "--no-time", "--no-records", *given],
                                  env=env | only, capture_output=True, text=True, timeout=300)
            if is_traced(path) or "do not go together" in done.stdout:
                break
        if is_traced(path) or "do not go together" not in done.stdout:
            break
    return done


def said_of_case(row):
    """A size of one's own, of what has rows and columns, by both: '1024 × 4093' for n=4093."""
    if row["m"] and not row["k"]:
        return re.sub(r"^n=\d+( m=\d+)?", f"{row['m']} × {row['n']}", row["case"])
    return row["case"]


def record(build, lab, kernel, args, path, solution, block=0):
    """Runs the lab's program so that the first launch of `kernel` writes its trace to path."""
    program = Path(build) / "bin" / lab
    if not program.exists():
        raise records.RecordError(f"{program} is not there: run `make` first")
    library = str((Path(build) / "lib").resolve())
    env = os.environ | {"WARPLAB_TRACE": str(path), "WARPLAB_TRACE_BLOCK": str(block),
                        "LD_LIBRARY_PATH": ":".join(filter(None, (library, os.environ.get("LD_LIBRARY_PATH"))))}
    ran = Path(path).with_suffix(".csv")
    done = run_traced(program, env, kernel, [*args, f"--csv={ran}", *(["--solution"] if solution else [])], path)
    if not is_traced(path):
        raise records.RecordError(f"{lab} kernel {kernel}: nothing was traced. The program said:\n"
                                  f"{(done.stderr + done.stdout).strip()[-1500:]}")
    if done.returncode:
        print(f"{lab} kernel {kernel}: this run's results were wrong or could not be checked; "
              "the picture shows what it did", file=sys.stderr)
    try:
        trace = tracing.read(path)
    except records.RecordError as e:
        raise records.RecordError(f"{lab} kernel {kernel}, block {block}: {str(e).partition(': ')[2]}") from None
    mangled = re.match(r"_Z(\d+)(\w+)$", trace.header["kernel"])  # a program's kernel of C++
    if mangled:
        trace.header["kernel"] = mangled[2][:int(mangled[1])]
    rows = records.read(ran) if ran.exists() else []
    if rows:  # the trace's own header says what ran, not on what, nor when
        trace.header["run"] = {k: rows[0][k] for k in ("device", "param", "seed")} | \
            {"case": said_of_case(rows[0]), "date": rows[0]["date"][:10]}
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
    params = {trace.header.get("run", {}).get("param") for trace in parts.values()}
    name = names.of_a_case(variant, (re.findall(r"^reduce(\d)", variant) or [None])[0],
                           params.pop() if len(params) == 1 else None)
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


def trace_path(kept, label):
    return KEPT / f"{kept.lab}-{kept.variant}{'@' + label.split()[-1] if label else ''}.jsonl"


def kept_parts(kept):
    """{label: trace} of kept files; those not there are left out."""
    out = {}
    for label in kept.cases:
        path = trace_path(kept, label)
        if path.exists():
            out[label] = tracing.read(path)
    return out


def draw_kept(out):
    made = [style.save(schedule.draw(), "schedule-two-sm", out)[-1]]
    made += style.animate(schedule.movie(), "schedule-two-sm", out)
    made += [style.save(drawn(), name, out)[-1] for name, drawn in diagrams.DIAGRAMS.items()]
    for k in every_kept():
        parts = kept_parts(k)
        if parts:
            made += make(k.kinds, k.lab, parts, out, True, k.moving)
    return made


def keep(build):
    KEPT.mkdir(parents=True, exist_ok=True)
    for k in every_kept():
        for label, args in k.cases.items():
            with tempfile.TemporaryDirectory() as folder:
                trace = record(build, k.lab, k.variant, args, Path(folder) / "t.jsonl", True)
            if not WHOLE & set(k.kinds):
                trace.thin()
            path = trace_path(k, label)
            tracing.write(trace, path)
            print(records.shown(path), path.stat().st_size, "bytes")


def one(args):
    """The picture of a run or of a given trace."""
    if args.trace:
        trace, lab = tracing.read(args.trace), args.lab or Path(args.trace).stem.partition("-")[0]
    else:
        if args.lab not in labs():
            wrong = f"there is no lab {args.lab!r};" if args.lab else "which lab?"
            raise records.RecordError(f"{wrong} LAB=… is one of: {', '.join(labs())}")
        if not args.kernel:
            raise records.RecordError("which kernel? KERNEL=… is a variant's number or name")
        given = small_args(args.lab, args.kernel)
        for flag, value in (("--n", args.n), ("--param", args.param)):
            if value and flag in given:
                given[given.index(flag) + 1] = value
            elif value:
                given += [flag, value]
        with tempfile.TemporaryDirectory() as folder:
            trace = record(args.build, args.lab, args.kernel, given, Path(folder) / "trace.jsonl", args.solution,
                           args.block)
        lab = args.lab
    kinds = [args.kind] if args.kind else shown(lab)["small"]["kinds"]
    made = make(kinds, lab, {"": trace}, args.out, bool(args.kind), kinds if args.animate else ())
    if not made:
        raise records.RecordError(f"{variant_of(trace)} did nothing that can be drawn. Is it still to be written? "
                                  f"make run LAB={lab} KERNEL={variant_of(trace)}")
    return made


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
    parser.add_argument("--kept", action="store_true", help="draw the kept traces, the schedule and the diagrams")
    parser.add_argument("--beside", action="store_true", help="print the arguments of --lab's cases beside a GPU's")
    parser.add_argument("--keep", action="store_true", help="record the kept traces anew (plots/records/traces)")
    args = parser.parse_args()
    try:
        if args.beside:
            print(shlex.join(shown(args.lab)["beside"]))
            return
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
