"""One connection to a bot, from hello to bye."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import trio

from arena.server import chance
from arena.server.hall import Hall
from arena.server.link import Link, LinkClosedError
from protocol.connection import BOT_FRAME_BYTES, ArenaConnection, State
from protocol.errors import ErrorCode
from protocol.messages import (
    Bye,
    Error,
    FromArena,
    FromBot,
    Hello,
    Limits,
    Login,
    MatchReady,
    Ping,
    Play,
    Pong,
    Welcome,
)

if TYPE_CHECKING:
    from arena.server.bot import Bot

LOGIN_SECONDS: Final = 10.0
"""How long a connection may take to log in; nothing extends it."""

FindBot = Callable[[Login], "Bot | Error"]


class Session:
    """Reads a connection, checks the login, and hands on what the bot says."""

    def __init__(self, hall: Hall, link: Link, name: str, server: str, find_bot: FindBot) -> None:
        self.name = name
        self._hall = hall
        self._link = link
        self._server = server
        self._find_bot = find_bot
        self._connection = ArenaConnection()
        self._bot: Bot | None = None
        self._is_over = False

    def send(self, message: FromArena) -> None:
        """Put a message into the outbox; it leaves at the end of the batch."""
        if not self._connection.is_closed:
            self._link.write(self._connection.send(message))
            self._hall.dirty_link(self._link)

    def close(self, word: Bye | Error) -> None:
        """Say a last word and let go of the connection."""
        if not self._is_over:
            self._is_over = True
            if self._connection.state is not State.CLOSED:
                self._link.write(self._connection.send(word))
            self._hall.spawn(self._link.drain)

    async def run(self) -> None:
        """Serve the connection until it ends; never raises for anything a bot can do."""
        self.send(Hello(server=self._server, nonce=chance.new_nonce()))
        self._hall.end_batch()
        reason = "it hung up"
        try:
            with trio.move_on_after(LOGIN_SECONDS) as login_limit:
                while data := await self._link.read():
                    self._received(data)
                    if self._bot is not None:
                        login_limit.deadline = float("inf")
                    if self._is_over:
                        break
            if login_limit.cancelled_caught:
                self.close(_error(ErrorCode.LOGIN_TIMEOUT, "no login within 10 seconds; send login after hello"))
        except LinkClosedError as closed:
            reason = str(closed)
        if self._connection.fault is not None:
            reason = f"it broke the protocol ({self._connection.fault.code})"
        elif self._connection.unread_bytes:
            reason = "it hung up in the middle of a frame"
        self._ended(reason)
        if not self._is_over:
            self._link.abort(reason)

    def _received(self, data: bytes) -> None:
        """One batch of input."""
        now_ms = self._hall.clock.now_ms()
        for message in self._connection.receive(data):
            self._take(message, now_ms)
        fault = self._connection.fault
        if fault is not None:
            self._ended(f"it broke the protocol ({fault.code})")
            self.close(fault.to_message())
        elif self._connection.is_closed:
            self._ended("it said goodbye")
            self._is_over = True
            self._hall.spawn(self._link.drain)
        self._hall.end_batch()

    def _take(self, message: FromBot, now_ms: int) -> None:
        if isinstance(message, Play):
            if self._bot is not None:
                self._bot.play(message, now_ms)
        elif isinstance(message, Login):
            self._log_in(message)
        elif isinstance(message, MatchReady):
            if self._bot is not None:
                self._bot.match_ready(message, now_ms)
        elif isinstance(message, Ping):
            self.send(Pong(data=message.data))

    def _log_in(self, login: Login) -> None:
        bot = self._find_bot(login)
        if isinstance(bot, Error):
            self.close(bot)
            return
        bot.resume_key = chance.new_token()
        limits = Limits(frame_bytes=BOT_FRAME_BYTES, window=login.window)
        self.send(Welcome(session=self.name, resume_key=bot.resume_key, limits=limits))
        self._bot = bot
        bot.logged_in(self, login, self._hall.clock.now_ms())

    def _ended(self, reason: str) -> None:
        bot, self._bot = self._bot, None
        if bot is not None:
            bot.lost(self, reason, self._hall.clock.now_ms())
            self._hall.end_batch()


def _error(code: ErrorCode, message: str) -> Error:
    return Error(code=code, message=message, fatal=code.is_fatal)
