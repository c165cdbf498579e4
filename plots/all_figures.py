"""all_figures.py - draws every figure that the records can fill.

    python plots/all_figures.py [--out FOLDER] [--kinds pdf,svg,png] [--list] [RECORD.csv | FOLDER …]

Figures that the records hold nothing for are named, not made. A damaged record stops all,
before anything is written."""
import argparse
import importlib
import multiprocessing
import sys
from pathlib import Path

import records
import style


def modules():
    """Every fig_*.py beside this file that draws from run records."""
    names = sorted(p.stem for p in Path(__file__).resolve().parent.glob("fig_*.py"))
    loaded = [importlib.import_module(n) for n in names]
    return [m for m in loaded if hasattr(m, "figures")]


def draw(job):
    """All figures of one script: their names, and the folder they lie in."""
    script, recs, out, kinds = job
    figures = importlib.import_module(script).figures(recs)
    return [(name, style.save(fig, name, out, kinds)[0].parent) for name, fig in figures]


def draw_all(recs, out, kinds):
    """One line a figure as it is there; a process a core, for drawing is most of a plain make."""
    names = [m.__name__ for m in modules()]
    ends = kinds[0] if len(kinds) == 1 else f"{{{','.join(kinds)}}}"
    with multiprocessing.get_context("fork").Pool() as pool:
        jobs = pool.imap(draw, [(name, recs, out, kinds) for name in names])
        for at, (script, made) in enumerate(zip(names, jobs), 1):
            for name, folder in made:
                print(f"{at} of {len(names)}: {records.shown(folder)}/{name}.{ends}", flush=True)
            if not made:
                print(f"{at} of {len(names)}: {script}: not drawn, the records hold nothing for it")


def main():
    parser = argparse.ArgumentParser(description="draws every figure that the records can fill")
    parser.add_argument("--out", help="folder (default build/plots)")
    parser.add_argument("--kinds", default="pdf,svg,png", help="which files of each (default: pdf,svg,png)")
    parser.add_argument("--list", action="store_true", help="only name the scripts")
    parser.add_argument("records", nargs="*", help="CSV files or folders (default: plots/records, build/records)")
    args = parser.parse_args()
    if args.list:
        print("\n".join(m.__name__ for m in modules()))
        return
    try:
        draw_all(records.load(args.records or None), args.out, args.kinds.split(","))
    except records.RecordError as e:
        sys.exit(f"plots: {e}")


if __name__ == "__main__":
    main()
