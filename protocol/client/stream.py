"""Blocking streams to an arena: Unix sockets, TCP, TLS."""

import os
import socket
import ssl
from typing import Final

_KEEPALIVE: Final = (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3))
"""Idle seconds, seconds between probes, and probes, if the system has them: a dead connection fails after a minute."""


def connect(address: str, timeout_s: float | None = None) -> socket.socket:
    """Open a blocking stream to `unix:/path`, `tcp:host:port` or `tls:host:port`.

    The certificate of a `tls` arena must be trusted by the system, or by the PEM file that the environment variable
    `ARENA_CA` names. `timeout_s` is for connecting only.

    Raises:
        ValueError: the address has another form, or this system (Windows) has no Unix sockets.
        OSError: nobody answers there, a certificate is not trusted, or `ARENA_CA` cannot be read.
    """
    kind, _, where = address.partition(":")
    if kind == "unix" and where:
        if not hasattr(socket, "AF_UNIX"):
            raise ValueError("this system has no Unix sockets; connect by tcp:host:port or tls:host:port")
        return _opened(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM), where)
    host, _, port = where.rpartition(":")
    if kind not in {"tcp", "tls"} or not host or not port.isdecimal():
        raise ValueError("the address must be unix:/path, tcp:host:port or tls:host:port")
    host = host.strip("[]")
    context = _trust() if kind == "tls" else None
    stream = socket.create_connection((host, int(port)), timeout_s)
    # Without this the system may hold back a small answer for 40 ms, at the expense of the bot's clock.
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in _KEEPALIVE:
        if hasattr(socket, option):
            stream.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
    if context is not None:
        with stream:  # closed if the handshake fails; otherwise the secured stream has taken it over
            stream = context.wrap_socket(stream, server_hostname=host)
    stream.settimeout(None)
    return stream


def _trust() -> ssl.SSLContext:
    authorities = os.environ.get("ARENA_CA")
    try:
        return ssl.create_default_context(cafile=authorities or None)
    except OSError as error:
        raise OSError(f"ARENA_CA={authorities} is not a file of certificates in PEM form: {error}") from error


def _opened(stream: socket.socket, path: str) -> socket.socket:
    try:
        stream.connect(path)
    except OSError:
        stream.close()
        raise
    return stream
