"""All moves of one roll: every distinct result, and the duties a turn must meet (B3, B7.6)."""

from functools import cache
from typing import Any, Final, NamedTuple

from arena.games.interface import Ending, LegalTurn, LegalTurns, Move
from arena.games.tables import double_six, endings
from arena.games.tables.board import BAR, CHECKERS, OFF, OFF_SHIFT, SIDE_BITS, SLOT_BITS
from arena.games.tables.endings import PLACEMENT
from arena.games.tables.plain import DiceOrder, Leaf, Level, Plain
from arena.games.tables.position import Position, from_state
from arena.games.tables.ruleset import Ruleset
from arena.games.tables.steps import BEFORE_Q4, MOVED, WAYS, DieSteps, Node


def _moves_by_change() -> dict[int, tuple[int, int]]:
    """Return every move, (from, to), by what it adds to its side."""
    moves = {}
    for slot in range(OFF):
        for target in range(slot + 1, min(slot + 6, OFF) + 1):
            change = (1 << SLOT_BITS * target) - (1 << SLOT_BITS * slot)
            moves[change] = (slot, target)
    return moves


MOVE_OF: Final = _moves_by_change()
"""What a move adds to its side, back to (from, to)."""

Ended = dict[Leaf, tuple[int, int]]
"""Results that end the game, with the dice that they use and the state one die before."""

Waste = dict[tuple[int, int], int]
"""Pips wasted by (dice used, state), if not zero (B7.6)."""


class Duty(NamedTuple):
    """The duties that the roll imposes on the mover, however the turn is played."""

    dice: int
    """B3.3: how many dice must be used; 0 is a forced pass (B3.5)."""
    die: int | None
    """B3.4: the die that must be used, if only one of two can be."""
    waste: int | None
    """B7.6: the least possible waste of a turn, in pips; None if the ruleset does not ask."""


class Turns(LegalTurns[Position]):
    """The distinct results of one roll under one ruleset."""

    __slots__ = (
        "_ended",
        "_going_on",
        "_levels",
        "_start",
        "_states",
        "_steps",
        "_winning",
        "duty",
    )

    def __init__(
        self,
        steps: DieSteps,
        start: int,
        going_on: dict[int, int],
        ended: Ended,
        levels: list[Level],
        duty: Duty,
    ) -> None:
        self._steps = steps
        self._start = start
        # The states after which the game goes on, each with the state one die before; they use the
        # dice of the duty
        self._going_on = going_on
        self._states = list(going_on)
        # The leaves that end the game, each with the dice it uses and the state one die before;
        # listed after those, and last of all the six-checker turn of B11.1
        self._ended = ended
        self._winning = list(ended)
        self._levels = levels
        self.duty = duty

    @property
    def start(self) -> Position:
        """The position in which the roll is played."""
        return from_state(self._start, self._steps.layout)

    def __len__(self) -> int:
        """Return the number of distinct results; a forced pass is one."""
        return len(self._states) + len(self._winning)

    def __getitem__(self, index: int, /) -> LegalTurn[Position]:
        """Return one result, whole."""
        leaf, used, before = self._at(index)
        state, _ = leaf
        moves: list[Move] = [*self._path(state, used, before)]
        position = from_state(state, self._steps.layout)
        return LegalTurn(moves, position, ending_of(self._steps.ruleset, leaf))

    def moves(self, index: int, /) -> list[list[Any]]:
        """Return one way to play a result: `[[from, to], ...]`."""
        if self.duty.dice == 2 and 0 <= index < len(self._states):
            # as `_path` does it, in half the time
            state = self._states[index]
            before = self._going_on[state]
            return [
                [*MOVE_OF[before - self._start & PLACEMENT]],
                [*MOVE_OF[state - before & PLACEMENT]],
            ]
        leaf, used, before = self._at(index)
        state, _ = leaf
        return self._path(state, used, before)

    def results(self) -> list[tuple[int, Ending | None]]:
        """Return every result in order: the packed state (see `board`), and the ending if it ends.

        For programs that look ahead, as `states_and_endings`.
        """
        rules = self._steps.ruleset
        ended = self._winning
        going_on: list[tuple[int, Ending | None]] = [(state, None) for state in self._states]
        if rules.handsome == "after_turn":  # B8.2
            going_on = [(state, ending_of(rules, (state, None))) for state in self._states]
        return going_on + [(state, ending_of(rules, (state, name))) for state, name in ended]

    def states_and_endings(self) -> tuple[list[int], list[Ending]]:
        """Return the packed states after which the game goes on, and the endings within reach.

        For programs that look ahead: it computes no moves and no masks, which otherwise takes most
        of the time. `board` describes the states.
        """
        rules = self._steps.ruleset
        states = self._states
        ended = self._winning
        if rules.handsome == "after_turn":
            # B8.2: these are among the states, since nothing cut the turn short
            handsome = {state for state in states if endings.handsome(state)}
            states = [state for state in states if state not in handsome]
            ended = ended + [(state, None) for state in handsome]
        going_on = list(states)
        reached = []
        for leaf in ended:
            ending = ending_of(rules, leaf)
            if ending is not None:
                reached.append(ending)
            else:
                # the six-checker turn of B11.1 is listed with those that end the game, and does not
                state, _ = leaf
                going_on.append(state)
        return going_on, reached

    def _at(self, index: int) -> tuple[Leaf, int, int]:
        """Return a result, the dice that it uses and the state one die before it."""
        if not 0 <= index < len(self._states):
            index = range(len(self))[index] - len(self._states)
            if index >= 0:
                leaf = self._winning[index]
                used, before = self._ended[leaf]
                return leaf, used, before
        state = self._states[index]
        return (state, None), self.duty.dice, self._going_on[state]

    def _path(self, state: int, used: int, before: int) -> list[list[int]]:
        """Return the moves to a state by `used` dice, the last of them from the state before it."""
        if used == len(double_six.MOVES):
            return [[*move] for move in double_six.MOVES]
        path: list[list[int]] = []
        for level in self._levels[used - 1 : 1 : -1]:  # with more than two dice there is one order
            path.append([*MOVE_OF[state - before & PLACEMENT]])
            state, before = before, level[before][-1]
        if used > 1:
            path.append([*MOVE_OF[state - before & PLACEMENT]])
            state = before
        if used:
            path.append([*MOVE_OF[state - self._start & PLACEMENT]])
        path.reverse()
        return path


