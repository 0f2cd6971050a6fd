"""`arena analyse`: what it prints, keeps and refuses; `arena query` and `arena export` of what it keeps."""

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from arena.analysis import analyse, evaluator_for
from arena.cli.shared.costly_turns import costly_turns, print_costly
from arena.records.analysed import analysis_of
from arena.records.rows import ANALYSED, columns_of
from arena.server.setup.run_folder import RunFiles
from tests.fixtures.asked_pages import write_run
from tests.fixtures.caller import by_these_rules
from tests.fixtures.command_line import Arena
from tests.fixtures.forgeries import setting
from tests.fixtures.report_runs import short_run
from tests.fixtures.sample_runs import ONE_DIE, annulled_run, one_die_attempt, run_with
from tests.fixtures.small_evaluators import small, small_file
from tests.fixtures.small_run import (
    RECORD,
    brandubh_attempt,
    forge,
    opened_tournament,
    run_of,
    small_run,
    unfinished_run,
)

KEPT = "analysis/r1-anna-v-bo.jsonl"


@pytest.fixture
def weights(here: Path) -> Path:
    return small_file(here / "small.weights")


@pytest.fixture
def long_folder(here: Path) -> Path:
    """Three games of 12 turns."""
    return write_run(here / "long-run", short_run())


@pytest.mark.slow
def test_a_table_for_people(arena: Arena, long_folder: Path, weights: Path) -> None:
    found = arena("analyse", long_folder, "--evaluator", weights)
    assert (found.exit_code, found.stderr) == (0, f"kept in {long_folder / 'analysis'}\n")
    assert "1 match, judged by small, 1 turn ahead" in found.stdout
    rows = [line.split() for line in found.stdout.splitlines()]
    assert {row[0] for row in rows if len(row) == 11} >= {"anna", "bo"}


def test_the_same_as_json(arena: Arena, long_folder: Path, weights: Path) -> None:
    whole = json.loads(arena("analyse", long_folder, "--evaluator", weights, "--json").stdout)
    assert (whole["evaluator"], whole["plies"], whole["matches"], whole["warnings"]) == (
        "small",
        1,
        1,
        [],
    )
    assert {one["entrant"] for one in whole["entrants"]} == {"anna", "bo"}
    for one in whole["entrants"]:
        assert one["decisions"] == one["contact"]["decisions"] + one["race"]["decisions"]
        assert one["doubtful"] + one["bad"] + one["blunder"] <= one["decisions"]
        assert one["luck_per_game"] == pytest.approx(one["luck"] / one["games"])


def test_the_costliest_turns_are_shown_on_boards(
    arena: Arena, long_folder: Path, weights: Path
) -> None:
    found = arena("analyse", long_folder, "--evaluator", weights, "--worst", "3", "--bot", "anna")
    worst = "SELECT * FROM decisions WHERE bot = 'anna' ORDER BY loss DESC, line LIMIT 3"
    rows = [
        json.loads(line)
        for line in arena("query", long_folder, worst, "--json").stdout.splitlines()
    ]
    boards = found.stdout.split("\n\n")[-3:]
    for number, (row, board) in enumerate(zip(rows, boards, strict=True), 1):
        roll = "-".join(map(str, json.loads(row["dice"])))
        place = f"game {row['game']}, turn {row['turn']} ({RECORD}:{row['line']})"
        told = f"{number}. anna against bo, {place}: {row['loss']:g} thousandths, {row['phase']}: with {roll} it plays "
        first, *drawn = board.splitlines()
        assert first == f"{told}{row['played']}; better {row['best']}, on the board:"
        assert any("(" in line for line in drawn), (
            "what the better turn would have changed is marked"
        )
    asked = (long_folder, "--evaluator", weights, "--worst", "3", "--bot", "anna", "--json")
    whole = json.loads(arena("analyse", *asked).stdout)["costliest"]
    assert [one["loss"] for one in whole] == [row["loss"] for row in rows]
    assert whole[0].keys() == {
        *(
            "file",
            "line",
            "game",
            "turn",
            "entrant",
            "position",
            "dice",
            "phase",
            "played",
            "better",
            "loss",
        )
    }


def test_a_costly_call_for_dice_is_shown_on_the_board_before_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """B11.3"""
    files = run_with(one_die_attempt())
    with by_these_rules(ONE_DIE):
        analysis = analyse(RECORD, files[RECORD], evaluator_for(ONE_DIE))
        call = next(row for row in analysis.decisions if row.kind == "call" and row.loss > 0)
        [turn] = costly_turns(files, [call])
    print_costly(1, turn)
    told = f"1. {call.loss:g} thousandths, contact: it calls for {call.played}; better {call.best}, on the board:"
    assert capsys.readouterr().out.splitlines()[1] == told
    assert turn.after == turn.position


