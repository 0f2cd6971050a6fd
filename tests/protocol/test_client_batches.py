"""The bot kit with a window, whose batches are one write, and with calls for dice and draws."""

import socket
import struct
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import pytest

from protocol.client import AcceptDraw, CallView, Choice, ClientSession, Moves, Reply, TurnView
from protocol.messages import (
    Bye,
    Called,
    FromBot,
    GameEnd,
    GameStart,
    MatchReady,
    Play,
    Rejected,
    Turn,
)
from tests.fixtures.fake_arena import FakeArena
from tests.fixtures.message_samples import CALL, MATCH_START, REJECTED, SESSION, TURN
from tests.protocol.client_bots import First, turn


class Listing(First):
    window = 256

    def play_many(self, turns: Sequence[TurnView]) -> Sequence[Reply]:
        return [Moves([[1, 7]], info={"of": len(turns)}) for _ in turns]


class Yielding(First):
    window = 256

    def play_many(self, turns: Sequence[TurnView]) -> Iterable[Reply]:
        for _ in turns:
            yield Choice(0, info={"of": len(turns)})


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many messages the bot has sent with each write."""
    counted: list[int] = []
    send = ClientSession.send

    def counting(session: ClientSession, *messages: FromBot) -> None:
        counted.append(len(messages))
        send(session, *messages)

    monkeypatch.setattr(ClientSession, "send", counting)
    return counted


def open_games(arena: FakeArena, number: int) -> list[Turn]:
    """Start so many games of the sample match; gives the first turn of each."""
    arena.say(MATCH_START)
    arena.expect(MatchReady)
    for game in range(1, number + 1):
        arena.say(GameStart(game=game, match=MATCH_START.match, number=game, seat=1, starts=True))
    return [turn(game) for game in range(1, number + 1)]


def test_a_list_of_replies_is_one_write(table: Any, writes: list[int]) -> None:
    arena, _ = table(Listing())
    arena.welcome()
    turns = open_games(arena, 20)
    writes.clear()
    arena.say(*turns)
    plays = [arena.expect(Play) for _ in turns]
    assert [play.game for play in plays] == list(range(1, 21))
    assert [play.info for play in plays] == [{"of": 20}] * 20
    assert len(writes) == 1


def test_a_generator_of_replies_is_a_write_each(table: Any, writes: list[int]) -> None:
    """A bot that thinks long about each position loses no time over the others."""
    arena, _ = table(Yielding())
    arena.welcome()
    turns = open_games(arena, 5)
    writes.clear()
    arena.say(*turns)
    assert [arena.expect(Play).game for _ in turns] == [1, 2, 3, 4, 5]
    assert writes == [1] * 5


def test_all_that_is_there_is_read_before_the_bot_is_asked(table: Any, writes: list[int]) -> None:
    """Turns that list their legal turns are too long for one read of the socket; they are one batch all the same."""
    arena, _ = table(Listing())
    arena.welcome()
    legal = [[[1, 7], [7, 9]]] * 400
    turns = [msgspec.structs.replace(one, legal=legal) for one in open_games(arena, 60)]
    size = sum(len(arena.wire.send(one)) for one in turns)
    assert 150_000 < size < 500_000
    writes.clear()
    arena.say(*turns)
    assert [arena.expect(Play).info for _ in turns] == [{"of": 60}] * 60
    assert len(writes) == 1


def test_what_came_before_the_line_broke_is_heard(table: Any) -> None:
    arena, running = table(Listing())
    arena.welcome()
    open_games(arena, 1)
    arena.say(Bye(reason="done"))
    arena.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    arena.stream.close()
    assert running.end() == 0


# Bots of the Python kit that call for dice, offer draws and accept them


BYE = Bye(reason="done")


class Diplomat(First):
    """Accepts what is offered, and otherwise offers in every form of answer, one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.offers: list[Reply] = [
            Choice(1, offers_draw=True),
            Moves([[1, 7]], info="even", offers_draw=True),
        ]

    def play(self, turn: TurnView) -> Reply:
        return AcceptDraw(info="fine") if turn.draw_offered else self.offers.pop(0)


