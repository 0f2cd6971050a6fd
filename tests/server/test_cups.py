"""Weekly cups of a venue: when they begin, who plays, how they end, go on and are left out."""

import errno
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import trio

from arena.records.venue_facts import CupBegun, CupLeftOut
from arena.server.io.disk import DiskError
from arena.server.io.journal import Journal
from arena.server.setup.account import Account
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import parse_plan
from arena.server.setup.weekly import local_date
from arena.words import Said
from protocol.greetings import Welcome
from protocol.messages import Error
from tests.fixtures.ladder_books import ANCHORS, book_of
from tests.server.cup_club import (
    HOUR_MS,
    MINUTE_MS,
    Club,
    cup_at,
    in_minutes,
    open_club,
    plan_with,
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
        assert club.winners(begun.run)[0] in plan.entrants
        aside = ["anna", "bert", "dora", "erik"]
        assert club.paired_otherwise[-8:] == [aside] * 4 + [[]] * 4
        assert {account.pinned_build for account in accounts_of(club)} == {None}
        assert all(player.is_connected for player in club.house.accounts.players.values())


def accounts_of(club: Club) -> Iterator[Account]:
    for player in club.house.accounts.players.values():
        yield player.account


async def test_programs_of_the_house_have_the_places_that_are_left(tmp_path: Path) -> None:
    async with open_club(tmp_path, cup_at(in_minutes(10))) as club:
        club.ladders.house_bots = ANCHORS
        for name in ("anna", "bert"):
            await club.come(name)
        club.keep()
        await club.until(lambda: bool(club.lines()))
        [begun] = club.lines()
        assert isinstance(begun, CupBegun)
        plan = parse_plan(club.files(begun.run)["tournament.toml"].decode())
        assert len(plan.bot) == 4
        assert {bot.matches_at_once for bot in plan.bot} == {1}
        assert {bot.entrant for bot in plan.bot if bot.remote} == {"anna-1", "bert-1"}
        await club.until(lambda: any(club.paired_otherwise))
        assert club.aside == ["anna", "bert"]


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
        await club.until(lambda: len(club.lines()) == 2, step_s=600)
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
        run_id = f"sat-{local_date(due_ms, cup.zone)}"
        bots = [bot for bot in club.cups._field(cup) if bot.remote]
        text = club.cups._text(cup, bots, "2026-11-28")
        club.cups._open(folder_of(club, run_id), text).folder.close()
        club.ladders.book = book_of({"anna-1": 0.0, "bert-1": 1.0, "cecil-1": 2.0})
        club.keep()
        await club.until(club.over)
        assert club.files(run_id)["tournament.toml"].decode() == text
        assert club.verified(run_id).is_finished


def folder_of(club: Club, run_id: str) -> RunFolder:
    return RunFolder(club.house.folder / "runs" / run_id)


async def test_a_bot_plays_its_cup_with_one_version(tmp_path: Path) -> None:
    """Another one is refused until the cup is over, and sent away if it is here when it goes on."""
    section = cup_at(in_minutes(10), best=2, more="rounds = 1")
    async with open_club(tmp_path, section) as club:
        token = await club.house.join("anna")
        await club.come("bert", think_s=5)
        club.nursery.start_soon(partial(club.live, "anna", token, 5.0, fingerprint="old"))
        await club.until(lambda: club.house.accounts.players["anna"].account.login is not None)
        club.keep()
        await club.until(lambda: any(club.paired_otherwise))
        account = club.house.accounts.players["anna"].account
        await club.until(lambda: account.matches == 1)
    async with open_club(tmp_path, section) as club:
        newer, welcome = await club.house.try_login("anna", token, fingerprint="new")
        assert isinstance(welcome, Welcome)
        club.keep()
        assert (await newer.wait_for(Error)).code == "old_version_plays"
        await newer.is_cut_off()
        _, refusal = await club.house.try_login("anna", token, fingerprint="new")
        assert isinstance(refusal, Error)
        assert refusal.code == "old_version_plays"
        club.nursery.start_soon(partial(club.live, "anna", token, 0.0, fingerprint="old"))
        await club.until(club.over)
        [begun] = club.lines()
        assert isinstance(begun, CupBegun)
        assert club.verified(begun.run).is_finished
        account = club.house.accounts.players["anna"].account
        assert account.connection is not None
        account.connection.cut(Said("lost.closed"))
        _, welcome = await club.house.try_login("anna", token, fingerprint="new")
        assert isinstance(welcome, Welcome)


async def test_a_cup_that_fails_ends_alone_and_goes_on_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sections = [cup_at(in_minutes(10), name=name, best=2) for name in ("bad", "good")]
    tokens = {}
    async with open_club(tmp_path, *sections) as club:
        for name in ("anna", "bert", "cecil", "dora"):
            tokens[name] = await club.house.join(name)
            club.nursery.start_soon(club.live, name, tokens[name])
        before = Journal.commit

        def fail(journal: Journal) -> None:
            if any(folder.name.startswith("bad-") for folder in journal.path.parents):
                raise DiskError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(journal.path))
            before(journal)

        monkeypatch.setattr(Journal, "commit", fail)
        club.keep()
        await club.until(club.over)
        assert not club.aside
        runs = {line.cup: line.run for line in club.lines() if isinstance(line, CupBegun)}
        assert club.verified(runs["good"]).is_finished
        assert "TournamentEnded" not in club.events_of(runs["bad"])
        assert ("cup_failed", "bad") in club.told()
        monkeypatch.setattr(Journal, "commit", before)
    async with open_club(tmp_path, *sections) as club:
        for name, token in tokens.items():
            club.nursery.start_soon(club.live, name, token)
        club.keep()
        await club.until(club.over)
        assert club.verified(runs["bad"]).is_finished
        assert len(club.lines()) == 2


async def test_a_fault_in_choosing_the_field_is_told_and_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    due_ms = in_minutes(10)
    async with open_club(tmp_path, cup_at(due_ms)) as club:
        for name in ("anna", "bert"):
            await club.come(name)

        def fail(_ladder: str) -> None:
            raise ZeroDivisionError

        with monkeypatch.context() as fault:
            fault.setattr(club.ladders, "house_of", fail)
            club.keep()
            await club.until(lambda: club.now_ms() > due_ms + 10 * MINUTE_MS)
            assert not club.lines()
        await club.until(lambda: bool(club.lines()))
        assert isinstance(club.lines()[0], CupBegun)


async def test_a_changed_cup_counts_from_the_change(tmp_path: Path) -> None:
    """A time that was over when the operator wrote it is that of the next week."""
    due_ms = in_minutes(10)
    async with open_club(tmp_path, cup_at(due_ms + HOUR_MS)) as club:
        for name in ("anna", "bert"):
            await club.come(name)
        club.keep()
        await club.until(lambda: club.now_ms() > due_ms + 10 * MINUTE_MS)
        club.house.accounts.plan = plan_with(tmp_path, cup_at(due_ms))
        club.cups.take_plan()
        await club.until(lambda: bool(club.lines()), step_s=600)
        [begun] = club.lines()
        assert begun.at_ms // MINUTE_MS == due_ms // MINUTE_MS + 7 * 24 * 60
