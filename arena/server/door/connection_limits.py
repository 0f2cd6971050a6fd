"""Limits on open connections without a login: an old one makes room for the next."""

import os
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NewType

from arena.server.io.listening import household_of
from arena.server.io.open_files import allow_open_files
from arena.server.programs.family import HAS_PROC, PARENT, stat_fields
from arena.server.setup.tournament_file import AHEAD, Plan

Place = NewType("Place", str)
"""The origin of a connection: an address, a launched program, a user or a session of processes."""

SPARE: Final = 1024
"""Connections without a login, beyond one for each bot, if the system allows the files."""
OF_THE_ARENA: Final = 64
"""The arena's own: standard streams, records of the run, files of its libraries."""
OF_A_TABLE: Final = 2
"""The record, and the same record while it is sealed."""
OF_A_PROGRAM: Final = 8
"""A launched bot's connection, two output streams and process, and the same for its successor."""
UNSEEN: Final = Place("a process that cannot be seen")
"""The place of a process that may belong to a launched program, but can no longer be traced to it.

All such processes share it. Otherwise a program could let a child make each connection and end at
once. An honest bot is alive while it connects.
"""
GENERATIONS: Final = 64
"""Parents of a process that are followed; no honest bot is started through more."""
WALKS: Final = 3
"""Retries: a parent may exit during the walk, and its children are then re-parented."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Visit:
    """A connection that has not logged in, or whose login was replaced."""

    place: Place
    drop: Callable[[], object]
    """Sends the reason, and closes the connection at once."""


class ConnectionLimits:
    """Keeps at most `most` connections without a login at one listening address.

    A new connection is never refused: it may be a bot with the right token. If there are too many,
    the oldest one of the place with the most of them is dropped. So a place that opens connections
    without end drops its own, and a bot that logs in quickly succeeds even from that place. A
    connection that has logged in is not counted, so that others cannot have it dropped.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._number = 0
        self._places: dict[Place, dict[Visit, None]] = {}
        """Visits of each place, the oldest first; places in the order of their first visit."""

    def allow(self, most: int) -> None:
        """Keep at most this number from now on."""
        self._most = most

    def enter(self, visit: Visit) -> None:
        """Count a connection, and drop the one that is too many."""
        self._places.setdefault(visit.place, {})[visit] = None
        self._number += 1
        if self._number > self._most:
            self.make_room()

    def leave(self, visit: Visit) -> None:
        """Stop counting a connection that has logged in, or ended; it may be uncounted already."""
        visits = self._places.get(visit.place, {})
        if visit not in visits:
            return
        del visits[visit]
        self._number -= 1
        if not visits:
            del self._places[visit.place]

    def make_room(self) -> bool:
        """Drop one; return False if there was none."""
        if not self._places:
            return False
        fullest = max(self._places, key=lambda place: len(self._places[place]))
        visit = next(iter(self._places[fullest]))
        self.leave(visit)
        visit.drop()
        return True


# Open files


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The files and connections that the bots of a run need."""

    files: int
    """Files that the run may have open at once, without unexpected connections."""
    private: int
    """Bots that may connect at the private address."""
    public: int
    """Bots that may connect at the address for bots from elsewhere."""


def room_for(plan: Plan) -> Room:
    """Return what a run by this plan needs."""
    lasting = sum(bot.process == "run" for bot in plan.bot)
    remote = sum(bot.remote for bot in plan.bot)
    ready = 2 * (plan.at_once + AHEAD)
    files = plan.at_once * OF_A_TABLE + (ready + lasting) * OF_A_PROGRAM + remote
    return Room(
        files=files,
        private=ready + len(plan.bot),
        public=len(plan.from_elsewhere),
    )


def allow_files(needed: int) -> int:
    """Raise this process's limit of open files as far as useful and allowed; returns the limit."""
    return allow_open_files(needed + 2 * SPARE)


def spare_connections(needed: int, allowed: int) -> int:
    """Return how many unexpected connections each kind of address may have with these files."""
    return max(0, min(SPARE, (allowed - needed) // 2))


# Places that connections come from


def place_of(sock: socket.socket) -> Place:
    """Return the place of a connection: its IPv4 address, IPv6 network, or Unix process."""
    if sock.family == socket.AF_UNIX:
        return _place_of_process(sock)
    peer, *_ = sock.getpeername()
    return Place(household_of(peer))


def _place_of_process(sock: socket.socket) -> Place:
    """Return the place of a process: a launched program, a session, or another user.

    A process cannot leave its launched program. Other processes of the arena's own user have a
    place for each session: a process can start a new session, but a program that runs as that user
    could end the arena anyway. Where processes cannot be traced, only users and sessions are
    distinguished.
    """
    peer = peer_of(sock)
    if peer is None:
        return Place("unix")
    process, user = peer
    launched = launched_by_us(process)
    if launched:
        return Place(f"program {launched}")
    if process and user == os.getuid():
        if launched is None and sees_everybody():
            return UNSEEN
        try:
            return Place(f"session {os.getsid(process)}")
        except (ProcessLookupError, PermissionError):  # it has gone, or its session is unknown
            pass
    return Place(f"user {user}")


def peer_of(sock: socket.socket) -> tuple[int, int] | None:
    """Return the process that connected and its user, which cannot be forged; None if unknown.

    It is the process that called `connect`, even if another process has the connection now. It is 0
    for a process with other process numbers (in a container beside that of the arena).
    """
    if not hasattr(socket, "SO_PEERCRED"):
        return None
    size = struct.calcsize("3i")
    credentials = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    process, user, _ = struct.unpack("3i", credentials)
    return process, user


def launched_by_us(process: int) -> int | None:
    """Return the supervisor above a process, forked by a child of this arena; 0 if there is none.

    Return None if it is unknown (by now). The processes of a program cannot leave its supervisor: a
    process whose parent exits becomes a child of the supervisor, or in a sandbox of its first
    process, which is below it as well.
    """
    if not HAS_PROC:
        return None
    arena = os.getpid()
    for _ in range(WALKS):
        current = below = process
        for _ in range(GENERATIONS):
            parent = _parent(current)
            if parent is None:
                break
            if parent == arena:
                return below
            if parent == 0 or current == arena:  # the first process has no parent
                return 0
            below = current
            current = parent
    return None


def sees_everybody() -> bool:
    """Return whether /proc shows the processes of all users, so that parents can be followed."""
    return HAS_PROC and _parent(1) is not None


def _parent(process: int) -> int | None:
    """Return the parent of a process; None if it has ended, or is hidden."""
    try:
        fields = stat_fields(process)
    except OSError:
        return None
    if not fields:
        return None
    return int(fields[PARENT])
