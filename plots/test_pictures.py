"""Pictures and animations of execution: from traces written by hand, where every number can be checked by
eye, and from the kept ones."""
import json
import math
import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

import diagrams
import layout
import movies
import names
import picture
import pictures
import records
import schedule
import style
import trace as tracing


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


HEADER = {"trace": 1, "kernel": "hand_i32_sum", "block": [0, 0, 0], "index": 0, "grid": [1, 1, 1],
          "threads": [32, 1, 1], "warps": 1, "shared_bytes": 128}


def access(n, addresses, kind="load", space="shared", size=4, site=0, lanes=None):
    mask = sum(1 << lane for lane in (range(len(addresses)) if lanes is None else lanes))
    return {"n": n, "event": "access", "warp": 0, "mask": f"{mask:08x}", "site": site, "space": space,
            "kind": kind, "size": size, "volatile": False, "addresses": list(addresses)}


def write(path, objects, end=True):
    lines = [json.dumps(o) for o in (HEADER, {"site": 0, "line": 7, "column": 1, "file": "k.cu", "ptx_line": 9,
                                              "opcode": "ld.shared.u32", "text": "  s[i] += s[i + 1];"}, *objects)]
    if end:
        lines.append(json.dumps({"end": True, "events": len(objects), "dropped": 0, "truncated": False}))
    path.write_text("\n".join(lines) + "\n")
    return path


def one(path, *events):
    return tracing.read(write(path, events)).accesses()[0]


@pytest.mark.parametrize("stride", [1, 2, 3, 4, 8, 16, 32, 33])
def test_conflict_degree_is_the_gcd(tmp_path, stride):
    a = one(tmp_path / "t", access(0, [4 * stride * i for i in range(32)]))
    assert len(tracing.wavefronts(a)) == math.gcd(stride, 32)


def test_broadcast_is_one_pass_and_wide_words_are_no_conflict(tmp_path):
    assert len(tracing.wavefronts(one(tmp_path / "a", access(0, [64] * 32)))) == 1
    wide = one(tmp_path / "b", access(0, [8 * i for i in range(32)], size=8))
    assert len(tracing.wavefronts(wide)) == 2 and tracing.conflicts(wide) == 0
    wider = one(tmp_path / "c", access(0, [16 * i for i in range(32)], size=16))
    assert len(tracing.wavefronts(wider)) == 4 and tracing.conflicts(wider) == 0


@pytest.mark.parametrize("stride,expected", [(1, 4), (2, 8), (4, 16), (8, 32), (32, 32)])
def test_sectors_of_a_stride(tmp_path, stride, expected):
    a = one(tmp_path / "t", access(0, [4096 + 4 * stride * i for i in range(32)], space="global"))
    assert len(tracing.sectors(a)) == expected


def test_misaligned_start_costs_a_sector(tmp_path):
    a = one(tmp_path / "t", access(0, [4096 + 4 + 4 * i for i in range(32)], space="global"))
    assert len(tracing.sectors(a)) == 5


def reduce_events(threads, order):
    """A tree over `threads` words: order(step) gives (lanes, own words, other words)."""
    events = [access(0, [4 * i for i in range(threads)], kind="store")]
    for lanes, own, other in order:
        for words, kind in ((own, "load"), (other, "load"), (own, "store")):
            events.append(access(len(events), [4 * w for w in words], kind=kind, lanes=lanes))
    return events


def test_tree_as_it_ran(tmp_path):
    steps = [([*range(0, 8, 2 * s)], [*range(0, 8, 2 * s)], [i + s for i in range(0, 8, 2 * s)]) for s in (1, 2, 4)]
    trace = tracing.read(write(tmp_path / "t", reduce_events(8, steps)))
    sums = pictures.tree_edges(trace)
    assert [(n.word, n.level) for n in sums] == [(0, 1), (2, 1), (4, 1), (6, 1), (0, 2), (4, 2), (0, 3)]
    assert set(sums[-1].sources) == {(0, 2), (4, 2)}
    assert "7 additions in 3 steps" in pictures.tree(trace)._suptitle.get_text()


