"""No bot delays other matches, whatever it does with its time or its connection."""

from __future__ import annotations

from typing import get_args

import pytest
import trio

from arena.matches.facts import MatchEnded, Terms, TurnPlayed
from arena.server.io.link import Link
from protocol.messages import MatchReady, MatchStart, Ping, Play, Turn
from tests.server.room import Guest, Pipes, Room, first_legal, mover_of, until

PATIENT = Terms(games=3, delay_ms=0, bank_ms=3_600_000, rejections=2, turn_limit=1000, startup_ms=5000)
PAIRS = 10


async def ten_pairs(room: Room) -> int:
    """Ten matches at once between bots that answer without delay; returns how many milliseconds they took."""
    began_ms = room.loop.clock.now_ms()
    tables = []
    for number in range(PAIRS):
        names = (f"left{number}", f"right{number}")
        for name in names:
            guest = await room.guest(name)
            room.nursery.start_soon(guest.play_along)
        tables.append(room.lay_table(*names, terms=PATIENT))
    for table in tables:
        end = await table.over()
        assert isinstance(end, MatchEnded)
        assert end.violations == (0, 0)
    return room.loop.clock.now_ms() - began_ms


@pytest.mark.parametrize(
    ("room", "fault"),
    [
        ("sockets", "says nothing"),
        ("sockets", "dribbles bytes"),
        *((pipes, "floods with pings") for pipes in get_args(Pipes)),
    ],
    indirect=["room"],
)
async def test_ten_matches_keep_their_pace_beside_a_bot_that(room: Room, fault: str) -> None:
    anna, bo, bad = await room.meet(terms=PATIENT)
    mover, _, _ = await mover_of(anna, bo)
    if fault == "dribbles bytes":
        room.nursery.start_soon(dribble, mover)
    elif fault == "floods with pings":
        room.nursery.start_soon(flood, mover)

    took_ms = await ten_pairs(room)

    assert took_ms < 1000
    assert not bad.so_far.games
    for number in range(PAIRS):
        played = room.recorded_as(TurnPlayed, f"r1-left{number}-v-right{number}")
        assert played
        assert max(fact.spent_ms for fact in played) < 1000


async def dribble(guest: Guest) -> None:
    """Half a frame, a byte every 10 ms."""
    for byte in b"\x00\x00\x00\x50" + b"\x81" * 40:
        await guest.say_bytes(bytes([byte]))
        await trio.sleep(0.01)


async def flood(guest: Guest) -> None:
    """A hundred pings every 10 ms, for ever; the pongs are read."""
    while True:
        await guest.say(*(Ping(data=number) for number in range(100)))
        await trio.sleep(0.01)
        with trio.move_on_after(0):
            await guest.stream.receive_some(65_536)


async def test_the_turns_of_one_batch_leave_with_one_write(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[tuple[str, int]] = []
    flush = Link.flush

    def counting_flush(self: Link) -> None:
        if self._outbox:
            written.append((self.peer, len(self._outbox)))
        flush(self)

    monkeypatch.setattr(Link, "flush", counting_flush)
    anna, bo = await room.guest("anna", window=8), await room.guest("bo", window=8)
    tables = [room.lay_table("anna", "bo", terms=PATIENT, round_number=number) for number in range(1, 9)]
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
    answers = [Play(game=turn.game, turn=turn.turn, moves=first_legal(turn)) for turn in reversed(turns)]
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
