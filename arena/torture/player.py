"""A bot that plays the first legal turn of every roll, and may have one fault at one turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic

from arena.torture.raw_connection import ConnectionLostError, RawConnection, first_legal
from protocol.greetings import Hello, Login, Welcome
from protocol.messages import FromArena, GameEnd, GameStart, MatchReady, MatchStart, Ping, Pong, Turn

Fault = Callable[[RawConnection, Turn], Awaitable[None]]
"""What a bot does in place of answering a turn."""


@dataclass(slots=True)
class Moments:
    """When the fault was committed and got its verdict, in seconds of the system's monotonic clock."""

    fault: float | None = None
    told: float | None = None
    """The first complaint to the bot itself after its fault."""
    ended: float | None = None
    """When the opponent heard of the end of the game with the fault."""
    game: tuple[str, int] | None = None
    """The match and the number of that game; None if only a launched program knows."""
    end: GameEnd | None = None
    """Its end, as the opponent heard it."""

    def took_ms(self, *, is_forfeit: bool) -> int | None:
        """How long the verdict took: a forfeit counts when the opponent hears it, all else when the bot does."""
        end = self.ended if is_forfeit else self.told
        return None if self.fault is None or end is None else round(1000 * (end - self.fault))


class Player:
    """Plays every match it is invited to, on one connection, until the arena hangs up."""

    def __init__(self, connection: RawConnection, name: str, token: str, moments: Moments, *, window: int = 1) -> None:
        self.connection = connection
        self.name = name
        self.welcome: Welcome | None = None
        """Once it is logged in."""
        self.match: MatchStart | None = None
        """The last match it was invited to."""
        self.has_ended = False
        """Whether its connection is gone."""
        self._games: dict[int, tuple[str, int]] = {}
        self._login = Login(protocol=1, name=name, token=token, version="1", window=window, wants=("legal",))
        self._moments = moments
        self._turns = 0
        self._fault: Fault | None = None
        self._at_turn = 0

    def will(self, fault: Fault, at_turn: int) -> None:
        """Commit a fault instead of answering its `at_turn`-th turn from now, counted from 1; then play on."""
        self._fault, self._at_turn, self._turns = fault, at_turn, 0

    def watch(self, moments: Moments) -> None:
        """From now on note the moments of another fault."""
        self._moments = moments

    async def run(self) -> None:
        """Play until the connection ends."""
        try:
            while messages := await self.connection.hear():
                for message in messages:
                    await self._react(message)
                self._note_complaint()
        except ConnectionLostError:
            while await self.connection.hear():  # its last words
                pass
            self._note_complaint()
        finally:
            self.has_ended = True
            await self.connection.hang_up()

    def _note_complaint(self) -> None:
        if self._moments.told is None and self._moments.fault is not None and self.connection.told:
            self._moments.told = monotonic()

    def _note_end(self, end: GameEnd) -> None:
        moments = self._moments
        is_it = moments.game in (None, (end.match, end.number))
        if moments.fault is not None and moments.ended is None and is_it:
            moments.ended, moments.end = monotonic(), end

    async def _react(self, message: FromArena) -> None:
        if isinstance(message, Hello):
            await self.connection.say(self._login)
        elif isinstance(message, Welcome):
            self.welcome = message
        elif isinstance(message, GameStart):
            self._games[message.game] = (message.match, message.number)
        elif isinstance(message, MatchStart):
            self.match = message
            await self.connection.say(MatchReady(match=message.match))
        elif isinstance(message, Ping):
            await self.connection.say(Pong(data=message.data))
        elif isinstance(message, GameEnd):
            if self._fault is None:
                self._note_end(message)
        elif isinstance(message, Turn):
            self._turns += 1
            if self._fault is not None and self._turns == self._at_turn:
                self._moments.fault = monotonic()
                self._moments.game = self._games[message.game]
                await self._fault(self.connection, message)
            else:
                await self.connection.say(first_legal(message))
