"""An arena that stops in mid-match, and the table of the next arena that takes over."""

import os
import signal

import pytest
import trio
import trio.testing
from msgspec.structs import replace

from arena.matches.facts import (
    BotLeft,
    BotReturned,
    BreakEnded,
    MatchResumed,
    TurnPlayed,
    TurnRejected,
)
from arena.matches.time_control import TimeControl
from arena.server.io.clock import RunClock
from arena.server.io.ending_signals import ending_signals
from arena.server.play.table import Table
from arena.server.run.resume import UnderWay, take_up
from arena.server.setup.run_folder import RunFolder
from arena.server.venue.shutdown import Draining, Shutdown
from protocol.messages import Break, GameEnd, GameReady, GameStart, MatchReady, MatchStart, Turn
from tests.fixtures.playing_room import (
    BREAK_MS,
    ILLEGAL,
    SEED,
    TERMS,
    Guest,
    Room,
    finish,
    mover_of,
    until,
)

PATIENT = replace(TERMS, clock=TimeControl(delay_ms=100))
MATCH = "r1-anna-v-bo"


def left_behind(room: Room, table: Table) -> UnderWay:
    """The match as the next arena finds it."""
    folder = RunFolder(room.folder / "later")
    (folder.path / "matches").mkdir(parents=True)
    record = folder.match_record(MATCH)
    record.write_bytes((room.folder / f"{MATCH}.jsonl").read_bytes())
    opened = table.match.setting.opened
    found = take_up(folder, opened, SEED, RunClock(room.loop.clock))
    assert isinstance(found, UnderWay)
    (folder.path / f"{MATCH}.jsonl").hardlink_to(record)  # where a room has its records
    return found


def take_over(later: Room, under_way: UnderWay, ahead_ms: int = 0) -> Table:
    """The table of the next arena, in a run whose clock is so far ahead of the loop's."""
    players = (later.players["anna"], later.players["bo"])
    for player in players:
        player.account.build = under_way.builds.get(player.account.name)
    journal = later.open_journal(MATCH)
    table = Table(
        later.loop, under_way.match, SEED, players, journal, break_ms=BREAK_MS, ahead_ms=ahead_ms
    )
    table.resume(under_way.games, under_way.last_ms)
    later.loop.end_batch()
    return table


async def interrupted(room: Room) -> tuple[Room, UnderWay, Turn]:
    """Two turns into a match, with an illegal answer to the third, which is open; and the next arena."""
    anna, bo, table = await room.meet(terms=PATIENT)
    mover, waiting, turn = await mover_of(anna, bo)
    await mover.answer(turn)
    turn = await waiting.first_turn()
    await waiting.answer(turn)
    turn = await mover.first_turn()
    await mover.answer(turn, moves=ILLEGAL)
    while not room.recorded_as(TurnRejected):  # noqa: ASYNC110 - on the mock clock it costs nothing to look again
        await trio.sleep(0.001)
    under_way = left_behind(room, table)
    later = Room(room.nursery, room.folder / "later", room.pipes, room.files)
    for name in ("anna", "bo"):
        later.expect(name)
    return later, under_way, turn


async def back(guest: Guest) -> GameStart:
    """Match and open game are told; it is ready to go on."""
    assert (await guest.hear(MatchStart)).match == MATCH
    game = await guest.hear(GameStart)
    await guest.say(MatchReady(match=MATCH, commitment=bytes(32)))
    return game


async def test_the_open_turn_is_put_again_when_both_are_back_and_the_match_ends_as_any(
    room: Room,
) -> None:
    later, under_way, turn = await interrupted(room)
    try:
        anna = await later.guest("anna")
        table = take_over(later, under_way)
        game = await back(anna)
        await anna.hears_no(object, 1)
        bo = await later.guest("bo")
        await back(bo)
        mover = anna if game.seat == under_way.match.games[0].mover else bo
        again = await mover.hear(Turn)
        assert (again.turn, again.dice, again.position, again.last) == (
            turn.turn,
            turn.dice,
            turn.position,
            turn.last,
        )
        assert again.clock.left_ms == 60_000
        await mover.answer(again)
        await finish(later, table, anna, bo)
        assert [end.number for end in anna.heard(GameEnd)] == [1, 2, 3]
        assert [ended.game for ended in table.games] == [1, 2, 3]
        assert len(later.recorded_as(MatchResumed)) == 1
        assert {fact.seat for fact in later.recorded_as(BotReturned)} == {1, 2}
        turns = [fact.turn for fact in later.recorded_as(TurnPlayed) if fact.game == 1]
        assert turns == list(range(1, len(turns) + 1))
        assert later.replay().is_complete
    finally:
        await later.close()


