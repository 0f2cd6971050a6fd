"""A bot at the tables: its window of turns, the handles of its games, and what is out to it."""

from __future__ import annotations

from typing import Protocol

from arena.games.result import Seat
from arena.matches.facts import Measured
from arena.records.facts import FAILED
from arena.server.io import secret_values
from arena.server.io.event_loop import Asker, EventLoop
from arena.server.play.frame_trace import Trace
from arena.server.setup.account import Account, Connection
from arena.words import Said
from protocol import messages
from protocol.errors import ErrorCode
from protocol.greetings import Login
from protocol.window import Asked, TurnWindow


class PlayersTable(Asker, Protocol):
    """A match as its players need it."""

    @property
    def id(self) -> str:
        """The id of its fixture."""

    def invitation(self, seat: Seat) -> messages.MatchStart:
        """The match as a bot is told of it."""

    def game_start(self, number: int, seat: Seat, handle: int) -> messages.GameStart:
        """An open game as a bot is told of it."""

    def question(self, number: int, now_ms: int) -> Asked:
        """The turn or call of an open game, with the clocks as they are now."""

    def is_waiting_for(self, seat: Seat) -> bool:
        """Return whether the bot of this seat is not at the table, or has yet to reveal its entropy."""

    def is_decided(self, number: int) -> bool:
        """Return whether an open game has ended and its end is only kept back."""

    def bot_arrived(self, seat: Seat, commitment: bytes | None, now_ms: int) -> None:
        """A bot has taken its seat, for the first time or again."""

    def entropy_given(self, seat: Seat, entropy: bytes, now_ms: int) -> bool:
        """A bot reveals its entropy; gives whether it was asked to."""

    def confirmed(self, seat: Seat, message: messages.Confirm, now_ms: int) -> bool:
        """A bot answers a receipt; gives whether it was asked to."""

    def bot_lost(self, seat: Seat, reason: Said, *, grace_ms: int, now_ms: int) -> None:
        """A bot has lost its connection, or will never have one."""

    def given_up(self, seat: Seat, reason: Said, now_ms: int) -> None:
        """A bot has left for good."""

    def answered(
        self, number: int, asked: Asked, answer: messages.Play | messages.Called, now_ms: int, lag_ms: int
    ) -> None:
        """A bot has answered a turn or call."""

    def call_waived(self, number: int, now_ms: int) -> None:
        """The bot to move does not want to be asked for its dice."""

    def give_up(self) -> None:
        """Stop the match, which the arena itself has failed over."""