def ending_of(ruleset: Ruleset, leaf: Leaf) -> Ending | None:
    """Return the ending of a whole turn with its worth, B8.2's handsome games included."""
    state, name = leaf
    if name is None and ruleset.handsome == "after_turn":
        name = endings.handsome(state)
    if name is None:
        return None
    monk = bool(state >> SIDE_BITS & 15)
    if name == "bearing_off":
        return endings.worth(ruleset, endings.borne_off(ruleset, state), monk=monk)
    return endings.worth(ruleset, name, monk=monk)


class TurnGenerator:
    """Generates all distinct results of a roll under one ruleset."""

    def __init__(self, steps: DieSteps) -> None:
        self._ruleset = steps.ruleset
        self._steps = steps
        self._plain = Plain(steps)

    def turns(self, start: Position, dice: tuple[int, ...]) -> Turns:
        """Return every distinct result of the roll (B3.1-B3.6, B7.6); each branch is a clause."""
        order, lower_first = self._orders(start, dice)
        used = order.dice_used()
        winning = order.ended
        if lower_first is not None:  # B3.3
            used = max(used, lower_first.dice_used())
            winning = winning | lower_first.ended
        die = None
        if lower_first is not None and used == 1:  # B3.4
            if not order.dice_used():
                order = lower_first
            lower_first = None
            die = order.dice[0]
        going_on = order.going_on(used)
        wasted = order.waste
        ended = winning
        if winning:
            ended = _using(order, used)
        if lower_first is not None:
            going_on = going_on | lower_first.going_on(used)
            wasted = wasted | lower_first.waste
            if winning:
                ended = ended | _using(lower_first, used)
        least_waste = None
        if self._ruleset.least_waste and used:  # B7.6
            least_waste = 0
            if wasted:
                least_waste = _least_waste(going_on, ended, wasted, used)
                going_on = {
                    state: before
                    for state, before in going_on.items()
                    if wasted.get((used, state), 0) == least_waste
                }
                ended = _wasting(ended, wasted, least_waste)
        if self._ruleset.winning_turn_is_exempt:
            ended = winning  # B3.6
        if self._ruleset.double_six:  # B11.1
            six_checkers = double_six.played(self._steps, start, dice)
            if six_checkers is not None:
                (state, _, _, _, _), ending = six_checkers
                ended = ended | {(state, ending): (len(double_six.MOVES), start.state)}
        duty = Duty(used, die, least_waste)
        return Turns(self._steps, start.state, going_on, ended, order.levels, duty)

    def _orders(self, start: Position, dice: tuple[int, ...]) -> tuple[DiceOrder, DiceOrder | None]:
        """Play the dice with the higher first and with the lower first (B3.1).

        The second is None for doubles (B3.2), and where the first holds all that it would give.
        """
        node = (start.state, start.own_points, start.own_closed, start.closed, start.blots)
        orders = orders_of(dice)
        if self._plain.suffices(node, orders[0]):
            return self._plain.both_orders(node, orders)
        order = self._play(node, orders[0])
        if len(orders) == 1:
            return order, None
        return order, self._play(node, orders[1])

    def _play(self, node: Node, dice: tuple[int, ...]) -> DiceOrder:
        """Play the dice in one order with all rules: enter first, then move the others."""
        state, _, _, _, _ = node
        order = DiceOrder(dice, state, (node, state))
        has_entered = False
        while state & 15 and dice:  # B5.1: only entering is allowed, and there is one way to do it
            die, later = dice[0], dice[1:]
            if not any(self._steps.movers(node, die)):
                return order
            before = state
            node, ending = self._steps.play(node, BAR, die)
            state, _, _, _, _ = node
            has_entered = True
            dice = later
            if ending is not None:
                order.ended[state, ending] = len(order.levels), before
                return order
            if dice:
                order.levels.append({state: (node, before)})
            else:
                order.last[state] = before
        if not dice:
            return order
        # without an entry nothing has changed since `_orders` found that the quick way does not do
        if has_entered and self._plain.suffices(node, dice):
            self._plain.play(node, dice, order, self._plain.watched(node, dice))
        else:
            self._play_on(dice, order)
        return order

    def _play_on(self, dice: tuple[int, ...], order: DiceOrder) -> None:
        """Add what these dice, the last ones of the order, lead to with all rules (B4, B6, B7).

        All checkers have entered. It is one function, since a roll that needs it takes 13 % longer
        with one method for moves on the board and one for bearing off.
        """
        steps = self._steps
        for dice_left in range(len(dice), 0, -1):
            die = dice[-dice_left]
            low, high = WAYS[die]
            used = len(order.levels)
            reached: Level = {}
            for state, (node, _) in order.levels[-1].items():
                wasted = 0
                if order.waste:
                    wasted = order.waste.get((used - 1, state), 0)
                quiet, hits, strikes = steps.movers(node, die)
                uneventful = quiet and steps.uneventful(node, quiet, die)
                for delta, _, _, slot, _ in low[uneventful >> 1 & 4095] + high[uneventful >> 13]:
                    child = state + delta
                    if dice_left == 1:
                        order.last[child] = state
                    elif child not in reached:
                        reached[child] = steps.play(node, slot, die)[0], state
                    if wasted:
                        order.waste[used, child] = wasted
                eventful = (
                    quiet ^ uneventful | hits | strikes
                )  # B5.8: a strike is a move like any other
                while eventful:
                    slot = (eventful & -eventful).bit_length() - 1
                    eventful &= eventful - 1
                    after, ending = steps.play(node, slot, die)
                    child = after[0]
                    if ending is not None:
                        order.ended[child, ending] = used, state  # B8.3, B9.1
                    elif dice_left == 1:
                        order.last[child] = state
                    else:
                        reached[child] = after, state
                    if wasted:
                        order.waste[used, child] = wasted
                if node[1] & BEFORE_Q4 or state & 15:
                    continue  # B7.1
                bearers = steps.bearers(node, die)
                while bearers:
                    slot = (bearers & -bearers).bit_length() - 1
                    bearers &= bearers - 1
                    child = state + MOVED[die][slot]
                    if child >> OFF_SHIFT & 15 == CHECKERS:
                        order.ended[child, "bearing_off"] = used, state  # B7.7
                    elif dice_left == 1:
                        order.last[child] = state
                    else:
                        reached[child] = steps.play(node, slot, die)[0], state
                    waste = wasted + slot + die - OFF
                    if waste:
                        order.waste[used, child] = waste  # B7.6
            if dice_left > 1:
                if not reached:
                    return
                order.levels.append(reached)


