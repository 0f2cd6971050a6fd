"""Orderly shutdown: the open turns are answered and recorded, and the run can be resumed."""

from collections.abc import Callable
from typing import Final, Protocol

import trio

from arena.server.io.ending_signals import HANG_UP, ending_signals

LOOK_SECONDS: Final = 0.05
"""How often to check whether the last open turn is answered."""


class InPlay(Protocol):
    """A match at its table, or a chunk of them with a worker."""

    @property
    def turns_in_play(self) -> int:
        """Number of turns and calls that wait for the answer of a bot."""

    @property
    def is_being_settled(self) -> bool:
        """True if it has ended, but its result is not written yet."""

    def put_nothing_more(self) -> None:
        """Put no more turns; those already put may still be answered."""


class Shutdown:
    """Handles Ctrl-C, SIGTERM and SIGHUP.

    After the first, open turns are still answered. The second ends the run at once, unless it is a SIGHUP: when a
    terminal is closed, the system and the shell both send one.
    """

    def __init__(self, tell: Callable[[int], object]) -> None:
        """`tell` is given the number of open turns that the first one waits for, if there are any."""
        self._tell = tell
        self._is_asked_for = False
        self._in_play: dict[InPlay, None] = {}

    def take_in(self, match: InPlay) -> None:
        """Count this match as being played."""
        self._in_play[match] = None
        if self._is_asked_for:
            match.put_nothing_more()

    def let_go(self, match: InPlay) -> None:
        """This match is over and settled."""
        del self._in_play[match]

    async def before_a_match(self) -> None:
        """Go on unless the run is being stopped; after that no match begins."""
        if self._is_asked_for:
            await trio.sleep_forever()

    def end_if_asked_for(self) -> None:
        """End here if asked to, although everything has been played: the caller must not begin another run."""
        if self._is_asked_for:
            raise KeyboardInterrupt

    async def obey_signals(self) -> None:
        """Wait for signals, for ever; raises KeyboardInterrupt when the run must end."""
        with trio.open_signal_receiver(*ending_signals()) as signals:
            async with trio.open_nursery() as nursery:
                async for number in signals:
                    if not self._is_asked_for:
                        self._is_asked_for = True
                        nursery.start_soon(self._finish_turns)
                    elif number != HANG_UP:
                        raise KeyboardInterrupt

    async def obey(self, is_called_off: Callable[[], bool]) -> None:
        """Wait until the controlling process calls this one off, for ever; raises KeyboardInterrupt after it."""
        while not is_called_off():  # noqa: ASYNC110 - a thread sets it
            await trio.sleep(LOOK_SECONDS)
        self._is_asked_for = True
        await self._finish_turns()

    async def _finish_turns(self) -> None:
        """Put no more turns, and end when all open ones are answered or out of time."""
        for match in self._in_play:
            match.put_nothing_more()
        if number := sum(match.turns_in_play for match in self._in_play):
            self._tell(number)
        while any(match.turns_in_play or match.is_being_settled for match in self._in_play):  # noqa: ASYNC110 - a moment, and once
            await trio.sleep(LOOK_SECONDS)
        raise KeyboardInterrupt
