"""Bugs of the arena itself: the operator gets the traceback, nobody else does."""

from __future__ import annotations

from typing import Final

from arena.server.io.operator_log import Log

FAILED: Final = "the arena itself failed"
"""The reason given for a match that is void through such a bug; bots and the record get no more than this."""


def log_failure(log: Log, error: Exception) -> None:
    """Log an unexpected exception for the operator, with its traceback."""
    log.error("arena_failed", error=type(error).__name__, exc_info=error)
