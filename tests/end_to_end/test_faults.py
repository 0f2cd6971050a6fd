"""A whole tournament with a bot that misbehaves; the faults themselves are cases of the zoo (tests/zoo)."""

from __future__ import annotations

from pathlib import Path

from tests.end_to_end.runs import (
    Run,
    arena,
    assert_verified,
    honest,
    is_running,
    pids_left,
    pids_marked,
    rogue,
    write_plan,
)

HONEST = ("anna", "bo")


def test_a_fault_forfeits_the_games_of_its_own_bot_and_nothing_else(tmp_path: Path) -> None:
    mark = str(tmp_path)
    plan = write_plan(tmp_path, dict.fromkeys(HONEST, honest()) | {"rogue": rogue("crash", mark)})
    run = Run(tmp_path / "run")

    result = arena("run", plan, "--out", run.folder)

    assert result.returncode == 0, result.stderr
    forfeits = run.forfeits("rogue")
    assert len(forfeits) == 2
    for fixture, games in forfeits.items():
        opponent = next(name for name in HONEST if name in fixture)
        assert games == [(opponent, "disconnect")] * 3
        seat = fixture.split("-", 1)[1].split("-v-").index("rogue")
        violations = run.settled()[fixture]["violations"]
        assert (violations[seat], violations[1 - seat]) == (3, 0)
        gone = [*run.match(fixture, "bot_left"), *run.match(fixture, "bot_missing")]
        assert [(fact["seat"], fact["reason"]) for fact in gone] == [(seat + 1, "it hung up")] * 3
    [honest_match] = [fact for fixture, fact in run.settled().items() if "rogue" not in fixture]
    assert [game["cause"] for game in honest_match["games"]] == [None] * 3
    assert honest_match["violations"] == [0, 0]
    rows = run.standings()
    assert (rows["rogue"]["forfeits"], rows["anna"]["forfeits"], rows["bo"]["forfeits"]) == (6, 0, 0)
    assert (rows["rogue"]["place"], rows["rogue"]["points"], rows["rogue"]["won"]) == (3, 0, 0)
    assert "forfeits" in result.stdout
    assert_verified(run.folder)
    assert pids_marked(mark) == []


def test_a_program_that_reconnects_by_itself_is_replaced_and_pays_for_each_fault_once(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    pids.mkdir()
    run = Run(tmp_path / "run")
    plan = write_plan(tmp_path, {"anna": honest("--think-ms", 20), "rogue": honest("--leave-every", 4)})
    result = arena("run", plan, "--out", run.folder, HOME=str(pids))
    assert result.returncode == 0, result.stderr
    assert run.forfeits("rogue") == {"r1-anna-v-rogue": [("anna", "disconnect")] * 3}
    assert run.settled()["r1-anna-v-rogue"]["violations"] == [0, 3]
    assert len(list(pids_left(pids))) == 1 + 3
    assert [pid for pid in pids_left(pids) if is_running(pid)] == []
