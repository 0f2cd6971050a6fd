"""A situation: everything that the arena says in it. The bot's answers follow from that."""

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
    """Messages sent together. The next words follow when the bot has answered everything it was asked."""

    messages: tuple[FromArena, ...]
    more: Mapping[str, object] = field(default_factory=dict)
    """Unknown fields to add to each of these messages."""
    unknown: Mapping[str, object] | None = None
    """A map that is not a message, sent first."""
    is_in_bytes: bool = False
    """Whether every byte is written separately."""
    is_cut: bool = False
    """Whether the last frame breaks off in the middle; then no answer is expected."""


Connection = tuple[Words, ...]
"""Everything sent on one connection.

If it does not end with `bye` or a fatal `error`, the arena hangs up without a word, and the bot should come back.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A short conversation in which a bot can make one mistake."""

    name: str
    """Lower-case words with hyphens."""
    what: str
    """What a bot should do, to put after its name: `answers every turn`."""
    section: str
    """The place in the documentation: a page of docs and the anchor of a heading, `protocol.md#frames`."""
    connections: tuple[Connection, ...]
    """In order; none in `PACE`."""
    game: Game[Any]
    """The rules of all its games."""
    is_required: bool = True
    """Whether every bot must master it; others are good style, or a help."""
    wants: frozenset[str] = frozenset()
    """What a bot must have asked for in its login for the situation to occur."""
    is_basic: bool = False
    """Whether all other situations depend on this one."""
    is_judged: bool = True
    """False if the answers to turns are only kept, for a referee to judge."""
    leaves_with: str = ""
    """The required exit status at the end: `0`, `not 0`, or empty for any."""


def says_goodbye(connection: Connection) -> bool:
    """Return whether the arena ends a connection with a last word, after which the bot may send nothing."""
    last = connection[-1].messages[-1]
    return isinstance(last, Bye) or (isinstance(last, Error) and last.fatal)
