"""Breaks between games at the socket: who is told of one, whose word counts, and what the record says."""

from __future__ import annotations

from contextlib import suppress

import pytest
import trio

from arena.matches import facts
from protocol.messages import Break, Bye, Error, GameEnd, GameReady, GameStart, MatchEnd
from tests.fixtures.playing_room import (
    BREAK_MS,
    ILLEGAL,
    TERMS,
    Guest,
    HungUpError,
    Program,
    Room,
    until,
)

MATCH = "r1-anna-v-bo"


async def lose(guest: Guest) -> None:
    """Forfeit the game that this bot is to move in."""
    turn = await guest.first_turn()
    for _ in range(TERMS.rejections + 1):
        await guest.answer(turn, moves=ILLEGAL)
    await guest.wait_for(GameEnd)


async def one_game(
    room: Room, anna: tuple[str, ...] = ("break",), bo: tuple[str, ...] = ()
) -> tuple[Guest, Guest]:
    """Anna and bo with these wishes, after a game that the side to move has lost."""
    guests = await room.guest("anna", wants=anna), await room.guest("bo", wants=bo)
    room.lay_table("anna", "bo")
    for guest in guests:
        await guest.take_seat()
    start = await guests[0].wait_for(GameStart)
    await guests[1].wait_for(GameStart)
    await lose(guests[0] if start.starts else guests[1])
    return guests


async def test_a_bot_that_asked_is_told_and_the_next_game_waits_for_its_word(room: Room) -> None:
    anna, bo = await one_game(room)
    assert await anna.wait_for(Break) == Break(match=MATCH, number=2, left_ms=BREAK_MS)
    await bo.wait_for(GameEnd)
    await bo.hears_no(GameStart, 50)
    await anna.say(GameReady(match=MATCH, number=2))
    assert (await anna.hear(GameStart)).number == (await bo.wait_for(GameStart)).number == 2
    [end] = room.recorded_as(facts.BreakEnded)
    [_, game] = room.recorded_as(facts.GameStarted)
    assert end.at_ms == game.at_ms
    assert [fact.break_ms or 0 for fact in room.recorded_as(facts.BotReady)] == [BREAK_MS, 0]
    assert bo.heard(Break) == []
    room.replay()


async def test_without_its_word_the_game_begins_when_the_time_is_over(room: Room) -> None:
    anna, bo = await one_game(room)
    pause = await anna.wait_for(Break)
    await anna.at(anna.now_ms() + pause.left_ms - 1)
    assert anna.heard(GameStart)[1:] == []
    assert (await anna.hear(GameStart)).number == 2
    await bo.wait_for(GameStart)
    await anna.say(GameReady(match=MATCH, number=2))  # too late
    assert (await anna.wait_for(Error)).code == "unknown_match"
    room.replay()


async def test_where_nobody_may_rest_nobody_is_waited_for(room: Room) -> None:
    room.break_ms = 0
    anna, _ = await one_game(room)
    assert (await anna.hear(GameStart)).number == 2
    assert anna.heard(Break) == []
    assert b"break" not in (room.folder / f"{MATCH}.jsonl").read_bytes()


async def test_two_that_rest_are_both_waited_for(room: Room) -> None:
    anna, bo = await one_game(room, ("break",), ("legal", "break"))
    for guest in (anna, bo):
        assert (await guest.wait_for(Break)).number == 2
    await anna.say(GameReady(match=MATCH, number=2))
    await anna.hears_no(GameStart, 10)
    await bo.say(GameReady(match=MATCH, number=2))
    assert (await anna.hear(GameStart)).number == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([GameReady(match="r9-anna-v-bo", number=2)], "before game 2 of match 'r9-anna-v-bo'"),
        ([GameReady(match=MATCH, number=1)], "before game 1 of match"),
        ([GameReady(match=MATCH, number=3)], "before game 3 of match"),
    ],
    ids=["another match", "the game before", "a later game"],
)
async def test_a_word_that_nobody_waits_for_is_an_error_and_changes_nothing(
    room: Room, words: list[GameReady], told: str
) -> None:
    anna, bo = await one_game(room)
    await anna.wait_for(Break)
    await anna.say(*words)
    error = await anna.hear(Error)
    assert (error.code, error.fatal) == ("unknown_match", False)
    assert told in error.message
    assert "answer break once, with its match and number" in error.message
    await bo.wait_for(GameEnd)
    await bo.say(GameReady(match=MATCH, number=2))  # it did not ask for a break
    assert (await bo.hear(Error)).code == "unknown_match"
    await bo.hears_no(GameStart, 1)
    await anna.say(GameReady(match=MATCH, number=2), GameReady(match=MATCH, number=2))
    assert (await anna.hear(GameStart)).number == 2
    assert (await anna.wait_for(Error)).code == "unknown_match"
    assert [ended.result.cause for ended in room.recorded_as(facts.GameEnded)] == ["illegal_turns"]


