"""The knock-out: a seeded bracket, in which whoever loses is out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.tournaments.errors import TournamentError
from arena.tournaments.results import BestGame, FixtureResult, decide_match
from arena.tournaments.rounds import Round, seated

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

Slots = tuple[str | None, ...]
"""A bracket from top to bottom; neighbours meet. None is a place that nobody has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bracket:
    """A knock-out so far: the field in the order of the seeds, the rounds drawn, what was decided, who is withdrawn."""

    entrants: Sequence[str]
    rounds: Sequence[Round]
    results: Mapping[str, FixtureResult]
    """By fixture; void ones, too."""
    withdrawn: Collection[str]
    best_game: BestGame

    def next_round(self) -> Round | None:
        """Draw the next round of `knockout-1`; None after the final, or if nobody is left.

        Every match of the last round must be over. Neighbours in the bracket meet, and whoever has no neighbour has a
        bye, in the final, too. A withdrawn entrant leaves its place empty.
        """
        slots = tuple(name if name not in self.withdrawn else None for name in self._standing())
        if len(slots) < 2 or not any(slots):
            return None
        pairs, byes = [], []
        for one, other in zip(slots[::2], slots[1::2], strict=True):
            if one is not None and other is not None:
                pairs.append((one, other) if self._seed(one) < self._seed(other) else (other, one))
            elif one is not None or other is not None:
                byes.append(one or other or "")
        number = len(self.rounds) + 1
        return Round(number=number, fixtures=seated(number, pairs, self.rounds), byes=tuple(byes))

    def rounds_survived(self) -> dict[str, int]:
        """How many rounds each entrant has come through; the winner of all has one more than the other finalist."""
        survived = {name: sum(name in each.names for each in self.rounds[1:]) for name in self.entrants}
        top, *others = self._standing()
        if top is not None and not others:
            survived[top] += 1
        return survived

    def _standing(self) -> Slots:
        """The bracket of the round that is to be drawn next: one place for every pair of the last round."""
        slots = first_slots(self.entrants)
        for each in self.rounds[1:]:
            if len(slots) <= 2:
                raise TournamentError([f"round {each.number} is drawn after the final"])
            # Who went on is known from who was drawn; it must not change when somebody withdraws later.
            names = each.names
            slots = tuple(
                next((name for name in pair if name in names), None)
                for pair in zip(slots[::2], slots[1::2], strict=True)
            )
        if not self.rounds:
            return slots
        return tuple(self._winner(one, other) for one, other in zip(slots[::2], slots[1::2], strict=True))

    def _winner(self, one: str | None, other: str | None) -> str | None:
        """Who goes on of two neighbours: the winner; of a match that was drawn or void, the better seed.

        If a match was not played since an entrant is withdrawn, the other goes on, or nobody if both are.
        """
        drawn = self.rounds[-1]
        there = [name for name in (one, other) if name is not None and name in drawn.names]
        if len(there) < 2:
            return there[0] if there else None
        fixture = next((fixture.id for fixture in drawn.fixtures if fixture.entrants == frozenset(there)), None)
        if fixture is None:
            raise TournamentError(
                [f"{there[0]} and {there[1]} are neighbours, but do not meet in round {drawn.number}"]
            )
        if fixture not in self.results:
            left = [name for name in there if name not in self.withdrawn]
            return left[0] if len(left) == 1 else None
        winner = decide_match(self.results[fixture], self.best_game).winner
        return winner or min(there, key=self._seed)

    def _seed(self, name: str) -> int:
        return self.entrants.index(name)


def first_slots(entrants: Sequence[str]) -> Slots:
    """Place a field in a bracket by its seeds, the best first: 1, 8, 4, 5, 2, 7, 3, 6 for eight.

    The best two can meet in the final only, the best four not before the semi-finals, and so on. A field that is no
    power of two leaves the places of the weakest seeds empty, so that the best seeds have the byes.
    """
    seeds = [1]
    while len(seeds) < len(entrants):
        above = 2 * len(seeds) + 1
        seeds = [each for seed in seeds for each in (seed, above - seed)]
    return tuple(entrants[seed - 1] if seed <= len(entrants) else None for seed in seeds)