def test_lanes_are_filled_where_active(tmp_path):
    trace = tracing.read(write(tmp_path / "t", [
        {"n": 0, "event": "path", "warp": 0, "mask": "ffffffff", "site": 0, "insns": 2},
        {"n": 1, "event": "path", "warp": 0, "mask": "0000ffff", "site": 0, "insns": 2}]))
    grid, _ = pictures.lane_grid(trace, 1)
    assert grid.shape == (32, 4) and np.sum(grid) == 64 + 32
    assert grid[0, 3] == 1 and grid[31, 3] == 0
    assert "24.0 of 32" in pictures.lanes(trace)._suptitle.get_text()


def test_warps_meet_at_barriers(tmp_path):
    HEADER["warps"] = 2
    try:
        trace = tracing.read(write(tmp_path / "t", [
            {"n": 0, "event": "path", "warp": 0, "mask": "ffffffff", "site": 0, "insns": 5},
            {"n": 1, "event": "path", "warp": 1, "mask": "ffffffff", "site": 0, "insns": 3},
            {"n": 2, "event": "leave", "barrier": 0},
            {"n": 3, "event": "path", "warp": 1, "mask": "ffffffff", "site": 0, "insns": 1}]))
    finally:
        HEADER["warps"] = 1
    steps, columns, barriers = trace.steps()
    assert [s.start for s in steps] == [0, 0, 5] and columns == 6 and barriers == [5]


def lane_columns(fig, column):
    """How many lanes are drawn as active in a column."""
    lanes = 0
    for boxes in fig.axes[0].collections:
        if tuple(boxes.get_facecolor()[0][:3]) == pytest.approx((0, 0x72 / 255, 0xb2 / 255)):
            for path in boxes.get_paths():
                box = path.get_extents()
                lanes += (box.y1 - box.y0) * (box.x0 <= column < box.x1)
    return lanes


def test_stretches_cover_the_picture_once():
    image = np.array([[0, 2, 2, 1], [0, 2, 2, 1], [2, 2, 2, 1], [1, 1, 0, 0]])
    again = np.full(image.shape, -1)
    found = pictures.stretches(image)
    for state, top, end, a, b in found:
        assert (again[top:end, a:b] == -1).all()
        again[top:end, a:b] = state
    assert (again == image).all() and len(found) == 6


def test_warps_that_did_the_same_are_drawn_once(tmp_path):
    HEADER["warps"] = 4
    try:
        trace = tracing.read(write(tmp_path / "t", [
            {"n": w, "event": "path", "warp": w, "mask": "ffffffff" if w != 1 else "0000ffff", "site": 0, "insns": 2}
            for w in range(4)]))
    finally:
        HEADER["warps"] = 1
    assert pictures.alike(trace) == [[0, 2, 3], [1]]
    fig = pictures.lanes(trace)
    assert [t.get_text() for t in fig.axes[0].get_yticklabels()] == ["warps 0, 2–3", "warp 1"]
    assert "28.0 of 32" in fig._suptitle.get_text(), "of all warps, drawn or not"


def test_what_is_no_tree_is_refused(tmp_path):
    """A tile brought while words are read: each lane stores after loads, and sums nothing."""
    events = [access(0, [4 * i for i in range(32)], kind="store")]
    for k in range(3):
        events += [access(len(events), [4 * ((i + 1 + j) % 32) for i in range(32)]) for j in range(2)]
        events.append(access(len(events), [4 * i for i in range(32)], kind="store"))
    with pytest.raises(records.RecordError, match="no tree"):
        pictures.tree(tracing.read(write(tmp_path / "t", events)))


