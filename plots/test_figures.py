"""Figures are checked for what they show: series, labels, ranges, provenance. The records are
synthetic; what they hold is known, so what the figure must show is known too."""
import subprocess
import sys

import matplotlib.pyplot as plt
import pytest

import all_figures
import fig_bank_conflicts
import fig_coalescing
import fig_counters
import fig_divergence
import fig_ladder
import fig_machines
import fig_marks
import fig_matmul
import fig_matmul_traffic
import fig_reduction
import fig_reduction_table
import fig_roofline
import layout
import names
import records
import style
import synthetic


@pytest.fixture(scope="module")
def recs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("records")
    for machine in ("h200-like", "emulator", "h200-emulated"):
        synthetic.write(folder / f"{machine}.csv", synthetic.rows(machine))
    return records.load([folder])


@pytest.fixture(scope="module")
def kept():
    return records.load([records.HERE / "records"])


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def curves(ax):
    return {line.get_label(): line for line in ax.get_lines() if not line.get_label().startswith("_")}


def texts(fig):
    found = [t.get_text() for ax in fig.axes for t in ax.texts] + [t.get_text() for t in fig.texts]
    return found + ([fig._suptitle.get_text()] if fig._suptitle else [])


def test_reduction_shows_every_variant_at_every_size(recs):
    fig = fig_reduction.draw(recs, "h200")
    time, bandwidth = fig.axes
    assert len(curves(time)) == len(curves(bandwidth)) == 10
    for i, (name, line) in zip("1234567789", curves(bandwidth).items()):
        assert name.startswith(f"{i} ")
        assert list(line.get_xdata()) == [2**p for p in range(17, 26)]
        assert name in texts(fig), "labelled directly"
    row = recs.one(machine="h200", lab="reduction", variant="reduce4", n=2**22)
    assert curves(time)["4 add during load"].get_ydata()[5] == pytest.approx(row["hot_ms"])
    assert time.get_xscale() == time.get_yscale() == "log"
    low, high = time.get_ylim()
    assert all(low <= y <= high for line in curves(time).values() for y in line.get_ydata())


def test_labels_do_not_cover_one_another(recs):
    fig = fig_reduction.draw(recs, "h200")
    fig.draw_without_rendering()
    boxes = sorted((t.get_window_extent() for t in fig.axes[1].texts), key=lambda b: b.y0)
    assert len(boxes) == 10
    assert all(b.y1 <= c.y0 + 1 for b, c in zip(boxes, boxes[1:]))
    assert max(b.x1 for b in boxes) <= fig.bbox.x1, "a label runs off the paper"


def test_curves_differ_without_colour():
    looks = [(marker, str(dashes)) for _, marker, dashes in style.CYCLE]
    assert len(set(m for m, _ in looks)) == len(looks)


def test_provenance_says_all(recs):
    for fig in (fig_reduction.draw(recs, "h200"), fig_reduction.draw(recs, "emulator-synthetic-s1")):
        foot = " ".join(t.get_text() for t in fig.texts if t.get_gid() == "provenance")
        for word in ("backend", "2026-01-02", "seed 1"):
            assert word in foot
    assert "modelled" in foot and "emulator" in foot


def test_table_computes_its_speedups(recs):
    lines = fig_reduction_table.table(recs, "h200", 2**22)
    steps = [(r.time_ms, s) for r, s, _ in lines if r["variant"] != "reduce7_g80"]
    t = [ms for ms, _ in steps]
    assert lines[0][1] is None and len(steps) == len(lines) - 1
    assert [s for _, s in steps[1:]] == pytest.approx([a / b for a, b in zip(t, t[1:])])
    assert next(s for r, s, _ in lines if r["variant"] == "reduce7_g80") is None, "no step of the ladder"
    assert lines[-1][2] == pytest.approx(t[0] / t[-1])
    shown = texts(fig_reduction_table.draw(recs, "h200", 2**22))
    assert f"{t[0]:.4f}" in shown and f"{lines[-1][2]:.2f}×" in shown


def test_coalescing_sectors(recs):
    rows = fig_coalescing.swept(recs, "h200")["copy_stride"]
    assert [fig_coalescing.sectors(r) for r in rows] == [4, 8, 16, 32, 32, 32]
    fig = fig_coalescing.draw_sweep("h200", "copy_stride", rows, "stride")
    assert [b.get_height() for b in fig.axes[1].patches] == [4, 8, 16, 32, 32, 32]
    assert [t.get_text() for t in fig.axes[0].get_xticklabels()] == ["1", "2", "4", "8", "16", "32"]


