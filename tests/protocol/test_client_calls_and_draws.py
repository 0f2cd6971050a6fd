"""Bots of the Python kit that call for dice, offer draws and accept them."""

from typing import Any

import msgspec

from protocol.client import AcceptDraw, CallView, Choice, Moves, Reply, TurnView
from protocol.messages import Bye, Call, Called, GameEnd, Play, Rejected
from tests.protocol.client_bots import First, turn
from tests.protocol.samples import REJECTED, SESSION, TURN

BYE = Bye(reason="done")


class Diplomat(First):
    """Accepts what is offered, and otherwise offers in every form of answer, one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.offers: list[Reply] = [Choice(1, offers_draw=True), Moves([[1, 7]], info="even", offers_draw=True)]

    def play(self, turn: TurnView) -> Reply:
        return AcceptDraw(info="fine") if turn.draw_offered else self.offers.pop(0)


def test_draws_are_offered_with_a_turn_and_accepted_instead_of_one(table: Any) -> None:
    arena, running = table(Diplomat())
    arena.welcome()
    arena.start(1)
    arena.say(turn(1))
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


CALL = Call(game=1, turn=1, dice=[1, 2], position=TURN.position, clock=TURN.clock)


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
