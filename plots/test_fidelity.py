"""The page that sets the emulator beside an H200: up to date, and nothing unexplained on it."""
import fidelity


def test_the_page_is_of_the_kept_records():
    text, problems = fidelity.page()
    assert not problems, "\n".join(problems)
    assert fidelity.PAGE.read_text(encoding="utf-8") == text, "make fidelity"


def row(**kw):
    return {"lab": "l", "variant": "v", "case": "n=2 a", **{k: str(x) for k, x in kw.items()}}


def causes(*rules):
    return fidelity.Causes("code = it is\n" + "\n".join(rules))


def test_two_per_cent_are_the_same():
    assert fidelity.differ("instructions", row(inst_executed=102), row(inst_executed=100))[2] is None
    assert fidelity.differ("instructions", row(inst_executed=50), row(inst_executed=100))[2] == 2
    assert fidelity.differ("instructions", row(), row(inst_executed=100))[2] is None


def test_conflicts_are_held_to_the_wavefronts():
    few = row(shared_ld_wavefronts=1000, shared_ld_bank_conflicts=0)
    assert fidelity.differ("conflicts", few, row(shared_ld_wavefronts=1010, shared_ld_bank_conflicts=10))[2] is None
    assert fidelity.differ("conflicts", few, row(shared_ld_wavefronts=1250, shared_ld_bank_conflicts=250))[2] == 0.2


def told(*rules):
    problems = []
    text = fidelity.cell("instructions", row(inst_executed=50), row(inst_executed=100), causes(*rules), problems)
    return text, problems


def test_what_differs_needs_a_cause_that_reaches_so_far():
    assert told("instructions l v n=2_* 1.5 2 code") == ("50 / 100 code", [])
    for rule in ("", "instructions l v * 1.1 1.9 code", "instructions l w * 1 3 code", "requests l v * 1 3 code"):
        assert "no cause" in told(rule)[1][0]


def test_a_cause_has_its_sentence():
    try:
        causes("instructions * * * 0 9 nothing")
    except ValueError as e:
        assert "nothing" in str(e)
    else:
        raise AssertionError("a cause without a sentence")


def test_what_is_timed_again_are_kernels_of_the_page():
    rows = fidelity.read(fidelity.TIMES)
    record = [dict(row, hot_ms="2", hot_lo_ms="1", hot_hi_ms="3") for row in rows[:1]]
    other = dict(record[0], variant="another")
    lines = fidelity.again_text({rows[0]["lab"]: record + [other]}).splitlines()
    assert len(lines) == 3 and lines[2].endswith(",2,1,3")
    commands = fidelity.again_commands()
    assert set(commands) == {row["lab"] for row in rows}
    assert {tuple(row[k] for k in fidelity.KEY[:4]) for row in fidelity.read(fidelity.AGAIN)} <= {
        tuple(row[k] for k in fidelity.KEY[:4]) for row in rows}