def test_a_kernel_that_does_nothing_is_told_what_to_try(tmp_path):
    write(tmp_path / "matmul-x.jsonl", [])
    done = subprocess.run([sys.executable, str(records.HERE / "picture.py"), "--trace", str(tmp_path / "matmul-x.jsonl"),
                           "--out", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 1 and "still to be written? make run LAB=matmul KERNEL=hand" in done.stderr, done.stderr


def test_the_kernel_that_was_asked_for_is_drawn(tmp_path):
    """Not the one that is launched before it; on a case of its own where the lab's small one is another's."""
    trace = write(tmp_path / "given", [access(0, range(0, 128, 4))])
    trace.write_text(trace.read_text().replace("hand_i32_sum", "_Z5solvePf"))
    program = tmp_path / "build" / "bin" / "toy"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\ncase "$*" in\n--list) echo "  2    solve            halves";;\n'
                       f'*--untimed*) [ "$WARPLAB_TRACE_KERNEL" = solve ] && cp {trace} "$WARPLAB_TRACE";;\n'
                       '*) echo "nothing was run: these kernels and cases do not go together";;\nesac\n')
    program.chmod(0o755)
    found = picture.record(tmp_path / "build", "toy", "2", ["--case", "small"], tmp_path / "t.jsonl", False)
    assert found.header["kernel"] == "solve"


def test_words_of_several_lanes_say_so(tmp_path):
    """Each word on its own, and one behind words side by side; a transposition by rows and columns."""
    def said(addresses):
        trace = tracing.read(write(tmp_path / "t", [access(0, addresses, space="global")]))
        return [t.get_text() for t in pictures.sectors([(trace, trace.accesses()[0], "x")], "x").axes[0].texts]
    assert said([4096] * 32) == ["0", "read by 32 lanes"]
    assert said([4096 + 4 * (i % 8) for i in range(31)])[8:] == ["each read by 3 to 4 lanes"]
    assert said([4096 + 12 * (i % 8) for i in range(32)])[8:] == ["read by 4 lanes"], "the others have no room"
    assert picture.said_of_case({"case": "n=4093", "n": 4093, "m": 1024, "k": 0}) == "1024 × 4093"
    assert picture.said_of_case({"case": "n=64", "n": 64, "m": 64, "k": 64}) == "n=64"


def test_a_foot_explains_what_is_there(tmp_path):
    for addresses, words in (([4096] * 32, {"underlined"}), ([256 * i for i in range(32)], {"red:"}), (range(0, 128, 4), set())):
        trace = tracing.read(write(tmp_path / "t", [access(0, list(addresses))]))
        foot = pictures.banks([(trace, trace.accesses()[0], "x")], "x").texts[-1].get_text()
        assert {word for word in ("underlined", "red:") if word in foot} == words


def test_a_long_foot_goes_on_in_another_line(tmp_path):
    trace = tracing.read(write(tmp_path / "t", [access(0, range(0, 128, 4))]))
    trace.header |= {"kernel": "a_kernel_of_a_long_name" * 3, "run": {"case": "n=1", "device": "x", "date": "today", "seed": 1}}
    fig = pictures.banks([(trace, trace.accesses()[0], "x")], "x")
    assert not layout.problems(fig) and fig.texts[-1].get_text().count("\n") == 2


def test_products_ask_no_banks(tmp_path):
    path = write(tmp_path / "t", [access(0, range(0, 128, 4))])
    assert len(pictures.shared_of(tracing.read(path))) == 1
    path.write_text(path.read_text().replace("ld.shared.u32", "wgmma.mma_async"))
    assert not pictures.shared_of(tracing.read(path))


def test_a_wedge_of_lines_is_a_band_with_some_of_them():
    trace = picture.kept_parts(next(k for k in picture.every_kept() if k.variant == "reduce3"))[""]
    fig = pictures.tree(trace)
    assert "one line of up to 8 is drawn" in " ".join(t.get_text() for t in fig.texts)
    nodes, _ = pictures.useful_edges(trace)
    drawn = [line for line in fig.axes[0].get_lines() if len(line.get_xdata()) == 2 and line.get_marker() == ""]
    assert len(drawn) < 2 * len(nodes) and len(fig.axes[0].patches) == 3, "the three widest steps"


