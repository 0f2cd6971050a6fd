"""The tables of short races: against plain recursion over the engine, and the rulesets they fit (B7, G5)."""

from __future__ import annotations

import json
from dataclasses import fields, replace

import numpy as np
import pytest
from click.testing import CliRunner

from arena.analysis.arrays import counts_of
from arena.analysis.headed_files import SHIPPED, EvaluatorError
from arena.analysis.races import (
    CERTAIN,
    LEFT,
    PINNED,
    SUFFIX,
    TABLES,
    RaceRules,
    RaceTable,
    pips_of,
    placements,
    read_table,
    table_for,
    write_table,
)
from arena.games import load_game
from arena.games.tables.game import TablesGame
from arena.games.tables.position import swapped
from arena.games.tables.ruleset import OPTIONS, RULESETS, VASA, Ruleset
from arena.lab.races import main, make_table, win_chances
from tests.analysis.race_positions import GAMES, PlainRaces, races, state_of

EXACT = 1e-5
"""How far the chances of a table may be from the truth."""

FEW_PIPS = [
    ((0, 0, 0, 0, 0, 5), (0, 0, 0, 0, 1, 4)),
    ((0, 0, 0, 1, 0, 4), (0, 0, 0, 0, 2, 3)),
    ((0, 0, 1, 0, 1, 3), (0, 0, 0, 1, 1, 3)),
    ((0, 1, 0, 0, 1, 3), (0, 0, 1, 1, 0, 3)),
]
"""Both sides have five checkers, most of them nearly off."""

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
    "one_die": (True, "takes 15 checkers on the board; a side that is bound already is not in the table"),
}
"""The fields that do not decide how a short race is played: another value of each, and why."""


def differences(game: TablesGame, table: RaceTable, states: list[int]) -> float:
    """How far the table is from the truth, at most; each state has the side about to roll in its low half."""
    plain = PlainRaces(game)
    counts = counts_of([swapped(state) for state in states])
    assert table.covers(counts).all()
    return max(
        abs(float(found) - float(plain.chance(state)))
        for found, state in zip(table.chances(counts), states, strict=True)
    )


@pytest.mark.parametrize("name", RULESETS)
def test_two_checkers_a_side_are_worth_what_plain_recursion_finds(name):
    """All 729 pairs in which neither side is off, under every ruleset of the rule book, by the shipped table."""
    table = table_for(RULESETS[name])
    assert table is not None
    assert differences(GAMES[name], table, list(races(GAMES[name], 2))) < EXACT


@pytest.mark.soak  # the engine plays 140,000 rolls under each
@pytest.mark.parametrize("name", ["vasa", "fiske", "backgammon"])
def test_three_checkers_a_side_are_worth_what_plain_recursion_finds(name):
    table = table_for(RULESETS[name])
    assert table is not None
    assert differences(GAMES[name], table, list(races(GAMES[name], 3))) < EXACT


@pytest.mark.parametrize("name", ["vasa", "fiske", "backgammon"])
def test_five_checkers_near_the_end_are_worth_what_plain_recursion_finds(name):
    game, table = GAMES[name], table_for(RULESETS[name])
    assert table is not None
    states = [state_of(game, *sides) for one, other in FEW_PIPS for sides in ((one, other), (other, one))]
    assert differences(game, table, states) < EXACT


def test_rounding_is_all_that_a_table_loses():
    """Half of a step of its 16-bit numbers."""
    for name, rules in TABLES.items():
        game = GAMES[next(ruleset for ruleset, game in GAMES.items() if table_for(game.rules).rules == rules)]
        exact = win_chances(game, 3)
        assert np.abs(make_table(name, rules, 3).values / CERTAIN - exact).max() <= 0.5 / CERTAIN + 1e-12


def test_placements_are_numbered_by_pips():
    """C(11, 5) of them; all off comes first."""
    standing = placements(LEFT)
    assert len(standing) == 462
    assert standing[0] == (0,) * 6
    assert sorted(standing, key=pips_of) == list(standing)


# Rulesets


