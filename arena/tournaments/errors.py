"""The error for problems with a tournament, which lists all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class TournamentError(ValueError):
    """A tournament, schedule or result contradicts itself; `problems` has a sentence for each fault."""

    problems: tuple[str, ...]

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))
