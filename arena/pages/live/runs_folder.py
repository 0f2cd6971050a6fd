"""The runs in a folder: what stands there now, found without reading a record.

Links are not followed, and folders whose names begin with a dot are not looked into. What is inside
of a run is not looked into either: no run lies in another.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.records.files import TOURNAMENT_FILE, TOURNAMENT_RECORD

DEEPEST: Final = 6
"""Folders between the one that is watched and a run, this one included: `2026/autumn/friday`."""
MOST_RUNS: Final = 100_000
MOST_FOLDERS: Final = 200_000
"""Folders that are looked into, runs included; more cannot be runs of a club."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRun:
    """A folder with a run, and how its tournament record stands."""

    folder: str
    """Below the folder that is watched, `2026/friday`."""
    stamp: str
    """Another one whenever the record has changed; empty if there is no record yet."""
    changed_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRuns:
    """All runs in a folder."""

    runs: dict[str, FoundRun]
    left_out: int
    """Folders that were not looked into: too many, too deep, not readable, or with a name that is
    no text."""


def find_runs(folder: Path, most: int = MOST_RUNS) -> FoundRuns:
    """Look for runs, at most this number, in a folder and in those below it."""
    search = _Search(folder, most)
    search.look()
    return FoundRuns(runs=search.runs, left_out=search.left_out)


def stamp_of(folder: Path) -> str:
    """Return the stamp of the record in the folder of a run; empty if there is none."""
    try:
        status = (folder / TOURNAMENT_RECORD).lstat()
    except OSError:
        return ""
    return _stamp(status)


def _stamp(status: os.stat_result) -> str:
    parts = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_mode)
    return " ".join(map(str, parts))


class _Search:
    """One look through a folder, without recursion."""

    def __init__(self, folder: Path, most: int) -> None:
        self._folder = folder
        self._most = most
        self._waiting: list[tuple[str, int]] = [("", 0)]
        """Folders to look into, each with its depth."""
        self._looked = 0
        self.runs: dict[str, FoundRun] = {}
        self.left_out = 0

    def look(self) -> None:
        """Look into every folder that waits, and into those found on the way."""
        while self._waiting:
            name, depth = self._waiting.pop()
            if self._looked >= MOST_FOLDERS or len(self.runs) >= self._most:
                self.left_out += 1 + len(self._waiting)
                return
            self._looked += 1
            try:
                if depth and self._take_run(name):
                    continue
                inner = list(self._folders_in(name))
            except (OSError, UnicodeEncodeError):
                self.left_out += 1
                continue
            if depth == DEEPEST:
                self.left_out += len(inner)
                continue
            self._waiting += [(path, depth + 1) for path in inner]

    def _take_run(self, name: str) -> bool:
        """Note the run in this folder; False if it has none.

        Raises `OSError`, and `UnicodeEncodeError` for a name that is no text.
        """
        name.encode()
        place = self._folder / name
        try:
            status = (place / TOURNAMENT_RECORD).lstat()
            stamp = _stamp(status)
        except FileNotFoundError:
            stamp = ""
            try:
                status = (place / TOURNAMENT_FILE).lstat()  # a run that is about to begin
            except FileNotFoundError:
                return False
        self.runs[name] = FoundRun(
            folder=name,
            stamp=stamp,
            changed_ms=status.st_mtime_ns // 1_000_000,
        )
        return True

    def _folders_in(self, name: str) -> Iterator[str]:
        with os.scandir(self._folder / name) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                    yield f"{name}/{entry.name}" if name else entry.name
