"""Lines of JSON between the processes of a venue, each over a pipe.

Standard input of a process ends when the one that started it is gone, however that ended. So no
process outlives the one above it.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import msgspec
import trio

MOST_UNSENT_BYTES: Final = 1 << 18
"""Lines for a reader that does not read, as it was stopped; later ones are left out."""
END_SECONDS: Final = 5.0
"""For a process to end with its standard input; then it is killed."""


class LineSender:
    """Writes lines to a pipe, and never waits for their reader."""

    def __init__(self, number: int) -> None:
        """Write to the file with this number, which no other process writes to."""
        os.set_blocking(number, False)
        self._number = number
        self._unsent = b""

    def send(self, message: msgspec.Struct) -> None:
        """Send a message as one line."""
        self.send_line(msgspec.json.encode(message) + b"\n")

    def send_line(self, line: bytes) -> None:
        """Send a line whole, or leave it out if there is no room for it."""
        if len(self._unsent) + len(line) <= MOST_UNSENT_BYTES:
            self._unsent += line
        # a reader that is gone is noticed by its end, or by that of standard input
        with suppress(BlockingIOError, BrokenPipeError):
            count = os.write(self._number, self._unsent)
            self._unsent = self._unsent[count:]


def follow_input(hear: Callable[[bytes], object], end: Callable[[], object]) -> None:
    """Read standard input in a thread, which calls `hear` for each line.

    At its end trio's loop calls `end`. If this process is still there some seconds later, it is
    killed.
    """
    token = trio.lowlevel.current_trio_token()

    def read() -> None:
        with suppress(trio.RunFinishedError):  # the loop has ended already
            with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as lines:
                for line in lines:
                    hear(line)
            trio.from_thread.run_sync(end, trio_token=token)
        time.sleep(END_SECONDS)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=read, daemon=True).start()


def end_with_input() -> None:
    """End this process, which has no loop, at once when its standard input ends."""

    def read() -> None:
        sys.stdin.buffer.read()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=read, daemon=True).start()
