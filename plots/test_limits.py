"""The page of goals and measured values: up to date, each missed one with its reason."""
import pytest

import limits


def test_the_page_is_of_the_kept_records():
    text, problems = limits.page()
    assert not problems, "\n".join(problems)
    assert limits.PAGE.read_text(encoding="utf-8") == text, "make limits"


@pytest.mark.parametrize("low, high, word", [(1, 1.1, "yes"), (0.9, 1, "even"), (0.9, 0.99, "no")])
def test_a_goal_is_missed_where_the_whole_interval_is(low, high, word):
    assert limits.Row("l", "k", "c", 1, 1, low, high).word() == word


def test_a_missed_goal_needs_its_reason():
    row, problems = limits.Row("l", "k", "n 2", 1, 0.8, 0.7, 0.9), []
    assert "| so |" in "\n".join(limits.section("g", [row], limits.Reasons("l k n_* = so"), problems))
    assert not problems
    list(limits.section("g", [row], limits.Reasons("l k m_* = so"), problems))
    assert "no reason" in problems[0]


def test_a_reason_that_no_row_needs_is_told():
    assert limits.Reasons("l k c = so").unused() == ["l k c"]
    with pytest.raises(ValueError):
        limits.Reasons("l k c")


def test_a_share_is_of_the_time():
    row = {"lab": "l", "variant": "v", "case": "c", "bytes": "100", "hot_ms": "10", "hot_lo_ms": "8", "hot_hi_ms": "20"}
    of = limits.share(row, 0.5, 20000, "bytes", "hot")
    assert (of.value, of.low, of.high) == (0.5, 0.25, 0.625)


def test_the_faster_rung_is_taken():
    def row(kernel, x):
        return {"lab": "l", "variant": kernel, "case": "c"} | {f"cold_ratio{end}": str(x) for end in ("", "_lo", "_hi")}

    assert [r.kernel for r in limits.best([row("a", 0.9), row("b", 1.1), row("d", 1)], 1)] == ["b"]


def test_a_line_is_held_to_its_first_two_points():
    said = list(limits.line("l", "k", [(1, 3), (2, 5), (4, 9), (8, 31)]))
    assert [(r.case, r.value, r.word()) for r in said] == [("4", 1, "yes"), ("8", 0.5, "no")]


def test_of_many_rows_only_what_is_not_met_is_shown():
    rows = [limits.Row("l", "k", f"c{i}", 1, x, x, x) for i, x in enumerate([1.5] * 40 + [2, 0.5])]
    said = "\n".join(limits.section("g", rows, limits.Reasons("l k c41 = so"), []))
    assert "1.50 to 2.00" in said and "| c41 |" in said and "| c40 |" not in said


def test_a_convolution_has_the_goal_that_takes_longer():
    dev = {"fp32_tflops": 50}
    peers = [{"lab": "conv1d", "variant": "v", "case": f"{tflop} TFLOP", "flops": str(tflop * 1e12), "peer_cold_ms": "950"}
             | {f"cold_{end}": "1200" for end in ("ms", "lo_ms", "hi_ms")} | {f"cold_ratio{end}": "0.8" for end in ("", "_lo", "_hi")}
             for tflop in (39, 41)]
    copied, computed = limits.convolutions(peers, dev).values()
    assert [(r.case, r.goal) for r in copied] == [("39 TFLOP cold", limits.COPY_SHARE)]
    assert [(r.case, r.goal) for r in computed] == [("41 TFLOP cold", limits.FP32_SHARE)]
