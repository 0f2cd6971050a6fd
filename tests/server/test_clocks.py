"""Clocks are exact to the millisecond, and the arena's own delays are charged to nobody."""

import socket
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import trio
import trio.testing

from arena.matches import facts
from arena.server.io.clock import Deadlines
from arena.server.io.journal import Journal
from protocol.messages import GameEnd, MatchReady, MatchStart, Play, Rejected, Turn
from tests.fixtures.playing_room import (
    ILLEGAL,
    TERMS,
    Guest,
    Program,
    Room,
    first_legal,
    mover_of,
    over_every_transport,
    until,
)

LIMIT_MS = TERMS.clock.limit_ms(TERMS.clock.full[0])


@pytest.fixture(params=["sockets", "sockets without epoll"])
async def polled(
    request: pytest.FixtureRequest, nursery: trio.Nursery, tmp_path: Path, files: ExitStack
) -> AsyncIterator[Room]:
    """A loop in which the poller reads: only it knows how long an answer may have lain unread."""
    made = Room(nursery, tmp_path, request.param, files)
    try:
        yield made
    finally:
        await made.close()


def is_busy(room: Room, busy_ms: int) -> None:
    """The arena does something else for so long, and reads nothing meanwhile."""
    clock = trio.lowlevel.current_clock()
    assert isinstance(clock, trio.testing.MockClock)
    until_s = room.loop.clock.loop_time(room.loop.clock.now_ms() + busy_ms)
    clock.jump(
        until_s - clock.current_time() + 1e-6
    )  # a microsecond, so that rounding never leaves it before it


def answer_unseen(guest: Guest, turn: Turn, moves: object = None) -> None:
    """Answer without letting the arena read it."""
    assert isinstance(guest.stream, trio.SocketStream)
    play = Play(game=turn.game, turn=turn.turn, moves=moves or first_legal(turn))
    data = guest.wire.send(play)
    assert guest.stream.socket._sock.send(data) == len(data)


@over_every_transport
@pytest.mark.parametrize("after_ms", [-1, 0, 1])
async def test_the_last_millisecond_is_in_time_and_the_next_is_not(
    room: Room, after_ms: int
) -> None:
    """An answer at the deadline -1, 0 and +1 ms, whichever of answer and deadline trio wakes first."""
    mover, waiting, turn = await room.begin()
    await mover.at(mover.now_ms() + LIMIT_MS + after_ms)
    await mover.answer(turn)
    if after_ms <= 0:
        await waiting.first_turn()
        [played] = room.recorded_as(facts.TurnPlayed)
        assert (played.spent_ms, played.left_ms) == (LIMIT_MS + after_ms, -after_ms)
    else:
        assert (await waiting.wait_for(GameEnd)).ending == "forfeit"
        [flag] = room.recorded_as(facts.FlagFell)
        assert flag.spent_ms == LIMIT_MS + 1


@pytest.mark.parametrize("busy_ms", [3, 700, 5000])
async def test_the_time_an_answer_lay_unread_is_not_the_bots(polled: Room, busy_ms: int) -> None:
    """Answered after 250 ms, read much later, even after the deadline: 250 ms are charged, the rest is the arena's."""
    mover, waiting, turn = await polled.begin()
    await mover.at(mover.now_ms() + 250)
    answer_unseen(mover, turn)
    is_busy(polled, busy_ms)
    reply = await waiting.first_turn()
    [played] = polled.recorded_as(facts.TurnPlayed)
    assert (played.spent_ms, played.left_ms, played.lag_ms) == (250, 850, busy_ms)
    assert (reply.clock.opponent_left_ms, reply.clock.left_ms) == (850, 1000)
    polled.replay()


async def test_a_busy_arena_gives_no_bot_more_time(polled: Room) -> None:
    """An answer after the deadline is late, even if the arena did not look before."""
    mover, waiting, turn = await polled.begin()
    await mover.at(mover.now_ms() + 100)
    is_busy(polled, 1100)
    await trio.testing.wait_all_tasks_blocked()
    answer_unseen(mover, turn)
    await waiting.wait_for(GameEnd)
    assert [fact.result.cause for fact in polled.recorded_as(facts.GameEnded)] == ["time"]
    assert polled.recorded_as(facts.TurnPlayed) == []
    polled.replay()


async def test_what_the_arena_took_over_a_rejected_turn_is_given_back(polled: Room) -> None:
    """300 ms until the illegal answer, 600 ms of lag, 200 ms until the legal one: 500 ms are charged."""
    mover, waiting, turn = await polled.begin()
    await mover.at(mover.now_ms() + 300)
    answer_unseen(mover, turn, ILLEGAL)
    is_busy(polled, 600)
    await mover.hear(Rejected)
    await mover.at(mover.now_ms() + 200)
    await mover.answer(turn)
    await waiting.first_turn()
    [rejected], [played] = (
        polled.recorded_as(facts.TurnRejected),
        polled.recorded_as(facts.TurnPlayed),
    )
    assert (rejected.spent_ms, rejected.lag_ms) == (300, 600)
    assert (played.spent_ms, played.left_ms) == (500, 600)
    polled.replay()


