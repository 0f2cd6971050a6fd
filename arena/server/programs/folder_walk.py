"""Search of folders of bots for runs and credentials, repeated before each start of a bot."""

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
"""Endings of files that are hidden from bots even if no tournament file names them."""
MOST_ENTRIES: Final = 200_000
"""Files and folders of one search: a tenth of a second for 100,000."""
MOST_FOLDERS: Final = 20_000
"""Folders among these: each is checked again before each start, in 2 us."""
MOST_HIDDEN: Final = 10_000
"""Runs and credentials that are hidden one by one."""
SECOND_NS: Final = 1_000_000_000
TICK_NS, COARSE_TICK_NS = SECOND_NS // 50, 2 * SECOND_NS
"""Resolution of the time of a folder's last change; the second if it is in whole seconds."""
SETTLE_SECONDS: Final = 1.1 * TICK_NS / SECOND_NS
"""Time after a change until a look at a folder can tell it from the next change."""


def is_run(folder: Path) -> bool:
    """Return whether a folder is a run folder of any arena, even of a run that begins now."""
    return _is_run(lambda name: exists(folder / name))


def _is_run(has: Callable[[str], bool]) -> bool:
    return has(TOURNAMENT_RECORD) or (has(LOCK_FILE) and has(MATCHES.rstrip("/")))


def runs_above(path: Path) -> list[Path]:
    """Return the run folders that a path lies in, itself included."""
    real = path.resolve()
    return [folder for folder in (real, *real.parents) if is_run(folder)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Contents:
    """The contents of a folder when it was read."""

    state: tuple[int, int, int]
    """Its device, its number there, and the time of its last change (ns)."""
    is_settled: bool
    """True if a later change would show in the state."""
    is_run: bool
    entries: int
    folders: tuple[str, ...]
    private: tuple[str, ...]
    """The files that look like credentials."""


class FolderWalk:
    """The files in a folder of a bot, and below, that the bot may not see.

    Symbolic links are not followed: a bot sees nothing through them.
    """

    def __init__(
        self,
        folder: Path,
        passed_over: Collection[Path] = (),
    ) -> None:
        """Begin with a folder; `passed_over` are places that are hidden already."""
        self._root = str(folder.resolve())
        self._passed_over = set(map(str, passed_over))
        self._known: dict[str, _Contents] = {}
        self._is_too_large = False
        self._hidden: frozenset[Path] = frozenset()

    def look(self) -> frozenset[Path] | None:
        """Return the run folders, and the files that look like credentials; None if too large.

        Only folders that were changed since the last look are read again.
        """
        if self._is_too_large:
            return None
        contents = self._contents_of_all()
        if contents is None:
            self._is_too_large = True
            self._known = {}
            return None
        if contents != self._known:
            self._known = contents
            self._hidden = frozenset(_hidden_in(contents))
        return self._hidden

    def _contents_of_all(self) -> dict[str, _Contents] | None:
        """Return the contents of all folders; None if there are too many."""
        all_contents: dict[str, _Contents] = {}
        entries = hidden = 0
        waiting = [self._root]
        while waiting:
            place = waiting.pop()
            contents = self._contents_of(place)
            if contents is None:
                continue
            all_contents[place] = contents
            entries += contents.entries
            hidden += contents.is_run + len(contents.private)
            if entries > MOST_ENTRIES or hidden > MOST_HIDDEN or len(all_contents) > MOST_FOLDERS:
                return None
            if contents.is_run:
                continue
            for name in contents.folders:
                folder = os.path.join(place, name)  # noqa: PTH118 - 10 times as quick
                if folder not in self._passed_over:
                    waiting.append(folder)
        return all_contents

    def _contents_of(self, place: str) -> _Contents | None:
        """Return what a folder holds; None if it has gone, or cannot be read."""
        try:
            status = os.stat(place, follow_symlinks=False)  # noqa: PTH116 - as above
            state = (status.st_dev, status.st_ino, status.st_ctime_ns)
            known_contents = self._known.get(place)
            if (
                known_contents is not None
                and known_contents.is_settled
                and known_contents.state == state
            ):
                return known_contents
            is_in_seconds = status.st_ctime_ns % SECOND_NS == 0
            tick_ns = COARSE_TICK_NS if is_in_seconds else TICK_NS
            is_settled = time.time_ns() - status.st_ctime_ns > tick_ns
            return _read(place, state, is_settled=is_settled)
        except OSError:
            return None


@functools.cache
def walk_of(folder: Path, passed_over: frozenset[Path]) -> FolderWalk:
    """Return the one walk of this process through a folder, for all its runs and chunks."""
    return FolderWalk(folder, passed_over)


def _read(
    place: str,
    state: tuple[int, int, int],
    *,
    is_settled: bool,
) -> _Contents:
    """Read the entries of a folder, at most `MOST_ENTRIES`."""
    names: set[str] = set()
    folders = []
    private = []
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
    """Yield what must be hidden: whole run folders, and private files elsewhere."""
    for place, folder in contents.items():
        if folder.is_run:
            yield Path(place)
            continue
        for name in folder.private:
            yield Path(place, name)
