"""The numbers of the rule book, which guard the engine against its own speed-ups."""

from collections import Counter
from random import Random
from typing import Any

import pytest

from arena.games import Game, load_game, option_names, ruleset_names
from arena.games.playing import count_first_rolls, count_tree
from tests.fixtures.drawn_boards import (
    BACKGAMMON,
    CLASSIC,
    DOUBLE_SIX,
    EASY_REENTRY,
    FISKE,
    NO_GAMMONS,
    ONE_DIE,
    VASA,
    in_both,
)
from tests.reference import brandubh

ALL_ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
BRADE = [(39, 28), (1_526, 787), (182_138, 18_969)]
UNLOCKING = [(39, 28), (1_526, 787), (190_880, 23_805)]
SIX_CHECKERS = [(40, 29), (1_605, 845), (190_727, 22_006)]
TREES = {
    VASA: BRADE,
    CLASSIC: BRADE,
    load_game("swedish-tables"): BRADE,
    EASY_REENTRY: BRADE,
    ONE_DIE: BRADE,
    FISKE: UNLOCKING,
    DOUBLE_SIX: SIX_CHECKERS,
    load_game("classic", ["double_six", "easy_reentry", "one_die"]): SIX_CHECKERS,
}
FIRST_ROLLS_OF_BACKGAMMON = (
    "21:15 31:16 32:17 41:14 42:18 43:17 51:8 52:8 53:9 54:9 61:10 62:14 63:14 64:14 65:7 "
    "11:42 22:75 33:73 44:52 55:4 66:11"
)


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        pytest.param(
            game,
            expected,
            id=game.name,
            marks=[] if game in (VASA, FISKE, DOUBLE_SIX) else [pytest.mark.soak],
        )
        for game, expected in TREES.items()
    ],
)
def test_tree_of_the_first_turns(game, expected):
    """Leaves and positions after one, two and three turns; the unlocking of fiske shows after three of them."""
    assert [(level.leaves, level.distinct) for level in count_tree(game, 3)] == expected


def test_every_brade_ruleset_and_every_option_has_its_numbers():
    """Those of backgammon and of Brandubh are other ones."""
    named = {word for game in TREES for word in game.name.split("+")}
    known = {
        *ruleset_names(),
        *(option for name in ruleset_names() for option in option_names(name)),
    }
    assert named == known - {"backgammon", "no_gammons", "brandubh-1", "brandubh-2"}


@pytest.mark.parametrize("game", [BACKGAMMON, NO_GAMMONS], ids=lambda game: game.name)
def test_first_rolls_of_backgammon(game):
    expected = {
        (int(word[0]), int(word[1])): int(word[3:]) for word in FIRST_ROLLS_OF_BACKGAMMON.split()
    }
    assert {roll: len(game.legal_turns(game.start(), roll)) for roll in ALL_ROLLS} == expected
    assert count_first_rolls(game) == {
        tuple(sorted(roll)): number for roll, number in expected.items()
    }


def leaves(game: Game, position: Any, depth: int) -> int:
    """The lines of so many moves; a line that ends earlier is none."""
    turns = game.legal_turns(position, ())
    if depth == 1:
        return len(turns)
    return sum(
        leaves(game, game.flip(turn.position), depth - 1) for turn in turns if turn.ending is None
    )


@pytest.mark.parametrize("name", ["brandubh-1", "brandubh-2"])
def test_tree_of_the_first_moves_of_brandubh(name):
    game = load_game(name)
    assert [level.leaves for level in count_tree(game, 3)] == [40, 960, 39_512]
    assert count_first_rolls(game) == {(): 40}


@pytest.mark.parametrize(
    ("name", "depth", "expected"),
    [
        ("brandubh-1", 4, 1_007_392),
        pytest.param("brandubh-2", 4, 1_007_392, marks=pytest.mark.soak),
        pytest.param("brandubh-1", 5, 41_843_336, marks=pytest.mark.soak),
        pytest.param("brandubh-2", 5, 41_843_336, marks=pytest.mark.soak),
    ],
)
def test_lines_of_brandubh_more_moves_deep(name, depth, expected):
    assert leaves(load_game(name), load_game(name).start(), depth) == expected


@pytest.mark.parametrize("version", brandubh.VERSIONS)
def test_the_reference_counts_the_same_in_brandubh(version):
    """The second opinion agrees with the rule book before it is asked about anything else."""
    assert [brandubh.perft(brandubh.start(version), depth) for depth in (1, 2)] == [40, 960]


@pytest.mark.parametrize("game", TREES, ids=lambda game: game.name)
def test_first_rolls_have_two_results_but_for_some_doubles(game):
    """At the start 6-6, 4-4 and 3-3 have one result each, but 6-6 two with double_six; all other rolls two."""
    number = {roll: len(game.legal_turns(game.start(), roll)) for roll in ALL_ROLLS}
    alone = {(4, 4), (3, 3)} if game.ruleset["double_six"] else {(6, 6), (4, 4), (3, 3)}
    assert {roll for roll, results in number.items() if results == 1} == alone
    assert set(number.values()) == {1, 2}


@in_both
@pytest.mark.parametrize(("roll", "dice_used"), [((6, 6), 1), ((4, 4), 3)], ids=["6-6", "4-4"])
def test_dice_used_of_first_doubles(game, roll, dice_used):
    assert len(game.legal_turns(game.start(), roll).moves(0)) == dice_used


@pytest.mark.slow
@in_both
def test_uniform_random_play(game):
    """Picking evenly among the results: 58 turns a game, most of them jan, and the side that begins wins half."""
    rng, games = Random(20_240_501), 600
    turns, endings, won_by_the_starter = 0, Counter(), 0
    for _ in range(games):
        position, ending, number = game.start(), None, 0
        while ending is None:
            legal = game.legal_turns(position, (rng.randint(1, 6), rng.randint(1, 6)))
            turn = legal[rng.randrange(len(legal))]
            position, ending, number = game.flip(turn.position), turn.ending, number + 1
        endings[ending.name] += 1
        turns += number
        won_by_the_starter += number % 2
    assert 52 <= turns / games <= 64
    assert 0.94 <= endings["jan"] / games <= 0.999
    assert 0.002 <= endings["forced_jan"] / games <= 0.04
    assert endings["bearing_off"] / games <= 0.02
    assert 0.43 <= won_by_the_starter / games <= 0.55
