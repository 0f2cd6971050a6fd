"""Turns that a side of a race still needs: to bear off all its checkers, or the first one (G6).

With all checkers in Q4 they are counted. With some outside, small networks say how likely each
number is: they have learnt to agree with themselves one turn later, and near Q4 with the count
(`python -m tests.generators.make_race_turns`). The turns out of the winner's Q4 are counted too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Annotated, Final, Literal, TypeAlias, get_args

import msgspec
import numpy as np

from arena.analysis.arrays import Array, Counts, Floats
from arena.analysis.bearing_off import (
    FIRST,
    Q4_POINTS,
    TURNS,
    WAYS_TO_THROW,
    RaceRules,
    numbers_of,
    turns_to_bear_off,
)
from arena.analysis.headed_files import SHIPPED, Kind, Name, check_pin, read_headed
from arena.analysis.network import Network, network_of, shapes_of
from arena.analysis.race_rolls import ways_of_rolls
from arena.games.tables.board import CHECKERS, OFF

Goal: TypeAlias = Literal["all", "first"]
"""What a side needs turns for: to bear off all its checkers, or to bear off the first."""
GOALS: Final[tuple[Goal, ...]] = get_args(Goal)
LEAVING: Final = RaceRules(bearing_off="any", least_waste=False, winning_turn_is_exempt=False)
"""A side leaves the winner's Q4 as if it bore off there, with any die that is large enough."""
INPUTS: Final = 2 * (OFF - 1)
CLEAR: Final = 0.003
"""The chance of a gammon, or of none, below which sides do not look a roll ahead."""
LOOKED_AT: Final = 500
"""Sides that are looked at in one go; more would only take more memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceTurns:
    """The turns that a side of a race needs, by rules of bearing off."""

    rules: RaceRules
    networks: Mapping[Goal, Network]

    def get_ready(self) -> None:
        """Compute the turns of sides at home, and those out of the winner's Q4."""
        for goal in GOALS:
            self._counted(goal)
        turns_to_bear_off(LEAVING, CHECKERS)

    def chances(self, side: Array, goal: Goal) -> Floats:
        """Return the chance of each number of turns, shape (positions, `TURNS`); 0 turns first.

        `side` has the counts of a side, shape (28, positions), without contact. With a checker
        outside Q4 it plays each roll in its best way, and `estimates` tells what follows.
        """
        chances = self.estimates(side, goal)
        open_places = np.flatnonzero(side[:FIRST].any(axis=0) & (chances[:, 0] < 1))
        sides, numbers = np.unique(side.T[open_places], axis=0, return_inverse=True)
        later = np.zeros((len(sides), TURNS), dtype=np.float32)
        for begin in range(0, len(sides), LOOKED_AT):
            part = slice(begin, begin + LOOKED_AT)
            later[part] = self._a_turn_later(sides[part], goal)
        chances[open_places] = later[numbers.reshape(-1)]
        return chances

    def _a_turn_later(self, sides: Array, goal: Goal) -> Floats:
        """Return the chances of sides, shape (sides, 28), by those after the best way of each roll.

        The best way needs the fewest turns on average.
        """
        chances = np.zeros((len(sides), TURNS), dtype=np.float32)
        for throws, (rows, after) in zip(WAYS_TO_THROW, ways_of_rolls(sides), strict=True):
            later = self.estimates(after.T, goal)
            means = later @ np.arange(TURNS, dtype=np.float32)
            order = np.lexsort((means, rows))
            _, best = np.unique(rows[order], return_index=True)
            chances[:, 1:] += later[order[best], :-1] * np.float32(throws / 36)
        return chances

    def estimates(self, side: Array, goal: Goal) -> Floats:
        """Return what `chances` does, by the networks alone where a checker is outside Q4."""
        chances = np.zeros((side.shape[1], TURNS), dtype=np.float32)
        is_home = ~side[:FIRST].any(axis=0)
        chances[is_home] = self._counted(goal)[numbers_of(side[FIRST:OFF, is_home])]
        if not is_home.all():
            inputs = inputs_of(side[:, ~is_home])
            chances[~is_home] = self.networks[goal].probabilities(inputs)
        if goal == "first":
            chances[side[OFF] > 0] = np.eye(1, TURNS)
        return chances

    def _counted(self, goal: Goal) -> Floats:
        return turns_to_bear_off(self.rules, CHECKERS, until_first=goal == "first")

    def endings(self, counts: Counts) -> Floats:
        """Return the chance of each way to win (`BorneOff`), shape (positions, 2, 3).

        The side that has just moved comes first. Only where a gammon is neither nearly certain nor
        nearly excluded, each side looks a roll ahead.
        """
        endings = _endings(counts, self.estimates)
        gammons = endings[:, :, 1:].sum(axis=(1, 2))
        unclear = np.flatnonzero((gammons > CLEAR) & (gammons < 1 - CLEAR))
        if len(unclear):
            endings[unclear] = _endings(counts[..., unclear], self.chances)
        return endings