@pytest.mark.parametrize(
    ("name", "options"),
    [*((name, ()) for name in RULESETS), *((name, (option,)) for name in OPTIONS for option in OPTIONS[name])],
)
def test_every_ruleset_of_the_rule_book_has_a_table(name, options):
    table = table_for(load_game(name, options).rules)
    assert table is not None
    assert table.rules.bearing_off == RULESETS[name].bearing_off


def test_every_field_of_a_ruleset_is_known_to_matter_or_not_to():
    """A new field must be named: in `RaceRules`, in `fits`, or above."""
    assert {field.name for field in fields(Ruleset)} == {*RaceRules._fields, "longest_prime", *IRRELEVANT}


@pytest.mark.parametrize("field", IRRELEVANT)
def test_a_field_that_does_not_matter_changes_no_race(field):
    changed = replace(VASA, **{field: IRRELEVANT[field][0]})
    assert table_for(changed) is table_for(VASA)
    assert np.array_equal(win_chances(TablesGame(changed), 3), win_chances(GAMES["vasa"], 3))


def test_a_limit_of_two_closed_points_is_never_reached_by_five_checkers():
    two, one = (replace(VASA, longest_prime=limit) for limit in (2, 1))
    assert table_for(two) is table_for(VASA)
    assert table_for(one) is None
    assert np.array_equal(win_chances(TablesGame(two), 5), win_chances(GAMES["vasa"], 5))


@pytest.mark.parametrize("changes", [{"least_waste": False}, {"winning_turn_is_exempt": False}, {"bearing_off": "any"}])
def test_a_house_ruleset_with_other_rules_for_bearing_off_has_no_table(changes):
    assert table_for(replace(VASA, **changes)) is None


# The shipped files


@pytest.mark.slow
def test_the_command_makes_the_shipped_files(tmp_path):
    done = CliRunner().invoke(main, ["--folder", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert PINNED.keys() == TABLES.keys()
    for name in TABLES:
        assert (tmp_path / (name + SUFFIX)).read_bytes() == (SHIPPED / (name + SUFFIX)).read_bytes()
        assert PINNED[name] in done.stdout


def test_the_command_says_when_a_file_is_not_as_pinned(tmp_path, monkeypatch):
    """If the rules or the format change, the hash must be pinned anew."""
    monkeypatch.setattr("arena.analysis.races.LEFT", 2)
    done = CliRunner().invoke(main, ["--folder", str(tmp_path)])
    assert done.exit_code == 1
    assert "not as pinned in arena/analysis/races.py: races-rearmost, races-any, races-exact" in done.stderr


# Files of tables that cannot be used say so in one sentence, and how to mend it


@pytest.fixture
def small(tmp_path):
    """A table of its own name with up to two checkers a side."""
    path = tmp_path / "small.table"
    write_table(make_table("small", TABLES["races-any"], 2), path)
    return path


def test_what_is_written_is_read(small):
    read, made = read_table(small), make_table("small", TABLES["races-any"], 2)
    assert (read.name, read.rules, read.checkers) == (made.name, made.rules, made.checkers)
    assert np.array_equal(read.values, made.values)


def test_a_shipped_file_with_one_bit_changed(tmp_path):
    content = bytearray((SHIPPED / "races-exact.table").read_bytes())
    content[-1000] ^= 1
    (tmp_path / "races-exact.table").write_bytes(content)
    with pytest.raises(EvaluatorError, match="is not races-exact: its SHA-256 is"):
        read_table(tmp_path / "races-exact.table")


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("format", 2, "has format 2; this version reads format 1"),
        ("format", True, r"its first line cannot be read \(Expected `int`, got `bool`"),
        ("checkers", 6, r"its first line cannot be read \(Expected `int` <= 5"),
        ("checkers", "many", "its first line cannot be read"),
        ("checkers", 1, "is damaged: 1,568 bytes of numbers, expected 98"),
        ("rules", {"bearing_off": "any"}, "no race is played by the rules {'bearing_off': 'any'}"),
        ("rules", ["any"], "its first line cannot be read"),
    ],
)
def test_a_first_line_of_something_else(small, field, value, problem):
    line, _, values = small.read_bytes().partition(b"\n")
    small.write_bytes(json.dumps(json.loads(line) | {field: value}).encode() + b"\n" + values)
    with pytest.raises(EvaluatorError, match=problem):
        read_table(small)
