"""The quick way through dice that can cause nothing but plain moves, hits and jans (B3, B4).

Most rolls are of this kind: no checker enters, bears off or completes a handsome game, and nothing
can be struck. Then a checker may move to any point that the opponent has not closed and where no
own checker forbids it (B4.1, B4.3, B4.4), and hits a blot (B4.2). These two rules, which `DieSteps`
implements for all other rolls, are repeated here inside the loops: asking `DieSteps` for every move
takes five times as long. Everything else is asked of `DieSteps` and `endings`, and `suffices` says
when this module may be used.
"""

from typing import Any, Final

from arena.games.tables import board, endings
from arena.games.tables.board import HEAD, POINTS, SIDE, SIDE_BITS, SLOT_BITS, UNLOCKED
from arena.games.tables.endings import EndingName
from arena.games.tables.steps import BEFORE_Q4, DIFFERENCES, MOVED, WAYS, DieSteps, Node, has_stack

Leaf = tuple[int, EndingName | None]
"""A distinct result: the packed state after the turn, and the ending that cut the turn short, if
one did.

The ending belongs to it: the same placement can be a jan or a forced jan, depending on the last hit
(B9.2).
"""

Level = dict[int, tuple[Any, ...]]
"""The positions after some dice while more follow, by state; the last part of each is the state one
die before."""


class DiceOrder:
    """Results of playing the dice in one order."""

    __slots__ = ("dice", "ended", "last", "levels", "waste")

    def __init__(self, dice: tuple[int, ...], state: int, start: tuple[Any, ...]) -> None:
        self.dice = dice
        """The dice in the order played."""
        self.levels: list[Level] = [{state: start}]
        """`levels[n]`: the positions after n dice, while more follow."""
        self.last: dict[int, int] = {}
        """The states after the last die, each with the state one die before; empty while that die
        cannot be used."""
        self.ended: dict[Leaf, tuple[int, int]] = {}
        """The results that end the game, with the dice they really use (B3.6) and the state one die
        before."""
        self.waste: dict[tuple[int, int], int] = {}
        """Pips wasted so far by (dice used, state), if not zero; they do not depend on the way
        played."""

    def going_on(self, used: int) -> dict[int, int]:
        """Return the states after this number of dice, if this order cannot use more.

        Each has the state one die before.
        """
        if used == len(self.levels):
            return self.last
        if used == len(self.levels) - 1:
            return {state: node[-1] for state, node in self.levels[-1].items()}
        return {}

    def dice_used(self) -> int:
        """Return the most dice that a sequence of this order uses.

        Sequences that end the game count, too (B3.6).
        """
        used = len(self.levels)
        if not self.last:
            used -= 1
        for used_to_end, _ in self.ended.values():
            used = max(used, used_to_end)
        return used


OUTSIDE_Q4: Final = (1 << SLOT_BITS * 19) - 1  # the slots of points 1-18 (and of the bar)


def _reach(own_points: int, dice: tuple[int, ...]) -> int:
    """Return the points that these dice could reach in any order, if nothing were in the way."""
    reach = own_points
    for die in dice:
        reach |= reach << die
    return reach


