"""How the shell tells whoever runs it what is going on."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from arena.records.facts import TournamentFact

Report = Callable[[TournamentFact | str], object]
"""Told of every line of the tournament record, and of what an operator should know."""


def causes(error: BaseException) -> Iterator[BaseException]:
    """The exceptions in a group, however deep; trio groups whatever ends its tasks."""
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from causes(one)
    else:
        yield error