def test_bank_conflicts_degree(recs):
    fig = fig_bank_conflicts.draw(recs, "h200")
    for line in curves(fig.axes[1]).values():
        assert list(line.get_ydata()) == [1, 2, 4, 8, 16, 32]


def test_strides_that_are_no_powers_of_two_stand_apart():
    assert fig_bank_conflicts.places([1, 2, 3, 4, 33]) == {1: 0, 2: 1, 4: 2, 3: 3.5, 33: 4.5}
    fig, ax = plt.subplots()
    fig_bank_conflicts.plot(ax, [(1, 1), (2, 2), (3, 7), (4, 4)], {1: 0, 2: 1, 4: 2, 3: 3.5}, {"label": "x", "linestyle": "-"})
    joined, apart = ax.get_lines()
    assert list(joined.get_ydata()) == [1, 2, 4] and list(apart.get_ydata()) == [7] and apart.get_linestyle() == "None"


def test_divergence_is_relative_to_one_path(recs):
    fig = fig_divergence.draw(recs, "h200")
    assert list(curves(fig.axes[0])["1 to 32 paths"].get_ydata()) == pytest.approx([1, 2, 4, 8, 16, 32])
    assert list(curves(fig.axes[1])["1 to 32 paths"].get_ydata()) == pytest.approx([32, 16, 8, 4, 2, 1])


def test_roofline_intensity_is_counted(recs):
    found = {r["variant"]: (x, y) for r, x, y, _ in fig_roofline.points(recs, "h200")}
    assert found["mm_coalesced"][0] == pytest.approx(0.25)
    assert found["mm_tiled"][0] == pytest.approx(4.0)
    fig = fig_roofline.draw(recs, "h200")
    roof = next(line for line in fig.axes[0].get_lines() if line.get_label() == "_DRAM")
    assert max(roof.get_ydata()) == pytest.approx(66.9)


def test_traffic_is_beside_the_formula(recs):
    shown = " ".join(texts(fig_matmul_traffic.draw(recs, "h200")))
    assert "2n³ / 16" in shown


def test_traffic_says_which_bars_are_which(kept):
    ends = [t.split()[-1] for t in texts(fig_matmul_traffic.draw(kept, "emulator-h200")) if "2n³" in t]
    assert ends.count("global") == ends.count("shared") == 1


def test_counters_agree_only_where_they_do(recs):
    found, _ = fig_counters.pairs(recs)
    assert {r for r, *_ in found["global_ld_sectors"]} == {1.0}
    off = records.Records(recs)
    row = next(r for r in off if r["backend"] == "gpu" and r["global_ld_sectors"])
    row["global_ld_sectors"] *= 2
    assert 0.5 in {r for r, *_ in fig_counters.pairs(off)[0]["global_ld_sectors"]}
    row["global_ld_sectors"] //= 2


def test_counters_have_a_panel_for_each_lab_in_common(recs):
    """Agreement is numbered, and a dot that lies apart is named. 90 experiments are in common
    for the ladder alone."""
    row = next(r for r in recs if r["backend"] == "gpu" and r["variant"] == "mm_tiled" and r["global_ld_sectors"])
    row["global_ld_sectors"] *= 2
    try:
        fig = fig_counters.draw(fig_counters.compared(recs))
    finally:
        row["global_ld_sectors"] //= 2
    panels = {ax.get_title(loc="left"): ax for ax in fig.axes if ax.axison}
    assert set(panels) == {"reduction", "coalescing", "bank conflicts", "divergence", "conv1d", "matmul"}
    said = {lab: [t.get_text() for t in ax.texts] for lab, ax in panels.items()}
    assert "90 of 90" in said["reduction"] and "8 of 9" in said["matmul"] and "mm_tiled" in said["matmul"]
    names = [t.get_text() for t in fig.axes[0].get_yticklabels()]
    assert names[:2] == ["global ld requests", "global ld sectors"]
    fig.draw_without_rendering()
    assert max(t.get_window_extent().x1 for ax in panels.values() for t in ax.texts) <= fig.bbox.x1


def test_a_slide_has_the_two_labs_with_most_experiments(kept):
    labs = fig_counters.compared(kept)
    assert len(labs) > 2 and list(fig_counters.most_of(labs)) == ["matmul", "reduction"]


