"""The rule book's counts, and the reference against a still plainer way of asking it."""

from collections import Counter
from random import Random
from typing import Any

import pytest

from tests.reference import positions
from tests.reference.boards import HANDSOME, Position, Rules, board_of, position_of
from tests.reference.near_misses import near_misses
from tests.reference.tables import (
    RULES,
    Walk,
    all_dice,
    duties,
    extended,
    flip,
    judge,
    may_stop,
    result_of,
    start,
    steps,
    turns,
    with_options,
)

VASA, CLASSIC, FISKE, BACKGAMMON = (RULES[n] for n in ("vasa", "classic", "fiske", "backgammon"))
EASY_REENTRY = with_options("classic", ["easy_reentry"])
DOUBLE_SIX = with_options("classic", ["double_six"])
ALL_ROLLS = [[high, low] for high in range(1, 7) for low in range(1, high + 1)]


def counts(rules: Rules, depth: int) -> list[tuple[int, int]]:
    """Leaves, transpositions counted each time, and distinct positions, at each depth of the tree of all rolls."""
    level: dict[str, tuple[Position, int]] = {"": (start(rules), 1)}
    found = []
    for _ in range(depth):
        following: dict[str, tuple[Position, int]] = {}
        for position, times in level.values():
            for dice in ALL_ROLLS:
                for turn in turns(rules, position, dice):
                    after = flip(rules, turn["position"])
                    _, before = following.get(str(after), (after, 0))
                    following[str(after)] = (after, before + times)
        level = following
        found.append((sum(times for _, times in level.values()), len(level)))
    return found


NUMBERS = [
    pytest.param(VASA, [(39, 28), (1_526, 787), (182_138, 18_969)], id="vasa"),
    pytest.param(RULES["swedish-tables"], [(39, 28), (1_526, 787), (182_138, 18_969)], id="swedish-tables"),
    pytest.param(CLASSIC, [(39, 28), (1_526, 787), (182_138, 18_969)], id="classic"),
    pytest.param(EASY_REENTRY, [(39, 28), (1_526, 787), (182_138, 18_969)], id="easy_reentry"),
    pytest.param(FISKE, [(39, 28), (1_526, 787), (190_880, 23_805)], id="fiske"),
    pytest.param(DOUBLE_SIX, [(40, 29), (1_605, 845), (190_727, 22_006)], id="double_six"),
]


@pytest.mark.parametrize("rules, expected", NUMBERS)
def test_numbers_of_the_first_two_turns(rules: Rules, expected: list[tuple[int, int]]) -> None:
    assert counts(rules, 2) == expected[:2]


@pytest.mark.slow
@pytest.mark.parametrize("rules, expected", [each for each in NUMBERS if each.id in ("vasa", "fiske", "double_six")])
def test_numbers_of_the_first_three_turns(rules: Rules, expected: list[tuple[int, int]]) -> None:
    """Once for each set of numbers; those of the engine are held against the book under every ruleset."""
    assert counts(rules, 3) == expected


@pytest.mark.parametrize("rules", [VASA, CLASSIC, FISKE])
def test_numbers_of_first_rolls(rules: Rules) -> None:
    one_result = [dice for dice in ALL_ROLLS if len(turns(rules, start(rules), dice)) == 1]
    assert one_result == [[3, 3], [4, 4], [6, 6]]
    dice_used = {roll: len(turns(rules, start(rules), [roll, roll])[0]["moves"]) for roll in (4, 6)}
    assert dice_used == {4: 3, 6: 1}


def test_numbers_of_backgammon_first_rolls() -> None:
    book = (
        "21:15 31:16 32:17 41:14 42:18 43:17 51:8 52:8 53:9 54:9 61:10 62:14 63:14 64:14 65:7 "
        "11:42 22:75 33:73 44:52 55:4 66:11"
    )
    expected = {roll: int(number) for roll, number in (word.split(":") for word in book.split())}
    seen = {f"{a}{b}": len(turns(BACKGAMMON, start(BACKGAMMON), [a, b])) for a, b in ALL_ROLLS}
    assert seen == expected


