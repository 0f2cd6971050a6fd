"""A connection to an arena, for clients that may send anything."""

from __future__ import annotations

import os
import socket
import ssl
from typing import Any, Self

import msgspec
import trio

from protocol.connection import BotConnection
from protocol.messages import Error, FromArena, FromBot, Play, Rejected, Turn

RECEIVE_BYTES = 65_536
MOST_PORT = 65_535


class ConnectionLostError(Exception):
    """The arena has closed the connection while something was being written."""


class NoArenaError(Exception):
    """The server there does not speak protocol 1 as an arena does; says what it sent."""


class RawConnection:
    """Whole messages in, messages or any bytes out; remembers what the arena complained of."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self._wire = BotConnection()
        self.told: list[str] = []
        """Every `error` with its code, and every `rejected`, in order."""

    @classmethod
    async def open(cls, address: str) -> Self:
        """Connect to `tcp:host:port`, `tls:host:port` or `unix:/path`. Raises `OSError`, or `ValueError` for others.

        A `tls` arena needs a trusted certificate, as with the Python kit: `ARENA_CA` names the authorities to trust.
        """
        kind, _, where = address.partition(":")
        if kind == "unix" and where:
            return cls(await trio.open_unix_socket(where))
        host, _, port = where.rpartition(":")
        if kind not in ("tcp", "tls") or not host or not port.isdecimal() or int(port) > MOST_PORT:
            raise ValueError(f"{address!r} is not an address; expected unix:/path, tcp:host:port or tls:host:port")
        host = host.strip("[]")
        stream = await trio.open_tcp_stream(host, int(port))
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if kind == "tcp":
            return cls(stream)
        trust = ssl.create_default_context(cafile=os.environ.get("ARENA_CA") or None)
        secured = trio.SSLStream(stream, trust, server_hostname=host, https_compatible=True)
        try:
            await secured.do_handshake()
        except trio.BrokenResourceError as error:
            raise NoArenaError(f"it does not speak TLS: {error.__cause__}") from error
        return cls(secured)

    async def hear(self) -> list[FromArena]:
        """Wait for some messages; empty when the arena has hung up."""
        messages: list[FromArena] = []
        while not messages:
            try:
                data = await self._stream.receive_some(RECEIVE_BYTES)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                data = b""
            if not data:
                break
            messages = self._wire.receive(data)
            if self._wire.fault is not None:
                raise NoArenaError(str(self._wire.fault))
        for message in messages:
            if isinstance(message, Error):
                self.told.append(f"error {message.code}")
            elif isinstance(message, Rejected):
                self.told.append("rejected")
        return messages

    async def write(self, data: bytes) -> None:
        """Write bytes as they are. Raises `ConnectionLostError`."""
        try:
            await self._stream.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise ConnectionLostError from error

    async def say(self, *messages: FromBot) -> None:
        """Write messages with one write; nothing when the arena has said goodbye. Raises `ConnectionLostError`."""
        if not self._wire.is_closed:
            await self.write(b"".join(self._wire.send(message) for message in messages))

    async def write_map(self, fields: Any) -> None:
        """Write a frame with any value in it, a message or not. Raises `ConnectionLostError`."""
        await self.write(framed(msgspec.msgpack.encode(fields)))

    async def hang_up(self) -> None:
        """Close the connection without a word."""
        await self._stream.aclose()


def framed(payload: bytes) -> bytes:
    """A payload with its length before it."""
    return len(payload).to_bytes(4, "big") + payload


def first_legal(turn: Turn) -> Play:
    """An answer that is always legal; for turns that list the legal ones."""
    return Play(game=turn.game, turn=turn.turn, choice=0)
