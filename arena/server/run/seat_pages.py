"""The pages with the seats of persons: a process that the arena starts again whenever it ends.

The arena holds the socket that the pages listen on. So no other program can take their port,
browsers that connect between two processes wait, and links stay as they are. The pages get an
`Order` on standard input, which stays open as long as the arena is there. They write `SERVING` to
standard output once they can be opened.
"""

import os
import socket
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import msgspec
import trio

from arena.server.io.disk import write_all
from arena.server.io.operator_log import Log
from arena.server.programs.program import how_it_ended
from arena.server.setup.seat_order import SERVING, SeatOrder
from arena.words import Said, SaidError

SERVE_SECONDS: Final = 60.0
"""Far longer than the pages take to be ready, even on a busy machine."""
PAUSE_SECONDS: Final = 0.1
"""Pause before pages that have ended are started again; they need about a second to be ready."""
STARTS: Final = 3
"""Starts in a row that may fail. After them the run ends: no person may lose a match to pages that
cannot be served."""
END_SECONDS: Final = 1.0
"""For a process whose output has ended to be gone."""
READ_BYTES: Final = 4096


class PagesError(SaidError):
    """The seats of persons cannot be served; the run can go on later."""


@dataclass(eq=False)
class SeatPages:
    """The pages of one run."""

    command: Sequence[str]
    """Serves them; its last argument will be the number of the listening socket."""
    listener: socket.socket
    tell: Callable[[SeatOrder], object]
    """Gets the order once the pages can be opened for the first time."""
    process: subprocess.Popen[bytes] | None = None
    """The last process. It outlives the run, until its input is closed or it is told to end."""
    _has_served: bool = False

    async def keep(
        self,
        make_order: Callable[[], SeatOrder],
        log: Log,
        *,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Serve for ever, by one process after the other; `started` once the pages can be opened.

        Each process gets an order of its own. Raises `PagesError`.
        """
        failures = 0
        how = Said("program.unknown")
        while failures < STARTS:
            order = make_order()
            process = self._start(order)
            if await _serves(process):
                failures = 0
                if self._has_served:
                    log.info("pages_served_again")
                else:
                    self._has_served = True
                    self.tell(order)
                    task_status.started()
                while await _next_output(process):
                    pass  # until it has ended
            else:
                failures += 1
                process.kill()
            how = await _ended(process)
            log.warning("pages_ended", reason=how)
            await trio.sleep(PAUSE_SECONDS)
        raise PagesError(Said("pages.not_served", {"count": STARTS, "how": how}))

    def _start(self, order: SeatOrder) -> subprocess.Popen[bytes]:
        """Start a process in a group of its own: Ctrl-C ends the run first."""
        number = self.listener.fileno()
        self.process = subprocess.Popen(  # noqa: S603 - our own words
            [*self.command, str(number)],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=[number],
            start_new_session=True,
        )
        assert self.process.stdin is not None, "it is a pipe"
        with suppress(BrokenPipeError):  # it has ended already, which is noticed below
            write_all(self.process.stdin.fileno(), msgspec.json.encode(order) + b"\n")
        return self.process


async def _serves(process: subprocess.Popen[bytes]) -> bool:
    """Wait until the pages can be opened; returns False if they never can."""
    printed = b""
    with trio.move_on_after(SERVE_SECONDS):
        while part := await _next_output(process):
            printed += part
            if printed.endswith(SERVING):
                return True
    return False


async def _next_output(process: subprocess.Popen[bytes]) -> bytes:
    """Wait for the next output of a process; empty once it has ended."""
    assert process.stdout is not None, "it is a pipe"
    await trio.lowlevel.wait_readable(process.stdout.fileno())
    return os.read(process.stdout.fileno(), READ_BYTES)


async def _ended(process: subprocess.Popen[bytes]) -> Said:
    """Wait until a process is gone; returns how it ended."""
    with trio.move_on_after(END_SECONDS):
        while process.poll() is None:  # noqa: ASYNC110 - a moment, and no event tells of the end
            await trio.sleep(0.01)
    process.kill()
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None, "it is a pipe"
        pipe.close()
    return how_it_ended(process.wait())
