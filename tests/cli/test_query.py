"""`arena query`: SQL over the tables of a run, and nothing else."""

from __future__ import annotations

import builtins
import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from arena.cli.shared import duck
from arena.records.rows import TABLES, columns_of
from tests.cli.conftest import Arena, lay_out
from tests.end_to_end.runs import environment
from tests.records.small_run import RECORD, small_run

pytest.importorskip("duckdb", reason="the extra query is not installed")


def test_a_question_as_table_json_and_csv(arena: Arena, run_folder: Path) -> None:
    """The same answer in each form; how many rows there are goes to standard error."""
    question = "SELECT bot, count(*) AS rejected FROM rejections GROUP BY bot ORDER BY rejected DESC"
    result = arena("query", run_folder, question)
    assert (result.exit_code, result.stderr) == (0, "2 rows\n")
    assert [line.split() for line in result.stdout.splitlines() if line.strip()][2:] == [["bo", "2"], ["anna", "1"]]
    lines = arena("query", run_folder, question, "--json").stdout.splitlines()
    assert [json.loads(line) for line in lines] == [{"bot": "bo", "rejected": 2}, {"bot": "anna", "rejected": 1}]
    assert arena("query", run_folder, question, "--csv").stdout == "bot,rejected\nbo,2\nanna,1\n"


def test_tables_can_be_joined_and_positions_asked_for(arena: Arena, run_folder: Path) -> None:
    """By match, attempt and game; a position is JSON text."""
    question = (
        "SELECT turns.position ->> '$.points[0]' AS mine, games.ending"
        " FROM turns JOIN games USING (match, attempt, game) WHERE games.ending = 'turn_limit'"
        " ORDER BY turns.turn LIMIT 1"
    )
    [row] = arena("query", run_folder, question, "--json").stdout.splitlines()
    assert json.loads(row) == {"mine": "15", "ending": "turn_limit"}


@pytest.mark.parametrize(
    "question", ["FROM turns LIMIT 1", "SELECT t.* FROM turns t LIMIT 1", "SELECT t FROM turns t LIMIT 1"]
)
def test_positions_are_there_however_the_columns_are_asked_for(arena: Arena, run_folder: Path, question: str) -> None:
    """SQL has many ways to say all columns."""
    [row] = map(json.loads, arena("query", run_folder, question, "--json").stdout.splitlines())
    assert "points" in str(row.get("position") or row["t"])


def test_columns_of_the_same_name_are_told_apart(arena: Arena, run_folder: Path) -> None:
    """Those of the table that comes later get a number."""
    question = (
        "SELECT games.line, matches.line, games.line AS line_2 FROM games JOIN matches USING (match, attempt) LIMIT 1"
    )
    [row] = map(json.loads, arena("query", run_folder, question, "--json").stdout.splitlines())
    assert list(row) == ["line", "line_2", "line_2_2"]
    assert row["line"] == row["line_2_2"] > row["line_2"]


def test_what_json_cannot_say_is_null(arena: Arena, run_folder: Path) -> None:
    """Infinity and NaN."""
    question = "SELECT 'inf'::DOUBLE AS a, 'nan'::DOUBLE AS b, 0.5::DOUBLE AS c"
    assert arena("query", run_folder, question, "--json").stdout == '{"a": null, "b": null, "c": 0.5}\n'


def test_without_a_question_the_columns_are_listed(arena: Arena, run_folder: Path) -> None:
    """Every table, every column, what it means; as JSON too."""
    shown = arena("query", run_folder).stdout
    for table in TABLES:
        assert f"{table}: " in shown
        for column in columns_of(table):
            assert f" {column.name} " in shown
    lines = arena("query", run_folder, "--json").stdout.splitlines()
    assert json.loads(lines[0])["column"] == "file"


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("SELECT * FROM rejection", 'Did you mean "rejections"?'),
        ("SELECT bo FROM turns", "Tables: matches, games, turns, rejections, absences, bots"),
        ("SELEC", "syntax error"),
        ("", "expected one SELECT, found nothing"),
        ("SELECT 1; SELECT 2", "expected one SELECT, found SELECT, SELECT"),
        ("DROP TABLE games", "expected one SELECT, found DROP"),
        ("COPY games TO 'games.csv'", "expected one SELECT, found COPY"),
        ("SELECT * FROM read_csv('/etc/passwd')", "disabled by configuration"),
        ("SELECT * FROM read_text('my-run/tournament.toml')", "disabled by configuration"),
        ("SELECT * FROM '/etc/passwd'", "does not exist"),
    ],
)
def test_what_is_no_question_about_the_records_is_refused(
    arena: Arena, run_folder: Path, here: Path, question: str, message: str
) -> None:
    """Exit status 2, one message, nothing on standard output, no file touched."""
    result = arena("query", run_folder, question)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert [path.name for path in here.iterdir()] == ["my-run"]


def test_a_broken_record_is_a_failed_check(arena: Arena, here: Path) -> None:
    """An answer from what is left would be wrong."""
    files = small_run()
    result = arena("query", lay_out(here / "run", files | {RECORD: files[RECORD] + b"{}\n"}), "SELECT 1 FROM games")
    assert (result.exit_code, f"{RECORD}:" in result.stderr) == (1, True)


def test_an_interrupt_stops_a_question_at_once(run_folder: Path) -> None:
    """Exit status 130 and no traceback, though DuckDB alone would go on for minutes."""
    endless = "SELECT sum(a.range * b.range + c.range) FROM range(9999) a, range(9999) b, range(9999) c"
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "query", run_folder, endless],
        stderr=subprocess.PIPE,
        env=environment(),
        text=True,
    )
    try:
        assert process.stderr is not None
        assert process.stderr.readline() == "asked\n"
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Traceback" not in messages  # DuckDB may complain of its own leaks when it is cut short


def test_an_interrupt_that_comes_while_a_question_is_being_put_stops_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is raised wherever Python happens to be; the question runs by then, and nobody waits for its answer."""
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    database = duck.connect()
    before = threading.active_count()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        duck.answer(database, "SELECT sum(a.range * b.range + c.range) FROM range(9999) a, range(9999) b, range(999) c")
    assert time.monotonic() - began < 20
    assert threading.active_count() == before


INTERRUPTIBLE = """
import sys
from arena.cli import main
from arena.cli.shared import duck

answer = duck.answer

def heard(database, sql):
    if "range" in sql:
        print("asked", file=sys.stderr, flush=True)
    return answer(database, sql)

duck.answer = heard
main(prog_name="arena")
"""
"""`arena`, which says when a question is put to the database."""


def test_without_duckdb_it_says_what_to_install(
    arena: Arena, run_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The extra by its name; so does the export to Parquet, and nothing is left behind."""
    real = builtins.__import__

    def without(name: str, *others: Any, **more: Any) -> Any:
        if name == "duckdb":
            raise ImportError(name)
        return real(name, *others, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    for arguments in (["query", run_folder, "SELECT 1"], ["export", run_folder, "--to", "parquet"]):
        result = arena(*arguments)
        assert (result.exit_code, f"{sys.executable} -m pip install 'brade-arena[query]'" in result.stderr) == (2, True)
    assert not Path("my-run-parquet").exists()


def test_two_forms_at_once_are_refused(arena: Arena, run_folder: Path) -> None:
    result = arena("query", run_folder, "SELECT 1", "--json", "--csv")
    assert (result.exit_code, "exclude each other" in result.stderr) == (2, True)
