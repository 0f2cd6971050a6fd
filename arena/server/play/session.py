"""One connection to a bot, from hello to bye."""

import weakref
from collections.abc import Callable
from functools import partial
from typing import Final

from arena.records.facts import FAILED
from arena.server.io import secret_values
from arena.server.io.door_reasons import NO_VENUE, english
from arena.server.io.event_loop import EventLoop
from arena.server.io.failures import ends_itself_alone
from arena.server.io.link import Link
from arena.server.play.frame_trace import Trace
from arena.server.play.player import Player
from arena.words import Said, say
from protocol import messages
from protocol.connection import BOT_FRAME_BYTES, ArenaConnection, State
from protocol.errors import ErrorCode
from protocol.greetings import Hello, Join, Joined, Limits, Login, Welcome
from protocol.messages import Called, Play

LOGIN_SECONDS: Final = 10.0
"""Time that a connection may take to log in. Nothing extends it."""

LOGINS_A_SECOND: Final = 10
"""Logins of one bot that are answered a second: each may cost two lines of a record."""

PINGS: Final = 4
"""Pings to a silent bot in the time for which it may be silent."""


UNASKED: Final = 1024
"""Unasked messages that a connection may send at once: some 10 ms of the arena's time."""
UNASKED_A_SECOND: Final = 20
"""Further unasked messages allowed a second."""
UNASKED_AN_ANSWER: Final = 4
"""Further unasked messages allowed for each awaited answer, however fast the games are."""

FindPlayer = Callable[[Login], Player | messages.Error]
"""Finds the player of a login, or says why the login is refused."""
AnswerJoin = Callable[[Join], Joined | messages.Error]
"""Gives an account to a new bot, or says why it gets none."""


def refuse_to_join(_wish: Join) -> messages.Error:
    """Refuse: only a venue that stays open has accounts to give."""
    return ErrorCode.CANNOT_JOIN.to_message(NO_VENUE)


