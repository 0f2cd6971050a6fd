"""A bot at the tables: its connection, its window of turns, and its seats."""

from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from msgspec.structs import replace

from arena.matches.facts import Entrant, Measured
from arena.records.facts import FAILED, NOT_STARTED
from arena.server.io.event_loop import EventLoop
from arena.server.play import remarks
from arena.server.play.frame_trace import Trace
from arena.server.play.seat import Connected, GameSeat, Lost, MatchSeat, Unstarted
from arena.server.programs.launcher import Launched
from arena.server.setup.account import Account, Connection
from arena.words import Said
from protocol import messages
from protocol.errors import ErrorCode
from protocol.greetings import Login
from protocol.window import Asked, TurnWindow

NOBODY_WAITS: Final = {
    messages.MatchReady: "no match {0.match!r} waits for this bot; answer match_start with its own match",
    messages.MatchEntropy: (
        "no match {0.match!r} waits for this bot's entropy; answer match_reveal once, with its match"
    ),
    messages.GameReady: (
        "no break before game {0.number} of match {0.match!r} waits for this bot; answer break once, with its match "
        "and number"
    ),
    messages.Confirm: (
        "no receipt of {0.lines} lines of match {0.match!r} waits for this bot; answer game_end once, "
        "at once, with the lines of its receipt, and give a public_key at login"
    ),
}
"""What a bot is told that says something about a match which nobody waits for."""

WordOfMatch: TypeAlias = messages.MatchReady | messages.MatchEntropy | messages.GameReady | messages.Confirm
"""What a bot says about a match, but for its turns."""


