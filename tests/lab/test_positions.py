"""Making positions: repeatable, resumable, and their losses are true where the truth is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.analysis import evaluator_for
from arena.analysis.examination import PHASES, position_set
from arena.lab import positions
from arena.lab.positions import Decision, Making, chosen, judged, new_head
from arena.lab.training import LabPlanError
from tests.analysis.small_evaluators import tables_game

VASA = tables_game("vasa")
EVALUATOR = evaluator_for(VASA)


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(positions, "GAMES", 12)
    monkeypatch.setattr(positions, "ROUNDS", 2)
    monkeypatch.setattr(positions, "PART", 3)


def making(folder: Path, number: int = 8, turns: int = 2) -> Making:
    return Making(VASA, EVALUATOR, folder, number, new_head(VASA, EVALUATOR, 1, turns, 0.1))


def test_interrupted_and_gone_on_with_it_is_the_same(tmp_path: Path) -> None:
    whole, broken = making(tmp_path / "whole"), making(tmp_path / "broken")
    assert list(whole.run(1)) == [0, 3, 6, 8]
    begun = broken.run(1)
    assert (next(begun), next(begun)) == (0, 3)
    begun.close()
    assert list(making(tmp_path / "broken").run(1)) == [3, 6, 8]
    assert whole.file.read_bytes() == broken.file.read_bytes()
    assert len(position_set(whole.file).questions) == 8
    for given in ("number", "turns"):
        with pytest.raises(LabPlanError, match=rf"part-00000 was made otherwise \(.*{given}\); give another --out"):
            list(making(tmp_path / "whole", **{given: 9}).run(1))


def test_they_are_of_many_phases_and_none_comes_twice() -> None:
    taken, shares = chosen(VASA, EVALUATOR, 60, 2)
    assert sum(shares.values()) == pytest.approx(1)
    assert len({(one.position.state, *sorted(one.dice)) for one, _ in taken}) == 60
    assert {phase for _, phase in taken} >= {"opening", "contact", "crashed", "jan near"}
    assert set(shares) == set(PHASES)


def test_a_turn_that_wins_at_once_loses_nothing() -> None:
    """B8.1: the 1 completes the double crown; the others give the game of two points away."""
    decision = Decision(VASA.parse_position("21:1 22:4 23:5 24:5 | opp 13:15"), (1, 2), 90, None)
    turns = VASA.legal_turns(decision.position, decision.dice)
    found = judged(VASA, EVALUATOR, new_head(VASA, EVALUATOR, 1, 4, 0.1), (0, decision, "bearing off"))
    wins = [ending is not None for _, ending in turns.results()]
    assert any(wins)
    assert not all(wins)
    losses = dict(zip(positions.in_order(turns), found.losses, strict=True))
    assert [losses[place] == 0 for place in range(len(turns))] == wins
    assert found.value == 2
    assert found.floor == 0