def test_of_all_bots_the_costliest_turns_come_first(
    arena: Arena, long_folder: Path, weights: Path
) -> None:
    given = ("analyse", long_folder, "--evaluator", weights, "--json")
    whole = json.loads(arena(*given, "--worst", "1000").stdout)
    losses = [one["loss"] for one in whole["costliest"]]
    assert losses == sorted(losses, reverse=True)
    assert min(losses) > 0
    assert {one["entrant"] for one in whole["costliest"]} == {"anna", "bo"}
    assert "costliest" not in json.loads(arena(*given).stdout)


@pytest.mark.slow
def test_whose_turns_are_shown_has_to_be_told_rightly(
    arena: Arena, long_folder: Path, weights: Path
) -> None:
    given = ("analyse", long_folder, "--evaluator", weights)
    alone = arena(*given, "--bot", "anna")
    assert (alone.exit_code, "give --worst N too" in alone.stderr) == (2, True)
    unknown = arena(*given, "--worst", "1", "--bot", "ana")
    assert (unknown.exit_code, unknown.stdout) == (2, "")
    assert "there is no bot 'ana'; there are: bo, anna; did you mean 'anna'?" in unknown.stderr


def test_annulled_matches_are_left_out_and_their_games_counted(
    here: Path, arena: Arena, weights: Path
) -> None:
    run_folder = write_run(here / "run", annulled_run(is_finished=False))
    found = arena("analyse", run_folder, "--evaluator", weights)
    assert "annulled" in found.stdout
    assert "of an annulled match only the number of games counts" in found.stdout
    whole = json.loads(
        arena("analyse", run_folder, "--evaluator", weights, "--worst", "9", "--json").stdout
    )
    assert len({one["file"] for one in whole["costliest"]}) <= 1
    assert sorted((one["games"], one["annulled_games"]) for one in whole["entrants"]) == [
        (0, 1),
        (0, 1),
        (1, 0),
        (1, 0),
    ]
    by_match = "SELECT annulled, count(DISTINCT match) AS matches FROM {} GROUP BY annulled ORDER BY annulled"
    for table in ANALYSED:
        answer = arena("query", run_folder, by_match.format(table), "--json").stdout.splitlines()
        assert [json.loads(line) for line in answer] == [
            {"annulled": False, "matches": 1},
            {"annulled": True, "matches": 1},
        ]
    assert (
        json.loads(
            arena("query", run_folder, "SELECT count(*) AS rows FROM luck_games", "--json").stdout
        )["rows"]
        == 2
    )
    arena("export", run_folder, "--to", "csv", "--out", "tables")
    for table in ("matches", "games", *ANALYSED):
        assert (
            ",annulled,"
            in (here / "tables" / f"{table}.csv").read_text(encoding="utf-8-sig").splitlines()[0]
        )


def test_what_fits_is_not_made_again(
    arena: Arena, long_folder: Path, weights: Path, here: Path
) -> None:
    kept = long_folder / KEPT
    arena("analyse", long_folder, "--evaluator", weights)
    first, made = kept.read_bytes(), kept.stat().st_mtime_ns
    again = arena("analyse", long_folder, "--evaluator", weights)
    assert (kept.stat().st_mtime_ns, again.exit_code) == (made, 0)
    shutil.rmtree(long_folder / "analysis")
    assert arena("analyse", long_folder, "--evaluator", weights).stdout == again.stdout
    assert kept.read_bytes() == first
    kept.write_bytes(first[:-100])
    assert arena("analyse", long_folder, "--evaluator", weights).stdout == again.stdout
    assert kept.read_bytes() == first
    weights.write_bytes(weights.read_bytes()[:-4] + b"\0\0\x80\x3f")
    arena("analyse", long_folder, "--evaluator", weights)
    assert kept.read_bytes() != first
    assert arena("verify", long_folder).exit_code == 0


def test_the_analysis_of_a_record_that_went_on_does_not_count(
    arena: Arena, here: Path, weights: Path
) -> None:
    """It is of another file; nobody is told what does not hold any more."""
    folder = write_run(here / "open-run", unfinished_run())
    assert arena("analyse", folder, "--evaluator", weights).exit_code == 0
    assert analysis_of(RunFiles(folder), RECORD) is not None
    (folder / RECORD).write_bytes(small_run()[RECORD])
    assert analysis_of(RunFiles(folder), RECORD) is None
    found = arena("query", folder, "SELECT * FROM decisions")
    assert found.exit_code == 2
    assert f"the records have changed since; first: arena analyse {folder}" in found.stderr
    assert arena("analyse", folder, "--evaluator", weights).exit_code == 0
    assert arena("query", folder, "SELECT * FROM decisions").exit_code == 0


