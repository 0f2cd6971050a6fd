"""A bot in Python: one method that answers a turn, and hooks for more information."""

import sys
from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, Generic, Literal, TypeAlias, TypeVar

import msgspec

from protocol.client.receipts import RECEIPTS_FILE
from protocol.fields import WISHES, Kind, Move
from protocol.messages import (
    Break,
    Call,
    Called,
    GameEnd,
    GameStart,
    Last,
    MatchEnd,
    MatchStart,
    Play,
    Rejected,
    Turn,
    TurnClock,
)

Asked = TypeVar("Asked", Turn, Call)


class View(msgspec.Struct, Generic[Asked], frozen=True):
    """A question to a bot, with the game and the match it belongs to.

    `start` and `match` are the messages that began the game and its match.
    """

    message: Asked
    start: GameStart
    match: MatchStart

    @property
    def position(self) -> dict[str, Any]:
        """The whole position from the mover's view, as it came over the wire."""
        return self.message.position

    @property
    def points(self) -> list[int]:
        """24 counts of a tables game: `points[i]` is my point i + 1.

        Positive counts are mine, negative the opponent's.
        """
        points: list[int] = self.message.position["points"]
        return points

    @property
    def last(self) -> Last | None:
        """The opponent's last turn in its own numbering of the points; None before its first."""
        return self.message.last

    @property
    def clock(self) -> TurnClock:
        """Both clocks in milliseconds as the arena wrote this."""
        return self.message.clock

    @property
    def limit_ms(self) -> int:
        """Time that the answer may take: what is left of the delay and of the bank."""
        return self.message.clock.delay_left_ms + self.message.clock.left_ms

    @property
    def ruleset(self) -> dict[str, Any]:
        """The ruleset of the match: its name, its hash and its fields."""
        return self.match.ruleset


class TurnView(View[Turn], frozen=True):
    """A turn to answer."""

    @property
    def dice(self) -> Sequence[int]:
        """The roll; empty in games without dice."""
        return self.message.dice

    @property
    def legal(self) -> Sequence[Sequence[Move]]:
        """All distinct legal turns, for a bot with `wants = ("legal",)`.

        Raises `LookupError`: the arena sent none, because the bot did not ask for them.
        """
        if self.message.legal is None:
            raise LookupError(
                'this turn lists no legal turns; say wants = ("legal",) in the bot\'s class'
            )
        return self.message.legal

    @property
    def draw_offered(self) -> bool:
        """True if the opponent offered a draw with its last turn; `AcceptDraw()` accepts it."""
        return self.message.draw_offered


class CallView(View[Call], frozen=True):
    """A call to answer: how many dice to roll for the turn that follows."""

    @property
    def choices(self) -> Sequence[int]:
        """The numbers of dice that the bot may call for."""
        return self.message.dice


class Choice(msgspec.Struct, frozen=True):
    """An answer that names one of the legal turns by its index.

    `info` is kept in the record. With `offers_draw` the opponent may accept a draw instead of its
    next turn.
    """

    index: int
    info: Any = None
    offers_draw: bool = False


class Moves(msgspec.Struct, frozen=True):
    """An answer that lists its moves, with `info` or the offer of a draw; else a list will do."""

    moves: Sequence[Move]
    info: Any = None
    offers_draw: bool = False


class AcceptDraw(msgspec.Struct, frozen=True):
    """An answer that accepts the opponent's offer of a draw (`turn.draw_offered`).

    The game is then over.
    """

    info: Any = None


Reply: TypeAlias = Sequence[Move] | Choice | Moves | AcceptDraw
"""The reply of `play`: moves in the order played (`[]` is a pass), a `Choice`, `Moves`, or
`AcceptDraw`."""