async def test_a_break_goes_on_with_what_was_left_of_it(room: Room) -> None:
    anna, bo, table = await room.meet(terms=PATIENT, wants=("break",))
    mover, _, turn = await mover_of(anna, bo)
    for _ in range(PATIENT.rejections + 1):
        await mover.answer(turn, moves=ILLEGAL)
    assert (await mover.wait_for(Break)).left_ms == BREAK_MS
    await trio.sleep(20)
    await mover.hang_up()  # so that the record knows of the time
    await until(lambda: bool(room.recorded_as(BotLeft)))
    under_way = left_behind(room, table)
    later = Room(room.nursery, room.folder / "later", room.pipes, room.files)
    for name in ("anna", "bo"):
        later.expect(name)
    try:
        clock = RunClock(later.loop.clock)
        clock.catch_up(under_way.last_ms + 3_600_000)
        take_over(later, under_way, clock.ahead_ms)
        guests = [await later.guest(name, wants=("break",)) for name in ("anna", "bo")]
        for guest in guests:
            await guest.take_seat()
        pause = await guests[0].hear(Break)
        assert BREAK_MS - 21_000 < pause.left_ms <= BREAK_MS - 20_000
        for guest in guests:
            await guest.say(GameReady(match=MATCH, number=2))
        assert (await guests[1].wait_for(GameStart)).number == 2
        assert len(later.recorded_as(BreakEnded)) == 1
        later.replay()
    finally:
        await later.close()


async def test_another_build_may_not_go_on_with_the_match(room: Room) -> None:
    """The fingerprint is the one that stands in the record, though this arena has never seen the bot."""
    later, under_way, _ = await interrupted(room)
    try:
        take_over(later, under_way)
        assert (await later.refuses("anna", fingerprint="another build")).code == "bad_login"
        same = await later.guest("anna")
        await back(same)
    finally:
        await later.close()


# Shutdown: the run waits for open turns, and begins no match any more


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_with_nothing_in_play_the_first_signal_ends_the_run_without_a_word(
    number: int,
) -> None:
    told: list[object] = []
    shutdown, run = Shutdown(), Draining()
    run.tell = told.append
    shutdown.take_in(run)
    shutdown.end_if_asked_for()
    with pytest.RaisesGroup(pytest.RaisesExc(KeyboardInterrupt), flatten_subgroups=True):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(shutdown.obey_signals)
            await trio.testing.wait_all_tasks_blocked()
            os.kill(os.getpid(), number)
            await trio.sleep_forever()
    assert told == []
    with pytest.raises(KeyboardInterrupt):
        shutdown.end_if_asked_for()


class Thinking:
    """A match whose turn is never answered."""

    turns_in_play = 1
    is_being_settled = False

    def __init__(self) -> None:
        self.is_told = trio.Event()

    def put_nothing_more(self) -> None:
        self.is_told.set()


async def test_a_terminal_that_is_closed_sends_two_signals_which_are_the_first_one() -> None:
    """One of the system and one of the shell; Ctrl-C is the second of the two that end a run at once."""
    shutdown, run, match, told = Shutdown(), Draining(), Thinking(), trio.Event()
    shutdown.take_in(run)
    run.take_in(match)
    with pytest.RaisesGroup(pytest.RaisesExc(KeyboardInterrupt), flatten_subgroups=True):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(shutdown.obey_signals)
            await trio.testing.wait_all_tasks_blocked()
            os.kill(os.getpid(), signal.SIGHUP)
            await match.is_told.wait()
            os.kill(os.getpid(), signal.SIGHUP)
            await trio.testing.wait_all_tasks_blocked()
            told.set()
            os.kill(os.getpid(), signal.SIGINT)
            await trio.sleep_forever()
    assert told.is_set()


def test_a_program_that_begins_under_nohup_does_not_end_with_the_terminal() -> None:
    assert signal.SIGHUP in ending_signals()
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert ending_signals() == [signal.SIGINT, signal.SIGTERM]
    finally:
        signal.signal(signal.SIGHUP, before)
