"""`arena export`: the same rows in every format, whole or not at all."""

import csv
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from arena.games import load_game
from arena.matches.facts import Terms, TurnPlayed
from arena.matches.time_control import TimeControl
from arena.records.lines import Attempt
from arena.records.mat import format_mat
from arena.records.rows import TABLES, VIEWS, cells_of, columns_of
from arena.records.tabulate import rows_of_run
from tests.fixtures.asked_pages import write_run
from tests.fixtures.command_line import Arena
from tests.fixtures.sitting import Sitting
from tests.fixtures.small_run import RECORD, forge, opened_tournament, run_of, small_run

GNUBG = shutil.which("gnubg", path="/usr/games:/usr/bin:/usr/local/bin")


def expected(table: str) -> list[tuple[Any, ...]]:
    return [cells_of(row) for row in rows_of_run(small_run(), tables=(table,), with_positions=True)]


def test_sqlite_is_one_file_with_every_table(arena: Arena, run_folder: Path, here: Path) -> None:
    result = arena("export", run_folder, "--to", "sqlite")
    assert (result.exit_code, result.stdout) == (0, "my-run.sqlite\n"), result.output
    with closing(sqlite3.connect(here / "my-run.sqlite")) as database:
        for table in TABLES:
            assert database.execute(f"SELECT * FROM {table}").fetchall() == expected(table)
        described = database.execute("SELECT table_name, column_name FROM columns").fetchall()
    assert described == [
        (table, column.name)
        for table in (*TABLES, *VIEWS)
        if table != "luck_games"
        for column in columns_of(table)
    ]


def test_csv_is_a_folder_with_a_file_for_each_table(
    arena: Arena, run_folder: Path, here: Path
) -> None:
    assert arena("export", run_folder, "--to", "csv", "--out", "tables").exit_code == 0
    assert sorted(path.stem for path in (here / "tables").iterdir()) == sorted([*TABLES, "columns"])
    for table in TABLES:
        with (here / "tables" / f"{table}.csv").open(newline="", encoding="utf-8-sig") as file:
            heading, *rows = csv.reader(file)
        assert heading == [column.name for column in columns_of(table)]
        assert rows == [
            ["" if cell is None else str(cell) for cell in row] for row in expected(table)
        ]


def test_parquet_is_a_folder_with_a_typed_file_for_each_table(
    arena: Arena, run_folder: Path, here: Path
) -> None:
    duckdb = pytest.importorskip("duckdb", reason="the extra parquet is not installed")
    assert arena("export", run_folder, "--to", "parquet").exit_code == 0
    with closing(duckdb.connect()) as database:
        for table in TABLES:
            found = database.execute(
                f"SELECT * FROM '{here}/my-run-parquet/{table}.parquet'"
            ).fetchall()
            assert found == expected(table)


