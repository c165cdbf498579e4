"""Reading records: what is right comes through typed, what is broken is named with its place."""
import pytest

import records
import synthetic


@pytest.fixture
def good(tmp_path):
    return synthetic.write(tmp_path / "good.csv", synthetic.rows("gpu"))


def fails(path, *words):
    with pytest.raises(records.RecordError) as e:
        records.load([path])
    for word in words:
        assert word in str(e.value), str(e.value)


def test_types_and_missing(good):
    row = records.load([good]).one(lab="reduction", variant="reduce3", n=2**20)
    assert row["number"] == "3" and row["seed"] == 1 and isinstance(row["hot_ms"], float)
    assert row["cold_ms"] is None and row.time_ms == row["hot_ms"]
    assert row.machine == "synthetic-s1"


def test_nan_is_missing_not_zero(tmp_path):
    line = synthetic.row("gpu", lab="reduction", variant="reduce1", case="c", n=4, hot_ms=1.0, bytes=16,
                         inst_executed="nan")
    row = records.load([synthetic.write(tmp_path / "r.csv", [line])])[0]
    assert row["inst_executed"] is None
    assert row.value("active_lanes") is None


def test_ratio_without_requests_is_missing(tmp_path):
    line = synthetic.row("gpu", lab="x", variant="v", case="c", global_ld_sectors=0, global_ld_requests=0)
    assert records.load([synthetic.write(tmp_path / "r.csv", [line])])[0].value("sectors_per_ld") is None


def test_newest_wins_and_failures_never_do(tmp_path):
    def line(**kw):
        return synthetic.row("gpu", lab="reduction", variant="reduce1", case="c", n=4, bytes=16, **kw)
    synthetic.write(tmp_path / "b.csv", [line(hot_ms=1.0, date="2026-01-01T00:00:00Z")])
    synthetic.write(tmp_path / "a.csv", [line(hot_ms=2.0, date="2026-03-01T00:00:00Z")])
    synthetic.write(tmp_path / "c.csv", [line(hot_ms=3.0, date="2026-05-01T00:00:00Z", correct="fail")])
    rows = records.load([tmp_path])
    assert [r["hot_ms"] for r in rows] == [2]


def test_counters_of_an_older_pass_stay(tmp_path):
    def line(**kw):
        return synthetic.row("gpu", lab="reduction", variant="reduce1", case="c", n=4, bytes=16, **kw)
    synthetic.write(tmp_path / "a.csv", [line(hot_ms=1.0, date="2026-01-01", barriers=7)])
    synthetic.write(tmp_path / "b.csv", [line(hot_ms=2.0, date="2026-03-01", counters_evidence="")])
    row = records.load([tmp_path])[0]
    assert (row["hot_ms"], row["barriers"], row["counters_evidence"]) == (2, 7, "measured")


def test_machines_are_kept_apart(tmp_path):
    synthetic.write(tmp_path / "g.csv", synthetic.rows("gpu"))
    synthetic.write(tmp_path / "e.csv", synthetic.rows("emulator"))
    rows = records.load([tmp_path])
    assert rows.machines() == ["synthetic-s1", "emulator-synthetic-s1"]
    assert len(rows.where(machine="emulator")) == len(rows.where(machine="gpu"))


def test_empty_file(tmp_path):
    (tmp_path / "e.csv").write_text("")
    fails(tmp_path / "e.csv", "e.csv", "empty")


def test_folder_without_records(tmp_path):
    fails(tmp_path, tmp_path.name, "no .csv in there")


def test_only_comments(tmp_path):
    (tmp_path / "e.csv").write_text("# command: x\n")
    fails(tmp_path / "e.csv", "no heading")


def test_absent_file(tmp_path):
    fails(tmp_path / "none.csv", "none.csv", "No such file")


def test_missing_columns_are_named(tmp_path, good):
    heading = [c for c in synthetic.HEADING if c not in ("gbps", "seed")]
    path = synthetic.write(tmp_path / "m.csv", synthetic.rows("gpu")[:2], heading)
    fails(path, "m.csv:2", "gbps", "seed")


def test_cut_off_line(good):
    text = good.read_text()
    good.write_text(text[: len(text) - 40])
    fails(good, "good.csv:", "no end")


def test_short_line_is_located(good):
    lines = good.read_text().splitlines()
    lines[4] = lines[4].rsplit(",", 3)[0]
    good.write_text("\n".join(lines) + "\n")
    fails(good, "good.csv:5", "cells")


def test_text_where_a_number_belongs(good):
    good.write_text(good.read_text().replace("4194304", "4M", 1))
    fails(good, "good.csv:6", "column 'bytes'", "4M")


def test_binary_junk(tmp_path):
    (tmp_path / "j.csv").write_bytes(b"\xff\xfe\x00\x01")
    fails(tmp_path / "j.csv", "j.csv", "damaged")


def test_one_says_what_is_missing(good):
    with pytest.raises(records.RecordError, match="variant=reduce77"):
        records.load([good]).one(lab="reduction", variant="reduce77")


def test_kept_records_are_readable():
    """Every record in plots/records can be read, says its command, and holds no failure."""
    for path in records.find([records.HERE / "records"]) if (records.HERE / "records").is_dir() else []:
        assert path.read_text().startswith("# command: "), path
        bad = [r.where for r in records.read(path) if r["correct"] == "fail"]
        assert not bad, f"{path}: failed runs in a kept record: {bad[:3]}"
        assert "ynthetic" not in path.read_text(), path
