"""Pairs at the table: what the bots hear and when, and that no bot gains anything from the other half."""

from contextlib import suppress
from itertools import cycle
from typing import Any

import pytest
import trio
from msgspec.structs import replace

from arena.games import load_game
from arena.matches.facts import FlagFell, TurnPlayed
from arena.matches.state import pair_of
from protocol.messages import GameEnd, GameStart, MatchStart, Turn
from tests.server.room import BRANDUBH, TERMS, VASA, Guest, HungUpError, Room, first_legal, until

PAIRS = replace(TERMS, form="pairs", games=4)
SHORT = replace(PAIRS, turn_limit=12)
BACKGAMMON = load_game("backgammon")


async def begin(room: Room, **more: Any) -> tuple[Guest, Turn, Guest, Turn]:
    """Both are ready: the movers of the first and the second half, with their turns."""
    anna, bo, _ = await room.meet(terms=PAIRS, **more)
    start = await anna.wait_for(GameStart)
    one, two = (anna, bo) if start.starts else (bo, anna)
    return one, await one.first_turn(), two, await two.first_turn()


def halves(guest: Guest) -> dict[int, int]:
    """Handle of each game to its number in the match."""
    return {start.game: start.number for start in guest.heard(GameStart)}


@pytest.mark.parametrize("rules", [VASA, BACKGAMMON, BRANDUBH], ids=lambda rules: rules.name)
async def test_the_same_play_is_told_the_same_in_both_halves_and_ends_level(room: Room, rules: Any) -> None:
    legal = {"wants": ("legal",)}
    anna, bo, table = await room.meet(terms=SHORT, rules=rules, **legal)
    for guest in (anna, bo):
        room.nursery.start_soon(chooses, guest, [0])
    await table.over()
    await until(lambda: all(len(guest.heard(GameEnd)) == 4 for guest in (anna, bo)))
    assert {start.form for guest in (anna, bo) for start in guest.heard(MatchStart)} == {"pairs"}
    told = [as_told(guest, number) for guest, number in ((anna, 1), (bo, 2), (anna, 3), (bo, 4))]
    assert told[0] == told[1]
    assert told[2] == told[3]
    assert [as_told(bo, 1), as_told(bo, 3)] == [as_told(anna, 2), as_told(anna, 4)]
    assert table.match.standing.score[0] == table.match.standing.score[1]
    assert [fact.game for fact in table.games] == [1, 2, 3, 4]
    room.replay()


def as_told(guest: Guest, number: int) -> list[object]:
    """Everything a bot was told in one game, without the name of the game and the score."""
    [handle] = [start.game for start in guest.heard(GameStart) if start.number == number]
    told: list[object] = []
    for message in guest.all_heard:
        if isinstance(message, GameStart) and message.game == handle:
            told.append((message.seat, message.starts))
        elif isinstance(message, Turn) and message.game == handle:
            told.append(replace(message, game=0))
        elif isinstance(message, GameEnd) and message.game == handle:
            told.append((message.result, message.ending, message.points, message.last))
    return told


async def chooses(guest: Guest, choices: list[int], *, after_seconds: float = 0) -> None:
    """Play legal turns by their places in the list, over and over, to the end of the match."""
    for choice in cycle(choices):
        try:
            turn = await guest.first_turn()
        except HungUpError:
            return
        await trio.sleep(after_seconds)
        assert turn.legal is not None
        await guest.answer(turn, choice=choice % len(turn.legal))


async def test_nothing_is_told_of_an_answer_before_the_other_half_has_one(room: Room) -> None:
    one, first, two, second = await begin(room)
    await one.answer(first)
    for guest in (one, two):
        await guest.hears_nothing(0.3)
    await two.answer(second)
    turns = [await guest.first_turn() for guest in (two, one)]
    assert [turn.turn for turn in turns] == [2, 2]
    assert turns[0].dice == turns[1].dice
    for turn, before in zip(turns, (first, second), strict=True):
        assert turn.last is not None
        assert list(map(list, turn.last.moves)) == [list(move) for move in first_legal(before)]
    assert halves(one)[turns[1].game] == 2