@pytest.mark.slow
def test_processes_find_the_same(arena: Arena, long_folder: Path, weights: Path) -> None:
    """In a program of its own, since what watches over processes lasts as long as it."""
    alone = arena("analyse", long_folder, "--evaluator", weights).stdout
    shutil.rmtree(long_folder / "analysis")
    words = [
        sys.executable,
        "-m",
        "arena",
        "analyse",
        long_folder,
        "--evaluator",
        weights,
        "--workers",
        "2",
    ]
    found = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)
    assert found.stdout.split() == alone.split()


def test_one_record_in_its_run_and_by_itself(
    arena: Arena, long_folder: Path, weights: Path, here: Path
) -> None:
    alone = here / "mailed.jsonl"
    alone.write_bytes(short_run()[RECORD])
    there = set(here.iterdir())
    by_itself = arena("analyse", alone, "--evaluator", weights)
    assert (by_itself.exit_code, by_itself.stderr) == (0, "")
    assert set(here.iterdir()) == there
    assert "a record by itself" in arena("query", alone, "SELECT * FROM rolls").stderr
    in_run = arena("analyse", long_folder / RECORD, "--evaluator", weights)
    assert in_run.stdout == by_itself.stdout
    assert (long_folder / KEPT).exists()


def test_a_record_that_does_not_verify_is_analysed_with_a_warning(
    arena: Arena, here: Path, weights: Path
) -> None:
    false = forge(short_run(), RECORD, setting("turn_played", 9, spent_ms=99_999))
    folder = write_run(here / "false-run", false)
    found = arena("analyse", folder, "--evaluator", weights)
    assert found.exit_code == 1
    assert f"warning: {RECORD}:" in found.stderr
    assert "; analysed up to there" in found.stderr
    assert "judged by small" in found.stdout
    assert arena("analyse", folder, "--evaluator", weights).exit_code == 1, "from its file, too"
    assert (folder / RECORD).read_bytes() == false[RECORD]


def test_a_record_that_was_changed_after_its_match_is_told(
    arena: Arena, here: Path, weights: Path
) -> None:
    changed = forge(short_run(), RECORD, setting("bot_ready", 0, entrant__version="9"))
    changed["tournament.jsonl"] = short_run()["tournament.jsonl"]
    found = arena("analyse", write_run(here / "changed", changed), "--evaluator", weights)
    assert (found.exit_code, "changed after its match was settled" in found.stderr) == (1, True)
    broken = {**short_run(), "tournament.jsonl": b"nonsense\n"}
    found = arena("analyse", write_run(here / "broken", broken), "--evaluator", weights)
    assert (found.exit_code, "only the match records are analysed" in found.stderr) == (1, True)
    assert "judged by small" in found.stdout


def test_a_record_that_cannot_be_read_at_all_is_left_out(
    arena: Arena, here: Path, weights: Path
) -> None:
    files = {**short_run(), "matches/r2-bo-v-anna.jsonl": b"nonsense\n"}
    found = arena("analyse", write_run(here / "half", files), "--evaluator", weights)
    assert (found.exit_code, "; left out" in found.stderr) == (1, True)
    found = arena(
        "analyse",
        write_run(here / "none", {**short_run(), RECORD: b"nonsense\n"}),
        "--evaluator",
        weights,
    )
    assert (found.exit_code, found.stderr.startswith("Error: no record can be read: ")) == (1, True)


def refusals() -> list[tuple[list[str], str]]:
    return [
        (["nowhere"], "nowhere does not exist; give the folder that `arena run --out` wrote"),
        (["empty"], "empty is not a run folder: it has no tournament.jsonl"),
        (["small.weights"], "small.weights is not a match record"),
        (["brandubh"], "there is no evaluator for brandubh-1: only tables games have one"),
        (
            ["brandubh", "--evaluator", "small.weights"],
            "there is no evaluator for brandubh-1: only tables games",
        ),
        (
            ["my-run", "--evaluator", "nothing.weights"],
            "nothing.weights: No such file or directory; expected a file",
        ),
        (["my-run", "--evaluator", "damaged.weights"], "damaged.weights is damaged: "),
        (["my-run", "--evaluator", "notes.txt"], "notes.txt is no file of weights"),
        (
            ["my-run", "--evaluator", "fiske.weights"],
            "small was trained for fiske, whose rules differ from those of vasa",
        ),
        (["unbegun", "--evaluator", "small.weights"], "unbegun has no match yet"),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"), refusals(), ids=lambda value: "-".join(value)[:40]
)
def test_what_cannot_be_analysed(
    arena: Arena, run_folder: Path, weights: Path, here: Path, arguments: list[str], message: str
) -> None:
    (here / "empty").mkdir()
    sitting = brandubh_attempt()
    write_run(
        here / "brandubh",
        run_of(opened_tournament(sitting.opened.terms, rules=sitting.rules), sitting),
    )
    write_run(
        here / "unbegun", {name: data for name, data in small_run().items() if name != RECORD}
    )
    (here / "damaged.weights").write_bytes(weights.read_bytes()[:-4])
    (here / "notes.txt").write_text("notes\n")
    small_file(here / "fiske.weights", "fiske")
    before = sorted(here.rglob("*"))
    found = arena("analyse", *arguments)
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.startswith(f"Error: {message}")
    assert len(found.stderr.splitlines()) == 1
    assert sorted(here.rglob("*")) == before


