"""A position of a tables game, always from the view of the side to move, and its text forms."""

import re
from collections.abc import Mapping, Sequence
from operator import sub
from typing import Any, NamedTuple

from arena.games.interface import GameError
from arena.games.tables import board
from arena.games.tables.board import (
    BAR,
    BOUND,
    CHECKERS,
    FLAGS,
    OFF,
    SIDE,
    SIDE_BITS,
    STACK_POINT,
    Layout,
)

Counts = dict[int, int]
"""Slot (0 = bar, 1..24 points, 25 = off) to number of checkers; empty slots are left out.

Slots 26 and 27 hold what a layout has besides checkers.
"""


class Position(NamedTuple):
    """Two sides packed into one integer (see `board`), with the masks that rules need.

    All are in the mover's numbering. The masks follow from the state and the layout. It is a named
    tuple, since a turn makes two or more of them: a frozen dataclass takes three times as long.
    """

    state: int
    own_points: int
    """Points with an own checker."""
    own_closed: int
    """Points with two or more own checkers, which are closed; the stack of B11.1 is not."""
    closed: int
    """Points the opponent has closed."""
    blots: int
    """Points where the opponent can be hit: it has one checker there, or its stack (B11.1)."""


def from_state(state: int, layout: Layout) -> Position:
    """Return a position from its packed state alone; computes the masks."""
    low, high = board.flip_tables(layout.facing)
    own_points, own_closed = board.side_masks(state & SIDE)
    theirs, their_closed = board.side_masks(state >> SIDE_BITS)
    if layout.stack:
        own_closed &= ~(1 << STACK_POINT)
        their_closed &= ~(1 << STACK_POINT)
    occupied = low[theirs >> 1 & 4095] | high[theirs >> 13]
    closed = low[their_closed >> 1 & 4095] | high[their_closed >> 13]
    return Position(state, own_points, own_closed, closed, occupied ^ closed)


def swapped(state: int) -> int:
    """Return the same packed state from the opponent's view (B1.1, G1)."""
    return (state & SIDE) << SIDE_BITS | state >> SIDE_BITS


def flip(layout: Layout, position: Position) -> Position:
    """Return the same position from the opponent's view (B1.1, G1)."""
    low, high = board.flip_tables(layout.facing)
    state, own_points, own_closed, closed, blots = position
    single = own_points ^ own_closed
    their_closed = low[closed >> 1 & 4095] | high[closed >> 13]
    flipped = (
        (state & SIDE) << SIDE_BITS | state >> SIDE_BITS,
        their_closed | low[blots >> 1 & 4095] | high[blots >> 13],
        their_closed,
        low[own_closed >> 1 & 4095] | high[own_closed >> 13],
        low[single >> 1 & 4095] | high[single >> 13],
    )
    # the class itself calls this; without the call between, twice as quick
    return tuple.__new__(Position, flipped)


def from_counts(mine: Counts, theirs: Counts, layout: Layout) -> Position:
    """Return a position from two maps of slot to count, unchecked.

    Each is in its own side's numbering.
    """
    return from_state(board.pack_side(mine) | board.pack_side(theirs) << SIDE_BITS, layout)


_DIGITS = bytes.maketrans(b"0123456789abcdef", bytes(range(16)))


def to_plain(layout: Layout, position: Position) -> dict[str, Any]:
    """Return `{"points": [24 ints], "bar": [mine, theirs], "off": [mine, theirs]}`.

    Positive counts are mine. A layout may add `"unlocked"` and `"stack"`, pairs of booleans, and
    `"one_die"`, a pair of numbers 0-6.
    """
    slots = b"%056x" % position.state  # one hexadecimal digit a slot, slot 27 of the opponent first
    slots = slots.translate(_DIGITS)[::-1]
    theirs = slots[28:]
    # the opponent's checkers on my points 1..24
    opposed = theirs[24:0:-1]  # G1
    if layout.facing == "same_way":
        opposed = theirs[13:25] + theirs[1:13]  # B1.1
    plain: dict[str, Any] = {
        "points": list(map(sub, slots[1:25], opposed)),
        "bar": [slots[BAR], theirs[BAR]],
        "off": [slots[OFF], theirs[OFF]],
    }
    if layout.unlocked:
        plain["unlocked"] = [slots[FLAGS] > 0, theirs[FLAGS] > 0]
    if layout.stack:
        plain["stack"] = [slots[STACK_POINT] > 1, theirs[STACK_POINT] > 1]
    if layout.one_die:
        plain["one_die"] = [slots[BOUND], theirs[BOUND]]
    return plain


_EXTRAS = ("unlocked", "stack", "one_die")


