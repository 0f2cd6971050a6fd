"""All moves of one roll: every distinct result, and the duties a turn must meet (B3, B7.6)."""

from functools import cache
from typing import Any, Final, NamedTuple

from arena.games.interface import Ending, LegalTurn, LegalTurns, Move
from arena.games.tables import double_six, endings
from arena.games.tables.board import CHECKERS, OFF, OFF_SHIFT, SIDE_BITS, SLOT_BITS
from arena.games.tables.endings import PLACEMENT
from arena.games.tables.plain import DiceOrder, Leaf, Levels, Plain
from arena.games.tables.position import Position, from_state
from arena.games.tables.ruleset import Ruleset
from arena.games.tables.steps import BEFORE_Q4, MOVED, WAYS, DieSteps, Node

MOVE_OF: Final[dict[int, tuple[int, int]]] = {
    (1 << SLOT_BITS * target) - (1 << SLOT_BITS * slot): (slot, target)
    for slot in range(25)
    for target in range(slot + 1, min(slot + 6, OFF) + 1)
}
"""What a move adds to its side, back to (from, to)."""


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
        ended: dict[Leaf, tuple[int, int]],
        levels: Levels,
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
        """One result, whole."""
        leaf, used, before = self._at(index)
        moves: list[Move] = [*self._path(leaf[0], used, before)]
        return LegalTurn(
            moves, from_state(leaf[0], self._steps.layout), ending_of(self._steps.ruleset, leaf)
        )

    def moves(self, index: int, /) -> list[list[Any]]:
        """One way to play a result: `[[from, to], ...]`."""
        if self.duty.dice == 2 and 0 <= index < len(
            self._states
        ):  # as `_path` does it, in half the time
            state = self._states[index]
            before = self._going_on[state]
            return [
                [*MOVE_OF[before - self._start & PLACEMENT]],
                [*MOVE_OF[state - before & PLACEMENT]],
            ]
        leaf, used, before = self._at(index)
        return self._path(leaf[0], used, before)

    def results(self) -> list[tuple[int, Ending | None]]:
        """Every result in order: the packed state (see `board`) and the ending, if it is one; for programs as below."""
        rules, is_late = self._steps.ruleset, self._steps.ruleset.handsome == "after_turn"
        going_on = [
            (state, ending_of(rules, (state, None)) if is_late else None) for state in self._states
        ]
        return going_on + [(leaf[0], ending_of(rules, leaf)) for leaf in self._winning]

    def states_and_endings(self) -> tuple[list[int], list[Ending]]:
        """The packed states (see `board`) after which the game goes on, and the endings that can be had.

        For programs that look ahead: it computes no moves and no masks, which otherwise takes most
        of the time.
        """
        rules, states, ended = self._steps.ruleset, self._states, self._winning
        if (
            rules.handsome == "after_turn"
        ):  # B8.2: these are among the states, since nothing cut the turn short
            handsome = {state for state in states if endings.handsome(state)}
            states = [state for state in states if state not in handsome]
            ended = ended + [(state, None) for state in handsome]
        won = [(state, ending_of(rules, (state, name))) for state, name in ended]
        # the six-checker turn of B11.1 is listed with those that end the game, and does not
        return states + [state for state, ending in won if ending is None], [
            ending for _, ending in won if ending
        ]

    def _at(self, index: int) -> tuple[Leaf, int, int]:
        """A result, the dice it uses and the state one die before it."""
        if not 0 <= index < len(self._states):
            index = range(len(self))[index] - len(self._states)
            if index >= 0:
                leaf = self._winning[index]
                return leaf, *self._ended[leaf]
        state = self._states[index]
        return (state, None), self.duty.dice, self._going_on[state]

    def _path(self, state: int, used: int, before: int) -> list[list[int]]:
        """The moves to a state by so many dice, the last of them from the state before it."""
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
    """The ending of a whole turn with its worth, B8.2's handsome games included."""
    state, name = leaf
    if name is None:
        name = endings.handsome(state) if ruleset.handsome == "after_turn" else None
        if name is None:
            return None
    if name == "bearing_off":
        return endings.worth(
            ruleset, endings.borne_off(ruleset, state), monk=bool(state >> SIDE_BITS & 15)
        )
    return endings.worth(ruleset, name, monk=bool(state >> SIDE_BITS & 15))


