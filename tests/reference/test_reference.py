"""The reference against a still plainer way of asking it; its counts are those of tests/games/test_counts.py."""

from collections import Counter
from random import Random
from typing import Any

import pytest

from tests.reference import positions, tables
from tests.reference.boards import HANDSOME, Rules, board_of, position_of
from tests.reference.near_misses import near_misses

ALL_ROLLS = [[high, low] for high in range(1, 7) for low in range(1, high + 1)]


OPTIONS = [
    ("vasa", ()),
    *(
        pytest.param(name, (), marks=pytest.mark.soak)
        for name in ("classic", "fiske", "backgammon")
    ),
    *(
        pytest.param(name, (option,), marks=pytest.mark.soak)
        for name, option in (
            ("classic", "easy_reentry"),
            ("classic", "double_six"),
            ("backgammon", "no_gammons"),
        )
    ),
]


def every_walk(rules: Rules, walk: tables.Walk) -> list[tables.Walk]:
    """All rows of moves, none left out because another comes to the same."""
    walks = [walk]
    if not walk.ending:
        for die in sorted(set(walk.dice_left)):
            for move in tables.steps(rules, walk.board, die):
                walks += every_walk(rules, tables.extended(rules, walk, die, move))
    return walks


@pytest.mark.parametrize("name, options", OPTIONS)
def test_turns_and_judge_agree_with_listing_every_line(name: str, options: tuple[str, ...]) -> None:
    rules, rng = tables.with_options(name, options), Random(7)
    for position in positions.random_positions(name, 30, 7, options):
        held = sum(count > 0 for count in position["points"])
        doubles_too = held <= 5  # else the list gets too long
        dice = rng.choice([dice for dice in ALL_ROLLS if doubles_too or dice[0] != dice[1]])
        if rules.double_six and dice == [6, 6]:
            continue  # the six-checker turn is no walk
        walks = every_walk(rules, tables.Walk(board_of(position), tables.all_dice(dice)))
        due = tables.duties(walks)
        whole = [walk for walk in walks if tables.may_stop(rules, walk, due)]

        def key(turn: dict[str, Any]) -> str:
            return str((turn["position"], turn["ending"], turn["points"]))

        legal = tables.turns(rules, position, dice)
        assert len({key(turn) for turn in legal}) == len(legal)
        assert {key(turn) for turn in legal} == {
            key(tables.result_of(rules, walk)) for walk in whole
        }
        listed = [[list(move) for move in walk.moves] for walk in whole]
        assert all(tables.judge(rules, position, dice, turn["moves"]) for turn in legal)
        for moves in near_misses(rules, position, dice, rng):
            assert tables.judge(rules, position, dice, moves) is (moves in listed), (
                position,
                dice,
                moves,
            )


@pytest.mark.parametrize("name, options", OPTIONS)
def test_random_positions_are_possible_and_mixed(name: str, options: tuple[str, ...]) -> None:
    rules, rng = tables.with_options(name, options), Random(3)
    seen: Counter[str | None] = Counter()
    for position in positions.random_positions(name, 300, 11, options):
        assert positions.problems(rules, position) == []
        assert tables.flip(rules, tables.flip(rules, position)) == position
        assert position_of(rules, board_of(position)) == position
        legal = tables.turns(rules, position, rng.choice(ALL_ROLLS))
        seen.update({turn["ending"] for turn in legal})
        seen["pass"] += legal[0]["moves"] == []
        seen["bar"] += position["bar"][0] > 1
        seen["long prime"] += positions.has_long_prime(position, rules, 6)
        seen["fourteen off"] += 14 in position["off"]
    assert min(seen[kind] for kind in ("pass", "bar", "long prime", "fourteen off")) > 5
    assert seen["backgammon" if rules.gammons else "bearing_off"]
    if rules.jan:
        assert min(seen["jan"], seen["forced_jan"]) > 1
    if rules.handsome == "at_once":
        assert set(HANDSOME) & set(seen)
