"""The quick way through dice by which nothing can happen but plain moves, hits and jans (B3, B4).

Most rolls are of this kind: nobody bears off or completes a handsome game, no run grows too long, nothing can be
struck. Then a checker may move where neither the opponent has closed nor an own one forbids it, and that one rule
stands here once more, written out inside the loops: asking `Steps` for every move costs five times the time. All
else is asked of `Steps`, and `suffices` says when this module may be used at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from arena.games.tables import board, endings
from arena.games.tables.board import HEAD, OFF, POINTS, SIDE_BITS, SLOT_BITS, UNLOCKED
from arena.games.tables.endings import EndingName
from arena.games.tables.ruleset import Ruleset
from arena.games.tables.steps import BEFORE_Q4, MOVED, Node, Steps

Result = tuple[int, EndingName | None]
"""A distinct result: the packed state after the turn, and the ending that cut the turn short, if one did.

The ending belongs to it: the same placement can be a jan or a forced jan, depending on the last hit (B9.2).
"""


@dataclass(slots=True)
class Line:
    """What playing the dice in one order leads to."""

    levels: list[dict[int, tuple[Any, ...]]]
    """`levels[n]`: what stands after n dice, by state, where more dice follow; the last item is the state one die before."""
    final: dict[int, int]
    """The states after the most dice after which the game goes on, each with the state one die before."""
    used: int = 0
    """How many dice that is."""
    ended: dict[Result, tuple[int, int]] = field(default_factory=dict)
    """The results that end the game, with the dice they really use (B3.6) and the state one die before."""
    waste: dict[int, int] = field(default_factory=dict)
    """Pips wasted on the way to a state of `final` or `ended`, where not zero (B7.6)."""

    def dice_used(self) -> int:
        """The most dice any sequence of this order uses, those that end the game included (B3.6)."""
        if self.ended:
            return max(self.used, *[used for used, _ in self.ended.values()])
        return self.used


Way = tuple[int, int, int, int]
"""A plain move: what it adds to the state, the bit of its point, the bit of its landing point, the slot it leaves."""

OUTSIDE_Q4: Final = (1 << SLOT_BITS * 19) - 1  # the slots of points 1-18 (and of the bar)


@cache
def ways(die: int) -> tuple[tuple[tuple[Way, ...], ...], tuple[tuple[Way, ...], ...]]:
    """Two tables of 4,096 rows: the moves by this die of the checkers in a mask of the points 1-12, and 13-24."""

    def way(slot: int) -> Way:
        return MOVED[die][slot], 1 << slot, 1 << (slot + die), 15 << SLOT_BITS * slot

    return _rows([way(slot) for slot in range(1, 13)]), _rows([way(slot) for slot in range(13, 25)])


@cache
def differences(die: int) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    """The same two tables with nothing but what each move adds to the state."""
    return _rows(list(MOVED[die][1:13])), _rows(list(MOVED[die][13:25]))


def _rows(items: list[Any]) -> tuple[tuple[Any, ...], ...]:
    rows: list[tuple[Any, ...]] = [()]
    for item in items:
        rows += [(*row, item) for row in rows]
    return tuple(rows)


class Plain:
    """Plays dice from nodes where `suffices` holds."""

    def __init__(self, ruleset: Ruleset, steps: Steps) -> None:
        self._ruleset = ruleset
        self._steps = steps
        self._ways = [((), ()), *map(ways, range(1, 7))]
        self._differences = [((), ()), *map(differences, range(1, 7))]
        self._strikeable_run = 24 if ruleset.strikeable_run is None else ruleset.strikeable_run
        self._longest_run = 24 if ruleset.longest_run is None else ruleset.longest_run
        self._after_head = ruleset.stacking == "after_head"
        # every stretch of points that would be too long a run, in the numbering of the side that owns it (B6.1)
        length = self._longest_run + 1
        self._too_long = [steps.flip_mask(board.span(p, p + length - 1)) for p in range(1, 26 - length)]

    def suffices(self, node: Node, dice: tuple[int, ...]) -> bool:
        """Whether playing these dice in this order can meet no rule that is not written out here."""
        state, own, own_closed, closed, _ = node
        number = len(dice)
        if state & 15:
            return False  # B5.1
        if (own & BEFORE_Q4).bit_count() <= number and board.checkers(state & OUTSIDE_Q4) <= number:
            return False  # B7.1, B8.1: all checkers could come to stand in Q4
        if closed.bit_count() >= self._strikeable_run and self._steps.strikeable(state, closed):
            return False  # B6.3
        if own_closed.bit_count() + number > self._longest_run and self._long_run_in_reach(node, dice):
            return False  # B6.1
        # B4.3 [F]: landing on the head changes the rules in the middle of the turn
        return not self._after_head or bool(state & UNLOCKED) or not _reach(own, dice) >> HEAD & 1

    def _long_run_in_reach(self, node: Node, dice: tuple[int, ...]) -> bool:
        state, own, own_closed, closed, _ = node
        could_close = (own | _reach(own, dice)) & ~closed & ~self._steps.no_adding(state)
        for stretch in self._too_long:
            missing = stretch & ~own_closed
            if not missing & ~could_close and missing.bit_count() <= len(dice):
                return True
        return False

    def jan_in_reach(self, node: Node, dice: tuple[int, ...]) -> bool:
        """B9.1: whether hits by these dice could overfill the opponent's bar."""
        state, own, _, closed, blots = node
        return self._can_jan(state, closed | blots, len(dice)) and bool(_reach(own, dice) & blots)

    def _can_jan(self, state: int, theirs: int, hits: int) -> bool:
        # a hit in their Q1 makes room for the checker it sends to the bar, any other does not
        return self._ruleset.jan and endings.is_jan(state + (hits << SIDE_BITS), theirs, self._steps.their_q1)

    def play(self, node: Node, dice: tuple[int, ...], line: Line) -> None:
        """Plays the dice in this order and adds what they lead to; the last die needs no nodes any more."""
        state, own, _, closed, blots = node
        no_adding = self._steps.no_adding(state)
        can_jan = self._can_jan(state, closed | blots, len(dice))
        level = {state: (own, closed, blots, state)}
        for die in dice[:-1]:
            low, high = self._ways[die]
            reached: dict[int, tuple[int, int, int, int]] = {}
            for state, (own, closed, blots, _) in level.items():
                movers = own & (POINTS ^ (closed | own & no_adding)) >> die  # B4.1, B4.3, B4.4
                if hits := movers & blots >> die:  # B4.2
                    movers ^= hits
                    for delta, bit, point, slot in low[hits >> 1 & 4095] + high[hits >> 13]:
                        child = state + delta + self._steps.hit[point.bit_length() - 1]
                        left = blots ^ point
                        if can_jan and endings.is_jan(child, closed | left, self._steps.their_q1):  # B9.1
                            line.ended[child, "jan"] = line.used + 1, state
                        else:
                            reached[child] = own | point if child & slot else own ^ bit | point, closed, left, state
                for delta, bit, point, slot in low[movers >> 1 & 4095] + high[movers >> 13]:
                    child = state + delta
                    if child not in reached:
                        reached[child] = own | point if child & slot else own ^ bit | point, closed, blots, state
            if not reached:
                return
            line.levels.append(reached)
            line.final = {}
            line.used += 1
            level = reached
        final = self._last_die(level, dice[-1], no_adding, line, can_jan=can_jan)
        if final:
            line.final = final
            line.used += 1
