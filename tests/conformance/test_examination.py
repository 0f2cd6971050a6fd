"""An examination from Python: answers out, progress told, errors by name; tests/cli/test_exam.py shows its figures."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena.analysis.examination import PositionSet, read_position_set
from arena.conformance.examination import (
    BrokenOffError,
    Examining,
    ExamInterruptedError,
    KeptAnswersError,
    losses_of,
)
from arena.server.setup.given_fields import parse_set
from arena.services.one_bot import plan_for_one
from arena.services.progress import Advance, pass_by
from tests.fixtures.bot_workshop import ROOT
from tests.fixtures.few_positions import few_positions

PLAN = plan_for_one(None, [parse_set("limits.sandbox=off")])
RANDOM = f"{sys.executable} {ROOT / 'sample_bots' / 'random' / 'bot.py'}"
ROGUE = f"{sys.executable} {ROOT / 'tests' / 'conformance' / 'rogue.py'} illegal"


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PositionSet:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return read_position_set(few_positions(6, tmp_path / "few.positions"))


def test_answers_are_kept_and_an_interrupted_examination_goes_on(
    asked: PositionSet, tmp_path: Path
) -> None:
    kept, told = tmp_path / "answers.json", list[Advance]()

    def interrupt(progress: Advance) -> None:
        if progress.over == 4:
            raise KeyboardInterrupt

    with pytest.raises(
        ExamInterruptedError, match="interrupted after 4 of 6 positions; the same command goes on"
    ):
        Examining(asked, PLAN, kept).answers(RANDOM, "random", interrupt)
    answers = Examining(asked, PLAN, kept).answers(RANDOM, "random", told.append)
    assert told == [(4, 6), (5, 6), (6, 6)]
    assert len(losses_of(asked, answers)) == 6
    assert Examining(asked, PLAN, kept).answers(RANDOM, "random", told.append) == answers


def test_a_bot_that_answers_wrongly_is_told_apart_from_a_file_of_other_answers(
    asked: PositionSet, tmp_path: Path
) -> None:
    with pytest.raises(
        BrokenOffError,
        match="rogue was examined up to position 0 of 6: the bot gives an illegal",
    ):
        Examining(asked, PLAN, None).answers(ROGUE, "rogue", pass_by)
    for text in (
        "[1]",
        '{"positions": "0"}',
        f'{{"positions": "{asked.sha256}", "answers": {{"x": [-1]}}}}',
    ):
        (tmp_path / "answers.json").write_text(text)
        with pytest.raises(KeptAnswersError):
            Examining(asked, PLAN, tmp_path / "answers.json")
    with pytest.raises(KeptAnswersError, match="there is no folder"):
        Examining(asked, PLAN, tmp_path / "nowhere" / "answers.json")
