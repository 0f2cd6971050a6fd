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
    THEIR_OFF_SHIFT,
    UNLOCKED,
)
from arena.games.tables.endings import EndingName
from arena.games.tables.ruleset import Ruleset

Node = tuple[int, int, int, int, int]
"""(state, own_points, own_closed, closed, blots) as in `Position`."""

Moves = Sequence[Sequence[int]]
"""A turn of a tables game: [from, to] of every move, 0 = bar, 25 = off."""

Movers = tuple[int, int, int]
"""Masks of the slots that a checker may leave: to a point without opponents, hitting a blot,
striking."""

NO_PRIME: Final = 25  # longer than any prime: stands for "no limit" and "never struck"
ALL_BUT_ONE: Final = 14  # checkers off (B5.6, B6.2)
BEFORE_Q4: Final = POINTS & ~Q4
BEFORE_HEAD: Final = board.span(1, HEAD - 1)


def _moved(die: int) -> tuple[int, ...]:
    """Return what moving one checker by the die adds to its side, by the slot that it leaves."""
    changes = []
    for slot in range(OFF):
        target = min(slot + die, OFF)
        changes.append((1 << SLOT_BITS * target) - (1 << SLOT_BITS * slot))
    return tuple(changes)


MOVED: Final = tuple(_moved(die) for die in range(7))
"""`MOVED[die][slot]`: what moving one checker from the slot by the die adds to the mover's side."""

Entry = TypeVar("Entry")
Halves = tuple[tuple[tuple[Entry, ...], ...], tuple[tuple[Entry, ...], ...]]
"""Two tables of 4,096 rows, for the masks of the points 1-12 and 13-24: a row has an entry for
each point in its mask."""

Way = tuple[int, int, int, int, int]
"""A move on the board: what it adds to the state, the bit of its point and of the one it lands on,
its slot, and the four bits of that slot in a state."""


def _rows(entries: Sequence[Entry]) -> tuple[tuple[Entry, ...], ...]:
    """Return the row of each of the 4,096 masks of twelve points."""
    table: list[tuple[Entry, ...]] = [()]
    for entry in entries:
        with_entry = [(*row, entry) for row in table]
        table += with_entry
    return tuple(table)


class _ByDie(dict[int, Halves[Entry]]):
    """Two tables for each die, filled when a die is asked for the first time."""

    def __init__(self, entries_of: Callable[[int], Sequence[Entry]]) -> None:
        super().__init__()
        self._entries_of = entries_of

    def __missing__(self, die: int) -> Halves[Entry]:
        entries = self._entries_of(die)
        halves = _rows(entries[:12]), _rows(entries[12:])
        self[die] = halves
        return halves


def _ways(die: int) -> list[Way]:
    """Return the moves by the die from the points 1-24."""
    ways = []
    for p in range(1, 25):
        point_bits = 15 << SLOT_BITS * p
        ways.append((MOVED[die][p], 1 << p, 1 << p + die, p, point_bits))
    return ways


def _differences(die: int) -> tuple[int, ...]:
    """Return what the moves by the die from the points 1-24 add to the state."""
    return MOVED[die][1:]


# WAYS[die] and DIFFERENCES[die]: the moves by the die of all checkers in a mask, whole or only what
# each adds to the state. They speed up the loops in which a roll spends its time. All of them cost
# some 50 ms and 8 MB once, so only programs that make turns pay for them.
WAYS: Final[Mapping[int, Halves[Way]]] = _ByDie(_ways)
DIFFERENCES: Final[Mapping[int, Halves[int]]] = _ByDie(_differences)


