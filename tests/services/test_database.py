"""Questions in SQL, asked from Python; tests/cli/test_query.py asks the rest by the command."""

from pathlib import Path

import pytest

from arena.records.analysed import Analysis, AnalysisHead, encode_analysis, sha256_of
from arena.records.files import ANALYSIS, analysis_file, match_records
from arena.services.database import (
    NotAnalysedError,
    NotAQuestionError,
    NotKeptError,
    QuestionError,
    TooLongError,
    UnreadableRecordsError,
    ask,
)
from arena.services.errors import ServiceError
from arena.services.sources import RecordSource, source_of


def test_a_question_has_columns_and_rows(run: Path) -> None:
    assert ask(
        source_of(run), "SELECT count(*) AS games FROM games WHERE game = :game", {"game": 1}
    ) == (
        ["games"],
        [(1,)],
    )


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("DROP TABLE games", NotAQuestionError),
        ("SELECT * FROM gmes", QuestionError),
        ("SELECT zeroblob(20000000)", TooLongError),
        ("SELECT * FROM decisions", NotAnalysedError),
    ],
)
def test_what_is_no_question_is_refused_by_name(
    run: Path, sql: str, error: type[ServiceError]
) -> None:
    with pytest.raises(error):
        ask(source_of(run), sql, {})


def test_an_analysis_without_decisions_and_rolls_is_an_analysis(run: Path) -> None:
    files = source_of(run).files
    [name] = match_records(files)
    head = AnalysisHead(
        record=name,
        record_sha256=sha256_of(files[name]),
        match="r1-anna-v-bo",
        ruleset="vasa",
        entrants=("anna", "bo"),
        evaluator="net",
        evaluator_sha256="",
        plies=1,
    )
    (run / ANALYSIS).mkdir()
    (run / analysis_file(name)).write_bytes(encode_analysis(Analysis(head)))
    _, rows = ask(source_of(run), "SELECT * FROM decisions", {})
    assert rows == []


def test_a_record_by_itself_has_no_analysis_and_a_damaged_one_no_answer(run: Path) -> None:
    source = source_of(run)
    [name] = match_records(source.files)
    alone = RecordSource(run / name, {name: source.files[name]})
    with pytest.raises(NotKeptError):
        ask(alone, "SELECT * FROM rolls", {})
    with pytest.raises(UnreadableRecordsError):
        ask(RecordSource(run / name, {name: b"{}\n"}), "SELECT * FROM games", {})
