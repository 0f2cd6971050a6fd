"""A bad network: passes bytes between bots and the arena, and breaks connections at random moments."""

from __future__ import annotations

import random
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass

from protocol.client import connect


class BadConnections:
    """Listens on loopback and connects on to an arena; each connection breaks after so many bytes, some in mid-frame.

    `cuts` is how many connections break before those that hold.
    """

    def __init__(
        self, address: str, *, cuts: int, bytes_between: tuple[int, int], seed: int
    ) -> None:
        self._onward = address
        self._cuts = cuts
        self.broken = 0
        """How many connections have been broken."""
        self._between = bytes_between
        self._chance = random.Random(seed)
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Break everything and listen no more."""
        with self._lock:
            for sock in (self._listener, *self._open):
                _hang_up(sock)

    def _accept(self) -> None:
        with suppress(OSError):  # the listener was closed
            while True:
                near, _ = self._listener.accept()
                far = connect(self._onward)
                with self._lock:
                    self._open += [near, far]
                    connection = _Connection(
                        self._chance.randint(*self._between) if self._cuts else None
                    )
                    self._cuts -= bool(self._cuts)
                for one, other in ((near, far), (far, near)):
                    threading.Thread(
                        target=self._pass_on, args=(connection, one, other), daemon=True
                    ).start()

    def _pass_on(self, connection: _Connection, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):  # broken from the other side
            while data := one.recv(4096):
                if connection.left is not None:
                    with self._lock:
                        data = data[: connection.left]
                        connection.left -= len(data)
                other.sendall(data)
                if connection.left == 0:
                    break
        with self._lock:
            self.broken += connection.left == 0 and not connection.is_over
            connection.is_over = True
        _hang_up(one)
        _hang_up(other)


@dataclass
class _Connection:
    left: int | None
    """How many bytes of both directions may still pass; None without end."""
    is_over: bool = False


def _hang_up(sock: socket.socket) -> None:
    with suppress(OSError):  # it has been hung up already
        sock.shutdown(socket.SHUT_RDWR)
    sock.close()
