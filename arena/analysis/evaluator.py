"""An evaluator: the chance of each way to end, and the expected points, of packed positions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, get_args

import numpy as np

from arena.analysis.arrays import Counts, Flags, Floats, Phase, counts_of, phases_of, rows_of
from arena.analysis.features import inputs_of
from arena.analysis.network import Network, new_network
from arena.analysis.possible_endings import give_to_possible
from arena.analysis.race_turns import race_turns_for
from arena.analysis.races import RaceTable
from arena.games.tables.board import OFF
from arena.games.tables.endings import HANDSOME, TIMES, BorneOff, EndingName, worth
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


GAMMON_WAYS: Final = tuple(Way(ending, monk=False) for ending in get_args(BorneOff))
"""The ways to win in backgammon."""


def ways_of(rules: Ruleset, *, contact: bool = True) -> tuple[Way, ...]:
    """Return the ways to win under a ruleset, in a fixed order.

    Without contact no checker is on the bar, and none is hit.
    """
    endings: list[EndingName | BorneOff] = ["bearing_off"]
    if rules.gammons:
        endings = [*get_args(BorneOff)]
    if rules.handsome != "never":
        endings += HANDSOME.values()
    has_monks = contact and rules.points_monk > 0
    ways = []
    for ending in endings:
        ways.append(Way(ending, monk=False))
        if has_monks:
            ways.append(Way(ending, monk=True))
    if contact and rules.jan:
        ways.append(Way("jan", monk=False))
        if rules.entry_strikes != "never" or rules.strikeable_prime is not None:
            ways.append(Way("forced_jan", monk=False))
    return tuple(ways)


def points_of(ways: tuple[Way, ...], rules: Ruleset) -> Floats:
    """Return what each way pays, shape (2 * ways,).

    The side that has just moved comes first, then the other one with negative points. The ruleset
    may pay other points than the one for which the ways were listed (`gammons` off: one point for
    all three).
    """
    paid = []
    for ending, monk in ways:
        if ending in TIMES and not rules.gammons:
            ending = "bearing_off"
        paid.append(worth(rules, ending, monk=monk).points)
    return np.array(paid + [-points for points in paid], dtype=np.float32)


def other_side(probabilities: Floats) -> Floats:
    """Return the same outcomes seen from the other side, shape (..., 2 * ways)."""
    half = probabilities.shape[-1] // 2
    first = probabilities[..., :half]
    second = probabilities[..., half:]
    return np.concatenate((second, first), axis=-1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluator:
    """Networks for the phases of a game, an exact table for its end, and the ruleset they judge by.

    A position is always one after a turn: its low half is the side that has just moved, the other
    one is about to roll.
    """

    name: str
    """Such as `brade-vasa-3`; it never changes its meaning."""
    rules: Ruleset
    """The ruleset by which positions are judged: what it pays, and its options."""
    ways: tuple[Way, ...]
    """The ways to win; `probabilities` has two columns for each."""
    networks: Mapping[Phase, Network]
    """One for each phase."""
    table: RaceTable | None = None
    """For the last checkers of a race; None while networks are trained, and where no table fits the
    ruleset."""
    sieve: "Evaluator | None" = None
    """An evaluator with small networks and few inputs. It throws most turns out before this one
    looks at the others. None if there is no such sieve."""
    is_sieve: bool = False
    """True if its networks have only the inputs that cost little (`inputs_of`)."""
    sha256: str = ""
    """Of the file with its weights, in hexadecimal; empty while it is trained."""

    @property
    def hidden(self) -> tuple[int, ...]:
        """The widths of the hidden layers of the network for contact."""
        return tuple(len(biases) for biases in self.networks["contact"].biases[:-1])

    def under(self, rules: Ruleset) -> "Evaluator":
        """Return the same networks for another ruleset, without the table if it does not fit."""
        table = self.table
        sieve = self.sieve
        if table and not table.fits(rules):
            table = None
        if sieve:
            sieve = sieve.under(rules)
        return replace(self, rules=rules, table=table, sieve=sieve)

    def probabilities(self, states: Sequence[int]) -> Floats:
        """Return the chance of each way, shape (states, 2 * ways).

        The side that has just moved comes first, then the other one.
        """
        chances = np.zeros((len(states), 2 * len(self.ways)), dtype=np.float32)
        for begin in range(0, len(states), BATCH):
            batch = states[begin : begin + BATCH]
            self._fill(counts_of(batch), chances[begin : begin + BATCH])
        return chances

    def points(self, states: Sequence[int]) -> Floats:
        """Return the expected points of the side that has just moved, shape (states,)."""
        return self.probabilities(states) @ points_of(self.ways, self.rules)

    def wins(self, states: Sequence[int]) -> Floats:
        """Return how likely the side that has just moved wins the game, shape (states,)."""
        mine = self.probabilities(states)[:, : len(self.ways)]
        return np.asarray(mine.sum(axis=1))

    def columns(self, phase: Phase) -> list[int] | slice:
        """Return the columns of `probabilities` that the network of a phase has."""
        if phase != "race":
            return slice(None)
        columns = []
        for place, (ending, monk) in enumerate(self.ways):
            if not monk and ending not in ("jan", "forced_jan"):
                columns.append(place)
        of_other_side = [len(self.ways) + place for place in columns]
        return columns + of_other_side

    def inputs_of(self, counts: Counts, phase: Phase) -> Floats:
        """Return the inputs of the network of a phase, shape (positions, features).

        All positions are of that phase.
        """
        return inputs_of(counts, self.rules, phase, for_sieve=self.is_sieve)

    def _fill(self, counts: Counts, chances: Floats) -> None:
        """Write the chances of positions into rows of zeros: a view of the whole array."""
        rows = rows_of(counts, self.rules.facing)
        meets = np.ones(len(chances), dtype=np.bool_)
        meets[rows["race"]] = False
        if self.table and len(rows["race"]):
            races = rows["race"]
            is_covered = self.table.covers(counts[..., races])
            covered = races[is_covered]
            rows["race"] = races[~is_covered]
            losses = self.table.chances(counts[..., covered])
            win = self.ways.index(Way("bearing_off", monk=False))
            loss = len(self.ways) + win
            chances[covered, win] = 1 - losses
            chances[covered, loss] = losses
        for phase, places in rows.items():
            network = self.networks[phase]
            if len(places) == len(chances) and phase != "race":
                chances[:] = network.probabilities(self.inputs_of(counts, phase))
            elif len(places):
                inputs = self.inputs_of(counts[..., places], phase)
                estimates = network.probabilities(inputs)
                columns = np.arange(chances.shape[1])[self.columns(phase)]
                chances[places[:, np.newaxis], columns] = estimates
        if not meets.all() and self.ways == GAMMON_WAYS:
            self._count_gammons(counts, chances, meets)
        give_to_possible(chances, counts, meets, self.rules, self.ways)

    def _count_gammons(self, counts: Counts, chances: Floats, meets: Flags) -> None:
        """Write the chances of races with an open gammon, as the turns of both sides give them."""
        turns = self.table and race_turns_for(self.table.rules)
        places = np.flatnonzero(~meets & (counts[:, OFF] == 0).any(axis=0))
        if turns and len(places):
            chances[places] = turns.endings(counts[..., places]).reshape(-1, 6)


def new_evaluator(
    name: str,
    rules: Ruleset,
    hidden: Sequence[int],
    seed: int,
    *,
    is_sieve: bool = False,
) -> Evaluator:
    """Return random networks with hidden layers of these widths; half of that for races."""
    chance = np.random.default_rng(seed)
    networks = {
        phase: new_network(layer_widths(rules, hidden, phase, for_sieve=is_sieve), chance)
        for phase in phases_of(rules.facing)
    }
    return Evaluator(
        name=name,
        rules=rules,
        ways=ways_of(rules),
        networks=networks,
        is_sieve=is_sieve,
    )


def layer_widths(
    rules: Ruleset,
    hidden: Sequence[int],
    phase: Phase,
    *,
    for_sieve: bool,
) -> list[int]:
    """Return the widths of the layers of a network, inputs first.

    `hidden` has the widths of the hidden layers of the network for contact.
    """
    some_position = counts_of([0])
    _, inputs = inputs_of(some_position, rules, phase, for_sieve=for_sieve).shape
    if phase == "race":
        hidden = [width // 2 for width in hidden]
    ways = ways_of(rules, contact=phase != "race")
    return [inputs, *hidden, 2 * len(ways)]
