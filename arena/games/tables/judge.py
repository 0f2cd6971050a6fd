"""Judging a submitted turn: step by step if that suffices, else against the whole roll (B3)."""

from collections.abc import Iterable
from typing import Final

from arena.games.interface import Illegal, Legal, Turn
from arena.games.tables import board, double_six, endings, explain
from arena.games.tables.board import HEAD, OFF, SLOT_BITS
from arena.games.tables.endings import EndingName
from arena.games.tables.explain import MoveWalk
from arena.games.tables.position import Position
from arena.games.tables.steps import BEFORE_Q4, MOVED, DieSteps, Moves, Node
from arena.games.tables.turns import Duty, TurnGenerator, ending_of, orders_of

_LISTS: Final = frozenset((list, tuple))


class Judge:
    """Judges turns under one ruleset."""

    def __init__(self, steps: DieSteps, generator: TurnGenerator) -> None:
        ruleset = self.ruleset = steps.ruleset
        self.steps = steps
        self.generator = generator
        self._jan = ruleset.jan
        self._longest_prime = steps.longest_prime
        self._unlocking = HEAD if ruleset.stacking == "after_head" else OFF
        self._no_adding = steps.no_adding(0)
        self._never_plain = ruleset.double_six  # stacks have rules of their own (B11.1)

    def plain(
        self, position: Position, dice: tuple[int, ...], moves: Turn
    ) -> Legal[Position] | None:
        """Return the verdict on an obviously legal turn; None for any other, or if it is no turn.

        Obviously legal means: the turn uses every die for a move on the board or an entry, strikes
        nothing and ends nothing. Then it meets every duty (B3.3, B7.6), and its moves can only
        break B4.1, B4.3, B5.1, B5.2 or B6.1. Most turns are of this kind. So these rules, which
        `DieSteps` implements for all others, are repeated here in one loop: asking `DieSteps` for
        every move takes three times as long.

        The function has many branches, and keeps them: a call costs as much as two of its tests.
        """
        if len(dice) != 2 or type(moves) not in _LISTS or self._never_plain:
            return None
        next_die, later_die = dice
        number = 4 if next_die == later_die else 2  # B3.2
        if len(moves) != number:
            return None
        state, own_points, own_closed, closed, blots = position
        waiting = state & 15
        unlocking = self._unlocking
        no_adding = self._no_adding if unlocking == OFF else self.steps.no_adding(state)
        for move in moves:
            if type(move) not in _LISTS or len(move) != 2:
                return None
            slot, target = move
            if type(slot) is not int or type(target) is not int:
                return None
            if target >= OFF or target == unlocking:
                # B4.3 [F]: the landing on the head changes what is legal in the middle of the turn
                return None
            die = target - slot
            if die == next_die:
                next_die = later_die  # B3.1: either die may be first, and then there is one
            elif die == later_die:
                later_die = next_die
            else:
                return None
            if waiting:
                if slot:
                    return None  # B5.1
                waiting -= 1
            elif slot < 1:
                return None
            else:
                bit = 1 << slot
                if own_closed & bit:
                    if (state >> slot * SLOT_BITS & 15) == 2:
                        own_closed ^= bit
                elif own_points & bit:
                    own_points ^= bit
                else:
                    return None
            point = 1 << target
            if point & (own_points | closed):
                if point & (closed | no_adding) or own_closed.bit_count() >= self._longest_prime:
                    return None  # B4.1, or struck; B4.3, B5.2; B6.1 perhaps
                own_closed |= point
            else:
                own_points |= point
            state += MOVED[die][slot]
            if blots & point:  # B4.2
                blots ^= point
                state += self.steps.hit[target]
                if self._jan and endings.is_jan(state, closed | blots, self.steps.their_q1):
                    return None  # B9.1
            elif not own_points & BEFORE_Q4:
                return None  # B8.1, perhaps
        # as in `positions.flip`
        after = tuple.__new__(Position, (state, own_points, own_closed, closed, blots))
        return tuple.__new__(Legal, (after, None))

    def judge(
        self, position: Position, dice: tuple[int, ...], moves: Moves
    ) -> Legal[Position] | Illegal:
        """Judge whether these moves, in this order, are a legal turn in some order of dice (B3.1).

        A turn that uses every die and wastes nothing meets every duty, whatever else the roll
        allows (B3.3, B7.6). So does one that ends the game (B3.6). Only the others need the whole
        roll.
        """
        if self.ruleset.double_six and [*map(tuple, moves)] == [*double_six.MOVES]:
            six_checkers = double_six.played(self.steps, position, dice)
            if six_checkers is not None:
                return self._legal(*six_checkers)
        walks: list[MoveWalk] = []
        for order in orders(dice, moves):
            walk = self._walk(position, order, moves)
            if walk.played == len(moves) and self._is_surely_legal(position, dice, walk):
                return self._legal(walk.node, walk.ending)
            walks.append(walk)
        turns = self.generator.turns(position, dice)
        for walk in walks:
            if walk.played == len(moves) and self._meets(turns.duty, walk):
                return self._legal(walk.node, walk.ending)
        return explain.illegal(self.steps, dice, moves, walks, turns)

    def _legal(self, node: Node, ending: EndingName | None) -> Legal[Position]:
        """Return the verdict on a legal turn that leads to this node."""
        position = Position(*node)
        return Legal(position, ending_of(self.ruleset, (position.state, ending)))

    def _walk(self, node: Node, order: tuple[int, ...], moves: Moves) -> MoveWalk:
        """Play the moves, each with its die, as far as possible."""
        steps = self.steps
        ending: EndingName | None = None
        played = waste = 0
        for die in order[: len(moves)]:
            if ending is not None:
                break  # B7.7, B8.3, B9.1: no move follows the end of the game
            slot, target = moves[played]
            if not 0 <= slot < OFF:
                break
            if target == OFF:
                if not slot or not steps.bearers(node, die) >> slot & 1:
                    break
                waste += slot + die - OFF
            elif target - slot != die or not steps.may_land(node, slot, target):
                break
            node, ending = steps.play(node, slot, die)
            played += 1
        return MoveWalk(node, ending, played, order, waste)

    def _is_surely_legal(self, position: Position, dice: tuple[int, ...], walk: MoveWalk) -> bool:
        """Return whether a turn that can be played is legal whatever else the roll allows."""
        if walk.ending is not None:
            return self.ruleset.winning_turn_is_exempt  # B3.6
        if walk.waste and self.ruleset.least_waste:
            return False  # B7.6: the whole roll must tell
        if walk.played == len(walk.dice):
            return True
        number = walk.played + 1
        if any(self._can_use(position, order, number) for order in orders_of(dice)):
            return False  # B3.3
        higher = max(dice)
        if walk.played != 1 or walk.dice[0] == higher:
            return True
        return not self._can_use(position, (higher,), 1)  # B3.4

    def _can_use(self, node: Node, order: tuple[int, ...], number: int) -> bool:
        """Return whether the first `number` dice of this order can be used.

        A turn that ends the game counts, too (B3.6).
        """
        steps, die = self.steps, order[0]
        quiet, hits, strikes = steps.movers(node, die)
        sources = quiet | hits | strikes | steps.bearers(node, die)
        if number == 1 or not sources:
            return sources != 0
        for slot in board.bits(sources):
            after, ending = steps.play(node, slot, die)
            if ending is None and self._can_use(after, order[1:], number - 1):
                return True
        return False

    def _meets(self, duty: Duty, walk: MoveWalk) -> bool:
        """Return whether a turn meets the duties of the roll (B3.3, B3.4, B7.6)."""
        if walk.played != duty.dice:
            return False  # B3.3
        if duty.die is not None and walk.dice[0] != duty.die:
            return False  # B3.4
        return duty.waste is None or duty.waste == walk.waste  # B7.6


def orders(dice: tuple[int, ...], moves: Moves) -> Iterable[tuple[int, ...]]:
    """Return the orders in which a roll may have been played; doubles have one (B3.1, B3.2).

    The one that matches the length of the first move is alone, since no other is possible.
    """
    possible = orders_of(dice)
    if moves:
        slot, target = moves[0]
        for order in possible:
            if target != OFF and target - slot == order[0]:
                return (order,)
    return possible
