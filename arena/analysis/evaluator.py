"""An evaluator: for packed positions, how likely each way to end is, and how many points that makes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, get_args

import numpy as np

from arena.analysis.arrays import Counts, Floats, Phase, counts_of, phases_of, rows_of
from arena.analysis.features import inputs_of
from arena.analysis.network import Network, new_network
from arena.analysis.possible_endings import give_to_possible
from arena.analysis.races import RaceTable
from arena.games.tables.endings import HANDSOME, TIMES, BorneOff, EndingName, worth
from arena.games.tables.position import Position
from arena.games.tables.ruleset import Ruleset

BATCH = 8192
"""Positions that are looked at in one go; more would only take more memory."""
WIDEST: Final = 4096
"""The width of a hidden layer, at most; those that ship have up to 1,024."""
DEEPEST: Final = 8
"""Hidden layers of a network, at most; those that ship have two."""


class Way(NamedTuple):
    """One way to win."""

    ending: EndingName | BorneOff
    monk: bool
    """B10.1: the loser has a checker on the bar."""


def ways_of(rules: Ruleset, *, contact: bool = True) -> tuple[Way, ...]:
    """The ways to win under a ruleset, in a fixed order; without contact nobody is on the bar, and nobody is hit."""
    kinds: list[EndingName | BorneOff] = [*get_args(BorneOff)] if rules.gammons else ["bearing_off"]
    if rules.handsome != "never":
        kinds += HANDSOME.values()
    may_be_monk = (False, True) if contact and rules.points_monk else (False,)
    ways = [Way(kind, monk) for kind in kinds for monk in may_be_monk]
    if contact and rules.jan:
        ways.append(Way("jan", monk=False))
        if rules.entry_strikes != "never" or rules.strikeable_prime is not None:
            ways.append(Way("forced_jan", monk=False))
    return tuple(ways)


def points_of(ways: tuple[Way, ...], rules: Ruleset) -> Floats:
    """Return what each way pays, shape (2 * ways,): for the side that has just moved, then, negative, for the other.

    The ruleset may pay otherwise than the one for which the ways were listed (`gammons` off: one
    point for all three).
    """
    plain = {} if rules.gammons else dict.fromkeys(TIMES, "bearing_off")
    won = [worth(rules, plain.get(ending, ending), monk=monk).points for ending, monk in ways]
    return np.array([*won, *(-points for points in won)], dtype=np.float32)


def other_side(probabilities: Floats) -> Floats:
    """The same outcomes seen from the other side, shape (..., 2 * ways)."""
    half = probabilities.shape[-1] // 2
    return np.concatenate((probabilities[..., half:], probabilities[..., :half]), axis=-1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluator:
    """Networks for the phases of a game, an exact table for its end, and the ruleset for which they are asked.

    A position is always one after a turn: its low half is the side that has just moved, the other
    one is about to roll.
    """

    name: str
    """Such as `brade-vasa-3`; it never changes its meaning."""
    rules: Ruleset
    """The ruleset that it is asked about: what it pays, and its options."""
    ways: tuple[Way, ...]
    """The ways to win; `probabilities` has two columns for each."""
    networks: Mapping[Phase, Network]
    """One for each phase."""
    table: RaceTable | None = None
    """For the last checkers of a race; None while networks are trained, and where no table fits the
    ruleset."""
    sieve: Evaluator | None = None
    """One with small networks, told less, that throws most turns out before this one looks at the
    rest; or None."""
    is_sieve: bool = False
    """True if its networks are told only what costs little (`inputs_of`)."""
    sha256: str = ""
    """Of the file with its weights, in hexadecimal; empty while it is trained."""

    @property
    def hidden(self) -> tuple[int, ...]:
        """The widths of the hidden layers of the network for contact."""
        return tuple(len(biases) for biases in self.networks["contact"].biases[:-1])

    def under(self, rules: Ruleset) -> Evaluator:
        """The same networks, asked about another ruleset; without the table if that does not fit it."""
        table = self.table if self.table and self.table.fits(rules) else None
        return replace(self, rules=rules, table=table, sieve=self.sieve and self.sieve.under(rules))

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

    def wins(self, states: Sequence[int]) -> Floats:
        """Return how likely the side that has just moved wins the game, shape (states,)."""
        return np.asarray(self.probabilities(states)[:, : len(self.ways)].sum(axis=1))

    def columns(self, phase: Phase) -> list[int] | slice:
        """The columns of `probabilities` that the network of a phase has."""
        if phase != "race":
            return slice(None)
        left = [
            place
            for place, way in enumerate(self.ways)
            if not way.monk and way.ending not in ("jan", "forced_jan")
        ]
        return left + [len(self.ways) + place for place in left]

    def inputs_of(self, counts: Counts, phase: Phase) -> Floats:
        """The inputs of its network of a phase for positions of that phase, shape (positions, features)."""
        return inputs_of(counts, self.rules, phase, for_sieve=self.is_sieve)

    def _fill(self, counts: Counts, found: Floats) -> None:
        rows = rows_of(counts, self.rules.facing)
        meets = np.ones(len(found), dtype=np.bool_)
        meets[rows["race"]] = False
        if self.table and len(rows["race"]):
            covered = self.table.covers(counts[..., rows["race"]])
            short, rows["race"] = rows["race"][covered], rows["race"][~covered]
            chances = self.table.chances(counts[..., short])
            place = self.ways.index(Way("bearing_off", monk=False))
            found[short, place] = 1 - chances
            found[short, len(self.ways) + place] = chances
        for phase, places in rows.items():
            if len(places) == len(found) and phase != "race":
                found[:] = self.networks[phase].probabilities(self.inputs_of(counts, phase))
            elif len(places):
                said = self.networks[phase].probabilities(
                    self.inputs_of(counts[..., places], phase)
                )
                found[places[:, np.newaxis], np.arange(found.shape[1])[self.columns(phase)]] = said
        give_to_possible(found, counts, meets, self.rules, self.ways)


def evaluate(evaluator: Evaluator, positions: Iterable[Position]) -> Floats:
    """The points that the side that has just moved may expect in each position after a turn, shape (positions,)."""
    return evaluator.points([position.state for position in positions])


def new_evaluator(
    name: str, rules: Ruleset, hidden: Sequence[int], seed: int, *, is_sieve: bool = False
) -> Evaluator:
    """Random networks for a ruleset, with hidden layers of these widths; half as wide in the network for races."""
    chance = np.random.default_rng(seed)
    networks = {
        phase: new_network(layer_widths(rules, hidden, phase, for_sieve=is_sieve), chance)
        for phase in phases_of(rules.facing)
    }
    return Evaluator(
        name=name, rules=rules, ways=ways_of(rules), networks=networks, is_sieve=is_sieve
    )


def layer_widths(
    rules: Ruleset, hidden: Sequence[int], phase: Phase, *, for_sieve: bool
) -> list[int]:
    """The widths of the layers of a network, inputs first, by the hidden layers of the network for contact."""
    inputs = inputs_of(counts_of([0]), rules, phase, for_sieve=for_sieve).shape[1]
    between = [width // 2 for width in hidden] if phase == "race" else hidden
    return [inputs, *between, 2 * len(ways_of(rules, contact=phase != "race"))]