def test_draws_are_offered_with_a_turn_and_accepted_instead_of_one(asked: Any) -> None:
    arena, running = asked(Diplomat())
    assert arena.expect(Play) == Play(game=1, turn=1, choice=1, draw="offer")
    arena.say(msgspec.structs.replace(turn(1, 3), draw_offered=True))
    accepted = Play(game=1, turn=3, draw="accept", info="fine")
    assert arena.expect(Play) == accepted
    arena.say(msgspec.structs.replace(REJECTED, turn=3))
    assert arena.expect(Play) == accepted
    arena.say(turn(1, 5))
    assert arena.expect(Play) == Play(game=1, turn=5, moves=[[1, 7]], info="even", draw="offer")
    arena.say(BYE)
    assert running.end() == 0


class Bold(First):
    """Calls for one die, and first for none."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = [7, 1, 1]
        self.seen: list[CallView | TurnView] = []

    def call(self, call: CallView) -> int:
        self.seen.append(call)
        return self.answers.pop(0)

    def rejected(self, rejected: Rejected, asked: TurnView | CallView) -> None:
        self.seen.append(asked)


def test_a_bot_with_a_call_of_its_own_is_asked_for_its_dice(table: Any) -> None:
    bot = Bold()
    arena, running = table(bot)
    assert arena.welcome().wants == ("legal", "call")
    arena.start(1)
    arena.say(CALL)
    assert arena.expect(Called) == Called(game=1, turn=1, dice=7)
    arena.say(msgspec.structs.replace(REJECTED, code="no_such_call"))
    assert arena.expect(Called) == Called(game=1, turn=1, dice=1)
    arena.say(turn(1))
    assert arena.expect(Play) == Play(game=1, turn=1, choice=0)
    arena.say(BYE)
    assert running.end() == 0
    view, rejected, _ = bot.seen
    assert isinstance(view, CallView)
    assert rejected is view
    assert (list(view.choices), view.points, view.clock, view.last) == (
        [1, 2],
        TURN.position["points"],
        TURN.clock,
        None,
    )


def test_a_bot_without_a_call_of_its_own_does_not_ask_for_calls(table: Any) -> None:
    arena, running = table(First())
    assert arena.welcome().wants == ("legal",)
    arena.say(BYE)
    assert running.end() == 0
    asks = First()
    asks.wants = ("call",)
    arena, running = table(asks)
    assert arena.welcome().wants == ("call",)
    arena.start(1)
    arena.say(CALL)
    assert arena.expect(Called) == Called(game=1, turn=1, dice=2)
    arena.say(BYE)
    assert running.end() == 0


def test_calls_and_turns_of_one_read_are_all_answered(table: Any) -> None:
    """The calls first, as their turns are still to come; a game that has ended is not answered."""
    bot = Bold()
    bot.answers = [2, 1]
    arena, running = table(bot)
    arena.welcome()
    arena.start(1, 2, 3)
    second = msgspec.structs.replace(CALL, game=2)
    third = msgspec.structs.replace(CALL, game=3)
    [end] = [message for _, message in SESSION if isinstance(message, GameEnd)]
    arena.say(turn(1), second, third, msgspec.structs.replace(end, game=3))
    assert arena.expect(Called) == Called(game=2, turn=1, dice=2)
    assert arena.expect(Play) == Play(game=1, turn=1, choice=0)
    arena.say(BYE)
    assert running.end() == 0
    assert len(bot.seen) == 1


def test_a_call_that_gives_no_number_is_told_so(table: Any) -> None:
    bot = Bold()
    bot.answers = ["one"]  # type: ignore[list-item]
    arena, running = table(bot)
    arena.welcome()
    arena.start(1)
    arena.say(CALL)
    running.end()
    assert "call returned str; expected how many dice to roll, one of [1, 2]" in str(running.raised)
