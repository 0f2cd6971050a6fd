"""T9 at the table: what bots hear of an offer, and what their answers lead to."""
# ruff: noqa: N802 - clause ids keep their spelling in the names of tests

from __future__ import annotations

from arena.matches.facts import DrawAgreed, TurnPlayed
from arena.records.reading import read_attempts
from arena.records.verify import verify_attempt
from protocol.messages import GameEnd, GameStart, Rejected, Turn
from tests.server.room import BRANDUBH, TERMS, Guest, Room, finish, mover_of

PATIENT = type(TERMS)(games=3, delay_ms=100, bank_ms=60_000, rejections=2, turn_limit=20, startup_ms=5000)


async def offered(room: Room) -> tuple[Guest, Guest, Turn]:
    """Black has moved and offered a draw: the bot that offered, the one that is asked, and its turn."""
    anna, bo, _ = await room.meet(rules=BRANDUBH, terms=PATIENT, wants=("legal",))
    black, white, turn = await mover_of(anna, bo)
    assert not turn.draw_offered
    await black.answer(turn, choice=0, draw="offer")
    return black, white, await white.first_turn()


async def test_T9_an_offer_is_told_with_the_turn_and_its_acceptance_ends_the_game(room: Room) -> None:
    anna, bo, table = await room.meet(rules=BRANDUBH, terms=PATIENT)
    black, white, turn = await mover_of(anna, bo)
    await black.answer(turn, moves=[["d1", "c1"]], info="drawish", draw="offer")
    asked = await white.first_turn()
    assert asked.draw_offered
    assert asked.last is not None
    await white.answer(asked, draw="accept", info="agreed")
    for guest in (anna, bo):
        end = await guest.wait_for(GameEnd)
        assert (end.result, end.ending, end.clause, end.points) == ("drawn", "agreement", "T9", 0)
        assert (end.last, list(end.score)) == (None, [0, 0])
        assert (await guest.hear(GameStart)).number == 2
    [agreed] = room.recorded_as(DrawAgreed)
    assert (agreed.seat, agreed.turn, agreed.info) == (2, 2, "agreed")
    assert [fact.draw_offered for fact in room.recorded_as(TurnPlayed)] == [True]
    second = await white.first_turn()
    assert not second.draw_offered
    await finish(room, table, anna, bo)
    [attempt] = read_attempts("x", (room.folder / "r1-anna-v-bo.jsonl").read_bytes())
    verify_attempt(attempt)


async def test_T9_an_offer_still_stands_after_a_rejection_and_for_a_bot_that_returned(room: Room) -> None:
    _, white, asked = await offered(room)
    await white.answer(asked, moves=[["d3", "d2"]])
    await white.hear(Rejected)
    await white.hang_up()
    back = await room.guest("bo", wants=("legal",))
    await back.take_seat()
    await back.hear(GameStart)
    again = await back.hear(Turn)
    assert (again.turn, again.draw_offered) == (2, True)
    await back.answer(again, draw="accept")
    assert (await back.wait_for(GameEnd)).ending == "agreement"


async def test_T9_an_offer_that_waits_for_an_absent_bot_is_told_when_it_is_there(room: Room) -> None:
    anna, bo, _ = await room.meet(rules=BRANDUBH, terms=PATIENT)
    black, white, turn = await mover_of(anna, bo)
    await white.hang_up()
    await black.answer(turn, moves=[["d1", "c1"]], draw="offer")
    back = await room.guest("bo")
    await back.take_seat()
    await back.hear(GameStart)
    assert (await back.hear(Turn)).draw_offered
