"""Evidence of a forfeit for the bot's author, and the command that asks the bot again."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.arena_runs import (
    REPOSITORY,
    Run,
    arena,
    assert_verified,
    environment,
    honest,
    play,
    rogue,
    scripted,
    start_arena,
)

MATCH = "r1-anna-v-rogue"
CRASHES, ANSWERS = "raise RuntimeError('I am lost')", "return Choice(0)"


def evidence(run: Run, game: int = 1) -> dict[str, Any]:
    """What is there about the rogue's fault in a game."""
    found: dict[str, Any] = json.loads(
        (run.folder / "evidence" / f"{MATCH}-1-g{game}-rogue.json").read_text()
    )
    return found


def again(found: dict[str, Any], *more: str) -> subprocess.CompletedProcess[str]:
    """The command that the evidence gives."""
    program, *words = shlex.split(found["again"])
    assert program == "arena"
    return arena(*words, *more)


def played_against(folder: Path, rogue: list[str], *, status: int = 0, **changes: Any) -> Run:
    """A match between an honest bot and another; `status` is 1 if that never comes."""
    return play(folder, {"anna": honest(), "rogue": rogue}, status=status, **changes)


def test_a_crash_leaves_exit_status_last_words_and_the_command_that_asks_again(
    tmp_path: Path,
) -> None:
    bot = tmp_path / "bot.py"
    run = played_against(tmp_path, scripted(bot, CRASHES))
    found = evidence(run)
    assert [fact["event"] for fact in found["facts"]] == ["bot_left", "game_ended"]
    assert found["program"]["end"] == "it ended with exit status 1"
    assert "RuntimeError: I am lost" in found["program"]["stderr"]
    assert found["frames"][-1]["message"]["type"] == "turn"
    assert_verified(run.folder)
    told = arena("show", run.folder / "matches" / f"{MATCH}.jsonl").stdout
    assert "the loser lost its connection for good: it hung up; a forfeit pays" in told

    result = again(found)
    assert result.returncode == 1
    then, now = result.stdout.splitlines()[-2:]
    assert then == "then: no answer: it hung up; forfeit (disconnect)"
    assert now == "now:  no answer: it hung up; its program ended with exit status 1"
    assert "RuntimeError: I am lost" in result.stderr

    scripted(bot, ANSWERS)
    result = again(found, "--json")
    assert result.returncode == 0, result.stdout + result.stderr
    asked = json.loads(result.stdout)
    assert (asked["position"], asked["dice"]) == (found["turn"]["position"], found["turn"]["dice"])
    assert (asked["legal"], asked["verdict"]["event"]) == (True, "turn_played")


def test_a_program_that_never_logged_in_leaves_its_last_words_without_its_token(
    tmp_path: Path,
) -> None:
    words = "import os, sys; sys.exit('oops ' + os.environ['ARENA_TOKEN'])"
    run = played_against(tmp_path, [sys.executable, "-c", words], status=1)
    for game in (1, 2, 3):
        found = evidence(run, game)
        assert [fact["event"] for fact in found["facts"]][-1] == "game_ended"
        assert found["program"]["end"] == "it ended with exit status 1"
        assert re.fullmatch(r"oops \*+\n", found["program"]["stderr"])
    told = arena("show", run.folder / "matches" / f"{MATCH}.jsonl").stdout
    assert (
        told.count("the loser did not come: its program ended with exit status 1; a forfeit pays")
        == 3
    )


@pytest.mark.slow
def test_a_remote_bot_can_be_asked_again(tmp_path: Path) -> None:
    run = played_against(tmp_path, rogue("crash"))
    record = run.folder / "matches" / f"{MATCH}.jsonl"
    turn = evidence(run)["turn"]["turn"]
    with start_arena("replay", record, "--game", 1, "--turn", turn, "--remote", "rogue") as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "waiting for the bot; start it with:\n"
        given = dict(word.split("=", 1) for word in process.stderr.readline().split())
        bot = subprocess.run(
            honest(), cwd=REPOSITORY, env=environment(**given), timeout=120, check=False
        )
        said, _ = process.communicate(timeout=120)
    assert (bot.returncode, process.returncode) == (0, 0)
    assert said.endswith("legal\n")


@pytest.mark.slow
def test_any_turn_may_be_put_to_any_bot(tmp_path: Path) -> None:
    finished = played_against(tmp_path, rogue("crash"))
    record = finished.folder / "matches" / f"{MATCH}.jsonl"
    played = finished.match(MATCH, "turn_played")[0]
    for place, more in (
        (finished.folder, []),
        (record, ["--game", 1]),
    ):  # the first forfeit, of a run and of a match
        first = json.loads(
            arena("replay", place, *more, "--json", "--bot", f"rogue={' '.join(honest())}").stdout
        )
        assert (first["game"], first["turn"], first["bot"]) == (
            1,
            evidence(finished)["turn"]["turn"],
            "rogue",
        )
    words = ["--game", played["game"], "--turn", played["turn"], "--bot", " ".join(honest())]
    result = arena("replay", record, *words)
    assert result.returncode == 0, result.stderr
    then, now = result.stdout.splitlines()[-2:]
    assert re.fullmatch(rf"then: [\w/ ]+ after {played['spent_ms']} ms: legal", then)
    assert re.fullmatch(r"now:  [\w/ ]+ after \d+ ms: legal", now)
    found = json.loads(arena("replay", record, *words, "--json").stdout)
    assert [fact["moves"] for fact in found["recorded"]] == [played["moves"]]
    assert (found["legal"], found["verdict"]["turn"]) == (True, played["turn"])
