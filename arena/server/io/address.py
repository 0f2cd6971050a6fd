"""Addresses: where the arena listens and bots connect, and which of them others can reach."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal


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
    if kind not in ("tcp", "tls") or not host or not port.isdecimal() or int(port) > 65_535:
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
