"""All moves of one roll: every distinct result, and the duties a turn must meet (B3, B7.6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from arena.games.interface import Ending, LegalTurn, Move
from arena.games.tables import board, endings
from arena.games.tables.board import OFF, SIDE_BITS, SLOT_BITS
from arena.games.tables.endings import PLACEMENT, EndingName
from arena.games.tables.position import Position, from_state
from arena.games.tables.ruleset import Ruleset
from arena.games.tables.steps import Node, Steps

MOVE_OF: Final[dict[int, tuple[int, int]]] = {
    (1 << SLOT_BITS * target) - (1 << SLOT_BITS * slot): (slot, target)
    for slot in range(25)
    for target in range(slot + 1, min(slot + 6, OFF) + 1)
}
"""What a move adds to its side, back to (from, to)."""

Result = tuple[int, EndingName | None]
"""A distinct result: the packed state after the turn, and the ending that cut the turn short, if one did.

The ending belongs to it: the same placement can be a jan or a forced jan, depending on the last hit (B9.2).
"""


@dataclass(frozen=True, slots=True)
class Duty:
    """What the roll obliges the mover to, however the turn is played."""

    dice: int
    """B3.3: how many dice must be used; 0 is a forced pass (B3.5)."""
    die: int | None
    """B3.4: the die that must be the one used, where only one of two can be."""
    waste: int | None
    """B7.6: the least waste, in pips, that a turn can have; None where the ruleset does not ask."""


@dataclass(slots=True)
class _Line:
    """What playing the dice in one order leads to."""

    levels: list[dict[int, Node]]
    """`levels[n]`: the nodes after n dice at which the game goes on, by state."""
    ended: dict[Result, int] = field(default_factory=dict)
    """The results that end the game, with the number of dice they really use (B3.6)."""
    waste: dict[tuple[int, int], int] = field(default_factory=dict)
    """Pips wasted so far by (dice used, state), where not zero; the way played makes no difference to it."""

    def dice_used(self) -> int:
        """The most dice any sequence of this order uses, those that end the game included."""
        return max(len(self.levels) - 1, max(self.ended.values(), default=0))


class Turns:
    """The distinct results of one roll under one ruleset (a `LegalTurns`)."""

    def __init__(
        self, ruleset: Ruleset, start: int, results: dict[Result, int], before: list[dict[Result, int]], duty: Duty
    ) -> None:
        self._ruleset = ruleset
        self._start = start
        self._before = before
        self.results = results
        """Every result with the number of dice it uses."""
        self.duty = duty
        self._list = list(results)

    def __len__(self) -> int:
        """How many distinct results there are; a forced pass is one."""
        return len(self._list)

    def __getitem__(self, index: int, /) -> LegalTurn[Position]:
        """One result, whole."""
        result = self._list[index]
        moves: list[Move] = list(self._path(result))
        return LegalTurn(moves, from_state(result[0], self._ruleset.facing), ending_of(self._ruleset, result))

    def __iter__(self) -> Iterator[LegalTurn[Position]]:
        """Every result, whole."""
        return map(self.__getitem__, range(len(self._list)))

    def moves(self, index: int, /) -> list[list[Any]]:
        """One way to play a result: `[[from, to], ...]`."""
        return [[slot, target] for slot, target in self._path(self._list[index])]

    def _path(self, result: Result) -> list[tuple[int, int]]:
        path = []
        for used in range(self.results[result], 0, -1):
            state = result[0]
            before = self._before[used][result]
            path.append(MOVE_OF[(state & PLACEMENT) - (before & PLACEMENT)])
            result = (before, None)
        path.reverse()
        return path


def ending_of(ruleset: Ruleset, result: Result) -> Ending | None:
    """The ending of a whole turn with its worth, B8.2's handsome games included."""
    state, name = result
    if name is None:
        name = endings.handsome(state) if ruleset.handsome == "after_turn" else None
        if name is None:
            return None
    return endings.worth(ruleset, name, monk=bool(state >> SIDE_BITS & 15))


class TurnGenerator:
    """Generates all distinct results of a roll under one ruleset."""

    def __init__(self, ruleset: Ruleset, steps: Steps) -> None:
        self._ruleset = ruleset
        self._steps = steps

    def turns(self, start: Position, dice: tuple[int, ...]) -> Turns:
        """Every distinct result of the roll (B3.1-B3.6, B7.6)."""
        before: list[dict[Result, int]] = [{} for _ in range(5)]
        higher = self._play(start, _order(dice), before)
        lower = self._play(start, _order(dice)[::-1], before) if dice[0] != dice[-1] else higher
        used = max(higher.dice_used(), lower.dice_used())  # B3.3
        lines, die = (higher, lower), None
        if used == 1 and lower is not higher:
            first = higher if higher.dice_used() else lower  # B3.4
            lines, die = (first, first), max(dice) if first is higher else min(dice)
        if used == 0:
            return Turns(self._ruleset, start.state, {(start.state, None): 0}, before, Duty(0, None, None))  # B3.5
        results: dict[Result, int] = {}
        for line in lines:
            if len(line.levels) > used:
                results.update(dict.fromkeys([(state, None) for state in line.levels[used]], used))
            results.update({result: number for result, number in line.ended.items() if number == used})
        waste = None
        if self._ruleset.least_waste:  # B7.6
            known = lines[1].waste | lines[0].waste
            wastes = {result: known.get((used, result[0]), 0) for result in results}
            waste = min(wastes.values())
            results = {result: used for result in results if wastes[result] == waste}
        if self._ruleset.winning_turn_is_exempt:  # B3.6
            results = higher.ended | lower.ended | results
        return Turns(self._ruleset, start.state, results, before, Duty(used, die, waste))

    def _play(self, start: Position, order: tuple[int, ...], before: list[dict[Result, int]]) -> _Line:
        root = (start.state, start.own, start.own_closed, start.closed, start.blots)
        line = _Line([{start.state: root}])
        for used, die in enumerate(order, start=1):
            reached: dict[int, Node] = {}
            for node in line.levels[-1].values():
                for child, ending, waste in self._children(node, die):
                    state = child[0]
                    if ending is None:
                        reached[state] = child
                    else:
                        line.ended.setdefault((state, ending), used)
                    before[used].setdefault((state, ending), node[0])
                    waste += line.waste.get((used - 1, node[0]), 0)
                    if waste:
                        line.waste[used, state] = waste
            if not reached:
                break
            line.levels.append(reached)
        return line

    def _children(self, node: Node, die: int) -> Iterator[tuple[Node, EndingName | None, int]]:
        steps = self._steps
        quiet, hits, strikes = steps.movers(node, die)
        for slot in board.bits(quiet | hits | strikes):
            yield *steps.play(node, slot, die), 0
        for slot in board.bits(steps.bearers(node, die)):
            yield *steps.play(node, slot, die), slot + die - OFF


def _order(dice: tuple[int, ...]) -> tuple[int, ...]:
    """The dice in the order tried first: the higher one first; doubles are four of one number (B3.2)."""
    if len(dice) == 2 and dice[0] == dice[1]:
        return dice * 2
    return tuple(sorted(dice, reverse=True))
