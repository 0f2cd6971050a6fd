"""A folder of a bot's own: its program begins there, sees it, and finds what lies beside it by its plain name."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.test_secrecy import LANDLOCK, path_without_bwrap
from tests.fixtures.arena_runs import Run, arena, arena_process, honest, write_plan
from tests.fixtures.sandboxes import SANDBOX

MATCH = "r1-anna-v-bo"
BOT = """
import protocol.client as kit
move = int(open("choice.txt").read())
class Reader(kit.Bot):
    wants = ("legal",)
    def play(self, turn):
        return kit.Choice(move)
Reader().main()
"""


@pytest.fixture
def club(tmp_path: Path) -> Path:
    """A folder with that of a bot."""
    folder = tmp_path / "club"
    (folder / "b2").mkdir(parents=True)
    (folder / "b2/bot.py").write_text(BOT)
    (folder / "b2/choice.txt").write_text("0")
    return folder


def plan_of(club: Path, folder: str | None = "b2", **limits: Any) -> Path:
    """A tournament file that gives anna this folder."""
    anna = {"command": [sys.executable, "bot.py"]} | ({} if folder is None else {"folder": folder})
    return write_plan(club, {"anna": anna, "bo": honest()}, limits=limits)


@pytest.mark.parametrize(
    ("sandbox", "options"),
    [
        pytest.param("off", ("--workers", 1), id="off, workers", marks=pytest.mark.slow),
        pytest.param("require", (), marks=SANDBOX.marks, id="bubblewrap"),
        pytest.param("auto", (), marks=[*LANDLOCK.marks, pytest.mark.slow], id="Landlock"),
    ],
)
def test_a_program_begins_in_its_folder_and_finds_its_files(
    sandbox: str, options: tuple[object, ...], club: Path
) -> None:
    without = {"PATH": path_without_bwrap(club.parent)} if sandbox == "auto" else {}
    plan = plan_of(club, sandbox=sandbox, check_bots="require")
    result = arena_process("run", plan, "--out", "run", *options, cwd=club, **without)
    assert result.returncode == 0, result.stderr
    run = Run(club / "run")
    assert {cause for _, cause in run.forfeits("anna")[MATCH]} == {None}


def test_the_folder_is_given_without_a_file_as_well_and_a_replay_begins_there(club: Path) -> None:
    (club / "b2/choice.txt").write_text("1000")
    bots = ("--bot", "anna=python bot.py", "--bot", f"bo={shlex.join(honest())}")
    assert (
        arena(
            "run", *bots, "--set", "bot.anna.folder=b2", "--anyway", "--out", "run", cwd=club
        ).returncode
        == 0
    )
    run = Run(club / "run")
    assert {cause for _, cause in run.forfeits("anna")[MATCH]} == {"illegal_turns"}
    [evidence, *_] = sorted((run.folder / "evidence").iterdir())
    again = shlex.split(json.loads(evidence.read_text())["again"])
    (club / "b2/choice.txt").write_text("0")
    replayed = arena(*again[1:], cwd=club)
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr
    assert "legal" in replayed.stdout


def test_a_folder_that_cannot_be_one_is_refused(club: Path) -> None:
    for name in ("old/tournament.jsonl", "holds/old/tournament.jsonl"):
        (club / name).parent.mkdir(parents=True)
        (club / name).touch()
    problems = {
        "b3": "there is no such folder",
        "b2/bot.py": "that is a file; give the folder it is in",
        "old": f"{club / 'old'} is a run; give the bot a folder outside of it",
        "holds": f"it holds {club / 'holds/old'}; give the bot a folder that holds no runs and no credentials",
        ".": f"it holds {club / 'run'}; give the bot a folder that holds no runs and no credentials",
        "/": "a bot needs far less than that; make a folder for the bot in it",
    }
    for folder, problem in problems.items():
        refused = arena("run", plan_of(club, folder), "--out", "run", cwd=club)
        assert refused.returncode == 2
        assert f"bot anna: folder {folder!r}: {problem}\n" in refused.stderr
    remote = write_plan(club, {"anna": {"remote": True, "folder": "b2"}, "bo": honest()})
    told = "folder is for a bot with a command; the arena does not start a remote bot"
    assert told in arena("run", remote, "--out", "run", cwd=club).stderr


def test_a_bot_that_looks_for_its_files_elsewhere_is_told_of_the_field(club: Path) -> None:
    plan = write_plan(
        club,
        {"anna": [sys.executable, "b2/bot.py"], "bo": honest()},
        limits={"check_bots": "require"},
    )
    refused = arena("run", plan, "--out", "run", cwd=club)
    assert refused.returncode == 1
    assert (
        "to do: choice.txt is beside b2/bot.py, but a bot starts in the folder in which the arena was started"
        in refused.stderr
    )
    broken = plan_of(club, check_bots="require")
    (club / "b2/choice.txt").unlink()
    by_itself = f"cd b2 && arena check -- {shlex.join([sys.executable, 'bot.py'])}"
    assert f"see all output: {by_itself}" in arena("run", broken, "--out", "run", cwd=club).stderr
