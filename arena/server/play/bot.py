"""A bot as the arena knows it: one login's worth of rights, its connection while it has one, its open turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from arena.matches.facts import Seat
from arena.server.io import secret_values
from arena.server.play.frame_trace import Trace
from protocol.errors import ErrorCode
from protocol.messages import Bye, Call, Called, Error, FromArena, Login, MatchReady, Play, Turn
from protocol.window import TurnWindow

if TYPE_CHECKING:
    from arena.server.play.session import Session
    from arena.server.play.table import Table
    from arena.server.programs.program import LaunchedProgram


class Bot:
    """One entrant's bot: for the whole run if it connects from elsewhere, for one match if the arena launches it.

    It outlives its connections: turns, game handles and tables stay when a connection is lost, and are told again
    when the same bot logs in once more.
    """

    def __init__(self, name: str, token: str, *, grace_ms: int) -> None:
        self.name = name
        self.token = token
        self.grace_ms = grace_ms
        """How long it may stay away in mid-game; 0 for a launched bot, which nobody would bring back."""
        self.session: Session | None = None
        self.login: Login | None = None
        """What it said of itself when it logged in last."""
        self.build: str | None = None
        """The fingerprint with which it first came, to this run or to a match that goes on; it may not change."""
        self.wants_legal = False
        """Whether every turn is to list the legal ones."""
        self.wants_call = False
        """Whether it wants to call for its dice where it has a choice (B11.3)."""
        self.resume_key = ""
        self.trace = Trace()
        """The last frames of its connection, or of its last one."""
        self.program: LaunchedProgram | None = None
        """What the arena starts for it; None for a bot that connects from elsewhere."""
        self.on_login: Callable[[], None] | None = None
        self.on_call: Callable[[], None] | None = None
        """Set for a launched bot: starts its program if it is not running."""
        self.on_loss: Callable[[str], None] | None = None
        """Told why the connection was lost, before it costs anything; not after a goodbye."""
        self._is_dismissed = False
        self._window = TurnWindow(1)
        self._tables: dict[str, tuple[Table, Seat]] = {}
        self._handles: dict[tuple[str, int], int] = {}
        self._games: dict[int, tuple[Table, int]] = {}
        self._last_handle = 0

    @property
    def version(self) -> str:
        """The version it gave; empty before it has logged in."""
        return self.login.version if self.login else ""

    @property
    def fingerprint(self) -> str:
        """The fingerprint of its build; empty before it has logged in."""
        return self.login.fingerprint if self.login else ""

    @property
    def is_awaited(self) -> bool:
        """Whether something is to come from it: an answer, or its word that it is ready for a match."""
        if self._window.outstanding() or self._window.has_queued:
            return True
        return any(table.is_without(seat) for table, seat in self._tables.values())

    @property
    def is_seated(self) -> bool:
        """Whether it is wanted for a match that is not over."""
        return bool(self._tables)

    # Coming and going

    def sit_down(self, table: Table, seat: Seat) -> None:
        """The bot is to play a match: invite it now, or when it logs in."""
        self._tables[table.match] = (table, seat)
        if self.session is not None:
            self.send(table.invitation(seat))
            for handle, number in self.open_games(table):
                self.send(table.game_start(number, self, handle))

    def stand_up(self, table: Table, now_ms: int) -> None:
        """The match is over; so is every game of it that was open."""
        del self._tables[table.match]
        for match, number in list(self._handles):
            if match == table.match:
                self.game_over(table, number, now_ms)

    def logged_in(self, session: Session, login: Login, now_ms: int) -> None:
        """A new connection of this bot: tell it again of everything that is open, unanswered turns included."""
        self.session = session
        self.login = login
        self.build = login.fingerprint
        self.wants_legal = "legal" in login.wants
        self.wants_call = "call" in login.wants
        self._window.rewind(login.window)
        for table, seat in self._tables.values():
            self.send(table.invitation(seat))
        for handle, (table, number) in self._games.items():
            self.send(table.game_start(number, self, handle))
        waived = []
        for asked in self._window.queued():
            table, number = self._games[asked.game]
            if table.is_decided(number):
                self._window.withdraw(asked.game)
            elif asked.__class__ is Turn or self.wants_call:
                self._window.renew(table.question(number, self, now_ms))
            else:
                self._window.withdraw(asked.game)
                waived.append((table, number))
        for table, number in waived:  # what follows may be written at once, so that all clocks must have been renewed
            table.call_waived(number, now_ms)
        self.release(now_ms)
        if self.on_login is not None:
            self.on_login()

    def lost(self, session: Session, reason: str, now_ms: int) -> None:
        """The connection is gone; its clocks run on."""
        if self.session is not session:
            return
        self.session = None
        if self.on_call is not None:
            self.token = (
                secret_values.new_token()
            )  # a launched bot is started anew or not at all; the old program is out
        if self.on_loss is not None and not self._is_dismissed:
            self.on_loss(reason)
        for table, seat in list(self._tables.values()):
            table.bot_left(seat, reason, grace_ms=self.grace_ms, now_ms=now_ms)

    def void_matches(self, reason: str, now_ms: int) -> None:
        """Nothing it plays at can go on, through no fault of its own."""
        for table, _ in list(self._tables.values()):
            table.void(reason, now_ms)

    def program_ended(self, reason: str, now_ms: int) -> None:
        """A launched bot's program is over; without a connection nothing else will be heard of it."""
        if self.session is None:
            for table, seat in list(self._tables.values()):
                table.bot_left(seat, reason, grace_ms=0, now_ms=now_ms)

    def call_back(self) -> None:
        """It is wanted at a table and not connected; a launched bot is started again."""
        if self.on_call is not None and self.session is None:
            self.on_call()

    def dismiss(self, reason: str) -> None:
        """Say goodbye."""
        self._is_dismissed = True
        if self.session is not None:
            self.session.close(Bye(reason=reason))

    # What it says

    def match_ready(self, message: MatchReady, now_ms: int) -> None:
        """It accepts an invitation, for the first time or again after it was gone."""
        known = self._tables.get(message.match)
        if known is None:
            text = f"no match {message.match!r} waits for this bot; answer match_start with its own match"
            self.send(ErrorCode.UNKNOWN_MATCH.to_message(text))
            return
        table, seat = known
        table.bot_ready(seat, message.entropy, now_ms)

    def play(self, message: Play, now_ms: int, lag_ms: int = 0) -> bool:
        """It answers a turn; the answer may have lain unread for `lag_ms`. Gives whether it was awaited."""
        turn = self._window.answer(message)
        if turn.__class__ is Error:
            self.send(turn)
            return False
        table, number = self._games[message.game]
        table.answered(number, turn, message, now_ms, lag_ms)  # type: ignore[arg-type]  # a Turn, as a Play answers it
        if self._window.has_queued:
            self.release(now_ms)
        return True

    def called(self, message: Called, now_ms: int, lag_ms: int = 0) -> bool:
        """It answers a call for dice, as `play` a turn. Gives whether it was awaited."""
        call = self._window.answer(message)
        if isinstance(call, Error):
            self.send(call)
            return False
        assert isinstance(call, Call), "the window gives what was answered"
        table, number = self._games[message.game]
        table.called(number, call, message.dice, now_ms, lag_ms)
        self.release(now_ms)
        return True

    # What it is told

    def send(self, message: FromArena) -> None:
        """Put a message into the outbox; nothing happens while it is not connected."""
        if self.session is not None:
            self.session.send(message)

    def handle_of(self, table: Table, number: int) -> int:
        """The small number that stands for a game on this bot's connection, until the game ends."""
        key = (table.match, number)
        handle = self._handles.get(key)
        if handle is None:
            self._last_handle = handle = self._last_handle + 1
            self._handles[key] = handle
            self._games[handle] = (table, number)
        return handle

    def open_games(self, table: Table) -> list[tuple[int, int]]:
        """Handle and number of each open game of a match."""
        return [(handle, number) for (match, number), handle in self._handles.items() if match == table.match]

    @property
    def has_room(self) -> bool:
        """Whether a turn offered now would be written at once."""
        return self._window.has_room

    def put(self, turn: Turn) -> None:
        """Write a turn for which there is room; its clock is the caller's to start."""
        self._window.put(turn)
        if self.session is not None:
            self.session.send(turn)

    def offer(self, turn: Turn | Call, now_ms: int) -> None:
        """A turn or call for this bot; it is written as soon as its window allows."""
        self._window.offer(turn)
        self.release(now_ms)

    def release(self, now_ms: int) -> None:
        """Write the turns the window allows; their clocks run from now, whether the bot is connected or not."""
        for turn in self._window.release():
            self.send(turn)
            table, number = self._games[turn.game]
            table.written(number, now_ms)

    def withdraw_waiting(self) -> None:
        """Take back every turn and call for which its window had no room yet."""
        for asked in self._window.queued():
            self._window.withdraw(asked.game)

    def reopen(self, turn: Turn | Call) -> None:
        """Its answer to this turn or call was rejected: it is open again."""
        self._window.reopen(turn)

    def game_over(self, table: Table, number: int, now_ms: int) -> None:
        """Forget a game: its handle means nothing from now on, and its place in the window is another's."""
        handle = self._handles.pop((table.match, number), None)
        if handle is not None:
            del self._games[handle]
            self._window.drop(handle)
            self.release(now_ms)
