"""A bot that plays the first legal turn of every roll, and may have one fault at one turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic

from arena.torture.line import Line, LineBrokenError, first_legal
from protocol.messages import FromArena, GameEnd, Hello, Login, MatchReady, MatchStart, Ping, Pong, Turn

Fault = Callable[[Line, Turn], Awaitable[None]]
"""What a bot does in place of answering a turn."""


@dataclass(slots=True)
class Moments:
    """When the fault was committed and when it had its verdict, in seconds of the system's monotonic clock."""

    fault: float | None = None
    told: float | None = None
    """The first complaint to the bot itself after its fault."""
    ended: float | None = None
    """The first end of a game that the opponent heard of after the fault."""

    def took_ms(self, *, is_forfeit: bool) -> int | None:
        """How long the verdict took: a forfeit is what the opponent hears, all else what the bot is told."""
        end = self.ended if is_forfeit else self.told
        return None if self.fault is None or end is None else round(1000 * (end - self.fault))


class Player:
    """Plays every match it is invited to, on one connection, until the arena hangs up."""

    def __init__(self, line: Line, name: str, token: str, moments: Moments, *, window: int = 1) -> None:
        self._line = line
        self._login = Login(protocol=1, name=name, token=token, version="1", window=window, wants=("legal",))
        self._moments = moments
        self._turns = 0
        self._fault: Fault | None = None
        self._at_turn = 0

    def will(self, fault: Fault, at_turn: int) -> None:
        """Commit a fault instead of answering its so many-th turn, counted from 1; then go on playing."""
        self._fault, self._at_turn = fault, at_turn

    async def run(self) -> None:
        """Play until the connection ends."""
        try:
            while messages := await self._line.hear():
                for message in messages:
                    await self._react(message)
                self._note_complaint()
        except LineBrokenError:
            while await self._line.hear():  # its last words
                pass
            self._note_complaint()
        finally:
            await self._line.hang_up()

    def _note_complaint(self) -> None:
        if self._moments.told is None and self._moments.fault is not None and self._line.told:
            self._moments.told = monotonic()

    async def _react(self, message: FromArena) -> None:
        if isinstance(message, Hello):
            await self._line.say(self._login)
        elif isinstance(message, MatchStart):
            await self._line.say(MatchReady(match=message.match))
        elif isinstance(message, Ping):
            await self._line.say(Pong(data=message.data))
        elif isinstance(message, GameEnd):
            if self._fault is None and self._moments.fault is not None and self._moments.ended is None:
                self._moments.ended = monotonic()
        elif isinstance(message, Turn):
            self._turns += 1
            if self._fault is not None and self._turns == self._at_turn:
                self._moments.fault = monotonic()
                await self._fault(self._line, message)
            else:
                await self._line.say(first_legal(message))
