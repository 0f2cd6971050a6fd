"""Where connections come from, and who is dropped when too many have not logged in."""

import errno
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest
import trio

from arena.server.door import connection_limits
from arena.server.door.connection_limits import UNSEEN, ConnectionLimits, Place, Visit, place_of
from arena.server.door.listener import accept_links
from arena.server.io.event_loop import EventLoop
from arena.server.io.operator_log import MOST as MOST_TOLD
from arena.server.programs.bot_command import BotCommand
from arena.server.programs.containment import Containment, SandboxError, find_bwrap
from arena.server.programs.fork_server import fork_server
from arena.server.setup.tournament_file import LimitsSection
from tests.fixtures.operator import Operator

HOME, AWAY = Place("192.0.2.1"), Place("192.0.2.2")
MOST = 20


class Hall:
    """Limits, and which connections they have dropped."""

    def __init__(self) -> None:
        self.limits = ConnectionLimits(MOST)
        self.dropped: list[str] = []

    def enter(self, place: Place, name: str = "somebody") -> Visit:
        visit = Visit(place=place, drop=lambda: self.dropped.append(name))
        self.limits.enter(visit)
        return visit


@pytest.fixture
def hall() -> Hall:
    return Hall()


def test_the_oldest_of_a_place_makes_room_for_the_next(hall: Hall) -> None:
    for number in range(MOST):
        visit = hall.enter(HOME, str(number))
    assert hall.dropped == []
    hall.enter(HOME)
    hall.enter(HOME)
    assert hall.dropped == ["0", "1"]
    hall.limits.leave(visit)
    hall.limits.leave(visit)  # it is not counted any more
    hall.enter(HOME)
    assert hall.dropped == ["0", "1"]
    hall.enter(HOME)
    assert hall.dropped == ["0", "1", "2"]


def test_a_place_that_opens_connections_without_end_drops_its_own(hall: Hall) -> None:
    hall.enter(AWAY, "away")
    for _ in range(1000):
        hall.enter(HOME)
    assert "away" not in hall.dropped
    assert len(hall.dropped) == 1001 - MOST


def test_who_has_logged_in_is_never_dropped(hall: Hall) -> None:
    for _ in range(5 * MOST):
        hall.limits.leave(hall.enter(HOME))
    assert hall.dropped == []
    assert not hall.limits.make_room()


def test_a_place_is_an_address_or_a_network(tmp_path: Path) -> None:

    class Peer:
        family = socket.AF_INET6

        def __init__(self, name: str) -> None:
            self.name = name

        def getpeername(self) -> tuple[str, int, int, int]:
            return self.name, 4711, 0, 0

    names = [
        "192.0.2.1",
        "::ffff:192.0.2.1",
        "2001:db8::1",
        "2001:db8::ffff:1",
        "2001:db8:0:1::1",
        "fe80::1%eth0",
    ]
    places = [place_of(Peer(name)) for name in names]  # type: ignore[arg-type]
    assert places == [
        "192.0.2.1",
        "192.0.2.1",
        "2001:db8::",
        "2001:db8::",
        "2001:db8:0:1::",
        "fe80::",
    ]


class Exhausted(socket.socket):
    """A listener that has no descriptors left."""

    def accept(self) -> NoReturn:
        raise OSError(errno.EMFILE, "Too many open files")


@pytest.mark.parametrize("others", [0, 3])
async def test_a_connection_that_the_system_cannot_give_is_told(
    nursery: trio.Nursery, tmp_path: Path, hall: Hall, others: int
) -> None:
    operator, loop = Operator(tmp_path), EventLoop(nursery)
    for _ in range(others):
        hall.enter(HOME)
    with operator.log() as log, Exhausted(socket.AF_INET) as listener, socket.socket() as client:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        client.connect(listener.getsockname())
        with trio.move_on_after(10):
            await accept_links(loop, listener, hall.limits, lambda *_: None, lambda: None, log)
    assert len(hall.dropped) == others
    assert operator.names == ["accept_failed"] * MOST_TOLD
    assert operator.heard[0] == "a connection failed: Too many open files"
    assert operator.seen[0]["transport"] == "tcp"


# The process at the other end of a Unix socket: a launched program cannot leave its place


told_by_the_system = pytest.mark.skipif(
    not connection_limits.sees_everybody(), reason="this system does not tell who connected"
)


def bwrap_here() -> tuple[str, ...]:
    try:
        return find_bwrap()
    except SandboxError:
        return ()


WAYS = [
    pytest.param((), id="off"),
    pytest.param(
        bwrap_here(),
        id="sandbox",
        marks=pytest.mark.skipif(not bwrap_here(), reason="no sandbox here"),
    ),
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
def come_from(bwrap: tuple[str, ...], folder: Path) -> Iterator[tuple[list[socket.socket], int]]:
    """The connections of the program above, under the supervisor with this number; first the one of nobody."""
    path = folder / "s"
    containment = Containment(limits=LimitsSection(), bwrap=bwrap)
    words = (sys.executable, "-c", PROGRAM, str(path))
    command = BotCommand(words=words, directory=Path("/"))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(30)
        order, environment = containment.launch(command, shared=[path])
        ours, theirs = socket.socketpair()
        with ours, theirs, fork_server() as server:
            server.start(order, environment, Path("/"), [theirs.fileno(), 1, 2])
            theirs.close()
            word, supervisor = ours.recv(100).split()
            assert word == b"started"
            streams = []
            try:
                streams += [listener.accept()[0] for _ in range(4)]
                yield streams, int(supervisor)
            finally:
                ours.shutdown(socket.SHUT_WR)
                while ours.recv(100):  # until it has ended
                    pass
                for stream in streams:
                    stream.close()


@told_by_the_system
@pytest.mark.parametrize("bwrap", WAYS)
def test_a_program_cannot_leave_its_place(bwrap: tuple[str, ...], tmp_path: Path) -> None:
    with come_from(bwrap, tmp_path) as (streams, supervisor):
        assert [place_of(stream) for stream in streams] == [
            UNSEEN,
            *[Place(f"program {supervisor}")] * 3,
        ]


@told_by_the_system
def test_other_processes_are_known_by_their_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process is not its own child; another user is one place, since anybody can start a new session."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert place_of(ours) == Place(f"session {os.getsid(0)}")
        monkeypatch.setattr(connection_limits, "peer_of", lambda _: (os.getpid(), os.getuid() + 1))
        assert place_of(ours) == Place(f"user {os.getuid() + 1}")
        monkeypatch.setattr(connection_limits, "peer_of", lambda _: (0, os.getuid()))
        assert place_of(ours) == Place(f"user {os.getuid()}")


@told_by_the_system
def test_where_processes_cannot_be_followed_a_session_is_all_there_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        monkeypatch.setattr(connection_limits, "HAS_PROC", False)
        assert place_of(ours) == Place(f"session {os.getsid(0)}")
        monkeypatch.setattr(connection_limits, "peer_of", lambda _: None)
        assert place_of(ours) == Place("unix")


@told_by_the_system
def test_a_line_of_parents_without_end_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_limits, "_parent", lambda process: process + 1)
    assert connection_limits.launched_by_us(os.getpid() + 1) is None
    parents = iter([None, 5000, os.getpid()])
    monkeypatch.setattr(connection_limits, "_parent", lambda _: next(parents))
    assert connection_limits.launched_by_us(4000) == 4000, "below the fork server"
