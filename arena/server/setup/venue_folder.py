"""The folder of a venue, which one `arena serve` has at a time."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from arena.records.files import VENUE_RECORD
from arena.server.io.disk import open_inside
from arena.words import Said, SaidError

RUNS: Final = "runs"
VENUE_FILE: Final = "venue.toml"
OPERATOR_LOG: Final = "operator.jsonl"
LOCK: Final = "lock"
OURS: Final = frozenset({RUNS, VENUE_FILE, VENUE_RECORD, OPERATOR_LOG})
"""One of these is in the folder of every venue."""
LET_GO_SECONDS: Final = 20.0
"""A referee whose parent was killed ends within 5 seconds, later on a busy machine, and only then
lets go of the lock."""
LOOK_SECONDS: Final = 0.05


class VenueFolderError(SaidError):
    """The folder cannot be served; says what was found and what to do."""


class VenueFolder:
    """The places in the folder of a venue."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.runs = path / RUNS
        self.operator_log = path / OPERATOR_LOG

    @contextmanager
    def locked(self) -> Iterator[int]:
        """Make the folder if it is not there, and lock it; yields the file that holds the lock.

        The lock holds as long as this file is open in some process. Raises `VenueFolderError`, and
        `OSError` if the folder cannot be written.
        """
        self._refuse_other_files()
        self.runs.mkdir(mode=0o750, parents=True, exist_ok=True)
        file = open_inside(self.path, LOCK, os.O_RDWR | os.O_CREAT)
        try:
            self._lock(file)
            os.ftruncate(file, 0)
            os.pwrite(file, str(os.getpid()).encode(), 0)
            yield file
        finally:
            os.close(file)

    def _refuse_other_files(self) -> None:
        """Raise `VenueFolderError` if the path holds something else than a venue."""
        if not self.path.exists():
            return
        if not self.path.is_dir():
            raise VenueFolderError(Said("venue_folder.no_folder", {"folder": str(self.path)}))
        names = {path.name for path in self.path.iterdir()}
        if names - {LOCK} and not names & OURS:
            values = {"folder": str(self.path), "found": min(names)}
            raise VenueFolderError(Said("venue_folder.other_files", values))

    def _lock(self, file: int) -> None:
        end = time.monotonic() + LET_GO_SECONDS
        while True:
            try:
                return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                process = os.pread(file, 20, 0).decode(errors="replace")
                if _is_there(process) or time.monotonic() > end:
                    values = {"folder": str(self.path), "process": process}
                    raise VenueFolderError(Said("venue_folder.served", values)) from error
            time.sleep(LOOK_SECONDS)


def _is_there(process: str) -> bool:
    """Return whether there is a process with this number."""
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except (ValueError, OverflowError, OSError):
        return True  # it has just taken the lock, or is of another user
    return True