def from_plain(plain: object, layout: Layout) -> Position:
    """Return the position that `to_plain` wrote.

    Raises `GameError` with every problem in the form, or with every one in the counts.
    """
    if not isinstance(plain, Mapping):
        raise GameError(
            [f"a position is an object with points, bar and off, not {type(plain).__name__}"]
        )
    extras = [name for name in _EXTRAS if getattr(layout, name)]
    problems = _form_problems(plain, extras)
    if problems:
        raise GameError(problems)
    my_bar, their_bar = plain["bar"]
    my_off, their_off = plain["off"]
    mine: Counts = {BAR: my_bar, OFF: my_off}
    theirs: Counts = {BAR: their_bar, OFF: their_off}
    numbers = board.opposite(layout.facing)
    for p, number in enumerate(plain["points"], start=1):
        if number > 0:
            mine[p] = number
        elif number < 0:
            theirs[numbers[p]] = -number
    problems = count_problems(mine, "my") + count_problems(theirs, "the opponent's")
    if layout.stack:
        is_my_stack, is_their_stack = plain["stack"]
        problems += _stack_problems(mine, "my", is_stack=bool(is_my_stack))
        problems += _stack_problems(theirs, "the opponent's", is_stack=bool(is_their_stack))
    if problems:
        raise GameError(problems)
    if layout.unlocked:
        mine[FLAGS], theirs[FLAGS] = plain["unlocked"]
    if layout.one_die:
        mine[BOUND], theirs[BOUND] = plain["one_die"]
    return from_counts(mine, theirs, layout)


def _form_problems(plain: Mapping[Any, Any], extras: Sequence[str]) -> list[str]:
    """Return what is wrong with the fields of a plain position, each for itself."""
    problems: list[str] = []
    for name, length in (("points", 24), ("bar", 2), ("off", 2)):
        counts = plain.get(name)
        problems += _count_list_problems(name, counts, length)
        if name != "points" and not problems and min(plain[name]) < 0:
            problems.append(f"{name} must not be negative, found {counts!r}")
    for name in extras:
        problems += _pair_problems(name, plain.get(name))
    fields = ["points", "bar", "off", *extras]
    for name in plain:
        if name not in fields:
            problems.append(f"unknown field {name!r} in a position; known are {', '.join(fields)}")
    return problems


def _count_list_problems(name: str, counts: object, length: int) -> list[str]:
    """Return what is wrong with a list of counts of checkers."""
    if not isinstance(counts, list | tuple) or len(counts) != length:
        return [f"{name} must be a list of {length} whole numbers, found {counts!r}"]
    problems = []
    for number in counts:
        is_whole = isinstance(number, int) and not isinstance(number, bool)
        if not is_whole or not -CHECKERS <= number <= CHECKERS:
            problems.append(f"{name} holds {number!r}; expected a whole number from -15 to 15")
    return problems


def _pair_problems(name: str, pair: Any) -> list[str]:
    """Return what is wrong with a pair of flags, or for `one_die` of numbers of turns.

    As flags 0 and 1 are allowed, too.
    """
    kinds: tuple[type, ...] = (bool, int)
    expected, most = "booleans", 1
    if name == "one_die":
        kinds = (int,)
        expected, most = "numbers from 0 to 6", 6
    is_pair = isinstance(pair, list | tuple) and len(pair) == 2
    if is_pair and all(type(part) in kinds and 0 <= part <= most for part in pair):
        return []
    return [f"{name} must be a pair of {expected}, mine first, found {pair!r}"]


def count_problems(counts: Counts, whose: str) -> list[str]:
    """Return what is wrong with the number of checkers of one side (B1.2)."""
    total = _checkers(counts)
    if total == CHECKERS:
        return []
    return [f"{whose} checkers must be {CHECKERS} in all, bar and off included; found {total}"]


def _checkers(counts: Counts) -> int:
    """Count the checkers of one side, bar and off included."""
    return sum(number for slot, number in counts.items() if slot <= OFF)


def _stack_problems(counts: Counts, whose: str, *, is_stack: bool) -> list[str]:
    """Return what is wrong with the flag of one side's stack (B11.1)."""
    number = counts.get(STACK_POINT, 0)
    if is_stack is (number > 1):
        return []
    return [
        f"{whose} stack is true exactly when two or more stand on point 7 (B11.1); found {number}"
    ]


_ENTRY = re.compile(r"(bar|off|[1-9]|1[0-9]|2[0-4]):([1-9]|1[0-5])")
_BOUND = re.compile(r"one-die:([1-6])")
_SLOTS = {"bar": BAR, "off": OFF}