def test_machines_are_compared_on_what_they_share(recs):
    """Three machines share the ladder; the largest case is taken. One alone compares nothing."""
    rows = fig_machines.common(recs, "reduction")
    assert {r["case"] for r in rows} == {"n=2^25"} and len(rows) == 30
    fig = fig_machines.draw("reduction", rows)
    assert set(curves(fig.axes[0])) == {"NVIDIA H200", "Synthetic S1, emulated", "NVIDIA H200, emulated"}
    assert set(curves(fig.axes[0])) == {t.get_text() for t in fig.axes[0].get_legend().get_texts()}
    h200 = curves(fig.axes[0])["NVIDIA H200"]
    assert h200.get_xdata()[0] == pytest.approx(recs.one(machine="h200", variant="reduce1", n=2**25)["gbps"])
    assert [t.get_text() for t in fig.axes[0].get_yticklabels()][2] == "3 sequential"
    assert all(line.get_linestyle() == "None" for line in curves(fig.axes[0]).values()), "kernels are no scale"
    sizes = [line.get_markersize() for line in curves(fig.axes[0]).values()]
    assert sizes == sorted(sizes, reverse=True) and len(set(sizes)) == 3, "a dot under an equal one is seen"
    assert not list(fig_machines.figures(recs.where(machine="h200")))
    assert not fig_machines.common(recs.where(variant="reduce1"), "reduction"), "one kernel is no picture"
    cold = type(recs[0])(recs[0], gbps=100.0, cold_ms=2.0, hot_ms=1.0)
    assert fig_machines.rate(cold, False) == 200, "by the hot time, as the emulator's is"
    numbers = [{"number": n, "variant": "v"} for n in ("10", "2a", "0b", "2", "0", "1")]
    assert [r["number"] for r in sorted(numbers, key=names.ladder)] == ["0", "0b", "1", "2", "2a", "10"]


def test_machines_are_compared_on_the_most_kernels_that_they_share(kept):
    """Not on a larger case that one machine ran whole and another of one kernel."""
    few = kept.where(lab="bank_conflicts", case="stride=1 n=2^22")
    assert len(few.where(machine="h200").values("variant")) > len(few.where(machine="emulator").values("variant")) > 0
    for lab in kept.values("lab"):
        rows = fig_machines.common(kept, lab)
        machines = {v: {r.machine for r in rows.where(variant=v)} for v in rows.values("variant")}
        paired = [v for v, on in machines.items() if len(on) > 1]
        assert len(paired) >= len(machines) - 1, f"{lab}: {machines}"
    assert fig_machines.common(kept, "bank_conflicts")[0]["case"] == "stride=32", "of equals, where there are conflicts"
    apart = records.Records(r for r in kept if (r["backend"] == "gpu") == (r["variant"] == "bank_once"))
    assert not fig_machines.common(apart, "bank_conflicts"), "machines that share no kernel"


def test_ladder_has_the_published_g80(recs):
    g80 = fig_ladder.curves(recs)[0]
    assert "published" in g80[0] and g80[1][-1][2] == pytest.approx(30.05, abs=0.01)
    assert "not re-measured" in " ".join(texts(fig_ladder.draw(recs)))


def test_marks(tmp_path):
    path = tmp_path / "reduction.csv"
    path.write_text("student,score,max\n" + "".join(f"s{i},{i % 11},10\n" for i in range(60)))
    fig = fig_marks.draw(path)
    assert sum(b.get_height() for b in fig.axes[0].patches) == 60
    assert not any("s1" in t for t in texts(fig))
    path.write_text("student,score\nx,1\n")
    with pytest.raises(records.RecordError, match="missing column max"):
        fig_marks.draw(path)


def test_missing_lab_is_said(recs):
    with pytest.raises(records.RecordError, match="reduction"):
        fig_reduction.draw(records.Records(), "h200")


