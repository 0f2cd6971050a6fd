"""Plays a bot over a blocking socket: connect, log in, answer until the arena says goodbye."""

import argparse
import os
import socket
import ssl
import sys
from typing import Final

from protocol.client.bot import Bot, CallView, TurnView, to_called, to_play, wishes
from protocol.connection import BotConnection, State
from protocol.errors import ProtocolError
from protocol.messages import (
    PROTOCOL,
    Call,
    Error,
    FromArena,
    FromBot,
    GameEnd,
    GameStart,
    Hello,
    Login,
    MatchEnd,
    MatchReady,
    MatchStart,
    Ping,
    Pong,
    Rejected,
    Turn,
)

_READ_BYTES: Final = 64 * 1024
_BATCH_BYTES: Final = 4 * 1024 * 1024
"""What is read at most before the bot is asked, so that a stream without end cannot keep it from answering."""
_ENTROPY_BYTES: Final = 32
_HOW_TO_START: Final = (
    "start the bot through the arena (arena run --bot NAME=COMMAND ...), which sets ARENA_ADDRESS, ARENA_NAME "
    "and ARENA_TOKEN, or give --address, --name and --token"
)


def main(bot: Bot) -> None:
    """Play as the command line or else the environment says, then leave the program.

    Exit code 0: the arena said goodbye or closed after the login; 1: a fatal error, one line on stderr;
    2: wrong use. What `play` raises is not caught.
    """
    parser = argparse.ArgumentParser(description=f"The bot {bot.name or type(bot).__name__}.")
    parser.add_argument("--address", default=os.environ.get("ARENA_ADDRESS"), help="unix:/path or tcp:host:port")
    parser.add_argument("--name", default=os.environ.get("ARENA_NAME") or bot.name, help="entrant to play as")
    parser.add_argument("--token", default=os.environ.get("ARENA_TOKEN"), help="secret that goes with the name")
    given = parser.parse_args()
    missing = [option for option in ("address", "name", "token") if not getattr(given, option)]
    if missing:
        parser.error(f"no {' and no '.join(missing)} is given; {_HOW_TO_START}")
    sys.exit(run(bot, given.address, given.name, given.token))


def run(bot: Bot, address: str, name: str, token: str) -> int:
    """Play at an address until the arena says goodbye; give the exit code (0 or 1, then with a line on stderr)."""
    try:
        stream = connect(address)
    except (OSError, ValueError) as error:
        return _fail(f"cannot connect to {address}: {error}")
    with stream:
        return play_over(stream, bot, name, token)


def play_over(stream: socket.socket, bot: Bot, name: str, token: str) -> int:
    """Play over a stream that is connected already; give the exit code as `run` does."""
    return _Session(bot, stream).play(name, token)


def connect(address: str) -> socket.socket:
    """Open a blocking stream to `unix:/path`, `tcp:host:port` or `tls:host:port`.

    Raises:
        ValueError: the address has another form.
        OSError: nobody answers there, or a certificate is not trusted.
    """
    kind, _, where = address.partition(":")
    if kind == "unix" and where:
        return _opened(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM), where)
    host, _, port = where.rpartition(":")
    if kind not in {"tcp", "tls"} or not host or not port.isdecimal():
        raise ValueError("the address must be unix:/path, tcp:host:port or tls:host:port")
    host = host.strip("[]")
    stream = socket.create_connection((host, int(port)))
    # Without this the system may hold back a small answer for 40 ms, at the expense of the bot's clock.
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if kind == "tcp":
        return stream
    with stream:  # closed if the handshake fails; otherwise the secured stream has taken it over
        return ssl.create_default_context().wrap_socket(stream, server_hostname=host)


def _opened(stream: socket.socket, path: str) -> socket.socket:
    try:
        stream.connect(path)
    except OSError:
        stream.close()
        raise
    return stream


