"""Matches of other programs in `analyse`, `show` and `query`."""

import json
import shlex
from pathlib import Path

import pytest

from tests.fixtures.arena_runs import honest
from tests.fixtures.command_line import Arena
from tests.fixtures.foreign_files import GAME, bgf_file, bgf_turn, xg_file, xg_turn

MAT = """\
; [EventDate "2026.11.26"]

 3 point match

 Game 1
 Anna : 0                       Bo : 0
  1) 31: 8/5 6/5                 42: 8/4 6/4
  2) 65: 24/13                   33: 24/21(2) 13/10(2)
  3)  Doubles => 2               Drops
      Wins 1 point
"""
CUBE = (
    "the doubling cube is left out (1 double): turns are judged, and games count, as without it\n"
)
FILES = {
    "match.mat": MAT.encode(),
    "match.txt": MAT.encode(),
    "match.XG": xg_file(map(xg_turn, GAME)),
    "match.bgf": bgf_file([*map(bgf_turn, GAME)]),
}
HONEST = shlex.join(honest())
READERS = [
    ("analyse", ()),
    ("show", ()),
    ("query", ("SELECT 1",)),
    ("log", ("games",)),
    ("export", ("--to", "csv")),
    ("replay", ("--turn", 1, "--bot", HONEST)),
]
"""Commands that read a file, with what else they are given."""


@pytest.fixture(params=FILES)
def path(request: pytest.FixtureRequest, here: Path) -> Path:
    path = here / request.param
    path.write_bytes(FILES[request.param])
    return path


def test_analyse_judges_every_turn(arena: Arena, here: Path, path: Path) -> None:
    result = arena("analyse", path, "--json", "--worst", 1, "--bot", "bo")
    assert result.exit_code == 0, result.output
    analysis = json.loads(result.stdout)
    assert [(row["entrant"], row["name"], row["decisions"]) for row in analysis["entrants"]] == [
        ("anna", "Anna", 2),
        ("bo", "Bo", 2),
    ]
    assert [turn["entrant"] for turn in analysis["costliest"]] == ["bo"]
    assert analysis["warnings"] == []
    assert [*here.iterdir()] == [path]


def test_show_tells_every_turn_and_who_gave_up(arena: Arena, path: Path) -> None:
    result = arena("show", path, "--no-boards")
    assert result.exit_code == 0
    assert "   3 O Anna rolls 6-5: 24/1" in result.stdout
    assert "   4 X Bo rolls 3-3: 24/21(2) 13/10(2)" in result.stdout
    assert "Bo is gone: resigned, or refused a double\n" in result.stdout
    assert "the match is over: Anna 1 : 0 Bo" in result.stdout
    with_boards = arena("show", path).stdout
    assert ("no clock" in with_boards, " ms" in with_boards) == (True, False)


def test_query_has_every_turn(arena: Arena, path: Path) -> None:
    sql = "SELECT bot, dice, spent_ms FROM turns ORDER BY turn"
    rows = [json.loads(row) for row in arena("query", path, "--json", sql).stdout.splitlines()]
    assert [row["bot"] for row in rows] == ["anna", "bo", "anna", "bo"]
    assert [sorted(json.loads(row["dice"])) for row in rows] == [[1, 3], [2, 4], [5, 6], [3, 3]]


@pytest.mark.parametrize(("command", "more"), READERS)
def test_the_cube_is_left_out_and_said(
    arena: Arena, here: Path, command: str, more: tuple[object, ...]
) -> None:
    (here / "match.mat").write_text(MAT)
    assert arena(command, "match.mat", *more).stderr.count(CUBE) == 1


@pytest.mark.parametrize(("command", "more"), READERS)
def test_an_illegal_turn_says_where(
    arena: Arena, here: Path, command: str, more: tuple[object, ...]
) -> None:
    (here / "match.mat").write_text(MAT.replace("8/4 6/4", "8/4 6/3"))
    result = arena(command, "match.mat", *more)
    assert result.exit_code == 0, result.output
    problem = "game 1, turn 2: 42: 8/4 6/3: 6/3 needs a 3, and the unused dice are 2; "
    assert result.stderr.count(problem) == 1


def test_a_match_that_was_given_up_is_exported_and_read_again(arena: Arena, here: Path) -> None:
    (here / "match.mat").write_text(MAT)
    for path in ("match.mat", "match/r1-anna-v-bo.mat"):
        folder = Path(path).stem
        assert arena("export", path, "--to", "mat", "--out", folder).exit_code == 0
    once, twice = (
        Path(folder, "r1-anna-v-bo.mat").read_text() for folder in ("match", "r1-anna-v-bo")
    )
    assert once == twice
    assert "Wins 1 point\n" in once
    assert "Date" not in once


def test_a_sentence_is_in_the_language_of_the_terminal(arena: Arena, here: Path) -> None:
    (here / "match.mat").write_text(MAT)
    said = arena("--language", "sv", "show", "match.mat").stderr
    assert said.startswith("dubblingskuben utelämnas (1 dubbling)")


def test_what_cannot_be_read_is_one_sentence(arena: Arena, here: Path) -> None:
    (here / "match.mat").write_text(MAT.replace("65: 24/13", "\x1b[2J"))
    for command in ("analyse", "show", "query"):
        result = arena(command, "match.mat", *(["SELECT 1"] if command == "query" else []))
        assert result.exit_code == 2
        assert result.stderr.startswith("Error: match.mat cannot be read: line 8: ")
        assert "\x1b" not in result.stderr


def test_an_analysis_of_it_is_not_kept(arena: Arena, here: Path) -> None:
    """Its folder is no run folder, even if it is called matches."""
    (here / "matches").mkdir()
    (here / "matches" / "match.mat").write_text(MAT)
    assert arena("analyse", "matches/match.mat").exit_code == 0
    assert [path.name for path in here.iterdir()] == ["matches"]
    assert (
        "this is a record by itself"
        in arena("query", "matches/match.mat", "SELECT * FROM decisions").stderr
    )


def test_nothing_of_it_is_verified(arena: Arena, here: Path) -> None:
    """Nothing proves the dice of a file."""
    (here / "match.mat").write_text(MAT)
    assert arena("verify", "match.mat").exit_code == 2
