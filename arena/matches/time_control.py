"""The time control of a match: how long a bot may think, and what a turn leaves in its bank.

Laws:

- Each turn has its delay for free; what it takes beyond comes out of the bank of its game.
- A turn may take its delay and all that its bank holds, to the millisecond; one more and the flag
  falls.
- After a turn that was in time the increment is added to the bank. The bank may then hold more than
  at the beginning.
"""

from typing import Annotated

import msgspec

from arena.words import Said

Ms = Annotated[int, msgspec.Meta(ge=0, le=7 * 24 * 3600 * 1000)]
"""Whole milliseconds, a week at most."""


class TimeControl(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Time that each bot has, with the same fields in tournament files, records and on the wire."""

    delay_ms: Ms = 1000
    """Free time for every turn."""
    bank_ms: Ms = 60_000
    """Time for the whole game, beyond the delay."""
    increment_ms: Ms = 0
    """Added to the bank after each turn."""

    @property
    def full(self) -> tuple[int, int]:
        """Both banks at the beginning of a game."""
        return self.bank_ms, self.bank_ms

    def limit_ms(self, left_ms: int) -> int:
        """Return how long a turn may take with `left_ms` in the bank."""
        return self.delay_ms + left_ms

    def delay_left(self, spent_ms: int) -> int:
        """Return what is left of the delay in a turn that has taken `spent_ms`."""
        return max(0, self.delay_ms - spent_ms)

    def left(self, left_ms: int, spent_ms: int) -> int:
        """Return what is left of a bank in a turn that has taken `spent_ms`.

        It is below 0 once the flag has fallen.
        """
        if spent_ms <= self.delay_ms:
            return left_ms
        return left_ms + self.delay_ms - spent_ms

    def after_turn(self, left_ms: int, spent_ms: int) -> int | None:
        """Return what the bank holds after a turn that took `spent_ms`; None if it was too late."""
        if spent_ms > self.delay_ms:
            left_ms += self.delay_ms - spent_ms
            if left_ms < 0:
                return None
        return left_ms + self.increment_ms

    def pace_ms(self, turns: int) -> int:
        """Return how long each turn may take, so that the clock lasts for `turns` of one side."""
        return self.delay_ms + (self.bank_ms + self.increment_ms * (turns - 1)) // turns

    @property
    def is_none(self) -> bool:
        """True for a match that was played elsewhere, without times."""
        return not (self.delay_ms or self.bank_ms)

    @property
    def said(self) -> Said:
        """The time control in words."""
        times_ms = {"delay": self.delay_ms, "bank": self.bank_ms, "increment": self.increment_ms}
        parts = [
            Said(f"clock.{name}", {"time": f"{time_ms} ms"})
            for name, time_ms in times_ms.items()
            if time_ms
        ]
        if not parts:
            return Said("clock.none")
        return Said("clock.of", {"parts": parts})
