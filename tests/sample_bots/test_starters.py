"""What `arena new` writes plays at once, by the commands it prints."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cli.new.starters import LANGUAGES
from tests.sample_bots.workshop import BOTS, ROOT, Sample, call

PLACE = ROOT / "build" / "starters"


def printed_by(command: str) -> str:
    """What a command prints to standard output; it must go well."""
    done = call(command)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder below that of the commands, as an author has it."""
    PLACE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=PLACE) as made:
        yield Path(made).relative_to(ROOT)


def test_every_sample_bot_for_a_language_is_a_starter() -> None:
    assert {sample.folder for sample in BOTS} == set(LANGUAGES.values())


@pytest.mark.soak
def test_a_starter_builds_and_plays_by_the_commands_that_are_printed(
    sample: Sample, folder: Path, tmp_path: Path
) -> None:
    """Three games against its twin. The sample has been built before, so that all it needs is on this machine.

    What Cargo has compiled of other packages is taken along: it would take longer than all else here, and is theirs.
    """
    (language,) = (language for language, name in LANGUAGES.items() if name == sample.folder)
    printed = printed_by(f"arena new {language} {folder}/my-bot")
    *build, play = [line.strip() for line in printed.splitlines() if line.startswith("  ")]
    assert len(build) == bool(sample.product)
    if sample.folder == "rust":
        shutil.copytree(sample.path / sample.product, ROOT / folder / "my-bot" / sample.product)
    for command in build:
        printed_by(command)
    assert "1 of 1 matches" in printed_by(play.replace("--out my-bot-run", f"--out {tmp_path / 'run'}"))