def test_something_else_of_that_name_stays(arena: Arena, run_folder: Path, weights: Path) -> None:
    (run_folder / "analysis").mkdir()
    (run_folder / KEPT).write_text("my own notes\n")
    found = arena("analyse", run_folder, "--evaluator", weights)
    assert (found.exit_code, found.stderr) == (
        2,
        f"Error: {KEPT} exists and is not an analysis of a match; move it away\n",
    )
    assert (run_folder / KEPT).read_text() == "my own notes\n"


@pytest.mark.slow
def test_what_was_found_is_asked_in_sql_and_exported(
    arena: Arena, long_folder: Path, weights: Path, here: Path
) -> None:
    arena("export", long_folder, "--to", "csv", "--out", "before")
    arena("analyse", long_folder, "--evaluator", weights)
    analysis = analysis_of(RunFiles(long_folder), RECORD)
    assert analysis is not None
    asked = arena(
        "query", long_folder, "SELECT count(*) AS n, sum(loss) AS lost FROM decisions", "--json"
    ).stdout
    assert json.loads(asked)["n"] == len(analysis.decisions)
    assert json.loads(asked)["lost"] == pytest.approx(sum(one.loss for one in analysis.decisions))
    together = (
        "SELECT turns.spent_ms, decisions.loss, rolls.luck FROM turns "
        "JOIN decisions USING (match, attempt, game, turn) JOIN rolls USING (match, attempt, game, turn)"
    )
    assert len(arena("query", long_folder, together, "--json").stdout.splitlines()) == len(
        analysis.rolls
    )
    arena("export", long_folder, "--to", "csv", "--out", "after")
    new = {path.name for path in (here / "after").iterdir()} - {
        path.name for path in (here / "before").iterdir()
    }
    assert new == {"decisions.csv", "rolls.csv"}
    arena("export", long_folder, "--to", "sqlite")
    with closing(sqlite3.connect(here / "long-run.sqlite")) as database:
        for table in ANALYSED:
            cursor = database.execute(f"SELECT * FROM {table}")
            assert [column[0] for column in cursor.description] == [
                one.name for one in columns_of(table)
            ]
            assert len(cursor.fetchall()) == len(getattr(analysis, table))


@pytest.mark.slow
def test_parquet_has_numbers_with_a_point(
    arena: Arena, long_folder: Path, weights: Path, here: Path
) -> None:
    duckdb = pytest.importorskip("duckdb", reason="the extra parquet is not installed")
    arena("analyse", long_folder, "--evaluator", weights)
    assert arena("export", long_folder, "--to", "parquet").exit_code == 0
    with closing(duckdb.connect()) as database:
        [[kind]] = database.execute(
            f"SELECT DISTINCT typeof(luck) FROM '{here}/long-run-parquet/rolls.parquet'"
        ).fetchall()
    assert kind == "DOUBLE"


@pytest.mark.slow
def test_the_report_analyses_what_is_missing(
    arena: Arena, long_folder: Path, weights: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.services.analysing.evaluator_for", lambda _: small())
    assert '"costliest":[' not in _report(arena, long_folder)
    assert not (long_folder / "analysis").exists()
    assert '"costliest":[' in _report(arena, long_folder, "--analyse")
    arena("analyse", long_folder, "--evaluator", weights, "--plies", 2)
    deep = (long_folder / KEPT).read_bytes()
    assert '"plies":[2]' in _report(arena, long_folder, "--analyse")
    assert (long_folder / KEPT).read_bytes() == deep


def _report(arena: Arena, folder: Path, *options: str) -> str:
    found = arena("report", folder, *options)
    assert (found.exit_code, found.stderr) == (0, "")
    return (folder / "report.html").read_text(encoding="utf-8")