async def flag_in_the_second_half(room: Room) -> tuple[Guest, Turn, Guest, Turn]:
    """At step 3 the second half is overdue after 500 ms, while the first has until 1100 ms: both movers and turns."""
    one, first, two, second = await begin(room)
    await one.answer(first)
    await trio.sleep(0.7)
    await two.answer(second)
    await two.answer(await two.first_turn())
    await one.answer(await one.first_turn())
    first, second = await one.first_turn(), await two.first_turn()
    assert (first.turn, second.turn) == (3, 3)
    assert (first.clock.left_ms, second.clock.left_ms) == (1000, 400)
    return one, first, two, second


async def test_a_flag_that_is_kept_back_is_not_asked_again(room: Room) -> None:
    one, first, two, _ = await flag_in_the_second_half(room)
    name = name_of(two)
    await two.hang_up()
    await trio.sleep(0.6)
    assert [fact.game for fact in room.recorded_as(FlagFell)] == [2]
    again = await room.guest(name)
    await again.take_seat()
    assert [(await again.hear(GameStart)).number for _ in range(2)] == [1, 2]
    await again.hears_nothing(0.2)
    await one.answer(first)
    assert (await again.hear(GameEnd)).result == "lost"
    assert (await again.first_turn()).turn == 4
    room.replay()


def name_of(guest: Guest) -> str:
    """The names by seat in the match of these tests."""
    return "anna" if guest.heard(MatchStart)[0].seat == 1 else "bo"


# Nobody gains anything


async def test_a_bot_that_copies_the_other_half_finds_nothing_to_copy_in_time(room: Room) -> None:
    """What is asked of one bot is asked of the other in the other half; it never hears the answer before its own."""
    anna, bo, table = await room.meet(terms=replace(SHORT, turn_limit=60), wants=("legal",))
    asked: list[Turn] = []
    in_time: list[Turn] = []

    async def copy() -> None:
        with suppress(HungUpError):
            while turn := await anna.first_turn():
                asked.append(turn)
                in_time.extend(one for one in anna.all_heard if is_answer_to(one, turn))
                await anna.answer(turn, choice=0)

    def is_answer_to(message: object, turn: Turn) -> bool:
        """Whether this tells what the opponent played in the other half of this pair with the same turn to play."""
        if not isinstance(message, Turn) or message.last is None or message.turn - 1 != turn.turn:
            return False
        numbers = halves(anna)
        return message.game != turn.game and pair_of(numbers[message.game]) == pair_of(numbers[turn.game])

    room.nursery.start_soon(copy)
    room.nursery.start_soon(lambda: chooses(bo, [0], after_seconds=0.001))
    await table.over()
    await until(lambda: len(anna.heard(GameEnd)) == 4)
    assert len(asked) > 50
    assert in_time == []
    late = [turn for turn in asked if any(is_answer_to(one, turn) for one in anna.all_heard)]
    assert len(late) >= len(asked) - 4  # afterwards it hears of all of them, but for the last steps of each pair
    assert table.match.standing.score[0] == table.match.standing.score[1]


async def test_a_bot_that_remembers_dice_never_meets_them_again(room: Room) -> None:
    """When the dice of a step are told to a bot, it has heard of none of that step or a later one, in either half."""
    anna, bo, table = await room.meet(terms=replace(SHORT, turn_limit=60), wants=("legal",))
    for guest, choices in ((anna, [0, 4, 2]), (bo, [1, 0, 7])):
        room.nursery.start_soon(chooses, guest, choices)
    await table.over()
    for guest in (anna, bo):
        latest: dict[int, int] = {}
        for turn in guest.heard(Turn):
            pair = pair_of(halves(guest)[turn.game])
            assert latest.get(pair, 0) < turn.turn
            latest[pair] = turn.turn
        assert len(latest) == 2
    dealt = {(fact.game, fact.turn): tuple(fact.dice) for fact in room.recorded_as(TurnPlayed)}
    assert all(dealt.get((1, turn), dice) == dice for (game, turn), dice in dealt.items() if game == 2)
    both = [turn for game, turn in dealt if game == 1 and (3, turn) in dealt]
    assert len(both) > 20
    assert [dealt[1, turn] for turn in both] != [dealt[3, turn] for turn in both]
