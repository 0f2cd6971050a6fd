"""Weekly cups of a venue: when they begin, who plays, how they end, go on and are left out."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import trio

from arena.records.venue_facts import CupBegun, CupLeftOut
from arena.server.setup.tournament_file import parse_plan
from tests.server.cup_club import (
    HOUR_MS,
    MINUTE_MS,
    Club,
    book_of,
    cup_at,
    in_minutes,
    open_club,
)


@pytest.fixture(autouse=True)
def no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    async def at_once(call: Callable[..., object], *args: object, **_: object) -> object:
        await trio.lowlevel.checkpoint()
        return call(*args)

    monkeypatch.setattr(trio.to_thread, "run_sync", at_once)  # else the mock clock jumps meanwhile


async def test_a_cup_begins_at_its_time_is_played_and_verifies_by_itself(tmp_path: Path) -> None:
    due_ms = in_minutes(30)
    async with open_club(tmp_path, cup_at(due_ms)) as club:
        for name in ("anna", "bert", "cecil", "dora", "erik"):
            await club.come(name)
        club.ladders.book = book_of(
            {"anna-1": 10.0, "bert-1": 400.0, "cecil-1": -50.0, "dora-1": 90.0, "erik-1": 5.0}
        )
        club.keep()
        await club.until(club.over)
        [begun] = club.lines()
        assert isinstance(begun, CupBegun)
        assert due_ms <= begun.at_ms < due_ms + 1000
        verified = club.verified(begun.run)
        assert verified.is_finished
        plan = parse_plan(club.files(begun.run)["tournament.toml"].decode())
        assert plan.entrants == ["bert-1", "dora-1", "anna-1", "erik-1"]
        assert (plan.limits.grace_ms, plan.at_once, plan.format.name) == (
            60_000,
            2,
            "swiss-monrad-1",
        )
        assert club.winners(begun.run)[0].entrant in plan.entrants
        aside = ["anna", "bert", "dora", "erik"]
        assert club.ladders.told == [("aside", aside), ("back", aside)]
        assert {account.pinned_build for account in accounts_of(club)} == {None}
        assert all(player.is_connected for player in club.house.accounts.players.values())


def accounts_of(club: Club) -> Iterator:  # type: ignore[type-arg]
    for player in club.house.accounts.players.values():
        yield player.account


async def test_programs_of_the_house_have_the_places_that_are_left(tmp_path: Path) -> None:
    async with open_club(tmp_path, cup_at(in_minutes(10))) as club:
        for name in ("anna", "bert"):
            await club.come(name)
        club.keep()
        await club.until(lambda: bool(club.lines()))
        [begun] = club.lines()
        assert isinstance(begun, CupBegun)
        plan = parse_plan(club.files(begun.run)["tournament.toml"].decode())
        assert len(plan.bot) == 4
        assert {bot.entrant for bot in plan.bot if bot.remote} == {"anna-1", "bert-1"}
        await club.until(lambda: bool(club.ladders.told))
        assert sorted(club.ladders.aside) == ["anna", "bert"]


async def test_a_cup_with_a_single_bot_is_left_out(tmp_path: Path) -> None:
    due_ms = in_minutes(10)
    async with open_club(tmp_path, cup_at(due_ms)) as club:
        await club.come("anna")
        club.keep()
        await club.until(lambda: bool(club.lines()))
        [left_out] = club.lines()
        assert left_out == CupLeftOut(at_ms=left_out.at_ms, cup="sat", due_ms=due_ms, why="too_few")
        assert not (tmp_path / "runs").exists()
        await club.come("bert")
        await club.until(lambda: len(club.lines()) == 2)
        begun = club.lines()[1]
        assert isinstance(begun, CupBegun)
        assert begun.at_ms // MINUTE_MS == due_ms // MINUTE_MS + 7 * 24 * 60


@pytest.mark.parametrize(("minutes", "begins"), [(55, True), (65, False)])
async def test_a_cup_that_was_due_while_nobody_refereed_begins_within_the_hour(
    tmp_path: Path, minutes: int, begins: bool
) -> None:
    due_ms = in_minutes(5)
    async with open_club(tmp_path, cup_at(due_ms)) as club:
        for name in ("anna", "bert"):
            await club.come(name)
        club.house.log.write(
            CupLeftOut(
                at_ms=club.now_ms(), cup="sat", due_ms=due_ms - 7 * 24 * HOUR_MS, why="too_few"
            )
        )
        await trio.sleep((due_ms - club.now_ms()) / 1000 + minutes * 60)
        club.cups._opened_ms = club.now_ms()
        club.keep()
        await club.until(lambda: len(club.lines()) == 2)
        line = club.lines()[1]
        if begins:
            assert isinstance(line, CupBegun)
            assert 0 <= line.at_ms - due_ms - (minutes + 2) * MINUTE_MS < 1000
        else:
            assert line == CupLeftOut(at_ms=line.at_ms, cup="sat", due_ms=due_ms, why="too_late")


async def test_a_cup_waits_for_its_ladder_and_is_left_out_when_it_does_not_open(
    tmp_path: Path,
) -> None:
    due_ms = in_minutes(10)
    async with open_club(tmp_path, cup_at(due_ms)) as club:
        for name in ("anna", "bert"):
            await club.come(name)
        club.ladders.book = None
        club.keep()
        await club.until(lambda: bool(club.lines()))
        [line] = club.lines()
        assert line == CupLeftOut(at_ms=line.at_ms, cup="sat", due_ms=due_ms, why="too_late")
        assert line.at_ms > due_ms + HOUR_MS


async def test_a_second_cup_takes_only_bots_that_play_in_none(tmp_path: Path) -> None:
    due_ms = in_minutes(10)
    cups = [cup_at(due_ms, name=name, best=2) for name in ("one", "two")]
    async with open_club(tmp_path, *cups) as club:
        for name in ("anna", "bert", "cecil", "dora"):
            await club.come(name, think_s=1)
        club.keep()
        await club.until(lambda: len(club.lines()) == 2)
        fields = []
        for begun in club.lines():
            assert isinstance(begun, CupBegun)
            plan = parse_plan(club.files(begun.run)["tournament.toml"].decode())
            fields.append(set(plan.entrants))
        assert fields[0].isdisjoint(fields[1])
        await club.until(club.over)


async def test_a_cup_goes_on_exactly_after_a_restart(tmp_path: Path) -> None:
    section = cup_at(in_minutes(10), best=3, format="round_robin", more="cycles = 4")
    tokens = {}
    async with open_club(tmp_path, section) as club:
        for name in ("anna", "bert", "cecil"):
            tokens[name] = await club.house.join(name)
            club.nursery.start_soon(club.live, name, tokens[name], 1.0)
        club.keep()
        await club.until(lambda: bool(club.lines()))
        [begun] = club.lines()
        assert isinstance(begun, CupBegun)
        await club.until(lambda: club.events_of(begun.run).count("FixtureSettled") == 3)
    async with open_club(tmp_path, section) as club:
        for name, token in tokens.items():
            club.nursery.start_soon(club.live, name, token, 1.0)
        club.keep()
        await club.until(club.over)
        assert club.lines() == [begun]
        assert club.verified(begun.run).is_finished
        events = club.events_of(begun.run)
        assert events.count("FixtureSettled") == 12
        assert events.count("TournamentEnded") == 1


async def test_a_cup_whose_line_was_not_written_begins_with_its_frozen_field(
    tmp_path: Path,
) -> None:
    due_ms = in_minutes(10)
    async with open_club(tmp_path, cup_at(due_ms, best=2)) as club:
        for name in ("anna", "bert", "cecil"):
            await club.come(name)
        [cup] = club.cups._plan.cup
        run_id = club.cups._run_id(cup, due_ms)
        bots = [bot for bot in club.cups._field(cup) if bot.remote]
        text = club.cups._text(cup, bots, "2026-11-28")
        folder = club.cups._open(run_id, folder_of(club, run_id), text)[1].folder
        folder.close()
        club.ladders.book = book_of({"anna-1": 0.0, "bert-1": 1.0, "cecil-1": 2.0})
        club.keep()
        await club.until(club.over)
        assert club.files(run_id)["tournament.toml"].decode() == text
        assert club.verified(run_id).is_finished


def folder_of(club: Club, run_id: str):  # type: ignore[no-untyped-def]
    from arena.server.setup.run_folder import RunFolder

    return RunFolder(club.house.folder / "runs" / run_id)