async def test_a_clock_starts_when_the_turn_is_written_not_when_it_is_dealt(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk takes half a second for the record before the turn may leave: the next bot has lost nothing."""
    mover, waiting, turn = await room.begin()
    commit = Journal.commit

    def slow_commit(journal: Journal) -> None:
        commit(journal)
        is_busy(room, 500)

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "commit", slow_commit)
        await mover.answer(turn)
        reply = await waiting.first_turn()
    await waiting.answer(reply)
    await until(lambda: len(room.recorded_as(facts.TurnPlayed)) == 2)
    second = room.recorded_as(facts.TurnPlayed)[1]
    assert (second.spent_ms, second.left_ms) == (0, 1000)
    room.replay()


@pytest.mark.parametrize("grace_ms", [0, 1000])
@pytest.mark.parametrize(
    "is_left_first", [True, False], ids=["the other leaves first", "the answer comes first"]
)
async def test_an_answer_in_time_counts_though_the_other_is_found_to_have_left(
    polled: Room, *, is_left_first: bool, grace_ms: int
) -> None:
    """Answer and hang-up lie there when the arena looks again after the deadline: whichever it reads first, no flag."""
    for name in ("anna", "bo"):
        polled.expect(name, grace_ms=grace_ms)
    mover, waiting, turn = await polled.begin()
    await mover.at(mover.now_ms() + LIMIT_MS)
    assert isinstance(waiting.stream, trio.SocketStream)
    for is_leaving in (is_left_first, not is_left_first):
        if is_leaving:
            waiting.stream.socket._sock.shutdown(socket.SHUT_RDWR)
        else:
            answer_unseen(mover, turn)
    is_busy(polled, 300)
    await until(lambda: bool(polled.recorded_as(facts.GameEnded)))
    assert polled.recorded_as(facts.FlagFell) == []
    [left] = polled.recorded_as(facts.BotLeft)
    [end] = polled.recorded_as(facts.GameEnded)
    assert (end.result.cause, end.result.winner) == ("disconnect", 3 - left.seat)
    may_be_unread = (
        is_left_first or polled.pipes != "sockets"
    )  # only an epoll tells in which order it came
    played = [played.spent_ms for played in polled.recorded_as(facts.TurnPlayed)]
    assert played == [LIMIT_MS] or (not played and grace_ms == 0 and may_be_unread)
    polled.replay()


async def test_a_bot_that_was_ready_in_time_has_its_seat_though_the_arena_reads_it_late(
    polled: Room,
) -> None:
    """Both were; the record says how long that may have lain unread, since the start-up deadline passed meanwhile."""
    anna, bo = await polled.guest("anna"), await polled.guest("bo")
    polled.lay_table("anna", "bo")
    starts = [(guest, await guest.hear(MatchStart)) for guest in (anna, bo)]
    for guest, start in starts:
        assert isinstance(guest.stream, trio.SocketStream)
        guest.stream.socket._sock.send(guest.wire.send(MatchReady(match=start.match)))
    is_busy(polled, TERMS.startup_ms + 1000)
    await mover_of(anna, bo)
    assert [ready.lag_ms for ready in polled.recorded_as(facts.BotReady)] == [
        TERMS.startup_ms + 1000
    ] * 2
    polled.replay()


async def test_what_is_read_before_a_deadline_is_judged_comes_before_it_in_the_record(
    polled: Room,
) -> None:
    """A bot hangs up at its own deadline, and is read a millisecond after the arena looked: no time runs backwards."""
    began_ms = polled.loop.clock.now_ms()

    def read_slowly() -> None:
        if polled.loop.clock.now_ms() >= began_ms + LIMIT_MS:
            is_busy(polled, 1)
            assert isinstance(mover.stream, trio.SocketStream)
            mover.stream.socket._sock.shutdown(socket.SHUT_RDWR)
        polled.loop.poller.read_all()

    polled.loop.deadlines = Deadlines(polled.loop.clock, read_slowly)
    polled.loop.spawn(polled.loop.deadlines.watch)
    for name in ("anna", "bo"):
        polled.expect(name, grace_ms=1000)
    mover, _, _ = await polled.begin()
    is_busy(polled, LIMIT_MS + 30)
    await until(lambda: bool(polled.recorded_as(facts.GameEnded)))
    [left], [flag] = polled.recorded_as(facts.BotLeft), polled.recorded_as(facts.FlagFell)
    assert left.lag_ms
    assert left.at_ms == flag.at_ms
    polled.replay()


async def test_a_bot_that_the_machine_has_starved_gets_that_time_back(polled: Room) -> None:
    program = Program()  # of both; milliseconds of CPU time, starved, steal, pressure
    program.measured = [0, 0, 0, 0]
    for name in ("anna", "bo"):
        polled.expect(name, program=program)
    mover, _, turn = await polled.begin()
    program.measured = [700, 300, 5, 900]
    written_ms = mover.now_ms()
    await mover.hears_no(GameEnd, (LIMIT_MS + 200) / 1000)
    program.measured[1] = 305
    await mover.wait_for(GameEnd)
    assert mover.now_ms() - written_ms == LIMIT_MS + 301
    [extended], [flag] = polled.recorded_as(facts.ClockExtended), polled.recorded_as(facts.FlagFell)
    assert (extended.extended_ms, extended.turn) == (300, turn.turn)
    assert flag.measured == facts.Measured(cpu_ms=700, starved_ms=305, steal_ms=5, pressure_ms=900)
    polled.replay()


# A match that is stopped
