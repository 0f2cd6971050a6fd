"""Reports of the shell to its caller: what is going on, and what ended it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from arena.records.facts import TournamentFact


@dataclass(frozen=True, slots=True, kw_only=True)
class GamesPlayed:
    """Progress of a match that is being played: told when it goes on, and when a game of it is over."""

    fixture: str
    games: int
    """How many of its games are over."""


Report = Callable[[TournamentFact | GamesPlayed], object]
"""Told of every line of the tournament record, and of every game that is over in the matches of this process."""


def causes(error: BaseException) -> Iterator[BaseException]:
    """The exceptions in a group, however deep; trio groups the exceptions that end its tasks."""
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from causes(one)
    else:
        yield error
