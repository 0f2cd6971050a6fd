"""`arena export --to ogxm`: what the library of OGXM itself says of our files."""

import json
import random
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from arena.games import load_game
from arena.matches.facts import Terms
from arena.matches.time_control import TimeControl
from arena.records.tabulate import rows_of_run
from tests.fixtures.asked_pages import write_run
from tests.fixtures.command_line import Arena
from tests.fixtures.sitting import Sitting
from tests.fixtures.small_run import RECORD, Files, forge, opened_tournament, run_of

MATCH = "r1-anna-v-bo"


@cache
def sitting_of(*options: str) -> Sitting:
    """One game is played out by chance, one drawn by the turn limit, one forfeited by the flag."""
    clock = TimeControl(delay_ms=100, bank_ms=200)
    terms = Terms(games=3, clock=clock, rejections=1, turn_limit=130, startup_ms=1000)
    sitting = Sitting(terms=terms, rules=load_game("backgammon", options=options))
    chance = random.Random(4)
    sitting.ready()
    while not sitting.ended:
        sitting.plays(chance.choice(sitting.legal).moves)
    while len(sitting.ended) < 2:
        sitting.plays()
    sitting.plays()
    sitting.waits(400)
    return sitting


def files_of(*options: str) -> Files:
    sitting = sitting_of(*options)
    return run_of(opened_tournament(sitting.opened.terms, rules=sitting.rules), sitting)


@pytest.fixture
def ogxm() -> Any:
    return pytest.importorskip("ogxm", reason="the extra ogxm is not installed")


def exported(arena: Arena, folder: Path) -> bytes:
    result = arena("export", folder, "--to", "ogxm")
    assert (result.exit_code, result.stdout) == (0, "bg-ogxm\n"), result.output
    return Path(f"bg-ogxm/{MATCH}.ogxm").read_bytes()


def board(row: Any) -> tuple[list[int], list[int]]:
    """Return White's and Black's checkers after a turn, in White's points; 0 and 25 are bars."""
    position = row.position_after
    # the view is that of the opponent of the side that moved
    mine, theirs = [], []
    for point, count in enumerate(position["points"], 1):
        mine += [point] * max(count, 0)
        theirs += [point] * max(-count, 0)
    mine += [0] * position["bar"][0]
    theirs += [25] * position["bar"][1]
    if row.seat == 2:
        return sorted(mine), sorted(theirs)
    return sorted(25 - point for point in theirs), sorted(25 - point for point in mine)


def ogid_board(ogid: str) -> tuple[list[int], list[int]]:
    """Return the same of an OGID, which has a character for each checker."""
    white, black = ogid.split(":")[:2]
    return sorted(int(point, 36) for point in white), sorted(int(point, 36) for point in black)


@pytest.mark.parametrize("options", [("no_gammons",), ()], ids=["plain", "gammons"])
def test_its_own_library_verifies_every_game_and_replays_it_to_our_boards(
    arena: Arena, here: Path, ogxm: Any, options: tuple[str, ...]
) -> None:
    files = files_of(*options)
    data = exported(arena, write_run(here / "bg", files))
    assert ogxm.verify(data) == (None, True)
    match = ogxm.binary_to_json(data)
    assert match["replay_complete"]
    assert (match["player_white"], match["player_black"]) == ("anna", "bo")
    assert (match["event"], match["started_at"]) == ("small", 1_700_000_000_000)
    assert match["jacoby"] == bool(options)
    ends = [game["termination"] for game in match["games"]]
    assert ends == ["played_out", "settled", "forfeited"]
    ended = sorted(sitting_of(*options).ended, key=lambda fact: fact.game)
    for game, fact in zip(match["games"], ended, strict=True):
        winner = 255 if fact.result.winner is None else fact.result.winner - 1
        assert (game["winner"], game.get("points_won", 0)) == (winner, fact.result.points)
    rows = [
        row
        for row in rows_of_run(files, tables=("turns",), with_positions=True)
        if row.event == "turn_played"
    ]
    plies = [ply for game in match["games"] for ply in game["plies"]]
    assert len(plies) == len(rows)
    for ply, row in zip(plies, rows, strict=True):
        assert ([ply["d1"], ply["d2"]], ply["color"]) == (sorted(row.dice), 2 - row.seat)
        assert ogid_board(ply["ogid_after"]) == board(row)
    assert any(not ply.get("moves") for ply in plies), "there is a pass"


