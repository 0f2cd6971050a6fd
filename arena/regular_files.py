"""Files from other people: only regular files are opened, up to a largest size.

So no reader waits for a pipe without a writer, and no endless device fills the memory.
"""

import errno
import os
import stat
from pathlib import Path
from typing import Final

from arena.words import Said, SaidError, say
from arena.words.system_errors import system_reason

WRITTEN_BYTES: Final = 1 << 20
"""The largest file that people write: a tournament file, a certificate with its chain."""
_UNIX: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
"""Opening neither waits nor takes the terminal."""
_WINDOWS: Final = getattr(os, "O_BINARY", 0)
"""Line feeds stay as they are."""
_NO_NAME: Final = Said("file.no_name")
_NOT_REGULAR: Final = Said("file.not_regular")


class FileError(SaidError, OSError):
    """A file cannot be used for a reason of the arena, which is `said`, not of the system."""

    def __init__(self, number: int | None, reason: Said, name: str) -> None:
        OSError.__init__(self, number, say(reason), name)
        self.said = reason


class NotRegularError(FileError):
    """Something else than a regular file is there: a pipe, a device, a socket, a folder."""

    def __init__(self, name: str, reason: Said = _NOT_REGULAR) -> None:
        super().__init__(errno.EINVAL, reason, name)


class TooLargeError(FileError):
    """A file is larger than any file of its kind."""

    def __init__(self, name: str, most_bytes: int) -> None:
        super().__init__(errno.EFBIG, Said("file.too_large", {"number": most_bytes}), name)


def failed(error: OSError) -> Said:
    """Say which file was refused, and why; the reason alone where the error names no file."""
    reason = system_reason(error)
    if error.filename is None:
        return reason
    return Said("file.failed", {"file": os.fsdecode(error.filename), "reason": reason})


def open_regular(
    path: str | Path,
    flags: int = os.O_RDONLY,
    mode: int = 0o640,
    *,
    folder: int | None = None,
) -> int:
    """Open a regular file and return its number. Raises `OSError`.

    The path may begin in an open folder.
    """
    try:
        file = os.open(path, flags | _UNIX | _WINDOWS, mode, dir_fd=folder)
    except ValueError as error:  # a NUL, or what the system's names cannot hold
        raise FileError(errno.EINVAL, _NO_NAME, str(path)) from error
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket, or a pipe without a reader
            raise NotRegularError(str(path)) from error
        raise
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise NotRegularError(str(path))
    return file


def read_regular(path: Path, most_bytes: int = WRITTEN_BYTES) -> bytes:
    """Read a regular file whole, if it is not larger than this. Raises `OSError`."""
    with os.fdopen(open_regular(path), "rb") as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise TooLargeError(str(path), most_bytes)
    return content


def why_missing(path: Path) -> Said | None:
    """Return why there is nothing at a path; None if there is a file or a folder."""
    try:
        path.stat()
    except FileNotFoundError:
        return Said("file.missing")
    except OSError as error:  # a circle of links, a name that is too long
        return system_reason(error)
    except ValueError:
        return _NO_NAME
    return None
