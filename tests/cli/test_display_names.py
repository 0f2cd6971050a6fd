"""Entrants with display names, from the tournament file to every screen; ids in files, logins and records."""

import csv
import json
import re
import shlex
from pathlib import Path

import pytest
from rich.cells import cell_len

from arena.pages.report.building import report_of
from arena.records.facts import EntrantsAdded
from arena.records.lines import read_attempts, whole_lines
from arena.records.mat import format_mat
from arena.records.state import TournamentState
from arena.server.setup.run_folder import RunFiles
from arena.services.playing import new_folder
from tests.fixtures import arena_runs as runs
from tests.fixtures.command_line import Arena
from tests.fixtures.small_run import opened_tournament

ASA, TOKYO, ZOE = "Åsa Ek, Vasa 1628", "東京 [bold]ボット", "Zoe\u0301 : Bo"
BOT = """
import os
from protocol.client import Bot, Choice

class First(Bot):
    wants = ("legal",)

    def play(self, turn):
        assert os.environ["ARENA_NAME"] in ("asa-ek", "tokyo", "zoe-bo")
        return Choice(0)

First().main()
"""
FILE = f"""
[tournament]
ruleset = "backgammon"
format = "gauntlet-1"
challengers = ["{ASA}"]
[limits]
sandbox = "off"
[[bot]]
name = "{ASA}"
command = "python first.py"
[[bot]]
name = "{TOKYO}"
id = "tokyo"
command = "python first.py"
[[bot]]
name = "{ZOE}"
command = "python first.py"
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A run with such names, and what was shown of it while it was played."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "first.py").write_text(BOT)
    (folder / "t.toml").write_text(FILE, encoding="utf-8")
    result = runs.arena("run", "t.toml", "--out", "run", cwd=folder)
    assert result.returncode == 0, result.stderr
    return folder / "run", result.stdout + result.stderr


@pytest.mark.slow
def test_every_screen_shows_the_names_and_files_have_ids(
    played: tuple[Path, str], arena: Arena
) -> None:
    run, shown = played
    assert sorted(path.stem for path in (run / "matches").iterdir()) == [
        "r1-asa-ek-v-tokyo",
        "r2-zoe-bo-v-asa-ek",
    ]
    assert arena("verify", run).exit_code == 0
    match = next(iter(sorted((run / "matches").iterdir())))
    screens = {
        "run": shown,
        "standings": arena("standings", run).stdout,
        "stats": arena("stats", run).stdout,
        "show": arena("show", run).stdout,
        "verify": arena("verify", run).stdout,
        "query": arena(
            "query", run, "SELECT name, opponent_name, avg(win) FROM bot_games GROUP BY name"
        ).stdout,
    }
    for command, screen in screens.items():
        assert all(name in screen for name in (ASA, TOKYO, ZOE)), command
        for line in screen.splitlines():
            assert " asa-ek " not in line, (command, line)
    table = screens["standings"].split("Cross-table")[0].splitlines()
    rows = [line for line in table if re.match(r" +[1-3]=? ", line)]
    assert (len(rows), len({cell_len(line) for line in rows})) == (3, 1)
    for command in (("show", match), ("log", run, "builds"), ("log", run, "matches")):
        assert ASA in arena(*command).stdout, command


def test_machines_get_both(played: tuple[Path, str], arena: Arena) -> None:
    run, _ = played
    for command in ("standings", "stats"):
        found = json.loads(arena(command, "--json", run).stdout)
        rows = {row["entrant"]: row["name"] for row in found.get("standings") or found["entrants"]}
        assert rows == {"asa-ek": ASA, "tokyo": TOKYO, "zoe-bo": ZOE}
    assert (
        arena("query", run, "SELECT DISTINCT name FROM bots WHERE bot = 'asa-ek'").stdout
        == f"name\n{ASA}\n"
    )
    assert arena("export", run, "--to", "csv", "--out", "tables").exit_code == 0
    assert {path.read_bytes()[:3] for path in Path("tables").iterdir()} == {
        b"\xef\xbb\xbf"
    }  # for Excel
    assert arena("query", run, "SELECT 'Å'", "--csv").stdout == "'Å'\nÅ\n"  # a pipe has no mark
    with Path("tables/matches.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [row["name_2"] for row in csv.DictReader(file)] == [TOKYO, ASA]
    report = report_of(RunFiles(run), games="all")
    assert {line.name for line in report.run.entrants} == {ASA, TOKYO, ZOE}


def test_mat_has_names_that_its_readers_take(played: tuple[Path, str]) -> None:
    """No colon but the one that ends the name, and no more than 31 bytes of it, cut between characters."""
    run, _ = played
    path = run / "matches" / "r2-zoe-bo-v-asa-ek.jsonl"
    [attempt] = read_attempts("x", whole_lines(path.read_bytes()))
    line = format_mat(attempt).partition(" Game 1\n")[2].splitlines()[0]
    assert line == " " + "Zoe\u0301 . Bo : 0".ljust(35) + f"  {ASA} : 0"


@pytest.mark.slow
def test_a_turn_is_put_to_the_entrant_of_that_name(
    played: tuple[Path, str], arena: Arena, here: Path
) -> None:
    (here / "first.py").write_text(BOT)
    run, _ = played
    record = run / "matches" / "r1-asa-ek-v-tokyo.jsonl"
    names = {"asa-ek": ASA, "tokyo": TOKYO}
    turns: dict[int, str] = {}
    for turn in (1, 2):
        asked = arena("replay", record, "--game", 1, "--turn", turn, "--bot", "true", "--json")
        turns[turn] = json.loads(asked.stdout)["bot"]
    for turn, entrant in turns.items():
        for name in (entrant, names[entrant]):
            result = arena(
                "replay", record, "--game", 1, "--turn", turn, "--bot", f"{name}=python first.py"
            )
            assert result.exit_code == 0, result.stderr
            assert f"turn {turn}: {names[entrant]} rolls" in result.stdout
        (other,) = names.keys() - {entrant}
        refused = arena("replay", record, "--game", 1, "--turn", turn, "--remote", names[other])
        told = f"turn {turn} of game 1 is {names[entrant]}'s, not {names[other]}'s"
        assert (refused.exit_code, told in refused.stderr) == (2, True), refused.stderr


def test_a_new_bot_has_one(here: Path, arena: Arena) -> None:
    line = arena("new", "python", "bots/Åsa Ek", "--name", ASA).stdout.splitlines()[-1]
    words = shlex.split(line)
    assert words[words.index("--bot") + 1] == f"{ASA}=python 'bots/Åsa Ek/bot.py'"
    assert words[-2:] == ["--out", "asa-ek-run"]
    assert "--bot 'Åsa Ek, Vasa 1628'=" in Path("bots/Åsa Ek/README.md").read_text(encoding="utf-8")
    assert "--bot asa-ek=" in arena("new", "python", "Åsa Ek").stdout


def test_log_takes_the_names_that_it_shows(
    played: tuple[Path, str], arena: Arena, here: Path
) -> None:
    run, _ = played
    by_id, by_name = (arena("log", run, "slow-turns", "--bot", name) for name in ("asa-ek", ASA))
    assert (by_name.stdout, by_name.stderr) == (by_id.stdout, by_id.stderr)
    record = here / "by-mail.jsonl"
    record.write_bytes((run / "matches" / "r1-asa-ek-v-tokyo.jsonl").read_bytes())
    assert arena("log", record, "games", "--bot", TOKYO).stderr == "3 rows\n"
    unknown = arena("log", run, "games", "--bot", "Nobody, 1628").stderr.splitlines()[-1]
    assert unknown == f"Error: there is no bot 'Nobody, 1628'; there are: {ASA}; {TOKYO}; {ZOE}"
    matches = map(json.loads, arena("log", run, "matches", "--json").stdout.splitlines())
    assert {row["seat_1"] for row in matches} == {"zoe-bo", "asa-ek"}


@pytest.mark.parametrize(
    ("name", "folder"),
    [("Kv\u00e4ll", "kvall-1"), ("Friday, week 3", "friday-week-3-1"), ("\u6771\u4eac", "run-1")],
)
@pytest.mark.usefixtures("here")
def test_the_default_folder_is_made_of_the_name_of_the_tournament(name: str, folder: str) -> None:
    assert new_folder(name) == (Path("runs") / folder, None)


def test_newcomers_bring_their_names() -> None:
    state = TournamentState(opened_tournament(entrants=("anna", "bo")))
    state.apply(
        EntrantsAdded(at_ms=1, entrants=["asa-ek"], names={"asa-ek": ASA}, file_sha256="0" * 64)
    )
    assert state.standings().name("asa-ek") == ASA
