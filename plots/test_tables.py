"""README's tables: which steps of a ladder are told to be one backwards on a GPU."""
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import records

PATH = records.ROOT / "common" / "harness" / "readme_tables"
SPEC = spec_from_loader("readme_tables", SourceFileLoader("readme_tables", str(PATH)))
tables = module_from_spec(SPEC)
SPEC.loader.exec_module(tables)


def run(*steps, device="NVIDIA H200", backend="gpu", date="2026-01-02"):
    """A run's rows, as read from a record: (number, variant, step) each."""
    return tables.placed([{"lab": "l", "case": "n=2", "device": device, "backend": backend, "bytes": "8", "flops": "0",
                           "number": n, "variant": v, "step": str(s), "hot_ms": "1", "correct": "pass", "date": date}
                          for n, v, s in steps])


def said(*runs):
    lines = tables.table([row for rows in runs for row in rows], "l", "n=2", ["step"])
    return [line for line in lines if line.startswith("Slower")]


LADDER = ("7", "a", 1), ("8", "b", 0.95), ("9", "c", 1.4), ("10", "d", 0.999)


def test_a_step_backwards_is_told():
    assert said(run(*LADDER)) == ["Slower than the step before on the NVIDIA H200, at this size: `b`, at 0.95 of `a`'s speed."]
    assert not said(run(("7", "a", 1), ("8", "b", 1.05)))


def test_other_runs_are_told_of_the_same_step():
    again = run(("7", "a", 1), ("8", "b", 1.06), date="2026-01-01")
    assert said(run(*LADDER), again)[0].endswith("(other kept runs: 1.06; which of the two is faster, they do not tell).")
    again = run(("7", "a", 1), ("8", "b", 0.9), date="2026-01-01")
    assert said(run(*LADDER), again)[0].endswith("`a`'s speed (other kept runs: 0.90).")


def test_modelled_times_are_not_told():
    assert not said(run(*LADDER, backend="emulator"))


def test_a_kernel_beside_the_ladder_is_no_step():
    """It is run at the end, so that its step would be over a row that does not stand above it."""
    rows = run(("7", "a", 1), ("8", "b", 1.1), ("7", "a_again", 0.1))
    assert not said(rows)
    assert [line for line in tables.table(rows, "l", "n=2", ["step"]) if "a_again" in line] == ["| 7 | `a_again` |  |"]
    assert rows[1]["before"] == "a"
