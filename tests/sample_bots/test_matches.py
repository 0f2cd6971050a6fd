"""Every sample bot in real matches: launched by the arena and from elsewhere, in games of every family."""

import json
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.fixtures.arena_runs import Run, assert_verified, play, start_arena, write_plan
from tests.fixtures.bad_network import BadConnections
from tests.fixtures.bot_workshop import SAMPLES, Sample, surroundings
from tests.fixtures.sandboxes import why_no_sandbox
from tests.sample_bots.process import started

MATCH_TIMEOUT_S = 90.0
RANDOM = [sys.executable, str(SAMPLES / "random" / "bot.py")]
LIMITS = {"startup_ms": 60_000, "grace_ms": 30_000, "violations": 1000}
CLOCK = {"delay_ms": 5000, "bank_ms": 60_000}
CUTS = 5


def assert_plays_without_fault(run: Run, name: str) -> None:
    causes = {cause for games in run.forfeits(name).values() for _, cause in games}
    assert causes == {None}
    assert not [fact for fixture in run.settled() for fact in run.match(fixture, "turn_rejected")]
    assert_verified(run.folder)


def test_the_match_of_the_readme(sample: Sample, tmp_path: Path) -> None:
    """Built as its README says, it plays the match of its README without a fault and without a word of complaint.

    In the sandbox, where there is one, as for everybody; only the time to start is longer, for a
    machine that is busy.
    """
    bots = sample.readme.opponents()
    run = play(
        tmp_path,
        bots,
        env={"PATH": surroundings()["PATH"]},
        clock=CLOCK,
        limits=LIMITS | {"sandbox": None},
    )
    name = next(iter(bots))
    (fixture,) = run.settled()
    assert_plays_without_fault(run, name)
    assert run.output_of(fixture, name, "stderr") == b""
    assert why_no_sandbox() or {row["contained"][0] for row in run.standings().values()} == {
        "bubblewrap"
    }


@pytest.mark.soak
def test_several_matches_at_once_in_backgammon(sample: Sample, tmp_path: Path) -> None:
    together = {"process": "run", "matches_at_once": 4}
    run = play(
        tmp_path,
        {
            "anna": {"command": sample.start_command()} | together,
            "bo": {"command": RANDOM} | together,
        },
        env={"PATH": surroundings()["PATH"]},
        tournament={"ruleset": "backgammon", "games": None, "pairs": 1, "cycles": 4, "at_once": 4},
        clock=CLOCK,
        limits=LIMITS,
    )
    assert len(run.settled()) == 4
    assert_plays_without_fault(run, "anna")


@pytest.mark.slow
def test_a_remote_bot_over_a_line_that_breaks_in_brandubh(sample: Sample, tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    plan = write_plan(
        tmp_path,
        {"anna": None, "bo": RANDOM},
        tournament={"ruleset": "brandubh-1", "games": 3},
        clock=CLOCK,
        limits=LIMITS,
    )
    with ExitStack() as at_the_end, start_arena("run", plan, "--out", run.folder) as operator:
        at_the_end.callback(operator.kill)
        line = operator.stderr.readline()
        assert line.startswith("waiting at tcp:"), line
        address = line.split()[2]
        token = json.loads((run.folder / "secrets.json").read_text())["tokens"]["anna"]
        with started(sample, address) as wrong:
            code, complaint = wrong.end()
            assert (code, "bad_login" in complaint) == (1, True), complaint
        proxy = BadConnections(address, cuts=CUTS, bytes_between=(700, 4000), seed=CUTS)
        at_the_end.callback(proxy.close)
        with started(sample, f"tcp:127.0.0.1:{proxy.port}", ARENA_TOKEN=token) as bot:
            _, messages = operator.communicate(timeout=MATCH_TIMEOUT_S)
            code, complaint = bot.end()
    assert (operator.returncode, code) == (0, 0), messages + complaint
    assert token not in messages + complaint
    assert proxy.broken == CUTS
    assert (
        len(run.match("r1-anna-v-bo", "bot_returned"))
        == len(run.match("r1-anna-v-bo", "bot_left"))
        > 0
    )
    assert_plays_without_fault(run, "anna")


@pytest.mark.parametrize(
    ("bot", "ruleset", "words"),
    [
        (
            "greedy",
            "brandubh-1",
            "greedy plays tables games only, not brandubh-1; sample_bots/random plays everything",
        ),
        (
            "lookahead",
            "backgammon",
            "lookahead knows Bräde only, where both sides travel the same way (B1.1), not ",
        ),
        (
            "brandubh",
            "vasa",
            "brandubh plays the rulesets of Brandubh only, such as brandubh-1 and brandubh-2",
        ),
    ],
)
def test_a_game_that_a_bot_does_not_know_is_refused(
    tmp_path: Path, bot: str, ruleset: str, words: str
) -> None:
    bots = {"anna": [sys.executable, str(SAMPLES / bot / "bot.py")], "bo": RANDOM}
    run = play(tmp_path, bots, status=1, tournament={"ruleset": ruleset})
    assert run.forfeits("anna") == {"r1-anna-v-bo": [("bo", "no_show")] * 3}
    said = run.output_of("r1-anna-v-bo", "anna", "stderr").decode()
    assert said.startswith(words)
    assert said.count("\n") == 1
