"""`arena serve` for tests, with a referee of theirs; and the processes below it."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import psutil

from arena.pages.live import VENUE_PAGES
from arena.server.setup.venue_folder import VenueFolder
from arena.services import serving
from arena.words import SaidError
from tests.processes import await_true, is_running

REPOSITORY = Path(__file__).parents[2]
NOTHING = "tests.services.idle_referee"
PATIENCE_S = 60


def serve_here(folder: str, referee: str) -> None:
    """Serve with the module of a referee; tell on standard output what the operator is told."""

    def tell(message: object) -> None:
        os.write(sys.stdout.fileno(), json.dumps(message).encode() + b"\n")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        venue_folder = VenueFolder(Path(folder))
        where = json.dumps(["127.0.0.1:0", False, []])
        try:
            with venue_folder.locked() as lock:
                serving.REFEREE = (sys.executable, "-m", referee)
                serving.serve(
                    venue_folder,
                    lock,
                    "http://127.0.0.1/",
                    [sys.executable, "-m", VENUE_PAGES, folder, where],
                    listener.fileno(),
                    lambda opened: tell([listener.getsockname()[1], opened.door, opened.invite]),
                    tell,
                )
        except SaidError as error:
            sys.exit(str(error))


class Served:
    """A venue that is being served."""

    def __init__(self, folder: Path, referee: str = NOTHING) -> None:
        self.folder = folder
        self._referee = referee
        self.parent = subprocess.Popen(
            [sys.executable, "-m", "tests.services.served", str(folder), referee],
            cwd=REPOSITORY,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,  # what was told is not read ahead, so that it can be waited for
        )
        self.processes = {psutil.Process(self.parent.pid)}
        """All that it had at some time; one that has ended is not taken for a later one."""
        self.port = 0
        self.opened: list[Any] = []

    def await_open(self) -> None:
        """Wait until the operator is told that it is open."""
        assert self.parent.stdout is not None
        while not self.opened:
            told, _, _ = select.select([self.parent.stdout], [], [], PATIENCE_S)
            assert told, "it has not opened in time"
            line = self.parent.stdout.readline()
            assert line, "it has ended"
            message = json.loads(line)
            if isinstance(message, list):
                self.opened = message
        self.port = self.opened[0]

    def child(self, part: str) -> int:
        """The running child with this in its command line; waits until there is one."""
        pids: list[int] = []

        def look() -> list[int]:
            pids[:] = [pid for pid in self._children() if part in _command_line(pid)]
            return pids

        await_true(look, seconds=PATIENCE_S)
        return pids[0]

    def referee(self) -> int:
        """The process of the referee."""
        return self.child(self._referee)

    def pages(self) -> int:
        """The process of the pages."""
        return self.child(VENUE_PAGES)

    def _children(self) -> list[int]:
        with suppress(psutil.NoSuchProcess):
            children = psutil.Process(self.parent.pid).children()
            self.processes.update(children)
            return [child.pid for child in children if is_running(child.pid)]
        return []

    def ask(self, path: str) -> tuple[int, str]:
        """The answer of the pages; waits for a new process while the old one is gone."""
        end = time.monotonic() + PATIENCE_S
        while True:
            connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
            try:
                connection.request("GET", path)
                answer = connection.getresponse()
                return answer.status, answer.read().decode().strip()
            except (OSError, HTTPException):  # of a process that has ended meanwhile
                assert time.monotonic() < end
            finally:
                connection.close()

    def await_healthy(self) -> None:
        """Wait until the loop of the referee turns."""
        await_true(lambda: self.ask("/healthz") == (200, "ok"), seconds=PATIENCE_S)

    def end(self, number: int = signal.SIGTERM) -> float:
        """Send a signal, and wait; returns the seconds until all is gone."""
        self._children()
        started = time.monotonic()
        os.kill(self.parent.pid, number)
        self.parent.wait(PATIENCE_S)
        self.await_gone()
        return time.monotonic() - started

    def await_gone(self) -> None:
        """Wait until none of its processes runs."""
        await_true(lambda: not any(map(runs_still, self.processes)), seconds=PATIENCE_S)

    def events(self) -> list[dict[str, Any]]:
        """The lines of the operator's log."""
        log = self.folder / "operator.jsonl"
        if not log.exists():
            return []
        return [json.loads(line) for line in log.read_text().splitlines()]


def runs_still(process: psutil.Process) -> bool:
    """Whether this very process is there, and has not ended."""
    return process.is_running() and is_running(process.pid)


def _command_line(pid: int) -> Sequence[str]:
    with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
        return psutil.Process(pid).cmdline()
    return ()


@contextmanager
def served(folder: Path, referee: str = NOTHING) -> Iterator[Served]:
    """Serve a venue, and end all of its processes."""
    venue = Served(folder, referee)
    try:
        yield venue
    finally:
        if venue.parent.poll() is None:
            venue._children()
            venue.parent.kill()
            venue.parent.wait(PATIENCE_S)
        for process in venue.processes:
            if runs_still(process):
                with suppress(psutil.NoSuchProcess):
                    process.kill()
        if venue.parent.stdout is not None:
            venue.parent.stdout.close()


if __name__ == "__main__":
    serve_here(*sys.argv[1:])
