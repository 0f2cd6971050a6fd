"""`arena query`: SQL over the tables of a run, and nothing else."""

import json
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from arena.records.rows import ANALYSED, TABLES, VIEWS, Row, columns_of
from arena.services import database
from tests.fixtures.arena_runs import environment
from tests.fixtures.command_line import Arena


def test_a_question_as_table_json_and_csv(arena: Arena, run_folder: Path) -> None:
    question = (
        "SELECT bot, count(*) AS rejected FROM rejections GROUP BY bot ORDER BY rejected DESC"
    )
    result = arena("query", run_folder, question)
    assert (result.exit_code, result.stderr) == (0, "2 rows\n")
    assert result.stdout == "bot\trejected\nbo\t2\nanna\t1\n"
    lines = arena("query", run_folder, question, "--json").stdout.splitlines()
    assert [json.loads(line) for line in lines] == [
        {"bot": "bo", "rejected": 2},
        {"bot": "anna", "rejected": 1},
    ]
    assert arena("query", run_folder, question, "--csv").stdout == "bot,rejected\nbo,2\nanna,1\n"


@pytest.mark.parametrize(
    "question",
    [
        "SELECT * FROM turns",
        "SELECT T.* FROM Turns T",
        "SELECT * FROM (SELECT * FROM turns) JOIN games USING (match)",
    ],
)
def test_positions_are_there_however_the_columns_are_asked_for(
    arena: Arena, run_folder: Path, question: str
) -> None:
    row, *_ = map(json.loads, arena("query", run_folder, question, "--json").stdout.splitlines())
    assert "points" in row["position"]


@pytest.mark.parametrize(
    ("question", "tables", "with_positions"),
    [
        ("SELECT count(*) FROM turns JOIN games USING (match)", {"turns", "games"}, False),
        ("SELECT 1 FROM Rejections WHERE position IS NULL", {"rejections"}, True),
        ("SELECT 1 FROM turns NATURAL JOIN rejections", {"turns", "rejections"}, True),
        ("SELECT win FROM bot_games WHERE bot GLOB '*'", {"games", "matches"}, False),
        ("SELECT 1", set(), False),
    ],
)
def test_no_more_is_read_than_the_question_can_be_about(
    arena: Arena,
    run_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    question: str,
    tables: set[str],
    with_positions: bool,
) -> None:
    """Positions take as long as all the rest."""
    asked = []
    read = database.rows_of_run

    def heard(*arguments: Any, **options: Any) -> Iterator[Row]:
        asked.append(options)
        return read(*arguments, **options)

    monkeypatch.setattr(database, "rows_of_run", heard)
    assert arena("query", run_folder, question).exit_code == 0
    assert asked == [{"tables": tables, "with_positions": with_positions}]


def test_columns_of_the_same_name_are_told_apart(arena: Arena, run_folder: Path) -> None:
    question = "SELECT games.line, matches.line, games.line AS line_2 FROM games JOIN matches USING (match, attempt) LIMIT 1"
    [row] = map(json.loads, arena("query", run_folder, question, "--json").stdout.splitlines())
    assert list(row) == ["line", "line_2", "line_2_2"]
    assert row["line"] == row["line_2_2"] > row["line_2"]


def test_what_json_cannot_say_is_null(arena: Arena, run_folder: Path) -> None:
    question = "SELECT 9e999 AS a, -9e999 AS b, 0.5 AS c"
    assert (
        arena("query", run_folder, question, "--json").stdout
        == '{"a": null, "b": null, "c": 0.5}\n'
    )


def test_without_a_question_the_columns_are_listed(arena: Arena, run_folder: Path) -> None:
    shown = arena("query", run_folder).stdout
    for table in TABLES:
        assert f"{table}: " in shown
        for column in columns_of(table):
            assert f" {column.name} " in shown
    lines = arena("query", run_folder, "--json").stdout.splitlines()
    assert json.loads(lines[0])["column"] == "file"
    described = arena(
        "query", run_folder, "SELECT table_name, column_name FROM columns", "--csv"
    ).stdout.splitlines()
    assert described[1:] == [
        f"{table},{column.name}"
        for table in (*TABLES, *ANALYSED, *VIEWS)
        for column in columns_of(table)
    ]


def test_bot_games_has_a_row_for_each_bot_of_a_game(arena: Arena, run_folder: Path) -> None:

    def asked(question: str) -> list[dict[str, Any]]:
        return [
            json.loads(line)
            for line in arena("query", run_folder, question, "--json").stdout.splitlines()
        ]

    rows = asked("SELECT * FROM bot_games ORDER BY line, seat")
    games = asked("SELECT * FROM games ORDER BY line")
    assert games
    assert [(row["line"], row["seat"]) for row in rows] == [
        (game["line"], seat) for game in games for seat in (1, 2)
    ]
    assert list(rows[0]) == [column.name for column in columns_of("bot_games")]
    for game, one, other in zip(games, rows[::2], rows[1::2], strict=True):
        assert (
            (one["bot"], other["bot"])
            == (game["seat_1"], game["seat_2"])
            == (other["opponent"], one["opponent"])
        )
        assert one["win"] + other["win"] == 1
        assert one["points"] == -other["points"]
        assert [row["win"] == 1 for row in (one, other)] == [
            row["bot"] == game["winner"] for row in (one, other)
        ]
        assert one["forfeits"] + other["forfeits"] == (game["cause"] is not None)
        assert [row["starts"] for row in (one, other)] == [
            int(row["bot"] == game["starter"]) for row in (one, other)
        ]
    question = "SELECT bot, ending, avg(win) FROM bot_games GROUP BY bot, ending"
    assert arena("query", run_folder, question).stdout.splitlines()[0] == "bot\tending\tavg(win)"


