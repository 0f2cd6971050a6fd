"""The parts of situations: the words of the arena, and positions that show one thing each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from arena.games import Game
from arena.matches.time_control import TimeControl
from arena.services.conversation import Words
from protocol.messages import Bye, Error

PACE: Final = "pace"
"""The name of the situation that is judged by the turns of the others."""
CLOCK: Final = TimeControl(delay_ms=5000, bank_ms=5000)
"""A long time for an honest bot on a busy machine, but a short wait for a bot that hangs."""
ABOUT_TO_WIN: Final = [*[0] * 12, -5, -10, *[0] * 5, 3, 3, 3, 4, 2]
"""A single die may complete a handsome game (B11.3)."""


Connection = tuple[Words, ...] | Callable[[Any], Iterator[Words]]
"""The words sent on one connection, or a function that makes them from the `Conversation` when they
depend on the bot's answers.

If it does not end with `bye` or a fatal `error`, the arena hangs up without a word, and the bot
should come back.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A short conversation in which a bot can make one mistake."""

    name: str
    """Lower-case words with hyphens."""
    what: str
    """The task of the bot, to put after its name: `answers every turn`."""
    section: str
    """The place in the documentation: a page of docs and the anchor of a heading,
    `protocol.md#frames`."""
    connections: tuple[Connection, ...]
    """In order; none in `PACE`."""
    game: Game[Any]
    """The rules of all its games."""
    is_required: bool = True
    """True if every bot must master it; others are good style, or a help."""
    wants: frozenset[str] = frozenset()
    """Wishes that the login of a bot must have for the situation to occur."""
    is_extra: bool = False
    """True if the report leaves it out for a bot that does not ask for it."""
    is_basic: bool = False
    """True if all other situations depend on this one."""
    is_by_clock: bool = False
    """True if the arena waits for a turn as long as its clock allows."""
    leaves_with: str = ""
    """The required exit status at the end: `0`, `not 0`, or empty for any."""


def says_goodbye(words: Words) -> bool:
    """Return whether the arena ends a connection with these words; then the bot may not reply."""
    last = words.messages[-1]
    return isinstance(last, Bye) or (isinstance(last, Error) and last.fatal)


def about_to_win(game: Game[Any]) -> dict[str, Any]:
    """Return a position where the side to move may call for one die, in a game with that choice."""
    return game.to_plain(game.start()) | {"points": ABOUT_TO_WIN}


def on_the_bar(game: Game[Any]) -> dict[str, Any]:
    """Return the start, but with one checker of the side to move on the bar."""
    plain = game.to_plain(game.start())
    points = list(plain["points"])
    points[points.index(max(points))] -= 1
    return plain | {"points": points, "bar": [1, 0]}


def shut_out(game: Game[Any]) -> dict[str, Any]:
    """Return `on_the_bar`, where the opponent has closed point 6: 6-6 cannot be played."""
    plain = on_the_bar(game)
    points = list(plain["points"])
    points[points.index(min(points))] += 2
    points[5] -= 2
    return plain | {"points": points}


def all_home(game: Game[Any]) -> dict[str, Any]:
    """Return a position with all checkers of the mover at home, the opponent at its start."""
    plain = game.to_plain(game.start())
    mine = sum(count for count in plain["points"] if count > 0)
    points = [min(count, 0) for count in plain["points"]]
    points[18:23] = [mine // 5] * 5
    return plain | {"points": points}
