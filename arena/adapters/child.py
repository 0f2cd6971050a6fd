"""The program behind an adapter, which is started in its own process group and ended with it."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from arena.own_programs import find_program

END_SECONDS: Final = 0.4
"""Time that it may take to end by itself, and again after SIGTERM.

Together it is less than the arena gives the adapter.
"""
_LOOK_SECONDS: Final = 0.01
_PR_SET_PDEATHSIG: Final = 1


class AdapterError(Exception):
    """The program behind the adapter cannot be started or cannot go on; says why and what to do."""


class Child:
    """A process with its group; `end` leaves nothing of it running."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        stdin: int,
        stdout: Any,
        stderr: Any = None,
        environment: Mapping[str, str] | None = None,
        directory: Path | None = None,
    ) -> None:
        """Start it; without `environment` it gets ours. On Linux it is killed if we are.

        Raises `AdapterError`.
        """
        name, *arguments = command
        die_with_us = None
        if sys.platform == "linux":
            prctl = ctypes.CDLL(None).prctl

            def die_with_us() -> None:
                prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)

        try:
            self.process = subprocess.Popen(  # noqa: S603 - the program that the user names
                [find_program(name) or name, *arguments],
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                env=environment,
                cwd=directory,
                start_new_session=True,
                preexec_fn=die_with_us,  # noqa: PLW1509 - one thread, and only one system call
            )
        except OSError as error:
            raise AdapterError(
                f"the program {name!r} cannot be started: {error.strerror or error}; "
                "give a program that is there, as a path or by a name found through PATH"
            ) from error

    def has_ended(self, within_s: float = 0) -> bool:
        """Return whether it has ended, or ends in this time.

        It is not reaped, so that its number still identifies its group.
        """
        give_up = time.monotonic() + within_s
        while os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if time.monotonic() >= give_up:
                return False
            time.sleep(_LOOK_SECONDS)
        return True

    def end(self, patience_s: float = END_SECONDS) -> None:
        """End it: wait a moment, then send SIGTERM and SIGKILL to its whole group.

        May be called twice.
        """
        if self.process.returncode is not None:
            return
        if self.process.stdin is not None:
            self.process.stdin.close()
        if not self.has_ended(patience_s):
            self._signal(signal.SIGTERM)
            self.has_ended(END_SECONDS)
        self._signal(signal.SIGKILL)
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def _signal(self, number: signal.Signals) -> None:
        """Signal the group, which exists as long as the program is not reaped."""
        with suppress(PermissionError):  # some systems raise it for a group in which all have ended
            os.killpg(self.process.pid, number)

    def how_it_ended(self) -> str:
        """Describe its end, to put after "the program ": `ended with exit status 1`.

        It must have ended.
        """
        status = os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        assert status is not None, "without WNOHANG it waits"
        if status.si_code == os.CLD_EXITED:
            return f"ended with exit status {status.si_status}"
        return f"was ended by signal {signal.Signals(status.si_status).name}"


def leave_in_order() -> None:
    """Let SIGTERM end this program like SystemExit, so that its child is ended, too."""
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