def parse_position(text: str, layout: Layout) -> Position:
    """Return the position of a literal such as `19:1 20:1 21:2 22:11 | opp 12:14 bar:1`.

    The first part lists my checkers as point:count, the part after `| opp` the opponent's, both by
    the mover's numbers. If a side does not name all 15 checkers, the others are off. The words
    `unlocked` (B4.3 [F]) and `one-die:3` (B11.3) are allowed if the ruleset has them. Backgammon's
    points have the numbers that people use (G1). Raises `GameError` with every problem.
    """
    mine_text, bar, theirs_text = text.partition("|")
    problems: list[str] = []
    theirs_words = theirs_text.split()
    if bar and theirs_words[:1] != ["opp"]:
        problems.append(
            f"after '|' the opponent's checkers begin with 'opp', found {theirs_text.strip()!r}"
        )
    mine, mine_problems = _side(mine_text.split(), "my", layout)
    theirs, theirs_problems = _side(theirs_words[1:], "the opponent's", layout)
    problems += mine_problems + theirs_problems
    for slot in sorted(mine.keys() & theirs.keys()):
        if BAR < slot < OFF:
            problems.append(f"point {slot} is held by both sides")
    if problems:
        raise GameError(problems)
    if layout.facing == "opposite_ways":  # G1: as people number them
        mine = _renumbered(mine, layout)
    else:
        theirs = _renumbered(theirs, layout)
    return from_counts(mine, theirs, layout)


def _renumbered(counts: Counts, layout: Layout) -> Counts:
    """Return the counts of one side in the opponent's numbers; bar, off and flags keep theirs."""
    numbers = board.opposite(layout.facing)
    renumbered: Counts = {}
    for slot, number in counts.items():
        if slot < OFF:
            renumbered[numbers[slot]] = number
        else:
            renumbered[slot] = number
    return renumbered


def _side(words: Sequence[str], whose: str, layout: Layout) -> tuple[Counts, list[str]]:
    """Return one side as written, with slots in the numbers that people use, and its problems."""
    counts: Counts = {}
    problems: list[str] = []
    for word in words:
        entry = _entry(word, layout)
        if entry is None:
            problems.append(
                f"{word!r} is not slot:count with a slot of 1-24, bar or off"
                f" and a count of 1-15{_other_words(layout)}"
            )
            continue
        name, slot, number = entry
        if slot in counts:
            problems.append(f"{whose} {name} is named twice")
        counts[slot] = number
    total = _checkers(counts)
    if OFF not in counts and total < CHECKERS:
        counts[OFF] = CHECKERS - total
    problems += count_problems(counts, whose)
    return counts, problems


def _entry(word: str, layout: Layout) -> tuple[str, int, int] | None:
    """Return the name of the slot in a word, the slot and its number; None if it is no entry."""
    if layout.unlocked and word == "unlocked":
        return word, FLAGS, 1
    bound = _BOUND.fullmatch(word)
    if layout.one_die and bound:
        return "one-die", BOUND, int(bound[1])
    match = _ENTRY.fullmatch(word)
    if match is None:
        return None
    name, number = match[1], int(match[2])
    if name in _SLOTS:
        return name, _SLOTS[name], number
    return name, int(name), number


def _other_words(layout: Layout) -> str:
    """Return the words that a literal may have besides its entries, for the end of a message."""
    if layout.unlocked:
        return ", nor 'unlocked'"
    if layout.one_die:
        return ", nor one-die:1 to one-die:6"
    return ""


def format_position(position: Position, layout: Layout) -> str:
    """Write a position as the literal that `parse_position` reads."""
    numbers = board.opposite(layout.facing)
    mine, theirs = position.state & SIDE, position.state >> SIDE_BITS
    mine_words: list[str] = []
    theirs_words: list[str] = []
    for slot in [*range(1, 25), BAR, OFF]:
        name = board.shown(slot, layout.facing)
        number = board.count(mine, slot)
        if number:
            mine_words.append(f"{name}:{number}")
        their_number = board.count(theirs, numbers[slot])
        if their_number:
            theirs_words.append(f"{name}:{their_number}")
    mine_words += _remembered_words(mine)
    theirs_words += _remembered_words(theirs)
    return f"{' '.join(mine_words)} | opp {' '.join(theirs_words)}"


def _remembered_words(side: int) -> list[str]:
    """Return the words for what a side has besides checkers (B4.3 [F], B11.3)."""
    words = []
    if side & board.UNLOCKED:
        words.append("unlocked")
    bound = side >> board.BOUND_SHIFT
    if bound:
        words.append(f"one-die:{bound}")
    return words
