"""Stopping a run in good order: the turns in play are answered and recorded, and the folder can be gone on with."""

from __future__ import annotations

import signal
from typing import Final

import trio

from arena.server.reporting import Report
from arena.server.table import Table

LOOK_SECONDS: Final = 0.05
"""How often it is looked whether the last turn in play is answered."""


class Stopping:
    """Obeys Ctrl-C and SIGTERM: the first lets the turns in play be answered, the second ends the run at once."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._is_asked_for = False
        self._tables: dict[Table, None] = {}

    def take_in(self, table: Table) -> None:
        """This match is being played."""
        self._tables[table] = None
        if self._is_asked_for:
            table.put_nothing_more()

    def let_go(self, table: Table) -> None:
        """This match is over and settled."""
        del self._tables[table]

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

    async def _finish_turns(self) -> None:
        """Put no turn any more, and end when all that have been put are answered, or their time is over."""
        for table in self._tables:
            table.put_nothing_more()
        if number := sum(table.turns_in_play for table in self._tables):
            turns = "the turn in play is" if number == 1 else f"{number} turns in play are"
            self._report(f"stopping when {turns} answered; Ctrl-C again to stop at once")
        while any(table.turns_in_play or table.outcome.end for table in self._tables):  # noqa: ASYNC110 - a moment, and once
            await trio.sleep(LOOK_SECONDS)
        raise KeyboardInterrupt