class Player:
    """One bot, for as long as its account lasts.

    It outlives its connections: turns, game handles and tables stay when a connection is lost. They are told again
    when the bot logs in again.
    """

    def __init__(self, account: Account, loop: EventLoop) -> None:
        self.account = account
        self._loop = loop
        account.on_program_end = self._program_ended
        account.on_failure = self.fail
        self.wants_legal = False
        """Whether every turn is to list the legal ones."""
        self.wants_call = False
        """Whether it wants to call for its dice where it has a choice (B11.3)."""
        self.trace = Trace()
        """The last frames of its connection, or of the one before."""
        self._connection: Connection | None = None
        self._window = TurnWindow(1)
        self._tables: dict[str, tuple[PlayersTable, Seat]] = {}
        self._confirming: dict[str, tuple[PlayersTable, Seat]] = {}
        """Where it may answer receipts: its matches until their records are closed."""
        self._handles: dict[tuple[str, int], int] = {}
        self._games: dict[int, tuple[PlayersTable, int]] = {}
        self._last_handle = 0
        self._figures: dict[int, list[int]] = {}
        """What was measured when the first turn of a game was put to a launched bot, by the handle of the game."""

    @property
    def is_awaited(self) -> bool:
        """True while something is to come from it: an answer, its entropy, or its word that it is ready for a match."""
        return not self._window.is_idle or any(table.is_waiting_for(seat) for table, seat in self._tables.values())

    def _tell_awaited(self) -> None:
        tell = self.account.tell_awaited
        if tell is not None:
            tell(self.is_awaited)

    # Coming and going

    def sit_down(self, table: PlayersTable, seat: Seat) -> None:
        """The bot is to play a match: invite it now, or when it logs in."""
        self._tables[table.id] = self._confirming[table.id] = (table, seat)
        self.account.matches = len(self._tables)
        if self._connection is not None:
            self.send(table.invitation(seat))
            for handle, number in self.open_games(table):
                self.send(table.game_start(number, seat, handle))
        self._tell_awaited()

    def stand_up(self, table: PlayersTable) -> None:
        """The match is over, and so are its open games."""
        self._tables.pop(table.id, None)
        self.account.matches = len(self._tables)
        for match, number in list(self._handles):
            if match == table.id:
                self.game_over(table, number)
        self._tell_awaited()

    def leave(self, table: PlayersTable, word: messages.MatchEnd) -> None:
        """The record of the match is closed: tell the bot how it ended, unless it knows nothing of it any more."""
        if self._confirming.pop(table.id, None) is not None:
            self.send(word)

    def connected(self, connection: Connection, trace: Trace, login: Login, now_ms: int) -> None:
        """The bot has a new connection: tell it again of everything that is open, unanswered turns included."""
        account = self.account
        self._connection = account.connection = connection
        account.login = login
        account.build = login.fingerprint
        self.trace = trace
        self.wants_legal = "legal" in login.wants
        self.wants_call = "call" in login.wants
        self._window.rewind(login.window)
        for table, seat in self._tables.values():
            self.send(table.invitation(seat))
        for handle, (table, number) in self._games.items():
            _, seat = self._tables[table.id]
            self.send(table.game_start(number, seat, handle))
        waived = []
        for asked in self._window.queued():
            table, number = self._games[asked.game]
            if table.is_decided(number):
                self._window.withdraw(asked.game)
            elif asked.__class__ is messages.Turn or self.wants_call:
                self._window.renew(table.question(number, now_ms))
            else:
                self._window.withdraw(asked.game)
                waived.append((table, number))
        for table, number in waived:  # only now: what follows may be written at once, and needs renewed clocks
            table.call_waived(number, now_ms)
        self.release()
        self._tell_awaited()
        account.on_login()

    def disconnected(self, connection: Connection, reason: Said, now_ms: int, *, gives_up: bool) -> None:
        """The connection is gone; its clocks run on, unless the bot gives its matches up."""
        if self._connection is not connection:
            return
        account = self.account
        self._connection = account.connection = None
        if account.is_launched:
            # the old program cannot log in again: the arena starts a new one, or none
            account.token = secret_values.new_token()
        if not account.is_dismissed:
            account.on_loss(reason)
        for table, seat in list(self._tables.values()):
            if gives_up:
                table.given_up(seat, reason, now_ms)
            else:
                table.bot_lost(seat, reason, grace_ms=account.grace_ms, now_ms=now_ms)

    def _program_ended(self, reason: Said, now_ms: int) -> None:
        """The program of a launched bot has ended. If it has no connection, it is lost."""
        if self._connection is None:
            for table, seat in list(self._tables.values()):
                table.bot_lost(seat, reason, grace_ms=0, now_ms=now_ms)

    def fail(self) -> None:
        """The arena itself has failed over this bot: void all its matches, and end its connection.

        Nothing is kept of what was open with it, since nobody knows what of that is still in order.
        """
        account, connection = self.account, self._connection
        tables = [table for table, _ in self._tables.values()]
        for known in (self._tables, self._confirming, self._handles, self._games, self._figures):
            known.clear()
        self._window = TurnWindow(self._window.size)
        self._connection = account.connection = None
        account.matches = 0
        if account.is_launched:
            account.token = secret_values.new_token()
        for table in tables:
            table.give_up()
        if connection is not None:
            connection.close(ErrorCode.INTERNAL.to_message("the arena failed over this bot; it costs no game"))
            try:
                account.on_loss(FAILED)
            except Exception as error:  # noqa: BLE001 - there is nothing left that it could harm
                self._loop.failed(error)

    # What it says

    def match_ready(self, message: messages.MatchReady, now_ms: int) -> None:
        """It accepts an invitation, for the first time or again after it was gone."""
        known = self._tables.get(message.match)
        if known is None:
            text = f"no match {message.match!r} waits for this bot; answer match_start with its own match"
            self.send(ErrorCode.UNKNOWN_MATCH.to_message(text))
            return
        table, seat = known
        table.bot_arrived(seat, message.commitment, now_ms)
        self._tell_awaited()

    def match_entropy(self, message: messages.MatchEntropy, now_ms: int) -> None:
        """It reveals its entropy for a match."""
        known = self._tables.get(message.match)
        if known is None or not known[0].entropy_given(known[1], message.entropy, now_ms):
            text = f"no match {message.match!r} waits for this bot's entropy; answer match_reveal once, with its match"
            self.send(ErrorCode.UNKNOWN_MATCH.to_message(text))

    def answered(self, answer: messages.Play | messages.Called, now_ms: int, lag_ms: int = 0) -> bool:
        """It answers a turn or call; the answer may have lain unread for `lag_ms`. Returns whether it was awaited."""
        asked = self._window.answer(answer)
        if asked.__class__ is messages.Error:
            self.send(asked)
            return False
        table, number = self._games[answer.game]
        table.answered(number, asked, answer, now_ms, lag_ms)  # type: ignore[arg-type]  # no messages.Error, by its class
        if self._window.waiting:
            self.release()
        self._tell_awaited()
        return True

    def confirm(self, message: messages.Confirm, now_ms: int) -> bool:
        """It answers the receipt of a game; gives whether it was asked to."""
        known = self._confirming.get(message.match)
        if known is not None and known[0].confirmed(known[1], message, now_ms):
            return True
        text = (
            f"no receipt of {message.lines} lines of match {message.match!r} waits for this bot; answer game_end once, "
            "at once, with the lines of its receipt, and give a public_key at login"
        )
        self.send(ErrorCode.UNKNOWN_MATCH.to_message(text))
        return False

    # What it is told

    @property
    def is_connected(self) -> bool:
        """True while the bot is connected."""
        return self._connection is not None

    def send(self, message: messages.FromArena) -> None:
        """Put a message into the outbox. Without a connection this does nothing."""
        if self._connection is not None:
            try:
                self._connection.send(message)
            except Exception as error:  # noqa: BLE001 - it ends this connection, and what others are told goes on
                self._send_failed(error)

    def _send_failed(self, error: Exception) -> None:
        """The arena itself has failed over a message: give the bot up before anything else is recorded."""
        self._loop.failed(error)
        self._loop.failing.append(self.fail)

    def handle_of(self, table: PlayersTable, number: int) -> int:
        """The small number that stands for a game on this bot's connection, until the game ends."""
        key = (table.id, number)
        handle = self._handles.get(key)
        if handle is None:
            self._last_handle = handle = self._last_handle + 1
            self._handles[key] = handle
            self._games[handle] = (table, number)
        return handle

    def open_games(self, table: PlayersTable) -> list[tuple[int, int]]:
        """Handle and number of each open game of a match."""
        return [(handle, number) for (match, number), handle in self._handles.items() if match == table.id]

    def put(self, question: Asked, now_ms: int) -> None:
        """Ask the bot for a turn or call; it is written as soon as the window allows."""
        if self._window.put(question):
            if self.account.figures is not None:
                self._measure(question.game)
            if self._connection is not None:
                try:
                    self._connection.send(question, now_ms)
                except Exception as error:  # noqa: BLE001 - as in `send`
                    self._send_failed(error)
            self._loop.questions.append(self._games[question.game])
        self._tell_awaited()

    def release(self) -> None:
        """Put what the window allows into the outbox. Its clock runs even without a connection."""
        for question in self._window.release():
            self.send(question)
            self._loop.questions.append(self._games[question.game])
            self._measure(question.game)

    def _measure(self, handle: int) -> None:
        if self.account.figures is not None and handle not in self._figures:
            self._figures[handle] = self.account.figures()

    def measured(self, table: PlayersTable, number: int) -> Measured | None:
        """Return what was measured since its first turn of a game; None if nothing is known of it."""
        before = self._figures.get(self.handle_of(table, number))
        if before is None or self.account.figures is None:
            return None
        cpu, starved, steal, pressure = (
            max(0, now_ns - before_ns) // 10**6
            for now_ns, before_ns in zip(self.account.figures(), before, strict=True)
        )
        return Measured(cpu_ms=cpu, starved_ms=starved, steal_ms=steal, pressure_ms=pressure)

    def withdraw_waiting(self) -> None:
        """Take back all turns and calls that still wait for room in the window."""
        for asked in self._window.queued():
            self._window.withdraw(asked.game)

    def reopen(self, question: messages.Turn | messages.Call) -> None:
        """Open a turn or call again whose answer was rejected."""
        self._window.reopen(question)

    def game_over(self, table: PlayersTable, number: int) -> None:
        """Forget a game: its handle means nothing from now on, and its place in the window is free."""
        handle = self._handles.pop((table.id, number), None)
        if handle is not None:
            self._games.pop(handle, None)
            self._figures.pop(handle, None)
            self._window.drop(handle)
            self.release()
            self._tell_awaited()
