"""`arena log`: named questions about a run; and docs/inspecting.md, of which every command is run."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from arena.cli.log import QUESTIONS
from arena.records.rows import ANALYSED, TABLES, VIEWS, Row, columns_of
from tests.fixtures.asked_pages import write_run
from tests.fixtures.command_line import Arena
from tests.fixtures.sample_runs import annulled_run
from tests.fixtures.small_run import RECORD, small_run

START = "1:15 | opp 13:15"


def found(arena: Arena, *arguments: object) -> list[dict[str, Any]]:
    result = arena("log", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_rejections_are_counted_for_each_bot_most_first(arena: Arena, run_folder: Path) -> None:
    counts = [
        (row["bot"], row["clause"], row["count"])
        for row in found(arena, run_folder, "rejection-counts")
    ]
    assert counts == [("bo", "B3.1", 2), ("anna", "B3.1", 1)]


def test_the_slowest_turn_is_told_with_its_place_in_the_record(
    arena: Arena, run_folder: Path
) -> None:
    [slowest] = found(arena, run_folder, "slow-turns", "--limit", 1)
    place, _, line = slowest.pop("place").partition(":")
    assert slowest == {
        "game": 3,
        "turn": 1,
        "bot": "bo",
        "dice": "[4,6]",
        "played": "flag_fell",
        "spent_ms": 301,
    }
    assert '"event":"flag_fell"' in (run_folder / place).read_text().splitlines()[int(line) - 1]
    times = [row["spent_ms"] for row in found(arena, run_folder, "slow-turns")]
    assert times == sorted(times, reverse=True)


@pytest.mark.parametrize(
    ("arguments", "number"),
    [
        (["games"], 3),
        (["games", "--ending", "Turn-Limit"], 1),
        (["games", "--bot", "anna"], 3),
        (["games", "--match", "r1-*"], 3),
        (["games", "--match", "r2-*"], 0),
        (["long-games", "--limit", "1"], 1),
        (["endings"], 2),
        (["win-rates", "--bot", "bo"], 2),
        (["head-to-head"], 2),
        (["forfeits", "--bot", "bo"], 2),
        (["forfeits", "--bot", "anna"], 0),
        (["forfeit-counts"], 2),
        (["rejections", "--bot", "bo"], 2),
        (["slow-turns", "--bot", "anna"], 2),
        (["thinking"], 2),
        (["played-in", "--position", START], 4),
        (["leading-to", "--position", START], 0),
        (["moves", "--bot", "anna"], 5),
        (["absences"], 4),
        (["builds"], 2),
        (["matches"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_asked_for_is_found_also_by_the_sql_of_the_question(
    arena: Arena, run_folder: Path, arguments: list[str], number: int
) -> None:
    rows = found(arena, run_folder, *arguments)
    assert len(rows) == number
    printed = arena("log", run_folder, *arguments, "--sql").stdout
    asked = arena("query", run_folder, printed, "--json").stdout.splitlines()
    assert [json.loads(line) for line in asked] == rows


def test_annulled_matches_are_told_apart_and_count_nowhere(here: Path, arena: Arena) -> None:
    """Games of void attempts are listed too, and count for nobody either."""
    run = write_run(here / "run", annulled_run(is_finished=False))
    for question in ("games", "long-games", "matches"):
        assert sorted(row["annulled"] for row in found(arena, run, question)) == [False, True]
    assert [row["annulled"] for row in found(arena, run, "forfeits")] == [True]
    assert [(row["annulled"], row["count"]) for row in found(arena, run, "forfeit-counts")] == [
        (True, 1)
    ]
    assert [(row["ending"], row["count"]) for row in found(arena, run, "endings")] == [
        ("turn_limit", 1)
    ]
    assert {row["ending"] for row in found(arena, run, "win-rates")} == {"turn_limit"}
    assert len(found(arena, run, "head-to-head")) == 2
    standings = json.loads(arena("standings", run, "--json").stdout)
    drew = {row["entrant"] for row in standings["standings"] if row["played"]}
    assert drew == {row["bot"] for row in found(arena, run, "head-to-head")}
    question = "SELECT match, annulled FROM matches ORDER BY annulled"
    rows = [
        json.loads(line) for line in arena("query", run, question, "--json").stdout.splitlines()
    ]
    assert [row["annulled"] for row in rows] == [False, True]


def test_without_a_question_all_are_listed(arena: Arena, run_folder: Path) -> None:
    listed = found(arena, run_folder)
    assert [row["question"] for row in listed] == list(QUESTIONS)
    assert next(row["options"] for row in listed if row["question"] == "endings") == "--match"


def test_a_position_is_found_as_json_and_as_a_literal(arena: Arena, run_folder: Path) -> None:
    query = arena(
        "query",
        run_folder,
        "SELECT line, position, position_after FROM turns ORDER BY line",
        "--json",
    )
    turns = [json.loads(line) for line in query.stdout.splitlines()]
    start, after = turns[0]["position"], turns[0]["position_after"]
    for position in (START, start, json.dumps(json.loads(start), indent=1)):
        rows = found(arena, run_folder, "played-in", "--position", position)
        lines = [f"{RECORD}:{turn['line']}" for turn in turns if turn["position"] == start]
        assert [row["place"] for row in rows] == lines
    assert (
        found(arena, run_folder, "leading-to", "--position", after)[0]["place"]
        == f"{RECORD}:{turns[0]['line']}"
    )


def test_one_record_by_itself(
    arena: Arena, run_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (run_folder.parent / "sent.jsonl").write_bytes((run_folder / RECORD).read_bytes())
    assert len(found(arena, "sent.jsonl", "slow-turns", "--bot", "bo")) == 3
    assert found(arena, run_folder / RECORD, "games") == found(arena, run_folder, "games")
    monkeypatch.chdir(run_folder / "matches")
    assert len(found(arena, Path(RECORD).name, "games")) == 3


def test_a_broken_record_is_named_and_nothing_is_answered(arena: Arena, here: Path) -> None:
    files = small_run()
    run = write_run(here / "run", files | {RECORD: files[RECORD] + b"rubbish\n"})
    result = arena("log", run, "games")
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"the records cannot be queried: {RECORD}:" in result.stderr
    result = arena(
        "log",
        write_run(here / "broken", files | {"tournament.jsonl": b"{}\n"}),
        "games",
        "--bot",
        "bo",
    )
    assert (
        result.exit_code,
        "the records cannot be queried: tournament.jsonl:1" in result.stderr,
    ) == (1, True)


# docs/inspecting.md: every command is run, every column is told


PAGE = (Path(__file__).parents[2] / "docs" / "inspecting.md").read_text(encoding="utf-8")
COMMANDS = [
    found.replace("\\|", "|")
    for found in re.findall(r"^\| .* \| `(arena .*)` \|$", PAGE, re.MULTILINE)
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_question_has_an_answer(arena: Arena, run_folder: Path, command: str) -> None:
    words = shlex.split(command)
    result = arena(*words[1:])
    assert result.exit_code == 0, result.stderr
    assert result.stdout


def test_the_page_names_every_column() -> None:
    """What each column is, `arena query` says."""
    _, tables = PAGE.split("\n## Tables\n")
    rows = re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", tables, re.MULTILINE)
    named = {table: re.findall(r"`(\w+)`", columns) for table, columns in rows}
    common = Row.__struct_fields__
    assert named == {
        table: [one.name for one in columns_of(table) if one.name not in common]
        for table in (*TABLES, *ANALYSED, *VIEWS)
    }
