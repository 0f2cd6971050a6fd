"""Listening: the addresses where bots connect, which of them others can reach, and their sockets."""

import errno
import ipaddress
import os
import socket
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

BACKLOG: Final = 2048
"""Connections that wait to be accepted; the system may allow fewer. One too many would try again after a second."""


class ListenError(Exception):
    """The arena cannot listen there; the message says why and what to do."""


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
    """The inverse of `str`; `localhost` is 127.0.0.1, and no other name is looked up. Raises `ListenError`."""
    kind, _, rest = text.partition(":")
    host, _, port = rest.rpartition(":")
    if kind == "unix" and rest:
        return UnixAddress(path=Path(rest))
    is_port = port.isascii() and port.isdecimal() and len(port) <= 5 and int(port) <= 65_535
    if kind not in ("tcp", "tls") or not host or not is_port:
        expected = "unix:/path or tcp:host:port or tls:host:port with a port up to 65535"
        raise ListenError(f"cannot listen on {text!r}; expected {expected}")
    name = "127.0.0.1" if host == "localhost" else host.strip("[]")
    try:
        ipaddress.ip_address(name)
    except ValueError as error:
        expected = "127.0.0.1, ::1 or localhost, or 0.0.0.0 for every network"
        raise ListenError(f"{host!r} is not an address of this machine; expected {expected}") from error
    return NetAddress(kind="tls" if kind == "tls" else "tcp", host=name, port=int(port))


def listening_address(text: str, *, has_certificate: bool, is_insecure: bool) -> Address:
    """The address to listen on, `tls` if there is a certificate.

    Raises `ListenError` for an address that other machines can reach without TLS, because tokens would cross the
    network unencrypted. `is_insecure` allows it.
    """
    address = parse_address(text)
    if isinstance(address, UnixAddress):
        if has_certificate:
            raise ListenError(f"{text} is not on a network; a certificate is for tcp and tls addresses")
        return address
    if has_certificate:
        return NetAddress(kind="tls", host=address.host, port=address.port)
    if address.kind == "tls":
        raise ListenError(f"{text} needs a certificate and its key")
    if not address.is_loopback and not is_insecure:
        raise ListenError(
            f"{address.host} can be reached from other machines, and tokens would cross the net unencrypted; give a "
            "certificate and its key, or say insecure = true if nobody else can listen on that net"
        )
    return address


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
