"""The numbers of the rule book, which guard the engine against its own speed-ups."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from arena.games import Game, load_game, ruleset_names
from arena.games.counting import count_first_rolls, count_tree
from tests.games.boards import CLASSIC, EASY_REENTRY, FISKE, VASA, in_both

ALL_ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
BRADE = [(39, 28), (1_526, 787), (182_138, 18_969)]
FISKE_COUNTS = [(39, 28), (1_526, 787), (190_880, 23_805)]
GAMES = [VASA, CLASSIC, EASY_REENTRY] + [load_game(name) for name in ruleset_names() if name == "swedish-tables"]
by_name = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


def counts(game: Game, depth: int) -> list[tuple[int, int]]:
    """Leaves, transpositions counted each time, and different positions, after each turn of the tree of all rolls."""
    level: Counter[Any] = Counter([game.start()])
    found = []
    for _ in range(depth):
        following: Counter[Any] = Counter()
        for position, times in level.items():
            for roll in ALL_ROLLS:
                for turn in game.legal_turns(position, roll):
                    assert turn.ending is None, "no game ends so soon"
                    following[game.flip(turn.position)] += times
        level = following
        found.append((level.total(), len(level)))
    return found


@by_name
def test_tree_of_the_first_turns(game):
    """39, 1,526 and 182,138 leaves, and 28, 787 and 18,969 positions, after one, two and three turns."""
    assert counts(game, 3) == BRADE


def test_tree_of_the_first_turns_in_fiske():
    """In fiske the unlocking is part of the position, which shows after three turns."""
    assert counts(FISKE, 3) == FISKE_COUNTS


@pytest.mark.parametrize("name", ["brandubh-1", "brandubh-2"])
def test_tree_of_the_first_moves_of_brandubh(name):
    """40, 960 and 39,512 leaves, as `arena rules count` finds them."""
    levels = list(count_tree(load_game(name), 3))
    assert [(level.depth, level.leaves) for level in levels] == [(1, 40), (2, 960), (3, 39_512)]
    assert count_first_rolls(load_game(name)) == {(): 40}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["brandubh-1", "brandubh-2"])
def test_tree_of_the_first_five_moves_of_brandubh(name):
    """1,007,392 and 41,843,336 leaves after four and five moves."""
    *_, four, five = count_tree(load_game(name), 5)
    assert (four.leaves, five.leaves) == (1_007_392, 41_843_336)


@in_both
def test_first_rolls(game):
    """At the start 6-6, 4-4 and 3-3 have one result each, all other rolls two."""
    number = {roll: len(game.legal_turns(game.start(), roll)) for roll in ALL_ROLLS}
    assert {roll for roll, results in number.items() if results == 1} == {(6, 6), (4, 4), (3, 3)}
    assert set(number.values()) == {1, 2}


@in_both
@pytest.mark.parametrize(("roll", "dice_used"), [((6, 6), 1), ((4, 4), 3)], ids=["6-6", "4-4"])
def test_dice_used_of_first_doubles(game, roll, dice_used):
    """Of 6-6 a single six can be used at the start, of 4-4 three fours."""
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
