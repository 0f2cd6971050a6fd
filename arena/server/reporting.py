"""How the shell tells whoever runs it what is going on."""

from __future__ import annotations

from collections.abc import Callable

from arena.records.facts import TournamentFact

Report = Callable[[TournamentFact | str], object]
"""Told of every line of the tournament record, and of what an operator should know."""
