"""Shutdown a run in good order: the turns in play are answered and recorded, and the folder can be gone on with."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Final, Protocol

import trio

LOOK_SECONDS: Final = 0.05
"""How often it is looked whether the last turn in play is answered."""


class InPlay(Protocol):
    """A match at its table, or a chunk of them with a worker."""

    @property
    def turns_in_play(self) -> int:
        """How many turns and calls have been put to a bot and await its answer."""
        ...

    @property
    def is_being_settled(self) -> bool:
        """Whether it has ended, and its result is still to be written down."""
        ...

    def put_nothing_more(self) -> None:
        """What has been put may still be answered; nothing is put after it."""
        ...


class Shutdown:
    """Obeys Ctrl-C and SIGTERM: the first lets the turns in play be answered, the second ends the run at once."""

    def __init__(self, tell: Callable[[int], object]) -> None:
        """`tell` is told how many turns in play the first one waits for, if there are any."""
        self._tell = tell
        self._is_asked_for = False
        self._in_play: dict[InPlay, None] = {}

    def take_in(self, match: InPlay) -> None:
        """This match is being played."""
        self._in_play[match] = None
        if self._is_asked_for:
            match.put_nothing_more()

    def let_go(self, match: InPlay) -> None:
        """This match is over and settled."""
        del self._in_play[match]

    async def before_a_match(self) -> None:
        """Go on unless the run is being stopped; then no match begins any more."""
        if self._is_asked_for:
            await trio.sleep_forever()

    def end_if_asked_for(self) -> None:
        """Everything was played meanwhile; whoever would begin another run is stopped all the same."""
        if self._is_asked_for:
            raise KeyboardInterrupt

    async def obey_signals(self) -> None:
        """Wait for signals, for ever; raises KeyboardInterrupt when the run is to end."""
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async with trio.open_nursery() as nursery:
                async for _ in signals:
                    if self._is_asked_for:
                        raise KeyboardInterrupt
                    self._is_asked_for = True
                    nursery.start_soon(self._finish_turns)

    async def obey(self, is_called_off: Callable[[], bool]) -> None:
        """Wait for the word of the process that this one works for, for ever; raises KeyboardInterrupt after it."""
        while not is_called_off():  # noqa: ASYNC110 - the word comes from a thread
            await trio.sleep(LOOK_SECONDS)
        self._is_asked_for = True
        await self._finish_turns()

    async def _finish_turns(self) -> None:
        """Put no turn any more, and end when all that have been put are answered, or their time is over."""
        for match in self._in_play:
            match.put_nothing_more()
        if number := sum(match.turns_in_play for match in self._in_play):
            self._tell(number)
        while any(match.turns_in_play or match.is_being_settled for match in self._in_play):  # noqa: ASYNC110 - a moment, and once
            await trio.sleep(LOOK_SECONDS)
        raise KeyboardInterrupt
