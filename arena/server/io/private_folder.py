"""The private folder of a running arena or worker.

A killed arena cannot remove its folder, so the next one of the same user does. A running arena
holds a lock in its folder, which the system releases when the process ends, however it ends.
"""

import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

PREFIX: Final = "arena-"
CHUNK: Final = f"{PREFIX}chunk-"
"""For the records of a worker's chunk."""
LOCK: Final = "in-use"
NEW_LOCK: Final = f"{LOCK}.new"
SECONDS_TO_MAKE: Final = 60
"""Far longer than it takes to make a folder and lock it."""
SOCKET: Final = "arena.sock"


@contextmanager
def private_folder(prefix: str = PREFIX) -> Iterator[Path]:
    """Make a folder with mode 0700 in the system's temporary folder; remove it at the end.

    First remove the folders of this user's arenas that were killed; when in doubt, a folder stays.
    Raises `OSError`.
    """
    with ExitStack() as stack:
        place = Path(tempfile.gettempdir())
        for abandoned in place.glob(f"{PREFIX}*"):
            with suppress(OSError):  # it is another user's, or another arena was quicker
                _remove_left_behind(abandoned)
        temporary = tempfile.TemporaryDirectory(prefix=prefix, dir=place)
        folder = Path(stack.enter_context(temporary))
        # locked before it has its name: no other arena may ever see it unlocked
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        file = os.open(folder / NEW_LOCK, flags, 0o600)
        stack.callback(os.close, file)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        (folder / NEW_LOCK).rename(folder / LOCK)
        yield folder


def _remove_left_behind(folder: Path) -> None:
    """Remove a folder and all that is in it, unless it is in use. Follows no link.

    Raises `OSError` if it is in use, is not ours, or cannot be removed.
    """
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    inside = os.open(folder, flags)
    try:
        status = os.fstat(inside)
        mode = stat.S_IMODE(status.st_mode)
        if status.st_uid != os.getuid() or mode != 0o700:
            return
        name = LOCK
        age_seconds = time.time() - status.st_mtime
        names = os.listdir(inside)  # noqa: PTH208 - by its number
        if age_seconds > SECONDS_TO_MAKE and names == [NEW_LOCK]:
            name = NEW_LOCK  # its arena was killed before it had the other name
        lock = os.open(name, os.O_RDWR | os.O_NOFOLLOW, dir_fd=inside)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises while its arena lives
            shutil.rmtree(folder)
        finally:
            os.close(lock)
    finally:
        os.close(inside)