def _endings(counts: Counts, turns: Callable[[Array, Goal], Floats]) -> Floats:
    all_off = [turns(side, "all") for side in counts]
    saved = [turns(side, "first") for side in counts]
    gone = [turns_to_leave(side) for side in counts]
    wins = _in_time(all_off, all_off)
    gammons = np.minimum(_in_time(all_off, saved), wins)
    backgammons = np.minimum(_in_time(all_off, gone), gammons)
    return np.stack((wins - gammons, gammons - backgammons, backgammons), axis=2)


def turns_to_leave(side: Array) -> Floats:
    """Return the chance of each number of turns until no checker is in the winner's Q4.

    The shapes are those of `RaceTurns.chances`.
    """
    counted = turns_to_bear_off(LEAVING, CHECKERS)
    return counted[numbers_of(side[1 : 1 + Q4_POINTS])]


def _in_time(winners: Sequence[Floats], losers: Sequence[Floats]) -> Floats:
    """Return the chance of each side that it has won before the other is there.

    Both have the chances of the side that has just moved, then of the other one, which needs no
    more turns than the loser. The shape is (positions, 2).
    """
    later = 1 - losers[1].cumsum(axis=1)
    at_least = losers[0][:, ::-1].cumsum(axis=1)[:, ::-1]
    moved_wins = (winners[0] * later).sum(axis=1)
    rolls_wins = (winners[1] * at_least).sum(axis=1)
    wins = np.stack((moved_wins, rolls_wins), axis=1)
    return np.asarray(wins.clip(0, 1))  # sums of float32 may come to 1.000001


def inputs_of(side: Array) -> Floats:
    """Return the inputs of the networks, shape (positions, `INPUTS`).

    For each point: how many checkers, and whether there is one.
    """
    points = side[1:OFF].T
    return np.concatenate((points / 4, points > 0), axis=1, dtype=np.float32)


# Networks as a file: a line of JSON that says what they are, then the weights

SUFFIX: Final = ".turns"


class RaceTurnsHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line."""

    format: int
    name: Name
    hidden: tuple[Annotated[int, msgspec.Meta(ge=1, le=256)], ...]
    """The widths of the hidden layers of each network."""


KIND: Final = Kind(
    what="file of turns of races",
    format=1,
    head=RaceTurnsHead,
    advice="`python -m tests.generators.make_race_turns` makes it again",
)
EXACT: Final = RaceRules(bearing_off="exact", least_waste=False, winning_turn_is_exempt=False)
"""The rules of the file that ships: of backgammon (G5)."""
PINNED: Final[Mapping[str, str]] = {
    "turns-exact": "3222cc28184d339f8aba9fac3d1f24fc6c7efffad9b6afb34d1bde0801b36362",
}
"""The SHA-256 of the shipped file."""


@cache
def race_turns_for(rules: RaceRules) -> RaceTurns | None:
    """Return the shipped networks if they are for these rules.

    Raises `EvaluatorError` if their file is missing or damaged.
    """
    if rules != EXACT:
        return None
    path = SHIPPED / f"turns-exact{SUFFIX}"
    head, numbers, sha256 = read_headed(path, KIND, _size_of)
    check_pin(path, head.name, sha256, PINNED, KIND.advice)
    weights = np.frombuffer(numbers, dtype="<f4").astype(np.float32)
    networks: dict[Goal, Network] = {}
    begin = 0
    for goal in GOALS:
        arrays = []
        for shape in _shapes(head):
            end = begin + prod(shape)
            arrays.append(weights[begin:end].reshape(shape))
            begin = end
        networks[goal] = network_of(arrays)
    return RaceTurns(rules=rules, networks=networks)


def _shapes(head: RaceTurnsHead) -> list[tuple[int, ...]]:
    return shapes_of([INPUTS, *head.hidden, TURNS])


def _size_of(head: RaceTurnsHead) -> int:
    """Return the size of the weights in bytes."""
    return 4 * len(GOALS) * sum(map(prod, _shapes(head)))