@pytest.mark.slow
def test_analyses_go_along(arena: Arena, here: Path, ogxm: Any) -> None:
    folder = write_run(here / "bg", files_of())
    assert "analysis_info" not in ogxm.binary_to_json(exported(arena, folder))
    assert arena("analyse", folder).exit_code == 0
    assert arena("export", folder, "--to", "ogxm", "--force").exit_code == 0
    data = Path(f"bg-ogxm/{MATCH}.ogxm").read_bytes()
    assert ogxm.verify(data) == (None, True)
    match = ogxm.binary_to_json(data)
    information = match["analysis_info"]
    assert (information["currency"], information["level"]) == ("cubeless", {"checker_ply": 0})
    question = (
        "SELECT d.*, r.luck FROM decisions d JOIN rolls r USING (game, turn) ORDER BY game, turn"
    )
    rows = [
        json.loads(line) for line in arena("query", folder, question, "--json").stdout.splitlines()
    ]
    assert rows[0]["evaluator"] == information["model_name"]
    plies = [ply for game in match["games"] for ply in game["plies"]]
    assert len(plies) == len(rows)
    worse = 0
    for ply, row in zip(plies, rows, strict=True):
        analysis = ply["analysis"]
        best, *others = analysis["alternatives"]
        played = next(turn for turn in [best, *others] if turn["is_played"])
        assert played["move"] == ply.get("moves", [])
        assert played["equity"] == pytest.approx(row["value"], abs=1e-4)
        assert best["equity"] == pytest.approx(row["best_value"], abs=1e-4)
        assert analysis["roll"]["luck"] == pytest.approx(row["luck"], abs=1e-4)
        assert analysis.get("alternatives_total", len([best, *others])) == row["choices"]
        worse += best != played
    assert worse > 10


def test_a_changed_byte_is_refused(arena: Arena, here: Path, ogxm: Any) -> None:
    data = exported(arena, write_run(here / "bg", files_of()))
    end = data.rindex(b"CSUM")  # its own record has a byte of no meaning
    for place in range(0, end, 7):
        changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        assert ogxm.verify(changed) != (None, True), place


@pytest.mark.slow
def test_a_key_signs_the_match_and_its_analysis(arena: Arena, here: Path, ogxm: Any) -> None:
    folder = write_run(here / "bg", files_of())
    public_key = bytes.fromhex(arena("key", "new", "operator.pem").stdout)
    assert arena("analyse", folder).exit_code == 0
    unsigned = exported(arena, folder)
    words = ("export", folder, "--to", "ogxm", "--key", "operator.pem", "--force")
    assert arena(*words).exit_code == 0
    signed = Path(f"bg-ogxm/{MATCH}.ogxm").read_bytes()
    match = ogxm.binary_to_json(signed)
    match["event"] = "another"
    match["games"][0]["plies"][0]["analysis"]["roll"]["luck"] = 0.125
    changed = ogxm.json_to_binary(match)
    for is_right in (ogxm.verify_match, ogxm.verify_analysis):
        assert is_right(signed, keys=[public_key])
        assert not is_right(signed, keys=[bytes(32)]), "of another key"
        assert not is_right(changed, keys=[public_key])
        assert not is_right(unsigned, keys=[public_key])
    assert ogxm.verify(signed) == (None, True)


def test_a_key_is_for_ogxm_alone(arena: Arena, run_folder: Path, here: Path) -> None:
    arena("key", "new", "operator.pem")
    result = arena("export", run_folder, "--to", "csv", "--key", "operator.pem")
    assert (result.exit_code, "--key signs OGXM, and the format is csv" in result.stderr) == (
        2,
        True,
    )


def test_a_match_that_it_cannot_hold_is_named(arena: Arena, here: Path, ogxm: Any) -> None:
    def misplaced(lines: list[dict[str, Any]]) -> None:
        turn = next(line for line in lines if line["event"] == "turn_played")
        turn["moves"] = [[1, 24]]

    folder = write_run(here / "bg", forge(files_of(), RECORD, misplaced))
    result = arena("export", folder, "--to", "ogxm")
    assert (result.exit_code, [path.name for path in here.iterdir()]) == (1, ["bg"])
    assert f"nothing was written: {RECORD}: OGXM cannot hold it: " in result.stderr


def test_other_games_are_refused(arena: Arena, run_folder: Path, here: Path, ogxm: Any) -> None:
    result = arena("export", run_folder, "--to", "ogxm")
    assert result.exit_code == 2
    assert "OGXM is for backgammon alone, and r1-anna-v-bo was played under" in result.stderr
    assert [path.name for path in here.iterdir()] == ["my-run"]


def test_without_the_package_it_says_what_to_install(
    arena: Arena, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_run(here / "bg", files_of())
    monkeypatch.setitem(sys.modules, "ogxm", None)
    result = arena("export", folder, "--to", "ogxm")
    assert result.exit_code == 2
    assert f"the extra `ogxm`, on Linux; install it with: {sys.executable} -m pip" in result.stderr
    assert [path.name for path in here.iterdir()] == ["bg"]
