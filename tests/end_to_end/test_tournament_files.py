"""Tournament files of the docs and of sample bots, each played as it stands, or fewer matches of it."""

import os
import sys
import tomllib
from pathlib import Path

import pytest

from arena.games import load_game, option_names, ruleset_names
from arena.server.setup.tournament_file import parse_plan
from tests.fixtures.arena_runs import REPOSITORY, Run, arena, arena_process

FOLDER = REPOSITORY / "docs" / "tournaments"
FILES = sorted(FOLDER.glob("*.toml"))
MANY = REPOSITORY / "sample_bots" / "batching" / "many.toml"
"""Many games at once over one connection of the sample bot that batches."""
QUICK = {"backgammon", "brandubh-1", "swiss"}
"""Played whenever the tests run."""
OFTEN = {"classic-all-options", "knockout", "many", "pairs"}
"""Played by CI; each of the others takes two seconds more and adds no code of its own."""
SMALLER = {"engines": "tournament.pairs=1", "many": "tournament.cycles=5"}
"""What is set for files that take long: a quarter or half of the matches are played by the same
code."""
OURS = [
    name for name in ruleset_names() if load_game(name).ruleset["family"] in ("tables", "brandubh")
]


def _marks(name: str) -> tuple[pytest.MarkDecorator, ...]:
    return () if name in QUICK else (pytest.mark.slow if name in OFTEN else pytest.mark.soak,)


def test_every_ruleset_and_every_option_has_a_file() -> None:
    for file in FILES:
        parse_plan(file.read_text(encoding="utf-8"))
    sections = [tomllib.loads(file.read_text())["tournament"] for file in FILES]
    played = {section["ruleset"] for section in sections if isinstance(section["ruleset"], str)}
    assert played == set(OURS)
    switched_on = {
        (section["ruleset"], option)
        for section in sections
        for option in section.get("options", [])
    }
    assert switched_on == {(name, option) for name in OURS for option in option_names(name)}


@pytest.mark.slow
@pytest.mark.parametrize(
    "file", [pytest.param(file, id=file.stem, marks=_marks(file.stem)) for file in [*FILES, MANY]]
)
def test_a_file_is_played_to_its_end_and_verifies(file: Path, tmp_path: Path) -> None:
    here = {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    run = Run(tmp_path / "run")
    smaller = ("--set", SMALLER[file.stem]) if file.stem in SMALLER else ()
    result = arena("run", file, *smaller, "--out", run.folder, **here)
    assert result.returncode == 0, result.stderr
    plan = parse_plan(
        (run.folder / "tournament.toml").read_text()
    )  # without bots whose engine is not installed
    settled = run.settled()
    fixtures = plan.format.fixtures(plan.entrants)
    assert len(settled) == (len(fixtures) or plan.format.matches(len(plan.entrants)))
    assert {game["cause"] for fact in settled.values() for game in fact["games"]} == {None}
    assert run.facts("tournament_opened")[0]["ruleset"]["name"] == plan.game().name
    for fixture in settled:
        assert run.match(fixture, "turn_rejected") == []
    verified = arena_process("verify", run.folder)  # luck is looked for in processes of its own
    assert (verified.returncode, verified.stdout.startswith("in order: ")) == (0, True), (
        verified.stdout
    )
