"""all_figures.py - draws every figure that the records can fill.

    python plots/all_figures.py [--out FOLDER] [--list] [RECORD.csv | FOLDER …]

Figures that the records hold nothing for are named, not made. A damaged record stops all,
before anything is written."""
import argparse
import importlib
import sys
from pathlib import Path

import records
import style


def modules():
    """Every fig_*.py beside this file that draws from run records."""
    names = sorted(p.stem for p in Path(__file__).resolve().parent.glob("fig_*.py"))
    loaded = [importlib.import_module(n) for n in names]
    return [m for m in loaded if hasattr(m, "figures")]


def main():
    parser = argparse.ArgumentParser(description="draws every figure that the records can fill")
    parser.add_argument("--out", help="folder (default build/plots)")
    parser.add_argument("--list", action="store_true", help="only name the scripts")
    parser.add_argument("records", nargs="*", help="CSV files or folders (default: plots/records, build/records)")
    args = parser.parse_args()
    if args.list:
        print("\n".join(m.__name__ for m in modules()))
        return
    try:
        recs = records.load(args.records or None)
        drawing = modules()
        for at, module in enumerate(drawing, 1):
            made = 0
            for name, fig in module.figures(recs):
                paths = style.save(fig, name, args.out)
                print(f"{at} of {len(drawing)}: {records.shown(paths[0].parent)}/{name}.{{pdf,svg,png}}", flush=True)
                made += 1
            if not made:
                print(f"{at} of {len(drawing)}: {module.__name__}: not drawn, the records hold nothing for it")
    except records.RecordError as e:
        sys.exit(f"plots: {e}")


if __name__ == "__main__":
    main()
