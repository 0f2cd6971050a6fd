"""Schedules, results and standings (chapter M): pure functions of entrants and results."""

from arena.words import ProblemsError


class TournamentError(ProblemsError, ValueError):
    """A tournament, schedule or result contradicts itself."""
