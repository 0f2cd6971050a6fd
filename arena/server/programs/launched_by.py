"""Peer at the other end of a Unix socket: a program that this arena launched, or a process from elsewhere."""

from __future__ import annotations

import os
import socket
import struct
from typing import Final

from arena.server.programs.family import HAS_PROC, stat_fields

GENERATIONS: Final = 64
"""How far up the parents of a process are followed; nobody honest starts his bot through so many others."""
WALKS: Final = 3
"""Retries: a parent may exit during the walk, and its children are then re-parented."""


def peer_of(sock: socket.socket) -> tuple[int, int] | None:
    """The process that connected and its user; None where the system does not tell. Neither can be made up.

    It is the process that called `connect`, wherever the connection has gone since; 0 if it is in another world of
    process numbers (a container beside that of the arena).
    """
    if not hasattr(socket, "SO_PEERCRED"):
        return None
    size = struct.calcsize("3i")
    process, user, _ = struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return process, user


def launched_by_us(process: int) -> int | None:
    """The child of this arena that a process stems from: the supervisor of its program; 0 if it is from elsewhere.

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
    """None if it has ended, or may not be looked at."""
    try:
        fields = stat_fields(process)
    except OSError:
        return None
    return int(fields[1]) if fields else None
