"""Analysis and luck from Python: progress told, values out, errors by name; the figures are in tests/cli."""

import errno
from pathlib import Path

import pytest

from arena.analysis import EvaluatorError
from arena.records.files import analysis_file
from arena.records.luck import fixed_in
from arena.records.statistics import counted_of
from arena.services.analysing import (
    NoMatchError,
    NoRecordError,
    NotWrittenError,
    OtherFileError,
    analyse_rest,
    analysing,
)
from arena.services.luck import NoLuckError, luck_evaluator, luck_looked_for, luck_taken_out
from arena.services.progress import Advance
from arena.services.sources import source_of, tournament_of
from arena.words import say
from tests.fixtures.asked_pages import write_run
from tests.fixtures.fixed_luck import fixed
from tests.fixtures.small_run import RECORD, small_run


def test_every_match_is_analysed_kept_and_told(run: Path) -> None:
    told: list[Advance] = []
    work = analysing(source_of(run), None, 1, None)
    work.tell = told.append
    [analysis] = work.analyses()
    assert (analysis.head.record, work.names, work.warnings) == (
        RECORD,
        {"anna": "anna", "bo": "bo"},
        [],
    )
    assert told == [(0, 1), (1, 1)]
    kept = run / analysis_file(RECORD)
    made_ns = kept.stat().st_mtime_ns
    assert analyse_rest(run, told.append) == []
    assert kept.stat().st_mtime_ns == made_ns


def _refuse(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "no space left")


def test_what_cannot_be_analysed_is_refused_by_name(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = source_of(run)
    with pytest.raises(EvaluatorError):
        analysing(source, run / "no.weights", 1, None)
    (run / "analysis").mkdir()
    (run / analysis_file(RECORD)).write_text("a letter")
    with pytest.raises(OtherFileError):
        [*analysing(source, None, 1, None).analyses()]
    (run / analysis_file(RECORD)).unlink()
    monkeypatch.setattr("arena.services.analysing.write_inside", _refuse)
    with pytest.raises(NotWrittenError):
        [*analysing(source, None, 1, None).analyses()]
    (run / RECORD).write_text("{}\n")
    with pytest.raises(NoRecordError):
        analysing(source, None, 1, None)
    (run / RECORD).unlink()
    with pytest.raises(NoMatchError):
        analysing(source, None, 1, None)


def test_luck_is_looked_for_only_if_that_is_wanted(run: Path) -> None:
    opened, facts = tournament_of(run)
    assert luck_taken_out(run, opened, facts, is_wanted=False) == (None, [])
    told: list[Advance] = []
    settled = counted_of(opened, facts)
    found, warnings = luck_looked_for(
        run, settled, luck_evaluator(opened, fixed_in(opened)), 1, told.append
    )
    assert (found.matches.keys(), warnings, told[-1]) == (
        {fact.fixture for fact in settled},
        [],
        (1, 1),
    )
    luck, _ = luck_taken_out(run, opened, facts, is_wanted=False)
    assert luck is not None


def test_an_evaluator_that_was_fixed_has_to_be_there(tmp_path: Path) -> None:
    run = write_run(
        tmp_path / "fixed-run", fixed(small_run(), {"name": "brade-vasa-3", "sha256": "00" * 32})
    )
    opened, facts = tournament_of(run)
    with pytest.raises(NoLuckError, match="the run fixed brade-vasa-3"):
        luck_evaluator(opened, fixed_in(opened))
    luck, notes = luck_taken_out(run, opened, facts, is_wanted=True)
    assert luck is None
    assert [say(one) for one in notes if "luck is not taken out: the run fixed" in say(one)] != []
