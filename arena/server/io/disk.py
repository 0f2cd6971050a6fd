"""The operator's disk, and the one way to open files inside a run folder, perhaps a stranger's.

Links in the path to the folder are followed, but no link inside it. Only regular files are opened:
nothing in the folder can lead to another file, keep a reader waiting, or have no end.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from arena.regular_files import FileError, NotRegularError, open_regular
from arena.words import Said
from arena.words.system_errors import system_reason

LONGEST_LINE_BYTES: Final = 1 << 20
"""Longest line of a file in a run: far more than the arena writes."""
_OF_OTHER_KINDS: Final = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EISDIR})
"""Errors of the system: a link, a file in the place of a folder, a folder."""
_NOT_OF_THE_RUN: Final = Said("file.not_of_the_run")


class DiskError(FileError):
    """The disk does not take what has to be kept.

    Nothing may go on that is not on record, so the run ends.
    """


@contextmanager
def kept_on_disk(path: Path | None = None) -> Iterator[None]:
    """Raise every `OSError` of the block as a `DiskError`, of `path` if the system names none."""
    try:
        yield
    except OSError as error:
        file = error.filename or str(path)
        raise DiskError(error.errno, system_reason(error), file) from error


def write_all(file: int, unwritten: bytes) -> None:
    """Write every byte, even if the system takes them in parts. Raises `OSError`."""
    while unwritten:
        count = os.write(file, unwritten)
        unwritten = unwritten[count:]


class LongLineError(FileError):
    """A file has a line that is longer than any line of ours."""

    def __init__(self, name: str) -> None:
        reason = Said("file.long_line", {"number": LONGEST_LINE_BYTES})
        super().__init__(errno.EFBIG, reason, name)


def open_inside(folder: Path, name: str, flags: int = os.O_RDONLY) -> int:
    """Open a regular file by its name in a run, `matches/r1-anna-v-bo.jsonl`; returns its number.

    Raises `OSError`.
    """
    with _place_of(folder, name) as (place, last):
        return open_regular(last, flags | os.O_NOFOLLOW, 0o640, folder=place)


def read_inside(folder: Path, name: str) -> bytes:
    """Read a file of lines in a run whole. Raises `OSError`."""
    return _lines(open_inside(folder, name), name)


def read_lines(path: Path) -> bytes:
    """Read a file of lines outside of a run whole. Raises `OSError`."""
    return _lines(open_regular(path), str(path))


def names_in(folder: Path, inner: str) -> list[str]:
    """Return the names of all in a folder of the run; none if it is not there. Raises `OSError`."""
    try:
        with _place_of(folder, f"{inner}/x") as (place, _):
            return os.listdir(place)  # noqa: PTH208 - by its number
    except (FileNotFoundError, NotADirectoryError):
        return []


def write_inside(
    folder: Path,
    name: str,
    content: bytes,
    *,
    mode: int,
) -> None:
    """Write a file so that it is there whole or not at all, even if the arena is stopped.

    A folder of the run is made if it is not there. Raises `OSError`.
    """
    with _place_of(folder, name, makes=True) as (place, last):
        new = f"{last}.new"
        with suppress(FileNotFoundError):
            os.unlink(new, dir_fd=place)  # a killed arena has left it
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        file = os.open(new, flags, mode, dir_fd=place)
        try:
            os.fchmod(file, mode)  # the umask may have taken bits away
            write_all(file, content)
            os.fsync(file)
        finally:
            os.close(file)
        os.replace(new, last, src_dir_fd=place, dst_dir_fd=place)
        os.fsync(place)


@contextmanager
def _place_of(folder: Path, name: str, *, makes: bool = False) -> Iterator[tuple[int, str]]:
    """Open the folder that a file is in; yields it, and the last part of the file's name."""
    *inner, last = name.split("/")
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        parts = {*inner, last}
        if not parts.isdisjoint({"", ".", ".."}):
            raise NotRegularError(name)
        for part in inner:
            if makes:
                with suppress(FileExistsError):
                    os.mkdir(part, 0o750, dir_fd=place)
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
            inside = os.open(part, flags, dir_fd=place)
            os.close(place)
            place = inside
        yield place, last
    except OSError as error:
        if isinstance(error, NotRegularError) or error.errno in _OF_OTHER_KINDS:
            raise NotRegularError(name, _NOT_OF_THE_RUN) from error
        raise
    finally:
        os.close(place)


def _lines(file: int, name: str) -> bytes:
    """Read an open file of lines whole, and close it."""
    try:
        return b"".join(_pieces(file, name))
    finally:
        os.close(file)


def _pieces(file: int, name: str) -> Iterator[bytes]:
    """Yield the bytes of a file.

    Raises `LongLineError` before much of a line that is too long is read.
    """
    line_bytes = 0  # of the line that goes on in the next piece
    while piece := os.read(file, LONGEST_LINE_BYTES):
        first_end = piece.find(b"\n")
        has_end = first_end >= 0
        line_bytes += first_end if has_end else len(piece)
        if line_bytes > LONGEST_LINE_BYTES:
            raise LongLineError(name)
        if has_end:
            line_bytes = len(piece) - piece.rfind(b"\n") - 1
        yield piece
