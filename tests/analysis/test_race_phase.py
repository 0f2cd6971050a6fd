"""An evaluator asks the table of short races for what it covers, and its networks for all else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arena.analysis import best, evaluator_named, read_evaluator, shipped
from arena.analysis.arrays import counts_of
from arena.analysis.evaluator import Evaluator, Way, new_evaluator
from arena.analysis.files import write_evaluator
from arena.analysis.races import table_for
from arena.games import load_game
from arena.games.tables.board import CHECKERS, OFF, count
from arena.games.tables.position import from_counts
from arena.games.tables.ruleset import RULESETS, VASA, Ruleset
from tests.analysis.race_positions import GAMES

RACES = {
    "24:1 | opp 24:1": True,
    "19:5 | opp 19:5": True,
    "19:1 20:1 24:3 | opp 22:2": True,
    "19:6 | opp 19:5": False,
    "19:5 | opp 19:6": False,
    "18:1 24:2 | opp 24:1": False,
    "24:1 | opp 18:1 24:2": False,
    "24:4 bar:1 | opp 24:1": False,
    "1:1 24:1 | opp 24:1": False,
    "19:15 | opp 24:15": False,
    "1:15 | opp 1:15": False,
}
"""Literals in which each side's numbers are its own, and whether the table covers them."""


def untrained(rules: Ruleset) -> Evaluator:
    """Random networks, and the table that fits."""
    return replace(new_evaluator("untrained", rules, [8], seed=1), table=table_for(rules))


def state(name: str, literal: str) -> int:
    """A position of `RACES` under a ruleset: checkers that are not named are off."""
    mine, theirs = (
        {0 if point == "bar" else int(point): int(number) for point, number in (word.split(":") for word in words)}
        for words in (side.split() for side in literal.split(" | opp "))
    )
    sides = [counts | {OFF: CHECKERS - sum(counts.values())} for counts in (mine, theirs)]
    return from_counts(*sides, GAMES[name].rules.layout).state


@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.parametrize("literal", RACES)
def test_the_table_covers_short_races_in_q4(name, literal):
    table = table_for(RULESETS[name])
    assert table is not None
    assert table.covers(counts_of([state(name, literal)])).tolist() == [RACES[literal]]


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
    evaluator = untrained(RULESETS[name])
    literals = [*RACES, *reversed(RACES)]
    states = [state(name, literal) for literal in literals]
    found = evaluator.probabilities(states)
    networks = replace(evaluator, table=None).probabilities(states)
    assert np.allclose(found.sum(axis=1), 1)
    covered = np.array([RACES[literal] for literal in literals])
    assert np.allclose(found[~covered], networks[~covered], atol=1e-6)
    chances = evaluator.table.chances(counts_of(states)[covered])
    place, half = evaluator.ways.index(Way("bearing_off", monk=False)), len(evaluator.ways)
    assert np.allclose(found[covered][:, half + place], chances)
    assert np.allclose(found[covered][:, place], 1 - chances)
    assert np.allclose(evaluator.points(states)[covered], 1 - 2 * chances, atol=1e-6)


def test_what_was_trained_with_gammons_judges_races_without():
    long_race = [state("backgammon", "13:5 18:10 | opp 13:5 18:10")]
    trained = untrained(load_game("backgammon", ["gammons"]).rules)
    plain = trained.under(RULESETS["backgammon"])
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
    for name, rulesets in shipped().items():
        assert evaluator_named(name).table is table_for(rulesets[0])
    path = tmp_path / "mine.weights"
    write_evaluator(new_evaluator("mine", RULESETS["backgammon"], [8], seed=1), [RULESETS["backgammon"]], path)
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
