"""What matches of several runs have in common in one loop: its clock, and the connections of bots that play in both."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import trio

from arena.matches.facts import FlagFell, GameStarted, MatchOpened, TurnPlayed
from arena.server.io.disk import DiskError
from arena.server.io.journal import Journal
from arena.server.play.table import Table
from protocol.messages import GameStart, Play, Turn
from tests.fixtures.playing_room import TERMS, Guest, Room, first_legal, mover_of, until

AN_HOUR_MS = 3_600_000


async def test_a_run_whose_clock_was_set_forward_moves_no_deadline(room: Room) -> None:
    """Its own included: its records show the later time, and flags fall when they would have."""
    room.ahead_ms = AN_HOUR_MS
    anna, bo, _ = await room.meet()
    mover, _, _ = await mover_of(anna, bo)
    put_ms = room.loop.clock.now_ms()
    await mover.at(put_ms + TERMS.clock.limit_ms(TERMS.clock.full[0]) - 5)
    assert not room.recorded_as(FlagFell)
    await trio.sleep(0.01)
    [fell] = room.recorded_as(FlagFell)
    assert fell.at_ms - put_ms == pytest.approx(
        AN_HOUR_MS + TERMS.clock.limit_ms(TERMS.clock.full[0]), abs=10
    )
    [opened], started = room.recorded_as(MatchOpened), room.recorded_as(GameStarted)
    assert opened.at_ms <= started[0].at_ms
    room.replay()


@contextmanager
def disk_of(room: Room, lost: Table) -> Iterator[None]:
    """The record of this match cannot be written, which ends its run."""

    def lose(_: BaseException) -> bool:
        lost.give_up()
        for player in room.players.values():
            player.take_back()
        return True

    def commit(journal: Journal) -> None:
        if journal is lost._journal:
            raise DiskError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(journal.path))
        before(journal)

    room.loop.on_disk_error, before = lose, Journal.commit
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(Journal, "commit", commit)
        yield


async def test_what_is_not_on_record_is_told_to_nobody(room: Room) -> None:
    anna, bo, table = await room.meet()
    mover, other, turn = await mover_of(anna, bo)
    room.nursery.start_soon(other.hear_out)
    with disk_of(room, table):
        await mover.answer(turn)
        await trio.sleep(1)
    assert not other.heard(Turn)
    assert room.players[other.name].is_connected


async def test_a_bot_whose_turn_in_another_run_was_taken_back_with_the_rest_is_told_again(
    room: Room,
) -> None:
    """Two matches go on in one batch, and the record of one of them cannot be written."""
    anna, bo = await room.guest("anna", window=3), await room.guest("bo", window=3)
    tables = [room.lay_table("anna", "bo", round_number=number) for number in (1, 2, 3)]
    for guest in (anna, bo):
        for _ in tables:
            await guest.take_seat()
    for guest in (anna, bo):
        room.nursery.start_soon(guest.hear_out)
    await until(lambda: len(anna.heard(Turn) + bo.heard(Turn)) == len(tables))
    mover, other = (anna, bo) if len(anna.heard(Turn)) >= 2 else (bo, anna)
    first, second = mover.heard(Turn)[:2]
    matches = {start.game: start.match for start in mover.heard(GameStart)}
    [lost] = [table for table in tables if table.id == matches[first.game]]
    before = len(other.heard(Turn))

    with disk_of(room, lost):
        plays = [
            Play(game=turn.game, turn=turn.turn, moves=first_legal(turn))
            for turn in (first, second)
        ]
        await mover.say(*plays)
        await until(lambda: room.players[other.name].account.connection is None)
    assert len(other.heard(Turn)) == before
    again = await room.guest(other.name, window=3)
    room.nursery.start_soon(again.hear_out)
    await trio.sleep(0.01)
    told = {start.game: start.match for start in again.heard(GameStart)}
    assert matches[second.game] in {told[turn.game] for turn in again.heard(Turn)}
    assert lost.id not in told.values()


async def test_a_bot_that_does_not_come_forfeits_when_its_time_is_over_by_the_loops_clock(
    room: Room,
) -> None:
    room.ahead_ms = AN_HOUR_MS
    anna = await room.guest("anna")
    room.expect("bo")
    began_ms = room.loop.clock.now_ms()
    table = room.lay_table("anna", "bo")
    await anna.take_seat()
    await until(lambda: bool(table.games))
    assert room.loop.clock.now_ms() - began_ms == pytest.approx(TERMS.startup_ms, abs=20)
    assert table.games[0].at_ms - began_ms == pytest.approx(AN_HOUR_MS + TERMS.startup_ms, abs=20)


async def test_a_run_that_stops_takes_an_answer_and_puts_no_further_turn(room: Room) -> None:
    anna, bo, table = await room.meet()
    mover, _, turn = await mover_of(anna, bo)
    table.put_nothing_more()
    await mover.answer(turn)
    await until(lambda: bool(room.recorded_as(TurnPlayed)))
    assert table.turns_in_play == 0


async def test_a_run_that_stops_takes_back_no_turn_of_another_run(room: Room) -> None:
    """Two games of a bot wait for it, and its window has room for one turn."""
    anna, bo = await room.guest("anna", window=1), await room.guest("bo", window=1)
    tables = [room.lay_table("anna", "bo", round_number=number) for number in (1, 2, 3)]
    for guest in (anna, bo):
        for _ in tables:
            await guest.take_seat()
    await until(lambda: all(table.match.games for table in tables))
    by_mover = {
        guest.name: [table for table in tables if is_mover(guest, table)] for guest in (anna, bo)
    }
    mover = anna if len(by_mover["anna"]) >= 2 else bo
    turn = await mover.first_turn()
    [stopping] = [table for table in tables if table.id == match_of(mover, turn)]
    stopping.put_nothing_more()
    await mover.answer(turn)
    following = await mover.first_turn()
    [going_on] = [table for table in by_mover[mover.name] if table.id == match_of(mover, following)]
    assert going_on is not stopping

    waiting = [table for table in by_mover[mover.name] if table not in (stopping, going_on)]
    for table in waiting:
        table.put_nothing_more()
    await mover.answer(following)
    assert all(not table.turns_in_play for table in waiting), "a run takes back its own"


def is_mover(guest: Guest, table: Table) -> bool:
    """Return whether a bot is to move in the only game of a match."""
    [game] = table.match.games
    return table.match.setting.opened.entrants[game.mover - 1] == guest.name


def match_of(guest: Guest, turn: Turn) -> str:
    """Return the match of a turn."""
    [match] = [start.match for start in guest.heard(GameStart) if start.game == turn.game]
    return match
