"""Limits on open connections without a login: an old one makes room for the next."""

import ipaddress
import os
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NewType

from arena.server.io.open_files import allow_open_files
from arena.server.programs.family import HAS_PROC, stat_fields
from arena.server.setup.tournament_file import AHEAD, Plan

Place = NewType("Place", str)
"""Where a connection comes from: an address, a launched program, or a user or a session of
processes."""

SPARE: Final = 1024
"""Open connections without a login beyond one for each bot, if the system allows so many files."""
OF_THE_ARENA: Final = 64
"""The arena's own: standard streams, records of the run, files of its libraries."""
OF_A_TABLE: Final = 2
"""The record, and the same record while it is sealed."""
OF_A_PROGRAM: Final = 8
"""A launched bot's connection, its two output streams, its process, and as many again while its
successor starts."""
NOBODY: Final = Place("a process that cannot be seen")
"""The place of a process that may belong to a launched program, but can no longer be traced to it.

All of them share it: it would else be enough to have each connection made by a child that ends at
once. An honest bot is alive while it connects.
"""
GENERATIONS: Final = 64
"""How far up the parents of a process are followed; nobody honest starts his bot through so many
others."""
WALKS: Final = 3
"""Retries: a parent may exit during the walk, and its children are then re-parented."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Visit:
    """A connection that has proved nothing, or nothing any more."""

    place: Place
    drop: Callable[[], object]
    """Says why, and lets go of it at once."""


class ConnectionLimits:
    """Keeps at most `most` connections without a login at one listening address.

    Nobody is refused, since a bot with the right token could be the one. If there are too many, the
    oldest one of the place that has the most of them is dropped. So a place that opens connections
    without end drops its own, and a login that comes soon after its connection comes in even from
    that place. A connection that has logged in is not counted, so that nobody can have it dropped.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._number = 0
        self._places: dict[Place, dict[Visit, None]] = {}
        """The oldest visit of each place first; places in the order in which they got their first
        one."""

    def allow(self, most: int) -> None:
        """Keep so many from now on."""
        self._most = most

    def enter(self, visit: Visit) -> None:
        """Count a connection, and drop the one that is too many."""
        self._places.setdefault(visit.place, {})[visit] = None
        self._number += 1
        if self._number > self._most:
            self.make_room()

    def leave(self, visit: Visit) -> None:
        """It has logged in, or ended; nothing happens if it is not counted."""
        visits = self._places.get(visit.place, {})
        if visit in visits:
            del visits[visit]
            self._number -= 1
            if not visits:
                del self._places[visit.place]

    def make_room(self) -> bool:
        """Drop one; whether there was one."""
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
    """What the bots of a run need at the door."""

    files: int
    """How many files the run may have open at once, without unexpected connections."""
    here: int
    """How many bots may connect at the private address,"""
    elsewhere: int
    """and how many where others do."""


def room_for(plan: Plan) -> Room:
    """Return what a run by this plan needs."""
    lasting = sum(bot.process == "run" for bot in plan.bot)
    remote = sum(bot.remote for bot in plan.bot)
    ready = 2 * (plan.at_once + AHEAD)
    files = plan.at_once * OF_A_TABLE + (ready + lasting) * OF_A_PROGRAM + remote
    return Room(files=files, here=ready + len(plan.bot), elsewhere=len(plan.from_elsewhere))


def allow_files(needed: int) -> int:
    """Raise this process's limit of open files as far as useful and allowed; returns the limit."""
    return allow_open_files(needed + 2 * SPARE)


def spare_connections(needed: int, allowed: int) -> int:
    """Return how many unexpected connections may come at the private address, and at the others, with so many files."""
    return max(0, min(SPARE, (allowed - needed) // 2))


# Places that connections come from


def place_of(sock: socket.socket) -> Place:
    """The place of a connection: its IPv4 address, its IPv6 network, or the process behind a Unix socket.

    A household has 2^64 IPv6 addresses, so only the network tells households apart.
    """
    if sock.family == socket.AF_UNIX:
        return _place_of_process(sock)
    ip = ipaddress.ip_address(sock.getpeername()[0].partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        mapped = ip.ipv4_mapped
        ip = (
            mapped
            if mapped is not None
            else ipaddress.ip_network((ip, 64), strict=False).network_address
        )
    return Place(str(ip))


def _place_of_process(sock: socket.socket) -> Place:
    """The place of a process: a launched program with everything it started, or another user, or a session.

    A process cannot leave its launched program. Other processes of the arena's own user have a
    place for each session: a process can start a new session, but a program that runs as that user
    could end the arena anyway. Where processes cannot be traced, only users and sessions are told
    apart.
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
            return NOBODY
        try:
            return Place(f"session {os.getsid(process)}")
        except (ProcessLookupError, PermissionError):  # it has gone, or the system does not tell
            pass
    return Place(f"user {user}")


def peer_of(sock: socket.socket) -> tuple[int, int] | None:
    """Return the process that connected and its user, which nobody can make up; None where the system does not tell.

    It is the process that called `connect`, wherever the connection has gone since; 0 if it is in
    another world of process numbers (a container beside that of the arena).
    """
    if not hasattr(socket, "SO_PEERCRED"):
        return None
    size = struct.calcsize("3i")
    process, user, _ = struct.unpack(
        "3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    )
    return process, user


def launched_by_us(process: int) -> int | None:
    """Return the supervisor that a process stems from, forked by a child of this arena; 0 if it is from elsewhere.

    None if the system does not tell (any more). What a program starts cannot leave its supervisor:
    a process whose parent exits becomes a child of the supervisor, or in a sandbox of its first
    process, which is below it as well.
    """
    if not HAS_PROC:
        return None
    arena = os.getpid()
    for _ in range(WALKS):
        at = below = process
        for _ in range(GENERATIONS):
            parent = _parent(at)
            if parent is None:
                break
            if parent == arena:
                return below
            if parent == 0 or at == arena:  # above the first process there is nobody
                return 0
            at, below = parent, at
    return None


def sees_everybody() -> bool:
    """Return whether the parents of every process can be followed; not if /proc hides the processes of other users."""
    return HAS_PROC and _parent(1) is not None


def _parent(process: int) -> int | None:
    """Return the parent of a process; None if it has ended, or may not be looked at."""
    try:
        fields = stat_fields(process)
    except OSError:
        return None
    return int(fields[1]) if fields else None
