"""Open files: how many a run needs, and how many are left for unexpected connections."""

from __future__ import annotations

import resource
from typing import Final

from arena.server.door.connection_limits import SPARE
from arena.server.setup.tournament_file import Plan

OF_THE_ARENA: Final = 64
"""The arena's own: standard streams, records of the run, files of its libraries."""
OF_A_TABLE: Final = 2
"""The record, and the same record while it is sealed."""
OF_A_PROGRAM: Final = 8
"""A launched bot's connection, its two output streams, its process, and as many again while its successor starts."""


def needed_files(plan: Plan) -> int:
    """Return how many files a run may have open at once, without unexpected connections."""
    lasting = sum(bot.process == "run" for bot in plan.bot)
    remote = sum(bot.remote for bot in plan.bot)
    at_once = plan.at_once
    return OF_THE_ARENA + at_once * OF_A_TABLE + (2 * at_once + lasting) * OF_A_PROGRAM + remote


def allow_files(plan: Plan) -> int:
    """Raise this process's limit of open files as far as useful and allowed; returns the limit."""
    wanted = needed_files(plan) + 2 * SPARE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return allowed


def spare_connections(plan: Plan, allowed: int) -> int:
    """Return how many unexpected connections each of the two listeners may take with so many files."""
    return max(0, min(SPARE, (allowed - needed_files(plan)) // 2))
