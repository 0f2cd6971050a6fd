"""What an operator or a caller got wrong about a tournament, as one list of problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class TournamentError(ValueError):
    """A tournament, a schedule or a result that contradicts itself; `problems` has a sentence per fault."""

    problems: tuple[str, ...]

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))