def _using(order: DiceOrder, used: int) -> Ended:
    """Return the results of an order that end the game with exactly this number of dice."""
    ended: Ended = {}
    for leaf, (dice_used, before) in order.ended.items():
        if dice_used == used:
            ended[leaf] = (dice_used, before)
    return ended


def _least_waste(going_on: dict[int, int], ended: Ended, wasted: Waste, used: int) -> int:
    """Return the least waste of all results (B7.6)."""
    wastes = [wasted.get((used, state), 0) for state in going_on]
    for state, _ in ended:
        wastes.append(wasted.get((used, state), 0))
    return min(wastes)


def _wasting(ended: Ended, wasted: Waste, least_waste: int) -> Ended:
    """Return the results that end the game and waste no more than this (B7.6)."""
    kept: Ended = {}
    for leaf, (used, before) in ended.items():
        state, _ = leaf
        if wasted.get((used, state), 0) == least_waste:
            kept[leaf] = (used, before)
    return kept


@cache
def orders_of(dice: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the dice with the higher first, and with the lower first.

    Doubles are four dice in one order (B3.2).
    """
    if len(dice) < 2:
        return (dice,)
    if dice[0] == dice[1]:
        return (dice * 2,)
    higher_first = tuple(sorted(dice, reverse=True))
    return higher_first, higher_first[::-1]
