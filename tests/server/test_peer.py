"""The process at the other end of a Unix socket: a launched program cannot leave its place."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.server.door.connection_limits import Place
from arena.server.programs.containment import Containment, Sandbox, SandboxError, find_bwrap
from arena.server.run import connection_places
from arena.server.run.connection_places import NOBODY, place_of, sees_everybody
from arena.server.setup.tournament_file import LimitsSection

pytestmark = pytest.mark.skipif(not sees_everybody(), reason="this system does not tell who connected")


def sandbox() -> Sandbox | None:
    try:
        return Sandbox(bwrap=find_bwrap(), scratch_bytes=1 << 20)
    except SandboxError:
        return None


WAYS = [
    pytest.param(None, id="off"),
    pytest.param(sandbox(), id="sandbox", marks=pytest.mark.skipif(sandbox() is None, reason="no sandbox here")),
]

PROGRAM = """
import os, socket, sys, time

def stays():
    time.sleep(60)
    os._exit(0)

stream = socket.socket(socket.AF_UNIX)
if not os.fork():  # connects for its parent, and ends
    stream.connect(sys.argv[1])
    os._exit(0)
os.wait()
held = []

def come():
    held.append(socket.socket(socket.AF_UNIX))
    held[-1].connect(sys.argv[1])

come()
if not os.fork():  # a session of its own
    os.setsid()
    come()
    stays()
if not os.fork():  # an orphan, as a daemon is
    os.setsid()
    parent = os.getpid()
    if not os.fork():
        while os.getppid() == parent:
            time.sleep(0.01)
        come()
        stays()
    os._exit(0)
stays()
"""


@contextmanager
def come_from(box: Sandbox | None, folder: Path) -> Iterator[tuple[list[socket.socket], int]]:
    """The connections of the program above, under the supervisor with this number; first the one of nobody."""
    path = folder / "s"
    containment = Containment(limits=LimitsSection(), sandbox=box, directory=Path("/"))
    command = [sys.executable, "-c", PROGRAM, str(path)]
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(30)
        line = containment.launch(command, shared=[path]).words
        ours, theirs = socket.socketpair()
        with ours, theirs, subprocess.Popen(line, stdin=theirs, start_new_session=True) as supervisor:
            theirs.close()
            try:
                streams = [listener.accept()[0] for _ in range(2)]
                streams += [listener.accept()[0] for _ in range(2)]
                yield streams, supervisor.pid
            finally:
                ours.close()
                supervisor.wait(timeout=60)
                for stream in streams:
                    stream.close()


@pytest.mark.parametrize("box", WAYS)
def test_a_program_cannot_leave_its_place(box: Sandbox | None, tmp_path: Path) -> None:
    with come_from(box, tmp_path) as (streams, supervisor):
        assert [place_of(stream) for stream in streams] == [NOBODY, *[Place(f"program {supervisor}")] * 3]


def test_other_processes_are_known_by_their_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process is not its own child; another user is one place, since anybody can start a new session."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert place_of(ours) == Place(f"session {os.getsid(0)}")
        monkeypatch.setattr(connection_places, "peer_of", lambda _: (os.getpid(), os.getuid() + 1))
        assert place_of(ours) == Place(f"user {os.getuid() + 1}")
        monkeypatch.setattr(connection_places, "peer_of", lambda _: (0, os.getuid()))
        assert place_of(ours) == Place(f"user {os.getuid()}")


def test_where_processes_cannot_be_followed_a_session_is_all_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        monkeypatch.setattr(connection_places, "HAS_PROC", False)
        assert place_of(ours) == Place(f"session {os.getsid(0)}")
        monkeypatch.setattr(connection_places, "peer_of", lambda _: None)
        assert place_of(ours) == Place("unix")


def test_a_line_of_parents_without_end_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it is; and if a parent exits just then, the search goes on."""
    monkeypatch.setattr(connection_places, "_parent", lambda process: process + 1)
    assert connection_places.launched_by_us(os.getpid() + 1) is None
    parents = iter([None, 5000, os.getpid()])
    monkeypatch.setattr(connection_places, "_parent", lambda _: next(parents))
    assert connection_places.launched_by_us(4000) == 5000
