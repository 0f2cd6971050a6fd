"""Writing to the disk of the operator: its errors end the run, all others of the system concern one connection."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


class DiskError(OSError):
    """The disk does not take what has to be kept. Nothing may go on that is not on record, so the run ends."""


@contextmanager
def kept_on_disk() -> Iterator[None]:
    """Raise every `OSError` of the block as a `DiskError`."""
    try:
        yield
    except OSError as error:
        raise DiskError(error.errno, error.strerror, error.filename) from error


def write_all(file: int, data: bytes) -> None:
    """Write every byte, even if the system takes them in parts. Raises `OSError`."""
    while data:
        data = data[os.write(file, data) :]
