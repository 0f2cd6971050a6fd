"""Looks through folders of bots for runs and credentials, and cheaply again before each start of a bot."""

import functools
import os
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.records.files import MATCHES, TOURNAMENT_RECORD
from arena.server.programs.system_files import exists
from arena.server.setup.run_folder import LOCK_FILE, SECRETS_FILE

PRIVATE: Final = (".token", ".key", SECRETS_FILE)
"""How the names of files end that are kept from bots even if no tournament file names them."""
MOST_ENTRIES: Final = 200_000
"""How many files and folders are looked through: a tenth of a second for 100,000."""
MOST_FOLDERS: Final = 20_000
"""How many of these may be folders: each is looked at again before each start, in 2 us."""
MOST_HIDDEN: Final = 10_000
"""How many runs and credentials are told apart."""
SECOND_NS: Final = 1_000_000_000
TICK_NS, COARSE_TICK_NS = SECOND_NS // 50, 2 * SECOND_NS
"""How exactly a file system tells when a folder was changed last; the second one if it tells whole
seconds."""
SETTLE_SECONDS: Final = 1.1 * TICK_NS / SECOND_NS
"""How long after a change a look at a folder is sure to tell it from the next change."""


def is_run(folder: Path) -> bool:
    """Return whether a folder is that of a run, of this arena or another; also of one that begins just now."""
    return _is_run(lambda name: exists(folder / name))


def _is_run(has: Callable[[str], bool]) -> bool:
    return has(TOURNAMENT_RECORD) or (has(LOCK_FILE) and has(MATCHES.rstrip("/")))


def runs_above(path: Path) -> list[Path]:
    """The run folders that a path lies in, itself included."""
    real = path.resolve()
    return [folder for folder in (real, *real.parents) if is_run(folder)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Contents:
    """What a folder held when it was looked through."""

    state: tuple[int, int, int]
    """Its device, its number there, and when it was changed last (ns): entries that come or go
    change it."""
    is_settled: bool
    """Whether a later change would show in the state."""
    is_run: bool
    entries: int
    folders: tuple[str, ...]
    private: tuple[str, ...]
    """The files that look like credentials."""


class FolderWalk:
    """What a folder of a bot holds, with all below it, that the bot may not see.

    Symbolic links are not followed: where they lead a bot sees nothing.
    """

    def __init__(self, folder: Path, passed_over: Collection[Path] = ()) -> None:
        """`passed_over` are places that are hidden already."""
        self._root = str(folder.resolve())
        self._passed_over = set(map(str, passed_over))
        self._known: dict[str, _Contents] = {}
        self._is_too_large = False
        self._hidden: frozenset[Path] = frozenset()

    def look(self) -> frozenset[Path] | None:
        """Return the run folders, and the files that look like credentials; None if it is too large.

        Only folders that were changed since the last look are read again.
        """
        if self._is_too_large:
            return None
        contents: dict[str, _Contents] = {}
        entries = hidden = 0
        waiting = [self._root]
        while waiting:
            place = waiting.pop()
            found = self._contents_of(place)
            if found is None:
                continue
            contents[place] = found
            entries += found.entries
            hidden += found.is_run + len(found.private)
            if entries > MOST_ENTRIES or hidden > MOST_HIDDEN or len(contents) > MOST_FOLDERS:
                self._is_too_large = True
                self._known = {}
                return None
            if not found.is_run:
                below = (os.path.join(place, name) for name in found.folders)  # noqa: PTH118 - 10 times as quick
                waiting.extend(folder for folder in below if folder not in self._passed_over)
        if contents != self._known:
            self._known = contents
            self._hidden = frozenset(_hidden_in(contents))
        return self._hidden

    def _contents_of(self, place: str) -> _Contents | None:
        """Return what a folder holds; None if it has gone, or may not be looked into."""
        try:
            status = os.stat(place, follow_symlinks=False)  # noqa: PTH116 - as above
            state = (status.st_dev, status.st_ino, status.st_ctime_ns)
            known = self._known.get(place)
            if known is not None and known.is_settled and known.state == state:
                return known
            tick_ns = TICK_NS if status.st_ctime_ns % SECOND_NS else COARSE_TICK_NS
            is_settled = time.time_ns() - status.st_ctime_ns > tick_ns
            return _read(place, state, is_settled=is_settled)
        except OSError:
            return None


@functools.cache
def walk_of(folder: Path, passed_over: frozenset[Path]) -> FolderWalk:
    """Return the one walk of this process through a folder: the next run, or chunk of a worker, goes on with it."""
    return FolderWalk(folder, passed_over)


def _read(place: str, state: tuple[int, int, int], *, is_settled: bool) -> _Contents:
    names: set[str] = set()
    folders, private = [], []
    with os.scandir(place) as entries:
        for entry in entries:
            names.add(entry.name)
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            elif entry.name.endswith(PRIVATE):
                private.append(entry.name)
            if len(names) > MOST_ENTRIES:
                break
    return _Contents(
        state=state,
        is_settled=is_settled,
        is_run=_is_run(names.__contains__),
        entries=len(names),
        folders=tuple(folders),
        private=tuple(private),
    )


def _hidden_in(contents: dict[str, _Contents]) -> Iterator[Path]:
    for place, found in contents.items():
        if found.is_run:
            yield Path(place)
            continue
        for name in found.private:
            yield Path(place, name)
