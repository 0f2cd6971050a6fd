"""docs/adapters.md: every command on the page does what it says, every line is one."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from arena.adapters.lines import Answer, format_line, read_answer
from protocol.messages import FromArena
from tests.adapters.test_gnubg import needs_gnubg
from tests.end_to_end.runs import REPOSITORY, Run, assert_verified, environment
from tests.protocol.samples import REJECTED, TURN
from tests.sample_bots.workshop import surroundings

PAGE = (REPOSITORY / "docs" / "adapters.md").read_text("utf-8")
LINES = [line for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_lines_are_lines() -> None:
    """Those of the arena are written by the adapter byte for byte, the others are read by it."""
    told = [line for line in LINES if '"type"' in line]
    assert told == [format_line(message).decode().strip() for message in (TURN, REJECTED)]
    assert [read_answer(line.encode()) for line in LINES if line not in told] == [
        Answer(choice=0),
        Answer(moves=[[1, 7], [7, 9]]),
        Answer(game=1, turn=1, choice=1, info={"note": "a hunch"}),
        Answer(dice=1),
    ]


def test_the_tables_are_whole() -> None:
    """Every field of an answer has its row; every message has, or the adapter keeps it to itself."""
    answers = PAGE.partition("### What it answers")[2].partition("```")[0]
    assert set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|([^|]*)\|", answers, re.MULTILINE)))) == set(
        Answer.__struct_fields__
    )
    told = PAGE.partition("### What it is told")[2].partition("```")[0]
    named = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|([^|]*)\|", told, re.MULTILINE)))) - {"type"}
    types = {msgspec.inspect.type_info(one).tag for one in FromArena.__args__}  # type: ignore[attr-defined]
    assert named == types - {"hello", "welcome", "error", "ping", "pong", "bye"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the programs of the page are saved under their names."""
    (awk,), (python,) = blocks("awk"), blocks("python")
    (tmp_path / "bot.awk").write_text(awk)
    (tmp_path / "lines.py").write_text(python)
    return tmp_path


def follow(command: str, folder: Path) -> str:
    """Run a command of the page as if its files were in the current folder; gives what it prints."""
    for name in ("bot.awk", "lines.py", "my-run"):
        command = command.replace(name, str(folder / name))
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=REPOSITORY,
        env=environment(PATH=surroundings()["PATH"]),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_page_has_four_commands() -> None:
    """By hand, in awk, in Python, GNU Backgammon; each is run by a test below."""
    assert [command.split()[0] for command in blocks("sh")] == ["echo", "arena", "arena", "arena"]


@pytest.mark.skipif(shutil.which("awk") is None, reason="awk is not installed")
def test_by_hand(folder: Path) -> None:
    """One line in, one line out."""
    assert json.loads(follow(blocks("sh")[0], folder))["choice"] in {0, 1}


@pytest.mark.parametrize(
    ("number", "name"),
    [
        pytest.param(1, "me", marks=pytest.mark.skipif(shutil.which("mawk") is None, reason="mawk is not installed")),
        (2, "me"),
        pytest.param(3, "gnubg", marks=[needs_gnubg, pytest.mark.slow]),
    ],
    ids=["awk", "python", "gnubg"],
)
def test_a_match_of_the_page(folder: Path, number: int, name: str) -> None:
    """It is played to its end without a fault."""
    follow(blocks("sh")[number], folder)
    run = Run(folder / "my-run")
    assert {game["cause"] for settled in run.settled().values() for game in settled["games"]} == {None}
    assert [run.output_of(fixture, name, "stderr") for fixture in run.settled()] == [b""]
    assert_verified(run.folder)
