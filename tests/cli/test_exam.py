"""`arena positions` and `arena exam` from end to end: few positions, real bots."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.bot_workshop import ROOT
from tests.fixtures.command_line import Arena
from tests.fixtures.few_positions import few_positions, shipped_alone

RANDOM, GREEDY = (
    f"{sys.executable} {ROOT / 'sample_bots' / name / 'bot.py'}" for name in ("random", "greedy")
)
ONE_DIE = 'tournament.options=["one_die"]'
ROGUE = f"{sys.executable} {ROOT / 'tests' / 'conformance' / 'rogue.py'}"


@pytest.fixture(autouse=True)
def _kit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def exam(arena: Arena, *options: str) -> dict[str, Any]:
    result = arena("exam", "--set", "limits.sandbox=off", "--json", *options)
    assert result.exit_code == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_two_versions_of_a_bot_are_examined_and_told_apart(arena: Arena, here: Path) -> None:
    few_positions(80, here / "some.positions")
    few = ("--positions", "some.positions", "--save", "answers.json")
    found = exam(arena, f"new={GREEDY}", "--against", f"old={RANDOM}", *few)
    low, high = found["difference"]["interval"]
    assert low < found["difference"]["error_rate"] < high < 0
    assert found["error_rate"] - found["against"]["error_rate"] == pytest.approx(
        found["difference"]["error_rate"], abs=0.1
    )
    assert found["positions"] == 80 == sum(one["positions"] for one in found["phases"].values())
    assert [one["loss"] for one in found["costliest"]] == sorted(
        (one["loss"] for one in found["costliest"]), reverse=True
    )

    kept = json.loads((here / "answers.json").read_text())
    answers = kept["answers"][GREEDY]
    kept["answers"] = {GREEDY: answers[:-3]}  # as if it had been interrupted
    (here / "answers.json").write_text(json.dumps(kept))
    exam(arena, GREEDY, *few)
    assert json.loads((here / "answers.json").read_text())["answers"] == {GREEDY: answers}

    shown = arena("exam", GREEDY, *few).stdout
    assert "perfect answers would get" in shown
    assert shown.count("thousandths, ") == 10


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (
            ("exam", RANDOM, "--ruleset", "classic", "--set", ONE_DIE),
            "no positions ship for classic+one_die, only for",
        ),
        (("exam", f"{ROGUE} illegal", "--set", "limits.sandbox=off"), "up to position 0 of"),
        (("exam", RANDOM, "--positions", "other.json"), "other.json is no file of positions"),
        (
            ("positions", "brandubh-1", "--error", "1"),
            "--error means nothing for brandubh-1, which takes --looks",
        ),
        (
            ("positions", "house.toml"),
            "house.toml cannot be read as a tournament file: No such file",
        ),
        (
            ("positions", "vasa", "--looks", "1"),
            "--looks means nothing for vasa, which takes --error and --turns",
        ),
    ],
)
def test_what_cannot_be_examined_is_said(
    arena: Arena, here: Path, words: tuple[str, ...], problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.analysis.examination.SHIPPED", shipped_alone(6, here / "shipped"))
    (here / "other.json").write_text("[1]\n")
    result = arena(*words)
    assert result.exit_code in (1, 2)
    assert problem in result.stderr


@pytest.mark.soak
def test_positions_of_brandubh_are_made_and_a_bot_is_examined_with_them(
    arena: Arena, here: Path
) -> None:
    made = arena(
        "positions",
        "brandubh-1",
        "--number",
        "10",
        "--looks",
        "100",
        "--workers",
        "1",
        "--out",
        "few",
    )
    assert made.exit_code == 0, made.stderr
    assert "10 of 10 positions" in made.stderr
    assert "perfect answers" in made.stdout
    found = exam(arena, RANDOM, "--positions", "few/brandubh-1.positions")
    assert found["positions"] == 10
    assert found["judge"] == "proofs"
    assert set(found["scale"]) == {
        "random",
        "brandubh-easy",
        "brandubh",
        "brandubh, four turns ahead",
    }
    assert found["costliest"][0]["dice"] == []
    shown = arena(
        "exam", RANDOM, "--positions", "few/brandubh-1.positions", "--set", "limits.sandbox=off"
    ).stdout
    assert re.search(r"thousandths, (threat|trap|win|win at once): it plays [a-g]\d-[a-g]\d", shown)
