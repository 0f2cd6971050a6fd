"""An evaluator: for packed positions, how likely each way to end is, and how many points that makes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from arena.analysis.arrays import Counts, Flags, Floats
from arena.analysis.features import Group, features, groups_of
from arena.analysis.network import Network, new_network
from arena.analysis.outcomes import Way, is_left_in_a_race, points_of, ways_of
from arena.analysis.races import RaceTable
from arena.analysis.sides import Sides, counts_of, has_contact, sides_of
from arena.games.tables.position import Position
from arena.games.tables.ruleset import Ruleset

BORNE_OFF = Way("bearing_off", monk=False)
"""How the races of a table end."""
BATCH = 16_384
"""Positions that are looked at in one go; more would only take more memory."""
WIDEST: Final = 4096
"""The width of a hidden layer, at most; those that ship have up to 256."""
DEEPEST: Final = 8
"""Hidden layers of a network, at most; those that ship have two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluator:
    """Networks for two phases of a game, an exact table for its end, and the ruleset for which they are asked.

    A position is always one after a turn: its low half is the side that has just moved, the other one is about to roll.
    """

    name: str
    """Such as `brade-vasa-1`; it never changes its meaning."""
    rules: Ruleset
    """The ruleset that it is asked about: what it pays, and its options."""
    ways: tuple[Way, ...]
    """The ways to win; `probabilities` has two columns for each."""
    contact: Network
    """While checkers of both sides can still meet."""
    race: Network
    """Afterwards."""
    table: RaceTable | None = None
    """For the last checkers of a race; None while networks are trained, and where no table fits the ruleset."""
    sha256: str = ""
    """Of the file with its weights, in hexadecimal; empty while it is trained."""

    def under(self, rules: Ruleset) -> Evaluator:
        """The same networks, asked about another ruleset; without the table if that does not fit it."""
        table = self.table if self.table and self.table.fits(rules) else None
        return replace(self, rules=rules, table=table)

    def probabilities(self, states: Sequence[int]) -> Floats:
        """Return the chance of each way: first for the side that has just moved, then the other; (states, 2 * ways)."""
        found = np.zeros((len(states), 2 * len(self.ways)), dtype=np.float32)
        for begin in range(0, len(states), BATCH):
            batch = states[begin : begin + BATCH]
            self._fill(counts_of(batch), found[begin : begin + BATCH])
        return found

    def points(self, states: Sequence[int]) -> Floats:
        """The points that the side that has just moved may expect, shape (states,)."""
        return self.probabilities(states) @ points_of(self.ways, self.rules)

    def points_and_wins(self, states: Sequence[int]) -> Floats:
        """The same, and how likely the side that has just moved wins the game, shape (states, 2)."""
        found = self.probabilities(states)
        wins = found[:, : len(self.ways)].sum(axis=1)
        return np.stack((found @ points_of(self.ways, self.rules), wins), axis=1)

    def inputs(self, counts: Counts, *, contact: bool) -> Floats:
        """Return the inputs of the network of a phase, for positions of that phase."""
        return _inputs(sides_of(counts, self.rules.facing), self.rules, contact=contact)

    def in_contact(self, counts: Counts) -> Flags:
        """Return which positions belong to the first phase."""
        return has_contact(counts, self.rules.facing)

    @property
    def race_columns(self) -> list[int]:
        """The columns of `probabilities` that the network for races has."""
        left = [place for place, way in enumerate(self.ways) if is_left_in_a_race(way)]
        return left + [len(self.ways) + place for place in left]

    def _fill(self, counts: Counts, found: Floats) -> None:
        contact = self.in_contact(counts)
        if contact.all():
            found[:] = self.contact.probabilities(self.inputs(counts, contact=True))
            return
        if contact.any():
            found[contact] = self.contact.probabilities(self.inputs(counts[contact], contact=True))
        covered = self.table.covers(counts) if self.table else np.zeros_like(contact)
        if self.table and covered.any():
            chances = self.table.chances(counts[covered])
            place = self.ways.index(BORNE_OFF)
            found[covered, place] = 1 - chances
            found[covered, len(self.ways) + place] = chances
        rows = np.flatnonzero(~contact & ~covered)
        if len(rows):
            raced = self.race.probabilities(self.inputs(counts[rows], contact=False))
            found[rows[:, np.newaxis], self.race_columns] = raced


def evaluate(evaluator: Evaluator, positions: Iterable[Position]) -> Floats:
    """The points that the side that has just moved may expect in each position after a turn, shape (positions,)."""
    return evaluator.points([position.state for position in positions])


def new_evaluator(name: str, rules: Ruleset, hidden: Sequence[int], seed: int) -> Evaluator:
    """Random networks for a ruleset, with hidden layers of these widths; the race gets half of them."""
    chance = np.random.default_rng(seed)
    contact, race = (new_network(layer_widths(rules, hidden, contact=contact), chance) for contact in (True, False))
    return Evaluator(name=name, rules=rules, ways=ways_of(rules), contact=contact, race=race)


def layer_widths(rules: Ruleset, hidden: Sequence[int], *, contact: bool) -> list[int]:
    """The widths of the layers of a network, inputs first, by the hidden layers of the network for contact."""
    inputs = _inputs(sides_of(counts_of([0]), rules.facing), rules, contact=contact).shape[1]
    between = hidden if contact else [width // 2 for width in hidden]
    return [inputs, *between, 2 * len(ways_of(rules, contact=contact))]


def _inputs(sides: Sides, rules: Ruleset, *, contact: bool) -> Floats:
    groups: tuple[Group, ...] = groups_of(rules, contact=contact)
    return features(sides, rules, groups, with_options=rules.bearing_off == "any" and rules.jan)
