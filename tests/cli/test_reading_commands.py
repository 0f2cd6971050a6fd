"""`arena standings` and `arena verify`: the result on standard output, for people and as JSON."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.asked_pages import write_run
from tests.fixtures.command_line import Arena
from tests.fixtures.forgeries import twice
from tests.fixtures.signed_run import another_history, receipts_of
from tests.fixtures.small_run import (
    RECORD,
    forge,
    opened_tournament,
    played_attempt,
    run_of,
    small_run,
    unfinished_run,
    voided_attempt,
)

ESCAPE = "\x1b"


def change_points(found: list[dict[str, Any]]) -> None:
    results = [line["result"] for line in found if line["event"] == "game_ended"]
    next(result for result in results if result["points"])["points"] = 5


def test_the_standings_of_a_finished_run(arena: Arena, run_folder: Path) -> None:
    result = arena("standings", run_folder)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "small: vasa, round_robin, 1 of 1 matches counted" in result.stdout
    words = [line.split() for line in result.stdout.splitlines()]
    assert ["1", "anna", "1", "1", "0", "0", "1", "12:0", "-", "0"] in words
    assert ["2", "bo", "1", "0", "0", "1", "0", "0:12", "-", "2"] in words
    assert ["anna", "·", "12:0"] in words
    assert any(line[:2] == ["best", "games:"] for line in words)
    assert result.stdout.splitlines()[-1] == "anna won by match points, 1 against 0"
    assert ESCAPE not in result.stdout


def test_the_standings_as_json(arena: Arena, run_folder: Path) -> None:
    found = json.loads(arena("standings", "--json", run_folder).stdout)
    assert (found["name"], found["matches"], found["tie_breaks"]) == ("small", 1, [])
    assert found["outcome"] == ["anna won by match points, 1 against 0"]
    anna, bo = found["standings"]
    assert [anna[key] for key in ("place", "entrant", "match_points", "points", "forfeits")] == [
        1,
        "anna",
        1,
        12,
        0,
    ]
    assert (bo["place"], bo["entrant"], bo["lost"], bo["points_against"], bo["forfeits"]) == (
        2,
        "bo",
        1,
        12,
        2,
    )


def test_the_standings_as_json_tell_of_a_withdrawal(arena: Arena, here: Path) -> None:
    folder = write_run(
        here / "struck", run_of(opened_tournament(violations=2), voided_attempt(), played_attempt())
    )
    assert arena("verify", folder).exit_code == 0
    found = json.loads(arena("standings", "--json", folder).stdout)
    assert [row.get("withdrawal") for row in found["standings"]] == [None, "stands"]
    assert found["notes"] == ["bo withdrew after 1 of 1 match: at least half, so its results stand"]


def test_the_standings_while_a_run_is_going_on(arena: Arena, here: Path) -> None:
    files = unfinished_run()
    files["tournament.jsonl"] += b'{"event":"fixture_set'
    result = arena("standings", write_run(here / "going-on", files))
    assert (
        result.exit_code,
        "small: vasa, round_robin, 0 of 1 matches counted" in result.stdout,
    ) == (0, True)


def test_a_run_that_is_in_order(arena: Arena, run_folder: Path) -> None:
    result = arena("verify", run_folder)
    assert (result.exit_code, result.stderr) == (0, "")
    first, second, *table = result.stdout.splitlines()
    assert first == "in order: 1 match, 3 games, 3 turns; the run is finished"
    assert second == "disputed by bo; the table says what"
    assert any(line.split()[:2] == ["dice", "proven"] for line in table)
    found = json.loads(arena("verify", "--json", run_folder).stdout)
    levels = {claim["what"]: claim["level"] for claim in found.pop("claims")}
    assert levels == {
        "dice": "proven",
        "legality, endings, points": "proven",
        "standings": "proven",
        "games of anna": "claimed",
        "games of bo": "claimed",
        "results, tournament file": "claimed",
        "clocks, losses on time, dates": "claimed",
        "info, versions, fingerprints": "claimed",
        "commands, sandbox": "claimed",
        "objection of bo": "disputed",
    }
    record = (run_folder / "tournament.jsonl").read_bytes()
    assert found.pop("head") == {
        "lines": record.count(b"\n"),
        "sha256": hashlib.sha256(record).hexdigest(),
    }
    assert found == {
        "verified": True,
        "finished": True,
        "fixtures": 1,
        "scheduled": 1,
        "games": 3,
        "turns": 3,
        "disputed_by": ["bo"],
    }


def test_it_says_how_many_receipts_fit_and_fails_for_one_that_has_no_match(
    arena: Arena, run_folder: Path
) -> None:
    receipts = run_folder.parent / "receipts.jsonl"
    receipts.write_bytes(receipts_of(another_history()) + receipts_of(small_run()))
    refused = arena("verify", run_folder, "--receipt", receipts)
    assert refused.exit_code == 1
    assert (
        "receipts: 6 of this run (3 used, 3 missing), 0 of other runs; give --other-runs"
        in refused.stdout
    )
    given = ("verify", run_folder, "--receipt", receipts, "--other-runs")
    assert (
        "receipts: 3 of this run (3 used, 0 missing), 3 of other runs"
        in arena(*given).stdout.splitlines()
    )
    assert json.loads(arena(*given, "--json").stdout)["receipts"] == {
        "used": 3,
        "missing": 0,
        "of_other_runs": 3,
    }
    alone = arena("verify", run_folder, "--other-runs")
    assert (alone.exit_code, "give --receipt FILE too" in alone.stderr) == (2, True)


def test_a_published_head_is_held_against_the_run(arena: Arena, run_folder: Path) -> None:
    record = (run_folder / "tournament.jsonl").read_bytes().splitlines(keepends=True)

    def head(lines: int) -> str:
        return f"{lines}:{hashlib.sha256(b''.join(record[:lines])).hexdigest()}"

    whole = head(len(record))
    assert whole in re.sub(r"\s", "", arena("verify", run_folder).stdout)
    assert "which you gave" in " ".join(
        arena("verify", run_folder, "--head", whole.upper()).stdout.split()
    )
    assert arena("verify", run_folder, "--head", whole, "--head", head(2)).exit_code == 0
    for other in (whole.replace(f"{len(record)}:", "3:"), f"{len(record) + 1}:{'0' * 64}"):
        assert arena("verify", run_folder, "--head", other).exit_code == 1
    for text in ("56:85e0...", f"0:{'0' * 64}", f"{'1' * 5000}:{'0' * 64}", f"-1:{'0' * 64}"):
        wrong = arena("verify", run_folder, f"--head={text}")
        assert (
            wrong.exit_code,
            "expected LINES:SHA256" in wrong.stderr,
            len(wrong.stderr) < 300,
        ) == (2, True, True)


def test_the_dice_of_a_longer_run(
    arena: Arena, run_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.records.dice_figures.ENOUGH_DICE", 2)
    result = arena("verify", run_folder, "--dice")
    assert result.exit_code == 0
    for name in ("faces", "rolls", "doubles", "runs", "neighbours"):
        assert re.search(rf"^ {name} .* [01]\.\d{{4}} *$", result.stdout, re.MULTILINE), (
            result.stdout
        )
    assert "A p-value proves nothing" in result.stdout
    found = json.loads(arena("verify", run_folder, "--dice", "--json").stdout)["dice"]
    assert [test["name"] for test in found["tests"]] == [
        "faces",
        "rolls",
        "doubles",
        "runs",
        "neighbours",
    ]
    assert [test["degrees_of_freedom"] for test in found["tests"]] == [5, 35, None, None, None]
    assert all(0 <= test["p"] <= 1 for test in found["tests"])


@pytest.mark.parametrize("command", ["standings", "stats", "report"])
def test_a_match_that_is_settled_twice(arena: Arena, here: Path, command: str) -> None:
    folder = write_run(
        here / "forged", forge(small_run(), "tournament.jsonl", twice("fixture_settled"))
    )
    result = arena(command, folder)
    assert (result.exit_code, "tournament.jsonl:6" in result.stderr) == (1, True)


def test_a_run_that_was_killed_in_a_line(arena: Arena, here: Path) -> None:
    files = unfinished_run()
    folder = write_run(here / "killed", files | {RECORD: files[RECORD] + b'{"event":"turn'})
    result = arena("verify", folder)
    assert (result.exit_code, f"left out: the last line of {RECORD}" in result.stdout) == (0, True)
    assert "not finished: 0 of 1 matches played" in result.stdout
    assert ("there is nothing to prove yet" in result.stdout, " proven " in result.stdout) == (
        True,
        False,
    )
    found = json.loads(arena("verify", "--json", folder).stdout)
    assert (found["verified"], found["finished"]) == (True, False)


def test_a_run_that_is_not_in_order(arena: Arena, here: Path) -> None:
    folder = write_run(here / "forged", forge(small_run(), RECORD, change_points))
    result = arena("verify", folder)
    assert result.exit_code == 1
    assert f"{RECORD}:" in result.stdout
    assert '"points":5' in result.stdout
    assert '"points":6' in result.stdout
    found = json.loads(arena("verify", "--json", folder).stdout)
    assert (found["verified"], found["where"].startswith(f"{RECORD}:")) == (False, True)


def test_what_a_bot_wrote_into_a_record_is_shown_as_it_is(arena: Arena, here: Path) -> None:

    def change(found: list[dict[str, Any]]) -> None:
        played = next(line for line in found if line["event"] == "turn_played")
        played |= {"info": "[/b] [red]", "left_ms": 5}

    result = arena("verify", write_run(here / "forged", forge(small_run(), RECORD, change)))
    assert result.exit_code == 1
    assert '"info":"[/b] [red]"' in result.stdout


@pytest.mark.parametrize(
    "begun", [None, b"", b'{"event":"tournament_op'], ids=["no-record", "empty", "half-a-line"]
)
def test_a_run_that_was_stopped_before_its_first_line_is_in_order(
    here: Path, arena: Arena, begun: bytes | None
) -> None:
    run = write_run(
        here / "run",
        {"tournament.toml": b"name = 1"} | ({} if begun is None else {"tournament.jsonl": begun}),
    )
    result = arena("verify", run)
    assert result.exit_code == 0
    assert (
        result.stdout
        == "nothing was played: the run was stopped before the first line of its record\n"
    )
    found = json.loads(arena("verify", run, "--json").stdout)
    assert (found["verified"], found["finished"], found["games"]) == (True, False, 0)
    (here / "receipts.jsonl").write_bytes(receipts_of(small_run()))
    demands = (
        ("--receipt", here / "receipts.jsonl"),
        ("--head", f"5:{'0' * 64}"),
        ("--signed-by", "0" * 64),
    )
    for demand in demands:
        refused = arena("verify", run, *demand)
        assert (
            refused.exit_code,
            "not in order: tournament.jsonl: nothing was played" in refused.stdout,
        ) == (1, True)
    (run / "matches" / "r1-anna-v-bo.jsonl").write_bytes(b"")
    assert arena("verify", run).exit_code != 0


def test_what_was_decided_and_why_is_said_in_swedish(arena: Arena, run_folder: Path) -> None:
    standings = arena("--language", "sv", "standings", run_folder).stdout
    assert "bo förlorade 1 spel vid sidan av brädet: otillåten tur" in standings
    assert [
        word in standings for word in ("Ställning", "deltagare", "matchpoäng", "Korstabell")
    ] == [True] * 4
    story = arena("--language", "sv", "show", run_folder / "matches" / "r1-anna-v-bo.jsonl").stdout
    assert "anna vinner vid sidan av brädet (tid)" in story
    assert "fler otillåtna turer än turneringen förlåter i ett spel (1)" in story
