"""The private folder of a running arena, for the socket of its launched bots; removes folders left by killed arenas.

A killed arena cannot remove its folder, so the next one of the same user does. A running arena holds a lock in its
folder, and the system releases the lock when the process ends, however it ends.
"""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

PREFIX: Final = "arena-"
LOCK: Final = "in-use"
SOCKET: Final = "arena.sock"


@contextmanager
def private_folder() -> Iterator[Path]:
    """A new folder with mode 0700 in the system's folder for temporary files, removed at the end. Raises `OSError`.

    First it removes the folders of arenas that were killed.
    """
    with ExitStack() as stack:
        place = Path(tempfile.gettempdir())
        sweep(place)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=PREFIX, dir=place)))
        # lock it before it gets its name, so that nobody ever finds it unlocked
        file = os.open(folder / f"{LOCK}.new", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        stack.callback(os.close, file)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        (folder / f"{LOCK}.new").rename(folder / LOCK)
        yield folder


def sweep(place: Path) -> None:
    """Remove the folders in `place` that killed arenas of this user left behind; when in doubt, a folder stays."""
    for folder in place.glob(f"{PREFIX}*"):
        with suppress(OSError):  # belongs to somebody else, or another arena was quicker
            _remove_left_behind(folder)


def _remove_left_behind(folder: Path) -> None:
    """Remove a folder with the files in it, unless it is in use; follows no link and removes no folder inside.

    Raises `OSError` if it is in use, is not ours, or cannot be removed.
    """
    inside = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        found = os.fstat(inside)
        if found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) != 0o700:
            return
        lock = os.open(LOCK, os.O_RDWR | os.O_NOFOLLOW, dir_fd=inside)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises while its arena lives
            names = os.listdir(inside)  # noqa: PTH208 - a Path cannot be looked into by the number of an open folder
            for name in sorted(names, key=LOCK.__eq__):  # the lock last
                os.unlink(name, dir_fd=inside)
            folder.rmdir()
        finally:
            os.close(lock)
    finally:
        os.close(inside)
