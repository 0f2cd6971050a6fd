"""Examinations: the error rate and its interval by hand, files of positions, and those that ship."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from arena.analysis import EvaluatorError
from arena.analysis.examination import (
    SUFFIX,
    ExamPosition,
    error_rate,
    in_order,
    read_position_set,
    shipped_positions_path,
    write_positions,
)
from arena.analysis.headed_files import SHIPPED
from arena.lab.playing_out import PlayingOut
from arena.lab.positions import new_head
from tests.fixtures.small_evaluators import small, tables_game

VASA = tables_game("vasa")
START, DICE = VASA.parse_position("1:12 14:2 16:1 | opp 13:15"), (2, 1)
TURNS = VASA.legal_turns(START, DICE)


def position(**changed: Any) -> ExamPosition:
    given: dict[str, Any] = {
        "position": VASA.format_position(START),
        "dice": DICE,
        "turn": 1,
        "last": None,
        "phase": "opening",
        "value": 0.5,
        "losses": tuple(range(len(TURNS))),
        "floor": 2.0,
    }
    return ExamPosition(**{**given, **changed})


def written(path: Path, *positions: ExamPosition) -> Path:
    shares = {"opening": 0.25, "contact": 0.75}
    write_positions(new_head(PlayingOut(VASA, small()), 1, shares), positions, path)
    return path


def test_a_phase_counts_by_its_share_however_many_positions_it_has() -> None:
    rate = error_rate(
        {"opening": [0, 40], "contact": [10, 10, 20, 20], "race": []},
        {"opening": 0.1, "contact": 0.3},
    )
    assert rate.mean == pytest.approx(20 / 4 + 15 * 3 / 4)
    assert rate.half_width == pytest.approx(1.96 * (800 / 2 / 16 + (100 / 3) / 4 * 9 / 16) ** 0.5)
    assert rate.positions == 6


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    chance, hits = np.random.default_rng(7), 0
    for _ in range(400):
        found = {"opening": chance.exponential(50, 60), "contact": chance.exponential(10, 200)}
        low, high = error_rate(
            {phase: x.tolist() for phase, x in found.items()}, {"opening": 0.3, "contact": 0.7}
        ).interval
        hits += low <= 0.3 * 50 + 0.7 * 10 <= high
    assert 0.90 < hits / 400 < 0.98


def test_paired_by_position_the_difference_is_surer(tmp_path: Path) -> None:
    asked = read_position_set(
        written(tmp_path / "p", *(position(phase=phase) for phase in ("opening", "contact") * 20))
    )
    old = [place * 7 % 90 for place in range(40)]
    better = [loss - 1 if loss else 0 for loss in old]
    difference = asked.rates([one - other for one, other in zip(better, old, strict=True)])["all"]
    assert -1 <= difference.mean < -0.9
    assert difference.half_width < asked.rates(old)["all"].half_width / 20


def test_what_is_written_is_asked_and_every_turn_finds_its_loss(tmp_path: Path) -> None:
    one = position(last=((2, 1), ((1, 3), (1, 2))), turn=2)
    asked = read_position_set(written(tmp_path / "p", one))
    [question] = asked.questions
    assert question.of == one
    for place, turn in enumerate(TURNS):
        assert asked.place_of(question, turn.moves) == place
        assert in_order(VASA, TURNS)[question.losses[place]] == place
    assert question.best == in_order(VASA, TURNS)[0]


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"losses": (0, 1)}, f"2 losses for a roll with {len(TURNS)} legal turns"),
        ({"losses": tuple(range(1, len(TURNS) + 1))}, "the least loss of a roll is 1; expected 0"),
        ({"position": "1:16 | opp 13:15"}, "a count of 1-15"),
        ({"phase": "end"}, "Invalid enum value 'end'"),
    ],
)
def test_a_position_that_cannot_be_is_refused(
    tmp_path: Path, changed: dict[str, Any], problem: str
) -> None:
    with pytest.raises(EvaluatorError, match=problem):
        read_position_set(written(tmp_path / "p", position(**changed)))


@pytest.mark.parametrize("seed", range(40))
def test_a_file_that_was_changed_anywhere_is_refused(tmp_path: Path, seed: int) -> None:
    """A value in its line or among its positions, or a byte; most other values would be as good."""
    path = written(tmp_path / "p", *(position(value=number / 10) for number in range(8)))
    content = bytearray(path.read_bytes())
    chance = Random(seed)
    line = content.index(b"\n")
    place = chance.randrange(line) if seed % 2 else chance.randrange(line + 1, len(content))
    content[place] ^= 1 << chance.randrange(7)
    path.write_bytes(content)
    with pytest.raises(EvaluatorError):
        read_position_set(path)


def test_a_changed_value_is_called_damage(tmp_path: Path) -> None:
    path = written(tmp_path / "p", position())
    path.write_bytes(path.read_bytes().replace(b'"opening":0.25', b'"opening":0.35'))
    with pytest.raises(EvaluatorError, match="is damaged: its content does not have the SHA-256"):
        read_position_set(path)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(
            path,
            id=path.stem,
            marks=() if path.stem in ("fiske", "brandubh-1") else pytest.mark.soak,
        )
        for path in sorted(SHIPPED.glob(f"*{SUFFIX}"))
    ],
)
def test_those_that_ship_fit_the_rules(path: Path) -> None:
    asked = read_position_set(path)
    assert shipped_positions_path(asked.game.ruleset) == path
    assert len(asked.questions) == asked.head.count >= 100
    best = "neural" if "neural" in asked.head.scale else "brandubh"
    assert asked.head.scale["random"] > asked.head.scale[best]


def test_a_ruleset_without_positions_is_told_which_have_some() -> None:
    with pytest.raises(
        EvaluatorError, match=r"no positions ship for classic\+one_die, only for .*vasa"
    ):
        shipped_positions_path(tables_game("classic", "one_die").ruleset)
    assert shipped_positions_path(tables_game("swedish-tables").ruleset).stem == "vasa"
