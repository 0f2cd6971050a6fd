"""Several games at once on one connection: never more than `window` unanswered turns; other clocks do not run."""

import pytest
import trio

from arena.matches.facts import MatchEnded, Terms, TurnPlayed
from arena.matches.time_control import TimeControl
from arena.server.io.link import Link
from arena.server.play.table import Table
from protocol.messages import GameStart, MatchReady, MatchStart, Play, Turn
from tests.fixtures.playing_room import Guest, Room, first_legal, until

TERMS = Terms(
    games=3,
    clock=TimeControl(delay_ms=100, bank_ms=60_000),
    rejections=2,
    turn_limit=1000,
    startup_ms=5000,
)
OTHERS = ("bo", "cia", "dag", "eva")


async def simultaneous(room: Room, window: int, opponents: int) -> tuple[Guest, list[Table]]:
    """Anna in as many matches at once as she has opponents, everybody ready; the opponents answer without delay."""
    anna = await room.guest("anna", window=window)
    others = [await room.guest(name) for name in OTHERS[:opponents]]
    tables = [room.lay_table("anna", name, terms=TERMS) for name in OTHERS[:opponents]]
    for other in others:
        room.nursery.start_soon(other.play_along)
    for _ in others:
        await anna.take_seat()
    return anna, tables


async def turns_heard(anna: Guest, number: int) -> list[Turn]:
    """So many turns, and then nothing for a while."""
    turns = [await anna.first_turn() for _ in range(number)]
    await anna.hears_no(Turn, 0.5)
    return turns


@pytest.mark.parametrize("window", [1, 2, 3])
async def test_no_more_turns_than_the_window_are_out_at_once(room: Room, window: int) -> None:
    anna, _ = await simultaneous(room, window, 4)
    turns = await turns_heard(anna, window)
    games = [turn.game for turn in turns]
    assert len(set(games)) == window
    await anna.answer(turns[-1])
    following = await anna.first_turn()
    assert following.game not in games


async def test_a_turn_that_waits_for_the_window_has_no_running_clock(room: Room) -> None:
    anna, _ = await simultaneous(room, 1, 2)
    first = await anna.first_turn()
    await anna.at(anna.now_ms() + 30_000)
    await anna.answer(first)
    second = await anna.first_turn()
    assert second.game != first.game
    assert second.clock.left_ms == TERMS.clock.bank_ms
    await anna.answer(second)
    match = {start.game: start.match for start in anna.heard(GameStart)}[second.game]
    await until(lambda: any(fact.seat == 1 for fact in room.recorded_as(TurnPlayed, match)))
    [played] = [fact for fact in room.recorded_as(TurnPlayed, match) if fact.seat == 1]
    assert (played.spent_ms, played.left_ms) == (0, TERMS.clock.bank_ms)


async def test_the_end_of_a_match_frees_its_place_for_the_turn_of_another(room: Room) -> None:
    single = Terms(
        games=1,
        clock=TimeControl(delay_ms=0, bank_ms=500),
        rejections=0,
        turn_limit=1000,
        startup_ms=5000,
    )
    anna = await room.guest("anna", window=1)
    others = [await room.guest(name) for name in OTHERS[:2]]
    tables = [room.lay_table("anna", name, terms=single) for name in OTHERS[:2]]
    for other in others:
        room.nursery.start_soon(other.play_along)
    for _ in others:
        await anna.take_seat()
    first = await anna.first_turn()
    began_ms = anna.now_ms()
    second = await anna.first_turn()
    assert second.game != first.game
    assert anna.now_ms() <= began_ms + 501
    room.nursery.start_soon(anna.play_along)
    await anna.answer(second)
    for table in tables:
        assert isinstance(await table.over(), MatchEnded)


# Turns of one batch


WITHOUT_DELAY = Terms(
    games=3,
    clock=TimeControl(delay_ms=0, bank_ms=3_600_000),
    rejections=2,
    turn_limit=1000,
    startup_ms=5000,
)


async def test_the_turns_of_one_batch_leave_with_one_write(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[tuple[Link, int]] = []
    flush = Link.flush

    def counting_flush(self: Link) -> None:
        if self._outbox:
            written.append((self, len(self._outbox)))
        flush(self)

    monkeypatch.setattr(Link, "flush", counting_flush)
    anna, bo = await room.guest("anna", window=8), await room.guest("bo", window=8)
    tables = [
        room.lay_table("anna", "bo", terms=WITHOUT_DELAY, round_number=number)
        for number in range(1, 9)
    ]
    open_turns: dict[str, list[Turn]] = {}
    for guest in (anna, bo):
        starts = [await guest.wait_for(MatchStart) for _ in tables]
        await guest.say(*(MatchReady(match=start.match) for start in starts))
    await trio.sleep(0.5)  # nobody answers; every first turn is out
    for name, guest in (("anna", anna), ("bo", bo)):
        open_turns[name] = await turns_now(guest)
    asked, other = (anna, bo) if len(open_turns["anna"]) >= len(open_turns["bo"]) else (bo, anna)
    turns = open_turns["anna" if asked is anna else "bo"]
    assert len(turns) >= 4

    written.clear()
    answers = [
        Play(game=turn.game, turn=turn.turn, moves=first_legal(turn)) for turn in reversed(turns)
    ]
    await asked.say(*answers)
    await until(lambda: bool(written))
    await trio.sleep(0.1)

    assert len(written) == 1
    assert len(await turns_now(other)) >= len(turns)


async def turns_now(guest: Guest) -> list[Turn]:
    """The turns that are there by now."""
    turns = []
    with trio.move_on_after(0.1):
        while True:
            turns.append(await guest.first_turn())
    return turns
