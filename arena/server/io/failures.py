"""What the arena itself did wrong: told to the operator with its traceback, and to nobody else."""

from __future__ import annotations

from typing import Final

from arena.server.io.operator_log import Log

FAILED: Final = "the arena itself failed"
"""Why a match is void in which it did; told to the bots and kept in the record, which say no more than that."""


def log_failure(log: Log, error: Exception) -> None:
    """Tell the operator of an exception that nobody expected; where it came from is written down."""
    log.error("arena_failed", error=type(error).__name__, exc_info=error)
