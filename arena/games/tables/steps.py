"""One checker by one die: where it may land, enter, strike or bear off (B4-B7).

Everything here works on a *node*: a position in the middle of a turn, as the five integers of
`Position`. Checkers that may move are given as a mask of the slots they stand on, bit 0 for the
bar.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from arena.games.tables import board, endings
from arena.games.tables.board import (
    HEAD,
    OFF,
    OFF_SHIFT,
    POINTS,
    Q1,
    Q4,
    SIDE_BITS,
    SLOT_BITS,
    STACK_POINT,
    UNLOCKED,
)
from arena.games.tables.endings import EndingName
from arena.games.tables.ruleset import Ruleset

Node = tuple[int, int, int, int, int]
"""(state, own, own_closed, closed, blots) as in `Position`."""

Moves = Sequence[Sequence[int]]
"""A turn of a tables game: [from, to] of every move, 0 = bar, 25 = off."""

NO_PRIME: Final = 25  # longer than any prime: stands for "no limit" and "never struck"
BEFORE_Q4: Final = POINTS & ~Q4
BEFORE_HEAD: Final = board.span(1, HEAD - 1)

# MOVED[die][slot]: what moving one checker from the slot by the die adds to the mover's side
MOVED: Final = tuple(
    tuple((1 << SLOT_BITS * min(slot + die, OFF)) - (1 << SLOT_BITS * slot) for slot in range(25))
    for die in range(7)
)

Row = TypeVar("Row")
Halves = tuple[tuple[tuple[Row, ...], ...], tuple[tuple[Row, ...], ...]]
"""Two tables of 4,096 rows, for the masks of the points 1-12 and 13-24: an item for each point in
the mask."""

Way = tuple[int, int, int, int, int]
"""A move on the board: what it adds to the state, the bit of its point and of the one it lands on,
its slot, and the four bits of that slot in a state."""


def _halves(items: Sequence[Row]) -> Halves[Row]:
    """Two tables of the items of the points 1-12 and 13-24."""

    def rows(half: Sequence[Row]) -> tuple[tuple[Row, ...], ...]:
        table: list[tuple[Row, ...]] = [()]
        for item in half:
            table += [(*row, item) for row in table]
        return tuple(table)

    return rows(items[:12]), rows(items[12:])


class _ByDie(dict[int, Halves[Row]]):
    """Two tables for each die, made when a die is asked for the first time."""

    def __init__(self, items: Callable[[int], Sequence[Row]]) -> None:
        super().__init__()
        self._items = items

    def __missing__(self, die: int) -> Halves[Row]:
        made = self[die] = _halves(self._items(die))
        return made


# WAYS[die] and DIFFERENCES[die]: the moves by the die of all checkers in a mask, whole or only what
# each adds to the state. They speed up the loops in which a roll spends its time. All of them cost
# some 50 ms and 8 MB once, so only programs that make turns pay for them.
WAYS: Final[Mapping[int, Halves[Way]]] = _ByDie(
    lambda die: [
        (MOVED[die][p], 1 << p, 1 << p + die, p, 15 << SLOT_BITS * p) for p in range(1, 25)
    ]
)
DIFFERENCES: Final[Mapping[int, Halves[int]]] = _ByDie(lambda die: MOVED[die][1:])


class DieSteps:
    """The legal steps of one ruleset, one die at a time; `turns` decides whether the whole turn is legal (B3)."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.layout = ruleset.layout
        self.opposite = board.opposite(ruleset.facing)
        self._flip_low, self._flip_high = board.flip_tables(ruleset.facing)
        self.hit = tuple((1 - (1 << SLOT_BITS * self.opposite[p])) << SIDE_BITS for p in range(25))
        """What sending one opponent's checker from my point p to the bar adds to the state, by p
        (B4.2)."""
        self.their_q1 = sum(1 << self.opposite[p] for p in range(1, 7))
        self._jan = ruleset.jan
        self._after_head = ruleset.stacking == "after_head"
        self._no_adding = 0 if ruleset.stacking == "anywhere" else BEFORE_HEAD
        self.longest_prime = NO_PRIME if ruleset.longest_prime is None else ruleset.longest_prime
        self._strikeable_prime = (
            NO_PRIME if ruleset.strikeable_prime is None else ruleset.strikeable_prime
        )
        self._entry_strikes = ruleset.entry_strikes
        self._last_checker_strikes = ruleset.last_checker_strikes
        self._bearing_off = ruleset.bearing_off
        self._handsome_at_once = ruleset.handsome == "at_once"
        self._double_six = ruleset.double_six

    # Landing (B4)

    def no_adding(self, state: int) -> int:
        """B4.3, B4.4: the points where a checker may not join an own one."""
        if self._after_head and state & UNLOCKED:
            return 0  # B4.3 [F]: from the landing on the head on, any point may hold any number
        return self._no_adding

    def movers(self, node: Node, die: int) -> tuple[int, int, int]:
        """The slots that a checker may leave by this die: to a point without opponents, hitting a blot, or striking.

        With checkers on the bar this is the bar or nothing (B5.1); `bearers` handles bearing off.
        """
        state, own, own_closed, closed, blots = node
        if state & 15:
            return self._entering(node, die)
        # B4.1, B4.3, B4.4: not where the opponent has closed, not onto an own checker where none
        # may join it
        movers = own & (POINTS ^ (closed | own & self.no_adding(state))) >> die
        if own_closed.bit_count() >= self.longest_prime:
            movers ^= self.prime_builders(state, own, own_closed, movers, die)
        hits = movers & blots >> die
        if closed.bit_count() < self._strikeable_prime:
            return movers ^ hits, hits, 0
        return movers ^ hits, hits, own & self.strikeable(state, closed) >> die  # B6.3

    def may_land(self, node: Node, slot: int, target: int) -> bool:
        """Return whether the checker on a slot may move to the point `target`: `movers` for one move, thrice as fast.

        Change both together; the tests judge every turn that is generated.
        """
        state, own, own_closed, closed, _ = node
        if not slot:
            return bool(state & 15 and any(mask & 1 for mask in self._entering(node, target)))
        if state & 15 or not own >> slot & 1:
            return False  # B5.1
        point = 1 << target
        if own & point:
            if point & self.no_adding(state):
                return False  # B4.3, B4.4
            is_short = own_closed.bit_count() < self.longest_prime
            return is_short or not self.prime_builders(
                state, own, own_closed, 1 << slot, target - slot
            )  # B6.1
        return not closed & point or bool(self.strikeable(state, closed) & point)  # B4.1, B6.3

    # Entry (B5)

    def _entering(self, node: Node, die: int) -> tuple[int, int, int]:
        """B5.1: die d enters on own point d."""
        state, own, own_closed, closed, blots = node
        point = 1 << die
        if own & point and (
            own & point & self.no_adding(state)
            or self.prime_builders(state, own, own_closed, 1, die)
        ):
            return 0, 0, 0  # B5.2, B6.1
        if closed & point:
            may_strike = self.entry_strike(node) or self.strikeable(state, closed) & point
            return 0, 0, 1 if may_strike else 0
        return (0, 1, 0) if blots & point else (1, 0, 0)

    def entry_strike(self, node: Node) -> bool:
        """B5.4, B5.5: whether an entering checker may now strike closed points of Q1."""
        state, own, _, closed, _ = node
        if self._entry_strikes == "never" or not self.may_strike(state):
            return False  # B5.6, B5.7
        free = self.free_points(own, closed)
        if self._entry_strikes == "no_free_point":
            return free == 0  # B5.4
        return (state & 15) > free  # B5.5

    def free_points(self, own: int, closed: int) -> int:
        """B5.3: how many points of Q1 hold neither an own checker nor two of the opponent's."""
        return (Q1 & ~own & ~closed).bit_count()

    def may_strike(self, state: int) -> bool:
        """B5.6: a side with 14 checkers off never strikes, if the ruleset says so."""
        return self._last_checker_strikes or (state >> OFF_SHIFT & 15) < 14

    # Primes (B6)

    def prime_builders(self, state: int, own: int, own_closed: int, movers: int, die: int) -> int:
        """B6.1: the movers that would leave their side with a longer prime than allowed."""
        if (state >> board.THEIR_OFF_SHIFT & 15) >= 14:
            return 0  # B6.2
        limit = self.longest_prime
        closing = (
            movers & (own & ~own_closed) >> die
        )  # a prime grows only by closing one more point
        if not closing or not board.long_primes(
            self.flip_mask(own_closed | closing << die), limit + 1
        ):
            return 0  # not even all of them at once
        builders = 0
        for slot in board.bits(closing):
            after = own_closed | 1 << (slot + die)
            if board.count(state, slot) == 2:
                after &= ~(1 << slot)
            if board.long_primes(self.flip_mask(after), limit + 1):
                builders |= 1 << slot
        return builders

    def strikeable(self, state: int, closed: int) -> int:
        """B6.3: the opponent's closed points that any checker may strike: those of a prime of six or more."""
        if closed.bit_count() < self._strikeable_prime or not self.may_strike(state):
            return 0
        return board.long_primes(closed, self._strikeable_prime)

    def flip_mask(self, mask: int) -> int:
        """A mask in the opponent's numbering; primes of own points are measured in it (B6.1)."""
        return self._flip_low[mask >> 1 & 4095] | self._flip_high[mask >> 13]

    # Bearing off (B7)

    def bearers(self, node: Node, die: int) -> int:
        """The points from which this die may bear a checker off."""
        state, own = node[0], node[1]
        if own & BEFORE_Q4 or state & 15 or not own:
            return 0  # B7.1
        suffices = own >> (OFF - die) << (OFF - die)  # B7.2
        rearmost = own & -own
        if self._bearing_off == "any":
            return suffices  # B7.3
        if self._bearing_off == "exact":
            exact = own & 1 << (OFF - die)
            return exact or suffices & rearmost  # G5
        return suffices & rearmost  # B7.4

    # Playing a step

    def play(self, node: Node, slot: int, die: int) -> tuple[Node, EndingName | None]:
        """The node after a legal step, and the ending it causes in the middle of the turn."""
        state, own, own_closed, closed, blots = node
        bit, point = 1 << slot, 1 << (slot + die)
        if (
            own & bit
            and not own_closed & bit
            and not (self._double_six and slot == STACK_POINT and has_stack(state))
        ):
            own ^= bit
        elif (state >> slot * SLOT_BITS & 15) == 2:
            own_closed &= ~bit  # the bar has no bit to lose
        state += MOVED[die][slot]
        if not point & POINTS:
            return (state, own, own_closed, closed, blots), self._after_own_move(state, own)
        if own & point:
            own_closed |= point
        else:
            own |= point
        if point == 1 << HEAD and self._after_head:
            state |= UNLOCKED
        if not point & (blots | closed):
            ending = None if own & BEFORE_Q4 else self._after_own_move(state, own)
            return (state, own, own_closed, closed, blots), ending
        target = slot + die
        if blots & point:
            blots ^= point
            # B11.1: a stack is hit whole
            state += self.hit[target] * (
                board.their_count(state, self.opposite[target]) if self._double_six else 1
            )
            jan: EndingName = "jan"
        else:
            closed ^= point
            state += self.hit[target] * board.their_count(state, self.opposite[target])
            jan = "forced_jan"  # B9.2
        node = (state, own, own_closed, closed, blots)
        if self._jan and endings.is_jan(state, closed | blots, self.their_q1):
            return node, jan  # B9.1
        return (
            node,
            None,
        )  # a hit never completes a handsome game: its landing point held three or more of one's own

    def uneventful(self, node: Node, quiet: int, die: int) -> int:
        """The movers to points without opponents whose step ends no game and unlocks nothing."""
        state, own = node[0], node[1]
        if self._after_head and not state & UNLOCKED:
            quiet &= ~(1 << HEAD >> die)  # B4.3 [F]
        outside = own & BEFORE_Q4
        if not self._handsome_at_once or outside & outside - 1 or state >> OFF_SHIFT & 15:
            return quiet
        return 0  # B8.3: the last one outside may complete a handsome game, as may any one inside

    def _after_own_move(self, state: int, own: int) -> EndingName | None:
        if own & BEFORE_Q4 or state & 15:
            return None
        if not own:
            return "bearing_off"  # B7.7
        return endings.handsome(state) if self._handsome_at_once else None  # B8.3


def has_stack(state: int) -> bool:
    """B11.1: whether the mover's stack of the double-six turn stands on point 7, two checkers or more."""
    return board.count(state, STACK_POINT) > 1
