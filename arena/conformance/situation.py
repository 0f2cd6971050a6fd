"""The parts of situations: all that the arena says in one, and turns at positions that show one thing each."""

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
"""A long time for an honest bot on a busy machine, and not so long that a bot that hangs is waited
for in vain."""
ABOUT_TO_WIN: Final = [*[0] * 12, -5, -10, *[0] * 5, 3, 3, 3, 4, 2]
"""A single die may complete a handsome game (B11.3)."""


Connection = tuple[Words, ...] | Callable[[Any], Iterator[Words]]
"""Everything sent on one connection; or what makes it of the `Conversation`, when it depends on
what the bot says.

If it does not end with `bye` or a fatal `error`, the arena hangs up without a word, and the bot
should come back.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A short conversation in which a bot can make one mistake."""

    name: str
    """Lower-case words with hyphens."""
    what: str
    """What a bot should do, to put after its name: `answers every turn`."""
    section: str
    """The place in the documentation: a page of docs and the anchor of a heading,
    `protocol.md#frames`."""
    connections: tuple[Connection, ...]
    """In order; none in `PACE`."""
    game: Game[Any]
    """The rules of all its games."""
    is_required: bool = True
    """Whether every bot must master it; others are good style, or a help."""
    wants: frozenset[str] = frozenset()
    """What a bot must have asked for in its login for the situation to occur."""
    is_extra: bool = False
    """True if a bot that does not ask for it hears nothing of it, not even that it was left out."""
    is_basic: bool = False
    """Whether all other situations depend on this one."""
    is_by_clock: bool = False
    """Whether a turn is waited for as long as its clock allows."""
    leaves_with: str = ""
    """The required exit status at the end: `0`, `not 0`, or empty for any."""


def says_goodbye(words: Words) -> bool:
    """Return whether the arena ends a connection with these words, after which the bot may send nothing."""
    last = words.messages[-1]
    return isinstance(last, Bye) or (isinstance(last, Error) and last.fatal)


def about_to_win(game: Game[Any]) -> dict[str, Any]:
    """A position where the side to move may call for one die, in a game with that choice."""
    return game.to_plain(game.start()) | {"points": ABOUT_TO_WIN}


def on_the_bar(game: Game[Any]) -> dict[str, Any]:
    """The start, but with one checker of the side to move on the bar."""
    plain = game.to_plain(game.start())
    points = list(plain["points"])
    points[points.index(max(points))] -= 1
    return plain | {"points": points, "bar": [1, 0]}


def shut_out(game: Game[Any]) -> dict[str, Any]:
    """The same, and the opponent has closed point 6, so that 6-6 cannot be played."""
    plain = on_the_bar(game)
    points = list(plain["points"])
    points[points.index(min(points))] += 2
    points[5] -= 2
    return plain | {"points": points}


def all_home(game: Game[Any]) -> dict[str, Any]:
    """All checkers of the side to move may be borne off; the opponent has not moved."""
    plain = game.to_plain(game.start())
    mine = sum(count for count in plain["points"] if count > 0)
    points = [min(count, 0) for count in plain["points"]]
    points[18:23] = [mine // 5] * 5
    return plain | {"points": points}
