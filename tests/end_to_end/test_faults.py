"""Whole tournaments against bots that misbehave: each fault costs its own bot, and nobody else anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.runs import Run, arena, assert_verified, command, is_running, pids_left, write_plan

HONEST = ("anna", "bo")


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A misbehaving bot and what must become of it."""

    bot: list[str]
    cause: str
    """Of every game it plays."""
    strikes: int
    """In every match."""
    reason: str = ""
    """A part of what the record says of its leaving."""
    plan: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


FAULTS = {
    "crashes-at-turn-3": Fault(bot=command("crashes", 3), cause="disconnect", strikes=3, reason="it hung up"),
    "exits-at-start": Fault(
        bot=command("exits_at_once"), cause="no_show", strikes=1, reason="its program ended with exit status 3"
    ),
    "never-answers": Fault(
        bot=command("never_answers"), cause="time", strikes=3, plan={"clock": {"delay_ms": 250, "bank_ms": 250}}
    ),
    "never-logs-in": Fault(
        bot=command("never_logs_in"), cause="no_show", strikes=1, plan={"limits": {"startup_ms": 5000}}
    ),
    "illegal-always": Fault(bot=command("illegal"), cause="illegal_turns", strikes=3),
    "garbage": Fault(bot=command("garbage"), cause="disconnect", strikes=3, reason="(bad_msgpack)"),
    "length-of-4-GiB": Fault(bot=command("huge_length"), cause="disconnect", strikes=3, reason="(frame_too_large)"),
    "hangs-up-and-exits-0": Fault(bot=command("hangs_up"), cause="disconnect", strikes=3, reason="it hung up"),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_forfeits_the_games_of_its_own_bot_and_nothing_else(fault: Fault, tmp_path: Path) -> None:
    """The tournament ends well, every game of the bad bot is forfeited for the right cause, the others' games stand."""
    pids = tmp_path / "pids"
    pids.mkdir()
    plan = write_plan(tmp_path, {name: command("honest") for name in HONEST} | {"rogue": fault.bot}, **fault.plan)
    run = Run(tmp_path / "run")

    result = arena("run", plan, "--out", run.folder, HOME=str(pids))

    assert result.returncode == 0, result.stderr
    forfeits = run.forfeits("rogue")
    assert len(forfeits) == 2
    for fixture, games in forfeits.items():
        opponent = next(name for name in HONEST if name in fixture)
        assert games == [(opponent, fault.cause)] * 3
        seat = fixture.split("-", 1)[1].split("-v-").index("rogue")
        strikes = run.settled()[fixture]["strikes"]
        assert (strikes[seat], strikes[1 - seat]) == (fault.strikes, 0)
        gone = [*run.match(fixture, "bot_left"), *run.match(fixture, "bot_missing")]
        assert all(fact["seat"] == seat + 1 for fact in gone)
        if fault.reason:
            assert gone
            assert all(fault.reason in fact["reason"] for fact in gone), gone
    [honest_match] = [fact for fixture, fact in run.settled().items() if "rogue" not in fixture]
    assert [game["cause"] for game in honest_match["games"]] == [None] * 3
    assert honest_match["strikes"] == [0, 0]
    rows = run.standings()
    assert (rows["rogue"]["forfeits"], rows["anna"]["forfeits"], rows["bo"]["forfeits"]) == (6, 0, 0)
    assert (rows["rogue"]["place"], rows["rogue"]["points"], rows["rogue"]["won"]) == (3, 0, 0)
    assert "forfeits" in result.stdout
    assert_verified(run.folder)
    assert [pid for pid in pids_left(pids) if is_running(pid)] == []


def test_a_rejected_turn_is_recorded_with_its_clause_until_one_was_too_many(tmp_path: Path) -> None:
    """With 2 rejections forgiven every game has three rejected turns: 1 left, 0 left, forfeited."""
    bots = {"anna": command("honest"), "rogue": command("illegal")}
    run = Run(tmp_path / "run")
    plan = write_plan(tmp_path, bots, limits={"rejections": 2})
    assert arena("run", plan, "--out", run.folder).returncode == 0
    rejected = run.match("r1-anna-v-rogue", "turn_rejected")
    assert [fact["left"] for fact in rejected] == [1, 0, -1] * 3
    assert all(fact["seat"] == 2 and fact["code"] and fact["clause"] and fact["message"] for fact in rejected)
    assert all(fact["moves"] == [[1, 24], [24, 1]] for fact in rejected)


def test_a_program_that_ignores_SIGTERM_is_ended_with_its_children(tmp_path: Path) -> None:  # noqa: N802 - a signal's name
    """The bot plays well, so its games stand; afterwards neither it nor the child it left is running."""
    pids = tmp_path / "pids"
    pids.mkdir()
    run = Run(tmp_path / "run")
    plan = write_plan(tmp_path, {"anna": command("honest"), "rogue": command("stays")})
    result = arena("run", plan, "--out", run.folder, HOME=str(pids))
    assert result.returncode == 0, result.stderr
    assert run.forfeits("rogue")["r1-anna-v-rogue"] != []
    assert {cause for _, cause in run.forfeits("rogue")["r1-anna-v-rogue"]} == {None}
    assert len(list(pids_left(pids))) == 2
    assert [pid for pid in pids_left(pids) if is_running(pid)] == []
    assert_verified(run.folder)


def test_a_program_that_reconnects_by_itself_is_replaced_and_pays_for_each_fault_once(tmp_path: Path) -> None:
    """Every game it hangs up in is forfeited; the next one is played by a new program, the old one is not let in."""
    pids = tmp_path / "pids"
    pids.mkdir()
    run = Run(tmp_path / "run")
    plan = write_plan(tmp_path, {"anna": command("slow", 20), "rogue": command("fickle", 4)})
    result = arena("run", plan, "--out", run.folder, HOME=str(pids))
    assert result.returncode == 0, result.stderr
    assert run.forfeits("rogue") == {"r1-anna-v-rogue": [("anna", "disconnect")] * 3}
    assert run.settled()["r1-anna-v-rogue"]["strikes"] == [0, 3]
    assert len(list(pids_left(pids))) == 1 + 3
    assert [pid for pid in pids_left(pids) if is_running(pid)] == []


def test_a_bot_that_prints_10_MB_is_not_stopped_by_it_and_does_not_fill_the_disk(tmp_path: Path) -> None:  # noqa: N802 - a unit
    """All of it is read, so that the bot plays on; 1 MiB is kept, with a note that there was more."""
    run = Run(tmp_path / "run")
    plan = write_plan(tmp_path, {"anna": command("honest"), "rogue": command("noisy")})
    result = arena("run", plan, "--out", run.folder)
    assert result.returncode == 0, result.stderr
    assert {cause for _, cause in run.forfeits("rogue")["r1-anna-v-rogue"]} == {None}
    kept = run.output_of("r1-anna-v-rogue", "rogue", "stderr")
    assert kept.startswith(b"xxxx")
    assert 1_048_576 <= len(kept) < 1_049_000
    assert kept.endswith(b"[only the first 1048576 bytes are kept]\n")
    assert_verified(run.folder)
