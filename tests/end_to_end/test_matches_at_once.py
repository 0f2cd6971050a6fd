"""Bots that play several matches at once, on one connection: programs launched for the whole run."""

from pathlib import Path
from typing import Any

from tests.end_to_end.runs import Run, assert_verified, honest, is_running, pids_left, pids_marked, play, rogue


def lasting(command: list[str], *, at_once: int = 4) -> dict[str, Any]:
    """A bot that is launched once and plays so many matches at the same time."""
    return {"command": command, "process": "run", "matches_at_once": at_once}


def most_at_once(run: Run, entrant: str) -> int:
    """How many matches of an entrant were under way at the same time, by the times of their first and last turns."""
    spans = []
    for fixture in run.settled():
        if entrant in fixture.split("-"):
            times = [fact["at_ms"] for fact in run.match(fixture) if fact["event"] == "turn_played"]
            spans.append((times[0], times[-1]))
    return max(sum(first <= moment <= last for first, last in spans) for moment, _ in spans)


def test_a_bot_launched_for_the_run_is_started_once_and_plays_its_matches_at_once(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    pids.mkdir()
    bots = {name: lasting(honest()) for name in ("anna", "bo", "cia")}
    run = play(tmp_path, bots, env={"HOME": str(pids)}, tournament={"cycles": 4, "at_once": 6})
    assert len(list(pids_left(pids))) == 3
    assert not any(map(is_running, pids_left(pids)))
    assert len(run.settled()) == 12
    assert all(cause is None for name in bots for games in run.forfeits(name).values() for _, cause in games)
    assert {most_at_once(run, name) for name in bots} <= {2, 3, 4}
    assert_verified(run.folder)


def test_an_entrant_plays_one_match_at_a_time_unless_told_otherwise(tmp_path: Path) -> None:
    bots = {"anna": lasting(honest()), "bo": {"command": honest()}}
    run = play(tmp_path, bots, tournament={"cycles": 2, "at_once": 8})
    assert most_at_once(run, "anna") == 1


def test_a_bot_launched_for_the_run_that_crashes_forfeits_what_was_open_and_is_started_again(tmp_path: Path) -> None:
    mark = str(tmp_path)
    bots = {"anna": lasting(honest()), "rogue": lasting(rogue("crash", mark, at_turn=150))}
    run = play(tmp_path, bots, tournament={"cycles": 4, "at_once": 4})
    assert len(run.settled()) == 4
    assert pids_marked(mark) == []
    matches = [[cause for _, cause in games] for games in run.forfeits("rogue").values()]
    assert any(None in causes[causes.index("disconnect") :] for causes in matches if "disconnect" in causes)
    assert_verified(run.folder)


def test_a_bot_launched_for_the_run_that_never_plays_is_out_without_waiting(tmp_path: Path) -> None:
    bots = {name: lasting(honest()) for name in ("anna", "bo")} | {"rogue": lasting(rogue("exits"))}
    run = play(tmp_path, bots, status=1, tournament={"cycles": 2, "at_once": 3}, limits={"startup_ms": 50_000})
    assert len(run.settled()) == 6
    assert {cause for games in run.forfeits("rogue").values() for _, cause in games} == {"no_show"}
    others = [games for fixture, games in run.forfeits("anna").items() if "rogue" not in fixture]
    assert {cause for games in others for _, cause in games} == {None}
    assert_verified(run.folder)
