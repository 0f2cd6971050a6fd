"""A bot at the tables: its connection, its seats, and its open games."""

from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from msgspec import UNSET

from arena.matches.facts import Entrant, MatchEnded, MatchVoided
from arena.records.facts import FAILED, NOT_STARTED, STOPPED
from arena.server.io.event_loop import EventLoop
from arena.server.play.frame_trace import Trace
from arena.server.play.open_games import OpenGames
from arena.server.play.seat import Connected, Lost, MatchSeat, Unstarted
from arena.server.programs.launcher import Launched
from arena.server.setup.account import Account, Connection
from arena.words import Said
from protocol import messages
from protocol.errors import ErrorCode
from protocol.greetings import Login

NOT_AWAITED: Final = {
    messages.MatchReady: (
        "no match {0.match!r} waits for this bot; answer match_start with its own match"
    ),
    messages.MatchEntropy: (
        "no match {0.match!r} waits for this bot's entropy; "
        "answer match_reveal once, with its match"
    ),
    messages.GameReady: (
        "no break before game {0.number} of match {0.match!r} waits for this bot; "
        "answer break once, with its match and number"
    ),
    messages.Confirm: (
        "no receipt of {0.lines} lines of match {0.match!r} waits for this bot; "
        "answer game_end once, at once, with the lines of its receipt, "
        "and give a public_key at login"
    ),
}
"""The answers to a message about a match that the arena does not wait for."""

WordOfMatch: TypeAlias = (
    messages.MatchReady | messages.MatchEntropy | messages.GameReady | messages.Confirm
)
"""All that a bot says about a match, but for its turns."""


