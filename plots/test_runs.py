"""What `make picture` draws of a run, of every kernel of every solution: can each word be read? The programs
have to be built."""
import os
import re
import subprocess
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

import layout
import picture
import records

BUILD = Path(os.environ.get("PLOTS_BUILD") or records.ROOT / "build")
NO_KERNEL = {"to_device", "to_host", "cpu", "transforms"}  # copies, a CPU's loop, the library alone
MAY_LACK = {"price_curand"}  # where cuRAND's headers are missing


def variants(lab):
    env = os.environ | {"LD_LIBRARY_PATH": str(BUILD / "lib")}
    listed = subprocess.run([str(BUILD / "bin" / lab), "--list"], env=env, capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^  \S* +(\w+) ", listed.partition("\ncases")[0], re.M)
    assert found, listed
    return found


def compiled(lab, folder):
    """The solution, once for all of its kernels; nothing where it is a whole program."""
    path = folder / f"{lab}.ptx"
    done = subprocess.run([str(BUILD / "bin" / "labcc"), "-o", str(path), f"solutions/{lab}/{lab}.cu"], cwd=records.ROOT,
                          capture_output=True, text=True)
    assert done.returncode == 0 or lab == "first_program", done.stderr
    return [f"--module={path}"] if done.returncode == 0 else []


def pictures_of(trace, lab):
    """(kind, figure) of those kinds that the trace holds something for."""
    for kind in picture.shown(lab)["small"]["kinds"]:
        try:
            yield kind, picture.draw(kind, picture.variant_of(trace), {"": trace})
        except records.RecordError:
            continue


@pytest.mark.skipif(not (records.ROOT / "solutions").is_dir(), reason="a student's copy")
@pytest.mark.parametrize("lab", picture.labs())
def test_every_picture_of_a_solution_can_be_read(lab, tmp_path):
    module, wrong = compiled(lab, tmp_path), []
    for variant in variants(lab):
        if variant in NO_KERNEL:
            continue
        args = picture.small_args(lab, variant) + module
        try:
            trace = picture.record(BUILD, lab, variant, args, tmp_path / "trace.jsonl", not module)
        except records.RecordError:
            assert variant in MAY_LACK
            continue
        drawn = 0
        for kind, fig in pictures_of(trace, lab):
            wrong += [f"{kind} of {variant}: {said}" for said in layout.problems(fig)]
            plt.close(fig)
            drawn += 1
        assert drawn, variant
        (tmp_path / "trace.jsonl").unlink()
        (tmp_path / "trace.csv").unlink(missing_ok=True)
    assert not wrong, "\n".join(wrong)


@pytest.mark.skipif(not (records.ROOT / "solutions").is_dir(), reason="a student's copy")
def test_a_transposition_has_rows_and_columns_and_no_stride(tmp_path):
    for variant, said in (("transpose_naive", "1024 × 4093"), ("strided_copy", "n=4093 stride=2")):
        args = picture.small_args("coalescing", variant)
        trace = picture.record(BUILD, "coalescing", variant, args, tmp_path / f"{variant}.jsonl", True)
        assert trace.header["run"]["case"] == said
