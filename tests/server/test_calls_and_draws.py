"""Calls for dice (B11.3) and offers of draws (T9) at the table: what bots are asked, and what their answers lead to."""

from typing import Any

import pytest
import trio

from arena.matches.facts import BotLeft, DiceCalled, DrawAgreed, TurnPlayed, TurnRejected
from protocol.messages import Call, Called, Error, GameEnd, GameStart, Play, Turn
from tests.matches.caller import CALLER, by_these_rules
from tests.server.room import BRANDUBH, TERMS, Guest, Room, finish, mover_of, until

PATIENT = type(TERMS)(games=3, delay_ms=100, bank_ms=60_000, rejections=2, turn_limit=6, startup_ms=5000)
WANTS = {"wants": ("legal", "call")}


async def asked(room: Room, terms: Any = TERMS, **more: Any) -> tuple[Guest, Guest, Call, str]:
    """Both are ready and want to call: the bot that is asked, the other, the call, and the name of the first."""
    anna, bo, _ = await room.meet(rules=CALLER, terms=terms, **WANTS | more)
    start = await anna.wait_for(GameStart)
    mover, other, name = (anna, bo, "anna") if start.starts else (bo, anna, "bo")
    return mover, other, await mover.wait_for(Call), name


async def call(guest: Guest, message: Call, dice: int) -> None:
    """Answer a call."""
    await guest.say(Called(game=message.game, turn=message.turn, dice=dice))


def verify(room: Room) -> None:
    with by_these_rules(CALLER):
        room.replay()


@pytest.mark.parametrize("dice", [1, 2])
async def test_B11_3_a_bot_is_asked_and_gets_as_many_dice_as_it_calls_for(room: Room, dice: int) -> None:
    mover, other, message, name = await asked(room)
    assert (message.turn, list(message.dice), message.last) == (1, [1, 2], None)
    assert message.position == CALLER.to_plain(CALLER.start())
    assert (message.clock.left_ms, message.clock.opponent_left_ms) == (1000, 1000)
    assert room.recorded_as(TurnPlayed) == []
    await call(mover, message, dice)
    turn = await mover.hear(Turn)
    assert (turn.game, turn.turn, len(turn.dice)) == (message.game, 1, dice)
    assert turn.position == message.position
    assert turn.legal
    await mover.answer(turn)
    next_call = await other.wait_for(Call)
    assert next_call.last is not None
    assert list(next_call.last.dice) == list(turn.dice)
    [fact] = room.recorded_as(DiceCalled)
    assert (fact.seat, fact.dice, fact.turn) == (1 if name == "anna" else 2, dice, 1)
    verify(room)


async def test_B11_3_a_play_in_answer_to_a_call_is_stale_and_so_is_a_call_in_answer_to_a_turn(room: Room) -> None:
    mover, _, message, _ = await asked(room)
    await mover.say(Play(game=message.game, turn=message.turn, moves=[[1, 7]]))
    error = await mover.hear(Error)
    assert (error.code, error.fatal, error.game, error.turn) == ("stale_turn", False, message.game, 1)
    assert "awaits the answer to the call for dice of turn 1" in error.message
    await call(mover, message, 2)
    turn = await mover.hear(Turn)
    await call(mover, message, 1)
    error = await mover.hear(Error)
    assert (error.code, error.fatal) == ("stale_turn", False)
    assert "a call for game" in error.message
    await mover.say(Called(game=77, turn=1, dice=1))
    assert (await mover.hear(Error)).code == "unknown_game"
    await mover.answer(turn)
    await until(lambda: bool(room.recorded_as(TurnPlayed)))
    assert room.recorded_as(TurnRejected) == []


async def test_B11_3_a_bot_that_returns_without_the_wish_rolls_two(room: Room) -> None:
    mover, _, _, name = await asked(room, PATIENT)
    await mover.hang_up()
    await until(lambda: bool(room.recorded_as(BotLeft)))
    await trio.sleep(1)
    back = await room.guest(name)
    await back.take_seat()
    await back.hear(GameStart)
    turn = await back.hear(Turn)
    assert (turn.turn, len(turn.dice)) == (1, 2)
    assert 59_000 <= turn.clock.left_ms <= 59_200
    [fact] = room.recorded_as(DiceCalled)
    assert (fact.dice, fact.spent_ms >= 1000) == (2, True)
    assert back.heard(Call) == []
    verify(room)


async def test_B11_3_an_unanswered_call_takes_a_place_in_the_window(room: Room) -> None:
    anna = await room.guest("anna", **WANTS)
    others = [await room.guest(name) for name in ("bo", "cia")]
    for name in ("bo", "cia"):
        room.lay_table("anna", name, rules=CALLER, terms=PATIENT)
    for other in others:
        room.nursery.start_soon(other.play_along)
        await anna.take_seat()
    seen = []
    while len(seen) < 12:
        message = await anna.hear_next()
        if not isinstance(message, Call | Turn):
            continue
        assert message.clock.left_ms == 60_000
        await anna.hears_no((Call, Turn), 0.04)  # type: ignore[arg-type]
        seen.append((type(message), message.game))
        if isinstance(message, Call):
            await call(anna, message, 1)
        else:
            await anna.answer(message, choice=0)
    assert len({game for _, game in seen}) >= 2
    assert {kind for kind, _ in seen} == {Call, Turn}
    for number, (kind, game) in enumerate(seen[:-3]):
        if kind is Call:
            assert (Turn, game) in seen[number + 1 :], "the turn comes after its call"


# T9 at the table: what bots hear of an offer, and what their answers lead to


TWENTY_TURNS = type(TERMS)(games=3, delay_ms=100, bank_ms=60_000, rejections=2, turn_limit=20, startup_ms=5000)


async def test_T9_an_offer_is_told_with_the_turn_and_its_acceptance_ends_the_game(room: Room) -> None:
    anna, bo, table = await room.meet(rules=BRANDUBH, terms=TWENTY_TURNS)
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
    assert room.replay().is_complete
