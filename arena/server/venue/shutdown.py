"""Orderly shutdown: open turns are answered and recorded, and all runs can be resumed."""

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


class Draining:
    """Brings one run to a stop, while others go on."""

    def __init__(self) -> None:
        self.tell: Callable[[int], object] = lambda _turns: None
        """Called with the number of open turns that it waits for, if there are any."""
        self._asked_for = trio.Event()
        self._in_play: dict[InPlay, None] = {}

    @property
    def matches_in_play(self) -> int:
        """Number of matches that are being played."""
        return len(self._in_play)

    @property
    def is_asked_for(self) -> bool:
        """True once the run is to stop."""
        return self._asked_for.is_set()

    def take_in(self, match: InPlay) -> None:
        """Count this match as being played."""
        self._in_play[match] = None
        if self.is_asked_for:
            match.put_nothing_more()

    def let_go(self, match: InPlay) -> None:
        """Forget a match that is over and settled."""
        del self._in_play[match]

    async def before_a_match(self) -> None:
        """Go on unless the run is being stopped; after that no match begins."""
        if self.is_asked_for:
            await trio.sleep_forever()

    def ask(self) -> None:
        """Put no more turns, and begin no match."""
        if self.is_asked_for:
            return
        self._asked_for.set()
        for match in self._in_play:
            match.put_nothing_more()
        number = sum(match.turns_in_play for match in self._in_play)
        if number:
            self.tell(number)

    async def wait(self) -> None:
        """Wait until it was asked for, and all open turns are answered or out of time."""
        await self._asked_for.wait()
        while self._has_open_turns():  # noqa: ASYNC110 - a moment, and once
            await trio.sleep(LOOK_SECONDS)

    def _has_open_turns(self) -> bool:
        return any(match.turns_in_play or match.is_being_settled for match in self._in_play)


class Shutdown:
    """Handles Ctrl-C, SIGTERM and SIGHUP for all runs.

    After the first, open turns are still answered. The second ends everything at once, unless it is
    a SIGHUP: when a terminal is closed, the system and the shell both send one.
    """

    def __init__(self) -> None:
        self.is_asked_for = False
        self._runs: dict[Draining, None] = {}

    def take_in(self, run: Draining) -> None:
        """Note that a run begins."""
        self._runs[run] = None
        if self.is_asked_for:
            run.ask()

    def let_go(self, run: Draining) -> None:
        """Forget a run that is over."""
        del self._runs[run]

    def end_if_asked_for(self) -> None:
        """End here if asked to, although everything has been played: no other run may begin."""
        if self.is_asked_for:
            raise KeyboardInterrupt

    async def obey_signals(self) -> None:
        """Wait for signals, for ever; raises KeyboardInterrupt when everything must end."""
        with trio.open_signal_receiver(*ending_signals()) as signals:
            async with trio.open_nursery() as nursery:
                async for number in signals:
                    if not self.is_asked_for:
                        self.is_asked_for = True
                        nursery.start_soon(self._finish_turns)
                    elif number != HANG_UP:
                        raise KeyboardInterrupt

    async def obey(self, is_called_off: Callable[[], bool]) -> None:
        """Wait until the controlling process calls this one off, then raise KeyboardInterrupt."""
        while not is_called_off():  # noqa: ASYNC110 - a thread sets it
            await trio.sleep(LOOK_SECONDS)
        self.is_asked_for = True
        await self._finish_turns()

    async def _finish_turns(self) -> None:
        """Put no more turns, and end when all open ones are answered or out of time."""
        runs = list(self._runs)
        for run in runs:
            run.ask()
        for run in runs:
            await run.wait()
        raise KeyboardInterrupt
