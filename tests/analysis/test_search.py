"""The best turn, and positions played out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

from arena.analysis import best, best_of_many, expected, rank, rollout
from arena.analysis.arrays import Floats
from arena.analysis.evaluator import Evaluator, new_evaluator
from arena.analysis.search import (
    LEFT_IN_SIEVE,
    MARGINS,
    STATIC_SHARE,
    after_answers,
    best_turns,
    dice_to_roll,
    rank_by,
    values_of,
)
from arena.games import rolls
from arena.games.tables.game import TablesGame
from arena.games.tables.position import Position
from tests.fixtures.small_evaluators import afterwards, tables_game

VASA = tables_game("vasa")


def evaluator_of(game: TablesGame) -> Evaluator:
    return new_evaluator("x", game.rules, (8, 4), seed=2)


def worth(
    game: TablesGame, evaluator: Evaluator, position: Position, dice: tuple[int, ...]
) -> float:
    """The best turn's value, one at a time."""
    return max(
        float(turn.ending.points if turn.ending else evaluator.points([turn.position.state])[0])
        for turn in game.legal_turns(position, dice)
    )


@pytest.mark.parametrize("ruleset", ["vasa", "classic", "fiske", "backgammon"])
def test_one_turn_ahead_every_result_is_valued(ruleset: str) -> None:
    game = tables_game(ruleset)
    evaluator = evaluator_of(game)
    asked = [(after.next, (3, 1)) for after in afterwards(game, 12)]
    for (position, dice), (turns, choice) in zip(
        asked, best_of_many(game, evaluator, asked), strict=True
    ):
        found = rank(game, evaluator, position, dice)
        assert sorted(one.place for one in found) == list(range(len(turns)))
        assert [one.points for one in found] == sorted((one.points for one in found), reverse=True)
        assert choice.place == found[0].place
        assert choice.points == pytest.approx(worth(game, evaluator, position, dice), abs=1e-5)


@pytest.mark.parametrize("plies", [2, 3])
def test_turns_ahead_many_at_once_as_one_at_a_time(plies: int) -> None:
    evaluator = evaluator_of(VASA)
    nearly = ("23:1 24:1 | opp 13:15", "24:1 | opp 7:2", "1:1 | opp 12:15")
    asked = [(after.next, (3, 1)) for after in afterwards(VASA, 3)]
    asked += [(VASA.parse_position(text), (6, 5)) for text in nearly]
    found = best_of_many(VASA, evaluator, asked, plies)
    assert 1 in {len(turns) for turns, _ in found}
    for (position, dice), (_, choice) in zip(asked, found, strict=True):
        alone = best(VASA, evaluator, position, dice, plies)
        assert choice.place == alone.place
        assert choice.points == pytest.approx(alone.points, abs=1e-5)


def test_what_is_not_left_in_the_sieve_is_not_played() -> None:

    class ByChance:
        def points(self, states: Sequence[int], /) -> Floats:
            return np.array([Random(state).random() for state in states], np.float32)

    sieve: Any = ByChance()
    evaluator = replace(evaluator_of(VASA), sieve=sieve)
    asked = [(after.next, (4, 1)) for after in afterwards(VASA, 30)]
    lost = 0
    for (position, dice), found in zip(asked, best_turns(VASA, evaluator, asked), strict=True):
        states, endings = VASA.legal_turns(position, dice).states_and_endings()
        left = sorted(states, key=lambda state: -Random(state).random())[:LEFT_IN_SIEVE]
        values = [*evaluator.points(left).tolist(), *(ending.points for ending in endings)]
        assert found.points == pytest.approx(max(values), abs=1e-5)
        lost += found.points < worth(VASA, evaluator, position, dice) - 1e-5
    assert lost


def test_two_turns_ahead_the_opponent_answers_every_roll() -> None:
    evaluator = evaluator_of(VASA)
    after = list(afterwards(VASA, 40))[-1]
    found = rank(VASA, evaluator, after.next, (5, 2), plies=2)
    turn = VASA.legal_turns(after.next, (5, 2))[found[0].place]
    theirs = VASA.flip(turn.position)
    answers = [chance * worth(VASA, evaluator, theirs, roll) for roll, chance in rolls(2).items()]
    at_once = float(evaluator.points([turn.position.state])[0])
    assert found[0].points == pytest.approx(
        STATIC_SHARE * at_once - (1 - STATIC_SHARE) * sum(answers), abs=1e-4
    )
    assert found[0].points != pytest.approx(-sum(answers), abs=1e-4)
    assert len(found) == len(VASA.legal_turns(after.next, (5, 2)))


