"""Bearing off without contact: turns put together from single dice against those of the engine (B7, G5)."""

from dataclasses import fields, replace
from fractions import Fraction
from itertools import permutations
from math import inf
from random import Random

import numpy as np
import pytest

from arena.analysis.bearing_off import (
    FIRST,
    MOST,
    DieMoves,
    RaceRules,
    moves_of,
    numbers_of,
    pips_left,
    placements,
    turns_to_bear_off,
)
from arena.analysis.races import TABLES, most_left, race_rules, table_for
from arena.games.playing import rolls
from arena.games.tables.board import CHECKERS, OFF, count
from arena.games.tables.game import TablesGame
from arena.games.tables.position import from_counts
from arena.games.tables.ruleset import RULESETS, VASA, Ruleset

EXAMPLES = 100
IRRELEVANT: dict[str, tuple[object, str]] = {
    "name": ("other", "the engine does not read it"),
    "family": ("tables", "there is one"),
    "facing": ("opposite_ways", "the sides have passed each other either way"),
    "start": (((2, 15),), "the game has begun"),
    "opening": ("higher_starts", "the game has begun"),
    "stacking": ("after_head", "in Q4 a point holds any number under all of them"),
    "entry_strikes": ("never", "nobody is on the bar"),
    "last_checker_strikes": (True, "nobody is met"),
    "strikeable_prime": (None, "nobody is met"),
    "handsome": ("after_turn", "takes 15 checkers on the board"),
    "jan": (False, "nobody is hit"),
    "points_forced_jan": (7, "nobody is hit"),
    "points_jan": (7, "nobody is hit"),
    "points_handsome": (7, "takes 15 checkers on the board"),
    "points_bearing_off": (7, "the only way to win"),
    "gammons": (True, "both sides have checkers off"),
    "points_monk": (0, "nobody is on the bar"),
    "points_forfeit": (7, "the game is played to its end"),
    "double_six": (True, "takes six checkers at home"),
    "one_die": (
        True,
        "takes 15 checkers on the board; a side that is bound already is not in the table",
    ),
}
"""The fields that do not decide how a short race is played: another value of each, and why."""


def test_placements_are_numbered_in_order():
    """C(20, 6) of them; all off comes first, and what five checkers can be comes before what only six can."""
    standing = placements(MOST)
    assert len(standing) == 38_760
    assert not standing[0].any()
    assert np.array_equal(numbers_of(standing.T), np.arange(len(standing)))
    assert np.array_equal(standing[:462], placements(5))


def by_single_dice(moves: DieMoves, state: int, roll: tuple[int, int]) -> set[int]:
    """List where the legal turns of a roll lead: those that win, or those with the least waste."""
    found: dict[int, float] = {}

    def play(state: int, dice: tuple[int, ...], waste: float) -> None:
        if not dice or not state:
            found[state] = min(waste, found.get(state, inf))
            return
        for place in range(6):
            if moves.waste[dice[0] - 1, place, state] < inf:
                after = int(moves.after[dice[0] - 1, place, state])
                play(after, dice[1:], waste + moves.waste[dice[0] - 1, place, state])

    for dice in [roll * 2] if roll[0] == roll[1] else permutations(roll):
        play(state, tuple(dice), 0)
    least = min(found.values())
    return {0} if 0 in found else {reached for reached, waste in found.items() if waste == least}


def by_the_engine(game: TablesGame, state: int, roll: tuple[int, int]) -> set[int]:
    """The same as the engine lists it; a turn that wins makes all others pointless."""
    standing = placements(MOST)[state].tolist()
    mine = {FIRST + place: number for place, number in enumerate(standing)} | {
        OFF: CHECKERS - sum(standing)
    }
    theirs = from_counts(
        mine, {24: 2, OFF: CHECKERS - 2}, game.rules.layout
    )  # any opponent that cannot be met
    states, won = game.legal_turns(theirs, roll).states_and_endings()
    return {0} if won else {numbered(state) for state in states}


def numbered(state: int) -> int:
    """The number of what the side in the low half of a packed position has left."""
    return int(numbers_of(np.array([count(state, point) for point in range(FIRST, OFF)])))


