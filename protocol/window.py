"""Window of turns: how many a bot has to answer at once, and which answer belongs to which.

The laws:

1. Never more than `size` turns are unanswered: written to the bot and not yet answered. A call for
   dice counts as a turn here.
2. Turns are written in the order in which they were offered.
3. Answers may come in any order; each belongs to the one unanswered turn with its `game` and
   `turn`, a `play` to a `turn` and a `call` to a `call`.
4. An answer to any other turn is stale: a verdict, not an exception, and it changes nothing.
5. A rejected turn is unanswered again before any other turn is released.
6. The end of a game forgets its turns, written or not.
"""

from collections import OrderedDict
from typing import TypeAlias

from protocol.errors import ErrorCode, LocalProtocolError
from protocol.fields import MAX_WINDOW
from protocol.messages import Call, Called, Error, Play, Turn

Asked: TypeAlias = Turn | Call
"""The questions to a bot."""


class TurnWindow:
    """The turns of one connection: those waiting to be written and those waiting for an answer.

    `size` is the window the bot asked for when it logged in (1-256).
    """

    def __init__(self, size: int) -> None:
        self.size = _checked(size)
        """The most turns that may be unanswered at once."""
        self.waiting: OrderedDict[int, Asked] = OrderedDict()
        """The questions waiting to be written, by game, in order of offering."""
        self._unanswered: OrderedDict[int, Asked] = OrderedDict()  # in order of writing
        self._games: set[int] = set()

    @property
    def is_idle(self) -> bool:
        """True if no turn waits, neither to be written nor for an answer."""
        return not (self._unanswered or self.waiting)

    def put(self, turn: Asked) -> bool:
        """Call `offer`, and `release` if there is room; returns whether to write the turn now.

        Raises `LocalProtocolError`: the game has a turn waiting already.
        """
        game = turn.game
        if self.waiting or len(self._unanswered) >= self.size or game in self._unanswered:
            self.offer(turn)
            return False
        self._games.add(game)
        self._unanswered[game] = turn
        return True

    def offer(self, turn: Asked) -> None:
        """Queue a turn behind those already waiting.

        Raises `LocalProtocolError`: the game has a turn waiting already.
        """
        self._check_free(turn.game)
        self._games.add(turn.game)
        self.waiting[turn.game] = turn

    def release(self) -> list[Asked]:
        """Return the turns to write now; from here on they count as written and unanswered."""
        released: list[Asked] = []
        while self.waiting and len(self._unanswered) < self.size:
            game, turn = self.waiting.popitem(last=False)
            self._unanswered[game] = turn
            released.append(turn)
        return released

    def answer(self, answer: Play | Called) -> Asked | Error:
        """Return the answered turn or call and free its place, or the `error` to send instead.

        The error is `unknown_game` if the game has had no turn here or is over, `stale_turn` if
        another turn of it, or none, is unanswered. Neither is fatal, and neither costs more than
        the time it took.
        """
        game = answer.game
        question = self._unanswered.get(game)
        if (
            question is not None
            and question.turn == answer.turn
            and (question.__class__ is Turn) is (answer.__class__ is Play)
        ):
            del self._unanswered[game]
            return question
        code = ErrorCode.STALE_TURN
        if game not in self._games:
            code = ErrorCode.UNKNOWN_GAME
            problem = "this game has had no turn here, or it is over"
        elif question is not None:
            problem = f"this game awaits the answer to {_name(question)} {question.turn}"
        else:
            problem = "this game awaits no answer now"
        kind = "play" if answer.__class__ is Play else "call"
        text = f"a {kind} for game {game}, turn {answer.turn}; {problem}; the {kind} is skipped"
        return code.to_message(text, game, answer.turn)

    def reopen(self, turn: Asked) -> None:
        """Count a turn as unanswered again: its answer was rejected. Nothing is written again.

        Raises `LocalProtocolError`: its place has been given away by `release`, or its game has
        another turn.
        """
        self._check_free(turn.game)
        if len(self._unanswered) >= self.size:
            raise LocalProtocolError(
                "no place is free; reopen a rejected turn before the next release"
            )
        self._games.add(turn.game)
        self._unanswered[turn.game] = turn

    def drop(self, game: int) -> None:
        """Forget a game that is over: its turn needs no answer; a late one gets `unknown_game`."""
        self._games.discard(game)
        self._unanswered.pop(game, None)
        self.waiting.pop(game, None)

    def outstanding(self) -> list[Asked]:
        """Return the turns that were written and have no answer yet, in the order of writing."""
        return list(self._unanswered.values())

    def withdraw(self, game: int) -> None:
        """Take back the waiting turn of a game; the game goes on.

        Raises `LocalProtocolError`: nothing of the game waits.
        """
        if self.waiting.pop(game, None) is None:
            raise LocalProtocolError(f"no turn of game {game} waits to be written")

    def rewind(self, size: int) -> list[Asked]:
        """Start over on a new connection; returns all turns, to be put again in this order.

        The unanswered turns come first. `size` is the window of the new login.
        """
        self.size = _checked(size)
        turns = [*self._unanswered.values(), *self.waiting.values()]
        self._unanswered.clear()
        self.waiting.clear()
        return turns

    def _check_free(self, game: int) -> None:
        if game in self._unanswered or game in self.waiting:
            raise LocalProtocolError(
                f"game {game} has a turn waiting already; a game has one turn at a time"
            )


def _checked(size: int) -> int:
    if not 1 <= size <= MAX_WINDOW:
        raise LocalProtocolError(f"a window of {size} turns; it must be 1 to {MAX_WINDOW}")
    return size


def _name(question: Asked) -> str:
    return "turn" if question.__class__ is Turn else "the call for dice of turn"