@pytest.mark.parametrize("ruleset", ["vasa", "backgammon"])
def test_three_turns_ahead_the_answers_are_answered(ruleset: str) -> None:
    """The opponent's answers are those that look best at once; each is worth what the best answers to it leave."""
    game = tables_game(ruleset)
    evaluator = evaluator_of(game)
    after = list(afterwards(game, 40))[-1]
    two, three = (rank(game, evaluator, after.next, (5, 2), plies) for plies in (2, 3))
    turns = game.legal_turns(after.next, (5, 2))
    theirs = game.flip(turns[three[0].place].position)
    worth_of_answers = 0.0
    for roll, chance in rolls(2).items():
        answer = game.legal_turns(theirs, roll)[best(game, evaluator, theirs, roll).place]
        worth = (
            answer.ending.points
            if answer.ending
            else after_answers(game, evaluator, [answer.position.state])[0]
        )
        worth_of_answers += chance * worth
    assert three[0].points == pytest.approx(-worth_of_answers, abs=1e-4)
    near = [one.place for one in two if one.points >= two[0].points - MARGINS[3]]
    assert {one.place for one in three[: len(near)]} >= set(near[:4])
    assert sorted(one.place for one in three) == list(range(len(turns)))


def test_a_turn_asked_about_is_looked_into_however_bad() -> None:
    evaluator, after = evaluator_of(VASA), list(afterwards(VASA, 40))[-1]
    turns = VASA.legal_turns(after.next, (5, 2))
    at_once = rank(VASA, evaluator, after.next, (5, 2))
    worst = at_once[-1]
    for plies in (2, 3):
        [found] = rank_by(
            VASA, evaluator, [turns], values_of(evaluator, [turns]), plies, also=[worst.place]
        )
        [one] = [one for one in found if one.place == worst.place]
        assert one.points != pytest.approx(worst.points, abs=1e-6)
        assert found.index(one) < len(found) - 1


def test_a_game_that_can_be_won_is_won() -> None:
    for text, plies in product(("23:1 24:1 | opp 13:15", "24:2 | opp 13:15"), (1, 2, 3)):
        position = VASA.parse_position(text)
        choice = best(VASA, evaluator_of(VASA), position, (6, 5), plies)
        ending = VASA.legal_turns(position, (6, 5))[choice.place].ending
        assert ending is not None
        assert choice.points == ending.points == 1


def test_the_worth_of_a_roll_and_of_all_rolls() -> None:
    evaluator = evaluator_of(VASA)
    mean = sum(
        chance * worth(VASA, evaluator, VASA.start(), roll) for roll, chance in rolls(2).items()
    )
    assert expected(VASA, evaluator, VASA.start(), 2) == pytest.approx(mean, abs=1e-5)
    assert dice_to_roll(VASA, evaluator, VASA.start()) == 2


def test_one_die_is_called_where_it_promises_more() -> None:
    """B11.3: a single 1 completes the double crown; with two dice it cannot be had."""
    game = tables_game("classic", "one_die")
    position = game.parse_position("21:1 22:4 23:5 24:5 | opp 13:15")
    assert game.dice_to_call(position) == (1, 2)
    evaluator = evaluator_of(game)
    chosen = dice_to_roll(game, evaluator, position)
    both = {number: expected(game, evaluator, position, number) for number in (1, 2)}
    assert both[chosen] == max(both.values())


def test_played_out_with_the_same_seed_the_same() -> None:
    evaluator = evaluator_of(VASA)
    states = [after.state for after in afterwards(VASA, 2)]
    once, again, other = (
        rollout(VASA, evaluator, states, 20, seed, turns=30) for seed in (1, 1, 2)
    )
    assert (once.probabilities == again.probabilities).all()
    assert (once.points == again.points).all()
    assert (once.points != other.points).any()
    twins = rollout(VASA, evaluator, [states[0]] * 2, 20, 1, turns=30).each
    assert (twins[0] == twins[1]).all(), "both have the same dice"
    assert once.probabilities.sum(axis=1) == pytest.approx([1, 1], abs=1e-4)
    with pytest.raises(ValueError, match="games = 1"):
        rollout(VASA, evaluator, states, 1, 1)


def test_a_position_whose_worth_is_known() -> None:
    """One checker on its 24 goes with any roll; two on 19 go with four doubles."""
    evaluator = evaluator_of(VASA)
    sure = VASA.parse_position("19:2 | opp 12:1").state
    assert rollout(VASA, evaluator, [sure], 10, 1).points.tolist() == [-1]
    far = rollout(VASA, evaluator, [VASA.parse_position("24:1 | opp 7:2").state], 3000, 1)
    # the other side wins at once with 3-3, 4-4, 5-5, 6-6; else the one checker goes
    assert far.points[0] == pytest.approx(1 - 2 * 4 / 36, abs=4 * float(far.errors[0]))
