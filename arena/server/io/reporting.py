"""How the shell tells whoever runs it what is going on, and what ended it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from arena.records.facts import TournamentFact

Report = Callable[[TournamentFact], object]
"""Told of every line of the tournament record."""


def causes(error: BaseException) -> Iterator[BaseException]:
    """The exceptions in a group, however deep; trio groups whatever ends its tasks."""
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from causes(one)
    else:
        yield error
