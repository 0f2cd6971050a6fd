"""Launched bots are tried out before a run starts: if one does not log in or answer, nothing begins."""

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from arena.server.programs.advice import advice
from arena.server.programs.bot_command import BotCommand
from arena.words import say
from tests.fixtures.arena_runs import arena, honest, scripted, write_plan

CHECK = {"check_bots": "require", "startup_ms": 2500}


def plan_of(folder: Path, bots: dict[str, Any], **limits: Any) -> Path:
    return write_plan(
        folder,
        {name: bot if bot is None else {"command": bot} for name, bot in bots.items()},
        limits=CHECK | limits,
    )


@pytest.mark.slow
def test_what_cannot_play_is_named_with_its_last_words_and_nothing_is_left_behind(
    tmp_path: Path,
) -> None:
    bots = {"anna": honest(), "cat": ["cat"], "gone": [sys.executable, "none.py"]}
    bots |= {f"sleeps{number}": ["sleep", "100"] for number in (1, 2)}
    begun = time.monotonic()
    result = arena("run", plan_of(tmp_path, bots), "--out", tmp_path / "run")
    assert result.returncode == 1
    assert (
        "bot cat: its program ended with exit status 0; it printed nothing on standard error"
        in result.stderr
    )
    assert "bot gone: its program ended with exit status 2; last words: " in result.stderr
    assert "No such file or directory" in result.stderr
    assert "bot sleeps2: it was not ready within 2500 ms" in result.stderr
    assert "bot anna" not in result.stderr
    assert "--anyway" in result.stderr
    assert not (tmp_path / "run").exists()
    assert time.monotonic() - begun < 2 * 3 + 10  # far less than five bots one after the other


def test_a_file_that_only_the_sandbox_hides_is_told_so(tmp_path: Path) -> None:
    weights = tmp_path / "weights.bin"
    weights.touch()
    said = f"FileNotFoundError: [Errno 2] No such file or directory: '{weights}'"
    command = BotCommand(words=("x",), directory=tmp_path)
    assert say(advice(said, command, "bubblewrap")).startswith(
        f"{weights} is there, but the sandbox"
    )
    assert f'reads = ["{weights}"]' in say(advice(said, command, "bubblewrap"))
    assert advice(said.replace("weights", "missing"), command, "bubblewrap") is None


@pytest.mark.parametrize("way", ["option", "file"])
def test_the_run_starts_all_the_same_if_somebody_says_so(tmp_path: Path, way: str) -> None:
    limits = {"check_bots": "warn"} if way == "file" else {}
    plan = plan_of(tmp_path, {"anna": honest(), "cat": ["cat"]}, **limits)
    result = arena(
        "run", plan, "--out", tmp_path / "run", *(["--anyway"] if way == "option" else [])
    )
    assert (
        "bot cat: its program ended with exit status 0; it printed nothing on standard error; the run starts anyway"
        in result.stderr
    )
    assert "1 of 1 matches" in result.stdout


def test_a_dry_run_says_of_every_bot_how_it_does_and_plays_nothing(tmp_path: Path) -> None:
    illegal = scripted(tmp_path / "illegal.py", "return [[1, 24]]")
    bots = {"anna": honest(), "cat": ["cat"], "wild": illegal, "far": None}
    plan = plan_of(tmp_path, bots)
    result = arena("run", plan, "--dry-run", "--out", tmp_path / "run")
    lines = result.stdout.splitlines()
    assert result.returncode == 1
    assert lines[0].startswith("anna  ok, answers its first turn in ")
    assert lines[1].startswith("cat   FAILS: its program ended with exit status 0")
    assert [line[:14] for line in lines[2:4]] == ["        to do:", "        try it"]
    assert lines[4].startswith("wild  answers its first turn illegally: ")
    assert "(B" in lines[4]
    assert (
        lines[5]
        == "far   connects from elsewhere as far with a token that the run makes; not tried"
    )
    assert (
        lines[7]
        == "4 entrants, vasa, round_robin: 1 of 3 bots failed the check; nothing was played"
    )
    assert not (tmp_path / "run").exists()
    told = json.loads(arena("run", plan, "--dry-run", "--json").stdout)
    assert [bot["name"] for bot in told["bots"] if bot.get("problem")] == ["cat"]


@pytest.mark.slow
def test_a_bot_that_never_answers_is_not_fit(tmp_path: Path) -> None:
    silent = scripted(tmp_path / "silent.py", "import time; time.sleep(600)")
    plan = write_plan(
        tmp_path,
        {"anna": honest(), "mute": silent},
        limits=CHECK | {"startup_ms": 1500},
        clock={"delay_ms": 500, "bank_ms": 600_000, "increment_ms": 7},
    )
    result = arena("run", plan, "--dry-run")
    assert result.returncode == 1
    expected = "it did not answer its first turn within 1500 ms; its clock allows 500 ms a turn, 600000 ms a game and 7 ms"
    assert expected in result.stdout


def test_a_run_that_goes_on_tries_out_its_newcomers_alone(tmp_path: Path) -> None:
    """A bot that played before may fail now: that is told match by match, as ever."""
    starts = tmp_path / "starts"
    counting = scripted(tmp_path / "counting.py", "return Choice(0)")
    Path(counting[1]).write_text(
        f"open({str(starts)!r}, 'a').write('x')\n" + Path(counting[1]).read_text()
    )
    assert (
        arena(
            "run", plan_of(tmp_path, {"anna": honest(), "bo": counting}), "--out", tmp_path / "run"
        ).returncode
        == 0
    )
    assert starts.read_text() == "xx"  # for the check and for the match
    assert arena("run", tmp_path / "run").returncode == 0
    assert starts.read_text() == "xx"
    plan = plan_of(tmp_path, {"anna": honest(), "bo": counting, "cat": ["cat"]})
    refused = arena("run", plan, "--out", tmp_path / "run")
    assert refused.returncode == 1
    assert "bot cat: its program ended" in refused.stderr
    assert "bot bo" not in refused.stderr
    assert arena("run", tmp_path / "run").returncode == 0, "the run is as it was"


def test_a_comparison_tries_out_its_bots_as_well(tmp_path: Path) -> None:
    result = arena(
        "compare",
        " ".join(honest()),
        "cat",
        "--set",
        "limits.sandbox=off",
        "--out",
        tmp_path / "compared",
    )
    assert result.returncode == 1
    assert "bot old: its program ended with exit status 0" in result.stderr
    assert not (tmp_path / "compared").exists()