class _Session:
    """One connection from `hello` to `bye`: the matches and games that are open, and the turns that wait."""

    def __init__(self, bot: Bot, stream: socket.socket) -> None:
        self._bot = bot
        self._stream = stream
        self._wire = BotConnection()
        self._matches: dict[str, MatchStart] = {}
        self._games: dict[int, GameStart] = {}
        self._asked: dict[int, TurnView | CallView] = {}  # the open turn or call of each game
        self._waiting: list[TurnView | CallView] = []

    def play(self, name: str, token: str) -> int:
        """Run the session to its end and give the exit code."""
        while not self._wire.is_closed:
            data = self._read()
            if not data:
                if self._wire.unread_bytes:
                    return _fail("the arena hung up in the middle of a message")
                if self._wire.state is not State.OPEN:
                    return _fail("the arena hung up before it said welcome")
                return 0
            for message in self._wire.receive(data):
                if isinstance(message, Hello):
                    self._send(self._login(name, token))
                elif isinstance(message, Error):
                    failure = _fail(f"the arena says {message.code}: {message.message}")
                    if message.fatal:
                        return failure
                else:
                    self._hear(message)
            self._answer()
        if self._wire.fault is not None:
            return self._blame(self._wire.fault)
        return 0

    def _login(self, name: str, token: str) -> Login:
        bot = self._bot
        return Login(
            protocol=PROTOCOL,
            name=name,
            version=bot.version,
            token=token,
            window=bot.window,
            wants=wishes(bot),
            fingerprint=bot.fingerprint,
        )

    def _hear(self, message: FromArena) -> None:
        bot = self._bot
        match message:
            case MatchStart():
                self._matches[message.match] = message
                bot.match_start(message)
                self._send(MatchReady(match=message.match, entropy=os.urandom(_ENTROPY_BYTES)))
            case GameStart():
                self._games[message.game] = message
                bot.game_start(message)
            case Turn() | Call():
                self._ask(message)
            case Rejected():
                asked = self._asked[message.game]
                bot.rejected(message, asked)
                if message.left >= 0:
                    self._waiting.append(asked)
            case GameEnd():
                self._waiting = [view for view in self._waiting if view.message.game != message.game]
                self._asked.pop(message.game, None)
                self._games.pop(message.game, None)
                bot.game_end(message)
            case MatchEnd():
                bot.match_end(message)
                self._matches.pop(message.match, None)
            case Ping():
                self._send(Pong(data=message.data))
            case _:
                pass

    def _ask(self, message: Turn | Call) -> None:
        """Have the bot answer, when everything that came in with the same read has been heard."""
        start = self._games[message.game]
        match = self._matches[start.match]
        view = TurnView(message, start, match) if isinstance(message, Turn) else CallView(message, start, match)
        self._asked[message.game] = view
        self._waiting.append(view)

    def _answer(self) -> None:
        """Have the bot answer all that has come in, the calls for dice first.

        Each answer is written as soon as the bot has given it; those it gives all together, with one write.
        """
        waiting, self._waiting = self._waiting, []
        if not waiting or self._wire.is_closed:
            return
        for call in waiting:
            if isinstance(call, CallView):
                self._send(to_called(call.message, self._bot.call(call)))
        turns = [view for view in waiting if isinstance(view, TurnView)]
        if not turns:
            return
        replies = self._bot.play_many(turns)
        plays = (to_play(view.message, reply) for view, reply in zip(turns, replies, strict=True))
        if isinstance(replies, list | tuple):
            self._send(*plays)
        else:
            for play in plays:
                self._send(play)

    def _read(self) -> bytes:
        """Wait for bytes; a bot with a window gets everything that is there by now, so that its batches are whole."""
        data = self._receive()
        if self._bot.window > 1:
            timeout = self._stream.gettimeout()
            self._stream.settimeout(0)
            while data and len(data) < _BATCH_BYTES and (more := self._receive()):
                data += more
            self._stream.settimeout(timeout)
        return data

    def _receive(self) -> bytes:
        """Some bytes; empty at the end of the stream, or at once when nothing is there and the stream does not wait."""
        try:
            return self._stream.recv(_READ_BYTES)
        except (ConnectionResetError, BlockingIOError, ssl.SSLWantReadError):
            return b""

    def _send(self, *messages: FromBot) -> None:
        """Write messages with one call."""
        if self._wire.state is State.CLOSED:
            return
        frames = b"".join(map(self._wire.send, messages))
        try:
            self._stream.sendall(frames)
        except (BrokenPipeError, ConnectionResetError):
            # The arena has hung up; its last words may still be there to read, and reading ends the session.
            return

    def _blame(self, fault: ProtocolError) -> int:
        self._send(fault.to_message())
        return _fail(f"the arena broke the protocol, {fault}")


def _fail(reason: str) -> int:
    """Tell the person at the terminal, and give the exit code that says so to programs."""
    sys.stderr.write(f"{reason}\n")
    return 1
