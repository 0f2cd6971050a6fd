"""The arena's end of a connection, played by a test line by line over a blocking socket."""

import hashlib
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from protocol.connection import ArenaConnection
from protocol.greetings import Limits, Login, Welcome
from protocol.messages import (
    FromArena,
    FromBot,
    GameStart,
    MatchEntropy,
    MatchReady,
    MatchReveal,
    Message,
)
from tests.protocol.samples import HELLO, MATCH_START, WELCOME

PATIENCE_S = 30.0
"""Far more than any bot takes on a busy machine; one that hangs fails its test."""
CAN_RETURN = Welcome(
    session="s1",
    resume_key="first key",
    limits=Limits(frame_bytes=65_536, window=1, grace_ms=20_000),
)


class FakeArena:
    """Says what it is told and insists on what it hears."""

    def __init__(self, stream: socket.socket) -> None:
        stream.settimeout(PATIENCE_S)
        self.stream = stream
        self.wire = ArenaConnection()
        self.heard: list[FromBot] = []

    def say(self, *messages: FromArena) -> None:
        self.stream.sendall(b"".join(self.wire.send(message) for message in messages))

    def hear(self) -> Message:
        while not self.heard:
            data = self.stream.recv(65_536)
            assert data, "the bot hung up"
            self.heard += self.wire.receive(data)
            assert self.wire.fault is None, self.wire.fault
        return self.heard.pop(0)

    def expect(self, cls: type[Any]) -> Any:
        message = self.hear()
        assert isinstance(message, cls), message
        return message

    def expect_end(self) -> None:
        assert self.heard == []
        assert self.stream.recv(1) == b""

    def greet(self) -> Login:
        """Say hello; gives the login that answers it."""
        self.say(HELLO)
        login: Login = self.expect(Login)
        return login

    def welcome(self) -> Login:
        login = self.greet()
        self.say(WELCOME)
        return login

    def start(self, *games: int) -> MatchReady | MatchEntropy:
        """Open the sample match and these games of it; gives the last the bot says before them."""
        self.say(MATCH_START)
        ready: MatchReady | MatchEntropy = self.expect(MatchReady)
        if ready.commitment is not None:
            committed = ready.commitment
            self.say(MatchReveal(match=ready.match))
            ready = self.expect(MatchEntropy)
            assert hashlib.sha256(ready.entropy).digest() == committed
        for number, game in enumerate(games, 1):
            self.say(
                GameStart(game=game, match=MATCH_START.match, number=number, seat=1, starts=True)
            )
        return ready


class Door:
    """Where bots come in: a socket that listens, and an arena for every connection."""

    def __init__(self, listener: socket.socket, address: str) -> None:
        listener.settimeout(PATIENCE_S)
        self._listener = listener
        self.address = address

    @contextmanager
    def open(self) -> Iterator[FakeArena]:
        """Wait for a bot to connect; hang up at the end."""
        stream, _ = self._listener.accept()
        with stream:
            yield FakeArena(stream)

    @contextmanager
    def refuse(self) -> Iterator[None]:
        """Let one bot connect that does not like what it finds: it hangs up in the handshake."""

        def shake_hands() -> None:
            with suppress(ssl.SSLError, ConnectionError), self.open():
                pass

        arena = threading.Thread(target=shake_hands)
        arena.start()
        yield
        arena.join()


@contextmanager
def unix_door(folder: Path) -> Iterator[Door]:
    path = folder / "arena.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        yield Door(listener, f"unix:{path}")


@contextmanager
def tcp_door(host: str = "127.0.0.1") -> Iterator[Door]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as listener:
        port = listener.getsockname()[1]
        yield Door(listener, f"tcp:[{host}]:{port}" if ":" in host else f"tcp:{host}:{port}")


@contextmanager
def tls_door(certificate: Path, key: Path, host: str = "localhost") -> Iterator[Door]:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        context.wrap_socket(listener, server_side=True) as secured,
    ):
        yield Door(secured, f"tls:{host}:{secured.getsockname()[1]}")
