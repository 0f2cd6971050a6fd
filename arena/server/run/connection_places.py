"""Places that connections come from: a network address, or the program or session behind a Unix socket."""

from __future__ import annotations

import ipaddress
import os
import socket
from typing import Final

from arena.server.door.connection_limits import Place
from arena.server.programs.launched_by import launched_by_us, peer_of, sees_everybody

NOBODY: Final = Place("a process that cannot be seen")
"""The place of a process that may belong to a launched program, but can no longer be traced to it.

All of them share it: it would else be enough to have each connection made by a child that ends at once. An honest bot
is alive while it connects.
"""


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