async def test_before_a_game_is_over_there_is_no_break_to_end(room: Room) -> None:
    mover, other, turn = await room.begin(wants=("break",))
    await mover.say(GameReady(match=MATCH, number=2))
    assert (await mover.hear(Error)).code == "unknown_match"
    await mover.answer(turn)
    assert (await other.first_turn()).turn == 2


async def test_a_bot_that_comes_back_is_told_what_is_left(room: Room) -> None:
    anna, bo = await one_game(room)
    await anna.wait_for(Break)
    await anna.hang_up()
    await trio.sleep(4)
    back = await room.guest("anna", wants=("break",))
    await back.take_seat()
    pause = await back.hear(Break)
    assert (pause.number, BREAK_MS - 4100 < pause.left_ms <= BREAK_MS - 4000) == (2, True)
    await back.say(GameReady(match=MATCH, number=2))
    assert (await back.hear(GameStart)).number == 2
    await bo.wait_for(GameStart)
    assert len(room.recorded_as(facts.BreakEnded)) == 1
    room.replay()


async def test_who_says_goodbye_in_a_break_gives_up_the_games_that_are_left(room: Room) -> None:
    anna, bo = await one_game(room)
    await anna.wait_for(Break)
    await anna.say(Bye(reason="enough"))
    while len(bo.heard(GameEnd)) < TERMS.games:
        await bo.hear_next()
    assert [ended.result.cause for ended in room.recorded_as(facts.GameEnded)][1:] == [
        "no_show",
        "no_show",
    ]
    assert bo.heard(GameStart)[1:] == []
    room.replay()


async def test_a_program_that_rests_is_awaited_and_one_that_is_lost_is_started_again(
    room: Room,
) -> None:
    programs = {name: Program() for name in ("anna", "bo")}
    for name, program in programs.items():
        room.expect(name, grace_ms=0, program=program)
    anna, bo = await one_game(room)
    await anna.wait_for(Break)
    await bo.wait_for(GameEnd)
    assert [programs[name].is_awaited for name in ("anna", "bo")] == [True, False]
    await bo.hang_up()
    await anna.hears_no(MatchEnd, 1)
    assert programs["bo"].calls == 1
    back = await room.guest("bo")
    await back.take_seat()
    await back.hears_no(GameStart, 1)
    await anna.say(GameReady(match=MATCH, number=2))
    assert (await back.hear(GameStart)).number == 2


async def test_breaks_of_two_matches_are_apart(room: Room) -> None:
    """A bot that plays both: the word of one match does not begin a game of the other."""
    anna = await room.guest("anna", wants=("break",), window=2)
    bo, cia = await room.guest("bo"), await room.guest("cia")
    for other in (bo, cia):
        room.lay_table("anna", other.name)
        await anna.take_seat()
    for other in (bo, cia):
        await other.take_seat()
    for guest in (bo, cia, anna):
        room.nursery.start_soon(forfeit_every_turn, guest)
    await until(lambda: len(anna.heard(Break)) == 2)
    await anna.say(GameReady(match="r1-anna-v-cia", number=2))
    await until(lambda: [start.number for start in cia.heard(GameStart)] == [1, 2])
    assert [start.number for start in bo.heard(GameStart)] == [1]
    assert room.recorded_as(facts.BreakEnded, MATCH) == []


async def forfeit_every_turn(guest: Guest) -> None:
    with suppress(HungUpError):
        while True:
            turn = await guest.first_turn()
            for _ in range(TERMS.rejections + 1):
                await guest.answer(turn, moves=ILLEGAL)