# ----------------------------------------------------------------------------- The reference against itself


OPTIONS = [
    ("vasa", ()),
    ("backgammon", ()),
    *(
        pytest.param(name, options, marks=pytest.mark.slow)
        for name, options in [
            ("classic", ()),
            ("classic", ("easy_reentry",)),
            ("classic", ("double_six",)),
            ("fiske", ()),
            ("backgammon", ("gammons",)),
        ]
    ),
]


def every_walk(rules: Rules, walk: Walk) -> list[Walk]:
    """All rows of moves, none left out because another comes to the same."""
    walks = [walk]
    if not walk.ending:
        for die in sorted(set(walk.dice_left)):
            for move in steps(rules, walk.board, die):
                walks += every_walk(rules, extended(rules, walk, die, move))
    return walks


@pytest.mark.parametrize("name, options", OPTIONS)
def test_turns_and_judge_agree_with_listing_every_line(name: str, options: tuple[str, ...]) -> None:
    rules, rng = with_options(name, options), Random(7)
    for position in positions.random_positions(name, 60, 7, options):
        held = sum(count > 0 for count in position["points"])
        doubles_too = held <= 5  # else the list gets too long
        dice = rng.choice([dice for dice in ALL_ROLLS if doubles_too or dice[0] != dice[1]])
        if rules.double_six and dice == [6, 6]:
            continue  # the six-checker turn is no walk
        walks = every_walk(rules, Walk(board_of(position), all_dice(dice)))
        due = duties(walks)
        whole = [walk for walk in walks if may_stop(rules, walk, due)]

        def key(turn: dict[str, Any]) -> str:
            return str((turn["position"], turn["ending"], turn["points"]))

        legal = turns(rules, position, dice)
        assert len({key(turn) for turn in legal}) == len(legal)
        assert {key(turn) for turn in legal} == {key(result_of(rules, walk)) for walk in whole}
        listed = [[list(move) for move in walk.moves] for walk in whole]
        assert all(judge(rules, position, dice, turn["moves"]) for turn in legal)
        for moves in near_misses(rules, position, dice, rng):
            assert judge(rules, position, dice, moves) is (moves in listed), (position, dice, moves)


@pytest.mark.parametrize("name, options", OPTIONS)
def test_random_positions_are_possible_and_mixed(name: str, options: tuple[str, ...]) -> None:
    rules, rng = with_options(name, options), Random(3)
    seen: Counter[str | None] = Counter()
    for position in positions.random_positions(name, 600, 11, options):
        assert positions.problems(rules, position) == []
        assert flip(rules, flip(rules, position)) == position
        assert position_of(rules, board_of(position)) == position
        legal = turns(rules, position, rng.choice(ALL_ROLLS))
        seen.update({turn["ending"] for turn in legal})
        seen["pass"] += legal[0]["moves"] == []
        seen["bar"] += position["bar"][0] > 1
        seen["long prime"] += positions.has_long_prime(position, rules, 6)
        seen["fourteen off"] += 14 in position["off"]
    assert min(seen[kind] for kind in ("pass", "bar", "long prime", "fourteen off")) > 10
    assert seen["backgammon" if rules.gammons else "bearing_off"]
    if rules.jan:
        assert min(seen["jan"], seen["forced_jan"]) > 2
    if rules.handsome == "at_once":
        assert set(HANDSOME) & set(seen)


@pytest.mark.slow
@pytest.mark.parametrize("rules", [VASA, CLASSIC])
def test_numbers_of_random_play(rules: Rules) -> None:
    rng, games, moved = Random(1), 150, 0
    ends: Counter[str] = Counter()
    for _ in range(games):
        position, ending = start(rules), None
        while ending is None:
            turn = rng.choice(turns(rules, position, positions.roll(rng)))
            position, ending, moved = flip(rules, turn["position"]), turn["ending"], moved + 1
        ends[ending] += 1
    assert 53 < moved / games < 63
    assert ends["jan"] / games > 0.94
