"""Judging a submitted turn: step by step where that suffices, against the whole roll where it must (B3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from arena.games.interface import Illegal, Legal
from arena.games.tables import explain
from arena.games.tables.board import OFF
from arena.games.tables.endings import EndingName
from arena.games.tables.position import Position
from arena.games.tables.ruleset import Ruleset
from arena.games.tables.steps import Moves, Node, Steps
from arena.games.tables.turns import TurnGenerator, Turns, ending_of


class Walk(NamedTuple):
    """How far the listed moves could be played under one assignment of dice to moves."""

    node: Node
    """Where the moves led, or where the first impossible one was tried."""
    ending: EndingName | None
    played: int
    """How many of the listed moves could be played."""
    dice: tuple[int, ...]
    """The dice in the order assigned; move i takes die i."""
    waste: int
    """Pips wasted in bearing off (B7.6)."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges turns under one ruleset."""

    ruleset: Ruleset
    steps: Steps
    generator: TurnGenerator

    def judge(self, position: Position, dice: tuple[int, ...], moves: Moves) -> Legal[Position] | Illegal:
        """Whether this list of moves, in this order, is a legal turn under some assignment of dice (B3.1)."""
        turns: Turns | None = None
        walks = []
        for order in orders(dice):
            walk = self._walk(position, order, moves)
            walks.append(walk)
            if walk.played < len(moves):
                continue
            if self._meets_every_duty(walk, len(order)):
                return self._legal(walk)
            turns = turns or self.generator.turns(position, dice)
            duty = turns.duty
            if walk.ending is not None and self.ruleset.winning_turn_is_exempt:
                return self._legal(walk)
            if (
                walk.played == duty.dice
                and duty.die in (None, *walk.dice[: walk.played])
                and duty.waste in (None, walk.waste)
            ):
                return self._legal(walk)
        turns = turns or self.generator.turns(position, dice)
        return explain.illegal(self.steps, dice, moves, walks, turns)

    def _meets_every_duty(self, walk: Walk, dice: int) -> bool:
        """Whether the turn is legal whatever else the roll allows, so that nothing need be generated."""
        if walk.ending is not None and self.ruleset.winning_turn_is_exempt:
            return True  # B3.6
        return walk.played == dice and (walk.waste == 0 or not self.ruleset.least_waste)  # B3.3, B7.6

    def _legal(self, walk: Walk) -> Legal[Position]:
        return Legal(Position(*walk.node), ending_of(self.ruleset, (walk.node[0], walk.ending)))

    def _walk(self, position: Position, order: tuple[int, ...], moves: Moves) -> Walk:
        steps = self.steps
        node: Node = (position.state, position.own, position.own_closed, position.closed, position.blots)
        ending: EndingName | None = None
        played = waste = 0
        for (slot, target), die in zip(moves, order, strict=False):
            if ending is not None or not 0 <= slot < OFF:  # B7.7, B8.3, B9.1: no move follows the end of the game
                break
            if target == OFF:
                if not slot or not steps.bearers(node, die) >> slot & 1:
                    break
                waste += slot + die - OFF
            else:
                if target - slot != die:
                    break
                quiet, hits, strikes = steps.movers(node, die)
                if not (quiet | hits | strikes) >> slot & 1:
                    break
            node, ending = steps.play(node, slot, die)
            played += 1
        return Walk(node, ending, played, order, waste)


def orders(dice: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
    """The orders in which a roll may be played; doubles have one, of four dice (B3.1, B3.2)."""
    if len(dice) == 2 and dice[0] == dice[1]:
        return (dice * 2,)
    return (dice, dice[::-1]) if len(dice) == 2 else (dice,)
