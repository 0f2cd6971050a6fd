"""bgsage as a second judge of backgammon: its boards, its signs, and refusals without it."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from click.testing import CliRunner

from arena.analysis import EvaluatorError, evaluator_for
from arena.analysis.arrays import counts_of
from arena.analysis.examination import PositionSet, read_position_set, shipped_positions_path
from arena.analysis.second_judge import boards_of, judged_by, sage_evaluator
from arena.cli import main
from arena.games import load_game
from arena.games.tables.board import CHECKERS, OFF
from arena.games.tables.position import from_counts

GAME = load_game("backgammon")


def state_of(mine: dict[int, int], theirs: dict[int, int]) -> int:
    """A position from the points of both sides, mine having just moved; the others are off."""
    sides = [{OFF: CHECKERS - sum(side.values())} | side for side in (mine, theirs)]
    return from_counts(*sides, GAME.rules.layout).state


def test_a_board_has_the_mover_positive_and_both_bars_at_its_ends():
    start = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0]
    assert boards_of(counts_of([GAME.start().state])).tolist() == [start]
    on_bars = state_of({0: 1, 24: 2}, {0: 3, 2: 1})
    [board] = boards_of(counts_of([on_bars])).tolist()
    assert board == [3, 2, -1, *[0] * 22, 1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mine", "theirs", "points"),
    [
        ({24: 1}, {19: 5, 20: 5}, 1),
        ({19: 5, 20: 5}, {24: 1}, -1),
        ({24: 1}, {13: 5, 14: 5, 15: 5}, 2),
        ({13: 5, 14: 5, 15: 5}, {24: 1}, -2),
    ],
    ids=["won race", "lost race", "won gammon", "lost gammon"],
)
def test_signs_are_those_of_the_side_that_has_just_moved(mine, theirs, points):
    pytest.importorskip("bgsage", reason="the extra engines is not installed")
    state = state_of(mine, theirs)
    judges = sage_evaluator(GAME), evaluator_for(GAME)
    for judge in judges:
        assert judge.points([state])[0] == pytest.approx(points, abs=0.1)
        assert judge.probabilities([state]).sum() == pytest.approx(1, abs=1e-5)


def test_without_gammons_a_gammon_pays_one_point():
    pytest.importorskip("bgsage", reason="the extra engines is not installed")
    judge = sage_evaluator(load_game("backgammon", ["no_gammons"]))
    state = state_of({24: 1}, {13: 5, 14: 5, 15: 5})
    assert judge.points([state])[0] == pytest.approx(1, abs=0.1)


@pytest.mark.slow
def test_it_judges_the_same_positions_and_mostly_agrees():
    pytest.importorskip("bgsage", reason="the extra engines is not installed")
    whole = read_position_set(shipped_positions_path(load_game("backgammon").ruleset))
    few = PositionSet(whole.head, whole.game, whole.questions[:40], whole.sha256)
    again = judged_by(few, sage_evaluator(few.game))
    assert again.sha256 == few.sha256
    assert again.head.judge.startswith("bgsage-")
    agreed = []
    for ours, theirs in zip(few.questions, again.questions, strict=True):
        assert min(theirs.losses) == 0
        assert len(theirs.losses) == len(ours.losses)
        agreed.append(ours.losses[theirs.best])
    assert np.mean(agreed) < 15, "its best turns lose little by our judge"


def test_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "bgsage", None)
    with pytest.raises(EvaluatorError, match=r"extra `engines`; install it with: .* bgsage"):
        sage_evaluator(GAME)
    result = CliRunner().invoke(
        main, ["exam", "true", "--ruleset", "backgammon", "--judge", "bgsage"]
    )
    assert result.exit_code == 2
    assert "pip install bgsage" in result.stderr


def test_it_refuses_another_game():
    with pytest.raises(EvaluatorError, match="bgsage judges backgammon, not vasa"):
        sage_evaluator(load_game("vasa"))
