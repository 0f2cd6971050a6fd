"""Making positions: repeatable, resumable, and their losses are true where the truth is known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from arena.analysis import evaluator_for
from arena.analysis.examination import TablesPhase, in_order, read_position_set
from arena.games.brandubh.game import BrandubhGame
from arena.games.brandubh.ruleset import BRANDUBH_2
from arena.lab import playing_out, positions, proving
from arena.lab.playing_out import PlayingOut
from arena.lab.positions import Making, PlayedDecision, Truth
from arena.lab.proving import Proving
from arena.lab.training import LabPlanError
from tests.fixtures.small_evaluators import tables_game

VASA = tables_game("vasa")
EVALUATOR = evaluator_for(VASA)
BRANDUBH = BrandubhGame(BRANDUBH_2)


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing_out, "GAMES", 12)
    monkeypatch.setattr(playing_out, "ROUNDS", 2)
    monkeypatch.setattr(playing_out, "NOISE", (0.4,))
    monkeypatch.setattr(positions, "PART", 2)
    monkeypatch.setattr(proving, "PLAYERS", ((0, 0.0), (1, 0.5)))
    monkeypatch.setattr(proving, "FIRST_LOOKS", 5)


@pytest.mark.parametrize(
    ("truth", "other", "differs"),
    [
        pytest.param(
            PlayingOut(VASA, EVALUATOR, 2, 0.1),
            PlayingOut(VASA, EVALUATOR, 3, 0.1),
            "turns",
            marks=pytest.mark.soak,
        ),
        (Proving(BRANDUBH, 40), Proving(BRANDUBH, 41), "looks"),
    ],
    ids=["vasa", "brandubh-2"],
)
def test_interrupted_and_gone_on_with_it_is_the_same(
    tmp_path: Path, truth: Truth, other: Truth, differs: str
) -> None:
    whole, broken = (
        Making(truth, tmp_path / "whole", 5, seed=1),
        Making(truth, tmp_path / "broken", 5, seed=1),
    )
    assert list(whole.run(1)) == [0, 2, 4, 5]
    begun = broken.run(1)
    assert (next(begun), next(begun)) == (0, 2)
    begun.close()
    assert list(broken.run(1)) == [2, 4, 5]
    assert whole.file.read_bytes() == broken.file.read_bytes()
    assert (
        len(
            {
                (one.of.position, *sorted(one.of.dice))
                for one in read_position_set(whole.file).questions
            }
        )
        == 5
    )
    for given, what in (
        (Making(truth, whole.folder, 6, seed=1), "number"),
        (replace(whole, truth=other), differs),
    ):
        with pytest.raises(
            LabPlanError, match=rf"part-00000 was made otherwise \(.*{what}.*\); give another --out"
        ):
            list(given.run(1))


@pytest.mark.slow
def test_they_are_of_many_phases_and_none_comes_twice() -> None:
    taken, shares = PlayingOut(VASA, EVALUATOR).choose(60, 2, 1)
    assert sum(shares.values()) == pytest.approx(1)
    assert len({(one.position.state, *sorted(one.dice)) for one, _ in taken}) == 60
    assert {phase for _, phase in taken} >= {"opening", "contact", "crashed", "jan near"}
    assert set(shares) == set(get_args(TablesPhase))


def test_a_turn_that_wins_at_once_loses_nothing() -> None:
    """B8.1: the 1 completes the double crown; the others give the game of two points away."""
    decision = PlayedDecision(
        VASA.parse_position("21:1 22:4 23:5 24:5 | opp 13:15"), (1, 2), 90, None
    )
    turns = VASA.legal_turns(decision.position, decision.dice)
    found = PlayingOut(VASA, EVALUATOR, 4, 0.1).examine((0, decision, "bearing off"), 1)
    wins = [ending is not None for _, ending in turns.results()]
    assert any(wins)
    assert not all(wins)
    losses = dict(zip(in_order(VASA, turns), found.losses, strict=True))
    assert [losses[place] == 0 for place in range(len(turns))] == wins
    assert found.value == 2
    assert found.floor == 0
