"""Every fault of a bot at the table gets its verdict at its millisecond, and costs the opponent nothing."""

from __future__ import annotations

import contextlib
from itertools import cycle

import pytest
import trio

from arena.matches.facts import BotLeft, GameEnded, MatchEnded, Terms, TurnPlayed
from arena.matches.state import MOST_LOSSES
from arena.matches.time_control import TimeControl
from arena.server.play.session import LOGINS_A_SECOND
from arena.words import say
from protocol.messages import GameEnd, Turn
from tests.fixtures.playing_room import Guest, Room
from tests.zoo.faults import (
    AT_TURN,
    BANK_MS,
    CASES,
    DELAY_MS,
    EVERYWHERE,
    GONE,
    REJECTIONS,
    Case,
    play,
    told,
)
from tests.zoo.settled import settle

TERMS = Terms(
    games=2,
    clock=TimeControl(delay_ms=DELAY_MS, bank_ms=BANK_MS),
    rejections=REJECTIONS,
    turn_limit=14,
    startup_ms=5000,
)
GRACE_MS = 300
ON_TRANSPORTS = [
    pytest.param(pipes, case, id=f"{name}-{pipes}")
    for (name, case), one in zip(CASES.items(), cycle(EVERYWHERE), strict=False)
    for pipes in case.pipes or (one,)
]
"""Each case on the transports it names, the others on one after the other."""


async def test_a_bot_that_comes_and_goes_without_end_forfeits_the_match(room: Room) -> None:
    """Each time it costs two lines of the record; nobody waits for it and nobody else loses a millisecond."""

    async def comes_and_goes() -> None:
        while True:
            guest = room.connect()
            with contextlib.suppress(*GONE):
                await guest.log_in("bo", wants=["legal"])
                await guest.take_seat()
            await guest.hang_up()

    for name in ("anna", "bo"):
        room.expect(name, grace_ms=GRACE_MS)
    anna = await room.guest("anna", wants=["legal"])
    table = room.lay_table("anna", "bo", terms=TERMS)
    began_ms = room.loop.clock.now_ms()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(play, anna)
        nursery.start_soon(comes_and_goes)
        end = await settle(room, table)
        nursery.cancel_scope.cancel()

    assert isinstance(end, MatchEnded)
    ended = room.recorded_as(GameEnded)
    assert [(fact.result.winner, fact.result.cause) for fact in ended] == [
        (1, "disconnect")
    ] * TERMS.games
    assert len(room.recorded_as(BotLeft)) == MOST_LOSSES
    assert room.loop.clock.now_ms() - began_ms >= 1000 * (MOST_LOSSES - 1) // LOGINS_A_SECOND
    assert len(room.recorded()) < 2 * MOST_LOSSES + 20
    assert end.violations[0] == 0
    assert told(anna) == []


@pytest.mark.parametrize(("room", "case"), ON_TRANSPORTS, indirect=["room"])
async def test_a_bot_that(room: Room, case: Case) -> None:
    at_ms: list[int] = []

    async def fault(guest: Guest, turn: Turn) -> None:
        at_ms.append(guest.now_ms())
        await case.fault(guest, turn)

    for name in ("anna", "bo"):
        room.expect(name, grace_ms=GRACE_MS)
    anna = await room.guest("anna", wants=["legal"])
    bo = room.connect(is_narrow=case.reads_little)
    await bo.log_in("bo", wants=["legal"])
    table = room.lay_table("anna", "bo", terms=TERMS)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(play, anna)
        nursery.start_soon(play, bo, fault)
        end = await settle(room, table)

    assert isinstance(end, MatchEnded)
    ended, played = room.recorded_as(GameEnded), room.recorded_as(TurnPlayed)
    turns = [fact for fact in played if (fact.seat, fact.game) == (2, 1)]
    if ended[0].result.cause is None:
        verdict, at = "played on", turns[AT_TURN - 1].at_ms
    else:
        left = room.recorded_as(BotLeft) if ended[0].result.cause == "disconnect" else []
        verdict = ", ".join(
            [f"forfeit: {ended[0].result.cause}", *(say(fact.reason) for fact in left[:1])]
        )
        at = (left or ended)[0].at_ms
        assert len(turns) == case.turns
        may_return = bool(left) and left[0].reason.code != "lost.bye"
        assert ended[0].at_ms - at == (GRACE_MS + 1 if may_return else 0)
    assert "; ".join([*told(bo), verdict]) == case.expected
    assert [at - began for began in at_ms] == [case.takes_ms]
    assert end.violations[0] == 0
    assert {fact.result.winner for fact in ended if fact.result.cause is not None} <= {1}
    assert {fact.spent_ms for fact in played if fact.seat == 1} == {0}
    assert told(anna) == []
    assert [message.ending for message in anna.heard(GameEnd)] == [
        fact.result.ending for fact in ended
    ]
    told_of = [*anna.heard(GameEnd), *bo.heard(GameEnd)]
    assert [
        message for message in told_of if message.ending == "forfeit" and message.last is not None
    ] == []
