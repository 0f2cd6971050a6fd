"""`arena new`: a sample bot as something to start from."""

import re
import shlex
from pathlib import Path

import pytest

from arena.cli.new import BUILT, LANGUAGES, PLAYERS, README, Starter
from tests.fixtures.command_line import Arena

SAMPLES = Path(__file__).parents[2] / "sample_bots"


def written(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_starter_is_the_sample_bot_byte_for_byte(here: Path, arena: Arena, language: str) -> None:
    result = arena("new", language, "my-bot")
    assert (result.exit_code, result.stderr) == (0, "")
    files = written(here / "my-bot")
    readme = files.pop(README).decode()
    assert files
    for name, content in files.items():
        assert content == (SAMPLES / LANGUAGES[language] / name).read_bytes()
    assert not [word for word in ("sample_bots", "](../", "at random:") if word in readme]
    printed = [line.strip() for line in result.stdout.splitlines() if line.startswith("  ")]
    in_readme = re.findall(r"^```sh\n(.*?)\n```$", readme, re.DOTALL | re.MULTILINE)
    assert [line.split()[-1] for line in printed] == [line.split()[-1] for line in in_readme]
    assert in_readme[-1].startswith("arena run --bot my-bot=")
    assert all("my-bot" in command for command in in_readme)


@pytest.mark.parametrize("player", PLAYERS)
def test_a_bot_that_plays_to_win_can_be_had_by_its_name(
    here: Path, arena: Arena, player: str
) -> None:
    result = arena("new", player, "rival")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"A copy of {player} is in rival;")
    assert {path.name for path in (here / "rival").iterdir()} == {
        path.name for path in (SAMPLES / player).iterdir() if path.name not in BUILT
    }
    readme = (here / "rival" / README).read_text(encoding="utf-8")
    assert "sample_bots" not in readme
    ruleset = " --ruleset brandubh-2" if player == "brandubh" else ""
    assert f"run{ruleset} --bot rival='python rival/bot.py' --bot twin=" in result.stdout
    assert "Build it" not in result.stdout


def test_every_file_of_a_sample_bot_is_copied_but_what_was_built(tmp_path: Path) -> None:
    sample = tmp_path / "sample_bots" / "new"
    for name in (
        ".hidden",
        "src/deep/bot.x",
        "build/bot",
        "node_modules/a/b",
        "target/x",
        "src/__pycache__/bot.pyc",
    ):
        (sample / name).parent.mkdir(parents=True, exist_ok=True)
        (sample / name).write_text(name)
    assert [str(path) for path in Starter(sample).files()] == [".hidden", "src/deep/bot.x"]


def test_a_folder_with_a_blank_and_a_name_of_its_own(here: Path, arena: Arena) -> None:
    line = arena("new", "c", "my bots/The Best", "--name", "best").stdout.splitlines()[-1]
    words = shlex.split(line)
    assert words[words.index("--bot") + 1] == "best='my bots/The Best/build/bot'"
    assert words[-4:] == ["--games", "3", "--out", "best-run"]
    assert (here / "my bots" / "The Best" / "bot.c").exists()


def test_help_names_every_language(arena: Arena) -> None:
    told = " ".join(arena("new", "--help").stdout.split())
    page = (SAMPLES.parent / "docs" / "writing-a-bot.md").read_text(encoding="utf-8")
    for language in (*LANGUAGES, *PLAYERS):
        assert re.search(rf"\b{language}\b", told.partition("FOLDER is")[0])
        assert f"`{language}`" in page


def test_a_folder_that_cannot_be_made_is_a_failure(here: Path, arena: Arena) -> None:
    (here / "file").touch()
    result = arena("new", "go", "file/bot")
    assert result.exit_code == 1
    assert "cannot be written: Not a directory" in result.stderr
