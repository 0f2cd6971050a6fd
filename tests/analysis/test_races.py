"""Races near their end: tables against plain recursion over the engine, and the rulesets they fit (B7, G5)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner

from arena.analysis import best, evaluator_named, read_evaluator, shipped_rulesets
from arena.analysis.arrays import counts_of
from arena.analysis.bearing_off import FIRST, placements
from arena.analysis.evaluator import Evaluator, Way, new_evaluator
from arena.analysis.files import write_evaluator
from arena.analysis.headed_files import SHIPPED, EvaluatorError
from arena.analysis.races import (
    CERTAIN,
    LEFT,
    PINNED,
    SUFFIX,
    TABLES,
    RaceTable,
    read_table,
    table_for,
    write_table,
)
from arena.games import load_game
from arena.games.playing import rolls
from arena.games.tables.board import CHECKERS, OFF, count
from arena.games.tables.game import TablesGame
from arena.games.tables.position import from_counts, from_state, swapped
from arena.games.tables.ruleset import OPTIONS, RULESETS, VASA, Ruleset
from arena.lab.races import main, make_table, win_chances

GAMES = {name: TablesGame(rules) for name, rules in RULESETS.items()}


class PlainRaces:
    """Races under one ruleset: the whole position goes to the engine, and nothing is rounded."""

    def __init__(self, game: TablesGame) -> None:
        self.game = game
        self.known: dict[int, Fraction] = {}

    def chance(self, state: int) -> Fraction:
        """How likely the side about to roll, in the low half, wins; both sides play to win."""
        if state not in self.known:
            position = from_state(state, self.game.rules.layout)
            total = Fraction(0)
            for roll in rolls(2):
                results = self.game.legal_turns(position, roll).results()
                best = max(
                    Fraction(1) if ending else 1 - self.chance(swapped(after))
                    for after, ending in results
                )
                total += Fraction(1 if roll[0] == roll[1] else 2, 36) * best
            self.known[state] = total
        return self.known[state]


def state_of(game: TablesGame, mine: tuple[int, ...], theirs: tuple[int, ...]) -> int:
    """A position from the checkers of both sides on 19 to 24, mine in the low half."""
    return from_counts(_counts(mine), _counts(theirs), game.rules.layout).state


def races(game: TablesGame, checkers: int) -> Iterator[int]:
    """Every race in which each side has between one and so many checkers left."""
    standing = [tuple(placement) for placement in placements(checkers)[1:].tolist()]
    for mine in standing:
        for theirs in standing:
            yield state_of(game, mine, theirs)


def _counts(placement: tuple[int, ...]) -> dict[int, int]:
    return {FIRST + place: number for place, number in enumerate(placement)} | {
        OFF: CHECKERS - sum(placement)
    }


PLAYED_APART = ("vasa", "fiske", "backgammon")
"""Rulesets of which each plays its races in another way; in the others they are those of one of
these."""
EXACT = 1e-5
"""How far the chances of a table may be from the truth."""

FEW_PIPS = [
    ((0, 0, 0, 0, 0, 5), (0, 0, 0, 0, 1, 4)),
    ((0, 0, 0, 1, 0, 4), (0, 0, 0, 0, 2, 3)),
    ((0, 0, 1, 0, 1, 3), (0, 0, 0, 1, 1, 3)),
    ((0, 1, 0, 0, 1, 3), (0, 0, 1, 1, 0, 3)),
]
"""Both sides have five checkers, most of them nearly off."""


def differences(game: TablesGame, table: RaceTable, states: list[int]) -> float:
    """How far the table is from the truth, at most; each state has the side about to roll in its low half."""
    plain = PlainRaces(game)
    counts = counts_of([swapped(state) for state in states])
    assert table.covers(counts).all()
    return max(
        abs(float(found) - float(plain.chance(state)))
        for found, state in zip(table.chances(counts), states, strict=True)
    )


@pytest.mark.parametrize(
    "name",
    [
        name if name in PLAYED_APART else pytest.param(name, marks=pytest.mark.soak)
        for name in RULESETS
    ],
)
def test_two_checkers_a_side_are_worth_what_plain_recursion_finds(name):
    """All 729 pairs in which neither side is off, under every ruleset of the rule book, by the shipped table."""
    table = table_for(RULESETS[name])
    assert table is not None
    assert differences(GAMES[name], table, list(races(GAMES[name], 2))) < EXACT


@pytest.mark.soak  # the engine plays 140,000 rolls under each
@pytest.mark.parametrize("name", PLAYED_APART)
def test_three_checkers_a_side_are_worth_what_plain_recursion_finds(name):
    table = table_for(RULESETS[name])
    assert table is not None
    assert differences(GAMES[name], table, list(races(GAMES[name], 3))) < EXACT


@pytest.mark.parametrize("name", PLAYED_APART)
def test_five_checkers_near_the_end_are_worth_what_plain_recursion_finds(name):
    game, table = GAMES[name], table_for(RULESETS[name])
    assert table is not None
    states = [
        state_of(game, *sides) for one, other in FEW_PIPS for sides in ((one, other), (other, one))
    ]
    assert differences(game, table, states) < EXACT


def test_rounding_is_all_that_a_table_loses():
    """Half of a step of its 16-bit numbers."""
    for name, rules in TABLES.items():
        exact = win_chances(rules, 3)
        assert (
            np.abs(make_table(name, rules, 3).values / CERTAIN - exact).max()
            <= 0.5 / CERTAIN + 1e-12
        )


@pytest.mark.parametrize("name", PLAYED_APART)
def test_a_longer_race_is_as_good_as_known(name):
    """By the chances of turns, what is known exactly is wrong by 0.02 at most, and by 0.002 on average."""
    table = table_for(RULESETS[name])
    short = [placement for placement in placements(LEFT).tolist() if any(placement)]
    sides = [(one, other) for one in short[::3] for other in short[::5]]
    counts = counts_of([swapped(state_of(GAMES[name], *both)) for both in sides])
    found = replace(table, checkers=0).chances(counts)
    assert 0 <= found.min() <= found.max() <= 1, (
        "a training that goes on refuses what is no probability"
    )
    wrong = np.abs(found - table.chances(counts))
    assert wrong.max() < 0.02
    assert wrong.mean() < 0.002


def test_races_of_one_batch_are_looked_up_each_in_its_table():
    """Short and long ones alternate."""
    table = table_for(VASA)
    sides = [
        ((0, 0, 0, 0, 0, 1), (0, 0, 0, 0, 0, 1)),
        ((14, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 14)),
    ] * 2
    counts = counts_of([swapped(state_of(GAMES["vasa"], *both)) for both in sides])
    assert table.covers(counts).all()
    found = table.chances(counts)
    assert found[[0, 2]].tolist() == [1, 1]
    assert found[1] == found[3] < 0.01


# Rulesets


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *((name, ()) for name in RULESETS),
        *((name, (option,)) for name in OPTIONS for option in OPTIONS[name]),
    ],
)
def test_every_ruleset_of_the_rule_book_has_a_table(name, options):
    table = table_for(load_game(name, options).rules)
    assert table is not None
    assert table.rules.bearing_off == RULESETS[name].bearing_off


def test_a_limit_of_closed_points_limits_the_checkers():
    """B6.1: with twelve checkers a side could close the six points of Q4."""
    assert table_for(RULESETS["fiske"]).most == 14
    assert table_for(RULESETS["classic"]).most == 11
    assert not table_for(RULESETS["fiske"]).fits(RULESETS["classic"])
    two, one = (replace(VASA, longest_prime=limit) for limit in (2, 1))
    assert table_for(two).most == LEFT
    assert table_for(one) is None


@pytest.mark.parametrize(
    "changes", [{"least_waste": False}, {"winning_turn_is_exempt": False}, {"bearing_off": "any"}]
)
def test_a_house_ruleset_with_other_rules_for_bearing_off_has_no_table(changes):
    assert table_for(replace(VASA, **changes)) is None


# The shipped files


@pytest.mark.soak
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
    assert (
        "not as pinned in arena/analysis/races.py: races-rearmost, races-any, races-exact"
        in done.stderr
    )


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
        ("format", 1, "has format 1; this version reads format 2"),
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


# An evaluator asks the table for what it covers, and its networks for all else

RACES = {
    "24:1 | opp 24:1": 1,
    "19:5 | opp 19:5": 5,
    "19:1 20:1 24:3 | opp 22:2": 5,
    "19:6 | opp 19:5": 6,
    "19:5 | opp 21:11": 11,
    "19:14 | opp 19:3 20:4 23:7": 14,
    "19:15 | opp 19:5": None,
    "18:1 24:2 | opp 24:1": None,
    "24:1 | opp 18:1 24:2": None,
    "24:4 bar:1 | opp 24:1": None,
    "1:1 24:1 | opp 24:1": None,
    "19:15 | opp 24:15": None,
    "1:15 | opp 1:15": None,
}
"""Literals in which each side's numbers are its own, and the checkers that a table must know to
cover them, if any."""


def is_covered(name: str, literal: str) -> bool:
    """Return what the table of a ruleset should say of one of `RACES`."""
    needed = RACES[literal]
    return needed is not None and needed <= table_for(RULESETS[name]).most


def untrained(rules: Ruleset) -> Evaluator:
    """Random networks, and the table that fits."""
    return replace(new_evaluator("untrained", rules, [8], seed=1), table=table_for(rules))


def state(name: str, literal: str) -> int:
    """A position of `RACES` under a ruleset: checkers that are not named are off."""
    mine, theirs = (
        {
            0 if point == "bar" else int(point): int(number)
            for point, number in (word.split(":") for word in words)
        }
        for words in (side.split() for side in literal.split(" | opp "))
    )
    sides = [counts | {OFF: CHECKERS - sum(counts.values())} for counts in (mine, theirs)]
    return from_counts(*sides, GAMES[name].rules.layout).state


@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.parametrize("literal", RACES)
def test_the_table_covers_races_in_q4(name, literal):
    table = table_for(RULESETS[name])
    assert table is not None
    assert table.covers(counts_of([state(name, literal)])).tolist() == [is_covered(name, literal)]


def test_what_a_ruleset_remembers_besides_checkers():
    """B4.3 [F]: having landed on the head changes nothing in Q4. B11.3: rolling single dice does."""
    fiske, one_die = GAMES["fiske"], load_game("classic", ["one_die"])
    free = fiske.parse_position("19:2 unlocked | opp 7:2 unlocked")
    assert table_for(fiske.rules).covers(counts_of([free.state])).tolist() == [True]
    for literal in ("19:2 one-die:3 | opp 7:2", "19:2 | opp 7:2 one-die:3"):
        bound = one_die.parse_position(literal)
        assert table_for(one_die.rules).covers(counts_of([bound.state])).tolist() == [False]


@pytest.mark.parametrize("name", RULESETS)
def test_each_position_of_a_batch_goes_to_its_phase(name):
    """Races with an open gammon have a table of their own: test_race_turns.py."""
    evaluator = untrained(replace(RULESETS[name], gammons=False))
    literals = [*RACES, *reversed(RACES)]
    states = [state(name, literal) for literal in literals]
    found = evaluator.probabilities(states)
    networks = replace(evaluator, table=None).probabilities(states)
    assert np.allclose(found.sum(axis=1), 1)
    covered = np.array([is_covered(name, literal) for literal in literals])
    assert np.allclose(found[~covered], networks[~covered], atol=1e-6)
    chances = evaluator.table.chances(counts_of(states)[..., covered])
    place, half = evaluator.ways.index(Way("bearing_off", monk=False)), len(evaluator.ways)
    assert np.allclose(found[covered][:, half + place], chances)
    assert np.allclose(found[covered][:, place], 1 - chances)
    assert np.allclose(evaluator.points(states)[covered], 1 - 2 * chances, atol=1e-6)


def test_what_was_trained_with_gammons_judges_races_without():
    long_race = [state("backgammon", "13:5 18:10 | opp 13:5 18:10")]
    trained = untrained(load_game("backgammon").rules)
    plain = trained.under(load_game("backgammon", ["no_gammons"]).rules)
    assert plain.probabilities(long_race).tolist() == trained.probabilities(long_race).tolist()
    wins = plain.probabilities(long_race)[0]
    assert plain.points(long_race) == pytest.approx([wins[:3].sum() - wins[3:].sum()], abs=1e-6)


def test_the_best_turn_of_a_race_is_found():
    """B7.6, the rule book's example: [V] must bear two off; [C] may choose, and bears two off."""
    for name in ("vasa", "classic"):
        game = GAMES[name]
        position = game.parse_position("20:1 24:3 off:11 | opp 12:3")
        choice = best(game, untrained(game.rules), position, (6, 4))
        assert count(game.legal_turns(position, (6, 4))[choice.place].position.state, OFF) == 13


# Who has a table


def test_evaluators_of_files_have_a_table(tmp_path):
    for name, rulesets in shipped_rulesets().items():
        assert evaluator_named(name).table is table_for(rulesets[0])
    path = tmp_path / "mine.weights"
    write_evaluator(
        new_evaluator("mine", RULESETS["backgammon"], [8], seed=1), [RULESETS["backgammon"]], path
    )
    assert read_evaluator(path).table.name == "races-exact"


def test_an_evaluator_in_training_has_none():
    """Otherwise weights would depend on the table, and the network would not learn races to their end."""
    evaluator = new_evaluator("new", VASA, [8], seed=1)  # as `Training` makes it
    assert evaluator.table is None
    assert evaluator.under(RULESETS["swedish-tables"]).table is None


def test_another_ruleset_keeps_the_table_if_it_fits():
    evaluator = untrained(VASA)
    assert evaluator.under(replace(VASA, points_jan=5)).table is evaluator.table
    assert evaluator.under(replace(VASA, least_waste=False)).table is None
