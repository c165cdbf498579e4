"""Pictures of execution: from traces written by hand, where every number can be checked by
eye, and from the kept ones."""
import json
import math

import matplotlib.pyplot as plt
import numpy as np
import pytest

import picture
import pictures
import records
import schedule
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


@pytest.mark.parametrize("text,words", [
    ("", "empty"), ("{\"trace\":2}\n", ":1: not a trace"), ("not json\n", ":1: not JSON"),
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
    for lab, variant, kinds, cases in picture.KEEP:
        parts = picture.kept_parts(lab, variant, cases)
        assert set(parts) == set(cases), f"{lab} {variant}: run `python plots/picture.py --keep`"
    assert sum(p.stat().st_size for p in picture.KEPT.iterdir()) < 1 << 20


@pytest.mark.parametrize("lab,variant,kinds,cases", picture.KEEP, ids=[f"{k[0]}-{k[1]}" for k in picture.KEEP])
def test_kept_pictures_show_what_they_should(lab, variant, kinds, cases):
    parts = picture.kept_parts(lab, variant, cases)
    for kind in kinds:
        fig = picture.draw(kind, variant, parts)
        assert any("counted" in t.get_text() for t in fig.texts)
        if kind == "tree":
            assert "127 additions in 7 steps" in fig._suptitle.get_text()
        if kind == "banks" and variant == "bank_loop4":
            said = [ax.get_title(loc="left") for ax in fig.axes]
            assert ["1 pass", "2 passes", "8 passes", "1 pass"] == [t.split(": ")[1].split(",")[0] for t in said]
        if kind == "sectors" and variant == "strided_copy":
            assert [ax.get_title(loc="left").split(": ")[1].split(",")[0] for ax in fig.axes] == \
                ["4 sectors", "8 sectors", "16 sectors", "32 sectors"]