def differences(rules: Ruleset, seed: int) -> list[tuple[int, tuple[int, int]]]:
    """Placements and rolls of which single dice make other turns than the engine, of so many drawn by chance."""
    game, chance, most = TablesGame(rules), Random(seed), most_left(rules)
    moves = moves_of(race_rules(rules), most)
    drawn = []
    for _ in range(EXAMPLES):
        points = [
            chance.randrange(chance.choice((1, 3, 6)), 7) - 1
            for _ in range(chance.randint(1, most))
        ]
        drawn.append(
            (int(numbers_of(np.bincount(points, minlength=6))), chance.choice([*rolls(2)]))
        )
    return [one for one in drawn if by_single_dice(moves, *one) != by_the_engine(game, *one)]


@pytest.mark.parametrize("name", RULESETS)
def test_single_dice_make_the_turns_of_the_engine(name):
    assert differences(RULESETS[name], seed=1) == []


def test_every_field_of_a_ruleset_is_known_to_matter_or_not_to():
    """A new field must be named: in `RaceRules`, in `most_left`, or above."""
    assert {field.name for field in fields(Ruleset)} == {
        *RaceRules._fields,
        "longest_prime",
        *IRRELEVANT,
    }


@pytest.mark.parametrize("field", IRRELEVANT)
def test_a_field_that_does_not_matter_changes_no_turn(field):
    changed = replace(VASA, **{field: IRRELEVANT[field][0]})
    assert table_for(changed) is table_for(VASA)
    assert differences(changed, seed=2) == []


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 6])
def test_a_prime_that_is_too_long_is_never_near(limit):
    """B6.1, with as many checkers as `most_left` allows."""
    assert most_left(replace(VASA, longest_prime=limit)) == min(MOST, 2 * limit + 1)
    assert differences(replace(RULESETS["classic"], longest_prime=limit), seed=limit) == []


def fewest_turns(game: TablesGame, state: int, known: dict[int, list[Fraction]]) -> list[Fraction]:
    """Return the chances of a side to be off in 0, 1, 2 ... turns, in the fewest on average, by plain recursion."""
    if state not in known:
        total = [Fraction(0)] * 12
        for roll, share in rolls(2).items():
            found = [fewest_turns(game, after, known) for after in by_the_engine(game, state, roll)]
            best = min(
                found,
                key=lambda chances: sum(turns * chance for turns, chance in enumerate(chances)),
            )
            for turns, chance in enumerate(best[:-1]):
                total[turns + 1] += Fraction(share).limit_denominator(36) * chance
        known[state] = total
    return known[state]


@pytest.mark.parametrize(
    ("name", "checkers"),
    [
        ("vasa", 3),
        ("fiske", 2),
        ("backgammon", 2),
        pytest.param("fiske", 3, marks=pytest.mark.soak),
        pytest.param("backgammon", 3, marks=pytest.mark.soak),
    ],
)
def test_turns_are_as_likely_as_plain_recursion_finds(name, checkers):
    """All placements of up to two or three checkers: 27 or 83 of them that are not off."""
    game, known = TablesGame(RULESETS[name]), {0: [Fraction(1)] + [Fraction(0)] * 11}
    turns = turns_to_bear_off(race_rules(game.rules), MOST)
    for state in range(len(placements(checkers))):
        expected = np.array([float(chance) for chance in fewest_turns(game, state, known)])
        assert np.abs(turns[state, :12] - expected).max() < 1e-6
    assert len(known) == {2: 28, 3: 84}[checkers]


@pytest.mark.parametrize("rules", TABLES.values(), ids=TABLES)
def test_every_side_is_off_in_the_end(rules):
    turns = turns_to_bear_off(rules, MOST)
    assert np.abs(turns.sum(axis=1) - 1).max() < 1e-5
    assert turns[:, -1].max() < 1e-7
    mean = turns @ np.arange(turns.shape[1])
    assert (mean >= pips_left(placements(MOST)) / 24).all()
    assert mean[1] == pytest.approx(1.25)  # one checker on 19
    assert mean[6] == pytest.approx(1)  # one on 24
