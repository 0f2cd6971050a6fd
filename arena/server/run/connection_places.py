"""Places that connections come from: a network address, or the program or session behind a Unix socket."""

from __future__ import annotations

import ipaddress
import os
import socket
import struct
from typing import Final

from arena.server.door.connection_limits import Place
from arena.server.programs.family import HAS_PROC, stat_fields

NOBODY: Final = Place("a process that cannot be seen")
"""The place of a process that may belong to a launched program, but can no longer be traced to it.

All of them share it: it would else be enough to have each connection made by a child that ends at once. An honest bot
is alive while it connects.
"""
GENERATIONS: Final = 64
"""How far up the parents of a process are followed; nobody honest starts his bot through so many others."""
WALKS: Final = 3
"""Retries: a parent may exit during the walk, and its children are then re-parented."""


def place_of(sock: socket.socket) -> Place:
    """The place of a connection: its IPv4 address, its IPv6 network, or the process behind a Unix socket.

    A household has 2^64 IPv6 addresses, so only the network tells households apart.
    """
    if sock.family == socket.AF_UNIX:
        return _place_of_process(sock)
    ip = ipaddress.ip_address(sock.getpeername()[0].partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        mapped = ip.ipv4_mapped
        ip = mapped if mapped is not None else ipaddress.ip_network((ip, 64), strict=False).network_address
    return Place(str(ip))


def _place_of_process(sock: socket.socket) -> Place:
    """The place of a process: a launched program with everything it started, or another user, or a session.

    A process cannot leave its launched program. Other processes of the arena's own user have a place for each session:
    a process can start a new session, but a program that runs as that user could end the arena anyway. Where processes
    cannot be traced, only users and sessions are told apart.
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

    It is the process that called `connect`, wherever the connection has gone since; 0 if it is in another world of
    process numbers (a container beside that of the arena).
    """
    if not hasattr(socket, "SO_PEERCRED"):
        return None
    size = struct.calcsize("3i")
    process, user, _ = struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return process, user


def launched_by_us(process: int) -> int | None:
    """Return the supervisor, a child of this arena, that a process stems from; 0 if it is from elsewhere.

    None if the system does not tell (any more). What a program starts cannot leave its supervisor: a process whose
    parent exits becomes a child of the supervisor, or in a sandbox of its first process, which is below it as well.
    """
    if not HAS_PROC:
        return None
    arena = os.getpid()
    for _ in range(WALKS):
        at = process
        for _ in range(GENERATIONS):
            parent = _parent(at)
            if parent is None:
                break
            if parent == arena:
                return at
            if parent == 0 or at == arena:  # above the first process there is nobody
                return 0
            at = parent
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
