"""Listening sockets: Unix in a private folder, and TCP."""

from __future__ import annotations

import errno
import os
import socket
import stat
from pathlib import Path
from typing import Final

from arena.server.io.address import Address, ListenError, NetAddress, UnixAddress

BACKLOG: Final = 2048
"""Connections that wait to be accepted; the system may allow fewer. One too many would try again after a second."""


def open_listener(address: Address, *, is_insecure: bool = False) -> socket.socket:
    """Listen there; port 0 takes a free one. Raises `ListenError`.

    A Unix socket lies in a folder that only its owner may enter; the folder is made if it does not exist. With
    `is_insecure` it may lie anywhere, and everybody who can enter its folder may connect.
    """
    try:
        if isinstance(address, UnixAddress):
            return _open_unix(address.path, is_insecure=is_insecure)
        family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return _listening(listener, (address.host, address.port))
    except OSError as error:
        raise ListenError(f"cannot listen on {address}: {error.strerror or error}") from error


def _open_unix(path: Path, *, is_insecure: bool) -> socket.socket:
    folder = path.absolute().parent
    if not folder.exists():
        folder.mkdir(mode=0o700)
    found = folder.stat()
    if not is_insecure and (found.st_mode & 0o077 or found.st_uid != os.getuid()):
        raise ListenError(
            f"cannot listen on unix:{path}: others can enter {folder} (mode {stat.S_IMODE(found.st_mode):04o}); "
            "name a folder of your own with mode 0700, or one that does not exist yet, or say insecure = true"
        )
    if path.exists() and stat.S_ISSOCK(path.stat().st_mode):
        _remove_left_behind(path)
    listener = _listening(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM), os.fspath(path))
    path.chmod(0o666 if is_insecure else 0o600)
    return listener


def _remove_left_behind(path: Path) -> None:
    """Remove the socket of an arena that was killed, but not one on which a program listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        if probe.connect_ex(os.fspath(path)) != errno.ECONNREFUSED:
            raise ListenError(f"cannot listen on unix:{path}: another program listens there; name another socket")
    path.unlink()


def _listening(listener: socket.socket, where: str | tuple[str, int]) -> socket.socket:
    try:
        listener.bind(where)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def address_of(listener: socket.socket, *, is_tls: bool = False) -> Address:
    """The address a bot can connect to."""
    name = listener.getsockname()
    if listener.family == socket.AF_UNIX:
        return UnixAddress(path=Path(name))
    return NetAddress(kind="tls" if is_tls else "tcp", host=name[0], port=name[1])