def test_every_figure_is_drawn_whole(recs, tmp_path):
    """All figures, and of each script one in all three kinds; drawing twice gives the same SVG bytes."""
    names = []
    some = records.Records(r for r in recs if r.machine != "emulator-synthetic-s1")  # to save time
    for module in all_figures.modules():
        kinds = ["pdf", "svg", "png"]
        for name, fig in module.figures(some):
            foot = " ".join(t.get_text() for t in fig.texts if t.get_gid() == "provenance")
            for words in (("backend",), ("measured", "counted", "modelled"), ("2026-01-02",), ("seed 1",),
                          ("H200", "Synthetic")):
                assert any(w in foot for w in words), f"{name} does not say {' or '.join(words)}: {foot}"
            assert not layout.problems(fig), name
            with plt.rc_context({"pdf.fonttype": 3} if names else {}):  # cutting fonts takes most of a PDF's time
                paths = style.save(fig, name, tmp_path, kinds)
            assert [p.suffix[1:] for p in paths] == kinds
            assert all(p.stat().st_size > 2000 for p in paths)
            kinds = ["svg"]
            names.append(name)
    assert {"reduction-h200", "counters", "ladder", "matmul-roofline-h200"} <= set(names)
    first = (tmp_path / "ladder.svg").read_bytes()
    style.save(fig_ladder.draw(some), "ladder", tmp_path)
    assert (tmp_path / "ladder.svg").read_bytes() == first


@pytest.mark.parametrize("script", all_figures.modules(), ids=lambda m: m.__name__)
def test_every_word_of_every_kept_figure_can_be_read(script, kept):
    """What the decks and README show; matplotlib's own extents say where words are."""
    for name, fig in script.figures(kept):
        assert not layout.problems(fig), name
        plt.close(fig)


@pytest.mark.parametrize("what,words", [
    (lambda ax: ax.text(0.5, 0.5, "one") and ax.text(0.51, 0.5, "two"), "'one' and 'two' overlap"),
    (lambda ax: ax.text(0.95, 0.5, "a name that is too long"), "is cut at the right"),
    (lambda ax: ax.set_title("title", y=0.98, loc="center") and ax.text(0.5, 1.0, "over it", ha="center"), "overlap"),
    (lambda ax: ax.set_yticks([0.5], ["long " * 20]), "is cut at the left"),
    (lambda ax: ax.plot([0.5], [0.5], "o", label="b") and ax.plot([0.2, 0.9], [0.5, 0.5], label="_label"), "a point of 'b'"),
    (lambda ax: ax.plot([0.2], [0.5], "o", label="b") and ax.plot([0.25, 0.9], [0.5, 0.5], label="_label"), None),
    (lambda ax: ax.plot([0.5, 0.52], [0.5, 0.5], "o", label="b") and style.leader(ax, (0.52, 0.5), [(0.51, 0.5), (0.2, 0.5)], "k"),
     "a point of 'b'"),
    (lambda ax: ax.plot([0.2, 0.9], [0.4, 0.6], label="b") and ax.text(0.5, 0.5, "one"), "'b' goes through 'one'"),
    (lambda ax: ax.axvline(0.5, label="b") and ax.text(0.45, 0.5, "struck out"), "'b' goes through 'struck out'"),
    (lambda ax: ax.plot([0.55], [0.51], "o", label="b") and ax.text(0.5, 0.5, "a long one"), "a point of 'b' is on 'a long one'"),
    (lambda ax: ax.plot([0.2, 1.5], [0.5, 0.5], label="b") and ax.text(1.01, 0.5, "out"), None),
    (lambda ax: ax.set_xticks([0.5, 0.55], ["16", "17"]), "'16' and '17' run together"),
    (lambda ax: ax.set_xticks([0.5, 0.6], ["16", "17"]), None),
    (lambda ax: ax.plot([0.5], [0.5], "o") and ax.plot([0.5], [0.6], "o") and
     ax.annotate("a", (0.5, 0.5), (0, 30), textcoords="offset points", label="_name"), "'a' stands nearer to another's point"),
    (lambda ax: ax.text(0.1, 0.5, "one") and ax.text(0.5, 0.5, "two"), None)])
def test_words_that_cannot_be_read_are_named(what, words):
    fig, ax = plt.subplots()
    ax.set(xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[])
    what(ax)
    found = layout.problems(fig)
    assert any(words in p for p in found) if words else not found, found


def test_names_keep_off_lines():
    """A point on a line, and one that lies half under another: its leader does not go through that one."""
    fig, ax = plt.subplots()
    ax.set(xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[])
    ax.plot([0, 1], [0.2, 0.8])
    for y in (0.5, 0.485, 0.46):
        ax.plot([0.5], [y], "o")
    style.name_points(ax, [(f"point {i}", 0.5, y, style.INK) for i, y in enumerate((0.5, 0.485, 0.46))])
    assert not layout.problems(fig)


