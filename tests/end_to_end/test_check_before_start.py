"""Launched bots are tried out before a run starts: if one does not log in or answer, nothing begins."""

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from arena.server.programs.launcher import advice
from tests.end_to_end.runs import arena, honest, scripted, write_plan

CHECK = {"check_bots": "require", "startup_ms": 2500}


def plan_of(folder: Path, bots: dict[str, Any], **limits: Any) -> Path:
    return write_plan(
        folder, {name: bot if bot is None else {"command": bot} for name, bot in bots.items()}, limits=CHECK | limits
    )


def test_what_cannot_play_is_named_with_its_last_words_and_nothing_is_left_behind(tmp_path: Path) -> None:
    bots = {"anna": honest(), "cat": ["cat"], "gone": [sys.executable, "none.py"]}
    bots |= {f"sleeps{number}": ["sleep", "100"] for number in (1, 2)}
    begun = time.monotonic()
    result = arena("run", plan_of(tmp_path, bots), "--out", tmp_path / "run")
    assert result.returncode == 1
    assert "bot cat: its program ended with exit status 0; it said nothing on standard error" in result.stderr
    assert "bot gone: its program ended with exit status 2; last words: " in result.stderr
    assert "No such file or directory" in result.stderr
    assert "bot sleeps2: it was not ready within 2500 ms" in result.stderr
    assert "bot anna" not in result.stderr
    assert "--anyway" in result.stderr
    assert not (tmp_path / "run").exists()
    assert time.monotonic() - begun < 2 * 3 + 10  # far less than five bots one after the other


CRASHES = """
from protocol.client import Bot

class Crashes(Bot):
    def play(self, turn):
        return {}["no such key"]

Crashes().main()
"""


def test_a_bot_that_cannot_play_is_told_with_the_place_and_what_to_do(tmp_path: Path) -> None:
    """The last line of a traceback alone helps nobody; neither does silence."""
    (tmp_path / "crashes.py").write_text(CRASHES)
    (tmp_path / "forgets.py").write_text(CRASHES.replace("Crashes().main()", ""))
    (tmp_path / "kitless.py").write_text("raise ModuleNotFoundError(\"No module named 'protocol'\")\n")
    bots = [("crashes", "python crashes.py"), ("forgets", "python forgets.py"), ("kitless", "python kitless.py")]
    options = [word for name, command in bots for word in ("--bot", f"{name}={command}")]
    for more in ((), ("--dry-run",)):
        result = arena("run", *options, "--set", "limits.sandbox=off", "--games", "3", *more, cwd=tmp_path)
        told = result.stdout + result.stderr
        assert result.returncode == 1
        for words in (
            "last words: KeyError: 'no such key'",
            'crashes.py", line 6, in play',
            'see all of it: arena check "python crashes.py"',
            "is `.main()` missing at the end of its program?",
            "to do: start it with `python`; in a bot's command that is the arena's own",
        ):
            assert words in told, (more, words)
    bots_told = json.loads(arena("run", *options, "--dry-run", "--json", cwd=tmp_path).stdout)["bots"]
    assert [bool(bot["advice"]) for bot in bots_told] == [False, True, True]


def test_a_file_that_only_the_sandbox_hides_is_told_so(tmp_path: Path) -> None:
    weights = tmp_path / "weights.bin"
    weights.touch()
    said = f"FileNotFoundError: [Errno 2] No such file or directory: '{weights}'"
    assert advice(said, tmp_path).startswith(f"{weights} is there, but the sandbox")
    assert f'reads = ["{weights}"]' in advice(said, tmp_path)
    assert advice(said.replace("weights", "missing"), tmp_path) == ""


@pytest.mark.parametrize("way", ["option", "file"])
def test_the_run_starts_all_the_same_if_somebody_says_so(tmp_path: Path, way: str) -> None:
    limits = {"check_bots": "warn"} if way == "file" else {}
    plan = plan_of(tmp_path, {"anna": honest(), "cat": ["cat"]}, **limits)
    result = arena("run", plan, "--out", tmp_path / "run", *(["--anyway"] if way == "option" else []))
    assert (
        "bot cat: its program ended with exit status 0; it said nothing on standard error; the run starts anyway"
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
    assert lines[5] == "far   connects from elsewhere as far with a token that the run makes; not tried"
    assert lines[6] == "4 entrants, vasa, round_robin: 1 of 3 bots failed the check; nothing was played"
    assert not (tmp_path / "run").exists()
    told = json.loads(arena("run", plan, "--dry-run", "--json").stdout)
    assert [bot["name"] for bot in told["bots"] if bot.get("problem")] == ["cat"]


@pytest.mark.parametrize(("delay_ms", "is_fit"), [(500, False), (60_000, True)])
def test_a_bot_that_never_answers_is_not_fit_unless_it_is_within_its_delay(
    tmp_path: Path, delay_ms: int, is_fit: bool
) -> None:
    silent = scripted(tmp_path / "silent.py", "import time; time.sleep(600)")
    plan = write_plan(
        tmp_path,
        {"anna": honest(), "mute": silent},
        limits=CHECK | {"startup_ms": 2000},
        clock={"delay_ms": delay_ms, "bank_ms": 600_000},
    )
    result = arena("run", plan, "--dry-run")
    assert result.returncode == (0 if is_fit else 1)
    if not is_fit:
        expected = "it did not answer its first turn within 2000 ms; its clock allows 500 ms a turn + 600000 ms a game"
        assert expected in result.stdout


def test_a_run_that_goes_on_tries_out_its_newcomers_alone(tmp_path: Path) -> None:
    """A bot that played before may fail now: that is told match by match, as ever."""
    starts = tmp_path / "starts"
    counting = scripted(tmp_path / "counting.py", "return Choice(0)")
    Path(counting[1]).write_text(f"open({str(starts)!r}, 'a').write('x')\n" + Path(counting[1]).read_text())
    assert (
        arena("run", plan_of(tmp_path, {"anna": honest(), "bo": counting}), "--out", tmp_path / "run").returncode == 0
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
    result = arena("compare", " ".join(honest()), "cat", "--set", "limits.sandbox=off", "--out", tmp_path / "compared")
    assert result.returncode == 1
    assert "bot old: its program ended with exit status 0" in result.stderr
    assert not (tmp_path / "compared").exists()