class TurnGenerator:
    """Generates all distinct results of a roll under one ruleset."""

    def __init__(self, steps: DieSteps) -> None:
        self._ruleset = steps.ruleset
        self._steps = steps
        self._plain = Plain(steps)

    def turns(self, start: Position, dice: tuple[int, ...]) -> Turns:
        """Every distinct result of the roll (B3.1-B3.6, B7.6)."""
        one, other = self._orders(start, dice)
        used = one.dice_used() if one is other else max(one.dice_used(), other.dice_used())  # B3.3
        winning = one.ended | other.ended
        die = None
        if used == 1 and one is not other:  # B3.4
            one = other = one if one.dice_used() else other
            die = one.dice[0]
        going_on = one.going_on(used)
        if one is not other:
            going_on = going_on | other.going_on(used)
        ended = winning
        if winning:
            ended = {
                leaf: last
                for order in (one, other)
                for leaf, last in order.ended.items()
                if last[0] == used
            }
        waste = 0 if self._ruleset.least_waste and used else None
        if waste == 0 and (one.waste or other.waste):  # B7.6
            wasted = one.waste | other.waste
            waste = min(
                wasted.get((used, state), 0)
                for state in (*going_on, *(state for state, _ in ended))
            )
            going_on = {
                state: before
                for state, before in going_on.items()
                if wasted.get((used, state), 0) == waste
            }
            ended = {
                leaf: last
                for leaf, last in ended.items()
                if wasted.get((used, leaf[0]), 0) == waste
            }
        if self._ruleset.winning_turn_is_exempt:
            ended = winning  # B3.6
        if self._ruleset.double_six and (six := double_six.played(self._steps, start, dice)):
            node, ending = six
            ended = ended | {(node[0], ending): (len(double_six.MOVES), start.state)}  # B11.1
        return Turns(self._steps, start.state, going_on, ended, one.levels, Duty(used, die, waste))

    def _orders(self, start: Position, dice: tuple[int, ...]) -> tuple[DiceOrder, DiceOrder]:
        """Play the dice, the higher first and then the lower first; return one order twice if it holds all there is."""
        node = (start.state, start.own, start.own_closed, start.closed, start.blots)
        orders = orders_of(dice)
        if self._plain.suffices(node, orders[0]):
            return self._plain.both_orders(node, orders)
        order = self._play(node, orders[0])
        return order, self._play(node, orders[1]) if len(orders) == 2 else order

    def _play(self, node: Node, dice: tuple[int, ...]) -> DiceOrder:
        steps = self._steps
        order = DiceOrder(dice, node[0], (node, node[0]))
        while node[0] & 15 and dice:  # B5.1: only entering is allowed, and of that there is one way
            before, die, dice = node[0], dice[0], dice[1:]
            if not any(steps.movers(node, die)):
                return order
            node, ending = steps.play(node, 0, die)
            if ending is not None:
                order.ended[node[0], ending] = len(order.levels), before
                return order
            if dice:
                order.levels.append({node[0]: (node, before)})
            else:
                order.last[node[0]] = before
        if dice:
            # without an entry nothing has changed since `_orders` has seen that the quick way does
            # not do
            if len(order.levels) > 1 and self._plain.suffices(node, dice):
                self._plain.play(node, dice, order, self._plain.watched(node, dice))
            else:
                self._play_on(dice, order)
        return order

    def _play_on(self, dice: tuple[int, ...], order: DiceOrder) -> None:
        """Adds what these dice, the last ones of the order, lead to, with all rules; nobody enters."""
        steps = self._steps
        for left in range(len(dice), 0, -1):
            die = dice[-left]
            low, high = WAYS[die]
            used = len(order.levels)
            reached: dict[int, tuple[Node, int]] = {}
            for state, (node, _) in order.levels[-1].items():
                wasted = order.waste.get((used - 1, state), 0) if order.waste else 0
                quiet, hits, strikes = steps.movers(node, die)
                uneventful = quiet and steps.uneventful(node, quiet, die)
                for delta, _, _, slot, _ in low[uneventful >> 1 & 4095] + high[uneventful >> 13]:
                    child = state + delta
                    if left == 1:
                        order.last[child] = state
                    elif child not in reached:
                        reached[child] = steps.play(node, slot, die)[0], state
                    if wasted:
                        order.waste[used, child] = wasted
                eventful = (
                    quiet ^ uneventful | hits | strikes
                )  # B5.8: strikes are moves as any other
                while eventful:
                    slot = (eventful & -eventful).bit_length() - 1
                    eventful &= eventful - 1
                    after, ending = steps.play(node, slot, die)
                    if ending is not None:
                        order.ended[after[0], ending] = used, state
                    elif left == 1:
                        order.last[after[0]] = state
                    else:
                        reached[after[0]] = after, state
                    if wasted:
                        order.waste[used, after[0]] = wasted
                if node[1] & BEFORE_Q4 or state & 15:
                    continue  # B7.1
                bearers = steps.bearers(node, die)
                while bearers:
                    slot = (bearers & -bearers).bit_length() - 1
                    bearers &= bearers - 1
                    child = state + MOVED[die][slot]
                    if child >> OFF_SHIFT & 15 == CHECKERS:
                        order.ended[child, "bearing_off"] = used, state  # B7.7
                    elif left == 1:
                        order.last[child] = state
                    else:
                        reached[child] = steps.play(node, slot, die)[0], state
                    waste = wasted + slot + die - OFF
                    if waste:
                        order.waste[used, child] = waste
            if left > 1:
                if not reached:
                    return
                order.levels.append(reached)


@cache
def orders_of(dice: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the dice with the higher first, and with the lower first; doubles are four dice in one order (B3.2)."""
    if len(dice) < 2:
        return (dice,)
    if dice[0] == dice[1]:
        return (dice * 2,)
    first = tuple(sorted(dice, reverse=True))
    return first, first[::-1]