class Player:
    """One bot, for as long as its account lasts.

    It outlives its connections: turns, game handles and seats stay when a connection is lost. They are told again when
    the bot logs in again.
    """

    def __init__(self, account: Account, loop: EventLoop, *, program: Launched | None = None) -> None:
        self.account = account
        self.program = program
        """What starts and measures it, if the arena does."""
        self._loop = loop
        self.seen_by: list[Callable[[Account, Said | None], object]] = []
        """Told when a bot from elsewhere has logged in, or why it has lost its connection."""
        self.places = 0
        """How many matches all runs play with it."""
        self.on_places: list[Callable[[str], object]] = []
        """Told its name when it has more or fewer of them."""
        self.wants: frozenset[str] = frozenset()
        """What it has asked for at its login: `legal` turns, a `break` between games, to `call` for its dice."""
        self.trace = Trace()
        """The last frames of its connection, or of the one before."""
        self._window = TurnWindow(1)
        self._tables: dict[str, MatchSeat] = {}
        """Its matches, until their records are closed: so long it may answer receipts."""
        self._games: dict[int, GameSeat] = {}
        """Its open games, by their handles."""
        self._last_handle = 0
        self._is_told_of_remark = False
        """Whether it has been told on this connection that a remark cannot be kept."""

    @property
    def is_awaited(self) -> bool:
        """True while something is to come from it: an answer, its entropy, that it is ready for a match or a game."""
        return not self._window.is_idle or any(seat.is_waited_for for seat in self._taken())

    @property
    def entrant(self) -> Entrant:
        """What its bot said of itself at its last login."""
        login = self.account.login
        assert login is not None, "it has logged in"
        key = None if login.public_key is None else login.public_key.hex()
        return Entrant(name=self.account.name, version=login.version, fingerprint=login.fingerprint, public_key=key)

    @property
    def is_connected(self) -> bool:
        """True while the bot is connected."""
        return self.account.connection is not None

    def _taken(self) -> list[MatchSeat]:
        return [seat for seat in self._tables.values() if seat.is_taken]

    def _tell_awaited(self) -> None:
        if self.program is not None:
            self.program.tell_awaited(is_awaited=self.is_awaited)

    def call_back(self) -> None:
        """It is needed: if it is not here, and the arena starts its program, start it again."""
        if self.program is not None and not self.is_connected:
            self.program.call()

    def _tell_seen(self, lost: Said | None) -> None:
        """It has come, or lost its connection; told before that costs anything."""
        if self.program is not None:
            self.program.seen(lost)
        else:
            for tell in list(self.seen_by):
                tell(self.account, lost)

    def count_places(self, number: int) -> None:
        """A run plays so many matches more with it, or fewer."""
        self.places += number
        for tell in list(self.on_places):
            tell(self.account.name)

    # Coming and going

    def sit_down(self, seat: MatchSeat) -> None:
        """The bot is to play a match: invite it now, or when it logs in."""
        self._tables[seat.match] = seat
        self.account.matches = len(self._taken())
        self.call_back()
        if self.is_connected:
            self._tell_open([seat], self._loop.clock.now_ms())
        self._tell_awaited()

    def stand_up(self, seat: MatchSeat) -> None:
        """The match is over, and so are its open games."""
        seat.is_taken = False
        self.account.matches = len(self._taken())
        for game in list(self._games.values()):
            if game.seat is seat:
                self.end_game(game)
        self._tell_awaited()

    def leave(self, seat: MatchSeat, word: messages.MatchEnd) -> None:
        """The record of the match is closed: tell the bot how it ended, unless it knows nothing of it any more."""
        if self._tables.pop(seat.match, None) is seat:
            self.send(word)

    def wait_for(self, seat: MatchSeat, *, is_waited_for: bool) -> None:
        """The bot is to come to this match or to reveal its entropy, or not any more."""
        if seat.is_waited_for != is_waited_for:
            seat.is_waited_for = is_waited_for
            self._tell_awaited()

    def connected(self, connection: Connection, trace: Trace, login: Login, now_ms: int) -> None:
        """The bot has a new connection: tell it again of everything that is open, unanswered turns included."""
        account = self.account
        account.connection = connection
        account.login = login
        account.build = login.fingerprint
        self.trace = trace
        self.wants = frozenset(login.wants)
        self._is_told_of_remark = False
        unanswered = self._window.rewind(login.window)
        self._tell_open(self._taken(), now_ms)
        for asked in unanswered:
            game = self._games[asked.game]
            self._loop.to_ask.append((game.seat.ask, game.number, now_ms))
        self._tell_awaited()
        self._tell_seen(None)

    def _tell_open(self, seats: list[MatchSeat], now_ms: int) -> None:
        for seat in seats:
            seat.hear(seat.number, Connected(), now_ms)
        for game in self._games.values():
            if game.seat in seats:
                self.send(game.start)

    def disconnected(self, connection: Connection, reason: Said, now_ms: int, *, gives_up: bool) -> None:
        """The connection is gone; its clocks run on, unless the bot gives its matches up."""
        account = self.account
        if account.connection is not connection:
            return
        account.connection = None
        if account.is_launched:
            # the old program cannot log in again: the arena starts a new one, or none
            account.renew_token()
        if not account.is_dismissed:
            self._tell_seen(reason)
        grace_ms = 0 if gives_up else account.grace_ms
        is_blameless = account.is_by_pages or reason == FAILED
        lost = Lost(reason, grace_ms, gives_up, is_blameless=is_blameless)
        self._tell_tables(lost, now_ms)

    def program_ended(self, reason: Said | None, now_ms: int) -> None:
        """Its program has ended; if it has no connection, it is lost. Without a reason the arena itself has failed."""
        if reason is None:
            self.fail()
        elif reason.code == NOT_STARTED:
            self._tell_tables(Unstarted(reason), now_ms)
        elif not self.is_connected:
            self._tell_tables(Lost(reason), now_ms)

    def _tell_tables(self, heard: Lost | Unstarted, now_ms: int) -> None:
        for seat in self._taken():
            seat.hear(seat.number, heard, now_ms)

    def fail(self) -> None:
        """The arena itself has failed over this bot: void all its matches, and end its connection.

        Nothing is kept of what was open with it, since nobody knows what of that is still in order.
        """
        account, connection = self.account, self.account.connection
        seats = [seat for seat in self._tables.values() if seat.is_taken]
        self._tables.clear()
        self._games.clear()
        self._window = TurnWindow(self._window.size)
        account.connection = None
        account.matches = 0
        if account.is_launched:
            account.renew_token()
        for seat in seats:
            seat.is_taken = False
            seat.give_up()
        if connection is not None:
            connection.close(ErrorCode.INTERNAL.to_message("the arena failed over this bot; it costs no game"))
            try:
                self._tell_seen(FAILED)
            except Exception as error:  # noqa: BLE001 - there is nothing left that it could harm
                self._loop.failed(error)

    def take_back(self) -> None:
        """Forget what it was told in this batch, since the record of its run cannot be kept.

        If it plays for another run it is cut off: when it has come back, it is told again of everything that is open.
        """
        connection = self.account.connection
        if connection is not None:
            connection.take_back()
            if self._taken():
                self._loop.failing.append(partial(connection.cut, FAILED))

    # What it says

    def said(self, message: WordOfMatch, now_ms: int) -> bool:
        """It says something about a match; gives whether it was asked to."""
        seat = self._tables.get(message.match)
        if seat is not None and seat.hear(seat.number, message, now_ms):
            return True
        self.send(ErrorCode.UNKNOWN_MATCH.to_message(NOBODY_WAITS[type(message)].format(message)))
        return False

    def answered(self, answer: messages.Play | messages.Called, now_ms: int, lag_ms: int = 0) -> bool:
        """It answers a turn or call; the answer may have lain unread for `lag_ms`. Returns whether it was awaited."""
        asked = self._window.answer(answer)
        if asked.__class__ is messages.Error:
            self.send(asked)
            return False
        if answer.__class__ is messages.Play and answer.info is not None:
            answer = self._with_remark_kept(answer)
        game = self._games[answer.game]
        game.seat.answered(game, asked, answer, now_ms, lag_ms)  # type: ignore[arg-type]  # no messages.Error, by its class
        if self._window.waiting:
            self._release()
        if self.program is not None:
            self._tell_awaited()
        return True

    def _with_remark_kept(self, play: messages.Play) -> messages.Play:
        """Return an answer with its remark as it can be kept; if it cannot, its bot is told, once on a connection."""
        info = remarks.kept(play.info)
        if not isinstance(info, remarks.NotKept):
            return play
        if not self._is_told_of_remark:
            self._is_told_of_remark = True
            code = ErrorCode.REMARK_LEFT_OUT
            text = (
                f"the remark (`info`) of this play is not kept: {info.message}; the play counts; "
                "this is said once on a connection"
            )
            self.send(messages.Error(code=code, message=text, fatal=code.is_fatal, game=play.game, turn=play.turn))
        return replace(play, info=info)

    # What it is told

    def send(self, message: messages.FromArena) -> None:
        """Put a message into the outbox. Without a connection this does nothing."""
        if (connection := self.account.connection) is not None:
            try:
                connection.send(message)
            except Exception as error:  # noqa: BLE001 - it ends this connection, and what others are told goes on
                self._send_failed(error)

    def _send_failed(self, error: Exception) -> None:
        self._loop.failed(error)
        self._loop.failing.append(self.fail)  # given up before anything else is recorded

    def begin_game(self, seat: MatchSeat, number: int) -> GameSeat:
        """Seat the bot at the board of a game that has begun, or goes on after a resumption."""
        self._last_handle += 1
        self._games[self._last_handle] = game = GameSeat(seat, number, self._last_handle)
        return game

    def ask(self, game: GameSeat, question: Asked, now_ms: int) -> None:
        """Ask the bot for a turn or call; it is written as soon as the window allows."""
        if self._window.put(question):
            self._put_out(game, question, now_ms)
        if self.program is not None:
            self._tell_awaited()

    def _release(self) -> None:
        for question in self._window.release():
            self._put_out(self._games[question.game], question, self._loop.clock.now_ms())

    def _put_out(self, game: GameSeat, question: Asked, now_ms: int) -> None:
        """Put a question into the outbox. Its clock runs even without a connection."""
        if game.figures is None and self.program is not None:
            game.figures = self.program.figures()
        if (connection := self.account.connection) is not None:
            try:
                connection.send(question, now_ms)
            except Exception as error:  # noqa: BLE001 - as in `send`
                self._send_failed(error)
        self._loop.questions.append((game.seat.written, game.number))

    def measured(self, game: GameSeat) -> Measured | None:
        """Return what was measured since its first turn of a game; None if nothing is known of it."""
        now = None if self.program is None else self.program.figures()
        if game.figures is None or now is None:
            return None
        cpu, starved, steal, pressure = (
            max(0, now_ns - before_ns) // 10**6 for now_ns, before_ns in zip(now, game.figures, strict=True)
        )
        return Measured(cpu_ms=cpu, starved_ms=starved, steal_ms=steal, pressure_ms=pressure)

    def withdraw_waiting(self) -> None:
        """Take back all turns and calls that still wait for room in the window."""
        for asked in self._window.queued():
            self._window.withdraw(asked.game)

    def reopen(self, question: Asked) -> None:
        """Open a turn or call again whose answer was rejected."""
        self._window.reopen(question)

    def end_game(self, game: GameSeat) -> None:
        """Forget a game: its handle means nothing from now on, and its place in the window is free."""
        if self._games.pop(game.handle, None) is game:
            self._window.drop(game.handle)
            self._release()
            self._tell_awaited()
