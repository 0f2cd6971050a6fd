"""The chances on the cards of matches: how likely each side wins its game, by an evaluator.

The evaluator that ships for the ruleset judges the boards that are shown, all in one go, in a
thread, and each position once. It rests much longer than it computes: with many boards that change
all the time the chances come more slowly, and nothing else does. numpy is only loaded here.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import trio

from arena.games.result import Seat
from arena.pages.following import JudgedPosition

if TYPE_CHECKING:
    from arena.analysis import Evaluator

PAUSE_SECONDS: Final = 0.25
"""The least time between two looks at the boards."""
REST: Final = 20
"""It rests for this many times the processor time that it took: it takes at most 5 % of a core."""


class Chances:
    """The chances that seat 1 wins its game, of the boards that are shown."""

    def __init__(self) -> None:
        self._judged: dict[str, tuple[int, float]] = {}
        """The game that was judged last in each match, and the chance in it."""
        self._seen: dict[str, Standing] = {}
        """What was judged last in each match."""
        self._evaluator: Evaluator | None = None
        self.are_possible = True
        """False once it is known that no evaluator ships for the ruleset, and after a fault."""
        self.pause_seconds = PAUSE_SECONDS
        """The time until the boards are to be looked at again."""

    def of(self, fixture: str, game: int) -> float | None:
        """Return the latest chance in a game of a match; None if it was not judged yet."""
        judged_game, chance = self._judged.get(fixture, (0, None))
        if judged_game != game:
            return None
        return chance

    async def judge(self, shown: Mapping[str, JudgedPosition | None]) -> dict[str, float]:
        """Judge the positions that have changed, by match; return the chances that have.

        A match without a position keeps its chance while it is shown.
        """
        self.pause_seconds = PAUSE_SECONDS
        for fixture in self._seen.keys() - shown.keys():
            del self._seen[fixture], self._judged[fixture]
        changed = {
            fixture: position
            for fixture, position in shown.items()
            if position is not None and standing_of(position) != self._seen.get(fixture)
        }
        if not changed:
            return {}
        chances = await trio.to_thread.run_sync(
            self._chances_of, list(changed.values()), abandon_on_cancel=True
        )
        if not self.are_possible:
            return {}
        news = {}
        for (fixture, position), chance in zip(changed.items(), chances, strict=True):
            judged = (position.game, chance)
            if self._judged.get(fixture) != judged:
                news[fixture] = chance
            self._judged[fixture] = judged
            self._seen[fixture] = standing_of(position)
        return news

    def _chances_of(self, positions: Sequence[JudgedPosition]) -> list[float]:
        """Return the chance of seat 1 in each position, to a hundredth; all are of one ruleset."""
        from arena.analysis import EvaluatorError, evaluator_for

        if self._evaluator is None:
            try:
                self._evaluator = evaluator_for(positions[0].rules)
            except EvaluatorError:
                self.are_possible = False
                return []
        started = time.thread_time()
        after_turns = [at.rules.flip(at.position).state for at in positions]
        wins = self._evaluator.wins(after_turns).tolist()
        self.pause_seconds = max(PAUSE_SECONDS, REST * (time.thread_time() - started))
        chances = []
        for at, chance in zip(positions, wins, strict=True):
            if at.to_move == 1:  # seat 2 has just moved
                chance = 1 - chance
            chances.append(round(chance, 2))
        return chances


Standing: TypeAlias = tuple[int, Seat, Any]
"""A game, the side that is to move, and the position as it sees it."""


def standing_of(position: JudgedPosition) -> Standing:
    """Return what makes a position another one."""
    return position.game, position.to_move, position.position
