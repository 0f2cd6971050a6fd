"""A position of a tables game, always from the view of the side to move, and its text forms."""

import re
from collections.abc import Mapping
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
    """Two sides packed into one integer (see `board`), with the masks that rules need, all in the mover's numbering.

    The masks follow from the state and the layout. A named tuple, since a turn makes two or more of
    them: a frozen dataclass takes three times as long.
    """

    state: int
    own: int
    """Points with an own checker."""
    own_closed: int
    """Points with two or more own checkers, which are closed; the stack of B11.1 is not."""
    closed: int
    """Points the opponent has closed."""
    blots: int
    """Points where the opponent can be hit: it has exactly one checker there, or its stack (B11.1)."""


def from_state(state: int, layout: Layout) -> Position:
    """A position from its packed state alone; computes the masks."""
    low, high = board.flip_tables(layout.facing)
    own, own_closed = board.side_masks(state & SIDE)
    theirs, their_closed = board.side_masks(state >> SIDE_BITS)
    if layout.stack:
        own_closed &= ~(1 << STACK_POINT)
        their_closed &= ~(1 << STACK_POINT)
    occupied = low[theirs >> 1 & 4095] | high[theirs >> 13]
    closed = low[their_closed >> 1 & 4095] | high[their_closed >> 13]
    return Position(state, own, own_closed, closed, occupied ^ closed)


def swapped(state: int) -> int:
    """The same packed state from the opponent's view (B1.1, G1)."""
    return (state & SIDE) << SIDE_BITS | state >> SIDE_BITS


def flip(layout: Layout, position: Position) -> Position:
    """The same position from the opponent's view (B1.1, G1)."""
    low, high = board.flip_tables(layout.facing)
    state, own, own_closed, closed, blots = position
    single = own ^ own_closed
    their_closed = low[closed >> 1 & 4095] | high[closed >> 13]
    flipped = (
        (state & SIDE) << SIDE_BITS | state >> SIDE_BITS,
        their_closed | low[blots >> 1 & 4095] | high[blots >> 13],
        their_closed,
        low[own_closed >> 1 & 4095] | high[own_closed >> 13],
        low[single >> 1 & 4095] | high[single >> 13],
    )
    return tuple.__new__(
        Position, flipped
    )  # the class itself calls this; without the call between, twice as quick


def from_counts(mine: Counts, theirs: Counts, layout: Layout) -> Position:
    """A position from two maps of slot to count, each in its own side's numbering; not checked."""
    return from_state(board.pack_side(mine) | board.pack_side(theirs) << SIDE_BITS, layout)


_DIGITS = bytes.maketrans(b"0123456789abcdef", bytes(range(16)))


def to_plain(layout: Layout, position: Position) -> dict[str, Any]:
    """`{"points": [24 ints], "bar": [mine, theirs], "off": [mine, theirs]}`; positive counts are mine.

    A layout may add `"unlocked"` and `"stack"`, pairs of booleans, and `"one_die"`, a pair of
    numbers 0-6.
    """
    slots = b"%056x" % position.state  # one hexadecimal digit a slot, slot 27 of the opponent first
    slots = slots.translate(_DIGITS)[::-1]
    theirs = slots[28:]
    # my points 1..24 in the opponent's numbering: 13..24 then 1..12 (B1.1), or 24 down to 1 (G1)
    opposed = theirs[13:25] + theirs[1:13] if layout.facing == "same_way" else theirs[24:0:-1]
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


def from_plain(plain: object, layout: Layout) -> Position:
    """The inverse of `to_plain`; raises `GameError` with every problem found in the form or the counts."""
    found: list[str] = []
    if not isinstance(plain, Mapping):
        raise GameError(
            [f"a position is an object with points, bar and off, not {type(plain).__name__}"]
        )
    lists = {
        name: _ints(plain, name, length, found)
        for name, length in (("points", 24), ("bar", 2), ("off", 2))
    }
    lists |= {
        name: _extra(plain, name, found)
        for name in ("unlocked", "stack", "one_die")
        if getattr(layout, name)
    }
    found += [
        f"unknown field {name!r} in a position; known are {', '.join(lists)}"
        for name in plain
        if name not in lists
    ]
    if found:
        raise GameError(found)
    numbers = board.opposite(layout.facing)
    bar, off = lists["bar"], lists["off"]
    mine: Counts = {BAR: bar[0], OFF: off[0]}
    theirs: Counts = {BAR: bar[1], OFF: off[1]}
    for p, number in enumerate(lists["points"], start=1):
        if number > 0:
            mine[p] = number
        elif number < 0:
            theirs[numbers[p]] = -number
    found = count_problems(mine, "my") + count_problems(theirs, "the opponent's")
    for whose, index, counts in (("my", 0, mine), ("the opponent's", 1, theirs)):
        if layout.stack and bool(lists["stack"][index]) is not (counts.get(STACK_POINT, 0) > 1):
            stands = counts.get(STACK_POINT, 0)
            found.append(
                f"{whose} stack is true exactly when two or more stand on point 7 (B11.1); found {stands}"
            )
        if layout.unlocked:
            counts[FLAGS] = lists["unlocked"][index]
        if layout.one_die:
            counts[BOUND] = lists["one_die"][index]
    if found:
        raise GameError(found)
    return from_counts(mine, theirs, layout)