class Player:
    """One bot, for as long as its account lasts.

    It outlives its connections: turns, game handles and seats stay when a connection is lost. They
    are told again when the bot logs in again.
    """

    def __init__(
        self,
        account: Account,
        loop: EventLoop,
        *,
        program: Launched | None = None,
    ) -> None:
        self.account = account
        self.program = program
        """Starts and measures the bot, if the arena does."""
        self._loop = loop
        self.seen_by: list[Callable[[Account, Said | None], object]] = []
        """Called when a remote bot logs in, or with the reason why it lost its connection."""
        self.matches_in_play = 0
        """Number of matches that all runs play with it."""
        self.on_matches: list[Callable[[str], object]] = []
        """Called with its name when it has more or fewer of them."""
        self.wants: frozenset[str] = frozenset()
        """Its wishes at its login: `legal` turns, a `break` between games, a `call` for dice."""
        self.trace = Trace()
        """The last frames of its connection, or of the one before."""
        self._tables: dict[str, MatchSeat] = {}
        """Its matches, until their records are closed: until then it may answer receipts."""
        self.games = OpenGames(
            account,
            loop,
            program,
            send=self.send,
            send_failed=self._send_failed,
            tell_awaited=self._tell_awaited,
        )

    @property
    def is_awaited(self) -> bool:
        """True while a message is to come from it.

        It is an answer, its entropy, or that it is ready for a match or a game.
        """
        return self.games.is_awaited or any(seat.is_waited_for for seat in self._taken_seats())

    def entrant_as(self, name: str) -> Entrant:
        """Return the bot as it described itself at its last login, as an entrant of this name."""
        login = self.account.login
        assert login is not None, "it has logged in"
        key = None
        if login.public_key is not None:
            key = login.public_key.hex()
        return Entrant(
            name=name,
            version=login.version,
            fingerprint=login.fingerprint,
            public_key=key,
            kind=login.kind or UNSET,
        )

    @property
    def is_connected(self) -> bool:
        """True while the bot is connected."""
        return self.account.connection is not None

    def _taken_seats(self) -> list[MatchSeat]:
        return [seat for seat in self._tables.values() if seat.is_taken]

    def _tell_awaited(self) -> None:
        if self.program is not None:
            self.program.tell_awaited(is_awaited=self.is_awaited)

    def _call_back(self) -> None:
        """Start its program again if it is not connected, and the arena starts its program."""
        if self.program is not None and not self.is_connected:
            self.program.call()

    def _tell_seen(self, lost: Said | None) -> None:
        """Tell that it has come, or lost its connection, before that costs anything."""
        if self.program is not None:
            self.program.seen(lost)
        else:
            for tell in list(self.seen_by):
                tell(self.account, lost)

    def change_matches(self, by: int) -> None:
        """Add `by` to the number of matches that runs play with it; it may be negative."""
        self.matches_in_play += by
        for tell in list(self.on_matches):
            tell(self.account.name)

    # Coming and going

    def sit_down(self, seat: MatchSeat) -> None:
        """Invite the bot to a match, now or when it logs in."""
        self._tables[seat.match] = seat
        self.account.matches = len(self._taken_seats())
        self._call_back()
        if self.is_connected:
            self._tell_open([seat], self._loop.clock.now_ms())
        self._tell_awaited()

    def stand_up(self, seat: MatchSeat, end: MatchEnded | MatchVoided | None) -> None:
        """End the match for the bot, and its open games; there is no `end` if it was given up."""
        is_ours = end is None or (isinstance(end, MatchVoided) and end.reason in (STOPPED, FAILED))
        seat.is_taken = False
        self.account.matches = len(self._taken_seats())
        if is_ours and self.program is not None:
            self.program.excuse()
        for game in self.games.at([seat]):
            self.games.end(game)
        self._tell_awaited()

    def leave(self, seat: MatchSeat, word: messages.MatchEnd) -> None:
        """Tell the bot how the match ended, unless it knows nothing of the match any more.

        Its record is closed now.
        """
        if self._tables.pop(seat.match, None) is seat:
            self.send(word)

    def wait_for(self, seat: MatchSeat, *, is_waited_for: bool, is_called: bool) -> None:
        """Note whether the bot is to come to this match or to reveal its entropy.

        If it is called and not connected, and the arena starts its program, start that again.
        """
        if seat.is_waited_for != is_waited_for:
            seat.is_waited_for = is_waited_for
            self._tell_awaited()
        if is_called:
            self._call_back()

    def connected(
        self,
        connection: Connection,
        trace: Trace,
        login: Login,
        now_ms: int,
    ) -> None:
        """Tell the bot on its new connection of everything that is open, also unanswered turns."""
        account = self.account
        account.connection = connection
        account.login = login
        account.build = login.fingerprint
        self.trace = trace
        self.wants = frozenset(login.wants)
        self._tell_open(self._taken_seats(), now_ms)
        self.games.put_again(login.window, now_ms)
        self._tell_awaited()
        self._tell_seen(None)

    def _tell_open(self, seats: list[MatchSeat], now_ms: int) -> None:
        for seat in seats:
            seat.hear(seat.number, Connected(), now_ms)
        for game in self.games.at(seats):
            self.send(game.start)

    def disconnected(
        self,
        connection: Connection,
        reason: Said,
        now_ms: int,
        *,
        gives_up: bool,
    ) -> None:
        """Note that the connection is gone; clocks run on, unless the bot gives its matches up."""
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
        """Note that its program has ended; without a connection the bot is lost.

        Without a reason the arena itself has failed.
        """
        if reason is None:
            self.fail()
        elif reason.code == NOT_STARTED:
            self._tell_tables(Unstarted(reason), now_ms)
        elif not self.is_connected:
            self._tell_tables(Lost(reason), now_ms)

    def _tell_tables(self, heard: Lost | Unstarted, now_ms: int) -> None:
        for seat in self._taken_seats():
            seat.hear(seat.number, heard, now_ms)

    def fail(self) -> None:
        """Void all matches of the bot, and end its connection: the arena itself has failed over it.

        Nothing that was open with it is kept: no part of it can be relied on.
        """
        account = self.account
        connection = account.connection
        seats = self._taken_seats()
        self._tables.clear()
        self.games.forget()
        account.connection = None
        account.matches = 0
        if account.is_launched:
            account.renew_token()
        for seat in seats:
            seat.is_taken = False
            seat.give_up()
        if connection is not None:
            text = "the arena failed over this bot; it costs no game"
            connection.close(ErrorCode.INTERNAL.to_message(text))
            try:
                self._tell_seen(FAILED)
            except Exception as error:  # noqa: BLE001 - there is nothing more that it could harm
                self._loop.failed(error)

    def take_back(self) -> None:
        """Forget the messages to it in this batch, since the record of its run cannot be kept.

        If it plays for another run it is cut off: when it has come back, it is told of everything
        that is open again.
        """
        connection = self.account.connection
        if connection is not None:
            connection.take_back()
            if self._taken_seats():
                self._loop.failing.append(partial(connection.cut, FAILED))

    # What it says

    def said(self, message: WordOfMatch, now_ms: int) -> bool:
        """Handle a message about a match; return whether the arena waited for it."""
        seat = self._tables.get(message.match)
        if seat is not None and seat.hear(seat.number, message, now_ms):
            return True
        text = NOT_AWAITED[type(message)].format(message)
        self.send(ErrorCode.UNKNOWN_MATCH.to_message(text))
        return False

    # What it is told

    def send(self, message: messages.FromArena) -> None:
        """Put a message into the outbox. Without a connection this does nothing."""
        if (connection := self.account.connection) is not None:
            try:
                connection.send(message)
            except Exception as error:  # noqa: BLE001 - it ends this connection alone
                self._send_failed(error)

    def _send_failed(self, error: Exception) -> None:
        self._loop.failed(error)
        self._loop.failing.append(self.fail)  # given up before anything else is recorded