def test_without_duckdb_parquet_says_what_to_install(
    arena: Arena, run_folder: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    result = arena("export", run_folder, "--to", "parquet")
    assert (result.exit_code, f"{sys.executable} -m pip install duckdb" in result.stderr) == (
        2,
        True,
    )
    assert [path.name for path in here.iterdir()] == ["my-run"]


def test_an_interrupt_ends_the_export_to_parquet(
    arena: Arena, run_folder: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    duckdb = pytest.importorskip("duckdb", reason="the extra parquet is not installed")

    connect = duckdb.connect

    class Slow:
        def execute(self, _: str) -> None:
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with closing(connect()) as database:
                database.execute("SELECT sum(a.range * b.range) FROM range(9999) a, range(9999) b")

        def close(self) -> None:
            signal.setitimer(signal.ITIMER_REAL, 0)

    monkeypatch.setattr(duckdb, "connect", lambda **_: Slow())
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        assert arena("export", run_folder, "--to", "parquet").exit_code == 130
    finally:
        signal.signal(signal.SIGALRM, before)
    assert [path.name for path in here.iterdir()] == ["my-run"]


def test_nothing_is_replaced_unless_it_is_wanted(
    arena: Arena, run_folder: Path, here: Path
) -> None:
    (here / "my-run.sqlite").write_text("mine")
    result = arena("export", run_folder, "--to", "sqlite")
    assert (
        result.exit_code,
        "is there already; give another --out, or --force" in result.stderr,
    ) == (2, True)
    assert (here / "my-run.sqlite").read_text() == "mine"
    assert arena("export", run_folder, "--to", "sqlite", "--force").exit_code == 0
    (here / "my-run-csv").mkdir()
    (here / "my-run-csv" / "notes").write_text("mine")
    assert arena("export", run_folder, "--to", "csv").exit_code == 2
    assert arena("export", run_folder, "--to", "csv", "--force").exit_code == 0
    assert len(list((here / "my-run-csv").iterdir())) == 1 + len(TABLES) + 1
    assert [path.name for path in here.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("form", ["sqlite", "csv", "parquet"])
def test_a_broken_record_ends_it_and_leaves_nothing(arena: Arena, here: Path, form: str) -> None:
    """Half a table would be taken for a whole one."""
    if form == "parquet":
        pytest.importorskip("duckdb", reason="the extra parquet is not installed")

    def change(found: list[dict[str, Any]]) -> None:
        next(line for line in found if line["event"] == "turn_played")["moves"] = [[1, 24]]

    folder = write_run(here / "run", forge(small_run(), RECORD, change))
    result = arena("export", folder, "--to", form)
    assert (result.exit_code, f"nothing was written: {RECORD}:" in result.stderr) == (1, True), (
        result.output
    )
    assert [path.name for path in here.iterdir()] == ["run"]


@cache
def match_of_backgammon(*options: str) -> Sitting:
    """A match of backgammon with passes: two games over the board, one forfeited by the flag."""
    terms = Terms(
        games=3,
        clock=TimeControl(delay_ms=100, bank_ms=200),
        rejections=1,
        turn_limit=1000,
        startup_ms=1000,
    )
    sitting = Sitting(terms=terms, rules=load_game("backgammon", options=options))
    sitting.ready()
    while len(sitting.ended) < 2:
        sitting.plays()
    sitting.plays()
    sitting.waits(400)
    return sitting


@pytest.fixture(params=[[], ["no_gammons"]], ids=["gammons", "plain"])
def backgammon(request: pytest.FixtureRequest, here: Path) -> tuple[Path, Sitting]:
    sitting = match_of_backgammon(*request.param)
    opened = opened_tournament(sitting.opened.terms, rules=sitting.rules)
    return write_run(here / "bg", run_of(opened, sitting)), sitting


def test_mat_has_every_game_with_its_score_and_every_roll(
    arena: Arena, backgammon: tuple[Path, Sitting]
) -> None:
    folder, sitting = backgammon
    assert arena("export", folder, "--to", "mat").stdout == "bg-mat\n"
    text = Path("bg-mat/r1-anna-v-bo.mat").read_text()
    rule = "Off" if sitting.rules.ruleset["gammons"] else "On"
    headers = f'; [Event "small"]\n; [EventDate "2023.11.14"]\n; [Jacoby "{rule}"]\n'
    if any(fact.result.ending == "turn_limit" for fact in sitting.ended):
        headers += '; [TurnLimit "1000"]\n'
    assert text.startswith(f"{headers}\n 0 point match\n\n Game 1\n anna : 0   ")
    assert text.count(" Game ") == 3
    assert text.count("Wins ") == sum(fact.result.winner is not None for fact in sitting.ended)
    assert "Cannot Move" in text
    played = [fact for fact in sitting.facts if isinstance(fact, TurnPlayed)]
    assert len(re.findall(r"\b[1-6]{2}: ", text)) == len(played)


def test_a_record_from_elsewhere_names_no_file_of_ours(
    arena: Arena, backgammon: tuple[Path, Sitting], here: Path
) -> None:
    """Its file has the name of the record, whatever match stands in it."""

    def elsewhere(lines: list[dict[str, Any]]) -> None:
        lines[0]["match"] = "../escaped"

    files = run_of(
        opened_tournament(backgammon[1].opened.terms, rules=backgammon[1].rules), backgammon[1]
    )
    (here / "sent.jsonl").write_bytes(forge(files, RECORD, elsewhere)[RECORD])
    assert arena("export", "sent.jsonl", "--to", "mat", "--out", "games").exit_code == 0
    assert [path.name for path in (here / "games").iterdir()] == ["sent.mat"]
    assert not (here / "escaped.mat").exists()


def test_the_export_says_which_jacoby_rule_fits(
    arena: Arena, backgammon: tuple[Path, Sitting]
) -> None:
    """Without gammons the rule is on: then they count after a turn of the cube alone, and it is never turned."""
    folder, sitting = backgammon
    rule, count = ("off", "count") if sitting.rules.ruleset["gammons"] else ("on", "do not count")
    said = arena("export", folder, "--to", "mat", "--out", "mine").stderr
    assert (
        f"set jacoby {rule}, then import mat mine/r1-anna-v-bo.mat; so gammons {count}, as in the ruleset"
        in said
    )


def test_what_a_tournament_is_called_stays_in_its_header(backgammon: tuple[Path, Sitting]) -> None:
    attempt = Attempt(opened=backgammon[1].opened)
    name = 'Åsa\'s "cup"]\n 3 point match' + "x" * 200
    first, rule, annulled, blank, length = format_mat(
        attempt, event=name, is_annulled=True
    ).splitlines()
    assert first.startswith("; [Event \"Åsa's 'cup'] 3 point match")
    assert len(first) < 100
    assert (rule[:9], blank, length) == ("; [Jacoby", "", " 0 point match")
    assert annulled == '; [Annulled "a bot was withdrawn"]'
    assert "Event" not in format_mat(attempt)


def test_a_date_that_no_calendar_has_is_left_out(
    arena: Arena, backgammon: tuple[Path, Sitting], here: Path
) -> None:
    """A record may come from anybody."""

    def late(lines: list[dict[str, Any]]) -> None:
        lines[0]["at_ms"] = 2**53

    files = run_of(
        opened_tournament(backgammon[1].opened.terms, rules=backgammon[1].rules), backgammon[1]
    )
    (here / "sent.jsonl").write_bytes(forge(files, RECORD, late)[RECORD])
    assert arena("export", "sent.jsonl", "--to", "mat", "--out", "games").exit_code == 0
    assert (here / "games" / "sent.mat").read_text().startswith("; [Jacoby ")


@pytest.mark.skipif(
    GNUBG is None, reason="GNU Backgammon is not installed (Debian: apt install gnubg)"
)
def test_gnu_backgammon_reads_it(
    arena: Arena, backgammon: tuple[Path, Sitting], here: Path
) -> None:
    folder, sitting = backgammon
    assert arena("export", folder, "--to", "mat").exit_code == 0
    commands = here / "commands"
    sgf = here / "out.sgf"
    rule = "off" if sitting.rules.ruleset["gammons"] else "on"
    lines = (
        f"set jacoby {rule}",
        f"import mat {here}/bg-mat/r1-anna-v-bo.mat",
        "show score",
        "show matchinfo",
    )
    commands.write_text("\n".join([*lines, f"save match {sgf}"]) + "\n")
    assert GNUBG is not None
    result = subprocess.run(
        [GNUBG, "-t", "-q", "-r", "-c", str(commands)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        env={"HOME": str(here), "PATH": "/usr/bin:/bin", "TERM": "dumb", "LANG": "C.UTF-8"},
        check=False,
    )
    assert sgf.exists(), result.stdout + result.stderr
    assert "2023-11-14" in result.stdout
    assert "Event: small" in result.stdout
    points = [
        sum(fact.result.points for fact in sitting.ended if fact.result.winner == seat)
        for seat in (1, 2)
    ]
    assert f"is: anna {points[0]}, bo {points[1]} (money session" in result.stdout
    games = sgf.read_text().split("(;FF")[1:]
    ended = sorted(sitting.ended, key=lambda fact: fact.game)
    won = [fact.result for fact in ended]
    results = [["WB"[one.winner - 1] + f"+{one.points}"] if one.winner else [] for one in won]
    assert [re.findall(r"RE\[([WB]\+\d)R?\]", game) for game in games] == results
    played = [fact.game for fact in sitting.facts if isinstance(fact, TurnPlayed)]
    turns = [len(re.findall(r"^;[WB]\[[1-6]{2}", game, re.MULTILINE)) for game in games]
    assert turns == [played.count(fact.game) for fact in ended]