def test_a_picture_of_one_case_is_called_so():
    assert names.of_a_case("paths", None, 4) == "4 paths"
    assert names.of_a_case("paths", "3", None) == "3 1 to 32 paths"
    assert names.of_a_case("mixed", None, 4) == "mixed, by place"


def test_lanes_move_from_step_to_step(tmp_path):
    """Three stretches of one warp, three frames; each marks its own and holds nothing after it."""
    trace = tracing.read(write(tmp_path / "t", [
        {"n": n, "event": "path", "warp": 0, "mask": mask, "site": 0, "insns": length}
        for n, (mask, length) in enumerate((("ffffffff", 2), ("0000ffff", 3), ("000000ff", 1)))]))
    assert movies.steps("lanes", trace) == [(0, 2), (2, 5), (5, 6)]
    figs = list(movies.frames("lanes", trace, "hand"))
    said = [f.axes[0].get_title(loc="left") for f in figs]
    assert said == [f"warp 0, {n} of 32 lanes, line 7: s[i] += s[i + 1];" for n in (32, 16, 8)]
    assert [f._suptitle.get_text().split(": ")[1] for f in figs] == \
        ["32.0 of 32 lanes active so far", "22.4 of 32 lanes active so far", "20.0 of 32 lanes active so far"]
    blue = [c for c in figs[1].axes[0].collections if c.get_facecolor()[0][:3] == pytest.approx((0, 0x72 / 255, 0xb2 / 255))]
    assert sum(len(p.vertices) for c in blue for p in c.get_paths()) > 0
    assert lane_columns(figs[1], 4) == 16 and lane_columns(figs[1], 5) == 0


def test_a_long_run_has_no_more_frames_than_a_lecture_bears(tmp_path):
    trace = tracing.read(write(tmp_path / "t", [
        {"n": n, "event": "path", "warp": 0, "mask": f"{n % 2 + 1:08x}", "site": 0, "insns": 1} for n in range(1001)]))
    steps = movies.steps("lanes", trace)
    assert len(steps) <= movies.MAX_FRAMES and steps[0][0] == 0 and steps[-1][1] == 1001
    assert all(a[1] == b[0] for a, b in zip(steps, steps[1:]))


def test_tree_grows_by_its_steps(tmp_path):
    order = [([*range(0, 8, 2 * s)], [*range(0, 8, 2 * s)], [i + s for i in range(0, 8, 2 * s)]) for s in (1, 2, 4)]
    trace = tracing.read(write(tmp_path / "t", reduce_events(8, order)))
    figs = list(movies.frames("tree", trace, "hand"))
    assert [f._suptitle.get_text() for f in figs] == [
        "hand: loaded, nothing added yet", "hand: step 1 of 3: 4 additions of words 1 apart",
        "hand: step 2 of 3: 2 additions of words 2 apart", "hand: step 3 of 3: 1 addition of words 4 apart"]
    edges = [sum(len(line.get_xdata()) == 2 and line.get_linestyle() == "-" for line in f.axes[0].get_lines())
             for f in figs]
    assert edges == [0, 8, 12, 14], "two lines meet in every sum"


