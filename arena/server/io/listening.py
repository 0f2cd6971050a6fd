"""Listening: the addresses where bots connect, which of them others can reach, and their sockets."""

import errno
import ipaddress
import os
import socket
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from arena.words import Said, SaidError
from arena.words.system_errors import system_reason

BACKLOG: Final = 2048
"""Connections that wait to be accepted; the system may allow fewer. One too many would try again
after a second."""


class ListenError(SaidError):
    """The arena cannot listen there; says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnixAddress:
    """`unix:/path`: a socket in the file system of this machine."""

    path: Path

    def __str__(self) -> str:
        return f"unix:{self.path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NetAddress:
    """`tcp:host:port` or `tls:host:port`; the host is an IP address of this machine, port 0 takes a free one."""

    kind: Literal["tcp", "tls"]
    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """True if only programs on this machine can connect."""
        return ipaddress.ip_address(self.host).is_loopback

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.kind}:{host}:{self.port}"


Address = UnixAddress | NetAddress


def parse_address(text: str) -> Address:
    """The inverse of `str`; `localhost` is 127.0.0.1, and no other name is looked up.

    Raises `ListenError`.
    """
    kind, _, rest = text.partition(":")
    host, _, port = rest.rpartition(":")
    if kind == "unix" and rest:
        return UnixAddress(path=Path(rest))
    is_port = port.isascii() and port.isdecimal() and len(port) <= 5 and int(port) <= 65_535
    if kind not in ("tcp", "tls") or not host or not is_port:
        raise ListenError(Said("listen.expected", {"address": repr(text)}))
    name = "127.0.0.1" if host == "localhost" else host.strip("[]")
    try:
        ipaddress.ip_address(name)
    except ValueError as error:
        raise ListenError(Said("listen.no_address", {"host": repr(host)})) from error
    return NetAddress(kind="tls" if kind == "tls" else "tcp", host=name, port=int(port))


def listening_address(text: str, *, has_certificate: bool, is_insecure: bool) -> Address:
    """The address to listen on, `tls` if there is a certificate.

    Raises `ListenError` for an address that other machines can reach without TLS, because tokens
    would cross the network unencrypted. `is_insecure` allows it.
    """
    address = parse_address(text)
    if isinstance(address, UnixAddress):
        if has_certificate:
            raise ListenError(Said("listen.not_on_a_network", {"address": text}))
        return address
    if has_certificate:
        return NetAddress(kind="tls", host=address.host, port=address.port)
    if address.kind == "tls":
        raise ListenError(Said("listen.needs_certificate", {"address": text}))
    if not address.is_loopback and not is_insecure:
        raise ListenError(Said("listen.insecure", {"host": address.host}))
    return address


def open_listener(address: Address, *, is_insecure: bool = False) -> socket.socket:
    """Listen there; port 0 takes a free one. Raises `ListenError`.

    A Unix socket lies in a folder that only its owner may enter; the folder is made if it does not
    exist. With `is_insecure` it may lie anywhere, and everybody who can enter its folder may
    connect.
    """
    try:
        if isinstance(address, UnixAddress):
            return _open_unix(address.path, is_insecure=is_insecure)
        family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return _listening(listener, (address.host, address.port))
    except OSError as error:
        values = {"address": str(address), "reason": system_reason(error)}
        raise ListenError(Said("listen.failed", values)) from error


def _open_unix(path: Path, *, is_insecure: bool) -> socket.socket:
    folder = path.absolute().parent
    if not folder.exists():
        folder.mkdir(mode=0o700)
    found = folder.stat()
    if not is_insecure and (found.st_mode & 0o077 or found.st_uid != os.getuid()):
        mode = f"{stat.S_IMODE(found.st_mode):04o}"
        values = {"path": str(path), "folder": str(folder), "mode": mode}
        raise ListenError(Said("listen.open_folder", values))
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
            raise ListenError(Said("listen.taken", {"path": str(path)}))
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