class Plain:
    """Plays dice from nodes where `suffices` holds."""

    def __init__(self, steps: DieSteps) -> None:
        ruleset = steps.ruleset
        self._steps = steps
        self._jan = ruleset.jan
        self._longest_prime = steps.longest_prime
        self._after_head = ruleset.stacking == "after_head"
        self._double_six = ruleset.double_six
        # every stretch of points that would be too long a prime, in the numbering of the side that
        # owns it (B6.1)
        length = self._longest_prime + 1
        self._too_long = [
            steps.flip_mask(board.span(p, p + length - 1)) for p in range(1, 26 - length)
        ]

    # When it may be used, and what to watch

    def suffices(self, node: Node, dice: tuple[int, ...]) -> bool:
        """Return whether playing these dice involves no rule that is missing here."""
        state, own_points, _, closed, _ = node
        number = len(dice)
        if state & 15:
            return False  # B5.1
        points_outside = (own_points & BEFORE_Q4).bit_count()
        if points_outside <= number and board.checkers(state & OUTSIDE_Q4) <= number:
            return False  # B7.1, B8.1: all checkers could come to stand in Q4
        if self._steps.strikeable(state, closed):
            return False  # B6.3
        if self._double_six and (has_stack(state) or has_stack(state >> SIDE_BITS)):
            return False  # B11.1
        if self._after_head and not state & UNLOCKED:
            # B4.3 [F]: landing on the head changes the rules in the middle of the turn
            return not _reach(own_points, dice) >> HEAD & 1
        return True

    def watched(self, node: Node, dice: tuple[int, ...]) -> tuple[bool, bool]:
        """Return whether these dice might cause a jan (B9.1), and too long a prime (B6.1).

        If in doubt, yes.
        """
        may_be_jan = self._jan and self._may_be_jan(node, dice)
        _, _, own_closed, _, _ = node
        most_closed = own_closed.bit_count() + len(dice)
        may_be_long = most_closed > self._longest_prime and self._may_be_long(node, dice)
        return may_be_jan, may_be_long

    def _may_be_jan(self, node: Node, dice: tuple[int, ...]) -> bool:
        """Return whether the dice might send more checkers to the bar than can enter (B9.1)."""
        state, own_points, _, closed, blots = node
        their_q1 = self._steps.their_q1
        on_bar = state >> SIDE_BITS & 15
        room = 6 - on_bar - ((closed | blots) & their_q1).bit_count()
        if room >= len(dice):
            return False
        # a hit in their Q1 makes room there for the checker it sends to the bar; any other hit does
        # not
        return (_reach(own_points, dice) & blots & ~their_q1).bit_count() > room

    def _may_be_long(self, node: Node, dice: tuple[int, ...]) -> bool:
        """Return whether the dice might complete a longer prime than allowed (B6.1)."""
        state, own_points, own_closed, closed, _ = node
        could_close = _reach(own_points, dice) & ~closed & ~self._steps.no_adding(state)
        for stretch in self._too_long:
            missing = stretch & ~own_closed
            if missing & ~could_close:
                continue
            # one more checker for each blot there, two for each point without
            needed = missing.bit_count() + (missing & ~own_points).bit_count()
            if needed <= len(dice):
                return True
        return False

    # The dice

    def both_orders(
        self, node: Node, orders: tuple[tuple[int, ...], ...]
    ) -> tuple[DiceOrder, DiceOrder | None]:
        """Play the dice in all their orders; the second is None if the first holds everything."""
        state, _, _, _, _ = node
        first = orders[0]
        watched = self.watched(node, first)
        order = DiceOrder(first, state, (state,))
        self.play(node, first, order, watched)
        if len(orders) == 1:
            return order, None
        second = orders[1]
        if order.last and not any(watched):
            self._other_order(node, second, order)
            return order, None
        second_order = DiceOrder(second, state, (state,))
        self.play(node, second, second_order, watched)
        return order, second_order

    def play(
        self, node: Node, dice: tuple[int, ...], order: DiceOrder, watched: tuple[bool, bool]
    ) -> None:
        """Add what these dice, the last ones of the order, lead to from its only state so far.

        Most rolls spend most of their time in these loops, so they stay in one function: with a
        method for each position, generating takes 4 % more instructions.
        """
        hit, their_q1 = self._steps.hit, self._steps.their_q1
        may_be_jan, may_be_long = watched
        last = order.last
        state, own_points, _, closed, blots = node
        no_adding = self._steps.no_adding(state)
        level = {state: (own_points, closed, blots, state)}
        for dice_left in range(len(dice), 0, -1):
            die = dice[-dice_left]
            low, high = WAYS[die]
            low_half, high_half = DIFFERENCES[die]
            reached: dict[int, tuple[int, int, int, int]] = {}
            for state, (own_points, closed, blots, _) in level.items():
                barred = closed | own_points & no_adding  # B4.1, B4.3, B4.4
                movers = own_points & (POINTS ^ barred) >> die
                if may_be_long and movers:
                    own_closed = board.side_masks(state & SIDE)[1]
                    movers ^= self._steps.prime_builders(
                        state, own_points, own_closed, movers, die
                    )  # B6.1
                hits = movers & blots >> die
                if hits:  # B4.2
                    movers ^= hits
                    for delta, bit, point, slot, stack in low[hits >> 1 & 4095] + high[hits >> 13]:
                        child, fewer_blots = state + delta + hit[slot + die], blots ^ point
                        if may_be_jan and endings.is_jan(child, closed | fewer_blots, their_q1):
                            order.ended[child, "jan"] = len(order.levels), state  # B9.1
                        elif dice_left == 1:
                            last[child] = state
                        elif child not in reached:
                            reached[child] = (
                                (own_points if child & stack else own_points ^ bit) | point,
                                closed,
                                fewer_blots,
                                state,
                            )
                if dice_left == 1:  # the last die leads to states alone, no node is needed any more
                    for delta in low_half[movers >> 1 & 4095]:
                        last[state + delta] = state
                    for delta in high_half[movers >> 13]:
                        last[state + delta] = state
                else:
                    for delta, bit, point, _, stack in low[movers >> 1 & 4095] + high[movers >> 13]:
                        child = state + delta
                        if child not in reached:
                            reached[child] = (
                                (own_points if child & stack else own_points ^ bit) | point,
                                closed,
                                blots,
                                state,
                            )
            if reached:
                order.levels.append(reached)
            level = reached

    def _other_order(self, node: Node, dice: tuple[int, ...], order: DiceOrder) -> None:
        """Add what two dice give in this order alone, to the order that has both in the other.

        Nothing is to be watched. Moves of two checkers that do not touch give the same in either
        order (B3.1). What remains is one checker making both moves, and a checker moving to the
        point that another has left.
        """
        first, second = dice
        hit = self._steps.hit
        state, own_points, own_closed, closed, blots = node
        no_adding = self._steps.no_adding(state)
        free = POINTS ^ (closed | own_points & no_adding)  # B4.1, B4.3, B4.4
        movers = own_points & free >> first
        twice = movers & free >> (first + second)
        # else resting on either point comes to the same
        twice &= blots >> first | ~((free ^ blots) >> second)
        low, high = WAYS[first]
        for delta, _, point, slot, _ in low[twice >> 1 & 4095] + high[twice >> 13]:
            between, target = state + delta, slot + first + second
            if point & blots:
                between += hit[slot + first]  # B4.2
            after = between + MOVED[second][slot + first]
            if blots >> target & 1:
                after += hit[target]  # B4.2
            order.last[after] = between
        followers = own_points & (movers & no_adding & ~own_closed) >> second
        low, high = WAYS[second]
        for delta, _, _, slot, _ in low[followers >> 1 & 4095] + high[followers >> 13]:
            between, target = state + MOVED[first][slot + second], slot + second + first
            if blots >> target & 1:
                between += hit[target]  # B4.2
            order.last[between + delta] = between
