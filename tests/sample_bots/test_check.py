"""Every sample bot goes well through `arena check` and answers the golden conversations."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.protocol.fake_arena import unix_door
from tests.protocol.golden import NAMES, Golden
from tests.sample_bots.process import started
from tests.sample_bots.workshop import Sample, call

PYTHON_ONLY = ("minimal", "greedy", "batching", "lookahead", "neural")
"""Those that are in no other test here."""


def checked(command: list[str], ruleset: str = "vasa") -> dict[str, Any]:
    """What became of each situation, by its name; all that is required must go well."""
    done = call(f"arena check --ruleset {ruleset} --json --wait 60 -- {shlex.join(command)}")
    assert done.returncode == 0, done.stdout + done.stderr
    return {one["name"]: one for one in json.loads(done.stdout)["situations"]}


@pytest.mark.slow
def test_a_sample_bot_does_all_that_is_asked(sample: Sample) -> None:
    seen = checked(sample.start_command())
    wrong = {name for name, one in seen.items() if one["result"] != "passed"}
    assert wrong == set(), [seen[name] for name in wrong]


@pytest.mark.slow
@pytest.mark.parametrize("folder", PYTHON_ONLY)
def test_the_other_bots_in_python_do_what_is_required(folder: str) -> None:
    seen = checked(["python", f"sample_bots/{folder}/bot.py"])
    wrong = {name for name, one in seen.items() if one["result"] != "passed"}
    assert wrong == ({"reconnect"} if folder == "minimal" else set())


@pytest.mark.slow
def test_the_bot_for_brandubh_does_all_that_is_asked() -> None:
    seen = checked(["python", "sample_bots/brandubh/bot.py", "--depth", "2"], "brandubh-2")
    assert {name for name, one in seen.items() if one["result"] != "passed"} == set()


# Every sample bot answers the golden conversations


def test_the_golden_conversations_are_answered(sample: Sample, tmp_path: Path) -> None:
    broken_off = {}
    for name in NAMES:
        golden = Golden(name)
        (tmp_path / name).mkdir()
        with unix_door(tmp_path / name) as door, started(sample, door.address) as bot:
            broken_off[name] = golden.play(door)
            if not broken_off[name]:
                code, complaint = bot.end()
                assert code == (1 if name == "refused" else 0), f"{name}: {complaint}"
                assert ("bad_login" in complaint) == (name == "refused")
                assert ("stale_turn" in complaint) == (name == "stale-answer")
    assert {name for name, reason in broken_off.items() if reason} <= {"call", "window"}