class Session:
    """Reads a connection, checks the login, and hands on what the bot says."""

    def __init__(
        self,
        loop: EventLoop,
        link: Link,
        name: str,
        server: str,
        find_player: FindPlayer,
    ) -> None:
        self.name = name
        self._loop = loop
        self._link = link
        self._server = server
        self._find_player = find_player
        self.answer_join: AnswerJoin = refuse_to_join
        self._connection = ArenaConnection()
        self.trace = Trace()
        """The last frames."""
        self._player: Player | None = None
        self.has_logged_in = False
        self._is_over = False
        self.last_word: messages.Bye | messages.Error | Joined | None = None
        """The last message of the arena."""
        self._heard_ms = loop.clock.now_ms()
        self._answers = 0
        """Awaited answers since an unasked message was last counted."""
        self._unasked_left = float(UNASKED)
        self._unasked_ms = self._heard_ms
        """When an unasked message was last counted."""
        self.has_failed = False
        """True if it was ended because the arena itself failed over it."""
        self.make_up: Callable[[], object] = lambda: None
        """Called when the arena has failed over it before its bot could play."""
        link.on_stall = self._stalled
        link.on_failure = self.fail

    def send(self, message: messages.FromArena, at_ms: int | None = None) -> None:
        """Put a message into the outbox, with this time or now. It leaves when the batch ends."""
        if not self._connection.is_mute:
            frame = self._connection.send(message)
            if self._link.write(frame):
                self._loop.dirty_link(self._link)
            if self._player is not None:
                if at_ms is None:
                    at_ms = self._loop.clock.now_ms()
                self.trace.keep((at_ms, None, frame))

    def take_back(self) -> None:
        """Forget what was put into the outbox in this batch."""
        self._link.take_back()

    @ends_itself_alone
    def close(self, word: messages.Bye | messages.Error | Joined) -> None:
        """Say a last word and let go of the connection."""
        if not self._is_over:
            self._is_over = True
            self.last_word = word
            if self._connection.state is not State.CLOSED:
                self._link.write(self._connection.send(word))
            self._link.close()

    @ends_itself_alone
    def stop(self, word: messages.Error | None = None) -> None:
        """Close the connection, since the arena stops. No bot is blamed.

        The word is said if the system takes it at once. A bot that hears none comes back.
        """
        try:
            self._player = None
            if word and not self._is_over:
                self.send(word)
            self._is_over = True
            self._link.part(Said("lost.stopped"))
        finally:
            self._link.abort(Said("lost.stopped"))  # nothing runs any more that could do so later

    def begin(self) -> None:
        """Say hello. The time to log in starts now."""
        self.send(Hello(server=self._server, nonce=secret_values.new_nonce()))
        limit_ms = self._loop.clock.now_ms() + int(LOGIN_SECONDS * 1000)
        check = partial(_login_due, weakref.ref(self))
        self._loop.deadlines.at(limit_ms, check)
        self._loop.end_batch()

    @ends_itself_alone
    def check_login(self) -> None:
        """Close the connection if no bot has logged in on it."""
        if not self.has_logged_in and not self._is_over:
            code = "door.no_login" if self._link.is_open else "door.no_handshake"
            text = english(code, seconds=int(LOGIN_SECONDS))
            self.close(ErrorCode.LOGIN_TIMEOUT.to_message(text))

    @ends_itself_alone
    def _check_idle(self, now_ms: int) -> int | None:
        """Ping a silent bot, and close the connection if it does not answer.

        Returns when to check again.
        """
        player = self._player
        if player is None:
            return None
        idle_ms = player.account.idle_ms
        if player.is_awaited:  # it may be thinking: its clock or its start-up deadline runs
            self._heard_ms = now_ms
        silent_ms = now_ms - self._heard_ms
        if silent_ms >= idle_ms:
            self._lose(Said("lost.silent"))
            text = f"nothing was heard for {silent_ms} ms, not even a pong; answer every ping"
            self.close(ErrorCode.IDLE_TIMEOUT.to_message(text))
            self._loop.end_batch()
            return None
        if silent_ms >= idle_ms // PINGS:
            self.send(messages.Ping())
            self._loop.end_batch()
        return min(now_ms + max(1, idle_ms // PINGS), self._heard_ms + idle_ms)

    def _stalled(self, reason: Said) -> None:
        self._lose(reason)
        text = f"{say(reason)}; read while you think, or in time"
        self.close(ErrorCode.SLOW_READER.to_message(text))
        self._loop.end_batch()

    def _unasked(self, now_ms: int) -> None:
        """Count a ping, a stale answer, or one to an unknown match: too many are flooding."""
        by_time = (now_ms - self._unasked_ms) * UNASKED_A_SECOND / 1000
        by_answers = self._answers * UNASKED_AN_ANSWER
        self._unasked_left = min(UNASKED, self._unasked_left + by_time + by_answers) - 1
        self._unasked_ms = now_ms
        self._answers = 0
        if self._unasked_left < 0 and not self._is_over:
            self._lose(Said("lost.flooded"))
            text = (
                f"more than {UNASKED} messages that the arena did not wait for, "
                f"and {UNASKED_A_SECOND} a second; send fewer"
            )
            self.close(ErrorCode.FLOODING.to_message(text))

    def received(self, part: bytes) -> None:
        """Handle one batch of input, never empty.

        Raises only `DiskError`, when a record cannot be written.
        """
        now_ms, lag_ms = self._loop.now_and_lag_ms()
        self._heard_ms = now_ms
        connection = self._connection
        if self._player is not None:
            self.trace.keep((now_ms, not connection.unread_bytes, part))
        try:
            for message in connection.receive(part):
                player = self._player
                if player is not None and isinstance(message, (Play, Called)):
                    if player.games.answered(message, now_ms, lag_ms):
                        self._answers += 1
                    else:
                        self._unasked(now_ms)
                else:
                    self._handle(message, now_ms)
            if connection.is_closed:
                self._stopped_listening()
        except Exception as error:  # noqa: BLE001 - any bug is told, and harms no other bot
            self.fail(error)
        self._loop.end_batch()

    def fail(self, error: Exception) -> None:
        """Void the bot's matches, and tell it no details: the arena itself has failed over it.

        Raises `DiskError`: nothing may go on that is not recorded.
        """
        self._loop.failed(error)
        self.has_failed = True
        if self._is_over:
            self._link.abort(FAILED)
        player, self._player = self._player, None
        if player is not None:
            player.fail()
        elif not self.has_logged_in:
            self.make_up()
        text = "the arena failed over this connection; it costs no game"
        self.close(ErrorCode.INTERNAL.to_message(text))
        self._loop.end_batch()

    def ended(self, reason: Said) -> None:
        """End the connection: the stream has ended, or broke."""
        if self._connection.unread_bytes:
            reason = Said("lost.in_frame")
        self.cut(reason)

    @ends_itself_alone
    def cut(self, reason: Said) -> None:
        """Close the connection without a last message: the bot is gone."""
        self._lose(reason)
        if not self._is_over:
            self._is_over = True
            self._link.abort(reason)
        self._loop.end_batch()

    @ends_itself_alone
    def replace(self) -> None:
        """Close the connection: the bot has come back on another one, with this one's key."""
        text = "the bot has logged in again on another connection"
        self.send_away(ErrorCode.ALREADY_CONNECTED.to_message(text), Said("lost.replaced"))

    @ends_itself_alone
    def send_away(self, word: messages.Error, reason: Said) -> None:
        """Say a last word and close the connection: the bot is gone at once, for this reason."""
        self._lose(reason)
        self.close(word)

    def _stopped_listening(self) -> None:
        """End the connection: the bot said goodbye, or it broke the protocol."""
        fault = self._connection.fault
        if fault is not None:
            self._lose(Said("lost.protocol", {"code": str(fault.code)}))
            self.close(fault.to_message())
        else:
            self._lose(Said("lost.bye"), gives_up=True)
            if not self._is_over:
                self._is_over = True
                self._link.close()

    def _handle(self, message: messages.FromBot, now_ms: int) -> None:
        """Handle a message that is no answer to a turn or call."""
        if isinstance(message, Login):
            self._log_in(message)
            return
        if isinstance(message, Join):
            self.close(self.answer_join(message))
            return
        player = self._player
        if player is not None and isinstance(message, messages.Confirm | messages.GameReady):
            if player.said(message, now_ms):
                self._answers += 1
            else:
                self._unasked(now_ms)
            return
        self._unasked(now_ms)
        player = self._player  # None if this was flooding
        if isinstance(message, messages.Ping):
            self.send(messages.Pong(data=message.data))
        elif player is not None and isinstance(
            message,
            messages.MatchReady | messages.MatchEntropy,
        ):
            player.said(message, now_ms)

    def _log_in(self, login: Login) -> None:
        """Let a bot in, at its time, or close the connection with the reason."""
        player = self._find_player(login)
        if isinstance(player, messages.Error):
            self.close(player)
            return
        account = player.account
        now_ms = self._loop.clock.now_ms()
        if account.waiting is not None:  # an older login has not been answered yet
            account.waiting.replace()
            account.waiting = None
        if now_ms < account.login_due_ms:
            account.waiting = self
            log_in = partial(self._log_in_late, player, login)
            self._loop.deadlines.at(account.login_due_ms, log_in)
        else:
            self._welcome(player, login, now_ms)

    @ends_itself_alone
    def _log_in_late(self, player: Player, login: Login, now_ms: int) -> None:
        """Answer a login that had to wait, unless a newer one replaced it or the bot is gone."""
        if player.account.waiting is not self:
            return
        player.account.waiting = None
        if not self._is_over:
            self._welcome(player, login, now_ms)
            self._loop.end_batch()

    def _welcome(self, player: Player, login: Login, now_ms: int) -> None:
        """Welcome a bot, which replaces its earlier connection."""
        account = player.account
        if account.connection is not None:
            account.connection.replace()
        if not account.is_launched:  # a launched bot cannot come back
            account.login_due_ms = now_ms + 1000 // LOGINS_A_SECOND
        account.resume_key = secret_values.new_token()
        limits = Limits(
            frame_bytes=BOT_FRAME_BYTES,
            window=login.window,
            grace_ms=account.grace_ms,
        )
        self.send(
            Welcome(
                session=self.name,
                resume_key=account.resume_key,
                limits=limits,
            )
        )
        self.trace.hide(login.token, login.resume or "", account.resume_key)
        self._player = player
        self.has_logged_in = True
        player.connected(self, self.trace, login, now_ms)
        if account.idle_ms:
            self._loop.deadlines.at(now_ms + account.idle_ms // PINGS, self._check_idle)

    def _lose(self, reason: Said, *, gives_up: bool = False) -> None:
        """Tell the player that the connection is gone, and whether its bot gives its matches up."""
        player, self._player = self._player, None
        if player is None:
            return
        try:
            player.disconnected(self, reason, self._loop.clock.now_ms(), gives_up=gives_up)
        except Exception as error:  # noqa: BLE001 - any bug is told, and harms no other bot
            self._loop.failed(error)
            player.fail()


def _login_due(session: weakref.ref[Session], _now_ms: int) -> None:
    """Check the login: the time for it is over.

    Until then nothing keeps the session: connections may come and go by thousands.
    """
    open_session = session()
    if open_session is not None:
        open_session.check_login()
