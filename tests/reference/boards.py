"""Rulesets, boards and positions of the reference; what may be played on them stands in `tables.py`.

Inside, a board is seen by the player on the move and along his own path: two lists of 26 counts,
index 0 for the bar, 1..24 for the points and 25 for the checkers that are off, both lists in the
*mover's* numbering.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

Position = dict[str, Any]
Move = tuple[int, int]

BAR, OFF = 0, 25
HOME, HEAD, STACK_POINT = 1, 12, 7
CHECKERS = 15

# B8.1: what stands on 20, 21, 22, 23 and 24 in each handsome game.
HANDSOME = {
    "single_crown": [3, 3, 3, 3, 3],
    "double_crown": [0, 0, 5, 5, 5],
    "staircase": [0, 0, 3, 5, 7],
    "tower": [0, 0, 0, 0, 15],
}


@dataclass(frozen=True)
class Rules:
    """One ruleset, as plain answers to plain questions."""

    name: str
    opposite_ways: bool = False  # G1
    free_stacking: bool = False  # G3: any number of own checkers on any point
    entry_strike: str = "never"  # or "no_free_point" (B5.4), "outnumbered" (B5.5)
    strikes_with_14_off: bool = True  # B5.6 says no
    longest_prime: int = 24  # B6.1: five
    struck_run: int = 25  # B6.3: six
    head_unlocks: bool = False  # B4.3 [F]
    only_rearmost_off: bool = False  # B7.4
    exact_off: bool = False  # G5: an exact die, or the rearmost
    least_waste: bool = False  # B7.6
    handsome: str = "never"  # or "whole_turn" (B8.2), "at_once" (B8.3)
    jan: bool = True  # B9.1
    ending_always_legal: bool = True  # B3.6; not in backgammon (G3)
    double_six: bool = False  # B11.1
    one_die: bool = False  # B11.3: how many dice are rolled is decided elsewhere
    gammons: bool = False  # G6
    monk: bool = True  # B10.1


_VASA = Rules(
    name="vasa",
    entry_strike="outnumbered",
    strikes_with_14_off=False,
    struck_run=6,
    only_rearmost_off=True,
    least_waste=True,
    handsome="at_once",
)

RULES: dict[str, Rules] = {
    "vasa": _VASA,
    "swedish-tables": replace(_VASA, name="swedish-tables"),
    "classic": Rules(
        name="classic", entry_strike="no_free_point", longest_prime=5, handsome="whole_turn"
    ),
    "fiske": Rules(name="fiske", head_unlocks=True, handsome="at_once", jan=False),
    "backgammon": Rules(
        name="backgammon",
        opposite_ways=True,
        free_stacking=True,
        exact_off=True,
        jan=False,
        ending_always_legal=False,
        monk=False,
        gammons=True,
    ),
}

_OPTIONS: dict[str, dict[str, dict[str, Any]]] = {
    "classic": {
        "double_six": {"double_six": True},
        "easy_reentry": {"entry_strike": "outnumbered"},
        "one_die": {"one_die": True},
    },
    "backgammon": {"no_gammons": {"gammons": False}},
}


def with_options(name: str, options: Collection[str]) -> Rules:
    """The named ruleset with options switched on (B11, G6)."""
    rules = RULES[name]
    for option in options:
        rules = replace(rules, **_OPTIONS[name][option])
    return rules


@dataclass
class Board:
    """What stands where, in the mover's numbering; `theirs[0]` and `theirs[25]` are their bar and off."""

    mine: list[int]
    theirs: list[int]
    unlocked: list[bool]  # mine, theirs
    stack: list[bool]  # mine on my 7, theirs on their 7

    def copy(self) -> "Board":
        return Board(list(self.mine), list(self.theirs), list(self.unlocked), list(self.stack))

    def key(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[bool, ...], tuple[bool, ...]]:
        return tuple(self.mine), tuple(self.theirs), tuple(self.unlocked), tuple(self.stack)


# ---------------------------------------------------------------------------------------------------------
# Positions in and out


def mirror(rules: Rules, point: int) -> int:
    """The opponent's number of my point (B1.1, G1)."""
    return 25 - point if rules.opposite_ways else (point + 11) % 24 + 1


def as_the_opponent_walks(rules: Rules) -> list[int]:
    """My points in the order in which the opponent passes them (B6.1): 13..24 and then 1..12 in Bräde."""
    return [mirror(rules, point) for point in range(1, 25)]


def board_of(position: Position) -> Board:
    mine, theirs = [0] * 26, [0] * 26
    for i, count in enumerate(position["points"]):
        if count > 0:
            mine[i + 1] = count
        else:
            theirs[i + 1] = -count
    mine[BAR], theirs[BAR] = position["bar"]
    mine[OFF], theirs[OFF] = position["off"]
    unlocked = [bool(flag) for flag in position.get("unlocked", [False, False])]
    stack = [bool(flag) for flag in position.get("stack", [False, False])]
    return Board(mine, theirs, unlocked, stack)


def position_of(rules: Rules, board: Board) -> Position:
    position: Position = {
        "points": [board.mine[p] - board.theirs[p] for p in range(1, 25)],
        "bar": [board.mine[BAR], board.theirs[BAR]],
        "off": [board.mine[OFF], board.theirs[OFF]],
    }
    if rules.head_unlocks:
        position["unlocked"] = list(board.unlocked)
    if rules.double_six:
        position["stack"] = list(board.stack)
    return position


def flip(rules: Rules, position: Position) -> Position:
    """The same position as the opponent sees it."""
    points = position["points"]
    flipped: Position = {
        "points": [-points[mirror(rules, p) - 1] for p in range(1, 25)],
        "bar": position["bar"][::-1],
        "off": position["off"][::-1],
    }
    for extra in ("unlocked", "stack"):
        if extra in position:
            flipped[extra] = position[extra][::-1]
    return flipped


def start(rules: Rules) -> Position:
    """The position before the first turn (B1.2, G1)."""
    own = {1: 2, 12: 5, 17: 3, 19: 5} if rules.opposite_ways else {HOME: CHECKERS}
    mine, theirs = [0] * 26, [0] * 26
    for point, count in own.items():
        mine[point] = count
        theirs[mirror(rules, point)] = count
    return position_of(rules, Board(mine, theirs, [False, False], [False, False]))