class BotBase:
    """A bot as a session sees it; `Bot` of `run.py` can also start itself.

    `name` is used if the environment gives none. A `window` above 1 lets the arena ask for several
    games at once. `fingerprint` identifies the build, so that the arena recognises the same
    program. `matches` is how many matches of a ladder it plays at once (1-8). `kind` marks a person
    or an agent in the record.
    """

    name: str = ""
    version: str = ""
    fingerprint: str = ""
    wants: tuple[str, ...] = ()
    window: int = 1
    matches: int = 1
    kind: Kind | None = None
    receipts: str | None = RECEIPTS_FILE
    """Where the receipts of its games are kept, from the folder of its script; None for nowhere.

    The environment variable `ARENA_RECEIPTS` goes before it; empty for nowhere.
    """
    signing_key: str | None = None
    """The file of the Ed25519 key to sign them with (`arena key new`), from the folder of its
    script.

    The environment variable `ARENA_SIGNING_KEY` goes before it; empty for no signatures.
    """

    def play(self, turn: TurnView) -> Reply:
        """Answer one turn; the clock is running. Every bot has this method."""
        raise NotImplementedError(f"{type(self).__name__} must implement play(self, turn)")

    def play_many(self, turns: Sequence[TurnView]) -> Iterable[Reply]:
        """Answer all waiting turns; one reply for each, in their order.

        For bots with a `window` above 1 that gain by thinking about several positions at once. A
        list of replies is sent with one write; replies from a generator are sent one by one as it
        yields them.
        """
        for turn in turns:
            yield self.play(turn)

    def call(self, call: CallView) -> int:
        """Return how many dice to roll if there is a choice (option `one_die`); the clock runs.

        A bot that does not override `call` is not asked, and rolls two.
        """
        return max(call.choices)

    def between_games(self, pause: Break) -> None:
        """Use the break before a game; the bot is ready when this returns, within `pause.left_ms`.

        No clock runs, and the bots of other matches are not delayed; but this bot answers no turn
        of another match meanwhile. A bot that does not override `between_games` asks for no breaks.
        """

    def match_start(self, match: MatchStart) -> None:
        """Take note that a match begins."""

    def game_start(self, start: GameStart) -> None:
        """Take note that a game begins."""

    def rejected(
        self,
        rejected: Rejected,
        view: TurnView | CallView,  # noqa: ARG002 - for those who override
    ) -> None:
        """Take note that an answer was illegal.

        After this `play` or `call` is asked again, unless it was one too many.
        """
        then = "the game is forfeited"
        if rejected.left >= 0:
            then = f"{rejected.left} more forgiven"
        why = f"{rejected.code}, {rejected.clause}; {then}"
        sys.stderr.write(f"rejected: {rejected.message} ({why})\n")

    def game_end(self, end: GameEnd) -> None:
        """Take note that a game is over."""

    def objection(self, end: GameEnd) -> str:  # noqa: ARG002  (for those who override)
        """Return why the bot objects to how a game ended, in at most 200 characters; else empty."""
        return ""

    def match_end(self, end: MatchEnd) -> None:
        """Take note that a match is over."""

    def dice_distrusted(self, end: MatchEnd, problems: Sequence[str]) -> None:
        """Report that the dice of a match were not as promised (docs/dice.md).

        `problems` says why, in sentences. The bot plays on, and leaves with exit code 1 in the end.
        """
        for problem in problems:
            sys.stderr.write(f"DICE NOT AS PROMISED in {end.match}: {problem}\n")


def to_play(turn: Turn, reply: Reply) -> Play:
    """Return the message that answers a turn with a bot's reply.

    Raises `TypeError`: the reply is none of the forms of `Reply`.
    """
    game, number = turn.game, turn.turn
    if isinstance(reply, AcceptDraw):
        return Play(game=game, turn=number, draw="accept", info=reply.info)
    if isinstance(reply, Choice):
        return Play(game=game, turn=number, choice=reply.index, info=reply.info, draw=_draw(reply))
    if isinstance(reply, Moves):
        return Play(game=game, turn=number, moves=reply.moves, info=reply.info, draw=_draw(reply))
    if isinstance(reply, list | tuple):
        return Play(game=game, turn=number, moves=reply)
    raise TypeError(
        f"play returned {type(reply).__name__}; "
        "expected a list of moves, a Choice, Moves or AcceptDraw"
    )


def _draw(reply: Choice | Moves) -> Literal["offer"] | None:
    return "offer" if reply.offers_draw else None


def to_called(call: Call, dice: int) -> Called:
    """Return the message that answers a call with a bot's reply.

    Raises `TypeError`: the reply is no number.
    """
    try:
        number = index(dice)  # numpy's integers are none of Python's
    except TypeError:
        expected = f"expected how many dice to roll, one of {list(call.dice)}"
        raise TypeError(f"call returned {type(dice).__name__}; {expected}") from None
    return Called(game=call.game, turn=call.turn, dice=number)


def wishes(bot: BotBase) -> tuple[str, ...]:
    """Return the wishes of the login: `wants`, and those of an override of `call`, `between_games`.

    Raises:
        TypeError: `wants` is a text.
        ValueError: it has an unknown wish.
    """
    if isinstance(bot.wants, str):
        example = bot.wants if bot.wants in WISHES else "legal"
        raise TypeError(f'wants is a text; write wants = ("{example}",), with the comma')
    for wish in bot.wants:
        if wish not in WISHES:
            wishes_known = ", ".join(sorted(WISHES))
            raise ValueError(f"unknown wish {wish!r} in wants; known: {wishes_known}")
    wanted = list(bot.wants)
    if type(bot).call is not BotBase.call:
        wanted.append("call")
    if type(bot).between_games is not BotBase.between_games:
        wanted.append("break")
    return tuple(dict.fromkeys(wanted))