def test_sectors_light_up_lane_by_lane(tmp_path):
    path = write(tmp_path / "t", [access(0, [4096 + 16 * i for i in range(32)], space="global")])
    trace = tracing.read(path)
    figs = list(movies.frames("sectors", [(trace, trace.accesses()[0], "stride 4")], "hand"))
    said = [f.axes[0].get_title(loc="left").split(": ")[1].split(" sector")[0] for f in figs]
    assert said == [str(-(-lanes // 2)) for lanes in range(33)], "two lanes share a sector"
    assert "lanes 0 to 4" in figs[5]._suptitle.get_text() and "lanes" not in figs[32]._suptitle.get_text()


def test_banks_serve_pass_by_pass(tmp_path):
    panels = []
    for stride in (1, 8):
        trace = tracing.read(write(tmp_path / f"{stride}", [access(0, [4 * stride * i for i in range(32)])]))
        panels.append((trace, trace.accesses()[0], f"stride {stride}"))
    figs = list(movies.frames("banks", panels, "hand"))
    said = [[ax.get_title(loc="left").split(": ")[1] for ax in f.axes] for f in figs]
    assert len(said) == 9 and said[0] == ["nothing served yet"] * 2
    assert said[3] == ["done, 1 pass", "pass 3 of 8"] and said[8][1] == "done, 8 passes, 7 by conflicts"
    numbered = [len(f.axes[1].texts) for f in figs]
    assert numbered == [4 * passes for passes in range(9)], "four lanes a pass"


def test_animation_is_written_with_all_its_frames(tmp_path):
    trace = tracing.read(write(tmp_path / "t", reduce_events(4, [([0, 2], [0, 2], [1, 3]), ([0], [0], [2])])))
    pdf, gif = style.animate(movies.frames("tree", trace, "hand"), "tree-hand", tmp_path, seconds=1, hold=2)
    with Image.open(gif) as movie:
        assert movie.n_frames == 3 and movie.info["loop"] == 0
        times = []
        for i in range(3):
            movie.seek(i)
            times.append(movie.info["duration"])
        assert times == [1000, 1000, 2000]
        assert movie.convert("RGB").getpixel((2, movie.height // 2)) == (255, 255, 255), "paper is white"
    assert pdf.read_bytes().count(b"/Type /Page ") == 3


def shows_change(a, b):
    """Is more than a thousandth of the second picture other than in the first?"""
    pixels = []
    for fig in (a, b):
        fig.canvas.draw()
        pixels.append(np.asarray(fig.canvas.buffer_rgba()).astype(int))
    return np.mean(np.abs(pixels[0] - pixels[1]).max(axis=2) > 40) > 0.001


@pytest.mark.parametrize("kept", picture.every_kept(), ids=lambda k: f"{k.lab}-{k.variant}")
def test_kept_pictures_move(kept):
    """Number of frames, and the first and the last one drawn."""
    frames = {("lanes", "reduce1"): 22, ("lanes", "branch_thread"): 3, ("tree", "reduce1"): 8, ("tree", "reduce3"): 8,
              ("sectors", "strided_copy"): 33, ("banks", "bank_loop4"): 9}
    parts = picture.kept_parts(kept)
    for kind in kept.kinds:
        what, name = picture.subject(kind, kept.variant, parts)
        steps = movies.steps(kind, what)
        assert len(steps) == frames.get((kind, kept.variant), len(steps)) >= 1
        for step in (steps[0], steps[-1]):
            fig = getattr(pictures, kind)(what, name, step)
            assert any("counted" in t.get_text() for t in fig.texts)
            assert not layout.problems(fig)
        assert kind != "lanes" or len(steps) == 1 or shows_change(*(getattr(pictures, kind)(what, name, s) for s in steps[:2]))


@pytest.mark.parametrize("path", sorted((records.HERE / "figures").glob("*.gif")), ids=lambda p: p.stem)
def test_a_lecture_does_not_wait_for_a_movie(path):
    with Image.open(path) as movie:
        times = []
        for i in range(movie.n_frames):
            movie.seek(i)
            times.append(movie.info["duration"])
    assert sum(times) < 30_000


def test_what_is_shown_of_a_lab(tmp_path, monkeypatch):
    """A lab without shown.json is shown whole; a damaged one is named."""
    monkeypatch.setattr(records, "ROOT", tmp_path)
    (tmp_path / "labs" / "x").mkdir(parents=True)
    assert picture.shown("x") == {"small": {"args": [], "kinds": picture.KINDS}, "kept": [], "beside": []}
    for damaged in ("{", '{"kept": [{"kinds": []}]}', '{"kept": 3}'):
        (tmp_path / "labs" / "x" / "shown.json").write_text(damaged)
        with pytest.raises(records.RecordError, match="shown.json: "):
            picture.shown("x")


@pytest.mark.parametrize("name", diagrams.DIAGRAMS)
def test_diagrams_can_be_read_and_say_what_they_are(name):
    fig = diagrams.DIAGRAMS[name]()
    assert not layout.problems(fig)
    assert any("computed from its sizes" in t.get_text() for t in fig.texts)


def test_a_fragment_has_each_element_once_in_the_lane_that_the_isa_says():
    """Of the sums, lane l's element i lies in row l / 4 + 8 (i / 2), column 2 (l % 4) + i % 2."""
    for lane in range(32):
        assert {diagrams.holder("c", lane // 4 + 8 * (i // 2), lane % 4 * 2 + i % 2) for i in range(4)} == {lane}
        assert {diagrams.holder("b", lane % 4 * 2 + i % 2 + 8 * (i // 2), lane // 4) for i in range(4)} == {lane}
        assert {diagrams.holder("a", lane // 4 + 8 * (i // 2 % 2), lane % 4 * 2 + i % 2 + 8 * (i // 4))
                for i in range(8)} == {lane}


def test_each_word_of_a_strip_is_brought_once():
    brought = [diagrams.fetched(word) for word in range(diagrams.L * diagrams.S)]
    assert len(set(brought)) == len(brought) and {t for t, _ in brought} == set(range(diagrams.THREADS))


@pytest.mark.parametrize("degree,sizes,chain", [(2, [512, 256, 128, 64, 32, 16, 8, 4, 2, 1], 9), (4, [512, 128, 32, 8, 2, 1], 13),
                                                (8, [512, 64, 8, 1], 21)])
def test_trees_have_the_rounds_that_the_handout_says(degree, sizes, chain):
    assert diagrams.levels(512, degree) == sizes
    assert diagrams.longest_chain(512, degree) == chain


def test_brents_graph_is_the_lectures():
    """W = 10, t = 6, and three processors are enough; no p takes longer than the theorem says."""
    at = diagrams.steps(diagrams.OPERATIONS)
    work, depth = len(at), max(at.values())
    assert (work, depth) == (10, 6)
    for p in range(1, 6):
        taken = diagrams.by_processors(diagrams.OPERATIONS, p)
        assert sorted(sum(taken, [])) == sorted(diagrams.OPERATIONS) and max(map(len, taken)) <= p
        assert depth <= len(taken) <= depth + (work - depth) / p
        assert (len(taken) == depth) == (p >= 3)


def test_the_last_warps_picture_says_what_is_needed():
    """A lane's sum at distance d is needed exactly where another value of s[0] comes without it."""
    for distance in (32, 16, 8, 4, 2, 1):
        for lane in range(32):
            s = [1] * 64
            for d in (32, 16, 8, 4, 2, 1):
                new = [s[i] + s[i + d] for i in range(32)]
                if d == distance:
                    new[lane] = s[lane]
                s[:32] = new
            assert (s[0] != 64) == diagrams.of_use(lane, distance)


def test_schedule_moves():
    fig = next(schedule.movie())
    fig.canvas.draw()
    assert fig.texts[-1].get_window_extent().x1 < fig.bbox.x1, "the foot runs off the paper"
    said = [f.axes[0].texts[0].get_text() for f in schedule.movie(length=6)]
    assert said == ["1. The kernel arrives: 1000 blocks", "2. Block 0 goes to SM 0", "3. Block 1 goes to SM 1",
                    "4. Block 2 goes to SM 0", "5. Block 3 goes to SM 1: both are full", said[5]]
    assert said[5].startswith("6. Block ") and "is done: room on SM" in said[5]


@pytest.mark.parametrize("text,words", [
    ("", "empty"),
    ("{\"end\":true,\"events\":0,\"dropped\":0,\"truncated\":false}\n", "has no such block"),
    ("{\"trace\":2}\n", ":1: not a trace"), ("not json\n", ":1: not JSON"),
    (json.dumps(HEADER) + "\n", "last line is missing"),
    (json.dumps(HEADER) + "\n{\"x\":1}\n", ":2: unknown kind"),
    (json.dumps(HEADER) + "\n" + json.dumps(access(0, [0, 4], lanes=[0])) + "\n", ":2: as many addresses"),
])
def test_broken_traces_are_located(tmp_path, text, words):
    (tmp_path / "bad.jsonl").write_text(text)
    with pytest.raises(records.RecordError) as e:
        tracing.read(tmp_path / "bad.jsonl")
    assert "bad.jsonl" in str(e.value) and words in str(e.value)


def test_thinned_trace_reads_back(tmp_path):
    trace = tracing.read(write(tmp_path / "t", [access(i, [0, 4]) for i in range(9)])).thin()
    tracing.write(trace, tmp_path / "u")
    assert len(tracing.read(tmp_path / "u").events) == 2


def test_schedule_is_the_lectures():
    """Two blocks of 520 bytes fit 1.5 KB; 0 to 3 start, then 4 where the first one ended."""
    assert schedule.fits(schedule.TWO_SM, schedule.CONVOLVE) == (2, "shared memory")
    events = schedule.simulate(schedule.TWO_SM, 2, schedule.CONVOLVE, 1000)
    starts = [e for e in events if e.what == "start"]
    assert [e.block for e in starts] == list(range(1000))
    assert [e.sm for e in starts[:4]] == [0, 1, 0, 1]
    first_end = next(e for e in events if e.what == "end")
    assert (starts[4].sm, starts[4].slot, starts[4].time) == (first_end.sm, first_end.slot, first_end.time)
    for _, state, _ in schedule.frames(events, 2):
        assert all(sum(1 for sm, _ in state if sm == s) <= 2 for s in range(2))


def test_kept_traces_are_all_there_and_small():
    assert len(picture.every_kept()) >= 10
    for kept in picture.every_kept():
        parts = picture.kept_parts(kept)
        assert set(parts) == set(kept.cases), f"{kept.lab} {kept.variant}: run `python plots/picture.py --keep`"
    assert sum(p.stat().st_size for p in picture.KEPT.iterdir()) < 1 << 20


@pytest.mark.parametrize("kept", picture.every_kept(), ids=lambda k: f"{k.lab}-{k.variant}")
def test_kept_pictures_show_what_they_should(kept):
    parts = picture.kept_parts(kept)
    for kind in kept.kinds:
        fig = picture.draw(kind, kept.variant, parts)
        foot = next(t for t in fig.texts if t.get_gid() == "provenance")
        for word in ("NVIDIA H200", "backend emulator", "counted", "20", "seed 20260917"):
            assert word in foot.get_text()
        assert ("n=" in foot.get_text() or "64x64x64" in foot.get_text()) == (len(parts) == 1)
        assert not layout.problems(fig)
        if kind == "tree":
            assert "127 additions in 7 steps" in fig._suptitle.get_text()
        if kind == "banks" and kept.variant == "bank_loop4":
            said = [ax.get_title(loc="left") for ax in fig.axes]
            assert ["1 pass", "2 passes", "8 passes", "1 pass"] == [t.split(": ")[1].split(",")[0] for t in said]
        if kind == "sectors" and kept.variant == "strided_copy":
            assert [ax.get_title(loc="left").split(": ")[1].split(",")[0] for ax in fig.axes] == \
                ["4 sectors", "8 sectors", "16 sectors", "32 sectors"]
