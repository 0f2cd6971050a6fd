"""What somebody may have put in the place of a file in a run folder, and what must not happen then."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Final

OUTSIDE: Final = b'{"event":"tournament_opened"} of no run\n'
PATIENCE_SECONDS: Final = 20
"""Far longer than anything takes that does not wait for ever."""
TERABYTE: Final = 1 << 40


def _bound_socket(place: Path) -> None:
    with chdir(place.parent), socket.socket(socket.AF_UNIX) as found:
        found.bind(place.name)  # a whole path could be too long for the system


def _endless(place: Path) -> None:
    place.touch()
    os.truncate(place, TERABYTE)  # nothing of it is on the disk


_MADE: Final[dict[str, Callable[[Path], None]]] = {
    "a pipe": os.mkfifo,
    "a socket": _bound_socket,
    "a folder": os.mkdir,
    "no line feed": _endless,
}
_LED_TO: Final = {
    "a link to a file": "../outside/file",
    "a link to a folder": "../outside",
    "a link to nothing": "../outside/new",
    "a link to zeros": "/dev/zero",
}
KINDS: Final = (*_MADE, *_LED_TO)


class Strange:
    """A folder with a run in it, and a file and a folder beside it that are none of the run."""

    def __init__(self, folder: Path) -> None:
        self.run = folder / "run"
        self.run.mkdir()
        self._outside = folder / "outside"
        self._outside.mkdir()
        (self._outside / "file").write_bytes(OUTSIDE)

    def put(self, kind: str, name: str) -> None:
        """Put something else in the place of a file or a folder of the run."""
        place = self.run / name
        if os.path.lexists(place):
            place.rename(self.run.parent / f"was-{place.name}")
        place.parent.mkdir(exist_ok=True)
        if kind in _MADE:
            _MADE[kind](place)
        else:
            place.symlink_to(Path(*[".."] * name.count("/"), _LED_TO[kind]))

    def assert_unharmed(self) -> None:
        """What is beside the run is as it was."""
        assert [path.name for path in self._outside.iterdir()] == ["file"]
        assert (self._outside / "file").read_bytes() == OUTSIDE


@contextmanager
def soon_over() -> Iterator[None]:
    """Nothing in here may wait for ever."""

    def give_up(*_: object) -> None:
        raise TimeoutError("it waits for ever")

    handler = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)
