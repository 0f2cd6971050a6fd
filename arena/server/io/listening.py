"""Listening: the addresses where bots connect, how far they can be reached, and their sockets."""

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


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class UnixAddress:
    """`unix:/path`: a socket in the file system of this machine."""

    path: Path

    def __str__(self) -> str:
        return f"unix:{self.path}"


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class NetAddress:
    """`tcp:host:port` or `tls:host:port`.

    The host is an IP address of this machine; port 0 takes a free one.
    """

    kind: Literal["tcp", "tls"]
    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """True if only programs on this machine can connect."""
        return ipaddress.ip_address(self.host).is_loopback

    def __str__(self) -> str:
        host = self.host
        if ":" in host:
            host = f"[{host}]"
        return f"{self.kind}:{host}:{self.port}"


Address = UnixAddress | NetAddress


def parse_address(text: str) -> Address:
    """Parse what `str` gives; `localhost` is 127.0.0.1, and no other name is looked up.

    Raises `ListenError`.
    """
    scheme, _, place = text.partition(":")
    if scheme == "unix" and place:
        return UnixAddress(path=Path(place))
    host, _, port = place.rpartition(":")
    if scheme not in ("tcp", "tls") or not host or not _is_port(port):
        raise ListenError(Said("listen.expected", {"address": repr(text)}))
    ip = host.strip("[]")
    if host == "localhost":
        ip = "127.0.0.1"
    try:
        ipaddress.ip_address(ip)
    except ValueError as error:
        raise ListenError(Said("listen.no_address", {"host": repr(host)})) from error
    return _net_address(ip, int(port), is_tls=scheme == "tls")


def _is_port(text: str) -> bool:
    if not (text.isascii() and text.isdecimal()):
        return False
    return len(text) <= 5 and int(text) <= 65_535


def _net_address(host: str, port: int, *, is_tls: bool) -> NetAddress:
    return NetAddress(
        kind="tls" if is_tls else "tcp",
        host=host,
        port=port,
    )


def listening_address(text: str, *, has_certificate: bool, is_insecure: bool) -> Address:
    """Return the address to listen on, `tls` if there is a certificate.

    Raises `ListenError` for an address that other machines can reach without TLS, because tokens
    would cross the network unencrypted. `is_insecure` allows it.
    """
    address = parse_address(text)
    if isinstance(address, UnixAddress):
        if has_certificate:
            raise ListenError(Said("listen.not_on_a_network", {"address": text}))
        return address
    if has_certificate:
        return NetAddress(
            kind="tls",
            host=address.host,
            port=address.port,
        )
    if address.kind == "tls":
        raise ListenError(Said("listen.needs_certificate", {"address": text}))
    if not address.is_loopback and not is_insecure:
        raise ListenError(Said("listen.insecure", {"host": address.host}))
    return address


def open_listener(address: Address, *, is_insecure: bool = False) -> socket.socket:
    """Listen there; port 0 takes a free one. Raises `ListenError`.

    A Unix socket lies in a folder that only its owner may enter; the folder is made if it does not
    exist. With `is_insecure` it may lie anywhere, and all users who can enter its folder may
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
        reason = system_reason(error)
        details = {"address": str(address), "reason": reason}
        raise ListenError(Said("listen.failed", details)) from error


def _open_unix(path: Path, *, is_insecure: bool) -> socket.socket:
    """Listen at a Unix socket. Raises `ListenError` if other users could replace it."""
    folder = path.absolute().parent
    if not folder.exists():
        folder.mkdir(mode=0o700)
    status = folder.stat()
    is_open_to_others = bool(status.st_mode & 0o077) or status.st_uid != os.getuid()
    if is_open_to_others and not is_insecure:
        mode = f"{stat.S_IMODE(status.st_mode):04o}"
        details = {
            "path": str(path),
            "folder": str(folder),
            "mode": mode,
        }
        raise ListenError(Said("listen.open_folder", details))
    if path.exists() and stat.S_ISSOCK(path.stat().st_mode):
        _remove_left_behind(path)
    unbound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener = _listening(unbound, os.fspath(path))
    mode_of_socket = 0o666 if is_insecure else 0o600
    path.chmod(mode_of_socket)
    return listener


def _remove_left_behind(path: Path) -> None:
    """Remove the socket of an arena that was killed, but not one on which a program listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        error_number = probe.connect_ex(os.fspath(path))
        if error_number != errno.ECONNREFUSED:
            raise ListenError(Said("listen.taken", {"path": str(path)}))
    path.unlink()


def _listening(listener: socket.socket, where: str | tuple[str, int]) -> socket.socket:
    """Bind a socket and listen; close it if that fails."""
    try:
        listener.bind(where)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def address_of(listener: socket.socket, *, is_tls: bool = False) -> Address:
    """Return the address that a bot can connect to."""
    name = listener.getsockname()
    if listener.family == socket.AF_UNIX:
        return UnixAddress(path=Path(name))
    host, port, *_ = name  # IPv6 has two more parts
    return _net_address(host, port, is_tls=is_tls)


def household_of(host: str) -> str:
    """Return the IPv4 address or IPv6 network of an IP address. Raises `ValueError`.

    A household has 2^64 IPv6 addresses, so only the network distinguishes households.
    """
    address, _, _ = host.partition("%")
    ip = ipaddress.ip_address(address)
    if ip.version == 4:
        return str(ip)
    if ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    network = ipaddress.ip_network((ip, 64), strict=False)
    return str(network.network_address)