def test_bot_games_leaves_out_what_is_void_or_annulled_and_counts_a_draw_for_half() -> None:
    with closing(sqlite3.connect(":memory:")) as records:
        database.create_tables(records)
        for attempt, state, annulled in ((1, "void", 0), (2, "over", 0), (3, "over", 1)):
            match = "INSERT INTO matches (file, attempt, state, annulled) VALUES ('m', ?, ?, ?)"
            records.execute(match, (attempt, state, annulled))
            row = "INSERT INTO games (file, attempt, game, seat_1, seat_2, points) VALUES ('m', ?, 1, 'anna', 'bo', 0)"
            records.execute(row, (attempt,))
        found = records.execute(
            "SELECT attempt, bot, win, points, starts, forfeits FROM bot_games"
        ).fetchall()
    assert found == [(2, "anna", 0.5, 0, 0, 0), (2, "bo", 0.5, 0, 0, 0)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "endless",
    [
        "WITH RECURSIVE a(n) AS (SELECT asked() UNION ALL SELECT 1 FROM a) SELECT max(n) FROM a",
        "SELECT instr(hex(zeroblob(4000000 + asked())), hex(zeroblob(2000000)) || 'x')",
        "SELECT hex(zeroblob(4000000 + asked())) GLOB '*' || hex(zeroblob(20000)) || '1'",
    ],
    ids=["of many steps", "one search", "one pattern"],
)
def test_an_interrupt_stops_a_question_at_once(run_folder: Path, endless: str) -> None:
    """Exit status 130 and not a word, though SQLite alone would never end, or not for minutes."""
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
    assert (process.returncode, messages) == (130, "")


def test_a_value_that_is_too_long_is_refused(arena: Arena, run_folder: Path) -> None:
    question = "SELECT length(replace(hex(zeroblob(3000000)), '0', 'xx'))"
    found = arena("query", run_folder, question)
    assert found.exit_code == 2
    told = "Error: a value in the answer, or in its computation, has more than 10,000,000 bytes; ask for less at once"
    assert found.stderr.startswith(told)
    assert (
        arena("query", run_folder, question.replace("3000000", "2")).stdout.splitlines()[1] == "8"
    )


INTERRUPTIBLE = """
import functools
import os
import sqlite3
from arena.cli import main

connect = sqlite3.connect

def heard(*arguments, **options):
    database = connect(*arguments, **options)
    database.create_function("asked", 0, functools.partial(os.write, 2, b"asked\\n"))
    return database

sqlite3.connect = heard
main(prog_name="arena")
"""
"""`arena` with a function in SQL that says when SQLite is at work; it is no Python code, which
would be interrupted."""


def test_on_a_terminal_a_table_that_is_too_wide_becomes_records_one_below_the_other(
    arena: Arena, run_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A column of two characters cannot be read."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = re.sub(
        r"\x1b\[[\d;]*m", "", arena("query", run_folder, "SELECT game, starter FROM games").stdout
    )
    assert next(line.split() for line in shown.splitlines() if line.strip()) == ["game", "starter"]
    monkeypatch.setenv("COLUMNS", "40")
    wide = arena(
        "query",
        run_folder,
        "SELECT match, game, position FROM turns JOIN games USING (match, attempt, game)",
    )
    first, match, game, position, *_ = wide.stdout.splitlines()
    assert (first, match.split(), game.split()) == (
        "row 1",
        ["match", "r1-anna-v-bo"],
        ["game", "1"],
    )
    assert json.loads(position.removeprefix("  position"))["points"]


def test_off_a_terminal_a_row_is_one_line_with_tabs(arena: Arena, run_folder: Path) -> None:
    """Whole, however wide it is; what would end the line or the cell is shown as its code."""
    heading, row = arena(
        "query", run_folder, "SELECT *, 'a' || char(9, 10) || 'b' AS odd FROM turns LIMIT 1"
    ).stdout.splitlines()
    assert heading.split("\t") == [*(column.name for column in columns_of("turns")), "odd"]
    cells = row.split("\t")
    assert json.loads(cells[heading.split("\t").index("position")])["points"]
    assert cells[-1] == r"a\t\nb"


def test_a_column_of_another_table_is_told_so(arena: Arena, run_folder: Path) -> None:
    """It was proposed in place of itself."""
    error = arena("query", run_folder, "SELECT win FROM games").stderr
    assert "no such column: win in the question; win is a column of bot_games" in error
    assert "did you mean" not in error


def test_positions_in_the_forms_that_commands_read(arena: Arena, run_folder: Path) -> None:
    question = "SELECT position_id('literal', position, dice) AS id FROM turns WHERE turn = 1"
    first, *_ = arena("query", run_folder, question, "--json").stdout.splitlines()
    literal = json.loads(first)["id"]
    assert literal == "1:15 | opp 13:15"
    question = (
        "SELECT count(*) AS n, position_id('xgid', position, dice) AS id FROM turns "
        f"WHERE position = position_id('json', '{literal}', NULL)"
    )
    (line,) = arena("query", run_folder, question, "--json").stdout.splitlines()
    assert json.loads(line)["n"] > 0
    assert json.loads(line)["id"] is None  # only backgammon has other forms
    result = arena("query", run_folder, "SELECT position_id('json', '1:16 | opp 13:15', NULL)")
    assert result.exit_code == 2
    assert "'1:16' is not slot:count" in result.stderr
    result = arena("query", run_folder, "SELECT position_id('xgid', '1:15', '31')")
    assert result.exit_code == 2
