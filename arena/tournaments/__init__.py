"""Schedules, results and standings: pure functions of entrants, schedule and results (chapter M)."""

from collections.abc import Iterable


class TournamentError(ValueError):
    """A tournament, schedule or result contradicts itself; `problems` has a sentence for each fault."""

    problems: tuple[str, ...]

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))