def _extra(plain: Mapping[str, object], name: str, found: list[str]) -> list[int]:
    """A pair of flags, where 0 and 1 are allowed, too; or for `one_die` of numbers of turns."""
    values = plain.get(name)
    kinds, expected, most = (
        ((int,), "numbers from 0 to 6", 6) if name == "one_die" else ((bool, int), "booleans", 1)
    )
    if (
        not isinstance(values, list | tuple)
        or len(values) != 2
        or not all(type(value) in kinds and 0 <= value <= most for value in values)
    ):
        found.append(f"{name} must be a pair of {expected}, mine first, found {values!r}")
        return []
    return [int(value) for value in values]


def _ints(plain: Mapping[str, object], name: str, length: int, found: list[str]) -> list[int]:
    values = plain.get(name)
    if not isinstance(values, list | tuple) or len(values) != length:
        found.append(f"{name} must be a list of {length} whole numbers, found {values!r}")
        return []
    found += [
        f"{name} holds {value!r}; expected a whole number from -15 to 15"
        for value in values
        if not isinstance(value, int)
        or isinstance(value, bool)
        or not -CHECKERS <= value <= CHECKERS
    ]
    if name != "points" and not found and min(values) < 0:
        found.append(f"{name} must not be negative, found {values!r}")
    return list(values)


def count_problems(counts: Counts, whose: str) -> list[str]:
    """B1.2: what is wrong with the number of checkers of one side."""
    total = sum(number for slot, number in counts.items() if slot <= OFF)
    fault = f"{whose} checkers must be {CHECKERS} in all, bar and off included; found {total}"
    return [] if total == CHECKERS else [fault]


_ENTRY = re.compile(r"(bar|off|[1-9]|1[0-9]|2[0-4]):([1-9]|1[0-5])")
_BOUND = re.compile(r"one-die:([1-6])")
_SLOTS = {"bar": BAR, "off": OFF}


def parse_position(text: str, layout: Layout) -> Position:
    """The compact literal `19:1 20:1 21:2 22:11 | opp 12:14 bar:1`; the mover's numbers on both sides.

    The first part lists my checkers as point:count, the part after `| opp` the opponent's. If a
    side does not name all 15 checkers, the rest are off. The words `unlocked` (B4.3 [F]) and
    `one-die:3` (B11.3) are allowed if the ruleset has them. Backgammon's points have the numbers
    that people use (G1). Raises `GameError` with every problem found.
    """
    mine_text, bar, theirs_text = text.partition("|")
    found: list[str] = []
    theirs_words = theirs_text.split()
    if bar and theirs_words[:1] != ["opp"]:
        found.append(
            f"after '|' the opponent's checkers begin with 'opp', found {theirs_text.strip()!r}"
        )
    mine = _side(mine_text.split(), "my", layout, found)
    theirs = _side(theirs_words[1:], "the opponent's", layout, found)
    found += [
        f"point {slot} is held by both sides"
        for slot in sorted(mine.keys() & theirs.keys())
        if BAR < slot < OFF
    ]
    if found:
        raise GameError(found)
    numbers = board.opposite(layout.facing)
    if layout.facing == "opposite_ways":  # G1: as people number them
        mine = {numbers[slot] if slot < OFF else slot: number for slot, number in mine.items()}
    else:
        theirs = {numbers[slot] if slot < OFF else slot: number for slot, number in theirs.items()}
    return from_counts(mine, theirs, layout)


def _side(words: list[str], whose: str, layout: Layout, found: list[str]) -> Counts:
    """One side as written, with slots in the numbers that people use."""
    counts: Counts = {}
    also = (
        ", nor 'unlocked'"
        if layout.unlocked
        else ", nor one-die:1 to one-die:6"
        if layout.one_die
        else ""
    )
    for word in words:
        match = _ENTRY.fullmatch(word)
        if layout.unlocked and word == "unlocked":
            slot, name, number = FLAGS, word, 1
        elif layout.one_die and (bound := _BOUND.fullmatch(word)):
            slot, name, number = BOUND, "one-die", int(bound[1])
        elif match is None:
            found.append(
                f"{word!r} is not slot:count with a slot of 1-24, bar or off and a count of 1-15{also}"
            )
            continue
        else:
            name, number = match[1], int(match[2])
            slot = _SLOTS[name] if name in _SLOTS else int(name)
        if slot in counts:
            found.append(f"{whose} {name} is named twice")
        counts[slot] = number
    total = sum(number for slot, number in counts.items() if slot <= OFF)
    if OFF not in counts and total < CHECKERS:
        counts[OFF] = CHECKERS - total
    found += count_problems(counts, whose)
    return counts


def format_position(position: Position, layout: Layout) -> str:
    """The inverse of `parse_position`."""
    numbers = board.opposite(layout.facing)

    def words(side: int, *, are_mine: bool) -> str:
        written = []
        for slot in [*range(1, 25), BAR, OFF]:
            own = slot if are_mine else numbers[slot]
            number = board.count(side, own)
            if number:
                written.append(f"{board.shown(slot, layout.facing)}:{number}")
        if side & board.UNLOCKED:
            written.append("unlocked")
        if bound := side >> board.BOUND_SHIFT:
            written.append(f"one-die:{bound}")
        return " ".join(written)

    mine, theirs = position.state & SIDE, position.state >> SIDE_BITS
    return f"{words(mine, are_mine=True)} | opp {words(theirs, are_mine=False)}"
