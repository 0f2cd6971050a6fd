"""`arena log`: questions about a run, each in one command, and the messages for wrong use."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.cli.log.reader import TableReader
from arena.cli.shared.sources import RecordSource
from arena.records.rows import MatchRow
from arena.server.setup.run_folder import RunFiles
from tests.cli.conftest import Arena, lay_out
from tests.end_to_end.runs import await_true, environment
from tests.records.small_run import RECORD, forge, small_run, unfinished_run


def found(arena: Arena, *arguments: object) -> list[dict[str, Any]]:
    """The rows a question gives, as JSON."""
    result = arena("log", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_rejections_are_counted_for_each_bot_most_first(arena: Arena, run_folder: Path) -> None:
    """A count for each bot, most first."""
    shown = arena("log", run_folder, "rejections", "--count-by", "bot").stdout
    assert [line.split() for line in shown.splitlines() if line.strip()][-2:] == [["bo", "2"], ["anna", "1"]]
    assert found(arena, run_folder, "rejections", "--count-by", "bot,turn", "--limit", 1) == [
        {"bot": "bo", "turn": 2, "count": 2}
    ]


def test_the_slowest_turn_is_told_with_its_place_in_the_record(arena: Arena, run_folder: Path) -> None:
    """The place in the record, whose turn it was, and how long it took; with -v how to look at it and replay it."""
    first, replay, show = arena("log", run_folder, "--slowest", 1, "-v").stdout.splitlines()
    assert first.startswith("my-run/matches/r1-anna-v-bo.jsonl:") or str(run_folder) in first
    assert first.endswith("no answer in time  301 ms")
    assert replay.strip().startswith("arena replay ")
    assert replay.endswith("--attempt 2 --game 3 --turn 1 --bot COMMAND")
    assert arena(*show.split()[1:]).exit_code == 0
    times = [row["spent_ms"] for row in found(arena, run_folder, "--sort", "spent_ms", "turns")]
    assert times == sorted(times)


@pytest.mark.parametrize(
    ("arguments", "number"),
    [
        ([], 3),
        (["--ending", "turn_limit"], 1),
        (["--ending", "Turn-Limit"], 1),
        (["--cause", "time"], 1),
        (["--winner", "anna"], 2),
        (["--loser", "anna"], 0),
        (["--bot", "anna", "--opponent", "bo"], 3),
        (["turns", "--bot", "anna"], 2),
        (["--turn", "1"], 4),
        (["--event", "flag_fell"], 1),
        (["--slower-than", "100ms"], 2),
        (["--slower-than", "0.15s"], 1),
        (["--slower-than", "1m"], 0),
        (["rejections", "--game", "2"], 3),
        (["rejections", "--slower-than", "0ms"], 3),
        (["absences"], 4),
        (["absences", "--event", "bot_returned"], 1),
        (["bots", "--attempt", "1"], 2),
        (["matches"], 2),
        (["matches", "--attempt", "2", "--ruleset", "vasa"], 1),
        (["matches", "--match", "r1-*"], 2),
        (["matches", "--match", "r2-*"], 0),
        (["--since", "2000-01-01"], 3),
        (["--until", "2000-01-01 12:00:00"], 0),
        (["turns", "--limit", "2"], 2),
        (["--position-after", '{"points": []}'], None),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_asked_for_is_found(arena: Arena, run_folder: Path, arguments: list[str], number: int | None) -> None:
    """The table follows from the criteria where none is named; every criterion must be met."""
    if number is None:
        result = arena("log", run_folder, *arguments)
        assert (result.exit_code, "is not a position of vasa" in result.stderr) == (2, True)
    else:
        assert len(found(arena, run_folder, *arguments)) == number


def test_a_position_is_found_as_json_and_as_a_literal(arena: Arena, run_folder: Path) -> None:
    """Before a turn, and after it from the opponent's view: the same turns as when all are read."""
    turns = found(arena, run_folder, "turns")
    start = turns[0]["position"]
    expected = [turn["line"] for turn in turns if turn["position"] == start]
    literal = "1:15 | opp 13:15"
    assert [row["line"] for row in found(arena, run_folder, "--position", json.dumps(start))] == expected
    assert [row["line"] for row in found(arena, run_folder, "--position", literal)] == expected
    after = json.dumps(turns[0]["position_after"])
    assert found(arena, run_folder, "--position-after", after)[0]["line"] == turns[0]["line"]


