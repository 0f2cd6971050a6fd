"""Schedules, results and standings: pure functions of entrants, schedule and results (chapter M)."""

from arena.words import ProblemsError


class TournamentError(ProblemsError, ValueError):
    """A tournament, schedule or result contradicts itself."""
