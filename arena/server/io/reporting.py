"""How the shell reports to its caller what is going on, and what ended it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from arena.records.facts import TournamentFact

Report = Callable[[TournamentFact], object]
"""Called with every line of the tournament record."""


def causes(error: BaseException) -> Iterator[BaseException]:
    """The exceptions in a group, however deep; trio groups the exceptions that end its tasks."""
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from causes(one)
    else:
        yield error
