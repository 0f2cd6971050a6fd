"""Turns to take a seat, where several runs wait for the same bots."""

import trio

from arena.words import Said


class SeatTurns:
    """Lets runs look for their next match in turn; the run that was seated last looks last."""

    def __init__(self) -> None:
        self._order: dict[object, bool] = {}
        """The runs in the order of their turns, each with True if it has to look."""
        self._waiting = trio.lowlevel.ParkingLot()
        self.why_paused: Said | None = None
        """Why no run is seated at all; None while runs are."""

    def pause(self, why: Said | None) -> None:
        """Seat no run for this reason, or seat runs again; matches in play go on."""
        self.why_paused = why
        self._waiting.unpark_all()

    def call(self, run: object) -> None:
        """Let this run look for a seat; the runs behind it wait until it has looked.

        New runs come first.
        """
        if run in self._order:
            self._order[run] = True
        else:
            self._order = {run: True} | self._order

    async def wait(self, run: object) -> None:
        """Wait until all runs before this one have looked, and runs are seated."""
        self.call(run)
        while self.why_paused is not None or self._is_behind(run):
            await self._waiting.park()

    def _is_behind(self, run: object) -> bool:
        """Return whether an earlier run is to look for a match first."""
        for earlier_run, is_to_look in self._order.items():
            if earlier_run is run:
                break
            if is_to_look:
                return True
        return False

    def done(self, run: object, *, is_seated: bool) -> None:
        """Note that a run has looked; if it was seated, it goes behind the others."""
        if is_seated:
            del self._order[run]
        self._order[run] = False
        self._waiting.unpark_all()

    def leave(self, run: object) -> None:
        """Remove a run that is over."""
        self._order.pop(run, None)
        self._waiting.unpark_all()