def test_names_at_the_edge_push_only_their_neighbours():
    """Those that stand alone stay beside their curves."""
    assert style._spread([20, 98, 99, 100], 10, 0, 100) == [20, 80, 90, 100]
    assert style._spread([0, 1, 80], 10, 0, 100) == [0, 10, 80]
    assert style._spread([5, 50, 60], 10, 0, 100) == [5, 50, 60]


def test_curves_of_a_panel_differ(kept):
    """Of the kept records, in colour or dashes; a kernel of one size is said at the foot."""
    for machine in ("h200", "emulator-h200"):
        fig = fig_matmul.draw(kept, machine)
        assert [ax.get_title("left") for ax in fig.axes][0] == "f32" and len(fig.axes) == 2
        for ax in fig.axes:
            looks = {(line.get_color(), str(line._dash_pattern)) for line in curves(ax).values()}
            assert len(looks) == len(curves(ax)) and all(len(line.get_xdata()) > 1 for line in curves(ax).values())
    foot = next(t.get_text() for t in fig.texts if t.get_gid() == "provenance")
    assert foot.startswith("of one size, and no curve: 11b bf16 (n = 256)")


def test_names_stand_beside_their_points():
    fig, ax = plt.subplots()
    ax.set(xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[])
    ax.plot([0.5, 0.52, 0.54, 0.98], [0.5, 0.5, 0.5, 0.5], "o")
    style.name_points(ax, [(f"point {i}", x, 0.5, style.INK) for i, x in enumerate((0.5, 0.52, 0.54, 0.98))])
    assert not layout.problems(fig)
    box = ax.texts[-1].get_window_extent()
    assert box.x1 <= ax.get_window_extent().x1, "the last one has no room on its right"


def test_a_name_far_off_is_joined_to_its_point():
    """Closed in by others, a name has no place beside its own."""
    fig, ax = plt.subplots()
    ax.set(xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[])
    for x, y in ((0.5, 0.5), (0.45, 0.5), (0.55, 0.5), (0.5, 0.45), (0.5, 0.55)):
        ax.plot([x], [y], "o")
    points = [("the one in the middle", 0.5, 0.5, style.INK)]
    style.name_points(ax, points)
    assert not layout.problems(fig) and any(line.get_label() == "_label" for line in ax.get_lines())


def test_one_size_is_no_curve():
    """A table's: fig_reduction_table."""
    some = records.Records(r for r in records.load([records.HERE / "records"])
                           if r["lab"] != "reduction" or r["case"] == "n=2^22")
    assert not [name for name, _ in fig_reduction.figures(some)]


def test_a_side_variant_stands_beside_the_ladder():
    points = [("6", "reduce6", 3.0), ("7", "reduce7_g80", 0.5), ("7", "reduce7", 5.0), ("8", "reduce8", 5.1)]
    steps, aside = fig_ladder.on_the_ladder(points)
    assert [p[1] for p in steps] == ["reduce6", "reduce7", "reduce8"] and [p[1] for p in aside] == ["reduce7_g80"]


def test_a_plain_make_draws_the_kind_it_shows(tmp_path):
    rows = [r for r in synthetic.rows("emulator") if r["lab"] == "divergence"]
    synthetic.write(tmp_path / "some.csv", rows)
    done = subprocess.run([sys.executable, str(records.HERE / "all_figures.py"), "--out", str(tmp_path), "--kinds", "svg",
                           str(tmp_path / "some.csv")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [p.stem for p in tmp_path.glob("*.svg")] and not list(tmp_path.glob("*.p*"))
    scripts = len(all_figures.modules())
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"1 of {scripts}: fig_bank_conflicts: not drawn") and lines[-1].startswith(f"{scripts} of ")
    assert any("divergence-emulator-synthetic-s1.svg" in line for line in lines), done.stdout


def test_damaged_record_stops_before_anything_is_written(tmp_path):
    (tmp_path / "bad.csv").write_text("lab,variant\n")
    out = tmp_path / "out"
    done = subprocess.run([sys.executable, str(records.HERE / "all_figures.py"), "--out", str(out),
                           str(tmp_path / "bad.csv")], capture_output=True, text=True)
    assert done.returncode != 0 and "bad.csv:1: missing columns" in done.stderr
    assert not out.exists()


def test_every_variant_of_a_lab_has_its_label():
    """Those of the kept records and no others: a label that names nothing is a slip."""
    kept = records.load([records.HERE / "records"])
    assert {r["variant"] for r in kept} == set(names.labels())
