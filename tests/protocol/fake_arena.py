"""The arena's end of a connection, played by a test line by line over a blocking socket."""

import hashlib
import socket
from typing import Any

from protocol.connection import ArenaConnection
from protocol.greetings import Login
from protocol.messages import FromArena, FromBot, GameStart, MatchEntropy, MatchReady, MatchReveal, Message
from tests.protocol.samples import HELLO, MATCH_START, WELCOME

PATIENCE_S = 10.0  # a test that waits this long has failed


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
            self.say(GameStart(game=game, match=MATCH_START.match, number=number, seat=1, starts=True))
        return ready