class DieSteps:
    """The legal steps of one ruleset, one die at a time; `turns` judges the whole turn (B3)."""

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
        self.longest_prime = NO_PRIME
        if ruleset.longest_prime is not None:
            self.longest_prime = ruleset.longest_prime
        self._strikeable_prime = NO_PRIME
        if ruleset.strikeable_prime is not None:
            self._strikeable_prime = ruleset.strikeable_prime
        self._entry_strikes = ruleset.entry_strikes
        self._last_checker_strikes = ruleset.last_checker_strikes
        self._bearing_off = ruleset.bearing_off
        self._handsome_at_once = ruleset.handsome == "at_once"

    # Landing (B4)

    def no_adding(self, state: int) -> int:
        """Return the points where a checker may not join one of its side (B4.3, B4.4)."""
        if self._after_head and state & UNLOCKED:
            return 0  # B4.3 [F]: from the landing on the head on, any point may hold any number
        return self._no_adding

    def movers(self, node: Node, die: int) -> Movers:
        """Return the slots that a checker may leave by this die for another point.

        With checkers on the bar this is the bar or nothing (B5.1); `bearers` handles bearing off.
        """
        state, own_points, own_closed, closed, blots = node
        if state & 15:
            return self._entering(node, die)
        barred = closed  # B4.1
        barred |= own_points & self.no_adding(state)  # B4.3, B4.4
        movers = own_points & (POINTS ^ barred) >> die
        if own_closed.bit_count() >= self.longest_prime:
            movers ^= self.prime_builders(state, own_points, own_closed, movers, die)  # B6.1
        hits = movers & blots >> die  # B4.2
        strikes = 0
        if closed.bit_count() >= self._strikeable_prime:
            strikes = own_points & self.strikeable(state, closed) >> die  # B6.3
        return movers ^ hits, hits, strikes

    def may_land(self, node: Node, slot: int, target: int) -> bool:
        """Return whether the checker on a slot may move to the point `target`.

        It is `movers` for one move, thrice as fast. Change both together; the tests judge every
        turn that is generated.
        """
        state, own_points, own_closed, closed, _ = node
        if not slot:
            if not state & 15:
                return False
            quiet, hits, strikes = self._entering(node, target)
            return bool(quiet | hits | strikes)
        if state & 15:
            return False  # B5.1
        if not own_points >> slot & 1:
            return False
        point = 1 << target
        if own_points & point:
            if point & self.no_adding(state):
                return False  # B4.3, B4.4
            if own_closed.bit_count() < self.longest_prime:
                return True
            die = target - slot
            return not self.prime_builders(state, own_points, own_closed, 1 << slot, die)  # B6.1
        if closed & point:
            return bool(self.strikeable(state, closed) & point)  # B4.1, B6.3
        return True

    # Entry (B5)

    def _entering(self, node: Node, die: int) -> Movers:
        """Return the bar as the slot to leave if this die enters: d enters on point d (B5.1)."""
        state, own_points, own_closed, closed, blots = node
        point = 1 << die
        if own_points & point:
            if point & self.no_adding(state):
                return 0, 0, 0  # B5.2
            if self.prime_builders(state, own_points, own_closed, 1, die):
                return 0, 0, 0  # B6.1
        if closed & point:
            if self.entry_strike(node):
                return 0, 0, 1  # B5.4, B5.5
            if self.strikeable(state, closed) & point:
                return 0, 0, 1  # B6.3
            return 0, 0, 0  # B5.2
        if blots & point:
            return 0, 1, 0  # B5.2
        return 1, 0, 0

    def entry_strike(self, node: Node) -> bool:
        """Return whether an entering checker may now strike closed points of Q1 (B5.4, B5.5)."""
        state, own_points, _, closed, _ = node
        if self._entry_strikes == "never":
            return False  # B5.7
        if not self.may_strike(state):
            return False  # B5.6
        free = self.free_points(own_points, closed)
        if self._entry_strikes == "no_free_point":
            return free == 0  # B5.4
        return (state & 15) > free  # B5.5

    def free_points(self, own_points: int, closed: int) -> int:
        """Count the points of Q1 with no own checker and not closed by the opponent (B5.3)."""
        return (Q1 & ~own_points & ~closed).bit_count()

    def may_strike(self, state: int) -> bool:
        """Return whether a side with so few checkers left may strike at all (B5.6)."""
        return self._last_checker_strikes or (state >> OFF_SHIFT & 15) < ALL_BUT_ONE

    # Primes (B6)

    def prime_builders(
        self, state: int, own_points: int, own_closed: int, movers: int, die: int
    ) -> int:
        """Return the movers that would leave their side with a longer prime than allowed (B6.1)."""
        if (state >> THEIR_OFF_SHIFT & 15) >= ALL_BUT_ONE:
            return 0  # B6.2
        too_long = self.longest_prime + 1
        # a prime grows only by closing one more point
        closing = movers & (own_points & ~own_closed) >> die
        if not closing:
            return 0
        if not board.long_primes(self.flip_mask(own_closed | closing << die), too_long):
            return 0  # not even all of them at once
        builders = 0
        for slot in board.bits(closing):
            after = own_closed | 1 << (slot + die)
            if board.count(state, slot) == 2:
                after &= ~(1 << slot)
            if board.long_primes(self.flip_mask(after), too_long):
                builders |= 1 << slot
        return builders

    def strikeable(self, state: int, closed: int) -> int:
        """Return the opponent's closed points that any checker may strike: long primes (B6.3)."""
        if closed.bit_count() < self._strikeable_prime:
            return 0
        if not self.may_strike(state):
            return 0  # B5.6
        return board.long_primes(closed, self._strikeable_prime)

    def flip_mask(self, mask: int) -> int:
        """Return a mask in the opponent's numbering; own primes are measured in it (B6.1)."""
        return self._flip_low[mask >> 1 & 4095] | self._flip_high[mask >> 13]

    # Bearing off (B7)

    def bearers(self, node: Node, die: int) -> int:
        """Return the points from which this die may bear a checker off."""
        state, own_points, _, _, _ = node
        if own_points & BEFORE_Q4 or state & 15 or not own_points:
            return 0  # B7.1
        exact = OFF - die
        sufficed = own_points >> exact << exact  # B7.2
        if self._bearing_off == "any":
            return sufficed  # B7.3
        rearmost = own_points & -own_points
        if self._bearing_off == "exact" and own_points >> exact & 1:
            return 1 << exact  # G5
        return sufficed & rearmost  # B7.4, G5

    # Playing a step

    def play(self, node: Node, slot: int, die: int) -> tuple[Node, EndingName | None]:
        """Return the node after a legal step, and the ending that it causes within the turn."""
        state, own_points, own_closed, closed, blots = node
        target = slot + die
        point = 1 << target
        number = state >> slot * SLOT_BITS & 15
        if number == 1:
            own_points &= ~(1 << slot)  # the bar has no bit to lose
        elif number == 2:
            own_closed &= ~(1 << slot)
        state += MOVED[die][slot]
        if point & POINTS:
            if own_points & point:
                own_closed |= point
            else:
                own_points |= point
            if target == HEAD and self._after_head:
                state |= UNLOCKED  # B4.3 [F]
            if point & (blots | closed):
                return self._send_to_bar((state, own_points, own_closed, closed, blots), target)
        ending = None
        if not own_points & BEFORE_Q4:
            ending = self._after_own_move(state, own_points)
        return (state, own_points, own_closed, closed, blots), ending

    def _send_to_bar(self, node: Node, target: int) -> tuple[Node, EndingName | None]:
        """Return the node after the opponent's checkers on a point went to the bar, and a jan.

        A hit never completes a handsome game: its landing point held three or more own checkers.
        """
        state, own_points, own_closed, closed, blots = node
        point = 1 << target
        # one on a blot (B4.2); two or more on a closed point (B5.4, B5.5, B6.3) or stack (B11.1)
        number = board.their_count(state, self.opposite[target])
        state += self.hit[target] * number
        jan: EndingName = "jan"  # B9.1
        if blots & point:
            blots ^= point
        else:
            closed ^= point
            jan = "forced_jan"  # B9.2
        node = (state, own_points, own_closed, closed, blots)
        if self._jan and endings.is_jan(state, closed | blots, self.their_q1):
            return node, jan
        return node, None

    def uneventful(self, node: Node, quiet: int, die: int) -> int:
        """Return the movers, of those that meet no opponent, that end and unlock nothing."""
        state, own_points, _, _, _ = node
        if self._after_head and not state & UNLOCKED:
            quiet &= ~(1 << HEAD >> die)  # B4.3 [F]
        if not self._handsome_at_once:
            return quiet
        outside = own_points & BEFORE_Q4
        if outside & outside - 1 or state >> OFF_SHIFT & 15:
            return quiet  # two points outside, or a checker off: no handsome game yet or any more
        return 0  # B8.3: the last one outside may complete a handsome game, as may one inside

    def _after_own_move(self, state: int, own_points: int) -> EndingName | None:
        """Return the ending after a checker was borne off or has moved within Q4."""
        if own_points & BEFORE_Q4 or state & 15:
            return None
        if not own_points:
            return "bearing_off"  # B7.7
        if self._handsome_at_once:
            return endings.handsome(state)  # B8.3
        return None


def has_stack(state: int) -> bool:
    """Return whether the mover's stack stands on point 7: two checkers or more (B11.1)."""
    return board.count(state, STACK_POINT) > 1