def test_one_record_by_itself(arena: Arena, run_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file under matches/, from wherever it is named, and one that was sent by somebody."""
    (run_folder.parent / "sent.jsonl").write_bytes((run_folder / RECORD).read_bytes())
    assert len(found(arena, "sent.jsonl", "turns")) == 5
    assert found(arena, run_folder / RECORD) == found(arena, run_folder)
    monkeypatch.chdir(run_folder / "matches")
    assert len(found(arena, Path(RECORD).name)) == 3
    assert arena("log", Path(RECORD).name).stdout.startswith(f"{Path(RECORD).name}:")


def test_nothing_found_says_what_there_is(arena: Arena, run_folder: Path) -> None:
    """No error, but a word on standard error about names that do not occur."""
    result = arena("log", run_folder, "--bot", "ana", "--ending", "jam")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "none of 3 games matches" in result.stderr
    assert "bot 'ana' does not occur; there are: anna, bo" in result.stderr
    assert "ending 'jam' does not occur; there are: forfeit, turn_limit" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none"], "does not exist; give the folder"),
        (["."], "is not a run folder"),
        (["my-run/tournament.jsonl"], "is not a match record: expected a run folder, or a .jsonl file"),
        (["my-run", "wins"], "'wins' is not one of"),
        (["my-run", "turns", "--ending", "jan"], "--ending is for games, not for turns"),
        (["my-run", "--ending", "jan", "--code", "x"], "--ending is for games; --code is for rejections"),
        (["my-run", "--slower-than", "500"], "expected something like 500ms, 2.5s or 1m"),
        (["my-run", "--slower-than", "9" * 400 + "m"], "expected something like 500ms, 2.5s or 1m"),
        (["my-run", "--sort", "time"], "games cannot be sorted or counted by 'time'; there are: file, line"),
        (["my-run", "turns", "--count-by", "position"], "cannot be sorted or counted by 'position'"),
        (["my-run", "--slowest", "1", "--limit", "2"], "give one or the other"),
        (["my-run", "--sort", "turns", "--count-by", "bot"], "does not go with --sort"),
        (["my-run", "--follow", "--slowest", "1"], "--follow lists things as they happen"),
        (["my-run", "--position", "here"], "is not a position of vasa: 'here' is not slot:count"),
        (["my-run", "--position", "{"], "is not a position of vasa"),
        (["my-run", "--cause", "anger"], "'anger' is not one of"),
        (["my-run", "--since", "yesterday"], "yesterday"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_use_is_told_with_what_was_expected(
    arena: Arena, run_folder: Path, arguments: list[str], message: str
) -> None:
    """Exit status 2; what was found, what was expected, nothing on standard output."""
    result = arena("log", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in " ".join(result.stderr.split())


def test_a_broken_record_is_left_out_and_named(arena: Arena, here: Path) -> None:
    """The others are listed; exit status 1."""
    files = small_run()
    files["matches/r2-bo-v-anna.jsonl"] = files[RECORD].splitlines(keepends=True)[0] + b"rubbish\n"
    result = arena("log", lay_out(here / "run", files))
    assert (result.exit_code, len(result.stdout.splitlines())) == (1, 3)
    assert result.stderr.startswith("left out: matches/r2-bo-v-anna.jsonl:2: not a line of this record")
    result = arena("log", lay_out(here / "broken", files | {"tournament.jsonl": b"{}\n"}))
    assert (result.exit_code, "the tournament record cannot be read" in result.stderr) == (1, True)


def test_a_record_with_a_control_character_is_refused(arena: Arena, here: Path) -> None:
    """No arena wrote it: bots are refused such a version at login."""

    def change(lines: list[dict[str, Any]]) -> None:
        next(line for line in lines if line["event"] == "bot_ready")["entrant"]["version"] = "\x1b[2J\nx"

    result = arena("log", lay_out(here / "run", forge(small_run(), RECORD, change)), "bots")
    assert (result.exit_code, "\x1b" in result.output) == (1, False)
    assert "a text holds a control character; records hold only what can be printed" in result.stderr


def test_following_a_run_until_it_is_over(here: Path) -> None:
    """Existing rows come at once, later ones when they are added, each once; a torn line waits for its end."""
    folder = lay_out(here / "run", unfinished_run())
    whole = small_run()
    command = [sys.executable, "-m", "arena", "log", folder, "turns", "--follow"]
    shown = here / "shown"
    with shown.open("wb") as file, subprocess.Popen(command, stdout=file, env=environment()) as process:
        try:
            await_true(lambda: len(shown.read_bytes().splitlines()) == 3)
            (folder / RECORD).write_bytes(whole[RECORD][: whole[RECORD].rindex(b'"event":"flag_fell"') + 9])
            await_true(lambda: len(shown.read_bytes().splitlines()) == 4)
            (folder / RECORD).write_bytes(whole[RECORD])
            (folder / "tournament.jsonl").write_bytes(whole["tournament.jsonl"])
            assert process.wait(20) == 0
        finally:
            process.kill()
    lines = shown.read_text().splitlines()
    assert len(lines) == len(set(lines)) == 5


def test_a_match_that_ends_while_it_is_followed_waits_for_its_winner(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tournament record was read before the match record was closed: the row comes when it is settled."""
    whole = small_run()
    tournament_log = whole["tournament.jsonl"].splitlines(keepends=True)
    folder = lay_out(here / "run", whole | {"tournament.jsonl": b"".join(tournament_log[:4])})
    looks = iter([b"".join(tournament_log[:5]), b"".join(tournament_log)])
    monkeypatch.setattr("time.sleep", lambda _: (folder / "tournament.jsonl").write_bytes(next(looks)))
    reader = TableReader(RecordSource(folder, RunFiles(folder)), "matches", with_positions=False)
    found = [(row.attempt, row.state, row.winner) for row in reader.followed() if isinstance(row, MatchRow)]
    assert found == [(1, "void", None), (2, "over", "anna")]


def test_a_record_with_nothing_in_it(arena: Arena, run_folder: Path) -> None:
    """It says so, and not that none of zero games matches."""
    (run_folder / RECORD).write_bytes(b"")
    result = arena("log", run_folder)
    assert (result.exit_code, result.stderr) == (0, f"{run_folder} has no match in it yet\n")
