"""Whose turn it is to take a seat, where several runs wait for the same bots."""

import trio


class Turns:
    """Lets runs look for their next match one after the other; the run that was seated last looks last."""

    def __init__(self) -> None:
        self._order: dict[object, bool] = {}
        """The runs in the order of their turns, and whether each is to look."""
        self._waiting = trio.lowlevel.ParkingLot()

    def call(self, run: object) -> None:
        """There may be a seat for this run: those behind it wait until it has looked.

        New runs come first.
        """
        if run in self._order:
            self._order[run] = True
        else:
            self._order = {run: True} | self._order

    async def wait(self, run: object) -> None:
        """Wait until all runs before this one have looked."""
        self.call(run)
        while self._is_behind(run):
            await self._waiting.park()

    def _is_behind(self, run: object) -> bool:
        for other, is_to_look in self._order.items():
            if other is run:
                break
            if is_to_look:
                return True
        return False

    def done(self, run: object, *, is_seated: bool) -> None:
        """A run has looked; if it was seated, it is behind the others now."""
        if is_seated:
            del self._order[run]
        self._order[run] = False
        self._waiting.unpark_all()

    def leave(self, run: object) -> None:
        """A run is over."""
        self._order.pop(run, None)
        self._waiting.unpark_all()
