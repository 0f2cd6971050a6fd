"""Bots that take nothing, or say nothing, while the arena waits for nothing from them."""

from __future__ import annotations

from contextlib import suppress

import trio

from arena.matches.facts import BotLeft, GameEnded, Terms, TurnPlayed
from arena.server.io.link import OUTBOX_BYTES
from protocol.messages import Error, GameEnd, Ping, Pong
from tests.server.room import HungUpError, Room, mover_of, over_every_transport, until

PATIENT = Terms(games=3, delay_ms=100, bank_ms=600_000, rejections=2, turn_limit=1000, startup_ms=600_000)
IDLE_MS = 120_000


@over_every_transport
async def test_no_more_than_a_megabyte_waits_for_a_bot(room: Room) -> None:
    room.expect("anna")
    guest = room.connect(is_lockstep=True)
    await guest.log_in("anna")
    link, _ = room._ends[-1]
    link.write(bytes(OUTBOX_BYTES + 1))
    room.loop.dirty_link(link)
    room.loop.end_batch()
    await trio.sleep(0.01)
    assert room.players["anna"].account.connection is None


async def test_a_silent_bot_is_pinged_and_may_stay_as_long_as_it_answers(room: Room) -> None:
    """A ping every 30 of the 120 seconds; with pongs it stays for an hour."""
    room.idle_ms = IDLE_MS
    guest = await room.guest("anna")
    began_ms = guest.now_ms()
    for number in range(1, 121):
        ping = await guest.hear(Ping)
        assert guest.now_ms() == began_ms + 30_000 * number
        await guest.say(Pong(data=ping.data))
    assert room.players["anna"].account.connection is not None


async def test_a_bot_without_a_sign_of_life_is_cut_off(room: Room) -> None:
    room.idle_ms = IDLE_MS
    guest = await room.guest("anna")
    began_ms = guest.now_ms()
    for _ in range(3):
        await guest.hear(Ping)
    assert (await guest.hear(Error)).code == "idle_timeout"
    assert guest.now_ms() == began_ms + IDLE_MS
    await guest.is_cut_off()
    await room.guest("anna")


async def test_what_a_silent_bot_loses_is_recorded_and_told_at_once(room: Room) -> None:
    """Not with whatever comes next: an arena that is killed meanwhile would forget what the bot was told."""
    room.idle_ms = IDLE_MS
    for name in ("anna", "bo"):
        room.expect(name, grace_ms=0)
    anna, bo, _ = await room.meet(terms=PATIENT)
    mover, _, _ = await mover_of(anna, bo)
    await mover.wait_for(GameEnd)
    [left] = room.recorded_as(BotLeft)
    assert left.at_ms == mover.now_ms()


async def test_a_bot_that_thinks_is_not_silent(room: Room) -> None:
    """While its turn is open a bot is neither pinged nor cut off; while its opponent's is, the time counts."""
    room.idle_ms = IDLE_MS
    anna, bo, _ = await room.meet(terms=PATIENT)
    mover, waiting, turn = await mover_of(anna, bo)

    async def answer_pings() -> None:
        with suppress(HungUpError):
            while True:
                if isinstance(await waiting.hear_next(), Ping):
                    await waiting.say(Pong())

    room.nursery.start_soon(answer_pings)
    await mover.hears_nothing(500)
    await mover.answer(turn)
    await until(lambda: len(room.recorded_as(TurnPlayed)) == 1)
    assert room.recorded_as(BotLeft) == []
    assert len(waiting.heard(Ping)) >= 4
    await mover.hears_no(Error, 10)


async def test_a_bot_that_waits_and_is_dead_loses_its_connection(room: Room) -> None:
    room.idle_ms = IDLE_MS
    anna, bo, _ = await room.meet(terms=PATIENT)
    mover, _, _ = await mover_of(anna, bo)
    end = await mover.wait_for(GameEnd)
    [left] = room.recorded_as(BotLeft)
    assert (left.reason, end.result) == ("it gave no sign of life", "won")
    assert room.recorded_as(GameEnded)[0].result.cause == "disconnect"


async def test_a_bot_that_prepares_for_a_match_has_the_start_up_time(room: Room) -> None:
    room.idle_ms = IDLE_MS
    anna, bo = await room.guest("anna"), await room.guest("bo")
    room.lay_table("anna", "bo", terms=PATIENT)
    await trio.sleep(590)
    for guest in (anna, bo):
        await guest.take_seat()
    await mover_of(anna, bo)
