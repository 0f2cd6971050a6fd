"""What the arena itself did wrong: told to the operator with its traceback, and to nobody else."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Final

MOST_FAILURES: Final = 100
"""So many are written down; a bot that has found out how to provoke one must not fill the disk."""
FAILED: Final = "the arena itself failed"
"""Why a match is void in which it did; told to the bots and kept in the record, which say no more than that."""


class FailureLog:
    """The file in which unexpected exceptions are written down; made with the first of them."""

    def __init__(self, path: Path, report: Callable[[str], object]) -> None:
        self._path = path
        self._report = report
        self._number = 0

    def note(self, error: Exception) -> None:
        """Write down where an exception came from, and tell the operator. Raises `OSError`."""
        self._number += 1
        if self._number > MOST_FAILURES:
            return
        self._path.touch(mode=0o600)  # the words of an exception may hold anything
        with self._path.open("a", encoding="utf-8") as file:
            file.writelines([*traceback.format_exception(error), "\n"])
        self._report(
            f"ERROR: the arena itself failed ({type(error).__name__}); a match it failed in is void and played "
            f"again. Please report what is in {self._path}"
        )
