"""What a situation is: all that the arena says in it. What the bot owes in answer follows from that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from arena.games import Game
from protocol.messages import Bye, Error, FromArena

PACE: Final = "pace"
"""The name of the situation that is judged by the turns of the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What the arena says at once. The next words follow when the bot has answered all that was asked."""

    messages: tuple[FromArena, ...]
    more: Mapping[str, object] = field(default_factory=dict)
    """Fields that no message has, added to each of these."""
    unknown: Mapping[str, object] | None = None
    """A map that is no message, said first."""
    is_in_bytes: bool = False
    """Whether every byte is written by itself."""
    is_cut: bool = False
    """Whether the last frame breaks off in the middle; then nothing is awaited any more."""


Connection = tuple[Words, ...]
"""All that is said on one connection. Without `bye` or a fatal `error` at the end the arena hangs up without a word,
and the bot is to come back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A short conversation in which a bot can go wrong in one way."""

    name: str
    """Lower-case words with hyphens."""
    what: str
    """What a bot does that is right, after its name: `answers every turn`."""
    section: str
    """Where the documentation says so: a page of docs and the anchor of a heading, `protocol.md#frames`."""
    connections: tuple[Connection, ...]
    """In order; none in `PACE`."""
    game: Game[Any]
    """The rules that all its games are played by."""
    is_required: bool = True
    """Whether every bot has to master it; what is not required is good style, or a help."""
    wants: frozenset[str] = frozenset()
    """What a bot must have asked for in its login, else the situation does not come up."""
    is_basic: bool = False
    """Whether no other situation can go well if this one does not."""
    leaves_with: str = ""
    """The exit status that is looked for at the end: `0`, `not 0`, or empty for any."""


def says_goodbye(connection: Connection) -> bool:
    """Whether the arena ends a connection with a last word, after which nothing may be said."""
    last = connection[-1].messages[-1]
    return isinstance(last, Bye) or (isinstance(last, Error) and last.fatal)
